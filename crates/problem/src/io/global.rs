//! The kind `global_csr`: `M v = f + H r`, `u = Hᵀ v + b` with sparse M and H, hence
//!
//! ```text
//! W = Hᵀ M⁻¹ H,   q = Hᵀ M⁻¹ f + b
//! ```
//!
//! Rigid bodies (M block diagonal in aligned 6×6 blocks, at most two bodies per contact) become the factored form with
//! J = Hᵀ. Anything else, such as finite elements, is condensed to a dense W through a dense factorization of M; that
//! is cubic in the degrees of freedom, and capped.

use super::container::within;
use super::index::{CompressedRows, check_finite};
use super::ldl::{Ldl, precise_sum};
use super::{FileError, ProblemFile};
use crate::{Block, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, InverseMass, JacobianRow, Symmetry};

/// Most degrees of freedom, and most rows of W, that are condensed: a file of some kilobytes must ask neither for
/// gigabytes nor for hours.
const CONDENSED_LIMIT: u64 = 3000;
/// Largest difference of mirrored entries of M relative to its largest entry: rounding of whoever wrote it.
const MASS_ASYMMETRY: f64 = 1e-12;

struct Global<'a> {
    ndof: usize,
    m: CompressedRows,
    m_val: &'a [f64],
    h: CompressedRows,
    h_val: &'a [f64],
    f: &'a [f64],
    b: &'a [f64],
    mu: &'a [f64],
}

pub(super) fn problem(file: &ProblemFile) -> Result<ContactProblem, FileError> {
    for array in ["f", "b", "M_val", "H_val"] {
        check_finite(array, file.numbers(array)?)?;
    }
    let (f, b) = (file.numbers("f")?, file.numbers("b")?);
    let index = |pointers, columns, width| {
        CompressedRows::new((pointers, file.integers(pointers)?), (columns, file.integers(columns)?), width)
    };
    let global = Global {
        ndof: f.len(),
        m: index("M_row_ptr", "M_col_idx", f.len())?,
        m_val: file.numbers("M_val")?,
        h: index("H_row_ptr", "H_col_idx", b.len())?,
        h_val: file.numbers("H_val")?,
        f,
        b,
        mu: file.numbers("mu")?,
    };
    let (w, q, symmetry) = match global.body_pairs() {
        Some(pairs) => global.factored(pairs)?,
        None => {
            within("degrees of freedom to condense", global.ndof as u64, CONDENSED_LIMIT)?;
            within("rows of dense W", b.len() as u64, CONDENSED_LIMIT.min(file.limits().dense_rows as u64))?;
            global.condensed()?
        }
    };
    let blocks = global.mu.iter().map(|mu| Block::contact(*mu)).collect();
    Ok(ContactProblem::new(blocks, w, q, symmetry)?)
}

impl Global<'_> {
    /// The bodies of every contact, if M and H are those of rigid bodies.
    fn body_pairs(&self) -> Option<Vec<[Option<u32>; 2]>> {
        if !self.ndof.is_multiple_of(6) {
            return None;
        }
        let aligned =
            (0..self.ndof).all(|i| self.m.row(i).all(|e| self.m.columns[e] / 6 == i / 6 || self.m_val[e] == 0.0));
        if !aligned {
            return None;
        }
        let mut pairs = vec![[None; 2]; self.mu.len()];
        for i in 0..self.ndof {
            let body = Some(u32::try_from(i / 6).ok()?);
            for e in self.h.row(i).filter(|e| self.h_val[*e] != 0.0) {
                let pair: &mut [Option<u32>; 2] = &mut pairs[self.h.columns[e] / 3];
                if pair.contains(&body) {
                    continue;
                }
                *pair.iter_mut().find(|side| side.is_none())? = body;
            }
        }
        Some(pairs)
    }

    fn factored(&self, pairs: Vec<[Option<u32>; 2]>) -> Result<(Delassus, Vec<f64>, Symmetry), FileError> {
        let mut inverse_mass: Vec<InverseMass> = Vec::with_capacity(self.ndof / 6);
        let mut v_free = vec![0.0; self.ndof];
        let mut scratch = [0.0; 6];
        for body in 0..self.ndof / 6 {
            let m = self.dense_mass(6 * body, 6)?;
            let factors = factor(6 * body, 6, &m)?;
            let columns: [[f64; 6]; 6] = std::array::from_fn(|j| {
                let unit: [f64; 6] = std::array::from_fn(|i| f64::from(i == j));
                let mut x = [0.0; 6];
                factors.solve(self.residual(6 * body, &unit), &unit, &mut x, &mut scratch);
                x
            });
            inverse_mass.push(std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (columns[j][i] + columns[i][j]))));
            let range = 6 * body..6 * body + 6;
            let f = &self.f[range.clone()];
            factors.solve(self.residual(6 * body, f), f, &mut v_free[range], &mut scratch);
        }
        let mut jacobian: Vec<JacobianRow> = vec![[0.0; 12]; self.b.len()];
        let mut q = self.b.to_vec();
        for i in 0..self.ndof {
            for e in self.h.row(i).filter(|e| self.h_val[*e] != 0.0) {
                let row = self.h.columns[e];
                let side = if pairs[row / 3][0] == Some((i / 6) as u32) { 0 } else { 1 };
                jacobian[row][6 * side + i % 6] = self.h_val[e];
                q[row] += self.h_val[e] * v_free[i];
            }
        }
        Ok((Delassus::Factored(FactoredDelassus::new(inverse_mass, pairs, jacobian)), q, Symmetry::Exact))
    }

    fn condensed(&self) -> Result<(Delassus, Vec<f64>, Symmetry), FileError> {
        let (n, rows) = (self.ndof, self.b.len());
        let m = self.dense_mass(0, n)?;
        let factors = factor(0, n, &m)?;
        let (mut x, mut scratch, mut column) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        factors.solve(self.residual(0, self.f), self.f, &mut x, &mut scratch);
        let mut q = self.b.to_vec();
        self.add_transposed(&x, &mut q, 1);
        let mut w = vec![0.0; rows * rows];
        let columns = self.columns_of_h(rows);
        for j in 0..rows {
            column.fill(0.0);
            for (i, value) in &columns[j] {
                column[*i] = *value;
            }
            factors.solve(self.residual(0, &column), &column, &mut x, &mut scratch);
            self.add_transposed(&x, &mut w[j..], rows);
        }
        for i in 0..rows {
            for j in 0..i {
                let mean = 0.5 * (w[i * rows + j] + w[j * rows + i]);
                (w[i * rows + j], w[j * rows + i]) = (mean, mean);
            }
        }
        Ok((Delassus::Dense(DenseDelassus::new(rows, w)), q, Symmetry::Exact))
    }

    /// `out[k·stride] += (Hᵀ x)_k`.
    fn add_transposed(&self, x: &[f64], out: &mut [f64], stride: usize) {
        for i in 0..self.ndof {
            for e in self.h.row(i) {
                out[self.h.columns[e] * stride] += self.h_val[e] * x[i];
            }
        }
    }

    fn columns_of_h(&self, rows: usize) -> Vec<Vec<(usize, f64)>> {
        let mut columns = vec![Vec::new(); rows];
        for i in 0..self.ndof {
            for e in self.h.row(i) {
                columns[self.h.columns[e]].push((i, self.h_val[e]));
            }
        }
        columns
    }

    /// `b − M x` over the rows of M that start at `first` and are as many as those of b, in twice the precision.
    fn residual(&self, first: usize, b: &[f64]) -> impl Fn(&[f64], &mut [f64]) {
        move |x, out| {
            for i in 0..b.len() {
                let row = self.m.row(first + i);
                let terms = row.filter_map(|e| Some((-self.m_val[e], *x.get(self.m.columns[e].checked_sub(first)?)?)));
                out[i] = precise_sum(b[i], terms);
            }
        }
    }

    /// Rows and columns `first..first + n` of M, checked for symmetry.
    fn dense_mass(&self, first: usize, n: usize) -> Result<Vec<f64>, FileError> {
        let mut m = vec![0.0; n * n];
        let mut largest: f64 = 0.0;
        for i in 0..n {
            for e in self.m.row(first + i) {
                // Outside the range there are at most stored zeros.
                if let Some(j) = self.m.columns[e].checked_sub(first).filter(|j| *j < n) {
                    m[i * n + j] = self.m_val[e];
                    largest = largest.max(self.m_val[e].abs());
                }
            }
        }
        for i in 0..n {
            for j in 0..i {
                let (value, mirror) = (m[i * n + j], m[j * n + i]);
                if (value - mirror).abs() > MASS_ASYMMETRY * largest {
                    return Err(FileError::MassNotSymmetric { row: first + i, column: first + j, value, mirror });
                }
                let mean = 0.5 * (value + mirror);
                (m[i * n + j], m[j * n + i]) = (mean, mean);
            }
        }
        Ok(m)
    }
}

/// Factors the part of M that starts at row `first`.
fn factor(first: usize, n: usize, m: &[f64]) -> Result<Ldl, FileError> {
    Ldl::new(n, m).map_err(|e| FileError::MassNotPositive { row: first + e.row, pivot: e.pivot })
}

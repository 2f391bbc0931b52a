//! W with all its entries: small islands and imported problems.

use super::{AsymmetryScan, check_finite};
use crate::{Limits, ProblemError, Symmetry};

/// A dense W, row-major.
#[derive(Clone, Debug)]
pub struct DenseDelassus {
    rows: usize,
    values: Vec<f64>,
}

impl DenseDelassus {
    /// `values` is row-major, `rows × rows`; its length is checked when the problem is built.
    pub fn new(rows: usize, values: Vec<f64>) -> Self {
        DenseDelassus { rows, values }
    }
    pub(crate) fn into_values(self) -> Vec<f64> {
        self.values
    }
    /// All entries, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
    /// Row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.rows..(i + 1) * self.rows]
    }

    pub(super) fn apply(&self, r: &[f64], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.row(i).iter().zip(r).map(|(w, r)| w * r).sum();
        }
    }

    /// `W r` and `|W||r|` from one reading of W.
    pub(super) fn apply_with_magnitude(&self, r: &[f64], out: &mut [f64], magnitude: &mut [f64]) {
        for (i, (out, magnitude)) in out.iter_mut().zip(magnitude).enumerate() {
            let (mut sum, mut terms) = (0.0, 0.0);
            for (w, r) in self.row(i).iter().zip(r) {
                let term = w * r;
                sum += term;
                terms += term.abs();
            }
            (*out, *magnitude) = (sum, terms);
        }
    }

    pub(super) fn block(&self, offsets: &[usize], c: usize, k: usize, out: &mut [f64]) {
        let columns = offsets[k + 1] - offsets[k];
        for (a, i) in (offsets[c]..offsets[c + 1]).enumerate() {
            let row = &self.row(i)[offsets[k]..offsets[k + 1]];
            out[a * columns..(a + 1) * columns].copy_from_slice(row);
        }
    }

    pub(super) fn validate(&self, offsets: &[usize], symmetry: Symmetry, limits: &Limits) -> Result<f64, ProblemError> {
        let rows = offsets[offsets.len() - 1];
        if rows > limits.dense_rows {
            return Err(ProblemError::Limit { what: "rows of dense W", found: rows, limit: limits.dense_rows });
        }
        if self.rows != rows || self.values.len() != rows * rows {
            return Err(ProblemError::Size { what: "dense W", found: self.values.len(), expected: rows * rows });
        }
        check_finite("dense W", &self.values)?;
        let mut scan = AsymmetryScan::new();
        for i in 0..rows {
            for j in 0..=i {
                scan.pair(i, j, self.values[i * rows + j], self.values[j * rows + i]);
            }
        }
        scan.finish("W", symmetry)
    }
}

//! Rows that give way, eliminated block by block before the bodies.
//!
//! With `W = J̃ J̃ᵀ + C`, `C = diag(c)`, and `B = I + K C`, which couples no two blocks,
//!
//! ```text
//! (I + K W) dr = g    ⇔   B dr + K J̃ dv = g,               dv = J̃ᵀ dr
//!                     ⇔   (I + J̃ᵀ K' J̃) dv = J̃ᵀ g',        dr = g' − K' J̃ dv,      K' = B⁻¹K,   g' = B⁻¹g
//! W dr = J̃ dv + C dr,     det(I + K W) = det B · det(I + J̃ᵀ K' J̃)
//! ```
//!
//! K' and g' take the places of K and g, and the bodies see nothing else. However stiff K is, K' is no stiffer than 1/c.
//! A symmetric K ≥ 0 makes B regular; else a singular B counts as a singular system, which an extra body per row, that
//! gives way by c, would be as well: its pivot block is B.

use crate::linalg::dense::{lu, lu_solve};
use crate::linalg::frontal_lu::SingularPivot;

/// C, and what is left of K when it is eliminated.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalCompliance {
    /// c of every row [1/kg]; empty if no row gives way.
    rows: Vec<f64>,
    /// K' of every block, as K.
    reduced: Vec<f64>,
    /// B⁻¹ of every block, as K.
    inverse: Vec<f64>,
    /// Whether det B is negative.
    negative: bool,
}

impl LocalCompliance {
    pub(super) fn read(&mut self, rows: &[f64]) {
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        self.negative = false;
    }

    /// K' and B⁻¹ of every block.
    pub(super) fn eliminate(&mut self, offsets: &[usize], k: &[f64], starts: &[usize]) -> Result<(), SingularPivot> {
        self.negative = false;
        if self.rows.is_empty() {
            return Ok(());
        }
        self.reduced.clear();
        self.reduced.extend_from_slice(k);
        self.inverse.clear();
        self.inverse.resize(k.len(), 0.0);
        for (block, entries) in starts.windows(2).enumerate() {
            let c = &self.rows[offsets[block]..offsets[block + 1]];
            let entries = entries[0]..entries[1];
            let (reduced, inverse) = (&mut self.reduced[entries.clone()], &mut self.inverse[entries]);
            self.negative ^= eliminate_block(c, reduced, inverse)?;
        }
        Ok(())
    }

    /// K', or K itself where no row gives way.
    pub(super) fn reduced_or<'a>(&'a self, k: &'a [f64]) -> &'a [f64] {
        if self.rows.is_empty() { k } else { &self.reduced }
    }

    pub(super) fn determinant_is_positive(&self) -> bool {
        !self.negative
    }

    /// `g ← B⁻¹g`.
    pub(super) fn reduce(&self, offsets: &[usize], starts: &[usize], g: &mut [f64]) {
        if self.rows.is_empty() {
            return;
        }
        for (block, entries) in starts.windows(2).enumerate() {
            let g = &mut g[offsets[block]..offsets[block + 1]];
            let (n, mut before) = (g.len(), [0.0; 6]);
            before[..n].copy_from_slice(g);
            for (g, row) in g.iter_mut().zip(self.inverse[entries[0]..entries[1]].chunks_exact(n)) {
                *g = row.iter().zip(&before).map(|(b, g)| b * g).sum();
            }
        }
    }

    /// `out += C r`.
    pub(super) fn add_product(&self, r: &[f64], out: &mut [f64]) {
        for ((out, c), r) in out.iter_mut().zip(&self.rows).zip(r) {
            *out += c * r;
        }
    }
}

/// `k ← B⁻¹k` and `inverse = B⁻¹` with `B = I + k diag(c)`, row-major; whether det B is negative.
fn eliminate_block(c: &[f64], k: &mut [f64], inverse: &mut [f64]) -> Result<bool, SingularPivot> {
    let n = c.len();
    for i in 0..n {
        inverse[i * n + i] = 1.0;
    }
    if c.iter().all(|c| *c == 0.0) {
        return Ok(false);
    }
    let (mut b, mut pivots, mut column) = ([0.0; 36], [0; 6], [0.0; 6]);
    let b = &mut b[..n * n];
    for i in 0..n {
        for j in 0..n {
            b[i * n + j] = inverse[i * n + j] + k[i * n + j] * c[j];
        }
    }
    if !lu(b, n, &mut pivots[..n]) {
        return Err(SingularPivot);
    }
    for target in [k, inverse] {
        for j in 0..n {
            (0..n).for_each(|i| column[i] = target[i * n + j]);
            lu_solve(b, n, &pivots[..n], &mut column[..n]);
            (0..n).for_each(|i| target[i * n + j] = column[i]);
        }
    }
    let flips = (0..n).filter(|i| (b[i * n + i] < 0.0) != (pivots[*i] != *i)).count();
    Ok(flips % 2 == 1)
}

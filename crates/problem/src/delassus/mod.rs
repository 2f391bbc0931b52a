//! The Delassus operator W [1/kg] in its three forms: dense, block-sparse, or factored over bodies.
//!
//! All three answer the same questions: `apply`, the diagonal block, any block, and a dense copy.

mod block_sparse;
mod dense;
mod factored;

pub use block_sparse::BlockSparseDelassus;
pub use dense::DenseDelassus;
pub(crate) use factored::Coupling;
pub use factored::{FactoredDelassus, FurtherColumns, InverseMass, JacobianRow};

use crate::{Limits, ProblemError, Symmetry};

/// `W`, the change of velocity [m/s] per impulse [N·s].
#[derive(Clone, Debug)]
pub enum Delassus {
    /// All entries.
    Dense(DenseDelassus),
    /// The nonzero blocks.
    BlockSparse(BlockSparseDelassus),
    /// `W = J M⁻¹ Jᵀ + C` over rigid bodies; W itself is never formed.
    Factored(FactoredDelassus),
}

impl Delassus {
    /// `out = W r`. `scratch` holds body velocities for the factored form; it grows once and is reused.
    pub fn apply(&self, offsets: &[usize], r: &[f64], out: &mut [f64], scratch: &mut Vec<f64>) {
        match self {
            Delassus::Dense(w) => w.apply(r, out),
            Delassus::BlockSparse(w) => w.apply(offsets, r, out),
            Delassus::Factored(w) => w.apply(offsets, r, out, scratch),
        }
    }

    /// `out = W r`, and `magnitude = |W|·|r|` with the absolute values taken of every stored factor: a bound on the terms
    /// that are summed, from which the round-off of one evaluation follows.
    #[inline(always)]
    pub fn apply_with_magnitude(
        &self,
        offsets: &[usize],
        r: &[f64],
        out: &mut [f64],
        magnitude: &mut [f64],
        scratch: &mut Vec<f64>,
    ) {
        match self {
            Delassus::Dense(w) => w.apply_with_magnitude(r, out, magnitude),
            Delassus::BlockSparse(w) => w.apply_with_magnitude(offsets, r, out, magnitude),
            Delassus::Factored(w) => w.apply_with_magnitude(offsets, r, out, magnitude, scratch),
        }
    }

    /// Block `(c, k)`, row-major, into `out`; zeros where the block is not stored.
    pub fn block(&self, offsets: &[usize], c: usize, k: usize, out: &mut [f64]) {
        match self {
            Delassus::Dense(w) => w.block(offsets, c, k, out),
            Delassus::BlockSparse(w) => w.block(offsets, c, k, out),
            Delassus::Factored(w) => w.block(offsets, c, k, out),
        }
    }

    /// The diagonal entries of W that belong to block `c`, into `out`.
    pub(crate) fn diagonal(&self, offsets: &[usize], c: usize, out: &mut [f64]) {
        if let Delassus::Factored(w) = self {
            return w.diagonal(offsets, c, out);
        }
        let mut block = [0.0; 36];
        self.diagonal_block(offsets, c, &mut block);
        for i in 0..out.len() {
            out[i] = block[i * out.len() + i];
        }
    }

    /// Block `(c, c)`, row-major, into `out`.
    pub fn diagonal_block(&self, offsets: &[usize], c: usize, out: &mut [f64]) {
        self.block(offsets, c, c, out);
    }

    /// All of W, row-major. Memory is the square of the rows.
    pub fn to_dense(&self, offsets: &[usize]) -> Vec<f64> {
        match self {
            Delassus::Dense(w) => w.values().to_vec(),
            Delassus::BlockSparse(w) => w.to_dense(offsets),
            Delassus::Factored(w) => w.to_dense(offsets),
        }
    }

    /// Makes "all zeros" and "none" the same.
    pub(crate) fn forget_zero_compliance(&mut self) {
        if let Delassus::Factored(w) = self {
            w.forget_zero_compliance();
        }
    }

    /// Checks sizes, indices, finite numbers and symmetry; returns the relative asymmetry.
    pub(crate) fn validate(&self, offsets: &[usize], symmetry: Symmetry) -> Result<f64, ProblemError> {
        let limits = Limits::default();
        match self {
            Delassus::Dense(w) => w.validate(offsets, symmetry, &limits),
            Delassus::BlockSparse(w) => w.validate(offsets, symmetry, &limits),
            Delassus::Factored(w) => w.validate(offsets, symmetry, &limits),
        }
    }
}

/// The worst pair `(i, j)` seen so far, and the largest entry.
struct AsymmetryScan {
    largest: f64,
    difference: f64,
    row: usize,
    column: usize,
}

impl AsymmetryScan {
    fn new() -> Self {
        AsymmetryScan { largest: 0.0, difference: 0.0, row: 0, column: 0 }
    }

    fn pair(&mut self, row: usize, column: usize, a: f64, b: f64) {
        self.largest = self.largest.max(a.abs()).max(b.abs());
        let difference = (a - b).abs();
        if difference > self.difference {
            (self.difference, self.row, self.column) = (difference, row, column);
        }
    }

    fn finish(&self, what: &'static str, symmetry: Symmetry) -> Result<f64, ProblemError> {
        let asymmetry = if self.difference > 0.0 { self.difference / self.largest } else { 0.0 };
        let allowed = match symmetry {
            Symmetry::Exact => 0.0,
            Symmetry::UpTo(allowed) => allowed,
            Symmetry::General => f64::INFINITY,
        };
        if asymmetry > allowed {
            return Err(ProblemError::NotSymmetric { what, asymmetry, row: self.row, column: self.column, allowed });
        }
        Ok(asymmetry)
    }
}

fn check_finite(what: &'static str, values: &[f64]) -> Result<(), ProblemError> {
    // Without an early end the search for any is a loop over whole registers.
    if !values.iter().fold(false, |found, x| found | !x.is_finite()) {
        return Ok(());
    }
    match values.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(ProblemError::NotFinite { what, index, value: values[index] }),
        None => Ok(()),
    }
}

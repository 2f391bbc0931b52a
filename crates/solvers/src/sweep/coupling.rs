//! The velocity of a block from all impulses during a sweep: through rows of W, or through the velocities of its two
//! bodies.

mod bodies;
mod columns;

pub(super) use bodies::BodyCoupling;
pub(crate) use columns::Columns;
pub(super) use columns::KeptCoupling;

use crate::linalg::dense::dot;
use signorini_problem::{BlockSparseDelassus, DenseDelassus};

/// Velocity of a block caused by all impulses, and the news that a block's impulse changed.
pub(super) trait Coupling {
    /// Rows `first..first + N` of `W r` [m/s].
    fn velocity<const N: usize>(&self, c: usize, first: usize, r: &[f64]) -> [f64; N];
    /// Block `c` changed by `delta` [N·s].
    fn changed<const N: usize>(&mut self, c: usize, first: usize, delta: &[f64; N]);
}

/// Dense W: nothing to keep.
pub(super) struct DenseCoupling<'a>(pub &'a DenseDelassus);

impl Coupling for DenseCoupling<'_> {
    #[inline]
    fn velocity<const N: usize>(&self, _: usize, first: usize, r: &[f64]) -> [f64; N] {
        std::array::from_fn(|i| dot(self.0.row(first + i), r))
    }
    #[inline]
    fn changed<const N: usize>(&mut self, _: usize, _: usize, _: &[f64; N]) {}
}

/// Block-sparse W and the first row of every block.
pub(super) struct SparseCoupling<'a>(pub &'a BlockSparseDelassus, pub &'a [usize]);

impl Coupling for SparseCoupling<'_> {
    #[inline]
    fn velocity<const N: usize>(&self, c: usize, _: usize, r: &[f64]) -> [f64; N] {
        self.0.row_times(self.1, c, r)
    }
    #[inline]
    fn changed<const N: usize>(&mut self, _: usize, _: usize, _: &[f64; N]) {}
}

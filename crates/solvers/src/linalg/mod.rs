//! Linear algebra that the methods share: our own kernels, in one order of operations, and a multifrontal LU over a
//! graph of small blocks. Each keeps its buffers, so that a repeated solve of one size allocates nothing.

pub mod anderson;
pub(crate) mod block_cholesky;
pub mod block_graph;
pub(crate) mod bounded_qp;
pub(crate) mod complementary_path;
pub mod dense;
pub(crate) mod dense_cholesky;
pub(crate) mod dense_lu;
pub mod elimination;
pub mod frontal_lu;
pub(crate) mod kernels;
mod minimum_fill;
pub(crate) mod minimum_norm;
mod panel_lu;
pub(crate) mod scaled_delassus;
pub(crate) mod scaled_program;

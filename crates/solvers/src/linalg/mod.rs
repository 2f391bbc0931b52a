//! Dense kernels the methods share. Each keeps its buffers, so that a repeated solve of one size allocates nothing.

pub mod anderson;
pub mod box_qp;
pub mod dense;

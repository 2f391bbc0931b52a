//! Linear algebra that the methods share: our own kernels, in one order of operations, so that results do not depend on
//! the machine.

pub(crate) mod bounded_qp;
pub(crate) mod dense_cholesky;
pub(crate) mod dense_lu;
pub(crate) mod minimum_norm;
pub(crate) mod scaled_delassus;
pub(crate) mod scaled_program;

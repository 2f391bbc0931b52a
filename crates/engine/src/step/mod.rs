//! The stages of one step. Each reads earlier outputs and writes its own.

pub mod broad_phase;
pub mod manifold;

//! What the conformance tests share: an audit that owes nothing to the judge, other coordinates, published problems.
#![allow(dead_code, unused_imports)] // Every test binary uses its own part.

mod audit;
mod coordinates;
mod published;

pub use audit::{Audit, assert_feasible, assert_honest, audit};
pub use coordinates::{
    Units, body_velocity, factored, in_units, largest, largest_difference, reordered, shuffled, turned,
};
pub use published::{published, reference};

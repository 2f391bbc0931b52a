//! Rigid bodies in contact: shapes, collision geometry and (in later modules) the world and its step.
//!
//! Three-dimensional, `f64`, SI units, z up. Signs and frames are those of `signorini-problem`: a contact normal points
//! from A to B and a gap is negative where the shapes overlap.

pub mod error;
pub mod shape;
pub mod step;

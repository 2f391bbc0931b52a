//! Statics: which forces can hold bodies at rest where they are. Needs the feature `socp`.
//!
//! Bodies that touch at many points share their loads in many ways. A step of the engine finds one of them; the functions here
//! speak about **all** of them. With the contact forces f in their friction cones, the forces g of joints within what
//! these can carry, the loads w (weight, and the forces and torques set on the bodies), and one equation of six for every body,
//!
//! ```text
//! Gᵀf + Jᵀg + w = 0,    ‖f_T‖ ≤ μ f_N,    g ∈ what its row can carry                    (admissible)
//! ```
//!
//! * [`is_stable`]: is there an admissible set of forces, and if not, how much is missing and along which motion do the loads win?
//! * [`load_limit`]: by which factors may a pattern of loads be multiplied?
//! * [`safety_factor`]: by how much may all friction coefficients be divided?
//! * [`force_bounds`]: the least and greatest normal and tangential force of every contact over all admissible sets.
//!
//! These are second-order cone programs ([`signorini_solvers::cone_program`]). No answer is taken from the solver on trust:
//! [`Proof`] is computed here from the matrix, the loads and the answer alone, and what is not proved to [`StaticsOptions::tolerance`] is
//! [`StaticsError::Unresolved`].
//!
//! # What it means
//!
//! A set without admissible forces moves, whatever the history. One with admissible forces *can* rest: with Coulomb's law that is
//! necessary, and it is sufficient where the admissible answer is the only one or no contact can slide (Pang and Trinkle 2000
//! call it weak stability: a wedge that was never pressed home may have admissible forces and slide out). Velocities are
//! not looked at, nor overlap: the question is about the places where the bodies are.
//!
//! Motors and dry friction of joints carry up to their largest force; limits push where they are reached; springs and servos pull
//! with the force that they have at this place; dampers and rotors do nothing at rest.

mod balance;
mod bounds;
mod error;
mod friction;
mod load;
mod model;
mod program;
mod proof;

pub use balance::{BodyMotion, ContactForce, Stability, is_stable};
pub use bounds::{Bounded, ForceBounds, Per, Range, force_bounds};
pub use error::StaticsError;
pub use friction::{SafetyFactor, safety_factor};
pub use load::{Load, LoadLimit, load_limit};
pub use proof::Proof;

use crate::BodyHandle;

/// What may be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticsOptions {
    /// Surfaces this close carry load \[m\]. The steps of the engine carry load across 1 µm.
    pub touching: f64,
    /// Bodies that must be in balance, all others hold still; none: every dynamic body.
    pub bodies: Option<Vec<BodyHandle>>,
    /// Error that an answer may have, as a fraction of the largest load.
    pub tolerance: f64,
}

impl Default for StaticsOptions {
    fn default() -> Self {
        StaticsOptions { touching: 1e-6, bodies: None, tolerance: 1e-7 }
    }
}

/// The page of the book is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/statics.md")]
struct Page;

//! Solvers of contact problems, one file per method, each graded by the judge.
//!
//! [`solve`] runs a [`ContactSolver`] and certifies its answer; [`Status::Solved`] is the certificate's word, never the
//! solver's. [`Method`] names every solver, the same names in Rust, in files and on the command line.

#![forbid(unsafe_code)]

mod accelerated_nsgs;
mod active_set;
pub mod baselines;
mod block_pgs;
pub mod cone;
#[cfg(feature = "socp")]
pub mod cone_program;
pub mod conic_interior_point;
mod dense_newton;
mod equality_rows;
mod exact;
mod held_bodies;
mod history;
pub mod interior_point;
mod least_stress;
mod lemke;
#[doc(hidden)]
pub mod linalg;
mod merit;
mod method;
mod newton;
mod newton_system;
mod nsgs;
pub mod one_contact;
mod pgs;
mod solver;
mod stopwatch;
#[doc(hidden)]
pub mod sweep;
mod tied_bodies;
pub mod warm_start;

pub use accelerated_nsgs::{AcceleratedNsgs, AcceleratedNsgsOptions};
pub use active_set::{ActiveSet, ActiveSetOptions, AmongEquals, BlockPivoting};
#[cfg(feature = "socp")]
pub use baselines::socp;
pub use baselines::{FlowRule, box_lcp, fischer_burmeister, polyhedral};
pub use block_pgs::{BlockPgs, BlockPgsOptions, BlockStep};
pub use box_lcp::BoxLcp;
pub use conic_interior_point::ConicInteriorPoint;
pub use equality_rows::EqualityRows;
pub use exact::{Attempt, Exact, ExactOptions, Folds, Guesses, Selection, is_settled};
pub use fischer_burmeister::FischerBurmeister;
pub use history::{History, HistoryPoint};
pub use interior_point::InteriorPoint;
pub use least_stress::{LeastStress, Support};
pub use lemke::{Lemke, LemkeOptions};
pub use method::{Method, UnknownMethod};
pub use newton::{Newton, NewtonOptions};
pub use nsgs::Nsgs;
pub use pgs::Pgs;
pub use polyhedral::Polyhedral;
#[cfg(feature = "socp")]
pub use socp::Socp;
pub use solver::{
    Accept, ContactSolver, Effort, Solution, SolveError, SolverSession, Status, StoppingRule, solve, supports_only,
};
pub use stopwatch::Stopwatch;
pub use sweep::{ColdStart, SweepOptions, SweepOrder};
pub use tied_bodies::{TiedBodies, TiedRow};

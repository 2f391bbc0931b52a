//! The players: solvers for contact problems, one file per method, each graded by the judge.
//!
//! [`solve`] runs a [`ContactSolver`] and certifies its answer; [`Status::Solved`] is the certificate's word, never the
//! solver's. [`Method`] names every solver, the same names in Rust, in files and on the command line.

pub mod cone;
mod history;
pub mod interior_point;
mod linalg;
mod merit;
mod method;
pub mod newton;
mod newton_system;
mod solver;

pub use history::{History, HistoryPoint};
pub use method::{Method, UnknownMethod};
pub use solver::{
    ContactSolver, Effort, Solution, SolveError, SolverSession, Status, StoppingRule, solve, supports_only,
};

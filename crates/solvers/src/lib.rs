//! The players: solvers for contact problems, one file per method, each graded by the judge.
//!
//! [`solve`] runs a [`ContactSolver`] and certifies its answer; [`Status::Solved`] is the certificate's word, never the
//! solver's. [`Method`] names every solver, the same names in Rust, in files and on the command line.

#![forbid(unsafe_code)]

mod active_set;
mod block_pivoting;
pub mod cone;
mod history;
mod lemke;
mod linalg;
mod method;
mod solver;

pub use active_set::{ActiveSet, ActiveSetOptions, AmongEquals};
pub use block_pivoting::{BlockPivoting, BlockPivotingOptions};
pub use history::{History, HistoryPoint};
pub use lemke::{Lemke, LemkeOptions};
pub use method::{Method, UnknownMethod};
pub use solver::{
    ContactSolver, Effort, Solution, SolveError, SolverSession, Status, StoppingRule, solve, supports_only,
};

//! The players: solvers for contact problems, one file per method, each graded by the judge.
//!
//! [`solve`] runs a [`ContactSolver`] and certifies its answer; [`Status::Solved`] is the certificate's word, never the
//! solver's. [`Method`] names every solver, the same names in Rust, in files and on the command line.

mod block_pgs;
pub mod cone;
mod history;
mod method;
mod nsgs;
pub mod one_contact;
mod pgs;
mod solver;
pub mod sweep;
pub mod warm_start;

pub use block_pgs::{BlockPgs, BlockPgsOptions, BlockStep};
pub use history::{History, HistoryPoint};
pub use method::{Method, UnknownMethod};
pub use nsgs::Nsgs;
pub use pgs::Pgs;
pub use solver::{
    ContactSolver, Effort, Solution, SolveError, SolverSession, Status, StoppingRule, solve, supports_only,
};
pub use sweep::{SweepOptions, SweepOrder};

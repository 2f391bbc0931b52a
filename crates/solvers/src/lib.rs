//! The players: solvers for contact problems, one file per method, each graded by the judge.
//!
//! [`solve`] runs a [`ContactSolver`] and certifies its answer; [`Status::Solved`] is the certificate's word, never the
//! solver's. [`Method`] names every solver, the same names in Rust, in files and on the command line.

pub mod box_lcp;
pub mod cone;
pub mod fischer_burmeister;
mod flow_rule;
mod history;
pub mod linalg;
mod method;
pub mod polyhedral;
#[cfg(feature = "socp")]
pub mod socp;
mod solver;

pub use flow_rule::FlowRule;
pub use history::{History, HistoryPoint};
pub use method::{Method, UnknownMethod};
pub use solver::{
    ContactSolver, Effort, Solution, SolveError, SolverSession, Status, StoppingRule, solve, supports_only,
};

//! What problems, their files and the judge must do.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used, missing_docs)]

#[path = "../generated/mod.rs"]
mod generated;

mod compliance;
mod further_bodies;
mod judge_against_reference;
mod parts;
mod problem_files;
mod solution_files;

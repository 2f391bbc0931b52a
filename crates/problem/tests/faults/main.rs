//! Damaged files, and impulses tampered with.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used, missing_docs)]

#[path = "../generated/mod.rs"]
mod generated;

mod certificate_tampering;
mod problem_file_damage;

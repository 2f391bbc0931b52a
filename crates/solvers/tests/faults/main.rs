//! Bad input, extreme values, damaged bytes: a typed error, or a step that says it is degraded.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr
)]

#[path = "../conformance_support/mod.rs"]
mod conformance_support;
#[path = "../family_support/mod.rs"]
mod family_support;

mod any_problem;
mod fischer_burmeister_and_models_edge_cases;

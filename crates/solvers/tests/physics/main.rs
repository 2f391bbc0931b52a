//! Physics with answers from paper; the derivation stands beside the number.
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
#[path = "../sweeps_fixtures/mod.rs"]
mod sweeps_fixtures;

mod box_lcp;
mod compliance;
mod exact_budget;
mod exact_factorizations;
mod exact_warm_start;
mod fischer_burmeister;
mod fold_cases;
mod one_contact_closed_form;
mod polyhedral;
mod rolling;
mod socp;

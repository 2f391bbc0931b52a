//! What holds for any input: same bits, invariances, random problems and random calls.
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
#[path = "../lcp_fixtures/mod.rs"]
mod lcp_fixtures;
#[path = "../sweeps_fixtures/mod.rs"]
mod sweeps_fixtures;

mod active_set_redundancy;
mod box_lcp_programs;
mod cone_against_judge;
mod cone_projection;
mod exact_invariance;
mod further_bodies;
mod lcp_random;
mod one_contact_brute_force;
mod properties_random;
mod sweeps_all_laws;
mod sweeps_invariance;

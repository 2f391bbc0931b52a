//! What the specification asks for, section by section, and the tables of docs/validation.
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
#[path = "../lcp_fixtures/mod.rs"]
mod lcp_fixtures;
#[path = "../sweeps_fixtures/mod.rs"]
mod sweeps_fixtures;

mod conformance_generated;
mod conformance_published;
mod criterion_5_iterative;
mod exact_criteria;
mod lcp_conformance;
mod spec_5_1_active_set;
mod spec_5_3_friction_primitives;
mod spec_5_4_block_pgs;
mod spec_5_5_large_island_pgs;

//! What holds for any input: same bits, invariances, random problems and random calls.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr
)]

#[path = "../fixture/mod.rs"]
mod fixture;
#[path = "../geometry_fixtures/mod.rs"]
mod geometry_fixtures;

mod api_sequences;
mod determinism;
mod geometry_random;
mod judge_replay;
mod soak;
mod step_fixed_point;
mod step_memory;
mod step_replay;
mod uneven;

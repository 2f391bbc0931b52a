//! Damaged, cut off and hostile recordings.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used, missing_docs)]

#[path = "../fixture/mod.rs"]
mod fixture;

mod recording_faults;

//! Answers from paper of problems and built-in scenes.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs
)]

mod statics_masonry;
mod steps;
mod worlds_answers;
mod worlds_iterative;
mod worlds_rest;

//! Inputs made to do harm: every door through which bytes or calls come in, hammered with mutations of good inputs.
//!
//! A [`Target`] is one door. [`hunt`] mutates a corpus and keeps what leads to an outcome that was not seen before: the text of
//! an error without its numbers stands for the branch that gave it, so that no instrumented build is needed and everything
//! runs on a stable compiler. Same seed, same inputs, on every machine. How to run it: `fuzz/README.md`.

#![forbid(unsafe_code)]

mod hunt;
mod mutate;
mod targets;

pub use hunt::{Found, Limit, Report, hunt};
pub use targets::{TARGETS, Target};

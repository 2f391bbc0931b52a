//! What holds of built-in scenes from any start nearby.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

mod worlds_perturbed;

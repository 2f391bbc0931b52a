//! What holds of certificates for any problem.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used, missing_docs)]

#[path = "../generated/mod.rs"]
mod generated;

mod certificate_properties;

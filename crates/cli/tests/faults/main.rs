//! Hostile clients of the server.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used, missing_docs)]

#[path = "../visitor/mod.rs"]
mod visitor;

mod view_security;

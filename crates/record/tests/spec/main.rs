//! What recordings contain, and what is read back.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs)]

#[path = "../fixture/mod.rs"]
mod fixture;

mod recording;

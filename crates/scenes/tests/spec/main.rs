//! What generated problems, rows and the gallery must be.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs)]

mod audit_steps;
mod families;
mod rows_and_masses;
mod worlds_gallery;

//! What the specification asks for, section by section, and the tables of docs/validation.
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

mod acceptance_contact;
mod acceptance_physics;
mod certificate_names;
mod feature_page;
mod spec_5_10_more_scenes;
mod spec_5_2_constraints;
mod spec_5_5_pipeline;
mod spec_5_7_scenes;
mod spec_5_8_sliding;
mod spec_5_9_bodies;
mod spec_6_frames;
mod step_report;
mod validation_tables;

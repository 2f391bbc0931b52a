//! Bad input, extreme values, damaged bytes: a typed error, or a step that says it is degraded.
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

mod certificate_attacks;
mod faults_bodies;
mod faults_gears;
mod faults_quarantine;
mod faults_shapes;
mod faults_snapshot;
mod faults_solver;
mod robot_files;
mod scene_description;
mod scene_files;
mod scene_urdf;
mod wild_files;

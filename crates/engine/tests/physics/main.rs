//! Physics with answers from paper; the derivation stands beside the number.
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
#[path = "../geometry_fixtures/mod.rs"]
mod geometry_fixtures;

mod gears;
mod geometry_broad_phase;
mod geometry_ellipsoids;
mod geometry_manifolds;
mod geometry_points;
mod geometry_seams;
mod geometry_shapes;
mod geometry_solids;
mod geometry_surfaces;
mod joint_drives;
mod joint_fit;
mod joint_kinds;
mod joint_motion;
mod joint_robot;
mod joint_scenes;
mod joint_swing;
mod kinematic_squeeze;
mod kinematic_targets;
mod long_run;
mod queries;
mod read_out;
mod robot;
mod robot_sensors;
mod scene_impacts;
mod scene_pile;
mod scene_sequential_impacts;
mod step_ccd;
mod step_closing;
mod step_free_motion;
mod step_impacts_turning;
mod step_joints;
mod step_joints_taut;
mod step_joints_touching;
mod step_overlap;
mod step_rest;
mod step_rolling;
mod step_sleeping;
mod world_edits;
mod world_queries;
mod world_rolling;
mod world_rules;
mod world_surfaces;

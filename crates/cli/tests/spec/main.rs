//! What the command prints, writes and shows.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used, missing_docs)]

#[path = "../visitor/mod.rs"]
mod visitor;
#[path = "../workshop/mod.rs"]
mod workshop;

mod audit_command;
mod bench_command;
mod book;
mod command_line;
mod graded_files;
mod run_command;
mod statics_command;
mod view_session;

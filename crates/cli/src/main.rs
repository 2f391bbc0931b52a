//! The program `signorini`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(signorini_cli::command(std::env::args_os()))
}

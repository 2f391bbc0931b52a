//! The `signorini` command: solve contact problems by any method, and let the certificate grade every answer.
//!
//! Exit code: 0 everything asked for was solved, 1 something was not, 2 the input was bad.

#![forbid(unsafe_code)]

mod arguments;
mod audit;
mod error;
mod json;
mod method_list;
mod output;
mod plot;
mod progress;
mod scene_list;
mod solve;
mod source;
mod table;
mod trial;
mod view;

use arguments::{Arguments, Command, SolveArguments};
use clap::Parser;
use output::Output;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A panic is a defect of ours. It is reported as an error like any other, with a defined exit code.
    std::panic::catch_unwind(run).unwrap_or_else(|_| {
        complain("the command broke off; this is a defect, please report it with the command line and the files");
        ExitCode::from(2)
    })
}

fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(message) => {
            // Help and version arrive here too, with exit code 0. A closed pipe is nobody's error.
            let _ = message.print();
            return ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(2));
        }
    };
    let mut output = Output::stdout();
    let result = match arguments.command {
        None => solve::demonstrate(&mut output),
        Some(Command::Solve(SolveArguments { files, scenes, options })) => {
            source::expand(&files, &scenes).and_then(|sources| solve::run(&sources, &options, &mut output))
        }
        Some(Command::Audit(arguments)) => audit::run(&arguments, &mut output),
        Some(Command::Methods) => method_list::print(&mut output),
        Some(Command::Scenes) => scene_list::print(&mut output),
        Some(Command::View(arguments)) => view::run(&arguments, &mut output),
    };
    match result {
        Ok(verdict) => ExitCode::from(verdict.exit_code()),
        Err(error) => {
            complain(&error.to_string());
            ExitCode::from(2)
        }
    }
}

fn complain(message: &str) {
    // If standard error is gone too, nobody is left to tell.
    let _ = writeln!(std::io::stderr(), "error: {message}");
}

//! The `signorini` command: simulate scenes and solve contact problems, and let the certificate grade every answer.
//!
//! Exit code: 0 everything asked for was certified, 1 something was not or came out differently, 2 the input was bad;
//! 130 ended by Ctrl-C.

#![forbid(unsafe_code)]

mod arguments;
mod audit;
mod bench;
mod completions;
mod error;
mod input;
mod interrupt;
mod json;
mod method_list;
mod names;
mod output;
mod plot;
mod problem_list;
mod progress;
mod recertify;
mod recording;
mod replay;
mod run;
mod scene_list;
mod solve;
mod source;
mod statics;
mod table;
mod trial;
mod view;

use arguments::{Arguments, Command, SolveArguments, SolveOptions};
use clap::Parser;
use error::InputError;
use output::Output;
use solve::Verdict;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// Runs the command with these arguments, the first of which is its name, and returns the exit code.
///
/// The program `signorini` is this function; the Python package has it too.
pub fn command(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // A panic is a defect of ours. It is reported as an error like any other, with a defined exit code.
    std::panic::catch_unwind(|| run_command(&arguments)).unwrap_or_else(|_| {
        complain("the command broke off; this is a defect, please report it with the command line and the files");
        2
    })
}

fn run_command(arguments: &[OsString]) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(message) => {
            // Help and version arrive here too, with exit code 0. A closed pipe is no error.
            let _ = message.print();
            return u8::try_from(message.exit_code()).unwrap_or(2);
        }
    };
    // A drawing on standard output must be the only output there.
    let mut output = if arguments.draws_on_standard_output() { Output::stderr() } else { Output::stdout() };
    let result = match arguments.command {
        None => run::demonstrate(&mut output),
        Some(Command::Run(arguments)) => run::run(&arguments, &mut output),
        Some(Command::Audit(arguments)) => audit::run(&arguments, &mut output),
        Some(Command::Statics(arguments)) => statics::run(&arguments, &mut output),
        Some(Command::Bench(arguments)) => bench::run(&arguments, &mut output),
        Some(Command::View(arguments)) => view::run(&arguments, &mut output),
        Some(Command::Replay(arguments)) => replay::replay(&arguments, &mut output),
        Some(Command::Export(arguments)) => replay::export(&arguments, &mut output),
        Some(Command::Scenes(arguments)) => scene_list::print(&arguments, &mut output),
        Some(Command::Solve(SolveArguments { files, scenes, options })) => {
            solve(&files, &scenes, &options, &mut output)
        }
        Some(Command::Problems) => problem_list::print(&mut output),
        Some(Command::Methods) => method_list::print(&mut output),
        Some(Command::Completions { shell }) => completions::print(shell, &mut output),
    };
    match result {
        Ok(verdict) => verdict.exit_code(),
        Err(error) => {
            complain(&error.to_string());
            2
        }
    }
}

/// Without files and scenes, the demonstration, which also says what its table means.
fn solve(
    files: &[PathBuf],
    scenes: &[String],
    options: &SolveOptions,
    output: &mut Output,
) -> Result<Verdict, InputError> {
    let sources = source::expand(files, scenes)?;
    if files.is_empty() && scenes.is_empty() && !options.quiet {
        return solve::demonstrate(&sources, options, output);
    }
    solve::run(&sources, options, output)
}

fn complain(message: &str) {
    // If standard error is closed too, the message is lost.
    let _ = writeln!(std::io::stderr(), "error: {message}");
}

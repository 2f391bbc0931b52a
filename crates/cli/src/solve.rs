//! `signorini solve`: every method on every problem, graded; without files, a demonstration.

use crate::arguments::{MethodChoice, SolveOptions};
use crate::error::InputError;
use crate::output::{Drawing, Output, check_writable};
use crate::progress::Progress;
use crate::source::{self, Source};
use crate::table::{Table, duration};
use crate::trial::{self, Outcome, Recording, Trial};
use crate::{json, plot};
use signorini_problem::io::{FileError, ProblemFile};
use signorini_problem::{ContactProblem, Measure, Tolerance};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Outcome of a command, as the exit code reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything was solved.
    Solved,
    /// Something was not solved.
    Unsolved,
    /// Some input could not be read; the rest was solved or not.
    BadInput,
    /// Ctrl-C ended it early.
    Interrupted,
}

impl Verdict {
    /// 0, 1 or 2; shells use 130 for programs that an interrupt ended.
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Solved => 0,
            Verdict::Unsolved => 1,
            Verdict::BadInput => 2,
            Verdict::Interrupted => 130,
        }
    }
}

/// Solves the built-in problem by every method, and explains the table.
pub fn demonstrate(sources: &[Source], options: &SolveOptions, output: &mut Output) -> Result<Verdict, InputError> {
    check_outputs(options)?;
    output.line(source::BUILT_IN_DESCRIPTION)?;
    output.line("")?;
    let verdict = run(sources, options, output)?;
    output.line("")?;
    output.line(
        "Each answer was graded by the certificate, which recomputes every contact velocity from the problem and the \
         impulses alone; `natural` is the largest error left at any contact.",
    )?;
    output.line(
        "Rows marked unsolved are methods that ran out of iterations or solve an approximate friction law: the table \
         says by how much they miss the true one.",
    )?;
    output.line("")?;
    output.line(
        "Next: signorini solve --scene wall3x3 --plot residuals.svg; signorini methods; signorini solve --help",
    )?;
    Ok(verdict)
}

fn check_outputs(options: &SolveOptions) -> Result<(), InputError> {
    options.json.iter().try_for_each(|path| check_writable(path))?;
    options.plot.iter().try_for_each(Drawing::check)
}

/// Solves all problems by the methods chosen.
pub fn run(sources: &[Source], options: &SolveOptions, output: &mut Output) -> Result<Verdict, InputError> {
    check_outputs(options)?;
    if let Some(directory) = &options.dump_degraded {
        fs::create_dir_all(directory).map_err(|cause| InputError::Unwritable { path: directory.to_owned(), cause })?;
    }
    let (methods, stop) = (options.method.methods(), options.stopping_rule());
    let recording = if options.plot.is_some() { Recording::On } else { Recording::Off };
    let table = Table::new(sources, methods);
    let progress = Progress::new(sources.len() * methods.len(), options.quiet);
    if !options.quiet {
        for line in table.header() {
            output.line(&line)?;
        }
    }
    let (mut trials, mut unreadable) = (Vec::new(), 0);
    for source in sources {
        let problem = match source.load() {
            Ok(problem) => problem,
            Err(error) => {
                // One bad file must not suppress the answers for the others.
                unreadable += 1;
                progress.beside(|| writeln!(io::stderr(), "error: {error}")).ok();
                progress.advance(methods.len());
                continue;
            }
        };
        let first = trials.len();
        for method in methods {
            progress.begin(source.name(), method.name());
            let trial = Trial {
                problem: source.name().to_owned(),
                blocks: problem.blocks().len(),
                rows: problem.rows(),
                method: *method,
                outcome: trial::run(&problem, *method, &stop, recording),
            };
            if !options.quiet {
                progress.beside(|| output.line(&table.row(&trial)))?;
            }
            progress.advance(1);
            trials.push(trial);
        }
        if let Some(directory) = &options.dump_degraded
            && let Some(why) = degraded(&trials[first..])
        {
            dump(directory, source.name(), &problem, &why)?;
        }
    }
    progress.finish();
    if let Some(path) = &options.json {
        json::write(path, &trials, &stop.tolerance)?;
    }
    if let Some(drawing) = &options.plot {
        drawing.write(&plot::draw(&trials, &stop.tolerance))?;
    }
    if !options.quiet {
        output.line("")?;
        output.line(&summary(&trials, &stop.tolerance))?;
    }
    Ok(if unreadable > 0 { Verdict::BadInput } else { verdict(&trials, &options.method) })
}

/// Names the methods that left a problem unsolved or broke off, with their residuals; empty if none did.
fn degraded(trials: &[Trial]) -> Option<String> {
    let of = |trial: &Trial| match &trial.outcome {
        Outcome::Graded(graded) if !trial.outcome.is_solved() => {
            Some(format!("{}: natural {:e} m/s", trial.method, graded.solution.certificate.natural))
        }
        Outcome::Crashed(why) => Some(format!("{}: {why}", trial.method)),
        Outcome::Graded(_) | Outcome::Refused(_) => None,
    };
    let found: Vec<String> = trials.iter().filter_map(of).collect();
    (!found.is_empty()).then(|| found.join("; "))
}

/// Writes the problem to a file named after its source, and the reason to standard error.
fn dump(directory: &Path, name: &str, problem: &ContactProblem, why: &str) -> Result<(), InputError> {
    // The name of a source may be a path.
    let name: String = name.chars().map(|c| if c == '/' || c == '\\' { '_' } else { c }).collect();
    let path = directory.join(format!("{name}.fcp"));
    ProblemFile::from_problem(problem, &name).write(&path).map_err(|error| match error {
        FileError::Io { source, .. } => InputError::Unwritable { path: path.clone(), cause: source },
        other => InputError::Unwritable { path: path.clone(), cause: io::Error::other(other.to_string()) },
    })?;
    writeln!(io::stderr(), "{}: {why}", path.display()).map_err(InputError::Stdout)
}

/// With named methods every row counts; in a comparison of all methods a problem is solved if any method solved it.
fn verdict(trials: &[Trial], choice: &MethodChoice) -> Verdict {
    let solved = match choice {
        MethodChoice::Named(_) => trials.iter().all(|trial| trial.outcome.is_solved()),
        MethodChoice::All => {
            let crashed = trials.iter().any(|trial| matches!(trial.outcome, Outcome::Crashed(_)));
            !crashed && by_problem(trials).all(|rows| rows.iter().any(|trial| trial.outcome.is_solved()))
        }
    };
    if solved { Verdict::Solved } else { Verdict::Unsolved }
}

/// The rows of each problem; they are consecutive.
pub fn by_problem(trials: &[Trial]) -> impl Iterator<Item = &[Trial]> {
    trials.chunk_by(|a, b| a.problem == b.problem)
}

fn summary(trials: &[Trial], tolerance: &Tolerance) -> String {
    let count = |status: &str| trials.iter().filter(|trial| trial.outcome.status() == status).count();
    let bound = match tolerance.measure {
        Measure::Velocity => format!("natural ≤ {:e}·max(1, |q|) m/s", tolerance.value),
        Measure::Relative => format!("natural_rel ≤ {0:e} and fclib ≤ {0:e}", tolerance.value),
    };
    let mut text = format!("{} of {} solved to {bound}", count("solved"), trials.len());
    for status in ["unsolved", "refused", "crashed"] {
        if count(status) > 0 {
            text += &format!(", {} {status}", count(status));
        }
    }
    if by_problem(trials).count() == 1 {
        let fastest = trials
            .iter()
            .filter_map(|trial| match &trial.outcome {
                Outcome::Graded(graded) if trial.outcome.is_solved() => Some((graded.seconds, trial.method)),
                _ => None,
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((seconds, method)) = fastest {
            text += &format!("; fastest: {method}, {}", duration(seconds));
        }
    }
    text + "."
}

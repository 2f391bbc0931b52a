//! What may be written on the command line.

use crate::audit::AuditArguments;
use crate::view::ViewArguments;
use clap::{Args, Parser, Subcommand, ValueEnum};
use signorini_problem::{Measure, Tolerance};
use signorini_solvers::{Method, StoppingRule, UnknownMethod};
use std::path::PathBuf;
use std::str::FromStr;

/// Solve frictional contact problems and prove that they are solved.
///
/// Without arguments, a built-in problem is solved by every method.
#[derive(Debug, Parser)]
#[command(name = "signorini", version, after_help = EXIT_CODES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXIT_CODES: &str = "Exit code: 0 all solved, 1 some not solved, 2 bad input.";

const SOLVE_NOTES: &str = "\
Grading: the status of a row is the word of the certificate, recomputed from the problem and the impulses alone; no \
method grades itself. Methods of an approximate friction law are graded on the true law like every other.

Time: a run covers the method from zero impulses and the certificate. It is repeated while the runs sum to less than \
0.2 s, at most 21 times, and the median is reported; buffers are kept from run to run.

Exit code: 0 all solved, 1 some not solved, 2 bad input. With named methods, every method must solve every problem. \
With 'all', every problem must be solved by at least one method, and a method that refuses a problem is not a failure.";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Solve problems by one or more methods and print a graded table.
    #[command(after_help = SOLVE_NOTES)]
    Solve(SolveArguments),
    /// Grade steps that any engine took: velocities, contacts and impulses before the judge.
    Audit(AuditArguments),
    /// List the methods, one line each.
    Methods,
    /// List the generated problems, one line each.
    Scenes,
    /// Simulate a scene, or play a recording, and show it in the browser.
    View(ViewArguments),
}

/// Arguments of `signorini solve`.
#[derive(Debug, Args)]
pub struct SolveArguments {
    /// Problem files; a directory means the .fcp files in it, in order of name. Neither file nor scene: the
    /// built-in problem.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Generated problems by name, or 'small', 'medium', 'large' for all of that size; `signorini scenes` lists them.
    #[arg(long = "scene", value_name = "NAME[,NAME]", value_delimiter = ',')]
    pub scenes: Vec<String>,
    /// How to solve them.
    #[command(flatten)]
    pub options: SolveOptions,
}

/// Options of `signorini solve`.
#[derive(Clone, Debug, Args)]
pub struct SolveOptions {
    /// 'all', or names separated by commas; `signorini methods` lists them.
    #[arg(long, value_name = "NAME[,NAME]", default_value = "all")]
    pub method: MethodChoice,
    /// What counts as solved.
    #[arg(long, value_name = "NUMBER", default_value = "1e-10", value_parser = parse_tolerance, allow_hyphen_values = true)]
    pub tolerance: f64,
    /// What the tolerance bounds.
    #[arg(long, value_enum, default_value_t = MeasureName::Velocity)]
    pub measure: MeasureName,
    /// Most iterations of each method, in its own unit: sweeps, pivots, Newton steps. Not given: the method's default.
    #[arg(long, value_name = "N", value_parser = parse_iterations, allow_hyphen_values = true)]
    pub max_iterations: Option<usize>,
    /// Write every answer, with its certificate and impulses, as a JSON list.
    #[arg(long, value_name = "OUT.json")]
    pub json: Option<PathBuf>,
    /// Draw residual against time, one panel per problem and one curve per method.
    #[arg(long, value_name = "OUT.svg")]
    pub plot: Option<PathBuf>,
    /// No table and no progress: only the exit code, the files asked for, and errors.
    #[arg(long)]
    pub quiet: bool,
}

impl Default for SolveOptions {
    fn default() -> Self {
        SolveOptions {
            method: MethodChoice::All,
            tolerance: 1e-10,
            measure: MeasureName::Velocity,
            max_iterations: None,
            json: None,
            plot: None,
            quiet: false,
        }
    }
}

impl SolveOptions {
    /// The rule given to every method.
    pub fn stopping_rule(&self) -> StoppingRule {
        let measure = match self.measure {
            MeasureName::Velocity => Measure::Velocity,
            MeasureName::Relative => Measure::Relative,
        };
        StoppingRule { tolerance: Tolerance { value: self.tolerance, measure }, max_iterations: self.max_iterations }
    }
}

/// The measures by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MeasureName {
    /// natural ≤ tolerance · max(1, |q|) in m/s, and the normal part ≤ twice that.
    Velocity,
    /// natural_rel ≤ tolerance and fclib ≤ tolerance, without unit.
    Relative,
}

/// Which methods to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MethodChoice {
    /// Every method there is, for comparison.
    All,
    /// These, each of which must succeed.
    Named(Vec<Method>),
}

impl MethodChoice {
    /// The methods, in the order of the table.
    pub fn methods(&self) -> &[Method] {
        match self {
            MethodChoice::All => Method::ALL,
            MethodChoice::Named(methods) => methods,
        }
    }
}

impl FromStr for MethodChoice {
    type Err = UnknownMethod;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut methods = Vec::new();
        for name in text.split(',').map(str::trim) {
            if name == "all" {
                return Ok(MethodChoice::All);
            }
            let method = name.parse()?;
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        Ok(MethodChoice::Named(methods))
    }
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("a tolerance is a finite number above zero, such as 1e-10".to_owned()),
    }
}

fn parse_iterations(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(value) if value > 0 => Ok(value),
        _ => Err("a number of iterations is a whole number above zero, such as 1000".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn defaults_of_the_command_line_and_of_rust_agree() {
        let Arguments { command: Some(Command::Solve(solve)) } =
            Arguments::try_parse_from(["signorini", "solve"]).unwrap()
        else {
            unreachable!()
        };
        let default = SolveOptions::default();
        assert!(solve.files.is_empty());
        assert_eq!(solve.options.method, default.method);
        assert_eq!(solve.options.stopping_rule(), default.stopping_rule());
        assert_eq!((solve.options.json, solve.options.plot, solve.options.quiet), (None, None, false));
    }

    #[test]
    fn a_method_named_twice_runs_once_and_all_absorbs_names() {
        for method in Method::ALL {
            let name = method.name();
            assert_eq!(format!("{name}, {name}").parse(), Ok(MethodChoice::Named(vec![*method])));
            assert_eq!(format!("{name},all").parse(), Ok(MethodChoice::All));
        }
        assert_eq!("".parse::<MethodChoice>(), Err(UnknownMethod(String::new())));
    }

    #[test]
    fn the_definition_of_the_command_line_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }
}

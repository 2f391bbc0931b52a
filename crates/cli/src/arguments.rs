//! The command-line arguments.

use crate::audit::AuditArguments;
use crate::bench::BenchArguments;
use crate::names;
use crate::output::Drawing;
use crate::statics::StaticsArguments;
use crate::view::ViewArguments;
use clap::{Args, Parser, Subcommand, ValueEnum};
use signorini::scene::BudgetDescription;
use signorini_problem::{Measure, Tolerance};
use signorini_solvers::{Method, StoppingRule, UnknownMethod};
use std::path::PathBuf;
use std::str::FromStr;

/// Simulate rigid bodies with contact and friction, and prove that every step is solved.
///
/// Without arguments, the built-in demonstration is run.
#[derive(Debug, Parser)]
#[command(name = "signorini", version, after_help = OVERVIEW)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Arguments {
    /// Whether standard output is taken by a drawing.
    pub fn draws_on_standard_output(&self) -> bool {
        let plot = match &self.command {
            Some(Command::Run(run)) => run.plot.as_ref(),
            Some(Command::Solve(solve)) => solve.options.plot.as_ref(),
            _ => None,
        };
        plot == Some(&Drawing::Standard)
    }
}

const OVERVIEW: &str = "\
Examples:
  signorini                                    run the demonstration and report
  signorini run tower.toml --record tower.mcap run a scene file and record it
  signorini replay tower.mcap --check          run the recording again, bit for bit
  signorini view demo                          see it in a browser
  signorini solve                              every method on one contact problem

Exit code: 0 all certified, 1 something degraded, unsolved or different, 2 bad input.";

const RUN_NOTES: &str = "\
Examples:
  signorini run demo
  signorini run tower.toml --steps 600 --record tower.mcap --contacts
  signorini run demo --method nsgs --tolerance 1e-6 --plot demo.svg
  signorini run demo --report json | jq .worst_residual

The report counts the steps whose certificate meets the tolerance, names the largest error left at any contact with its \
step and bodies, and says where the energy and the time went. Same scene, same bits, whatever the number of threads.

Ctrl-C ends the run after the step it is in: report, drawing and recording cover what was simulated. A second one ends it \
at once.

Exit code: 0 every step certified, 1 some degraded or the simulation broke off, 2 bad input or an incomplete recording, \
130 ended by Ctrl-C.";

const REPLAY_NOTES: &str = "\
Examples:
  signorini replay tower.mcap
  signorini replay tower.mcap --check
  signorini replay tower.mcap --certify

Without --check and --certify, the recorded reports are summed up. --certify takes no step: from the states, contacts \
and impulses in the file it measures overlap, joints, momentum, energy and the laws of contact again, and says what the \
file lacks for a check. Record with --contacts for all of them. Recordings that are still being written, were cut off or are \
damaged in the middle give what is whole.

Exit code: 0 every step certified, the same bit for bit, or no certified step refuted; 1 some degraded, different or \
refuted; 2 not a recording, or damaged in the middle.";

const SCENES_NOTES: &str = "\
Examples:
  signorini scenes
  signorini scenes demo > mine.toml            a scene of your own to begin with
  signorini scenes robot.urdf > robot.toml     a robot as a scene file, to put it into its surroundings";

const EXPORT_NOTES: &str = "\
Example:
  signorini export tower.mcap --csv tables     bodies.csv, steps.csv and, if recorded, contacts.csv
  signorini export cut.mcap --mcap whole.mcap  what is whole of a recording that was cut off, for other MCAP tools";

const COMPLETIONS_NOTES: &str = "\
Example:
  signorini completions bash > ~/.local/share/bash-completion/completions/signorini";

const SOLVE_NOTES: &str = "\
Examples:
  signorini solve                              the built-in problem by every method
  signorini solve problem.fcp --method exact,nsgs
  signorini solve --scene wall3x3 --plot residuals.svg

Grading: the status of a row is the word of the certificate, recomputed from the problem and the impulses alone; no \
method grades itself. Methods of an approximate friction law are graded on the true law like every other.

Time: a run covers the method from zero impulses and the certificate. It is repeated while the runs sum to less than \
0.2 s, at most 21 times, and the median is reported; buffers are kept from run to run.

Exit code: 0 all solved, 1 some not solved, 2 bad input. With named methods, every method must solve every problem. \
With 'all', every problem must be solved by at least one method, and a method that refuses a problem is not a failure.";

const STATICS_NOTES: &str = "\
Examples:
  signorini statics arch --plot arch.svg
  signorini statics table.toml --per point
  signorini statics tower.toml --load 'top=1,0,0'      how many newtons push the top over, or let it slide

Contacts and joints share a load in many ways. The table gives, for every contact, the least and greatest force over all of \
them; every answer is checked on its primal and dual side. Nothing moves, except in the --steps taken before.

Exit code: 0 the bodies can rest, 1 they cannot, 2 bad input or not resolved.";

const BENCH_NOTES: &str = "\
Examples:
  signorini bench                              a few built-in scenes by the methods for scenes of any size
  signorini bench tower.toml --method exact,nsgs --tolerance 1e-3,1e-6,1e-9
  signorini bench --work-precision plots       also one drawing per scene, a summary and a table
  signorini bench --json > mine.jsonl          one line per number, which --with reads again

Time is wall time of the stages of a step, on one thread unless --threads says otherwise; interleaved rounds visit all \
methods before the next begins. The residual is the certificate's, of the worst step. The departure is the largest over \
the answers from paper of a built-in scene, relative where an answer is above one; scenes from files have none.

Exit code: 0 measured, whatever came out; 2 bad input.";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene to its end and report.
    #[command(after_help = RUN_NOTES)]
    Run(RunArguments),
    /// Simulate a scene, or play a recording, and show it in the browser.
    View(ViewArguments),
    /// Say what is in a recording, or run it again and compare.
    #[command(after_help = REPLAY_NOTES)]
    Replay(ReplayArguments),
    /// Write a recording as tables, or whole again.
    #[command(after_help = EXPORT_NOTES)]
    Export(ExportArguments),
    /// List the built-in scenes, or write one out.
    #[command(after_help = SCENES_NOTES)]
    Scenes(ScenesArguments),
    /// Solve problems by one or more methods and print a graded table.
    #[command(after_help = SOLVE_NOTES)]
    Solve(SolveArguments),
    /// List the generated contact problems, one line each.
    Problems,
    /// Grade steps that any engine took: velocities, contacts and impulses before the judge.
    Audit(AuditArguments),
    /// Say whether a scene can rest where it is, how safely, and which contact forces are possible.
    #[command(after_help = STATICS_NOTES)]
    Statics(StaticsArguments),
    /// Measure methods on whole scenes: time per step, residual, departure from the answer on paper.
    #[command(after_help = BENCH_NOTES)]
    Bench(BenchArguments),
    /// List the methods, one line each.
    Methods,
    /// Print the completions for a shell.
    #[command(after_help = COMPLETIONS_NOTES)]
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Arguments of `signorini run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Name of a built-in scene (`signorini scenes` lists them), or a scene file ending in .toml, .json, .urdf or .xml (MJCF).
    #[arg(value_parser = names::scenes(), hide_possible_values = true)]
    pub scene: String,
    /// Number of steps. Not given: as the scene says.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub steps: Option<u64>,
    /// Time to simulate [s]. Not given: as the scene says.
    #[arg(long, value_name = "SECONDS", conflicts_with = "steps", value_parser = parse_time, allow_hyphen_values = true)]
    pub time: Option<f64>,
    /// How contact is solved; `signorini methods` lists them. Not given: as the scene says.
    #[arg(long, value_name = "NAME", value_parser = names::methods(), hide_possible_values = true)]
    pub method: Option<Method>,
    /// Most iterations of the method in a step, in its own unit: sweeps, pivots, Newton steps. Not given: as the scene says.
    #[arg(long, value_name = "N", value_parser = parse_iterations, allow_hyphen_values = true)]
    pub iterations: Option<usize>,
    /// Residual that is aimed at while that is cheap [m/s]. Not given: as the scene says.
    #[arg(long, value_name = "NUMBER", value_parser = parse_tolerance, allow_hyphen_values = true)]
    pub tolerance: Option<f64>,
    /// Largest residual of a certified step [m/s]. Not given: as the scene says.
    #[arg(long, value_name = "NUMBER", value_parser = parse_tolerance, allow_hyphen_values = true)]
    pub accept: Option<f64>,
    /// Most work per group of touching bodies and step: a number of factorizations, or real-time, balanced, thorough,
    /// unlimited. Not given: as the scene says.
    #[arg(long, value_name = "BUDGET")]
    pub budget: Option<BudgetDescription>,
    /// Record every step; the file can be read while it is written.
    #[arg(long, value_name = "OUT.mcap")]
    pub record: Option<PathBuf>,
    /// Replace a recording that is already there.
    #[arg(long, requires = "record")]
    pub force: bool,
    /// Record contacts too.
    #[arg(long, requires = "record")]
    pub contacts: bool,
    /// Number of threads. Not given: one per processor. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = parse_threads, allow_hyphen_values = true)]
    pub threads: Option<usize>,
    /// How the closing report is written.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub report: ReportFormat,
    /// Draw residual and energy against time, as SVG; - is standard output, and then the report goes to standard error.
    #[arg(long, value_name = "OUT.svg|-", value_parser = parse_drawing, allow_hyphen_values = true)]
    pub plot: Option<Drawing>,
}

impl RunArguments {
    /// A scene as it is.
    pub fn of(scene: &str) -> Self {
        RunArguments {
            scene: scene.to_owned(),
            steps: None,
            time: None,
            method: None,
            iterations: None,
            tolerance: None,
            accept: None,
            budget: None,
            record: None,
            force: false,
            contacts: false,
            threads: None,
            report: ReportFormat::Text,
            plot: None,
        }
    }
}

/// Arguments of `signorini replay`.
#[derive(Debug, Args)]
pub struct ReplayArguments {
    /// The recording.
    pub file: PathBuf,
    /// Run it again and name the first step that differs in any bit.
    #[arg(long)]
    pub check: bool,
    /// Certify every step again from the file alone, without taking a step.
    #[arg(long, conflicts_with = "check")]
    pub certify: bool,
    /// How the report is written.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, conflicts_with = "check")]
    pub report: ReportFormat,
}

/// Arguments of `signorini export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The recording.
    pub file: PathBuf,
    /// Folder for tables.
    #[arg(long, value_name = "DIR", required_unless_present = "mcap")]
    pub csv: Option<PathBuf>,
    /// A whole recording of what can be read of one that was cut off or damaged, with the index that other tools look for.
    #[arg(long, value_name = "OUT.mcap")]
    pub mcap: Option<PathBuf>,
}

/// Arguments of `signorini scenes`.
#[derive(Debug, Args)]
pub struct ScenesArguments {
    /// Write out this scene, or scene file, instead of the list.
    #[arg(value_parser = names::scenes(), hide_possible_values = true)]
    pub name: Option<String>,
    /// JSON in place of text or TOML.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `signorini solve`.
#[derive(Debug, Args)]
pub struct SolveArguments {
    /// Problem files; a directory means the .fcp files in it, in order of name. Neither file nor scene: the
    /// built-in problem.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Generated problems by name, or 'small', 'medium', 'large' for all of that size; `signorini problems` lists them.
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
    #[arg(long, value_name = "NAME[,NAME]", default_value = "all", value_parser = names::method_choices(), hide_possible_values = true)]
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
    /// Draw residual against time, as SVG, one panel per problem and one curve per method; - is standard output, and then
    /// the table goes to standard error.
    #[arg(long, value_name = "OUT.svg|-", value_parser = parse_drawing, allow_hyphen_values = true)]
    pub plot: Option<Drawing>,
    /// Write every problem that a method left unsolved, as the problem file that reproduces it, into this directory.
    #[arg(long, value_name = "DIR")]
    pub dump_degraded: Option<PathBuf>,
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
            dump_degraded: None,
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

pub(crate) fn parse_tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("a tolerance is a finite number above zero, such as 1e-10".to_owned()),
    }
}

pub(crate) fn parse_time(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("a time is a number of seconds above zero, such as 2.5".to_owned()),
    }
}

pub(crate) fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(value) if (1..=1024).contains(&value) => Ok(value),
        _ => Err("a number of threads is between 1 and 1024".to_owned()),
    }
}

fn parse_drawing(text: &str) -> Result<Drawing, String> {
    if text == "-" {
        return Ok(Drawing::Standard);
    }
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("svg") => Ok(Drawing::File(path)),
        _ => Err("drawings are SVG: give a name that ends in .svg, or - for standard output".to_owned()),
    }
}

pub(crate) fn parse_iterations(text: &str) -> Result<usize, String> {
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
        assert_eq!(solve.options.dump_degraded, None);
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

//! `signorini bench`: runs methods on whole scenes, and draws time against precision, together with measurements of
//! other engines if given.

mod lines;
mod page;
mod trial;

pub use lines::Point;

use crate::arguments::{parse_threads, parse_time, parse_tolerance};
use crate::error::InputError;
use crate::names;
use crate::output::Output;
use crate::progress::Progress;
use crate::scene_list;
use crate::solve::Verdict;
use crate::table::duration;
use clap::Args;
use signorini::{Method, Scene};
use signorini_scenes::lines::Line;
use signorini_scenes::worlds::RunError;
use std::path::{Path, PathBuf};
use trial::Trial;

/// Scenes that are measured by default: rest, friction, impact, rotation, joints, and many contacts.
const SCENES: [&str; 10] = [
    "stack",
    "heavy_on_light",
    "incline_stick",
    "sliding_oblique",
    "bounce_half",
    "elastic_swap",
    "torque_free_top",
    "pendulum",
    "card_house",
    "wall",
];

/// Methods that treat scenes of any size.
const METHODS: [Method; 5] = [Method::Exact, Method::InteriorPoint, Method::Nsgs, Method::BlockPgs, Method::Pgs];

/// Arguments of `signorini bench`.
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// Built-in scenes (`signorini scenes` lists them; `all` is all of them) or scene files. None: a few built-in ones,
    /// or, with --with, only what is in those files.
    #[arg(value_name = "SCENE", value_parser = names::scenes(), hide_possible_values = true)]
    pub scenes: Vec<String>,
    /// Which methods; `signorini methods` lists them. Some take minutes for a step with hundreds of contacts.
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', value_parser = names::methods(), hide_possible_values = true)]
    pub method: Vec<Method>,
    /// What counts as solved [m/s]; several draw a curve. Not given: as the scene says.
    #[arg(long, value_name = "NUMBER[,NUMBER]", value_delimiter = ',', value_parser = parse_tolerance)]
    pub tolerance: Vec<f64>,
    /// Number of steps. Not given: as the scene says. A scene cut short is not held against its answers.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub steps: Option<u64>,
    /// Interleaved rounds; times are medians over them.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub rounds: u64,
    /// Most time [s] that the steps of one scene by one method may take in a round; looked at after every step.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = parse_time)]
    pub budget: f64,
    /// Number of threads.
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_threads)]
    pub threads: usize,
    /// Print one JSON line per number in place of the table.
    #[arg(long)]
    pub json: bool,
    /// Write one drawing per scene, README.md with a summary, and work_precision.csv into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub work_precision: Option<PathBuf>,
    /// Add the numbers in these files, of other engines or of other runs, to drawings, summary and table.
    #[arg(long, value_name = "FILE.jsonl")]
    pub with: Vec<PathBuf>,
}

/// Measures, prints, draws.
pub fn run(arguments: &BenchArguments, output: &mut Output) -> Result<Verdict, InputError> {
    // Errors of the input are found before anything is measured.
    let mut foreign = Vec::new();
    for path in &arguments.with {
        foreign.extend(lines::read(path)?);
    }
    let scenes = scenes(arguments)?;
    if let Some(folder) = &arguments.work_precision {
        make(folder)?;
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads)
        .build_global()
        .map_err(|why| InputError::Threads(why.to_string()))?;
    let methods = if arguments.method.is_empty() { &METHODS[..] } else { &arguments.method };
    let rounds = arguments.rounds as usize;
    let progress = Progress::new(scenes.len() * methods.len() * rounds * arguments.tolerance.len().max(1), false);
    if !arguments.json && !scenes.is_empty() {
        output.line(&header())?;
    }
    let mut measured: Vec<Line> = Vec::new();
    for scene in &scenes {
        let variants = variants(scene, methods, &arguments.tolerance);
        let mut trials: Vec<Trial> = Vec::with_capacity(variants.len());
        for round in 0..rounds {
            for (index, (settings, variant)) in variants.iter().enumerate() {
                progress.begin(&scene.name, settings);
                let trial = trial::run(variant, settings, arguments.budget).map_err(|error| match error {
                    RunError::Scene(why) => InputError::Scene(why),
                    RunError::Step { step, source } => InputError::Step { step, why: source },
                    other => InputError::BadLines { path: PathBuf::from(&scene.name), why: other.to_string() },
                })?;
                progress.advance(1);
                if round == 0 {
                    trials.push(trial);
                } else {
                    trials[index].seconds.extend(trial.seconds);
                }
            }
        }
        for trial in &trials {
            if arguments.json {
                for line in trial.lines() {
                    let text = serde_json::to_string(&line).unwrap_or_default();
                    progress.beside(|| output.line(&text))?;
                }
            } else {
                progress.beside(|| output.line(&row(trial)))?;
            }
            measured.extend(trial.lines());
        }
    }
    progress.finish();
    if let Some(folder) = &arguments.work_precision {
        measured.extend(foreign);
        let points = lines::points(&measured);
        let drawn = page::write(folder, &points)?;
        if !arguments.json {
            output.line(&format!("{drawn} drawings, README.md and work_precision.csv in {}", folder.display()))?;
        }
    }
    Ok(Verdict::Solved)
}

fn make(folder: &Path) -> Result<(), InputError> {
    std::fs::create_dir_all(folder).map_err(|cause| InputError::Unwritable { path: folder.to_owned(), cause })
}

fn scenes(arguments: &BenchArguments) -> Result<Vec<Scene>, InputError> {
    let built_in = || signorini_scenes::worlds::all().iter().map(|scene| scene.name.to_owned());
    let names: Vec<String> = match arguments.scenes.as_slice() {
        [] if !arguments.with.is_empty() => Vec::new(),
        [] => SCENES.map(str::to_owned).to_vec(),
        [all] if all == "all" => built_in().collect(),
        names => names.to_vec(),
    };
    names
        .iter()
        .map(|name| {
            let mut scene = scene_list::find(name)?;
            if scene.name.is_empty() {
                scene.name = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            }
            if let Some(steps) = arguments.steps {
                scene.duration = steps as f64 * scene.step;
            }
            Ok(scene)
        })
        .collect()
}

/// The scene with every method and tolerance, and a name for each.
fn variants(scene: &Scene, methods: &[Method], given: &[f64]) -> Vec<(String, Scene)> {
    let own = [scene.solver.tolerance];
    let tolerances = if given.is_empty() { &own } else { given };
    let mut variants = Vec::new();
    for method in methods {
        for tolerance in tolerances {
            let mut variant = scene.clone();
            if method.name() != scene.solver.method {
                // Iteration limits of one method make no sense for another.
                variant.solver.max_iterations = None;
            }
            variant.solver.method = method.name().to_owned();
            variant.solver.tolerance = *tolerance;
            if !given.is_empty() {
                // A curve of work against precision has one tolerance, which is also the bound of a certified step.
                variant.solver.accept = *tolerance;
            }
            let many = tolerances.len() > 1;
            let name = if many { format!("{} {tolerance:e}", method.name()) } else { method.name().to_owned() };
            variants.push((name, variant));
        }
    }
    variants
}

const WIDTH: usize = 24;

fn header() -> String {
    format!(
        "{:<WIDTH$}  {:<18}  {:>9}  {:>6}  {:>9}  {:>9}  {:>12}  {:>8}  {:>9}",
        "scene", "method", "tolerance", "steps", "per step", "longest", "residual m/s", "degraded", "departure"
    )
}

fn row(trial: &Trial) -> String {
    let departure = match trial.departure {
        Some((value, true)) => format!("{value:.1e}"),
        Some((value, false)) => format!("{value:.1e} !"),
        None => "-".to_owned(),
    };
    let stopped = trial.stopped.as_ref().map_or(String::new(), |why| format!("  {why}"));
    format!(
        "{:<WIDTH$}  {:<18}  {:>9}  {:>6}  {:>9}  {:>9}  {:>12}  {:>8}  {:>9}{stopped}",
        trial.scene,
        trial.method,
        format!("{:.0e}", trial.tolerance),
        trial.steps,
        duration(trial.time()),
        duration(trial.longest),
        format!("{:.1e}", trial.residual),
        trial.degraded,
        departure
    )
}

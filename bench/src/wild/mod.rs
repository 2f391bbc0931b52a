//! Scenes from outside, in the project's own format: every file of a folder, measured from its poses.
//!
//! | file | what it does |
//! |---|---|
//! | `run.rs` | steps a file in our engine and in rapier, in turns |
//! | `watch.rs` | overlap, joint gaps and energy of every step |
//! | `overlap.rs`, `shapes.rs` | depth of two shapes by parry, not by the manifolds of the engine |
//! | `row.rs` | the table |
//! | `page.rs` | the page from the table |
//! | `growth.rs` | cost against the number of bodies and of threads |
//! | `generate/` | fresh scenes from a seed |

mod generate;
mod growth;
mod overlap;
mod page;
mod rapier;
mod row;
mod run;
mod shapes;
mod watch;

pub use generate::{GROWING, GenerateArguments, write as generate};
pub use growth::{GrowthArguments, run as grow};
pub use page::{PageArguments, write as write_page};

use crate::BenchError;
use crate::record::Machine;
use row::{COLUMNS, Row};
use run::Limits;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `wild`.
#[derive(clap::Args)]
pub struct WildArguments {
    /// Folder of scene files, TOML and JSON.
    #[arg(default_value = "../shared/wild")]
    folder: PathBuf,
    /// Only files whose name contains one of these, separated by commas.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Most steps of a file.
    #[arg(long)]
    steps: Option<usize>,
    /// A file is cut once its steps have asked for so many factorizations.
    #[arg(long, default_value_t = 40_000)]
    factorizations: usize,
    /// Without rapier beside.
    #[arg(long)]
    alone: bool,
    /// The table goes here, line by line as it is measured.
    #[arg(long)]
    csv: Option<PathBuf>,
}

/// Runs a folder.
pub fn run(arguments: &WildArguments) -> Result<(), BenchError> {
    let folder = &arguments.folder;
    if !folder.is_dir() {
        println!("{} is not there: nothing to run", folder.display());
        return Ok(());
    }
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: std::io::Error| BenchError::Input { path: path.clone(), what: error.to_string() }
    };
    let entries = fs::read_dir(folder).map_err(failed(folder))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "json" || e == "toml"));
    paths.retain(|path| arguments.only.is_empty() || arguments.only.iter().any(|part| name_of(path).contains(part)));
    paths.sort();
    let mut table = None;
    if let Some(path) = &arguments.csv {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed(parent))?;
        }
        let mut file = File::create(path).map_err(failed(path))?;
        let machine = Machine::look(1);
        let head = format!("# {}, commit {}\n{}", machine.processor, machine.commit, COLUMNS.join(","));
        writeln!(file, "{head}").map_err(failed(path))?;
        table = Some((file, path));
    }
    let limits = Limits { steps: arguments.steps, factorizations: arguments.factorizations, rapier: !arguments.alone };
    // One thread of our own: what a step shares out, it shares with nobody.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(64 << 20).build();
    let pool = pool.map_err(BenchError::engine)?;
    // A panic is a result here, and one line of it is enough.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        eprintln!("panic at {place}");
    }));
    println!("{}", heading());
    for path in &paths {
        print!("{:<22} ", name_of(path));
        let _ = std::io::stdout().flush();
        let row = pool.install(|| run::run(path, &name_of(path), &limits));
        println!("{}", line(&row));
        if let Some((file, path)) = &mut table {
            writeln!(file, "{}", row.csv()).map_err(failed(path))?;
        }
    }
    Ok(())
}

fn name_of(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn heading() -> String {
    format!(
        "{:<22} {:>5} {:>4} {:>8} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7} {:>5} {:>5} {:>6} {:>6} {:>6} {:>6}  ended; where",
        "scene",
        "steps",
        "deg",
        "residual",
        "mm deep",
        "joint m",
        "rise J",
        "change J",
        "ms p50",
        "p99",
        "max",
        "F p50",
        "p99",
        "max",
        "ratio",
        "moving",
        "rest"
    )
}

/// The line of progress of a scene, after its name.
fn line(row: &Row) -> String {
    let short = |column: &str, scale: f64| row.value(column).map_or("-".to_owned(), |value| brief(scale * value));
    format!(
        "{:>5} {:>4} {:>8} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7} {:>5} {:>5} {:>6} {:>6} {:>6} {:>6}  {}; {}; {}",
        row.text("steps"),
        row.text("degraded"),
        short("residual_m_per_s", 1.0),
        short("overlap_m", 1e3),
        short("joint_gap_m", 1.0),
        short("energy_rise_J", 1.0),
        short("energy_change_J", 1.0),
        short("ms_p50", 1.0),
        short("ms_p99", 1.0),
        short("ms_max", 1.0),
        short("factorizations_p50", 1.0),
        short("factorizations_p99", 1.0),
        short("factorizations_max", 1.0),
        short("ratio", 1.0),
        short("ratio_moving", 1.0),
        short("ratio_settled", 1.0),
        row.text("ended"),
        row.text("overlap_where"),
        row.text("joint_gap_where"),
    )
}

/// Three digits.
pub fn brief(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !(1e-2..1e5).contains(&size) => format!("{value:.1e}"),
        size if size < 1.0 => format!("{value:.3}"),
        size if size < 10.0 => format!("{value:.2}"),
        size if size < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

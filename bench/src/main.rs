//! Signorini beside other engines: the same scenes, the same measures, the same run.
//!
//! * `run` steps every scene in every engine, interleaved, and writes one JSON line per metric.
//! * `scenes` writes the scenes as files.
//! * `grade` measures trajectories that other programs wrote.
//! * `audit` writes one step of an engine as `signorini audit` reads it.
//! * `wild` measures every scene file of a folder, in our engine and beside Rapier.
//! * `wild-generate` writes fresh scenes of that kind from a seed.
//! * `wild-page` turns the table of `wild` into a page.
//! * `growth` measures how cost grows with the number of bodies and what threads give.
//! * `world` measures rays among many bodies beside Rapier, and what a pile at rest costs.
//! * `robot` steps a robot file, for `bench/python/robots.py`.
//! * `report` turns the lines into the pages of `docs/validation`.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod audit;
mod engines;
mod measure;
mod random;
mod record;
mod report;
mod robots;
mod scene;
mod suite;
mod trajectory;
mod wild;
mod world;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use thiserror::Error;

/// Why a comparison could not be made.
#[derive(Debug, Error)]
pub enum BenchError {
    /// A file or folder cannot be used.
    #[error("{}: {what}", path.display())]
    Input {
        /// Which.
        path: PathBuf,
        /// Why.
        what: String,
    },
    /// An engine refused.
    #[error("{0}")]
    Engine(String),
}

impl BenchError {
    /// What an engine said.
    pub fn engine(error: impl std::fmt::Display) -> Self {
        BenchError::Engine(error.to_string())
    }
}

/// Compare Signorini with other engines.
#[derive(Parser)]
#[command(name = "signorini-bench")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Step every scene in every engine that is linked in.
    Run(RunArguments),
    /// Write the scenes as JSON files.
    Scenes {
        /// Where to.
        folder: PathBuf,
    },
    /// Measure trajectories (JSON) that other programs wrote.
    Grade {
        /// Folder of scenes.
        #[arg(long)]
        scenes: PathBuf,
        /// Folder of trajectories.
        #[arg(long)]
        trajectories: PathBuf,
        /// Lines are appended here.
        #[arg(long)]
        out: PathBuf,
    },
    /// Write the worst step of an engine on a scene as `signorini audit` reads it.
    Audit {
        /// Which engine, as engine/settings.
        #[arg(long, default_value = "rapier-f64/coulomb")]
        engine: String,
        /// Which scene.
        #[arg(long, default_value = "S8c_22deg")]
        scene: String,
        /// A Python that has the engines which have no Rust.
        #[arg(long)]
        python: Option<PathBuf>,
        /// Where to.
        out: PathBuf,
    },
    /// Measure every scene file of a folder.
    Wild(wild::WildArguments),
    /// Write fresh scenes of the same families from a seed.
    WildGenerate(wild::GenerateArguments),
    /// Write the page of the measured scene files from their table.
    WildPage(wild::PageArguments),
    /// Measure how cost grows with the number of bodies, and what threads give.
    Growth(wild::GrowthArguments),
    /// Measure rays among many bodies, and a pile at rest.
    World(world::WorldArguments),
    /// Step a robot file and print what came of it as JSON.
    Robot(robots::RobotArguments),
    /// Pages and tables from the lines.
    Report {
        /// Files of lines.
        #[arg(required = true)]
        lines: Vec<PathBuf>,
        /// Measured solves of single contact problems, for the page on which method to choose.
        #[arg(long, default_value = "bench/results/methods.csv")]
        methods: PathBuf,
        /// Where to.
        #[arg(long, default_value = "docs/validation")]
        folder: PathBuf,
    },
}

/// Arguments of `run`.
#[derive(clap::Args)]
pub struct RunArguments {
    /// Folder of scene files instead of the built-in suite.
    #[arg(long)]
    scenes: Option<PathBuf>,
    /// Only the scenes that fit into two minutes.
    #[arg(long)]
    quick: bool,
    /// Only scenes whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Only these engines or engine/settings, separated by commas.
    #[arg(long, value_delimiter = ',')]
    engines: Vec<String>,
    /// A Python that has the engines which have no Rust: MuJoCo, PyBullet, Drake. Not given: they are left out.
    #[arg(long)]
    python: Option<PathBuf>,
    /// Interleaved rounds; times are the medians over them.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// CPU seconds a scene may take in one engine.
    #[arg(long, default_value_t = 120.0)]
    budget: f64,
    /// A run that took more than this many CPU seconds is not repeated in the later rounds.
    #[arg(long, default_value_t = 5.0)]
    repeat_below: f64,
    /// JSON lines go here.
    #[arg(long, default_value = "bench/results/side_by_side.jsonl")]
    out: PathBuf,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Run(arguments) => record::run(&arguments),
        Command::Scenes { folder } => record::write_scenes(&folder),
        Command::Grade { scenes, trajectories, out } => record::grade(&scenes, &trajectories, &out),
        Command::Audit { engine, scene, python, out } => record::audit_step(&engine, &scene, python.as_deref(), &out),
        Command::Wild(arguments) => wild::run(&arguments),
        Command::WildGenerate(arguments) => wild::generate(&arguments),
        Command::WildPage(arguments) => wild::write_page(&arguments),
        Command::Growth(arguments) => wild::grow(&arguments),
        Command::World(arguments) => world::run(&arguments),
        Command::Robot(arguments) => robots::run(&arguments),
        Command::Report { lines, methods, folder } => report::write(&lines, &methods, &folder),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

//! Running, and writing down: one JSON line {engine, version, settings, scene, metric, value}, the machine first.

use crate::engines::{Auditing, Contender, behind, linked, python};
use crate::scene::{Scene, load_folder};
use crate::trajectory::{Trajectory, median};
use crate::{BenchError, RunArguments, audit, measure, suite};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use signorini_scenes::lines::Line;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

/// The driver of engines in Python.
const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/python/peers.py");
/// The row that others are divided by.
pub const REFERENCE: &str = "signorini/exact";

/// Where and of what the numbers were taken.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor.
    pub processor: String,
    /// Logical cores.
    pub cores: usize,
    /// Work waiting on them at the start, where the system tells.
    pub load: Option<f64>,
    /// Commit of this repository, `+` if files were changed.
    pub commit: String,
    /// Interleaved rounds.
    #[serde(default)]
    pub rounds: usize,
}

impl Machine {
    /// As it is now.
    pub fn look(rounds: usize) -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let cpu = read("/proc/cpuinfo");
        let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let git = |arguments: &[&str]| {
            let output = Command::new("git").args(arguments).output().ok()?;
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
        let commit = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
        Machine {
            processor: model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.to_owned()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            load: read("/proc/loadavg").split(' ').next().and_then(|x| x.parse().ok()),
            commit: if changed { format!("{commit}+") } else { commit },
            rounds,
        }
    }
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> BenchError + '_ {
    move |error| BenchError::Input { path: path.to_owned(), what: error.to_string() }
}

/// All engines, those behind a Python last.
fn contenders(python: Option<&Path>) -> Result<Vec<Contender>, BenchError> {
    let mut all = linked();
    if let Some(python) = python {
        all.extend(behind(python::start(python, Path::new(DRIVER))?));
    }
    Ok(all)
}

/// What became of an engine on a scene over the rounds.
#[derive(Default)]
struct Entry {
    /// Of the first round; motion is the same in every other.
    run: Option<Trajectory>,
    /// Time per step of every round.
    seconds: Vec<Vec<f64>>,
    /// Milliseconds per step of every round.
    milliseconds: Vec<f64>,
}

impl Entry {
    fn add(&mut self, run: Trajectory) {
        self.milliseconds.push(run.milliseconds());
        self.seconds.push(run.seconds.clone());
        self.run.get_or_insert(run);
    }

    fn used(&self) -> f64 {
        self.seconds.first().map_or(0.0, |seconds| seconds.iter().sum())
    }
}

/// Steps every scene in every engine, interleaved: each round visits all engines before the next begins.
pub fn run(arguments: &RunArguments) -> Result<(), BenchError> {
    let mut scenes = match &arguments.scenes {
        Some(folder) => load_folder(folder)?,
        None if arguments.quick => suite::quick(),
        None => suite::all(),
    };
    scenes.retain(|scene| arguments.only.as_ref().is_none_or(|part| scene.name.contains(part)));
    let mut contenders = contenders(arguments.python.as_deref())?;
    let wanted = |c: &Contender| {
        arguments.engines.is_empty() || arguments.engines.iter().any(|name| *name == c.name() || *name == c.engine)
    };
    contenders.retain(wanted);
    if scenes.is_empty() || contenders.is_empty() {
        return Err(BenchError::Engine("no scene or no engine of that name".to_owned()));
    }

    let rounds = arguments.rounds.max(1);
    let mut out = create(&arguments.out)?;
    write_json(&mut out, &arguments.out, &Machine::look(rounds))?;
    let bar = ProgressBar::new((scenes.len() * contenders.len() * rounds) as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    for scene in &scenes {
        let mut entries: Vec<Entry> = contenders.iter().map(|_| Entry::default()).collect();
        for round in 0..rounds {
            let auditing = if round == 0 { Auditing::On } else { Auditing::Off };
            for (contender, entry) in contenders.iter().zip(&mut entries) {
                bar.set_message(format!("{} in {}", scene.name, contender.name()));
                if round == 0 || entry.run.is_some() && entry.used() < arguments.repeat_below {
                    match contender.run(scene, arguments.budget, auditing) {
                        Ok(run) => entry.add(run),
                        // One engine that cannot take a scene must not take the others' numbers with it.
                        Err(error) => bar.suspend(|| eprintln!("{} in {}: {error}", scene.name, contender.name())),
                    }
                }
                bar.inc(1);
            }
        }
        let reference = contenders.iter().position(|contender| contender.name() == REFERENCE);
        let reference = reference.map(|index| entries[index].seconds.clone()).unwrap_or_default();
        for entry in entries {
            write_entry(&mut out, &arguments.out, scene, entry, &reference)?;
        }
        out.flush().map_err(failed(&arguments.out))?;
    }
    bar.finish_and_clear();
    Ok(())
}

fn write_entry(
    out: &mut impl Write,
    path: &Path,
    scene: &Scene,
    entry: Entry,
    reference: &[Vec<f64>],
) -> Result<(), BenchError> {
    let Some(mut run) = entry.run else { return Ok(()) };
    run.settle_times(&entry.seconds);
    write_metrics(out, path, scene, &run)?;
    // Round by round, so that what slowed a whole round down falls out; over the steps that both took.
    let ratio = |(mine, other): (&Vec<f64>, &Vec<f64>)| {
        let common = mine.len().min(other.len());
        median(&mine[common / 5..common]) / median(&other[common / 5..common])
    };
    let ratios: Vec<f64> = entry.seconds.iter().zip(reference).map(ratio).collect();
    let (least, most) = (entry.milliseconds.iter().copied().fold(f64::INFINITY, f64::min), entry.milliseconds.iter());
    let spread = most.copied().fold(0.0, f64::max) / least;
    for (metric, value) in [("time_ratio_to_exact", median(&ratios)), ("spread_of_rounds", spread)] {
        if value.is_finite() {
            write_line(out, path, &run, metric, value, None)?;
        }
    }
    // The profile of the row that the pages explain; those of the others differ in the solve only.
    let explained = format!("{}/{}", run.engine, run.settings) == REFERENCE;
    for (stage, milliseconds) in run.stages.iter().filter(|_| explained) {
        write_line(out, path, &run, "stage_ms_per_step", *milliseconds, Some(stage))?;
    }
    Ok(())
}

/// Measures trajectories that other programs wrote; the lines are appended.
pub fn grade(scenes: &Path, trajectories: &Path, out: &Path) -> Result<(), BenchError> {
    let scenes = load_folder(scenes)?;
    let entries = fs::read_dir(trajectories).map_err(failed(trajectories))?;
    let mut paths: Vec<_> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "json"));
    paths.sort();
    let file = OpenOptions::new().append(true).create(true).open(out).map_err(failed(out))?;
    let mut writer = BufWriter::new(file);
    for path in paths {
        let text = fs::read_to_string(&path).map_err(failed(&path))?;
        let bad = |what: String| BenchError::Input { path: path.clone(), what };
        let trajectory: Trajectory = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
        let scene = scenes.iter().find(|scene| scene.name == trajectory.scene);
        let scene = scene.ok_or_else(|| bad(format!("there is no scene '{}'", trajectory.scene)))?;
        write_metrics(&mut writer, out, scene, &trajectory)?;
    }
    writer.flush().map_err(failed(out))
}

/// Writes the suite as files.
pub fn write_scenes(folder: &Path) -> Result<(), BenchError> {
    fs::create_dir_all(folder).map_err(failed(folder))?;
    for scene in suite::all() {
        let path = folder.join(format!("{}.json", scene.name));
        let mut out = create(&path)?;
        write_json(&mut out, &path, &scene)?;
        out.flush().map_err(failed(&path))?;
    }
    Ok(())
}

/// Writes the step of an engine with the largest error as `signorini audit` reads it.
pub fn audit_step(engine: &str, scene: &str, python: Option<&Path>, out: &Path) -> Result<(), BenchError> {
    let scenes = suite::all();
    let scene =
        scenes.iter().find(|s| s.name == scene).ok_or_else(|| BenchError::Engine(format!("no scene {scene}")))?;
    let contender = contenders(python)?.into_iter().find(|contender| contender.name() == engine);
    let contender = contender.ok_or_else(|| BenchError::Engine(format!("no engine {engine}")))?;
    let run = contender.run(scene, 60.0, Auditing::On)?;
    let worst = audit::grade(scene, &run).worst;
    let touched = run.touches.iter().find(|touched| Some(touched.step) == worst);
    let frames = worst.and_then(|step| run.after(step).zip(run.after(step + 1)));
    let (Some(touched), Some((before, after))) = (touched, frames) else {
        return Err(BenchError::Engine(format!("{engine} tells no contacts of {}", scene.name)));
    };
    let mut writer = create(out)?;
    write_json(&mut writer, out, &audit::step(scene, &run, touched, before, after))?;
    writer.flush().map_err(failed(out))
}

fn create(path: &Path) -> Result<BufWriter<File>, BenchError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed(folder))?;
    }
    Ok(BufWriter::new(File::create(path).map_err(failed(path))?))
}

fn write_json(out: &mut impl Write, path: &Path, value: &impl Serialize) -> Result<(), BenchError> {
    let text = serde_json::to_string(value).map_err(BenchError::engine)?;
    writeln!(out, "{text}").map_err(failed(path))
}

fn write_metrics(out: &mut impl Write, path: &Path, scene: &Scene, run: &Trajectory) -> Result<(), BenchError> {
    let metrics = measure::metrics(scene, run);
    for (metric, value) in &metrics {
        write_line(out, path, run, metric, *value, None)?;
    }
    // How far half a motion departs from the whole says nothing.
    if let Some((value, what)) = measure::headline(scene, &metrics).filter(|_| run.error.is_none()) {
        write_line(out, path, run, "closed_form_error", value, Some(what))?;
    }
    Ok(())
}

fn write_line(
    out: &mut impl Write,
    path: &Path,
    run: &Trajectory,
    metric: &str,
    value: f64,
    of: Option<&str>,
) -> Result<(), BenchError> {
    let line = Line {
        engine: run.engine.clone(),
        version: run.version.clone(),
        settings: run.settings.clone(),
        scene: run.scene.clone(),
        metric: metric.to_owned(),
        value: value.is_finite().then_some(value),
        of: of.map(str::to_owned),
        error: run.error.clone(),
    };
    write_json(out, path, &line)
}

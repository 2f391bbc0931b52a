//! Running, and writing down: one JSON line {engine, version, settings, scene, metric, value}, the machine first.

use crate::engines::{Contender, contenders};
use crate::scene::{Scene, load_folder};
use crate::trajectory::Trajectory;
use crate::{BenchError, RunArguments, measure, suite};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

/// One number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    /// Name of the engine.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// Which settings.
    pub settings: String,
    /// Name of the scene.
    pub scene: String,
    /// What, with its unit.
    pub metric: String,
    /// How much; none if it is not a number.
    pub value: Option<f64>,
    /// Why the run ended early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

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
}

impl Machine {
    fn look() -> Self {
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
        }
    }
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> BenchError + '_ {
    move |error| BenchError::Input { path: path.to_owned(), what: error.to_string() }
}

/// A step uses one thread in every engine: what is compared is work, not scheduling.
fn one_thread() -> Result<(), BenchError> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().map_err(BenchError::engine)
}

/// Steps every scene in every engine, interleaved: each round visits all engines before the next begins.
pub fn run(arguments: &RunArguments) -> Result<(), BenchError> {
    one_thread()?;
    let mut scenes = match &arguments.scenes {
        Some(folder) => load_folder(folder)?,
        None if arguments.quick => suite::quick(),
        None => suite::all(),
    };
    scenes.retain(|scene| arguments.only.as_ref().is_none_or(|part| scene.name.contains(part)));
    let wanted = |c: &Contender| {
        let full = format!("{}/{}", c.engine, c.settings);
        arguments.engines.is_empty() || arguments.engines.iter().any(|name| *name == full || name == c.engine)
    };
    let contenders: Vec<Contender> = contenders().into_iter().filter(wanted).collect();
    if scenes.is_empty() || contenders.is_empty() {
        return Err(BenchError::Engine("no scene or no engine of that name".to_owned()));
    }

    let mut out = create(&arguments.out)?;
    write_json(&mut out, &arguments.out, &Machine::look())?;
    let bar = ProgressBar::new((scenes.len() * contenders.len() * arguments.rounds) as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    for scene in &scenes {
        let mut best: Vec<Option<Trajectory>> = vec![None; contenders.len()];
        for _ in 0..arguments.rounds.max(1) {
            for (contender, best) in contenders.iter().zip(&mut best) {
                bar.set_message(format!("{} in {} {}", scene.name, contender.engine, contender.settings));
                let trajectory = contender.run(scene, arguments.budget)?;
                bar.inc(1);
                // Motion is the same in every round; only the time is better or worse.
                if best.as_ref().is_none_or(|b| trajectory.milliseconds() < b.milliseconds()) {
                    *best = Some(trajectory);
                }
            }
        }
        for trajectory in best.iter().flatten() {
            write_metrics(&mut out, &arguments.out, scene, trajectory)?;
        }
    }
    bar.finish_and_clear();
    out.flush().map_err(failed(&arguments.out))
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

fn write_metrics(out: &mut impl Write, path: &Path, scene: &Scene, trajectory: &Trajectory) -> Result<(), BenchError> {
    for (metric, value) in measure::metrics(scene, trajectory) {
        let line = Line {
            engine: trajectory.engine.clone(),
            version: trajectory.version.clone(),
            settings: trajectory.settings.clone(),
            scene: trajectory.scene.clone(),
            metric: metric.to_owned(),
            value: value.is_finite().then_some(value),
            error: trajectory.error.clone(),
        };
        write_json(out, path, &line)?;
    }
    Ok(())
}

//! Engines that have no Rust: `peers.py` steps them in a process of its own, behind a pipe, one line of JSON a run.

use super::Auditing;
use crate::BenchError;
use crate::scene::Scene;
use crate::trajectory::Trajectory;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The engines that `peers.py` knows.
const ENGINES: [&str; 3] = ["mujoco", "pybullet", "drake"];

/// An engine in its process.
pub struct Peer {
    /// Name of the engine.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// Names of its settings.
    pub settings: Vec<String>,
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Hello {
    Here { version: String, settings: Vec<String> },
    Missing { missing: String },
}

#[derive(Serialize)]
struct Request<'a> {
    settings: &'a str,
    scene: &'a Scene,
    budget: f64,
    audit: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Failed { failed: String },
    Ran(Box<Trajectory>),
}

/// Starts every engine that this Python has; the others are named on standard error.
pub fn start(python: &Path, driver: &Path) -> Result<Vec<Peer>, BenchError> {
    let mut peers = Vec::new();
    for engine in ENGINES {
        match Peer::start(python, driver, engine)? {
            Ok(peer) => peers.push(peer),
            Err(why) => eprintln!("{engine} is left out: {why}"),
        }
    }
    Ok(peers)
}

impl Peer {
    fn start(python: &Path, driver: &Path, engine: &str) -> Result<Result<Self, String>, BenchError> {
        let bad = |what: String| BenchError::Input { path: python.to_owned(), what };
        let mut process = Command::new(python)
            .arg(driver)
            .args(["--serve", engine])
            // One thread, as everybody: what is compared is work, not scheduling.
            .envs(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"].map(|name| (name, "1")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| bad(error.to_string()))?;
        let (Some(requests), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(bad("has no standard input or output".to_owned()));
        };
        let mut answers = BufReader::new(answers);
        match next(&mut answers).map(|line| serde_json::from_str(&line)) {
            Some(Ok(Hello::Here { version, settings })) => {
                Ok(Ok(Peer { engine: engine.to_owned(), version, settings, process, requests, answers }))
            }
            Some(Ok(Hello::Missing { missing })) => Ok(Err(missing)),
            Some(Err(error)) => Ok(Err(error.to_string())),
            None => Ok(Err(format!("{} ended without a word", driver.display()))),
        }
    }

    /// Runs a scene; an engine that died is an error of this engine only if it cannot be asked again.
    pub fn run(
        &mut self,
        settings: &str,
        scene: &Scene,
        budget: f64,
        auditing: Auditing,
    ) -> Result<Trajectory, BenchError> {
        let request = Request { settings, scene, budget, audit: auditing == Auditing::On };
        let text = serde_json::to_string(&request).map_err(BenchError::engine)?;
        let lost = |what: &str| BenchError::Engine(format!("{}, {settings}, {}: {what}", self.engine, scene.name));
        writeln!(self.requests, "{text}").map_err(|error| lost(&error.to_string()))?;
        self.requests.flush().map_err(|error| lost(&error.to_string()))?;
        let line = next(&mut self.answers).ok_or_else(|| lost("the process ended"))?;
        match serde_json::from_str(&line).map_err(|error| lost(&error.to_string()))? {
            Answer::Ran(trajectory) => Ok(*trajectory),
            Answer::Failed { failed } => Err(lost(&failed)),
        }
    }
}

/// The next line that is JSON: some engines greet their users on standard output.
fn next(answers: &mut impl BufRead) -> Option<String> {
    loop {
        let mut line = String::new();
        match answers.read_line(&mut line) {
            Ok(0) | Err(_) => return None,
            Ok(_) if line.starts_with('{') => return Some(line),
            Ok(_) => {}
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It would end by itself at the end of its input; a step that never ends must not keep us.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

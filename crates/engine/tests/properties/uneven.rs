//! How uneven the work of steps is: the most that a step of a scene does against the median of its steps in motion. Steps at rest
//! refine what they have by one factorization or none, and are another kind. No step may take more than the soak allows.
//!
//! `soak_first=0 soak_worlds=300 cargo test --release --test properties uneven -- --ignored --nocapture`, or of scene files with
//! `uneven_folder=DIR`.

use crate::fixture::*;
use crate::soak::MOST_ITERATIONS;
use crate::soak::scenario::{Scenario, Size};
use signorini::Scene;
use std::collections::BTreeMap;

/// Steps of a random world.
const STEPS: usize = 60;

/// Root mean square speed above which a scene is in motion [m/s]: its kinetic energy is that of its mass at this speed.
const MOVING: f64 = 0.05;

/// What the steps of a scene did, in iterations or eight per factorization, and how many of them were degraded.
#[derive(Default)]
struct Work {
    name: String,
    steps: Vec<usize>,
    /// Of steps in motion.
    moving: Vec<usize>,
    degraded: usize,
    /// Parts of the certificate that missed their bounds, and how often.
    missed: BTreeMap<&'static str, usize>,
}

impl Work {
    fn step(&mut self, world: &mut World, dt: f64) {
        let mass: f64 = world.bodies().map(|(_, body)| body.mass()).filter(|mass| mass.is_finite()).sum();
        let moves = world.energy().kinetic() > 0.5 * mass * MOVING * MOVING;
        let report = world.step(dt).unwrap();
        let most = MOST_ITERATIONS * report.counts.islands.max(1);
        assert!(report.effort.iterations <= most, "{}: {:?}", self.name, report.effort);
        let work = report.effort.iterations.max(8 * report.effort.factorizations);
        self.steps.push(work);
        if moves && work > 0 {
            self.moving.push(work);
        }
        self.degraded += usize::from(report.status == StepStatus::Degraded);
        for (part, _) in report.certificate.misses() {
            *self.missed.entry(part.name()).or_default() += 1;
        }
    }

    /// The most, where that was, and the median in motion; none of a scene in which nothing was solved in motion.
    fn most_and_median(&self) -> Option<(usize, usize, usize)> {
        let most = *self.steps.iter().max()?;
        let at = self.steps.iter().position(|work| *work == most)?;
        let mut sorted = self.moving.clone();
        sorted.sort_unstable();
        Some((most, at, *sorted.get(sorted.len() / 2)?))
    }
}

fn of_world(seed: u64) -> Work {
    let size = [Size::Small, Size::Middle, Size::Large][(seed % 3) as usize];
    let mut scenario = Scenario::of_size(seed, size);
    let mut work = Work { name: format!("seed {seed}"), ..Work::default() };
    for _ in 0..STEPS {
        work.step(&mut scenario.world, scenario.dt);
    }
    work
}

fn of_file(path: &std::path::Path) -> Work {
    let scene = Scene::load(path).unwrap();
    let mut world = scene.build().unwrap();
    let mut work = Work { name: path.file_name().unwrap().to_string_lossy().into_owned(), ..Work::default() };
    for _ in 0..scene.steps().min(360) {
        work.step(&mut world, scene.step);
    }
    work
}

#[test]
#[ignore = "as long as one likes: see the head of the file"]
fn the_work_of_a_step_against_the_median_of_its_scene() {
    let number = |name: &str, usual| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (first, worlds): (u64, u64) = (number("soak_first", 0), number("soak_worlds", 100));
    let scenes: Vec<Work> = match std::env::var("uneven_folder") {
        Ok(folder) => {
            let only = std::env::var("uneven_only").unwrap_or_default();
            let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            paths.retain(|path| path.extension().is_some_and(|e| e == "toml" || e == "json"));
            paths.retain(|path| only.split(',').any(|part| path.to_string_lossy().contains(part)));
            paths.sort();
            paths.iter().map(|path| of_file(path)).collect()
        }
        Err(_) => (first..first + worlds).map(of_world).collect(),
    };
    let mut found: Vec<(f64, (usize, usize, usize), &Work)> = Vec::new();
    for work in &scenes {
        let Some((most, at, median)) = work.most_and_median() else { continue };
        found.push((most as f64 / median as f64, (most, at, median), work));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let beyond = found.iter().filter(|scene| scene.0 > 50.0).count();
    let degraded: usize = scenes.iter().map(|work| work.degraded).sum();
    let (steps, total): (usize, usize) =
        (scenes.iter().map(|w| w.steps.len()).sum(), scenes.iter().flat_map(|work| &work.steps).sum());
    println!("{} scenes, {steps} steps, {degraded} degraded, {total} of work; {beyond} scenes beyond 50", scenes.len());
    for (ratio, (most, at, median), work) in found.iter().take(30) {
        let (name, degraded, steps, missed) = (&work.name, work.degraded, work.steps.len(), &work.missed);
        println!(
            "{name}: {most} in step {at}, median {median}, {ratio:.0} times; {degraded} of {steps} degraded {missed:?}"
        );
    }
}

//! One scene file, stepped and watched: ours and rapier in turns of ten steps, so that both see the same machine.

use super::rapier::Rapier;
use super::row::Row;
use super::watch::{Facts, Watch};
use crate::BenchError;
use cpu_time::ThreadTime;
use signorini::{Scene, StageTimes, StepStatus, World};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Steps that one engine takes before the other goes on.
const TURN: usize = 10;
/// Steps of a file that says no duration.
const STEPS: usize = 600;
/// Root mean square speed [m/s] above which a scene is moving: its kinetic energy is that of its mass at this speed.
pub const MOVING: f64 = 0.05;

/// How far a file is run.
pub struct Limits {
    /// Most steps.
    pub steps: Option<usize>,
    /// A file is cut once its steps have asked for so many factorizations.
    pub factorizations: usize,
    /// Whether rapier runs beside.
    pub rapier: bool,
}

/// Per step: what it cost.
#[derive(Default)]
pub struct Costs {
    pub seconds: Vec<f64>,
    pub factorizations: Vec<f64>,
    pub moving: Vec<bool>,
    /// Steps of which every island was taken again as it was.
    pub replayed: Vec<bool>,
    pub rapier_seconds: Vec<f64>,
    pub degraded: usize,
    pub first_degraded: Option<usize>,
    /// Steps in which a part of the certificate misses its bound, by name.
    pub missed: BTreeMap<&'static str, usize>,
    /// Time of the judge over that of the whole step.
    pub judge_shares: Vec<f64>,
    pub residual: f64,
    pub contacts: usize,
}

/// Runs a file; what goes wrong is part of the row.
pub fn run(path: &Path, name: &str, limits: &Limits) -> Row {
    match load(path) {
        Ok((scene, steps)) => {
            let steps = limits.steps.map_or(steps, |most| most.min(steps));
            let done = catch_unwind(AssertUnwindSafe(|| drive(&scene, name, steps, limits)));
            match done {
                Ok(Ok(row)) => row,
                Ok(Err(error)) => Row::refused(name, &error.to_string()),
                Err(_) => Row::refused(name, "a panic outside of a step"),
            }
        }
        Err(error) => Row::refused(name, &error.to_string()),
    }
}

fn load(path: &Path) -> Result<(Scene, usize), BenchError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| BenchError::Input { path: path.to_owned(), what: error.to_string() })?;
    let scene = Scene::load(path).map_err(BenchError::engine)?;
    // A scene that says nothing gets a default, which must not pass for its word.
    let said = text.contains("duration");
    let steps = if said { scene.steps() as usize } else { STEPS };
    Ok((scene, steps))
}

fn drive(scene: &Scene, name: &str, steps: usize, limits: &Limits) -> Result<Row, BenchError> {
    let mut world = scene.build().map_err(BenchError::engine)?;
    let facts = Facts::of(scene, &world)?;
    let mut peer = if limits.rapier { Rapier::load(&facts, &world, scene.step).ok() } else { None };
    let (mut ours, mut theirs) = (Watch::default(), Watch::default());
    ours.look(&facts, &facts.observe(&world)?, 0);
    if let Some(peer) = &peer {
        theirs.look(&facts, &peer.observe(), 0);
    }
    let mut costs = Costs::default();
    let mut ended = String::new();
    let rest = 0.5 * facts.mass() * MOVING * MOVING;
    let mut step = 0;
    while step < steps && ended.is_empty() {
        let until = steps.min(step + TURN);
        let first = step;
        while step < until && ended.is_empty() {
            if let Err(what) = once(&mut world, scene.step, &mut costs) {
                ended = format!("{what} in step {step}");
                break;
            }
            step += 1;
            ours.look(&facts, &facts.observe(&world)?, step);
            costs.moving.push(ours.kinetic > rest);
            if costs.factorizations.iter().sum::<f64>() >= limits.factorizations as f64 && step < steps {
                ended = format!("cut at step {step}");
            }
        }
        if let Some(running) = &mut peer {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                for done in first..step {
                    let clock = ThreadTime::now();
                    running.step();
                    costs.rapier_seconds.push(clock.elapsed().as_secs_f64());
                    theirs.look(&facts, &running.observe(), done + 1);
                }
            }));
            if outcome.is_err() {
                peer = None;
            }
        }
    }
    Ok(Row::of(name, steps, &ended, &facts, &ours, peer.is_some().then_some(&theirs), &costs))
}

/// One step of ours; an error or a panic in words.
fn once(world: &mut World, dt: f64, costs: &mut Costs) -> Result<(), String> {
    let clock = ThreadTime::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| world.step(dt)));
    let seconds = clock.elapsed().as_secs_f64();
    let report = outcome.map_err(|_| "panic".to_owned())?.map_err(|error| format!("error ({error})"))?;
    costs.seconds.push(seconds);
    let counts = &report.counts;
    costs.replayed.push(counts.islands > 0 && counts.replayed == counts.islands);
    costs.factorizations.push(report.effort.factorizations as f64);
    costs.contacts = costs.contacts.max(report.counts.contacts);
    if report.status != StepStatus::Certified {
        costs.degraded += 1;
        costs.first_degraded.get_or_insert(costs.seconds.len() - 1);
        for (part, _) in report.certificate.misses() {
            *costs.missed.entry(part.name()).or_default() += 1;
        }
    }
    costs.judge_shares.push(judge_share(&report.times));
    costs.residual = costs.residual.max(report.velocity.map_or(0.0, |c| c.natural));
    Ok(())
}

/// Time of the judge over that of the whole step, by the clock of the stages.
pub fn judge_share(times: &StageTimes) -> f64 {
    let StageTimes { free_motion, broad_phase, manifold, contact, island, solve, position, integrate, judge } = *times;
    let all = free_motion + broad_phase + manifold + contact + island + solve + position + integrate + judge;
    if all > 0.0 { judge / all } else { 0.0 }
}

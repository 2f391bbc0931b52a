//! Runs a scene in this engine, and collects the step reports.

use super::{Observed, Sample};
use signorini::{Scene, SceneError, StepError, StepReport, StepStatus, World};
use std::ops::ControlFlow;
use thiserror::Error;

/// Why a scene did not run to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scene was refused.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A step failed.
    #[error("step {step}: {source}")]
    Step {
        /// Which one, from 1.
        step: u64,
        /// Why.
        source: StepError,
    },
}

/// What the engine's steps say about themselves, the worst over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Audit {
    /// Steps taken.
    pub steps: u64,
    /// Steps whose certificate missed the tolerance.
    pub degraded: u64,
    /// Largest natural residual [m/s].
    pub residual: f64,
    /// Deepest overlap \[m\].
    pub penetration: f64,
    /// Most contact points in a step.
    pub contacts: usize,
    /// Change of energy that the ledger does not explain, relative to the largest entry \[1\].
    pub unexplained: f64,
    /// Largest rise of energy in a step beyond what forces, driven bodies and corrections put in, relative to the
    /// largest entry of the ledger \[1\].
    pub gain: f64,
    /// Fingerprint of the last state.
    pub state_hash: u64,
}

impl Audit {
    fn note(&mut self, report: &StepReport) {
        self.steps += 1;
        self.degraded += u64::from(report.status == StepStatus::Degraded);
        self.residual = self.residual.max(report.velocity.map_or(0.0, |c| c.natural));
        self.penetration = self.penetration.max(report.penetration);
        self.contacts = self.contacts.max(report.counts.contacts);
        let books = &report.energy;
        let scale = books.scale().max(f64::MIN_POSITIVE);
        self.unexplained = self.unexplained.max(books.closure().abs() / scale);
        let put_in = books.external.max(0.0) + books.driven.max(0.0) + books.stabilisation.max(0.0);
        let rise = books.after.total() - books.before.total() - put_in;
        self.gain = self.gain.max(rise / scale);
    }
}

/// Runs a scene from start to end.
pub fn observe(scene: &Scene) -> Result<Observed, RunError> {
    observe_while(scene, |_| ControlFlow::Continue(()))
}

/// Runs a scene and shows every report to `look`, which may end the run.
pub fn observe_while(
    scene: &Scene,
    mut look: impl FnMut(&StepReport) -> ControlFlow<()>,
) -> Result<Observed, RunError> {
    let mut world = scene.build()?;
    let mut seen = Observed::of_scene(scene)?;
    let mut audit = Audit::default();
    seen.push(samples(&world));
    for step in 1..=scene.steps() {
        let report = world.step(scene.step).map_err(|source| RunError::Step { step, source })?;
        audit.note(&report);
        seen.push(samples(&world));
        if look(&report).is_break() {
            break;
        }
    }
    audit.state_hash = world.state_hash();
    seen.audit = Some(audit);
    Ok(seen)
}

fn samples(world: &World) -> impl Iterator<Item = Sample> {
    world.bodies().map(|(_, body)| Sample {
        position: body.centre_of_mass(),
        orientation: body.orientation(),
        velocity: body.velocity(),
        angular_velocity: body.angular_velocity(),
        force: body.constraint_forces().force,
    })
}

//! Runs and times one method on one scene.

use signorini::{Scene, StageTimes, StepStatus};
use signorini_scenes::lines::Line;
use signorini_scenes::worlds::{self, RunError};
use std::ops::ControlFlow;

/// The result of a trial.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Name of the scene.
    pub scene: String,
    /// The method.
    pub method: String,
    /// The tolerance [m/s].
    pub tolerance: f64,
    /// Name of the settings in lines and plots.
    pub settings: String,
    /// Steps taken.
    pub steps: u64,
    /// Median time of a step \[s\], one entry per round.
    pub seconds: Vec<f64>,
    /// Longest step \[s\].
    pub longest: f64,
    /// Largest residual of any step [m/s].
    pub residual: f64,
    /// Steps that missed the tolerance.
    pub degraded: u64,
    /// Largest deviation from the answers on paper, and whether all hold; none if there are no answers or not all
    /// steps were taken.
    pub departure: Option<(f64, bool)>,
    /// The reason if it ended early.
    pub stopped: Option<String>,
}

impl Trial {
    /// Median over the rounds \[s\].
    pub fn time(&self) -> f64 {
        median(&self.seconds)
    }

    /// The numbers, as JSON lines.
    pub fn lines(&self) -> Vec<Line> {
        let line = |metric: &str, value: f64, of: Option<&str>| Line {
            engine: "signorini".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            settings: self.settings.clone(),
            scene: self.scene.clone(),
            metric: metric.to_owned(),
            value: value.is_finite().then_some(value),
            of: of.map(str::to_owned),
            error: self.stopped.clone(),
        };
        let mut lines = vec![
            line("ms_per_step", 1e3 * self.time(), None),
            line("ms_worst", 1e3 * self.longest, None),
            line("steps_done", self.steps as f64, None),
            line("residual_worst_m_per_s", self.residual, None),
            line("degraded_steps", self.degraded as f64, None),
            line("tolerance_m_per_s", self.tolerance, None),
        ];
        let of = Some("largest departure from the answers of the scene");
        lines.extend(self.departure.map(|(value, _)| line("closed_form_error", value, of)));
        lines
    }
}

/// Runs a scene to its end, or until its steps took `budget` \[s\] together.
pub fn run(scene: &Scene, settings: &str, budget: f64) -> Result<Trial, worlds::RunError> {
    let mut trial = Trial {
        scene: scene.name.clone(),
        method: scene.solver.method.clone(),
        tolerance: scene.solver.tolerance,
        settings: settings.to_owned(),
        steps: 0,
        seconds: Vec::new(),
        longest: 0.0,
        residual: 0.0,
        degraded: 0,
        departure: None,
        stopped: None,
    };
    let (mut times, mut used) = (Vec::new(), 0.0);
    let outcome = worlds::observe_while(scene, |report| {
        let seconds = whole(&report.times);
        times.push(seconds);
        used += seconds;
        trial.residual = trial.residual.max(report.velocity.map_or(0.0, |c| c.natural));
        trial.degraded += u64::from(report.status == StepStatus::Degraded);
        if used > budget { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    trial.steps = times.len() as u64;
    trial.longest = times.iter().copied().fold(0.0, f64::max);
    trial.seconds = vec![median(&times)];
    let seen = match outcome {
        Ok(seen) => seen,
        // A step that fails is a result, and so is a method that refuses the scene. An invalid scene is an error.
        Err(RunError::Step { step, source }) => {
            trial.stopped = Some(format!("step {step}: {source}"));
            return Ok(trial);
        }
        Err(error) => return Err(error),
    };
    if trial.steps < scene.steps() {
        trial.stopped = Some(format!("cut off at step {} after {budget} s", trial.steps));
        return Ok(trial);
    }
    let named = worlds::find(&scene.name).filter(|named| named.scene().steps() == scene.steps());
    trial.departure = named.map(|named| named.check(&seen)).filter(|findings| !findings.is_empty()).map(|findings| {
        let relative = |f: &worlds::Finding| f.error() / f.expectation.expected.abs().max(1.0);
        // Unlike f64::max this keeps NaN, which marks quantities that were not measured.
        let worst = findings.iter().map(relative).fold(0.0, |a: f64, b| if a >= b { a } else { b });
        (worst, findings.iter().all(|finding| finding.holds()))
    });
    Ok(trial)
}

/// Time of all stages of a step \[s\].
fn whole(times: &StageTimes) -> f64 {
    times.free_motion
        + times.broad_phase
        + times.manifold
        + times.contact
        + times.island
        + times.solve
        + times.position
        + times.integrate
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

//! What an engine did: frames, times, contacts. The same for engines in Rust and in Python.

use crate::scene::Scene;
use serde::{Deserialize, Serialize};

/// All bodies at one time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Frame {
    /// Steps taken.
    pub step: usize,
    /// Centre and orientation (w, x, y, z) per body.
    pub poses: Vec<[f64; 7]>,
    /// Velocity and angular velocity per body.
    pub velocities: Vec<[f64; 6]>,
}

/// A contact of a step, with what it did.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Touch {
    /// Index of the first body in the scene; none if it is some body that never moves.
    pub a: Option<usize>,
    /// The same of the second.
    pub b: Option<usize>,
    /// Where \[m\].
    pub point: [f64; 3],
    /// Unit normal from A to B.
    pub normal: [f64; 3],
    /// Distance at the start of the step \[m\].
    pub gap: f64,
    /// Impulse on B over the whole step, world axes \[N·s\].
    pub impulse: [f64; 3],
}

/// All contacts of a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Touched {
    /// Steps taken before it.
    pub step: usize,
    /// The contacts.
    pub contacts: Vec<Touch>,
}

/// A run of a scene in an engine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Trajectory {
    /// Name of the engine.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// Which settings.
    pub settings: String,
    /// Name of the scene.
    pub scene: String,
    /// From the start, every `rec` steps, one step later where a step is audited, and at the end.
    pub frames: Vec<Frame>,
    /// Time per step \[s\]: CPU time of the stepping thread; wall time where more than one steps.
    pub seconds: Vec<f64>,
    /// Contact points of the last step, where the engine tells.
    #[serde(default)]
    pub contacts: Option<usize>,
    /// Contacts with impulses of the audited steps, where the engine tells.
    #[serde(default)]
    pub touches: Vec<Touched>,
    /// Residual of every step [m/s], where the engine has one.
    #[serde(default)]
    pub residuals: Vec<f64>,
    /// Steps that missed their tolerance, where the engine has one.
    #[serde(default)]
    pub degraded: Option<usize>,
    /// Where the time of a step goes \[ms\], where the engine tells.
    #[serde(default)]
    pub stages: Vec<(String, f64)>,
    /// Why it stopped before the end.
    #[serde(default)]
    pub error: Option<String>,
}

impl Trajectory {
    /// The last frame.
    pub fn end(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// The frame at the time closest to `time` \[s\].
    pub fn at(&self, scene: &Scene, time: f64) -> Option<&Frame> {
        let distance = |frame: &&Frame| (frame.step as f64 * scene.dt - time).abs();
        self.frames.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// The frame after exactly so many steps, if it was kept.
    pub fn after(&self, steps: usize) -> Option<&Frame> {
        self.frames.binary_search_by_key(&steps, |frame| frame.step).ok().map(|index| &self.frames[index])
    }

    /// Median time per step after the first fifth \[ms\].
    pub fn milliseconds(&self) -> f64 {
        1e3 * median(&self.seconds[self.seconds.len() / 5..])
    }

    /// Median time per step over the last third \[ms\].
    pub fn settled_milliseconds(&self) -> f64 {
        1e3 * median(&self.seconds[2 * self.seconds.len() / 3..])
    }

    /// Takes per step the median time of several runs of the same motion.
    pub fn settle_times(&mut self, runs: &[Vec<f64>]) {
        for (step, seconds) in self.seconds.iter_mut().enumerate() {
            let times: Vec<f64> = runs.iter().filter_map(|run| run.get(step).copied()).collect();
            if !times.is_empty() {
                *seconds = median(&times);
            }
        }
    }
}

/// The middle value, the mean of the two middle ones; NaN of nothing.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[half],
        _ => 0.5 * (sorted[half - 1] + sorted[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_rounds_are_their_medians_step_by_step() {
        let mut run = Trajectory { seconds: vec![9.0, 1.0, 4.0], ..Trajectory::default() };
        // The second round was cut off earlier.
        run.settle_times(&[vec![9.0, 1.0, 4.0], vec![1.0, 3.0], vec![2.0, 8.0, 6.0]]);
        assert_eq!(run.seconds, [2.0, 3.0, 5.0]);
        assert!(median(&[]).is_nan());
    }
}

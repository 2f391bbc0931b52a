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

/// A run of a scene in an engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trajectory {
    /// Name of the engine.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// Which settings.
    pub settings: String,
    /// Name of the scene.
    pub scene: String,
    /// From the start, every `rec` steps and at the end.
    pub frames: Vec<Frame>,
    /// CPU time of the stepping thread, per step \[s\].
    pub seconds: Vec<f64>,
    /// Contact points of the last step, where the engine tells.
    #[serde(default)]
    pub contacts: Option<usize>,
    /// Largest residual of any step [m/s], where the engine has one.
    #[serde(default)]
    pub residual: Option<f64>,
    /// Steps that missed their tolerance, where the engine has one.
    #[serde(default)]
    pub degraded: Option<usize>,
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

    /// Median CPU time per step after the first fifth \[ms\].
    pub fn milliseconds(&self) -> f64 {
        let mut times = self.seconds[self.seconds.len() / 5..].to_vec();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).map_or(f64::NAN, |s| 1e3 * s)
    }

    /// Median CPU time per step over the last third \[ms\].
    pub fn settled_milliseconds(&self) -> f64 {
        let mut times = self.seconds[2 * self.seconds.len() / 3..].to_vec();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).map_or(f64::NAN, |s| 1e3 * s)
    }
}

//! The engines, each behind the same three calls.

mod box3d;
mod ours;
mod rapier;

use crate::BenchError;
use crate::scene::Scene;
use crate::trajectory::{Frame, Trajectory};
use cpu_time::ThreadTime;

/// An engine with a scene loaded.
pub trait Engine {
    /// Advances by the scene's step.
    fn step(&mut self) -> Result<(), BenchError>;
    /// Poses and velocities of all bodies, in the order of the scene.
    fn observe(&self, frame: &mut Frame) -> Result<(), BenchError>;
    /// Contact points of the last step, if it can be told.
    fn contacts(&self) -> Option<usize>;
    /// Residual of the last step [m/s] and whether it met its tolerance, where the engine has one.
    fn verdict(&self) -> Option<(f64, bool)> {
        None
    }
}

/// An engine with its settings.
#[derive(Clone, Copy)]
pub struct Contender {
    /// Name of the engine.
    pub engine: &'static str,
    /// Version.
    pub version: &'static str,
    /// Name of the settings.
    pub settings: &'static str,
    load: Load,
}

/// Puts a scene into an engine, at settings by name.
type Load = fn(&Scene, &'static str) -> Result<Box<dyn Engine>, BenchError>;

/// Every engine at every setting. `default` is what a user gets; the others are the strongest reasonable ones.
pub fn contenders() -> Vec<Contender> {
    let mut all = Vec::new();
    all.extend(ours::SETTINGS.iter().map(|settings| Contender {
        engine: "signorini",
        version: env!("CARGO_PKG_VERSION"),
        settings,
        load: ours::load,
    }));
    for settings in rapier::SETTINGS {
        let version = "0.36";
        all.push(Contender { engine: "rapier-f64", version, settings, load: rapier::double::load });
        all.push(Contender { engine: "rapier-f32", version, settings, load: rapier::single::load });
    }
    all.extend(box3d::SETTINGS.iter().map(|settings| Contender {
        engine: "box3d",
        version: "boxddd 0.4",
        settings,
        load: box3d::load,
    }));
    all
}

impl Contender {
    /// Runs a scene to its end, or until it fails or has used `budget` seconds.
    pub fn run(&self, scene: &Scene, budget: f64) -> Result<Trajectory, BenchError> {
        let mut engine = (self.load)(scene, self.settings)?;
        let mut trajectory = Trajectory {
            engine: self.engine.to_owned(),
            version: self.version.to_owned(),
            settings: self.settings.to_owned(),
            scene: scene.name.clone(),
            frames: Vec::new(),
            seconds: Vec::with_capacity(scene.steps),
            contacts: None,
            residual: None,
            degraded: None,
            error: None,
        };
        let mut used = 0.0;
        for step in 0..=scene.steps {
            if step % scene.rec == 0 || step == scene.steps {
                let mut frame = Frame { step, ..Frame::default() };
                engine.observe(&mut frame)?;
                trajectory.frames.push(frame);
            }
            if step == scene.steps {
                break;
            }
            if used > budget {
                trajectory.error = Some(format!("cut off at step {step} after {budget} s"));
                break;
            }
            let clock = ThreadTime::now();
            let outcome = engine.step();
            let seconds = clock.elapsed().as_secs_f64();
            used += seconds;
            trajectory.seconds.push(seconds);
            if let Err(error) = outcome {
                trajectory.error = Some(error.to_string());
                break;
            }
            if let Some((residual, met)) = engine.verdict() {
                trajectory.residual = Some(trajectory.residual.unwrap_or(0.0).max(residual));
                *trajectory.degraded.get_or_insert(0) += usize::from(!met);
            }
        }
        trajectory.contacts = engine.contacts();
        Ok(trajectory)
    }
}

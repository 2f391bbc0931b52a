//! The engines, each behind the same few calls.

#[cfg(feature = "peers")]
mod box3d;
mod ours;
pub mod python;
mod rapier;

use crate::scene::Scene;
use crate::trajectory::{Frame, Touch, Touched, Trajectory};
use crate::{BenchError, audit};
use cpu_time::ThreadTime;
use python::Peer;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

/// An engine with a scene loaded.
pub trait Engine {
    /// Advances by the scene's step.
    fn step(&mut self) -> Result<(), BenchError>;
    /// Poses and velocities of all bodies, in the order of the scene.
    fn observe(&self, frame: &mut Frame) -> Result<(), BenchError>;
    /// Contact points of the last step, if it can be told.
    fn contacts(&self) -> Option<usize>;
    /// Contacts and impulses of the last step, which began at `before`; none if they cannot be told.
    fn touching(&self, _before: &Frame) -> Option<Vec<Touch>> {
        None
    }
    /// Residual of the last step [m/s] and whether it met its tolerance, where the engine has one.
    fn verdict(&self) -> Option<(f64, bool)> {
        None
    }
    /// Where the time of the last step went \[s\], where the engine tells.
    fn stages(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}

/// An engine with its settings.
#[derive(Clone)]
pub struct Contender {
    /// Name of the engine.
    pub engine: String,
    /// Version.
    pub version: String,
    /// Name of the settings, with the number of threads if that is not one.
    pub settings: String,
    how: How,
}

#[derive(Clone)]
enum How {
    /// Linked into this program.
    Linked { load: Load, settings: &'static str, threads: usize },
    /// Behind a pipe.
    Python(Rc<RefCell<Peer>>),
}

/// Puts a scene into an engine, at settings by name, to be stepped by so many threads.
type Load = fn(&Scene, &'static str, usize) -> Result<Box<dyn Engine>, BenchError>;

/// Whether steps are audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auditing {
    /// Contacts are kept every `rec` steps.
    On,
    /// Only motion and time.
    Off,
}

/// Every linked engine at every setting. `default` is what a user gets; the others are the strongest reasonable ones.
pub fn linked() -> Vec<Contender> {
    let mut all = Vec::new();
    let mut add = |engine: &str, version: &str, load: Load, settings: &'static str, threads: usize| {
        let label = if threads == 1 { settings.to_owned() } else { format!("{settings} ×{threads}") };
        let how = How::Linked { load, settings, threads };
        all.push(Contender { engine: engine.to_owned(), version: version.to_owned(), settings: label, how });
    };
    for settings in ours::SETTINGS {
        add("signorini", env!("CARGO_PKG_VERSION"), ours::load, settings, 1);
    }
    add("signorini", env!("CARGO_PKG_VERSION"), ours::load, "exact", 2);
    for settings in rapier::SETTINGS {
        add("rapier-f64", "0.36", rapier::double::load, settings, 1);
    }
    #[cfg(feature = "peers")]
    {
        for settings in rapier::SETTINGS {
            add("rapier-f32", "0.36", rapier::single::load, settings, 1);
        }
        for settings in box3d::SETTINGS {
            add("box3d", "boxddd 0.4", box3d::load, settings, 1);
        }
        add("box3d", "boxddd 0.4", box3d::load, "default", 2);
    }
    all
}

/// The engines behind a Python, each at every setting; those that are not installed are named on standard error.
pub fn behind(peers: Vec<Peer>) -> Vec<Contender> {
    let mut all = Vec::new();
    for peer in peers {
        let (engine, version, settings) = (peer.engine.clone(), peer.version.clone(), peer.settings.clone());
        let peer = Rc::new(RefCell::new(peer));
        all.extend(settings.into_iter().map(|settings| Contender {
            engine: engine.clone(),
            version: version.clone(),
            settings,
            how: How::Python(Rc::clone(&peer)),
        }));
    }
    all
}

impl Contender {
    /// `engine/settings`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.engine, self.settings)
    }

    /// Runs a scene to its end, or until it fails or has used `budget` seconds.
    pub fn run(&self, scene: &Scene, budget: f64, auditing: Auditing) -> Result<Trajectory, BenchError> {
        let auditing = if audit::applies(scene) { auditing } else { Auditing::Off };
        let run = match &self.how {
            How::Python(peer) => peer.borrow_mut().run(&self.settings, scene, budget, auditing)?,
            How::Linked { load, settings, threads } => {
                let (load, settings, threads) = (*load, *settings, *threads);
                // A pool of its own: a step that shares work does so with these threads and no others.
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(8 << 20).build();
                pool.map_err(BenchError::engine)?
                    .install(|| drive(&mut *load(scene, settings, threads)?, scene, budget, auditing, threads))?
            }
        };
        Ok(Trajectory {
            engine: self.engine.clone(),
            version: self.version.clone(),
            settings: self.settings.clone(),
            scene: scene.name.clone(),
            ..run
        })
    }
}

fn drive(
    engine: &mut dyn Engine,
    scene: &Scene,
    budget: f64,
    auditing: Auditing,
    threads: usize,
) -> Result<Trajectory, BenchError> {
    let mut run = Trajectory::default();
    let mut stages: Vec<(&'static str, f64)> = Vec::new();
    let mut used = 0.0;
    for step in 0..=scene.steps {
        let audited = auditing == Auditing::On && step % scene.rec == 0;
        let after_audited = auditing == Auditing::On && step % scene.rec == 1;
        if step % scene.rec == 0 || after_audited || step == scene.steps {
            let mut frame = Frame { step, ..Frame::default() };
            engine.observe(&mut frame)?;
            run.frames.push(frame);
        }
        if step == scene.steps {
            break;
        }
        if used > budget {
            run.error = Some(format!("cut off at step {step} after {budget} s"));
            break;
        }
        // CPU time does not see what other programs do; of several threads it would see one only.
        let (cpu, wall) = (ThreadTime::now(), Instant::now());
        let outcome = engine.step();
        let seconds = if threads == 1 { cpu.elapsed() } else { wall.elapsed() }.as_secs_f64();
        used += seconds;
        run.seconds.push(seconds);
        if let Err(error) = outcome {
            run.error = Some(error.to_string());
            break;
        }
        if let Some((residual, met)) = engine.verdict() {
            run.residuals.push(residual);
            *run.degraded.get_or_insert(0) += usize::from(!met);
        }
        let spent = engine.stages();
        stages.resize(spent.len(), ("", 0.0));
        for (sum, (name, seconds)) in stages.iter_mut().zip(spent) {
            *sum = (name, sum.1 + seconds);
        }
        if audited && let Some(contacts) = run.frames.last().and_then(|before| engine.touching(before)) {
            run.touches.push(Touched { step, contacts });
        }
    }
    run.contacts = engine.contacts();
    let steps = run.seconds.len().max(1) as f64;
    run.stages = stages.into_iter().map(|(name, seconds)| (name.to_owned(), 1e3 * seconds / steps)).collect();
    Ok(run)
}

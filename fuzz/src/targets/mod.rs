//! The doors.

mod api;
mod mesh;
mod problem;
mod recording;
mod scene;
mod snapshot;
mod view;

use signorini::{Scene, Settings, World};
use std::path::PathBuf;

/// A door through which bytes come in.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name, also of its folder of the corpus.
    pub name: &'static str,
    /// Takes an input and says what came of it; breaks the promise of the door by a panic.
    pub run: fn(&[u8]) -> String,
    /// Good inputs, made by the program itself.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of the language.
    pub tokens: &'static [&'static str],
    /// Puts right checksums in, where there are some.
    pub mend: Option<fn(&mut [u8])>,
    /// Inputs of a short run: some seconds.
    pub short: usize,
}

/// All of them.
pub const TARGETS: [Target; 10] = [
    api::CALLS,
    scene::TOML,
    scene::JSON,
    scene::URDF,
    scene::MJCF,
    mesh::MESH,
    problem::PROBLEM,
    snapshot::SNAPSHOT,
    recording::RECORDING,
    view::VIEW,
];

/// Bodies of a world that is stepped: more would only be slow.
const MOST_BODIES: usize = 40;

/// Bodies of a scene, each of a grid counted.
fn count_bodies(scene: &Scene) -> usize {
    let count = |body: &signorini::scene::BodyDescription| {
        body.grid.as_ref().map_or(1, |grid| grid.count.iter().map(|n| *n as usize).fold(1, usize::saturating_mul))
    };
    scene.bodies.iter().map(count).fold(0, usize::saturating_add)
}

/// Steps of a world that came in as a file; says what came of them.
fn take_steps(world: &mut World, dt: f64, steps: usize) -> String {
    // Whoever asks for any number of iterations, or for all the work there is, gets it: here nobody waits for that.
    let mut settings = *world.settings();
    settings.budget = Settings::default().budget;
    settings.stop.max_iterations = Some(settings.stop.max_iterations.unwrap_or(200).min(200));
    if let Err(error) = world.set_settings(settings) {
        return format!("settings: {error}");
    }
    let mut words = String::new();
    for _ in 0..steps {
        match world.step(dt) {
            Ok(report) => {
                let (joints, contacts) = (report.counts.joints > 0, report.counts.contacts > 0);
                words = format!("{words} {:?} joints {joints} contacts {contacts}", report.status);
            }
            Err(error) => return format!("{words} {error}"),
        }
        check_finite(world);
    }
    words
}

/// No state of a body is anything but numbers.
fn check_finite(world: &World) {
    for (_, body) in world.bodies() {
        let s = body.state();
        let finite = s.position.is_finite() && s.velocity.is_finite() && s.angular_velocity.is_finite();
        assert!(finite && s.orientation.is_finite(), "{}: {s:?}", body.id());
    }
}

/// A file for inputs that are read from files; gone when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    /// One of its kind in each thread.
    fn new(name: &str) -> Self {
        let thread: String =
            format!("{:?}", std::thread::current().id()).chars().filter(char::is_ascii_digit).collect();
        Scratch(std::env::temp_dir().join(format!("signorini-fuzz-{}-{thread}-{name}", std::process::id())))
    }

    fn write(&self, bytes: &[u8]) {
        let written = std::fs::write(&self.0, bytes);
        assert!(written.is_ok(), "{}: {written:?}", self.0.display());
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

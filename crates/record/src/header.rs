//! The header of a recording: everything needed to run the simulation again.

use serde::{Deserialize, Serialize};
use signorini::{Scene, World};

/// The format that this program writes. It reads this one and all before it: 2 brought the flags of bodies and another
/// fingerprint, 3 the certificate of the whole step.
pub const FORMAT: u32 = 3;

/// The first record of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub format: u32,
    /// Version of the program that wrote it.
    pub version: String,
    /// Where the first state came from.
    pub origin: Origin,
    /// Method that solves the islands.
    pub method: String,
    /// What counts as solved [m/s].
    pub tolerance: f64,
    /// Names of the bodies, in the order of poses and velocities.
    pub bodies: Vec<String>,
    /// The scene, with the solver and step that were really used.
    pub scene: Scene,
}

/// Where the first state of a recording came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Building the scene gives it, bit for bit: the recording can be checked by running it again.
    Scene,
    /// A program built the world; the scene describes it.
    World,
}

impl Header {
    /// For a world that `scene` was just built into.
    pub fn of_scene(scene: &Scene, world: &World) -> Header {
        Header::new(scene.clone(), world, Origin::Scene)
    }

    /// For a world that a program built, run in steps of `step` \[s\].
    pub fn of_world(world: &World, step: f64) -> Header {
        Header::new(Scene::describe(world, step), world, Origin::World)
    }

    fn new(scene: Scene, world: &World, origin: Origin) -> Header {
        Header {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            origin,
            method: world.settings().method.name().to_owned(),
            tolerance: world.settings().accepted().value,
            bodies: world.bodies().map(|(_, body)| body.id().label()).collect(),
            scene,
        }
    }
}

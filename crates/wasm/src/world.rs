//! A world for JavaScript.

use crate::{built_in, value};
use js_sys::Float64Array;
use serde::Serialize;
use signorini::glamx::DVec3;
use signorini::{BodyHandle, ContactState, Scene, Snapshot};
use wasm_bindgen::prelude::*;

/// A world made of a scene. Bodies are numbered in the order of `names`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct World {
    scene: Scene,
    world: signorini::World,
    handles: Vec<BodyHandle>,
}

#[derive(Serialize)]
struct Contact {
    a: usize,
    b: usize,
    point: [f64; 3],
    normal: [f64; 3],
    impulse: [f64; 3],
    gap: f64,
    state: ContactState,
}

impl World {
    fn of(scene: Scene) -> Result<World, JsError> {
        let world = scene.build()?;
        let handles = world.bodies().map(|(handle, _)| handle).collect();
        Ok(World { scene, world, handles })
    }

    fn handle(&self, body: usize) -> Result<BodyHandle, JsError> {
        let found = self.handles.get(body).copied();
        found.ok_or_else(|| JsError::new(&format!("there is no body {body}; there are {}", self.handles.len())))
    }
}

fn vector(numbers: &[f64], what: &str) -> Result<DVec3, JsError> {
    match numbers {
        [x, y, z] => Ok(DVec3::new(*x, *y, *z)),
        _ => Err(JsError::new(&format!("{what} has {} numbers; three are wanted", numbers.len()))),
    }
}

#[wasm_bindgen]
impl World {
    /// Reads a scene in TOML or JSON. What is refused is thrown with line and column.
    #[wasm_bindgen(constructor)]
    pub fn new(scene: &str) -> Result<World, JsError> {
        World::of(signorini_view::local::read_scene(scene).map_err(|error| JsError::new(&error))?)
    }

    /// A built-in scene.
    #[wasm_bindgen(js_name = ofScene)]
    pub fn of_scene(name: &str) -> Result<World, JsError> {
        World::of(built_in(name)?)
    }

    /// One robot in URDF or MJCF, in its home pose.
    #[wasm_bindgen(js_name = ofRobot)]
    pub fn of_robot(text: &str) -> Result<World, JsError> {
        World::of(Scene::from_urdf(text)?)
    }

    /// Takes a step of `seconds`, or of the scene's time step, and returns its report.
    #[wasm_bindgen(unchecked_return_type = "StepReport")]
    pub fn step(&mut self, seconds: Option<f64>) -> Result<JsValue, JsError> {
        let report = self.world.step(seconds.unwrap_or(self.scene.step))?;
        value(&report)
    }

    /// Takes many steps and returns how many of them were certified: no reports are made.
    pub fn run(&mut self, steps: u32) -> Result<u32, JsError> {
        let mut certified = 0;
        for _ in 0..steps {
            let report = self.world.step(self.scene.step)?;
            certified += u32::from(report.status == signorini::StepStatus::Certified);
        }
        Ok(certified)
    }

    /// Time since the beginning [s].
    #[wasm_bindgen(getter)]
    pub fn time(&self) -> f64 {
        self.world.time()
    }

    /// Time step of the scene [s].
    #[wasm_bindgen(getter, js_name = timeStep)]
    pub fn time_step(&self) -> f64 {
        self.scene.step
    }

    /// How many steps the scene is meant to run for.
    #[wasm_bindgen(getter)]
    pub fn duration(&self) -> u32 {
        u32::try_from(self.scene.steps()).unwrap_or(u32::MAX)
    }

    /// Names of the bodies.
    #[wasm_bindgen(getter)]
    pub fn names(&self) -> Vec<String> {
        self.world.bodies().map(|(_, body)| body.id().label()).collect()
    }

    /// Seven numbers per body: position of its frame [m], orientation w x y z.
    #[wasm_bindgen(getter)]
    pub fn poses(&self) -> Float64Array {
        let numbers = self.world.bodies().flat_map(|(_, body)| {
            let (x, q) = (body.position(), body.orientation());
            [x.x, x.y, x.z, q.w, q.x, q.y, q.z]
        });
        Float64Array::from(&numbers.collect::<Vec<f64>>()[..])
    }

    /// Six numbers per body: velocity of its centre of mass [m/s], angular velocity [rad/s].
    #[wasm_bindgen(getter)]
    pub fn velocities(&self) -> Float64Array {
        let numbers = self.world.bodies().flat_map(|(_, body)| {
            let (v, w) = (body.velocity(), body.angular_velocity());
            [v.x, v.y, v.z, w.x, w.y, w.z]
        });
        Float64Array::from(&numbers.collect::<Vec<f64>>()[..])
    }

    /// The contacts of the last step.
    #[wasm_bindgen(getter, unchecked_return_type = "Contact[]")]
    pub fn contacts(&self) -> Result<JsValue, JsError> {
        let place = |handle| self.handles.iter().position(|known| *known == handle).unwrap_or(usize::MAX);
        let contacts: Vec<Contact> = self
            .world
            .contacts()
            .iter()
            .map(|c| Contact {
                a: place(c.a),
                b: place(c.b),
                point: c.point.to_array(),
                normal: c.normal.to_array(),
                impulse: c.impulse.to_array(),
                gap: c.gap,
                state: c.state(),
            })
            .collect();
        value(&contacts)
    }

    /// Fingerprint of the state, sixteen hexadecimal digits: the same on every machine.
    #[wasm_bindgen(getter, js_name = stateHash)]
    pub fn state_hash(&self) -> String {
        format!("{:016x}", self.world.state_hash())
    }

    /// A force [N] on a body at a point [m] for the next step.
    #[wasm_bindgen(js_name = addForce)]
    pub fn add_force(&mut self, body: usize, force: &[f64], point: &[f64]) -> Result<(), JsError> {
        let handle = self.handle(body)?;
        Ok(self.world.add_force_at(handle, vector(force, "force")?, vector(point, "point")?)?)
    }

    /// Sets velocity [m/s] and angular velocity [rad/s] of a body.
    #[wasm_bindgen(js_name = setVelocity)]
    pub fn set_velocity(&mut self, body: usize, linear: &[f64], angular: &[f64]) -> Result<(), JsError> {
        let (handle, angular) = (self.handle(body)?, vector(angular, "angular")?);
        self.world.set_velocity(handle, vector(linear, "linear")?)?;
        Ok(self.world.set_angular_velocity(handle, angular)?)
    }

    /// The whole state as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        self.world.snapshot().to_bytes()
    }

    /// Takes the world back to a snapshot of it.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), JsError> {
        self.world.restore(&Snapshot::from_bytes(snapshot)?)?;
        self.handles = self.world.bodies().map(|(handle, _)| handle).collect();
        Ok(())
    }
}

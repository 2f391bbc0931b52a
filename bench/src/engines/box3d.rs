//! Box3D, single precision. Sleeping off. `stiff`: 16 substeps and contact springs of 240 Hz, ζ = 5.
//!
//! Its friction is one impulse per manifold, of which it tells the last substep only; its steps are not audited.

use super::Engine;
use crate::BenchError;
use crate::scene::{Scene, ShapeKind};
use crate::trajectory::Frame;
use boxddd::prelude::{BodyId, BodyType, BoxHull, Foundation, Quat, Sphere, Vec3, World};

/// Names of the settings.
pub const SETTINGS: &[&str] = &["default", "stiff"];

/// Speed at which overlap is pushed out at most [m/s]: Box3D's default.
const PUSH_SPEED: f32 = 3.0;

struct Box3d {
    world: World,
    bodies: Vec<BodyId>,
    dt: f32,
    substeps: i32,
}

pub fn load(scene: &Scene, settings: &'static str, threads: usize) -> Result<Box<dyn Engine>, BenchError> {
    let vector = |v: [f64; 3]| Vec3::new(v[0] as f32, v[1] as f32, v[2] as f32);
    let foundation = Foundation::initialize_default().map_err(BenchError::engine)?;
    let mut definition = foundation.world_def_builder().gravity(vector(scene.gravity)).enable_sleep(false);
    definition = definition.worker_count(threads as u32);
    let mut substeps = 4;
    if settings == "stiff" {
        substeps = 16;
        definition = definition.contact_tuning(240.0, 5.0, PUSH_SPEED);
    }
    let definition = definition.build().map_err(BenchError::engine)?;
    let mut world = foundation.create_world(definition).map_err(BenchError::engine)?;
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    for body in &scene.bodies {
        let [w, x, y, z] = body.quat.map(|c| c as f32);
        let place = body.pos.map(|c| c as f32);
        let definition = foundation
            .body_def_builder()
            .body_type(if body.fixed { BodyType::Static } else { BodyType::Dynamic })
            .position(place)
            .rotation(Quat { v: Vec3::new(x, y, z), s: w })
            .linear_velocity(vector(body.v))
            .angular_velocity(vector(body.w))
            .bullet(body.ccd)
            .enable_sleep(false)
            .build()
            .map_err(BenchError::engine)?;
        let id = world.create_body(definition).map_err(BenchError::engine)?;
        let half = vector(body.half_extents());
        let volume = match body.shape {
            ShapeKind::Box => 8.0 * half.x * half.y * half.z,
            ShapeKind::Sphere => 4.0 / 3.0 * std::f32::consts::PI * half.x.powi(3),
        };
        let surface = foundation
            .shape_def_builder()
            .density(if body.fixed { 1.0 } else { body.mass as f32 / volume })
            .friction(body.mu as f32)
            .restitution(body.e as f32)
            .build()
            .map_err(BenchError::engine)?;
        match body.shape {
            ShapeKind::Box => {
                let hull = BoxHull::new(half.x, half.y, half.z).map_err(BenchError::engine)?;
                world.create_hull_shape(id, &surface, &hull).map_err(BenchError::engine)?;
            }
            ShapeKind::Sphere => {
                let sphere = Sphere::new(Vec3::new(0.0, 0.0, 0.0), half.x);
                world.create_sphere_shape(id, &surface, &sphere).map_err(BenchError::engine)?;
            }
        }
        bodies.push(id);
    }
    Ok(Box::new(Box3d { world, bodies, dt: scene.dt as f32, substeps }))
}

impl Engine for Box3d {
    fn step(&mut self) -> Result<(), BenchError> {
        self.world.step(self.dt, self.substeps).map_err(BenchError::engine)
    }

    fn observe(&self, frame: &mut Frame) -> Result<(), BenchError> {
        for id in &self.bodies {
            let p = self.world.body_position(*id).map_err(BenchError::engine)?;
            let q = self.world.body_rotation(*id).map_err(BenchError::engine)?;
            let v = self.world.body_linear_velocity(*id).map_err(BenchError::engine)?;
            let w = self.world.body_angular_velocity(*id).map_err(BenchError::engine)?;
            frame.poses.push([p.x, p.y, p.z, q.s, q.v.x, q.v.y, q.v.z].map(f64::from));
            frame.velocities.push([v.x, v.y, v.z, w.x, w.y, w.z].map(f64::from));
        }
        Ok(())
    }

    fn contacts(&self) -> Option<usize> {
        None
    }
}

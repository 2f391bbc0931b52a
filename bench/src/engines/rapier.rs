//! Rapier in double and in single precision: the same code over two crates.
//!
//! Sleeping and damping off. `stiff`: 16 substeps and contact springs of 240 Hz, ζ = 5; `coulomb`: friction per point.

/// Names of the settings.
pub const SETTINGS: &[&str] = &["default", "coulomb", "stiff"];

macro_rules! rapier {
    ($module:ident, $rapier:ident, $real:ty) => {
        pub mod $module {
            use crate::BenchError;
            use crate::engines::Engine;
            use crate::scene::{Scene, ShapeKind};
            use crate::trajectory::Frame;
            use $rapier::prelude::*;

            struct Rapier {
                world: PhysicsWorld,
                bodies: Vec<RigidBodyHandle>,
            }

            pub fn load(scene: &Scene, settings: &'static str) -> Result<Box<dyn Engine>, BenchError> {
                let vector = |v: [f64; 3]| Vector::new(v[0] as $real, v[1] as $real, v[2] as $real);
                let mut world = PhysicsWorld::new();
                world.gravity = vector(scene.gravity);
                let parameters = &mut world.integration_parameters;
                parameters.dt = scene.dt as $real;
                match settings {
                    "coulomb" => parameters.friction_model = FrictionModel::Coulomb,
                    "stiff" => {
                        parameters.num_solver_iterations = 16;
                        parameters.contact_softness = SpringCoefficients::new(240.0, 5.0);
                        parameters.static_contact_softness = SpringCoefficients::new(240.0, 5.0);
                    }
                    _ => {}
                }
                let mut bodies = Vec::with_capacity(scene.bodies.len());
                for body in &scene.bodies {
                    let [w, x, y, z] = body.quat.map(|c| c as $real);
                    let pose = Pose::from_parts(vector(body.pos), Rotation::from_xyzw(x, y, z, w));
                    let builder = if body.fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
                    let rigid = builder
                        .pose(pose)
                        .linvel(vector(body.v))
                        .angvel(vector(body.w))
                        .can_sleep(false)
                        .ccd_enabled(body.ccd)
                        .gyroscopic_forces_enabled(true);
                    let half = vector(body.half_extents());
                    let collider = match body.shape {
                        ShapeKind::Box => ColliderBuilder::cuboid(half.x, half.y, half.z),
                        ShapeKind::Sphere => ColliderBuilder::ball(half.x),
                    };
                    let mut collider = collider.friction(body.mu as $real).restitution(body.e as $real);
                    if !body.fixed {
                        collider = collider.mass(body.mass as $real);
                    }
                    bodies.push(world.insert(rigid, collider).0);
                }
                Ok(Box::new(Rapier { world, bodies }))
            }

            impl Engine for Rapier {
                fn step(&mut self) -> Result<(), BenchError> {
                    self.world.step();
                    Ok(())
                }

                #[allow(clippy::unnecessary_cast)]
                fn observe(&self, frame: &mut Frame) -> Result<(), BenchError> {
                    for handle in &self.bodies {
                        let body = &self.world.bodies[*handle];
                        let (p, q) = (body.translation(), body.rotation());
                        let (v, w) = (body.linvel(), body.angvel());
                        frame.poses.push([p.x, p.y, p.z, q.w, q.x, q.y, q.z].map(|c| c as f64));
                        frame.velocities.push([v.x, v.y, v.z, w.x, w.y, w.z].map(|c| c as f64));
                    }
                    Ok(())
                }

                fn contacts(&self) -> Option<usize> {
                    let pairs = self.world.narrow_phase.contact_pairs();
                    let manifolds = pairs.flat_map(|pair| pair.solver_manifolds());
                    Some(manifolds.map(|manifold| manifold.data.solver_contacts.len()).sum())
                }
            }
        }
    };
}

rapier!(double, rapier3d_f64, f64);
rapier!(single, rapier3d, f32);

//! Rapier in double and in single precision: the same code over two crates.
//!
//! Sleeping and damping off. `stiff`: 16 substeps and contact springs of 240 Hz, ζ = 5; `coulomb`: friction per point.
//!
//! What its contacts did over a step is read off its manifolds. Normal impulses, and friction with `coulomb`, are its sums
//! over the substeps. The default friction is one impulse per manifold, of which it tells the last substep: that times
//! the number of substeps, shared among the points like the normal impulses, stands for the step. Its twist about the
//! normal is left out. What this misses shows as velocity that no impulse explains.
//!
//! One thread: with its feature `parallel` every run of this program would use the threaded pipeline, single-threaded
//! rows included.

/// Names of the settings.
pub const SETTINGS: &[&str] = &["default", "coulomb", "stiff"];

macro_rules! rapier {
    ($module:ident, $rapier:ident, $real:ty) => {
        pub mod $module {
            use crate::BenchError;
            use crate::engines::Engine;
            use crate::scene::{Scene, ShapeKind};
            use crate::trajectory::{Frame, Touch};
            use signorini::glamx::{DQuat, DVec3};
            use $rapier::geometry::NEW_CONTACT_BIT;
            use $rapier::prelude::*;

            struct Rapier {
                world: PhysicsWorld,
                bodies: Vec<RigidBodyHandle>,
                fixed: Vec<bool>,
            }

            pub fn load(scene: &Scene, settings: &'static str, _threads: usize) -> Result<Box<dyn Engine>, BenchError> {
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
                let fixed = scene.bodies.iter().map(|body| body.fixed).collect();
                Ok(Box::new(Rapier { world, bodies, fixed }))
            }

            #[allow(clippy::unnecessary_cast)]
            fn wide(v: Vector) -> DVec3 {
                DVec3::new(v.x as f64, v.y as f64, v.z as f64)
            }

            impl Rapier {
                /// Index of a body in the scene.
                fn index(&self, handle: Option<RigidBodyHandle>) -> Option<usize> {
                    self.bodies.iter().position(|body| Some(*body) == handle)
                }

                /// Where an anchor of a body was at the start of the step: anchors of bodies that move are in their
                /// axes, those of others in the world's.
                fn place(&self, body: Option<usize>, anchor: Vector, before: &Frame) -> DVec3 {
                    match body {
                        Some(index) if !self.fixed[index] => {
                            let [x, y, z, qw, qx, qy, qz] = before.poses[index];
                            DVec3::new(x, y, z) + DQuat::from_xyzw(qx, qy, qz, qw) * wide(anchor)
                        }
                        _ => wide(anchor),
                    }
                }

                #[allow(clippy::unnecessary_cast)]
                fn touches_of(&self, manifold: &ContactManifold, before: &Frame, out: &mut Vec<Touch>) {
                    let parameters = &self.world.integration_parameters;
                    let data = &manifold.data;
                    let (a, b) = (self.index(data.rigid_body1), self.index(data.rigid_body2));
                    let normal = wide(data.normal);
                    let all: f64 = manifold.points.iter().map(|p| p.data.impulse as f64).sum();
                    for contact in &data.solver_contacts {
                        let id = (contact.contact_id[0] & !NEW_CONTACT_BIT) as usize;
                        let Some(point) = manifold.points.get(id).map(|point| &point.data) else { continue };
                        let push = point.impulse as f64;
                        let last = wide(point.warmstart_tangent_world);
                        let friction = match parameters.friction_model {
                            FrictionModel::Coulomb => {
                                // Both are given in the same two directions t and d × t; the last substep is known in
                                // world axes too, which tells what t is.
                                let [x, y] = [0, 1].map(|i| point.warmstart_tangent_impulse[i] as f64);
                                let [sx, sy] = [0, 1].map(|i| point.tangent_impulse[i] as f64);
                                let size = x * x + y * y;
                                let turn = |v: DVec3| (-normal).cross(v);
                                let t = if size > 0.0 { (x * last - y * turn(last)) / size } else { DVec3::ZERO };
                                sx * t + sy * turn(t)
                            }
                            _ if all > 0.0 => last * (parameters.num_solver_iterations as f64 * push / all),
                            _ => DVec3::ZERO,
                        };
                        let (p, q) = (self.place(a, contact.anchor1, before), self.place(b, contact.anchor2, before));
                        out.push(Touch {
                            a,
                            b,
                            point: (0.5 * (p + q)).to_array(),
                            normal: normal.to_array(),
                            gap: (q - p).dot(normal),
                            // Friction is given as it acts on the first body.
                            impulse: (push * normal - friction).to_array(),
                        });
                    }
                }
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

                fn touching(&self, before: &Frame) -> Option<Vec<Touch>> {
                    let mut out = Vec::new();
                    for pair in self.world.narrow_phase.contact_pairs() {
                        for manifold in pair.solver_manifolds() {
                            self.touches_of(manifold, before, &mut out);
                        }
                    }
                    Some(out)
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
#[cfg(feature = "peers")]
rapier!(single, rapier3d, f32);

//! The same world in rapier3d-f64 at its defaults, sleeping off.

use super::watch::{Facts, Link, Moment};
use crate::BenchError;
use rapier3d_f64::prelude::*;
use signorini::glamx::DVec3;
use signorini::scene::JointKindDescription;
use signorini::{Combine, Kind, World};

pub struct Rapier {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
}

fn rule(rule: Combine) -> CoefficientCombineRule {
    match rule {
        Combine::Average => CoefficientCombineRule::Average,
        Combine::Minimum => CoefficientCombineRule::Min,
        Combine::Maximum => CoefficientCombineRule::Max,
        Combine::Multiply => CoefficientCombineRule::Multiply,
        _ => CoefficientCombineRule::GeometricMean,
    }
}

impl Rapier {
    /// Copies a world at its start. Rapier has no rod: scenes with distance joints are refused.
    pub fn load(facts: &Facts, ours: &World, dt: f64) -> Result<Self, BenchError> {
        let mut world = PhysicsWorld::new();
        world.gravity = facts.gravity;
        world.integration_parameters.dt = dt;
        let mut bodies = Vec::with_capacity(facts.bodies.len());
        for fact in &facts.bodies {
            let view = ours.body(fact.handle).map_err(BenchError::engine)?;
            let builder = match fact.kind {
                Kind::Dynamic => RigidBodyBuilder::dynamic(),
                Kind::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
                Kind::Fixed => RigidBodyBuilder::fixed(),
            };
            let mut rigid = builder
                .pose(view.pose())
                .linvel(view.velocity())
                .angvel(view.angular_velocity())
                .can_sleep(false)
                .ccd_enabled(view.is_fast())
                .gyroscopic_forces_enabled(true);
            if fact.kind == Kind::Dynamic {
                let mass = MassProperties::with_inertia_matrix(fact.centre, fact.mass, fact.inertia);
                rigid = rigid.additional_mass_properties(mass);
            }
            let handle = world.insert_body(rigid);
            let surface = view.material();
            for part in &fact.parts {
                let collider = ColliderBuilder::new(part.whole.clone())
                    .position(part.place)
                    .density(0.0)
                    .friction(surface.friction)
                    .friction_combine_rule(rule(surface.friction_rule))
                    .restitution(surface.restitution)
                    .restitution_combine_rule(rule(surface.restitution_rule));
                world.insert_collider(collider, Some(handle));
            }
            bodies.push(handle);
        }
        let mut peer = Rapier { world, bodies };
        for link in &facts.links {
            peer.join(link)?;
        }
        Ok(peer)
    }

    fn join(&mut self, link: &Link) -> Result<(), BenchError> {
        let [(a, p), (b, q)] = link.ends;
        let mut body = |end: Option<usize>| match end {
            Some(body) => self.bodies[body],
            None => self.world.insert_body(RigidBodyBuilder::fixed()),
        };
        let (a, b) = (body(a), body(b));
        let joint: GenericJoint = match link.kind {
            JointKindDescription::Ball => {
                let made = SphericalJointBuilder::new().local_anchor1(p).local_anchor2(q);
                made.contacts_enabled(link.bodies_touch).into()
            }
            JointKindDescription::Fixed => {
                let turned = Pose::from_parts(p, link.relative);
                let made = FixedJointBuilder::new().local_frame1(turned).local_frame2(Pose::from_translation(q));
                made.contacts_enabled(link.bodies_touch).into()
            }
            kind => {
                return Err(BenchError::Engine(format!("rapier is not asked for {} joints here", kind.name())));
            }
        };
        self.world.insert_impulse_joint(a, b, joint);
        Ok(())
    }

    pub fn step(&mut self) {
        self.world.step();
    }

    pub fn observe(&self) -> Moment {
        let mut moment = Moment::default();
        for handle in &self.bodies {
            let body = &self.world.bodies[*handle];
            moment.poses.push(*body.position());
            let (v, w): (DVec3, DVec3) = (body.linvel(), body.angvel());
            moment.velocities.push((v, w));
        }
        moment
    }
}

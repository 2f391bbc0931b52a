//! Random sequences of calls with good, extreme and bad values. Whatever is called: no panic, nothing that is not finite,
//! and a call that is refused has changed nothing at all.

use crate::fixture::*;
use signorini::glamx::DPose3;
use signorini::{Combine, JointHandle, StoppingRule};

const VALUES: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    10.0,
    1e-3,
    1e3,
    -1e3,
    1e-9,
    5e-324,
    -1e-310,
    1e10,
    -1e12,
    1e154,
    -1e155,
    1e300,
    1.7e308,
    f64::MIN,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

/// Numbers of which most are usable, so that the world lives.
struct Values(Random);

impl Values {
    fn number(&mut self) -> f64 {
        match self.0.below(40) {
            0 => VALUES[self.0.below(VALUES.len())],
            n if n < 4 => VALUES[self.0.below(10)],
            _ => 4.0 * self.0.unit() - 2.0,
        }
    }
    fn vector(&mut self) -> DVec3 {
        v(self.number(), self.number(), self.number())
    }
    fn turn(&mut self) -> DQuat {
        match self.0.below(6) {
            0 => DQuat::from_xyzw(self.number(), self.number(), self.number(), self.number()),
            _ => DQuat::from_scaled_axis(self.0.vector(3.0)),
        }
    }
    fn shape(&mut self) -> Option<Shape> {
        let shape = match self.0.below(9) {
            0 => Shape::sphere(self.number()),
            1 => Shape::cuboid(self.vector().abs()),
            2 => Shape::capsule(self.number(), self.number()),
            3 => Shape::cylinder(self.number(), self.number()),
            4 => Shape::cone(self.number(), self.number()),
            5 => Shape::half_space(self.vector()),
            6 => Shape::convex_hull(&[0; 7].map(|_| self.vector())),
            7 => {
                let part = Shape::cuboid(self.vector().abs() + DVec3::splat(0.1)).ok()?;
                Shape::compound(vec![(DPose3::from_parts(self.vector(), self.turn()), part)])
            }
            _ => Shape::triangle_mesh(
                [0; 4].map(|_| self.vector()).to_vec(),
                vec![[0, 1, 2], [1, 2, self.0.below(6) as u32]],
            ),
        };
        shape.ok()
    }
    fn material(&mut self) -> Material {
        let rules = [Combine::GeometricMean, Combine::Average, Combine::Minimum, Combine::Maximum, Combine::Multiply];
        Material::new(self.number().abs(), self.number().abs().min(1.5))
            .friction_rule(rules[self.0.below(5)])
            .restitution_rule(rules[self.0.below(5)])
    }
    fn body(&mut self) -> Option<Body> {
        let shape = self.shape()?;
        let body = match self.0.below(4) {
            0 => Body::fixed(shape),
            1 => Body::kinematic(shape).velocity(self.vector()),
            _ => Body::dynamic(shape).velocity(self.vector()).angular_velocity(self.vector()),
        };
        let body = match self.0.below(4) {
            0 => body.mass(self.number()),
            1 => body.density(self.number()),
            2 => {
                let inertia = DMat3::from_diagonal(self.vector());
                body.mass_properties(MassProperties { mass: self.number(), centre: self.vector(), inertia })
            }
            _ => body.mass(0.5 + self.0.unit()),
        };
        let body = body.position(3.0 * self.vector()).orientation(self.turn()).material(self.material());
        Some(if self.0.below(3) == 0 { body } else { body.numbered(self.0.below(20) as u64) })
    }
    fn settings(&mut self) -> Settings {
        // No position pass: bodies squeezed between fixed ones are many here, and what has no solution is tried for long.
        let stabilisation = match self.0.below(3) {
            0 => Stabilisation::VelocityBias { fraction: self.number().abs() },
            1 => Stabilisation::SplitImpulse { fraction: 0.0, slop: self.number(), cap: self.number() },
            _ => Stabilisation::None,
        };
        Settings {
            gravity: 5.0 * self.vector(),
            // Islands without a solution (joints that cannot be met) are many here, and the default method tries them for
            // seconds: sweeps with a cap instead.
            method: Method::Nsgs,
            stop: StoppingRule {
                max_iterations: Some(self.0.below(100)),
                ..StoppingRule::velocity(self.number().abs() * 1e-9)
            },
            rest_speed: self.number().abs(),
            stabilisation,
            joint_correction: if self.0.below(9) == 0 { self.number().abs() + 1.5 } else { 0.0 },
            margin: 0.01 * self.number().abs(),
            ..Settings::default()
        }
    }
}

/// All that a caller can see of a world.
fn fingerprint(w: &World, joints: &[JointHandle]) -> (u64, String) {
    let mut text = format!("{:?} {} {} {:?}", w.settings(), w.time(), w.steps(), w.contacts().len());
    for (handle, b) in w.bodies() {
        text += &format!("{handle:?} {} {:?} {:?} {}", b.id(), b.kind(), b.material(), b.mass());
    }
    for joint in joints {
        text += &format!("{:?}", w.joint(*joint).ok());
    }
    (w.state_hash(), text)
}

fn sequence(seed: u64, calls: usize) -> [usize; 3] {
    let mut values = Values(Random::new(seed));
    let mut w = world();
    let stop = StoppingRule { max_iterations: Some(100), ..w.settings().stop };
    let stabilisation = Stabilisation::None;
    let calm = Settings { stop, method: Method::Nsgs, stabilisation, joint_correction: 0.0, ..*w.settings() };
    w.set_settings(calm).unwrap();
    let (mut handles, mut joints): (Vec<BodyHandle>, Vec<JointHandle>) = (Vec::new(), Vec::new());
    let stranger = world().add(ball("stranger", DVec3::ZERO)).unwrap();
    let mut counts = [0; 3];
    for _ in 0..calls {
        let before = fingerprint(&w, &joints);
        // Handles of removed bodies stay in the list, and now and then one of another world is used.
        let pick = |values: &mut Values| match values.0.below(50) {
            0 => stranger,
            _ if handles.is_empty() => stranger,
            _ => handles[values.0.below(handles.len())],
        };
        let b = pick(&mut values);
        let outcome: Result<(), String> = match values.0.below(16) {
            0..=2 if w.bodies().count() < 8 => match values.body() {
                Some(body) => w.add(body).map(|handle| handles.push(handle)).map_err(|e| e.to_string()),
                None => Ok(()),
            },
            // Most handles of removed bodies are forgotten, a few are used on.
            0 if w.body(b).is_ok() => {
                if values.0.below(10) > 0 {
                    handles.retain(|handle| *handle != b);
                }
                w.remove(b).map_err(|e| e.to_string())
            }
            3 => w.set_position(b, 3.0 * values.vector()).map_err(|e| e.to_string()),
            4 => w.set_orientation(b, values.turn()).map_err(|e| e.to_string()),
            5 => w.set_velocity(b, values.vector()).map_err(|e| e.to_string()),
            6 => w.set_angular_velocity(b, values.vector()).map_err(|e| e.to_string()),
            7 => w.set_material(b, values.material()).map_err(|e| e.to_string()),
            8 => w.add_force(b, values.vector()).map_err(|e| e.to_string()),
            9 => w.add_torque(b, values.vector()).map_err(|e| e.to_string()),
            10 => w.add_force_at(b, values.vector(), values.vector()).map_err(|e| e.to_string()),
            11 => {
                let other = pick(&mut values);
                let anchor = if values.0.below(2) == 0 {
                    Anchor::World(values.vector().into())
                } else {
                    (other, values.vector()).into()
                };
                let joint = match values.0.below(3) {
                    0 => Joint::ball(b, values.vector(), anchor),
                    1 => Joint::fixed(b, values.vector(), anchor),
                    _ => Joint::distance(b, values.vector(), anchor, values.number()),
                };
                w.add_joint(joint.misfit(Misfit::Corrected))
                    .map(|handle| joints.push(handle))
                    .map_err(|e| e.to_string())
            }
            12 if !joints.is_empty() => w.remove_joint(joints[values.0.below(joints.len())]).map_err(|e| e.to_string()),
            13 => w.set_settings(values.settings()).map_err(|e| e.to_string()),
            14 => {
                let (pose, shape) = (DPose3::from_parts(values.vector(), values.turn()), values.shape());
                let hit = w.cast_ray(values.vector(), values.vector(), values.number());
                assert!(hit.is_none_or(|(_, hit)| hit.distance.is_finite() && hit.normal.is_finite()), "{hit:?}");
                if let Some(shape) = shape {
                    w.overlaps(&shape, &pose);
                    let hit = w.cast_shape(&shape, &pose, values.vector(), values.number());
                    assert!(hit.is_none_or(|(_, hit)| hit.time.is_finite() && hit.normal.is_finite()), "{hit:?}");
                }
                assert_eq!(fingerprint(&w, &joints), before, "asking changes nothing");
                Ok(())
            }
            _ => {
                let dt = if values.0.below(8) == 0 { values.number() } else { H };
                counts[2] += 1;
                let outcome = w.step(dt).map(|_| ()).map_err(|e| e.to_string());
                if outcome.is_err() {
                    // What a caller does then: take the forces back and go on.
                    assert_eq!(fingerprint(&w, &joints), before, "{outcome:?}");
                    w.clear_forces();
                    counts[1] += 1;
                    continue;
                }
                outcome
            }
        };
        counts[0] += 1;
        if let Err(error) = outcome {
            counts[1] += 1;
            assert_eq!(fingerprint(&w, &joints), before, "seed {seed}: {error}");
        }
        all_finite(&w);
    }
    counts
}

#[test]
fn a_hundred_thousand_random_calls() {
    let sequences: u64 = std::env::var("api_sequences").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let mut total = [0; 3];
    for seed in 0..sequences {
        let counts = sequence(seed, 400);
        (0..3).for_each(|i| total[i] += counts[i]);
    }
    println!("{} calls of which {} were refused; {} steps", total[0], total[1], total[2]);
    assert!(total[1] > total[0] / 20, "bad values must be among them: {total:?}");
}

//! Worlds that nobody would build on purpose: a few bodies of any shape, sizes over four decades, masses over eight, thrown
//! at each other in overlap, with joints, driven bodies, any friction and restitution, and a tolerance that may be zero.

use crate::fixture::*;
use signorini::glamx::DPose3;
use signorini::{ImpactLaw, Kind, Motor, Sleeping};

/// A world, how it is stepped, and what is done to it meanwhile.
pub struct Scenario {
    pub world: World,
    pub dt: f64,
    bodies: Vec<BodyHandle>,
    random: Random,
}

/// How large a world is. What breaks things takes few bodies as a rule; many small worlds find more of it in the same time than
/// a few large ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Two to four bodies, 3 steps: nearly all.
    Small,
    /// Two to ten, 12 steps: every two hundredth.
    Middle,
    /// Two to thirty-one, 12 steps: every ten thousandth.
    Large,
}

impl Size {
    pub fn of(seed: u64) -> Size {
        match seed {
            _ if seed.is_multiple_of(10_000) => Size::Large,
            _ if seed.is_multiple_of(200) => Size::Middle,
            _ => Size::Small,
        }
    }

    /// Bodies beyond two: less than this.
    fn spread(self) -> usize {
        match self {
            Size::Small => 3,
            Size::Middle => 9,
            Size::Large => 30,
        }
    }

    /// Steps that are taken.
    pub fn steps(self) -> usize {
        if self == Size::Small { 3 } else { 12 }
    }
}

/// 10^x with x even in ± `decades`.
fn decades(random: &mut Random, decades: f64) -> f64 {
    10.0_f64.powf(decades * (2.0 * random.unit() - 1.0))
}

fn shape(random: &mut Random, size: f64) -> Shape {
    let length = |random: &mut Random| {
        let spread = if random.below(8) == 0 { 1.0 } else { 0.3 };
        size * decades(random, spread)
    };
    let made = match random.below(7) {
        0 => Shape::sphere(length(random)),
        1 => Shape::capsule(length(random), length(random)),
        2 => Shape::cylinder(length(random), length(random)),
        3 => Shape::cone(length(random), length(random)),
        4 => Shape::convex_hull(&[0; 9].map(|_| random.vector(size))),
        5 => {
            let part = |random: &mut Random| {
                let turn = DQuat::from_scaled_axis(random.vector(3.0));
                let cuboid = Shape::cuboid(v(length(random), length(random), length(random))).unwrap();
                (DPose3::from_parts(random.vector(size), turn), cuboid)
            };
            Shape::compound(vec![part(random), part(random)])
        }
        _ => Shape::cuboid(v(length(random), length(random), length(random))),
    };
    made.unwrap_or_else(|_| Shape::sphere(size).unwrap())
}

fn material(random: &mut Random) -> Material {
    let friction = [0.0, 0.3, 1e9, random.unit(), 2.0 * random.unit()][random.below(5)];
    let restitution = [0.0, 0.0, 1.0, random.unit()][random.below(4)];
    surface(friction, restitution)
}

fn settings(random: &mut Random) -> Settings {
    let tolerance = [1e-9, 1e-9, 0.0, 1e-6][random.below(4)];
    Settings {
        gravity: [v(0.0, 0.0, -9.81), v(0.0, 0.0, -9.81), DVec3::ZERO, random.vector(20.0)][random.below(4)],
        stop: StoppingRule::velocity(tolerance),
        sleeping: if random.below(4) == 0 { Sleeping::islands() } else { Sleeping::Off },
        impact: if random.below(4) == 0 { ImpactLaw::Sequential { rounds: 100 } } else { ImpactLaw::Newton },
        ..Settings::default()
    }
}

impl Scenario {
    pub fn new(seed: u64) -> Self {
        Scenario::of_size(seed, Size::of(seed))
    }

    pub fn of_size(seed: u64, size: Size) -> Self {
        let mut random = Random::new(seed);
        let mut world = World::new(settings(&mut random)).unwrap();
        let dt = [1.0 / 60.0, 1.0 / 60.0, 1.0 / 240.0, 0.1][random.below(4)];
        if random.below(4) != 0 {
            let floor = Body::fixed(Shape::half_space(DVec3::Z).unwrap());
            world.add(floor.material(material(&mut random)).named("floor")).unwrap();
        }
        let mut scenario = Scenario { world, dt, bodies: Vec::new(), random };
        let count = 2 + scenario.random.below(size.spread());
        for _ in 0..count {
            scenario.add_body();
        }
        for _ in 0..[0, 0, 1, count / 2, count][scenario.random.below(5)] {
            scenario.add_joint();
        }
        scenario
    }

    fn add_body(&mut self) {
        let random = &mut self.random;
        let size = if random.below(3) == 0 { decades(random, 2.0) } else { decades(random, 0.3) };
        let shape = shape(random, size);
        let body = match random.below(8) {
            0 => Body::kinematic(shape),
            1 if random.below(3) == 0 => Body::fixed(shape),
            _ => Body::dynamic(shape),
        };
        let body = match random.below(3) {
            0 => body.mass(decades(random, 4.0)),
            1 => body.density(1000.0 * decades(random, 1.0)),
            _ => body,
        };
        let speed = [0.0, 0.0, 1.0, 10.0, 100.0][random.below(5)];
        let angular_velocity = [0.0, 0.0, 1.0, 100.0][random.below(4)];
        let body = body.position(v(0.0, 0.0, 1.0) + random.vector(2.0)).material(material(random));
        let body = body.orientation(DQuat::from_scaled_axis(random.vector(3.0)));
        let body = if random.below(10) == 0 { body.fast() } else { body };
        // A fixed body that is set in motion is refused, and then there is one body less.
        let moving = body.velocity(random.vector(speed)).angular_velocity(random.vector(angular_velocity));
        self.bodies.extend(self.world.add(moving).ok());
    }

    /// Ties two bodies where they are, or, once in four, where they are not.
    fn add_joint(&mut self) {
        if self.bodies.len() < 2 {
            return;
        }
        let random = &mut self.random;
        let [a, b] = [0; 2].map(|_| self.bodies[random.below(self.bodies.len())]);
        let Ok([place_a, place_b]) = self.world.body(a).and_then(|a| Ok([a.pose(), self.world.body(b)?.pose()])) else {
            return;
        };
        let off = if random.below(4) == 0 { random.vector(1.0) } else { DVec3::ZERO };
        let middle = 0.5 * (place_a.translation + place_b.translation);
        let local = |pose: DPose3, point: DVec3| pose.rotation.inverse() * (point - pose.translation);
        let (anchor_a, anchor_b) = (local(place_a, middle), local(place_b, middle + off));
        let driven = |joint: Joint, motor: bool| match motor {
            true => joint.motor(Motor::velocity(1.0, 5.0)).limits(-0.5, 0.5),
            false => joint.spring(20.0, 1.0, 0.1).friction(0.1).armature(0.01),
        };
        let joint = match random.below(6) {
            4 => driven(Joint::revolute(a, anchor_a, (b, anchor_b)), random.below(2) == 0),
            5 => driven(Joint::prismatic(a, anchor_a, (b, anchor_b)), random.below(2) == 0),
            0 => Joint::fixed(a, anchor_a, (b, anchor_b)),
            1 => Joint::distance(a, DVec3::ZERO, (b, DVec3::ZERO), 0.1 + random.unit()),
            2 => Joint::ball(a, anchor_a, middle + off),
            _ => Joint::ball(a, anchor_a, (b, anchor_b)),
        };
        // Both ends may be one body, or neither dynamic.
        let _ = self.world.add_joint(joint.misfit(Misfit::Corrected));
    }

    /// What somebody may do between two steps, or ask for in vain. What is refused changes nothing: if it does, that is said.
    pub fn disturb(&mut self) -> Result<(), String> {
        if self.bodies.is_empty() || self.random.below(8) != 0 {
            return Ok(());
        }
        let place = self.random.below(self.bodies.len());
        let before = self.world.snapshot().to_bytes();
        let (body, random) = (self.bodies[place], &mut self.random);
        let push = decades(random, 3.0);
        let bad = [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300][random.below(4)];
        let wrong = v(bad, 0.0, 1.0);
        // A push on a driven body is refused too.
        let outcome = match random.below(18) {
            0 => self.world.add_force(body, random.vector(push)),
            1 => self.world.add_torque(body, random.vector(push)),
            2 => self.world.set_velocity(body, random.vector(10.0)),
            3 => self.world.set_position(body, random.vector(3.0)),
            4 => {
                self.bodies.swap_remove(place);
                self.world.remove(body)
            }
            5 => self.world.set_velocity(body, wrong),
            6 => self.world.set_position(body, wrong),
            7 => self.world.set_angular_velocity(body, wrong),
            8 => self.world.add_joint(Joint::ball(body, wrong, DVec3::ZERO)).map(|_| ()),
            9 => self.world.add_impulse(body, random.vector(push)),
            10 => self.world.set_mass(body, decades(random, 4.0)),
            11 => self.world.set_mass(body, bad),
            12 => self.world.set_kind(body, [Kind::Fixed, Kind::Kinematic, Kind::Dynamic][random.below(3)]),
            13 => self.world.set_enabled(body, random.below(2) == 0),
            14 => {
                let size = decades(random, 0.5);
                self.world.set_shape(body, shape(random, size))
            }
            15 => self.world.set_material(body, material(random)),
            16 => self.world.set_damping(body, 10.0 * random.unit(), bad),
            _ => {
                self.add_body();
                Ok(())
            }
        };
        match outcome {
            Err(error) if self.world.snapshot().to_bytes() != before => Err(format!("refused and changed: {error}")),
            _ => Ok(()),
        }
    }
}

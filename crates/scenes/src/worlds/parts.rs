//! Building blocks of scenes.

use signorini::glamx::{DQuat, DVec3};
use signorini::scene::{BodyDescription, EndDescription, JointDescription, JointKindDescription};
use signorini::scene::{ShapeDescription, Triple};
use signorini::{Kind, Scene};
use signorini_problem::math;

/// Acceleration of free fall [m/s²].
pub(super) const G: f64 = 9.81;

/// An empty scene with gravity.
pub(super) fn scene(step: f64, duration: f64, bodies: Vec<BodyDescription>) -> Scene {
    Scene { step, duration, bodies, gravity: [0.0, 0.0, -G], ..Scene::default() }
}

/// An empty scene without.
pub(super) fn weightless(step: f64, duration: f64, bodies: Vec<BodyDescription>) -> Scene {
    Scene { gravity: [0.0; 3], ..scene(step, duration, bodies) }
}

/// A box.
pub(super) fn cuboid(name: &str, half_extents: Triple, mass: f64, position: Triple) -> BodyDescription {
    let shape = ShapeDescription::Cuboid { half_extents };
    BodyDescription { mass: Some(mass), position, ..BodyDescription::new(name, shape) }
}

/// A box that never moves.
pub(super) fn fixed_cuboid(name: &str, half_extents: Triple, position: Triple) -> BodyDescription {
    BodyDescription { position, ..BodyDescription::fixed(name, ShapeDescription::Cuboid { half_extents }) }
}

/// A ball.
pub(super) fn ball(name: &str, radius: f64, mass: f64, position: Triple) -> BodyDescription {
    let shape = ShapeDescription::Sphere { radius };
    BodyDescription { mass: Some(mass), position, ..BodyDescription::new(name, shape) }
}

/// A plane through a point; `normal` points to the free side.
pub(super) fn plane(name: &str, normal: Triple, position: Triple) -> BodyDescription {
    BodyDescription { position, ..BodyDescription::fixed(name, ShapeDescription::HalfSpace { normal }) }
}

/// The ground, z ≤ 0.
pub(super) fn floor() -> BodyDescription {
    plane("floor", [0.0, 0.0, 1.0], [0.0; 3])
}

/// A prism over a section given in (x, z), `depth` long in y, about its own centroid: homogeneous, of this density.
pub(super) fn prism(name: &str, section: &[[f64; 2]], depth: f64, density: f64) -> BodyDescription {
    let [cx, cz] = centroid(section);
    let half = 0.5 * depth;
    let points = section.iter().flat_map(|[x, z]| [[x - cx, -half, z - cz], [x - cx, half, z - cz]]).collect();
    BodyDescription {
        density: Some(density),
        position: [cx, 0.0, cz],
        ..BodyDescription::new(name, ShapeDescription::Hull { points })
    }
}

/// Centroid of a polygon, by Green's theorem.
pub(super) fn centroid(section: &[[f64; 2]]) -> [f64; 2] {
    let (mut area, mut moment) = (0.0, [0.0; 2]);
    for (k, p) in section.iter().enumerate() {
        let q = section[(k + 1) % section.len()];
        let cross = p[0] * q[1] - q[0] * p[1];
        area += 0.5 * cross;
        for axis in 0..2 {
            moment[axis] += cross * (p[axis] + q[axis]) / 6.0;
        }
    }
    moment.map(|m| m / area)
}

/// What can be said about a body after what it is.
pub(super) trait Describe: Sized {
    /// With this friction coefficient and restitution.
    fn surface(self, friction: f64, restitution: f64) -> Self;
    /// Moving.
    fn moving(self, velocity: Triple) -> Self;
    /// Turning.
    fn spinning(self, angular_velocity: Triple) -> Self;
    /// Turned about the y axis [rad]; x goes towards −z.
    fn pitched(self, angle: f64) -> Self;
    /// Moved along with a given velocity, whatever it meets.
    fn driven(self) -> Self;
}

impl Describe for BodyDescription {
    fn surface(self, friction: f64, restitution: f64) -> Self {
        BodyDescription { friction: Some(friction), restitution: Some(restitution), ..self }
    }
    fn moving(self, velocity: Triple) -> Self {
        BodyDescription { velocity, ..self }
    }
    fn spinning(self, angular_velocity: Triple) -> Self {
        BodyDescription { angular_velocity, ..self }
    }
    fn pitched(self, angle: f64) -> Self {
        let q = DQuat::from_rotation_y(angle);
        BodyDescription { orientation: Some([q.w, q.x, q.y, q.z]), ..self }
    }
    fn driven(self) -> Self {
        BodyDescription { kind: Kind::Kinematic, ..self }
    }
}

/// Keeps the centres of two bodies apart.
pub(super) fn rod(a: &str, b: &str, length: f64) -> JointDescription {
    let end = |name: &str| EndDescription::new(Some(name), [0.0; 3]);
    JointDescription::new(JointKindDescription::Distance { length }, end(a), end(b))
}

/// A group of bodies put somewhere else, their names prefixed.
pub(super) fn placed(bodies: Vec<BodyDescription>, prefix: &str, by: Triple) -> Vec<BodyDescription> {
    let place = |body: BodyDescription| BodyDescription {
        name: format!("{prefix}{}", body.name),
        position: (DVec3::from_array(body.position) + DVec3::from_array(by)).to_array(),
        ..body
    };
    bodies.into_iter().map(place).collect()
}

/// ½t² after n steps \[s²\].
pub(super) fn half_square(step: f64, n: f64) -> f64 {
    0.5 * math::powi(step * n, 2)
}

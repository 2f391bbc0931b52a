//! A body pulled by the pointer of a page: a spring and a damper from a point of the body to a point in space.
//!
//! With m the mass of the body, x and v position and velocity of its point, and x₀ where the pointer is,
//!
//! ```text
//! F = m (ω² (x₀ − x) − 2 ζ ω v),   |F| ≤ F_most
//! ```
//!
//! The force is explicit, as a user's program would apply it. The ledger of the step counts it as work from outside,
//! and every frame contains it. With ω h ≤ 1 it is stable also at the corner of a box, where the effective mass is a
//! quarter of m.

use serde::{Deserialize, Serialize};
use signorini::glamx::DVec3;
use signorini::{Kind, World, WorldError};

/// ω [rad/s]: a body follows the pointer within a fifth of a second, and sags by 0.1 m under gravity.
const FREQUENCY: f64 = 10.0;
/// ζ \[1\]: no visible overshoot.
const DAMPING: f64 = 0.8;
/// Largest acceleration [m/s²]: twenty times its weight lifts a body out of a heap without tearing it through the others.
const MOST_ACCELERATION: f64 = 200.0;

/// The body that a page pulls, and how.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    /// Place of the body in the list of the `run` message.
    pub body: usize,
    /// The point of the body, in its frame \[m\].
    pub point: [f64; 3],
    /// Position of the pointer \[m\].
    pub target: [f64; 3],
    /// The force of the last step \[N\].
    #[serde(default, skip_deserializing)]
    pub force: [f64; 3],
    /// Point of attack of that force \[m\].
    #[serde(skip)]
    pub at: [f64; 3],
}

impl Drag {
    /// Whether the world has such a body and the numbers are valid.
    pub fn check(&self, world: &World) -> Result<(), String> {
        if !self.point.iter().chain(&self.target).all(|x| x.is_finite()) {
            return Err("a point to pull at, or to, has a number that is not finite".to_owned());
        }
        match world.bodies().nth(self.body) {
            Some((_, body)) if body.kind() == Kind::Dynamic => Ok(()),
            Some(_) => Err("only a dynamic body can be pulled".to_owned()),
            None => Err(format!("there is no body {}", self.body)),
        }
    }

    /// Adds the force to the next step. A body that was removed is not pulled.
    pub fn apply(&mut self, world: &mut World) -> Result<(), WorldError> {
        let Some((handle, body)) = world.bodies().nth(self.body) else { return Ok(()) };
        let arm = body.orientation() * DVec3::from_array(self.point);
        let at = body.position() + arm;
        let velocity = body.velocity() + body.angular_velocity().cross(at - body.centre_of_mass());
        let way = DVec3::from_array(self.target) - at;
        let acceleration = FREQUENCY * FREQUENCY * way - 2.0 * DAMPING * FREQUENCY * velocity;
        let force = body.mass() * acceleration.clamp_length_max(MOST_ACCELERATION);
        (self.force, self.at) = (force.to_array(), at.to_array());
        world.add_force_at(handle, force, at)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use signorini::{Body, Settings, Shape};

    /// At rest the spring carries the weight: m ω² (z₀ − z) = m g, so z = z₀ − g/ω² = 2 − 0.0981 m.
    #[test]
    fn a_body_comes_to_rest_under_the_pointer_by_its_weight() {
        let mut world = World::new(Settings::default()).unwrap();
        let ball = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).mass(3.0)).unwrap();
        let mut drag = Drag { body: 0, point: [0.0; 3], target: [1.0, 0.0, 2.0], force: [0.0; 3], at: [0.0; 3] };
        assert!(drag.check(&world).is_ok());
        for _ in 0..300 {
            drag.apply(&mut world).unwrap();
            world.step(1.0 / 60.0).unwrap();
        }
        let body = world.body(ball).unwrap();
        let wanted = DVec3::new(1.0, 0.0, 2.0 - 9.81 / 100.0);
        assert!((body.position() - wanted).length() < 1e-6, "{}", body.position());
        assert!((drag.force[2] - 3.0 * 9.81).abs() < 1e-5);
    }

    #[test]
    fn what_cannot_be_pulled_is_refused() {
        let mut world = World::new(Settings::default()).unwrap();
        world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap())).unwrap();
        let drag = Drag { body: 0, point: [0.0; 3], target: [0.0; 3], force: [0.0; 3], at: [0.0; 3] };
        assert!(drag.check(&world).is_err());
        assert!(Drag { body: 1, ..drag }.check(&world).is_err());
        assert!(Drag { target: [f64::NAN, 0.0, 0.0], ..drag }.check(&world).is_err());
    }
}

//! Painlevé's rod: pushed over a rough floor it jams, in the range where sliding on has no solution.

use super::STEP;
use crate::worlds::parts::{Describe, G, floor, scene};
use crate::worlds::{Expectation, answer};
use signorini::Scene;
use signorini::glamx::DVec3;
use signorini::scene::{BodyDescription, ShapeDescription};
use signorini_problem::math;

/// Radius and half length of the axis \[m\].
const ROD: [f64; 2] = [0.02, 1.0];

/// From the vertical [rad].
const ROD_LEAN: f64 = 0.55;

const ROD_FRICTION: f64 = 2.0;

const ROD_SPEED: f64 = 1.0;

/// The rod's lowest point from its middle: (x, z) \[m\].
fn rod_foot() -> [f64; 2] {
    let (sin, cos) = math::sin_cos(ROD_LEAN);
    let [r, a] = ROD;
    [a * sin, -a * cos - r]
}

/// Inertia over mass of a capsule about its middle, across its axis \[m²\]: a cylinder of length 2a and two half balls.
fn rod_inertia() -> f64 {
    let [r, a] = ROD;
    let (cylinder, balls) = (2.0 * a, 4.0 / 3.0 * r);
    let of_cylinder = a * a / 3.0 + r * r / 4.0;
    let of_balls = 0.4 * r * r + a * a + 0.75 * a * r;
    (cylinder * of_cylinder + balls * of_balls) / (cylinder + balls)
}

/// A rod of 1 kg with round ends whose foot is ahead of its middle, moving along without turning. One point of contact:
/// of two, each alone would be able to grip, and the answer would not be unique.
pub(super) fn painleve_rod() -> Scene {
    let [radius, half_height] = ROD;
    let rod = BodyDescription {
        mass: Some(1.0),
        position: [0.0, 0.0, -rod_foot()[1]],
        ..BodyDescription::new("rod", ShapeDescription::Capsule { half_height, radius })
    };
    let rod = rod.pitched(-ROD_LEAN).moving([ROD_SPEED, 0.0, 0.0]).surface(ROD_FRICTION, 0.0);
    scene(STEP, 0.2, vec![floor().surface(ROD_FRICTION, 0.0), rod])
}

/// With the foot at (x, −y) from the middle, sliding on needs a normal impulse of `gh/(1/m + x²/I − μxy/I)`. Here the
/// denominator is negative, and leaving the floor is no solution either (Painlevé 1895): what remains is that the foot
/// stops dead. Angular momentum about it, with the velocity v* = v + hg after forces, gives
/// `ω = m(y v − x g h)/(I + m(x² + y²))` about the y axis.
pub(super) fn painleve_rod_answers() -> Vec<Expectation> {
    let [x, z] = rod_foot();
    let angular_velocity = (-z * ROD_SPEED - x * G * STEP) / (rod_inertia() + x * x + z * z);
    vec![
        answer("spin after the jam", "rad/s", "m (y v − x g h)/(I + m(x² + y²))", angular_velocity, 1e-8, |o| {
            o.at("rod", 1).angular_velocity.y
        }),
        answer("speed of the foot after the jam", "m/s", "0", 0.0, 1e-8, |o| {
            let ([x, z], rod) = (rod_foot(), o.at("rod", 1));
            (rod.velocity + rod.angular_velocity.cross(DVec3::new(x, 0.0, z))).length()
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sliding_on_has_no_solution_for_the_rod() {
        let ([x, z], inertia) = (rod_foot(), rod_inertia());
        assert!(1.0 + x * x / inertia + ROD_FRICTION * x * z / inertia < 0.0);
    }
}

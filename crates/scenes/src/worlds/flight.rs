//! Bodies that touch nothing.

use super::parts::{Describe, G, ball, cuboid, scene, weightless};
use super::{Expectation, NamedScene, Observed, answer};
use signorini::Scene;
use signorini::glamx::DVec3;
use signorini_problem::math;
use std::f64::consts::PI;

pub(super) const SCENES: &[NamedScene] = &[
    NamedScene {
        name: "projectile",
        about: "A ball in flight is on its parabola and keeps its energy.",
        make: projectile,
        answers: projectile_answers,
    },
    NamedScene {
        name: "torque_free_top",
        about: "A box with three different axes tumbles: energy and angular momentum stay, the period is Jacobi's.",
        make: torque_free_top,
        answers: torque_free_top_answers,
    },
];

fn projectile() -> Scene {
    let ball = ball("ball", 0.2, 3.0, [0.0, 0.0, 1.0]).moving([4.0, -1.0, 8.0]);
    scene(1.0 / 60.0, 2.0, vec![ball])
}

/// Flight is the parabola itself, not its Euler polygon.
fn projectile_answers() -> Vec<Expectation> {
    vec![
        answer("height after 2 s", "m", "z + v t − ½gt²", 1.0 + 16.0 - 0.5 * G * 4.0, 1e-11, |o| {
            o.last("ball").position.z
        }),
        answer("way after 2 s", "m", "v t", 8.0, 1e-11, |o| o.last("ball").position.x),
        answer("largest change of energy", "J", "0", 0.0, 1e-10, |o| spread(o, |o, k| o.energy(k))),
    ]
}

/// Largest departure of a quantity from its start.
fn spread(o: &Observed, quantity: fn(&Observed, usize) -> f64) -> f64 {
    let departure = |k: usize| (quantity(o, k) - quantity(o, 0)).abs();
    (0..o.frames()).map(departure).fold(departure(0), super::observed::largest)
}

const HALF: [f64; 3] = [0.5, 0.3, 0.1];
const MASS: f64 = 2.0;
const ANGULAR_VELOCITY: [f64; 3] = [2.0, 0.0, 4.0];
const TOP_STEP: f64 = 1.0 / 240.0;

/// Spins mostly about the axis of largest inertia, z, and somewhat about that of the smallest, x.
fn torque_free_top() -> Scene {
    weightless(TOP_STEP, 10.0, vec![cuboid("box", HALF, MASS, [0.0; 3]).spinning(ANGULAR_VELOCITY)])
}

/// Principal moments `m(b² + c²)/3` and so on, smallest first.
fn moments() -> [f64; 3] {
    let [a, b, c] = HALF.map(|x| x * x * MASS / 3.0);
    [b + c, a + c, a + b]
}

/// Period of the angular velocity in the body's axes (Landau and Lifshitz, Mechanics, §37): for L² > 2E I₂,
/// `T = 4 K(k) √(I₁I₂I₃/((I₃ − I₂)(L² − 2E I₁)))`, `k² = (I₂ − I₁)(2E I₃ − L²)/((I₃ − I₂)(L² − 2E I₁))`, with the
/// complete elliptic integral by the arithmetic–geometric mean, `K = π/2M(1, √(1 − k²))`.
fn period() -> f64 {
    let [i1, i2, i3] = moments();
    let [w1, w2, w3] = ANGULAR_VELOCITY;
    let twice_energy = i1 * w1 * w1 + i2 * w2 * w2 + i3 * w3 * w3;
    let square = math::powi(i1 * w1, 2) + math::powi(i2 * w2, 2) + math::powi(i3 * w3, 2);
    let common = (i3 - i2) * (square - twice_energy * i1);
    let modulus = (i2 - i1) * (twice_energy * i3 - square) / common;
    let (mut a, mut b) = (1.0, (1.0 - modulus).sqrt());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    4.0 * PI / (2.0 * a) * (i1 * i2 * i3 / common).sqrt()
}

/// Mean time between upward zero crossings of the middle component of the spin in the body's axes.
fn measured_period(o: &Observed) -> f64 {
    let middle = |k: usize| {
        let body = o.at("box", k);
        (body.orientation.inverse() * body.angular_velocity).y
    };
    let mut crossings = Vec::new();
    for k in 1..o.last_frame() {
        let (from, to) = (middle(k), middle(k + 1));
        if from < 0.0 && to >= 0.0 {
            crossings.push(o.step * (k as f64 + from / (from - to)));
        }
    }
    match crossings[..] {
        [first, .., last] => (last - first) / (crossings.len() - 1) as f64,
        _ => f64::NAN,
    }
}

/// The step conserves energy and angular momentum to round-off; the period has its second-order error,
/// `(h|ω|)²/12 ≈ 3e-5` of it.
fn torque_free_top_answers() -> Vec<Expectation> {
    let [i1, i2, i3] = moments();
    let momentum = DVec3::new(i1 * ANGULAR_VELOCITY[0], i2 * ANGULAR_VELOCITY[1], i3 * ANGULAR_VELOCITY[2]).length();
    let energy = 0.5
        * (i1 * math::powi(ANGULAR_VELOCITY[0], 2)
            + i2 * math::powi(ANGULAR_VELOCITY[1], 2)
            + i3 * math::powi(ANGULAR_VELOCITY[2], 2));
    vec![
        answer(
            "period of the spin in the body's axes",
            "s",
            "4 K(k) √(I₁I₂I₃/((I₃ − I₂)(L² − 2E I₁)))",
            period(),
            1e-4 * period(),
            measured_period,
        ),
        answer("angular momentum after 10 s", "kg·m²/s", "‖I ω‖", momentum, 1e-11 * momentum, |o| {
            o.angular_momentum(o.last_frame()).length()
        }),
        answer("turn of the angular momentum", "rad", "0", 0.0, 1e-11, |o| {
            let (then, now) = (o.angular_momentum(0), o.angular_momentum(o.last_frame()));
            then.cross(now).length() / (then.length() * now.length())
        }),
        answer("energy after 10 s", "J", "½ ω·Iω", energy, 1e-11 * energy, |o| o.kinetic_energy(o.last_frame())),
    ]
}

//! Weights on rods without mass.

use super::parts::{G, ball, rod, scene};
use super::{Expectation, NamedScene, Observed, answer};
use signorini::Scene;
use signorini::scene::{BodyDescription, ShapeDescription};
use signorini_problem::math;
use std::f64::consts::PI;

pub(super) const SCENES: &[NamedScene] = &[
    NamedScene {
        name: "hanging_chain",
        about: "Eight weights hang on each other: each rod carries what is below it.",
        make: hanging_chain,
        answers: hanging_chain_answers,
    },
    NamedScene {
        name: "catenary",
        about: "Seven weights on eight rods between two hooks hang in their funicular polygon.",
        make: catenary,
        answers: catenary_answers,
    },
    NamedScene {
        name: "pendulum",
        about: "A weight on a rod swings with the period of the elliptic integral.",
        make: pendulum,
        answers: pendulum_answers,
    },
];

const STEP: f64 = 1.0 / 60.0;

fn hook(name: &str, position: [f64; 3]) -> BodyDescription {
    BodyDescription { position, ..BodyDescription::fixed(name, ShapeDescription::Sphere { radius: 0.05 }) }
}

/// Masses 1, 2, …, 8 kg from above.
fn hanging_chain() -> Scene {
    let name = |k: u32| if k == 0 { "hook".to_owned() } else { format!("weight {k}") };
    let weight = |k: u32| ball(&name(k), 0.1, f64::from(k), [0.0, 0.0, -0.5 * f64::from(k)]);
    let bodies = std::iter::once(hook("hook", [0.0; 3])).chain((1..=8).map(weight)).collect();
    Scene { joints: (0..8).map(|k| rod(&name(k), &name(k + 1), 0.5)).collect(), ..scene(STEP, 3.0, bodies) }
}

/// The hook carries 36 kg; the sum of the net forces on weight 5 and below is the tension of the rod above it.
fn hanging_chain_answers() -> Vec<Expectation> {
    vec![
        answer("largest displacement", "m", "0", 0.0, 1e-7, Observed::largest_displacement),
        answer("pull on the hook", "N", "Σ m g", 36.0 * G, 1e-4, |o| -o.last("hook").force.z),
        answer("tension above weight 5", "N", "(5 + 6 + 7 + 8) g", 26.0 * G, 1e-4, |o| {
            (5..=8).map(|k| o.last(&format!("weight {k}")).force.z).sum()
        }),
    ]
}

/// Number of weights, the mass of each \[kg\], horizontal tension \[N\], length of a rod \[m\].
const WEIGHTS: u32 = 7;
const WEIGHT_MASS: f64 = 1.0;
const THRUST: f64 = 20.0;
const LINK: f64 = 0.5;

/// Rod k, from the left, carries the horizontal tension H and the vertical `m g (N/2 − k)`, and points that way: the
/// polygon is in equilibrium by construction (and the stable one, hanging).
fn catenary() -> Scene {
    let mut nodes = vec![[0.0, 0.0]];
    for k in 0..=WEIGHTS {
        let drop = WEIGHT_MASS * G * (0.5 * f64::from(WEIGHTS) - f64::from(k));
        let tension = math::hypot(THRUST, drop);
        let [x, z] = nodes[nodes.len() - 1];
        nodes.push([x + LINK * THRUST / tension, z - LINK * drop / tension]);
    }
    let name = |k: u32| match k {
        0 => "hook left".to_owned(),
        _ if k > WEIGHTS => "hook right".to_owned(),
        _ => format!("weight {k}"),
    };
    let body = |(k, node): (u32, &[f64; 2])| {
        let place = [node[0], 0.0, node[1]];
        if k == 0 || k > WEIGHTS { hook(&name(k), place) } else { ball(&name(k), 0.1, WEIGHT_MASS, place) }
    };
    let bodies = (0..).zip(&nodes).map(body).collect();
    let joints = (0..=WEIGHTS).map(|k| rod(&name(k), &name(k + 1), LINK)).collect();
    Scene { joints, ..scene(STEP, 3.0, bodies) }
}

fn catenary_answers() -> Vec<Expectation> {
    vec![
        answer("largest displacement", "m", "0", 0.0, 1e-7, Observed::largest_displacement),
        answer("horizontal tension", "N", "H", THRUST, 1e-5, |o| o.last("hook left").force.x),
        answer(
            "vertical pull on the right hook",
            "N",
            "N m g/2",
            0.5 * f64::from(WEIGHTS) * WEIGHT_MASS * G,
            1e-5,
            |o| -o.last("hook right").force.z,
        ),
    ]
}

const LENGTH: f64 = 1.0;
/// [rad].
const AMPLITUDE: f64 = 0.2;
const PENDULUM_STEP: f64 = 1.0 / 480.0;

/// A small ball, held at its centre: it does not turn, so it swings as a point.
fn pendulum() -> Scene {
    let (sin, cos) = math::sin_cos(AMPLITUDE);
    let bodies = vec![hook("hook", [0.0; 3]), ball("bob", 0.05, 1.0, [LENGTH * sin, 0.0, -LENGTH * cos])];
    Scene { joints: vec![rod("hook", "bob", LENGTH)], ..scene(PENDULUM_STEP, 6.5, bodies) }
}

/// `T = 2π√(L/g)/M(1, cos θ₀/2)`, M the arithmetic–geometric mean. The step is of first order in the amplitude, which it
/// damps by hω²/2 per second, and of second in the period.
fn pendulum_answers() -> Vec<Expectation> {
    let (mut a, mut b) = (1.0, math::cos(0.5 * AMPLITUDE));
    for _ in 0..6 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let period = 2.0 * PI * (LENGTH / G).sqrt() / a;
    vec![
        answer("period", "s", "2π√(L/g)/M(1, cos θ₀/2)", period, 2e-4 * period, |o| {
            let x = |k: usize| o.at("bob", k).position.x;
            let mut crossings = Vec::new();
            for k in 0..o.last_frame() {
                if x(k) < 0.0 && x(k + 1) >= 0.0 {
                    crossings.push(o.step * (k as f64 + x(k) / (x(k) - x(k + 1))));
                }
            }
            match crossings[..] {
                [first, .., last] => (last - first) / (crossings.len() - 1) as f64,
                _ => f64::NAN,
            }
        }),
        answer("longest rod", "m", "L", LENGTH, 1e-5, |o| {
            let length = |k| o.at("bob", k).position.length();
            (0..o.frames()).map(length).fold(0.0, super::observed::largest)
        }),
    ]
}

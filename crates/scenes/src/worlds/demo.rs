//! The first impression: everything that iterative solvers find hard, side by side, every step certified.

use super::masonry::{arch, card_house};
use super::parts::{Describe, ball, cuboid, floor, placed, scene};
use super::{Expectation, NamedScene, Observed};
use crate::worlds::falls::dominoes;
use signorini::Scene;
use signorini::glamx::DVec3;
use signorini::scene::BodyDescription;

pub(super) const SCENES: &[NamedScene] = &[NamedScene {
    name: "demo",
    about: "A dry stone arch, a house of cards, ten tonnes on a light plank and a run of dominoes.",
    make: demo,
    answers: demo_answers,
}];

/// Ball over plank and trestles \[1\].
const MASS_RATIO: f64 = 1e4;
const BALL: f64 = 0.5;
/// Top of the plank \[m\].
const PLANK: f64 = 0.9;

/// A plank of 1 kg on two trestles of 1 kg, and a ball of ten tonnes dropped on its middle.
fn loaded_plank() -> Vec<BodyDescription> {
    let trestle = |name: &str, x: f64| cuboid(name, [0.2, 0.4, 0.4], 1.0, [x, 0.0, 0.4]);
    let plank = cuboid("plank", [1.2, 0.4, 0.05], 1.0, [0.0, 0.0, 0.85]);
    let ball = ball("ball", BALL, MASS_RATIO, [0.0, 0.0, PLANK + BALL + 0.5]);
    vec![trestle("trestle left", -0.8), trestle("trestle right", 0.8), plank, ball]
}

fn demo() -> Scene {
    let mut bodies = vec![floor().surface(0.8, 0.0)];
    bodies.extend(placed(arch(11, 0.16), "arch ", [0.0, 1.0, 0.0]));
    bodies.extend(placed(card_house(), "house ", [-4.6, 0.0, 0.0]));
    bodies.extend(placed(loaded_plank(), "load ", [4.6, 0.0, 0.0]));
    bodies.extend(placed(dominoes(10), "run ", [-1.8, -1.6, 0.0]));
    scene(1.0 / 60.0, 5.0, bodies)
}

/// Furthest that any body of a group is from its start, at the end.
fn moved(o: &Observed, group: &str) -> f64 {
    let names = o.bodies.iter().map(|body| body.name.as_str()).filter(|name| name.starts_with(group));
    names.map(|name| o.displacement(name).length()).fold(0.0, super::observed::largest)
}

fn demo_answers() -> Vec<Expectation> {
    vec![
        Expectation {
            what: "movement of the arch",
            unit: "m",
            formula: "0",
            expected: 0.0,
            tolerance: 1e-6,
            measured: |o| moved(o, "arch "),
        },
        Expectation {
            what: "movement of the house",
            unit: "m",
            formula: "0",
            expected: 0.0,
            tolerance: 1e-6,
            measured: |o| moved(o, "house "),
        },
        Expectation {
            what: "height of the ball above the plank",
            unit: "m",
            formula: "0",
            expected: 0.0,
            tolerance: 2e-4,
            measured: |o| o.last("load ball").position.z - BALL - PLANK,
        },
        Expectation {
            what: "dominoes that lie",
            unit: "1",
            formula: "10",
            expected: 10.0,
            tolerance: 0.0,
            measured: |o| {
                let lies = |k: &u32| o.last(&format!("run domino {k:02}")).tilt_from(DVec3::Z) > 45.0;
                (0..10).filter(lies).count() as f64
            },
        },
    ]
}

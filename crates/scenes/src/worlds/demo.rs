//! The demonstration: what iterative solvers find hard, side by side, with every step certified.

use super::masonry::{arch, card_house};
use super::parts::{Describe, G, ball, cuboid, floor, placed, scene};
use super::{Expectation, NamedScene, Observed, answer};
use signorini::Scene;
use signorini::scene::BodyDescription;

pub(super) const SCENES: &[NamedScene] = &[NamedScene {
    name: "demo",
    about: "A dry stone arch, a house of cards, ten tonnes on a light plank, and balls that bounce as high as they should.",
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

/// Restitution of the balls \[1\].
const LIVELINESS: [f64; 4] = [0.4, 0.6, 0.8, 1.0];
const FALL: f64 = 1.5;

/// The floor is elastic, so that a pair's restitution, the geometric mean, is the root of the ball's.
fn bouncing_balls() -> Vec<BodyDescription> {
    let one = |(k, e): (usize, f64)| {
        let place = [0.8 * k as f64, 0.0, 0.25 + FALL];
        ball(&format!("{k}"), 0.25, 1.0, place).surface(0.8, e * e)
    };
    LIVELINESS.into_iter().enumerate().map(one).collect()
}

fn demo() -> Scene {
    let mut bodies = vec![floor().surface(0.8, 1.0)];
    bodies.extend(placed(arch(11, 0.16), "arch ", [0.0, 1.0, 0.0]));
    bodies.extend(placed(card_house(), "house ", [-4.6, 0.0, 0.0]));
    bodies.extend(placed(loaded_plank(), "load ", [4.6, 0.0, 0.0]));
    bodies.extend(placed(bouncing_balls(), "bounce ", [-1.2, -1.8, 0.0]));
    scene(1.0 / 60.0, 5.0, bodies)
}

/// Furthest that any body of a group is from its start, at the end.
fn moved(o: &Observed, group: &str) -> f64 {
    let names = o.bodies.iter().map(|body| body.name.as_str()).filter(|name| name.starts_with(group));
    names.map(|name| o.displacement(name).length()).fold(0.0, super::observed::largest)
}

fn demo_answers() -> Vec<Expectation> {
    vec![
        answer("movement of the arch", "m", "0", 0.0, 1e-6, |o| moved(o, "arch ")),
        answer("movement of the house", "m", "0", 0.0, 1e-6, |o| moved(o, "house ")),
        answer("height of the ball above the plank", "m", "0", 0.0, 2e-4, |o| {
            o.last("load ball").position.z - BALL - PLANK
        }),
        answer("energy of the elastic ball", "J", "m g (R + H)", G * (0.25 + FALL), 1e-9, |o| {
            let ball = o.last("bounce 3");
            0.5 * ball.velocity.length_squared() + G * ball.position.z
        }),
        answer(
            "height of the third ball after 1 s",
            "m",
            "e v₁ (t − t₁) − ½g (t − t₁)²",
            arc(LIVELINESS[2], 1.0),
            1e-9,
            |o| o.at("bounce 2", o.frame_at(1.0)).position.z - 0.25,
        ),
    ]
}

/// Height on the first arc after the fall, t₁ = √(2H/g).
fn arc(restitution: f64, time: f64) -> f64 {
    let fall = (2.0 * FALL / G).sqrt();
    let since = time - fall;
    restitution * G * fall * since - 0.5 * G * since * since
}

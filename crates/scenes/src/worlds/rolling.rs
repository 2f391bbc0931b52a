//! Round things: rolling, and spinning down.

use super::parts::{Describe, G, ball, floor, half_square, plane, scene};
use super::{Expectation, NamedScene, Observed, answer};
use signorini::Scene;
use signorini::glamx::DVec3;
use signorini::scene::{BodyDescription, ShapeDescription};
use signorini_problem::math;

const STEP: f64 = 1.0 / 60.0;

pub(super) const SCENES: &[NamedScene] = &[
    NamedScene {
        name: "rolling_onset",
        about: "A ball is thrown without spin, slides, and rolls on with 5/7 of its speed.",
        make: rolling_onset,
        answers: rolling_onset_answers,
    },
    NamedScene {
        name: "rolling_down",
        about: "A ball rolls down a slope with 5/7 of g sin θ.",
        make: rolling_down,
        answers: rolling_down_answers,
    },
    NamedScene {
        name: "spinning_coin",
        about: "A coin spins flat on its rim of contact and loses spin at 2μg/R.",
        make: spinning_coin,
        answers: spinning_coin_answers,
    },
];

const THROW: f64 = 3.0;
const RADIUS: f64 = 0.5;
const FRICTION: f64 = 0.2;

fn rolling_onset() -> Scene {
    let ball = ball("ball", RADIUS, 2.0, [0.0, 0.0, RADIUS]).moving([THROW, 0.0, 0.0]).surface(FRICTION, 0.0);
    scene(STEP, 1.5, vec![floor().surface(FRICTION, 0.0), ball])
}

/// Sliding, `v_k = v − kμgh` and `Rω_k = 5/2 kμgh`: slip ends in the step in which 7/2 kμgh would pass v. Angular
/// momentum about the point of contact gives 5/7 v from then on, so with n = ⌊2v/7μgh⌋ sliding steps of N the sum of the
/// mean velocities is `h (v/7 + n v − μgh n(n+1)/2 + (N − n) 5v/7)`.
fn rolling_onset_answers() -> Vec<Expectation> {
    let loss = FRICTION * G * STEP;
    let n = (THROW / (3.5 * loss)).floor();
    let way = STEP * (THROW / 7.0 + n * THROW - loss * n * (n + 1.0) / 2.0 + (90.0 - n) * THROW * 5.0 / 7.0);
    vec![
        answer("final speed", "m/s", "5v/7", THROW * 5.0 / 7.0, 1e-7, |o| o.last("ball").velocity.x),
        answer("final spin", "rad/s", "5v/7R", THROW * 5.0 / 7.0 / RADIUS, 1e-7, |o| o.last("ball").angular_velocity.y),
        answer("way", "m", "h (v/7 + n v − μgh n(n+1)/2 + (N − n) 5v/7), n = ⌊2v/7μgh⌋", way, 1e-7, |o| {
            o.displacement("ball").x
        }),
    ]
}

/// [rad].
const SLOPE: f64 = 0.35;

fn rolling_down() -> Scene {
    let (sin, cos) = math::sin_cos(SLOPE);
    let slope = plane("slope", [sin, 0.0, cos], [0.0; 3]).surface(0.5, 0.0);
    let ball = ball("ball", RADIUS, 2.0, [RADIUS * sin, 0.0, RADIUS * cos]).surface(0.5, 0.0);
    scene(STEP, 1.0, vec![slope, ball])
}

/// `a = g sin θ/(1 + I/mR²) = 5/7 g sin θ`, needing a friction of 2/7 tan θ = 0.10.
fn rolling_down_answers() -> Vec<Expectation> {
    fn along(vector: DVec3) -> f64 {
        vector.dot(DVec3::new(math::cos(SLOPE), 0.0, -math::sin(SLOPE)))
    }
    let acceleration = 5.0 / 7.0 * G * math::sin(SLOPE);
    vec![
        answer("way after 1 s", "m", "5/7 g sin θ t²/2", acceleration * half_square(STEP, 60.0), 1e-7, |o| {
            along(o.displacement("ball"))
        }),
        answer("slip v − ωR at the end", "m/s", "0", 0.0, 1e-8, |o| {
            along(o.last("ball").velocity) - RADIUS * o.last("ball").angular_velocity.y
        }),
    ]
}

const COIN_RADIUS: f64 = 0.4;
const COIN_SPIN: f64 = 12.0;
const COIN_STEP: f64 = 1.0 / 240.0;

fn spinning_coin() -> Scene {
    let shape = ShapeDescription::Cylinder { half_height: 0.03, radius: COIN_RADIUS };
    let coin = BodyDescription { mass: Some(0.5), position: [0.0, 0.0, 0.03], ..BodyDescription::new("coin", shape) };
    let coin = coin.spinning([0.0, 0.0, COIN_SPIN]).surface(FRICTION, 0.0);
    scene(COIN_STEP, 1.5, vec![floor().surface(FRICTION, 0.0), coin])
}

/// Points of contact are on the rim and slide along it: friction of size μmg has the arm R whatever the pressure
/// between them, so with `I = ½mR²` spin is lost at 2μg/R. (A disk that presses evenly everywhere would lose 2/3 of
/// that; a rigid one presses where its corners are.)
fn spinning_coin_answers() -> Vec<Expectation> {
    let loss = 2.0 * FRICTION * G / COIN_RADIUS;
    vec![
        answer("spin after 1 s", "rad/s", "ω − 2μg t/R", COIN_SPIN - loss, 1e-6, |o| {
            o.at("coin", o.frame_at(1.0)).angular_velocity.z
        }),
        answer("spin at the end", "rad/s", "0", 0.0, 1e-6, |o| o.last("coin").angular_velocity.length()),
        answer("wandering of the middle", "m", "0", 0.0, 1e-6, Observed::largest_displacement),
    ]
}

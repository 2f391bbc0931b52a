//! Blows: bounces, exchanges, jams.
//!
//! Impacts happen inside a step, at the time the gap closes, so balls are on their closed forms to round-off wherever in
//! a step they hit.

mod cradle;
mod painleve;

use super::parts::{Describe, G, ball, cuboid, floor, scene, weightless};
use super::{Expectation, NamedScene, Observed, answer};
use signorini::Scene;
use signorini::glamx::DVec3;
use signorini::scene::BodyDescription;
use signorini_problem::math;

use cradle::{
    cradle, cradle_answers, cradle_touching, cradle_touching_answers, one_hits_three, one_hits_three_answers,
};
use painleve::{painleve_rod, painleve_rod_answers};

const STEP: f64 = 1.0 / 60.0;

pub(super) const SCENES: &[NamedScene] = &[
    NamedScene {
        name: "bounce_dead",
        about: "A ball with restitution 0 stays where it lands.",
        make: || bounce(0.0, 2.0),
        answers: || bounce_answers(0.0),
    },
    NamedScene {
        name: "bounce_half",
        about: "A ball with restitution 0.5 rises to a quarter of its height.",
        make: || bounce(0.5, 1.25),
        answers: || bounce_answers(0.5),
    },
    NamedScene {
        name: "bounce_lively",
        about: "A ball with restitution 0.8 rises to 64 % of its height.",
        make: || bounce(0.8, 1.5),
        answers: || bounce_answers(0.8),
    },
    NamedScene {
        name: "bounce_elastic",
        about: "A ball with restitution 1 bounces for ever.",
        make: || bounce(1.0, 10.0),
        answers: bounce_elastic_answers,
    },
    NamedScene {
        name: "elastic_swap",
        about: "Two equal balls meet head-on and exchange their velocities.",
        make: elastic_swap,
        answers: elastic_swap_answers,
    },
    NamedScene {
        name: "ten_to_one",
        about: "A ball of 10 kg hits one of 1 kg, elastically.",
        make: ten_to_one,
        answers: ten_to_one_answers,
    },
    NamedScene {
        name: "billiard",
        about: "Two equal smooth balls meet off-centre and part at a right angle.",
        make: billiard,
        answers: billiard_answers,
    },
    NamedScene {
        name: "cradle",
        about: "Five balls in a row, a hair apart: the first stops and the last leaves with its velocity.",
        make: cradle,
        answers: cradle_answers,
    },
    NamedScene {
        name: "one_hits_three",
        about: "A ball hits three that touch, all at once: Moreau's law sends the three off together.",
        make: one_hits_three,
        answers: one_hits_three_answers,
    },
    NamedScene {
        name: "cradle_touching",
        about: "A ball hits four that touch, blows passed on one after the other: the last leaves with its velocity.",
        make: cradle_touching,
        answers: cradle_touching_answers,
    },
    NamedScene {
        name: "skew_bounce_slides",
        about: "A ball hits a rough floor at a flat angle and slides through the impact.",
        make: || skew_bounce(5.0),
        answers: || skew_bounce_answers(5.0),
    },
    NamedScene {
        name: "skew_bounce_grips",
        about: "A ball hits a rough floor at a steep angle and leaves it rolling.",
        make: || skew_bounce(1.0),
        answers: || skew_bounce_answers(1.0),
    },
    NamedScene {
        name: "rocking_impact",
        about: "A rocking block strikes its other corner and goes on with Housner's part of its spin.",
        make: rocking_impact,
        answers: rocking_impact_answers,
    },
    NamedScene {
        name: "painleve_rod",
        about: "A rod pushed over a rough floor, in the range where sliding on has no solution, jams.",
        make: painleve_rod,
        answers: painleve_rod_answers,
    },
];

const DROP: f64 = 1.5;
const RADIUS: f64 = 0.5;

/// A ball whose lowest point falls 1.5 m.
fn bounce(restitution: f64, duration: f64) -> Scene {
    let ball = ball("ball", RADIUS, 1.0, [0.0, 0.0, RADIUS + DROP]).surface(0.5, restitution);
    scene(STEP, duration, vec![floor().surface(0.5, restitution), ball])
}

/// Height of the top of the first arc after the first impact, from any frame on it: `z + v²/2g`.
fn first_top(o: &Observed) -> f64 {
    let start = o.frame_at((2.0 * DROP / G).sqrt() + o.step);
    let ball = o.at("ball", start);
    ball.position.z - RADIUS + math::powi(ball.velocity.z.max(0.0), 2) / (2.0 * G)
}

/// The first arc after the fall reaches e²H; it ends at t₁(1 + 2e) with `t₁ = √(2H/g)`, before which
/// `z = e v₁ (t − t₁) − ½g(t − t₁)²`.
fn bounce_answers(restitution: f64) -> Vec<Expectation> {
    let height = restitution * restitution * DROP;
    let mut answers = vec![answer("height of the first rebound", "m", "e² H", height, 1e-9, first_top)];
    if restitution > 0.0 {
        let fall = (2.0 * DROP / G).sqrt();
        let since = 0.75 - fall;
        answers.push(answer(
            "height after 0.75 s",
            "m",
            "e v₁ (t − t₁) − ½g (t − t₁)²",
            restitution * G * fall * since - 0.5 * G * since * since,
            1e-9,
            |o| o.at("ball", o.frame_at(0.75)).position.z - RADIUS,
        ));
    } else {
        answers.push(answer("height at the end", "m", "0", 0.0, 1e-7, |o| o.last("ball").position.z - RADIUS));
    }
    answers
}

/// After ten seconds and nine impacts still on the closed form: time within a period of 2√(2H/g) from top to top.
fn bounce_elastic_answers() -> Vec<Expectation> {
    let fall = (2.0 * DROP / G).sqrt();
    let since = (10.0 + fall) % (2.0 * fall) - fall;
    vec![
        answer(
            "height after 10 s",
            "m",
            "H − ½g τ², τ from the nearest top",
            DROP - 0.5 * G * since * since,
            1e-9,
            |o| o.last("ball").position.z - RADIUS,
        ),
        answer("energy after 10 s", "J", "m g (R + H)", G * (RADIUS + DROP), 1e-9, |o| o.energy(o.last_frame())),
    ]
}

fn elastic_ball(name: &str, mass: f64, position: [f64; 3], velocity: [f64; 3]) -> BodyDescription {
    ball(name, RADIUS, mass, position).moving(velocity).surface(0.0, 1.0)
}

fn speed(what: &'static str, formula: &'static str, expected: f64, measured: fn(&Observed) -> f64) -> Expectation {
    Expectation { what, unit: "m/s", formula, expected, tolerance: 1e-9, measured }
}

fn elastic_swap() -> Scene {
    let a = elastic_ball("a", 1.0, [-1.0, 0.0, 0.0], [2.0, 0.0, 0.0]);
    let b = elastic_ball("b", 1.0, [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
    weightless(STEP, 1.0, vec![a, b])
}

fn elastic_swap_answers() -> Vec<Expectation> {
    vec![
        speed("velocity of a", "v_b", -1.0, |o| o.last("a").velocity.x),
        speed("velocity of b", "v_a", 2.0, |o| o.last("b").velocity.x),
        answer(
            "way of b after 1 s",
            "m",
            "v_b t₁ + v_a (t − t₁), t₁ = 1/3 s",
            -1.0 / 3.0 + 2.0 * 2.0 / 3.0,
            1e-9,
            |o| o.displacement("b").x,
        ),
    ]
}

fn ten_to_one() -> Scene {
    let a = elastic_ball("a", 10.0, [-0.6, 0.0, 0.0], [1.0, 0.0, 0.0]);
    weightless(STEP, 1.0, vec![a, elastic_ball("b", 1.0, [0.6, 0.0, 0.0], [0.0; 3])])
}

/// `v_a' = (M − m)/(M + m) v`, `v_b' = 2M/(M + m) v`.
fn ten_to_one_answers() -> Vec<Expectation> {
    vec![
        speed("velocity of a", "(M − m)/(M + m) v", 9.0 / 11.0, |o| o.last("a").velocity.x),
        speed("velocity of b", "2M/(M + m) v", 20.0 / 11.0, |o| o.last("b").velocity.x),
    ]
}

/// Distance of the paths of the centres \[m\].
const OFFSET: f64 = 0.5;
const CUE_SPEED: f64 = 2.0;
const BILLIARD_STEP: f64 = 1.0 / 240.0;

fn billiard() -> Scene {
    let cue = elastic_ball("cue", 1.0, [-2.0, 0.0, 0.0], [CUE_SPEED, 0.0, 0.0]);
    weightless(BILLIARD_STEP, 1.5, vec![cue, elastic_ball("target", 1.0, [0.0, OFFSET, 0.0], [0.0; 3])])
}

/// The line of centres at impact has the sine b/2R: the target takes the part of the velocity along it, the cue keeps
/// the rest, at a right angle, whatever the line is.
///
/// An engine that finds the time of the impact along the line of centres at the start of the step, as ours does, is late
/// by at most `δ = (h v sin ψ)²/4R over v cos ψ`, in which time the line turns by `v sin ψ δ/2R`.
fn billiard_answers() -> Vec<Expectation> {
    let sin = OFFSET / (2.0 * RADIUS);
    let cos = (1.0 - sin * sin).sqrt();
    let late = math::powi(BILLIARD_STEP * CUE_SPEED * sin, 2) / (4.0 * RADIUS) / (CUE_SPEED * cos);
    let turned = CUE_SPEED * sin * late / (2.0 * RADIUS);
    vec![
        answer("angle between the paths", "degrees", "90", 90.0, 1e-6, |o| {
            o.last("cue").velocity.angle_between(o.last("target").velocity).to_degrees()
        }),
        answer("speed of the target", "m/s", "v √(1 − (b/2R)²)", CUE_SPEED * cos, CUE_SPEED * sin * turned, |o| {
            o.last("target").velocity.length()
        }),
        answer(
            "direction of the target",
            "degrees",
            "asin(b/2R)",
            math::asin(sin).to_degrees(),
            turned.to_degrees(),
            |o| math::atan2(o.last("target").velocity.y, o.last("target").velocity.x).to_degrees(),
        ),
        answer("energy", "J", "½ m v²", 2.0, 1e-9, |o| o.kinetic_energy(o.last_frame())),
    ]
}

const SKEW_FALL: f64 = 2.0;
const SKEW_FRICTION: f64 = 0.2;
const SKEW_RESTITUTION: f64 = 0.5;

fn skew_bounce(along: f64) -> Scene {
    let ball = ball("ball", RADIUS, 1.0, [0.0, 0.0, RADIUS + 0.31]).moving([along, 0.0, -SKEW_FALL]);
    let floor = floor().surface(SKEW_FRICTION, SKEW_RESTITUTION);
    weightless(STEP, 0.5, vec![floor, ball.surface(SKEW_FRICTION, SKEW_RESTITUTION)])
}

/// The normal impulse is `m (1+e) v_z`. Friction takes `min(μ(1+e)v_z, 2v/7)` off the speed along the floor, 2/7 being
/// what stops the slip of a ball that does not turn; the spin is 5/2R of what was taken.
fn skew_bounce_answers(along: f64) -> Vec<Expectation> {
    let taken = f64::min(SKEW_FRICTION * (1.0 + SKEW_RESTITUTION) * SKEW_FALL, 2.0 / 7.0 * along);
    vec![
        speed("speed along the floor", "v − min(μ(1+e)v_z, 2v/7)", along - taken, |o| o.last("ball").velocity.x),
        speed("speed off the floor", "e v_z", SKEW_RESTITUTION * SKEW_FALL, |o| o.last("ball").velocity.z),
        answer("spin", "rad/s", "5/2R min(μ(1+e)v_z, 2v/7)", 2.5 * taken / RADIUS, 1e-9, |o| {
            o.last("ball").angular_velocity.y
        }),
    ]
}

/// Half width, half depth, half height \[m\].
const BLOCK: [f64; 3] = [0.1, 0.2, 0.3];

/// The moment of impact: flat on the floor, turning at 1 rad/s about its corner at −x. No weight, so that the blow is
/// all there is.
fn rocking_impact() -> Scene {
    let [b, _, c] = BLOCK;
    let block = cuboid("block", BLOCK, 5.0, [0.0, 0.0, c]).spinning([0.0, 1.0, 0.0]).moving([c, 0.0, -b]);
    weightless(STEP, 2.0 * STEP, vec![floor().surface(0.5, 0.0), block.surface(0.5, 0.0)])
}

/// Angular momentum about the struck corner is kept: `ω'/ω = 1 − (3/2) sin²α`, tan α = b/c (Housner 1963). The old
/// corner lifts off, friction needed is `(1 − r)c/((1 + r)b)` = 0.24.
fn rocking_impact_answers() -> Vec<Expectation> {
    let [b, _, c] = BLOCK;
    let ratio = 1.0 - 1.5 * b * b / (b * b + c * c);
    vec![
        answer("spin after the blow", "rad/s", "ω (1 − 3/2 sin²α)", ratio, 1e-8, |o| {
            o.at("block", 1).angular_velocity.y
        }),
        answer("rise of the middle", "m/s", "b ω (1 − 3/2 sin²α)", b * ratio, 1e-9, |o| {
            o.at("block", 1).velocity.z
        }),
        answer("speed of the new corner", "m/s", "0", 0.0, 1e-8, |o| {
            let block = o.at("block", 1);
            (block.velocity + block.angular_velocity.cross(DVec3::new(BLOCK[0], 0.0, -BLOCK[2]))).length()
        }),
    ]
}

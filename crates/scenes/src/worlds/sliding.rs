//! Boxes that slide, stick, tip and are carried along.
//!
//! Everything here moves under constant accelerations while in contact, so positions are the sums of symplectic Euler,
//! `x_n = h² a n(n+1)/2`, up to the solver's tolerance of 1e-9 m/s per step.

use super::parts::{Describe, G, cuboid, floor, half_square, plane, prism, scene};
use super::{Expectation, NamedScene, Observed, answer};
use signorini::Scene;
use signorini::glamx::DVec3;
use signorini::scene::BodyDescription;
use signorini_problem::math;

const STEP: f64 = 1.0 / 60.0;

pub(super) const SCENES: &[NamedScene] = &[
    NamedScene {
        name: "incline_stick",
        about: "A box on a slope of 25° with friction 0.5 stays where it is.",
        make: || incline(25.0, 0.5, 3.0),
        answers: incline_stick_answers,
    },
    NamedScene {
        name: "incline_slip",
        about: "A box on a slope of 35° with friction 0.5 slides with g (sin θ − μ cos θ).",
        make: || incline(35.0, 0.5, 1.0),
        answers: incline_slip_answers,
    },
    NamedScene {
        name: "incline_threshold",
        about: "Two boxes on one slope, friction a thousandth above and below tan θ: one holds, one slides.",
        make: incline_threshold,
        answers: incline_threshold_answers,
    },
    NamedScene {
        name: "sliding_straight",
        about: "A box slides along an axis and stops after the discrete v²/2μg.",
        make: || sliding(0.0),
        answers: || sliding_answers(),
    },
    NamedScene {
        name: "sliding_oblique",
        about: "The same box at 22.5° to its edges stops after the same distance, straight and without turning.",
        make: || sliding(OBLIQUE),
        answers: sliding_oblique_answers,
    },
    NamedScene {
        name: "belt",
        about: "Two boxes on each other are set on a moving belt, slip, and are carried along.",
        make: belt,
        answers: belt_answers,
    },
    NamedScene {
        name: "wedge",
        about: "A block slides down a wedge that is free to slide away: momentum is shared as Lagrange says.",
        make: wedge,
        answers: wedge_answers,
    },
    NamedScene {
        name: "topple_not",
        about: "A box on a slope 2 % less steep than its width over its height stands.",
        make: || topple(0.98),
        answers: topple_not_answers,
    },
    NamedScene {
        name: "topple",
        about: "The same box on a slope 2 % too steep falls over and lies on its side.",
        make: || topple(1.02),
        answers: topple_answers,
    },
];

/// A slope through the origin that falls towards +x, and a box of 2 kg on it.
fn incline(degrees: f64, friction: f64, duration: f64) -> Scene {
    let angle = degrees.to_radians();
    let (sin, cos) = math::sin_cos(angle);
    let slope = plane("slope", [sin, 0.0, cos], [0.0; 3]).surface(friction, 0.0);
    let block = cuboid("block", [0.5, 0.5, 0.25], 2.0, [0.25 * sin, 0.0, 0.25 * cos]);
    scene(STEP, duration, vec![slope, block.pitched(angle).surface(friction, 0.0)])
}

/// Down the slope of `degrees`.
fn downhill(degrees: f64) -> DVec3 {
    let (sin, cos) = math::sin_cos(degrees.to_radians());
    DVec3::new(cos, 0.0, -sin)
}

fn incline_stick_answers() -> Vec<Expectation> {
    vec![
        answer("creep", "m", "0", 0.0, 1e-7, Observed::largest_displacement),
        answer("friction up the slope", "N", "m g sin θ", 2.0 * G * math::sin(25f64.to_radians()), 1e-6, |o| {
            -o.last("block").force.dot(downhill(25.0))
        }),
    ]
}

fn incline_slip_answers() -> Vec<Expectation> {
    let (sin, cos) = math::sin_cos(35f64.to_radians());
    let acceleration = G * (sin - 0.5 * cos);
    vec![
        answer("distance after 1 s", "m", "g (sin θ − μ cos θ) t²/2", 0.5 * acceleration, 1e-7, |o| {
            o.displacement("block").dot(downhill(35.0))
        }),
        answer("speed after 1 s", "m/s", "g (sin θ − μ cos θ) n h", acceleration, 1e-7, |o| {
            o.last("block").velocity.dot(downhill(35.0))
        }),
        answer("turning", "rad/s", "0", 0.0, 1e-7, |o| o.last("block").angular_velocity.length()),
    ]
}

/// [degrees].
const THRESHOLD_SLOPE: f64 = 30.0;
/// Relative distance of the friction coefficients from tan θ \[1\].
const THRESHOLD_MARGIN: f64 = 1e-3;

fn incline_threshold() -> Scene {
    let angle = THRESHOLD_SLOPE.to_radians();
    let (sin, cos) = math::sin_cos(angle);
    let slope = plane("slope", [sin, 0.0, cos], [0.0; 3]).surface(math::tan(angle), 0.0);
    // Friction of a pair is the geometric mean: the square of the factor makes the factor.
    let block = |name: &str, y: f64, factor: f64| {
        let block = cuboid(name, [0.5, 0.5, 0.25], 2.0, [0.25 * sin, y, 0.25 * cos]);
        block.pitched(angle).surface(math::tan(angle) * factor * factor, 0.0)
    };
    let holds = block("holds", -1.0, 1.0 + THRESHOLD_MARGIN);
    scene(STEP, 2.0, vec![slope, holds, block("slides", 1.0, 1.0 - THRESHOLD_MARGIN)])
}

/// With μ = (1 − ε) tan θ the acceleration is ε g sin θ.
fn incline_threshold_answers() -> Vec<Expectation> {
    let acceleration = THRESHOLD_MARGIN * G * math::sin(THRESHOLD_SLOPE.to_radians());
    vec![
        answer("creep of the box that holds", "m", "0", 0.0, 1e-7, |o| o.displacement("holds").length()),
        answer(
            "distance of the box that slides",
            "m",
            "ε g sin θ t²/2",
            0.5 * acceleration * math::powi(120.0 * STEP, 2),
            1e-7,
            |o| o.displacement("slides").dot(downhill(THRESHOLD_SLOPE)),
        ),
    ]
}

const SPEED: f64 = 4.0;
const FRICTION: f64 = 0.4;
/// [degrees].
const OBLIQUE: f64 = 22.5;

fn heading(degrees: f64) -> DVec3 {
    let (sin, cos) = math::sin_cos(degrees.to_radians());
    DVec3::new(cos, sin, 0.0)
}

fn sliding(degrees: f64) -> Scene {
    let block = cuboid("block", [0.5, 0.5, 0.25], 3.0, [0.0, 0.0, 0.25]);
    let block = block.moving((SPEED * heading(degrees)).to_array()).surface(FRICTION, 0.0);
    scene(STEP, 1.5, vec![floor().surface(FRICTION, 0.0), block])
}

/// `v²/2μg` but for the step in which it stops, which adds at most `μgh²/8`: the sum of the mean velocities \[m\].
fn stopping_distance() -> f64 {
    let loss = FRICTION * G * STEP;
    let n = (SPEED / loss).floor();
    STEP * (SPEED / 2.0 + n * (SPEED - loss * (n + 1.0) / 2.0))
}

fn sliding_answers() -> Vec<Expectation> {
    vec![
        answer(
            "distance until it stops",
            "m",
            "hv/2 + Σ h (v − kμgh), k = 1…⌊v/μgh⌋",
            stopping_distance(),
            1e-7,
            |o| o.displacement("block").x,
        ),
        answer(
            "time until it stops",
            "s",
            "h ⌈v/μgh⌉",
            STEP * (SPEED / (FRICTION * G * STEP)).ceil(),
            1e-12,
            |o| {
                let moving = |k: &usize| o.at("block", *k).velocity.length() > 1e-6;
                o.step * (0..o.frames()).filter(moving).count() as f64
            },
        ),
        answer("way across", "m", "0", 0.0, 1e-7, |o| o.displacement("block").y.abs()),
    ]
}

fn sliding_oblique_answers() -> Vec<Expectation> {
    vec![
        answer(
            "distance until it stops",
            "m",
            "hv/2 + Σ h (v − kμgh), k = 1…⌊v/μgh⌋",
            stopping_distance(),
            1e-6,
            |o| o.displacement("block").dot(heading(OBLIQUE)),
        ),
        answer("way across", "m", "0", 0.0, 1e-6, |o| o.displacement("block").cross(heading(OBLIQUE)).length()),
        answer("turning", "degrees", "0", 0.0, 1e-4, |o| {
            2.0 * math::asin(o.last("block").orientation.z.abs()).to_degrees()
        }),
    ]
}

const BELT_SPEED: f64 = 1.5;
const BELT_FRICTION: f64 = 0.3;

/// The upper interface has friction 0.6, twice what is needed.
fn belt() -> Scene {
    let belt = cuboid("belt", [20.0, 1.0, 0.5], 1.0, [0.0, 0.0, -0.5]);
    let belt = BodyDescription { mass: None, ..belt }.driven().moving([BELT_SPEED, 0.0, 0.0]);
    let lower = cuboid("lower", [0.5, 0.5, 0.25], 2.0, [0.0, 0.0, 0.25]).surface(BELT_FRICTION, 0.0);
    let upper = cuboid("upper", [0.4, 0.4, 0.25], 1.0, [0.0, 0.0, 0.75]).surface(4.0 * BELT_FRICTION, 0.0);
    scene(STEP, 2.0, vec![belt.surface(BELT_FRICTION, 0.0), lower, upper])
}

/// Speed `v_k = min(kμgh, V)`, the belt's at last: the way is the sum of the mean velocities.
fn belt_answers() -> Vec<Expectation> {
    let speed = |k: u32| f64::min(f64::from(k) * BELT_FRICTION * G * STEP, BELT_SPEED);
    let way = (1..=120).map(|k| 0.5 * STEP * (speed(k - 1) + speed(k))).sum();
    vec![
        answer("way of the lower box", "m", "Σ h (v_{k−1} + v_k)/2, v_k = min(kμgh, V)", way, 1e-6, |o| {
            o.displacement("lower").x
        }),
        answer("slip between the boxes", "m", "0", 0.0, 1e-6, |o| {
            (o.displacement("upper") - o.displacement("lower")).length()
        }),
        answer("final speed", "m/s", "V", BELT_SPEED, 1e-7, |o| o.last("upper").velocity.x),
    ]
}

/// Base and height of the wedge \[m\].
const WEDGE: [f64; 2] = [4.0, 2.0];
const WEDGE_MASS: f64 = 5.0;
const BLOCK_MASS: f64 = 2.0;
/// Steps of the wedge scene.
const WEDGE_STEPS: f64 = 30.0;

/// Everything smooth. The block starts a third down the slope.
fn wedge() -> Scene {
    let [base, height] = WEDGE;
    let (sin, cos) = math::sin_cos(math::atan2(height, base));
    let wedge = prism("wedge", &[[0.0, 0.0], [base, 0.0], [0.0, height]], 1.0, 1.0);
    let wedge = BodyDescription { density: None, mass: Some(WEDGE_MASS), ..wedge }.surface(0.0, 0.0);
    let half = [0.3, 0.3, 0.2];
    let at = [base / 3.0 + half[2] * sin, 0.0, height * 2.0 / 3.0 + half[2] * cos];
    let block = cuboid("block", half, BLOCK_MASS, at).pitched(math::atan2(height, base)).surface(0.0, 0.0);
    scene(STEP, WEDGE_STEPS * STEP, vec![floor().surface(0.0, 0.0), wedge, block])
}

/// `A = m g sin θ cos θ/(M + m sin²θ)` away from the block, which slides down the wedge with
/// `(M + m) g sin θ/(M + m sin²θ)`. Both are constant, so the way is `A t²/2`.
fn wedge_answers() -> Vec<Expectation> {
    let (sin, cos) = math::sin_cos(math::atan2(WEDGE[1], WEDGE[0]));
    let shared = WEDGE_MASS + BLOCK_MASS * sin * sin;
    let away = BLOCK_MASS * G * sin * cos / shared;
    let down = (WEDGE_MASS + BLOCK_MASS) * G * sin / shared;
    let half_square = half_square(STEP, WEDGE_STEPS);
    vec![
        answer(
            "way of the wedge",
            "m",
            "−A t²/2, A = m g sin θ cos θ/(M + m sin²θ)",
            -away * half_square,
            1e-7,
            |o| o.displacement("wedge").x,
        ),
        answer(
            "way of the block, x",
            "m",
            "(a cos θ − A) t²/2, a = (M + m) g sin θ/(M + m sin²θ)",
            (down * cos - away) * half_square,
            1e-7,
            |o| o.displacement("block").x,
        ),
        answer("way of the block, z", "m", "−a sin θ t²/2", -down * sin * half_square, 1e-7, |o| {
            o.displacement("block").z
        }),
        answer("momentum along the floor", "kg·m/s", "0", 0.0, 1e-9, |o| o.momentum(o.last_frame()).x),
    ]
}

/// Half width and half height \[m\].
const TOWER: [f64; 2] = [0.2, 0.5];

/// A tower of half width b and half height c on a rough slope with tan θ = factor · b/c.
fn topple(factor: f64) -> Scene {
    let [b, c] = TOWER;
    let angle = math::atan(factor * b / c);
    let (sin, cos) = math::sin_cos(angle);
    let slope = plane("slope", [sin, 0.0, cos], [0.0; 3]).surface(1.0, 0.0);
    let tower = cuboid("tower", [b, b, c], 4.0, [c * sin, 0.0, c * cos]);
    scene(STEP, 3.0, vec![slope, tower.pitched(angle).surface(1.0, 0.0)])
}

fn slope_tilt(o: &Observed, factor: f64) -> f64 {
    let (sin, cos) = math::sin_cos(math::atan(factor * TOWER[0] / TOWER[1]));
    o.last("tower").tilt_from(DVec3::new(sin, 0.0, cos))
}

fn topple_not_answers() -> Vec<Expectation> {
    vec![answer("tilt against the slope", "degrees", "0 if tan θ < b/c", 0.0, 1e-5, |o| slope_tilt(o, 0.98))]
}

/// It turns by a right angle about its lower edge and rests on its side.
fn topple_answers() -> Vec<Expectation> {
    vec![answer("tilt against the slope", "degrees", "90 if tan θ > b/c", 90.0, 0.05, |o| slope_tilt(o, 1.02))]
}

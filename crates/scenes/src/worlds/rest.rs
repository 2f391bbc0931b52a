//! Things that stand still, and the forces they stand by.
//!
//! A resting body is held by exactly its weight, so a force is known to `m·ε/h` with ε the velocity tolerance of the
//! solver (1e-9 m/s). Where a structure is statically determinate, forces follow from moments alone.

use super::parts::{Describe, G, ball, cuboid, fixed_cuboid, floor, plane, scene};
use super::{Expectation, NamedScene, Observed, answer};
use signorini::Scene;
use signorini::glamx::DVec3;
use signorini::scene::{BodyDescription, PartDescription, ShapeDescription};
use signorini_problem::math;
use std::f64::consts::FRAC_1_SQRT_2;

const STEP: f64 = 1.0 / 60.0;
/// Stillness: 300 steps at the solver's tolerance of 1e-9 m/s move a body by 5e-9 m \[m\].
const STILL: f64 = 1e-7;

pub(super) const SCENES: &[NamedScene] = &[
    NamedScene {
        name: "stack",
        about: "Ten cubes on each other stand still and the floor carries their weight.",
        make: stack,
        answers: stack_answers,
    },
    NamedScene {
        name: "heavy_on_light",
        about: "A cube of a thousand tonnes rests on one of a kilogram: the floor carries both.",
        make: heavy_on_light,
        answers: heavy_on_light_answers,
    },
    NamedScene {
        name: "table",
        about: "A table on four feet with a load off its middle: each pair of feet carries what moments say.",
        make: table,
        answers: table_answers,
    },
    NamedScene {
        name: "stool",
        about: "A stool on three feet: the load is shared by barycentric coordinates.",
        make: stool,
        answers: stool_answers,
    },
    NamedScene {
        name: "prism_on_box",
        about: "A prism with eight sides stands on a box.",
        make: prism_on_box,
        answers: prism_on_box_answers,
    },
    NamedScene {
        name: "groove",
        about: "A smooth ball in a groove of two planes at 45°: each plane carries 1/√2 of its weight.",
        make: groove,
        answers: groove_answers,
    },
    NamedScene {
        name: "seesaw",
        about: "Four kilograms at one metre balance two kilograms at two metres.",
        make: seesaw,
        answers: seesaw_answers,
    },
    NamedScene {
        name: "ladder",
        about: "A ladder leans against a smooth wall: the wall's push follows from moments about its foot.",
        make: || ladder(1.02),
        answers: ladder_answers,
    },
    NamedScene {
        name: "ladder_slips",
        about: "The same ladder on a floor with 2 % too little friction slides down.",
        make: || ladder(0.98),
        answers: ladder_slips_answers,
    },
];

fn still() -> Expectation {
    answer("largest displacement", "m", "0", 0.0, STILL, Observed::largest_displacement)
}

fn force(
    what: &'static str,
    formula: &'static str,
    expected: f64,
    tolerance: f64,
    measured: fn(&Observed) -> f64,
) -> Expectation {
    Expectation { what, unit: "N", formula, expected, tolerance, measured }
}

/// Ten unit cubes of 1 kg.
fn stack() -> Scene {
    let cube = |k: u32| cuboid(&format!("cube {k}"), [0.5; 3], 1.0, [0.0, 0.0, 0.5 + f64::from(k)]);
    scene(STEP, 5.0, std::iter::once(floor()).chain((0..10).map(cube)).collect())
}

/// The floor carries 10 m g; cube k, from below, is held by its own weight.
fn stack_answers() -> Vec<Expectation> {
    vec![
        still(),
        force("load on the floor", "10 m g", 10.0 * G, 1e-5, |o| -o.last("floor").force.z),
        force("force on the top cube", "m g", G, 1e-6, |o| o.last("cube 9").force.z),
    ]
}

const HEAVY: f64 = 1e6;

fn heavy_on_light() -> Scene {
    let light = cuboid("light", [0.5; 3], 1.0, [0.0, 0.0, 0.5]);
    let heavy = cuboid("heavy", [0.5; 3], HEAVY, [0.0, 0.0, 1.5]);
    scene(STEP, 5.0, vec![floor(), light, heavy])
}

/// (M + m) g to 1e-7 of it: M·ε/h = 0.06 N.
fn heavy_on_light_answers() -> Vec<Expectation> {
    vec![
        still(),
        force("load on the floor", "(M + m) g", (HEAVY + 1.0) * G, 1.0, |o| -o.last("floor").force.z),
        force("net force on the light cube", "m g", G, 1.0, |o| o.last("light").force.z),
    ]
}

const FOOT: [f64; 2] = [0.9, 0.5];
const TABLE_MASS: f64 = 20.0;
const LOAD_MASS: f64 = 10.0;
const LOAD_AT: [f64; 2] = [0.4, -0.2];

fn foot(x: f64, y: f64) -> PartDescription {
    PartDescription::new(ShapeDescription::Capsule { half_height: 0.3, radius: 0.05 }, [x, y, 0.0], None)
}

fn table() -> Scene {
    let top = PartDescription::new(ShapeDescription::Cuboid { half_extents: [1.0, 0.6, 0.05] }, [0.0, 0.0, 0.35], None);
    let [x, y] = FOOT;
    let parts = vec![top, foot(x, y), foot(-x, y), foot(x, -y), foot(-x, -y)];
    let table = BodyDescription {
        mass: Some(TABLE_MASS),
        position: [0.0, 0.0, 0.35],
        ..BodyDescription::new("table", ShapeDescription::Compound { parts })
    };
    let load = cuboid("load", [0.1; 3], LOAD_MASS, [LOAD_AT[0], LOAD_AT[1], 0.85]);
    let pad = |name: &str, x: f64, y: f64| fixed_cuboid(name, [0.2, 0.2, 0.1], [x, y, -0.1]);
    let pads = [pad("pad +x+y", x, y), pad("pad -x+y", -x, y), pad("pad +x-y", x, -y), pad("pad -x-y", -x, -y)];
    scene(STEP, 3.0, pads.into_iter().chain([table, load]).collect())
}

/// Feet are points, so moments about the lines through pairs of feet give what each pair carries: with the load at
/// (x, y) and feet at (±X, ±Y), the pair at +X carries `W_t/2 + W_l (1 + x/X)/2`. The split within a pair is not
/// determined: only that none pulls.
fn table_answers() -> Vec<Expectation> {
    fn load(o: &Observed, pads: &[&str]) -> f64 {
        pads.iter().map(|pad| -o.last(pad).force.z).sum()
    }
    let pair = |at: f64, foot: f64| G * (0.5 * TABLE_MASS + 0.5 * LOAD_MASS * (1.0 + at / foot));
    vec![
        still(),
        force("all feet", "(m_t + m_l) g", (TABLE_MASS + LOAD_MASS) * G, 1e-5, |o| {
            load(o, &["pad +x+y", "pad -x+y", "pad +x-y", "pad -x-y"])
        }),
        force("feet at +x", "W_t/2 + W_l (1 + x/X)/2", pair(LOAD_AT[0], FOOT[0]), 1e-5, |o| {
            load(o, &["pad +x+y", "pad +x-y"])
        }),
        force("feet at +y", "W_t/2 + W_l (1 + y/Y)/2", pair(LOAD_AT[1], FOOT[1]), 1e-5, |o| {
            load(o, &["pad +x+y", "pad -x+y"])
        }),
        force("pull on the least loaded foot", "0", 0.0, 1e-9, |o| {
            let pads = ["pad +x+y", "pad -x+y", "pad +x-y", "pad -x-y"];
            pads.iter().map(|pad| -load(o, &[pad])).fold(0.0, super::observed::largest)
        }),
    ]
}

const STOOL_RADIUS: f64 = 0.4;
const STOOL_MASS: f64 = 3.0;
const SITTER_MASS: f64 = 60.0;
/// Towards the first foot \[m\].
const SITTER_AT: f64 = 0.1;

fn stool() -> Scene {
    let place = |k: u32| {
        let (sin, cos) = math::sin_cos(f64::from(k) * std::f64::consts::TAU / 3.0);
        (STOOL_RADIUS * cos, STOOL_RADIUS * sin)
    };
    let seat =
        PartDescription::new(ShapeDescription::Cylinder { half_height: 0.03, radius: 0.45 }, [0.0, 0.0, 0.33], None);
    let feet = (0..3).map(|k| foot(place(k).0, place(k).1));
    let parts = std::iter::once(seat).chain(feet).collect();
    let stool = BodyDescription {
        mass: Some(STOOL_MASS),
        position: [0.0, 0.0, 0.35],
        ..BodyDescription::new("stool", ShapeDescription::Compound { parts })
    };
    let sitter = ball("sitter", 0.2, SITTER_MASS, [SITTER_AT, 0.0, 0.91]);
    let pad = |k: u32| {
        let (x, y) = place(k);
        fixed_cuboid(&format!("pad {k}"), [0.15, 0.15, 0.1], [x, y, -0.1])
    };
    scene(STEP, 3.0, (0..3).map(pad).chain([stool, sitter]).collect())
}

/// Three points: the load at distance d from the axis towards foot 0 gives it `W_l (1/3 + 2d/3R)` and each of the
/// others `W_l (1/3 − d/3R)`, besides a third of the stool.
fn stool_answers() -> Vec<Expectation> {
    let near = G * (STOOL_MASS / 3.0 + SITTER_MASS * (1.0 + 2.0 * SITTER_AT / STOOL_RADIUS) / 3.0);
    let far = G * (STOOL_MASS / 3.0 + SITTER_MASS * (1.0 - SITTER_AT / STOOL_RADIUS) / 3.0);
    vec![
        still(),
        force("foot under the load", "W_s/3 + W_l (1/3 + 2d/3R)", near, 1e-4, |o| -o.last("pad 0").force.z),
        force("second foot", "W_s/3 + W_l (1/3 − d/3R)", far, 1e-4, |o| -o.last("pad 1").force.z),
        force("third foot", "W_s/3 + W_l (1/3 − d/3R)", far, 1e-4, |o| -o.last("pad 2").force.z),
    ]
}

const PRISM_MASS: f64 = 2.0;

fn prism_on_box() -> Scene {
    let corner = |k: u32| {
        let (sin, cos) = math::sin_cos(f64::from(k) * std::f64::consts::TAU / 8.0);
        [0.5 * cos, 0.5 * sin]
    };
    let points = (0..8).map(corner).flat_map(|[x, y]| [[x, y, -0.6], [x, y, 0.6]]).collect();
    let prism = BodyDescription {
        mass: Some(PRISM_MASS),
        position: [0.05, 0.02, 1.4],
        ..BodyDescription::new("prism", ShapeDescription::Hull { points })
    };
    scene(STEP, 3.0, vec![floor(), cuboid("box", [0.6, 0.6, 0.4], 5.0, [0.0, 0.0, 0.4]), prism])
}

fn prism_on_box_answers() -> Vec<Expectation> {
    vec![
        still(),
        force("force on the prism", "m g", PRISM_MASS * G, 1e-6, |o| o.last("prism").force.z),
        force("load on the floor", "Σ m g", (PRISM_MASS + 5.0) * G, 1e-5, |o| -o.last("floor").force.z),
    ]
}

fn groove() -> Scene {
    let s = FRAC_1_SQRT_2;
    let left = plane("left", [s, 0.0, s], [0.0; 3]).surface(0.0, 0.0);
    let right = plane("right", [-s, 0.0, s], [0.0; 3]).surface(0.0, 0.0);
    scene(STEP, 2.0, vec![left, right, ball("ball", 0.5, 4.0, [0.0, 0.0, 0.5 / s])])
}

/// Normal forces of size W/√2 add up to the weight: `(W/√2)(±1, 0, 1)/√2`.
fn groove_answers() -> Vec<Expectation> {
    vec![
        still(),
        force("left plane", "W/√2", 4.0 * G * FRAC_1_SQRT_2, 1e-5, |o| o.last("left").force.length()),
        force("right plane", "W/√2", 4.0 * G * FRAC_1_SQRT_2, 1e-5, |o| o.last("right").force.length()),
    ]
}

fn seesaw() -> Scene {
    let fulcrum = fixed_cuboid("fulcrum", [0.05, 0.3, 0.25], [0.0, 0.0, 0.25]);
    let plank = cuboid("plank", [2.5, 0.3, 0.05], 2.0, [0.0, 0.0, 0.55]);
    let four = cuboid("four", [0.2; 3], 4.0, [-1.0, 0.0, 0.8]);
    let two = cuboid("two", [0.2; 3], 2.0, [2.0, 0.0, 0.8]);
    scene(STEP, 3.0, vec![floor(), fulcrum, plank, four, two])
}

/// 4·1 = 2·2: the resultant passes through the middle of the fulcrum, which carries all.
fn seesaw_answers() -> Vec<Expectation> {
    vec![still(), force("load on the fulcrum", "Σ m g", 8.0 * G, 1e-5, |o| -o.last("fulcrum").force.z)]
}

/// Half thickness, half width, half length \[m\].
const LADDER: [f64; 3] = [0.02, 0.25, 1.5];
/// From the vertical [rad].
const LEAN: f64 = 0.45;
const LADDER_MASS: f64 = 12.0;

/// Wall push over weight, `(tan φ − t/a)/2`, which is also the least friction of the floor.
fn wall_push() -> f64 {
    0.5 * (math::tan(LEAN) - LADDER[0] / LADDER[2])
}

/// A ladder of half length a and half thickness t at angle φ from the vertical, its foot on a floor with `factor` times
/// the least friction, its head against a smooth wall.
fn ladder(factor: f64) -> Scene {
    let (sin, cos) = math::sin_cos(LEAN);
    let [t, _, a] = LADDER;
    let floor = floor().surface(factor * wall_push(), 0.0);
    let wall = plane("wall", [-1.0, 0.0, 0.0], [t * cos + a * sin, 0.0, 0.0]).surface(0.0, 0.0);
    let ladder = cuboid("ladder", LADDER, LADDER_MASS, [0.0, 0.0, t * sin + a * cos]).pitched(LEAN);
    scene(STEP, 3.0, vec![floor, wall, ladder.surface(factor * wall_push(), 0.0)])
}

/// Moments about the foot: the weight has the arm `a sin φ − t cos φ`, the wall's push `2a cos φ`.
fn ladder_answers() -> Vec<Expectation> {
    let weight = LADDER_MASS * G;
    vec![
        still(),
        force("push on the wall", "W (tan φ − t/a)/2", weight * wall_push(), 1e-5, |o| o.last("wall").force.x),
        force("load on the floor", "W", weight, 1e-5, |o| -o.last("floor").force.z),
    ]
}

/// It ends lying on the floor.
fn ladder_slips_answers() -> Vec<Expectation> {
    vec![answer("height of the middle at the end", "m", "t", LADDER[0], 2e-4, |o| {
        o.last("ladder").position.dot(DVec3::Z)
    })]
}

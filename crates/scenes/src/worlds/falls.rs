//! Things that fall: over, down, and in heaps.

use super::parts::{Describe, ball, cuboid, fixed_cuboid, floor, scene};
use super::{Expectation, NamedScene, Observed, answer};
use signorini::glamx::DVec3;
use signorini::scene::{BodyDescription, BudgetDescription, BudgetName, Grid, Rotation, ShapeDescription};
use signorini::{Kind, Scene};

const STEP: f64 = 1.0 / 60.0;

pub(super) const SCENES: &[NamedScene] = &[
    NamedScene {
        name: "dominoes",
        about: "Twelve dominoes: the first is pushed, all fall, one after the other.",
        make: || scene(STEP, 3.0, std::iter::once(floor()).chain(dominoes(12)).collect()),
        answers: dominoes_answers,
    },
    NamedScene {
        name: "seesaw_tips",
        about: "The resultant of a loaded plank is outside its fulcrum by as much again: it goes down on that side.",
        make: seesaw_tips,
        answers: seesaw_tips_answers,
    },
    NamedScene {
        name: "pile",
        about: "Balls of two sizes and a boulder fall into a bin: nothing escapes, and the books of momentum balance.",
        make: pile,
        answers: pile_answers,
    },
    NamedScene {
        name: "crates",
        about: "Crates and barrels fall into a bin: nothing escapes, and the books of momentum balance.",
        make: crates,
        answers: crates_answers,
    },
];

/// Half thickness, half width, half height \[m\].
const DOMINO: [f64; 3] = [0.05, 0.2, 0.4];
const PUSH: f64 = 1.5;

/// A run along x; the first turns about its front edge at 1.5 rad/s, 0.53 being enough to fall.
pub(super) fn dominoes(count: u32) -> Vec<BodyDescription> {
    let [t, _, c] = DOMINO;
    let domino = |k: u32| {
        let body = cuboid(&format!("domino {k:02}"), DOMINO, 0.5, [0.4 * f64::from(k), 0.0, c]);
        if k == 0 { body.spinning([0.0, PUSH, 0.0]).moving([PUSH * c, 0.0, PUSH * t]) } else { body }
    };
    (0..count).map(domino).collect()
}

/// When a domino leans by 30° for the first time \[s\].
fn fallen_at(o: &Observed, k: u32) -> f64 {
    let name = format!("domino {k:02}");
    let leans = |frame: &usize| o.at(&name, *frame).tilt_from(DVec3::Z) > 30.0;
    (0..o.frames()).find(leans).map_or(f64::INFINITY, |frame| o.step * frame as f64)
}

fn dominoes_answers() -> Vec<Expectation> {
    vec![
        answer("dominoes fallen", "1", "n", 12.0, 0.0, |o| {
            (0..12).filter(|k| fallen_at(o, *k).is_finite()).count() as f64
        }),
        answer("neighbours fallen in order", "1", "n − 1", 11.0, 0.0, |o| {
            (0..11).filter(|k| fallen_at(o, *k) < fallen_at(o, k + 1)).count() as f64
        }),
    ]
}

/// As `seesaw`, with the two kilograms at 2.4 m: the resultant is 0.1 m from the middle of a fulcrum of half width 0.05.
fn seesaw_tips() -> Scene {
    let fulcrum = fixed_cuboid("fulcrum", [0.05, 0.3, 0.25], [0.0, 0.0, 0.25]);
    let plank = cuboid("plank", [2.8, 0.3, 0.05], 2.0, [0.0, 0.0, 0.55]);
    let four = cuboid("four", [0.2; 3], 4.0, [-1.0, 0.0, 0.8]);
    let two = cuboid("two", [0.2; 3], 2.0, [2.4, 0.0, 0.8]);
    scene(STEP, 3.0, vec![floor(), fulcrum, plank, four, two])
}

/// The plank ends with its lower edge on the floor and its underside on the edge of the fulcrum: with L from its middle
/// to its end and s from its middle to the edge, `(L − s) sin θ = 0.5 m`. It may have slipped, so the angle is compared
/// with where it is.
fn seesaw_tips_answers() -> Vec<Expectation> {
    vec![answer("height of the plank's lower edge at the end", "m", "0", 0.0, 2e-4, |o| {
        let plank = o.last("plank");
        (plank.position + plank.orientation * DVec3::new(2.8, 0.0, -0.05)).z
    })]
}

/// Half the inside width of the bin \[m\].
const BIN: f64 = 0.75;

/// Floor and four walls.
fn bin() -> Vec<BodyDescription> {
    let wall = |name: &str, x: f64, y: f64| {
        let half = [if x == 0.0 { BIN + 0.2 } else { 0.1 }, if y == 0.0 { BIN + 0.2 } else { 0.1 }, 1.0];
        fixed_cuboid(name, half, [x * (BIN + 0.1), y * (BIN + 0.1), 1.0])
    };
    vec![
        floor(),
        wall("wall +x", 1.0, 0.0),
        wall("wall -x", -1.0, 0.0),
        wall("wall +y", 0.0, 1.0),
        wall("wall -y", 0.0, -1.0),
    ]
}

/// Bodies in rows, the first at a place.
fn rows(name: &str, shape: ShapeDescription, count: [u32; 3], at: [f64; 3]) -> BodyDescription {
    BodyDescription {
        density: Some(600.0),
        position: at,
        grid: Some(Grid { count, spacing: [0.43, 0.41, 0.4] }),
        ..BodyDescription::new(name, shape)
    }
}

fn pile() -> Scene {
    let mut bodies = bin();
    bodies.push(rows("large", ShapeDescription::Sphere { radius: 0.17 }, [3, 3, 2], [-0.45, -0.4, 0.3]));
    bodies.push(rows("small", ShapeDescription::Sphere { radius: 0.12 }, [3, 3, 1], [-0.42, -0.44, 1.1]));
    bodies.push(ball("boulder", 0.25, 100.0, [0.05, -0.03, 1.7]));
    scene(STEP, 2.0, bodies)
}

fn crates() -> Scene {
    let crate_ = ShapeDescription::Cuboid { half_extents: [0.15, 0.17, 0.13] };
    let barrel = ShapeDescription::Cylinder { half_height: 0.17, radius: 0.13 };
    let mut bodies = bin();
    bodies.push(rows("crate", crate_.clone(), [3, 3, 1], [-0.45, -0.4, 0.3]));
    let tumbling = |degrees: f64, body: BodyDescription| BodyDescription {
        rotation: Some(Rotation { axis: [1.0, 2.0, 0.5], degrees }),
        ..body
    };
    bodies.push(tumbling(25.0, rows("barrel", barrel, [2, 2, 1], [-0.22, -0.24, 0.8])));
    bodies.push(tumbling(50.0, rows("upper crate", crate_, [2, 2, 1], [-0.18, -0.22, 1.3])));
    // A step or two of the tumbling take more than the usual budget.
    let mut crates = scene(STEP, 2.0, bodies);
    crates.solver.budget = BudgetDescription::Named(BudgetName::Thorough);
    crates
}

/// Impulse is the change of momentum: what floor and walls gave over the whole run, less the weight's, is what the
/// bodies have gained, whatever happened in between.
fn balanced() -> Expectation {
    answer(
        "impulse that momentum does not explain, over weight and time",
        "1",
        "(Σ h F + M g T − Δp)/M g T = 0",
        0.0,
        1e-10,
        |o| {
            let end = o.last_frame();
            let fixed = || o.bodies.iter().filter(|body| body.kind == Kind::Fixed);
            let given = |k: usize| -fixed().map(|body| o.at(&body.name, k).force).sum::<DVec3>();
            let impulse = o.step * (1..=end).map(given).sum::<DVec3>();
            let mass: f64 = o.bodies.iter().map(|body| body.mass).sum();
            let time = o.step * end as f64;
            let gained = o.momentum(end) - o.momentum(0);
            (impulse + mass * time * o.gravity - gained).length() / (o.weight() * time)
        },
    )
}

fn contained(formula: &'static str, expected: f64) -> Expectation {
    Expectation {
        what: "bodies in the bin",
        unit: "1",
        formula,
        expected,
        tolerance: 0.0,
        measured: |o| {
            let inside = |p: DVec3| p.x.abs() < BIN && p.y.abs() < BIN && p.z > 0.1 && p.z < 2.0;
            let dynamic = o.bodies.iter().filter(|body| body.kind == Kind::Dynamic);
            dynamic.filter(|body| inside(o.last(&body.name).position)).count() as f64
        },
    }
}

fn pile_answers() -> Vec<Expectation> {
    vec![balanced(), contained("28", 28.0)]
}

fn crates_answers() -> Vec<Expectation> {
    vec![balanced(), contained("17", 17.0)]
}

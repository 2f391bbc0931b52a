//! Stones and cards that stand by weight and friction.

use super::parts::{Describe, centroid, cuboid, floor, prism, scene};
use super::{Expectation, NamedScene, Observed, answer};
use signorini::Scene;
use signorini::scene::BodyDescription;
use signorini_problem::math;
use std::f64::consts::PI;

const STEP: f64 = 1.0 / 60.0;
const FRICTION: f64 = 0.8;

pub(super) const SCENES: &[NamedScene] = &[
    NamedScene {
        name: "arch",
        about: "A semicircular arch 5 % thicker than the least thickness stands, without mortar.",
        make: || arch_scene(1.05),
        answers: arch_answers,
    },
    NamedScene {
        name: "arch_falls",
        about: "An arch 5 % thinner than the least thickness opens at five hinges and falls.",
        make: || arch_scene(0.95),
        answers: arch_falls_answers,
    },
    NamedScene {
        name: "card_house",
        about: "A house of seven cards on two floors stands by friction.",
        make: || scene(STEP, 3.0, std::iter::once(floor().surface(FRICTION, 0.0)).chain(card_house()).collect()),
        answers: standing,
    },
    NamedScene {
        name: "pyramid",
        about: "Twenty-one cubes in six rows stand still.",
        make: pyramid,
        answers: standing,
    },
    NamedScene {
        name: "wall",
        about: "Six courses of bricks in running bond stand still.",
        make: wall,
        answers: standing,
    },
];

/// Nothing moves, and the floor carries everything.
fn standing() -> Vec<Expectation> {
    vec![
        answer("largest displacement", "m", "0", 0.0, 1e-6, Observed::largest_displacement),
        answer("load on the floor over the weight", "1", "1", 1.0, 1e-7, |o| -o.last("floor").force.z / o.weight()),
    ]
}

const RADIUS: f64 = 2.5;
const VOUSSOIRS: u32 = 15;

/// Section of voussoir k of n between radial joints, in (x, z): straight sides, as stones are cut.
fn voussoir(k: u32, n: u32, thickness: f64, radius: f64) -> [[f64; 2]; 4] {
    let (inner, outer) = (radius - 0.5 * thickness, radius + 0.5 * thickness);
    let point = |joint: u32, r: f64| {
        let (sin, cos) = math::sin_cos(PI * f64::from(joint) / f64::from(n));
        // The springings lie on the floor exactly.
        let sin = if joint == 0 || joint == n { 0.0 } else { sin };
        [r * cos, r * sin]
    };
    [point(k, inner), point(k, outer), point(k + 1, outer), point(k + 1, inner)]
}

/// Least thickness over mean radius of a semicircular arch of `n` equal voussoirs under its weight: that for which one
/// thrust line just stays inside, friction being sufficient (Heyman 1966). For ever thinner voussoirs this is
/// Milankovitch's 0.1075.
///
/// A thrust line is fixed by its horizontal thrust H and its moment M about the centre at the springing. At joint k, of
/// angle β, the vertical part is `V = W(n/2 − k)`, the normal force `N = H sin β + V cos β`, and the line passes at the
/// radius `(M − Σ x W)/N`, which must be between the edges. Both conditions are linear in M for given H, and the room
/// left for M is concave in H.
pub fn least_arch_thickness(n: u32) -> f64 {
    let (mut thin, mut thick) = (0.0, 0.5);
    for _ in 0..50 {
        let middle = 0.5 * (thin + thick);
        if thrust_room(n, middle) >= 0.0 { thick = middle } else { thin = middle }
    }
    thick
}

/// The most room that any thrust leaves for the moment, for voussoirs of unit weight and mean radius 1.
fn thrust_room(n: u32, ratio: f64) -> f64 {
    let centres: Vec<f64> = (0..n).map(|k| centroid(&voussoir(k, n, ratio, 1.0))[0]).collect();
    let room = |thrust: f64| {
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut taken = 0.0;
        for k in 0..=n {
            let (sin, cos) = math::sin_cos(PI * f64::from(k) / f64::from(n));
            let normal = thrust * sin + (0.5 * f64::from(n) - f64::from(k)) * cos;
            least = f64::max(least, taken + (1.0 - 0.5 * ratio) * normal);
            most = f64::min(most, taken + (1.0 + 0.5 * ratio) * normal);
            taken += centres.get(k as usize).unwrap_or(&0.0);
        }
        most - least
    };
    let (mut low, mut high) = (0.0, f64::from(n));
    for _ in 0..100 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if room(a) < room(b) { low = a } else { high = b }
    }
    room(0.5 * (low + high))
}

/// An arch of `n` voussoirs that springs from the floor.
pub(super) fn arch(n: u32, ratio: f64) -> Vec<BodyDescription> {
    let stone = |k: u32| {
        let section = voussoir(k, n, ratio * RADIUS, RADIUS);
        prism(&format!("stone {k:02}"), &section, 0.6, 2000.0).surface(FRICTION, 0.0)
    };
    (0..n).map(stone).collect()
}

/// A semicircular arch of `n` voussoirs on a floor, of this thickness over its mean radius.
pub fn masonry_arch(n: u32, ratio: f64) -> Scene {
    let floor = std::iter::once(floor().surface(FRICTION, 0.0));
    scene(STEP, 3.0, floor.chain(arch(n, ratio)).collect())
}

fn arch_scene(factor: f64) -> Scene {
    masonry_arch(VOUSSOIRS, factor * least_arch_thickness(VOUSSOIRS))
}

/// Nothing moves if t/R is above the least.
fn arch_answers() -> Vec<Expectation> {
    standing()
}

/// The keystone comes down if t/R is below.
fn arch_falls_answers() -> Vec<Expectation> {
    vec![answer("keystone below half its height at the end", "1", "1 if t/R is below the least", 1.0, 0.0, |o| {
        let keystone = format!("stone {:02}", VOUSSOIRS / 2);
        f64::from(o.last(&keystone).position.z < 0.5 * o.first(&keystone).position.z)
    })]
}

/// Half base of a pair of cards, width of a foot, depth \[m\]; slope tan φ of the cards.
const HALF_BASE: f64 = 0.4;
const FOOT: f64 = 0.04;
const CARD_DEPTH: f64 = 0.6;
const CARD_SLOPE: f64 = 0.36;

/// Height of a pair of cards \[m\].
const STOREY: f64 = (HALF_BASE - 0.5 * FOOT) / CARD_SLOPE;

/// Two cards leaning on each other over (x, z), mitred so that feet, heads and tops meet face to face.
fn pair(name: &str, x: f64, z: f64) -> [BodyDescription; 2] {
    let (d, s) = (HALF_BASE, FOOT);
    let left = [[-d, 0.0], [s - d, 0.0], [0.0, (d - s) / CARD_SLOPE], [0.0, STOREY], [-0.5 * s, STOREY]];
    let card = |side: &str, mirror: f64| {
        let section = left.map(|[px, pz]| [x + mirror * px, z + pz]);
        prism(&format!("card {name} {side}"), &section, CARD_DEPTH, 500.0).surface(FRICTION, 0.0)
    };
    [card("left", 1.0), card("right", -1.0)]
}

/// Two pairs, a card across, a pair on top. Each card needs at its foot a friction between `tan φ/2`, when it carries
/// itself, and `tan φ` = 0.36, when the load above is much larger.
pub(super) fn card_house() -> Vec<BodyDescription> {
    let half = 0.5 * FOOT;
    let across = BodyDescription {
        mass: None,
        density: Some(500.0),
        ..cuboid("card across", [0.7, 0.5 * CARD_DEPTH, half], 1.0, [0.0, 0.0, STOREY + half])
    };
    let mut cards = vec![across.surface(FRICTION, 0.0)];
    cards.extend(pair("a", -0.5, 0.0));
    cards.extend(pair("b", 0.5, 0.0));
    cards.extend(pair("c", 0.0, STOREY + FOOT));
    cards
}

/// Rows of 6, 5, …, 1 cubes, a tenth apart.
fn pyramid() -> Scene {
    let mut bodies = vec![floor()];
    for row in 0..6u32 {
        for k in 0..6 - row {
            let x = 1.1 * (f64::from(k) + 0.5 * f64::from(row));
            bodies.push(cuboid(&format!("cube {row} {k}"), [0.5; 3], 1.0, [x, 0.0, 0.5 + f64::from(row)]));
        }
    }
    scene(STEP, 2.0, bodies)
}

/// Whole bricks, and in every other course half bricks at the ends.
fn wall() -> Scene {
    const PITCH: f64 = 0.41;
    let mut bodies = vec![floor()];
    for course in 0..6u32 {
        let z = 0.1 + 0.2 * f64::from(course);
        let mut lay = |name: String, from: f64, to: f64| {
            let half = [0.5 * (to - from), 0.1, 0.1];
            bodies.push(cuboid(&name, half, 5.0 * (to - from), [0.5 * (from + to), 0.0, z]));
        };
        let odd = course % 2;
        for k in 0..4 - odd {
            let from = PITCH * (f64::from(k) + 0.5 * f64::from(odd));
            lay(format!("brick {course} {k}"), from, from + 0.4);
        }
        if odd == 1 {
            lay(format!("half {course} left"), 0.0, 0.195);
            lay(format!("half {course} right"), 3.5 * PITCH, 3.5 * PITCH + 0.195);
        }
    }
    scene(STEP, 2.0, bodies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_thickness_tends_to_that_of_milankovitch() {
        // 0.1075 for a continuous arch; joints that are few leave hinges less choice.
        let fine = least_arch_thickness(400);
        assert!((fine - 0.1075).abs() < 2e-4, "{fine}");
        assert!(least_arch_thickness(15) < fine);
    }
}

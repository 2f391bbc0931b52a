//! Boxes that kinematic bodies push about: in a drum that turns, before the blade of a bulldozer.

use super::{Draw, about_y, cuboid, floor};
use crate::random::Random;
use signorini::Kind;
use signorini::scene::{BodyDescription, PartDescription, Scene, ShapeDescription};
use std::f64::consts::{PI, TAU};

fn kinematic(name: &str, shape: ShapeDescription) -> BodyDescription {
    BodyDescription { kind: Kind::Kinematic, ..BodyDescription::new(name.to_owned(), shape) }
}

/// A box within a cube of edge `size`, at any orientation.
fn rubble(random: &mut Random, index: usize, size: f64, position: [f64; 3]) -> BodyDescription {
    let half_extents = [0; 3].map(|_| size * random.between(0.25, 0.5));
    BodyDescription {
        position,
        orientation: Some(random.direction()),
        density: Some(1000.0),
        ..BodyDescription::new(format!("box {index:02}"), cuboid(half_extents))
    }
}

/// A closed drum about y with flat sides, partly full, that turns at up to a third of the rate at which its load would stay at the
/// wall.
pub fn drum(draw: &mut Draw, scene: &mut Scene) {
    let random = &mut draw.random;
    let sides = random.count(6, 12);
    let (radius, half_length) = (1.2, 0.6);
    let mut parts = Vec::new();
    for side in 0..sides {
        let angle = TAU * side as f64 / sides as f64;
        let wide = radius * (PI / sides as f64).tan() + 0.05;
        let at = [radius * angle.cos(), 0.0, radius * angle.sin()];
        parts.push(PartDescription::new(cuboid([0.05, half_length, wide]), at, about_y(-angle)));
    }
    for y in [-half_length, half_length] {
        parts.push(PartDescription::new(cuboid([1.2 * radius, 0.05, 1.2 * radius]), [0.0, y, 0.0], None));
    }
    scene.bodies.push(BodyDescription {
        position: [0.0, 0.0, 2.0],
        angular_velocity: [0.0, random.between(0.3, 1.0) * (9.81 / radius).sqrt() / 3.0, 0.0],
        ..kinematic("drum", ShapeDescription::Compound { parts })
    });
    // A lattice in the lower half: no two overlap.
    let pitch = 0.3;
    for index in 0..random.count(12, 32) {
        let (i, j, k) = (index % 4, index / 4 % 2, index / 8);
        let place = |i: usize, count: usize| pitch * (i as f64 - 0.5 * (count - 1) as f64);
        let at = [place(i, 4), place(j, 2), 1.6 + pitch * k as f64];
        scene.bodies.push(rubble(random, index, pitch / 3f64.sqrt(), at));
    }
}

/// A blade that pushes a heap of boxes over the floor.
pub fn bulldozer(draw: &mut Draw, scene: &mut Scene) {
    let random = &mut draw.random;
    scene.bodies.push(floor());
    scene.bodies.push(BodyDescription {
        position: [-1.6, 0.0, 0.41],
        velocity: [random.between(0.3, 1.2), 0.0, 0.0],
        ..kinematic("blade", cuboid([0.05, 1.2, 0.4]))
    });
    let pitch = 0.45;
    for index in 0..random.count(12, 40) {
        let (i, j, k) = (index % 4, index / 4 % 3, index / 12);
        let at = [pitch * (i as f64 - 2.0), pitch * (j as f64 - 1.0), pitch * (k as f64 + 0.6)];
        scene.bodies.push(rubble(random, index, pitch / 3f64.sqrt(), at));
    }
}

//! What stands, or falls one after the other.

use super::{Draw, about_y, cuboid, floor};
use signorini::scene::{BodyDescription, Scene, ShapeDescription};

/// A row of dominoes, the first past its balance.
pub fn dominoes(draw: &mut Draw, scene: &mut Scene) {
    let random = &mut draw.random;
    let height = random.between(0.1, 1.0);
    let thick = height * random.between(0.08, 0.15);
    let width = height * random.between(0.3, 0.6);
    let pitch = thick + height * random.between(0.3, 0.6);
    let count = random.count(10, 40);
    scene.bodies.push(floor());
    for index in 0..count {
        let angle = if index == 0 { 1.4 * (thick / height).atan() } else { 0.0 };
        // About the lower edge in front.
        let (sin, cos) = angle.sin_cos();
        let lean = [-0.5 * thick * cos + 0.5 * height * sin, 0.5 * thick * sin + 0.5 * height * cos];
        scene.bodies.push(BodyDescription {
            position: [pitch * index as f64 + lean[0], 0.0, lean[1]],
            orientation: about_y(angle),
            density: Some(random.between(500.0, 900.0)),
            ..BodyDescription::new(format!("domino {index:02}"), cuboid([0.5 * thick, 0.5 * width, 0.5 * height]))
        });
    }
}

/// Round logs in crossed layers of two.
pub fn cabin(draw: &mut Draw, scene: &mut Scene) {
    let random = &mut draw.random;
    let radius = random.between(0.05, 0.15);
    let half_height = random.between(0.6, 1.5);
    let apart = half_height * random.between(0.6, 0.9);
    let layers = random.count(4, 14);
    // z to x, and z to y.
    let turns = [[0.5f64.sqrt(), 0.0, 0.5f64.sqrt(), 0.0], [0.5f64.sqrt(), -0.5f64.sqrt(), 0.0, 0.0]];
    scene.bodies.push(floor());
    for layer in 0..layers {
        for side in [-apart, apart] {
            let mut position = [0.0, 0.0, radius * (2 * layer + 1) as f64];
            position[1 - layer % 2] = side;
            let name = format!("log {layer:02} {}", if side < 0.0 { "a" } else { "b" });
            scene.bodies.push(BodyDescription {
                position,
                orientation: Some(turns[layer % 2]),
                density: Some(random.between(400.0, 900.0)),
                ..BodyDescription::new(name, ShapeDescription::Capsule { half_height, radius })
            });
        }
    }
}

/// A pile of logs that lies against a stop on one side and rolls away on the other.
pub fn logs(draw: &mut Draw, scene: &mut Scene) {
    let random = &mut draw.random;
    let radius = random.between(0.1, 0.3);
    let rows = random.count(3, 6);
    // z to y.
    let lying = Some([0.5f64.sqrt(), -0.5f64.sqrt(), 0.0, 0.0]);
    scene.bodies.push(floor());
    let stop = BodyDescription::fixed("stop", cuboid([0.1, 2.0, 2.0 * radius]));
    scene.bodies.push(BodyDescription { position: [-radius - 0.1, 0.0, 2.0 * radius], ..stop });
    for (row, column) in (0..rows).flat_map(|row| (0..rows - row).map(move |column| (row, column))) {
        let x = radius * (row as f64 + 2.01 * column as f64);
        let z = radius * (1.0 + 3f64.sqrt() * 1.01 * row as f64);
        let half_height = random.between(0.6, 1.2);
        scene.bodies.push(BodyDescription {
            position: [x, 0.0, z],
            orientation: lying,
            density: Some(random.between(400.0, 900.0)),
            ..BodyDescription::new(format!("log {row} {column}"), ShapeDescription::Cylinder { half_height, radius })
        });
    }
}

/// Boxes on each other, each up to a hundred thousand times as heavy as another.
pub fn tower(draw: &mut Draw, scene: &mut Scene) {
    let random = &mut draw.random;
    let decades = random.between(1.0, 5.0);
    let mut top = 0.0;
    scene.bodies.push(floor());
    for index in 0..random.count(3, 12) {
        let half = [random.between(0.3, 0.5), random.between(0.3, 0.5), random.between(0.1, 0.4)];
        scene.bodies.push(BodyDescription {
            position: [random.between(-0.05, 0.05), random.between(-0.05, 0.05), top + half[2]],
            mass: Some(10f64.powf(random.between(0.0, decades))),
            ..BodyDescription::new(format!("box {index:02}"), cuboid(half))
        });
        top += 2.0 * half[2];
    }
}

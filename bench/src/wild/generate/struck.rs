//! Bodies at rest, and one that comes in fast.

use super::{Draw, cuboid, floor};
use signorini::scene::{
    BodyDescription, EndDescription, JointDescription, JointKindDescription, Scene, ShapeDescription,
};

/// Pins in a triangle, and a ball that rolls or slides at them.
pub fn bowling(draw: &mut Draw, scene: &mut Scene) {
    let random = &mut draw.random;
    let (radius, half_height) = (random.between(0.03, 0.08), random.between(0.12, 0.25));
    let pitch = radius * random.between(4.0, 7.0);
    scene.bodies.push(floor());
    for row in 0..4 {
        for place in 0..=row {
            let y = pitch * (place as f64 - 0.5 * row as f64);
            scene.bodies.push(BodyDescription {
                position: [0.87 * pitch * row as f64, y, half_height],
                density: Some(random.between(300.0, 900.0)),
                ..BodyDescription::new(format!("pin {row}{place}"), ShapeDescription::Cylinder { half_height, radius })
            });
        }
    }
    let (radius, speed) = (random.between(0.08, 0.2), random.between(2.0, 15.0));
    let rolling = random.one(&[0.0, 1.0]);
    scene.bodies.push(BodyDescription {
        position: [-3.0, random.between(-0.1, 0.1), radius],
        density: Some(random.between(500.0, 3000.0)),
        velocity: [speed, 0.0, 0.0],
        angular_velocity: [0.0, rolling * speed / radius, 0.0],
        ..BodyDescription::new("ball", ShapeDescription::Sphere { radius })
    });
}

/// A wall of bricks in bond, and a ball that hangs from a point above and swings into it.
pub fn wrecking(draw: &mut Draw, scene: &mut Scene) {
    let random = &mut draw.random;
    let (rows, columns) = (random.count(4, 10), random.count(4, 10));
    let half = [random.between(0.08, 0.15), random.between(0.15, 0.3), random.between(0.08, 0.15)];
    let density = random.between(500.0, 2500.0);
    scene.bodies.push(floor());
    for row in 0..rows {
        let shift = if row % 2 == 0 { -0.25 } else { 0.25 };
        for column in 0..columns {
            let y = 2.02 * half[1] * (column as f64 - 0.5 * (columns - 1) as f64 + shift);
            scene.bodies.push(BodyDescription {
                position: [0.0, y, half[2] * (2 * row + 1) as f64],
                density: Some(density),
                ..BodyDescription::new(format!("brick {row:02} {column:02}"), cuboid(half))
            });
        }
    }
    let radius = random.between(0.2, 0.5);
    let (length, angle) = (random.between(3.0, 6.0), random.between(30.0, 80.0).to_radians());
    let hit = radius + (2.0 * half[2] * rows as f64 - radius).max(0.1) * random.between(0.3, 0.7);
    let hook = [-half[0] - 0.9 * radius, 0.0, hit + length];
    let place = [hook[0] - length * angle.sin(), 0.0, hook[2] - length * angle.cos()];
    scene.bodies.push(BodyDescription {
        position: place,
        density: Some(random.between(2000.0, 8000.0)),
        ..BodyDescription::new("ball", ShapeDescription::Sphere { radius })
    });
    let ball = EndDescription::new(Some("ball"), [0, 1, 2].map(|i| hook[i] - place[i]));
    scene.joints.push(JointDescription::new(JointKindDescription::Ball, ball, EndDescription::new(None, hook)));
}

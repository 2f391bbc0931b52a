//! Bodies poured into a bin: layers of a lattice wide enough that nothing overlaps however it is turned.

use super::{Draw, cuboid, floor};
use crate::random::Random;
use signorini::scene::{BodyDescription, Scene, ShapeDescription};

/// What a heap is made of.
#[derive(Clone, Copy)]
pub enum Grain {
    Box,
    Sphere,
    Capsule,
    Cylinder,
    Rock,
    Cone,
    /// A box with round edges.
    Rounded,
}

impl Grain {
    pub const ALL: [Grain; 5] = [Grain::Box, Grain::Sphere, Grain::Capsule, Grain::Cylinder, Grain::Rock];

    /// Shapes with rims, tips and round edges.
    pub const ODD: [Grain; 3] = [Grain::Cone, Grain::Cylinder, Grain::Rounded];

    /// A shape within a ball of `reach` \[m\].
    fn shape(self, random: &mut Random, reach: f64) -> ShapeDescription {
        match self {
            Grain::Box => {
                let sides = [0; 3].map(|_| random.between(0.4, 1.0));
                let size = sides.iter().map(|x| x * x).sum::<f64>().sqrt();
                cuboid(sides.map(|x| reach * x / size))
            }
            Grain::Sphere => ShapeDescription::Sphere { radius: reach },
            Grain::Capsule => {
                let radius = reach * random.between(0.25, 0.6);
                ShapeDescription::Capsule { half_height: reach - radius, radius }
            }
            Grain::Cylinder => {
                let (sin, cos) = random.between(0.3, 1.2).sin_cos();
                ShapeDescription::Cylinder { half_height: reach * sin, radius: reach * cos }
            }
            Grain::Cone => {
                let (sin, cos) = random.between(0.5, 1.0).sin_cos();
                ShapeDescription::Cone { half_height: reach * sin, radius: reach * cos }
            }
            Grain::Rounded => {
                let radius = reach * random.between(0.1, 0.3);
                let half_extents = [0; 3].map(|_| (reach - radius) * random.between(0.3, 0.57));
                ShapeDescription::RoundedCuboid { half_extents, radius }
            }
            Grain::Rock => {
                let stretch = [0; 3].map(|_| random.between(0.6, 1.0));
                let corners = random.count(8, 16);
                let point = |direction: [f64; 3]| [0, 1, 2].map(|i| reach * stretch[i] * direction[i]);
                // Four of a tetrahedron first, so that there is a solid whatever the others are.
                let side = 3f64.sqrt().recip();
                let first = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
                let mut points: Vec<_> = first.iter().map(|p| point(p.map(|x| side * x))).collect();
                points.extend((4..corners).map(|_| point(random.direction())));
                ShapeDescription::Hull { points }
            }
        }
    }
}

/// A bin and what falls into it.
pub fn pour(draw: &mut Draw, scene: &mut Scene, grains: &[Grain]) {
    let random = &mut draw.random;
    let count = draw.arguments.bodies.unwrap_or_else(|| random.count(20, 100));
    let size = draw.arguments.size.unwrap_or_else(|| random.between(0.08, 0.4));
    let density = random.between(200.0, 3000.0);
    let side = ((count as f64 / 2.0).cbrt().ceil() as usize).max(2);
    let pitch = 2.1 * size;
    let (inner, height) = (0.5 * pitch * side as f64, pitch * (count as f64 / (side * side) as f64 + 2.0));
    scene.bodies.push(floor());
    let thick = 0.5;
    let (far, wide) = (inner + thick, inner + 2.0 * thick);
    for (name, half, at) in [
        ("wall east", [thick, wide, height], [far, 0.0, height]),
        ("wall west", [thick, wide, height], [-far, 0.0, height]),
        ("wall north", [wide, thick, height], [0.0, far, height]),
        ("wall south", [wide, thick, height], [0.0, -far, height]),
    ] {
        scene.bodies.push(BodyDescription { position: at, ..BodyDescription::fixed(name, cuboid(half)) });
    }
    for index in 0..count {
        let (i, j, k) = (index % side, index / side % side, index / (side * side));
        let place = |i: usize| pitch * (i as f64 - 0.5 * (side - 1) as f64);
        let reach = size * random.between(0.6, 1.0);
        // Within the slack of its own cell.
        let [x, y, z] = [0; 3].map(|_| random.between(-0.9, 0.9) * (0.5 * pitch - reach));
        let grain = random.one(grains);
        let shape = grain.shape(random, reach);
        scene.bodies.push(BodyDescription {
            position: [place(i) + x, place(j) + y, pitch * (k as f64 + 0.6) + z],
            orientation: Some(random.direction()),
            density: Some(density),
            velocity: [0.0, 0.0, -random.between(0.0, 1.0)],
            ..BodyDescription::new(format!("grain {index:03}"), shape)
        });
    }
}

/// Columns of ten boxes, side by side.
pub fn columns(count: usize, scene: &mut Scene) {
    const HIGH: usize = 10;
    let side = ((count as f64 / HIGH as f64).sqrt().ceil() as usize).max(1);
    for index in 0..count {
        let (column, k) = (index / HIGH, index % HIGH);
        let place = |i: usize| 0.5 * i as f64;
        scene.bodies.push(BodyDescription {
            position: [place(column % side), place(column / side), 0.1 + 0.2 * k as f64],
            density: Some(1000.0),
            ..BodyDescription::new(format!("box {index:05}"), cuboid([0.1; 3]))
        });
    }
}

/// Pyramids of four spheres, three below and one on top, that touch: friction holds them.
pub fn pyramids(count: usize, scene: &mut Scene) {
    let radius = 0.1;
    // Corners of a triangle with sides of two radii, and the height of a regular tetrahedron with such edges.
    let (far, high) = (2.0 * radius / 3f64.sqrt(), 2.0 * radius * (2.0 / 3.0_f64).sqrt());
    let side = ((count as f64 / 4.0).sqrt().ceil() as usize).max(1);
    for index in 0..count {
        let (pyramid, k) = (index / 4, index % 4);
        let (sin, cos) = (k as f64 * std::f64::consts::TAU / 3.0).sin_cos();
        let [x, y, z] = if k < 3 { [far * cos, far * sin, radius] } else { [0.0, 0.0, radius + high] };
        let place = |i: usize| 0.6 * i as f64;
        scene.bodies.push(BodyDescription {
            position: [place(pyramid % side) + x, place(pyramid / side) + y, z],
            density: Some(1000.0),
            ..BodyDescription::new(format!("sphere {index:05}"), ShapeDescription::Sphere { radius })
        });
    }
}

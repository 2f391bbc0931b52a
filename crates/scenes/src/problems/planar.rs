//! Problems in the xz-plane: contacts of two rows `(n, t)`. Bodies keep six columns; three of them never move.

use super::pile::{Masses, Motion};
use crate::{Assembly, Body, DENSITY, Family, GRAVITY, GeneratedProblem, Known, STEP, SceneError};

/// `n` unit squares (cubes seen from the side) on top of one another, two contacts per interface. At rest each carries
/// half the weight above; rest is the motion of every solution.
pub fn planar_stack(n: usize, masses: Masses, mu: f64) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("squares", n, 1, "at least one")?;
    let mut assembly = Assembly::default();
    for (i, factor) in masses.factors(n)?.into_iter().enumerate() {
        let z = i as f64;
        let body = assembly.body(Body::cuboid(DENSITY * factor, [0.5; 3], [0.0, 0.0, z + 0.5]));
        for x in [-0.5, 0.5] {
            assembly.planar_contact([body.checked_sub(1), Some(body)], [0.0, 0.0, 1.0], [x, 0.0, z], 0.0, mu);
        }
    }
    let mut impulse = Vec::with_capacity(4 * n);
    for i in 0..n {
        let load = assembly.bodies()[i..].iter().map(|b| b.mass).sum::<f64>() * GRAVITY * STEP;
        impulse.extend([load / 2.0, 0.0, load / 2.0, 0.0]);
    }
    let known = Known { impulse: Some(impulse), ..assembly.known_at_rest() };
    assembly.build(format!("planar_stack{n}{}", masses.suffix()), Family::Planar, known)
}

/// A triangle of discs of diameter 1 m on the floor, `base` in the lowest row, moving at random in the plane:
/// `b(b+1)/2` discs; b contacts with the floor, `b(b−1)/2` within rows, `b(b−1)` between rows.
pub fn planar_discs(base: usize, mu: f64, speed: f64, seed: u64) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("base", base, 1, "at least one disc")?;
    let mut assembly = Assembly::default();
    let (radius, rise) = (0.5, 0.75f64.sqrt());
    let mass = DENSITY * std::f64::consts::PI * radius * radius;
    // A cylinder of unit length along y.
    let about_axis = 0.5 * mass * radius * radius;
    let across = mass * (3.0 * radius * radius + 1.0) / 12.0;
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for layer in 0..base {
        let mut row = Vec::new();
        for i in 0..base - layer {
            let position = [i as f64 + 0.5 * layer as f64, 0.0, radius + layer as f64 * rise];
            let inertia = [across, about_axis, across];
            row.push(assembly.body(Body { inertia, ..Body::sphere(mass, radius, position) }));
        }
        rows.push(row);
    }
    Motion::Shaken { speed, seed }.apply(assembly.bodies_mut());
    for body in assembly.bodies_mut() {
        for out_of_plane in [1, 3, 5] {
            body.velocity[out_of_plane] = 0.0;
        }
    }
    for (layer, row) in rows.iter().enumerate() {
        for (i, &disc) in row.iter().enumerate() {
            let [x, _, z] = assembly.bodies()[disc].position;
            if layer == 0 {
                assembly.planar_contact([None, Some(disc)], [0.0, 0.0, 1.0], [x, 0.0, 0.0], 0.0, mu);
            } else {
                for (below, side) in [(rows[layer - 1][i], 1.0), (rows[layer - 1][i + 1], -1.0)] {
                    let normal = [0.5 * side, 0.0, rise];
                    let point = [x - radius * normal[0], 0.0, z - radius * normal[2]];
                    assembly.planar_contact([Some(below), Some(disc)], normal, point, 0.0, mu);
                }
            }
            if let Some(&next) = row.get(i + 1) {
                assembly.planar_contact([Some(disc), Some(next)], [1.0, 0.0, 0.0], [x + radius, 0.0, z], 0.0, mu);
            }
        }
    }
    assembly.build(format!("planar_discs{base}"), Family::Planar, Known::default())
}

//! Pyramids of unit cubes, each resting on two or on four others.

use super::pile::{Pile, PileOptions};
use crate::vector::Vec3;
use crate::{Family, GeneratedProblem, SceneError};

/// Distance of neighbours in a layer \[m\]: they do not touch.
const SPACING: f64 = 1.1;

/// `base` cubes in the lowest row, one less in each row above: `b(b+1)/2` bodies, `4b + 4b(b−1)` contacts.
pub fn pyramid2d(base: usize, options: &PileOptions) -> Result<GeneratedProblem, SceneError> {
    let mut positions = Vec::new();
    for layer in 0..base {
        for i in 0..base - layer {
            positions.push(cube(layer, i, None));
        }
    }
    pyramid(format!("pyr2d{base}{}", options.suffix()), base, &positions, options)
}

/// Square layers of `base²`, `(base−1)²`, ... cubes: `b(b+1)(2b+1)/6` bodies; four contacts per cube of the floor, and
/// sixteen per cube above it.
pub fn pyramid3d(base: usize, options: &PileOptions) -> Result<GeneratedProblem, SceneError> {
    let mut positions = Vec::new();
    for layer in 0..base {
        for i in 0..base - layer {
            for j in 0..base - layer {
                positions.push(cube(layer, i, Some(j)));
            }
        }
    }
    pyramid(format!("pyr3d{base}{}", options.suffix()), base, &positions, options)
}

fn cube(layer: usize, i: usize, j: Option<usize>) -> Vec3 {
    let along = |i: usize| SPACING * (i as f64 + 0.5 * layer as f64);
    [along(i), j.map_or(0.0, along), 0.5 + layer as f64]
}

/// Whatever the masses, the supports of a cube surround its load, so it hands it down without friction: every solution
/// rests.
fn pyramid(
    name: String,
    base: usize,
    positions: &[Vec3],
    options: &PileOptions,
) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("base", base, 1, "at least one cube")?;
    let pile = Pile::new([0.5; 3], positions, options)?;
    let known = pile.known(options.motion);
    pile.assembly.build(name, Family::Pyramid, known)
}

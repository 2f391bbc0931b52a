//! A row of boxes, pushed from one end.

use super::pile::{Masses, Pile, PileOptions, Sides};
use crate::{Family, GeneratedProblem, Known, SceneError};

/// `n` unit cubes side by side on the floor, the first at 2 m/s towards the others and 0.2 m/s sideways; masses random
/// over `mass_ratio`. `4n + 4(n−1)` contacts.
pub fn row(n: usize, mass_ratio: f64, mu: f64, seed: u64) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("boxes", n, 2, "at least two")?;
    let positions: Vec<_> = (0..n).map(|i| [i as f64, 0.0, 0.5]).collect();
    let masses = Masses::LogUniform { ratio: mass_ratio, seed };
    let options = PileOptions { mu, masses, sides: Sides::Included, ..PileOptions::default() };
    let mut assembly = Pile::new([0.5; 3], &positions, &options)?.assembly;
    assembly.bodies_mut()[0].velocity = [2.0, 0.2, 0.0, 0.0, 0.0, 0.0];
    assembly.build(format!("row{n}_mass{mass_ratio:e}"), Family::Row, Known::default())
}

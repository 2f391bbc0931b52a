//! A column of unit cubes.

use super::pile::{Pile, PileOptions};
use crate::{Family, GeneratedProblem, SceneError};

/// `n` unit cubes on top of one another, four contacts per interface, listed from the floor up: n bodies, 4n contacts.
///
/// At rest interface i carries the weight above it, `r_N = g h Σ_{j≥i} m_j / 4` at every corner, without friction; every
/// solution rests.
pub fn stack(n: usize, options: &PileOptions) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("cubes", n, 1, "at least one")?;
    let positions: Vec<_> = (0..n).map(|i| [0.0, 0.0, 0.5 + i as f64]).collect();
    let pile = Pile::new([0.5; 3], &positions, options)?;
    let known = pile.known(options.motion);
    pile.assembly.build(format!("stack{n}{}", options.suffix()), Family::Stack, known)
}

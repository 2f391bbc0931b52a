//! A column of unit cubes.

use super::pile::{Motion, PileOptions, boxes};
use crate::{Family, GRAVITY, GeneratedProblem, Known, STEP, SceneError};

/// `n` unit cubes on top of one another, four contacts per interface: n bodies, 4n contacts.
///
/// At rest interface i carries the weight above it, `r_N = g h Σ_{j≥i} m_j / 4` at every corner, without friction. A
/// frictionless equilibrium r° makes rest the only motion of any solution: `vᵀMv = vᵀMv* + rᵀu ≤ vᵀMv* = −r°ᵀu ≤ 0`.
pub fn stack(n: usize, options: &PileOptions) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("cubes", n, 1, "at least one")?;
    let positions: Vec<_> = (0..n).map(|i| [0.0, 0.0, 0.5 + i as f64]).collect();
    // All cubes share one x, so pairs come out in the order of the sort, which is stable: interface i is i-th.
    let assembly = boxes([0.5; 3], &positions, options)?;
    let known = match options.motion {
        Motion::Rest => {
            let mut impulse = Vec::with_capacity(12 * n);
            for i in 0..n {
                let above: f64 = assembly.bodies()[i..].iter().map(|body| body.mass).sum();
                for _ in 0..4 {
                    impulse.extend([above * GRAVITY * STEP / 4.0, 0.0, 0.0]);
                }
            }
            Known { impulse: Some(impulse), ..assembly.known_at_rest() }
        }
        Motion::Hit | Motion::Shaken { .. } => Known::default(),
    };
    assembly.build(format!("stack{n}{}", options.suffix()), Family::Stack, known)
}

//! Cubes hung from one another by ball joints: equalities only, tension on paper.

use super::pile::Masses;
use crate::{Assembly, Body, Family, GRAVITY, GeneratedProblem, Known, STEP, SceneError};

/// `n` cubes of 0.2 m and 1 kg times `masses`, listed from the top, joined at the middles of their faces; the first hangs
/// from the world. Joint i carries `g h Σ_{j≥i} m_j` straight up. The answer is unique; a heavy last cube makes the
/// condition number grow with the mass ratio.
pub fn hanging_chain(n: usize, masses: Masses) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("cubes", n, 1, "at least one")?;
    let mut assembly = Assembly::default();
    let half = 0.1;
    for (i, mass) in masses.factors(n)?.into_iter().enumerate() {
        let top = -2.0 * half * i as f64;
        let body = assembly.body(Body::cuboid(mass, [half; 3], [0.0, 0.0, top - half]));
        assembly.ball_joint([body.checked_sub(1), Some(body)], [0.0, 0.0, top]);
    }
    let tension = |i: usize| assembly.bodies()[i..].iter().map(|b| b.mass).sum::<f64>() * GRAVITY * STEP;
    let impulse = (0..n).flat_map(|i| [0.0, 0.0, tension(i)]).collect();
    let known = Known { impulse: Some(impulse), ..assembly.known_at_rest() };
    assembly.build(format!("hanging{n}{}", masses.suffix()), Family::HangingChain, known)
}

//! A frictionless column with one degree of freedom per body: the mass ratio and nothing else.

use super::pile::Masses;
use crate::{Assembly, Body, Family, GRAVITY, GeneratedProblem, Known, STEP, SceneError};

/// `n` balls of 1 kg times `masses`, one above the other, frictionless. W is tridiagonal, with condition number growing
/// like n² times the mass ratio.
///
/// Contact i carries the weight above it, `g h Σ_{j≥i} m_j`; the floor carries all of it. The answer is unique.
pub fn chain(n: usize, masses: Masses) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("balls", n, 1, "at least one")?;
    let mut assembly = Assembly::default();
    for (i, mass) in masses.factors(n)?.into_iter().enumerate() {
        let body = assembly.body(Body::sphere(mass, 0.5, [0.0, 0.0, 0.5 + i as f64]));
        assembly.normal_contact([body.checked_sub(1), Some(body)], [0.0, 0.0, 1.0], [0.0, 0.0, i as f64], 0.0);
    }
    let impulse = (0..n).map(|i| assembly.bodies()[i..].iter().map(|b| b.mass).sum::<f64>() * GRAVITY * STEP).collect();
    let known = Known { impulse: Some(impulse), ..assembly.known_at_rest() };
    assembly.build(format!("chain{n}{}", masses.suffix()), Family::Chain, known)
}

//! A stack of unit cubes on a slope.

use super::pile::{Pile, PileOptions};
use crate::contact::{frame, in_frame};
use crate::vector::norm;
use crate::{Family, GRAVITY, GeneratedProblem, Known, STEP, SceneError};

/// `n` cubes on a floor tilted by `atan(slope)`, downhill along x; axes are those of the slope.
///
/// With ρ = min(slope, μ), as long as the stack neither topples nor unloads a corner (n ρ ≤ 1), all interfaces carry
/// tangential over normal impulse ρ: the cubes stick (slope ≤ μ), or slide down together at `g h (sin − μ cos)`. The
/// normal impulse of an interface below k cubes acts `ρ k/2` downhill of its centre. Beyond n ρ = 1 the stack topples
/// and nothing is known.
pub fn incline(n: usize, slope: f64, mu: f64) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("cubes", n, 1, "at least one")?;
    SceneError::positive("slope", slope)?;
    let positions: Vec<_> = (0..n).map(|i| [0.0, 0.0, 0.5 + i as f64]).collect();
    let mut assembly = Pile::new([0.5; 3], &positions, &PileOptions { mu, ..PileOptions::default() })?.assembly;
    let [_, sin, cos] = [0.0, slope, 1.0].map(|x| x / norm([0.0, slope, 1.0]));
    assembly.gravity = [GRAVITY * sin, 0.0, -GRAVITY * cos];
    let ratio = slope.min(mu);
    let impulse = (n as f64 * ratio <= 1.0).then(|| {
        let frame = frame([0.0, 0.0, 1.0]);
        let mut impulse = Vec::with_capacity(12 * n);
        for i in 0..n {
            let weight: f64 = assembly.bodies()[i..].iter().map(|body| body.mass * GRAVITY * STEP * cos).sum();
            let shift = ratio * (n - i) as f64 / 2.0;
            // Corners come as x = −½, −½, ½, ½.
            for x in [-0.5, -0.5, 0.5, 0.5] {
                let normal = weight / 4.0 * (1.0 + 4.0 * shift * x);
                impulse.extend(in_frame(&frame, [-ratio * normal, 0.0, normal]));
            }
        }
        impulse
    });
    let known = Known { impulse, ..Known::default() };
    assembly.build(format!("incline{n}_slope{slope}_mu{mu}"), Family::Incline, known)
}

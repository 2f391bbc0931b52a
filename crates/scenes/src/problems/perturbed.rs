//! A slightly changed problem, like that of the next step, for warm starts.

use crate::assembly::assemble;
use crate::random::SplitMix64;
use crate::vector::{Vec3, add, cross};
use crate::{GeneratedProblem, Known, SceneError};
use signorini_problem::FactoredDelassus;

/// What changes from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Perturbation {
    /// Random velocities of this deviation are added to v* of every body [m/s, rad/s].
    Velocity {
        /// Standard deviation [m/s, rad/s].
        speed: f64,
    },
    /// The middle body moves along x, faster by this [m/s].
    Kick {
        /// Speed [m/s].
        speed: f64,
    },
    /// Every contact point moves at random by this fraction of its distance to the bodies' centres \[1\]; normals stay.
    Geometry {
        /// Standard deviation over the lever arm \[1\].
        relative: f64,
    },
}

/// The base problem with a perturbation. Blocks and their order stay, so an impulse of the base is a warm start. Nothing
/// is known about the answer.
pub fn perturbed(base: &GeneratedProblem, kind: Perturbation, seed: u64) -> Result<GeneratedProblem, SceneError> {
    let w = base.factored()?;
    let mut random = SplitMix64::new(seed);
    let mut free_velocity = base.free_velocity.clone();
    let mut jacobian = w.jacobian().to_vec();
    let suffix = match kind {
        Perturbation::Velocity { speed } => {
            for v in &mut free_velocity {
                *v += speed * random.normal();
            }
            format!("velocity{speed:e}")
        }
        Perturbation::Kick { speed } => {
            if let Some(v) = free_velocity.get_mut(6 * (base.bodies() / 2)) {
                *v += speed;
            }
            format!("kick{speed:e}")
        }
        Perturbation::Geometry { relative } => {
            for c in 0..base.blocks() {
                let rows = &mut jacobian[base.problem.range(c)];
                // The root mean square of the angular columns is the lever arm, for rows that are unit directions.
                let (mut squares, mut count) = (0.0, 0);
                for row in rows.iter() {
                    squares += row[3..6].iter().chain(&row[9..12]).map(|x| x * x).sum::<f64>();
                    count += 1;
                }
                let reach = relative * (squares / f64::from(count)).sqrt();
                let shift: Vec3 = std::array::from_fn(|_| reach * random.normal());
                for row in rows {
                    // r×d becomes (r + δ)×d on both sides: the point moved, not the bodies.
                    for side in [0, 6] {
                        let direction = [row[side], row[side + 1], row[side + 2]];
                        let arm = [row[side + 3], row[side + 4], row[side + 5]];
                        row[side + 3..side + 6].copy_from_slice(&add(arm, cross(shift, direction)));
                    }
                }
            }
            format!("geometry{relative:e}")
        }
    };
    let delassus = FactoredDelassus::new(w.inverse_mass().to_vec(), w.bodies().to_vec(), jacobian)
        .with_compliance(w.compliance().to_vec());
    assemble(
        format!("{}_{suffix}_seed{seed}", base.name),
        base.family,
        Known::default(),
        base.problem.blocks().to_vec(),
        delassus,
        free_velocity,
        base.offset.clone(),
    )
}

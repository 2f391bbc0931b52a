//! One plate on a grid of contacts: any number of unknowns on six degrees of freedom.

use crate::contact::in_frame;
use crate::vector::{Vec3, norm};
use crate::{Assembly, Body, Family, GRAVITY, GeneratedProblem, Known, STEP, SceneError};

const MASS: f64 = 10.0;
const HALF: Vec3 = [1.0, 0.5, 0.05];

/// How the plate moves before the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableMotion {
    /// Not at all.
    #[default]
    Rest,
    /// 1 m/s along x.
    Sliding,
    /// 2 rad/s about the vertical.
    Spinning,
    /// 1 m/s along x, 0.3 m/s along y and 2 rad/s about the vertical: every contact slides its own way.
    SlidingAndSpinning,
}

/// A plate of 10 kg, 2×1×0.1 m, on `k × k` contacts over its whole underside, friction `mu`.
///
/// With `P = m g h` and `N = P/k²` per contact:
/// * at rest `r = (N, 0, 0)`; every solution rests;
/// * sliding, friction `−μP` acts half a thickness a below the centre of mass, balanced by
///   `r_N = N (1 + β x)`, `β = μ a/⟨x²⟩`; the plate slows by `μ g h`;
/// * spinning (k even), friction is `μN` across every radius ρ and the spin falls by `μ P ⟨ρ⟩/I_z`.
pub fn table(k: usize, mu: f64, motion: TableMotion) -> Result<GeneratedProblem, SceneError> {
    plate(k, mu, motion, "table", Family::Table)
}

pub(super) fn plate(
    k: usize,
    mu: f64,
    motion: TableMotion,
    prefix: &str,
    family: Family,
) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("contacts along an edge", k, 2, "at least two")?;
    let mut assembly = Assembly::default();
    let (suffix, velocity) = match motion {
        TableMotion::Rest => ("", [0.0; 6]),
        TableMotion::Sliding => ("_slide", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        TableMotion::Spinning => ("_spin", [0.0, 0.0, 0.0, 0.0, 0.0, 2.0]),
        TableMotion::SlidingAndSpinning => ("_slide_spin", [1.0, 0.3, 0.0, 0.0, 0.0, 2.0]),
    };
    let body = assembly.body(Body::cuboid(MASS, HALF, [0.0, 0.0, HALF[2]]).with_velocity(velocity));
    let along = |i: usize, half: f64| half * (2.0 * i as f64 / (k - 1) as f64 - 1.0);
    let mut points = Vec::with_capacity(k * k);
    for i in 0..k {
        for j in 0..k {
            points.push([along(i, HALF[0]), along(j, HALF[1]), 0.0]);
        }
    }
    let frames: Vec<_> =
        points.iter().map(|point| assembly.contact([None, Some(body)], [0.0, 0.0, 1.0], *point, 0.0, mu)).collect();
    let share = MASS * GRAVITY * STEP / (k * k) as f64;
    let world: Option<Vec<Vec3>> = match motion {
        TableMotion::Rest => Some(vec![[0.0, 0.0, share]; k * k]),
        TableMotion::Sliding if velocity[0] > mu * GRAVITY * STEP => {
            let mean_square = points.iter().map(|p| p[0] * p[0]).sum::<f64>() / (k * k) as f64;
            let beta = mu * HALF[2] / mean_square;
            // The trailing edge must not be unloaded.
            (beta * HALF[0] <= 1.0)
                .then(|| points.iter().map(|p| share * (1.0 + beta * p[0])).map(|n| [-mu * n, 0.0, n]).collect())
        }
        TableMotion::Spinning if k.is_multiple_of(2) => {
            let pull = |p: &Vec3| [mu * share * p[1] / norm(*p), -mu * share * p[0] / norm(*p), share];
            let torque: f64 = points.iter().map(|p| mu * share * norm(*p)).sum();
            (torque < velocity[5] * assembly.bodies()[body].inertia[2]).then(|| points.iter().map(pull).collect())
        }
        TableMotion::Sliding | TableMotion::Spinning | TableMotion::SlidingAndSpinning => None,
    };
    let impulse = world.map(|world| frames.iter().zip(world).flat_map(|(frame, p)| in_frame(frame, p)).collect());
    let known = match motion {
        TableMotion::Rest => Known { impulse, ..assembly.known_at_rest() },
        _ => Known { impulse, ..Known::default() },
    };
    assembly.build(format!("{prefix}{k}x{k}{suffix}"), family, known)
}

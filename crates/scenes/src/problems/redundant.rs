//! The same contact many times over: W keeps its rank while its size grows.

use super::table::{TableMotion, plate};
use crate::assembly::assemble;
use crate::{Family, GeneratedProblem, Known, SceneError};
use signorini_problem::FactoredDelassus;

/// A plate on `k × k` coplanar contacts (400 for k = 20), rank six; see [`super::table()`].
pub fn redundant_plate(k: usize, mu: f64, motion: TableMotion) -> Result<GeneratedProblem, SceneError> {
    plate(k, mu, motion, "plate", Family::Redundant)
}

/// Every block of `base` repeated `copies` times, one copy of the whole problem after the other. The motion stays what
/// it was; the impulse of a block may be shared by its copies in any way, for instance equally. Impulse bounds of motors
/// are repeated unchanged, so bases with intervals become stronger: use bases without them.
pub fn duplicated(base: &GeneratedProblem, copies: usize) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("copies", copies, 1, "at least one")?;
    let w = base.factored()?;
    let delassus =
        FactoredDelassus::new(w.inverse_mass().to_vec(), w.bodies().repeat(copies), w.jacobian().repeat(copies))
            .with_compliance(w.compliance().repeat(copies));
    let share = |r: &Vec<f64>| r.repeat(copies).iter().map(|r| r / copies as f64).collect();
    let known = Known { impulse: base.known.impulse.as_ref().map(share), ..base.known.clone() };
    assemble(
        format!("{}_copies{copies}", base.name),
        Family::Redundant,
        known,
        base.problem.blocks().repeat(copies),
        delassus,
        base.free_velocity.clone(),
        base.offset.repeat(copies),
    )
}

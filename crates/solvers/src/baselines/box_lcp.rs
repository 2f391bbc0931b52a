//! The box friction model: both tangential impulses bounded separately by ±μ r_N/√2.
//!
//! ```text
//! 0 ≤ u_N ⊥ r_N ≥ 0,      |r_ti| ≤ μ r_N/√2,      u_ti = 0 strictly inside, r_ti opposes u_ti at the bound
//! ```
//!
//! The box is the square inscribed in the friction disk, so the answer never leaves the cone; it is up to 29.3 % short of
//! Coulomb's bound (along a tangent) and it depends on how the tangents are turned. With frozen bounds this is a convex
//! box program, solved by an active set; the bounds follow r_N in an outer loop (Panagiotopoulos 1975). That loop is
//! neither monotone nor always convergent (see `polyhedral/frozen_bounds.rs`): it is capped and the residual tells.
//!
//! Source: the box-LCP of ODE and Bullet (Smith 2005) with bounds from the *same* step's normal impulses. Departure:
//! those engines bound by μ r_N, a box around the disk that is up to 41 % too strong on the diagonal; ours is inside.
//! In the plane the bound is μ r_N and the model is exact.
//!
//! Cost: one or a few dense Cholesky factorizations of the free rows per outer iteration.
//! Use it to: compare with box-friction engines. Not for answers: `certify` grades it on Coulomb's law.

use crate::baselines::polyhedral::frozen_bounds::FrozenBounds;
use crate::baselines::polyhedral::{self, FrictionPolygon, FrozenBoundsOptions};
use crate::solver::refuse_rolling;
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use signorini_problem::ContactProblem;

const NAME: &str = "box-lcp";

/// The box-LCP method.
#[derive(Clone, Debug, Default)]
pub struct BoxLcp {
    /// Caps of the outer loop.
    pub options: FrozenBoundsOptions,
    outer: FrozenBounds,
}

impl BoxLcp {
    /// Natural map of the box model at the answer of the last solve [m/s].
    pub fn model_residual(&self) -> f64 {
        self.outer.model_residual()
    }
}

impl ContactSolver for BoxLcp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        refuse_rolling(problem, NAME)?;
        let run = (impulses, stop, history);
        self.outer.iterate(problem, &FrictionPolygon::INSCRIBED_BOX, NAME, &self.options, run)
    }
}

/// The bound of each tangential impulse of a spatial contact [N·s]: `μ r_N/√2`, zero where the contact pulls.
pub fn friction_bound(mu: f64, normal_impulse: f64) -> f64 {
    FrictionPolygon::INSCRIBED_BOX.half_side() * mu * normal_impulse.max(0.0)
}

/// Largest natural map of the *box* model [m/s], from the problem and an impulse alone.
pub fn model_residual(problem: &ContactProblem, r: &[f64]) -> f64 {
    polyhedral::model_residual(problem, &FrictionPolygon::INSCRIBED_BOX, r)
}

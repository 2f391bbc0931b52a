//! Projected Gauss–Seidel: one row after another, friction on the true disk.
//!
//! ```text
//! contact:    r_N ← max(0, r_N − u_N/W_NN)
//!             r_T ← P_disk(μ r_N)(r_T − ρ u_T),   ρ = 1/λ_max(W_TT)
//! one row:    r ← clamp(r − u/W_ii, lo, hi)
//! joint:      r ← r − W_cc⁻¹ u
//! ```
//!
//! with `u` from the newest impulses. Matrix form for dense and block-sparse W; for a factored W the body velocities
//! `Δv = M⁻¹Jᵀr` are kept instead, so a sweep costs O(contacts) and W is never formed.
//!
//! Source: Moreau 1999, Catto 2005 (velocity form), Jourdan, Alart and Jean 1998. Departures: the tangential step is
//! one scalar per contact and the disk is round, so a fixed point is an exact Coulomb solution also when W_TT is
//! anisotropic; with a step per row or with W_TT⁻¹ it is not. The full change of an impulse enters Δv, after projection.
//! A contact without normal impulse has no friction.
//!
//! Cost: O(contacts) per sweep; 10² to 10⁵ sweeps, growing with the square of the height of a stack and with the mass
//! ratio. Use it as the baseline that every engine has, or with a small budget of sweeps; [`crate::Nsgs`] costs little
//! more and needs fewer sweeps.

use crate::solver::refuse_rolling;
use crate::sweep::{Acceptance, RowStep, SweepOptions, SweepPlan, Sweeps};
use crate::warm_start::active_blocks;
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use signorini_problem::ContactProblem;

/// The method; see the module documentation.
#[derive(Clone, Debug, Default)]
pub struct Pgs {
    /// How to sweep.
    pub options: SweepOptions,
    sweeps: Sweeps<RowStep>,
}

impl Pgs {
    /// A solver with these options.
    pub fn new(options: SweepOptions) -> Self {
        Pgs { options, ..Pgs::default() }
    }
}

impl ContactSolver for Pgs {
    fn name(&self) -> &'static str {
        "pgs"
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        refuse_rolling(problem, self.name())?;
        let plan = SweepPlan { order: self.options.order, acceptance: Acceptance::Certificate };
        let report = self.sweeps.run(problem, impulses, stop, plan, history);
        Ok(Effort { iterations: report.sweeps, active: active_blocks(problem, impulses), ..Effort::default() })
    }
}

//! Two-phase block Gauss–Seidel: normals first, then whole contacts, in total impulses.
//!
//! ```text
//! phase A:   r_T = 0,   0 ≤ r_N ⊥ u_N ≥ 0       on the normal rows of the problem (joints and limits included)
//! phase B:   from (r_N of phase A, 0, 0): sweeps over whole contacts [n, t1, t2]
//! ```
//!
//! `r` is the **total** impulse throughout and `u = W r + q` with the problem's own q, which already holds gravity and
//! restitution. Phase A is therefore only an initial guess: it gives the cones their size, and phase B may take any of
//! it back. Nothing is counted twice, and the answer does not depend on phase A.
//!
//! Source: the split of an impact into a normal phase and a friction phase (Catto 2005; Smith et al. 2012 for the first
//! phase). Departures: phase B has no right-hand side of its own; a formulation that seeds Δv with phase A *and* restarts
//! from the velocity after it counts the normal impulse twice, and one that sets the normal target of phase B to zero
//! undoes the bounce. The 3×3 block is solved, not divided by its diagonal (which diverges for slender bodies).
//!
//! Cost: O(contacts) per sweep of either phase. Use it to look at the two phases; [`crate::Nsgs`] is the same without
//! the first.

use crate::one_contact::OneContact;
use crate::solver::refuse_rolling;
use crate::sweep::{Acceptance, NormalStep, RowStep, SweepOrder, SweepPlan, SweepReport, Sweeps};
use crate::warm_start::active_blocks;
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use signorini_problem::ContactProblem;

/// What phase B does with a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockStep {
    /// The exact solve of the 3×3 block.
    #[default]
    Exact,
    /// Normal, then tangents projected on the disk, as in [`crate::Pgs`].
    Rows,
}

/// Choices of [`BlockPgs`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockPgsOptions {
    /// In which order blocks are visited.
    pub order: SweepOrder,
    /// What phase B does with a contact.
    pub step: BlockStep,
}

/// The method; see the module documentation.
#[derive(Clone, Debug, Default)]
pub struct BlockPgs {
    /// The choices.
    pub options: BlockPgsOptions,
    normal: Sweeps<NormalStep>,
    exact: Sweeps<OneContact>,
    rows: Sweeps<RowStep>,
}

impl BlockPgs {
    /// A solver with these options.
    pub fn new(options: BlockPgsOptions) -> Self {
        BlockPgs { options, ..BlockPgs::default() }
    }

    /// Phase A on its own: the impulses with all friction held at zero, from the guess in `impulses`.
    pub fn phase_a(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> SweepReport {
        let plan = SweepPlan { order: self.options.order, acceptance: Acceptance::OwnResidual };
        self.normal.run(problem, impulses, stop, plan, history)
    }

    /// Phase B on its own: whole contacts, from the total impulses in `impulses`.
    pub fn phase_b(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> SweepReport {
        let plan = SweepPlan { order: self.options.order, acceptance: Acceptance::Certificate };
        match self.options.step {
            BlockStep::Exact => self.exact.run(problem, impulses, stop, plan, history),
            BlockStep::Rows => self.rows.run(problem, impulses, stop, plan, history),
        }
    }
}

impl ContactSolver for BlockPgs {
    fn name(&self) -> &'static str {
        "block-pgs"
    }

    /// Both phases; a guess that carries impulses takes the place of phase A.
    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        refuse_rolling(problem, self.name())?;
        let mut iterations = 0;
        if impulses.iter().all(|x| *x == 0.0) {
            iterations += self.phase_a(problem, impulses, stop, &mut History::off()).sweeps;
        }
        iterations += self.phase_b(problem, impulses, stop, history).sweeps;
        Ok(Effort { iterations, active: active_blocks(problem, impulses), ..Effort::default() })
    }
}

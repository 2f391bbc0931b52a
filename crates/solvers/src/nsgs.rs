//! Nonsmooth Gauss–Seidel: every contact solved exactly while the others stay.
//!
//! ```text
//! for each block c:   solve  u_c = W_cc r_c + (q_c + Σ_{k≠c} W_ck r_k)  with its law, for r_c
//! ```
//!
//! Contacts by [`crate::one_contact`], joints by a generalised inverse of their block, single rows by clamping. Matrix
//! form for dense and block-sparse W, body velocities for a factored one. A problem of one contact is solved outright.
//!
//! Source: Jourdan, Alart and Jean 1998; Acary, Brémond and Huber 2018 (comparison of local solvers). Departures: the
//! local solve is exact, picks the most dissipative of several solutions, and works on the change of velocity, so that
//! an asymmetric or singular W_cc does not displace the limit.
//!
//! Cost: O(contacts) per sweep. Fast and precise on piles of spheres and few layers (10² sweeps to 1e-9 m/s); slow on
//! tall stacks and large mass ratios, where its rate is that of any Gauss–Seidel. With redundant sliding contacts the
//! answer it finds, while exact, depends on the order of the blocks.

use crate::one_contact::{self, OneContact};
use crate::solver::refuse_rolling;
use crate::sweep::{Acceptance, SweepOptions, SweepPlan, Sweeps};
use crate::warm_start::{active_blocks, make_feasible};
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use signorini_problem::ContactProblem;

/// The method; see the module documentation.
#[derive(Clone, Debug, Default)]
pub struct Nsgs {
    /// How to sweep.
    pub options: SweepOptions,
    sweeps: Sweeps<OneContact>,
}

impl Nsgs {
    /// A solver with these options.
    pub fn new(options: SweepOptions) -> Self {
        Nsgs { options, ..Nsgs::default() }
    }
}

impl ContactSolver for Nsgs {
    fn name(&self) -> &'static str {
        "nsgs"
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        refuse_rolling(problem, self.name())?;
        if one_contact::solve_problem(problem, impulses).is_some() {
            make_feasible(problem, impulses);
            return Ok(Effort { iterations: 1, active: active_blocks(problem, impulses), ..Effort::default() });
        }
        let plan = SweepPlan { order: self.options.order, acceptance: Acceptance::Certificate };
        let report = self.sweeps.run(problem, impulses, stop, plan, history);
        Ok(Effort { iterations: report.sweeps, active: active_blocks(problem, impulses), ..Effort::default() })
    }
}

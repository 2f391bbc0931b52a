//! Interior point on two complementarity conditions per contact. It needs no guess.
//!
//! With an independent slack `λ` for the slip speed, Coulomb's law has no kink:
//!
//! ```text
//! r_N ⊥ u_N,          r_N, u_N ≥ 0
//! (μ r_N, r_T) ⊥ (λ, u_T)      both in the second-order cone
//! ```
//!
//! since `μ r_N λ + r_T·u_T = 0` there gives `λ = ‖u_T‖` and friction opposite to slip. Each product is driven to a
//! common `t → 0` by predictor and corrector steps (Mehrotra 1992); eliminating `λ` and the normal pair leaves
//! `dr = c − K dy` per contact, and with `y` the slack of `u = W r + q` one system `(I + K W) dr = c + K (y − u)`
//! (`NewtonSystem`). The formulation is that of Dojo (Howell et al. 2022); departures: K is eliminated by hand in
//! `complementarity.rs`, joints enter as a proximal term that vanishes at convergence, and the iterate is always `v = v* + M⁻¹Jᵀr`.
//!
//! Cost: 7–12 factorizations on resting scenes of any size, 15–40 on violent impacts. The limit is the analytic centre
//! of the admissible impulses: symmetric, and independent of the order of contacts.
//!
//! When to use: redundant contacts (boxes, stacks, walls), large mass ratios. It can fail where the central path folds
//! (violent multi-impacts with friction); the certificate says so.

mod arc;
mod complementarity;
mod limit;
mod moments;
mod options;
mod path;
mod start;
mod weights;

use crate::newton_system::NewtonSystem;
use crate::warm_start::make_feasible;
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
pub use options::{Ending, PathEnd, PathOptions};
use path::Path;
use signorini_problem::ContactProblem;
pub use start::Start;
pub(crate) use start::guess_sticks;
pub use weights::Weights;

/// The solver and its buffers.
#[derive(Clone, Debug, Default)]
pub struct InteriorPoint {
    /// How the central path is followed.
    pub options: PathOptions,
    system: NewtonSystem,
    path: Path,
}

impl InteriorPoint {
    /// Follows the path from one start; leaves the best feasible impulses in `impulses` if they beat those there.
    pub fn follow(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        start: Start,
        stop: &StoppingRule,
        history: &mut History,
    ) -> PathEnd {
        self.path.follow(&mut self.system, problem, impulses, start, &self.options, stop, history)
    }

    /// Reads the problem. To be called before [`InteriorPoint::follow`].
    pub fn prepare(&mut self, problem: &ContactProblem) {
        self.system.prepare(problem);
    }

    pub(crate) fn system(&mut self) -> &mut NewtonSystem {
        &mut self.system
    }
}

impl ContactSolver for InteriorPoint {
    fn name(&self) -> &'static str {
        "interior-point"
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        let mut effort = Effort::default();
        make_feasible(problem, impulses);
        if self.path.suffices_already(problem, impulses, stop) {
            return Ok(effort);
        }
        self.prepare(problem);
        let warm = impulses.iter().any(|x| *x != 0.0);
        let starts =
            if warm { &[Start::Warm, Start::Uniform, Start::Scaled][..] } else { &[Start::Uniform, Start::Scaled] };
        for start in starts {
            let end = self.follow(problem, impulses, *start, stop, history);
            effort.iterations += end.iterations;
            if end.suffices {
                break;
            }
        }
        effort.factorizations = self.system.factorizations();
        effort.active = problem.blocks().len();
        Ok(effort)
    }
}

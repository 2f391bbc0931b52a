//! The attempt "small" for problems of at most 16 blocks: sweeps and Newton steps with dense matrices.
//!
//! Such problems are solved in microseconds; one more certificate, or a symbolic factorization, would double the time.

use super::limits::SMALL;
use super::{Exact, Search, Selection};
use crate::History;
use crate::dense_newton::Demand;
use crate::merit::Merit;
use crate::sweep::{Direction, MOST_KEPT_ROWS};
use crate::warm_start::make_feasible;
use signorini_problem::math;
use signorini_problem::{ContactProblem, Delassus};

/// Most sweeps over a small problem before Newton.
const SMALL_SWEEPS: usize = 60;
/// Cost model in multiplications, from measured times: of a sweep per block (local solve included) and per pair of
/// rows; of a Newton step per block and per matrix entry, besides the factorization.
const SMALL_VISIT: usize = 200;
const SMALL_STEP_PER_BLOCK: usize = 300;
const SMALL_STEP_PER_ENTRY: usize = 8;
/// The judge is asked if the solver's own residual is within this factor of the tolerance, or of the round-off
/// allowance \[1\].
const NEARLY: f64 = 100.0;
const ROUND_OFF: f64 = 1e-9;
/// Expected number of Newton steps after sweeps.
const SMALL_EXPECTED_STEPS: usize = 2;
/// Expected number of Newton steps from zero.
const SMALL_EXPECTED_STEPS_FROM_AFAR: usize = 6;

/// Result of sweeps.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Swept {
    /// Certified.
    Solved,
    /// Not certified; at the rate of the last sweep `needed` more are required.
    Far { needed: f64 },
}

impl Exact {
    /// Dense methods: one contact in closed form, pivoting without friction, and a few blocks of any law.
    pub(super) fn small_problem(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        let any_answer = self.options.selection == Selection::Any;
        self.pivot(search, impulses, history)
            || any_answer && few(search.problem) && self.few_blocks(search, impulses, history)
    }

    /// First sweeps, while they promise to be cheaper than dense Newton steps; then Newton steps from where the sweeps
    /// ended. If these fail: sweeps again if they promise to be cheaper than many steps, else Newton steps from zero,
    /// because sweeps end on the surface of the cones, where redundant partitions flip. Finally sweeps, as long as they
    /// make progress.
    pub(super) fn few_blocks(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        let problem = search.problem;
        let (blocks, rows) = (problem.blocks().len(), problem.rows());
        let step = rows * rows * rows / 3 + SMALL_STEP_PER_ENTRY * rows * rows + SMALL_STEP_PER_BLOCK * blocks;
        let sweep = blocks * (SMALL_VISIT + 3 * rows);
        let affordable = (SMALL_EXPECTED_STEPS * step) as f64 / sweep as f64;
        self.candidate.copy_from_slice(impulses);
        self.sweeper.prepare(problem);
        let needed = match self.few_sweeps(search, impulses, affordable, history) {
            Swept::Solved => return true,
            Swept::Far { needed } => needed,
        };
        if self.few_steps(search, impulses, Demand::NEAR, history) {
            return true;
        }
        // Not near a solution. If sweeps make progress, they may still be cheaper than Newton steps from zero.
        let steps_from_afar = (SMALL_EXPECTED_STEPS_FROM_AFAR * step) as f64 / sweep as f64;
        if needed <= steps_from_afar {
            self.candidate.copy_from_slice(impulses);
            if self.few_sweeps(search, impulses, steps_from_afar, history) == Swept::Solved {
                return true;
            }
        }
        self.candidate.fill(0.0);
        if self.few_steps(search, impulses, Demand::FAR, history) {
            return true;
        }
        self.candidate.copy_from_slice(impulses);
        self.few_sweeps(search, impulses, SMALL_SWEEPS as f64, history) == Swept::Solved
    }

    /// Sweeps from the candidate while their rate promises convergence within `affordable` more.
    fn few_sweeps(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        affordable: f64,
        history: &mut History,
    ) -> Swept {
        let problem = search.problem;
        let arrived = search.stop.target_speed(problem);
        self.sweeper.begin(problem, &self.candidate);
        let (mut last, mut needed) = (f64::INFINITY, f64::INFINITY);
        for done in 1..=SMALL_SWEEPS.min(search.left()) {
            let change = self.sweeper.sweep(problem, &mut self.candidate, Direction::Forward);
            search.spend(1);
            if change <= arrived {
                let solved = self.few_blocks_end(search, impulses, history);
                return if solved { Swept::Solved } else { Swept::Far { needed: f64::INFINITY } };
            }
            // Sweeps still needed at the rate of the last one.
            needed = if change < last { math::ln(arrived / change) / math::ln(change / last) } else { f64::INFINITY };
            if done > 2 && needed > affordable {
                break;
            }
            last = change;
        }
        Swept::Far { needed }
    }

    /// Dense Newton steps from the candidate.
    fn few_steps(&mut self, search: &mut Search, impulses: &mut [f64], demand: Demand, history: &mut History) -> bool {
        let problem = search.problem;
        make_feasible(problem, &mut self.candidate);
        if search.left() == 0 {
            return false;
        }
        let demand = Demand { most_steps: demand.most_steps.min(search.left()), ..demand };
        let end = self.dense.run(self.sweeper.kept_columns(), problem, &mut self.candidate, demand, &search.stop);
        search.spend(end.steps);
        search.other_factorizations += end.steps;
        self.accept(search, impulses, end.merit, history)
    }

    /// Whether the candidate of a small problem is the answer. The solver's own residual, which is nearly free here,
    /// equals the judge's up to round-off. If it is too large, the judge may still accept it as round-off.
    fn few_blocks_end(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        make_feasible(search.problem, &mut self.candidate);
        let merit = self.dense.merit(self.sweeper.kept_columns(), search.problem, &self.candidate);
        self.accept(search, impulses, merit, history)
    }

    pub(super) fn accept(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        merit: Merit,
        history: &mut History,
    ) -> bool {
        let problem = search.problem;
        history.record(search.effort.iterations, merit.natural);
        let measured = merit.measured(problem, search.stop.tolerance.measure);
        if measured < search.best {
            search.improve(measured);
            impulses.copy_from_slice(&self.candidate);
        }
        let suffices = merit.suffices(problem, &search.stop);
        let nearly = suffices || measured < NEARLY * search.stop.tolerance.value.max(ROUND_OFF);
        suffices && is_inverse_mass(problem) || nearly && self.consider(search, impulses)
    }
}

/// Whether the dense methods for a few blocks apply.
pub(super) fn few(problem: &ContactProblem) -> bool {
    let small = problem.blocks().len() <= SMALL || matches!(problem.delassus(), Delassus::Dense(_));
    small && problem.rows() <= MOST_KEPT_ROWS
}

/// Whether W looks like an inverse mass, so that the judge scales residuals as the solvers do.
pub(super) fn is_inverse_mass(problem: &ContactProblem) -> bool {
    problem.is_nearly_symmetric() && problem.scales().iter().all(|w| *w > 0.0)
}

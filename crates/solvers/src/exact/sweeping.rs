//! Sweeps of the attempt "sweeps": plain ones while their measured rate pays, accelerated ones if contacts are
//! redundant.

use super::limits::{FLOPS_PER_VISIT, SMALL};
use super::redundancy::{Redundancy, redundancy};
use super::{Attempt, Exact, Search};
use crate::History;
use crate::sweep::{AcceleratedPlan, ColdStart, Direction};
use signorini_problem::math;

/// Sweeps between two measurements of the rate.
const SWEEPS_PER_LOOK: usize = 10;
/// The same if the rate says that convergence is far away.
const MOST_SWEEPS_PER_LOOK: usize = 50;
/// With redundant contacts the rate gets worse: expect this multiple of the predicted sweeps \[1\].
const DOUBT: f64 = 2.0;
/// Cost of an accelerated sweep in plain ones.
const ACCELERATED: f64 = 2.0;
/// Limit on accelerated sweeps, and on differences in their window.
const MOST_ACCELERATED: usize = 200;
const WINDOW: usize = 32;

/// How long sweeps may continue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SweepBudget {
    /// While they promise to be cheaper than the interior point.
    WhileItPays,
    /// To their cap.
    ToTheCap,
}

impl Exact {
    /// Sweeps while the rate pays.
    pub(super) fn sweeps(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        effort: SweepBudget,
        cap: usize,
        history: &mut History,
    ) -> bool {
        if !search.treats(Attempt::Sweeps) {
            return false;
        }
        let problem = search.problem;
        let cost = FLOPS_PER_VISIT * problem.blocks().len() as f64;
        self.candidate.copy_from_slice(impulses);
        self.sweeper.prepare(problem);
        self.sweeper.begin(problem, &self.candidate);
        let target = 0.5 * search.stop.tolerance.value;
        let small = problem.blocks().len() <= SMALL;
        let arrived = search.stop.target_speed(problem);
        let doubt = if redundancy(problem) == Redundancy::Yes { DOUBT } else { 1.0 };
        let mut last = search.best;
        let (mut done, mut ahead) = (0, SWEEPS_PER_LOOK);
        self.weigh_sweeps(search);
        let cap = cap.min(search.sweeps_left());
        while done < cap {
            let mut swept = 0;
            while swept < ahead.min(cap - done) {
                let change = self.sweeper.sweep(problem, &mut self.candidate, Direction::Forward);
                done += 1;
                swept += 1;
                search.spend_sweeps(1);
                // Nothing changes any more: ask the judge at once.
                if change <= arrived {
                    break;
                }
            }
            if self.consider(search, impulses) {
                return true;
            }
            self.sweeper.begin(problem, &self.candidate);
            history.record(search.effort.iterations, search.best);
            let now = search.best;
            // Sweeps still needed at the rate of the last ones; at least the cheapest guess when none is known.
            let rate = math::ln(now / last) / swept as f64;
            let needed = if rate < 0.0 { math::ln(target / now) / rate } else { f64::INFINITY };
            if effort == SweepBudget::WhileItPays && small && needed > SWEEPS_PER_LOOK as f64 {
                return false;
            }
            if needed > 2.0 * SWEEPS_PER_LOOK as f64 && doubt * needed * cost > self.budget(search, effort) {
                return false;
            }
            last = now;
            // A check costs as much as a sweep or two: do none before half of the predicted sweeps.
            ahead = SWEEPS_PER_LOOK.max((0.5 * needed).min(MOST_SWEEPS_PER_LOOK as f64) as usize);
        }
        false
    }

    /// Accelerated sweeps, for redundant contacts, where plain ones converge slowly; at most as many as the interior
    /// point would cost.
    pub(super) fn accelerated_sweeps(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        history: &mut History,
    ) -> bool {
        let cost = ACCELERATED * FLOPS_PER_VISIT * search.problem.blocks().len() as f64;
        let affordable = (self.budget(search, SweepBudget::WhileItPays) / cost) as usize;
        self.candidate.copy_from_slice(impulses);
        // If iterations are limited, later attempts need some too.
        let most = MOST_ACCELERATED.min(search.sweeps_left() / 3);
        self.accelerate(search, impulses, affordable.min(most), history)
    }

    /// Computes the cost of a sweep in factorizations, if work is limited.
    fn weigh_sweeps(&mut self, search: &mut Search) {
        if search.is_bounded() && search.sweep == 0.0 {
            search.sweep = FLOPS_PER_VISIT * search.problem.blocks().len() as f64 / self.cost_of_iteration(search);
        }
    }

    /// From `candidate`.
    fn accelerate(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        most_sweeps: usize,
        history: &mut History,
    ) -> bool {
        self.weigh_sweeps(search);
        let max_sweeps = most_sweeps.min(search.sweeps_left());
        let plan = AcceleratedPlan { depth: WINDOW, cold_start: ColdStart::Frictionless, max_sweeps };
        let report = self.accelerated.run(search.problem, &mut self.candidate, &search.stop, plan, history);
        search.spend_sweeps(report.sweeps);
        self.consider(search, impulses)
    }
}

//! Runs sweeps until the problem is solved: how often the residual is computed, when it is trusted, and when the method
//! gives up.

use super::{ContactStep, SweepOrder, Sweeper};
use crate::warm_start::make_feasible;
use crate::{History, StoppingRule};
use signorini_problem::{Certifier, ContactProblem};

/// Sweeps between two residual checks if velocities keep changing: redundant contacts may shift impulses among
/// themselves long after the motion is right. Also bounds the round-off that Δv accumulates.
pub(super) const LOOK_EVERY: usize = 50;

/// Residual, in units of the round-off of the largest velocity summed, at which the judge is asked whether it is zero.
const FLOOR_FACTOR: f64 = 4.0;

/// Who says that the sweeps may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// The certificate, asked when the own residual is small enough.
    Certificate,
    /// The own residual: the law swept is not the problem's (first phase of `block_pgs`).
    OwnResidual,
}

/// Limit on sweeps if the stopping rule has none.
pub(crate) const MAX_SWEEPS: usize = 10_000;

/// How to sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepPlan {
    /// In which order blocks are visited.
    pub order: SweepOrder,
    /// Who says that the sweeps may end.
    pub acceptance: Acceptance,
}

/// Result of sweeps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SweepReport {
    /// Sweeps done.
    pub sweeps: usize,
    /// The solver's own residual when last computed [m/s].
    pub residual: f64,
}

/// A sweeper with the judge's scratch.
#[derive(Clone, Debug)]
pub struct Sweeps<S> {
    pub(super) sweeper: Sweeper<S>,
    certifier: Certifier,
}

impl<S> Default for Sweeps<S> {
    fn default() -> Self {
        Sweeps { sweeper: Sweeper::default(), certifier: Certifier::default() }
    }
}

impl<S: ContactStep> Sweeps<S> {
    /// Improves `r` until accepted, until it moves by round-off only, or until the limit of `stop`. `r` is feasible on return.
    ///
    /// A small change per sweep proves nothing, because a slow iteration changes little while far from its limit. It
    /// only decides when to compute the residual.
    pub fn run(
        &mut self,
        problem: &ContactProblem,
        r: &mut [f64],
        stop: &StoppingRule,
        plan: SweepPlan,
        history: &mut History,
    ) -> SweepReport {
        let SweepPlan { order, acceptance } = plan;
        let max_sweeps = stop.max_iterations.unwrap_or(MAX_SWEEPS);
        let mut target = stop.target_speed(problem);
        let mut report = SweepReport { sweeps: 0, residual: f64::INFINITY };
        if self.guess_suffices(problem, r, stop, acceptance, &mut report.residual, &mut target) {
            history.record(0, report.residual);
            return report;
        }
        self.sweeper.begin(problem, r);
        let mut look_below = target;
        while report.sweeps < max_sweeps {
            let change = self.sweeper.sweep(problem, r, order.direction(report.sweeps));
            report.sweeps += 1;
            let last = report.sweeps == max_sweeps;
            let look = change <= look_below || report.sweeps.is_multiple_of(LOOK_EVERY);
            if look || last || history.is_on() {
                report.residual = self.sweeper.residual(problem, r);
                history.record(report.sweeps, report.residual);
                if self.accepted(problem, r, stop, acceptance, report.residual, &mut target) {
                    break;
                }
                if self.is_round_off(problem, r, change) {
                    break;
                }
                look_below = next_look(target, change, report.residual);
            }
        }
        make_feasible(problem, r);
        report
    }

    /// Prepares for the problem, makes the guess in `r` feasible and grades it unless it is zero. Returns whether it is
    /// accepted. A guess worse than zero (an impact after rest, a vanished contact) is dropped.
    pub(super) fn guess_suffices(
        &mut self,
        problem: &ContactProblem,
        r: &mut [f64],
        stop: &StoppingRule,
        acceptance: Acceptance,
        residual: &mut f64,
        target: &mut f64,
    ) -> bool {
        make_feasible(problem, r);
        self.sweeper.prepare(problem);
        if r.iter().any(|x| *x != 0.0) {
            *residual = self.sweeper.residual(problem, r);
            if self.accepted(problem, r, stop, acceptance, *residual, target) {
                return true;
            }
            if *residual > self.sweeper.residual_at_zero(problem) {
                r.fill(0.0);
                make_feasible(problem, r);
            }
        }
        false
    }

    /// Whether a sweep changed only the last digits. Then further sweeps do not help, whatever the residual.
    pub(super) fn is_round_off(&self, problem: &ContactProblem, r: &[f64], change: f64) -> bool {
        change <= FLOOR_FACTOR * f64::EPSILON * self.sweeper.magnitude(problem, r)
    }

    pub(super) fn accepted(
        &mut self,
        problem: &ContactProblem,
        r: &mut [f64],
        stop: &StoppingRule,
        acceptance: Acceptance,
        residual: f64,
        target: &mut f64,
    ) -> bool {
        // Residuals below the round-off of the largest terms count as zero, whatever the tolerance.
        let floor = FLOOR_FACTOR * f64::EPSILON * self.sweeper.magnitude(problem, r);
        let small = residual <= f64::max(*target, floor);
        if !small {
            return false;
        }
        if acceptance == Acceptance::OwnResidual {
            return true;
        }
        // Rounding onto the cone is part of the answer that is graded.
        make_feasible(problem, r);
        if self.certifier.certify(problem, r).is_ok_and(|certificate| certificate.meets(&stop.tolerance)) {
            return true;
        }
        // The judge also weighs sums over many blocks: go further before asking again.
        *target *= 0.1;
        false
    }
}

/// Change per sweep [m/s] at which to look again: the residual falls about as fast as the change, so this is when it
/// should have arrived.
pub(super) fn next_look(target: f64, change: f64, residual: f64) -> f64 {
    f64::min(target, 0.5 * change * (target / residual).max(0.01))
}

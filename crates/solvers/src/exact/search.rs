//! State of one solve by `exact`: the best iterate so far, the work spent on it, and the work that is left.

use super::limits::{CHEAP_BLOCKS, CHEAP_FACTOR, CLOSE, CLOSE_ANYWAY, FEW_BODIES, FURTHER_IN_MOTION};
use super::{Attempt, ExactOptions};
use crate::{Accept, Effort, StoppingRule};
use signorini_problem::{Certificate, ContactProblem, Delassus, Law};

pub(super) struct Search<'a> {
    pub problem: &'a ContactProblem,
    /// The stopping rule, with the iterations that are left.
    pub stop: StoppingRule,
    pub best: f64,
    /// Certificate of the best iterate, once the judge was asked.
    pub certificate: Option<Certificate>,
    pub effort: Effort,
    /// Whether there was a guess, and whether its residual was smaller than that of zero impulses.
    pub warm: bool,
    pub kept: bool,
    pub prepared: bool,
    /// Whether the central path was followed.
    pub was_central: bool,
    /// The path follower gave up after too many turning points.
    pub tangled: bool,
    /// Whether a contact has torsional or rolling friction.
    rolling: bool,
    /// Whether many bodies touch and nothing else ties them.
    heap: bool,
    /// Residual of the iterate from which contacts were last released.
    pub released_from: f64,
    /// Factorizations of methods that keep their own matrices.
    pub other_factorizations: usize,
    /// Work so far [factorizations]; a sweep counts as a fraction of one.
    work: f64,
    /// Limit on work; it is lowered when an acceptable answer is found.
    budget: f64,
    accept: Option<Accept>,
    accepted: bool,
    /// Work of one sweep.
    pub sweep: f64,
}

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a ContactProblem, stop: StoppingRule, options: &ExactOptions) -> Self {
        let small = problem.blocks().len() <= CHEAP_BLOCKS;
        let budget = |most: usize| most as f64 * if small { CHEAP_FACTOR } else { 1.0 };
        let ceiling = options.ceiling.map_or(f64::INFINITY, |most| most as f64);
        Search {
            problem,
            stop,
            best: f64::INFINITY,
            certificate: None,
            effort: Effort::default(),
            warm: false,
            kept: false,
            prepared: false,
            was_central: false,
            tangled: false,
            rolling: problem.blocks().iter().any(|block| matches!(block.law, Law::Rolling { .. })),
            heap: is_heap(problem),
            released_from: f64::INFINITY,
            other_factorizations: 0,
            work: 0.0,
            budget: options.budget.map_or(f64::INFINITY, budget).min(ceiling),
            accept: options.accept,
            accepted: false,
            sweep: 0.0,
        }
    }

    /// Whether an attempt treats all laws of the problem.
    pub(super) fn treats(&self, attempt: Attempt) -> bool {
        !self.rolling || attempt.treats_rolling()
    }

    /// Counts iterations of negligible cost, such as pivots.
    pub(super) fn spend(&mut self, iterations: usize) {
        self.effort.iterations += iterations;
        self.stop.max_iterations = self.stop.max_iterations.map(|most| most.saturating_sub(iterations));
    }

    /// Counts steps with one factorization each.
    pub(super) fn spend_steps(&mut self, steps: usize) {
        self.spend(steps);
        self.work += steps as f64;
    }

    pub(super) fn spend_sweeps(&mut self, sweeps: usize) {
        self.spend(sweeps);
        self.work += sweeps as f64 * self.sweep;
    }

    /// Counts work without iterations [factorizations].
    pub(super) fn spend_work(&mut self, factorizations: f64) {
        self.work += factorizations;
    }

    /// Records a residual that is better than the best so far.
    pub(super) fn improve(&mut self, measured: f64) {
        self.best = measured;
        if let Some(accept) = self.accept
            && measured <= accept.residual
        {
            // An accepted guess belongs to bodies at rest or in steady motion, which use the impulses again.
            let accept = if self.work > 0.0 { self.in_motion(accept) } else { accept };
            self.budget = self.budget.min(self.work + accept.further_factorizations as f64);
            (self.accept, self.accepted) = (None, true);
        }
    }

    /// Whether the best iterate is acceptable to the caller; the rest of the budget is then spent on digits.
    pub(super) fn is_accepted(&self) -> bool {
        self.accepted
    }

    /// What counts as acceptable, for a path; `None` if there is an acceptable answer already.
    pub(super) fn accept(&self) -> Option<Accept> {
        self.accept.map(|accept| self.in_motion(accept))
    }

    /// What is spent after acceptance if the guess was not accepted. Bodies of a heap that moves do not use their
    /// impulses again.
    fn in_motion(&self, accept: Accept) -> Accept {
        let most = if self.heap { FURTHER_IN_MOTION } else { usize::MAX };
        Accept { further_factorizations: accept.further_factorizations.min(most), ..accept }
    }

    /// Whether only digits are missing: residual ≤ max(1e4 · tolerance, 1e-5). Then polish instead of restarting.
    pub(super) fn is_close(&self) -> bool {
        self.best <= f64::max(CLOSE * self.stop.tolerance.value, CLOSE_ANYWAY)
    }

    /// Whether the work is limited.
    pub(super) fn is_bounded(&self) -> bool {
        self.budget.is_finite()
    }

    /// Iterations that are left, if they are counted.
    pub(super) fn left(&self) -> usize {
        self.stop.max_iterations.unwrap_or(usize::MAX)
    }

    /// Factorizations that are left.
    pub(super) fn steps_left(&self) -> usize {
        // The cast saturates, so an infinite budget is fine.
        self.left().min((self.budget - self.work).max(0.0) as usize)
    }

    /// Whether the budget has room for `steps` factorizations. A limit on iterations, in contrast, is used up
    /// completely.
    pub(super) fn affords(&self, steps: usize) -> bool {
        self.left() > 0 && self.budget - self.work >= steps as f64
    }

    /// Sweeps that are left.
    pub(super) fn sweeps_left(&self) -> usize {
        let affordable = if self.sweep > 0.0 { (self.budget - self.work).max(0.0) / self.sweep } else { f64::INFINITY };
        self.left().min(affordable as usize)
    }

    /// The stopping rule of a method that makes one factorization per iteration.
    pub(super) fn steps(&self) -> StoppingRule {
        let left = self.steps_left();
        StoppingRule { max_iterations: (left < usize::MAX).then_some(left), ..self.stop }
    }

    /// Forgets everything except the work spent.
    pub(super) fn forget(&mut self) {
        (self.best, self.certificate, self.released_from) = (f64::INFINITY, None, f64::INFINITY);
        (self.was_central, self.tangled, self.warm, self.kept) = (false, false, false, false);
        self.effort.answered_by = Attempt::Guess;
    }
}

/// Whether a problem is of contacts alone between more than a few bodies.
fn is_heap(problem: &ContactProblem) -> bool {
    let Delassus::Factored(w) = problem.delassus() else { return false };
    let contacts_alone = problem.blocks().iter().all(|block| matches!(block.law, Law::Coulomb { .. }));
    contacts_alone && w.inverse_mass().len() > FEW_BODIES
}

//! Work budget of one island over one step. An island may solve many problems in a step: one per piece of a motion with
//! joints, and one per trial of a smaller restitution. The work of each is bounded (`ExactOptions::stepping`), but a
//! hundred of them would take seconds. [`Ration`] bounds the iterations of them all, and [`Purse`] the factorizations of
//! an island of contacts that bounce.

use crate::{Method, Settings, StoppingRule};
use signorini_solvers::Effort;

/// Budget of the problems of one island in a step.
pub(crate) struct Ration {
    /// Iterations for all problems together.
    pub most: usize,
    /// Iterations that each further problem still gets when those are spent.
    pub least: usize,
}

/// Pieces of a step with joints. Study: steps that end certified take 2500 at most (a slack rope bridge under a load), most
/// of them below 100; those that are never certified took 100 000.
pub(crate) const PIECES: Ration = Ration { most: 4000, least: 50 };
/// Trials of a restitution. Of 3000 steps of three bodies that begin inside each other none misses its tolerance; with
/// 10 000 and 500 one does, with 4000 and 50 five do.
pub(crate) const TRIALS: Ration = Ration { most: 20_000, least: 1000 };

/// Iterations that a factorization counts as. Certified steps of a bridge make at most 400 factorizations. A ball
/// hitting a wall of a hundred bricks made 2700, at half a millisecond each, in steps that were never certified.
const FACTORIZATION: usize = 8;

/// Multiple of the budget after which nothing more is tried. Study: a certified step of a slack bridge took 1712
/// factorizations, three and a half budgets; contradictory joints of the soak test took up to 5400.
const RATIONS: usize = 4;

/// Budgets of a problem ([`Settings::budget`]) that an island with bounces may spend in a step. The median of heaps that
/// move is 14 to 20 factorizations, a sixth to an eighth of a budget, so no step takes much more than fifty times the
/// median.
const BUDGETS: usize = 8;
/// Budgets that the step with all its restitution leaves for trials of smaller restitutions, and for a step without any.
pub(crate) const FOR_TRIALS: usize = 6;
/// Budgets that trials of smaller restitutions leave for a step without bounces.
pub(crate) const FOR_NO_BOUNCE: usize = 4;

/// Factorizations that an island of contacts in which something bounces may still spend in a step, on all problems it
/// poses. No limit by default. Without bounces an island poses few problems: with a purse, six bulldozers missed 633 of 1800 steps;
/// without, 473 and 518 in two programs that differ elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Purse {
    whole: usize,
    left: Option<usize>,
    /// Factorizations that the current problem must leave.
    kept: usize,
}

impl Purse {
    /// The purse of a pass of the step. Each pass has half as much as the one before.
    pub fn new(budget: Option<usize>, pass: usize) -> Purse {
        let left = budget.map(|most| most.saturating_mul(BUDGETS).checked_shr(pass as u32).unwrap_or(0));
        Purse { whole: left.unwrap_or(0), left, kept: 0 }
    }

    /// Reserves so many budgets for later problems. Returns the limit of the next problem.
    pub fn keep(&mut self, budgets: usize) -> Option<usize> {
        self.kept = self.whole / BUDGETS * budgets;
        self.most()
    }

    /// Limit of the next problem.
    pub fn most(&self) -> Option<usize> {
        self.left.map(|left| left.saturating_sub(self.kept))
    }

    /// Takes out what a problem has spent.
    pub fn spend(&mut self, factorizations: usize) {
        self.left = self.left.map(|left| left.saturating_sub(factorizations));
    }
}

/// Number of iterations that an effort counts as.
pub(crate) fn spent(effort: &Effort) -> usize {
    effort.iterations.max(FACTORIZATION * effort.factorizations)
}

impl Ration {
    /// Whether an island has spent its budget.
    pub fn is_spent(&self, iterations: usize) -> bool {
        iterations >= self.most
    }

    /// Whether it has spent so much more than its budget that nothing else is tried.
    pub fn is_overspent(&self, iterations: usize) -> bool {
        iterations >= RATIONS * self.most
    }

    /// Settings for the next problem of an island that has spent `iterations`.
    pub fn of(&self, settings: &Settings, iterations: usize) -> Settings {
        // Iterations of other methods are not comparable.
        if settings.method != Method::Exact {
            return *settings;
        }
        let left = self.most.saturating_sub(iterations).max(self.least);
        let max_iterations = Some(settings.stop.max_iterations.map_or(left, |most| most.min(left)));
        Settings { stop: StoppingRule { max_iterations, ..settings.stop }, ..*settings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is reserved for later problems is not spent, and another pass has half of all.
    #[test]
    fn a_purse_is_shared_by_the_problems_of_a_step() {
        let mut purse = Purse::new(Some(120), 0);
        assert_eq!(purse.keep(FOR_TRIALS), Some(240));
        purse.spend(100);
        assert_eq!(purse.keep(FOR_NO_BOUNCE), Some(380));
        purse.spend(500);
        assert_eq!(purse.most(), Some(0));
        assert_eq!(purse.keep(0), Some(360));
        assert_eq!([0, 1, 2, 100].map(|pass| Purse::new(Some(120), pass).most()), [960, 480, 240, 0].map(Some));
        assert_eq!(Purse::new(None, 0).most(), None);
    }

    /// A problem gets what is left of the budget, at least `least`, and never more than a limit set by the user.
    #[test]
    fn a_ration_runs_out_and_leaves_a_crumb() {
        let ration = Ration { most: 100, least: 10 };
        let left = |settings: &Settings, spent| ration.of(settings, spent).stop.max_iterations;
        let free = Settings::default();
        assert_eq!([0, 60, 95, 1000].map(|spent| left(&free, spent)), [Some(100), Some(40), Some(10), Some(10)]);
        assert!(ration.is_spent(100) && !ration.is_spent(99));
        let limited = Settings { stop: StoppingRule { max_iterations: Some(30), ..free.stop }, ..free };
        assert_eq!([0, 80].map(|spent| left(&limited, spent)), [Some(30), Some(20)]);
        let swept = Settings { method: Method::Nsgs, ..free };
        assert_eq!(left(&swept, 1000), None);
    }
}

//! Ration: the work budget of one island over one step. An island may solve many problems in a step: one per piece of a
//! motion with joints, and one per trial of a smaller restitution. The work of each is bounded
//! (`ExactOptions::stepping`), but a hundred of them would take seconds; this file bounds the sum.

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

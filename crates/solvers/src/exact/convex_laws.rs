//! The tier of de Saxcé's loop: convex laws, whose paths have no folds, until the shift of the normal velocities is fixed.
//!
//! Where the central path of Coulomb's law folds again and again (bodies that hit each other from all sides, with much
//! friction), this fixed point is often a contraction all the same.

use super::{Exact, Search};
use crate::{ContactSolver, History, Socp};

/// Most rows: a hundred cone programs of so many take a second.
const MOST_ROWS: usize = 600;

/// The loop with its choices.
#[derive(Clone, Debug)]
pub(super) struct ConvexLaws(Socp);

impl Default for ConvexLaws {
    fn default() -> Self {
        ConvexLaws(Socp::de_saxce())
    }
}

impl Exact {
    /// Part of tier 5, from no impulse at all; whether that ends certified.
    pub(super) fn convex_laws(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        if search.problem.rows() > MOST_ROWS || search.left() == 0 {
            return false;
        }
        self.candidate.fill(0.0);
        let methods = self.last.get_or_insert_default();
        let outcome = methods.convex.0.iterate(search.problem, &mut self.candidate, &search.stop, history);
        let Ok(effort) = outcome else { return false };
        search.spend(effort.iterations);
        search.other_factorizations += effort.factorizations;
        self.consider(search, impulses) || self.polish(search, impulses, history)
    }
}

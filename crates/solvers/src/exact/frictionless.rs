//! The part of the attempt "small" for problems without friction. These are linear complementarity problems, which
//! pivoting solves in finitely many steps.

use super::few_blocks::{few, is_inverse_mass};
use super::{Exact, Search};
use crate::one_contact;
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use signorini_problem::{Delassus, Law};

/// Largest problem for pivoting, whose matrices are dense, if W is given [rows]; the interior point would use dense
/// matrices too.
const MOST_ROWS: usize = 1500;
/// The same if bodies are known, so that the interior point's matrices are sparse [rows].
const MOST_ROWS_OF_BODIES: usize = 200;
/// Pivots per row that Lemke's method may take before the methods for a few blocks are tried.
const PIVOTS_PER_ROW: usize = 4;

impl Exact {
    /// One contact in closed form; principal pivots of a handful of rows; block pivoting; Lemke's method where W is not
    /// symmetric positive semidefinite.
    pub(super) fn pivot(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        let problem = search.problem;
        if problem.blocks().len() == 1 {
            self.candidate.copy_from_slice(impulses);
            if one_contact::solve_problem(problem, &mut self.candidate).is_some() {
                search.spend(1);
                if self.consider(search, impulses) {
                    return true;
                }
            }
        }
        let frictionless = problem.blocks().iter().all(|b| !matches!(b.law, Law::Coulomb { .. } | Law::Rolling { .. }));
        let most = match problem.delassus() {
            Delassus::Factored(_) => MOST_ROWS_OF_BODIES,
            Delassus::Dense(_) | Delassus::BlockSparse(_) => MOST_ROWS,
        };
        if !frictionless || problem.rows() > most {
            return false;
        }
        let general = !is_inverse_mass(problem);
        if self.principal_pivots(search, impulses, history) {
            return true;
        }
        // General matrices, not from mechanics. Try few pivots only: sweeps solve triangular matrices at once, on which
        // pivoting can take 2ⁿ steps.
        if general && few(problem) {
            let complementarity = problem.blocks().iter().all(|b| b.law == Law::NonNegative);
            let cap = search.left().min(PIVOTS_PER_ROW * problem.rows());
            if complementarity && self.almost_complementary_pivots(search, impulses, cap, history)
                || self.few_blocks(search, impulses, history)
            {
                return true;
            }
        }
        self.candidate.copy_from_slice(impulses);
        match self.pivoting.iterate(problem, &mut self.candidate, &search.stop, history) {
            Err(SolveError::NotPositiveSemidefinite { .. }) => {
                let cap = search.stop.max_iterations.unwrap_or(usize::MAX);
                self.almost_complementary_pivots(search, impulses, cap, history)
            }
            Err(_) => false,
            Ok(effort) => self.consider_pivoted(search, impulses, &effort),
        }
    }

    /// Lemke's method, from zero.
    fn almost_complementary_pivots(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        cap: usize,
        history: &mut History,
    ) -> bool {
        self.candidate.fill(0.0);
        let max_iterations = if cap == usize::MAX { None } else { Some(cap) };
        let stop = StoppingRule { max_iterations, ..search.stop };
        match self.lemke.iterate(search.problem, &mut self.candidate, &stop, history) {
            Err(_) => false,
            Ok(effort) => self.consider_pivoted(search, impulses, &effort),
        }
    }

    fn consider_pivoted(&mut self, search: &mut Search, impulses: &mut [f64], effort: &Effort) -> bool {
        search.spend(effort.iterations);
        search.effort.set_changes += effort.set_changes;
        search.effort.indeterminacy = effort.indeterminacy;
        search.other_factorizations += effort.factorizations;
        self.consider(search, impulses)
    }

    /// Principal pivots, starting from the contacts that are closed in the guess.
    fn principal_pivots(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        let problem = search.problem;
        if !self.principal.load(problem, &mut self.sweeper) {
            return false;
        }
        let solved = self.principal.run(impulses, search.left());
        search.spend(self.principal.pivots());
        search.effort.set_changes += self.principal.pivots();
        // If impulses are not unique, a later attempt chooses among them.
        if !solved || is_inverse_mass(problem) && !self.principal.is_unique() {
            return false;
        }
        let merit = self.principal.write(problem, &mut self.candidate);
        self.accept(search, impulses, merit, history)
    }
}

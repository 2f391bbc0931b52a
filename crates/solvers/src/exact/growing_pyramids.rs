//! Friction pyramids that gain corners in the direction in which each contact slides. Each set of pyramids is solved by
//! Lemke's path, which always ends at a solution.
//!
//! If rest is admissible, Lemke's path ends at a solution of the friction pyramids (`PyramidProgram`,
//! `ComplementaryPath`), even if the central path has folds. A pyramid gives the wrong friction where a contact slides
//! between its corners, so the next pyramid gets a corner there. Corners are never removed: a slip direction that
//! returns finds its corner, and where slip directions wander the corners become dense. (Turning a pyramid of few
//! corners instead cycles.) Newton steps start from each answer, first with the pyramid's active sets (`SetNewton`),
//! then without.
//!
//! Cost: 100 to 800 pivots a round and one to a dozen rounds; 30 contacts take 4 to 120 ms. Each pyramid is guaranteed
//! to be solved. That the sequence ends is not guaranteed, but it approaches Coulomb's law as corners become dense.

use super::pyramid_program::PyramidProgram;
use super::set_newton::SetNewton;
use super::{Exact, Search};
use crate::History;
use crate::linalg::complementary_path::{Budget, ComplementaryPath, LcpEnd};
use crate::newton::NewtonOptions;
use signorini_problem::math;
use signorini_problem::{ContactProblem, Law};

/// Largest problem, since matrices are dense [rows].
const MOST_ROWS: usize = 400;
/// Limit on rounds, and on multiplications of all rounds together: half a second.
const ROUNDS: usize = 16;
const MULTIPLICATIONS: f64 = 1.5e9;
/// Limit on Newton steps with the sets of a pyramid.
const STEPS: usize = 8;
/// A contact slides if its slip exceeds this share of the tolerance \[1\].
const CREEPS: f64 = 0.3;
/// Two corners nearer than this are the same \[1\].
const SAME: f64 = 1e-10;

/// The program, its path and the corners of every contact.
#[derive(Clone, Debug, Default)]
pub(super) struct GrowingPyramids {
    program: PyramidProgram,
    path: ComplementaryPath,
    newton: SetNewton,
    corners: Vec<Vec<[f64; 2]>>,
    impulses: Vec<f64>,
}

impl GrowingPyramids {
    /// Squares, and both directions in the plane.
    fn begin(&mut self, problem: &ContactProblem) {
        self.program.load(problem);
        self.impulses.resize(problem.rows(), 0.0);
        self.corners.clear();
        self.corners.extend(problem.blocks().iter().map(|block| match (block.law, block.rows) {
            (Law::Coulomb { .. }, 3) => vec![[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]],
            (Law::Coulomb { .. }, _) => vec![[1.0, 0.0], [-1.0, 0.0]],
            _ => Vec::new(),
        }));
    }

    /// Solves the current pyramids within the budget.
    fn solve(&mut self, problem: &ContactProblem, budget: Budget) -> LcpEnd {
        self.program.pose(problem, &self.corners);
        let program = &self.program;
        let end = self.path.follow(&program.columns, &program.constant, &program.nudge, budget);
        if end == LcpEnd::Solution {
            self.program.read(self.path.answer(), &mut self.impulses);
        }
        end
    }

    /// Adds a corner against the slip of every contact that slides faster than `creeps`. Returns how many corners are
    /// new.
    fn grow(&mut self, problem: &ContactProblem, creeps: f64) -> usize {
        let u = problem.velocity(&self.impulses);
        let mut gained = 0;
        for (c, block) in problem.blocks().iter().enumerate().filter(|(_, block)| block.rows == 3) {
            let (Law::Coulomb { .. }, [_, a, b]) = (block.law, &u[problem.range(c)]) else { continue };
            let slip = math::hypot(*a, *b);
            let against = [-a / slip, -b / slip];
            let is_there = |d: &[f64; 2]| math::hypot(d[0] - against[0], d[1] - against[1]) < SAME;
            if slip > creeps && !self.corners[c].iter().any(is_there) {
                self.corners[c].push(against);
                gained += 1;
            }
        }
        gained
    }
}

impl Exact {
    /// Runs the attempt from zero. Returns whether the answer is certified.
    pub(super) fn growing_pyramids(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        history: &mut History,
    ) -> bool {
        let problem = search.problem;
        if problem.rows() > MOST_ROWS {
            return false;
        }
        let creeps = CREEPS * search.stop.tolerance.value * problem.speed().max(1.0);
        // A budget in factorizations is one in multiplications.
        let factorization = self.cost_of_iteration(search);
        let affordable = search.steps_left() as f64 * factorization;
        let mut left = MULTIPLICATIONS.min(affordable);
        self.pyramids.get_or_insert_default().begin(problem);
        for _ in 0..ROUNDS {
            if search.steps_left() == 0 {
                return false;
            }
            let pyramids = self.pyramids.get_or_insert_default();
            let end = pyramids.solve(problem, Budget { pivots: search.left(), multiplications: left });
            left -= pyramids.path.multiplications;
            search.spend_work(pyramids.path.multiplications / factorization);
            search.spend(pyramids.path.steps);
            search.effort.set_changes += pyramids.path.steps;
            search.other_factorizations += pyramids.path.factorizations;
            if end == LcpEnd::Nowhere {
                return false;
            }
            let gained = pyramids.grow(problem, creeps);
            let before_sets = left;
            if self.with_their_sets(search, impulses, creeps, &mut left) {
                return true;
            }
            search.spend_work((before_sets - left) / factorization);
            let before = search.best;
            self.candidate.copy_from_slice(&self.pyramids.get_or_insert_default().impulses);
            let options = NewtonOptions { patience: 6, ..NewtonOptions::default() };
            if self.newton_from_candidate(search, impulses, &options, history)
                || search.best < before && self.polish(search, impulses, history)
            {
                return true;
            }
            if gained == 0 {
                return false;
            }
        }
        false
    }

    /// The answer of the pyramids, and Newton steps from it with the same sets.
    fn with_their_sets(&mut self, search: &mut Search, impulses: &mut [f64], creeps: f64, left: &mut f64) -> bool {
        let problem = search.problem;
        let pyramids = self.pyramids.get_or_insert_default();
        let mut r = pyramids.impulses.clone();
        pyramids.newton.begin(problem, &r, creeps);
        self.candidate.copy_from_slice(&r);
        for _ in 0..STEPS.min(search.steps_left()) {
            if self.consider(search, impulses) {
                return true;
            }
            if *left <= 0.0 {
                return false;
            }
            let newton = &mut self.pyramids.get_or_insert_default().newton;
            search.spend(1);
            search.other_factorizations += 1;
            *left -= newton.multiplications();
            if !newton.step(problem, &mut r) {
                return false;
            }
            self.candidate.copy_from_slice(&r);
        }
        self.consider(search, impulses)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::warm_start::make_feasible;
    use signorini_problem::certify;
    use signorini_scenes::problems::find;

    /// Boxes sliding on each other: the first square is wrong about friction, and corners against the slip come closer to
    /// Coulomb's law, every pyramid solved.
    #[test]
    fn corners_against_the_slip_come_near_coulomb() {
        for name in ["stack8_shake", "incline3_slope0.4_mu0.3"] {
            let problem = find(name).unwrap().generate().unwrap().problem;
            let mut pyramids = GrowingPyramids::default();
            pyramids.begin(&problem);
            let plenty = Budget { pivots: 10_000, multiplications: 1e9 };
            let mut wrong = Vec::new();
            for _ in 0..6 {
                assert_eq!(pyramids.solve(&problem, plenty), LcpEnd::Solution, "{name}");
                let mut r = pyramids.impulses.clone();
                make_feasible(&problem, &mut r);
                wrong.push(certify(&problem, &r).unwrap().natural);
                pyramids.grow(&problem, 1e-10);
            }
            assert!(wrong[5] < 0.1 * wrong[0] || wrong[0] < 1e-9, "{name}: {wrong:?}");
        }
    }
}

//! The attempt "eliminated", for robots: joints and springs are eliminated; a small dense problem of contacts, limits
//! and motors remains.
//!
//! E are the rows of equalities and O those of the others. With K = `ρ = 1/(ε w)` on E and zero on O, the system `(I +
//! K W) x = g` of [`NewtonSystem`] gives
//!
//! ```text
//! g = s on O, −ρ u_E on E:    x_O = s,   x_E = −W_EE⁻¹(u_E + W_EO s),   (W x)_O = S s − W_OE W_EE⁻¹ u_E
//! S = W_OO − W_OE W_EE⁻¹ W_EO
//! ```
//!
//! up to ε over the eigenvalues of W_EE. This costs one factorization over the bodies, and one solve for every row of
//! O. S is the inverse mass that the joints leave; in it a standing robot is as simple as a stool. The error of ε in
//! the velocities of E, and the round-off of S, are removed in further passes with the same factor.
//!
//! O contains motors, blocks that carry an impulse and blocks that close. Most limits of a robot are far away; those
//! that close in a pass join O. Measured in `docs/decisions/0022-joints-eliminated-first.md`.

use super::limits::{ELIMINATED, ELIMINATION_BUDGET, ELIMINATION_PASSES, ELIMINATION_ROWS, ELIMINATION_SHARE};
use super::{Exact, ExactOptions, Guesses, Search, Selection};
use crate::held_bodies::HeldBodies;
use crate::merit::Merit;
use crate::warm_start::make_feasible;
use crate::{ContactSolver, History, StoppingRule};
use signorini_problem::{ContactProblem, Delassus, DenseDelassus, Law, Measure, Symmetry, Tolerance};

/// Buffers of the attempt.
#[derive(Clone, Debug, Default)]
pub(super) struct WithoutEqualities {
    held: HeldBodies,
    inner: Exact,
    /// Blocks of O, ascending.
    blocks: Vec<usize>,
    /// Which blocks these are.
    taken: Vec<bool>,
    /// Most rows of O.
    most_rows: usize,
    /// S.
    left: Vec<f64>,
    /// Impulses of all rows, and their velocities.
    impulses: Vec<f64>,
    u: Vec<f64>,
    /// Impulses found for O.
    found: Vec<f64>,
    /// The last remaining problem, kept for its memory.
    memory: Option<ContactProblem>,
    /// g and x.
    right: Vec<f64>,
    x: Vec<f64>,
}

/// Whether there is something to eliminate.
pub(super) fn is_jointed(exact: &mut Exact, search: &mut Search) -> bool {
    exact.options.selection == Selection::Any
        && matches!(search.problem.delassus(), Delassus::Factored(_))
        && search.problem.blocks().iter().any(|block| block.law == Law::Equality)
}

impl Exact {
    pub(super) fn without_equalities(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        history: &mut History,
    ) -> bool {
        let mut parts = self.eliminated.take().unwrap_or_default();
        let found = parts.begin(search.problem, &self.guess) && self.eliminate(&mut parts, search, impulses, history);
        self.eliminated = Some(parts);
        found
    }

    fn eliminate(
        &mut self,
        parts: &mut WithoutEqualities,
        search: &mut Search,
        impulses: &mut [f64],
        history: &mut History,
    ) -> bool {
        search.spend_steps(1);
        search.other_factorizations += 1;
        parts.inner.options = ExactOptions { budget: Some(ELIMINATION_BUDGET), ..self.options };
        parts.inner.options.guesses = Guesses::Take;
        for _ in 0..ELIMINATION_PASSES {
            let Some(problem) = parts.what_is_left(search.problem) else { return false };
            let stop = asked_of_the_rest(search, &problem);
            let ended = self.pass(parts, &problem, &stop, search, impulses, history);
            parts.memory = Some(problem);
            if let Some(found) = ended {
                return found;
            }
        }
        false
    }

    /// Solves the remaining problem and computes the impulses of the equalities. Returns whether that is the answer;
    /// `None` if another pass may find it.
    fn pass(
        &mut self,
        parts: &mut WithoutEqualities,
        left: &ContactProblem,
        stop: &StoppingRule,
        search: &mut Search,
        impulses: &mut [f64],
        history: &mut History,
    ) -> Option<bool> {
        let Ok(effort) = parts.inner.iterate(left, &mut parts.found, stop, history) else { return Some(false) };
        // A dense factorization of the remaining problem costs about an eighth of one over bodies; it counts as an
        // iteration.
        search.spend(effort.factorizations);
        parts.carry(search.problem);
        parts.carry_on(search.problem);
        self.candidate.copy_from_slice(&parts.impulses);
        make_feasible(search.problem, &mut self.candidate);
        let merit = Merit::of(search.problem, &self.candidate, &parts.u);
        if self.accept(search, impulses, merit, history) {
            return Some(true);
        }
        let certified = parts.inner.certifier.certify(left, &parts.found);
        let solved = certified.is_ok_and(|found| found.meets(&stop.tolerance));
        if solved && parts.take_what_closes(search.problem) { None } else { Some(false) }
    }
}

impl WithoutEqualities {
    /// Factors the equalities, computes their impulses for the current velocities, and chooses O. Returns false if O is
    /// empty or too large.
    fn begin(&mut self, problem: &ContactProblem, guess: &[f64]) -> bool {
        let carries = |c: &usize| problem.blocks()[*c].law != Law::Equality && guess[problem.offsets()[*c]] != 0.0;
        let carrying: usize = (0..problem.blocks().len()).filter(carries).map(|c| problem.blocks()[c].rows).sum();
        let eliminated: usize = equalities(problem).map(|(_, rows)| rows).sum();
        self.most_rows = ELIMINATION_ROWS.min(ELIMINATION_SHARE * eliminated);
        if carrying > self.most_rows {
            return false;
        }
        if !self.held.hold(problem, |c| resistance(problem, c)) {
            return false;
        }
        self.impulses.clear();
        self.impulses.extend_from_slice(guess);
        self.blocks.clear();
        self.found.clear();
        for buffer in [&mut self.right, &mut self.x, &mut self.u] {
            buffer.clear();
            buffer.resize(problem.rows(), 0.0);
        }
        self.measure(problem);
        self.carry(problem);
        self.taken.clear();
        self.taken.extend(problem.blocks().iter().map(|block| matches!(block.law, Law::Interval { .. })));
        self.take_what_closes(problem)
    }

    /// Computes `u = W r + q` of the current impulses.
    fn measure(&mut self, problem: &ContactProblem) {
        self.held.apply_w(&self.impulses, &mut self.u);
        for (u, q) in self.u.iter_mut().zip(problem.q()) {
            *u += q;
        }
    }

    /// Takes over the impulses found for O, and computes the impulses of the equalities that these and the current
    /// velocities require.
    fn carry(&mut self, problem: &ContactProblem) {
        self.right.fill(0.0);
        let rows = self.blocks.iter().flat_map(|c| problem.range(*c));
        for (row, found) in rows.zip(&self.found) {
            self.right[row] = found - self.impulses[row];
        }
        for (c, _) in equalities(problem) {
            for row in problem.range(c) {
                self.right[row] = -resistance(problem, c) * self.u[row];
            }
        }
        // Until the next measurement u is the room for what x does.
        self.held.solve(&self.right, &mut self.x, &mut self.u);
        for (impulse, x) in self.impulses.iter_mut().zip(&self.x) {
            *impulse += x;
        }
        self.measure(problem);
    }

    /// Removes the velocities of equalities that the filter left. Otherwise their effect on O would need another two
    /// passes.
    fn carry_on(&mut self, problem: &ContactProblem) {
        self.found.clear();
        let rows = self.blocks.iter().flat_map(|c| problem.range(*c));
        self.found.extend(rows.map(|row| self.impulses[row]));
        self.carry(problem);
    }

    /// Updates O: the blocks it had, those with an impulse, and those that close. Returns false if it is empty or too
    /// large.
    fn take_what_closes(&mut self, problem: &ContactProblem) -> bool {
        let mut changed = self.blocks.is_empty();
        for (c, block) in problem.blocks().iter().enumerate() {
            let first = problem.offsets()[c];
            let acts = block.law != Law::Equality && (self.u[first] < 0.0 || self.impulses[first] != 0.0);
            changed |= acts && !self.taken[c];
            self.taken[c] |= acts;
        }
        if changed {
            self.blocks.clear();
            self.blocks.extend((0..self.taken.len()).filter(|c| self.taken[*c]));
            let rows: usize = self.blocks.iter().map(|c| problem.blocks()[*c].rows).sum();
            if !(1..=self.most_rows).contains(&rows) {
                return false;
            }
            let rows = self.blocks.iter().flat_map(|c| problem.range(*c));
            self.held.left_of_w(rows, &mut self.left);
        }
        self.found.clear();
        let rows = self.blocks.iter().flat_map(|c| problem.range(*c));
        self.found.extend(rows.map(|row| self.impulses[row]));
        true
    }

    /// The problem of O alone, `u_O + S(r − r_O)`; `None` if it cannot be posed. Written for the change of r, it is
    /// affected by round-off of S only in that change.
    fn what_is_left(&mut self, problem: &ContactProblem) -> Option<ContactProblem> {
        let memory = self.memory.take();
        let rows = self.blocks.iter().flat_map(|c| problem.range(*c));
        let m = self.found.len();
        let carried = |s: &[f64]| s.iter().zip(&self.found).map(|(s, r)| s * r).sum::<f64>();
        let q = rows.zip(self.left.chunks_exact(m)).map(|(row, s)| self.u[row] - carried(s));
        let blocks = self.blocks.iter().map(|c| problem.blocks()[*c]);
        match memory {
            Some(memory) => memory.refilled(blocks, &self.left, q).ok(),
            None => {
                let w = Delassus::Dense(DenseDelassus::new(m, self.left.clone()));
                ContactProblem::new(blocks.collect(), w, q.collect(), Symmetry::Exact).ok()
            }
        }
    }
}

/// The stopping rule of the remaining problem. The judge grades the whole problem; half of its bound is reserved for the
/// error of ε. The bound is relative to the fastest row of the whole: a servo far from its target has 100 m/s, and rows
/// without it need no more digits.
fn asked_of_the_rest(search: &Search, left: &ContactProblem) -> StoppingRule {
    let Tolerance { value, measure } = search.stop.tolerance;
    let scale = match measure {
        Measure::Velocity => search.problem.speed().max(1.0) / left.speed().max(1.0),
        Measure::Relative => 1.0,
    };
    let tolerance = Tolerance { value: 0.5 * scale * value, measure };
    StoppingRule { tolerance, max_iterations: search.stop.max_iterations }
}

/// Blocks of equalities and their rows.
fn equalities(problem: &ContactProblem) -> impl Iterator<Item = (usize, usize)> {
    let blocks = problem.blocks().iter().enumerate();
    blocks.filter(|(_, block)| block.law == Law::Equality).map(|(c, block)| (c, block.rows))
}

/// ρ of a block \[kg\]: nothing holds others than equalities.
fn resistance(problem: &ContactProblem, c: usize) -> f64 {
    match problem.blocks()[c].law {
        Law::Equality => 1.0 / (ELIMINATED * problem.scales()[c].max(f64::MIN_POSITIVE)),
        _ => 0.0,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Attempt, Status, solve};
    use signorini_problem::{Block, FactoredDelassus, InverseMass, JacobianRow};

    /// Twenty unit masses tied in a row slide over the ground at 2 m/s and meet it at 1 m/s with the first of them, μ = ½. They stop
    /// as one of 20 kg: the contact carries 20 N·s up and ½·20 = 10 N·s against the slip, which leaves 1.5 m/s of it, and
    /// the tie behind k masses carries the share of the 20 − k others.
    #[test]
    fn masses_tied_in_a_row_stop_as_one() {
        let count = 20;
        let mass: InverseMass = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j && i < 3))));
        let along = |axis: usize, a: f64, b: f64| -> JacobianRow {
            std::array::from_fn(|i| if i == axis { a } else { f64::from(u8::from(i == 6 + axis)) * b })
        };
        let mut jacobian: Vec<JacobianRow> = [2, 0, 1].map(|axis| along(axis, 0.0, 1.0)).to_vec();
        let (mut bodies, mut blocks, mut q) = (vec![[None, Some(0)]], vec![Block::contact(0.5)], vec![-1.0, 2.0, 0.0]);
        for k in 1..count {
            jacobian.extend([0, 1, 2].map(|axis| along(axis, -1.0, 1.0)));
            bodies.push([Some(k - 1), Some(k)]);
            blocks.push(Block::joint(3));
            q.extend([0.0; 3]);
        }
        let w = FactoredDelassus::new(vec![mass; count as usize], bodies, jacobian);
        let problem = ContactProblem::new(blocks, Delassus::Factored(w), q, Symmetry::Exact).unwrap();
        let solution = solve(&problem, &mut Exact::default(), None, &StoppingRule::velocity(1e-10)).unwrap();
        assert_eq!(solution.status, Status::Solved);
        assert_eq!(solution.effort.answered_by, Attempt::Eliminated);
        let r = &solution.impulses;
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-6, "{found} is not {wanted}");
        [20.0, -10.0, 0.0].into_iter().zip(r).for_each(|(wanted, found)| close(*found, wanted));
        for (k, tie) in r[3..].chunks_exact(3).enumerate() {
            let behind = (count as usize - 1 - k) as f64;
            [-0.5 * behind, 0.0, behind].into_iter().zip(tie).for_each(|(wanted, found)| close(*found, wanted));
        }
    }
}

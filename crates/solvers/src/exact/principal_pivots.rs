//! Principal pivoting for a few frictionless contacts: exchanges one impulse with one velocity at a time.
//!
//! ```text
//! u = W r + q;   u_k < 0 or r_k < 0:   solve row k for r_k (u_k), put it into the others:   [u; r] = W' [r; u] + q'
//! ```
//!
//! until no entry of q' is negative. The last negative one is exchanged, which ends for every P-matrix (Murty 1974, whose
//! least index is as good; matrices filled from below, as recursions have them, need fewer this way). Beyond a few pivots
//! per row, or where a pivot vanishes, the method gives up: there are others.
//!
//! The answer is corrected once against W as given, so that the round-off of the exchanges does not stay in it.
//!
//! Source: Cottle, Pang and Stone 1992, §2.3 (principal pivotal transforms) and §4.2. Departure: starts from the contacts
//! that the guess has closed. Cost: n² multiplications per pivot. Use: up to 16 rows, where a factorization with its
//! book-keeping costs more than all pivots.

use crate::merit::Merit;
use crate::one_contact::OneContact;
use crate::sweep::Sweeper;
use signorini_problem::{ContactProblem, Delassus, Law};

/// Most rows.
const MOST_ROWS: usize = 16;
/// Numbers taken at once; rows are zero from their end to the next multiple.
const LANES: usize = 4;
/// Pivots per row after which another method is cheaper.
const PIVOTS_PER_ROW: usize = 3;
/// Pivot, relative to the diagonal of W, below which a row repeats others.
const DEPENDENT: f64 = 1e-10;
/// Velocity, relative to the largest of q, that counts as none.
const ROUND_OFF: f64 = 1e-13;
/// The same for a contact that could carry an impulse in another answer.
const TOUCHING: f64 = 1e-9;

/// The transformed problem, in place.
#[derive(Clone, Debug)]
pub(super) struct PrincipalPivots {
    n: usize,
    /// W', row by row.
    matrix: [[f64; MOST_ROWS]; MOST_ROWS],
    /// W as given.
    given: [[f64; MOST_ROWS]; MOST_ROWS],
    /// q': the velocity of an open contact, the impulse of a closed one.
    value: [f64; MOST_ROWS],
    closed: [bool; MOST_ROWS],
    /// Largest |q| [m/s].
    speed: f64,
    pivots: usize,
}

impl Default for PrincipalPivots {
    fn default() -> Self {
        PrincipalPivots {
            n: 0,
            matrix: [[0.0; MOST_ROWS]; MOST_ROWS],
            given: [[0.0; MOST_ROWS]; MOST_ROWS],
            value: [0.0; MOST_ROWS],
            closed: [false; MOST_ROWS],
            speed: 0.0,
            pivots: 0,
        }
    }
}

impl PrincipalPivots {
    /// Takes the problem; false if it is too large, or has blocks of other laws. The sweeper multiplies out W of bodies.
    pub(super) fn load(&mut self, problem: &ContactProblem, sweeper: &mut Sweeper<OneContact>) -> bool {
        let n = problem.rows();
        if n > MOST_ROWS || problem.blocks().iter().any(|b| b.law != Law::NonNegative) {
            return false;
        }
        self.n = n;
        if let Delassus::Dense(w) = problem.delassus() {
            for (i, row) in self.given[..n].iter_mut().enumerate() {
                row[..n].copy_from_slice(w.row(i));
            }
        } else {
            sweeper.prepare(problem);
            for j in 0..n {
                for (row, w) in self.given[..n].iter_mut().zip(sweeper.kept_columns().column(j)) {
                    row[j] = *w;
                }
            }
        }
        for (row, given) in self.matrix[..n].iter_mut().zip(&self.given) {
            row[..n].copy_from_slice(&given[..n]);
            row[n..n.next_multiple_of(LANES)].fill(0.0);
        }
        self.value[..n].copy_from_slice(problem.q());
        self.closed = [false; MOST_ROWS];
        self.speed = problem.speed();
        self.pivots = 0;
        true
    }

    /// Exchanges until nothing is negative; false if that takes too many, or a pivot vanishes.
    pub(super) fn run(&mut self, guess: &[f64], cap: usize) -> bool {
        for k in 0..self.n {
            if guess[k] > 0.0 && self.pivots < cap && !self.exchange(k) {
                return false;
            }
        }
        let cap = cap.min(self.pivots + PIVOTS_PER_ROW * self.n);
        while let Some(k) = (0..self.n).rev().find(|k| self.is_negative(*k)) {
            if self.pivots >= cap || !self.exchange(k) {
                return false;
            }
        }
        true
    }

    /// Exchanges made.
    pub(super) fn pivots(&self) -> usize {
        self.pivots
    }

    /// Whether every open contact separates. Then the impulses are unique, because W is positive semidefinite.
    pub(super) fn is_unique(&self) -> bool {
        (0..self.n).all(|k| self.closed[k] || self.value[k] > TOUCHING * self.speed)
    }

    fn is_negative(&self, k: usize) -> bool {
        // The diagonal of a closed row is an inertia: it makes an impulse of the velocity that counts as none.
        let unit = if self.closed[k] { self.matrix[k][k].abs() } else { 1.0 };
        self.value[k] < -ROUND_OFF * self.speed * unit
    }

    fn exchange(&mut self, k: usize) -> bool {
        let n = self.n;
        let pivot = self.matrix[k][k];
        let least = if self.closed[k] { 0.0 } else { DEPENDENT * self.given[k][k] };
        let inverse = 1.0 / pivot;
        if pivot.is_nan() || pivot <= least || !inverse.is_finite() {
            return false;
        }
        self.pivots += 1;
        self.closed[k] = !self.closed[k];
        let width = n.next_multiple_of(LANES);
        let mut own = [0.0; MOST_ROWS];
        for (own, x) in own[..width].iter_mut().zip(&self.matrix[k]) {
            *own = -inverse * x;
        }
        own[k] = inverse;
        let value = -self.value[k] * inverse;
        for (row, entry) in self.matrix[..n].iter_mut().zip(&mut self.value) {
            let factor = row[k];
            if factor == 0.0 {
                continue;
            }
            row[k] = 0.0;
            let (row, own) = (row[..width].as_chunks_mut::<LANES>().0, own[..width].as_chunks::<LANES>().0);
            for (x, own) in row.iter_mut().zip(own) {
                let mut sum = *x;
                for i in 0..LANES {
                    sum[i] += factor * own[i];
                }
                *x = sum;
            }
            *entry += factor * value;
        }
        self.matrix[k] = own;
        self.value[k] = value;
        true
    }

    /// The impulses, corrected once, and their residual.
    pub(super) fn write(&self, problem: &ContactProblem, impulses: &mut [f64]) -> Merit {
        let n = self.n;
        let mut u = [0.0; MOST_ROWS];
        for k in 0..n {
            impulses[k] = if self.closed[k] { self.value[k] } else { 0.0 };
        }
        self.velocity(problem, impulses, &mut u);
        for i in (0..n).filter(|i| self.closed[*i]) {
            // The closed part of W' is the inverse of that of W.
            let error: f64 = (0..n).map(|j| if self.closed[j] { self.matrix[i][j] * u[j] } else { 0.0 }).sum();
            impulses[i] = f64::max(impulses[i] - error, 0.0);
        }
        self.velocity(problem, impulses, &mut u);
        Merit::of(problem, impulses, &u[..n])
    }

    fn velocity(&self, problem: &ContactProblem, r: &[f64], u: &mut [f64; MOST_ROWS]) {
        for ((u, row), q) in u.iter_mut().zip(&self.given).zip(problem.q()) {
            *u = q + row.iter().zip(r).map(|(w, r)| w * r).sum::<f64>();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use signorini_problem::random::SplitMix64;
    use signorini_problem::{Block, DenseDelassus, Symmetry};

    fn problem(n: usize, w: Vec<f64>, q: Vec<f64>) -> ContactProblem {
        let w = Delassus::Dense(DenseDelassus::new(n, w));
        ContactProblem::new(vec![Block::normal(); n], w, q, Symmetry::General).unwrap()
    }

    fn solve(problem: &ContactProblem, guess: &[f64]) -> (PrincipalPivots, bool, Vec<f64>, Merit) {
        let mut pivots = PrincipalPivots::default();
        assert!(pivots.load(problem, &mut Sweeper::default()));
        let solved = pivots.run(guess, usize::MAX);
        let mut r = vec![0.0; problem.rows()];
        let merit = pivots.write(problem, &mut r);
        (pivots, solved, r, merit)
    }

    /// Strictly diagonally dominant, not symmetric: P-matrices, of every size that fits.
    #[test]
    fn every_size_is_solved_to_round_off_and_its_own_answer_is_a_guess_without_pivots_to_come() {
        let mut seed = SplitMix64::new(5);
        let mut random = || seed.uniform(-1.0, 1.0);
        let mut closed = 0;
        for n in 1..=MOST_ROWS {
            let w: Vec<f64> = (0..n * n).map(|e| random() + if e / n == e % n { n as f64 } else { 0.0 }).collect();
            let problem = problem(n, w, (0..n).map(|_| random()).collect());
            let (first, solved, r, merit) = solve(&problem, &vec![0.0; n]);
            assert!(solved && merit.natural <= 1e-14, "{n} rows: {}", merit.natural);
            let (again, solved, same, _) = solve(&problem, &r);
            assert!(solved && again.pivots() == r.iter().filter(|r| **r > 0.0).count());
            assert!(again.pivots() <= first.pivots());
            assert!(r.iter().zip(&same).all(|(a, b)| (a - b).abs() <= 1e-14));
            closed += again.pivots();
        }
        assert!(closed > 40, "{closed} contacts closed");
    }

    #[test]
    fn a_beam_on_two_supports_of_one_body_is_not_unique() {
        // Cottle, Pang and Stone's example: two contacts that do the same.
        let problem = problem(2, vec![1.0; 4], vec![-1.0; 2]);
        let (pivots, solved, _, merit) = solve(&problem, &[0.0; 2]);
        assert!(solved && merit.natural == 0.0 && !pivots.is_unique());
    }

    #[test]
    fn a_vanishing_pivot_is_given_up() {
        let problem = problem(2, vec![0.0, 1.0, 1.0, 0.0], vec![-1.0; 2]);
        assert!(!solve(&problem, &[0.0; 2]).1);
    }
}

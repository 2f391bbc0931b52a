//! A handful of frictionless contacts, solved by exchanging one impulse with one velocity at a time.
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

    /// Whether every open contact separates: then, W being positive semidefinite, no other impulses do the same.
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

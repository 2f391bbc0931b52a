//! Newton's method on Coulomb's law with given active sets: which blocks are open, which stick, which slide.
//!
//! ```text
//! open, at a bound   r as it is               does not move   u = 0
//! slides             u_N = 0,   r_T = μ r_N d,   d⊥·u_T = 0,     d unit, against the slip
//! ```
//!
//! These equations are solved for r and, linearised about the current velocities, for the rotation of every d.
//! Inequalities and merit functions are ignored: where impulses are large (wedges, mass ratios) an error of a millionth
//! in friction changes velocities by metres per second, and the natural map takes a sliding contact whose pyramid
//! friction lies slightly inside the cone as sticking. From the answer of a pyramid with the right sets the steps
//! converge or not; the judge decides.
//!
//! Source: Newton's method; sets as in Alart and Curnier 1991. Departure: a proximal term, which does not change the
//! fixed point, keeps the matrix regular for redundant contacts. Cost: m³/3 multiplications a step, for m rows that are
//! neither open nor at a bound.

use crate::linalg::dense::copy_delassus;
use crate::linalg::dense_lu::{self, stride_of};
use crate::linalg::kernels::widest;
use signorini_problem::math;
use signorini_problem::{ContactProblem, Law};

/// Proximal weight, relative to the diagonal of W.
const PROXIMAL: f64 = 1e-10;
/// A value nearer to a bound than this share of the interval is at the bound \[1\].
const AT_THE_BOUND: f64 = 1e-9;
/// Steps that rotate a direction by more than this (tangent of the angle) are given up.
const LOST: f64 = 10.0;

/// Active set of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Set {
    /// Its impulse stays as it is.
    Fixed,
    /// The first `rows` rows do not move.
    Still { rows: usize },
    /// Its friction points along this unit vector.
    Slides { mu: f64, along: [f64; 2] },
}

/// The steps and their buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct SetNewton {
    w: Vec<f64>,
    u: Vec<f64>,
    sets: Vec<Set>,
    /// Rows that are solved for; turns come after them.
    rows: Vec<usize>,
    turns: usize,
    /// By columns, padded for [`dense_lu`].
    matrix: Vec<f64>,
    right: Vec<f64>,
    pivots: Vec<usize>,
}

impl SetNewton {
    /// Takes the sets from `r`. Contacts faster than `creeps` [m/s] slide.
    pub(super) fn begin(&mut self, problem: &ContactProblem, r: &[f64], creeps: f64) {
        copy_delassus(problem, &mut self.w);
        self.u = problem.velocity(r);
        self.sets.clear();
        self.rows.clear();
        self.turns = 0;
        for (c, block) in problem.blocks().iter().enumerate() {
            let range = problem.range(c);
            let (r, u) = (&r[range.clone()], &self.u[range.clone()]);
            let second = if block.rows == 3 { u[2] } else { 0.0 };
            let set = match block.law {
                Law::Equality => Set::Still { rows: block.rows },
                Law::NonNegative if r[0] > 0.0 => Set::Still { rows: 1 },
                Law::Interval { lo, hi } => {
                    let near = if (hi - lo).is_finite() { AT_THE_BOUND * (hi - lo) } else { 0.0 };
                    if r[0] <= lo + near || r[0] >= hi - near { Set::Fixed } else { Set::Still { rows: 1 } }
                }
                Law::Coulomb { mu } if r[0] > 0.0 && mu > 0.0 => {
                    let slip = math::hypot(u[1], second);
                    let along = [-u[1] / slip, -second / slip];
                    if slip > creeps { Set::Slides { mu, along } } else { Set::Still { rows: block.rows } }
                }
                Law::Coulomb { .. } if r[0] > 0.0 => Set::Still { rows: 1 },
                // Not asked about contacts that resist rolling.
                Law::NonNegative | Law::Coulomb { .. } | Law::Rolling { .. } => Set::Fixed,
            };
            match set {
                Set::Fixed => {}
                Set::Still { rows } => self.rows.extend(range.take(rows)),
                Set::Slides { .. } => {
                    self.turns += block.rows - 2;
                    self.rows.extend(range);
                }
            }
            self.sets.push(set);
        }
    }

    /// Multiplications of a step.
    pub(super) fn multiplications(&self) -> f64 {
        math::powi((self.rows.len() + self.turns) as f64, 3) / 3.0
    }

    /// Makes one step of `r`. Returns false if there is none, or it is too large.
    pub(super) fn step(&mut self, problem: &ContactProblem, r: &mut [f64]) -> bool {
        let size = self.rows.len() + self.turns;
        if size == 0 {
            return false;
        }
        self.assemble(problem, r);
        // Rows have units of velocity and impulse: scale all to size 1.
        let stride = stride_of(size);
        for (i, right) in self.right[..size].iter_mut().enumerate() {
            let row = self.matrix[i..].iter().step_by(stride);
            let largest = row.fold(f64::MIN_POSITIVE, |most: f64, x| most.max(x.abs()));
            self.matrix[i..].iter_mut().step_by(stride).for_each(|x| *x /= largest);
            *right /= largest;
        }
        self.pivots.resize(size, 0);
        let (matrix, pivots, right) = (&mut self.matrix, &mut self.pivots[..size], &mut self.right);
        let regular = widest(
            #[inline(always)]
            || {
                let regular = dense_lu::factor(matrix, size, pivots);
                if regular {
                    dense_lu::solve(matrix, size, pivots, right);
                }
                regular
            },
        );
        if !regular {
            return false;
        }
        let (changes, turns) = self.right[..size].split_at(self.rows.len());
        if self.right.iter().any(|x| !x.is_finite()) || turns.iter().any(|turn| turn.abs() > LOST) {
            return false;
        }
        for (i, change) in self.rows.iter().zip(changes) {
            r[*i] += change;
        }
        let mut turns = turns.iter();
        for (set, block) in self.sets.iter_mut().zip(problem.blocks()) {
            if let (Set::Slides { along: [a, b], .. }, 3) = (set, block.rows) {
                let (sin, cos) = turns.next().map_or((0.0, 1.0), |turn| math::sin_cos(math::atan(*turn)));
                (*a, *b) = (cos * *a - sin * *b, cos * *b + sin * *a);
            }
        }
        self.u = problem.velocity(r);
        true
    }

    /// The linear system of a step.
    fn assemble(&mut self, problem: &ContactProblem, r: &[f64]) {
        let (n, m) = (problem.rows(), self.rows.len());
        let size = m + self.turns;
        let stride = stride_of(size);
        self.matrix.clear();
        self.matrix.resize(size * stride, 0.0);
        self.right.clear();
        self.right.resize(stride, 0.0);
        let (w, u, rows) = (&self.w, &self.u, &self.rows);
        let (mut place, mut turn) = (0, m);
        for (c, set) in self.sets.iter().enumerate() {
            let first = problem.offsets()[c];
            let proximal = PROXIMAL * problem.scales()[c];
            let mut stands = |place: usize, i: usize, right: &mut [f64]| {
                for (b, j) in rows.iter().enumerate() {
                    self.matrix[b * stride + place] = w[i * n + j];
                }
                self.matrix[place * stride + place] += proximal;
                right[place] = -u[i];
            };
            match *set {
                Set::Fixed => {}
                Set::Still { rows } => {
                    for k in 0..rows {
                        stands(place + k, first + k, &mut self.right);
                    }
                    place += rows;
                }
                Set::Slides { mu, along } => {
                    stands(place, first, &mut self.right);
                    let across = [-along[1], along[0]];
                    let tangents = problem.blocks()[c].rows - 1;
                    for k in 0..tangents {
                        let row = place + 1 + k;
                        self.matrix[row * stride + row] = 1.0;
                        self.matrix[place * stride + row] = -mu * along[k];
                        self.right[row] = mu * r[first] * along[k] - r[first + 1 + k];
                        if tangents == 2 {
                            self.matrix[turn * stride + row] = -mu * r[first] * across[k];
                        }
                    }
                    if tangents == 2 {
                        let [t, s] = [first + 1, first + 2];
                        for (b, j) in rows.iter().enumerate() {
                            self.matrix[b * stride + turn] = across[0] * w[t * n + j] + across[1] * w[s * n + j];
                        }
                        self.matrix[turn * stride + turn] = -(along[0] * u[t] + along[1] * u[s]);
                        self.right[turn] = -(across[0] * u[t] + across[1] * u[s]);
                        turn += 1;
                    }
                    place += 1 + tangents;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use signorini_problem::{Block, Delassus, DenseDelassus, Symmetry, certify};

    /// A contact that slides obliquely, twice as easily along one tangent as along the other, so that friction turns its
    /// slip; and a motor at its bound that pushes it along. From the corner of a square, which is off by 37 degrees.
    #[test]
    fn friction_of_a_square_becomes_that_of_a_cone() {
        let mut w = vec![0.0; 16];
        for (i, diagonal) in [1.0, 1.0, 2.0, 1.0].into_iter().enumerate() {
            w[4 * i + i] = diagonal;
        }
        (w[4 + 3], w[3 * 4 + 1]) = (0.5, 0.5);
        let blocks = vec![Block::contact(0.5), Block::interval(-1.0, 1.0)];
        let delassus = Delassus::Dense(DenseDelassus::new(4, w));
        let problem = ContactProblem::new(blocks, delassus, vec![-1.0, 3.0, 4.0, -5.0], Symmetry::Exact).unwrap();
        let mut r = [1.0, 0.0, -0.5, 1.0];
        assert!(certify(&problem, &r).unwrap().natural > 0.1);
        let mut newton = SetNewton::default();
        newton.begin(&problem, &r, 1e-9);
        assert_eq!(newton.rows, [0, 1, 2]);
        for _ in 0..6 {
            assert!(newton.step(&problem, &mut r));
        }
        let certificate = certify(&problem, &r).unwrap();
        assert!(certificate.natural < 1e-14, "{certificate:?}");
        assert!((r[0] - 1.0).abs() < 1e-14 && (math::hypot(r[1], r[2]) - 0.5).abs() < 1e-14);
    }
}

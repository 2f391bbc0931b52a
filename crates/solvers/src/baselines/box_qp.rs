//! Dense convex quadratic programs in a box, by projected Newton steps on the free variables.
//!
//! ```text
//! min ½ xᵀA x + bᵀx,   lo ≤ x ≤ hi          A symmetric, positive semidefinite
//! ```
//!
//! Source: Bertsekas 1982 (two-metric projection); the same step as a box-constrained solver: Tassa, Mansard, Todorov 2014.
//! With `g = A x + b` and `D = diag A`, variables at (or within the current error of) a bound that `g` presses them
//! against are held; the others take the step `−(A_FF + ε D_F)⁻¹ g_F`; the whole is projected on the box and backtracked
//! until the objective falls (Armijo). Many variables may change side in one step, and the objective never rises, so
//! there is no cycling.
//!
//! Departures: ε > 0 makes every face regular when A is singular (four legs of a table). It is centred at the current
//! point, so the fixed points are those of the unregularised problem; on a settled face further steps reuse the factor
//! and are iterative refinement. The residual is a velocity, `max D_i |x_i − clamp(x_i − g_i/D_i)|` [m/s].
//!
//! Cost: one Cholesky factorization of the free block per change of the free set, O(n²) else.
//! Use it for: the inner step of the friction models with frozen bounds; anything dense of up to ~2000 variables.

use crate::linalg::dense::dot;
use crate::linalg::dense_cholesky::GrowingCholesky;

/// First regularisation, relative to the diagonal. Round-off in `g` moves x by 1e-16 over this along directions that A does
/// not see, so it is no smaller than refinement needs.
const REGULARIZATION: f64 = 1e-6;
/// Least regularisation: taken in steps where refinement on a settled face is slow (large mass ratios).
const MIN_REGULARIZATION: f64 = 1e-12;
/// A refinement that leaves more than this part of the residual is slow.
const SLOW: f64 = 0.2;
/// Most regularisation tried before the matrix is called indefinite.
const MAX_REGULARIZATION: f64 = 1e-4;
/// Sufficient decrease.
const ARMIJO: f64 = 1e-4;
/// Halvings of a step before it is given up.
const MAX_HALVINGS: usize = 40;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxQpExit {
    /// The residual meets the tolerance or the round-off of one evaluation of the gradient.
    Converged,
    /// No step decreases the objective any more, or the cap was reached; `x` is feasible.
    Stalled,
    /// A is not positive semidefinite.
    NotConvex,
}

/// What a solve did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxQpReport {
    /// How it ended.
    pub exit: BoxQpExit,
    /// Largest scaled projected gradient, in the unit of `b`.
    pub residual: f64,
    /// Cholesky factorizations.
    pub factorizations: usize,
    /// Variables that became free or held, summed over steps.
    pub set_changes: usize,
}

/// The solver with its buffers.
#[derive(Clone, Debug, Default)]
pub struct BoxQp {
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    direction: Vec<f64>,
    step: Vec<f64>,
    image: Vec<f64>,
    factor: GrowingCholesky,
    free: Vec<usize>,
    held: Vec<bool>,
    factored: Vec<bool>,
}

impl BoxQp {
    /// From the guess in `x` (clamped first), minimises. `a` is row-major and only read.
    pub fn solve(
        &mut self,
        a: &[f64],
        b: &[f64],
        (lo, hi): (&[f64], &[f64]),
        x: &mut [f64],
        tolerance: f64,
        max_steps: usize,
    ) -> BoxQpReport {
        let n = b.len();
        self.prepare(a, n);
        for i in 0..n {
            // A variable without inertia moves nothing: A is semidefinite, so its whole row is zero.
            x[i] = clamp(if self.diagonal[i] > 0.0 { x[i] } else { 0.0 }, lo[i], hi[i]);
        }
        let mut report = BoxQpReport { exit: BoxQpExit::Stalled, residual: 0.0, factorizations: 0, set_changes: 0 };
        let mut regularization = REGULARIZATION;
        let mut have_factor = false;
        let (mut lowest, mut since_lowest) = (f64::INFINITY, 0);
        let mut previous = f64::INFINITY;
        for _ in 0..max_steps {
            let round_off = self.evaluate(a, b, x);
            report.residual = self.residual(lo, hi, x);
            if report.residual <= tolerance.max(round_off) {
                report.exit = BoxQpExit::Converged;
                return report;
            }
            // Refinement that gains nothing for several steps has met the round-off of the factor.
            if report.residual < 0.5 * lowest {
                (lowest, since_lowest) = (report.residual, 0);
            } else {
                since_lowest += 1;
                if since_lowest > 30 {
                    return report;
                }
            }
            report.set_changes += self.choose_held(lo, hi, x, report.residual);
            let settled = have_factor && self.held == self.factored;
            let slow = settled && report.residual > SLOW * previous && regularization > MIN_REGULARIZATION;
            previous = report.residual;
            if slow {
                regularization *= 0.01;
            }
            if !settled || slow {
                loop {
                    report.factorizations += 1;
                    if self.factor_free(a, n, regularization) {
                        break;
                    }
                    regularization *= 10.0;
                    if regularization > MAX_REGULARIZATION {
                        report.exit = BoxQpExit::NotConvex;
                        return report;
                    }
                }
                self.factored.clone_from(&self.held);
                have_factor = true;
            }
            self.newton_direction();
            if !self.search(a, lo, hi, x) {
                // A diagonal step cannot fail but by round-off: D n ≥ A for a semidefinite A.
                for i in 0..n {
                    let d = self.diagonal[i];
                    self.direction[i] = if d > 0.0 { -self.gradient[i] / (d * n as f64) } else { 0.0 };
                }
                if !self.search(a, lo, hi, x) {
                    return report;
                }
            }
        }
        self.evaluate(a, b, x);
        report.residual = self.residual(lo, hi, x);
        report
    }

    fn prepare(&mut self, a: &[f64], n: usize) {
        for buffer in [&mut self.gradient, &mut self.diagonal, &mut self.direction, &mut self.step, &mut self.image] {
            buffer.resize(n, 0.0);
        }
        self.free.clear();
        self.free.reserve(n);
        self.held.resize(n, false);
        self.factored.resize(n, false);
        for i in 0..n {
            self.diagonal[i] = a[i * n + i].max(0.0);
        }
    }

    /// g = A x + b; returns the largest round-off of its terms.
    fn evaluate(&mut self, a: &[f64], b: &[f64], x: &[f64]) -> f64 {
        let n = b.len();
        let mut largest: f64 = 0.0;
        for i in 0..n {
            let (mut sum, mut size) = (0.0, 0.0);
            for (a, x) in a[i * n..(i + 1) * n].iter().zip(x) {
                let term = a * x;
                sum += term;
                size += term.abs();
            }
            self.gradient[i] = sum + b[i];
            largest = largest.max(size + b[i].abs());
        }
        largest * f64::EPSILON
    }

    fn residual(&self, lo: &[f64], hi: &[f64], x: &[f64]) -> f64 {
        let mut worst: f64 = 0.0;
        for i in 0..x.len() {
            let d = self.diagonal[i];
            if d > 0.0 {
                worst = worst.max(d * (x[i] - clamp(x[i] - self.gradient[i] / d, lo[i], hi[i])).abs());
            }
        }
        worst
    }

    /// Marks the variables to hold; returns how many changed. `error` widens the bounds so that the set settles.
    fn choose_held(&mut self, lo: &[f64], hi: &[f64], x: &[f64], error: f64) -> usize {
        let mut changes = 0;
        self.free.clear();
        for i in 0..x.len() {
            let (d, g) = (self.diagonal[i], self.gradient[i]);
            let margin = 1e-2 * error;
            let held =
                d <= 0.0 || (g > 0.0 && d * (x[i] - lo[i]) <= margin) || (g < 0.0 && d * (hi[i] - x[i]) <= margin);
            changes += usize::from(held != self.held[i]);
            self.held[i] = held;
            if !held {
                self.free.push(i);
            }
        }
        changes
    }

    fn factor_free(&mut self, a: &[f64], n: usize, regularization: f64) -> bool {
        let (free, diagonal) = (&self.free, &self.diagonal);
        self.factor.factor(free.len(), |row, column| {
            let i = free[row];
            a[i * n + free[column]] + if row == column { regularization * diagonal[i] } else { 0.0 }
        })
    }

    fn newton_direction(&mut self) {
        let m = self.free.len();
        for (k, &i) in self.free.iter().enumerate() {
            self.step[k] = -self.gradient[i];
        }
        self.factor.solve(&mut self.step[..m]);
        for i in 0..self.direction.len() {
            // A held variable inside the margin still has to reach its bound.
            let d = self.diagonal[i];
            self.direction[i] = if self.held[i] && d > 0.0 { -self.gradient[i] / d } else { 0.0 };
        }
        for (k, &i) in self.free.iter().enumerate() {
            self.direction[i] = self.step[k];
        }
    }

    /// Moves `x` along the projected direction as far as the objective falls; `false` if it does not.
    fn search(&mut self, a: &[f64], lo: &[f64], hi: &[f64], x: &mut [f64]) -> bool {
        let n = x.len();
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            for i in 0..n {
                self.step[i] = clamp(x[i] + length * self.direction[i], lo[i], hi[i]) - x[i];
            }
            for i in 0..n {
                self.image[i] = dot(&a[i * n..(i + 1) * n], &self.step);
            }
            // f(x + s) − f(x) = gᵀs + ½ sᵀA s: no difference of large numbers.
            let slope = dot(&self.gradient, &self.step);
            let change = slope + 0.5 * dot(&self.step, &self.image);
            if slope < 0.0 && change <= ARMIJO * slope {
                for i in 0..n {
                    // Land on the bound itself, not one rounding off.
                    x[i] = clamp(x[i] + length * self.direction[i], lo[i], hi[i]);
                }
                return true;
            }
            length *= 0.5;
        }
        false
    }
}

/// As `f64::clamp`, without its panic and with infinite bounds.
#[inline]
pub fn clamp(x: f64, lo: f64, hi: f64) -> f64 {
    if x < lo {
        lo
    } else if x > hi {
        hi
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(a: &[f64], b: &[f64], lo: &[f64], hi: &[f64]) -> (Vec<f64>, BoxQpReport) {
        let mut x = vec![0.0; b.len()];
        let report = BoxQp::default().solve(a, b, (lo, hi), &mut x, 1e-13, 200);
        (x, report)
    }

    #[test]
    fn the_matrix_on_which_the_seeded_active_set_cycles() {
        // spec D2: the full-set active-set rule visits the same six sets for ever.
        let a = [283.6, 57.19, -24.36, 57.19, 11.93, -4.407, -24.36, -4.407, 2.741];
        let b = [2.212, 0.163, -0.4903];
        let (x, report) = solve(&a, &b, &[0.0; 3], &[f64::INFINITY; 3]);
        assert_eq!(report.exit, BoxQpExit::Converged);
        for (x, truth) in x.iter().zip([0.0, 0.129079, 0.386410]) {
            assert!((x - truth).abs() < 1e-6, "{x} {truth}");
        }
    }

    #[test]
    fn a_table_on_four_legs_has_the_right_resultant() {
        // A = J Jᵀ of rank three; only the sum and the two moments are determined.
        let j = [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0]];
        let mut a = [0.0; 16];
        for r in 0..4 {
            for c in 0..4 {
                a[4 * r + c] = (0..3).map(|k| j[r][k] * j[c][k]).sum();
            }
        }
        let (x, report) = solve(&a, &[-1.0; 4], &[0.0; 4], &[f64::INFINITY; 4]);
        assert!(report.residual < 1e-14, "{report:?}");
        assert!((x.iter().sum::<f64>() - 1.0).abs() < 1e-13);
    }

    #[test]
    fn bounds_hold_on_both_sides() {
        let (x, _) = solve(&[2.0, 0.0, 0.0, 2.0], &[-10.0, 10.0], &[-1.0, -2.0], &[1.0, 2.0]);
        assert_eq!(x, [1.0, -2.0]);
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let (x, report) = solve(&[1.0, 2.0, 2.0, 1.0], &[-1.0, -1.0], &[-1.0; 2], &[1.0; 2]);
        assert_eq!(report.exit, BoxQpExit::NotConvex);
        assert!(x.iter().all(|x| x.abs() <= 1.0));
    }
}

//! Lemke's complementary pivoting for the linear complementarity problem of any square matrix:
//!
//! ```text
//! find r ≥ 0 with u = Wr + q ≥ 0 and rᵀu = 0
//! u − Wr − d z₀ = q,   d = 1:   raise z₀ until all u ≥ 0, then follow the path of almost complementary bases until z₀ = 0
//! ```
//!
//! W needs neither symmetry nor definiteness: for copositive-plus W (every contact problem) a solution is found if there
//! is one; otherwise the path may end on a ray, and the impulses returned are then no solution, as the certificate
//! will say. Ties of the ratio test are broken lexicographically, so no basis returns.
//!
//! Sources: Lemke 1965; Cottle, Pang and Stone 1992, §4.4 (algorithm), §4.9 (lexicographic rule). Departures: rows and
//! columns are first scaled alike by 1/√(largest entry); the final basis is solved again from W by LU with refinement,
//! so the round-off of the pivots does not stay in the answer.
//!
//! Cost: a dense tableau of n(2n + 2) numbers, 2n² operations per pivot, about n pivots (exponential at worst). Use it
//! for problems that the active-set methods refuse, and to check them.

use crate::linalg::dense::{axpy, lu, lu_solve};
use crate::linalg::scaled_program::count_active;
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule, supports_only};
use signorini_problem::{ContactProblem, Delassus, Law};

const NAME: &str = "lemke";
/// Entry of a scaled column below which it is no pivot.
const PIVOT: f64 = 1e-11;
/// Relative difference below which two ratios tie.
const TIE: f64 = 1e-13;

/// Options of [`Lemke`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LemkeOptions {
    /// Steps of iterative refinement of the final basis.
    pub refinements: usize,
    /// Most rows: memory is 24 bytes times their square.
    pub max_rows: usize,
}

impl Default for LemkeOptions {
    fn default() -> Self {
        LemkeOptions { refinements: 3, max_rows: 2000 }
    }
}

/// Lemke's method. Iterations are pivots.
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    /// Options.
    pub options: LemkeOptions,
    n: usize,
    /// W/(s_i s_j), row-major; s_i² is the largest entry of row or column i.
    matrix: Vec<f64>,
    q: Vec<f64>,
    scale: Vec<f64>,
    /// Columns u, r, z₀, right-hand side.
    tableau: Vec<f64>,
    pivot_row: Vec<f64>,
    basis: Vec<usize>,
    factor: Vec<f64>,
    pivots: Vec<usize>,
    closed: Vec<usize>,
    r: Vec<f64>,
    refined: Vec<f64>,
    correction: Vec<f64>,
}

/// How the path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathEnd {
    Solution,
    Ray,
    Cap,
}

impl Lemke {
    /// With these options.
    pub fn new(options: LemkeOptions) -> Self {
        Lemke { options, ..Lemke::default() }
    }

    fn load(&mut self, problem: &ContactProblem) {
        let n = problem.rows();
        self.n = n;
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        match problem.delassus() {
            Delassus::Dense(w) => self.matrix.copy_from_slice(w.values()),
            // Every block has one row: blocks are entries.
            w => {
                for i in 0..n {
                    for j in 0..n {
                        w.block(problem.offsets(), i, j, &mut self.matrix[i * n + j..i * n + j + 1]);
                    }
                }
            }
        }
        self.scale.clear();
        for i in 0..n {
            let largest =
                (0..n).fold(0.0, |m: f64, j| m.max(self.matrix[i * n + j].abs()).max(self.matrix[j * n + i].abs()));
            self.scale.push(if largest > 0.0 { largest.sqrt() } else { 1.0 });
        }
        for i in 0..n {
            for j in 0..n {
                self.matrix[i * n + j] /= self.scale[i] * self.scale[j];
            }
        }
        self.q.clear();
        self.q.extend(problem.q().iter().zip(&self.scale).map(|(q, s)| q / s));
    }

    /// `[I | −W | −1 | q]`, with the slacks u basic.
    fn build_tableau(&mut self) {
        let (n, width) = (self.n, 2 * self.n + 2);
        self.tableau.clear();
        self.tableau.resize(n * width, 0.0);
        for (i, row) in self.tableau.chunks_exact_mut(width).enumerate() {
            row[i] = 1.0;
            for j in 0..n {
                row[n + j] = -self.matrix[i * n + j];
            }
            row[2 * n] = -1.0;
            row[2 * n + 1] = self.q[i];
        }
        self.basis.clear();
        self.basis.extend(0..n);
    }

    /// Follows the path. The basis is complementary at a solution.
    fn follow_path(&mut self, cap: usize) -> (PathEnd, usize) {
        let (n, width) = (self.n, 2 * self.n + 2);
        let artificial = 2 * n;
        // Row order for the first pivot: most negative q; the lexicographically least of equal ones is the last.
        let mut row = 0;
        for i in 1..n {
            if self.q[i] <= self.q[row] {
                row = i;
            }
        }
        if n == 0 || self.q[row] >= 0.0 {
            return (PathEnd::Solution, 0);
        }
        let mut entering = artificial;
        for pivots in 0..cap {
            let leaving = self.basis[row];
            self.pivot(row, entering);
            if leaving == artificial {
                return (PathEnd::Solution, pivots + 1);
            }
            // The complement of what left comes in.
            entering = if leaving < n { leaving + n } else { leaving - n };
            let column = |i: usize| self.tableau[i * width + entering];
            let Some(next) =
                (0..n).filter(|i| column(*i) > PIVOT).reduce(|best, i| self.lexically_first(best, i, entering))
            else {
                return (PathEnd::Ray, pivots + 1);
            };
            row = next;
        }
        (PathEnd::Cap, cap)
    }

    /// Which of two rows gives way first: least `rhs/column`, then least `u-columns/column`; z₀ leaves when it can.
    fn lexically_first(&self, a: usize, b: usize, entering: usize) -> usize {
        let (n, width) = (self.n, 2 * self.n + 2);
        let (row_a, row_b) = (&self.tableau[a * width..(a + 1) * width], &self.tableau[b * width..(b + 1) * width]);
        let (pivot_a, pivot_b) = (row_a[entering], row_b[entering]);
        for place in std::iter::once(2 * n + 1).chain(0..n) {
            let (x, y) = (row_a[place] / pivot_a, row_b[place] / pivot_b);
            if (x - y).abs() > TIE * (x.abs() + y.abs()) {
                return if x < y { a } else { b };
            }
            if place == 2 * n + 1 {
                if self.basis[a] == 2 * n {
                    return a;
                }
                if self.basis[b] == 2 * n {
                    return b;
                }
            }
        }
        a
    }

    fn pivot(&mut self, row: usize, entering: usize) {
        let width = 2 * self.n + 2;
        let pivot = self.tableau[row * width + entering];
        for value in &mut self.tableau[row * width..(row + 1) * width] {
            *value /= pivot;
        }
        self.pivot_row.clear();
        self.pivot_row.extend_from_slice(&self.tableau[row * width..(row + 1) * width]);
        for (i, other) in self.tableau.chunks_exact_mut(width).enumerate() {
            let factor = other[entering];
            if i != row && factor != 0.0 {
                axpy(-factor, &self.pivot_row, other);
                other[entering] = 0.0;
            }
        }
        self.basis[row] = entering;
    }

    /// The impulses of the basis as the tableau has them.
    fn read_tableau(&mut self) {
        let (n, width) = (self.n, 2 * self.n + 2);
        self.r.clear();
        self.r.resize(n, 0.0);
        self.closed.clear();
        for (i, &variable) in self.basis.iter().enumerate() {
            if (n..2 * n).contains(&variable) {
                let value = self.tableau[i * width + width - 1];
                self.r[variable - n] = if value.is_finite() { value.max(0.0) } else { 0.0 };
                self.closed.push(variable - n);
            }
        }
        self.closed.sort_unstable();
    }

    /// Solves `W_FF r_F = −q_F` of the final basis from W itself; kept if it is no worse than the tableau.
    fn refine(&mut self) {
        let (n, k) = (self.n, self.closed.len());
        let (matrix, closed) = (&self.matrix, &self.closed);
        self.factor.clear();
        self.factor.extend(closed.iter().flat_map(|a| closed.iter().map(move |b| matrix[a * n + b])));
        self.pivots.resize(k, 0);
        if !lu(&mut self.factor, k, &mut self.pivots) {
            return;
        }
        self.refined.clear();
        self.refined.extend_from_slice(&self.r);
        for _ in 0..=self.options.refinements {
            self.correction.clear();
            for &i in closed {
                let sum: f64 = closed.iter().map(|&j| matrix[i * n + j] * self.refined[j]).sum();
                self.correction.push(-self.q[i] - sum);
            }
            lu_solve(&self.factor, k, &self.pivots, &mut self.correction);
            for (&i, change) in closed.iter().zip(&self.correction) {
                self.refined[i] += change;
            }
        }
        for r in &mut self.refined {
            *r = if r.is_finite() { r.max(0.0) } else { 0.0 };
        }
        if self.residual(&self.refined) <= self.residual(&self.r) {
            std::mem::swap(&mut self.r, &mut self.refined);
        }
    }

    /// Largest |min(r, u)| in scaled variables.
    fn residual(&self, r: &[f64]) -> f64 {
        let n = self.n;
        let mut worst: f64 = 0.0;
        for i in 0..n {
            let u = self.q[i] + self.matrix[i * n..(i + 1) * n].iter().zip(r).map(|(w, r)| w * r).sum::<f64>();
            worst = worst.max(f64::min(r[i], u).abs());
        }
        worst
    }
}

impl ContactSolver for Lemke {
    fn name(&self) -> &'static str {
        NAME
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        supports_only(problem, NAME, |law| matches!(law, Law::NonNegative))?;
        if problem.rows() > self.options.max_rows {
            let limit = self.options.max_rows;
            return Err(SolveError::TooLarge { method: NAME, rows: problem.rows(), limit });
        }
        self.load(problem);
        self.build_tableau();
        let cap = stop.max_iterations.unwrap_or(50 * problem.rows() + 1000);
        let (end, pivots) = self.follow_path(cap);
        self.read_tableau();
        let mut factorizations = 0;
        if end == PathEnd::Solution && !self.closed.is_empty() {
            self.refine();
            factorizations = 1;
        }
        if history.is_on() {
            history.record(pivots, self.residual(&self.r));
        }
        for ((impulse, r), s) in impulses.iter_mut().zip(&self.r).zip(&self.scale) {
            *impulse = r / s;
        }
        let active = count_active(problem, impulses);
        Ok(Effort { iterations: pivots, factorizations, set_changes: pivots, active, ..Effort::default() })
    }
}

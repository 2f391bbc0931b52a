//! Lemke's complementary pivoting for the linear complementarity problem of any square matrix:
//!
//! ```text
//! find r ≥ 0 with u = Wr + q ≥ 0 and rᵀu = 0
//! u − Wr − d z₀ = q,   d = 1:   raise z₀ until all u ≥ 0, then follow the path of almost complementary bases until z₀ = 0
//! ```
//!
//! W needs neither symmetry nor definiteness: for copositive-plus W (every contact problem) a solution is found if there
//! is one; otherwise the path may end on a ray, and the impulses returned are then none, as the certificate will say.
//!
//! The path, its sources and its cost per pivot are those of `linalg/complementary_path.rs`. Departure: rows and columns are first
//! scaled alike by 1/√(largest entry). About n pivots, exponentially many at worst. Use it for problems that the active-set
//! methods refuse, and to check them.

use crate::linalg::complementary_path::{Budget, ComplementaryPath, LcpEnd};
use crate::linalg::dense::copy_delassus;
use crate::linalg::scaled_program::count_active;
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule, supports_only};
use signorini_problem::{ContactProblem, Law};

const NAME: &str = "lemke";
/// Entries of q are raised by this share of the largest to break ties \[1\]; it must exceed what the path takes for a
/// tie. With 1e-13, one of forty thousand random problems with repeated contacts fails.
const NUDGE: f64 = 1e-10;

/// Options of [`Lemke`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LemkeOptions {
    /// Most rows: memory is 24 bytes times their square.
    pub max_rows: usize,
}

impl Default for LemkeOptions {
    fn default() -> Self {
        LemkeOptions { max_rows: 2000 }
    }
}

/// Lemke's method. Iterations are pivots.
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    /// Options.
    pub options: LemkeOptions,
    /// W/(s_i s_j) by rows, then by columns; s_i² is the largest entry of row or column i.
    matrix: Vec<f64>,
    columns: Vec<f64>,
    q: Vec<f64>,
    nudge: Vec<f64>,
    scale: Vec<f64>,
    path: ComplementaryPath,
}

impl Lemke {
    /// With these options.
    pub fn new(options: LemkeOptions) -> Self {
        Lemke { options, ..Lemke::default() }
    }

    fn load(&mut self, problem: &ContactProblem) {
        let n = problem.rows();
        copy_delassus(problem, &mut self.matrix);
        let w = &self.matrix;
        self.scale.clear();
        self.scale.extend((0..n).map(|i| {
            let largest = (0..n).fold(0.0, |m: f64, j| m.max(w[i * n + j].abs()).max(w[j * n + i].abs()));
            if largest > 0.0 { largest.sqrt() } else { 1.0 }
        }));
        let scale = &self.scale;
        self.columns.clear();
        self.columns.extend((0..n).flat_map(|j| (0..n).map(move |i| w[i * n + j] / (scale[i] * scale[j]))));
        self.q.clear();
        self.q.extend(problem.q().iter().zip(scale).map(|(q, s)| q / s));
        let largest = self.q.iter().fold(0.0, |m: f64, q| m.max(q.abs()));
        self.nudge.clear();
        self.nudge.resize(n, NUDGE * largest);
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
        let pivots = stop.max_iterations.unwrap_or(50 * problem.rows() + 1000);
        let budget = Budget { pivots, multiplications: f64::INFINITY };
        let end = self.path.follow_within(&self.columns, &self.q, &self.nudge, budget);
        for ((impulse, r), s) in impulses.iter_mut().zip(self.path.answer()).zip(&self.scale) {
            *impulse = if end == LcpEnd::Solution { r / s } else { 0.0 };
        }
        let (iterations, factorizations) = (self.path.steps, self.path.factorizations);
        if history.is_on() {
            let u = problem.velocity(impulses);
            history.record(iterations, impulses.iter().zip(&u).fold(0.0, |m: f64, (r, u)| m.max(r.min(*u).abs())));
        }
        let active = count_active(problem, impulses);
        Ok(Effort { iterations, factorizations, set_changes: iterations, active, ..Effort::default() })
    }
}

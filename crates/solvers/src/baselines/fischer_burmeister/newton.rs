//! Newton's method on the smoothed system: direction, line search, and reduction of the smoothing to zero.

use super::equations::Equations;
use crate::baselines::flow_rule::{FlowRule, active_blocks, make_all_feasible};
use crate::linalg::dense::{axpy, copy_delassus, dot};
use crate::linalg::dense_cholesky::GrowingCholesky;
use crate::linalg::dense_lu::{self, stride_of};
use crate::{Effort, History};
use signorini_problem::ContactProblem;

/// Sufficient decrease of the merit.
const ARMIJO: f64 = 1e-4;
/// Halvings of a step before the direction is given up.
const MAX_HALVINGS: usize = 16;
/// The system counts as solved at the current smoothing when `|Φ|∞` is below this multiple of ε.
const CENTRED: f64 = 0.2;
/// Least smoothing, relative to the speed of the problem.
const LEAST_SMOOTHING: f64 = 1e-15;
/// Relative proximal terms: first, and the largest worth a factorization.
const PROXIMAL: (f64, f64) = (1e-10, 1e-3);
/// Newton steps at one smoothing before the last reduction of it counts as too bold.
const PATIENCE: usize = 25;
/// Times the system is smoothed again before the method gives up.
const MAX_RETREATS: usize = 10;

/// Newton's method with its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    w: Vec<f64>,
    jacobian: Vec<f64>,
    /// Columns of the matrix to factor, padded for [`dense_lu`].
    factor: Vec<f64>,
    cholesky: GrowingCholesky,
    pivots: Vec<usize>,
    row_scale: Vec<f64>,
    r: Vec<f64>,
    u: Vec<f64>,
    phi: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    trial_r: Vec<f64>,
    trial_u: Vec<f64>,
    feasible: Vec<f64>,
    /// Derivatives per row: with respect to r (own block, three columns) and to u (three columns).
    by_r: Vec<[f64; 6]>,
    by_u: Vec<[f64; 6]>,
    merits: Vec<(f64, f64)>,
    residual: f64,
    converged: bool,
}

impl Newton {
    /// Whether the last run met its target or the round-off of u.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// Residual of the last run's answer under its flow rule [m/s].
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// `(ε, ½‖Φ_ε‖²)` after each step of the last run.
    pub fn merits(&self) -> &[(f64, f64)] {
        &self.merits
    }

    /// From the guess in `impulses`, leaves the best feasible iterate there.
    pub fn run(
        &mut self,
        problem: &ContactProblem,
        flow: FlowRule,
        impulses: &mut [f64],
        target: f64,
        cap: usize,
        history: &mut History,
    ) -> Effort {
        self.prepare(problem, cap);
        self.converged = false;
        make_all_feasible(problem, impulses);
        let mut effort = Effort::default();
        let n = problem.rows();
        self.r.copy_from_slice(impulses);
        self.velocity(problem);
        let mut best = flow.residual_at(problem, &self.r, &self.u);
        if !best.is_finite() {
            // A guess so large that its residual overflows says nothing; from an infinite ε no path leads down.
            impulses.fill(0.0);
            make_all_feasible(problem, impulses);
            self.r.copy_from_slice(impulses);
            self.velocity(problem);
            best = flow.residual_at(problem, &self.r, &self.u);
        }
        let least = LEAST_SMOOTHING * problem.speed().max(f64::MIN_POSITIVE.sqrt());
        let mut proximal = PROXIMAL.0;
        let mut path = Path::new(best.max(least), (0.1 * target).max(least));
        while best.is_finite() && effort.iterations < cap && best > target {
            let mut merit = self.evaluate(problem, flow, path.epsilon);
            while largest(&self.phi) <= CENTRED * path.epsilon && path.epsilon > least {
                path.advance(least);
                merit = self.evaluate(problem, flow, path.epsilon);
            }
            effort.iterations += 1;
            path.steps += 1;
            self.assemble(problem);
            let stepped = loop {
                effort.factorizations += 1;
                if self.newton_direction(n, proximal) && self.search(problem, flow, path.epsilon, merit) {
                    proximal = (0.1 * proximal).max(PROXIMAL.0);
                    break true;
                }
                if proximal >= PROXIMAL.1 {
                    proximal = PROXIMAL.0;
                    break self.levenberg_marquardt(problem, flow, path.epsilon, merit, &mut effort);
                }
                proximal *= 1e3;
            };
            if !stepped || path.steps > PATIENCE {
                if !path.retreat() {
                    break;
                }
                continue;
            }
            let lowered = self.evaluate(problem, flow, path.epsilon);
            self.merits.push((path.epsilon, lowered));
            let (residual, round_off) = self.grade(problem, flow);
            history.record(effort.iterations, residual);
            if residual < best {
                best = residual;
                impulses.copy_from_slice(&self.feasible);
            }
            if best <= round_off {
                self.converged = true;
                break;
            }
        }
        self.converged |= best <= target;
        self.residual = best;
        effort.active = active_blocks(problem, impulses);
        effort
    }

    /// Residual of the nearest feasible impulse, which is what the judge will see, and the round-off of u below which
    /// it means nothing. Leaves the impulse in `feasible`.
    fn grade(&mut self, problem: &ContactProblem, flow: FlowRule) -> (f64, f64) {
        let n = self.r.len();
        self.feasible.copy_from_slice(&self.r);
        make_all_feasible(problem, &mut self.feasible);
        let mut size: f64 = 0.0;
        for i in 0..n {
            let row = &self.w[i * n..(i + 1) * n];
            self.trial_u[i] = dot(row, &self.feasible) + problem.q()[i];
            size = size.max(row.iter().zip(&self.feasible).map(|(w, r)| (w * r).abs()).sum::<f64>());
        }
        let residual = flow.residual_at(problem, &self.feasible, &self.trial_u);
        (residual, f64::EPSILON * (size + problem.speed()))
    }

    fn prepare(&mut self, problem: &ContactProblem, cap: usize) {
        let n = problem.rows();
        copy_delassus(problem, &mut self.w);
        self.jacobian.resize(n * n, 0.0);
        self.factor.resize(n * stride_of(n), 0.0);
        self.pivots.resize(n, 0);
        self.by_r.resize(n, [0.0; 6]);
        self.by_u.resize(n, [0.0; 6]);
        for buffer in [
            &mut self.row_scale,
            &mut self.r,
            &mut self.u,
            &mut self.phi,
            &mut self.direction,
            &mut self.image,
            &mut self.trial_r,
            &mut self.trial_u,
            &mut self.feasible,
        ] {
            buffer.resize(n, 0.0);
        }
        self.merits.clear();
        self.merits.reserve(cap.min(1000));
        // A block without inertia has no scale of its own.
        let fallback = problem.scales().iter().fold(0.0, |m: f64, w| m.max(*w));
        let fallback = if fallback > 0.0 { fallback } else { 1.0 };
        for (c, w) in problem.scales().iter().enumerate() {
            self.row_scale[problem.range(c)].fill(if *w > 0.0 { *w } else { fallback });
        }
    }

    /// u = W r + q.
    fn velocity(&mut self, problem: &ContactProblem) {
        let n = self.r.len();
        for i in 0..n {
            self.u[i] = dot(&self.w[i * n..(i + 1) * n], &self.r) + problem.q()[i];
        }
    }

    /// Φ and its derivatives at (r, u); returns ½‖Φ‖².
    fn evaluate(&mut self, problem: &ContactProblem, flow: FlowRule, epsilon: f64) -> f64 {
        for (c, block) in problem.blocks().iter().enumerate() {
            let range = problem.range(c);
            let equations = Equations { law: &block.law, flow, w: self.row_scale[range.start], epsilon };
            equations.evaluate(
                (&self.r[range.clone()], &self.u[range.clone()]),
                &mut self.phi[range.clone()],
                Some((&mut self.by_r[range.clone()], &mut self.by_u[range])),
            );
        }
        0.5 * dot(&self.phi, &self.phi)
    }

    /// J = ∂Φ/∂r + ∂Φ/∂u W.
    fn assemble(&mut self, problem: &ContactProblem) {
        let n = self.r.len();
        for c in 0..problem.blocks().len() {
            let range = problem.range(c);
            for i in range.clone() {
                let row = &mut self.jacobian[i * n..(i + 1) * n];
                row.fill(0.0);
                for (a, k) in range.clone().enumerate() {
                    let slope = self.by_u[i][a];
                    if slope != 0.0 {
                        for (x, w) in row.iter_mut().zip(&self.w[k * n..(k + 1) * n]) {
                            *x += slope * w;
                        }
                    }
                    row[k] += self.by_r[i][a];
                }
            }
        }
    }

    /// Solves (J + δ ∂Φ/∂u diag(w)) d = −Φ.
    fn newton_direction(&mut self, n: usize, proximal: f64) -> bool {
        let stride = stride_of(n);
        self.factor.fill(0.0);
        for (i, row) in self.jacobian.chunks_exact(n).enumerate() {
            for (j, entry) in row.iter().enumerate() {
                self.factor[j * stride + i] = *entry;
            }
            // Only the diagonal of ∂Φ/∂u: enough to lift a singular direction, and it keeps the sign.
            let own = self.by_u[i].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            self.factor[i * stride + i] += proximal * own * self.row_scale[i];
        }
        if !dense_lu::factor(&mut self.factor, n, &mut self.pivots) {
            return false;
        }
        self.direction.clear();
        self.direction.extend(self.phi.iter().map(|phi| -phi));
        self.direction.resize(stride, 0.0);
        dense_lu::solve(&self.factor, n, &self.pivots, &mut self.direction);
        self.direction.truncate(n);
        self.direction.iter().all(|d| d.is_finite())
    }

    /// Tries (JᵀJ + ν diag(w²)) d = −JᵀΦ with growing ν.
    fn levenberg_marquardt(
        &mut self,
        problem: &ContactProblem,
        flow: FlowRule,
        epsilon: f64,
        merit: f64,
        effort: &mut Effort,
    ) -> bool {
        let n = self.r.len();
        for nu in [1e-10, 1e-6, 1e-3, 1.0] {
            self.factor.fill(0.0);
            for k in 0..n {
                let row = &self.jacobian[k * n..(k + 1) * n];
                for i in 0..n {
                    if row[i] != 0.0 {
                        axpy(row[i], &row[..=i], &mut self.factor[i * n..]);
                    }
                }
            }
            for i in 0..n {
                self.factor[i * n + i] += nu * self.row_scale[i] * self.row_scale[i];
            }
            effort.factorizations += 1;
            if !self.cholesky.factor(n, |i, j| self.factor[i * n + j]) {
                continue;
            }
            self.direction.fill(0.0);
            for k in 0..n {
                for (d, j) in self.direction.iter_mut().zip(&self.jacobian[k * n..(k + 1) * n]) {
                    *d -= j * self.phi[k];
                }
            }
            self.cholesky.solve(&mut self.direction);
            if self.direction.iter().all(|d| d.is_finite()) && self.search(problem, flow, epsilon, merit) {
                return true;
            }
        }
        false
    }

    /// Moves along the direction as far as the merit falls; `false` (and nothing moved) if it does not.
    fn search(&mut self, problem: &ContactProblem, flow: FlowRule, epsilon: f64, merit: f64) -> bool {
        let n = self.r.len();
        for i in 0..n {
            self.image[i] = dot(&self.w[i * n..(i + 1) * n], &self.direction);
        }
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            for i in 0..n {
                self.trial_r[i] = self.r[i] + length * self.direction[i];
                self.trial_u[i] = self.u[i] + length * self.image[i];
            }
            let mut trial = 0.0;
            for (c, block) in problem.blocks().iter().enumerate() {
                let range = problem.range(c);
                let mut phi = [0.0; 6];
                let phi = &mut phi[..range.len()];
                Equations { law: &block.law, flow, w: self.row_scale[range.start], epsilon }.evaluate(
                    (&self.trial_r[range.clone()], &self.trial_u[range]),
                    phi,
                    None,
                );
                trial += 0.5 * dot(phi, phi);
            }
            if trial <= (1.0 - 2.0 * ARMIJO * length) * merit {
                self.r.copy_from_slice(&self.trial_r);
                self.velocity(problem);
                return true;
            }
            length *= 0.5;
        }
        false
    }
}

/// The smoothing on its way to zero: reduced boldly while Newton follows. When it does not, first the limit itself is tried
/// (the path may fold where the law has a solution all the same), then the point is smoothed again and approached in
/// smaller reductions.
struct Path {
    /// Smoothing now [m/s].
    epsilon: f64,
    /// Smoothing that stands for the limit [m/s].
    limit: f64,
    /// Factor of the next reduction.
    factor: f64,
    /// Newton steps at this smoothing.
    steps: usize,
    retreats: usize,
    /// The smoothing from which the limit is being tried.
    left: Option<f64>,
}

impl Path {
    fn new(epsilon: f64, limit: f64) -> Self {
        Path { epsilon, limit, factor: 0.1, steps: 0, retreats: 0, left: None }
    }

    /// The system is solved at this smoothing: less of it.
    fn advance(&mut self, least: f64) {
        self.epsilon = (self.factor * self.epsilon).max(least);
        self.steps = 0;
        self.left = None;
    }

    /// Newton does not follow: try something else. `false` when that was done often enough.
    fn retreat(&mut self) -> bool {
        self.retreats += 1;
        self.steps = 0;
        match self.left.take() {
            None if self.epsilon > self.limit => {
                self.left = Some(self.epsilon);
                self.epsilon = self.limit;
            }
            left => {
                self.factor = self.factor.sqrt();
                self.epsilon = 30.0 * left.unwrap_or(self.epsilon);
            }
        }
        self.retreats <= MAX_RETREATS
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| f64::max(m, x.abs()))
}

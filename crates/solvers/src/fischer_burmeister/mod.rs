//! Fischer–Burmeister: the contact laws as one smooth system, solved by Newton's method.
//!
//! Every law becomes equations that vanish exactly at solutions (m/s), with `w = tr(W_cc)/rows`, `φ` of `function.rs`:
//!
//! ```text
//! equality       u = 0
//! non-negative   φ(w r, u) = 0
//! interval       φ(w(r − lo), −φ(w(hi − r), −u)) = 0                                     (Billups 1995)
//! Coulomb        φ_cone(κ w (r_N, r_T/μ), (û_N, μ u_T)/κ) = 0,   û_N = u_N + μ‖u_T‖,  κ = max(1, μ)
//! ```
//!
//! The pair in the last line maps K and K* onto the second-order cone and keeps r·û; the two scalings keep both entries
//! comparable for small and large μ. Smoothing ε > 0 [m/s] enters φ and ‖u_T‖; it starts at the residual of the guess and
//! is driven to zero as the system is solved.
//!
//! Source: Fischer 1992; Fukushima, Luo, Tseng 2002 (cone); Hayashi, Yamashita, Fukushima 2005 (regularised smoothing
//! Newton); de Saxcé and Feng 1998 (û). Departures: Newton's direction uses `W + δ diag(w)`; when it fails to lower the
//! merit `½‖Φ_ε‖²`, a Levenberg–Marquardt direction is taken. At fixed ε the merit only falls. When Newton does not follow
//! a reduction of ε, the point is smoothed again and approached with smaller reductions, a few times; then the best
//! feasible iterate is returned: Coulomb's law is not monotone, no convergence is proven, and the certificate tells.
//!
//! Cost: one dense LU of all rows per Newton step, 15 to 60 steps. The limit on rows is an option.
//! Use it for: small problems of any law, also with a W that is not symmetric; a reference independent of cone projections.

mod function;

use crate::flow_rule::{FlowRule, active_blocks, contact_vector, make_all_feasible};
use crate::linalg::dense::{cholesky, cholesky_solve, copy_delassus, dot, lu, lu_solve};
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use signorini_problem::{ContactProblem, Law};

const NAME: &str = "fischer-burmeister";
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
const MAX_RETREATS: usize = 6;

/// What may be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FischerBurmeisterOptions {
    /// Most Newton steps when the stopping rule leaves it open.
    pub max_iterations: usize,
    /// Most rows: memory is three times its square, time its cube.
    pub max_rows: usize,
    /// The law of contacts; [`FlowRule::Associated`] solves the convex relaxation instead.
    pub flow: FlowRule,
}

impl Default for FischerBurmeisterOptions {
    fn default() -> Self {
        FischerBurmeisterOptions { max_iterations: 200, max_rows: 1500, flow: FlowRule::Coulomb }
    }
}

/// The smoothed Newton method.
#[derive(Clone, Debug, Default)]
pub struct FischerBurmeister {
    /// The choices.
    pub options: FischerBurmeisterOptions,
    newton: Newton,
}

impl FischerBurmeister {
    /// The method with these options.
    pub fn new(options: FischerBurmeisterOptions) -> Self {
        FischerBurmeister { options, newton: Newton::default() }
    }

    /// `(ε, ½‖Φ_ε‖²)` after each Newton step of the last solve: at equal ε the second number falls [m/s, m²/s²].
    pub fn merits(&self) -> &[(f64, f64)] {
        &self.newton.merits
    }
}

impl ContactSolver for FischerBurmeister {
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
        if problem.rows() > self.options.max_rows {
            make_all_feasible(problem, impulses);
            return Err(SolveError::TooLarge { method: NAME, rows: problem.rows(), limit: self.options.max_rows });
        }
        let cap = stop.max_iterations.unwrap_or(self.options.max_iterations);
        let target = stop.target_speed(problem);
        Ok(self.newton.run(problem, self.options.flow, impulses, target, cap, history))
    }
}

/// Newton's method with its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    w: Vec<f64>,
    jacobian: Vec<f64>,
    factor: Vec<f64>,
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
}

impl Newton {
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
        let n = problem.rows();
        let mut effort = Effort::default();
        make_all_feasible(problem, impulses);
        self.r.copy_from_slice(impulses);
        self.velocity(problem);
        let mut best = flow.residual_at(problem, &self.r, &self.u);
        let least = LEAST_SMOOTHING * problem.speed().max(f64::MIN_POSITIVE.sqrt());
        let epsilon = best.max(least);
        let mut proximal = PROXIMAL.0;
        let mut path = Path::new(epsilon);
        while effort.iterations < cap && best > target {
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
            // The judge sees a feasible impulse: grade that one.
            self.feasible.copy_from_slice(&self.r);
            make_all_feasible(problem, &mut self.feasible);
            self.trial_r.copy_from_slice(&self.r);
            self.r.copy_from_slice(&self.feasible);
            self.velocity(problem);
            let residual = flow.residual_at(problem, &self.r, &self.u);
            history.record(effort.iterations, residual);
            if residual < best {
                best = residual;
                impulses.copy_from_slice(&self.feasible);
            }
            self.r.copy_from_slice(&self.trial_r);
            self.velocity(problem);
        }
        effort.active = active_blocks(problem, impulses);
        effort
    }

    fn prepare(&mut self, problem: &ContactProblem, cap: usize) {
        let n = problem.rows();
        copy_delassus(problem, &mut self.w);
        self.jacobian.resize(n * n, 0.0);
        self.factor.resize(n * n, 0.0);
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
        self.factor.copy_from_slice(&self.jacobian);
        for i in 0..n {
            // Only the diagonal of ∂Φ/∂u: enough to lift a singular direction, and it keeps the sign.
            let own = self.by_u[i].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            self.factor[i * n + i] += proximal * own * self.row_scale[i];
        }
        if !lu(&mut self.factor, n, &mut self.pivots) {
            return false;
        }
        for (d, phi) in self.direction.iter_mut().zip(&self.phi) {
            *d = -phi;
        }
        lu_solve(&self.factor, n, &self.pivots, &mut self.direction);
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
                        for (x, y) in self.factor[i * n..i * n + i + 1].iter_mut().zip(row) {
                            *x += row[i] * y;
                        }
                    }
                }
            }
            for i in 0..n {
                self.factor[i * n + i] += nu * self.row_scale[i] * self.row_scale[i];
            }
            effort.factorizations += 1;
            if !cholesky(&mut self.factor, n) {
                continue;
            }
            self.direction.fill(0.0);
            for k in 0..n {
                for (d, j) in self.direction.iter_mut().zip(&self.jacobian[k * n..(k + 1) * n]) {
                    *d -= j * self.phi[k];
                }
            }
            cholesky_solve(&self.factor, n, &mut self.direction);
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

/// The smoothing on its way to zero: reduced boldly while Newton follows, raised and reduced less when it does not.
struct Path {
    /// Smoothing now [m/s].
    epsilon: f64,
    /// Factor of the next reduction.
    factor: f64,
    /// Newton steps at this smoothing.
    steps: usize,
    retreats: usize,
}

impl Path {
    fn new(epsilon: f64) -> Self {
        Path { epsilon, factor: 0.1, steps: 0, retreats: 0 }
    }

    /// The system is solved at this smoothing: less of it.
    fn advance(&mut self, least: f64) {
        self.epsilon = (self.factor * self.epsilon).max(least);
        self.steps = 0;
    }

    /// Newton does not follow: smooth what it has, and come back less boldly. `false` when that was tried often enough.
    fn retreat(&mut self) -> bool {
        self.retreats += 1;
        self.steps = 0;
        self.factor = self.factor.sqrt();
        self.epsilon *= 30.0;
        self.retreats <= MAX_RETREATS
    }
}

/// Rows of ∂Φ/∂r and of ∂Φ/∂u within the block.
type Derivatives<'a> = (&'a mut [[f64; 6]], &'a mut [[f64; 6]]);

/// The equations of one block.
struct Equations<'a> {
    law: &'a Law,
    flow: FlowRule,
    /// Turns impulses into velocities [1/kg].
    w: f64,
    /// Smoothing [m/s].
    epsilon: f64,
}

impl Equations<'_> {
    /// Writes Φ; with `derivatives`, also ∂Φ/∂r and ∂Φ/∂u, a row each.
    fn evaluate(&self, (r, u): (&[f64], &[f64]), phi: &mut [f64], mut derivatives: Option<Derivatives<'_>>) {
        if let Some((by_r, by_u)) = &mut derivatives {
            by_r.fill([0.0; 6]);
            by_u.fill([0.0; 6]);
        }
        match *self.law {
            Law::Equality => {
                phi.copy_from_slice(u);
                if let Some((_, by_u)) = derivatives {
                    for (i, row) in by_u.iter_mut().enumerate() {
                        row[i] = 1.0;
                    }
                }
            }
            Law::NonNegative => self.normal(r[0], u[0], phi, &mut derivatives),
            Law::Interval { lo, hi } => {
                let (value, by_r0, by_u0) = self.interval(lo, hi, r[0], u[0]);
                phi[0] = value;
                if let Some((by_r, by_u)) = derivatives {
                    (by_r[0][0], by_u[0][0]) = (by_r0, by_u0);
                }
            }
            Law::Coulomb { mu: 0.0 } => {
                self.normal(r[0], u[0], phi, &mut derivatives);
                for i in 1..r.len() {
                    phi[i] = self.w * r[i];
                    if let Some((by_r, _)) = &mut derivatives {
                        by_r[i][i] = self.w;
                    }
                }
            }
            Law::Coulomb { mu } => self.contact(mu, (r, u), phi, derivatives),
        }
    }

    fn normal(&self, r: f64, u: f64, phi: &mut [f64], derivatives: &mut Option<Derivatives<'_>>) {
        let (value, dx, dy) = function::scalar(self.w * r, u, self.epsilon);
        phi[0] = value;
        if let Some((by_r, by_u)) = derivatives {
            (by_r[0][0], by_u[0][0]) = (self.w * dx, dy);
        }
    }

    fn interval(&self, lo: f64, hi: f64, r: f64, u: f64) -> (f64, f64, f64) {
        // The upper bound turns u into the residual of "u ≥ 0 unless r = hi"; without one, u itself.
        let (y, y_r, y_u) = if hi.is_finite() {
            let (value, dx, dy) = function::scalar(self.w * (hi - r), -u, self.epsilon);
            (-value, self.w * dx, dy)
        } else {
            (u, 0.0, 1.0)
        };
        if lo.is_finite() {
            let (value, dx, dy) = function::scalar(self.w * (r - lo), y, self.epsilon);
            (value, self.w * dx + dy * y_r, dy * y_u)
        } else {
            (y, y_r, y_u)
        }
    }

    fn contact(&self, mu: f64, (r, u): (&[f64], &[f64]), phi: &mut [f64], derivatives: Option<Derivatives<'_>>) {
        let rows = r.len();
        let (r, u) = (contact_vector(r), contact_vector(u));
        let kappa = mu.max(1.0);
        let x_scale = [kappa * self.w, kappa * self.w / mu, kappa * self.w / mu];
        let y_scale = [1.0 / kappa, mu / kappa, mu / kappa];
        // Smoothed slip speed, zero at rest, and its slope.
        let slip = (u[1] * u[1] + u[2] * u[2] + self.epsilon * self.epsilon).sqrt();
        let (shift, slope) = match self.flow {
            FlowRule::Coulomb if slip > 0.0 => (mu * (slip - self.epsilon), [mu * u[1] / slip, mu * u[2] / slip]),
            _ => (0.0, [0.0; 2]),
        };
        let x = [x_scale[0] * r[0], x_scale[1] * r[1], x_scale[2] * r[2]];
        let y = [y_scale[0] * (u[0] + shift), y_scale[1] * u[1], y_scale[2] * u[2]];
        let at = function::cone(&x, &y, self.epsilon);
        phi.copy_from_slice(&at.value[..rows]);
        if let Some((by_r, by_u)) = derivatives {
            for i in 0..rows {
                for j in 0..rows {
                    by_r[i][j] = at.dx[i][j] * x_scale[j];
                    by_u[i][j] = at.dy[i][j] * y_scale[j];
                }
                for j in 1..rows {
                    by_u[i][j] += at.dy[i][0] * y_scale[0] * slope[j - 1];
                }
            }
        }
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| f64::max(m, x.abs()))
}

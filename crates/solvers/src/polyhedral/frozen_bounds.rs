//! The outer loop both polygon models share: freeze the friction bounds, solve a convex box program, take the new normal
//! impulses as bounds, repeat.
//!
//! With `n` the frozen normal impulses and `r_T = Σ_k σ_k d_k` the inner program is
//!
//! ```text
//! min ½ rᵀW r + qᵀr    r_N ≥ 0,  |σ_k| ≤ ℓ μ n,  joints free, intervals as given
//! ```
//!
//! and a fixed point of `n ↦ r_N` solves the polygon model: Signorini, friction in the polygon of radius μ r_N, maximal
//! dissipation in it (Panagiotopoulos 1975; Haslinger 1983).
//!
//! The map is **not** monotone and not always a contraction: for large μ a fixed point need not exist or be unique (spec
//! D18), so nothing is promised. The loop is accelerated (Anderson), damped when that stalls, capped, and returns the
//! best iterate with its residual. A slightly asymmetric W enters through its symmetric part; the rest is moved to the
//! right-hand side and converges with the loop.

use super::polygon::{FrictionPolygon, MAX_GENERATORS};
use crate::flow_rule::make_all_feasible;
use crate::linalg::anderson::Anderson;
use crate::linalg::box_qp::{BoxQp, BoxQpExit, clamp};
use crate::linalg::dense::{copy_delassus, dot};
use crate::{Effort, History, SolveError, StoppingRule};
use signorini_problem::{ContactProblem, Law};

/// Differences kept by the acceleration.
const ANDERSON_DEPTH: usize = 5;
/// Iterations without a new best after which the loop is damped.
const PATIENCE: usize = 8;
/// Iterations without a new best after which it is given up.
const SURRENDER: usize = 60;
/// Newton steps of one inner program.
const INNER_STEPS: usize = 500;
/// Asymmetry of W above which the problem is not one of contact.
const MAX_ASYMMETRY: f64 = 1e-2;

/// Caps of the outer loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrozenBoundsOptions {
    /// Most outer iterations when the stopping rule leaves it open.
    pub max_iterations: usize,
    /// Most variables of the inner program (memory is twice its square).
    pub max_variables: usize,
}

impl Default for FrozenBoundsOptions {
    fn default() -> Self {
        FrozenBoundsOptions { max_iterations: 300, max_variables: 2500 }
    }
}

/// One variable of the inner program: a multiple of one or two rows.
#[derive(Clone, Copy, Debug)]
struct Variable {
    rows: [usize; 2],
    coefficients: [f64; 2],
}

/// Where a contact's variables are: its normal, then its generators.
#[derive(Clone, Copy, Debug)]
struct Contact {
    block: usize,
    normal: usize,
    generators: usize,
    /// Bound of each σ over the normal impulse, ℓμ [1].
    slope: f64,
}

/// The loop with its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrozenBounds {
    variables: Vec<Variable>,
    contacts: Vec<Contact>,
    w: Vec<f64>,
    a: Vec<f64>,
    b: Vec<f64>,
    lo: Vec<f64>,
    hi: Vec<f64>,
    x: Vec<f64>,
    best: Vec<f64>,
    frozen: Vec<f64>,
    image: Vec<f64>,
    r: Vec<f64>,
    velocity: Vec<f64>,
    model: Vec<f64>,
    scratch: Vec<f64>,
    qp: BoxQp,
    anderson: Anderson,
    residual: f64,
}

impl FrozenBounds {
    /// The model's own answer of the last solve; outside the Coulomb cone where a circumscribed polygon is.
    pub fn model_impulses(&self) -> &[f64] {
        &self.model
    }

    /// Change of the friction bounds in the last step of the best iterate [m/s].
    pub fn loop_residual(&self) -> f64 {
        self.residual
    }

    /// Runs the loop; leaves `impulses` inside the Coulomb cones.
    pub fn iterate(
        &mut self,
        problem: &ContactProblem,
        polygon: &FrictionPolygon,
        method: &'static str,
        options: &FrozenBoundsOptions,
        (impulses, stop, history): (&mut [f64], &StoppingRule, &mut History),
    ) -> Result<Effort, SolveError> {
        make_all_feasible(problem, impulses);
        if problem.asymmetry() > MAX_ASYMMETRY {
            let why = format!("relative asymmetry {:e}", problem.asymmetry());
            return Err(SolveError::NotPositiveSemidefinite { method, why });
        }
        self.lay_out(problem, polygon);
        let n = self.variables.len();
        if n > options.max_variables {
            return Err(SolveError::TooLarge { method, rows: n, limit: options.max_variables });
        }
        self.assemble(problem);
        self.start(problem, polygon, impulses);
        let target = stop.target_speed(problem);
        let cap = stop.max_iterations.unwrap_or(options.max_iterations);
        let mut effort = Effort::default();
        self.residual = f64::INFINITY;
        let (mut since_best, mut damped) = (0, false);
        self.anderson.reset(self.contacts.len(), ANDERSON_DEPTH);
        while effort.iterations < cap {
            effort.iterations += 1;
            self.set_bounds(problem);
            let asymmetric_change = self.set_linear_term(problem);
            let report = self.qp.solve(&self.a, &self.b, (&self.lo, &self.hi), &mut self.x, 0.1 * target, INNER_STEPS);
            effort.factorizations += report.factorizations;
            effort.set_changes += report.set_changes;
            if report.exit == BoxQpExit::NotConvex {
                let why = "a principal block has no Cholesky factor".to_owned();
                return Err(SolveError::NotPositiveSemidefinite { method, why });
            }
            let mut residual = report.residual.max(asymmetric_change);
            for (k, contact) in self.contacts.iter().enumerate() {
                self.image[k] = self.x[contact.normal];
                let change = contact.slope * (self.image[k] - self.frozen[k]).abs();
                residual = residual.max(problem.scales()[contact.block] * change);
            }
            history.record(effort.iterations, residual);
            if residual < self.residual {
                self.residual = residual;
                self.best.copy_from_slice(&self.x);
                since_best = 0;
            } else {
                since_best += 1;
            }
            if residual <= target || since_best > SURRENDER {
                break;
            }
            if since_best > PATIENCE && !damped {
                damped = true;
                self.anderson.reset(self.contacts.len(), 0);
            }
            if damped {
                for (frozen, image) in self.frozen.iter_mut().zip(&self.image) {
                    *frozen = 0.5 * (*frozen + image);
                }
            } else {
                self.anderson.advance(&mut self.frozen, &self.image);
            }
            for frozen in &mut self.frozen {
                *frozen = frozen.max(0.0);
            }
        }
        self.finish(problem, impulses);
        effort.active = self.contacts.iter().filter(|c| self.best[c.normal] > 0.0).count();
        Ok(effort)
    }

    /// Lists the variables of the inner program.
    fn lay_out(&mut self, problem: &ContactProblem, polygon: &FrictionPolygon) {
        self.variables.clear();
        self.contacts.clear();
        for (c, block) in problem.blocks().iter().enumerate() {
            let first = problem.offsets()[c];
            let plain = |row: usize| Variable { rows: [row, row], coefficients: [1.0, 0.0] };
            let Law::Coulomb { mu } = block.law else {
                self.variables.extend(problem.range(c).map(plain));
                continue;
            };
            let normal = self.variables.len();
            self.variables.push(plain(first));
            let (generators, half_side) = match (mu > 0.0, block.rows) {
                (false, _) => (0, 0.0),
                // In the plane the disk is an interval: nothing to approximate.
                (true, 2) => (1, 1.0),
                (true, _) => (polygon.generators(), polygon.half_side()),
            };
            for k in 0..generators {
                let d = if block.rows == 2 { [1.0, 0.0] } else { polygon.generator(k) };
                let t2 = if block.rows == 2 { first + 1 } else { first + 2 };
                self.variables.push(Variable { rows: [first + 1, t2], coefficients: d });
            }
            self.contacts.push(Contact { block: c, normal, generators, slope: half_side * mu });
        }
        let (n, rows) = (self.variables.len(), problem.rows());
        for buffer in [&mut self.b, &mut self.lo, &mut self.hi, &mut self.x, &mut self.best] {
            buffer.resize(n, 0.0);
        }
        for buffer in [&mut self.r, &mut self.velocity, &mut self.model] {
            buffer.resize(rows, 0.0);
        }
        for buffer in [&mut self.frozen, &mut self.image] {
            buffer.resize(self.contacts.len(), 0.0);
        }
    }

    /// A = Gᵀ ½(W + Wᵀ) G with G the columns of the variables.
    fn assemble(&mut self, problem: &ContactProblem) {
        let (n, rows) = (self.variables.len(), problem.rows());
        copy_delassus(problem, &mut self.w);
        for i in 0..rows {
            for j in 0..i {
                let mean = 0.5 * (self.w[i * rows + j] + self.w[j * rows + i]);
                self.w[i * rows + j] = mean;
                self.w[j * rows + i] = mean;
            }
        }
        self.a.resize(n * n, 0.0);
        for (i, x) in self.variables.iter().enumerate() {
            for (j, y) in self.variables[..=i].iter().enumerate() {
                let mut sum = 0.0;
                for (row, c) in x.rows.iter().zip(x.coefficients) {
                    for (column, d) in y.rows.iter().zip(y.coefficients) {
                        sum += c * d * self.w[row * rows + column];
                    }
                }
                self.a[i * n + j] = sum;
                self.a[j * n + i] = sum;
            }
        }
    }

    /// Variables from the guess: σ as the shortest vector with the guessed resultant.
    fn start(&mut self, problem: &ContactProblem, polygon: &FrictionPolygon, impulses: &[f64]) {
        for (x, variable) in self.x.iter_mut().zip(&self.variables) {
            *x = impulses[variable.rows[0]];
        }
        for (k, contact) in self.contacts.iter().enumerate() {
            let r = &impulses[problem.range(contact.block)];
            self.frozen[k] = r[0];
            if r.len() == 3 {
                // Σ d dᵀ = (m/2) I for m equally spread directions.
                let share = 2.0 / contact.generators.max(1) as f64;
                for g in 0..contact.generators {
                    self.x[contact.normal + 1 + g] = share * dot(&polygon.generator(g), &r[1..]);
                }
            }
        }
        // The best so far, should the cap be zero: the guess.
        self.best.copy_from_slice(&self.x);
    }

    fn set_bounds(&mut self, problem: &ContactProblem) {
        self.lo.fill(f64::NEG_INFINITY);
        self.hi.fill(f64::INFINITY);
        let mut first = 0;
        let mut contact = 0;
        for block in problem.blocks() {
            match block.law {
                Law::Equality => first += block.rows,
                Law::NonNegative => {
                    self.lo[first] = 0.0;
                    first += 1;
                }
                Law::Interval { lo, hi } => {
                    (self.lo[first], self.hi[first]) = (lo, hi);
                    first += 1;
                }
                Law::Coulomb { .. } => {
                    let Contact { generators, slope, .. } = self.contacts[contact];
                    self.lo[first] = 0.0;
                    let bound = slope * self.frozen[contact];
                    self.lo[first + 1..=first + generators].fill(-bound);
                    self.hi[first + 1..=first + generators].fill(bound);
                    first += 1 + generators;
                    contact += 1;
                }
            }
        }
    }

    /// b = Gᵀ(q + (W − S) r) with S the symmetric part used; returns the change of the asymmetric term [m/s].
    fn set_linear_term(&mut self, problem: &ContactProblem) -> f64 {
        let rows = problem.rows();
        let mut change: f64 = 0.0;
        self.velocity.copy_from_slice(problem.q());
        if problem.asymmetry() > 0.0 {
            self.to_impulses(false);
            self.velocity.fill(0.0);
            problem.delassus().apply(problem.offsets(), &self.r, &mut self.velocity, &mut self.scratch);
            for i in 0..rows {
                self.velocity[i] += problem.q()[i] - dot(&self.w[i * rows..(i + 1) * rows], &self.r);
            }
        }
        for (b, variable) in self.b.iter_mut().zip(&self.variables) {
            let value: f64 =
                variable.rows.iter().zip(variable.coefficients).map(|(row, c)| c * self.velocity[*row]).sum();
            if problem.asymmetry() > 0.0 {
                change = change.max((value - *b).abs());
            }
            *b = value;
        }
        change
    }

    /// r = G x, from the best or the current point.
    fn to_impulses(&mut self, from_best: bool) {
        let x = if from_best { &self.best } else { &self.x };
        self.r.fill(0.0);
        for (x, variable) in x.iter().zip(&self.variables) {
            for (row, c) in variable.rows.iter().zip(variable.coefficients) {
                self.r[*row] += c * x;
            }
        }
    }

    /// The best point, its friction clamped to the bounds of its *own* normal impulses, then to the cone.
    fn finish(&mut self, problem: &ContactProblem, impulses: &mut [f64]) {
        for contact in &self.contacts {
            let bound = contact.slope * self.best[contact.normal].max(0.0);
            debug_assert!(contact.generators <= MAX_GENERATORS);
            for sigma in &mut self.best[contact.normal + 1..=contact.normal + contact.generators] {
                *sigma = clamp(*sigma, -bound, bound);
            }
        }
        self.to_impulses(true);
        self.model.copy_from_slice(&self.r);
        for contact in &self.contacts {
            let Law::Coulomb { mu } = problem.blocks()[contact.block].law else { continue };
            let r = &mut self.r[problem.range(contact.block)];
            // Keep the normal impulse: the nearest point of the cone would add to it.
            let limit = mu * r[0];
            let friction = r[1..].iter().map(|t| t * t).sum::<f64>().sqrt();
            if friction > limit {
                for t in &mut r[1..] {
                    *t *= limit / friction;
                }
            }
        }
        impulses.copy_from_slice(&self.r);
        make_all_feasible(problem, impulses);
    }
}

//! The outer loop of both polygon models: freeze the friction bounds, solve a convex box program, take the new normal
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

use super::model_residual_at;
use super::polygon::FrictionPolygon;
use crate::baselines::box_qp::{BoxQp, BoxQpExit, clamp};
use crate::baselines::flow_rule::{active_blocks, make_all_feasible};
use crate::linalg::anderson::Anderson;
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
    /// Bound of each σ over the normal impulse, ℓμ.
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

    /// Natural map of the polygon model at [`FrozenBounds::model_impulses`] [m/s].
    pub fn model_residual(&self) -> f64 {
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
            self.set_linear_term(problem);
            let report = self.qp.solve(&self.a, &self.b, (&self.lo, &self.hi), &mut self.x, 0.1 * target, INNER_STEPS);
            effort.factorizations += report.factorizations;
            effort.set_changes += report.set_changes;
            if report.exit == BoxQpExit::NotConvex {
                let why = "a principal block has no Cholesky factor".to_owned();
                return Err(SolveError::NotPositiveSemidefinite { method, why });
            }
            for (image, contact) in self.image.iter_mut().zip(&self.contacts) {
                *image = self.x[contact.normal];
            }
            self.take_impulses();
            self.velocity_of_impulses(problem);
            let residual = model_residual_at(problem, polygon, &self.r, &self.velocity);
            history.record(effort.iterations, residual);
            since_best = if residual < 0.9 * self.residual { 0 } else { since_best + 1 };
            if residual < self.residual {
                self.residual = residual;
                self.model.copy_from_slice(&self.r);
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
        effort.active = active_blocks(problem, impulses);
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
        for buffer in [&mut self.b, &mut self.lo, &mut self.hi, &mut self.x] {
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
        self.model.copy_from_slice(impulses);
    }

    fn set_bounds(&mut self, problem: &ContactProblem) {
        self.lo.fill(f64::NEG_INFINITY);
        self.hi.fill(f64::INFINITY);
        let mut first = 0;
        let mut contact = 0;
        for block in problem.blocks() {
            match block.law {
                // Rolling was refused before.
                Law::Equality | Law::Rolling { .. } => first += block.rows,
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

    /// b = Gᵀ(q + (W − S) r) with S the symmetric part used.
    fn set_linear_term(&mut self, problem: &ContactProblem) {
        let rows = problem.rows();
        if problem.asymmetry() > 0.0 {
            self.take_impulses();
            self.velocity_of_impulses(problem);
            for i in 0..rows {
                self.velocity[i] -= dot(&self.w[i * rows..(i + 1) * rows], &self.r);
            }
        } else {
            self.velocity.copy_from_slice(problem.q());
        }
        for (b, variable) in self.b.iter_mut().zip(&self.variables) {
            *b = variable.rows.iter().zip(variable.coefficients).map(|(row, c)| c * self.velocity[*row]).sum();
        }
    }

    /// r = G x with friction clamped to the bounds of its *own* normal impulse: always inside the model's polygon.
    fn take_impulses(&mut self) {
        self.r.fill(0.0);
        for (x, variable) in self.x.iter().zip(&self.variables) {
            self.r[variable.rows[0]] += variable.coefficients[0] * x;
            self.r[variable.rows[1]] += variable.coefficients[1] * x;
        }
        for contact in &self.contacts {
            let bound = contact.slope * self.x[contact.normal].max(0.0);
            for k in contact.normal + 1..=contact.normal + contact.generators {
                let excess = self.x[k] - clamp(self.x[k], -bound, bound);
                let variable = &self.variables[k];
                self.r[variable.rows[0]] -= variable.coefficients[0] * excess;
                self.r[variable.rows[1]] -= variable.coefficients[1] * excess;
            }
        }
    }

    /// u = W r + q.
    fn velocity_of_impulses(&mut self, problem: &ContactProblem) {
        problem.delassus().apply(problem.offsets(), &self.r, &mut self.velocity, &mut self.scratch);
        for (u, q) in self.velocity.iter_mut().zip(problem.q()) {
            *u += q;
        }
    }

    /// Hands back the best model answer, pulled radially into the Coulomb cone.
    fn finish(&self, problem: &ContactProblem, impulses: &mut [f64]) {
        impulses.copy_from_slice(&self.model);
        for contact in &self.contacts {
            let Law::Coulomb { mu } = problem.blocks()[contact.block].law else { continue };
            let r = &mut impulses[problem.range(contact.block)];
            // Keep the normal impulse: the nearest point of the cone would add to it.
            let limit = mu * r[0];
            let friction = r[1..].iter().map(|t| t * t).sum::<f64>().sqrt();
            if friction > limit {
                for t in &mut r[1..] {
                    *t *= limit / friction;
                }
            }
        }
        make_all_feasible(problem, impulses);
    }
}

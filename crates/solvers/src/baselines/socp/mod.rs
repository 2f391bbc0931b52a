//! The convex cone program, and Coulomb's law by de Saxcé's loop around it. Needs the feature `socp`.
//!
//! [`FlowRule::Associated`] (`socp`):
//!
//! ```text
//! min ½ rᵀW r + qᵀr,  r ∈ K      ⇔      K ∋ r ⊥ u ∈ K*
//! ```
//!
//! The cone is exact and the flow rule is not Coulomb's: a sliding contact lifts off at `u_N = μ‖u_T‖` (spec D17; an
//! impact that grazes at μ = 0.3 gets 2760 times the right normal impulse). [`FlowRule::Coulomb`] (`de-saxce`) repairs it
//! with a shift of the normal velocity that is frozen, solved, and updated until fixed:
//!
//! ```text
//! K ∋ r ⊥ u + s n ∈ K*,     s ← μ‖u_T‖
//! ```
//!
//! Sticking contacts have s = 0 and need one solve. Where many contacts slide the plain loop converges linearly (a factor
//! of about 0.7), so it is accelerated (Anderson); it may cycle, so it is damped, capped, and the best iterate returned.
//!
//! Source: de Saxcé and Feng 1998; Cadoux 2009; Acary, Cadoux, Lemaréchal, Malick 2011. Inner solver: Clarabel (Goulart and
//! Chen 2024). Departures: velocity form in mass-free coordinates (`program.rs`). Clarabel's answer at its tolerance is
//! off by about the square root of it where contacts are degenerate, so small problems are polished by Newton steps on
//! the same law (Fischer–Burmeister).
//!
//! Cost: 10 to 25 sparse factorizations per program, no warm start; `de-saxce` times its outer iterations. Allocates.
//! Use `socp` to compare with convex engines, `de-saxce` as an independent reference for Coulomb's law.

mod program;

use crate::baselines::fischer_burmeister::Newton;
use crate::baselines::flow_rule::{FlowRule, active_blocks, contact_vector, make_all_feasible};
use crate::linalg::anderson::Anderson;
use crate::solver::refuse_rolling;
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use program::Program;
use signorini_problem::{ContactProblem, Law};

/// Asymmetry of W above which the problem is not one of contact.
const MAX_ASYMMETRY: f64 = 1e-2;
/// Differences kept by the acceleration.
const ANDERSON_DEPTH: usize = 5;
/// Iterations without a new best after which the loop is damped, and after which it ends.
const PATIENCE: (usize, usize) = (6, 24);
/// Newton steps of the polish.
const POLISH_STEPS: usize = 60;
/// Residual over the speed of the problem at which a polish replaces further programs: near Clarabel's own accuracy.
const POLISH_FROM: f64 = 1e-6;

/// What may be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SocpOptions {
    /// The law: the convex relaxation, or Coulomb's by the outer loop.
    pub flow: FlowRule,
    /// Clarabel's tolerance, relative to the units of the program.
    pub tolerance: f64,
    /// Most interior-point steps of one program.
    pub max_interior_steps: u32,
    /// Most programs solved when the stopping rule leaves it open.
    pub max_iterations: usize,
    /// Most rows that are polished (dense Newton steps).
    pub max_polished_rows: usize,
}

impl Default for SocpOptions {
    fn default() -> Self {
        SocpOptions {
            flow: FlowRule::Associated,
            tolerance: 1e-11,
            max_interior_steps: 100,
            max_iterations: 100,
            max_polished_rows: 600,
        }
    }
}

/// The cone-program method.
#[derive(Clone, Debug, Default)]
pub struct Socp {
    /// The choices.
    pub options: SocpOptions,
    shifts: Vec<f64>,
    image: Vec<f64>,
    trial: Vec<f64>,
    velocity: Vec<f64>,
    scratch: Vec<f64>,
    anderson: Anderson,
    newton: Newton,
}

impl Socp {
    /// The method with these options.
    pub fn new(options: SocpOptions) -> Self {
        Socp { options, ..Socp::default() }
    }

    /// The method for Coulomb's law.
    pub fn de_saxce() -> Self {
        Socp::new(SocpOptions { flow: FlowRule::Coulomb, ..SocpOptions::default() })
    }

    fn velocity_of(&mut self, problem: &ContactProblem) {
        self.velocity.resize(problem.rows(), 0.0);
        problem.delassus().apply(problem.offsets(), &self.trial, &mut self.velocity, &mut self.scratch);
        for (u, q) in self.velocity.iter_mut().zip(problem.q()) {
            *u += q;
        }
    }

    /// The shift that the flow rule asks of every frictional contact [m/s].
    fn shifts_of(flow: FlowRule, problem: &ContactProblem, u: &[f64], out: &mut Vec<f64>) {
        out.clear();
        for (c, block) in problem.blocks().iter().enumerate() {
            if let Law::Coulomb { mu } = block.law
                && mu > 0.0
            {
                out.push(flow.shift(mu, &contact_vector(&u[problem.range(c)])));
            }
        }
    }

    /// Solves programs until the shift is fixed; returns the best residual under the flow rule.
    fn outer_loop(
        &mut self,
        problem: &ContactProblem,
        program: &mut Program,
        impulses: &mut [f64],
        (target, cap): (f64, usize),
        (effort, history): (&mut Effort, &mut History),
    ) -> f64 {
        self.trial.clear();
        self.trial.extend_from_slice(impulses);
        self.velocity_of(problem);
        let mut best = self.options.flow.residual_at(problem, &self.trial, &self.velocity);
        if self.trial.iter().any(|x| *x != 0.0) {
            Self::shifts_of(self.options.flow, problem, &self.velocity, &mut self.shifts);
        } else {
            // No guess: the convex answer first.
            self.shifts.clear();
            self.shifts.resize(program.shifts(), 0.0);
        }
        self.anderson.reset(program.shifts(), ANDERSON_DEPTH);
        let (mut since_best, mut damped) = (0, false);
        let polishes = problem.rows() <= self.options.max_polished_rows;
        let enough = if polishes { target.max(POLISH_FROM * problem.speed()) } else { target };
        while effort.iterations < cap && best > enough {
            effort.iterations += 1;
            effort.factorizations += program.solve(&self.shifts, &mut self.trial);
            if !program.answered() {
                break;
            }
            make_all_feasible(problem, &mut self.trial);
            self.velocity_of(problem);
            let residual = self.options.flow.residual_at(problem, &self.trial, &self.velocity);
            history.record(effort.iterations, residual);
            if residual < best {
                since_best = if residual < 0.9 * best { 0 } else { since_best + 1 };
                best = residual;
                impulses.copy_from_slice(&self.trial);
            } else {
                since_best += 1;
            }
            if self.options.flow == FlowRule::Associated || since_best > PATIENCE.1 {
                break;
            }
            Self::shifts_of(self.options.flow, problem, &self.velocity, &mut self.image);
            if since_best > PATIENCE.0 && !damped {
                damped = true;
                self.anderson.reset(program.shifts(), 0);
            }
            if damped {
                for (s, image) in self.shifts.iter_mut().zip(&self.image) {
                    *s = 0.5 * (*s + image);
                }
            } else {
                self.anderson.advance(&mut self.shifts, &self.image);
            }
            for s in &mut self.shifts {
                *s = s.max(0.0);
            }
        }
        best
    }
}

impl ContactSolver for Socp {
    fn name(&self) -> &'static str {
        match self.options.flow {
            FlowRule::Associated => "socp",
            FlowRule::Coulomb => "de-saxce",
        }
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        refuse_rolling(problem, self.name())?;
        make_all_feasible(problem, impulses);
        if problem.asymmetry() > MAX_ASYMMETRY {
            let why = format!("relative asymmetry {:e}", problem.asymmetry());
            return Err(SolveError::NotPositiveSemidefinite { method: self.name(), why });
        }
        let target = stop.target_speed(problem);
        let mut effort = Effort::default();
        let mut best = f64::INFINITY;
        let cap = stop.max_iterations.unwrap_or(self.options.max_iterations);
        if let Some(mut program) = Program::new(problem, self.options.tolerance, self.options.max_interior_steps) {
            best = self.outer_loop(problem, &mut program, impulses, (target, cap), (&mut effort, history));
        }
        if best > target && cap > effort.iterations && problem.rows() <= self.options.max_polished_rows {
            let polish =
                self.newton.run(problem, self.options.flow, impulses, target, POLISH_STEPS, &mut History::off());
            effort.iterations += polish.iterations;
            effort.factorizations += polish.factorizations;
        }
        effort.active = active_blocks(problem, impulses);
        Ok(effort)
    }
}

/// Largest natural map of the *convex* model [m/s], from the problem and an impulse alone.
pub fn model_residual(problem: &ContactProblem, r: &[f64]) -> f64 {
    FlowRule::Associated.residual(problem, r)
}

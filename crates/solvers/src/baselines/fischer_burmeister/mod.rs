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
//! a reduction of ε, the limit is tried, then the point is smoothed again and approached with smaller reductions, a few
//! times. Small problems whose path still folds start once more from the answer of the friction pyramid. Then the best
//! feasible iterate is returned: Coulomb's law is not monotone, no convergence is proven, and the certificate tells.
//!
//! Cost: one dense LU of all rows per Newton step, 15 to 60 steps. The limit on rows is an option.
//! Use it for: small problems of any law, also with a W that is not symmetric; a reference independent of cone projections.

mod equations;
mod function;
mod newton;

pub(crate) use newton::Newton;

use crate::baselines::flow_rule::{FlowRule, active_blocks, make_all_feasible};
use crate::baselines::polyhedral::Polyhedral;
use crate::solver::refuse_rolling;
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use signorini_problem::ContactProblem;

const NAME: &str = "fischer-burmeister";
/// How well the pyramid model is solved where it serves as a start.
const PYRAMID_TOLERANCE: f64 = 1e-7;
/// What may be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FischerBurmeisterOptions {
    /// Most Newton steps when the stopping rule leaves it open.
    pub max_iterations: usize,
    /// Most rows: memory is three times its square, time its cube.
    pub max_rows: usize,
    /// The law of contacts; [`FlowRule::Associated`] solves the convex relaxation instead.
    pub flow: FlowRule,
    /// Most rows for which a path that folds is started again from the answer of the octagonal friction pyramid; zero: never.
    pub max_restarted_rows: usize,
}

impl Default for FischerBurmeisterOptions {
    fn default() -> Self {
        FischerBurmeisterOptions {
            max_iterations: 300,
            max_rows: 1500,
            flow: FlowRule::Coulomb,
            max_restarted_rows: 150,
        }
    }
}

/// The smoothed Newton method.
#[derive(Clone, Debug, Default)]
pub struct FischerBurmeister {
    /// The choices.
    pub options: FischerBurmeisterOptions,
    newton: Newton,
    pyramid: Polyhedral,
    restart: Vec<f64>,
}

impl FischerBurmeister {
    /// The method with these options.
    pub fn new(options: FischerBurmeisterOptions) -> Self {
        FischerBurmeister { options, ..FischerBurmeister::default() }
    }

    /// `(ε, ½‖Φ_ε‖²)` after each Newton step of the last solve: at equal ε the second number falls [m/s, m²/s²].
    pub fn merits(&self) -> &[(f64, f64)] {
        self.newton.merits()
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
        refuse_rolling(problem, self.name())?;
        if problem.rows() > self.options.max_rows {
            make_all_feasible(problem, impulses);
            return Err(SolveError::TooLarge { method: NAME, rows: problem.rows(), limit: self.options.max_rows });
        }
        let cap = stop.max_iterations.unwrap_or(self.options.max_iterations);
        let target = stop.target_speed(problem);
        let flow = self.options.flow;
        let restarts = flow == FlowRule::Coulomb && problem.rows() <= self.options.max_restarted_rows;
        let budget = if restarts { cap.div_ceil(2) } else { cap };
        let first = self.newton.run(problem, flow, impulses, target, budget, history);
        let folded = self.newton.residual();
        if !restarts || self.newton.converged() || first.iterations >= cap {
            return Ok(first);
        }
        self.restart.clear();
        self.restart.resize(problem.rows(), 0.0);
        let left = cap - first.iterations;
        let rough = StoppingRule { max_iterations: Some(left), ..StoppingRule::velocity(PYRAMID_TOLERANCE) };
        let Ok(start) = self.pyramid.iterate(problem, &mut self.restart, &rough, &mut History::off()) else {
            // A matrix the pyramid does not treat: the first answer stands.
            return Ok(first);
        };
        let left = left.saturating_sub(start.iterations);
        let second = self.newton.run(problem, flow, &mut self.restart, target, left, history);
        if self.newton.residual() < folded {
            impulses.copy_from_slice(&self.restart);
        }
        Ok(Effort {
            iterations: first.iterations + start.iterations + second.iterations,
            factorizations: first.factorizations + start.factorizations + second.factorizations,
            set_changes: start.set_changes,
            active: active_blocks(problem, impulses),
            ..Effort::default()
        })
    }
}

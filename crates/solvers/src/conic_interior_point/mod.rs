//! Interior point on de Saxcé's form of Coulomb's law, with Nesterov–Todd scaling: the main method for moving bodies in
//! contact.
//!
//! De Saxcé and Feng 1998 write Signorini's and Coulomb's conditions as one complementarity over the friction cone,
//!
//! ```text
//! K ∋ r  ⊥  z ∈ K*,      z = u + μ‖u_T‖ n,      u = W r + q
//! ```
//!
//! With `T = diag(μ, 1, 1)`, `R = T r` and `Z = T⁻¹ z` both lie in the second-order cone. The path `R ∘ Z = t e`, t →
//! 0, is followed by predictor and corrector steps in the scaling of Nesterov and Todd 1997 (`cone_algebra.rs`). One
//! step solves
//!
//! ```text
//! (I + K J W) dr = K (T W_NT ρ + p),      dz = J W dr − p + ε w dr
//! K = (T W_NT² T + ε w I)⁻¹,    J = I + θ μ n (u_T/‖u_T‖)ᵀ,    p = z − u − μ‖u_T‖ n
//! ```
//!
//! which is the system of `NewtonSystem`. (Interior points of this scaling for the convex problem, the shift fixed:
//! Acary, Armand, Nguyen and Shpakovych.) Here the shift μ‖u_T‖ follows the iterate, and the share θ of its derivative
//! is part of the step:
//!
//! * θ = 1 is Newton's method on Coulomb's law. It jams at folds of the path; then
//! * θ = 0.85, and then θ = 0, the convex law with a lagging shift, are used for some steps each.
//! * ε is a proximal compliance about the current impulse: it vanishes at the end, bounds K where contacts are
//!   redundant, and grows where steps are short. (Proximal interior points: Friedlander and Orban 2012.)
//! * The target σ t is at least a share of the lag `|r·p|` of the shift. If t falls faster than the shift follows, the
//!   path jams.
//! * Near the end semismooth Newton steps (`polish.rs`) find the last digits.
//!
//! Laws: joints are proximal rows, rows with bounds have one product per bound, μ = 0 is a bounded row. Cost: one
//! factorization and two or three solves per step; 10 to 20 steps while things move. When to use: many moving bodies,
//! with the guess of the last step. For structures at rest `InteriorPoint` needs fewer steps.

mod block;
mod cone_algebra;
mod options;
mod path;
mod polish;
mod start;

use crate::newton_system::NewtonSystem;
use crate::solver::refuse_rolling;
use crate::warm_start::{active_blocks, make_feasible};
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
pub use options::{ConicOptions, ConicStart};
pub(crate) use path::ConicPath;
use signorini_problem::ContactProblem;

/// The path as a method of its own: one attempt from the guess, or from zero if there is none.
#[derive(Clone, Debug, Default)]
pub struct ConicInteriorPoint {
    /// How the path is followed.
    pub options: ConicOptions,
    system: NewtonSystem,
    path: ConicPath,
}

impl ContactSolver for ConicInteriorPoint {
    fn name(&self) -> &'static str {
        "conic-interior-point"
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        refuse_rolling(problem, self.name())?;
        make_feasible(problem, impulses);
        self.system.prepare(problem);
        let end = self.path.follow(&mut self.system, problem, impulses, &self.options, stop, history);
        Ok(Effort {
            iterations: end.iterations,
            factorizations: self.system.factorizations(),
            active: active_blocks(problem, impulses),
            ..Effort::default()
        })
    }
}

//! Friction pyramids: the disk of radius μ r_N replaced by a regular polygon of 4, 8 or 16 sides.
//!
//! ```text
//! 0 ≤ u_N ⊥ r_N ≥ 0,     r_T ∈ μ r_N P,     −u_T ∈ N_{μ r_N P}(r_T)      (maximal dissipation in the polygon)
//! ```
//!
//! Source: the model is that of Stewart and Trinkle 1996 and Anitescu and Potra 1997. Departure: they pose one linear
//! complementarity problem with a multiplier and N generators β ≥ 0 per contact; here the polygon is written as a sum of
//! N/2 segments (`polygon.rs`), which turns the model with frozen bounds into a box program (`frozen_bounds.rs`), and
//! the bounds follow r_N in an outer loop. The solutions are the same.
//!
//! Error of the model, relative to the friction bound, in the worst direction: inscribed 29.3 %, 7.6 %, 1.9 % too little for 4, 8, 16 sides;
//! circumscribed 41.4 %, 8.2 %, 2.0 % too much. Friction is also not opposite to slip except in N directions.
//!
//! Cost: per outer iteration one or a few Cholesky factorizations of (1 + N/2) unknowns per contact, dense.
//! Use it to: compare with engines that use pyramids, and to see what the polygon costs. Planar contacts are exact.
//!
//! A circumscribed answer leaves the Coulomb cone; the impulses handed back are pulled in radially, the model's own are
//! [`Polyhedral::model_impulses`].

pub(crate) mod frozen_bounds;
mod polygon;

pub use frozen_bounds::FrozenBoundsOptions;
pub use polygon::{Fit, FrictionPolygon, Orientation, Sides};

use crate::baselines::flow_rule::{FlowRule, contact_vector};
use crate::solver::refuse_rolling;
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use frozen_bounds::FrozenBounds;
use signorini_problem::{ContactProblem, Law};

/// The friction-pyramid method.
#[derive(Clone, Debug, Default)]
pub struct Polyhedral {
    /// The polygon.
    pub polygon: FrictionPolygon,
    /// Caps of the outer loop.
    pub options: FrozenBoundsOptions,
    outer: FrozenBounds,
}

impl Polyhedral {
    /// A pyramid of `sides` sides, a corner on the first tangent.
    pub fn new(sides: Sides, fit: Fit) -> Self {
        let polygon = FrictionPolygon { sides, fit, orientation: Orientation::CornerOnAxis };
        Polyhedral { polygon, ..Polyhedral::default() }
    }

    /// The model's own impulses of the last solve [N·s]: inside the polygon, which a circumscribed one has outside the
    /// Coulomb cone.
    pub fn model_impulses(&self) -> &[f64] {
        self.outer.model_impulses()
    }

    /// Natural map of the polygon model at [`Polyhedral::model_impulses`] [m/s].
    pub fn model_residual(&self) -> f64 {
        self.outer.model_residual()
    }
}

impl ContactSolver for Polyhedral {
    fn name(&self) -> &'static str {
        method_name(self.polygon.sides, self.polygon.fit)
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        refuse_rolling(problem, self.name())?;
        let name = self.name();
        self.outer.iterate(problem, &self.polygon, name, &self.options, (impulses, stop, history))
    }
}

/// The name of the pyramid method: `polyhedral-8`, and `polyhedral-8-outer` for the circumscribed polygon.
pub fn method_name(sides: Sides, fit: Fit) -> &'static str {
    match (sides, fit) {
        (Sides::Four, Fit::Inscribed) => "polyhedral-4",
        (Sides::Eight, Fit::Inscribed) => "polyhedral-8",
        (Sides::Sixteen, Fit::Inscribed) => "polyhedral-16",
        (Sides::Four, Fit::Circumscribed) => "polyhedral-4-outer",
        (Sides::Eight, Fit::Circumscribed) => "polyhedral-8-outer",
        (Sides::Sixteen, Fit::Circumscribed) => "polyhedral-16-outer",
    }
}

/// Largest natural map of the *polygon* model [m/s], from the problem and an impulse alone: zero iff `r` solves it.
///
/// Contacts: `‖(min(w r_N, u_N), w r_T − P_{w μ r_N P}(w r_T − u_T))‖`; the other laws as in the certificate.
pub fn model_residual(problem: &ContactProblem, polygon: &FrictionPolygon, r: &[f64]) -> f64 {
    model_residual_at(problem, polygon, r, &problem.velocity(r))
}

fn model_residual_at(problem: &ContactProblem, polygon: &FrictionPolygon, r: &[f64], u: &[f64]) -> f64 {
    let mut worst: f64 = 0.0;
    for (c, block) in problem.blocks().iter().enumerate() {
        let (r, u, w) = (&r[problem.range(c)], &u[problem.range(c)], problem.scales()[c]);
        let value = match block.law {
            Law::Coulomb { mu } => contact_residual(polygon, mu, w, r, u),
            // Without friction rows the flow rule does not matter.
            ref law => FlowRule::Associated.block_residual(w, law, r, u),
        };
        worst = worst.max(if value.is_finite() { value } else { f64::INFINITY });
    }
    worst
}

fn contact_residual(polygon: &FrictionPolygon, mu: f64, w: f64, r: &[f64], u: &[f64]) -> f64 {
    let radius = w * mu * r[0].max(0.0);
    let planar = r.len() == 2;
    let (r, u) = (contact_vector(r), contact_vector(u));
    let z = [w * r[1] - u[1], w * r[2] - u[2]];
    let p = if planar { [z[0].max(-radius).min(radius), 0.0] } else { polygon.project(radius, z) };
    let f = [f64::min(w * r[0], u[0]), w * r[1] - p[0], w * r[2] - p[1]];
    (f[0] * f[0] + f[1] * f[1] + f[2] * f[2]).sqrt()
}

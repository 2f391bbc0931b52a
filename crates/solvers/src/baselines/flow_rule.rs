//! Two flow rules, that of Coulomb's law and that of the convex relaxation, and the residual of an impulse under
//! each.
//!
//! With the shift `s` of the normal velocity, both read `K ∋ r ⊥ u + s n ∈ K*`:
//!
//! * [`FlowRule::Coulomb`]: `s = μ‖u_T‖` (de Saxcé 1992). Slip is tangential. The law of the problem.
//! * [`FlowRule::Associated`]: `s = 0`. The optimality condition of the convex program `min ½ rᵀW r + qᵀr, r ∈ K`; a
//!   sliding contact then lifts off at `u_N = μ‖u_T‖`. A different law (Anitescu 2006; MuJoCo, Chrono, Drake SAP).

use crate::baselines::box_qp::clamp;
use crate::cone::{Vec3, project, tangential_norm};
use signorini_problem::{ContactProblem, Law};

/// Which velocity is normal to the friction cone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlowRule {
    /// Coulomb's law: slip has no normal part.
    #[default]
    Coulomb,
    /// The convex relaxation: slip is normal to the cone and lifts.
    Associated,
}

impl FlowRule {
    /// The shift of the normal velocity [m/s].
    #[inline]
    pub fn shift(self, mu: f64, u: &Vec3) -> f64 {
        match self {
            FlowRule::Coulomb => mu * tangential_norm(u),
            FlowRule::Associated => 0.0,
        }
    }

    /// Largest natural map of any block under this flow rule [m/s], from the problem and the impulse alone.
    ///
    /// For [`FlowRule::Coulomb`] this is what the certificate measures, computed independently of it; for
    /// [`FlowRule::Associated`] it is the residual of the convex model.
    pub fn residual(self, problem: &ContactProblem, r: &[f64]) -> f64 {
        self.residual_at(problem, r, &problem.velocity(r))
    }

    /// As [`FlowRule::residual`] where `u = W r + q` is known.
    pub(crate) fn residual_at(self, problem: &ContactProblem, r: &[f64], u: &[f64]) -> f64 {
        let mut worst: f64 = 0.0;
        for (c, block) in problem.blocks().iter().enumerate() {
            let range = problem.range(c);
            let value = self.block_residual(problem.scales()[c], &block.law, &r[range.clone()], &u[range]);
            if !value.is_finite() {
                return f64::INFINITY;
            }
            worst = worst.max(value);
        }
        worst
    }

    pub(crate) fn block_residual(self, w: f64, law: &Law, r: &[f64], u: &[f64]) -> f64 {
        match *law {
            Law::Equality => u.iter().map(|u| u * u).sum::<f64>().sqrt(),
            Law::NonNegative => f64::min(w * r[0], u[0]).abs(),
            Law::Interval { lo, hi } => interval_residual(w, lo, hi, r[0], u[0]),
            // Methods that use this refuse moments before.
            Law::Coulomb { mu } | Law::Rolling { mu, .. } => {
                let (r, u) = (contact_vector(r), contact_vector(u));
                let z = [w * r[0] - u[0] - self.shift(mu, &u), w * r[1] - u[1], w * r[2] - u[2]];
                let (p, _) = project(mu, &z);
                let f = [w * r[0] - p[0], w * r[1] - p[1], w * r[2] - p[2]];
                (f[0] * f[0] + f[1] * f[1] + f[2] * f[2]).sqrt()
            }
        }
    }
}

/// The natural map of an interval [m/s].
pub(crate) fn interval_residual(w: f64, lo: f64, hi: f64, r: f64, u: f64) -> f64 {
    let scaled = |bound: f64| if bound.is_infinite() { bound } else { w * bound };
    (w * r - clamp(w * r - u, scaled(lo), scaled(hi))).abs()
}

/// A contact block as `[n, t1, t2]`; planar contacts get a zero `t2`.
#[inline]
pub(crate) fn contact_vector(x: &[f64]) -> Vec3 {
    [x[0], x[1], if x.len() > 2 { x[2] } else { 0.0 }]
}

/// Puts every block inside its set: cones exactly, intervals by clamping.
pub(crate) fn make_all_feasible(problem: &ContactProblem, r: &mut [f64]) {
    for (c, block) in problem.blocks().iter().enumerate() {
        let r = &mut r[problem.range(c)];
        for x in r.iter_mut().filter(|x| !x.is_finite()) {
            *x = 0.0;
        }
        match block.law {
            Law::Equality => {}
            Law::NonNegative => r[0] = r[0].max(0.0),
            Law::Interval { lo, hi } => r[0] = clamp(r[0], lo, hi),
            Law::Rolling { mu, .. } => {
                let feasible = crate::cone::make_feasible(mu, &contact_vector(r));
                r.fill(0.0);
                r[..3].copy_from_slice(&feasible);
            }
            Law::Coulomb { mu } => {
                let feasible = crate::cone::make_feasible(mu, &contact_vector(r));
                let rows = r.len();
                r.copy_from_slice(&feasible[..rows]);
            }
        }
    }
}

/// Blocks that carry an impulse.
pub(crate) fn active_blocks(problem: &ContactProblem, r: &[f64]) -> usize {
    (0..problem.blocks().len()).filter(|c| r[problem.range(*c)].iter().any(|x| *x != 0.0)).count()
}

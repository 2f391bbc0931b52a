//! The solvers' own measure of how far they are: natural maps per block, written on `cone.rs`.
//!
//! Only for steering (accept a step, keep the best iterate, believe to be done). The verdict is the judge's.

use crate::StoppingRule;
use crate::cone::natural_map;
use signorini_problem::{ContactProblem, Law, Measure};

/// Residuals of one iterate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Merit {
    /// Largest natural map [m/s].
    pub natural: f64,
    /// 2-norm of the natural map [m/s].
    pub norm: f64,
    /// 2-norm of the natural map with ρ = 1 over max(‖q‖, ‖r‖, ‖u‖) [mixed units].
    pub unscaled: f64,
    /// Largest |min(w r_N, u_N)| of any contact [m/s], and its 2-norm: with much friction the natural map shows little of
    /// Signorini's condition, and the judge asks for it by itself.
    pub normal: f64,
    normal_norm: f64,
}

/// The judge's bound on [`Merit::normal`] over that on [`Merit::natural`].
const NORMAL_FACTOR: f64 = 2.0;

impl Merit {
    /// From impulses and their velocities `u = W r + q`. Not-a-number anywhere is an infinite residual.
    pub fn of(problem: &ContactProblem, r: &[f64], u: &[f64]) -> Merit {
        let mut merit = Merit::default();
        let (mut unscaled, mut sums) = (0.0, [0.0; 3]);
        for (c, block) in problem.blocks().iter().enumerate() {
            let range = problem.range(c);
            let w = problem.scales()[c];
            let (a, b) = block_residuals(&block.law, w, &r[range.clone()], &u[range.clone()]);
            merit.natural = merit.natural.max(a);
            merit.norm += a * a;
            unscaled += b * b;
            if let Law::Coulomb { .. } = block.law {
                let normal = f64::min(w * r[range.start], u[range.start]).abs();
                merit.normal = merit.normal.max(normal);
                merit.normal_norm += normal * normal;
            }
            for i in range {
                sums[0] += problem.q()[i] * problem.q()[i];
                sums[1] += r[i] * r[i];
                sums[2] += u[i] * u[i];
            }
        }
        let scale = sums[0].max(sums[1]).max(sums[2]).sqrt();
        merit.unscaled = if unscaled > 0.0 { unscaled.sqrt() / scale } else { 0.0 };
        merit.norm = merit.norm.sqrt();
        merit.normal_norm = merit.normal_norm.sqrt();
        // `max` drops a NaN, the sums keep it.
        if !merit.norm.is_finite() || !merit.unscaled.is_finite() {
            let infinite = f64::INFINITY;
            merit = Merit {
                natural: infinite,
                norm: infinite,
                unscaled: infinite,
                normal: infinite,
                normal_norm: infinite,
            };
        }
        merit
    }

    /// The number the tolerance speaks about.
    pub fn measured(&self, problem: &ContactProblem, measure: Measure) -> f64 {
        match measure {
            Measure::Velocity => f64::max(self.natural, self.normal / NORMAL_FACTOR) / problem.speed().max(1.0),
            Measure::Relative => {
                let q = problem.q().iter().map(|x| x * x).sum::<f64>().sqrt();
                let norm = f64::max(self.norm, self.normal_norm / NORMAL_FACTOR);
                f64::max(if q > 0.0 { norm / q } else { norm }, self.unscaled)
            }
        }
    }

    /// Whether a solver may stop: half of what the judge asks, so that another order of summation cannot turn the
    /// verdict.
    pub fn suffices(&self, problem: &ContactProblem, stop: &StoppingRule) -> bool {
        self.measured(problem, stop.tolerance.measure) <= 0.5 * stop.tolerance.value
    }
}

/// Natural map of one block with ρ = 1/w [m/s] and with ρ = 1 [mixed].
fn block_residuals(law: &Law, w: f64, r: &[f64], u: &[f64]) -> (f64, f64) {
    match *law {
        Law::Equality => {
            let norm = u.iter().map(|x| x * x).sum::<f64>().sqrt();
            (norm, norm)
        }
        Law::NonNegative => (f64::min(w * r[0], u[0]).abs(), f64::min(r[0], u[0]).abs()),
        Law::Interval { lo, hi } => {
            let map = |w: f64| {
                let bound = |b: f64| if b.is_finite() { w * b } else { b };
                (w * r[0] - (w * r[0] - u[0]).max(bound(lo)).min(bound(hi))).abs()
            };
            (map(w), map(1.0))
        }
        Law::Coulomb { mu } => {
            let map = |w: f64| {
                let (f, _) = natural_map(w, mu, &triple(r), &triple(u));
                (f[0] * f[0] + f[1] * f[1] + f[2] * f[2]).sqrt()
            };
            (map(w), map(1.0))
        }
    }
}

/// A contact's rows as `[n, t1, t2]`, zero-padded in the plane.
#[inline]
pub fn triple(x: &[f64]) -> [f64; 3] {
    [x[0], x[1], if x.len() > 2 { x[2] } else { 0.0 }]
}

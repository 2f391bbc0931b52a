//! The residual by which solvers steer: natural maps per block, computed with `cone.rs`.
//!
//! It decides whether to accept a step, which iterate is best, and when to stop. Whether the answer is solved is
//! decided by the judge.

use crate::StoppingRule;
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
    /// ‖q‖ [m/s].
    q_norm: f64,
}

/// The judge's bound on [`Merit::normal`] over that on [`Merit::natural`].
const NORMAL_FACTOR: f64 = 2.0;

impl Merit {
    /// From impulses and their velocities `u = W r + q`. Any NaN gives an infinite residual.
    pub fn of(problem: &ContactProblem, r: &[f64], u: &[f64]) -> Merit {
        let mut merit = Merit::default();
        let (mut unscaled, mut sums) = (0.0, [0.0; 3]);
        for (c, block) in problem.blocks().iter().enumerate() {
            let range = problem.range(c);
            let w = problem.scales()[c];
            let (a, b) = squared_residuals(&block.law, w, &r[range.clone()], &u[range.clone()]);
            merit.natural = merit.natural.max(a);
            merit.norm += a;
            unscaled += b;
            if let Law::Coulomb { .. } | Law::Rolling { .. } = block.law {
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
        merit.natural = merit.natural.sqrt();
        merit.norm = merit.norm.sqrt();
        merit.q_norm = sums[0].sqrt();
        merit.normal_norm = merit.normal_norm.sqrt();
        // `max` drops a NaN, the sums keep it; squares that overflow say nothing.
        if !merit.norm.is_finite() || !merit.unscaled.is_finite() || !scale.is_finite() {
            let infinite = f64::INFINITY;
            merit = Merit {
                natural: infinite,
                norm: infinite,
                unscaled: infinite,
                normal: infinite,
                normal_norm: infinite,
                ..merit
            };
        }
        merit
    }

    /// The residual in the measure of the tolerance.
    pub fn measured(&self, problem: &ContactProblem, measure: Measure) -> f64 {
        match measure {
            Measure::Velocity => f64::max(self.natural, self.normal / NORMAL_FACTOR) / problem.speed().max(1.0),
            Measure::Relative => {
                let q = self.q_norm;
                let norm = f64::max(self.norm, self.normal_norm / NORMAL_FACTOR);
                f64::max(if q > 0.0 { norm / q } else { norm }, self.unscaled)
            }
        }
    }

    /// Whether a solver may stop: its residual is at most half of what the judge allows, so that another order of
    /// summation cannot change the verdict.
    pub fn suffices(&self, problem: &ContactProblem, stop: &StoppingRule) -> bool {
        self.measured(problem, stop.tolerance.measure) <= 0.5 * stop.tolerance.value
    }
}

/// Square of the natural map of one block with ρ = 1/w [m²/s²] and with ρ = 1 [mixed].
fn squared_residuals(law: &Law, w: f64, r: &[f64], u: &[f64]) -> (f64, f64) {
    let square = |x: f64| x * x;
    match *law {
        Law::Rolling { mu, .. } => {
            let (mut scaled, mut unscaled) = squared_residuals(&Law::Coulomb { mu }, w, &r[..3], &u[..3]);
            for (rows, bound) in law.moments() {
                let (m, omega) = (&r[rows.clone()], &u[rows]);
                scaled += squared_moment(w, bound * r[0].max(0.0), m, omega);
                unscaled += squared_moment(1.0, bound * r[0].max(0.0), m, omega);
            }
            (scaled, unscaled)
        }
        Law::Equality => {
            let squared = u.iter().map(|x| x * x).sum::<f64>();
            (squared, squared)
        }
        Law::NonNegative => (square(f64::min(w * r[0], u[0])), square(f64::min(r[0], u[0]))),
        Law::Interval { lo, hi } => {
            let map = |w: f64| {
                let bound = |b: f64| if b.is_finite() { w * b } else { b };
                square(w * r[0] - (w * r[0] - u[0]).max(bound(lo)).min(bound(hi)))
            };
            (map(w), map(1.0))
        }
        Law::Coulomb { mu } => {
            let (r, u) = (triple(r), triple(u));
            let shifted = [u[0] + mu * (u[1] * u[1] + u[2] * u[2]).sqrt(), u[1], u[2]];
            let unscaled = squared_map(mu, &r, &shifted);
            // Without an impulse there is nothing to scale.
            (if r == [0.0; 3] { unscaled } else { squared_map(mu, &r.map(|x| w * x), &shifted) }, unscaled)
        }
    }
}

/// `‖w m − P(w m − ω)‖²` with P onto the disc of radius `w most`.
fn squared_moment(w: f64, most: f64, m: &[f64], omega: &[f64]) -> f64 {
    let z = || m.iter().zip(omega).map(|(m, omega)| w * m - omega);
    let size = z().map(|z| z * z).sum::<f64>().sqrt();
    let kept = if size > w * most { w * most / size } else { 1.0 };
    m.iter().zip(z()).map(|(m, z)| w * m - kept * z).map(|f| f * f).sum()
}

/// `‖x − P(x − û)‖²`. Roots are taken only where the projection lands on the surface of the cone.
#[inline]
fn squared_map(mu: f64, x: &[f64; 3], shifted: &[f64; 3]) -> f64 {
    let squared = |f: &[f64; 3]| f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
    let z = [x[0] - shifted[0], x[1] - shifted[1], x[2] - shifted[2]];
    let t_squared = z[1] * z[1] + z[2] * z[2];
    // ‖z_T‖ ≤ μ z_N: inside. z_N ≤ −μ‖z_T‖: onto the apex.
    if z[0] >= 0.0 && t_squared <= mu * mu * (z[0] * z[0]) {
        return squared(shifted);
    }
    if z[0] <= 0.0 && z[0] * z[0] >= mu * mu * t_squared {
        return squared(x);
    }
    let t = t_squared.sqrt();
    let normal = (z[0] + mu * t) / (1.0 + mu * mu);
    let scale = mu * normal / t;
    squared(&[x[0] - normal, x[1] - scale * z[1], x[2] - scale * z[2]])
}

/// A contact's rows as `[n, t1, t2]`, zero-padded in the plane.
#[inline]
pub fn triple(x: &[f64]) -> [f64; 3] {
    [x[0], x[1], if x.len() > 2 { x[2] } else { 0.0 }]
}

//! The Fischer–Burmeister equations of one block, for every law, and their derivatives.

use super::function;
use crate::baselines::flow_rule::{FlowRule, contact_vector};
use signorini_problem::Law;

/// Rows of ∂Φ/∂r and of ∂Φ/∂u within the block.
pub(super) type Derivatives<'a> = (&'a mut [[f64; 6]], &'a mut [[f64; 6]]);

/// The equations of one block.
pub(super) struct Equations<'a> {
    pub law: &'a Law,
    pub flow: FlowRule,
    /// Turns impulses into velocities [1/kg].
    pub w: f64,
    /// Smoothing [m/s].
    pub epsilon: f64,
}

impl Equations<'_> {
    /// Writes Φ; with `derivatives`, also ∂Φ/∂r and ∂Φ/∂u, a row each.
    pub fn evaluate(&self, (r, u): (&[f64], &[f64]), phi: &mut [f64], mut derivatives: Option<Derivatives<'_>>) {
        if let Some((by_r, by_u)) = &mut derivatives {
            by_r.fill([0.0; 6]);
            by_u.fill([0.0; 6]);
        }
        match *self.law {
            // Rolling was refused before.
            Law::Equality | Law::Rolling { .. } => {
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

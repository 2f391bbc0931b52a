//! Residuals of a block for each law. Each adds its maxima to the certificate, and returns its part of the norms.

use super::coulomb::{Contact, is_open, lesser};
use super::norms::{negative_part, norm, worst};
use super::{Certificate, Residual};
use crate::Law;

/// Relative distance to its bound from which on a moment counts as holding.
const STICKS: f64 = 1e-6;

impl Certificate {
    pub(super) fn grade(&mut self, law: &Law, w: f64, r: &[f64], u: &[f64]) -> Residual {
        // A number times zero is zero unless it is not finite.
        let zero: f64 = r.iter().zip(u).map(|(r, u)| r * 0.0 + u * 0.0).sum();
        if zero != 0.0 {
            return self.beyond_evaluation(law);
        }
        match *law {
            Law::Equality => self.equality(u),
            Law::NonNegative => self.non_negative(w, r[0], u[0]),
            Law::Interval { lo, hi } => self.interval(w, lo, hi, r[0], u[0]),
            Law::Coulomb { mu } => self.coulomb(w, mu, r, u),
            Law::Rolling { mu, .. } => self.rolling(w, mu, law, r, u),
        }
        .or_infinite()
    }

    /// An impulse or velocity is NaN or infinite: everything that is measured of such a block is infinite.
    fn beyond_evaluation(&mut self, law: &Law) -> Residual {
        let infinite = f64::INFINITY;
        match law {
            Law::Equality => {
                self.counts.joint += 1;
                self.joint_rate = infinite;
            }
            Law::Interval { .. } => {
                self.counts.bound += 1;
                self.outside_cone = infinite;
            }
            Law::NonNegative | Law::Coulomb { .. } | Law::Rolling { .. } => {
                self.counts.slip += 1;
                (self.penetration_rate, self.pull, self.signorini) = (infinite, infinite, infinite);
                if !matches!(law, Law::NonNegative) {
                    (self.outside_cone, self.dissipation_defect) = (infinite, infinite);
                }
            }
        }
        Residual { natural: infinite, unscaled: infinite, normal: infinite }
    }

    fn equality(&mut self, u: &[f64]) -> Residual {
        self.counts.joint += 1;
        let speed = norm(u.iter().copied());
        self.joint_rate = worst(self.joint_rate, speed);
        Residual { natural: speed, unscaled: speed, normal: 0.0 }
    }

    fn non_negative(&mut self, w: f64, r: f64, u: f64) -> Residual {
        if is_open(w, r, u) {
            self.counts.open += 1;
        } else {
            self.counts.slip += 1;
        }
        let natural = self.unilateral(w, r, u);
        Residual { natural, unscaled: lesser(r, u).abs(), normal: natural }
    }

    /// Signorini's condition; returns |min(w r_N, u_N)| [m/s].
    fn unilateral(&mut self, w: f64, r_n: f64, u_n: f64) -> f64 {
        self.penetration_rate = worst(self.penetration_rate, negative_part(u_n));
        self.pull = worst(self.pull, negative_part(r_n));
        self.signorini = worst(self.signorini, r_n * u_n);
        lesser(w * r_n, u_n).abs()
    }

    fn interval(&mut self, w: f64, lo: f64, hi: f64, r: f64, u: f64) -> Residual {
        if r <= lo || r >= hi {
            self.counts.bound += 1;
        } else {
            self.counts.free += 1;
        }
        self.outside_cone = worst(self.outside_cone, f64::max(f64::max(lo - r, r - hi), 0.0));
        let map = |w: f64| {
            let z = w * r - u;
            let projected = if z < w * lo {
                w * lo
            } else if z > w * hi {
                w * hi
            } else {
                z
            };
            (w * r - projected).abs()
        };
        Residual { natural: map(w), unscaled: map(1.0), normal: 0.0 }
    }

    fn coulomb(&mut self, w: f64, mu: f64, r: &[f64], u: &[f64]) -> Residual {
        // Planar contacts have one tangent.
        let spatial = |x: &[f64]| [x[0], x[1], x.get(2).copied().unwrap_or(0.0)];
        self.contact(&Contact { mu, scale: w, r: spatial(r), u: spatial(u) })
    }

    /// Coulomb's law in the first three rows; each moment against the disc that the normal impulse allows it.
    fn rolling(&mut self, w: f64, mu: f64, law: &Law, r: &[f64], u: &[f64]) -> Residual {
        let mut residual = self.coulomb(w, mu, &r[..3], &u[..3]);
        for (rows, bound) in law.moments() {
            let part = self.moment(w, bound * negative_part(-r[0]).abs(), &r[rows.clone()], &u[rows]);
            residual.natural = norm([residual.natural, part.natural].into_iter());
            residual.unscaled = norm([residual.unscaled, part.unscaled].into_iter());
        }
        residual
    }

    /// `‖m‖ ≤ most`, and `ω = 0` or all of it against ω. The natural map is `w m − P(w m − ω)`, P onto the disc of radius
    /// `w most`.
    fn moment(&mut self, w: f64, most: f64, m: &[f64], omega: &[f64]) -> Residual {
        let (size, speed) = (norm(m.iter().copied()), norm(omega.iter().copied()));
        self.outside_cone = worst(self.outside_cone, f64::max(size - most, 0.0));
        let work: f64 = m.iter().zip(omega).map(|(m, omega)| m * omega).sum();
        self.dissipation_defect = worst(self.dissipation_defect, most * speed + work);
        if most - size > STICKS * most {
            self.creep = worst(self.creep, lesser(speed, w * (most - size)));
        }
        let map = |w: f64| {
            let z = norm(m.iter().zip(omega).map(|(m, omega)| w * m - omega));
            let kept = if z > w * most { w * most / z } else { 1.0 };
            norm(m.iter().zip(omega).map(|(m, omega)| w * m - kept * (w * m - omega)))
        };
        Residual { natural: map(w), unscaled: map(1.0), normal: 0.0 }
    }
}

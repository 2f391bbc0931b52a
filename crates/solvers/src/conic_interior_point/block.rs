//! One block on the conic path: its role, its iterate inside the cone, its linearisation, and its longest step.
//!
//! With `p = z − u − shift` the mismatch of the slack z, every law gives `dr = K (s + p − J du)`, where s contains the
//! target of the products. `NewtonSystem` solves `(I + K J W) dr = K (s + p)`.

use super::cone_algebra::{Scaling, longest_step, product, quotient};
use crate::cone::Vec3;
use crate::merit::triple;
use signorini_problem::{Block, Law};

/// How a block takes part in the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    /// `u = 0` with a free impulse: joints, intervals without ends.
    Free,
    /// `lo = hi`: the impulse is known.
    Fixed { at: f64 },
    /// `lo ≤ r ≤ hi` in the first row; tangential impulses, if there are rows for them, are zero.
    Bounded { lo: f64, hi: f64 },
    /// Coulomb's law with μ > 0.
    Frictional { mu: f64 },
}

impl Role {
    pub(super) fn of(block: &Block) -> Role {
        match block.law {
            // Rolling was refused before.
            Law::Equality | Law::Rolling { .. } => Role::Free,
            Law::Interval { lo, hi } if lo == hi => Role::Fixed { at: lo },
            Law::Interval { lo, hi } if lo.is_infinite() && hi.is_infinite() => Role::Free,
            Law::Interval { lo, hi } => Role::Bounded { lo, hi },
            Law::NonNegative | Law::Coulomb { mu: 0.0 } => Role::Bounded { lo: 0.0, hi: f64::INFINITY },
            Law::Coulomb { mu } => Role::Frictional { mu },
        }
    }

    /// Products that the path drives to t.
    pub(super) fn products(&self) -> usize {
        match self {
            Role::Free | Role::Fixed { .. } => 0,
            Role::Frictional { .. } => 1,
            Role::Bounded { lo, hi } => lo.is_finite() as usize + hi.is_finite() as usize,
        }
    }
}

/// The iterate of a block, or a direction. Blocks of role `Free` and `Fixed` have no slack.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    /// Impulse [N·s].
    pub r: Vec3,
    /// Slack [m/s]: of a frictional contact the shifted velocity; of a bounded row the multipliers of `lo` and of `hi`.
    pub z: Vec3,
}

impl Point {
    #[inline(always)]
    pub(super) fn moved(&self, d: &Point, length: f64) -> Point {
        Point {
            r: std::array::from_fn(|i| self.r[i] + length * d.r[i]),
            z: std::array::from_fn(|i| self.z[i] + length * d.z[i]),
        }
    }

    /// Sum of the products \[J\]. `R·Z = r·z`, since T cancels.
    #[inline(always)]
    pub(super) fn gap(&self, role: &Role) -> f64 {
        let (r, z) = (&self.r, &self.z);
        match *role {
            Role::Free | Role::Fixed { .. } => 0.0,
            Role::Frictional { .. } => r[0] * z[0] + r[1] * z[1] + r[2] * z[2],
            Role::Bounded { lo, hi } => times(r[0] - lo, z[0]) + times(hi - r[0], z[1]),
        }
    }

    /// Largest s for which `self + s d` is still inside.
    #[inline(always)]
    pub(super) fn longest_step(&self, role: &Role, d: &Point) -> f64 {
        match *role {
            Role::Free | Role::Fixed { .. } => f64::INFINITY,
            Role::Frictional { mu } => {
                let impulse = longest_step(&scaled(mu, &self.r), &scaled(mu, &d.r));
                impulse.min(longest_step(&unscaled(mu, &self.z), &unscaled(mu, &d.z)))
            }
            Role::Bounded { lo, hi } => {
                let ray = |x: f64, dx: f64| if dx < 0.0 { x / -dx } else { f64::INFINITY };
                let impulse = f64::min(ray(self.r[0] - lo, d.r[0]), ray(hi - self.r[0], -d.r[0]));
                impulse.min(ray(self.z[0], d.z[0])).min(ray(self.z[1], d.z[1]))
            }
        }
    }
}

/// Product of a distance to a bound and its multiplier; none where there is no bound.
#[inline(always)]
fn times(distance: f64, multiplier: f64) -> f64 {
    if distance.is_finite() { distance * multiplier } else { 0.0 }
}

/// R = T r, `T = diag(μ, 1, 1)`.
#[inline(always)]
pub(super) fn scaled(mu: f64, r: &Vec3) -> Vec3 {
    [mu * r[0], r[1], r[2]]
}

/// Z = T⁻¹ z.
#[inline(always)]
pub(super) fn unscaled(mu: f64, z: &Vec3) -> Vec3 {
    [z[0] / mu, z[1], z[2]]
}

/// A linearised block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Model {
    scaling: Scaling,
    /// K = (scaling² + e)⁻¹ [kg], without J.
    k: [[f64; 3]; 3],
    /// Proximal compliance e [1/kg].
    e: f64,
    /// θ μ u_T/‖u_T‖: the part of the shift's derivative that is in the step.
    turn: [f64; 2],
    /// p [m/s].
    mismatch: Vec3,
    /// Targets of the last direction, for the multipliers of a bounded row.
    rest: [f64; 2],
}

/// Parameters shared by all blocks of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    /// Share of the shift's derivative, θ.
    pub theta: f64,
    /// Slip speed below which the shift is rounded off, times R₀ \[J\]; and the largest such speed [m/s].
    pub rounding: (f64, f64),
    /// Proximal compliance over w, of contacts and of joints.
    pub proximal: f64,
    pub joint_proximal: f64,
}

/// `√(‖u_T‖² + d²)`.
#[inline(always)]
fn rounded_slip(mu: f64, at: &Point, u: &Vec3, shared: &Shared) -> f64 {
    let (energy, most) = shared.rounding;
    let d = f64::min(energy / (mu * at.r[0]), most);
    (u[1] * u[1] + u[2] * u[2] + d * d).sqrt()
}

/// p = z − u − shift.
#[inline(always)]
pub(super) fn mismatch(role: &Role, at: &Point, u: &[f64], shared: &Shared) -> Vec3 {
    match *role {
        Role::Free | Role::Fixed { .. } => [0.0; 3],
        Role::Bounded { .. } => [at.z[0] - at.z[1] - u[0], 0.0, 0.0],
        Role::Frictional { mu } => {
            let u = triple(u);
            [at.z[0] - u[0] - mu * rounded_slip(mu, at, &u, shared), at.z[1] - u[1], at.z[2] - u[2]]
        }
    }
}

/// |r · p| \[J\]: how much the shift is behind, in the unit of the gap.
#[inline(always)]
pub(super) fn lag(role: &Role, at: &Point, p: &Vec3) -> f64 {
    match *role {
        Role::Free | Role::Fixed { .. } => 0.0,
        Role::Bounded { lo, hi } => (f64::min(at.r[0] - lo, hi - at.r[0]) * p[0]).abs(),
        Role::Frictional { .. } => (at.r[0] * p[0] + at.r[1] * p[1] + at.r[2] * p[2]).abs(),
    }
}

impl Model {
    /// Linearises a block of scale w [1/kg] and writes `K J`, row-major.
    #[inline(always)]
    pub(super) fn linearise(&mut self, role: &Role, at: &Point, u: &[f64], w: f64, shared: &Shared, kj: &mut [f64]) {
        let rows = u.len();
        kj.fill(0.0);
        self.mismatch = mismatch(role, at, u, shared);
        self.e = shared.proximal * w;
        match *role {
            Role::Fixed { .. } => {}
            Role::Free => {
                self.e = shared.joint_proximal * w;
                for i in 0..rows {
                    kj[i * rows + i] = 1.0 / self.e;
                }
            }
            Role::Bounded { lo, hi } => {
                // z/∞ = 0 for a missing bound.
                self.k[0][0] = 1.0 / (at.z[0] / (at.r[0] - lo) + at.z[1] / (hi - at.r[0]) + self.e);
                kj[0] = self.k[0][0];
            }
            Role::Frictional { mu } => {
                self.scaling = Scaling::new(&scaled(mu, &at.r), &unscaled(mu, &at.z));
                self.k = self.scaling.compliance_inverse(mu, self.e);
                let u = triple(u);
                let slip = rounded_slip(mu, at, &u, shared).max(f64::MIN_POSITIVE);
                self.turn = [shared.theta * mu * u[1] / slip, shared.theta * mu * u[2] / slip];
                for i in 0..rows {
                    kj[i * rows] = self.k[i][0];
                    for j in 1..rows {
                        kj[i * rows + j] = self.k[i][j] + self.k[i][0] * self.turn[j - 1];
                    }
                }
            }
        }
    }

    /// Right-hand side `K (s + p)` of the system.
    #[inline(always)]
    pub(super) fn right_hand_side(
        &mut self,
        role: &Role,
        at: &Point,
        u: &[f64],
        target: f64,
        previous: Option<&Point>,
        g: &mut [f64],
    ) {
        g.fill(0.0);
        match *role {
            Role::Fixed { .. } => {}
            Role::Free => {
                for (g, u) in g.iter_mut().zip(u) {
                    *g = -u / self.e;
                }
            }
            Role::Bounded { lo, hi } => {
                let second = previous.map_or([0.0; 2], |d| [d.r[0] * d.z[0], -d.r[0] * d.z[1]]);
                let [a, b] = [at.r[0] - lo, hi - at.r[0]];
                self.rest = [0.0; 2];
                if a.is_finite() {
                    self.rest[0] = target / a - at.z[0] - second[0] / a;
                }
                if b.is_finite() {
                    self.rest[1] = target / b - at.z[1] - second[1] / b;
                }
                g[0] = self.k[0][0] * (self.rest[0] - self.rest[1] + self.mismatch[0]);
            }
            Role::Frictional { mu } => {
                let lambda = &self.scaling.lambda;
                let square = product(lambda, lambda);
                let second = previous.map_or([0.0; 3], |d| {
                    let impulse = self.scaling.apply(&scaled(mu, &d.r));
                    product(&impulse, &self.scaling.apply_inverse(&unscaled(mu, &d.z)))
                });
                let rest = [target - square[0] - second[0], -square[1] - second[1], -square[2] - second[2]];
                let s = scaled(mu, &self.scaling.apply(&quotient(lambda, &rest)));
                let sum: Vec3 = std::array::from_fn(|i| s[i] + self.mismatch[i]);
                for (g, k) in g.iter_mut().zip(&self.k) {
                    *g = k[0] * sum[0] + k[1] * sum[1] + k[2] * sum[2];
                }
            }
        }
    }

    /// The direction of the slack that goes with `dr` and `du = W dr`.
    #[inline(always)]
    pub(super) fn direction(&self, role: &Role, at: &Point, dr: &[f64], du: &[f64]) -> Point {
        let mut d = Point { r: triple_or_first(dr), z: [0.0; 3] };
        match *role {
            Role::Free | Role::Fixed { .. } => {}
            Role::Bounded { lo, hi } => {
                if lo.is_finite() {
                    d.z[0] = self.rest[0] - at.z[0] / (at.r[0] - lo) * d.r[0];
                }
                if hi.is_finite() {
                    d.z[1] = self.rest[1] + at.z[1] / (hi - at.r[0]) * d.r[0];
                }
            }
            Role::Frictional { .. } => {
                let du = triple(du);
                d.z = std::array::from_fn(|i| du[i] - self.mismatch[i] + self.e * d.r[i]);
                d.z[0] += self.turn[0] * du[1] + self.turn[1] * du[2];
            }
        }
        d
    }
}

/// The first three rows, or fewer.
#[inline(always)]
pub(super) fn triple_or_first(x: &[f64]) -> Vec3 {
    std::array::from_fn(|i| x.get(i).copied().unwrap_or(0.0))
}

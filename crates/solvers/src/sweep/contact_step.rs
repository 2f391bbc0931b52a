//! Update of one frictional contact in a sweep.

use crate::cone::{self, Mat3, Vec3};
use crate::one_contact::OneContact;

/// The update of one Coulomb block. Planar contacts come with zeros for the second tangent.
pub trait ContactStep: Copy + std::fmt::Debug {
    /// From the diagonal block K = W_cc. For a planar contact its last row and column are zero.
    fn prepare(k: &Mat3, planar: Planar) -> Self;
    /// The new impulse, from the current one and the velocity it gives.
    fn advance(&self, mu: f64, u: &Vec3, r: &Vec3) -> Vec3;
    /// Natural map [m/s] of the law this step solves, `w` in 1/kg.
    fn natural_map(w: f64, mu: f64, u: &Vec3, r: &Vec3) -> f64 {
        let (f, _) = cone::natural_map(w, mu, r, u);
        (f[0] * f[0] + f[1] * f[1] + f[2] * f[2]).sqrt()
    }
}

/// Whether a contact has one tangent or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planar {
    /// Rows (n, t).
    Yes,
    /// Rows (n, t1, t2).
    No,
}

/// Nonsmooth Gauss–Seidel: the contact is solved exactly.
impl ContactStep for OneContact {
    fn prepare(k: &Mat3, planar: Planar) -> Self {
        match planar {
            Planar::Yes => OneContact::planar(&[[k[0][0], k[0][1]], [k[1][0], k[1][1]]]),
            Planar::No => OneContact::new(k),
        }
    }

    #[inline]
    fn advance(&self, mu: f64, u: &Vec3, r: &Vec3) -> Vec3 {
        OneContact::advance(self, mu, u, r).0
    }
}

/// Projected Gauss–Seidel: the normal row, then both tangents by one projected step.
///
/// ```text
/// r_N ← max(0, r_N − u_N/K_NN)
/// r_T ← P_disk(μ r_N)(r_T − ρ u_T),   ρ = 1/λ_max(K_TT)
/// ```
///
/// ρ is a scalar: with a step per row, or with K_TT⁻¹, the limit slides in a direction that friction does not oppose.
#[derive(Clone, Copy, Debug)]
pub struct RowStep {
    /// 1/K_NN \[kg\], or 0.
    normal_mass: f64,
    /// K_TN [1/kg]: what a normal impulse does to the tangents.
    coupling: [f64; 2],
    /// ρ \[kg\], or 0.
    step: f64,
}

impl ContactStep for RowStep {
    fn prepare(k: &Mat3, _: Planar) -> Self {
        let half = 0.5 * (k[1][1] - k[2][2]);
        let cross = 0.5 * (k[1][2] + k[2][1]);
        let largest = 0.5 * (k[1][1] + k[2][2]) + (half * half + cross * cross).sqrt();
        RowStep { normal_mass: inverse(k[0][0]), coupling: [k[1][0], k[2][0]], step: inverse(largest) }
    }

    #[inline]
    fn advance(&self, mu: f64, u: &Vec3, r: &Vec3) -> Vec3 {
        let normal = (r[0] - u[0] * self.normal_mass).max(0.0);
        let bound = mu * normal;
        if bound <= 0.0 {
            return [normal, 0.0, 0.0];
        }
        let change = normal - r[0];
        let t1 = r[1] - self.step * (u[1] + self.coupling[0] * change);
        let t2 = r[2] - self.step * (u[2] + self.coupling[1] * change);
        let squared = t1 * t1 + t2 * t2;
        if squared <= bound * bound {
            return [normal, t1, t2];
        }
        let scale = bound / squared.sqrt();
        [normal, scale * t1, scale * t2]
    }
}

/// The normal row alone, friction held at zero: the first phase of `block_pgs`.
#[derive(Clone, Copy, Debug)]
pub struct NormalStep {
    /// 1/K_NN \[kg\], or 0.
    normal_mass: f64,
}

impl ContactStep for NormalStep {
    fn prepare(k: &Mat3, _: Planar) -> Self {
        NormalStep { normal_mass: inverse(k[0][0]) }
    }

    #[inline]
    fn advance(&self, _: f64, u: &Vec3, r: &Vec3) -> Vec3 {
        [(r[0] - u[0] * self.normal_mass).max(0.0), 0.0, 0.0]
    }

    fn natural_map(w: f64, _: f64, u: &Vec3, r: &Vec3) -> f64 {
        f64::min(w * r[0], u[0]).abs()
    }
}

/// 1/x, or 0 where nothing can move.
pub(super) fn inverse(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

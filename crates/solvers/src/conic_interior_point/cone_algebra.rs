//! The second-order cone `Q = {x₀ ≥ ‖x_T‖}` in three dimensions: Jordan product, Nesterov–Todd scaling, step length.
//!
//! Vectors are `[x₀, x₁, x₂]`; planar contacts carry a zero `x₂`, on which everything here stays zero.
//! Source: Nesterov and Todd 1997; the formulas for second-order cones as in Alizadeh and Goldfarb 2003.

use crate::cone::{Mat3, Vec3};

/// Smallest determinant that is divided by. Iterates on the surface of the cone have none.
const LEAST: f64 = f64::MIN_POSITIVE;

/// Jordan product `a ∘ b = (a·b, a₀ b_T + b₀ a_T)`.
#[inline(always)]
pub(super) fn product(a: &Vec3, b: &Vec3) -> Vec3 {
    [a[0] * b[0] + a[1] * b[1] + a[2] * b[2], a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]]
}

/// `a₀² − ‖a_T‖²`, as a product so that the difference is not lost in squares.
#[inline(always)]
pub(super) fn determinant(a: &Vec3) -> f64 {
    let t = (a[1] * a[1] + a[2] * a[2]).sqrt();
    (a[0] - t) * (a[0] + t)
}

/// The y with `a ∘ y = b`, for a inside the cone.
#[inline(always)]
pub(super) fn quotient(a: &Vec3, b: &Vec3) -> Vec3 {
    let first = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / determinant(a).max(LEAST);
    [first, (b[1] - first * a[1]) / a[0], (b[2] - first * a[2]) / a[0]]
}

/// Largest s with `a + s d` in the cone, for a inside it; infinite where d never leaves.
#[inline(always)]
pub(super) fn longest_step(a: &Vec3, d: &Vec3) -> f64 {
    // The first positive root of A s² + 2 B s + C.
    let square = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    let mixed = a[0] * d[0] - a[1] * d[1] - a[2] * d[2];
    let constant = determinant(a).max(0.0);
    let discriminant = mixed * mixed - square * constant;
    let mut longest = f64::INFINITY;
    if square < 0.0 {
        longest = constant / (discriminant.max(0.0).sqrt() - mixed).max(LEAST);
    } else if discriminant >= 0.0 && mixed < 0.0 {
        longest = constant / (discriminant.sqrt() - mixed);
    }
    // The lower half of the double cone is not the cone.
    if d[0] < 0.0 { longest.min(a[0] / -d[0]) } else { longest }
}

/// The symmetric W with `W R = W⁻¹ Z = λ`.
///
/// In the frame of the axis, a direction `d` across it and the direction across both, W is `η` times a hyperbolic
/// rotation
/// `[[c, s], [s, c]]`, `c² − s² = 1`, and η. All products and the inverse of `T W² T + E` are written in that frame,
/// where nothing cancels.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scaling {
    /// η [√(kg⁻¹)]: square root of velocity over impulse.
    eta: f64,
    cosh: f64,
    sinh: f64,
    across: [f64; 2],
    /// λ = W R [√J].
    pub lambda: Vec3,
}

impl Scaling {
    #[inline(always)]
    pub(super) fn new(impulse: &Vec3, velocity: &Vec3) -> Scaling {
        let (dr, dz) = (determinant(impulse).max(LEAST).sqrt(), determinant(velocity).max(LEAST).sqrt());
        let (r, z) = (impulse.map(|x| x / dr), velocity.map(|x| x / dz));
        let cosine = r[0] * z[0] + r[1] * z[1] + r[2] * z[2];
        let twice = 2.0 * (0.5 * (1.0 + cosine)).max(LEAST).sqrt();
        let t = [(z[1] - r[1]) / twice, (z[2] - r[2]) / twice];
        let sinh = (t[0] * t[0] + t[1] * t[1]).sqrt();
        let across = if sinh > 0.0 { [t[0] / sinh, t[1] / sinh] } else { [1.0, 0.0] };
        let mut scaling =
            Scaling { eta: (dz / dr).sqrt(), cosh: (1.0 + sinh * sinh).sqrt(), sinh, across, lambda: [0.0; 3] };
        scaling.lambda = scaling.apply(impulse);
        scaling
    }

    /// `[x₀, x_d, x_⊥]`.
    #[inline(always)]
    fn in_frame(&self, x: &Vec3) -> Vec3 {
        let [a, b] = self.across;
        [x[0], a * x[1] + b * x[2], a * x[2] - b * x[1]]
    }

    #[inline(always)]
    fn back_from_frame(&self, x: &Vec3) -> Vec3 {
        let [a, b] = self.across;
        [x[0], a * x[1] - b * x[2], b * x[1] + a * x[2]]
    }

    /// W x.
    #[inline(always)]
    pub(super) fn apply(&self, x: &Vec3) -> Vec3 {
        let [n, d, o] = self.in_frame(x);
        let turned = [self.cosh * n + self.sinh * d, self.sinh * n + self.cosh * d, o];
        self.back_from_frame(&turned.map(|x| self.eta * x))
    }

    /// W⁻¹ x.
    #[inline(always)]
    pub(super) fn apply_inverse(&self, x: &Vec3) -> Vec3 {
        let [n, d, o] = self.in_frame(x);
        let turned = [self.cosh * n - self.sinh * d, self.cosh * d - self.sinh * n, o];
        self.back_from_frame(&turned.map(|x| x / self.eta))
    }

    /// `K = (T W² T + e I)⁻¹` [kg], `T = diag(μ, 1, 1)`, e [1/kg].
    #[inline(always)]
    pub(super) fn compliance_inverse(&self, mu: f64, e: f64) -> Mat3 {
        let (square, rest) = (self.eta * self.eta, self.sinh * self.sinh);
        // W² = η² [[c² + s², 2cs], [2cs, c² + s²]] has determinant η⁴ in the frame.
        let same = square * (1.0 + 2.0 * rest);
        let (nn, nd, dd) = (mu * mu * same + e, mu * square * 2.0 * self.cosh * self.sinh, same + e);
        let determinant = mu * mu * square * square + e * same * (1.0 + mu * mu) + e * e;
        let (nn, nd, dd) = (dd / determinant, -nd / determinant, nn / determinant);
        let oo = 1.0 / (square + e);
        let [a, b] = self.across;
        [
            [nn, nd * a, nd * b],
            [nd * a, dd * a * a + oo * b * b, (dd - oo) * a * b],
            [nd * b, (dd - oo) * a * b, dd * b * b + oo * a * a],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: &Vec3, b: &Vec3, tolerance: f64) {
        let size = a.iter().chain(b).fold(1e-300_f64, |most, x| most.max(x.abs()));
        for i in 0..3 {
            assert!((a[i] - b[i]).abs() <= tolerance * size, "{a:?} {b:?}");
        }
    }

    #[test]
    fn the_scaling_takes_impulse_and_velocity_to_the_same_point() {
        let (r, z) = ([2.0, 0.3, -1.1], [0.5, -0.2, 0.4]);
        let scaling = Scaling::new(&r, &z);
        near(&scaling.apply(&r), &scaling.apply_inverse(&z), 1e-14);
        near(&scaling.apply_inverse(&scaling.apply(&z)), &z, 1e-14);
    }

    #[test]
    fn a_quotient_is_undone_by_the_product() {
        let (a, b) = ([2.0, 0.3, -1.1], [0.5, -3.0, 0.4]);
        near(&product(&a, &quotient(&a, &b)), &b, 1e-14);
    }

    /// (T W² T + e) K = I, with W² applied twice.
    #[test]
    fn the_compliance_is_inverted() {
        let (mu, e) = (0.3, 0.01);
        let scaling = Scaling::new(&[2.0, 0.3, -1.1], &[0.5, -0.2, 0.4]);
        let k = scaling.compliance_inverse(mu, e);
        for i in 0..3 {
            let column = [k[0][i], k[1][i], k[2][i]];
            let inner = scaling.apply(&scaling.apply(&[mu * column[0], column[1], column[2]]));
            let product = [mu * inner[0] + e * column[0], inner[1] + e * column[1], inner[2] + e * column[2]];
            let mut unit = [0.0; 3];
            unit[i] = 1.0;
            near(&product, &unit, 1e-13);
        }
    }

    /// From (1, 0, 0) along (0, 1, 0) the surface is met after 1; towards the apex after 1; inwards never.
    #[test]
    fn steps_end_on_the_surface() {
        let a = [1.0, 0.0, 0.0];
        assert!((longest_step(&a, &[0.0, 1.0, 0.0]) - 1.0).abs() < 1e-15);
        assert!((longest_step(&a, &[-1.0, 0.0, 0.0]) - 1.0).abs() < 1e-15);
        assert!((longest_step(&a, &[-0.5, 0.5, 0.0]) - 1.0).abs() < 1e-15);
        assert_eq!(longest_step(&a, &[1.0, 0.5, 0.5]), f64::INFINITY);
    }
}

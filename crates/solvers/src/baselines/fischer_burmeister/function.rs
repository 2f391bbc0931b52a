//! The smoothed Fischer–Burmeister function, on the half-line and on the second-order cone, with derivatives.
//!
//! ```text
//! φ_ε(x, y) = x + y − (x² + y² + 2ε²)^½            φ_0 = 0  ⇔  x ≥ 0, y ≥ 0, x y = 0
//! ```
//!
//! On the second-order cone `{x₀ ≥ ‖x̄‖}` squares and roots are those of its Jordan algebra, `x ∘ y = (xᵀy, x₀ȳ + y₀x̄)`,
//! and φ_0 = 0 ⇔ x, y in the cone and xᵀy = 0 (Fukushima, Luo, Tseng 2002). φ_0 is not differentiable only where
//! `x² + y²` is on the boundary of the cone (on the half-line: at the origin); with ε > 0 it is smooth everywhere and
//! φ_ε = 0 ⇔ x ∘ y = ε² e with both interior.

use crate::cone::{Mat3, Vec3};
use signorini_problem::math;

/// Value and partial derivatives of the scalar function.
#[inline]
pub fn scalar(x: f64, y: f64, epsilon: f64) -> (f64, f64, f64) {
    let root = (x * x + y * y + 2.0 * epsilon * epsilon).sqrt();
    if root == 0.0 {
        // An element of the generalised Jacobian at the kink.
        let slope = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
        return (0.0, slope, slope);
    }
    // x + y − root without the difference of two nearly equal numbers.
    let sum = x + y;
    let value = if sum > 0.0 { 2.0 * (x * y - epsilon * epsilon) / (sum + root) } else { sum - root };
    (value, 1.0 - x / root, 1.0 - y / root)
}

/// Value and derivatives with respect to x and y.
#[derive(Clone, Copy, Debug)]
pub struct ConeValue {
    /// φ.
    pub value: Vec3,
    /// ∂φ/∂x.
    pub dx: Mat3,
    /// ∂φ/∂y.
    pub dy: Mat3,
}

/// The function on the second-order cone.
pub fn cone(x: &Vec3, y: &Vec3, epsilon: f64) -> ConeValue {
    // x² + y² = (·, 2(x₀x̄ + y₀ȳ)); its spectral frame is along n.
    let v = [x[0] * x[1] + y[0] * y[1], x[0] * x[2] + y[0] * y[2]];
    let length = (v[0] * v[0] + v[1] * v[1]).sqrt();
    let n = if length > 0.0 { [v[0] / length, v[1] / length] } else { [1.0, 0.0] };
    // Eigenvalues v₀ ∓ ‖v̄‖ as sums of squares: the difference would lose half the digits on the boundary.
    let part = |a: &Vec3, sign: f64| {
        let along = n[0] * a[1] + n[1] * a[2];
        let across = n[0] * a[2] - n[1] * a[1];
        math::powi(a[0] + sign * along, 2) + across * across
    };
    let smoothing = 2.0 * epsilon * epsilon;
    let s1 = (part(x, -1.0) + part(y, -1.0) + smoothing).sqrt();
    let s2 = (part(x, 1.0) + part(y, 1.0) + smoothing).sqrt();
    let (z0, zb) = (0.5 * (s1 + s2), 0.5 * (s2 - s1));
    let z = [z0, zb * n[0], zb * n[1]];
    let value = [x[0] + y[0] - z[0], x[1] + y[1] - z[1], x[2] + y[2] - z[2]];
    let determinant = s1 * s2;
    if determinant <= 0.0 {
        let slope = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
        let d = [[slope, 0.0, 0.0], [0.0, slope, 0.0], [0.0, 0.0, slope]];
        return ConeValue { value, dx: d, dy: d };
    }
    // z ∘ z = x² + y² + 2ε² ⇒ L_z dz = L_x dx + L_y dy with the arrow matrices L.
    let derivative = |a: &Vec3| {
        let columns = [[a[0], a[1], a[2]], [a[1], a[0], 0.0], [a[2], 0.0, a[0]]];
        let mut d = [[0.0; 3]; 3];
        for (j, column) in columns.iter().enumerate() {
            let solved = arrow_solve(&z, determinant, column);
            for i in 0..3 {
                d[i][j] = f64::from(u8::from(i == j)) - solved[i];
            }
        }
        d
    };
    ConeValue { value, dx: derivative(x), dy: derivative(y) }
}

/// L_z⁻¹ b, with det = z₀² − ‖z̄‖² given.
fn arrow_solve(z: &Vec3, determinant: f64, b: &Vec3) -> Vec3 {
    let head = (z[0] * b[0] - z[1] * b[1] - z[2] * b[2]) / determinant;
    [head, (b[1] - z[1] * head) / z[0], (b[2] - z[2] * head) / z[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: [(Vec3, Vec3); 4] = [
        ([1.3, 0.4, -0.2], [0.2, 0.9, 0.5]),
        ([2.0, 1.2, -1.6], [0.5, -0.3, 0.4]),
        ([-0.3, 0.1, 0.7], [0.0, 0.0, 0.0]),
        ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
    ];

    #[test]
    fn derivatives_agree_with_finite_differences() {
        let h = 1e-6;
        for (x, y) in PAIRS {
            for epsilon in [1.0, 0.05] {
                let at = cone(&x, &y, epsilon);
                for j in 0..3 {
                    let moved = |sign: f64, first: bool| {
                        let (mut x, mut y) = (x, y);
                        if first {
                            x[j] += sign * h
                        } else {
                            y[j] += sign * h
                        };
                        cone(&x, &y, epsilon).value
                    };
                    for i in 0..3 {
                        let dx = (moved(1.0, true)[i] - moved(-1.0, true)[i]) / (2.0 * h);
                        let dy = (moved(1.0, false)[i] - moved(-1.0, false)[i]) / (2.0 * h);
                        assert!((dx - at.dx[i][j]).abs() < 1e-7, "{x:?} {y:?} {epsilon}: {dx} {}", at.dx[i][j]);
                        assert!((dy - at.dy[i][j]).abs() < 1e-7, "{x:?} {y:?} {epsilon}: {dy} {}", at.dy[i][j]);
                    }
                }
            }
        }
    }

    #[test]
    fn vanishes_exactly_on_complementary_pairs() {
        // On opposite rays of the boundary; interior against zero; zero against interior.
        for (x, y) in [([2.0, 1.2, -1.6], [0.5, -0.3, 0.4]), ([1.0, 0.2, 0.3], [0.0; 3]), ([0.0; 3], [3.0, -1.0, 2.0])]
        {
            assert!(cone(&x, &y, 0.0).value.iter().all(|v| v.abs() < 1e-15));
        }
        // Both inside the cone but not orthogonal, and one outside.
        assert!(cone(&[1.0, 0.0, 0.0], &[1.0, 0.0, 0.0], 0.0).value[0] > 0.5);
        assert!(cone(&[1.0, 2.0, 0.0], &[0.0; 3], 0.0).value[0].abs() > 0.1);
        assert_eq!(scalar(3.0, 0.0, 0.0).0, 0.0);
        assert!(scalar(-1.0, 0.0, 0.0).0 < -1.9);
    }
}

//! Geometric stiffness of a joint: how its impulses, over mean arms and half-way directions, change as the end poses do.
//!
//! Impulses that turn with a body, or act at points that turn with it, are other impulses once it has turned further. With the
//! displacements (δx_A, δφ_A, δx_B, δφ_B) of the end poses, arms r and mean arms r̄:
//!
//! ```text
//! Λ at both anchors          δτ_B = ½(δφ_B×r_B⁺)×Λ,  δτ_A = −½(δφ_A×r_A⁺)×Λ
//! Λ along a length           besides δΛ = λ(I − n n⁺ᵀ)δd/(‖d‖ + ‖d⁺‖), n⁺ = d⁺/‖d⁺‖
//! P of a slider, at B        δP = ½ δφ_A×P,  and on A over c: δc = ½(δx_B + δφ_B×r_B⁺ − δx_A)
//! T about axes of A          δT = ½ δφ_A×T;  about axes of both, half of that for each
//! ```

use super::{HalfWay, JointGeometry, Measure, Placed};
use glamx::{DMat3, DVec3};

/// Change of the impulses on A and B, linear and angular, by the displacements of A and B, row-major.
pub(crate) type Stiffness = [[f64; 12]; 12];

/// Rows and columns of δx and δφ of A and B.
const LINEAR: [usize; 2] = [0, 6];
const ANGULAR: [usize; 2] = [3, 9];

/// `v×`.
fn cross(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

/// `a bᵀ`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn add(k: &mut Stiffness, row: usize, column: usize, block: DMat3) {
    for i in 0..3 {
        for j in 0..3 {
            k[row + i][column + j] += block.col(j)[i];
        }
    }
}

impl JointGeometry<'_> {
    /// The stiffness of impulses, row by row.
    pub fn stiffness(&self, before: &Placed, after: &Placed, impulses: &[f64]) -> Stiffness {
        let mut k = [[0.0; 12]; 12];
        let [arm_a, arm_b, arm_of_b] = self.arms(before, after);
        let half = HalfWay::of(before, after);
        let Placed { arm_a: end_a, arm_b: end_b, .. } = *after;
        for (spec, impulse) in self.rows.iter().zip(impulses).filter(|(_, impulse)| **impulse != 0.0) {
            let size = spec.sign() * impulse;
            let part = size * self.direction(spec.measure, &half, before, after);
            match spec.measure {
                Measure::Apart(_) | Measure::Length => {
                    // (δφ×r)×Λ = (Λ×)(r×)δφ.
                    add(&mut k, ANGULAR[0], ANGULAR[0], cross(part) * cross(end_a) * -0.5);
                    add(&mut k, ANGULAR[1], ANGULAR[1], cross(part) * cross(end_b) * 0.5);
                    let lengths = before.apart.length() + after.apart.length();
                    if spec.measure == Measure::Length && after.apart.length() > 0.0 {
                        let along = after.apart / after.apart.length();
                        let turned = (DMat3::IDENTITY - outer(part / size, along)) * (size / lengths);
                        // δd = δx_B − r_B×δφ_B − δx_A + r_A×δφ_A.
                        let way = [
                            (LINEAR[0], -DMat3::IDENTITY),
                            (ANGULAR[0], cross(end_a)),
                            (LINEAR[1], DMat3::IDENTITY),
                            (ANGULAR[1], -cross(end_b)),
                        ];
                        for (column, way) in way {
                            let change = turned * way;
                            add(&mut k, LINEAR[0], column, -change);
                            add(&mut k, ANGULAR[0], column, -(cross(arm_a) * change));
                            add(&mut k, LINEAR[1], column, change);
                            add(&mut k, ANGULAR[1], column, cross(arm_b) * change);
                        }
                    }
                }
                Measure::Along(_) => {
                    // δφ×P = −P×δφ.
                    let turned = cross(part) * -0.5;
                    add(&mut k, LINEAR[0], ANGULAR[0], -turned);
                    add(&mut k, ANGULAR[0], ANGULAR[0], -(cross(arm_of_b) * turned));
                    add(&mut k, LINEAR[1], ANGULAR[0], turned);
                    add(&mut k, ANGULAR[1], ANGULAR[0], cross(arm_b) * turned);
                    add(&mut k, ANGULAR[1], ANGULAR[1], cross(part) * cross(end_b) * 0.5);
                    // −δc×P = P×δc.
                    add(&mut k, ANGULAR[0], LINEAR[0], cross(part) * -0.5);
                    add(&mut k, ANGULAR[0], LINEAR[1], cross(part) * 0.5);
                    add(&mut k, ANGULAR[0], ANGULAR[1], cross(part) * cross(end_b) * -0.5);
                }
                Measure::Turn(_) => {}
                measure => {
                    let turned = cross(part) * -1.0;
                    for (side, share) in self.turning_shares(measure).into_iter().enumerate() {
                        add(&mut k, ANGULAR[0], ANGULAR[side], turned * -share);
                        add(&mut k, ANGULAR[1], ANGULAR[side], turned * share);
                    }
                }
            }
        }
        k
    }

    /// How much a direction turns with the end poses of A and of B.
    fn turning_shares(&self, measure: Measure) -> [f64; 2] {
        match measure {
            Measure::Tilt { .. } => [0.5, 0.0],
            Measure::Angle(i) if self.hinge == Some(i) => [0.5, 0.0],
            Measure::Angle(i) if self.cross.is_some() => match (self.cross, i) {
                (Some(0), 1) | (_, 0) => [0.5, 0.0],
                _ => [0.0, 0.5],
            },
            _ => [0.25, 0.25],
        }
    }
}

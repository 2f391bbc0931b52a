//! Rows of J: spec §5.2.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::step::contact::PatchState;
use crate::step::contact::tests::contact;

fn dot(row: &JacobianRow, v: &[f64; 12]) -> f64 {
    row.iter().zip(v).map(|(j, v)| j * v).sum()
}

#[test]
fn spec_5_2_jacobian_linear_part() {
    let row = contact_row(DVec3::Z, DVec3::ZERO, DVec3::ZERO);
    assert_eq!(row, [0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0].map(|x: f64| x + 0.0));
}

#[test]
fn spec_5_2_jacobian_angular_part() {
    let row = contact_row(DVec3::Z, DVec3::X, DVec3::Y);
    assert_eq!(row[3..6], [0.0, 1.0, 0.0], "−(x × z) = y");
    assert_eq!(row[9..12], [1.0, 0.0, 0.0], "y × z = x");
}

/// The gap `(p_B − p_A)·n` differentiated along rigid motions of both bodies.
#[test]
fn spec_5_2_jacobian_matches_finite_differences() {
    let n = DVec3::ONE / 3f64.sqrt();
    let (arm_a, arm_b) = (DVec3::new(0.4, 0.2, 0.1), DVec3::new(0.4, 0.2, 0.1));
    let row = contact_row(n, arm_a, arm_b);
    let (x_a, x_b) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.1, 2.2, 3.3));
    let gap = |motion: &[f64; 12]| {
        let v = |i: usize| DVec3::new(motion[i], motion[i + 1], motion[i + 2]);
        let point = |x: DVec3, i: usize, arm: DVec3| x + v(i) + DQuat::from_scaled_axis(v(i + 3)) * arm;
        (point(x_b, 6, arm_b) - point(x_a, 0, arm_a)).dot(n)
    };
    for column in 0..12 {
        let step = 1e-5;
        let (mut plus, mut minus) = ([0.0; 12], [0.0; 12]);
        plus[column] = step;
        minus[column] = -step;
        let slope = (gap(&plus) - gap(&minus)) / (2.0 * step);
        assert!((slope - row[column]).abs() < 1e-9, "column {column}: {slope} against {}", row[column]);
    }
}

#[test]
fn rigid_motion_of_both_bodies_opens_nothing() {
    let n = DVec3::new(1.0, -2.0, 0.5).normalize();
    let (x_a, x_b, point) = (DVec3::new(0.3, 0.1, -0.4), DVec3::new(-0.6, 0.9, 0.2), DVec3::new(0.1, 0.5, 0.0));
    let row = contact_row(n, point - x_a, point - x_b);
    let (v, w) = (DVec3::new(1.0, 2.0, -1.0), DVec3::new(0.3, -0.7, 1.1));
    let mut motion = [0.0; 12];
    motion[0..3].copy_from_slice(&(v + w.cross(x_a)).to_array());
    motion[3..6].copy_from_slice(&w.to_array());
    motion[6..9].copy_from_slice(&(v + w.cross(x_b)).to_array());
    motion[9..12].copy_from_slice(&w.to_array());
    assert!(dot(&row, &motion).abs() < 1e-15);
}

/// Regression: overlaps of a face were cut to zero next to its open corners. No rigid motion satisfies such gaps to the
/// last digits. Measured from the deepest point the gaps are those of a plane, and none pushes.
#[test]
fn gaps_of_a_tilted_face_stay_affine_where_it_has_sunk_by_less_than_what_counts_as_shut() {
    let dt = 1.0 / 60.0;
    let offset = |gap: f64, patch: PatchState, stabilisation: Stabilisation| {
        let contact = Contact { patch, ..contact(gap, 0.0) };
        normal_offset(&contact, 1.0, stabilisation, dt)
    };
    let open = PatchState::Open { sunk: 1e-7 };
    // Corners of a rectangle: opposite gaps have the same sum.
    let [a, b, c, d] = [-1e-7, 4e-6, 4.6e-6, 5e-7].map(|gap| offset(gap, open, Stabilisation::None));
    assert_eq!(a, 0.0);
    assert!(b > 0.0 && c > 0.0 && d > 0.0 && ((a + c) - (b + d)).abs() < 1e-18 / dt);
    assert_eq!(offset(-1e-3, PatchState::Open { sunk: 0.0 }, Stabilisation::None), 0.0);
    assert_eq!(offset(1e-7, PatchState::Shut, Stabilisation::None), 0.0);
    let bias = Stabilisation::VelocityBias { fraction: 0.2 };
    assert!((offset(-1e-7, open, bias) + 0.2 * 1e-7 / dt).abs() < 1e-18);
}

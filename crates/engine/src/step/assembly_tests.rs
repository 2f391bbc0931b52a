//! Rows of J: spec §5.2.
#![allow(clippy::unwrap_used)]

use super::*;

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

//! Rows of J, contact frames and inverse masses against numbers worked on paper.

use signorini_problem::JacobianRow;
use signorini_scenes::contact::{contact_rows, frame, row, spin_row};
use signorini_scenes::random::SplitMix64;
use signorini_scenes::vector::{Vec3, add, cross, dot, norm, scale, sub, unit};
use signorini_scenes::{Body, box_inertia, sphere_inertia};

fn random_vector(random: &mut SplitMix64) -> Vec3 {
    std::array::from_fn(|_| random.uniform(-1.0, 1.0))
}

fn apply(row: &JacobianRow, a: [f64; 6], b: [f64; 6]) -> f64 {
    row.iter().zip(a.iter().chain(&b)).map(|(j, v)| j * v).sum()
}

#[test]
fn tangents_are_orthonormal_for_axes_and_random_normals() {
    let mut normals: Vec<Vec3> = Vec::new();
    for k in 0..3 {
        for sign in [-1.0, 1.0] {
            let mut n = [0.0; 3];
            n[k] = sign;
            normals.push(n);
        }
    }
    let mut random = SplitMix64::new(42);
    normals.extend((0..1000).map(|_| unit(random_vector(&mut random))));
    for n in normals {
        let [a, t1, t2] = frame(n);
        assert_eq!(a, n);
        for (x, y, expected) in
            [(t1, t1, 1.0), (t2, t2, 1.0), (n, t1, 0.0), (n, t2, 0.0), (t1, t2, 0.0), (cross(t1, t2), n, 1.0)]
        {
            assert!((dot(x, y) - expected).abs() < 1e-12, "{n:?}");
        }
    }
}

#[test]
fn tangent_axis_is_the_smallest_component_and_ties_go_to_x_then_y() {
    // n = z: e = x, t1 = x×z = −y, t2 = z×(−y) = x.
    assert_eq!(frame([0.0, 0.0, 1.0]), [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]);
    // n = x: e = y, t1 = y×x = −z.
    assert_eq!(frame([1.0, 0.0, 0.0])[1], [0.0, 0.0, -1.0]);
    // n = y: e = x, t1 = x×y = z.
    assert_eq!(frame([0.0, 1.0, 0.0])[1], [0.0, 0.0, 1.0]);
}

#[test]
fn contact_jacobian_linear_and_angular() {
    // r_A = (1,0,0), r_B = (0,1,0), n = z.
    let (point, n) = ([0.0; 3], [0.0, 0.0, 1.0]);
    let j = contact_rows(n, point, Some([-1.0, 0.0, 0.0]), Some([0.0, -1.0, 0.0]))[0];
    assert_eq!(j[..3], [0.0, 0.0, -1.0]);
    assert_eq!(j[3..6], [0.0, 1.0, 0.0]);
    assert_eq!(j[6..9], [0.0, 0.0, 1.0]);
    assert_eq!(j[9..], [1.0, 0.0, 0.0]);
}

#[test]
fn relative_normal_velocity_head_on_and_angular() {
    let j = contact_rows([0.0, 0.0, 1.0], [0.0; 3], Some([-1.0, 0.0, 0.0]), Some([0.0; 3]))[0];
    assert_eq!(apply(&j, [0.0, 0.0, 2.0, 0.0, 0.0, 0.0], [0.0, 0.0, -2.0, 0.0, 0.0, 0.0]), -4.0);
    assert_eq!(apply(&j, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0.0; 6]), 0.0);
    assert_eq!(apply(&j, [0.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0; 6]), 1.0);
}

#[test]
fn fixed_side_has_no_columns() {
    for j in contact_rows([0.6, 0.0, 0.8], [1.0, 2.0, 3.0], None, Some([0.5, 0.5, 0.5])) {
        assert_eq!(j[..6], [0.0; 6]);
    }
    assert_eq!(spin_row([0.0, 0.0, 1.0]), [0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

/// A point of a body after moving for a time t at constant velocities (exact rotation, Rodrigues).
fn moved(center: Vec3, arm: Vec3, velocity: [f64; 6], t: f64) -> Vec3 {
    let omega = [velocity[3], velocity[4], velocity[5]];
    let angle = norm(omega) * t;
    let axis = unit(omega);
    let (sin, cos) = angle.sin_cos();
    let turned = add(add(scale(cos, arm), scale(sin, cross(axis, arm))), scale((1.0 - cos) * dot(axis, arm), axis));
    add(add(center, scale(t, [velocity[0], velocity[1], velocity[2]])), turned)
}

#[test]
fn contact_jacobian_matches_finite_differences_of_the_gap() {
    let mut random = SplitMix64::new(7);
    let arms = [0.4, 0.2, 0.1];
    for trial in 0..50 {
        let direction = if trial == 0 { unit([1.0; 3]) } else { unit(random_vector(&mut random)) };
        let (arm_a, arm_b) =
            if trial == 0 { (arms, arms) } else { (random_vector(&mut random), random_vector(&mut random)) };
        let point = random_vector(&mut random);
        let (center_a, center_b) = (sub(point, arm_a), sub(point, arm_b));
        let a: [f64; 6] = std::array::from_fn(|_| random.normal());
        let b: [f64; 6] = std::array::from_fn(|_| random.normal());
        let gap = |t: f64| dot(direction, sub(moved(center_b, arm_b, b, t), moved(center_a, arm_a, a, t)));
        let h = 1e-5;
        let difference = (gap(h) - gap(-h)) / (2.0 * h);
        let exact = apply(&row(direction, point, Some(center_a), Some(center_b)), a, b);
        // Central difference: h²/6 times a third derivative of order 100, and round-off 1e-16/h.
        assert!((difference - exact).abs() < 1e-7, "{difference} {exact}");
    }
}

#[test]
fn inertia_of_box_and_ball() {
    let unit_cube = box_inertia(1.0, [0.5; 3]);
    assert!(unit_cube.iter().all(|i| (i - 1.0 / 6.0).abs() < 1e-15));
    // 2 kg, edges 1, 2, 3: m/12 (4+9, 1+9, 1+4).
    let plate = box_inertia(2.0, [0.5, 1.0, 1.5]);
    for (i, expected) in plate.iter().zip([13.0 / 6.0, 10.0 / 6.0, 5.0 / 6.0]) {
        assert!((i - expected).abs() < 1e-15);
    }
    assert_eq!(sphere_inertia(5.0, 2.0), [8.0; 3]);
}

#[test]
fn turned_inverse_inertia_is_similar_and_exactly_symmetric() {
    // A quarter turn about z exchanges the moments of x and y.
    let body = Body::cuboid(2.0, [0.5, 1.0, 1.5], [0.0; 3]);
    let turned = body.clone().with_axes([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    let (m, t) = (body.inverse_mass(), turned.inverse_mass());
    assert_eq!((m[3][3], m[4][4], m[5][5]), (t[4][4], t[3][3], t[5][5]));
    let (sin, cos) = 0.3f64.sin_cos();
    let skewed = body.with_axes([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]]).inverse_mass();
    assert!((skewed[3][3] + skewed[4][4] - m[3][3] - m[4][4]).abs() < 1e-15);
    assert!(skewed[3][4].abs() > 0.01);
    for i in 0..6 {
        for j in 0..6 {
            assert_eq!(skewed[i][j], skewed[j][i]);
        }
    }
}

/// `K = J M⁻¹ Jᵀ` of one contact on one body, side B.
fn effective_mass(rows: &[JacobianRow; 3], body: &Body) -> [[f64; 3]; 3] {
    let m = body.inverse_mass();
    std::array::from_fn(|a| {
        std::array::from_fn(|b| {
            let mut k = 0.0;
            for i in 0..6 {
                for j in 0..6 {
                    k += rows[a][6 + i] * m[i][j] * rows[b][6 + j];
                }
            }
            k
        })
    })
}

#[test]
fn worked_k_of_the_unit_cube_corner() {
    let body = Body::cuboid(1.0, [0.5; 3], [0.0; 3]);
    let rows = contact_rows([0.0, 0.0, 1.0], [0.5, 0.5, -0.5], None, Some([0.0; 3]));
    let k = effective_mass(&rows, &body);
    for a in 0..3 {
        for b in 0..3 {
            let expected = if a == b { 4.0 } else { 1.5 };
            assert!((k[a][b].abs() - expected).abs() < 1e-14, "{k:?}");
        }
    }
    // Schur complement of the normal after the tangents: 4 − k_ntᵀ K_tt⁻¹ k_nt = 2.2.
    let determinant = k[1][1] * k[2][2] - k[1][2] * k[2][1];
    let (a, b) = (k[0][1], k[0][2]);
    let schur = k[0][0] - (a * (k[2][2] * a - k[1][2] * b) + b * (k[1][1] * b - k[2][1] * a)) / determinant;
    assert!((schur - 2.2).abs() < 1e-13, "{schur}");
}

#[test]
fn worked_b_off_centre_impact() {
    // m_A = 2, I = 1/3; m_B = 1, I = 1/6; r_A = (.5,.5,0), r_B = (−.5,.5,0), n = x: 1/K = 1/3.75.
    let (a, b) = (Body::cuboid(2.0, [0.5; 3], [0.0; 3]), Body::cuboid(1.0, [0.5; 3], [1.0, 0.0, 0.0]));
    let j = row([1.0, 0.0, 0.0], [0.5, 0.5, 0.0], Some(a.position), Some(b.position));
    let mut k = 0.0;
    for (side, body) in [(0, &a), (6, &b)] {
        let m = body.inverse_mass();
        for i in 0..6 {
            for l in 0..6 {
                k += j[side + i] * m[i][l] * j[side + l];
            }
        }
    }
    assert!((k - 3.75).abs() < 1e-14, "{k}");
    // v_A = 1 along x, e = 0.5: λ = 1.5/3.75 = 0.4, ω_A = +0.6 z, ω_B = −1.2 z.
    let lambda = 1.5 / k;
    let spin = |body: &Body, column: usize| body.inverse_mass()[5][5] * j[column] * lambda;
    assert!((lambda - 0.4).abs() < 1e-14);
    assert!((spin(&a, 5) - 0.6).abs() < 1e-13, "{}", spin(&a, 5));
    assert!((spin(&b, 11) + 1.2).abs() < 1e-13, "{}", spin(&b, 11));
}

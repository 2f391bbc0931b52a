//! The friction cone as the solvers use it: projections, their derivatives, the shift of de Saxcé.
//!
//! `K = {x_N ≥ 0, ‖x_T‖ ≤ μ x_N}`, `K* = {x_N ≥ μ‖x_T‖}`. Vectors are `[n, t1, t2]`; planar contacts carry a zero `t2`.
//! Written independently of the judge's own projection; `tests/properties/cone_against_judge.rs` compares the two.

/// A contact vector `[n, t1, t2]`.
pub type Vec3 = [f64; 3];
/// A 3×3 matrix, `m[row][column]`.
pub type Mat3 = [[f64; 3]; 3];

/// Where the projection onto K landed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConeState {
    /// Projected onto the apex: the contact opens.
    Open,
    /// Projected onto the surface: the contact slips.
    Slip,
    /// Inside already: the contact sticks.
    Stick,
}

/// ‖x_T‖.
#[inline]
pub fn tangential_norm(x: &Vec3) -> f64 {
    (x[1] * x[1] + x[2] * x[2]).sqrt()
}

/// `û = u + μ‖u_T‖ n`.
#[inline]
pub fn de_saxce_shift(mu: f64, u: &Vec3) -> Vec3 {
    [u[0] + mu * tangential_norm(u), u[1], u[2]]
}

/// Euclidean projection onto K, and where it landed.
#[inline]
pub fn project(mu: f64, z: &Vec3) -> (Vec3, ConeState) {
    let t = tangential_norm(z);
    // With μ = 0 both sides of the first comparison vanish for any z_N on the axis: the sign has to be asked for.
    if t <= mu * z[0] && z[0] >= 0.0 {
        (*z, ConeState::Stick)
    } else if z[0] <= -mu * t {
        ([0.0; 3], ConeState::Open)
    } else {
        // t > 0 here: t = 0 is caught above for either sign of z_N.
        let n = (z[0] + mu * t) / (1.0 + mu * mu);
        let scale = mu * n / t;
        ([n, scale * z[1], scale * z[2]], ConeState::Slip)
    }
}

/// Euclidean projection onto the dual cone K*: Moreau's decomposition, `P_K*(z) = z + P_K(−z)`.
#[inline]
pub fn project_dual(mu: f64, z: &Vec3) -> Vec3 {
    let (p, _) = project(mu, &[-z[0], -z[1], -z[2]]);
    [z[0] + p[0], z[1] + p[1], z[2] + p[2]]
}

/// An element of the generalised Jacobian of [`project`] at `z`.
#[inline]
pub fn project_jacobian(mu: f64, z: &Vec3) -> Mat3 {
    let (_, state) = project(mu, z);
    match state {
        ConeState::Open => [[0.0; 3]; 3],
        ConeState::Stick => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        ConeState::Slip => {
            let t = tangential_norm(z);
            let (c, s) = (z[1] / t, z[2] / t);
            let k = 1.0 / (1.0 + mu * mu);
            let n = (z[0] + mu * t) * k;
            // Along the generator e = (1, μc, μs), and the turning of the generator about the axis.
            let e = [1.0, mu * c, mu * s];
            let turn = [0.0, -s, c];
            let mut d = [[0.0; 3]; 3];
            for i in 0..3 {
                for j in 0..3 {
                    d[i][j] = k * e[i] * e[j] + (mu * n / t) * turn[i] * turn[j];
                }
            }
            d
        }
    }
}

/// Natural map in velocity units, `w r − P(w r − û)` [m/s], and the state of its projection.
#[inline]
pub fn natural_map(w: f64, mu: f64, r: &Vec3, u: &Vec3) -> (Vec3, ConeState) {
    let shifted = de_saxce_shift(mu, u);
    let z = [w * r[0] - shifted[0], w * r[1] - shifted[1], w * r[2] - shifted[2]];
    let (p, state) = project(mu, &z);
    ([w * r[0] - p[0], w * r[1] - p[1], w * r[2] - p[2]], state)
}

/// The nearest feasible impulse, exactly inside: the projection may land outside by a rounding, and an impulse inside
/// is returned as it is.
#[inline]
pub fn make_feasible(mu: f64, r: &Vec3) -> Vec3 {
    let (mut p, _) = project(mu, r);
    if p[0] <= 0.0 || mu == 0.0 {
        return [p[0].max(0.0), 0.0, 0.0];
    }
    // Shortening by two units in the last place per round outruns the half unit that each product can add.
    let mut shorter = 1.0;
    while tangential_norm(&p) > mu * p[0] {
        shorter -= 2.0 * f64::EPSILON;
        let scale = mu * p[0] / tangential_norm(&p) * shorter;
        p[1] *= scale;
        p[2] *= scale;
    }
    p
}

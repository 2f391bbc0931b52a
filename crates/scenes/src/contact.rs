//! Rows of J from geometry: contact frames, contacts, ball joints, axes.
//!
//! A row measures the velocity of B relative to A at one point along one direction d,
//!
//! ```text
//! u = d·(v_B + ω_B×r_B) − d·(v_A + ω_A×r_A),   r = p − x:   row = [−d, −(r_A×d), d, (r_B×d)]
//! ```
//!
//! All rows use the same sense, B relative to A, so that W has no mixed signs.

use crate::vector::{Vec3, cross, dot, scale, sub, unit};
use signorini_problem::JacobianRow;

/// A right-handed orthonormal frame `[n, t1, t2]` of a contact.
pub type Frame = [Vec3; 3];

/// The frame of a unit normal: `t1 = e×n/‖e×n‖` with e the world axis of the smallest |n_i| (ties: x, then y),
/// `t2 = n×t1`.
pub fn frame(normal: Vec3) -> Frame {
    let size = normal.map(f64::abs);
    let axis = if size[0] <= size[1] && size[0] <= size[2] {
        [1.0, 0.0, 0.0]
    } else if size[1] <= size[2] {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    let t1 = unit(cross(axis, normal));
    [normal, t1, cross(normal, t1)]
}

/// The components of a world vector in a frame.
pub fn in_frame(frame: &Frame, vector: Vec3) -> [f64; 3] {
    frame.map(|axis| dot(axis, vector))
}

/// The row along `direction` at `point` \[m\]; a side without a centre of mass is fixed and has zero columns.
pub fn row(direction: Vec3, point: Vec3, center_a: Option<Vec3>, center_b: Option<Vec3>) -> JacobianRow {
    let mut row = [0.0; 12];
    for (side, sign, center) in [(0, -1.0, center_a), (6, 1.0, center_b)] {
        let Some(center) = center else { continue };
        let linear = scale(sign, direction);
        row[side..side + 3].copy_from_slice(&linear);
        row[side + 3..side + 6].copy_from_slice(&cross(sub(point, center), linear));
    }
    row
}

/// The row that measures the angular velocity of B relative to A about `axis` [rad/s].
pub fn spin_row(axis: Vec3) -> JacobianRow {
    let mut row = [0.0; 12];
    row[3..6].copy_from_slice(&scale(-1.0, axis));
    row[9..12].copy_from_slice(&axis);
    row
}

/// The three rows `(n, t1, t2)` of a contact at `point` \[m\] with unit `normal` from A to B.
pub fn contact_rows(normal: Vec3, point: Vec3, center_a: Option<Vec3>, center_b: Option<Vec3>) -> [JacobianRow; 3] {
    frame(normal).map(|direction| row(direction, point, center_a, center_b))
}

//! Separation of two boxes by their fifteen axes (Gottschalk, Lin and Manocha 1996).
//!
//! The largest of the fifteen is the exact separation of boxes that overlap. For boxes apart at a corner it can be
//! less than their distance: the caller compares the overlap of the faces with the separation and asks for the
//! distance when they disagree. About 100 ns.

use crate::shape::core::Placed;
use glamx::{DMat3, DVec3};

/// Axes whose separations agree to this fraction of the boxes' size tie, and the earlier axis wins: A's x, y, z, B's
/// x, y, z, then edges. It decides the normal of boxes in the same pose.
const TIE: f64 = 1e-12;

/// Axis of largest separation (unit, from A to B, in the axes of A) and the separation along it, or `None` when they
/// are farther apart than `limit`.
pub(super) fn separate(half_a: DVec3, half_b: DVec3, b: &Placed, limit: f64) -> Option<(DVec3, f64)> {
    let (r, t) = (&b.rotation, b.translation);
    let columns = [r.x_axis, r.y_axis, r.z_axis];
    let rows = r.transpose();
    let rows = [rows.x_axis, rows.y_axis, rows.z_axis];
    let tie = TIE * (half_a.max_element() + half_b.max_element());
    let abs = DMat3::from_cols(columns[0].abs(), columns[1].abs(), columns[2].abs());
    // Half widths of B along A's axes and of A along B's.
    let b_along_a = abs * half_b;
    let a_along_b = DVec3::new(half_a.dot(abs.x_axis), half_a.dot(abs.y_axis), half_a.dot(abs.z_axis));

    let mut best = (f64::MIN, DVec3::ZERO);
    for i in 0..3 {
        let gap = t[i].abs() - half_a[i] - b_along_a[i];
        if gap > limit {
            return None;
        }
        if gap > best.0 + tie {
            let mut axis = DVec3::ZERO;
            axis[i] = 1f64.copysign(t[i]);
            best = (gap, axis);
        }
    }
    for (j, &axis) in columns.iter().enumerate() {
        let reach = axis.dot(t);
        let gap = reach.abs() - a_along_b[j] - half_b[j];
        if gap > limit {
            return None;
        }
        if gap > best.0 + tie {
            best = (gap, axis * 1f64.copysign(reach));
        }
    }
    // eᵢ × bⱼ has the components of bⱼ, turned: dot products with the boxes' own axes need no cross product.
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for (j, column) in columns.iter().enumerate() {
            let length_squared = column[i1] * column[i1] + column[i2] * column[i2];
            // Parallel edges: the faces cover this direction.
            if length_squared < 1e-16 {
                continue;
            }
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let reach = t[i2] * column[i1] - t[i1] * column[i2];
            let width_a = half_a[i1] * column[i2].abs() + half_a[i2] * column[i1].abs();
            // |eᵢ × bⱼ · bₖ| = |eᵢ · (bⱼ × bₖ)| = |eᵢ · b_l|.
            let width_b = half_b[j1] * rows[i][j2].abs() + half_b[j2] * rows[i][j1].abs();
            let room = reach.abs() - width_a - width_b;
            if room <= best.0 && best.0 <= 0.0 && room * room >= best.0 * best.0 * length_squared {
                continue;
            }
            let length = length_squared.sqrt();
            let gap = room / length;
            if gap > limit {
                return None;
            }
            if gap > best.0 + tie {
                let mut axis = DVec3::ZERO;
                axis[i1] = -column[i2];
                axis[i2] = column[i1];
                best = (gap, axis * (1f64.copysign(reach) / length));
            }
        }
    }
    Some((best.1, best.0))
}

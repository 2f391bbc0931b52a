//! Leaves out corners of a tilted rim onto which it rolls. They are no contacts of a flat face.

use super::contact_patch::FeatureKey;
use super::overlap::OverlapPoint;
use super::polygon::{CAP_SIDES, cap_corner, faces_with_base, faces_with_cap};
use crate::shape::core::{Core, Placed};
use glamx::DVec3;

/// Largest sine of the angle between a face normal and a contact normal that count as equal \[1\].
const ALIGNED: f64 = 1e-6;

/// Removes, from the points where `a` and `b` touch along `normal`, the corners onto which a rim rolls, if the lowest
/// point of the rim is over a flat face of the other.
pub(super) fn leave_out(a: &Core, b: &Placed, normal: DVec3, found: &mut Vec<OverlapPoint>) {
    leave_out_of(&b.core, a, b.to_local(-normal), normal, |key| (key.b, key.a), found);
    leave_out_of(a, &b.core, normal, b.to_local(-normal), |key| (key.a, key.b), found);
}

/// Does this for the rim of one core (`down` in its axes) on another core (`up` in the axes of that one).
fn leave_out_of(
    rim: &Core,
    on: &Core,
    down: DVec3,
    up: DVec3,
    key: impl Fn(FeatureKey) -> (u32, u32),
    found: &mut Vec<OverlapPoint>,
) {
    let side = match rim {
        Core::Cylinder { .. } if faces_with_cap(down) => u32::from(down.z > 0.0),
        Core::Cone { half, radius } if faces_with_base(*half, *radius, down) => 0,
        // The body lies on its side, or has no rim.
        _ => return,
    };
    if matches!(on, Core::Cylinder { .. } | Core::Cone { .. }) {
        return;
    }
    let aligned = |face: DVec3| face.dot(up) > 0.0 && face.cross(up).length() <= ALIGNED;
    if on.aligned_face(up).is_none_or(|face| !aligned(face)) {
        return;
    }
    let flat = down.truncate();
    let corner =
        |feature: u32| feature.checked_sub(side * CAP_SIDES).filter(|k| *k < CAP_SIDES && is_rolled_onto(*k, down));
    // A corner at the lowest point takes its place.
    let is_lowest = |k: u32| cap_corner(1.0, 0.0, k).truncate().perp_dot(flat).abs() <= 2e-6 * flat.length();
    let over = |point: &OverlapPoint| {
        let (own, other) = key(point.key);
        let lowest = own == FeatureKey::vertex(2 * CAP_SIDES + side) || corner(own).is_some_and(is_lowest);
        lowest && FeatureKey::is_face(other)
    };
    if found.iter().any(over) {
        found.retain(|point| corner(key(point.key).0).is_none_or(is_lowest));
    }
}

/// Sine of the angle between rim and surface above which the rim counts as round and not as flat. Below it, the gap
/// on the far side is within the overlap that a certified step may make.
pub(super) const TILTED: f64 = 1e-4;

/// Whether a tilted rim reaches corner k by rolling, that is, whether the corner is on the near and lower half of the
/// rim.
///
/// At the angle φ from the lowest point a corner has the gap `r sin α (1 − cos φ)`. A rim that rolls by `h ω` in a
/// step lowers the corner by `h ω r sin α sin φ`. A row that is linear in the motion would stop it where `tan(φ/2) <
/// h ω`, although it only rolls into the lowest place: the row would brake a rolling coin. Corners of the far half
/// come down when the rim tips over.
pub(super) fn is_rolled_onto(k: u32, dir: DVec3) -> bool {
    let flat = dir.truncate();
    flat.length() > TILTED && cap_corner(1.0, 0.0, k).truncate().dot(flat) > 1e-9
}

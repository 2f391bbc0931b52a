//! Pairs of spheres, capsules and boxes whose closest points are known in closed form.

use crate::shape::core::{Core, Placed};
use crate::shape::separation::Separation;
use glamx::DVec3;

/// Centres nearer than this fraction of the radii have no direction between them: the normal is then +z of A.
const COINCIDENT: f64 = 1e-14;

/// Separation of the cores of a round pair, or `None` when the pair has no closed form. `reach` is the sum of radii.
pub(super) fn separate(a: &Core, b: &Placed, reach: f64) -> Option<Separation> {
    match (*a, b.core) {
        (Core::Point, Core::Point) => Some(between(DVec3::ZERO, b.translation, DVec3::Z, reach)),
        (Core::Point, Core::Segment { half }) => {
            let axis = b.rotation.z_axis;
            let q = b.translation + axis * (-b.translation.dot(axis)).clamp(-half, half);
            Some(between(DVec3::ZERO, q, across(axis), reach))
        }
        (Core::Segment { half }, Core::Point) => {
            let p = DVec3::new(0.0, 0.0, b.translation.z.clamp(-half, half));
            Some(between(p, b.translation, DVec3::X, reach))
        }
        (Core::Segment { half }, Core::Segment { half: other }) => Some(segments(half, other, b, reach)),
        (Core::Cuboid { half }, Core::Point) => Some(box_point(half, b.translation, reach)),
        _ => None,
    }
}

/// Separation of two points; `fallback` is the normal when they coincide.
fn between(p: DVec3, q: DVec3, fallback: DVec3, reach: f64) -> Separation {
    let distance = (q - p).length();
    let normal = if distance > COINCIDENT * reach { (q - p) / distance } else { fallback };
    Separation { normal, gap: (q - p).dot(normal), middle: (p + q) * 0.5 }
}

/// A fixed direction across `axis`.
fn across(axis: DVec3) -> DVec3 {
    let other = if axis.x.abs() <= axis.y.abs().min(axis.z.abs()) { DVec3::X } else { DVec3::Z };
    axis.cross(other).try_normalize().unwrap_or(DVec3::X)
}

/// Closest points of two segments (Ericson 2005, §5.1.9), the first on the z axis.
fn segments(half: f64, other: f64, b: &Placed, reach: f64) -> Separation {
    let axis = b.rotation.z_axis;
    let c = axis.z;
    // Nearest points of the lines: s along z, t along the other axis, measured from the middles.
    let (along_a, along_b) = (b.translation.z, b.translation.dot(axis));
    let across_squared = 1.0 - c * c;
    let mut s = if across_squared > 1e-12 { (along_a - c * along_b) / across_squared } else { 0.0 };
    s = s.clamp(-half, half);
    let mut t = c * s - along_b;
    if t.abs() > other {
        t = t.clamp(-other, other);
        s = (along_a + c * t).clamp(-half, half);
    }
    let (p, q) = (DVec3::Z * s, b.translation + axis * t);
    // Crossing segments are separated along the direction perpendicular to both.
    between(p, q, DVec3::Z.cross(axis).try_normalize().unwrap_or(DVec3::X), reach)
}

/// A box and a point outside (nearest point) or inside (nearest face; x before y before z).
fn box_point(half: DVec3, q: DVec3, reach: f64) -> Separation {
    let p = q.clamp(-half, half);
    if (q - p).length() > COINCIDENT * (half.max_element() + reach) {
        return between(p, q, DVec3::Z, reach);
    }
    let room = half - q.abs();
    let axis = if room.x <= room.y && room.x <= room.z {
        0
    } else if room.y <= room.z {
        1
    } else {
        2
    };
    let mut normal = DVec3::ZERO;
    normal[axis] = 1f64.copysign(q[axis]);
    let gap = q.abs()[axis] - half[axis];
    Separation { normal, gap, middle: q - normal * (0.5 * gap) }
}

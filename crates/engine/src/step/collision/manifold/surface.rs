//! Convex shapes against triangle surfaces, one triangle at a time.
//!
//! Two rules make one surface of many triangles. A triangle pushes towards its front only. And nothing catches on an
//! edge or corner that triangles share: if a neighbour lies in front of the plane of contact, the contact belongs to the
//! neighbour, and the triangle answers with its face normal (cf. Bullet's internal-edge filter). Points that two
//! neighbours report are kept once.

use super::contact_patch::Manifold;
use super::{Shapes, Workspace};
use crate::shape::core::{Convex, Core, Placed};
use crate::shape::separation::{Separation, gap_along, out_of_reach};
use crate::shape::{Mesh, Primitive, Side};
use glamx::{DPose3, DVec3};

/// Height in front of the plane of contact that is still round-off, as a share of the triangle's size \[1\].
const LEAN: f64 = 1e-6;
/// Points of neighbouring triangles nearer than this fraction of the shape's size are the same.
const SAME: f64 = 1e-6;

/// Appends manifolds of `mesh` (A) and `primitive` at `pose` (B, in the axes of the mesh).
pub(super) fn collide(
    work: &mut Workspace,
    mesh: &Mesh,
    primitive: &Primitive,
    pose: &DPose3,
    margin: f64,
    subs: Shapes,
    out: &mut Vec<Manifold>,
) {
    if out_of_reach(pose) {
        return;
    }
    let Some(convex) = primitive.convex() else { return };
    let bounds = primitive.aabb(pose);
    let size = (bounds.max - bounds.min).max_element();
    let mut triangles = std::mem::take(&mut work.triangles);
    mesh.triangles_in(&bounds.inflated(margin), &mut triangles);
    let first = out.len();
    for &triangle in &triangles {
        let corners = mesh.corners(triangle);
        let centroid = (corners[0] + corners[1] + corners[2]) / 3.0;
        let normal = mesh.normals[triangle as usize];
        let core = Core::Triangle { corners: corners.map(|c| c - centroid), normal };
        let shifted = DPose3::from_parts(pose.translation - centroid, pose.rotation);
        let Some(mut apart) = separate(work, &core, &convex, &shifted, margin) else { continue };
        let b = Placed::new(convex.core, &shifted);
        if apart.normal.dot(normal) < 0.0 {
            let centre_behind = shifted.translation.dot(normal) < 0.0;
            let wholly_behind = b.support(normal).dot(normal) + convex.radius < 0.0;
            if wholly_behind || (centre_behind && mesh.side == Side::Sheet) {
                continue;
            }
            apart = along(&core, &b, normal);
        } else if leans_over_neighbour(mesh, triangle, apart.normal) {
            apart = along(&core, &b, normal);
        }
        if apart.gap > margin + convex.radius {
            continue;
        }
        let before = out.len();
        let flat = Convex { core, radius: 0.0 };
        work.patch(&flat, &convex, &b, &apart, margin, out);
        for manifold in &mut out[before..] {
            // A point beside the triangle belongs to a neighbour, if there is one.
            manifold.points.retain(|p| over_triangle(&flat.core, p.on_a, manifold.normal, size));
            for point in manifold.points.iter_mut() {
                point.on_a += centroid;
                point.on_b += centroid;
            }
            (manifold.sub_a, manifold.sub_b) = (triangle, subs.b);
        }
    }
    work.triangles = triangles;
    drop_twins(out, first, SAME * size);
}

/// Separation of a triangle and a convex core; exact nearest point when that core is a point.
fn separate(work: &mut Workspace, triangle: &Core, convex: &Convex, pose: &DPose3, margin: f64) -> Option<Separation> {
    let limit = margin + convex.radius;
    let (Core::Triangle { corners, normal }, Core::Point) = (triangle, convex.core) else {
        return work.separator.separate(triangle, &convex.core, pose, limit);
    };
    let nearest = nearest_on_triangle(corners, pose.translation);
    let apart = pose.translation - nearest;
    let distance = apart.length();
    if distance > limit {
        return None;
    }
    let normal = if distance > 1e-14 * convex.radius { apart / distance } else { *normal };
    Some(Separation { normal, gap: apart.dot(normal), middle: nearest + apart * 0.5 })
}

/// The separation along a given direction, which need not be the direction of largest separation.
fn along(triangle: &Core, b: &Placed, normal: DVec3) -> Separation {
    let gap = gap_along(triangle, b, normal);
    Separation { normal, gap, middle: b.support(-normal) - normal * (0.5 * gap) }
}

/// Whether a neighbour lies in front of the plane through the point of contact with normal `n`. The point of contact is
/// the corner or edge of the triangle that is farthest along `n`. Of an edge the neighbour across it is asked, of a corner
/// all triangles around it. (An obtuse triangle leans over its other edges as well, without touching there.)
fn leans_over_neighbour(mesh: &Mesh, triangle: u32, n: DVec3) -> bool {
    let corners = mesh.corners(triangle);
    let heights = corners.map(|corner| n.dot(corner - corners[0]));
    let top = heights.iter().fold(f64::NEG_INFINITY, |most: f64, height| most.max(*height));
    let longest = (0..3).map(|i| (corners[(i + 1) % 3] - corners[i]).length()).fold(0.0, f64::max);
    let in_front = |other: u32| {
        mesh.corners(other).iter().any(|corner| {
            let across = *corner - corners[0];
            n.dot(across) > top + LEAN * across.length().max(longest)
        })
    };
    let touches = heights.map(|height| height >= top - LEAN * longest);
    if let [true, false, false] | [false, true, false] | [false, false, true] = touches {
        let corner = touches.iter().position(|touches| *touches).unwrap_or(0);
        return mesh.triangles_around(triangle, corner).any(in_front);
    }
    (0..3).any(|i| {
        let neighbour = mesh.neighbours[triangle as usize][i];
        neighbour != u32::MAX && touches[i] && touches[(i + 1) % 3] && in_front(neighbour)
    })
}

fn over_triangle(triangle: &Core, p: DVec3, n: DVec3, size: f64) -> bool {
    let Core::Triangle { corners, normal } = triangle else { return true };
    let lean = n.dot(*normal);
    // Seen along n, not along the triangle's own normal.
    let p = if lean > 0.2 { p - n * (p.dot(*normal) - corners[0].dot(*normal)) / lean } else { p };
    (nearest_on_triangle(corners, p) - p).length() <= SAME * size
}

/// Nearest point of a triangle (Ericson 2005, §5.1.5).
fn nearest_on_triangle(&[a, b, c]: &[DVec3; 3], p: DVec3) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let (d3, d4) = (ab.dot(p - b), ac.dot(p - b));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let (d5, d6) = (ab.dot(p - c), ac.dot(p - c));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}

/// Removes points that an earlier triangle reported already with the same normal, then empty manifolds.
fn drop_twins(out: &mut Vec<Manifold>, first: usize, same: f64) {
    for later in first + 1..out.len() {
        let (earlier, rest) = out.split_at_mut(later);
        let manifold = &mut rest[0];
        let normal = manifold.normal;
        manifold.points.retain(|point| {
            !earlier[first..].iter().any(|other| {
                other.normal.dot(normal) > 1.0 - 1e-6
                    && other.points.iter().any(|p| (p.on_b - point.on_b).length() <= same)
            })
        });
    }
    let mut index = 0;
    out.retain(|manifold| {
        index += 1;
        index <= first || !manifold.points.is_empty()
    });
}

//! Convex shapes against a half-space: every corner near the plane is a contact point.
//!
//! A cylinder or cone that lies on its side touches along the lowest line of its side. One that stands tilted touches
//! with the lowest point of its rim, and with corners of the far half of the rim, which come down when it tips over.
//! Corners onto which the rim rolls are left out (`rim`).

use super::contact_patch::FeatureKey;
use super::overlap::OverlapPoint;
use super::polygon::{CAP_SIDES, MANY, cap_corner, faces_with_base, faces_with_cap, lowest_on_rim};
use super::rim::{TILTED, is_rolled_onto};
use crate::shape::core::{Convex, Core, Placed};
use glamx::{DPose3, DVec3};

/// Appends every corner of `b` within `margin` of the plane through the origin of A with unit `normal`.
pub(super) fn collide(normal: DVec3, b: &Convex, pose: &DPose3, margin: f64, out: &mut Vec<OverlapPoint>) {
    let placed = Placed::new(b.core, pose);
    let down = placed.to_local(-normal);
    let height = placed.translation.dot(normal) - b.radius;
    let mut add = |local: DVec3, vertex: u32| {
        let gap = height - local.dot(down);
        if gap <= margin {
            let on_b = placed.rotation * local + placed.translation - normal * b.radius;
            let key = FeatureKey { a: FeatureKey::face(0), b: FeatureKey::vertex(vertex) };
            out.push(OverlapPoint { on_a: on_b - normal * gap, on_b, gap, key });
        }
    };
    match b.core {
        Core::Point => add(DVec3::ZERO, 0),
        Core::Ellipsoid { .. } => add(b.core.support(down), 0),
        Core::Segment { half } => {
            add(DVec3::Z * -half, 0);
            add(DVec3::Z * half, 1);
        }
        Core::Cuboid { half } => {
            for corner in 0..8u32 {
                let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
                add(half * DVec3::new(sign(0), sign(1), sign(2)), corner);
            }
        }
        Core::Hull(hull) => {
            let reach = height - margin;
            if hull.vertices.iter().filter(|vertex| vertex.dot(down) >= reach).count() > MANY {
                let lowest = lowest_of_many(&hull.vertices, down, reach);
                for (place, &index) in lowest.iter().enumerate() {
                    if place == 0 || lowest[place - 1] != index {
                        add(hull.vertices[index], index as u32);
                    }
                }
                return;
            }
            for (index, &vertex) in hull.vertices.iter().enumerate() {
                add(vertex, index as u32);
            }
        }
        Core::Cylinder { half, radius } => {
            let lies = !faces_with_cap(down);
            add_rim(down, radius, -half, lies, &mut add);
            add_rim(down, radius, half, lies, &mut add);
        }
        Core::Cone { half, radius } => {
            add_rim(down, radius, -half, !faces_with_base(half, radius, down), &mut add);
            add(DVec3::Z * half, 2 * CAP_SIDES + 2);
        }
        Core::Triangle { corners, .. } => {
            for (index, &corner) in corners.iter().enumerate() {
                add(corner, index as u32);
            }
        }
    }
}

/// Tilts of the plane, as tangents, for which the lowest corners of a finely meshed hull are selected: from a face at
/// rest to a link that turns by 0.1 rad in a step.
const TILTS: [f64; 3] = [1e-3, 1e-2, 1e-1];

/// Selects from many corners the lowest one, and those that are lowest if the plane is tilted in one of [`CAP_SIDES`]
/// directions. They come in ascending order, some of them twice, and none is higher than `reach` along `down`.
fn lowest_of_many(vertices: &[DVec3], down: DVec3, reach: f64) -> [usize; 1 + TILTS.len() * CAP_SIDES as usize] {
    let lowest = |along: DVec3| {
        let mut best = (0, f64::MIN);
        for (index, vertex) in vertices.iter().enumerate() {
            let depth = vertex.dot(along);
            if depth > best.1 && vertex.dot(down) >= reach {
                best = (index, depth);
            }
        }
        best.0
    };
    let (x, y) = down.any_orthonormal_pair();
    let mut found = [lowest(down); 1 + TILTS.len() * CAP_SIDES as usize];
    for (k, found) in found.iter_mut().skip(1).enumerate() {
        let turned = cap_corner(TILTS[k / CAP_SIDES as usize], 0.0, k as u32 % CAP_SIDES);
        *found = lowest(down + x * turned.x + y * turned.y);
    }
    found.sort_unstable();
    found
}

/// The rim's lowest point, and the corners of the polygon inscribed in it, as far as they count.
fn add_rim(down: DVec3, radius: f64, z: f64, lies: bool, add: &mut impl FnMut(DVec3, u32)) {
    let side = u32::from(z > 0.0);
    let flat = down.truncate();
    if !lies {
        for k in (0..CAP_SIDES).filter(|k| !is_rolled_onto(*k, down)) {
            add(cap_corner(radius, z, k), side * CAP_SIDES + k);
        }
    }
    let lowest = match lies || flat.length() > TILTED {
        true => Some((flat.normalize_or_zero() * radius).extend(z)),
        false => lowest_on_rim(radius, z, down).map(|(_, point)| point),
    };
    if let Some(point) = lowest {
        add(point, 2 * CAP_SIDES + side);
    }
}

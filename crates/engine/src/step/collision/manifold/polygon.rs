//! The feature of a core that faces a direction: a whole face, an edge or a corner.

use super::contact_patch::FeatureKey;
use crate::shape::Hull;
use crate::shape::core::{Core, box_face};
use glamx::{DMat3, DVec3};

/// Corners of the polygon inscribed in a cylinder's cap or a cone's base. The polygon is fixed to the body, its first
/// corner on the x axis, so that keys persist; it holds 97.4 % of the disk's area. The exact lowest point of the rim is
/// added as one more corner, so depth does not depend on the polygon.
pub(super) const CAP_SIDES: u32 = 16;
/// A hull face with more corners than this is reduced to those that are outermost in [`CAP_SIDES`] directions, like a
/// cap.
pub(super) const MANY: usize = 2 * CAP_SIDES as usize;
/// A face is not used if its normal has less than this cosine with the contact normal; its edge is used instead.
const STEEP: f64 = 0.2;
/// An edge steeper than this (sine of its slope along the normal) counts as its upper end alone.
const STEEP_EDGE: f64 = 0.98;
/// Corners whose heights agree to this fraction of the core's size belong to the same feature.
const LEVEL: f64 = 1e-9;

/// A flat convex feature with its corners in order around it (either way).
#[derive(Default)]
pub(super) struct Polygon {
    pub(super) points: Vec<DVec3>,
    pub(super) vertex_ids: Vec<u32>,
    /// Edge from corner i to the next.
    pub(super) edge_ids: Vec<u32>,
    /// Key of the whole feature.
    pub(super) feature: u32,
    /// Outward normal; meaningful for three corners or more.
    pub(super) normal: DVec3,
    /// Heights of a hull's vertices; scratch memory.
    heights: Vec<f64>,
}

impl Polygon {
    fn clear(&mut self, feature: u32, normal: DVec3) {
        self.points.clear();
        self.vertex_ids.clear();
        self.edge_ids.clear();
        self.feature = feature;
        self.normal = normal;
    }

    fn push(&mut self, point: DVec3, vertex: u32, edge: u32) {
        self.points.push(point);
        self.vertex_ids.push(FeatureKey::vertex(vertex));
        self.edge_ids.push(FeatureKey::edge(edge));
    }

    fn corner(&mut self, point: DVec3, vertex: u32) {
        self.clear(FeatureKey::vertex(vertex), DVec3::ZERO);
        self.push(point, vertex, 0);
    }

    /// The edge, or its upper end when it stands nearly along `dir`.
    fn edge(&mut self, ends: [(DVec3, u32); 2], edge: u32, dir: DVec3) {
        let [(p, i), (q, j)] = ends;
        let rise = (q - p).dot(dir);
        if rise.abs() > STEEP_EDGE * (q - p).length() {
            return if rise > 0.0 { self.corner(q, j) } else { self.corner(p, i) };
        }
        self.clear(FeatureKey::edge(edge), DVec3::ZERO);
        self.push(p, i, edge);
        self.push(q, j, edge);
    }

    /// Rotates and moves all corners.
    pub(super) fn transform(&mut self, rotation: &DMat3, translation: DVec3) {
        self.normal = *rotation * self.normal;
        for point in &mut self.points {
            *point = *rotation * *point + translation;
        }
    }

    /// The feature of `core` that is highest along `dir`.
    pub(super) fn set_feature(&mut self, core: &Core, dir: DVec3) {
        match *core {
            Core::Point => self.corner(DVec3::ZERO, 0),
            Core::Segment { half } => {
                self.edge([(DVec3::Z * -half, 0), (DVec3::Z * half, 1)], 0, dir);
            }
            Core::Ellipsoid { .. } => self.corner(core.support(dir), 0),
            Core::Cuboid { half } => self.set_box_face(half, dir),
            Core::Hull(hull) => self.set_hull_feature(hull, dir),
            Core::Cylinder { half, radius } => {
                if faces_with_cap(dir) {
                    self.set_cap(radius, half.copysign(dir.z), dir);
                } else {
                    let rim = DVec3::new(dir.x, dir.y, 0.0).normalize() * radius;
                    self.edge([(rim.with_z(-half), 0), (rim.with_z(half), 1)], 3 * CAP_SIDES, dir);
                }
            }
            Core::Cone { half, radius } => {
                let tip = DVec3::new(0.0, 0.0, half);
                match DVec3::new(dir.x, dir.y, 0.0).try_normalize() {
                    Some(radial) if !faces_with_base(half, radius, dir) => {
                        let rim = (radial * radius).with_z(-half);
                        self.edge([(rim, 0), (tip, 1)], 3 * CAP_SIDES, dir);
                    }
                    _ if dir.z > 0.0 => self.corner(tip, 1),
                    _ => self.set_cap(radius, -half, dir),
                }
            }
            Core::Triangle { corners, normal } => {
                if normal.dot(dir).abs() >= STEEP {
                    self.clear(FeatureKey::face(0), normal * 1f64.copysign(normal.dot(dir)));
                    for (i, corner) in corners.into_iter().enumerate() {
                        self.push(corner, i as u32, i as u32);
                    }
                } else {
                    // Twice the height of an edge's middle.
                    let height = |i: usize| (corners[i] + corners[(i + 1) % 3]).dot(dir);
                    let mut best = 0;
                    for i in 1..3 {
                        if height(i) > height(best) {
                            best = i;
                        }
                    }
                    let next = (best + 1) % 3;
                    let ends = [(corners[best], best as u32), (corners[next], next as u32)];
                    self.edge(ends, best as u32, dir);
                }
            }
        }
    }

    /// Corner k of a box has the signs of the bits of k (x lowest); the edge between corners i and j is `8i + j`.
    fn set_box_face(&mut self, half: DVec3, dir: DVec3) {
        let normal = box_face(dir);
        let axis = if normal.x != 0.0 {
            0
        } else if normal.y != 0.0 {
            1
        } else {
            2
        };
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let side = u32::from(normal[axis] > 0.0);
        self.clear(FeatureKey::face(2 * axis as u32 + side), normal);
        // Counter-clockwise about +axis; the overlap accepts either sense.
        let ring = [0, 1, 3, 2].map(|k: u32| (side << axis) | ((k & 1) << u) | ((k >> 1) << v));
        for (i, &corner) in ring.iter().enumerate() {
            let next = ring[(i + 1) % 4];
            let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let point = half * DVec3::new(sign(0), sign(1), sign(2));
            self.push(point, corner, 8 * corner.min(next) + corner.max(next));
        }
    }

    /// The face that contains the highest corner, or the highest edge if one is level, and that is best aligned.
    fn set_hull_feature(&mut self, hull: &Hull, dir: DVec3) {
        self.heights.clear();
        self.heights.extend(hull.vertices.iter().map(|vertex| vertex.dot(dir)));
        let top = self.heights.iter().fold(f64::MIN, |top, h| top.max(*h));
        let level = top - LEVEL * hull.size;
        // (corners on top, two counting as many; alignment; face)
        let mut best = (0, f64::MIN, 0);
        for (index, face) in hull.faces.iter().enumerate() {
            let alignment = face.normal.dot(dir);
            if best.0 == 2 && alignment <= best.1 {
                continue;
            }
            let high = hull.face_loop(face).iter().filter(|&&v| self.heights[v as usize] >= level).count().min(2);
            if high > best.0 || (high > 0 && high == best.0 && alignment > best.1) {
                best = (high, alignment, index);
            }
        }
        let face = &hull.faces[best.2];
        let (ring, edges) = (hull.face_loop(face), hull.face_edges(face));
        if best.1 >= STEEP {
            self.clear(FeatureKey::face(best.2 as u32), face.normal);
            if ring.len() > MANY {
                return self.inscribe(hull, (ring, edges), face.normal, dir);
            }
            for (&v, &e) in ring.iter().zip(edges) {
                self.push(hull.vertices[v as usize], v, e);
            }
            return;
        }
        let ends = |i: usize| [ring[i], ring[(i + 1) % ring.len()]].map(|v| (hull.vertices[v as usize], v));
        let height = |i: usize| ends(i).iter().map(|(p, _)| p.dot(dir)).sum::<f64>();
        let mut highest = 0;
        for i in 1..ring.len() {
            if height(i) > height(highest) {
                highest = i;
            }
        }
        self.edge(ends(highest), edges[highest], dir);
    }

    /// Selects the corners of a face that are outermost in some body-fixed directions, and the highest one.
    fn inscribe(&mut self, hull: &Hull, (ring, edges): (&[u32], &[u32]), normal: DVec3, dir: DVec3) {
        let corner = |i: usize| hull.vertices[ring[i] as usize];
        let farthest = |along: DVec3| {
            let best = |best: (usize, f64), i: usize| {
                let reach = corner(i).dot(along);
                if reach > best.1 { (i, reach) } else { best }
            };
            (0..ring.len()).fold((0, f64::MIN), best).0
        };
        let (x, y) = normal.any_orthonormal_pair();
        let mut kept = [farthest(dir); CAP_SIDES as usize + 1];
        for (k, kept) in kept.iter_mut().skip(1).enumerate() {
            let along = cap_corner(1.0, 0.0, k as u32);
            *kept = farthest(x * along.x + y * along.y);
        }
        kept.sort_unstable();
        for (place, &i) in kept.iter().enumerate() {
            if place == 0 || kept[place - 1] != i {
                self.push(corner(i), ring[i], edges[i]);
            }
        }
    }

    fn set_cap(&mut self, radius: f64, z: f64, dir: DVec3) {
        let side = u32::from(z > 0.0);
        self.clear(FeatureKey::face(side), DVec3::new(0.0, 0.0, 1f64.copysign(z)));
        let lowest = lowest_on_rim(radius, z, dir);
        for k in 0..CAP_SIDES {
            self.push(cap_corner(radius, z, k), side * CAP_SIDES + k, side * CAP_SIDES + k);
            if let Some((_, rim)) = lowest.filter(|(after, _)| *after == k) {
                self.push(rim, 2 * CAP_SIDES + side, 2 * CAP_SIDES + side);
            }
        }
    }
}

/// Whether the cap of a cylinder is turned towards `dir` more than its side is.
pub(super) fn faces_with_cap(dir: DVec3) -> bool {
    dir.z.abs() >= std::f64::consts::FRAC_1_SQRT_2
}

/// Whether the base of a cone is turned towards `dir` more than its side is.
pub(super) fn faces_with_base(half: f64, radius: f64, dir: DVec3) -> bool {
    let Some(radial) = DVec3::new(dir.x, dir.y, 0.0).try_normalize() else { return true };
    (radial * (2.0 * half) + DVec3::Z * radius).normalize().dot(dir) < -dir.z
}

/// The point of a rim farthest along `dir` and the corner it comes after; `None` when it is a corner itself or the rim
/// is level.
pub(super) fn lowest_on_rim(radius: f64, z: f64, dir: DVec3) -> Option<(u32, DVec3)> {
    let flat = dir.truncate();
    let length = flat.length();
    if length <= 1e-9 {
        return None;
    }
    let flat = flat / length;
    let corner = |k: u32| cap_corner(1.0, 0.0, k % CAP_SIDES).truncate();
    let after = (0..CAP_SIDES).find(|&k| corner(k).perp_dot(flat) > 1e-6 && flat.perp_dot(corner(k + 1)) > 1e-6)?;
    Some((after, (flat * radius).extend(z)))
}

/// Corner k of the inscribed polygon. From a table, so that no platform's sine decides the bits.
pub(super) fn cap_corner(radius: f64, z: f64, k: u32) -> DVec3 {
    /// sin(2πk/16), k = 0 to 4.
    const SINE: [f64; 5] =
        [0.0, 0.382_683_432_365_089_8, std::f64::consts::FRAC_1_SQRT_2, 0.923_879_532_511_286_7, 1.0];
    let (quarter, step) = (k / 4 % 4, (k % 4) as usize);
    let (cosine, sine) = (SINE[4 - step], SINE[step]);
    let (x, y) = match quarter {
        0 => (cosine, sine),
        1 => (-sine, cosine),
        2 => (-cosine, -sine),
        _ => (sine, -cosine),
    };
    DVec3::new(radius * x, radius * y, z)
}

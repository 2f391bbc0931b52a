//! Signed distance of two shapes by parry's GJK and EPA, for the judge of a step. It is independent of the manifolds
//! that steps use.
//!
//! Only the support functions are shared with the narrow phase. Where parry finds no depth (it stalls about once in 10⁴
//! poses) the least of the depths along all face normals and towards the other's middle is taken, which is never too small.
//!
//! The distance of convex shapes is not less than their separation along any direction: where the line of middles, or a face of shapes with few,
//! shows that they are apart, or in each other by no more than is `shallow`, nothing else is looked for. Spheres and capsules are
//! pairs of segments.

use super::core::{Convex, Core, Placed};
use super::separation::{gap_along, out_of_reach};
use super::{Part, Primitive, Shape};
use glamx::{DPose3, DVec3};
use parry3d_f64::query::details::contact_support_map_support_map_with_params;
use parry3d_f64::query::gjk::{GJKResult, VoronoiSimplex};

/// Reused memory of the search.
pub(crate) struct DepthFinder {
    simplex: VoronoiSimplex,
    triangles: Vec<u32>,
    seen: Vec<DVec3>,
    /// Depth that is told as it is along one direction, without a search for another along which it is less \[m\].
    shallow: f64,
}

impl Default for DepthFinder {
    fn default() -> Self {
        DepthFinder { simplex: VoronoiSimplex::new(), triangles: Vec::new(), seen: Vec::new(), shallow: 0.0 }
    }
}

impl DepthFinder {
    /// Signed distance of two shapes \[m\], negative when they overlap; infinite where it is positive and of no interest.
    /// `relative` is the pose of B in the axes of A. A depth of no more than `shallow` \[m\] may be told larger than it is,
    /// up to that value.
    pub(crate) fn distance(&mut self, a: &Shape, b: &Shape, relative: &DPose3, shallow: f64) -> f64 {
        self.shallow = shallow;
        let mut least = f64::INFINITY;
        if !relative.is_finite() {
            return least;
        }
        let single = a.parts().len() == 1 && b.parts().len() == 1;
        for (i, part_a) in a.parts().iter().enumerate() {
            let bounds = (!single).then(|| part_a.primitive.aabb(&part_a.pose));
            for (j, part_b) in b.parts().iter().enumerate() {
                if !a.pushes(i, b, j) {
                    continue;
                }
                let pose_b = *relative * part_b.pose;
                if bounds.is_some_and(|bounds| !bounds.overlaps(&part_b.primitive.aabb(&pose_b))) {
                    continue;
                }
                least = least.min(self.parts(part_a, part_b, &part_a.pose.inv_mul(&pose_b)));
            }
        }
        least
    }

    fn parts(&mut self, a: &Part, b: &Part, pose: &DPose3) -> f64 {
        match (&a.primitive, &b.primitive) {
            (Primitive::HalfSpace { normal }, other) => other.convex().map_or(f64::INFINITY, |convex| {
                Placed::new(convex.core, pose).support(-*normal).dot(*normal) - convex.radius
            }),
            (_, Primitive::HalfSpace { .. }) => self.parts(b, a, &pose.inverse()),
            (Primitive::Mesh(mesh), other) => {
                let Some(convex) = other.convex() else { return f64::INFINITY };
                let mut triangles = std::mem::take(&mut self.triangles);
                mesh.triangles_in(&other.aabb(pose), &mut triangles);
                let mut least = f64::INFINITY;
                for triangle in &triangles {
                    let corners = mesh.corners(*triangle);
                    let normal = mesh.normals[*triangle as usize];
                    // Behind a triangle is the business of the triangles that bound the solid there.
                    if (pose.translation - corners[0]).dot(normal) < 0.0 {
                        continue;
                    }
                    let centroid = (corners[0] + corners[1] + corners[2]) / 3.0;
                    let core = Core::Triangle { corners: corners.map(|c| c - centroid), normal };
                    let shifted = DPose3::from_parts(pose.translation - centroid, pose.rotation);
                    least = least.min(self.convex(&Convex { core, radius: 0.0 }, &convex, &shifted));
                }
                self.triangles = triangles;
                least
            }
            (_, Primitive::Mesh(_)) => self.parts(b, a, &pose.inverse()),
            (one, two) => match (one.convex(), two.convex()) {
                (Some(a), Some(b)) => self.convex(&a, &b, pose),
                _ => f64::INFINITY,
            },
        }
    }

    fn convex(&mut self, a: &Convex, b: &Convex, pose: &DPose3) -> f64 {
        if out_of_reach(pose) {
            return f64::INFINITY;
        }
        let grown = a.radius + b.radius;
        let (one, two) = (&a.core, &b.core);
        if let (Some(half_a), Some(half_b)) = (half_segment(one), half_segment(two)) {
            return segments(half_a, half_b, pose) - grown;
        }
        if let Some(n) = pose.translation.try_normalize() {
            let found = gap_along(one, &Placed::new(*two, pose), n) - grown;
            if found >= -self.shallow {
                return found;
            }
        }
        let seen = &mut self.seen;
        if has_few_faces(one) && has_few_faces(two) {
            let found = by_faces(one, two, pose, f64::NEG_INFINITY, seen) - grown;
            if found >= -self.shallow {
                return found;
            }
        }
        // Of rounded shapes the distance of the cores counts, which axes bound from below only.
        if grown == 0.0
            && let Some(gap) = by_axes(one, two, pose, seen)
        {
            return gap;
        }
        // Cores of spheres and capsules have no inside: their distance is all there is.
        match contact_support_map_support_map_with_params(pose, one, two, grown, &mut self.simplex, None) {
            GJKResult::NoIntersection(_) => f64::INFINITY,
            GJKResult::ClosestPoints(p, q, n) => {
                let found = (q - p).dot(n);
                // An overlap is believed as far as no face shows that it is shallower.
                if found < 0.0 || !found.is_finite() {
                    by_faces(one, two, pose, if found < 0.0 { found } else { f64::NEG_INFINITY }, seen) - grown
                } else {
                    found - grown
                }
            }
            GJKResult::Intersection | GJKResult::Proximity(_) => {
                by_faces(one, two, pose, f64::NEG_INFINITY, seen) - grown
            }
        }
    }
}

/// Half the length of what a sphere or a capsule is grown from, along z \[m\].
fn half_segment(core: &Core) -> Option<f64> {
    match *core {
        Core::Point => Some(0.0),
        Core::Segment { half } => Some(half),
        _ => None,
    }
}

/// Distance of two segments about their middles, the first along z \[m\]: that of an end from the other segment, or where the lines cross
/// within both.
fn segments(half_a: f64, half_b: f64, pose: &DPose3) -> f64 {
    let (axis, middle) = (pose.rotation * DVec3::Z, pose.translation);
    let from_a = |p: DVec3| (p - DVec3::Z * p.z.clamp(-half_a, half_a)).length();
    let from_b = |p: DVec3| (p - middle - axis * (p - middle).dot(axis).clamp(-half_b, half_b)).length();
    let ends = [
        from_a(middle + half_b * axis),
        from_a(middle - half_b * axis),
        from_b(DVec3::Z * half_a),
        from_b(DVec3::Z * -half_a),
    ];
    let least = ends.into_iter().fold(f64::INFINITY, f64::min);
    let across = DVec3::Z.cross(axis);
    let square = across.length_squared();
    // Nearest points of the lines, by Cramer's rule.
    let (s, t) = (middle.cross(axis).dot(across), middle.cross(DVec3::Z).dot(across));
    if s.abs() <= half_a * square && t.abs() <= half_b * square && square > 0.0 {
        return least.min((middle.dot(across) / square.sqrt()).abs());
    }
    least
}

/// Whether all faces are looked at in no time.
fn has_few_faces(core: &Core) -> bool {
    !matches!(core, Core::Hull(_))
}

/// Pairs of edge directions up to which all axes are tried: two boxes have nine.
const MOST_EDGE_PAIRS: usize = 144;

/// Separation of two polytopes with few edges along the best of all face normals and edge cross products \[m\]: the depth
/// itself where they overlap (Gottschalk 1996). EPA stalls on faces that are parallel to the last bit, which boxes like to be.
fn by_axes(a: &Core, b: &Core, pose: &DPose3, seen: &mut Vec<DVec3>) -> Option<f64> {
    if !(a.is_polytope() && b.is_polytope()) {
        return None;
    }
    let (mut edges_a, mut edges_b) = (0, 0);
    a.visit_edges(|_| edges_a += 1);
    b.visit_edges(|_| edges_b += 1);
    if edges_a * edges_b > MOST_EDGE_PAIRS {
        return None;
    }
    let placed = Placed::new(*b, pose);
    let mut best = by_faces(a, b, pose, f64::NEG_INFINITY, seen);
    a.visit_edges(|e| {
        b.visit_edges(|f| {
            if let Some(n) = e.cross(placed.rotation * f).try_normalize() {
                best = best.max(gap_along(a, &placed, n)).max(gap_along(a, &placed, -n));
            }
        });
    });
    Some(best)
}

/// Differences of support points that [`by_faces`] remembers.
const REMEMBERED: usize = 512;

/// Largest of `least` and of the separations along the face normals of either core and the line of their middles \[m\].
///
/// Any point of B less any point of A bounds the separation along n by its component along n: a normal that one of the differences seen
/// so far keeps below the best is left out without a look at all vertices. The answer is the same.
fn by_faces(a: &Core, b: &Core, pose: &DPose3, least: f64, seen: &mut Vec<DVec3>) -> f64 {
    let placed = Placed::new(*b, pose);
    seen.clear();
    let mut next = 0;
    let mut best = least;
    let mut look = |n: DVec3| {
        if let Some(at) = seen.iter().position(|apart| apart.dot(n) <= best) {
            // Neighbours come one after the other.
            seen.swap(at / 2, at);
            return;
        }
        let apart = placed.support(-n) - a.support(n);
        best = best.max(apart.dot(n));
        if seen.len() < REMEMBERED {
            seen.push(apart);
        } else {
            seen[next] = apart;
            next = (next + 1) % REMEMBERED;
        }
    };
    look(pose.translation.try_normalize().unwrap_or(DVec3::Z));
    a.visit_face_axes(pose.translation, &mut look);
    b.visit_face_axes(placed.to_local(-pose.translation), |n| look(-(placed.rotation * n)));
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use glamx::DQuat;
    use std::f64::consts::FRAC_PI_2;

    /// Segments of 2 m and 1 m, the second turned by 90° about y, that is along x, unless said otherwise.
    #[test]
    fn segments_are_as_far_apart_as_on_paper() {
        let along_x = DQuat::from_rotation_y(FRAC_PI_2);
        let cases = [
            // They cross in the middle, 0.3 m apart.
            (DVec3::new(0.2, 0.3, 0.5), along_x, 0.3),
            // The end of the second is beside the first: 0.4 and 0.3 m off.
            (DVec3::new(0.9, 0.3, 0.5), along_x, 0.5),
            // The end of the first is below the second.
            (DVec3::new(0.2, 0.3, 1.4), along_x, 0.5),
            // End to end: 0.4, 0.3 and 1.2 m off.
            (DVec3::new(0.9, 0.3, 2.2), along_x, 1.3),
            // Parallel, side by side, and one after the other.
            (DVec3::new(0.6, 0.8, 0.7), DQuat::IDENTITY, 1.0),
            (DVec3::new(0.0, 0.0, 1.75), DQuat::IDENTITY, 0.25),
        ];
        for (place, turn, distance) in cases {
            let found = segments(1.0, 0.5, &DPose3::from_parts(place, turn));
            assert!((found - distance).abs() < 1e-12, "{place}: {found}, not {distance}");
        }
    }
}

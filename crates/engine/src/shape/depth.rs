//! Signed distance of two shapes by parry's GJK and EPA, for the judge of a step. It is independent of the manifolds
//! that steps use.
//!
//! Only the support functions are shared with the narrow phase. Where parry finds no depth (it stalls about once in 10⁴
//! poses) the least of the depths along all face normals and towards the other's middle is taken, which is never too small.

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
}

impl Default for DepthFinder {
    fn default() -> Self {
        DepthFinder { simplex: VoronoiSimplex::new(), triangles: Vec::new() }
    }
}

impl DepthFinder {
    /// Signed distance of two shapes \[m\], negative when they overlap; infinite where it is positive and of no interest.
    /// `relative` is the pose of B in the axes of A.
    pub(crate) fn distance(&mut self, a: &Shape, b: &Shape, relative: &DPose3) -> f64 {
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
        // Of rounded shapes the distance of the cores counts, which axes bound from below only.
        if grown == 0.0
            && let Some(gap) = by_axes(one, two, pose)
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
                    by_faces(one, two, pose, if found < 0.0 { found } else { f64::NEG_INFINITY }) - grown
                } else {
                    found - grown
                }
            }
            GJKResult::Intersection | GJKResult::Proximity(_) => by_faces(one, two, pose, f64::NEG_INFINITY) - grown,
        }
    }
}

/// Pairs of edge directions up to which all axes are tried: two boxes have nine.
const MOST_EDGE_PAIRS: usize = 144;

/// Separation of two polytopes with few edges along the best of all face normals and edge cross products \[m\]: the depth
/// itself where they overlap (Gottschalk 1996). EPA stalls on faces that are parallel to the last bit, which boxes like to be.
fn by_axes(a: &Core, b: &Core, pose: &DPose3) -> Option<f64> {
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
    let mut best = by_faces(a, b, pose, f64::NEG_INFINITY);
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
fn by_faces(a: &Core, b: &Core, pose: &DPose3, least: f64) -> f64 {
    let placed = Placed::new(*b, pose);
    let (mut seen, mut count, mut next) = ([DVec3::ZERO; REMEMBERED], 0, 0);
    let mut best = least;
    let mut look = |n: DVec3| {
        if let Some(at) = seen[..count].iter().position(|apart| apart.dot(n) <= best) {
            // Neighbours come one after the other.
            seen.swap(at / 2, at);
            return;
        }
        let apart = placed.support(-n) - a.support(n);
        best = best.max(apart.dot(n));
        seen[next] = apart;
        (count, next) = (REMEMBERED.min(count + 1), (next + 1) % REMEMBERED);
    };
    look(pose.translation.try_normalize().unwrap_or(DVec3::Z));
    a.visit_face_axes(pose.translation, &mut look);
    b.visit_face_axes(placed.to_local(-pose.translation), |n| look(-(placed.rotation * n)));
    best
}

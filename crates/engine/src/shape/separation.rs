//! Separation of two convex cores: the unit direction `n` along which they are farthest apart.
//!
//! `gap(n) = min_B p·n − max_A p·n`. Where the cores are apart, `max gap(n)` over all directions is their distance;
//! where they overlap it is minus the least translation that parts them, so one definition serves both. parry's GJK
//! and EPA propose `n`; three things are added because they can stall, return nothing, or give a direction made of
//! round-off when the cores just touch (measured in the wild at 1 in 10⁴ poses):
//! 1. `gap(n)` is always evaluated from the support functions, never taken from the simplex;
//! 2. if it falls short of what GJK or EPA claims, all face normals and edge cross products are tried (the separating
//!    axes of Gottschalk 1996, complete for polytopes);
//! 3. a face normal that separates as well as `n` replaces it, so that a resting face gives its exact normal.

use super::MAX_LENGTH;
use super::core::{Core, Placed};
use super::ellipsoid;
use glamx::{DPose3, DVec3};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};

/// Agreement asked of GJK and EPA, and the advantage given to faces, as a fraction of the cores' size. Far above the
/// round-off of a dot product (1e-16), far below any depth that matters.
const AGREEMENT: f64 = 1e-10;

/// Edge pairs tried when GJK and EPA fail. Finely faceted hulls have faces near every direction and can do without.
const MAX_EDGE_PAIRS: usize = 20_000;

/// No shape reaches this far \[m\], so cores whose origins are farther apart do not touch.
const FAR: f64 = 1e2 * MAX_LENGTH;

/// How two cores are apart, in the axes of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Separation {
    /// Unit direction from A to B.
    pub(crate) normal: DVec3,
    /// Separation along it \[m\]; negative when the cores overlap.
    pub(crate) gap: f64,
    /// A point midway between two closest points.
    pub(crate) middle: DVec3,
}

/// Reused memory of the search.
pub(crate) struct Separator {
    simplex: VoronoiSimplex,
    epa: EPA,
}

impl Default for Separator {
    fn default() -> Separator {
        Separator { simplex: VoronoiSimplex::new(), epa: EPA::new() }
    }
}

impl Separator {
    /// The separation of `a` and `b` at `pose` (B in the axes of A), or `None` when they are farther apart than
    /// `limit` ≥ 0.
    pub(crate) fn separate(&mut self, a: &Core, b: &Core, pose: &DPose3, limit: f64) -> Option<Separation> {
        if out_of_reach(pose) {
            return None;
        }
        let placed = Placed::new(*b, pose);
        let gap = |n: DVec3| gap_along(a, &placed, n);
        let scale = a.size() + b.size();
        let (claimed, found) = match self.propose(a, b, pose, limit) {
            GJKResult::ClosestPoints(p, q, n) => {
                ((q - p).dot(n), Some(Separation { normal: n, gap: gap(n), middle: (p + q) * 0.5 }))
            }
            GJKResult::NoIntersection(n) if gap(n) > limit => return None,
            _ => (f64::INFINITY, None),
        };
        let sound = |s: &Separation| s.normal.is_normalized() && claimed - s.gap <= AGREEMENT * scale;
        let mut best = match found.filter(sound) {
            Some(found) => found,
            None => {
                let searched = search_axes(a, &placed);
                match found.filter(|s| s.normal.is_normalized() && s.gap > searched.gap) {
                    Some(found) => found,
                    None => searched,
                }
            }
        };
        if matches!(a, Core::Ellipsoid { .. }) || matches!(b, Core::Ellipsoid { .. }) {
            best = ellipsoid::polish(a, &placed, best);
        }
        let faces = [
            a.aligned_face(best.normal),
            placed.core.aligned_face(placed.to_local(-best.normal)).map(|n| -(placed.rotation * n)),
        ];
        for face in faces.into_iter().flatten() {
            let along = gap(face);
            if along >= best.gap - AGREEMENT * scale {
                best = Separation { normal: face, gap: along, ..best };
                break;
            }
        }
        // A point core is its own closest point.
        match (a, b) {
            (Core::Point, _) => best.middle = best.normal * (0.5 * best.gap),
            (_, Core::Point) => best.middle = pose.translation - best.normal * (0.5 * best.gap),
            _ => {}
        }
        (best.gap <= limit).then_some(best)
    }

    fn propose(&mut self, a: &Core, b: &Core, pose: &DPose3, limit: f64) -> GJKResult {
        let start = pose.translation.try_normalize().unwrap_or(DVec3::X);
        self.simplex.reset(CsoPoint::from_shapes(pose, a, b, start));
        match gjk::closest_points(pose, a, b, limit, true, &mut self.simplex) {
            GJKResult::Intersection => match self.epa.closest_points(pose, a, b, &self.simplex) {
                Some((p, q, n)) => GJKResult::ClosestPoints(p, q, n),
                None => GJKResult::Intersection,
            },
            answer => answer,
        }
    }
}

/// Whether origins at this relative pose are too far apart for any shapes to touch, or the pose is no pose at all (GJK
/// would panic on NaN, and squares of such distances overflow).
pub(crate) fn out_of_reach(pose: &DPose3) -> bool {
    !pose.is_finite() || pose.translation.abs().max_element() > FAR
}

/// Separation of `a` and `b` along the unit direction `n` \[m\].
pub(crate) fn gap_along(a: &Core, b: &Placed, n: DVec3) -> f64 {
    let (near, far) = (a.support(n), b.support(-n));
    (far - near).dot(n)
}

/// Differences of support points that [`search_axes`] remembers: looking at all costs less than one look at a hull of thousands of
/// vertices, and for small shapes there are few.
const WITNESSES: usize = 512;

/// Best of all face normals and edge cross products; earlier axes win ties.
///
/// No point of B is nearer than its support point, so the difference w of any two points bounds the gap along n by w·n: most
/// directions are ruled out by one of the last few differences, without a look at all vertices.
fn search_axes(a: &Core, b: &Placed) -> Separation {
    let mut best = Separation { normal: DVec3::Z, gap: f64::MIN, middle: DVec3::ZERO };
    let tie = 1e-14 * (a.size() + b.core.size());
    let (mut witnesses, mut count, mut oldest) = ([DVec3::ZERO; WITNESSES], 0, 0);
    let mut consider = |n: DVec3| {
        if let Some(at) = witnesses[..count].iter().position(|w| w.dot(n) <= best.gap + tie) {
            // A difference that ruled out this direction probably rules out its neighbours: try it earlier.
            witnesses.swap(at / 2, at);
            return;
        }
        let apart = b.support(-n) - a.support(n);
        let gap = apart.dot(n);
        if gap > best.gap + tie {
            best = Separation { normal: n, gap, middle: DVec3::ZERO };
        }
        if count < WITNESSES {
            witnesses[count] = apart;
            count += 1;
        } else {
            witnesses[oldest] = apart;
            oldest = (oldest + 1) % WITNESSES;
        }
    };
    a.visit_face_axes(b.translation, &mut consider);
    b.core.visit_face_axes(b.to_local(-b.translation), |n| consider(-(b.rotation * n)));
    let (mut edges_a, mut edges_b) = (0, 0);
    a.visit_edges(|_| edges_a += 1);
    b.core.visit_edges(|_| edges_b += 1);
    if edges_a * edges_b > MAX_EDGE_PAIRS {
        edges_a = 0;
    }
    a.visit_edges(|e| {
        if edges_a == 0 {
            return;
        }
        b.core.visit_edges(|f| {
            if let Some(n) = e.cross(b.rotation * f).try_normalize() {
                consider(n);
                consider(-n);
            }
        });
    });
    if !a.is_polytope() || !b.core.is_polytope() {
        consider(b.translation.try_normalize().unwrap_or(DVec3::Z));
    }
    let far = b.support(-best.normal);
    best.middle = far - best.normal * (0.5 * best.gap);
    best
}

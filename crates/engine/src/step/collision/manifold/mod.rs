//! Manifolds. In: sorted pairs, shapes, poses. Out: contact points with normal, gap and feature keys.
//!
//! For each pair of convex pieces: find the direction `n` of largest separation (closed form for round pairs, fifteen
//! axes for boxes, checked GJK/EPA for the rest), take the *whole* face, edge or corner of each piece that faces the
//! other, and intersect the two along `n` (`overlap.rs`). Every corner of the intersection within the margin is a
//! contact point with its own gap, and the least gap equals the separation along `n` (tested to 1e-9 m).
//!
//! The result is a function of the shapes, the pose of B in the axes of A, and the margin, and of nothing else: the
//! same relative pose gives the same bits, with or without a [`PairCache`].

mod boxes;
mod contact_patch;
mod half_space;
mod overlap;
mod polygon;
mod rim;
mod rods;
mod round;
mod surface;

pub use contact_patch::{FeatureKey, Manifold, ManifoldPoint, ManifoldPoints, reduce_to_four};

use crate::shape::core::{Convex, Core, Placed};
use crate::shape::separation::{Separation, Separator, out_of_reach};
use crate::shape::{Part, Primitive, Shape};
use glamx::{DPose3, DVec3};
use overlap::{Overlap, OverlapPoint};
use polygon::Polygon;

/// If the overlap misses the separation by more than this fraction of the pieces' size, the closest points are added.
const SHOWN: f64 = 1e-10;
/// Closest points nearer to a corner than this fraction of the smaller core's size replace it.
const TWIN: f64 = 1e-6;

/// Finds contact points. Keeps its memory between calls.
#[derive(Default)]
pub struct NarrowPhase {
    work: Workspace,
}

/// The last answer for one pair of shapes, kept by the caller. Reused as it is while the relative pose and the margin
/// keep their bits; a resting pair then costs a copy. It must not be carried over to another pair of shapes.
#[derive(Default)]
pub struct PairCache {
    /// Pose of B in the axes of A, and the margin.
    question: Option<(DPose3, f64)>,
    /// Manifolds in the axes of A.
    answer: Vec<Manifold>,
}

impl PairCache {
    /// Whether there is an answer to be reused.
    pub fn knows(&self) -> bool {
        self.question.is_some()
    }
}

/// Reused memory of the convex pairs.
#[derive(Default)]
struct Workspace {
    separator: Separator,
    overlap: Overlap,
    face_a: Polygon,
    face_b: Polygon,
    found: Vec<OverlapPoint>,
    triangles: Vec<u32>,
    /// Heap parts of manifolds given back.
    spare: Vec<Vec<ManifoldPoint>>,
}

/// Indices of the parts at hand.
#[derive(Clone, Copy)]
struct Shapes {
    a: u32,
    b: u32,
}

impl NarrowPhase {
    /// Appends the manifolds of two shapes whose gap is at most `margin` ≥ 0 \[m\]; none for a pose that is not finite.
    pub fn collide(
        &mut self,
        shape_a: &Shape,
        pose_a: &DPose3,
        shape_b: &Shape,
        pose_b: &DPose3,
        margin: f64,
        out: &mut Vec<Manifold>,
    ) {
        let first = out.len();
        self.work.collide_shapes(shape_a, shape_b, &pose_a.inv_mul(pose_b), margin, out);
        out[first..].iter_mut().for_each(|manifold| manifold.transform(pose_a));
    }

    /// Appends manifolds of the parts that `chosen` names if they touch, without asking their filters.
    pub(crate) fn touch_parts(
        &mut self,
        (shape_a, pose_a, shape_b, pose_b): (&Shape, DPose3, &Shape, DPose3),
        chosen: impl Fn(usize, usize) -> bool,
        out: &mut Vec<Manifold>,
    ) {
        self.work.collide_chosen(shape_a, shape_b, &pose_a.inv_mul(&pose_b), 0.0, chosen, out);
    }

    /// As [`NarrowPhase::collide`], with the memory of this pair.
    #[allow(clippy::too_many_arguments)] // Two shapes, two poses, and what collide() takes besides.
    pub fn collide_cached(
        &mut self,
        cache: &mut PairCache,
        shape_a: &Shape,
        pose_a: &DPose3,
        shape_b: &Shape,
        pose_b: &DPose3,
        margin: f64,
        out: &mut Vec<Manifold>,
    ) {
        self.look(cache, shape_a, shape_b, &pose_a.inv_mul(pose_b), margin);
        self.place(cache, pose_a, out, |manifold| manifold);
    }

    /// Brings the memory of a pair up to date, B being at `relative` in the axes of A.
    pub(crate) fn look(
        &mut self,
        cache: &mut PairCache,
        shape_a: &Shape,
        shape_b: &Shape,
        relative: &DPose3,
        margin: f64,
    ) {
        if !cache.question.is_some_and(|(pose, for_margin)| same_bits(&pose, relative) && for_margin == margin) {
            self.work.recycle(&mut cache.answer);
            self.work.collide_shapes(shape_a, shape_b, relative, margin, &mut cache.answer);
            cache.question = Some((*relative, margin));
        }
    }

    /// Appends what `wrap` makes of the manifolds in the memory of a pair, moved to where A is.
    pub(crate) fn place<T>(
        &mut self,
        cache: &PairCache,
        pose_a: &DPose3,
        out: &mut Vec<T>,
        wrap: impl Fn(Manifold) -> T,
    ) {
        out.extend(cache.answer.iter().map(|manifold| wrap(manifold.placed(pose_a, &mut self.work.spare))));
    }

    /// Forgets the last answer and keeps its memory, so that the cache may serve another pair of shapes.
    pub fn forget(&mut self, cache: &mut PairCache) {
        cache.question = None;
        self.work.recycle(&mut cache.answer);
    }

    /// Takes the memory of one manifold that is no longer needed.
    pub fn take_back(&mut self, manifold: &mut Manifold) {
        self.work.take_back(manifold);
    }

    /// Empties `manifolds` and keeps their memory for the next call. Use it instead of `clear` between steps.
    pub fn recycle(&mut self, manifolds: &mut Vec<Manifold>) {
        self.work.recycle(manifolds);
    }
}

fn same_bits(p: &DPose3, q: &DPose3) -> bool {
    let bits = |pose: &DPose3| {
        let (t, r) = (pose.translation, pose.rotation);
        [t.x, t.y, t.z, r.x, r.y, r.z, r.w].map(f64::to_bits)
    };
    bits(p) == bits(q)
}

impl Workspace {
    fn collide_shapes(&mut self, a: &Shape, b: &Shape, relative: &DPose3, margin: f64, out: &mut Vec<Manifold>) {
        self.collide_chosen(a, b, relative, margin, |i, j| a.pushes(i, b, j), out);
    }

    fn collide_chosen(
        &mut self,
        a: &Shape,
        b: &Shape,
        relative: &DPose3,
        margin: f64,
        chosen: impl Fn(usize, usize) -> bool,
        out: &mut Vec<Manifold>,
    ) {
        if !relative.is_finite() {
            return;
        }
        let (parts_a, parts_b) = (a.parts(), b.parts());
        let single = parts_a.len() == 1 && parts_b.len() == 1;
        for (i, part_a) in parts_a.iter().enumerate() {
            let bounds = if single { None } else { Some(part_a.primitive.aabb(&part_a.pose).inflated(margin)) };
            for (j, part_b) in parts_b.iter().enumerate() {
                if !chosen(i, j) {
                    continue;
                }
                let pose_b = *relative * part_b.pose;
                if bounds.is_some_and(|bounds| !bounds.overlaps(&part_b.primitive.aabb(&pose_b))) {
                    continue;
                }
                let first = out.len();
                let subs = Shapes { a: i as u32, b: j as u32 };
                self.collide_parts(part_a, part_b, &part_a.pose.inv_mul(&pose_b), margin, subs, out);
                // Most shapes are one part in the axes of the shape, which is not moved.
                if part_a.pose != DPose3::IDENTITY {
                    out[first..].iter_mut().for_each(|manifold| manifold.transform(&part_a.pose));
                }
            }
        }
    }

    /// Manifolds in the axes of part A; `pose` is that of part B in them.
    fn collide_parts(&mut self, a: &Part, b: &Part, pose: &DPose3, margin: f64, subs: Shapes, out: &mut Vec<Manifold>) {
        let first = out.len();
        match (&a.primitive, &b.primitive) {
            (Primitive::HalfSpace { normal }, other) => {
                let Some(convex) = other.convex() else { return };
                self.found.clear();
                half_space::collide(*normal, &convex, pose, margin, &mut self.found);
                self.emit(*normal, 0.0, 0.0, out);
            }
            (Primitive::Mesh(mesh), other) => {
                return surface::collide(self, mesh, other, pose, margin, subs, out);
            }
            (_, Primitive::HalfSpace { .. } | Primitive::Mesh(_))
            | (Primitive::Sphere { .. }, Primitive::Cuboid { .. }) => {
                self.collide_parts(b, a, &pose.inverse(), margin, Shapes { a: subs.b, b: subs.a }, out);
                for manifold in &mut out[first..] {
                    manifold.transform(pose);
                    manifold.flip();
                }
                return;
            }
            (one, two) => {
                if let (Some(one), Some(two)) = (one.convex(), two.convex()) {
                    self.collide_convex(&one, &two, pose, margin, out);
                }
            }
        }
        for manifold in &mut out[first..] {
            (manifold.sub_a, manifold.sub_b) = (subs.a, subs.b);
        }
    }

    fn collide_convex(&mut self, a: &Convex, b: &Convex, pose: &DPose3, margin: f64, out: &mut Vec<Manifold>) {
        if out_of_reach(pose) {
            return;
        }
        let placed = Placed::new(b.core, pose);
        let reach = a.radius + b.radius;
        let limit = margin + reach;
        // Rounded boxes need the nearest points of their cores, which the axes miss at corners.
        if let (Core::Cuboid { half: half_a }, Core::Cuboid { half: half_b }) = (a.core, b.core)
            && reach == 0.0
        {
            let Some((normal, gap)) = boxes::separate(half_a, half_b, &placed, margin) else { return };
            let apart = Separation { normal, gap, middle: DVec3::ZERO };
            self.find_overlap(a, &placed, &apart, margin);
            // For boxes apart at a corner the axes give less than the distance, and the faces do not overlap there.
            if self.shows(&apart, a, b) {
                return self.emit(normal, 0.0, 0.0, out);
            }
        }
        let apart = match round::separate(&a.core, &placed, reach) {
            Some(apart) => apart,
            None => match self.separator.separate(&a.core, &b.core, pose, limit) {
                Some(apart) => apart,
                None => return,
            },
        };
        if apart.gap <= limit {
            let first = out.len();
            self.patch(a, b, &placed, &apart, margin, out);
            rods::add_ends(self, (a, b), &placed, margin, first, out);
        }
    }

    /// The manifold of two convex pieces along a known separation; at least one point.
    fn patch(
        &mut self,
        a: &Convex,
        b: &Convex,
        placed: &Placed,
        apart: &Separation,
        margin: f64,
        out: &mut Vec<Manifold>,
    ) {
        self.find_overlap(a, placed, apart, margin + a.radius + b.radius);
        if !self.shows(apart, a, b) {
            let half = apart.normal * (0.5 * apart.gap);
            let (on_a, on_b) = (apart.middle - half, apart.middle + half);
            self.add_witness(apart, on_a, on_b, TWIN * f64::min(a.core.size(), b.core.size()));
        }
        rim::leave_out(&a.core, placed, apart.normal, &mut self.found);
        self.emit(apart.normal, a.radius, b.radius, out);
    }

    fn find_overlap(&mut self, a: &Convex, b: &Placed, apart: &Separation, limit: f64) {
        self.found.clear();
        self.face_a.set_feature(&a.core, apart.normal);
        self.face_b.set_feature(&b.core, b.to_local(-apart.normal));
        self.face_b.transform(&b.rotation, b.translation);
        self.overlap.find(apart.normal, &self.face_a, &self.face_b, limit, &mut self.found);
    }

    /// Whether the overlap holds a point as deep as the separation.
    fn shows(&self, apart: &Separation, a: &Convex, b: &Convex) -> bool {
        let least = self.found.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        least <= apart.gap + SHOWN * (a.core.size() + b.core.size())
    }

    /// Adds the closest points. A corner that is already there is replaced: how two points at one place with different
    /// gaps share their impulse is nearly undetermined, and solvers converge slowly.
    fn add_witness(&mut self, apart: &Separation, on_a: DVec3, on_b: DVec3, twin: f64) {
        let witness = OverlapPoint { on_a, on_b, gap: apart.gap, key: FeatureKey::WITNESS };
        let near = |p: &&mut OverlapPoint| {
            (p.on_a - on_a).reject_from_normalized(apart.normal).length_squared() <= twin * twin
        };
        match self.found.iter_mut().find(near) {
            Some(corner) => *corner = OverlapPoint { key: corner.key, ..witness },
            None => self.found.push(witness),
        }
    }

    /// Turns the points found into a manifold, moving them from the cores out to the surfaces.
    fn emit(&mut self, normal: DVec3, radius_a: f64, radius_b: f64, out: &mut Vec<Manifold>) {
        if self.found.is_empty() {
            return;
        }
        let mut points = self.fresh(self.found.len());
        for point in &self.found {
            points.push(ManifoldPoint {
                on_a: point.on_a + normal * radius_a,
                on_b: point.on_b - normal * radius_b,
                gap: point.gap - radius_a - radius_b,
                key: point.key,
            });
        }
        out.push(Manifold { normal, points, sub_a: 0, sub_b: 0 });
    }

    /// An empty list, with a recycled heap part when `count` needs one.
    fn fresh(&mut self, count: usize) -> ManifoldPoints {
        ManifoldPoints::with_spill(count, &mut self.spare)
    }

    fn recycle(&mut self, manifolds: &mut Vec<Manifold>) {
        manifolds.iter_mut().for_each(|manifold| self.take_back(manifold));
        manifolds.clear();
    }

    fn take_back(&mut self, manifold: &mut Manifold) {
        if manifold.points.spill.capacity() > 0 {
            self.spare.push(std::mem::take(&mut manifold.points.spill));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression: the closest points, a nanometre deeper than the corner at the same place, were added beside it, and
    /// two contacts at one place with different gaps kept solvers from converging.
    #[test]
    fn closest_points_at_a_corner_found_already_are_no_second_point() {
        let mut work = Workspace::default();
        let corner = FeatureKey { a: 3, b: 5 };
        let at = |x: f64, gap: f64| (DVec3::new(x, 0.0, 0.0), DVec3::new(x, 0.0, gap));
        let (on_a, on_b) = at(1.0, 2e-9);
        work.found.push(OverlapPoint { on_a, on_b, gap: 2e-9, key: corner });
        let apart = Separation { normal: DVec3::Z, gap: 1e-9, middle: DVec3::new(1.0, 0.0, 5e-10) };
        let (on_a, on_b) = at(1.0 + 1e-12, 1e-9);
        work.add_witness(&apart, on_a, on_b, 1e-6);
        assert_eq!(work.found.len(), 1);
        assert_eq!((work.found[0].gap, work.found[0].key), (1e-9, corner));
        let (on_a, on_b) = at(1.1, 1e-9);
        work.add_witness(&apart, on_a, on_b, 1e-6);
        assert_eq!((work.found.len(), work.found[1].key), (2, FeatureKey::WITNESS));
    }
}

//! Output of the narrow phase: manifolds, their contact points, and the feature keys by which points are recognised in
//! the next step.

use glamx::{DPose3, DVec3};
use std::ops::{Deref, DerefMut};

/// Points kept inside a manifold before it spills to the heap: faces of boxes that lie on each other have four, and
/// manifolds are copied.
const INLINE: usize = 4;

/// Points where two convex pieces touch or nearly touch along one normal.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifold {
    /// Unit normal in world axes, from A to B.
    pub normal: DVec3,
    /// The points, in an order that depends only on shapes and relative pose.
    pub points: ManifoldPoints,
    /// Part of A: index of the compound's leaf, or of the triangle when A is a surface.
    pub sub_a: u32,
    /// Part of B, likewise.
    pub sub_b: u32,
}

/// One point of a manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ManifoldPoint {
    /// Point on the surface of A, world \[m\].
    pub on_a: DVec3,
    /// Point on the surface of B, world \[m\].
    pub on_b: DVec3,
    /// Gap `(on_b − on_a)·normal` \[m\]; negative where the shapes overlap. Computed in the axes of A, so it keeps its
    /// digits far from the world's origin.
    pub gap: f64,
    /// Names the features that made the point; distinct within a manifold.
    pub key: FeatureKey,
}

impl ManifoldPoint {
    /// Midway between the surfaces \[m\].
    pub fn middle(&self) -> DVec3 {
        (self.on_a + self.on_b) * 0.5
    }
}

impl Manifold {
    /// The point with the smallest gap, the first of equals.
    pub fn nearest(&self) -> Option<&ManifoldPoint> {
        self.points.iter().reduce(|least, p| if p.gap < least.gap { p } else { least })
    }
}

/// The two features, one of each shape, that make the point. Equal keys in consecutive steps mean the same point,
/// moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeatureKey {
    /// Feature of A: kind in the upper two bits (vertex, edge, face, closest point), index below.
    pub a: u32,
    /// Feature of B.
    pub b: u32,
}

impl FeatureKey {
    const EDGE: u32 = 1 << 30;
    const FACE: u32 = 2 << 30;
    const CLOSEST: u32 = 3 << 30;

    pub(super) fn vertex(index: u32) -> u32 {
        index & (Self::EDGE - 1)
    }

    pub(super) fn edge(index: u32) -> u32 {
        Self::EDGE | (index & (Self::EDGE - 1))
    }

    pub(super) fn face(index: u32) -> u32 {
        Self::FACE | (index & (Self::EDGE - 1))
    }

    pub(super) fn is_face(feature: u32) -> bool {
        feature & Self::CLOSEST == Self::FACE
    }

    /// The pair of closest points, whatever features they lie on.
    pub(super) const WITNESS: FeatureKey = FeatureKey { a: Self::CLOSEST, b: Self::CLOSEST };

    fn flipped(self) -> FeatureKey {
        FeatureKey { a: self.b, b: self.a }
    }
}

/// A list of points: up to 4 inside the manifold, more on the heap. The heap part goes back to the narrow phase by
/// [`super::NarrowPhase::recycle`], so that a steady step allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct ManifoldPoints {
    inline: [ManifoldPoint; INLINE],
    count: usize,
    /// All points, once there are more than `INLINE`.
    pub(super) spill: Vec<ManifoldPoint>,
}

impl ManifoldPoints {
    /// An empty list ready for `count` points, with a heap part from `spare` if it needs one.
    pub(super) fn with_spill(count: usize, spare: &mut Vec<Vec<ManifoldPoint>>) -> ManifoldPoints {
        let spill = if count > INLINE { spare.pop().unwrap_or_default() } else { Vec::new() };
        ManifoldPoints { spill, ..ManifoldPoints::default() }
    }

    /// Adds a point.
    pub fn push(&mut self, point: ManifoldPoint) {
        if self.count < INLINE {
            self.inline[self.count] = point;
        } else {
            if self.count == INLINE {
                self.spill.clear();
                self.spill.extend_from_slice(&self.inline);
            }
            self.spill.push(point);
        }
        self.count += 1;
    }

    /// Keeps the points for which `keep` holds, in their order.
    pub fn retain(&mut self, mut keep: impl FnMut(&ManifoldPoint) -> bool) {
        let mut kept = 0;
        for i in 0..self.count {
            let point = self[i];
            if keep(&point) {
                self[kept] = point;
                kept += 1;
            }
        }
        if self.count > INLINE && kept <= INLINE {
            self.inline[..kept].copy_from_slice(&self.spill[..kept]);
        }
        self.spill.truncate(if kept > INLINE { kept } else { 0 });
        self.count = kept;
    }
}

impl Deref for ManifoldPoints {
    type Target = [ManifoldPoint];

    fn deref(&self) -> &[ManifoldPoint] {
        if self.count <= INLINE { &self.inline[..self.count] } else { &self.spill }
    }
}

impl DerefMut for ManifoldPoints {
    fn deref_mut(&mut self) -> &mut [ManifoldPoint] {
        if self.count <= INLINE { &mut self.inline[..self.count] } else { &mut self.spill }
    }
}

impl PartialEq for ManifoldPoints {
    fn eq(&self, other: &ManifoldPoints) -> bool {
        self[..] == other[..]
    }
}

impl<'a> IntoIterator for &'a ManifoldPoints {
    type Item = &'a ManifoldPoint;
    type IntoIter = std::slice::Iter<'a, ManifoldPoint>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Manifold {
    /// Smallest gap of the points \[m\]; infinite when there is none.
    pub fn least_gap(&self) -> f64 {
        self.points.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min)
    }

    /// The same contact with A and B exchanged.
    pub(super) fn flip(&mut self) {
        self.normal = -self.normal;
        std::mem::swap(&mut self.sub_a, &mut self.sub_b);
        for point in self.points.iter_mut() {
            std::mem::swap(&mut point.on_a, &mut point.on_b);
            point.key = point.key.flipped();
        }
    }

    /// A copy moved like [`Manifold::transform`], with a heap part from `spare` if it needs one.
    pub(super) fn placed(&self, pose: &DPose3, spare: &mut Vec<Vec<ManifoldPoint>>) -> Manifold {
        let mut points = ManifoldPoints::with_spill(self.points.len(), spare);
        for point in &self.points {
            points.push(ManifoldPoint {
                on_a: pose.transform_point(point.on_a),
                on_b: pose.transform_point(point.on_b),
                ..*point
            });
        }
        Manifold { normal: pose.rotation * self.normal, points, sub_a: self.sub_a, sub_b: self.sub_b }
    }

    /// Moves the manifold, given in the axes of `pose`, to the axes `pose` is given in.
    pub(super) fn transform(&mut self, pose: &DPose3) {
        self.normal = pose.rotation * self.normal;
        for point in self.points.iter_mut() {
            point.on_a = pose.transform_point(point.on_a);
            point.on_b = pose.transform_point(point.on_b);
        }
    }
}

/// Keeps at most four points: the deepest, and those that span the most area with it.
///
/// The deepest point, the point farthest from it, the point farthest from their line, and the point that adds most to
/// that triangle on its outside. Greedy, not the best of all quadrilaterals, but each choice is the largest of its kind
/// and ties go to the earlier point, so the answer is deterministic.
pub fn reduce_to_four(manifold: &mut Manifold) {
    if manifold.points.len() <= 4 {
        return;
    }
    let normal = manifold.normal;
    let points = &manifold.points;
    let best = |measure: &dyn Fn(&ManifoldPoint) -> f64| {
        let mut best = (f64::MIN, 0);
        for (i, point) in points.iter().enumerate() {
            let value = measure(point);
            if value > best.0 {
                best = (value, i);
            }
        }
        best
    };
    let flat = |p: &ManifoldPoint| (p.on_a + p.on_b) * 0.5;
    let area = |a: DVec3, b: DVec3, c: DVec3| 0.5 * (b - a).cross(c - a).dot(normal);
    let (_, first) = best(&|p| -p.gap);
    let a = flat(&points[first]);
    let (_, second) = best(&|p| (flat(p) - a).reject_from_normalized(normal).length_squared());
    let b = flat(&points[second]);
    let (_, third) = best(&|p| area(a, b, flat(p)).abs());
    let c = flat(&points[third]);
    let turn = if area(a, b, c) < 0.0 { -1.0 } else { 1.0 };
    // Outside an edge of the counter-clockwise triangle the area with that edge is negative.
    let outside = |p: DVec3| {
        let areas = [area(a, b, p) * turn, area(b, c, p) * turn, area(c, a, p) * turn];
        -areas.into_iter().fold(0.0, f64::min)
    };
    let (gain, fourth) = best(&|p| outside(flat(p)));
    let keys = [first, second, third, fourth].map(|i| points[i].key);
    let wanted = if gain > 0.0 { &keys[..] } else { &keys[..3] };
    manifold.points.retain(|p| wanted.contains(&p.key));
}

//! Overlap of two features seen along the contact normal.
//!
//! Both features are projected along `n`, the polygons are intersected (Sutherland and Hodgman 1974, the second clipped
//! by the sides of the first), and each corner of the intersection is lifted back to both features: its gap is the
//! distance between them along `n` there. Nothing is assumed about the faces being parallel: for a tilted face the
//! gaps differ, and where two edges cross the crossing is a corner of the intersection and carries the least gap.
//!
//! Departure from the textbook: corners remember where they come from. A corner of B over A's face, a corner of A under
//! B's face, or a crossing of two sides: each can occur once, so keys are distinct.

use super::contact_patch::FeatureKey;
use super::polygon::Polygon;
use glamx::{DVec2, DVec3};

/// Two edges this parallel (sine of their angle) touch along a stretch rather than at a crossing. For capsules of
/// radius r and length L it misjudges the gap at the ends by at most (1e-3 L)²/4r.
const PARALLEL: f64 = 1e-3;
/// Features reach this fraction of their size beyond their sides, so that sides that coincide still overlap.
const REACH: f64 = 1e-9;
/// Corners nearer than this fraction of the smaller feature's size are one: a cube keeps its four corners on a ground
/// of a thousand kilometres.
const MERGE: f64 = 1e-6;
/// Round-off of corners, as a fraction of the larger feature's size.
const ROUND_OFF: f64 = 1e-14;

/// One corner of the overlap, in the axes of A.
#[derive(Clone, Copy, Debug)]
pub(super) struct OverlapPoint {
    pub(super) on_a: DVec3,
    pub(super) on_b: DVec3,
    pub(super) gap: f64,
    pub(super) key: FeatureKey,
}

/// Which side an edge of the clipped polygon lies on.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    A(u32),
    B(u32),
}

#[derive(Clone, Copy)]
struct Corner {
    at: DVec2,
    key: FeatureKey,
    /// The side from this corner to the next.
    side: Side,
}

/// Reused memory.
#[derive(Default)]
pub(super) struct Overlap {
    flat_a: Vec<DVec2>,
    corners: Vec<Corner>,
    clipped: Vec<Corner>,
    heights: Vec<f64>,
}

/// Axes of the contact plane: `x × y = n`.
struct Plane {
    n: DVec3,
    x: DVec3,
    y: DVec3,
    origin: DVec3,
}

impl Plane {
    fn new(n: DVec3, origin: DVec3) -> Plane {
        let size = n.abs();
        let least = if size.x <= size.y && size.x <= size.z {
            DVec3::X
        } else if size.y <= size.z {
            DVec3::Y
        } else {
            DVec3::Z
        };
        let x = least.cross(n).normalize_or_zero();
        Plane { n, x, y: n.cross(x), origin }
    }

    fn flatten(&self, p: DVec3) -> DVec2 {
        let r = p - self.origin;
        DVec2::new(r.dot(self.x), r.dot(self.y))
    }

    fn lift(&self, at: DVec2) -> DVec3 {
        self.origin + self.x * at.x + self.y * at.y
    }

    /// Height along n of a feature above the flat point.
    fn height(&self, feature: &Polygon, at: DVec2, ground: DVec3) -> f64 {
        match feature.points[..] {
            [p] => (p - self.origin).dot(self.n),
            [p, q] => {
                let (from, along) = (self.flatten(p), self.flatten(q) - self.flatten(p));
                let t = ((at - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                (p + (q - p) * t - self.origin).dot(self.n)
            }
            [p, ..] => feature.normal.dot(p - ground) / feature.normal.dot(self.n),
            [] => 0.0,
        }
    }
}

impl Overlap {
    /// Appends the corners of the overlap of `a` and `b` along the unit normal `n` (A to B) whose gap is at most
    /// `limit`. Appends nothing if one of them is a corner: then the closest points suffice.
    pub(super) fn find(&mut self, n: DVec3, a: &Polygon, b: &Polygon, limit: f64, out: &mut Vec<OverlapPoint>) {
        let plane = Plane::new(n, a.points[0]);
        let extents = [extent(a), extent(b)];
        let size = extents[0].max(extents[1]);
        self.corners.clear();
        match (a.points.len(), b.points.len()) {
            (1, _) | (_, 1) => return,
            (2, 2) => self.cross_segments(&plane, a, b),
            (2, _) => {
                self.clip_segment(&plane, a, b, REACH * size);
                for corner in &mut self.corners {
                    corner.key = FeatureKey { a: corner.key.b, b: corner.key.a };
                }
            }
            (_, 2) => self.clip_segment(&plane, b, a, REACH * size),
            _ => self.clip_polygon(&plane, a, b, REACH * size),
        }
        let first = out.len();
        let merge = MERGE * extents[0].min(extents[1]) + ROUND_OFF * size;
        for &corner in &self.corners {
            let ground = plane.lift(corner.at);
            let (low, high) = (plane.height(a, corner.at, ground), plane.height(b, corner.at, ground));
            let gap = high - low;
            let point = OverlapPoint { on_a: ground + n * low, on_b: ground + n * high, gap, key: corner.key };
            let near = |other: &OverlapPoint| {
                (other.on_a - point.on_a).reject_from_normalized(n).length_squared() <= merge * merge
            };
            // Corners that coincide are neighbours around the overlap; the deeper stands for both.
            let twin =
                [out.len().wrapping_sub(1), first].into_iter().find(|&i| i >= first && i < out.len() && near(&out[i]));
            match twin {
                Some(i) if gap < out[i].gap => out[i] = point,
                Some(_) => {}
                None => out.push(point),
            }
        }
        let mut kept = first;
        for i in first..out.len() {
            if out[i].gap <= limit {
                out[kept] = out[i];
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    /// `b` clipped by the sides of `a`.
    fn clip_polygon(&mut self, plane: &Plane, a: &Polygon, b: &Polygon, reach: f64) {
        let sense = self.set_flat(plane, a);
        for (i, &p) in b.points.iter().enumerate() {
            let key = FeatureKey { a: a.feature, b: b.vertex_ids[i] };
            self.corners.push(Corner { at: plane.flatten(p), key, side: Side::B(i as u32) });
        }
        let sides = self.flat_a.len();
        for i in 0..sides {
            let (from, to) = (self.flat_a[i], self.flat_a[after(i, sides)]);
            let Some(along) = (to - from).try_normalize() else { continue };
            let inward = along.perp() * sense;
            self.heights.clear();
            self.heights.extend(self.corners.iter().map(|c| inward.dot(c.at - from)));
            self.clipped.clear();
            let count = self.corners.len();
            for k in 0..count {
                let next = after(k, count);
                let (corner, height, ahead) = (self.corners[k], self.heights[k], self.heights[next]);
                let (inside, ahead_inside) = (height >= -reach, ahead >= -reach);
                if inside {
                    self.clipped.push(corner);
                }
                if inside != ahead_inside {
                    let t = (height / (height - ahead)).clamp(0.0, 1.0);
                    let at = corner.at + (self.corners[next].at - corner.at) * t;
                    let side = if inside { Side::A(i as u32) } else { corner.side };
                    self.clipped.push(Corner { at, key: meeting(a, b, corner.side, i, sides), side });
                }
            }
            std::mem::swap(&mut self.corners, &mut self.clipped);
            if self.corners.is_empty() {
                return;
            }
        }
    }

    /// The segment `s` clipped by the sides of the polygon `p`; keys as if the polygon were A.
    fn clip_segment(&mut self, plane: &Plane, s: &Polygon, p: &Polygon, reach: f64) {
        let sense = self.set_flat(plane, p);
        let (start, end) = (plane.flatten(s.points[0]), plane.flatten(s.points[1]));
        let mut ends = [
            (0.0, FeatureKey { a: p.feature, b: s.vertex_ids[0] }),
            (1.0, FeatureKey { a: p.feature, b: s.vertex_ids[1] }),
        ];
        let sides = self.flat_a.len();
        for i in 0..sides {
            let (from, to) = (self.flat_a[i], self.flat_a[(i + 1) % sides]);
            let Some(along) = (to - from).try_normalize() else { continue };
            let inward = along.perp() * sense;
            let (h0, h1) = (inward.dot(start - from), inward.dot(end - from));
            if h0 < -reach && h1 < -reach {
                return;
            }
            let key = FeatureKey { a: p.edge_ids[i], b: s.edge_ids[0] };
            let t = (h0 / (h0 - h1)).clamp(0.0, 1.0);
            if h0 < -reach && t > ends[0].0 {
                ends[0] = (t, key);
            } else if h1 < -reach && t < ends[1].0 {
                ends[1] = (t, key);
            }
        }
        if ends[0].0 <= ends[1].0 {
            for (t, key) in ends {
                self.corners.push(Corner { at: start + (end - start) * t, key, side: Side::B(0) });
            }
        }
    }

    /// Crossing of two segments, or both ends of their common stretch when they are parallel.
    fn cross_segments(&mut self, plane: &Plane, a: &Polygon, b: &Polygon) {
        let [a0, a1] = [plane.flatten(a.points[0]), plane.flatten(a.points[1])];
        let [b0, b1] = [plane.flatten(b.points[0]), plane.flatten(b.points[1])];
        let (u, v) = (a1 - a0, b1 - b0);
        let (length_u, length_v) = (u.length(), v.length());
        let turn = u.perp_dot(v);
        if turn.abs() > PARALLEL * length_u * length_v {
            let (s, t) = ((b0 - a0).perp_dot(v) / turn, (b0 - a0).perp_dot(u) / turn);
            if (-REACH..=1.0 + REACH).contains(&s) && (-REACH..=1.0 + REACH).contains(&t) {
                let key = FeatureKey { a: a.edge_ids[0], b: b.edge_ids[0] };
                self.corners.push(Corner { at: a0 + u * s, key, side: Side::A(0) });
            }
            return;
        }
        let along = u / length_u;
        let (mut low, mut high) = ((along.dot(b0 - a0), b.vertex_ids[0]), (along.dot(b1 - a0), b.vertex_ids[1]));
        if low.0 > high.0 {
            std::mem::swap(&mut low, &mut high);
        }
        let lower = if low.0 > 0.0 {
            (low.0, FeatureKey { a: a.feature, b: low.1 })
        } else {
            (0.0, FeatureKey { a: a.vertex_ids[0], b: b.feature })
        };
        let upper = if high.0 < length_u {
            (high.0, FeatureKey { a: a.feature, b: high.1 })
        } else {
            (length_u, FeatureKey { a: a.vertex_ids[1], b: b.feature })
        };
        if lower.0 <= upper.0 {
            for (s, key) in [lower, upper] {
                self.corners.push(Corner { at: a0 + along * s, key, side: Side::A(0) });
            }
        }
    }

    /// Projects the clipping polygon; +1 when it runs counter-clockwise.
    fn set_flat(&mut self, plane: &Plane, polygon: &Polygon) -> f64 {
        self.flat_a.clear();
        self.flat_a.extend(polygon.points.iter().map(|p| plane.flatten(*p)));
        let origin = self.flat_a[0];
        let area: f64 = self.flat_a.windows(2).map(|w| (w[0] - origin).perp_dot(w[1] - origin)).sum();
        1f64.copysign(area)
    }
}

/// The index after `i` in a cycle of `count`.
fn after(index: usize, count: usize) -> usize {
    if index + 1 < count { index + 1 } else { 0 }
}

/// Key of the point where side `i` of A cuts a side of the clipped polygon.
fn meeting(a: &Polygon, b: &Polygon, side: Side, i: usize, sides: usize) -> FeatureKey {
    match side {
        Side::B(j) => FeatureKey { a: a.edge_ids[i], b: b.edge_ids[j as usize] },
        Side::A(other) => {
            // Two sides of A meet at a corner of A; the later of the two starts there.
            let corner = if (other as usize + 1) % sides == i { i } else { other as usize };
            FeatureKey { a: a.vertex_ids[corner], b: b.feature }
        }
    }
}

fn extent(polygon: &Polygon) -> f64 {
    let (low, high) =
        polygon.points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    (high - low).max_element()
}

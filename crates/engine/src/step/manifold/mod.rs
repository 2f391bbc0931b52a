//! Stage 3/9.
use crate::shape::Shape;
use glamx::{DPose3, DVec3};
pub(crate) type FeatureKey = u64;
#[derive(Clone, Copy, Debug)]
pub(crate) struct ManifoldPoint { pub on_a: DVec3, pub on_b: DVec3, pub gap: f64, pub key: FeatureKey }
#[derive(Clone, Debug)]
pub(crate) struct Manifold { pub normal: DVec3, pub points: Vec<ManifoldPoint>, pub sub_a: u32, pub sub_b: u32 }
#[derive(Debug, Default)]
pub(crate) struct NarrowPhase {}
impl NarrowPhase {
    pub fn collide(&mut self, a: &Shape, pa: &DPose3, b: &Shape, pb: &DPose3, margin: f64, out: &mut Vec<Manifold>) {
        if matches!(b, Shape::HalfSpace(_)) {
            let mut found = Vec::new();
            self.collide(b, pb, a, pa, margin, &mut found);
            for m in found { out.push(Manifold { normal: -m.normal, points: m.points.iter().map(|p| ManifoldPoint { on_a: p.on_b, on_b: p.on_a, ..*p }).collect(), sub_a: 0, sub_b: 0 }); }
            return;
        }
        let mut points = Vec::new();
        let normal = match (a, b) {
            (Shape::HalfSpace(n), other) => {
                let n = pa.rotation * *n;
                let corners: Vec<DVec3> = match other {
                    Shape::Sphere(r) => vec![pb.translation - n * *r],
                    Shape::Cuboid(h) => (0..8).map(|i| pb.transform_point(DVec3::new(if i & 1 == 0 { h.x } else { -h.x }, if i & 2 == 0 { h.y } else { -h.y }, if i & 4 == 0 { h.z } else { -h.z }))).collect(),
                    _ => vec![],
                };
                for (k, p) in corners.into_iter().enumerate() {
                    let gap = n.dot(p - pa.translation);
                    if gap <= margin { points.push(ManifoldPoint { on_a: p - gap * n, on_b: p, gap, key: k as u64 }); }
                }
                n
            }
            (Shape::Sphere(ra), Shape::Sphere(rb)) => {
                let d = pb.translation - pa.translation; let l = d.length(); let n = d / l; let gap = l - ra - rb;
                if gap <= margin { points.push(ManifoldPoint { on_a: pa.translation + n * *ra, on_b: pb.translation - n * *rb, gap, key: 0 }); }
                n
            }
            _ => return,
        };
        if !points.is_empty() { out.push(Manifold { normal, points, sub_a: 0, sub_b: 0 }); }
    }
}

//! Contact points of all pairs of convex shapes: they lie on both shapes, and the order of the two does not matter.

use crate::geometry_fixtures::*;
use glamx::{DPose3, DVec3};
use signorini::shape::Shape;
use signorini::step::manifold::Manifold;

/// A random convex shape, flat or slender by up to a factor of ten.
fn shape(rng: &mut Rng, kind: u32) -> Shape {
    let mut size = || 0.03 * 10f64.powf(rng.unit());
    let half = DVec3::new(size(), size(), size());
    let (height, radius) = (half.x, half.y);
    let points = |rng: &mut Rng| -> Vec<DVec3> { (0..14).map(|_| rng.direction() * half).collect() };
    match kind {
        0 => Shape::sphere(radius),
        1 => Shape::capsule(height, radius),
        2 => Shape::cuboid(half),
        3 => Shape::ellipsoid(half),
        4 => Shape::cylinder(height, radius),
        5 => Shape::cone(height, radius),
        6 => Shape::rounded_cuboid(half, 0.2 * radius),
        7 => Shape::rounded_hull(&points(rng), 0.2 * radius),
        _ => Shape::convex_hull(&points(rng)),
    }
    .unwrap()
}

/// Each point of a contact lies within both shapes' boxes, wherever they touch, and the least gap is that of the shapes in the
/// other order.
#[test]
fn contact_points_lie_on_both_shapes() {
    const MARGIN: f64 = 0.01;
    let mut rng = Rng::new(20);
    let mut touching = 0;
    for (first, second) in (0..9).flat_map(|first| (0..9).map(move |second| (first, second))) {
        for _ in 0..60 {
            let (a, b) = (shape(&mut rng, first), shape(&mut rng, second));
            let pose_a = DPose3::from_parts(DVec3::ZERO, rng.rotation());
            let rotation = rng.rotation();
            // From the outside inwards until they touch.
            let along = rng.direction();
            let mut all = vec![];
            let mut pose_b = pose_a;
            for distance in (0..60).rev().map(|k| 0.012 * f64::from(k)) {
                pose_b = DPose3::from_parts(along * distance, rotation);
                all = collide(&a, &pose_a, &b, &pose_b, MARGIN);
                if !all.is_empty() {
                    break;
                }
            }
            touching += usize::from(!all.is_empty());
            let [box_a, box_b] = [(&a, &pose_a), (&b, &pose_b)].map(|(s, pose)| s.aabb(pose).inflated(1e-4));
            for point in all.iter().flat_map(|manifold| &manifold.points) {
                let deep = point.gap.min(0.0).abs();
                for (p, bounds) in [(point.on_a, box_a.inflated(deep)), (point.on_b, box_b.inflated(deep))] {
                    let within = p.cmpge(bounds.min).all() && p.cmple(bounds.max).all();
                    assert!(within, "shapes {first} and {second}: {p} beside {bounds:?}, {point:?}");
                }
            }
            let least = |all: &[Manifold]| all.iter().map(Manifold::least_gap).fold(f64::MAX, f64::min);
            let flipped = collide(&b, &pose_b, &a, &pose_a, MARGIN);
            near(least(&all).min(MARGIN), least(&flipped).min(MARGIN), 1e-6);
        }
    }
    assert!(touching > 4000, "{touching} pairs touch");
}

//! 20 000 seeded poses: every manifold is sound, deep enough and the same from both sides.

use crate::geometry_fixtures::*;
use glamx::{DPose3, DVec3};
use signorini::shape::{Aabb, Shape, cast_shape};
use signorini::step::manifold::{Manifold, NarrowPhase};

const MARGIN: f64 = 0.01;

/// A polytope as the test sees it: a list of corners, independent of the engine's own support functions.
struct Solid {
    shape: Shape,
    corners: Vec<DVec3>,
}

impl Solid {
    fn hull(corners: Vec<DVec3>) -> Solid {
        Solid { shape: Shape::convex_hull(&corners).unwrap(), corners }
    }

    fn cuboid(half: DVec3) -> Solid {
        Solid { shape: Shape::cuboid(half).unwrap(), corners: box_points(half) }
    }

    fn highest(&self, pose: &DPose3, dir: DVec3) -> f64 {
        self.corners.iter().map(|p| pose.transform_point(*p).dot(dir)).fold(f64::MIN, f64::max)
    }
}

/// Separation along `n`: min over B minus max over A.
fn separation(a: &Solid, pose_a: &DPose3, b: &Solid, pose_b: &DPose3, n: DVec3) -> f64 {
    -b.highest(pose_b, -n) - a.highest(pose_a, n)
}

fn check_pair(narrow: &mut NarrowPhase, a: &Solid, pose_a: &DPose3, b: &Solid, pose_b: &DPose3) -> Option<Manifold> {
    let (mut out, mut swapped) = (vec![], vec![]);
    narrow.collide(&a.shape, pose_a, &b.shape, pose_b, MARGIN, &mut out);
    narrow.collide(&b.shape, pose_b, &a.shape, pose_a, MARGIN, &mut swapped);
    assert!(out.len() <= 1);
    let Some(manifold) = out.pop() else {
        // Nothing said: then both orders agree, up to the round-off of the margin itself.
        assert!(swapped.is_empty() || swapped[0].least_gap() > MARGIN - 1e-9);
        return None;
    };
    check(&manifold, MARGIN);
    let apart = separation(a, pose_a, b, pose_b, manifold.normal);
    near(manifold.least_gap(), apart, 1e-9);
    if apart < MARGIN - 1e-9 {
        let other = &swapped[0];
        check(other, MARGIN);
        // The same separation; the same normal unless two directions are equally good.
        near(other.least_gap(), apart, 1e-8);
        let along_other = separation(a, pose_a, b, pose_b, -other.normal);
        near(along_other, apart, 1e-8);
    }
    Some(manifold)
}

/// Largest separation over a fan of directions: a lower bound that no correct answer may fall below.
fn check_best(rng: &mut Rng, a: &Solid, pose_a: &DPose3, b: &Solid, pose_b: &DPose3, manifold: &Manifold) {
    let found = manifold.least_gap();
    for spread in [0.01, 0.1, 1.0] {
        for _ in 0..4 {
            let n = (manifold.normal + rng.direction() * spread).normalize();
            let other = separation(a, pose_a, b, pose_b, n);
            assert!(other <= found + 1e-9, "{n} separates by {other}, the manifold by {found}");
        }
    }
    let n = rng.direction();
    assert!(separation(a, pose_a, b, pose_b, n) <= found + 1e-9);
}

/// B at a random pose where its separation from A is near `gap`: shot at A until it touches, then moved along the
/// normal.
fn random_pose(rng: &mut Rng, a: &Solid, pose_a: &DPose3, b: &Solid, gap: f64) -> DPose3 {
    let rotation = rng.rotation();
    let far = DPose3::from_parts(pose_a.translation + rng.direction() * 4.0, rotation);
    let aim = pose_a.translation + rng.in_cube() * 0.3 - far.translation;
    let Some(time) = cast_shape(&a.shape, pose_a, DVec3::ZERO, &b.shape, &far, aim, 2.0) else { return far };
    let touching = DPose3::from_parts(far.translation + aim * time, rotation);
    let normal = collide(&a.shape, pose_a, &b.shape, &touching, MARGIN).first().map_or(DVec3::ZERO, |m| m.normal);
    DPose3::from_parts(touching.translation + normal * gap, rotation)
}

#[test]
fn twenty_thousand_random_pairs_are_sound() {
    let mut rng = Rng::new(2026);
    let mut narrow = NarrowPhase::default();
    let mut touching = 0;
    for case in 0..20_000 {
        let mut solid = |kind: usize| match kind {
            0 => Solid::cuboid(DVec3::new(rng.between(0.1, 0.6), rng.between(0.1, 0.6), rng.between(0.1, 0.6))),
            1 => Solid::hull(random_points(&mut rng, 8)),
            _ => Solid::hull(random_points(&mut rng, 20)),
        };
        let (a, b) = (solid(case % 3), solid(case / 3 % 3));
        let pose_a = DPose3::from_parts(rng.in_cube(), rng.rotation());
        let gap = [0.0, 1e-6, -1e-6, -1e-3, 1e-3, -1e-2, 9e-3, -0.2][case % 8];
        let pose_b = random_pose(&mut rng, &a, &pose_a, &b, gap);
        if let Some(manifold) = check_pair(&mut narrow, &a, &pose_a, &b, &pose_b) {
            touching += 1;
            check_best(&mut rng, &a, &pose_a, &b, &pose_b, &manifold);
        }
    }
    println!("{touching} of 20000 touch");
    assert!(touching > 18_000, "only {touching} pairs touch");
}

#[test]
fn aligned_and_nearly_aligned_boxes_are_sound() {
    // The degenerate poses that resting stacks live in: faces parallel to 0, 1e-12 ... 1e-2 rad, edges in line.
    let mut rng = Rng::new(77);
    let mut narrow = NarrowPhase::default();
    for case in 0..6_000 {
        let half = DVec3::new(0.5, 0.5, 0.25);
        let kinds = [Solid::cuboid(half), Solid::hull(box_points(half))];
        let (a, b) = (&kinds[case % 2], &kinds[case / 2 % 2]);
        let tilt = [0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-6, 1e-4, 1e-2][case % 8];
        let pose_a = DPose3::from_parts(rng.in_cube(), rng.rotation());
        let quarter = glamx::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2 * (case % 4) as f64);
        let rotation = glamx::DQuat::from_axis_angle(rng.direction(), tilt) * quarter;
        let shift = [0.0, 0.3, 1.0, 0.999_999_9][case / 16 % 4];
        let depth = [0.0, 1e-9, 1e-4, -1e-4][case / 64 % 4];
        let pose_b = pose_a * DPose3::from_parts(DVec3::new(shift, 0.0, 0.5 - depth), rotation);
        let manifold = check_pair(&mut narrow, a, &pose_a, b, &pose_b).expect("touching");
        check_best(&mut rng, a, &pose_a, b, &pose_b, &manifold);
    }
}

#[test]
fn round_and_conical_shapes_never_panic_and_stay_within_their_boxes() {
    let mut rng = Rng::new(31);
    let mut narrow = NarrowPhase::default();
    let mut touching = 0;
    for _ in 0..20_000 {
        let mut shape = || match rng.bits() % 7 {
            0 => Shape::sphere(rng.between(0.1, 0.5)),
            1 => Shape::cuboid(DVec3::new(rng.between(0.1, 0.5), rng.between(0.1, 0.5), rng.between(0.1, 0.5))),
            2 => Shape::capsule(rng.between(0.1, 0.5), rng.between(0.1, 0.5)),
            3 => Shape::cylinder(rng.between(0.1, 0.5), rng.between(0.1, 0.5)),
            4 => Shape::cone(rng.between(0.1, 0.5), rng.between(0.1, 0.5)),
            5 => Shape::convex_hull(&random_points(&mut rng, 10)),
            _ => Shape::half_space(rng.direction()),
        };
        let (a, b) = (shape().unwrap(), shape().unwrap());
        let pose_a = DPose3::from_parts(rng.in_cube() * 0.5, rng.rotation());
        let pose_b = DPose3::from_parts(rng.in_cube() * 0.5, rng.rotation());
        let mut out = vec![];
        narrow.collide(&a, &pose_a, &b, &pose_b, MARGIN, &mut out);
        for manifold in &out {
            touching += 1;
            check(manifold, MARGIN);
            let (box_a, box_b) = (a.aabb(&pose_a).inflated(1e-6), b.aabb(&pose_b).inflated(1e-6));
            for p in &manifold.points {
                let within = |p: DVec3, bounds: Aabb| p.cmpge(bounds.min).all() && p.cmple(bounds.max).all();
                // The surface of a half-space has no box.
                assert!(!b.is_bounded() || within(p.on_b, box_b), "{p:?} {a:?} {b:?}");
                assert!(!a.is_bounded() || within(p.on_a, box_a), "{p:?} {a:?} {b:?}");
            }
        }
        narrow.recycle(&mut out);
    }
    assert!(touching > 8_000, "{touching}");
}

#[test]
fn poses_that_are_not_finite_or_absurdly_far_touch_nothing() {
    let shapes = [
        Shape::sphere(0.5).unwrap(),
        cube(1.0),
        Shape::capsule(0.5, 0.5).unwrap(),
        Shape::cylinder(0.5, 0.5).unwrap(),
        Shape::cone(0.5, 0.5).unwrap(),
        Shape::convex_hull(&dodecahedron_points()).unwrap(),
        Shape::height_field(3, 3, [1.0, 1.0], &[0.0; 9]).unwrap(),
    ];
    for a in &shapes {
        for b in &shapes {
            for bad in [f64::NAN, f64::INFINITY, 1e300, 1e160, 1e15] {
                assert!(collide(a, &DPose3::IDENTITY, b, &at(bad, 0.0, 0.0), MARGIN).is_empty());
                assert!(collide(a, &at(0.0, bad, 0.0), b, &DPose3::IDENTITY, MARGIN).is_empty());
                let time = cast_shape(a, &DPose3::IDENTITY, DVec3::X, b, &at(bad, 0.0, 0.0), DVec3::ZERO, 1.0);
                assert!(time.is_none());
            }
        }
    }
}

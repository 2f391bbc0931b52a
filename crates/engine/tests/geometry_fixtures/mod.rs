//! Shapes and seeded poses shared by the geometry tests.
#![allow(dead_code, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use glamx::{DPose3, DQuat, DVec3};
use signorini::shape::Shape;
use signorini::step::manifold::{Manifold, NarrowPhase};
use signorini_problem::random::SplitMix64;
use std::f64::consts::TAU;

/// Poses and points from a seed.
pub struct Rng(SplitMix64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(SplitMix64::new(seed))
    }
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0.uniform(low, high)
    }
    pub fn in_cube(&mut self) -> DVec3 {
        DVec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.in_cube();
            if v.length_squared() > 1e-3 && v.length_squared() < 1.0 {
                return v.normalize();
            }
        }
    }

    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.between(0.0, TAU))
    }
}

pub fn cube(size: f64) -> Shape {
    Shape::cuboid(DVec3::splat(0.5 * size)).unwrap()
}

pub fn at(x: f64, y: f64, z: f64) -> DPose3 {
    DPose3::from_translation(DVec3::new(x, y, z))
}

/// Right prism over a regular polygon, standing on `z = -half_height`.
pub fn prism_points(sides: usize, radius: f64, half_height: f64) -> Vec<DVec3> {
    let mut points = Vec::new();
    for z in [-half_height, half_height] {
        for k in 0..sides {
            let angle = TAU * k as f64 / sides as f64;
            points.push(DVec3::new(radius * angle.cos(), radius * angle.sin(), z));
        }
    }
    points
}

pub fn random_points(rng: &mut Rng, count: usize) -> Vec<DVec3> {
    (0..count).map(|_| rng.direction() * rng.between(0.4, 0.6)).collect()
}

pub fn box_points(half: DVec3) -> Vec<DVec3> {
    (0..8u32)
        .map(|k| {
            let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            half * DVec3::new(sign(0), sign(1), sign(2))
        })
        .collect()
}

/// The 20 corners of a regular dodecahedron of edge 2/φ.
pub fn dodecahedron_points() -> Vec<DVec3> {
    let phi = (1.0 + 5f64.sqrt()) / 2.0;
    let mut points = box_points(DVec3::ONE);
    for a in [-1.0, 1.0] {
        for b in [-1.0, 1.0] {
            points.push(DVec3::new(0.0, a / phi, b * phi));
            points.push(DVec3::new(a / phi, b * phi, 0.0));
            points.push(DVec3::new(b * phi, 0.0, a / phi));
        }
    }
    points
}

pub fn collide(a: &Shape, pose_a: &DPose3, b: &Shape, pose_b: &DPose3, margin: f64) -> Vec<Manifold> {
    let mut out = Vec::new();
    NarrowPhase::default().collide(a, pose_a, b, pose_b, margin, &mut out);
    out
}

/// The only manifold of a pair, with the properties every manifold must have.
pub fn touch(a: &Shape, pose_a: &DPose3, b: &Shape, pose_b: &DPose3, margin: f64) -> Manifold {
    let mut all = collide(a, pose_a, b, pose_b, margin);
    assert_eq!(all.len(), 1, "one manifold expected");
    let manifold = all.remove(0);
    check(&manifold, margin);
    manifold
}

/// Unit normal, gaps consistent with the points and within the margin, keys distinct.
pub fn check(manifold: &Manifold, margin: f64) {
    assert!((manifold.normal.length() - 1.0).abs() < 1e-12, "normal {}", manifold.normal);
    assert!(!manifold.points.is_empty());
    for (i, p) in manifold.points.iter().enumerate() {
        assert!(p.gap.is_finite() && p.gap <= margin, "gap {} beyond margin {margin}", p.gap);
        let scale = 1.0 + p.on_a.length();
        assert!(((p.on_b - p.on_a).dot(manifold.normal) - p.gap).abs() < 1e-12 * scale);
        assert!(manifold.points[..i].iter().all(|q| q.key != p.key), "key {:?} twice", p.key);
    }
}

pub fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "found {found:e}, expected {expected:e} to {tolerance:e}");
}

pub fn near3(found: DVec3, expected: DVec3, tolerance: f64) {
    assert!((found - expected).length() <= tolerance, "found {found}, expected {expected} to {tolerance:e}");
}

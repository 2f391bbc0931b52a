//! Cost of one pair in the narrow phase and of the broad phase: `cargo bench -p signorini --bench narrow_phase`.
//!
//! CSV on stdout, the least of many short batches, which a busy machine disturbs less than a mean.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "../tests/geometry_fixtures/mod.rs"]
mod geometry_fixtures;

use geometry_fixtures::{Rng, at, box_points, cube, dodecahedron_points, prism_points, random_points};
use glamx::{DPose3, DQuat, DVec3};
use signorini::shape::{Aabb, Shape};
use signorini::step::broad_phase::BroadPhase;
use signorini::step::manifold::{Manifold, NarrowPhase, PairCache};
use std::hint::black_box;
use std::time::Instant;

/// Least nanoseconds per call over 100 batches.
fn least(calls: usize, mut call: impl FnMut()) -> f64 {
    (0..100)
        .map(|_| {
            let start = Instant::now();
            (0..calls).for_each(|_| call());
            start.elapsed().as_secs_f64() / calls as f64 * 1e9
        })
        .fold(f64::INFINITY, f64::min)
}

/// Many poses of B about `pose`, so that no branch is learnt.
fn measure(name: &str, a: &Shape, b: &Shape, pose: DPose3, shake: f64) {
    let mut rng = Rng::new(1);
    let poses: Vec<DPose3> = (0..64)
        .map(|_| {
            let turn = DQuat::from_axis_angle(rng.direction(), shake * rng.unit());
            DPose3::from_parts(pose.translation + rng.in_cube() * shake * 0.1, turn * pose.rotation)
        })
        .collect();
    let mut narrow = NarrowPhase::default();
    let mut out: Vec<Manifold> = Vec::new();
    let mut points = 0;
    let nanoseconds = least(20, || {
        for pose_b in &poses {
            narrow.collide(black_box(a), &DPose3::IDENTITY, b, pose_b, 0.01, &mut out);
        }
        points = out.iter().map(|m| m.points.len()).sum();
        narrow.recycle(&mut out);
    }) / poses.len() as f64;
    println!("{name},{:.1},{nanoseconds:.0}", points as f64 / poses.len() as f64);
}

fn main() {
    println!("pair,points per pair,ns per pair");
    let hull_cube = Shape::convex_hull(&box_points(DVec3::splat(0.5))).unwrap();
    let dodecahedron = Shape::convex_hull(&dodecahedron_points()).unwrap();
    let rough = Shape::convex_hull(&random_points(&mut Rng::new(7), 20)).unwrap();
    let prism = Shape::convex_hull(&prism_points(10, 0.5, 0.5)).unwrap();
    let slab = Shape::cuboid(DVec3::new(5.0, 5.0, 0.5)).unwrap();
    let plane = Shape::half_space(DVec3::Z).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let rod = Shape::capsule(0.5, 0.25).unwrap();
    let drum = Shape::cylinder(0.5, 0.5).unwrap();
    let ground = Shape::height_field(21, 21, [1.0, 1.0], &[0.0; 441]).unwrap();
    let stacked = at(0.1, 0.2, 0.999);
    let twisted = DPose3::from_parts(DVec3::new(0.1, 0.2, 0.999), DQuat::from_rotation_z(0.6));
    // B hangs over A's upper edge by one of its own.
    let edge = DPose3::from_parts(
        DVec3::new(0.0, 0.1, 0.5 + 0.5 * 2f64.sqrt()),
        DQuat::from_rotation_z(0.6) * DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4),
    );
    measure("box-box stacked", &cube(1.0), &cube(1.0), stacked, 1e-3);
    measure("box-box twisted", &cube(1.0), &cube(1.0), twisted, 1e-3);
    measure("box-box tumbling", &cube(1.0), &cube(1.0), edge, 0.1);
    measure("box-box apart", &cube(1.0), &cube(1.0), at(1.2, 0.9, 0.0), 0.01);
    measure("hull 8-hull 8 stacked", &hull_cube, &hull_cube, stacked, 1e-3);
    measure("hull 20-hull 20 prisms stacked", &prism, &prism, twisted, 1e-3);
    measure("hull 20-hull 20 rough", &rough, &rough, at(0.0, 0.0, 0.95), 0.1);
    measure("dodecahedron pair", &dodecahedron, &dodecahedron, at(0.1, 0.2, 2.7), 0.1);
    measure("hull 20-box", &slab, &prism, at(0.1, 0.2, 0.999), 1e-3);
    measure("hull 20-plane", &plane, &prism, at(0.1, 0.2, 0.499), 1e-3);
    measure("box-plane", &plane, &cube(1.0), at(0.1, 0.2, 0.499), 1e-3);
    measure("sphere-sphere", &ball, &ball, at(0.0, 0.0, 0.999), 1e-3);
    measure("sphere-box", &slab, &ball, at(0.0, 0.0, 0.999), 1e-3);
    measure("capsule-capsule", &rod, &rod, at(0.499, 0.0, 0.2), 1e-3);
    measure("capsule-box", &slab, &rod, at(0.0, 0.0, 1.249), 1e-3);
    measure("cylinder-box standing", &slab, &drum, at(0.0, 0.0, 0.999), 1e-3);
    measure("box-height field", &ground, &cube(1.0), at(0.3, 0.2, 0.499), 1e-3);

    let (mut narrow, mut out, mut cache) = (NarrowPhase::default(), Vec::new(), PairCache::default());
    let nanoseconds = least(1000, || {
        narrow.collide_cached(&mut cache, &hull_cube, &DPose3::IDENTITY, &hull_cube, &stacked, 0.01, &mut out);
        narrow.recycle(&mut out);
    });
    println!("any pair at rest (cached),4.0,{nanoseconds:.0}");

    let mut rng = Rng::new(3);
    let boxes: Vec<Aabb> = (0..20_000)
        .map(|_| {
            let centre = rng.in_cube() * 14.0;
            Aabb { min: centre - DVec3::splat(0.5), max: centre + DVec3::splat(0.5) }
        })
        .collect();
    let (mut at_rest, mut pairs) = (BroadPhase::default(), Vec::new());
    let mut best = [f64::INFINITY; 2];
    for _ in 0..10 {
        let mut anew = BroadPhase::default();
        for (best, broad) in best.iter_mut().zip([&mut anew, &mut at_rest]) {
            let start = Instant::now();
            broad.pairs(black_box(&boxes), &mut pairs);
            *best = best.min(start.elapsed().as_secs_f64() * 1e9);
        }
    }
    for (what, best) in ["anew", "at rest"].into_iter().zip(best) {
        println!("broad phase of 20000 boxes {what} (ns per box; {} pairs),,{:.0}", pairs.len(), best / 20_000.0);
    }
}

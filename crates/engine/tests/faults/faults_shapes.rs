//! Fault list, groups C (geometry) and E (speed and overlap), one test per case by its code, in a world that steps.

use crate::fixture::*;
use signorini::ShapeError;
use signorini::glamx::DPose3;
use signorini::shape::{MAX_HULL_POINTS, MAX_NESTING};
use std::time::Instant;

#[track_caller]
fn no_shape(shape: Result<Shape, ShapeError>, message: &str) {
    let error = shape.expect_err("must be refused");
    assert!(error.to_string().contains(message), "'{error}' does not say '{message}'");
}

#[test]
fn c01_radius_zero_or_negative() {
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
        no_shape(Shape::sphere(radius), "radius");
        no_shape(Shape::capsule(1.0, radius), "radius");
        no_shape(Shape::cylinder(1.0, radius), "radius");
        no_shape(Shape::cone(1.0, radius), "radius");
        no_shape(Shape::cylinder(radius, 1.0), "half height");
    }
}

#[test]
fn c02_half_extent_zero() {
    for half in [0.0, -0.5, f64::NAN] {
        no_shape(Shape::cuboid(v(half, 1.0, 1.0)), "half extent x");
        no_shape(Shape::cuboid(v(1.0, half, 1.0)), "half extent y");
        no_shape(Shape::cuboid(v(1.0, 1.0, half)), "half extent z");
    }
}

#[test]
fn c03_hull_of_less_than_four_points() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y];
    (0..=3).for_each(|count| no_shape(Shape::convex_hull(&points[..count]), "at least 4"));
}

#[test]
fn c04_coplanar_points() {
    let points: Vec<_> = (0..20).map(|i| v(f64::from(i % 5), f64::from(i / 5), 0.5)).collect();
    no_shape(Shape::convex_hull(&points), "no volume");
}

#[test]
fn c05_collinear_points() {
    let points: Vec<_> = (0..9).map(|i| f64::from(i) * v(1.0, 2.0, 3.0)).collect();
    no_shape(Shape::convex_hull(&points), "no volume");
}

#[test]
fn c06_all_points_the_same() {
    no_shape(Shape::convex_hull(&[v(1.0, 2.0, 3.0); 12]), "no volume");
}

#[test]
fn c07_points_of_no_size() {
    let points: Vec<_> = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].iter().map(|p| 1e-23 * *p).collect();
    assert!(Shape::convex_hull(&points).is_err());
}

#[test]
fn c09_a_million_points_are_beyond_the_limit() {
    let points = vec![DVec3::ONE; 1_000_000];
    no_shape(Shape::convex_hull(&points), "limit is 65536");
    assert!(points.len() > MAX_HULL_POINTS);
}

#[test]
fn c10_empty_mesh() {
    no_shape(Shape::triangle_mesh(vec![], vec![]), "mesh");
    no_shape(Shape::triangle_mesh(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![]), "mesh triangles");
}

#[test]
fn c11_degenerate_triangle_is_dropped_and_counted() {
    let corners = vec![v(-5.0, -5.0, 0.0), v(5.0, -5.0, 0.0), v(0.0, 5.0, 0.0), v(1.0, -5.0, 0.0)];
    let ground = Shape::triangle_mesh(corners, vec![[0, 1, 2], [0, 1, 3], [1, 1, 2]]).unwrap();
    assert_eq!(ground.dropped_triangles(), 2);
    let mut w = world();
    w.add(Body::fixed(ground).named("ground")).unwrap();
    let b = w.add(ball("ball", v(0.0, 0.0, 0.6))).unwrap();
    run(&mut w, 100);
    close_vector(w.body(b).unwrap().position(), v(0.0, 0.0, 0.5), 2e-4);
}

#[test]
fn c12_index_out_of_range() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    no_shape(Shape::triangle_mesh(corners, vec![[0, 1, 3]]), "vertex 3 does not exist");
}

#[test]
fn c14_half_space_costs_no_more_than_a_box() {
    let run = |floor: Shape, top: f64| {
        let mut w = world();
        w.add(Body::fixed(floor).position(v(0.0, 0.0, -top)).named("floor")).unwrap();
        for i in 0..8 {
            w.add(cube(&format!("cube {i}"), v(3.0 * f64::from(i), 0.0, 0.5))).unwrap();
        }
        let start = Instant::now();
        advance(&mut w, 20, H);
        all_finite(&w);
        start.elapsed().as_secs_f64()
    };
    let best = |shape: Shape, top: f64| (0..10).map(|_| run(shape.clone(), top)).fold(f64::INFINITY, f64::min);
    let half_space = best(Shape::half_space(DVec3::Z).unwrap(), 0.0);
    let slab = best(Shape::cuboid(v(100.0, 100.0, 50.0)).unwrap(), 50.0);
    assert!(half_space < 2.0 * slab, "{half_space} s against {slab} s");
}

#[test]
fn c15_ground_of_a_thousand_kilometres_makes_no_energy() {
    let mut w = world();
    let ground = Shape::cuboid(v(1e6, 1e6, 1e3)).unwrap();
    w.add(Body::fixed(ground).position(v(0.0, 0.0, -1e3)).material(surface(0.5, 0.5)).named("ground")).unwrap();
    let place = v(4.2e5, -7.7e5, 2.0);
    let turn = DQuat::from_scaled_axis(v(0.3, 0.2, 0.1));
    let b = w.add(cube("cube", place).orientation(turn).material(surface(0.5, 0.5))).unwrap();
    let start = w.energy().total();
    for _ in 0..300 {
        let report = w.step(H).unwrap();
        assert!(report.energy.against_free_motion <= 1e-10 * report.energy.scale());
        assert!(w.energy().total() <= start * (1.0 + 1e-9));
    }
    let speed = w.body(b).unwrap().velocity().length();
    assert!(speed < 1e-5, "{speed:e}");
    close(w.body(b).unwrap().position().z, 0.5, 1e-3);
}

#[test]
fn c16_scene_ten_thousand_kilometres_away_does_the_same() {
    let run = |offset: DVec3| {
        let mut w = world();
        let slab = Shape::cuboid(v(50.0, 50.0, 1.0)).unwrap();
        w.add(Body::fixed(slab).position(offset - DVec3::Z).named("slab")).unwrap();
        for i in 0..3 {
            w.add(cube(&format!("cube {i}"), offset + v(0.0, 0.0, 0.5 + f64::from(i)))).unwrap();
        }
        let slider = w.add(cube("slider", offset + v(5.0, 0.0, 0.5)).velocity(v(2.0, 1.0, 0.0))).unwrap();
        let rolling = w.add(ball("rolling", offset + v(-5.0, 0.0, 0.5)).velocity(v(0.0, 2.0, 0.0))).unwrap();
        for _ in 0..100 {
            assert_eq!(w.step(H).unwrap().status, StepStatus::Certified);
        }
        let top = w.find("cube 2").unwrap();
        [top, slider, rolling].map(|b| w.body(b).unwrap().position() - offset)
    };
    let (here, there) = (run(DVec3::ZERO), run(v(1e7, -1e7, 0.0)));
    for (a, b) in here.iter().zip(&there) {
        close_vector(*b, *a, 1e-6);
    }
}

#[test]
fn c17_compounds_nested_a_thousand_deep() {
    let mut shape = Shape::sphere(0.5).unwrap();
    for depth in 0..1000 {
        match Shape::compound(vec![(DPose3::IDENTITY, shape.clone())]) {
            Ok(nested) => shape = nested,
            Err(error) => {
                assert!(depth == MAX_NESTING && error.to_string().contains("nesting"), "{depth}: {error}");
                return;
            }
        }
    }
    panic!("no limit");
}

/// Steps and asks that nothing is thrown: overlap is taken out by moving, not by pushing.
fn comes_apart(w: &mut World, steps: usize, fastest: f64) {
    for _ in 0..steps {
        w.step(H).unwrap();
        all_finite(w);
        w.bodies().for_each(|(_, b)| assert!(b.velocity().length() <= fastest, "{}: {}", b.id(), b.velocity()));
    }
}

#[test]
fn e01_speed_of_1e150() {
    let mut w = world();
    let hash = w.state_hash();
    refused(w.add(ball("ball", DVec3::ZERO).velocity(v(1e150, 0.0, 0.0))), "velocity x");
    refused(w.add(ball("ball", DVec3::ZERO).angular_velocity(v(1e150, 0.0, 0.0))), "angular velocity x");
    let b = w.add(ball("ball", DVec3::ZERO)).unwrap();
    refused(w.set_velocity(b, v(0.0, 1e150, 0.0)), "velocity y");
    w.remove(b).unwrap();
    assert_eq!(w.state_hash(), hash);
}

#[test]
fn e02_a_million_radians_a_second() {
    let mut w = world();
    add_floor(&mut w, 0.0, 0.0);
    let b =
        w.add(ball("ball", v(0.0, 0.0, 0.5)).angular_velocity(v(0.0, 0.0, 1e6)).material(surface(0.0, 0.0))).unwrap();
    let slab = Body::dynamic(Shape::cuboid(v(0.5, 0.2, 0.1)).unwrap()).mass(1.0).position(v(0.0, 0.0, 9.0));
    w.add(slab.angular_velocity(v(6e5, 1e6, 3e5)).named("slab")).unwrap();
    for _ in 0..50 {
        w.step(H).unwrap();
        all_finite(&w);
    }
    assert_eq!(w.body(b).unwrap().angular_velocity(), v(0.0, 0.0, 1e6));
}

#[test]
fn e03_pose_that_would_leave_the_range() {
    let mut w = weightless();
    let b = w.add(ball("ball", v(9.9999e9, 0.0, 0.0)).velocity(v(1e8, 0.0, 0.0))).unwrap();
    let (hash, place) = (w.state_hash(), w.body(b).unwrap().position());
    match w.step(0.1) {
        Err(error) => {
            assert!(matches!(error, StepError::OutOfRange { quantity: "position", .. }), "{error}");
            assert_eq!(w.state_hash(), hash);
        }
        Ok(report) => {
            assert_eq!(report.status, StepStatus::Degraded);
            assert_eq!(w.body(b).unwrap().position(), place);
        }
    }
    all_finite(&w);
}

#[test]
fn e04_spheres_with_equal_centres() {
    let mut w = weightless();
    let a = w.add(ball("a", DVec3::ZERO)).unwrap();
    let b = w.add(ball("b", DVec3::ZERO)).unwrap();
    comes_apart(&mut w, 200, 0.0);
    let apart = w.body(a).unwrap().position().distance(w.body(b).unwrap().position());
    assert!(apart > 0.99, "{apart}");
}

#[test]
fn e05_identical_boxes_in_the_same_pose() {
    let mut w = weightless();
    let a = w.add(cube("a", DVec3::ZERO)).unwrap();
    let b = w.add(cube("b", DVec3::ZERO)).unwrap();
    comes_apart(&mut w, 200, 0.0);
    let apart = w.body(a).unwrap().position().distance(w.body(b).unwrap().position());
    assert!(apart > 0.99, "{apart}");
}

#[test]
fn e06_many_bodies_at_one_point() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    for i in 0..100 {
        w.add(ball(&format!("ball {i:02}"), v(0.0, 0.0, 1.0))).unwrap();
    }
    let start = Instant::now();
    comes_apart(&mut w, 2, 1.0);
    println!("{} s", start.elapsed().as_secs_f64());
}

#[test]
fn e07_box_wholly_inside_a_box() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let big = Body::dynamic(Shape::cuboid(DVec3::splat(1.0)).unwrap()).mass(8.0).position(v(0.0, 0.0, 1.0));
    w.add(big.named("big")).unwrap();
    let small = Body::dynamic(Shape::cuboid(DVec3::splat(0.2)).unwrap()).position(v(0.1, 0.2, 1.0));
    w.add(small.named("small")).unwrap();
    comes_apart(&mut w, 200, 10.0);
}

#[test]
fn e08_ninety_per_cent_deep_in_a_mesh() {
    let mut w = weightless();
    let ground = Shape::height_field(21, 21, [0.5, 0.5], &[0.0; 441]).unwrap();
    w.add(Body::fixed(ground).named("ground")).unwrap();
    let b = w.add(cube("cube", v(0.13, 0.07, -0.4))).unwrap();
    let mut last = w.body(b).unwrap().position().z;
    for _ in 0..100 {
        let report = w.step(H).unwrap();
        let z = w.body(b).unwrap().position().z;
        assert!(z - last <= 0.05 + 1e-9, "pushed by {} m in a step", z - last);
        assert!(report.penetration < 1.0);
        last = z;
    }
    assert!(last > 0.45 && w.body(b).unwrap().velocity().length() < 1e-9, "{last}");
}

#[test]
fn e10_spawned_under_the_ground() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let b = w.add(cube("sunk", v(5.0, 0.0, -3.0))).unwrap();
    let first = w.step(H).unwrap();
    assert!(first.penetration > 3.0, "the report says how deep: {}", first.penetration);
    assert_eq!(first.status, StepStatus::Degraded);
    comes_apart(&mut w, 250, 1.0);
    assert!(w.body(b).unwrap().position().z > 0.45);
}

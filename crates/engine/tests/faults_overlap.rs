//! Bodies inside each other, solvers that disagree, and problems that anyone can check: groups E and F of the fault list.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;
use fixture::*;
use signorini_problem::certify;
use signorini_solvers::solve;

#[track_caller]
fn stays_finite(mut w: World, steps: usize) -> World {
    for _ in 0..steps {
        w.step(H).unwrap();
        for (_, b) in w.bodies() {
            assert!(b.position().is_finite() && b.velocity().is_finite() && b.spin().is_finite());
            // Overlap is taken out by moving bodies, not by throwing them.
            assert!(b.velocity().length() < 10.0, "{} at {} m/s", b.id(), b.velocity().length());
        }
    }
    w
}

#[test]
fn e4_spheres_with_equal_centres_come_apart() {
    let mut w = weightless();
    let a = w.add(ball("a", DVec3::ZERO)).unwrap();
    let b = w.add(ball("b", DVec3::ZERO)).unwrap();
    let w = stays_finite(w, 200);
    let apart = w.body(a).unwrap().position().distance(w.body(b).unwrap().position());
    assert!(apart > 0.99, "{apart}");
    assert_eq!(w.energy().kinetic(), 0.0);
}

#[test]
fn e5_identical_boxes_in_the_same_pose_come_apart() {
    let mut w = weightless();
    let a = w.add(cube("a", DVec3::ZERO)).unwrap();
    let b = w.add(cube("b", DVec3::ZERO)).unwrap();
    let w = stays_finite(w, 200);
    let apart = w.body(a).unwrap().position().distance(w.body(b).unwrap().position());
    assert!(apart > 0.99, "{apart}");
}

#[test]
fn e6_many_bodies_at_one_point() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    for i in 0..8 {
        w.add(ball(&format!("ball {i}"), v(0.0, 0.0, 1.0))).unwrap();
    }
    stays_finite(w, 60);
}

#[test]
fn e7_e10_box_inside_a_box_and_below_the_ground() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let big = Body::dynamic(Shape::cuboid(DVec3::splat(1.0)).unwrap()).mass(8.0).position(v(0.0, 0.0, 1.0));
    w.add(big.named("big")).unwrap();
    w.add(Body::dynamic(Shape::cuboid(DVec3::splat(0.2)).unwrap()).position(v(0.1, 0.2, 1.0)).named("small")).unwrap();
    w.add(cube("sunk", v(5.0, 0.0, -3.0))).unwrap();
    let first = w.step(H).unwrap();
    assert!(first.penetration > 3.0, "the report says how deep: {}", first.penetration);
    let w = stays_finite(w, 200);
    let sunk = w.find("sunk").unwrap();
    assert!(w.body(sunk).unwrap().position().z > 0.45);
}

#[test]
fn e2_extreme_spin_on_the_floor() {
    let mut w = world();
    add_floor(&mut w, 0.0, 0.0);
    let b = w.add(ball("ball", v(0.0, 0.0, 0.5)).spin(v(0.0, 0.0, 1e6)).material(surface(0.0, 0.0))).unwrap();
    for _ in 0..50 {
        w.step(H).unwrap();
        assert!((w.body(b).unwrap().orientation().length() - 1.0).abs() < 1e-12);
    }
    assert_eq!(w.body(b).unwrap().spin(), v(0.0, 0.0, 1e6));
}

/// Boxes leaning on each other, sliding: a mixed problem.
fn leaning() -> World {
    let mut w = world();
    add_floor(&mut w, 0.4, 0.0);
    for i in 0..3 {
        let turn = DQuat::from_rotation_y(0.15 * f64::from(i));
        let body = cube(&format!("cube {i}"), v(0.97 * f64::from(i), 0.0, 0.62)).orientation(turn);
        w.add(body.velocity(v(-1.0, 0.2, 0.0)).material(surface(0.4, 0.0))).unwrap();
    }
    for _ in 0..10 {
        w.step(H).unwrap();
    }
    w
}

#[test]
fn f14_anyone_can_check_what_a_step_claims() {
    let mut w = leaning();
    let problems = w.problems(H).unwrap();
    let hash = w.state_hash();
    assert!(!problems.is_empty());
    for problem in &problems {
        let solution = solve(problem, Method::Exact.solver().as_mut(), None, &w.settings().stop).unwrap();
        let checked = certify(problem, &solution.impulses).unwrap();
        assert_eq!(checked, solution.certificate);
        assert!(checked.meets(&w.settings().stop.tolerance));
    }
    assert_eq!(w.state_hash(), hash, "asking changes nothing");
    let report = w.step(H).unwrap();
    assert_eq!(report.counts.islands, problems.len());
    let blocks: usize = problems.iter().map(|p| p.blocks().len()).sum();
    assert_eq!(report.counts.contacts, blocks);
}

/// Balls in a heap: no two contacts of a pair, so the velocity is unique. (Boxes that slide on four corners have a
/// continuum of exact answers, and methods may differ by more than the tolerance.)
fn heap() -> World {
    let mut w = world();
    add_floor(&mut w, 0.4, 0.0);
    for i in 0..4 {
        let angle = f64::from(i) * std::f64::consts::TAU / 3.0;
        let place = if i < 3 { v(0.577 * angle.cos(), 0.577 * angle.sin(), 0.5) } else { v(0.01, 0.02, 1.32) };
        let body = ball(&format!("ball {i}"), place).velocity(v(-1.0, 0.2 * f64::from(i), 0.0));
        w.add(body.spin(v(0.0, 1.0, 0.5)).material(surface(0.4, 0.0))).unwrap();
    }
    for _ in 0..5 {
        w.step(H).unwrap();
    }
    w
}

#[test]
fn exact_paths_agree_in_velocity() {
    let after = |method| {
        let mut w = heap();
        w.set_settings(Settings { method, ..*w.settings() }).unwrap();
        let report = w.step(H).unwrap();
        assert_eq!(report.status, StepStatus::Certified, "{method}");
        assert!(report.counts.contacts >= 6);
        w.bodies().map(|(_, b)| b.state()).collect::<Vec<_>>()
    };
    let reference = after(Method::Exact);
    for method in [Method::InteriorPoint, Method::Nsgs, Method::Newton] {
        for (x, y) in after(method).iter().zip(&reference) {
            close_vector(x.velocity, y.velocity, 1e-6);
            close_vector(x.spin, y.spin, 1e-6);
        }
    }
}

//! What a step says about itself is said of all its islands, the last one included.

use crate::fixture::*;

/// Cubes on one another at x = 0 and a ball at rest at x = 10, either of them or both. The order of names is the order of
/// islands; all come after the floor, since normals point away from what comes first.
fn tower_and_ball(settings: Settings, tower: Option<&str>, ball_name: Option<&str>) -> World {
    let mut w = World::new(settings).unwrap();
    add_floor(&mut w, 0.5, 0.0);
    for (i, name) in tower.iter().flat_map(|name| (0..5).map(move |i| (i, name))) {
        w.add(cube(&format!("{name} {i}"), v(0.0, 0.0, 0.5 + f64::from(i)))).unwrap();
    }
    if let Some(name) = ball_name {
        w.add(ball(name, v(10.0, 0.0, 0.5))).unwrap();
    }
    w
}

/// One sweep over rows solves a ball on the floor, whose contact is the only one, and no tower: the weight of five cubes
/// comes down by one contact in a sweep.
fn one_sweep(tolerance: f64) -> Settings {
    let stop = StoppingRule { max_iterations: Some(1), ..StoppingRule::velocity(tolerance) };
    Settings { method: Method::Pgs, stop, ..Settings::default() }
}

#[test]
fn the_worst_island_is_told_whether_it_comes_first_or_last() {
    // At 1e-9 m/s the tower is not solved. At 1 m/s, six times the g h that there is to solve, all is; the tower is then the
    // island with the larger residual.
    for (tolerance, solved) in [(1e-9, false), (1.0, true)] {
        let settings = one_sweep(tolerance);
        let report = |tower, ball| tower_and_ball(settings, tower, ball).step(H).unwrap();
        let (alone, easy) = (report(Some("tower"), None), report(None, Some("ball")));
        let met = |report: &StepReport| report.certificate.velocity.is_met();
        assert_eq!((met(&alone), met(&easy)), (solved, true));
        assert!(alone.velocity.unwrap().natural > 1e3 * easy.velocity.unwrap().natural.max(1e-12));
        for (tower, ball, worst) in [("p", "q", 0), ("q", "p", 1)] {
            let both = report(Some(tower), Some(ball));
            assert_eq!((both.counts.islands, met(&both)), (2, solved), "tower in island {worst}");
            assert_eq!((both.worst_island, both.velocity), (Some(worst), alone.velocity));
        }
    }
}

#[test]
fn counts_and_effort_are_the_sum_over_all_islands() {
    for method in [Method::Pgs, Method::Exact] {
        let settings = Settings { method, ..Settings::default() };
        let report = |tower, ball| tower_and_ball(settings, tower, ball).step(H).unwrap();
        let parts = [report(Some("tower"), None), report(None, Some("ball"))];
        // Five cubes on four corners each, and the ball on its point; none slides, and each carries something.
        let states = parts.each_ref().map(|part| part.counts.states);
        assert_eq!((states[0].stick, states[1].stick), (20, 1));
        assert!(parts.iter().all(|part| part.effort.iterations > 0 && part.effort.active > 0));
        let sum = |of: fn(&StepReport) -> usize| parts.iter().map(of).sum::<usize>();
        for (tower, ball) in [("p", "q"), ("q", "p")] {
            let both = report(Some(tower), Some(ball));
            assert_eq!(both.counts.states.stick, 21, "{method}");
            assert_eq!(both.effort.iterations, sum(|r| r.effort.iterations), "{method}");
            assert_eq!(both.effort.factorizations, sum(|r| r.effort.factorizations), "{method}");
            assert_eq!(both.effort.set_changes, sum(|r| r.effort.set_changes), "{method}");
            assert_eq!(both.effort.active, sum(|r| r.effort.active), "{method}");
            assert_eq!(both.effort.indeterminacy, sum(|r| r.effort.indeterminacy), "{method}");
        }
    }
}

#[test]
fn restitution_scaled_in_the_last_island_is_told() {
    // Kane's paradox: some oblique rod with friction and e = 1 would gain energy, a ball at rest would not.
    let scale = |angle: f64, rod: &str, ball_name: Option<&str>| {
        let mut w = weightless();
        add_floor(&mut w, 1.0, 1.0);
        let body = Body::dynamic(Shape::capsule(1.0, 0.02).unwrap()).mass(1.0).material(surface(1.0, 1.0));
        let body = body.orientation(DQuat::from_rotation_y(angle)).position(v(0.0, 0.0, 1.2));
        w.add(body.velocity(v(3.0, 0.0, -2.0)).angular_velocity(v(0.0, 2.0, 0.0)).named(rod)).unwrap();
        if let Some(name) = ball_name {
            w.add(ball(name, v(100.0, 0.0, 0.5)).material(surface(1.0, 1.0))).unwrap();
        }
        (0..60).map(|_| w.step(H).unwrap().restitution_scale).fold(1.0, f64::min)
    };
    let angles = (0..40).map(|k| 0.2 + 0.03 * f64::from(k));
    let (angle, alone) =
        angles.map(|angle| (angle, scale(angle, "rod", None))).find(|(_, alone)| *alone < 1.0).expect("such a rod");
    assert_eq!((scale(angle, "p", Some("q")), scale(angle, "q", Some("p"))), (alone, alone));
}

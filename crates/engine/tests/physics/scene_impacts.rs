//! Impacts against closed forms: heights, exchanges, momentum.

use crate::fixture::*;

/// Highest point of the centre after the first impact.
fn rebound_height(world: &mut World, body: BodyHandle, steps: usize) -> f64 {
    let (mut highest, mut bounced) = (0.0, false);
    for _ in 0..steps {
        step_certified(world, H);
        let state = world.body(body).unwrap();
        let (z, speed) = (state.position().z, state.velocity().z);
        if speed > 0.0 {
            bounced = true;
            // The top of the parabola the ball is on now.
            highest = f64::max(highest, z + speed * speed / (2.0 * G));
        } else if bounced {
            break;
        }
    }
    highest
}

#[test]
fn spec_5_7_bounce_heights_are_e_squared_wherever_in_a_step_the_ball_hits() {
    for e in [0.3, 0.5, 0.71, 0.9, 1.0] {
        for drop in [1.0, 1.1, 1.234, 1.5, 4.321] {
            let mut w = world();
            add_floor(&mut w, 0.5, e);
            let b = w.add(ball("ball", v(0.0, 0.0, 0.5 + drop)).material(surface(0.5, e))).unwrap();
            close(rebound_height(&mut w, b, 200), 0.5 + e * e * drop, 1e-9);
        }
    }
}

#[test]
fn f2_elastic_bounce_and_a3_perfectly_elastic() {
    // e = 1 on a floor of e = 0.5: combined √0.5, half the energy, peak 0.5 + 1.5/2.
    let mut w = world();
    add_floor(&mut w, 0.5, 0.5);
    let b = w.add(ball("ball", v(0.0, 0.0, 2.0)).material(surface(0.5, 1.0))).unwrap();
    close(rebound_height(&mut w, b, 300), 1.25, 1e-9);
}

#[test]
fn f3_inelastic_bounce_keeps_a_quarter() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.5);
    let b = w.add(ball("ball", v(0.0, 0.0, 2.0)).material(surface(0.5, 0.5))).unwrap();
    close(rebound_height(&mut w, b, 300), 0.5 + 0.25 * 1.5, 1e-9);
}

#[test]
fn elastic_ball_bounces_for_ever() {
    let mut w = world();
    add_floor(&mut w, 0.0, 1.0);
    w.add(ball("ball", v(0.0, 0.0, 2.0)).material(surface(0.0, 1.0))).unwrap();
    let energy = w.energy().total();
    for _ in 0..100_000 {
        step_certified(&mut w, H);
        close(w.energy().total(), energy, 1e-9 * energy);
    }
}

#[test]
fn f5_multi_bounce_never_gains() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.8);
    let b = w.add(ball("ball", v(0.0, 0.0, 5.0)).material(surface(0.5, 0.8))).unwrap();
    let (start, mut last) = (w.energy().total(), w.energy().total());
    for _ in 0..1000 {
        step_certified(&mut w, H);
        let now = w.energy().total();
        assert!(now <= last + 1e-6, "{last} → {now}");
        last = now;
    }
    assert!(last < 0.9 * start);
    close(w.body(b).unwrap().position().z, 0.5, 1e-4);
    assert!(w.body(b).unwrap().velocity().length() < 1e-6);
}

#[test]
fn b3_sphere_drop_no_rotation() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.7);
    let b = w.add(ball("ball", v(0.0, 0.0, 2.0)).material(surface(0.5, 0.7))).unwrap();
    run(&mut w, 200);
    let body = w.body(b).unwrap();
    assert_eq!(body.angular_velocity(), DVec3::ZERO);
    assert_eq!((body.position().x, body.position().y), (0.0, 0.0));
}

#[test]
fn worked_a_elastic_exchange_of_balls() {
    let mut w = weightless();
    let a = w.add(ball("a", v(-0.6, 0.0, 0.0)).velocity(v(2.0, 0.0, 0.0)).material(surface(0.0, 1.0))).unwrap();
    let b = w.add(ball("b", v(0.6, 0.0, 0.0)).velocity(v(-1.0, 0.0, 0.0)).material(surface(0.0, 1.0))).unwrap();
    run(&mut w, 20);
    close_vector(w.body(a).unwrap().velocity(), v(-1.0, 0.0, 0.0), 1e-9);
    close_vector(w.body(b).unwrap().velocity(), v(2.0, 0.0, 0.0), 1e-9);
    close(w.energy().total(), 2.5, 1e-9);
}

#[test]
fn a5_ten_to_one() {
    let mut w = weightless();
    let a =
        w.add(ball("a", v(-0.6, 0.0, 0.0)).mass(10.0).velocity(v(1.0, 0.0, 0.0)).material(surface(0.5, 1.0))).unwrap();
    let b = w.add(ball("b", v(0.6, 0.0, 0.0)).material(surface(0.5, 1.0))).unwrap();
    run(&mut w, 30);
    close_vector(w.body(a).unwrap().velocity(), v(9.0 / 11.0, 0.0, 0.0), 1e-9);
    close_vector(w.body(b).unwrap().velocity(), v(20.0 / 11.0, 0.0, 0.0), 1e-9);
}

#[test]
fn a6_glancing_hit_keeps_momentum_and_no_more_energy() {
    for friction in [0.0, 0.5] {
        let mut w = weightless();
        w.add(ball("a", DVec3::ZERO).velocity(v(2.0, 0.0, 0.0)).material(surface(friction, 1.0))).unwrap();
        w.add(ball("b", v(1.2, 0.5, 0.1)).material(surface(friction, 1.0))).unwrap();
        let (momentum, angular) = (total_momentum(&w), total_angular_momentum(&w));
        run(&mut w, 40);
        let hit = w.bodies().any(|(_, b)| b.velocity().y.abs() > 0.1);
        assert!(hit, "the balls must have met");
        close_vector(total_momentum(&w), momentum, 1e-13);
        close_vector(total_angular_momentum(&w), angular, 1e-12);
        assert!(w.energy().total() <= 2.0 + 1e-12);
    }
}

#[test]
fn dynamic_against_fixed_reverses_and_leaves_it_bit_identical() {
    let mut w = weightless();
    let wall = Body::fixed(Shape::half_space(-DVec3::X).unwrap()).position(v(5.0, 0.0, 0.0));
    let f = w.add(wall.material(surface(0.5, 1.0)).named("wall")).unwrap();
    let before = w.body(f).unwrap().state();
    let b = w.add(ball("ball", DVec3::ZERO).velocity(v(10.0, 0.0, 0.0)).material(surface(0.5, 1.0))).unwrap();
    run(&mut w, 60);
    close_vector(w.body(b).unwrap().velocity(), v(-10.0, 0.0, 0.0), 1e-9);
    // 4.5 m to the wall and back for the rest of the time.
    close(w.body(b).unwrap().position().x, 9.0 - 10.0 * 60.0 * H, 1e-9);
    assert_eq!(w.body(f).unwrap().state(), before);
}

#[test]
fn kinetic_energy_after_impact_is_e_squared() {
    for e in [0.0, 0.25, 0.5, 0.8, 1.0] {
        let mut w = weightless();
        add_floor(&mut w, 0.0, e);
        w.add(ball("ball", v(0.0, 0.0, 0.6)).velocity(v(0.0, 0.0, -3.0)).material(surface(0.0, e))).unwrap();
        run(&mut w, 10);
        close(w.energy().total(), 4.5 * e * e, 1e-9);
    }
}

#[test]
fn slow_approach_does_not_bounce() {
    let mut w = weightless();
    add_floor(&mut w, 0.5, 0.8);
    let b = w.add(ball("ball", v(0.0, 0.0, 0.501)).velocity(v(0.0, 0.0, -0.2)).material(surface(0.5, 0.8))).unwrap();
    run(&mut w, 5);
    close(w.body(b).unwrap().velocity().z, 0.0, 1e-9);
    close(w.body(b).unwrap().position().z, 0.5, 1e-9);
}

#[test]
fn fast_ball_does_not_pass_a_thin_wall() {
    // D8 of the fault list: 10 km/s at a wall of 1 mm.
    let mut w = weightless();
    let wall = Shape::cuboid(v(0.0005, 10.0, 10.0)).unwrap();
    w.add(Body::fixed(wall).position(v(50.0, 0.0, 0.0)).named("wall")).unwrap();
    let b = w.add(ball("ball", DVec3::ZERO).velocity(v(1e4, 0.0, 0.0))).unwrap();
    run(&mut w, 5);
    let x = w.body(b).unwrap().position().x;
    assert!((x - 49.4995).abs() < 1e-6, "stopped at the wall, not at {x}");
}

#[test]
fn elastic_ball_on_a_resting_cube_never_gains() {
    for drop in [0.3, 0.5, 0.77, 1.0, 1.3] {
        let mut w = world();
        add_floor(&mut w, 0.5, 0.0);
        w.add(cube("cube", v(0.0, 0.0, 0.5)).mass(50.0).material(surface(0.5, 1.0))).unwrap();
        w.add(ball("ball", v(0.0, 0.0, 1.5 + drop)).material(surface(0.5, 1.0))).unwrap();
        let mut last = w.energy().total();
        for _ in 0..500 {
            step_certified(&mut w, H);
            let now = w.energy().total();
            assert!(now <= last + 1e-6, "drop {drop}, step {}: {last} → {now}", w.steps());
            last = now;
        }
    }
}

#[test]
fn ball_under_a_ceiling_bounces_with_the_closed_form() {
    // Thrown up at 5 m/s under a ceiling 0.8 m above its top: hits with √(25 − 2g·0.8), comes back with 0.9 of that.
    let mut w = world();
    let ceiling = Body::fixed(Shape::half_space(-DVec3::Z).unwrap()).position(v(0.0, 0.0, 2.3));
    w.add(ceiling.material(surface(0.0, 0.9)).named("ceiling")).unwrap();
    let b = w.add(ball("ball", v(0.0, 0.0, 1.0)).velocity(v(0.0, 0.0, 5.0)).material(surface(0.0, 0.9))).unwrap();
    run(&mut w, 30);
    let body = w.body(b).unwrap();
    let hit = (25.0 - 2.0 * G * 0.8f64).sqrt();
    let expected = 0.5 * (0.9 * hit).powi(2) + G * 1.8;
    close(0.5 * body.velocity().length_squared() + G * body.position().z, expected, 1e-9);
}

#[test]
fn slender_spinning_bodies_keep_momentum_and_angular_momentum_when_they_collide() {
    let mut w = weightless();
    let rod = |name: &str, half: DVec3| Body::dynamic(Shape::cuboid(half).unwrap()).mass(1.0).named(name);
    let a = rod("a", v(0.8, 0.1, 0.2)).velocity(v(1.5, 0.2, 0.0)).angular_velocity(v(1.0, 3.0, -2.0));
    w.add(a.position(v(-1.5, 0.0, 0.0)).material(surface(0.4, 0.7))).unwrap();
    let b = rod("b", v(0.15, 0.7, 0.3)).velocity(v(-1.0, 0.0, 0.1)).angular_velocity(v(-2.0, 0.5, 1.0));
    w.add(b.position(v(0.8, 0.1, 0.05)).material(surface(0.4, 0.7))).unwrap();
    let (momentum, angular) = (total_momentum(&w), total_angular_momentum(&w));
    let mut impacts = 0;
    for _ in 0..120 {
        impacts += step_certified(&mut w, H).counts.impacts;
        close_vector(total_momentum(&w), momentum, 1e-12);
        close_vector(total_angular_momentum(&w), angular, 1e-10);
    }
    assert!(impacts > 0, "they must collide");
}

#[test]
fn a_tilted_cube_bounces_when_its_first_edge_hits_and_not_when_its_last_one_would() {
    // Weightless and frictionless, e = 1, 10 m/s down. The lower edge reaches the floor after a quarter of the step, the
    // upper one, sin α higher, after nine tenths: met then, the lower edge would be 10·0.65·h = 0.1 m deep in the floor,
    // with a tenth of the step left to come out of it.
    let (speed, first, last) = (10.0, 0.25 * H, 0.9 * H);
    let tilt = (speed * (last - first)).asin();
    let lowest = |body: &signorini::BodyView| {
        let corner = |i: u32| v(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - DVec3::splat(0.5);
        (0..8).map(|i| (body.position() + body.orientation() * corner(i)).z).fold(f64::INFINITY, f64::min)
    };
    let mut w = weightless();
    add_floor(&mut w, 0.0, 1.0);
    let height = 0.5 * (tilt.sin() + tilt.cos()) + speed * first;
    let body = cube("cube", v(0.0, 0.0, height)).orientation(DQuat::from_rotation_y(tilt));
    let b = w.add(body.velocity(v(0.0, 0.0, -speed)).material(surface(0.0, 1.0))).unwrap();
    close(lowest(&w.body(b).unwrap()), speed * first, 1e-12);
    let energy = w.energy().total();
    step_certified(&mut w, H);
    let body = w.body(b).unwrap();
    assert!(lowest(&body) >= -1e-9, "{} m below the floor", -lowest(&body));
    assert!(body.velocity().z > 0.0);
    close(w.energy().total(), energy, 1e-9 * energy);
}

#[test]
fn a_ball_that_bounces_in_front_of_another_is_not_run_into() {
    // Two balls fall one behind the other at 10 m/s, so fast that neither way of a step, 0.16 m, closes the gap between
    // them. But the lower one hits the floor at once and comes back: both ways together, 0.32 m, do.
    for gap in [0.18, 0.24, 0.3] {
        let mut w = weightless();
        add_floor(&mut w, 0.0, 1.0);
        let falling = |name, z| ball(name, v(0.0, 0.0, z)).velocity(v(0.0, 0.0, -10.0)).material(surface(0.0, 1.0));
        let lower = w.add(falling("lower", 0.5)).unwrap();
        let upper = w.add(falling("upper", 1.5 + gap)).unwrap();
        for _ in 0..5 {
            let report = step_certified(&mut w, H);
            // Impulses keep them apart; the correction of poses would hide that none was posed.
            assert_eq!(report.counts.corrected, 0, "gap {gap}, step {}", w.steps());
            let apart = w.body(upper).unwrap().position().z - w.body(lower).unwrap().position().z;
            assert!(apart >= 1.0 - 1e-9, "gap {gap}, step {}: {} m deep", w.steps(), 1.0 - apart);
        }
    }
}

#[test]
fn the_step_after_a_bounce_starts_from_nothing() {
    // The impulse of a bounce says nothing about the next step, in which nothing pushes: a world that has just bounced goes
    // on as one newly made of the same bodies does, with the same work and to the same bits. The floor is still in sight.
    for method in [Method::Exact, Method::InteriorPoint] {
        let scene = |position: DVec3, velocity: DVec3| {
            let mut w = World::new(Settings { method, ..Settings::default() }).unwrap();
            add_floor(&mut w, 0.0, 0.3);
            let b = w.add(ball("ball", position).velocity(velocity).material(surface(0.0, 0.3))).unwrap();
            (w, b)
        };
        let (mut w, b) = scene(v(0.0, 0.0, 0.51), v(0.0, 0.0, -1.0));
        assert_eq!(step_certified(&mut w, H).counts.impacts, 1);
        let body = w.body(b).unwrap();
        assert!(body.velocity().z > 0.1 && body.angular_velocity() == DVec3::ZERO, "{:?}", body.state());
        let (mut fresh, c) = scene(body.position(), body.velocity());
        let (after, anew) = (w.step(H).unwrap(), fresh.step(H).unwrap());
        assert_eq!((after.counts.contacts, anew.counts.contacts), (1, 1), "they must see each other");
        assert_eq!(after.effort, anew.effort, "{method}");
        assert_eq!(w.body(b).unwrap().state(), fresh.body(c).unwrap().state(), "{method}");
    }
}

/// Contacts of bodies that bounce are seen where the bodies are at that time, maybe a centimetre into each other. That is
/// no overlap from before the step, of which a fraction would be left.
#[test]
fn what_overlaps_at_the_time_of_a_bounce_is_not_left_for_later() {
    let mut w = world();
    add_floor(&mut w, 0.4, 0.5);
    for i in 0..12 {
        let (column, row) = (f64::from(i % 3), f64::from(i / 3));
        let turn =
            DQuat::from_euler(signorini::glamx::EulerRot::XYZ, 0.7 * column + 0.3, 1.1 * row, 0.4 * column * row);
        let rod = Body::dynamic(Shape::capsule(0.2, 0.1).unwrap()).mass(1.0).orientation(turn);
        let rod =
            rod.position(v(0.35 * column, 0.1 * row, 0.6 + 0.45 * row)).angular_velocity(v(6.0, -9.0 + 4.0 * row, 3.0));
        w.add(rod.velocity(v(0.0, 0.0, -1.5 - row)).material(surface(0.4, 0.5)).numbered(i as u64)).unwrap();
    }
    let mut bounces = 0;
    for step in 0..120 {
        let report = w.step(1.0 / 60.0).unwrap();
        let overlap = &report.certificate.overlap;
        assert!(overlap.is_met(), "step {step}: {overlap:?}");
        bounces += report.counts.impacts;
    }
    assert!(bounces > 20, "{bounces}");
}

//! Several bodies: stacks, cascades, mass ratios, joints. Spec §5.9, §7.4, §7.13.

use crate::fixture::*;

/// Cubes on top of each other.
fn stack(count: usize) -> (World, Vec<BodyHandle>) {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let bodies =
        (0..count).map(|i| w.add(cube(&format!("cube {i:02}"), v(0.0, 0.0, 0.5 + i as f64))).unwrap()).collect();
    (w, bodies)
}

#[test]
fn stacks_of_2_3_and_10_stand_still() {
    for count in [2, 3, 10] {
        let (mut w, bodies) = stack(count);
        run(&mut w, 300);
        for (i, b) in bodies.iter().enumerate() {
            let body = w.body(*b).unwrap();
            close_vector(body.position(), v(0.0, 0.0, 0.5 + i as f64), 1e-5);
            assert!((body.orientation() * DVec3::Z).z > 0.1f64.to_radians().cos());
            assert!(body.velocity().length() < 1e-6 && body.angular_velocity().length() < 1e-6);
        }
        let floor = w.find("floor").unwrap();
        let load = w.body(floor).unwrap().constraint_forces().force;
        close(load.z, -(count as f64) * G, 1e-6 * count as f64 * G);
    }
}

#[test]
fn heavy_on_light_floor_force_is_exact() {
    for (ratio, tolerance) in [(1.0, 1e-6), (1e3, 1e-6), (1e6, 1e-6)] {
        let mut w = world();
        add_floor(&mut w, 0.5, 0.0);
        w.add(cube("light", v(0.0, 0.0, 0.5))).unwrap();
        w.add(cube("weight", v(0.0, 0.0, 1.5)).mass(ratio)).unwrap();
        for _ in 0..50 {
            let report = w.step(H).unwrap();
            assert_eq!(report.status, StepStatus::Certified, "ratio {ratio}: {:?}", report.certificate);
        }
        let floor = w.find("floor").unwrap();
        let load = w.body(floor).unwrap().constraint_forces().force.z;
        close(load / (-(1.0 + ratio) * G), 1.0, tolerance);
    }
}

#[test]
fn stack_dropped_from_height_settles() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.5);
    let b = w.add(cube("b", v(0.0, 0.0, 0.5)).material(surface(0.5, 0.5))).unwrap();
    let a = w.add(cube("a", v(0.0, 0.0, 2.0)).material(surface(0.5, 0.5))).unwrap();
    run(&mut w, 400);
    close(w.body(b).unwrap().position().z, 0.5, 1.1e-3);
    close(w.body(a).unwrap().position().z, 1.5, 2.2e-3);
    assert!(w.body(a).unwrap().velocity().length() < 1e-5 && w.body(b).unwrap().velocity().length() < 1e-5);
}

#[test]
fn inelastic_cascade_shares_the_momentum() {
    let mut w = weightless();
    for (name, x, speed) in [("a", -1.5, 2.0), ("b", 0.5, 0.0), ("c", 2.5, 0.0)] {
        w.add(ball(name, v(x, 0.0, 0.0)).velocity(v(speed, 0.0, 0.0)).material(surface(0.5, 0.0))).unwrap();
    }
    run(&mut w, 200);
    for (_, body) in w.bodies() {
        close_vector(body.velocity(), v(2.0 / 3.0, 0.0, 0.0), 1e-8);
    }
}

#[test]
fn m8_6_block_on_block() {
    // 3 kg on 5 kg, smooth floor, 10 N on the upper, μ = 0.5 between them: both go with 1.25 m/s².
    let mut w = world();
    add_floor(&mut w, 0.0, 0.0);
    let lower = w.add(cube("lower", v(0.0, 0.0, 0.5)).mass(5.0).material(surface(0.5, 0.0))).unwrap();
    let upper = w.add(cube("upper", v(0.0, 0.0, 1.5)).mass(3.0).material(surface(0.5, 0.0))).unwrap();
    for _ in 0..20 {
        // At the level of the interface, so that the block does not lean.
        w.add_force_at(upper, v(10.0, 0.0, 0.0), w.body(upper).unwrap().position() - v(0.0, 0.0, 0.5)).unwrap();
        step_certified(&mut w, H);
    }
    close(w.body(lower).unwrap().velocity().x, 1.25 * 20.0 * H, 1e-6);
    close(w.body(upper).unwrap().velocity().x, 1.25 * 20.0 * H, 1e-6);
    let force = w.body(upper).unwrap().constraint_forces().force;
    close_vector(force, v(-6.25, 0.0, 29.43), 1e-4);
}

#[test]
fn pile_of_five_comes_to_rest_above_the_floor() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.5);
    let places = [v(0.0, 0.0, 1.0), v(0.3, 0.3, 2.0), v(-0.3, 0.2, 3.0), v(0.1, -0.3, 4.0), v(-0.1, 0.1, 5.0)];
    for (i, p) in places.into_iter().enumerate() {
        w.add(cube(&format!("cube {i}"), p).material(surface(0.5, 0.5))).unwrap();
    }
    let mut last = w.energy().total();
    let mut degraded = 0;
    for _ in 0..800 {
        let report = w.step(H).unwrap();
        degraded += usize::from(report.status == StepStatus::Degraded);
        let now = w.energy().total();
        let explained =
            report.energy.stabilisation.max(0.0) + report.energy.integration.clamp(0.0, 2.5 * (H * G).powi(2));
        assert!(now <= last + explained + 1e-9 * last, "step {}: {last} → {now}: {:?}", w.steps(), report.energy);
        last = now;
    }
    assert_eq!(degraded, 0);
    let resting = w.bodies().filter(|(_, b)| b.mass().is_finite() && b.velocity().length() < 1e-3).count();
    assert!(w.bodies().all(|(_, b)| b.mass().is_infinite() || b.position().z > 0.49));
    assert_eq!(resting, 5);
}

#[test]
fn pendulum_keeps_its_length_and_period() {
    // A small ball on a 1 m rod; T = 2π√(ℓ/g)(1 + θ²/16) for a point mass, with I of the ball added.
    let mut w = world();
    let angle: f64 = 0.1;
    let shape = Shape::sphere(0.01).unwrap();
    let start = v(angle.sin(), 0.0, -angle.cos());
    let b = w.add(Body::dynamic(shape).mass(1.0).position(start).named("bob")).unwrap();
    w.add_joint(Joint::distance(b, DVec3::ZERO, DVec3::ZERO, 1.0)).unwrap();
    let dt = 0.001;
    let mut crossings = Vec::new();
    let mut last = start.x;
    for k in 0..5000 {
        step_certified(&mut w, dt);
        let p = w.body(b).unwrap().position();
        assert!((p.length() - 1.0).abs() < 1e-5);
        if last > 0.0 && p.x <= 0.0 {
            crossings.push(f64::from(k) * dt + dt * last / (last - p.x));
        }
        last = p.x;
    }
    let period = (crossings[1] - crossings[0]) / 1.0;
    let expected = std::f64::consts::TAU / G.sqrt() * (1.0 + angle * angle / 16.0);
    close(period, expected, 1e-3);
}

#[test]
fn hanging_chain_of_balls_carries_its_weight() {
    let mut w = world();
    let link = |i: usize| {
        let shape = Shape::sphere(0.1).unwrap();
        Body::dynamic(shape).mass(1.0).position(v(0.0, 0.0, -0.5 - i as f64)).named(&format!("link {i}"))
    };
    let links: Vec<_> = (0..5).map(|i| w.add(link(i)).unwrap()).collect();
    w.add_joint(Joint::ball(links[0], v(0.0, 0.0, 0.5), DVec3::ZERO)).unwrap();
    for pair in links.windows(2) {
        w.add_joint(Joint::ball(pair[0], v(0.0, 0.0, -0.5), (pair[1], v(0.0, 0.0, 0.5)))).unwrap();
    }
    run(&mut w, 100);
    for (i, b) in links.iter().enumerate() {
        let body = w.body(*b).unwrap();
        close_vector(body.position(), v(0.0, 0.0, -0.5 - i as f64), 1e-8);
        close_vector(body.constraint_forces().force, v(0.0, 0.0, G), 1e-6);
    }
}

#[test]
fn fixed_joint_makes_one_body_of_two() {
    let mut w = weightless();
    let a = w.add(cube("a", DVec3::ZERO).angular_velocity(v(0.3, 0.2, 1.0))).unwrap();
    let b = w.add(cube("b", v(1.0, 0.0, 0.0)).velocity(v(0.0, 0.0, 0.4))).unwrap();
    w.add_joint(Joint::fixed(a, v(0.5, 0.0, 0.0), (b, v(-0.5, 0.0, 0.0)))).unwrap();
    let (momentum, angular) = (total_momentum(&w), total_angular_momentum(&w));
    run(&mut w, 200);
    let (a, b) = (w.body(a).unwrap(), w.body(b).unwrap());
    close_vector(a.angular_velocity(), b.angular_velocity(), 1e-8);
    close(a.orientation().dot(b.orientation()).abs(), 1.0, 1e-9);
    let joint = a.pose().transform_point(v(0.5, 0.0, 0.0)) - b.pose().transform_point(v(-0.5, 0.0, 0.0));
    assert!(joint.length() < 1e-3, "{joint}");
    close_vector(total_momentum(&w), momentum, 1e-12);
    assert!((total_angular_momentum(&w) - angular).length() < 5e-3 * angular.length());
}

#[test]
fn joint_and_contact_are_solved_together() {
    // A cube on the floor pinned at its top corner line by a rod to the world: the pull is carried by both.
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.5)).material(surface(0.5, 0.0))).unwrap();
    w.add_joint(Joint::distance(b, DVec3::ZERO, v(-2.0, 0.0, 0.5), 2.0)).unwrap();
    for _ in 0..100 {
        w.add_force(b, v(20.0, 0.0, 0.0)).unwrap();
        step_certified(&mut w, H);
    }
    let body = w.body(b).unwrap();
    close_vector(body.position(), v(0.0, 0.0, 0.5), 1e-6);
    close_vector(body.constraint_forces().force, v(-20.0, 0.0, G), 1e-5);
}

#[test]
fn symmetric_tilted_drops_stay_in_their_plane() {
    for (friction, e) in [(0.5, 0.5), (0.0, 0.5), (0.0, 1.0), (0.5, 0.0)] {
        for degrees in [5.0f64, 15.0, 30.0] {
            let mut w = world();
            add_floor(&mut w, friction, e);
            let turn = DQuat::from_rotation_x(degrees.to_radians());
            let body = cube("cube", v(0.0, 0.0, 4.0)).orientation(turn).material(surface(friction, e));
            let b = w.add(body).unwrap();
            let start = w.energy().total();
            for _ in 0..200 {
                step_certified(&mut w, H);
                let angular_velocity = w.body(b).unwrap().angular_velocity();
                assert!(
                    angular_velocity.y.abs() + angular_velocity.z.abs() <= 1e-5 * (1.0 + angular_velocity.x.abs()),
                    "{degrees}°, μ {friction}, e {e}: {angular_velocity}"
                );
                assert!(w.energy().total() <= start * (1.0 + 1e-6));
            }
            if friction == 0.0 {
                let p = w.body(b).unwrap().position();
                assert!(p.x.abs() < 1e-6 && p.y.abs() < 1e-6, "{p}");
            }
        }
    }
}

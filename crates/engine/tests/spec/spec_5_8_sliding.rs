//! Friction: sliding cubes, inclines, rolling. Truths of spec §5.8 and §7.14–7.16.

use crate::fixture::*;

fn slider(velocity: DVec3, friction: f64) -> (World, BodyHandle) {
    let mut w = world();
    add_floor(&mut w, friction, 0.0);
    let body = cube("cube", v(0.0, 0.0, 0.5)).velocity(velocity).material(surface(friction, 0.0));
    let b = w.add(body).unwrap();
    (w, b)
}

#[test]
fn friction_direction_and_deceleration_are_mu_g() {
    for (x, y) in [(2.0, 0.0), (0.0, 2.0), (-2.0, 0.0), (1.5, 1.0)] {
        let (mut w, b) = slider(v(x, y, 0.0), 0.5);
        let start = v(x, y, 0.0);
        run(&mut w, 10);
        let expected = start - start.normalize() * (0.5 * G * 10.0 * H);
        close_vector(w.body(b).unwrap().velocity(), expected, 1e-7);
    }
}

#[test]
fn sliding_cube_x_and_y_stop_after_26_steps() {
    // v²/2μg, but for the step in which it stops: that may be off by μgh²/8.
    let distance: f64 = 2.0 * 2.0 / (2.0 * 0.5 * G);
    let stop = 0.5 * G * H * H / 8.0;
    for (direction, lateral) in [(DVec3::X, DVec3::Y), (DVec3::Y, DVec3::X)] {
        let (mut w, b) = slider(2.0 * direction, 0.5);
        run(&mut w, 25);
        assert!(w.body(b).unwrap().velocity().dot(direction) > 0.03);
        run(&mut w, 1);
        assert!(w.body(b).unwrap().velocity().length() < 1e-8);
        run(&mut w, 134);
        let body = w.body(b).unwrap();
        close(body.position().dot(direction), distance, stop + 1e-9);
        close(body.position().dot(lateral), 0.0, 1e-7);
        close(body.position().z, 0.5, 1e-7);
        assert!(body.angular_velocity().length() < 1e-7);
    }
}

#[test]
fn no_energy_injection_and_friction_work_is_the_lost_energy() {
    let (mut w, _) = slider(v(2.0, 0.0, 0.0), 0.5);
    let mut last = w.energy().kinetic();
    let mut work = 0.0;
    for _ in 0..40 {
        work += step_certified(&mut w, H).energy.friction;
        let now = w.energy().kinetic();
        assert!(now <= last + 1e-12);
        last = now;
    }
    close(work, -2.0, 1e-9);
}

#[test]
fn oblique45_slow_medium_fast_stay_flat() {
    for speed in [0.85, 1.5, 3.0, 6.0] {
        let direction = v(1.0, 1.0, 0.0).normalize();
        let (mut w, b) = slider(speed * direction, 0.5);
        for k in 1..=10 {
            step_certified(&mut w, H);
            let body = w.body(b).unwrap();
            assert!(body.velocity().z.abs() < 1e-9, "step {k}: v_z = {}", body.velocity().z);
            assert!(body.angular_velocity().length() < 1e-7, "step {k}: {}", body.angular_velocity());
        }
        close_vector(w.body(b).unwrap().velocity(), (speed - 10.0 * 0.5 * G * H).max(0.0) * direction, 1e-7);
    }
}

#[test]
fn sliding_is_the_same_in_every_direction() {
    for degrees in [0.0f64, 7.5, 15.0, 22.5, 30.0, 45.0, 60.0, 75.0, 90.0] {
        let distance: f64 = 2.0 * 2.0 / (2.0 * 0.5 * G);
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (mut w, b) = slider(v(2.0 * cos, 2.0 * sin, 0.0), 0.5);
        run(&mut w, 60);
        let p = w.body(b).unwrap().position();
        close(p.x * cos + p.y * sin, distance, 0.5 * G * H * H / 8.0 + 1e-9);
        close(p.y * cos - p.x * sin, 0.0, 1e-6);
    }
}

#[test]
fn cone_compliant_and_high_speed_stop_times() {
    for (speed, steps) in [(3.0, 39), (6.0, 77)] {
        let (mut w, b) = slider(v(speed, 0.0, 0.0), 0.5);
        let energy = w.energy().total();
        for _ in 0..steps - 1 {
            step_certified(&mut w, H);
            assert!(w.energy().total() <= energy * (1.0 + 1e-9));
        }
        assert!(w.body(b).unwrap().velocity().x > 1e-3);
        run(&mut w, 1);
        assert!(w.body(b).unwrap().velocity().length() < 1e-8);
    }
}

#[test]
fn contact_impulses_lie_on_the_cone_against_the_slip() {
    let (mut w, _) = slider(v(2.0, 1.0, 0.0), 0.5);
    step_certified(&mut w, H);
    let mut weight = 0.0;
    for c in w.contacts() {
        // The normal may point either way: A is the body that comes first by name.
        let normal = c.impulse.dot(c.normal);
        let tangential = c.impulse - normal * c.normal;
        let slip = c.velocity - c.velocity.dot(c.normal) * c.normal;
        assert!(normal >= 0.0 && tangential.length() <= 0.5 * normal * (1.0 + 1e-9));
        if normal > 1e-6 {
            assert!((tangential.normalize() + slip.normalize()).length() < 1e-6);
        }
        weight += normal;
    }
    close(weight, G * H, 1e-9);
}

#[test]
fn zero_friction_keeps_speed_and_high_friction_stops() {
    let (mut w, b) = slider(v(1.0, 0.0, 0.0), 0.0);
    run(&mut w, 50);
    close_vector(w.body(b).unwrap().velocity(), v(1.0, 0.0, 0.0), 1e-9);
    let (mut w, b) = slider(v(0.3, 0.0, 0.0), 0.9);
    run(&mut w, 15);
    assert!(w.body(b).unwrap().velocity().length() < 1e-8);
}

#[test]
fn tips_if_and_only_if_friction_exceeds_one() {
    // Half width over height of the centre of mass is one.
    for (friction, tips) in [(0.5, false), (0.9, false), (0.99, false), (1.01, true), (1.5, true)] {
        let (mut w, b) = slider(v(2.0, 0.0, 0.0), friction);
        run(&mut w, 1);
        let angular_velocity = w.body(b).unwrap().angular_velocity();
        assert_eq!(angular_velocity.y > 1e-6, tips, "friction {friction}: spin {angular_velocity}");
    }
    // The closed form of the first step at μ = 1.5: front edge as pivot that slides no more than the cone allows.
    let (mut w, b) = slider(v(2.0, 0.0, 0.0), 1.5);
    run(&mut w, 1);
    let body = w.body(b).unwrap();
    close_vector(body.velocity(), v(1.058, 0.0, 0.471), 1e-3);
    close(body.angular_velocity().y, 0.942, 1e-3);
}

fn tilted(degrees: f64, friction: f64) -> (World, BodyHandle, DVec3) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let settings = Settings { gravity: G * v(sin, 0.0, -cos), ..Settings::default() };
    let mut w = World::new(settings).unwrap();
    add_floor(&mut w, friction, 0.0);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.5)).mass(10.0).material(surface(friction, 0.0))).unwrap();
    (w, b, v(sin, 0.0, -cos))
}

#[test]
fn incline_sticks_iff_the_tangent_is_below_friction() {
    let critical = 0.5f64.atan().to_degrees();
    for (degrees, slips) in [(critical - 0.01, false), (critical + 0.01, true), (20.0, false), (35.0, true)] {
        let (mut w, b, _) = tilted(degrees, 0.5);
        run(&mut w, 60);
        assert_eq!(w.body(b).unwrap().position().x > 1e-6, slips, "{degrees}°");
    }
}

#[test]
fn m8_1_rest_on_20_degrees_and_m8_2_slide_on_45() {
    let (mut w, b, _) = tilted(20.0, 0.6);
    run(&mut w, 20);
    let force = w.body(b).unwrap().constraint_forces().force;
    close(force.z, 92.18, 0.005);
    close(force.x, -33.55, 0.005);
    let (mut w, b, _) = tilted(45.0, 0.3);
    run(&mut w, 20);
    let body = w.body(b).unwrap();
    close(body.constraint_forces().force.z, 69.36, 0.01);
    close(body.constraint_forces().force.x, -20.81, 0.01);
    close(body.velocity().x / (20.0 * H), 4.856, 1e-3);
}

#[test]
fn m8_5_push_beyond_the_friction_limit() {
    for (push, acceleration) in [(0.0, 0.0), (10.0, 0.0), (23.5, 0.0), (25.0, 0.182), (30.0, 0.807)] {
        let mut w = world();
        add_floor(&mut w, 0.3, 0.0);
        let b = w.add(cube("cube", v(0.0, 0.0, 0.5)).mass(8.0).material(surface(0.3, 0.0))).unwrap();
        for _ in 0..20 {
            w.add_force(b, v(push, 0.0, 0.0)).unwrap();
            step_certified(&mut w, H);
        }
        close(w.body(b).unwrap().velocity().x / (20.0 * H), acceleration, 5e-4);
    }
}

#[test]
fn rolling_sphere_ends_at_five_sevenths() {
    let mut w = world();
    add_floor(&mut w, 0.3, 0.0);
    let b = w.add(ball("ball", v(0.0, 0.0, 0.5)).velocity(v(3.0, 0.0, 0.0)).material(surface(0.3, 0.0))).unwrap();
    run(&mut w, 100);
    let body = w.body(b).unwrap();
    close_vector(body.velocity(), v(15.0 / 7.0, 0.0, 0.0), 1e-7);
    close_vector(body.angular_velocity(), v(0.0, 30.0 / 7.0, 0.0), 1e-7);
}

/// A cube thrown at the floor from 1 m above it at (1.5, 0, −2) m/s, e = 0.5.
fn thrown(friction: f64) -> (World, BodyHandle) {
    let mut w = world();
    add_floor(&mut w, friction, 0.5);
    let body = cube("cube", v(0.0, 0.0, 1.5)).velocity(v(1.5, 0.0, -2.0)).material(surface(friction, 0.5));
    let b = w.add(body).unwrap();
    (w, b)
}

#[test]
fn friction_with_restitution_bounce_then_slide() {
    // μ = 0.1 < 1.5/7.29: no impact stops it. One at speed s has the normal impulse (1 + e) s, takes μ(1 + e) s of the
    // tangential speed, and is followed by a flight of 2 e s/g. Of the speeds 4.858·2⁻ᵏ four are above the rest speed of
    // 0.5 m/s; the fifth, 0.304 m/s, is a landing without bounce, after which the cube slides v²/(2μg).
    let (friction, e) = (0.1, 0.5);
    let (mut w, b) = thrown(friction);
    let mut impact: f64 = (4.0 + 2.0 * G).sqrt();
    let (mut speed, mut x) = (1.5, 1.5 * (impact - 2.0) / G);
    let rises = |w: &World| w.body(b).unwrap().velocity().z >= 0.0;
    for _ in 0..4 {
        for phase in [true, false] {
            while rises(&w) == phase {
                step_certified(&mut w, H);
                assert!(w.steps() < 400);
            }
        }
        speed -= friction * (1.0 + e) * impact;
        impact *= e;
        let body = w.body(b).unwrap();
        close(body.velocity().x, speed, 1e-8);
        // Where the flight that has begun will end.
        let left = (body.velocity().z + (body.velocity().z.powi(2) + 2.0 * G * (body.position().z - 0.5)).sqrt()) / G;
        x += speed * 2.0 * impact / G;
        close(body.position().x + speed * left, x, 1e-8);
        assert!(body.angular_velocity().length() < 1e-7, "flat on its face: {}", body.angular_velocity());
    }
    run(&mut w, 100);
    speed -= friction * impact;
    let slide = speed * speed / (2.0 * friction * G);
    let body = w.body(b).unwrap();
    assert!(body.velocity().length() < 1e-8 && slide > 5e-3);
    // Friction of the landing and of the slide acts in whole steps: off by less than one at the speed of the slide.
    close(body.position().x, x + slide, speed * H);
    close(body.position().y, 0.0, 1e-7);
}

#[test]
fn friction_with_restitution_sticks_at_the_first_impact_where_the_cone_allows() {
    // The first impact sticks: 1.5 N·s of the 0.5·7.29 that the cone allows. Free fall over 1 m from 2 m/s: 4.858 m/s.
    let (mut w, b) = thrown(0.5);
    let mut steps = 0;
    while w.body(b).unwrap().velocity().z < 0.0 {
        step_certified(&mut w, H);
        steps += 1;
        assert!(steps < 100);
    }
    let body = w.body(b).unwrap();
    let impact: f64 = (4.0 + 2.0 * G).sqrt();
    let after = impact / 2.0;
    // Height of the parabola the cube is on after the bounce, whenever in the step it was.
    let top = body.position().z + body.velocity().z * body.velocity().z / (2.0 * G);
    close(top, 0.5 + after * after / (2.0 * G), 1e-9);
    close(body.velocity().x, 0.0, 1e-9);
    assert!(body.angular_velocity().length() < 1e-8);
}

#[test]
fn conveyor_belt_carries_and_its_work_is_booked() {
    let mut w = world();
    let belt = Body::kinematic(Shape::cuboid(v(50.0, 5.0, 0.5)).unwrap()).position(v(0.0, 0.0, -0.5));
    w.add(belt.velocity(v(1.0, 0.0, 0.0)).material(surface(0.5, 0.0)).named("belt")).unwrap();
    let b = w.add(ball("ball", v(0.0, 0.0, 0.5)).material(surface(0.5, 0.0))).unwrap();
    let mut driven = 0.0;
    for _ in 0..100 {
        driven += step_certified(&mut w, H).energy.driven;
    }
    // A ball dropped at rest on a belt ends rolling: v = 2/7 of the belt's speed.
    close(w.body(b).unwrap().velocity().x, 2.0 / 7.0, 1e-7);
    assert!(driven > 0.0);
}

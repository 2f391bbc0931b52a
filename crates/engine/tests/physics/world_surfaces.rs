//! Surfaces that run, that rub more one way than another, and that give way.

use crate::fixture::*;
use signorini::{ContactState, SurfaceMotion};

fn certified(w: &mut World, dt: f64) -> StepReport {
    let report = w.step(dt).unwrap();
    let misses: Vec<_> = report.certificate.misses().collect();
    assert_eq!(report.status, StepStatus::Certified, "{misses:?}");
    report
}

fn belt(velocity: DVec3, angular_velocity: DVec3, friction: f64) -> Body {
    let slab = Body::fixed(Shape::cuboid(v(50.0, 5.0, 0.5)).unwrap()).position(v(0.0, 0.0, -0.5));
    slab.surface_motion(SurfaceMotion { velocity, angular_velocity }).material(surface(friction, 0.0)).named("belt")
}

/// A box put on a belt gains μ g h a step until it has the speed v of the belt, after v/(μ g), having slid back by v²/(2 μ g)
/// against it; then it rides.
#[test]
fn a_box_on_a_belt_reaches_its_speed_after_v_over_mu_g() {
    let (speed, friction) = (1.5, 0.3);
    let mut w = world();
    w.add(belt(v(speed, 0.0, 0.0), DVec3::ZERO, friction)).unwrap();
    let body = w.add(cube("box", v(0.0, 0.0, 0.5)).material(surface(friction, 0.0))).unwrap();
    let reached = speed / (friction * G);
    let (mut t, mut driven, mut lost) = (0.0, 0.0, 0.0);
    for _ in 0..60 {
        let report = certified(&mut w, H);
        t += H;
        driven += report.energy.driven;
        lost += report.energy.friction;
        let expected = f64::min(speed, friction * G * t);
        let found = w.body(body).unwrap().velocity().x;
        assert!((found - expected).abs() < 1e-7, "at {t}: {found} instead of {expected}");
        let state = w.contacts()[0].state();
        assert_eq!(state, if t < reached { ContactState::Slip } else { ContactState::Stick }, "at {t}");
    }
    // The belt pays for the box's energy and for as much heat: m v² in all.
    assert!((driven - speed * speed).abs() < 0.05 * speed * speed, "{driven}");
    assert!((driven + lost - 0.5 * speed * speed).abs() < 1e-6, "{driven} {lost}");
}

/// Held by a wall the box stays, and the belt pulls with μ m g.
#[test]
fn a_belt_pulls_with_its_friction_on_what_is_held() {
    let mut w = world();
    w.add(belt(v(1.0, 0.0, 0.0), DVec3::ZERO, 0.3)).unwrap();
    let wall = Body::fixed(Shape::cuboid(v(0.5, 2.0, 2.0)).unwrap()).position(v(1.0, 0.0, 1.5));
    let wall = w.add(wall.material(surface(0.0, 0.0)).named("wall")).unwrap();
    let body = w.add(cube("box", v(0.0, 0.0, 0.5)).material(surface(0.3, 0.0))).unwrap();
    for _ in 0..60 {
        certified(&mut w, H);
    }
    assert!(w.body(body).unwrap().position().x.abs() < 1e-6);
    let push = w.body(wall).unwrap().constraint_forces().force.x;
    assert!((push - 0.3 * G).abs() < 1e-5, "{push} N");
}

/// On a turntable a box that sticks has the spin of the table, and its velocity is ω × r.
#[test]
fn a_small_box_rides_on_a_turntable() {
    let mut w = world();
    let table = Body::fixed(Shape::cylinder(0.5, 3.0).unwrap()).position(v(0.0, 0.0, -0.5));
    let motion = SurfaceMotion { velocity: DVec3::ZERO, angular_velocity: v(0.0, 0.0, 0.5) };
    w.add(table.surface_motion(motion).material(surface(1.0, 0.0)).named("table")).unwrap();
    let small = Body::dynamic(Shape::cuboid(v(0.1, 0.1, 0.1)).unwrap()).mass(1.0).position(v(1.0, 0.0, 0.1));
    let small = w.add(small.material(surface(1.0, 0.0)).named("box")).unwrap();
    for _ in 0..120 {
        assert_eq!(w.step(1.0 / 240.0).unwrap().status, StepStatus::Certified);
    }
    let view = w.body(small).unwrap();
    let (at, velocity) = (view.position(), view.velocity());
    assert!((velocity - v(0.0, 0.0, 0.5).cross(at)).length() < 1e-2, "{velocity} at {at}");
    assert!((view.angular_velocity().z - 0.5).abs() < 1e-6, "{}", view.angular_velocity());
}

/// Pushed at 45° to the grain with μ₁ along and μ₂ across, the force of friction is −(μ₁² v₁, μ₂² v₂) m g / |(μ₁ v₁, μ₂ v₂)|:
/// the point of the ellipse that dissipates the most. v is that at the end of the step, on which the law is posed.
#[test]
fn friction_along_the_grain_and_across_it_slows_by_an_ellipse() {
    let (along, across) = (0.2, 0.6);
    let mut w = world();
    let floor = Body::fixed(Shape::half_space(DVec3::Z).unwrap());
    let turn = DQuat::from_rotation_z(0.3);
    let (e1, e2) = (turn * DVec3::X, turn * DVec3::Y);
    // The axis is in the frame of the body.
    let grain = surface(along, 0.0).grain([2.0, 0.0, 0.0], across);
    w.add(floor.orientation(turn).material(grain).named("floor")).unwrap();
    // The other surface lets the rule √(μ_A μ_B) be the floor's: it has the same friction in both directions.
    let same = Material::new(1.0, 0.0).friction_rule(signorini::Combine::Multiply);
    let start = 2.0 * e1 + 2.0 * e2;
    let body = w.add(cube("box", v(0.0, 0.0, 0.5)).material(same).velocity(start)).unwrap();
    for _ in 0..10 {
        let before = w.body(body).unwrap().velocity();
        certified(&mut w, H);
        let after = w.body(body).unwrap().velocity();
        let slip = DVec3::new(along * after.dot(e1), across * after.dot(e2), 0.0);
        let force = -(along * slip.x * e1 + across * slip.y * e2) / slip.length();
        let expected = before + H * G * force;
        assert!((after - expected).length() < 1e-7, "{after} instead of {expected}");
    }
    // It has been turned along the grain.
    let end = w.body(body).unwrap().velocity();
    assert!(end.dot(e1) > 1.5 * end.dot(e2));
}

/// On a slope of tan β = 0.4 a block with the grain down the slope (μ = 0.3) slides; with the grain across it (0.5 down the
/// slope) it stays.
#[test]
fn a_block_stays_across_the_grain_and_slides_along_it() {
    let tilt = 0.4_f64.atan();
    for (axis, slides) in [([1.0, 0.0, 0.0], true), ([0.0, 1.0, 0.0], false)] {
        let mut w =
            World::new(Settings { gravity: G * v(tilt.sin(), 0.0, -tilt.cos()), ..Settings::default() }).unwrap();
        let grain = Material::new(0.3, 0.0).grain(axis, 0.5);
        w.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(grain).named("floor")).unwrap();
        let smooth = Material::new(1.0, 0.0).friction_rule(signorini::Combine::Multiply);
        let body = w.add(cube("box", v(0.0, 0.0, 0.5)).material(smooth)).unwrap();
        for _ in 0..30 {
            certified(&mut w, H);
        }
        let speed = w.body(body).unwrap().velocity().x;
        let expected = if slides { G * (tilt.sin() - 0.3 * tilt.cos()) * 30.0 * H } else { 0.0 };
        assert!((speed - expected).abs() < 1e-6, "{speed} instead of {expected}");
    }
}

/// A ball of 1 kg on a floor of 1000 N/m sinks to m g/k = 9.81 mm and stays there.
#[test]
fn a_soft_floor_sags_by_weight_over_stiffness() {
    let mut w = world();
    let floor = Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(surface(0.5, 0.0).soft(1000.0, 20.0));
    w.add(floor.named("floor")).unwrap();
    let body = w.add(ball("ball", v(0.0, 0.0, 0.5))).unwrap();
    for _ in 0..400 {
        certified(&mut w, H);
    }
    let sag = 0.5 - w.body(body).unwrap().position().z;
    assert!((sag - G / 1000.0).abs() < 1e-9, "{sag}");
}

/// In contact each step is backward Euler of m ẍ = −k x − d ẋ − m g, in closed form:
/// v⁺ = (m v − h (k x + m g))/(m + h d + h² k), x⁺ = x + h v⁺.
#[test]
fn a_soft_contact_is_backward_euler_of_a_spring_and_a_damper() {
    let (k, d, h) = (2000.0, 15.0, 1.0 / 240.0);
    let mut w = world();
    let floor = Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(surface(0.0, 0.0).soft(k, d));
    w.add(floor.named("floor")).unwrap();
    let body = w.add(ball("ball", v(0.0, 0.0, 0.5)).velocity(v(0.0, 0.0, -0.5))).unwrap();
    let (mut x, mut u) = (0.0, -0.5);
    for step in 0..20 {
        certified(&mut w, h);
        u = (u - h * (k * x + G)) / (1.0 + h * d + h * h * k);
        x += h * u;
        let view = w.body(body).unwrap();
        assert!((view.velocity().z - u).abs() < 1e-9, "step {step}: {} instead of {u}", view.velocity().z);
        assert!((view.position().z - 0.5 - x).abs() < 1e-9, "step {step}: {} instead of {x}", view.position().z - 0.5);
        if x > 0.0 {
            break;
        }
    }
}

/// Two surfaces that give way are springs in series.
#[test]
fn two_soft_surfaces_are_springs_in_series() {
    let (one, two) = (surface(0.5, 0.9).soft(1000.0, 4.0), surface(0.5, 0.9).soft(3000.0, 8.0));
    let pair = one.combine(two);
    assert!((pair.stiffness.unwrap() - 750.0).abs() < 1e-9);
    // The softer one takes three quarters of the depth: ¾·4 + ¼·8.
    assert!((pair.damping - 5.0).abs() < 1e-12);
    assert_eq!(pair.restitution, 0.0);
    assert_eq!(pair, two.combine(one));
}

//! Gears against closed forms: trains, differentials, racks, screws, grippers, and pendulums that swing as one.

use crate::fixture::*;
use signorini::{Coordinate, Frame, Gear, JOINT_BOUND, JointHandle, Motor};

/// A ball of a mass and radius on a hinge about y of the world, inertia 0.4 m r².
fn wheel(w: &mut World, name: &str, at: DVec3, mass: f64, radius: f64) -> (BodyHandle, JointHandle, f64) {
    let body = Body::dynamic(Shape::sphere(radius).unwrap()).mass(mass).position(at).named(name);
    let body = w.add(body).unwrap();
    let hinge = Joint::revolute(body, Frame::along(DVec3::ZERO, DVec3::Y), Frame::along(at, DVec3::Y));
    (body, w.add_joint(hinge).unwrap(), 0.4 * mass * radius * radius)
}

fn force(w: &World, joint: JointHandle) -> f64 {
    w.joint_forces(joint).unwrap().coordinates[0].gear
}

fn rate(w: &World, joint: JointHandle) -> f64 {
    w.joint_velocity(joint).unwrap()[0]
}

fn place(w: &World, joint: JointHandle) -> f64 {
    w.joint_position(joint).unwrap()[0]
}

/// x₁ = ρx₂, τ on the first: with the force s on the first and −ρs on the second, `I₁α₁ = τ + s`, `I₂α₁/ρ = −ρs`, so
/// α₁ = τ/(I₁ + I₂/ρ²) and s = −(I₂/ρ²)α₁.
#[test]
fn a_train_of_two_wheels_turns_by_its_ratio_and_has_its_inertia() {
    for ratio in [-3.0, 0.25, 1.0, 40.0] {
        let mut w = weightless();
        let (_, first, i1) = wheel(&mut w, "first", DVec3::ZERO, 2.0, 0.2);
        let (_, second, i2) = wheel(&mut w, "second", v(1.0, 0.0, 0.0), 5.0, 0.3);
        let gear = w.add_gear(Gear::between((first, 0), (second, 0), ratio)).unwrap();
        let torque = 0.7;
        w.set_joint_force(first, 0, torque).unwrap();
        let reflected = i2 / (ratio * ratio);
        let alpha = torque / (i1 + reflected);
        for step in 1..=100 {
            let report = step_certified(&mut w, H);
            let t = f64::from(step) * H;
            close(rate(&w, first), alpha * t, 1e-9 * (alpha * t).max(1.0));
            close(rate(&w, second), alpha * t / ratio, 1e-9 * (alpha * t).max(1.0));
            close(place(&w, first), 0.5 * alpha * t * t, 1e-8 * (alpha * t * t).max(1.0));
            close(force(&w, first), -reflected * alpha, 1e-6);
            close(force(&w, second), ratio * reflected * alpha, 1e-6 * ratio.abs().max(1.0));
            assert!(w.gear_error(gear).unwrap() <= JOINT_BOUND);
            // What the torque put in is what the wheels have: the gear does no work.
            close(report.energy.joints, 0.0, 1e-9 * report.energy.scale().max(1.0));
        }
    }
}

/// Five wheels in a row: x_{k+1} = −2 x_k. The last turns 16 times as fast as the first, the other way round four times, and all of
/// them weigh on the first as `Σ 4ᵏ I_k`.
#[test]
fn a_long_train_is_one_freedom() {
    let mut w = weightless();
    let wheels: Vec<_> =
        (0..5).map(|k| wheel(&mut w, &format!("wheel {k}"), v(f64::from(k), 0.0, 0.0), 1.0, 0.1)).collect();
    for pair in wheels.windows(2) {
        w.add_gear(Gear::between((pair[1].1, 0), (pair[0].1, 0), -2.0)).unwrap();
    }
    w.set_joint_force(wheels[0].1, 0, 2.0).unwrap();
    let inertia: f64 = wheels.iter().enumerate().map(|(k, wheel)| 4f64.powi(k as i32) * wheel.2).sum();
    for _ in 0..50 {
        step_certified(&mut w, H);
    }
    let speed = 2.0 / inertia * 50.0 * H;
    close(rate(&w, wheels[0].1), speed, 1e-9 * speed);
    close(rate(&w, wheels[4].1), 16.0 * speed, 1e-8 * speed);
}

/// A wheel at 400 rad/s turns a whole turn and more in every step: the turns are counted by its speed.
#[test]
fn wheels_may_turn_more_than_a_turn_in_a_step() {
    let mut w = weightless();
    let (fast, first, _) = wheel(&mut w, "fast", DVec3::ZERO, 1.0, 0.2);
    let (slow, second, _) = wheel(&mut w, "slow", v(1.0, 0.0, 0.0), 1.0, 0.2);
    w.add_gear(Gear::between((first, 0), (second, 0), -4.0)).unwrap();
    w.set_angular_velocity(fast, v(0.0, 400.0, 0.0)).unwrap();
    w.set_angular_velocity(slow, v(0.0, -100.0, 0.0)).unwrap();
    for step in 1..=200 {
        step_certified(&mut w, H);
        close(place(&w, first), 400.0 * H * f64::from(step), 1e-6);
    }
    close(rate(&w, second), -100.0, 1e-9);
}

/// Gears that engage while one of the wheels turns: momentum of the train is kept along the gear, `(I₁ω)/(I₁ + I₂/ρ²)`.
#[test]
fn a_gear_that_engages_stops_no_more_than_it_must() {
    let mut w = weightless();
    let (body, first, i1) = wheel(&mut w, "first", DVec3::ZERO, 1.0, 0.2);
    let (_, second, i2) = wheel(&mut w, "second", v(1.0, 0.0, 0.0), 4.0, 0.2);
    w.set_angular_velocity(body, v(0.0, 6.0, 0.0)).unwrap();
    let gear = Gear::between((first, 0), (second, 0), 2.0);
    w.add_gear(gear).unwrap();
    step_certified(&mut w, H);
    close(rate(&w, first), i1 * 6.0 / (i1 + i2 / 4.0), 1e-9);
    close(rate(&w, second), 0.5 * rate(&w, first), 1e-9);
}

/// Two wheels on a body that floats, τ between the first and the body: angular momentum stays zero, with the gear inside.
#[test]
fn gears_inside_a_body_that_floats_keep_its_angular_momentum() {
    let mut w = weightless();
    let base = w.add(Body::dynamic(Shape::cuboid(v(0.5, 0.2, 0.2)).unwrap()).mass(3.0).named("base")).unwrap();
    let mut on_base = |name: &str, x: f64, mass: f64| {
        let at = v(x, 0.0, 0.0);
        let body = w.add(Body::dynamic(Shape::sphere(0.2).unwrap()).mass(mass).position(at).named(name)).unwrap();
        let other = (base, Frame::along(at, DVec3::Y));
        w.add_joint(Joint::revolute(body, Frame::along(DVec3::ZERO, DVec3::Y), other)).unwrap()
    };
    let (first, second) = (on_base("first", -0.3, 1.0), on_base("second", 0.3, 2.0));
    w.add_gear(Gear::between((first, 0), (second, 0), 1.5)).unwrap();
    w.set_joint_force(first, 0, 0.3).unwrap();
    let (i1, i2): (f64, f64) = (0.4 * 0.04, 0.8 * 0.04);
    for _ in 0..100 {
        step_certified(&mut w, H);
        let angular_velocity: DVec3 = w.bodies().map(|(_, body)| body.angular_momentum()).sum();
        assert!(angular_velocity.length() < 1e-10, "{angular_velocity:?}");
        close(rate(&w, first), 1.5 * rate(&w, second), 1e-9);
    }
    // About y, with J the base and the two wheels on it as points: L = J w + I₁(w + x₁) + I₂(w + x₂) = 0, and along the gear
    // I₁(ẇ + ẍ₁) + I₂(ẇ + ẍ₂)/ρ = τ. Both are linear in the rates: they follow from t τ.
    let points = 3.0 * (0.25 + 0.04) / 3.0;
    let com: f64 = (2.0 * 0.3 - 0.3) / 6.0;
    let wheels = 1.0 * 0.09 + 2.0 * 0.09;
    let whole = points + wheels - 6.0 * com * com + i1 + i2;
    let coupled = i1 + i2 / 1.5;
    let (own, momentum) = (i1 + i2 / 2.25, 0.3 * 100.0 * H);
    let speed = momentum / (own - coupled * coupled / whole);
    close(rate(&w, first), speed, 1e-6 * speed);
}

/// A differential: x_c = ½(x_l + x_r), τ on the cage. With the force s on the cage and −½s on both sides
/// `I_c α_c = τ + s`, `I α = −½s`, so α_c = τ/(I_c + 4/(1/I_l + 1/I_r)). With the left side held, the right one turns twice as fast.
#[test]
fn a_differential_shares_between_its_sides() {
    let build = |w: &mut World| {
        let cage = wheel(w, "cage", DVec3::ZERO, 1.0, 0.3);
        let left = wheel(w, "left", v(1.0, 0.0, 0.0), 1.0, 0.2);
        let right = wheel(w, "right", v(2.0, 0.0, 0.0), 3.0, 0.2);
        w.add_gear(Gear::sum([(cage.1, 0, 1.0), (left.1, 0, -0.5), (right.1, 0, -0.5)])).unwrap();
        w.set_joint_force(cage.1, 0, 0.5).unwrap();
        [cage, left, right]
    };
    let mut w = weightless();
    let [cage, left, right] = build(&mut w);
    let alpha = 0.5 / (cage.2 + 4.0 / (1.0 / left.2 + 1.0 / right.2));
    let push = alpha * cage.2 - 0.5;
    for _ in 0..100 {
        step_certified(&mut w, H);
    }
    let t = 100.0 * H;
    close(rate(&w, cage.1), alpha * t, 1e-9 * alpha * t);
    close(rate(&w, left.1), -0.5 * push / left.2 * t, 1e-8 * alpha * t);
    close(rate(&w, right.1), -0.5 * push / right.2 * t, 1e-8 * alpha * t);
    close(force(&w, left.1), -0.5 * push, 1e-6);
    let mut w = weightless();
    let [cage, left, right] = build(&mut w);
    let brake = Coordinate::free().motor(Motor::velocity(0.0, 1e6));
    w.set_joint_coordinate(left.1, 0, brake).unwrap();
    for _ in 0..100 {
        step_certified(&mut w, H);
    }
    close(rate(&w, right.1), 2.0 * rate(&w, cage.1), 1e-8);
    close(rate(&w, cage.1), 0.5 / (cage.2 + 4.0 * right.2) * t, 1e-7);
}

/// A rack of mass m that falls and turns its pinion, x = r φ: `(m + I/r²) a = m g`.
#[test]
fn a_rack_falls_against_its_pinion() {
    let mut w = world();
    let rack = w.add(ball("rack", DVec3::ZERO)).unwrap();
    let down = Frame::along(DVec3::ZERO, -DVec3::Z);
    let slide = w.add_joint(Joint::prismatic(rack, down, down)).unwrap();
    let (_, pinion, inertia) = wheel(&mut w, "pinion", v(2.0, 0.0, 0.0), 2.0, 0.1);
    let r = 0.05;
    w.add_gear(Gear::between((slide, 0), (pinion, 0), r)).unwrap();
    let a = G / (1.0 + inertia / (r * r));
    for step in 1..=60 {
        step_certified(&mut w, H);
        let t = f64::from(step) * H;
        close(rate(&w, slide), a * t, 1e-8);
        close(rate(&w, pinion), a * t / r, 1e-7);
        close(force(&w, slide), a - G, 1e-6);
    }
}

/// A screw: both coordinates of one cylindrical joint, z = p φ. A nut of mass m and inertia I sinks with g m/(m + I/p²), of any
/// pitch: it has no friction.
#[test]
fn a_nut_turns_as_it_sinks() {
    let mut w = world();
    let nut = w.add(ball("nut", DVec3::ZERO)).unwrap();
    let joint = w.add_joint(Joint::cylindrical(nut, DVec3::ZERO, DVec3::ZERO)).unwrap();
    let pitch = -0.02;
    let gear = w.add_gear(Gear::between((joint, 0), (joint, 1), pitch)).unwrap();
    let a = -G / (1.0 + 0.1 / (pitch * pitch));
    for step in 1..=100 {
        step_certified(&mut w, H);
        let (rates, t) = (w.joint_velocity(joint).unwrap(), f64::from(step) * H);
        close(rates[0], a * t, 1e-8);
        close(rates[1], a * t / pitch, 1e-6);
    }
    assert!(w.gear_error(gear).unwrap() <= JOINT_BOUND);
}

/// A hand on a rail that stands upright, fingers that hang on it and slide towards each other, the second as far as the first, and a
/// box between them. A motor of F on the first finger alone: a virtual closing δ of both does F δ = N δ + N δ, so each presses
/// with F/2, and the gear takes F/2 from one and gives it to the other. Friction carries the box if 2 μ F/2 ≥ m g.
#[test]
fn a_gripper_whose_finger_follows_closes_evenly_and_lifts_a_box() {
    let mut w = world();
    let hand = Body::dynamic(Shape::cuboid(v(0.2, 0.05, 0.02)).unwrap()).mass(1.0).position(v(0.0, 0.0, 0.3));
    let hand = w.add(hand.named("hand")).unwrap();
    let lift = Joint::prismatic(hand, DVec3::ZERO, v(0.0, 0.0, 0.3)).servo(5e4, 2e3, 0.0, 1e4);
    let lift = w.add_joint(lift).unwrap();
    let skin = surface(0.8, 0.0);
    let mut finger = |name: &str, x: f64| {
        let body = Body::dynamic(Shape::cuboid(v(0.01, 0.04, 0.1)).unwrap()).mass(0.2).position(v(x, 0.0, 0.15));
        let body = w.add(body.material(skin).named(name)).unwrap();
        let inward = v(-x.signum(), 0.0, 0.0);
        let joint =
            Joint::prismatic(body, Frame::along(DVec3::ZERO, inward), (hand, Frame::along(v(x, 0.0, -0.15), inward)));
        w.add_joint(joint).unwrap()
    };
    let (left, right) = (finger("left", -0.1), finger("right", 0.1));
    let gear = w.add_gear(Gear::between((right, 0), (left, 0), 1.0)).unwrap();
    let held = Body::dynamic(Shape::cuboid(v(0.05, 0.05, 0.05)).unwrap()).mass(0.5).position(v(0.0, 0.0, 0.1));
    let held = w.add(held.material(skin).named("box")).unwrap();
    // A table, smooth and narrower than the box: else it could take a part of what one finger presses, by friction on the box, or at its
    // edges, since the hand sags by 0.2 mm.
    let table = Body::fixed(Shape::cuboid(v(0.03, 0.05, 0.05)).unwrap()).position(v(0.0, 0.0, 0.0)).named("table");
    w.add(table.material(surface(0.0, 0.0))).unwrap();
    let pull = 20.0;
    w.set_joint_coordinate(left, 0, Coordinate::free().motor(Motor::velocity(0.2, pull))).unwrap();
    for _ in 0..60 {
        step_certified(&mut w, H);
        close(place(&w, left), place(&w, right), 1e-8);
    }
    // Closed: fingers moved by 0.1 − 0.05 − 0.01.
    close(place(&w, left), 0.04, 1e-5);
    close(force(&w, left), -0.5 * pull, 1e-4);
    close(force(&w, right), 0.5 * pull, 1e-4);
    // Up, a decimetre in a second.
    let start = w.body(held).unwrap().position();
    for step in 1..=60 {
        w.set_servo_target(lift, 0, 0.1 * f64::from(step) / 60.0, 0.1 / (60.0 * H)).unwrap();
        step_certified(&mut w, H);
    }
    for _ in 0..60 {
        w.set_servo_target(lift, 0, 0.1, 0.0).unwrap();
        step_certified(&mut w, H);
    }
    let moved = w.body(held).unwrap().position() - start;
    close(moved.z, 0.1, 1e-3);
    close(moved.x, 0.0, 1e-6);
    close(place(&w, left), place(&w, right), 1e-8);
    assert!(w.gear_error(gear).unwrap() <= JOINT_BOUND);
    for finger in ["left", "right"] {
        let finger = w.find(finger).unwrap();
        let pressed: f64 = w.contacts_of(finger).unwrap().map(|c| c.contact.normal.dot(c.contact.impulse)).sum();
        close(pressed / H, 0.5 * pull, 1e-3);
    }
}

/// Points of mass m_i at l_i on hinges about y, geared x₁ = ρ x₂: one freedom θ = x₂ with the energy
/// `½(I₁ρ² + I₂)θ̇² − m₁ g l₁ cos ρθ − m₂ g l₂ cos θ`, integrated here by Runge and Kutta with a thousandth of the step.
fn coupled(h: f64, steps: usize) -> (f64, f64, f64) {
    let mut w = world();
    let ratio = -1.5;
    let (l1, l2, m1, m2) = (0.8, 1.2, 1.0, 2.0);
    let mut arm = |name: &str, x: f64, l: f64, m: f64, angle: f64| {
        let turn = DQuat::from_rotation_y(angle);
        let hinge = v(x, 0.0, 0.0);
        let body = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(m).orientation(turn);
        let body = w.add(body.position(hinge + turn * v(0.0, 0.0, -l)).named(name)).unwrap();
        let joint = Joint::revolute(body, Frame::along(v(0.0, 0.0, l), DVec3::Y), Frame::along(hinge, DVec3::Y));
        w.add_joint(joint).unwrap()
    };
    let (first, second) = (arm("first", 0.0, l1, m1, -1.5 * 0.5), arm("second", 3.0, l2, m2, 0.5));
    let gear = w.add_gear(Gear::between((first, 0), (second, 0), ratio)).unwrap();
    let start = w.energy().total();
    let mut worst: f64 = 0.0;
    for _ in 0..steps {
        let report = step_certified(&mut w, h);
        worst = worst.max((report.energy.after.total() - start).abs());
        assert!(w.gear_error(gear).unwrap() <= JOINT_BOUND);
    }
    let (i1, i2) = (m1 * (l1 * l1 + 0.004), m2 * (l2 * l2 + 0.004));
    let acceleration =
        |x: f64| -G * (m1 * l1 * ratio * (ratio * x).sin() + m2 * l2 * x.sin()) / (i1 * ratio * ratio + i2);
    let (mut x, mut u, k) = (0.5, 0.0, h / 100.0);
    for _ in 0..100 * steps {
        let (x1, u1) = (u, acceleration(x));
        let (x2, u2) = (u + 0.5 * k * u1, acceleration(x + 0.5 * k * x1));
        let (x3, u3) = (u + 0.5 * k * u2, acceleration(x + 0.5 * k * x2));
        let (x4, u4) = (u + k * u3, acceleration(x + k * x3));
        x += k / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4);
        u += k / 6.0 * (u1 + 2.0 * u2 + 2.0 * u3 + u4);
    }
    (place(&w, second) - x, rate(&w, second) - u, worst)
}

#[test]
fn pendulums_coupled_by_a_gear_swing_as_the_one_freedom_that_they_are() {
    let errors: Vec<f64> = [1.0, 2.0, 4.0]
        .into_iter()
        .map(|finer| {
            let (place, speed, energy) = coupled(0.02 / finer, 150 * finer as usize);
            // 20 J go to and fro; what the projection takes is of fourth order.
            assert!(energy < 0.02 / (finer * finer), "{energy}");
            place.abs().max(speed.abs())
        })
        .collect();
    assert!(errors[0] < 0.02, "{errors:?}");
    // Second order.
    for pair in errors.windows(2) {
        assert!((3.0..5.0).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
}

/// Small swings: ω² = (m₁ g l₁ρ² + m₂ g l₂)/(I₁ρ² + I₂), of which a quarter period takes the amplitude to zero.
#[test]
fn small_swings_of_a_geared_pair_have_the_period_on_paper() {
    let mut w = world();
    let mut arm = |name: &str, x: f64, angle: f64| {
        let turn = DQuat::from_rotation_y(angle);
        let hinge = v(x, 0.0, 0.0);
        let body = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).orientation(turn);
        let body = w.add(body.position(hinge + turn * v(0.0, 0.0, -1.0)).named(name)).unwrap();
        let joint = Joint::revolute(body, Frame::along(DVec3::Z, DVec3::Y), Frame::along(hinge, DVec3::Y));
        w.add_joint(joint).unwrap()
    };
    let (first, second) = (arm("first", 0.0, 2e-3), arm("second", 3.0, 1e-3));
    w.add_gear(Gear::between((first, 0), (second, 0), 2.0)).unwrap();
    let omega = (G * (4.0 + 1.0) / (1.004 * (4.0 + 1.0))).sqrt();
    let steps = 200;
    let h = 0.25 * std::f64::consts::TAU / omega / f64::from(steps);
    for _ in 0..steps {
        step_certified(&mut w, h);
    }
    close(place(&w, second), 0.0, 1e-3 * 1e-4);
    close(rate(&w, second), -1e-3 * omega, 1e-3 * 1e-4);
}

/// A gear of two arms that hold weights of opposite torques in balance: nothing moves, and the gear carries the torque of either.
#[test]
fn weights_balance_over_a_gear_and_sleep() {
    let settings = Settings { sleeping: signorini::Sleeping::islands(), ..Settings::default() };
    let mut w = World::new(settings).unwrap();
    let mut arm = |name: &str, x: f64, l: f64, mass: f64| {
        let body = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(mass).position(v(x + l, 0.0, 0.0)).named(name);
        let body = w.add(body).unwrap();
        let joint =
            Joint::revolute(body, Frame::along(v(-l, 0.0, 0.0), DVec3::Y), Frame::along(v(x, 0.0, 0.0), DVec3::Y));
        (body, w.add_joint(joint).unwrap())
    };
    // About y a weight at +x has the torque m g l: 2 g against 3 g over the ratio −1.5.
    let ((near, first), (far, second)) = (arm("first", 0.0, 1.0, 2.0), arm("second", 5.0, 1.0, 3.0));
    w.add_gear(Gear::between((second, 0), (first, 0), -2.0 / 3.0)).unwrap();
    for _ in 0..120 {
        step_certified(&mut w, H);
    }
    close(place(&w, first), 0.0, 1e-9);
    close(force(&w, first), -2.0 * G, 1e-6);
    close(force(&w, second), -3.0 * G, 1e-6);
    assert!(w.body(near).unwrap().is_sleeping() && w.body(far).unwrap().is_sleeping());
    assert_eq!(w.islands(), vec![vec![near, far]]);
    // One is pushed, both wake.
    w.set_angular_velocity(near, v(0.0, 0.3, 0.0)).unwrap();
    assert!(!w.body(far).unwrap().is_sleeping());
    step_certified(&mut w, H);
    close(rate(&w, second), -2.0 / 3.0 * rate(&w, first), 1e-9);
}

/// What is not quite put together is put together step by step, or at once.
#[test]
fn a_gear_that_is_off_is_taken_in_without_speed() {
    for at_once in [false, true] {
        let mut w = weightless();
        let (_, first, _) = wheel(&mut w, "first", DVec3::ZERO, 1.0, 0.2);
        let (_, second, _) = wheel(&mut w, "second", v(1.0, 0.0, 0.0), 1.0, 0.2);
        let gear = Gear::between((first, 0), (second, 0), 2.0).offset(0.05);
        assert_eq!(w.add_gear(gear.clone()).unwrap_err(), WorldError::GearMisfit { off: -0.025, limit: 1e-6 });
        let gear = w.add_gear(gear.misfit(Misfit::Corrected)).unwrap();
        if at_once {
            w.assemble().unwrap();
            // Of equal inertias the least displacement is along (1, −2)/5.
            close(place(&w, first), 0.01, 1e-9);
            close(place(&w, second), -0.02, 1e-9);
            step_certified(&mut w, H);
        } else {
            // A step that ends with an error says so.
            let report = w.step(H).unwrap();
            assert_eq!(report.status, StepStatus::Degraded);
            assert!(report.certificate.misses().all(|(part, _)| part == PartName::JointTurn));
            for _ in 0..300 {
                w.step(H).unwrap();
            }
            step_certified(&mut w, H);
        }
        assert!(w.gear_error(gear).unwrap() <= JOINT_BOUND);
        close(rate(&w, first), 0.0, 1e-9);
    }
}

/// A wheel that is geared to a kinematic one follows it.
#[test]
fn a_kinematic_wheel_drives_what_is_geared_to_it() {
    let mut w = weightless();
    let driver = Body::kinematic(Shape::sphere(0.2).unwrap()).named("driver").angular_velocity(v(0.0, 2.0, 0.0));
    let driver = w.add(driver).unwrap();
    let (_, own, inertia) = wheel(&mut w, "own", v(2.0, 0.0, 0.0), 1.0, 0.2);
    let (_, other, _) = wheel(&mut w, "other", v(1.0, 0.0, 0.0), 1.0, 0.2);
    // The second wheel hangs on the kinematic one, its coordinate is measured against that.
    let sitting = w.add(Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).named("sitting")).unwrap();
    let seat = Frame::along(DVec3::ZERO, DVec3::Y);
    let seat = w.add_joint(Joint::revolute(sitting, seat, (driver, seat))).unwrap();
    w.add_gear(Gear::between((own, 0), (other, 0), 1.0)).unwrap();
    w.add_gear(Gear::between((own, 0), (seat, 0), 3.0)).unwrap();
    for _ in 0..20 {
        step_certified(&mut w, H);
    }
    // The seat starts with −2 rad/s against the driver, and takes the two along by impulses: I_s(ṡ − 2) … with I_s = 0.004.
    let (i_s, i) = (0.4 * 0.01, 2.0 * inertia);
    let speed = i_s * -2.0 / (i_s + 9.0 * i);
    close(rate(&w, seat), speed, 1e-8);
    close(rate(&w, own), 3.0 * speed, 1e-8);
}

/// The same bits after a snapshot, whatever the order in which joints and gears were added.
#[test]
fn geared_worlds_go_on_from_snapshots_to_the_bit() {
    let build = |turned: bool| {
        let mut w = world();
        let names = ["a", "b", "c"];
        let mut joints = [None; 3];
        let order = if turned { [2, 0, 1] } else { [0, 1, 2] };
        for k in order {
            let at = v(k as f64, 0.0, 0.0);
            let body = Body::dynamic(Shape::sphere(0.2).unwrap()).mass(1.0 + k as f64).position(at).named(names[k]);
            let body = w.add(body).unwrap();
            let hinge = Joint::revolute(
                body,
                Frame::along(v(0.0, 0.0, 0.3), DVec3::Y),
                Frame::along(at + v(0.0, 0.0, 0.3), DVec3::Y),
            );
            joints[k] = Some(w.add_joint(hinge).unwrap());
        }
        let [Some(a), Some(b), Some(c)] = joints else { panic!() };
        let first = Gear::sum([(a, 0, 1.0), (b, 0, -2.0)]);
        let second = Gear::sum([(b, 0, 3.0), (c, 0, 1.5), (a, 0, 1.0)]);
        let (first, second) = if turned {
            let back = Gear::sum([(a, 0, 1.0), (b, 0, 3.0), (c, 0, 1.5)]);
            (w.add_gear(back).unwrap(), w.add_gear(first).unwrap())
        } else {
            (w.add_gear(first).unwrap(), w.add_gear(second).unwrap())
        };
        assert_ne!(first, second);
        w.set_angular_velocity(w.find("a").unwrap(), v(0.0, 3.0, 0.0)).unwrap();
        w
    };
    let (mut w, mut turned) = (build(false), build(true));
    for _ in 0..30 {
        step_certified(&mut w, H);
        step_certified(&mut turned, H);
    }
    assert_eq!(w.state_hash(), turned.state_hash());
    let bytes = w.snapshot().to_bytes();
    let read = signorini::Snapshot::from_bytes(&bytes).unwrap();
    assert_eq!(read.to_bytes(), bytes);
    let mut again = World::from_snapshot(&read);
    assert_eq!(again.gears().count(), 2);
    w.restore(&read).unwrap();
    for _ in 0..30 {
        step_certified(&mut w, H);
        step_certified(&mut again, H);
    }
    assert_eq!(w.state_hash(), again.state_hash());
}

//! What acts along the coordinates of joints, against closed forms: limits, motors, friction, springs, servos, rotors.

use crate::fixture::*;
use signorini::{Coordinate, Frame, JointEvent, JointHandle, Motor};

/// A body of 1 kg that slides along x of the world, jointed there.
fn slider(w: &mut World, options: impl Fn(Joint) -> Joint) -> (BodyHandle, JointHandle) {
    let body = w.add(ball("slider", DVec3::ZERO)).unwrap();
    let rail = Frame::along(DVec3::ZERO, DVec3::X);
    let joint = w.add_joint(options(Joint::prismatic(body, rail, rail))).unwrap();
    (body, joint)
}

/// A rod of 1 kg and 1 m that hangs from a hinge about y at the origin, turned by `angle` from hanging; its inertia about the
/// hinge, ⅓ + 0.02²/3 kg·m² for its thickness of 0.02 m, comes last.
fn pendulum(w: &mut World, angle: f64, options: impl Fn(Joint) -> Joint) -> (BodyHandle, JointHandle, f64) {
    let half = v(0.01, 0.01, 0.5);
    // Turning about y by a positive angle takes −z to −x.
    let turn = DQuat::from_rotation_y(angle);
    let body = Body::dynamic(Shape::cuboid(half).unwrap()).mass(1.0).named("rod");
    let body = w.add(body.position(turn * v(0.0, 0.0, -0.5)).orientation(turn)).unwrap();
    let axis = DQuat::from_rotation_arc(DVec3::Z, DVec3::Y);
    let on_rod = Frame { point: v(0.0, 0.0, 0.5), axes: axis };
    let joint = Joint::revolute(body, on_rod, Frame { point: DVec3::ZERO, axes: axis });
    let joint = w.add_joint(options(joint)).unwrap();
    let inertia = (0.5f64.powi(2) + 0.01f64.powi(2)) / 3.0 + 0.25;
    (body, joint, inertia)
}

#[test]
fn a_velocity_motor_reaches_its_target_at_full_force_and_stays() {
    let mut w = weightless();
    let (_, joint) = slider(&mut w, |j| j.motor(Motor::velocity(2.0, 5.0)));
    // 5 m/s² up to 2 m/s: 25 steps of 0.016 s, x = ½·5·t² exactly.
    for step in 1..=24 {
        let report = step_certified(&mut w, H);
        let t = f64::from(step) * H;
        close(w.joint_velocity(joint).unwrap()[0], 5.0 * t, 1e-9);
        close(w.joint_position(joint).unwrap()[0], 2.5 * t * t, 1e-9);
        close(w.joint_forces(joint).unwrap().coordinates[0].motor, 5.0, 1e-7);
        // What it put in is what the body has.
        close(report.energy.motor, report.energy.after.total() - report.energy.before.total(), 1e-9);
    }
    for _ in 0..50 {
        step_certified(&mut w, H);
    }
    close(w.joint_velocity(joint).unwrap()[0], 2.0, 1e-9);
    close(w.joint_forces(joint).unwrap().coordinates[0].motor, 0.0, 1e-7);
}

#[test]
fn a_motor_that_cannot_stalls_at_its_force() {
    // 1 kg on a rail that stands upright: a motor of 5 N cannot hold 9.81 N, so it sinks with 4.81 m/s² at exactly 5 N.
    let mut w = world();
    let body = w.add(ball("slider", DVec3::ZERO)).unwrap();
    let joint = Joint::prismatic(body, DVec3::ZERO, DVec3::ZERO).motor(Motor::velocity(1.0, 5.0));
    let joint = w.add_joint(joint).unwrap();
    for step in 1..=60 {
        step_certified(&mut w, H);
        let t = f64::from(step) * H;
        close(w.joint_velocity(joint).unwrap()[0], -4.81 * t, 1e-9);
        close(w.joint_position(joint).unwrap()[0], -2.405 * t * t, 1e-8);
        close(w.joint_forces(joint).unwrap().coordinates[0].motor, 5.0, 1e-9);
    }
}

#[test]
fn a_slider_on_an_incline_holds_below_its_friction_and_slides_exactly_above() {
    // Along the slope pulls m g sin 30° = 4.905 N.
    let slope = Frame::along(DVec3::ZERO, v(30f64.to_radians().cos(), 0.0, -(30f64.to_radians().sin())));
    for (friction, acceleration) in [(4.91, 0.0), (3.0, 0.5 * G - 3.0)] {
        let mut w = world();
        let body = w.add(ball("slider", DVec3::ZERO)).unwrap();
        let joint = w.add_joint(Joint::prismatic(body, slope, slope).friction(friction)).unwrap();
        for step in 1..=100 {
            step_certified(&mut w, H);
            let t = f64::from(step) * H;
            close(w.joint_position(joint).unwrap()[0], 0.5 * acceleration * t * t, 1e-8);
        }
        let held = w.joint_forces(joint).unwrap().coordinates[0].friction;
        close(held, -friction.min(0.5 * G), 1e-7);
    }
}

#[test]
fn friction_in_a_hinge_holds_a_pendulum_up_to_the_angle_on_paper() {
    // m g l sin θ = F_c with l = ½ m: 2 N·m hold up to 24.06°.
    let friction = 2.0f64;
    let limit = (friction / (G * 0.5)).asin();
    for (share, holds) in [(0.99, true), (1.01, false)] {
        let mut w = world();
        let (_, joint, _) = pendulum(&mut w, share * limit, |j| j.friction(friction));
        let start = w.joint_position(joint).unwrap()[0];
        close(start, share * limit, 1e-12);
        for _ in 0..200 {
            step_certified(&mut w, H);
        }
        let moved = (w.joint_position(joint).unwrap()[0] - start).abs();
        assert_eq!(moved < 1e-9, holds, "{share}: moved {moved:e}");
    }
}

#[test]
fn a_servo_answers_as_the_oscillator_of_backward_euler() {
    // m ẍ = −k(x − x₀) − dẋ in steps of h: v⁺ = (m v − h k(x − x₀))/(m + h d + h²k), x⁺ = x + h v⁺.
    for (k, d) in [(100.0, 2.0), (1e6, 100.0), (0.0, 3.0), (1e-3, 0.0)] {
        for spring in [false, true] {
            let mut w = weightless();
            let target = 0.3;
            let (body, joint) = slider(&mut w, |j| match spring {
                true => j.spring(k, d, target),
                false => j.servo(k, d, target, f64::INFINITY),
            });
            w.set_velocity(body, v(0.7, 0.0, 0.0)).unwrap();
            let (mut x, mut u) = (0.0, 0.7);
            for _ in 0..100 {
                step_certified(&mut w, H);
                u = (u - H * k * (x - target)) / (1.0 + H * d + H * H * k);
                x += H * u;
                close(w.joint_velocity(joint).unwrap()[0], u, 1e-8);
                close(w.joint_position(joint).unwrap()[0], x, 1e-8);
            }
        }
    }
}

#[test]
fn a_servo_pulls_with_at_most_its_force() {
    let mut w = weightless();
    let (_, joint) = slider(&mut w, |j| j.servo(20.0, 20.0, 1.0, 2.0));
    // Far from its target it is a constant force: as long as 20(1 − x) − 20ẋ > 2, up to 0.37 s.
    for step in 1..=22 {
        step_certified(&mut w, H);
        let t = f64::from(step) * H;
        close(w.joint_position(joint).unwrap()[0], t * t, 1e-9);
        close(w.joint_forces(joint).unwrap().coordinates[0].motor, 2.0, 1e-9);
    }
    for _ in 0..1500 {
        step_certified(&mut w, H);
    }
    close(w.joint_position(joint).unwrap()[0], 1.0, 1e-6);
}

#[test]
fn a_rotor_adds_its_inertia() {
    // A rod and a rotor under a given torque: α = τ/(I + I_a).
    let (torque, rotor) = (0.7, 0.25);
    let mut w = weightless();
    let (_, joint, inertia) = pendulum(&mut w, 0.0, |j| j.armature(rotor));
    w.set_joint_force(joint, 0, torque).unwrap();
    for step in 1..=20 {
        let report = step_certified(&mut w, H);
        let t = f64::from(step) * H;
        close(w.joint_velocity(joint).unwrap()[0], torque / (inertia + rotor) * t, 1e-8);
        assert!(report.energy.motor > 0.0 && report.energy.spring < 0.0);
    }
    // What the torque put in is in the rod and in the rotor.
    let rate = w.joint_velocity(joint).unwrap()[0];
    close(w.energy().kinetic(), 0.5 * inertia * rate * rate, 1e-8);
}

#[test]
fn a_limit_stops_a_slider_and_is_told_once() {
    let mut w = world();
    let body = w.add(ball("slider", DVec3::ZERO)).unwrap();
    let joint = w.add_joint(Joint::prismatic(body, DVec3::ZERO, DVec3::ZERO).limits(-0.5, 1.0)).unwrap();
    let mut hits = Vec::new();
    for _ in 0..100 {
        let report = step_certified(&mut w, H);
        hits.extend(report.joint_events);
        let x = w.joint_position(joint).unwrap()[0];
        assert!(x >= -0.5 - 1e-8, "beyond its limit at {x}");
    }
    close(w.joint_position(joint).unwrap()[0], -0.5, 1e-8);
    close(w.joint_velocity(joint).unwrap()[0], 0.0, 1e-9);
    close(w.joint_forces(joint).unwrap().coordinates[0].limit, G, 1e-7);
    assert!(matches!(hits[..], [JointEvent::LimitHit { joint: 0, coordinate: 0, upper: false, .. }]), "{hits:?}");
}

#[test]
fn a_pendulum_is_stopped_by_its_limits_on_either_side() {
    for sign in [1.0, -1.0] {
        let mut w = world();
        let (_, joint, _) = pendulum(&mut w, sign * 1.2, |j| match sign > 0.0 {
            true => j.limits(-0.4, 1.3),
            false => j.limits(-1.3, 0.4),
        });
        let (mut worst, mut low) = (0.0f64, f64::INFINITY);
        for _ in 0..300 {
            step_certified(&mut w, H);
            let angle = sign * w.joint_position(joint).unwrap()[0];
            worst = worst.max(-0.4 - angle);
            low = low.min(angle);
        }
        assert!(worst <= 1e-8, "beyond by {worst:e} rad");
        // It is met within a step, and gravity takes it back by α h²/2 at most until the end, α = (m g l/I) sin 0.4 = 1.5 g sin 0.4.
        close(low, -0.4, 0.75 * H * H * G * 0.4f64.sin());
    }
}

#[test]
fn an_angle_is_counted_over_turns_and_limited_there() {
    let mut w = weightless();
    let turns = 5.0 * std::f64::consts::TAU;
    let (_, joint, _) = pendulum(&mut w, 0.0, |j| j.motor(Motor::velocity(20.0, 100.0)).limits(-1.0, turns));
    for _ in 0..200 {
        step_certified(&mut w, H);
    }
    close(w.joint_position(joint).unwrap()[0], turns, 1e-8);
}

#[test]
fn a_rope_is_slack_then_taut() {
    let mut w = world();
    let b = w.add(ball("bob", v(0.0, 0.0, -0.5))).unwrap();
    let rope = w.add_joint(Joint::rope(b, DVec3::ZERO, DVec3::ZERO, 1.0)).unwrap();
    // It falls freely for half a metre, √(1/g) = 0.319 s = 19.95 steps.
    for step in 1..=19 {
        step_certified(&mut w, H);
        let t = f64::from(step) * H;
        close(w.joint_position(rope).unwrap()[0], 0.5 + 0.5 * G * t * t, 1e-9);
        assert_eq!(w.joint_forces(rope).unwrap().coordinates[0].limit, 0.0);
    }
    for _ in 0..100 {
        step_certified(&mut w, H);
        assert!(w.joint_position(rope).unwrap()[0] <= 1.0 + 1e-8);
    }
    close(w.joint_position(rope).unwrap()[0], 1.0, 1e-8);
    close(w.joint_forces(rope).unwrap().coordinates[0].limit, -G, 1e-6);
}

#[test]
fn a_joint_breaks_when_its_force_passes_the_threshold() {
    // A motor of 1 N more every step pulls against a weld of 10 N: it holds 10 N and goes with 11 N.
    for breaks in [10.5, 9.5] {
        let mut w = weightless();
        let body = w.add(ball("slider", DVec3::ZERO)).unwrap();
        let weld = w.add_joint(Joint::fixed(body, DVec3::ZERO, DVec3::ZERO).break_force(breaks)).unwrap();
        for newton in 1..=10 {
            w.add_force(body, v(f64::from(newton), 0.0, 0.0)).unwrap();
            let report = step_certified(&mut w, H);
            let broken = f64::from(newton) > breaks;
            assert_eq!(w.is_joint_broken(weld).unwrap(), broken);
            match (&report.joint_events[..], broken) {
                ([], false) => {}
                ([JointEvent::Broken { joint: 0, force, .. }], true) => close(*force, 10.0, 1e-6),
                (events, _) => panic!("{newton} N: {events:?}"),
            }
        }
        // What broke holds nothing.
        w.add_force(body, v(10.0, 0.0, 0.0)).unwrap();
        step_certified(&mut w, H);
        close(w.body(body).unwrap().velocity().x, if breaks < 10.0 { 10.0 * H } else { 0.0 }, 1e-9);
    }
}

#[test]
fn several_things_act_along_one_coordinate() {
    // A servo against a spring and friction, with a rotor, between limits: at rest forces balance within the friction.
    let mut w = weightless();
    let all = Coordinate::free().motor(Motor::servo(50.0, 5.0, 1.0, 100.0)).spring(50.0, 1.0, 0.0).friction(1.0);
    let (_, joint) = slider(&mut w, |j| j.with(0, all.armature(2.0).limits(-2.0, 2.0)));
    for _ in 0..600 {
        step_certified(&mut w, H);
    }
    let x = w.joint_position(joint).unwrap()[0];
    assert!((50.0 * (1.0 - x) - 50.0 * x).abs() <= 1.0 + 1e-6, "at {x}");
    let forces = w.joint_forces(joint).unwrap().coordinates[0];
    close(forces.motor + forces.spring + forces.friction + forces.armature, 0.0, 1e-7);
    close(forces.motor, 50.0 * (1.0 - x), 1e-6);
}

/// A slider of 1 kg at 2 m/s meets a stop: it comes back with e of its speed and e² of its energy, and so from the other stop; the
/// event tells the impulse m v (1 + e). Slower than 0.5 m/s it stops.
#[test]
fn a_limit_gives_back_its_share_of_the_speed() {
    for (share, expected) in [(0.0, 1), (0.4, 3), (1.0, 11)] {
        let mut w = weightless();
        let (body, joint) = slider(&mut w, |j| j.limits(-0.3, 0.3).restitution(share));
        w.set_velocity(body, v(2.0, 0.0, 0.0)).unwrap();
        let (mut speed, mut hits) = (2.0, 0);
        for _ in 0..200 {
            let report = step_certified(&mut w, H);
            for event in &report.joint_events {
                let JointEvent::LimitHit { impulse, upper, .. } = event else { panic!("{event:?}") };
                // What stands at a stop may touch it again by round-off.
                if *impulse < 1e-12 {
                    continue;
                }
                let left = if speed >= 0.5 { share * speed } else { 0.0 };
                close(*impulse, speed + left, 1e-9);
                assert_eq!(*upper, hits % 2 == 0);
                (speed, hits) = (left, hits + 1);
            }
            close(w.joint_velocity(joint).unwrap()[0].abs(), speed, 1e-9);
            close(report.energy.after.total(), 0.5 * speed * speed, 1e-9);
            assert!(w.joint_position(joint).unwrap()[0].abs() <= 0.3 + 1e-8);
        }
        assert_eq!(hits, expected, "{share}");
    }
}

/// A pendulum that hangs against a stop at the lowest place swings out again with e of its rate, to the height e² of that before:
/// 1 − cos θ' = e²(1 − cos θ).
#[test]
fn a_pendulum_bounces_off_a_stop_to_the_height_that_is_left() {
    let (share, start) = (0.7, 0.5_f64);
    let mut w = world();
    let (_, joint, _) = pendulum(&mut w, start, |j| j.limits(0.0, 3.0).restitution(share));
    let (mut peaks, mut before, mut rising) = (Vec::new(), start, false);
    for _ in 0..1600 {
        step_certified(&mut w, H / 8.0);
        let angle = w.joint_position(joint).unwrap()[0].abs();
        if rising && angle < before {
            peaks.push(before);
        }
        (rising, before) = (angle > before, angle);
    }
    assert!(peaks.len() >= 2, "{peaks:?}");
    let mut height = 1.0 - start.cos();
    for peak in &peaks[..2] {
        height *= share * share;
        // A hit happens where the step begins in which it would be: the height is off by its rate times the length of the step.
        close(1.0 - peak.cos(), height, 0.02 * height);
    }
}

/// A restitution beyond one would make energy, and one below none would leave the speed as it is turned.
#[test]
fn a_restitution_out_of_range_is_refused() {
    let mut w = weightless();
    let body = w.add(ball("slider", DVec3::ZERO)).unwrap();
    for share in [-0.1, 1.1, f64::NAN] {
        let joint = Joint::prismatic(body, DVec3::ZERO, DVec3::ZERO).limits(0.0, 1.0).restitution(share);
        assert!(w.add_joint(joint).unwrap_err().to_string().contains("restitution"));
    }
}

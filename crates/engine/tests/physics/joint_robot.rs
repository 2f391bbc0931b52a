//! Machines with many driven joints: every step certified, joints that fit, no step cut up because a motor works.

use crate::fixture::*;
use signorini::{Coordinate, Frame, JointHandle, Motor};

/// An arm of `count` links of 0.3 m and 1 kg that stands up from the origin, hinges about y and x by turns.
fn arm(w: &mut World, count: usize, options: Coordinate) -> (Vec<BodyHandle>, Vec<JointHandle>) {
    let (mut links, mut joints): (Vec<BodyHandle>, Vec<JointHandle>) = (Vec::new(), Vec::new());
    for index in 0..count {
        let body = Body::dynamic(Shape::cuboid(v(0.03, 0.03, 0.15)).unwrap()).mass(1.0);
        let link =
            w.add(body.position(v(0.0, 0.0, 0.15 + 0.3 * index as f64)).named(&format!("link {index}"))).unwrap();
        let axis = if index % 2 == 0 { DVec3::Y } else { DVec3::X };
        let frame = |z: f64| Frame::along(v(0.0, 0.0, z), axis);
        let joint = match links.last() {
            Some(below) => Joint::revolute(link, frame(-0.15), (*below, frame(0.15))),
            None => Joint::revolute(link, frame(-0.15), frame(0.0)),
        };
        joints.push(w.add_joint(joint.with(0, options)).unwrap());
        links.push(link);
    }
    (links, joints)
}

#[test]
fn a_servoed_arm_follows_its_targets() {
    for h in [1.0 / 240.0, 1.0 / 60.0] {
        let mut w = world();
        let servo = Motor::servo(4000.0, 200.0, 0.0, 400.0);
        let options = Coordinate::free().motor(servo).friction(0.5).armature(0.05).limits(-2.0, 2.0);
        let (_, joints) = arm(&mut w, 6, options);
        let (mut pieces, mut worst, mut lag) = (0, 0.0_f64, 0.0_f64);
        let steps = (2.0 / h) as usize;
        for step in 0..steps {
            let t = h * step as f64;
            for (index, joint) in joints.iter().enumerate() {
                let phase = 2.0 * t + index as f64;
                let (target, rate) = (0.5 * (1.0 - (2.0 * t).cos()) * phase.sin(), 0.0);
                w.set_servo_target(*joint, 0, target, rate).unwrap();
            }
            pieces += step_certified(&mut w, h).counts.pieces;
            for (index, joint) in joints.iter().enumerate() {
                worst = worst.max(w.joint_error(*joint).unwrap());
                let phase = 2.0 * t + index as f64;
                let target = 0.5 * (1.0 - (2.0 * t).cos()) * phase.sin();
                lag = lag.max((w.joint_position(*joint).unwrap()[0] - target).abs());
            }
        }
        assert!(worst <= 1e-8, "gap {worst:e}");
        assert_eq!(pieces, steps, "pieces in steps of {h}");
        assert!(lag < 0.3, "lag {lag}");
    }
}

/// Torques of servos turn slender links, which have next to no inertia about their own axes, and lift weights ever slower: both cut
/// steps into pieces that missed (`stages`). From weak to stiff gains, with and without a largest torque, one piece a step is enough.
#[test]
fn servos_weak_and_stiff_move_arms_of_slender_links_in_certified_steps() {
    for (count, gain, damping, torque) in [
        (2, 1500.0, 280.0, 40.0),
        (3, 60.0, 1.0, f64::INFINITY),
        (5, 13000.0, 1900.0, f64::INFINITY),
        (7, 300.0, 30.0, 80.0),
    ] {
        for h in [1.0 / 240.0, 1.0 / 60.0] {
            let mut w = world();
            let (_, joints) = arm(&mut w, count, Coordinate::free().motor(Motor::servo(gain, damping, 0.0, torque)));
            let (mut pieces, steps) = (0, (1.0 / h) as usize);
            for step in 0..steps {
                if step % (steps / 2) == 0 {
                    for (index, joint) in joints.iter().enumerate() {
                        let target = (1.0 + step as f64 + 2.0 * index as f64).sin();
                        w.set_servo_target(*joint, 0, target, 0.0).unwrap();
                    }
                }
                pieces += step_certified(&mut w, h).counts.pieces;
            }
            assert!(10 * pieces <= 11 * steps, "{count} links, gain {gain}: {pieces} pieces in {steps} steps of {h}");
        }
    }
}

/// A motor that lowers a weight ever slower does the work m g Δz less what the weight loses of its speed: its force along the way
/// of its coordinate, which it goes with the velocity at the end of the step.
#[test]
fn a_servo_that_brakes_a_falling_weight_raises_no_energy() {
    let mut w = world();
    let body = w.add(Body::dynamic(Shape::sphere(0.1).unwrap()).mass(2.0).velocity(v(0.0, 0.0, -3.0))).unwrap();
    let slide = Joint::prismatic(body, Frame::along(DVec3::ZERO, DVec3::Z), Frame::along(DVec3::ZERO, DVec3::Z));
    w.add_joint(slide.servo(0.0, 50.0, 0.0, f64::INFINITY)).unwrap();
    for _ in 0..100 {
        let report = step_certified(&mut w, 1.0 / 60.0);
        let ledger = &report.energy;
        let change = ledger.after.total() - ledger.before.total();
        // Backward Euler: ΔE − work = −½m(Δv)², never above zero.
        assert!(change - ledger.motor <= 1e-9, "{change} of {}", ledger.motor);
        assert_eq!(report.counts.pieces, 1);
    }
}

#[test]
fn an_arm_that_goes_limp_falls_between_its_limits_and_comes_to_rest() {
    let mut w = world();
    let (_, joints) = arm(&mut w, 5, Coordinate::free().limits(-0.8, 0.8).damping(0.3).friction(0.05));
    // A push, since an arm that stands exactly up stays.
    w.set_joint_force(joints[0], 0, 1.0).unwrap();
    w.set_joint_force(joints[1], 0, 0.7).unwrap();
    let mut beyond = 0.0_f64;
    for step in 0..1200 {
        if step == 60 {
            w.set_joint_force(joints[0], 0, 0.0).unwrap();
            w.set_joint_force(joints[1], 0, 0.0).unwrap();
        }
        step_certified(&mut w, 1.0 / 120.0);
        for joint in &joints {
            beyond = beyond.max(w.joint_position(*joint).unwrap()[0].abs() - 0.8);
        }
    }
    assert!(beyond <= 1e-8, "beyond a limit by {beyond:e} rad");
    let fastest = joints.iter().fold(0.0_f64, |most, joint| most.max(w.joint_velocity(*joint).unwrap()[0].abs()));
    assert!(fastest < 1e-3, "still moves at {fastest:e} rad/s");
    let first = w.joint_position(joints[0]).unwrap()[0];
    close(first.abs(), 0.8, 1e-6);
}

#[test]
fn springs_around_a_loop_meet_halfway() {
    // A square of four bars has one freedom, and all four hinges have a spring and a damper that ask for different angles.
    let mut w = weightless();
    let bar = |w: &mut World, name: &str, at: DVec3, angle: f64| {
        let body = Body::dynamic(Shape::cuboid(v(0.5, 0.02, 0.02)).unwrap()).mass(1.0).named(name);
        w.add(body.position(at).orientation(DQuat::from_rotation_y(angle))).unwrap()
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    let left = bar(&mut w, "left", v(0.0, 0.0, 0.5), -quarter);
    let top = bar(&mut w, "top", v(0.5, 0.0, 1.0), 0.0);
    let right = bar(&mut w, "right", v(1.0, 0.0, 0.5), -quarter);
    let end = |x: f64| Frame::along(v(x, 0.0, 0.0), DVec3::Y);
    let hinges = [
        Joint::revolute(left, end(-0.5), end(0.0)).spring(30.0, 1.0, -1.2),
        Joint::revolute(top, end(-0.5), (left, end(0.5))).spring(20.0, 1.0, 1.4),
        Joint::revolute(right, end(0.5), (top, end(0.5))).spring(25.0, 1.0, -1.5),
        Joint::revolute(right, end(-0.5), end(1.0)).spring(10.0, 1.0, -2.0),
    ];
    let hinges = hinges.map(|joint| w.add_joint(joint).unwrap());
    let mut gap = 0.0_f64;
    for _ in 0..600 {
        let report = step_certified(&mut w, H);
        assert_eq!(report.counts.missed, 0);
        gap = hinges.iter().fold(gap, |gap, hinge| gap.max(w.joint_error(*hinge).unwrap()));
    }
    assert!(gap <= 1e-8, "{gap:e}");
    // At rest: with θ the angle of the left bar from the start, the hinges are at θ, −θ, θ, θ beyond −90°, 90°, −90°, −90°, so
    // 30(x + 1.2) − 20(−x − 1.4) + 25(x + 1.5) + 10(x + 2) = 0 for x = −90° + θ: x = −121.5/85.
    let x = w.joint_position(hinges[0]).unwrap()[0];
    close(x, -121.5 / 85.0, 1e-6);
}

#[test]
fn rotors_much_heavier_than_their_links_leave_steps_whole() {
    // Two links of 0.1 m and 40 g on upright axes, each behind a rotor of 1 kg·m², a thousand times its link's inertia, with a damper
    // of 1 N·m·s/rad and torques of 200 N·m; the second turns from stop to stop. The links hardly matter: with
    // θ̈ = 200 sin 5t − θ̇ the first has θ̇ = 200/26 (sin 5t − 5 cos 5t + 5 e^−t).
    let mut w = world();
    let link = |w: &mut World, name: &str, x: f64| {
        let body = Body::dynamic(Shape::cuboid(v(0.05, 0.01, 0.01)).unwrap()).mass(0.04).named(name);
        w.add(body.position(v(x, 0.0, 0.0))).unwrap()
    };
    let (upper, lower) = (link(&mut w, "upper", 0.05), link(&mut w, "lower", 0.15));
    let options = Coordinate::free().armature(1.0).damping(1.0);
    let end = |x: f64| v(x, 0.0, 0.0);
    let first = w.add_joint(Joint::revolute(upper, end(-0.05), end(0.0)).with(0, options)).unwrap();
    let second = Joint::revolute(lower, end(-0.05), (upper, end(0.05))).with(0, options.limits(-3.0, 3.0));
    let second = w.add_joint(second).unwrap();
    let h = 1.0 / 240.0;
    for step in 0..480 {
        let t = h * f64::from(step);
        w.set_joint_force(first, 0, 200.0 * (5.0 * (t + 0.5 * h)).sin()).unwrap();
        w.set_joint_force(second, 0, 200.0 * (5.0 * t + 1.7).sin()).unwrap();
        let report = step_certified(&mut w, h);
        assert!(report.counts.pieces <= 2, "step {step} is cut into {} pieces", report.counts.pieces);
        let t = t + h;
        let rate = 200.0 / 26.0 * ((5.0 * t).sin() - 5.0 * (5.0 * t).cos() + 5.0 * (-t).exp());
        // The amplitude is 39 rad/s. The damper is of first order: d h/2 = 2e-3 of it; the links add 1e-3 of the inertia.
        close(w.joint_velocity(first).unwrap()[0], rate, 0.4);
    }
}

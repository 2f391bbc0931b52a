//! Every kind of joint holds what it says at the end of every step, and lets go what it says.

use crate::fixture::*;
use signorini::{Coordinate, Frame, JointHandle, JointKind};

/// Two boxes that tumble under gravity, jointed to each other with slanted frames; the first hangs on the world by a ball.
fn tumbling(kind: JointKind) -> (World, JointHandle) {
    let mut w = world();
    let turn = |x: f64, y: f64, z: f64| DQuat::from_scaled_axis(v(x, y, z));
    // Frames by hand, the pose of B from them: B = A · frame_A · frame_B⁻¹.
    let (base, body) = (
        Frame { point: v(0.3, 0.1, -0.2), axes: turn(0.4, -0.7, 0.2) },
        Frame { point: v(-0.2, 0.15, 0.1), axes: turn(-0.3, 0.5, 1.1) },
    );
    let (qa, xa) = (turn(0.2, 0.1, -0.4), v(0.0, 0.0, 3.0));
    let qb = (qa * base.axes * body.axes.inverse()).normalize();
    let length = kind.length().unwrap_or(0.0);
    let xb = xa + qa * base.point - qb * body.point + length * v(0.6, 0.0, 0.8);
    let cuboid = |half: DVec3| Shape::cuboid(half).unwrap();
    let a = Body::dynamic(cuboid(v(0.3, 0.1, 0.2))).mass(1.0).named("a").position(xa).orientation(qa);
    let a = w.add(a.angular_velocity(v(1.0, 2.0, -1.5))).unwrap();
    let b = Body::dynamic(cuboid(v(0.2, 0.15, 0.1))).mass(0.5).named("b").position(xb).orientation(qb);
    let angular_velocity = v(1.0, 2.0, -1.5);
    let b = w.add(b.velocity(angular_velocity.cross(xb - xa)).angular_velocity(angular_velocity)).unwrap();
    w.add_joint(Joint::ball(a, DVec3::ZERO, xa)).unwrap();
    let mut joint = Joint::of(kind, b, body, (a, base));
    if kind == JointKind::Generic {
        joint.coordinates[0] = Coordinate::locked();
        joint.coordinates[2] = Coordinate::locked();
        joint.coordinates[4] = Coordinate::locked();
    }
    let joint = w.add_joint(joint).unwrap();
    (w, joint)
}

#[test]
fn every_kind_holds_at_the_end_of_every_step() {
    for (kind, free) in [
        (JointKind::Fixed, 0),
        (JointKind::Revolute, 1),
        (JointKind::Prismatic, 1),
        (JointKind::Cylindrical, 2),
        (JointKind::Ball, 3),
        (JointKind::Universal, 2),
        (JointKind::Planar, 3),
        (JointKind::Distance { length: 0.5 }, 0),
        (JointKind::Rope { length: 0.5 }, 1),
        (JointKind::Generic, 3),
        (JointKind::SwingTwist, 3),
    ] {
        let (mut w, joint) = tumbling(kind);
        assert_eq!(w.joint_position(joint).unwrap().len(), free, "{}", kind.name());
        let start = w.energy().total();
        let (mut worst, mut missed) = (0.0_f64, 0);
        for _ in 0..400 {
            let report = step_certified(&mut w, 1.0 / 240.0);
            worst = worst.max(w.joint_error(joint).unwrap());
            missed += report.counts.missed;
        }
        assert!(worst <= 1e-10, "{}: gap {worst:e}", kind.name());
        assert_eq!(missed, 0, "{}", kind.name());
        // Some 20 J go to and fro. A rope that snaps taut loses some, and what tumbles with it.
        let change = w.energy().total() - start;
        let lost = if matches!(kind, JointKind::Rope { .. }) { -0.5 } else { -1e-2 };
        assert!((lost..1e-5).contains(&change), "{}: {change:e} J", kind.name());
    }
}

#[test]
fn coordinates_and_rates_are_those_of_the_bodies() {
    // Positions differ by rates times the step, to second order; angles of hinges are counted on.
    for kind in [JointKind::Revolute, JointKind::Cylindrical, JointKind::Universal, JointKind::Planar, JointKind::Ball]
    {
        let (mut w, joint) = tumbling(kind);
        let h = 1e-4;
        for _ in 0..50 {
            let (x, u) = (w.joint_position(joint).unwrap(), w.joint_velocity(joint).unwrap());
            w.step(h).unwrap();
            let (next, rate) = (w.joint_position(joint).unwrap(), w.joint_velocity(joint).unwrap());
            for i in 0..x.len() {
                close(next[i] - x[i], 0.5 * h * (u[i] + rate[i]), 1e-8);
            }
        }
    }
}

#[test]
fn forces_of_locked_coordinates_carry_the_weight() {
    // A box hangs from a slider on the world at rest: its weight, and the moment of its weight about the anchor.
    let mut w = world();
    let body = w.add(cube("box", v(0.3, 0.0, 0.0))).unwrap();
    let rail = Frame::along(DVec3::ZERO, DVec3::Y);
    let on_box = Frame { point: v(-0.3, 0.0, 0.0), ..rail };
    let joint = w.add_joint(Joint::prismatic(body, on_box, rail)).unwrap();
    for _ in 0..10 {
        step_certified(&mut w, H);
    }
    let forces = w.joint_forces(joint).unwrap();
    close_vector(forces.force, v(0.0, 0.0, G), 1e-7);
    // About the anchor: the force acts there, the weight 0.3 m beside it.
    close_vector(forces.torque, v(0.0, -0.3 * G, 0.0), 1e-7);
    assert_eq!(forces.coordinates.len(), 1);
}

/// An arm on a cross falls against the stop of its second axis, at a right angle. The first axis is then along the arm, and entries of the
/// rotation that tell its angle elsewhere are both zero there: the judge took their round-off for a turn of 2.6 rad.
#[test]
fn a_cross_at_a_right_angle_is_not_torn() {
    let right = std::f64::consts::FRAC_PI_2;
    let gravity = v(6.0, 0.0, -8.0);
    let mut w = World::new(Settings { gravity, ..Settings::default() }).unwrap();
    let arm = Body::dynamic(Shape::cuboid(v(0.05, 0.08, 0.5)).unwrap()).mass(2.0).position(v(0.0, 0.0, 0.5));
    let arm = w.add(arm.angular_velocity(v(0.3, 0.0, 0.0)).velocity(v(0.0, -0.15, 0.0)).named("arm")).unwrap();
    let mut cross = Joint::universal(arm, v(0.0, 0.0, -0.5), DVec3::ZERO);
    cross.coordinates[3] = Coordinate::free().limits(-0.1, 0.1);
    cross.coordinates[4] = Coordinate::free().limits(-right, right);
    let cross = w.add_joint(cross).unwrap();
    for _ in 0..240 {
        step_certified(&mut w, H);
        assert!(w.joint_error(cross).unwrap() < 1e-8);
    }
    // Gravity, 53° beyond the stop, holds it there.
    assert!((w.joint_position(cross).unwrap()[1] - right).abs() < 1e-8, "{:?}", w.joint_position(cross));
}

//! Every kind of joint holds what it says at the end of every step, and lets go what it says.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;
use fixture::*;
use signorini::{Coordinate, Frame, JointHandle, JointKind};

/// Two boxes that tumble under gravity, jointed to each other with slanted frames; the first hangs on the world by a ball.
fn tumbling(kind: JointKind) -> (World, JointHandle, BodyHandle, BodyHandle) {
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
    let a = w.add(a.spin(v(1.0, 2.0, -1.5))).unwrap();
    let b = Body::dynamic(cuboid(v(0.2, 0.15, 0.1))).mass(0.5).named("b").position(xb).orientation(qb);
    let spin = v(1.0, 2.0, -1.5);
    let b = w.add(b.velocity(spin.cross(xb - xa)).spin(spin)).unwrap();
    w.add_joint(Joint::ball(a, DVec3::ZERO, xa)).unwrap();
    let mut joint = Joint::of(kind, b, body, (a, base));
    if kind == JointKind::Generic {
        joint.coordinates[0] = Coordinate::locked();
        joint.coordinates[2] = Coordinate::locked();
        joint.coordinates[4] = Coordinate::locked();
    }
    let joint = w.add_joint(joint).unwrap();
    (w, joint, a, b)
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
    ] {
        let (mut w, joint, _, _) = tumbling(kind);
        assert_eq!(w.joint_position(joint).unwrap().len(), free, "{}", kind.name());
        let start = w.energy().total();
        let mut worst = 0.0_f64;
        let (mut pieces, mut missed, mut uncertified) = (0, 0, 0);
        for _ in 0..400 {
            let report = w.step(1.0 / 240.0).unwrap();
            worst = worst.max(w.joint_error(joint).unwrap());
            pieces += report.counts.pieces;
            missed += report.counts.missed;
            uncertified += usize::from(report.status != StepStatus::Certified);
            if report.status != StepStatus::Certified && uncertified < 3 {
                println!("{}: {:?}", kind.name(), report.certificate.misses().collect::<Vec<_>>());
            }
        }
        println!(
            "{:12} gap {worst:.1e} pieces {pieces} missed {missed} uncertified {uncertified} energy {:+.2e} x {:?} u {:?}",
            kind.name(),
            w.energy().total() - start,
            w.joint_position(joint).unwrap(),
            w.joint_velocity(joint).unwrap()
        );
    }
}

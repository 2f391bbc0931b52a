//! Kinematic bodies that are told where to be.

use crate::fixture::*;
use signorini::glamx::DPose3;

/// Overlap that the certificate allows of the unit cube: 1e-4 of half its diagonal \[m\].
fn bound() -> f64 {
    1e-4 * 0.75_f64.sqrt()
}

/// A cube between two plates that touch it, all of one surface, and a floor below.
fn clamp() -> (World, BodyHandle, [BodyHandle; 2]) {
    let mut world = world();
    add_floor(&mut world, 0.5, 0.0);
    let material = surface(0.5, 0.0);
    let cube = world.add(cube("cube", v(0.0, 0.0, 0.5)).material(material)).unwrap();
    let plates = [("left", -0.6), ("right", 0.6)].map(|(name, x)| {
        let plate = Body::kinematic(Shape::cuboid(v(0.1, 1.0, 1.0)).unwrap()).position(v(x, 0.0, 1.2));
        world.add(plate.material(material).named(name)).unwrap()
    });
    (world, cube, plates)
}

#[test]
fn a_kinematic_body_arrives_where_it_is_told() {
    let mut world = weightless();
    let plate = Body::kinematic(Shape::cuboid(v(0.1, 0.2, 0.3)).unwrap()).position(v(1.0, -2.0, 0.5));
    let start = DQuat::from_scaled_axis(v(0.3, -1.0, 2.0));
    let plate = world.add(plate.orientation(start).named("plate")).unwrap();
    let turns = [v(0.0, 0.0, 0.0), v(1e-9, 0.0, 0.0), v(0.4, 0.1, -0.2), v(0.0, 3.1, 0.0), v(-2.0, 2.0, 1.0)];
    for (i, turn) in turns.into_iter().enumerate() {
        let now = world.body(plate).unwrap().pose();
        let target = DPose3::from_parts(
            now.translation + v(0.1 * i as f64, -0.01, 3e-7),
            (DQuat::from_scaled_axis(turn) * now.rotation).normalize(),
        );
        world.move_to(plate, target, 0.016).unwrap();
        world.step(0.016).unwrap();
        let there = world.body(plate).unwrap().pose();
        assert!((there.translation - target.translation).length() < 1e-12);
        let off = 1.0 - there.rotation.dot(target.rotation).abs();
        let apart = (there.rotation * target.rotation.dot(there.rotation).signum() - target.rotation).length();
        assert!(off < 1e-12 && apart < 1e-12, "{i}: {off:e} {apart:e}");
    }
}

#[test]
fn plates_that_are_told_where_to_be_carry_a_box() {
    let (mut world, cube, plates) = clamp();
    let dt = 0.01;
    let overlap = 0.5 * bound();
    for step in 1..=100 {
        let t = f64::from(step) * dt;
        let closed = overlap * (t / 0.1).min(1.0);
        // Half a period of a smooth lift by 0.2 m.
        let lift = if t < 0.2 { 0.0 } else { 0.1 * (1.0 - (std::f64::consts::PI * (t - 0.2) / 0.8).cos()) };
        for (plate, side) in plates.into_iter().zip([-1.0, 1.0]) {
            let pose = DPose3::from_translation(v(side * (0.6 - closed), 0.0, 1.2 + lift));
            world.move_to(plate, pose, dt).unwrap();
        }
        step_certified(&mut world, dt);
    }
    let end = world.body(cube).unwrap();
    assert!((end.position() - v(0.0, 0.0, 0.7)).length() < 1e-6, "{:?}", end.position());
}

#[test]
fn refused_targets_change_nothing() {
    let (mut world, cube, [plate, _]) = clamp();
    let floor = world.find("floor").unwrap();
    let here = DPose3::from_translation(v(0.0, 0.0, 1.0));
    let before = world.state_hash();
    for body in [cube, floor] {
        assert!(matches!(world.move_to(body, here, 0.01), Err(WorldError::Kind { .. })));
    }
    for dt in [0.0, -0.01, f64::NAN, f64::INFINITY, 101.0] {
        let refused = world.move_to(plate, here, dt);
        assert!(matches!(refused, Err(WorldError::BodyValue { field: "time of the move", .. })), "{dt}");
    }
    let bad = [v(f64::NAN, 0.0, 0.0), v(0.0, f64::INFINITY, 0.0), v(0.0, 0.0, 2e10)];
    for position in bad {
        let refused = world.move_to(plate, DPose3::from_translation(position), 0.01);
        assert!(matches!(refused, Err(WorldError::BodyValue { .. })));
    }
    let stretched = DPose3::from_parts(DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0));
    assert!(matches!(world.move_to(plate, stretched, 0.01), Err(WorldError::BodyValue { .. })));
    // A thousand kilometres in a microsecond is faster than anything.
    let far = DPose3::from_translation(v(1e6, 0.0, 0.0));
    assert!(matches!(world.move_to(plate, far, 1e-6), Err(WorldError::BodyValue { field: "velocity x", .. })));
    assert_eq!(world.state_hash(), before);
}

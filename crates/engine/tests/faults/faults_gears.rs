//! Gears that cannot be, gears whose joints go, and gears that are off: typed errors, or a step that says so.

use crate::fixture::*;
use signorini::{
    Check, Finding, Frame, Gear, GearHandle, JOINT_BOUND, JointHandle, Recertifier, ReplayBody, ReplayStep, Scene,
    Snapshot,
};

/// Two wheels on hinges about y.
fn wheels() -> (World, JointHandle, JointHandle) {
    let mut w = weightless();
    let mut wheel = |name: &str, x: f64| {
        let at = v(x, 0.0, 0.0);
        let body = w.add(Body::dynamic(Shape::sphere(0.2).unwrap()).mass(1.0).position(at).named(name)).unwrap();
        w.add_joint(Joint::revolute(body, Frame::along(DVec3::ZERO, DVec3::Y), Frame::along(at, DVec3::Y))).unwrap()
    };
    let (first, second) = (wheel("first", 0.0), wheel("second", 1.0));
    (w, first, second)
}

#[test]
fn factors_and_offsets_out_of_range_are_named_with_place_and_value() {
    let (mut w, first, second) = wheels();
    for bad in [0.0, f64::NAN, f64::INFINITY, 1e-7, -1e7] {
        let error = w.add_gear(Gear::sum([(first, 0, 1.0), (second, 0, bad)])).unwrap_err();
        let WorldError::GearFactor { index: 1, value } = error else { panic!("{error:?}") };
        assert_eq!(value.to_bits(), bad.to_bits());
    }
    let error = w.add_gear(Gear::between((first, 0), (second, 0), 0.0)).unwrap_err();
    assert!(error.to_string().starts_with("gear: factor 1 is -0.0"), "{error}");
    for bad in [f64::NAN, f64::INFINITY, 1e11] {
        let error = w.add_gear(Gear::between((first, 0), (second, 0), 1.0).offset(bad)).unwrap_err();
        assert!(matches!(error, WorldError::JointValue { field: "gear offset", .. }), "{error:?}");
    }
    assert_eq!(w.gears().count(), 0);
}

#[test]
fn coordinates_that_are_not_there_or_come_twice_are_refused() {
    let (mut w, first, second) = wheels();
    let twice = w.add_gear(Gear::between((first, 0), (first, 0), 2.0)).unwrap_err();
    assert_eq!(twice, WorldError::GearTerm { index: 1, why: "this coordinate is in the gear already" });
    let none = w.add_gear(Gear::between((first, 0), (second, 1), 2.0)).unwrap_err();
    assert_eq!(none, WorldError::GearTerm { index: 1, why: "there is no such coordinate" });
    let found = w.add_gear(Gear::sum([])).unwrap_err();
    assert!(matches!(found, WorldError::Length { found: 0, .. }), "{found:?}");
    let many = Gear::sum((0..9).map(|_| (first, 0, 1.0)));
    assert!(matches!(w.add_gear(many).unwrap_err(), WorldError::Length { found: 9, .. }));
    // Nothing of a rod is free.
    let bob = w.add(ball("bob", v(5.0, 0.0, 0.0))).unwrap();
    let rod = w.add_joint(Joint::distance(bob, DVec3::ZERO, v(5.0, 0.0, 2.0), 2.0)).unwrap();
    assert!(matches!(w.add_gear(Gear::between((rod, 0), (first, 0), 1.0)), Err(WorldError::GearTerm { index: 0, .. })));
}

#[test]
fn joints_that_were_removed_or_are_of_another_world_are_refused() {
    let (mut w, first, second) = wheels();
    let (_, stranger, _) = wheels();
    assert_eq!(w.add_gear(Gear::between((first, 0), (stranger, 0), 1.0)).unwrap_err(), WorldError::ForeignHandle);
    w.remove_joint(second).unwrap();
    let stale = w.add_gear(Gear::between((first, 0), (second, 0), 1.0)).unwrap_err();
    assert!(matches!(stale, WorldError::StaleHandle { .. }), "{stale:?}");
}

#[test]
fn a_gear_goes_with_its_joints_and_bodies() {
    type Remove = fn(&mut World, JointHandle, GearHandle);
    let ways: [Remove; 3] = [
        |w, joint, _| w.remove_joint(joint).unwrap(),
        |w, _, _| w.remove(w.find("second").unwrap()).unwrap(),
        |w, _, gear| w.remove_gear(gear).unwrap(),
    ];
    for remove in ways {
        let (mut w, first, second) = wheels();
        let gear = w.add_gear(Gear::between((first, 0), (second, 0), 2.0)).unwrap();
        w.set_joint_force(first, 0, 0.1).unwrap();
        (0..5).for_each(|_| _ = step_certified(&mut w, H));
        assert_eq!(w.gears_of(first).unwrap().count(), 1);
        let before = w.joint_velocity(first).unwrap()[0];
        remove(&mut w, second, gear);
        assert!(matches!(w.gear(gear), Err(WorldError::StaleHandle { .. })));
        assert!(matches!(w.gear_error(gear), Err(WorldError::StaleHandle { .. })));
        assert!(matches!(w.remove_gear(gear), Err(WorldError::StaleHandle { .. })));
        assert_eq!((w.gears().count(), w.gears_of(first).unwrap().count()), (0, 0));
        // The first turns alone: 0.1 N·m over 0.4·0.04 kg·m².
        step_certified(&mut w, H);
        close(w.joint_velocity(first).unwrap()[0], before + H * 0.1 / 0.016, 1e-9);
        assert_eq!(w.joint_forces(first).unwrap().coordinates[0].gear, 0.0);
    }
}

/// A joint that is switched off takes its gears out, and puts them back in with it.
#[test]
fn a_gear_rests_while_one_of_its_joints_does() {
    let (mut w, first, second) = wheels();
    let gear = w.add_gear(Gear::between((first, 0), (second, 0), 2.0)).unwrap();
    w.set_joint_force(first, 0, 0.1).unwrap();
    step_certified(&mut w, H);
    w.enable_joint(second, false).unwrap();
    let before = w.joint_velocity(first).unwrap()[0];
    step_certified(&mut w, H);
    close(w.joint_velocity(first).unwrap()[0], before + H * 0.1 / 0.016, 1e-9);
    assert_eq!(w.joint_forces(first).unwrap().coordinates[0].gear, 0.0);
    w.set_joint_force(first, 0, 0.0).unwrap();
    w.enable_joint(second, true).unwrap();
    // What the first turned meanwhile is taken out by and by.
    assert!(w.gear_error(gear).unwrap() > 1e-6);
    (0..200).for_each(|_| _ = w.step(H).unwrap());
    step_certified(&mut w, H);
    assert!(w.gear_error(gear).unwrap() <= JOINT_BOUND);
}

/// The judge measures gears by itself: wheels that end where the gear does not let them are seen, and no others.
#[test]
fn a_step_whose_gear_is_off_at_its_end_is_not_certified() {
    let (mut w, first, second) = wheels();
    let (factors, offset) = ([1.0, -3.0], 0.3);
    let gear = Gear::sum([(first, 0, factors[0]), (second, 0, factors[1])]).offset(offset);
    let gear = w.add_gear(gear.misfit(Misfit::Corrected)).unwrap();
    w.assemble().unwrap();
    let first_body = w.find("first").unwrap();
    w.set_angular_velocity(first_body, v(0.0, 3.0, 0.0)).unwrap();
    w.set_angular_velocity(w.find("second").unwrap(), v(0.0, 1.0, 0.0)).unwrap();
    let seen = |w: &World| -> Vec<ReplayBody> {
        let replay = |(_, body): (BodyHandle, signorini::BodyView)| ReplayBody {
            position: body.position(),
            orientation: body.orientation(),
            velocity: body.velocity(),
            angular_velocity: body.angular_velocity(),
            asleep: false,
            quarantined: false,
        };
        w.bodies().map(replay).collect()
    };
    for _ in 0..5 {
        let (before, start) = (seen(&w), w.clone());
        let report = step_certified(&mut w, H);
        assert!(report.certificate.joint_turn.value <= JOINT_BOUND);
        let after = seen(&w);
        for (tampered, turn) in [(0, 0.0), (0, 1e-6), (1, -1e-6), (0, 2e-8), (1, 3e-9)] {
            let mut end = after.clone();
            end[tampered].orientation = DQuat::from_rotation_y(turn) * end[tampered].orientation;
            let step = ReplayStep {
                before: &before,
                after: &end,
                dt: H,
                contacts: None,
                ledger: None,
                complete: true,
                divided: false,
            };
            let found = Recertifier::new(start.clone()).judge(&step).unwrap();
            let (_, Finding::Measured(part)) = found.iter().find(|(check, _)| *check == Check::JointTurn).unwrap()
            else {
                panic!("{found:?}")
            };
            // Of the coordinate with the largest factor: a turn of the first counts a third.
            let off = turn.abs() * if tampered == 0 { 1.0 / 3.0 } else { 1.0 };
            assert!((part.value - off).abs() < 1e-12, "{part:?} for {turn:e} of wheel {tampered}");
            assert_eq!(part.is_met(), off <= JOINT_BOUND);
        }
    }
    assert!(w.gear_error(gear).unwrap() <= JOINT_BOUND);
}

/// A gear that no motion can satisfy: two gears of the same wheels with different ratios hold them still, a third with an offset that
/// contradicts them leaves an error, and the step says so.
#[test]
fn gears_that_contradict_each_other_are_degraded_and_nothing_flies_off() {
    let (mut w, first, second) = wheels();
    w.add_gear(Gear::between((first, 0), (second, 0), 2.0)).unwrap();
    w.add_gear(Gear::between((first, 0), (second, 0), 3.0)).unwrap();
    w.set_joint_force(first, 0, 1.0).unwrap();
    for _ in 0..20 {
        step_certified(&mut w, H);
        close(w.joint_velocity(first).unwrap()[0], 0.0, 1e-8);
    }
    let third = Gear::between((first, 0), (second, 0), 1.0).offset(0.1).misfit(Misfit::Corrected);
    w.add_gear(third).unwrap();
    let unmet = w.assemble().unwrap_err();
    assert!(matches!(unmet, WorldError::Unassembled { .. }), "{unmet:?}");
    for _ in 0..20 {
        let report = w.step(H).unwrap();
        assert_eq!(report.status, StepStatus::Degraded);
        assert!(w.bodies().all(|(_, body)| body.angular_velocity().length() < 1.0));
    }
}

const SCENE: &str = r#"
name = "geared"
gravity = [0, 0, 0]
bodies = [
  { name = "a", shape = { sphere = { radius = 0.2 } }, mass = 1 },
  { name = "b", shape = { sphere = { radius = 0.2 } }, mass = 1, position = [1, 0, 0] },
]
joints = [
  { kind = "revolute", a = { body = "a" }, b = {} },
  { kind = "revolute", a = { body = "b" }, b = { point = [1, 0, 0] } },
]
gears = [{ terms = [{ joint = 0, factor = 1 }, { joint = 1, coordinate = 0, factor = -2.5 }], offset = 0.25 }]
"#;

#[test]
fn scenes_have_gears_and_say_where_one_is_wrong() {
    let scene = Scene::from_toml(SCENE).unwrap();
    let mut w = scene.build().unwrap();
    assert_eq!(w.gears().count(), 1);
    w.assemble().unwrap();
    step_certified(&mut w, H);
    let again = Scene::describe(&w, H);
    assert_eq!(again.gears, scene.gears);
    assert_eq!(Scene::from_json(&again.to_json()).unwrap().gears, scene.gears);
    let refused = |from: &str, to: &str| {
        let text = SCENE.replace(from, to);
        assert_ne!(text, SCENE);
        Scene::from_toml(&text).and_then(|scene| scene.build()).unwrap_err().to_string()
    };
    let error = refused("joint = 1", "joint = 2");
    assert!(error.contains("gears[0].terms[1].joint") && error.contains("joint 2 does not exist"), "{error}");
    let error = refused("factor = -2.5", "factor = 0");
    assert!(error.contains("gears[0].terms[1].factor"), "{error}");
    let error = refused("coordinate = 0", "coordinate = 1");
    assert!(error.contains("gears[0].terms[1].coordinate") && error.contains("no such coordinate"), "{error}");
    let error = refused("offset = 0.25", "offset = 1e11");
    assert!(error.contains("gears[0].offset"), "{error}");
    let error = refused("factor = 1 }", "faktor = 1 }");
    assert!(error.contains("factor"), "{error}");
}

/// Bytes with a gear, every one of them changed in turn.
#[test]
fn damaged_snapshots_of_gears_are_refused_or_sound() {
    let (mut w, first, second) = wheels();
    w.add_gear(Gear::between((first, 0), (second, 0), 2.0)).unwrap();
    w.set_joint_force(first, 0, 0.1).unwrap();
    (0..3).for_each(|_| _ = step_certified(&mut w, H));
    let bytes = w.snapshot().to_bytes();
    let tag = bytes.windows(4).rposition(|tag| tag == b"GEAR").unwrap();
    let (start, end) = (tag + 20, bytes.len());
    let (mut refused, mut accepted) = (0, 0);
    for at in start..end {
        for value in [0, 1, 2, 0x7f, 0x80, 0xff] {
            let mut forged = bytes.clone();
            forged[at] = value;
            let mut hash = 0xcbf2_9ce4_8422_2325_u64;
            for byte in forged[8..12].iter().chain(&forged[start - 20..start - 8]).chain(&forged[start..end]) {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
            forged[start - 8..start].copy_from_slice(&hash.to_le_bytes());
            match Snapshot::from_bytes(&forged) {
                Err(_) => refused += 1,
                Ok(read) => {
                    accepted += 1;
                    assert_eq!(Snapshot::from_bytes(&read.to_bytes()).unwrap().to_bytes(), read.to_bytes());
                    World::from_snapshot(&read).step(H).unwrap();
                }
            }
        }
    }
    assert!(refused > 50 && accepted > 50, "{refused} {accepted}");
}

//! A body that leaves the range of numbers is quarantined: A6 and E3 of the fault list.

use crate::fixture::*;

/// A world with a resting and a flying body.
fn lively() -> (World, BodyHandle) {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.5);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.5))).unwrap();
    w.add(ball("flying", v(3.0, 0.0, 5.0)).angular_velocity(v(1.0, 2.0, 3.0))).unwrap();
    w.step(H).unwrap();
    (w, b)
}

/// The frozen body keeps its last pose, the books balance, and everything else is as without the fault.
fn quarantined(fault: impl Fn(&mut World, BodyHandle)) {
    let (mut w, b) = lively();
    let (mut twin, _) = lively();
    let far = |w: &World| w.body(w.find("flying").unwrap()).unwrap().state();
    fault(&mut w, b);
    let pose = w.body(b).unwrap().pose();
    for _ in 0..20 {
        let report = w.step(H).unwrap();
        twin.step(H).unwrap();
        assert_eq!((report.status, report.counts.quarantined), (StepStatus::Degraded, 1));
        let books = &report.energy;
        assert!(books.closure().abs() <= 1e-10 * books.scale().max(1e-3), "{books:?}");
        let body = w.body(b).unwrap();
        assert!(body.is_quarantined());
        assert_eq!((body.pose(), body.velocity(), body.angular_velocity()), (pose, DVec3::ZERO, DVec3::ZERO));
        assert_eq!(far(&w), far(&twin));
    }
    // Whoever puts it somewhere has it back.
    w.set_position(b, v(0.0, 0.0, 0.5)).unwrap();
    w.set_orientation(b, DQuat::IDENTITY).unwrap();
    for _ in 0..5 {
        let report = w.step(H).unwrap();
        assert_eq!((report.status, report.counts.quarantined), (StepStatus::Certified, 0));
    }
    close_vector(w.body(b).unwrap().position(), v(0.0, 0.0, 0.5), 1e-9);
}

#[test]
fn a6_an_absurd_force_quarantines_the_body_and_touches_nothing_else() {
    quarantined(|w, b| w.add_force(b, v(1e308, 0.0, 0.0)).unwrap());
    quarantined(|w, b| w.add_torque(b, v(0.0, -1e308, 1e300)).unwrap());
}

#[test]
fn e3_a_body_that_leaves_the_world_is_quarantined_at_its_last_pose() {
    quarantined(|w, b| {
        w.set_position(b, v(1e10 - 1.0, 0.0, 50.0)).unwrap();
        w.set_velocity(b, v(1e3, 0.0, 0.0)).unwrap();
    });
}

#[test]
fn a_quarantined_body_is_an_obstacle() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let a = w.add(cube("a", v(0.0, 0.0, 0.5))).unwrap();
    let b = w.add(cube("b", v(0.0, 0.0, 1.5))).unwrap();
    w.step(H).unwrap();
    w.add_force(a, v(-1e307, 1e308, 0.0)).unwrap();
    for _ in 0..30 {
        w.step(H).unwrap();
    }
    close_vector(w.body(b).unwrap().position(), v(0.0, 0.0, 1.5), 1e-9);
    let restored = World::from_snapshot(&signorini::Snapshot::from_bytes(&w.snapshot().to_bytes()).unwrap());
    assert!(restored.body(restored.find("a").unwrap()).unwrap().is_quarantined());
}

/// Eight hundred bodies that leave in one step, four hundred by their forces and as many by their speed, are all out after
/// it, and the rest is as without them.
#[test]
fn many_bodies_that_leave_at_once_leave_the_others_alone() {
    let build = |leavers: usize| {
        let mut w = world();
        add_bystanders(&mut w);
        add_floor(&mut w, 0.5, 0.0);
        w.add(cube("cube", v(0.0, 0.0, 0.5))).unwrap();
        for i in 0..leavers {
            let name = format!("leaver {i:03}");
            let place = v(3.0 + 2.0 * (i % 20) as f64, 3.0 + 2.0 * (i / 20) as f64, 50.0);
            if i % 2 == 0 {
                let b = w.add(ball(&name, place)).unwrap();
                w.add_force(b, v(0.0, 0.0, 1e300)).unwrap();
            } else {
                w.add(ball(&name, place + v(1e10 - 100.0, 0.0, 0.0)).velocity(v(1e7, 0.0, 0.0))).unwrap();
            }
        }
        w
    };
    let (mut w, mut twin) = (build(800), build(0));
    for _ in 0..3 {
        let report = w.step(H).unwrap();
        twin.step(H).unwrap();
        assert_eq!((report.status, report.counts.quarantined), (StepStatus::Degraded, 800));
        let cube = |w: &World| w.body(w.find("cube").unwrap()).unwrap().state();
        assert_eq!((bystanders(&w), cube(&w)), (bystanders(&twin), cube(&twin)));
    }
}

/// A ball of a milligram struck by a tonne at nine tenths of the greatest speed would fly off at nearly twice that. It is
/// left out, and the tonne bounces off it as off a wall.
#[test]
fn what_an_impact_throws_out_stands_and_the_other_bounces_off() {
    let mut w = weightless();
    let bouncy = surface(0.0, 1.0);
    let light = w.add(ball("light", DVec3::ZERO).mass(1e-6).material(bouncy)).unwrap();
    let fast = 0.9e8;
    let start = v(-1.0 - 0.5e-9 * fast, 0.0, 0.0);
    let heavy = w.add(ball("heavy", start).mass(1e3).velocity(v(fast, 0.0, 0.0)).material(bouncy)).unwrap();
    let report = w.step(1e-9).unwrap();
    assert_eq!((report.status, report.counts.quarantined), (StepStatus::Degraded, 1));
    assert_eq!(w.body(light).unwrap().position(), DVec3::ZERO);
    close(w.body(heavy).unwrap().velocity().x, -fast, 1e-6 * fast);
}

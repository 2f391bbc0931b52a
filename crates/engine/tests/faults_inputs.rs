//! Bad input is a typed error that names what was wrong, and the world does not change: groups A, B, D, G of the fault
//! list, with bodies in a stepping world so that a hash can tell.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;
use fixture::*;

/// A world with a resting and a flying body.
fn lively() -> (World, BodyHandle) {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.5);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.5))).unwrap();
    w.add(ball("flying", v(3.0, 0.0, 5.0)).spin(v(1.0, 2.0, 3.0))).unwrap();
    w.step(H).unwrap();
    (w, b)
}

#[track_caller]
fn refused(result: Result<impl std::fmt::Debug, WorldError>, message: &str) {
    let error = result.expect_err("must be refused");
    assert!(error.to_string().contains(message), "'{error}' does not say '{message}'");
}

/// Bodies that must be refused, and a word of the message.
fn bad_bodies() -> Vec<(Body, &'static str)> {
    let mut bad = Vec::new();
    let good = || cube("bad", v(9.0, 9.0, 9.0));
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        bad.push((good().position(v(value, 0.0, 0.0)), "position x"));
        bad.push((good().position(v(0.0, value, 0.0)), "position y"));
        bad.push((good().position(v(0.0, 0.0, value)), "position z"));
        bad.push((good().velocity(v(0.0, value, 0.0)), "velocity y"));
        bad.push((good().spin(v(0.0, 0.0, value)), "spin z"));
        bad.push((good().mass(value), "mass"));
        bad.push((good().density(value), "density"));
        bad.push((good().orientation(DQuat::from_xyzw(value, 0.0, 0.0, 1.0)), "orientation"));
        bad.push((good().material(surface(value, 0.0)), "friction"));
        bad.push((good().material(surface(0.0, value)), "restitution"));
    }
    bad.push((good().velocity(v(1e150, 0.0, 0.0)), "velocity x"));
    bad.push((good().orientation(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)), "orientation"));
    bad.push((good().orientation(DQuat::from_xyzw(0.0, 0.0, 0.0, 1.001)), "orientation"));
    bad.push((good().material(surface(-1.0, 0.0)), "friction"));
    bad.push((good().material(surface(0.5, -0.1)), "restitution -0.1"));
    bad.push((good().material(surface(0.5, 1.1)), "restitution 1.1"));
    for mass in [0.0, -1.0, 1e-300, 1e300] {
        bad.push((good().mass(mass), "mass"));
    }
    bad.push((good().density(1e300), "mass"));
    let given = |inertia: DMat3| good().mass_properties(MassProperties { mass: 1.0, centre: DVec3::ZERO, inertia });
    bad.push((given(DMat3::from_diagonal(v(1.0, 1.0, -1.0))), "positive definite"));
    bad.push((given(DMat3::from_diagonal(v(1.0, 1.0, 0.0))), "positive definite"));
    bad.push((given(DMat3::from_diagonal(v(1.0, 1.0, 2.1))), "triangle"));
    bad.push((given(DMat3::from_cols(v(1.0, 0.1, 0.0), v(0.0, 1.0, 0.0), v(0.0, 0.0, 1.0))), "symmetric"));
    bad.push((given(DMat3::from_diagonal(v(f64::NAN, 1.0, 1.0))), "finite"));
    bad.push((Body::dynamic(Shape::half_space(DVec3::Z).unwrap()).named("bad"), "volume"));
    let still = Body::fixed(Shape::sphere(1.0).unwrap()).named("bad").velocity(DVec3::X);
    bad.push((still, "fixed"));
    bad
}

#[test]
fn a1_to_b9_bad_bodies_are_refused_and_nothing_changes() {
    let (mut w, _) = lively();
    let (hash, count) = (w.state_hash(), w.bodies().count());
    for (body, message) in bad_bodies() {
        refused(w.add(body), message);
        assert_eq!((w.state_hash(), w.bodies().count()), (hash, count));
    }
    // The world goes on as if nothing had been asked.
    let (mut twin, _) = lively();
    for _ in 0..20 {
        w.step(H).unwrap();
        twin.step(H).unwrap();
    }
    assert_eq!(w.state_hash(), twin.state_hash());
}

#[test]
fn a3_nearly_unit_quaternions_are_normalised() {
    let mut w = world();
    let b = w.add(cube("cube", DVec3::ZERO).orientation(DQuat::from_xyzw(0.0, 0.0, 0.0, 1.0 + 1e-9))).unwrap();
    assert_eq!(w.body(b).unwrap().orientation(), DQuat::IDENTITY);
}

#[test]
fn a8_extreme_but_valid_friction() {
    for friction in [0.0, 1e6] {
        let mut w = world();
        add_floor(&mut w, friction, 0.0);
        let b =
            w.add(cube("cube", v(0.0, 0.0, 0.5)).velocity(v(0.1, 0.0, 0.0)).material(surface(friction, 0.0))).unwrap();
        for _ in 0..20 {
            let report = w.step(H).unwrap();
            assert_eq!(report.status, StepStatus::Certified, "μ = {friction}: {:?}", report.certificate);
        }
        assert!(w.body(b).unwrap().velocity().is_finite());
    }
}

#[test]
fn a4_a5_setters_refuse_and_change_nothing() {
    let (mut w, b) = lively();
    let hash = w.state_hash();
    let nan = v(0.0, f64::NAN, 0.0);
    refused(w.set_position(b, nan), "position y");
    refused(w.set_velocity(b, nan), "velocity y");
    refused(w.set_spin(b, nan), "spin y");
    refused(w.set_orientation(b, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)), "orientation 0");
    refused(w.set_material(b, surface(f64::NAN, 0.0)), "friction");
    refused(w.add_force(b, nan), "force y");
    refused(w.add_torque(b, nan), "torque y");
    refused(w.add_force_at(b, DVec3::X, nan), "point y");
    let floor = w.find("floor").unwrap();
    refused(w.add_force(floor, DVec3::X), "fixed");
    refused(w.set_velocity(floor, DVec3::X), "fixed");
    assert_eq!(w.state_hash(), hash);
}

#[test]
fn a7_bad_settings() {
    let refused_settings = |settings: Settings, message: &str| refused(World::new(settings), message);
    let good = Settings::default;
    refused_settings(Settings { gravity: v(0.0, f64::NAN, 0.0), ..good() }, "gravity y");
    refused_settings(Settings { rest_speed: -1.0, ..good() }, "rest speed");
    refused_settings(Settings { margin: f64::INFINITY, ..good() }, "margin");
    refused_settings(Settings { joint_correction: 1.5, ..good() }, "joint correction");
    refused_settings(Settings { stabilisation: Stabilisation::VelocityBias { fraction: -0.1 }, ..good() }, "fraction");
}

#[test]
fn a11_subnormal_state_is_fine() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.5);
    let tiny = v(5e-324, -1e-310, 1e-308);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.5)).velocity(tiny).spin(tiny)).unwrap();
    for _ in 0..50 {
        assert_eq!(w.step(H).unwrap().status, StepStatus::Certified);
    }
    assert!(w.body(b).unwrap().velocity().length() < 1e-8);
}

#[test]
fn d1_to_d4_time_steps() {
    let (mut w, _) = lively();
    let hash = w.state_hash();
    w.step(0.0).unwrap();
    assert_eq!(w.state_hash(), hash);
    for dt in [-1.0, f64::NAN, f64::INFINITY, 1e9] {
        assert!(matches!(w.step(dt), Err(StepError::TimeStep { .. })), "{dt}");
        assert_eq!(w.state_hash(), hash);
    }
    let report = w.step(1e-12).unwrap();
    assert_eq!(report.status, StepStatus::Certified);
    assert!(w.bodies().all(|(_, b)| b.velocity().is_finite()));
}

#[test]
fn d5_a_step_of_ten_seconds_completes_finite() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    for i in 0..3 {
        w.add(cube(&format!("cube {i}"), v(0.0, 0.0, 0.5 + f64::from(i)))).unwrap();
    }
    let report = w.step(10.0).unwrap();
    assert!(report.certificate.is_some());
    for (_, b) in w.bodies().filter(|(_, b)| b.mass().is_finite()) {
        assert!(b.velocity().is_finite() && b.position().z > 0.4, "{}", b.position());
    }
}

#[test]
fn d6_random_time_steps_keep_dissipative_energy_bounded() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.3);
    for i in 0..3 {
        w.add(
            cube(&format!("cube {i}"), v(0.2 * f64::from(i), 0.0, 0.6 + 1.1 * f64::from(i)))
                .material(surface(0.5, 0.3)),
        )
        .unwrap();
    }
    let start = w.energy().total();
    let mut state = 7u64;
    for _ in 0..2000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let unit = (state >> 11) as f64 / (1u64 << 53) as f64;
        w.step(1e-4 * 1000f64.powf(unit)).unwrap();
        assert!(w.energy().total() <= start * 1.01, "{}", w.energy().total());
    }
}

#[test]
fn b7_stack_of_mass_ratio_a_million_is_certified() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    w.add(cube("a light one", v(0.0, 0.0, 0.5))).unwrap();
    w.add(cube("b heavy one", v(0.0, 0.0, 1.5)).mass(1e6)).unwrap();
    for _ in 0..20 {
        assert_eq!(w.step(H).unwrap().status, StepStatus::Certified);
    }
}

#[test]
fn g1_g2_g6_stale_handles_are_refused_everywhere() {
    let (mut w, b) = lively();
    w.remove(b).unwrap();
    let again = w.add(cube("cube", v(0.0, 0.0, 0.5))).unwrap();
    assert_ne!(again, b, "the slot is used again with another generation");
    let hash = w.state_hash();
    let anchor = Anchor::World(DVec3::ZERO);
    refused(w.body(b).map(|_| ()), "stale");
    refused(w.remove(b), "stale");
    refused(w.set_position(b, DVec3::ZERO), "stale");
    refused(w.set_orientation(b, DQuat::IDENTITY), "stale");
    refused(w.set_velocity(b, DVec3::ZERO), "stale");
    refused(w.set_spin(b, DVec3::ZERO), "stale");
    refused(w.set_material(b, surface(0.0, 0.0)), "stale");
    refused(w.add_force(b, DVec3::ZERO), "stale");
    refused(w.add_torque(b, DVec3::ZERO), "stale");
    refused(w.add_force_at(b, DVec3::ZERO, DVec3::ZERO), "stale");
    refused(w.add_joint(Joint::ball(b, DVec3::ZERO, anchor)), "stale");
    refused(w.add_joint(Joint::ball(again, DVec3::ZERO, (b, DVec3::ZERO))), "stale");
    assert_eq!(w.state_hash(), hash);
}

#[test]
fn g3_handles_of_another_world_are_refused() {
    let (mut w, _) = lively();
    let (_, foreign) = lively();
    refused(w.body(foreign).map(|_| ()), "another world");
    refused(w.remove(foreign), "another world");
    refused(w.set_velocity(foreign, DVec3::ZERO), "another world");
}

#[test]
fn g4_add_and_remove_before_a_step_and_joints_go_with_their_body() {
    let (mut w, b) = lively();
    let (mut twin, _) = lively();
    let guest = w.add(ball("guest", v(0.0, 0.0, 1.2))).unwrap();
    let joint = w.add_joint(Joint::ball(guest, DVec3::ZERO, (b, DVec3::ZERO))).unwrap();
    w.remove(guest).unwrap();
    refused(w.joint(joint), "stale");
    refused(w.remove_joint(joint), "stale");
    for _ in 0..10 {
        w.step(H).unwrap();
        twin.step(H).unwrap();
    }
    assert_eq!(w.state_hash(), twin.state_hash());
}

#[test]
fn duplicate_ids_and_bad_joints_are_refused() {
    let (mut w, b) = lively();
    let floor = w.find("floor").unwrap();
    refused(w.add(cube("cube", DVec3::ZERO)), "'cube' exists already");
    w.add(ball("x", v(9.0, 0.0, 9.0)).numbered(7)).unwrap();
    refused(w.add(ball("x", v(9.0, 5.0, 9.0)).numbered(7)), "body 7 exists already");
    refused(w.add_joint(Joint::ball(b, DVec3::ZERO, (b, DVec3::X))), "same body");
    refused(w.add_joint(Joint::ball(floor, DVec3::ZERO, DVec3::ZERO)), "dynamic");
    refused(w.add_joint(Joint::distance(b, DVec3::ZERO, DVec3::ZERO, -1.0)), "length -1");
    refused(w.add_joint(Joint::distance(b, v(f64::NAN, 0.0, 0.0), DVec3::ZERO, 1.0)), "anchor");
}

#[test]
fn g8_churn_uses_slots_again() {
    let mut w = world();
    for k in 0..20_000 {
        let b = w.add(ball("guest", v(0.0, 0.0, f64::from(k)))).unwrap();
        w.remove(b).unwrap();
    }
    assert_eq!(w.bodies().count(), 0);
}

#[test]
fn too_many_contacts_are_an_error_and_none_is_dropped() {
    let mut w = World::new(Settings { max_contacts: 3, ..Settings::default() }).unwrap();
    add_floor(&mut w, 0.5, 0.0);
    w.add(cube("cube", v(0.0, 0.0, 0.5))).unwrap();
    let hash = w.state_hash();
    let error = w.step(H).expect_err("four corners are more than three");
    assert_eq!(error.to_string(), "4 contacts exceed the limit of 3");
    assert_eq!(w.state_hash(), hash);
}

#[test]
fn a_method_that_cannot_do_friction_says_so() {
    let mut w = World::new(Settings { method: Method::ActiveSet, ..Settings::default() }).unwrap();
    add_floor(&mut w, 0.5, 0.0);
    w.add(cube("cube", v(0.0, 0.0, 0.5))).unwrap();
    let hash = w.state_hash();
    let error = w.step(H).expect_err("friction");
    assert!(error.to_string().starts_with("island 0: block 0: method active-set does not support coulomb"), "{error}");
    assert_eq!(w.state_hash(), hash);
}

#[test]
fn f11_one_iteration_is_degraded_not_certified_and_still_feasible() {
    let mut settings = Settings { method: Method::Pgs, ..Settings::default() };
    settings.stop.max_iterations = Some(1);
    let mut w = World::new(settings).unwrap();
    add_floor(&mut w, 0.5, 0.0);
    for i in 0..5 {
        w.add(cube(&format!("cube {i}"), v(0.0, 0.0, 0.5 + f64::from(i)))).unwrap();
    }
    let report = w.step(H).unwrap();
    assert_eq!(report.status, StepStatus::Degraded);
    assert!(report.certificate.unwrap().natural > 1e-9);
    assert!(w.contacts().iter().all(|c| c.impulse.dot(c.normal) >= 0.0));
}

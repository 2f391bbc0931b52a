//! Fault list, groups A (inputs), B (mass), D (time step) and G (handles), one test per case by its code. On every case:
//! no panic, everything finite, on an error not a bit of the world changed, bodies in islands that the fault does not
//! touch bit-identical to a run without it, and a certificate from every step that touches.

use crate::fixture::*;
use signorini::{FixedStep, ImpactLaw, Kind, PairCoefficients};
use std::time::Instant;

/// A world in motion: a resting cube, a flying ball, bystanders. One step old.
fn lively() -> (World, BodyHandle) {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.5);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.5))).unwrap();
    w.add(ball("flying", v(3.0, 0.0, 5.0)).angular_velocity(v(1.0, 2.0, 3.0))).unwrap();
    add_bystanders(&mut w);
    w.step(H).unwrap();
    (w, b)
}

/// Asks for something that must be refused, and that the world is and goes on as if it had not been asked.
#[track_caller]
fn refuses(message: &str, mut ask: impl FnMut(&mut World, BodyHandle) -> Result<(), WorldError>) {
    let ((mut w, b), (mut twin, _)) = (lively(), lively());
    let (hash, count) = (w.state_hash(), w.bodies().count());
    refused(ask(&mut w, b), message);
    assert_eq!((w.state_hash(), w.bodies().count()), (hash, count));
    for _ in 0..5 {
        assert!(w.step(H).unwrap().velocity.is_some());
        twin.step(H).unwrap();
    }
    assert_eq!(w.state_hash(), twin.state_hash());
    all_finite(&w);
}

fn refuses_body(message: &str, body: Body) {
    refuses(message, |w, _| w.add(body.clone()).map(|_| ()));
}

const NOT_FINITE: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

fn candidate() -> Body {
    cube("bad", v(9.0, 9.0, 9.0))
}

#[test]
fn a01_position_not_finite() {
    for value in NOT_FINITE {
        for (axis, name) in ["position x", "position y", "position z"].into_iter().enumerate() {
            let mut place = v(9.0, 9.0, 9.0);
            place[axis] = value;
            refuses_body(name, candidate().position(place));
            refuses(name, |w, b| w.set_position(b, place));
        }
    }
    refuses_body("position x", candidate().position(v(1e308, 0.0, 0.0)));
}

#[test]
fn a02_zero_quaternion() {
    let zero = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    refuses_body("orientation", candidate().orientation(zero));
    refuses("orientation", |w, b| w.set_orientation(b, zero));
}

#[test]
fn a03_quaternion_off_by_a_thousandth_is_refused_and_by_a_billionth_normalised() {
    let off = |by: f64| DQuat::from_xyzw(0.0, 0.0, 0.0, 1.0 + by);
    refuses_body("orientation 1.001", candidate().orientation(off(1e-3)));
    refuses("orientation 1.001", |w, b| w.set_orientation(b, off(1e-3)));
    refuses("orientation", |w, b| w.set_orientation(b, DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)));
    let mut w = world();
    let b = w.add(cube("cube", DVec3::ZERO).orientation(off(1e-9))).unwrap();
    assert_eq!(w.body(b).unwrap().orientation(), DQuat::IDENTITY);
    w.set_orientation(b, off(-1e-9)).unwrap();
    assert_eq!(w.body(b).unwrap().orientation(), DQuat::IDENTITY);
}

#[test]
fn a04_velocity_not_finite_in_mid_run() {
    for value in NOT_FINITE {
        refuses("velocity y", |w, b| w.set_velocity(b, v(0.0, value, 0.0)));
        refuses("angular velocity z", |w, b| w.set_angular_velocity(b, v(0.0, 0.0, value)));
        refuses_body("velocity x", candidate().velocity(v(value, 0.0, 0.0)));
        refuses_body("angular velocity x", candidate().angular_velocity(v(value, 0.0, 0.0)));
    }
    refuses("fixed", |w, _| w.set_velocity(w.find("floor").unwrap(), DVec3::X));
}

#[test]
fn a05_force_not_finite() {
    for value in NOT_FINITE {
        let bad = v(0.0, value, 0.0);
        refuses("force y", |w, b| w.add_force(b, bad));
        refuses("torque y", |w, b| w.add_torque(b, bad));
        refuses("force y", |w, b| w.add_force_at(b, bad, DVec3::ZERO));
        refuses("point y", |w, b| w.add_force_at(b, DVec3::X, bad));
    }
    refuses("fixed", |w, _| w.add_force(w.find("floor").unwrap(), DVec3::X));
    // Two forces that are finite and whose sum is not.
    let (mut w, b) = lively();
    w.add_force(b, v(1.7e308, 0.0, 0.0)).unwrap();
    let hash = w.state_hash();
    refused(w.add_force(b, v(1.7e308, 0.0, 0.0)), "force x");
    assert_eq!(w.state_hash(), hash);
}

#[test]
fn a06_force_of_1e308() {
    let (mut w, b) = lively();
    let place = w.body(b).unwrap().state();
    w.add_force(b, v(1e308, 0.0, 0.0)).unwrap();
    let (hash, time) = (w.state_hash(), w.time());
    match w.step(H) {
        // Refused as a whole: not a bit changed, and the message names the body.
        Err(error) => {
            assert!(matches!(&error, StepError::OutOfRange { quantity: "speed", .. }), "{error}");
            assert!(error.to_string().contains("'cube'"), "{error}");
            assert_eq!((w.state_hash(), w.time()), (hash, time));
        }
        // Or the body alone is left where it was, and the report says so.
        Ok(report) => {
            assert_eq!(report.status, StepStatus::Degraded);
            assert_eq!(w.body(b).unwrap().position(), place.position);
            assert_eq!(bystanders(&w), undisturbed(2, H));
            return;
        }
    }
    // Taking the force back makes the world whole.
    w.clear_forces();
    advance(&mut w, 20, H);
    assert_eq!(bystanders(&w), undisturbed(21, H));
    all_finite(&w);
}

#[test]
fn a07_gravity_and_other_settings_not_usable() {
    let good = Settings::default;
    for value in NOT_FINITE {
        refuses("gravity y", |w, _| w.set_settings(Settings { gravity: v(0.0, value, 0.0), ..good() }));
        refused(World::new(Settings { gravity: v(value, 0.0, 0.0), ..good() }), "gravity x");
        refuses("rest speed", |w, _| w.set_settings(Settings { rest_speed: value, ..good() }));
        refuses("margin", |w, _| w.set_settings(Settings { margin: value, ..good() }));
    }
    refuses("rest speed", |w, _| w.set_settings(Settings { rest_speed: -1.0, ..good() }));
    refuses("joint correction", |w, _| w.set_settings(Settings { joint_correction: 1.5, ..good() }));
    let bias = Stabilisation::VelocityBias { fraction: -0.1 };
    refuses("fraction", |w, _| w.set_settings(Settings { stabilisation: bias, ..good() }));
    let mut stop = good().stop;
    stop.tolerance.value = f64::NAN;
    refuses("tolerance", |w, _| w.set_settings(Settings { stop, ..good() }));
}

#[test]
fn a08_friction_out_of_range_is_refused_and_extreme_friction_is_certified() {
    for value in [f64::NAN, -1.0, f64::INFINITY, 1e10] {
        refuses_body("friction", candidate().material(surface(value, 0.0)));
        refuses("friction", |w, b| w.set_material(b, surface(value, 0.0)));
    }
    for friction in [0.0, 1e6] {
        let mut w = world();
        add_floor(&mut w, friction, 0.0);
        let body = cube("cube", v(0.0, 0.0, 0.5)).velocity(v(0.1, 0.0, 0.0)).material(surface(friction, 0.0));
        w.add(body).unwrap();
        for _ in 0..20 {
            let report = w.step(H).unwrap();
            assert_eq!(report.status, StepStatus::Certified, "μ = {friction}: {:?}", report.certificate);
        }
        all_finite(&w);
    }
}

#[test]
fn a09_restitution_out_of_range() {
    for value in [f64::NAN, -0.1, 1.1, f64::INFINITY] {
        refuses_body("restitution", candidate().material(surface(0.5, value)));
        refuses("restitution", |w, b| w.set_material(b, surface(0.5, value)));
    }
}

/// There are no hooks that are asked for the coefficients of a contact in a step: pairs of surfaces are told them before, and what
/// is no number is refused then.
#[test]
fn a10_coefficients_of_a_pair_of_surfaces_that_are_no_numbers() {
    for value in NOT_FINITE.into_iter().chain([-1.0]) {
        let given = PairCoefficients { friction: Some(value), restitution: None };
        refuses("friction", |w, _| w.set_material_pair([1, 2], Some(given)));
        let given = PairCoefficients { friction: None, restitution: Some(value) };
        refuses("restitution", |w, _| w.set_material_pair([1, 2], Some(given)));
    }
}

#[test]
fn a11_subnormal_state_costs_no_more() {
    let run = |size: f64| {
        let mut w = world();
        add_floor(&mut w, 0.5, 0.5);
        let tiny = v(size, -0.3 * size, 0.7 * size);
        let b = w.add(cube("cube", v(0.0, 0.0, 0.5)).velocity(tiny).angular_velocity(tiny)).unwrap();
        let start = Instant::now();
        for _ in 0..40 {
            assert_eq!(w.step(H).unwrap().status, StepStatus::Certified);
        }
        let seconds = start.elapsed().as_secs_f64();
        assert!(w.body(b).unwrap().velocity().length() < 1e-8);
        seconds
    };
    let best = |size: f64| (0..15).map(|_| run(size)).fold(f64::INFINITY, f64::min);
    let (normal, subnormal) = (best(1e-12), best(1e-310).min(best(5e-324)));
    assert!(subnormal < 2.0 * normal, "{subnormal} s against {normal} s");
}

#[test]
fn a12_minus_zero_is_zero() {
    let run = |zero: f64| {
        let mut w = world();
        add_floor(&mut w, 0.5, 0.5);
        w.add(cube("cube", v(zero, zero, 1.0)).velocity(v(zero, 1.0, zero))).unwrap();
        advance(&mut w, 60, H);
        w.state_hash()
    };
    assert_eq!(run(0.0), run(-0.0));
}

#[test]
fn b01_mass_zero() {
    refuses_body("mass 0", candidate().mass(0.0));
    refuses_body("density 0", candidate().density(0.0));
}

#[test]
fn b02_mass_negative() {
    refuses_body("mass -1", candidate().mass(-1.0));
    refuses_body("density -1", candidate().density(-1.0));
    NOT_FINITE.into_iter().for_each(|value| refuses_body("mass", candidate().mass(value)));
}

#[test]
fn b03_mass_of_1e_minus_300() {
    refuses_body("mass", candidate().mass(1e-300));
}

#[test]
fn b04_mass_of_1e300() {
    refuses_body("mass", candidate().mass(1e300));
}

fn with_inertia(inertia: DMat3) -> Body {
    candidate().mass_properties(MassProperties { mass: 1.0, centre: DVec3::ZERO, inertia })
}

#[test]
fn b05_inertia_not_positive_definite() {
    refuses_body("positive definite", with_inertia(DMat3::from_diagonal(v(1.0, 1.0, -1.0))));
    refuses_body("positive definite", with_inertia(DMat3::from_diagonal(v(1.0, 1.0, 0.0))));
    refuses_body("finite", with_inertia(DMat3::from_diagonal(v(f64::NAN, 1.0, 1.0))));
    refuses_body("ratio below 1e-12", with_inertia(DMat3::from_diagonal(v(1.0, 1.0, 9e-13))));
    let skew = DMat3::from_cols(v(1.0, 0.1, 0.0), v(0.0, 1.0, 0.0), v(0.0, 0.0, 1.0));
    refuses_body("symmetric", with_inertia(skew));
}

/// A cone 43 km long and 41 µm thick: its inverse inertia, turned to the axes of the world, was no longer positive.
#[test]
fn a_needle_beyond_the_range_of_inertia_is_refused_and_one_within_it_steps() {
    let needle = |radius: f64| {
        let turned =
            DQuat::from_xyzw(-0.49550589558351227, -0.040571380448547946, -0.018988805092205144, -0.8674487280592732);
        let cone = Shape::cone(42809.52009699643, radius).unwrap();
        Body::dynamic(cone).mass(3.075821016139955e-8).orientation(turned).named("needle")
    };
    refuses_body("ratio below 1e-12", needle(4.099651011835799e-5));
    let (mut w, mut twin) = (world(), world());
    add_bystanders(&mut w);
    add_bystanders(&mut twin);
    w.add(needle(0.1)).unwrap();
    let slab = Shape::cuboid(v(2.4329569727621676, 19.90446681502382, 1193.4740322805103)).unwrap();
    w.add(Body::dynamic(slab).named("slab")).unwrap();
    for _ in 0..20 {
        w.step(H).unwrap();
        twin.step(H).unwrap();
        all_finite(&w);
    }
    assert_eq!(bystanders(&w), bystanders(&twin));
}

#[test]
fn b06_inertia_breaks_the_triangle_inequality() {
    refuses_body("triangle", with_inertia(DMat3::from_diagonal(v(1.0, 1.0, 2.1))));
}

/// At 1e6 every step is certified. At 1e9 a step may be degraded; one that is not must be right: the load on the floor is
/// the weight of both, and the heavy one has not sunk.
#[test]
fn b07_stack_of_ratio_1e6_is_certified_and_of_1e9_is_right_or_degraded() {
    for (ratio, certified) in [(1e6, true), (1e9, false)] {
        let mut w = world();
        let floor = add_floor(&mut w, 0.5, 0.0);
        w.add(cube("a light one", v(0.0, 0.0, 0.5))).unwrap();
        let heavy = w.add(cube("b heavy one", v(0.0, 0.0, 1.5)).mass(ratio)).unwrap();
        add_bystanders(&mut w);
        for _ in 0..50 {
            let report = w.step(H).unwrap();
            assert!(report.velocity.is_some());
            assert!(!certified || report.status == StepStatus::Certified);
            if report.status == StepStatus::Certified {
                let (load, weight) = (-w.body(floor).unwrap().constraint_forces().force.z, (1.0 + ratio) * G);
                assert!((load / weight - 1.0).abs() < 1e-6, "{ratio:e}: {load} N of {weight}");
                close(w.body(heavy).unwrap().position().z, 1.5, 1e-6);
            }
            all_finite(&w);
        }
        assert_eq!(bystanders(&w), undisturbed(50, H));
    }
}

#[test]
fn b08_body_with_all_axes_locked_and_touching_a_fixed_one() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.5))).unwrap();
    w.add_joint(Joint::fixed(b, DVec3::ZERO, v(0.0, 0.0, 0.5))).unwrap();
    add_bystanders(&mut w);
    for _ in 0..100 {
        w.add_force(b, v(30.0, 20.0, -100.0)).unwrap();
        let report = w.step(H).unwrap();
        assert_eq!(report.status, StepStatus::Certified, "{:?}", report.certificate);
    }
    close_vector(w.body(b).unwrap().position(), v(0.0, 0.0, 0.5), 1e-9);
    assert_eq!(bystanders(&w), undisturbed(100, H));
}

#[test]
fn b09_density_times_volume_overflows() {
    refuses_body("mass", candidate().density(1e300));
    let huge = Body::dynamic(Shape::sphere(1e9).unwrap()).density(1e4).named("bad");
    refuses_body("mass", huge);
    refuses_body("volume", Body::dynamic(Shape::half_space(DVec3::Z).unwrap()).named("bad"));
}

#[test]
fn d01_step_of_zero_changes_nothing() {
    let (mut w, b) = lively();
    w.add_force(b, DVec3::X).unwrap();
    let (hash, time) = (w.state_hash(), w.time());
    assert_eq!(w.step(0.0).unwrap().status, StepStatus::Certified);
    assert_eq!((w.state_hash(), w.time()), (hash, time));
}

#[track_caller]
fn refuses_step(dt: f64) {
    let (mut w, _) = lively();
    let (hash, time, steps) = (w.state_hash(), w.time(), w.steps());
    assert!(matches!(w.step(dt), Err(StepError::TimeStep { .. })), "{dt}");
    assert!(matches!(w.problems(dt), Err(StepError::TimeStep { .. })), "{dt}");
    assert_eq!((w.state_hash(), w.time(), w.steps()), (hash, time, steps));
}

#[test]
fn d02_negative_step() {
    [-1.0, -1e-300, f64::MIN].into_iter().for_each(refuses_step);
}

#[test]
fn d03_step_not_finite() {
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e9].into_iter().for_each(refuses_step);
}

#[test]
fn d04_step_of_a_picosecond() {
    let (mut w, _) = lively();
    for _ in 0..10 {
        assert_eq!(w.step(1e-12).unwrap().status, StepStatus::Certified);
    }
    all_finite(&w);
    // A gap that is open by less than the contact margin, over such a time, is more than a number can be.
    w.add(cube("above", v(0.0, 0.0, 1.5004))).unwrap();
    for dt in [1e-100, f64::MIN_POSITIVE, 5e-324] {
        let report = w.step(dt).unwrap();
        assert!(report.velocity.is_some(), "{dt}");
        assert_eq!(report.counts.quarantined, 0, "{dt}");
        all_finite(&w);
    }
}

#[test]
fn d05_step_of_ten_seconds_on_a_stack() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    for i in 0..3 {
        w.add(cube(&format!("cube {i}"), v(0.0, 0.0, 0.5 + f64::from(i)))).unwrap();
    }
    add_bystanders(&mut w);
    let report = w.step(10.0).unwrap();
    assert!(report.velocity.is_some());
    all_finite(&w);
    // The far bodies fall 490 m in such a step: it is degraded, or everything is where its laws put it. Either way the
    // certificate tells the overlap at the end, which the next step finds again.
    let told = report.certificate.part(PartName::Overlap);
    assert!(
        told.value.is_finite()
            && (report.status == StepStatus::Degraded) == report.certificate.misses().next().is_some()
    );
    let next = w.step(H).unwrap();
    assert!(next.penetration <= told.value + 1e-9, "{} m told, {} m found", told.value, next.penetration);
    for i in 0..3 {
        let z = w.body(w.find(format!("cube {i}").as_str()).unwrap()).unwrap().position().z;
        close(z, 0.5 + f64::from(i), told.value + 1e-3);
    }
}

#[test]
fn d06_random_steps_from_a_tenth_of_a_millisecond_to_a_tenth_of_a_second() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.3);
    for i in 0..2 {
        let place = v(0.2 * f64::from(i), 0.0, 0.6 + 1.1 * f64::from(i));
        w.add(cube(&format!("cube {i}"), place).material(surface(0.5, 0.3))).unwrap();
    }
    let start = w.energy().total();
    let mut random = Random::new(6);
    for k in 0..100_000 {
        let report = w.step(1e-4 * 1000f64.powf(random.unit())).unwrap();
        assert!(report.energy.against_free_motion <= 1e-12 * report.energy.scale());
        assert!(w.energy().total() <= start * (1.0 + 1e-9), "step {k}: {}", w.energy().total());
        if k % 5000 == 4999 {
            // Kicked again, so that there is something to lose.
            let b = w.find("cube 1").unwrap();
            w.set_position(b, v(0.2, 0.0, 1.6)).unwrap();
            w.set_velocity(b, DVec3::ZERO).unwrap();
        }
    }
    all_finite(&w);
}

/// A step is not cut into a number of substeps that somebody chooses. What is chosen are rounds of impacts within a step, and steps
/// within a frame, which a frame of any length does not exceed.
#[test]
fn d07_no_rounds_and_a_billion_rounds_and_frames_without_end() {
    for rounds in [0, 1_000_000_000] {
        let impact = ImpactLaw::Sequential { rounds };
        refuses("rounds of impacts", |w, _| w.set_settings(Settings { impact, ..Settings::default() }));
    }
    let (mut w, _) = lively();
    let mut clock = FixedStep::new(H);
    for frame in NOT_FINITE.into_iter().chain([-1.0]) {
        let before = w.state_hash();
        assert!(w.step_fixed(&mut clock, frame).is_err());
        assert_eq!(w.state_hash(), before);
    }
    assert_eq!(w.step_fixed(&mut clock, 1e300).unwrap(), clock.max_steps);
    clock.max_steps = 0;
    assert_eq!(w.step_fixed(&mut clock, 1.0).unwrap(), 0);
}

#[test]
fn d08_ten_kilometres_a_second_at_a_wall_of_a_millimetre() {
    let mut w = weightless();
    let wall = Shape::cuboid(v(0.0005, 10.0, 10.0)).unwrap();
    w.add(Body::fixed(wall).position(v(50.0, 0.0, 0.0)).named("wall")).unwrap();
    let b = w.add(ball("ball", DVec3::ZERO).velocity(v(1e4, 0.0, 0.0))).unwrap();
    run(&mut w, 5);
    close(w.body(b).unwrap().position().x, 49.4995, 1e-6);
}

/// Every call that takes a handle, with its answer.
fn every_call(w: &mut World, b: BodyHandle) -> Vec<Result<(), WorldError>> {
    let other = w.find("flying").unwrap();
    let anchor = Anchor::from(DVec3::ZERO);
    vec![
        w.body(b).map(|_| ()),
        w.remove(b),
        w.set_position(b, DVec3::ZERO),
        w.set_orientation(b, DQuat::IDENTITY),
        w.set_velocity(b, DVec3::ZERO),
        w.set_angular_velocity(b, DVec3::ZERO),
        w.set_material(b, surface(0.0, 0.0)),
        w.add_force(b, DVec3::ZERO),
        w.add_torque(b, DVec3::ZERO),
        w.add_force_at(b, DVec3::ZERO, DVec3::ZERO),
        w.add_joint(Joint::ball(b, DVec3::ZERO, anchor)).map(|_| ()),
        w.add_joint(Joint::ball(other, DVec3::ZERO, (b, DVec3::ZERO))).map(|_| ()),
    ]
}

#[track_caller]
fn all_refused(w: &mut World, b: BodyHandle, message: &str) {
    let hash = w.state_hash();
    every_call(w, b).into_iter().for_each(|answer| refused(answer, message));
    assert_eq!(w.state_hash(), hash);
}

#[test]
fn g01_removed_handle_in_every_call() {
    let (mut w, b) = lively();
    w.remove(b).unwrap();
    all_refused(&mut w, b, "stale");
}

#[test]
fn g02_slot_used_again_does_not_answer_to_the_old_handle() {
    let (mut w, b) = lively();
    w.remove(b).unwrap();
    let again = w.add(cube("cube", v(0.0, 0.0, 0.5))).unwrap();
    assert_ne!(again, b);
    all_refused(&mut w, b, "stale");
    assert!(w.body(again).is_ok());
}

#[test]
fn g03_handle_of_another_world() {
    let (mut w, _) = lively();
    let (_, foreign) = lively();
    all_refused(&mut w, foreign, "another world");
}

#[test]
fn g04_add_and_remove_before_a_step() {
    let ((mut w, b), (mut twin, _)) = (lively(), lively());
    let guest = w.add(ball("guest", v(0.0, 0.0, 1.2))).unwrap();
    let joint = w.add_joint(Joint::ball(guest, DVec3::ZERO, (b, DVec3::ZERO)).misfit(Misfit::Corrected)).unwrap();
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
fn g06_remove_twice() {
    let (mut w, b) = lively();
    w.remove(b).unwrap();
    let hash = w.state_hash();
    refused(w.remove(b), "stale");
    let a = w.find("flying").unwrap();
    let joint = w.add_joint(Joint::ball(a, DVec3::ZERO, v(3.0, 0.0, 5.0)).misfit(Misfit::Corrected)).unwrap();
    w.remove_joint(joint).unwrap();
    refused(w.remove_joint(joint), "stale");
    assert_eq!(w.state_hash(), hash);
}

/// A hundred thousand changes of kind, switches off and on, and bodies in the place of others, a step after every hundred.
#[test]
fn g07_bodies_that_change_their_kind_again_and_again() {
    let mut random = Random::new(7);
    let [mut w, mut alone] = [world(), world()];
    for world in [&mut w, &mut alone] {
        add_floor(world, 0.5, 0.0);
        add_bystanders(world);
    }
    let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let place = |i: usize| v(1.05 * (i % 3) as f64, 0.0, 0.5 + (i / 3) as f64);
    let body = |i: usize| Body::dynamic(shape.clone()).mass(2.0).position(place(i)).numbered(i as u64);
    let mut bodies: Vec<BodyHandle> = (0..6).map(|i| w.add(body(i)).unwrap()).collect();
    let mut done = [0; 3];
    for k in 0..100_000 {
        let i = random.below(6);
        let what = random.below(8).min(2);
        done[what] += 1;
        match what {
            0 => {
                w.remove(bodies[i]).unwrap();
                let old = std::mem::replace(&mut bodies[i], w.add(body(i)).unwrap());
                assert!(w.body(old).is_err());
            }
            1 => {
                let enabled = random.below(2) == 0;
                w.set_enabled(bodies[i], enabled).unwrap();
                assert_eq!(w.body(bodies[i]).unwrap().is_enabled(), enabled);
            }
            _ => {
                let kind = [Kind::Dynamic, Kind::Kinematic, Kind::Fixed][random.below(3)];
                w.set_kind(bodies[i], kind).unwrap();
                let body = w.body(bodies[i]).unwrap();
                assert_eq!(body.kind(), kind);
                // What is dynamic again weighs what it weighed.
                assert!(kind != Kind::Dynamic || body.mass() == 2.0, "{}", body.mass());
            }
        }
        if k % 100 == 99 {
            assert!(w.step(H).unwrap().energy.closure().is_finite());
            alone.step(H).unwrap();
            all_finite(&w);
            assert_eq!(bystanders(&w), bystanders(&alone));
        }
    }
    assert!(done.iter().all(|count| *count > 10_000), "{done:?}");
}

#[test]
fn g09_no_number_is_a_handle_unless_this_world_gave_it() {
    // A handle cannot be made from a number: only a world makes them. So every handle of other worlds and of other times
    // is tried, whatever slot and generation it has.
    let (mut w, _) = lively();
    let mut random = Random::new(9);
    let hash = w.state_hash();
    for _ in 0..50 {
        let mut other = world();
        let mut held = Vec::new();
        for _ in 0..40 {
            if !held.is_empty() && random.unit() < 0.4 {
                let gone: BodyHandle = held.swap_remove(random.below(held.len()));
                other.remove(gone).unwrap();
                assert!(other.body(gone).is_err() && w.body(gone).is_err());
            } else {
                held.push(other.add(ball("x", DVec3::ZERO).numbered(random.bits())).unwrap());
            }
        }
        held.into_iter().for_each(|handle| all_refused(&mut w, handle, "another world"));
    }
    assert_eq!(w.state_hash(), hash);
}

#[test]
fn duplicate_ids_and_bad_joints_are_refused() {
    refuses("'cube' exists already", |w, _| w.add(cube("cube", DVec3::ZERO)).map(|_| ()));
    let joint = |w: &mut World, joint: Joint| w.add_joint(joint).map(|_| ());
    refuses("same body", |w, b| joint(w, Joint::ball(b, DVec3::ZERO, (b, DVec3::X))));
    refuses("dynamic", |w, _| {
        let floor = w.find("floor").unwrap();
        joint(w, Joint::ball(floor, DVec3::ZERO, DVec3::ZERO))
    });
    for length in [-1.0, 0.0, f64::NAN, f64::INFINITY, 1e262] {
        refuses("length", |w, b| joint(w, Joint::distance(b, DVec3::ZERO, DVec3::ZERO, length)));
    }
    for value in NOT_FINITE {
        refuses("anchor", |w, b| joint(w, Joint::ball(b, v(value, 0.0, 0.0), DVec3::ZERO)));
        refuses("anchor", |w, b| joint(w, Joint::ball(b, DVec3::ZERO, v(0.0, value, 0.0))));
    }
    refuses("anchor a x 1e262 is not in [-1e10, 1e10] m", |w, b| {
        joint(w, Joint::ball(b, v(1e262, 0.0, 0.0), DVec3::ZERO))
    });
    refuses("anchor b z -1e262", |w, b| joint(w, Joint::fixed(b, DVec3::ZERO, v(0.0, 0.0, -1e262))));
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

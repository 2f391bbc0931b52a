//! What once passed for certified: each must be refused, or be right.

use crate::fixture::*;
use signorini::ImpactLaw;
use signorini_problem::{Block, ContactProblem, Delassus, DenseDelassus, Symmetry, Tolerance, certify};

/// Two contacts that know nothing of each other, one of them at 100 m/s and solved; the other is left creeping.
#[test]
fn a_fast_row_does_not_excuse_a_slow_one() {
    let (fast, creep) = (100.0, 5e-5);
    let w = DenseDelassus::new(2, vec![1.0, 0.0, 0.0, 1.0]);
    let blocks = vec![Block::normal(); 2];
    let problem = ContactProblem::new(blocks, Delassus::Dense(w), vec![-fast, -0.2], Symmetry::Exact).unwrap();
    let certificate = certify(&problem, &[fast, 0.2 - creep]).unwrap();
    assert!((certificate.natural - creep).abs() < 1e-12, "{certificate:?}");
    assert!(certificate.meets(&Tolerance::velocity(1e-6)), "relative to the fastest row it is nothing");
    assert!(!certificate.holds(1e-6) && certificate.holds(1.01 * creep), "{certificate:?}");
    // A fast contact may be off by as much as its own speed allows.
    let certificate = certify(&problem, &[fast - creep, 0.2]).unwrap();
    assert!(certificate.holds(1e-6), "{certificate:?}");
}

/// A ball that is searched for on its way meets the floor when next to nothing of the step is left; nothing is at rest
/// beside it. It must not go on into the floor, nor be called certified if it does.
#[test]
fn an_impact_within_the_last_instant_of_a_step_is_not_left_out() {
    for left in [1e-6, 1e-8, 1e-10, 1e-12] {
        for fast in [false, true] {
            let mut w = weightless();
            add_floor(&mut w, 0.3, 0.0);
            let speed = 1.28;
            let thrown = ball("thrown", v(0.0, 0.0, 0.5 + speed * (H - left))).velocity(v(0.4, 0.0, -speed));
            let thrown = w.add(if fast { thrown.fast() } else { thrown }).unwrap();
            w.add(cube("bystander", v(3.0, 0.0, 0.5))).unwrap();
            for step in 0..3 {
                let report = w.step(H).unwrap();
                assert_eq!(report.status, StepStatus::Certified, "{left:e} {step}: {:?}", report.certificate);
                let state = w.body(thrown).unwrap().state();
                assert!(state.position.z >= 0.5 - 1e-6, "{left:e} {step}: {state:?}");
            }
            let speed = w.body(thrown).unwrap().velocity();
            assert!(speed.z.abs() < 1e-6, "{left:e}: still falls at {} m/s", speed.z);
        }
    }
}

/// With much friction the natural map shows a normal error divided by √(1 + μ²): a box that sinks must still be seen.
#[test]
fn friction_of_a_billion_hides_no_approach() {
    let mut w = world();
    add_floor(&mut w, 1e9, 0.0);
    let slider = cube("slider", v(0.0, 0.0, 0.5)).velocity(v(3.0, 0.0, 0.0)).material(surface(1e9, 0.0));
    let slider = w.add(slider).unwrap();
    for step in 0..30 {
        let report = w.step(H).unwrap();
        let state = w.body(slider).unwrap().state();
        if report.status == StepStatus::Certified {
            let velocity = report.velocity.unwrap();
            assert!(velocity.penetration_rate <= 4e-6, "{step}: {velocity:?}");
            assert!(state.position.z > 0.3, "{step}: {state:?}");
        }
    }
}

/// Impacts that are passed on are not certified by the law of Newton; friction must still act against the slip, and take
/// energy.
#[test]
fn passed_on_impacts_do_not_push_along_the_slip() {
    let settings = Settings { impact: ImpactLaw::sequential(), ..Settings::default() };
    let mut w = World::new(settings).unwrap();
    add_floor(&mut w, 0.6, 0.5);
    for i in 0..4 {
        let x = 1.02 * f64::from(i);
        let thrown = ball(&format!("ball {i}"), v(x, 0.0, 0.6 + 0.3 * f64::from(i))).material(surface(0.6, 0.5));
        w.add(thrown.velocity(v(2.0 - f64::from(i), 0.5, -3.0)).angular_velocity(v(0.0, 4.0, 0.0))).unwrap();
    }
    for step in 0..120 {
        let report = w.step(H).unwrap();
        if report.status != StepStatus::Certified {
            continue;
        }
        let ledger = &report.energy;
        assert!(ledger.friction <= 1e-9 * ledger.scale(), "{step}: {ledger:?}");
        let rise = ledger.after.total() - ledger.before.total() - ledger.external - ledger.driven;
        assert!(rise <= 5e-3 * ledger.scale(), "{step}: {ledger:?}");
    }
}

/// A cube between two walls that are closer than it is wide: no displacement keeps it out of both. One that is not proved is
/// not applied, and the step says so.
#[test]
fn unproved_displacements_are_not_applied() {
    let mut w = weightless();
    let wall =
        |name: &str, x: f64| Body::fixed(Shape::cuboid(v(0.5, 2.0, 2.0)).unwrap()).position(v(x, 0.0, 0.0)).named(name);
    w.add(wall("left", -0.98)).unwrap();
    w.add(wall("right", 0.93)).unwrap();
    let cube = w.add(cube("cube", DVec3::ZERO)).unwrap();
    let before = w.body(cube).unwrap().state();
    for step in 0..3 {
        let report = w.step(H).unwrap();
        assert!(report.counts.unproved > 0, "step {step}: {:?}", report.counts);
        assert_eq!(report.status, StepStatus::Degraded, "step {step}");
        assert!(report.certificate.misses().any(|(part, _)| part == PartName::Stages), "step {step}");
        let state = w.body(cube).unwrap().state();
        assert_eq!((state.position, state.orientation), (before.position, before.orientation), "step {step}");
    }
}

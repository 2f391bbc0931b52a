//! Every built-in scene runs to its end, every step certified, and everything from paper comes out.

use signorini::Scene;
use signorini_scenes::worlds::{self, NamedScene, Observed};
use std::fmt::Write;
use std::time::Instant;

/// Rise of energy per step, relative to the largest entry of the ledger, that the solver's tolerance leaves open.
const GAIN: f64 = 1e-8;
/// What the ledger may leave unexplained: round-off.
const UNEXPLAINED: f64 = 1e-11;

/// One line per number; complaints apart.
fn report(scene: &NamedScene, seen: &Observed, seconds: f64, table: &mut String, complaints: &mut Vec<String>) {
    let audit = seen.audit.expect("our own run has an audit");
    let name = scene.name;
    writeln!(
        table,
        "{name}: {} steps, {} contacts, residual {:.1e} m/s, overlap {:.1e} m, unexplained {:.1e}, gain {:.1e}, {seconds:.2} s",
        audit.steps, audit.contacts, audit.residual, audit.penetration, audit.unexplained, audit.gain
    )
    .unwrap();
    for finding in scene.check(seen) {
        let (expectation, error) = (&finding.expectation, finding.error());
        let verdict = if finding.holds() { "ok  " } else { "FAIL" };
        writeln!(
            table,
            "  {verdict} {}: {:.9} expected {:.9} {}, error {error:.1e} of {:.1e}",
            expectation.what, finding.measured, expectation.expected, expectation.unit, expectation.tolerance
        )
        .unwrap();
        if !finding.holds() {
            complaints.push(format!("{name}: {} is off by {error:.3e} {}", expectation.what, expectation.unit));
        }
    }
    if audit.degraded > 0 {
        complaints.push(format!("{name}: {} of {} steps not certified", audit.degraded, audit.steps));
    }
    if audit.gain > GAIN {
        complaints.push(format!("{name}: energy rises by {:.1e} in a step", audit.gain));
    }
    if audit.unexplained > UNEXPLAINED {
        complaints.push(format!("{name}: the ledger leaves {:.1e} unexplained", audit.unexplained));
    }
}

#[test]
fn every_scene_gives_the_numbers_from_paper() {
    let (mut table, mut complaints) = (String::new(), Vec::new());
    let only = std::env::var("SIGNORINI_SCENE").ok();
    for scene in worlds::all().iter().filter(|scene| only.as_deref().is_none_or(|name| name == scene.name)) {
        let start = Instant::now();
        match scene.run() {
            Ok(seen) => report(scene, &seen, start.elapsed().as_secs_f64(), &mut table, &mut complaints),
            Err(error) => complaints.push(format!("{}: {error}", scene.name)),
        }
    }
    println!("{table}");
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn scenes_are_data_and_survive_being_written_down() {
    for named in worlds::all() {
        let scene = named.scene();
        let text = toml::to_string(&scene).unwrap();
        let again: Scene = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", named.name));
        assert_eq!(again, scene, "{}", named.name);
        let (mut world, mut twin) = (scene.build().unwrap(), again.build().unwrap());
        assert_eq!(world.state_hash(), twin.state_hash(), "{}", named.name);
        for _ in 0..5 {
            world.step(scene.step).unwrap();
            twin.step(again.step).unwrap();
        }
        assert_eq!(world.state_hash(), twin.state_hash(), "{} after five steps", named.name);
    }
}

#[test]
fn names_are_unique_and_found_and_every_scene_expects_something() {
    assert!(worlds::all().len() >= 22);
    for (k, scene) in worlds::all().iter().enumerate() {
        assert!(worlds::all()[..k].iter().all(|other| other.name != scene.name), "{} twice", scene.name);
        assert!(scene.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", scene.name);
        assert_eq!(worlds::find(scene.name).unwrap().about, scene.about);
        assert!(scene.about.ends_with('.') && !scene.answers().is_empty(), "{}", scene.name);
        assert_eq!((scene.scene().name.as_str(), scene.scene().description.as_str()), (scene.name, scene.about));
        for expectation in scene.answers() {
            assert!(expectation.expected.is_finite() && expectation.tolerance >= 0.0, "{}", expectation.what);
        }
    }
    assert!(worlds::find("perpetual motion").is_none());
}

#[test]
fn a_motion_that_says_nothing_meets_no_expectation() {
    for scene in worlds::all() {
        let silent = Observed::of_scene(&scene.scene()).unwrap();
        for finding in scene.check(&silent) {
            assert!(!finding.holds(), "{}: {}", scene.name, finding.expectation.what);
        }
    }
}

#[test]
fn answers_notice_physics_that_is_slightly_wrong() {
    let refuted = |name: &str, change: fn(&mut Scene)| {
        let named = worlds::find(name).unwrap();
        let mut scene = named.scene();
        change(&mut scene);
        let seen = worlds::observe(&scene).unwrap();
        let noticed = named.check(&seen).iter().any(|finding| !finding.holds());
        assert!(noticed, "{name} does not notice");
    };
    let heavier: fn(&mut Scene) = |scene| scene.gravity = scene.gravity.map(|g| 1.0001 * g);
    for name in ["stack", "table", "stool", "groove", "ladder", "incline_stick", "incline_slip", "incline_threshold"] {
        refuted(name, heavier);
    }
    for name in ["sliding_straight", "sliding_oblique", "belt", "wedge", "rolling_onset", "rolling_down", "projectile"]
    {
        refuted(name, heavier);
    }
    for name in ["spinning_coin", "bounce_half", "bounce_elastic", "painleve_rod", "hanging_chain", "catenary"] {
        refuted(name, heavier);
    }
    let duller: fn(&mut Scene) = |scene| {
        scene.bodies.iter_mut().for_each(|body| body.restitution = body.restitution.map(|e| 0.9999 * e));
    };
    for name in
        ["elastic_swap", "ten_to_one", "billiard", "cradle", "one_hits_three", "skew_bounce_slides", "bounce_lively"]
    {
        refuted(name, duller);
    }
    let smoother: fn(&mut Scene) = |scene| {
        scene.bodies.iter_mut().for_each(|body| body.friction = body.friction.map(|mu| 0.999 * mu));
    };
    for name in ["incline_slip", "incline_threshold", "sliding_oblique", "belt", "rolling_onset", "skew_bounce_slides"]
    {
        refuted(name, smoother);
    }
    let spun: fn(&mut Scene) = |scene| scene.bodies.iter_mut().for_each(|body| body.angular_velocity[2] *= 1.001);
    refuted("torque_free_top", spun);
    refuted("rocking_impact", |scene| scene.bodies.iter_mut().for_each(|body| body.velocity[0] *= 1.001));
    // The period goes with the root of gravity, known to 2e-4 of it.
    refuted("pendulum", |scene| scene.gravity[2] *= 1.001);
}

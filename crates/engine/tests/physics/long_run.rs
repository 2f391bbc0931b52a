//! Many minutes of rest: nothing creeps, sinks or leans.

use crate::fixture::*;
use signorini::StoppingRule;

const DT: f64 = 1.0 / 60.0;
const SLOP: f64 = 1e-4;

/// Steps and asks that each is certified with a residual of at most 1e-8 m/s.
fn certified(w: &mut World, steps: usize) -> f64 {
    let mut worst = 0.0f64;
    for _ in 0..steps {
        let report = w.step(DT).unwrap();
        assert_eq!(report.status, StepStatus::Certified, "step {}: {:?}", w.steps(), report.certificate);
        let residual = report.velocity.map_or(0.0, |c| c.natural);
        assert!(residual <= 1e-8, "step {}: residual {residual:e}", w.steps());
        worst = worst.max(residual);
    }
    worst
}

#[test]
fn ten_cubes_stand_for_ten_thousand_steps() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let stack: Vec<_> =
        (0..10).map(|i| w.add(cube(&format!("cube {i}"), v(0.0, 0.0, 0.5 + f64::from(i)))).unwrap()).collect();
    let top = *stack.last().unwrap();
    let start = w.body(top).unwrap().position();
    let worst = certified(&mut w, 10_000);
    let drift = w.body(top).unwrap().position() - start;
    println!("top of ten after 10 000 steps: drift {:?}, worst residual {worst:e} m/s", drift.to_array());
    assert!(drift.truncate().length() < 1e-6, "{drift}");
    assert!(drift.z.abs() < 10.0 * SLOP + 1e-6, "{drift}");
}

#[test]
fn a_million_to_one_sinks_by_less_than_a_millimetre() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let light = w.add(cube("a light one", v(0.0, 0.0, 0.5))).unwrap();
    let heavy = w.add(cube("b heavy one", v(0.0, 0.0, 1.5)).mass(1e6)).unwrap();
    let worst = certified(&mut w, 2000);
    let (light, heavy) = (w.body(light).unwrap().position(), w.body(heavy).unwrap().position());
    println!("light {light}, heavy {heavy}, worst residual {worst:e} m/s");
    close_vector(light, v(0.0, 0.0, 0.5), 1e-3);
    close_vector(heavy, v(0.0, 0.0, 1.5), 1e-3);
}

/// Way gone along an incline of tan θ = 0.4 with μ = 0.5 in ten minutes \[m\].
fn creep(tolerance: f64) -> f64 {
    let angle = 0.4f64.atan();
    let stop = StoppingRule::velocity(tolerance);
    let settings = Settings { gravity: G * v(angle.sin(), 0.0, -angle.cos()), stop, ..Settings::default() };
    let mut w = World::new(settings).unwrap();
    add_floor(&mut w, 0.5, 0.0);
    let start = v(0.0, 0.0, 0.5);
    let b = w.add(cube("cube", start).material(surface(0.5, 0.0))).unwrap();
    let worst = certified(&mut w, 36_000);
    let way = w.body(b).unwrap().position() - start;
    println!("tolerance {tolerance:e}: creep {:?} m, worst residual {worst:e} m/s", way.to_array());
    way.truncate().length()
}

#[test]
fn ten_minutes_on_an_incline_creep_by_less_than_a_nanometre() {
    assert!(creep(1e-12) < 1e-9);
}

#[test]
fn ten_minutes_on_an_incline_at_the_default_tolerance_creep_by_nanometres() {
    // A certificate of 1e-9 m/s allows 600 nm; much less is used.
    let creep = creep(1e-9);
    assert!(creep < 1e-8, "{creep:e}");
}

//! Impacts that are passed on: Newton's cradle and its relatives, against closed forms.

use crate::fixture::*;
use signorini::ImpactLaw;
use signorini_problem::random::SplitMix64;

fn sequential(gravity: DVec3) -> World {
    World::new(Settings { gravity, impact: ImpactLaw::sequential(), ..Settings::default() }).unwrap()
}

/// A row of `count` touching balls at rest, hit by `moving` touching balls at 2 m/s. Velocities along the row after.
fn row(w: &mut World, moving: usize, count: usize, gap: f64, e: f64) -> Vec<f64> {
    let mut handles = Vec::new();
    for i in 0..moving + count {
        let (x, speed) =
            if i < moving { (i as f64 - moving as f64 - 0.013, 2.0) } else { ((1.0 + gap) * (i - moving) as f64, 0.0) };
        let body = ball(&format!("ball {i}"), v(x, 0.0, 0.0)).velocity(v(speed, 0.0, 0.0)).material(surface(0.0, e));
        handles.push(w.add(body).unwrap());
    }
    run(w, 3);
    let velocities: Vec<DVec3> = handles.iter().map(|b| w.body(*b).unwrap().velocity()).collect();
    assert!(velocities.iter().all(|u| u.y.abs() + u.z.abs() < 1e-12));
    velocities.iter().map(|u| u.x).collect()
}

#[test]
fn newtons_cradle_as_many_leave_as_arrive() {
    for moving in [1, 2, 3, 4] {
        for gap in [0.0, 1e-12, 1e-9, 1e-6] {
            let mut w = sequential(DVec3::ZERO);
            let count = 5 - moving;
            let after = row(&mut w, moving, count, gap, 1.0);
            for (i, speed) in after.iter().enumerate() {
                close(*speed, if i >= 5 - moving { 2.0 } else { 0.0 }, 1e-9);
            }
            close(w.energy().total(), 2.0 * moving as f64, 1e-9);
        }
    }
}

#[test]
fn s5_one_ball_hits_three_in_a_row() {
    let mut w = sequential(DVec3::ZERO);
    for (found, expected) in row(&mut w, 1, 3, 0.0, 1.0).into_iter().zip([0.0, 0.0, 0.0, 2.0]) {
        close(found, expected, 1e-9);
    }
    // Newton's law at all contacts at once keeps momentum, but the balls leave together.
    let mut w = weightless();
    let together = row(&mut w, 1, 3, 0.0, 1.0);
    close(together.iter().sum(), 2.0, 1e-9);
    assert!(together[1] > 0.1);
}

#[test]
fn a_long_row_passes_it_on() {
    let mut w = sequential(DVec3::ZERO);
    let after = row(&mut w, 1, 40, 0.0, 1.0);
    close(after[40], 2.0, 1e-9);
    assert!(after[..40].iter().all(|speed| speed.abs() < 1e-9));
}

#[test]
fn restitution_below_one_loses_energy_and_keeps_momentum_and_order() {
    for e in [0.0, 0.2, 0.5, 0.9] {
        for moving in [1, 2, 3] {
            let mut w = sequential(DVec3::ZERO);
            let after = row(&mut w, moving, 5 - moving, 0.0, e);
            close(after.iter().sum(), 2.0 * moving as f64, 1e-9);
            assert!(after.windows(2).all(|pair| pair[0] <= pair[1] + 1e-9), "e {e}: {after:?} still approach");
            let energy = w.energy().total();
            assert!(energy <= 2.0 * moving as f64 + 1e-12, "e {e}: {energy} J");
            if e == 0.0 {
                // All five stick together.
                after.iter().for_each(|speed| close(*speed, 0.4 * moving as f64, 1e-9));
            }
        }
    }
}

#[test]
fn break_of_three_balls() {
    // One ball hits two that touch, symmetrically: it goes back with v/5, they leave along the lines of centres with
    // 2√3/5 v. Momentum: −1/5 + 2·(2√3/5)(√3/2) = 1; energy: 1/25 + 2·12/25 = 1.
    let mut w = sequential(DVec3::ZERO);
    let shot = ball("shot", v(-0.02, 0.0, 0.0)).velocity(v(3.0, 0.0, 0.0)).material(surface(0.0, 1.0));
    let shot = w.add(shot.fast()).unwrap();
    let x = 0.75f64.sqrt();
    let up = w.add(ball("up", v(x, 0.5, 0.0)).material(surface(0.0, 1.0))).unwrap();
    let down = w.add(ball("down", v(x, -0.5, 0.0)).material(surface(0.0, 1.0))).unwrap();
    run(&mut w, 4);
    let leave = 3.0 * 2.0 * 3f64.sqrt() / 5.0;
    close_vector(w.body(shot).unwrap().velocity(), v(-0.6, 0.0, 0.0), 1e-9);
    close_vector(w.body(up).unwrap().velocity(), leave * v(x, 0.5, 0.0), 1e-9);
    close_vector(w.body(down).unwrap().velocity(), leave * v(x, -0.5, 0.0), 1e-9);
}

#[test]
fn a_single_bounce_is_newtons() {
    for e in [0.3, 0.8, 1.0] {
        let mut w = sequential(v(0.0, 0.0, -G));
        add_floor(&mut w, 0.5, e);
        let b = w.add(ball("ball", v(0.0, 0.0, 1.734)).material(surface(0.5, e))).unwrap();
        let mut top = 0.0;
        for _ in 0..100 {
            step_certified(&mut w, H);
            let body = w.body(b).unwrap();
            if body.velocity().z > 0.0 {
                top = body.position().z + body.velocity().z.powi(2) / (2.0 * G);
                break;
            }
        }
        close(top, 0.5 + e * e * 1.234, 1e-8);
    }
}

#[test]
fn friction_acts_on_a_passed_on_impact() {
    // A sliding ball bounces: with μ = 0.2 friction takes μ(1 + e) v_N from the slip and spins the ball up.
    let mut w = sequential(DVec3::ZERO);
    add_floor(&mut w, 0.2, 0.5);
    let body = ball("ball", v(0.0, 0.0, 0.51)).velocity(v(3.0, 0.0, -1.0)).material(surface(0.2, 0.5));
    let b = w.add(body).unwrap();
    run(&mut w, 3);
    let body = w.body(b).unwrap();
    close_vector(body.velocity(), v(3.0 - 0.2 * 1.5, 0.0, 0.5), 1e-9);
    // I = 0.4 m r² = 0.1: ω = μ(1 + e) v_N r / I.
    close_vector(body.angular_velocity(), v(0.0, 0.2 * 1.5 * 0.5 / 0.1, 0.0), 1e-9);
}

#[test]
fn hanging_cradle_swings_on_the_other_side() {
    let mut w = sequential(v(0.0, 0.0, -G));
    let (count, length) = (5, 4.0);
    let mut balls = Vec::new();
    for i in 0..count {
        let anchor = v(f64::from(i), 0.0, length);
        let angle = if i == 0 { 0.4f64 } else { 0.0 };
        let position = anchor + length * v(-angle.sin(), 0.0, -angle.cos());
        let b = w.add(ball(&format!("ball {i}"), position).material(surface(0.0, 1.0))).unwrap();
        w.add_joint(Joint::distance(b, DVec3::ZERO, anchor, length)).unwrap();
        balls.push(b);
    }
    let dt = 1e-3;
    let (mut arriving, mut leaving) = (0.0f64, None);
    for _ in 0..1500 {
        w.step(dt).unwrap();
        let speed = |i: usize| w.body(balls[i]).unwrap().velocity().x;
        if speed(4) > 0.5 {
            leaving = Some((0..5).map(speed).collect::<Vec<_>>());
            break;
        }
        arriving = arriving.max(speed(0));
    }
    let leaving = leaving.expect("the last ball must leave");
    // √(2 g L (1 − cos 0.4)) at the bottom.
    close(arriving, (2.0 * G * length * (1.0 - 0.4f64.cos())).sqrt(), 0.02);
    close(leaving[4], arriving, 0.01);
    assert!(leaving[..4].iter().all(|speed| speed.abs() < 0.02), "{leaving:?}");
}

#[test]
fn random_heaps_of_impacts_keep_momentum_and_make_no_energy() {
    let mut random = SplitMix64::new(5);
    let mut next = || random.unit();
    let mut impacts = 0;
    for trial in 0..30 {
        let mut w = sequential(DVec3::ZERO);
        let (e, friction) = (next(), if trial % 2 == 0 { 0.0 } else { 0.5 * next() });
        for i in 0..8u32 {
            let cell = v(f64::from(i % 2), f64::from(i / 2 % 2), f64::from(i / 4));
            let position = 1.05 * cell + 0.04 * v(next(), next(), next());
            let velocity = 4.0 * (v(0.5, 0.5, 0.5) - cell + 0.5 * v(next() - 0.5, next() - 0.5, next() - 0.5));
            let name = format!("b{i}");
            let body = if i % 3 == 0 { cube(&name, position) } else { ball(&name, position) };
            w.add(body.velocity(velocity).mass(0.5 + next()).material(surface(friction, e))).unwrap();
        }
        let (momentum, mut energy) = (total_momentum(&w), w.energy().total());
        for _ in 0..15 {
            let report = w.step(H).unwrap();
            impacts += report.counts.impacts;
            let parts = &report.certificate;
            let met = parts.velocity.is_met() && parts.momentum.is_met() && parts.energy_rise.is_met();
            assert!(met, "trial {trial}: {parts:?}");
            let books = &report.energy;
            assert!(books.closure().abs() <= 1e-10 * books.scale(), "trial {trial}: {books:?}");
            close_vector(total_momentum(&w), momentum, 1e-10);
            let now = w.energy().total();
            assert!(now <= energy * (1.0 + 1e-9), "trial {trial}: {energy} → {now} J");
            energy = now;
            // Nothing that touches approaches any more.
            let worst =
                w.contacts().iter().filter(|c| c.gap <= 0.0).map(|c| c.normal.dot(c.velocity)).fold(0.0, f64::min);
            assert!(worst >= -1e-8, "trial {trial}: {worst} m/s");
        }
    }
    assert!(impacts > 100, "{impacts} impacts");
}

//! Overlap that was there before the step: a fraction of it goes in each, by displacements alone.

use crate::fixture::*;

/// Two balls of radius 0.5 m, of 1 and 3 kg, at rest, this deep in each other.
fn sunk(depth: f64) -> (World, BodyHandle, BodyHandle) {
    let mut w = weightless();
    let light = w.add(ball("light", DVec3::ZERO)).unwrap();
    let heavy = w.add(ball("heavy", v(1.0 - depth, 0.0, 0.0)).mass(3.0)).unwrap();
    (w, light, heavy)
}

fn places(w: &World, (light, heavy): (BodyHandle, BodyHandle)) -> (f64, f64) {
    (w.body(light).unwrap().position().x, w.body(heavy).unwrap().position().x)
}

/// Of what is beyond the slop s a share f goes in a step: after n steps the depth is `s + (d − s)(1 − f)ⁿ`, with f = 0.2 and s = 0.1 mm.
/// The least displacement in the metric of mass leaves the centre of mass where it is: the ball of 1 kg goes three times as far. Nothing
/// gets a velocity.
#[test]
fn overlap_at_the_start_shrinks_by_a_fraction_per_step_and_nothing_moves_on() {
    let depth = 0.01;
    let (mut w, light, heavy) = sunk(depth);
    let start = places(&w, (light, heavy));
    let mut left = depth - 1e-4;
    for _ in 0..10 {
        let report = step_certified(&mut w, H);
        left *= 0.8;
        let now = places(&w, (light, heavy));
        close(1.0 - (now.1 - now.0), 1e-4 + left, 1e-9);
        let gone = depth - 1e-4 - left;
        close(now.0 - start.0, -0.75 * gone, 1e-9);
        close(now.1 - start.1, 0.25 * gone, 1e-9);
        for body in [light, heavy] {
            let state = w.body(body).unwrap().state();
            assert_eq!((state.velocity, state.angular_velocity), (DVec3::ZERO, DVec3::ZERO));
        }
        assert_eq!(report.energy.after.total(), 0.0);
    }
}

/// A fifth of 0.6 m would be 0.12 m in a step: it is 0.05 m, the cap, until a fifth is less.
#[test]
fn deep_overlap_goes_by_no_more_than_the_cap_per_step() {
    let mut depth = 0.6;
    let (mut w, light, heavy) = sunk(depth);
    for _ in 0..10 {
        step_certified(&mut w, H);
        depth -= f64::min(0.2 * (depth - 1e-4), 0.05);
        let now = places(&w, (light, heavy));
        close(1.0 - (now.1 - now.0), depth, 1e-9);
    }
}

/// Overlap of less than the slop is left alone: no displacement at all, to the last bit.
#[test]
fn overlap_within_the_slop_stays() {
    let (mut w, light, heavy) = sunk(9e-5);
    let start = places(&w, (light, heavy));
    for _ in 0..5 {
        let report = step_certified(&mut w, H);
        assert_eq!((report.counts.corrected, places(&w, (light, heavy))), (0, start));
    }
}

//! Boxes dropped into a bin: the first impacts join hundreds of contacts into one island, and the central path of its law
//! turns back again and again.

use crate::fixture::*;

/// Numbers in [−1, 1] from a seed (Knuth's multiplier).
fn jitter(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// `side` × `side` columns of `layers` tilted boxes of half a metre, 0.2 m apart, between four walls.
fn bin(side: usize, layers: usize, mut seed: u64) -> World {
    let mut w = world();
    let rough = surface(0.5, 0.0);
    add_floor(&mut w, 0.5, 0.0);
    let wall = 0.35 * side as f64 + 0.05;
    for normal in [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y] {
        let plane = Body::fixed(Shape::half_space(normal).unwrap()).position(-wall * normal);
        w.add(plane.material(rough).named(&format!("wall {normal}"))).unwrap();
    }
    for layer in 0..layers {
        for column in 0..side * side {
            let place = |k: usize| 0.7 * (k as f64 - 0.5 * (side as f64 - 1.0));
            let [x, y] = [column % side, column / side].map(|k| place(k) + 0.05 * jitter(&mut seed));
            let tilt = DVec3::from_array(std::array::from_fn(|_| 0.1 * jitter(&mut seed)));
            let body = Body::dynamic(Shape::cuboid(DVec3::splat(0.25)).unwrap())
                .mass(0.125)
                .position(v(x, y, 0.6 + 0.7 * layer as f64))
                .orientation(DQuat::from_scaled_axis(tilt))
                .material(rough);
            w.add(body.named(&format!("box {layer} {column}"))).unwrap();
        }
    }
    w
}

/// Without the way around folds one step of each was left at 1e-4 m/s.
#[test]
fn boxes_falling_into_a_bin_are_certified_in_every_step() {
    for (side, layers, seed) in [(3, 8, 3), (3, 10, 1), (4, 6, 2)] {
        let mut w = bin(side, layers, seed);
        let mut most = 0;
        for _ in 0..50 {
            let report = step_certified(&mut w, 1.0 / 60.0);
            most = most.max(report.counts.contacts);
            assert!(report.penetration < 1e-3, "step {}: {} m", w.steps(), report.penetration);
        }
        assert!(most > 300, "{most} contacts at most");
    }
}

/// Two boxes 5 cm apart fall side by side, 3 cm a step: they cannot meet unless both turn aside.
#[test]
fn bodies_that_fall_together_are_no_contacts_until_one_may_stop() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    for (name, x) in [("left", 0.0), ("right", 0.55)] {
        let body = Body::dynamic(Shape::cuboid(DVec3::splat(0.25)).unwrap()).mass(1.0);
        w.add(body.position(v(x, 0.0, 5.0)).velocity(v(0.0, 0.0, -2.0)).named(name)).unwrap();
    }
    assert_eq!(step_certified(&mut w, H).counts.contacts, 0);
    // One of them is thrown at the other: the way of the faster one counts, and they meet without overlap.
    let right = w.find("right").unwrap();
    w.set_velocity(right, v(-20.0, 0.0, -2.0)).unwrap();
    let report = step_certified(&mut w, H);
    assert!(report.counts.contacts > 0);
    let x = |name: &str| w.body(w.find(name).unwrap()).unwrap().state().position.x;
    let apart = x("right") - x("left");
    assert!((apart - 0.5).abs() < 1e-6, "{apart} m");
}

/// Capsules poured into a shaft. Their problem for the whole step is not solved in some steps, and those are taken in halves: such a step
/// is certified like any other, momentum of every body and energy included.
#[test]
fn steps_that_are_not_solved_whole_are_taken_in_halves() {
    let divided: usize = (1..4).map(poured_in_halves).sum();
    assert!(divided > 0, "no step was taken in halves");
}

/// Islands that took a step in halves, of steps that were certified.
fn poured_in_halves(mut seed: u64) -> usize {
    let mut world = world();
    add_floor(&mut world, 0.6, 0.0);
    for (name, side) in [
        ("east", v(1.0, 0.0, 0.0)),
        ("west", v(-1.0, 0.0, 0.0)),
        ("north", v(0.0, 1.0, 0.0)),
        ("south", v(0.0, -1.0, 0.0)),
    ] {
        let wall = Body::fixed(Shape::half_space(-side).unwrap()).position(0.5 * side);
        world.add(wall.material(surface(0.6, 0.0)).named(name)).unwrap();
    }
    for i in 0..35 {
        let position = v(0.3 * jitter(&mut seed), 0.3 * jitter(&mut seed), 0.2 + 0.25 * f64::from(i));
        let turn = 3.0 * v(jitter(&mut seed), jitter(&mut seed), jitter(&mut seed));
        let capsule = Body::dynamic(Shape::capsule(0.1, 0.08).unwrap()).position(position);
        let capsule = capsule.orientation(DQuat::from_scaled_axis(turn)).material(surface(0.6, 0.0));
        world.add(capsule.named(&format!("capsule {i}"))).unwrap();
    }
    let mut divided = 0;
    for step in 0..150 {
        let report = world.step(H).unwrap();
        divided += report.counts.divided;
        if report.counts.divided > 0 {
            assert_eq!(report.status, StepStatus::Certified, "{step}: {:?}", report.certificate);
            assert_eq!(report.counts.missed, 0, "{step}");
            assert!(report.counts.pieces >= 2, "{step}: {:?}", report.counts);
        }
    }
    divided
}

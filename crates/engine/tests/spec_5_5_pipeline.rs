//! Contacts, islands, positions, warm starts, rotations and energy through a world: what is left of §5.2, §5.5 and §5.6 of
//! the design document, with corrected truths.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;
use fixture::*;
use signorini::EnergyLedger;

#[test]
fn contact_gap_is_minus_the_depth_when_penetrating_and_plus_the_distance_when_separated() {
    for (z, gap) in [(0.4, -0.1), (0.5, 0.0), (0.505, 0.005)] {
        let mut w = weightless();
        add_floor(&mut w, 0.5, 0.0);
        w.add(cube("cube", v(0.0, 0.0, z))).unwrap();
        w.step(H).unwrap();
        assert_eq!(w.contacts().len(), 4);
        w.contacts().iter().for_each(|c| close(c.gap, gap, 1e-10));
    }
}

#[test]
fn contact_is_active_when_overlapping_and_not_at_a_distance_of_02() {
    for (z, contacts) in [(0.45, 4), (0.7, 0)] {
        let mut w = weightless();
        add_floor(&mut w, 0.5, 0.0);
        w.add(cube("cube", v(0.0, 0.0, z))).unwrap();
        assert_eq!(w.step(H).unwrap().counts.contacts, contacts);
    }
}

#[test]
fn factory_makes_one_contact_per_point() {
    for (body, contacts) in
        [(ball("b", v(0.0, 0.0, 0.5)), 1), (cube("b", v(0.0, 0.0, 0.5)), 4), (ball("b", v(0.0, 0.0, 3.0)), 0)]
    {
        let mut w = weightless();
        add_floor(&mut w, 0.5, 0.0);
        w.add(body).unwrap();
        assert_eq!(w.step(H).unwrap().counts.contacts, contacts);
    }
}

#[test]
fn normals_are_unit_and_from_a_to_b_and_impulses_opposite() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let lower = w.add(cube("a", v(0.0, 0.0, 0.5))).unwrap();
    let upper = w.add(cube("b", v(0.0, 0.0, 1.5))).unwrap();
    w.step(H).unwrap();
    for c in w.contacts() {
        close(c.normal.length(), 1.0, 1e-6);
        let towards = w.body(c.b).unwrap().position() - w.body(c.a).unwrap().position();
        let floor = w.find("floor").unwrap();
        assert!(c.a == floor || c.b == floor || towards.dot(c.normal) > 0.0);
    }
    let total = w.body(lower).unwrap().constraint_forces().force + w.body(upper).unwrap().constraint_forces().force;
    let floor = w.body(w.find("floor").unwrap()).unwrap().constraint_forces().force;
    close_vector(total + floor, DVec3::ZERO, 1e-9);
}

#[test]
fn islands_empty_pair_pairs_chain_and_star() {
    let count = |bodies: &[DVec3]| {
        let mut w = weightless();
        for (i, p) in bodies.iter().enumerate() {
            w.add(ball("x", *p).numbered(i as u64)).unwrap();
        }
        let report = w.step(H).unwrap();
        (report.counts.islands, report.counts.contacts)
    };
    let x = |x: f64| v(x, 0.0, 0.0);
    assert_eq!(count(&[]), (0, 0));
    assert_eq!(count(&[x(0.0)]), (0, 0));
    assert_eq!(count(&[x(0.0), x(1.0)]), (1, 1));
    assert_eq!(count(&[x(0.0), x(1.0), x(9.0), x(10.0)]), (2, 2));
    assert_eq!(count(&[x(0.0), x(1.0), x(2.0), x(3.0)]), (1, 3));
    assert_eq!(count(&[x(0.0), x(1.0), x(-1.0), v(0.0, 1.0, 0.0), v(0.0, -1.0, 0.0)]), (1, 4));
}

#[test]
fn islands_a_fixed_body_joins_nothing() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    for (name, place) in [("a", v(0.0, 0.0, 0.5)), ("b", v(0.0, 0.0, 1.5)), ("c", v(5.0, 0.0, 0.5))] {
        w.add(cube(name, place)).unwrap();
    }
    let report = w.step(H).unwrap();
    assert_eq!((report.counts.islands, report.counts.contacts), (2, 12));
}

#[test]
fn position_pass_of_depths_15_10_3_and_20_mm() {
    // A frictionless cube in a corner has one depth per wall; each is corrected by its own fraction.
    let stabilisation = Stabilisation::SplitImpulse { fraction: 0.2, slop: 5e-3, cap: 0.05 };
    let settings = Settings { gravity: DVec3::ZERO, stabilisation, ..Settings::default() };
    for (depth, gained) in [(15.0, 2.0), (10.0, 1.0), (3.0, 0.0), (20.0, 3.0)] {
        let mut w = World::new(settings).unwrap();
        add_floor(&mut w, 0.0, 0.0);
        let wall = Body::fixed(Shape::half_space(DVec3::X).unwrap()).material(surface(0.0, 0.0)).named("wall");
        w.add(wall).unwrap();
        let start = v(0.5 - 1e-3 * depth, 0.0, 0.5 - 0.5e-3 * depth);
        let b = w.add(cube("cube", start).material(surface(0.0, 0.0))).unwrap();
        w.step(H).unwrap();
        let other = 0.2 * (0.5 * depth - 5.0f64).max(0.0);
        close_vector(w.body(b).unwrap().position() - start, 1e-3 * v(gained, 0.0, other), 1e-9);
        assert_eq!(w.energy().kinetic(), 0.0);
    }
}

#[test]
fn warm_start_ten_kilograms_at_0501_do_not_tremble() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.501)).mass(10.0)).unwrap();
    run(&mut w, 50);
    let heights: Vec<f64> = (50..200)
        .map(|_| {
            step_checked(&mut w, H);
            w.body(b).unwrap().position().z
        })
        .collect();
    let mean = heights.iter().sum::<f64>() / heights.len() as f64;
    let variance = heights.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / heights.len() as f64;
    assert!(variance < 1e-8 && variance < 1e-18, "{variance:e} m²");
}

#[test]
fn warm_start_drops_from_three_and_from_one_and_a_half_metres() {
    for (height, fastest) in [(3.0, 1.2 * 7.67), (1.5, 5.43)] {
        let mut w = world();
        add_floor(&mut w, 0.5, 0.0);
        let b = w.add(cube("cube", v(0.0, 0.0, 0.5 + height)).mass(10.0)).unwrap();
        for _ in 0..150 {
            step_checked(&mut w, H);
            assert!(w.body(b).unwrap().velocity().length() < fastest);
        }
        assert!(w.body(b).unwrap().velocity().length() < 1e-6);
        close(w.body(b).unwrap().position().z, 0.5, 1e-6);
    }
}

#[test]
fn quaternion_stays_unit_over_ten_thousand_steps_under_torque() {
    let mut w = weightless();
    let b = w.add(cube("cube", DVec3::ZERO)).unwrap();
    for k in 0..10_000 {
        // 5 N·m to and fro, about axes that wander.
        let angle = 0.01 * f64::from(k);
        let sign = if k / 50 % 2 == 0 { 1.0 } else { -1.0 };
        w.add_torque(b, sign * 5.0 * v(angle.cos(), angle.sin(), 0.0)).unwrap();
        w.step(H).unwrap();
        let q = w.body(b).unwrap().orientation();
        assert!((q.length_squared() - 1.0).abs() < 1e-10);
    }
}

#[test]
fn pitch_of_ninety_degrees_is_nothing_special() {
    for pitch in [90.0f64, 89.999_999, 90.000_001, -90.0] {
        let mut w = world();
        add_floor(&mut w, 0.5, 0.3);
        let turn = DQuat::from_rotation_y(pitch.to_radians());
        w.add(cube("cube", v(0.0, 0.0, 1.0)).orientation(turn).spin(v(0.3, 0.2, 0.1))).unwrap();
        run(&mut w, 100);
        all_finite(&w);
    }
}

#[test]
fn distance_of_a_body_from_the_origin() {
    // |(3, 4, 0)| = 5: a rod of 5 is met; rods of 10 and 3 are violated and are pulled to their length.
    for length in [5.0, 10.0, 3.0] {
        let mut w = weightless();
        let b = w.add(ball("bob", v(3.0, 4.0, 0.0))).unwrap();
        w.add_joint(Joint::distance(b, DVec3::ZERO, DVec3::ZERO, length)).unwrap();
        run(&mut w, 60);
        close(w.body(b).unwrap().position().length(), length, 1e-9);
        close_vector(w.body(b).unwrap().position().normalize(), v(0.6, 0.8, 0.0), 1e-9);
        assert_eq!(w.energy().kinetic(), 0.0);
    }
}

#[test]
fn energy_that_no_entry_explains_is_told() {
    let mut books = EnergyLedger::default();
    books.before.linear = 100.0;
    books.after.linear = 101.0;
    close(books.closure(), 1.0, 1e-12);
    assert!(books.closure() > f64::max(1e-6 * books.before.total(), 1e-9));
    books.external = 1.0;
    close(books.closure(), 0.0, 1e-12);
}

//! What a certificate must not depend on, and what it says where the answer is known.

use crate::generated::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use signorini_problem::*;

/// Every residual by name.
fn residuals(c: &Certificate) -> [(&'static str, f64); 14] {
    [
        ("natural", c.natural),
        ("natural_rel", c.natural_rel),
        ("normal", c.normal),
        ("normal_rel", c.normal_rel),
        ("fclib_error", c.fclib_error),
        ("penetration_rate", c.penetration_rate),
        ("joint_rate", c.joint_rate),
        ("pull", c.pull),
        ("outside_cone", c.outside_cone),
        ("signorini", c.signorini),
        ("dissipation_defect", c.dissipation_defect),
        ("creep", c.creep),
        ("floor", c.floor),
        ("speed", c.speed),
    ]
}

fn assert_close(what: &str, a: f64, b: f64) {
    // Inputs are of order one: what cancels to less than 1e-12 is round-off on both sides.
    assert!((a - b).abs() <= 1e-9 * a.abs().max(b.abs()) + 1e-12, "{what}: {a} {b}");
}

/// The blocks in another order.
fn permuted(parts: &Parts, order: &[usize]) -> Parts {
    let offsets = parts.offsets();
    let mut new = Parts { blocks: vec![], bodies: vec![], jacobian: vec![], q: vec![], r: vec![], ..parts.clone() };
    for c in order {
        new.blocks.push(parts.blocks[*c]);
        new.bodies.push(parts.bodies[*c]);
        let range = offsets[*c]..offsets[c + 1];
        new.jacobian.extend_from_slice(&parts.jacobian[range.clone()]);
        new.q.extend_from_slice(&parts.q[range.clone()]);
        new.r.extend_from_slice(&parts.r[range]);
    }
    new
}

/// The tangents of every contact in space turned by an angle of its own.
fn turned(parts: &Parts, numbers: &mut Numbers) -> Parts {
    let mut new = parts.clone();
    for (block, row) in parts.blocks.iter().zip(parts.offsets()) {
        if !(matches!(block.law, Law::Coulomb { .. }) && block.rows == 3) {
            continue;
        }
        let [c, s] = numbers.direction();
        let turn = |x: f64, y: f64| (c * x + s * y, c * y - s * x);
        for k in 0..12 {
            (new.jacobian[row + 1][k], new.jacobian[row + 2][k]) =
                turn(parts.jacobian[row + 1][k], parts.jacobian[row + 2][k]);
        }
        (new.q[row + 1], new.q[row + 2]) = turn(parts.q[row + 1], parts.q[row + 2]);
        (new.r[row + 1], new.r[row + 2]) = turn(parts.r[row + 1], parts.r[row + 2]);
    }
    new
}

/// Other units of length, mass and time: numbers are multiplied as their units say.
fn in_units(parts: &Parts, length: f64, mass: f64, time: f64) -> Parts {
    let (speed, impulse) = (length / time, mass * length / time);
    let mut new = parts.clone();
    for m in &mut new.inverse_mass {
        for i in 0..6 {
            for j in 0..6 {
                m[i][j] /= mass * if i < 3 { 1.0 } else { length } * if j < 3 { 1.0 } else { length };
            }
        }
    }
    for row in &mut new.jacobian {
        for k in (3..6).chain(9..12) {
            row[k] *= length;
        }
    }
    new.q.iter_mut().for_each(|q| *q *= speed);
    new.r.iter_mut().for_each(|r| *r *= impulse);
    for block in &mut new.blocks {
        if let Law::Interval { lo, hi } = &mut block.law {
            *lo *= impulse;
            *hi *= impulse;
        }
    }
    new
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_blocks_does_not_matter(seed in any::<u64>()) {
        let parts = Parts::random(seed);
        let mut order: Vec<usize> = (0..parts.blocks.len()).collect();
        let mut numbers = Numbers::new(seed);
        (1..order.len()).rev().for_each(|i| order.swap(i, numbers.below(i + 1)));
        let a = certify(&parts.problem(), &parts.r).unwrap();
        let new = permuted(&parts, &order);
        let b = certify(&new.problem(), &new.r).unwrap();
        for ((name, x), (_, y)) in residuals(&a).into_iter().zip(residuals(&b)) {
            assert_close(name, x, y);
        }
        prop_assert_eq!(a.counts, b.counts);
        prop_assert_eq!(a.worst_block, b.worst_block.map(|c| order[c]));
    }

    #[test]
    fn the_choice_of_tangents_does_not_matter(seed in any::<u64>()) {
        let parts = Parts::random(seed);
        let new = turned(&parts, &mut Numbers::new(seed));
        // A dense W has the tangents in it; the factored form has them in J.
        for (p, n) in [(parts.problem(), new.problem()), (parts.dense(), new.dense())] {
            let (a, b) = (certify(&p, &parts.r).unwrap(), certify(&n, &new.r).unwrap());
            for ((name, x), (_, y)) in residuals(&a).into_iter().zip(residuals(&b)) {
                // Taken row by row: |q| changes by up to √2, and the bound |W||r| on what cancels has no invariant.
                if name == "speed" {
                    assert!(x <= 1.415 * y && y <= 1.415 * x, "{name}: {x} {y}");
                } else if name == "floor" {
                    assert!(x < 1e-13 && y < 1e-13, "{name}: {x} {y}");
                } else {
                    assert_close(name, x, y);
                }
            }
            prop_assert_eq!(a.counts, b.counts);
            prop_assert_eq!(a.worst_block, b.worst_block);
        }
    }

    #[test]
    fn units_do_not_matter(seed in any::<u64>(), length in -3.0..3.0f64, mass in -3.0..3.0f64, time in -3.0..3.0f64) {
        let (length, mass, time) = (10f64.powf(length), 10f64.powf(mass), 10f64.powf(time));
        let (speed, impulse) = (length / time, mass * length / time);
        let parts = Parts::random(seed);
        let new = in_units(&parts, length, mass, time);
        let (a, b) = (certify(&parts.problem(), &parts.r).unwrap(), certify(&new.problem(), &new.r).unwrap());
        for ((name, x), (_, y)) in residuals(&a).into_iter().zip(residuals(&b)) {
            let unit = match name {
                "natural_rel" | "normal_rel" => 1.0,
                "pull" | "outside_cone" => impulse,
                "signorini" | "dissipation_defect" => impulse * speed,
                "fclib_error" => continue,
                _ => speed,
            };
            assert_close(name, x, y / unit);
        }
        prop_assert_eq!(a.counts, b.counts);
        prop_assert_eq!(a.worst_block, b.worst_block);
    }

    #[test]
    fn the_form_of_the_operator_does_not_matter(seed in any::<u64>()) {
        let parts = Parts::random(seed);
        let a = certify(&parts.problem(), &parts.r).unwrap();
        for problem in [parts.dense(), parts.block_sparse(0.0)] {
            let b = certify(&problem, &parts.r).unwrap();
            for ((name, x), (_, y)) in residuals(&a).into_iter().zip(residuals(&b)) {
                if name == "floor" {
                    // |J||M⁻¹||Jᵀ| bounds |W| from above.
                    assert!(y <= x * (1.0 + 1e-12), "{x} {y}");
                } else {
                    assert_close(name, x, y);
                }
            }
            prop_assert_eq!(a.counts, b.counts);
        }
    }

    #[test]
    fn a_constructed_solution_is_one(seed in any::<u64>()) {
        let parts = Parts::solved(seed);
        // q was made with the factored form, so that one differs from zero by the rounding of one sum.
        let c = certify(&parts.problem(), &parts.r).unwrap();
        prop_assert!(c.meets(&Tolerance::velocity(0.0)) && c.meets(&Tolerance::relative(0.0)), "{:?}", c);
        for problem in [parts.problem(), parts.dense(), parts.block_sparse(0.0)] {
            let c = certify(&problem, &parts.r).unwrap();
            for (name, x) in residuals(&c).into_iter().take(12) {
                prop_assert!(x < 1e-13, "{} {:?}", name, c);
            }
            prop_assert!(c.meets(&Tolerance::velocity(1e-12)) && c.meets(&Tolerance::relative(1e-12)), "{:?}", c);
        }
    }

    #[test]
    fn signorini_by_itself_is_at_most_the_natural_map_times_the_slope(seed in any::<u64>(), mu in 0.0..20.0f64) {
        // |min(w r_N, u_N)| ≤ √(1 + μ²) |F|: with p = w r − F ∈ K, y = û − F ∈ K*, p ⊥ y.
        let mut n = Numbers::new(seed);
        let q = vec![n.within(-1.0, 1.0), n.within(-1.0, 1.0), n.within(-1.0, 1.0)];
        let r = [n.within(-1.0, 2.0), n.within(-2.0, 2.0), n.within(-2.0, 2.0)];
        let c = certify(&mass_point(Block::contact(mu), 1.0, q), &r).unwrap();
        prop_assert!(c.normal <= (1.0 + mu * mu).sqrt() * c.natural * (1.0 + 1e-12), "{:?}", c);
    }
}

/// One block over a mass point: W = 1/m.
fn mass_point(block: Block, mass: f64, q: Vec<f64>) -> ContactProblem {
    let n = block.rows;
    let w = (0..n * n).map(|k| if k % (n + 1) == 0 { 1.0 / mass } else { 0.0 }).collect();
    ContactProblem::new(vec![block], Delassus::Dense(DenseDelassus::new(n, w)), q, Symmetry::Exact).unwrap()
}

#[test]
fn one_block_solved_on_paper_has_residual_zero() {
    let infinity = f64::INFINITY;
    // Block, q [m/s], r [N·s] for a mass of 2 kg.
    let cases: [(&str, Block, &[f64], &[f64]); 20] = [
        ("open", Block::contact(0.5), &[1.0, 3.0, -2.0], &[0.0, 0.0, 0.0]),
        ("open, no slip", Block::contact(0.5), &[1.0, 0.0, 0.0], &[0.0, 0.0, 0.0]),
        ("touching", Block::contact(0.5), &[0.0, 0.0, 0.0], &[0.0, 0.0, 0.0]),
        ("grazing", Block::contact(0.5), &[0.0, 3.0, 4.0], &[0.0, 0.0, 0.0]),
        ("stick", Block::contact(0.5), &[-1.0, 0.125, 0.25], &[2.0, -0.25, -0.5]),
        ("slip", Block::contact(0.5), &[-1.0, 3.0, 4.0], &[2.0, -0.6, -0.8]),
        ("planar open", Block::planar_contact(0.5), &[1.0, -3.0], &[0.0, 0.0]),
        ("planar stick", Block::planar_contact(0.5), &[-1.0, 0.25], &[2.0, -0.5]),
        ("planar slip", Block::planar_contact(0.5), &[-1.0, -3.0], &[2.0, 1.0]),
        ("frictionless open", Block::contact(0.0), &[1.0, 0.0, 0.0], &[0.0, 0.0, 0.0]),
        ("frictionless open, moving", Block::contact(0.0), &[1.0, 3.0, 4.0], &[0.0, 0.0, 0.0]),
        ("frictionless closed", Block::contact(0.0), &[-1.0, 0.0, 0.0], &[2.0, 0.0, 0.0]),
        ("frictionless closed, moving", Block::contact(0.0), &[-1.0, 3.0, 4.0], &[2.0, 0.0, 0.0]),
        ("non-negative open", Block::normal(), &[1.0], &[0.0]),
        ("non-negative closed", Block::normal(), &[-1.0], &[2.0]),
        ("joint", Block::joint(3), &[-1.0, 2.0, 0.5], &[2.0, -4.0, -1.0]),
        ("interval inside", Block::interval(-1.0, infinity), &[-1.0], &[2.0]),
        ("interval at its lower bound", Block::interval(1.0, infinity), &[1.0], &[1.0]),
        ("interval at its upper bound", Block::interval(-infinity, 1.0), &[-1.0], &[1.0]),
        ("interval of one point", Block::interval(1.0, 1.0), &[5.0], &[1.0]),
    ];
    for (name, block, q, r) in cases {
        let problem = mass_point(block, 2.0, q.to_vec());
        let c = certify(&problem, r).unwrap();
        for (what, x) in residuals(&c).into_iter().take(12) {
            assert!(x < 1e-15, "{name}: {what} {x}");
        }
        assert!(c.meets(&Tolerance::velocity(0.0)) && c.meets(&Tolerance::relative(0.0)), "{name}: {c:?}");
        // Any other impulse is none: W is regular, so the solution is unique unless the bounds leave no choice.
        for k in 0..r.len() {
            for step in [1e-6, -1e-6] {
                let mut other = r.to_vec();
                other[k] += step;
                let c = certify(&problem, &other).unwrap();
                assert!(c.natural > 1e-7, "{name}: impulse {k} off by {step}: {c:?}");
                assert!(!c.meets(&Tolerance::velocity(1e-8)), "{name}: {c:?}");
            }
        }
    }
}

#[test]
fn residuals_of_wrong_answers_are_those_computed_by_hand() {
    // 1 kg, so u = r + q, and w = 1. Inside the cone the natural map is û: (1 + ½·5, 3, 4).
    let problem = mass_point(Block::contact(0.5), 1.0, vec![-29.0, 3.0, 4.0]);
    let c = certify(&problem, &[30.0, 0.0, 0.0]).unwrap();
    assert!((c.natural - (3.5f64 * 3.5 + 25.0).sqrt()).abs() < 1e-14, "{c:?}");
    assert_eq!((c.normal, c.signorini, c.penetration_rate, c.pull), (1.0, 30.0, 0.0, 0.0));
    assert_eq!((c.dissipation_defect, c.creep, c.outside_cone), (75.0, 5.0, 0.0));
    assert_eq!(c.counts, Counts { stick: 1, ..Counts::default() });
    // Nearly no load: what counts as creep is bounded by the load that is left, ½·1 N·s.
    let c = certify(&mass_point(Block::contact(0.5), 1.0, vec![-1.0, 3.0, 4.0]), &[1.0, 0.0, 0.0]).unwrap();
    assert_eq!((c.creep, c.normal), (0.5, 0.0));
    // Where the projection is the apex, the natural map is w r: sliding away with an impulse left over.
    let c = certify(&mass_point(Block::contact(0.5), 2.0, vec![9.0, 0.0, 0.0]), &[2.0, 0.0, 0.0]).unwrap();
    assert_eq!((c.natural, c.normal, c.signorini), (1.0, 1.0, 20.0));
    // On the surface, μ = 1: z = (1 − 0 − 1, −1 − 1) = (0, −2), its foot is (1, −1), which is w r less (0, 0) — solved.
    // With u_N = 1 instead the foot is (½, −½): off by √½.
    let c = certify(&mass_point(Block::planar_contact(1.0), 1.0, vec![-1.0, 2.0]), &[1.0, -1.0]).unwrap();
    assert_eq!(c.natural, 0.0);
    let c = certify(&mass_point(Block::planar_contact(1.0), 1.0, vec![0.0, 2.0]), &[1.0, -1.0]).unwrap();
    assert!((c.natural - 0.5f64.sqrt()).abs() < 1e-15, "{c:?}");
    // Outside the cone by 3 N·s, and outside an interval by 2 N·s.
    let c = certify(&mass_point(Block::contact(0.5), 1.0, vec![0.0; 3]), &[4.0, 3.0, 4.0]).unwrap();
    assert_eq!(c.outside_cone, 3.0);
    let c = certify(&mass_point(Block::interval(-1.0, 1.0), 1.0, vec![3.0]), &[-3.0]).unwrap();
    assert_eq!((c.outside_cone, c.natural), (2.0, 2.0));
}

#[test]
fn every_law_says_what_cannot_be_evaluated() {
    let infinity = f64::INFINITY;
    let lost = |block: Block| {
        let problem = mass_point(block, 1.0, vec![0.0; block.rows]);
        certify(&problem, &vec![f64::NAN; block.rows]).unwrap()
    };
    assert_eq!(lost(Block::joint(2)).joint_rate, infinity);
    assert_eq!(lost(Block::interval(-1.0, 1.0)).outside_cone, infinity);
    for c in [lost(Block::normal()), lost(Block::contact(0.5)), lost(Block::planar_contact(0.5))] {
        assert_eq!((c.penetration_rate, c.pull, c.signorini), (infinity, infinity, infinity));
    }
    let c = lost(Block::contact(0.5));
    assert_eq!((c.outside_cone, c.dissipation_defect), (infinity, infinity));
}

#[test]
fn states_are_counted() {
    let count = |block, q: &[f64], r: &[f64]| certify(&mass_point(block, 2.0, q.to_vec()), r).unwrap().counts;
    let none = Counts::default();
    assert_eq!(count(Block::contact(0.5), &[1.0, 0.0, 0.0], &[0.0; 3]), Counts { open: 1, ..none });
    assert_eq!(count(Block::contact(0.5), &[-1.0, 0.1, 0.0], &[2.0, -0.2, 0.0]), Counts { stick: 1, ..none });
    assert_eq!(count(Block::contact(0.5), &[-1.0, 3.0, 0.0], &[2.0, -1.0, 0.0]), Counts { slip: 1, ..none });
    assert_eq!(count(Block::normal(), &[-1.0], &[2.0]), Counts { slip: 1, ..none });
    assert_eq!(count(Block::joint(2), &[-1.0, 0.0], &[2.0, 0.0]), Counts { joint: 1, ..none });
    assert_eq!(count(Block::interval(0.0, 9.0), &[-1.0], &[2.0]), Counts { free: 1, ..none });
    assert_eq!(count(Block::interval(0.0, 2.0), &[-3.0], &[2.0]), Counts { bound: 1, ..none });
}

#[test]
fn what_cannot_be_evaluated_is_infinitely_wrong_and_never_nan() {
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 1e200, -1e200, f64::MAX, 1e-310];
    for seed in 0..60 {
        let parts = Parts::solved(seed);
        for problem in [parts.problem(), parts.dense(), parts.block_sparse(0.0)] {
            for row in 0..parts.r.len() {
                for value in values {
                    let mut r = parts.r.clone();
                    r[row] = value;
                    let c = certify(&problem, &r).unwrap();
                    for (name, x) in residuals(&c) {
                        assert!(!x.is_nan(), "seed {seed}, r[{row}] = {value}: {name}");
                    }
                    assert!(!c.floor_rel.is_nan());
                    if !value.is_finite() {
                        assert!(c.natural.is_infinite() && c.natural_rel.is_infinite() && c.fclib_error.is_infinite());
                        assert!(c.worst_block.is_some());
                        assert!(!c.meets(&Tolerance::velocity(f64::INFINITY)));
                        assert!(!c.meets(&Tolerance::relative(f64::INFINITY)));
                    }
                    if value.abs() > 1.0 || value.is_nan() {
                        assert!(!c.meets(&Tolerance::velocity(1e-3)), "seed {seed}, r[{row}] = {value}: {c:?}");
                        assert!(!c.meets(&Tolerance::relative(1e-3)), "seed {seed}, r[{row}] = {value}: {c:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn units_so_small_or_large_that_squares_leave_the_range_do_not_matter() {
    // r = 0 leaves an approach of all of q: relative error one, whatever the unit.
    for unit in [1e-300, 1e-170, 1.0, 1e170, 1e300] {
        let c = certify(&mass_point(Block::contact(0.5), 1.0, vec![-3.0 * unit, 0.0, 0.0]), &[0.0; 3]).unwrap();
        assert!((c.natural_rel - 1.0).abs() < 1e-15 && (c.fclib_error - 1.0).abs() < 1e-15, "{c:?}");
        assert!(!c.meets(&Tolerance::relative(0.5)));
        let exact = [3.0 * unit, 0.0, 0.0];
        let c = certify(&mass_point(Block::contact(0.5), 1.0, vec![-3.0 * unit, 0.0, 0.0]), &exact).unwrap();
        assert_eq!((c.natural_rel, c.fclib_error), (0.0, 0.0));
    }
}

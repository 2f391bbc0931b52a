//! Wrong answers that look right: each must be refused.

use crate::generated::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use signorini_problem::*;

fn dense(blocks: Vec<Block>, w: Vec<f64>, q: Vec<f64>, symmetry: Symmetry) -> ContactProblem {
    ContactProblem::new(blocks, Delassus::Dense(DenseDelassus::new(q.len(), w)), q, symmetry).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// Every single impulse of an exact answer, of every law, moved until the residual is twice the tolerance.
    #[test]
    fn certificate_tampered_by_twice_the_tolerance_is_rejected(seed in any::<u64>(), exponent in -10..-3i32) {
        let parts = Parts::solved(seed);
        let problem = parts.problem();
        let unit = problem.speed().max(1.0);
        let tolerance = Tolerance::velocity(10f64.powi(exponent));
        prop_assert!(certify(&problem, &parts.r).unwrap().meets(&tolerance));
        let mut certifier = Certifier::default();
        for row in 0..parts.r.len() {
            for sign in [1.0, -1.0] {
                let target = 2.0 * tolerance.value * unit;
                let mut tampered = |step: f64| {
                    let mut r = parts.r.clone();
                    r[row] += sign * step;
                    certifier.certify(&problem, &r).unwrap()
                };
                // The residual grows with the step: double until it is past, then bisect.
                let mut high = 0.01 * target;
                while tampered(high).natural < target {
                    high *= 2.0;
                    prop_assert!(high < 1e6 * target, "impulse {} can be moved unseen", row);
                }
                let mut low = 0.0;
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if tampered(middle).natural < target { low = middle } else { high = middle }
                }
                let c = tampered(high);
                prop_assert!(c.natural < 1.01 * target || c.natural < 1e-14 + target, "{:?}", c);
                prop_assert!(!c.meets(&tolerance), "impulse {}: {:?}", row, c);
                // Half the tolerance is accepted: the verdict turns where it should.
                let mut low = 0.0;
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if tampered(middle).natural < 0.25 * target { low = middle } else { high = middle }
                }
                prop_assert!(tampered(low).meets(&tolerance), "impulse {}", row);
            }
        }
    }
}

#[test]
fn an_impulse_that_blows_up_the_floor_does_not_hide_its_error() {
    // A mass of 1 kg between two walls drifts into one of them at 1 mm/s. Any squeeze (k, k) leaves it as it is.
    let w = vec![1.0, -1.0, -1.0, 1.0];
    let problem = dense(vec![Block::normal(), Block::normal()], w, vec![-1e-3, 1e-3], Symmetry::Exact);
    for k in [0.0, 1.0, 1e6, 1e12, 2f64.powi(70), 1e100, 1e300] {
        let c = certify(&problem, &[k, k]).unwrap();
        assert!(c.natural >= 1e-3, "{c:?}");
        assert!(!c.meets(&Tolerance::velocity(1e-9)) && !c.meets(&Tolerance::relative(1e-9)), "{k}: {c:?}");
    }
    // The floor alone would have let it pass.
    let c = certify(&problem, &[2f64.powi(70); 2]).unwrap();
    assert!(3.0 * c.floor > c.natural, "{c:?}");
    // The answer, with a moderate squeeze, is accepted even at tolerance zero.
    assert!(certify(&problem, &[1e-3 + 1.0, 1.0]).unwrap().meets(&Tolerance::velocity(0.0)));
}

#[test]
fn round_off_excuses_no_more_than_a_hundred_millionth_of_the_speed() {
    let w = vec![1.0, -1.0, -1.0, 1.0];
    // A squeeze of 3e8 N·s: three times the floor is 2e-7 m/s.
    let k = 3e8;
    let squeezed = |error: f64| dense(vec![Block::normal(); 2], w.clone(), vec![-error, error], Symmetry::Exact);
    let c = certify(&squeezed(5e-9), &[k, k]).unwrap();
    assert!(3.0 * c.floor > 1e-7 && c.natural == 5e-9, "{c:?}");
    assert!(c.meets(&Tolerance::velocity(0.0)), "{c:?}");
    assert!(!certify(&squeezed(2e-8), &[k, k]).unwrap().meets(&Tolerance::velocity(0.0)));
    assert!(certify(&squeezed(2e-8), &[k, k]).unwrap().meets(&Tolerance::velocity(1e-7)));
}

#[test]
fn a_tolerance_of_zero_stops_at_the_round_off_floor() {
    // A heavy block on a light one, mass ratio 1e6: u is a difference of numbers a million times larger than it.
    let (heavy, light, step) = (1e6, 1.0, 9.81 / 60.0);
    let w = vec![1.0 / light, -1.0 / light, -1.0 / light, 1.0 / light + 1.0 / heavy];
    let problem = dense(vec![Block::normal(); 2], w, vec![-step, 0.0], Symmetry::Exact);
    let r = [(heavy + light) * step, heavy * step];
    let c = certify(&problem, &r).unwrap();
    assert!(c.natural <= 3.0 * c.floor && c.floor < 1e-9, "{c:?}");
    assert!(c.meets(&Tolerance::velocity(0.0)) && c.meets(&Tolerance::velocity(1e-300)), "{c:?}");
    // One part in 10⁹ more of the heavy impulse is far above the floor, and far above 1e-9 m/s.
    let c = certify(&problem, &[r[0], r[1] * (1.0 + 1e-9)]).unwrap();
    assert!(!c.meets(&Tolerance::velocity(0.0)) && !c.meets(&Tolerance::velocity(1e-9)), "{c:?}");
}

#[test]
fn nonsensical_tolerances_accept_nothing_more_than_zero_does() {
    let problem = dense(vec![Block::normal()], vec![1.0], vec![-1.0], Symmetry::Exact);
    for value in [f64::NAN, -1.0, f64::NEG_INFINITY] {
        for (r, expected) in [(1.0, true), (1.0 + 1e-12, false)] {
            let c = certify(&problem, &[r]).unwrap();
            assert_eq!(c.meets(&Tolerance::velocity(value)), expected);
            assert_eq!(c.meets(&Tolerance::relative(value)), expected);
        }
    }
}

#[test]
fn high_friction_does_not_hide_an_approach() {
    // Sliding at 1 m/s and approaching, without any impulse: the natural map shows the approach divided by √(1 + μ²).
    for mu in [1e3, 1e6, 1e9, 1e12, 1e17, 1e100, 1e200] {
        let w = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let problem = dense(vec![Block::contact(mu)], w, vec![-1e-3, 1.0, 0.0], Symmetry::Exact);
        let c = certify(&problem, &[0.0; 3]).unwrap();
        assert_eq!(c.penetration_rate, 1e-3);
        // Seen all the same, also where u_N would be lost in μ‖u_T‖.
        if mu < 1e150 {
            let expected = 1e-3 / (1.0 + mu * mu).sqrt();
            assert!((c.natural - expected).abs() < 1e-9 * expected, "{mu}: {c:?}");
        }
        assert!(!c.meets(&Tolerance::velocity(1e-6)), "{mu}: {c:?}");
        assert!(!c.meets(&Tolerance::relative(1e-6)), "{mu}: {c:?}");
        // The answer: r_N = 1e-3 N·s holds nearly all of the slip or all of it.
        let friction = f64::min(1.0, mu * 1e-3);
        let c = certify(&problem, &[1e-3, -friction, 0.0]).unwrap();
        assert!(c.meets(&Tolerance::velocity(1e-12)), "{mu}: {c:?}");
    }
}

#[test]
fn frictionless_contacts_with_no_tangential_motion_must_not_pull() {
    let w = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let problem = dense(vec![Block::contact(0.0)], w, vec![1.0, 0.0, 0.0], Symmetry::Exact);
    // Separating at 1 m/s; an adhesive impulse that stops it is no answer.
    let c = certify(&problem, &[-1.0, 0.0, 0.0]).unwrap();
    assert!(c.natural == 1.0 && c.pull == 1.0 && !c.meets(&Tolerance::velocity(0.5)), "{c:?}");
    assert_eq!(certify(&problem, &[0.0; 3]).unwrap().natural, 0.0);
}

#[test]
fn a_zero_diagonal_does_not_hide_the_impulse() {
    // w = M z + q with z = (1, 0) gives w = (1, 0): z₁ w₁ = 1.
    let m = vec![0.0, 1.0, -1.0, 0.0];
    let problem = dense(vec![Block::normal(); 2], m, vec![1.0, 1.0], Symmetry::General);
    let c = certify(&problem, &[1.0, 0.0]).unwrap();
    assert!(c.natural >= 1.0 && !c.meets(&Tolerance::velocity(0.1)), "{c:?}");
    assert!(certify(&problem, &[0.0, 0.0]).unwrap().meets(&Tolerance::velocity(0.0)));
    // A tiny diagonal is as bad as none.
    let m = vec![1e-20, 1.0, -1.0, 1e-20];
    let problem = dense(vec![Block::normal(); 2], m, vec![1.0, 1.0], Symmetry::General);
    assert!(!certify(&problem, &[1.0, 0.0]).unwrap().meets(&Tolerance::velocity(0.1)));
    // Two fixed bodies that separate, and a motor without inertia: an impulse there is wrong too.
    for block in [Block::contact(0.5), Block::normal(), Block::interval(-1.0, 0.5)] {
        let n = block.rows;
        let problem = dense(vec![block], vec![0.0; n * n], vec![1.0; n], Symmetry::Exact);
        let mut r = vec![0.0; n];
        r[0] = 2.0;
        let c = certify(&problem, &r).unwrap();
        assert!(c.natural >= 1.0, "{block:?}: {c:?}");
    }
}

#[test]
fn an_error_in_one_contact_of_many_is_found_where_it_is() {
    // 1000 mass points at rest on the floor, one of them a little off.
    let n = 1000;
    let offsets: Vec<usize> = (0..=n).map(|c| 3 * c).collect();
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let w = BlockSparseDelassus::new(&offsets, (0..=n).collect(), (0..n).collect(), identity.repeat(n)).unwrap();
    let problem = ContactProblem::new(
        vec![Block::contact(0.5); n],
        Delassus::BlockSparse(w),
        [-1.0, 0.1, 0.0].repeat(n),
        Symmetry::Exact,
    )
    .unwrap();
    let mut r = [1.0, -0.1, 0.0].repeat(n);
    let c = certify(&problem, &r).unwrap();
    assert_eq!((c.natural, c.worst_block, c.counts.stick), (0.0, None, n));
    r[3 * 617 + 2] += 3e-9;
    let c = certify(&problem, &r).unwrap();
    assert_eq!(c.worst_block, Some(617));
    assert!(!c.meets(&Tolerance::velocity(1e-9)), "{c:?}");
}

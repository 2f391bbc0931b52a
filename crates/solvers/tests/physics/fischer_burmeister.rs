//! Fischer–Burmeister: Coulomb's law to round-off on small problems of every law, and honesty where it fails.

use crate::family_support::*;
use signorini_problem::{
    Block, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, Law, Symmetry, Tolerance, certify,
};
use signorini_solvers::fischer_burmeister::{FischerBurmeister, FischerBurmeisterOptions};
use signorini_solvers::{FlowRule, SolveError, Status, StoppingRule, solve};

#[test]
fn cone_solver_set_is_coulombs() {
    for (mu, b, expected) in [
        (0.0, [30.0, 5.0, -3.0], [15.0, 0.0, 0.0]),
        (0.5, [30.0, -4.0, 0.0], [15.0, -2.0, 0.0]),
        (0.3, [30.0, 20.0, 0.0], [15.0, 4.5, 0.0]),
        (0.3, [0.001, 10.0, 0.0], [5e-4, 1.5e-4, 0.0]),
        (0.5, [30.0, 9.0, 12.0], [15.0, 4.5, 6.0]),
        (0.3, [-1.0, 10.0, 0.0], [0.0, 0.0, 0.0]),
        (1e-9, [30.0, 20.0, 0.0], [15.0, 1.5e-8, 0.0]),
        (50.0, [30.0, 20.0, -8.0], [15.0, 10.0, -4.0]),
    ] {
        let problem = diagonal(mu, b);
        let solution = run(&problem, &mut FischerBurmeister::default(), 1e-11);
        assert_eq!(solution.status, Status::Solved, "{mu} {b:?} {:?}", solution.certificate);
        assert_close(&solution.impulses, &expected, 1e-8);
        assert!(solution.certificate.natural < 1e-8);
    }
}

#[test]
fn two_contacts_with_different_friction() {
    let mut w = vec![0.0; 36];
    for i in 0..6 {
        w[7 * i] = 2.0;
    }
    let problem = dense(vec![Block::contact(0.8), Block::contact(0.2)], w, vec![-30.0, -8.0, 0.0, -30.0, -8.0, 0.0]);
    let solution = run(&problem, &mut FischerBurmeister::default(), 1e-11);
    assert_close(&solution.impulses, &[15.0, 4.0, 0.0, 15.0, 3.0, 0.0], 1e-9);
}

/// spec D17, with the flow rule as an option: the same equations without the shift are the convex model's.
#[test]
fn the_associated_flow_lifts() {
    let problem = diagonal(0.3, [30.0, 20.0, 0.0]);
    let mut solver = FischerBurmeister::new(FischerBurmeisterOptions {
        flow: FlowRule::Associated,
        ..FischerBurmeisterOptions::default()
    });
    let solution = run(&problem, &mut solver, 1e-11);
    assert_close(&solution.impulses, &[18.0 / 1.09, 5.4 / 1.09, 0.0], 1e-9);
    assert!(FlowRule::Associated.residual(&problem, &solution.impulses) < 1e-10);
    assert_eq!(solution.status, Status::Unsolved);
}

fn kicked(masses: &[f64], mu: f64) -> Column {
    let mut column = Column::at_rest(masses, mu);
    let body = masses.len() / 2;
    column.velocities[body] = [1.0, -0.5, -0.2, 0.3, 0.1, 0.8];
    column
}

#[test]
fn columns_are_certified() {
    let mut sliding = Column::at_rest(&[1.0], 0.5);
    sliding.velocities[0] = [2.0, 0.7, 0.0, 0.0, 0.0, 0.3];
    let columns = [
        ("rest", Column::at_rest(&[1.0; 5], 0.5)),
        ("ratio 1e3", Column::at_rest(&[1.0, 1e3, 1.0], 0.5)),
        ("ratio 1e6", Column::at_rest(&[1.0, 1e6], 0.5)),
        ("sliding", sliding),
        ("kicked", kicked(&[1.0, 2.0, 1.0], 0.4)),
        ("kicked 5", kicked(&[1.0; 5], 0.6)),
    ];
    for (name, column) in columns {
        let problem = column.build();
        let solution = run(&problem, &mut FischerBurmeister::default(), 1e-9);
        assert_eq!(solution.status, Status::Solved, "{name}: {:?} {:?}", solution.certificate, solution.effort);
        assert!(solution.effort.iterations <= 100, "{name}: {:?}", solution.effort);
    }
}

#[test]
fn joints_intervals_and_contacts_share_the_solve() {
    let mut column = Column::at_rest(&[1.0, 1.0], 0.5);
    column.velocities[1] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let problem = column.build_with(vec![
        (1, Law::Equality, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
        (1, Law::Interval { lo: -0.01, hi: 0.02 }, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        (0, Law::Interval { lo: f64::NEG_INFINITY, hi: 0.0 }, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        (0, Law::NonNegative, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ]);
    let solution = run(&problem, &mut FischerBurmeister::default(), 1e-10);
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.certificate);
    assert!((solution.impulses[25] + 0.01).abs() < 1e-9);
}

#[test]
fn intervals_alone_have_answers_from_paper() {
    // u = 2 r + q, clamped: inside, at either bound, a fixed impulse, and no bounds at all.
    let cases = [(-1.0, 2.0, -3.0, 1.5), (-1.0, 1.0, -3.0, 1.0), (-1.0, 1.0, 3.0, -1.0), (0.5, 0.5, -3.0, 0.5)];
    for (lo, hi, q, expected) in cases {
        let problem = dense(vec![Block::interval(lo, hi)], vec![2.0], vec![q]);
        let solution = run(&problem, &mut FischerBurmeister::default(), 1e-12);
        assert_close(&solution.impulses, &[expected], 1e-9);
    }
    let free = dense(vec![Block::interval(f64::NEG_INFINITY, f64::INFINITY)], vec![2.0], vec![-3.0]);
    assert_close(&run(&free, &mut FischerBurmeister::default(), 1e-12).impulses, &[1.5], 1e-12);
}

#[test]
fn a_linear_complementarity_problem_need_not_be_symmetric() {
    // 0 ≤ z ⊥ M z + q ≥ 0 with M = [[2, 1], [−1, 2]], q = (−3, −1): both positive, M z = (3, 1).
    let w = Delassus::Dense(DenseDelassus::new(2, vec![2.0, 1.0, -1.0, 2.0]));
    let blocks = vec![Block::normal(), Block::normal()];
    let problem = ContactProblem::new(blocks, w, vec![-3.0, -1.0], Symmetry::General).unwrap();
    let solution = run(&problem, &mut FischerBurmeister::default(), 1e-12);
    assert_close(&solution.impulses, &[1.0, 1.0], 1e-10);
}

#[test]
fn the_merit_falls_at_equal_smoothing() {
    let problem = kicked(&[1.0, 2.0, 1.0], 0.4).build();
    let mut solver = FischerBurmeister::default();
    run(&problem, &mut solver, 1e-10);
    let merits = solver.merits();
    assert!(merits.len() > 5);
    for pair in merits.windows(2) {
        assert!(pair[0].0 != pair[1].0 || pair[1].1 < pair[0].1, "{pair:?}");
    }
}

#[test]
fn too_large_is_a_typed_error() {
    let problem = Column::at_rest(&[1.0; 3], 0.5).build();
    let mut solver =
        FischerBurmeister::new(FischerBurmeisterOptions { max_rows: 35, ..FischerBurmeisterOptions::default() });
    let error = solve(&problem, &mut solver, None, &StoppingRule::default()).unwrap_err();
    assert_eq!(error, SolveError::TooLarge { method: "fischer-burmeister", rows: 36, limit: 35 });
}

#[test]
fn a_problem_without_a_solution_ends_feasible_and_unsolved() {
    // No inertia and an approach speed: no impulse can stop it.
    let problem = dense(vec![Block::normal()], vec![0.0], vec![-1.0]);
    let solution = run(&problem, &mut FischerBurmeister::default(), 1e-9);
    assert_eq!(solution.status, Status::Unsolved);
    // Two joints that contradict each other.
    let problem = dense(vec![Block::joint(2)], vec![1.0, 1.0, 1.0, 1.0], vec![1.0, -1.0]);
    let solution = run(&problem, &mut FischerBurmeister::default(), 1e-9);
    assert_eq!(solution.status, Status::Unsolved);
    assert!((solution.certificate.joint_rate - 2f64.sqrt()).abs() < 1e-6);
}

#[test]
fn random_mixtures_are_certified() {
    let mut random = Random::new(53);
    let mut failed = 0;
    for _ in 0..400 {
        let problem = mixture(&mut random, 0.8);
        let solution = run(&problem, &mut FischerBurmeister::default(), 1e-9);
        failed += usize::from(solution.status != Status::Solved);
    }
    assert_eq!(failed, 0, "of 400 unsolved");
}

#[test]
fn strong_friction_is_certified() {
    // μ up to 3. From the guess alone the smoothed path folds on 13 of these; the second start solves them.
    let mut random = Random::new(71);
    let alone = FischerBurmeisterOptions { max_restarted_rows: 0, ..FischerBurmeisterOptions::default() };
    let (mut folded, mut failed) = (0, 0);
    for _ in 0..1000 {
        let problem = mixture(&mut random, 3.0);
        folded += usize::from(run(&problem, &mut FischerBurmeister::new(alone), 1e-9).status != Status::Solved);
        failed += usize::from(run(&problem, &mut FischerBurmeister::default(), 1e-9).status != Status::Solved);
    }
    assert_eq!(failed, 0, "of 1000 unsolved");
    assert!((1..=20).contains(&folded), "{folded}");
}

#[test]
fn the_guess_that_solves_takes_no_step() {
    let problem = kicked(&[1.0, 2.0, 1.0], 0.4).build();
    let first = run(&problem, &mut FischerBurmeister::default(), 1e-10);
    let stop = StoppingRule::velocity(1e-8);
    let again = solve(&problem, &mut FischerBurmeister::default(), Some(&first.impulses), &stop).unwrap();
    assert_eq!(again.effort.iterations, 0);
    assert_eq!(again.impulses, first.impulses);
}

#[test]
fn contacts_in_another_order_move_the_bodies_the_same_way() {
    // Four legs and a slide: neither r nor the motion is unique, yet the smoothed path ends in one place. Not to
    // round-off: directions that change no velocity carry it over the smallest smoothing. Of the 24 orders of the legs the
    // largest difference is 1.5e-6 m/s, with any elimination.
    let mut column = Column::at_rest(&[1.0], 0.5);
    column.velocities[0] = [2.0, 0.7, 0.0, 0.0, 0.0, 1.5];
    let problem = column.build();
    let straight = run(&problem, &mut FischerBurmeister::default(), 1e-12);
    let Delassus::Factored(w) = problem.delassus() else { panic!("factored") };
    for k in 0..24 {
        // The k-th order: each digit of k takes one of the legs that are left.
        let mut left = vec![0, 1, 2, 3];
        let order = [k / 6, k / 2 % 3, k % 2, 0].map(|place| left.remove(place));
        let rows = order.iter().flat_map(|c| w.jacobian()[3 * c..3 * c + 3].to_vec()).collect();
        let q = order.iter().flat_map(|c| problem.q()[3 * c..3 * c + 3].to_vec()).collect();
        let turned = FactoredDelassus::new(w.inverse_mass().to_vec(), w.bodies().to_vec(), rows);
        let turned =
            ContactProblem::new(problem.blocks().to_vec(), Delassus::Factored(turned), q, Symmetry::Exact).unwrap();
        let permuted = run(&turned, &mut FischerBurmeister::default(), 1e-12);
        assert_close(&body_velocity(&turned, &permuted.impulses), &body_velocity(&problem, &straight.impulses), 3e-6);
    }
}

#[test]
fn answers_are_feasible_at_every_cap_and_from_any_guess() {
    let mut random = Random::new(59);
    for _ in 0..150 {
        let problem = mixture(&mut random, 3.0);
        let guess: Vec<f64> = (0..problem.rows()).map(|_| 3.0 * random.signed()).collect();
        for cap in [0, 1, 2, 7] {
            let stop = StoppingRule { max_iterations: Some(cap), ..StoppingRule::velocity(1e-13) };
            let solution = solve(&problem, &mut FischerBurmeister::default(), Some(&guess), &stop).unwrap();
            assert_feasible(&problem, &solution.impulses);
        }
    }
}

#[test]
fn slipping_friction_is_antiparallel_to_slip() {
    let mut column = Column::at_rest(&[1.0], 0.5);
    column.velocities[0] = [2.0, 0.7, 0.0, 0.0, 0.0, 0.0];
    let problem = column.build();
    let solution = run(&problem, &mut FischerBurmeister::default(), 1e-12);
    assert!(certify(&problem, &solution.impulses).unwrap().meets(&Tolerance::velocity(1e-10)));
    let u = problem.velocity(&solution.impulses);
    let speed = (2.0f64 * 2.0 + 0.7 * 0.7).sqrt();
    for c in 0..4 {
        let (r, u) = (&solution.impulses[3 * c..3 * c + 3], &u[3 * c..3 * c + 3]);
        let across = (r[1] * u[2] - r[2] * u[1]).abs();
        assert!(across < 1e-9 && r[1] * u[1] + r[2] * u[2] <= 0.0);
        assert!(((u[1] * u[1] + u[2] * u[2]).sqrt() - (speed - 0.5 * GRAVITY * STEP)).abs() < 1e-9);
    }
}

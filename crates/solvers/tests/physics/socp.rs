//! The convex cone program and de Saxcé's loop: the numbers of spec D17, both forms, every law.
#![cfg(feature = "socp")]

use crate::family_support::*;
use signorini_problem::{Block, Law, certify};
use signorini_solvers::socp::{Socp, SocpOptions, model_residual};
use signorini_solvers::{FlowRule, SolveError, Status, StoppingRule, solve};

/// spec D17: the convex program was called exact Coulomb.
#[test]
fn the_convex_answer_is_not_coulombs_and_de_saxce_is() {
    let problem = diagonal(0.3, [30.0, 20.0, 0.0]);
    let convex = run(&problem, &mut Socp::default(), 1e-10);
    // The projection of (15, 10) on the cone: n = (15 + 0.3·10)/1.09.
    assert_close(&convex.impulses, &[18.0 / 1.09, 5.4 / 1.09, 0.0], 1e-9);
    assert_close(&convex.impulses[..2], &[16.51, 4.95], 5e-3);
    let lift = problem.velocity(&convex.impulses)[0];
    assert!((lift - 3.03).abs() < 5e-3, "{lift}");
    assert!(model_residual(&problem, &convex.impulses) < 1e-9);
    assert_eq!(convex.status, Status::Unsolved);

    let coulomb = run(&problem, &mut Socp::de_saxce(), 1e-10);
    assert_close(&coulomb.impulses, &[15.0, 4.5, 0.0], 1e-9);
    assert_eq!(coulomb.status, Status::Solved);
}

/// spec D17: a grazing contact gets 2760 times its normal impulse (1.38 for 0.0005).
#[test]
fn grazing_shows_what_the_relaxation_costs() {
    let problem = diagonal(0.3, [0.001, 10.0, 0.0]);
    let convex = run(&problem, &mut Socp::default(), 1e-10);
    let coulomb = run(&problem, &mut Socp::de_saxce(), 1e-12);
    assert_close(&coulomb.impulses, &[5e-4, 1.5e-4, 0.0], 1e-11);
    assert_close(&convex.impulses[..1], &[1.500_5 / 1.09], 1e-9);
    let ratio = convex.impulses[0] / coulomb.impulses[0];
    assert!((ratio - 2760.0).abs() < 10.0, "{ratio}");
}

#[test]
fn cone_solver_set() {
    for (mu, b, expected) in [
        (0.0, [30.0, 5.0, -3.0], [15.0, 0.0, 0.0]),
        (0.5, [30.0, -4.0, 0.0], [15.0, -2.0, 0.0]),
        // Exactly on the cone: both laws agree, and the contact neither slips nor has friction to spare.
        (0.5, [30.0, 9.0, 12.0], [15.0, 4.5, 6.0]),
        (0.3, [-1.0, 0.5, 0.0], [0.0, 0.0, 0.0]),
    ] {
        let problem = diagonal(mu, b);
        for mut solver in [Socp::default(), Socp::de_saxce()] {
            let solution = run(&problem, &mut solver, 1e-9);
            assert_close(&solution.impulses, &expected, 1e-8);
            assert!(model_residual(&problem, &solution.impulses) < 1e-8);
        }
    }
}

#[test]
fn two_contacts_with_different_friction() {
    let mut w = vec![0.0; 36];
    for i in 0..6 {
        w[7 * i] = 2.0;
    }
    let problem = dense(vec![Block::contact(0.8), Block::contact(0.2)], w, vec![-30.0, -8.0, 0.0, -30.0, -8.0, 0.0]);
    let coulomb = run(&problem, &mut Socp::de_saxce(), 1e-10);
    assert_close(&coulomb.impulses, &[15.0, 4.0, 0.0, 15.0, 3.0, 0.0], 1e-9);
}

fn scenes() -> Vec<signorini_problem::ContactProblem> {
    let mut sliding = Column::at_rest(&[1.0], 0.5);
    sliding.velocities[0] = [2.0, 0.7, 0.0, 0.0, 0.0, 0.3];
    let mut kicked = Column::at_rest(&[1.0, 2.0, 1.0], 0.4);
    kicked.velocities[1] = [1.0, -0.5, -0.2, 0.3, 0.1, 0.8];
    let mut mixed = Column::at_rest(&[1.0, 1.0], 0.5);
    mixed.velocities[1] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    vec![
        Column::at_rest(&[1.0, 1.0, 1.0], 0.5).build(),
        Column::at_rest(&[1.0, 1e3], 0.5).build(),
        sliding.build(),
        kicked.build(),
        mixed.build_with(vec![
            (1, Law::Equality, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
            (1, Law::Interval { lo: -0.01, hi: 0.02 }, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            (0, Law::Interval { lo: f64::NEG_INFINITY, hi: 0.0 }, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
            (0, Law::NonNegative, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ]),
    ]
}

#[test]
fn de_saxce_is_certified_on_columns_and_mixed_laws() {
    for (i, problem) in scenes().iter().enumerate() {
        let solution = run(problem, &mut Socp::de_saxce(), 1e-9);
        assert_eq!(solution.status, Status::Solved, "scene {i}: {:?} {:?}", solution.certificate, solution.effort);
    }
}

#[test]
fn velocity_and_impulse_form_are_the_same_convex_program() {
    for (i, problem) in scenes().iter().enumerate() {
        let dense = densified(problem);
        let velocity = run(problem, &mut Socp::default(), 1e-10);
        let impulse = run(&dense, &mut Socp::default(), 1e-10);
        for solution in [&velocity, &impulse] {
            let residual = model_residual(problem, &solution.impulses);
            assert!(residual < 1e-8, "scene {i}: {residual:e}");
        }
        // Impulses need not agree (four legs of a table); the motion of the convex program is unique.
        assert_close(&body_velocity(problem, &velocity.impulses), &body_velocity(problem, &impulse.impulses), 1e-6);
    }
}

#[test]
fn without_polish_the_program_alone_is_good_to_a_millionth() {
    for problem in scenes() {
        let mut solver = Socp::new(SocpOptions { max_polished_rows: 0, ..SocpOptions::default() });
        let solution = run(&problem, &mut solver, 1e-10);
        let residual = model_residual(&problem, &solution.impulses);
        assert!(residual < 1e-5, "{residual:e}");
    }
}

#[test]
fn without_polish_the_loop_alone_reaches_coulombs_law() {
    let mut problems = scenes();
    problems.extend([diagonal(0.3, [30.0, 20.0, 0.0]), diagonal(0.3, [0.001, 10.0, 0.0])]);
    for (i, problem) in problems.iter().enumerate() {
        let options = SocpOptions { flow: FlowRule::Coulomb, max_polished_rows: 0, ..SocpOptions::default() };
        let solution = run(problem, &mut Socp::new(options), 1e-10);
        assert!(solution.certificate.natural < 1e-5, "scene {i}: {:e}", solution.certificate.natural);
    }
}

#[test]
fn random_mixtures_solve_the_convex_model() {
    let mut random = Random::new(41);
    let mut failed = 0;
    for _ in 0..150 {
        let problem = mixture(&mut random, 1.5);
        let solution = run(&problem, &mut Socp::default(), 1e-9);
        failed += usize::from(model_residual(&problem, &solution.impulses) > 1e-8);
    }
    assert_eq!(failed, 0, "of 150 unsolved");
}

#[test]
fn answers_are_feasible_at_every_cap() {
    let mut random = Random::new(43);
    for _ in 0..60 {
        let problem = mixture(&mut random, 2.0);
        for flow in [FlowRule::Associated, FlowRule::Coulomb] {
            for cap in [0, 1, 3] {
                let stop = StoppingRule { max_iterations: Some(cap), ..StoppingRule::velocity(1e-12) };
                let solution =
                    solve(&problem, &mut Socp::new(SocpOptions { flow, ..SocpOptions::default() }), None, &stop)
                        .unwrap();
                assert_feasible(&problem, &solution.impulses);
            }
        }
    }
}

#[test]
fn the_flow_rules_residual_is_the_judges() {
    let mut random = Random::new(47);
    for _ in 0..200 {
        let problem = mixture(&mut random, 2.0);
        let r: Vec<f64> = (0..problem.rows()).map(|_| random.signed()).collect();
        let (own, judge) = (FlowRule::Coulomb.residual(&problem, &r), certify(&problem, &r).unwrap().natural);
        assert!((own - judge).abs() <= 1e-12 * judge.max(1.0), "{own} {judge}");
    }
}

#[test]
fn a_matrix_that_is_not_symmetric_is_refused() {
    use signorini_problem::{ContactProblem, Delassus, DenseDelassus, Symmetry};
    let w = Delassus::Dense(DenseDelassus::new(2, vec![1.0, 0.5, -0.5, 1.0]));
    let blocks = vec![Block::normal(), Block::normal()];
    let problem = ContactProblem::new(blocks, w, vec![-1.0, -1.0], Symmetry::General).unwrap();
    let error = solve(&problem, &mut Socp::default(), None, &StoppingRule::default()).unwrap_err();
    assert!(matches!(error, SolveError::NotPositiveSemidefinite { method: "socp", .. }));
}

//! The box friction model: its bounds, its own right answers, and how it is graded on Coulomb's law.

use crate::family_support::*;
use signorini_problem::{Block, Law, Tolerance, certify};
use signorini_solvers::box_lcp::{BoxLcp, friction_bound, model_residual};
use signorini_solvers::{History, SolverSession, Status, StoppingRule};

#[test]
fn bounds_vanish_without_a_normal_impulse() {
    assert_eq!(friction_bound(0.5, 0.0), 0.0);
    assert_eq!(friction_bound(0.5, -3.0), 0.0);
}

#[test]
fn bounds_are_the_normal_impulse_times_mu_over_root_two() {
    assert!((friction_bound(0.5, 100.0) - 35.355_339_059_327_38).abs() < 1e-10);
    assert!((friction_bound(0.4, 50.0) - 14.142_135_623_730_95).abs() < 1e-10);
    assert!((friction_bound(0.4, 200.0) - 56.568_542_494_923_8).abs() < 1e-10);
}

#[test]
fn cone_solver_set_has_the_box_models_own_answers() {
    // A = 2 I, so every answer is b/2 clamped to the box of the normal impulse.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    for (mu, b, expected) in [
        (0.0, [30.0, 5.0, -3.0], [15.0, 0.0, 0.0]),
        (0.5, [30.0, -4.0, 0.0], [15.0, -2.0, 0.0]),
        (0.3, [30.0, 20.0, 0.0], [15.0, 4.5 * half, 0.0]),
        (0.3, [30.0, 20.0, -20.0], [15.0, 4.5 * half, -4.5 * half]),
        (0.3, [0.001, 10.0, 0.0], [5e-4, 1.5e-4 * half, 0.0]),
        (0.3, [-1.0, 10.0, 0.0], [0.0, 0.0, 0.0]),
    ] {
        let problem = diagonal(mu, b);
        let solution = run(&problem, &mut BoxLcp::default(), 1e-12);
        assert_close(&solution.impulses, &expected, 1e-12);
        assert!(model_residual(&problem, &solution.impulses) < 1e-12);
    }
}

#[test]
fn two_contacts_with_different_friction() {
    let mut w = vec![0.0; 36];
    for i in 0..6 {
        w[7 * i] = 2.0;
    }
    let problem = dense(vec![Block::contact(0.8), Block::contact(0.2)], w, vec![-30.0, -8.0, 0.0, -30.0, -8.0, 0.0]);
    let solution = run(&problem, &mut BoxLcp::default(), 1e-12);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    assert_close(&solution.impulses, &[15.0, 4.0, 0.0, 15.0, 3.0 * half, 0.0], 1e-12);
}

#[test]
fn the_judge_sees_that_a_box_is_not_a_disk() {
    // Along a tangent the box is 29.3 % short and the certificate says so; towards its corner it is right.
    let short = run(&diagonal(0.3, [30.0, 20.0, 0.0]), &mut BoxLcp::default(), 1e-9);
    assert_eq!(short.status, Status::Unsolved);
    let ratio = short.impulses[1] / (0.3 * short.impulses[0]);
    assert!((1.0 - ratio - 0.292_893).abs() < 1e-6);
    assert!(short.certificate.dissipation_defect > 1.0);
    let corner = run(&diagonal(0.3, [30.0, 20.0, 20.0]), &mut BoxLcp::default(), 1e-9);
    assert_eq!(corner.status, Status::Solved);
}

#[test]
fn sticking_columns_are_solved_on_coulombs_law_too() {
    for masses in [vec![1.0], vec![1.0; 5], vec![1.0, 1e3], vec![1e3, 1.0, 1e3]] {
        let problem = Column::at_rest(&masses, 0.5).build();
        let solution = run(&problem, &mut BoxLcp::default(), 1e-10);
        assert!(solution.certificate.meets(&Tolerance::velocity(1e-10)), "{masses:?} {:?}", solution.certificate);
        // The floor carries the weight.
        let floor: f64 = (0..4).map(|c| solution.impulses[3 * c]).sum();
        let weight = masses.iter().sum::<f64>() * GRAVITY * STEP;
        assert!((floor - weight).abs() < 1e-8 * weight, "{floor} {weight}");
    }
}

#[test]
fn sliding_and_kicked_columns_solve_the_box_model() {
    let mut sliding = Column::at_rest(&[1.0], 0.5);
    sliding.velocities[0] = [2.0, 0.7, 0.0, 0.0, 0.0, 0.3];
    let mut kicked = Column::at_rest(&[1.0, 2.0, 1.0], 0.4);
    kicked.velocities[1] = [1.0, -0.5, -0.2, 0.3, 0.1, 0.8];
    for column in [sliding, kicked] {
        let problem = column.build();
        let solution = run(&problem, &mut BoxLcp::default(), 1e-10);
        let residual = model_residual(&problem, &solution.impulses);
        assert!(residual < 1e-9, "{residual:e}");
    }
}

#[test]
fn joints_and_intervals_share_the_solve() {
    let mut column = Column::at_rest(&[1.0, 1.0], 0.5);
    column.velocities[1] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    // The upper cube may not move along y, and a motor pulls it along x with at most 0.01 N·s.
    let problem = column.build_with(vec![
        (1, Law::Equality, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
        (1, Law::Interval { lo: -0.01, hi: 0.01 }, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ]);
    let solution = run(&problem, &mut BoxLcp::default(), 1e-10);
    assert!(model_residual(&problem, &solution.impulses) < 1e-9);
    assert!((solution.impulses[25] + 0.01).abs() < 1e-15);
    assert!(solution.certificate.joint_rate < 1e-10);
}

/// spec D18: the loop on bounds was claimed to be monotone and guaranteed.
#[test]
fn the_map_of_the_outer_loop_is_not_monotone_and_the_loop_survives_it() {
    // Planar, W = [[1, 1], [1, 2]]. Slipping towards −t the friction impulse +μn raises u_N by μn: T(n) = max(0, 1 − 1.5 n).
    let w = vec![1.0, 1.0, 1.0, 2.0];
    let q = vec![-1.0, -9.0];
    let frozen = |n: f64| {
        let blocks = vec![Block::normal(), Block::interval(-1.5 * n, 1.5 * n)];
        run(&dense(blocks, w.clone(), q.clone()), &mut BoxLcp::default(), 1e-14).impulses[0]
    };
    let (first, second, third) = (frozen(0.0), frozen(1.0), frozen(0.0));
    assert_close(&[first, second, third], &[1.0, 0.0, 1.0], 1e-12);
    assert_close(&[frozen(0.2), frozen(0.4)], &[0.7, 0.4], 1e-12);
    // So the plain loop from zero visits 1, 0, 1, 0, … for ever. The fixed point is n = 0.4, and Coulomb's law in the plane.
    let problem = dense(vec![Block::planar_contact(1.5)], w, q);
    let solution = run(&problem, &mut BoxLcp::default(), 1e-11);
    assert_close(&solution.impulses, &[0.4, 0.6], 1e-10);
    assert_eq!(solution.status, Status::Solved);
}

#[test]
fn a_contact_that_would_jam_sticks() {
    // Slipping towards +t friction raises the load faster than the load supports it (μ W_nt > W_nn): only stick exists.
    let problem = dense(vec![Block::planar_contact(1.5)], vec![1.0, 1.0, 1.0, 2.0], vec![-1.0, 1.0]);
    let solution = run(&problem, &mut BoxLcp::default(), 1e-11);
    assert_close(&solution.impulses, &[3.0, -2.0], 1e-9);
}

#[test]
fn answers_are_feasible_at_every_cap_and_from_any_guess() {
    let mut random = Random::new(7);
    for _ in 0..150 {
        let problem = mixture(&mut random, 2.0);
        let guess: Vec<f64> = (0..problem.rows()).map(|_| 3.0 * random.signed()).collect();
        for cap in [0, 1, 2, 5] {
            let stop = StoppingRule { max_iterations: Some(cap), ..StoppingRule::velocity(1e-12) };
            let mut session = SolverSession::default();
            let solution =
                session.solve(&problem, &mut BoxLcp::default(), Some(&guess), &stop, &mut History::off()).unwrap();
            assert_feasible(&problem, &solution.impulses);
            assert!(solution.effort.iterations <= cap);
        }
    }
}

#[test]
fn random_mixtures_solve_the_box_model() {
    let mut random = Random::new(11);
    let mut failed = 0;
    for _ in 0..400 {
        let problem = mixture(&mut random, 0.8);
        let solution = run(&problem, &mut BoxLcp::default(), 1e-10);
        let residual = model_residual(&problem, &solution.impulses);
        failed += usize::from(residual > 1e-8);
        assert_eq!(certify(&problem, &solution.impulses).unwrap().pull, 0.0);
    }
    // Nothing is guaranteed; on these, none is left.
    assert_eq!(failed, 0, "of 400 unsolved");
}

#[test]
fn a_warm_start_from_the_answer_takes_one_iteration() {
    let mut column = Column::at_rest(&[1.0, 1.0], 0.5);
    column.velocities[0] = [1.0, 0.3, 0.0, 0.0, 0.0, 0.0];
    let problem = column.build();
    let mut session = SolverSession::default();
    let mut solver = BoxLcp::default();
    let stop = StoppingRule::velocity(1e-8);
    let cold = session.solve(&problem, &mut solver, None, &stop, &mut History::off()).unwrap().clone();
    let warm = session.solve(&problem, &mut solver, Some(&cold.impulses), &stop, &mut History::off()).unwrap();
    assert!(cold.effort.iterations > 1);
    assert!(warm.effort.iterations <= 2, "{:?}", warm.effort);
}

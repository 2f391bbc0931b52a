//! The specified unit tests of the exact frictionless solvers, under their first names, with corrected assertions.

use crate::lcp_fixtures::*;
use signorini_problem::{Block, ContactProblem, Delassus, DenseDelassus, Law, Symmetry, certify};
use signorini_solvers::{
    ActiveSet, ActiveSetOptions, ContactSolver, History, Method, SolveError, Status, StoppingRule, solve,
};

fn close(found: f64, expected: f64, relative: f64) {
    assert!((found - expected).abs() <= relative * expected.abs().max(1.0), "{found} is not {expected}");
}

#[test]
fn active_set_result_default_construction() {
    for method in ALL {
        let delassus = Delassus::Dense(DenseDelassus::new(0, Vec::new()));
        let problem = ContactProblem::new(Vec::new(), delassus, Vec::new(), Symmetry::Exact).unwrap();
        let solution = run(method, &problem);
        assert_eq!(solution.status, Status::Solved);
        assert!(solution.impulses.is_empty());
        assert_eq!(solution.effort.set_changes, 0);
    }
}

#[test]
fn single_contact_exact_solution() {
    for method in ALL {
        let solution = run(method, &two_bodies(&[[0.0, 0.0]], 2.0, 0.0, 0.5).problem());
        close(solution.impulses[0], 15.0, 1e-14);
        // Lemke's path factors the basis at its beginning, and the sets at its end.
        assert_eq!(solution.effort.factorizations, if method == Method::Lemke { 2 } else { 1 });
        assert_eq!(solution.status, Status::Solved);
    }
}

#[test]
fn order_independence() {
    for method in ALL {
        let scene = two_bodies(&[[0.2, 0.0], [-0.2, 0.0]], 2.0, 0.0, 0.5);
        let forth = run(method, &scene.problem());
        let back = run(method, &scene.permuted(&[1, 0]).problem());
        for r in forth.impulses.iter().chain(&back.impulses) {
            close(*r, 7.5, 1e-13);
        }
        close(forth.impulses[0], back.impulses[1], 1e-12);
        close(forth.impulses[1], back.impulses[0], 1e-12);
    }
}

#[test]
fn high_mass_ratio_1e6() {
    for method in ALL {
        let solution = run(method, &two_masses([1e6, 1.0], &[[0.0, 0.0]], 2.0, 0.0, 0.5).problem());
        close(solution.impulses[0], 3.0 / 1.000001, 1e-14);
    }
}

/// The floor carries the weight of everything, however light what stands on it: one contact each, and four.
#[test]
fn high_mass_ratio_heavy_on_light_stack() {
    for method in EXACT {
        for (ratio, tolerance) in [(1.0, 1e-6), (1e3, 1e-6), (1e6, 1e-6), (1e8, 1e-3)] {
            for points in [&[[0.0, 0.0]][..], &CORNERS[..]] {
                let solution = run(method, &tower(&[1.0, ratio], points).problem());
                let floor: f64 = solution.impulses[..points.len()].iter().sum();
                let weight = (1.0 + ratio) * G * H;
                println!("{method} ratio {ratio:e} x{}: {:e}", points.len(), (floor / weight - 1.0).abs());
                assert!((floor / weight - 1.0).abs() < tolerance, "{method}, ratio {ratio:e}: {floor} of {weight}");
                assert_eq!(solution.status, Status::Solved);
            }
        }
    }
}

#[test]
fn all_separating_empty_active_set() {
    for method in ALL {
        let solution = run(method, &two_bodies(&[[0.1, 0.0], [-0.1, 0.0]], -2.0, 2.0, 0.5).problem());
        assert_eq!(solution.impulses, [0.0, 0.0]);
        assert_eq!(solution.effort.active, 0);
        assert_eq!(solution.status, Status::Solved);
    }
}

#[test]
fn all_compressive_full_active_set() {
    for method in EXACT {
        let solution = run(method, &two_bodies(&[[0.1, 0.1], [-0.1, -0.1]], 2.0, 0.0, 0.5).problem());
        for r in &solution.impulses {
            close(*r, 7.5, 1e-13);
        }
        assert_eq!(solution.effort.factorizations, 1);
        assert_eq!(solution.effort.active, 2);
    }
}

/// Both contacts really approach at 2 m/s; the one on the axis stops both, the other is left grazing. A third, at
/// x = −0.3 of a spinning body, separates.
#[test]
fn mixed_active_inactive() {
    for method in ALL {
        let mut scene = two_bodies(&[[0.0, 0.0], [0.3, 0.0]], 2.0, 0.0, 0.0);
        let solution = run(method, &scene.problem());
        close(solution.impulses[0], 10.0, 1e-12);
        assert!(solution.impulses[1].abs() < 1e-12);
        assert_eq!(solution.status, Status::Solved);

        scene = two_bodies(&[[0.0, 0.0], [0.3, 0.0], [-0.3, 0.0]], 2.0, 0.0, 0.0);
        scene.velocity[1][4] = 10.0;
        assert!((scene.normal_speed(2) - 1.0).abs() < 1e-14);
        let solution = run(method, &scene.problem());
        assert_eq!(solution.impulses[2], 0.0);
        assert!(solution.impulses[1] > 0.0);
        assert!(scene.problem().velocity(&solution.impulses)[2] > 0.9);
        assert_eq!(solution.status, Status::Solved);
    }
}

#[test]
fn redundant_contacts() {
    for method in ALL {
        let solution = run(method, &two_bodies(&[[0.0, 0.0], [0.0, 0.0]], 2.0, 0.0, 0.5).problem());
        close(solution.impulses.iter().sum(), 15.0, 1e-13);
        assert_eq!(solution.status, Status::Solved);
    }
}

/// One iteration must not be enough for this one, and what comes out is feasible and called unsolved. The separating
/// pair of the first draft is solved even so: what is left after opening both is the answer.
#[test]
fn safety_cap_reached() {
    let stop = StoppingRule { max_iterations: Some(1), ..StoppingRule::velocity(1e-10) };
    for method in ALL {
        let separating = two_bodies(&[[0.1, 0.0], [-0.1, 0.0]], 2.0, 5.0, 0.0);
        let solution = run_with(&mut *method.solver(), &separating.problem(), &stop);
        assert!(solution.impulses.iter().all(|r| *r >= 0.0));
        assert_eq!(solution.impulses, [0.0, 0.0]);
        let solution = run_with(&mut *method.solver(), &cycling_problem(), &stop);
        assert_eq!(solution.status, Status::Unsolved, "{method}");
        assert!(solution.effort.iterations <= 1);
    }
}

#[test]
fn kkt_conditions() {
    let mut random = Random::new(51);
    for contacts in 1..=50 {
        let problem = random_problem(&mut random, contacts, contacts + 3, 2.0);
        for method in ALL {
            let solution = run(method, &problem);
            let u = problem.velocity(&solution.impulses);
            let speed = problem.speed().max(1.0);
            for (i, (r, u)) in solution.impulses.iter().zip(&u).enumerate() {
                let w = problem.scales()[i];
                assert!(*r >= 0.0 && *u >= -1e-9 * speed, "{method}, {contacts} contacts: u[{i}] = {u}");
                assert!(f64::min(w * r, *u) < 1e-9 * speed, "{method}, {contacts} contacts: r[{i}] = {r}, u = {u}");
            }
        }
    }
}

#[test]
fn iteration_count_within_two_c() {
    for method in EXACT {
        let points = [[0.1, 0.1], [-0.1, 0.1], [-0.1, -0.1], [0.1, -0.1]];
        let solution = run(method, &two_bodies(&points, 2.0, 0.0, 0.5).problem());
        close(solution.impulses.iter().sum(), 15.0, 1e-13);
        assert!(solution.effort.iterations <= 8);
        if method == Method::ActiveSet {
            for r in &solution.impulses {
                close(*r, 3.75, 1e-13);
            }
            assert_eq!(solution.effort.indeterminacy, 1);
        }
    }
}

#[test]
fn active_set_size() {
    for method in ALL {
        let solution = run(method, &two_bodies(&[[0.1, 0.0], [-0.1, 0.0]], 2.0, 0.0, 0.5).problem());
        assert_eq!(solution.effort.active, 2);
        for r in &solution.impulses {
            close(*r, 7.5, 1e-13);
        }
    }
}

/// The sets of closed contacts that the first draft's rule visits: all closed at first; then open the one that pulls most,
/// or if none does, close the one that penetrates fastest. Ends at the answer, or with the first set that comes back.
fn seeded_rule(w: &[f64], q: &[f64]) -> Vec<Vec<usize>> {
    let n = q.len();
    let mut visited: Vec<Vec<usize>> = Vec::new();
    let mut closed: Vec<usize> = (0..n).collect();
    while !visited.contains(&closed) {
        visited.push(closed.clone());
        let (r, _) = hold_closed(w, q, &closed);
        let u = |i: usize| q[i] + (0..n).map(|j| w[i * n + j] * r[j]).sum::<f64>();
        let most = |worst: Option<(f64, usize)>, next: (f64, usize)| match worst {
            Some(worst) if worst.0 <= next.0 => Some(worst),
            _ => Some(next),
        };
        let pulls = closed.iter().map(|i| (r[*i], *i)).filter(|(r, _)| *r < 0.0).fold(None, most);
        let open = (0..n).filter(|i| !closed.contains(i));
        let penetrates = open.map(|i| (u(i), i)).filter(|(u, _)| *u < -1e-9).fold(None, most);
        match (pulls, penetrates) {
            (Some((_, i)), _) => closed.retain(|c| *c != i),
            (None, Some((_, i))) => closed.push(i),
            (None, None) => return visited,
        }
        closed.sort_unstable();
    }
    visited.push(closed);
    visited
}

/// Two problems on which the seeded rule goes round for ever, in the variables that it is given. The solvers scale W to a
/// unit diagonal first: the first problem, so scaled, no longer goes round; the second has that diagonal from the start, so
/// that its circle is one of the solvers' own variables. Both are strictly convex.
#[test]
fn cycling() {
    let w = [1.0, -0.8145, 0.581, -0.9959, -0.8145, 1.0, -0.0018, 0.7625, 0.581, -0.0018, 1.0, -0.6483];
    let w = [&w[..], &[-0.9959, 0.7625, -0.6483, 1.0]].concat();
    let unit_diagonal = dense(&w, &[-0.789, 0.71, 0.716, 0.18], Symmetry::Exact);
    let round = "0123 012 01 0 03 023 0123";
    // Answers from the one set of closed contacts that fits, (1, 2) and (0, 1, 3), solved in fractions.
    let cases = [
        (cycling_problem(), &[0.0, 0.129079, 0.386410][..], "012 01 1  2 02 012", "012 12"),
        (unit_diagonal, &[578.634723161, 74.834400675, 0.0, 519.021090281], round, round),
    ];
    let names = |sets: &[Vec<usize>]| {
        let name = |set: &Vec<usize>| set.iter().map(usize::to_string).collect::<String>();
        sets.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    // By every method, and by exchanges of one contact at a time alone, which is the rule that cycled with a step to the
    // first bound in place of a whole one.
    let one_at_a_time = ActiveSetOptions { block_rounds: 0, ..ActiveSetOptions::default() };
    for (problem, expected, circle, circle_in_scaled_variables) in cases {
        let (w, q) = (entries(&problem), problem.q());
        assert_eq!(names(&seeded_rule(w, q)), circle);
        let (n, d): (usize, Vec<f64>) = (q.len(), problem.scales().iter().map(|w| w.sqrt()).collect());
        let scaled_w: Vec<f64> = (0..n * n).map(|k| w[k] / (d[k / n] * d[k % n])).collect();
        let scaled_q: Vec<f64> = q.iter().zip(&d).map(|(q, d)| q / d).collect();
        assert_eq!(names(&seeded_rule(&scaled_w, &scaled_q)), circle_in_scaled_variables);
        let mut solvers: Vec<Box<dyn ContactSolver + Send>> = ALL.iter().map(|method| method.solver()).collect();
        solvers.push(Box::new(ActiveSet::new(one_at_a_time)));
        for solver in &mut solvers {
            let solution = run_with(&mut **solver, &problem, &StoppingRule::velocity(1e-10));
            for (r, expected) in solution.impulses.iter().zip(expected) {
                let close = (r - expected).abs() < 1e-6 * expected.max(1.0);
                assert!(close, "{}: {:?}", solver.name(), solution.impulses);
            }
            assert_eq!(solution.status, Status::Solved);
            assert!(solution.effort.iterations <= 12, "{}: {} iterations", solver.name(), solution.effort.iterations);
        }
    }
}

#[test]
fn head_on_equal_mass_analytical_match() {
    for method in ALL {
        let scene = two_bodies(&[[0.0, 0.0]], 2.0, -2.0, 1.0);
        let solution = run(method, &scene.problem());
        close(solution.impulses[0], 40.0, 1e-14);
        let after = scene.after(&solution.impulses);
        close(after[0][2], -2.0, 1e-13);
        close(after[1][2], 2.0, 1e-13);
    }
}

/// A cap that is reached is told by the certificate, never by a count alone.
#[test]
fn max_iterations_reached() {
    let stop = StoppingRule { max_iterations: Some(1), ..StoppingRule::velocity(1e-10) };
    for method in ALL {
        let separating = two_bodies(&[[0.0, 0.0]], 0.0, 5.0, 0.5);
        let solution = run_with(&mut *method.solver(), &separating.problem(), &stop);
        assert_eq!(solution.impulses, [0.0]);
        assert_eq!(solution.status == Status::Solved, solution.certificate.meets(&stop.tolerance));
        let mut random = Random::new(7);
        let hard = random_problem(&mut random, 30, 33, 2.0);
        assert_eq!(run_with(&mut *method.solver(), &hard, &stop).status, Status::Unsolved);
    }
}

#[test]
fn set_max_iterations() {
    for method in ALL {
        let stop = StoppingRule { max_iterations: Some(5), ..StoppingRule::velocity(1e-10) };
        let mut random = Random::new(8);
        for _ in 0..50 {
            let problem = random_problem(&mut random, 20, 22, 3.0);
            assert!(run_with(&mut *method.solver(), &problem, &stop).effort.iterations <= 5);
        }
    }
}

#[test]
fn set_convergence_tolerance() {
    for method in ALL {
        let problem = tower(&[1.0; 5], &CORNERS).problem();
        let tight = run_with(&mut *method.solver(), &problem, &StoppingRule::velocity(1e-8));
        let loose = run_with(&mut *method.solver(), &problem, &StoppingRule::velocity(1e-2));
        assert!(tight.effort.iterations >= loose.effort.iterations);
        assert!(tight.certificate.natural <= 1e-8);
    }
}

/// At rest with 0.1 m of overlap, stabilised by 0.2·depth/h: no torque on the axis.
#[test]
fn single_contact_converges() {
    for method in ALL {
        let scene = two_bodies(&[[0.0, 0.0]], 0.0, 0.0, 0.5);
        let solution = run(method, &scene.problem_with(vec![-0.2 * 0.1 / H]));
        assert!((1..10).contains(&solution.effort.iterations));
        close(solution.impulses[0], 0.2 * 0.1 / H / 0.2, 1e-14);
        assert!(scene.after(&solution.impulses).iter().all(|v| v[3..].iter().all(|w| w.abs() < 1e-9)));
    }
}

#[test]
fn separating_approaching_resting() {
    for method in ALL {
        let impulse = |a: f64, b: f64| run(method, &two_bodies(&[[0.0, 0.0]], a, b, 0.5).problem()).impulses[0];
        assert_eq!(impulse(-1.0, 1.0), 0.0);
        close(impulse(1.0, -1.0), 1.5 * 2.0 / 0.2, 1e-14);
        assert_eq!(impulse(0.0, 0.0), 0.0);
    }
}

#[test]
fn symmetric_forces_along_normal_with_lever_torque() {
    for method in ALL {
        let scene = two_bodies(&[[0.5, 0.0]], 2.0, 0.0, 0.5);
        let solution = run(method, &scene.problem());
        let after = scene.after(&solution.impulses);
        let change = |body: usize, i: usize| 10.0 * (after[body][i] - scene.velocity[body][i]);
        for i in 0..3 {
            assert!((change(0, i) + change(1, i)).abs() < 1e-12);
        }
        assert!(change(1, 2) > 0.0 && change(1, 0) == 0.0 && change(1, 1) == 0.0);
        // Lever 0.5 m about y on both bodies: W = 2/10 + 2·0.25.
        close(solution.impulses[0], 3.0 / 0.7, 1e-14);
        close(after[1][4], -0.5 * 3.0 / 0.7, 1e-14);
    }
}

#[test]
fn restitution_zero_one_and_threshold() {
    for method in ALL {
        let impulse = |v: f64, e: f64| run(method, &two_bodies(&[[0.0, 0.0]], v, 0.0, e).problem()).impulses[0];
        close(impulse(1.0, 0.0), 5.0, 1e-14);
        close(impulse(2.0, 1.0), 20.0, 1e-14);
        close(impulse(0.2, 0.8), 1.0, 1e-14);
    }
}

#[test]
fn static_body_and_both_static() {
    for method in ALL {
        let mut scene = two_bodies(&[[0.0, 0.0]], 2.0, 0.0, 0.5);
        scene.contacts[0].0 = [Some(0), None];
        let solution = run(method, &scene.problem());
        close(solution.impulses[0], 30.0, 1e-14);
        assert_eq!(scene.after(&solution.impulses)[1], [0.0; 6]);
        scene.contacts[0].0 = [None, None];
        let solution = run(method, &scene.problem());
        assert_eq!(solution.impulses, [0.0]);
    }
}

#[test]
fn parallel_orthogonal_ratio_1000_zero_depth() {
    for method in ALL {
        let parallel = two_bodies(&[[0.3, 0.1], [-0.2, 0.4], [0.1, -0.3]], 2.0, 0.0, 0.5);
        assert_eq!(run(method, &parallel.problem()).status, Status::Solved);
        let mut orthogonal = two_bodies(&[[0.0, 0.0]], 2.0, 0.0, 0.5);
        orthogonal.velocity[0][0] = 1.0;
        orthogonal.contacts.push(([Some(0), Some(1)], normal_row([0.5, 0.0, 0.0], [-0.5, 0.0, 0.0], [1.0, 0.0, 0.0])));
        let solution = run(method, &orthogonal.problem());
        close(solution.impulses[0], 15.0, 1e-13);
        close(solution.impulses[1], 7.5, 1e-13);
        let ratio = run(method, &two_masses([1000.0, 1.0], &[[0.0, 0.0]], 2.0, 0.0, 0.5).problem());
        close(ratio.impulses[0], 3.0 / 1.001, 1e-14);
        let rest = run(method, &two_bodies(&[[0.0, 0.0]], 0.0, 0.0, 0.5).problem());
        assert_eq!(rest.impulses, [0.0]);
    }
}

#[test]
fn effective_mass() {
    for method in ALL {
        let mut wall = two_masses([5.0, 5.0], &[[0.0, 0.0]], 2.0, 0.0, 0.0);
        wall.contacts[0].0 = [Some(0), None];
        let against_wall = run(method, &wall.problem()).impulses[0];
        close(against_wall, 10.0, 1e-14);
        let head_on = run(method, &two_bodies(&[[0.0, 0.0]], 2.0, -2.0, 0.0).problem()).impulses[0];
        close(head_on, 20.0, 1e-14);
        close(against_wall / head_on, 0.5, 1e-14);
        close(run(method, &two_bodies(&[[0.0, 0.0]], 3.0, 0.0, 0.7).problem()).impulses[0], 25.5, 1e-14);
    }
}

/// Any 2×2 with a positive direct solution: Gauss–Seidel, Cramer's rule and the solvers agree.
#[test]
fn lcp_sample() {
    let (w, q) = ([4.0, 1.0, 1.0, 3.0], [-1.0, -2.0]);
    let direct = [(3.0 - 2.0) / 11.0, (8.0 - 1.0) / 11.0];
    let mut gauss_seidel = [0.0f64; 2];
    for _ in 0..50 {
        gauss_seidel[0] = f64::max(0.0, (1.0 - gauss_seidel[1]) / 4.0);
        gauss_seidel[1] = f64::max(0.0, (2.0 - gauss_seidel[0]) / 3.0);
    }
    for method in ALL {
        let solution = run(method, &dense(&w, &q, Symmetry::Exact));
        for i in 0..2 {
            close(solution.impulses[i], direct[i], 1e-14);
            close(gauss_seidel[i], direct[i], 1e-6);
        }
    }
}

/// Joints and motors beside contacts: a 2 kg body held by a motor of at most 1 N·s, falling at 3 m/s on the floor.
#[test]
fn joints_and_intervals_are_bounds() {
    for method in EXACT {
        // Rows: motor, floor and a rigid joint that does not couple. u = W r + q.
        let w = [0.5, 0.5, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.25];
        let blocks = vec![Block::interval(-1.0, 1.0), Block::normal(), Block::joint(1)];
        let delassus = Delassus::Dense(DenseDelassus::new(3, w.to_vec()));
        let problem = ContactProblem::new(blocks, delassus, vec![-3.0, -3.5, 2.0], Symmetry::Exact).unwrap();
        let solution = solve(&problem, &mut *method.solver(), None, &StoppingRule::velocity(1e-12)).unwrap();
        assert_eq!(solution.status, Status::Solved, "{method}: {:?}", solution.impulses);
        // The floor has to reach u = 0 from −3.5; the motor is then pushed at +0.5 m/s and pulls back with all it has.
        close(solution.impulses[0], -1.0, 1e-14);
        close(solution.impulses[1], 8.0, 1e-14);
        close(solution.impulses[2], -8.0, 1e-14);
    }
}

#[test]
fn friction_is_refused_by_type() {
    let delassus = Delassus::Dense(DenseDelassus::new(3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]));
    let problem =
        ContactProblem::new(vec![Block::contact(0.5)], delassus, vec![-1.0, 0.0, 0.0], Symmetry::Exact).unwrap();
    for method in ALL {
        let refused = solve(&problem, &mut *method.solver(), None, &StoppingRule::default());
        let law = Law::Coulomb { mu: 0.5 }.name();
        assert_eq!(refused, Err(SolveError::UnsupportedLaw { block: 0, law, method: method.name() }));
    }
}

#[test]
fn asymmetric_and_indefinite_matrices_are_refused_by_type() {
    let asymmetric = dense(&[1.0, 0.5, 0.0, 1.0], &[-1.0, -1.0], Symmetry::General);
    let negative = dense(&[-1.0], &[-1.0], Symmetry::General);
    let minor = dense(&[1.0, 2.0, 2.0, 1.0], &[-1.0, -1.0], Symmetry::General);
    // Every 2×2 minor is positive, the determinant is −0.5.
    let third = dense(&[1.0, 0.5, -0.9, 0.5, 1.0, 0.5, -0.9, 0.5, 1.0], &[-1.0; 3], Symmetry::General);
    for method in EXACT {
        for problem in [&asymmetric, &negative, &minor, &third] {
            let refused = solve(problem, &mut *method.solver(), None, &StoppingRule::default());
            assert!(matches!(refused, Err(SolveError::NotPositiveSemidefinite { .. })), "{method}: {refused:?}");
        }
    }
}

#[test]
fn warm_start_with_the_right_set_costs_one_factorization() {
    let mut random = Random::new(3);
    for _ in 0..50 {
        let problem = random_problem(&mut random, 20, 23, 2.0);
        let mut solver = ActiveSet::default();
        let cold = run_with(&mut solver, &problem, &StoppingRule::velocity(1e-10));
        // The solver itself: a session would see that the guess is certified and not call it.
        let mut impulses = cold.impulses.clone();
        let stop = StoppingRule::velocity(1e-10);
        let effort = solver.iterate(&problem, &mut impulses, &stop, &mut History::off()).unwrap();
        assert_eq!((effort.factorizations, effort.iterations, effort.set_changes), (1, 1, 0));
        assert!(certify(&problem, &impulses).unwrap().meets(&stop.tolerance));
        let session = solve(&problem, &mut solver, Some(&cold.impulses), &stop).unwrap();
        assert_eq!((session.status, session.effort.factorizations), (Status::Solved, 0));
    }
}

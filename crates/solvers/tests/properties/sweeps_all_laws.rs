//! Sweeps over all four laws, in all three forms of W.

use crate::sweeps_fixtures::{Random, block_sparse, dense, sphere_heap};
use signorini_problem::{Block, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, Law, Symmetry, certify};
use signorini_solvers::{
    AcceleratedNsgs, AcceleratedNsgsOptions, BlockPgs, BlockPgsOptions, BlockStep, ColdStart, ContactSolver, Method,
    Nsgs, Pgs, Status, StoppingRule, SweepOptions, SweepOrder, solve,
};

/// Every solver in every variant.
fn solvers() -> Vec<Box<dyn ContactSolver>> {
    let mut all: Vec<Box<dyn ContactSolver>> = Vec::new();
    for (depth, cold_start) in [(32, ColdStart::Frictionless), (3, ColdStart::Zero), (0, ColdStart::Frictionless)] {
        all.push(Box::new(AcceleratedNsgs::new(AcceleratedNsgsOptions { depth, cold_start })));
    }
    for order in [SweepOrder::Forward, SweepOrder::Symmetric] {
        all.push(Box::new(Pgs::new(SweepOptions { order })));
        all.push(Box::new(Nsgs::new(SweepOptions { order })));
        for step in [BlockStep::Exact, BlockStep::Rows] {
            all.push(Box::new(BlockPgs::new(BlockPgsOptions { order, step })));
        }
    }
    all
}

/// Bodies in random places joined by random rows with all laws; more degrees of freedom than rows, so W is regular.
fn random_problem(random: &mut Random, blocks: usize) -> ContactProblem {
    let bodies = 2 * blocks;
    let inverse_mass = (0..bodies)
        .map(|_| {
            let mut m = [[0.0; 6]; 6];
            let mass = random.decades(-0.5, 0.5);
            // A full inertia: B Bᵀ + 1.
            let b: [[f64; 3]; 3] = std::array::from_fn(|_| random.vector());
            for i in 0..3 {
                m[i][i] = 1.0 / mass;
                for j in 0..=i {
                    let x = b[i].iter().zip(&b[j]).map(|(x, y)| x * y).sum::<f64>() + if i == j { 1.0 } else { 0.0 };
                    m[3 + i][3 + j] = x / mass;
                    m[3 + j][3 + i] = x / mass;
                }
            }
            m
        })
        .collect();
    let (mut list, mut pairs, mut jacobian) = (Vec::new(), Vec::new(), Vec::new());
    for c in 0..blocks {
        let block = match c % 6 {
            0 | 1 => Block::contact([0.0, 0.3, 0.8][random.below(3)]),
            2 => Block::planar_contact(0.4),
            3 => Block::normal(),
            4 => Block::joint(1 + random.below(5)),
            _ => Block::interval(-0.2, 0.1),
        };
        let a = random.below(bodies);
        let b = (a + 1 + random.below(bodies - 1)) % bodies;
        let fixed = random.below(3) == 0;
        pairs.push([if fixed { None } else { Some(a as u32) }, Some(b as u32)]);
        for _ in 0..block.rows {
            jacobian.push(std::array::from_fn(|_| random.range(-1.0, 1.0)));
        }
        list.push(block);
    }
    let q = jacobian.iter().map(|_| random.range(-1.0, 1.0)).collect();
    let w = Delassus::Factored(FactoredDelassus::new(inverse_mass, pairs, jacobian));
    ContactProblem::new(list, w, q, Symmetry::Exact).unwrap()
}

#[test]
fn mixed_laws_are_solved_in_every_form_and_variant() {
    let mut random = Random::new(20);
    for blocks in [1, 2, 5, 12, 24] {
        for _ in 0..4 {
            let factored = random_problem(&mut random, blocks);
            let stop = StoppingRule { max_iterations: Some(200_000), ..StoppingRule::velocity(1e-10) };
            for solver in &mut solvers() {
                let mut velocities = Vec::new();
                for problem in [&factored, &dense(&factored), &block_sparse(&factored)] {
                    let solution = solve(problem, solver.as_mut(), None, &stop).unwrap();
                    assert_eq!(solution.status, Status::Solved, "{}: {:?}", solver.name(), solution.certificate);
                    assert_eq!((solution.certificate.outside_cone, solution.certificate.pull), (0.0, 0.0));
                    velocities.push(problem.velocity(&solution.impulses));
                }
                for other in &velocities[1..] {
                    for (x, y) in velocities[0].iter().zip(other) {
                        assert!((x - y).abs() < 1e-7, "{}: {x} against {y}", solver.name());
                    }
                }
            }
        }
    }
}

#[test]
fn redundant_joint_rows_share_one_impulse() {
    // The same row three times: rank one.
    let w = Delassus::Dense(DenseDelassus::new(3, vec![2.0; 9]));
    let problem = ContactProblem::new(vec![Block::joint(3)], w, vec![-1.0; 3], Symmetry::Exact).unwrap();
    for solver in &mut solvers() {
        let solution = solve(&problem, solver.as_mut(), None, &StoppingRule::velocity(1e-12)).unwrap();
        assert_eq!(solution.status, Status::Solved, "{}", solver.name());
        assert!((solution.impulses.iter().sum::<f64>() - 0.5).abs() < 1e-14);
    }
}

#[test]
fn interval_holds_zero_inside_and_its_bounds_outside() {
    for (q, expected) in [(-0.2, 0.1), (-2.0, 0.5), (2.0, -0.25), (0.0, 0.0)] {
        let w = Delassus::Dense(DenseDelassus::new(1, vec![2.0]));
        let problem = ContactProblem::new(vec![Block::interval(-0.25, 0.5)], w, vec![q], Symmetry::Exact).unwrap();
        for solver in &mut solvers() {
            let r = solve(&problem, solver.as_mut(), None, &StoppingRule::default()).unwrap().impulses;
            assert!((r[0] - expected).abs() < 1e-15, "{}: q {q} gives {}", solver.name(), r[0]);
        }
    }
}

/// An interval that excludes zero is feasible from the first moment.
#[test]
fn interval_without_zero_is_feasible_on_every_exit() {
    let w = Delassus::Dense(DenseDelassus::new(1, vec![1.0]));
    let problem = ContactProblem::new(vec![Block::interval(2.0, 3.0)], w, vec![0.0], Symmetry::Exact).unwrap();
    let none = StoppingRule { max_iterations: Some(0), ..StoppingRule::default() };
    for solver in &mut solvers() {
        for stop in [none, StoppingRule::default()] {
            let r = solve(&problem, solver.as_mut(), None, &stop).unwrap().impulses;
            assert_eq!(r, [2.0], "{}", solver.name());
        }
    }
}

/// Feasible whatever the budget and however wild the guess.
#[test]
fn answers_are_feasible_on_every_exit() {
    let problem = sphere_heap(3, 0.3).problem();
    let mut random = Random::new(21);
    for budget in [0, 1, 2, 7] {
        let stop = StoppingRule { max_iterations: Some(budget), ..StoppingRule::default() };
        for size in [0.0, 1.0, 1e9, 1e200, f64::MAX] {
            let guess: Vec<f64> = (0..problem.rows()).map(|_| size * random.range(-1.0, 1.0)).collect();
            for solver in &mut solvers() {
                let solution = solve(&problem, solver.as_mut(), Some(&guess), &stop).unwrap();
                assert!(solution.impulses.iter().all(|x| x.is_finite()), "{} from {size:e}", solver.name());
                assert_eq!((solution.certificate.outside_cone, solution.certificate.pull), (0.0, 0.0));
            }
        }
    }
}

/// An asymmetric problem from elsewhere: the local solve sees its symmetric part, the answer satisfies it as given.
#[test]
fn asymmetric_w_is_solved_as_given() {
    let symmetric = dense(&sphere_heap(3, 0.3).problem());
    let mut values = symmetric.delassus().to_dense(symmetric.offsets());
    let mut random = Random::new(22);
    for x in &mut values {
        *x *= 1.0 + 1e-3 * random.unit();
    }
    let w = Delassus::Dense(DenseDelassus::new(symmetric.rows(), values));
    let problem =
        ContactProblem::new(symmetric.blocks().to_vec(), w, symmetric.q().to_vec(), Symmetry::IMPORTED).unwrap();
    assert!(problem.asymmetry() > 1e-4);
    for solver in &mut solvers() {
        let solution = solve(&problem, solver.as_mut(), None, &StoppingRule::velocity(1e-11)).unwrap();
        assert_eq!(solution.status, Status::Solved, "{}: {:?}", solver.name(), solution.certificate);
    }
}

/// A body whose inverse mass is not symmetric has no square root: the other form of the coupling takes over.
#[test]
fn asymmetric_inverse_mass_is_solved_as_given() {
    let scene = sphere_heap(3, 0.3);
    let symmetric = scene.problem();
    let Delassus::Factored(w) = symmetric.delassus() else { panic!() };
    let mut masses = scene.inverse_mass();
    masses[4][3][4] = 1e-3;
    let w = FactoredDelassus::new(masses, w.bodies().to_vec(), w.jacobian().to_vec());
    let (blocks, q) = (symmetric.blocks().to_vec(), symmetric.q().to_vec());
    let problem = ContactProblem::new(blocks, Delassus::Factored(w), q, Symmetry::IMPORTED).unwrap();
    for solver in &mut solvers() {
        let solution = solve(&problem, solver.as_mut(), None, &StoppingRule::velocity(1e-11)).unwrap();
        assert_eq!(solution.status, Status::Solved, "{}: {:?}", solver.name(), solution.certificate);
    }
}

/// A matrix that is no contact problem at all: no panic, no NaN, a feasible answer.
#[test]
fn general_matrices_do_no_harm() {
    let mut random = Random::new(23);
    for _ in 0..200 {
        let blocks = vec![Block::contact(0.5), Block::normal(), Block::joint(2), Block::interval(-1.0, 1.0)];
        let values = (0..49).map(|_| random.range(-1.0, 1.0) * [0.0, 1.0, 1e6][random.below(3)]).collect();
        let q = (0..7).map(|_| random.range(-1.0, 1.0)).collect();
        let w = Delassus::Dense(DenseDelassus::new(7, values));
        let problem = ContactProblem::new(blocks, w, q, Symmetry::General).unwrap();
        let stop = StoppingRule { max_iterations: Some(500), ..StoppingRule::default() };
        for solver in &mut solvers() {
            let solution = solve(&problem, solver.as_mut(), None, &stop).unwrap();
            assert!(solution.impulses.iter().all(|x| x.is_finite()), "{}", solver.name());
            assert_eq!((solution.certificate.outside_cone, solution.certificate.pull), (0.0, 0.0));
        }
    }
}

#[test]
fn names_are_those_of_the_methods() {
    for method in [Method::Pgs, Method::Nsgs, Method::BlockPgs] {
        assert_eq!(method.solver().name(), method.name());
        assert_eq!(method.name().parse::<Method>().unwrap(), method);
    }
}

/// A contact without load or without friction carries no friction.
#[test]
fn no_normal_impulse_no_friction() {
    let mut random = Random::new(24);
    for _ in 0..50 {
        let problem = random_problem(&mut random, 12);
        for solver in &mut solvers() {
            let stop = StoppingRule { max_iterations: Some(30), ..StoppingRule::default() };
            let r = solve(&problem, solver.as_mut(), None, &stop).unwrap().impulses;
            for (c, block) in problem.blocks().iter().enumerate() {
                let Law::Coulomb { mu } = block.law else { continue };
                let r = &r[problem.range(c)];
                if r[0] == 0.0 || mu == 0.0 {
                    assert!(r[1..].iter().all(|x| *x == 0.0), "{}: {r:?}", solver.name());
                }
            }
        }
    }
}

/// Anisotropic W_TT: the limit must slide against its friction. A step per row, or W_TT⁻¹, stays at 1e-2 m/s here.
#[test]
fn slip_opposes_friction_when_w_tt_is_anisotropic() {
    let k = [[1.0, 0.1, 0.0], [0.1, 1.0, 0.3], [0.0, 0.3, 6.0]];
    let mut values = vec![0.0; 36];
    for i in 0..3 {
        for j in 0..3 {
            values[i * 6 + j] = k[i][j];
            values[(3 + i) * 6 + 3 + j] = k[i][j];
        }
        // Weak coupling of the two contacts.
        values[i * 6 + 3 + i] = 0.1;
        values[(3 + i) * 6 + i] = 0.1;
    }
    let w = Delassus::Dense(DenseDelassus::new(6, values));
    let q = vec![-1.0, 2.0, 3.0, -1.0, -2.0, 1.0];
    let problem = ContactProblem::new(vec![Block::contact(0.5); 2], w, q, Symmetry::Exact).unwrap();
    for solver in &mut solvers() {
        let solution = solve(&problem, solver.as_mut(), None, &StoppingRule::velocity(1e-12)).unwrap();
        assert_eq!(solution.status, Status::Solved, "{}", solver.name());
        assert_eq!(solution.certificate.counts.slip, 2);
        let (r, u) = (&solution.impulses, problem.velocity(&solution.impulses));
        for c in [0, 3] {
            let cross = r[c + 1] * u[c + 2] - r[c + 2] * u[c + 1];
            let sine = cross / (r[c + 1].hypot(r[c + 2]) * u[c + 1].hypot(u[c + 2]));
            assert!(sine.abs() < 1e-9, "{}: angle {sine}", solver.name());
        }
    }
}

#[test]
fn certificate_and_solver_agree_on_a_heap() {
    for mu in [0.0, 0.2, 0.7] {
        let problem = sphere_heap(5, mu).problem();
        for solver in &mut solvers() {
            let solution = solve(&problem, solver.as_mut(), None, &StoppingRule::default()).unwrap();
            assert_eq!(solution.status, Status::Solved, "{} at {mu}: {:?}", solver.name(), solution.certificate);
            assert_eq!(certify(&problem, &solution.impulses).unwrap(), solution.certificate);
        }
    }
}

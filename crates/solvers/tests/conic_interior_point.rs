//! The conic interior point alone: every law against an answer from paper, warm starts, determinism, memory.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

mod conformance_support;
mod counting_allocator;

use conformance_support::*;
use signorini_problem::{Block, ContactProblem, Delassus, DenseDelassus, Symmetry};
use signorini_scenes::problems::{Perturbation, find, perturbed};
use signorini_solvers::conic_interior_point::{ConicOptions, ConicStart};
use signorini_solvers::{Accept, ConicInteriorPoint, History, Solution, SolverSession, Status, StoppingRule, solve};

/// A problem with W = diag.
fn diagonal(blocks: Vec<Block>, w: &[f64], q: Vec<f64>) -> ContactProblem {
    let n = w.len();
    let mut entries = vec![0.0; n * n];
    for i in 0..n {
        entries[i * n + i] = w[i];
    }
    let delassus = Delassus::Dense(DenseDelassus::new(n, entries));
    ContactProblem::new(blocks, delassus, q, Symmetry::Exact).unwrap()
}

fn solved(problem: &ContactProblem) -> Solution {
    let stop = StoppingRule::velocity(1e-10);
    let solution = solve(problem, &mut ConicInteriorPoint::default(), None, &stop).unwrap();
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.certificate);
    assert_feasible("conic", problem, &solution.impulses);
    solution
}

fn near(found: &[f64], expected: &[f64]) {
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-8, "{found:?}, expected {expected:?}");
    }
}

/// Unit inertia, W = 1: the normal velocity −1 is stopped by r_N = 1. Tangential velocity (0.3, 0.4) needs friction
/// 0.5. With μ = 0.8 it sticks, r_T = −u_T; with μ = 0.2 it slides, r_T = −0.2 (0.6, 0.8); with μ = 0 there is none.
#[test]
fn a_contact_sticks_slides_and_glides() {
    for (mu, expected) in [(0.8, [1.0, -0.3, -0.4]), (0.2, [1.0, -0.12, -0.16]), (0.0, [1.0, 0.0, 0.0])] {
        let problem = diagonal(vec![Block::contact(mu)], &[1.0; 3], vec![-1.0, 0.3, 0.4]);
        near(&solved(&problem).impulses, &expected);
    }
}

/// The same in the plane, and a contact that opens.
#[test]
fn planar_contacts_slide_and_open() {
    let problem = diagonal(vec![Block::planar_contact(0.2)], &[1.0; 2], vec![-1.0, 0.5]);
    near(&solved(&problem).impulses, &[1.0, -0.2]);
    let problem = diagonal(vec![Block::planar_contact(0.2), Block::normal()], &[1.0; 3], vec![2.0, 0.5, -1.0]);
    near(&solved(&problem).impulses, &[0.0, 0.0, 1.0]);
}

/// W = 2: a joint stops its six rows by −q/2, a limit pushes by 1/2, motors of −1 to 1 N·s reach their bounds at |q| >
/// 2 and stop what is slower; an interval of one point is that point, one without ends a joint.
#[test]
fn joints_limits_and_motors_are_exact() {
    let blocks = vec![
        Block::joint(6),
        Block::normal(),
        Block::interval(-1.0, 1.0),
        Block::interval(-1.0, 1.0),
        Block::interval(-1.0, 1.0),
        Block::interval(0.25, 0.25),
        Block::interval(f64::NEG_INFINITY, f64::INFINITY),
        Block::interval(f64::NEG_INFINITY, 0.5),
    ];
    let q = vec![1.0, -2.0, 3.0, -4.0, 5.0, -6.0, -1.0, 5.0, -5.0, 1.0, 7.0, -3.0, -8.0];
    let expected = [-0.5, 1.0, -1.5, 2.0, -2.5, 3.0, 0.5, -1.0, 1.0, -0.5, 0.25, 1.5, 0.5];
    near(&solved(&diagonal(blocks, &[2.0; 13], q)).impulses, &expected);
}

/// Structures of the catalogue, from nothing.
#[test]
fn structures_are_solved_from_nothing() {
    for name in ["stack10", "wall6x6", "pyr3d5", "table8x8_slide", "stack8_shake", "sph3x3x2", "arch7"] {
        let problem = find(name).unwrap().generate().unwrap().problem;
        let solution = solved(&problem);
        println!("{name}: {:?}", solution.effort);
        assert!(solution.effort.factorizations <= 30, "{name}: {:?}", solution.effort);
    }
}

/// The answer of a problem nearby saves steps.
#[test]
fn a_guess_nearby_saves_factorizations() {
    let base = find("wall6x6").unwrap().generate().unwrap();
    let answer = solved(&base.problem).impulses;
    let next = perturbed(&base, Perturbation::Velocity { speed: 1e-4 }, 3).unwrap().problem;
    let stop = StoppingRule::velocity(1e-9);
    let cold = solve(&next, &mut ConicInteriorPoint::default(), None, &stop).unwrap();
    let warm = solve(&next, &mut ConicInteriorPoint::default(), Some(&answer), &stop).unwrap();
    assert_eq!((cold.status, warm.status), (Status::Solved, Status::Solved));
    assert!(warm.effort.factorizations < cold.effort.factorizations, "{:?} {:?}", warm.effort, cold.effort);
}

/// Bounded by counts: never more factorizations than allowed, and at most so many beyond an acceptable answer.
#[test]
fn work_is_bounded_by_counts() {
    let problem = find("stack8_shake").unwrap().generate().unwrap().problem;
    let stop = StoppingRule::velocity(1e-12);
    for most in [0, 1, 2, 5, 9] {
        let options = ConicOptions { max_factorizations: most, ..ConicOptions::default() };
        let mut solver = ConicInteriorPoint::default();
        solver.options = options;
        let solution = solve(&problem, &mut solver, None, &stop).unwrap();
        assert!(solution.effort.factorizations <= most, "{most}: {:?}", solution.effort);
        assert_feasible("bounded", &problem, &solution.impulses);
    }
    let accept = Some(Accept { residual: 1e-3, further_factorizations: 0 });
    let options = ConicOptions { accept, start: ConicStart::Cold, ..ConicOptions::default() };
    let mut solver = ConicInteriorPoint::default();
    solver.options = options;
    let solution = solve(&problem, &mut solver, None, &stop).unwrap();
    assert!(solution.certificate.natural <= 1e-3 * problem.speed().max(1.0));
    assert_eq!(solution.status, Status::Unsolved);
}

/// Twice the same bits, by a fresh solver and by a used one; and the heap is not touched again.
#[test]
fn repeated_solves_have_the_same_bits_and_allocate_nothing() {
    for name in ["stack8_shake", "wall3x3_sides", "table8x8_slide_spin"] {
        let problem = find(name).unwrap().generate().unwrap().problem;
        let stop = StoppingRule::default();
        let first = solve(&problem, &mut ConicInteriorPoint::default(), None, &stop).unwrap().impulses;
        let (mut session, mut solver) = (SolverSession::default(), ConicInteriorPoint::default());
        for round in 0..3 {
            let before = counting_allocator::of_this_thread();
            let again = session.solve(&problem, &mut solver, None, &stop, &mut History::off()).unwrap();
            let allocations = counting_allocator::of_this_thread() - before;
            assert!(again.impulses == first, "{name}");
            assert!(round == 0 || allocations == 0, "{name}: {allocations}");
        }
    }
}

//! A warm repeated solve touches the heap not once: counted by a global allocator, method by method.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

mod counting_allocator;
mod lcp_fixtures;

use counting_allocator::of_this_thread as allocations;
use lcp_fixtures::*;
use signorini_problem::ContactProblem;
use signorini_scenes::problems::find;
use signorini_solvers::{History, Method, SolverSession, StoppingRule};

/// Solves the problem cold and warm until the buffers have grown, then again: the heap must not be touched.
fn assert_warm_solves_allocate_nothing(method: Method, label: &str, problem: &ContactProblem) {
    let mut solver = method.solver();
    let mut session = SolverSession::default();
    let stop = StoppingRule::velocity(1e-10);
    let guess = session.solve(problem, &mut *solver, None, &stop, &mut History::off()).unwrap().impulses.clone();
    session.solve(problem, &mut *solver, Some(&guess), &stop, &mut History::off()).unwrap();
    for (start, guess) in [("cold", None), ("warm", Some(&guess[..]))] {
        let before = allocations();
        for _ in 0..3 {
            session.solve(problem, &mut *solver, guess, &stop, &mut History::off()).unwrap();
        }
        assert_eq!(allocations() - before, 0, "{method}, {label}, {start}");
    }
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    let v = std::hint::black_box(vec![1.0f64; 100]);
    assert_eq!(allocations() - before, 1);
    drop(v);
}

#[test]
fn warm_repeated_solves_allocate_nothing() {
    let mut random = Random::new(11);
    let mut tilted = tower(&[1.0; 6], &CORNERS);
    tilted.velocity[3] = [0.0, 0.0, 0.4, 0.5, -0.3, 0.0];
    let problems = [
        ("one contact", two_bodies(&[[0.0, 0.0]], 2.0, 0.0, 0.5).problem()),
        ("tower", tower(&[1.0; 10], &CORNERS).problem()),
        ("tower that is hit", tilted.problem()),
        ("plate loaded off its centre", plate(&CORNERS, [0.4, 0.3]).problem()),
        ("random", random_problem(&mut random, 60, 63, 2.0)),
        ("random and singular", random_problem(&mut random, 40, 15, 2.0)),
        ("separating", two_bodies(&[[0.1, 0.0], [-0.1, 0.0]], -2.0, 2.0, 0.5).problem()),
    ];
    // Other methods for frictionless problems join this list.
    for method in ALL {
        for (label, problem) in &problems {
            assert_warm_solves_allocate_nothing(method, label, problem);
        }
    }
}

#[test]
fn warm_repeated_sweeps_allocate_nothing() {
    for name in ["stack3", "stack8_shake", "wall4x4_sides_hit", "train6_mu0.4_strength1.5", "arch7", "planar_discs6"] {
        let problem = find(name).unwrap().generate().unwrap().problem;
        for method in [Method::Pgs, Method::Nsgs, Method::AcceleratedNsgs, Method::BlockPgs] {
            assert_warm_solves_allocate_nothing(method, name, &problem);
        }
    }
}

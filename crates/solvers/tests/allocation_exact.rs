//! Steps of a simulation touch the heap not once: counted by a global allocator.
//!
//! The graph stays, velocities change: what a resting or settling scene asks of the solver at every step.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

mod counting_allocator;

use signorini_problem::ContactProblem;
use signorini_scenes::problems::{Perturbation, find, perturbed};
use signorini_solvers::{ContactSolver, Exact, History, InteriorPoint, Newton, SolverSession, StoppingRule};

/// Allocations of every one of six steps after two rounds over them: each step starts from the impulses of the last.
fn allocations_per_step(name: &str, solver: &mut dyn ContactSolver) -> Vec<usize> {
    let base = find(name).unwrap().generate().unwrap();
    let steps: Vec<ContactProblem> =
        (0..6).map(|seed| perturbed(&base, Perturbation::Velocity { speed: 1e-3 }, seed).unwrap().problem).collect();
    let stop = StoppingRule::default();
    let mut session = SolverSession::default();
    let mut guess = vec![0.0; base.problem.rows()];
    let mut counts = Vec::with_capacity(18);
    for _ in 0..3 {
        for step in &steps {
            let before = counting_allocator::of_this_thread();
            let solution = session.solve(step, solver, Some(&guess), &stop, &mut History::off()).unwrap();
            guess.copy_from_slice(&solution.impulses);
            counts.push(counting_allocator::of_this_thread() - before);
        }
    }
    counts.split_off(12)
}

#[test]
fn steps_of_an_unchanged_graph_allocate_nothing() {
    for name in ["stack10", "wall3x3_sides", "table8x8", "table8x8_slide_spin", "sph3x3x2", "pyr3d2", "wall6x6"] {
        let counts = allocations_per_step(name, &mut Exact::default());
        println!("exact, {name}: {counts:?}");
        assert_eq!(counts, [0; 6], "exact, {name}");
    }
}

#[test]
fn newton_and_the_interior_point_allocate_nothing() {
    for name in ["stack10", "wall3x3_sides", "table8x8_slide_spin", "sph3x3x2"] {
        let interior = allocations_per_step(name, &mut InteriorPoint::default());
        let newton = allocations_per_step(name, &mut Newton::default());
        println!("{name}: interior-point {interior:?}, newton {newton:?}");
        assert_eq!(newton, [0; 6], "newton, {name}");
        assert_eq!(interior, [0; 6], "interior-point, {name}");
    }
}

//! Steps of a simulation touch the heap not once: counted by a global allocator.
//!
//! The graph stays, velocities change: what a resting or settling scene asks of the solver at every step.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

mod counting_allocator;

use signorini_problem::ContactProblem;
use signorini_scenes::problems::{Perturbation, find, perturbed};
use signorini_solvers::{ContactSolver, Exact, History, InteriorPoint, Newton, SolverSession, StoppingRule};

/// Allocations of every one of six steps after two rounds over them: each step starts from the impulses of the last. The
/// normal rows give way by this share of their W.
fn allocations_per_step(name: &str, softness: f64, solver: &mut dyn ContactSolver) -> Vec<usize> {
    let base = find(name).unwrap().generate().unwrap();
    let step = |seed| {
        let problem = perturbed(&base, Perturbation::Velocity { speed: 1e-3 }, seed).unwrap().problem;
        let mut compliance = vec![0.0; problem.rows()];
        for (c, w) in problem.scales().iter().enumerate() {
            compliance[problem.range(c).start] = softness * w;
        }
        let mut parts = problem.into_parts();
        parts.compliance = compliance;
        ContactProblem::from_parts(parts).unwrap()
    };
    let steps: Vec<ContactProblem> = (0..6).map(step).collect();
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
        for softness in [0.0, 0.1] {
            let counts = allocations_per_step(name, softness, &mut Exact::default());
            println!("exact, {name}, {softness}: {counts:?}");
            assert_eq!(counts, [0; 6], "exact, {name}, {softness}");
        }
    }
}

#[test]
fn newton_and_the_interior_point_allocate_nothing() {
    for name in ["stack10", "wall3x3_sides", "table8x8_slide_spin", "sph3x3x2"] {
        for softness in [0.0, 0.1] {
            let interior = allocations_per_step(name, softness, &mut InteriorPoint::default());
            let newton = allocations_per_step(name, softness, &mut Newton::default());
            println!("{name}, {softness}: interior-point {interior:?}, newton {newton:?}");
            assert_eq!(newton, [0; 6], "newton, {name}, {softness}");
            assert_eq!(interior, [0; 6], "interior-point, {name}, {softness}");
        }
    }
}

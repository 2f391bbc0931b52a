//! What a good guess is worth: nothing to do when nothing changed, a handful of factorizations when little did.

use crate::conformance_support::*;
use signorini_problem::ContactProblem;
use signorini_scenes::problems::{Perturbation, Size, catalogue, find, perturbed};
use signorini_solvers::{
    AcceleratedNsgs, ContactSolver, Effort, Exact, History, InteriorPoint, SolveError, SolverSession, Status,
    StoppingRule, solve,
};

#[test]
fn unchanged_problem_costs_nothing_and_changes_no_bit() {
    let stop = StoppingRule::default();
    for generated in catalogue(Size::Small).unwrap() {
        let mut exact = Exact::default();
        let cold = solve(&generated.problem, &mut exact, None, &stop).unwrap();
        if cold.status == Status::Unsolved {
            continue; // Reported by the conformance tests.
        }
        // By the same solver and by one that has seen nothing.
        for solver in [&mut exact, &mut Exact::default()] {
            let warm = solve(&generated.problem, solver, Some(&cold.impulses), &stop).unwrap();
            assert_eq!((warm.effort.factorizations, warm.effort.iterations), (0, 0), "{}", generated.name);
            let bits = |r: &[f64]| r.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&warm.impulses), bits(&cold.impulses), "{}", generated.name);
        }
    }
}

/// The prototypes needed 3 to 5 factorizations warm and 8 to 9 cold on these; a fifth more is allowed.
#[test]
fn perturbed_problems_cost_fewer_factorizations_warm_than_cold() {
    let stop = StoppingRule::velocity(1e-9);
    let kinds = [
        Perturbation::Velocity { speed: 1e-4 },
        Perturbation::Velocity { speed: 1e-3 },
        Perturbation::Geometry { relative: 1e-3 },
        Perturbation::Kick { speed: 0.05 },
    ];
    for name in ["stack10", "wall6x6", "wall10x20", "pyr3d5"] {
        let base = find(name).unwrap().generate().unwrap();
        let guess = solve(&base.problem, &mut Exact::default(), None, &stop).unwrap();
        for (seed, kind) in kinds.into_iter().enumerate() {
            let next = perturbed(&base, kind, seed as u64).unwrap();
            let warm = solve(&next.problem, &mut Exact::default(), Some(&guess.impulses), &stop).unwrap();
            let cold = solve(&next.problem, &mut InteriorPoint::default(), None, &stop).unwrap();
            let counts = [warm.effort.factorizations, cold.effort.factorizations];
            println!("{:40} warm {} cold {}", next.name, counts[0], counts[1]);
            assert_eq!([warm.status, cold.status], [Status::Solved; 2], "{}", next.name);
            assert_feasible(&next.name, &next.problem, &warm.impulses);
            assert!(counts[0] <= 6, "{}: {} warm", next.name, counts[0]);
            assert!(counts[1] <= 15, "{}: {} cold", next.name, counts[1]);
            // What sticks everywhere takes one factorization cold as well; only an unchanged problem takes none.
            assert!(counts[0] < counts[1] || counts == [1, 1], "{}: {counts:?}", next.name);
        }
    }
}

/// A guess from elsewhere may be worthless, infinite or outside every cone: the answer is as good as without.
#[test]
fn a_bad_guess_does_no_harm() {
    let stop = StoppingRule::default();
    for name in ["stack3", "table8x8_slide_spin", "sph3x3x2", "train3_mu0.4_strength0.8", "flywheel_target2_strength1"]
    {
        let generated = find(name).unwrap().generate().unwrap();
        let rows = generated.problem.rows();
        for (kind, guess) in [
            ("huge", vec![1e12; rows]),
            ("pulling", vec![-1.0; rows]),
            ("not a number", vec![f64::NAN; rows]),
            ("infinite", vec![f64::INFINITY; rows]),
            ("tiny", vec![1e-300; rows]),
        ] {
            let label = format!("{name}, {kind}");
            let solution = solve(&generated.problem, &mut Exact::default(), Some(&guess), &stop).unwrap();
            assert_feasible(&label, &generated.problem, &solution.impulses);
            assert_honest(&label, &generated.problem, &solution, &stop);
            assert_eq!(solution.status, Status::Solved, "{label}: {:?}", solution.certificate);
        }
    }
}

/// Counts how often it is asked, and leaves the impulses as they are.
struct Asked(usize);

impl ContactSolver for Asked {
    fn name(&self) -> &'static str {
        "asked"
    }
    fn iterate(
        &mut self,
        _: &ContactProblem,
        _: &mut [f64],
        _: &StoppingRule,
        _: &mut History,
    ) -> Result<Effort, SolveError> {
        self.0 += 1;
        Ok(Effort::default())
    }
}

/// A guess that led nowhere is forgotten, and with it all that was seen on the way: the tiers after that once took their
/// decisions as if a path had already tangled, and ended at 7e-3 m/s what they solve from nothing.
#[test]
fn a_forgotten_guess_leaves_a_cold_start() {
    let problem = find("fcc6_mass1e6").unwrap().generate().unwrap().problem;
    let stop = StoppingRule::velocity(1e-5);
    let sweeps = StoppingRule { max_iterations: Some(300), ..stop };
    let guess = solve(&problem, &mut AcceleratedNsgs::default(), None, &sweeps).unwrap();
    assert!(guess.certificate.natural > 1e-2);
    let solution = solve(&problem, &mut Exact::default(), Some(&guess.impulses), &stop).unwrap();
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.certificate);
}

/// A certified guess needs no solver, unless the caller wants better than certified.
#[test]
fn a_certified_guess_is_left_alone_by_solve_and_handed_on_by_improve() {
    let problem = find("wall6x6").unwrap().generate().unwrap().problem;
    let stop = StoppingRule::default();
    let answer = solve(&problem, &mut Exact::default(), None, &stop).unwrap().impulses;
    let (mut session, mut asked) = (SolverSession::default(), Asked(0));
    let solution = session.solve(&problem, &mut asked, Some(&answer), &stop, &mut History::off()).unwrap().clone();
    assert_eq!((asked.0, solution.status), (0, Status::Solved));
    let improved = session.improve(&problem, &mut asked, &answer, &stop, &mut History::off()).unwrap().clone();
    assert_eq!((asked.0, improved.status), (1, Status::Solved));
    assert_eq!(improved.impulses, solution.impulses);
}

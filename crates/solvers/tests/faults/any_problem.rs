//! What no method may do whatever it is given: panic, leave a NaN, or claim what the judge does not see.

use crate::conformance_support::*;
use signorini_problem::{
    Block, BlockSparseDelassus, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, ProblemError, Symmetry,
    certify,
};
use signorini_scenes::random::SplitMix64;
use signorini_solvers::{Attempt, Exact, ExactOptions, History, Method, SolverSession, Status, StoppingRule, solve};

fn dense(blocks: Vec<Block>, w: Vec<f64>, q: Vec<f64>) -> ContactProblem {
    ContactProblem::new(blocks, Delassus::Dense(DenseDelassus::new(q.len(), w)), q, Symmetry::Exact).unwrap()
}

/// A contact that closes at less than the nudge of the pyramids, 1e-9 of the speed: their answer is that it is open, and
/// then Newton's method has no row to solve for. Anything else would have solved it, so pyramids are alone.
#[test]
fn an_active_set_without_rows_is_no_step_of_newton() {
    let w = (0..9).map(|entry| if entry % 4 == 0 { 1.0 } else { 0.0 }).collect();
    let problem = dense(vec![Block::contact(0.5)], w, vec![-1e-12, 1.0, 0.0]);
    let skip = &[
        Attempt::Refinement,
        Attempt::Small,
        Attempt::Sweeps,
        Attempt::Sticking,
        Attempt::ConicWarm,
        Attempt::ConicCold,
        Attempt::CentralPath,
        Attempt::OtherPaths,
    ];
    for tolerance in [0.0, 1e-15] {
        let stop = StoppingRule::velocity(tolerance);
        let mut solver = Exact::with_options(ExactOptions { skip, ..ExactOptions::default() });
        let solution = solve(&problem, &mut solver, None, &stop).unwrap();
        assert_honest("open", &problem, &solution, &stop);
        let all = solve(&problem, &mut Exact::default(), None, &stop).unwrap();
        assert_eq!(all.status, Status::Solved, "{:?}", all.certificate);
    }
}

#[test]
fn every_method_solves_a_problem_without_blocks() {
    let nothing = [
        Delassus::Dense(DenseDelassus::new(0, vec![])),
        Delassus::Factored(FactoredDelassus::new(vec![], vec![], vec![])),
        Delassus::BlockSparse(BlockSparseDelassus::new(&[0], vec![0], vec![], vec![]).unwrap()),
    ];
    for w in nothing {
        let problem = ContactProblem::new(vec![], w, vec![], Symmetry::Exact).unwrap();
        for method in Method::ALL {
            for tolerance in [0.0, 1e-9] {
                let solution =
                    solve(&problem, &mut *method.solver(), None, &StoppingRule::velocity(tolerance)).unwrap();
                assert_eq!(solution.status, Status::Solved, "{method}");
            }
        }
    }
}

/// Numbers that are finite one by one and overflow in `J M⁻¹ Jᵀ` are refused, not computed with.
#[test]
fn a_diagonal_that_overflows_is_an_error() {
    let mut row = [0.0; 12];
    row[6] = 1e200;
    let mut mass = [[0.0; 6]; 6];
    for (i, entries) in mass.iter_mut().enumerate() {
        entries[i] = 1.0;
    }
    let w = FactoredDelassus::new(vec![mass], vec![[None, Some(0)]], vec![row]);
    let error =
        ContactProblem::new(vec![Block::normal()], Delassus::Factored(w), vec![0.0], Symmetry::Exact).unwrap_err();
    assert!(matches!(error, ProblemError::NotFinite { what: "diagonal of W", index: 0, .. }), "{error}");
}

/// `W = H Hᵀ` of blocks whose rows differ by up to `decades` in size, with speeds and friction over as many.
fn extreme(seed: u64) -> ContactProblem {
    let random = &mut SplitMix64::new(seed);
    let below = |random: &mut SplitMix64, n: usize| (random.unit() * n as f64) as usize;
    let decades = [0.0, 4.0, 12.0][below(random, 3)];
    let size = |random: &mut SplitMix64| 10.0_f64.powf(random.uniform(-decades, decades));
    let mut blocks = Vec::new();
    for _ in 0..1 + below(random, 6) {
        let mu = [0.0, 0.5, 1e9, random.unit()][below(random, 4)];
        blocks.push(match below(random, 6) {
            0 => Block::joint(1 + below(random, 3)),
            1 => Block::normal(),
            2 => [Block::interval(0.0, 0.0), Block::interval(-size(random), size(random))][below(random, 2)],
            3 => Block::planar_contact(mu),
            _ => Block::contact(mu),
        });
    }
    let rows: usize = blocks.iter().map(|b| b.rows).sum();
    let columns = 1 + below(random, 2 * rows);
    let scales: Vec<f64> = blocks.iter().flat_map(|b| vec![size(random); b.rows]).collect();
    // Once in four a row is zero: nothing there can move.
    let dead = (random.unit() < 0.25).then(|| below(random, rows));
    let h: Vec<f64> = (0..rows * columns)
        .map(|k| if dead == Some(k / columns) { 0.0 } else { scales[k / columns] * random.normal() })
        .collect();
    let mut w = vec![0.0; rows * rows];
    for i in 0..rows {
        for j in 0..=i {
            let x: f64 = (0..columns).map(|k| h[i * columns + k] * h[j * columns + k]).sum();
            (w[i * rows + j], w[j * rows + i]) = (x, x);
        }
    }
    let open = random.unit() < 0.3;
    let q = (0..rows).map(|_| size(random) * random.normal()).map(|q| if open { q.abs() } else { q }).collect();
    dense(blocks, w, q)
}

/// Most have no solution at all. What counts is that every method says so.
#[test]
fn every_method_survives_extreme_numbers() {
    for method in Method::ALL {
        let (mut solver, mut session) = (method.solver(), SolverSession::default());
        let exact = matches!(method.name(), "exact");
        for seed in 0..if exact { 3000 } else { 150 } {
            let problem = extreme(seed);
            let label = format!("{method}, seed {seed}");
            let tolerance = [0.0, 1e-15, 1e-9][(seed % 3) as usize];
            let stop = StoppingRule { max_iterations: Some(300), ..StoppingRule::velocity(tolerance) };
            // Methods without friction refuse it.
            let Ok(solution) = session.solve(&problem, &mut *solver, None, &stop, &mut History::off()) else {
                continue;
            };
            assert_feasible(&label, &problem, &solution.impulses);
            let certificate = certify(&problem, &solution.impulses).unwrap();
            assert!(!certificate.natural.is_nan(), "{label}");
            assert_eq!(certificate.meets(&stop.tolerance), solution.status == Status::Solved, "{label}");
        }
    }
}

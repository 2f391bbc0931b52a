//! Every method on every published problem: what `exact` must solve, what the others may not pretend.

use crate::conformance_support::*;
use signorini_problem::{ContactProblem, Law, Tolerance, certify};
use signorini_solvers::{Exact, Method, SolveError, Status, StoppingRule, solve};
use std::time::Instant;

/// What no published solver solves either; and two complementarity problems that are not monotone, for lemke.
const OPEN: &[&str] = &["g_fcc_12", "g_fcc_6_mass1e6", "lcp_Pang_isolated_sol", "lcp_tobenna"];
/// Ten seconds of optimised code.
const SLOW: &[&str] = &["g_fcc_10_shake"];

/// Unoptimised code stays with problems of this many blocks.
const MOST_BLOCKS: usize = if cfg!(debug_assertions) { 2100 } else { usize::MAX };

fn stop() -> StoppingRule {
    StoppingRule { tolerance: Tolerance::relative(1e-8), max_iterations: None }
}

/// A matrix of any kind, no inverse mass.
fn is_general(problem: &ContactProblem) -> bool {
    problem.asymmetry() > 1e-2
}

#[test]
fn exact_solves_every_published_problem() {
    let mut unsolved = Vec::new();
    for (name, problem) in published(MOST_BLOCKS) {
        if OPEN.contains(&name.as_str()) || cfg!(debug_assertions) && SLOW.contains(&name.as_str()) {
            continue;
        }
        let start = Instant::now();
        let solution = match solve(&problem, &mut Exact::default(), None, &stop()) {
            Ok(solution) => solution,
            // A complementarity problem that is no contact problem may be refused, with a reason.
            Err(SolveError::NotPositiveSemidefinite { .. }) if is_general(&problem) => continue,
            Err(other) => panic!("{name}: {other}"),
        };
        assert_feasible(&name, &problem, &solution.impulses);
        let certificate = certify(&problem, &solution.impulses).unwrap();
        assert_eq!(certificate.meets(&stop().tolerance), solution.status == Status::Solved, "{name}");
        println!(
            "{name:50} {:5} {:?} {:.1e} {:.1e} {:4} F, {:.3} s",
            problem.blocks().len(),
            solution.status,
            certificate.natural_rel,
            certificate.fclib_error,
            solution.effort.factorizations,
            start.elapsed().as_secs_f64()
        );
        if solution.status != Status::Solved {
            unsolved.push(format!("{name}: {:.1e}", certificate.natural_rel.max(certificate.fclib_error)));
        }
    }
    assert!(unsolved.is_empty(), "unsolved:\n{}", unsolved.join("\n"));
}

/// No method, however it ends, returns an impulse outside its cone, a number that is none, or a status the audit denies.
#[test]
fn every_method_is_honest_on_published_problems() {
    let problems = published(60);
    for method in Method::ALL {
        let frictionless = matches!(method.name(), "active-set" | "block-pivoting" | "lemke");
        let cap = matches!(method.name(), "pgs" | "nsgs" | "accelerated-nsgs" | "block-pgs").then_some(1000);
        let (mut solved, mut unsolved, mut refused) = (0, 0, 0);
        for (name, problem) in &problems {
            let label = format!("{method}, {name}");
            let rule = StoppingRule { max_iterations: cap, ..StoppingRule::default() };
            let friction = problem.blocks().iter().any(|b| matches!(b.law, Law::Coulomb { .. }));
            match solve(problem, &mut *method.solver(), None, &rule) {
                Ok(solution) => {
                    assert_feasible(&label, problem, &solution.impulses);
                    assert!(!(frictionless && friction), "{label}: ignored friction");
                    if !is_general(problem) && problem.scales().iter().all(|w| *w > 0.0) {
                        assert_honest(&label, problem, &solution, &rule);
                    }
                    if solution.status == Status::Solved {
                        solved += 1;
                    } else {
                        unsolved += 1;
                    }
                }
                Err(SolveError::UnsupportedLaw { law, .. }) => {
                    assert!(frictionless && friction, "{label}: refused {law}");
                    refused += 1;
                }
                Err(SolveError::NotPositiveSemidefinite { .. }) => {
                    assert!(*method != Method::Lemke, "{label}: lemke takes any matrix");
                    refused += 1;
                }
                Err(SolveError::TooLarge { rows, limit, .. }) => {
                    assert!(rows > limit, "{label}");
                    refused += 1;
                }
                Err(other) => panic!("{label}: {other}"),
            }
        }
        println!("{:20} {solved:3} solved, {unsolved:3} unsolved, {refused:3} refused", method.name());
    }
}

//! Every complementarity method on every published complementarity problem.

use crate::lcp_fixtures::*;
use signorini_problem::ContactProblem;
use signorini_solvers::{Method, SolveError, StoppingRule, solve};

/// ‖min(r, Wr + q)‖∞ over max(1, |q|∞): needs no diagonal, so it grades matrices with a zero one.
fn residual(problem: &ContactProblem, r: &[f64]) -> f64 {
    let u = problem.velocity(r);
    r.iter().zip(&u).fold(0.0, |worst: f64, (r, u)| worst.max(f64::min(*r, *u).abs())) / problem.speed().max(1.0)
}

#[test]
fn published_problems_are_solved_or_refused() {
    for (name, problem) in published_problems() {
        for method in ALL {
            match solve(&problem, &mut *method.solver(), None, &StoppingRule::velocity(1e-10)) {
                Ok(solution) => {
                    let residual = residual(&problem, &solution.impulses);
                    println!("{name:24} {method:15} {residual:8.1e} {:4} iterations", solution.effort.iterations);
                    assert!(solution.impulses.iter().all(|r| *r >= 0.0));
                    assert!(residual <= 1e-10, "{name}, {method}: {residual:e}");
                }
                Err(SolveError::NotPositiveSemidefinite { why, .. }) => {
                    println!("{name:24} {method:15} refused: {why}");
                    assert!(method != Method::Lemke, "lemke takes any matrix");
                    // Every symmetric one of the collection is positive semidefinite.
                    assert!(problem.asymmetry() > 0.0, "{name}: symmetric but refused");
                }
                Err(other) => panic!("{name}, {method}: {other}"),
            }
        }
    }
}

/// A problem without a solution ends on a ray: feasible impulses, and an honest certificate.
#[test]
fn lemke_says_when_there_is_no_solution() {
    // r₀ free to grow cannot raise u₁ above −1.
    let problem = dense(&[1.0, 0.0, 0.0, 0.0], &[-1.0, -1.0], signorini_problem::Symmetry::General);
    let solution = run(Method::Lemke, &problem);
    assert_eq!(solution.status, signorini_solvers::Status::Unsolved);
}

/// Every tie at once: a problem whose ratio tests are degenerate throughout.
#[test]
fn lemke_survives_ties() {
    let n = 12;
    let w: Vec<f64> = (0..n * n).map(|k| if k % (n + 1) == 0 { 2.0 } else { 1.0 }).collect();
    let problem = dense(&w, &vec![-1.0; n], signorini_problem::Symmetry::Exact);
    for method in ALL {
        let solution = run(method, &problem);
        for r in &solution.impulses {
            assert!((r - 1.0 / (n + 1) as f64).abs() < 1e-15, "{method}: {r}");
        }
    }
}

//! One contact, solved and proven solved. The README shows this program.
#![allow(clippy::print_stdout)]

use signorini_problem::{Block, ContactProblem, Delassus, DenseDelassus, Symmetry};
use signorini_solvers::{Method, Status, StoppingRule, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A 2 kg block meets the floor (μ = 0.5) at 0.1 m/s while sliding at 0.2 m/s. Rows (n, t1, t2) of u = W r + q.
    let w = DenseDelassus::new(3, vec![0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5]);
    let q = vec![-0.1, 0.2, 0.0];
    let problem = ContactProblem::new(vec![Block::contact(0.5)], Delassus::Dense(w), q, Symmetry::Exact)?;

    let mut solver = "exact".parse::<Method>()?.solver();
    let solution = solve(&problem, &mut *solver, None, &StoppingRule::velocity(1e-10))?;

    // From paper: r_N = 2 kg · 0.1 m/s, friction at its limit μ r_N, the block slides on at 0.15 m/s.
    println!("impulses {:?} N·s, largest error {:e} m/s", solution.impulses, solution.certificate.natural);
    assert_eq!(solution.status, Status::Solved);
    assert!((solution.impulses[0] - 0.2).abs() < 1e-9 && (solution.impulses[1] + 0.1).abs() < 1e-9);
    Ok(())
}

//! Least squares for problems of equalities only, such as joints: the smallest r that minimises ‖W r + q‖.
//!
//! Joints are often redundant (a hinge made of two ball joints, a closed loop). Their position errors then contradict
//! each other in the last digits, and an exact solve would return enormous self-stress. With `ρ = 1/(ε w)` per row and
//! `F = (I + ρW)⁻¹ρ`, the answer is
//!
//! ```text
//! r = −F W F q
//! ```
//!
//! which is `−q/μ` (to 2ε/μ) along an eigenvector of W with eigenvalue μ ≫ ε, and zero along those with μ = 0. This is
//! Tikhonov's filter applied twice. Cost: one factorization over the body graph and two solves. Callers that iterate on
//! a measured error, as the rounds of a time step do, lose no accuracy by the ε. A compliant row adds its c to W, so
//! that parallel springs are not contradictory.

use crate::newton_system::{NewtonSystem, Refinement};
use signorini_problem::ContactProblem;

/// ε as a share of w \[1\]: below the smallest eigenvalues of chains of a hundred links that carry 10⁴ times their weight
/// (1e-8), above the round-off of the factor.
const FILTER: f64 = 1e-10;

/// The solver and its buffers.
#[derive(Clone, Debug, Default)]
pub struct EqualityRows {
    system: NewtonSystem,
    right: Vec<f64>,
    middle: Vec<f64>,
    product: Vec<f64>,
}

impl EqualityRows {
    /// Fills in r. Returns false, and zeros, if the system could not be factored.
    pub fn solve(&mut self, problem: &ContactProblem, r: &mut Vec<f64>) -> bool {
        self.factor(problem) && self.solve_again(problem, r) || {
            r.clear();
            r.resize(problem.rows(), 0.0);
            false
        }
    }

    /// Factors the system of a problem. Returns false if that failed.
    pub fn factor(&mut self, problem: &ContactProblem) -> bool {
        self.system.prepare(problem);
        for (c, block) in problem.blocks().iter().enumerate() {
            let k = self.system.k_mut(c);
            for i in 0..block.rows {
                k[i * block.rows + i] = resistance(problem, c);
            }
        }
        self.system.factor_once(problem).is_ok()
    }

    /// Fills in r for the problem that was factored last, of which only q may have changed. Returns false, and zeros,
    /// if r is not finite.
    pub fn solve_again(&mut self, problem: &ContactProblem, r: &mut Vec<f64>) -> bool {
        let EqualityRows { system, right, middle, product } = self;
        for buffer in [&mut *right, &mut *middle, &mut *product, r] {
            buffer.clear();
            buffer.resize(problem.rows(), 0.0);
        }
        load(problem, problem.q(), -1.0, right);
        system.solve(problem, right, middle, product, Refinement::NONE);
        load(problem, product, 1.0, right);
        system.solve(problem, right, r, product, Refinement::NONE);
        let finite = r.iter().all(|x| x.is_finite());
        if !finite {
            r.fill(0.0);
        }
        finite
    }
}

/// ρ of a block \[kg\].
fn resistance(problem: &ContactProblem, c: usize) -> f64 {
    1.0 / (FILTER * problem.scales()[c].max(f64::MIN_POSITIVE))
}

/// `right = ±ρ u`.
fn load(problem: &ContactProblem, u: &[f64], sign: f64, right: &mut [f64]) {
    for c in 0..problem.blocks().len() {
        let factor = sign * resistance(problem, c);
        for row in problem.range(c) {
            right[row] = factor * u[row];
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use signorini_problem::{Block, Delassus, FactoredDelassus, Symmetry};

    /// A unit mass held twice along x, with velocities 1 and 1 + 1e-6 prescribed. The answer is the mean, to the
    /// round-off 2⁻⁵³/ε of the filter, and the impulse is shared evenly.
    #[test]
    fn rows_that_contradict_each_other_are_met_halfway_without_self_stress() {
        let mut mass = [[0.0; 6]; 6];
        for (i, row) in mass.iter_mut().enumerate() {
            row[i] = 1.0;
        }
        let mut row = [0.0; 12];
        row[0] = 1.0;
        let delassus = FactoredDelassus::new(vec![mass], vec![[Some(0), None]; 2], vec![row; 2]);
        let q = vec![-1.0, -1.0 - 1e-6];
        let blocks = vec![Block::joint(1); 2];
        let problem = ContactProblem::new(blocks, Delassus::Factored(delassus), q, Symmetry::Exact).unwrap();
        let mut r = Vec::new();
        assert!(EqualityRows::default().solve(&problem, &mut r));
        assert!((r[0] + r[1] - 1.0 - 5e-7).abs() < 2e-6, "{r:?}");
        assert!((r[0] - r[1]).abs() < 1e-5, "{r:?}");
    }
}

//! Answers that last: Newton steps to a small share of the tolerance, for scenes at rest.
//!
//! At rest the impulses of one step are the guess of the next, and they are the answer again if they balance the forces and
//! nothing else. The answer of a step does more: it also stops what velocity was left over. Taken again, it would push
//! bodies that stand still. The impulses that hold the bodies once they have stopped solve the same problem with the left-over
//! velocity taken out of q; its matrix is the same, so they cost no other factorization.

use super::{Exact, REFINED};
use crate::newton::NewtonOptions;
use crate::warm_start::make_feasible;
use crate::{History, StoppingRule};
use signorini_problem::{ContactProblem, Tolerance};

impl Exact {
    /// Improves a guess by up to three Newton steps and nothing else: never worse than it was by the method's own residual,
    /// feasible, not graded. For guesses of steps to come, which are judged when they are used.
    pub fn improve_guess(&mut self, problem: &ContactProblem, guess: &mut [f64], stop: &StoppingRule) {
        make_feasible(problem, guess);
        self.interior.prepare(problem);
        self.candidate.clear();
        self.candidate.extend_from_slice(guess);
        self.few_newton_steps(problem, stop, &mut History::off());
        guess.copy_from_slice(&self.candidate);
    }

    /// Up to three Newton steps from the candidate, to a small share of the tolerance; how many.
    pub(super) fn few_newton_steps(
        &mut self,
        problem: &ContactProblem,
        stop: &StoppingRule,
        history: &mut History,
    ) -> usize {
        let least = NewtonOptions::default().least_proximal;
        let options = NewtonOptions { max_iterations: 3, proximal: least, refinements: 2, ..NewtonOptions::default() };
        let tolerance = Tolerance { value: REFINED * stop.tolerance.value, ..stop.tolerance };
        let stop = StoppingRule { tolerance, ..*stop };
        let system = self.interior.system();
        self.newton.run(system, problem, &mut self.candidate, &options, &stop, history).iterations
    }
}

//! Releases one of several contacts that contradict each other in the last digits.
//!
//! Four corners of a box on three others, or two points of an edge that lies on two bodies, are more than the motion can
//! satisfy all at once where their gaps differ in the last digits. The answer then has one of them open, with an impulse
//! of zero; but taking the load off it changes no velocity by more than those digits, so that sweeps move it by as much
//! each, and Newton's method, which believes that all are closed, ends half-way between them.
//!
//! So a contact that carries and opens is taken out: the same problem with that contact out of reach, by the interior
//! point. If the answer is one of the problem as given, that is it. Else the next: beside it, or instead of it where it
//! turned out to be needed. Guesses of the partition, as in pivoting methods (Cottle, Pang and Stone 1992), one exchange at a
//! time; the verdict is the judge's as ever.
//!
//! Cost: a path each, of 15 to 30 factorizations. Where the central path and Newton's method have come close and stall.

use super::{Exact, Search};
use crate::History;
use crate::interior_point::{PathOptions, Start};
use crate::newton::NewtonOptions;
use crate::warm_start::make_feasible;
use signorini_problem::Law;

/// Most contacts tried, and where the cost is bounded.
const MOST_RELEASED: usize = 24;
const FEW_RELEASED: usize = 8;
/// Speed at which they are thought to open, over the largest of the problem.
const FAR: f64 = 4.0;

impl Exact {
    /// From the best iterate, if it is close; whether that ends certified.
    pub(super) fn release(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        if !search.is_close() || search.best >= search.released_from {
            return false;
        }
        search.released_from = search.best;
        let problem = search.problem;
        let (mut without, mut q) = (problem.clone(), problem.q().to_vec());
        let mut tried = vec![false; problem.blocks().len()];
        self.candidate.copy_from_slice(impulses);
        for _ in 0..if search.is_bounded() { FEW_RELEASED } else { MOST_RELEASED } {
            let Some(c) = self.opens_under_load(search, &tried) else { return false };
            tried[c] = true;
            let normal = problem.offsets()[c];
            q[normal] += FAR * problem.speed().max(f64::MIN_POSITIVE);
            if without.set_q(&q).is_err() || search.steps_left() == 0 {
                return false;
            }
            self.prepare_systems(search);
            self.candidate.fill(0.0);
            make_feasible(problem, &mut self.candidate);
            self.interior.options = PathOptions { max_turns: 0, ..PathOptions::default() };
            let end = self.interior.follow(&without, &mut self.candidate, Start::Uniform, &search.steps(), history);
            search.spend_steps(end.iterations);
            if !end.suffices && search.steps_left() > 0 {
                let options = NewtonOptions { max_iterations: 8, patience: 3, ..NewtonOptions::default() };
                let system = self.interior.system();
                let end = self.newton.run(system, &without, &mut self.candidate, &options, &search.steps(), history);
                search.spend_steps(end.iterations);
            }
            if self.consider(search, impulses) {
                return true;
            }
            // It was not this one if it is needed after all.
            if self.certifier.velocity()[normal] < -search.stop.target_speed(problem) {
                q[normal] = problem.q()[normal];
                self.candidate.copy_from_slice(impulses);
            }
        }
        false
    }

    /// Of the contacts not tried yet, the one that opens fastest while it carries an impulse, at the candidate.
    fn opens_under_load(&mut self, search: &Search, tried: &[bool]) -> Option<usize> {
        let problem = search.problem;
        self.certifier.certify(problem, &self.candidate).ok()?;
        let least = search.stop.target_speed(problem);
        let mut worst = (least, None);
        for (c, block) in problem.blocks().iter().enumerate() {
            let first = problem.offsets()[c];
            if !matches!(block.law, Law::Coulomb { .. } | Law::Rolling { .. } | Law::NonNegative) || tried[c] {
                continue;
            }
            let (carried, speed) = (problem.scales()[c] * self.candidate[first], self.certifier.velocity()[first]);
            if speed > worst.0 && carried > speed {
                worst = (speed, Some(c));
            }
        }
        worst.1
    }
}

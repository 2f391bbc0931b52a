//! Opens one of several contacts that contradict each other in the last digits.
//!
//! Example: four corners of a box on three other bodies, or two points of an edge on two bodies. If their gaps differ
//! in the last digits, no motion closes all of them. In the exact answer one of them is open, with zero impulse. But
//! unloading it changes velocities only in the last digits, so sweeps converge slowly, and Newton's method, which
//! treats all of them as closed, ends at a compromise.
//!
//! This method picks a contact that carries an impulse while it opens, moves it out of reach, and solves the rest by
//! the interior point. If the answer also solves the original problem, it is done. Otherwise the next contact is
//! released as well, or instead if the first turned out to be needed. These are guesses of the active set, one exchange
//! at a time as in pivoting methods (Cottle, Pang and Stone 1992); the judge decides.
//!
//! Cost: one path of 15 to 30 factorizations per contact. When to use: the central path and Newton's method have come
//! close and stall.

use super::{Exact, Search};
use crate::History;
use crate::interior_point::{PathOptions, Start};
use crate::newton::NewtonOptions;
use crate::warm_start::make_feasible;
use signorini_problem::Law;

/// Limit on contacts tried, without and with a budget.
const MOST_RELEASED: usize = 24;
const FEW_RELEASED: usize = 8;
/// Speed at which a released contact opens, as a multiple of the largest speed of the problem \[1\].
const FAR: f64 = 4.0;

impl Exact {
    /// Runs from the best iterate if that is close. Returns whether the answer is certified.
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
            // If it closes again it is needed: do not keep it released.
            if self.certifier.velocity()[normal] < -search.stop.target_speed(problem) {
                q[normal] = problem.q()[normal];
                self.candidate.copy_from_slice(impulses);
            }
        }
        false
    }

    /// The contact, among those not tried yet, that opens fastest while it carries an impulse.
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

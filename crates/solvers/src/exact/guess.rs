//! Grades the guess before any attempt, and refines it by Newton steps if it is nearly certified.

use super::limits::{NEARLY_AT_REST, REFINED, REFINING_STEPS, SETTLED};
use super::{Attempt, Exact, Guesses, Search, Selection};
use crate::merit::Merit;
use crate::newton::NewtonOptions;
use crate::warm_start::make_feasible;
use crate::{History, StoppingRule};
use signorini_problem::{Certificate, Tolerance};

/// What the judge says of the guess.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Certified, and good for many steps.
    Settled,
    /// Certified.
    Certified,
    /// Neither.
    Open,
}

/// Whether a certified guess is so good that it need not be refined for the steps to come: its error is a small share
/// of the tolerance, or round-off.
pub fn is_settled(certificate: &Certificate, tolerance: &Tolerance) -> bool {
    certificate.meets(&Tolerance { value: SETTLED * tolerance.value, ..*tolerance })
}

impl Exact {
    /// The guess, its refinement, the ladder; and where a guess led nowhere, the ladder once more from nothing.
    pub(super) fn escalate(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) {
        search.warm = impulses.iter().any(|x| *x != 0.0);
        let warm = search.warm;
        self.guess.clear();
        self.guess.extend_from_slice(impulses);
        make_feasible(search.problem, &mut self.guess);
        let verdict = self.grade_guess(search, impulses);
        search.kept = impulses.iter().any(|x| *x != 0.0);
        let take = self.options.guesses == Guesses::Take;
        if verdict == Verdict::Settled || verdict == Verdict::Certified && take {
            return;
        }
        let at_rest = search.best <= NEARLY_AT_REST * search.stop.tolerance.value;
        if !take && at_rest && self.options.selection == Selection::Any && self.refine(search, impulses, history) {
            search.effort.answered_by = Attempt::Refinement;
            return;
        }
        if verdict == Verdict::Open && !self.climb(search, impulses, history) && warm && !search.is_bounded() {
            self.forget_the_guess(search, impulses, history);
        }
    }

    /// The guess, or nothing at all, whichever is nearer.
    fn grade_guess(&mut self, search: &mut Search, impulses: &mut [f64]) -> Verdict {
        self.candidate.clear();
        self.candidate.extend_from_slice(impulses);
        let guessed = impulses.iter().any(|x| *x != 0.0);
        if guessed && self.consider(search, impulses) {
            let tolerance = search.stop.tolerance;
            let settled = search.certificate.is_some_and(|certificate| is_settled(&certificate, &tolerance));
            return if settled { Verdict::Settled } else { Verdict::Certified };
        }
        if self.none_at_all(search, impulses) { Verdict::Settled } else { Verdict::Open }
    }

    /// No impulse but what the laws demand.
    fn none_at_all(&mut self, search: &mut Search, impulses: &mut [f64]) -> bool {
        // Without any impulse u = q: the own residual is free, and the judge is asked only if it may be satisfied.
        self.candidate.fill(0.0);
        make_feasible(search.problem, &mut self.candidate);
        if self.candidate.iter().any(|x| *x != 0.0) {
            return self.consider(search, impulses);
        }
        let merit = Merit::of(search.problem, &self.candidate, search.problem.q());
        let measured = merit.measured(search.problem, search.stop.tolerance.measure);
        if measured < search.best {
            search.improve(measured);
            impulses.fill(0.0);
        }
        measured <= search.stop.tolerance.value && self.consider(search, impulses)
    }

    /// Once more from nothing: a guess may be closer than every path comes, and lead nowhere.
    fn forget_the_guess(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) {
        if search.left() == 0 {
            return;
        }
        let (kept, best, certificate) = (impulses.to_vec(), search.best, search.certificate);
        let answered_by = search.effort.answered_by;
        impulses.fill(0.0);
        make_feasible(search.problem, impulses);
        // How good the start is, and what was seen on the way, decides about attempts.
        search.forget();
        if !self.none_at_all(search, impulses) && !self.climb(search, impulses, history) && search.best > best {
            (search.best, search.certificate, search.effort.answered_by) = (best, certificate, answered_by);
            impulses.copy_from_slice(&kept);
        }
    }

    /// Up to three Newton steps from the guess, to a small share of the tolerance; whether they end certified. A scene
    /// at rest takes its impulses into the next step as they are.
    fn refine(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        if search.steps_left() == 0 {
            return search.certificate.is_some_and(|found| found.meets(&search.stop.tolerance));
        }
        self.prepare_systems(search);
        self.candidate.copy_from_slice(impulses);
        let least = NewtonOptions::default().least_proximal;
        let options = NewtonOptions {
            max_iterations: REFINING_STEPS,
            proximal: least,
            refinements: 2,
            ..NewtonOptions::default()
        };
        let tolerance = search.stop.tolerance;
        let stop =
            StoppingRule { tolerance: Tolerance { value: REFINED * tolerance.value, ..tolerance }, ..search.steps() };
        let system = self.interior.system();
        let end = self.newton.run(system, search.problem, &mut self.candidate, &options, &stop, history);
        search.spend_steps(end.iterations);
        self.consider(search, impulses)
    }
}

//! Grades the guess before any attempt, and refines it by Newton steps if it is nearly certified.

use super::limits::{NEARLY_AT_REST, REFINED, REFINING_STEPS, SETTLED};
use super::{Attempt, Exact, Guesses, Search, Selection};
use crate::merit::Merit;
use crate::newton::NewtonOptions;
use crate::warm_start::make_feasible;
use crate::{History, StoppingRule};
use signorini_problem::{Certificate, Tolerance};

/// Verdict of the judge on the guess.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Certified, and accurate enough to be reused for many steps.
    Settled,
    /// Certified.
    Certified,
    /// Not certified.
    Open,
}

/// Whether a certified guess need not be refined: its error is a small share of the tolerance, or round-off.
pub fn is_settled(certificate: &Certificate, tolerance: &Tolerance) -> bool {
    certificate.meets(&Tolerance { value: SETTLED * tolerance.value, ..*tolerance })
}

impl Exact {
    /// Grades the guess, refines it, climbs the ladder; if that fails from a guess, and work is not bounded, climbs it
    /// once more from zero.
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

    /// Starts from the guess or from zero, whichever has the smaller residual.
    fn grade_guess(&mut self, search: &mut Search, impulses: &mut [f64]) -> Verdict {
        self.candidate.clear();
        self.candidate.extend_from_slice(impulses);
        let guessed = impulses.iter().any(|x| *x != 0.0);
        let certified = match self.told.take() {
            Some(certificate) if guessed => self.keep_best(search, impulses, certificate),
            _ => guessed && self.consider(search, impulses),
        };
        if certified {
            let tolerance = search.stop.tolerance;
            let settled = search.certificate.is_some_and(|certificate| is_settled(&certificate, &tolerance));
            return if settled { Verdict::Settled } else { Verdict::Certified };
        }
        if self.none_at_all(search, impulses) { Verdict::Settled } else { Verdict::Open }
    }

    /// Grades zero impulses (clamped to what the laws demand).
    fn none_at_all(&mut self, search: &mut Search, impulses: &mut [f64]) -> bool {
        // With zero impulses u = q, so the residual costs nothing. The judge is asked only if it might certify.
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

    /// Tries once more from zero: a guess may have a smaller residual than any path reaches, and still lead nowhere.
    fn forget_the_guess(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) {
        if search.left() == 0 {
            return;
        }
        let (kept, best, certificate) = (impulses.to_vec(), search.best, search.certificate);
        let answered_by = search.effort.answered_by;
        impulses.fill(0.0);
        make_feasible(search.problem, impulses);
        // Attempts depend on the quality of the start and on what was found so far: reset that.
        search.forget();
        if !self.none_at_all(search, impulses) && !self.climb(search, impulses, history) && search.best > best {
            (search.best, search.certificate, search.effort.answered_by) = (best, certificate, answered_by);
            impulses.copy_from_slice(&kept);
        }
    }

    /// Makes up to three Newton steps from the guess, to a small share of the tolerance. Returns whether the result is
    /// certified. A scene at rest reuses these impulses in every following step.
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

//! Guard of the extrapolation: decides from the length of the last step whether the window is kept.
//!
//! An extrapolation over a change of partition (a contact opens, or begins or ceases to slip) describes a map that no
//! longer applies; the next sweep then makes a long step. If the present partition has no solution, the shortest step
//! lies at its border: extrapolations return there forever, while plain sweeps leave it.

/// Growth of a step over the shortest since the last restart above which the window is forgotten. Measured between 1.2
/// and 5 on the generated problems: little depends on it below 3.
const GROWTH: f64 = 1.5;
/// Growth above which the extrapolated point is discarded \[1\].
const DISASTER: f64 = 100.0;
/// A step this much shorter is progress.
const PROGRESS: f64 = 0.8;
/// Accelerated sweeps without progress before plain ones take over.
const PATIENCE: usize = 30;
/// Plain sweeps after the first time without progress; twice as many after each further one.
const FIRST_STRETCH: usize = 20;
const LONGEST_STRETCH: usize = 1000;

/// What to do after a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Extrapolate from the window.
    Extrapolate,
    /// Forget the window and go on from where the sweep arrived.
    Restart,
    /// Forget the window and go on from the best point so far.
    Return,
}

/// Watches the length of the sweeps' steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Guard {
    /// Shortest step since the last restart.
    shortest: f64,
    /// Step that the next progress is measured against, and sweeps since it.
    progress: f64,
    waited: usize,
    /// Plain sweeps still to do, and how many there will be next time.
    plain: usize,
    stretch: usize,
    /// Shortest step when progress last failed.
    failed_at: f64,
}

impl Default for Guard {
    fn default() -> Self {
        let none = f64::INFINITY;
        Guard { shortest: none, progress: none, waited: 0, plain: 0, stretch: FIRST_STRETCH, failed_at: none }
    }
}

impl Guard {
    /// After a step of length `step`, taken with a window of `differences`.
    pub(super) fn next(&mut self, step: f64, differences: usize) -> Next {
        if self.plain > 0 {
            self.plain -= 1;
            self.begin_at(step);
            return Next::Restart;
        }
        // NaN fails every comparison.
        let within = |factor: f64| step <= factor * self.shortest;
        if differences > 0 && !within(GROWTH) {
            let next = if within(DISASTER) { Next::Restart } else { Next::Return };
            self.shortest = step;
            self.wait();
            return next;
        }
        self.shortest = f64::min(self.shortest, step);
        if step <= PROGRESS * self.progress {
            (self.progress, self.waited) = (step, 0);
            if step <= 0.5 * self.failed_at {
                self.stretch = FIRST_STRETCH;
            }
            return Next::Extrapolate;
        }
        self.wait();
        if self.plain > 0 { Next::Restart } else { Next::Extrapolate }
    }

    fn wait(&mut self) {
        self.waited += 1;
        if self.waited > PATIENCE {
            self.plain = self.stretch;
            self.stretch = (2 * self.stretch).min(LONGEST_STRETCH);
            self.failed_at = f64::min(self.failed_at, self.progress);
        }
    }

    fn begin_at(&mut self, step: f64) {
        (self.shortest, self.progress, self.waited) = (step, step, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falling_steps_are_extrapolated_and_a_jump_restarts() {
        let mut guard = Guard::default();
        for (k, step) in [4.0, 2.0, 2.5, 1.0, 0.5].into_iter().enumerate() {
            assert_eq!(guard.next(step, k), Next::Extrapolate, "{step}");
        }
        assert_eq!(guard.next(0.8, 5), Next::Restart);
        // The jump is the new reference.
        assert_eq!(guard.next(0.9, 0), Next::Extrapolate);
        assert_eq!(guard.next(0.7, 1), Next::Extrapolate);
    }

    #[test]
    fn a_disaster_and_what_is_no_number_go_back_to_the_best_point() {
        for step in [1e3, f64::NAN, f64::INFINITY] {
            let mut guard = Guard::default();
            guard.next(1.0, 0);
            assert_eq!(guard.next(step, 1), Next::Return, "{step}");
        }
    }

    /// Sweeps that neither grow nor shrink: plain stretches get longer, and progress makes them short again.
    #[test]
    fn without_progress_plain_stretches_double() {
        let mut guard = Guard::default();
        let mut stretches = Vec::new();
        let mut plain = 0;
        for _ in 0..400 {
            match guard.next(1.0, 1) {
                Next::Extrapolate if plain > 0 => {
                    stretches.push(plain);
                    plain = 0;
                }
                Next::Extrapolate => {}
                _ => plain += 1,
            }
        }
        assert!(
            stretches.starts_with(&[FIRST_STRETCH + 1, 2 * FIRST_STRETCH + 1, 4 * FIRST_STRETCH + 1]),
            "{stretches:?}"
        );
        guard.plain = 0;
        assert_eq!(guard.next(0.4, 1), Next::Extrapolate);
        assert_eq!(guard.stretch, FIRST_STRETCH);
    }
}

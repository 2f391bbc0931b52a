//! A progress bar on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};

/// No bar is shown for fewer trials than this, which finish quickly.
const FEWEST_TRIALS: usize = 30;

/// A bar over all trials; hidden if standard error is no terminal or there are few trials.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar of `trials` steps.
    pub fn new(trials: usize, quiet: bool) -> Self {
        let bar = ProgressBar::new(trials as u64);
        if quiet || trials < FEWEST_TRIALS || !stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} (about {eta} left)") {
            bar.set_style(style);
        }
        Progress { bar }
    }

    /// Shows what is being solved now.
    pub fn begin(&self, problem: &str, method: &str) {
        self.bar.set_message(format!("{problem} by {method}"));
    }

    /// Counts one more trial.
    pub fn advance(&self, trials: usize) {
        self.bar.inc(trials as u64);
    }

    /// Writes to standard output without leaving pieces of the bar between the lines.
    pub fn beside<R>(&self, write: impl FnOnce() -> R) -> R {
        self.bar.suspend(write)
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// No bar is shown for runs shorter than this, which finish quickly.
const FEWEST_STEPS: u64 = 50;

/// A bar over the steps of a simulation, with their rate.
pub struct StepProgress {
    bar: ProgressBar,
}

impl StepProgress {
    /// A bar of `steps`; hidden if standard error is no terminal or there are few steps.
    pub fn new(steps: u64) -> Self {
        let bar = ProgressBar::new(steps);
        if steps < FEWEST_STEPS || !stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{bar:30} step {pos}/{len}, {per_sec}, about {eta} left") {
            bar.set_style(style);
        }
        StepProgress { bar }
    }

    /// Counts one more step.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// Writes without leaving pieces of the bar between the lines.
    pub fn beside<R>(&self, write: impl FnOnce() -> R) -> R {
        self.bar.suspend(write)
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

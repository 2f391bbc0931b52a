//! The names of the attempts of `exact`, for reports and studies.

use serde::{Deserialize, Serialize};

/// The attempt that produced the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Attempt {
    /// The guess, or no impulse at all; also what methods other than `exact` report.
    #[default]
    Guess,
    /// Newton steps from a guess that was nearly certified.
    Refinement,
    /// Dense methods: one contact in closed form, pivoting without friction, sweeps and Newton steps over a few blocks.
    Small,
    /// Joints and springs are eliminated, and the rest is solved as a dense problem.
    Eliminated,
    /// Sweeps while they pay, then Newton.
    Sweeps,
    /// What sticks in the guess is assumed to stick.
    Sticking,
    /// The conic interior point from the guess.
    ConicWarm,
    /// The conic interior point from zero.
    ConicCold,
    /// The central path of two complementarities, and around its folds; what is close to its end is polished.
    CentralPath,
    /// Friction pyramids that gain corners.
    Pyramids,
    /// Sweeps and Newton steps in turn, the central path around folds next to its end, and with uneven targets.
    OtherPaths,
}

impl Attempt {
    /// Whether it treats contacts with torsional or rolling friction. Central paths and Newton steps do; the conic
    /// path, sweeps, pivoting and friction pyramids do not.
    pub(super) fn treats_rolling(self) -> bool {
        !matches!(self, Attempt::Small | Attempt::Sweeps | Attempt::ConicWarm | Attempt::ConicCold | Attempt::Pyramids)
    }
}

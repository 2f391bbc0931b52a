//! Limits and choices of the exact solver.

use super::Attempt;
use crate::Accept;

/// Which of several exact answers is returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// The first one found: fastest. With redundant sliding contacts it may depend on the order of the blocks.
    #[default]
    Any,
    /// The limit of the central path: the same motion for every order of the blocks, every choice of tangents, and
    /// every guess that neither is an answer nor goes on sticking.
    Canonical,
}

/// Limits and choices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactOptions {
    /// Which answer.
    pub selection: Selection,
    /// Limit on work, in factorizations; a sweep counts as a fraction of one. `None`: every attempt is made. Work is
    /// counted, not timed, so the answer is the same on every machine. A step that has begun is finished. The dense
    /// methods for small problems ([`Attempt::Small`]) are not counted. Problems of at most 96 blocks, whose
    /// factorizations take some 60 µs, may spend six times as much.
    pub budget: Option<usize>,
    /// Limit on factorizations whatever the size of the problem: what several problems have left together.
    pub ceiling: Option<usize>,
    /// Below this residual only a few more factorizations are spent to reach the tolerance. `None`: only the tolerance
    /// counts.
    pub accept: Option<Accept>,
    /// What to do at folds, where the central path turns back.
    pub folds: Folds,
    /// What to do with a guess that is certified or nearly certified.
    pub guesses: Guesses,
    /// Attempts that are left out, to study what each contributes.
    pub skip: &'static [Attempt],
}

/// What to do with a good guess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guesses {
    /// A certified guess is the answer, bit for bit.
    #[default]
    Take,
    /// Newton steps are made from it unless it is settled ([`is_settled`](super::is_settled)). For simulations, where
    /// the error of an answer accumulates if it is reused in every step.
    Refine,
}

/// What to do at a fold of the central path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Folds {
    /// Follow it around by arc length.
    #[default]
    WalkAround,
    /// Leave it to the other attempts.
    Leave,
}

impl Default for ExactOptions {
    fn default() -> Self {
        ExactOptions {
            selection: Selection::Any,
            budget: None,
            ceiling: None,
            accept: None,
            folds: Folds::WalkAround,
            guesses: Guesses::Take,
            skip: &[],
        }
    }
}

/// Limit on the work of one step of a simulation [factorizations]. Study: of 178 islands of jumbled piles, with the
/// guess of the last step, 99 % are solved to 1e-6 m/s within it; the median takes 14.
const STEPPING_BUDGET: usize = 120;

impl ExactOptions {
    /// Options for the steps of a simulation: bounded work, and guesses refined so that they can be reused.
    pub fn stepping() -> Self {
        ExactOptions { budget: Some(STEPPING_BUDGET), guesses: Guesses::Refine, ..ExactOptions::default() }
    }
}

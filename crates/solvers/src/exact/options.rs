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
    /// Most work in factorizations, sweeps by their share of one. `None`: every attempt is made. Counted, never timed:
    /// what is reached within it is returned and graded, the same on every machine. A step that has begun is finished,
    /// and the dense methods for small problems ([`Attempt::Small`]) are not counted. Problems of at most 96 blocks, whose
    /// factorizations take some 60 µs, may spend six times as much.
    pub budget: Option<usize>,
    /// From which residual on only a few more factorizations are spent on the tolerance. `None`: the tolerance is all
    /// that counts.
    pub accept: Option<Accept>,
    /// What to do where the central path turns back.
    pub folds: Folds,
    /// What to do with a guess that is certified, or nearly.
    pub guesses: Guesses,
    /// Attempts that are left out: to study what each is worth.
    pub skip: &'static [Attempt],
}

/// How far a good guess is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guesses {
    /// If it is certified it is the answer, bit for bit.
    #[default]
    Take,
    /// Unless it is settled ([`is_settled`](super::is_settled)) a Newton step is made from it: for simulations, where
    /// the error of an answer that is taken again and again adds up.
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
            accept: None,
            folds: Folds::WalkAround,
            guesses: Guesses::Take,
            skip: &[],
        }
    }
}

/// Work of a step of a simulation at most, in factorizations. Study: 178 islands of jumbled piles, guess of the last
/// step; 99 % are solved to 1e-6 m/s within it, and the median takes 14.
const STEPPING_BUDGET: usize = 120;

impl ExactOptions {
    /// For the steps of a simulation: bounded work, and answers that last.
    pub fn stepping() -> Self {
        ExactOptions { budget: Some(STEPPING_BUDGET), guesses: Guesses::Refine, ..ExactOptions::default() }
    }
}

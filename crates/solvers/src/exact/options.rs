//! Limits and choices of the exact solver.

/// Which of several exact answers is returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// The first one found: fastest. With redundant sliding contacts it may depend on the order of the blocks.
    #[default]
    Any,
    /// The limit of the central path: the same motion for every order of the blocks, every choice of tangents, and every
    /// guess that neither is an answer nor goes on sticking.
    Canonical,
}

/// Limits and choices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactOptions {
    /// Which answer.
    pub selection: Selection,
    /// Most sweeps of the first Gauss–Seidel tier.
    pub max_sweeps: usize,
    /// Most rounds of the last tier.
    pub max_rounds: usize,
    /// Most sweeps when everything else has failed, half of them accelerated.
    pub last_sweeps: usize,
    /// What to do where the central path turns back.
    pub folds: Folds,
    /// How far to go when the usual methods have failed.
    pub persistence: Persistence,
    /// What to do with a guess that is certified, or nearly.
    pub guesses: Guesses,
}

/// How far a good guess is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guesses {
    /// If it is certified it is the answer, bit for bit.
    #[default]
    Take,
    /// Unless it is settled ([`is_settled`](super::is_settled)) a Newton step is made from it: for simulations, where the error of an answer
    /// that is taken again and again adds up.
    Refine,
}

/// How much more than usual an unusual problem may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Persistence {
    /// Everything is tried, however long it takes: for problems that are to be solved once.
    #[default]
    Thorough,
    /// Beyond a few dozen blocks, ends with the first round of the last tier. Costs up to some hundred factorizations, and
    /// about a second where an iterate comes close and stalls: for simulations, where the next step poses another problem.
    Bounded,
}

/// What to do at a fold of the central path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Folds {
    /// Follow it around by arc length.
    #[default]
    WalkAround,
    /// Leave it to the other tiers.
    Leave,
}

impl Default for ExactOptions {
    fn default() -> Self {
        ExactOptions {
            selection: Selection::Any,
            max_sweeps: 400,
            max_rounds: 4,
            last_sweeps: 20_000,
            folds: Folds::WalkAround,
            persistence: Persistence::Thorough,
            guesses: Guesses::Take,
        }
    }
}

impl ExactOptions {
    /// For the steps of a simulation: bounded cost, and answers that last.
    pub fn stepping() -> Self {
        ExactOptions { persistence: Persistence::Bounded, guesses: Guesses::Refine, ..ExactOptions::default() }
    }
}

//! Options of a central path, and the ways in which it can end.

use super::weights::Weights;
use crate::merit::Merit;

/// How the path is followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathOptions {
    /// Most factorizations of one path.
    pub max_iterations: usize,
    /// Share of the distance to the boundary that a step may use \[1\].
    pub boundary_fraction: f64,
    /// Least centring.
    pub least_centring: f64,
    /// Spread of the targets.
    pub weights: Weights,
    /// Give up after this many iterations without a tenth of progress.
    pub patience: usize,
    /// Within this multiple of the tolerance a jam ends the path \[1\]: it is more often round-off than a fold.
    pub near: f64,
    /// Most folds to walk around.
    pub max_turns: usize,
    /// Most factorizations on the way around all folds of a path.
    pub max_arc_steps: usize,
    /// Where the path ends.
    pub ending: Ending,
}

/// Which point near the end of the path is the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The first iterate that suffices.
    FirstSufficient,
    /// The limit t → 0, extrapolated from a point of the path itself: where exact motions are many, one of them that does not
    /// depend on the steps taken.
    Limit,
}

impl Default for PathOptions {
    fn default() -> Self {
        PathOptions {
            max_iterations: 60,
            boundary_fraction: 0.99,
            least_centring: 1e-4,
            weights: Weights::Uniform,
            patience: 12,
            near: 1e4,
            max_turns: 12,
            max_arc_steps: 800,
            ending: Ending::FirstSufficient,
        }
    }
}

/// How a path ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathEnd {
    /// Steps taken.
    pub iterations: usize,
    /// Best residual reached.
    pub merit: Merit,
    /// Whether that suffices.
    pub suffices: bool,
    /// Whether it ended because the path turned back too often; another start would end there too.
    pub tangled: bool,
}

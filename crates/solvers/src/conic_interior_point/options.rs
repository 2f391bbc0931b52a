//! Choices of one attempt, and the constants of the path with their unit and reason.

use crate::Accept;

/// Where the path begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConicStart {
    /// The guess, moved inside the cones by its residual; as `Cold` if all impulses are zero.
    #[default]
    Warm,
    /// Zero impulses, moved inside the cones by |q|∞.
    Cold,
    /// The same normal impulse everywhere: for heavy bodies on light ones.
    Uniform,
}

/// One attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConicOptions {
    /// Where it begins.
    pub start: ConicStart,
    /// Proximal compliance ε over w \[1\].
    pub proximal: f64,
    /// Most factorizations.
    pub max_factorizations: usize,
    /// Residual below which only a few more factorizations are spent.
    pub accept: Option<Accept>,
}

impl Default for ConicOptions {
    fn default() -> Self {
        ConicOptions { start: ConicStart::Warm, proximal: 1e-6, max_factorizations: 45, accept: None }
    }
}

/// After a step shorter than [`SHORT`] ε grows by this factor, up to the following limit \[1\]: a trust region about
/// the impulses where the path folds. On 178 islands of jumbled piles it halves what one warm attempt leaves unsolved
/// at 1e-6 m/s (14 to 7). On a path from a guess it shrinks by as much after a step longer than [`LONG`]: else an
/// impulse that has to go far along a soft direction, as in a jammed cluster of balls, goes by the residual over ε in a
/// step. (Paths from nothing through a wall that was hit need it as it is.)
pub(super) const PROXIMAL_GROWTH: f64 = 10.0;
pub(super) const GREATEST_PROXIMAL: f64 = 1e-3;
pub(super) const LONG: f64 = 0.95;
/// Proximal compliance of a joint over w \[1\]: small, since its rows are never degenerate by a cone.
pub(super) const JOINT_PROXIMAL: f64 = 1e-9;
/// The slip speed is rounded off below this share of t/R₀ \[1\]; 1 and more jams.
pub(super) const ROUNDING: f64 = 0.1;
/// Share θ of the shift's derivative at each level of caution \[1\].
pub(super) const THETA: [f64; 3] = [1.0, 0.85, 0.0];
/// σ t is at least this share of the lag of the shift, at each level \[1\].
pub(super) const LAG_SHARE: [f64; 3] = [0.03, 0.5, 0.5];
/// A step shorter than this is followed by the next level of caution \[1\].
pub(super) const SHORT: f64 = 0.2;
/// Steps on a level before θ = 1 is tried again.
pub(super) const STAY: usize = 6;
/// A step shorter than this is tried again with plain centring, same factor \[1\].
pub(super) const CENTRE: f64 = 0.1;
/// This many steps in a row, each shorter than the second value, end the path \[1\].
pub(super) const JAMMED: (usize, f64) = (3, 0.01);
/// Least share of the distance to the boundary that a step uses \[1\].
pub(super) const BOUNDARY: f64 = 0.99;
/// Least centring \[1\].
pub(super) const LEAST_CENTRING: f64 = 1e-6;
/// Least size of a warm start, over |q|∞ \[1\].
pub(super) const LEAST_MARGIN: f64 = 1e-4;
/// A guess with a residual below this share of |q|∞ is polished before any path \[1\].
pub(super) const POLISH_GUESS: f64 = 1e-4;
/// An iterate with a residual below this share of |q|∞ is polished, and again each time the residual has fallen by the
/// factor \[1\].
pub(super) const POLISH_BELOW: f64 = 1e-5;
pub(super) const POLISH_AGAIN: f64 = 30.0;
/// Most factorizations of one polish.
pub(super) const POLISH_STEPS: usize = 5;
/// Weight of a polish times the residual over |q|∞ \[1\]: errors of the iterate must not flip contacts from stick to
/// slip.
pub(super) const POLISH_REACH: f64 = 1e-3;
/// Error of a direction over the residual of the iterate that is not worth a refinement \[1\].
pub(super) const GOOD_DIRECTION: f64 = 1e-4;
/// Most refinements of one direction.
pub(super) const REFINEMENTS: usize = 2;
/// A path ends if its best residual has not fallen to this share within the following number of factorizations \[1\].
pub(super) const SLOW: f64 = 0.7;
pub(super) const PATIENCE: usize = 12;
/// Patience \[factorizations\] of a path from a guess whose residual is within the following multiple of the accepted
/// one \[1\]. Its last digits wander, and sixty sweeps, at the cost of two factorizations, find them sooner.
pub(super) const PATIENCE_NEAR: usize = 4;
pub(super) const NEARLY_ACCEPTED: f64 = 10.0;

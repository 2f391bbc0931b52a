//! The limit of the central path, extrapolated from a point of the path that does not depend on the steps taken.
//!
//! If redundant contacts slide, there are many exact motions. The path leads to one of them, but near its end only
//! terms of size t decide which. Round-off ε|q| then competes with slacks of size t/r: an iterate with a residual of
//! 1e-10 m/s has lost ten of its sixteen digits, and another order of the contacts gives another motion. So the answer
//! is extrapolated from an earlier point, at a t from a fixed ladder:
//!
//! 1. Newton at that t until the iterate changes by round-off alone: the point z(t), whatever the steps before.
//! 2. The series of the path there, by the factor at hand. With `√t = s (1 − τ)` and `z = Σ z_k τ^k`, the products of every
//!    block give
//!
//!    ```text
//!    L z_1 = −2 s² e,    L z_2 = s² e − z_1 ∘ z_1,    L z_k = −Σ_{0<i<k} z_i ∘ z_{k−i}
//!    ```
//!
//!    and the limit is the sum at τ = 1. In √t, because a contact that neither carries nor moves has impulse and velocity
//!    in proportion to it, and no series in t.
//! 3. If that is close but not sufficient, Newton steps on the natural map with a large proximal weight. They remove
//!    the remaining error and hardly move along the set of exact motions.
//!
//! If that does not suffice either, the path goes on to the next rung. More coefficients extrapolate nearer to t = 0,
//! but amplify round-off about with the square of their number; ten is a compromise.
//!
//! Source: power series of the central path (Monteiro, Adler and Resende 1990), in √t where complementarity is not strict
//! (Stoer, Wechs and Mizuno 1998). Departures: one series, not one per step; the ladder; the Newton steps. Cost: about 5
//! factorizations at the rung that serves and 2 at others, one solve per coefficient.

use super::complementarity::Direction;
use super::options::{Ending, PathEnd};
use super::path::{Goal, Path, Which};
use super::start::truncated;
use crate::merit::Merit;
use crate::newton::NewtonOptions;
use crate::newton_system::NewtonSystem;
use crate::warm_start::make_feasible;
use crate::{History, StoppingRule};
use signorini_problem::ContactProblem;

/// Rungs begin where the residual has fallen to this share of the speed \[1\]: no series converged before.
const BEGIN: f64 = 1e-2;
/// Ratio of a rung to the one above \[1\]. A power of two, so that units that differ by powers of two give the same
/// bits.
const DESCENT: f64 = 0.25;
/// Rungs tried.
const ATTEMPTS: usize = 24;
/// Least share of t that a step may aim at while the first rung is looked for.
const LEAST_CENTRING: f64 = 0.1;
/// The path is near a rung when its mean product is within this factor of it.
const NEAR_RUNG: f64 = 2.0;
/// Most Newton steps at fixed t.
const MOST_CENTRINGS: usize = 20;
/// Share of the way to the boundary that such a step may go.
const CENTRING_FRACTION: f64 = 0.9;
/// Relative change of the worst block below which the series can predict whether more steps are worth their cost \[1\].
const TELLING: f64 = 0.1;
/// The same that counts as none.
const CENTRED: f64 = 1e-11;
/// Below this a step that is not much smaller than the last one is round-off.
const NEARLY_CENTRED: f64 = 1e-6;
/// Coefficients of the series.
const ORDERS: usize = 10;
/// Newton steps are tried if the residual of a limit is below this share of the speed \[1\].
const CLOSE: f64 = 1e-4;
/// A limit within this multiple of the tolerance does not improve further down the path \[1\]: the rest is round-off,
/// and the judge decides.
const NEARLY: f64 = 2.0;

/// The values of t at which the limit is tried: a fixed ladder below the t of the first iterate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rungs {
    /// The present one, or the top of the ladder while the first is looked for \[J\].
    target: f64,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The residual is too large yet.
    Above,
    /// So many rungs are left.
    Among { left: usize },
    /// None are left, or none were asked for.
    Below,
}

impl Rungs {
    /// Whether the path may end wherever it suffices.
    pub(super) fn are_behind(&self) -> bool {
        self.stage == Stage::Below
    }

    /// What a step from `gap` may aim at instead of `target`, so as not to jump over a rung.
    pub(super) fn bound(&self, target: f64, gap: f64) -> f64 {
        match self.stage {
            Stage::Above => target.max(LEAST_CENTRING * gap),
            Stage::Among { .. } => target.max(self.target),
            Stage::Below => target,
        }
    }

    fn descend(&mut self) {
        self.target *= DESCENT;
        self.stage = match self.stage {
            Stage::Among { left } if left > 1 => Stage::Among { left: left - 1 },
            _ => Stage::Below,
        };
    }
}

/// Result of Newton steps at fixed t.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Centring {
    /// On the path to round-off.
    Done,
    /// Nearly on the path, but the series does not give an answer from here.
    Hopeless,
    /// Not on the path.
    Failed,
}

/// Result of looking for a rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// The iterate is between rungs.
    Between,
    /// The limit from this rung is the answer, up to round-off.
    Arrived,
    /// The limit from this rung is not the answer; the iterate has changed.
    Descended,
}

impl Path {
    /// The ladder below the first iterate.
    pub(super) fn rungs(&self, problem: &ContactProblem, ending: Ending) -> Rungs {
        match ending {
            Ending::FirstSufficient => Rungs { target: 0.0, stage: Stage::Below },
            Ending::Limit => Rungs { target: truncated(self.mean_gap(problem, None)), stage: Stage::Above },
        }
    }

    /// If the iterate is at a rung, the limit from there.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn look_at_rung(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        impulses: &mut [f64],
        rungs: &mut Rungs,
        stop: &StoppingRule,
        end: &mut PathEnd,
        history: &mut History,
    ) -> Look {
        if rungs.stage == Stage::Below || rungs.stage == Stage::Above && self.residual > BEGIN * self.speed {
            return Look::Between;
        }
        let gap = self.mean_gap(problem, None);
        if rungs.stage == Stage::Above {
            while rungs.target > gap.max(0.0) {
                rungs.target *= DESCENT;
            }
            rungs.stage = Stage::Among { left: ATTEMPTS };
        }
        if gap > NEAR_RUNG * rungs.target {
            return Look::Between;
        }
        let arrived = self.limit(system, problem, impulses, rungs.target, stop, end, history);
        rungs.descend();
        if arrived { Look::Arrived } else { Look::Descended }
    }

    /// Computes the limit of the path from its point at `target`, into `impulses`. Returns whether it is the answer. If
    /// not, the iterate is near that point, or unchanged if none was found.
    #[allow(clippy::too_many_arguments)]
    fn limit(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        impulses: &mut [f64],
        target: f64,
        stop: &StoppingRule,
        end: &mut PathEnd,
        history: &mut History,
    ) -> bool {
        let most = stop.max_iterations.unwrap_or(usize::MAX);
        let mut uncentred = std::mem::take(&mut self.uncentred);
        uncentred.keep(self, 0.0);
        let centring = self.centre_at(system, problem, target, most, end);
        if centring == Centring::Failed {
            uncentred.restore(self);
        }
        self.uncentred = uncentred;
        if centring != Centring::Done {
            return false;
        }
        let mut merit = self.extrapolate(system, problem, target);
        if !merit.suffices(problem, stop) && merit.natural <= CLOSE * self.speed {
            let first = NewtonOptions::default().proximal;
            let options = NewtonOptions {
                least_proximal: first,
                refinements: 4,
                max_iterations: 10,
                patience: 3,
                ..NewtonOptions::default()
            };
            let stop = StoppingRule { max_iterations: Some(most.saturating_sub(end.iterations)), ..*stop };
            let newton = self.newton.run(system, problem, &mut self.stuck, &options, &stop, history);
            end.iterations += newton.iterations;
            merit = newton.merit;
        }
        let measured = merit.measured(problem, stop.tolerance.measure);
        if measured.is_nan() || measured > NEARLY * stop.tolerance.value {
            return false;
        }
        impulses.copy_from_slice(&self.stuck);
        (end.merit, end.suffices) = (merit, merit.suffices(problem, stop));
        true
    }

    /// Makes Newton steps at fixed t down to round-off. Leaves a factor good enough for the series.
    fn centre_at(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        target: f64,
        most_iterations: usize,
        end: &mut PathEnd,
    ) -> Centring {
        let (mut last, mut told) = (f64::INFINITY, false);
        // Every direction is refined as far as that goes.
        self.residual = 0.0;
        for _ in 0..MOST_CENTRINGS.min(most_iterations.saturating_sub(end.iterations)) {
            if self.refactor(system, problem, end).is_none() {
                return Centring::Failed;
            }
            self.direction(system, problem, Goal::Products { target });
            self.take_trial();
            let size = self.largest(problem);
            let reach = (CENTRING_FRACTION * self.longest_step(problem, Which::Step)).min(1.0);
            if !self.apply(problem, reach) {
                return Centring::Failed;
            }
            if reach == 1.0 && (size <= CENTRED || size <= NEARLY_CENTRED && size > 0.1 * last) {
                return Centring::Done;
            }
            if reach == 1.0 && size < TELLING && !told {
                told = true;
                // Infinite if it is not a number.
                if self.extrapolate(system, problem, target).natural > CLOSE * self.speed {
                    return Centring::Hopeless;
                }
            }
            last = size;
        }
        Centring::Failed
    }

    /// The sum of the path's series at t = 0 into `stuck`, made feasible, and its residual.
    fn extrapolate(&mut self, system: &mut NewtonSystem, problem: &ContactProblem, target: f64) -> Merit {
        let blocks = self.conditions.len();
        self.coefficients.clear();
        self.coefficients.resize(blocks, [0.0; 4]);
        self.series.clear();
        self.series.resize(ORDERS * blocks, Direction::default());
        self.stuck.clear();
        self.stuck.extend_from_slice(&self.r);
        for order in 1..=ORDERS {
            // Coefficients of t (1 − τ)².
            let product = match order {
                1 => -2.0 * target,
                2 => target,
                _ => 0.0,
            };
            for (c, condition) in self.conditions.iter().enumerate() {
                let product = product * self.weights[c];
                let mut rhs = [product, product, 0.0, 0.0];
                for i in 1..order {
                    let (a, b) = (&self.series[(i - 1) * blocks + c], &self.series[(order - i - 1) * blocks + c]);
                    for (rhs, term) in rhs.iter_mut().zip(a.product(condition, b)) {
                        *rhs -= term;
                    }
                }
                self.coefficients[c] = rhs;
            }
            self.direction(system, problem, Goal::Coefficient);
            self.series[(order - 1) * blocks..order * blocks].copy_from_slice(&self.trial);
            for (sum, dr) in self.stuck.iter_mut().zip(&self.dr) {
                *sum += dr;
            }
        }
        make_feasible(problem, &mut self.stuck);
        system.apply_w(problem, &self.stuck, &mut self.w_dr);
        for (u, q) in self.w_dr.iter_mut().zip(problem.q()) {
            *u += q;
        }
        Merit::of(problem, &self.stuck, &self.w_dr)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{InteriorPoint, PathOptions, Start};
    use super::*;
    use signorini_problem::{Block, DenseDelassus, Symmetry};

    /// Four independent contacts of unit inertia: one pressed, one that neither carries nor moves (r = √t on the path),
    /// one that separates, one that slides with μ = 1/2.
    #[test]
    fn the_limit_is_exact_also_where_a_contact_neither_carries_nor_moves() {
        let q = vec![-1.0, 0.0, 1.0, -1.0, 2.0, 0.0];
        let answer = [1.0, 0.0, 0.0, 1.0, -0.5, 0.0];
        let w = (0..36).map(|entry| if entry % 7 == 0 { 1.0 } else { 0.0 }).collect();
        let mut blocks = vec![Block::normal(); 3];
        blocks.push(Block::contact(0.5));
        let w = signorini_problem::Delassus::Dense(DenseDelassus::new(6, w));
        let problem = ContactProblem::new(blocks, w, q, Symmetry::Exact).unwrap();
        let error = |ending| {
            let options = PathOptions { ending, ..PathOptions::default() };
            let mut interior = InteriorPoint { options, ..InteriorPoint::default() };
            interior.prepare(&problem);
            let mut r = [0.0; 6];
            let stop = StoppingRule::velocity(1e-6);
            let end = interior.follow(&problem, &mut r, Start::Scaled, &stop, &mut History::off());
            assert!(end.suffices);
            r.iter().zip(answer).fold(0.0, |worst, (r, answer)| f64::max(worst, (r - answer).abs()))
        };
        let (limit, first) = (error(Ending::Limit), error(Ending::FirstSufficient));
        assert!(limit <= 1e-9 && first > 1e-9, "{limit:e} at the limit, {first:e} on the way");
    }
}

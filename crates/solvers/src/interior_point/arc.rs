//! Follows the central path around a fold, where t cannot decrease monotonically.
//!
//! Coulomb's law is not monotone, so the path `products = t` may turn back: t has to rise for a while before it falls
//! again. The path is followed by arc length (Keller 1977) in `s = ln t`. With `a` the Newton correction at fixed t and
//! `b = dz/ds` the tangent, both from one factorization,
//!
//! ```text
//! dz = a + b ds,   ds = −⟨τ, a⟩ / (⟨τ, b⟩ + τ_s)     (correction orthogonal to the last tangent τ)
//! ```
//!
//! then a predictor along the new tangent. Its direction follows from the determinant of the system: forward means that
//! t falls where the determinant is positive, as at the start, and rises where it is negative. Lengths are measured
//! relative to the iterate itself (each impulse by its normal part, each velocity by its slack): the natural metric of
//! an interior point. A fold involves few contacts. Step lengths use sums over all blocks; whether an iterate is on the
//! path is decided by the worst block.

use super::complementarity::{Complementarity, Direction, Point};
use super::options::PathEnd;
use super::path::{Goal, Path, Which};
use crate::newton_system::NewtonSystem;
use crate::{History, StoppingRule};
use signorini_problem::ContactProblem;
use signorini_problem::math;

/// Share of the distance to the boundary that a predictor may use \[1\].
const PREDICTOR_FRACTION: f64 = 0.6;
/// First predictor, in relative change of all blocks together.
const FIRST_STEP: f64 = 0.5;
/// Longest predictor, in relative root mean square change.
const LONGEST_STEP: f64 = 2.0;
/// A predictor shorter than this makes no progress.
const SHORTEST_STEP: f64 = 1e-6;
/// An iterate whose every block is corrected by less than this, relative to itself, is on the path.
const ON_PATH: f64 = 0.05;
/// First correction that a predictor should leave, as a relative change of the worst block.
const WANTED_CORRECTION: f64 = 0.3;
/// A first correction larger than this does not converge well enough to go on with.
const LARGEST_CORRECTION: f64 = 3.0;
/// How much shorter or longer the next predictor may be than the last.
const LEAST_GROWTH: f64 = 0.3;
const MOST_GROWTH: f64 = 3.0;
/// Most corrections after a predictor.
const MOST_CORRECTIONS: usize = 6;
/// The fold is behind once t has fallen below this share of where it turned.
const PASSED: f64 = 0.3;
/// Limit on how often t may turn on one walk. A fold turns it twice; successful walks took up to eight turns. More
/// occur in regular packings, where all contacts fold at nearly the same t and the walk cycles.
const MOST_REVERSALS: usize = 16;

impl Path {
    /// Walks around the fold at the current iterate, with about `most` factorizations at most. Returns true if t falls
    /// again, or the tolerance is met.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn walk_around(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        impulses: &mut [f64],
        most_steps: usize,
        stop: &StoppingRule,
        end: &mut PathEnd,
        history: &mut History,
    ) -> bool {
        let fold = self.mean_gap(problem, None);
        let Some(mut s) = self.centre(system, problem, end) else { return false };
        let mut length = FIRST_STEP;
        // ln t component of the tangent; its block directions are kept in `predictor`.
        let mut tangent_s;
        let last = end.iterations + most_steps;
        let (mut heading, mut reversals) = (-1.0, 0);
        let mut saved = Saved::default();
        while end.iterations < last {
            // Tangent at a point of the path, with the factor of the last corrector.
            self.direction(system, problem, Goal::Tangent { target: math::exp(s) });
            let norm = (self.norm_square(problem, Set::Trial) + 1.0).sqrt();
            // Along the path the determinant changes its sign exactly where t turns.
            let onward = if system.determinant_is_positive() { -1.0 } else { 1.0 };
            reversals += usize::from(onward != heading);
            heading = onward;
            if reversals > MOST_REVERSALS {
                end.tangled = true;
                return false;
            }
            tangent_s = onward / norm;
            for (tangent, b) in self.predictor.iter_mut().zip(&self.trial) {
                *tangent = *b;
                tangent.scale(tangent_s);
            }
            self.step.clone_from(&self.predictor);
            for (d, b) in self.joint_step.iter_mut().zip(&self.joint_trial) {
                *d = tangent_s * b;
            }
            if s < math::ln(PASSED * fold) && tangent_s < 0.0 {
                return true;
            }
            saved.keep(self, s);
            loop {
                let reach = (PREDICTOR_FRACTION * self.longest_step(problem, Which::Step)).min(length);
                if reach <= SHORTEST_STEP || !self.apply(problem, reach) {
                    return false;
                }
                s += reach * tangent_s;
                let first_correction = self.correct(system, problem, &mut s, tangent_s, end);
                match first_correction {
                    Some(size) => {
                        // The error of a predictor grows with the square of its length.
                        let factor = (WANTED_CORRECTION / size).sqrt().clamp(LEAST_GROWTH, MOST_GROWTH);
                        length = f64::min(factor * reach, LONGEST_STEP * (self.products as f64).sqrt());
                        break;
                    }
                    None => {
                        s = saved.restore(self);
                        length = 0.25 * length.min(reach);
                        self.step.clone_from(&self.predictor);
                        for (d, b) in self.joint_step.iter_mut().zip(&saved.joint_tangent) {
                            *d = *b;
                        }
                        if end.iterations >= last {
                            return false;
                        }
                    }
                }
            }
            self.grade(system, problem, impulses, stop, end, history);
            if end.suffices {
                return true;
            }
        }
        false
    }

    /// Returns to a point of the path: near the last well-centred iterate, else near the first one.
    fn centre(&mut self, system: &mut NewtonSystem, problem: &ContactProblem, end: &mut PathEnd) -> Option<f64> {
        let (centred, origin) = (std::mem::take(&mut self.centred), std::mem::take(&mut self.origin));
        let mut found = None;
        for near in [&centred, &origin] {
            near.restore(self);
            found = self.recentre(system, problem, end);
            if found.is_some() {
                break;
            }
        }
        (self.centred, self.origin) = (centred, origin);
        found
    }

    /// Makes Newton steps at fixed t, at or above the fold, until the iterate is on the path; returns ln t.
    fn recentre(&mut self, system: &mut NewtonSystem, problem: &ContactProblem, end: &mut PathEnd) -> Option<f64> {
        let gap = self.mean_gap(problem, None);
        for factor in [1.0, 3.0, 10.0, 100.0] {
            let t = factor * gap;
            for _ in 0..12 {
                self.refactor(system, problem, end)?;
                self.direction(system, problem, Goal::Products { target: t });
                self.take_trial();
                let size = self.largest(problem);
                let reach = (0.9 * self.longest_step(problem, Which::Step)).min(1.0);
                if !self.apply(problem, reach) {
                    return None;
                }
                if reach == 1.0 && size < ON_PATH {
                    self.refactor(system, problem, end)?;
                    return Some(math::ln(t));
                }
                if reach < 0.02 {
                    break;
                }
            }
        }
        None
    }

    pub(super) fn refactor(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        end: &mut PathEnd,
    ) -> Option<()> {
        self.refresh_velocity(system, problem);
        self.linearise(system, problem);
        end.iterations += 1;
        system.factor_once(problem).ok()
    }

    /// Makes Newton steps orthogonal to the tangent until the iterate is on the path. Returns the size of the first
    /// correction, or `None` if it does not converge. Leaves a fresh factor.
    fn correct(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        s: &mut f64,
        tangent_s: f64,
        end: &mut PathEnd,
    ) -> Option<f64> {
        let mut last = 0.5 * LARGEST_CORRECTION;
        let mut first = None;
        for _ in 0..MOST_CORRECTIONS {
            self.refactor(system, problem, end)?;
            let target = math::exp(*s);
            self.direction(system, problem, Goal::Products { target });
            self.take_trial();
            self.direction(system, problem, Goal::Tangent { target });
            let ds = -self.inner(problem, Set::Step) / (self.inner(problem, Set::Trial) + tangent_s);
            if !ds.is_finite() {
                return None;
            }
            self.add_trial_to_step(ds);
            let size = self.largest(problem).max(ds.abs());
            let first = *first.get_or_insert(size);
            if size < ON_PATH {
                return Some(first);
            }
            if size > 2.0 * last {
                return None;
            }
            last = size;
            let reach = (0.9 * self.longest_step(problem, Which::Step)).min(1.0);
            if reach < 0.1 || !self.apply(problem, reach) {
                return None;
            }
            *s += reach * ds;
        }
        None
    }

    /// ⟨last tangent, set⟩ in the relative metric.
    fn inner(&self, problem: &ContactProblem, set: Set) -> f64 {
        let other = self.set(set);
        self.sum(problem, |c, condition, point| relative_inner(condition, point, &self.predictor[c], &other[c]))
    }

    fn norm_square(&self, problem: &ContactProblem, set: Set) -> f64 {
        let d = self.set(set);
        self.sum(problem, |c, condition, point| relative_inner(condition, point, &d[c], &d[c]))
    }

    fn sum(&self, problem: &ContactProblem, term: impl Fn(usize, &Complementarity, &Point) -> f64) -> f64 {
        let mut sum = 0.0;
        for (c, condition) in self.conditions.iter().enumerate() {
            if condition.products() > 0 {
                sum += term(c, condition, &self.point(problem, c));
            }
        }
        sum
    }

    /// Largest relative change of a block by the step.
    pub(super) fn largest(&self, problem: &ContactProblem) -> f64 {
        let mut largest: f64 = 0.0;
        for (c, condition) in self.conditions.iter().enumerate() {
            let d = &self.step[c];
            largest = largest.max(relative_inner(condition, &self.point(problem, c), d, d));
        }
        largest.sqrt()
    }

    fn set(&self, set: Set) -> &[Direction] {
        match set {
            Set::Step => &self.step,
            Set::Trial => &self.trial,
        }
    }

    fn add_trial_to_step(&mut self, factor: f64) {
        for (d, b) in self.step.iter_mut().zip(&self.trial) {
            d.add(b, factor);
        }
        for (d, b) in self.joint_step.iter_mut().zip(&self.joint_trial) {
            *d += factor * b;
        }
    }
}

/// The iterate before a predictor.
#[derive(Clone, Debug, Default)]
pub(super) struct Saved {
    r: Vec<f64>,
    y: Vec<f64>,
    extra: Vec<f64>,
    extra_hi: Vec<f64>,
    joint_tangent: Vec<f64>,
    s: f64,
}

impl Saved {
    pub(super) fn keep(&mut self, path: &Path, s: f64) {
        self.r.clone_from(&path.r);
        self.y.clone_from(&path.y);
        self.extra.clone_from(&path.extra);
        self.extra_hi.clone_from(&path.extra_hi);
        self.joint_tangent.clone_from(&path.joint_step);
        self.s = s;
    }

    pub(super) fn restore(&self, path: &mut Path) -> f64 {
        path.r.clone_from(&self.r);
        path.y.clone_from(&self.y);
        path.extra.clone_from(&self.extra);
        path.extra_hi.clone_from(&self.extra_hi);
        self.s
    }
}

#[derive(Clone, Copy)]
enum Set {
    Step,
    Trial,
}

/// Inner product of two directions of a block, each part relative to the block's own size.
fn relative_inner(condition: &Complementarity, p: &Point, a: &Direction, b: &Direction) -> f64 {
    match *condition {
        Complementarity::Joint | Complementarity::Fixed => 0.0,
        Complementarity::Normal | Complementarity::Frictionless => {
            a.dr[0] * b.dr[0] / (p.r[0] * p.r[0]) + a.dy[0] * b.dy[0] / (p.y[0] * p.y[0])
        }
        Complementarity::Frictional { mu } => {
            let x0 = mu * p.r[0];
            a.dr[0] * b.dr[0] / (p.r[0] * p.r[0])
                + (a.dr[1] * b.dr[1] + a.dr[2] * b.dr[2]) / (x0 * x0)
                + a.dy[0] * b.dy[0] / (p.y[0] * p.y[0])
                + (a.dy[1] * b.dy[1] + a.dy[2] * b.dy[2] + a.dextra * b.dextra) / (p.extra * p.extra)
        }
        // The normal rows are counted with the contact.
        Complementarity::Moment { mu } => {
            let x0 = mu * p.r[0];
            (a.dr[1] * b.dr[1] + a.dr[2] * b.dr[2]) / (x0 * x0)
                + (a.dy[1] * b.dy[1] + a.dy[2] * b.dy[2] + a.dextra * b.dextra) / (p.extra * p.extra)
        }
        Complementarity::Interval { lo, hi } => {
            let mut sum = 0.0;
            if lo.is_finite() {
                sum += a.dr[0] * b.dr[0] / math::powi(p.r[0] - lo, 2) + a.dextra * b.dextra / (p.extra * p.extra);
            }
            if hi.is_finite() {
                sum += a.dr[0] * b.dr[0] / math::powi(hi - p.r[0], 2)
                    + a.dextra_hi * b.dextra_hi / (p.extra_hi * p.extra_hi);
            }
            sum
        }
    }
}

//! Follows the central path: predictor, corrector, step, until the solver's own residual suffices.

use super::arc::Saved;
use super::complementarity::{Complementarity, Direction, Model, Point};
use super::limit::{Look, Rungs};
use super::moments::{Moment, write_rows};
use super::options::{PathEnd, PathOptions};
use super::start::Start;
use crate::merit::Merit;
use crate::newton::NewtonStep;
use crate::newton_system::{NewtonSystem, Refinement};
use crate::warm_start::make_feasible;
use crate::{History, StoppingRule};
use signorini_problem::ContactProblem;
use signorini_problem::math;

/// A joint's proximal weight: `u + ε w (r⁺ − r) = 0`, exact at convergence whatever ε.
const JOINT_PROXIMAL: f64 = 1e-9;

/// A step shorter than this is a jam.
const JAMMED: f64 = 0.05;
/// A step at least this long ends well centred.
const LONG_STEP: f64 = 0.7;
/// Error of a direction, over the residual of the iterate, that is not worth a refinement.
const GOOD_DIRECTION: f64 = 1e-4;
/// So many jams in a row mean a fold.
const JAMS_BEFORE_ARC: usize = 3;

/// Buffers of the path.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// One for every block, then one for every moment of a contact that resists spinning or rolling.
    pub(super) conditions: Vec<Complementarity>,
    pub(super) moments: Vec<Moment>,
    pub(super) r: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) extra: Vec<f64>,
    pub(super) extra_hi: Vec<f64>,
    pub(super) u: Vec<f64>,
    pub(super) g: Vec<f64>,
    pub(super) dr: Vec<f64>,
    pub(super) w_dr: Vec<f64>,
    pub(super) models: Vec<Model>,
    pub(super) weights: Vec<f64>,
    pub(super) predictor: Vec<Direction>,
    pub(super) step: Vec<Direction>,
    pub(super) trial: Vec<Direction>,
    pub(super) joint_step: Vec<f64>,
    pub(super) joint_trial: Vec<f64>,
    /// The first iterate, whose products are all the same.
    pub(super) origin: Saved,
    /// The last iterate reached by a long step, once a short one has left it.
    pub(super) centred: Saved,
    /// Whether the iterate was reached by a long step.
    after_long_step: bool,
    pub(super) products: usize,
    /// Natural map [m/s] of the iterate.
    pub(super) residual: f64,
    /// Impulses of the all-sticking solve, and |q|∞/w of every block.
    pub(super) stuck: Vec<f64>,
    pub(super) typical: Vec<f64>,
    /// Stiffness of every block in a sticking solve \[kg\].
    pub(super) stiffness: Vec<f64>,
    /// For the limit: right-hand sides of a coefficient of the path's series, and all coefficients so far, one after
    /// another.
    pub(super) coefficients: Vec<[f64; 4]>,
    pub(super) series: Vec<Direction>,
    /// The iterate before it was centred.
    pub(super) uncentred: Saved,
    /// Newton steps from near the limit to the answer.
    pub(super) newton: NewtonStep,
    /// Largest ‖q‖ of any block, or component of q, by the start [m/s].
    pub(super) speed: f64,
}

impl Path {
    /// Follows the path from a start, and around folds where it jams.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn follow(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        impulses: &mut [f64],
        start: Start,
        options: &PathOptions,
        stop: &StoppingRule,
        history: &mut History,
    ) -> PathEnd {
        self.resize(problem);
        self.r.copy_from_slice(impulses);
        self.refresh_velocity(system, problem);
        let guess = Merit::of(problem, impulses, &self.u);
        let mut end = PathEnd { iterations: 0, merit: guess, suffices: guess.suffices(problem, stop), tangled: false };
        if end.suffices {
            return end;
        }
        if start == Start::Warm && self.stick_as_guessed(system, problem, impulses, stop, &mut end)
            || !self.begin(system, problem, impulses, start)
        {
            return end;
        }
        let stuck = matches!(start, Start::Uniform | Start::Automatic);
        if stuck && self.all_stick(system, problem, impulses, stop, &mut end) {
            return end;
        }
        let cap = stop.max_iterations.unwrap_or(options.max_iterations).min(options.max_iterations);
        let (mut lowest, mut stalled, mut jams, mut turns) = (f64::INFINITY, 0, 0, 0);
        let most = stop.max_iterations.unwrap_or(usize::MAX);
        let (mut allowed, mut arc_steps) = (cap, options.max_arc_steps);
        let mut origin = std::mem::take(&mut self.origin);
        origin.keep(self, 0.0);
        self.origin = origin;
        self.after_long_step = true;
        let mut rungs = self.rungs(problem, options.ending);
        loop {
            // Progress of this path alone: the guess may have been better than its first iterates.
            let measured = self.grade(system, problem, impulses, stop, &mut end, history);
            let before = end.iterations;
            match self.look_at_rung(system, problem, impulses, &mut rungs, stop, &mut end, history) {
                Look::Between => {}
                Look::Arrived => break,
                Look::Descended => {
                    allowed = most.min(allowed + end.iterations - before);
                    continue;
                }
            }
            if measured < 0.9 * lowest {
                (lowest, stalled) = (measured, 0);
            } else {
                stalled += 1;
            }
            let arrived = end.suffices && rungs.are_behind();
            if arrived || end.iterations >= allowed || stalled > options.patience {
                break;
            }
            let Some(length) = self.advance(system, problem, options, &rungs, stalled) else { break };
            end.iterations += 1;
            jams = if length < JAMMED { jams + 1 } else { 0 };
            let near = end.merit.measured(problem, stop.tolerance.measure) <= options.near * stop.tolerance.value;
            if jams >= JAMS_BEFORE_ARC && (turns == options.max_turns || near) {
                break;
            }
            if jams >= JAMS_BEFORE_ARC {
                turns += 1;
                (jams, stalled, lowest) = (0, 0, f64::INFINITY);
                let before = end.iterations;
                let affordable = arc_steps.min(most.saturating_sub(before));
                let walked = self.walk_around(system, problem, impulses, affordable, stop, &mut end, history);
                arc_steps = arc_steps.saturating_sub(end.iterations - before);
                allowed = most.min(end.iterations + cap);
                if !walked || end.suffices && rungs.are_behind() {
                    break;
                }
            }
        }
        end
    }

    /// Whether the guess already suffices, before anything is prepared.
    pub(super) fn suffices_already(&mut self, problem: &ContactProblem, impulses: &[f64], stop: &StoppingRule) -> bool {
        self.u.resize(problem.rows(), 0.0);
        // `g` is free until the path begins: scratch for the velocities of bodies.
        problem.delassus().apply(problem.offsets(), impulses, &mut self.u, &mut self.g);
        for (u, q) in self.u.iter_mut().zip(problem.q()) {
            *u += q;
        }
        Merit::of(problem, impulses, &self.u).suffices(problem, stop)
    }

    /// Velocity and residual of the iterate; kept in `impulses` if it is the best so far.
    pub(super) fn grade(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        end: &mut PathEnd,
        history: &mut History,
    ) -> f64 {
        let measure = stop.tolerance.measure;
        self.refresh_velocity(system, problem);
        let merit = Merit::of(problem, &self.r, &self.u);
        let measured = merit.measured(problem, measure);
        self.residual = merit.natural;
        history.record(end.iterations, merit.natural);
        if measured < end.merit.measured(problem, measure) {
            // The iterate is strictly inside its cones; this only guards against the last bit.
            impulses.copy_from_slice(&self.r);
            make_feasible(problem, impulses);
            end.merit = merit;
            end.suffices = merit.suffices(problem, stop);
        }
        measured
    }

    pub(super) fn resize(&mut self, problem: &ContactProblem) {
        let rows = problem.rows();
        self.conditions.clear();
        self.conditions.extend(problem.blocks().iter().map(Complementarity::new));
        self.list_moments(problem);
        self.products = self.conditions.iter().map(Complementarity::products).sum();
        for buffer in [
            &mut self.r,
            &mut self.y,
            &mut self.u,
            &mut self.g,
            &mut self.dr,
            &mut self.w_dr,
            &mut self.joint_step,
            &mut self.joint_trial,
        ] {
            buffer.clear();
            buffer.resize(rows, 0.0);
        }
        let conditions = self.conditions.len();
        for buffer in [&mut self.extra, &mut self.extra_hi] {
            buffer.clear();
            buffer.resize(conditions, 0.0);
        }
        self.weights.clear();
        self.weights.resize(conditions, 1.0);
        self.models.resize(conditions, Model::default());
        for directions in [&mut self.predictor, &mut self.step, &mut self.trial] {
            directions.resize(conditions, Direction::default());
        }
    }

    /// `u = W r + q`.
    pub(super) fn refresh_velocity(&mut self, system: &mut NewtonSystem, problem: &ContactProblem) {
        system.apply_w(problem, &self.r, &mut self.u);
        for (u, q) in self.u.iter_mut().zip(problem.q()) {
            *u += q;
        }
    }

    /// Makes one predictor–corrector step, not beyond the next rung. Returns its length; `None` if the path cannot go
    /// on.
    fn advance(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        options: &PathOptions,
        rungs: &Rungs,
        stalled: usize,
    ) -> Option<f64> {
        let (blocks, moments) = self.weights.split_at_mut(problem.blocks().len());
        options.weights.spread(blocks);
        for (weight, moment) in moments.iter_mut().zip(&self.moments) {
            *weight = blocks[moment.block];
        }
        let gap = self.mean_gap(problem, None);
        self.linearise(system, problem);
        system.factor_once(problem).ok()?;
        // Predictor: straight at the solution.
        self.direction(system, problem, Goal::Products { target: 0.0 });
        std::mem::swap(&mut self.predictor, &mut self.trial);
        let affine = self.longest_step(problem, Which::Predictor).min(1.0);
        let affine_gap = self.mean_gap(problem, Some((Which::Predictor, affine)));
        let left = affine_gap.max(0.0) / gap;
        let mut centring = math::powi(left, 3).clamp(options.least_centring, 1.0);
        // The better the predictor, the closer to the boundary: a fixed share would leave that share of the gap each time.
        let fraction = options.boundary_fraction.max(1.0 - left.max(1.0 - affine));
        if stalled >= 2 {
            centring = centring.max(0.3);
        }
        // Corrector.
        let target = rungs.bound(centring * gap, gap);
        let goal = if affine > 0.1 { Goal::SecondOrder { target } } else { Goal::Products { target } };
        self.direction(system, problem, goal);
        self.take_trial();
        let mut length = (fraction * self.longest_step(problem, Which::Step)).min(1.0);
        if length < 0.3 {
            // The same factor with more centring often gets further.
            for centring in [0.3, 0.8] {
                self.direction(system, problem, Goal::Products { target: centring * gap });
                let other = (fraction * self.longest_step(problem, Which::Trial)).min(1.0);
                if other > 1.5 * length {
                    self.take_trial();
                    length = other;
                }
            }
        }
        if !length.is_finite() || length <= 0.0 {
            return None;
        }
        // Saved only before a short step; it is not needed otherwise.
        if self.after_long_step && length < LONG_STEP {
            let mut centred = std::mem::take(&mut self.centred);
            centred.keep(self, 0.0);
            self.centred = centred;
        }
        self.after_long_step = length >= LONG_STEP;
        self.apply(problem, length).then_some(length)
    }

    pub(super) fn take_trial(&mut self) {
        std::mem::swap(&mut self.step, &mut self.trial);
        std::mem::swap(&mut self.joint_step, &mut self.joint_trial);
    }

    #[inline(always)]
    pub(super) fn point(&self, problem: &ContactProblem, c: usize) -> Point {
        let (r, y) = (self.rows_of(problem, c, &self.r), self.rows_of(problem, c, &self.y));
        Point { r, y, extra: self.extra[c], extra_hi: self.extra_hi[c] }
    }

    /// Mean product over its weight, after a step if given.
    pub(super) fn mean_gap(&self, problem: &ContactProblem, step: Option<(Which, f64)>) -> f64 {
        let mut sum = 0.0;
        for (c, condition) in self.conditions.iter().enumerate() {
            if condition.products() == 0 {
                continue;
            }
            let mut point = self.point(problem, c);
            if let Some((which, length)) = step {
                point = point.moved(&self.directions(which)[c], length);
            }
            sum += point.gap(condition) / self.weights[c];
        }
        sum / self.products.max(1) as f64
    }

    pub(super) fn directions(&self, which: Which) -> &[Direction] {
        match which {
            Which::Predictor => &self.predictor,
            Which::Step => &self.step,
            Which::Trial => &self.trial,
        }
    }

    /// K of every block.
    pub(super) fn linearise(&mut self, system: &mut NewtonSystem, problem: &ContactProblem) {
        for c in 0..problem.blocks().len() {
            let w = if problem.scales()[c] > 0.0 { problem.scales()[c] } else { 1.0 };
            let rows = problem.blocks()[c].rows;
            let k = system.k_mut(c);
            k.fill(0.0);
            if self.conditions[c] == Complementarity::Joint {
                for i in 0..rows {
                    k[i * rows + i] = 1.0 / (JOINT_PROXIMAL * w);
                }
                continue;
            }
            self.models[c] = self.point(problem, c).linearise(&self.conditions[c]);
            let found = &self.models[c].k;
            if let Ok(k) = <&mut [f64; 9]>::try_from(&mut *k) {
                k.copy_from_slice(found.as_flattened());
                continue;
            }
            let few = rows.min(3);
            for (k, row) in k.chunks_exact_mut(rows).zip(found) {
                k[..few].copy_from_slice(&row[..few]);
            }
        }
        self.linearise_moments(system, problem);
    }

    /// A direction into `trial`.
    pub(super) fn direction(&mut self, system: &mut NewtonSystem, problem: &ContactProblem, goal: Goal) {
        for c in 0..self.conditions.len() {
            let condition = self.conditions[c];
            if condition == Complementarity::Joint {
                let range = problem.range(c);
                let w = if problem.scales()[c] > 0.0 { problem.scales()[c] } else { 1.0 };
                for i in range {
                    self.g[i] = if goal.keeps_slack() { 0.0 } else { -self.u[i] / (JOINT_PROXIMAL * w) };
                }
                continue;
            }
            let point = self.point(problem, c);
            let weight = self.weights[c];
            self.models[c].rhs = match goal {
                Goal::Products { target } => point.right_hand_side(&condition, target * weight, None),
                Goal::SecondOrder { target } => {
                    point.right_hand_side(&condition, target * weight, Some(&self.predictor[c]))
                }
                Goal::Tangent { target } => [target * weight, target * weight, 0.0, 0.0],
                Goal::Coefficient => self.coefficients[c],
            };
            let offset = point.offset(&condition, &self.models[c]);
            // g = c + K (y − u).
            let slack = self.slack_defect(problem, c, goal);
            let k = &self.models[c].k;
            let pushed = |i: usize| offset[i] + (k[i][0] * slack[0] + k[i][1] * slack[1] + k[i][2] * slack[2]);
            let pushed = [pushed(0), pushed(1), pushed(2)];
            write_rows(problem, &self.moments, c, &mut self.g, pushed);
        }
        // Elimination along the diagonal loses digits where contacts slide; without refinement the last decades crawl.
        // A predictor without error is not needed where the last factor was good.
        let most_steps = match goal {
            Goal::Products { target: 0.0 } => usize::from(system.needs_refinement()),
            _ => 2,
        };
        let refinement = Refinement { most_steps, good_speed: GOOD_DIRECTION * self.residual };
        system.solve(problem, &self.g, &mut self.dr, &mut self.w_dr, refinement);
        for c in 0..self.conditions.len() {
            let condition = self.conditions[c];
            if condition == Complementarity::Joint {
                continue;
            }
            let slack = self.slack_defect(problem, c, goal);
            let (dr, du) = (self.rows_of(problem, c, &self.dr), self.rows_of(problem, c, &self.w_dr));
            let dy = [du[0] - slack[0], du[1] - slack[1], du[2] - slack[2]];
            let mut d = Direction { dr, dy, ..Direction::default() };
            self.point(problem, c).complete(&condition, &self.models[c], &mut d);
            self.trial[c] = d;
        }
        self.joint_trial.copy_from_slice(&self.dr);
    }

    /// `y − u` of block `c`; an interval's y is the difference of its two slacks. A derivative of the path keeps it as it is.
    #[inline(always)]
    fn slack_defect(&self, problem: &ContactProblem, c: usize, goal: Goal) -> [f64; 3] {
        if goal.keeps_slack() {
            return [0.0; 3];
        }
        let (y, u) = (self.rows_of(problem, c, &self.y), self.rows_of(problem, c, &self.u));
        match self.conditions[c] {
            Complementarity::Interval { .. } => [self.extra[c] - self.extra_hi[c] - u[0], 0.0, 0.0],
            // No tangential slack is kept where there is no friction: its impulse stays zero.
            Complementarity::Normal | Complementarity::Frictionless => [y[0] - u[0], 0.0, 0.0],
            Complementarity::Fixed | Complementarity::Joint => [0.0; 3],
            Complementarity::Frictional { .. } => [y[0] - u[0], y[1] - u[1], y[2] - u[2]],
            Complementarity::Moment { .. } => {
                // Correct also if its contact has no friction, of which only the normal row is kept.
                [y[0] - u[0], y[1] - u[1], y[2] - u[2]]
            }
        }
    }

    pub(super) fn longest_step(&self, problem: &ContactProblem, which: Which) -> f64 {
        let directions = self.directions(which);
        let mut step = f64::INFINITY;
        for (c, condition) in self.conditions.iter().enumerate() {
            step = self.point(problem, c).longest_step(condition, &directions[c], step);
        }
        step
    }

    /// Takes the step; false if it is not finite.
    pub(super) fn apply(&mut self, problem: &ContactProblem, length: f64) -> bool {
        for c in 0..self.conditions.len() {
            if self.conditions[c] == Complementarity::Joint {
                for i in problem.range(c) {
                    self.r[i] += length * self.joint_step[i];
                }
                continue;
            }
            let d = &self.step[c];
            let (rows, first) = self.own_rows(problem, c);
            for (row, i) in rows.zip(first..3) {
                self.r[row] += length * d.dr[i];
                self.y[row] += length * d.dy[i];
            }
            self.extra[c] += length * d.dextra;
            self.extra_hi[c] += length * d.dextra_hi;
        }
        self.r.iter().chain(&self.y).chain(&self.extra).all(|x| x.is_finite())
    }
}

/// What a direction aims at.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Goal {
    /// Every product at `target` times its weight, and y = u.
    Products { target: f64 },
    /// The same with the predictor's second-order term.
    SecondOrder { target: f64 },
    /// The derivative of the path with respect to ln t, at t = `target`.
    Tangent { target: f64 },
    /// The next coefficient of the path's series, whose right-hand sides are in `coefficients`.
    Coefficient,
}

impl Goal {
    fn keeps_slack(&self) -> bool {
        matches!(self, Goal::Tangent { .. } | Goal::Coefficient)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Predictor,
    Step,
    Trial,
}

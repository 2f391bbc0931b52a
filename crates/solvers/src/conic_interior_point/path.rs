//! Main loop of the conic path: predictor, corrector, step; after a failure the same with more cautious settings.

use super::block::{Model, Point, Role, Shared, lag, mismatch};
use super::options::*;
use super::polish::Polish;
use crate::linalg::kernels::widest;
use crate::merit::Merit;
use crate::newton::scale;
use crate::newton_system::{NewtonSystem, Refinement};
use crate::warm_start::make_feasible;
use crate::{Accept, History, StoppingRule};
use signorini_problem::ContactProblem;

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ConicEnd {
    /// Steps of the path and of polishes, one factorization each.
    pub iterations: usize,
    /// Residual of the impulses that are returned.
    pub merit: Merit,
    /// Whether that suffices.
    pub suffices: bool,
}

/// The iterate and its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConicPath {
    pub(super) roles: Vec<Role>,
    pub(super) points: Vec<Point>,
    models: Vec<Model>,
    predictor: Vec<Point>,
    step: Vec<Point>,
    trial: Vec<Point>,
    /// Impulse directions of all rows that belong to `step` and `trial`; joints have no point.
    dr_step: Vec<f64>,
    pub(super) r: Vec<f64>,
    pub(super) u: Vec<f64>,
    pub(super) g: Vec<f64>,
    pub(super) dr: Vec<f64>,
    pub(super) w_dr: Vec<f64>,
    /// The best iterate of this path.
    best: Vec<f64>,
    pub(super) guessed_velocity: Vec<f64>,
    pub(super) typical: Vec<f64>,
    pub(super) products: usize,
    speed: f64,
    polish: Polish,
    /// ε times the last step's length: `ε w dr` of that step is the part of the mismatch that is not a lag of the
    /// shift.
    proximal_length: f64,
}

/// Caution of the next steps: θ and the least centring.
#[derive(Clone, Copy, Debug, Default)]
struct Caution {
    level: usize,
    steps_left: usize,
    jams: usize,
}

impl Caution {
    /// Updates caution after a step of this length. Returns false if the path is stuck.
    fn after(&mut self, length: f64) -> bool {
        if length < SHORT && self.level + 1 < THETA.len() {
            (self.level, self.steps_left) = (self.level + 1, STAY);
        } else if self.level > 0 {
            self.steps_left = self.steps_left.saturating_sub(1);
            if self.steps_left == 0 {
                self.level = 0;
            }
        }
        self.jams = if length < JAMMED.1 { self.jams + 1 } else { 0 };
        self.jams < JAMMED.0
    }
}

impl ConicPath {
    /// One attempt from the feasible guess in `impulses`, which is replaced if something better is found.
    pub(crate) fn follow(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        impulses: &mut [f64],
        options: &ConicOptions,
        stop: &StoppingRule,
        history: &mut History,
    ) -> ConicEnd {
        self.resize(problem);
        let measure = stop.tolerance.measure;
        let mut cap = options.max_factorizations.min(stop.max_iterations.unwrap_or(usize::MAX));
        self.r.copy_from_slice(impulses);
        self.refresh_velocity(system, problem);
        let mut merit = Merit::of(problem, impulses, &self.u);
        let mut end = ConicEnd { iterations: 0, merit, suffices: merit.suffices(problem, stop) };
        if end.suffices || self.speed == 0.0 || cap == 0 {
            return end;
        }
        match options.start {
            ConicStart::Uniform => {
                end.iterations += 1;
                if !self.start_uniform(system, problem) {
                    return end;
                }
            }
            ConicStart::Cold => {
                self.dr.fill(0.0);
                make_feasible(problem, &mut self.dr);
                let nothing = std::mem::take(&mut self.dr);
                system.apply_w(problem, &nothing, &mut self.u);
                add(&mut self.u, problem.q());
                self.project_smoothly(problem, &nothing, self.speed);
                self.dr = nothing;
                self.refresh_velocity(system, problem);
            }
            ConicStart::Warm => {
                if merit.natural < POLISH_GUESS * self.speed {
                    self.best.copy_from_slice(impulses);
                    self.run_polish(system, problem, impulses, cap, stop, &mut end, history);
                    if end.suffices {
                        return end;
                    }
                    self.r.copy_from_slice(impulses);
                    self.refresh_velocity(system, problem);
                }
                self.start_warm(system, problem, impulses, end.merit.natural.max(LEAST_MARGIN * self.speed));
            }
        }
        let (mut caution, mut accept) = (Caution::default(), options.accept);
        let (mut best, mut polish_below) = (f64::INFINITY, POLISH_BELOW * self.speed);
        let mut proximal = options.proximal;
        // The best residual when it last fell by much, and when that was.
        let mut progress = (f64::INFINITY, end.iterations);
        self.proximal_length = 0.0;
        loop {
            merit = Merit::of(problem, &self.r, &self.u);
            let measured = merit.measured(problem, measure);
            history.record(end.iterations, merit.natural);
            if !measured.is_finite() {
                break;
            }
            if merit.natural < best {
                best = merit.natural;
                self.best.copy_from_slice(&self.r);
            }
            if best < SLOW * progress.0 {
                progress = (best, end.iterations);
            } else if end.iterations >= progress.1 + self.patience(options, end.merit.measured(problem, measure)) {
                break;
            }
            if measured < end.merit.measured(problem, measure) {
                impulses.copy_from_slice(&self.r);
                make_feasible(problem, impulses);
                (end.merit, end.suffices) = (merit, merit.suffices(problem, stop));
            }
            if let Some(Accept { residual, further_factorizations }) = accept
                && end.merit.measured(problem, measure) <= residual
            {
                cap = cap.min(end.iterations + further_factorizations);
                accept = None;
            }
            if end.suffices || end.iterations >= cap {
                break;
            }
            if best < polish_below {
                polish_below = best / POLISH_AGAIN;
                self.run_polish(system, problem, impulses, cap, stop, &mut end, history);
                if end.suffices || end.iterations >= cap {
                    break;
                }
            }
            end.iterations += 1;
            let good_speed = GOOD_DIRECTION * merit.natural;
            let Some(length) = self.advance(system, problem, proximal, caution.level, good_speed) else { break };
            if length < SHORT {
                proximal = f64::min(PROXIMAL_GROWTH * proximal, proximal.max(GREATEST_PROXIMAL));
            } else if length > LONG && options.start == ConicStart::Warm {
                proximal = f64::max(proximal / PROXIMAL_GROWTH, options.proximal);
            }
            if !caution.after(length) {
                break;
            }
        }
        end
    }

    /// Number of factorizations without progress that end a path with this residual.
    fn patience(&self, options: &ConicOptions, measured: f64) -> usize {
        let near = options.accept.is_some_and(|accept| measured <= NEARLY_ACCEPTED * accept.residual);
        if near && options.start == ConicStart::Warm { PATIENCE_NEAR } else { PATIENCE }
    }

    /// Semismooth steps from the best iterate of the path.
    #[allow(clippy::too_many_arguments)]
    fn run_polish(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        impulses: &mut [f64],
        cap: usize,
        stop: &StoppingRule,
        end: &mut ConicEnd,
        history: &mut History,
    ) {
        let most = POLISH_STEPS.min(cap - end.iterations);
        let (steps, merit) = self.polish.run(system, problem, &mut self.best, most, stop);
        end.iterations += steps;
        history.record(end.iterations, merit.natural);
        let measure = stop.tolerance.measure;
        if merit.measured(problem, measure) < end.merit.measured(problem, measure) {
            impulses.copy_from_slice(&self.best);
            (end.merit, end.suffices) = (merit, merit.suffices(problem, stop));
        }
    }

    fn resize(&mut self, problem: &ContactProblem) {
        let (rows, blocks) = (problem.rows(), problem.blocks().len());
        self.roles.clear();
        self.roles.extend(problem.blocks().iter().map(Role::of));
        self.products = self.roles.iter().map(Role::products).sum();
        self.speed = problem.speed();
        for buffer in
            [&mut self.r, &mut self.u, &mut self.g, &mut self.dr, &mut self.w_dr, &mut self.best, &mut self.dr_step]
        {
            buffer.clear();
            buffer.resize(rows, 0.0);
        }
        for points in [&mut self.points, &mut self.predictor, &mut self.step, &mut self.trial] {
            points.clear();
            points.resize(blocks, Point::default());
        }
        self.models.clear();
        self.models.resize(blocks, Model::default());
    }

    /// `u = W r + q`.
    pub(super) fn refresh_velocity(&mut self, system: &mut NewtonSystem, problem: &ContactProblem) {
        system.apply_w(problem, &self.r, &mut self.u);
        add(&mut self.u, problem.q());
    }

    /// Impulses of all blocks that have a point, from their points.
    pub(super) fn write_impulses(&mut self, problem: &ContactProblem) {
        for (c, role) in self.roles.iter().enumerate() {
            let r = &mut self.r[problem.range(c)];
            match *role {
                Role::Free => {}
                Role::Fixed { at } => r[0] = at,
                Role::Bounded { .. } | Role::Frictional { .. } => {
                    for (r, x) in r.iter_mut().zip(self.points[c].r) {
                        *r = x;
                    }
                }
            }
        }
    }

    pub(super) fn shared(&self, theta: f64, gap: f64, proximal: f64) -> Shared {
        Shared { theta, rounding: (ROUNDING * gap, ROUNDING * self.speed), proximal, joint_proximal: JOINT_PROXIMAL }
    }

    /// Makes one predictor–corrector step and returns its length; `None` if no step can be made.
    fn advance(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        proximal: f64,
        level: usize,
        good_speed: f64,
    ) -> Option<f64> {
        let gap = self.mean_gap(None);
        let shared = self.shared(THETA[level], gap, proximal);
        let lags = widest(
            #[inline(always)]
            || {
                let mut lags = 0.0;
                for (c, role) in self.roles.iter().enumerate() {
                    let (at, u) = (&self.points[c], &self.u[problem.range(c)]);
                    self.models[c].linearise(role, at, u, scale(problem, c), &shared, system.k_mut(c));
                    let mut p = mismatch(role, at, u, &shared);
                    let e = self.proximal_length * scale(problem, c);
                    for (p, d) in p.iter_mut().zip(self.step[c].r) {
                        *p -= e * d;
                    }
                    lags += lag(role, at, &p);
                }
                lags / self.products.max(1) as f64
            },
        );
        system.factor_once(problem).ok()?;
        let refinement = Refinement { most_steps: REFINEMENTS, good_speed };
        self.direction(system, problem, 0.0, false, refinement);
        std::mem::swap(&mut self.predictor, &mut self.trial);
        let affine = self.longest_step(&self.predictor).min(1.0);
        let left = if gap > 0.0 { self.mean_gap(Some(affine)).max(0.0) / gap } else { 0.0 };
        let behind = if gap > 0.0 { f64::min(LAG_SHARE[level] * lags / gap, 1.0) } else { 0.0 };
        let centring = (left * left * left).clamp(LEAST_CENTRING, 1.0).max(behind);
        self.direction(system, problem, centring * gap, true, refinement);
        self.take_trial();
        let fraction = BOUNDARY.max(1.0 - f64::max(left, 1.0 - affine));
        let mut length = (fraction * self.longest_step(&self.step)).min(1.0);
        if length < CENTRE {
            self.direction(system, problem, centring.max(0.5) * gap, false, refinement);
            let other = (BOUNDARY * self.longest_step(&self.trial)).min(1.0);
            if other > length {
                self.take_trial();
                length = other;
            }
        }
        if !length.is_finite() || length <= 0.0 {
            return None;
        }
        for (at, d) in self.points.iter_mut().zip(&self.step) {
            *at = at.moved(d, length);
        }
        for (r, d) in self.r.iter_mut().zip(&self.dr_step) {
            *r += length * d;
        }
        self.write_impulses(problem);
        self.refresh_velocity(system, problem);
        self.proximal_length = length * proximal;
        Some(length)
    }

    fn take_trial(&mut self) {
        std::mem::swap(&mut self.step, &mut self.trial);
        std::mem::swap(&mut self.dr_step, &mut self.dr);
    }

    /// The direction to products of `target` in `trial` and `dr`, with the last factor.
    fn direction(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        target: f64,
        second_order: bool,
        refinement: Refinement,
    ) {
        widest(
            #[inline(always)]
            || {
                for (c, role) in self.roles.iter().enumerate() {
                    let range = problem.range(c);
                    let previous = second_order.then(|| &self.predictor[c]);
                    let (u, g) = (&self.u[range.clone()], &mut self.g[range]);
                    self.models[c].right_hand_side(role, &self.points[c], u, target, previous, g);
                }
            },
        );
        system.solve(problem, &self.g, &mut self.dr, &mut self.w_dr, refinement);
        widest(
            #[inline(always)]
            || {
                for (c, role) in self.roles.iter().enumerate() {
                    let (at, range) = (&self.points[c], problem.range(c));
                    self.trial[c] = self.models[c].direction(role, at, &self.dr[range.clone()], &self.w_dr[range]);
                }
            },
        );
    }

    fn longest_step(&self, directions: &[Point]) -> f64 {
        widest(
            #[inline(always)]
            || {
                let mut longest = f64::INFINITY;
                for ((role, at), d) in self.roles.iter().zip(&self.points).zip(directions) {
                    longest = longest.min(at.longest_step(role, d));
                }
                longest
            },
        )
    }

    /// Mean product \[J\], after a share of the predictor step if given.
    fn mean_gap(&self, affine: Option<f64>) -> f64 {
        let mut sum = 0.0;
        for (c, role) in self.roles.iter().enumerate() {
            let at = match affine {
                Some(length) => self.points[c].moved(&self.predictor[c], length),
                None => self.points[c],
            };
            sum += at.gap(role);
        }
        sum / self.products.max(1) as f64
    }
}

/// `x += y`.
pub(super) fn add(x: &mut [f64], y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += y;
    }
}

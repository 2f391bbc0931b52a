//! First iterates of the central path: equal impulses, impulses scaled by inertia, or a guess moved inside the cones.

use super::complementarity::{Complementarity, Point};
use super::options::PathEnd;
use super::path::Path;
use crate::StoppingRule;
use crate::cone::tangential_norm;
use crate::merit::{Merit, triple};
use crate::newton_system::{NewtonSystem, Refinement};
use crate::warm_start::make_feasible;
use signorini_problem::{ContactProblem, Law};

/// Stiffness of the all-sticking solve of [`Start::Uniform`], over 1/w.
const STICK_STIFFNESS: f64 = 1e8;
/// A contact of a guess counts as open up to this impulse, as a speed over that of the problem \[1\].
const CARRIES_NOTHING: f64 = 1e-6;
/// Share of the friction bound above which a contact of a guess may slide next.
const NEARLY_SLIDING: f64 = 0.99;
/// Every proximal step of an all-sticking solve must reduce the residual to this share \[1\].
const HOLDS: f64 = 1e-2;
/// Proximal steps that remove the stiffness from an all-sticking answer; one or two are usual.
const PROXIMAL_STEPS: usize = 5;
/// Impulses larger than |q|∞/w by this factor come from loads passed on between bodies, not from impacts \[1\].
const LARGE_IMPULSE: f64 = 1e4;

/// The first iterate: every block strictly inside its cones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// The same normal impulse everywhere, as large as the largest of a regularised all-sticking solve. Needed where
    /// impulses do not scale with the local inertia: heavy bodies on light ones.
    Uniform,
    /// Each contact by its own inertia, `r_N = |q|∞ / w`. Best for impacts.
    Scaled,
    /// Uniform if the all-sticking solve has impulses far above `|q|∞ / w`, else scaled.
    Automatic,
    /// The guess, moved inside by a margin of the size of its residual.
    Warm,
    /// The guess, moved inside by a stated speed [m/s].
    WarmBy(f64),
}

impl Path {
    /// Sets the first iterate; false if it cannot be made.
    pub(super) fn begin(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        guess: &[f64],
        start: Start,
    ) -> bool {
        let speed = truncated(match start {
            // The largest component avoids more jams than the largest norm. The canonical selection starts uniformly.
            Start::Scaled | Start::Automatic => problem.speed(),
            Start::Uniform | Start::Warm | Start::WarmBy(_) => largest_block_speed(problem),
        });
        if speed == 0.0 {
            return false;
        }
        self.speed = speed;
        let mut start = start;
        let mut uniform = 0.0;
        if matches!(start, Start::Uniform | Start::Automatic) {
            let Some((largest, typical)) = self.uniform_impulse(system, problem, speed) else { return false };
            uniform = truncated(largest.max(typical));
            if start == Start::Automatic {
                start = if largest > LARGE_IMPULSE * typical { Start::Uniform } else { Start::Scaled };
            }
        }
        let margin = match start {
            Start::WarmBy(margin) => margin,
            Start::Warm => f64::clamp(10.0 * Merit::of(problem, guess, &self.u).natural, 1e-7 * speed, 0.1 * speed),
            _ => speed,
        };
        let warm = matches!(start, Start::Warm | Start::WarmBy(_));
        for c in 0..problem.blocks().len() {
            let condition = &self.conditions[c];
            let range = problem.range(c);
            let w = if problem.scales()[c] > 0.0 { problem.scales()[c] } else { 1.0 };
            let u = &self.u[range.clone()];
            let cold = if start == Start::Uniform { uniform } else { speed / w };
            let (r, y) = (&mut self.r[range.clone()], &mut self.y[range.clone()]);
            r.fill(0.0);
            y.fill(0.0);
            if warm {
                r.copy_from_slice(&guess[range.clone()]);
                y.copy_from_slice(u);
            }
            match *condition {
                Complementarity::Joint => {}
                Complementarity::Fixed => r[0] = guess[range.start],
                Complementarity::Normal | Complementarity::Frictionless => {
                    r[0] = if warm { r[0].max(margin / w) } else { cold };
                    y[0] = y[0].max(margin);
                }
                Complementarity::Frictional { mu } => {
                    let p = Point::read(r, y, 0.0, 0.0);
                    r[0] = if warm { r[0].max(tangential_norm(&p.r) / mu + margin / w) } else { cold };
                    self.extra[c] = tangential_norm(&p.y) + margin;
                    y[0] = y[0].max(margin);
                }
                // Below, beside its contact.
                Complementarity::Moment { .. } => {}
                Complementarity::Interval { lo, hi } => {
                    let inside = f64::min(margin / w, 0.25 * (hi - lo));
                    let centre = if warm {
                        r[0]
                    } else if lo.is_finite() && hi.is_finite() {
                        0.5 * (lo + hi)
                    } else {
                        0.0
                    };
                    r[0] = centre.max(lo + inside).min(hi - inside);
                    self.extra[c] = if lo.is_finite() { y[0].max(0.0) + margin } else { 0.0 };
                    self.extra_hi[c] = if hi.is_finite() { (-y[0]).max(0.0) + margin } else { 0.0 };
                }
            }
        }
        for (place, moment) in self.moments.iter().enumerate() {
            let (c, range) = (problem.blocks().len() + place, problem.range(moment.block));
            let Complementarity::Moment { mu } = self.conditions[c] else { continue };
            let w = if problem.scales()[moment.block] > 0.0 { problem.scales()[moment.block] } else { 1.0 };
            let size = |all: &[f64]| all[range.clone()][moment.rows.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
            if warm {
                // Larger normal impulses never leave the bounds of moments.
                self.r[range.start] = self.r[range.start].max(size(&self.r) / mu + margin / w);
            }
            self.extra[c] = size(&self.y) + margin;
        }
        true
    }

    /// Whether the stiff all-sticking solve of a uniform start already is the answer, as for a structure at rest. It is
    /// the shortest of all impulses that hold everything, weighted by the inertia of each contact.
    pub(super) fn all_stick(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        end: &mut PathEnd,
    ) -> bool {
        self.stuck.clear();
        self.stuck.extend_from_slice(&self.dr);
        self.stiffness.clear();
        self.stiffness.extend((0..problem.blocks().len()).map(|c| stick_stiffness(problem, c)));
        self.remove_stiffness(system, problem, impulses, stop, end)
    }

    /// The same from a guess: contacts that stick in it stay sticking, open ones stay open, and the impulses nearest to
    /// the guess with this property are the answer if they are admissible. Not tried if the guess slides.
    pub(super) fn stick_as_guessed(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        end: &mut PathEnd,
    ) -> bool {
        if !guess_sticks(problem, impulses) {
            return false;
        }
        let threshold = CARRIES_NOTHING * largest_block_speed(problem);
        self.stiffness.clear();
        for c in 0..problem.blocks().len() {
            let condition = &self.conditions[c];
            let r = &impulses[problem.range(c)];
            let carries = r[0] * problem.scales()[c] > threshold;
            let holds = match *condition {
                Complementarity::Joint => true,
                Complementarity::Fixed => false,
                Complementarity::Normal
                | Complementarity::Frictionless
                | Complementarity::Frictional { .. }
                | Complementarity::Moment { .. } => carries,
                Complementarity::Interval { lo, hi } => r[0] > lo && r[0] < hi,
            };
            self.stiffness.push(if holds { stick_stiffness(problem, c) } else { 0.0 });
        }
        for c in 0..problem.blocks().len() {
            let (n, k) = (problem.blocks()[c].rows, system.k_mut(c));
            k.fill(0.0);
            for i in 0..n {
                k[i * n + i] = self.stiffness[c];
            }
        }
        if system.factor(problem).is_err() {
            return false;
        }
        self.stuck.clear();
        self.stuck.extend_from_slice(impulses);
        self.w_dr.copy_from_slice(&self.u);
        self.proximal_step(system, problem);
        self.remove_stiffness(system, problem, impulses, stop, end)
    }

    /// One proximal step of `stuck` with the current factor, from its velocity in `w_dr`.
    fn proximal_step(&mut self, system: &mut NewtonSystem, problem: &ContactProblem) {
        for c in 0..problem.blocks().len() {
            for i in problem.range(c) {
                self.g[i] = -self.stiffness[c] * self.w_dr[i];
            }
        }
        system.solve(problem, &self.g, &mut self.dr, &mut self.w_dr, Refinement::NONE);
        for (r, dr) in self.stuck.iter_mut().zip(&self.dr) {
            *r += dr;
        }
    }

    /// Proximal steps that remove the effect of finite stiffness from `stuck`. Written to `impulses` if the result is
    /// an answer.
    fn remove_stiffness(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        end: &mut PathEnd,
    ) -> bool {
        let measure = stop.tolerance.measure;
        let mut last = HOLDS * end.merit.measured(problem, measure);
        for _ in 0..PROXIMAL_STEPS {
            make_feasible(problem, &mut self.stuck);
            system.apply_w(problem, &self.stuck, &mut self.w_dr);
            for (u, q) in self.w_dr.iter_mut().zip(problem.q()) {
                *u += q;
            }
            let merit = Merit::of(problem, &self.stuck, &self.w_dr);
            let measured = merit.measured(problem, measure);
            if merit.suffices(problem, stop) {
                impulses.copy_from_slice(&self.stuck);
                (end.merit, end.suffices) = (merit, true);
                // A factorization, as a step of the path is.
                end.iterations += 1;
                return true;
            }
            // A contact that slips or opens keeps the residual from falling further.
            if measured.is_nan() || measured > last {
                return false;
            }
            last = HOLDS * measured;
            self.proximal_step(system, problem);
        }
        false
    }

    /// Largest impulse of a stiff all-sticking solve, and the median of |q|∞/w.
    fn uniform_impulse(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        speed: f64,
    ) -> Option<(f64, f64)> {
        self.typical.clear();
        self.typical.extend(problem.scales().iter().filter(|w| **w > 0.0).map(|w| speed / w));
        if self.typical.is_empty() {
            return None;
        }
        for c in 0..problem.blocks().len() {
            let stiffness = stick_stiffness(problem, c);
            let range = problem.range(c);
            let k = system.k_mut(c);
            k.fill(0.0);
            for i in 0..range.len() {
                k[i * range.len() + i] = stiffness;
                self.g[range.start + i] = -stiffness * problem.q()[range.start + i];
            }
        }
        system.factor(problem).ok()?;
        system.solve(problem, &self.g, &mut self.dr, &mut self.w_dr, Refinement::NONE);
        let mut largest: f64 = 0.0;
        for c in 0..problem.blocks().len() {
            let square: f64 = self.dr[problem.range(c)].iter().map(|x| x * x).sum();
            largest = largest.max(square.sqrt());
        }
        self.typical.sort_unstable_by(f64::total_cmp);
        largest.is_finite().then_some((largest, self.typical[self.typical.len() / 2]))
    }
}

/// Whether every contact of a guess that carries an impulse sticks: the guess of a structure at rest.
pub(crate) fn guess_sticks(problem: &ContactProblem, r: &[f64]) -> bool {
    let threshold = CARRIES_NOTHING * largest_block_speed(problem);
    problem.blocks().iter().enumerate().all(|(c, block)| {
        let (Law::Coulomb { mu } | Law::Rolling { mu, .. }) = block.law else { return true };
        let r = &r[problem.range(c)];
        let carries = r[0] * problem.scales()[c] > threshold;
        let rolls = |(rows, bound): (std::ops::Range<usize>, f64)| {
            let size = r[rows.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
            !rows.is_empty() && size >= NEARLY_SLIDING * bound * r[0]
        };
        let slides = || tangential_norm(&triple(r)) > NEARLY_SLIDING * mu * r[0];
        mu > 0.0 && !(carries && (slides() || block.law.moments().into_iter().any(rolls)))
    })
}

/// K of the all-sticking solve.
fn stick_stiffness(problem: &ContactProblem, c: usize) -> f64 {
    let w = problem.scales()[c];
    if w > 0.0 { STICK_STIFFNESS / w } else { 0.0 }
}

/// Largest ‖q‖ of any block [m/s]: unlike the largest component it does not depend on the tangents.
fn largest_block_speed(problem: &ContactProblem) -> f64 {
    let norm_square = |c: usize| problem.q()[problem.range(c)].iter().map(|x| x * x).sum::<f64>();
    (0..problem.blocks().len()).map(norm_square).fold(0.0, f64::max).sqrt()
}

/// Truncates to 16 bits of mantissa. If there are many exact motions, the end of the path depends on its start, so the
/// start must not contain round-off that depends on the order of contacts or on tangents. Five digits are enough for a
/// change of units to be harmless.
pub(super) fn truncated(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !((1 << 36) - 1))
}

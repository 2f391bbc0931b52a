//! Where the path begins.

use super::cell::{Cell, Point};
use super::path::Path;
use crate::cone::tangential_norm;
use crate::merit::Merit;
use crate::newton_system::NewtonSystem;
use signorini_problem::ContactProblem;

/// Stiffness of the all-sticking solve of [`Start::Uniform`], over 1/w.
const STICK_STIFFNESS: f64 = 1e8;
/// Impulses so much larger than |q|∞/w come from loads that bodies hand on, not from impacts.
const LARGE_IMPULSE: f64 = 1e4;

/// The first iterate: every block strictly inside its cones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// The same normal impulse everywhere, as large as the largest of a regularised all-sticking solve. Needed where
    /// impulses do not scale with the local inertia: heavy bodies on light ones.
    Uniform,
    /// Each contact by its own inertia, `r_N = |q|∞ / w`. Best for impacts.
    Scaled,
    /// Uniform where the all-sticking solve shows impulses far above `|q|∞ / w`, else scaled.
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
            // The largest component gets around more jams than the largest norm; whoever asks for one motion among many
            // begins uniformly.
            Start::Scaled | Start::Automatic => problem.speed(),
            Start::Uniform | Start::Warm | Start::WarmBy(_) => largest_block_speed(problem),
        });
        if speed == 0.0 {
            return false;
        }
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
        for (c, cell) in self.cells.iter().enumerate() {
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
            match *cell {
                Cell::Joint => {}
                Cell::Fixed => r[0] = guess[range.start],
                Cell::Normal | Cell::Frictionless => {
                    r[0] = if warm { r[0].max(margin / w) } else { cold };
                    y[0] = y[0].max(margin);
                }
                Cell::Frictional { mu } => {
                    let p = Point::read(r, y, 0.0, 0.0);
                    r[0] = if warm { r[0].max(tangential_norm(&p.r) / mu + margin / w) } else { cold };
                    self.extra[c] = tangential_norm(&p.y) + margin;
                    y[0] = y[0].max(margin);
                }
                Cell::Interval { lo, hi } => {
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
        true
    }

    /// Largest impulse of a stiff all-sticking solve, and the median of |q|∞/w.
    fn uniform_impulse(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        speed: f64,
    ) -> Option<(f64, f64)> {
        let mut typical: Vec<f64> = problem.scales().iter().filter(|w| **w > 0.0).map(|w| speed / w).collect();
        if typical.is_empty() {
            return None;
        }
        for c in 0..self.cells.len() {
            let w = problem.scales()[c];
            let stiffness = if w > 0.0 { STICK_STIFFNESS / w } else { 0.0 };
            let range = problem.range(c);
            let k = system.k_mut(c);
            k.fill(0.0);
            for i in 0..range.len() {
                k[i * range.len() + i] = stiffness;
                self.g[range.start + i] = -stiffness * problem.q()[range.start + i];
            }
        }
        system.factor(problem).ok()?;
        system.solve(problem, &self.g, &mut self.dr, &mut self.w_dr, 0);
        let mut largest: f64 = 0.0;
        for c in 0..self.cells.len() {
            let square: f64 = self.dr[problem.range(c)].iter().map(|x| x * x).sum();
            largest = largest.max(square.sqrt());
        }
        typical.sort_unstable_by(f64::total_cmp);
        largest.is_finite().then_some((largest, typical[typical.len() / 2]))
    }
}

/// Largest ‖q‖ of any block [m/s]: unlike the largest component it does not depend on the tangents.
fn largest_block_speed(problem: &ContactProblem) -> f64 {
    let norm_square = |c: usize| problem.q()[problem.range(c)].iter().map(|x| x * x).sum::<f64>();
    (0..problem.blocks().len()).map(norm_square).fold(0.0, f64::max).sqrt()
}

/// Truncated to 16 bits of mantissa. Where exact motions are many, which one the path ends on depends on where it began,
/// so the start must not carry the round-off of the order of contacts or of their tangents; five digits are enough for a
/// change of units to be harmless.
fn truncated(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !((1 << 36) - 1))
}

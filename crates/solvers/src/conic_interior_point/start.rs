//! First iterates of the conic path: impulses moved inside their cones.
//!
//! With `Y = w T r − T⁻¹ û` of some impulses r, `w R` and `Z` are the smoothed projections of Y and −Y onto the cone:
//!
//! ```text
//! w R − Z = Y,    R ∘ Z = (g²/w) e,    eigenvalue l ↦ (l + √(l² + 4g²))/2
//! ```
//!
//! For g → 0 an exact answer is its own start; g [m/s] is the expected error of the guess. Source: smoothing of Chen
//! and Harker, Kanzow, Smale; as the start of an interior point: no factorization, and every product is g²/w.

use super::ConicPath;
use super::block::{Point, Role, lag, mismatch};
use crate::merit::triple;
use crate::newton::scale;
use crate::newton_system::{NewtonSystem, Refinement};
use signorini_problem::ContactProblem;

/// A warm start is widened until its gap is this share of the mismatch of the shift \[1\]: a path that begins with a
/// gap much below what has to be moved jams at once.
const GAP_OVER_LAG: f64 = 0.1;
/// Most rounds of widening; each costs one product with W.
const WIDENINGS: usize = 6;
/// Stiffness of the all-sticking solve that measures impulses, over 1/w \[1\].
const STICK_STIFFNESS: f64 = 1e8;
/// Bisections of the smoothed projection onto an interval: to the last bit of a double.
const BISECTIONS: usize = 80;

impl ConicPath {
    /// Sets the iterate to the smoothed projection of `guess`, whose velocity is in `self.u`, with products g²/w.
    pub(super) fn project_smoothly(&mut self, problem: &ContactProblem, guess: &[f64], g: f64) {
        for (c, role) in self.roles.iter().enumerate() {
            let range = problem.range(c);
            let w = scale(problem, c);
            let (r, u) = (&guess[range.clone()], &self.u[range.clone()]);
            let at = match *role {
                Role::Free | Role::Fixed { .. } => Point::default(),
                Role::Bounded { lo, hi } => bounded(lo, hi, w * r[0] - u[0], w, g),
                Role::Frictional { mu } => frictional(mu, &triple(r), &triple(u), w, g),
            };
            self.points[c] = at;
        }
        self.r.copy_from_slice(guess);
        self.write_impulses(problem);
    }

    /// From a guess whose velocity is in `self.u` and whose residual is about g [m/s]. No factorization.
    pub(super) fn start_warm(&mut self, system: &mut NewtonSystem, problem: &ContactProblem, guess: &[f64], g: f64) {
        let speed = problem.speed();
        let mut g = g.min(speed);
        let mut guessed = std::mem::take(&mut self.guessed_velocity);
        guessed.clear();
        guessed.extend_from_slice(&self.u);
        for round in 0..WIDENINGS {
            self.u.copy_from_slice(&guessed);
            self.project_smoothly(problem, guess, g);
            self.refresh_velocity(system, problem);
            let (gap, lags) = self.gap_and_lag(problem);
            if GAP_OVER_LAG * lags <= gap || g >= speed || round + 1 == WIDENINGS {
                break;
            }
            g = f64::min(g * (GAP_OVER_LAG * lags / gap).sqrt().clamp(1.2, 3.0), speed);
        }
        self.guessed_velocity = guessed;
    }

    /// Mean product and mean lag of the shift \[J\], without rounding of the slip.
    fn gap_and_lag(&self, problem: &ContactProblem) -> (f64, f64) {
        let shared = self.shared(0.0, 0.0, 0.0);
        let (mut gap, mut lags) = (0.0, 0.0);
        for (c, role) in self.roles.iter().enumerate() {
            let at = &self.points[c];
            gap += at.gap(role);
            lags += lag(role, at, &mismatch(role, at, &self.u[problem.range(c)], &shared));
        }
        let count = self.products.max(1) as f64;
        (gap / count, lags / count)
    }

    /// Starts with the same normal impulse everywhere, as large as the largest of a stiff all-sticking solve, because
    /// with heavy bodies on light ones impulses do not scale with the local inertia. Takes one factorization; returns
    /// false if that fails.
    pub(super) fn start_uniform(&mut self, system: &mut NewtonSystem, problem: &ContactProblem) -> bool {
        let speed = problem.speed();
        self.typical.clear();
        for c in 0..self.roles.len() {
            let (w, range) = (problem.scales()[c], problem.range(c));
            let stiffness = if w > 0.0 { STICK_STIFFNESS / w } else { 0.0 };
            if w > 0.0 {
                self.typical.push(speed / w);
            }
            let (n, k) = (range.len(), system.k_mut(c));
            k.fill(0.0);
            for i in 0..n {
                k[i * n + i] = stiffness;
                self.g[range.start + i] = -stiffness * problem.q()[range.start + i];
            }
        }
        if system.factor(problem).is_err() || self.typical.is_empty() {
            return false;
        }
        system.solve(problem, &self.g, &mut self.dr, &mut self.w_dr, Refinement::NONE);
        self.typical.sort_unstable_by(f64::total_cmp);
        let mut size = self.typical[self.typical.len() / 2];
        for c in 0..self.roles.len() {
            let square: f64 = self.dr[problem.range(c)].iter().map(|x| x * x).sum();
            size = size.max(square.sqrt());
        }
        if !size.is_finite() {
            return false;
        }
        for (c, role) in self.roles.iter().enumerate() {
            self.points[c] = match *role {
                Role::Free | Role::Fixed { .. } => Point::default(),
                Role::Frictional { mu } => Point { r: [size, 0.0, 0.0], z: [mu * speed, 0.0, 0.0] },
                Role::Bounded { lo, hi } => {
                    let inside = f64::min(size, 0.5 * (hi - lo));
                    let r = if lo.is_finite() { lo + inside } else { hi - inside };
                    let there = |bound: f64| if bound.is_finite() { speed } else { 0.0 };
                    Point { r: [r, 0.0, 0.0], z: [there(lo), there(hi), 0.0] }
                }
            };
        }
        self.r.fill(0.0);
        self.write_impulses(problem);
        self.refresh_velocity(system, problem);
        true
    }
}

/// `(l + √(l² + 4g²))/2`, without cancellation.
fn smooth_positive_part(l: f64, g: f64) -> f64 {
    let root = (l * l + 4.0 * g * g).sqrt();
    if l > 0.0 { 0.5 * (l + root) } else { 2.0 * g * g / (root - l) }
}

fn frictional(mu: f64, r: &[f64; 3], u: &[f64; 3], w: f64, g: f64) -> Point {
    let shift = mu * (u[1] * u[1] + u[2] * u[2]).sqrt();
    let y = [w * mu * r[0] - (u[0] + shift) / mu, w * r[1] - u[1], w * r[2] - u[2]];
    let t = (y[1] * y[1] + y[2] * y[2]).sqrt();
    let d = if t > 0.0 { [y[1] / t, y[2] / t] } else { [0.0; 2] };
    let cone = |sign: f64| {
        let a = smooth_positive_part(sign * (y[0] + t), g);
        let b = smooth_positive_part(sign * (y[0] - t), g);
        [0.5 * (a + b), 0.5 * (a - b) * d[0], 0.5 * (a - b) * d[1]]
    };
    let (impulse, velocity) = (cone(1.0), cone(-1.0));
    Point {
        r: [impulse[0] / (w * mu), impulse[1] / w, impulse[2] / w],
        z: [velocity[0] * mu, velocity[1], velocity[2]],
    }
}

/// The r strictly between the bounds with `w r − t/(r − lo) + t/(hi − r) = y`, t = g²/w, and the multipliers t/(r −
/// lo), t/(hi − r).
fn bounded(lo: f64, hi: f64, y: f64, w: f64, g: f64) -> Point {
    let t = g * g / w;
    if hi.is_infinite() {
        let a = smooth_positive_part(y - w * lo, g) / w;
        return Point { r: [lo + a, 0.0, 0.0], z: [t / a, 0.0, 0.0] };
    }
    if lo.is_infinite() {
        let b = smooth_positive_part(w * hi - y, g) / w;
        return Point { r: [hi - b, 0.0, 0.0], z: [0.0, t / b, 0.0] };
    }
    // Distances from the nearer bound, so that they are not lost beside it.
    let half = 0.5 * (hi - lo);
    let from_lo = y <= 0.5 * w * (lo + hi);
    let wanted = if from_lo { y - w * lo } else { w * hi - y };
    let (mut near, mut far) = (0.0, half);
    for _ in 0..BISECTIONS {
        let a = 0.5 * (near + far);
        if w * a - t / a + t / (2.0 * half - a) < wanted { near = a } else { far = a }
    }
    let a = f64::max(far, f64::MIN_POSITIVE);
    let (r, multipliers) =
        if from_lo { (lo + a, [t / a, t / (2.0 * half - a)]) } else { (hi - a, [t / (2.0 * half - a), t / a]) };
    Point { r: [r, 0.0, 0.0], z: [multipliers[0], multipliers[1], 0.0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `w r − z = y` and products g²/w, whatever the bounds.
    #[test]
    fn a_bounded_row_starts_on_its_smoothed_projection() {
        let (w, g) = (2.0, 0.1);
        for (lo, hi) in [(0.0, f64::INFINITY), (f64::NEG_INFINITY, 3.0), (-1.0, 2.0)] {
            for y in [-7.0, 0.3, 9.0] {
                let at = bounded(lo, hi, y, w, g);
                assert!(at.r[0] > lo && at.r[0] < hi);
                assert!((w * at.r[0] - at.z[0] + at.z[1] - y).abs() < 1e-9, "{lo} {hi} {y}: {at:?}");
                for (distance, multiplier) in [(at.r[0] - lo, at.z[0]), (hi - at.r[0], at.z[1])] {
                    assert!(distance.is_infinite() || (distance * multiplier - g * g / w).abs() < 1e-9);
                }
            }
        }
    }

    /// A contact that slides, exactly: the start is the answer itself up to g.
    #[test]
    fn an_exact_answer_is_its_own_start() {
        let (mu, w, g) = (0.5, 2.0, 1e-6);
        let (r, u) = ([1.0, -0.5, 0.0], [0.0, 0.3, 0.0]);
        let at = frictional(mu, &r, &u, w, g);
        let shifted = [mu * 0.3, 0.3, 0.0];
        for i in 0..3 {
            assert!((at.r[i] - r[i]).abs() < 1e-9 && (at.z[i] - shifted[i]).abs() < 1e-9, "{at:?}");
        }
    }
}

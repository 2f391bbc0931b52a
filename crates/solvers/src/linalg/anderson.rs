//! Anderson's acceleration of a fixed-point iteration `x ← g(x)` (Anderson 1965; Walker and Ni 2011, type II).
//!
//! With `f_k = g_k − x_k` and the last `m` differences `ΔF`, `ΔG`, the next point is `g_k − ΔG γ` where γ minimises
//! `‖f_k − ΔF γ‖`. The m × m normal equations are regularised, so that differences which have become parallel do no harm.
//! No convergence is claimed for a map that is not a contraction: whoever calls it watches the residual and restarts.

use super::dense::{cholesky, cholesky_solve, dot};

/// The most differences kept.
pub const MAX_DEPTH: usize = 8;
/// Relative to the largest squared difference; below it two differences count as parallel.
const TIKHONOV: f64 = 1e-13;

/// The window of differences.
#[derive(Clone, Debug, Default)]
pub struct Anderson {
    size: usize,
    depth: usize,
    stored: usize,
    next_slot: usize,
    has_previous: bool,
    delta_f: Vec<f64>,
    delta_g: Vec<f64>,
    previous_f: Vec<f64>,
    previous_g: Vec<f64>,
}

impl Anderson {
    /// Empties the window for vectors of length `size`, keeping at most `depth` differences.
    pub fn reset(&mut self, size: usize, depth: usize) {
        self.size = size;
        self.depth = depth.min(MAX_DEPTH);
        self.stored = 0;
        self.next_slot = 0;
        self.has_previous = false;
        self.delta_f.resize(self.depth * size, 0.0);
        self.delta_g.resize(self.depth * size, 0.0);
        self.previous_f.resize(size, 0.0);
        self.previous_g.resize(size, 0.0);
    }

    /// From `x` and its image `g`, writes the next point over `x`.
    pub fn advance(&mut self, x: &mut [f64], g: &[f64]) {
        let n = self.size;
        if self.has_previous && self.depth > 0 {
            let slot = self.next_slot * n..(self.next_slot + 1) * n;
            for (i, (df, dg)) in self.delta_f[slot.clone()].iter_mut().zip(&mut self.delta_g[slot]).enumerate() {
                *df = (g[i] - x[i]) - self.previous_f[i];
                *dg = g[i] - self.previous_g[i];
            }
            self.next_slot = (self.next_slot + 1) % self.depth;
            self.stored = (self.stored + 1).min(self.depth);
        }
        for i in 0..n {
            self.previous_f[i] = g[i] - x[i];
            self.previous_g[i] = g[i];
        }
        self.has_previous = true;
        let m = self.stored;
        let mut normal = [0.0; MAX_DEPTH * MAX_DEPTH];
        let mut gamma = [0.0; MAX_DEPTH];
        let column = |k: usize| &self.delta_f[k * n..(k + 1) * n];
        let mut largest: f64 = 0.0;
        for a in 0..m {
            gamma[a] = dot(column(a), &self.previous_f);
            for b in 0..=a {
                normal[a * m + b] = dot(column(a), column(b));
            }
            largest = largest.max(normal[a * m + a]);
        }
        for a in 0..m {
            normal[a * m + a] += TIKHONOV * largest;
        }
        x.copy_from_slice(g);
        if m > 0 && cholesky(&mut normal[..m * m], m) {
            cholesky_solve(&normal[..m * m], m, &mut gamma[..m]);
            for k in 0..m {
                for (x, dg) in x.iter_mut().zip(&self.delta_g[k * n..(k + 1) * n]) {
                    *x -= gamma[k] * dg;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_map_of_two_unknowns_is_solved_in_four_evaluations() {
        // x ← T x + c with T = [[0.9, 0.2], [-0.3, 0.8]]: the plain iteration needs hundreds of steps.
        let map = |x: &[f64]| [0.9 * x[0] + 0.2 * x[1] + 1.0, -0.3 * x[0] + 0.8 * x[1] - 2.0];
        let mut anderson = Anderson::default();
        anderson.reset(2, 5);
        let mut x = [0.0, 0.0];
        for _ in 0..4 {
            let g = map(&x);
            anderson.advance(&mut x, &g);
        }
        let g = map(&x);
        assert!((g[0] - x[0]).abs() + (g[1] - x[1]).abs() < 1e-9);
    }
}

//! Anderson's acceleration of a fixed-point iteration `x ← g(x)` (Anderson 1965; Walker and Ni 2011, type II).
//!
//! With `f_k = g_k − x_k` and the last `m` differences `ΔF`, `ΔG`, the next point is `g_k − ΔG γ` where γ minimises
//! `‖f_k − ΔF γ‖`. On a linear map and with a window as long as the iteration this is GMRES.
//!
//! The least squares are solved by normal equations whose products are kept from step to step, so a step costs `3 m n`
//! multiplications and `m³/6` for the factorisation. Differences are taken newest first at unit length, and one that
//! depends on newer ones is left out: what has become parallel does no harm, and the condition that normal equations
//! square stays below 1/ε.
//!
//! There is no guarantee of convergence if the map is not a contraction: the caller watches the residual and restarts.

use super::dense::dot;

/// Square of the sine of the angle between a difference and the span of the newer ones below which it depends on them.
const DEPENDENT: f64 = 1e-9;

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
    /// `ΔF_a · ΔF_b` by slots.
    products: Vec<f64>,
    /// `ΔF_a · f` by slots.
    projections: Vec<f64>,
    /// Slots taken, newest first.
    taken: Vec<usize>,
    /// Cholesky factor of the products of the slots taken at unit length, row-major.
    factor: Vec<f64>,
    gamma: Vec<f64>,
}

impl Anderson {
    /// Empties the window for vectors of length `size`, keeping at most `depth` differences. The same size and depth
    /// again allocate nothing.
    pub fn reset(&mut self, size: usize, depth: usize) {
        self.size = size;
        self.depth = depth;
        self.delta_f.resize(depth * size, 0.0);
        self.delta_g.resize(depth * size, 0.0);
        self.previous_f.resize(size, 0.0);
        self.previous_g.resize(size, 0.0);
        self.products.resize(depth * depth, 0.0);
        self.factor.resize(depth * depth, 0.0);
        self.projections.resize(depth, 0.0);
        self.gamma.resize(depth, 0.0);
        self.taken.clear();
        self.taken.reserve(depth);
        self.forget();
    }

    /// Empties the window: what was seen so far says nothing about what comes.
    pub fn forget(&mut self) {
        self.stored = 0;
        self.next_slot = 0;
        self.has_previous = false;
    }

    /// Number of differences in the window.
    pub fn differences(&self) -> usize {
        self.stored
    }

    /// From `x` and its image `g`, writes the next point over `x`.
    pub fn advance(&mut self, x: &mut [f64], g: &[f64]) {
        self.take(x, g);
        x.copy_from_slice(g);
        self.solve_least_squares();
        let n = self.size;
        for (gamma, slot) in self.gamma.iter().zip(&self.taken) {
            for (x, dg) in x.iter_mut().zip(&self.delta_g[slot * n..(slot + 1) * n]) {
                *x -= gamma * dg;
            }
        }
    }

    /// Takes a point and its image into the window, and brings the products up to date.
    fn take(&mut self, x: &[f64], g: &[f64]) {
        let (n, depth) = (self.size, self.depth);
        let mut newest = None;
        if self.has_previous && depth > 0 {
            let slot = self.next_slot * n..(self.next_slot + 1) * n;
            for (i, (df, dg)) in self.delta_f[slot.clone()].iter_mut().zip(&mut self.delta_g[slot]).enumerate() {
                *df = (g[i] - x[i]) - self.previous_f[i];
                *dg = g[i] - self.previous_g[i];
            }
            newest = Some(self.next_slot);
            self.next_slot = (self.next_slot + 1) % depth;
            self.stored = (self.stored + 1).min(depth);
        }
        for i in 0..n {
            self.previous_f[i] = g[i] - x[i];
            self.previous_g[i] = g[i];
        }
        self.has_previous = true;
        for a in 0..self.stored {
            let column = &self.delta_f[a * n..(a + 1) * n];
            self.projections[a] = dot(column, &self.previous_f);
            if let Some(b) = newest {
                let product = dot(column, &self.delta_f[b * n..(b + 1) * n]);
                self.products[a * depth + b] = product;
                self.products[b * depth + a] = product;
            }
        }
    }

    /// γ of the slots taken.
    fn solve_least_squares(&mut self) {
        let depth = self.depth;
        let Anderson { products, projections, taken, factor, gamma, .. } = self;
        taken.clear();
        for age in 1..=self.stored {
            let slot = (self.next_slot + depth - age) % depth;
            let length = products[slot * depth + slot].sqrt();
            let row = taken.len();
            let mut pivot = 1.0;
            for (j, other) in taken.iter().enumerate() {
                let cosine = products[slot * depth + other] / (length * products[other * depth + other].sqrt());
                let (above, below) = factor.split_at_mut(row * depth);
                let below = &mut below[..row];
                let done: f64 = below[..j].iter().zip(&above[j * depth..]).map(|(a, b)| a * b).sum();
                below[j] = (cosine - done) / above[j * depth + j];
                pivot -= below[j] * below[j];
            }
            // A map that has arrived makes differences of no length.
            if length > 0.0 && pivot > DEPENDENT {
                factor[row * depth + row] = pivot.sqrt();
                gamma[row] = projections[slot] / length;
                taken.push(slot);
            }
        }
        let m = taken.len();
        for i in 0..m {
            let done: f64 = (0..i).map(|j| factor[i * depth + j] * gamma[j]).sum();
            gamma[i] = (gamma[i] - done) / factor[i * depth + i];
        }
        for i in (0..m).rev() {
            let done: f64 = (i + 1..m).map(|j| factor[j * depth + i] * gamma[j]).sum();
            gamma[i] = (gamma[i] - done) / factor[i * depth + i];
        }
        for (gamma, slot) in gamma.iter_mut().zip(taken.iter()) {
            *gamma /= products[slot * depth + slot].sqrt();
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

    /// Gauss–Seidel for a chain of n unknowns, `2 x_i − x_{i−1} − x_{i+1} = 1`: a window of n differences ends it within
    /// n steps and a few, where the plain iteration gains 1 % per sweep.
    #[test]
    fn a_deep_window_solves_a_chain_in_as_many_sweeps_as_it_has_links() {
        let n = 30;
        let mut anderson = Anderson::default();
        anderson.reset(n, n);
        let mut x = vec![0.0; n];
        let mut g = x.clone();
        for _ in 0..n + 3 {
            g.copy_from_slice(&x);
            for i in 0..n {
                let left = if i > 0 { g[i - 1] } else { 0.0 };
                let right = if i + 1 < n { g[i + 1] } else { 0.0 };
                g[i] = 0.5 * (1.0 + left + right);
            }
            anderson.advance(&mut x, &g);
        }
        for (i, x) in x.iter().enumerate() {
            let (a, b) = ((i + 1) as f64, (n - i) as f64);
            assert!((x - 0.5 * a * b).abs() < 1e-6, "{i}: {x} for {}", 0.5 * a * b);
        }
    }

    /// A window longer than the space holds dependent differences; they must be left out, not divided by.
    #[test]
    fn dependent_differences_are_left_out() {
        let mut anderson = Anderson::default();
        anderson.reset(3, 12);
        let mut x = [1.0, -2.0, 0.5];
        for _ in 0..40 {
            let g = [0.5 * x[0] + 1.0, 0.5 * x[1] + 1.0, 0.5 * x[2] + 1.0];
            anderson.advance(&mut x, &g);
            assert!(x.iter().all(|x| x.is_finite()));
        }
        assert!(x.iter().all(|x| (x - 2.0).abs() < 1e-12), "{x:?}");
    }

    #[test]
    fn a_window_that_forgot_begins_with_the_plain_step() {
        let mut anderson = Anderson::default();
        anderson.reset(1, 4);
        let mut x = [0.0];
        for _ in 0..3 {
            let g = [0.9 * x[0] + 1.0];
            anderson.advance(&mut x, &g);
        }
        anderson.forget();
        assert_eq!(anderson.differences(), 0);
        x = [5.0];
        anderson.advance(&mut x, &[5.5]);
        assert_eq!(x, [5.5]);
    }
}

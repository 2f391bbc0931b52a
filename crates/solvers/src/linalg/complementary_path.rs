//! Lemke's path, with bases that are refactored every few pivots instead of a tableau.
//!
//! ```text
//! find z ≥ 0 with w = Mz + q ≥ 0 and zᵀw = 0
//! w − Mz − z₀ = q:   raise z₀ until all w ≥ 0, then follow the almost complementary bases until z₀ = 0
//! ```
//!
//! For copositive M the path ends at a solution if every z ≥ 0 with Mz ≥ 0 and zᵀMz = 0 has qᵀz ≥ 0. That is so of friction
//! pyramids over bodies for which rest is admissible (Stewart and Trinkle 1996; Anitescu and Potra 1997).
//!
//! A tableau carries the round-off of hundreds of pivots, which at mass ratios of 10⁶ leaves no digit of it. Here
//! the rows without a basic w, few beside all, are factored by LU every few pivots, and the changes since are kept as columns
//! (product form). Ties are broken by raising every entry of q a little, each by another share, which keeps the condition
//! above; the answer is solved of its sets with q as given.
//!
//! Sources: Lemke 1965; Cottle, Pang and Stone 1992, §4.4. Departures: nudged q instead of the lexicographic rule, and among
//! rows that give way at nearly the same z₀ the one of the largest pivot. Cost per pivot, with f variables in the basis out
//! of n: f² + nf multiplications, and f³/3 every sixteenth time.

use super::dense::axpy;
use super::dense_lu::{self, stride_of};
use super::kernels::widest;
use signorini_problem::math;
use std::f64::consts::GOLDEN_RATIO;

/// Pivots between factorizations.
const PIVOTS_PER_FACTORIZATION: usize = 16;
/// Entry of a direction, relative to its largest, below which it counts as zero \[1\].
const PIVOT: f64 = 1e-11;
/// Difference relative to the largest of q below which rows leave at the same z₀ \[1\].
const TOGETHER: f64 = 1e-12;
/// Limit on pivots per row.
const PIVOTS_PER_ROW: usize = 10;

/// Limit on the cost of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Budget {
    /// Most pivots.
    pub(crate) pivots: usize,
    /// Most multiplications.
    pub(crate) multiplications: f64,
}

/// How the path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LcpEnd {
    /// At a solution.
    Solution,
    /// On a ray, at a basis that round-off made singular, or out of pivots or multiplications.
    Nowhere,
}

/// Which of a pair (w, z) is in the basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Basic {
    Velocity,
    Impulse,
    Neither,
}

/// A variable of the basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variable {
    Velocity(usize),
    Impulse(usize),
    Artificial,
}

/// A change of the basis: what came in at `place`, in terms of the basis before it.
#[derive(Clone, Debug, Default)]
struct Change {
    place: usize,
    column: Vec<f64>,
}

/// The path and its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct ComplementaryPath {
    n: usize,
    q: Vec<f64>,
    state: Vec<Basic>,
    /// What is basic at each of n places, and its value.
    basis: Vec<Variable>,
    values: Vec<f64>,
    /// Rows without a basic w at the last factorization, the z that were basic then, and the LU of `−[M_RF, 1]`.
    rows: Vec<usize>,
    impulses: Vec<usize>,
    factor: Vec<f64>,
    pivots: Vec<usize>,
    /// Changes since then; the first `changed` of them.
    changes: Vec<Change>,
    changed: usize,
    direction: Vec<f64>,
    right: Vec<f64>,
    answer: Vec<f64>,
    /// Pivots, factorizations and multiplications of the last path.
    pub(crate) steps: usize,
    pub(crate) factorizations: usize,
    pub(crate) multiplications: f64,
}

impl ComplementaryPath {
    /// Follows the path of M, given by columns, with q raised by up to 1.5 `nudge`, for at most ten pivots for every row.
    pub(crate) fn follow(&mut self, columns: &[f64], q: &[f64], nudge: &[f64], budget: Budget) -> LcpEnd {
        let pivots = budget.pivots.min(PIVOTS_PER_ROW * q.len());
        self.follow_within(columns, q, nudge, Budget { pivots, ..budget })
    }

    /// The same for as many pivots as the budget has.
    pub(crate) fn follow_within(&mut self, columns: &[f64], q: &[f64], nudge: &[f64], budget: Budget) -> LcpEnd {
        let n = q.len();
        self.n = n;
        (self.steps, self.factorizations, self.multiplications) = (0, 0, 0.0);
        self.q.clear();
        // Squares times the golden ratio have no two equal differences, unlike its multiples.
        let share = |i: usize| 0.5 + (((i + 1) * (i + 1)) as f64 * GOLDEN_RATIO).fract();
        self.q.extend(q.iter().zip(nudge).enumerate().map(|(i, (q, nudge))| q + nudge * share(i)));
        self.answer.clear();
        self.answer.resize(n, 0.0);
        self.state.clear();
        self.state.resize(n, Basic::Velocity);
        let Some(mut odd) = (0..n).min_by(|a, b| self.q[*a].total_cmp(&self.q[*b])) else { return LcpEnd::Solution };
        if self.q[odd] >= 0.0 {
            return LcpEnd::Solution;
        }
        self.state[odd] = Basic::Neither;
        let mut enters = Variable::Impulse(odd);
        if !self.factorize(columns) {
            return LcpEnd::Nowhere;
        }
        let size = self.q.iter().fold(0.0, |most: f64, q| most.max(q.abs()));
        while self.steps < budget.pivots && self.multiplications <= budget.multiplications {
            self.steps += 1;
            self.solve_for(columns, enters);
            let Some(place) = self.first_to_leave(TOGETHER * size) else { return LcpEnd::Nowhere };
            let leaves = self.basis[place];
            self.state[odd] = if matches!(enters, Variable::Impulse(_)) { Basic::Impulse } else { Basic::Velocity };
            odd = match leaves {
                Variable::Artificial => return self.solve_sets(columns, q),
                Variable::Velocity(i) | Variable::Impulse(i) => i,
            };
            self.exchange(place, enters);
            self.state[odd] = Basic::Neither;
            // The complement of what left comes in.
            enters = match leaves {
                Variable::Velocity(i) => Variable::Impulse(i),
                _ => Variable::Velocity(odd),
            };
            if self.changed == PIVOTS_PER_FACTORIZATION && !self.factorize(columns) {
                return LcpEnd::Nowhere;
            }
        }
        LcpEnd::Nowhere
    }

    /// The solution at the end of the path.
    pub(crate) fn answer(&self) -> &[f64] {
        &self.answer
    }

    /// Factors the basis and computes its values afresh.
    fn factorize(&mut self, columns: &[f64]) -> bool {
        let n = self.n;
        self.rows.clear();
        self.rows.extend((0..n).filter(|i| self.state[*i] != Basic::Velocity));
        self.impulses.clear();
        self.impulses.extend((0..n).filter(|i| self.state[*i] == Basic::Impulse));
        self.basis.clear();
        self.basis.extend((0..n).map(Variable::Velocity));
        let k = self.rows.len();
        let stride = stride_of(k);
        self.factor.clear();
        self.factor.resize(k * stride, 0.0);
        self.factor[(k - 1) * stride..][..k].fill(-1.0);
        for ((b, j), factor) in self.impulses.iter().enumerate().zip(self.factor.chunks_exact_mut(stride)) {
            self.basis[self.rows[b]] = Variable::Impulse(*j);
            for (entry, i) in factor.iter_mut().zip(&self.rows) {
                *entry = -columns[j * n + i];
            }
        }
        self.basis[self.rows[k - 1]] = Variable::Artificial;
        self.changed = 0;
        if !self.eliminate() {
            return false;
        }
        self.direction.clear();
        self.direction.extend_from_slice(&self.q);
        self.solve(columns);
        std::mem::swap(&mut self.values, &mut self.direction);
        true
    }

    /// LU of `factor`, whose columns have an entry for each of `rows`; `false` if it is singular.
    fn eliminate(&mut self) -> bool {
        let k = self.rows.len();
        self.pivots.clear();
        self.pivots.resize(k, 0);
        self.factorizations += 1;
        self.multiplications += math::powi(k as f64, 3) / 3.0;
        widest(
            #[inline(always)]
            || dense_lu::factor(&mut self.factor, k, &mut self.pivots),
        )
    }

    /// `B⁻¹` of the column that enters.
    fn solve_for(&mut self, columns: &[f64], enters: Variable) {
        let n = self.n;
        self.direction.clear();
        match enters {
            Variable::Impulse(j) => self.direction.extend(columns[j * n..(j + 1) * n].iter().map(|m| -m)),
            Variable::Velocity(i) => {
                self.direction.resize(n, 0.0);
                self.direction[i] = 1.0;
            }
            Variable::Artificial => self.direction.resize(n, -1.0),
        }
        self.solve(columns);
    }

    /// `B⁻¹` of what `direction` holds, in place: the last factorization, then the changes since.
    fn solve(&mut self, columns: &[f64]) {
        widest(
            #[inline(always)]
            || self.solve_here(columns),
        );
    }

    #[inline(always)]
    fn solve_here(&mut self, columns: &[f64]) {
        let (n, k) = (self.n, self.rows.len());
        self.right.clear();
        self.right.extend(self.rows.iter().map(|i| self.direction[*i]));
        self.right.resize(stride_of(k), 0.0);
        dense_lu::solve(&self.factor, k, &self.pivots, &mut self.right);
        let artificial = self.right[k - 1];
        for value in &mut self.direction {
            *value += artificial;
        }
        for (j, value) in self.impulses.iter().zip(&self.right) {
            axpy(*value, &columns[j * n..(j + 1) * n], &mut self.direction);
        }
        for (i, value) in self.rows.iter().zip(&self.right) {
            self.direction[*i] = *value;
        }
        for change in &self.changes[..self.changed] {
            let value = self.direction[change.place] / change.column[change.place];
            axpy(-value, &change.column, &mut self.direction);
            self.direction[change.place] = value;
        }
        self.multiplications += (k * (k + n) + self.changed * n) as f64;
    }

    /// The place that gives way first as the entering variable grows; the artificial one if it can, else, of those within
    /// round-off of the first, that of the largest pivot.
    fn first_to_leave(&self, together: f64) -> Option<usize> {
        let largest = self.direction.iter().fold(1.0, |most: f64, y| most.max(y.abs()));
        let falls = |place: &usize| self.direction[*place] > PIVOT * largest;
        let within = |place: usize, slack: f64| (self.values[place].max(0.0) + slack) / self.direction[place];
        let first = (0..self.n).filter(falls).map(|place| within(place, together)).fold(f64::INFINITY, f64::min);
        let mut leaves: Option<usize> = None;
        for place in (0..self.n).filter(falls).filter(|place| within(*place, 0.0) <= first) {
            if self.basis[place] == Variable::Artificial {
                return Some(place);
            }
            if leaves.is_none_or(|other| self.direction[place] > self.direction[other]) {
                leaves = Some(place);
            }
        }
        leaves
    }

    /// Brings `enters` into the basis.
    fn exchange(&mut self, place: usize, enters: Variable) {
        let step = self.values[place].max(0.0) / self.direction[place];
        axpy(-step, &self.direction, &mut self.values);
        self.values[place] = step;
        self.basis[place] = enters;
        if self.changes.len() == self.changed {
            self.changes.push(Change::default());
        }
        let change = &mut self.changes[self.changed];
        change.place = place;
        std::mem::swap(&mut change.column, &mut self.direction);
        self.changed += 1;
    }

    /// The answer of the final sets: `M_FF z_F = −q_F` with q as given.
    fn solve_sets(&mut self, columns: &[f64], q: &[f64]) -> LcpEnd {
        let n = self.n;
        self.rows.clear();
        self.rows.extend((0..n).filter(|i| self.state[*i] == Basic::Impulse));
        let k = self.rows.len();
        self.factor.clear();
        for j in &self.rows {
            self.factor.extend(self.rows.iter().map(|i| columns[j * n + i]));
            self.factor.resize(self.factor.len().next_multiple_of(stride_of(k)), 0.0);
        }
        if !self.eliminate() {
            return LcpEnd::Nowhere;
        }
        self.right.clear();
        self.right.resize(stride_of(k), 0.0);
        // The second pass refines the first, for systems that are nearly singular.
        for _ in 0..2 {
            self.direction.clear();
            self.direction.extend(self.rows.iter().map(|i| -q[*i]));
            for (j, z) in self.rows.iter().zip(&self.right) {
                for (defect, i) in self.direction.iter_mut().zip(&self.rows) {
                    *defect -= columns[j * n + i] * z;
                }
            }
            self.direction.resize(stride_of(k), 0.0);
            dense_lu::solve(&self.factor, k, &self.pivots, &mut self.direction);
            axpy(1.0, &self.direction, &mut self.right);
        }
        if self.right.iter().any(|z| !z.is_finite()) {
            return LcpEnd::Nowhere;
        }
        for (i, z) in self.rows.iter().zip(&self.right) {
            self.answer[*i] = z.max(0.0);
        }
        LcpEnd::Solution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLENTY: Budget = Budget { pivots: 10_000, multiplications: 1e9 };

    fn follow(columns: &[f64], q: &[f64]) -> (LcpEnd, Vec<f64>) {
        let mut path = ComplementaryPath::default();
        let end = path.follow(columns, q, &vec![1e-9; q.len()], PLENTY);
        (end, path.answer().to_vec())
    }

    /// One contact in the plane, W = 1, μ = 1/2, falling at 1 and sliding at 2 along +t: rows `u_N, d₁u + λ, d₂u + λ,
    /// μr_N − β₁ − β₂`, columns `r_N, β₁, β₂, λ`. It stops falling with r_N = 1, friction is all of it against the slip,
    /// β₂ = 1/2, and the slip left is λ = 2 − 1/2.
    #[test]
    fn a_contact_that_slides_in_the_plane() {
        let columns = [1.0, 0.0, 0.0, 0.5, 0.0, 1.0, -1.0, -1.0, 0.0, -1.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0];
        let (end, z) = follow(&columns, &[-1.0, 2.0, -2.0, 0.0]);
        assert_eq!(end, LcpEnd::Solution);
        for (z, truth) in z.iter().zip([1.0, 0.0, 0.5, 1.5]) {
            assert!((z - truth).abs() < 1e-12, "{z} {truth}");
        }
    }

    /// Two copies of one row are solved. M = −1, q = −1 has no solution, since w = −z − 1 < 0 always, and ends on a
    /// ray.
    #[test]
    fn copies_are_solved_and_rays_are_told() {
        let (end, z) = follow(&[2.0; 4], &[-1.0; 2]);
        assert_eq!(end, LcpEnd::Solution);
        assert!((z[0] + z[1] - 0.5).abs() < 1e-12);
        assert_eq!(follow(&[-1.0], &[-1.0]).0, LcpEnd::Nowhere);
    }

    /// A hundred rows of a random positive definite matrix with a skew part: more than one factorization, and w, z as they
    /// should be.
    #[test]
    fn a_path_of_many_factorizations_ends_at_a_solution() {
        let n = 100;
        let noise = |k: usize| ((k * k + 7 * k) as f64 * GOLDEN_RATIO).fract() - 0.5;
        let mut columns = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                let product: f64 = (0..n).map(|k| noise(i * n + k) * noise(j * n + k)).sum();
                let skew = if i < j { noise(i * n + j) } else { -noise(j * n + i) };
                columns[j * n + i] = product + if i == j { 0.1 } else { skew };
            }
        }
        let q: Vec<f64> = (0..n).map(|i| noise(31 * i + 5)).collect();
        let mut path = ComplementaryPath::default();
        assert_eq!(path.follow(&columns, &q, &vec![1e-9; n], PLENTY), LcpEnd::Solution);
        assert!(path.factorizations > 3);
        for i in 0..n {
            let w = q[i] + (0..n).map(|j| columns[j * n + i] * path.answer()[j]).sum::<f64>();
            assert!(f64::min(w, path.answer()[i]).abs() < 1e-7, "{i}: {w} {}", path.answer()[i]);
        }
    }
}

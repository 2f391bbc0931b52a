//! A Cholesky factor that grows and shrinks by one row: `A_BB = L Lᵀ` for a set B that changes.
//!
//! ```text
//! append j:   w = L⁻¹ A_Bj,   s = A_jj − ‖w‖²,   new row (w, √s)                       O(k²)/2
//! remove k:   drop row k; rows below become lower triangular again by Givens rotations  O((n−k)²)·2
//! ```
//!
//! `s` is the Schur complement of j: zero when column j depends on those of B. The caller decides with it whether j
//! enters, so a singular A never reaches a division. L is stored by packed rows: row i has i + 1 entries, and both
//! triangular solves read rows only. Zeros before the first entry of a row stay zero and are skipped (a skyline), which
//! makes stacks and walls, whose contacts see few others, cheap without any ordering.
//!
//! Source: Golub and Van Loan, Matrix Computations (4th ed.), §4.2.9 (outer products), §6.5.4 (deleting a column).

use super::dense::{axpy, dot};

/// Start of packed row `i`.
#[inline]
fn start(i: usize) -> usize {
    i * (i + 1) / 2
}

/// The factor. Buffers are kept when it is cleared.
#[derive(Clone, Debug, Default)]
pub(crate) struct GrowingCholesky {
    size: usize,
    rows: Vec<f64>,
    /// First nonzero column of each row.
    first: Vec<usize>,
    /// `L⁻¹ a` of the column examined last, and its first nonzero.
    candidate: Vec<f64>,
    candidate_first: usize,
}

impl GrowingCholesky {
    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.size = 0;
        self.rows.clear();
        self.first.clear();
    }

    /// Factors the whole n×n matrix of which `entry` gives the lower triangle; `false` if a pivot is not positive.
    pub fn factor(&mut self, n: usize, entry: impl Fn(usize, usize) -> f64) -> bool {
        self.clear();
        for i in 0..n {
            let schur = self.examine(entry(i, i), |j| entry(i, j));
            if schur.is_nan() || schur <= 0.0 {
                return false;
            }
            self.append(schur);
        }
        true
    }

    /// Row `i` of L: `i + 1` entries.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.rows[start(i)..start(i) + i + 1]
    }

    /// Examines a column: `w = L⁻¹ a` with `a` given by index, and its Schur complement `diagonal − ‖w‖²`.
    #[inline]
    pub fn examine(&mut self, diagonal: f64, entry: impl Fn(usize) -> f64) -> f64 {
        let first = (0..self.size).find(|i| entry(*i) != 0.0).unwrap_or(self.size);
        self.candidate.clear();
        self.candidate.resize(first, 0.0);
        self.candidate_first = first;
        let mut schur = diagonal;
        for i in first..self.size {
            let row = &self.rows[start(i)..start(i) + i + 1];
            let begin = first.max(self.first[i]);
            let w = (entry(i) - dot(&row[begin..i], &self.candidate[begin..])) / row[i];
            self.candidate.push(w);
            schur -= w * w;
        }
        schur
    }

    /// `L⁻¹ a` of the column examined last.
    pub fn examined(&self) -> &[f64] {
        &self.candidate
    }

    /// First nonzero of `examined`.
    pub fn examined_first(&self) -> usize {
        self.candidate_first
    }

    /// Appends the column examined last, with its Schur complement.
    pub fn append(&mut self, schur: f64) {
        debug_assert!(schur > 0.0 && self.candidate.len() == self.size);
        self.rows.extend_from_slice(&self.candidate);
        self.rows.push(schur.sqrt());
        self.first.push(self.candidate_first);
        self.size += 1;
    }

    /// Removes row and column `k`; rows below keep their order.
    pub fn remove(&mut self, k: usize) {
        let n = self.size;
        debug_assert!(k < n);
        // Row i > k moves to place i − 1 and keeps one entry more than fits there until the rotations have emptied it:
        // rotation i mixes columns i − 1 and i of all rows from i on, so each row is rotated by those of the rows above
        // it, then gives birth to its own. The rotations are kept in the candidate buffer.
        self.candidate.clear();
        for i in k + 1..n {
            let (from, to) = (start(i), start(i - 1));
            self.rows.copy_within(from..from + i + 1, to);
            // The row now has i + 1 entries at `to`, overlapping its successor's old place, which is read next from its
            // own start; entry i is folded into entry i − 1 below before anything is written over it.
            let row = &mut self.rows[to..to + i + 1];
            for (rotation, column) in self.candidate.chunks_exact(2).zip(k..) {
                let (cosine, sine) = (rotation[0], rotation[1]);
                let (a, b) = (row[column], row[column + 1]);
                row[column] = cosine * a + sine * b;
                row[column + 1] = cosine * b - sine * a;
            }
            let (a, b) = (row[i - 1], row[i]);
            // Both squares are sums of entries of a unit-diagonal matrix: no overflow to guard against.
            let length = (a * a + b * b).sqrt();
            row[i - 1] = length;
            self.candidate.extend_from_slice(&[a / length, b / length]);
            let from = self.first[i].min(k);
            self.first[i - 1] = (from..i - 1).find(|column| row[*column] != 0.0).unwrap_or(i - 1);
        }
        self.first.truncate(n - 1);
        self.size -= 1;
        self.rows.truncate(start(self.size));
    }

    /// `x ← L⁻¹ x`.
    pub fn forward(&self, x: &mut [f64]) {
        for i in 0..self.size {
            let row = self.row(i);
            let first = self.first[i];
            x[i] = (x[i] - dot(&row[first..i], &x[first..])) / row[i];
        }
    }

    /// `x ← L⁻ᵀ x`.
    pub fn backward(&self, x: &mut [f64]) {
        for i in (0..self.size).rev() {
            let row = self.row(i);
            x[i] /= row[i];
            let xi = x[i];
            let first = self.first[i];
            axpy(-xi, &row[first..i], &mut x[first..i]);
        }
    }

    /// `x ← A_BB⁻¹ x`.
    pub fn solve(&self, x: &mut [f64]) {
        self.forward(x);
        self.backward(x);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use signorini_problem::math;

    /// An SPD matrix with unit diagonal: 1/(1 + |i − j|).
    fn entry(i: usize, j: usize) -> f64 {
        1.0 / (1.0 + i.abs_diff(j) as f64)
    }

    fn factor_of(set: &[usize]) -> GrowingCholesky {
        let mut factor = GrowingCholesky::default();
        for (k, &j) in set.iter().enumerate() {
            let schur = factor.examine(1.0, |i| entry(set[i], j));
            assert!(schur > 0.0, "row {k}");
            factor.append(schur);
        }
        factor
    }

    #[test]
    fn removing_any_row_gives_the_factor_of_what_is_left() {
        let all: Vec<usize> = (0..19).collect();
        for k in 0..all.len() {
            let mut factor = factor_of(&all);
            factor.remove(k);
            let left: Vec<usize> = all.iter().copied().filter(|&i| i != k).collect();
            let expected = factor_of(&left);
            assert_eq!(factor.size, expected.size);
            for (a, b) in factor.rows.iter().zip(&expected.rows) {
                assert!((a - b).abs() < 1e-14, "removed {k}: {a} against {b}");
            }
        }
    }

    #[test]
    fn solve_inverts_the_matrix() {
        let all: Vec<usize> = (0..23).collect();
        let factor = factor_of(&all);
        let truth: Vec<f64> = all.iter().map(|&i| math::sin(i as f64 * 1.7)).collect();
        let mut x: Vec<f64> = all.iter().map(|&i| all.iter().map(|&j| entry(i, j) * truth[j]).sum()).collect();
        factor.solve(&mut x);
        for (x, t) in x.iter().zip(&truth) {
            assert!((x - t).abs() < 1e-13);
        }
    }

    #[test]
    fn an_indefinite_matrix_has_no_factor() {
        let mut factor = GrowingCholesky::default();
        assert!(factor.factor(2, |i, j| if i == j { [4.0, 10.0][i] } else { 2.0 }));
        let mut x = [8.0, 22.0];
        factor.solve(&mut x);
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15);
        assert!(!factor.factor(2, |i, j| if i == j { 1.0 } else { 2.0 }));
    }

    #[test]
    fn a_repeated_column_has_no_schur_complement() {
        let all: Vec<usize> = (0..9).collect();
        let mut factor = factor_of(&all);
        let schur = factor.examine(1.0, |i| entry(i, 4));
        assert!(schur.abs() < 1e-15);
    }
}

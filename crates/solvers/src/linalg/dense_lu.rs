//! LU factorization with partial pivoting of a general square matrix, for Lemke's final basis.
//!
//! Source: Golub and Van Loan, Matrix Computations (4th ed.), §3.4. Cost: 2n³/3.

/// `P A = L U`, packed in one row-major square.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseLu {
    n: usize,
    values: Vec<f64>,
    swaps: Vec<usize>,
}

/// The matrix is singular to working precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Singular;

impl DenseLu {
    /// Factors the n×n matrix with the given entries.
    pub fn factor(&mut self, n: usize, entry: impl Fn(usize, usize) -> f64) -> Result<(), Singular> {
        self.n = n;
        self.values.clear();
        self.swaps.clear();
        for i in 0..n {
            self.values.extend((0..n).map(|j| entry(i, j)));
        }
        for k in 0..n {
            let mut pivot = k;
            for i in k + 1..n {
                if self.values[i * n + k].abs() > self.values[pivot * n + k].abs() {
                    pivot = i;
                }
            }
            self.swaps.push(pivot);
            if pivot != k {
                let (upper, lower) = self.values.split_at_mut(pivot * n);
                upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
            }
            let diagonal = self.values[k * n + k];
            if diagonal == 0.0 || !diagonal.is_finite() {
                return Err(Singular);
            }
            let (upper, lower) = self.values.split_at_mut((k + 1) * n);
            let top = &upper[k * n..(k + 1) * n];
            for row in lower.chunks_exact_mut(n) {
                let factor = row[k] / diagonal;
                row[k] = factor;
                if factor != 0.0 {
                    super::dense_cholesky::axpy(-factor, &top[k + 1..], &mut row[k + 1..]);
                }
            }
        }
        Ok(())
    }

    /// `x ← A⁻¹ x`.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for k in 0..n {
            x.swap(k, self.swaps[k]);
        }
        for i in 1..n {
            let sum: f64 = self.values[i * n..i * n + i].iter().zip(&*x).map(|(l, x)| l * x).sum();
            x[i] -= sum;
        }
        for i in (0..n).rev() {
            let sum: f64 = self.values[i * n + i + 1..(i + 1) * n].iter().zip(&x[i + 1..n]).map(|(u, x)| u * x).sum();
            x[i] = (x[i] - sum) / self.values[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn solves_a_system_that_needs_row_exchanges() {
        // [[0, 2, 1], [1, 0, 0], [3, 1, 0]] x = b with x = (1, −2, 4).
        let a = [[0.0, 2.0, 1.0], [1.0, 0.0, 0.0], [3.0, 1.0, 0.0]];
        let mut lu = DenseLu::default();
        lu.factor(3, |i, j| a[i][j]).unwrap();
        let mut x = [0.0, 1.0, 1.0];
        lu.solve(&mut x);
        for (x, t) in x.iter().zip([1.0, -2.0, 4.0]) {
            assert!((x - t).abs() < 1e-15);
        }
    }

    #[test]
    fn refuses_a_singular_matrix() {
        let mut lu = DenseLu::default();
        assert_eq!(lu.factor(2, |_, _| 1.0), Err(Singular));
    }
}

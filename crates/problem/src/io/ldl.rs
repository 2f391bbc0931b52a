//! `A = L D Lᵀ` of a small dense symmetric positive definite matrix, to invert mass matrices of files.
//!
//! No pivoting: for a positive definite matrix the factorization is backward stable without (Higham 2002, §10.1).
//! No square roots, so that a diagonal mass matrix is inverted without rounding twice. Cost n³/3.

/// The factors: L (unit diagonal) row by row below the diagonal, and D.
pub(super) struct Ldl {
    n: usize,
    l: Vec<f64>,
    d: Vec<f64>,
}

/// The pivot that shows that the matrix is not positive definite in this precision.
pub(super) struct NotPositive {
    pub row: usize,
    pub pivot: f64,
}

impl Ldl {
    /// Factors the row-major `n × n` matrix; only its lower triangle is read.
    pub fn new(n: usize, a: &[f64]) -> Result<Self, NotPositive> {
        let mut l = a.to_vec();
        let mut d = vec![0.0; n];
        for i in 0..n {
            let (above, row) = l.split_at_mut(i * n);
            let row = &mut row[..n];
            let mut pivot = row[i];
            for j in 0..i {
                // row[j] holds L_ij D_j until all of the row is known.
                let lj = &above[j * n..j * n + j];
                row[j] -= dot(&row[..j], lj);
            }
            for j in 0..i {
                let scaled = row[j];
                row[j] /= d[j];
                pivot -= scaled * row[j];
            }
            // What is left of the diagonal must be more than what rounding left of it.
            if !(pivot > n as f64 * f64::EPSILON * a[i * n + i].abs() && pivot.is_finite()) {
                return Err(NotPositive { row: i, pivot });
            }
            d[i] = pivot;
        }
        Ok(Ldl { n, l, d })
    }

    /// `x ← A⁻¹ x`.
    fn solve_once(&self, x: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            x[i] -= dot(&self.l[i * n..i * n + i], &x[..i]);
        }
        for i in 0..n {
            x[i] /= self.d[i];
        }
        for i in (0..n).rev() {
            let (below, rest) = x.split_at_mut(i);
            for (x, l) in below.iter_mut().zip(&self.l[i * n..i * n + i]) {
                *x -= l * rest[0];
            }
        }
    }

    /// `x = A⁻¹ b` with one step of iterative refinement, which makes the residual small row by row (Skeel 1980).
    pub fn solve(&self, a: &[f64], b: &[f64], x: &mut [f64], residual: &mut [f64]) {
        x.copy_from_slice(b);
        self.solve_once(x);
        for i in 0..self.n {
            residual[i] = b[i] - dot(&a[i * self.n..(i + 1) * self.n], x);
        }
        self.solve_once(residual);
        for (x, correction) in x.iter_mut().zip(residual) {
            *x += *correction;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hilbert_matrix_is_inverted_to_its_condition() {
        // The inverse of the 5×5 Hilbert matrix is known in integers; its condition number is 5e5.
        let n = 5;
        let a: Vec<f64> = (0..n * n).map(|k| 1.0 / (k / n + k % n + 1) as f64).collect();
        let Ok(factors) = Ldl::new(n, &a) else { unreachable!() };
        let (mut x, mut residual) = (vec![0.0; n], vec![0.0; n]);
        let mut b = vec![0.0; n];
        b[0] = 1.0;
        factors.solve(&a, &b, &mut x, &mut residual);
        for (x, exact) in x.iter().zip([25.0, -300.0, 1050.0, -1400.0, 630.0]) {
            assert!((x - exact).abs() < 1e-10 * exact.abs(), "{x} {exact}");
        }
    }

    #[test]
    fn a_diagonal_is_inverted_exactly_and_an_indefinite_matrix_is_refused() {
        let factors = Ldl::new(2, &[3.0, 0.0, 0.0, 1e-9]);
        let Ok(factors) = factors else { unreachable!() };
        let (mut x, mut residual) = ([0.0; 2], [0.0; 2]);
        factors.solve(&[3.0, 0.0, 0.0, 1e-9], &[1.0, 1.0], &mut x, &mut residual);
        assert_eq!(x, [1.0 / 3.0, 1.0 / 1e-9]);
        for bad in [[1.0, 2.0, 2.0, 1.0], [1.0, 1.0, 1.0, 1.0], [f64::NAN, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, -1.0]] {
            assert!(Ldl::new(2, &bad).is_err(), "{bad:?}");
        }
    }
}

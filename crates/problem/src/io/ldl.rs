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

    /// `x = A⁻¹ b` with two steps of iterative refinement. `residual` puts `b − A x` into its second argument; computed
    /// in twice the precision it makes x accurate to the last digits whatever the condition of A, as long as the
    /// factors are good for a few (Wilkinson 1963; Higham 2002, §12.1).
    pub fn solve(&self, residual: impl Fn(&[f64], &mut [f64]), b: &[f64], x: &mut [f64], scratch: &mut [f64]) {
        x.copy_from_slice(b);
        self.solve_once(x);
        for _ in 0..2 {
            residual(x, scratch);
            self.solve_once(scratch);
            for (x, correction) in x.iter_mut().zip(scratch.iter()) {
                *x += *correction;
            }
        }
    }
}

/// `start + Σ aᵢ bᵢ` as if computed in twice the precision and then rounded (Ogita, Rump, Oishi 2005, Dot2).
pub(super) fn precise_sum(start: f64, terms: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut error) = (start, 0.0);
    for (a, b) in terms {
        let product = a * b;
        let total = sum + product;
        let added = total - sum;
        error += (sum - (total - added)) + (product - added) + product_error(a, b, product);
        sum = total;
    }
    sum + error
}

/// `a b − fl(a b)`, exact (Dekker 1971). Without fused multiply-add, which is not the same on every machine.
fn product_error(a: f64, b: f64, product: f64) -> f64 {
    let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
    ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
}

/// Two parts of 26 bits each.
fn halves(a: f64) -> (f64, f64) {
    let shifted = 134_217_729.0 * a;
    let high = shifted - (shifted - a);
    (high, a - high)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(n: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
        let Ok(factors) = Ldl::new(n, a) else { unreachable!() };
        let (mut x, mut scratch) = (vec![0.0; n], vec![0.0; n]);
        let residual = |x: &[f64], out: &mut [f64]| {
            for i in 0..n {
                out[i] = precise_sum(b[i], (0..n).map(|j| (-a[i * n + j], x[j])));
            }
        };
        factors.solve(residual, b, &mut x, &mut scratch);
        x
    }

    #[test]
    fn an_ill_conditioned_matrix_is_inverted_to_the_last_digits() {
        // The 8×8 Hilbert matrix times 360360, which makes its entries integers; its condition number is 2e10. The
        // first column of the inverse of the Hilbert matrix is known in integers.
        let n = 8;
        let a: Vec<f64> = (0..n * n).map(|k| 360_360.0 / (k / n + k % n + 1) as f64).collect();
        assert!(a.iter().all(|x| x.fract() == 0.0));
        let mut b = vec![0.0; n];
        b[0] = 360_360.0;
        let exact = [64.0, -2016.0, 20160.0, -92400.0, 221_760.0, -288_288.0, 192_192.0, -51480.0];
        for (x, exact) in solved(n, &a, &b).iter().zip(exact) {
            assert!((x - exact).abs() < 1e-14 * f64::abs(exact), "{x} {exact}");
        }
    }

    #[test]
    fn sums_that_cancel_keep_their_digits() {
        // (1 + ε)(1 − ε) = 1 − ε²: the product alone rounds to 1.
        let one = [(1.0 + f64::EPSILON, 1.0 - f64::EPSILON)];
        assert_eq!(precise_sum(-1.0, one.into_iter()), -f64::EPSILON * f64::EPSILON);
        let large = [(1e16, 3.0), (1.5, 1.0), (-3e16, 1.0)];
        assert_eq!(precise_sum(0.0, large.into_iter()), 1.5);
    }

    #[test]
    fn a_diagonal_is_inverted_exactly_and_an_indefinite_matrix_is_refused() {
        assert_eq!(solved(2, &[3.0, 0.0, 0.0, 1e-9], &[1.0, 1.0]), [1.0 / 3.0, 1.0 / 1e-9]);
        for bad in [[1.0, 2.0, 2.0, 1.0], [1.0, 1.0, 1.0, 1.0], [f64::NAN, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, -1.0]] {
            assert!(Ldl::new(2, &bad).is_err(), "{bad:?}");
        }
    }
}

//! Dense factorizations and the dense copy of W, row-major, in fixed order of summation.
//!
//! Written here instead of taken from a library because they run on buffers that are kept between solves and because
//! the same input must give the same bits on every machine.

use signorini_problem::{ContactProblem, Delassus};

/// Partial sums kept apart so that the compiler may use vector registers; their number fixes the order of summation.
const LANES: usize = 8;

/// `xᵀy`, summed in eight interleaved partial sums: the same bits on every machine.
#[inline]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len().min(y.len());
    let whole = n - n % LANES;
    let mut lanes = [0.0; LANES];
    for (x, y) in x[..whole].chunks_exact(LANES).zip(y[..whole].chunks_exact(LANES)) {
        for k in 0..LANES {
            lanes[k] += x[k] * y[k];
        }
    }
    let tail: f64 = x[whole..n].iter().zip(&y[whole..n]).map(|(x, y)| x * y).sum();
    let pairs = [lanes[0] + lanes[4], lanes[1] + lanes[5], lanes[2] + lanes[6], lanes[3] + lanes[7]];
    ((pairs[0] + pairs[2]) + (pairs[1] + pairs[3])) + tail
}

/// `y += a x`.
#[inline(always)]
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// Copies all of W [1/kg] into `out`, row-major; `out` grows once.
pub fn copy_delassus(problem: &ContactProblem, out: &mut Vec<f64>) {
    let (n, offsets) = (problem.rows(), problem.offsets());
    out.resize(n * n, 0.0);
    match problem.delassus() {
        Delassus::Dense(w) => out.copy_from_slice(w.values()),
        Delassus::BlockSparse(w) => {
            out.fill(0.0);
            for c in 0..problem.blocks().len() {
                for (k, block) in w.row(c) {
                    let columns = offsets[k + 1] - offsets[k];
                    for (a, row) in block.chunks_exact(columns).enumerate() {
                        let start = (offsets[c] + a) * n + offsets[k];
                        out[start..start + columns].copy_from_slice(row);
                    }
                }
            }
        }
        Delassus::Factored(_) => {
            let mut block = [0.0; 36];
            for c in 0..problem.blocks().len() {
                for k in 0..=c {
                    problem.delassus().block(offsets, c, k, &mut block);
                    let columns = offsets[k + 1] - offsets[k];
                    for (a, i) in (offsets[c]..offsets[c + 1]).enumerate() {
                        for (b, j) in (offsets[k]..offsets[k + 1]).enumerate() {
                            out[i * n + j] = block[a * columns + b];
                            out[j * n + i] = block[a * columns + b];
                        }
                    }
                }
            }
        }
    }
}

/// Factors `A = L Lᵀ` in place (lower triangle, row-major `n × n`); `false` if a pivot is not positive.
pub fn cholesky(a: &mut [f64], n: usize) -> bool {
    for i in 0..n {
        let (above, rest) = a.split_at_mut(i * n);
        let row = &mut rest[..n];
        for j in 0..i {
            let other = &above[j * n..j * n + j + 1];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        row[i] = pivot.sqrt();
    }
    true
}

/// Solves `L Lᵀ x = x` in place with the factor of [`cholesky`].
pub fn cholesky_solve(l: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        x[i] = (x[i] - dot(&l[i * n..i * n + i], &x[..i])) / l[i * n + i];
    }
    for i in (0..n).rev() {
        x[i] /= l[i * n + i];
        let xi = x[i];
        for (x, l) in x[..i].iter_mut().zip(&l[i * n..i * n + i]) {
            *x -= l * xi;
        }
    }
}

/// Columns eliminated together by [`lu`]: the rest of the matrix is then read once per panel instead of once per column.
const PANEL: usize = 32;

/// Factors `P A = L U` in place with partial pivoting; `false` if a pivot vanishes or is not finite.
pub fn lu(a: &mut [f64], n: usize, pivots: &mut [usize]) -> bool {
    for first in (0..n).step_by(PANEL) {
        let last = (first + PANEL).min(n);
        for k in first..last {
            let mut best = k;
            for i in k + 1..n {
                if a[i * n + k].abs() > a[best * n + k].abs() {
                    best = i;
                }
            }
            pivots[k] = best;
            let pivot = a[best * n + k];
            if pivot == 0.0 || !pivot.is_finite() {
                return false;
            }
            if best != k {
                let (top, bottom) = a.split_at_mut(best * n);
                top[k * n..k * n + n].swap_with_slice(&mut bottom[..n]);
            }
            let (top, bottom) = a.split_at_mut((k + 1) * n);
            let upper = &top[k * n + k + 1..k * n + last];
            for row in bottom.chunks_exact_mut(n) {
                row[k] /= pivot;
                let factor = row[k];
                subtract(&mut row[k + 1..last], factor, upper);
            }
        }
        // The panel's rows of U to the right of it, then everything below: A −= L U.
        for k in first + 1..last {
            let (top, bottom) = a.split_at_mut(k * n);
            for (p, above) in top.chunks_exact(n).enumerate().skip(first) {
                let factor = bottom[p];
                subtract(&mut bottom[last..n], factor, &above[last..n]);
            }
        }
        let (top, bottom) = a.split_at_mut(last * n);
        for row in bottom.chunks_exact_mut(n) {
            let (factors, rest) = row.split_at_mut(last);
            subtract_panel(rest, &factors[first..], &top[first * n..], n, last);
        }
    }
    true
}

/// `x −= factor·y`.
#[inline]
fn subtract(x: &mut [f64], factor: f64, y: &[f64]) {
    if factor != 0.0 {
        for (x, y) in x.iter_mut().zip(y) {
            *x -= factor * y;
        }
    }
}

/// `x −= Σ_p factors_p·upper_p`, where `upper_p` is row p of `upper` from column `last` on; four rows at a time.
#[inline]
fn subtract_panel(x: &mut [f64], factors: &[f64], upper: &[f64], n: usize, last: usize) {
    let row = |p: usize| &upper[p * n + last..(p + 1) * n];
    let whole = factors.len() - factors.len() % 4;
    for p in (0..whole).step_by(4) {
        let [a, b, c, d] = [factors[p], factors[p + 1], factors[p + 2], factors[p + 3]];
        if a == 0.0 && b == 0.0 && c == 0.0 && d == 0.0 {
            continue;
        }
        let rows = row(p).iter().zip(row(p + 1)).zip(row(p + 2)).zip(row(p + 3));
        for (x, (((u, v), w), z)) in x.iter_mut().zip(rows) {
            *x -= (a * u + b * v) + (c * w + d * z);
        }
    }
    for p in whole..factors.len() {
        subtract(x, factors[p], row(p));
    }
}

/// Solves `A x = x` in place with the factors of [`lu`].
pub fn lu_solve(a: &[f64], n: usize, pivots: &[usize], x: &mut [f64]) {
    for k in 0..n {
        x.swap(k, pivots[k]);
    }
    for i in 0..n {
        x[i] -= dot(&a[i * n..i * n + i], &x[..i]);
    }
    for i in (0..n).rev() {
        x[i] = (x[i] - dot(&a[i * n + i + 1..i * n + n], &x[i + 1..])) / a[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lu_with_a_zero_leading_pivot_solves() {
        // [[0, 2, 1], [1, 1, 0], [3, 0, 1]] x = (7, 3, 6) has x = (1, 2, 3).
        let mut a = [0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0, 0.0, 1.0];
        let mut pivots = [0; 3];
        assert!(lu(&mut a, 3, &mut pivots));
        let mut x = [7.0, 3.0, 6.0];
        lu_solve(&a, 3, &pivots, &mut x);
        for (x, truth) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - truth).abs() < 1e-15);
        }
    }

    #[test]
    fn lu_refuses_a_singular_matrix() {
        assert!(!lu(&mut [1.0; 4], 2, &mut [0; 2]));
    }

    #[test]
    fn lu_of_several_panels_solves() {
        // Larger than two panels, with a zero diagonal so that every column pivots.
        let n = 75;
        let entry = |i: usize, j: usize| if i == j { 0.0 } else { 1.0 / (1.0 + (7 * i + 3 * j) as f64 % 11.0) };
        let mut a: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        for i in 0..n {
            a[i * n + (i + 1) % n] += 5.0;
        }
        let truth: Vec<f64> = (0..n).map(|i| i as f64 - 30.0).collect();
        let mut x: Vec<f64> = a.chunks_exact(n).map(|row| dot(row, &truth)).collect();
        let mut pivots = vec![0; n];
        assert!(lu(&mut a, n, &mut pivots));
        lu_solve(&a, n, &pivots, &mut x);
        for (x, truth) in x.iter().zip(&truth) {
            assert!((x - truth).abs() < 1e-11, "{x} {truth}");
        }
    }

    #[test]
    fn cholesky_solves_and_refuses_an_indefinite_matrix() {
        let mut a = [4.0, 2.0, 2.0, 10.0];
        assert!(cholesky(&mut a, 2));
        let mut x = [8.0, 22.0];
        cholesky_solve(&a, 2, &mut x);
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15);
        assert!(!cholesky(&mut [1.0, 2.0, 2.0, 1.0], 2));
    }
}

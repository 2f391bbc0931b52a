//! Dense LU with partial pivoting, `P A = L U`, of column-major matrices.
//!
//! Four columns, a panel, are eliminated together. Every later column is then updated in one pass. Columns are padded with
//! zeros to a multiple of four rows, so that loops need no special cases at their ends; with a few dozen rows these would
//! take longer than the arithmetic.
//!
//! Source: right-looking elimination by panels, as in LAPACK (Anderson et al. 1999). Departures: row exchanges of a panel
//! are not applied to earlier panels, and a solve applies both panel by panel; rows are multiplied by the reciprocals of
//! pivots. The loops work lane by lane with the same operations for every register width, so every machine computes the
//! same bits.
//!
//! Cost: n³/3 multiplications. Callers wrap it in `kernels::widest` to use the widest registers of the machine.

/// Columns of a panel, and numbers that a pass takes at once.
const PANEL: usize = 4;

/// Distance between two columns of `rows` rows.
#[inline]
pub(crate) fn stride_of(rows: usize) -> usize {
    rows.next_multiple_of(PANEL)
}

/// Factors the n×n matrix with columns [`stride_of`] n apart, zeros between them; `false` if a pivot vanishes or is not
/// finite. `pivots` keeps n rows.
#[inline(always)]
pub(crate) fn factor(a: &mut [f64], n: usize, pivots: &mut [usize]) -> bool {
    let stride = stride_of(n);
    for first in (0..n).step_by(PANEL) {
        let last = (first + PANEL).min(n);
        let (panel, rest) = a[first * stride..n * stride].split_at_mut((last - first) * stride);
        let chosen = &mut pivots[first..last];
        let regular = eliminate::<0>(panel, stride, first, chosen)
            && (last < first + 2 || eliminate::<1>(panel, stride, first, chosen))
            && (last < first + 3 || eliminate::<2>(panel, stride, first, chosen))
            && (last < first + 4 || eliminate::<3>(panel, stride, first, chosen));
        if !regular {
            return false;
        }
        for column in rest.chunks_exact_mut(stride) {
            exchange(first, &pivots[first..last], column);
        }
        for column in rest.chunks_exact_mut(stride) {
            pass(panel, stride, first, last - first, column);
        }
    }
    true
}

/// Solves `A x = x` in place with the factors of [`factor`]; x has [`stride_of`] n entries, the last ones zero.
#[inline(always)]
pub(crate) fn solve(a: &[f64], n: usize, pivots: &[usize], x: &mut [f64]) {
    let stride = stride_of(n);
    for first in (0..n).step_by(PANEL) {
        let last = (first + PANEL).min(n);
        exchange(first, &pivots[first..last], x);
        pass(&a[first * stride..last * stride], stride, first, last - first, x);
    }
    for k in (0..n).rev() {
        let column = &a[k * stride..k * stride + k + 1];
        let value = x[k] / column[k];
        x[k] = value;
        for (x, u) in x[..k].iter_mut().zip(column) {
            *x -= u * value;
        }
    }
}

/// Eliminates column K of the panel that begins at row and column `first`: brings it past the K columns before, finds its
/// pivot on the way, and exchanges rows in these columns. False if the pivot vanishes or is not finite.
#[inline(always)]
fn eliminate<const K: usize>(panel: &mut [f64], stride: usize, first: usize, pivots: &mut [usize]) -> bool {
    let (done, rest) = panel.split_at_mut(K * stride);
    let column = &mut rest[..stride];
    for k in 0..K {
        column.swap(first + k, pivots[k]);
    }
    let mut factors = [0.0; K];
    let mut largest = 0.0;
    for i in 0..PANEL {
        let mut x = column[first + i];
        for k in 0..K.min(i) {
            x -= done[k * stride + first + i] * factors[k];
        }
        column[first + i] = x;
        if i < K {
            factors[i] = x;
        } else {
            largest = larger(largest, x);
        }
    }
    let lower: [&[[f64; PANEL]]; K] =
        std::array::from_fn(|k| done[k * stride + first + PANEL..(k + 1) * stride].as_chunks::<PANEL>().0);
    let (bottom, _) = column[first + PANEL..].as_chunks_mut::<PANEL>();
    let mut lanes = [0.0; PANEL];
    for (c, x) in bottom.iter_mut().enumerate() {
        let mut sum = *x;
        for k in 0..K {
            for i in 0..PANEL {
                sum[i] -= lower[k][c][i] * factors[k];
            }
        }
        *x = sum;
        for i in 0..PANEL {
            lanes[i] = larger(lanes[i], sum[i]);
        }
    }
    largest = lanes.iter().fold(largest, |m, x| larger(m, *x));
    // How large is known: where is a search that stops once.
    let Some(below) = column[first + K..].iter().position(|x| x.abs() == largest) else { return false };
    let pivot = first + K + below;
    let reciprocal = 1.0 / column[pivot];
    if !reciprocal.is_finite() || !largest.is_finite() {
        return false;
    }
    pivots[K] = pivot;
    for k in 0..K {
        done[k * stride..(k + 1) * stride].swap(first + K, pivot);
    }
    column.swap(first + K, pivot);
    for x in &mut column[first + K + 1..first + PANEL] {
        *x *= reciprocal;
    }
    let (bottom, _) = column[first + PANEL..].as_chunks_mut::<PANEL>();
    for x in bottom {
        *x = x.map(|x| x * reciprocal);
    }
    true
}

/// The larger of two magnitudes; NaN is not.
#[inline(always)]
fn larger(m: f64, x: f64) -> f64 {
    if x.abs() > m { x.abs() } else { m }
}

/// Carries a panel's exchanges of rows out on a column. Apart from [`pass`], which would wait for them to be written.
#[inline(always)]
fn exchange(first: usize, pivots: &[usize], column: &mut [f64]) {
    for (k, pivot) in (first..).zip(pivots) {
        column.swap(k, *pivot);
    }
}

/// Brings a column, its rows exchanged, past the panel of so many columns that begins at row `first`.
#[inline(always)]
fn pass(panel: &[f64], stride: usize, first: usize, width: usize, column: &mut [f64]) {
    let column = &mut column[..stride];
    if width < PANEL {
        return last_pass(panel, stride, first, width, column);
    }
    let chunks = |k: usize| panel[k * stride + first..(k + 1) * stride].as_chunks::<PANEL>().0;
    let (head, bottom) = column[first..].as_chunks_mut::<PANEL>().0.split_at_mut(1);
    let ([l0, lower0 @ ..], [l1, lower1 @ ..], [l2, lower2 @ ..], [_, lower3 @ ..]) =
        (chunks(0), chunks(1), chunks(2), chunks(3))
    else {
        return;
    };
    let [x0, mut x1, mut x2, mut x3] = head[0];
    x1 -= l0[1] * x0;
    x2 = (x2 - l0[2] * x0) - l1[2] * x1;
    x3 = ((x3 - l0[3] * x0) - l1[3] * x1) - l2[3] * x2;
    head[0] = [x0, x1, x2, x3];
    // One index for all five: the compiler would keep an end for each of five iterators.
    let rows = bottom.len();
    let (lower0, lower1, lower2, lower3) = (&lower0[..rows], &lower1[..rows], &lower2[..rows], &lower3[..rows]);
    for row in 0..rows {
        let (l0, l1, l2, l3) = (&lower0[row], &lower1[row], &lower2[row], &lower3[row]);
        // All lanes are read before one is written: the compiler then takes them together.
        let mut sum = bottom[row];
        for i in 0..PANEL {
            sum[i] -= (l0[i] * x0 + l1[i] * x1) + (l2[i] * x2 + l3[i] * x3);
        }
        bottom[row] = sum;
    }
}

/// The same for the last panel, which may be narrower, and below which there is nothing.
#[inline(always)]
fn last_pass(panel: &[f64], stride: usize, first: usize, width: usize, column: &mut [f64]) {
    for k in 0..width {
        let factor = column[first + k];
        for i in k + 1..width {
            column[first + i] -= panel[k * stride + first + i] * factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zero diagonal, so that every column pivots; every remainder of the panel's width.
    #[test]
    fn systems_of_any_size_are_solved() {
        for n in (1..=50).chain([75, 130]) {
            let entry = |i: usize, j: usize| {
                let far = if i == j { 0.0 } else { 1.0 / (1.0 + (7 * i + 3 * j) as f64 % 11.0) };
                far + if j == (i + 1) % n { 5.0 } else { 0.0 }
            };
            let stride = stride_of(n);
            let mut a = vec![0.0; n * stride];
            let mut x = vec![0.0; stride];
            for j in 0..n {
                for i in 0..n {
                    a[j * stride + i] = entry(i, j);
                    x[i] += entry(i, j) * (j as f64 - 7.0);
                }
            }
            let mut pivots = vec![0; n];
            assert!(factor(&mut a, n, &mut pivots));
            solve(&a, n, &pivots, &mut x);
            for (j, x) in x[..n].iter().enumerate() {
                assert!((x - (j as f64 - 7.0)).abs() < 1e-11, "{n} rows: {x} at {j}");
            }
        }
    }

    #[test]
    fn singular_and_infinite_matrices_are_refused() {
        assert!(!factor(&mut [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0], 2, &mut [0; 2]));
        assert!(!factor(&mut [f64::NAN, 0.0, 0.0, 0.0], 1, &mut [0]));
        assert!(!factor(&mut [f64::INFINITY, 0.0, 0.0, 0.0], 1, &mut [0]));
    }
}

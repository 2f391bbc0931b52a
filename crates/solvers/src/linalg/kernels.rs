//! The inner loops of the dense fronts, compiled once for every width of vector registers.
//!
//! [`widest`] runs a closure with the widest registers the machine has. The loops here are lane by lane: every entry
//! sees the same operations in the same order whatever the width, and products are never fused with sums, so the bits are
//! the same on every machine. (A library's matrix product is faster still, but fuses where it can.)

/// Runs `work` with the widest vector registers the machine has. What `work` calls must be inlined to gain from it.
#[inline(always)]
pub(crate) fn widest<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// Rows of A that are multiplied while they stay in the nearest cache.
const ROWS_AT_ONCE: usize = 64;

/// `C −= A B` on column-major blocks: A is rows × depth with leading dimension `lda`, and column j of `[B; C]` lies in
/// `right[j·ld ..]`, B in its rows `b..b + depth` and C in its rows `c..c + rows`, `c ≥ b + depth`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn subtract_product(
    a: &[f64],
    lda: usize,
    rows: usize,
    depth: usize,
    right: &mut [f64],
    ld: usize,
    b: usize,
    c: usize,
) {
    if rows == 0 || depth == 0 {
        return;
    }
    let mut first = 0;
    while first < rows {
        let count = ROWS_AT_ONCE.min(rows - first);
        for column in right.chunks_exact_mut(ld) {
            let (upper, lower) = column.split_at_mut(c);
            let factors = &upper[b..b + depth];
            let target = &mut lower[first..first + count];
            let mut k = 0;
            while k + 4 <= depth {
                let f = [factors[k], factors[k + 1], factors[k + 2], factors[k + 3]];
                let at = |k: usize| &a[k * lda + first..k * lda + first + count];
                subtract_four(target, [at(k), at(k + 1), at(k + 2), at(k + 3)], f);
                k += 4;
            }
            while k < depth {
                subtract_scaled(target, factors[k], &a[k * lda + first..k * lda + first + count]);
                k += 1;
            }
        }
        first += count;
    }
}

/// `x −= f·y`.
#[inline(always)]
pub(crate) fn subtract_scaled(x: &mut [f64], f: f64, y: &[f64]) {
    let n = x.len().min(y.len());
    let ((whole, rest), (y_whole, y_rest)) = (x[..n].as_chunks_mut::<LANES>(), y[..n].as_chunks::<LANES>());
    for row in 0..whole.len().min(y_whole.len()) {
        let mut sum = whole[row];
        for i in 0..LANES {
            sum[i] -= f * y_whole[row][i];
        }
        whole[row] = sum;
    }
    for (x, y) in rest.iter_mut().zip(y_rest) {
        *x -= f * y;
    }
}

/// Entries taken at once. Left to itself the compiler takes sixteen, and the up to fifteen left over one by one: much of
/// the work in fronts of a few dozen rows.
const LANES: usize = 4;

/// `x −= (l₀f₀ + l₁f₁) + (l₂f₂ + l₃f₃)`; all as long as x.
#[inline(always)]
fn subtract_four(x: &mut [f64], l: [&[f64]; 4], f: [f64; 4]) {
    let n = x.len();
    let [l0, l1, l2, l3] = l.map(|l| l[..n].as_chunks::<LANES>());
    let (whole, rest) = x.as_chunks_mut::<LANES>();
    let (w0, w1, w2, w3) = (&l0.0[..whole.len()], &l1.0[..whole.len()], &l2.0[..whole.len()], &l3.0[..whole.len()]);
    for row in 0..whole.len() {
        // All lanes are read before one is written: the compiler then takes them together.
        let mut sum = whole[row];
        for i in 0..LANES {
            sum[i] -= (w0[row][i] * f[0] + w1[row][i] * f[1]) + (w2[row][i] * f[2] + w3[row][i] * f[3]);
        }
        whole[row] = sum;
    }
    for (i, x) in rest.iter_mut().enumerate() {
        *x -= (l0.1[i] * f[0] + l1.1[i] * f[1]) + (l2.1[i] * f[2] + l3.1[i] * f[3]);
    }
}

/// `x −= Σ_k f_k·(column k of A)`, four columns at a time; A has leading dimension `lda`.
#[inline(always)]
pub(crate) fn subtract_columns(x: &mut [f64], a: &[f64], lda: usize, factors: &[f64]) {
    let n = x.len();
    let at = |k: usize| &a[k * lda..k * lda + n];
    let mut k = 0;
    while k + 4 <= factors.len() {
        let f = [factors[k], factors[k + 1], factors[k + 2], factors[k + 3]];
        subtract_four(x, [at(k), at(k + 1), at(k + 2), at(k + 3)], f);
        k += 4;
    }
    while k < factors.len() {
        subtract_scaled(x, factors[k], at(k));
        k += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loops without dispatch, entry by entry in the order they promise.
    #[allow(clippy::too_many_arguments)]
    fn reference(a: &[f64], lda: usize, rows: usize, depth: usize, right: &mut [f64], ld: usize, b: usize, c: usize) {
        for column in right.chunks_exact_mut(ld) {
            for i in 0..rows {
                let l = |k: usize| a[k * lda + i] * column[b + k];
                let mut x = column[c + i];
                let whole = depth - depth % 4;
                for k in (0..whole).step_by(4) {
                    x -= (l(k) + l(k + 1)) + (l(k + 2) + l(k + 3));
                }
                for k in whole..depth {
                    x -= l(k);
                }
                column[c + i] = x;
            }
        }
    }

    #[test]
    fn the_widest_registers_give_the_bits_of_the_scalar_loops() {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for (rows, depth, columns) in [(1, 1, 1), (3, 4, 2), (70, 7, 5), (131, 18, 9), (64, 3, 4)] {
            let (lda, ld, b, c) = (rows + 3, depth + rows + 5, 2, depth + 4);
            let a: Vec<f64> = (0..lda * depth).map(|_| random()).collect();
            let right: Vec<f64> = (0..ld * columns).map(|_| random()).collect();
            let (mut wide, mut scalar) = (right.clone(), right);
            widest(
                #[inline(always)]
                || subtract_product(&a, lda, rows, depth, &mut wide, ld, b, c),
            );
            reference(&a, lda, rows, depth, &mut scalar, ld, b, c);
            assert_eq!(wide, scalar, "{rows} × {depth} × {columns}");
        }
    }
}

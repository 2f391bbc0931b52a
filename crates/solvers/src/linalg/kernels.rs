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
        let at = |k: usize| &a[k * lda + first..k * lda + first + count];
        let mut k = 0;
        while k < depth {
            // Columns of A are looked up once for all of C.
            let (b, c) = (b + k, c + first);
            k += match depth - k {
                // Bodies have six rows each: nothing is left over.
                6 | 12 => {
                    let l = [at(k), at(k + 1), at(k + 2), at(k + 3), at(k + 4), at(k + 5)];
                    subtract_six_from_each(&l, right, ld, b, c)
                }
                8.. => {
                    let l = [at(k), at(k + 1), at(k + 2), at(k + 3), at(k + 4), at(k + 5), at(k + 6), at(k + 7)];
                    subtract_eight_from_each(&l, right, ld, b, c)
                }
                4.. => subtract_four_from_each(&[at(k), at(k + 1), at(k + 2), at(k + 3)], right, ld, b, c),
                2.. => subtract_two_from_each(&[at(k), at(k + 1)], right, ld, b, c),
                _ => subtract_one_from_each(&[at(k)], right, ld, b, c),
            };
        }
        first += count;
    }
}

/// `x −= f·y`.
#[inline(always)]
pub(crate) fn subtract_scaled(x: &mut [f64], f: f64, y: &[f64]) {
    let n = x.len().min(y.len());
    subtract_one(&mut x[..n], &[&y[..n]], &[f]);
}

/// `x += y`.
#[inline(always)]
pub(crate) fn add(x: &mut [f64], y: &[f64]) {
    let n = x.len().min(y.len());
    let ((whole, rest), (y_whole, y_rest)) = (x[..n].as_chunks_mut::<LANES>(), y[..n].as_chunks::<LANES>());
    for (x, y) in whole.iter_mut().zip(y_whole) {
        let mut sum = *x;
        for i in 0..LANES {
            sum[i] += y[i];
        }
        *x = sum;
    }
    for (x, y) in rest.iter_mut().zip(y_rest) {
        *x += y;
    }
}

/// Entries taken at once. Left to itself the compiler takes sixteen, and the up to fifteen left over one by one: much of
/// the work in fronts of a few dozen rows.
const LANES: usize = 4;

/// A loop `x −= Σ_k l_k f_k` over columns `l` as long as x: [`LANES`] entries at once, then two, then one. All lanes are read
/// before one is written: the compiler then takes them together.
macro_rules! subtract {
    ($name:ident, $from_each:ident, $depth:literal, |$l:ident, $f:ident, $i:ident| $sum:expr) => {
        /// The loop for every column of `right`: factors from its row `b`, targets from its row `c`. Returns the number of `l`.
        #[inline(always)]
        fn $from_each(l: &[&[f64]; $depth], right: &mut [f64], ld: usize, b: usize, c: usize) -> usize {
            for column in right.chunks_exact_mut(ld) {
                let (upper, lower) = column.split_at_mut(c);
                let Some(factors) = upper[b..].first_chunk::<$depth>() else { break };
                $name(&mut lower[..l[0].len()], l, factors);
            }
            $depth
        }

        #[inline(always)]
        fn $name(x: &mut [f64], l: &[&[f64]; $depth], $f: &[f64; $depth]) {
            let n = x.len();
            let mut l = *l;
            for l in &mut l {
                *l = &l[..n];
            }
            let mut row = 0;
            while row + LANES <= n {
                let (mut $l, mut sum) = ([[0.0; LANES]; $depth], [0.0; LANES]);
                for k in 0..$depth {
                    $l[k].copy_from_slice(&l[k][row..row + LANES]);
                }
                for $i in 0..LANES {
                    sum[$i] = x[row + $i] - ($sum);
                }
                x[row..row + LANES].copy_from_slice(&sum);
                row += LANES;
            }
            while row + 2 <= n {
                let (mut $l, mut sum) = ([[0.0; 2]; $depth], [0.0; 2]);
                for k in 0..$depth {
                    $l[k].copy_from_slice(&l[k][row..row + 2]);
                }
                for $i in 0..2 {
                    sum[$i] = x[row + $i] - ($sum);
                }
                x[row..row + 2].copy_from_slice(&sum);
                row += 2;
            }
            if row < n {
                let (mut $l, $i) = ([[0.0; 1]; $depth], 0);
                for k in 0..$depth {
                    $l[k][0] = l[k][row];
                }
                x[row] -= $sum;
            }
        }
    };
}

subtract!(subtract_one, subtract_one_from_each, 1, |l, f, i| l[0][i] * f[0]);
subtract!(subtract_two, subtract_two_from_each, 2, |l, f, i| l[0][i] * f[0] + l[1][i] * f[1]);
subtract!(subtract_four, subtract_four_from_each, 4, |l, f, i| (l[0][i] * f[0] + l[1][i] * f[1])
    + (l[2][i] * f[2] + l[3][i] * f[3]));
subtract!(subtract_six, subtract_six_from_each, 6, |l, f, i| (l[0][i] * f[0] + l[1][i] * f[1])
    + (l[2][i] * f[2] + l[3][i] * f[3])
    + (l[4][i] * f[4] + l[5][i] * f[5]));
subtract!(subtract_eight, subtract_eight_from_each, 8, |l, f, i| {
    let first = (l[0][i] * f[0] + l[1][i] * f[1]) + (l[2][i] * f[2] + l[3][i] * f[3]);
    let last = (l[4][i] * f[4] + l[5][i] * f[5]) + (l[6][i] * f[6] + l[7][i] * f[7]);
    first + last
});

/// `x −= Σ_k f_k·(column k of A)`, four columns at a time; A has leading dimension `lda`.
#[inline(always)]
pub(crate) fn subtract_columns(x: &mut [f64], a: &[f64], lda: usize, factors: &[f64]) {
    let n = x.len();
    let at = |k: usize| &a[k * lda..k * lda + n];
    let mut k = 0;
    while k < factors.len() {
        k += match factors[k..] {
            [f0, f1, f2, f3, ..] => {
                subtract_four(x, &[at(k), at(k + 1), at(k + 2), at(k + 3)], &[f0, f1, f2, f3]);
                4
            }
            [f0, f1, ..] => {
                subtract_two(x, &[at(k), at(k + 1)], &[f0, f1]);
                2
            }
            [f0] => {
                subtract_one(x, &[at(k)], &[f0]);
                1
            }
            [] => 0,
        };
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
                let four = |k: usize| (l(k) + l(k + 1)) + (l(k + 2) + l(k + 3));
                let mut k = 0;
                while k < depth {
                    let (taken, sum) = match depth - k {
                        6 | 12 => (6, four(k) + (l(k + 4) + l(k + 5))),
                        8.. => (8, four(k) + four(k + 4)),
                        4.. => (4, four(k)),
                        2.. => (2, l(k) + l(k + 1)),
                        _ => (1, l(k)),
                    };
                    x -= sum;
                    k += taken;
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
        for (rows, depth, columns) in
            [(1, 1, 1), (3, 4, 2), (70, 7, 5), (30, 12, 3), (131, 18, 9), (66, 26, 4), (64, 3, 4)]
        {
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

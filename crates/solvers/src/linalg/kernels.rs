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

/// Columns of C that are taken together. With twelve rows they are nine vectors of four lanes: next to three of A, a factor
/// and a product they fill the sixteen registers of the common machine.
const COLUMNS: usize = 3;

/// `C −= A B` on column-major blocks, or with `FRESH` `C = −A B`, whatever was there: A is rows × depth with leading
/// dimension `lda`, the columns of B begin every `ldb` and those of C, as many, every `ldc` numbers.
///
/// Products are added up in the order of the columns of A and subtracted once: subtracted one by one they cost the same,
/// and each would be rounded to the size of C.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn subtract_product<const FRESH: bool>(
    a: &[f64],
    lda: usize,
    rows: usize,
    depth: usize,
    b: &[f64],
    ldb: usize,
    c: &mut [f64],
    ldc: usize,
) {
    if rows == 0 {
        return;
    }
    let mut b = b.chunks_exact(ldb);
    let mut groups = c.chunks_exact_mut(COLUMNS * ldc);
    for group in &mut groups {
        let (Some(b0), Some(b1), Some(b2)) = (b.next(), b.next(), b.next()) else { return };
        let (c0, c) = group.split_at_mut(ldc);
        let (c1, c2) = c.split_at_mut(ldc);
        let mut c = [&mut c0[..rows], &mut c1[..rows], &mut c2[..rows]];
        subtract_from_columns::<3, FRESH>(a, lda, [&b0[..depth], &b1[..depth], &b2[..depth]], &mut c);
    }
    for c in groups.into_remainder().chunks_exact_mut(ldc) {
        let Some(b) = b.next() else { return };
        subtract_from_columns::<1, FRESH>(a, lda, [&b[..depth]], &mut [&mut c[..rows]]);
    }
}

/// The same for a single column: as many factors as B has rows, and C as long as it is.
#[inline(always)]
pub(crate) fn subtract_columns<const FRESH: bool>(a: &[f64], lda: usize, b: &[f64], c: &mut [f64]) {
    subtract_from_columns::<1, FRESH>(a, lda, [b], &mut [c]);
}

/// `C −= A B` where B lies in the columns of C: in the rows `b..b + depth` of every column of `right`, C in its rows
/// `c..c + rows`, `c ≥ b + depth`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn subtract_product_below(
    a: &[f64],
    lda: usize,
    rows: usize,
    depth: usize,
    right: &mut [f64],
    ld: usize,
    b: usize,
    c: usize,
) {
    if rows == 0 {
        return;
    }
    let mut groups = right.chunks_exact_mut(COLUMNS * ld);
    for group in &mut groups {
        let (x0, x) = group.split_at_mut(ld);
        let (x1, x2) = x.split_at_mut(ld);
        let ((b0, c0), (b1, c1), (b2, c2)) = (x0.split_at_mut(c), x1.split_at_mut(c), x2.split_at_mut(c));
        let mut c = [&mut c0[..rows], &mut c1[..rows], &mut c2[..rows]];
        let b = [&b0[b..b + depth], &b1[b..b + depth], &b2[b..b + depth]];
        subtract_from_columns::<3, false>(a, lda, b, &mut c);
    }
    for x in groups.into_remainder().chunks_exact_mut(ld) {
        let (x, below) = x.split_at_mut(c);
        subtract_from_columns::<1, false>(a, lda, [&x[b..b + depth]], &mut [&mut below[..rows]]);
    }
}

/// The product for `N` columns of equal length, tile by tile.
#[inline(always)]
fn subtract_from_columns<const N: usize, const FRESH: bool>(
    a: &[f64],
    lda: usize,
    b: [&[f64]; N],
    c: &mut [&mut [f64]; N],
) {
    let rows = c[0].len();
    let mut row = 0;
    while row + 12 <= rows {
        subtract_tile::<3, 0, N, FRESH>(a, lda, b, c, row);
        row += 12;
    }
    // Bodies have six rows each: nothing is left over after these.
    if row + 6 <= rows {
        subtract_tile::<1, 1, N, FRESH>(a, lda, b, c, row);
        row += 6;
    }
    if row + 4 <= rows {
        subtract_tile::<1, 0, N, FRESH>(a, lda, b, c, row);
        row += 4;
    }
    if row + 2 <= rows {
        subtract_tile::<0, 1, N, FRESH>(a, lda, b, c, row);
        row += 2;
    }
    if row < rows {
        for j in 0..N {
            let mut sum = 0.0;
            for (k, b) in b[j].iter().enumerate() {
                sum += a[k * lda + row] * b;
            }
            c[j][row] = if FRESH { -sum } else { c[j][row] - sum };
        }
    }
}

/// A tile of C: `FOURS` times four and `TWOS` times two rows from `row` on, its sums held in registers.
#[inline(always)]
fn subtract_tile<const FOURS: usize, const TWOS: usize, const N: usize, const FRESH: bool>(
    a: &[f64],
    lda: usize,
    mut b: [&[f64]; N],
    c: &mut [&mut [f64]; N],
    row: usize,
) {
    let size = 4 * FOURS + 2 * TWOS;
    let (mut fours, mut twos) = ([[[0.0; 4]; FOURS]; N], [[[0.0; 2]; TWOS]; N]);
    let depth = b[0].len();
    for b in &mut b {
        *b = &b[..depth];
    }
    let mut at = row;
    for k in 0..depth {
        // An iterator over the columns of A would divide to count them, as long as a tile takes.
        let Some(column) = a.get(at..at + size) else { break };
        at += lda;
        let (mut l, mut short) = ([[0.0; 4]; FOURS], [[0.0; 2]; TWOS]);
        l.as_flattened_mut().copy_from_slice(&column[..4 * FOURS]);
        short.as_flattened_mut().copy_from_slice(&column[4 * FOURS..]);
        for j in 0..N {
            let f = b[j][k];
            for (x, l) in fours[j].iter_mut().zip(&l) {
                for i in 0..4 {
                    x[i] += l[i] * f;
                }
            }
            for (x, l) in twos[j].iter_mut().zip(&short) {
                for i in 0..2 {
                    x[i] += l[i] * f;
                }
            }
        }
    }
    for j in 0..N {
        let (whole, rest) = c[j][row..row + size].split_at_mut(4 * FOURS);
        let ((whole, _), (rest, _)) = (whole.as_chunks_mut::<4>(), rest.as_chunks_mut::<2>());
        for (c, sum) in whole.iter_mut().zip(&fours[j]) {
            *c = std::array::from_fn(|i| if FRESH { -sum[i] } else { c[i] - sum[i] });
        }
        for (c, sum) in rest.iter_mut().zip(&twos[j]) {
            *c = std::array::from_fn(|i| if FRESH { -sum[i] } else { c[i] - sum[i] });
        }
    }
}

/// `x −= f·y`.
#[inline(always)]
pub(crate) fn subtract_scaled(x: &mut [f64], f: f64, y: &[f64]) {
    by_lanes(
        x,
        y,
        #[inline(always)]
        |x, y| x - f * y,
    );
}

/// `x += y`.
#[inline(always)]
pub(crate) fn add(x: &mut [f64], y: &[f64]) {
    by_lanes(
        x,
        y,
        #[inline(always)]
        |x, y| x + y,
    );
}

/// Entries taken at once. Left to itself the compiler takes sixteen, and the up to fifteen left over one by one: much of
/// the work in fronts of a few dozen rows.
const LANES: usize = 4;

/// `x ← f(x, y)`: [`LANES`] entries at once, then two, then one.
#[inline(always)]
fn by_lanes(x: &mut [f64], y: &[f64], f: impl Fn(f64, f64) -> f64) {
    let n = x.len().min(y.len());
    let (x, y) = (&mut x[..n], &y[..n]);
    let mut row = 0;
    while row + LANES <= n {
        together::<LANES>(&mut x[row..row + LANES], &y[row..row + LANES], &f);
        row += LANES;
    }
    if row + 2 <= n {
        together::<2>(&mut x[row..row + 2], &y[row..row + 2], &f);
        row += 2;
    }
    if row < n {
        x[row] = f(x[row], y[row]);
    }
}

/// All lanes are read before one is written: the compiler then takes them together.
#[inline(always)]
fn together<const N: usize>(x: &mut [f64], y: &[f64], f: &impl Fn(f64, f64) -> f64) {
    let mut result = [0.0; N];
    for i in 0..N {
        result[i] = f(x[i], y[i]);
    }
    x.copy_from_slice(&result);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product below without tiles, entry by entry in the order it promises.
    #[allow(clippy::too_many_arguments)]
    fn reference(a: &[f64], lda: usize, rows: usize, depth: usize, right: &mut [f64], ld: usize, b: usize, c: usize) {
        for column in right.chunks_exact_mut(ld) {
            for i in 0..rows {
                let mut sum = 0.0;
                for k in 0..depth {
                    sum += a[k * lda + i] * column[b + k];
                }
                column[c + i] -= sum;
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
            let (mut wide, mut scalar) = (right.clone(), right.clone());
            let factors: Vec<f64> = right.chunks_exact(ld).flat_map(|x| x[b..b + depth].iter().copied()).collect();
            let mut apart: Vec<f64> = right.chunks_exact(ld).flat_map(|x| x[c..c + rows].iter().copied()).collect();
            let mut fresh = vec![f64::NAN; apart.len()];
            widest(
                #[inline(always)]
                || {
                    subtract_product_below(&a, lda, rows, depth, &mut wide, ld, b, c);
                    subtract_product::<false>(&a, lda, rows, depth, &factors, depth, &mut apart, rows);
                    subtract_product::<true>(&a, lda, rows, depth, &factors, depth, &mut fresh, rows);
                },
            );
            reference(&a, lda, rows, depth, &mut scalar, ld, b, c);
            let expected: Vec<f64> = scalar.chunks_exact(ld).flat_map(|x| x[c..c + rows].iter().copied()).collect();
            assert_eq!(apart, expected, "{rows} × {depth} × {columns}, apart");
            let mut from_zero = right.clone();
            from_zero.chunks_exact_mut(ld).for_each(|x| x[c..].fill(0.0));
            reference(&a, lda, rows, depth, &mut from_zero, ld, b, c);
            let expected: Vec<f64> = from_zero.chunks_exact(ld).flat_map(|x| x[c..c + rows].iter().copied()).collect();
            assert_eq!(fresh, expected, "{rows} × {depth} × {columns}, afresh");
            assert_eq!(wide, scalar, "{rows} × {depth} × {columns}");
        }
    }
}

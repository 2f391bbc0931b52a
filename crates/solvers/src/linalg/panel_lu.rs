//! LU of the pivot columns of a dense front, with pivoting inside its pivot rows only.
//!
//! Columns are taken six at a time. Their pivot rows are eliminated first, one column after another, in an array of known
//! size; the rows below, which no pivot is chosen from, follow together, and so do the columns to the right.

use super::kernels::{subtract_columns, subtract_product_below, subtract_scaled, widest};

/// Columns of a panel that are eliminated one by one before the rest of the panel hears of them: those of a body.
const PANEL: usize = 6;

/// A pivot vanished: the matrix is singular along its diagonal blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingularPivot;

/// LU of the pivot columns of a front (`panel`, column-major with `n` rows), in place, and U of the rest of its pivot rows.
pub(crate) fn eliminate(
    panel: &mut [f64],
    upper: &mut [f64],
    n: usize,
    exchanges: &mut [u32],
) -> Result<(), SingularPivot> {
    let np = exchanges.len();
    for first in (0..np).step_by(PANEL) {
        let last = (first + PANEL).min(np);
        let (before, columns) = panel.split_at_mut(first * n);
        let (columns, after) = columns.split_at_mut((last - first) * n);
        let exchanges = &mut exchanges[first..last];
        factor_columns(columns, n, first, np, exchanges)?;
        for (k, other) in exchanges.iter().enumerate() {
            let (row, other) = (first + k, *other as usize);
            if other != row {
                before.chunks_exact_mut(n).for_each(|column| column.swap(row, other));
                after.chunks_exact_mut(n).for_each(|column| column.swap(row, other));
                upper.chunks_exact_mut(np).for_each(|column| column.swap(row, other));
            }
        }
        apply_columns(columns, n, first, after, n);
    }
    for first in (0..np).step_by(PANEL) {
        let last = (first + PANEL).min(np);
        apply_columns(&panel[first * n..last * n], n, first, upper, np);
    }
    Ok(())
}

/// What columns of a panel, eliminated in the rows from `first` on, do to the first `rows` rows of other columns.
fn apply_columns(columns: &[f64], n: usize, first: usize, right: &mut [f64], rows: usize) {
    if right.is_empty() {
        return;
    }
    let size = columns.len() / n;
    let last = first + size;
    widest(
        #[inline(always)]
        || {
            solve_lower(&columns[first..], n, size, right, rows, first);
            subtract_product_below(&columns[last..], n, rows - last, size, right, rows, first, last);
        },
    );
}

/// LU of up to [`PANEL`] columns of a front in their pivot rows `first..np`, and L below.
fn factor_columns(
    columns: &mut [f64],
    n: usize,
    first: usize,
    np: usize,
    exchanges: &mut [u32],
) -> Result<(), SingularPivot> {
    widest(
        #[inline(always)]
        || {
            match np - first {
                0..=8 => factor_known::<8>(columns, n, first, np, exchanges)?,
                9..=12 => factor_known::<12>(columns, n, first, np, exchanges)?,
                13..=24 => factor_known::<24>(columns, n, first, np, exchanges)?,
                _ => factor_any(columns, n, first, np, exchanges)?,
            }
            solve_upper(columns, n, first, np);
            Ok(())
        },
    )
}

/// LU of up to [`PANEL`] columns of a front in their pivot rows `first..np`.
#[inline(always)]
fn factor_any(
    columns: &mut [f64],
    n: usize,
    first: usize,
    np: usize,
    exchanges: &mut [u32],
) -> Result<(), SingularPivot> {
    for k in 0..exchanges.len() {
        let row = first + k;
        let other = pivot_row(&columns[k * n..k * n + np], row)?;
        exchanges[k] = other as u32;
        if other != row {
            columns.chunks_exact_mut(n).for_each(|column| column.swap(row, other));
        }
        let (done, rest) = columns.split_at_mut((k + 1) * n);
        let column = &mut done[k * n..][..np];
        let inverse = 1.0 / column[row];
        for l in &mut column[row + 1..] {
            *l *= inverse;
        }
        for next in rest.chunks_exact_mut(n) {
            let factor = next[row];
            subtract_scaled(&mut next[row + 1..np], factor, &column[row + 1..]);
        }
    }
    Ok(())
}

/// The same for at most `ROWS` pivot rows, filled up with zeros: loops of known length. Most fronts have six or twelve.
#[inline(always)]
fn factor_known<const ROWS: usize>(
    columns: &mut [f64],
    n: usize,
    first: usize,
    np: usize,
    exchanges: &mut [u32],
) -> Result<(), SingularPivot> {
    let mut block = [[0.0; ROWS]; PANEL];
    for (source, target) in columns.chunks_exact(n).zip(&mut block) {
        target[..np - first].copy_from_slice(&source[first..np]);
    }
    macro_rules! eliminate {
        ($($k:literal)*) => {
            $(
                if let Some(exchange) = exchanges.get_mut($k) {
                    let other = known_pivot_row(&block[$k], $k)?;
                    *exchange = (first + other) as u32;
                    if other != $k {
                        block.iter_mut().for_each(|column| column.swap($k, other));
                    }
                    let inverse = 1.0 / block[$k][$k];
                    let mut l = [0.0; ROWS];
                    for i in $k + 1..ROWS {
                        l[i] = block[$k][i] * inverse;
                        block[$k][i] = l[i];
                    }
                    for next in block.iter_mut().skip($k + 1) {
                        let factor = next[$k];
                        for i in 0..ROWS {
                            next[i] -= factor * l[i];
                        }
                    }
                }
            )*
        };
    }
    eliminate!(0 1 2 3 4 5);
    for (target, source) in columns.chunks_exact_mut(n).zip(&block) {
        target[first..np].copy_from_slice(&source[..np - first]);
    }
    Ok(())
}

/// [`pivot_row`] of a column of known length.
#[inline(always)]
fn known_pivot_row<const ROWS: usize>(column: &[f64; ROWS], k: usize) -> Result<usize, SingularPivot> {
    let own = column[k].abs();
    let mut larger = false;
    for i in 0..ROWS {
        larger |= i > k && column[i].abs() > 4.0 * own;
    }
    if larger || own == 0.0 || !own.is_finite() { pivot_row(column, k) } else { Ok(k) }
}

/// The row to exchange with row `k` of a column: itself unless another pivot row is much larger, which keeps nearly
/// symmetric fronts in their order.
#[inline(always)]
fn pivot_row(column: &[f64], k: usize) -> Result<usize, SingularPivot> {
    let (own, below) = (column[k].abs(), &column[k + 1..]);
    let mut size = own;
    let mut best = k;
    // Mostly none is, which four at a time tell sooner.
    if largest(below) > 4.0 * own {
        for (i, x) in below.iter().enumerate() {
            if x.abs() > 4.0 * size {
                (best, size) = (k + 1 + i, x.abs());
            }
        }
    }
    if size == 0.0 || !size.is_finite() { Err(SingularPivot) } else { Ok(best) }
}

/// Largest magnitude; what is not a number counts for nothing.
#[inline(always)]
fn largest(values: &[f64]) -> f64 {
    let (whole, rest) = values.as_chunks::<4>();
    let mut most = [0.0; 4];
    for x in whole {
        for i in 0..4 {
            most[i] = if x[i].abs() > most[i] { x[i].abs() } else { most[i] };
        }
    }
    rest.iter().chain(&most).fold(0.0, |m, x| f64::max(m, x.abs()))
}

/// `B ← L⁻¹ B` for a unit lower triangle of `size` ≤ [`PANEL`] rows; B in rows `b..b + size` of every column.
#[inline(always)]
fn solve_lower(lower: &[f64], ld: usize, size: usize, right: &mut [f64], ld_right: usize, b: usize) {
    if right.is_empty() {
        return;
    }
    // Loops of known length stay in registers. Bodies have six rows, so that these are the lengths there are.
    match size {
        0 | 1 => {}
        2 => solve_lower_of::<2>(lower, ld, right, ld_right, b),
        3 => solve_lower_of::<3>(lower, ld, right, ld_right, b),
        4 => solve_lower_of::<4>(lower, ld, right, ld_right, b),
        5 => solve_lower_of::<5>(lower, ld, right, ld_right, b),
        _ => solve_lower_of::<PANEL>(lower, ld, right, ld_right, b),
    }
}

#[inline(always)]
fn solve_lower_of<const SIZE: usize>(lower: &[f64], ld: usize, right: &mut [f64], ld_right: usize, b: usize) {
    // Columns of L below the diagonal, zeros elsewhere.
    let mut columns = [[0.0; SIZE]; SIZE];
    for (k, column) in columns.iter_mut().enumerate() {
        column[k + 1..].copy_from_slice(&lower[k * ld + k + 1..k * ld + SIZE]);
    }
    for right in right.chunks_exact_mut(ld_right) {
        let Some(right) = right[b..].first_chunk_mut::<SIZE>() else { return };
        let mut x = *right;
        for (k, column) in columns.iter().enumerate() {
            let factor = x[k];
            for (x, l) in x.iter_mut().zip(column) {
                *x -= factor * l;
            }
        }
        *right = x;
    }
}

/// `x ← L⁻¹ x` for the pivot rows of a panel with `n` rows.
#[inline(always)]
pub(crate) fn solve_pivots_lower(panel: &[f64], n: usize, x: &mut [f64]) {
    let np = x.len();
    for first in (0..np).step_by(PANEL) {
        let last = (first + PANEL).min(np);
        let (done, rest) = x.split_at_mut(last);
        let (lower, rows) = (&panel[first * n + first..], &mut done[first..]);
        match rows.as_mut_array::<PANEL>() {
            Some(rows) => substitute_forward(lower, n, rows),
            None => {
                for k in 0..rows.len() {
                    let (done, below) = rows.split_at_mut(k + 1);
                    subtract_scaled(below, done[k], &lower[k * n + k + 1..]);
                }
            }
        }
        subtract_columns::<false>(&panel[first * n + last..], n, rows, rest);
    }
}

/// `x ← U⁻¹ x` for the pivot rows of a panel with `n` rows.
#[inline(always)]
pub(crate) fn solve_pivots_upper(panel: &[f64], n: usize, x: &mut [f64]) {
    let mut last = x.len();
    while last > 0 {
        let first = (last - 1) / PANEL * PANEL;
        let (above, rest) = x.split_at_mut(first);
        let (upper, rows) = (&panel[first * n + first..], &mut rest[..last - first]);
        match rows.as_mut_array::<PANEL>() {
            Some(rows) => substitute_back(upper, n, rows),
            None => {
                for k in (0..rows.len()).rev() {
                    let (above, rest) = rows.split_at_mut(k);
                    rest[0] /= upper[k * n + k];
                    subtract_scaled(above, rest[0], &upper[k * n..k * n + k]);
                }
            }
        }
        subtract_columns::<false>(&panel[first * n..], n, rows, above);
        last = first;
    }
}

/// `x ← L⁻¹ x` for as many rows as a body has.
#[inline(always)]
fn substitute_forward(lower: &[f64], n: usize, x: &mut [f64; PANEL]) {
    for k in 0..PANEL {
        for i in k + 1..PANEL {
            x[i] -= x[k] * lower[k * n + i];
        }
    }
}

/// `x ← U⁻¹ x` for as many rows as a body has.
#[inline(always)]
fn substitute_back(upper: &[f64], n: usize, x: &mut [f64; PANEL]) {
    for k in (0..PANEL).rev() {
        // By the inverse it would be faster and one rounding worse, which equality rows that contradict each other show.
        x[k] /= upper[k * n + k];
        for i in 0..k {
            x[i] -= x[k] * upper[k * n + i];
        }
    }
}

/// `X ← X U⁻¹` in the rows from `below` on of up to [`PANEL`] columns, whose U begins in row `first`: the pivot rows are
/// chosen without these, so they follow together.
#[inline(always)]
fn solve_upper(columns: &mut [f64], n: usize, first: usize, below: usize) {
    if below == n {
        return;
    }
    match columns.len() / n {
        1 => solve_upper_of::<1>(columns, n, first, below),
        2 => solve_upper_of::<2>(columns, n, first, below),
        3 => solve_upper_of::<3>(columns, n, first, below),
        4 => solve_upper_of::<4>(columns, n, first, below),
        5 => solve_upper_of::<5>(columns, n, first, below),
        _ => solve_upper_of::<PANEL>(columns, n, first, below),
    }
}

#[inline(always)]
fn solve_upper_of<const SIZE: usize>(columns: &mut [f64], n: usize, first: usize, below: usize) {
    let mut upper = [[0.0; SIZE]; SIZE];
    let mut inverses = [0.0; SIZE];
    for (j, upper) in upper.iter_mut().enumerate() {
        upper.copy_from_slice(&columns[j * n + first..j * n + first + SIZE]);
        inverses[j] = 1.0 / upper[j];
    }
    let mut row = below;
    while row + 4 <= n {
        solve_upper_rows::<SIZE, 4>(columns, n, row, &upper, &inverses);
        row += 4;
    }
    while row + 2 <= n {
        solve_upper_rows::<SIZE, 2>(columns, n, row, &upper, &inverses);
        row += 2;
    }
    if row < n {
        solve_upper_rows::<SIZE, 1>(columns, n, row, &upper, &inverses);
    }
}

#[inline(always)]
fn solve_upper_rows<const SIZE: usize, const ROWS: usize>(
    columns: &mut [f64],
    n: usize,
    row: usize,
    upper: &[[f64; SIZE]; SIZE],
    inverses: &[f64; SIZE],
) {
    let mut x = [[0.0; ROWS]; SIZE];
    for j in 0..SIZE {
        let mut sum = [0.0; ROWS];
        sum.copy_from_slice(&columns[j * n + row..j * n + row + ROWS]);
        for k in 0..j {
            for i in 0..ROWS {
                sum[i] -= x[k][i] * upper[j][k];
            }
        }
        for i in 0..ROWS {
            x[j][i] = sum[i] * inverses[j];
        }
        columns[j * n + row..j * n + row + ROWS].copy_from_slice(&x[j]);
    }
}

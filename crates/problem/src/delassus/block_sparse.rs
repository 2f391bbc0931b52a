//! W by its nonzero blocks, in block rows with sorted columns.

use super::{AsymmetryScan, check_finite};
use crate::{Limits, ProblemError, Symmetry};

/// A block-sparse W. Block row `c` holds blocks `row_ptr[c]..row_ptr[c + 1]`, columns ascending; each block is
/// row-major, and blocks follow one another in `values`.
#[derive(Clone, Debug)]
pub struct BlockSparseDelassus {
    row_ptr: Vec<usize>,
    columns: Vec<usize>,
    /// Start of each block in `values`; derived from the block sizes.
    starts: Vec<usize>,
    values: Vec<f64>,
    shape: Shape,
}

/// What the sizes of the stored blocks have in common: loops of known length run several times as fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// All 3×3: contacts in space.
    Three,
    /// All 2×2: contacts in the plane.
    Two,
    /// Anything else.
    Mixed,
}

impl Shape {
    fn of(offsets: &[usize]) -> Shape {
        let all = |rows: usize| offsets.windows(2).all(|pair| pair[1] - pair[0] == rows);
        if all(3) {
            Shape::Three
        } else if all(2) {
            Shape::Two
        } else {
            Shape::Mixed
        }
    }
}

impl BlockSparseDelassus {
    /// Block structure and values; consistency with the blocks is checked when the problem is built.
    /// `offsets` are the first rows of the blocks followed by the number of rows.
    pub fn new(
        offsets: &[usize],
        row_ptr: Vec<usize>,
        columns: Vec<usize>,
        values: Vec<f64>,
    ) -> Result<Self, ProblemError> {
        let blocks = offsets.len().saturating_sub(1);
        if row_ptr.len() != blocks + 1 {
            return Err(ProblemError::Size { what: "row_ptr", found: row_ptr.len(), expected: blocks + 1 });
        }
        if row_ptr[0] != 0 || row_ptr[blocks] != columns.len() {
            return Err(ProblemError::Size { what: "columns", found: columns.len(), expected: row_ptr[blocks] });
        }
        let mut starts = Vec::with_capacity(columns.len() + 1);
        let mut start = 0usize;
        starts.push(0);
        for c in 0..blocks {
            if row_ptr[c] > row_ptr[c + 1] || row_ptr[c + 1] > columns.len() {
                return Err(ProblemError::Structure { block: c, what: "row pointers are not ascending" });
            }
            let rows = offsets[c + 1] - offsets[c];
            for e in row_ptr[c]..row_ptr[c + 1] {
                if columns[e] >= blocks {
                    return Err(ProblemError::Structure { block: c, what: "a column does not exist" });
                }
                if e > row_ptr[c] && columns[e] <= columns[e - 1] {
                    return Err(ProblemError::Structure { block: c, what: "columns are not ascending" });
                }
                start += rows * (offsets[columns[e] + 1] - offsets[columns[e]]);
                starts.push(start);
            }
        }
        if values.len() != start {
            return Err(ProblemError::Size { what: "block-sparse W", found: values.len(), expected: start });
        }
        Ok(BlockSparseDelassus { row_ptr, columns, starts, values, shape: Shape::of(offsets) })
    }

    /// The stored blocks of block row `c`: column and row-major entries.
    pub fn row(&self, c: usize) -> impl Iterator<Item = (usize, &[f64])> {
        (self.row_ptr[c]..self.row_ptr[c + 1])
            .map(|e| (self.columns[e], &self.values[self.starts[e]..self.starts[e + 1]]))
    }

    fn stored(&self, c: usize, k: usize) -> Option<&[f64]> {
        let row = &self.columns[self.row_ptr[c]..self.row_ptr[c + 1]];
        let e = self.row_ptr[c] + row.binary_search(&k).ok()?;
        Some(&self.values[self.starts[e]..self.starts[e + 1]])
    }

    pub(super) fn apply(&self, offsets: &[usize], r: &[f64], out: &mut [f64]) {
        match self.shape {
            Shape::Three => self.rows_of::<3>(out, |c, out| *out = self.row_times(offsets, c, r)),
            Shape::Two => self.rows_of::<2>(out, |c, out| *out = self.row_times(offsets, c, r)),
            Shape::Mixed => self.accumulate(offsets, r, out, |w, r| w * r),
        }
    }

    /// `W r` and `|W||r|` from one reading of W.
    pub(super) fn apply_with_magnitude(&self, offsets: &[usize], r: &[f64], out: &mut [f64], magnitude: &mut [f64]) {
        match self.shape {
            Shape::Three => self.apply_both::<3, 9>(r, out, magnitude),
            Shape::Two => self.apply_both::<2, 4>(r, out, magnitude),
            Shape::Mixed => {
                self.accumulate(offsets, r, out, |w, r| w * r);
                self.accumulate(offsets, r, magnitude, |w, r| (w * r).abs());
            }
        }
    }

    /// Rows of block `c` of `W r` [m/s]; the block has N rows.
    #[inline]
    pub fn row_times<const N: usize>(&self, offsets: &[usize], c: usize, r: &[f64]) -> [f64; N] {
        match (self.shape, N) {
            (Shape::Three, 3) => self.uniform_row_times::<N, 3, 9>(c, r),
            (Shape::Two, 2) => self.uniform_row_times::<N, 2, 4>(c, r),
            _ => {
                let mut u = [0.0; N];
                for (k, block) in self.row(c) {
                    let r = &r[offsets[k]..offsets[k + 1]];
                    for (u, row) in u.iter_mut().zip(block.chunks_exact(r.len())) {
                        *u += row.iter().zip(r).map(|(w, r)| w * r).sum::<f64>();
                    }
                }
                u
            }
        }
    }

    /// The same where every block is `n × n`, n = N, n² = SQUARE; N and n are two names so that one function serves all
    /// N of its caller.
    #[inline(always)]
    fn uniform_row_times<const N: usize, const SIDE: usize, const SQUARE: usize>(
        &self,
        c: usize,
        r: &[f64],
    ) -> [f64; N] {
        let mut u = [0.0; N];
        let (r, _) = r.as_chunks::<SIDE>();
        for (k, block) in self.uniform_row::<SQUARE>(c) {
            let (r, (rows, _)) = (&r[*k], block.as_chunks::<SIDE>());
            for (u, w) in u.iter_mut().zip(rows) {
                let mut sum = w[0] * r[0];
                for j in 1..SIDE {
                    sum += w[j] * r[j];
                }
                *u += sum;
            }
        }
        u
    }

    #[inline(always)]
    fn uniform_row<const SQUARE: usize>(&self, c: usize) -> impl Iterator<Item = (&usize, &[f64; SQUARE])> {
        let stored = self.row_ptr[c]..self.row_ptr[c + 1];
        let (blocks, _) = self.values.as_chunks::<SQUARE>();
        self.columns[stored.clone()].iter().zip(&blocks[stored])
    }

    #[inline(always)]
    fn rows_of<const SIDE: usize>(&self, out: &mut [f64], row: impl Fn(usize, &mut [f64; SIDE])) {
        let (out, _) = out.as_chunks_mut::<SIDE>();
        for (c, out) in out.iter_mut().enumerate() {
            row(c, out);
        }
    }

    fn apply_both<const SIDE: usize, const SQUARE: usize>(&self, r: &[f64], out: &mut [f64], magnitude: &mut [f64]) {
        let (r, _) = r.as_chunks::<SIDE>();
        let (out, _) = out.as_chunks_mut::<SIDE>();
        let (magnitude, _) = magnitude.as_chunks_mut::<SIDE>();
        for (c, (out, magnitude)) in out.iter_mut().zip(magnitude).enumerate() {
            let (mut u, mut bound) = ([0.0; SIDE], [0.0; SIDE]);
            for (k, block) in self.uniform_row::<SQUARE>(c) {
                let (r, (rows, _)) = (&r[*k], block.as_chunks::<SIDE>());
                for i in 0..SIDE {
                    let first = rows[i][0] * r[0];
                    let (mut sum, mut terms) = (first, first.abs());
                    for j in 1..SIDE {
                        let term = rows[i][j] * r[j];
                        sum += term;
                        terms += term.abs();
                    }
                    u[i] += sum;
                    bound[i] += terms;
                }
            }
            (*out, *magnitude) = (u, bound);
        }
    }

    fn accumulate(&self, offsets: &[usize], r: &[f64], out: &mut [f64], term: impl Fn(f64, f64) -> f64) {
        for c in 0..offsets.len() - 1 {
            let out = &mut out[offsets[c]..offsets[c + 1]];
            out.fill(0.0);
            for (k, block) in self.row(c) {
                let r = &r[offsets[k]..offsets[k + 1]];
                for (out, row) in out.iter_mut().zip(block.chunks_exact(r.len())) {
                    *out += row.iter().zip(r).map(|(w, r)| term(*w, *r)).sum::<f64>();
                }
            }
        }
    }

    pub(super) fn block(&self, offsets: &[usize], c: usize, k: usize, out: &mut [f64]) {
        let size = (offsets[c + 1] - offsets[c]) * (offsets[k + 1] - offsets[k]);
        match self.stored(c, k) {
            Some(block) => out[..size].copy_from_slice(block),
            None => out[..size].fill(0.0),
        }
    }

    pub(super) fn to_dense(&self, offsets: &[usize]) -> Vec<f64> {
        let n = offsets[offsets.len() - 1];
        let mut dense = vec![0.0; n * n];
        for c in 0..offsets.len() - 1 {
            for (k, block) in self.row(c) {
                let columns = offsets[k + 1] - offsets[k];
                for (a, i) in (offsets[c]..offsets[c + 1]).enumerate() {
                    dense[i * n + offsets[k]..i * n + offsets[k] + columns]
                        .copy_from_slice(&block[a * columns..(a + 1) * columns]);
                }
            }
        }
        dense
    }

    pub(super) fn validate(&self, offsets: &[usize], symmetry: Symmetry, limits: &Limits) -> Result<f64, ProblemError> {
        let blocks = offsets.len() - 1;
        if self.row_ptr.len() != blocks + 1 {
            return Err(ProblemError::Size { what: "row_ptr", found: self.row_ptr.len(), expected: blocks + 1 });
        }
        if Shape::of(offsets) != self.shape {
            return Err(ProblemError::Structure { block: 0, what: "a block has the wrong size" });
        }
        if self.values.len() > limits.stored {
            return Err(ProblemError::Limit {
                what: "stored entries of W",
                found: self.values.len(),
                limit: limits.stored,
            });
        }
        check_finite("block-sparse W", &self.values)?;
        let mut scan = AsymmetryScan::new();
        for c in 0..blocks {
            let rows = offsets[c + 1] - offsets[c];
            for (k, block) in self.row(c) {
                let columns = offsets[k + 1] - offsets[k];
                if block.len() != rows * columns {
                    return Err(ProblemError::Structure { block: c, what: "a block has the wrong size" });
                }
                let mirror = self.stored(k, c);
                for a in 0..rows {
                    for b in 0..columns {
                        let other = mirror.map_or(0.0, |m| m[b * rows + a]);
                        scan.pair(offsets[c] + a, offsets[k] + b, block[a * columns + b], other);
                    }
                }
            }
        }
        scan.finish("W", symmetry)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Every other block of W, and its diagonal, with numbers without pattern.
    fn operator(sizes: &[usize]) -> (Vec<usize>, BlockSparseDelassus) {
        let mut offsets = vec![0];
        for size in sizes {
            offsets.push(offsets[offsets.len() - 1] + size);
        }
        let (mut row_ptr, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut seed = crate::random::SplitMix64::new(11);
        for c in 0..sizes.len() {
            for k in (0..sizes.len()).filter(|k| (c + k) % 2 == 0) {
                columns.push(k);
                for _ in 0..sizes[c] * sizes[k] {
                    values.push(seed.uniform(-1.0, 1.0));
                }
            }
            row_ptr.push(columns.len());
        }
        let w = BlockSparseDelassus::new(&offsets, row_ptr, columns, values).unwrap();
        (offsets, w)
    }

    #[test]
    fn products_are_those_of_the_dense_matrix_whatever_the_blocks() {
        for (sizes, shape) in
            [(&[3, 3, 3, 3, 3][..], Shape::Three), (&[2, 2, 2], Shape::Two), (&[3, 1, 2, 3, 6], Shape::Mixed)]
        {
            let (offsets, w) = operator(sizes);
            assert_eq!(w.shape, shape);
            let n = offsets[sizes.len()];
            let dense = w.to_dense(&offsets);
            let r: Vec<f64> = (0..n).map(|i| i as f64 - 3.5).collect();
            let (mut u, mut both, mut magnitude) = (vec![9.0; n], vec![9.0; n], vec![9.0; n]);
            w.apply(&offsets, &r, &mut u);
            w.apply_with_magnitude(&offsets, &r, &mut both, &mut magnitude);
            assert_eq!(u, both);
            for i in 0..n {
                let terms = || dense[i * n..(i + 1) * n].iter().zip(&r).map(|(w, r)| w * r);
                let bound: f64 = terms().map(f64::abs).sum();
                assert!((u[i] - terms().sum::<f64>()).abs() <= 1e-14 * bound, "{shape:?}, row {i}");
                assert!((magnitude[i] - bound).abs() <= 1e-14 * bound, "{shape:?}, row {i}");
            }
            for c in (0..sizes.len()).filter(|c| sizes[*c] == 3) {
                let rows: [f64; 3] = w.row_times(&offsets, c, &r);
                assert_eq!(rows, u[offsets[c]..offsets[c + 1]]);
            }
        }
    }

    /// One block of 2×2 would be one of 1×4, too.
    #[test]
    fn offsets_of_another_problem_are_refused() {
        let w = BlockSparseDelassus::new(&[0, 2, 4], vec![0, 1, 2], vec![1, 0], vec![0.0; 8]).unwrap();
        assert!(w.validate(&[0, 2, 4], Symmetry::Exact, &Limits::default()).is_ok());
        assert!(w.validate(&[0, 1, 5], Symmetry::Exact, &Limits::default()).is_err());
    }
}

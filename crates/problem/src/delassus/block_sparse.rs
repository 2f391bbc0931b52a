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
        Ok(BlockSparseDelassus { row_ptr, columns, starts, values })
    }

    /// The stored blocks of block row `c`: column and row-major entries.
    pub fn row(&self, c: usize) -> impl Iterator<Item = (usize, &[f64])> {
        (self.row_ptr[c]..self.row_ptr[c + 1])
            .map(|e| (self.columns[e], &self.values[self.starts[e]..self.starts[e + 1]]))
    }

    /// Number of stored blocks.
    pub fn stored_blocks(&self) -> usize {
        self.columns.len()
    }

    fn stored(&self, c: usize, k: usize) -> Option<&[f64]> {
        let row = &self.columns[self.row_ptr[c]..self.row_ptr[c + 1]];
        let e = self.row_ptr[c] + row.binary_search(&k).ok()?;
        Some(&self.values[self.starts[e]..self.starts[e + 1]])
    }

    pub(super) fn apply(&self, offsets: &[usize], r: &[f64], out: &mut [f64]) {
        self.accumulate(offsets, r, out, |w, r| w * r);
    }

    pub(super) fn apply_abs(&self, offsets: &[usize], r: &[f64], out: &mut [f64]) {
        self.accumulate(offsets, r, out, |w, r| (w * r).abs());
    }

    #[inline]
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

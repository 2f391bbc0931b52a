//! W of a small problem during sweeps: all columns of W are stored, and `W r` is kept up to date.

use super::Coupling;
use super::bodies::times_matrices;
use crate::linalg::dense_lu::stride_of;
use signorini_problem::{ContactProblem, Delassus, FactoredDelassus};

/// W by columns, each a multiple of four long: zeros fill it up, and loops need no tails.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'a> {
    values: &'a [f64],
    stride: usize,
}

impl<'a> Columns<'a> {
    /// Length of a column, and of what [`Columns::times`] writes.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Column `j`.
    #[inline(always)]
    pub(crate) fn column(&self, j: usize) -> &'a [f64] {
        &self.values[j * self.stride..(j + 1) * self.stride]
    }

    /// `out = W r`; four columns without an impulse are skipped.
    #[inline(always)]
    pub(crate) fn times(&self, r: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let (out, _) = out.as_chunks_mut::<4>();
        let (fours, left) = r.as_chunks::<4>();
        for (f, r) in fours.iter().enumerate() {
            if *r == [0.0; 4] {
                continue;
            }
            let column = |i: usize| &self.column(4 * f + i).as_chunks::<4>().0[..out.len()];
            let (a, b, c, d) = (column(0), column(1), column(2), column(3));
            // One index for all five: the compiler would keep an end for each of five iterators.
            for row in 0..out.len() {
                let (a, b, c, d) = (&a[row], &b[row], &c[row], &d[row]);
                // All lanes are read before one is written: the compiler then takes them together.
                let mut sum = out[row];
                for i in 0..4 {
                    sum[i] += (a[i] * r[0] + b[i] * r[1]) + (c[i] * r[2] + d[i] * r[3]);
                }
                out[row] = sum;
            }
        }
        for (j, r) in (4 * fours.len()..).zip(left) {
            for (out, w) in out.iter_mut().zip(self.column(j).as_chunks::<4>().0) {
                let mut sum = *out;
                for i in 0..4 {
                    sum[i] += w[i] * r;
                }
                *out = sum;
            }
        }
    }
}

/// Small problems of any form: all columns of W, and `W r` kept up to date. A contact that does not change costs nothing.
#[derive(Clone, Debug, Default)]
pub(in crate::sweep) struct KeptCoupling {
    /// Rows of the problem; 0 while another form is in use.
    pub rows: usize,
    stride: usize,
    /// W by columns.
    columns: Vec<f64>,
    /// `W r` [m/s].
    velocity: Vec<f64>,
}

impl KeptCoupling {
    pub(in crate::sweep) fn prepare(&mut self, problem: &ContactProblem) {
        let (n, offsets) = (problem.rows(), problem.offsets());
        self.rows = n;
        self.stride = stride_of(n);
        self.columns.clear();
        self.columns.resize(n * self.stride, 0.0);
        self.velocity.clear();
        self.velocity.resize(self.stride, 0.0);
        let stride = self.stride;
        let blocks = problem.blocks().len();
        match problem.delassus() {
            Delassus::BlockSparse(w) => {
                for c in 0..blocks {
                    for (k, block) in w.row(c) {
                        place(&mut self.columns, stride, offsets, c, k, block);
                    }
                }
            }
            Delassus::Dense(w) => {
                for (i, row) in w.values().chunks_exact(n.max(1)).enumerate() {
                    for (j, value) in row.iter().enumerate() {
                        self.columns[j * stride + i] = *value;
                    }
                }
            }
            Delassus::Factored(w) if !w.further().is_empty() => {
                let mut block = [0.0; 36];
                for (c, k) in (0..blocks).flat_map(|c| (0..blocks).map(move |k| (c, k))) {
                    // Of a symmetric W the lower half is that of the upper one, to the bit.
                    let flip = k > c && problem.asymmetry() == 0.0;
                    let (i, j) = if flip { (k, c) } else { (c, k) };
                    problem.delassus().block(offsets, i, j, &mut block);
                    let (rows, width) = (offsets[i + 1] - offsets[i], offsets[j + 1] - offsets[j]);
                    for (a, b) in (0..rows).flat_map(|a| (0..width).map(move |b| (a, b))) {
                        let (row, column) = (offsets[i] + a, offsets[j] + b);
                        let (row, column) = if flip { (column, row) } else { (row, column) };
                        self.columns[column * stride + row] = block[a * width + b];
                    }
                }
            }
            Delassus::Factored(w) => {
                for c in 0..blocks {
                    self.place_row(problem, w, c);
                }
                for (i, c) in w.compliance().iter().enumerate() {
                    self.columns[i * stride + i] += c;
                }
            }
        }
    }

    /// Block row `c` of `J M⁻¹ Jᵀ`: `J M⁻¹` of its rows once, then times the rows of every block that shares a body. Of a
    /// symmetric W only up to the diagonal, and the rest from there.
    fn place_row(&mut self, problem: &ContactProblem, w: &FactoredDelassus, c: usize) {
        let (offsets, stride, bodies) = (problem.offsets(), self.stride, w.bodies());
        let symmetric = problem.asymmetry() == 0.0;
        let rows = offsets[c]..offsets[c + 1];
        let mut moved = [[0.0; 12]; 6];
        let sides = bodies[c].map(|body| body.unwrap_or(u32::MAX));
        for (moved, row) in moved.iter_mut().zip(&w.jacobian()[rows.clone()]) {
            *moved = times_matrices(row, &sides, w.inverse_mass());
        }
        let end = if symmetric { c + 1 } else { bodies.len() };
        for (k, others) in bodies[..end].iter().enumerate() {
            let shared: [[bool; 2]; 2] =
                std::array::from_fn(|a| std::array::from_fn(|b| bodies[c][a].is_some() && bodies[c][a] == others[b]));
            if shared == [[false; 2]; 2] {
                continue;
            }
            for j in offsets[k]..offsets[k + 1] {
                for (i, moved) in rows.clone().zip(&moved) {
                    let (own, (other, _)) = (moved.as_chunks::<6>().0, w.jacobian()[j].as_chunks::<6>());
                    let mut sum = 0.0;
                    for (a, shared) in shared.iter().enumerate() {
                        for b in 0..2 {
                            if shared[b] {
                                sum += (0..6).map(|l| own[a][l] * other[b][l]).sum::<f64>();
                            }
                        }
                    }
                    if symmetric {
                        // Round-off may split (i, j) from (j, i).
                        self.columns[i * stride + j] = sum;
                    }
                    self.columns[j * stride + i] = sum;
                }
            }
        }
    }

    /// The diagonal block over rows `first..first + n`, row-major.
    pub(in crate::sweep) fn diagonal_block(&self, first: usize, n: usize, out: &mut [f64; 36]) {
        for i in 0..n {
            for j in 0..n {
                out[i * n + j] = self.columns[(first + j) * self.stride + first + i];
            }
        }
    }

    /// W by columns.
    pub(in crate::sweep) fn columns(&self) -> Columns<'_> {
        Columns { values: &self.columns, stride: self.stride }
    }

    /// `W r` from scratch.
    pub(in crate::sweep) fn reset(&mut self, r: &[f64]) {
        Columns { values: &self.columns, stride: self.stride }.times(r, &mut self.velocity);
    }
}

/// Puts a row-major block into W by columns.
fn place(columns: &mut [f64], stride: usize, offsets: &[usize], c: usize, k: usize, block: &[f64]) {
    let (first, start) = (offsets[c], offsets[k] * stride);
    if let Some(block) = block.as_array::<9>() {
        let columns = &mut columns[start..start + 3 * stride];
        for b in 0..3 {
            let column = &mut columns[b * stride + first..b * stride + first + 3];
            (column[0], column[1], column[2]) = (block[b], block[3 + b], block[6 + b]);
        }
        return;
    }
    let (height, width) = (offsets[c + 1] - first, offsets[k + 1] - offsets[k]);
    for b in 0..width {
        for a in 0..height {
            columns[start + b * stride + first + a] = block[a * width + b];
        }
    }
}

impl Coupling for KeptCoupling {
    #[inline]
    fn velocity<const N: usize>(&self, _: usize, first: usize, _: &[f64]) -> [f64; N] {
        std::array::from_fn(|i| self.velocity[first + i])
    }
    #[inline]
    fn changed<const N: usize>(&mut self, _: usize, first: usize, delta: &[f64; N]) {
        let stride = self.stride;
        // The columns of one block together: the velocities are read and written once.
        let columns: [&[[f64; 4]]; N] = std::array::from_fn(|i| {
            let start = (first + i) * stride;
            self.columns[start..start + stride].as_chunks::<4>().0
        });
        let (velocity, _) = self.velocity[..stride].as_chunks_mut::<4>();
        for (row, velocity) in velocity.iter_mut().enumerate() {
            let mut sum = *velocity;
            for i in 0..N {
                let column = &columns[i][row];
                for lane in 0..4 {
                    sum[lane] += column[lane] * delta[i];
                }
            }
            *velocity = sum;
        }
    }
}

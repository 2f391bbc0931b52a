//! How a block feels the others: through rows of W, or through the velocities of its two bodies.

use crate::linalg::dense::dot;
use crate::linalg::small_lu::stride_of;
use signorini_problem::{BlockSparseDelassus, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, InverseMass};

/// Velocity of a block caused by all impulses, and the news that a block's impulse changed.
pub(super) trait Coupling {
    /// Rows `first..first + N` of `W r` [m/s].
    fn velocity<const N: usize>(&self, c: usize, first: usize, r: &[f64]) -> [f64; N];
    /// Block `c` changed by `delta` [N·s].
    fn changed<const N: usize>(&mut self, c: usize, first: usize, delta: &[f64; N]);
}

/// Dense W: nothing to keep.
pub(super) struct DenseCoupling<'a>(pub &'a DenseDelassus);

impl Coupling for DenseCoupling<'_> {
    #[inline]
    fn velocity<const N: usize>(&self, _: usize, first: usize, r: &[f64]) -> [f64; N] {
        std::array::from_fn(|i| dot(self.0.row(first + i), r))
    }
    #[inline]
    fn changed<const N: usize>(&mut self, _: usize, _: usize, _: &[f64; N]) {}
}

/// Block-sparse W and the first row of every block.
pub(super) struct SparseCoupling<'a>(pub &'a BlockSparseDelassus, pub &'a [usize]);

impl Coupling for SparseCoupling<'_> {
    #[inline]
    fn velocity<const N: usize>(&self, c: usize, _: usize, r: &[f64]) -> [f64; N] {
        self.0.row_times(self.1, c, r)
    }
    #[inline]
    fn changed<const N: usize>(&mut self, _: usize, _: usize, _: &[f64; N]) {}
}

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
pub(super) struct KeptCoupling {
    /// Rows of the problem; 0 while another form is in use.
    pub rows: usize,
    stride: usize,
    /// W by columns.
    columns: Vec<f64>,
    /// `W r` [m/s].
    velocity: Vec<f64>,
}

impl KeptCoupling {
    pub(super) fn prepare(&mut self, problem: &ContactProblem) {
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
    pub(super) fn diagonal_block(&self, first: usize, n: usize, out: &mut [f64; 36]) {
        for i in 0..n {
            for j in 0..n {
                out[i * n + j] = self.columns[(first + j) * self.stride + first + i];
            }
        }
    }

    /// W by columns.
    pub(super) fn columns(&self) -> Columns<'_> {
        Columns { values: &self.columns, stride: self.stride }
    }

    /// `W r` from scratch.
    pub(super) fn reset(&mut self, r: &[f64]) {
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

/// Six columns of side A, six of side B.
type Row = [f64; 12];

/// Factored W, in coordinates in which every body has unit mass: with `M⁻¹ = L Lᵀ` and `y = Lᵀ Jᵀ r`, `Δv = L y` and
/// `W r = (J L) y`. The same twelve numbers per row then gather and scatter, which halves what a sweep reads. Rows that give
/// way add `c r` of their own impulse.
///
/// An inverse mass that is not symmetric positive semidefinite has no L; then `L = 1` and the scatter has its own rows
/// `M⁻¹Jᵀ`.
#[derive(Clone, Debug, Default)]
pub(super) struct BodyCoupling {
    /// y, six numbers per body, and a last entry that stands for all that is fixed: its columns are zero.
    state: Vec<[f64; 6]>,
    /// Bodies (A, B) of every block as indices into `state`.
    bodies: Vec<[u32; 2]>,
    /// J L, or J.
    gather: Vec<Row>,
    /// M⁻¹Jᵀ; empty if `gather` serves.
    scatter: Vec<Row>,
    /// L of every body; empty if L = 1.
    roots: Vec<InverseMass>,
    /// c of every row [1/kg]; empty if no row gives way.
    compliance: Vec<f64>,
    /// Scratch of [`BodyCoupling::drift`].
    fresh: Vec<[f64; 6]>,
    magnitude: Vec<[f64; 6]>,
    /// Largest linear and angular term summed since the last reset.
    peak: [f64; 2],
}

impl BodyCoupling {
    pub(super) fn prepare(&mut self, w: &FactoredDelassus, offsets: &[usize]) {
        let fixed = w.inverse_mass().len() as u32;
        self.bodies.clear();
        self.bodies.extend(w.bodies().iter().map(|pair| pair.map(|body| body.unwrap_or(fixed))));
        self.roots.clear();
        self.scatter.clear();
        self.gather.clear();
        for m in w.inverse_mass() {
            match square_root(m) {
                Some(root) => self.roots.push(root),
                None => {
                    self.roots.clear();
                    break;
                }
            }
        }
        let one_set = self.roots.len() == w.inverse_mass().len();
        for (c, pair) in self.bodies.iter().enumerate() {
            for row in offsets[c]..offsets[c + 1] {
                let j = &w.jacobian()[row];
                if one_set {
                    self.gather.push(times_matrices(j, pair, &self.roots));
                } else {
                    let keep = |side: usize, i: usize| if pair[side] == fixed { 0.0 } else { j[6 * side + i] };
                    self.gather.push(std::array::from_fn(|i| keep(i / 6, i % 6)));
                    self.scatter.push(matrices_times(w.inverse_mass(), pair, j));
                }
            }
        }
        self.compliance.clear();
        self.compliance.extend_from_slice(w.compliance());
        self.state.clear();
        self.state.resize(w.inverse_mass().len() + 1, [0.0; 6]);
    }

    /// The diagonal block of W over rows `first..first + n`, row-major. Scatter rows that are not the gather rows belong
    /// to an asymmetric inverse mass, of which the lower triangle is taken.
    pub(super) fn diagonal_block(&self, first: usize, n: usize, out: &mut [f64; 36]) {
        let scatter = if self.scatter.is_empty() { &self.gather } else { &self.scatter };
        for i in 0..n {
            for j in 0..=i {
                let (a, b) = (&self.gather[first + i], &scatter[first + j]);
                let mut sums = [0.0; 2];
                for l in 0..6 {
                    sums[0] += a[l] * b[l];
                    sums[1] += a[6 + l] * b[6 + l];
                }
                out[i * n + j] = sums[0] + sums[1];
                out[j * n + i] = out[i * n + j];
            }
        }
        for (i, c) in self.compliance.iter().skip(first).take(n).enumerate() {
            out[i * n + i] += c;
        }
    }

    /// y from scratch.
    pub(super) fn reset(&mut self, offsets: &[usize], r: &[f64]) {
        let rows = if self.scatter.is_empty() { &self.gather } else { &self.scatter };
        self.peak = [0.0; 2];
        self.state.fill([0.0; 6]);
        accumulate(&mut self.state, &self.bodies, rows, offsets, r, |x| x);
    }

    /// Largest `|Δv − M⁻¹Jᵀr|`, the latter from the operator itself, relative to the largest term ever summed: an impulse
    /// that came and went leaves its round-off behind. Linear and angular velocities are compared apart. Impulses below
    /// [`LEAST_IMPULSE`] count as that: what is left of subnormal numbers has too few digits to compare.
    pub(super) fn drift(&mut self, w: &FactoredDelassus, offsets: &[usize], r: &[f64]) -> f64 {
        let BodyCoupling { state, bodies, fresh, magnitude, roots, peak, .. } = self;
        for sums in [&mut *fresh, &mut *magnitude] {
            sums.clear();
            sums.resize(state.len(), [0.0; 6]);
        }
        accumulate(fresh, bodies, w.jacobian(), offsets, r, |x| x);
        accumulate(magnitude, bodies, w.jacobian(), offsets, r, f64::abs);
        let mut difference = [0.0f64; 2];
        for (b, m) in w.inverse_mass().iter().enumerate() {
            let kept = times_root(roots.get(b), &state[b]);
            for i in 0..6 {
                let exact: f64 = (0..6).map(|j| m[i][j] * fresh[b][j]).sum();
                let terms: f64 = (0..6).map(|j| (m[i][j] * (magnitude[b][j] + LEAST_IMPULSE)).abs()).sum();
                difference[i / 3] = difference[i / 3].max((exact - kept[i]).abs());
                peak[i / 3] = peak[i / 3].max(terms);
            }
        }
        (0..2).map(|i| if difference[i] > 0.0 { difference[i] / peak[i] } else { 0.0 }).fold(0.0, f64::max)
    }

    /// Addresses of the buffers.
    #[cfg(test)]
    pub(super) fn places(&self) -> [usize; 4] {
        let BodyCoupling { state, bodies, gather, roots, .. } = self;
        [state.as_ptr().addr(), bodies.as_ptr().addr(), gather.as_ptr().addr(), roots.as_ptr().addr()]
    }

    pub(super) fn velocities(&self, out: &mut Vec<f64>) {
        out.clear();
        let moving = self.state.len().saturating_sub(1);
        for (b, y) in self.state[..moving].iter().enumerate() {
            out.extend_from_slice(&times_root(self.roots.get(b), y));
        }
    }
}

impl Coupling for BodyCoupling {
    #[inline]
    fn velocity<const N: usize>(&self, c: usize, first: usize, r: &[f64]) -> [f64; N] {
        let [a, b] = self.bodies[c];
        let (a, b) = (&self.state[a as usize], &self.state[b as usize]);
        let rows = &self.gather[first..first + N];
        let mut velocity = std::array::from_fn(|i| {
            let row = &rows[i];
            let mut sums = [0.0; 2];
            for j in 0..3 {
                for lane in 0..2 {
                    sums[lane] += row[2 * j + lane] * a[2 * j + lane] + row[6 + 2 * j + lane] * b[2 * j + lane];
                }
            }
            sums[0] + sums[1]
        });
        if !self.compliance.is_empty() {
            let terms = self.compliance[first..first + N].iter().zip(&r[first..first + N]);
            velocity.iter_mut().zip(terms).for_each(|(velocity, (c, r))| *velocity += c * r);
        }
        velocity
    }

    #[inline]
    fn changed<const N: usize>(&mut self, c: usize, first: usize, delta: &[f64; N]) {
        let rows = if self.scatter.is_empty() { &self.gather } else { &self.scatter };
        let rows = &rows[first..first + N];
        let [a, b] = self.bodies[c];
        for (body, start) in [(a, 0), (b, 6)] {
            let y = &mut self.state[body as usize];
            for i in 0..N {
                for j in 0..6 {
                    y[j] += rows[i][start + j] * delta[i];
                }
            }
        }
    }
}

/// Impulse whose products with any mass are far from subnormal [N·s].
const LEAST_IMPULSE: f64 = 1e-290;

fn accumulate(
    state: &mut [[f64; 6]],
    bodies: &[[u32; 2]],
    rows: &[Row],
    offsets: &[usize],
    r: &[f64],
    term: impl Fn(f64) -> f64,
) {
    for (c, pair) in bodies.iter().enumerate() {
        for row in offsets[c]..offsets[c + 1] {
            if r[row] == 0.0 {
                continue;
            }
            for (body, start) in [(pair[0], 0), (pair[1], 6)] {
                let y = &mut state[body as usize];
                for j in 0..6 {
                    y[j] += term(rows[row][start + j] * r[row]);
                }
            }
        }
    }
}

fn times_root(root: Option<&InverseMass>, y: &[f64; 6]) -> [f64; 6] {
    match root {
        Some(root) => std::array::from_fn(|i| (0..6).map(|j| root[i][j] * y[j]).sum()),
        None => *y,
    }
}

/// `j` times the matrix of each side's body; zero for a fixed side, which has none.
fn times_matrices(j: &Row, pair: &[u32; 2], matrices: &[InverseMass]) -> Row {
    let mut product = [0.0; 12];
    for (side, body) in pair.iter().enumerate() {
        let Some(m) = matrices.get(*body as usize) else { continue };
        for a in 0..6 {
            let x = j[6 * side + a];
            if x != 0.0 {
                for (product, m) in product[6 * side..6 * side + 6].iter_mut().zip(&m[a]) {
                    *product += x * m;
                }
            }
        }
    }
    product
}

/// The matrix of each side's body times `j`: the same for a symmetric matrix, and the one that `Δv = M⁻¹Jᵀr` asks for.
fn matrices_times(matrices: &[InverseMass], pair: &[u32; 2], j: &Row) -> Row {
    let mut product = [0.0; 12];
    for (side, body) in pair.iter().enumerate() {
        let Some(m) = matrices.get(*body as usize) else { continue };
        for a in 0..6 {
            product[6 * side + a] = (0..6).map(|b| m[a][b] * j[6 * side + b]).sum();
        }
    }
    product
}

/// L with `M⁻¹ = L Lᵀ`, lower triangular, zero columns where the matrix is singular. `None` if that reproduces the
/// matrix only to more than round-off: it is asymmetric, indefinite, or too badly scaled.
fn square_root(m: &InverseMass) -> Option<InverseMass> {
    let mut l = [[0.0; 6]; 6];
    for j in 0..6 {
        let pivot = m[j][j] - (0..j).map(|k| l[j][k] * l[j][k]).sum::<f64>();
        if pivot <= 1e-15 * m[j][j] {
            continue;
        }
        l[j][j] = pivot.sqrt();
        for i in j + 1..6 {
            l[i][j] = (m[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>()) / l[j][j];
        }
    }
    for i in 0..6 {
        for j in 0..6 {
            let product: f64 = (0..6).map(|k| l[i][k] * l[j][k]).sum();
            // For a semidefinite matrix |m_ij| ≤ √(m_ii m_jj).
            let reproduced = (product - m[i][j]).abs() <= 8.0 * f64::EPSILON * (m[i][i] * m[j][j]).sqrt();
            if !reproduced {
                return None;
            }
        }
    }
    Some(l)
}

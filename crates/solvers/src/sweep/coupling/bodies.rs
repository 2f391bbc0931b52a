//! Factored W during a sweep: the velocity of a block follows from the velocities of its two bodies, which are kept up
//! to date. Few blocks have more than two.

use super::Coupling;
use signorini_problem::{FactoredDelassus, FurtherColumns, InverseMass};

/// Six columns of side A, six of side B.
pub(super) type Row = [f64; 12];

/// Factored W, in coordinates in which every body has unit mass: with `M⁻¹ = L Lᵀ` and `y = Lᵀ Jᵀ r`, `Δv = L y` and
/// `W r = (J L) y`. The same twelve numbers per row then gather and scatter, which halves what a sweep reads. Rows that give
/// way add `c r` of their own impulse.
///
/// An inverse mass that is not symmetric positive semidefinite has no L; then `L = 1` and the scatter has its own rows
/// `M⁻¹Jᵀ`.
#[derive(Clone, Debug, Default)]
pub(in crate::sweep) struct BodyCoupling {
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
    /// What `gather` and `scatter` have beyond the two bodies of a block, ascending by row.
    gather_further: Vec<FurtherColumns>,
    scatter_further: Vec<FurtherColumns>,
    /// Scratch of [`BodyCoupling::drift`].
    fresh: Vec<[f64; 6]>,
    magnitude: Vec<[f64; 6]>,
    /// Largest linear and angular term summed since the last reset.
    peak: [f64; 2],
}

impl BodyCoupling {
    pub(in crate::sweep) fn prepare(&mut self, w: &FactoredDelassus, offsets: &[usize]) {
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
        self.gather_further.clear();
        self.scatter_further.clear();
        for further in w.further() {
            let root = if one_set { self.roots.get(further.body as usize) } else { None };
            let times = |m: &InverseMass| std::array::from_fn(|b| (0..6).map(|a| further.columns[a] * m[a][b]).sum());
            let columns = root.map_or(further.columns, times);
            self.gather_further.push(FurtherColumns { columns, ..*further });
            if !one_set {
                let m = &w.inverse_mass()[further.body as usize];
                let columns = std::array::from_fn(|a| (0..6).map(|b| m[a][b] * further.columns[b]).sum());
                self.scatter_further.push(FurtherColumns { columns, ..*further });
            }
        }
        self.compliance.clear();
        self.compliance.extend_from_slice(w.compliance());
        self.state.clear();
        self.state.resize(w.inverse_mass().len() + 1, [0.0; 6]);
    }

    /// The diagonal block of W over rows `first..first + n`, row-major. Scatter rows that are not the gather rows belong
    /// to an asymmetric inverse mass, of which the lower triangle is taken.
    pub(in crate::sweep) fn diagonal_block(&self, first: usize, n: usize, out: &mut [f64; 36]) {
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
        for own in of_rows(&self.gather_further, first, n) {
            let i = own.row as usize - first;
            for other in of_rows(self.further_to_scatter(), first, n).iter().filter(|other| other.body == own.body) {
                let j = other.row as usize - first;
                if j <= i {
                    out[i * n + j] += own.columns.iter().zip(&other.columns).map(|(a, b)| a * b).sum::<f64>();
                    out[j * n + i] = out[i * n + j];
                }
            }
        }
        for (i, c) in self.compliance.iter().skip(first).take(n).enumerate() {
            out[i * n + i] += c;
        }
    }

    /// y from scratch.
    pub(in crate::sweep) fn reset(&mut self, offsets: &[usize], r: &[f64]) {
        let rows = if self.scatter.is_empty() { &self.gather } else { &self.scatter };
        self.peak = [0.0; 2];
        self.state.fill([0.0; 6]);
        accumulate(&mut self.state, &self.bodies, rows, offsets, r, |x| x);
        let further = if self.scatter.is_empty() { &self.gather_further } else { &self.scatter_further };
        accumulate_further(&mut self.state, further, r, |x| x);
    }

    fn further_to_scatter(&self) -> &[FurtherColumns] {
        if self.scatter.is_empty() { &self.gather_further } else { &self.scatter_further }
    }

    /// Largest `|Δv − M⁻¹Jᵀr|`, the latter from the operator itself, relative to the largest term ever summed: an impulse
    /// that came and went leaves its round-off behind. Linear and angular velocities are compared apart. Impulses below
    /// [`LEAST_IMPULSE`] count as that: what is left of subnormal numbers has too few digits to compare.
    pub(in crate::sweep) fn drift(&mut self, w: &FactoredDelassus, offsets: &[usize], r: &[f64]) -> f64 {
        let BodyCoupling { state, bodies, fresh, magnitude, roots, peak, .. } = self;
        for sums in [&mut *fresh, &mut *magnitude] {
            sums.clear();
            sums.resize(state.len(), [0.0; 6]);
        }
        accumulate(fresh, bodies, w.jacobian(), offsets, r, |x| x);
        accumulate(magnitude, bodies, w.jacobian(), offsets, r, f64::abs);
        accumulate_further(fresh, w.further(), r, |x| x);
        accumulate_further(magnitude, w.further(), r, f64::abs);
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
    pub(in crate::sweep) fn places(&self) -> [usize; 4] {
        let BodyCoupling { state, bodies, gather, roots, .. } = self;
        [state.as_ptr().addr(), bodies.as_ptr().addr(), gather.as_ptr().addr(), roots.as_ptr().addr()]
    }

    pub(in crate::sweep) fn velocities(&self, out: &mut Vec<f64>) {
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
        if !self.gather_further.is_empty() {
            for further in of_rows(&self.gather_further, first, N) {
                let y = &self.state[further.body as usize];
                let beyond = further.columns.iter().zip(y).map(|(j, y)| j * y).sum::<f64>();
                velocity[further.row as usize - first] += beyond;
            }
        }
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
        if !self.gather_further.is_empty() {
            let further = if self.scatter.is_empty() { &self.gather_further } else { &self.scatter_further };
            for further in of_rows(further, first, N) {
                let delta = delta[further.row as usize - first];
                let y = &mut self.state[further.body as usize];
                y.iter_mut().zip(&further.columns).for_each(|(y, j)| *y += j * delta);
            }
        }
    }
}

/// Those of rows `first..first + n`.
fn of_rows(further: &[FurtherColumns], first: usize, n: usize) -> &[FurtherColumns] {
    let start = further.partition_point(|further| (further.row as usize) < first);
    let count = further[start..].partition_point(|further| (further.row as usize) < first + n);
    &further[start..start + count]
}

fn accumulate_further(state: &mut [[f64; 6]], further: &[FurtherColumns], r: &[f64], term: impl Fn(f64) -> f64) {
    for FurtherColumns { row, body, columns } in further {
        let r = r[*row as usize];
        state[*body as usize].iter_mut().zip(columns).for_each(|(y, j)| *y += term(j * r));
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
pub(super) fn times_matrices(j: &Row, pair: &[u32; 2], matrices: &[InverseMass]) -> Row {
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

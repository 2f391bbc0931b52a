//! Minimum-norm impulses of the pivoting methods: the shortest vector among all with the same velocities.
//!
//! On a face Z of a singular program the solutions are `{x_Z : A_ZZ x_Z = c, lo ≤ x ≤ hi}`. Cholesky, in the given order
//! or with the largest remaining diagonal as pivot (Higham 2002, §10.3), finds independent indices B and
//!
//! ```text
//! A_ZZ = VᵀV,   V = L⁻¹ A_BZ (rank × |Z|),      H = V Vᵀ,      g = L⁻¹ c_B
//! ```
//!
//! and the shortest solution without bounds is `x° = Vᵀ H⁻¹ g`. H has the non-zero eigenvalues of A_ZZ, not their
//! squares; and since neither V nor g comes from the basis the solver ended with, an ill-conditioned one does no harm.
//! If x° violates a bound, the shortest solution inside the bounds is `x = x° + P s` with the projector onto the null
//! space `P = I − Vᵀ H⁻¹ V` and multipliers `0 ≤ s ⊥ x − lo ≥ 0` (and likewise for hi): a program of the same kind
//! with matrix P, solved by the same exchanges. s may not be unique; x is.
//!
//! Cost: rank²·|Z|/2 for V and again for H, rank³/6 (less where A has zeros); with bounds in the way also rank·|Z|².

use super::bounded_qp::{BoundedQp, Exit, Indefinite, Program};
use super::dense::{axpy, dot};
use super::dense_cholesky::GrowingCholesky;

/// Remaining diagonal, of a unit one, up to which the rest depends on the pivots.
const DEPENDENT: f64 = 1e-12;
/// Pivot, of a unit diagonal, from which on any order of elimination is good enough.
const DOUBTFUL: f64 = 1e-4;
/// Diagonal of P below which a component is the same in every solution.
const DETERMINED: f64 = 1e-8;
/// Relative distance outside a bound that counts as round-off.
const OUTSIDE: f64 = 1e-12;

/// `A_ZZ = VᵀV` and `V Vᵀ = H` of one face; buffers are reused.
#[derive(Clone, Debug, Default)]
struct Face {
    indices: Vec<usize>,
    /// Nonzero run of each column v_z of V: start in `values`, and its first row.
    runs: Vec<(usize, usize)>,
    values: Vec<f64>,
    /// Place in the face of each pivot.
    pivots: Vec<usize>,
    factor: GrowingCholesky,
    remaining: Vec<f64>,
    square: Vec<f64>,
    pivot_column: Vec<f64>,
}

impl Face {
    /// V, in the order of the indices where that is well-conditioned, otherwise with the best pivots.
    fn pivot(&mut self, program: &Program, indices: impl Iterator<Item = usize>) {
        self.indices.clear();
        self.indices.extend(indices);
        if !self.pivot_in_order(program) {
            self.pivot_by_size(program);
        }
    }

    /// Keeps the zeros of A. False if a pivot is so small that the choice of pivots matters.
    fn pivot_in_order(&mut self, program: &Program) -> bool {
        self.forget_columns();
        self.factor.clear();
        for (place, &z) in self.indices.iter().enumerate() {
            let (row, pivots, indices) = (program.row(z), &self.pivots, &self.indices);
            let schur = self.factor.examine(row[z], |k| row[indices[pivots[k]]]);
            if schur > DEPENDENT && schur < DOUBTFUL {
                return false;
            }
            let first = self.factor.examined_first();
            self.runs.push((self.values.len(), first));
            self.values.extend_from_slice(&self.factor.examined()[first..]);
            if schur > DEPENDENT {
                self.factor.append(schur);
                self.values.push(schur.sqrt());
                self.pivots.push(place);
            }
        }
        true
    }

    /// The largest remaining diagonal first.
    fn pivot_by_size(&mut self, program: &Program) {
        self.forget_columns();
        let n = self.indices.len();
        self.square.clear();
        self.square.resize(n * n, 0.0);
        self.remaining.clear();
        self.remaining.resize(n, 1.0);
        for step in 0..n {
            let mut pivot = 0;
            for place in 1..n {
                if self.remaining[place] > self.remaining[pivot] {
                    pivot = place;
                }
            }
            if self.remaining[pivot] <= DEPENDENT {
                break;
            }
            let root = self.remaining[pivot].sqrt();
            self.pivot_column.clear();
            self.pivot_column.extend_from_slice(&self.square[pivot * n..pivot * n + step]);
            let row = program.row(self.indices[pivot]);
            for (place, &z) in self.indices.iter().enumerate() {
                // Nothing remains of a pivot: its column ends where it was chosen.
                if self.remaining[place] == f64::NEG_INFINITY {
                    continue;
                }
                let column = &mut self.square[place * n..place * n + step + 1];
                let v = if place == pivot { root } else { (row[z] - dot(&column[..step], &self.pivot_column)) / root };
                column[step] = v;
                self.remaining[place] -= v * v;
            }
            self.remaining[pivot] = f64::NEG_INFINITY;
            self.pivots.push(pivot);
        }
        let rank = self.rank();
        for place in 0..n {
            let step = self.pivots.iter().position(|pivot| *pivot == place);
            self.runs.push((self.values.len(), 0));
            self.values.extend_from_slice(&self.square[place * n..place * n + step.map_or(rank, |step| step + 1)]);
        }
    }

    fn forget_columns(&mut self) {
        self.runs.clear();
        self.values.clear();
        self.pivots.clear();
    }

    fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// First row of `v_z` that is not zero, and its entries from there.
    fn column(&self, place: usize) -> (usize, &[f64]) {
        let (start, first) = self.runs[place];
        let end = self.runs.get(place + 1).map_or(self.values.len(), |next| next.0);
        (first, &self.values[start..end])
    }

    /// `v_zᵀ y`.
    fn project(&self, place: usize, y: &[f64]) -> f64 {
        let (first, v) = self.column(place);
        dot(v, &y[first..])
    }

    /// `y += a v_z`.
    fn add(&self, place: usize, a: f64, y: &mut [f64]) {
        let (first, v) = self.column(place);
        axpy(a, v, &mut y[first..]);
    }

    /// Factors H = Σ v_z v_zᵀ.
    fn factor_gram(&mut self) -> Result<(), Indefinite> {
        let k = self.rank();
        let mut gram = std::mem::take(&mut self.square);
        gram.clear();
        gram.resize(k * k, 0.0);
        for place in 0..self.indices.len() {
            let (first, v) = self.column(place);
            for (a, value) in v.iter().enumerate() {
                let row = (first + a) * k + first;
                axpy(*value, &v[..a + 1], &mut gram[row..row + a + 1]);
            }
        }
        self.factor.clear();
        for a in 0..k {
            let row = &gram[a * k..a * k + a + 1];
            let schur = self.factor.examine(row[a], |i| row[i]);
            if schur <= 0.0 {
                return Err(Indefinite { row: self.indices[self.pivots[a]], schur });
            }
            self.factor.append(schur);
        }
        self.square = gram;
        Ok(())
    }

    /// `g = L⁻¹ c_B`, `c` given by place in the face.
    fn reduce(&self, c: impl Fn(usize) -> f64, g: &mut Vec<f64>) {
        g.clear();
        for pivot in &self.pivots {
            let (first, v) = self.column(*pivot);
            let last = v.len() - 1;
            let value = (c(*pivot) - dot(&v[..last], &g[first..])) / v[last];
            g.push(value);
        }
    }
}

/// Workspace; buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct MinimumNorm {
    face: Face,
    /// The loaded part of the face, where bounds are in the way.
    loaded: Face,
    g: Vec<f64>,
    y: Vec<f64>,
    residual: Vec<f64>,
    /// The answer, in the order of the face.
    x: Vec<f64>,
    /// Places in the face of the loaded indices.
    places: Vec<usize>,
    multipliers: Multipliers,
}

#[derive(Clone, Debug, Default)]
struct Multipliers {
    /// Place in the face, sign and bound of each constraint.
    constraints: Vec<(usize, f64, f64)>,
    /// `K⁻¹ v_z` for each index of the face, with H = K Kᵀ.
    reduced: Vec<f64>,
    scale: Vec<f64>,
    matrix: Vec<f64>,
    q: Vec<f64>,
    lo: Vec<f64>,
    hi: Vec<f64>,
    tolerance: Vec<f64>,
    program: BoundedQp,
}

/// Whether bounds may be met with multipliers, or end the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bounds {
    /// Find the shortest x inside the bounds.
    Enforce,
    /// Give up if the shortest x is outside.
    Check,
}

impl MinimumNorm {
    /// Replaces `state.x` on `face` by the shortest vector with `u = 0` there, all other indices staying as they are.
    /// False if the bounds are in the way: x on the face is then the caller's to restore.
    pub fn solve(
        &mut self,
        program: &Program,
        face: &[usize],
        bounds: Bounds,
        state: &mut BoundedQp,
    ) -> Result<bool, Indefinite> {
        self.face.pivot(program, face.iter().copied());
        self.face.factor_gram()?;
        // c = −q − A_·F x_F, with F what is not on the face.
        for z in face {
            state.x[*z] = 0.0;
        }
        state.evaluate(program);
        self.face.reduce(|place| -state.u[face[place]], &mut self.g);
        self.unbounded();
        if self.outside(program) {
            if bounds == Bounds::Check || !self.constrain(program) {
                return Ok(false);
            }
            self.polish(program)?;
        }
        for (z, x) in face.iter().zip(&self.x) {
            state.x[*z] = x.clamp(program.lo[*z], program.hi[*z]);
        }
        Ok(true)
    }

    /// Dimension of the impulses among the loaded indices of the face solved last that change no velocity.
    pub fn indeterminacy(&mut self, program: &Program, state: &BoundedQp) -> usize {
        let loaded = self.face.indices.iter().filter(|z| state.x[**z] != 0.0).count();
        if loaded == self.face.indices.len() {
            return loaded - self.face.rank();
        }
        self.loaded.pivot(program, self.face.indices.iter().copied().filter(|z| state.x[*z] != 0.0));
        loaded - self.loaded.rank()
    }

    /// `x° = Vᵀ H⁻¹ g`, with two steps of refinement.
    fn unbounded(&mut self) {
        let face = &self.face;
        let n = face.indices.len();
        self.y.clear();
        self.y.resize(face.rank(), 0.0);
        self.x.clear();
        self.x.resize(n, 0.0);
        for _ in 0..3 {
            // g − V x
            self.residual.clone_from(&self.g);
            for place in 0..n {
                face.add(place, -self.x[place], &mut self.residual);
            }
            face.factor.solve(&mut self.residual);
            axpy(1.0, &self.residual, &mut self.y);
            for place in 0..n {
                self.x[place] = face.project(place, &self.y);
            }
        }
    }

    /// Removes the round-off of the multipliers: what is loaded is the shortest vector of its own, smaller face.
    ///
    /// That face may be far worse conditioned than the whole. Its residual is therefore taken as `V_Sᵀ(g − V x)`, from
    /// the factor of the whole face: the round-off of x then comes out as round-off of u, on every index of the face.
    fn polish(&mut self, program: &Program) -> Result<(), Indefinite> {
        let Face { indices, .. } = &self.face;
        self.places.clear();
        let inside = |place: &usize| {
            let (x, z) = (self.x[*place], indices[*place]);
            x > program.lo[z] && x < program.hi[z]
        };
        self.places.extend((0..indices.len()).filter(inside));
        self.loaded.pivot(program, self.places.iter().map(|place| indices[*place]));
        self.loaded.factor_gram()?;
        for _ in 0..3 {
            self.residual.clone_from(&self.g);
            for place in 0..indices.len() {
                self.face.add(place, -self.x[place], &mut self.residual);
            }
            self.loaded.reduce(|k| self.face.project(self.places[k], &self.residual), &mut self.y);
            self.loaded.factor.solve(&mut self.y);
            for (k, place) in self.places.iter().enumerate() {
                self.x[*place] += self.loaded.project(k, &self.y);
            }
        }
        Ok(())
    }

    fn slack(&self) -> f64 {
        OUTSIDE * self.x.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
    }

    fn outside(&self, program: &Program) -> bool {
        let slack = self.slack();
        let mut entries = self.face.indices.iter().zip(&self.x);
        entries.any(|(z, x)| *x < program.lo[*z] - slack || *x > program.hi[*z] + slack)
    }

    /// Multipliers for the bounds that x° violates: `0 ≤ s ⊥ x° + P s − lo ≥ 0`. False if round-off in P prevents it.
    fn constrain(&mut self, program: &Program) -> bool {
        let face = &self.face;
        let k = face.rank();
        let slack = self.slack();
        let mut m = std::mem::take(&mut self.multipliers);
        m.constraints.clear();
        m.reduced.clear();
        m.scale.clear();
        for (place, z) in face.indices.iter().enumerate() {
            let begin = m.reduced.len();
            m.reduced.resize(begin + k, 0.0);
            face.add(place, 1.0, &mut m.reduced[begin..]);
            face.factor.forward(&mut m.reduced[begin..]);
            let column = &m.reduced[begin..];
            let diagonal = 1.0 - dot(column, column);
            if diagonal <= DETERMINED {
                continue;
            }
            for (sign, bound) in [(1.0, program.lo[*z]), (-1.0, program.hi[*z])] {
                if bound.is_finite() {
                    m.constraints.push((place, sign, bound));
                    m.scale.push(diagonal.sqrt());
                }
            }
        }
        m.matrix.clear();
        m.q.clear();
        for (e, &(place, sign, bound)) in m.constraints.iter().enumerate() {
            let column = &m.reduced[place * k..(place + 1) * k];
            for (f, &(other, other_sign, _)) in m.constraints.iter().enumerate() {
                let same = if place == other { 1.0 } else { 0.0 };
                let p = same - dot(column, &m.reduced[other * k..(other + 1) * k]);
                m.matrix.push(if e == f { 1.0 } else { sign * other_sign * p / (m.scale[e] * m.scale[f]) });
            }
            m.q.push(sign * (self.x[place] - bound) / m.scale[e]);
        }
        let n = m.constraints.len();
        for (buffer, value) in [(&mut m.lo, 0.0), (&mut m.hi, f64::INFINITY), (&mut m.tolerance, slack)] {
            buffer.clear();
            buffer.resize(n, value);
        }
        let inner = Program { matrix: &m.matrix, q: &m.q, lo: &m.lo, hi: &m.hi, tolerance: &m.tolerance };
        m.program.begin(&inner);
        let exit = m.program.exchange(&inner, 20 * n + 100);
        for (e, &(place, sign, bound)) in m.constraints.iter().enumerate() {
            let at_bound = m.program.x[e] > 0.0;
            let distance = if at_bound { 0.0 } else { m.program.u[e].max(0.0) * m.scale[e] };
            // With two finite bounds the active one decides; otherwise both say the same.
            if at_bound || e == 0 || m.constraints[e - 1].0 != place {
                self.x[place] = bound + sign * distance;
            }
        }
        self.multipliers = m;
        exit == Ok(Exit::Optimal)
    }
}

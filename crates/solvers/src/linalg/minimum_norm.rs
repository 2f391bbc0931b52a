//! The shortest vector among all that give the same velocities.
//!
//! On a face Z of a singular program the solutions are `{x_Z : A_ZZ x_Z = c, lo ≤ x ≤ hi}`. Cholesky with the largest
//! remaining diagonal as pivot (Higham 2002, §10.3) finds independent indices B and
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
//! Cost: rank²·|Z| for V and again for H, rank³/6; with bounds in the way also rank·|Z|².

use super::bounded_qp::{BoundedQp, Exit, Indefinite, Program};
use super::dense_cholesky::{GrowingCholesky, axpy, dot};

/// Remaining diagonal, of a unit one, up to which the rest depends on the pivots.
const DEPENDENT: f64 = 1e-12;
/// Diagonal of P below which a component is the same in every solution.
const DETERMINED: f64 = 1e-8;
/// Relative distance outside a bound that counts as round-off.
const OUTSIDE: f64 = 1e-12;

/// `A_ZZ = VᵀV` and `V Vᵀ = H` of one face; buffers are reused.
#[derive(Clone, Debug, Default)]
struct Face {
    indices: Vec<usize>,
    /// Column `v_z` of V for each index, one row of `indices.len()` numbers each.
    columns: Vec<f64>,
    /// Place in the face of each pivot.
    pivots: Vec<usize>,
    remaining: Vec<f64>,
    pivot_column: Vec<f64>,
    gram: Vec<f64>,
    factor: GrowingCholesky,
}

impl Face {
    /// V, by pivoted Cholesky.
    fn pivot(&mut self, program: &Program, indices: impl Iterator<Item = usize>) {
        self.indices.clear();
        self.indices.extend(indices);
        let n = self.indices.len();
        self.columns.clear();
        self.columns.resize(n * n, 0.0);
        self.remaining.clear();
        self.remaining.resize(n, 1.0);
        self.pivots.clear();
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
            self.pivot_column.extend_from_slice(&self.columns[pivot * n..pivot * n + step]);
            let row = program.row(self.indices[pivot]);
            for (place, &z) in self.indices.iter().enumerate() {
                // Nothing remains of a pivot: its column ends where it was chosen.
                if self.remaining[place] == f64::NEG_INFINITY {
                    continue;
                }
                let column = &mut self.columns[place * n..place * n + step + 1];
                let v = if place == pivot { root } else { (row[z] - dot(&column[..step], &self.pivot_column)) / root };
                column[step] = v;
                self.remaining[place] -= v * v;
            }
            self.remaining[pivot] = f64::NEG_INFINITY;
            self.pivots.push(pivot);
        }
    }

    fn rank(&self) -> usize {
        self.pivots.len()
    }

    fn column(&self, place: usize) -> &[f64] {
        let n = self.indices.len();
        &self.columns[place * n..place * n + self.rank()]
    }

    /// Factors H = Σ v_z v_zᵀ.
    fn factor_gram(&mut self) -> Result<(), Indefinite> {
        let k = self.rank();
        let mut gram = std::mem::take(&mut self.gram);
        gram.clear();
        gram.resize(k * k, 0.0);
        for place in 0..self.indices.len() {
            let v = self.column(place);
            for a in 0..k {
                if v[a] != 0.0 {
                    axpy(v[a], &v[..a + 1], &mut gram[a * k..a * k + a + 1]);
                }
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
        self.gram = gram;
        Ok(())
    }

    /// `g = L⁻¹ c_B`, `c` given by place in the face.
    fn reduce(&self, c: impl Fn(usize) -> f64, g: &mut Vec<f64>) {
        g.clear();
        for (step, pivot) in self.pivots.iter().enumerate() {
            let v = self.column(*pivot);
            let value = (c(*pivot) - dot(&v[..step], g)) / v[step];
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
                axpy(-self.x[place], face.column(place), &mut self.residual);
            }
            face.factor.solve(&mut self.residual);
            axpy(1.0, &self.residual, &mut self.y);
            for place in 0..n {
                self.x[place] = dot(face.column(place), &self.y);
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
                axpy(-self.x[place], self.face.column(place), &mut self.residual);
            }
            self.loaded.reduce(|k| dot(self.face.column(self.places[k]), &self.residual), &mut self.y);
            self.loaded.factor.solve(&mut self.y);
            for (k, place) in self.places.iter().enumerate() {
                self.x[*place] += dot(self.loaded.column(k), &self.y);
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
            m.reduced.extend_from_slice(face.column(place));
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

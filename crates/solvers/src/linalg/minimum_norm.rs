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
const DETERMINED: f64 = 1e-10;
/// Relative distance outside a bound that counts as round-off.
const OUTSIDE: f64 = 1e-12;

/// Workspace; buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct MinimumNorm {
    /// Column `v_z` of V for each index of the face, `capacity` apart.
    columns: Vec<f64>,
    capacity: usize,
    /// Place in the face of each pivot.
    pivots: Vec<usize>,
    remaining: Vec<f64>,
    gram: Vec<f64>,
    factor: GrowingCholesky,
    g: Vec<f64>,
    y: Vec<f64>,
    residual: Vec<f64>,
    /// The answer, in the order of the face.
    x: Vec<f64>,
    loaded: Vec<usize>,
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
    /// False, and nothing is changed, if the bounds are in the way.
    pub fn solve(
        &mut self,
        program: &Program,
        face: &[usize],
        bounds: Bounds,
        state: &mut BoundedQp,
    ) -> Result<bool, Indefinite> {
        self.pivot(program, face);
        self.factor_gram(face)?;
        self.velocities_to_meet(program, face, state);
        self.unbounded(face.len());
        if self.outside(program, face) && (bounds == Bounds::Check || self.constrain(program, face)? != Exit::Optimal) {
            return Ok(false);
        }
        for (z, x) in face.iter().zip(&self.x) {
            state.x[*z] = x.clamp(program.lo[*z], program.hi[*z]);
        }
        Ok(true)
    }

    /// Dimension of the impulses among the loaded indices of `face` that change no velocity.
    pub fn indeterminacy(&mut self, program: &Program, face: &[usize], state: &BoundedQp) -> usize {
        let mut loaded = std::mem::take(&mut self.loaded);
        loaded.clear();
        loaded.extend(face.iter().filter(|z| state.x[**z] != 0.0));
        if loaded.len() < face.len() {
            self.pivot(program, &loaded);
        }
        let dimension = loaded.len() - self.pivots.len();
        self.loaded = loaded;
        dimension
    }

    /// V, by pivoted Cholesky.
    fn pivot(&mut self, program: &Program, face: &[usize]) {
        let n = face.len();
        self.capacity = n;
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
            let largest = self.remaining[pivot];
            if largest <= DEPENDENT {
                break;
            }
            let root = largest.sqrt();
            self.y.clear();
            self.y.extend_from_slice(&self.columns[pivot * n..pivot * n + step]);
            let row = program.row(face[pivot]);
            for place in 0..n {
                let column = &mut self.columns[place * n..place * n + step + 1];
                // A pivot has nothing left: its column ends where it was chosen.
                if self.remaining[place] > f64::NEG_INFINITY {
                    let v =
                        if place == pivot { root } else { (row[face[place]] - dot(&column[..step], &self.y)) / root };
                    column[step] = v;
                    self.remaining[place] -= v * v;
                }
            }
            self.remaining[pivot] = f64::NEG_INFINITY;
            self.pivots.push(pivot);
        }
    }

    fn column(&self, place: usize) -> &[f64] {
        &self.columns[place * self.capacity..place * self.capacity + self.pivots.len()]
    }

    /// Factors H = Σ v_z v_zᵀ.
    fn factor_gram(&mut self, face: &[usize]) -> Result<(), Indefinite> {
        let k = self.pivots.len();
        let mut gram = std::mem::take(&mut self.gram);
        gram.clear();
        gram.resize(k * k, 0.0);
        for place in 0..face.len() {
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
                return Err(Indefinite { row: face[self.pivots[a]], schur });
            }
            self.factor.append(schur);
        }
        self.gram = gram;
        Ok(())
    }

    /// `g = L⁻¹ c_B` with `c = −q − A_·F x_F`, F what is not on the face.
    fn velocities_to_meet(&mut self, program: &Program, face: &[usize], state: &mut BoundedQp) {
        for z in face {
            state.x[*z] = 0.0;
        }
        state.evaluate(program);
        self.g.clear();
        for (step, pivot) in self.pivots.iter().enumerate() {
            let v = &self.columns[pivot * self.capacity..pivot * self.capacity + step + 1];
            let value = (-state.u[face[*pivot]] - dot(&v[..step], &self.g)) / v[step];
            self.g.push(value);
        }
    }

    /// `x° = Vᵀ H⁻¹ g`, with two steps of refinement.
    fn unbounded(&mut self, n: usize) {
        self.y.clear();
        self.y.extend_from_slice(&self.g);
        self.factor.solve(&mut self.y);
        self.x.clear();
        self.x.resize(n, 0.0);
        for refinement in 0..3 {
            let k = self.pivots.len();
            for place in 0..n {
                self.x[place] = dot(&self.columns[place * self.capacity..place * self.capacity + k], &self.y);
            }
            if refinement == 2 {
                break;
            }
            self.residual.clear();
            self.residual.extend_from_slice(&self.g);
            for place in 0..n {
                let v = &self.columns[place * self.capacity..place * self.capacity + k];
                axpy(-self.x[place], v, &mut self.residual);
            }
            self.factor.solve(&mut self.residual);
            axpy(1.0, &self.residual, &mut self.y);
        }
    }

    fn slack(&self) -> f64 {
        OUTSIDE * self.x.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
    }

    fn outside(&self, program: &Program, face: &[usize]) -> bool {
        let slack = self.slack();
        let mut entries = face.iter().zip(&self.x);
        entries.any(|(z, x)| *x < program.lo[*z] - slack || *x > program.hi[*z] + slack)
    }

    /// Multipliers for the bounds that x° violates: `0 ≤ s ⊥ x° + P s − lo ≥ 0`.
    fn constrain(&mut self, program: &Program, face: &[usize]) -> Result<Exit, Indefinite> {
        let k = self.pivots.len();
        let slack = self.slack();
        let mut m = std::mem::take(&mut self.multipliers);
        m.constraints.clear();
        m.reduced.clear();
        m.scale.clear();
        for (place, z) in face.iter().enumerate() {
            let begin = m.reduced.len();
            m.reduced.extend_from_slice(self.column(place));
            self.factor.forward(&mut m.reduced[begin..]);
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
        let exit = m.program.exchange(&inner, 20 * n + 100)?;
        for (e, &(place, sign, bound)) in m.constraints.iter().enumerate() {
            let at_bound = m.program.x[e] > 0.0;
            let distance = if at_bound { 0.0 } else { m.program.u[e].max(0.0) * m.scale[e] };
            // With two finite bounds the active one decides; otherwise both say the same.
            if at_bound || e == 0 || m.constraints[e - 1].0 != place {
                self.x[place] = bound + sign * distance;
            }
        }
        self.multipliers = m;
        Ok(exit)
    }
}

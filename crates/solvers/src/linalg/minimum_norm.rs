//! The shortest vector among all that give the same velocities.
//!
//! On a face Z of a singular program the solutions are `{x_Z : A_ZZ x_Z = c, lo ≤ x ≤ hi}`. With a basis B of the face,
//! `A_BB = L Lᵀ`, the others D = Z∖B depending on it, and
//!
//! ```text
//! V = L⁻¹ A_BZ = [Lᵀ | W_D]   (so A_ZZ = VᵀV),      H = V Vᵀ,      g = L⁻¹ c_B
//! ```
//!
//! the shortest solution without bounds is `x° = Vᵀ H⁻¹ g`. H has the non-zero eigenvalues of A_ZZ, not their squares.
//! If x° violates a bound, the shortest solution inside the bounds is `x = x° + P s` with the projector onto the null
//! space `P = I − Vᵀ H⁻¹ V` and multipliers `0 ≤ s ⊥ x − lo ≥ 0` (and likewise for hi): a program of the same kind
//! with matrix P, solved by the same exchanges. s may not be unique; x is.

use super::bounded_qp::{BoundedQp, Exit, Indefinite, Program};
use super::dense_cholesky::{GrowingCholesky, axpy, dot};

/// Diagonal of P below which a component is the same in every solution.
const DETERMINED: f64 = 1e-10;
/// Relative distance outside a bound that counts as round-off.
const OUTSIDE: f64 = 1e-12;

/// Workspace; buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct MinimumNorm {
    /// Rows `W_D = L⁻¹ A_Bd`, one per dependent index.
    dependent_rows: Vec<f64>,
    gram: Vec<f64>,
    factor: GrowingCholesky,
    g: Vec<f64>,
    y: Vec<f64>,
    residual: Vec<f64>,
    /// x° on the basis, then on the dependent indices.
    pub x: Vec<f64>,
    multipliers: Multipliers,
}

#[derive(Clone, Debug, Default)]
struct Multipliers {
    /// Position in the face, sign and bound of each constraint.
    constraints: Vec<(usize, f64, f64)>,
    /// `K⁻¹ V` by columns, one row here per face index.
    reduced: Vec<f64>,
    scale: Vec<f64>,
    matrix: Vec<f64>,
    q: Vec<f64>,
    lo: Vec<f64>,
    hi: Vec<f64>,
    tolerance: Vec<f64>,
    program: BoundedQp,
}

impl MinimumNorm {
    /// Finds the shortest x on basis and dependent indices of `state` that gives the same velocities as `state.x`.
    /// `state.dependent` must depend on `state.basis`; all other indices keep their values.
    /// Returns whether the answer, in `self.x`, lies within the bounds.
    pub fn solve(&mut self, program: &Program, state: &mut BoundedQp) -> Result<bool, Indefinite> {
        self.prepare(program, state)?;
        let outside = self.outside(program, state);
        if outside && self.constrain(program, state)? != Exit::Optimal {
            return Ok(false);
        }
        Ok(true)
    }

    /// x° only: false if it violates a bound.
    pub fn solve_unbounded(&mut self, program: &Program, state: &mut BoundedQp) -> Result<bool, Indefinite> {
        self.prepare(program, state)?;
        Ok(!self.outside(program, state))
    }

    /// Writes `self.x` into the state.
    pub fn store(&self, program: &Program, state: &mut BoundedQp) {
        for (z, x) in state.basis.iter().chain(&state.dependent).zip(&self.x) {
            state.x[*z] = x.clamp(program.lo[*z], program.hi[*z]);
        }
    }

    fn prepare(&mut self, program: &Program, state: &mut BoundedQp) -> Result<(), Indefinite> {
        let k = state.basis.len();
        self.dependent_rows.clear();
        for &d in &state.dependent {
            let (row, basis) = (program.row(d), &state.basis);
            state.factor.examine(row[d], |i| row[basis[i]]);
            self.dependent_rows.extend_from_slice(state.factor.examined());
        }
        // H = LᵀL + W_D W_Dᵀ, lower triangle by rows of stride k.
        self.gram.clear();
        self.gram.resize(k * k, 0.0);
        for i in 0..k {
            let row = state.factor.row(i);
            for a in 0..=i {
                axpy(row[a], &row[..a + 1], &mut self.gram[a * k..a * k + a + 1]);
            }
        }
        for row in self.dependent_rows.chunks_exact(k.max(1)) {
            for a in 0..k {
                axpy(row[a], &row[..a + 1], &mut self.gram[a * k..a * k + a + 1]);
            }
        }
        self.factor.clear();
        for a in 0..k {
            let row = &self.gram[a * k..a * k + a + 1];
            let schur = self.factor.examine(row[a], |i| row[i]);
            if schur <= 0.0 {
                return Err(Indefinite { row: state.basis[a], schur });
            }
            self.factor.append(schur);
        }
        // g = L⁻¹ A_BZ x_Z = V x_Z: the velocities to keep, free of the cancellation in A_BZ x_Z.
        self.x.clear();
        self.x.extend(state.basis.iter().chain(&state.dependent).map(|z| state.x[*z]));
        self.g.clear();
        self.g.resize(k, 0.0);
        apply_face(&state.factor, &self.dependent_rows, &self.x, &mut self.g);
        // Newton's correction makes g that of the exact basis solution: u_B = 0.
        self.residual.clear();
        self.residual.extend(state.basis.iter().map(|b| -state.u[*b]));
        state.factor.forward(&mut self.residual);
        for (g, r) in self.g.iter_mut().zip(&self.residual) {
            *g += r;
        }
        self.y.clear();
        self.y.extend_from_slice(&self.g);
        self.factor.solve(&mut self.y);
        for _ in 0..2 {
            self.expand(state);
            self.residual.clear();
            self.residual.resize(k, 0.0);
            apply_face(&state.factor, &self.dependent_rows, &self.x, &mut self.residual);
            for (r, g) in self.residual.iter_mut().zip(&self.g) {
                *r = g - *r;
            }
            self.factor.solve(&mut self.residual);
            axpy(1.0, &self.residual, &mut self.y);
        }
        self.expand(state);
        Ok(())
    }

    /// `x = Vᵀ y`.
    fn expand(&mut self, state: &BoundedQp) {
        let k = state.basis.len();
        state.factor.multiply(&self.y, &mut self.x[..k]);
        for (x, row) in self.x[k..].iter_mut().zip(self.dependent_rows.chunks_exact(k.max(1))) {
            *x = dot(row, &self.y);
        }
    }

    fn outside(&self, program: &Program, state: &BoundedQp) -> bool {
        let largest = self.x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let slack = OUTSIDE * largest;
        let mut face = state.basis.iter().chain(&state.dependent).zip(&self.x);
        face.any(|(z, x)| *x < program.lo[*z] - slack || *x > program.hi[*z] + slack)
    }

    /// Multipliers for the bounds that x° violates: `0 ≤ s ⊥ x° + P s − lo ≥ 0`.
    fn constrain(&mut self, program: &Program, state: &BoundedQp) -> Result<Exit, Indefinite> {
        let k = state.basis.len();
        let m = &mut self.multipliers;
        m.constraints.clear();
        m.reduced.clear();
        m.scale.clear();
        for (place, z) in state.basis.iter().chain(&state.dependent).enumerate() {
            let begin = m.reduced.len();
            if place < k {
                // Column of Lᵀ: row `place` of L, padded.
                m.reduced.extend_from_slice(state.factor.row(place));
                m.reduced.resize(begin + k, 0.0);
            } else {
                m.reduced.extend_from_slice(&self.dependent_rows[(place - k) * k..(place - k + 1) * k]);
            }
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
        let n = m.constraints.len();
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
        let largest = self.x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (buffer, value) in [(&mut m.lo, 0.0), (&mut m.hi, f64::INFINITY), (&mut m.tolerance, OUTSIDE * largest)] {
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
        Ok(exit)
    }
}

/// `out += V x = Lᵀ x_B + W_D x_D`.
fn apply_face(factor: &GrowingCholesky, dependent_rows: &[f64], x: &[f64], out: &mut [f64]) {
    let k = factor.len();
    factor.multiply_transposed(&x[..k], out);
    for (x, row) in x[k..].iter().zip(dependent_rows.chunks_exact(k.max(1))) {
        axpy(*x, row, out);
    }
}

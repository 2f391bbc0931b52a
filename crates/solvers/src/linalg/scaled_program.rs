//! A frictionless contact problem as a bounded quadratic program in scaled variables (see `scaled_delassus`).

use super::bounded_qp::{BoundedQp, Indefinite, Program};
use super::minimum_norm::{Bounds, MinimumNorm};
use super::scaled_delassus::ScaledDelassus;
use crate::{SolveError, supports_only};
use signorini_problem::{ContactProblem, Law};

/// Speed, as a fraction of |q|∞, that a resting contact may be on the wrong side before it is moved: above the
/// round-off of one evaluation, a thousand times below the strictest certificate asked for.
const WRONG_SIDE: f64 = 1e-13;

/// The scaled problem; buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScaledProgram {
    pub matrix: ScaledDelassus,
    q: Vec<f64>,
    lo: Vec<f64>,
    hi: Vec<f64>,
    tolerance: Vec<f64>,
}

impl ScaledProgram {
    /// Scales the problem. Coulomb blocks, sizes beyond `max_rows` and matrices that are not symmetric positive
    /// semidefinite are refused.
    pub fn load(&mut self, problem: &ContactProblem, method: &'static str, max_rows: usize) -> Result<(), SolveError> {
        supports_only(problem, method, |law| !matches!(law, Law::Coulomb { .. } | Law::Rolling { .. }))?;
        if problem.rows() > max_rows {
            return Err(SolveError::TooLarge { method, rows: problem.rows(), limit: max_rows });
        }
        self.matrix.assemble(problem).map_err(|why| SolveError::NotPositiveSemidefinite { method, why })?;
        let speed = problem.speed();
        for buffer in [&mut self.q, &mut self.lo, &mut self.hi, &mut self.tolerance] {
            buffer.clear();
        }
        for (c, block) in problem.blocks().iter().enumerate() {
            let (lo, hi) = match block.law {
                Law::NonNegative => (0.0, f64::INFINITY),
                Law::Interval { lo, hi } => (lo, hi),
                Law::Equality | Law::Coulomb { .. } | Law::Rolling { .. } => (f64::NEG_INFINITY, f64::INFINITY),
            };
            for i in problem.range(c) {
                let d = self.matrix.scale[i];
                if d > 0.0 {
                    self.q.push(problem.q()[i] / d);
                    self.lo.push(lo * d);
                    self.hi.push(hi * d);
                    self.tolerance.push(WRONG_SIDE * speed / d);
                } else {
                    // Nothing can be done about the velocity of a row without inertia.
                    self.q.push(0.0);
                    self.lo.push(0.0);
                    self.hi.push(0.0);
                    self.tolerance.push(f64::INFINITY);
                }
            }
        }
        Ok(())
    }

    pub fn program(&self) -> Program<'_> {
        Program { matrix: &self.matrix.values, q: &self.q, lo: &self.lo, hi: &self.hi, tolerance: &self.tolerance }
    }

    /// Rests every index of `state` where the guess has it, and lists those strictly inside their bounds.
    /// False if the guess says nothing: all zero.
    pub fn read_guess(&self, impulses: &[f64], state: &mut BoundedQp, inside: &mut Vec<usize>) -> bool {
        inside.clear();
        if impulses.iter().all(|r| *r == 0.0) {
            return false;
        }
        for (i, r) in impulses.iter().enumerate() {
            let x = r * self.matrix.scale[i];
            if x <= self.lo[i] {
                state.x[i] = self.lo[i];
            } else if x >= self.hi[i] {
                state.x[i] = self.hi[i];
            } else {
                inside.push(i);
            }
        }
        true
    }

    /// Impulses of `state`, at their bounds exactly where x is.
    pub fn write_impulses(&self, problem: &ContactProblem, state: &BoundedQp, impulses: &mut [f64]) {
        for (c, block) in problem.blocks().iter().enumerate() {
            let (lo, hi) = match block.law {
                Law::NonNegative => (0.0, f64::INFINITY),
                Law::Interval { lo, hi } => (lo, hi),
                Law::Equality | Law::Coulomb { .. } | Law::Rolling { .. } => (f64::NEG_INFINITY, f64::INFINITY),
            };
            for i in problem.range(c) {
                let d = self.matrix.scale[i];
                let r = if d > 0.0 { state.x[i] / d } else { 0.0 };
                // A quotient that overflows would not be an impulse.
                impulses[i] = if r.is_finite() { r.clamp(lo, hi) } else { 0.0f64.clamp(lo, hi) };
            }
        }
    }

    /// Largest natural map of `state` [m/s], from its own u.
    pub fn natural(&self, state: &BoundedQp) -> f64 {
        let mut worst: f64 = 0.0;
        for (i, d) in self.matrix.scale.iter().enumerate() {
            let (x, u) = (state.x[i], state.u[i]);
            worst = worst.max(d * (x - (x - u).clamp(self.lo[i], self.hi[i])).abs());
        }
        worst
    }

    /// Speed of each index, in scaled units, up to which it is not certain to separate: what round-off and an
    /// ill-conditioned basis may leave of zero.
    fn grazing(&self, state: &BoundedQp) -> impl Fn(usize) -> f64 + use<'_> {
        let round_off = state.round_off();
        move |i| 100.0 * f64::max(self.tolerance[i], round_off)
    }

    /// What round-off of u amounts to for the row where it matters most [m/s].
    pub fn round_off_speed(&self, state: &BoundedQp) -> f64 {
        let round_off = state.round_off();
        let rows = self.matrix.scale.iter().zip(&self.tolerance).filter(|(d, _)| **d > 0.0);
        rows.fold(0.0, |worst, (d, tolerance)| f64::max(worst, d * f64::max(round_off, *tolerance)))
    }
}

/// Replaces answers by the shortest one with the same velocities; buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shortener {
    shortest: MinimumNorm,
    face: Vec<usize>,
    kept: Vec<f64>,
    /// Size of the face on which everything was found loaded, or zero.
    solved: usize,
}

impl Shortener {
    /// Forgets the face of an earlier problem: an answer that was good enough is not shortened, and what was found of its face
    /// would be taken for a face of this problem that has the same size.
    pub fn begin(&mut self) {
        self.solved = 0;
    }

    /// Redundant contacts at rest usually all carry load: then the shortest answer on the whole start set, basis and
    /// what depends on it, is the answer. Says whether it is; `state` is as before if not.
    pub fn all_loaded(&mut self, scaled: &ScaledProgram, state: &mut BoundedQp) -> Result<bool, Indefinite> {
        let program = scaled.program();
        self.kept.clone_from(&state.x);
        self.solved = 0;
        self.face.clear();
        self.face.extend(state.basis.iter().chain(&state.dependent));
        self.face.sort_unstable();
        state.work.iterations += 1;
        if self.shortest.solve(&program, &self.face, Bounds::Check, state)? {
            state.evaluate(&program);
            let allowed = scaled.round_off_speed(state);
            if scaled.natural(state) <= allowed {
                self.solved = self.face.len();
                return Ok(true);
            }
        }
        state.x.clone_from(&self.kept);
        Ok(false)
    }

    /// Replaces the answer by the shortest one, unless that is worse; returns the dimension of the choice.
    pub fn shorten(&mut self, scaled: &ScaledProgram, state: &mut BoundedQp) -> Result<usize, Indefinite> {
        let program = scaled.program();
        let grazing = scaled.grazing(state);
        let solved = std::mem::take(&mut self.solved);
        self.face.clear();
        let mut redundant = false;
        for i in 0..program.len() {
            // A contact that neither separates nor belongs to the basis may share the load.
            if program.lo[i] < program.hi[i] && (state.is_basic(i) || state.u[i].abs() <= grazing(i)) {
                redundant |= !state.is_basic(i);
                self.face.push(i);
            }
        }
        if !redundant {
            return Ok(0);
        }
        if solved == self.face.len() {
            // Nothing touches but what was all loaded: that answer was the shortest.
            return Ok(self.shortest.indeterminacy(&program, state));
        }
        self.kept.clone_from(&state.x);
        let before = scaled.natural(state);
        let found = self.shortest.solve(&program, &self.face, Bounds::Enforce, state)?;
        state.evaluate(&program);
        let allowed = f64::max(before, 4.0 * scaled.round_off_speed(state));
        if !found || scaled.natural(state) > allowed {
            state.x.clone_from(&self.kept);
            state.evaluate(&program);
        }
        Ok(self.shortest.indeterminacy(&program, state))
    }
}

/// The refusal for a matrix that turned out indefinite while it was factored.
pub(crate) fn refusal(method: &'static str, found: Indefinite) -> SolveError {
    let Indefinite { row, schur } = found;
    SolveError::NotPositiveSemidefinite {
        method,
        why: format!("row {row} has the Schur complement {schur:e} of its diagonal"),
    }
}

/// Blocks with an impulse.
pub(crate) fn count_active(problem: &ContactProblem, impulses: &[f64]) -> usize {
    (0..problem.blocks().len()).filter(|c| impulses[problem.range(*c)].iter().any(|r| *r != 0.0)).count()
}

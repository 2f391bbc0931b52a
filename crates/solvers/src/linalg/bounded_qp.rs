//! Convex quadratic programs with bounds, which the pivoting methods share:
//!
//! ```text
//! min ½ xᵀAx + qᵀx,  lo ≤ x ≤ hi      A symmetric positive semidefinite, unit diagonal
//! u = Ax + q;   u = 0 strictly inside,   u ≥ 0 at lo,   u ≤ 0 at hi
//! ```
//!
//! A basis B of independent indices is free, every other index rests; `A_BB = L Lᵀ` is updated, never inverted. Two ways
//! to find the right basis, which can be used one after the other:
//!
//! * [`BoundedQp::block_pivot`]: everything that is wrong changes sides at once (Kostreva 1978; Júdice and Pires 1994).
//!   A handful of rounds as a rule; gives up when the number of wrong indices stops falling.
//! * [`BoundedQp::exchange`]: one index at a time, from a feasible x, with a step to the first bound in the way (the
//!   inner loop of Lawson and Hanson 1974, NNLS; Fletcher 1971 for general quadratic programs). The objective never
//!   rises, so no basis returns, except through steps of length zero, where least indices are taken (Bland 1977).
//!
//! An index whose column depends on the basis (Schur complement ≤ [`DEPENDENT`]) never becomes basic beside it: if its
//! u has the wrong sign, x moves along the null vector of the two, which changes no velocity but lowers the
//! objective, until an index of the basis reaches its bound and is replaced. Singular A therefore needs no
//! regularisation.

use super::dense::axpy;
use super::dense_cholesky::GrowingCholesky;

/// Schur complement (of a unit diagonal) up to which a column counts as dependent. Round-off leaves about n·1e-16;
/// a load 1e8 times as heavy as its support leaves 1e-8.
pub(crate) const DEPENDENT: f64 = 1e-11;
/// Schur complement below which its round-off is estimated.
const SUSPICIOUS: f64 = 1e-6;
/// Schur complement below which A is called indefinite, if that is not its round-off.
const INDEFINITE: f64 = -1e-8;
/// Units of round-off of a sum, per unit of Σ|x|, that u may be off.
const ROUND_OFF: f64 = 8.0 * f64::EPSILON;
/// Rounds that block pivoting may go without fewer wrong indices (Júdice and Pires use 10; a round costs more here than
/// an exchange).
const PATIENCE: usize = 3;
/// Index that is not basic.
const RESTING: usize = usize::MAX;

/// The program. Slices of one length; `matrix` is row-major.
#[derive(Clone, Copy)]
pub(crate) struct Program<'a> {
    pub matrix: &'a [f64],
    pub q: &'a [f64],
    pub lo: &'a [f64],
    pub hi: &'a [f64],
    /// How far u may be on the wrong side, per index.
    pub tolerance: &'a [f64],
}

impl Program<'_> {
    pub fn len(&self) -> usize {
        self.q.len()
    }
    pub fn row(&self, i: usize) -> &[f64] {
        let n = self.len();
        &self.matrix[i * n..(i + 1) * n]
    }
}

/// How a search for the basis ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Every condition holds to its tolerance.
    Optimal,
    /// No progress this way; x need not be feasible after block pivoting.
    Stuck,
    /// The cap on iterations was reached.
    Capped,
}

/// A was found indefinite at this index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Indefinite {
    pub row: usize,
    pub schur: f64,
}

/// Work done, since [`BoundedQp::begin`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    /// Linear systems solved for a basis.
    pub iterations: usize,
    /// Bases factored from nothing.
    pub factorizations: usize,
    /// Indices that entered or left a basis after the first one.
    pub changes: usize,
}

/// The state: basis, factor, x and u.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundedQp {
    pub factor: GrowingCholesky,
    /// Basic indices in the order of the factor.
    pub basis: Vec<usize>,
    /// Place in the basis, or `RESTING`.
    place: Vec<usize>,
    pub x: Vec<f64>,
    pub u: Vec<f64>,
    /// Indices that were offered to the basis and depend on it.
    pub dependent: Vec<usize>,
    pub work: Work,
    step: Vec<f64>,
    /// Coefficients that express the dependent column examined last by those of the basis.
    combination: Vec<f64>,
    leaving: Vec<usize>,
    joining: Vec<usize>,
    kept: Vec<usize>,
    /// Indices along which the objective is unbounded below: no solution exists, and they are not tried again.
    hopeless: Vec<bool>,
}

impl BoundedQp {
    /// Starts with an empty basis and every index resting at the admissible value nearest zero.
    pub fn begin(&mut self, program: &Program) {
        let n = program.len();
        self.factor.clear();
        self.basis.clear();
        self.dependent.clear();
        self.place.clear();
        self.place.resize(n, RESTING);
        self.hopeless.clear();
        self.hopeless.resize(n, false);
        self.x.clear();
        self.x.extend(program.lo.iter().zip(program.hi).map(|(lo, hi)| 0.0f64.clamp(*lo, *hi)));
        self.u.clear();
        self.u.resize(n, 0.0);
        self.work = Work::default();
    }

    pub fn is_basic(&self, i: usize) -> bool {
        self.place[i] != RESTING
    }

    /// Makes a basis of the given indices from nothing; those that depend on earlier ones are listed in `dependent`.
    pub fn factor_basis(&mut self, program: &Program, indices: impl Iterator<Item = usize>) -> Result<(), Indefinite> {
        self.factor.clear();
        for b in self.basis.drain(..) {
            self.place[b] = RESTING;
        }
        self.dependent.clear();
        self.work.factorizations += 1;
        for i in indices {
            if program.lo[i] < program.hi[i] && !self.offer(program, i)? {
                self.dependent.push(i);
            }
        }
        Ok(())
    }

    /// Appends `i` to the basis unless its column depends on those of the basis. Says whether it did.
    pub fn offer(&mut self, program: &Program, i: usize) -> Result<bool, Indefinite> {
        let (row, basis) = (program.row(i), &self.basis);
        let schur = self.factor.examine(row[i], |k| row[basis[k]]);
        if schur < SUSPICIOUS {
            // The round-off of A comes out of an ill-conditioned basis enlarged by the coefficients t = A_BB⁻¹ A_Bi
            // that combine the column: δs = δA_ii − 2 tᵀδA_Bi + tᵀδA_BB t.
            self.combination.clear();
            self.combination.extend_from_slice(self.factor.examined());
            self.factor.backward(&mut self.combination);
            let growth = 1.0 + self.combination.iter().map(|t| t.abs()).sum::<f64>();
            let noise = ROUND_OFF * growth * growth;
            if schur < INDEFINITE.min(-noise) {
                return Err(Indefinite { row: i, schur });
            }
            if schur <= DEPENDENT.max(noise) {
                return Ok(false);
            }
        }
        self.factor.append(schur);
        self.place[i] = self.basis.len();
        self.basis.push(i);
        Ok(true)
    }

    fn retire(&mut self, i: usize) {
        let k = self.place[i];
        self.factor.remove(k);
        self.basis.remove(k);
        self.place[i] = RESTING;
        for (k, b) in self.basis.iter().enumerate().skip(k) {
            self.place[*b] = k;
        }
        self.work.changes += 1;
    }

    /// `u = Ax + q`, skipping what carries nothing.
    pub fn evaluate(&mut self, program: &Program) {
        self.u.copy_from_slice(program.q);
        for (j, &x) in self.x.iter().enumerate() {
            if x != 0.0 {
                axpy(x, program.row(j), &mut self.u);
            }
        }
    }

    /// Round-off of one evaluation of u: |A_ij| ≤ 1, so Σ|x| bounds the terms.
    pub fn round_off(&self) -> f64 {
        ROUND_OFF * self.x.iter().map(|x| x.abs()).sum::<f64>()
    }

    /// How wrong a resting index is: the speed with which its bound is left, or zero.
    fn violation(&self, program: &Program, i: usize, round_off: f64) -> f64 {
        let (x, u) = (self.x[i], self.u[i]);
        let wrong = if u < 0.0 { x < program.hi[i] } else { x > program.lo[i] };
        let excess = u.abs() - program.tolerance[i].max(round_off);
        if wrong && excess > 0.0 && !self.hopeless[i] { u.abs() } else { 0.0 }
    }

    /// Newton's step for the basis, `−A_BB⁻¹ u_B`, into `step`.
    fn basis_step(&mut self) {
        self.step.clear();
        self.step.extend(self.basis.iter().map(|b| -self.u[*b]));
        self.factor.solve(&mut self.step);
        self.work.iterations += 1;
    }

    /// Solves for the basis: `u_B = 0`, bounds or not.
    pub fn settle(&mut self, program: &Program) {
        self.evaluate(program);
        self.basis_step();
        for (b, step) in self.basis.iter().zip(&self.step) {
            self.x[*b] += step;
        }
        self.evaluate(program);
    }

    /// Whether a basic index is out of bounds, or a resting one is pushed off its bound.
    pub fn is_wrong(&self, program: &Program, i: usize, round_off: f64) -> bool {
        if self.is_basic(i) {
            self.x[i] < program.lo[i] || self.x[i] > program.hi[i]
        } else {
            self.violation(program, i, round_off) > 0.0
        }
    }

    /// Puts x inside its bounds, whatever that does to u.
    pub fn project(&mut self, program: &Program) {
        for i in 0..program.len() {
            self.x[i] = self.x[i].clamp(program.lo[i], program.hi[i]);
        }
    }

    /// Many indices at once. Leaves x unprojected: basic indices may lie outside their bounds unless optimal.
    pub fn block_pivot(&mut self, program: &Program, cap: usize) -> Result<Exit, Indefinite> {
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        loop {
            if self.work.iterations >= cap {
                return Ok(Exit::Capped);
            }
            self.settle(program);
            let round_off = self.round_off();
            self.leaving.clear();
            self.joining.clear();
            for i in 0..program.len() {
                if self.is_wrong(program, i, round_off) {
                    if self.is_basic(i) { &mut self.leaving } else { &mut self.joining }.push(i);
                }
            }
            let wrong = self.leaving.len() + self.joining.len();
            if wrong == 0 {
                return Ok(Exit::Optimal);
            }
            if wrong < fewest {
                (fewest, patience) = (wrong, PATIENCE);
            } else if patience == 0 {
                return Ok(Exit::Stuck);
            } else {
                patience -= 1;
            }
            if !self.flip(program)? {
                return Ok(Exit::Stuck);
            }
        }
    }

    /// Changes the side of every index in `leaving` and `joining`; false if none could.
    fn flip(&mut self, program: &Program) -> Result<bool, Indefinite> {
        let leaving = std::mem::take(&mut self.leaving);
        let joining = std::mem::take(&mut self.joining);
        for &i in &leaving {
            self.x[i] = self.x[i].clamp(program.lo[i], program.hi[i]);
        }
        // Rotating many rows out of the factor costs more than a new one: about k² each against k³/6 in all.
        if 6 * leaving.len() > self.basis.len() {
            let mut kept = std::mem::take(&mut self.kept);
            kept.clear();
            kept.extend(self.basis.iter().filter(|b| leaving.binary_search(b).is_err()));
            self.work.changes += leaving.len();
            self.factor_basis(program, kept.iter().copied())?;
            self.kept = kept;
        } else {
            for &i in &leaving {
                self.retire(i);
            }
        }
        let mut changed = !leaving.is_empty();
        for &i in &joining {
            if self.offer(program, i)? {
                self.work.changes += 1;
                changed = true;
            }
        }
        (self.leaving, self.joining) = (leaving, joining);
        Ok(changed)
    }

    /// One index at a time, always the first that is wrong (Murty 1974): finite for positive definite A, however far
    /// block pivoting has strayed. Stuck when that index depends on the basis. Leaves x unprojected.
    pub fn least_index(&mut self, program: &Program, cap: usize) -> Result<Exit, Indefinite> {
        loop {
            if self.work.iterations >= cap {
                return Ok(Exit::Capped);
            }
            self.settle(program);
            let round_off = self.round_off();
            let Some(i) = (0..program.len()).find(|i| self.is_wrong(program, *i, round_off)) else {
                return Ok(Exit::Optimal);
            };
            if self.is_basic(i) {
                self.x[i] = self.x[i].clamp(program.lo[i], program.hi[i]);
                self.retire(i);
            } else if self.offer(program, i)? {
                self.work.changes += 1;
            } else {
                return Ok(Exit::Stuck);
            }
        }
    }

    /// One index at a time, from any x (projected first): ends with the answer, or at the cap with the best so far.
    pub fn exchange(&mut self, program: &Program, cap: usize) -> Result<Exit, Indefinite> {
        self.project(program);
        let degenerate_limit = 2 * program.len() + 10;
        let (mut degenerate, mut refinements) = (0, 0);
        self.evaluate(program);
        loop {
            if self.work.iterations >= cap {
                return Ok(Exit::Capped);
            }
            let bland = degenerate > degenerate_limit;
            self.basis_step();
            let (length, blocking) = self.first_bound(program, 1.0, bland);
            for k in 0..self.basis.len() {
                let b = self.basis[k];
                // The bounds hold but for round-off: keep them exactly.
                self.x[b] = (self.x[b] + length * self.step[k]).clamp(program.lo[b], program.hi[b]);
            }
            if let Some((i, bound)) = blocking {
                self.x[i] = bound;
                self.retire(i);
                self.evaluate(program);
                degenerate = if length > 0.0 { 0 } else { degenerate + 1 };
                continue;
            }
            self.evaluate(program);
            let round_off = self.round_off();
            let error = self.basis.iter().map(|b| self.u[*b].abs() - program.tolerance[*b].max(round_off));
            if refinements < 2 && error.fold(0.0, f64::max) > 0.0 {
                refinements += 1;
                continue;
            }
            refinements = 0;
            let Some(j) = self.entering(program, round_off, bland) else {
                return Ok(Exit::Optimal);
            };
            self.work.changes += 1;
            if self.offer(program, j)? {
                continue;
            }
            let moved = self.slide(program, j, bland)?;
            degenerate = if moved { 0 } else { degenerate + 1 };
        }
    }

    /// The most wrong resting index, or the first one.
    fn entering(&self, program: &Program, round_off: f64, bland: bool) -> Option<usize> {
        let mut worst = (0.0, None);
        for i in (0..program.len()).filter(|i| !self.is_basic(*i)) {
            let violation = self.violation(program, i, round_off);
            if violation > worst.0 {
                worst = (violation, Some(i));
                if bland {
                    break;
                }
            }
        }
        worst.1
    }

    /// How far `step` may go, up to `limit`, before an index of the basis meets a bound, and which one.
    fn first_bound(&self, program: &Program, limit: f64, bland: bool) -> (f64, Option<(usize, f64)>) {
        let (mut length, mut blocking) = (limit, None);
        let mut pivot = 0.0;
        for (&b, &step) in self.basis.iter().zip(&self.step) {
            let bound = if step < 0.0 { program.lo[b] } else { program.hi[b] };
            if step == 0.0 || bound.is_infinite() {
                continue;
            }
            let reach = f64::max((bound - self.x[b]) / step, 0.0);
            // Among ties the larger component is the safer pivot; the least index is the one that cannot cycle.
            let first = blocking.is_none_or(|(i, _)| if bland { b < i } else { step.abs() > pivot });
            if reach < length || (reach == length && blocking.is_some() && first) {
                (length, blocking, pivot) = (reach, Some((b, bound)), step.abs());
            }
        }
        (length, blocking)
    }

    /// Moves along the null vector of basis and dependent index `j` to the first bound; says whether x moved.
    fn slide(&mut self, program: &Program, j: usize, bland: bool) -> Result<bool, Indefinite> {
        let direction = if self.u[j] < 0.0 { 1.0 } else { -1.0 };
        let far = if direction > 0.0 { program.hi[j] } else { program.lo[j] };
        self.step.clear();
        self.step.extend(self.combination.iter().map(|t| -direction * t));
        let own = (far - self.x[j]).abs();
        let (length, blocking) = self.first_bound(program, own, bland);
        if length.is_infinite() {
            self.hopeless[j] = true;
            return Ok(true);
        }
        for k in 0..self.basis.len() {
            let b = self.basis[k];
            self.x[b] = (self.x[b] + length * self.step[k]).clamp(program.lo[b], program.hi[b]);
        }
        self.x[j] = (self.x[j] + direction * length).clamp(program.lo[j], program.hi[j]);
        match blocking {
            None => self.x[j] = far,
            Some((i, bound)) => {
                self.x[i] = bound;
                self.retire(i);
                self.offer(program, j)?;
            }
        }
        self.evaluate(program);
        Ok(length > 0.0)
    }
}

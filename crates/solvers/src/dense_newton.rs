//! Newton's method on the natural map with dense matrices, for islands of a few contacts.
//!
//! With `z = r − û/w`, `F = r − P(z)`, D ∈ ∂P(z) and `G = I + μ n τᵀ` where the contact slips, one step solves
//!
//! ```text
//! (I − D + εI) dr + w⁻¹ D G W dr = −F
//! ```
//!
//! the equation of `newton.rs`, here not divided by `I − D + εI`: a pivoted dense factorization takes it as it is. Open
//! contacts (D = 0) have `dr = −F` and are left out of the matrix. ε keeps the matrix regular for redundant contacts.
//! If it is not negligible, one step of refinement against ε = 0 removes its effect from the direction.
//!
//! Source: Alart and Curnier 1991; Acary, Brémond and Huber 2018 for the natural map. Departure: only steps that
//! decrease the 2-norm of F [m/s] are taken. Cost: m³/3 multiplications for m closed rows. When to use: up to 48 rows,
//! where symbolic factorization would cost more than dense elimination. `exact` uses it.

use crate::StoppingRule;
use crate::linalg::dense_lu::{self, stride_of};
use crate::linalg::kernels::widest;
use crate::merit::Merit;
use crate::newton::{LENGTHS, Linearised, SUFFICIENT, scale};
use crate::sweep::Columns;
use crate::warm_start::make_feasible;
use signorini_problem::{ContactProblem, Law};

/// First ε.
const LEAST_PROXIMAL: f64 = 1e-10;
/// Factor of ε after a rejected step.
const MORE_PROXIMAL: f64 = 1e3;
/// Greatest ε; a rejection there ends the iteration.
const GREATEST_PROXIMAL: f64 = 1e-3;
/// ε above which a direction is refined once against ε = 0; below it does no harm.
const NEGLIGIBLE_PROXIMAL: f64 = 1e-9;

/// Numbers written at once.
const LANES: usize = 4;

/// The step and its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseNewton {
    u: Vec<f64>,
    f: Vec<f64>,
    dr: Vec<f64>,
    w_dr: Vec<f64>,
    trial: Vec<f64>,
    blocks: Vec<Linearised>,
    /// Rows of closed blocks, and the matrix over them, column-major.
    closed: Vec<usize>,
    matrix: Vec<f64>,
    /// First row and w⁻¹ D G, by columns, of every closed contact in space.
    contacts: Vec<(usize, [[f64; 4]; 3])>,
    pivots: Vec<usize>,
    right: Vec<f64>,
}

/// Progress that is required for the iteration to continue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Demand {
    /// Most factorizations.
    pub most_steps: usize,
    /// Every step must reduce the residual to this share \[1\].
    pub factor: f64,
    /// The residual must halve within this many steps.
    pub patience: usize,
}

impl Demand {
    /// Near a solution, where Newton converges quadratically.
    pub const NEAR: Demand = Demand { most_steps: 5, factor: 0.1, patience: 1 };
    /// From anywhere.
    pub const FAR: Demand = Demand { most_steps: 12, factor: 1.0, patience: 3 };
}

/// Result of the iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SmallEnd {
    pub steps: usize,
    pub merit: Merit,
}

impl DenseNewton {
    /// Residual of feasible impulses, with W given by columns.
    pub(crate) fn merit(&mut self, columns: Columns, problem: &ContactProblem, r: &[f64]) -> Merit {
        self.u.resize(columns.stride(), 0.0);
        velocity(columns, problem, r, &mut self.u);
        Merit::of(problem, r, &self.u)
    }

    /// Makes Newton steps from feasible `r` until the residual suffices, progress is too slow, or no step is accepted.
    pub(crate) fn run(
        &mut self,
        columns: Columns,
        problem: &ContactProblem,
        r: &mut [f64],
        demand: Demand,
        stop: &StoppingRule,
    ) -> SmallEnd {
        for buffer in [&mut self.f, &mut self.dr, &mut self.trial] {
            buffer.resize(problem.rows(), 0.0);
        }
        self.w_dr.resize(columns.stride(), 0.0);
        self.blocks.resize(problem.blocks().len(), Linearised::default());
        let mut end = SmallEnd { steps: 0, merit: self.merit(columns, problem, r) };
        let mut proximal = LEAST_PROXIMAL;
        let mut halved = (end.merit.norm, 0);
        while end.steps < demand.most_steps && !end.merit.suffices(problem, stop) {
            end.steps += 1;
            let before = end.merit.norm;
            let mut accepted = false;
            if self.direction(columns, problem, r, proximal) {
                for length in LENGTHS {
                    for i in 0..r.len() {
                        self.trial[i] = r[i] + length * self.dr[i];
                    }
                    make_feasible(problem, &mut self.trial);
                    velocity(columns, problem, &self.trial, &mut self.w_dr);
                    let trial = Merit::of(problem, &self.trial, &self.w_dr);
                    if trial.norm < (1.0 - SUFFICIENT * length) * end.merit.norm {
                        r.copy_from_slice(&self.trial);
                        self.u.copy_from_slice(&self.w_dr);
                        end.merit = trial;
                        accepted = true;
                        break;
                    }
                }
            }
            if !accepted {
                if proximal >= GREATEST_PROXIMAL {
                    break;
                }
                proximal *= MORE_PROXIMAL;
            }
            if end.merit.norm <= 0.5 * halved.0 {
                halved = (end.merit.norm, end.steps);
            } else if end.steps >= halved.1 + demand.patience {
                break;
            }
            if end.merit.norm > demand.factor * before {
                break;
            }
        }
        end
    }

    /// Fills `dr`; false if the matrix is singular or the direction not finite.
    fn direction(&mut self, columns: Columns, problem: &ContactProblem, r: &[f64], proximal: f64) -> bool {
        self.linearise(problem, r);
        let m = self.closed.len();
        // Whole lanes are written: the last ones reach beyond the end.
        self.matrix.resize(m * stride_of(m) + LANES, 0.0);
        widest(
            #[inline(always)]
            || {
                self.assemble(columns, problem, proximal);
                dense_lu::factor(&mut self.matrix, m, &mut self.pivots) && {
                    self.solve(columns, problem, proximal);
                    true
                }
            },
        ) && self.dr.iter().all(|x| x.is_finite())
    }

    /// Adds the direction of the closed rows to that of the open ones.
    #[inline(always)]
    fn solve(&mut self, columns: Columns, problem: &ContactProblem, proximal: f64) {
        let m = self.closed.len();
        for _ in 0..if proximal > NEGLIGIBLE_PROXIMAL { 2 } else { 1 } {
            let moves = self.dr.iter().any(|x| *x != 0.0);
            if moves {
                columns.times(&self.dr, &mut self.w_dr);
            }
            self.right.clear();
            for (block, first) in self.blocks.iter().zip(problem.offsets()) {
                if !block.open {
                    for i in 0..block.rows {
                        let done = if moves { block.apply(i, &self.dr[*first..], &self.w_dr[*first..]) } else { 0.0 };
                        self.right.push(-self.f[first + i] - done);
                    }
                }
            }
            self.right.resize(stride_of(m), 0.0);
            dense_lu::solve(&self.matrix, m, &self.pivots, &mut self.right);
            for (i, x) in self.closed.iter().zip(&self.right) {
                self.dr[*i] += x;
            }
        }
    }

    /// F and its derivatives, which rows are closed, and `dr` of the open ones.
    fn linearise(&mut self, problem: &ContactProblem, r: &[f64]) {
        self.closed.clear();
        self.contacts.clear();
        self.dr.fill(0.0);
        for (c, block) in problem.blocks().iter().enumerate() {
            let range = problem.range(c);
            let linear = Linearised::of(&block.law, scale(problem, c), &r[range.clone()], &self.u[range.clone()]);
            if block.law == Law::Equality {
                for i in range.clone() {
                    self.f[i] = self.u[i] / scale(problem, c);
                }
            } else {
                self.f[range.clone()].copy_from_slice(&linear.f[..block.rows]);
            }
            if linear.open {
                for i in range {
                    self.dr[i] = -self.f[i];
                }
            } else {
                if range.len() == 3 && !linear.is_joint() {
                    self.contacts.push((range.start, linear.velocity_columns()));
                }
                self.closed.extend(range);
            }
            self.blocks[c] = linear;
        }
        self.pivots.resize(self.closed.len(), 0);
    }

    /// The matrix over the closed rows.
    #[inline(always)]
    fn assemble(&mut self, columns: Columns, problem: &ContactProblem, proximal: f64) {
        let m = self.closed.len();
        let stride = stride_of(m);
        if m == 3 * self.contacts.len() {
            self.assemble_contacts(columns, stride);
        } else {
            let mut row = 0;
            for (block, first) in self.blocks.iter().zip(problem.offsets()).filter(|(block, _)| !block.open) {
                for (target, j) in self.closed.iter().enumerate() {
                    for i in 0..block.rows {
                        let value = block.times_velocity(i, &columns.column(*j)[*first..]);
                        self.matrix[target * stride + row + i] = value;
                    }
                }
                row += block.rows;
            }
        }
        let mut row = 0;
        for block in self.blocks.iter().filter(|block| !block.open) {
            for j in 0..block.rows {
                for i in 0..block.rows {
                    let own = block.keep(i, j) + if i == j { proximal } else { 0.0 };
                    self.matrix[(row + j) * stride + row + i] += own;
                }
            }
            row += block.rows;
        }
        for column in 0..m {
            self.matrix[column * stride + m..(column + 1) * stride].fill(0.0);
        }
    }

    /// `w⁻¹ D G W` where every closed block is a contact in space: four lanes of three rows each, of which the last is
    /// overwritten by the next block.
    #[inline(always)]
    fn assemble_contacts(&mut self, columns: Columns, stride: usize) {
        for (target, j) in self.closed.iter().enumerate() {
            let column = columns.column(*j);
            let target = &mut self.matrix[target * stride..(target + 1) * stride + LANES];
            let mut row = 0;
            for (first, derivative) in &self.contacts {
                let (Some(w), Some(out)) =
                    (column[*first..].first_chunk::<3>(), target[row..].first_chunk_mut::<LANES>())
                else {
                    return;
                };
                let mut sum = [0.0; LANES];
                for i in 0..LANES {
                    sum[i] = derivative[0][i] * w[0] + derivative[1][i] * w[1] + derivative[2][i] * w[2];
                }
                *out = sum;
                row += 3;
            }
        }
    }
}

fn velocity(columns: Columns, problem: &ContactProblem, r: &[f64], u: &mut [f64]) {
    widest(
        #[inline(always)]
        || columns.times(r, u),
    );
    for (u, q) in u.iter_mut().zip(problem.q()) {
        *u += q;
    }
}

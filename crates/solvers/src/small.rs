//! Islands of a few contacts: Newton on the natural map with everything dense.
//!
//! With `z = r − û/w`, `F = r − P(z)`, D ∈ ∂P(z) and `G = I + μ n τᵀ` where the contact slips, one step solves
//!
//! ```text
//! (I − D + εI) dr + w⁻¹ D G W dr = −F
//! ```
//!
//! the equation of `newton.rs`, here not divided by `I − D + εI`: a pivoted dense factorization takes it as it is. Open
//! contacts (D = 0) have `dr = −F` and are left out of the matrix. ε only keeps redundant contacts regular; where it is
//! not negligible, one step of refinement against ε = 0 removes it from the direction.
//!
//! Source: Alart and Curnier 1991; Acary, Brémond and Huber 2018 for the natural map. Departure: only steps that decrease
//! the 2-norm of F [m/s] are taken. Cost: m³/3 multiplications for m closed rows. When to use: where a sparse plan of the
//! elimination costs more than the elimination, up to 48 rows; `exact` does.

use crate::StoppingRule;
use crate::linalg::dense::{lu, lu_solve};
use crate::merit::Merit;
use crate::newton::{LENGTHS, Linearised, SUFFICIENT, scale};
use crate::sweep::product;
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

/// The step and its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct SmallNewton {
    u: Vec<f64>,
    f: Vec<f64>,
    dr: Vec<f64>,
    w_dr: Vec<f64>,
    trial: Vec<f64>,
    blocks: Vec<Linearised>,
    /// Rows of closed blocks, and the matrix over them, row-major.
    closed: Vec<usize>,
    matrix: Vec<f64>,
    pivots: Vec<usize>,
    right: Vec<f64>,
}

/// What is asked of the steps for them to go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Demand {
    /// Most factorizations.
    pub most_steps: usize,
    /// Every step leaves at most this share of the residual.
    pub factor: f64,
    /// So many steps halve the residual.
    pub patience: usize,
}

impl Demand {
    /// Near a solution, where a Newton step is a leap.
    pub const NEAR: Demand = Demand { most_steps: 5, factor: 0.1, patience: 1 };
    /// From anywhere.
    pub const FAR: Demand = Demand { most_steps: 12, factor: 1.0, patience: 3 };
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SmallEnd {
    pub steps: usize,
    pub merit: Merit,
}

impl SmallNewton {
    /// Residual of feasible impulses under W, given by columns.
    pub(crate) fn merit(&mut self, columns: &[f64], problem: &ContactProblem, r: &[f64]) -> Merit {
        self.u.resize(problem.rows(), 0.0);
        velocity(columns, problem, r, &mut self.u);
        Merit::of(problem, r, &self.u)
    }

    /// Newton steps from feasible `r` until the residual suffices, the demand is not met or no step is accepted.
    pub(crate) fn run(
        &mut self,
        columns: &[f64],
        problem: &ContactProblem,
        r: &mut [f64],
        demand: Demand,
        stop: &StoppingRule,
    ) -> SmallEnd {
        for buffer in [&mut self.u, &mut self.f, &mut self.dr, &mut self.w_dr, &mut self.trial] {
            buffer.resize(problem.rows(), 0.0);
        }
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
    fn direction(&mut self, columns: &[f64], problem: &ContactProblem, r: &[f64], proximal: f64) -> bool {
        self.linearise(problem, r);
        let m = self.closed.len();
        self.assemble(columns, problem, proximal);
        if !lu(&mut self.matrix, m, &mut self.pivots) {
            return false;
        }
        for _ in 0..if proximal > NEGLIGIBLE_PROXIMAL { 2 } else { 1 } {
            product(columns, &self.dr, &mut self.w_dr);
            self.right.clear();
            for (block, first) in self.blocks.iter().zip(problem.offsets()) {
                if !block.open {
                    let rows = block.rows;
                    for i in 0..rows {
                        self.right.push(-self.f[first + i] - block.apply(i, &self.dr[*first..], &self.w_dr[*first..]));
                    }
                }
            }
            lu_solve(&self.matrix, m, &self.pivots, &mut self.right);
            for (i, x) in self.closed.iter().zip(&self.right) {
                self.dr[*i] += x;
            }
        }
        self.dr.iter().all(|x| x.is_finite())
    }

    /// F and its derivatives, which rows are closed, and `dr` of the open ones.
    fn linearise(&mut self, problem: &ContactProblem, r: &[f64]) {
        self.closed.clear();
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
                self.closed.extend(range);
            }
            self.blocks[c] = linear;
        }
        self.pivots.resize(self.closed.len(), 0);
    }

    fn assemble(&mut self, columns: &[f64], problem: &ContactProblem, proximal: f64) {
        let (n, m) = (problem.rows(), self.closed.len());
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        let mut row = 0;
        for (block, first) in self.blocks.iter().zip(problem.offsets()) {
            if block.open {
                continue;
            }
            let rows = block.rows;
            let band = &mut self.matrix[row * m..(row + rows) * m];
            if rows == 3 && !block.is_joint() {
                let (top, rest) = band.split_at_mut(m);
                let (middle, bottom) = rest.split_at_mut(m);
                let targets = top.iter_mut().zip(middle).zip(bottom);
                for (j, ((x, y), z)) in self.closed.iter().zip(targets) {
                    let w = &columns[j * n + first..j * n + first + 3];
                    [*x, *y, *z] = block.times_velocities(&[w[0], w[1], w[2]]);
                }
            } else {
                for (column, j) in self.closed.iter().enumerate() {
                    let w = &columns[j * n + first..j * n + first + rows];
                    for i in 0..rows {
                        band[i * m + column] = block.times_velocity(i, w);
                    }
                }
            }
            for i in 0..rows {
                for j in 0..rows {
                    self.matrix[(row + i) * m + row + j] += block.keep(i, j) + if i == j { proximal } else { 0.0 };
                }
            }
            row += rows;
        }
    }
}

fn velocity(columns: &[f64], problem: &ContactProblem, r: &[f64], u: &mut [f64]) {
    product(columns, r, u);
    for (u, q) in u.iter_mut().zip(problem.q()) {
        *u += q;
    }
}

//! Friction pyramids with any number of corners as a linear complementarity problem.
//!
//! ```text
//! contact    0 ≤ r_N ⊥ u_N ≥ 0,   0 ≤ β_j ⊥ d_j·u_T + λ ≥ 0,   0 ≤ λ ⊥ μ r_N − Σβ_j ≥ 0,     r_T = Σ β_j d_j
//! interval   0 ≤ x ⊥ u + γ ≥ 0,   0 ≤ γ ⊥ hi − lo − x ≥ 0,     r = lo + x
//! joint      u = 0: solved for r and put into the other rows
//! ```
//!
//! With W positive semidefinite the matrix is copositive: λ and γ drop out of zᵀMz but for μ r_N λ ≥ 0. Source: Stewart and
//! Trinkle 1996; Anitescu and Potra 1997. Every block is scaled by s = √(its largest diagonal of W), impulses up and
//! velocities down, so that all entries of the matrix are of size 1 whatever the masses.

use crate::linalg::dense::{copy_delassus, dot};
use signorini_problem::{ContactProblem, Law};

/// Diagonal, relative to what it was, below which a joint row repeats others, or a contact cannot move.
const DEPENDENT: f64 = 1e-10;
/// Share of the speed by which rows may be nudged apart.
const NUDGE: f64 = 1e-9;

/// A variable z of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Variable {
    /// Impulse z·along on `row` and, in space, the next.
    Impulse { row: usize, along: [f64; 2] },
    /// Slip speed λ of a contact, or γ of an interval.
    Slack,
}

/// The program and its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct PyramidProgram {
    /// W and q with joints eliminated; the row of a joint as it was when its turn came.
    w: Vec<f64>,
    q: Vec<f64>,
    joints: Vec<usize>,
    /// √(1/kg) of every block.
    scales: Vec<f64>,
    /// Impulses at z = 0: bounds of intervals.
    least: Vec<f64>,
    variables: Vec<Variable>,
    product: Vec<f64>,
    /// M by columns, the constant part, and how far it may be nudged.
    pub(super) columns: Vec<f64>,
    pub(super) constant: Vec<f64>,
    pub(super) nudge: Vec<f64>,
}

impl PyramidProgram {
    /// Takes W and q and eliminates the joints.
    pub(super) fn load(&mut self, problem: &ContactProblem) {
        copy_delassus(problem, &mut self.w);
        self.q.clear();
        self.q.extend_from_slice(problem.q());
        self.eliminate_joints(problem);
        let n = problem.rows();
        self.scales.clear();
        for (c, given) in problem.scales().iter().enumerate() {
            let largest = problem.range(c).fold(DEPENDENT * given, |most, i| most.max(self.w[i * n + i]));
            self.scales.push(if largest > 0.0 { largest.sqrt() } else { 1.0 });
        }
        self.least.clear();
        self.least.resize(n, 0.0);
        for (c, block) in problem.blocks().iter().enumerate() {
            if let Law::Interval { lo, hi } = block.law {
                self.least[problem.offsets()[c]] = [lo, hi].into_iter().find(|bound| bound.is_finite()).unwrap_or(0.0);
            }
        }
        for (i, q) in self.q.iter_mut().enumerate() {
            *q += dot(&self.w[i * n..(i + 1) * n], &self.least);
        }
    }

    /// Gauss steps on the rows of joints, largest diagonal first; rows that repeat others carry nothing.
    fn eliminate_joints(&mut self, problem: &ContactProblem) {
        let n = problem.rows();
        let blocks = problem.blocks().iter().enumerate().filter(|(_, block)| is_joint(&block.law));
        let given: Vec<f64> = (0..n).map(|i| self.w[i * n + i]).collect();
        // A row that cannot move carries nothing, and its share would be 0/0.
        let mut waiting: Vec<usize> = blocks.flat_map(|(c, _)| problem.range(c)).filter(|i| given[*i] > 0.0).collect();
        self.joints.clear();
        let mut alive = vec![true; n];
        loop {
            let share = |i: usize| self.w[i * n + i] / given[i];
            let largest = (0..waiting.len()).max_by(|a, b| share(waiting[*a]).total_cmp(&share(waiting[*b])));
            let Some(next) = largest.filter(|next| share(waiting[*next]) > DEPENDENT) else { return };
            let joint = waiting.swap_remove(next);
            alive[joint] = false;
            self.joints.push(joint);
            let row = self.w[joint * n..(joint + 1) * n].to_vec();
            for i in (0..n).filter(|i| alive[*i]) {
                let factor = self.w[i * n + joint] / row[joint];
                for (w, r) in self.w[i * n..(i + 1) * n].iter_mut().zip(&row) {
                    *w -= factor * r;
                }
                self.w[i * n + joint] = 0.0;
                self.q[i] -= factor * self.q[joint];
            }
        }
    }

    /// Poses the program with these corners, one unit vector each, of every contact.
    pub(super) fn pose(&mut self, problem: &ContactProblem, corners: &[Vec<[f64; 2]>]) {
        self.variables.clear();
        let (mut coupled, mut constants) = (Vec::new(), Vec::new());
        self.nudge.clear();
        for (c, block) in problem.blocks().iter().enumerate() {
            let (row, s, first) = (problem.offsets()[c], self.scales[c], self.variables.len());
            let impulse = |row: usize, along: [f64; 2]| Variable::Impulse { row, along: along.map(|x| x / s) };
            match block.law {
                law if is_joint(&law) => {}
                // Not asked about contacts that resist rolling.
                Law::Equality | Law::Rolling { .. } => {}
                Law::NonNegative => self.variables.push(impulse(row, [1.0, 0.0])),
                Law::Interval { lo, hi } if lo < hi => {
                    self.variables.push(impulse(row, [if lo.is_finite() { 1.0 } else { -1.0 }, 0.0]));
                    if (hi - lo).is_finite() {
                        self.variables.push(Variable::Slack);
                        coupled.extend([(first, first + 1, 1.0), (first + 1, first, -1.0)]);
                        constants.push((first + 1, (hi - lo) * s));
                    }
                }
                Law::Interval { .. } => {}
                Law::Coulomb { mu } => {
                    self.variables.push(impulse(row, [1.0, 0.0]));
                    if mu > 0.0 {
                        self.variables.extend(corners[c].iter().map(|d| impulse(row + 1, *d)));
                        let slip = self.variables.len();
                        self.variables.push(Variable::Slack);
                        coupled.push((slip, first, mu));
                        coupled.extend((first + 1..slip).flat_map(|j| [(j, slip, 1.0), (slip, j, -1.0)]));
                    }
                }
            }
            self.nudge.resize(self.variables.len(), NUDGE * problem.speed() / s);
        }
        self.fill(problem.rows());
        let m = self.variables.len();
        for (i, j, x) in coupled {
            self.columns[j * m + i] = x;
        }
        for (i, x) in constants {
            self.constant[i] = x;
        }
    }

    /// The parts of W and q.
    fn fill(&mut self, n: usize) {
        let m = self.variables.len();
        self.columns.clear();
        self.columns.resize(m * m, 0.0);
        self.constant.clear();
        for variable in &self.variables {
            self.constant.push(variable.times(|row| self.q[row]));
        }
        for (j, column) in self.variables.iter().enumerate() {
            self.product.clear();
            self.product.extend((0..n).map(|i| column.times(|row| self.w[i * n + row])));
            for (entry, variable) in self.columns[j * m..(j + 1) * m].iter_mut().zip(&self.variables) {
                *entry = variable.times(|row| self.product[row]);
            }
        }
    }

    /// The impulses of an answer z, those of joints included.
    pub(super) fn read(&self, z: &[f64], r: &mut [f64]) {
        let n = r.len();
        r.copy_from_slice(&self.least);
        for (variable, z) in self.variables.iter().zip(z) {
            if let Variable::Impulse { row, along } = variable {
                r[*row] += along[0] * z;
                if along[1] != 0.0 {
                    r[row + 1] += along[1] * z;
                }
            }
        }
        for &joint in self.joints.iter().rev() {
            let row = &self.w[joint * n..(joint + 1) * n];
            r[joint] = 0.0;
            // q holds W·least already.
            let others: f64 = (0..n).map(|j| row[j] * (r[j] - self.least[j])).sum();
            r[joint] = -(self.q[joint] + others) / row[joint];
        }
    }
}

impl Variable {
    /// Along the impulse, of what the rows have; slacks have none.
    fn times(&self, of: impl Fn(usize) -> f64) -> f64 {
        match *self {
            Variable::Impulse { row, along } if along[1] != 0.0 => along[0] * of(row) + along[1] * of(row + 1),
            Variable::Impulse { row, along } => along[0] * of(row),
            Variable::Slack => 0.0,
        }
    }
}

/// Whether the impulse is free and the velocity none.
fn is_joint(law: &Law) -> bool {
    match *law {
        Law::Equality => true,
        Law::Interval { lo, hi } => lo == f64::NEG_INFINITY && hi == f64::INFINITY,
        Law::NonNegative | Law::Coulomb { .. } | Law::Rolling { .. } => false,
    }
}

//! The contact problem with a given shift of its normal velocities, as a cone program for Clarabel.
//!
//! Velocity form, for `W = J M⁻¹ Jᵀ`: with `M⁻¹ = L Lᵀ` per body and `Δv = L x`,
//!
//! ```text
//! min ½ xᵀx   (u_N + s, μ u_T) ∈ SOC,   u = J L x + q          r = multiplier, its tangential part times μ
//! ```
//!
//! The coordinates x make the objective the identity whatever the masses, and a body that cannot move or turn simply has
//! zero columns. A row that gives way, `W = J M⁻¹ Jᵀ + diag(c)`, has a variable of its own, `u += √c y`, which costs as the
//! others do: then `y = √c r`. An interval adds `u = p − m`, `p, m ≥ 0` at the price `−lo p + hi m`. Impulse form, where only W is known:
//!
//! ```text
//! min ½ rᵀW r + (q + s n)ᵀr    (r_N, r_T/μ) ∈ SOC
//! ```
//!
//! Both are posed in units of `|q|∞` and of the largest `tr(W_cc)/rows`, because Clarabel's tolerances are absolute.

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{self, NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus};
use signorini_problem::{ContactProblem, Delassus, FactoredDelassus, FurtherColumns, InverseMass, Law};

/// Which variables the program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Velocity,
    Impulse,
}

/// A cone program whose shift may change between solves.
pub(super) struct Program {
    form: Form,
    solver: DefaultSolver<f64>,
    /// Right-hand side (velocity form) or linear cost (impulse form) without shift.
    base: Vec<f64>,
    with_shift: Vec<f64>,
    /// Per row of the problem: where its impulse is found and by what to multiply it.
    impulse: Vec<Option<(usize, f64)>>,
    /// Per contact with friction: (where its shift enters, by what factor).
    shifted: Vec<(usize, f64)>,
    feasible_status: bool,
}

/// Triplets of a sparse matrix.
#[derive(Default)]
struct Triplets {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Triplets {
    fn push(&mut self, row: usize, column: usize, value: f64) {
        if value != 0.0 {
            self.rows.push(row);
            self.columns.push(column);
            self.values.push(value);
        }
    }
    fn build(self, rows: usize, columns: usize) -> CscMatrix<f64> {
        CscMatrix::new_from_triplets(rows, columns, self.rows, self.columns, self.values)
    }
}

/// Everything [`DefaultSolver::new`] takes, while it is gathered.
struct Draft {
    p: Triplets,
    a: Triplets,
    b: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
    cost: Vec<f64>,
    impulse: Vec<Option<(usize, f64)>>,
    shifted: Vec<(usize, f64)>,
}

impl Draft {
    fn new(variables: usize, rows: usize) -> Self {
        Draft {
            p: Triplets::default(),
            a: Triplets::default(),
            b: Vec::new(),
            cones: Vec::new(),
            cost: vec![0.0; variables],
            impulse: vec![None; rows],
            shifted: Vec::new(),
        }
    }
}

impl Program {
    /// Poses the problem; `None` if Clarabel refuses it.
    pub fn new(problem: &ContactProblem, tolerance: f64, max_iterations: u32) -> Option<Self> {
        let speed = if problem.speed() > 0.0 { problem.speed() } else { 1.0 };
        let mobility = problem.scales().iter().fold(0.0, |m: f64, w| m.max(*w));
        let units = Units { speed, mobility: if mobility > 0.0 { mobility } else { 1.0 } };
        let (form, draft) = match problem.delassus() {
            Delassus::Factored(w) => (Form::Velocity, velocity_form(problem, w, &units)),
            Delassus::Dense(_) | Delassus::BlockSparse(_) => (Form::Impulse, impulse_form(problem, &units)),
        };
        let settings = DefaultSettings {
            verbose: false,
            max_iter: max_iterations,
            tol_gap_abs: tolerance,
            tol_gap_rel: tolerance,
            tol_feas: tolerance,
            // Data updates need the program as given.
            presolve_enable: false,
            ..DefaultSettings::default()
        };
        let (rows, columns) = (draft.b.len(), draft.cost.len());
        let base = match form {
            Form::Velocity => draft.b.clone(),
            Form::Impulse => draft.cost.clone(),
        };
        let p = draft.p.build(columns, columns);
        let a = draft.a.build(rows, columns);
        let solver = DefaultSolver::new(&p, &draft.cost, &a, &draft.b, &draft.cones, settings).ok()?;
        let with_shift = base.clone();
        let (impulse, shifted) = (draft.impulse, draft.shifted);
        Some(Program { form, solver, base, with_shift, impulse, shifted, feasible_status: false })
    }

    /// Number of contacts whose shift enters.
    pub fn shifts(&self) -> usize {
        self.shifted.len()
    }

    /// Solves with these shifts of u_N [m/s] and writes the impulses; returns the interior-point steps.
    pub fn solve(&mut self, shifts: &[f64], impulses: &mut [f64]) -> usize {
        self.with_shift.copy_from_slice(&self.base);
        for ((index, factor), shift) in self.shifted.iter().zip(shifts) {
            self.with_shift[*index] += factor * shift;
        }
        let updated = match self.form {
            Form::Velocity => self.solver.update_b(&self.with_shift),
            Form::Impulse => self.solver.update_q(&self.with_shift),
        };
        if updated.is_err() {
            self.feasible_status = false;
            return 0;
        }
        self.solver.solve();
        let solution = &self.solver.solution;
        let values = match self.form {
            Form::Velocity => &solution.z,
            Form::Impulse => &solution.x,
        };
        self.feasible_status = matches!(
            solution.status,
            SolverStatus::Solved
                | SolverStatus::AlmostSolved
                | SolverStatus::MaxIterations
                | SolverStatus::InsufficientProgress
        ) && values.iter().all(|x| x.is_finite());
        if self.feasible_status {
            for (r, source) in impulses.iter_mut().zip(&self.impulse) {
                *r = source.map_or(0.0, |(index, factor)| factor * values[index]);
            }
        }
        solution.iterations as usize
    }

    /// Whether the last solve ended with an answer.
    pub fn answered(&self) -> bool {
        self.feasible_status
    }
}

/// The units the program is posed in.
struct Units {
    /// [m/s]
    speed: f64,
    /// [1/kg]
    mobility: f64,
}

impl Units {
    /// [N·s]
    fn impulse(&self) -> f64 {
        self.speed / self.mobility
    }
}

/// Both second-order cone vectors divided so that neither entry dwarfs the other for large μ.
fn balance(mu: f64) -> f64 {
    mu.max(1.0)
}

fn velocity_form(problem: &ContactProblem, w: &FactoredDelassus, units: &Units) -> Draft {
    let bodies = w.inverse_mass().len();
    let mut draft = Draft::new(6 * bodies, problem.rows());
    let roots: Vec<InverseMass> = w.inverse_mass().iter().map(square_root).collect();
    for k in 0..6 * bodies {
        draft.p.push(k, k, 1.0);
    }
    // Appends `scale·u_row` as the next row of s.
    let velocity_row = |draft: &mut Draft, block: usize, row: usize, scale: f64| {
        let target = draft.b.len();
        for (side, body) in w.bodies()[block].iter().enumerate() {
            let Some(body) = *body else { continue };
            let j = &w.jacobian()[row][6 * side..6 * side + 6];
            for k in 0..6 {
                let entry: f64 = (0..6).map(|i| j[i] * roots[body as usize][i][k]).sum();
                draft.a.push(target, 6 * body as usize + k, -scale * entry / units.mobility.sqrt());
            }
        }
        for FurtherColumns { body, columns: j, .. } in w.further_of(row..row + 1) {
            for k in 0..6 {
                let entry: f64 = (0..6).map(|i| j[i] * roots[*body as usize][i][k]).sum();
                draft.a.push(target, 6 * *body as usize + k, -scale * entry / units.mobility.sqrt());
            }
        }
        if let Some(c) = w.compliance().get(row).filter(|c| **c > 0.0) {
            let own = draft.cost.len();
            draft.cost.push(0.0);
            draft.p.push(own, own, 1.0);
            draft.a.push(target, own, -scale * (c / units.mobility).sqrt());
        }
        draft.b.push(scale * problem.q()[row] / units.speed);
        draft.impulse[row] = Some((target, scale * units.impulse()));
    };
    for (c, block) in problem.blocks().iter().enumerate() {
        let range = problem.range(c);
        match block.law {
            // Rolling was refused before.
            Law::Equality | Law::Rolling { .. } => {
                for row in range {
                    velocity_row(&mut draft, c, row, 1.0);
                }
                draft.cones.push(ZeroConeT(block.rows));
            }
            Law::NonNegative => {
                velocity_row(&mut draft, c, range.start, 1.0);
                draft.cones.push(NonnegativeConeT(1));
            }
            Law::Coulomb { mu: 0.0 } => {
                velocity_row(&mut draft, c, range.start, 1.0);
                draft.cones.push(NonnegativeConeT(1));
            }
            Law::Coulomb { mu } => {
                let kappa = balance(mu);
                draft.shifted.push((draft.b.len(), 1.0 / (kappa * units.speed)));
                velocity_row(&mut draft, c, range.start, 1.0 / kappa);
                for row in range.start + 1..range.end {
                    velocity_row(&mut draft, c, row, mu / kappa);
                }
                draft.cones.push(SecondOrderConeT(block.rows));
            }
            Law::Interval { lo, hi } => {
                let target = draft.b.len();
                velocity_row(&mut draft, c, range.start, 1.0);
                draft.cones.push(ZeroConeT(1));
                for (sign, bound) in [(1.0, lo), (-1.0, hi)] {
                    if bound.is_infinite() {
                        continue;
                    }
                    let part = draft.cost.len();
                    draft.cost.push(-sign * bound / units.impulse());
                    draft.a.push(target, part, sign);
                    draft.a.push(draft.b.len(), part, -1.0);
                    draft.b.push(0.0);
                    draft.cones.push(NonnegativeConeT(1));
                }
            }
        }
    }
    draft
}

fn impulse_form(problem: &ContactProblem, units: &Units) -> Draft {
    let n = problem.rows();
    let mut draft = Draft::new(n, n);
    for row in 0..n {
        draft.cost[row] = problem.q()[row] / units.speed;
        draft.impulse[row] = Some((row, units.impulse()));
    }
    let (mut block, mut mirror) = ([0.0; 36], [0.0; 36]);
    let offsets = problem.offsets();
    for c in 0..problem.blocks().len() {
        for k in c..problem.blocks().len() {
            problem.delassus().block(offsets, c, k, &mut block);
            problem.delassus().block(offsets, k, c, &mut mirror);
            let (rows, columns) = (problem.blocks()[c].rows, problem.blocks()[k].rows);
            for a in 0..rows {
                for b in if c == k { a..columns } else { 0..columns } {
                    // The symmetric part, upper triangle.
                    let mean = 0.5 * (block[a * columns + b] + mirror[b * rows + a]);
                    draft.p.push(offsets[c] + a, offsets[k] + b, mean / units.mobility);
                }
            }
        }
    }
    // Appends `scale·r_row − bound` as the next row of s.
    let row_of = |draft: &mut Draft, row: usize, scale: f64, bound: f64| {
        draft.a.push(draft.b.len(), row, -scale);
        draft.b.push(-scale * bound / units.impulse());
    };
    for (c, block) in problem.blocks().iter().enumerate() {
        let range = problem.range(c);
        match block.law {
            // Rolling was refused before.
            Law::Equality | Law::Rolling { .. } => {}
            Law::NonNegative => {
                row_of(&mut draft, range.start, 1.0, 0.0);
                draft.cones.push(NonnegativeConeT(1));
            }
            Law::Coulomb { mu: 0.0 } => {
                row_of(&mut draft, range.start, 1.0, 0.0);
                draft.cones.push(NonnegativeConeT(1));
                for row in range.start + 1..range.end {
                    row_of(&mut draft, row, 1.0, 0.0);
                }
                draft.cones.push(ZeroConeT(block.rows - 1));
            }
            Law::Coulomb { mu } => {
                let kappa = balance(mu);
                draft.shifted.push((range.start, 1.0 / units.speed));
                row_of(&mut draft, range.start, kappa, 0.0);
                for row in range.start + 1..range.end {
                    row_of(&mut draft, row, kappa / mu, 0.0);
                }
                draft.cones.push(SecondOrderConeT(block.rows));
            }
            Law::Interval { lo, hi } => {
                for (sign, bound) in [(1.0, lo), (-1.0, hi)] {
                    if bound.is_finite() {
                        row_of(&mut draft, range.start, sign, bound);
                        draft.cones.push(NonnegativeConeT(1));
                    }
                }
            }
        }
    }
    draft
}

/// A square root `L Lᵀ = M⁻¹` by Cholesky with zero pivots skipped: locked directions get zero columns.
fn square_root(m: &InverseMass) -> InverseMass {
    let largest = (0..6).fold(0.0, |x: f64, i| x.max(m[i][i]));
    let mut l = [[0.0; 6]; 6];
    for j in 0..6 {
        let pivot = m[j][j] - (0..j).map(|k| l[j][k] * l[j][k]).sum::<f64>();
        if pivot <= 1e-14 * largest {
            continue;
        }
        l[j][j] = pivot.sqrt();
        for i in j + 1..6 {
            l[i][j] = (m[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>()) / l[j][j];
        }
    }
    l
}

//! Linear cone programs: `min cᵀx` over `A x = b`, `x ∈ K`, where K is a product of simple cones. Needs the feature `socp`.
//!
//! ```text
//! primal  min cᵀx   A x = b,  x ∈ K          dual  max bᵀy   c − Aᵀy ∈ K*
//! ```
//!
//! Clarabel (Goulart and Chen 2024) is asked for x and y together, or for a reason why there are none: a `y` with
//! `−Aᵀy ∈ K*` and `bᵀy > 0` proves that no x exists (Farkas), and an `x ∈ K` with `A x = 0` and `cᵀx < 0` that the
//! objective has no end. What comes back is a claim. Whoever asks checks it: x, y, A, b and c are all that it takes.
//!
//! Cost: 10 to 30 sparse factorizations a program, no warm start. The pattern of the factorization is kept while only the
//! objective changes. Allocates.

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus};

/// Accuracy asked of Clarabel, in the units of the program. It returns what it has when it cannot get there.
const TOLERANCE: f64 = 1e-11;
/// Most interior-point steps of a program; 30 are many.
const MAX_STEPS: u32 = 200;

/// What some consecutive variables obey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cone {
    /// Anything.
    Free(usize),
    /// `x ≥ 0`, one by one.
    NonNegative(usize),
    /// `x₀ ≥ ‖(x₁, …)‖`.
    SecondOrder(usize),
}

impl Cone {
    /// Number of variables.
    pub fn size(self) -> usize {
        match self {
            Cone::Free(n) | Cone::NonNegative(n) | Cone::SecondOrder(n) => n,
        }
    }
}

/// How a program ended, as the method claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `x` and `y` are a primal and a dual answer.
    Answered,
    /// No x exists; `y` says why.
    Infeasible,
    /// The objective has no end; `x` says along which direction.
    Unbounded,
    /// Nothing can be said.
    Lost,
}

/// What a program claims.
#[derive(Clone, Debug)]
pub struct ConeAnswer {
    /// How it ended.
    pub ending: Ending,
    /// Primal variables, or the direction without end.
    pub x: Vec<f64>,
    /// Multipliers of `A x = b`, or the reason why there is no x.
    pub y: Vec<f64>,
    /// Interior-point steps.
    pub steps: usize,
}

/// A program whose objective may change.
pub struct ConeProgram {
    solver: DefaultSolver<f64>,
    rows: usize,
}

impl ConeProgram {
    /// Poses `A x = b`, `x ∈ K`; A by entries (row, column, value). `None` if Clarabel refuses the data.
    pub fn new(entries: &[(usize, usize, f64)], b: &[f64], cones: &[Cone]) -> Option<ConeProgram> {
        let columns: usize = cones.iter().map(|cone| cone.size()).sum();
        let (mut rows, mut cols, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (row, column, value) in entries.iter().filter(|entry| entry.2 != 0.0) {
            rows.push(*row);
            cols.push(*column);
            values.push(*value);
        }
        let mut limits = b.to_vec();
        let mut kinds = vec![ZeroConeT(b.len())];
        // s = x on the rows of a cone: −x + s = 0.
        let mut column = 0;
        for cone in cones {
            match *cone {
                Cone::Free(n) => column += n,
                Cone::NonNegative(n) | Cone::SecondOrder(n) => {
                    kinds.push(if let Cone::SecondOrder(_) = cone { SecondOrderConeT(n) } else { NonnegativeConeT(n) });
                    for _ in 0..n {
                        rows.push(limits.len());
                        cols.push(column);
                        values.push(-1.0);
                        limits.push(0.0);
                        column += 1;
                    }
                }
            }
        }
        let settings = DefaultSettings {
            verbose: false,
            max_iter: MAX_STEPS,
            tol_gap_abs: TOLERANCE,
            tol_gap_rel: TOLERANCE,
            tol_feas: TOLERANCE,
            // New objectives need the program as given.
            presolve_enable: false,
            ..DefaultSettings::default()
        };
        let a = CscMatrix::new_from_triplets(limits.len(), columns, rows, cols, values);
        let nothing = CscMatrix::zeros((columns, columns));
        let cost = vec![0.0; columns];
        let solver = DefaultSolver::new(&nothing, &cost, &a, &limits, &kinds, settings).ok()?;
        Some(ConeProgram { solver, rows: b.len() })
    }

    /// Minimises `costᵀx`.
    pub fn minimise(&mut self, cost: &[f64]) -> ConeAnswer {
        let lost = |steps| ConeAnswer { ending: Ending::Lost, x: Vec::new(), y: Vec::new(), steps };
        if self.solver.update_q(&cost.to_vec()).is_err() {
            return lost(0);
        }
        self.solver.solve();
        let solution = &self.solver.solution;
        let steps = solution.iterations as usize;
        let ending = match solution.status {
            SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => Ending::Infeasible,
            SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => Ending::Unbounded,
            _ => Ending::Answered,
        };
        let x = solution.x.clone();
        // Clarabel's Lagrangian has +zᵀ(A x + s − b).
        let y: Vec<f64> = solution.z[..self.rows].iter().map(|z| -z).collect();
        if !x.iter().chain(&y).all(|value| value.is_finite()) {
            return lost(steps);
        }
        ConeAnswer { ending, x, y, steps }
    }
}

//! The trait of solvers, and how an answer becomes a solution: run the solver, then certify its answer.

use crate::History;
use crate::exact::Attempt;
use crate::warm_start::active_blocks;
use serde::{Deserialize, Serialize};
use signorini_problem::{Certificate, Certifier, ContactProblem, Law, ProblemError, Tolerance};
use thiserror::Error;

/// When to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StoppingRule {
    /// What counts as solved, judged by the certificate.
    pub tolerance: Tolerance,
    /// Most iterations (sweeps, pivots, Newton steps: the method's own unit). `None`: the method's default.
    pub max_iterations: Option<usize>,
}

impl StoppingRule {
    /// The method's default number of iterations, and `natural ≤ value·max(1, |q|∞)` m/s.
    pub fn velocity(value: f64) -> Self {
        StoppingRule { tolerance: Tolerance::velocity(value), max_iterations: None }
    }
    /// The residual [m/s] at which a solver may stop by its own account: a tenth of what the judge allows, so that a
    /// different order of summation cannot change the verdict.
    pub fn target_speed(&self, problem: &ContactProblem) -> f64 {
        use signorini_problem::Measure;
        let speed = problem.speed();
        match self.tolerance.measure {
            Measure::Velocity => 0.1 * self.tolerance.value * speed.max(1.0),
            Measure::Relative => 0.1 * self.tolerance.value * speed,
        }
    }
}

/// An acceptable residual, for callers that want the tolerance only if it is cheap to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accept {
    /// An answer may be used if its residual, in the measure of the tolerance, is at most this.
    pub residual: f64,
    /// Factorizations that may then still be spent to reach the tolerance.
    pub further_factorizations: usize,
}

/// Work done by a solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Sweeps, pivots or Newton steps.
    pub iterations: usize,
    /// Matrix factorizations requested. A request for the same matrix as before, bit for bit, is counted but not
    /// computed again.
    pub factorizations: usize,
    /// Indices that entered or left the working set.
    pub set_changes: usize,
    /// Blocks that carry an impulse.
    pub active: usize,
    /// Dimension of the impulses that do not change any velocity, among the active ones (0 when r is unique or when
    /// the method does not know).
    pub indeterminacy: usize,
    /// The attempt of `exact` that produced the answer.
    #[serde(default)]
    pub answered_by: Attempt,
}

/// Why a solver could not start. Not converging is not an error: it is a [`Status`].
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The method does not treat this law.
    #[error("block {block}: method {method} does not support {law} blocks; try a method that does, such as exact")]
    UnsupportedLaw {
        /// Block index.
        block: usize,
        /// Name of the law.
        law: &'static str,
        /// Name of the method.
        method: &'static str,
    },
    /// The method needs a symmetric positive semidefinite W.
    #[error("method {method} needs a symmetric positive semidefinite W: {why}; try lemke")]
    NotPositiveSemidefinite {
        /// Name of the method.
        method: &'static str,
        /// What was found.
        why: String,
    },
    /// The guess has the wrong length.
    #[error("the guess has {found} entries, expected {expected}")]
    GuessLength {
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// The problem is larger than the method can hold.
    #[error("method {method}: {rows} rows exceed its limit of {limit}; try exact")]
    TooLarge {
        /// Name of the method.
        method: &'static str,
        /// Rows of the problem.
        rows: usize,
        /// Its limit.
        limit: usize,
    },
    /// The problem and the impulses disagree.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// The verdict on an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The certificate meets the tolerance.
    Solved,
    /// It does not; the impulses are the best feasible ones found and the certificate says how far off they are.
    Unsolved,
}

/// A graded answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Solution {
    /// The verdict of the certificate.
    pub status: Status,
    /// Impulses r [N·s], always feasible.
    pub impulses: Vec<f64>,
    /// Errors of the impulses, as measured by the judge.
    pub certificate: Certificate,
    /// Work done.
    pub effort: Effort,
}

/// A method. It improves `impulses` in place and must leave them feasible (inside every cone and interval) whatever
/// happens; it never grades itself.
///
/// The impulses are passed in and out instead of returned so that a warm repeated solve allocates nothing.
pub trait ContactSolver {
    /// The name used everywhere.
    fn name(&self) -> &'static str;

    /// Iterates from the guess in `impulses` until the method's own residual meets the tolerance, or it gives up.
    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError>;
}

/// Runs a solver from a guess (zero if none), then certifies.
pub fn solve(
    problem: &ContactProblem,
    solver: &mut dyn ContactSolver,
    guess: Option<&[f64]>,
    stop: &StoppingRule,
) -> Result<Solution, SolveError> {
    let mut session = SolverSession::default();
    session.solve(problem, solver, guess, stop, &mut History::off())?;
    session.into_solution().ok_or(SolveError::GuessLength { found: 0, expected: problem.rows() })
}

/// Guesses with larger impulses are ignored \[N·s\].
const LARGEST_GUESS: f64 = 1e15;

/// Buffers kept between solves: after the first solve of a size, a further one allocates nothing here.
#[derive(Debug, Default)]
pub struct SolverSession {
    certifier: Certifier,
    solution: Option<Solution>,
}

impl SolverSession {
    /// As [`solve`], keeping the buffers. The returned solution lives until the next call.
    pub fn solve(
        &mut self,
        problem: &ContactProblem,
        solver: &mut dyn ContactSolver,
        guess: Option<&[f64]>,
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<&Solution, SolveError> {
        let impulses = self.start(problem, guess)?;
        // A guess that is certified, as in a scene at rest, needs no solver and is graded once.
        if impulses.iter().any(|x| *x != 0.0) {
            let certificate = self.certifier.certify(problem, &impulses)?;
            let feasible = certificate.pull == 0.0 && certificate.outside_cone == 0.0;
            if feasible && certificate.meets(&stop.tolerance) {
                history.record(0, certificate.natural);
                let effort = Effort { active: active_blocks(problem, &impulses), ..Effort::default() };
                return Ok(self.solution.insert(Solution { status: Status::Solved, impulses, certificate, effort }));
            }
        }
        self.run(problem, solver, impulses, stop, history)
    }

    /// As [`SolverSession::solve`], but runs the solver even if the guess is certified. For simulations, whose guess
    /// may meet the tolerance without being [settled](crate::is_settled).
    pub fn improve(
        &mut self,
        problem: &ContactProblem,
        solver: &mut dyn ContactSolver,
        guess: &[f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<&Solution, SolveError> {
        let impulses = self.start(problem, Some(guess))?;
        self.run(problem, solver, impulses, stop, history)
    }

    /// The guess if it is usable, else zeros, in the memory of the last solution.
    fn start(&mut self, problem: &ContactProblem, guess: Option<&[f64]>) -> Result<Vec<f64>, SolveError> {
        let mut impulses = self.solution.take().map(|s| s.impulses).unwrap_or_default();
        impulses.clear();
        impulses.resize(problem.rows(), 0.0);
        if let Some(guess) = guess {
            if guess.len() != problem.rows() {
                return Err(SolveError::GuessLength { found: guess.len(), expected: problem.rows() });
            }
            // A guess with a NaN, or with impulses whose round-off exceeds all velocities, is ignored.
            if guess.iter().all(|x| x.abs() <= LARGEST_GUESS) {
                impulses.copy_from_slice(guess);
            }
        }
        Ok(impulses)
    }

    fn run(
        &mut self,
        problem: &ContactProblem,
        solver: &mut dyn ContactSolver,
        mut impulses: Vec<f64>,
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<&Solution, SolveError> {
        let effort = solver.iterate(problem, &mut impulses, stop, history)?;
        let certificate = self.certifier.certify(problem, &impulses)?;
        let status = if certificate.meets(&stop.tolerance) { Status::Solved } else { Status::Unsolved };
        Ok(self.solution.insert(Solution { status, impulses, certificate, effort }))
    }

    /// The last solution.
    pub fn into_solution(self) -> Option<Solution> {
        self.solution
    }
}

/// Refuses contacts with torsional or rolling friction.
pub(crate) fn refuse_rolling(problem: &ContactProblem, method: &'static str) -> Result<(), SolveError> {
    supports_only(problem, method, |law| !matches!(law, Law::Rolling { .. }))
}

/// Refuses the first block whose law is not among those the method supports.
pub fn supports_only(
    problem: &ContactProblem,
    method: &'static str,
    supported: impl Fn(&Law) -> bool,
) -> Result<(), SolveError> {
    match problem.blocks().iter().position(|b| !supported(&b.law)) {
        None => Ok(()),
        Some(block) => Err(SolveError::UnsupportedLaw { block, law: problem.blocks()[block].law.name(), method }),
    }
}

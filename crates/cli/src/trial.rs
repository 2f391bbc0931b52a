//! Runs, times and grades one method on one problem.

use signorini_problem::ContactProblem;
use signorini_solvers::{History, HistoryPoint, Method, Solution, SolveError, SolverSession, Status, StoppingRule};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Runs are repeated while they sum to less than this \[s\].
const TIMING_BUDGET: f64 = 0.2;
/// Most runs of one trial; odd, so that the median is a run.
const MOST_RUNS: usize = 21;

/// The result of a trial.
pub struct Trial {
    /// Name of the problem.
    pub problem: String,
    /// Number of blocks.
    pub blocks: usize,
    /// Number of scalar unknowns.
    pub rows: usize,
    /// The method.
    pub method: Method,
    /// The answer, or the reason why there is none.
    pub outcome: Outcome,
}

/// The answer of a method, or the reason why there is none.
pub enum Outcome {
    /// An answer, graded.
    Graded(Box<Graded>),
    /// The method does not treat this problem, with the reason.
    Refused(String),
    /// The method panicked, which is a defect. The answers of the others are still shown.
    Crashed(String),
}

/// A graded answer and its cost.
pub struct Graded {
    /// Impulses, certificate, effort.
    pub solution: Solution,
    /// Median time of a run \[s\].
    pub seconds: f64,
    /// Residual against time of one more run; empty if not recorded.
    pub history: Vec<HistoryPoint>,
}

impl Outcome {
    /// `solved`, `unsolved`, `refused` or `crashed`.
    pub fn status(&self) -> &'static str {
        match self {
            Outcome::Graded(graded) => match graded.solution.status {
                Status::Solved => "solved",
                Status::Unsolved => "unsolved",
            },
            Outcome::Refused(_) => "refused",
            Outcome::Crashed(_) => "crashed",
        }
    }

    /// Whether the certificate meets the tolerance.
    pub fn is_solved(&self) -> bool {
        matches!(self, Outcome::Graded(graded) if graded.solution.status == Status::Solved)
    }
}

/// Whether to run once more with a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recording {
    /// Measure time only.
    Off,
    /// Also record residual against time.
    On,
}

/// Runs `method` from zero impulses.
pub fn run(problem: &ContactProblem, method: Method, stop: &StoppingRule, recording: Recording) -> Outcome {
    // The solver and the session are dropped after a panic; nothing is reused.
    match catch_unwind(AssertUnwindSafe(|| attempt(problem, method, stop, recording))) {
        Ok(Ok(graded)) => Outcome::Graded(Box::new(graded)),
        Ok(Err(why)) => Outcome::Refused(why.to_string()),
        Err(payload) => Outcome::Crashed(panic_message(payload.as_ref())),
    }
}

fn attempt(
    problem: &ContactProblem,
    method: Method,
    stop: &StoppingRule,
    recording: Recording,
) -> Result<Graded, SolveError> {
    let mut solver = method.solver();
    let mut session = SolverSession::default();
    let mut runs = Vec::with_capacity(MOST_RUNS);
    let mut spent = 0.0;
    while runs.len() < MOST_RUNS && spent < TIMING_BUDGET {
        let start = Instant::now();
        session.solve(problem, &mut *solver, None, stop, &mut History::off())?;
        let seconds = start.elapsed().as_secs_f64();
        runs.push(seconds);
        spent += seconds;
    }
    let mut history = match recording {
        Recording::On => History::on(),
        Recording::Off => History::off(),
    };
    let solution = match recording {
        Recording::On => session.solve(problem, &mut *solver, None, stop, &mut history)?.clone(),
        Recording::Off => {
            session.into_solution().ok_or(SolveError::GuessLength { found: 0, expected: problem.rows() })?
        }
    };
    Ok(Graded { solution, seconds: median(&mut runs), history: history.points().to_vec() })
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values {
        [] => 0.0,
        _ if values.len() % 2 == 1 => values[half],
        _ => 0.5 * (values[half - 1] + values[half]),
    }
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "no message".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn median_is_the_middle_run() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&mut [7.0]), 7.0);
        assert_eq!(median(&mut []), 0.0);
    }
}

//! Exact frictionless contact by block principal pivoting: guess which contacts are closed, solve for them, and let
//! *every* contact that turned out wrong change sides at once.
//!
//! ```text
//! u = Wr + q;   F closed: u_F = 0, r_F = −W_FF⁻¹ q_F;   wrong = {i ∈ F : r_i < 0} ∪ {i ∉ F : u_i < 0};   F ← F △ wrong
//! ```
//!
//! The number of rounds hardly depends on size (1 to 8 for piles of hundreds of contacts, more at extreme mass ratios)
//! where one change at a time needs about as many as contacts. Rounds alone may cycle, so when the number of wrong
//! contacts has not fallen for three rounds the first wrong contact alone changes (Murty), which is finite for
//! positive definite W. For singular W it may not be, and the step-to-first-bound exchanges of the active set finish
//! instead. Kostreva 1978; Júdice and Pires 1994; Murty 1974.
//!
//! Departures: W is not regularised (dependent contacts stay out of the factor, see `linalg/bounded_qp.rs`); intervals
//! and joints are treated as bounds; patience is 3 rounds, not 10, because the fallback keeps its factor.
//!
//! Cost: k³/6 per round that changes much, k² per change otherwise. Where impulses are not unique the answer is *a*
//! solution (the shortest if all contacts of the start are loaded, otherwise dependent on the order of contacts);
//! `active-set` always picks the shortest.

use crate::linalg::bounded_qp::{BoundedQp, Exit, Indefinite};
use crate::linalg::scaled_program::{ScaledProgram, Shortener, count_active, refusal};
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use signorini_problem::ContactProblem;

const NAME: &str = "block-pivoting";

/// Options of [`BlockPivoting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPivotingOptions {
    /// Least-index steps, per row, before the step-to-first-bound method takes over: Murty's rule is finite but may be
    /// exponentially long.
    pub least_index_steps: usize,
    /// Most rows: memory is 12 bytes times their square.
    pub max_rows: usize,
}

impl Default for BlockPivotingOptions {
    fn default() -> Self {
        BlockPivotingOptions { least_index_steps: 4, max_rows: 8192 }
    }
}

/// Block principal pivoting. Iterations are linear systems solved.
#[derive(Clone, Debug, Default)]
pub struct BlockPivoting {
    /// Options.
    pub options: BlockPivotingOptions,
    scaled: ScaledProgram,
    state: BoundedQp,
    shortener: Shortener,
    inside: Vec<usize>,
}

impl BlockPivoting {
    /// With these options.
    pub fn new(options: BlockPivotingOptions) -> Self {
        BlockPivoting { options, ..BlockPivoting::default() }
    }

    fn search(&mut self, impulses: &[f64], cap: usize, history: &mut History) -> Result<Exit, Indefinite> {
        let program = self.scaled.program();
        let state = &mut self.state;
        state.begin(&program);
        self.shortener.begin();
        if !self.scaled.read_guess(impulses, state, &mut self.inside) {
            self.inside.extend(0..program.len());
        }
        state.factor_basis(&program, self.inside.iter().copied())?;
        let singular = !state.dependent.is_empty();
        if singular && cap > 0 && self.shortener.all_loaded(&self.scaled, state)? {
            return Ok(Exit::Optimal);
        }
        let mut exit = state.block_pivot(&program, cap)?;
        if history.is_on() {
            history.record(state.work.iterations, self.scaled.natural(state));
        }
        if exit == Exit::Stuck && !singular {
            let steps = self.options.least_index_steps * program.len();
            exit = state.least_index(&program, cap.min(state.work.iterations + steps))?;
        }
        if exit != Exit::Optimal {
            exit = state.exchange(&program, cap)?;
        }
        Ok(exit)
    }
}

impl ContactSolver for BlockPivoting {
    fn name(&self) -> &'static str {
        NAME
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        self.scaled.load(problem, NAME, self.options.max_rows)?;
        let cap = stop.max_iterations.unwrap_or(100 * problem.rows() + 1000);
        let exit = self.search(impulses, cap, history).map_err(|found| refusal(NAME, found))?;
        self.state.project(&self.scaled.program());
        self.state.evaluate(&self.scaled.program());
        if exit == Exit::Optimal && self.scaled.natural(&self.state) > stop.target_speed(problem) {
            // The basis is too ill-conditioned for its solution to be good enough; a better one has the same velocities.
            self.shortener.shorten(&self.scaled, &mut self.state).map_err(|found| refusal(NAME, found))?;
        }
        if history.is_on() {
            self.state.evaluate(&self.scaled.program());
            history.record(self.state.work.iterations, self.scaled.natural(&self.state));
        }
        self.scaled.write_impulses(problem, &self.state, impulses);
        let work = self.state.work;
        Ok(Effort {
            iterations: work.iterations,
            factorizations: work.factorizations,
            set_changes: work.changes,
            active: count_active(problem, impulses),
            ..Effort::default()
        })
    }
}

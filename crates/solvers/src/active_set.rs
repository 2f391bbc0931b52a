//! Active-set method for frictionless contact: finds the exact solution of
//!
//! ```text
//! min ½ rᵀWr + qᵀr,  lo ≤ r ≤ hi      (NonNegative: 0 ≤ r;  Equality: r free;  Interval: as given)
//! ⇔  u = Wr + q;  u = 0 strictly inside,  u ≥ 0 at lo,  u ≤ 0 at hi
//! ```
//!
//! Method: start with every contact closed (or those of the guess), solve for the closed ones by Cholesky, open what
//! pulls, close what penetrates, repeat; the factor is updated, not recomputed. First all wrong contacts change at
//! once; when that stops helping, one at a time from a feasible point with a step to the first bound, which cannot
//! cycle. W may be singular: dependent contacts never enter the factor beside those they depend on.
//!
//! **Among equals.** Where W is singular (a table with four legs, stacked boxes) impulses are not unique although the
//! velocities are. The answer is the one of least Σ W_ii r_i² [J]: unique, symmetric where the problem is,
//! independent of the order of contacts and of units. [`AmongEquals::First`] skips this.
//!
//! Sources: Lawson and Hanson 1974 (step to the first bound), Júdice and Pires 1994 (many at once), Bland 1977 (least
//! index against cycling). Departures: Schur complements decide dependence instead of a regularisation of W;
//! tolerances are relative to W_ii and |q|∞.
//!
//! Cost: assembly n·neighbours, one Cholesky k³/6 of the k closed contacts, k² per change after that, k³/3 more where
//! contacts are redundant; memory 8n² + 4k² bytes. Use it for frictionless islands up to a few hundred
//! contacts, and as the normal solve inside others. A warm start with the right set costs one factorization.

//!
//! [`BlockPivoting`] is the same with another rule of exchange, which needs about as many rounds whatever the size (1 to 8 for piles
//! of hundreds of contacts, more at extreme mass ratios): all wrong contacts change at once; when their number has not fallen for
//! three rounds the first wrong one alone changes (Murty 1974), which is finite for positive definite W; for singular W the step to
//! the first bound finishes. Where impulses are not unique its answer is *a* solution: the shortest if all contacts of the start
//! are loaded, otherwise dependent on the order of contacts.

use crate::linalg::bounded_qp::{BoundedQp, Exit, Indefinite};
use crate::linalg::scaled_program::{ScaledProgram, Shortener, count_active, refusal};
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use signorini_problem::ContactProblem;

/// Most rows: memory is 12 bytes times their square.
const MAX_ROWS: usize = 8192;
/// Least-index steps, per row, before the step to the first bound takes over: Murty's rule is finite but may be exponentially long.
const LEAST_INDEX_STEPS: usize = 4;

/// Which answer to return where several impulses give the same velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AmongEquals {
    /// Least Σ W_ii r_i²: symmetric and independent of the order of contacts.
    #[default]
    MinimumNorm,
    /// The first one found: cheaper, but dependent on the order of contacts.
    First,
}

/// Options of [`ActiveSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveSetOptions {
    /// Which of several equal answers.
    pub among_equals: AmongEquals,
    /// Rounds in which many contacts change at once, before they change one at a time.
    pub block_rounds: usize,
}

impl Default for ActiveSetOptions {
    fn default() -> Self {
        ActiveSetOptions { among_equals: AmongEquals::MinimumNorm, block_rounds: 30 }
    }
}

/// The active-set method. Iterations are linear systems solved.
#[derive(Clone, Debug, Default)]
pub struct ActiveSet {
    /// Options.
    pub options: ActiveSetOptions,
    pivots: Pivots,
}

impl ActiveSet {
    /// With these options.
    pub fn new(options: ActiveSetOptions) -> Self {
        ActiveSet { options, ..ActiveSet::default() }
    }
}

/// Block principal pivoting. Iterations are linear systems solved.
#[derive(Clone, Debug, Default)]
pub struct BlockPivoting {
    pivots: Pivots,
}

/// How contacts change sides.
#[derive(Clone, Copy, Debug)]
enum Rule {
    ActiveSet(ActiveSetOptions),
    BlockPivoting,
}

/// What both methods keep.
#[derive(Clone, Debug, Default)]
struct Pivots {
    scaled: ScaledProgram,
    state: BoundedQp,
    shortener: Shortener,
    inside: Vec<usize>,
}

impl Pivots {
    /// From the start set to the answer, or to the cap.
    fn search(&mut self, rule: Rule, impulses: &[f64], cap: usize, history: &mut History) -> Result<Exit, Indefinite> {
        let program = self.scaled.program();
        let state = &mut self.state;
        state.begin(&program);
        self.shortener.begin();
        if !self.scaled.read_guess(impulses, state, &mut self.inside) {
            if matches!(rule, Rule::ActiveSet(_)) {
                state.evaluate(&program);
                if (0..program.len()).all(|i| !state.is_wrong(&program, i, 0.0)) {
                    return Ok(Exit::Optimal);
                }
            }
            self.inside.extend(0..program.len());
        }
        state.factor_basis(&program, self.inside.iter().copied())?;
        let singular = !state.dependent.is_empty();
        let (rounds, shorten) = match rule {
            Rule::ActiveSet(options) => (options.block_rounds, options.among_equals == AmongEquals::MinimumNorm),
            Rule::BlockPivoting => (usize::MAX, true),
        };
        if shorten && singular && cap > 0 && self.shortener.all_loaded(&self.scaled, state)? {
            return Ok(Exit::Optimal);
        }
        let mut exit = state.block_pivot(&program, cap.min(rounds))?;
        if history.is_on() {
            history.record(state.work.iterations, self.scaled.natural(state));
        }
        if exit == Exit::Stuck && !singular && matches!(rule, Rule::BlockPivoting) {
            let steps = LEAST_INDEX_STEPS * program.len();
            exit = state.least_index(&program, cap.min(state.work.iterations + steps))?;
        }
        if exit != Exit::Optimal {
            exit = state.exchange(&program, cap)?;
        }
        Ok(exit)
    }

    fn iterate(
        &mut self,
        (method, rule): (&'static str, Rule),
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        self.scaled.load(problem, method, MAX_ROWS)?;
        // The exchanges are finite; the cap only guards against round-off that no proof covers.
        let cap = stop.max_iterations.unwrap_or(100 * problem.rows() + 1000);
        let exit = self.search(rule, impulses, cap, history).map_err(|found| refusal(method, found))?;
        self.state.project(&self.scaled.program());
        let shorten = match rule {
            Rule::ActiveSet(options) => options.among_equals == AmongEquals::MinimumNorm,
            Rule::BlockPivoting => {
                // A basis may be too ill-conditioned for its solution to be good enough; a shorter one has the same velocities.
                self.state.evaluate(&self.scaled.program());
                self.scaled.natural(&self.state) > stop.target_speed(problem)
            }
        };
        let mut indeterminacy = 0;
        if exit == Exit::Optimal && shorten {
            let shortened = self.shortener.shorten(&self.scaled, &mut self.state);
            let dimension = shortened.map_err(|found| refusal(method, found))?;
            // Block pivoting does not always look.
            indeterminacy = if matches!(rule, Rule::ActiveSet(_)) { dimension } else { 0 };
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
            indeterminacy,
            ..Effort::default()
        })
    }
}

impl ContactSolver for ActiveSet {
    fn name(&self) -> &'static str {
        "active-set"
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        self.pivots.iterate((self.name(), Rule::ActiveSet(self.options)), problem, impulses, stop, history)
    }
}

impl ContactSolver for BlockPivoting {
    fn name(&self) -> &'static str {
        "block-pivoting"
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        self.pivots.iterate((self.name(), Rule::BlockPivoting), problem, impulses, stop, history)
    }
}

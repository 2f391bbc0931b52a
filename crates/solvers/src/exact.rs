//! Certify and escalate: the cheapest method that proves its answer.
//!
//! All laws together. Each tier stops as soon as the judge is satisfied:
//!
//! | tier | what | when |
//! |---|---|---|
//! | 0 | the guess; in simulations, a Newton step from one that is nearly certified | always: a resting scene ends here |
//! | 1 | one contact in closed form; pivoting, of up to 16 rows without any factorization | one block; no friction |
//! | 1 | sweeps, then dense Newton | at most 16 blocks and 48 rows |
//! | 2 | exact Gauss–Seidel; accelerated among redundant contacts, not at all where pairs of bodies share three or more | while it promises to be cheaper than the next tier |
//! | 3 | Newton | contacts that are not redundant |
//! | 4 | interior point: warm, uniform, scaled, around the folds of its path | redundant contacts, and what is left |
//! | 5 | Gauss–Seidel and Newton in turn, contradicting contacts released, pyramids that gain corners, folds next to the end, convex laws in de Saxcé's loop, smoothed Newton, accelerated sweeps from nothing, uneven paths, slow paths, long Gauss–Seidel | stalls |
//!
//! If none is certified the best iterate is returned; the certificate says how far off it is. Decisions use counts
//! (contacts, predicted multiplications, measured rates), never time, so that the answer does not depend on the machine.
//!
//! [`Selection::Canonical`] skips the tiers whose answer depends on the order of contacts where there is friction, and ends
//! at the limit of the central path instead of the first point of it that suffices.

#[cfg(feature = "socp")]
mod convex_laws;
mod few_blocks;
mod frictionless;
mod growing_pyramids;
mod options;
mod principal_pivots;
mod pyramid_program;
mod redundancy;
mod release;
mod set_newton;
mod sweeping;

use crate::interior_point::{Ending, PathOptions, Start, Weights};
use crate::merit::Merit;
use crate::newton::{NewtonOptions, NewtonStep};
use crate::one_contact::{self, OneContact};
use crate::small::SmallNewton;
use crate::sweep::{AcceleratedSweeps, Sweeper};
use crate::warm_start::{active_blocks, make_feasible};
use crate::{
    BlockPivoting, ContactSolver, Effort, FischerBurmeister, History, InteriorPoint, Lemke, SolveError, StoppingRule,
};
#[cfg(feature = "socp")]
use convex_laws::ConvexLaws;
use few_blocks::few;
use growing_pyramids::GrowingPyramids;
pub use options::{ExactOptions, Folds, Guesses, Persistence, Selection};
use principal_pivots::PrincipalPivots;
use redundancy::{Redundancy, redundancy};
use signorini_problem::{Certificate, Certifier, ContactProblem, Delassus, Tolerance};
use sweeping::SweepBudget;

/// Up to so many blocks a few Newton steps are cheaper than many sweeps, redundant or not.
const SMALL: usize = 16;
/// Up to so many blocks everything is tried also in a simulation: it takes a second or two at worst.
const MOST_PERSISTED: usize = 128;
/// Multiplications of a factorization up to which slow paths and uneven ones are tried.
const CHEAP_FACTORIZATION: f64 = 5e7;
/// Most rows handed to the smoothed Newton method, whose matrices are dense.
const MOST_SMOOTHED_ROWS: usize = 600;
/// An iterate is close to the end within so many tolerances, or within this residual, whatever the tolerance.
const CLOSE: f64 = 1e4;
const CLOSE_ANYWAY: f64 = 1e-5;
/// Most sweeps of a polish.
const POLISHING_SWEEPS: usize = 100;
/// Rounds of the last sweeps over many blocks that leave more than this share of the residual are the end of them.
const CREEPING: f64 = 0.9;
/// Newton steps are tried so often during the last sweeps.
const LAST_ROUNDS: usize = 10;
/// Multiplications per contact of one interior-point iteration apart from the factorization.
const FLOPS_PER_CONTACT: f64 = 10_000.0;
/// Multiplications that one iteration costs whatever its size.
const FLOPS_PER_ITERATION: f64 = 10_000.0;
/// Contacts of a pair of bodies, on average, that make a manifold.
const MANIFOLD: f64 = 3.0;
/// Most paths with uneven targets.
const UNEVEN_PATHS: u8 = 4;
/// Interior-point iterations to expect.
const EXPECTED_ITERATIONS: f64 = 10.0;

/// A guess off by up to so many tolerances comes from a scene at rest.
const NEARLY_AT_REST: f64 = 100.0;
/// Share of the tolerance below which an answer is not refined for the steps to come.
const REFINED: f64 = 1e-4;
/// Share of the tolerance up to which a guess is taken as it is.
const SETTLED: f64 = 0.03;

/// The solver and its buffers.
#[derive(Clone, Debug, Default)]
pub struct Exact {
    /// Choices.
    pub options: ExactOptions,
    certifier: Certifier,
    sweeper: Sweeper<OneContact>,
    accelerated: AcceleratedSweeps<OneContact>,
    small: SmallNewton,
    interior: InteriorPoint,
    newton: NewtonStep,
    principal: PrincipalPivots,
    pivoting: BlockPivoting,
    lemke: Lemke,
    candidate: Vec<f64>,
    last: Option<Box<LastMethods>>,
}

/// Methods of the last tier that bring their own matrices: made when first needed, since few problems ever get there.
#[derive(Clone, Debug, Default)]
struct LastMethods {
    smoothed: FischerBurmeister,
    growing: GrowingPyramids,
    #[cfg(feature = "socp")]
    convex: ConvexLaws,
}

/// The best iterate so far and what it took.
struct Search<'a> {
    problem: &'a ContactProblem,
    /// What is asked for, within the iterations that are left.
    stop: StoppingRule,
    best: f64,
    /// Of the best, once the judge was asked.
    certificate: Option<Certificate>,
    effort: Effort,
    prepared: bool,
    /// Whether a path ended in a thicket of folds.
    tangled: bool,
    /// The iterate from which contacts were last released, by how good it was.
    released_from: f64,
    /// Factorizations of methods that keep their own matrices.
    other_factorizations: usize,
}

impl Search<'_> {
    fn spend(&mut self, iterations: usize) {
        self.effort.iterations += iterations;
        self.stop.max_iterations = self.stop.max_iterations.map(|most| most.saturating_sub(iterations));
    }

    /// Whether what is left is a matter of digits, not of finding out which contacts carry.
    fn is_close(&self) -> bool {
        self.best <= f64::max(CLOSE * self.stop.tolerance.value, CLOSE_ANYWAY)
    }

    /// Iterations that are left, if they are counted.
    fn left(&self) -> usize {
        self.stop.max_iterations.unwrap_or(usize::MAX)
    }
}

/// What the judge says of the guess.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Certified, and good for many steps.
    Settled,
    /// Certified.
    Certified,
    /// Neither.
    Open,
}

/// Whether a certified guess is so good that it need not be refined for the steps to come: its error is a small share of
/// the tolerance, or round-off.
pub fn is_settled(certificate: &Certificate, tolerance: &Tolerance) -> bool {
    certificate.meets(&Tolerance { value: SETTLED * tolerance.value, ..*tolerance })
}

impl Exact {
    /// A solver with these choices.
    pub fn with_options(options: ExactOptions) -> Self {
        Exact { options, ..Exact::default() }
    }

    /// Grades `candidate`; keeps it if it is the best, true if it is certified.
    fn consider(&mut self, search: &mut Search, impulses: &mut [f64]) -> bool {
        let Some(certificate) = self.grade(search.problem) else { return false };
        let measured = certificate.measured(search.stop.tolerance.measure);
        if measured < search.best {
            search.best = measured;
            search.certificate = Some(certificate);
            impulses.copy_from_slice(&self.candidate);
        }
        certificate.meets(&search.stop.tolerance)
    }

    fn grade(&mut self, problem: &ContactProblem) -> Option<Certificate> {
        make_feasible(problem, &mut self.candidate);
        self.certifier.certify(problem, &self.candidate).ok()
    }

    /// Tier 0: the guess, or nothing at all, whichever is nearer.
    fn guess(&mut self, search: &mut Search, impulses: &mut [f64]) -> Verdict {
        self.candidate.clear();
        self.candidate.extend_from_slice(impulses);
        let guessed = impulses.iter().any(|x| *x != 0.0);
        if guessed && self.consider(search, impulses) {
            let tolerance = search.stop.tolerance;
            let settled = search.certificate.is_some_and(|certificate| is_settled(&certificate, &tolerance));
            return if settled { Verdict::Settled } else { Verdict::Certified };
        }
        if self.none_at_all(search, impulses) { Verdict::Settled } else { Verdict::Open }
    }

    /// No impulse but what the laws demand.
    fn none_at_all(&mut self, search: &mut Search, impulses: &mut [f64]) -> bool {
        // Without any impulse u = q: the own residual is free, and the judge is asked only if it may be satisfied.
        self.candidate.fill(0.0);
        make_feasible(search.problem, &mut self.candidate);
        if self.candidate.iter().any(|x| *x != 0.0) {
            return self.consider(search, impulses);
        }
        let merit = Merit::of(search.problem, &self.candidate, search.problem.q());
        let measured = merit.measured(search.problem, search.stop.tolerance.measure);
        if measured < search.best {
            search.best = measured;
            impulses.fill(0.0);
        }
        measured <= search.stop.tolerance.value && self.consider(search, impulses)
    }

    /// Part of tier 5: smoothed Newton from no impulse at all, on problems small enough for its dense matrices. Folds of
    /// its path are not those of the central path.
    fn smoothed(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        if search.problem.rows() > MOST_SMOOTHED_ROWS {
            return false;
        }
        self.candidate.fill(0.0);
        let methods = self.last.get_or_insert_default();
        let outcome = methods.smoothed.iterate(search.problem, &mut self.candidate, &search.stop, history);
        let Ok(effort) = outcome else { return false };
        search.spend(effort.iterations);
        search.other_factorizations += effort.factorizations;
        self.consider(search, impulses) || self.polish(search, impulses, history)
    }

    fn prepare_systems(&mut self, search: &mut Search) {
        if !search.prepared {
            self.interior.prepare(search.problem);
            search.prepared = true;
        }
    }

    fn newton(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        options: &NewtonOptions,
        history: &mut History,
    ) -> bool {
        self.candidate.copy_from_slice(impulses);
        self.newton_from_candidate(search, impulses, options, history)
    }

    fn newton_from_candidate(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        options: &NewtonOptions,
        history: &mut History,
    ) -> bool {
        if search.left() == 0 {
            return false;
        }
        self.prepare_systems(search);
        let end = self.newton.run(
            self.interior.system(),
            search.problem,
            &mut self.candidate,
            options,
            &search.stop,
            history,
        );
        search.spend(end.iterations);
        self.consider(search, impulses)
    }

    fn path(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        start: Start,
        options: PathOptions,
        history: &mut History,
    ) -> bool {
        if search.left() == 0 {
            return false;
        }
        self.prepare_systems(search);
        self.candidate.copy_from_slice(impulses);
        self.interior.options = options;
        let end = self.interior.follow(search.problem, &mut self.candidate, start, &search.stop, history);
        search.tangled |= end.tangled;
        search.spend(end.iterations);
        self.consider(search, impulses)
    }

    fn escalate(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) {
        let verdict = self.guess(search, impulses);
        let take = self.options.guesses == Guesses::Take;
        if verdict == Verdict::Settled || verdict == Verdict::Certified && take {
            return;
        }
        let at_rest = search.best <= NEARLY_AT_REST * search.stop.tolerance.value;
        if !take && at_rest && self.options.selection == Selection::Any && self.refine(search, impulses, history) {
            return;
        }
        let warm = impulses.iter().any(|x| *x != 0.0);
        if verdict == Verdict::Open && !self.climb(search, impulses, history) && warm && !self.is_bounded(search) {
            self.forget_the_guess(search, impulses, history);
        }
    }

    /// Once more from nothing: a guess may be closer than every path comes, and lead nowhere.
    fn forget_the_guess(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) {
        if search.left() == 0 {
            return;
        }
        let (kept, best, certificate) = (impulses.to_vec(), search.best, search.certificate);
        impulses.fill(0.0);
        make_feasible(search.problem, impulses);
        // As if nothing had been tried: how good the start is, and what was seen on the way, decides about tiers.
        (search.best, search.certificate, search.released_from) = (f64::INFINITY, None, f64::INFINITY);
        search.tangled = false;
        if !self.none_at_all(search, impulses) && !self.climb(search, impulses, history) && search.best > best {
            (search.best, search.certificate) = (best, certificate);
            impulses.copy_from_slice(&kept);
        }
    }

    /// Up to three Newton steps from the guess, to a small share of the tolerance; whether they end certified. A scene at
    /// rest takes its impulses into the next step as they are.
    fn refine(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        self.prepare_systems(search);
        self.candidate.copy_from_slice(impulses);
        let least = NewtonOptions::default().least_proximal;
        let options = NewtonOptions { max_iterations: 3, proximal: least, refinements: 2, ..NewtonOptions::default() };
        let tolerance = search.stop.tolerance;
        let stop =
            StoppingRule { tolerance: Tolerance { value: REFINED * tolerance.value, ..tolerance }, ..search.stop };
        let system = self.interior.system();
        let end = self.newton.run(system, search.problem, &mut self.candidate, &options, &stop, history);
        search.spend(end.iterations);
        self.consider(search, impulses)
    }

    /// Tiers 1 to 5; whether one of them was certified.
    fn climb(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        let problem = search.problem;
        let warm = impulses.iter().any(|x| *x != 0.0);
        if problem.blocks().len() == 1 {
            self.candidate.copy_from_slice(impulses);
            if one_contact::solve_problem(problem, &mut self.candidate).is_some() {
                search.spend(1);
                if self.consider(search, impulses) {
                    return true;
                }
            }
        }
        if self.pivot(search, impulses, history) {
            return true;
        }
        let redundancy = redundancy(problem);
        // Counting rows does not tell: contacts that are not redundant may have several answers too.
        let canonical = self.options.selection == Selection::Canonical;
        if !canonical && few(problem) {
            if self.few_blocks(search, impulses, history) {
                return true;
            }
        } else if !canonical {
            // A warm redundant scene needs few interior-point steps, and sweeps spoil the guess.
            let arrived = match redundancy {
                Redundancy::Yes if warm || self.in_manifolds(search) => false,
                Redundancy::Yes => self.accelerated_sweeps(search, impulses, history),
                _ => self.sweeps(search, impulses, SweepBudget::WhileItPays, self.options.max_sweeps, history),
            };
            if arrived {
                return true;
            }
            // Newton leaps or, among contacts that may be redundant, not at all.
            let patience = if redundancy == Redundancy::Unknown { 2 } else { 4 };
            let options = NewtonOptions { max_iterations: 12, patience, ..NewtonOptions::default() };
            if problem.blocks().len() <= SMALL {
                // From no impulse at all: sweeps end on the surface of the cones, where redundant partitions flip.
                self.candidate.fill(0.0);
                make_feasible(problem, &mut self.candidate);
                if self.newton_from_candidate(search, impulses, &options, history) {
                    return true;
                }
            } else if redundancy != Redundancy::Yes && self.newton(search, impulses, &options, history) {
                return true;
            }
        }
        self.paths(search, impulses, warm, history) || self.last_resorts(search, impulses, history)
    }

    /// Whether contacts are redundant already within pairs of bodies, where sweeps crawl.
    fn in_manifolds(&mut self, search: &mut Search) -> bool {
        self.prepare_systems(search);
        let pairs = self.interior.system().pairs();
        search.problem.blocks().len() as f64 >= MANIFOLD * pairs as f64
    }

    /// Multiplications that sweeps may still cost: what the interior point would.
    fn budget(&mut self, search: &mut Search, budget: SweepBudget) -> f64 {
        if budget == SweepBudget::ToTheCap {
            return f64::INFINITY;
        }
        EXPECTED_ITERATIONS * self.cost_of_iteration(search)
    }

    /// Multiplications of one interior-point iteration.
    fn cost_of_iteration(&mut self, search: &mut Search) -> f64 {
        self.prepare_systems(search);
        let contacts = search.problem.blocks().len() as f64;
        self.interior.system().flops() + FLOPS_PER_CONTACT * contacts + FLOPS_PER_ITERATION
    }

    /// Tier 4.
    fn paths(&mut self, search: &mut Search, impulses: &mut [f64], warm: bool, history: &mut History) -> bool {
        let max_turns = match self.options.folds {
            Folds::WalkAround => PathOptions::default().max_turns,
            Folds::Leave => 0,
        };
        // The one answer does not depend on a guess: all that is asked of it is whether it goes on sticking. Where the limit
        // of no path is an answer, its last points may be.
        let (warm_steps, endings) = match self.options.selection {
            Selection::Any => (12, &[Ending::FirstSufficient][..]),
            Selection::Canonical => (0, &[Ending::Limit, Ending::FirstSufficient][..]),
        };
        let warm_options =
            PathOptions { max_iterations: warm_steps, patience: 4, max_turns: 0, ..PathOptions::default() };
        if warm && self.path(search, impulses, Start::Warm, warm_options, history) {
            return true;
        }
        // Bodies tell of heavy ones on light ones, where only the uniform start arrives; W alone mostly comes from impacts.
        let starts = match search.problem.delassus() {
            Delassus::Factored(_) => [Start::Uniform, Start::Scaled],
            Delassus::Dense(_) | Delassus::BlockSparse(_) => [Start::Automatic, Start::Uniform],
        };
        // Around folds once: another start meets most of them again.
        let bounded = self.is_bounded(search);
        let attempts = endings.iter().flat_map(|ending| starts.map(|start| (*ending, start)));
        attempts.enumerate().any(|(attempt, (ending, start))| {
            let once = bounded || search.tangled;
            let max_turns = if attempt > 0 && once { 0 } else { max_turns };
            let options = PathOptions { max_turns, ending, ..PathOptions::default() };
            self.path(search, impulses, start, options, history) || self.polish(search, impulses, history)
        })
    }

    /// Whether this problem may cost only so much.
    fn is_bounded(&self, search: &Search) -> bool {
        self.options.persistence == Persistence::Bounded && search.problem.blocks().len() > MOST_PERSISTED
    }

    /// Where a path came close: Newton steps from its inside; else sweeps, which even out what its last factorizations
    /// lost, and Newton steps again; else without contacts that contradict others.
    fn polish(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        if !search.is_close() {
            return false;
        }
        let options = NewtonOptions { max_iterations: 6, patience: 3, ..NewtonOptions::default() };
        self.newton(search, impulses, &options, history)
            || self.sweeps(search, impulses, SweepBudget::WhileItPays, POLISHING_SWEEPS, history)
            || self.newton(search, impulses, &options, history)
            || self.release(search, impulses, history)
    }

    /// Sweeps and Newton steps in turn, from the best iterate, while that pays.
    fn in_turn(&mut self, search: &mut Search, impulses: &mut [f64], rounds: usize, history: &mut History) -> bool {
        for _ in 0..rounds {
            let before = search.best;
            if self.sweeps(search, impulses, SweepBudget::ToTheCap, 200, history)
                || self.newton(search, impulses, &NewtonOptions::default(), history)
            {
                return true;
            }
            if search.best > 0.5 * before {
                break;
            }
        }
        false
    }

    /// Part of tier 5: other paths, from where symmetry folds many contacts at once.
    fn uneven_paths(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        if self.options.folds == Folds::Leave || self.interior.system().flops() > CHEAP_FACTORIZATION {
            return false;
        }
        (0..UNEVEN_PATHS).any(|round| {
            let before = search.best;
            let options = PathOptions { weights: Weights::Uneven { round }, ..PathOptions::default() };
            self.path(search, impulses, Start::Uniform, options, history)
                || search.best < before && self.in_turn(search, impulses, self.options.max_rounds, history)
                || self.polish(search, impulses, history)
        })
    }

    /// Tier 5: sweeps and Newton in turn from the best iterate; pyramids, whose paths have no folds; around folds next to the
    /// end; then methods that go by convex laws, or begin elsewhere; slow variants of the path where a factorization is cheap,
    /// and sweeps to their cap.
    fn last_resorts(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        let bounded = self.is_bounded(search);
        if self.in_turn(search, impulses, if bounded { 1 } else { self.options.max_rounds }, history) {
            return true;
        }
        if !bounded && self.growing_pyramids(search, impulses, history) {
            return true;
        }
        let stubborn = PathOptions { near: 1.0, ..PathOptions::default() };
        if self.options.folds == Folds::WalkAround
            && !search.tangled
            && (!bounded || search.is_close())
            && (self.path(search, impulses, Start::Uniform, stubborn, history)
                || self.polish(search, impulses, history))
        {
            return true;
        }
        if bounded {
            return false;
        }
        #[cfg(feature = "socp")]
        if self.convex_laws(search, impulses, history) {
            return true;
        }
        if self.smoothed(search, impulses, history)
            || self.accelerated_from_nothing(search, impulses, history)
            || self.uneven_paths(search, impulses, history)
        {
            return true;
        }
        if self.interior.system().flops() <= CHEAP_FACTORIZATION {
            let patient = PathOptions { max_turns: 0, ..PathOptions::patient() };
            if self.path(search, impulses, Start::Scaled, patient, history)
                || self.path(search, impulses, Start::Uniform, patient, history)
            {
                return true;
            }
        }
        // Where sweeps creep, a Newton step in between may see the end.
        for _ in 0..LAST_ROUNDS {
            let before = search.best;
            if self.sweeps(search, impulses, SweepBudget::ToTheCap, self.options.last_sweeps / 2 / LAST_ROUNDS, history)
                || self.polish(search, impulses, history)
            {
                return true;
            }
            if search.best > CREEPING * before && search.problem.blocks().len() > MOST_PERSISTED {
                break;
            }
        }
        false
    }
}

impl ContactSolver for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        let mut search = Search {
            problem,
            stop: *stop,
            best: f64::INFINITY,
            certificate: None,
            effort: Effort::default(),
            prepared: false,
            tangled: false,
            released_from: f64::INFINITY,
            other_factorizations: 0,
        };
        self.escalate(&mut search, impulses, history);
        search.effort.active = active_blocks(problem, impulses);
        search.effort.factorizations = search.other_factorizations;
        if search.prepared {
            search.effort.factorizations += self.interior.system().factorizations();
        }
        Ok(search.effort)
    }
}

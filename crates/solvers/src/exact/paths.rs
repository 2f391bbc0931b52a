//! Attempts that follow a central path or take Newton steps, and the polish of an iterate that is nearly certified.

use super::limits::{
    CHEAP_FACTORIZATION, FEW_BLOCKS, MANIFOLD, POLISHING_SWEEPS, ROUNDS_IN_TURN, SEVERAL_POINTS, SMALL, SWEEPS_IN_TURN,
    UNEVEN_PATHS,
};
use super::limits::{
    EXPECTED_ITERATIONS, FLOPS_PER_CONTACT, FLOPS_PER_ITERATION, MAX_SWEEPS, STRUCTURE_PATIENCE, STRUCTURE_STEPS,
};
use super::redundancy::{Redundancy, redundancy};
use super::sweeping::SweepBudget;
use super::{Attempt, Exact, Folds, Search, Selection};
use crate::History;
use crate::conic_interior_point::{ConicOptions, ConicStart};
use crate::interior_point::{Ending, PathOptions, Start, Weights};
use crate::newton::NewtonOptions;
use crate::warm_start::make_feasible;
use signorini_problem::Delassus;

impl Exact {
    pub(super) fn newton(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        options: &NewtonOptions,
        history: &mut History,
    ) -> bool {
        self.candidate.copy_from_slice(impulses);
        self.newton_from_candidate(search, impulses, options, history)
    }

    pub(super) fn newton_from_candidate(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        options: &NewtonOptions,
        history: &mut History,
    ) -> bool {
        if search.steps_left() == 0 {
            return false;
        }
        self.prepare_systems(search);
        let end = self.newton.run(
            self.interior.system(),
            search.problem,
            &mut self.candidate,
            options,
            &search.steps(),
            history,
        );
        search.spend_steps(end.iterations);
        self.consider(search, impulses)
    }

    pub(super) fn path(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        start: Start,
        options: PathOptions,
        history: &mut History,
    ) -> bool {
        if search.steps_left() == 0 {
            return false;
        }
        self.prepare_systems(search);
        self.candidate.copy_from_slice(impulses);
        if !matches!(start, Start::Warm | Start::WarmBy(_)) {
            // Zeros never beat its end, so the end is kept even if it is not the best so far: a polish may succeed from
            // there.
            self.candidate.fill(0.0);
            make_feasible(search.problem, &mut self.candidate);
        }
        self.interior.options = options;
        let end = self.interior.follow(search.problem, &mut self.candidate, start, &search.steps(), history);
        search.tangled |= end.tangled;
        search.spend_steps(end.iterations);
        self.consider(search, impulses)
    }

    /// One attempt of the conic interior point, from the candidate.
    pub(super) fn conic_path(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        start: ConicStart,
        proximal: f64,
        history: &mut History,
    ) -> bool {
        if search.steps_left() == 0 {
            return false;
        }
        self.prepare_systems(search);
        let options = ConicOptions { start, proximal, accept: search.accept(), ..ConicOptions::default() };
        let system = self.interior.system();
        let end = self.conic.follow(system, search.problem, &mut self.candidate, &options, &search.steps(), history);
        search.spend_steps(end.iterations);
        self.consider(search, impulses)
    }

    /// The attempt "sweeps". Sweeps while their rate pays, accelerated if contacts are redundant; then Newton steps,
    /// which converge at once or, if contacts are redundant, not at all.
    pub(super) fn sweep_and_step(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        let problem = search.problem;
        let redundancy = redundancy(problem);
        let arrived = match redundancy {
            Redundancy::Yes => self.accelerated_sweeps(search, impulses, history),
            _ => self.sweeps(search, impulses, SweepBudget::WhileItPays, MAX_SWEEPS, history),
        };
        if arrived {
            return true;
        }
        let patience = if redundancy == Redundancy::Unknown { 2 } else { 4 };
        let options = NewtonOptions { max_iterations: 12, patience, ..NewtonOptions::default() };
        if problem.blocks().len() <= SMALL {
            // From zero, because sweeps end on the surface of the cones, where redundant partitions flip.
            self.candidate.fill(0.0);
            make_feasible(problem, &mut self.candidate);
            return self.newton_from_candidate(search, impulses, &options, history);
        }
        redundancy != Redundancy::Yes && self.newton(search, impulses, &options, history)
    }

    /// Whether contacts are redundant within pairs of bodies; sweeps then converge slowly.
    pub(super) fn in_manifolds(&mut self, search: &mut Search) -> bool {
        self.prepare_systems(search);
        let pairs = self.interior.system().pairs();
        search.problem.blocks().len() as f64 >= MANIFOLD * pairs as f64
    }

    /// Whether the central path should come before the conic one: factorizations are cheap, and pairs of bodies touch
    /// in several points, which may contradict each other in the last digits.
    pub(super) fn is_central_cheap(&mut self, search: &mut Search) -> bool {
        let blocks = search.problem.blocks().len();
        if !search.warm || blocks > FEW_BLOCKS {
            return false;
        }
        self.prepare_systems(search);
        blocks as f64 >= SEVERAL_POINTS * self.interior.system().pairs() as f64
    }

    /// Multiplications that sweeps may cost: as many as the interior point.
    pub(super) fn budget(&mut self, search: &mut Search, budget: SweepBudget) -> f64 {
        if budget == SweepBudget::ToTheCap {
            return f64::INFINITY;
        }
        EXPECTED_ITERATIONS * self.cost_of_iteration(search)
    }

    /// Multiplications of one interior-point iteration.
    pub(super) fn cost_of_iteration(&mut self, search: &mut Search) -> f64 {
        self.prepare_systems(search);
        let contacts = search.problem.blocks().len() as f64;
        self.interior.system().flops() + FLOPS_PER_CONTACT * contacts + FLOPS_PER_ITERATION
    }

    /// The attempt "central path": two starts, around folds, with a polish if a path came close.
    pub(super) fn central_paths(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        search.was_central = true;
        let max_turns = match self.options.folds {
            Folds::WalkAround => PathOptions::default().max_turns,
            Folds::Leave => 0,
        };
        // From the guess, if no other attempt has tried that.
        let untried = !self.may_try(search, Attempt::ConicWarm) || self.is_central_cheap(search);
        let steps = if untried { STRUCTURE_STEPS } else { 0 };
        let canonical = self.options.selection == Selection::Canonical;
        if search.kept && (canonical || steps > 0) {
            let max_iterations = if canonical { 0 } else { steps };
            let patience = STRUCTURE_PATIENCE;
            let options = PathOptions { max_iterations, patience, max_turns: 0, ..PathOptions::default() };
            if self.path(search, impulses, Start::Warm, options, history) {
                return true;
            }
        }
        // If the limit of a path is no answer, its last points may be.
        let endings = match self.options.selection {
            Selection::Any => &[Ending::FirstSufficient][..],
            Selection::Canonical => &[Ending::Limit, Ending::FirstSufficient][..],
        };
        // With bodies known, start uniformly, which heavy bodies on light ones need. W alone mostly comes from impacts.
        let starts = match search.problem.delassus() {
            Delassus::Factored(_) => [Start::Uniform, Start::Scaled],
            Delassus::Dense(_) | Delassus::BlockSparse(_) => [Start::Automatic, Start::Uniform],
        };
        // Follow folds on one path only; another start meets most of them again.
        let bounded = search.is_bounded();
        let polish = NewtonOptions { max_iterations: 6, patience: 3, ..NewtonOptions::default() };
        let attempts = endings.iter().flat_map(|ending| starts.map(|start| (*ending, start)));
        attempts.enumerate().any(|(attempt, (ending, start))| {
            let once = bounded || search.tangled;
            let max_turns = if attempt > 0 && once { 0 } else { max_turns };
            let options = PathOptions { max_turns, ending, ..PathOptions::default() };
            self.path(search, impulses, start, options, history)
                || self.newton_from_candidate(search, impulses, &polish, history)
                || self.polish(search, impulses, history)
        })
    }

    /// Polishes the end of a path that came close. First Newton steps; then sweeps, which remove the error of the last
    /// factorizations, and Newton steps again; then releasing contacts that contradict others (`release`).
    pub(super) fn polish(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        if !search.is_close() {
            return false;
        }
        let options = NewtonOptions { max_iterations: 6, patience: 3, ..NewtonOptions::default() };
        self.newton(search, impulses, &options, history)
            || self.sweeps(search, impulses, SweepBudget::WhileItPays, POLISHING_SWEEPS, history)
            || self.newton(search, impulses, &options, history)
            || self.release(search, impulses, history)
    }

    /// Sweeps and Newton steps in turn, from the best iterate, while each round halves the residual.
    fn in_turn(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        for _ in 0..ROUNDS_IN_TURN {
            let before = search.best;
            if self.sweeps(search, impulses, SweepBudget::ToTheCap, SWEEPS_IN_TURN, history)
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

    /// The attempt "other paths". First sweeps and Newton steps in turn from the best iterate; then paths with other
    /// folds: around folds next to the end too, then with uneven targets, which break the symmetry by which many
    /// contacts fold at once.
    pub(super) fn other_paths(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        self.prepare_systems(search);
        if self.in_turn(search, impulses, history) {
            return true;
        }
        if self.options.folds == Folds::Leave {
            return false;
        }
        let stubborn = PathOptions { near: 1.0, ..PathOptions::default() };
        if !search.tangled
            && (self.path(search, impulses, Start::Uniform, stubborn, history)
                || self.polish(search, impulses, history))
        {
            return true;
        }
        if self.interior.system().flops() > CHEAP_FACTORIZATION {
            return false;
        }
        (0..UNEVEN_PATHS).any(|round| {
            let before = search.best;
            let options = PathOptions { weights: Weights::Uneven { round }, ..PathOptions::default() };
            self.path(search, impulses, Start::Uniform, options, history)
                || search.best < before && self.in_turn(search, impulses, history)
                || self.polish(search, impulses, history)
        })
    }
}

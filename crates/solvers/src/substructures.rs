//! Gauss–Seidel over groups of bodies: every group solved while the others stay, extrapolated, and groups that grow.
//!
//! ```text
//! g(r)      one sweep from r: for each group G of blocks in turn, r_G solves its own problem
//!           u_G = W_GG r_G + (q_G + Σ_{k∉G} W_Gk r_k),   every law of G obeyed
//! r_{k+1}   = P_K( g(r_k) − ΔG γ )          Anderson's method, as in accelerated-nsgs
//! ```
//!
//! A group is every block that touches one of at most `bodies` bodies that hang together; neighbouring groups share the
//! blocks between them. One block per group is [`crate::Nsgs`], and one group is [`crate::Exact`]. What a stack of forty
//! or masses of 1 : 10⁶ do to sweeps over contacts happens inside of a group, where it is solved; between groups few
//! unknowns are left, and the window sees most of those.
//!
//! **Groups grow.** Where eight sweeps did not halve the residual, the bodies of a group are doubled and the window is
//! forgotten: at borders between groups contacts may go on changing for ever, as those between bodies do. The last resort is
//! one group.
//!
//! Source: the alternating method of Schwarz 1870, with a shared layer and one domain after the other; for frictional
//! contact Alart, Iceta and Dureisseix 2012 and their nonsmooth domain decomposition, whose domains are glued by
//! multipliers instead. Departures: groups share blocks and need no multipliers, which is Gauss–Seidel over larger
//! blocks; Anderson's method over the sweeps; growth.
//!
//! Cost: per sweep an exact solution of every group from its last impulses, 3 to 30 small factorizations each; memory is
//! linear in the contacts while groups stay small, as no factorization knows more than one. Few sweeps, and dear ones: 17
//! times as long as [`crate::Exact`] in the median of what takes more than one. Use it where a factorization of the whole
//! does not fit.

mod group;
mod grouping;

use crate::one_contact;
use crate::solver::refuse_rolling;
use crate::sweep::Extrapolation;
use crate::warm_start::{active_blocks, make_feasible};
use crate::{ContactSolver, Effort, Exact, History, SolveError, StoppingRule};
use group::Group;
use grouping::{groups, stars};
use signorini_problem::{Certificate, Certifier, ContactProblem};

/// Sweeps when the rule names no number.
const MAX_SWEEPS: usize = 1000;
/// Sweeps in which the residual has to halve, or groups grow.
const PATIENCE: usize = 8;
const PROGRESS: f64 = 0.5;
/// Error of a group's solution, over that of the last sweep, and over what is asked for.
const FINER_THAN_SWEEP: f64 = 1e-3;
const FINER_THAN_ASKED: f64 = 0.1;

/// Choices of [`Substructures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubstructuresOptions {
    /// Most bodies of a group at the beginning. Where W is all there is, four blocks stand for a body.
    pub bodies: usize,
    /// Most bodies that a group may grow to, which bounds the memory of its factorization.
    pub most_bodies: usize,
    /// Most differences in the window; with 0 the sweeps are plain.
    pub depth: usize,
}

impl Default for SubstructuresOptions {
    fn default() -> Self {
        SubstructuresOptions { bodies: 16, most_bodies: usize::MAX, depth: 32 }
    }
}

/// The method; see the module documentation.
#[derive(Clone, Debug, Default)]
pub struct Substructures {
    /// The choices.
    pub options: SubstructuresOptions,
    certifier: Certifier,
    extrapolation: Extrapolation,
    whole: Exact,
}

/// The best impulses so far, and what they took.
struct Search<'a> {
    problem: &'a ContactProblem,
    stop: &'a StoppingRule,
    max_sweeps: usize,
    best: Vec<f64>,
    measured: f64,
    /// Residual of the last impulses graded [m/s].
    natural: f64,
    sweeps: usize,
    factorizations: usize,
}

/// How the sweeps over some groups ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Certified.
    Certified,
    /// Without enough progress.
    Stalled,
    /// With the budget.
    Budget,
}

impl Substructures {
    /// A solver with these options.
    pub fn new(options: SubstructuresOptions) -> Self {
        Substructures { options, ..Substructures::default() }
    }

    /// Grades `r` and keeps it if it is the best.
    fn grade(&mut self, search: &mut Search, r: &[f64]) -> Result<Certificate, SolveError> {
        let certificate = self.certifier.certify(search.problem, r)?;
        search.natural = certificate.natural;
        let measured = certificate.measured(search.stop.tolerance.measure);
        if measured < search.measured {
            search.measured = measured;
            search.best.copy_from_slice(r);
        }
        Ok(certificate)
    }

    /// The guess or none, whichever is nearer; whether that is certified.
    fn begin(&mut self, search: &mut Search, guess: &[f64]) -> Result<bool, SolveError> {
        let mut r = guess.to_vec();
        make_feasible(search.problem, &mut r);
        if self.grade(search, &r)?.meets(&search.stop.tolerance) {
            return Ok(true);
        }
        r.fill(0.0);
        make_feasible(search.problem, &mut r);
        Ok(self.grade(search, &r)?.meets(&search.stop.tolerance))
    }

    /// Sweeps over groups that grow, and at last the whole.
    fn grow(&mut self, search: &mut Search, history: &mut History) -> Result<(), SolveError> {
        let SubstructuresOptions { bodies, most_bodies, .. } = self.options;
        let mut bodies = bodies.clamp(1, most_bodies.max(1));
        let stars = stars(search.problem);
        let mut before = Vec::new();
        while search.sweeps < search.max_sweeps {
            let blocks = groups(search.problem, &stars, bodies);
            // Twice the bodies, and the same groups: what is not connected stays apart.
            if blocks.len() == 1 || blocks == before {
                return self.whole(search, history);
            }
            before.clone_from(&blocks);
            let mut parts = Vec::with_capacity(blocks.len());
            for blocks in blocks {
                parts.push(Group::new(search.problem, &stars, blocks)?);
            }
            let patience = if bodies < most_bodies { PATIENCE } else { usize::MAX };
            if self.sweep(search, &mut parts, patience, history)? != End::Stalled {
                return Ok(());
            }
            bodies = bodies.saturating_mul(2).min(most_bodies);
        }
        Ok(())
    }

    /// Sweeps from the best impulses so far.
    fn sweep(
        &mut self,
        search: &mut Search,
        parts: &mut [Group],
        patience: usize,
        history: &mut History,
    ) -> Result<End, SolveError> {
        let (problem, stop) = (search.problem, search.stop);
        self.extrapolation.prepare(problem, self.options.depth);
        let finest = FINER_THAN_ASKED * stop.target_speed(problem);
        let mut r = search.best.clone();
        let mut image = r.clone();
        let (mut reached, mut waited) = (f64::INFINITY, 0);
        while search.sweeps < search.max_sweeps {
            image.copy_from_slice(&r);
            let coarse = FINER_THAN_SWEEP * search.natural;
            let accuracy = if coarse.is_finite() { coarse.max(finest) } else { finest };
            for part in &mut *parts {
                let effort = part.visit(problem, &mut image, accuracy)?;
                search.factorizations += effort.factorizations;
            }
            make_feasible(problem, &mut image);
            search.sweeps += 1;
            let certificate = self.grade(search, &image)?;
            history.record(search.sweeps, certificate.natural);
            if certificate.meets(&stop.tolerance) {
                return Ok(End::Certified);
            }
            let measured = certificate.measured(stop.tolerance.measure);
            (reached, waited) = if measured <= PROGRESS * reached { (measured, 0) } else { (reached, waited + 1) };
            if waited >= patience {
                return Ok(End::Stalled);
            }
            self.extrapolation.advance(problem, &mut r, &image);
        }
        Ok(End::Budget)
    }

    /// One group of everything.
    fn whole(&mut self, search: &mut Search, history: &mut History) -> Result<(), SolveError> {
        let mut r = search.best.clone();
        let stop = StoppingRule { max_iterations: None, ..*search.stop };
        search.factorizations += self.whole.iterate(search.problem, &mut r, &stop, &mut History::off())?.factorizations;
        search.sweeps += 1;
        let certificate = self.grade(search, &r)?;
        history.record(search.sweeps, certificate.natural);
        Ok(())
    }
}

impl ContactSolver for Substructures {
    fn name(&self) -> &'static str {
        "substructures"
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        refuse_rolling(problem, self.name())?;
        if one_contact::solve_problem(problem, impulses).is_some() {
            make_feasible(problem, impulses);
            return Ok(Effort { iterations: 1, active: active_blocks(problem, impulses), ..Effort::default() });
        }
        let mut search = Search {
            problem,
            stop,
            max_sweeps: stop.max_iterations.unwrap_or(MAX_SWEEPS),
            best: vec![0.0; problem.rows()],
            measured: f64::INFINITY,
            natural: f64::INFINITY,
            sweeps: 0,
            factorizations: 0,
        };
        if !self.begin(&mut search, impulses)? {
            self.grow(&mut search, history)?;
        }
        impulses.copy_from_slice(&search.best);
        make_feasible(problem, impulses);
        Ok(Effort {
            iterations: search.sweeps,
            factorizations: search.factorizations,
            active: active_blocks(problem, impulses),
            ..Effort::default()
        })
    }
}

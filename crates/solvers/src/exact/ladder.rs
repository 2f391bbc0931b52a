//! The ladder: the attempts of `exact` in their order, as data, and the loop over them.
//!
//! Decisions use counts (contacts, predicted multiplications, convergence rates) and never time, so that the answer
//! does not depend on the machine.

use super::few_blocks::few;
use super::limits::{
    COLD_PROXIMAL, DIGITS_MISSING, HEAVY_ON_LIGHT, STRUCTURE_PATIENCE, STRUCTURE_STEPS, SWEEPS_OF_A_JAM, SWEPT_PATHS,
    WARM_PROXIMAL,
};
use super::redundancy::{Redundancy, redundancy};
use super::sweeping::SweepBudget;
use super::without_equalities::is_jointed;
use super::{Attempt, Exact, Search, Selection};
use crate::History;
use crate::conic_interior_point::ConicStart;
use crate::interior_point::{PathOptions, Start, guess_sticks};
use signorini_problem::{ContactProblem, Delassus};

/// One attempt.
pub(super) struct Rung {
    pub name: Attempt,
    /// Whether to try it, given what was found so far.
    applies: fn(&mut Exact, &mut Search) -> bool,
    /// Runs it. Returns whether the answer is certified; the best iterate is kept either way.
    run: fn(&mut Exact, &mut Search, &mut [f64], &mut History) -> bool,
    /// It is not tried if fewer factorizations than this are left in the budget.
    cost: usize,
}

/// All attempts, cheapest first.
pub(super) const LADDER: &[Rung] = &[
    Rung { name: Attempt::Small, applies: is_few_or_free, run: Exact::small_problem, cost: 0 },
    Rung { name: Attempt::Eliminated, applies: is_jointed, run: Exact::without_equalities, cost: 1 },
    Rung { name: Attempt::Small, applies: is_many_and_jointed, run: Exact::small_problem, cost: 0 },
    Rung { name: Attempt::Sweeps, applies: is_many, run: Exact::sweep_and_step, cost: 0 },
    Rung { name: Attempt::Sticking, applies: may_stick, run: sticking, cost: 1 },
    Rung { name: Attempt::ConicWarm, applies: has_guess, run: conic_warm, cost: 1 },
    Rung { name: Attempt::CentralPath, applies: is_central_first, run: Exact::central_paths, cost: 10 },
    Rung { name: Attempt::ConicCold, applies: is_even_and_far, run: conic_cold, cost: 10 },
    Rung { name: Attempt::ConicCold, applies: is_uneven, run: conic_cold, cost: 10 },
    Rung { name: Attempt::Pyramids, applies: always, run: Exact::growing_pyramids, cost: 10 },
    Rung { name: Attempt::CentralPath, applies: is_not_central_yet, run: Exact::central_paths, cost: 10 },
    Rung { name: Attempt::OtherPaths, applies: always, run: Exact::other_paths, cost: 10 },
];

impl Exact {
    /// Makes one attempt after another until one is certified or the budget is spent. Returns whether one was
    /// certified.
    pub(super) fn climb(&mut self, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
        for rung in LADDER {
            if !search.affords(rung.cost) || !self.may_try(search, rung.name) || !(rung.applies)(self, search) {
                continue;
            }
            let before = search.best;
            let certified = (rung.run)(self, search, impulses, history);
            if certified || search.best < before {
                search.effort.answered_by = rung.name;
            }
            if certified {
                return true;
            }
        }
        false
    }

    /// Whether an attempt treats the laws of the problem and is not switched off.
    pub(super) fn may_try(&self, search: &Search, attempt: Attempt) -> bool {
        search.treats(attempt) && !self.options.skip.contains(&attempt)
    }
}

fn always(_: &mut Exact, _: &mut Search) -> bool {
    true
}

/// Whether there are many blocks with joints among them. Then joints are eliminated first, because the matrices of
/// pivoting are dense.
fn is_many_and_jointed(exact: &mut Exact, search: &mut Search) -> bool {
    !few(search.problem) && is_jointed(exact, search)
}

fn is_few_or_free(exact: &mut Exact, search: &mut Search) -> bool {
    !is_many_and_jointed(exact, search)
}

/// Whether any exact answer is acceptable. With [`Selection::Canonical`] only the limit of the central path is;
/// uniqueness cannot be told by counting rows.
fn any_answer(exact: &mut Exact, _: &mut Search) -> bool {
    exact.options.selection == Selection::Any
}

/// Whether sweeps are worth trying. A redundant scene with a guess needs few interior-point steps, and sweeps would
/// spoil the guess.
fn is_many(exact: &mut Exact, search: &mut Search) -> bool {
    let crawls = redundancy(search.problem) == Redundancy::Yes && (search.warm || exact.in_manifolds(search));
    any_answer(exact, search) && !few(search.problem) && !crawls
}

/// Whether the contacts may stick. A guess that is worse than zero impulses comes from moving bodies.
fn may_stick(exact: &mut Exact, search: &mut Search) -> bool {
    any_answer(exact, search) && (search.kept || !search.warm)
}

fn has_guess(exact: &mut Exact, search: &mut Search) -> bool {
    any_answer(exact, search) && search.warm && !exact.is_central_cheap(search)
}

fn is_even(exact: &mut Exact, search: &mut Search) -> bool {
    any_answer(exact, search) && are_bodies_alike(search.problem)
}

/// Whether to try the conic path from zero: bodies have similar masses, and the path from the guess did not come close.
fn is_even_and_far(exact: &mut Exact, search: &mut Search) -> bool {
    is_even(exact, search) && (search.best > DIGITS_MISSING || !search.is_bounded())
}

fn is_uneven(exact: &mut Exact, search: &mut Search) -> bool {
    any_answer(exact, search) && !are_bodies_alike(search.problem)
}

/// Whether the central path comes first: its limit is asked for, heavy bodies stand on light ones, there are few
/// blocks, or the conic path has come so close that only digits are missing (the central path with its polish finds
/// these in half of the cases).
fn is_central_first(exact: &mut Exact, search: &mut Search) -> bool {
    let digits_missing = search.is_bounded() && search.best <= DIGITS_MISSING;
    let only = !any_answer(exact, search) || !search.treats(Attempt::ConicCold);
    only || !are_bodies_alike(search.problem) || exact.is_central_cheap(search) || digits_missing
}

fn is_not_central_yet(_: &mut Exact, search: &mut Search) -> bool {
    !search.was_central
}

/// Whether no body is much heavier than another. If only W is given the answer is not known.
fn are_bodies_alike(problem: &ContactProblem) -> bool {
    let Delassus::Factored(w) = problem.delassus() else { return false };
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for inverse in w.inverse_mass().iter().map(|m| m[0][0]).filter(|inverse| *inverse > 0.0) {
        (least, most) = (least.min(inverse), most.max(inverse));
    }
    most <= HEAVY_ON_LIGHT * least
}

/// The attempt "sticking". Assumes that contacts which stick in the guess go on sticking, or all contacts if there is
/// no guess; if that fails, makes a few steps of the central path. It costs one factorization if the assumption holds.
/// It solves structures at rest, also when they are pushed; on these the conic path would take up to three times as
/// many steps.
fn sticking(exact: &mut Exact, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
    let (start, max_iterations) = match search.problem.delassus() {
        _ if search.kept => (Start::Warm, STRUCTURE_STEPS),
        Delassus::Factored(_) => (Start::Uniform, 0),
        // Problems given by W alone mostly come from impacts.
        Delassus::Dense(_) | Delassus::BlockSparse(_) => return false,
    };
    if search.kept && !guess_sticks(search.problem, impulses) {
        return false;
    }
    let patience = STRUCTURE_PATIENCE;
    let options = PathOptions { max_iterations, patience, max_turns: 0, ..PathOptions::default() };
    exact.path(search, impulses, start, options, history)
}

/// The conic path from the original guess, even if zero impulses have a smaller residual: for moving bodies they are
/// still farther from the answer. (178 jumbled islands to 1e-6 m/s: nine tenths take 24 factorizations from the guess,
/// and 45 from the start with the smaller residual.)
fn conic_warm(exact: &mut Exact, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
    let proximal = if are_bodies_alike(search.problem) { WARM_PROXIMAL } else { 0.0 };
    exact.candidate.copy_from_slice(&exact.guess);
    if exact.conic_path(search, impulses, ConicStart::Warm, proximal, history) {
        return true;
    }
    // When the path jams, only a few contacts are wrong, and sweeps correct them one by one. An accepted answer only
    // lacks digits, and another path would return to it.
    for _ in 0..SWEPT_PATHS {
        if search.is_accepted() {
            break;
        }
        if exact.sweeps(search, impulses, SweepBudget::ToTheCap, SWEEPS_OF_A_JAM, history) {
            return true;
        }
        if !search.is_accepted() && exact.conic_path(search, impulses, ConicStart::Warm, proximal, history) {
            return true;
        }
    }
    false
}

fn conic_cold(exact: &mut Exact, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
    let proximal = if are_bodies_alike(search.problem) { COLD_PROXIMAL } else { 0.0 };
    exact.candidate.copy_from_slice(impulses);
    exact.conic_path(search, impulses, ConicStart::Cold, proximal, history)
}

//! The attempts in their order, as data, and the loop over them.
//!
//! Decisions use counts (contacts, predicted multiplications, measured rates), never time, so that the answer does not
//! depend on the machine.

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
    /// Whether it is worth trying, after all that was seen.
    applies: fn(&mut Exact, &mut Search) -> bool,
    /// Whether it ends certified. The best iterate is kept either way.
    run: fn(&mut Exact, &mut Search, &mut [f64], &mut History) -> bool,
    /// Least factorizations with which it gets anywhere: with fewer left in the budget it is not begun.
    cost: usize,
}

/// All of them, cheapest first.
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
    /// One attempt after another until one is certified, or nothing is left to spend; whether one was.
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

    /// Whether an attempt treats the laws of the problem and was not switched off.
    pub(super) fn may_try(&self, search: &Search, attempt: Attempt) -> bool {
        search.treats(attempt) && !self.options.skip.contains(&attempt)
    }
}

fn always(_: &mut Exact, _: &mut Search) -> bool {
    true
}

/// Pivoting has a dense matrix of all rows: of a robot those of the joints are better eliminated before.
fn is_many_and_jointed(exact: &mut Exact, search: &mut Search) -> bool {
    !few(search.problem) && is_jointed(exact, search)
}

fn is_few_or_free(exact: &mut Exact, search: &mut Search) -> bool {
    !is_many_and_jointed(exact, search)
}

/// Counting rows does not tell: contacts that are not redundant may have several answers too. Whoever asks for the
/// limit of the central path gets no other.
fn any_answer(exact: &mut Exact, _: &mut Search) -> bool {
    exact.options.selection == Selection::Any
}

/// A warm redundant scene needs few interior-point steps, and sweeps spoil the guess.
fn is_many(exact: &mut Exact, search: &mut Search) -> bool {
    let crawls = redundancy(search.problem) == Redundancy::Yes && (search.warm || exact.in_manifolds(search));
    any_answer(exact, search) && !few(search.problem) && !crawls
}

/// A guess that is worse than nothing is of things that move.
fn may_stick(exact: &mut Exact, search: &mut Search) -> bool {
    any_answer(exact, search) && (search.kept || !search.warm)
}

fn has_guess(exact: &mut Exact, search: &mut Search) -> bool {
    any_answer(exact, search) && search.warm && !exact.is_central_cheap(search)
}

fn is_even(exact: &mut Exact, search: &mut Search) -> bool {
    any_answer(exact, search) && are_bodies_alike(search.problem)
}

/// From nothing again, unless the path from the guess has come so close that only digits are missing.
fn is_even_and_far(exact: &mut Exact, search: &mut Search) -> bool {
    is_even(exact, search) && (search.best > DIGITS_MISSING || !search.is_bounded())
}

fn is_uneven(exact: &mut Exact, search: &mut Search) -> bool {
    any_answer(exact, search) && !are_bodies_alike(search.problem)
}

/// The central path before all others: whoever asks for its limit, heavy bodies on light ones, few blocks, and where
/// the conic path has come so close that only digits are missing, which the central path with its polish finds in half
/// of the cases.
fn is_central_first(exact: &mut Exact, search: &mut Search) -> bool {
    let digits_missing = search.is_bounded() && search.best <= DIGITS_MISSING;
    let only = !any_answer(exact, search) || !search.treats(Attempt::ConicCold);
    only || !are_bodies_alike(search.problem) || exact.is_central_cheap(search) || digits_missing
}

fn is_not_central_yet(_: &mut Exact, search: &mut Search) -> bool {
    !search.was_central
}

/// Whether no body is much heavier than another. W alone does not tell.
fn are_bodies_alike(problem: &ContactProblem) -> bool {
    let Delassus::Factored(w) = problem.delassus() else { return false };
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for inverse in w.inverse_mass().iter().map(|m| m[0][0]).filter(|inverse| *inverse > 0.0) {
        (least, most) = (least.min(inverse), most.max(inverse));
    }
    most <= HEAVY_ON_LIGHT * least
}

/// What sticks in the guess goes on sticking, or a few steps of the central path from it; from nothing, everything
/// sticks. One factorization where that is the answer. Structures at rest end here, also when they are kicked: the
/// conic path takes up to three times as many steps on those.
fn sticking(exact: &mut Exact, search: &mut Search, impulses: &mut [f64], history: &mut History) -> bool {
    let (start, max_iterations) = match search.problem.delassus() {
        _ if search.kept => (Start::Warm, STRUCTURE_STEPS),
        Delassus::Factored(_) => (Start::Uniform, 0),
        // W alone mostly comes from impacts.
        Delassus::Dense(_) | Delassus::BlockSparse(_) => return false,
    };
    if search.kept && !guess_sticks(search.problem, impulses) {
        return false;
    }
    let patience = STRUCTURE_PATIENCE;
    let options = PathOptions { max_iterations, patience, max_turns: 0, ..PathOptions::default() };
    exact.path(search, impulses, start, options, history)
}

/// From the guess as it came: while things move no impulse at all may have the smaller residual and still be further
/// away. (178 jumbled islands to 1e-6 m/s: nine tenths take 24 factorizations from the guess, 45 from the nearer of the
/// two.)
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

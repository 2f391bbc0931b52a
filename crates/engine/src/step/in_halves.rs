//! Retries an unsolved island of contacts in two half steps (part of row 5). In: an island. Out: its answer, if the
//! halves are solved.
//!
//! A moving heap poses a different problem when the step is halved, and usually one that is solved. The half steps use
//! the scheme for islands with joints (`midpoint`), which can take a step in pieces. Measured in
//! `docs/decisions/0028-unsolved-steps-in-halves.md`.

use crate::Method;
use crate::step::assembly::{Scene, guess};
use crate::step::island::Island;
use crate::step::solve::{IslandSolution, IslandSpace, add_effort};
use crate::step::{Records, Twist, midpoint, squeeze};
use signorini_solvers::Effort;

/// Largest island that is retried in halves [contacts]. In heaps of 300 balls (800 contacts) halves fail about as often
/// as the whole step, and take four times as long.
const MOST_HALVED: usize = 500;

/// Retries the step in halves. Returns whether these are solved; if not, the answer for the whole step stays.
pub(crate) fn in_halves(
    records: &Records,
    scene: &Scene,
    island: &Island,
    index: usize,
    (shift, restitution): (&[Twist], bool),
    space: &mut IslandSpace,
    solution: &mut IslandSolution,
) -> bool {
    // Islands with a bounce are not halved: rows are posed at the time of impact, and a bounce must happen only once.
    let flies = |rank: &u32| scene.bodies[*rank as usize].met_at.is_some_and(|time| time > 0.0);
    let bounces = |c: &u32| scene.contacts[*c as usize].impact.is_some();
    let too_many = island.contacts.len() > MOST_HALVED;
    if records.settings.method != Method::Exact
        || too_many
        || island.bodies.iter().any(flies)
        || island.contacts.iter().any(bounces)
    {
        return false;
    }
    guess(scene, island, &mut space.guess);
    squeeze::soften(scene, island, &mut space.pads);
    let mut trial = std::mem::take(&mut space.trial);
    // If the halves make no valid problem, the answer of the whole step is kept.
    let stepped = midpoint::step_island(records, scene, island, index, shift, restitution, 2, space, &mut trial);
    space.pads.clear();
    let mut spent = solution.effort;
    add_effort(&mut spent, &trial.effort);
    let solved = stepped.is_ok() && trial.solved && trial.motion.as_ref().is_some_and(|motion| motion.missed == 0);
    if solved {
        trial.squeezed.clear();
        std::mem::swap(solution, &mut trial);
    } else {
        // The pieces overwrote the guess; restore it.
        guess(scene, island, &mut space.guess);
    }
    let Effort { active, answered_by, .. } = solution.effort;
    solution.effort = Effort { active, answered_by, ..spent };
    space.trial = trial;
    solved
}

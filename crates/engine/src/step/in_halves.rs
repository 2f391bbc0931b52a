//! Islands of contacts that were not solved (stage 5): the step in halves. In: an island. Out: its answer, if the halves are solved.
//!
//! Which problems of a heap that moves are not solved is chance, and half of the step poses others. They move by the scheme of
//! islands with joints (`midpoint`), which knows pieces. Measured: `docs/decisions/0028-unsolved-steps-in-halves.md`.

use crate::Method;
use crate::step::assembly::{Scene, guess};
use crate::step::island::Island;
use crate::step::solve::{IslandSolution, IslandSpace, add_effort};
use crate::step::{Records, Twist, midpoint, squeeze};
use signorini_solvers::Effort;

/// Most contacts of an island that takes a step in halves because its problem was not solved. In heaps of three hundred balls, with
/// 800 contacts, halves fail about as often as the whole, and take four times as long.
const MOST_HALVED: usize = 500;

/// Takes a step in halves whose problem was not solved: shorter steps pose other problems. Whether these are solved; if not, the answer
/// for the whole step stays.
pub(crate) fn in_halves(
    records: &Records,
    scene: &Scene,
    island: &Island,
    index: usize,
    (shift, restitution): (&[Twist], bool),
    space: &mut IslandSpace,
    solution: &mut IslandSolution,
) -> bool {
    // Bodies that are met on their way are posed as they are then, and what bounces does so once.
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
    // Numbers that make no problem any more are no answer either: that of the whole step is kept.
    let stepped = midpoint::step_island(records, scene, island, index, shift, restitution, 2, space, &mut trial);
    space.pads.clear();
    let mut spent = solution.effort;
    add_effort(&mut spent, &trial.effort);
    let solved = stepped.is_ok() && trial.solved && trial.motion.as_ref().is_some_and(|motion| motion.missed == 0);
    if solved {
        trial.squeezed.clear();
        std::mem::swap(solution, &mut trial);
    } else {
        // Pieces have guesses of their own.
        guess(scene, island, &mut space.guess);
    }
    let Effort { active, answered_by, .. } = solution.effort;
    solution.effort = Effort { active, answered_by, ..spent };
    space.trial = trial;
    solved
}

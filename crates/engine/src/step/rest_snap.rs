//! Rest snap. In: v⁺. Out: v⁺, set to zero for bodies whose velocity is only round-off. Eq.: none.
//!
//! A body held still by contacts has v⁺ = 0. A solver returns not zero but a residue: the round-off of the velocity h·g
//! that the impulses cancel. If it stays it grows, because a load held by constant impulses is an inverted pendulum; in
//! columns of ten boxes the residue nearly doubles in each step. It also moves bodies by their last bit, so that
//! manifolds change in every step and the island is solved again and again.
//!
//! Therefore all velocities of a certified island become zero if every body moves slower than a small share of what
//! forces gave it in the step. The next step then is the same problem with the same answer, and a wall at rest does not
//! drift. The energy that this removes is in the ledger (`stopped`).

use crate::World;
use crate::body::{BodyRecord, BodyState};
use crate::step::Twist;
use crate::step::assembly::Scene;
use crate::step::island::{Island, Islands};
use crate::step::solve::IslandSolution;
use signorini_solvers::is_settled;

/// A body is at rest below this share of the velocity that forces gave it \[1\]. An acceleration smaller than this
/// share of gravity therefore cannot move a body off its contacts.
const RESIDUE: f64 = 1e-8;

/// A body of an island with joints is at rest if it moves by less than this in a step \[m\]: more than the joint errors
/// that rounds leave, far below what is visible.
const STAYS: f64 = 1e-9;

/// Sets the velocities of islands at rest to zero. Returns the energy that this adds \[J\].
pub(crate) fn snap_to_rest(
    world: &World,
    scene: &Scene,
    islands: &Islands,
    solutions: &[IslandSolution],
    after: &mut [Twist],
) -> f64 {
    let tolerance = &world.settings.stop.tolerance;
    let mut added = 0.0;
    for (island, solution) in islands.as_slice().iter().zip(solutions) {
        let settled = solution.solved && solution.certificate.is_some_and(|c| is_settled(&c, tolerance));
        if !settled || !is_still(world, scene, island, after) || !stayed(world, scene, island, solution) {
            continue;
        }
        for rank in island.bodies.iter().map(|rank| *rank as usize) {
            let Some(record) = world.bodies.at(scene.bodies[rank].slot) else { continue };
            if solution.motion.is_some() {
                // The energy of islands moved by their own scheme is booked by that scheme.
                after[rank] = Twist::default();
                continue;
            }
            let orientation = scene.bodies[rank].orientation();
            let (before, residue) = (&scene.free[rank].before, &after[rank]);
            // Work of the removed momentum along the mean velocity.
            let momentum = orientation * (record.mass.inertia * (orientation.inverse() * residue.angular));
            added -= 0.5 * (record.mass.mass * residue.linear.dot(before.linear) + momentum.dot(before.angular));
            after[rank] = Twist::default();
        }
    }
    added
}

/// Whether an island that is moved by its own scheme has not moved. An island that a limit or a contact stops within
/// the step has moved.
fn stayed(world: &World, scene: &Scene, island: &Island, solution: &IslandSolution) -> bool {
    let Some(motion) = &solution.motion else { return true };
    island.bodies.iter().zip(&motion.end).all(|(rank, end)| {
        let body = &scene.bodies[*rank as usize];
        world.bodies.at(body.slot).is_some_and(|record| has_stayed(record, &body.state, end))
    })
}

/// Whether a body has stayed in its place.
pub(crate) fn has_stayed(record: &BodyRecord, before: &BodyState, after: &BodyState) -> bool {
    let turn = (after.orientation * before.orientation.inverse()).xyz().length();
    (after.position - before.position).length() + 2.0 * extent(record) * turn <= STAYS
}

/// Radius by which a rotation counts as a displacement \[m\]; for a body without a shape the radius of gyration.
fn extent(record: &BodyRecord) -> f64 {
    if record.reach > 0.0 { record.reach } else { (record.mass.moments.max_element() / record.mass.mass).sqrt() }
}

/// Whether the velocities of all bodies of the island are residues.
fn is_still(world: &World, scene: &Scene, island: &Island, after: &[Twist]) -> bool {
    island.bodies.iter().map(|rank| *rank as usize).all(|rank| {
        let (body, free, after) = (&scene.bodies[rank], &scene.free[rank], &after[rank]);
        let Some(record) = world.bodies.at(body.slot) else { return false };
        let speed = after.linear.length() + extent(record) * after.angular.length();
        body.met_at.is_none() && speed <= RESIDUE * (free.after.linear - free.before.linear).length()
    })
}

//! Rest snap. In: v⁺. Out: v⁺, zero where it cannot be told from rest. Eq.: none.
//!
//! A body that contacts hold still has v⁺ = 0. What a solver leaves of it is not zero but a residue of round-off of the kick
//! h·g that the impulses cancel. Left alone it grows: a load held by impulses that do not change is an inverted pendulum,
//! and in columns of ten boxes a residue nearly doubles in a step. It moves the bodies by the last bit of their places, so
//! that no manifold is the manifold of the step before, and after a dozen steps the island has to be solved again, to no
//! end.
//!
//! So a certified island whose bodies all move slower than a small share of the kick they were given is at rest, to the
//! last bit. Its next step is the same problem with the same answer, so a wall at rest does not drift. What this takes out of the
//! energy is in the energy ledger (`stopped`).

use crate::World;
use crate::body::{BodyRecord, BodyState};
use crate::step::Twist;
use crate::step::assembly::Scene;
use crate::step::island::{Island, Islands};
use crate::step::solve::IslandSolution;
use signorini_solvers::is_settled;

/// Share of the velocity after forces below which what is left of it is at rest. An acceleration smaller than that share of
/// gravity does not move a body off its contacts.
const RESIDUE: f64 = 1e-8;

/// Way of a body in a step that is at rest \[m\]: above what rounds leave of the joints, far below what can be seen.
const STAYS: f64 = 1e-9;

/// Stops what is at rest; the energy that this adds \[J\].
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
                // What a scheme of its own left is booked where its account ends.
                after[rank] = Twist::default();
                continue;
            }
            let orientation = scene.bodies[rank].orientation();
            let (before, residue) = (&scene.free[rank].before, &after[rank]);
            // The work of the momentum that is taken out, over the mean velocity.
            let momentum = orientation * (record.mass.inertia * (orientation.inverse() * residue.angular));
            added -= 0.5 * (record.mass.mass * residue.linear.dot(before.linear) + momentum.dot(before.angular));
            after[rank] = Twist::default();
        }
    }
    added
}

/// Whether an island that moves by its own scheme has not moved: one that a limit or a contact stops in the step has.
fn stayed(world: &World, scene: &Scene, island: &Island, solution: &IslandSolution) -> bool {
    let Some(motion) = &solution.motion else { return true };
    island.bodies.iter().zip(&motion.end).all(|(rank, end)| {
        let body = &scene.bodies[*rank as usize];
        world.bodies.at(body.slot).is_some_and(|record| has_stayed(record, &body.state, end))
    })
}

/// Whether a body is where it was.
pub(crate) fn has_stayed(record: &BodyRecord, before: &BodyState, after: &BodyState) -> bool {
    let turn = (after.orientation * before.orientation.inverse()).xyz().length();
    (after.position - before.position).length() + 2.0 * extent(record) * turn <= STAYS
}

/// How far a body extends, as far as turning goes \[m\]: one without a shape by its radius of gyration.
fn extent(record: &BodyRecord) -> f64 {
    if record.reach > 0.0 { record.reach } else { (record.mass.moments.max_element() / record.mass.mass).sqrt() }
}

/// Whether what all bodies of the island are left with is a residue.
fn is_still(world: &World, scene: &Scene, island: &Island, after: &[Twist]) -> bool {
    island.bodies.iter().map(|rank| *rank as usize).all(|rank| {
        let (body, free, after) = (&scene.bodies[rank], &scene.free[rank], &after[rank]);
        let Some(record) = world.bodies.at(body.slot) else { return false };
        let speed = after.linear.length() + extent(record) * after.angular.length();
        body.met_at.is_none() && speed <= RESIDUE * (free.after.linear - free.before.linear).length()
    })
}

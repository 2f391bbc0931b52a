//! Rest snap. In: v⁺. Out: v⁺, set to zero for bodies whose velocity cannot be told from rest. Eq.: none.
//!
//! A body held still by contacts has v⁺ = 0. A solver returns not zero but a residue: the round-off of the velocity h·g
//! that the impulses cancel, or, where contacts contradict each other in the last digits, the error of the answer. If it
//! stays it grows, because a load held by constant impulses is an inverted pendulum; in columns of ten boxes the residue
//! nearly doubles in each step. It also moves bodies by their last bit, so that manifolds change in every step and the
//! island is solved again and again.
//!
//! Therefore all velocities of a certified island become zero if every body moves slower than the error of the answer
//! explains. In the next step the guess is graded before anything is solved: if it is accepted and leaves the island at
//! rest, it is the answer, and the step is the one before. The energy that this removes is in the ledger (`stopped`).
//! Measurements: `docs/decisions/0035-heaps-that-rest.md`.

use crate::body::{BodyRecord, BodyState};
use crate::step::assembly::Scene;
use crate::step::island::{Island, Islands};
use crate::step::solve::IslandSolution;
use crate::step::{Records, Twist};
use glamx::DVec3;
use signorini_problem::Certificate;
use signorini_solvers::is_settled;

/// A body is at rest below this share of the velocity that forces gave it \[1\]. An acceleration smaller than this
/// share of gravity therefore cannot move a body off its contacts.
const RESIDUE: f64 = 1e-8;

/// Largest share below which a body is at rest if the error of the answer explains its speed \[1\].
const MOST_RESIDUE: f64 = 1e-6;

/// Speed of a body that a residual explains, as a multiple of the residual \[1\]. In heaps at rest the fastest bodies
/// have 2 to 18 residuals; see decision 35.
const EXPLAINED: f64 = 10.0;

/// Share of the velocity that forces give below which a body was slow before the step \[1\]. A body that is stopped from
/// a spin ω keeps one of about h·ω², because the axes of its inertia turn in the step.
const SLOW: f64 = 1e-4;

/// A body of an island with joints is at rest if it moves by less than this in a step \[m\]: more than the joint errors
/// that rounds leave, far below what is visible.
const STAYS: f64 = 1e-9;

/// Sets the velocities of islands at rest to zero. Returns the energy that this adds \[J\].
pub(crate) fn snap_to_rest(
    records: &Records,
    scene: &Scene,
    islands: &Islands,
    solutions: &[IslandSolution],
    after: &mut [Twist],
) -> f64 {
    let mut added = 0.0;
    for (island, solution) in islands.as_slice().iter().zip(solutions) {
        let Some(certificate) = solution.certificate.filter(|_| solution.solved) else { continue };
        let Some(explained) = explained(records, scene, island, &certificate) else { continue };
        let slow = is_still(records, scene, island, explained, |place| after[island.bodies[place] as usize]);
        if !slow || !stayed(records, scene, island, solution) {
            continue;
        }
        for rank in island.bodies.iter().map(|rank| *rank as usize) {
            let Some(record) = records.bodies.at(scene.bodies[rank].slot) else { continue };
            if solution.motion.is_some() {
                // The energy of islands moved by their own scheme is booked by that scheme.
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

/// Whether an island that is moved by its own scheme has not moved. An island that a limit or a contact stops within
/// the step has moved.
fn stayed(records: &Records, scene: &Scene, island: &Island, solution: &IslandSolution) -> bool {
    let Some(motion) = &solution.motion else { return true };
    island.bodies.iter().zip(&motion.end).all(|(rank, end)| {
        let body = &scene.bodies[*rank as usize];
        records.bodies.at(body.slot).is_some_and(|record| has_stayed(record, &body.state, end))
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

/// Whether all bodies of an island had exactly zero velocity, and nothing that moves touches them.
pub(crate) fn was_at_rest(scene: &Scene, island: &Island) -> bool {
    let stands = |rank: u32| scene.free[rank as usize].before == Twist::default();
    island.bodies.iter().all(|rank| stands(*rank)) && !is_driven(scene, island)
}

/// Whether impulses with this certificate, which make these changes of velocity, leave the island at rest.
pub(crate) fn stays_at_rest(
    records: &Records,
    scene: &Scene,
    island: &Island,
    certificate: &Certificate,
    changes: &[Twist],
) -> bool {
    let after = |place: usize| {
        let free = &scene.free[island.bodies[place] as usize].after;
        Twist { linear: free.linear + changes[place].linear, angular: free.angular + changes[place].angular }
    };
    explained(records, scene, island, certificate).is_some_and(|speed| is_still(records, scene, island, speed, after))
}

/// Speed that the error of an answer explains [m/s]: zero if it needs no refinement. `None` if the next step refines the
/// answer: if it meets the tolerance, if the island has joints, or if something moves the island, which then has to follow
/// however slowly.
fn explained(records: &Records, scene: &Scene, island: &Island, certificate: &Certificate) -> Option<f64> {
    let tolerance = &records.settings.stop.tolerance;
    if is_settled(certificate, tolerance) {
        return Some(0.0);
    }
    let refined = certificate.meets(tolerance) || !island.joints.is_empty() || is_driven(scene, island);
    (!refined).then_some(EXPLAINED * certificate.natural)
}

/// Whether a kinematic body that moves, or the surface of a belt, touches the island.
fn is_driven(scene: &Scene, island: &Island) -> bool {
    island.contacts.iter().map(|c| &scene.contacts[*c as usize]).any(|contact| {
        let carries = |rank: u32| {
            let body = &scene.bodies[rank as usize];
            !body.is_dynamic() && scene.free[rank as usize].before != Twist::default()
        };
        contact.running != DVec3::ZERO || carries(contact.a) || carries(contact.b)
    })
}

/// Whether the velocities of all bodies of the island are residues. Where only the error of the answer explains them, the
/// bodies must have been slow before the step too.
fn is_still(records: &Records, scene: &Scene, island: &Island, explained: f64, after: impl Fn(usize) -> Twist) -> bool {
    island.bodies.iter().enumerate().all(|(place, rank)| {
        let (body, free) = (&scene.bodies[*rank as usize], &scene.free[*rank as usize]);
        let Some(record) = records.bodies.at(body.slot) else { return false };
        let speed = |twist: &Twist| twist.linear.length() + extent(record) * twist.angular.length();
        let kick = (free.after.linear - free.before.linear).length();
        let slow = explained == 0.0 || speed(&free.before) <= SLOW * kick;
        slow && body.met_at.is_none() && speed(&after(place)) <= explained.max(RESIDUE * kick).min(MOST_RESIDUE * kick)
    })
}

//! Energy ledger. In: states before and after, velocities, impulses. Out: where the energy of the step went.
//!
//! This is the only writer of the step's energy ledger. Islands with joints keep an account of their own motion
//! (`midpoint`), which is added.

use crate::World;
use crate::body::{BodyState, Kind};
use crate::energy::{Energy, EnergyLedger};
use crate::step::Twist;
use crate::step::assembly::Scene;
use crate::step::integrate::{Mode, Outcome};
use crate::step::sleep::{Rest, falls_asleep};
use glamx::{DQuat, DVec3};

/// States of a step after the stages that move bodies.
#[derive(Clone, Copy)]
pub(crate) struct States<'a> {
    pub modes: &'a [Mode],
    /// After integration.
    pub moved: &'a [BodyState],
    /// After the correction of poses, before bodies fall asleep.
    pub corrected: &'a [BodyState],
    pub rest: &'a [Rest],
    /// Energy added by the rest snap \[J\].
    pub snapped: f64,
}

/// Fills in every entry from its own formula. Replayed islands only have the entry `against_free_motion`.
pub(crate) fn ledger(
    world: &World,
    scene: &Scene,
    outcome: &Outcome,
    states: &States,
    against_free_motion: f64,
) -> EnergyLedger {
    let Outcome { islands, solutions, after: velocities } = *outcome;
    let States { modes, moved, corrected, rest, snapped } = *states;
    let (dt, gravity) = (scene.dt, world.settings.gravity);
    let mut ledger =
        EnergyLedger { before: world.energy(), stopped: snapped, against_free_motion, ..EnergyLedger::default() };
    for (rank, body) in scene.bodies.iter().enumerate() {
        let Some(record) = world.bodies.at(body.slot) else { continue };
        let disabled = !record.options.enabled && record.kind == Kind::Dynamic;
        if body.is_held() || body.quarantined || disabled {
            let after = Energy::at(record, &corrected[rank], gravity);
            ledger.after = ledger.after.add(after);
            ledger.stopped += after.kinetic() - Energy::of(record, gravity).kinetic();
        }
        if !body.is_dynamic() {
            continue;
        }
        let (mut final_energy, moved_energy) =
            (Energy::at(record, &corrected[rank], gravity), Energy::at(record, &moved[rank], gravity));
        ledger.stabilisation += final_energy.total() - moved_energy.total();
        if falls_asleep(body, &rest[rank]) {
            ledger.stopped -= final_energy.kinetic();
            (final_energy.linear, final_energy.rotational) = (0.0, 0.0);
        }
        ledger.after = ledger.after.add(final_energy);
        if modes[rank] == Mode::Given {
            // The island's own account ends at the state of its scheme. Later the body may have been snapped to rest,
            // or stopped early by continuous detection.
            if let Some(given) = outcome.given(body) {
                ledger.stopped += moved_energy.total() - Energy::at(record, given, gravity).total();
            }
            continue;
        }
        let (before, after) = (&scene.free[rank].before, &velocities[rank]);
        let mean =
            Twist { linear: 0.5 * (before.linear + after.linear), angular: 0.5 * (before.angular + after.angular) };
        let (force, torque) = record.applied(dt);
        ledger.external += dt * (force.dot(mean.linear) + torque.dot(mean.angular));
        let weight = record.mass.mass * record.gravity(gravity);
        ledger.integration += weight.dot(dt * mean.linear - (moved[rank].position - body.state.position));
        // A body that was stopped early did not get all of its forces.
        let lost = 0.5 * record.mass.mass * (moved[rank].velocity.length_squared() - after.linear.length_squared());
        ledger.integration += if moved[rank].velocity == after.linear { 0.0 } else { lost };
        let rotational = |orientation: DQuat, angular_velocity: DVec3| {
            let local = orientation.inverse() * angular_velocity;
            0.5 * local.dot(record.mass.inertia * local)
        };
        // Energy change of held bodies because their axes of inertia turn.
        let turned = rotational(moved[rank].orientation, moved[rank].angular_velocity);
        ledger.integration += turned - rotational(body.orientation(), after.angular);
    }
    for (island, solution) in islands.as_slice().iter().zip(solutions) {
        if let Some(motion) = &solution.motion {
            ledger.add_works(&motion.ledger);
            continue;
        }
        for (c, push) in island.contacts.iter().zip(&solution.contact_impulses) {
            let (contact, impulse) = (&scene.contacts[*c as usize], &push.impulse);
            let (a, b) = (contact.a as usize, contact.b as usize);
            let after = contact.velocity(&velocities[a], &velocities[b]);
            let before = contact.velocity(&scene.free[a].before, &scene.free[b].before);
            let mut mean = 0.5 * (before + after);
            if contact.impact.is_some() {
                let over_step = mean;
                mean = contact.mean_velocity(&scene.free[a], &scene.free[b], &velocities[a], &velocities[b], dt);
                ledger.integration += impulse.dot(over_step - mean);
            }
            let free = contact.velocity(&scene.free[a].after, &scene.free[b].after);
            ledger.against_free_motion += 0.5 * impulse.dot(free + after);
            let normal = contact.frame[0].dot(*impulse) * contact.frame[0].dot(mean);
            if contact.soft.is_some() {
                // A soft surface stores the work of its force along the actual displacement, h u⁺.
                let stored = contact.frame[0].dot(*impulse) * contact.frame[0].dot(after);
                ledger.spring += stored;
                ledger.integration += normal - stored;
            } else {
                ledger.normal += normal;
            }
            ledger.friction += impulse.dot(mean) - normal;
            if contact.running != DVec3::ZERO {
                // Sliding dissipates energy; the drive of the surface supplies what it moves.
                ledger.friction += impulse.dot(contact.running);
                ledger.driven -= impulse.dot(contact.running);
            }
            let mean_spin = |rank: usize| Twist {
                linear: DVec3::ZERO,
                angular: 0.5 * (scene.free[rank].before.angular + velocities[rank].angular),
            };
            if let Some((turned, by_surface)) = contact.turning_work(push, &mean_spin(a), &mean_spin(b)) {
                let along = |a: &Twist, b: &Twist| push.moment.dot(b.angular - a.angular);
                ledger.friction += turned + by_surface;
                ledger.driven -= by_surface + along(&driven(scene, a), &driven(scene, b));
                let free = along(&scene.free[a].after, &scene.free[b].after);
                ledger.against_free_motion += 0.5 * (free + along(&velocities[a], &velocities[b]));
            }
            if [a, b].iter().any(|rank| scene.bodies[*rank].kind == Kind::Kinematic) {
                ledger.driven -= impulse.dot(contact.velocity(&driven(scene, a), &driven(scene, b)));
            }
        }
    }
    ledger
}

/// Prescribed velocity of a kinematic body; zero for other bodies.
fn driven(scene: &Scene, rank: usize) -> Twist {
    if scene.bodies[rank].kind == Kind::Kinematic { scene.free[rank].after } else { Twist::default() }
}

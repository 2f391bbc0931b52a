//! Sleep. In: islands that have been still for long enough. Out: bodies that cost nothing until something touches them.
//!
//! A nest is an island that fell asleep. Its bodies keep their poses bit for bit, with velocities of zero; its contacts
//! and joints keep the impulses that hold it, which stay in the contact list and are the guess when it wakes. A nest
//! wakes as a whole, in the very step in which an awake body, a moving kinematic one or one that was edited comes near
//! enough to touch: the check is the narrow phase's own, so no impulse is late.
//!
//! Nothing here depends on the order of adding or on threads: nests are numbered in the order of islands, and numbers
//! are only compared for equality.

use crate::body::{BodyRecord, BodyState, Kind};
use crate::energy::EnergyLedger;
use crate::joint::Anchor;
use crate::step::assembly::Scene;
use crate::step::assembly::ranks_by_slot;
use crate::step::contact;
use crate::step::free_motion::FreeMotion;
use crate::step::integrate::Outcome;
use crate::step::manifold::NarrowPhase;
use crate::step::{Moving, Twist};
use crate::{BodyHandle, Sleeping, World};
use glamx::{DQuat, DVec3};

/// What the world remembers of a body's rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rest {
    /// For how long it has been still \[s\].
    pub still: f64,
    /// The nest it sleeps in.
    pub nest: Option<u64>,
    /// Added, moved or changed since the last step: what sleeps near it has to look.
    pub disturbed: bool,
}

/// Wakes what is touched, then takes the bodies that still sleep, and their pairs, out of the step.
pub(crate) fn rouse(
    world: &World,
    dt: f64,
    bodies: &mut [Moving],
    free: &mut [FreeMotion],
    pairs: &mut Vec<(u32, u32)>,
    narrow_phase: &mut NarrowPhase,
) {
    if bodies.iter().all(|body| body.nest.is_none()) {
        return;
    }
    let joints = jointed_ranks(world, bodies);
    let mut looked = vec![false; pairs.len() + joints.len()];
    let mut found = Vec::new();
    loop {
        let mut woken = false;
        let links = pairs.iter().map(|pair| (*pair, Link::Near)).chain(joints.iter().map(|pair| (*pair, Link::Joint)));
        for (index, ((i, j), link)) in links.enumerate() {
            let (one, two) = (&bodies[i as usize], &bodies[j as usize]);
            let nest = match (one.nest, two.nest) {
                (Some(nest), None) if stirs(world, two) => nest,
                (None, Some(nest)) if stirs(world, one) => nest,
                _ => continue,
            };
            if std::mem::replace(&mut looked[index], true) {
                continue;
            }
            let near = match link {
                Link::Joint => true,
                Link::Near => {
                    let (Some(a), Some(b)) = (world.bodies.at(one.slot), world.bodies.at(two.slot)) else { continue };
                    let reach = contact::near(world, [a, b], [&free[i as usize], &free[j as usize]], dt);
                    narrow_phase.recycle(&mut found);
                    narrow_phase.collide(&a.shape, &a.pose(), &b.shape, &b.pose(), reach, &mut found);
                    !found.is_empty()
                }
            };
            if near {
                woken = true;
                bodies.iter_mut().filter(|body| body.nest == Some(nest)).for_each(|body| body.nest = None);
            }
        }
        if !woken {
            break;
        }
    }
    for (body, free) in bodies.iter_mut().zip(free) {
        if body.nest.is_some() {
            // Asleep it is as good as fixed: no stage moves it.
            body.kind = Kind::Fixed;
            let rest = Twist::default();
            *free = FreeMotion { before: rest, after: rest, rotation: DQuat::IDENTITY, flight_spin: DVec3::ZERO };
        }
    }
    pairs.retain(|(i, j)| bodies[*i as usize].is_dynamic() || bodies[*j as usize].is_dynamic());
}

#[derive(Clone, Copy)]
enum Link {
    Near,
    Joint,
}

/// Whether a body that is awake can wake another.
fn stirs(world: &World, body: &Moving) -> bool {
    let disturbed = world.bodies.at(body.slot).is_some_and(|record| record.rest.disturbed);
    disturbed || body.is_dynamic() || moves(body.kind, &body.state)
}

fn moves(kind: Kind, state: &BodyState) -> bool {
    kind == Kind::Kinematic && (state.velocity != DVec3::ZERO || state.spin != DVec3::ZERO)
}

/// Ranks of bodies that are jointed to each other.
fn jointed_ranks(world: &World, bodies: &[Moving]) -> Vec<(u32, u32)> {
    if world.joint_order.is_empty() {
        return Vec::new();
    }
    let mut ranks = Vec::new();
    ranks_by_slot(bodies, &mut ranks);
    let rank = |slot: u32| ranks.get(slot as usize).copied().flatten();
    let ends = |slot: &u32| match world.joints.at(*slot)?.joint {
        crate::Joint { a, b: Anchor::Body(b, _), .. } => Some((rank(a.0.0.slot)?, rank(b.0.slot)?)),
        _ => None,
    };
    world.joint_order.iter().filter_map(ends).collect()
}

/// Lets islands that have been still for long enough fall asleep: their velocities become zero, which the ledger says.
/// Fills in what is to be remembered of every body; returns how many bodies sleep.
pub(crate) fn settle(
    world: &World,
    scene: &Scene,
    outcome: &Outcome,
    correction: &[Twist],
    end: &mut [BodyState],
    ledger: &mut EnergyLedger,
    out: &mut Vec<Rest>,
) -> usize {
    out.clear();
    out.extend(scene.bodies.iter().map(|body| Rest { nest: body.nest, ..Rest::default() }));
    let Sleeping::Islands { speed, spin, time } = world.settings.sleeping else { return 0 };
    let dt = scene.dt;
    let slow = |rank: usize, record: &BodyRecord| {
        let (state, correction) = (&end[rank], &correction[rank]);
        let pushed = (record.force, record.torque) != (record.options.force, record.options.torque);
        let slow = state.velocity.length().max(correction.linear.length() / dt) <= speed
            && state.spin.length().max(correction.angular.length() / dt) <= spin;
        slow && !pushed
    };
    for (rank, body) in scene.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
        let Some(record) = world.bodies.at(body.slot) else { continue };
        if slow(rank, record) {
            // Woken in this step, it starts anew.
            out[rank].still = dt + if record.rest.nest.is_none() { record.rest.still } else { 0.0 };
        }
    }
    let mut nest = world.next_nest;
    let mut alone: Vec<bool> = scene.bodies.iter().map(|body| body.is_dynamic()).collect();
    let mut bed = |ranks: &[u32], out: &mut Vec<Rest>| {
        for rank in ranks.iter().map(|rank| *rank as usize) {
            let Some(record) = world.bodies.at(scene.bodies[rank].slot) else { continue };
            out[rank] = Rest { still: out[rank].still, nest: Some(nest), disturbed: false };
            let (velocity, turn) = (end[rank].velocity, end[rank].orientation.inverse() * end[rank].spin);
            let linear = 0.5 * record.mass.mass * velocity.length_squared();
            let rotational = 0.5 * turn.dot(record.mass.inertia * turn);
            ledger.after.linear -= linear;
            ledger.after.rotational -= rotational;
            ledger.stopped -= linear + rotational;
            (end[rank].velocity, end[rank].spin) = (DVec3::ZERO, DVec3::ZERO);
        }
        nest += 1;
    };
    for (island, solution) in outcome.islands.as_slice().iter().zip(outcome.solutions) {
        island.bodies.iter().for_each(|rank| alone[*rank as usize] = false);
        let ready = island.bodies.iter().all(|rank| out[*rank as usize].still >= time);
        let partner_moves = |rank: u32| moves(scene.bodies[rank as usize].kind, &scene.bodies[rank as usize].state);
        let contacts = island.contacts.iter().map(|c| &scene.contacts[*c as usize]);
        let joints = island.joints.iter().map(|j| &scene.joints[*j as usize]);
        let driven = contacts.clone().any(|c| partner_moves(c.a) || partner_moves(c.b) || c.running != DVec3::ZERO)
            || joints.clone().any(|j| [j.a, j.b].into_iter().flatten().any(partner_moves));
        let bounces = contacts.clone().any(|c| c.impact.is_some());
        if ready && solution.solved && !driven && !bounces {
            bed(&island.bodies, out);
        }
    }
    for rank in 0..out.len() {
        if alone[rank] && out[rank].still >= time {
            bed(&[rank as u32], out);
        }
    }
    out.iter().filter(|rest| rest.nest.is_some()).count()
}

impl World {
    /// Wakes a body and what sleeps with it, and lets whatever sleeps near it look in the next step. Everything that
    /// changes a body does this by itself.
    pub(crate) fn disturb(&mut self, slot: u32) {
        let Some(record) = self.bodies.at_mut(slot) else { return };
        record.rest.disturbed = true;
        record.rest.still = 0.0;
        if !self.sleeps() {
            return;
        }
        let mut nests: Vec<u64> = Vec::new();
        let mut note = |slot: u32| nests.extend(self.bodies.at(slot).and_then(|record| record.rest.nest));
        note(slot);
        for contact in &self.contacts {
            if contact.a.0.slot == slot || contact.b.0.slot == slot {
                note(contact.a.0.slot);
                note(contact.b.0.slot);
            }
        }
        for joint in self.joint_order.iter().filter_map(|joint| self.joints.at(*joint)) {
            if let Anchor::Body(b, _) = joint.joint.b
                && (joint.joint.a.0.0.slot == slot || b.0.slot == slot)
            {
                note(joint.joint.a.0.0.slot);
                note(b.0.slot);
            }
        }
        self.wake_where(|record| record.rest.nest.is_some_and(|nest| nests.contains(&nest)));
    }

    /// Wakes bodies; the caller sees to it that they are whole nests.
    pub(crate) fn wake_where(&mut self, chosen: impl Fn(&BodyRecord) -> bool) {
        for slot in &self.order {
            let key = self.bodies.key(*slot);
            if let Some(record) = self.bodies.at_mut(*slot)
                && chosen(record)
            {
                if record.rest.nest.is_some() {
                    self.events.woken.push(BodyHandle(key));
                }
                record.rest = Rest { disturbed: true, ..Rest::default() };
            }
        }
    }

    fn sleeps(&self) -> bool {
        self.settings.sleeping != Sleeping::Off
    }
}

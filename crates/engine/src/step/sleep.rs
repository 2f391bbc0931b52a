//! Sleep. In: islands that have been still for long enough. Out: sleeping bodies, which cost nothing until something
//! touches them.
//!
//! The bodies of a sleeping island keep their poses bit for bit, with zero velocity. Its contacts and joints keep the
//! impulses that hold it; these stay in the contact list and are the initial guess when it wakes. The island wakes as a
//! whole, in the same step in which an awake, kinematic or edited body comes near enough to touch it. The narrow phase
//! decides that, so no impulse comes late.
//!
//! The result does not depend on insertion order or threads: sleeping islands are numbered in the order of islands, and
//! the numbers are only compared for equality.

use crate::body::{BodyRecord, BodyState, Kind};
use crate::joint::Anchor;
use crate::step::assembly::Scene;
use crate::step::collision::{Detector, PlacedShape, sweep};
use crate::step::free_motion::FreeMotion;
use crate::step::integrate::Outcome;
use crate::step::{Moving, Twist};
use crate::{BodyHandle, Sleeping, World};
use glamx::DVec3;

/// Sleep state of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rest {
    /// Time for which it has been still \[s\].
    pub still: f64,
    /// The island it sleeps in.
    pub sleeping_island: Option<u64>,
    /// Whether it was added, moved or changed since the last step, so that it can wake others.
    pub disturbed: bool,
}

/// Wakes the islands that are touched, then removes the pairs of bodies that still sleep.
pub(crate) fn wake(
    world: &World,
    dt: f64,
    (bodies, flights, ranks): (&mut [Moving], &[FreeMotion], &[Option<u32>]),
    pairs: &mut Vec<(u32, u32)>,
    detector: &mut Detector,
) {
    if bodies.iter().all(|body| body.sleeping_island.is_none()) {
        return;
    }
    let joints = jointed_ranks(world, ranks);
    let mut looked = vec![false; pairs.len() + joints.len()];
    loop {
        let mut woken = false;
        let links = pairs.iter().map(|pair| (*pair, Link::Near)).chain(joints.iter().map(|pair| (*pair, Link::Joint)));
        for (index, ((i, j), link)) in links.enumerate() {
            let (one, two) = (&bodies[i as usize], &bodies[j as usize]);
            let island = match (one.sleeping_island, two.sleeping_island) {
                (Some(island), None) if stirs(world, two) => island,
                (None, Some(island)) if stirs(world, one) => island,
                _ => continue,
            };
            if std::mem::replace(&mut looked[index], true) {
                continue;
            }
            let near = match link {
                Link::Joint => true,
                Link::Near => {
                    let (Some(a), Some(b)) = (world.bodies.at(one.slot), world.bodies.at(two.slot)) else { continue };
                    let within = sweep::near(world, [a, b], [&flights[i as usize], &flights[j as usize]], dt);
                    !detector.manifolds(PlacedShape::at_start(a), PlacedShape::at_start(b), within).is_empty()
                }
            };
            if near {
                woken = true;
                let members = bodies.iter_mut().filter(|body| body.sleeping_island == Some(island));
                members.for_each(|body| body.sleeping_island = None);
            }
        }
        if !woken {
            break;
        }
    }
    // To the later stages a sleeping body is fixed.
    bodies.iter_mut().filter(|body| body.sleeping_island.is_some()).for_each(|body| body.kind = Kind::Fixed);
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
    kind == Kind::Kinematic && (state.velocity != DVec3::ZERO || state.angular_velocity != DVec3::ZERO)
}

/// Ranks of bodies that are jointed to each other.
fn jointed_ranks(world: &World, ranks: &[Option<u32>]) -> Vec<(u32, u32)> {
    let rank = |slot: u32| ranks.get(slot as usize).copied().flatten();
    let ends = |slot: &u32| match world.joints.at(*slot)?.joint {
        crate::Joint { a, b: Anchor::Body(b, _), .. } => Some((rank(a.0.0.slot)?, rank(b.0.slot)?)),
        _ => None,
    };
    let mut pairs: Vec<(u32, u32)> = world.joint_order.iter().filter_map(ends).collect();
    for record in world.gear_order.iter().filter_map(|slot| world.gears.at(*slot)) {
        // Only dynamic bodies are linked; the base of a gear may be fixed.
        let moves = |slot: &u32| world.bodies.at(*slot).is_some_and(|body| body.kind == Kind::Dynamic);
        let bodies: Vec<u32> = world.geared_bodies(record).filter(moves).filter_map(rank).collect();
        pairs.extend(bodies.windows(2).map(|pair| (pair[0], pair[1])));
    }
    pairs
}

/// Decides which islands fall asleep, and fills in the sleep state of every body. Returns the number of sleeping
/// bodies.
pub(crate) fn settle(
    world: &World,
    scene: &Scene,
    outcome: &Outcome,
    correction: &[Twist],
    end: &[BodyState],
    out: &mut Vec<Rest>,
) -> usize {
    out.clear();
    out.extend(scene.bodies.iter().map(|body| Rest { sleeping_island: body.sleeping_island, ..Rest::default() }));
    let Sleeping::Islands { speed, angular_speed, time } = world.settings.sleeping else { return 0 };
    let dt = scene.dt;
    let slow = |rank: usize, record: &BodyRecord| {
        let (state, correction) = (&end[rank], &correction[rank]);
        let pushed = (record.force, record.torque) != (record.options.force, record.options.torque);
        let slow = state.velocity.length().max(correction.linear.length() / dt) <= speed
            && state.angular_velocity.length().max(correction.angular.length() / dt) <= angular_speed;
        slow && !pushed
    };
    for (rank, body) in scene.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
        let Some(record) = world.bodies.at(body.slot) else { continue };
        if slow(rank, record) {
            // A body woken in this step starts counting again.
            out[rank].still = dt + if record.rest.sleeping_island.is_none() { record.rest.still } else { 0.0 };
        }
    }
    let mut next = world.next_sleeping_island;
    let mut alone: Vec<bool> = scene.bodies.iter().map(|body| body.is_dynamic()).collect();
    let mut bed = |ranks: &[u32], out: &mut Vec<Rest>| {
        for rank in ranks.iter().map(|rank| *rank as usize) {
            out[rank] = Rest { still: out[rank].still, sleeping_island: Some(next), disturbed: false };
        }
        next += 1;
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
    out.iter().filter(|rest| rest.sleeping_island.is_some()).count()
}

/// Whether a body falls asleep in this step.
pub(crate) fn falls_asleep(body: &Moving, rest: &Rest) -> bool {
    body.sleeping_island.is_none() && rest.sleeping_island.is_some()
}

/// Sets the velocities of bodies that fall asleep to zero.
pub(crate) fn lay_down(bodies: &[Moving], rest: &[Rest], end: &mut [BodyState]) {
    for ((body, rest), end) in bodies.iter().zip(rest).zip(end) {
        if falls_asleep(body, rest) {
            (end.velocity, end.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
        }
    }
}

impl World {
    /// Wakes a body and its sleeping island, and marks it so that sleeping bodies near it are checked in the next step.
    /// Every method that changes a body calls this.
    pub(crate) fn disturb(&mut self, slot: u32) {
        let Some(record) = self.bodies.at_mut(slot) else { return };
        record.rest.disturbed = true;
        record.rest.still = 0.0;
        if !self.sleeps() {
            return;
        }
        let mut islands: Vec<u64> = Vec::new();
        let mut note = |slot: u32| islands.extend(self.bodies.at(slot).and_then(|record| record.rest.sleeping_island));
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
        for record in self.gear_order.iter().filter_map(|gear| self.gears.at(*gear)) {
            if self.geared_bodies(record).any(|body| body == slot) {
                self.geared_bodies(record).for_each(&mut note);
            }
        }
        self.wake_where(|record| record.rest.sleeping_island.is_some_and(|island| islands.contains(&island)));
    }

    /// Wakes the chosen bodies. The caller must choose whole sleeping islands.
    pub(crate) fn wake_where(&mut self, chosen: impl Fn(&BodyRecord) -> bool) {
        for slot in &self.order {
            let key = self.bodies.key(*slot);
            if let Some(record) = self.bodies.at_mut(*slot)
                && chosen(record)
            {
                if record.rest.sleeping_island.is_some() {
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

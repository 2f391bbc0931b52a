//! Commit. In: the results of all stages. Out: the world after the step. This is the only stage that changes the world;
//! it cannot fail.

use crate::body::{BodyState, ConstraintForces};
use crate::events::SleepEvent;
use crate::report::{ContactPoint, StepReport};
use crate::step::cache::CachedPoint;
use crate::step::replay::RestingIsland;
use crate::step::{Moving, Push, Workspace};
use crate::{BodyHandle, JointEvent, World};
use glamx::DVec3;

/// Scratch memory of [`commit`], kept between steps.
#[derive(Default)]
pub(crate) struct CommitSpace {
    handles: Vec<BodyHandle>,
    forces: Vec<ConstraintForces>,
    /// Impulse of each contact; `None` for contacts outside of all islands.
    pushes: Vec<Option<Push>>,
    /// By rank: whether the step left the body and its contacts unchanged, bit for bit.
    pub unchanged: Vec<bool>,
}

/// Writes the step into the world. Returns whether anything that the next step depends on has changed.
pub(crate) fn commit(world: &mut World, ws: &mut Workspace, dt: f64, report: &mut StepReport) -> bool {
    let mut changed = false;
    let events = &mut report.joint_events;
    let CommitSpace { handles, forces, pushes, unchanged } = &mut ws.commit;
    unchanged.clear();
    unchanged.resize(ws.bodies.len(), true);
    handles.clear();
    handles.extend(ws.bodies.iter().map(|b| BodyHandle(world.bodies.key(b.slot))));
    forces.clear();
    forces.resize(ws.bodies.len(), ConstraintForces::default());
    world.read_out.set_aside(&world.contacts);
    // Sleeping and replayed bodies keep the contacts of their last computed step.
    let (bodies, ranks) = (&ws.bodies, &ws.ranks);
    let held_still = |handle: &BodyHandle| {
        ranks.get(handle.0.slot as usize).copied().flatten().is_some_and(|rank| bodies[rank as usize].is_held())
    };
    if bodies.iter().any(Moving::is_held) {
        world.contacts.retain(|contact| held_still(&contact.a) || held_still(&contact.b));
    } else {
        world.contacts.clear();
    }
    let held = world.contacts.len();
    pushes.clear();
    pushes.resize(ws.contacts.len(), None);
    // Replayed islands are inserted in their place in the order, so that sums have the same bits as if they were
    // computed.
    let mut resting = ws.replay.replayed().peekable();
    let add_resting = |island: &RestingIsland, forces: &mut [ConstraintForces]| {
        for (slot, impulse, arm) in island.on_partners() {
            if let Some(rank) = ranks[*slot as usize] {
                push(&mut forces[rank as usize], *impulse / dt, *arm);
            }
        }
    };
    for (island, solution) in ws.islands.as_slice().iter().zip(&ws.solutions) {
        let first = island.bodies.first().copied();
        while let Some(before) = resting.next_if(|resting| ranks[resting.first_slot() as usize] < first) {
            add_resting(before, forces);
        }
        for (c, carried) in island.contacts.iter().zip(&solution.contact_impulses) {
            let (contact, impulse) = (&ws.contacts[*c as usize], &carried.impulse);
            let (a, b) = (contact.a as usize, contact.b as usize);
            push(&mut forces[b], *impulse / dt, contact.arm_b);
            push(&mut forces[a], -*impulse / dt, contact.arm_a);
            if contact.rolling.is_some() {
                forces[b].torque += carried.moment / dt;
                forces[a].torque -= carried.moment / dt;
            }
            pushes[*c as usize] = Some(*carried);
        }
        let mut left = solution.joint_impulses.as_slice();
        for j in &island.joints {
            let joint = &ws.joints[*j as usize];
            let (impulse, rest) = left.split_at(joint.row_count());
            left = rest;
            if let Some(record) = world.joints.at_mut(joint.slot) {
                let place = world.joint_order.iter().position(|slot| *slot == joint.slot).unwrap_or(0);
                changed |= record.take_impulse(place as u32, impulse, dt, events);
            }
        }
    }
    resting.for_each(|island| add_resting(island, forces));
    let moved = ws.islands.as_slice().iter().zip(&ws.solutions).filter_map(|(i, s)| Some((i, s.motion.as_ref()?)));
    for (island, motion) in moved {
        for (rank, (impulse, angular)) in island.bodies.iter().zip(&motion.joint_wrench) {
            forces[*rank as usize].force += *impulse / dt;
            forces[*rank as usize].torque += *angular / dt;
        }
        for (rank, impulse, angular) in &motion.given_wrench {
            forces[*rank as usize].force += *impulse / dt;
            forces[*rank as usize].torque += *angular / dt;
        }
    }
    let solved = || ws.contacts.iter().zip(&*pushes).filter_map(|(contact, push)| Some((contact, (*push)?)));
    for (contact, Push { impulse, moment }) in solved() {
        let (a, b) = (contact.a as usize, contact.b as usize);
        world.contacts.push(ContactPoint {
            a: handles[a],
            b: handles[b],
            part_a: contact.feature.sub_a,
            part_b: contact.feature.sub_b,
            point: contact.point,
            normal: contact.frame[0],
            gap: contact.gap,
            impulse,
            moment,
            velocity: contact.surface_velocity(&ws.after[a], &ws.after[b]),
            approach: contact.closing(&ws.free[a], &ws.free[b]),
        });
    }
    if held > 0 {
        let rank = |handle: BodyHandle| ranks[handle.0.slot as usize];
        world.contacts.sort_by_key(|contact| (rank(contact.a), rank(contact.b)));
    }
    let remembered = solved().filter_map(|(contact, push)| {
        let point = CachedPoint { feature: contact.feature, point: contact.point, normal: contact.frame[0], push };
        contact.impact.is_none().then_some((handles[contact.a as usize], handles[contact.b as usize], point))
    });
    let is_held = |(a, b): &(BodyHandle, BodyHandle)| held_still(a) || held_still(b);
    changed |= world.cache.store(dt, remembered, is_held, |(a, b)| {
        // Fixed and kinematic bodies of a pair have not been changed.
        for rank in [a, b].into_iter().filter_map(|handle| ranks.get(handle.0.slot as usize).copied().flatten()) {
            unchanged[rank as usize] &= !bodies[rank as usize].is_dynamic();
        }
    });
    world.events.begin();
    world.events.touch(&world.contacts, &world.bodies);
    for (rank, body) in ws.bodies.iter().enumerate().filter(|(_, body)| !body.replayed) {
        let (state, rest) = (&ws.end[rank], &ws.rest[rank]);
        let key = world.bodies.key(body.slot);
        let Some(record) = world.bodies.at_mut(body.slot) else { continue };
        let mut other = record.rest != *rest;
        let sleeps = rest.sleeping_island.is_some();
        if record.rest.sleeping_island.is_some() != sleeps {
            world.events.sleep.push(SleepEvent { body: BodyHandle(key), asleep: sleeps });
        }
        record.rest = *rest;
        world.next_sleeping_island =
            world.next_sleeping_island.max(rest.sleeping_island.map_or(0, |island| island + 1));
        if body.sleeping_island.is_none() {
            other |= record.quarantined != body.quarantined || bits(&record.state) != bits(state);
            other |= (record.force, record.torque) != (record.options.force, record.options.torque);
            record.quarantined = body.quarantined;
            record.state = *state;
            record.constraint = forces[rank];
            record.force = record.options.force;
            record.torque = record.options.torque;
        }
        changed |= other;
        unchanged[rank] &= !other;
    }
    events.sort_by_key(JointEvent::joint);
    world.count_turns(dt);
    let mut replay = std::mem::take(&mut ws.replay);
    replay.remember(world, ws, dt, report.counts.unproved == 0);
    ws.replay = replay;
    changed
}

/// The bits of a state; +0 and −0 differ.
fn bits(state: &BodyState) -> [u64; 13] {
    let BodyState { position, orientation, velocity, angular_velocity } = state;
    let (x, q, v, w) = (position.to_array(), orientation.to_array(), velocity.to_array(), angular_velocity.to_array());
    let mut numbers = x.into_iter().chain(q).chain(v).chain(w);
    std::array::from_fn(|_| numbers.next().map_or(0, f64::to_bits))
}

fn push(forces: &mut ConstraintForces, force: DVec3, arm: DVec3) {
    forces.force += force;
    forces.torque += arm.cross(force);
}

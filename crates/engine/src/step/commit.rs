//! Commit. In: everything that the step found. Out: the world after it. Nothing can fail here.

use crate::body::{BodyState, ConstraintForces};
use crate::report::ContactPoint;
use crate::step::Workspace;
use crate::step::cache::CachedPoint;
use crate::{BodyHandle, JointEvent, World};
use glamx::DVec3;

/// Memory of [`commit`], kept from step to step.
#[derive(Default)]
pub(crate) struct CommitSpace {
    handles: Vec<BodyHandle>,
    forces: Vec<ConstraintForces>,
    /// Impulses of contacts \[N·s\]; none of those in no island.
    impulses: Vec<Option<DVec3>>,
}

/// Nothing can fail any more: the step becomes the state of the world. Whether anything that a step depends on is other
/// than before.
pub(crate) fn commit(world: &mut World, ws: &mut Workspace, dt: f64, events: &mut Vec<JointEvent>) -> bool {
    let mut changed = false;
    let CommitSpace { handles, forces, impulses } = &mut ws.commit;
    handles.clear();
    handles.extend(ws.bodies.iter().map(|b| BodyHandle(world.bodies.key(b.slot))));
    forces.clear();
    forces.resize(ws.bodies.len(), ConstraintForces::default());
    world.read_out.set_aside(&world.contacts);
    // What sleeps is held by the contacts of its last step.
    let (bodies, ranks) = (&ws.bodies, &ws.ranks);
    let asleep = |handle: &BodyHandle| {
        ranks
            .get(handle.0.slot as usize)
            .copied()
            .flatten()
            .is_some_and(|rank| bodies[rank as usize].sleeping_island.is_some())
    };
    if bodies.iter().any(|body| body.sleeping_island.is_some()) {
        world.contacts.retain(|contact| asleep(&contact.a) || asleep(&contact.b));
    } else {
        world.contacts.clear();
    }
    let held = world.contacts.len();
    impulses.clear();
    impulses.resize(ws.contacts.len(), None);
    for (island, solution) in ws.islands.as_slice().iter().zip(&ws.solutions) {
        for (c, impulse) in island.contacts.iter().zip(&solution.contact_impulses) {
            let contact = &ws.contacts[*c as usize];
            let (a, b) = (contact.a as usize, contact.b as usize);
            push(&mut forces[b], *impulse / dt, contact.arm_b);
            push(&mut forces[a], -*impulse / dt, contact.arm_a);
            impulses[*c as usize] = Some(*impulse);
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
    let solved = || ws.contacts.iter().zip(&*impulses).filter_map(|(contact, impulse)| Some((contact, (*impulse)?)));
    for (contact, impulse) in solved() {
        let (a, b) = (contact.a as usize, contact.b as usize);
        world.contacts.push(ContactPoint {
            a: handles[a],
            b: handles[b],
            point: contact.point,
            normal: contact.frame[0],
            gap: contact.gap,
            impulse,
            velocity: contact.velocity(&ws.after[a], &ws.after[b]),
        });
    }
    if held > 0 {
        let rank = |handle: BodyHandle| ranks[handle.0.slot as usize];
        world.contacts.sort_by_key(|contact| (rank(contact.a), rank(contact.b)));
    }
    let remembered = solved().filter_map(|(contact, impulse)| {
        let point = CachedPoint { feature: contact.feature, point: contact.point, normal: contact.frame[0], impulse };
        contact.impact.is_none().then_some((handles[contact.a as usize], handles[contact.b as usize], point))
    });
    changed |= world.cache.store(dt, remembered, |(a, b)| asleep(a) || asleep(b));
    for (((body, state), constraint), rest) in ws.bodies.iter().zip(&ws.end).zip(&*forces).zip(&ws.rest) {
        let Some(record) = world.bodies.at_mut(body.slot) else { continue };
        changed |= record.rest != *rest;
        record.rest = *rest;
        world.next_sleeping_island =
            world.next_sleeping_island.max(rest.sleeping_island.map_or(0, |island| island + 1));
        if body.sleeping_island.is_some() {
            continue;
        }
        changed |= record.quarantined != body.quarantined || bits(&record.state) != bits(state);
        changed |= record.force != DVec3::ZERO || record.torque != DVec3::ZERO;
        record.quarantined = body.quarantined;
        record.state = *state;
        record.constraint = *constraint;
        record.force = DVec3::ZERO;
        record.torque = DVec3::ZERO;
    }
    events.sort_by_key(JointEvent::joint);
    world.count_turns(dt);
    changed
}

/// A state to the last bit: of two zeros the sign too.
fn bits(state: &BodyState) -> [u64; 13] {
    let BodyState { position, orientation, velocity, spin } = state;
    let (x, q, v, w) = (position.to_array(), orientation.to_array(), velocity.to_array(), spin.to_array());
    let mut numbers = x.into_iter().chain(q).chain(v).chain(w);
    std::array::from_fn(|_| numbers.next().map_or(0, f64::to_bits))
}

fn push(forces: &mut ConstraintForces, force: DVec3, arm: DVec3) {
    forces.force += force;
    forces.torque += arm.cross(force);
}

//! Contacts as they are reported: at rest, forces are those with the least self-stress.
//!
//! Redundant contact points can share a load in many ways, and a solver returns one of them. A box at rest on four
//! points was once reported with friction of up to half its normal forces. All contacts that a user reads come through
//! this file. Groups of bodies connected by contacts at rest get a canonical answer: among all impulses that obey the
//! laws and have the same effect on every dynamic body, the one with the least friction and then the most even normal
//! forces ([`LeastStress`]). Steps do not use it. It is computed at the first read after contacts changed.

use crate::body::{BodyRecord, Kind};
use crate::report::ContactPoint;
use crate::step::{SHUT_SPEED, contact_frame, contact_row, inverse_mass_of, root, world_inverse_inertia};
use crate::{BodyHandle, World};
use glamx::DVec3;
use signorini_problem::{Block, ContactProblem, FactoredParts};
use signorini_solvers::{LeastStress, Support};
use std::sync::OnceLock;

/// Below this relative speed a contact is at rest [m/s].
const REST: f64 = 1e-8;
/// Above this overlap with a kinematic body its normal force is that of a squeeze \[m\]: see `step/squeeze.rs`.
const SQUEEZED: f64 = 1e-9;

/// The reported contacts, and the contacts they were computed from.
#[derive(Debug, Default)]
pub(crate) struct ReadOut {
    now: OnceLock<Vec<ContactPoint>>,
    /// Contacts of the last read, as solved and as reported.
    earlier: Option<(Vec<ContactPoint>, Vec<ContactPoint>)>,
}

impl ReadOut {
    /// Called before contacts change.
    pub fn set_aside(&mut self, found: &[ContactPoint]) {
        if let Some(shown) = self.now.take() {
            self.earlier = Some((found.to_vec(), shown));
        }
    }
    /// Called when contacts or their laws have changed.
    pub fn forget(&mut self) {
        *self = ReadOut::default();
    }
    /// The contacts of a world as they are reported.
    pub fn of<'a>(&'a self, world: &World) -> &'a [ContactPoint] {
        self.now.get_or_init(|| match &self.earlier {
            Some((found, shown)) if *found == world.contacts => shown.clone(),
            _ => least_stress(world),
        })
    }
}

fn least_stress(world: &World) -> Vec<ContactPoint> {
    let mut shown = world.contacts.clone();
    let mut method = LeastStress::default();
    let scene = Dynamic::of(world);
    for group in scene.groups() {
        let at_rest = |c: &u32| {
            let contact = &world.contacts[*c as usize];
            contact.impulse == DVec3::ZERO || contact.velocity.length() <= REST
        };
        if group.iter().all(at_rest) {
            scene.relax(&group, &mut method, &mut shown);
        }
    }
    shown
}

/// A world with dynamic bodies indexed by rank, so that insertion order does not change a bit.
struct Dynamic<'a> {
    world: &'a World,
    /// Rank by slot; `None` for bodies that are not dynamic.
    ranks: Vec<Option<u32>>,
}

impl<'a> Dynamic<'a> {
    fn of(world: &'a World) -> Self {
        let slots = world.order.iter().max().map_or(0, |slot| *slot as usize + 1);
        let mut ranks = vec![None; slots];
        for (rank, slot) in world.order.iter().enumerate() {
            let moves = |record: &BodyRecord| record.kind == Kind::Dynamic && !record.quarantined;
            ranks[*slot as usize] = world.bodies.at(*slot).is_some_and(moves).then_some(rank as u32);
        }
        Dynamic { world, ranks }
    }

    fn rank(&self, body: BodyHandle) -> Option<u32> {
        self.ranks.get(body.0.slot as usize).copied().flatten()
    }

    /// Groups of contacts of connected dynamic bodies, by index in the list.
    fn groups(&self) -> Vec<Vec<u32>> {
        let ends = || self.world.contacts.iter().map(|c| [c.a, c.b].map(|body| self.rank(body)));
        let mut parent: Vec<u32> = (0..self.world.order.len() as u32).collect();
        for pair in ends() {
            if let [Some(a), Some(b)] = pair {
                let (a, b) = (root(&mut parent, a), root(&mut parent, b));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        let mut members: Vec<(u32, u32)> = Vec::with_capacity(self.world.contacts.len());
        for (index, pair) in ends().enumerate() {
            if let Some(rank) = pair[0].or(pair[1]) {
                members.push((root(&mut parent, rank), index as u32));
            }
        }
        members.sort_unstable();
        members.chunk_by(|x, y| x.0 == y.0).map(|group| group.iter().map(|(_, index)| *index).collect()).collect()
    }

    /// Point at which the impulse of a contact acts, in the plane of the nearest point of its patch \[m\], and whether
    /// the whole patch is shut. Points of a patch are adjacent.
    fn patch(&self, index: usize) -> (DVec3, bool) {
        let list = &self.world.contacts;
        let contact = &list[index];
        let same = |other: &&ContactPoint| (other.a, other.b, other.normal) == (contact.a, contact.b, contact.normal);
        let points = list[..index].iter().rev().take_while(same).chain(list[index..].iter().take_while(same));
        let nearest = points.clone().min_by(|x, y| x.gap.total_cmp(&y.gap)).unwrap_or(contact);
        let shut = SHUT_SPEED * self.world.cache.time_step();
        let acting = contact.point + contact.normal * contact.normal.dot(nearest.point - contact.point);
        (acting, points.clone().all(|point| point.gap <= shut))
    }

    /// Replaces the impulses of a group of contacts at rest by those with the least self-stress; leaves them if that
    /// fails.
    fn relax(&self, group: &[u32], method: &mut LeastStress, shown: &mut [ContactPoint]) {
        let world = self.world;
        let mut parts = FactoredParts::default();
        let FactoredParts { blocks, inverse_mass, bodies: pairs, jacobian, q, .. } = &mut parts;
        let contacts = || group.iter().map(|c| &world.contacts[*c as usize]);
        let mut members: Vec<u32> = contacts().flat_map(|c| [c.a, c.b]).filter_map(|body| self.rank(body)).collect();
        members.sort_unstable();
        members.dedup();
        for rank in &members {
            let Some(record) = world.bodies.at(world.order[*rank as usize]) else { return };
            let inverse_inertia = world_inverse_inertia(record, record.state.orientation);
            inverse_mass.push(inverse_mass_of(record.mass.inverse_mass, inverse_inertia));
        }
        let place = |body: BodyHandle| {
            let rank = self.rank(body)?;
            members.binary_search(&rank).ok().map(|place| place as u32)
        };
        // A squeeze needs a kinematic body and another immovable one.
        let mut immovable: Vec<BodyHandle> =
            contacts().flat_map(|c| [c.a, c.b]).filter(|body| self.rank(*body).is_none()).collect();
        immovable.sort_unstable();
        immovable.dedup();
        let mut supports = Vec::with_capacity(group.len());
        let mut impulses = Vec::with_capacity(3 * group.len());
        let mut frames = Vec::with_capacity(group.len());
        for index in group.iter().map(|c| *c as usize) {
            let contact = &world.contacts[index];
            let [Ok(a), Ok(b)] = [contact.a, contact.b].map(|body| world.bodies.get(body.0)) else { return };
            let surface = world.pair_surface(a, b);
            let friction = surface.material.friction;
            let (acting, shut) = self.patch(index);
            let pressed = immovable.len() > 1
                && contact.gap < -SQUEEZED
                && [a, b].iter().any(|record| record.kind == Kind::Kinematic);
            let rolls = contact.moment != DVec3::ZERO;
            let given = contact.impulse == DVec3::ZERO && !shut || surface.grain.is_some() || rolls;
            supports.push(match given {
                true => Support::Given,
                false if pressed || surface.soft().is_some() => Support::GivenNormal,
                false => Support::Cone,
            });
            let frame = contact_frame(contact.normal);
            let rows = if friction > 0.0 { 3 } else { 1 };
            blocks.push(if rows == 3 { Block::contact(friction) } else { Block::normal() });
            pairs.push([place(contact.a), place(contact.b)]);
            for direction in &frame[..rows] {
                jacobian.push(contact_row(*direction, acting - a.state.position, acting - b.state.position));
                impulses.push(direction.dot(contact.impulse));
                q.push(0.0);
            }
            frames.push((frame, rows));
        }
        let Ok(problem) = ContactProblem::from_parts(parts) else { return };
        if !method.relax(&problem, &supports, &mut impulses) {
            return;
        }
        for (block, (index, (frame, rows))) in group.iter().zip(frames).enumerate() {
            let carried = &impulses[problem.range(block)];
            shown[*index as usize].impulse = carried.iter().zip(&frame[..rows]).map(|(r, d)| *r * *d).sum();
        }
    }
}

//! Contacts as they are shown: forces of what is at rest with the least self-stress.
//!
//! Several points of contact share a load in many ways, and a solver returns one of them: a box at rest on four points was
//! shown with friction of up to half its normal forces and nothing to hold. All that is read of contacts goes through here.
//! Bodies that hang together by contacts at rest get the one answer with the smallest friction and then the most even normal
//! forces, among those that do the same to every dynamic body and obey the laws ([`LeastStress`]). The steps neither see nor
//! need it: it is worked out when somebody looks, and again only if the contacts have changed.

use crate::body::{BodyRecord, Kind};
use crate::report::ContactPoint;
use crate::step::{SHUT_SPEED, contact_frame, contact_row, inverse_mass_of, root, world_inverse_inertia};
use crate::{BodyHandle, World};
use glamx::DVec3;
use signorini_problem::{Block, ContactProblem, FactoredParts};
use signorini_solvers::{LeastStress, Support};
use std::sync::OnceLock;

/// Speed below which the points of a contact are at rest against each other [m/s].
const REST: f64 = 1e-8;
/// Overlap with a kinematic body from which its normal force is that of a squeeze \[m\]: see `step/squeeze.rs`.
const SQUEEZED: f64 = 1e-9;

/// What was shown, and of which contacts.
#[derive(Debug, Default)]
pub(crate) struct ReadOut {
    now: OnceLock<Vec<ContactPoint>>,
    /// Contacts as they were found when somebody last looked, and as they were shown.
    earlier: Option<(Vec<ContactPoint>, Vec<ContactPoint>)>,
}

impl ReadOut {
    /// Contacts are about to change.
    pub fn set_aside(&mut self, found: &[ContactPoint]) {
        if let Some(shown) = self.now.take() {
            self.earlier = Some((found.to_vec(), shown));
        }
    }
    /// Contacts and what they obey have changed.
    pub fn forget(&mut self) {
        *self = ReadOut::default();
    }
    /// The contacts of a world as they are shown.
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

/// A world whose dynamic bodies are known by rank, so that the order of adding does not change a bit.
struct Dynamic<'a> {
    world: &'a World,
    /// By slot; none of bodies that nothing moves.
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

    /// Contacts of dynamic bodies that hang together, by their places in the list.
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

    /// Where the impulse of a contact acts, in the plane of the nearest point of its patch \[m\], and whether the whole patch is
    /// shut. Points of a patch follow each other.
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

    /// Shows a group of contacts at rest with the least self-stress; as it is found if that cannot be worked out.
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
        // A kinematic body squeezes against another that does not give way.
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

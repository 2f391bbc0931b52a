//! Replay. In: what the last step left as it was. Out: islands at rest that are not computed again.
//!
//! A step of an island is a function of its bodies, of what they touch, of the remembered impulses, the settings and the
//! time step, to the last bit. Where all of these are after a step what they were before it, the next step of this island is
//! this one again: same states, same impulses, same certificate. Its bodies stand in the step like fixed ones, and what the
//! last step said of the island is added to the report.
//!
//! An island is replayed if
//!
//! * the last step left its bodies, their contacts and the remembered impulses as they were, bit for bit, and solved it;
//! * nobody has lent one of its bodies, or of the fixed and kinematic bodies that it touches, for changes since;
//! * settings, time step and excluded pairs are the same;
//! * no enabled joint holds one of its bodies;
//! * no body that is new, was changed or has moved comes near one of its bodies: the swept boxes of the broad phase say so.
//!
//! Islands with joints, bounces, squeezes, belts or surfaces that give way are always computed. What is remembered here never
//! shows in a state: a world without this memory takes the same steps.

use crate::joint::Anchor;
use crate::report::{StepCounts, StepReport};
use crate::step::contact::Contact;
use crate::step::island::Island;
use crate::step::solve::{IslandSolution, add_effort};
use crate::step::{Moving, Push, Workspace};
use crate::{BodyHandle, Kind, Settings, World};
use glamx::DVec3;
use signorini_problem::{Certificate, Counts};
use signorini_solvers::Effort;

const NONE: u32 = u32::MAX;

/// What the last step left of a body.
#[derive(Clone, Copy, Debug)]
struct Remembered {
    /// Of its record, after the step.
    edited: u64,
    /// The step left it as it was.
    unchanged: bool,
    /// Among the islands at rest, or `NONE`.
    island: u32,
}

impl Default for Remembered {
    fn default() -> Self {
        Remembered { edited: 0, unchanged: false, island: NONE }
    }
}

/// What the last step said of an island that it left as it was.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestingIsland {
    /// Slots of its bodies, and of the fixed and kinematic ones that it touches.
    bodies: Vec<u32>,
    partners: Vec<u32>,
    /// Whom its contacts are between.
    owners: Vec<(BodyHandle, BodyHandle)>,
    /// Impulses on the partners, by slot, and their arms, in the order of contacts [N·s, m].
    on_partners: Vec<(u32, DVec3, DVec3)>,
    certificate: Option<Certificate>,
    effort: Effort,
    states: Counts,
    penetration: f64,
    against_free_motion: f64,
    /// It is replayed in the step at hand.
    replayed: bool,
}

/// Islands at rest, and what they depend on.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    dt: f64,
    settings: Option<Settings>,
    excluded: Vec<(u32, u32)>,
    /// By slot.
    bodies: Vec<Remembered>,
    islands: Vec<RestingIsland>,
    /// Memory of islands that are gone.
    spare: Vec<RestingIsland>,
}

impl Replay {
    /// Finds the islands that are replayed in this step; their bodies stand like fixed ones from here on.
    pub fn choose(
        &mut self,
        world: &World,
        dt: f64,
        excluded: &[(u32, u32)],
        pairs: &[(u32, u32)],
        bodies: &mut [Moving],
    ) {
        let same = self.dt == dt && self.settings == Some(world.settings) && self.excluded == excluded;
        let remembered = &self.bodies;
        let unchanged = |slot: u32| {
            let known = remembered.get(slot as usize);
            known.is_some_and(|known| known.unchanged && world.bodies.edited(slot) == known.edited)
        };
        for island in &mut self.islands {
            island.replayed = same && island.bodies.iter().chain(&island.partners).all(|slot| unchanged(*slot));
        }
        if !self.islands.iter().any(|island| island.replayed) {
            return;
        }
        for &(i, j) in pairs {
            let (one, two) = (bodies[i as usize].slot, bodies[j as usize].slot);
            for (own, other) in [(one, two), (two, one)] {
                let island = remembered.get(own as usize).map_or(NONE, |known| known.island);
                // An island that is looked at again for something else does not move in this step's contacts with others.
                if island != NONE && !unchanged(other) {
                    self.islands[island as usize].replayed = false;
                }
            }
        }
        // A joint that is new or enabled again makes another island of it.
        for record in world.joint_order.iter().filter_map(|slot| world.joints.at(*slot)).filter(|joint| joint.enabled) {
            let other = if let Anchor::Body(b, _) = record.joint.b { Some(b.0.slot) } else { None };
            for slot in [Some(record.joint.a.0.0.slot), other].into_iter().flatten() {
                let island = remembered.get(slot as usize).map_or(NONE, |known| known.island);
                if island != NONE {
                    self.islands[island as usize].replayed = false;
                }
            }
        }
        for body in bodies.iter_mut() {
            let island = remembered.get(body.slot as usize).map_or(NONE, |known| known.island);
            if island != NONE && self.islands[island as usize].replayed {
                body.replayed = true;
                body.kind = Kind::Fixed;
            }
        }
    }

    /// Islands that are replayed, in the order of their first bodies.
    pub fn replayed(&self) -> impl Iterator<Item = &RestingIsland> {
        self.islands.iter().filter(|island| island.replayed)
    }

    /// Contacts of the islands that are replayed.
    pub fn contacts(&self) -> usize {
        self.replayed().map(|island| island.owners.len()).sum()
    }

    /// What their contacts did to the motion that forces alone would have made \[J\].
    pub fn against_free_motion(&self) -> f64 {
        self.replayed().map(|island| island.against_free_motion).sum()
    }

    /// The bodies of a block of an island that was replayed; they are counted after those that were computed.
    pub fn owner(&self, island: usize, block: usize) -> Option<(BodyHandle, BodyHandle)> {
        self.replayed().nth(island)?.owners.get(block).copied()
    }

    /// Adds what the last step said of the islands that are replayed. `computed` are the others.
    pub fn tell(&self, computed: &[IslandSolution], report: &mut StepReport) {
        // An island that misses its tolerance is worse than any that meets it.
        let missed = report.worst_island.is_some_and(|island| !computed[island].solved);
        for (place, island) in self.replayed().enumerate() {
            let StepCounts { contacts, islands, replayed, solves, states, .. } = &mut report.counts;
            *contacts += island.owners.len();
            *islands += 1;
            *replayed += 1;
            *solves += usize::from(island.effort.iterations > 0);
            for (total, part) in [
                (&mut states.open, island.states.open),
                (&mut states.stick, island.states.stick),
                (&mut states.slip, island.states.slip),
            ] {
                *total += part;
            }
            report.penetration = report.penetration.max(island.penetration);
            add_effort(&mut report.effort, &island.effort);
            if let Some(certificate) = island.certificate.filter(|_| !missed)
                && report.velocity.is_none_or(|worst| certificate.scaled > worst.scaled)
            {
                report.velocity = Some(certificate);
                report.worst_island = Some(computed.len() + place);
            }
        }
    }

    /// After a step: forgets what was not replayed, and remembers what the step has left as it was, if all of its
    /// displacements were `proved`.
    pub fn remember(&mut self, world: &World, ws: &Workspace, dt: f64, proved: bool) {
        let unchanged = &ws.commit.unchanged;
        let Replay { islands, spare, bodies, excluded, .. } = self;
        (self.dt, self.settings) = (dt, Some(world.settings));
        excluded.clone_from(&ws.collision.plan.excluded);
        let mut kept = 0;
        for place in 0..islands.len() {
            if islands[place].replayed {
                islands.swap(kept, place);
                kept += 1;
            }
        }
        spare.extend(islands.drain(kept..));
        if proved {
            for (island, solution) in ws.islands.as_slice().iter().zip(&ws.solutions) {
                if is_at_rest(ws, island, solution, unchanged) {
                    let mut resting = spare.pop().unwrap_or_default();
                    resting.fill(world, ws, island, solution);
                    islands.push(resting);
                }
            }
        }
        islands.sort_unstable_by_key(|island| ws.ranks[island.first_slot() as usize]);
        bodies.clear();
        bodies.resize(ws.ranks.len(), Remembered::default());
        for (body, unchanged) in ws.bodies.iter().zip(unchanged) {
            let known = &mut bodies[body.slot as usize];
            (known.edited, known.unchanged) = (world.bodies.edited(body.slot), *unchanged);
        }
        for (place, island) in islands.iter().enumerate() {
            island.bodies.iter().for_each(|slot| bodies[*slot as usize].island = place as u32);
        }
    }
}

fn is_at_rest(ws: &Workspace, island: &Island, solution: &IslandSolution, unchanged: &[bool]) -> bool {
    let contacts = || island.contacts.iter().map(|c| &ws.contacts[*c as usize]);
    island.joints.is_empty()
        && solution.solved
        && solution.motion.is_none()
        && solution.passed_on.is_none()
        && solution.squeezed.is_empty()
        && island.bodies.iter().all(|rank| unchanged[*rank as usize])
        && contacts().all(|c| c.impact.is_none() && unchanged[c.a as usize] && unchanged[c.b as usize])
        // A drive or a spring does work in every step, which the ledger wants from the contact itself.
        && contacts().all(|c| c.soft.is_none() && c.running == DVec3::ZERO)
        // Of partners only impulses and their arms are kept.
        && contacts().all(|c| c.rolling.is_none())
}

impl RestingIsland {
    /// Slot of its first body.
    pub fn first_slot(&self) -> u32 {
        self.bodies[0]
    }

    /// Impulses on the fixed and kinematic bodies that it touches, by slot, and their arms.
    pub fn on_partners(&self) -> &[(u32, DVec3, DVec3)] {
        &self.on_partners
    }

    fn fill(&mut self, world: &World, ws: &Workspace, island: &Island, solution: &IslandSolution) {
        let slot = |rank: u32| ws.bodies[rank as usize].slot;
        let handle = |rank: u32| BodyHandle(world.bodies.key(slot(rank)));
        let contacts = || island.contacts.iter().map(|c| &ws.contacts[*c as usize]);
        self.bodies.clear();
        self.bodies.extend(island.bodies.iter().map(|rank| slot(*rank)));
        self.partners.clear();
        let others = |c: &Contact| [c.a, c.b].into_iter().filter(|rank| !ws.bodies[*rank as usize].is_dynamic());
        self.partners.extend(contacts().flat_map(others).map(slot));
        self.partners.sort_unstable();
        self.partners.dedup();
        self.owners.clear();
        self.owners.extend(contacts().map(|c| (handle(c.a), handle(c.b))));
        self.on_partners.clear();
        for (contact, Push { impulse, .. }) in contacts().zip(&solution.contact_impulses) {
            // As they are added up: the second body first.
            for (rank, impulse, arm) in [(contact.b, *impulse, contact.arm_b), (contact.a, -*impulse, contact.arm_a)] {
                if !ws.bodies[rank as usize].is_dynamic() {
                    self.on_partners.push((slot(rank), impulse, arm));
                }
            }
        }
        self.certificate = solution.certificate;
        self.effort = solution.effort;
        self.penetration = contacts().fold(0.0, |deepest, c| f64::max(deepest, -c.gap));
        (self.states, self.against_free_motion) = (Counts::default(), 0.0);
        for (contact, Push { impulse, .. }) in contacts().zip(&solution.contact_impulses) {
            let (a, b) = (contact.a as usize, contact.b as usize);
            let velocity = contact.velocity(&ws.after[a], &ws.after[b]);
            crate::step::grade::count_state(contact, *impulse, velocity, &mut self.states);
            let free = contact.velocity(&ws.free[a].after, &ws.free[b].after);
            self.against_free_motion += 0.5 * impulse.dot(free + velocity);
        }
    }
}

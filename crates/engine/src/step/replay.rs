//! Replay. In: what the last step left unchanged. Out: islands at rest that are not computed again.
//!
//! The step of an island is a bit-exact function of its bodies, of what they touch, of the cached impulses, the
//! settings and the time step. If a step leaves all of these unchanged, the next step of the island would give the same
//! states, impulses and certificate again. So its bodies are treated as fixed in that step, and the results of the last
//! step are added to the report.
//!
//! An island is replayed if
//!
//! * the last step solved it and left its bodies, contacts and cached impulses unchanged, bit for bit;
//! * since then no one has borrowed one of its bodies mutably, nor a fixed or kinematic body that it touches;
//! * settings, time step and excluded pairs are the same;
//! * no enabled joint holds one of its bodies;
//! * no new, edited or moving body is near one of its bodies, judged by the swept boxes of the broad phase.
//!
//! Islands with joints, bounces, squeezes, conveyor belts or soft surfaces are always computed. This memory does not
//! influence any state: a world without it takes the same steps.

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

/// What is remembered of a body.
#[derive(Clone, Copy, Debug)]
struct Remembered {
    /// Edit counter of its record after the step.
    edited: u64,
    /// Whether the step left it unchanged.
    unchanged: bool,
    /// Index among the islands at rest, or `NONE`.
    island: u32,
}

impl Default for Remembered {
    fn default() -> Self {
        Remembered { edited: 0, unchanged: false, island: NONE }
    }
}

/// Results of the last step for an island that it left unchanged.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestingIsland {
    /// Slots of its bodies, and of the fixed and kinematic bodies that it touches.
    bodies: Vec<u32>,
    partners: Vec<u32>,
    /// The two bodies of each contact.
    owners: Vec<(BodyHandle, BodyHandle)>,
    /// Impulses on the fixed and kinematic bodies, by slot, and their arms, in the order of contacts [N·s, m].
    on_partners: Vec<(u32, DVec3, DVec3)>,
    certificate: Option<Certificate>,
    effort: Effort,
    states: Counts,
    penetration: f64,
    against_free_motion: f64,
    /// Whether it is replayed in the current step.
    replayed: bool,
}

/// All islands at rest, and what they depend on.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    dt: f64,
    settings: Option<Settings>,
    excluded: Vec<(u32, u32)>,
    /// By slot.
    bodies: Vec<Remembered>,
    islands: Vec<RestingIsland>,
    /// Spare memory, from islands that are no longer at rest.
    spare: Vec<RestingIsland>,
}

impl Replay {
    /// Finds the islands that are replayed in this step. Their bodies count as fixed from here on.
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
                // A body near the island is new, edited or moving: the island has to be computed.
                if island != NONE && !unchanged(other) {
                    self.islands[island as usize].replayed = false;
                }
            }
        }
        // A joint that is new or enabled again changes the island.
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

    /// Number of contacts of the replayed islands.
    pub fn contacts(&self) -> usize {
        self.replayed().map(|island| island.owners.len()).sum()
    }

    /// Energy that their contacts take from the motion by forces alone \[J\].
    pub fn against_free_motion(&self) -> f64 {
        self.replayed().map(|island| island.against_free_motion).sum()
    }

    /// The bodies of a block of a replayed island. Indices of replayed islands follow those of computed ones.
    pub fn owner(&self, island: usize, block: usize) -> Option<(BodyHandle, BodyHandle)> {
        self.replayed().nth(island)?.owners.get(block).copied()
    }

    /// Adds the results of the replayed islands to the report. `computed` are the answers of the other islands.
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

    /// Called after a step. Forgets islands that were not replayed and remembers those that the step left unchanged,
    /// unless a displacement of the step was not `proved`.
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
        // Belts and soft surfaces do work in every step; the ledger needs the contacts themselves for it.
        && contacts().all(|c| c.soft.is_none() && c.running == DVec3::ZERO)
        // Only impulses and arms are kept for fixed and kinematic bodies, no moments.
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
            // In the order in which forces are summed: the second body first.
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

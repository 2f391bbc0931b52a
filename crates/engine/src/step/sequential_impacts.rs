//! Sequential impacts ([`crate::ImpactLaw`]). In: an island with an impact. Out: the velocities after a sequence of
//! impacts.
//!
//! Newton's law applied to all contacts at once makes all balls of Newton's cradle move off together. Here an impact
//! propagates: each round reflects the contacts that are approaching, and no others, until none is left. With P the
//! mass-weighted projection of the velocity onto the motions that these contacts allow,
//!
//! ```text
//! v ← v + (1 + e)(P v − v),   T ← T(P v) + e² T(P v − v)
//! ```
//!
//! Energy is conserved exactly for e = 1 and never increases for e < 1, because P is the projection onto a cone.
//! Momentum is conserved because P v − v = M⁻¹Jᵀλ. These are the generalised reflections of Smith, Kaufman, Vouga,
//! Tamstorf and Grinspun 2012 (Reflections on simultaneous impact, ACM Transactions on Graphics 31(4)). Departures from
//! the paper: groups of contacts without a common body are reflected separately, each with the least e of the contacts
//! that push; contacts that approach more slowly than the rest speed have e = 0; locked coordinates of joints hold
//! throughout, while limits, motors and springs do not act; friction acts once at the end, against the remaining slip,
//! up to μ times the normal impulse of all rounds. The number of rounds is bounded, because for e < 1 there can be
//! infinitely many. Contacts that are still approaching then are stopped, not reflected, by the contact problem that
//! follows. Its certificate covers the velocities of all contacts.

use crate::step::Twist;
use crate::step::assembly::{Scene, contact_row, inverse_mass, row_velocity};
use crate::step::gears::assemble_gears;
use crate::step::island::Island;
use crate::step::solve::{IslandSpace, body_changes};
use crate::{Settings, StepError};
use glamx::DVec3;
use signorini_problem::{Block, ContactProblem, FactoredParts, InverseMass};
use signorini_solvers::{ContactSolver, ExactOptions, History, Status, StoppingRule};

/// Effect of the rounds on an island.
pub(crate) struct SequentialImpacts {
    /// Time within the step \[s\].
    pub time: f64,
    /// Change of velocity per body of the island.
    pub change: Vec<Twist>,
    /// Impulse of each contact of the island, world axes \[N·s\].
    pub contact_impulses: Vec<DVec3>,
    /// Impulses of the joints of the island, row by row.
    pub joint_impulses: Vec<f64>,
}

/// A contact approaches if it is faster than this share of the fastest body \[1\].
const STILL: f64 = 1e-13;

pub(crate) fn reflect(
    settings: &Settings,
    scene: &Scene,
    island: &Island,
    index: usize,
    rounds: usize,
    space: &mut IslandSpace,
) -> Result<Option<SequentialImpacts>, StepError> {
    let contacts = || island.contacts.iter().map(|c| &scene.contacts[*c as usize]);
    let Some(time) = contacts().filter_map(|c| c.impact.map(|i| i.time)).reduce(f64::min) else { return Ok(None) };
    let start: Vec<Twist> =
        island.bodies.iter().map(|rank| scene.free[*rank as usize].velocity_at(time, scene.dt)).collect();
    let mut state = Rounds {
        scene,
        island,
        index,
        velocity: start.clone(),
        inverse_mass: island.bodies.iter().map(|rank| inverse_mass(&scene.bodies[*rank as usize])).collect(),
        contact_impulses: vec![DVec3::ZERO; island.contacts.len()],
        joint_impulses: vec![0.0; island.joints.iter().map(|j| scene.joints[*j as usize].row_count()).sum()],
    };
    // Forces before the impact may violate joints. Remove that first, so that it is not reflected.
    if !island.joints.is_empty() && !state.project(&[], 0.0, settings.rest_speed, space)? {
        return Ok(None);
    }
    for _ in 0..rounds {
        let approaching = state.approaching(time);
        if approaching.is_empty() {
            break;
        }
        for group in state.groups(&approaching) {
            if !state.project(&group, 1.0, settings.rest_speed, space)? {
                return Ok(None);
            }
        }
    }
    state.rub(space)?;
    let change = state
        .velocity
        .iter()
        .zip(&start)
        .map(|(after, before)| Twist { linear: after.linear - before.linear, angular: after.angular - before.angular });
    let change = change.collect();
    let Rounds { contact_impulses, joint_impulses, .. } = state;
    Ok(Some(SequentialImpacts { time, change, contact_impulses, joint_impulses }))
}

/// Impulses, and the change of velocity by them.
type Answer = (Vec<f64>, Vec<Twist>);

/// Velocities and impulses as the rounds go on. Contacts are named by their place in the island.
struct Rounds<'a> {
    scene: &'a Scene<'a>,
    island: &'a Island,
    index: usize,
    velocity: Vec<Twist>,
    inverse_mass: Vec<InverseMass>,
    contact_impulses: Vec<DVec3>,
    joint_impulses: Vec<f64>,
}

impl Rounds<'_> {
    fn contact(&self, place: usize) -> &crate::step::contact::Contact {
        &self.scene.contacts[self.island.contacts[place] as usize]
    }

    fn local(&self, rank: u32) -> Option<u32> {
        self.island.bodies.binary_search(&rank).ok().map(|i| i as u32)
    }

    fn twist(&self, rank: u32) -> Twist {
        self.local(rank).map_or(self.scene.free[rank as usize].after, |i| self.velocity[i as usize])
    }

    /// Velocity of B relative to A at a contact.
    fn velocity_of(&self, place: usize) -> DVec3 {
        let contact = self.contact(place);
        contact.velocity(&self.twist(contact.a), &self.twist(contact.b))
    }

    /// Contacts that approach, and whose gap, if any, closes within the step.
    fn approaching(&self, time: f64) -> Vec<usize> {
        let speed = self.velocity.iter().fold(0.0, |m: f64, v| m.max(v.linear.length()));
        let rest = self.scene.dt - time;
        let closes = |place: &usize| {
            let contact = self.contact(*place);
            let normal = contact.frame[0].dot(self.velocity_of(*place));
            normal < -STILL * speed && (contact.impact.is_some() || contact.gap <= -normal * rest)
        };
        (0..self.island.contacts.len()).filter(closes).collect()
    }

    /// Groups of contacts that share a body, directly or through other contacts and joints.
    fn groups(&self, places: &[usize]) -> Vec<Vec<usize>> {
        let mut label: Vec<u32> = (0..self.island.bodies.len() as u32).collect();
        let join = |a: Option<u32>, b: Option<u32>, label: &mut Vec<u32>| {
            if let (Some(a), Some(b)) = (a, b) {
                let (keep, drop) = (label[a as usize].min(label[b as usize]), label[a as usize].max(label[b as usize]));
                label.iter_mut().filter(|l| **l == drop).for_each(|l| *l = keep);
            }
        };
        for joint in self.island.joints.iter().map(|j| &self.scene.joints[*j as usize]) {
            let [a, b] = [joint.a, joint.b].map(|rank| rank.and_then(|rank| self.local(rank)));
            join(a, b, &mut label);
        }
        for gear in &self.island.gears {
            let joints = self.scene.gears.terms(*gear as usize).iter().map(|term| &self.scene.joints[term.joint]);
            let bodies = joints.flat_map(|joint| [joint.a, joint.b]).flatten().filter_map(|rank| self.local(rank));
            let bodies: Vec<u32> = bodies.collect();
            bodies.windows(2).for_each(|pair| join(Some(pair[0]), Some(pair[1]), &mut label));
        }
        let ends = |place: usize| (self.local(self.contact(place).a), self.local(self.contact(place).b));
        for &place in places {
            let (a, b) = ends(place);
            join(a, b, &mut label);
        }
        let mut groups: Vec<(u32, Vec<usize>)> = Vec::new();
        for &place in places {
            let (a, b) = ends(place);
            let Some(label) = a.or(b).map(|i| label[i as usize]) else { continue };
            match groups.iter_mut().find(|(l, _)| *l == label) {
                Some((_, group)) => group.push(place),
                None => groups.push((label, vec![place])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    /// v ← v + (1 + s e)(P v − v) over these contacts and all joints. Returns false if P v was not found.
    fn project(
        &mut self,
        group: &[usize],
        scale: f64,
        rest_speed: f64,
        space: &mut IslandSpace,
    ) -> Result<bool, StepError> {
        let mut parts = FactoredParts::default();
        let FactoredParts { blocks, bodies: pairs, jacobian: rows, compliance, q, .. } = &mut parts;
        for &place in group {
            let contact = self.contact(place);
            blocks.push(Block::normal());
            pairs.push([self.local(contact.a), self.local(contact.b)]);
            rows.push(contact_row(contact.frame[0], contact.arm_a, contact.arm_b));
            q.push(contact.frame[0].dot(self.velocity_of(place)));
        }
        for joint in self.island.joints.iter().map(|j| &self.scene.joints[*j as usize]) {
            let [a, b] = [joint.a, joint.b].map(|rank| rank.map(|rank| self.twist(rank)));
            for row in self.scene.rows_of(joint).iter().filter(|row| row.locked) {
                if row.block > 0 {
                    blocks.push(Block::joint(row.block));
                    pairs.push([joint.a, joint.b].map(|rank| rank.and_then(|rank| self.local(rank))));
                }
                rows.push(row.columns);
                q.push(row_velocity(&row.columns, a.as_ref(), b.as_ref()));
            }
        }
        compliance.resize(rows.len(), 0.0);
        assemble_gears(self.scene, self.island, |rank| self.local(rank), |rank| self.twist(rank), &mut parts);
        let approach: Vec<f64> = parts.q[..group.len()].to_vec();
        let Some((impulses, change)) = self.solve(parts, space)? else { return Ok(false) };
        let pushing = group.iter().enumerate().filter(|(i, _)| impulses[*i] > 0.0);
        let bounce = |(i, place): (usize, &usize)| {
            if -approach[i] >= rest_speed { self.contact(*place).restitution } else { 0.0 }
        };
        let factor = 1.0 + scale * pushing.map(bounce).reduce(f64::min).unwrap_or(0.0);
        for (i, &place) in group.iter().enumerate() {
            let normal = self.contact(place).frame[0];
            self.contact_impulses[place] += factor * impulses[i] * normal;
        }
        let joints = self.island.joints.iter().map(|j| &self.scene.joints[*j as usize]);
        let locked = joints.flat_map(|joint| self.scene.rows_of(joint)).map(|row| row.locked);
        let held = self.joint_impulses.iter_mut().zip(locked).filter(|(_, locked)| *locked);
        for ((total, _), impulse) in held.zip(&impulses[group.len()..]) {
            *total += factor * impulse;
        }
        let of_gears = &impulses[impulses.len() - self.island.gears.len()..];
        for (gear, impulse) in self.island.gears.iter().zip(of_gears) {
            for term in self.scene.gears.terms(*gear as usize) {
                let joints = self.island.joints.iter().take_while(|j| (**j as usize) < term.joint);
                let before: usize = joints.map(|j| self.scene.joints[*j as usize].row_count()).sum();
                self.joint_impulses[before + term.row] += factor * term.factor * impulse;
            }
        }
        self.add(&change, factor);
        Ok(true)
    }

    /// Applies friction against the slip that the rounds left, up to μ times their normal impulses.
    fn rub(&mut self, space: &mut IslandSpace) -> Result<(), StepError> {
        let mut parts = FactoredParts::default();
        let FactoredParts { blocks, bodies: pairs, jacobian: rows, q, .. } = &mut parts;
        let mut slips = Vec::new();
        for place in 0..self.island.contacts.len() {
            let contact = self.contact(place);
            let normal = contact.frame[0];
            let bound = contact.friction * normal.dot(self.contact_impulses[place]);
            let velocity = self.velocity_of(place) + contact.running;
            let slip = velocity - normal.dot(velocity) * normal;
            let Some(direction) = slip.try_normalize().filter(|_| bound > 0.0) else { continue };
            blocks.push(Block::interval(-bound, bound));
            pairs.push([self.local(contact.a), self.local(contact.b)]);
            rows.push(contact_row(direction, contact.arm_a, contact.arm_b));
            q.push(slip.length());
            slips.push((place, direction));
        }
        if slips.is_empty() {
            return Ok(());
        }
        if let Some((impulses, change)) = self.solve(parts, space)? {
            for ((place, direction), impulse) in slips.into_iter().zip(impulses) {
                self.contact_impulses[place] += impulse * direction;
            }
            self.add(&change, 1.0);
        }
        Ok(())
    }

    /// Impulses and M⁻¹Jᵀr, if they were found and certified.
    fn solve(&self, mut parts: FactoredParts, space: &mut IslandSpace) -> Result<Option<Answer>, StepError> {
        parts.inverse_mass.extend_from_slice(&self.inverse_mass);
        let problem =
            ContactProblem::from_parts(parts).map_err(|source| StepError::Problem { island: self.index, source })?;
        let stop = StoppingRule::velocity(1e-12);
        let IslandSpace { pivoting, exact, position_session: session, .. } = space;
        // A squeeze may have changed the options.
        exact.options = ExactOptions { budget: ExactOptions::stepping().budget, ..ExactOptions::default() };
        let methods: [&mut dyn ContactSolver; 2] = [pivoting, exact];
        for method in methods {
            // A method that cannot start leaves the problem to the next one.
            let Ok(solution) = session.solve(&problem, method, None, &stop, &mut History::off()) else { continue };
            if solution.status == Status::Solved {
                let (mut velocity, mut change) = (Vec::new(), Vec::new());
                body_changes(&problem, &solution.impulses, self.island.bodies.len(), &mut velocity, &mut change);
                return Ok(Some((solution.impulses.clone(), change)));
            }
        }
        Ok(None)
    }

    fn add(&mut self, change: &[Twist], factor: f64) {
        for (velocity, change) in self.velocity.iter_mut().zip(change) {
            velocity.linear += factor * change.linear;
            velocity.angular += factor * change.angular;
        }
    }
}

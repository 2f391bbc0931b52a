//! Stage 6/9, first half: assembly. In: an island. Out: its contact problem. Eq.: u = (J M⁻¹Jᵀ + diag(c)) r + q,
//! q = J v* + offset, row of direction d: J = [−dᵀ, −(r_A×d)ᵀ, dᵀ, (r_B×d)ᵀ].
//!
//! Restitution, open gaps and velocity bias enter `offset` here and nowhere else: −c for a bounce (see `contact`), g/h
//! for a contact of an open patch, −fraction·depth/h for the velocity bias. Joints are blocks of the same problem. Fixed and
//! kinematic bodies have no columns; the velocity of a kinematic body is in q. The normal rows of a squeeze give way by the
//! compliance c of their pads; all other rows are rigid.

use crate::joint::{Anchor, JointKind};
use crate::step::contact::Contact;
use crate::step::free_motion::FreeMotion;
use crate::step::island::Island;
use crate::step::squeeze::Pad;
use crate::step::{Moving, Twist};
use crate::{Stabilisation, World};
use glamx::{DMat3, DQuat, DVec3};
use signorini_problem::{Block, ContactProblem, FactoredParts, InverseMass, JacobianRow, ProblemError};

/// What the stages from here on read.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub bodies: &'a [Moving],
    pub free: &'a [FreeMotion],
    pub contacts: &'a [Contact],
    pub joints: &'a [JointFrame],
    /// Ranks by slot.
    pub ranks: &'a [Option<u32>],
    pub dt: f64,
}

impl Scene<'_> {
    pub fn rank_of_slot(&self, slot: u32) -> Option<u32> {
        self.ranks.get(slot as usize).copied().flatten()
    }
}

/// A joint at the current poses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointFrame {
    pub slot: u32,
    pub a: u32,
    pub b: Option<u32>,
    /// Rows of J; the second six columns are not used when the other end is the world.
    pub rows: [JacobianRow; 6],
    /// Position error of every row [m, rad].
    pub error: [f64; 6],
    /// Rows of each equality block.
    pub blocks: &'static [usize],
    /// Impulse to start from.
    pub guess: [f64; 6],
}

impl JointFrame {
    pub fn row_count(&self) -> usize {
        self.blocks.iter().sum()
    }
    /// Velocity of a row [m/s, rad/s].
    pub fn velocity(&self, row: usize, a: &Twist, b: Option<&Twist>) -> f64 {
        let j = &self.rows[row];
        let dot = |from: usize, t: &Twist| {
            DVec3::new(j[from], j[from + 1], j[from + 2]).dot(t.linear)
                + DVec3::new(j[from + 3], j[from + 4], j[from + 5]).dot(t.angular)
        };
        dot(0, a) + b.map_or(0.0, |b| dot(6, b))
    }
}

/// Row of J for the velocity of B against A along `direction`.
pub(crate) fn contact_row(direction: DVec3, arm_a: DVec3, arm_b: DVec3) -> JacobianRow {
    row(-direction, -arm_a.cross(direction), direction, arm_b.cross(direction))
}

pub(crate) fn row(linear_a: DVec3, angular_a: DVec3, linear_b: DVec3, angular_b: DVec3) -> JacobianRow {
    let mut row = [0.0; 12];
    for (chunk, v) in row.chunks_exact_mut(3).zip([linear_a, angular_a, linear_b, angular_b]) {
        chunk.copy_from_slice(&v.to_array());
    }
    row
}

/// Ranks of bodies by their slots.
pub(crate) fn ranks_by_slot(bodies: &[Moving], ranks: &mut Vec<Option<u32>>) {
    let slots = bodies.iter().map(|b| b.slot + 1).max().unwrap_or(0);
    ranks.clear();
    ranks.resize(slots as usize, None);
    for (rank, body) in bodies.iter().enumerate() {
        ranks[body.slot as usize] = Some(rank as u32);
    }
}

/// Joints at the current poses, in the order of their bodies' ids.
pub(crate) fn joint_frames(world: &World, ranks: &[Option<u32>], out: &mut Vec<JointFrame>) {
    out.clear();
    for slot in &world.joint_order {
        let Some(record) = world.joints.at(*slot) else { continue };
        let joint = &record.joint;
        let end = |handle: crate::BodyHandle, anchor: DVec3| {
            let rank = ranks.get(handle.0.slot as usize).copied().flatten()?;
            let body = world.bodies.at(handle.0.slot)?;
            let arm = body.state.orientation * (anchor - body.mass.centre);
            Some((rank, body.state.position + arm, arm, body.state.orientation))
        };
        let Some((a, point_a, arm_a, turn_a)) = end(joint.a.0, joint.a.1) else { continue };
        let (b, point_b, arm_b, turn_b) = match joint.b {
            Anchor::World(point) => (None, point, DVec3::ZERO, DQuat::IDENTITY),
            Anchor::Body(handle, anchor) => match end(handle, anchor) {
                Some((b, point, arm, turn)) => (Some(b), point, arm, turn),
                None => continue,
            },
        };
        let apart = point_b - point_a;
        let mut frame = JointFrame {
            slot: *slot,
            a,
            b,
            rows: [[0.0; 12]; 6],
            error: [0.0; 6],
            blocks: &[3],
            guess: record.impulse,
        };
        match joint.kind {
            JointKind::Distance { length } => {
                // Anchors that coincide have no direction: any is as good, and the error is the whole length.
                let n = apart.try_normalize().unwrap_or(DVec3::Z);
                frame.blocks = &[1];
                frame.rows[0] = contact_row(n, arm_a, arm_b);
                frame.error[0] = apart.length() - length;
            }
            JointKind::Ball | JointKind::Fixed => {
                // Of two bodies the same point, like a contact: a drift would be the arm of a couple otherwise, and make
                // angular momentum.
                let middle = if b.is_some() { 0.5 * apart } else { DVec3::ZERO };
                let (arm_a, arm_b) = (arm_a + middle, arm_b - middle);
                for (i, axis) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
                    frame.rows[i] = contact_row(axis, arm_a, arm_b);
                    frame.error[i] = apart[i];
                }
            }
        }
        if joint.kind == JointKind::Fixed {
            frame.blocks = &[3, 3];
            // Rotation that takes B from where the joint wants it to where it is, world axes.
            let turn = turn_b * (turn_a * record.relative).inverse();
            let turn = if turn.w < 0.0 { -turn } else { turn };
            let angle = turn.to_scaled_axis();
            for (i, axis) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
                frame.rows[3 + i] = row(DVec3::ZERO, -axis, DVec3::ZERO, axis);
                frame.error[3 + i] = angle[i];
            }
        }
        out.push(frame);
    }
}

/// What an island's problem is posed with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purpose<'a> {
    /// Restitution is scaled by this factor.
    pub restitution_scale: f64,
    /// How overlap is treated.
    pub stabilisation: Stabilisation,
    /// What earlier impacts did to the velocities of the island's bodies, or nothing.
    pub shift: &'a [Twist],
    /// Pads of the island's contacts, or nothing if it is not squeezed.
    pub pads: &'a [Option<Pad>],
}

/// Speed at which no two points of bodies within their ranges approach [m/s]: 1e8 rad/s at 1e10 m. A gap that only more
/// would close is this far open, however short the step.
const OPEN_FOR_SURE: f64 = 1e20;

/// Speed that closes a gap \[m\] in a time \[s\], at most what there is [m/s].
pub(crate) fn closing_speed(gap: f64, time: f64) -> f64 {
    (gap / time).clamp(-OPEN_FOR_SURE, OPEN_FOR_SURE)
}

/// Offset of a contact's normal row [m/s].
fn normal_offset(contact: &Contact, scale: f64, stabilisation: Stabilisation, dt: f64) -> f64 {
    match &contact.impact {
        Some(impact) => -impact.target(scale * contact.restitution, dt),
        None => closing_speed(contact.effective_gap(stabilisation), dt),
    }
}

/// The problem of an island: contacts first, then joints. `parts` lends its memory.
pub(crate) fn assemble(
    scene: &Scene,
    island: &Island,
    purpose: &Purpose,
    mut parts: FactoredParts,
) -> Result<ContactProblem, ProblemError> {
    parts.clear();
    let FactoredParts { blocks, inverse_mass: masses, bodies: pairs, jacobian: rows, compliance, q, .. } = &mut parts;
    masses.extend(island.bodies.iter().map(|rank| inverse_mass(&scene.bodies[*rank as usize])));
    let local = |rank: u32| scene.bodies[rank as usize].place;
    let Purpose { restitution_scale, stabilisation, shift, pads } = *purpose;
    let after = |rank: u32| {
        let free = scene.free[rank as usize].after;
        match local(rank).and_then(|i| shift.get(i as usize)) {
            Some(shift) => Twist { linear: free.linear + shift.linear, angular: free.angular + shift.angular },
            None => free,
        }
    };
    for (place, contact) in island.contacts.iter().map(|c| &scene.contacts[*c as usize]).enumerate() {
        let pad = pads.get(place).and_then(Option::as_ref);
        pairs.push([local(contact.a), local(contact.b)]);
        let velocity = contact.velocity(&after(contact.a), &after(contact.b));
        let directions = contact.directions();
        let (offset, softness) = match pad {
            Some(pad) => (pad.gap / scene.dt, pad.compliance(scene.dt)),
            None => (normal_offset(contact, restitution_scale, stabilisation, scene.dt), 0.0),
        };
        blocks.push(if directions.len() == 3 { Block::contact(contact.friction) } else { Block::normal() });
        for (i, direction) in directions.iter().enumerate() {
            rows.push(contact_row(*direction, contact.arm_a, contact.arm_b));
            q.push(direction.dot(velocity) + if i == 0 { offset } else { 0.0 });
            compliance.push(if i == 0 { softness } else { 0.0 });
        }
    }
    for joint in island.joints.iter().map(|j| &scene.joints[*j as usize]) {
        let (a, b) = (&after(joint.a), joint.b.map(after));
        let b = b.as_ref();
        let mut row = 0;
        for count in joint.blocks {
            blocks.push(Block::joint(*count));
            pairs.push([local(joint.a), joint.b.and_then(local)]);
            for _ in 0..*count {
                rows.push(joint.rows[row]);
                q.push(joint.velocity(row, a, b));
                compliance.push(0.0);
                row += 1;
            }
        }
    }
    ContactProblem::from_parts(parts)
}

/// Impulses to start from, in the order of [`assemble`].
pub(crate) fn guess(scene: &Scene, island: &Island, out: &mut Vec<f64>) {
    out.clear();
    for contact in island.contacts.iter().map(|c| &scene.contacts[*c as usize]) {
        out.extend(contact.directions().iter().map(|d| d.dot(contact.guess)));
    }
    for joint in island.joints.iter().map(|j| &scene.joints[*j as usize]) {
        out.extend_from_slice(&joint.guess[..joint.row_count()]);
    }
}

pub(crate) fn inverse_mass(body: &Moving) -> InverseMass {
    inverse_mass_of(body.inverse_mass, body.inverse_inertia)
}

/// From the inverse mass [1/kg] and the inverse inertia, world axes [1/(kg·m²)].
pub(crate) fn inverse_mass_of(inverse_mass: f64, inverse_inertia: DMat3) -> InverseMass {
    let mut m = [[0.0; 6]; 6];
    for i in 0..3 {
        m[i][i] = inverse_mass;
        for j in 0..3 {
            m[3 + i][3 + j] = inverse_inertia.col(j)[i];
        }
    }
    m
}

#[cfg(test)]
#[path = "assembly_tests.rs"]
mod tests;

//! Assembly. In: an island. Out: its contact problem. Eq.: u = (J M⁻¹Jᵀ + diag(c)) r + q,
//! q = J v* + offset, row of direction d: J = [−dᵀ, −(r_A×d)ᵀ, dᵀ, (r_B×d)ᵀ].
//!
//! This is the only place that fills `offset`: −c for a bounce (see `contact`), g/h for an open contact,
//! −fraction·depth/h for the velocity bias. Joints are blocks of the same problem. Fixed and kinematic bodies have no
//! columns; the velocity of a kinematic body is in q. The compliance c is that of pads (`squeeze`), of soft surfaces
//! and of springs; all other rows are rigid.

use crate::joint::geometry::{End, JointGeometry, Pose};
use crate::joint::{Anchor, Frame};
use crate::step::contact::Contact;
use crate::step::free_motion::FreeMotion;
use crate::step::gears::{GearFrames, assemble_gears};
use crate::step::island::Island;
use crate::step::squeeze::Pad;
use crate::step::{Moving, Twist};
use crate::{Stabilisation, World};
use glamx::{DMat3, DQuat, DVec3};
use signorini_problem::{Block, ContactProblem, FactoredParts, InverseMass, JacobianRow, Law, ProblemError};
use std::ops::Range;

/// Everything that the stages from row 3 on read: bodies, contacts, joints and gears of the step.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub bodies: &'a [Moving],
    pub free: &'a [FreeMotion],
    pub contacts: &'a [Contact],
    pub joints: &'a [JointFrame],
    /// Rows of the joints, at the current poses.
    pub joint_rows: &'a [JointRow],
    /// Which joint rows are bound to each other by gears.
    pub gears: &'a GearFrames,
    /// The rank of each body, by slot.
    pub ranks: &'a [Option<u32>],
    pub dt: f64,
}

impl<'a> Scene<'a> {
    pub fn new(
        (bodies, free): (&'a [Moving], &'a [FreeMotion]),
        contacts: &'a [Contact],
        (joints, joint_rows, gears): (&'a [JointFrame], &'a [JointRow], &'a GearFrames),
        ranks: &'a [Option<u32>],
        dt: f64,
    ) -> Self {
        Scene { bodies, free, contacts, joints, joint_rows, gears, ranks, dt }
    }

    pub fn rank_of_slot(&self, slot: u32) -> Option<u32> {
        self.ranks.get(slot as usize).copied().flatten()
    }
    /// Rows of a joint.
    pub fn rows_of(&self, joint: &JointFrame) -> &[JointRow] {
        &self.joint_rows[joint.rows.clone()]
    }
}

/// A joint at the current poses.
#[derive(Clone, Debug)]
pub(crate) struct JointFrame {
    pub slot: u32,
    /// Rank of the base body; `None` is the world.
    pub a: Option<u32>,
    /// Rank of the body that moves relative to the base.
    pub b: Option<u32>,
    /// Its rows among those of all joints.
    pub rows: Range<usize>,
}

/// A row of a joint at the current poses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointRow {
    /// Row of J; the first six columns are not used when the base is the world.
    pub columns: JacobianRow,
    pub law: Law,
    /// Rows of the block that begins here; zero within a block.
    pub block: usize,
    /// c \[1/kg, 1/(kg·m²)\].
    pub compliance: f64,
    /// Bias on the velocity, and the gap of a limit over h [m/s, rad/s].
    pub offset: f64,
    /// Whether the coordinate is locked (not a limit, motor or spring).
    pub locked: bool,
    /// Whether a gear binds the row to rows of other joints.
    pub geared: bool,
    /// Initial guess of the impulse.
    pub guess: f64,
}

impl JointFrame {
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }
}

/// Velocity along a row of J [m/s, rad/s]; `None` is the world.
pub(crate) fn row_velocity(row: &JacobianRow, a: Option<&Twist>, b: Option<&Twist>) -> f64 {
    let dot = |from: usize, t: &Twist| {
        DVec3::new(row[from], row[from + 1], row[from + 2]).dot(t.linear)
            + DVec3::new(row[from + 3], row[from + 4], row[from + 5]).dot(t.angular)
    };
    a.map_or(0.0, |a| dot(0, a)) + b.map_or(0.0, |b| dot(6, b))
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

/// Fills in the joints at the current poses, in the order of their bodies' ids, and their rows. The rows hold the
/// bodies as they are: position errors are corrected by other stages.
pub(crate) fn joint_frames(
    world: &World,
    (bodies, ranks): (&[Moving], &[Option<u32>]),
    dt: f64,
    out: &mut Vec<JointFrame>,
    rows: &mut Vec<JointRow>,
) {
    out.clear();
    rows.clear();
    let rank_of = |slot: u32| ranks.get(slot as usize).copied().flatten();
    let pose = |end: End| -> Pose {
        let End::Given(rank, _) = end else { return (DVec3::ZERO, DQuat::IDENTITY) };
        let state = &bodies[rank as usize].state;
        (state.position, state.orientation)
    };
    for slot in &world.joint_order {
        let Some(record) = world.joints.at(*slot).filter(|record| record.enabled) else { continue };
        let mut geometry = JointGeometry::new(record, |anchor| joint_end(world, &rank_of, anchor));
        let rank = |end: End| if let End::Given(rank, _) = end { Some(rank) } else { None };
        let (a, b) = (rank(geometry.a), rank(geometry.b));
        let placed = geometry.place(pose);
        if geometry.locked_error(&placed) > 0.0 {
            // Both bodies use the same point, as for a contact. With two points, drift between them would be the arm of
            // a couple, which changes angular momentum.
            geometry.fit(&placed, pose(geometry.a).1);
        }
        let placed = geometry.place(pose);
        let first = rows.len();
        for (spec, guess) in record.rows.iter().zip(&record.impulse) {
            let columns = geometry.jacobian(spec, &placed, &placed);
            let twist = |rank: u32| {
                let state = &bodies[rank as usize].state;
                Twist { linear: state.velocity, angular: state.angular_velocity }
            };
            let rate = row_velocity(&columns, a.map(twist).as_ref(), b.map(twist).as_ref());
            let value = geometry.value(spec.measure, &placed);
            let posed = spec.pose(dt, value, rate);
            let gap = if posed.law == Law::NonNegative { closing_speed(spec.error(value).max(0.0), dt) } else { 0.0 };
            rows.push(JointRow {
                columns,
                law: posed.law,
                block: spec.block,
                compliance: posed.compliance,
                offset: posed.bias + gap,
                locked: spec.is_locked(),
                geared: spec.is_geared(),
                guess: *guess,
            });
        }
        out.push(JointFrame { slot: *slot, a, b, rows: first..rows.len() });
    }
}

/// One end of a joint, with its body given by rank.
pub(crate) fn joint_end(world: &World, rank_of: &impl Fn(u32) -> Option<u32>, anchor: Anchor) -> End {
    let Anchor::Body(handle, frame) = anchor else { return End::World(anchor.frame()) };
    let centre = world.bodies.at(handle.0.slot).map_or(DVec3::ZERO, |record| record.mass.centre);
    match rank_of(handle.0.slot) {
        Some(rank) => End::Given(rank, Frame { point: frame.point - centre, ..frame }),
        None => End::World(frame),
    }
}

/// What varies between the problems that are posed for one island.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purpose<'a> {
    /// Factor on all coefficients of restitution \[1\].
    pub restitution_scale: f64,
    /// How overlap is treated.
    pub stabilisation: Stabilisation,
    /// Velocity changes of the island's bodies by earlier impacts; empty if there were none.
    pub shift: &'a [Twist],
    /// Pads of the island's contacts; empty if the island is not squeezed.
    pub pads: &'a [Option<Pad>],
}

/// Upper bound on the approach speed of two points [m/s]: larger than 1e8 rad/s at 1e10 m, the limits on states.
/// Quotients gap/h are cut off here, so that very short steps cannot overflow.
const OPEN_FOR_SURE: f64 = 1e20;

/// Speed that closes a gap \[m\] within a time \[s\], at most [`OPEN_FOR_SURE`] [m/s].
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

/// Assembles the problem of an island: contacts first, then joints, then gears. The problem takes over the memory of
/// `parts`.
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
        let twists = [after(contact.a), after(contact.b)];
        let velocity = contact.velocity(&twists[0], &twists[1]);
        let directions = contact.directions();
        let (offset, softness) = match pad {
            Some(pad) => (pad.gap / scene.dt, pad.compliance(scene.dt)),
            None => match contact.soft {
                Some(soft) => (soft.bias(contact.gap, scene.dt), soft.compliance(scene.dt)),
                None => (normal_offset(contact, restitution_scale, stabilisation, scene.dt), 0.0),
            },
        };
        blocks.push(contact.block());
        for (i, direction) in directions.iter().enumerate() {
            rows.push(contact_row(*direction, contact.arm_a, contact.arm_b));
            q.push(direction.dot(velocity) + if i == 0 { offset } else { contact.running_along(*direction) });
            compliance.push(if i == 0 { softness } else { 0.0 });
        }
        for (row, speed) in contact.turning_rows(&twists[0], &twists[1]) {
            rows.push(row);
            q.push(speed);
            compliance.push(0.0);
        }
    }
    for joint in island.joints.iter().map(|j| &scene.joints[*j as usize]) {
        let (a, b) = (joint.a.map(after), joint.b.map(after));
        for row in scene.rows_of(joint).iter().filter(|row| !row.geared) {
            if row.block > 0 {
                blocks.push(Block { law: row.law, rows: row.block });
                // The body of the joint comes first, as the user says it.
                pairs.push([joint.b, joint.a].map(|rank| rank.and_then(local)));
            }
            let mut columns = row.columns;
            columns.rotate_left(6);
            rows.push(columns);
            compliance.push(row.compliance);
            q.push(row_velocity(&row.columns, a.as_ref(), b.as_ref()) + row.offset);
        }
    }
    assemble_gears(scene, island, local, after, &mut parts);
    ContactProblem::from_parts(parts)
}

/// Fills in the initial guess of the impulses, in the row order of [`assemble`].
pub(crate) fn guess(scene: &Scene, island: &Island, out: &mut Vec<f64>) {
    out.clear();
    for contact in island.contacts.iter().map(|c| &scene.contacts[*c as usize]) {
        out.extend(contact.rows_of(&contact.guess));
    }
    for joint in island.joints.iter().map(|j| &scene.joints[*j as usize]) {
        out.extend(scene.rows_of(joint).iter().map(|row| row.guess));
    }
}

pub(crate) fn inverse_mass(body: &Moving) -> InverseMass {
    inverse_mass_of(body.inverse_mass, body.inverse_inertia)
}

/// Packs the inverse mass [1/kg] and the inverse inertia in world axes [1/(kg·m²)].
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

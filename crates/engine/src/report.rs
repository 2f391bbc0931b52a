//! The report of a step: verdict, certificate, counts, energy ledger; and the contacts of a step.

use crate::{BodyHandle, EnergyLedger, JointEvent, StepCertificate};
use glamx::DVec3;
use serde::{Deserialize, Serialize};
use signorini_problem::{Certificate, Counts};
use signorini_solvers::Effort;

/// The verdict on a step.
///
/// ```
/// use signorini::{Settings, StepStatus, World};
/// let mut world = World::new(Settings::default())?;
/// assert_eq!(world.step(0.01)?.status, StepStatus::Certified);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Every part of the certificate meets its bound: velocities, end poses, joints, energy, momentum, stages.
    Certified,
    /// Some part of the certificate misses its bound: [`crate::StepCertificate::misses`] says which, by how much and where.
    Degraded,
}

/// Counts of bodies, contacts, islands and so on in a step.
///
/// ```
/// use signorini::{Body, Settings, Shape, World};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::dynamic(Shape::sphere(0.5)?))?;
/// let counts = world.step(0.01)?.counts;
/// assert_eq!((counts.bodies, counts.contacts), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepCounts {
    /// All bodies.
    pub bodies: usize,
    /// Pairs that the broad phase kept.
    pub pairs: usize,
    /// Contact points.
    pub contacts: usize,
    /// Contact points that bounce.
    pub impacts: usize,
    /// Joints.
    pub joints: usize,
    /// Groups of bodies that touch or are jointed.
    pub islands: usize,
    /// Islands that the last step left unchanged, and that were replayed without being computed.
    #[serde(default)]
    pub replayed: usize,
    /// Bodies that were stopped because they would have left the range of numbers: see
    /// [`crate::BodyView::is_quarantined`].
    pub quarantined: usize,
    /// Fast bodies that hit something a second time and lost the rest of the step: see [`crate::Body::fast`].
    pub curtailed: usize,
    /// Bodies that sleep after the step.
    pub sleeping: usize,
    /// Groups of bodies that were moved apart at the end poses.
    pub corrected: usize,
    /// Displacements that were not certified and not applied.
    pub unproved: usize,
    /// Contact problems that were solved, rounds of jointed islands included.
    pub solves: usize,
    /// Pieces into which the steps of jointed islands, and of those in `divided`, were cut; one per jointed island if
    /// nothing turns fast.
    pub pieces: usize,
    /// Islands that took the step in pieces, because links turn fast or contacts were not solved for the whole step.
    #[serde(default)]
    pub divided: usize,
    /// Pieces that failed: joints did not fit, or the energy rose.
    pub missed: usize,
    /// Contacts by state, judged by their motion; joints and bounded rows from the certificates.
    pub states: Counts,
}

/// Wall time of the stages \[s\]. Reported, never used.
///
/// ```
/// use signorini::{Settings, World};
/// let mut world = World::new(Settings::default())?;
/// assert!(world.step(0.01)?.times.solve >= 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageTimes {
    /// Forces, gyroscopic motion.
    pub free_motion: f64,
    /// Pairs of boxes.
    pub broad_phase: f64,
    /// Points of contact.
    pub manifold: f64,
    /// Frames, coefficients, guesses.
    pub contact: f64,
    /// Union–find.
    pub island: f64,
    /// Assembly, solution and certificates.
    pub solve: f64,
    /// Overlap and drift.
    pub position: f64,
    /// New poses, checks, energy ledger.
    pub integrate: f64,
    /// The certificate of the step.
    pub judge: f64,
}

/// Report of a step.
///
/// ```
/// use signorini::{Body, Settings, Shape, StepStatus, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// world.add(Body::dynamic(Shape::sphere(0.5)?).position(DVec3::new(0.0, 0.0, 0.5)))?;
/// let report = world.step(0.01)?;
/// assert_eq!(report.status, StepStatus::Certified);
/// assert!(report.velocity.is_some_and(|certificate| certificate.natural < 1e-9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepReport {
    /// The verdict.
    pub status: StepStatus,
    /// The certificate, part by part, computed by the judge from the states before and after the step.
    pub certificate: StepCertificate,
    /// Certificate of the contact problem with the largest residual; `None` if nothing touched.
    pub velocity: Option<Certificate>,
    /// Index of that island. Replayed islands are numbered after the others.
    pub worst_island: Option<usize>,
    /// Deepest overlap at the start of the step \[m\]; zero if none.
    pub penetration: f64,
    /// Least factor by which restitution of an island was scaled down so that contacts create no energy: 1 if none was,
    /// 0 if a kinematic body squeezes.
    pub restitution_scale: f64,
    /// Counts of bodies, contacts, islands and so on in a step.
    pub counts: StepCounts,
    /// Work of the solvers, summed over islands.
    pub effort: Effort,
    /// The energy ledger.
    pub energy: EnergyLedger,
    /// Wall time of the stages.
    pub times: StageTimes,
    /// Limits that were reached and joints that broke, in the order of [`crate::World::joints`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint_events: Vec<JointEvent>,
}

impl StepReport {
    /// The report of a step in which nothing happens.
    pub(crate) fn idle() -> Self {
        StepReport {
            status: StepStatus::Certified,
            certificate: StepCertificate::default(),
            velocity: None,
            worst_island: None,
            penetration: 0.0,
            restitution_scale: 1.0,
            counts: StepCounts::default(),
            effort: Effort::default(),
            energy: EnergyLedger::default(),
            times: StageTimes::default(),
            joint_events: Vec::new(),
        }
    }
}

/// A contact of the last step.
///
/// ```
/// use signorini::{Body, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// world.add(Body::dynamic(Shape::cuboid(DVec3::splat(0.5))?).mass(1.0).position(DVec3::new(0.0, 0.0, 0.5)))?;
/// world.step(0.01)?;
/// assert_eq!(world.contacts().len(), 4);
/// assert!(world.contacts().iter().all(|contact| (contact.impulse.z - 0.25 * 9.81 * 0.01).abs() < 1e-9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactPoint {
    /// First body; the normal points from it.
    pub a: BodyHandle,
    /// Second body.
    pub b: BodyHandle,
    /// Part of the first body's shape, or the triangle of its surface.
    pub part_a: u32,
    /// The same for the second body.
    pub part_b: u32,
    /// Position, midway between the surfaces at the start of the step \[m\].
    pub point: DVec3,
    /// Unit vector from A to B.
    pub normal: DVec3,
    /// Distance of the surfaces at the start of the step, negative when they overlap \[m\].
    pub gap: f64,
    /// Impulse on B, world axes \[N·s\]; A got the opposite.
    pub impulse: DVec3,
    /// Angular impulse on B by torsional and rolling friction, world axes \[N·m·s\]; A got the opposite.
    pub moment: DVec3,
    /// Velocity of the surface of B relative to that of A after the solve, world axes [m/s]. It includes driven
    /// surfaces ([`crate::SurfaceMotion`]).
    pub velocity: DVec3,
    /// Approach speed at the start of the step, or just before a bounce [m/s]; negative if they separated.
    pub approach: f64,
}

/// A contact slips if its tangential speed exceeds this [m/s]: a thousand times what a solved step leaves at a sticking
/// contact.
pub const SLIP_SPEED: f64 = 1e-6;

/// State of a contact, judged by its motion.
///
/// ```
/// use signorini::{Body, ContactState, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// world.add(Body::dynamic(Shape::sphere(0.5)?).position(DVec3::new(0.0, 0.0, 0.5)))?;
/// world.step(0.01)?;
/// assert_eq!(world.contacts()[0].state(), ContactState::Stick);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactState {
    /// It carries no impulse.
    Open = 0,
    /// It carries an impulse and its surfaces do not slide.
    Stick = 1,
    /// It carries an impulse and its surfaces slide.
    Slip = 2,
}

impl ContactState {
    /// State of a contact from its normal, impulse and final velocity. The friction force is no criterion, because a
    /// sticking contact may need all of it.
    pub(crate) fn of(normal: DVec3, impulse: DVec3, velocity: DVec3) -> ContactState {
        let along = velocity - velocity.dot(normal) * normal;
        match along.length() > SLIP_SPEED {
            _ if impulse.dot(normal) <= 0.0 => ContactState::Open,
            true => ContactState::Slip,
            false => ContactState::Stick,
        }
    }
    /// As tables call it.
    pub fn name(self) -> &'static str {
        match self {
            ContactState::Open => "open",
            ContactState::Stick => "stick",
            ContactState::Slip => "slip",
        }
    }
}

impl ContactPoint {
    /// Whether it is open, sticks or slips.
    pub fn state(&self) -> ContactState {
        ContactState::of(self.normal, self.impulse, self.velocity)
    }
}

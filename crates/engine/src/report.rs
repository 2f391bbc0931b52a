//! What a step says about itself.

use crate::{BodyHandle, EnergyLedger, JointEvent, StepCertificate};
use glamx::DVec3;
use serde::{Deserialize, Serialize};
use signorini_problem::{Certificate, Counts};
use signorini_solvers::Effort;

/// The verdict on a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Every part of the certificate meets its bound: velocities, end poses, joints, energy, momentum, stages.
    Certified,
    /// Some part of the certificate misses its bound: [`crate::StepCertificate::misses`] says which, by how much and where.
    Degraded,
}

/// How much there was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Islands that the last step left as they were, taken again without being computed.
    #[serde(default)]
    pub replayed: usize,
    /// Bodies that stand still because they would have left the range of numbers: see [`crate::BodyView::is_quarantined`].
    pub quarantined: usize,
    /// Fast bodies that met something a second time and lost the rest of the step: see [`crate::Body::fast`].
    pub curtailed: usize,
    /// Bodies that sleep after the step.
    pub sleeping: usize,
    /// Groups of bodies that were moved apart at the end poses.
    pub corrected: usize,
    /// Displacements that could not be proved and were left out.
    pub unproved: usize,
    /// Contact problems that were solved, rounds of jointed islands included.
    pub solves: usize,
    /// Pieces that the steps of jointed islands and of those in `divided` were cut into; one per jointed island where nothing turns
    /// fast.
    pub pieces: usize,
    /// Islands that took the step in pieces: links that turn fast, or contacts that were not solved for the whole step.
    #[serde(default)]
    pub divided: usize,
    /// Pieces that did not arrive: the joints did not fit, or the energy rose.
    pub missed: usize,
    /// Contacts by state, told by their motion; joints and what has bounds from the certificates.
    pub states: Counts,
}

/// Wall time of the stages \[s\]. Reported, never used.
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
    /// New poses, checks, books.
    pub integrate: f64,
    /// The certificate of the step.
    pub judge: f64,
}

/// What happened in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// The verdict.
    pub status: StepStatus,
    /// What the verdict is about, part by part, recomputed from the states before and after the step.
    pub certificate: StepCertificate,
    /// Certificate of the contact problem with the largest residual; none if nothing touched.
    pub velocity: Option<Certificate>,
    /// Which island that is; those that were replayed are counted after the others.
    pub worst_island: Option<usize>,
    /// Deepest overlap at the start of the step \[m\]; zero if none.
    pub penetration: f64,
    /// Least factor by which an island's restitution was scaled down to keep contact from making energy: 1 if none, 0 where a
    /// kinematic body squeezes.
    pub restitution_scale: f64,
    /// How much there was.
    pub counts: StepCounts,
    /// What the solvers did, summed over islands.
    pub effort: Effort,
    /// Where the energy went.
    pub energy: EnergyLedger,
    /// Wall time of the stages.
    pub times: StageTimes,
    /// Limits that were hit and joints that broke, in the order of [`crate::World::joints`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint_events: Vec<JointEvent>,
}

impl StepReport {
    /// A step in which nothing happens.
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// First body; the normal points from it.
    pub a: BodyHandle,
    /// Second body.
    pub b: BodyHandle,
    /// Part of the first body's shape, or the triangle of its surface.
    pub part_a: u32,
    /// The same of the second body.
    pub part_b: u32,
    /// Where, in the middle between the surfaces at the start of the step \[m\].
    pub point: DVec3,
    /// Unit vector from A to B.
    pub normal: DVec3,
    /// Distance of the surfaces at the start of the step, negative when they overlap \[m\].
    pub gap: f64,
    /// Impulse on B, world axes \[N·s\]; A got the opposite.
    pub impulse: DVec3,
    /// Angular impulse on B beside it, by torsional and rolling friction, world axes \[N·m·s\]; A got the opposite.
    pub moment: DVec3,
    /// Velocity of the surface of B against that of A after the solve, world axes [m/s]: that of the bodies there, and how their
    /// surfaces run ([`crate::SurfaceMotion`]).
    pub velocity: DVec3,
    /// How fast the two came together when the step began, or just before a bounce [m/s]; less than zero if they parted.
    pub approach: f64,
}

/// Speed along the surfaces from which a contact slips [m/s]: a thousand times what a certified step may leave of a contact
/// that holds.
pub const SLIP_SPEED: f64 = 1e-6;

/// What a contact does, told by its motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactState {
    /// Carries nothing.
    Open = 0,
    /// Carries, and its surfaces do not move along each other.
    Stick = 1,
    /// Carries, and its surfaces move along each other.
    Slip = 2,
}

impl ContactState {
    /// Of a contact with this normal that gave this impulse and was left with this velocity. The share of friction that is used
    /// does not tell: what is held may need all of it.
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
    /// What it does.
    pub fn state(&self) -> ContactState {
        ContactState::of(self.normal, self.impulse, self.velocity)
    }
}

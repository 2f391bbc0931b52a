//! The judge of a step: what `Certified` promises, recomputed from the states before and after the step, the impulses and
//! the laws. It shares no code with the stages of the step.
//!
//! | part | measured | bound |
//! |---|---|---|
//! | velocity | natural map of every block against its own scale, by the judge of the contact problem | tolerance of the settings |
//! | overlap | signed distance of every pair of shapes at the end poses, by GJK and EPA; what was as deep before does not count | 1e-4 of the smaller body's size |
//! | joint gap, joint turn | anchors, orientations, limits and gears at the end poses | 1e-8 m, 1e-8 rad |
//! | energy | the ledger adds up, and nothing rises without external or driven work | 1e-9 of the energy exchanged; with joints 1e-4 may rise |
//! | momentum | change of momentum of every body against forces and impulses | 1e-9 of their sizes |
//! | stages | what had to be cut short: bodies stood still or stopped early, pieces of motion that did not arrive | none |

mod energy;
mod gears;
mod joints;
mod momentum;
mod names;
mod overlap;
mod replay;

pub(crate) use momentum::{Impulse, Sum};
pub(crate) use overlap::OverlapSpace;
pub use replay::{Check, Finding, Recertifier, ReplayBody, ReplayContact, ReplayStep};

use crate::body::{BodyRecord, BodyState};
use crate::energy::EnergyLedger;
use crate::ids::Arena;
use crate::joint::{GearRecord, JointRecord};
use crate::settings::Settings;
use glamx::DVec3;
use serde::{Deserialize, Serialize};

/// Greatest gap of a joint at the end of a certified step \[m\], and greatest turn [rad].
pub const JOINT_BOUND: f64 = 1e-8;
/// Greatest overlap at the end of a certified step: this share of the smaller body's reach \[1\], and never more than
/// [`MAX_OVERLAP`].
pub const OVERLAP_SHARE: f64 = 1e-4;
/// Greatest overlap of bodies of any size \[m\].
pub const MAX_OVERLAP: f64 = 1e-4;
/// Overlap that is round-off of metre-sized poses and of gaps that count as closed, whatever the size \[m\].
pub const MIN_OVERLAP: f64 = 2e-6;
/// Force with which a kinematic body presses on a body that it squeezes, over the mass of that, at the bound of overlap
/// [m/s²]: a hundred weights. A hundredth of the bound carries the body; see `docs/decisions/0004-kinematic-squeeze.md`.
pub const PRESSURE: f64 = 1000.0;
/// Greatest defect of the ledger over the energy exchanged \[1\].
pub const CLOSURE_BOUND: f64 = 1e-9;
/// Greatest rise of the energy without external or driven work over the energy exchanged \[1\].
pub const RISE_BOUND: f64 = 1e-9;
/// The same in a world with joints \[1\]. Jointed islands keep their energy to second order: their pieces are halved from 1e-6 on, and may
/// rise by 4e-5 where they cannot be halved any more.
pub const JOINTED_RISE_BOUND: f64 = 1e-4;
/// Greatest defect of a body's momentum over the impulses on it \[1\].
pub const MOMENTUM_BOUND: f64 = 1e-9;

/// Greatest overlap that a certified step may make \[m\].
pub(crate) fn overlap_bound(a: &BodyRecord, b: &BodyRecord) -> f64 {
    let size = |body: &BodyRecord| if body.reach > 0.0 { body.reach } else { f64::INFINITY };
    (OVERLAP_SHARE * size(a).min(size(b))).clamp(MIN_OVERLAP, MAX_OVERLAP)
}

/// Where the worst of a part is. Bodies and joints are told by their places in [`crate::World::bodies`] and
/// [`crate::World::joints`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The bodies.
    pub bodies: [Option<u32>; 2],
    /// The joint.
    pub joint: Option<u32>,
}

/// One part of a step's certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// What was measured, in the unit of the part.
    pub value: f64,
    /// What it may be.
    pub bound: f64,
    /// Where it is largest against its bound.
    pub place: Place,
}

impl Part {
    /// Whether the bound holds; never with a NaN.
    pub fn is_met(&self) -> bool {
        self.value <= self.bound
    }
    /// Keeps the worse of two, by value over bound.
    fn worst(&mut self, value: f64, bound: f64, place: Place) {
        let value = if value.is_nan() { f64::INFINITY } else { value };
        if value * self.bound > self.value * bound || self.bound == 0.0 {
            *self = Part { value, bound, place };
        }
    }
}

/// What a step's certificate consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PartName {
    /// Residual of the contact problem over its own scale [m/s].
    Velocity,
    /// Overlap at the end poses \[m\].
    Overlap,
    /// Gap of a joint at the end poses \[m\].
    JointGap,
    /// Turn of a joint at the end poses [rad].
    JointTurn,
    /// Defect of the energy ledger over the energy exchanged \[1\].
    Closure,
    /// Rise of the energy over the energy exchanged \[1\].
    EnergyRise,
    /// Defect of momentum over the impulses \[1\].
    Momentum,
    /// Bodies and pieces of motion that were cut short.
    Stages,
}

impl PartName {
    /// All of them.
    pub const ALL: [PartName; 8] = [
        PartName::Velocity,
        PartName::Overlap,
        PartName::JointGap,
        PartName::JointTurn,
        PartName::Closure,
        PartName::EnergyRise,
        PartName::Momentum,
        PartName::Stages,
    ];
    /// As reports print it.
    pub fn name(self) -> &'static str {
        match self {
            PartName::Velocity => "velocity",
            PartName::Overlap => "overlap",
            PartName::JointGap => "joint gap",
            PartName::JointTurn => "joint turn",
            PartName::Closure => "energy closure",
            PartName::EnergyRise => "energy rise",
            PartName::Momentum => "momentum",
            PartName::Stages => "stages",
        }
    }
    /// Of the value; empty for shares and counts.
    pub fn unit(self) -> &'static str {
        match self {
            PartName::Velocity => "m/s",
            PartName::Overlap | PartName::JointGap => "m",
            PartName::JointTurn => "rad",
            PartName::Closure | PartName::EnergyRise | PartName::Momentum | PartName::Stages => "",
        }
    }
}

/// The certificate of a whole step: velocities, end poses, joints, energy, momentum, and what had to be cut short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepCertificate {
    /// Largest residual of an island's contact problem [m/s].
    pub velocity: Part,
    /// Deepest overlap at the end poses that was not there before \[m\].
    pub overlap: Part,
    /// Widest joint at the end poses \[m\].
    pub joint_gap: Part,
    /// Most turned joint at the end poses [rad].
    pub joint_turn: Part,
    /// Defect of the energy ledger over the energy exchanged \[1\].
    pub closure: Part,
    /// Rise of the energy that neither external nor driven work explains, over the energy exchanged \[1\].
    pub energy_rise: Part,
    /// Defect of momentum of a body over the impulses on it \[1\].
    pub momentum: Part,
    /// Bodies that stood still or stopped early, and pieces of motion that did not arrive.
    pub stages: Part,
}

impl StepCertificate {
    /// One part.
    pub fn part(&self, name: PartName) -> &Part {
        match name {
            PartName::Velocity => &self.velocity,
            PartName::Overlap => &self.overlap,
            PartName::JointGap => &self.joint_gap,
            PartName::JointTurn => &self.joint_turn,
            PartName::Closure => &self.closure,
            PartName::EnergyRise => &self.energy_rise,
            PartName::Momentum => &self.momentum,
            PartName::Stages => &self.stages,
        }
    }
    /// The parts that miss their bounds.
    pub fn misses(&self) -> impl Iterator<Item = (PartName, &Part)> {
        PartName::ALL.into_iter().map(|name| (name, self.part(name))).filter(|(_, part)| !part.is_met())
    }
    /// Whether every part meets its bound.
    pub fn is_met(&self) -> bool {
        self.misses().next().is_none()
    }
}

/// Tells every impulse of the step, one after another.
pub(crate) type TellImpulses<'a> = dyn Fn(&mut dyn FnMut(Impulse)) + 'a;

/// What the judge looks at: the world before the step, and what the step made of it.
pub(crate) struct Evidence<'a> {
    pub settings: &'a Settings,
    pub dt: f64,
    pub bodies: &'a Arena<BodyRecord>,
    /// Slots of the bodies in the order of their ids: ranks.
    pub order: &'a [u32],
    pub joints: &'a Arena<JointRecord>,
    pub joint_order: &'a [u32],
    pub gears: &'a Arena<GearRecord>,
    pub gear_order: &'a [u32],
    /// States at the end, by rank.
    pub end: &'a [BodyState],
    /// Which bodies take part as dynamic ones, by rank: neither asleep nor quarantined.
    pub active: &'a dyn Fn(usize) -> bool,
    /// Impulses on bodies, by rank, in any order.
    pub impulses: &'a TellImpulses<'a>,
    /// Sum of the sizes of the impulses along the coordinates of joints: limits, motors, friction, springs [N·s, N·m·s].
    pub drive_impulses: f64,
    /// Pairs of slots that a joint keeps from touching, sorted.
    pub jointed: &'a [(u32, u32)],
    /// Bodies whose overlap is what their user asked for.
    pub may_overlap: &'a dyn Fn(&BodyRecord, &BodyRecord) -> bool,
    pub ledger: &'a EnergyLedger,
}

impl Evidence<'_> {
    fn record(&self, rank: usize) -> Option<&BodyRecord> {
        self.bodies.at(*self.order.get(rank)?)
    }
}

/// Grades everything but velocities and stages, which are told by who solved them and by the judge of the problem.
pub(crate) fn certify(evidence: &Evidence, space: &mut OverlapSpace, sums: &mut Vec<momentum::Sum>) -> StepCertificate {
    let mut certificate = StepCertificate::default();
    overlap::grade(evidence, space, &mut certificate.overlap);
    joints::grade(evidence, &mut certificate.joint_gap, &mut certificate.joint_turn);
    gears::grade(evidence, &mut certificate.joint_gap, &mut certificate.joint_turn);
    energy::grade(evidence, &mut certificate.closure, &mut certificate.energy_rise);
    momentum::grade(evidence, sums, &mut certificate.momentum);
    certificate
}

/// Angular momentum about the centre of mass, world axes [kg·m²/s].
fn angular_momentum(record: &BodyRecord, state: &BodyState) -> DVec3 {
    let turn = glamx::DMat3::from_quat(state.orientation);
    turn * (record.mass.inertia * (turn.transpose() * state.spin))
}

//! The judge of a step. It computes the certificate from the states before and after the step, the impulses and the
//! laws, and shares no code with the stages of the step.
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
mod sums;

pub use replay::{Check, Finding, Recertifier, ReplayBody, ReplayContact, ReplayStep};
pub(crate) use sums::Impulse;

use crate::body::{BodyRecord, BodyState};
use crate::energy::EnergyLedger;
use crate::ids::Arena;
use crate::joint::{GearRecord, JointRecord};
use crate::settings::Settings;
use glamx::DVec3;
use overlap::OverlapSpace;
use serde::{Deserialize, Serialize};
use sums::Sum;

/// Greatest gap of a joint at the end of a certified step \[m\], and greatest turn [rad].
pub const JOINT_BOUND: f64 = 1e-8;
/// Greatest overlap at the end of a certified step: this share of the smaller body's reach \[1\], and never more than
/// [`MAX_OVERLAP`].
pub const OVERLAP_SHARE: f64 = 1e-4;
/// Greatest overlap of bodies of any size \[m\].
pub const MAX_OVERLAP: f64 = 1e-4;
/// Overlap allowed for bodies of any size \[m\]: round-off of metre-sized poses, and gaps that count as closed.
pub const MIN_OVERLAP: f64 = 2e-6;
/// Force of a kinematic body on a body that it squeezes, per mass, at the bound of overlap [m/s²]: a hundred times the
/// weight. So a hundredth of the bound carries the body; see `docs/decisions/0004-kinematic-squeeze.md`.
pub const PRESSURE: f64 = 1000.0;
/// Greatest defect of the ledger over the energy exchanged \[1\].
pub const CLOSURE_BOUND: f64 = 1e-9;
/// Greatest rise of the energy without external or driven work over the energy exchanged \[1\].
pub const RISE_BOUND: f64 = 1e-9;
/// The same in a world with joints \[1\]. Steps of jointed islands are halved above 1e-6, and accepted in the shortest
/// pieces up to 4e-5.
pub const JOINTED_RISE_BOUND: f64 = 1e-4;
/// Greatest defect of a body's momentum over the impulses on it \[1\].
pub const MOMENTUM_BOUND: f64 = 1e-9;

/// Greatest overlap that a certified step may make \[m\].
pub(crate) fn overlap_bound(a: &BodyRecord, b: &BodyRecord) -> f64 {
    let size = |body: &BodyRecord| if body.reach > 0.0 { body.reach } else { f64::INFINITY };
    (OVERLAP_SHARE * size(a).min(size(b))).clamp(MIN_OVERLAP, MAX_OVERLAP)
}

/// Where a part of the certificate has its worst value. Bodies and joints are indices into [`crate::World::bodies`] and
/// [`crate::World::joints`].
///
/// ```
/// use signorini::{Body, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?).named("floor"))?;
/// world.add(Body::dynamic(Shape::sphere(0.5)?).position(DVec3::new(0.0, 0.0, 0.4)).named("ball"))?;
/// // The ball begins in the floor, which is no fault of the step.
/// let report = world.step(0.01)?;
/// assert!(report.penetration > 0.09 && report.certificate.overlap.is_met());
/// assert!(world.names_at(&report.certificate.overlap.place).len() <= 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The bodies.
    pub bodies: [Option<u32>; 2],
    /// The joint.
    pub joint: Option<u32>,
}

/// One part of a step's certificate.
///
/// ```
/// use signorini::Part;
/// let overlap = Part { value: 2e-5, bound: 1e-4, ..Part::default() };
/// assert!(overlap.is_met() && (overlap.excess() - 0.2).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The measured value, in the unit of the part.
    pub value: f64,
    /// The bound.
    pub bound: f64,
    /// Where value over bound is largest.
    pub place: Place,
}

impl Part {
    /// Whether the bound holds; never with a NaN.
    pub fn is_met(&self) -> bool {
        self.value <= self.bound
    }
    /// Replaces the value if the new one is worse, by value over bound.
    fn worst(&mut self, value: f64, bound: f64, place: Place) {
        let value = if value.is_nan() { f64::INFINITY } else { value };
        if value * self.bound > self.value * bound || self.bound == 0.0 {
            *self = Part { value, bound, place };
        }
    }
}

/// The parts of a step's certificate.
///
/// ```
/// use signorini::{Body, PartName, Settings, Shape, World};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::dynamic(Shape::sphere(0.5)?))?;
/// let certificate = world.step(0.01)?.certificate;
/// assert!(PartName::ALL.iter().all(|name| certificate.part(*name).is_met()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// Its name in reports.
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
    /// Unit of the value; empty for ratios and counts.
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
///
/// ```
/// use signorini::{Body, Settings, Shape, World};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::dynamic(Shape::sphere(0.5)?))?;
/// let certificate = world.step(0.01)?.certificate;
/// assert!(certificate.is_met() && certificate.misses().next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepCertificate {
    /// Largest residual of an island's contact problem [m/s].
    pub velocity: Part,
    /// Deepest overlap at the end poses that did not exist before the step \[m\].
    pub overlap: Part,
    /// Largest position error of a joint at the end poses \[m\].
    pub joint_gap: Part,
    /// Largest rotation error of a joint at the end poses [rad].
    pub joint_turn: Part,
    /// Defect of the energy ledger over the energy exchanged \[1\].
    pub closure: Part,
    /// Rise of the energy that neither external nor driven work explains, over the energy exchanged \[1\].
    pub energy_rise: Part,
    /// Defect of momentum of a body over the impulses on it \[1\].
    pub momentum: Part,
    /// Bodies that were stopped, and pieces of motion that failed.
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

/// Calls a function with every impulse of the step.
pub(crate) type TellImpulses<'a> = dyn Fn(&mut dyn FnMut(Impulse)) + 'a;

/// Input of the judge: the world before the step, and the results of the step.
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
    /// Whether the user allows two bodies to overlap.
    pub may_overlap: &'a dyn Fn(&BodyRecord, &BodyRecord) -> bool,
    pub ledger: &'a EnergyLedger,
}

/// Memory of the judge, kept between steps.
#[derive(Default)]
pub(crate) struct Space {
    overlap: OverlapSpace,
    sums: Vec<Sum>,
    /// The rank of each body, by slot.
    ranks: Vec<u32>,
}

impl Evidence<'_> {
    fn record(&self, rank: usize) -> Option<&BodyRecord> {
        self.bodies.at(*self.order.get(rank)?)
    }
}

/// Grades all parts except velocities, which the judge of the contact problem grades, and stages, which the step
/// counts.
pub(crate) fn certify(evidence: &Evidence, space: &mut Space) -> StepCertificate {
    let mut certificate = StepCertificate::default();
    let Space { overlap, sums, ranks } = space;
    overlap::grade(evidence, overlap, &mut certificate.overlap);
    if !evidence.joint_order.is_empty() {
        joints::find_ranks(evidence, ranks);
    }
    joints::grade(evidence, ranks, &mut certificate.joint_gap, &mut certificate.joint_turn);
    gears::grade(evidence, ranks, &mut certificate.joint_gap, &mut certificate.joint_turn);
    sums::gather(evidence, sums);
    energy::grade(evidence, sums, &mut certificate.closure, &mut certificate.energy_rise);
    momentum::grade(evidence, sums, &mut certificate.momentum);
    certificate
}

/// Angular momentum about the centre of mass, world axes [kg·m²/s].
fn angular_momentum(record: &BodyRecord, state: &BodyState) -> DVec3 {
    if state.angular_velocity == DVec3::ZERO {
        return DVec3::ZERO;
    }
    let turn = glamx::DMat3::from_quat(state.orientation);
    turn * (record.mass.inertia * (turn.transpose() * state.angular_velocity))
}

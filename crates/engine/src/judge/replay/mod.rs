//! Certifies recorded steps again, from the states before and after, the contacts and the laws. No code of the step is
//! used.
//!
//! | check | measured |
//! |---|---|
//! | overlap, joint gap, joint turn, energy | as in the certificate of the step |
//! | momentum | change of momentum of every free body against weight and recorded impulses |
//! | push | no normal impulse pulls |
//! | cone | no friction beyond μ times the normal impulse |
//! | Signorini | nothing approaches beyond its gap, nothing pushes what separates |
//! | Coulomb | friction sticks, or opposes the slip with all it has |
//! | contact velocity | the recorded velocities of contacts are those of the bodies |

mod contacts;

use super::Space;
use super::sums::{self, Impulse};
use super::{Evidence, Part, energy, gears, joints, momentum, overlap};
use crate::body::{BodyState, Kind};
use crate::{Anchor, EnergyLedger, PairContact, World};
use glamx::{DQuat, DVec3};

/// A body before or after a recorded step.
///
/// ```
/// use signorini::{ReplayBody, glamx::{DQuat, DVec3}};
/// let ball = ReplayBody {
///     position: DVec3::ZERO,
///     orientation: DQuat::IDENTITY,
///     velocity: DVec3::X,
///     angular_velocity: DVec3::ZERO,
///     asleep: false,
///     quarantined: false,
/// };
/// // `Recertifier` has a whole example.
/// assert_eq!(ball.velocity.length(), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayBody {
    /// Origin of its frame \[m\].
    pub position: DVec3,
    /// From its frame to the world.
    pub orientation: DQuat,
    /// Of the centre of mass [m/s].
    pub velocity: DVec3,
    /// World axes [rad/s].
    pub angular_velocity: DVec3,
    /// Whether it sleeps.
    pub asleep: bool,
    /// Whether it stands still because it would have left the range of numbers.
    pub quarantined: bool,
}

/// A contact of a recorded step. Bodies by their places in [`World::bodies`].
///
/// ```
/// use signorini::{ReplayContact, glamx::DVec3};
/// let contact = ReplayContact {
///     bodies: [0, 1],
///     point: DVec3::ZERO,
///     normal: DVec3::Z,
///     gap: 0.0,
///     impulse: 0.0981 * DVec3::Z,
///     velocity: DVec3::ZERO,
/// };
/// // `Recertifier` has a whole example.
/// assert!(contact.impulse.dot(contact.normal) > 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayContact {
    /// The normal points from the first to the second.
    pub bodies: [u32; 2],
    /// In the middle between the surfaces \[m\].
    pub point: DVec3,
    /// Unit vector.
    pub normal: DVec3,
    /// Distance of the surfaces, negative if they overlap \[m\].
    pub gap: f64,
    /// On the second body \[N·s\].
    pub impulse: DVec3,
    /// Of the second body against the first, after the step [m/s].
    pub velocity: DVec3,
}

/// A recorded step.
///
/// ```
/// // `Recertifier` has a whole example; this step has no bodies.
/// let world = signorini::World::new(signorini::Settings::default())?;
/// let step = signorini::ReplayStep {
///     dt: 0.01,
///     before: &[],
///     after: &[],
///     contacts: None,
///     ledger: None,
///     complete: false,
///     divided: false,
/// };
/// assert!(signorini::Recertifier::new(world).judge(&step).is_some());
/// # Ok::<(), signorini::WorldError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReplayStep<'a> {
    /// \[s\].
    pub dt: f64,
    /// States before it, in the order of [`World::bodies`].
    pub before: &'a [ReplayBody],
    /// States after it.
    pub after: &'a [ReplayBody],
    /// Its contacts; none if they were not recorded.
    pub contacts: Option<&'a [ReplayContact]>,
    /// Its energy account; none if it is not known.
    pub ledger: Option<&'a EnergyLedger>,
    /// Whether everything that acted is recorded; false if a program may have applied forces or set states between
    /// steps.
    pub complete: bool,
    /// Whether an island took the step in pieces. Contact laws hold in each piece, with contacts that turn from one to
    /// the next; a recording contains only the sum of impulses.
    pub divided: bool,
}

/// The checks of a recorded step.
///
/// ```
/// assert_eq!(signorini::Check::Overlap.unit(), "m");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Check {
    /// At the end poses \[m\].
    Overlap,
    /// At the end poses \[m\].
    JointGap,
    /// At the end poses [rad].
    JointTurn,
    /// Over the energy exchanged \[1\].
    Closure,
    /// Over the energy exchanged \[1\].
    EnergyRise,
    /// Over the impulses on a body \[1\].
    Momentum,
    /// Pull of a contact, as a velocity [m/s].
    Push,
    /// Friction outside its cone, as a velocity [m/s].
    Cone,
    /// Error of the normal law [m/s].
    Signorini,
    /// Error of the friction law [m/s].
    Coulomb,
    /// Contacts against bodies [m/s].
    ContactVelocity,
}

impl Check {
    /// All of them.
    pub const ALL: [Check; 11] = [
        Check::Overlap,
        Check::JointGap,
        Check::JointTurn,
        Check::Closure,
        Check::EnergyRise,
        Check::Momentum,
        Check::Push,
        Check::Cone,
        Check::Signorini,
        Check::Coulomb,
        Check::ContactVelocity,
    ];
    /// As reports print it.
    pub fn name(self) -> &'static str {
        match self {
            Check::Overlap => "overlap",
            Check::JointGap => "joint gap",
            Check::JointTurn => "joint turn",
            Check::Closure => "energy closure",
            Check::EnergyRise => "energy rise",
            Check::Momentum => "momentum",
            Check::Push => "push, not pull",
            Check::Cone => "friction cone",
            Check::Signorini => "Signorini",
            Check::Coulomb => "Coulomb",
            Check::ContactVelocity => "contact velocity",
        }
    }
    /// Of the value; empty for shares.
    pub fn unit(self) -> &'static str {
        match self {
            Check::Overlap | Check::JointGap => "m",
            Check::JointTurn => "rad",
            Check::Closure | Check::EnergyRise | Check::Momentum => "",
            Check::Push | Check::Cone | Check::Signorini | Check::Coulomb | Check::ContactVelocity => "m/s",
        }
    }
}

/// Result of a check.
///
/// ```
/// use signorini::{Finding, Part};
/// let found = Finding::Partly(Part::default(), "joint impulses");
/// assert!(found.part().is_some() && found.lacks() == Some("joint impulses"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finding {
    /// The worst, and its bound.
    Measured(Part),
    /// The worst value that could be measured, and what the recording lacks for the rest.
    Partly(Part, &'static str),
    /// Not measured: what the recording lacks.
    Missing(&'static str),
}

impl Finding {
    /// What was measured.
    pub fn part(&self) -> Option<&Part> {
        match self {
            Finding::Measured(part) | Finding::Partly(part, _) => Some(part),
            Finding::Missing(_) => None,
        }
    }
    /// What the recording lacks.
    pub fn lacks(&self) -> Option<&'static str> {
        match self {
            Finding::Partly(_, what) | Finding::Missing(what) => Some(what),
            Finding::Measured(_) => None,
        }
    }
}

const NO_CONTACTS: &str = "contacts";
const NO_LEDGER: &str = "energy account";
const NO_FORCES: &str = "forces and changes by the program";
const NO_JOINT_IMPULSES: &str = "impulses of joints";
const NO_IMPACT_TIMES: &str = "times and order of impacts";
const NO_PIECES: &str = "impulses of the pieces of a step";
const NO_RELATIVE: &str = "orientations when the joints were made";

/// The judge of recorded steps. It holds a world for its masses, shapes, materials, joints and settings, which never
/// takes a step.
///
/// ```
/// use signorini::{Body, Check, Finding, Recertifier, ReplayBody, ReplayStep, Settings, Shape, World};
/// let mut world = World::new(Settings::default())?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?))?;
/// let look = |world: &World| -> Result<ReplayBody, signorini::WorldError> {
///     let view = world.body(ball)?;
///     let (position, orientation) = (view.position(), view.orientation());
///     let (velocity, angular_velocity) = (view.velocity(), view.angular_velocity());
///     Ok(ReplayBody { position, orientation, velocity, angular_velocity, asleep: false, quarantined: false })
/// };
/// let (before, dt) = ([look(&world)?], 0.01);
/// let ledger = world.step(dt)?.energy;
/// let after = [look(&world)?];
/// let step = ReplayStep {
///     dt,
///     before: &before,
///     after: &after,
///     contacts: Some(&[]),
///     ledger: Some(&ledger),
///     complete: true,
///     divided: false,
/// };
/// let findings = Recertifier::new(world).judge(&step).ok_or("not this world")?;
/// let momentum = findings.iter().find(|(check, _)| *check == Check::Momentum).ok_or("no check")?;
/// assert!(matches!(&momentum.1, Finding::Measured(part) if part.is_met()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recertifier {
    world: World,
    space: Memory,
    /// Pairs of slots that a joint keeps from touching, sorted.
    ignored: Vec<(u32, u32)>,
    /// By rank: whether it has a joint.
    jointed: Vec<bool>,
}

#[derive(Default)]
struct Memory(Space);

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

impl Recertifier {
    /// For steps of a world with these bodies, joints and settings; where its bodies are does not matter.
    pub fn new(world: World) -> Self {
        let mut ignored = Vec::new();
        let mut jointed = vec![false; world.order.len()];
        for (_, joint) in world.joints() {
            let mut mark = |slot: u32| {
                if let Some(rank) = world.order.iter().position(|other| *other == slot) {
                    jointed[rank] = true;
                }
            };
            let a = joint.a.0.0.slot;
            mark(a);
            if let Anchor::Body(handle, _) = joint.b {
                let b = handle.0.slot;
                mark(b);
                if joint.contact == PairContact::Ignored {
                    ignored.push((a.min(b), a.max(b)));
                }
            }
        }
        ignored.extend(&world.apart);
        ignored.sort_unstable();
        Recertifier { world, space: Memory::default(), ignored, jointed }
    }

    /// The world, for names.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Judges a step; none if the states are not those of the world's bodies.
    pub fn judge(&mut self, step: &ReplayStep) -> Option<Vec<(Check, Finding)>> {
        let count = self.world.order.len();
        if step.before.len() != count || step.after.len() != count {
            return None;
        }
        let mut end = Vec::with_capacity(count);
        for ((slot, before), after) in self.world.order.iter().zip(step.before).zip(step.after) {
            let record = self.world.bodies.at_mut(*slot)?;
            record.state = state(before, record.mass.centre);
            end.push(state(after, record.mass.centre));
        }
        let finite = |state: &BodyState| {
            let BodyState { position, orientation, velocity, angular_velocity } = state;
            position.is_finite() && orientation.is_finite() && velocity.is_finite() && angular_velocity.is_finite()
        };
        let all = |states: &[ReplayBody]| states.iter().all(|body| finite(&state(body, DVec3::ZERO)));
        if !all(step.before) || !all(step.after) {
            // Comparisons with NaN are false, so NaN must not pass as a measurement.
            let nothing = Part { value: f64::INFINITY, ..Part::default() };
            return Some(Check::ALL.map(|check| (check, Finding::Measured(nothing))).to_vec());
        }
        self.world.count_turns(step.dt);
        let scene = contacts::JudgedStep { world: &self.world, step, end: &end, jointed: &self.jointed };
        let looked_at = scene.momentum_is_told();
        let impulses = |tell: &mut dyn FnMut(Impulse)| scene.impulses(tell);
        let ledger = step.ledger.copied().unwrap_or_default();
        let world = &self.world;
        let evidence = Evidence {
            settings: &self.world.settings,
            dt: step.dt,
            bodies: &self.world.bodies,
            order: &self.world.order,
            joints: &self.world.joints,
            joint_order: &self.world.joint_order,
            gears: &self.world.gears,
            gear_order: &self.world.gear_order,
            end: &end,
            active: &|rank| looked_at[rank],
            impulses: &impulses,
            // Recordings do not hold them.
            drive_impulses: 0.0,
            jointed: &self.ignored,
            may_overlap: &|a, b| world.may_overlap(a, b),
            ledger: &ledger,
        };
        let mut found = Vec::with_capacity(Check::ALL.len());
        let mut part = Part::default();
        let Space { overlap, sums, ranks } = &mut self.space.0;
        overlap::grade(&evidence, overlap, &mut part);
        found.push((Check::Overlap, Finding::Measured(part)));
        let (mut gap, mut turn) = (Part::default(), Part::default());
        joints::find_ranks(&evidence, ranks);
        joints::grade(&evidence, ranks, &mut gap, &mut turn);
        gears::grade(&evidence, ranks, &mut gap, &mut turn);
        found.push((Check::JointGap, Finding::Measured(gap)));
        let relative = step.complete || turn.value == 0.0;
        found.push((Check::JointTurn, if relative { Finding::Measured(turn) } else { Finding::Missing(NO_RELATIVE) }));
        let (mut closure, mut rise) = (Part::default(), Part::default());
        sums::gather(&evidence, sums);
        energy::grade(&evidence, sums, &mut closure, &mut rise);
        let energetic = |part| match (step.ledger, step.complete) {
            (None, _) => Finding::Missing(NO_LEDGER),
            (Some(_), false) => Finding::Missing(NO_FORCES),
            (Some(_), true) => Finding::Measured(part),
        };
        found.push((Check::Closure, energetic(closure)));
        found.push((Check::EnergyRise, energetic(rise)));
        let mut part = Part::default();
        momentum::grade(&evidence, sums, &mut part);
        found.push((Check::Momentum, scene.momentum_finding(part)));
        scene.laws(&mut found);
        Some(found)
    }
}

fn state(body: &ReplayBody, centre: DVec3) -> BodyState {
    BodyState {
        position: body.position + body.orientation * centre,
        orientation: body.orientation,
        velocity: body.velocity,
        angular_velocity: body.angular_velocity,
    }
}

/// Whether impulses move it.
fn is_free(world: &World, step: &ReplayStep, rank: usize) -> bool {
    let kind = world.order.get(rank).and_then(|slot| world.bodies.at(*slot)).map(|record| record.kind);
    let (before, after) = (&step.before[rank], &step.after[rank]);
    let still = |body: &ReplayBody| body.asleep || body.quarantined;
    kind == Some(Kind::Dynamic) && !still(before) && !still(after)
}

//! One step. Each stage reads what earlier stages wrote, and writes its own results. The rows below are the stages in
//! the order in which `prepare` and then `compute` call them. The header of each file says what goes in, what comes
//! out, and the equation.
//!
//! ```text
//!  1 free motion    v* = v + h M⁻¹(f − ω×Iω) of every body without contacts and joints     free_motion
//!  2 collision      swept boxes, pairs, waking, replay, ccd, touches, times of impact      collision, replay
//!  3 contacts       free motion up to impacts; frames, coefficients, guesses               contact, assembly
//!  4 islands        groups of bodies that touch or are jointed                             island
//!  5 solve          u = W r + q under the laws, per island, certified                      solve, midpoint, in_halves
//!  6 impulses       v⁺ = v* + M⁻¹Jᵀr                                                       impulse
//!  7 rest snap      velocities that are only round-off become zero                         rest_snap
//!  8 integrate      x, q at the end of the step                                            integrate
//!    recall         pairs that closed against the prediction: rows 3 to 8 again            collision::closing, passes
//!  9 ccd stops      bodies with continuous detection stop before they enter others         collision::ccd
//! 10 end poses      overlap that the step made is removed                                  end_poses
//! 11 sleep          islands that have been still for long enough fall asleep               sleep
//! 12 energy ledger  where the energy went                                                  energy_ledger
//! 13 judge          the certificate of the whole step                                      grade, crate::judge
//! 14 commit         the step becomes the state of the world                                commit
//! ```
//!
//! The world does not change before row 14. After rows 8 and 10 bodies that would leave the range of numbers are
//! detected, and the step is taken again without them (`quarantine`). An island that the last step left unchanged is
//! not computed again (`replay`), and neither is a whole step that changed nothing (`fixed_point`).

mod assembly;
mod block_owner;
mod cache;
pub mod collision;
mod commit;
mod contact;
mod end_poses;
mod energy_guard;
mod energy_ledger;
mod fixed_point;
mod for_islands;
mod free_motion;
mod free_rotation;
pub(crate) mod gears;
mod grade;
mod impulse;
mod in_halves;
mod integrate;
mod island;
mod midpoint;
mod passes;
mod quarantine;
mod ration;
mod replay;
mod rest_snap;
mod rolling;
mod sequential_impacts;
mod sleep;
mod solve;
mod squeeze;

pub(crate) use assembly::{contact_row, inverse_mass_of, row, row_velocity};
pub use block_owner::BlockOwner;
pub(crate) use cache::{CachedPoint, ContactCache, PairEntry};
#[cfg(feature = "socp")]
pub(crate) use collision::excluded_pairs;
pub use collision::{broad_phase, manifold};
pub(crate) use contact::{Feature, SHUT_SPEED, Soft, contact_frame};
pub(crate) use free_motion::world_inverse_inertia;
pub(crate) use island::root;
pub(crate) use rolling::Push;
pub(crate) use sleep::Rest;

use crate::body::{BodyRecord, BodyState, Kind};
use crate::ids::Arena;
use crate::joint::JointRecord;
use crate::report::StepReport;
use crate::{Settings, StepError, World, judge};
use assembly::{JointFrame, JointRow, Scene};
use cache::Matching;
use collision::Collision;
use commit::CommitSpace;
use contact::Contact;
use end_poses::EndSpace;
use fixed_point::FixedPoint;
use free_motion::FreeMotion;
use gears::GearFrames;
use glamx::{DMat3, DQuat, DVec3};
use integrate::{Mode, Outcome};
use island::Islands;
use passes::{MAX_PASSES, Passes};
use quarantine::Quarantine;
use replay::Replay;
use signorini_problem::{ContactProblem, FactoredParts};
use signorini_solvers::Stopwatch;
use solve::{IslandSolution, IslandSpace};
use std::fmt;

/// Longest time step \[s\].
pub const MAX_TIME_STEP: f64 = 100.0;

/// Linear and angular velocity, or displacement, of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Twist {
    pub linear: DVec3,
    pub angular: DVec3,
}

impl Twist {
    /// Velocity of the point at `arm` from the centre of mass.
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.linear + self.angular.cross(arm)
    }
}

/// A body as the stages see it, indexed by its rank in the order of ids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving {
    pub slot: u32,
    pub kind: Kind,
    pub state: BodyState,
    pub inverse_mass: f64,
    /// I⁻¹ in world axes, exactly symmetric [1/(kg·m²)].
    pub inverse_inertia: DMat3,
    /// Time within the step at which impulses act on it, if it may bounce or spins \[s\]; `None`: at the start.
    pub met_at: Option<f64>,
    /// Its orientation at that time, to which `inverse_inertia` belongs; `None` if the inertia is isotropic.
    pub met_orientation: Option<DQuat>,
    /// The island it sleeps in. A sleeping body counts as fixed.
    pub sleeping_island: Option<u64>,
    /// Whether continuous detection is on ([`crate::Body::fast`]).
    pub fast: bool,
    /// Index of the body in its island.
    pub place: Option<u32>,
    /// Index of its island; `None` if it is in none.
    pub island: Option<u32>,
    /// Whether it is quarantined. A quarantined body counts as fixed.
    pub quarantined: bool,
    /// Whether its island is replayed. Such a body counts as fixed.
    pub replayed: bool,
}

impl Moving {
    fn new(slot: u32, body: &BodyRecord, quarantined: bool) -> Self {
        let still = BodyState { velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO, ..body.state };
        Moving {
            slot,
            kind: if quarantined || !body.options.enabled { Kind::Fixed } else { body.kind },
            state: if quarantined { still } else { body.state },
            inverse_mass: body.mass.inverse_mass,
            inverse_inertia: free_motion::world_inverse_inertia(body, body.state.orientation),
            met_at: None,
            met_orientation: None,
            sleeping_island: body.rest.sleeping_island,
            fast: body.fast && body.kind == Kind::Dynamic && body.options.enabled && !quarantined,
            quarantined,
            replayed: false,
            place: None,
            island: None,
        }
    }
    /// The orientation at which impulses act on it.
    pub fn orientation(&self) -> DQuat {
        self.met_orientation.unwrap_or(self.state.orientation)
    }
    /// Whether it sleeps or its island is replayed: the step then leaves the body, its contacts and their cached
    /// impulses unchanged.
    pub fn is_held(&self) -> bool {
        self.sleeping_island.is_some() || self.replayed
    }
    pub fn is_dynamic(&self) -> bool {
        self.kind == Kind::Dynamic
    }
}

/// The state of the world without the memory of the stages, so that several threads can share it.
#[derive(Clone, Copy)]
pub(crate) struct Records<'a> {
    pub settings: &'a Settings,
    pub bodies: &'a Arena<BodyRecord>,
    pub joints: &'a Arena<JointRecord>,
}

impl<'a> Records<'a> {
    fn of(world: &'a World) -> Self {
        Records { settings: &world.settings, bodies: &world.bodies, joints: &world.joints }
    }
}

/// The results of all stages. Kept between steps only to reuse its memory; a step with a new workspace gives the same
/// bits.
#[derive(Default)]
pub(crate) struct Workspace {
    quarantine: Quarantine,
    passes: Passes,
    bodies: Vec<Moving>,
    /// Free motion of every body over the whole step.
    flights: Vec<FreeMotion>,
    collision: Collision,
    /// Free motion up to the time at which impulses act.
    free: Vec<FreeMotion>,
    matching: Matching,
    contacts: Vec<Contact>,
    joints: Vec<JointFrame>,
    joint_rows: Vec<JointRow>,
    gears: GearFrames,
    /// The rank of each body, by slot.
    ranks: Vec<Option<u32>>,
    islands: Islands,
    spaces: Vec<IslandSpace>,
    solutions: Vec<IslandSolution>,
    /// v⁺.
    after: Vec<Twist>,
    /// Displacements by the stage of end poses.
    correction: Vec<Twist>,
    modes: Vec<Mode>,
    end: Vec<BodyState>,
    end_poses: EndSpace,
    judge: judge::Space,
    rest: Vec<Rest>,
    commit: CommitSpace,
    fixed_point: Option<FixedPoint>,
    replay: Replay,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").finish_non_exhaustive()
    }
}

pub(crate) fn step(world: &mut World, dt: f64) -> Result<StepReport, StepError> {
    check_time_step(dt)?;
    let mut report = StepReport::idle();
    if dt == 0.0 {
        count(world, &mut report);
        let energy = world.energy();
        report.energy.before = energy;
        report.energy.after = energy;
        return Ok(report);
    }
    let last = world.workspace.as_ref().and_then(|workspace| workspace.fixed_point.as_ref());
    if let Some(report) = last.and_then(|last| last.again(world, dt)) {
        advance(world, dt);
        world.events.again();
        return Ok(report);
    }
    let mut workspace = world.workspace.take().unwrap_or_default();
    workspace.quarantine.begin(world.order.len());
    let outcome = loop {
        report = StepReport::idle();
        count(world, &mut report);
        let outcome = compute(world, &mut workspace, dt, &mut report);
        let Workspace { quarantine, bodies, islands, .. } = &mut *workspace;
        match outcome.and_then(|()| quarantine.again(bodies, islands)) {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let outcome = outcome.map(|()| {
        let changed = commit::commit(world, &mut workspace, dt, &mut report);
        advance(world, dt);
        collision::sift::sense(world, &mut workspace.collision);
        workspace.fixed_point = (!changed).then(|| FixedPoint::new(world, dt, &report));
    });
    world.workspace = Some(workspace);
    outcome.map(|()| report)
}

fn advance(world: &mut World, dt: f64) {
    world.time += dt;
    world.steps += 1;
}

fn count(world: &World, report: &mut StepReport) {
    report.counts.bodies = world.order.len();
    report.counts.joints = world.joint_order.len();
}

/// The contact problems of the islands of a step, before they are solved.
pub(crate) fn problems(world: &World, dt: f64) -> Result<Vec<ContactProblem>, StepError> {
    check_time_step(dt)?;
    if dt == 0.0 {
        return Ok(Vec::new());
    }
    // A workspace of its own: that of the world holds the results of its last step.
    let mut ws = Workspace::default();
    ws.quarantine.begin(world.order.len());
    prepare(world, &mut ws, dt, &mut StepReport::idle())?;
    let Workspace { bodies, free, contacts, joints, joint_rows, gears, ranks, .. } = &ws;
    let scene = Scene { bodies, free, contacts, joints, joint_rows, gears, ranks, dt };
    let records = Records::of(world);
    let mut space = IslandSpace::default();
    let assemble = |(index, island)| {
        squeeze::find(&records, &scene, island, &mut space);
        let restitution_scale = if space.pads.is_empty() { 1.0 } else { 0.0 };
        let stabilisation = world.settings.stabilisation;
        let purpose = assembly::Purpose { restitution_scale, stabilisation, shift: &[], pads: &space.pads };
        assembly::assemble(&scene, island, &purpose, FactoredParts::default())
            .map_err(|source| StepError::Problem { island: index, source })
    };
    ws.islands.as_slice().iter().enumerate().map(assemble).collect()
}

fn check_time_step(dt: f64) -> Result<(), StepError> {
    if (0.0..=MAX_TIME_STEP).contains(&dt) {
        return Ok(());
    }
    Err(StepError::TimeStep { value: dt, limit: MAX_TIME_STEP })
}

/// Rows 1 to 4: everything before impulses.
fn prepare(world: &World, ws: &mut Workspace, dt: f64, report: &mut StepReport) -> Result<Stopwatch, StepError> {
    let mut clock = Stopwatch::start();
    // 1 free motion
    free_motion::flights(world, &ws.quarantine, dt, &mut ws.bodies, &mut ws.flights);
    assembly::ranks_by_slot(&ws.bodies, &mut ws.ranks);
    report.counts.quarantined = ws.bodies.iter().filter(|body| body.quarantined).count();
    report.times.free_motion = clock.lap();
    // 2 collision
    let timed = (&mut clock, &mut report.times);
    let known = (ws.ranks.as_slice(), &mut ws.replay);
    report.counts.pairs = ws.collision.find(world, &mut ws.bodies, &ws.flights, known, dt, timed);
    free_motion::as_met(world, dt, &ws.flights, &ws.collision.plan.met_at, &mut ws.bodies, &mut ws.free);
    assembly::joint_frames(world, (&ws.bodies, &ws.ranks), dt, &mut ws.joints, &mut ws.joint_rows);
    ws.gears.find(world, &ws.joints);
    pose(world, ws, dt, report, &mut clock)?;
    Ok(clock)
}

/// Rows 3 and 4, from the touches of the plan.
fn pose(
    world: &World,
    ws: &mut Workspace,
    dt: f64,
    report: &mut StepReport,
    clock: &mut Stopwatch,
) -> Result<(), StepError> {
    // 3 contacts
    let (touches, others) = (&ws.collision.plan.touches, ws.replay.contacts());
    contact::contacts(world, &ws.bodies, &ws.free, touches, others, dt, &mut ws.matching, &mut ws.contacts)?;
    report.counts.contacts = ws.contacts.len();
    report.counts.impacts = ws.contacts.iter().filter(|c| c.impact.is_some()).count();
    report.penetration = ws.contacts.iter().fold(0.0, |deepest, c| f64::max(deepest, -c.gap));
    report.times.contact += clock.lap();
    // 4 islands
    ws.islands.build(&mut ws.bodies, &ws.contacts, &ws.joints, &ws.gears);
    report.counts.islands = ws.islands.len();
    report.times.island += clock.lap();
    Ok(())
}

/// Rows 5 to 8. Returns the energy that the rest snap added \[J\], or `None` if a body has to be left out of the step.
fn advance_bodies(
    world: &World,
    ws: &mut Workspace,
    dt: f64,
    report: &mut StepReport,
    clock: &mut Stopwatch,
) -> Result<Option<f64>, StepError> {
    let (bodies, joints) = ((&*ws.bodies, &*ws.free), (&*ws.joints, &*ws.joint_rows, &ws.gears));
    let scene = Scene::new(bodies, &ws.contacts, joints, &ws.ranks, dt);
    // 5 solve
    let records = Records::of(world);
    let solved = solve::solve_islands(&records, &scene, &ws.islands, &ws.passes, &mut ws.spaces, &mut ws.solutions);
    if let Err(error) = solved {
        ws.quarantine.cannot_pose(error, &ws.islands, &mut ws.spaces)?;
        return Ok(None);
    }
    let solutions = &ws.solutions[..ws.islands.len()];
    report.times.solve += clock.lap();
    // 6 impulses
    impulse::apply_impulses(&scene, &ws.islands, solutions, &mut ws.after);
    // 7 rest snap
    let snapped = rest_snap::snap_to_rest(&records, &scene, &ws.islands, solutions, &mut ws.after);
    // 8 integrate
    let outcome = Outcome { islands: &ws.islands, solutions, after: &ws.after };
    integrate::integrate(world, &scene, &outcome, &mut ws.modes, &mut ws.end);
    let leaves = ws.quarantine.watch(world, &ws.bodies, &ws.end, "integrate");
    report.times.integrate += clock.lap();
    Ok((!leaves).then_some(snapped))
}

/// All stages before the commit; the world is only read. Stops early when a body has to be quarantined.
fn compute(world: &World, ws: &mut Workspace, dt: f64, report: &mut StepReport) -> Result<(), StepError> {
    let mut clock = prepare(world, ws, dt, report)?;
    ws.passes.begin();
    let mut passes = 1;
    let snapped = loop {
        let Some(snapped) = advance_bodies(world, ws, dt, report, &mut clock)? else { return Ok(()) };
        if passes == MAX_PASSES || !ws.collision.recall(world, &ws.bodies, &ws.end) {
            break snapped;
        }
        passes += 1;
        let islands = ws.islands.len();
        ws.passes.end_pass(&ws.bodies, &mut ws.solutions);
        pose(world, ws, dt, report, &mut clock)?;
        ws.passes.keep(islands, &ws.islands, ws.collision.recalled(), &mut ws.solutions);
    };
    let (bodies, joints) = ((&*ws.bodies, &*ws.free), (&*ws.joints, &*ws.joint_rows, &ws.gears));
    let scene = Scene::new(bodies, &ws.contacts, joints, &ws.ranks, dt);
    let solutions = &ws.solutions[..ws.islands.len()];
    report.effort = ws.passes.spent;
    grade::summarise(solutions, report);
    ws.replay.tell(solutions, report);
    let outcome = Outcome { islands: &ws.islands, solutions, after: &ws.after };
    grade::count_states(&scene, &outcome, &mut report.counts.states);
    // 9 ccd stops
    let Collision { plan, detector, .. } = &mut ws.collision;
    let asked = (plan.excluded.as_slice(), &mut *detector);
    report.counts.curtailed = collision::ccd::curtail(world, &scene, &ws.modes, &ws.after, asked, &mut ws.end);
    report.times.integrate += clock.lap();
    // 10 end poses
    let (space, end, correction) = (&mut ws.end_poses, &mut ws.end, &mut ws.correction);
    let corrected = end_poses::correct(world, &scene, plan, solutions, detector, space, end, correction);
    if ws.quarantine.watch(world, &ws.bodies, &ws.end, "end poses") {
        return Ok(());
    }
    report.counts.corrected = corrected.groups;
    report.counts.unproved = corrected.unproved;
    report.times.position = clock.lap();
    // 11 sleep
    report.counts.sleeping = sleep::settle(world, &scene, &outcome, &ws.correction, &ws.end, &mut ws.rest);
    // 12 energy ledger
    let (moved, rest) = (&ws.end_poses.moved, &ws.rest);
    let states = energy_ledger::States { modes: &ws.modes, moved, corrected: &ws.end, rest, snapped };
    report.energy = energy_ledger::ledger(world, &scene, &outcome, &states, ws.replay.against_free_motion());
    sleep::lay_down(&ws.bodies, &ws.rest, &mut ws.end);
    report.times.integrate += clock.lap();
    // 13 judge
    grade::grade(world, ws, dt, report);
    report.times.judge = clock.lap();
    Ok(())
}

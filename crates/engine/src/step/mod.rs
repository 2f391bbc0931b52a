//! One step, one direction: each stage reads what earlier ones wrote and writes its own.
//!
//! ```text
//! 1 free motion   v* = v + h M⁻¹(f − ω×Iω)
//! 2 broad phase   pairs of bodies whose swept boxes meet
//! 3 manifolds     points of contact with normals and gaps
//! 4 contacts      frames, coefficients, impacts, guesses
//! 5 islands       bodies that touch or are jointed
//! 6 solve         u = W r + q under the laws, per island, certified; islands with joints move here (`midpoint`)
//! 7 impulses      v⁺ = v* + M⁻¹Jᵀr; what cannot be told from rest is at rest
//! 8 integrate     x, q; checks
//! 9 end poses     overlap that the step made; then books, and islands at rest fall asleep
//!   judge         the certificate of the whole step
//! ```
//!
//! Nothing of the world changes before every stage has succeeded.

mod assembly;
mod blocks;
pub mod broad_phase;
mod cache;
mod contact;
mod end_poses;
mod fast;
mod fixed_point;
mod free_motion;
mod free_rotation;
mod impulse;
mod integrate;
mod island;
pub mod manifold;
mod meeting_time;
mod midpoint;
mod pair_memory;
mod quarantine;
mod ration;
mod sequence;
mod sleep;
mod solve;
mod squeeze;
mod still;

pub(crate) use assembly::{contact_row, inverse_mass_of, row, row_velocity};
pub use blocks::BlockPlace;
pub(crate) use cache::{CachedPoint, ContactCache, PairEntry};
#[cfg(feature = "socp")]
pub(crate) use contact::jointed_pairs;
pub(crate) use contact::{Feature, SHUT_SPEED, contact_frame};
pub(crate) use free_motion::world_inverse_inertia;
pub(crate) use island::root;
pub(crate) use sleep::Rest;

use crate::body::{BodyRecord, BodyState, Kind};
use crate::ids::Arena;
use crate::joint::JointRecord;
use crate::report::{ContactState, StepReport, StepStatus};
use crate::shape::Aabb;
use crate::{Settings, StepError, World, judge};
use assembly::{JointFrame, JointRow};
use broad_phase::BroadPhase;
use cache::Matching;
use contact::{Contact, ManifoldSpace, Touch};
use end_poses::EndSpace;
use fixed_point::FixedPoint;
use free_motion::FreeMotion;
use glamx::{DMat3, DQuat, DVec3};
use integrate::{CommitSpace, Mode};
use island::{Island, Islands};
use meeting_time::MeetingSpace;
use quarantine::Quarantine;
use signorini_problem::{ContactProblem, Counts, FactoredParts};
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
    /// World axes, exactly symmetric [1/(kg·m²)].
    pub inverse_inertia: DMat3,
    /// When the impulses of the step meet it, if it may bounce \[s\]; others are met at the beginning.
    pub met_at: Option<f64>,
    /// Its orientation then, for bodies whose inertia has axes: what the inverse inertia is at.
    pub met_orientation: Option<DQuat>,
    /// The nest it sleeps in: then it counts as fixed.
    pub nest: Option<u64>,
    /// Its way is searched.
    pub fast: bool,
    /// Which body of its island it is; none if it is in none.
    pub place: Option<u32>,
    /// Which island that is.
    pub island: Option<u32>,
    /// Stands still, whatever it is: then it counts as fixed.
    pub quarantined: bool,
}

impl Moving {
    fn new(slot: u32, body: &BodyRecord, quarantined: bool) -> Self {
        let still = BodyState { velocity: DVec3::ZERO, spin: DVec3::ZERO, ..body.state };
        Moving {
            slot,
            kind: if quarantined { Kind::Fixed } else { body.kind },
            state: if quarantined { still } else { body.state },
            inverse_mass: body.mass.inverse_mass,
            inverse_inertia: free_motion::world_inverse_inertia(body, body.state.orientation),
            met_at: None,
            met_orientation: None,
            nest: body.rest.nest,
            fast: body.fast && body.kind == Kind::Dynamic && !quarantined,
            quarantined,
            place: None,
            island: None,
        }
    }
    /// The orientation at which impulses meet it.
    pub fn orientation(&self) -> DQuat {
        self.met_orientation.unwrap_or(self.state.orientation)
    }
    pub fn is_dynamic(&self) -> bool {
        self.kind == Kind::Dynamic
    }
}

/// What the world keeps, without the memory of the stages: islands are solved on several threads.
#[derive(Clone, Copy)]
pub(crate) struct Records<'a> {
    pub settings: &'a Settings,
    pub bodies: &'a Arena<BodyRecord>,
    pub joints: &'a Arena<JointRecord>,
}

/// What the stages write; kept from step to step for its memory only.
#[derive(Default)]
pub(crate) struct Workspace {
    quarantine: Quarantine,
    bodies: Vec<Moving>,
    free: Vec<FreeMotion>,
    boxes: Vec<Aabb>,
    broad_phase: BroadPhase,
    pairs: Vec<(u32, u32)>,
    manifolds: ManifoldSpace,
    meetings: Vec<fast::Meeting>,
    meeting_times: MeetingSpace,
    touches: Vec<Touch>,
    matching: Matching,
    contacts: Vec<Contact>,
    joints: Vec<JointFrame>,
    joint_rows: Vec<JointRow>,
    /// Ranks by slot.
    ranks: Vec<Option<u32>>,
    islands: Islands,
    spaces: Vec<IslandSpace>,
    solutions: Vec<IslandSolution>,
    /// v⁺.
    after: Vec<Twist>,
    /// What the position stage moves and turns.
    correction: Vec<Twist>,
    modes: Vec<Mode>,
    end: Vec<BodyState>,
    end_poses: EndSpace,
    overlap: judge::OverlapSpace,
    sums: Vec<judge::Sum>,
    rest: Vec<Rest>,
    commit: CommitSpace,
    fixed_point: Option<FixedPoint>,
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
    if let Some(report) = world.workspace.fixed_point.as_ref().and_then(|last| last.again(world, dt)) {
        advance(world, dt);
        return Ok(report);
    }
    let mut workspace = std::mem::take(&mut world.workspace);
    workspace.quarantine.begin(world.order.len());
    let outcome = loop {
        report = StepReport::idle();
        count(world, &mut report);
        let outcome = compute(world, &mut workspace, dt, &mut report);
        let Workspace { quarantine, bodies, islands, .. } = &mut workspace;
        match outcome.and_then(|()| quarantine.again(bodies, islands)) {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let outcome = outcome.map(|()| {
        let changed = integrate::commit(world, &mut workspace, dt, &mut report.joint_events);
        advance(world, dt);
        workspace.fixed_point = (!changed).then(|| FixedPoint::new(world, dt, &report));
    });
    world.workspace = workspace;
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
pub(crate) fn problems(world: &mut World, dt: f64) -> Result<Vec<ContactProblem>, StepError> {
    check_time_step(dt)?;
    if dt == 0.0 {
        return Ok(Vec::new());
    }
    let mut ws = std::mem::take(&mut world.workspace);
    ws.quarantine.begin(world.order.len());
    let assembled = prepare(world, &mut ws, dt, &mut StepReport::idle()).and_then(|_| {
        let Workspace { bodies, free, contacts, joints, joint_rows, ranks, .. } = &ws;
        let scene = assembly::Scene { bodies, free, contacts, joints, joint_rows, ranks, dt };
        let records = Records { settings: &world.settings, bodies: &world.bodies, joints: &world.joints };
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
    });
    world.workspace = ws;
    assembled
}

fn check_time_step(dt: f64) -> Result<(), StepError> {
    if (0.0..=MAX_TIME_STEP).contains(&dt) {
        return Ok(());
    }
    Err(StepError::TimeStep { value: dt, limit: MAX_TIME_STEP })
}

/// Stages 1 to 5: everything before impulses.
fn prepare(world: &World, ws: &mut Workspace, dt: f64, report: &mut StepReport) -> Result<Stopwatch, StepError> {
    let mut clock = Stopwatch::start();

    ws.bodies.clear();
    for (rank, slot) in world.order.iter().enumerate() {
        let Some(body) = world.bodies.at(*slot) else { continue };
        ws.bodies.push(Moving::new(*slot, body, body.quarantined || ws.quarantine.holds(rank)));
    }
    free_motion::free_motion(world, &mut ws.bodies, dt, &mut ws.free);
    report.counts.quarantined = ws.bodies.iter().filter(|body| body.quarantined).count();
    report.times.free_motion = clock.lap();

    contact::swept_boxes(world, &ws.free, dt, &mut ws.boxes);
    ws.broad_phase.pairs(&ws.boxes, &mut ws.pairs);
    let finder = ws.manifolds.narrow_phase();
    sleep::rouse(world, dt, &mut ws.bodies, &mut ws.free, &mut ws.pairs, finder);
    report.counts.pairs = ws.pairs.len();
    report.times.broad_phase = clock.lap();

    let finder = ws.manifolds.narrow_phase();
    fast::meetings(world, &ws.bodies, &ws.free, &ws.pairs, dt, finder, &mut ws.meetings);
    let pairs = contact::Pairs { pairs: &ws.pairs, meetings: &ws.meetings };
    contact::manifolds(world, &ws.bodies, &ws.free, &pairs, dt, &mut ws.manifolds, &mut ws.touches);
    report.times.manifold = clock.lap();

    assembly::ranks_by_slot(&ws.bodies, &mut ws.ranks);
    let spaces = (&mut ws.meeting_times, &mut ws.manifolds);
    meeting_time::agree(world, &ws.ranks, dt, &ws.free, &mut ws.bodies, &mut ws.touches, spaces);
    free_motion::fly_to_bounce(world, dt, &mut ws.bodies, &mut ws.free);
    contact::contacts(world, &ws.bodies, &ws.free, &ws.touches, dt, &mut ws.matching, &mut ws.contacts)?;
    assembly::joint_frames(world, (&ws.bodies, &ws.ranks), dt, &mut ws.joints, &mut ws.joint_rows);
    report.counts.contacts = ws.contacts.len();
    report.counts.impacts = ws.contacts.iter().filter(|c| c.impact.is_some()).count();
    report.penetration = ws.contacts.iter().fold(0.0, |deepest, c| f64::max(deepest, -c.gap));
    report.times.contact = clock.lap();

    ws.islands.build(&mut ws.bodies, &ws.contacts, &ws.joints);
    report.counts.islands = ws.islands.len();
    report.times.island = clock.lap();

    Ok(clock)
}

/// Every stage, or as many as it takes to find who cannot be taken along; the world is only read.
fn compute(world: &World, ws: &mut Workspace, dt: f64, report: &mut StepReport) -> Result<(), StepError> {
    let mut clock = prepare(world, ws, dt, report)?;
    let scene = assembly::Scene {
        bodies: &ws.bodies,
        free: &ws.free,
        contacts: &ws.contacts,
        joints: &ws.joints,
        joint_rows: &ws.joint_rows,
        ranks: &ws.ranks,
        dt,
    };
    let records = Records { settings: &world.settings, bodies: &world.bodies, joints: &world.joints };
    if let Err(error) = solve::solve_islands(&records, &scene, &ws.islands, &mut ws.spaces, &mut ws.solutions) {
        return ws.quarantine.cannot_pose(error, &ws.islands, &mut ws.spaces);
    }
    let solutions = &ws.solutions[..ws.islands.len()];
    summarise(solutions, report);
    report.times.solve = clock.lap();

    impulse::apply_impulses(&scene, &ws.islands, solutions, &mut ws.after);
    report.energy.stopped = still::come_to_rest(world, &scene, &ws.islands, solutions, &mut ws.after);
    let outcome = integrate::Outcome { islands: &ws.islands, solutions, after: &ws.after };
    count_states(&scene, &outcome, &mut report.counts.states);
    let finder = ws.manifolds.narrow_phase();
    integrate::integrate(world, &scene, &outcome, &mut ws.modes, &mut ws.end);
    if ws.quarantine.watch(world, &ws.bodies, &ws.end, "integrate") {
        return Ok(());
    }
    report.counts.curtailed = fast::curtail(world, &scene, &ws.modes, &ws.after, finder, &mut ws.end);
    report.times.integrate = clock.lap();

    let corrected = end_poses::correct(
        world,
        &scene,
        &ws.pairs,
        &ws.boxes,
        solutions,
        finder,
        &mut ws.end_poses,
        &mut ws.end,
        &mut ws.correction,
    );
    if ws.quarantine.watch(world, &ws.bodies, &ws.end, "end poses") {
        return Ok(());
    }
    report.counts.corrected = corrected.groups;
    report.counts.unproved = corrected.unproved;
    report.times.position = clock.lap();

    integrate::keep_books(world, &scene, &outcome, (&ws.modes, &ws.end_poses.moved, &ws.end), &mut report.energy);
    let drift = &ws.correction;
    report.counts.sleeping =
        sleep::settle(world, &scene, &outcome, drift, &mut ws.end, &mut report.energy, &mut ws.rest);
    report.times.integrate += clock.lap();
    grade(world, ws, dt, report);
    report.times.judge = clock.lap();
    Ok(())
}

/// Asks the judge about the whole step.
fn grade(world: &World, ws: &mut Workspace, dt: f64, report: &mut StepReport) {
    let Workspace {
        bodies, contacts, joints, joint_rows, islands, solutions, end, end_poses, overlap, sums, rest, ..
    } = ws;
    let (islands, solutions) = (islands.as_slice(), &solutions[..islands.len()]);
    let acting = |(island, solution): (&Island, &IslandSolution)| -> f64 {
        let rows = island.joints.iter().flat_map(|j| &joint_rows[joints[*j as usize].rows.clone()]);
        let sizes = rows.zip(&solution.joint_impulses).filter(|(row, _)| !row.locked);
        sizes.map(|(_, impulse)| impulse.abs()).sum()
    };
    let drive_impulses = islands.iter().zip(solutions).map(acting).sum();
    let impulses = |tell: &mut dyn FnMut(judge::Impulse)| {
        for (island, solution) in islands.iter().zip(solutions) {
            for (c, impulse) in island.contacts.iter().zip(&solution.contact_impulses) {
                let contact = &contacts[*c as usize];
                let sides = [(contact.a, contact.arm_a, -*impulse), (contact.b, contact.arm_b, *impulse)];
                for (rank, arm, linear) in sides {
                    tell(judge::Impulse { rank, linear, angular: arm.cross(linear), joint: false });
                }
            }
            let wrenches = solution.motion.iter().flat_map(|motion| &motion.joint_wrench);
            for (rank, (linear, angular)) in island.bodies.iter().zip(wrenches) {
                tell(judge::Impulse { rank: *rank, linear: *linear, angular: *angular, joint: true });
            }
        }
    };
    let evidence = judge::Evidence {
        settings: &world.settings,
        dt,
        bodies: &world.bodies,
        order: &world.order,
        joints: &world.joints,
        joint_order: &world.joint_order,
        end,
        // What falls asleep loses its last velocity, which the ledger says.
        active: &|rank| bodies[rank].is_dynamic() && rest[rank].nest.is_none(),
        impulses: &impulses,
        drive_impulses,
        jointed: end_poses.jointed(),
        ledger: &report.energy,
    };
    report.certificate = judge::certify(&evidence, overlap, sums);
    let tolerance = world.settings.accepted();
    let velocity = &mut report.certificate.velocity;
    velocity.bound = tolerance.value;
    if let Some(certificate) = &report.velocity {
        let solved = report.worst_island.is_some_and(|island| solutions[island].solved);
        velocity.value = world.settings.measured(certificate);
        // What cannot be told from round-off meets any tolerance: the judge of the problem says so.
        velocity.bound = if solved { tolerance.value.max(velocity.value) } else { tolerance.value };
    }
    let counts = &report.counts;
    let cut = counts.quarantined + counts.curtailed + counts.missed + counts.unproved;
    report.certificate.stages.value = cut as f64;
    if !report.certificate.is_met() || solutions.iter().any(|solution| !solution.solved) {
        report.status = StepStatus::Degraded;
    }
}

/// Counts contacts by what they do.
fn count_states(scene: &assembly::Scene, outcome: &integrate::Outcome, states: &mut Counts) {
    for (island, solution) in outcome.islands.as_slice().iter().zip(outcome.solutions) {
        for (c, impulse) in island.contacts.iter().zip(&solution.contact_impulses) {
            let contact = &scene.contacts[*c as usize];
            let velocity = contact.velocity(&outcome.after[contact.a as usize], &outcome.after[contact.b as usize]);
            *match ContactState::of(contact.frame[0], *impulse, velocity) {
                ContactState::Open => &mut states.open,
                ContactState::Stick => &mut states.stick,
                ContactState::Slip => &mut states.slip,
            } += 1;
        }
    }
}

/// Certificates and efforts of all islands.
fn summarise(solutions: &[IslandSolution], report: &mut StepReport) {
    for (island, solution) in solutions.iter().enumerate() {
        let Some(certificate) = &solution.certificate else { continue };
        // An island that misses its tolerance is worse than any that meets it.
        let worse = match (&report.velocity, report.worst_island) {
            (Some(worst), Some(index)) => {
                let rank = |solved: bool, scaled: f64| (!solved, scaled);
                rank(solution.solved, certificate.scaled) > rank(solutions[index].solved, worst.scaled)
            }
            _ => true,
        };
        if worse {
            report.velocity = Some(*certificate);
            report.worst_island = Some(island);
        }
        report.restitution_scale = report.restitution_scale.min(solution.restitution_scale);
        let (total, one) = (&mut report.counts.states, &certificate.counts);
        total.joint += one.joint;
        total.free += one.free;
        total.bound += one.bound;
        solve::add_effort(&mut report.effort, &solution.effort);
        match &solution.motion {
            Some(motion) => {
                report.counts.solves += motion.solves;
                report.counts.pieces += motion.pieces;
                report.counts.missed += motion.missed;
            }
            None => report.counts.solves += usize::from(solution.effort.iterations > 0),
        }
    }
}

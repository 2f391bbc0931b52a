//! End poses. In: states at the end of the step. Out: the same states without the overlap that the step made.
//! Velocities do not change. Eq.: the displacement δ of least mass-weighted norm that satisfies, row by row,
//!
//! ```text
//! contact  0 ≤ r ⊥ gap(X⁺) + J δ + allowed ≥ 0
//! joint    error(X⁺) + J δ = kept,     gear the same over the bodies of its joints
//! ```
//!
//! The contact problem treats gaps as linear in the motion, and knows one patch of features per pair. A body that turns
//! far, or is struck within the step, may therefore end inside another body. This stage runs the narrow phase at the
//! end poses and measures the result.
//!
//! Overlap deeper than half of what the certificate allows is removed completely. That takes a few rounds, because the
//! rows turn with the bodies. Overlap that existed before the step (bodies placed inside each other) is removed by a
//! fraction per step, and so are errors of joints that were assembled with a gap: see [`crate::Stabilisation`].
//!
//! If joints that fitted before the rounds do not fit after the last round (a bridge that has come taut under a load),
//! the jointed bodies of that island stay where the step left them and only the others are moved. Overlap of a squeeze
//! stays, because there is no room to move to (`squeeze`).

mod candidates;
mod displacement;
mod gears;
mod off_joints;
mod old_overlap;

use crate::body::{BodyRecord, BodyState};
use crate::joint::JointRecord;
use crate::joint::geometry::{End, JointGeometry, Placed};
use crate::judge::overlap_bound;
use crate::shape::Aabb;
use crate::step::assembly::{Scene, joint_end};
use crate::step::collision::{Detector, PlacedShape, Plan};
use crate::step::solve::{IslandSolution, IslandSpace};
use crate::step::{Moving, Twist};
use crate::{Stabilisation, World};
use displacement::{ACCURACY, Off, Row};
use glamx::{DQuat, DVec3};

/// Limit on rounds. Two are usual. A bridge that comes taut takes a dozen, because its remaining sag is the square root
/// of its excess length. A press that cannot be satisfied uses all of them.
const MAX_ROUNDS: usize = 16;
/// An overlap that the step made is removed if it exceeds this share of the certificate's bound \[1\].
const TRIGGER: f64 = 0.5;

/// Memory of the stage, kept between steps.
#[derive(Default)]
pub(crate) struct EndSpace {
    /// Pairs whose overlap is a squeeze, ascending.
    squeezed: Vec<(u32, u32)>,
    pairs: Vec<(u32, u32)>,
    boxes: Vec<Aabb>,
    /// Deepest overlap at the start of the step of pairs in contact, ascending by pair \[m\].
    before: Vec<((u32, u32), f64)>,
    space: IslandSpace,
    parent: Vec<u32>,
    /// Target error of each joint row of the scene [m, rad].
    targets: Vec<f64>,
    /// Errors of one joint, row by row [m, rad].
    errors: Vec<f64>,
    /// Pairs whose old overlap stays because joints prevent its removal, ascending. Example: a wheel in the ground
    /// whose axle is fixed to the world.
    stuck: Vec<(u32, u32)>,
    /// Target error of each gear [m, rad].
    gear_targets: Vec<f64>,
    off: Off,
    /// Contact points of this round, and the pairs for which points were found.
    rows: Vec<Row>,
    rowed: Vec<bool>,
    /// Displacements by rank.
    moves: Vec<Twist>,
    /// Union–find roots of the groups of bodies; then the bodies of one group, and their place in it by rank.
    roots: Vec<u32>,
    members: Vec<u32>,
    local: Vec<Option<u32>>,
    /// By rank: bodies that are not moved, because they hang on taut joints or on joints that no round made fit again.
    /// Bodies that overlap them are moved instead.
    held: Vec<bool>,
    /// States before any displacement.
    pub moved: Vec<BodyState>,
}

/// The inputs of the stage.
#[derive(Clone, Copy)]
struct Given<'a> {
    world: &'a World,
    scene: &'a Scene<'a>,
}

/// What the stage did, for the report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Corrected {
    /// Number of groups of bodies that were displaced.
    pub groups: usize,
    /// Number of rounds.
    pub rounds: usize,
    /// Number of displacements that were not certified, and therefore not applied.
    pub unproved: usize,
}

/// Removes overlap and joint errors from the end states. `correction` receives the displacement and rotation of every
/// body.
#[allow(clippy::too_many_arguments)] // Everything a step has: the world, the scene, what is near, and the states.
pub(crate) fn correct(
    world: &World,
    scene: &Scene,
    plan: &Plan,
    solutions: &[IslandSolution],
    detector: &mut Detector,
    space: &mut EndSpace,
    end: &mut [BodyState],
    correction: &mut Vec<Twist>,
) -> Corrected {
    correction.clear();
    correction.resize(scene.bodies.len(), Twist::default());
    space.moved.clear();
    space.moved.extend_from_slice(end);
    let mut done = Corrected::default();
    if world.settings.stabilisation == Stabilisation::None {
        return done;
    }
    space.stuck.clear();
    space.squeezed.clear();
    space.squeezed.extend(solutions.iter().flat_map(|solution| &solution.squeezed));
    space.squeezed.sort_unstable();
    space.hold_taut(scene, solutions);
    space.candidates(world, scene, plan, end);
    space.measure_before(world, scene, detector);
    let given = Given { world, scene };
    let mut off = std::mem::take(&mut space.off);
    let fits = space.take_out(&given, detector, &mut off, end, correction, &mut done);
    if !fits && space.hold_jointed(scene, &off.joints) {
        end.copy_from_slice(&space.moved);
        correction.fill(Twist::default());
        space.candidates(world, scene, plan, end);
        space.take_out(&given, detector, &mut off, end, correction, &mut done);
    }
    space.off = off;
    done
}

/// Overlap made by the step up to which nothing is done \[m\].
pub(crate) fn trigger(a: &BodyRecord, b: &BodyRecord) -> f64 {
    TRIGGER * overlap_bound(a, b)
}

/// A joint at the end poses.
fn joint_at<'a>(
    world: &'a World,
    scene: &Scene,
    index: usize,
    state: impl Fn(usize) -> BodyState,
) -> Option<(&'a JointRecord, JointGeometry<'a>, Placed)> {
    let record = world.joints.at(scene.joints[index].slot)?;
    let rank_of = |slot: u32| scene.rank_of_slot(slot);
    let joint = JointGeometry::new(record, |anchor| joint_end(world, &rank_of, anchor));
    let placed = joint.place(|side| rank_pose(side, &state));
    Some((record, joint, placed))
}

fn rank_pose(side: End, state: impl Fn(usize) -> BodyState) -> (DVec3, DQuat) {
    match side {
        End::Given(rank, _) => {
            let BodyState { position, orientation, .. } = state(rank as usize);
            (position, orientation)
        }
        End::Body(..) | End::World(_) => (DVec3::ZERO, DQuat::IDENTITY),
    }
}

fn placed<'a>(world: &'a World, body: &Moving, state: &BodyState) -> Option<PlacedShape<'a>> {
    let record = world.bodies.at(body.slot)?;
    Some(PlacedShape::new(record, record.pose_of(state.position, state.orientation)))
}

/// Overlap depth of two bodies at these poses \[m\]; zero if they are apart.
fn depth(
    world: &World,
    detector: &mut Detector,
    (a, at_a): (&Moving, &BodyState),
    (b, at_b): (&Moving, &BodyState),
) -> f64 {
    let shapes = placed(world, a, at_a).zip(placed(world, b, at_b));
    shapes.map_or(0.0, |(a, b)| detector.depth(a, b))
}

impl EndSpace {
    /// Runs the rounds. Returns false if joints that fitted before do not fit afterwards.
    fn take_out(
        &mut self,
        given: &Given,
        detector: &mut Detector,
        off: &mut Off,
        end: &mut [BodyState],
        correction: &mut [Twist],
        done: &mut Corrected,
    ) -> bool {
        let Given { world, scene } = *given;
        let mut fitted = true;
        for round in 0..=MAX_ROUNDS {
            self.too_deep(world, scene, detector, end, round == 0, &mut off.deep);
            self.off_joints(world, scene, end, round == 0, &mut off.joints);
            self.off_gears(world, scene, end, round == 0, &mut off.gears);
            if off.is_nothing() {
                return true;
            }
            let fits = off.joints.is_empty() && off.gears.is_empty();
            fitted &= round > 0 || fits;
            if round == MAX_ROUNDS {
                return fits || !fitted;
            }
            done.rounds += 1;
            let (groups, unproved) = self.displace(world, scene, detector, off, end, correction);
            done.groups += groups;
            done.unproved += unproved;
            if unproved > 0 {
                break;
            }
        }
        true
    }

    /// Finds the pairs that overlap by more than is allowed. Pairs that have not moved have their old depth, and are
    /// examined only if old overlap is to be removed by a fraction.
    fn too_deep(
        &mut self,
        world: &World,
        scene: &Scene,
        detector: &mut Detector,
        end: &[BodyState],
        first: bool,
        deep: &mut Vec<(u32, u32)>,
    ) {
        deep.clear();
        for place in 0..self.pairs.len() {
            let (i, j) = self.pairs[place];
            let (a, b) = (&scene.bodies[i as usize], &scene.bodies[j as usize]);
            let still = |rank: u32, body: &Moving| {
                let (now, then) = (&end[rank as usize], &body.state);
                now.position == then.position && now.orientation == then.orientation
            };
            let (Some(record_a), Some(record_b)) = (world.bodies.at(a.slot), world.bodies.at(b.slot)) else { continue };
            let bound = overlap_bound(record_a, record_b);
            let before = self.depth_before((i, j));
            let limit = self.allowed(world, bound, (i, j));
            if first && still(i, a) && still(j, b) && before <= limit {
                continue;
            }
            if !self.boxes[i as usize].overlaps(&self.boxes[j as usize]) {
                continue;
            }
            let depth = depth(world, detector, (a, &end[i as usize]), (b, &end[j as usize]));
            if depth > limit + 5.0 * ACCURACY {
                deep.push((i, j));
            }
        }
    }
}

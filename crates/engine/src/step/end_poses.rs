//! End poses. In: states at the end of the step. Out: the same, with overlap that the step made taken out.
//! Velocities are not touched. Eq.: the least displacement δ in the metric of mass with, row by row,
//!
//! ```text
//! contact  0 ≤ r ⊥ gap(X⁺) + J δ + allowed ≥ 0
//! joint    error(X⁺) + J δ = kept,     gear the same over the bodies of its joints
//! ```
//!
//! The contact problem sees gaps as linear in the motion and one patch of features per pair: a body that turns far, or is
//! struck in the step, may end up inside another. What came of it is measured here, at the end poses, with the narrow phase.
//! Overlap deeper than half of what the certificate allows is taken out wholly, in a few rounds because rows turn with the
//! bodies. Overlap that was there before the step (bodies put into each other, or squeezed) is taken out by a fraction per
//! step, and so are joints that were put together with a gap: [`crate::Stabilisation`]. Where joints that fitted do not fit any
//! more after the last round, as in a bridge that has come taut under a load, the bodies on joints of that island stay where the step left
//! them, and the others alone are moved. Overlap of a squeeze stays: there is
//! no room to go to (`squeeze`).

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

/// Most rounds. Two are usual; a bridge that comes taut takes a dozen, because the sag that it is left with is the square root of what
/// it is too long by; a press that cannot be satisfied uses all.
const MAX_ROUNDS: usize = 16;
/// Share of the certificate's bound above which an overlap made by the step is taken out \[1\].
const TRIGGER: f64 = 0.5;

/// Memory of the stage.
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
    /// Errors that joints are to end with, row by row of the scene [m, rad].
    targets: Vec<f64>,
    /// Errors of one joint, row by row [m, rad].
    errors: Vec<f64>,
    /// Pairs whose old overlap joints do not let out, ascending: a wheel whose axle is fixed to the world, in the ground. It
    /// stays as it was.
    stuck: Vec<(u32, u32)>,
    /// Errors that gears are to end with [m, rad].
    gear_targets: Vec<f64>,
    off: Off,
    /// Contact points of this round, and pairs whose points it has looked at.
    rows: Vec<Row>,
    rowed: Vec<bool>,
    /// Displacements by rank.
    moves: Vec<Twist>,
    /// Groups of bodies by their roots; bodies of one of them, and their places in it by rank.
    roots: Vec<u32>,
    members: Vec<u32>,
    local: Vec<Option<u32>>,
    /// Bodies that stay where they are, by rank: those on taut joints, which have nowhere to go, and those on joints that no round made
    /// fit again. Whatever lies in them is moved away from them.
    held: Vec<bool>,
    /// States before any displacement.
    pub moved: Vec<BodyState>,
}

/// What a step is about.
#[derive(Clone, Copy)]
struct Given<'a> {
    world: &'a World,
    scene: &'a Scene<'a>,
}

/// What the stage did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Corrected {
    /// Groups of bodies that were displaced.
    pub groups: usize,
    /// Rounds that were needed.
    pub rounds: usize,
    /// Displacements that could not be proved and were not applied.
    pub unproved: usize,
}

/// Takes overlap and old joint errors out of the end states; `correction` is what every body is moved and turned by.
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

/// Overlap made by the step that is not taken out \[m\].
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

/// How deep two bodies are in each other at these poses \[m\]; zero where they are apart.
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
    /// The rounds. False if joints that fitted before them do not fit after them.
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

    /// Pairs that overlap by more than they may. Bodies that have not moved are as deep as they were: looked at only for
    /// what is to be taken out by a fraction.
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

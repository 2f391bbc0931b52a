//! End poses. In: states at the end of the step. Out: the same, with overlap that the step made taken out.
//! Velocities are not touched. Eq.: the least displacement δ in the metric of mass with, row by row,
//!
//! ```text
//! contact  0 ≤ r ⊥ gap(X⁺) + J δ + allowed ≥ 0
//! joint    error(X⁺) + J δ = kept
//! ```
//!
//! The contact problem sees gaps as linear in the motion and one patch of features per pair: a body that turns far, or is
//! struck in the step, may end up inside another. What came of it is measured here, at the end poses, with the narrow phase.
//! Overlap deeper than half of what the certificate allows is taken out wholly, in a few rounds because rows turn with the
//! bodies. Overlap that was there before the step (bodies put into each other, or squeezed) is taken out by a fraction per
//! step, and so are joints that were put together with a gap: [`crate::Stabilisation`]. Overlap of a squeeze stays: there is
//! no room to go to (`squeeze`).

mod candidates;
mod old_overlap;

use crate::body::{BodyRecord, BodyState, Inertial};
use crate::joint::geometry::{End, JointGeometry, Placed};
use crate::joint::rows::{Purpose, RowSpec};
use crate::joint::{JointRecord, MISFIT};
use crate::judge::overlap_bound;
use crate::shape::Aabb;
use crate::step::assembly::{Scene, contact_row, joint_end};
use crate::step::collision::{Detector, PlacedShape, Plan};
use crate::step::free_motion::world_inverse_inertia;
use crate::step::island::root;
use crate::step::solve::{IslandSolution, IslandSpace, body_changes};
use crate::step::{Moving, Twist};
use crate::{Stabilisation, World};
use glamx::{DMat3, DQuat, DVec3};
use signorini_problem::{Block, ContactProblem, FactoredParts, InverseMass, Law};
use signorini_solvers::{ContactSolver, ExactOptions, History, Status, StoppingRule};

/// Most rounds of one step. Two are usual; a press that cannot be satisfied uses all.
const MAX_ROUNDS: usize = 8;
/// Share of the certificate's bound above which an overlap made by the step is taken out \[1\].
const TRIGGER: f64 = 0.5;
/// Accuracy of a displacement \[m\]: gaps left by it enter the next step divided by h, where they contradict each other.
const ACCURACY: f64 = 1e-10;
/// Accuracy of a displacement that is still applied \[m\].
const GOOD_ENOUGH: f64 = 1e-6;
/// Most iterations of a displacement.
const MAX_ITERATIONS: usize = 200;
/// Angle of a step beyond which a body spins [rad].
const SPINS: f64 = 0.02;
/// Most rows for pivoting, whose matrices are dense.
const MOST_PIVOTED: usize = 200;
/// Joint errors that are taken out after bodies were moved apart [m, rad]: half of what the certificate allows.
const JOINT_OFF: f64 = 5e-9;

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
    /// Bodies on taut joints, by rank: they have nowhere to go, and whatever lies in them is moved away from them.
    held: Vec<bool>,
    /// States before any displacement.
    pub moved: Vec<BodyState>,
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

/// A pair that is too deep, or a joint that is off, seeds a group.
struct Row {
    bodies: [Option<u32>; 2],
    columns: [f64; 12],
    q: f64,
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
    for round in 0..MAX_ROUNDS {
        let deep = space.too_deep(world, scene, detector, end, round == 0);
        let joints = space.off_joints(world, scene, end, round == 0);
        if deep.is_empty() && joints.is_empty() {
            break;
        }
        done.rounds += 1;
        space.displace(world, scene, detector, (&deep, &joints), end, correction, &mut done);
        if done.unproved > 0 {
            break;
        }
    }
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

/// How far a row is off what it is to end with [m, rad]: an open limit is not.
fn off_by(row: &RowSpec, error: f64, target: f64) -> f64 {
    match row.purpose {
        Purpose::Constraint => (error - target).abs(),
        Purpose::Limit => target - error,
        _ => 0.0,
    }
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
    /// Joints that are off their targets, by their place in the scene. A joint that was put together with a gap is to keep a
    /// share of it.
    fn off_joints(&mut self, world: &World, scene: &Scene, end: &[BodyState], first: bool) -> Vec<usize> {
        let kept = 1.0 - world.settings.joint_correction;
        let mut off = Vec::new();
        if first {
            self.targets.clear();
        }
        for (index, frame) in scene.joints.iter().enumerate() {
            let Some((record, joint, placed)) = joint_at(world, scene, index, |rank| end[rank]) else { continue };
            let errors = &mut self.errors;
            errors.clear();
            errors.extend(joint.errors(&placed));
            if first {
                // What the step made goes wholly; an open limit is to end where it is, or at its stop.
                let start = |rank: usize| scene.bodies[rank].state;
                let old = match errors.iter().any(|e| e.abs() > MISFIT) {
                    true => joint_at(world, scene, index, start)
                        .map(|(_, joint, placed)| joint.errors(&placed).collect::<Vec<f64>>()),
                    false => None,
                };
                let old = |place: usize| old.as_ref().map_or(0.0, |old| old[place]);
                let target = |(place, (row, e)): (usize, (&RowSpec, &f64))| match row.purpose {
                    _ if e.abs() <= MISFIT || old(place).abs() <= MISFIT => 0.0,
                    Purpose::Limit if *e > 0.0 => 0.0,
                    _ => kept * e,
                };
                self.targets.extend(record.rows.iter().zip(&*errors).enumerate().map(target));
            }
            let targets = &self.targets[frame.rows.clone()];
            let mut rows = record.rows.iter().zip(&*errors).zip(targets);
            let held = [frame.a, frame.b].into_iter().flatten().any(|rank| self.held[rank as usize]);
            if !held && rows.any(|((row, error), target)| off_by(row, *error, *target) > JOINT_OFF) {
                off.push(index);
            }
        }
        off
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
    ) -> Vec<(u32, u32)> {
        let mut deep = Vec::new();
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
            if depth > limit * (1.0 + 1e-9) {
                deep.push((i, j));
            }
        }
        deep
    }

    /// One round: displaces the groups that hold a deep pair or a joint that is off.
    #[allow(clippy::too_many_arguments)] // See `correct`.
    fn displace(
        &mut self,
        world: &World,
        scene: &Scene,
        detector: &mut Detector,
        (deep, off): (&[(u32, u32)], &[usize]),
        end: &mut [BodyState],
        correction: &mut [Twist],
        done: &mut Corrected,
    ) {
        let rows = self.rows(world, scene, detector, deep, end);
        let joints: Vec<(usize, JointGeometry, Vec<f64>)> = (0..scene.joints.len())
            .filter_map(|index| {
                let (_, joint, placed) = joint_at(world, scene, index, |rank| end[rank])?;
                let errors = joint.errors(&placed).collect();
                Some((index, joint, errors))
            })
            .collect();
        let held = std::mem::take(&mut self.held);
        let dynamic = |rank: u32| scene.bodies[rank as usize].is_dynamic() && !held[rank as usize];
        let ends = |joint: &JointGeometry| {
            [joint.a, joint.b].map(|side| match side {
                End::Given(rank, _) if dynamic(rank) => Some(rank),
                _ => None,
            })
        };
        self.parent.clear();
        self.parent.extend(0..scene.bodies.len() as u32);
        let pairs = rows.iter().map(|row| row.bodies).chain(joints.iter().map(|(_, joint, _)| ends(joint)));
        for pair in pairs {
            if let [Some(a), Some(b)] = pair {
                let (a, b) = (root(&mut self.parent, a), root(&mut self.parent, b));
                self.parent[a.max(b) as usize] = a.min(b);
            }
        }
        let seeds = deep.iter().flat_map(|(i, j)| [Some(*i), Some(*j)]);
        let seeds = seeds.chain(off.iter().flat_map(|index| {
            joints.iter().find(|(at, ..)| at == index).map_or([None, None], |(_, joint, _)| ends(joint))
        }));
        let mut groups: Vec<u32> = Vec::new();
        for rank in seeds.flatten().filter(|rank| dynamic(*rank)).collect::<Vec<_>>() {
            groups.push(root(&mut self.parent, rank));
        }
        groups.sort_unstable();
        groups.dedup();
        for group in groups {
            let mut local = vec![None; scene.bodies.len()];
            let mut members: Vec<u32> = Vec::new();
            for rank in 0..scene.bodies.len() as u32 {
                if dynamic(rank) && root(&mut self.parent, rank) == group {
                    local[rank as usize] = Some(members.len() as u32);
                    members.push(rank);
                }
            }
            let place = |rank: Option<u32>| rank.and_then(|rank| local[rank as usize]);
            let mut parts = std::mem::take(&mut self.space.parts);
            parts.clear();
            let FactoredParts { blocks, inverse_mass, bodies: pairs, jacobian, q, .. } = &mut parts;
            inverse_mass.extend(members.iter().filter_map(|rank| inverse_mass_at(world, scene, *rank, end)));
            for row in rows.iter().filter(|row| row.bodies.iter().any(|rank| place(*rank).is_some())) {
                blocks.push(Block::normal());
                pairs.push(row.bodies.map(place));
                jacobian.push(row.columns);
                q.push(row.q);
            }
            let mut tied = false;
            for (index, joint, errors) in &joints {
                let sides = ends(joint);
                if !sides.iter().any(|rank| place(*rank).is_some()) {
                    continue;
                }
                tied = true;
                let placed = joint.place(|side| rank_pose(side, |rank| end[rank]));
                let targets = &self.targets[scene.joints[*index].rows.clone()];
                for ((row, error), target) in joint.rows.iter().zip(errors).zip(targets) {
                    let law = match row.purpose {
                        Purpose::Constraint => Law::Equality,
                        Purpose::Limit => Law::NonNegative,
                        _ => continue,
                    };
                    if row.block > 0 {
                        blocks.push(Block { law, rows: row.block });
                        pairs.push(sides.map(place));
                    }
                    jacobian.push(joint.jacobian(row, &placed, &placed));
                    q.push(error - target);
                }
            }
            let masses =
                members.iter().filter_map(|rank| world.bodies.at(scene.bodies[*rank as usize].slot)).map(|r| r.mass);
            let masses: Vec<Inertial> = masses.collect();
            let settled = self.solve_group(&members, &masses, parts, end, correction, done)
                || tied && self.leave_old(world, scene, deep, &members);
            if !settled {
                // Moving by an unproved displacement may do harm: the overlap stays, and the certificate says so.
                done.unproved += 1;
            }
        }
        self.held = held;
        for (rank, (body, state)) in scene.bodies.iter().zip(&*end).enumerate() {
            if correction[rank] != Twist::default()
                && let Some(placed) = placed(world, body, state)
            {
                self.boxes[rank] = placed.shape.aabb(&placed.pose);
            }
        }
    }

    /// Displaces a group; false if no displacement could be proved.
    fn solve_group(
        &mut self,
        members: &[u32],
        masses: &[Inertial],
        parts: FactoredParts,
        end: &mut [BodyState],
        correction: &mut [Twist],
        done: &mut Corrected,
    ) -> bool {
        done.groups += 1;
        // Numbers that make no problem are left as they are: the certificate says what is left of the overlap.
        let Ok(problem) = ContactProblem::from_parts(parts) else { return false };
        let stop = StoppingRule { max_iterations: Some(MAX_ITERATIONS), ..StoppingRule::velocity(ACCURACY) };
        let IslandSpace {
            pivoting,
            exact,
            equalities,
            impulses,
            position_session: session,
            body_velocity,
            changes,
            ..
        } = &mut self.space;
        exact.options = ExactOptions::stepping();
        let methods: [&mut dyn ContactSolver; 2] = [pivoting, exact];
        let first = usize::from(problem.rows() > MOST_PIVOTED);
        let mut proved = false;
        // Joints alone may contradict each other: they are met halfway.
        if problem.blocks().iter().all(|block| block.law == Law::Equality) {
            proved = equalities.solve(&problem, impulses);
            body_changes(&problem, impulses, members.len(), body_velocity, changes);
        }
        let methods = methods.into_iter().filter(|_| !proved);
        for method in methods.skip(first) {
            // A method that refuses the problem leaves it to the next.
            let Ok(solution) = session.solve(&problem, method, None, &stop, &mut History::off()) else { continue };
            if solution.status == Status::Solved || solution.certificate.natural <= GOOD_ENOUGH {
                body_changes(&problem, &solution.impulses, members.len(), body_velocity, changes);
                proved = true;
                break;
            }
        }
        self.space.parts = problem.into_parts();
        if !proved {
            return false;
        }
        let moves = members.iter().map(|rank| *rank as usize).zip(masses).zip(&self.space.changes);
        for ((rank, mass), change) in moves {
            let state = &mut end[rank];
            state.position += change.linear;
            if change.angular != DVec3::ZERO {
                // The angular momentum stays: the body turns in place, and its axes of inertia with it.
                let inertia = |spin: DVec3, q: DQuat| q * (mass.inertia * (q.inverse() * spin));
                let momentum = inertia(state.spin, state.orientation);
                state.orientation = (DQuat::from_scaled_axis(change.angular) * state.orientation).normalize();
                let q = state.orientation;
                state.spin = q * (mass.inverse_inertia * (q.inverse() * momentum));
            }
            correction[rank].linear += change.linear;
            correction[rank].angular += change.angular;
        }
        true
    }

    /// Rows of all pairs that a displacement of this size may bring together.
    fn rows(
        &mut self,
        world: &World,
        scene: &Scene,
        detector: &mut Detector,
        deep: &[(u32, u32)],
        end: &[BodyState],
    ) -> Vec<Row> {
        let mut rows = Vec::new();
        if deep.is_empty() {
            return rows;
        }
        let cap = if let Stabilisation::SplitImpulse { cap, .. } = world.settings.stabilisation { cap } else { 0.0 };
        for &(i, j) in &self.pairs {
            let (a, b) = (&scene.bodies[i as usize], &scene.bodies[j as usize]);
            let (Some(record_a), Some(record_b)) = (world.bodies.at(a.slot), world.bodies.at(b.slot)) else { continue };
            let margin = cap.min(0.1 * record_a.reach.max(record_b.reach));
            if !self.boxes[i as usize].inflated(margin).overlaps(&self.boxes[j as usize]) {
                continue;
            }
            let shapes = placed(world, a, &end[i as usize]).zip(placed(world, b, &end[j as usize]));
            let Some((shape_a, shape_b)) = shapes else { continue };
            let limit = self.allowed(world, overlap_bound(record_a, record_b), (i, j));
            let is_deep = deep.binary_search(&(i, j)).is_ok();
            let old = limit > TRIGGER * overlap_bound(record_a, record_b);
            for manifold in detector.manifolds(shape_a, shape_b, margin) {
                for point in &manifold.points {
                    let middle = point.middle();
                    let arms = [middle - end[i as usize].position, middle - end[j as usize].position];
                    // What the step made goes wholly; what was there before goes as far as it may this time.
                    let kept = if is_deep && !old { 0.0 } else { limit };
                    let pushed = if is_deep { (point.gap + kept).max(-cap) } else { point.gap + kept };
                    rows.push(Row {
                        bodies: [(i, a), (j, b)].map(|(rank, body)| body.is_dynamic().then_some(rank)),
                        columns: contact_row(manifold.normal, arms[0], arms[1]),
                        q: pushed,
                    });
                }
            }
        }
        rows
    }
}

fn inverse_mass_at(world: &World, scene: &Scene, rank: u32, end: &[BodyState]) -> Option<InverseMass> {
    let body = &scene.bodies[rank as usize];
    let record = world.bodies.at(body.slot)?;
    let orientation = end[rank as usize].orientation;
    // A body that spins is moved and not turned: turned under its angular momentum it would gain or lose energy. Joints ask
    // for the turn.
    let jointed = scene.joints.iter().any(|joint| joint.a == Some(rank) || joint.b == Some(rank));
    let spins = !jointed && scene.dt * end[rank as usize].spin.length() > SPINS;
    let inverse_inertia = if spins { DMat3::ZERO } else { world_inverse_inertia(record, orientation) };
    Some(crate::step::assembly::inverse_mass(&Moving { inverse_inertia, ..*body }))
}

//! The least displacement that takes overlap and joint errors out, for each group of bodies that have to give way together.
//!
//! A heap has thousands of contacts, of which a displacement of some micrometres concerns a few. Rows are taken in as they
//! are needed: those of the deep pairs first, then those that the displacement found so far would violate, until it violates
//! none. Rows that were never taken in carry nothing, so this is the least displacement with all rows.

use super::{EndSpace, TRIGGER, joint_at, placed, rank_pose};
use crate::body::{BodyState, Inertial};
use crate::joint::geometry::{End, JointGeometry};
use crate::joint::rows::Purpose;
use crate::judge::overlap_bound;
use crate::step::Twist;
use crate::step::assembly::{Scene, contact_row, inverse_mass_of};
use crate::step::collision::Detector;
use crate::step::free_motion::world_inverse_inertia;
use crate::step::island::root;
use crate::step::solve::{IslandSpace, body_changes};
use crate::{Stabilisation, World};
use glamx::{DMat3, DQuat, DVec3};
use signorini_problem::{Block, ContactProblem, FactoredParts, InverseMass, Law};
use signorini_solvers::{ContactSolver, ExactOptions, History, Status, StoppingRule};

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

/// A contact point at the end poses.
struct Row {
    /// Dynamic bodies of the pair, by rank.
    bodies: [Option<u32>; 2],
    columns: [f64; 12],
    /// Gap, and what may be left of it \[m\].
    q: f64,
    taken: bool,
}

impl Row {
    /// What is left of the gap after the bodies are moved \[m\].
    fn gap_after(&self, moves: &[Twist]) -> f64 {
        let (sides, _) = self.columns.as_chunks::<6>();
        let change = |(rank, row): (&Option<u32>, &[f64; 6])| {
            rank.map_or(0.0, |rank| {
                let Twist { linear, angular } = moves[rank as usize];
                let motion = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z];
                row.iter().zip(motion).map(|(j, x)| j * x).sum()
            })
        };
        self.q + self.bodies.iter().zip(sides).map(change).sum::<f64>()
    }
}

/// A joint at the end poses: its place in the scene, and its errors row by row [m, rad].
struct Tie<'a> {
    index: usize,
    joint: JointGeometry<'a>,
    errors: Vec<f64>,
    /// Dynamic bodies that it holds, by rank.
    bodies: [Option<u32>; 2],
}

/// Bodies that have to give way together, ascending by rank, and the problem of their displacement.
#[derive(Default)]
struct Group {
    members: Vec<u32>,
    parts: FactoredParts,
    /// Whether joints hold some of them.
    tied: bool,
}

/// What came of one group.
#[derive(PartialEq, Eq)]
enum Settled {
    Yes,
    /// Its old overlap stays: joints do not let it out.
    Left,
    /// No displacement could be proved.
    No,
}

impl EndSpace {
    /// One round: moves the groups that hold a deep pair or a joint that is off. Returns how many groups were looked at, and
    /// how many of them no displacement could be proved for.
    pub(super) fn displace(
        &mut self,
        world: &World,
        scene: &Scene,
        detector: &mut Detector,
        (deep, off): (&[(u32, u32)], &[usize]),
        end: &mut [BodyState],
        correction: &mut [Twist],
    ) -> (usize, usize) {
        let ties = ties(world, scene, end);
        let (mut rows, mut moves) = (Vec::new(), vec![Twist::default(); scene.bodies.len()]);
        self.rowed.clear();
        self.rowed.resize(self.pairs.len(), false);
        self.add_rows(world, scene, detector, deep, end, &mut rows, |pair| deep.binary_search(&pair).is_ok());
        for row in &mut rows {
            row.taken = row.q < 0.0;
        }
        let (mut groups, mut unproved);
        loop {
            moves.fill(Twist::default());
            (groups, unproved) = (0, 0);
            let mut left = false;
            for group in self.groups(world, scene, &rows, &ties, off, end) {
                groups += 1;
                match self.solve_group(world, scene, deep, group, &mut moves) {
                    Settled::Yes => {}
                    Settled::Left => left = true,
                    // Moving by an unproved displacement may do harm: the overlap stays, and the certificate says so.
                    Settled::No => unproved += 1,
                }
            }
            if left || unproved > 0 {
                break;
            }
            let moved = |rank: u32| moves[rank as usize] != Twist::default();
            self.add_rows(world, scene, detector, deep, end, &mut rows, |(i, j)| moved(i) || moved(j));
            let mut more = false;
            for row in rows.iter_mut().filter(|row| !row.taken) {
                row.taken = row.gap_after(&moves) < -ACCURACY;
                more |= row.taken;
            }
            if !more {
                break;
            }
        }
        for (rank, change) in moves.iter().enumerate().filter(|(_, change)| **change != Twist::default()) {
            let body = &scene.bodies[rank];
            let Some(record) = world.bodies.at(body.slot) else { continue };
            let state = &mut end[rank];
            displace(state, &record.mass, change);
            correction[rank].linear += change.linear;
            correction[rank].angular += change.angular;
            if let Some(placed) = placed(world, body, state) {
                self.boxes[rank] = placed.shape.aabb(&placed.pose);
            }
        }
        (groups, unproved)
    }

    /// Adds the rows of pairs that have none yet.
    #[allow(clippy::too_many_arguments)] // Everything a pair is measured by.
    fn add_rows(
        &mut self,
        world: &World,
        scene: &Scene,
        detector: &mut Detector,
        deep: &[(u32, u32)],
        end: &[BodyState],
        rows: &mut Vec<Row>,
        wanted: impl Fn((u32, u32)) -> bool,
    ) {
        let cap = if let Stabilisation::SplitImpulse { cap, .. } = world.settings.stabilisation { cap } else { 0.0 };
        for place in 0..self.pairs.len() {
            let (i, j) = self.pairs[place];
            if self.rowed[place] || !wanted((i, j)) {
                continue;
            }
            self.rowed[place] = true;
            let (a, b) = (&scene.bodies[i as usize], &scene.bodies[j as usize]);
            let (Some(record_a), Some(record_b)) = (world.bodies.at(a.slot), world.bodies.at(b.slot)) else { continue };
            // As far as a displacement may go.
            let margin = cap.min(0.1 * record_a.reach.max(record_b.reach));
            if !self.boxes[i as usize].inflated(margin).overlaps(&self.boxes[j as usize]) {
                continue;
            }
            let shapes = placed(world, a, &end[i as usize]).zip(placed(world, b, &end[j as usize]));
            let Some((shape_a, shape_b)) = shapes else { continue };
            let limit = self.allowed(world, overlap_bound(record_a, record_b), (i, j));
            let is_deep = deep.binary_search(&(i, j)).is_ok();
            let old = limit > TRIGGER * overlap_bound(record_a, record_b);
            // What the step made goes wholly; what was there before goes as far as it may this time.
            let kept = if is_deep && !old { 0.0 } else { limit };
            for manifold in detector.manifolds(shape_a, shape_b, margin) {
                for point in &manifold.points {
                    let middle = point.middle();
                    let arms = [middle - end[i as usize].position, middle - end[j as usize].position];
                    rows.push(Row {
                        bodies: [(i, a), (j, b)].map(|(rank, body)| body.is_dynamic().then_some(rank)),
                        columns: contact_row(manifold.normal, arms[0], arms[1]),
                        q: if is_deep { (point.gap + kept).max(-cap) } else { point.gap + kept },
                        taken: false,
                    });
                }
            }
        }
    }

    /// Groups that hold a row that is taken in or a joint that is off.
    fn groups(
        &mut self,
        world: &World,
        scene: &Scene,
        rows: &[Row],
        ties: &[Tie],
        off: &[usize],
        end: &[BodyState],
    ) -> Vec<Group> {
        self.parent.clear();
        self.parent.extend(0..scene.bodies.len() as u32);
        let taken = || rows.iter().filter(|row| row.taken).map(|row| row.bodies);
        for pair in taken().chain(ties.iter().map(|tie| tie.bodies)) {
            if let [Some(a), Some(b)] = pair {
                let (a, b) = (root(&mut self.parent, a), root(&mut self.parent, b));
                self.parent[a.max(b) as usize] = a.min(b);
            }
        }
        let parent = &mut self.parent;
        let off = ties.iter().filter(|tie| off.binary_search(&tie.index).is_ok()).map(|tie| tie.bodies);
        let mut roots: Vec<u32> = taken().chain(off).flatten().flatten().map(|rank| root(parent, rank)).collect();
        roots.sort_unstable();
        roots.dedup();
        let mut groups: Vec<Group> = roots.iter().map(|_| Group::default()).collect();
        // The group of each body, and its place there.
        let mut place = vec![None; scene.bodies.len()];
        for rank in 0..scene.bodies.len() as u32 {
            let Ok(group) = roots.binary_search(&root(parent, rank)) else { continue };
            let Group { members, parts, .. } = &mut groups[group];
            if let Some(inverse) = inverse_mass_at(world, scene, rank, end) {
                place[rank as usize] = Some((group, members.len() as u32));
                members.push(rank);
                parts.inverse_mass.push(inverse);
            }
        }
        let of = |rank: Option<u32>| rank.and_then(|rank| place[rank as usize]);
        let group_of = |bodies: &[Option<u32>; 2]| bodies.iter().find_map(|rank| of(*rank)).map(|(group, _)| group);
        let within = |bodies: &[Option<u32>; 2]| bodies.map(|rank| of(rank).map(|(_, place)| place));
        for row in rows.iter().filter(|row| row.taken) {
            let Some(group) = group_of(&row.bodies) else { continue };
            let FactoredParts { blocks, bodies, jacobian, q, .. } = &mut groups[group].parts;
            blocks.push(Block::normal());
            bodies.push(within(&row.bodies));
            jacobian.push(row.columns);
            q.push(row.q);
        }
        for tie in ties {
            let Some(group) = group_of(&tie.bodies) else { continue };
            let Group { tied, parts: FactoredParts { blocks, bodies, jacobian, q, .. }, .. } = &mut groups[group];
            *tied = true;
            let placed = tie.joint.place(|side| rank_pose(side, |rank| end[rank]));
            let targets = &self.targets[scene.joints[tie.index].rows.clone()];
            for ((row, error), target) in tie.joint.rows.iter().zip(&tie.errors).zip(targets) {
                let law = match row.purpose {
                    Purpose::Constraint => Law::Equality,
                    Purpose::Limit => Law::NonNegative,
                    _ => continue,
                };
                if row.block > 0 {
                    blocks.push(Block { law, rows: row.block });
                    bodies.push(within(&tie.bodies));
                }
                jacobian.push(tie.joint.jacobian(row, &placed, &placed));
                q.push(error - target);
            }
        }
        groups
    }

    /// The displacement of a group, into `moves`.
    fn solve_group(
        &mut self,
        world: &World,
        scene: &Scene,
        deep: &[(u32, u32)],
        Group { members, parts, tied }: Group,
        moves: &mut [Twist],
    ) -> Settled {
        if self.solve_problem(parts, members.len()) {
            for (rank, change) in members.iter().zip(&self.space.changes) {
                moves[*rank as usize] = *change;
            }
            Settled::Yes
        } else if tied && self.leave_old(world, scene, deep, &members) {
            Settled::Left
        } else {
            Settled::No
        }
    }

    /// Changes of the poses of so many bodies, into the space; whether they are proved.
    fn solve_problem(&mut self, parts: FactoredParts, bodies: usize) -> bool {
        // Numbers that make no problem are left as they are: the certificate says what is left of the overlap.
        let Ok(problem) = ContactProblem::from_parts(parts) else { return false };
        let stop = StoppingRule { max_iterations: Some(MAX_ITERATIONS), ..StoppingRule::velocity(ACCURACY) };
        let IslandSpace { pivoting, exact, equalities, impulses, position_session, body_velocity, changes, .. } =
            &mut self.space;
        exact.options = ExactOptions::stepping();
        // Joints alone may contradict each other: they are met halfway.
        if problem.blocks().iter().all(|block| block.law == Law::Equality) && equalities.solve(&problem, impulses) {
            body_changes(&problem, impulses, bodies, body_velocity, changes);
            return true;
        }
        let methods: [&mut dyn ContactSolver; 2] = [pivoting, exact];
        for method in methods.into_iter().skip(usize::from(problem.rows() > MOST_PIVOTED)) {
            // A method that refuses the problem leaves it to the next.
            let Ok(solution) = position_session.solve(&problem, method, None, &stop, &mut History::off()) else {
                continue;
            };
            if solution.status == Status::Solved || solution.certificate.natural <= GOOD_ENOUGH {
                body_changes(&problem, &solution.impulses, bodies, body_velocity, changes);
                return true;
            }
        }
        false
    }
}

/// Moves and turns a body by its displacement.
fn displace(state: &mut BodyState, mass: &Inertial, change: &Twist) {
    state.position += change.linear;
    if change.angular != DVec3::ZERO {
        // The angular momentum stays: the body turns in place, and its axes of inertia with it.
        let inertia = |spin: DVec3, q: DQuat| q * (mass.inertia * (q.inverse() * spin));
        let momentum = inertia(state.spin, state.orientation);
        state.orientation = (DQuat::from_scaled_axis(change.angular) * state.orientation).normalize();
        let q = state.orientation;
        state.spin = q * (mass.inverse_inertia * (q.inverse() * momentum));
    }
}

/// All joints at the end poses.
fn ties<'a>(world: &'a World, scene: &Scene, end: &[BodyState]) -> Vec<Tie<'a>> {
    let dynamic = |side: End| match side {
        End::Given(rank, _) if scene.bodies[rank as usize].is_dynamic() => Some(rank),
        _ => None,
    };
    let tie = |index| {
        let (_, joint, placed) = joint_at(world, scene, index, |rank| end[rank])?;
        let bodies = [joint.a, joint.b].map(dynamic);
        Some(Tie { index, errors: joint.errors(&placed).collect(), bodies, joint })
    };
    (0..scene.joints.len()).filter_map(tie).collect()
}

/// Of a dynamic body.
fn inverse_mass_at(world: &World, scene: &Scene, rank: u32, end: &[BodyState]) -> Option<InverseMass> {
    let body = &scene.bodies[rank as usize];
    let record = world.bodies.at(body.slot).filter(|_| body.is_dynamic())?;
    let BodyState { orientation, spin, .. } = end[rank as usize];
    // A body that spins is moved and not turned: turned under its angular momentum it would gain or lose energy. Joints ask
    // for the turn.
    let jointed = scene.joints.iter().any(|joint| joint.a == Some(rank) || joint.b == Some(rank));
    let spins = !jointed && scene.dt * spin.length() > SPINS;
    let inverse_inertia = if spins { DMat3::ZERO } else { world_inverse_inertia(record, orientation) };
    Some(inverse_mass_of(body.inverse_mass, inverse_inertia))
}

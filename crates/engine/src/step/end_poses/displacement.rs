//! Computes the least displacement that removes overlap and joint errors, for each group of bodies that must move
//! together.
//!
//! A heap has thousands of contacts, but a displacement of some micrometres concerns only a few. Rows are added as they
//! are needed: first those of the deep pairs, then those that the displacement found so far would violate, until it
//! violates none. Rows that were never added would carry nothing, so the result equals that with all rows.

use super::gears::{first_mover, geared_pairs};
use super::{EndSpace, TRIGGER, joint_at, placed};
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

/// Accuracy to which a displacement is solved \[m\]. Errors of gaps enter the next step divided by h, and contradict
/// each other there. Overlap counts as too deep only from five times this value, so that the error of one displacement
/// does not cause another.
pub(super) const ACCURACY: f64 = 1e-10;
/// A displacement solved to this accuracy is still applied \[m\].
const GOOD_ENOUGH: f64 = 1e-6;
/// Limit on the solver's iterations for one displacement.
const MAX_ITERATIONS: usize = 200;
/// A body that turns by more than this in a step is moved but not turned [rad].
const SPINS: f64 = 0.02;
/// Largest problem given to the pivoting method, whose matrices are dense [rows].
const MOST_PIVOTED: usize = 200;

/// What has to be corrected at the end poses: pairs that are too deep, ascending, and joints and gears by their index
/// in the scene.
#[derive(Default)]
pub(super) struct Off {
    pub deep: Vec<(u32, u32)>,
    pub joints: Vec<usize>,
    pub gears: Vec<usize>,
}

impl Off {
    pub fn is_nothing(&self) -> bool {
        self.deep.is_empty() && self.joints.is_empty() && self.gears.is_empty()
    }

    fn is_deep(&self, pair: (u32, u32)) -> bool {
        self.deep.binary_search(&pair).is_ok()
    }
}

/// A contact point at the end poses.
pub(super) struct Row {
    /// Dynamic bodies of the pair, by rank.
    bodies: [Option<u32>; 2],
    columns: [f64; 12],
    /// Gap, less the overlap that may remain \[m\].
    q: f64,
    taken: bool,
}

impl Row {
    /// The gap after the bodies are displaced, linearised \[m\].
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

/// Outcome for one group.
#[derive(PartialEq, Eq)]
enum Settled {
    Yes,
    /// The old overlap stays, because joints prevent its removal.
    Left,
    /// No displacement was certified.
    No,
}

impl EndSpace {
    /// One round: moves the groups that contain a deep pair, or a joint or gear with an error. Returns how many groups
    /// were solved, and for how many of them no displacement was certified.
    pub(super) fn displace(
        &mut self,
        world: &World,
        scene: &Scene,
        detector: &mut Detector,
        off: &Off,
        end: &mut [BodyState],
        correction: &mut [Twist],
    ) -> (usize, usize) {
        let (mut rows, mut moves) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.moves));
        rows.clear();
        self.rowed.clear();
        self.rowed.resize(self.pairs.len(), false);
        self.add_rows(world, scene, detector, off, end, &mut rows, |pair| off.is_deep(pair));
        for row in &mut rows {
            row.taken = row.q < 0.0;
        }
        let done = loop {
            moves.clear();
            moves.resize(scene.bodies.len(), Twist::default());
            let (groups, unproved, left) = self.solve_groups(world, scene, off, end, &rows, &mut moves);
            if left || unproved > 0 {
                break (groups, unproved);
            }
            let moved = |rank: u32| moves[rank as usize] != Twist::default();
            self.add_rows(world, scene, detector, off, end, &mut rows, |(i, j)| moved(i) || moved(j));
            let mut more = false;
            for row in rows.iter_mut().filter(|row| !row.taken) {
                row.taken = row.gap_after(&moves) < -ACCURACY;
                more |= row.taken;
            }
            if !more {
                break (groups, unproved);
            }
        };
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
        (self.rows, self.moves) = (rows, moves);
        done
    }

    /// Solves all groups and writes their displacements to `moves`. Returns the number of groups, the number without a
    /// certified displacement, and whether old overlap was left in any.
    fn solve_groups(
        &mut self,
        world: &World,
        scene: &Scene,
        off: &Off,
        end: &[BodyState],
        rows: &[Row],
        moves: &mut [Twist],
    ) -> (usize, usize, bool) {
        self.find_groups(world, scene, off, rows, end);
        let (roots, mut members) = (std::mem::take(&mut self.roots), std::mem::take(&mut self.members));
        let (mut unproved, mut left) = (0, false);
        for group in &roots {
            members.clear();
            self.local.clear();
            self.local.resize(scene.bodies.len(), None);
            for rank in 0..scene.bodies.len() as u32 {
                if moves_at_all(scene, &self.held, rank) && root(&mut self.parent, rank) == *group {
                    self.local[rank as usize] = Some(members.len() as u32);
                    members.push(rank);
                }
            }
            let tied = self.pose(world, scene, rows, end, &members);
            match self.solve_group(world, scene, off, &members, tied, moves) {
                Settled::Yes => {}
                Settled::Left => left = true,
                // An uncertified displacement could make things worse. The overlap stays and shows in the certificate.
                Settled::No => unproved += 1,
            }
        }
        let count = roots.len();
        (self.roots, self.members) = (roots, members);
        (count, unproved, left)
    }

    /// Finds the groups that contain an added row, or a joint or gear with an error; `roots` says which body is in
    /// which.
    fn find_groups(&mut self, world: &World, scene: &Scene, off: &Off, rows: &[Row], end: &[BodyState]) {
        let (parent, held) = (&mut self.parent, &self.held);
        parent.clear();
        parent.extend(0..scene.bodies.len() as u32);
        let tied = |index: usize| {
            let joint = joint_at(world, scene, index, |rank| end[rank]);
            joint.map_or([None, None], |(_, joint, _)| movers(scene, held, &joint))
        };
        let taken = || rows.iter().filter(|row| row.taken).map(|row| row.bodies);
        let pairs = taken().chain((0..scene.joints.len()).map(tied)).chain(geared_pairs(scene));
        for pair in pairs {
            if let [Some(a), Some(b)] = pair {
                let (a, b) = (root(parent, a), root(parent, b));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        let seeds = taken().chain(off.joints.iter().map(|index| tied(*index))).flatten();
        let seeds = seeds.chain(off.gears.iter().map(|gear| first_mover(scene, *gear)));
        self.roots.clear();
        self.roots.extend(seeds.flatten().map(|rank| root(parent, rank)));
        self.roots.sort_unstable();
        self.roots.dedup();
    }

    /// Assembles the problem of one group in `space.parts`. Returns whether joints or gears hold some of its bodies.
    fn pose(&mut self, world: &World, scene: &Scene, rows: &[Row], end: &[BodyState], members: &[u32]) -> bool {
        let mut parts = std::mem::take(&mut self.space.parts);
        parts.clear();
        let local = &self.local;
        let place = |rank: Option<u32>| rank.and_then(|rank| local[rank as usize]);
        let FactoredParts { blocks, inverse_mass, bodies, jacobian, compliance, q, .. } = &mut parts;
        inverse_mass.extend(members.iter().filter_map(|rank| inverse_mass_at(world, scene, *rank, end)));
        let inside = |pair: &[Option<u32>; 2]| pair.iter().any(|rank| place(*rank).is_some());
        for row in rows.iter().filter(|row| row.taken && inside(&row.bodies)) {
            blocks.push(Block::normal());
            bodies.push(row.bodies.map(place));
            jacobian.push(row.columns);
            q.push(row.q);
        }
        let mut tied = false;
        for index in 0..scene.joints.len() {
            let Some((_, joint, placed)) = joint_at(world, scene, index, |rank| end[rank]) else { continue };
            let sides = movers(scene, &self.held, &joint);
            if !inside(&sides) {
                continue;
            }
            tied = true;
            let targets = &self.targets[scene.joints[index].rows.clone()];
            for ((row, error), target) in joint.rows.iter().zip(joint.errors(&placed)).zip(targets) {
                let law = match row.purpose {
                    Purpose::Constraint => Law::Equality,
                    Purpose::Limit => Law::NonNegative,
                    _ => continue,
                };
                if row.block > 0 {
                    blocks.push(Block { law, rows: row.block });
                    bodies.push(sides.map(place));
                }
                jacobian.push(joint.jacobian(row, &placed, &placed));
                q.push(error - target);
            }
        }
        compliance.resize(jacobian.len(), 0.0);
        tied |= self.pose_gears(world, scene, end, place, &mut parts);
        self.space.parts = parts;
        tied
    }

    /// Adds the rows of pairs that have none yet.
    #[allow(clippy::too_many_arguments)] // Everything a pair is measured by.
    fn add_rows(
        &mut self,
        world: &World,
        scene: &Scene,
        detector: &mut Detector,
        off: &Off,
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
            // Points within the reach of a displacement.
            let margin = cap.min(0.1 * record_a.reach.max(record_b.reach));
            if !self.boxes[i as usize].inflated(margin).overlaps(&self.boxes[j as usize]) {
                continue;
            }
            let shapes = placed(world, a, &end[i as usize]).zip(placed(world, b, &end[j as usize]));
            let Some((shape_a, shape_b)) = shapes else { continue };
            let limit = self.allowed(world, overlap_bound(record_a, record_b), (i, j));
            let is_deep = off.is_deep((i, j));
            let old = limit > TRIGGER * overlap_bound(record_a, record_b);
            // Overlap made by the step is removed completely, older overlap by a fraction.
            let kept = if is_deep && !old { 0.0 } else { limit };
            for manifold in detector.manifolds(shape_a, shape_b, margin) {
                for point in &manifold.points {
                    let middle = point.middle();
                    let arms = [middle - end[i as usize].position, middle - end[j as usize].position];
                    rows.push(Row {
                        bodies: [i, j].map(|rank| moves_at_all(scene, &self.held, rank).then_some(rank)),
                        columns: contact_row(manifold.normal, arms[0], arms[1]),
                        q: if is_deep { (point.gap + kept).max(-cap) } else { point.gap + kept },
                        taken: false,
                    });
                }
            }
        }
    }

    /// Solves one group and writes its displacement to `moves`.
    fn solve_group(
        &mut self,
        world: &World,
        scene: &Scene,
        off: &Off,
        members: &[u32],
        tied: bool,
        moves: &mut [Twist],
    ) -> Settled {
        if self.solve_problem(members.len()) {
            for (rank, change) in members.iter().zip(&self.space.changes) {
                moves[*rank as usize] = *change;
            }
            Settled::Yes
        } else if tied && self.leave_old(world, scene, &off.deep, members) {
            Settled::Left
        } else {
            Settled::No
        }
    }

    /// Solves the problem in `space.parts` for the displacements of its bodies. Returns whether they are certified.
    fn solve_problem(&mut self, bodies: usize) -> bool {
        // If the numbers make no valid problem, nothing moves. The overlap shows in the certificate.
        let Ok(problem) = ContactProblem::from_parts(std::mem::take(&mut self.space.parts)) else { return false };
        let stop = StoppingRule { max_iterations: Some(MAX_ITERATIONS), ..StoppingRule::velocity(ACCURACY) };
        let IslandSpace { pivoting, exact, equalities, impulses, position_session, body_velocity, changes, .. } =
            &mut self.space;
        exact.options = ExactOptions::stepping();
        let ties = problem.blocks().iter().filter(|block| block.law == Law::Equality).count();
        // A group of joints alone may be contradictory; least squares gives a compromise.
        let mut proved = ties == problem.blocks().len() && equalities.solve(&problem, impulses);
        if proved {
            body_changes(&problem, impulses, bodies, body_velocity, changes);
        }
        // With joints, `exact` comes first: it eliminates most rows before anything dense is formed.
        let methods: [&mut dyn ContactSolver; 2] = if ties > 0 { [exact, pivoting] } else { [pivoting, exact] };
        let first = usize::from(ties == 0 && problem.rows() > MOST_PIVOTED);
        for method in methods.into_iter().skip(first) {
            if proved {
                break;
            }
            // A method that cannot start leaves the problem to the next one.
            let Ok(solution) = position_session.solve(&problem, method, None, &stop, &mut History::off()) else {
                continue;
            };
            proved = solution.status == Status::Solved || solution.certificate.natural <= GOOD_ENOUGH;
            if proved {
                body_changes(&problem, &solution.impulses, bodies, body_velocity, changes);
            }
        }
        self.space.parts = problem.into_parts();
        proved
    }
}

/// Moves and turns a body by its displacement.
fn displace(state: &mut BodyState, mass: &Inertial, change: &Twist) {
    state.position += change.linear;
    if change.angular != DVec3::ZERO {
        // The body turns in place, its axes of inertia with it. Its angular momentum is kept.
        let inertia = |angular_velocity: DVec3, q: DQuat| q * (mass.inertia * (q.inverse() * angular_velocity));
        let momentum = inertia(state.angular_velocity, state.orientation);
        state.orientation = (DQuat::from_scaled_axis(change.angular) * state.orientation).normalize();
        let q = state.orientation;
        state.angular_velocity = q * (mass.inverse_inertia * (q.inverse() * momentum));
    }
}

/// Whether a body may be displaced: it is dynamic, and not held.
fn moves_at_all(scene: &Scene, held: &[bool], rank: u32) -> bool {
    scene.bodies[rank as usize].is_dynamic() && !held[rank as usize]
}

/// The bodies of a joint that may be displaced, by rank.
fn movers(scene: &Scene, held: &[bool], joint: &JointGeometry) -> [Option<u32>; 2] {
    [joint.a, joint.b].map(|side| match side {
        End::Given(rank, _) if moves_at_all(scene, held, rank) => Some(rank),
        _ => None,
    })
}

/// Inverse mass and inertia of a dynamic body at its end pose.
fn inverse_mass_at(world: &World, scene: &Scene, rank: u32, end: &[BodyState]) -> Option<InverseMass> {
    let body = &scene.bodies[rank as usize];
    let record = world.bodies.at(body.slot).filter(|_| body.is_dynamic())?;
    let BodyState { orientation, angular_velocity, .. } = end[rank as usize];
    // A body that spins fast is moved but not turned: turning it at constant angular momentum would change its energy.
    // Jointed bodies are turned all the same, because joints need it.
    let jointed = scene.joints.iter().any(|joint| joint.a == Some(rank) || joint.b == Some(rank));
    let spins = !jointed && scene.dt * angular_velocity.length() > SPINS;
    let inverse_inertia = if spins { DMat3::ZERO } else { world_inverse_inertia(record, orientation) };
    Some(inverse_mass_of(body.inverse_mass, inverse_inertia))
}

//! Islands with joints (part of row 5): an integrator whose joints fit at the end of the step. In: an island. Out: end
//! states, impulses, certificate, and its part of the energy ledger.
//!
//! If rows are linearised at the start of the step, joints drift by h² per step, and correcting the drift afterwards
//! costs energy: a pendulum lost a fifth of its swing in ten seconds, and a short chain tore. Here the step, or a piece
//! of it, has two phases.
//!
//! 1. *Positions* (`rounds`). Impulses λ, with arms midway between start and end, move the bodies (`body`) so that the
//!    joints fit at the end poses, `g(X⁺) = 0`. A round is one Newton step in λ and the motion of all bodies
//!    (`newton`). The geometric stiffness of the impulses is part of its matrix; without it rounds diverge, like SHAKE
//!    and RATTLE, as soon as h ω > 2 for the fastest swing of a link, and loaded chains exceed that tenfold. If
//!    contacts are near, one exact solve with the rows of the start poses comes first, and its contact impulses act
//!    throughout the phase. If a round violates a contact or a limit, the next round has inequalities, and the exact
//!    method decides which of them are active. (With all contacts and friction in every round, a loaded rope bridge
//!    took thirty to sixty factorizations per round, and rounds did not contract.)
//! 2. *Velocities* (`velocity`). The momentum is `p = p₀ + h f + (J̄ − J⁺)ᵀλ` plus the total impulse, which one exact
//!    solve with the rows of the end poses finds: u = 0 for joints, and Signorini's and Coulomb's laws for contacts
//!    that are closed there. The certificate is about this problem.
//!
//! Energy is conserved to second order; the projection in the second phase removes an amount of fourth order in smooth
//! motion. If a link turns too far in a piece (whips), rounds contract badly or the energy rises. The piece is then
//! halved, down to 2⁻⁷ of the step. The number of solves is bounded. (The scheme is the midpoint rule with projection
//! of Hairer, Lubich and Wanner, Geometric Numerical Integration, VII.1, on momenta; measured against SHAKE, RATTLE and
//! backward Euler in `docs/decisions/0002-midpoint-for-joints.md`.)
//!
//! Contacts use the rows of the start poses. A gap that is not linear in the motion is measured and corrected at the
//! end poses (`end_poses`). In a piece in which a contact closes or a limit is reached, impacts come first (`launch`),
//! and the bodies start with the velocities after them. Forces, and the contact impulses against them, act along the
//! whole piece, so that the tension of a loaded chain is part of λ and of K.

mod account;
mod body;
mod drives;
mod gears;
mod launch;
mod newton;
mod poses;
mod rounds;
mod self_stress;
mod shelf;
mod taut;
mod velocity;

use crate::body::BodyState;
use crate::energy::EnergyLedger;
use crate::joint::geometry::{End, JointGeometry, Placed};
use crate::joint::rows::{Posed, Purpose, RowSpec};
use crate::joint::{Anchor, Frame, MISFIT, OLD_ERROR};
use crate::step::assembly::Scene;
use crate::step::contact::Contact;
use crate::step::island::Island;
use crate::step::ration::PIECES;
use crate::step::rolling::Push;
use crate::step::solve::{IslandSolution, IslandSpace};
use crate::step::squeeze::Pad;
use crate::step::{Records, Twist};
use crate::{Settings, StepError};
use body::{MovingBody, State};
use drives::Role;
use gears::{MovingGear, MovingTerm};
use glamx::DVec3;
use launch::Launch;
pub(crate) use shelf::Shelves;
use shelf::emptied;
use taut::{Attempt, NEARLY_FITS};

/// Limit on halvings of the step. Pieces shorter than 2⁻⁷ of a step improved nothing in the studies.
const MAX_DEPTH: usize = 7;
/// Limit on solves for one island in a step. Whips take about 60. After that, pieces are accepted whatever their
/// energy.
const MAX_SOLVES: usize = 80;
/// A piece is halved if its energy rises by more than this share of the kinetic energy \[1\].
const ENERGY_RISE: f64 = 1e-6;
/// Allowed rise of a piece that cannot be halved any more \[1\]. 2⁷ such pieces stay within what the judge allows a
/// step. With springs, whose energy exchange has an error of second order, 1e-6 would need more pieces than there are
/// solves.
const LAST_RISE: f64 = 4e-5;
/// A piece without contacts is halved if the projection of velocities takes more than this share of the kinetic energy
/// \[1\].
const ENERGY_LOSS: f64 = 1e-3;
/// Limit on halvings of an island without joints whose problem was not solved. Shorter pieces pose other problems, and
/// most of these are solved (`docs/decisions/0028-unsolved-steps-in-halves.md`). Islands with joints are not halved for
/// this reason: it made a ball on a chain in a brick wall twice as slow.
const MAX_UNSOLVED_DEPTH: usize = 2;
/// θ of the midpoint rule.
const MIDPOINT: f64 = 0.5;
/// θ of backward Euler.
const IMPLICIT: f64 = 1.0;

/// Result of such a step besides its [`IslandSolution`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Motion {
    /// State of every body of the island at the end.
    pub end: Vec<BodyState>,
    /// The island's entries of the energy ledger, without the energies before and after.
    pub ledger: EnergyLedger,
    /// Impulse and angular impulse of the joints on every body [N·s, N·m·s].
    pub joint_wrench: Vec<(DVec3, DVec3)>,
    /// The same for bodies without finite mass, by rank.
    pub given_wrench: Vec<(u32, DVec3, DVec3)>,
    /// Number of contact and joint problems that were solved.
    pub solves: usize,
    /// Number of pieces of the step.
    pub pieces: usize,
    /// Whether the joints are taut, that is, leave no freedom of motion. The correction of poses must not move such
    /// bodies.
    pub taut: bool,
    /// Number of shortest pieces whose rounds did not converge, or whose energy rose.
    pub missed: usize,
}

impl Motion {
    /// Resets the result and keeps its memory.
    fn again(mut self) -> Motion {
        self.end.clear();
        self.joint_wrench.clear();
        self.given_wrench.clear();
        let Motion { end, joint_wrench, given_wrench, .. } = self;
        Motion { end, joint_wrench, given_wrench, ..Motion::default() }
    }
}

/// The state of an island while the pieces of a step are taken.
struct Mover<'a> {
    settings: &'a Settings,
    scene: &'a Scene<'a>,
    index: usize,
    contacts: Vec<&'a Contact>,
    /// Pads of the contacts; empty if the island is not squeezed.
    pads: Vec<Option<Pad>>,
    /// Gap of every contact at the start of the piece \[m\].
    gaps: Vec<f64>,
    joints: Vec<JointGeometry<'a>>,
    gears: Vec<MovingGear>,
    gear_terms: Vec<MovingTerm>,
    /// Every joint at the start of the piece, and at the current end poses.
    starts: Vec<Placed>,
    ends: Vec<Placed>,
    bodies: Vec<MovingBody>,
    /// Impulses of the joints in the first phase, row by row. Those of the previous piece are the initial guess.
    lambda: Vec<f64>,
    /// What each row of the joints does in the first phase.
    roles: Vec<Role>,
    /// Laws of the rows in the piece.
    posed: Vec<Posed>,
    /// Values of the coordinates of the rows at the start of the piece [m, rad].
    values: Vec<f64>,
    /// For springs: target of the mean velocity, and the impulse that belongs to it.
    aims: Vec<(f64, f64)>,
    /// Violation of limits before the step, zero or less [m, rad]. The correction of poses removes it.
    overrun: Vec<f64>,
    /// Compliance of rows in an implicit motion \[1/kg, 1/(kg·m²)\].
    yields: Vec<f64>,
    /// Joint impulses of the solve with the rows of the start.
    pushed: Vec<f64>,
    /// Limits that are too far away for the solves with the rows of the start.
    far: Vec<bool>,
    /// Limits that are reached in the solve with the rows of the start.
    reached: Vec<bool>,
    /// Contact impulses that act along the piece.
    pushes: Vec<Push>,
    /// Impacts at the start of the piece, if there are any.
    launched: Option<Launch>,
    /// Time within the step at which the piece starts \[s\].
    time: f64,
    /// Length of the piece \[s\].
    piece: f64,
    /// Whether rounds start from bodies that stay where they are.
    from_rest: bool,
    /// θ, the weight of the end of the piece in means: ½ for the midpoint rule, 1 for backward Euler.
    theta: f64,
    /// Largest joint error left by the rounds of the piece [m, rad].
    error: f64,
    /// Role of each contact in the rounds.
    normals: Vec<Role>,
    /// Whether the set of active limits and contacts is known.
    settled: bool,
    /// Iterations of all problems so far.
    iterations: usize,
    motion: Motion,
}

/// Moves an island through the step. The island has joints, or its contact problem was not solved for the whole step;
/// then the step is taken in `pieces`.
#[allow(clippy::too_many_arguments)] // What every island has, and what earlier impacts did to it.
pub(crate) fn step_island(
    records: &Records,
    scene: &Scene,
    island: &Island,
    index: usize,
    shift: &[Twist],
    restitution: bool,
    pieces: usize,
    space: &mut IslandSpace,
    out: &mut IslandSolution,
) -> Result<(), StepError> {
    let motion = out.motion.take().unwrap_or_default();
    let mut mover = Mover::new(records, scene, island, index, shift, motion.again(), space);
    out.reset(scene, island);
    mover.in_pieces(pieces, scene.dt, pieces - 1, restitution, space, out)?;
    for (body, rank) in mover.bodies.iter().zip(&island.bodies) {
        let State { position, orientation, velocity, .. } = body.start;
        mover.motion.end.push(BodyState {
            position,
            orientation,
            velocity,
            angular_velocity: body.start.angular_velocity(&body.mass),
        });
        let (free, angular_velocity) = (&scene.free[*rank as usize].after, body.start.angular_velocity(&body.mass));
        out.change.push(Twist { linear: velocity - free.linear, angular: angular_velocity - free.angular });
    }
    out.motion = Some(mover.end(&mut space.shelves));
    Ok(())
}

impl<'a> Mover<'a> {
    fn new(
        records: &Records<'a>,
        scene: &'a Scene<'a>,
        island: &'a Island,
        index: usize,
        shift: &[Twist],
        motion: Motion,
        space: &mut IslandSpace,
    ) -> Mover<'a> {
        let IslandSpace { guess, shelves, pads, .. } = space;
        let Shelves { wrenches, .. } = shelves;
        let settings = records.settings;
        let bodies = island.bodies.iter().enumerate().filter_map(|(place, rank)| {
            let moving = &scene.bodies[*rank as usize];
            let record = records.bodies.at(moving.slot)?;
            let mut state = moving.state;
            if let Some(shift) = shift.get(place) {
                state.velocity += shift.linear;
                state.angular_velocity += shift.angular;
            }
            let start = State::of(&state, &record.mass);
            let forces = record.applied(scene.dt);
            Some(MovingBody::new(record.mass, start, record.gravity(settings.gravity), forces, wrenches.take()))
        });
        let bodies = shelves.bodies.of(bodies);
        let end = |anchor: Anchor| {
            let Anchor::Body(handle, frame) = anchor else { return End::World(anchor.frame()) };
            let rank = scene.rank_of_slot(handle.0.slot);
            let centre = records.bodies.at(handle.0.slot).map_or(DVec3::ZERO, |record| record.mass.centre);
            let local = Frame { point: frame.point - centre, ..frame };
            match rank.map(|rank| (rank, scene.bodies[rank as usize].place)) {
                Some((_, Some(place))) => End::Body(place as usize, local),
                Some((rank, None)) => End::Given(rank, local),
                None => End::World(frame),
            }
        };
        let mut contacts: Vec<&Contact> = emptied(std::mem::take(&mut shelves.contacts));
        contacts.extend(island.contacts.iter().map(|c| &scene.contacts[*c as usize]));
        let joints = island
            .joints
            .iter()
            .filter_map(|j| Some(JointGeometry::new(records.joints.at(scene.joints[*j as usize].slot)?, end)));
        let mut found: Vec<JointGeometry> = emptied(std::mem::take(&mut shelves.joints));
        found.extend(joints);
        let joints = found;
        let rows: usize = joints.iter().map(JointGeometry::row_count).sum();
        let numbers = &mut shelves.numbers;
        // Gaps below the accuracy of rounds count as zero. Divided by h they would be speeds, in which the solves at
        // start and end differ.
        let told = |gap: f64| if gap.abs() <= rounds::FITS { 0.0 } else { gap };
        let gap = |(place, contact): (usize, &&Contact)| match pads.get(place) {
            Some(Some(pad)) => pad.gap,
            _ => told(contact.effective_gap(settings.stabilisation)),
        };
        let none = || std::iter::repeat_n(0.0, rows);
        let mut mover = Mover {
            settings,
            scene,
            index,
            gaps: numbers.of(contacts.iter().enumerate().map(gap)),
            contacts,
            pads: shelves.pads.of(pads.iter().cloned()),
            starts: shelves.placed.take(),
            ends: shelves.placed.take(),
            joints,
            gears: shelves.gears.take(),
            gear_terms: shelves.gear_terms.take(),
            bodies,
            lambda: numbers.of(guess[guess.len() - rows..].iter().copied()),
            roles: shelves.roles.of(std::iter::repeat_n(Role::Held, rows)),
            posed: shelves.posed.take(),
            values: numbers.take(),
            aims: shelves.pairs.of(std::iter::repeat_n((0.0, 0.0), rows)),
            overrun: numbers.take(),
            yields: numbers.take(),
            pushed: numbers.of(none()),
            far: shelves.flags.of(std::iter::repeat_n(false, rows)),
            reached: shelves.flags.of(std::iter::repeat_n(false, rows)),
            pushes: shelves.pushes.of(island.contacts.iter().map(|c| scene.contacts[*c as usize].guess)),
            launched: None,
            time: 0.0,
            piece: scene.dt,
            from_rest: false,
            theta: MIDPOINT,
            error: 0.0,
            normals: shelves.roles.take(),
            settled: true,
            iterations: 0,
            motion,
        };
        // Errors of taut joints are caused by the tension, and vanish with it.
        let old = if mover.is_taut(scene.dt) { MISFIT } else { OLD_ERROR };
        mover.motion.joint_wrench.resize(mover.bodies.len(), (DVec3::ZERO, DVec3::ZERO));
        for index in 0..mover.joints.len() {
            let mut joint = mover.joints[index];
            let placed = joint.place(|end| mover.start_pose(end));
            // An error larger than rounds leave was not made by a step. The correction of poses removes it without
            // adding velocity; the step holds the joint with its error.
            if joint.locked_error(&placed) > old {
                joint.fit(&placed, mover.start_pose(joint.a).1);
                mover.joints[index] = joint;
            }
            let gap = |(spec, gap): (&RowSpec, f64)| {
                if spec.purpose == Purpose::Limit && gap < -OLD_ERROR { gap } else { 0.0 }
            };
            mover.overrun.extend(joint.rows.iter().zip(joint.errors(&placed)).map(gap));
        }
        mover.find_gears(&island.gears, &island.joints);
        mover
    }

    /// Returns all vectors to the shelves.
    fn end(mut self, shelves: &mut Shelves) -> Motion {
        for body in self.bodies.drain(..) {
            shelves.wrenches.give(body.load.into_memory());
        }
        shelves.bodies.give(self.bodies);
        for numbers in [self.gaps, self.lambda, self.values, self.overrun, self.yields, self.pushed] {
            shelves.numbers.give(numbers);
        }
        shelves.placed.give(self.starts);
        shelves.placed.give(self.ends);
        shelves.roles.give(self.roles);
        shelves.roles.give(self.normals);
        shelves.posed.give(self.posed);
        shelves.pairs.give(self.aims);
        shelves.flags.give(self.far);
        shelves.flags.give(self.reached);
        shelves.pushes.give(self.pushes);
        shelves.pads.give(self.pads);
        shelves.gears.give(self.gears);
        shelves.gear_terms.give(self.gear_terms);
        shelves.contacts = emptied(self.contacts);
        shelves.joints = emptied(self.joints);
        self.motion
    }

    /// Takes a piece of length `h`, and halves it if it does not converge or its energy rises.
    fn advance(
        &mut self,
        h: f64,
        depth: usize,
        restitution: bool,
        space: &mut IslandSpace,
        out: &mut IslandSolution,
    ) -> Result<(), StepError> {
        let last = depth == MAX_DEPTH || self.motion.solves >= MAX_SOLVES || PIECES.is_spent(self.iterations);
        let lambda = space.shelves.numbers.of(self.lambda.iter().copied());
        let pushes = space.shelves.pushes.of(self.pushes.iter().copied());
        self.piece = h;
        let moves = self.bodies.iter().any(|body| body.start.velocity != DVec3::ZERO);
        let taut = depth == 0 && moves && self.is_taut(h);
        let mut believed = false;
        for attempt in if taut { Attempt::TAUT } else { Attempt::USUAL } {
            let skipped = match attempt {
                Attempt::Midpoint => false,
                Attempt::Implicit => !self.only_holds() || depth > 0 && !last,
                Attempt::FromRest => !taut && !believed,
                Attempt::Kicked => self.contacts.is_empty(),
            };
            if skipped {
                continue;
            }
            if PIECES.is_overspent(self.iterations) {
                break;
            }
            let implicit = matches!(attempt, Attempt::Implicit | Attempt::FromRest);
            self.from_rest = attempt == Attempt::FromRest;
            self.set_theta(if implicit { IMPLICIT } else { MIDPOINT });
            match attempt {
                Attempt::Kicked => self.launch_forced(h, restitution, space, out)?,
                Attempt::Implicit | Attempt::FromRest if self.settle_in(h, &mut space.shelves) => {}
                _ => self.push(h, restitution, space, out)?,
            }
            let arrives = self.rounds(h, last, space, out);
            // Shorter pieces do not help taut joints: the energy gained is that stored in compliant rows.
            let stuck = implicit && arrives && self.is_taut(h);
            if arrives && (!implicit || last || stuck) {
                let piece = self.velocities(h, restitution, space)?;
                // For contacts alone the judge's bound on the whole step is enough.
                let rise = if last || implicit || self.joints.is_empty() { LAST_RISE } else { ENERGY_RISE };
                if stuck || piece.rise <= rise && (piece.loss <= ENERGY_LOSS || last || implicit) {
                    let launched = self.launched.as_ref().is_none_or(|launch| launch.graded.solved);
                    let solved = launched && piece.graded.solved;
                    let may_halve = self.joints.is_empty() && depth < MAX_UNSOLVED_DEPTH && !last;
                    if solved || !may_halve || PIECES.is_overspent(self.iterations) {
                        self.motion.pieces += 1;
                        self.motion.missed += usize::from(piece.rise > rise);
                        self.motion.taut |= stuck;
                        self.finish(h, piece, &mut space.shelves, out);
                        space.shelves.numbers.give(lambda);
                        space.shelves.pushes.give(pushes);
                        self.set_theta(MIDPOINT);
                        return Ok(());
                    }
                    piece.put_back(&mut space.shelves);
                    break;
                }
                piece.put_back(&mut space.shelves);
            }
            believed |=
                attempt == Attempt::Midpoint && depth == 0 && moves && self.error <= NEARLY_FITS && self.is_taut(h);
            self.lambda.clone_from(&lambda);
            self.pushes.clone_from(&pushes);
        }
        self.set_theta(MIDPOINT);
        if last || PIECES.is_overspent(self.iterations) {
            if moves && self.is_taut(h) {
                // Anything else would tear the joints. Bodies that stood still in the last step are not stopped again,
                // so that they do not stand forever.
                self.stand_still(h, &mut space.shelves, out);
                space.shelves.numbers.give(lambda);
                space.shelves.pushes.give(pushes);
                return Ok(());
            }
            // Neither joints nor energy converged, or the budget is spent. The piece is taken with the rows of its
            // start, whose projections only remove energy, and the joint error is left to the correction of poses. The
            // certificate shows it.
            self.launch_forced(h, restitution, space, out)?;
            self.drift(h);
            let piece = self.velocities(h, restitution, space)?;
            self.motion.missed += 1;
            self.motion.pieces += 1;
            self.finish(h, piece, &mut space.shelves, out);
            space.shelves.numbers.give(lambda);
            space.shelves.pushes.give(pushes);
            return Ok(());
        }
        space.shelves.numbers.swap(&mut self.lambda, lambda);
        space.shelves.pushes.swap(&mut self.pushes, pushes);
        self.in_pieces(2, h, depth + 1, restitution, space, out)
    }

    /// Takes a piece of length `h` in equal parts.
    fn in_pieces(
        &mut self,
        count: usize,
        h: f64,
        depth: usize,
        restitution: bool,
        space: &mut IslandSpace,
        out: &mut IslandSolution,
    ) -> Result<(), StepError> {
        let share = 1.0 / count as f64;
        self.scale_guess(share);
        for _ in 0..count {
            // Unsolved halves of an island without joints are rejected.
            if self.joints.is_empty() && !out.solved {
                break;
            }
            self.advance(share * h, depth, restitution, space, out)?;
        }
        self.scale_guess(count as f64);
        Ok(())
    }

    fn scale_guess(&mut self, factor: f64) {
        self.lambda.iter_mut().for_each(|x| *x *= factor);
        self.pushes.iter_mut().for_each(|push| *push = push.times(factor));
    }
}

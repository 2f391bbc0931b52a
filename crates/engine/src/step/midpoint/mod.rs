//! Islands with joints (stage 5): the step whose constraints hold at its end. In: an island. Out: end states, impulses,
//! certificate, and its part of the energy ledger.
//!
//! Rows linearised at the start of the step let joints drift by h², and taking the drift out of the poses afterwards costs
//! energy: a pendulum lost a fifth of its swing in ten seconds, a short chain tore. Here a piece of the step has two phases.
//!
//! 1. *Positions* (`rounds`). Impulses λ act over mid arms and move the bodies (`body`) so that the joints fit at the end
//!    poses, `g(X⁺) = 0`. A round is one Newton step in λ and the motion of all bodies (`newton`): without the geometric
//!    stiffness of the impulses, rounds, like SHAKE and RATTLE, diverge as soon as h ω > 2 for the fastest swing of a link, which
//!    loaded chains exceed tenfold. Where contacts are near, one exact solve with the rows of the start poses comes first, and its
//!    contact impulses act throughout. A contact that the rounds overrun, or a limit, makes the next one one-sided: the exact
//!    method then says which of them are held. (All contacts with friction in every round: thirty to sixty factorizations
//!    each on a rope bridge under a load, and they did not contract.)
//! 2. *Velocities* (`velocity`). `p = p₀ + h f + (J̄ − J⁺)ᵀλ`, and one exact solve of the total impulse with the rows of the
//!    end poses: joints u = 0, contacts that are closed there Moreau's and Coulomb's laws. This is what the certificate is on.
//!
//! Energy is kept to second order; what the projection of the second phase takes is of fourth order in smooth motion. Where
//! a link turns too far in a piece (whips), rounds contract badly or the energy rises: the island's piece is halved, down to
//! 2⁻⁷ of the step. A count of solves bounds the work. (The scheme is the midpoint rule with projection of Hairer, Lubich
//! and Wanner, Geometric Numerical Integration, VII.1, on momenta; measured against SHAKE, RATTLE and backward Euler in
//! `docs/decisions/0002-midpoint-for-joints.md`.)
//!
//! Contacts enter with the rows of their start poses: a gap that is not linear in the motion is measured at the end poses and
//! taken out there (`end_poses`). In a piece in which a contact closes or a limit is met, impacts come first (`launch`):
//! bodies are launched with the velocities after them. Forces, and the contacts that carry against them, act along the way:
//! the tension of a loaded chain is then in λ, and in K.

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

/// Most halvings of the step for one island: beyond 2⁻⁷ of a step nothing in the studies got better.
const MAX_DEPTH: usize = 7;
/// Most solves for one island in a step. Whips take about 60; what is left then is taken in pieces of any energy.
const MAX_SOLVES: usize = 80;
/// Rise of the energy of a piece, relative to the kinetic energy, that halves it \[1\].
const ENERGY_RISE: f64 = 1e-6;
/// The same of a piece that cannot be halved any more \[1\]: 2⁷ of them stay within what the judge allows a step. Springs
/// exchange energy with an error of second order, which 1e-6 takes more pieces than there are solves for.
const LAST_RISE: f64 = 4e-5;
/// Loss by the projection of velocities, relative to the kinetic energy, that halves a piece without contacts \[1\].
const ENERGY_LOSS: f64 = 1e-3;
/// Most halvings of the step because a problem of contacts alone was not solved. Shorter pieces pose other problems, and most of
/// these are solved (`docs/decisions/0028-unsolved-steps-in-halves.md`). With joints it did not help: a ball on a chain in a wall took
/// twice as long.
const MAX_UNSOLVED_DEPTH: usize = 2;
/// θ of the midpoint rule.
const MIDPOINT: f64 = 0.5;
/// θ of backward Euler.
const IMPLICIT: f64 = 1.0;

/// What a step of this kind leaves besides its [`IslandSolution`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Motion {
    /// State of every body of the island at the end.
    pub end: Vec<BodyState>,
    /// The island's entries of the account, without energies before and after.
    pub ledger: EnergyLedger,
    /// Impulse and angular impulse of the joints on every body [N·s, N·m·s].
    pub joint_wrench: Vec<(DVec3, DVec3)>,
    /// The same on bodies that no impulse moves, by rank.
    pub given_wrench: Vec<(u32, DVec3, DVec3)>,
    /// Contact and joint problems that were solved.
    pub solves: usize,
    /// Pieces that the step was cut into.
    pub pieces: usize,
    /// Whether joints left no way to go: where their bodies are was found with them, and nothing else may move them.
    pub taut: bool,
    /// Pieces whose rounds did not arrive, or whose energy rose although they were as short as they may be.
    pub missed: usize,
}

impl Motion {
    /// Nothing has moved yet; the memory is that of an earlier step.
    fn again(mut self) -> Motion {
        self.end.clear();
        self.joint_wrench.clear();
        self.given_wrench.clear();
        let Motion { end, joint_wrench, given_wrench, .. } = self;
        Motion { end, joint_wrench, given_wrench, ..Motion::default() }
    }
}

/// The island while it moves.
struct Mover<'a> {
    settings: &'a Settings,
    scene: &'a Scene<'a>,
    index: usize,
    contacts: Vec<&'a Contact>,
    /// Pads of the contacts, or nothing if the island is not squeezed.
    pads: Vec<Option<Pad>>,
    /// Gap of every contact at the start of the piece \[m\].
    gaps: Vec<f64>,
    joints: Vec<JointGeometry<'a>>,
    gears: Vec<MovingGear>,
    gear_terms: Vec<MovingTerm>,
    /// Every joint at the start of the piece, and at the end poses on hand.
    starts: Vec<Placed>,
    ends: Vec<Placed>,
    bodies: Vec<MovingBody>,
    /// Impulses of the joints in the first phase, row by row. Those of the piece before are the guess.
    lambda: Vec<f64>,
    /// What each row of the joints does in the first phase.
    roles: Vec<Role>,
    /// Laws of the rows in the piece.
    posed: Vec<Posed>,
    /// Values of the coordinates of the rows at the start of the piece [m, rad].
    values: Vec<f64>,
    /// Of springs, the velocity that they are to have in the mean and the impulse that goes with it.
    aims: Vec<(f64, f64)>,
    /// How far limits were overrun before the step, zero or less [m, rad]: taken out by the correction of poses.
    overrun: Vec<f64>,
    /// How much rows give way where the motion is implicit \[1/kg, 1/(kg·m²)\].
    yields: Vec<f64>,
    /// Impulses of the rows by the solve with the rows of the start.
    pushed: Vec<f64>,
    /// Limits that are too far away for the solves with the rows of the start.
    far: Vec<bool>,
    /// Limits that the solve with the rows of the start reaches.
    reached: Vec<bool>,
    /// What the contacts do along the piece.
    pushes: Vec<Push>,
    /// Impacts at the start of the piece, if there are any.
    launched: Option<Launch>,
    /// Time within the step at which the piece starts \[s\].
    time: f64,
    /// Length of the piece \[s\].
    piece: f64,
    /// Whether rounds begin with bodies that stay where they are.
    from_rest: bool,
    /// How much the end of the piece counts in its mean: ½ for the midpoint rule, 1 for backward Euler.
    theta: f64,
    /// Largest joint error that the rounds of the piece left [m, rad].
    error: f64,
    /// What the contacts do in the rounds.
    normals: Vec<Role>,
    /// Whether it is known which limits and contacts are held.
    settled: bool,
    /// Iterations of all problems so far.
    iterations: usize,
    motion: Motion,
}

/// Moves an island through the step: one with joints, or one whose contacts could not be solved for the whole step, in `pieces`.
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
        mover.motion.end.push(BodyState { position, orientation, velocity, spin: body.start.spin(&body.mass) });
        let (free, spin) = (&scene.free[*rank as usize].after, body.start.spin(&body.mass));
        out.change.push(Twist { linear: velocity - free.linear, angular: spin - free.angular });
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
                state.spin += shift.angular;
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
        // What rounds cannot tell from none is none: over h it is a speed, at which the solves at the start and at the end differ.
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
        // What taut joints are off by was made by the tension, and goes with it.
        let old = if mover.is_taut(scene.dt) { MISFIT } else { OLD_ERROR };
        mover.motion.joint_wrench.resize(mover.bodies.len(), (DVec3::ZERO, DVec3::ZERO));
        for index in 0..mover.joints.len() {
            let mut joint = mover.joints[index];
            let placed = joint.place(|end| mover.start_pose(end));
            // An error larger than what rounds leave was not made by the step: it is taken out by the correction of poses,
            // which puts in no velocity. The step holds the joint as it finds it.
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

    /// Gives all vectors back.
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

    /// Takes a piece of length `h`, in halves where the gate asks for it.
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
            // Where joints leave no way to go, shorter pieces help nothing: what the piece gains is what yielding rows give back.
            let stuck = implicit && arrives && self.is_taut(h);
            if arrives && (!implicit || last || stuck) {
                let piece = self.velocities(h, restitution, space)?;
                // Contacts alone keep their energy as the judge asks, of the whole step.
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
                // Anything else would tear the joints. What stood still in the last step is not left so for ever.
                self.stand_still(h, &mut space.shelves, out);
                space.shelves.numbers.give(lambda);
                space.shelves.pushes.give(pushes);
                return Ok(());
            }
            // Neither joints nor energy could be had, or not for what the island may spend: the piece is taken with the rows of
            // its start, whose projections only take energy, and the gap is left to the correction of poses. The certificate
            // says so.
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

    /// Takes a piece of length `h` in so many equal ones.
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
            // Halves of contacts alone that are not solved are not taken.
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

//! Contact impulses of a piece, with the rows of its start: impacts first, then the impulses that act along the piece.
//!
//! An impact is over at once, so its impulse must not act with mid arms, nor over half of the piece. Bodies are
//! therefore launched: impacts are solved at the start of the piece without forces, and the bodies start with the
//! velocities after them. Forces are not part of the launch; that would be a kick–drift scheme of first order, explicit
//! in the tension of joints.

use super::Mover;
use super::shelf::Shelves;
use super::velocity::{At, Before, CLOSED};
use crate::StepError;
use crate::joint::rows::Purpose;
use crate::step::Twist;
use crate::step::contact::Contact;
use crate::step::ration::PIECES;
use crate::step::rolling::Push;
use crate::step::solve::{Graded, HALVINGS, IslandSolution, IslandSpace, add_effort};
use glamx::DVec3;
use signorini_problem::ContactProblem;

/// Energy gain of an impact, relative to the kinetic energy, that counts as round-off \[1\].
const ROUND_OFF: f64 = 1e-9;

/// Share of the piece over which J̇ is measured by finite differences \[1\]. Their error is its square, 1e-8, and their
/// round-off 1e-12.
const BEND: f64 = 1e-4;

/// Impulses of the impacts at the start of a piece.
#[derive(Debug)]
pub(super) struct Launch {
    /// Impulses of contacts.
    pub contacts: Vec<Push>,
    /// Impulses of joints, row by row [N·s, N·m·s].
    pub joints: Vec<f64>,
    /// Whether the launch reaches a limit, row by row.
    pub reached: Vec<bool>,
    /// Whether the forces of the piece are part of it.
    pub forced: bool,
    /// Grade by the judge.
    pub graded: Graded,
}

impl Launch {
    pub fn put_back(self, shelves: &mut Shelves) {
        shelves.pushes.give(self.contacts);
        shelves.numbers.give(self.joints);
        shelves.flags.give(self.reached);
    }
}

impl Mover<'_> {
    /// Finds the contact impulses of a piece: launches the bodies if there are impacts, then solves for the impulses
    /// along the piece.
    pub fn push(
        &mut self,
        h: f64,
        restitution: bool,
        space: &mut IslandSpace,
        out: &mut IslandSolution,
    ) -> Result<(), StepError> {
        self.stay(&mut space.shelves);
        if !self.pose_rows(h) && self.contacts.is_empty() {
            return Ok(());
        }
        let hits = |place: usize| self.pad(place).is_none() && self.reaches(place, h);
        if (0..self.contacts.len()).any(hits) || self.meets_limits(h) {
            self.hit(h, restitution, space, out)?;
        }
        let forced = self.pushed_by_forces(h, &mut space.shelves);
        let mut bends = space.shelves.numbers.take();
        if self.launched.is_none() && !self.contacts.is_empty() {
            self.bends(h, &mut space.shelves, &mut bends);
        }
        self.solve_start((h, 0.0, At::Start), &forced, &bends, space, out)?;
        space.shelves.numbers.give(bends);
        let pushes = self.contact_impulses(At::Start, &space.impulses, &mut space.shelves);
        space.shelves.pushes.swap(&mut self.pushes, pushes);
        self.find_pushed(h, &forced, space);
        self.take_push(false);
        self.foresee(&forced, &space.changes);
        if self.has_springs() {
            let twist = |(place, before): (usize, &Before)| self.twist_of(place, before, At::Start);
            let free = space.shelves.twists.of(forced.iter().enumerate().map(twist));
            self.aim_springs(h, &free, space);
            space.shelves.twists.give(free);
        }
        space.shelves.before.give(forced);
        Ok(())
    }

    /// Stores the mean motion that the solve with the rows of the start predicts: half way to its velocities.
    fn foresee(&mut self, forced: &[Before], changes: &[Twist]) {
        for (body, (before, change)) in self.bodies.iter_mut().zip(forced.iter().zip(changes)) {
            let kick = body.start.angular_momentum(&body.mass, change.angular);
            body.foreseen = Some((
                0.5 * (body.launch.velocity + before.velocity + change.linear),
                0.5 * (body.launch.momentum + before.momentum + kick),
            ));
        }
    }

    /// Stores the joint impulses of the solve with the rows of the start, and which limits it reaches.
    fn find_pushed(&mut self, h: f64, forced: &[Before], space: &mut IslandSpace) {
        let mut pushed = space.shelves.numbers.take();
        self.scatter(At::Start, &space.impulses, &mut space.shelves, &mut pushed);
        space.shelves.numbers.swap(&mut self.pushed, pushed);
        let reached = self.find_reached(h, &self.pushed, forced, space);
        space.shelves.flags.swap(&mut self.reached, reached);
    }

    /// Launches the bodies with contacts, joints and all forces of the piece, as one impact at its start.
    pub fn launch_forced(
        &mut self,
        h: f64,
        restitution: bool,
        space: &mut IslandSpace,
        out: &mut IslandSolution,
    ) -> Result<(), StepError> {
        self.stay(&mut space.shelves);
        self.pose_rows(h);
        let forced = self.pushed_by_forces(h, &mut space.shelves);
        let scale = if restitution { 1.0 } else { 0.0 };
        let graded = self.solve_start((h, scale, At::Start), &forced, &[], space, out)?;
        self.find_pushed(h, &forced, space);
        let given = self.lambda.iter().zip(self.joints.iter().flat_map(|joint| joint.rows));
        let given = given.map(|(impulse, spec)| if spec.is_given() { *impulse } else { 0.0 });
        let joints = self.pushed.iter().zip(given).map(|(pushed, given)| pushed + given);
        let joints = space.shelves.numbers.of(joints);
        let reached = space.shelves.flags.of(self.reached.iter().copied());
        self.launch(&forced, (joints, reached, true), graded, space);
        space.shelves.before.give(forced);
        self.pushes.fill(Push::NONE);
        self.take_push(true);
        Ok(())
    }

    /// Prepares an implicit piece with locked coordinates only, whose rounds find the contacts. Returns false if
    /// motors, springs or limits need the solve with the rows of the start.
    pub fn settle_in(&mut self, h: f64, shelves: &mut Shelves) -> bool {
        self.stay(shelves);
        !self.pose_rows(h)
    }

    /// Whether a contact closes within the piece, by the velocities at its start.
    pub fn reaches(&self, place: usize, h: f64) -> bool {
        let contact = self.contacts[place];
        let way =
            h * contact.frame[0].dot(contact.velocity(&self.start_twist(contact.a), &self.start_twist(contact.b)));
        way < -CLOSED && self.gaps[place] + way <= 0.0
    }

    /// Whether a limit is reached within the piece, by the velocities at its start.
    fn meets_limits(&self, h: f64) -> bool {
        let mut row = 0;
        for (joint, start) in self.joints.iter().zip(&self.starts) {
            let rows = joint.rows_between(start, start);
            for spec in joint.rows {
                if spec.purpose == Purpose::Limit {
                    let columns = rows.row(spec);
                    let way = h * self.row_velocity(&columns, joint, |place| self.launch_twist(place));
                    if way < -CLOSED && self.limit_gap(spec, row) + way <= 0.0 {
                        return true;
                    }
                }
                row += 1;
            }
        }
        false
    }

    /// Velocities after the launch, forces and given joint forces.
    fn pushed_by_forces(&self, h: f64, shelves: &mut Shelves) -> Vec<Before> {
        let mut forced = self.forced(h, shelves);
        let given = self.given_impulses(h, shelves);
        for ((before, body), (linear, angular)) in forced.iter_mut().zip(&self.bodies).zip(&given) {
            before.velocity += body.mass.inverse_mass * *linear;
            before.momentum += *angular;
        }
        shelves.wrenches.give(given);
        forced
    }

    /// Velocity of a body at the start of the piece.
    pub fn start_twist(&self, rank: u32) -> Twist {
        match self.place(rank) {
            Some(place) => self.bodies[place as usize].start.twist(&self.bodies[place as usize].mass),
            None => self.given_velocity(rank),
        }
    }

    fn stay(&mut self, shelves: &mut Shelves) {
        self.forget_launch(shelves);
        for body in &mut self.bodies {
            (body.launch, body.forces, body.foreseen) = (body.start, 1.0, None);
        }
    }

    pub fn forget_launch(&mut self, shelves: &mut Shelves) {
        if let Some(launch) = self.launched.take() {
            launch.put_back(shelves);
        }
    }

    /// Solves impacts without forces. Restitution that would create energy is scaled down by bisection.
    fn hit(
        &mut self,
        h: f64,
        restitution: bool,
        space: &mut IslandSpace,
        out: &mut IslandSolution,
    ) -> Result<(), StepError> {
        let unforced = self.forced(0.0, &mut space.shelves);
        let lambda = space.shelves.numbers.of(self.lambda.iter().copied());
        let pushes = space.shelves.pushes.of(self.pushes.iter().copied());
        self.lambda.fill(0.0);
        self.pushes.fill(Push::NONE);
        let mut scale = if restitution { 1.0 } else { 0.0 };
        for halving in 0..=HALVINGS {
            self.forget_launch(&mut space.shelves);
            let graded = self.solve_start((h, scale, At::Impact), &unforced, &[], space, out)?;
            let mut joints = space.shelves.numbers.take();
            self.scatter(At::Impact, &space.impulses, &mut space.shelves, &mut joints);
            let reached = self.find_reached(h, &joints, &unforced, space);
            self.launch(&unforced, (joints, reached, false), graded, space);
            if scale == 0.0 || halving == HALVINGS || self.makes_no_energy() {
                break;
            }
            scale = if halving + 1 == HALVINGS || PIECES.is_overspent(self.iterations) { 0.0 } else { 0.5 * scale };
        }
        space.shelves.numbers.swap(&mut self.lambda, lambda);
        space.shelves.pushes.swap(&mut self.pushes, pushes);
        space.shelves.before.give(unforced);
        Ok(())
    }

    /// Whether the launch leaves no more kinetic energy than there was, plus the work of kinematic bodies.
    fn makes_no_energy(&self) -> bool {
        let Some(launch) = &self.launched else { return true };
        let given = |rank: u32| if self.place(rank).is_some() { Twist::default() } else { self.given_velocity(rank) };
        let mut driven = 0.0;
        for (contact, Push { impulse, moment }) in self.contacts.iter().zip(&launch.contacts) {
            driven -= impulse.dot(contact.velocity(&given(contact.a), &given(contact.b)));
            if contact.rolling.is_some() {
                driven -= moment.dot(given(contact.b).angular - given(contact.a).angular);
            }
        }
        let mut row = 0;
        for (joint, start) in self.joints.iter().zip(&self.starts) {
            let rows = joint.rows_between(start, start);
            for spec in joint.rows {
                let columns = rows.row(spec);
                let speed = |twist: &dyn Fn(u32) -> Twist| self.row_velocity(&columns, joint, twist);
                driven -= launch.joints[row] * speed(&|_| Twist::default());
                if spec.purpose == Purpose::Armature {
                    // The energy of rotors is not part of the bodies' energy.
                    let before =
                        speed(&|place| self.bodies[place as usize].start.twist(&self.bodies[place as usize].mass));
                    let after = speed(&|place| self.launch_twist(place));
                    driven += launch.joints[row] * 0.5 * (before + after);
                }
                row += 1;
            }
        }
        let sum = |state: fn(&super::MovingBody) -> &super::State| -> f64 {
            self.bodies.iter().map(|body| state(body).kinetic(&body.mass)).sum()
        };
        let (before, after) = (sum(|body| &body.start), sum(|body| &body.launch));
        after <= before + driven + ROUND_OFF * before.max(after)
    }

    /// Computes `h J̇ v`, the change of joint rows along the piece [m/s, rad/s], one number per posed row. Without it
    /// contacts would not carry centripetal loads, and a box that sticks to a plate would creep along it. J̇ is taken
    /// at the start by a central difference; at the end, redundant rows would contradict each other.
    fn bends(&mut self, h: f64, shelves: &mut Shelves, out: &mut Vec<f64>) {
        let twists = shelves.twists.of(self.bodies.iter().map(|body| body.launch.twist(&body.mass)));
        for contact in &self.contacts {
            let bend = h * self.swing(contact);
            let first = out.len();
            out.extend(contact.directions().iter().map(|direction| direction.dot(bend)));
            out.resize(first + contact.row_count(), 0.0);
        }
        let mut bends = shelves.numbers.of(self.lambda.iter().map(|_| 0.0));
        for way in [-BEND, BEND] {
            self.drift(way * h);
            let mut row = 0;
            for (joint, end) in self.joints.iter().zip(&self.ends) {
                let rows = joint.rows_between(end, end);
                for spec in joint.rows {
                    if matches!(spec.purpose, Purpose::Constraint | Purpose::Gear) {
                        let columns = rows.row(spec);
                        let speed = self.row_velocity(&columns, joint, |place| twists[place as usize]);
                        bends[row] += speed / (2.0 * way);
                    }
                    row += 1;
                }
            }
        }
        let specs = self.joints.iter().flat_map(|joint| joint.rows).zip(&self.far);
        let posed = specs.zip(&bends).filter(|((spec, far), _)| !spec.is_given() && !spec.is_geared() && !**far);
        out.extend(posed.map(|(_, bend)| *bend));
        out.extend(self.gears.iter().map(|gear| self.over_gear(gear, |row| bends[row])));
        shelves.twists.give(twists);
        shelves.numbers.give(bends);
    }

    /// J̇ v of the points where two bodies touch, as far as the bodies turn together \[m/s²\]: `ω × (ω × (r_B − r_A))` where both have ω. Of
    /// what turns by itself, as a ball that rolls, the point of contact is not one of the body's.
    fn swing(&self, contact: &Contact) -> DVec3 {
        let (a, b) = (self.start_twist(contact.a).angular, self.start_twist(contact.b).angular);
        let share = 2.0 * a.dot(b) / (a.length_squared() + b.length_squared());
        if share > 0.0 {
            let mean = 0.5 * (a + b);
            share * mean.cross(mean.cross(contact.arm_b - contact.arm_a))
        } else {
            DVec3::ZERO
        }
    }

    /// Solves the problem of all contacts and joints at the start poses, with rows of joints that turn by `bends`.
    fn solve_start(
        &mut self,
        (h, scale, at): (f64, f64, At),
        before: &[Before],
        bends: &[f64],
        space: &mut IslandSpace,
        out: &mut IslandSolution,
    ) -> Result<Graded, StepError> {
        let acting = space.shelves.places.of((0..self.contacts.len()).filter(|place| self.acts(*place, at)));
        let mut parts = std::mem::take(&mut space.parts);
        self.assemble_velocities((h, scale, at), before, &acting, (&mut parts, &mut space.shelves));
        let first = parts.q.len() - bends.len();
        parts.q[first..].iter_mut().zip(bends).for_each(|(q, bend)| *q += bend);
        let problem =
            ContactProblem::from_parts(parts).map_err(|source| StepError::Problem { island: self.index, source })?;
        self.guess(&acting, at, &mut space.guess);
        space.shelves.places.give(acting);
        let graded = self.solve_velocities(problem, at == At::Impact, space)?;
        self.motion.solves += usize::from(graded.effort.iterations > 0);
        add_effort(&mut out.effort, &graded.effort);
        Ok(graded)
    }

    /// Whether a contact is part of the problem at start poses. A pad is not part of impacts, because a bounded force
    /// does nothing in an impact. Otherwise its normal impulse would be used up before forces act, and its friction
    /// could not carry them.
    fn acts(&self, place: usize, at: At) -> bool {
        at != At::Impact || self.pad(place).is_none()
    }

    /// Impulses of all contacts, from those of a problem at start poses.
    fn contact_impulses(&self, at: At, impulses: &[f64], shelves: &mut Shelves) -> Vec<Push> {
        let mut row = 0;
        let mut contacts = shelves.pushes.take();
        for (place, contact) in self.contacts.iter().enumerate() {
            if !self.acts(place, at) {
                contacts.push(Push::NONE);
                continue;
            }
            let count = contact.row_count();
            contacts.push(contact.push_of(&impulses[row..row + count]));
            row += count;
        }
        contacts
    }

    /// Sets the velocities of the bodies to those after the impulses of a problem.
    fn launch(
        &mut self,
        before: &[Before],
        (joints, reached, forced): (Vec<f64>, Vec<bool>, bool),
        graded: Graded,
        space: &mut IslandSpace,
    ) {
        for (body, (before, change)) in self.bodies.iter_mut().zip(before.iter().zip(&space.changes)) {
            body.launch.velocity = before.velocity + change.linear;
            body.launch.momentum = before.momentum + body.start.angular_momentum(&body.mass, change.angular);
            body.forces = if forced { 0.0 } else { 1.0 };
        }
        let at = if forced { At::Start } else { At::Impact };
        let contacts = self.contact_impulses(at, &space.impulses, &mut space.shelves);
        self.launched = Some(Launch { contacts, joints, reached, forced, graded });
    }
}

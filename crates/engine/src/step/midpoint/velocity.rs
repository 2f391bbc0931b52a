//! Assembles and solves the velocity problems of a piece: with the rows of the start poses for contact impulses
//! (`launch`), and with those of the end poses for the second phase, which is certified.

use super::shelf::Shelves;
use super::{IMPLICIT, Mover};
use crate::StepError;
use crate::energy::EnergyLedger;
use crate::joint::geometry::{End, JointGeometry};
use crate::joint::rows::{Purpose, RowLaw, RowSpec};
use crate::step::Twist;
use crate::step::assembly::{closing_speed, contact_row, row_velocity};
use crate::step::contact::Contact;
use crate::step::ration::{PIECES, spent};
use crate::step::rolling::Push;
use crate::step::solve::{Graded, HALVINGS, IslandSpace, add_effort, certify_given, solve_graded};
use crate::step::squeeze::Pad;
use glamx::DVec3;
use signorini_problem::{Block, ContactProblem, FactoredParts, JacobianRow, Law};
use signorini_solvers::{Effort, Method, is_settled};

/// Passes of least squares over joint velocities. Later passes remove the error left by the filter of the first.
pub(super) const PASSES: usize = 3;
/// A contact is closed at the end poses if its gap is at most this \[m\]: far above the errors of rounds.
pub(super) const CLOSED: f64 = 1e-7;

/// Result of trying a piece of the step.
pub(super) struct Piece {
    pub graded: Graded,
    /// Contacts of the island that are closed at the end poses, by their place in the island.
    pub closed: Vec<usize>,
    /// Impulses of the closed contacts, then of the joints, row by row.
    pub impulses: Vec<f64>,
    /// Velocity and angular momentum of every body at the end.
    pub after: Vec<(DVec3, DVec3)>,
    /// Impulse and angular impulse of the joints on every body.
    pub joint_wrench: Vec<(DVec3, DVec3)>,
    /// The same for bodies without finite mass, by rank.
    pub given_wrench: Vec<(u32, DVec3, DVec3)>,
    pub ledger: EnergyLedger,
    /// Energy rise relative to the kinetic energy \[1\].
    pub rise: f64,
    /// Energy loss by the projection relative to the kinetic energy \[1\]; zero if contacts act.
    pub loss: f64,
}

impl Piece {
    pub fn put_back(self, shelves: &mut Shelves) {
        shelves.places.give(self.closed);
        shelves.numbers.give(self.impulses);
        shelves.wrenches.give(self.after);
        shelves.wrenches.give(self.joint_wrench);
        shelves.given.give(self.given_wrench);
    }
}

/// Velocities of a body before the impulses of a velocity problem.
#[derive(Debug)]
pub(crate) struct Before {
    /// v + h a, and the linear part of (J̄ − J⁺)ᵀλ/m [m/s].
    pub velocity: DVec3,
    /// L + h τ, and the angular part of (J̄ − J⁺)ᵀλ [kg·m²/s].
    pub momentum: DVec3,
    /// (J̄ − J⁺)ᵀλ.
    joints: (DVec3, DVec3),
}

/// The poses at which the rows of a problem are taken.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum At {
    /// At the start of the piece, without forces: impacts.
    Impact,
    /// At the start of the piece.
    Start,
    /// At its end.
    End,
}

impl Mover<'_> {
    /// Finds the limits whose gap closes by the velocities after a solve. Impulses cannot decide that: an
    /// interior-point method gives distant limits small but nonzero impulses.
    pub(super) fn find_reached(
        &self,
        h: f64,
        impulses: &[f64],
        forced: &[Before],
        space: &mut IslandSpace,
    ) -> Vec<bool> {
        let mut reached = space.shelves.flags.take();
        let after = |place: usize| {
            let (free, change) = (self.twist_of(place, &forced[place], At::Start), &space.changes[place]);
            Twist { linear: free.linear + change.linear, angular: free.angular + change.angular }
        };
        for (joint, start) in self.joints.iter().zip(&self.starts) {
            for spec in joint.rows {
                let row = reached.len();
                let mut closes = spec.purpose == Purpose::Limit && impulses[row] > 0.0;
                if closes {
                    let columns = joint.jacobian(spec, start, start);
                    let rate = self.row_velocity(&columns, joint, |place| after(place as usize));
                    closes = self.limit_gap(spec, row) + h * rate <= CLOSED;
                }
                reached.push(closes);
            }
        }
        reached
    }

    /// Finds the velocities at the end of a piece. Restitution that would create energy is scaled down.
    pub fn velocities(&mut self, h: f64, restitution: bool, space: &mut IslandSpace) -> Result<Piece, StepError> {
        let scale = if restitution { 1.0 } else { 0.0 };
        let piece = self.velocities_with(h, scale, space)?;
        if piece.rise <= super::ENERGY_RISE || scale == 0.0 || !self.bounces(&piece.closed) {
            return Ok(piece);
        }
        piece.put_back(&mut space.shelves);
        let (mut good, mut bad) = (0.0, 1.0);
        let mut best = None;
        // An island that has spent its budget gets zero restitution instead.
        let halvings = if PIECES.is_spent(self.iterations) { 0 } else { HALVINGS };
        for _ in 0..halvings {
            let middle = 0.5 * (good + bad);
            let trial = self.velocities_with(h, middle, space)?;
            let worse = if trial.rise <= super::ENERGY_RISE {
                good = middle;
                best.replace(trial)
            } else {
                bad = middle;
                Some(trial)
            };
            if let Some(piece) = worse {
                piece.put_back(&mut space.shelves);
            }
        }
        match best {
            Some(piece) => Ok(piece),
            None => self.velocities_with(h, 0.0, space),
        }
    }

    fn bounces(&self, closed: &[usize]) -> bool {
        closed.iter().any(|place| self.contacts[*place].impact.is_some())
    }

    fn velocities_with(&mut self, h: f64, scale: f64, space: &mut IslandSpace) -> Result<Piece, StepError> {
        let before = self.before(h, &mut space.shelves);
        let hit =
            |place: usize| self.launched.as_ref().is_some_and(|launch| launch.contacts[place].impulse != DVec3::ZERO);
        let closed = space.shelves.places.of((0..self.contacts.len()).filter(|place| {
            let contact = self.contacts[*place];
            self.pushes[*place].impulse != DVec3::ZERO
                || hit(*place)
                || self.pad(*place).is_some()
                || self.gaps[*place] + contact.frame[0].dot(self.slipped(contact, h)) <= CLOSED
        }));
        let mut parts = std::mem::take(&mut space.parts);
        self.assemble_velocities((h, scale, At::End), &before, &closed, (&mut parts, &mut space.shelves));
        let problem =
            ContactProblem::from_parts(parts).map_err(|source| StepError::Problem { island: self.index, source })?;
        self.guess(&closed, At::End, &mut space.guess);
        let graded = self.solve_velocities(problem, true, space)?;
        self.motion.solves += usize::from(graded.effort.iterations > 0);
        let contact_rows: usize = closed.iter().map(|place| self.contacts[*place].row_count()).sum();
        let IslandSpace { impulses: found, changes, shelves, .. } = space;
        let mut impulses = shelves.numbers.of(found[..contact_rows].iter().copied());
        self.scatter(At::End, found, shelves, &mut impulses);
        let after = |((body, before), change): ((&super::MovingBody, &Before), &Twist)| {
            let kick = body.end.angular_momentum(&body.mass, change.angular);
            (before.velocity + change.linear, before.momentum + kick)
        };
        let after = shelves.wrenches.of(self.bodies.iter().zip(&before).zip(&*changes).map(after));
        let mut piece = Piece {
            graded,
            closed,
            impulses,
            after,
            joint_wrench: shelves.wrenches.of(before.iter().map(|before| before.joints)),
            given_wrench: shelves.given.take(),
            ledger: EnergyLedger::default(),
            rise: 0.0,
            loss: 0.0,
        };
        shelves.before.give(before);
        self.add_launch(&mut piece);
        self.add_arms(&mut piece);
        self.account(h, &mut piece, shelves);
        Ok(piece)
    }

    /// Solves a velocity problem. Joints alone are a linear problem, and the judge decides whether its solution is good
    /// enough. If the problem is `judged` and not solved, it is tried again from zero.
    pub(super) fn solve_velocities(
        &mut self,
        problem: ContactProblem,
        judged: bool,
        space: &mut IslandSpace,
    ) -> Result<Graded, StepError> {
        let index = self.index;
        let refuse = |source| StepError::Solve { island: index, source };
        let mut problem = problem;
        if self.settings.method == Method::Exact && problem.blocks().iter().all(|block| block.law == Law::Equality) {
            let settled = certify_given(self.settings, &problem, 0, space.take_guess()).map_err(refuse)?;
            if is_settled(&settled.certificate, &self.settings.stop.tolerance) {
                space.parts = problem.into_parts();
                return Ok(settled);
            }
            let q = space.shelves.numbers.of(problem.q().iter().copied());
            let mut total = space.shelves.numbers.of(q.iter().map(|_| 0.0));
            let mut left = space.shelves.numbers.take();
            let mut factored = space.equalities.factor(&problem);
            if self.theta == IMPLICIT {
                // Under a tension that no load explains, the filter would leave a larger error than the rounds.
                total.clone_from(&space.impulses);
                problem.velocity_into(&total, &mut left, &mut space.body_velocity);
                problem.set_q(&left).map_err(|source| StepError::Problem { island: self.index, source })?;
            }
            for _ in 0..PASSES {
                factored = factored && space.equalities.solve_again(&problem, &mut space.impulses);
                if !factored {
                    break;
                }
                total.iter_mut().zip(&space.impulses).for_each(|(total, part)| *total += part);
                problem.set_q(&q).map_err(|source| StepError::Problem { island: self.index, source })?;
                problem.velocity_into(&total, &mut left, &mut space.body_velocity);
                problem.set_q(&left).map_err(|source| StepError::Problem { island: self.index, source })?;
            }
            problem.set_q(&q).map_err(|source| StepError::Problem { island: self.index, source })?;
            space.impulses.clone_from(&total);
            for numbers in [q, total, left] {
                space.shelves.numbers.give(numbers);
            }
            let graded = certify_given(self.settings, &problem, 1, space).map_err(refuse)?;
            space.parts = problem.into_parts();
            return Ok(graded);
        }
        let mut graded = solve_graded(&PIECES.of(self.settings, self.iterations), &problem, space).map_err(refuse)?;
        self.iterations += spent(&graded.effort);
        if judged && !graded.solved && self.settings.method == Method::Exact && !PIECES.is_spent(self.iterations) {
            // From zero the method takes another path: for a ball in a brick wall it solves two thirds of the problems
            // that failed from the guess.
            let first = (space.impulses.clone(), space.changes.clone());
            space.guess.fill(0.0);
            let again = solve_graded(&PIECES.of(self.settings, self.iterations), &problem, space).map_err(refuse)?;
            self.iterations += spent(&again.effort);
            let (before, after) = (graded.effort, again.effort);
            if again.certificate.scaled < graded.certificate.scaled {
                graded = again;
            } else {
                (space.impulses, space.changes) = first;
            }
            let Effort { active, answered_by, .. } = graded.effort;
            graded.effort = before;
            add_effort(&mut graded.effort, &after);
            graded.effort = Effort { active, answered_by, ..graded.effort };
        }
        self.relax(&problem, &mut graded, space).map_err(refuse)?;
        space.parts = problem.into_parts();
        Ok(graded)
    }

    /// Velocities after the launch and forces along the piece.
    pub(super) fn forced(&self, h: f64, shelves: &mut Shelves) -> Vec<Before> {
        let forced = |body: &super::MovingBody| Before {
            velocity: body.launch.velocity + body.forces * h * body.acceleration,
            momentum: body.launch.momentum + body.forces * h * body.torque,
            joints: (DVec3::ZERO, DVec3::ZERO),
        };
        shelves.before.of(self.bodies.iter().map(forced))
    }

    /// Velocities after forces and the turning of arms, before the impulses at the end poses.
    fn before(&self, h: f64, shelves: &mut Shelves) -> Vec<Before> {
        let mut out = self.forced(h, shelves);
        for (contact, Push { impulse: push, .. }) in self.contacts.iter().zip(&self.pushes) {
            let (mid, end) = (self.contact_arms(contact, self.theta), self.contact_arms(contact, 1.0));
            for (side, (rank, sign)) in [(contact.a, -1.0), (contact.b, 1.0)].into_iter().enumerate() {
                let Some(place) = self.place(rank) else { continue };
                let angular = sign * (mid[side] - end[side]).cross(*push);
                out[place as usize].momentum += angular;
                out[place as usize].joints.1 += angular;
            }
        }
        let mut turning = shelves.numbers.take();
        let mut lasting = shelves.numbers.take();
        let mut first = 0;
        for (joint, before, after) in self.mean_placed_joints() {
            let rows = first..first + joint.row_count();
            first = rows.end;
            turning.clear();
            turning.extend(rows.map(|row| self.turning(row)));
            let mean = joint.wrenches(before, after, &turning);
            // Given forces act with mid arms, in the first phase only.
            let lasts = |(spec, impulse): (&RowSpec, &f64)| if spec.is_given() { 0.0 } else { *impulse };
            lasting.clear();
            lasting.extend(joint.rows.iter().zip(&turning).map(lasts));
            let end = joint.wrenches(after, after, &lasting);
            for (side, (mean, end)) in [joint.a, joint.b].into_iter().zip(mean.into_iter().zip(end)) {
                let End::Body(place, _) = side else { continue };
                let (linear, angular) = (mean.0 - end.0, mean.1 - end.1);
                out[place].velocity += self.bodies[place].mass.inverse_mass * linear;
                out[place].momentum += angular;
                out[place].joints.0 += linear;
                out[place].joints.1 += angular;
            }
        }
        shelves.numbers.give(lasting);
        shelves.numbers.give(turning);
        out
    }

    /// Velocity of a body before the impulses of a problem.
    pub(super) fn twist_of(&self, place: usize, before: &Before, at: At) -> Twist {
        let body = &self.bodies[place];
        let orientation = if at == At::End { body.end.orientation } else { body.start.orientation };
        let local = orientation.inverse() * before.momentum;
        Twist { linear: before.velocity, angular: orientation * (body.mass.inverse_inertia * local) }
    }

    pub(super) fn assemble_velocities(
        &self,
        (h, scale, at): (f64, f64, At),
        before: &[Before],
        near: &[usize],
        (parts, shelves): (&mut FactoredParts, &mut Shelves),
    ) {
        parts.clear();
        let FactoredParts { blocks, inverse_mass, bodies: pairs, jacobian: rows, compliance, q, .. } = parts;
        inverse_mass.extend(self.bodies.iter().map(|body| {
            body.inverse_mass_at(if at == At::End { body.end.orientation } else { body.start.orientation })
        }));
        let twists =
            shelves.twists.of(before.iter().enumerate().map(|(place, before)| self.twist_of(place, before, at)));
        let twist = |rank: u32| match self.place(rank) {
            Some(place) => twists[place as usize],
            None => self.given_velocity(rank),
        };
        for place in near {
            let (contact, gap, pad) = (self.contacts[*place], self.gaps[*place], self.pad(*place));
            pairs.push([self.place(contact.a), self.place(contact.b)]);
            blocks.push(contact.block());
            let [arm_a, arm_b] = self.contact_arms(contact, if at == At::End { 1.0 } else { 0.0 });
            let free = twist(contact.b).at(arm_b) - twist(contact.a).at(arm_a);
            for (i, direction) in contact.directions().iter().enumerate() {
                rows.push(contact_row(*direction, arm_a, arm_b));
                // At the start an open contact may close; at the end it is closed or not part of the problem. A pad
                // presses by its overlap.
                let bounce = if at == At::End || self.reaches(*place, h) { self.bounce(contact, scale) } else { 0.0 };
                let open = match (pad, &self.launched) {
                    // The impulse of a launch with forces has compressed the pad already.
                    (Some(pad), Some(launch)) => {
                        gap / h + pad.compliance(h) * contact.frame[0].dot(launch.contacts[*place].impulse)
                    }
                    (Some(_), None) => gap / h,
                    (None, _) if at != At::End && bounce == 0.0 => closing_speed(gap, h),
                    (None, _) => 0.0,
                };
                q.push(direction.dot(free) + if i == 0 { open - bounce } else { contact.running_along(*direction) });
                compliance.push(pad.filter(|_| i == 0).map_or(0.0, |pad| pad.compliance(h)));
            }
            for (row, speed) in contact.turning_rows(&twist(contact.a), &twist(contact.b)) {
                rows.push(row);
                q.push(speed);
                compliance.push(0.0);
            }
        }
        let mut row = 0;
        for (index, joint) in self.joints.iter().enumerate() {
            let placed = if at == At::End { &self.ends[index] } else { &self.starts[index] };
            let rows_of_joint = joint.rows_between(placed, placed);
            for spec in joint.rows {
                if self.is_posed(index, spec, row, at) {
                    let columns = rows_of_joint.row(spec);
                    let rate = self.row_velocity(&columns, joint, |place| twists[place as usize]);
                    let (law, offset) = match at {
                        At::Impact | At::Start if spec.purpose == Purpose::Limit => {
                            let gap = self.limit_gap(spec, row);
                            let bounce =
                                if at == At::Impact { self.rebound(spec, gap + h * rate, rate, scale) } else { 0.0 };
                            let open = if bounce == 0.0 { closing_speed(gap, h) } else { -bounce };
                            (self.posed[row].law, open)
                        }
                        _ => self.total_law(row),
                    };
                    if spec.block > 0 {
                        blocks.push(Block { law, rows: spec.block });
                        pairs.push(Mover::joint_places(joint));
                    }
                    rows.push(columns);
                    // A compliant row gives way to the difference from its impulse in the rounds.
                    let yields = if at == At::End && self.theta == IMPLICIT { self.softness(row) } else { 0.0 };
                    compliance.push(self.posed[row].compliance.max(yields));
                    let offset = offset - yields * self.lambda[row];
                    q.push(rate + offset);
                }
                row += 1;
            }
        }
        let poses = |joint: usize| {
            let placed = if at == At::End { self.ends[joint] } else { self.starts[joint] };
            (placed, placed)
        };
        let speed = |joint: &JointGeometry, columns: &JacobianRow| {
            self.row_velocity(columns, joint, |place| twists[place as usize])
        };
        self.pose_gears(parts, poses, speed, |_| 0.0);
        shelves.twists.give(twists);
    }

    /// Whether a joint row is part of the problem. At the end poses, limits are part of it only if they are closed.
    fn is_posed(&self, joint: usize, spec: &RowSpec, row: usize, at: At) -> bool {
        // Rows of gears are added separately.
        if spec.is_geared() || at != At::End && self.far[row] {
            return false;
        }
        // Bounded forces do nothing in an impact.
        if at == At::Impact {
            return matches!(spec.purpose, Purpose::Constraint | Purpose::Limit | Purpose::Armature);
        }
        if spec.purpose != Purpose::Limit || at == At::Start {
            return !spec.is_given();
        }
        let gap = spec.error(self.joints[joint].value(spec.measure, &self.ends[joint]));
        self.is_closed(row, gap, CLOSED)
    }

    /// Appends the impulses of all joint rows; zero for rows that are not part of the problem.
    pub(super) fn scatter(&self, at: At, impulses: &[f64], shelves: &mut Shelves, out: &mut Vec<f64>) {
        let mut posed = shelves.flags.take();
        for (index, joint) in self.joints.iter().enumerate() {
            for spec in joint.rows {
                posed.push(self.is_posed(index, spec, posed.len(), at));
            }
        }
        let count = posed.iter().filter(|posed| **posed).count() + self.gears.len();
        let mut found = impulses[impulses.len() - count..].iter().copied();
        let first = out.len();
        out.extend(posed.iter().map(|posed| if *posed { found.next().unwrap_or(0.0) } else { 0.0 }));
        for (gear, impulse) in self.gears.iter().zip(found) {
            self.add_geared(gear, impulse, &mut out[first..]);
        }
        shelves.flags.give(posed);
    }

    /// The pad of a contact, if it has one.
    pub(super) fn pad(&self, place: usize) -> Option<&Pad> {
        self.pads.get(place).and_then(Option::as_ref)
    }

    /// Velocity along a joint row [m/s, rad/s].
    pub(super) fn row_velocity(&self, row: &JacobianRow, joint: &JointGeometry, twist: impl Fn(u32) -> Twist) -> f64 {
        let side = |end: End| match end {
            End::Body(place, _) => Some(twist(place as u32)),
            End::Given(rank, _) => Some(self.given_velocity(rank)),
            End::World(_) => None,
        };
        row_velocity(row, side(joint.a).as_ref(), side(joint.b).as_ref())
    }

    /// Least normal velocity after the bounce of a contact [m/s]; zero if it does not bounce.
    fn bounce(&self, contact: &Contact, scale: f64) -> f64 {
        let approach =
            contact.frame[0].dot(contact.velocity(&self.start_twist(contact.a), &self.start_twist(contact.b)));
        if contact.impact.is_some() && -approach >= self.settings.rest_speed {
            -scale * contact.restitution * approach
        } else {
            0.0
        }
    }

    /// Least rate after the bounce of a limit that is met within the piece [m/s, rad/s].
    fn rebound(&self, spec: &RowSpec, gap_after: f64, rate: f64, scale: f64) -> f64 {
        match spec.law {
            RowLaw::Stop { restitution, .. } if gap_after <= 0.0 && -rate >= self.settings.rest_speed => {
                -scale * restitution * rate
            }
            _ => 0.0,
        }
    }

    /// Fills in the initial guess for some contacts and all joints.
    pub(super) fn guess(&self, near: &[usize], at: At, out: &mut Vec<f64>) {
        out.clear();
        for place in near {
            out.extend(self.contacts[*place].rows_of(&self.pushes[*place]));
        }
        let mut row = 0;
        for (index, joint) in self.joints.iter().enumerate() {
            for spec in joint.rows {
                if self.is_posed(index, spec, row, at) {
                    out.push(if at == At::End { self.turning(row) } else { self.lambda[row] });
                }
                row += 1;
            }
        }
        let impulse = |row: usize| if at == At::End { self.turning(row) } else { self.lambda[row] };
        out.extend(self.gears.iter().map(|gear| self.gear_impulse(gear, impulse)));
    }
}

//! Joint rows other than locked coordinates in the two phases of a piece: limits, motors, friction, springs, rotors.
//!
//! A solve with the rows of the start poses determines their impulses (`push`). In the first phase
//!
//! * a limit that carries load is held at its stop like a locked coordinate; another limit becomes active if a round
//!   violates it, and inactive again if it would have to pull;
//! * a spring gets as mean velocity the velocity u⁺ for which its law was posed, that is, backward Euler: `w − u⁺ + c(λ
//!   − λ*) = 0`, where λ* is the impulse that gives the bodies that velocity. c is the spring's own compliance, so that
//!   contradictory springs around a closed loop find a compromise;
//! * a rotor obeys the midpoint rule, `w − ẋ + ½cλ = 0`. Behind a gear it is often ten thousand times as heavy as its
//!   link, so an impulse found with other rows would throw the link away;
//! * motors, friction, and servos at their force bounds keep the impulse from that solve.
//!
//! The second phase finds the total impulses with the rows of the end poses.

use super::rounds::FITS;
use super::shelf::Shelves;
use super::{IMPLICIT, Mover};
use crate::joint::geometry::{End, JointGeometry, Placed};
use crate::joint::rows::{Purpose, RowLaw, RowSpec};
use crate::step::Twist;
use crate::step::assembly::row_velocity;
use crate::step::solve::{IslandSpace, body_changes};
use glamx::DVec3;
use signorini_problem::{Block, ContactProblem, JacobianRow, Law};

/// A servo is at its bound from this share of it \[1\].
const AT_BOUND: f64 = 1.0 - 1e-9;
/// A pulling impulse of a limit below this share of the largest joint impulse is ignored \[1\].
const PULLS: f64 = 1e-9;

/// A limit is left out of the solves with the rows of the start if its distance exceeds this [m, rad], and this
/// multiple of the motion of its coordinate in the piece \[1\]. If an impact reaches it nevertheless, the rounds
/// activate it.
const FAR: f64 = 0.2;
const FAR_WAYS: f64 = 10.0;

/// Change of the way of a spring by μ that is none \[m, rad\]: a hundredth of what rounds can tell.
const STILL: f64 = 0.01 * FITS;

/// Role of a joint row in the first phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    /// A locked coordinate.
    Held,
    /// An active limit, held at its stop, or an active contact, held closed.
    Stop,
    /// An inactive limit or contact, and whether it was reached in the piece.
    Open { met: bool },
    /// A spring, which obeys its law.
    Soft,
    /// A rotor, which obeys the midpoint rule.
    Rotor,
    /// A row with a given impulse.
    Pushed,
    /// A row whose impulse follows from that of its gear.
    Geared,
}

impl Role {
    /// Whether rounds solve for its impulse.
    pub fn is_solved(&self) -> bool {
        matches!(self, Role::Held | Role::Stop | Role::Soft | Role::Rotor)
    }
    pub fn closed(self) -> Role {
        if let Role::Open { .. } = self { Role::Stop } else { self }
    }
}

impl Mover<'_> {
    /// Sets the laws of all rows for a piece of `h`. Returns whether any row other than a locked coordinate has to be
    /// solved for.
    pub(super) fn pose_rows(&mut self, h: f64) -> bool {
        self.posed.clear();
        self.values.clear();
        self.place_starts();
        let mut acts = false;
        let mut row = 0;
        for index in 0..self.joints.len() {
            let (joint, placed) = (self.joints[index], self.starts[index]);
            let rows = joint.rows_between(&placed, &placed);
            for spec in joint.rows {
                let columns = rows.row(spec);
                let rate = self.row_velocity(&columns, &joint, |place| self.launch_twist(place));
                let value = joint.value(spec.measure, &placed);
                self.posed.push(spec.pose(h, value, rate));
                self.values.push(value);
                self.aims[row] = (0.0, 0.0);
                acts |= !matches!(spec.law, RowLaw::Hold { .. } | RowLaw::Given { .. } | RowLaw::Geared { .. });
                let gap = (spec.error(value) - self.overrun[row]).max(0.0);
                self.far[row] = spec.purpose == Purpose::Limit && gap > FAR && gap > FAR_WAYS * h * rate.abs();
                self.roles[row] = match spec.purpose {
                    Purpose::Constraint => Role::Held,
                    Purpose::Limit => Role::Open { met: false },
                    Purpose::Armature => Role::Rotor,
                    Purpose::Gear => Role::Geared,
                    _ => Role::Pushed,
                };
                if let RowLaw::Given { force } = spec.law {
                    self.lambda[row] = h * force;
                }
                row += 1;
            }
        }
        acts
    }

    /// Velocity of a body after the impacts of the piece.
    pub(super) fn launch_twist(&self, place: u32) -> Twist {
        let body = &self.bodies[place as usize];
        body.launch.twist(&body.mass)
    }

    /// Distance of a limit from its stop at the start of the piece [m, rad].
    pub(super) fn limit_gap(&self, spec: &RowSpec, row: usize) -> f64 {
        (spec.error(self.values[row]) - self.overrun[row]).max(0.0)
    }

    /// Takes over the impulses that the solve with the rows of the start found.
    pub(super) fn take_push(&mut self, launched: bool) {
        let rows = self.joints.iter().flat_map(|joint| joint.rows);
        for (row, spec) in rows.enumerate() {
            if spec.is_given() {
                if launched {
                    self.lambda[row] = 0.0;
                }
                continue;
            }
            let impulse = self.pushed[row];
            let at_bound = match self.posed[row].law {
                Law::Interval { hi, .. } => impulse.abs() >= AT_BOUND * hi,
                _ => false,
            };
            let role = match spec.law {
                RowLaw::Stop { .. } if self.reached[row] => Role::Stop,
                RowLaw::Spring { .. } if !at_bound && !launched => Role::Soft,
                _ => self.roles[row],
            };
            self.roles[row] = role;
            self.lambda[row] = match role {
                _ if launched => 0.0,
                Role::Open { .. } => 0.0,
                // With contacts, joint impulses from the same solve belong to theirs.
                Role::Held | Role::Geared if self.contacts.is_empty() => self.lambda[row],
                Role::Held | Role::Stop | Role::Soft | Role::Rotor | Role::Pushed | Role::Geared => impulse,
            };
        }
    }

    pub(super) fn has_springs(&self) -> bool {
        self.joints.iter().flat_map(|joint| joint.rows).any(|spec| matches!(spec.law, RowLaw::Spring { .. }))
    }

    /// Computes the targets of springs: the velocity u⁺ from the solve with the rows of the start, and the impulse `λ*
    /// = r + μ` that gives the bodies this mean velocity, with `J M⁻¹Jᵀ μ = u⁺ − u⁻` for springs and zero for held
    /// rows. `free` are the velocities before that solve; its answer is in the workspace. Where springs stand still there is
    /// no μ.
    pub(super) fn aim_springs(&mut self, h: f64, free: &[Twist], space: &mut IslandSpace) {
        let sum = |(a, b): (&Twist, &Twist)| Twist { linear: a.linear + b.linear, angular: a.angular + b.angular };
        let after = space.shelves.twists.of(free.iter().zip(&space.changes).map(sum));
        let mut parts = std::mem::take(&mut space.parts);
        parts.clear();
        parts.inverse_mass.extend(self.bodies.iter().map(|body| body.inverse_mass_at(body.start.orientation)));
        let mut row = 0;
        for index in 0..self.joints.len() {
            let (joint, start) = (self.joints[index], self.starts[index]);
            let rows = joint.rows_between(&start, &start);
            for spec in joint.rows {
                if self.roles[row].is_solved() {
                    let columns = rows.row(spec);
                    let mut change = 0.0;
                    if self.roles[row] == Role::Soft {
                        let rate = self.row_velocity(&columns, &joint, |body| after[body as usize]);
                        change = rate - self.row_velocity(&columns, &joint, |body| self.launch_twist(body));
                        self.aims[row] = (rate, self.pushed[row]);
                    }
                    if spec.block > 0 {
                        parts.blocks.push(Block::joint(spec.block));
                        parts.bodies.push(Mover::joint_places(&joint));
                    }
                    parts.jacobian.push(columns);
                    // Rotors are treated like springs here.
                    let rotor = self.roles[row] == Role::Rotor;
                    parts.compliance.push(if rotor { self.posed[row].compliance } else { 0.0 });
                    parts.q.push(-change);
                }
                row += 1;
            }
        }
        space.shelves.twists.give(after);
        if parts.q.iter().all(|change| h * change.abs() <= STILL) {
            space.parts = parts;
            self.take_aims();
            return;
        }
        let at_start = |joint: usize| (self.starts[joint], self.starts[joint]);
        self.pose_gears(&mut parts, at_start, |_, _| 0.0, |_| 0.0);
        // If the problem is invalid, λ* = r, which is right for bodies at rest.
        let Ok(mut problem) = ContactProblem::from_parts(parts) else { return };
        let numbers = &mut space.shelves.numbers;
        let asked = numbers.of(problem.q().iter().copied());
        let (mut found, mut left, mut total) = (numbers.take(), numbers.take(), numbers.of(asked.iter().map(|_| 0.0)));
        // The second pass removes the error left by the filter of the first.
        let mut factored = space.equalities.factor(&problem);
        self.motion.solves += 1;
        for _ in 0..2 {
            factored = factored && space.equalities.solve_again(&problem, &mut found);
            if !factored {
                break;
            }
            total.iter_mut().zip(&found).for_each(|(total, part)| *total += part);
            // Cannot fail: the same rows made a valid problem above.
            if problem.set_q(&asked).is_err() {
                break;
            }
            problem.velocity_into(&total, &mut left, &mut space.body_velocity);
            if problem.set_q(&left).is_err() {
                break;
            }
        }
        let solved = self.roles.iter().zip(&mut self.aims).filter(|(role, _)| role.is_solved());
        let first_gear = total.len() - self.gears.len();
        for ((_, aim), impulse) in solved.zip(&total[..first_gear]) {
            aim.1 += impulse;
        }
        let mut aims = std::mem::take(&mut self.aims);
        for (gear, impulse) in self.gears.iter().zip(&total[first_gear..]) {
            self.aim_gear(gear, *impulse, &mut aims);
        }
        self.aims = aims;
        // In the mean over the piece μ has half of its effect.
        body_changes(&problem, &total, self.bodies.len(), &mut space.body_velocity, &mut space.changes);
        for (body, change) in self.bodies.iter_mut().zip(&space.changes) {
            let kick = body.start.angular_momentum(&body.mass, change.angular);
            if let Some((velocity, momentum)) = &mut body.foreseen {
                *velocity += 0.5 * change.linear;
                *momentum += 0.5 * kick;
            }
        }
        for numbers in [asked, found, left, total] {
            space.shelves.numbers.give(numbers);
        }
        space.parts = problem.into_parts();
        self.take_aims();
    }

    /// Rounds begin with the impulses that springs aim at.
    fn take_aims(&mut self) {
        for row in 0..self.roles.len() {
            if self.roles[row] == Role::Soft {
                self.lambda[row] = self.aims[row].1;
            }
        }
    }

    /// Compliance of a row in a round. That of a rotor in the mean velocity w: `λ = −I(ẋ⁺ − ẋ)` with `ẋ⁺ = 2w − ẋ`.
    pub(super) fn softness(&self, row: usize) -> f64 {
        match self.roles[row] {
            Role::Soft => self.posed[row].compliance,
            Role::Rotor => self.theta * self.posed[row].compliance,
            Role::Held | Role::Stop if self.theta == IMPLICIT => self.yields[row],
            _ => 0.0,
        }
    }

    /// How far a compliant row of an implicit motion gives way [m, rad].
    pub(super) fn yielded(&self, row: usize, h: f64) -> f64 {
        if self.theta == IMPLICIT { (h * self.softness(row) * self.lambda[row]).abs() } else { 0.0 }
    }

    /// Error of a row at end poses [m, rad]: its position error, its gap, or h times the defect of its law.
    pub(super) fn row_error(&self, joint: &JointGeometry, spec: &RowSpec, row: usize, after: &Placed, h: f64) -> f64 {
        let value = joint.value(spec.measure, after);
        match self.roles[row] {
            Role::Soft => {
                let (rate, impulse) = self.aims[row];
                value - self.values[row] + h * (self.softness(row) * (self.lambda[row] - impulse) - rate)
            }
            Role::Rotor => {
                // Its speed at the start is that for which its law was posed, plus that given by the launch.
                let rate = -self.total_law(row).1;
                value - self.values[row] + h * (self.softness(row) * self.lambda[row] - rate)
            }
            _ => spec.error(value) - self.overrun[row] + h * self.softness(row) * self.lambda[row],
        }
    }

    /// Whether an active limit or contact would have to pull.
    pub(super) fn pulls(&self) -> bool {
        let largest = self.lambda.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let limits = self.roles.iter().zip(&self.lambda).filter(|(role, _)| **role == Role::Stop);
        let normal = |place: usize| self.contacts[place].frame[0].dot(self.pushes[place].impulse);
        let contacts = self.normals.iter().enumerate().filter(|(_, role)| **role == Role::Stop);
        limits
            .map(|(_, impulse)| *impulse)
            .chain(contacts.map(|(place, _)| normal(place)))
            .any(|x| x < -PULLS * largest)
    }

    /// Whether a limit with this gap at the end poses is closed \[m, rad\].
    pub(super) fn is_closed(&self, row: usize, gap: f64, closed: f64) -> bool {
        let launched = self.launched.as_ref().is_some_and(|launch| launch.reached[row]);
        launched || matches!(self.roles[row], Role::Stop) || gap - self.overrun[row] <= closed
    }

    /// Law and offset of a row for the total impulse, which includes that of the launch.
    pub(super) fn total_law(&self, row: usize) -> (Law, f64) {
        let posed = &self.posed[row];
        let Some(given) = self.launched.as_ref().map(|launch| launch.joints[row]) else {
            return (posed.law, posed.bias);
        };
        let law = match posed.law {
            Law::Interval { lo, hi } => Law::Interval { lo: (lo - given).min(0.0), hi: (hi - given).max(0.0) },
            law => law,
        };
        (law, posed.bias + posed.compliance * given)
    }

    /// Impulse of a row in the first phase for which arms turn. It excludes μ, which moves springs to their target and
    /// carries no momentum.
    pub(super) fn turning(&self, row: usize) -> f64 {
        match self.roles[row] {
            Role::Soft => self.pushed[row],
            Role::Held | Role::Stop | Role::Rotor | Role::Geared => self.lambda[row] - self.aims[row].1,
            Role::Open { .. } | Role::Pushed => self.lambda[row],
        }
    }

    /// Velocity of a joint's row by the motion of the island's bodies alone [m/s, rad/s].
    pub(super) fn own_velocity(&self, row: &JacobianRow, joint: &JointGeometry, twists: &[Twist]) -> f64 {
        let twist = |end: End| if let End::Body(place, _) = end { Some(&twists[place]) } else { None };
        row_velocity(row, twist(joint.a), twist(joint.b))
    }

    /// Impulses of given joint forces along the rows of the start, per body [N·s, N·m·s].
    pub(super) fn given_impulses(&self, h: f64, shelves: &mut Shelves) -> Vec<(DVec3, DVec3)> {
        let mut out = shelves.wrenches.of(self.bodies.iter().map(|_| (DVec3::ZERO, DVec3::ZERO)));
        let mut impulses = shelves.numbers.take();
        for (joint, start) in self.joints.iter().zip(&self.starts) {
            if !joint.rows.iter().any(|spec| matches!(spec.law, RowLaw::Given { .. })) {
                continue;
            }
            let impulse = |spec: &RowSpec| if let RowLaw::Given { force } = spec.law { h * force } else { 0.0 };
            impulses.clear();
            impulses.extend(joint.rows.iter().map(impulse));
            for (end, (linear, angular)) in [joint.a, joint.b].into_iter().zip(joint.wrenches(start, start, &impulses))
            {
                if let End::Body(place, _) = end {
                    out[place].0 += linear;
                    out[place].1 += angular;
                }
            }
        }
        shelves.numbers.give(impulses);
        out
    }
}

//! Rows of joints besides the locked ones in the two phases of a piece: limits, motors, friction, springs, rotors.
//!
//! A solve with the rows of the start poses says what they do (`push`). In the first phase
//!
//! * a limit that carries is held at its stop like a locked coordinate; one that does not is held if the round overruns it, and
//!   let go if it would have to pull;
//! * a spring is to have in the mean the velocity u⁺ that its law was posed on, which is backward Euler: `w − u⁺ + c(λ − λ*) = 0`
//!   with λ* the impulse that takes the bodies there. c is its own compliance: springs around a closed loop that ask for more
//!   than the loop can do meet halfway;
//! * a rotor obeys the midpoint rule, `w − ẋ + ½cλ = 0`: behind a gear it is often ten thousand times as heavy as its link, which an
//!   impulse found with other rows would throw anywhere;
//! * motors and friction, and servos at their bounds, act with the impulse that they were found to have.
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

/// Share of its bound at which a servo is at it \[1\].
const AT_BOUND: f64 = 1.0 - 1e-9;
/// Share of the largest impulse of a joint below which a limit does not pull \[1\].
const PULLS: f64 = 1e-9;

/// A limit that is further away than this [m, rad], and than so many of the ways that its coordinate goes in the piece \[1\], is not
/// part of the solves with the rows of the start. A blow may take it there nevertheless: rounds hold what they overrun.
const FAR: f64 = 0.2;
const FAR_WAYS: f64 = 10.0;

/// Change of the way of a spring by μ that is none \[m, rad\]: a hundredth of what rounds can tell.
const STILL: f64 = 0.01 * FITS;

/// What a row of a joint does in the first phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    /// A locked coordinate.
    Held,
    /// A limit that is held at its stop, or a contact that is held closed.
    Stop,
    /// One that is not, and whether it was met in the piece.
    Open { met: bool },
    /// A spring, which obeys its law.
    Soft,
    /// A rotor, which obeys the midpoint rule.
    Rotor,
    /// An impulse that is known.
    Pushed,
    /// An impulse that is bound to that of a gear, which is held.
    Geared,
}

impl Role {
    /// Whether its impulse is found by the rounds.
    pub fn is_solved(&self) -> bool {
        matches!(self, Role::Held | Role::Stop | Role::Soft | Role::Rotor)
    }
    pub fn closed(self) -> Role {
        if let Role::Open { .. } = self { Role::Stop } else { self }
    }
}

impl Mover<'_> {
    /// Poses the laws of all rows for a piece of `h`; whether anything acts that has to be solved for.
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

    /// How far a limit is from its stop at the start of the piece [m, rad].
    pub(super) fn limit_gap(&self, spec: &RowSpec, row: usize) -> f64 {
        (spec.error(self.values[row]) - self.overrun[row]).max(0.0)
    }

    /// Takes over what the solve with the rows of the start found for the rows that act.
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
                // With contacts, what was found with them goes with them.
                Role::Held | Role::Geared if self.contacts.is_empty() => self.lambda[row],
                Role::Held | Role::Stop | Role::Soft | Role::Rotor | Role::Pushed | Role::Geared => impulse,
            };
        }
    }

    pub(super) fn has_springs(&self) -> bool {
        self.joints.iter().flat_map(|joint| joint.rows).any(|spec| matches!(spec.law, RowLaw::Spring { .. }))
    }

    /// Says what springs aim at: the velocity u⁺ that the solve with the rows of the start gives them, and the impulse
    /// `λ* = r + μ` that takes the bodies there in the mean, with `J M⁻¹Jᵀ μ = u⁺ − u⁻` for springs and zero for what is held.
    /// `free` are the velocities before that solve, whose answer is in the space. Where springs stand still there is no μ.
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
                    // A rotor is taken there as well.
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
        // Numbers that make no problem leave λ* = r, which is right where nothing moves.
        let Ok(mut problem) = ContactProblem::from_parts(parts) else { return };
        let numbers = &mut space.shelves.numbers;
        let asked = numbers.of(problem.q().iter().copied());
        let (mut found, mut left, mut total) = (numbers.take(), numbers.take(), numbers.of(asked.iter().map(|_| 0.0)));
        // The second pass takes out what the filter of the first left.
        let mut factored = space.equalities.factor(&problem);
        self.motion.solves += 1;
        for _ in 0..2 {
            factored = factored && space.equalities.solve_again(&problem, &mut found);
            if !factored {
                break;
            }
            total.iter_mut().zip(&found).for_each(|(total, part)| *total += part);
            // Both are numbers that made a problem before.
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
        // μ takes the bodies half as far in the mean.
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

    /// How far a row that is held implicitly gives way [m, rad].
    pub(super) fn yielded(&self, row: usize, h: f64) -> f64 {
        if self.theta == IMPLICIT { (h * self.softness(row) * self.lambda[row]).abs() } else { 0.0 }
    }

    /// Error of a row at end poses [m, rad]: what it is off, its gap, or h times the defect of its law.
    pub(super) fn row_error(&self, joint: &JointGeometry, spec: &RowSpec, row: usize, after: &Placed, h: f64) -> f64 {
        let value = joint.value(spec.measure, after);
        match self.roles[row] {
            Role::Soft => {
                let (rate, impulse) = self.aims[row];
                value - self.values[row] + h * (self.softness(row) * (self.lambda[row] - impulse) - rate)
            }
            Role::Rotor => {
                // Its speed before the way is what its law was posed with, and what the launch gave it.
                let rate = -self.total_law(row).1;
                value - self.values[row] + h * (self.softness(row) * self.lambda[row] - rate)
            }
            _ => spec.error(value) - self.overrun[row] + h * self.softness(row) * self.lambda[row],
        }
    }

    /// Whether a limit or contact that is held would have to pull.
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

    /// Whether a limit is closed at end poses whose gap is this \[m, rad\].
    pub(super) fn is_closed(&self, row: usize, gap: f64, closed: f64) -> bool {
        let launched = self.launched.as_ref().is_some_and(|launch| launch.reached[row]);
        launched || matches!(self.roles[row], Role::Stop) || gap - self.overrun[row] <= closed
    }

    /// Law and offset of a row: what the launch gave is part of the total.
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

    /// Impulse of a row in the first phase whose arm turns, without μ, which moves springs to where they aim and no momentum:
    /// of springs as they were found.
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

    /// Impulses of given forces along the rows of the start, body by body [N·s, N·m·s].
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

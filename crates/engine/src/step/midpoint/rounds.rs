//! First phase of a piece: finds joint impulses for which the joints fit at the end poses. Contact impulses are given
//! (`launch`).

use super::drives::Role;
use super::shelf::Shelves;
use super::velocity::CLOSED;
use super::{IMPLICIT, Mover};
use crate::joint::geometry::{End, JointGeometry, Pull};
use crate::step::Twist;
use crate::step::assembly::{contact_row, row_velocity};
use crate::step::contact::Contact;
use crate::step::ration::{PIECES, spent};
use crate::step::rolling::Push;
use crate::step::solve::{IslandSolution, IslandSpace, add_effort, solve_graded};
use glamx::DVec3;
use signorini_problem::{Block, ContactProblem, FactoredParts, JacobianRow, Law};

/// Limit on rounds. Four are usual, six for whips. A taut rope takes a dozen, because its sag is the square root of its
/// slack. Finding the active set starts the rounds over.
const MAX_ROUNDS: usize = 24;
/// Accuracy of rounds: joint errors, and defects of the bodies' motion [m, rad]. It is a thousand times below the bound
/// of the certificate, because a gap is the arm of a couple and changes angular momentum.
pub(super) const FITS: f64 = 1e-11;
/// Joint error that is accepted if rounds make no further progress [m, rad]: half of what the certificate allows.
const NEARLY: f64 = 5e-9;
/// The next round reuses the factorization if a round leaves less than this share of the error \[1\].
const KEPT: f64 = 0.05;
/// Rounds start from the solve with the rows of the start if that moves some body by more than this [m, rad].
const DEFLECTED: f64 = 1e-9;
/// A round after the third contracts badly if it leaves more than this share of the error \[1\].
const CONTRACTION: f64 = 0.7;

/// Limit on rounds of an implicit motion. Each halves the sag until compliant rows carry, and the active contacts are
/// found at the same time.
const IMPLICIT_ROUNDS: usize = 48;
/// Compliance of contacts in an implicit motion, as a share of their own inverse mass \[1\]. A load of 100 kg that is
/// stopped from 4 m/s sinks in by 1e-8 m.
const CONTACT_YIELD: f64 = 1e-7;

/// A contact that the rounds violate by more than this becomes part of them \[m\]. Smaller violations are left to the
/// correction of poses, which measures the actual shapes.
const TOUCHES: f64 = 1e-3;

impl Mover<'_> {
    /// Runs the rounds of a piece. Returns whether the joints fit at the end. If rounds with violated contacts do not
    /// converge and `overlap` is allowed, these contacts are left to the correction of poses.
    pub fn rounds(&mut self, h: f64, overlap: bool, space: &mut IslandSpace, out: &mut IslandSolution) -> bool {
        let lambda = space.shelves.numbers.of(self.lambda.iter().copied());
        let roles = space.shelves.roles.of(self.roles.iter().copied());
        let pushes = space.shelves.pushes.of(self.pushes.iter().copied());
        let mut fit = |mover: &mut Self, contacts: bool| {
            mover.lambda.clone_from(&lambda);
            mover.roles.clone_from(&roles);
            mover.pushes.clone_from(&pushes);
            mover.normals.clear();
            mover.normals.resize(mover.contacts.len(), Role::Open { met: false });
            mover.fit(h, contacts, space, out)
        };
        let fits = fit(self, true) || overlap && fit(self, false);
        space.shelves.numbers.give(lambda);
        space.shelves.roles.give(roles);
        space.shelves.pushes.give(pushes);
        fits
    }

    /// Runs the rounds, with or without the contacts that they violate.
    fn fit(&mut self, h: f64, contacts: bool, space: &mut IslandSpace, out: &mut IslandSolution) -> bool {
        let (mut last, mut before) = (f64::INFINITY, f64::INFINITY);
        // The solve with the rows of the start has determined the active limits.
        self.settled = true;
        if !self.set_out(h) {
            return false;
        }
        let mut kept = false;
        let most = if self.theta == IMPLICIT { IMPLICIT_ROUNDS } else { MAX_ROUNDS };
        for round in 0..=most {
            self.load();
            let mut error = self.joint_error(h).max(self.astray(h));
            if contacts {
                error = error.max(self.normal_error(h));
            }
            self.error = error;
            if error <= FITS {
                if !self.pulls() {
                    return true;
                }
                self.settled = false;
            }
            self.settled &= round == 0 || !self.pulls();
            let bad = error > CONTRACTION * last && error > CONTRACTION * CONTRACTION * before;
            let slow = self.settled && round >= 3 && bad && self.theta < 1.0;
            if round == most || !error.is_finite() || slow || PIECES.is_overspent(self.iterations) {
                return error <= NEARLY;
            }
            kept &= self.settled && self.theta < IMPLICIT && error <= KEPT * last;
            if !self.settled && self.theta == IMPLICIT {
                self.let_go();
            }
            (last, before) = if self.settled { (error, last) } else { (f64::INFINITY, f64::INFINITY) };
            // A round with inequalities determines the active set.
            let newton = self.settled;
            let taken = match newton {
                true => self.round(h, kept, space, out),
                false => self.one_sided_round(h, space, out),
            };
            kept = newton;
            if !taken {
                return false;
            }
        }
        false
    }

    /// Sets the bodies where rounds start: at the result of the solve with the rows of the start, which has an error of
    /// third order in h, or at their free motion. A body at rest stays in place to the last bit.
    fn set_out(&mut self, h: f64) -> bool {
        if self.from_rest {
            let stayed = self.bodies.iter_mut().all(|body| body.stay());
            self.place_ends(h);
            return stayed;
        }
        let deflected = self.bodies.iter().any(|body| body.deflection(h) > DEFLECTED);
        let gone = self.bodies.iter_mut().all(|body| if deflected { body.follow(h) } else { body.coast(h) });
        self.place_ends(h);
        gone
    }

    /// Moves the bodies by the velocities of their launch, without regard to joints.
    pub fn drift(&mut self, h: f64) {
        for body in &mut self.bodies {
            body.load.clear();
        }
        for body in &mut self.bodies {
            body.drift(h);
        }
        self.place_ends(h);
    }

    /// Adds a change to the motion of every body. Returns false if one leaves the range of numbers.
    pub(super) fn shift(&mut self, h: f64, change: impl Fn(usize, &super::MovingBody) -> Twist) -> bool {
        let mut finite = true;
        for (place, body) in self.bodies.iter_mut().enumerate() {
            let change = change(place, body);
            finite &= body.shift(&change, h);
        }
        self.place_ends(h);
        finite
    }

    /// Largest defect of the bodies' own equations of motion [m, rad].
    fn astray(&self, h: f64) -> f64 {
        let way = |body: &super::MovingBody| {
            let way = body.response(h);
            h * way.linear.length().max(way.angular.length())
        };
        self.bodies
            .iter()
            .map(way)
            .fold(0.0, |worst: f64, way| if way.is_nan() { f64::INFINITY } else { worst.max(way) })
    }

    /// A round in which limits and contacts reached in the piece obey `0 ≤ λ ⊥ gap ≥ 0` (Josephy's Newton method). It
    /// determines which of them are active in the following rounds. Activating them one by one leads through sets of
    /// nearly contradictory rows, with impulses of any size.
    fn one_sided_round(&mut self, h: f64, space: &mut IslandSpace, out: &mut IslandSolution) -> bool {
        for role in self.roles.iter_mut().chain(&mut self.normals) {
            if let Role::Open { met: true } = role {
                *role = Role::Stop;
            }
        }
        let mut parts = std::mem::take(&mut space.parts);
        self.assemble_round(h, &mut parts, &mut space.shelves);
        // Index of every inequality row in the problem, and its impulse so far.
        let mut one_sided = space.shelves.impulses_at.take();
        let solved = self.roles.iter().zip(&self.lambda).filter(|(role, _)| role.is_solved()).enumerate();
        one_sided.extend(solved.filter(|(_, (role, _))| **role == Role::Stop).map(|(at, (_, impulse))| (at, *impulse)));
        let first = self.roles.iter().filter(|role| role.is_solved()).count();
        let held = self.normals.iter().enumerate().filter(|(_, role)| role.is_solved()).map(|(place, _)| place);
        let held = space.shelves.places.of(held);
        let push = |place: &usize| self.contacts[*place].frame[0].dot(self.pushes[*place].impulse);
        one_sided.extend(held.iter().enumerate().map(|(at, place)| (first + at, push(place))));
        let mut row = 0;
        for block in &mut parts.blocks {
            if one_sided.binary_search_by_key(&row, |(at, _)| *at).is_ok() {
                block.law = Law::NonNegative;
            }
            row += block.rows;
        }
        let Ok(mut problem) = ContactProblem::from_parts(parts) else { return false };
        // Impulses of inequality rows are totals; those of equality rows are increments.
        space.guess.clear();
        space.guess.resize(problem.rows(), 0.0);
        one_sided.iter().for_each(|(at, impulse)| space.guess[*at] = -impulse);
        let mut speeds = space.shelves.numbers.take();
        problem.velocity_into(&space.guess, &mut speeds, &mut space.body_velocity);
        space.guess.iter_mut().for_each(|impulse| *impulse = (-*impulse).max(0.0));
        if problem.set_q(&speeds).is_err() {
            return false;
        }
        let Ok(graded) = solve_graded(&PIECES.of(self.settings, self.iterations), &problem, space) else {
            return false;
        };
        self.motion.solves += 1;
        self.iterations += spent(&graded.effort);
        add_effort(&mut out.effort, &graded.effort);
        problem.velocity_into(&space.impulses, &mut speeds, &mut space.body_velocity);
        let mut carries = space.shelves.flags.of(speeds.iter().map(|_| false));
        let mut row = 0;
        for (block, scale) in problem.blocks().iter().zip(problem.scales()) {
            carries[row] = scale * space.impulses[row] > speeds[row];
            row += block.rows;
        }
        let mut at = 0;
        for (role, total) in self.roles.iter_mut().zip(&mut self.lambda).filter(|(role, _)| role.is_solved()) {
            let found = space.impulses[at];
            match role {
                Role::Stop if carries[at] => *total = found,
                Role::Stop => (*role, *total) = (Role::Open { met: true }, 0.0),
                _ => *total += found,
            }
            at += 1;
        }
        for place in held.iter().copied() {
            let normal = self.contacts[place].frame[0];
            if carries[at] {
                let push = self.pushes[place].impulse;
                self.pushes[place].impulse = push + (space.impulses[at] - normal.dot(push)) * normal;
            } else {
                (self.normals[place], self.pushes[place]) = (Role::Open { met: true }, Push::NONE);
            }
            at += 1;
        }
        self.settled = true;
        space.parts = problem.into_parts();
        space.shelves.impulses_at.give(one_sided);
        space.shelves.places.give(held);
        space.shelves.numbers.give(speeds);
        space.shelves.flags.give(carries);
        let mut lambda = std::mem::take(&mut self.lambda);
        for gear in &self.gears {
            self.add_geared(gear, space.impulses[at], &mut lambda);
            at += 1;
        }
        self.lambda = lambda;
        let finite = space.impulses.iter().all(|x| x.is_finite());
        self.load();
        self.bodies.iter_mut().for_each(|body| body.find_turn(h));
        finite && self.shift(h, |_, body| body.response(h))
    }

    /// Assembles the rows of a round with mid arms; `q` is the error over h at the current poses [m/s, rad/s].
    fn assemble_round(&self, h: f64, parts: &mut FactoredParts, shelves: &mut Shelves) {
        parts.clear();
        let FactoredParts { blocks, inverse_mass, bodies: pairs, jacobian: rows, compliance, q, .. } = parts;
        inverse_mass.extend(self.bodies.iter().map(|body| body.mean_inverse_mass(h)));
        let ways = shelves.twists.of(self.bodies.iter().map(|body| body.response(h)));
        let mut row = 0;
        for (joint, before, after) in self.mean_placed_joints() {
            let between = joint.rows_between(before, after);
            for spec in joint.rows {
                if self.roles[row].is_solved() {
                    if spec.block > 0 {
                        blocks.push(Block::joint(spec.block));
                        pairs.push(Mover::joint_places(joint));
                    }
                    let columns = between.row(spec);
                    rows.push(columns);
                    compliance.push(self.softness(row));
                    q.push(self.row_error(joint, spec, row, after, h) / h + self.own_velocity(&columns, joint, &ways));
                }
                row += 1;
            }
        }
        for (place, _) in self.normals.iter().enumerate().filter(|(_, role)| role.is_solved()) {
            let contact = self.contacts[place];
            let [arm_a, arm_b] = self.contact_arms(contact, self.theta);
            parts.blocks.push(Block::joint(1));
            parts.bodies.push([self.place(contact.a), self.place(contact.b)]);
            let columns = contact_row(contact.frame[0], arm_a, arm_b);
            let way = |rank: u32| self.place(rank).map(|place| &ways[place as usize]);
            parts.jacobian.push(columns);
            parts.compliance.push(0.0);
            parts.q.push(self.contact_error(place, h) / h + row_velocity(&columns, way(contact.a), way(contact.b)));
        }
        let speed = |joint: &JointGeometry, columns: &JacobianRow| self.own_velocity(columns, joint, &ways);
        self.pose_gears(
            parts,
            |joint| (self.starts[joint], self.ends[joint]),
            speed,
            |gear| self.gear_error(gear, h) / h,
        );
        shelves.twists.give(ways);
    }

    /// Gap of a contact at the end poses \[m\]; overlap from before the step counts as zero.
    pub(super) fn contact_error(&self, place: usize, h: f64) -> f64 {
        let (gap, contact) = (self.gaps[place], self.contacts[place]);
        let yielded = match self.normals[place] {
            Role::Stop => h * self.contact_yield(contact) * contact.frame[0].dot(self.pushes[place].impulse),
            _ => 0.0,
        };
        gap.max(0.0) + contact.frame[0].dot(self.slipped(contact, h)) + yielded
    }

    /// Displacement of B relative to A at a contact, to first order in the rotations \[m\].
    pub fn slipped(&self, contact: &Contact, h: f64) -> DVec3 {
        let way = |rank: u32| match self.place(rank) {
            Some(place) => self.bodies[place as usize].displacement(),
            None => {
                let Twist { linear, angular } = self.given_velocity(rank);
                Twist { linear: h * linear, angular: h * angular }
            }
        };
        contact.velocity(&way(contact.a), &way(contact.b))
    }

    /// Arms of a contact after a share of the current motion. If both bodies move, both arms end at the midpoint of the
    /// two places to which the bodies carry the contact point, so that angular momentum is conserved.
    pub fn contact_arms(&self, contact: &Contact, share: f64) -> [DVec3; 2] {
        let way = |rank: u32| {
            let body = &self.bodies[self.place(rank)? as usize];
            Some(share * (body.end.position - body.start.position))
        };
        let apart = match (way(contact.a), way(contact.b)) {
            (Some(a), Some(b)) => 0.5 * (b - a),
            _ => DVec3::ZERO,
        };
        [contact.arm_a + apart, contact.arm_b - apart]
    }

    /// Largest error of a joint at the end poses [m, rad]. Limits that are violated there become active.
    pub fn joint_error(&mut self, h: f64) -> f64 {
        let mut worst: f64 = 0.0;
        let mut row = 0;
        for index in 0..self.joints.len() {
            let joint = self.joints[index];
            for spec in joint.rows {
                let error = self.row_error(&joint, spec, row, &self.ends[index], h);
                match &mut self.roles[row] {
                    role @ Role::Open { .. } if error < -FITS => {
                        *role = role.closed();
                        self.settled = false;
                    }
                    Role::Held | Role::Stop | Role::Soft | Role::Rotor => {}
                    _ => {
                        row += 1;
                        continue;
                    }
                }
                worst = if error.is_nan() { f64::INFINITY } else { worst.max(error.abs()) };
                row += 1;
            }
        }
        worst.max(self.gear_errors(h))
    }

    /// Largest error of an active contact, scaled so that it can be compared with joint errors. Contacts that are
    /// violated become active.
    fn normal_error(&mut self, h: f64) -> f64 {
        let mut worst: f64 = 0.0;
        for place in 0..self.contacts.len() {
            if self.normals[place] != Role::Stop && self.is_overrun(place, h) {
                self.normals[place] = Role::Stop;
                self.settled = false;
            }
            if self.normals[place] == Role::Stop {
                worst = worst.max(self.contact_error(place, h).abs() * (FITS / CLOSED));
            }
        }
        worst
    }

    /// Deactivates limits and contacts that pull. Compliant rows are independent of each other, so signs are enough to
    /// find the active set in successive Newton steps.
    fn let_go(&mut self) {
        for (role, impulse) in self.roles.iter_mut().zip(&mut self.lambda) {
            if *role == Role::Stop && *impulse < 0.0 {
                (*role, *impulse) = (Role::Open { met: false }, 0.0);
            }
        }
        for place in 0..self.contacts.len() {
            if self.normals[place] == Role::Stop && self.contacts[place].frame[0].dot(self.pushes[place].impulse) < 0.0
            {
                (self.normals[place], self.pushes[place]) = (Role::Open { met: false }, Push::NONE);
            }
        }
        self.settled = true;
    }

    /// Compliance of a contact in an implicit motion \[1/kg\].
    pub(super) fn contact_yield(&self, contact: &Contact) -> f64 {
        if self.theta < IMPLICIT {
            return 0.0;
        }
        let give = |rank: u32| self.place(rank).map_or(0.0, |place| self.bodies[place as usize].mass.inverse_mass);
        0.5 * CONTACT_YIELD * (give(contact.a) + give(contact.b))
    }

    /// Whether the rounds make more overlap at a contact than the correction of poses should remove.
    fn is_overrun(&self, place: usize, h: f64) -> bool {
        let much = if self.theta == IMPLICIT { CLOSED } else { TOUCHES };
        self.pad(place).is_none() && self.contact_error(place, h) < -much
    }

    /// Applies the current impulses to the bodies.
    fn load(&mut self) {
        for body in &mut self.bodies {
            body.load.clear();
        }
        for (contact, Push { impulse, moment }) in self.contacts.iter().zip(&self.pushes) {
            let [arm_a, arm_b] = self.contact_arms(contact, self.theta);
            for (rank, arm, impulse) in [(contact.a, arm_a, -*impulse), (contact.b, arm_b, *impulse)] {
                let Some(place) = self.scene.bodies[rank as usize].place else { continue };
                let load = &mut self.bodies[place as usize].load;
                load.impulse += impulse;
                load.torque += arm.cross(impulse);
            }
            if contact.rolling.is_some() {
                for (rank, torque) in [(contact.a, -*moment), (contact.b, *moment)] {
                    let Some(place) = self.scene.bodies[rank as usize].place else { continue };
                    self.bodies[place as usize].load.torque += torque;
                }
            }
        }
        let mut first = 0;
        for index in 0..self.joints.len() {
            let (joint, after) = (&self.joints[index], &self.ends[index]);
            let before = if self.theta < IMPLICIT { &self.starts[index] } else { after };
            let rows = first..first + joint.row_count();
            first = rows.end;
            // Directions that turn are taken at the current poses.
            let Pull { at_anchors, at_b, torque } = joint.pull(before, after, &self.lambda[rows]);
            if let End::Body(place, frame) = joint.b {
                let load = &mut self.bodies[place].load;
                load.impulse += at_anchors + at_b;
                load.torque += torque;
                load.anchors.push((frame.point, at_anchors + at_b));
            }
            if let End::Body(place, frame) = joint.a {
                let load = &mut self.bodies[place].load;
                load.impulse -= at_anchors;
                load.torque -= torque;
                load.anchors.push((frame.point, -at_anchors));
                if at_b != DVec3::ZERO {
                    load.follow(self.theta, joint.arms(before, after)[2], -at_b);
                }
            }
        }
    }
}

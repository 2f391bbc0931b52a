//! First phase of a piece: joint impulses for which the joints fit at the end poses, under contact impulses that are given.

use super::Mover;
use super::drives::Role;
use crate::joint::geometry::{End, JointGeometry, Placed, Pull};
use crate::step::Twist;
use crate::step::contact::Contact;
use crate::step::solve::{IslandSolution, IslandSpace};
use glamx::DVec3;
use signorini_problem::{Block, ContactProblem, FactoredParts};

/// Most rounds: four are usual, six for whips. A taut rope, whose sag is the square root of its slack, takes a dozen.
const MAX_ROUNDS: usize = 16;
/// Joint error at which rounds end [m, rad]: a thousand times below what the certificate asks for, since
/// a gap is the arm of a couple.
pub(super) const FITS: f64 = 1e-11;
/// Joint error that is good enough where rounds do not get further [m, rad]: half of what the certificate allows.
const NEARLY: f64 = 5e-9;
/// A round after the third that leaves more than this share of the error contracts badly \[1\].
const CONTRACTION: f64 = 0.7;

/// Passes in which impulses that turn with the bodies follow them within a round: each contracts by h² times a torque over an
/// inertia, some hundredths where links are light.
const PASSES: usize = 3;

impl Mover<'_> {
    /// Runs the rounds of a piece; whether the joints fit at the end.
    pub fn rounds(&mut self, h: f64, space: &mut IslandSpace, out: &mut IslandSolution) -> bool {
        let (mut last, mut before) = (f64::INFINITY, f64::INFINITY);
        let passes = if self.joints.iter().any(JointGeometry::turns) { PASSES } else { 1 };
        for round in 0..=MAX_ROUNDS {
            for _ in 0..passes {
                self.load();
                if !self.bodies.iter_mut().all(|body| body.advance(h)) {
                    return false;
                }
            }
            let error = self.joint_error(h);
            self.error = error;
            if error <= FITS {
                if !self.let_go() {
                    return true;
                }
                (last, before) = (f64::INFINITY, f64::INFINITY);
                continue;
            }
            // Impulses that turn with the bodies contract in pairs of rounds.
            let slow = round >= 3 && error > CONTRACTION * last && error > CONTRACTION * CONTRACTION * before;
            if round == MAX_ROUNDS || !error.is_finite() || slow {
                return error <= NEARLY;
            }
            (last, before) = (error, last);
            if !self.round(h, space, out) {
                return false;
            }
        }
        false
    }

    /// Moves the bodies by the velocities of their launch, whatever the joints say.
    pub fn drift(&mut self, h: f64) {
        self.lambda.fill(0.0);
        self.load();
        for body in &mut self.bodies {
            body.advance(h);
        }
    }

    /// Adds to the joint impulses what takes the error out to first order, `W dλ + error/h = 0`; false if W is no use, or the numbers make no problem.
    fn round(&mut self, h: f64, space: &mut IslandSpace, out: &mut IslandSolution) -> bool {
        let mut parts = std::mem::take(&mut space.parts);
        self.assemble_round(h, &mut parts);
        let Ok(problem) = ContactProblem::from_parts(parts) else { return false };
        let solved = space.equalities.solve(&problem, &mut space.impulses);
        self.motion.solves += 1;
        out.effort.factorizations += 1;
        let moved = self.lambda.iter_mut().zip(&self.roles).filter(|(_, role)| role.is_solved());
        for ((total, _), part) in moved.zip(&space.impulses) {
            *total += part;
        }
        space.parts = problem.into_parts();
        solved
    }

    /// Rows of a round over mid arms, and in `q` the error over h at the poses on hand [m/s, rad/s].
    fn assemble_round(&self, h: f64, parts: &mut FactoredParts) {
        parts.clear();
        let FactoredParts { blocks, inverse_mass, bodies: pairs, jacobian: rows, compliance, q, .. } = parts;
        inverse_mass.extend(self.bodies.iter().map(|body| body.mean_inverse_mass(h)));
        let mut row = 0;
        for joint in &self.joints {
            let (before, after) = self.placed(joint, h);
            for spec in joint.rows {
                if self.roles[row].is_solved() {
                    if spec.block > 0 {
                        blocks.push(Block::joint(spec.block));
                        pairs.push(Mover::joint_places(joint));
                    }
                    rows.push(joint.jacobian(spec, &before, &after));
                    compliance.push(self.softness(row));
                    q.push(self.row_error(joint, spec, row, &after, h) / h);
                }
                row += 1;
            }
        }
    }

    pub fn placed(&self, joint: &JointGeometry, h: f64) -> (Placed, Placed) {
        (joint.place(|end| self.start_pose(end)), joint.place(|end| self.end_pose(end, h)))
    }

    /// Way of B against A at a contact, to first order in the rotations \[m\].
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

    /// Arms of a contact when a share of the way at hand is gone. Of two bodies that move, to one point midway between where
    /// each of them would take it: angular momentum is kept then.
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

    /// Largest error of a joint at the end poses [m, rad]. A limit that is overrun there is held from now on.
    pub fn joint_error(&mut self, h: f64) -> f64 {
        let mut worst: f64 = 0.0;
        let mut row = 0;
        for index in 0..self.joints.len() {
            let joint = self.joints[index];
            let after = self.placed(&joint, h).1;
            for spec in joint.rows {
                let error = self.row_error(&joint, spec, row, &after, h);
                match &mut self.roles[row] {
                    role @ Role::Open { .. } if error < -FITS => *role = role.closed(),
                    Role::Held | Role::Stop { .. } | Role::Soft => {}
                    _ => {
                        row += 1;
                        continue;
                    }
                }
                worst = if error.is_nan() { f64::INFINITY } else { worst.max(error.abs()) };
                row += 1;
            }
        }
        worst
    }

    /// Puts the impulses on hand on the bodies.
    fn load(&mut self) {
        for body in &mut self.bodies {
            body.load.clear();
        }
        let along = if self.launched.is_some() { 0 } else { self.contacts.len() };
        for (contact, impulse) in self.contacts.iter().zip(&self.pushes).take(along) {
            let [arm_a, arm_b] = self.contact_arms(contact, 0.5);
            for (rank, arm, impulse) in [(contact.a, arm_a, -*impulse), (contact.b, arm_b, *impulse)] {
                let Some(place) = self.scene.bodies[rank as usize].place else { continue };
                let load = &mut self.bodies[place as usize].load;
                load.impulse += impulse;
                load.torque += arm.cross(impulse);
            }
        }
        let mut first = 0;
        for index in 0..self.joints.len() {
            let joint = self.joints[index];
            let rows = first..first + joint.row_count();
            first = rows.end;
            // Directions that turn are those of the poses on hand.
            let (before, after) = self.placed(&joint, self.piece);
            let Pull { at_anchors, at_b, torque } = joint.pull(&before, &after, &self.lambda[rows]);
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
                    load.follow(joint.arms(&before, &after)[2], -at_b);
                }
            }
        }
    }
}

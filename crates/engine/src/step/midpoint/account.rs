//! Accounts for a piece that was taken: works, each by its own formula, wrenches of the joints, and the sums over the
//! step.

use super::Mover;
use super::launch::Launch;
use super::rounds::FITS;
use super::shelf::Shelves;
use super::velocity::Piece;
use crate::energy::EnergyLedger;
use crate::joint::geometry::{End, JointGeometry};
use crate::joint::rows::Purpose;
use crate::step::Twist;
use crate::step::contact::Contact;
use crate::step::rolling::Push;
use crate::step::solve::{IslandSolution, add_effort};
use glamx::DVec3;
use signorini_problem::JacobianRow;

/// Speed that counts as rest where no force acts [m/s]: the tolerance of velocities.
const STILL: f64 = 1e-9;

impl Mover<'_> {
    /// Adds the angular impulses of contacts that exceed those with arms at the start of the step. Results are reported
    /// with the latter.
    pub(super) fn add_arms(&self, piece: &mut Piece) {
        let mut row = 0;
        for contact in piece.closed.iter().map(|place| self.contacts[*place]) {
            let count = contact.row_count();
            let Push { impulse, .. } = contact.push_of(&piece.impulses[row..row + count]);
            row += count;
            let [arm_a, arm_b] = self.contact_arms(contact, 1.0);
            let sides = [(contact.a, arm_a - contact.arm_a, -1.0), (contact.b, arm_b - contact.arm_b, 1.0)];
            for (rank, beyond, sign) in sides {
                if let Some(place) = self.place(rank) {
                    piece.joint_wrench[place as usize].1 += sign * beyond.cross(impulse);
                }
            }
        }
    }

    /// Adds the wrenches of joints in the launch, with the rows of the start poses.
    pub(super) fn add_launch(&self, piece: &mut Piece) {
        let Some(Launch { joints: impulses, .. }) = &self.launched else { return };
        let mut row = 0;
        for (joint, start) in self.joints.iter().zip(&self.starts) {
            let rows = joint.rows_between(start, start);
            for spec in joint.rows {
                add_wrench(joint, &rows.row(spec), impulses[row], piece);
                row += 1;
            }
        }
    }

    /// Computes the works of the piece, each by its own formula, and from them its energy rise and loss.
    pub(super) fn account(&self, h: f64, piece: &mut Piece, shelves: &mut Shelves) {
        let mut ledger = EnergyLedger::default();
        let (mut kinetic, mut before, mut lifted, mut pushed, mut projected) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let mut mean = shelves.twists.take();
        let mut ends = shelves.twists.take();
        for (body, (velocity, momentum)) in self.bodies.iter().zip(&piece.after) {
            let end = super::State { velocity: *velocity, momentum: *momentum, ..body.end };
            let (mass, angular_velocities) =
                (&body.mass, [body.start.angular_velocity(&body.mass), end.angular_velocity(&body.mass)]);
            let middle = Twist {
                linear: 0.5 * (body.start.velocity + *velocity),
                angular: 0.5 * (angular_velocities[0] + angular_velocities[1]),
            };
            let moved = body.end.position - body.start.position;
            ledger.external += h * (body.force.dot(middle.linear) + body.torque.dot(middle.angular));
            ledger.integration += (mass.mass * body.gravity).dot(h * middle.linear - moved);
            let rotational =
                0.5 * (momentum.dot(angular_velocities[1]) - body.start.momentum.dot(angular_velocities[0]));
            ledger.integration += rotational - middle.angular.dot(*momentum - body.start.momentum);
            before += body.start.kinetic(mass);
            lifted -= (mass.mass * body.gravity).dot(moved);
            kinetic += end.kinetic(mass);
            pushed += 0.5 * mass.mass * ((self.scene.dt * body.acceleration).length_squared() + STILL * STILL);
            let free = super::State {
                velocity: body.launch.velocity
                    + body.forces * h * body.acceleration
                    + mass.inverse_mass * body.load.impulse,
                momentum: body.launch.momentum
                    + body.forces * h * body.torque
                    + body.load.mean_torque(body.theta, body.start.orientation, body.end.orientation),
                ..body.end
            };
            projected += free.kinetic(mass);
            mean.push(middle);
            ends.push(Twist { linear: *velocity, angular: angular_velocities[1] });
        }
        let twist = |rank: u32| match self.place(rank) {
            Some(place) => mean[place as usize],
            None => self.given_velocity(rank),
        };
        let given = |rank: u32| if self.place(rank).is_some() { Twist::default() } else { self.given_velocity(rank) };
        let mut works = |contact: &Contact, push: &Push| {
            let impulse = push.impulse;
            let velocity = contact.velocity(&twist(contact.a), &twist(contact.b));
            if let Some((turned, by_surface)) = contact.turning_work(push, &twist(contact.a), &twist(contact.b)) {
                ledger.friction += turned + by_surface;
                ledger.driven -= by_surface + push.moment.dot(given(contact.b).angular - given(contact.a).angular);
            }
            let normal = contact.frame[0].dot(impulse) * contact.frame[0].dot(velocity);
            *(if contact.soft.is_some() { &mut ledger.spring } else { &mut ledger.normal }) += normal;
            ledger.friction += impulse.dot(velocity) - normal;
            ledger.driven -= impulse.dot(contact.velocity(&given(contact.a), &given(contact.b)));
            if contact.running != DVec3::ZERO {
                ledger.friction += impulse.dot(contact.running);
                ledger.driven -= impulse.dot(contact.running);
            }
        };
        let hits = self.launched.iter().flat_map(|launch| &launch.contacts);
        for (contact, hit) in self.contacts.iter().zip(hits) {
            works(contact, hit);
        }
        let (mut row, mut carried) = (0, self.launched.is_some());
        for contact in piece.closed.iter().map(|place| self.contacts[*place]) {
            let count = contact.row_count();
            let push = contact.push_of(&piece.impulses[row..row + count]);
            row += count;
            carried |= push.impulse != DVec3::ZERO;
            works(contact, &push);
        }
        // So far the wrench of a body comes from arms that turn under the impulses of the first phase.
        for (wrench, middle) in piece.joint_wrench.iter().zip(&mean) {
            ledger.joints += wrench.0.dot(middle.linear) + wrench.1.dot(middle.angular);
        }
        let first = row;
        // Sum of the absolute works of drives [J].
        let mut exchanged = 0.0;
        for (index, (joint, start, end)) in self.placed_joints().enumerate() {
            let rows = joint.rows_between(end, end);
            for spec in joint.rows {
                let columns = rows.row(spec);
                let (impulse, place) = (piece.impulses[row], row - first);
                row += 1;
                let velocity = self.row_velocity(&columns, joint, |place| mean[place as usize]);
                let driven = self.row_velocity(&columns, joint, |_| Twist::default());
                *entry(&mut ledger, spec.purpose) += impulse * velocity;
                ledger.driven -= impulse * driven;
                add_wrench(joint, &columns, impulse, piece);
                if matches!(spec.purpose, Purpose::Constraint | Purpose::Gear) {
                    continue;
                }
                exchanged += (impulse * velocity).abs();
                // The work of turning arms and of the launch with a drive's impulse belongs to the drive.
                let middle = joint.jacobian(spec, self.mean_start(index), end);
                let lasting = if spec.is_given() { 0.0 } else { self.own_velocity(&columns, joint, &mean) };
                let mut moved = self.turning(place) * (self.own_velocity(&middle, joint, &mean) - lasting);
                if let Some(launch) = &self.launched {
                    let columns = joint.jacobian(spec, start, start);
                    moved += launch.joints[place] * self.own_velocity(&columns, joint, &mean);
                }
                ledger.joints -= moved;
                *entry(&mut ledger, spec.purpose) += moved;
                if matches!(spec.purpose, Purpose::Motor | Purpose::Spring) {
                    // A force does work along the displacement of its coordinate. For springs that is the velocity at
                    // the end of the piece, not the mean; with the mean, a motor that lifts a weight ever more slowly
                    // would do too little work.
                    let total = if spec.is_given() { self.turning(place) } else { impulse };
                    let way = (joint.value(spec.measure, end) - self.values[place]) / h;
                    let beyond = total * (way - self.row_velocity(&middle, joint, |place| mean[place as usize]));
                    *entry(&mut ledger, spec.purpose) += beyond;
                    ledger.integration -= beyond;
                }
                if spec.purpose == Purpose::Armature {
                    // The energy of a rotor follows from its speed alone.
                    let after = self.row_velocity(&columns, joint, |place| ends[place as usize]);
                    let speed = 0.5 * (after - self.posed[place].bias);
                    let beyond = impulse * (speed - velocity);
                    *entry(&mut ledger, spec.purpose) += beyond;
                    ledger.integration -= beyond;
                }
                carried |= spec.purpose != Purpose::Friction && impulse != 0.0;
            }
        }
        // A hanging body at rest exchanges the work that its weight would do in the step. A taut rope loses a share of
        // it per step.
        let scale = (kinetic.max(before) + exchanged + pushed).max(f64::MIN_POSITIVE);
        // Work of impulses along the joint errors that rounds leave counts as zero.
        let yielded = (0..self.lambda.len()).fold(0.0, |most: f64, row| most.max(self.yielded(row, h)));
        let open =
            4.0 * (FITS + self.error.max(yielded).min(1e-8)) * self.lambda.iter().map(|r| r.abs()).sum::<f64>() / h;
        piece.rise = (kinetic - before + lifted - ledger.external - ledger.drives() - open) / scale;
        piece.loss =
            if carried { 0.0 } else { (projected - kinetic) / (kinetic + 100.0 * pushed).max(f64::MIN_POSITIVE) };
        if piece.rise.is_nan() {
            piece.rise = f64::INFINITY;
        }
        piece.ledger = ledger;
        shelves.twists.give(mean);
        shelves.twists.give(ends);
    }

    /// Adds the piece to the step.
    pub fn finish(&mut self, h: f64, piece: Piece, shelves: &mut Shelves, out: &mut IslandSolution) {
        for place in 0..self.contacts.len() {
            let gap = self.gaps[place];
            let left = gap + self.contacts[place].frame[0].dot(self.slipped(self.contacts[place], h));
            // Overlap made by a piece is corrected at the end poses. Divided by a shorter piece it would be a speed,
            // and add energy.
            self.gaps[place] = if self.pad(place).is_some() { left } else { left.max(gap.min(0.0)) };
        }
        self.pass_on_gears(h);
        for (body, (velocity, momentum)) in self.bodies.iter_mut().zip(&piece.after) {
            body.start = super::State { velocity: *velocity, momentum: *momentum, ..body.end };
            body.end = body.start;
        }
        let mut row = 0;
        for place in &piece.closed {
            let contact = self.contacts[*place];
            let count = contact.row_count();
            out.contact_impulses[*place] += contact.push_of(&piece.impulses[row..row + count]);
            row += count;
        }
        for (total, part) in out.joint_impulses.iter_mut().zip(&piece.impulses[row..]) {
            *total += part;
        }
        for (total, part) in self.motion.joint_wrench.iter_mut().zip(&piece.joint_wrench) {
            total.0 += part.0;
            total.1 += part.1;
        }
        if let Some(launch) = self.launched.take() {
            for (total, part) in out.contact_impulses.iter_mut().zip(&launch.contacts) {
                *total += *part;
            }
            for (total, part) in out.joint_impulses.iter_mut().zip(&launch.joints) {
                *total += part;
            }
            out.grade(&launch.graded);
            if launch.forced {
                // Guess of the next piece.
                self.lambda.clone_from(&launch.joints);
                self.pushes.clone_from(&launch.contacts);
            }
            launch.put_back(shelves);
        }
        self.motion.given_wrench.extend_from_slice(&piece.given_wrench);
        self.motion.ledger.add_works(&piece.ledger);
        out.grade(&piece.graded);
        add_effort(&mut out.effort, &piece.graded.effort);
        piece.put_back(shelves);
        self.time += h;
    }
}

/// The ledger entry for the work of a row.
fn entry(ledger: &mut EnergyLedger, purpose: Purpose) -> &mut f64 {
    match purpose {
        Purpose::Constraint | Purpose::Limit | Purpose::Gear => &mut ledger.joints,
        Purpose::Friction => &mut ledger.friction,
        Purpose::Motor => &mut ledger.motor,
        Purpose::Spring | Purpose::Armature => &mut ledger.spring,
    }
}

/// Adds an impulse along a joint row to the wrenches of its bodies.
fn add_wrench(joint: &JointGeometry, row: &JacobianRow, impulse: f64, piece: &mut Piece) {
    for (side, end) in [joint.a, joint.b].into_iter().enumerate() {
        let part = |from: usize| DVec3::from_slice(&row[6 * side + from..6 * side + from + 3]);
        let (linear, angular) = (impulse * part(0), impulse * part(3));
        match end {
            End::Body(place, _) => {
                piece.joint_wrench[place].0 += linear;
                piece.joint_wrench[place].1 += angular;
            }
            End::Given(rank, _) => piece.given_wrench.push((rank, linear, angular)),
            End::World(_) => {}
        }
    }
}

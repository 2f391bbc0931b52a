//! One round of the first phase: a Newton step for the motion of all bodies and the impulses of all active rows
//! together.
//!
//! With w the change of the end poses over h and K the geometric stiffness of all impulses,
//!
//! ```text
//! (2M − hK) w − J̄ᵀdλ = p,   J⁺w + C dλ = −g(X⁺)/h
//! ```
//!
//! where p is the defect of the bodies' own equations (`body`). An impulse that turns with one body and acts on another
//! makes K unsymmetric, and couples the two bodies. (Solving for each body alone, with the symmetric part of its own K,
//! contracts only by h² times torque over inertia. Links have little inertia about their own axes, so rounds with
//! servos diverged.)

use super::{IMPLICIT, Mover};
use crate::step::Twist;
use crate::step::assembly::contact_row;
use crate::step::solve::{IslandSolution, IslandSpace};
use glamx::{DMat3, DVec3};
use signorini_problem::JacobianRow;
use signorini_solvers::{TiedBodies, TiedRow};

impl Mover<'_> {
    /// Takes one Newton step, with the last matrix if `kept`. Returns false if the system is singular, or a body leaves
    /// the range of numbers.
    pub(super) fn round(&mut self, h: f64, kept: bool, space: &mut IslandSpace, out: &mut IslandSolution) -> bool {
        let mut system = std::mem::take(&mut space.tied);
        let solved = if kept {
            self.measure_system(h, &mut system);
            system.solve_again(&mut space.impulses)
        } else {
            self.pose_system(h, &mut system, &mut space.ties, &mut space.spans);
            out.effort.factorizations += 1;
            system.solve(&mut space.impulses)
        };
        self.motion.solves += 1;
        let mut found = space.impulses.iter();
        for (_, total) in self.roles.iter().zip(&mut self.lambda).filter(|(role, _)| role.is_solved()) {
            *total += found.next().copied().unwrap_or(0.0);
        }
        for (place, _) in self.normals.iter().enumerate().filter(|(_, role)| role.is_solved()) {
            self.pushes[place].impulse += found.next().copied().unwrap_or(0.0) * self.contacts[place].frame[0];
        }
        let mut lambda = std::mem::take(&mut self.lambda);
        for gear in &self.gears {
            self.add_geared(gear, found.next().copied().unwrap_or(0.0), &mut lambda);
        }
        self.lambda = lambda;
        let finite = self.shift(h, |place, _| {
            let x = system.motion(place);
            Twist { linear: DVec3::from_slice(&x[..3]), angular: DVec3::from_slice(&x[3..]) }
        });
        space.tied = system;
        solved && finite
    }

    /// Assembles the system of a round.
    fn pose_system(
        &mut self,
        h: f64,
        system: &mut TiedBodies,
        ties: &mut Vec<[Option<u32>; 2]>,
        spans: &mut Vec<[u32; 2]>,
    ) {
        ties.clear();
        ties.extend(self.joints.iter().map(Mover::joint_places));
        let held = |place: &usize| self.normals[*place].is_solved();
        for place in (0..self.contacts.len()).filter(held) {
            ties.push([self.place(self.contacts[place].a), self.place(self.contacts[place].b)]);
        }
        self.gear_spans(spans);
        system.begin(self.bodies.len(), ties, spans);
        for (place, body) in self.bodies.iter_mut().enumerate() {
            body.find_turn(h);
            let (linear, angular) = body.short_of(h);
            let stretch = self.theta.recip();
            let block = block(stretch * body.mass.mass, body.turn() * stretch);
            system.add_body(place, &block, &six(linear, angular));
        }
        let mut row = 0;
        for (tie, (joint, before, after)) in self.mean_placed_joints().enumerate() {
            let mut stiffness = joint.stiffness(before, after, &self.lambda[row..row + joint.row_count()]);
            // K belongs to the mean pose, to which the end contributes the share θ.
            stiffness.iter_mut().flatten().for_each(|k| *k *= -2.0 * self.theta * h);
            system.add_tie(tie, &stiffness);
            let (force, rate) = (joint.rows_between(before, after), joint.rows_between(after, after));
            for spec in joint.rows {
                if self.roles[row].is_solved() {
                    let force = force.row(spec);
                    let compliance = self.softness(row);
                    // Compliant rows need no filter.
                    let yields = self.theta == IMPLICIT && compliance > 0.0;
                    system.add_row(TiedRow {
                        tie,
                        force,
                        rate: rate.row(spec),
                        compliance,
                        error: self.row_error(joint, spec, row, after, h) / h,
                        scale: if yields { 0.0 } else { self.give(&ties[tie], &force) },
                    });
                }
                row += 1;
            }
        }
        for (tie, place) in (self.joints.len()..).zip((0..self.contacts.len()).filter(held)) {
            let contact = self.contacts[place];
            let columns = |share: f64| {
                let [arm_a, arm_b] = self.contact_arms(contact, share);
                contact_row(contact.frame[0], arm_a, arm_b)
            };
            let force = columns(self.theta);
            let compliance = self.contact_yield(contact);
            system.add_row(TiedRow {
                tie,
                force,
                rate: columns(1.0),
                compliance,
                error: self.contact_error(place, h) / h,
                scale: if compliance > 0.0 { 0.0 } else { self.give(&ties[tie], &force) },
            });
        }
        self.tie_gears(h, ties, system);
    }

    /// Measures the right-hand side of a round, for an existing matrix.
    fn measure_system(&self, h: f64, system: &mut TiedBodies) {
        for (place, body) in self.bodies.iter().enumerate() {
            let (linear, angular) = body.short_of(h);
            system.set_load(place, &six(linear, angular));
        }
        let (mut row, mut at) = (0, 0);
        for (joint, _, after) in self.placed_joints() {
            for spec in joint.rows {
                if self.roles[row].is_solved() {
                    system.set_error(at, self.row_error(joint, spec, row, after, h) / h);
                    at += 1;
                }
                row += 1;
            }
        }
        for (place, _) in self.normals.iter().enumerate().filter(|(_, role)| role.is_solved()) {
            system.set_error(at, self.contact_error(place, h) / h);
            at += 1;
        }
        for gear in &self.gears {
            system.set_error(at, self.gear_error(gear, h) / h);
            at += 1;
        }
    }

    /// Velocity change along a row by a unit impulse, if nothing else constrains its bodies \[1/kg\].
    pub(super) fn give(&self, tie: &[Option<u32>; 2], row: &JacobianRow) -> f64 {
        let mut give = 0.0;
        for (side, place) in tie.iter().enumerate() {
            let Some(place) = place else { continue };
            let body = &self.bodies[*place as usize];
            let (linear, angular) =
                (DVec3::from_slice(&row[6 * side..]), DVec3::from_slice(&row[6 * side + 3..6 * side + 6]));
            let local = body.end.orientation.inverse() * angular;
            give +=
                0.5 * (body.mass.inverse_mass * linear.length_squared() + local.dot(body.mass.inverse_inertia * local));
        }
        give
    }
}

fn six(linear: DVec3, angular: DVec3) -> [f64; 6] {
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}

fn block(mass: f64, rotational: DMat3) -> [[f64; 6]; 6] {
    let mut m = [[0.0; 6]; 6];
    for i in 0..3 {
        m[i][i] = mass;
        for j in 0..3 {
            m[3 + i][3 + j] = rotational.col(j)[i];
        }
    }
    m
}

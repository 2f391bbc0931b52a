//! One round: Newton's step for the motion of all bodies through the piece and the impulses of what is held, at once.
//!
//! With w the change of the end poses over h and K the geometric stiffness of all impulses,
//!
//! ```text
//! (2M − hK) w − J̄ᵀdλ = p,   J⁺w + C dλ = −g(X⁺)/h
//! ```
//!
//! where p is what the bodies are short of (`body`). Impulses that turn with one body and act on another make K unsymmetric, and
//! couple the two. To find the motion of each body alone under impulses that follow it, and the impulses by the symmetric part of its
//! own K, contracts by h² times a torque over an inertia: about their own axes links have little, and servos tore rounds apart.

use super::{IMPLICIT, Mover};
use crate::step::Twist;
use crate::step::assembly::contact_row;
use crate::step::solve::{IslandSolution, IslandSpace};
use glamx::{DMat3, DVec3};
use signorini_problem::JacobianRow;
use signorini_solvers::TiedRow;

impl Mover<'_> {
    /// Takes one Newton step; false if the system is singular, or a body leaves the range of numbers.
    pub(super) fn round(&mut self, h: f64, space: &mut IslandSpace, out: &mut IslandSolution) -> bool {
        let mut system = std::mem::take(&mut space.tied);
        space.ties.clear();
        space.ties.extend(self.joints.iter().map(Mover::joint_places));
        let held = |place: &usize| self.normals[*place].is_solved();
        for place in (0..self.contacts.len()).filter(held) {
            space.ties.push([self.place(self.contacts[place].a), self.place(self.contacts[place].b)]);
        }
        system.begin(self.bodies.len(), &space.ties);
        for (place, body) in self.bodies.iter().enumerate() {
            let (linear, angular) = body.short_of(h);
            let stretch = self.theta.recip();
            let block = block(stretch * body.mass.mass, body.momentum_of_end_turn() * stretch);
            system.add_body(place, &block, &six(linear, angular));
        }
        let mut row = 0;
        for (tie, joint) in self.joints.iter().enumerate() {
            let (before, after) = self.mean_placed(joint, h);
            let mut stiffness = joint.stiffness(&before, &after, &self.lambda[row..row + joint.row_count()]);
            // It is told of poses of which the end is half.
            stiffness.iter_mut().flatten().for_each(|k| *k *= -2.0 * self.theta * h);
            system.add_tie(tie, &stiffness);
            for spec in joint.rows {
                if self.roles[row].is_solved() {
                    let force = joint.jacobian(spec, &before, &after);
                    let compliance = self.softness(row);
                    // What yields needs no filter.
                    let yields = self.theta == IMPLICIT && compliance > 0.0;
                    system.add_row(TiedRow {
                        tie,
                        force,
                        rate: joint.jacobian(spec, &after, &after),
                        compliance,
                        error: self.row_error(joint, spec, row, &after, h) / h,
                        scale: if yields { 0.0 } else { self.give(&space.ties[tie], &force) },
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
                scale: if compliance > 0.0 { 0.0 } else { self.give(&space.ties[tie], &force) },
            });
        }
        let solved = system.solve(&mut space.impulses);
        self.motion.solves += 1;
        out.effort.factorizations += 1;
        let mut found = space.impulses.iter();
        for (_, total) in self.roles.iter().zip(&mut self.lambda).filter(|(role, _)| role.is_solved()) {
            *total += found.next().copied().unwrap_or(0.0);
        }
        for (place, _) in self.normals.iter().enumerate().filter(|(_, role)| role.is_solved()) {
            self.pushes[place].impulse += found.next().copied().unwrap_or(0.0) * self.contacts[place].frame[0];
        }
        let mut finite = true;
        for (place, body) in self.bodies.iter_mut().enumerate() {
            let x = system.motion(place);
            let change = Twist { linear: DVec3::from_slice(&x[..3]), angular: DVec3::from_slice(&x[3..]) };
            finite &= body.shift(&change, h);
        }
        space.tied = system;
        solved && finite
    }

    /// What an impulse along a row changes of its velocity, if its bodies are tied to nothing else \[1/kg\].
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

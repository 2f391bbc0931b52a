//! Gears in the two phases of a piece: one row over several joints, held like a locked coordinate.
//!
//! Along every coordinate its impulse is the factor times that of the gear: each joint has a row for it, with which loads, wrenches,
//! works and geometric stiffness are told like those of any other. Only where rows become a system are they one: here.

use super::{Mover, MovingBody};
use crate::joint::OLD_ERROR;
use crate::joint::geometry::{JointGeometry, Placed, nearest};
use crate::joint::rows::{Measure, RowSpec};
use crate::step::Twist;
use crate::step::gears::{GearedRow, SumRow};
use signorini_problem::FactoredParts;
use signorini_solvers::{TiedBodies, TiedRow};

/// A gear of the island.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingGear {
    /// Its terms among those of all gears of the island.
    first: usize,
    count: usize,
    /// What the sum of its coordinates is to be [m, rad].
    sum: f64,
}

/// A coordinate of a gear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingTerm {
    /// The joint, by its place in the island, and its row there.
    bound: GearedRow,
    /// The row among those of all joints of the island.
    row: usize,
    /// At the start of the piece, angles over whole turns [m, rad].
    value: f64,
}

impl<'a> Mover<'a> {
    /// Finds the gears of the island, in memory that is there already, and binds the impulses to start from.
    pub(super) fn find_gears(&mut self, gears: &[u32], joints: &[u32]) {
        for gear in gears {
            let first = self.gear_terms.len();
            let scene = self.scene;
            for term in scene.gears.terms(*gear as usize) {
                let Ok(joint) = joints.binary_search(&(term.joint as u32)) else { continue };
                let before: usize = self.joints[..joint].iter().map(JointGeometry::row_count).sum();
                let geometry = self.joints[joint];
                let placed = geometry.place(|end| self.start_pose(end));
                self.gear_terms.push(MovingTerm {
                    bound: GearedRow { joint, ..*term },
                    row: before + term.row,
                    value: geometry.value(geometry.rows[term.row].measure, &placed),
                });
            }
            let terms = &self.gear_terms[first..];
            let value: f64 = terms.iter().map(|term| term.bound.factor * term.value).sum();
            // What was off before the step is taken out by the correction of poses: the step holds the gear as it finds it.
            let offset = self.scene.gears.offset(*gear as usize);
            let sum = if (value - offset).abs() > OLD_ERROR { value } else { offset };
            self.gears.push(MovingGear { first, count: terms.len(), sum });
        }
        for (row, spec) in self.joints.iter().flat_map(|joint| joint.rows).enumerate() {
            if spec.is_geared() && self.gear_terms.iter().all(|term| term.row != row) {
                // Of a gear that does not act.
                self.lambda[row] = 0.0;
            }
        }
    }

    fn terms(&self, gear: &MovingGear) -> &[MovingTerm] {
        &self.gear_terms[gear.first..gear.first + gear.count]
    }

    fn joint_and_row(&self, term: &MovingTerm) -> (&JointGeometry<'a>, &RowSpec) {
        let joint = &self.joints[term.bound.joint];
        (joint, &joint.rows[term.bound.row])
    }

    /// Impulse of a gear, from those of the rows that it binds.
    pub(super) fn gear_impulse(&self, gear: &MovingGear, impulses: impl Fn(usize) -> f64) -> f64 {
        // One of the factors is one, but for the sign.
        let leading = self.terms(gear).iter().find(|term| term.bound.factor.abs() == 1.0);
        leading.map_or(0.0, |term| term.bound.factor * impulses(term.row))
    }

    /// Adds the impulse of a gear to the rows that it binds.
    pub(super) fn add_geared(&self, gear: &MovingGear, impulse: f64, impulses: &mut [f64]) {
        for term in self.terms(gear) {
            impulses[term.row] += term.bound.factor * impulse;
        }
    }

    /// Adds the impulse of a gear to what the rows that it binds aim at.
    pub(super) fn aim_gear(&self, gear: &MovingGear, impulse: f64, aims: &mut [(f64, f64)]) {
        for term in self.terms(gear) {
            aims[term.row].1 += term.bound.factor * impulse;
        }
    }

    /// The sum over the coordinates of a gear of something that their rows have.
    pub(super) fn over_gear(&self, gear: &MovingGear, of: impl Fn(usize) -> f64) -> f64 {
        self.terms(gear).iter().map(|term| term.bound.factor * of(term.row)).sum()
    }

    /// Where a coordinate is at the end of the piece [m, rad]. An angle is next to where the motion through the piece takes it: a wheel
    /// may turn far in a step.
    fn end_value(&self, term: &MovingTerm, h: f64) -> f64 {
        let (joint, spec) = self.joint_and_row(term);
        let (before, after) = (&self.starts[term.bound.joint], &self.ends[term.bound.joint]);
        let value = joint.value(spec.measure, after);
        if !matches!(spec.measure, Measure::Angle(_)) {
            return value;
        }
        let mean = |place: u32| {
            let body: &MovingBody = &self.bodies[place as usize];
            let local = body.start.orientation.inverse() * body.mean.1;
            Twist { linear: body.mean.0, angular: body.start.orientation * (body.mass.inverse_inertia * local) }
        };
        let rate = self.row_velocity(&joint.jacobian(spec, before, before), joint, mean);
        nearest(value, term.value + h * rate)
    }

    /// What a gear is off at the end poses [m, rad].
    pub(super) fn gear_error(&self, gear: &MovingGear, h: f64) -> f64 {
        let value = |term: &MovingTerm| term.bound.factor * self.end_value(term, h);
        self.terms(gear).iter().map(value).sum::<f64>() - gear.sum
    }

    /// Largest of these; infinite if one is not a number.
    pub(super) fn gear_errors(&self, h: f64) -> f64 {
        let errors = self.gears.iter().map(|gear| self.gear_error(gear, h));
        errors.fold(0.0, |worst: f64, error| if error.is_nan() { f64::INFINITY } else { worst.max(error.abs()) })
    }

    /// The end of the piece is the start of the next.
    pub(super) fn pass_on_gears(&mut self, h: f64) {
        for at in 0..self.gear_terms.len() {
            self.gear_terms[at].value = self.end_value(&self.gear_terms[at], h);
        }
    }

    /// Adds the gears to a problem, last of all, with rows between these poses of their joints, by their places, and in q what `speed` says of each
    /// of the rows and `error` of the whole.
    pub(super) fn pose_gears(
        &self,
        parts: &mut FactoredParts,
        poses: impl Fn(usize) -> (Placed, Placed),
        speed: impl Fn(&JointGeometry, &signorini_problem::JacobianRow) -> f64,
        error: impl Fn(&MovingGear) -> f64,
    ) {
        for gear in &self.gears {
            let (mut sum, mut q) = (SumRow::new(), error(gear));
            for term in self.terms(gear) {
                let (joint, spec) = self.joint_and_row(term);
                let (before, after) = poses(term.bound.joint);
                let columns = joint.jacobian(spec, &before, &after);
                sum.add(term.bound.factor, Mover::joint_places(joint), &columns);
                q += term.bound.factor * speed(joint, &columns);
            }
            sum.pose(parts, q);
        }
    }

    /// Pairs of joints, by their places, that gears tie to each other.
    pub(super) fn gear_spans(&self, out: &mut Vec<[u32; 2]>) {
        out.clear();
        for gear in &self.gears {
            let joints = || self.terms(gear).iter().map(|term| term.bound.joint as u32);
            for (at, first) in joints().enumerate() {
                out.extend(joints().skip(at + 1).filter(|other| *other != first).map(|other| [first, other]));
            }
        }
    }

    /// Adds the gears to the system of a round, last of all.
    pub(super) fn tie_gears(&self, h: f64, ties: &[[Option<u32>; 2]], system: &mut TiedBodies) {
        for gear in &self.gears {
            let part = |term: &MovingTerm| {
                let (joint, spec) = self.joint_and_row(term);
                let (before, after) = (&self.starts[term.bound.joint], &self.ends[term.bound.joint]);
                let factor = term.bound.factor;
                let force = joint.jacobian(spec, before, after).map(|x| factor * x);
                (term.bound.joint, force, joint.jacobian(spec, after, after).map(|x| factor * x))
            };
            let scale = |term: &MovingTerm| {
                let (tie, force, _) = part(term);
                self.give(&ties[tie], &force)
            };
            let scale = self.terms(gear).iter().map(scale).sum();
            for (at, term) in self.terms(gear).iter().enumerate() {
                let (tie, force, rate) = part(term);
                if at == 0 {
                    let error = self.gear_error(gear, h) / h;
                    system.add_row(TiedRow { tie, force, rate, compliance: 0.0, error, scale });
                } else {
                    system.add_part(tie, force, rate);
                }
            }
        }
    }
}

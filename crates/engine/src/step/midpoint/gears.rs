//! Gears in the two phases of a piece: each is one row over several joints, held like a locked coordinate.
//!
//! The impulse along each coordinate is the gear's impulse times the factor of the coordinate. Each joint has a row for
//! its coordinate, which loads, wrenches, works and geometric stiffness use like any other row. Only this file combines
//! these rows into one, when a system is assembled.

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
    /// Index of its first term among those of all gears of the island.
    first: usize,
    count: usize,
    /// Prescribed sum of its coordinates [m, rad].
    sum: f64,
}

/// One coordinate of a gear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingTerm {
    /// The joint, by index in the island, and its row.
    bound: GearedRow,
    /// Index of the row among those of all joints of the island.
    row: usize,
    /// Value at the start of the piece; angles count whole turns [m, rad].
    value: f64,
}

impl<'a> Mover<'a> {
    /// Finds the gears of the island and makes the guess of impulses consistent with them.
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
            // An error from before the step is removed by the correction of poses; the step holds the gear with its
            // error.
            let offset = self.scene.gears.offset(*gear as usize);
            let sum = if (value - offset).abs() > OLD_ERROR { value } else { offset };
            self.gears.push(MovingGear { first, count: terms.len(), sum });
        }
        for (row, spec) in self.joints.iter().flat_map(|joint| joint.rows).enumerate() {
            if spec.is_geared() && self.gear_terms.iter().all(|term| term.row != row) {
                // The row belongs to a gear that does not act.
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

    /// Impulse of a gear, from those of its rows.
    pub(super) fn gear_impulse(&self, gear: &MovingGear, impulses: impl Fn(usize) -> f64) -> f64 {
        // One of the factors is ±1.
        let leading = self.terms(gear).iter().find(|term| term.bound.factor.abs() == 1.0);
        leading.map_or(0.0, |term| term.bound.factor * impulses(term.row))
    }

    /// Adds the impulse of a gear to those of its rows.
    pub(super) fn add_geared(&self, gear: &MovingGear, impulse: f64, impulses: &mut [f64]) {
        for term in self.terms(gear) {
            impulses[term.row] += term.bound.factor * impulse;
        }
    }

    /// Adds the impulse of a gear to the targets of its rows.
    pub(super) fn aim_gear(&self, gear: &MovingGear, impulse: f64, aims: &mut [(f64, f64)]) {
        for term in self.terms(gear) {
            aims[term.row].1 += term.bound.factor * impulse;
        }
    }

    /// Sum over the coordinates of a gear of a value per row, weighted by the factors.
    pub(super) fn over_gear(&self, gear: &MovingGear, of: impl Fn(usize) -> f64) -> f64 {
        self.terms(gear).iter().map(|term| term.bound.factor * of(term.row)).sum()
    }

    /// Value of a coordinate at the end of the piece [m, rad]. Whole turns of an angle follow from the motion through
    /// the piece, because a wheel may turn far in a step.
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

    /// Error of a gear at the end poses [m, rad].
    pub(super) fn gear_error(&self, gear: &MovingGear, h: f64) -> f64 {
        let value = |term: &MovingTerm| term.bound.factor * self.end_value(term, h);
        self.terms(gear).iter().map(value).sum::<f64>() - gear.sum
    }

    /// Largest error of all gears; infinite if one is NaN.
    pub(super) fn gear_errors(&self, h: f64) -> f64 {
        let errors = self.gears.iter().map(|gear| self.gear_error(gear, h));
        errors.fold(0.0, |worst: f64, error| if error.is_nan() { f64::INFINITY } else { worst.max(error.abs()) })
    }

    /// Makes the end of the piece the start of the next.
    pub(super) fn pass_on_gears(&mut self, h: f64) {
        for at in 0..self.gear_terms.len() {
            self.gear_terms[at].value = self.end_value(&self.gear_terms[at], h);
        }
    }

    /// Adds the gears to a problem as its last rows, taken between the given poses of their joints. q is the sum of
    /// `speed` over the rows plus `error` of the gear.
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

    /// Pairs of joints, by index, that gears tie to each other.
    pub(super) fn gear_spans(&self, out: &mut Vec<[u32; 2]>) {
        out.clear();
        for gear in &self.gears {
            let joints = || self.terms(gear).iter().map(|term| term.bound.joint as u32);
            for (at, first) in joints().enumerate() {
                out.extend(joints().skip(at + 1).filter(|other| *other != first).map(|other| [first, other]));
            }
        }
    }

    /// Adds the gears to the system of a round as its last rows.
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

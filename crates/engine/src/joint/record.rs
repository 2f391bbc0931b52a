//! The record of a joint in a world.

use crate::joint::rows::{Measure, Purpose, RowSpec, rows_of};
use crate::joint::{Coordinate, Joint, JointEvent};
use glamx::DQuat;

/// A joint of a world.
#[derive(Clone, Debug)]
pub(crate) struct JointRecord {
    pub joint: Joint,
    /// `q_A⁻¹ q_B` when the joint was made.
    pub relative: DQuat,
    /// Its rows, which follow from the joint and the gears that it is part of.
    pub rows: Vec<RowSpec>,
    /// Impulse of the last step, row by row \[N·s, N·m·s\]: the next guess.
    pub impulse: Vec<f64>,
    /// α, β, γ after the last step, counted over whole turns [rad].
    pub angles: [f64; 3],
    /// Length of the last step \[s\]; zero before the first.
    pub step: f64,
    /// Whether it ties its bodies.
    pub enabled: bool,
    /// Whether it broke.
    pub broken: bool,
}

impl JointRecord {
    pub fn new(joint: Joint, relative: DQuat) -> JointRecord {
        let rows = rows_of(&joint);
        let impulse = vec![0.0; rows.len()];
        JointRecord { joint, relative, rows, impulse, angles: [0.0; 3], step: 0.0, enabled: true, broken: false }
    }

    /// Changes one of the six coordinates. Impulses of rows that stay are kept as guesses.
    pub fn set_coordinate(&mut self, axis: usize, coordinate: Coordinate) {
        self.joint.coordinates[axis] = coordinate;
        let mut rows = rows_of(&self.joint);
        rows.extend(self.rows.iter().filter(|row| row.is_geared()));
        let same = |old: &RowSpec, new: &RowSpec| {
            let alike = (old.measure, old.purpose, old.sign()) == (new.measure, new.purpose, new.sign());
            alike && (!new.is_geared() || old.law == new.law)
        };
        let known = |new: &RowSpec| self.rows.iter().position(|old| same(old, new)).map_or(0.0, |at| self.impulse[at]);
        self.impulse = rows.iter().map(known).collect();
        self.rows = rows;
    }

    /// Stores the impulses of a step of `dt` \[s\], and adds events for limits that begin to carry and joints that
    /// break. Returns whether anything changed.
    pub fn take_impulse(&mut self, joint: u32, impulse: &[f64], dt: f64, events: &mut Vec<JointEvent>) -> bool {
        let changed = self.impulse != impulse || self.step != dt;
        for ((spec, new), old) in self.rows.iter().zip(impulse).zip(&self.impulse) {
            if spec.purpose == Purpose::Limit && *new > 0.0 && *old == 0.0 {
                let coordinate = self.joint.free_axes().position(|axis| axis == spec.axis).unwrap_or(0) as u32;
                events.push(JointEvent::LimitHit { joint, coordinate, upper: spec.sign() < 0.0, impulse: *new });
            }
        }
        self.impulse.copy_from_slice(impulse);
        self.step = dt;
        let (force, torque) = self.constraint_forces();
        if force > self.joint.break_force || torque > self.joint.break_torque {
            events.push(JointEvent::Broken { joint, force, torque });
            (self.enabled, self.broken) = (false, true);
            self.impulse.fill(0.0);
            return true;
        }
        changed
    }

    /// Sizes of the force and the torque of the locked coordinates in the last step, of a rope its pull [N, N·m].
    fn constraint_forces(&self) -> (f64, f64) {
        let (mut linear, mut angular) = (0.0, 0.0);
        let rope = |spec: &RowSpec| spec.measure == Measure::Length && spec.purpose == Purpose::Limit;
        for (spec, impulse) in self.rows.iter().zip(&self.impulse).filter(|(spec, _)| spec.is_locked() || rope(spec)) {
            // Rows of a joint are across each other.
            match spec.measure {
                Measure::Apart(_) | Measure::Along(_) | Measure::Length => linear += impulse * impulse,
                _ => angular += impulse * impulse,
            }
        }
        (f64::sqrt(linear) / self.step, f64::sqrt(angular) / self.step)
    }
}

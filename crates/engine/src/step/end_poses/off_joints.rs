//! Finds joints that do not fit at the end poses: the difference between the error of each row and its target error.

use super::{EndSpace, joint_at};
use crate::World;
use crate::body::BodyState;
use crate::joint::MISFIT;
use crate::joint::rows::{Purpose, RowSpec};
use crate::judge::MAX_OVERLAP;
use crate::step::assembly::Scene;

/// Joint errors that are taken out after bodies were moved apart [m, rad]: half of what the certificate allows.
pub(super) const JOINT_OFF: f64 = 5e-9;

/// A joint error before the step that is larger than this is removed by a fraction per step [m, rad]. Smaller errors
/// were left by an earlier step and are removed completely; by a fraction they would last for ten more steps.
const OLD: f64 = MAX_OVERLAP;

/// Difference between the error of a row and its target [m, rad]; zero for an open limit.
fn off_by(row: &RowSpec, error: f64, target: f64) -> f64 {
    match row.purpose {
        Purpose::Constraint => (error - target).abs(),
        Purpose::Limit => target - error,
        _ => 0.0,
    }
}

impl EndSpace {
    /// Finds the joints that miss their target error, by index in the scene. The target of a joint that was assembled
    /// with a gap is a share of that gap.
    pub(super) fn off_joints(
        &mut self,
        world: &World,
        scene: &Scene,
        end: &[BodyState],
        first: bool,
        off: &mut Vec<usize>,
    ) {
        let kept = 1.0 - world.settings.joint_correction;
        off.clear();
        if first {
            self.targets.clear();
        }
        for (index, frame) in scene.joints.iter().enumerate() {
            let Some((record, joint, placed)) = joint_at(world, scene, index, |rank| end[rank]) else { continue };
            let errors = &mut self.errors;
            errors.clear();
            errors.extend(joint.errors(&placed));
            if first {
                // Errors made by the step are removed completely. An open limit may end anywhere on its open side.
                let start = |rank: usize| scene.bodies[rank].state;
                let misfits =
                    |(row, e): (&RowSpec, &f64)| e.abs() > MISFIT && !(row.purpose == Purpose::Limit && *e > 0.0);
                let old = match record.rows.iter().zip(&*errors).any(misfits) {
                    true => joint_at(world, scene, index, start),
                    false => None,
                };
                let old = |row: &RowSpec| match &old {
                    Some((_, joint, placed)) => row.error(joint.value(row.measure, placed)),
                    None => 0.0,
                };
                let target = |(row, e): (&RowSpec, &f64)| match misfits((row, e)) && old(row).abs() > OLD {
                    true => kept * e,
                    false => 0.0,
                };
                self.targets.extend(record.rows.iter().zip(&*errors).map(target));
            }
            let targets = &self.targets[frame.rows.clone()];
            let mut rows = record.rows.iter().zip(&*errors).zip(targets);
            let held = [frame.a, frame.b].into_iter().flatten().any(|rank| self.held[rank as usize]);
            if !held && rows.any(|((row, error), target)| off_by(row, *error, *target) > JOINT_OFF) {
                off.push(index);
            }
        }
    }
}

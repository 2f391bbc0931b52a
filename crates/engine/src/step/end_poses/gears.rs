//! Gears at the end poses: their errors, and the error that each should end with.

use super::off_joints::JOINT_OFF;
use super::{EndSpace, joint_at};
use crate::World;
use crate::body::BodyState;
use crate::joint::MISFIT;
use crate::joint::geometry::End;
use crate::step::Twist;
use crate::step::assembly::{Scene, row_velocity};
use crate::step::gears::{GearedRow, SumRow, counted};
use signorini_problem::FactoredParts;

impl EndSpace {
    /// Finds the gears that miss their target error. The target of a gear that was added with an error is a share of
    /// that error.
    pub(super) fn off_gears(
        &mut self,
        world: &World,
        scene: &Scene,
        end: &[BodyState],
        first: bool,
        off: &mut Vec<usize>,
    ) {
        let kept = 1.0 - world.settings.joint_correction;
        if first {
            self.gear_targets.clear();
        }
        off.clear();
        for gear in 0..scene.gears.len() {
            let error = gear_error(world, scene, gear, end);
            if first {
                let old = error.abs() > MISFIT && gear_error_before(world, scene, gear).abs() > MISFIT;
                self.gear_targets.push(if old { kept * error } else { 0.0 });
            }
            if (error - self.gear_targets[gear]).abs() > JOINT_OFF {
                off.push(gear);
            }
        }
    }

    /// Adds the gears of a group to its problem; `places` maps bodies to their place in it. Returns whether there are
    /// any.
    pub(super) fn pose_gears(
        &self,
        world: &World,
        scene: &Scene,
        end: &[BodyState],
        place: impl Fn(Option<u32>) -> Option<u32>,
        parts: &mut FactoredParts,
    ) -> bool {
        let mut any = false;
        for gear in 0..scene.gears.len() {
            let terms = scene.gears.terms(gear);
            if terms.iter().all(|term| place(mover(scene, term.joint)).is_none()) {
                continue;
            }
            any = true;
            let mut sum = SumRow::new();
            for term in terms {
                let Some((_, joint, placed)) = joint_at(world, scene, term.joint, |rank| end[rank]) else { continue };
                let columns = joint.jacobian(&joint.rows[term.row], &placed, &placed);
                let ends = [joint.a, joint.b].map(|side| match side {
                    End::Given(rank, _) => place(Some(rank)),
                    End::Body(..) | End::World(_) => None,
                });
                sum.add(term.factor, ends, &columns);
            }
            sum.pose(parts, gear_error(world, scene, gear, end) - self.gear_targets[gear]);
        }
        any
    }
}

/// Bodies that gears tie to each other, by rank.
pub(super) fn geared_pairs<'a>(scene: &'a Scene<'a>) -> impl Iterator<Item = [Option<u32>; 2]> + 'a {
    (0..scene.gears.len()).flat_map(|gear| {
        let neighbours = scene.gears.terms(gear).windows(2);
        neighbours.map(|pair| [pair[0], pair[1]].map(|term| mover(scene, term.joint)))
    })
}

/// Rank of the first body of a gear that can move.
pub(super) fn first_mover(scene: &Scene, gear: usize) -> Option<u32> {
    scene.gears.terms(gear).iter().find_map(|term| mover(scene, term.joint))
}

/// Rank of the body of a joint that can move.
fn mover(scene: &Scene, joint: usize) -> Option<u32> {
    let joint = &scene.joints[joint];
    [joint.b, joint.a].into_iter().flatten().find(|rank| scene.bodies[*rank as usize].is_dynamic())
}

/// Error of a gear at the end poses [m, rad].
fn gear_error(world: &World, scene: &Scene, gear: usize, end: &[BodyState]) -> f64 {
    let value = |term: &GearedRow| {
        let (_, joint, after) = joint_at(world, scene, term.joint, |rank| end[rank])?;
        let (_, _, before) = joint_at(world, scene, term.joint, |rank| scene.bodies[rank].state)?;
        let spec = &joint.rows[term.row];
        let twist = |side: End| match side {
            End::Given(rank, _) => {
                let BodyState { velocity, angular_velocity, .. } = end[rank as usize];
                Some(Twist { linear: velocity, angular: angular_velocity })
            }
            _ => None,
        };
        let columns = joint.jacobian(spec, &after, &after);
        let rate = row_velocity(&columns, twist(joint.a).as_ref(), twist(joint.b).as_ref());
        Some(term.factor * counted(&joint, spec.measure, &before, &after, scene.dt * rate))
    };
    scene.gears.terms(gear).iter().filter_map(value).sum::<f64>() - scene.gears.offset(gear)
}

/// Error of a gear at the start of the step [m, rad].
fn gear_error_before(world: &World, scene: &Scene, gear: usize) -> f64 {
    let value = |term: &GearedRow| {
        let (_, joint, placed) = joint_at(world, scene, term.joint, |rank| scene.bodies[rank].state)?;
        Some(term.factor * joint.value(joint.rows[term.row].measure, &placed))
    };
    scene.gears.terms(gear).iter().filter_map(value).sum::<f64>() - scene.gears.offset(gear)
}

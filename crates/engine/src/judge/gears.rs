//! Gears at the end poses: the error of the sum of joint coordinates, computed from the definition of the gear.

use super::joints::{Frames, coordinate, frames_of};
use super::{Evidence, JOINT_BOUND, Part};
use crate::joint::JointKind;
use glamx::DVec3;

pub(super) fn grade(evidence: &Evidence, ranks: &[u32], gap: &mut Part, turn: &mut Part) {
    for record in evidence.gear_order.iter().filter_map(|slot| evidence.gears.at(*slot)) {
        let gear = &record.gear;
        let (mut sum, mut largest, mut engaged) = (-gear.offset, 0.0, true);
        let (mut slides, mut place) = (false, None);
        for term in &gear.terms {
            let joint = evidence.joints.at(term.joint.0.slot).filter(|record| record.enabled);
            let found = joint.and_then(|record| Some((record, frames_of(evidence, ranks, record)?)));
            let Some((joint, (frames, bodies))) = found else {
                engaged = false;
                continue;
            };
            let Some(axis) = joint.joint.free_axes().nth(term.coordinate) else { continue };
            let length = matches!(joint.joint.kind, JointKind::Rope { .. });
            let value = match axis {
                _ if length => frames.apart.length(),
                0..3 => frames.a.col(axis).dot(frames.apart),
                _ => angle(evidence, joint, &frames, axis - 3, bodies),
            };
            sum += term.factor * value;
            if term.factor.abs() > largest {
                (largest, slides) = (term.factor.abs(), length || axis < 3);
                let index = evidence.joint_order.iter().position(|slot| *slot == term.joint.0.slot);
                place = Some(super::Place { bodies, joint: index.map(|index| index as u32) });
            }
        }
        if engaged && let Some(place) = place {
            let part = if slides { &mut *gap } else { &mut *turn };
            part.worst((sum / largest).abs(), JOINT_BOUND, place);
        }
    }
}

/// An angle of a joint, with the whole turns that bring it nearest to its value before the step plus the rotation in
/// the step [rad].
fn angle(
    evidence: &Evidence,
    record: &crate::joint::JointRecord,
    frames: &Frames,
    axis: usize,
    bodies: [Option<u32>; 2],
) -> f64 {
    let angular_velocity = |rank: Option<u32>| {
        let state = rank.and_then(|rank| evidence.end.get(rank as usize));
        state.map_or(DVec3::ZERO, |state| state.angular_velocity)
    };
    let alone = record.joint.free_axes().filter(|axis| *axis >= 3).count() == 1;
    let rate =
        if alone { frames.a.col(axis).dot(angular_velocity(bodies[0]) - angular_velocity(bodies[1])) } else { 0.0 };
    let near = record.angles[axis] + evidence.dt * rate;
    let angle = coordinate(&record.joint, frames, axis);
    let whole = std::f64::consts::TAU;
    angle + whole * ((near - angle) / whole).round()
}

//! Joints at the end poses: where anchors are and how bodies are turned, from the definitions of the joints.

use super::{Evidence, JOINT_BOUND, Part, Place};
use crate::joint::{Anchor, JointKind};
use glamx::{DMat3, DQuat, DVec3};

pub(super) fn grade(evidence: &Evidence, gap: &mut Part, turn: &mut Part) {
    gap.bound = JOINT_BOUND;
    turn.bound = JOINT_BOUND;
    if evidence.joint_order.is_empty() {
        return;
    }
    let rank_of = |slot: u32| evidence.order.iter().position(|s| *s == slot);
    for (index, slot) in evidence.joint_order.iter().enumerate() {
        let Some(record) = evidence.joints.at(*slot) else { continue };
        let end = |anchor: Anchor| match anchor {
            Anchor::World(point) => Some((None, point, DQuat::IDENTITY)),
            Anchor::Body(handle, point) => {
                let rank = rank_of(handle.0.slot)?;
                let (body, state) = (evidence.record(rank)?, evidence.end.get(rank)?);
                let at = state.position + DMat3::from_quat(state.orientation) * (point - body.mass.centre);
                Some((Some(rank as u32), at, state.orientation))
            }
        };
        let (handle, point) = record.joint.a;
        let (Some(a), Some(b)) = (end(Anchor::Body(handle, point)), end(record.joint.b)) else { continue };
        let place = Place { bodies: [a.0, b.0], joint: Some(index as u32) };
        let apart: DVec3 = b.1 - a.1;
        let wide = match record.joint.kind {
            JointKind::Distance { length } => (apart.length() - length).abs(),
            JointKind::Ball | JointKind::Fixed => apart.length(),
        };
        gap.worst(wide, JOINT_BOUND, place);
        if record.joint.kind == JointKind::Fixed {
            let off = (a.2 * record.relative).inverse() * b.2;
            let sine = DVec3::new(off.x, off.y, off.z).length();
            turn.worst(2.0 * sine.atan2(off.w.abs()), JOINT_BOUND, place);
        }
    }
}

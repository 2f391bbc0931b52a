//! Joints at the end poses: position and rotation errors, computed from the definitions of the joints.

use super::{Evidence, JOINT_BOUND, Part, Place};
use crate::joint::{Anchor, Joint, JointKind, JointRecord};
use glamx::{DMat3, DQuat, DVec3};
use signorini_problem::math;

/// The frame of a joint's body relative to that of the other end.
pub(super) struct Frames {
    /// From the anchor of the other end to that of the body \[m\].
    pub apart: DVec3,
    /// Axes of the other end, as columns.
    pub a: DMat3,
    /// Axes of the body, as columns.
    pub b: DMat3,
}

/// Fills in the rank of each body by its slot.
pub(super) fn find_ranks(evidence: &Evidence, ranks: &mut Vec<u32>) {
    ranks.clear();
    for (rank, slot) in evidence.order.iter().map(|slot| *slot as usize).enumerate() {
        ranks.resize(ranks.len().max(slot + 1), u32::MAX);
        ranks[slot] = rank as u32;
    }
}

pub(super) fn grade(evidence: &Evidence, ranks: &[u32], gap: &mut Part, turn: &mut Part) {
    gap.bound = JOINT_BOUND;
    turn.bound = JOINT_BOUND;
    for (index, slot) in evidence.joint_order.iter().enumerate() {
        let Some(record) = evidence.joints.at(*slot).filter(|record| record.enabled) else { continue };
        let Some((frames, bodies)) = frames_of(evidence, ranks, record) else { continue };
        let place = Place { bodies, joint: Some(index as u32) };
        let (wide, turned) = off(&record.joint, &frames, &record.angles);
        gap.worst(wide, JOINT_BOUND, place);
        turn.worst(turned, JOINT_BOUND, place);
    }
}

/// The frames of a joint at the end poses, and the ranks of its body and of the other end.
pub(super) fn frames_of(
    evidence: &Evidence,
    ranks: &[u32],
    record: &JointRecord,
) -> Option<(Frames, [Option<u32>; 2])> {
    let joint = &record.joint;
    let end = |anchor: Anchor, axes: DQuat| match anchor {
        Anchor::World(frame) => Some((None, frame.point, DMat3::from_quat(axes))),
        Anchor::Body(handle, frame) => {
            let rank = *ranks.get(handle.0.slot as usize)?;
            let (body, state) = (evidence.record(rank as usize)?, evidence.end.get(rank as usize)?);
            let turned = DMat3::from_quat(state.orientation);
            let at = state.position + turned * (frame.point - body.mass.centre);
            Some((Some(rank), at, turned * DMat3::from_quat(axes)))
        }
    };
    let (handle, frame) = joint.a;
    let base = joint.b.frame();
    // A fixed joint holds the orientation that it found, whatever its frames.
    let axes = match joint.kind {
        JointKind::Fixed => record.relative * base.axes,
        _ => frame.axes,
    };
    let ends = end(Anchor::Body(handle, frame), axes).zip(end(joint.b, base.axes));
    let (body, other) = ends?;
    Some((Frames { apart: body.1 - other.1, a: other.2, b: body.2 }, [body.0, other.0]))
}

/// Errors of a joint, its limits included [m, rad].
fn off(joint: &Joint, frames: &Frames, near: &[f64; 3]) -> (f64, f64) {
    let Frames { apart, a, b } = frames;
    match joint.kind {
        JointKind::Distance { length } => return ((apart.length() - length).abs(), 0.0),
        JointKind::Rope { length } => {
            let beyond = joint.coordinates[0].limits.map_or(0.0, |limits| outside(apart.length(), limits));
            return ((apart.length() - length).max(beyond).max(0.0), 0.0);
        }
        _ => {}
    }
    let mut is_free = [false; 6];
    joint.free_axes().for_each(|axis| is_free[axis] = true);
    let free = |axis: usize| is_free[axis];
    let within = a.transpose() * *apart;
    let (mut gap, mut turn) = (0.0_f64, 0.0_f64);
    for axis in 0..3 {
        match (free(axis), joint.coordinates[axis].limits) {
            (false, _) => gap = math::hypot(gap, within[axis]),
            (true, Some(limits)) => gap = gap.max(outside(within[axis], limits)),
            (true, None) => {}
        }
    }
    // Entries of R_A⁻¹R_B = R_x(α)R_y(β)R_z(γ).
    let r = a.transpose() * *b;
    let count = (3..6).filter(|axis| free(*axis)).count();
    match count {
        0 => turn = turned(&r),
        // The angle between the axes about which the bodies turn.
        1 => {
            let hinge = (0..3).find(|axis| free(axis + 3)).unwrap_or(2);
            let (first, second) = (a.col(hinge), b.col(hinge));
            turn = math::atan2(first.cross(second).length(), first.dot(second));
        }
        2 => turn = (0..3).filter(|axis| !free(axis + 3)).map(|axis| math::asin(locked_sine(&r, axis)).abs()).sum(),
        _ => {}
    }
    for axis in (0..3).filter(|axis| free(axis + 3)) {
        if let Some(limits) = joint.coordinates[axis + 3].limits {
            let whole = std::f64::consts::TAU;
            let angle = coordinate(joint, frames, axis);
            let angle = angle + whole * ((near[axis] - angle) / whole).round();
            turn = turn.max(outside(angle, limits));
        }
    }
    (gap, turn)
}

/// A free angle of a joint, α, β or γ, or swing, turn or twist, within a turn [rad].
pub(super) fn coordinate(joint: &Joint, frames: &Frames, axis: usize) -> f64 {
    let r = frames.a.transpose() * frames.b;
    let free = |axis: usize| joint.free_axes().any(|free| free == axis);
    if joint.kind == JointKind::SwingTwist {
        return match axis {
            0 => math::atan2(math::hypot(r.z_axis.x, r.z_axis.y), r.z_axis.z),
            1 => turned(&r),
            // Of R = S R_z(τ), S about an axis across z: sin τ and cos τ, each times 1 + cos σ.
            _ => math::atan2(r.x_axis.y - r.y_axis.x, r.x_axis.x + r.y_axis.y),
        };
    }
    let count = (3..6).filter(|axis| free(*axis)).count();
    let locked = (0..3).find(|axis| !free(axis + 3));
    // Entries that do not vanish together at any angle; of three free ones there are none at β = 90°.
    match (count, locked, axis) {
        (1, _, 0) => math::atan2(r.y_axis.z, r.y_axis.y),
        (1, _, 1) => math::atan2(r.z_axis.x, r.z_axis.z),
        (1, _, _) => math::atan2(r.x_axis.y, r.x_axis.x),
        // R_y(β)R_z(γ)
        (2, Some(0), 1) => math::atan2(r.z_axis.x, r.z_axis.z),
        (2, Some(0), _) => math::atan2(r.x_axis.y, r.y_axis.y),
        // R_x(α)R_y(β)
        (2, Some(2), 0) => math::atan2(r.y_axis.z, r.y_axis.y),
        (2, Some(2), _) => math::atan2(r.z_axis.x, r.x_axis.x),
        (_, _, 0) => math::atan2(-r.z_axis.y, r.z_axis.z),
        (_, _, 1) => math::asin(r.z_axis.x.clamp(-1.0, 1.0)),
        _ => math::atan2(-r.y_axis.x, r.x_axis.x),
    }
}

/// Angle of a rotation [rad]: its sine is in what is not symmetric, its cosine in the trace.
fn turned(r: &DMat3) -> f64 {
    let skew = DVec3::new(r.y_axis.z - r.z_axis.y, r.z_axis.x - r.x_axis.z, r.x_axis.y - r.y_axis.x);
    math::atan2(0.5 * skew.length(), 0.5 * (r.x_axis.x + r.y_axis.y + r.z_axis.z - 1.0))
}

/// Sine of the one locked angle.
fn locked_sine(r: &DMat3, axis: usize) -> f64 {
    let sine = match axis {
        0 => -r.z_axis.y,
        1 => r.z_axis.x,
        _ => -r.y_axis.x,
    };
    sine.clamp(-1.0, 1.0)
}

/// Distance of a value from its limits; zero inside.
fn outside(value: f64, [lo, hi]: [f64; 2]) -> f64 {
    (lo - value).max(value - hi).max(0.0)
}

//! Joints in a snapshot: what the user said, what they hold, and the impulses of the last step.

use super::bytes::{Payload, Section};
use super::contacts::MAX_IMPULSE;
use super::scene::decode_handle;
use crate::SnapshotError;
use crate::body::BodyRecord;
use crate::ids::Arena;
use crate::joint::{Anchor, Coordinate, Frame, Joint, JointKind, JointRecord, Misfit, Motor, PairContact, Spring};
use glamx::DVec3;

/// Least size of a joint of any version.
pub(super) const JOINT_SIZE: usize = 1 + 8 + 4 + 24 + 1 + 24 + 1 + 32 + 48;
/// The version from which joints have frames and coordinates.
const WITH_COORDINATES: u32 = 4;

pub(super) fn encode_joint(record: &JointRecord, out: &mut Payload) {
    // Every field by name: whoever adds one has to write it. Rows follow from the joint; those of gears are with the gears.
    let JointRecord { joint, relative, rows, impulse, angles, step, enabled, broken } = record;
    let own = rows.iter().filter(|row| !row.is_geared()).count();
    let length = joint.kind.length().unwrap_or(0.0);
    let tag = JointKind::all(length).iter().position(|kind| kind.name() == joint.kind.name());
    out.u8(tag.unwrap_or(usize::from(u8::MAX)) as u8);
    out.f64(length);
    out.u32(joint.a.0.0.slot);
    encode_frame(&joint.a.1, out);
    match joint.b {
        Anchor::World(_) => out.u8(0),
        Anchor::Body(handle, _) => {
            out.u8(1);
            out.u32(handle.0.slot);
        }
    }
    encode_frame(&joint.b.frame(), out);
    out.u8(match joint.contact {
        PairContact::Ignored => 0,
        PairContact::Kept => 1,
    });
    out.u8(match joint.misfit {
        Misfit::Refused => 0,
        Misfit::Corrected => 1,
    });
    out.f64(joint.break_force);
    out.f64(joint.break_torque);
    joint.coordinates.iter().for_each(|coordinate| encode_coordinate(coordinate, out));
    out.quaternion(*relative);
    angles.iter().for_each(|angle| out.f64(*angle));
    out.f64(*step);
    out.u8(u8::from(*enabled));
    out.u8(u8::from(*broken));
    out.count(own);
    impulse[..own].iter().for_each(|x| out.f64(*x));
}

fn encode_frame(frame: &Frame, out: &mut Payload) {
    out.vector(frame.point);
    out.quaternion(frame.axes);
}

fn encode_coordinate(coordinate: &Coordinate, out: &mut Payload) {
    let Coordinate { locked, limits, friction, motor, spring, damping, armature, force } = coordinate;
    out.u8(u8::from(*locked));
    let (kind, numbers) = match *motor {
        None => (0, [0.0; 5]),
        Some(Motor::Velocity { target, max_force }) => (1, [target, max_force, 0.0, 0.0, 0.0]),
        Some(Motor::Servo { stiffness, damping, target, velocity, max_force }) => {
            (2, [target, max_force, stiffness, damping, velocity])
        }
    };
    out.u8(kind);
    numbers.into_iter().for_each(|x| out.f64(x));
    out.u8(u8::from(spring.is_some()));
    let Spring { stiffness, damping: own, rest } = spring.unwrap_or_default();
    [stiffness, own, rest, *friction, *damping, *armature, *force].into_iter().for_each(|x| out.f64(x));
    out.u8(u8::from(limits.is_some()));
    limits.unwrap_or_default().into_iter().for_each(|x| out.f64(x));
}

fn decode_coordinate(section: &mut Section) -> Result<Coordinate, SnapshotError> {
    let locked = section.u8()? != 0;
    let kind = section.u8()?;
    let [target, max_force, stiffness, damping, velocity] = section.numbers()?;
    let motor = match kind {
        0 => None,
        1 => Some(Motor::Velocity { target, max_force }),
        2 => Some(Motor::Servo { stiffness, damping, target, velocity, max_force }),
        _ => return Err(section.invalid("unknown motor")),
    };
    let springs = section.u8()? != 0;
    let [stiffness, own, rest, friction, damping, armature, force] = section.numbers()?;
    let spring = springs.then_some(Spring { stiffness, damping: own, rest });
    let limited = section.u8()? != 0;
    let limits = section.numbers()?;
    let limits = limited.then_some(limits);
    Ok(Coordinate { locked, limits, friction, motor, spring, damping, armature, force })
}

fn decode_kind(section: &mut Section) -> Result<JointKind, SnapshotError> {
    let (tag, length) = (section.u8()?, section.finite()?);
    JointKind::all(length).get(usize::from(tag)).copied().ok_or_else(|| section.invalid("unknown kind of joint"))
}

pub(super) fn decode_joint(
    version: u32,
    section: &mut Section,
    bodies: &Arena<BodyRecord>,
) -> Result<JointRecord, SnapshotError> {
    let (kind, body) = (decode_kind(section)?, decode_handle(section, bodies)?);
    let frame = |section: &mut Section| -> Result<Frame, SnapshotError> {
        let point: DVec3 = section.vector()?;
        Ok(if version < WITH_COORDINATES { point.into() } else { Frame { point, axes: section.quaternion()? } })
    };
    let at = frame(section)?;
    let other = match section.u8()? {
        0 => Anchor::World(frame(section)?),
        1 => Anchor::Body(decode_handle(section, bodies)?, frame(section)?),
        _ => return Err(section.invalid("unknown anchor")),
    };
    let mut joint = Joint::of(kind, body, at, other);
    joint.contact = match section.u8()? {
        0 => PairContact::Ignored,
        1 => PairContact::Kept,
        _ => return Err(section.invalid("neither contact nor none")),
    };
    let record = if version < WITH_COORDINATES {
        joint.misfit = Misfit::Corrected;
        let mut record = JointRecord::new(joint, section.quaternion()?);
        for place in 0..6 {
            let impulse = section.within(MAX_IMPULSE, "impulse beyond 1e30 N·s")?;
            if let Some(own) = record.impulse.get_mut(place) {
                // Gaps were measured from the body to the other end.
                *own = if kind.length().is_some() { impulse } else { -impulse };
            }
        }
        record
    } else {
        joint.misfit = if section.u8()? == 0 { Misfit::Refused } else { Misfit::Corrected };
        [joint.break_force, joint.break_torque] = section.numbers()?;
        for coordinate in &mut joint.coordinates {
            *coordinate = decode_coordinate(section)?;
        }
        let mut record = JointRecord::new(joint, section.quaternion()?);
        for angle in &mut record.angles {
            *angle = section.finite()?;
        }
        record.step = section.finite()?;
        record.enabled = section.u8()? != 0;
        record.broken = section.u8()? != 0;
        if section.count(8)? != record.impulse.len() {
            return Err(section.invalid("impulses of other rows than the joint has"));
        }
        for impulse in &mut record.impulse {
            *impulse = section.within(MAX_IMPULSE, "impulse beyond 1e30 N·s")?;
        }
        record
    };
    record.joint.check()?;
    // Ends that were dynamic when the joint was added may be fixed or driven by now.
    match record.joint.b {
        Anchor::Body(other, _) if other == body => Err(section.invalid("joint of a body with itself")),
        _ => Ok(record),
    }
}

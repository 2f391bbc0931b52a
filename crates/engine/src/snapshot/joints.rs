//! Joints in a snapshot: what the user said, what they hold, and the impulses of the last step.

use super::bytes::{Payload, Read, Section, Stored};
use super::values::{any, impulse};
use crate::BodyHandle;
use crate::joint::{Anchor, Frame, Joint, JointKind, JointRecord};
use glamx::DQuat;

/// The place among all kinds, and the length of those that have one.
impl Stored for JointKind {
    fn write(&self, out: &mut Payload) {
        let length = self.length().unwrap_or(0.0);
        let place = JointKind::all(length).iter().position(|kind| kind.name() == self.name());
        (place.unwrap_or(usize::MAX), length).write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let (place, length) = <(usize, f64)>::read(section)?;
        JointKind::all(length).get(place).copied().ok_or_else(|| section.invalid("unknown kind of joint"))
    }
}

/// The body, if it is one, and the frame.
impl Stored for Anchor {
    fn write(&self, out: &mut Payload) {
        let body = if let Anchor::Body(handle, _) = self { Some(*handle) } else { None };
        (body, self.frame()).write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let (body, frame) = <(Option<BodyHandle>, Frame)>::read(section)?;
        Ok(body.map_or(Anchor::World(frame), |body| Anchor::Body(body, frame)))
    }
}

impl Stored for Joint {
    fn write(&self, out: &mut Payload) {
        (self.kind, self.a, self.b).write(out);
        (self.coordinates, self.contact, self.misfit).write(out);
        (self.break_force, self.break_torque).write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let (kind, (body, at), other) = <(JointKind, (BodyHandle, Frame), Anchor)>::read(section)?;
        let mut joint = Joint::of(kind, body, at, other);
        (joint.coordinates, joint.contact, joint.misfit) = Stored::read(section)?;
        (joint.break_force, joint.break_torque) = (any::read(section)?, any::read(section)?);
        joint.check()?;
        // Ends that were dynamic when the joint was added may be fixed or driven by now.
        match joint.b {
            Anchor::Body(other, _) if other == body => Err(section.invalid("joint of a body with itself")),
            _ => Ok(joint),
        }
    }
}

impl Stored for JointRecord {
    fn write(&self, out: &mut Payload) {
        // Every field by name: whoever adds one has to write it. Rows follow from the joint; those of gears are with the gears.
        let JointRecord { joint, relative, rows, impulse, angles, step, enabled, broken } = self;
        let own = rows.iter().filter(|row| !row.is_geared()).count();
        joint.write(out);
        (*relative, *angles, *step).write(out);
        (*enabled, *broken).write(out);
        impulse[..own].to_vec().write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let mut record = JointRecord::new(Joint::read(section)?, DQuat::read(section)?);
        (record.angles, record.step) = Stored::read(section)?;
        (record.enabled, record.broken) = Stored::read(section)?;
        let impulses = Vec::<f64>::read(section)?;
        impulse::check(section, &impulses)?;
        if impulses.len() != record.impulse.len() {
            return Err(section.invalid("impulses of other rows than the joint has"));
        }
        record.impulse = impulses;
        Ok(record)
    }
}

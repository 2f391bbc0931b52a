//! Gears in a snapshot: what the user said, and the impulse of the last step.

use super::bytes::{Payload, Section};
use super::contacts::MAX_IMPULSE;
use crate::ids::Arena;
use crate::joint::rows::{Purpose, RowLaw};
use crate::joint::{Gear, GearRecord, JointRecord, Misfit};
use crate::{JointHandle, SnapshotError, World};

/// The first version with gears.
pub(super) const GEARS_SINCE: u32 = 7;
/// Least size of a gear.
pub(super) const GEAR_SIZE: usize = 1 + 8 + 8 + 8 + 4 + 4 + 8;

/// A gear as bytes have it: joints are told by their slots.
#[derive(Clone, Debug)]
pub(super) struct Saved {
    gear: Gear,
    impulse: f64,
}

pub(super) fn encode_gear(world: &World, record: &GearRecord, out: &mut Payload) {
    // Every field by name: whoever adds one has to write it. The other fields of the record follow from the gear.
    let GearRecord { gear: Gear { terms, offset, misfit }, .. } = record;
    out.u8(match misfit {
        Misfit::Refused => 0,
        Misfit::Corrected => 1,
    });
    out.f64(*offset);
    out.f64(impulse_of(world, record));
    out.count(terms.len());
    for term in terms {
        out.u32(term.joint.0.slot);
        out.u32(term.coordinate as u32);
        out.f64(term.factor);
    }
}

/// The impulse s of the last step: that of the coordinate whose factor is one, but for the sign.
fn impulse_of(world: &World, record: &GearRecord) -> f64 {
    let Some(term) = record.leading() else { return 0.0 };
    let Some(joint) = world.joints.at(term.slot) else { return 0.0 };
    let same = |law: RowLaw| {
        let RowLaw::Geared { gear, factor } = law else { return false };
        factor == term.factor && world.gears.at(gear).is_some_and(|other| std::ptr::eq(other, record))
    };
    let of_term = |row: &crate::joint::rows::RowSpec| row.axis == term.axis && same(row.law);
    joint.rows.iter().position(of_term).map_or(0.0, |at| joint.impulse[at] * term.factor)
}

pub(super) fn decode_gear(section: &mut Section, joints: &Arena<JointRecord>) -> Result<Saved, SnapshotError> {
    let misfit = match section.u8()? {
        0 => Misfit::Refused,
        1 => Misfit::Corrected,
        _ => return Err(section.invalid("neither refused nor corrected")),
    };
    let offset = section.finite()?;
    let impulse = section.within(MAX_IMPULSE, "impulse beyond 1e30 N·s")?;
    let count = section.count(16)?;
    let mut terms = Vec::new();
    for _ in 0..count {
        let (slot, coordinate, factor) = (section.u32()?, section.u32()? as usize, section.finite()?);
        if joints.at(slot).is_none() {
            return Err(section.invalid("gear of a joint that is not there"));
        }
        terms.push((JointHandle(joints.key(slot)), coordinate, factor));
    }
    let gear = Gear::sum(terms).offset(offset).misfit(misfit);
    gear.check()?;
    Ok(Saved { gear, impulse })
}

/// Gives a world its gears; false if they are not of its joints, or not listed once.
pub(super) fn take_up(world: &mut World, saved: &Arena<Saved>) -> bool {
    let mut parts = Vec::with_capacity(saved.parts().len());
    for (generation, gear) in saved.parts() {
        let record = match gear.map(|saved| world.gear_of(saved.gear.clone())) {
            None => None,
            Some(Ok(record)) => Some(record),
            Some(Err(_)) => return false,
        };
        parts.push((generation, record));
    }
    let Some(gears) = Arena::from_parts(parts, saved.free().to_vec()) else { return false };
    world.gears = gears;
    if !world.gears_in_order() {
        return false;
    }
    world.bind_gears(&world.joint_order.clone());
    for slot in &world.joint_order {
        let Some(joint) = world.joints.at_mut(*slot) else { continue };
        for (row, impulse) in joint.rows.iter().zip(&mut joint.impulse).filter(|(row, _)| row.purpose == Purpose::Gear)
        {
            if let RowLaw::Geared { gear, factor } = row.law {
                *impulse = saved.at(gear).map_or(0.0, |saved| factor * saved.impulse);
            }
        }
    }
    true
}

//! Gears in a snapshot: what the user said, and the impulse of the last step.

use super::bytes::{Payload, Read, Section, Stored, stored};
use super::values::impulse;
use crate::ids::Arena;
use crate::joint::rows::{Purpose, RowLaw};
use crate::joint::{Gear, GearRecord, GearTerm};
use crate::{JointHandle, World};

/// A gear as bytes have it. The other fields of its record follow from the gear.
#[derive(Clone, Debug)]
pub(super) struct SavedGear {
    gear: Gear,
    impulse: f64,
}

/// A joint, by its slot.
impl Stored for JointHandle {
    fn write(&self, out: &mut Payload) {
        self.0.slot.write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let slot = u32::read(section)?;
        let joints = section.known.joints.filter(|joints| joints.at(slot).is_some());
        joints.map(|joints| JointHandle(joints.key(slot))).ok_or_else(|| section.invalid("there is no such joint"))
    }
}

stored!(GearTerm { joint, coordinate, factor });
stored!(Gear { terms, offset, misfit });

impl Stored for SavedGear {
    fn write(&self, out: &mut Payload) {
        self.gear.write(out);
        self.impulse.write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let (gear, s) = <(Gear, f64)>::read(section)?;
        gear.check()?;
        impulse::check(section, &[s])?;
        Ok(SavedGear { gear, impulse: s })
    }
}

/// The gears of a world, as an arena is written.
pub(super) fn saved(world: &World) -> (Vec<(u32, Option<SavedGear>)>, Vec<u32>) {
    let saved = |record: &GearRecord| SavedGear { gear: record.gear.clone(), impulse: impulse_of(world, record) };
    let parts = world.gears.parts().map(|(generation, record)| (generation, record.map(saved)));
    (parts.collect(), world.gears.free().to_vec())
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

/// Gives a world its gears; false if they are not of its joints, or not listed once.
pub(super) fn take_up(world: &mut World, saved: &Arena<SavedGear>) -> bool {
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

//! Gears of a world: adding, reading, removing.

use crate::joint::gear::{GearRecord, Geared};
use crate::joint::rows::Purpose;
use crate::joint::{Gear, MISFIT, Misfit};
use crate::world::unreachable;
use crate::{BodyHandle, GearHandle, JointHandle, World, WorldError};

impl World {
    /// Adds a gear. If its coordinates do not fit it is refused, unless its [`Misfit`] says otherwise. It acts while
    /// all of its joints are enabled, and is removed with the first of them that is removed.
    pub fn add_gear(&mut self, gear: Gear) -> Result<GearHandle, WorldError> {
        gear.check()?;
        let record = self.gear_of(gear)?;
        let off = self.gear_off(&record);
        if record.gear.misfit == Misfit::Refused && (off.abs() > MISFIT || off.is_nan()) {
            return Err(WorldError::GearMisfit { off, limit: MISFIT });
        }
        let key = self.gears.insert(record);
        let rank = |world: &World, slot: u32| -> Vec<(usize, usize)> {
            let terms = world.gears.at(slot).map_or(&[][..], |record| &record.terms);
            terms.iter().map(|term| (world.joint_place(term.slot), term.axis)).collect()
        };
        let own = rank(self, key.slot);
        let at = self.gear_order.partition_point(|slot| rank(self, *slot) <= own);
        self.gear_order.insert(at, key.slot);
        self.bind_gears(&self.geared_joints(key.slot));
        self.disturb_gear(key.slot);
        Ok(GearHandle(key))
    }

    /// Finds the coordinates of a gear.
    pub(crate) fn gear_of(&self, gear: Gear) -> Result<GearRecord, WorldError> {
        let largest = gear.terms.iter().fold(0.0, |most: f64, term| most.max(term.factor.abs()));
        let mut terms = Vec::with_capacity(gear.terms.len());
        for (index, term) in gear.terms.iter().enumerate() {
            let record = self.joint_record(term.joint)?;
            let found = record.joint.free_axes().zip(World::measures(record)).nth(term.coordinate);
            let (axis, measure) = found.ok_or(WorldError::GearTerm { index, why: "there is no such coordinate" })?;
            terms.push(Geared { slot: term.joint.0.slot, axis, measure, factor: term.factor / largest });
        }
        terms.sort_by_key(|term| (self.joint_place(term.slot), term.axis));
        Ok(GearRecord { offset: gear.offset / largest, gear, terms })
    }

    /// Place of a joint among all.
    fn joint_place(&self, slot: u32) -> usize {
        self.joint_order.iter().position(|other| *other == slot).unwrap_or(usize::MAX)
    }

    /// Error of a gear at the current poses [m, rad].
    pub(crate) fn gear_off(&self, record: &GearRecord) -> f64 {
        let value = |term: &Geared| {
            let Some(joint) = self.joints.at(term.slot) else { return 0.0 };
            let (geometry, placed) = self.placed(joint);
            term.factor * geometry.value(term.measure, &placed)
        };
        record.terms.iter().map(value).sum::<f64>() - record.offset
    }

    /// Joints of a gear, by slot.
    fn geared_joints(&self, gear: u32) -> Vec<u32> {
        self.gears.at(gear).map_or(Vec::new(), |record| record.terms.iter().map(|term| term.slot).collect())
    }

    /// Gives joints the rows of their gears. Impulses of rows that stay are kept as guesses.
    pub(crate) fn bind_gears(&mut self, joints: &[u32]) {
        for slot in joints {
            let Some(joint) = self.joints.at_mut(*slot) else { continue };
            let (rows, impulse) = (std::mem::take(&mut joint.rows), std::mem::take(&mut joint.impulse));
            let of_gear = rows.iter().position(|row| row.purpose == Purpose::Gear).unwrap_or(rows.len());
            joint.rows.extend_from_slice(&rows[..of_gear]);
            joint.impulse.extend_from_slice(&impulse[..of_gear]);
            for gear in &self.gear_order {
                let terms = self.gears.at(*gear).map_or(&[][..], |record| &record.terms);
                for term in terms.iter().filter(|term| term.slot == *slot) {
                    let row = term.row(*gear);
                    let known = rows.iter().position(|old| *old == row);
                    joint.impulse.push(known.map_or(0.0, |at| impulse[at]));
                    joint.rows.push(row);
                }
            }
        }
    }

    /// Whether every gear is listed once.
    pub(crate) fn gears_in_order(&self) -> bool {
        let mut listed = self.gear_order.clone();
        listed.sort_unstable();
        let full = self.gears.parts().enumerate().filter(|(_, (_, gear))| gear.is_some());
        full.map(|(slot, _)| slot as u32).eq(listed)
    }

    /// Bodies of a gear, by slot.
    pub(crate) fn geared_bodies<'a>(&'a self, record: &'a GearRecord) -> impl Iterator<Item = u32> + 'a {
        let joints = record.terms.iter().filter_map(|term| self.joints.at(term.slot));
        joints.flat_map(|joint| [Some(joint.joint.a.0), joint.joint.b.body()]).flatten().map(|body| body.0.slot)
    }

    /// Whether a gear acts: all of its joints tie their bodies.
    pub(crate) fn is_engaged(&self, record: &GearRecord) -> bool {
        record.terms.iter().all(|term| self.joints.at(term.slot).is_some_and(|joint| joint.enabled))
    }

    fn disturb_gear(&mut self, slot: u32) {
        let Some(record) = self.gears.at(slot) else { return };
        let bodies: Vec<u32> = self.geared_bodies(record).collect();
        bodies.into_iter().for_each(|slot| self.disturb(slot));
    }

    /// Removes a gear.
    pub fn remove_gear(&mut self, gear: GearHandle) -> Result<(), WorldError> {
        self.gears.get(gear.0).map_err(|why| unreachable(why, gear.0))?;
        self.disturb_gear(gear.0.slot);
        let joints = self.geared_joints(gear.0.slot);
        self.gears.remove(gear.0).map_err(|why| unreachable(why, gear.0))?;
        self.gear_order.retain(|slot| *slot != gear.0.slot);
        self.bind_gears(&joints);
        Ok(())
    }

    /// Removes the gears of a joint that goes.
    pub(crate) fn remove_gears_of(&mut self, joint: u32) -> Result<(), WorldError> {
        let has =
            |slot: &u32| self.gears.at(*slot).is_some_and(|record| record.terms.iter().any(|term| term.slot == joint));
        let gone: Vec<GearHandle> =
            self.gear_order.iter().filter(|slot| has(slot)).map(|slot| GearHandle(self.gears.key(*slot))).collect();
        gone.into_iter().try_for_each(|gear| self.remove_gear(gear))
    }

    /// Removes the gears of the joints that hold a body.
    pub(crate) fn remove_gears_on(&mut self, body: BodyHandle) -> Result<(), WorldError> {
        let held: Vec<u32> = self.joints_of(body)?.map(|(joint, _)| joint.0.slot).collect();
        held.into_iter().try_for_each(|joint| self.remove_gears_of(joint))
    }

    /// A gear as it was added.
    pub fn gear(&self, gear: GearHandle) -> Result<Gear, WorldError> {
        Ok(self.gears.get(gear.0).map_err(|why| unreachable(why, gear.0))?.gear.clone())
    }

    /// All gears, in the order of their joints.
    pub fn gears(&self) -> impl Iterator<Item = (GearHandle, &Gear)> {
        let look = |slot: &u32| Some((GearHandle(self.gears.key(*slot)), &self.gears.at(*slot)?.gear));
        self.gear_order.iter().filter_map(look)
    }

    /// The gears of a joint, in the order of [`World::gears`].
    pub fn gears_of(&self, joint: JointHandle) -> Result<impl Iterator<Item = (GearHandle, &Gear)>, WorldError> {
        self.joint_record(joint)?;
        Ok(self.gears().filter(move |(_, gear)| gear.terms.iter().any(|term| term.joint == joint)))
    }

    /// Error of a gear at the current poses, as an error of the coordinate with the largest factor [m, rad].
    pub fn gear_error(&self, gear: GearHandle) -> Result<f64, WorldError> {
        Ok(self.gear_off(self.gears.get(gear.0).map_err(|why| unreachable(why, gear.0))?).abs())
    }
}

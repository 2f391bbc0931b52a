//! The sections of a snapshot in their order, bodies, and slots. Handles are written as slots.

use super::bytes::{Known, Payload, Read, Reader, Section, Stored, Writer};
use super::gears::{self, SavedGear};
use super::shapes::{Shapes, distinct, index_of};
use crate::body::{BodyRecord, BodyState, ConstraintForces, Inertial, Kind, reach_of};
use crate::events::EventLog;
use crate::filter::PairFilter;
use crate::ids::Arena;
use crate::joint::JointRecord;
use crate::material_pair::MaterialPairs;
use crate::options::Options;
use crate::query::QueryCache;
use crate::read_out::ReadOut;
use crate::step::{ContactCache, Rest};
use crate::{
    BodyHandle, BodyId, ContactPoint, MassProperties, Material, PairCoefficients, Settings, SnapshotError, World,
};
use glamx::DVec3;
use std::collections::BTreeSet;

pub(super) fn encode(world: &World) -> Vec<u8> {
    let shapes = Shapes(distinct(world));
    let mut writer = Writer::new(&shapes.0);
    writer.section(b"SETT", |out| world.settings.write(out));
    writer.section(b"SHAP", |out| shapes.write(out));
    writer.section(b"BODY", |out| {
        world.bodies.write(out);
        (world.next_automatic, world.next_sleeping_island).write(out);
    });
    writer.section(b"JOIN", |out| {
        world.joints.write(out);
        world.joint_order.write(out);
    });
    writer.section(b"TOUC", |out| {
        world.contacts.write(out);
        world.cache.write(out);
    });
    writer.section(b"TIME", |out| (world.time, world.steps).write(out));
    writer.section(b"PAIR", |out| {
        world.apart.iter().copied().collect::<Vec<_>>().write(out);
        world.material_pairs.write(out);
    });
    writer.section(b"EVNT", |out| events(world).write(out));
    writer.section(b"GEAR", |out| {
        gears::saved(world).write(out);
        world.gear_order.write(out);
    });
    writer.finish()
}

/// Those of bodies that are still there.
fn events(world: &World) -> EventLog {
    let lives = |body: &BodyHandle| world.bodies.get(body.0).is_ok();
    let mut log =
        EventLog::from_lists(world.events.contacts.clone(), world.events.sensors.clone(), world.events.woken.clone());
    log.contacts.retain(|event| lives(&event.a) && lives(&event.b));
    log.sensors.retain(|event| lives(&event.sensor) && lives(&event.other));
    log.woken.retain(lives);
    log
}

pub(super) fn decode(bytes: &[u8]) -> Read<World> {
    let mut reader = Reader::new(bytes)?;
    let invalid = |section, what| SnapshotError::Invalid { section, offset: 0, what };
    let settings: Settings = reader.section("settings", b"SETT", Known::default())?;
    settings.check()?;
    let shapes: Shapes = reader.section("shapes", b"SHAP", Known::default())?;
    let known = Known { shapes: &shapes.0, ..Known::default() };
    let (bodies, next_automatic, next_sleeping_island): (Arena<BodyRecord>, u64, u64) =
        reader.section("bodies", b"BODY", known)?;
    let order = order_of(&bodies, next_automatic).ok_or_else(|| invalid("bodies", "two bodies with one identity"))?;
    let to_come = |body: &BodyRecord| body.rest.sleeping_island.is_some_and(|island| island >= next_sleeping_island);
    if bodies.parts().any(|(_, body)| body.is_some_and(to_come)) {
        return Err(invalid("bodies", "a sleeping island that is still to come"));
    }
    let known = Known { bodies: Some(&bodies), ..known };
    let (joints, joint_order): (Arena<JointRecord>, Vec<u32>) = reader.section("joints", b"JOIN", known)?;
    let (contacts, cache): (Vec<ContactPoint>, ContactCache) = reader.section("contacts", b"TOUC", known)?;
    let (time, steps): (f64, u64) = reader.section("time", b"TIME", known)?;
    let (apart, material_pairs): (Vec<(u32, u32)>, MaterialPairs) = reader.section("pairs", b"PAIR", known)?;
    let exist = |(a, b): &(u32, u32)| a < b && bodies.at(*a).is_some() && bodies.at(*b).is_some();
    if !apart.iter().all(exist) || !apart.windows(2).all(|w| w[0] < w[1]) {
        return Err(invalid("pairs", "a pair of bodies that is not one"));
    }
    let surfaces = |((one, other), given): (&(u32, u32), &PairCoefficients)| {
        let made = Material::new(given.friction.unwrap_or(0.0), given.restitution.unwrap_or(0.0));
        (1..=*other).contains(one) && made.invalid().is_none()
    };
    if !material_pairs.iter().all(surfaces) {
        return Err(invalid("pairs", "not the coefficients of a pair"));
    }
    let events: EventLog = reader.section("events", b"EVNT", known)?;
    let known = Known { joints: Some(&joints), ..known };
    let (saved, gear_order): (Arena<SavedGear>, Vec<u32>) = reader.section("gears", b"GEAR", known)?;
    reader.finish()?;

    let mut world = World {
        settings,
        bodies,
        order,
        joints,
        joint_order,
        gears: Arena::new(),
        gear_order,
        apart: BTreeSet::from_iter(apart),
        // A function has no bytes.
        pair_filter: PairFilter::default(),
        material_pairs,
        queries: QueryCache::default(),
        cache,
        contacts,
        events,
        read_out: ReadOut::default(),
        workspace: None,
        time,
        steps,
        next_automatic,
        next_sleeping_island,
    };
    if !world.joints_in_order() {
        return Err(invalid("joints", "joints are not in order"));
    }
    if !gears::take_up(&mut world, &saved) {
        return Err(invalid("gears", "gears do not belong to the joints"));
    }
    Ok(world)
}

/// Slots by identity, if every identity is there once and no automatic one is still to come.
fn order_of(bodies: &Arena<BodyRecord>, next_automatic: u64) -> Option<Vec<u32>> {
    let ids = bodies.parts().enumerate().filter_map(|(slot, (_, body))| Some((&body?.id, slot as u32)));
    let mut ids: Vec<(&BodyId, u32)> = ids.collect();
    ids.sort_unstable();
    let distinct = ids.windows(2).all(|pair| pair[0].0 != pair[1].0);
    let counted = ids.iter().all(|(id, _)| !matches!(id, BodyId::Automatic(number) if *number >= next_automatic));
    (distinct && counted).then(|| ids.into_iter().map(|(_, slot)| slot).collect())
}

/// Generation and value of every slot, and which free slots are used next.
impl<T: Stored> Stored for Arena<T> {
    fn write(&self, out: &mut Payload) {
        self.parts().len().write(out);
        for (generation, value) in self.parts() {
            (generation, value.is_some()).write(out);
            value.iter().for_each(|value| value.write(out));
        }
        self.free().to_vec().write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let (parts, free) = <(Vec<(u32, Option<T>)>, Vec<u32>)>::read(section)?;
        Arena::from_parts(parts, free).ok_or_else(|| section.invalid("free slots contradict the full ones"))
    }
}

impl Stored for BodyRecord {
    fn write(&self, out: &mut Payload) {
        // The reach follows from shape and mass, and mass from what `Inertial::new` is given.
        let BodyRecord {
            id,
            kind,
            shape,
            material,
            mass,
            reach: _,
            state,
            options,
            force,
            torque,
            constraint,
            rest,
            fast,
            quarantined,
        } = self;
        (id.clone(), *kind).write(out);
        index_of(out.shapes, shape).unwrap_or(usize::MAX).write(out);
        (*material, *options, *state).write(out);
        let Inertial { mass, centre, inertia, .. } = *mass;
        (*kind == Kind::Dynamic).then_some(MassProperties { mass, centre, inertia }).write(out);
        (*force, *torque, *constraint).write(out);
        (*rest, *fast, *quarantined).write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let (id, kind) = <(BodyId, Kind)>::read(section)?;
        let shape = usize::read(section)?;
        let shape = section.known.shapes.get(shape).ok_or_else(|| section.invalid("there is no such shape"))?.clone();
        let (material, options, state) = <(Material, Options, BodyState)>::read(section)?;
        if material.invalid().is_some() {
            return Err(section.invalid("not a material"));
        }
        if let Some(properties) = options.dormant {
            Inertial::new(&id, properties)?;
        }
        let options = options.checked(&id)?;
        let mass = match Option::<MassProperties>::read(section)? {
            Some(properties) if kind == Kind::Dynamic => Inertial::new(&id, properties)?,
            None if kind != Kind::Dynamic => Inertial::IMMOVABLE,
            _ => return Err(section.invalid("dynamic bodies have mass, others have none")),
        };
        let (force, torque, constraint) = <(DVec3, DVec3, ConstraintForces)>::read(section)?;
        let (rest, fast, quarantined) = <(Rest, bool, bool)>::read(section)?;
        if rest.sleeping_island.is_some() && kind != Kind::Dynamic {
            return Err(section.invalid("only dynamic bodies sleep"));
        }
        let reach = reach_of(&shape, mass.centre);
        Ok(BodyRecord {
            id,
            kind,
            shape,
            material,
            mass,
            reach,
            state,
            options,
            force,
            torque,
            constraint,
            rest,
            fast,
            quarantined,
        })
    }
}

//! The sections of a snapshot in their order, and the section of bodies.
//! Handles are written as slots.

use super::bytes::{Payload, Reader, Section, Writer};
use super::contacts::{decode_cache, decode_contacts, encode_cache, encode_contacts};
use super::gears;
use super::joints::{JOINT_SIZE, decode_joint, encode_joint};
use super::rules::{self, RULES_SINCE};
use super::settings::{decode_settings, encode_settings};
use super::shapes;
use crate::body::{BodyRecord, BodyState, ConstraintForces, Inertial, Kind, reach_of};
use crate::events::EventLog;
use crate::filter::PairFilter;
use crate::ids::Arena;
use crate::material_pair::MaterialPairs;
use crate::options::Options;
use crate::query::QueryCache;
use crate::read_out::ReadOut;
use crate::step::{Rest, Workspace};
use crate::{BodyHandle, BodyId, Combine, MassProperties, Material, Shape, SnapshotError, World};
use std::collections::BTreeSet;

/// The first version with torsional and rolling friction.
pub(super) const MOMENTS_SINCE: u32 = 6;
/// The first version with pairs of bodies that do not touch.
const PAIRS_SINCE: u32 = 4;

pub(super) fn encode(world: &World) -> Vec<u8> {
    let shapes = shapes::distinct(world);
    let mut writer = Writer::new();
    writer.section(b"SETT", |out| encode_settings(&world.settings, out));
    writer.section(b"SHAP", |out| shapes::encode(&shapes, out));
    writer.section(b"PART", |out| rules::encode_parts(&shapes, out));
    writer.section(b"BODY", |out| {
        encode_arena(&world.bodies, out, |body, out| encode_body(body, &shapes, out));
        out.u64(world.next_automatic);
        out.u64(world.next_sleeping_island);
    });
    writer.section(b"JOIN", |out| {
        encode_arena(&world.joints, out, encode_joint);
        encode_slots(&world.joint_order, out);
    });
    writer.section(b"TOUC", |out| {
        encode_contacts(&world.contacts, out);
        encode_cache(&world.cache, out);
    });
    writer.section(b"TIME", |out| {
        out.f64(world.time);
        out.u64(world.steps);
    });
    writer.section(b"PAIR", |out| encode_pairs(&world.apart, out));
    writer.section(b"OPTN", |out| rules::encode_options(world, out));
    writer.section(b"EVNT", |out| rules::encode_events(world, out));
    writer.section(b"GEAR", |out| {
        encode_arena(&world.gears, out, |record, out| gears::encode_gear(world, record, out));
        encode_slots(&world.gear_order, out);
    });
    writer.finish()
}

pub(super) fn decode(bytes: &[u8]) -> Result<World, SnapshotError> {
    let mut reader = Reader::new(bytes)?;
    let settings = decode_settings(reader.section("settings", b"SETT")?)?;
    let mut shapes = shapes::decode(reader.section("shapes", b"SHAP")?)?;
    let ruled = reader.version >= RULES_SINCE;
    if ruled {
        rules::decode_parts(reader.section("parts", b"PART")?, &mut shapes)?;
    }

    let mut section = reader.section("bodies", b"BODY")?;
    let mut bodies = decode_arena(&mut section, BODY_SIZE, |section| decode_body(section, &shapes))?;
    let next_automatic = section.u64()?;
    let next_sleeping_island = section.u64()?;
    let order = order_of(&bodies, next_automatic).ok_or_else(|| section.invalid("two bodies with one identity"))?;
    if bodies.parts().any(|(_, body)| {
        body.is_some_and(|b| b.rest.sleeping_island.is_some_and(|island| island >= next_sleeping_island))
    }) {
        return Err(section.invalid("a sleeping island that is still to come"));
    }
    section.finish()?;

    let version = reader.version;
    let mut section = reader.section("joints", b"JOIN")?;
    let joints = decode_arena(&mut section, JOINT_SIZE, |section| decode_joint(version, section, &bodies))?;
    let joint_order = decode_slots(&mut section)?;
    section.finish()?;

    let mut section = reader.section("contacts", b"TOUC")?;
    let contacts = decode_contacts(version, &mut section, &bodies)?;
    let cache = decode_cache(version, &mut section, &bodies)?;
    section.finish()?;

    let mut section = reader.section("time", b"TIME")?;
    let (time, steps) = (section.finite()?, section.u64()?);
    section.finish()?;
    let mut apart = BTreeSet::new();
    if reader.version >= PAIRS_SINCE {
        let mut section = reader.section("pairs", b"PAIR")?;
        apart = decode_pairs(&mut section, &bodies)?;
        section.finish()?;
    }
    let (mut material_pairs, mut events) = (MaterialPairs::default(), EventLog::default());
    if ruled {
        material_pairs = rules::decode_options(reader.version, reader.section("options", b"OPTN")?, &mut bodies)?;
        events = rules::decode_events(reader.section("events", b"EVNT")?, &bodies)?;
    }
    let (mut saved, mut gear_order) = (Arena::new(), Vec::new());
    if version >= gears::GEARS_SINCE {
        let mut section = reader.section("gears", b"GEAR")?;
        saved = decode_arena(&mut section, gears::GEAR_SIZE, |section| gears::decode_gear(section, &joints))?;
        gear_order = decode_slots(&mut section)?;
        section.finish()?;
    }
    reader.finish()?;

    let workspace = Workspace::default();
    let mut world = World {
        settings,
        bodies,
        order,
        joints,
        joint_order,
        gears: Arena::new(),
        gear_order,
        apart,
        // A function has no bytes.
        pair_filter: PairFilter::default(),
        material_pairs,
        queries: QueryCache::default(),
        cache,
        contacts,
        events,
        read_out: ReadOut::default(),
        workspace,
        time,
        steps,
        next_automatic,
        next_sleeping_island,
    };
    if !world.joints_in_order() {
        return Err(SnapshotError::Invalid { section: "joints", offset: 0, what: "joints are not in order" });
    }
    if !gears::take_up(&mut world, &saved) {
        return Err(SnapshotError::Invalid { section: "gears", offset: 0, what: "gears do not belong to the joints" });
    }
    Ok(world)
}

fn encode_pairs(pairs: &BTreeSet<(u32, u32)>, out: &mut Payload) {
    out.count(pairs.len());
    for (a, b) in pairs {
        out.u32(*a);
        out.u32(*b);
    }
}

/// Pairs of bodies that exist, ascending, the lesser slot first.
fn decode_pairs(section: &mut Section, bodies: &Arena<BodyRecord>) -> Result<BTreeSet<(u32, u32)>, SnapshotError> {
    let count = section.count(8)?;
    let mut pairs = BTreeSet::new();
    for _ in 0..count {
        let pair = (section.u32()?, section.u32()?);
        let exist = bodies.at(pair.0).is_some() && bodies.at(pair.1).is_some();
        if !exist || pair.0 >= pair.1 || pairs.last().is_some_and(|last| *last >= pair) {
            return Err(section.invalid("a pair of bodies that is not one"));
        }
        pairs.insert(pair);
    }
    Ok(pairs)
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

fn encode_arena<T>(arena: &Arena<T>, out: &mut Payload, write: impl Fn(&T, &mut Payload)) {
    out.count(arena.parts().len());
    for (generation, value) in arena.parts() {
        out.u32(generation);
        out.u8(u8::from(value.is_some()));
        if let Some(value) = value {
            write(value, out);
        }
    }
    encode_slots(arena.free(), out);
}

/// `size` is the least number of bytes of a value.
fn decode_arena<T>(
    section: &mut Section,
    size: usize,
    read: impl Fn(&mut Section) -> Result<T, SnapshotError>,
) -> Result<Arena<T>, SnapshotError> {
    // Empty slots are small; memory is taken as values are really read.
    let count = section.count(5)?;
    let mut parts = Vec::with_capacity(count.min(section.left() / size + 1));
    for _ in 0..count {
        let generation = section.u32()?;
        let value = match section.u8()? {
            0 => None,
            1 => Some(read(section)?),
            _ => return Err(section.invalid("neither empty nor full")),
        };
        parts.push((generation, value));
    }
    let free = decode_slots(section)?;
    Arena::from_parts(parts, free).ok_or_else(|| section.invalid("free slots contradict the full ones"))
}

fn encode_slots(slots: &[u32], out: &mut Payload) {
    out.count(slots.len());
    slots.iter().for_each(|slot| out.u32(*slot));
}

fn decode_slots(section: &mut Section) -> Result<Vec<u32>, SnapshotError> {
    let count = section.count(4)?;
    (0..count).map(|_| section.u32()).collect()
}

pub(super) fn decode_handle(section: &mut Section, bodies: &Arena<BodyRecord>) -> Result<BodyHandle, SnapshotError> {
    let slot = section.u32()?;
    match bodies.at(slot) {
        Some(_) => Ok(BodyHandle(bodies.key(slot))),
        None => Err(section.invalid("there is no such body")),
    }
}

/// Least size of a body.
const BODY_SIZE: usize = 9 + 1 + 8 + 16 + 2 + 13 * 8 + 6 * 8 + 6 * 8 + 19;

fn encode_body(body: &BodyRecord, shapes: &[Shape], out: &mut Payload) {
    // The reach follows from shape and mass, and mass from what `Inertial::new` is given.
    let BodyRecord {
        id,
        kind,
        shape,
        material,
        mass,
        reach: _,
        state,
        force,
        torque,
        constraint,
        rest,
        fast,
        quarantined,
        // In a section of their own.
        options: _,
    } = body;
    match id {
        BodyId::Number(number) => {
            out.u8(0);
            out.u64(*number);
        }
        BodyId::Name(name) => {
            out.u8(1);
            out.text(name);
        }
        BodyId::Automatic(number) => {
            out.u8(2);
            out.u64(*number);
        }
    }
    out.u8(match kind {
        Kind::Dynamic => 0,
        Kind::Kinematic => 1,
        Kind::Fixed => 2,
    });
    out.count(shapes::index_of(shapes, shape).unwrap_or(usize::MAX));
    out.f64(material.friction);
    out.f64(material.restitution);
    for rule in [material.friction_rule, material.restitution_rule] {
        out.u8(match rule {
            Combine::GeometricMean => 0,
            Combine::Average => 1,
            Combine::Minimum => 2,
            Combine::Maximum => 3,
            Combine::Multiply => 4,
        });
    }
    if *kind == Kind::Dynamic {
        out.f64(mass.mass);
        out.vector(mass.centre);
        out.matrix(mass.inertia);
    }
    out.vector(state.position);
    out.quaternion(state.orientation);
    for vector in [state.velocity, state.spin, *force, *torque, constraint.force, constraint.torque] {
        out.vector(vector);
    }
    let Rest { still, sleeping_island, disturbed } = rest;
    out.f64(*still);
    out.u64(sleeping_island.unwrap_or(u64::MAX));
    out.u8(u8::from(*disturbed));
    out.u8(u8::from(*fast));
    out.u8(u8::from(*quarantined));
}

fn decode_body(section: &mut Section, shapes: &[Shape]) -> Result<BodyRecord, SnapshotError> {
    let id = match section.u8()? {
        0 => BodyId::Number(section.u64()?),
        1 => BodyId::from(section.text()?),
        2 => BodyId::Automatic(section.u64()?),
        _ => return Err(section.invalid("unknown kind of identity")),
    };
    let kind = match section.u8()? {
        0 => Kind::Dynamic,
        1 => Kind::Kinematic,
        2 => Kind::Fixed,
        _ => return Err(section.invalid("unknown kind of body")),
    };
    let shape = usize::try_from(section.u64()?).ok().and_then(|index| shapes.get(index));
    let shape = shape.ok_or_else(|| section.invalid("there is no such shape"))?.clone();
    let material = Material {
        friction: section.f64()?,
        restitution: section.f64()?,
        friction_rule: decode_rule(section)?,
        restitution_rule: decode_rule(section)?,
        ..Material::default()
    };
    if material.invalid().is_some() {
        return Err(section.invalid("not a material"));
    }
    let mass = if kind == Kind::Dynamic {
        let (mass, centre, inertia) = (section.f64()?, section.vector()?, section.matrix()?);
        Inertial::new(&id, MassProperties { mass, centre, inertia })?
    } else {
        Inertial::IMMOVABLE
    };
    let (position, orientation) = (section.vector()?, section.quaternion()?);
    let state = BodyState { position, orientation, velocity: section.vector()?, spin: section.vector()? };
    let (force, torque) = (section.vector()?, section.vector()?);
    let constraint = ConstraintForces { force: section.vector()?, torque: section.vector()? };
    let reach = reach_of(&shape, mass.centre);
    let still = section.finite()?;
    let sleeping_island = match section.u64()? {
        u64::MAX => None,
        _ if kind != Kind::Dynamic => return Err(section.invalid("only dynamic bodies sleep")),
        island => Some(island),
    };
    let rest = Rest { still, sleeping_island, disturbed: section.u8()? != 0 };
    let fast = section.u8()? != 0;
    let quarantined = section.u8()? != 0;
    let options = Options::default();
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

fn decode_rule(section: &mut Section) -> Result<Combine, SnapshotError> {
    Ok(match section.u8()? {
        0 => Combine::GeometricMean,
        1 => Combine::Average,
        2 => Combine::Minimum,
        3 => Combine::Maximum,
        4 => Combine::Multiply,
        _ => return Err(section.invalid("unknown rule for combining surfaces")),
    })
}

//! The sections of a snapshot: settings, shapes, bodies, joints, contacts. Each is written and read side by side here.
//! Handles are written as slots.

use super::bytes::{Payload, Reader, Section, Writer};
use super::joints::{JOINT_SIZE, decode_joint, encode_joint};
use super::rules::{self, RULES_SINCE};
use super::shapes;
use crate::body::{BodyRecord, BodyState, ConstraintForces, Inertial, Kind, reach_of};
use crate::events::EventLog;
use crate::filter::PairFilter;
use crate::ids::Arena;
use crate::material_pair::MaterialPairs;
use crate::options::Options;
use crate::query::QueryCache;
use crate::read_out::ReadOut;
use crate::step::manifold::FeatureKey;
use crate::step::{CachedPoint, ContactCache, Feature, PairEntry, Push, Rest, Workspace};
use crate::{
    BodyHandle, BodyId, Combine, ContactPoint, ImpactLaw, MassProperties, Material, Method, Settings, Shape, Sleeping,
    SnapshotError, Stabilisation, StoppingRule, Tolerance, World,
};
use glamx::DVec3;
use signorini_problem::Measure;
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
    reader.finish()?;

    let workspace = Workspace::default();
    let world = World {
        settings,
        bodies,
        order,
        joints,
        joint_order,
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
    if world.joints_in_order() {
        Ok(world)
    } else {
        Err(SnapshotError::Invalid { section: "joints", offset: 0, what: "joints are not in order" })
    }
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

fn encode_settings(settings: &Settings, out: &mut Payload) {
    // Every field by name: whoever adds one has to write it.
    let Settings {
        gravity,
        method,
        stop,
        accept,
        budget,
        rest_speed,
        stabilisation,
        joint_correction,
        margin,
        max_contacts,
        sleeping,
        impact,
    } = settings;
    out.vector(*gravity);
    out.text(method.name());
    out.f64(stop.tolerance.value);
    out.u8(match stop.tolerance.measure {
        Measure::Velocity => 0,
        Measure::Relative => 1,
    });
    out.u64(stop.max_iterations.map_or(u64::MAX, |n| n as u64));
    out.f64(*accept);
    out.u64(budget.map_or(u64::MAX, |n| n as u64));
    out.f64(*rest_speed);
    let (kind, numbers) = match *stabilisation {
        Stabilisation::None => (0, [0.0; 3]),
        Stabilisation::SplitImpulse { fraction, slop, cap } => (1, [fraction, slop, cap]),
        Stabilisation::VelocityBias { fraction } => (2, [fraction, 0.0, 0.0]),
    };
    out.u8(kind);
    numbers.into_iter().for_each(|x| out.f64(x));
    out.f64(*joint_correction);
    out.f64(*margin);
    out.count(*max_contacts);
    let (kind, numbers) = match *sleeping {
        Sleeping::Off => (0, [0.0; 3]),
        Sleeping::Islands { speed, spin, time } => (1, [speed, spin, time]),
    };
    out.u8(kind);
    numbers.into_iter().for_each(|x| out.f64(x));
    out.u64(match *impact {
        ImpactLaw::Newton => 0,
        ImpactLaw::Sequential { rounds } => rounds as u64,
    });
}

fn decode_settings(mut section: Section) -> Result<Settings, SnapshotError> {
    let gravity = section.vector()?;
    let method: Method = section.text()?.parse().map_err(|_| section.invalid("unknown method"))?;
    let value = section.f64()?;
    let measure = match section.u8()? {
        0 => Measure::Velocity,
        1 => Measure::Relative,
        _ => return Err(section.invalid("unknown measure")),
    };
    let max_iterations = match section.u64()? {
        u64::MAX => None,
        n => Some(usize::try_from(n).map_err(|_| section.invalid("too many iterations"))?),
    };
    let accept = section.f64()?;
    let budget = match section.u64()? {
        u64::MAX => None,
        n => Some(usize::try_from(n).map_err(|_| section.invalid("too large a budget"))?),
    };
    let rest_speed = section.finite()?;
    let kind = section.u8()?;
    let [fraction, slop, cap] = [section.finite()?, section.finite()?, section.finite()?];
    let stabilisation = match kind {
        0 => Stabilisation::None,
        1 => Stabilisation::SplitImpulse { fraction, slop, cap },
        2 => Stabilisation::VelocityBias { fraction },
        _ => return Err(section.invalid("unknown stabilisation")),
    };
    let joint_correction = section.finite()?;
    let margin = section.finite()?;
    let max_contacts = section.u64()?;
    let max_contacts = usize::try_from(max_contacts).map_err(|_| section.invalid("too many contacts"))?;
    let kind = section.u8()?;
    let [speed, spin, time] = [section.finite()?, section.finite()?, section.finite()?];
    let sleeping = match kind {
        0 => Sleeping::Off,
        1 => Sleeping::Islands { speed, spin, time },
        _ => return Err(section.invalid("unknown way of sleeping")),
    };
    let impact = match usize::try_from(section.u64()?) {
        Ok(0) => ImpactLaw::Newton,
        Ok(rounds) => ImpactLaw::Sequential { rounds },
        Err(_) => return Err(section.invalid("too many rounds of impacts")),
    };
    section.finish()?;
    let stop = StoppingRule { tolerance: Tolerance { value, measure }, max_iterations };
    let settings = Settings {
        gravity,
        method,
        stop,
        accept,
        budget,
        rest_speed,
        stabilisation,
        joint_correction,
        margin,
        max_contacts,
        sleeping,
        impact,
    };
    settings.check()?;
    Ok(settings)
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

/// Largest impulse that may be remembered \[N·s\]: the heaviest body at the greatest speed has 1e20, and this is what a step
/// begins its search with.
pub(super) const MAX_IMPULSE: f64 = 1e30;

fn decode_impulse(section: &mut Section) -> Result<DVec3, SnapshotError> {
    let mut one = || section.within(MAX_IMPULSE, "impulse beyond 1e30 N·s");
    Ok(DVec3::new(one()?, one()?, one()?))
}

fn encode_contacts(contacts: &[ContactPoint], out: &mut Payload) {
    out.count(contacts.len());
    for ContactPoint { a, b, part_a, part_b, point, normal, gap, impulse, moment, velocity, approach } in contacts {
        [a.0.slot, b.0.slot, *part_a, *part_b].into_iter().for_each(|x| out.u32(x));
        out.vector(*point);
        out.vector(*normal);
        out.f64(*gap);
        out.vector(*impulse);
        out.vector(*velocity);
        out.f64(*approach);
        out.vector(*moment);
    }
}

fn decode_contacts(
    version: u32,
    section: &mut Section,
    bodies: &Arena<BodyRecord>,
) -> Result<Vec<ContactPoint>, SnapshotError> {
    let count = section.count(8 + 13 * 8)?;
    let contact = |_| {
        Ok(ContactPoint {
            a: decode_handle(section, bodies)?,
            b: decode_handle(section, bodies)?,
            part_a: if version >= RULES_SINCE { section.u32()? } else { 0 },
            part_b: if version >= RULES_SINCE { section.u32()? } else { 0 },
            point: section.vector()?,
            normal: section.direction()?,
            gap: section.finite()?,
            impulse: decode_impulse(section)?,
            velocity: section.vector()?,
            approach: if version >= RULES_SINCE { section.finite()? } else { 0.0 },
            moment: if version >= MOMENTS_SINCE { decode_impulse(section)? } else { DVec3::ZERO },
        })
    };
    (0..count).map(contact).collect()
}

/// Size of a remembered point.
const POINT_SIZE: usize = 16 + 9 * 8;

fn encode_cache(cache: &ContactCache, out: &mut Payload) {
    let (entries, dt) = cache.entries();
    out.f64(dt);
    out.count(entries.len());
    for ((a, b), PairEntry { age, points }) in entries {
        out.u32(a.0.slot);
        out.u32(b.0.slot);
        out.u32(*age);
        out.count(points.len());
        for CachedPoint { feature, point, normal, push: Push { impulse, moment } } in points {
            let Feature { sub_a, sub_b, key } = feature;
            [*sub_a, *sub_b, key.a, key.b].into_iter().for_each(|x| out.u32(x));
            [*point, *normal, *impulse, *moment].into_iter().for_each(|x| out.vector(x));
        }
    }
}

fn decode_cache(
    version: u32,
    section: &mut Section,
    bodies: &Arena<BodyRecord>,
) -> Result<ContactCache, SnapshotError> {
    let dt = section.finite()?;
    if dt < 0.0 {
        return Err(section.invalid("a step back in time"));
    }
    let count = section.count(20)?;
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        let pair = (decode_handle(section, bodies)?, decode_handle(section, bodies)?);
        let age = section.u32()?;
        let point = |section: &mut Section| {
            let (sub_a, sub_b) = (section.u32()?, section.u32()?);
            let key = FeatureKey { a: section.u32()?, b: section.u32()? };
            let feature = Feature { sub_a, sub_b, key };
            let (point, normal, impulse) = (section.vector()?, section.direction()?, decode_impulse(section)?);
            let moment = if version >= MOMENTS_SINCE { decode_impulse(section)? } else { DVec3::ZERO };
            Ok(CachedPoint { feature, point, normal, push: Push { impulse, moment } })
        };
        let points = section.count(POINT_SIZE)?;
        let points = (0..points).map(|_| point(section)).collect::<Result<Vec<_>, SnapshotError>>()?;
        if points.is_empty() || age > ContactCache::MAX_AGE || pair.0 == pair.1 {
            return Err(section.invalid("nothing that is remembered"));
        }
        entries.push((pair, PairEntry { age, points }));
    }
    if !entries.windows(2).all(|w| w[0].0 < w[1].0) {
        return Err(section.invalid("pairs are not in order"));
    }
    Ok(ContactCache::from_entries(entries.into_iter(), dt))
}

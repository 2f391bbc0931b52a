//! What few bodies have, as bytes: rules of parts, options of bodies, coefficients of pairs, events. Only what differs from the
//! default is written.

use super::bytes::{Payload, Section};
use super::scene::{MOMENTS_SINCE, decode_handle};
use crate::body::BodyRecord;
use crate::events::{ContactEvent, EventLog, Phase, SensorEvent};
use crate::filter::{Filter, PartRule};
use crate::ids::Arena;
use crate::material_pair::MaterialPairs;
use crate::options::{Options, SurfaceMotion};
use crate::shape::Shape;
use crate::{BodyHandle, Grain, MassProperties, Material, PairCoefficients, SnapshotError, World};

/// The first version with them.
pub(super) const RULES_SINCE: u32 = 5;

pub(super) fn encode_parts(shapes: &[Shape], out: &mut Payload) {
    out.count(shapes.iter().filter(|shape| shape.has_rules()).count());
    for (index, shape) in shapes.iter().enumerate().filter(|(_, shape)| shape.has_rules()) {
        out.count(index);
        for rule in shape.rules() {
            encode_filter(rule.filter, out);
            out.u8(u8::from(rule.sensor));
        }
    }
}

/// Gives shapes the rules of their parts.
pub(super) fn decode_parts(mut section: Section, shapes: &mut [Shape]) -> Result<(), SnapshotError> {
    for _ in 0..section.count(8)? {
        let index = usize::try_from(section.u64()?).ok().filter(|index| *index < shapes.len());
        let index = index.ok_or_else(|| section.invalid("there is no such shape"))?;
        let rule = |section: &mut Section| Ok(PartRule { filter: decode_filter(section)?, sensor: flag(section)? });
        let count = shapes[index].parts().len();
        let rules = (0..count).map(|_| rule(&mut section)).collect::<Result<Vec<_>, SnapshotError>>()?;
        shapes[index] = shapes[index].with_rules(rules);
    }
    section.finish()
}

pub(super) fn encode_options(world: &World, out: &mut Payload) {
    let told = |record: &BodyRecord| {
        let plain = Material::new(record.material.friction, record.material.restitution)
            .friction_rule(record.material.friction_rule)
            .restitution_rule(record.material.restitution_rule);
        record.options != Options::default() || record.material != plain
    };
    let bodies = || (0_u32..).zip(world.bodies.parts()).filter_map(|(slot, (_, body))| Some((slot, body?)));
    out.count(bodies().filter(|(_, body)| told(body)).count());
    for (slot, body) in bodies().filter(|(_, body)| told(body)) {
        out.u32(slot);
        encode_body(&body.options, &body.material, out);
    }
    out.count(world.material_pairs.len());
    for ((a, b), given) in &world.material_pairs {
        out.u32(*a);
        out.u32(*b);
        [given.friction, given.restitution].into_iter().for_each(|value| encode_optional(value, out));
    }
}

fn encode_body(options: &Options, material: &Material, out: &mut Payload) {
    // Every field by name: whoever adds one has to write it.
    let Options {
        filter,
        sensor,
        enabled,
        gravity_scale,
        linear_damping,
        angular_damping,
        force,
        torque,
        user_data,
        surface,
        one_way,
        dormant,
    } = *options;
    encode_filter(filter, out);
    out.u8(u8::from(sensor));
    out.u8(u8::from(enabled));
    [gravity_scale, linear_damping, angular_damping].into_iter().for_each(|x| out.f64(x));
    [force, torque, surface.velocity, surface.spin].into_iter().for_each(|v| out.vector(v));
    out.u64(user_data);
    out.u8(u8::from(one_way.is_some()));
    one_way.into_iter().for_each(|axis| out.vector(axis));
    out.u8(u8::from(dormant.is_some()));
    if let Some(MassProperties { mass, centre, inertia }) = dormant {
        out.f64(mass);
        out.vector(centre);
        out.matrix(inertia);
    }
    let Material {
        friction: _,
        restitution: _,
        friction_rule: _,
        restitution_rule: _,
        tag,
        grain,
        stiffness,
        damping,
        torsional_friction,
        rolling_friction,
    } = *material;
    out.u32(tag);
    out.u8(u8::from(grain.is_some()));
    if let Some(Grain { axis, across }) = grain {
        axis.into_iter().chain([across]).for_each(|x| out.f64(x));
    }
    encode_optional(stiffness, out);
    [damping, torsional_friction, rolling_friction].into_iter().for_each(|x| out.f64(x));
}

/// Gives bodies their options and the rest of their surfaces, and reads the coefficients of pairs.
pub(super) fn decode_options(
    version: u32,
    mut section: Section,
    bodies: &mut Arena<BodyRecord>,
) -> Result<MaterialPairs, SnapshotError> {
    for _ in 0..section.count(100)? {
        let slot = section.u32()?;
        let Some(record) = bodies.at_mut(slot) else { return Err(section.invalid("there is no such body")) };
        decode_body(version, &mut section, record)?;
    }
    let mut pairs = MaterialPairs::new();
    for _ in 0..section.count(10)? {
        let tags = (section.u32()?, section.u32()?);
        let given =
            PairCoefficients { friction: decode_optional(&mut section)?, restitution: decode_optional(&mut section)? };
        let made = Material::new(given.friction.unwrap_or(0.0), given.restitution.unwrap_or(0.0));
        if tags.0 == 0 || tags.0 > tags.1 || made.invalid().is_some() || pairs.insert(tags, given).is_some() {
            return Err(section.invalid("not the coefficients of a pair"));
        }
    }
    section.finish()?;
    Ok(pairs)
}

fn decode_body(version: u32, section: &mut Section, record: &mut BodyRecord) -> Result<(), SnapshotError> {
    let (filter, sensor, enabled) = (decode_filter(section)?, flag(section)?, flag(section)?);
    let [gravity_scale, linear_damping, angular_damping] = section.numbers()?;
    let (force, torque) = (section.vector()?, section.vector()?);
    let surface = SurfaceMotion { velocity: section.vector()?, spin: section.vector()? };
    let user_data = section.u64()?;
    let one_way = if flag(section)? { Some(section.direction()?) } else { None };
    let dormant = match flag(section)? {
        true => Some(MassProperties { mass: section.f64()?, centre: section.vector()?, inertia: section.matrix()? }),
        false => None,
    };
    if let Some(properties) = dormant {
        crate::body::Inertial::new(&record.id, properties)?;
    }
    record.options = Options {
        filter,
        sensor,
        enabled,
        gravity_scale,
        linear_damping,
        angular_damping,
        force,
        torque,
        user_data,
        surface,
        one_way,
        dormant,
    }
    .checked(&record.id)?;
    record.material.tag = section.u32()?;
    record.material.grain = match flag(section)? {
        true => {
            let [x, y, z, across] = section.numbers()?;
            Some(Grain { axis: [x, y, z], across })
        }
        false => None,
    };
    record.material.stiffness = decode_optional(section)?;
    record.material.damping = section.f64()?;
    if version >= MOMENTS_SINCE {
        [record.material.torsional_friction, record.material.rolling_friction] = section.numbers()?;
    }
    if record.material.invalid().is_some() {
        return Err(section.invalid("not a material"));
    }
    Ok(())
}

pub(super) fn encode_events(world: &World, out: &mut Payload) {
    let lives = |body: &BodyHandle| world.bodies.get(body.0).is_ok();
    let log = &world.events;
    let contacts = || log.contacts.iter().filter(|event| lives(&event.a) && lives(&event.b));
    out.count(contacts().count());
    for ContactEvent { phase, a, b, part_a, part_b, point, normal, impulse, speed } in contacts() {
        out.u8(*phase as u8);
        [a.0.slot, b.0.slot, *part_a, *part_b].into_iter().for_each(|x| out.u32(x));
        out.vector(*point);
        out.vector(*normal);
        out.f64(*impulse);
        out.f64(*speed);
    }
    let sensors = || log.sensors.iter().filter(|event| lives(&event.sensor) && lives(&event.other));
    out.count(sensors().count());
    for SensorEvent { phase, sensor, part, other, since } in sensors() {
        out.u8(*phase as u8);
        [sensor.0.slot, *part, other.0.slot].into_iter().for_each(|x| out.u32(x));
        out.f64(*since);
    }
    let woken = || log.woken.iter().filter(|body| lives(body));
    out.count(woken().count());
    woken().for_each(|body| out.u32(body.0.slot));
}

pub(super) fn decode_events(mut section: Section, bodies: &Arena<BodyRecord>) -> Result<EventLog, SnapshotError> {
    let mut contacts = Vec::new();
    for _ in 0..section.count(17 + 64)? {
        contacts.push(ContactEvent {
            phase: decode_phase(&mut section)?,
            a: decode_handle(&mut section, bodies)?,
            b: decode_handle(&mut section, bodies)?,
            part_a: section.u32()?,
            part_b: section.u32()?,
            point: section.vector()?,
            normal: section.direction()?,
            impulse: section.finite()?,
            speed: section.finite()?,
        });
    }
    let mut sensors = Vec::new();
    for _ in 0..section.count(13 + 8)? {
        let (phase, sensor) = (decode_phase(&mut section)?, decode_handle(&mut section, bodies)?);
        let (part, other) = (section.u32()?, decode_handle(&mut section, bodies)?);
        sensors.push(SensorEvent { phase, sensor, part, other, since: section.finite()? });
    }
    let mut woken = Vec::new();
    for _ in 0..section.count(4)? {
        woken.push(decode_handle(&mut section, bodies)?);
    }
    section.finish()?;
    Ok(EventLog::from_lists(contacts, sensors, woken))
}

fn encode_filter(filter: Filter, out: &mut Payload) {
    out.u32(filter.layers);
    out.u32(filter.mask);
}

fn decode_filter(section: &mut Section) -> Result<Filter, SnapshotError> {
    Ok(Filter { layers: section.u32()?, mask: section.u32()? })
}

fn encode_optional(value: Option<f64>, out: &mut Payload) {
    out.u8(u8::from(value.is_some()));
    value.into_iter().for_each(|value| out.f64(value));
}

fn decode_optional(section: &mut Section) -> Result<Option<f64>, SnapshotError> {
    Ok(if flag(section)? { Some(section.finite()?) } else { None })
}

fn decode_phase(section: &mut Section) -> Result<Phase, SnapshotError> {
    match section.u8()? {
        0 => Ok(Phase::Begin),
        1 => Ok(Phase::Persist),
        2 => Ok(Phase::End),
        _ => Err(section.invalid("unknown phase of an event")),
    }
}

fn flag(section: &mut Section) -> Result<bool, SnapshotError> {
    match section.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(section.invalid("neither yes nor no")),
    }
}

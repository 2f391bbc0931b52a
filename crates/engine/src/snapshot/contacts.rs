//! Contacts in a snapshot: those of the last step, and the impulses remembered as the guess of the next.

use super::bytes::{Payload, Section};
use super::rules::RULES_SINCE;
use super::scene::{MOMENTS_SINCE, decode_handle};
use crate::body::BodyRecord;
use crate::ids::Arena;
use crate::step::manifold::FeatureKey;
use crate::step::{CachedPoint, ContactCache, Feature, PairEntry, Push};
use crate::{ContactPoint, SnapshotError};
use glamx::DVec3;

/// Largest impulse that may be remembered \[N·s\]: the heaviest body at the greatest speed has 1e20, and this is what a step
/// begins its search with.
pub(super) const MAX_IMPULSE: f64 = 1e30;

fn decode_impulse(section: &mut Section) -> Result<DVec3, SnapshotError> {
    let mut one = || section.within(MAX_IMPULSE, "impulse beyond 1e30 N·s");
    Ok(DVec3::new(one()?, one()?, one()?))
}

pub(super) fn encode_contacts(contacts: &[ContactPoint], out: &mut Payload) {
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

pub(super) fn decode_contacts(
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

pub(super) fn encode_cache(cache: &ContactCache, out: &mut Payload) {
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

pub(super) fn decode_cache(
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

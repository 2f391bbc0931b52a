//! The values of a snapshot: numbers, vectors, lists, and what the world is made of, field by field.

use super::bytes::{Payload, Read, Section, Stored, stored, stored_enum};
use crate::body::{BodyState, ConstraintForces, Kind};
use crate::events::{ContactEvent, EventLog, Phase, SensorEvent};
use crate::filter::{Filter, PartRule};
use crate::joint::{Coordinate, Frame, Misfit, Motor, PairContact, Spring};
use crate::options::{Options, SurfaceMotion};
use crate::step::manifold::FeatureKey;
use crate::step::{CachedPoint, ContactCache, Feature, PairEntry, Push, Rest};
use crate::{
    BodyHandle, BodyId, Combine, ContactPoint, Grain, ImpactLaw, MassProperties, Material, Method, PairCoefficients,
    Settings, Sleeping, Stabilisation, StoppingRule, Tolerance,
};
use glamx::{DMat3, DPose3, DQuat, DVec3};
use signorini_problem::Measure;
use std::collections::BTreeMap;
use std::sync::Arc;

macro_rules! little_endian {
    ($($number:ty),*) => {$(
        impl Stored for $number {
            fn write(&self, out: &mut Payload) {
                out.bytes.extend(self.to_le_bytes());
            }
            fn read(section: &mut Section) -> Read<Self> {
                let mut bytes = <$number>::default().to_le_bytes();
                let size = bytes.len();
                bytes.copy_from_slice(section.take(size)?);
                Ok(<$number>::from_le_bytes(bytes))
            }
        }
    )*};
}
little_endian!(u8, u32, u64);

impl Stored for usize {
    fn write(&self, out: &mut Payload) {
        (*self as u64).write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        usize::try_from(u64::read(section)?).map_err(|_| section.invalid("number is too large"))
    }
}

impl Stored for bool {
    fn write(&self, out: &mut Payload) {
        u8::from(*self).write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        match u8::read(section)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(section.invalid("neither yes nor no")),
        }
    }
}

/// A finite number.
impl Stored for f64 {
    fn write(&self, out: &mut Payload) {
        self.to_bits().write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let value = any::read(section)?;
        if value.is_finite() { Ok(value) } else { Err(section.invalid("number is not finite")) }
    }
}

/// A number that may be infinite; whoever it is for says what it may be.
pub(super) mod any {
    use super::*;
    pub(in crate::snapshot) fn write(value: &f64, out: &mut Payload) {
        value.write(out);
    }
    pub(in crate::snapshot) fn read(section: &mut Section) -> Read<f64> {
        Ok(f64::from_bits(u64::read(section)?))
    }
}

/// Two such numbers, if any.
mod range {
    use super::*;
    pub(super) fn write(value: &Option<[f64; 2]>, out: &mut Payload) {
        value.write(out);
    }
    pub(super) fn read(section: &mut Section) -> Read<Option<[f64; 2]>> {
        Ok(if bool::read(section)? { Some([any::read(section)?, any::read(section)?]) } else { None })
    }
}

/// A vector that is unit to round-off, bit for bit.
pub(super) mod direction {
    use super::*;
    pub(in crate::snapshot) fn write(value: &DVec3, out: &mut Payload) {
        value.write(out);
    }
    pub(in crate::snapshot) fn read(section: &mut Section) -> Read<DVec3> {
        let vector = DVec3::read(section)?;
        if (vector.length() - 1.0).abs() <= 1e-6 { Ok(vector) } else { Err(section.invalid("direction is not unit")) }
    }
}

/// Impulses of at most 1e30 N·s: the heaviest body at the greatest speed has 1e20, and a step begins its search with them.
pub(super) mod impulse {
    use super::*;
    pub(in crate::snapshot) fn check(section: &Section, values: &[f64]) -> Read<()> {
        let small = values.iter().all(|value| value.abs() <= 1e30);
        if small { Ok(()) } else { Err(section.invalid("impulse beyond 1e30 N·s")) }
    }
    pub(super) fn write(value: &DVec3, out: &mut Payload) {
        value.write(out);
    }
    pub(super) fn read(section: &mut Section) -> Read<DVec3> {
        let value = DVec3::read(section)?;
        check(section, &value.to_array())?;
        Ok(value)
    }
}

impl Stored for DMat3 {
    fn write(&self, out: &mut Payload) {
        self.to_cols_array().write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        Ok(DMat3::from_cols_array(&Stored::read(section)?))
    }
}

impl Stored for DVec3 {
    fn write(&self, out: &mut Payload) {
        self.to_array().write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        Ok(DVec3::from_array(Stored::read(section)?))
    }
}

/// A quaternion that is unit to round-off, bit for bit.
impl Stored for DQuat {
    fn write(&self, out: &mut Payload) {
        self.to_array().write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let q = DQuat::from_array(Stored::read(section)?);
        if (q.length() - 1.0).abs() <= 1e-6 { Ok(q) } else { Err(section.invalid("quaternion is not unit")) }
    }
}

stored!(DPose3 { translation, rotation });

impl Stored for Arc<str> {
    fn write(&self, out: &mut Payload) {
        self.len().write(out);
        out.bytes.extend(self.as_bytes());
    }
    fn read(section: &mut Section) -> Read<Self> {
        let length = section.count()?;
        let text = std::str::from_utf8(section.take(length)?).map_err(|_| section.invalid("text is not UTF-8"))?;
        Ok(text.into())
    }
}

impl<T: Stored> Stored for Option<T> {
    fn write(&self, out: &mut Payload) {
        self.is_some().write(out);
        self.iter().for_each(|value| value.write(out));
    }
    fn read(section: &mut Section) -> Read<Self> {
        bool::read(section)?.then(|| T::read(section)).transpose()
    }
}

/// A list. Memory is taken as values are really read.
impl<T: Stored> Stored for Vec<T> {
    fn write(&self, out: &mut Payload) {
        self.len().write(out);
        self.iter().for_each(|value| value.write(out));
    }
    fn read(section: &mut Section) -> Read<Self> {
        (0..section.count()?).map(|_| T::read(section)).collect()
    }
}

/// A map, its keys ascending.
impl<K: Stored + Ord, V: Stored> Stored for BTreeMap<K, V> {
    fn write(&self, out: &mut Payload) {
        self.len().write(out);
        for (key, value) in self {
            key.write(out);
            value.write(out);
        }
    }
    fn read(section: &mut Section) -> Read<Self> {
        let mut map = BTreeMap::new();
        for _ in 0..section.count()? {
            let (key, value) = (K::read(section)?, V::read(section)?);
            if map.last_key_value().is_some_and(|(last, _)| *last >= key) {
                return Err(section.invalid("keys are not in order"));
            }
            map.insert(key, value);
        }
        Ok(map)
    }
}

impl<T: Stored + Copy + Default, const N: usize> Stored for [T; N] {
    fn write(&self, out: &mut Payload) {
        self.iter().for_each(|value| value.write(out));
    }
    fn read(section: &mut Section) -> Read<Self> {
        let mut values = [T::default(); N];
        for value in &mut values {
            *value = T::read(section)?;
        }
        Ok(values)
    }
}

macro_rules! tuple {
    ($($name:ident $place:tt),*) => {
        impl<$($name: Stored),*> Stored for ($($name,)*) {
            fn write(&self, out: &mut Payload) {
                $(self.$place.write(out);)*
            }
            fn read(section: &mut Section) -> Read<Self> {
                Ok(($($name::read(section)?,)*))
            }
        }
    };
}
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);

/// A body, by its slot.
impl Stored for BodyHandle {
    fn write(&self, out: &mut Payload) {
        self.0.slot.write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let slot = u32::read(section)?;
        let bodies = section.known.bodies.filter(|bodies| bodies.at(slot).is_some());
        bodies.map(|bodies| BodyHandle(bodies.key(slot))).ok_or_else(|| section.invalid("there is no such body"))
    }
}

impl Stored for Method {
    fn write(&self, out: &mut Payload) {
        Arc::<str>::from(self.name()).write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        Arc::<str>::read(section)?.parse().map_err(|_| section.invalid("unknown method"))
    }
}

stored!(Settings {
    gravity, method, stop, accept as any, budget, rest_speed, stabilisation, joint_correction, margin, max_contacts, sleeping,
    impact,
});
stored!(StoppingRule { tolerance, max_iterations });
stored!(Tolerance { value as any, measure });
stored_enum!(Measure, "unknown measure" { 0u8 => Velocity, 1u8 => Relative });
stored_enum!(Stabilisation, "unknown stabilisation" {
    0u8 => None, 1u8 => SplitImpulse { fraction, slop, cap }, 2u8 => VelocityBias { fraction },
});
stored_enum!(Sleeping, "unknown way of sleeping" { 0u8 => Off, 1u8 => Islands { speed, angular_speed, time } });
stored_enum!(ImpactLaw, "unknown law of impacts" { 0u8 => Newton, 1u8 => Sequential { rounds } });

stored_enum!(BodyId, "unknown kind of identity" {
    0u8 => Number(number), 1u8 => Name(name), 2u8 => Automatic(number),
});
stored_enum!(Kind, "unknown kind of body" { 0u8 => Dynamic, 1u8 => Kinematic, 2u8 => Fixed });
stored!(BodyState { position, orientation, velocity, angular_velocity });
stored!(ConstraintForces { force, torque });
stored!(Rest { still, sleeping_island, disturbed });
stored!(MassProperties { mass, centre, inertia });
stored!(Options {
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
});
stored!(SurfaceMotion { velocity, angular_velocity });
stored!(Filter { layers, mask });
stored!(PartRule { filter, sensor });
stored_enum!(Combine, "unknown rule for combining surfaces" {
    0u8 => GeometricMean, 1u8 => Average, 2u8 => Minimum, 3u8 => Maximum, 4u8 => Multiply,
});
stored!(Material {
    friction,
    restitution,
    friction_rule,
    restitution_rule,
    tag,
    grain,
    stiffness,
    damping,
    torsional_friction,
    rolling_friction,
});
stored!(Grain { axis, across });
stored!(PairCoefficients { friction, restitution });

stored!(Frame { point, axes });
stored!(Coordinate { locked, limits as range, restitution, friction, motor, spring, damping, armature, force });
stored_enum!(Motor, "unknown motor" {
    0u8 => Velocity { target, max_force },
    1u8 => Servo { stiffness, damping, target, velocity, max_force as any },
});
stored!(Spring { stiffness, damping, rest });
stored_enum!(PairContact, "neither contact nor none" { 0u8 => Ignored, 1u8 => Kept });
stored_enum!(Misfit, "unknown way with misfits" { 0u8 => Refused, 1u8 => Corrected });

stored!(ContactPoint {
    a, b, part_a, part_b, point, normal as direction, gap, impulse as impulse, moment as impulse, velocity, approach,
});
stored!(CachedPoint { feature, point, normal as direction, push });
stored!(Feature { sub_a, sub_b, key });
stored!(FeatureKey { a, b });
stored!(Push { impulse as impulse, moment as impulse });
stored!(PairEntry { age, points });

impl Stored for ContactCache {
    fn write(&self, out: &mut Payload) {
        let (entries, dt) = self.entries();
        dt.write(out);
        entries.len().write(out);
        for (pair, entry) in entries {
            pair.write(out);
            entry.write(out);
        }
    }
    fn read(section: &mut Section) -> Read<Self> {
        let dt = f64::read(section)?;
        if dt < 0.0 {
            return Err(section.invalid("a step back in time"));
        }
        let entries = Vec::<((BodyHandle, BodyHandle), PairEntry)>::read(section)?;
        let sound = |((a, b), entry): &((BodyHandle, BodyHandle), PairEntry)| {
            a != b && entry.age <= ContactCache::MAX_AGE && !entry.points.is_empty()
        };
        if !entries.iter().all(sound) {
            return Err(section.invalid("nothing that is remembered"));
        }
        if !entries.windows(2).all(|w| w[0].0 < w[1].0) {
            return Err(section.invalid("pairs are not in order"));
        }
        Ok(ContactCache::from_entries(entries.into_iter(), dt))
    }
}

stored_enum!(Phase, "unknown phase of an event" { 0u8 => Begin, 1u8 => Persist, 2u8 => End });
stored!(ContactEvent { phase, a, b, part_a, part_b, point, normal as direction, impulse, speed });
stored!(SensorEvent { phase, sensor, part, other, since });

impl Stored for EventLog {
    fn write(&self, out: &mut Payload) {
        (self.contacts.clone(), self.sensors.clone(), self.woken.clone()).write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let (contacts, sensors, woken) = Stored::read(section)?;
        Ok(EventLog::from_lists(contacts, sensors, woken))
    }
}

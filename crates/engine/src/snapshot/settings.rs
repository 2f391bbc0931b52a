//! The section of a snapshot that holds the settings of the world.

use super::bytes::{Payload, Section};
use crate::{ImpactLaw, Method, Settings, Sleeping, SnapshotError, Stabilisation, StoppingRule, Tolerance};
use signorini_problem::Measure;

pub(super) fn encode_settings(settings: &Settings, out: &mut Payload) {
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

pub(super) fn decode_settings(mut section: Section) -> Result<Settings, SnapshotError> {
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

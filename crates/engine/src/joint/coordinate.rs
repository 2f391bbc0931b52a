//! One coordinate of a joint: its limits, friction, motor, spring and rotor.

use crate::WorldError;
use serde::{Deserialize, Serialize};

/// Greatest coordinate that may be asked for [m, rad].
pub(crate) const MAX_VALUE: f64 = 1e10;
/// Greatest velocity that may be asked for [m/s, rad/s].
const MAX_RATE: f64 = 1e10;
/// Greatest force, stiffness, damping or inertia, in SI units: products of them with a step stay far from the largest number.
const MAX_GAIN: f64 = 1e20;

/// A motor along a coordinate.
///
/// ```
/// use signorini::{Coordinate, Motor};
/// // 2 rad/s with at most 5 N·m.
/// let wheel = Coordinate::free().motor(Motor::velocity(2.0, 5.0));
/// assert_eq!(wheel.motor, Some(Motor::Velocity { target: 2.0, max_force: 5.0 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Motor {
    /// Drives the coordinate to a velocity, with a bounded force.
    Velocity {
        /// [m/s, rad/s].
        target: f64,
        /// [N, N·m].
        max_force: f64,
    },
    /// Drives the coordinate to a position like a spring with a damper, with a bounded force.
    Servo {
        /// [N/m, N·m/rad].
        stiffness: f64,
        /// [N·s/m, N·m·s/rad].
        damping: f64,
        /// [m, rad].
        target: f64,
        /// Velocity of the target [m/s, rad/s].
        #[serde(default)]
        velocity: f64,
        /// [N, N·m]; without it there is no bound.
        #[serde(default = "unbounded", skip_serializing_if = "is_unbounded")]
        max_force: f64,
    },
}

fn unbounded() -> f64 {
    f64::INFINITY
}

fn is_unbounded(force: &f64) -> bool {
    *force == f64::INFINITY
}

/// Default values are not written to files.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Motor {
    /// Takes the coordinate to a velocity [m/s, rad/s] with at most a force [N, N·m].
    pub fn velocity(target: f64, max_force: f64) -> Motor {
        Motor::Velocity { target, max_force }
    }
    /// Pulls the coordinate to a place [m, rad] like a spring [N/m] with a damper [N·s/m], with at most a force \[N\].
    pub fn servo(stiffness: f64, damping: f64, target: f64, max_force: f64) -> Motor {
        Motor::Servo { stiffness, damping, target, velocity: 0.0, max_force }
    }
}

/// A spring with a damper.
///
/// ```
/// use signorini::{Coordinate, Spring};
/// let door = Coordinate::free().spring(10.0, 0.5, 0.0);
/// assert_eq!(door.spring, Some(Spring { stiffness: 10.0, damping: 0.5, rest: 0.0 }));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// [N/m, N·m/rad].
    pub stiffness: f64,
    /// [N·s/m, N·m·s/rad].
    #[serde(default)]
    pub damping: f64,
    /// Rest position [m, rad].
    #[serde(default)]
    pub rest: f64,
}

/// One coordinate of a joint, and what acts along it. Several of these may act at once; each is a row of the problem.
///
/// ```
/// use signorini::{Coordinate, Motor};
/// let knee = Coordinate::free().limits(0.0, 2.4).friction(0.2).motor(Motor::servo(200.0, 5.0, 1.0, 40.0));
/// assert_eq!(knee.limits, Some([0.0, 2.4]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Coordinate {
    /// Whether it is locked at zero. Only generic joints use this; for the others the kind decides.
    #[serde(skip_serializing_if = "is_default")]
    pub locked: bool,
    /// Least and greatest value [m, rad].
    #[serde(skip_serializing_if = "is_default")]
    pub limits: Option<[f64; 2]>,
    /// Share of the speed with which a limit is hit that it gives back, where bodies bounce by Newton's law of impact \[1\]; slower
    /// hits than the rest speed of the settings [m/s, rad/s] stop.
    #[serde(skip_serializing_if = "is_default")]
    pub restitution: f64,
    /// Dry friction [N, N·m].
    #[serde(skip_serializing_if = "is_default")]
    pub friction: f64,
    /// A motor.
    #[serde(skip_serializing_if = "is_default")]
    pub motor: Option<Motor>,
    /// A spring.
    #[serde(skip_serializing_if = "is_default")]
    pub spring: Option<Spring>,
    /// Viscous damping [N·s/m, N·m·s/rad], besides that of the spring.
    #[serde(skip_serializing_if = "is_default")]
    pub damping: f64,
    /// Inertia of a rotor that turns with the coordinate [kg, kg·m²].
    #[serde(skip_serializing_if = "is_default")]
    pub armature: f64,
    /// A given force along the coordinate, on the body and opposite on the other end [N, N·m]. It acts until it is
    /// changed.
    #[serde(skip_serializing_if = "is_default")]
    pub force: f64,
}

impl Coordinate {
    /// Free, and nothing acts along it.
    pub fn free() -> Coordinate {
        Coordinate::default()
    }
    /// Held at zero.
    pub fn locked() -> Coordinate {
        Coordinate { locked: true, ..Coordinate::default() }
    }
    /// Keeps it within [m, rad].
    pub fn limits(self, lo: f64, hi: f64) -> Self {
        Coordinate { limits: Some([lo, hi]), ..self }
    }
    /// Lets it bounce off its limits with a share of the speed \[1\].
    pub fn restitution(self, share: f64) -> Self {
        Coordinate { restitution: share, ..self }
    }
    /// Adds dry friction [N, N·m].
    pub fn friction(self, force: f64) -> Self {
        Coordinate { friction: force, ..self }
    }
    /// Drives it.
    pub fn motor(self, motor: Motor) -> Self {
        Coordinate { motor: Some(motor), ..self }
    }
    /// Adds a spring [N/m] with a damper [N·s/m] about a place [m, rad].
    pub fn spring(self, stiffness: f64, damping: f64, rest: f64) -> Self {
        Coordinate { spring: Some(Spring { stiffness, damping, rest }), ..self }
    }
    /// Adds viscous damping [N·s/m, N·m·s/rad].
    pub fn damping(self, damping: f64) -> Self {
        Coordinate { damping, ..self }
    }
    /// Adds the inertia of a rotor [kg, kg·m²].
    pub fn armature(self, inertia: f64) -> Self {
        Coordinate { armature: inertia, ..self }
    }

    /// Whether anything acts along it.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Coordinate { locked: self.locked, ..Coordinate::default() }
    }

    /// Whether nothing acts along it but a limit above zero.
    pub(crate) fn is_bound(&self) -> bool {
        let other = Coordinate { limits: None, restitution: 0.0, ..*self };
        other.is_plain() && self.limits.is_none_or(|[lo, hi]| lo <= 0.0 && hi > 0.0)
    }

    /// Refuses numbers that are out of range.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        let refuse = |field, value, range| Err(WorldError::JointValue { field, value, range });
        if let Some([lo, hi]) = self.limits {
            for (field, value) in [("lower limit", lo), ("upper limit", hi)] {
                // An open side is no limit; a NaN fails every comparison.
                if !(-MAX_VALUE..=MAX_VALUE).contains(&value) && !value.is_infinite() {
                    return refuse(field, value, "[-1e10, 1e10] or infinite");
                }
            }
            if lo > hi || lo == f64::INFINITY || hi == f64::NEG_INFINITY {
                return refuse("upper limit", hi, "[lower limit, ∞]");
            }
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return refuse("restitution", self.restitution, "[0, 1]");
        }
        let mut gains = vec![("friction", self.friction), ("damping", self.damping), ("armature", self.armature)];
        let mut values = vec![];
        if !(-MAX_GAIN..=MAX_GAIN).contains(&self.force) {
            return refuse("force", self.force, "[-1e20, 1e20]");
        }
        if let Some(Spring { stiffness, damping, rest }) = self.spring {
            gains.extend([("spring stiffness", stiffness), ("spring damping", damping)]);
            values.push(("spring rest", rest));
        }
        match self.motor {
            None => {}
            Some(Motor::Velocity { target, max_force }) => {
                gains.push(("motor max_force", max_force));
                if !(-MAX_RATE..=MAX_RATE).contains(&target) {
                    return refuse("motor target", target, "[-1e10, 1e10]");
                }
            }
            Some(Motor::Servo { stiffness, damping, target, velocity, max_force }) => {
                gains.extend([("servo stiffness", stiffness), ("servo damping", damping)]);
                if !(0.0..=f64::INFINITY).contains(&max_force) {
                    return refuse("servo max_force", max_force, "[0, ∞]");
                }
                values.extend([("servo target", target), ("servo velocity", velocity)]);
                if stiffness == 0.0 && damping == 0.0 {
                    return refuse("servo stiffness", stiffness, "(0, 1e20], or a damping");
                }
            }
        }
        if let Some((field, value)) = gains.into_iter().find(|(_, value)| !(0.0..=MAX_GAIN).contains(value)) {
            return refuse(field, value, "[0, 1e20]");
        }
        if let Some((field, value)) = values.into_iter().find(|(_, value)| !(-MAX_VALUE..=MAX_VALUE).contains(value)) {
            return refuse(field, value, "[-1e10, 1e10]");
        }
        Ok(())
    }
}

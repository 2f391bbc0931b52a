//! The rows of a joint: their order, and the law of each.
//!
//! Locked coordinates come first, translations in one block and rotations in another; then, coordinate by coordinate, limits,
//! motor, friction, spring and rotor, one block each; last the gears, which are blocks with rows of other joints.

use crate::joint::kind::Freedom;
use crate::joint::{Joint, Motor};
use serde::{Deserialize, Serialize};
use signorini_problem::Law;

/// What a row is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Purpose {
    /// A locked coordinate.
    Constraint,
    /// A limit.
    Limit,
    /// A motor or servo.
    Motor,
    /// Dry friction.
    Friction,
    /// A spring or damper.
    Spring,
    /// The inertia of a rotor.
    Armature,
    /// A gear: its impulse is bound to those of the other coordinates.
    Gear,
}

/// What a row measures. Numbers are axes: 0 to 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// From anchor A to anchor B, along an axis of the world: all three translations are locked.
    Apart(usize),
    /// Rotation from where B should be to where it is, about an axis of the world: all three rotations are locked.
    Turn(usize),
    /// From anchor A to anchor B along an axis of A.
    Along(usize),
    /// About an axis of A: what takes B's axis `hinge` off A's.
    Tilt {
        /// The axis about which the bodies turn.
        hinge: usize,
        /// The other axis.
        about: usize,
    },
    /// The one locked angle of three.
    Cross(usize),
    /// An angle, one of α, β, γ.
    Angle(usize),
    /// Distance of the anchors.
    Length,
}

/// The law of a row, before the length of a step is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RowLaw {
    /// Held at a value: zero, or the length of a rod.
    Hold { at: f64 },
    /// Not below a value (sign 1) or not above it (sign −1), and back with a share of the speed.
    Stop { at: f64, sign: f64, restitution: f64 },
    /// To a velocity, with at most a force.
    Speed { target: f64, force: f64 },
    /// To a place like a spring with a damper, with at most a force.
    Spring { stiffness: f64, damping: f64, target: f64, velocity: f64, force: f64 },
    /// Keeps its velocity like an inertia.
    Rotor { inertia: f64 },
    /// A given force.
    Given { force: f64 },
    /// Tied to other coordinates by the gear in this slot, with this factor.
    Geared { gear: u32, factor: f64 },
}

/// One row of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RowSpec {
    pub measure: Measure,
    pub law: RowLaw,
    pub purpose: Purpose,
    /// Which of the six coordinates it is about.
    pub axis: usize,
    /// Rows of the block that begins here; zero within a block.
    pub block: usize,
}

/// A row's law in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Posed {
    pub law: Law,
    /// c \[1/kg, 1/(kg·m²)\].
    pub compliance: f64,
    /// b [m/s, rad/s]; without the gap of a limit.
    pub bias: f64,
}

impl RowSpec {
    /// The law of the row in a piece of `h` \[s\] that begins with this value and rate of the coordinate.
    pub fn pose(&self, h: f64, value: f64, rate: f64) -> Posed {
        let rigid = |law| Posed { law, compliance: 0.0, bias: 0.0 };
        let bounded = |force: f64| match force {
            f64::INFINITY => Law::Equality,
            _ => Law::Interval { lo: -h * force, hi: h * force },
        };
        match self.law {
            RowLaw::Hold { .. } | RowLaw::Geared { .. } => rigid(Law::Equality),
            RowLaw::Stop { .. } => rigid(Law::NonNegative),
            RowLaw::Speed { target, force } => Posed { bias: -target, ..rigid(bounded(force)) },
            RowLaw::Spring { stiffness: k, damping: d, target, velocity, force } => Posed {
                law: bounded(force),
                compliance: 1.0 / (h * (h * k + d)),
                bias: (k * (value - target) - d * velocity) / (h * k + d),
            },
            RowLaw::Given { force } => rigid(Law::Interval { lo: h * force, hi: h * force }),
            RowLaw::Rotor { inertia } => Posed { law: Law::Equality, compliance: 1.0 / inertia, bias: -rate },
        }
    }

    /// Sign of the row along its coordinate.
    pub fn sign(&self) -> f64 {
        if let RowLaw::Stop { sign, .. } = self.law { sign } else { 1.0 }
    }

    /// Error of a locked row, or the gap of a limit, where its coordinate has this value [m, rad]; zero for others.
    pub fn error(&self, value: f64) -> f64 {
        match self.law {
            RowLaw::Hold { at } => value - at,
            RowLaw::Stop { at, sign, .. } => sign * (value - at),
            _ => 0.0,
        }
    }

    /// Whether its impulse is given and not solved for.
    pub fn is_given(&self) -> bool {
        matches!(self.law, RowLaw::Given { .. })
    }

    /// Whether it is bound to rows of other joints, and no row of a problem by itself.
    pub fn is_geared(&self) -> bool {
        self.purpose == Purpose::Gear
    }

    /// Whether it is a locked coordinate.
    pub fn is_locked(&self) -> bool {
        self.purpose == Purpose::Constraint
    }
}

/// The rows of a joint.
pub(crate) fn rows_of(joint: &Joint) -> Vec<RowSpec> {
    let mut rows = Vec::new();
    let hold = |measure, axis, block| RowSpec {
        measure,
        law: RowLaw::Hold { at: 0.0 },
        purpose: Purpose::Constraint,
        axis,
        block,
    };
    let free: Vec<usize> = joint.free_axes().collect();
    let length = joint.kind.length().unwrap_or(0.0);
    if let Freedom::Length { slack } = joint.kind.freedom() {
        let (law, purpose) = match slack {
            true => {
                let restitution = joint.coordinates[0].restitution;
                (RowLaw::Stop { at: length, sign: -1.0, restitution }, Purpose::Limit)
            }
            false => (RowLaw::Hold { at: length }, Purpose::Constraint),
        };
        rows.push(RowSpec { measure: Measure::Length, law, purpose, axis: 0, block: 1 });
        if slack {
            acting(joint, Measure::Length, 0, &mut rows);
        }
        return rows;
    }
    let locked = |range: std::ops::Range<usize>| range.filter(|axis| !free.contains(axis)).collect::<Vec<_>>();
    let (shifts, turns) = (locked(0..3), locked(3..6));
    for (place, axis) in shifts.iter().enumerate() {
        let measure = if shifts.len() == 3 { Measure::Apart(*axis) } else { Measure::Along(*axis) };
        rows.push(hold(measure, *axis, if place == 0 { shifts.len() } else { 0 }));
    }
    for (place, axis) in turns.iter().enumerate() {
        let about = axis - 3;
        let measure = match turns.len() {
            3 => Measure::Turn(about),
            // The three axes have the numbers 3, 4 and 5: what is missing to 12 is the free one.
            2 => Measure::Tilt { hinge: 9 - turns.iter().sum::<usize>(), about },
            _ => Measure::Cross(about),
        };
        rows.push(hold(measure, *axis, if place == 0 { turns.len() } else { 0 }));
    }
    for axis in free {
        let measure = if axis < 3 { Measure::Along(axis) } else { Measure::Angle(axis - 3) };
        acting(joint, measure, axis, &mut rows);
    }
    rows
}

/// Rows of what acts along a free coordinate.
fn acting(joint: &Joint, measure: Measure, axis: usize, rows: &mut Vec<RowSpec>) {
    let coordinate = &joint.coordinates[axis];
    let mut push = |law, purpose| rows.push(RowSpec { measure, law, purpose, axis, block: 1 });
    if let Some([lo, hi]) = coordinate.limits {
        // What is never negative needs no limit that keeps it so.
        let acts = |at: f64, sign: f64| at.is_finite() && !(sign > 0.0 && joint.kind.is_size(axis));
        for (at, sign) in [(lo, 1.0), (hi, -1.0)].into_iter().filter(|(at, sign)| acts(*at, *sign)) {
            push(RowLaw::Stop { at, sign, restitution: coordinate.restitution }, Purpose::Limit);
        }
    }
    match coordinate.motor {
        None => {}
        Some(Motor::Velocity { target, max_force: force }) => push(RowLaw::Speed { target, force }, Purpose::Motor),
        Some(Motor::Servo { stiffness, damping, target, velocity, max_force: force }) => {
            push(RowLaw::Spring { stiffness, damping, target, velocity, force }, Purpose::Motor);
        }
    }
    if coordinate.friction > 0.0 {
        push(RowLaw::Speed { target: 0.0, force: coordinate.friction }, Purpose::Friction);
    }
    let spring = coordinate.spring.unwrap_or_default();
    let (stiffness, damping) = (spring.stiffness, spring.damping + coordinate.damping);
    if stiffness > 0.0 || damping > 0.0 {
        let law = RowLaw::Spring { stiffness, damping, target: spring.rest, velocity: 0.0, force: f64::INFINITY };
        push(law, Purpose::Spring);
    }
    if coordinate.force != 0.0 {
        push(RowLaw::Given { force: coordinate.force }, Purpose::Motor);
    }
    if coordinate.armature > 0.0 {
        push(RowLaw::Rotor { inertia: coordinate.armature }, Purpose::Armature);
    }
}

//! The kinds of joints. A kind is defined by the table in this file; no other code of the engine distinguishes kinds.
//!
//! With frame B on the body and frame A on the other end, a joint has six coordinates: the place of B in A along A's axes x, y,
//! z \[m\], and the angles α, β, γ of `R_A⁻¹ R_B = R_x(α) R_y(β) R_z(γ)` [rad]. All are zero where the frames coincide. A kind says which of them are free; the
//! others are locked at zero. Two kinds have one coordinate instead, the distance of the two points.

use crate::joint::Coordinate;
use serde::{Deserialize, Serialize};

/// Kind of a joint: which coordinates are free.
///
/// ```
/// use signorini::JointKind;
/// assert_eq!(JointKind::Revolute.name(), "revolute");
/// assert_eq!(JointKind::named("rope", 2.0), Some(JointKind::Rope { length: 2.0 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum JointKind {
    /// The distance of the anchors: a rod without mass.
    Distance {
        /// \[m\].
        length: f64,
    },
    /// The anchors coincide.
    Ball,
    /// The anchors coincide and the bodies do not turn against each other.
    Fixed,
    /// A hinge: the bodies turn about the z axis of the frames.
    Revolute,
    /// A slider: the body slides along the z axis of the other frame and does not turn.
    Prismatic,
    /// The body slides along the z axis of the other frame and turns about it.
    Cylindrical,
    /// A universal joint: the body turns about the x axis of the other frame and the y axis of its own.
    Universal,
    /// The body moves in the x-y plane of the other frame and turns about its z axis.
    Planar,
    /// The distance of the anchors is at most this.
    Rope {
        /// \[m\].
        length: f64,
    },
    /// Each of the six coordinates is locked or free.
    Generic,
    /// The anchors coincide, as those of a ball. Its coordinates are the swing, the angle between the z axes of the
    /// frames; the turn, the angle of the whole rotation; and the twist, the angle about the z axis besides the swing.
    SwingTwist,
}

/// The free coordinates of a kind.
pub(crate) enum Freedom {
    /// The distance of the two points; zero or one coordinate.
    Length {
        /// Whether it may be less than the length of the kind.
        slack: bool,
    },
    /// These of the six, ascending.
    Of(&'static [usize]),
    /// Those that are not locked.
    Chosen,
}

impl JointKind {
    /// Its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            JointKind::Distance { .. } => "distance",
            JointKind::Ball => "ball",
            JointKind::Fixed => "fixed",
            JointKind::Revolute => "revolute",
            JointKind::Prismatic => "prismatic",
            JointKind::Cylindrical => "cylindrical",
            JointKind::Universal => "universal",
            JointKind::Planar => "planar",
            JointKind::Rope { .. } => "rope",
            JointKind::Generic => "generic",
            JointKind::SwingTwist => "swing_twist",
        }
    }

    /// Which coordinates are free.
    pub(crate) fn freedom(&self) -> Freedom {
        match self {
            JointKind::Distance { .. } => Freedom::Length { slack: false },
            JointKind::Rope { .. } => Freedom::Length { slack: true },
            JointKind::Fixed => Freedom::Of(&[]),
            JointKind::Ball | JointKind::SwingTwist => Freedom::Of(&[3, 4, 5]),
            JointKind::Revolute => Freedom::Of(&[5]),
            JointKind::Prismatic => Freedom::Of(&[2]),
            JointKind::Cylindrical => Freedom::Of(&[2, 5]),
            JointKind::Universal => Freedom::Of(&[3, 4]),
            JointKind::Planar => Freedom::Of(&[0, 1, 5]),
            JointKind::Generic => Freedom::Chosen,
        }
    }

    /// The length of a rod or rope \[m\].
    pub fn length(&self) -> Option<f64> {
        match self {
            JointKind::Distance { length } | JointKind::Rope { length } => Some(*length),
            _ => None,
        }
    }

    /// All kinds in the order of their numbers in files, with this length where they have one.
    pub(crate) fn all(length: f64) -> [JointKind; 11] {
        use JointKind::*;
        [
            Distance { length },
            Ball,
            Fixed,
            Revolute,
            Prismatic,
            Cylindrical,
            Universal,
            Planar,
            Rope { length },
            Generic,
            SwingTwist,
        ]
    }

    /// The kind with this name in files, with this length \[m\] if it has one.
    pub fn named(name: &str, length: f64) -> Option<JointKind> {
        JointKind::all(length).into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it holds the orientation that the bodies have when the joint is added, and not that of the frames.
    pub(crate) fn keeps_orientation(&self) -> bool {
        matches!(self, JointKind::Fixed)
    }

    /// Whether its angles are swing, turn and twist in place of α, β, γ.
    pub(crate) fn swings(&self) -> bool {
        matches!(self, JointKind::SwingTwist)
    }

    /// Whether a coordinate is the size of an angle, which is never negative and has no direction where it is zero: it has a limit from
    /// above, and nothing else acts along it.
    pub(crate) fn is_size(&self, axis: usize) -> bool {
        self.swings() && (3..5).contains(&axis)
    }

    /// Places of the free coordinates among the six, ascending; of a rope the first.
    pub(crate) fn free(&self, coordinates: &[Coordinate; 6]) -> impl Iterator<Item = usize> + use<> {
        let mask: [bool; 6] = match self.freedom() {
            Freedom::Length { slack } => std::array::from_fn(|i| slack && i == 0),
            Freedom::Of(list) => std::array::from_fn(|i| list.contains(&i)),
            Freedom::Chosen => std::array::from_fn(|i| !coordinates[i].locked),
        };
        (0..6).filter(move |i| mask[*i])
    }
}

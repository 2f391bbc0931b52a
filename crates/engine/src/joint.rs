//! Joints: what ties two bodies, or a body and a point of the world.
//!
//! Joints are blocks of the same problem as contacts: equalities `u = 0` at velocity level, with the drift of positions
//! taken out by the position stage. With `d = p_B − p_A` between the anchors and arms `r` from the centres of mass,
//!
//! | joint | rows | velocity | error |
//! |---|---|---|---|
//! | distance | 1 | `n·ḋ`, n = d/‖d‖ | ‖d‖ − length |
//! | ball | 3 | `ḋ` | d |
//! | fixed | 3 + 3 | `ḋ` and `ω_B − ω_A` | d and the rotation vector of `q_B q₀⁻¹ q_A⁻¹` |

use crate::body::MAX_POSITION;
use crate::{BodyHandle, WorldError};
use glamx::{DQuat, DVec3};

/// Greatest distance that a joint holds \[m\]: across all positions there are.
const MAX_LENGTH: f64 = 1e11;
/// What the components of the anchors are called in errors.
const ANCHOR_A: [&str; 3] = ["anchor a x", "anchor a y", "anchor a z"];
const ANCHOR_B: [&str; 3] = ["anchor b x", "anchor b y", "anchor b z"];

/// One end of a joint. A joint between two points of the world cannot be written down: see [`Joint`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// A point of a body, in its frame \[m\].
    Body(BodyHandle, DVec3),
    /// A point of the world \[m\].
    World(DVec3),
}

impl From<(BodyHandle, DVec3)> for Anchor {
    fn from((body, point): (BodyHandle, DVec3)) -> Self {
        Anchor::Body(body, point)
    }
}

impl From<DVec3> for Anchor {
    fn from(point: DVec3) -> Self {
        Anchor::World(point)
    }
}

/// What a joint holds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// The distance of the anchors \[m\]: a rod without mass.
    Distance {
        /// \[m\], positive.
        length: f64,
    },
    /// The anchors coincide: a ball in a socket.
    Ball,
    /// The anchors coincide and the bodies do not turn against each other.
    Fixed,
}

/// Whether jointed bodies may touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairContact {
    /// Contacts between the two bodies are not looked for: their shapes usually overlap at the joint.
    #[default]
    Ignored,
    /// They touch like any two bodies.
    Kept,
}

/// A joint to be added to a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// What it holds.
    pub kind: JointKind,
    /// The first body and the anchor in its frame \[m\].
    pub a: (BodyHandle, DVec3),
    /// The other end.
    pub b: Anchor,
    /// Whether the two bodies may touch.
    pub contact: PairContact,
}

impl Joint {
    fn new(kind: JointKind, body: BodyHandle, anchor: DVec3, other: impl Into<Anchor>) -> Self {
        Joint { kind, a: (body, anchor), b: other.into(), contact: PairContact::default() }
    }
    /// Keeps the anchors `length` \[m\] apart.
    pub fn distance(body: BodyHandle, anchor: DVec3, other: impl Into<Anchor>, length: f64) -> Self {
        Joint::new(JointKind::Distance { length }, body, anchor, other)
    }
    /// Keeps the anchors together.
    pub fn ball(body: BodyHandle, anchor: DVec3, other: impl Into<Anchor>) -> Self {
        Joint::new(JointKind::Ball, body, anchor, other)
    }
    /// Keeps the anchors together and the orientations as they are when the joint is added.
    pub fn fixed(body: BodyHandle, anchor: DVec3, other: impl Into<Anchor>) -> Self {
        Joint::new(JointKind::Fixed, body, anchor, other)
    }
    /// Lets the two bodies touch, or not.
    pub fn contact(mut self, contact: PairContact) -> Self {
        self.contact = contact;
        self
    }

    pub(crate) fn check(&self) -> Result<(), WorldError> {
        if let JointKind::Distance { length } = self.kind
            && !(length > 0.0 && length <= MAX_LENGTH)
        {
            return Err(WorldError::JointValue { field: "length", value: length, range: "(0, 1e11] m" });
        }
        let other = match self.b {
            Anchor::Body(_, point) | Anchor::World(point) => point,
        };
        let ends = ANCHOR_A.into_iter().zip(self.a.1.to_array());
        for (field, value) in ends.chain(ANCHOR_B.into_iter().zip(other.to_array())) {
            // A NaN fails every comparison.
            if !(-MAX_POSITION..=MAX_POSITION).contains(&value) {
                return Err(WorldError::JointValue { field, value, range: "[-1e10, 1e10] m" });
            }
        }
        Ok(())
    }
}

/// What the world keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointRecord {
    pub joint: Joint,
    /// `q_A⁻¹ q_B` when the joint was made.
    pub relative: DQuat,
    /// Impulse of the last step, row by row \[N·s, N·m·s\]: the next guess.
    pub impulse: [f64; 6],
}

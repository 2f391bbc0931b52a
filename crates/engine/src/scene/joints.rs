//! Joints, as they are written in scenes.

use super::{Triple, is_default};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A joint between two bodies, or between a body and a point of the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a joint: a table with kind, a and b")]
pub struct JointDescription {
    /// What it holds.
    pub kind: JointKindDescription,
    /// One end.
    pub a: EndDescription,
    /// The other end: without `body`, a point of the world.
    pub b: EndDescription,
    /// Whether the two bodies may touch.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bodies_touch: bool,
    /// Limits, motors and so on of the free coordinates, in their order; for a generic joint of all six.
    #[serde(default, skip_serializing_if = "is_default")]
    pub coordinates: Vec<crate::Coordinate>,
    /// Force on the locked coordinates at which it breaks \[N\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_force: Option<f64>,
    /// Torque on the locked coordinates at which it breaks [N·m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_torque: Option<f64>,
}

impl JointDescription {
    /// A joint without limits, motors and so on, whose bodies do not touch.
    pub fn new(kind: JointKindDescription, a: EndDescription, b: EndDescription) -> Self {
        let (coordinates, bodies_touch) = (Vec::new(), false);
        JointDescription { kind, a, b, bodies_touch, coordinates, break_force: None, break_torque: None }
    }
}

/// An equation between coordinates of joints: the sum of them, each times its factor, is the offset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a gear: a table with terms")]
pub struct GearDescription {
    /// The coordinates.
    pub terms: Vec<GearTermDescription>,
    /// Prescribed sum [m, rad].
    #[serde(default, skip_serializing_if = "is_default")]
    pub offset: f64,
}

/// A coordinate in a gear.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table such as { joint = 0, factor = 1.0 }")]
pub struct GearTermDescription {
    /// Which of the scene's joints, counted from zero.
    pub joint: usize,
    /// Which of its free coordinates, counted from zero.
    #[serde(default, skip_serializing_if = "is_default")]
    pub coordinate: usize,
    /// Its factor.
    pub factor: f64,
}

/// What a joint holds.
pub type JointKindDescription = crate::JointKind;

/// One end of a joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table such as { body = \"ball\", point = [0, 0, 0] }")]
pub struct EndDescription {
    /// Name of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// In the body's frame, or of the world \[m\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub point: Triple,
    /// Axes of the joint there, a unit quaternion (w, x, y, z): hinges turn about their z axis, sliders slide along it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<[f64; 4]>,
}

impl EndDescription {
    /// A point of a body, or of the world \[m\].
    pub fn new(body: Option<&str>, point: Triple) -> Self {
        EndDescription { body: body.map(str::to_owned), point, axes: None }
    }
}

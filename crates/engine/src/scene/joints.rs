//! Joints, as they are written in scenes.

use super::{Triple, is_default};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A joint between two bodies, or between a body and a point of the world.
///
/// ```
/// let scene = signorini::Scene::from_toml(r#"
///     [[bodies]]
///     name = "bob"
///     shape = { sphere = { radius = 0.1 } }
///     position = [1, 0, 0]
///
///     [[joints]]
///     kind = { distance = { length = 1 } }
///     a = { body = "bob" }
///     b = { point = [0, 0, 0] }
/// "#)?;
/// assert_eq!(scene.joints[0].a.body.as_deref(), Some("bob"));
/// # Ok::<(), signorini::SceneError>(())
/// ```
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
///
/// ```
/// use signorini::scene::{GearDescription, GearTermDescription};
/// let term = |joint, factor| GearTermDescription { joint, coordinate: 0, factor };
/// // The first joint turns three times as fast as the second, the other way round.
/// let gear = GearDescription { terms: vec![term(0, 1.0), term(1, 3.0)], offset: 0.0 };
/// assert_eq!(gear.terms.len(), 2);
/// ```
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
///
/// ```
/// let term = signorini::scene::GearTermDescription { joint: 0, coordinate: 0, factor: 1.0 };
/// assert_eq!(term.factor, 1.0);
/// ```
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
///
/// ```
/// let end = signorini::scene::EndDescription { body: Some("bob".into()), point: [0.0; 3], axes: None };
/// assert!(end.body.is_some());
/// ```
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

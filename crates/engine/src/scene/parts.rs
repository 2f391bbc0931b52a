//! Parts of compounds, as they are written in scenes.

use super::{ShapeDescription, Triple, is_default};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One shape of a compound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a part: a table with a shape")]
pub struct PartDescription {
    /// What it is.
    pub shape: ShapeDescription,
    /// Where it is in the frame of the body \[m\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub position: Triple,
    /// Orientation, a unit quaternion (w, x, y, z).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
    /// Layers that it is in, bit by bit, besides those of the body.
    #[serde(default = "all_layers", skip_serializing_if = "is_all")]
    pub layers: u32,
    /// Layers that it meets, bit by bit, besides those of the body.
    #[serde(default = "all_layers", skip_serializing_if = "is_all")]
    pub mask: u32,
    /// Whether it detects others instead of pushing them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sensor: bool,
    /// What it counts for in the mass of the whole, if not for what it is: a piece of a solid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts_for: Option<UnitMass>,
}

impl PartDescription {
    /// A shape at a place of the body, which pushes everything.
    pub fn new(shape: ShapeDescription, position: Triple, orientation: Option<[f64; 4]>) -> Self {
        PartDescription {
            shape,
            position,
            orientation,
            layers: u32::MAX,
            mask: u32::MAX,
            sensor: false,
            counts_for: None,
        }
    }
}

/// Mass properties at a density of 1 kg/m³.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitMass {
    /// \[m³\].
    pub volume: f64,
    /// Centre in the axes of the part \[m\].
    pub centre: Triple,
    /// Inertia about the centre, in the axes of the part \[m⁵\].
    pub inertia: [Triple; 3],
}

pub(super) fn is_all(layers: &u32) -> bool {
    *layers == u32::MAX
}

fn all_layers() -> u32 {
    u32::MAX
}

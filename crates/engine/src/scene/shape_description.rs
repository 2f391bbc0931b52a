//! Shapes as data.

use super::{Triple, is_default};
use crate::shape::Decomposition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a body is made of; lengths \[m\]. Axes of capsule, cylinder and cone are z.
///
/// ```
/// use signorini::Shape;
/// use signorini::scene::ShapeDescription;
/// let ball = ShapeDescription::Sphere { radius: 0.5 };
/// assert_eq!(Shape::sphere(0.5)?.describe(), ball);
/// # Ok::<(), signorini::ShapeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ShapeDescription {
    /// Ball about the origin.
    Sphere {
        /// \[m\].
        radius: f64,
    },
    /// Box from `-half_extents` to `half_extents`.
    Cuboid {
        /// \[m\].
        half_extents: Triple,
    },
    /// Ellipsoid that reaches `half_extents` along the axes.
    Ellipsoid {
        /// \[m\].
        half_extents: Triple,
    },
    /// All points within `radius` of a box from `-half_extents` to `half_extents`.
    RoundedCuboid {
        /// Of the box inside \[m\].
        half_extents: Triple,
        /// \[m\].
        radius: f64,
    },
    /// All points within `radius` of the smallest convex solid around points.
    RoundedHull {
        /// \[m\].
        points: Vec<Triple>,
        /// \[m\].
        radius: f64,
    },
    /// What a closed surface of triangles encloses, convex or not: collided as convex pieces, weighed exactly.
    Solid {
        /// \[m\].
        vertices: Vec<Triple>,
        /// Three indices of vertices each, counter-clockwise seen from outside.
        triangles: Vec<[u32; 3]>,
        /// Points of every convex piece \[m\]; none: pieces are found.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pieces: Vec<Vec<Triple>>,
        /// Voxels along the longest side by which pieces are found, from 8 to 256.
        #[serde(default = "resolution")]
        resolution: u32,
        /// Share of its volume that a piece may lack to its hull.
        #[serde(default = "concavity")]
        concavity: f64,
        /// Most pieces.
        #[serde(default = "max_parts")]
        max_parts: u32,
    },
    /// All points within `radius` of a segment.
    Capsule {
        /// Half the length of the segment \[m\].
        half_height: f64,
        /// \[m\].
        radius: f64,
    },
    /// Right circular cylinder.
    Cylinder {
        /// \[m\].
        half_height: f64,
        /// \[m\].
        radius: f64,
    },
    /// Right circular cone, tip up.
    Cone {
        /// \[m\].
        half_height: f64,
        /// Of the base \[m\].
        radius: f64,
    },
    /// Smallest convex solid around points.
    Hull {
        /// \[m\].
        points: Vec<Triple>,
    },
    /// Everything behind a plane through the origin; fixed bodies only.
    HalfSpace {
        /// Points to the free side.
        normal: Triple,
    },
    /// Surface of triangles; fixed bodies only.
    Mesh {
        /// \[m\].
        vertices: Vec<Triple>,
        /// Three indices of vertices each, counter-clockwise seen from outside.
        triangles: Vec<[u32; 3]>,
    },
    /// A mesh file (.obj or .stl) in the folder of the scene or below it.
    File {
        /// Path relative to the scene file.
        path: String,
        /// What to make of it.
        r#as: MeshUse,
        /// Factor from the file's unit to metres.
        #[serde(default = "one")]
        scale: f64,
    },
    /// Ground over a grid centred on the origin; fixed bodies only.
    HeightField {
        /// Number of heights along x.
        columns: usize,
        /// Number of heights along y.
        rows: usize,
        /// Distance of neighbours along x and y \[m\].
        spacing: [f64; 2],
        /// Row by row \[m\].
        heights: Vec<f64>,
    },
    /// Nothing: a body that touches nothing. Its mass is given as `inertial`.
    #[default]
    None,
    /// Several shapes moving as one.
    Compound {
        /// The parts.
        parts: Vec<PartDescription>,
    },
}

fn one() -> f64 {
    1.0
}

fn resolution() -> u32 {
    Decomposition::default().resolution
}

fn concavity() -> f64 {
    Decomposition::default().concavity
}

fn max_parts() -> u32 {
    Decomposition::default().max_parts
}

/// What a mesh file stands for.
///
/// ```toml
/// shape = { file = { path = "bowl.obj", as = "hull" } }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeshUse {
    /// The convex hull of its vertices.
    Hull,
    /// The surface itself; fixed bodies only.
    Surface,
    /// What the closed surface encloses, as convex pieces.
    Solid,
}

/// One shape of a compound.
///
/// ```
/// let scene = signorini::Scene::from_toml(r#"
///     [[bodies]]
///     name = "hammer"
///
///     [[bodies.shape.compound.parts]]
///     shape = { cuboid = { half_extents = [0.1, 0.02, 0.02] } }
///
///     [[bodies.shape.compound.parts]]
///     shape = { sphere = { radius = 0.05 } }
///     position = [0.1, 0, 0]
/// "#)?;
/// assert_eq!(scene.build()?.bodies().count(), 1);
/// # Ok::<(), signorini::SceneError>(())
/// ```
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
        let (layers, mask) = (u32::MAX, u32::MAX);
        PartDescription { shape, position, orientation, layers, mask, sensor: false, counts_for: None }
    }
}

pub(super) fn is_all(layers: &u32) -> bool {
    *layers == u32::MAX
}

fn all_layers() -> u32 {
    u32::MAX
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

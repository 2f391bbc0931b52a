//! Scenes as data: the description of a world, written by people (TOML) or programs (JSON), or read from robot files
//! (URDF, MJCF).
//!
//! Files, built-in scenes, recordings and language bindings share one schema. [`Scene::build`] checks everything and
//! makes a [`World`](crate::World). The error of a refused scene names the place, what is wrong, and what would be
//! right.
//!
//! ```toml
//! name = "ball"
//! duration = 2.0
//!
//! [[bodies]]
//! name = "floor"
//! kind = "fixed"
//! shape = { half_space = { normal = [0, 0, 1] } }
//!
//! [[bodies]]
//! name = "ball"
//! shape = { sphere = { radius = 0.5 } }
//! position = [0, 0, 2]
//! ```

mod budget;
mod build;
mod describe;
mod error;
mod joints;
mod mesh_file;
#[cfg(feature = "mjcf")]
mod mjcf;
mod options;
mod places;
mod robot_files;
mod shape_description;
mod shapes;
mod shared;
mod text;
#[cfg(feature = "urdf")]
mod urdf;
#[cfg(any(feature = "urdf", feature = "mjcf"))]
mod xml;

pub use budget::{BudgetDescription, BudgetName};
pub use build::{BODY_LIMIT, STEP_LIMIT};
pub use error::{SceneError, TextPlace};
pub use joints::{EndDescription, GearDescription, GearTermDescription, JointDescription, JointKindDescription};
pub use mesh_file::{MESH_FILE_LIMIT, MESH_LIMIT};
pub use options::{MaterialPairDescription, OptionsDescription};
pub use robot_files::{Base, RobotOptions};
pub use shape_description::{MeshUse, PartDescription, ShapeDescription, UnitMass};
pub use text::{DEPTH_LIMIT, TEXT_LIMIT, nearest};

use crate::material::is_default;
use crate::robot::{Notice, SelfCollision};
use crate::{Combine, ImpactLaw, Kind, Material, Settings, Sleeping, Stabilisation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Three numbers.
pub type Triple = [f64; 3];

/// Description of a world, with the time step and duration of its simulation.
///
/// ```
/// let scene = signorini::Scene::from_toml(r#"
///     [[bodies]]
///     name = "ball"
///     shape = { sphere = { radius = 0.5 } }
/// "#)?;
/// assert_eq!(scene.build()?.bodies().count(), 1);
/// # Ok::<(), signorini::SceneError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a scene: a table")]
pub struct Scene {
    /// Name.
    pub name: String,
    /// Description in one or two sentences.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Acceleration of free fall [m/s²].
    pub gravity: Triple,
    /// Time step \[s\].
    pub step: f64,
    /// Duration of the simulation \[s\].
    pub duration: f64,
    /// Options of the solver.
    pub solver: SolverDescription,
    /// How overlap, drift and slow impacts are treated.
    #[serde(skip_serializing_if = "is_default")]
    pub treatment: TreatmentDescription,
    /// Materials by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub materials: BTreeMap<String, Material>,
    /// Coefficients of pairs of materials, in place of the combination rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub material_pairs: Vec<MaterialPairDescription>,
    /// The bodies.
    pub bodies: Vec<BodyDescription>,
    /// The joints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointDescription>,
    /// Gears: equations between coordinates of joints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gears: Vec<GearDescription>,
    /// Pairs of bodies that do not touch, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<[String; 2]>,
    /// Robots from files, beside the bodies. Reading a scene file makes bodies and joints of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub robots: Vec<RobotEntry>,
    /// Notes on parts of the files that have no effect, each with its place.
    #[serde(skip)]
    pub notices: Vec<Notice>,
}

/// A robot from a file.
///
/// ```toml
/// robots = [{ file = "arm.urdf", prefix = "left/", position = [0, 1, 0] }]
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a robot: a table with file")]
pub struct RobotEntry {
    /// Path of a URDF or MJCF file, relative to the scene file and in its folder or below.
    pub file: String,
    /// Prefix of the names of its bodies; by default the name of the robot and a slash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Position of its base \[m\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub position: Triple,
    /// Orientation of its base, a unit quaternion (w, x, y, z).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
    /// Its coordinates; by default its home pose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<Vec<f64>>,
    /// Whether its base is fixed, free, or as in the file.
    #[serde(default, skip_serializing_if = "is_default")]
    pub base: Base,
    /// Which of its links may touch each other.
    #[serde(default, skip_serializing_if = "is_default")]
    pub self_collision: SelfCollision,
    /// Further folders for its files, below that of the scene.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<String>,
}

impl Default for Scene {
    fn default() -> Self {
        Scene {
            name: String::new(),
            description: String::new(),
            gravity: Settings::default().gravity.to_array(),
            step: 1.0 / 60.0,
            duration: 5.0,
            solver: SolverDescription::default(),
            treatment: TreatmentDescription::default(),
            materials: BTreeMap::new(),
            material_pairs: Vec::new(),
            bodies: Vec::new(),
            joints: Vec::new(),
            gears: Vec::new(),
            apart: Vec::new(),
            robots: Vec::new(),
            notices: Vec::new(),
        }
    }
}

impl Scene {
    /// Number of steps of `step` seconds that make up `duration`, rounded to the nearest.
    pub fn steps(&self) -> u64 {
        let steps = (self.duration / self.step).round();
        // The cast saturates; a NaN becomes zero.
        if steps > 0.0 { steps as u64 } else { 0 }
    }
}

/// Options of the solver.
///
/// ```
/// let solver = signorini::scene::SolverDescription { accept: 1e-9, ..Default::default() };
/// assert_eq!(solver.method, "exact");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table such as { method = \"exact\" }")]
pub struct SolverDescription {
    /// Name of the method, as `signorini methods` lists them.
    pub method: String,
    /// Tolerance that is aimed at while that is cheap [m/s], relative to the speed of approach if that is above 1 m/s.
    pub tolerance: f64,
    /// Largest residual of a certified step [m/s]; if `tolerance` is larger, that counts.
    pub accept: f64,
    /// Limit on work per group of touching bodies and step: a number of factorizations, or a name.
    pub budget: BudgetDescription,
    /// Limit on iterations of the method, in its own unit; by default the method's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<usize>,
}

impl Default for SolverDescription {
    fn default() -> Self {
        let Settings { method, stop, accept, budget, .. } = Settings::default();
        SolverDescription {
            method: method.name().to_owned(),
            tolerance: stop.tolerance.value,
            accept,
            budget: budget.into(),
            max_iterations: stop.max_iterations,
        }
    }
}

/// How overlap, drift and slow impacts are treated; see [`Settings`].
///
/// ```
/// let treatment = signorini::scene::TreatmentDescription { rest_speed: 0.1, ..Default::default() };
/// assert_eq!(treatment.joint_correction, 0.5);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct TreatmentDescription {
    /// Contacts that approach more slowly do not bounce [m/s].
    pub rest_speed: f64,
    /// How overlap is removed.
    pub stabilisation: Stabilisation,
    /// Fraction of a joint's position error removed per step \[1\].
    pub joint_correction: f64,
    /// Distance within which contacts of slow bodies are computed \[m\].
    pub margin: f64,
    /// Whether islands at rest sleep.
    #[serde(skip_serializing_if = "is_default")]
    pub sleeping: Sleeping,
    /// What happens when several contacts bounce at once.
    #[serde(skip_serializing_if = "is_default")]
    pub impact: ImpactLaw,
}

impl Default for TreatmentDescription {
    fn default() -> Self {
        TreatmentDescription::from(&Settings::default())
    }
}

/// A body, or a grid of equal bodies.
///
/// ```
/// use signorini::scene::{BodyDescription, ShapeDescription};
/// let ball = BodyDescription::new("ball", ShapeDescription::Sphere { radius: 0.5 });
/// let ball = BodyDescription { mass: Some(2.0), position: [0.0, 0.0, 1.0], ..ball };
/// assert_eq!(ball.name, "ball");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a body: a table with name and shape")]
pub struct BodyDescription {
    /// Its name; no two bodies share one. A body of a grid is called `name/i/j/k`.
    pub name: String,
    /// How it moves.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: Kind,
    /// Its shape.
    pub shape: ShapeDescription,
    /// Mass \[kg\], spread evenly over the shape. Give this or the density; neither means the density of water.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Density [kg/m³].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Mass, centre and inertia as given, whatever the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertial: Option<InertialDescription>,
    /// Position of the origin of the body's frame \[m\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub position: Triple,
    /// Orientation, a unit quaternion (w, x, y, z).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
    /// Orientation as an axis and an angle, instead of a quaternion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Velocity of the centre of mass [m/s].
    #[serde(default, skip_serializing_if = "is_default")]
    pub velocity: Triple,
    /// Angular velocity, world axes [rad/s].
    #[serde(default, skip_serializing_if = "is_default", alias = "spin")]
    pub angular_velocity: Triple,
    /// Name of its material, from `materials`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Friction coefficient of this body, in place of that of its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Restitution of this body, in place of that of its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Combination rule of this body's friction, in place of that of its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction_rule: Option<Combine>,
    /// Combination rule of this body's restitution, in place of that of its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution_rule: Option<Combine>,
    /// Continuous collision detection: the body never tunnels through others, however fast it is.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fast: bool,
    /// Its options.
    #[serde(default, skip_serializing_if = "is_default")]
    pub options: OptionsDescription,
    /// Makes a grid of equal bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Grid>,
}

impl BodyDescription {
    /// A dynamic body at the origin, at rest.
    pub fn new(name: impl Into<String>, shape: ShapeDescription) -> Self {
        BodyDescription { name: name.into(), shape, ..BodyDescription::default() }
    }

    /// A fixed body at the origin.
    pub fn fixed(name: impl Into<String>, shape: ShapeDescription) -> Self {
        BodyDescription { kind: Kind::Fixed, ..BodyDescription::new(name, shape) }
    }
}

/// Mass, centre of mass and inertia, in the frame of the body.
///
/// ```
/// // A thin rod of 1 m and 1 kg along x.
/// let rod = signorini::scene::InertialDescription {
///     mass: 1.0,
///     centre: [0.0; 3],
///     moments: [1e-6, 1.0 / 12.0, 1.0 / 12.0],
///     products: [0.0; 3],
/// };
/// assert_eq!(rod.mass, 1.0);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with mass and moments")]
pub struct InertialDescription {
    /// \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub centre: Triple,
    /// Moments of inertia about the centre, (I_xx, I_yy, I_zz) [kg·m²].
    pub moments: Triple,
    /// Off-diagonal entries of the inertia, (I_xy, I_xz, I_yz) [kg·m²]: minus ∫xy dm and so on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub products: Triple,
}

/// A turn about an axis.
///
/// ```
/// let quarter = signorini::scene::Rotation { axis: [0.0, 0.0, 1.0], degrees: 90.0 };
/// assert_eq!(quarter.degrees, 90.0);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table such as { axis = [0, 0, 1], degrees = 30 }")]
pub struct Rotation {
    /// Direction of the axis, any length above zero.
    pub axis: Triple,
    /// Angle in degrees, counter-clockwise seen against the axis.
    pub degrees: f64,
}

/// Equal bodies in rows: body (i, j, k) sits at `position + (i, j, k)·spacing`.
///
/// ```
/// let scene = signorini::Scene::from_toml(r#"
///     [[bodies]]
///     name = "ball"
///     shape = { sphere = { radius = 0.1 } }
///     grid = { count = [2, 3, 1], spacing = [0.5, 0.5, 0.5] }
/// "#)?;
/// assert_eq!(scene.build()?.bodies().count(), 6);
/// # Ok::<(), signorini::SceneError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table such as { count = [4, 4, 2], spacing = [1, 1, 1] }")]
pub struct Grid {
    /// How many along x, y and z.
    pub count: [u32; 3],
    /// Distance from one to the next along x, y and z \[m\].
    pub spacing: Triple,
}

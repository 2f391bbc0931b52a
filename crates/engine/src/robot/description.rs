//! Description of a robot, independent of the file format.
//!
//! Links form trees; every link says where its frame is in that of its parent and by which motions it may leave that
//! place, one after the other in its own frame: with `P` the pose at zero and `E_i` the motions,
//! `X_child = X_parent · P · E_1(q_1) ⋯ E_n(q_n)`. A link without motions is fixed to its parent; one without parent hangs
//! on the world.

use crate::scene::{ShapeDescription, TextPlace};
use crate::{MassProperties, Material};
use glamx::{DPose3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Largest number of links. Pairs of links are enumerated, and no real robot has as many.
pub const LINK_LIMIT: usize = 2000;

/// A robot, or several, with actuators and with constraints beyond the trees.
#[derive(Clone, Debug, Default)]
pub struct RobotDescription {
    /// Name in the file.
    pub name: String,
    /// The links, parents before children.
    pub links: Vec<LinkDescription>,
    /// The actuators.
    pub actuators: Vec<ActuatorDescription>,
    /// Constraints between links or joints beyond the trees.
    pub equalities: Vec<EqualityDescription>,
    /// Pairs of links that do not touch.
    pub excluded: Vec<[usize; 2]>,
    /// Pairs of links that touch even if their filters exclude it.
    pub forced: Vec<[usize; 2]>,
    /// Which links of one tree may touch.
    pub self_collision: SelfCollision,
    /// Named states.
    pub keyframes: Vec<KeyframeDescription>,
    /// Time step \[s\].
    pub step: Option<f64>,
    /// Acceleration of free fall [m/s²].
    pub gravity: Option<DVec3>,
    /// Parts of the file that have no effect here, each listed once.
    pub ignored: Vec<Notice>,
}

/// A part of a file that has no effect, or another effect than the file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Where it first stands in the file.
    pub at: TextPlace,
    /// What it is, and how it is treated.
    pub what: String,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.at, self.what)
    }
}

impl RobotDescription {
    /// Notes that something has no effect, unless that was noted before.
    pub fn ignore(&mut self, at: TextPlace, what: impl Into<String>) {
        let what = what.into();
        if self.ignored.iter().all(|notice| notice.what != what) {
            self.ignored.push(Notice { at, what });
        }
    }
}

/// Which links of one tree may touch.
///
/// ```
/// use signorini::robot::SelfCollision;
/// assert_eq!(SelfCollision::default(), SelfCollision::NotAdjacent);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SelfCollision {
    /// None.
    Off,
    /// All but parent and child, and pairs that overlap in the home pose.
    #[default]
    NotAdjacent,
}

/// A rigid piece, or a frame that has a name.
#[derive(Clone, Debug)]
pub struct LinkDescription {
    /// Its name.
    pub name: String,
    /// Its place in the file.
    pub at: TextPlace,
    /// Its parent link; `None` is the world.
    pub parent: Option<usize>,
    /// Its frame in that of the parent when all coordinates are zero.
    pub pose: DPose3,
    /// Its joints, the first nearest to the parent.
    pub joints: Vec<RobotJoint>,
    /// Mass, centre and inertia in its frame; none for a frame without mass.
    pub inertial: Option<MassProperties>,
    /// Its collision shapes.
    pub shapes: Vec<LinkShape>,
}

/// One shape of a link.
#[derive(Clone, Debug)]
pub struct LinkShape {
    /// Its name.
    pub name: String,
    /// Its place in the file.
    pub at: TextPlace,
    /// In the frame of the link.
    pub pose: DPose3,
    /// The shape.
    pub shape: ShapeDescription,
    /// Which other shapes it touches.
    pub filter: Filter,
    /// Its surface.
    pub material: Material,
}

/// Layers of a shape, as bits. Two shapes touch if one of them is in a layer that the other meets.
///
/// ```
/// use signorini::robot::Filter;
/// let shown_only = Filter { is: 0, meets: 0 };
/// assert_ne!(shown_only, Filter::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Layers that it is in.
    pub is: u32,
    /// Layers of the shapes that it meets.
    pub meets: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Filter { is: 1, meets: 1 }
    }
}

impl Filter {
    /// Whether shapes with these filters touch.
    pub fn touches(self, other: Filter) -> bool {
        self.is & other.meets != 0 || other.is & self.meets != 0
    }
}

/// A motion of one link against the one before.
///
/// ```
/// use signorini::robot::Motion;
/// // A free link has a position and a quaternion, and six rates.
/// assert_eq!((Motion::Free.coordinates(), Motion::Free.freedoms()), (7, 6));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Turns about an axis. One coordinate \[rad\].
    Hinge {
        /// A point of the axis in the frame of the link \[m\].
        point: DVec3,
        /// Its direction, a unit vector.
        axis: DVec3,
    },
    /// Moves along an axis. One coordinate \[m\].
    Slide {
        /// Its direction in the frame of the link, a unit vector.
        axis: DVec3,
    },
    /// Turns about a point. Coordinates: a unit quaternion (w, x, y, z); rates: angular velocity in the turned axes.
    Ball {
        /// In the frame of the link \[m\].
        point: DVec3,
    },
    /// Moves freely. Coordinates: position and quaternion (w, x, y, z) in the axes of the base; rates: velocity of the
    /// link's origin in those axes, then angular velocity in the link's own.
    Free,
}

impl Motion {
    /// Number of coordinates.
    pub fn coordinates(&self) -> usize {
        match self {
            Motion::Hinge { .. } | Motion::Slide { .. } => 1,
            Motion::Ball { .. } => 4,
            Motion::Free => 7,
        }
    }

    /// Number of rates.
    pub fn freedoms(&self) -> usize {
        match self {
            Motion::Hinge { .. } | Motion::Slide { .. } => 1,
            Motion::Ball { .. } => 3,
            Motion::Free => 6,
        }
    }

    /// The same motion seen from a frame that stands at `pose` in the frame of the link.
    pub(crate) fn seen_from(&self, pose: &DPose3) -> Motion {
        let back = pose.inverse();
        match *self {
            Motion::Hinge { point, axis } => {
                Motion::Hinge { point: back.transform_point(point), axis: back.rotation * axis }
            }
            Motion::Slide { axis } => Motion::Slide { axis: back.rotation * axis },
            Motion::Ball { point } => Motion::Ball { point: back.transform_point(point) },
            Motion::Free => Motion::Free,
        }
    }
}

/// A joint and its forces, in \[N\] along slides and [N·m] about hinges.
#[derive(Clone, Debug)]
pub struct RobotJoint {
    /// Its name.
    pub name: String,
    /// Its place in the file.
    pub at: TextPlace,
    /// How it moves.
    pub motion: Motion,
    /// Value of the coordinate at which the link is at its `pose`.
    pub reference: f64,
    /// Least and greatest value of the coordinate; of a ball, the angle of its turn.
    pub range: Option<[f64; 2]>,
    /// Greatest rate.
    pub max_speed: Option<f64>,
    /// Greatest force of its actuators.
    pub max_force: Option<f64>,
    /// Viscous damping, force over rate.
    pub damping: f64,
    /// Dry friction, a force.
    pub friction: f64,
    /// Inertia of a rotor behind a gear, as felt at the coordinate, [kg] or [kg·m²].
    pub armature: f64,
    /// Spring, force over coordinate.
    pub stiffness: f64,
    /// Value of the coordinate at which the spring is at rest.
    pub spring_rest: f64,
    /// Follows another joint.
    pub mimic: Option<Mimic>,
}

impl RobotJoint {
    /// A joint without forces.
    pub fn new(name: impl Into<String>, at: TextPlace, motion: Motion) -> Self {
        RobotJoint {
            name: name.into(),
            at,
            motion,
            reference: 0.0,
            range: None,
            max_speed: None,
            max_force: None,
            damping: 0.0,
            friction: 0.0,
            armature: 0.0,
            stiffness: 0.0,
            spring_rest: 0.0,
            mimic: None,
        }
    }
}

/// `q = ratio · q_other + offset`.
///
/// ```
/// // The second finger of a gripper does the opposite of the first.
/// let mimic = signorini::robot::Mimic { joint: "left".into(), ratio: -1.0, offset: 0.0 };
/// assert_eq!(mimic.ratio, -1.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic {
    /// Name of the other joint.
    pub joint: String,
    /// [1].
    pub ratio: f64,
    /// [rad] or [m].
    pub offset: f64,
}

/// An actuator of one joint or of several.
///
/// With `l = Σ cᵢ qᵢ` and `l̇ = Σ cᵢ q̇ᵢ` it exerts `f = gain·u + bias·(1, l, l̇)`, held within its range, as forces `cᵢ f` in
/// the joints.
#[derive(Clone, Debug)]
pub struct ActuatorDescription {
    /// Its name.
    pub name: String,
    /// Its place in the file.
    pub at: TextPlace,
    /// Names of joints and their coefficients cᵢ.
    pub joints: Vec<(String, f64)>,
    /// Force per control.
    pub gain: f64,
    /// Force at zero control: constant, per length, per rate.
    pub bias: [f64; 3],
    /// Least and greatest control.
    pub control_range: Option<[f64; 2]>,
    /// Least and greatest force f.
    pub force_range: Option<[f64; 2]>,
}

/// A constraint between links or joints beyond the trees.
#[derive(Clone, Debug)]
pub struct EqualityDescription {
    /// Its name.
    pub name: String,
    /// Its place in the file.
    pub at: TextPlace,
    /// What it constrains.
    pub kind: EqualityKind,
}

/// Kinds of constraints.
#[derive(Clone, Debug)]
pub enum EqualityKind {
    /// A point of one link stays where it is in another.
    Connect {
        /// The link.
        link: usize,
        /// The other link; `None` is the world.
        other: Option<usize>,
        /// In the frame of the link \[m\].
        point: DVec3,
    },
    /// A link stays where it is in another while all coordinates are at their references.
    Weld {
        /// The link.
        link: usize,
        /// The other link; `None` is the world.
        other: Option<usize>,
    },
    /// `Σ cᵢ qᵢ = sum`: a fixed tendon that is held, or two of which one follows the other.
    Tendon {
        /// Names of joints, each once, and their coefficients cᵢ.
        joints: Vec<(String, f64)>,
        /// [rad] or [m].
        sum: f64,
    },
    /// `q = offset + ratio · q_other`; without other joint, `q = offset`.
    Joint {
        /// Name of the joint.
        joint: String,
        /// Name of the other joint.
        other: Option<String>,
        /// [1], or between the units of the two.
        ratio: f64,
        /// [rad] or [m].
        offset: f64,
    },
}

/// A named state: coordinates, rates and controls in the order of the file, as far as given.
#[derive(Clone, Debug, Default)]
pub struct KeyframeDescription {
    /// Its name.
    pub name: String,
    /// Its place in the file.
    pub at: Option<TextPlace>,
    /// Coordinates.
    pub q: Option<Vec<f64>>,
    /// Rates.
    pub qd: Option<Vec<f64>>,
    /// Controls.
    pub control: Option<Vec<f64>>,
}

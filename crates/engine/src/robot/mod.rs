//! Robots: trees of links with joints, as files describe them, as models to compute with, and in a world.
//!
//! [`RobotModel::load`] reads URDF and MJCF. The model answers what needs no world: where links are
//! ([`RobotModel::posture`]), Jacobians, mass matrix, gravity and inverse dynamics. [`Robot`] is one that was put into a
//! world.
//!
//! Coordinates `q` and rates `q̇` are lists in the order of the joints, links depth first: hinges \[rad\] and slides \[m\]
//! have one of each, balls four (w, x, y, z) and three, free links seven (x, y, z, w, x, y, z) and six. [`Motion`] says which.

mod arrange;
mod control;
mod description;
mod dynamics;
mod followers;
mod handle;
mod joints;
mod kinematics;
mod massless;
mod model;
mod pairs;
mod scene;
mod sensors;
mod tied_start;

pub use description::{
    ActuatorDescription, EqualityDescription, EqualityKind, Filter, KeyframeDescription, LINK_LIMIT, LinkDescription,
    LinkShape, Mimic, Motion, Notice, RobotDescription, RobotJoint, SelfCollision,
};
pub use handle::{Robot, RobotPlacement};
#[cfg(feature = "urdf")]
pub(crate) use kinematics::displaced;
pub use kinematics::{Posture, Twist};
pub use model::{Fixture, LinkFrame, ModelJoint, ModelLink, RobotModel};
pub use sensors::{Imu, ImuReading};

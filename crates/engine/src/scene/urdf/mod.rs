//! Robots in URDF (<https://wiki.ros.org/urdf/XML>).
//!
//! Inertia tensors, origins and shapes are read exactly. A root without mass, or one that is called `world`, stands
//! still; any other moves freely. Appearance (`visual`, `material`) and elements for other programs (`transmission`,
//! `gazebo`, `sensor`) are skipped; everything else that is not used is noted with its place.
//!
//! XML is read by `roxmltree` and not by a crate for URDF, because those drop what they do not know and do not report
//! positions. Files are untrusted, as all scenes are: [`xml`](super::xml) lists the limits.

mod assemble;
mod read;

use super::SceneError;
use super::robot_files::{Meshes, RobotOptions};
use super::xml::{self, Element, Notes};
use crate::robot::RobotDescription;

/// Reads a robot.
pub(super) fn read(text: &str, meshes: &mut Meshes, options: &RobotOptions) -> Result<RobotDescription, SceneError> {
    let document = xml::parse(text)?;
    let mut notes = Notes::default();
    let robot = read::Robot::read(Element::root(&document), &mut notes)?;
    assemble::assemble(&robot, meshes, options, notes)
}

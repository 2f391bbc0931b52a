//! Robots in MJCF (<https://mujoco.readthedocs.io/en/stable/XMLreference.html>), as MuJoCo's compiler reads them.
//!
//! Bodies, joints, shapes, inertia, actuators and constraints are read. What belongs to soft contact (`solref`,
//! `solimp`, `margin`), to MuJoCo's solver or to its sensors has no counterpart and is noted once. Appearance is
//! skipped.
//!
//! Files are untrusted: texts, elements, nesting and included files are limited, and other files must lie in the
//! folder of the model or in given roots.

mod actuator;
mod body;
mod compiler;
mod defaults;
mod geom;
mod inertia;
mod tag;
mod tie;

use super::SceneError;
use super::robot_files::Meshes;
use super::xml::Notes;
use crate::robot::RobotDescription;
use compiler::Compiler;
use defaults::Defaults;
use geom::Assets;
use std::collections::BTreeSet;
use tag::{Included, Tag};

/// State that all parts of the reader share.
struct Reader<'r, 'd> {
    compiler: Compiler,
    defaults: Defaults<'d>,
    assets: Assets<'d>,
    meshes: &'r mut Meshes,
    notes: Notes,
    /// For every actuator of the file, whether it was read. Key frames have a control for each.
    kept: Vec<bool>,
    /// Names of the shapes in explicit contact pairs.
    paired: BTreeSet<&'d str>,
}

/// Sections about appearance, memory and sizes; they are skipped without a notice.
const READ_OVER: [&str; 6] = ["visual", "statistic", "size", "custom", "asset", "default"];

/// Reads a model.
pub(super) fn read(text: &str, meshes: &mut Meshes) -> Result<RobotDescription, SceneError> {
    let included = Included::of(text, meshes)?;
    let documents = included.parse(text)?;
    let root = Tag::root(&documents, &included)?;
    let (mut compiler, notes) = Compiler::read(&root)?;
    compiler.name = root.element.optional("model").unwrap_or("robot").to_owned();
    let (defaults, assets) = (Defaults::read(&root)?, Assets::read(&root)?);
    let mut reader = Reader { compiler, defaults, assets, meshes, notes, kept: Vec::new(), paired: tie::paired(&root) };
    let mut description = RobotDescription { name: reader.compiler.name.clone(), ..RobotDescription::default() };
    reader.option(&root, &mut description)?;
    for section in &root.inside {
        match section.tag() {
            "worldbody" => reader.world(section, &mut description)?,
            "compiler" | "option" | "actuator" | "equality" | "contact" | "keyframe" | "tendon" => {}
            tag if READ_OVER.contains(&tag) => {}
            tag => {
                let what = format!("section '{tag}' is not used");
                reader.notes.add(section.element.place(), what);
            }
        }
    }
    inertia::set_total(&reader.compiler, &mut description);
    let tendons = reader.tendons(&root)?;
    for section in &root.inside {
        match section.tag() {
            "actuator" => reader.actuators(section, &tendons, &mut description)?,
            "equality" => reader.equalities(section, &tendons, &mut description)?,
            "contact" => reader.contacts(section, &mut description)?,
            _ => {}
        }
    }
    for section in root.sections("keyframe") {
        reader.keyframes(section, &mut description)?;
    }
    if let Some(loss) = reader.meshes.loss() {
        reader.notes.add(root.element.place(), loss);
    }
    description.ignored = reader.notes.0;
    Ok(description)
}

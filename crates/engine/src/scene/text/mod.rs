//! Scenes as text: read strictly, written readably.
//!
//! A text is read into a tree whose values have places ([`tree`]), the tree into a [`Scene`], and the scene is built
//! once to check it. Errors are reported as `file:line:column`. Texts are untrusted: sizes and depths are limited
//! before memory is allocated for them; scenes contain no code, addresses, includes or expanding references; mesh files
//! are only read from the scene's own folder or below.

mod deserialize;
mod json_tree;
mod nearest;
mod old_keys;
mod toml_tree;
mod tree;
mod write;

pub use nearest::nearest;
pub use tree::DEPTH_LIMIT;

use super::error::TextPlace;
use super::{Scene, SceneError};
use serde::Deserialize;
use std::path::Path;
use tree::{Span, TextError, line_and_column};

/// Largest scene text \[bytes\], whatever its notation. A tree of what it says takes a multiple of that (the test of
/// this limit says which), and meshes have files of their own.
pub const TEXT_LIMIT: usize = 4 << 20;

/// The notations of scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// For people.
    Toml,
    /// For programs.
    Json,
    /// For robots: URDF or MJCF.
    Robot,
}

impl Scene {
    /// Reads and checks a scene in TOML. Mesh files cannot be named: use [`Scene::load`].
    pub fn from_toml(text: &str) -> Result<Scene, SceneError> {
        Scene::read(text, Notation::Toml, None)
    }

    /// Reads and checks a scene in JSON. Mesh files cannot be named: use [`Scene::load`].
    pub fn from_json(text: &str) -> Result<Scene, SceneError> {
        Scene::read(text, Notation::Json, None)
    }

    /// Reads and checks a robot in URDF: its bodies and joints in the home pose; `docs/robots.md` says what becomes of each
    /// element. Other files cannot be named: use [`Scene::load`].
    pub fn from_urdf(text: &str) -> Result<Scene, SceneError> {
        Scene::read(text, Notation::Robot, None)
    }

    /// Reads and checks a robot in MJCF, as [`Scene::from_urdf`] does.
    pub fn from_mjcf(text: &str) -> Result<Scene, SceneError> {
        Scene::read(text, Notation::Robot, None)
    }

    /// Reads and checks a scene file: `.toml` or `.json`, or a robot, `.urdf` or `.xml` (MJCF). Shapes from mesh files and
    /// robots become part of the scene, so that it stands for itself from then on.
    pub fn load(path: impl AsRef<Path>) -> Result<Scene, SceneError> {
        let path = path.as_ref();
        let extension = path.extension().map(|e| e.to_ascii_lowercase());
        let notation = match extension.as_ref().and_then(|e| e.to_str()) {
            Some("toml") => Notation::Toml,
            Some("json") => Notation::Json,
            Some("urdf" | "xml") => Notation::Robot,
            _ => return Err(SceneError::new("", "a scene file ends in .toml, .json, .urdf or .xml").in_file(path)),
        };
        let read = || -> Result<Scene, SceneError> {
            let text = read_text(path)?;
            // A bare file name has the empty path as its parent.
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Scene::read(&text, notation, Some(folder))
        };
        let mut scene = read().map_err(|error| error.in_file(path))?;
        for notice in &mut scene.notices {
            notice.at.file.get_or_insert_with(|| path.to_owned());
        }
        Ok(scene)
    }

    fn read(text: &str, notation: Notation, folder: Option<&Path>) -> Result<Scene, SceneError> {
        check_text(text)?;
        let parsed = match notation {
            Notation::Toml => toml_tree::parse(text),
            Notation::Json => json_tree::parse(text),
            Notation::Robot => return super::robot_files::scene(text, folder),
        };
        let tree = parsed.map_err(|TextError { what, span }| at(SceneError::new("", what), text, span))?;
        let scene =
            Scene::deserialize(&tree).map_err(|error| at(SceneError::new(error.path, error.what), text, error.span))?;
        let mut scene = check(scene, folder).map_err(|error| {
            let span = tree.find(&error.path);
            at(error, text, Some(span))
        })?;
        scene.notices.extend(old_keys::notices(&tree, text));
        Ok(scene)
    }

    /// The scene in TOML, one line per property.
    pub fn to_toml(&self) -> String {
        write::toml(self)
    }

    /// The scene in JSON. Numbers read back bit for bit.
    pub fn to_json(&self) -> String {
        // A scene has string keys and no other source of failure than the writer, which is memory.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

fn at(mut error: SceneError, text: &str, span: Option<Span>) -> SceneError {
    let line_and_column = span.map(|span| line_and_column(text, span.start as usize));
    error.at = Some(TextPlace { file: None, line_and_column });
    error
}

/// Meshes read, bodies there, world buildable.
fn check(mut scene: Scene, folder: Option<&Path>) -> Result<Scene, SceneError> {
    if let Some(folder) = folder {
        super::robot_files::inline(&mut scene, folder)?;
    }
    if scene.bodies.is_empty() && scene.robots.is_empty() {
        return Err(SceneError::new("bodies", "a scene needs at least one body, written as [[bodies]] in TOML"));
    }
    if let Some(folder) = folder {
        super::mesh_file::inline(&mut scene, folder)?;
    }
    scene.build()?;
    Ok(scene)
}

pub(super) fn check_text(text: &str) -> Result<(), SceneError> {
    if text.len() > TEXT_LIMIT {
        return Err(too_large(text.len() as u64));
    }
    if text.starts_with('\u{feff}') {
        let error = SceneError::new("", "the text begins with a byte order mark; save it as UTF-8 without one");
        return Err(at(error, text, Some(Span::new(0, 0))));
    }
    if text.trim().is_empty() {
        let error = SceneError::new("", "the text is empty; a scene needs at least one body");
        return Err(at(error, text, Some(Span::new(0, 0))));
    }
    Ok(())
}

fn too_large(bytes: u64) -> SceneError {
    SceneError::new("", format!("{bytes} bytes; a scene may have {TEXT_LIMIT}. Put meshes into files of their own"))
}

pub(super) fn read_text(path: &Path) -> Result<String, SceneError> {
    let bytes = super::mesh_file::read_limited(path, TEXT_LIMIT as u64).map_err(|why| SceneError::new("", why))?;
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let bytes = error.into_bytes();
        let text = String::from_utf8_lossy(&bytes[..good]);
        at(
            SceneError::new("", "the text is not UTF-8 from here on; save it as UTF-8"),
            &text,
            Some(Span::new(good, good)),
        )
    })
}

//! Errors of scenes.

use std::fmt;
use std::path::PathBuf;
use thiserror::Error;

/// Something in a scene is wrong. Nothing was built.
///
/// Written as `file:line:column: path: what`, as far as these are known.
///
/// ```
/// let text = "[[bodies]]\nname = \"ball\"\nshape = { sphere = { radius = -1 } }";
/// let error = signorini::Scene::from_toml(text).err().ok_or("accepted")?;
/// assert!(error.path.starts_with("bodies[0].shape"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub struct SceneError {
    /// Where in the scene, as in `bodies[3].shape.sphere.radius`; empty for the text as a whole.
    pub path: String,
    /// What is wrong, and what would be right.
    pub what: String,
    /// Where in the text the scene was read from.
    pub at: Option<TextPlace>,
}

/// A place in a text, or a file as a whole.
///
/// ```
/// let error = signorini::Scene::from_toml("name = 3\n").err().ok_or("accepted")?;
/// assert!(error.at.is_some_and(|place| place.line_and_column.is_some_and(|(line, _)| line == 1)));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextPlace {
    /// The file, if the text came from one.
    pub file: Option<PathBuf>,
    /// Line and column, both counted from one, the column in characters.
    pub line_and_column: Option<(usize, usize)>,
}

/// `file:line:column: `, as far as these are known.
impl fmt::Display for TextPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
        }
        if let Some((line, column)) = self.line_and_column {
            write!(f, "{line}:{column}:")?;
        }
        if *self != TextPlace::default() {
            f.write_str(" ")?;
        }
        Ok(())
    }
}

impl SceneError {
    /// Says what is wrong at a place.
    pub fn new(path: impl Into<String>, what: impl ToString) -> Self {
        SceneError { path: path.into(), what: what.to_string(), at: None }
    }

    /// Says what is wrong at a place of a text.
    pub(crate) fn placed(at: TextPlace, what: impl ToString) -> Self {
        SceneError { at: Some(at), ..SceneError::new("", what) }
    }

    /// Names the file that the text came from, unless it is known already.
    pub(super) fn in_file(mut self, file: &std::path::Path) -> Self {
        self.at.get_or_insert_default().file.get_or_insert_with(|| file.to_owned());
        self
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.at {
            write!(f, "{place}")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.what)
    }
}

//! Why a scene was refused.

use thiserror::Error;

/// Something in a scene is wrong. Nothing was built.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{path}: {what}")]
pub struct SceneError {
    /// Where, as in `bodies[3].shape.sphere.radius`.
    pub path: String,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl SceneError {
    /// Says what is wrong at a place.
    pub fn new(path: impl Into<String>, what: impl ToString) -> Self {
        SceneError { path: path.into(), what: what.to_string() }
    }
}

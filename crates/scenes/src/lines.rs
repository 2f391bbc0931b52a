//! Measurements as JSON lines {engine, version, settings, scene, metric, value}. The command and the program that runs
//! other engines both write and read them.

use serde::{Deserialize, Serialize};

/// One number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Name of the engine.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// Which settings; ours are the method, with the tolerance where several were asked for.
    pub settings: String,
    /// Name of the scene.
    pub scene: String,
    /// What, with its unit.
    pub metric: String,
    /// How much; none if it is not a number.
    pub value: Option<f64>,
    /// What a number with a general name is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Why the run ended early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

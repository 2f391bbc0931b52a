//! What every engine is given: boxes and spheres with poses, velocities and surfaces, z up, SI units.

use crate::BenchError;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A scene, as every engine reads it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scene {
    /// Its name; the part before the first `_` says how it is measured.
    pub name: String,
    /// Time step \[s\].
    pub dt: f64,
    /// Number of steps.
    pub steps: usize,
    /// [m/s²].
    pub gravity: [f64; 3],
    /// Every how many steps a frame is kept.
    #[serde(default = "one")]
    pub rec: usize,
    /// The bodies.
    pub bodies: Vec<Body>,
}

fn one() -> usize {
    1
}

/// Kinds of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShapeKind {
    /// With `half`.
    Box,
    /// With `radius`.
    Sphere,
}

/// A body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Body {
    /// What it is.
    pub shape: ShapeKind,
    /// Half extents of a box \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half: Option<[f64; 3]>,
    /// Radius of a sphere \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Centre \[m\].
    pub pos: [f64; 3],
    /// Orientation (w, x, y, z).
    pub quat: [f64; 4],
    /// \[kg\]; zero for static bodies.
    pub mass: f64,
    /// Friction coefficient.
    pub mu: f64,
    /// Restitution.
    pub e: f64,
    /// Whether it never moves.
    #[serde(rename = "static")]
    pub fixed: bool,
    /// Velocity [m/s].
    pub v: [f64; 3],
    /// Angular velocity [rad/s].
    pub w: [f64; 3],
    /// Whether it asks for continuous collision detection.
    #[serde(default)]
    pub ccd: bool,
}

impl Body {
    /// A box at rest, of one kilogram per cubic metre.
    pub fn cuboid(half: [f64; 3], pos: [f64; 3]) -> Self {
        Body {
            shape: ShapeKind::Box,
            half: Some(half),
            radius: None,
            pos,
            quat: [1.0, 0.0, 0.0, 0.0],
            mass: 8.0 * half[0] * half[1] * half[2],
            mu: 0.5,
            e: 0.0,
            fixed: false,
            v: [0.0; 3],
            w: [0.0; 3],
            ccd: false,
        }
    }

    /// A sphere at rest, of one kilogram per cubic metre.
    pub fn sphere(radius: f64, pos: [f64; 3]) -> Self {
        let mass = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        Body { shape: ShapeKind::Sphere, half: None, radius: Some(radius), mass, ..Body::cuboid([0.0; 3], pos) }
    }

    /// The same, never moving.
    pub fn fixed(self) -> Self {
        Body { fixed: true, mass: 0.0, ..self }
    }

    /// Half extents; a sphere's are its radius.
    pub fn half_extents(&self) -> [f64; 3] {
        self.half.unwrap_or([self.radius.unwrap_or(0.0); 3])
    }

    /// Principal moments [kg·m²].
    pub fn inertia(&self) -> [f64; 3] {
        match self.shape {
            ShapeKind::Box => {
                let [x, y, z] = self.half_extents().map(|h| h * h);
                [(y + z), (x + z), (x + y)].map(|s| self.mass * s / 3.0)
            }
            ShapeKind::Sphere => {
                let r = self.radius.unwrap_or(0.0);
                [0.4 * self.mass * r * r; 3]
            }
        }
    }
}

/// The scenes of a folder, in order of name.
pub fn load_folder(folder: &Path) -> Result<Vec<Scene>, BenchError> {
    let fail = |what: String| BenchError::Input { path: folder.to_owned(), what };
    let entries = std::fs::read_dir(folder).map_err(|error| fail(error.to_string()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "json"));
    paths.sort();
    paths.iter().map(|path| load(path)).collect()
}

/// One scene file.
pub fn load(path: &Path) -> Result<Scene, BenchError> {
    let fail = |what: String| BenchError::Input { path: path.to_owned(), what };
    let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    let scene: Scene = serde_json::from_str(&text).map_err(|error| fail(error.to_string()))?;
    let sized = |body: &Body| match body.shape {
        ShapeKind::Box => body.half.is_some(),
        ShapeKind::Sphere => body.radius.is_some(),
    };
    if let Some(index) = scene.bodies.iter().position(|body| !sized(body)) {
        return Err(fail(format!("bodies[{index}] has no size: a box needs 'half', a sphere 'radius'")));
    }
    if scene.rec == 0 || scene.steps == 0 {
        return Err(fail("'steps' and 'rec' must be above zero".to_owned()));
    }
    Ok(scene)
}

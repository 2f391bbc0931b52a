//! Scenes: worlds written down.

use crate::raise;
use crate::world::World;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Description of a world, with time step and duration. The schema is that of scene files.
///
/// >>> from signorini import Scene
/// >>> scene = Scene.from_dict({
/// ...     "name": "ball",
/// ...     "bodies": [
/// ...         {"name": "floor", "kind": "fixed", "shape": {"half_space": {"normal": [0, 0, 1]}}},
/// ...         {"name": "ball", "shape": {"sphere": {"radius": 0.5}}, "position": [0, 0, 2]},
/// ...     ],
/// ... })
/// >>> scene.build().names
/// ['ball', 'floor']
/// >>> Scene.from_dict({"bodies": [{"name": "a", "shape": {"sphere": {"radius": -1}}}]})
/// Traceback (most recent call last):
///     ...
/// signorini.SceneError: bodies[0].shape: radius -1 is not a positive length
#[pyclass(module = "signorini", frozen)]
pub struct Scene(pub signorini::Scene);

impl Scene {
    /// A scene given as itself, by the name of a built-in one, or as the path of a file.
    pub fn of(value: &Bound<'_, PyAny>) -> PyResult<Scene> {
        if let Ok(scene) = value.cast::<Scene>() {
            return Ok(Scene(scene.get().0.clone()));
        }
        if let Ok(name) = value.extract::<&str>()
            && let Some(scene) = built_in(name)
        {
            return Ok(scene);
        }
        let expected = "a Scene, the name of a built-in scene or the path of a file";
        let path: PathBuf = value.extract().map_err(|_| crate::argument::wrong_type("scene", expected, value))?;
        if !path.exists() {
            let known = names().join(", ");
            let what = format!("'{}' is neither a file nor a built-in scene; built in are: {known}", path.display());
            return Err(raise::scene(what));
        }
        signorini::Scene::load(&path).map(Scene).map_err(raise::scene)
    }

    pub fn build_world(&self) -> PyResult<signorini::World> {
        self.0.build().map_err(raise::scene)
    }
}

/// Names of the built-in scenes.
fn names() -> Vec<&'static str> {
    signorini_scenes::worlds::all().iter().map(|scene| scene.name).collect()
}

fn built_in(name: &str) -> Option<Scene> {
    signorini_scenes::worlds::find(name).map(|scene| Scene(scene.scene()))
}

/// Names of the built-in scenes.
#[pyfunction]
pub fn scenes() -> Vec<&'static str> {
    names()
}

#[pymethods]
impl Scene {
    /// A scene from a file (.toml, .json or .urdf). Mesh files it names are looked for beside it.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Scene> {
        signorini::Scene::load(&path).map(Scene).map_err(raise::scene)
    }

    /// A built-in scene; `signorini.scenes()` lists their names.
    #[staticmethod]
    fn named(name: &str) -> PyResult<Scene> {
        built_in(name).ok_or_else(|| {
            raise::scene(format!("no built-in scene is called '{name}'; there are: {}", names().join(", ")))
        })
    }

    /// A scene from text in TOML.
    #[staticmethod]
    fn from_toml(text: &str) -> PyResult<Scene> {
        signorini::Scene::from_toml(text).map(Scene).map_err(raise::scene)
    }

    /// A scene from text in JSON.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Scene> {
        signorini::Scene::from_json(text).map(Scene).map_err(raise::scene)
    }

    /// A scene from a dictionary.
    #[staticmethod]
    fn from_dict(description: &Bound<'_, PyAny>) -> PyResult<Scene> {
        let text: String = description.py().import("json")?.call_method1("dumps", (description,))?.extract()?;
        Scene::from_json(&text)
    }

    /// The scene in JSON. Numbers read back bit for bit.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// The scene in TOML.
    fn to_toml(&self) -> String {
        self.0.to_toml()
    }

    /// The scene as a dictionary.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.to_json(),))
    }

    /// Checks everything and makes the world.
    fn build(&self) -> PyResult<World> {
        self.build_world().map(World::of)
    }

    /// What it is called.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }
    /// What it shows.
    #[getter]
    fn description(&self) -> &str {
        &self.0.description
    }
    /// Time step [s].
    #[getter]
    fn step(&self) -> f64 {
        self.0.step
    }
    /// How long to run it [s].
    #[getter]
    fn duration(&self) -> f64 {
        self.0.duration
    }
    /// Number of steps that make up the duration.
    #[getter]
    fn steps(&self) -> u64 {
        self.0.steps()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Scene>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Scene>().getattr("from_json")?, (self.to_json(),)))
    }

    fn __repr__(&self) -> String {
        format!("<Scene '{}' of {} body descriptions>", self.0.name, self.0.bodies.len())
    }
}

//! The scenes that a page can choose, and the solver options for the chosen one.

use crate::protocol::{LaneRequest, LaneText, SceneChoice};
use signorini::{Scene, SceneError};
use signorini_scenes::worlds;
use std::path::Path;

/// Largest number of lanes side by side.
pub const MOST_LANES: usize = 2;

/// The scenes there are.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    scenes: Vec<Scene>,
}

impl Catalogue {
    /// The built-in ones.
    pub fn built_in() -> Self {
        Catalogue { scenes: worlds::all().iter().map(|world| world.scene()).collect() }
    }

    /// Puts a scene first, and removes an earlier one of the same name.
    pub fn add(&mut self, scene: Scene) {
        self.scenes.retain(|known| known.name != scene.name);
        self.scenes.insert(0, scene);
    }

    /// The scene of this name.
    pub fn find(&self, name: &str) -> Option<&Scene> {
        self.scenes.iter().find(|scene| scene.name == name)
    }

    /// The first scene.
    pub fn first(&self) -> Option<&Scene> {
        self.scenes.first()
    }

    /// Names and descriptions.
    pub fn choices(&self) -> Vec<SceneChoice> {
        let choice = |s: &Scene| SceneChoice { name: s.name.clone(), description: s.description.clone() };
        self.scenes.iter().map(choice).collect()
    }

    /// All names in a sentence.
    pub fn names(&self) -> String {
        self.scenes.iter().map(|scene| scene.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Reads a scene file. A scene without a name gets that of its file.
pub fn read_scene(path: &Path) -> Result<Scene, SceneError> {
    let mut scene = Scene::load(path)?;
    if scene.name.is_empty() {
        scene.name = path.file_stem().map_or_else(|| "scene".to_owned(), |stem| stem.to_string_lossy().into_owned());
    }
    Ok(scene)
}

/// A scene and the solver options of its lanes.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What to simulate.
    pub scene: Scene,
    /// The solver options of each lane.
    pub lanes: Vec<LaneRequest>,
}

impl Plan {
    /// Checks what building the scene does not check.
    pub fn new(scene: Scene, lanes: Vec<LaneRequest>) -> Result<Self, String> {
        if lanes.is_empty() || lanes.len() > MOST_LANES {
            return Err(format!("there are one or {MOST_LANES} lanes, not {}", lanes.len()));
        }
        for lane in &lanes {
            if lane.max_iterations == Some(0) {
                return Err("a lane needs at least one iteration".to_owned());
            }
            if lane.tolerance.is_some_and(|t| !(t.is_finite() && t > 0.0)) {
                return Err("a tolerance is a finite number above zero".to_owned());
            }
        }
        Ok(Plan { scene, lanes })
    }

    /// The scene with the solver of a lane.
    pub fn scene_of(&self, index: usize) -> Scene {
        let mut scene = self.scene.clone();
        let Some(lane) = self.lanes.get(index) else { return scene };
        let solver = &mut scene.solver;
        if let Some(method) = &lane.method
            && *method != solver.method
        {
            // Iteration limits of one method make no sense for another.
            (solver.method, solver.max_iterations) = (method.clone(), None);
        }
        solver.max_iterations = lane.max_iterations.or(solver.max_iterations);
        if let Some(tolerance) = lane.tolerance {
            // Compared lanes have one tolerance, which is also the bound of a certified step.
            (solver.tolerance, solver.accept) = (tolerance, tolerance);
        }
        scene
    }

    /// What pages are told of the lanes.
    pub fn lane_texts(&self) -> Vec<LaneText> {
        let lane = |index| {
            let solver = self.scene_of(index).solver;
            LaneText {
                method: solver.method,
                max_iterations: solver.max_iterations,
                tolerance: solver.accept.max(solver.tolerance),
                budget: solver.budget.factorizations(),
            }
        };
        (0..self.lanes.len()).map(lane).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_lane_keeps_what_it_does_not_change() {
        let mut scene = Catalogue::built_in().first().unwrap().clone();
        (scene.solver.method, scene.solver.max_iterations) = ("nsgs".to_owned(), Some(7));
        let lane = |method: Option<&str>| LaneRequest {
            method: method.map(str::to_owned),
            max_iterations: None,
            tolerance: None,
        };
        let plan = Plan::new(scene, vec![lane(None), lane(Some("pgs"))]).unwrap();
        let texts = plan.lane_texts();
        assert_eq!((texts[0].method.as_str(), texts[0].max_iterations), ("nsgs", Some(7)));
        assert_eq!((texts[1].method.as_str(), texts[1].max_iterations), ("pgs", None));
        assert!(Plan::new(plan.scene, vec![]).is_err());
    }
}

//! One world of a run.

use crate::catalogue::Plan;
use crate::drag::Drag;
use crate::frame::{Observer, Stamp};
use signorini::glamx::DVec3;
use signorini::{SceneError, Settings, StepReport, Tolerance, World, WorldError};

/// A world and the writer of its frames.
#[derive(Debug)]
pub struct Lane {
    world: World,
    observer: Observer,
    tolerance: Tolerance,
    method: &'static str,
    /// The pull of a page, if there is one.
    pub drag: Option<Drag>,
}

impl Lane {
    /// Builds the world of a lane of a plan.
    pub fn new(plan: &Plan, index: usize) -> Result<Self, SceneError> {
        let world = plan.scene_of(index).build()?;
        let settings = world.settings();
        Ok(Lane {
            observer: Observer::new(&world),
            tolerance: settings.accepted(),
            method: settings.method.name(),
            world,
            drag: None,
        })
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// How it is solved.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// Sets the work budget of an island in a step, in factorizations.
    pub fn set_budget(&mut self, factorizations: Option<usize>) -> Result<(), WorldError> {
        let settings = Settings { budget: factorizations, ..*self.world.settings() };
        self.world.set_settings(settings)
    }

    /// Takes a step of `dt` \[s\] with the pull of the page. An error is a sentence with the name of the method.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, String> {
        let refused = |error: String| format!("{}: {error}", self.method);
        if let Some(drag) = &mut self.drag {
            drag.apply(&mut self.world).map_err(|error| refused(error.to_string()))?;
        }
        self.world.step(dt).map_err(|error| refused(error.to_string()))
    }

    /// The frame before the first step.
    pub fn beginning(&self, stamp: Stamp, origin: DVec3) -> Vec<u8> {
        self.observer.beginning(&self.world, stamp, origin)
    }

    /// The frame after a step, in the memory of another frame.
    pub fn moment(&mut self, report: &StepReport, stamp: Stamp, origin: DVec3, memory: Vec<u8>) -> Vec<u8> {
        self.observer.moment(&self.world, (report, &self.tolerance, self.drag.as_ref()), stamp, origin, memory)
    }
}

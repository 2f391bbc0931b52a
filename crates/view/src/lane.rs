//! One world on its way, seen by a page.

use crate::catalogue::Plan;
use crate::drag::Drag;
use crate::frame::{Observer, Stamp};
use signorini::glamx::DVec3;
use signorini::{SceneError, Settings, StepReport, Tolerance, World, WorldError};

/// A world with what makes moments of it.
#[derive(Debug)]
pub struct Lane {
    world: World,
    observer: Observer,
    tolerance: Tolerance,
    method: &'static str,
    /// What a page pulls at, if it does.
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

    /// Lets an island spend so many factorizations in a step from now on.
    pub fn set_budget(&mut self, factorizations: Option<usize>) -> Result<(), WorldError> {
        let settings = Settings { budget: factorizations, ..*self.world.settings() };
        self.world.set_settings(settings)
    }

    /// A step of `dt` \[s\], pulled if a page pulls. An error is a sentence with the name of the method.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, String> {
        let refused = |error: String| format!("{}: {error}", self.method);
        if let Some(drag) = &mut self.drag {
            drag.apply(&mut self.world).map_err(|error| refused(error.to_string()))?;
        }
        self.world.step(dt).map_err(|error| refused(error.to_string()))
    }

    /// The moment before the first step.
    pub fn beginning(&self, stamp: Stamp, origin: DVec3) -> Vec<u8> {
        self.observer.beginning(&self.world, stamp, origin)
    }

    /// The moment after a step, in the memory of another.
    pub fn moment(&mut self, report: &StepReport, stamp: Stamp, origin: DVec3, memory: Vec<u8>) -> Vec<u8> {
        self.observer.moment(&self.world, (report, &self.tolerance, self.drag.as_ref()), stamp, origin, memory)
    }
}

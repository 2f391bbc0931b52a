//! Repeats a step that changed nothing, without computing it.
//!
//! A step is a bit-exact function of bodies, joints, settings, cached impulses and the time step. If a step leaves all
//! of these unchanged, and nothing was edited since, the next step would give the same states, impulses and certificate
//! again. So its report is returned at once, and a heap at rest costs nothing.

use crate::report::{StageTimes, StepReport};
use crate::{Settings, World};

/// The inputs of the last step, kept if the step left all of them unchanged.
#[derive(Debug)]
pub(crate) struct FixedPoint {
    dt: f64,
    settings: Settings,
    /// Edit counters of the bodies, joints and gears.
    edits: (u64, u64, u64),
    report: StepReport,
}

impl FixedPoint {
    /// Records a step of `dt` that has changed nothing.
    pub fn new(world: &World, dt: f64, report: &StepReport) -> Self {
        let mut report = report.clone();
        report.times = StageTimes::default();
        report.counts.replayed = report.counts.islands;
        FixedPoint { dt, settings: world.settings, edits: edits(world), report }
    }

    /// The report of the next step, if nothing has been edited and `dt` is the same.
    pub fn again(&self, world: &World, dt: f64) -> Option<StepReport> {
        let same = self.dt == dt && self.settings == world.settings && self.edits == edits(world);
        same.then(|| self.report.clone())
    }
}

fn edits(world: &World) -> (u64, u64, u64) {
    (world.bodies.edits(), world.joints.edits(), world.gears.edits())
}

//! A step that changed nothing is repeated without being computed.
//!
//! A step is a function of bodies, joints, settings, remembered impulses and the time step, to the last bit. Where all of
//! these are after a step what they were before it, and nobody has touched them since, the next step is this one: the same
//! states, the same impulses, the same certificate. A heap that has come to rest costs nothing.

use crate::report::{StageTimes, StepReport};
use crate::{Settings, World};

/// What the last step was computed from, if it left all of that as it was.
#[derive(Debug)]
pub(crate) struct FixedPoint {
    dt: f64,
    settings: Settings,
    /// Changes of the bodies and the joints so far.
    edits: (u64, u64, u64),
    report: StepReport,
}

impl FixedPoint {
    /// After a step of `dt` that has changed nothing.
    pub fn new(world: &World, dt: f64, report: &StepReport) -> Self {
        let mut report = report.clone();
        report.times = StageTimes::default();
        report.counts.replayed = report.counts.islands;
        FixedPoint { dt, settings: world.settings, edits: edits(world), report }
    }

    /// The report of the next step, if it is the same again.
    pub fn again(&self, world: &World, dt: f64) -> Option<StepReport> {
        let same = self.dt == dt && self.settings == world.settings && self.edits == edits(world);
        same.then(|| self.report.clone())
    }
}

fn edits(world: &World) -> (u64, u64, u64) {
    (world.bodies.edits(), world.joints.edits(), world.gears.edits())
}

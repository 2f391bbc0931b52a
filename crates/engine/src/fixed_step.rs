//! Fixed time steps for a display of any frame rate: left-over time is carried to the next frame, and poses are
//! interpolated.

use crate::{BodyHandle, StepError, StepReport, World, WorldError};
use glamx::{DPose3, DQuat};

/// Accumulates frame time, and keeps the poses of one step ago for interpolation.
///
/// ```
/// use signorini::{Body, FixedStep, Settings, Shape, World, glamx::DVec3};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() })?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).velocity(DVec3::X))?;
/// let mut clock = FixedStep::new(0.01);
/// // A frame of 25 ms is two steps; the half that is left shows the ball half a step before its pose.
/// let taken = world.step_fixed(&mut clock, 0.025)?;
/// assert_eq!(taken, 2);
/// assert!((clock.alpha() - 0.5).abs() < 1e-12);
/// assert!((clock.pose(&world, ball)?.translation.x - 0.015).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FixedStep {
    dt: f64,
    accumulated: f64,
    /// Limit on steps per call.
    pub max_steps: usize,
    /// Poses of the bodies a step ago, in the order of their ids.
    before: Vec<(BodyHandle, DPose3)>,
    last: Option<StepReport>,
}

impl FixedStep {
    /// Steps of `dt` \[s\], at most eight per call. Time beyond that is dropped, because a slow simulation would never
    /// catch up.
    pub fn new(dt: f64) -> Self {
        FixedStep { dt, accumulated: 0.0, max_steps: 8, before: Vec::new(), last: None }
    }
    /// Length of a step \[s\].
    pub fn dt(&self) -> f64 {
        self.dt
    }
    /// Fraction of a step that has passed since the last one \[1\], in [0, 1].
    pub fn alpha(&self) -> f64 {
        if self.dt > 0.0 { (self.accumulated / self.dt).clamp(0.0, 1.0) } else { 0.0 }
    }
    /// The report of the last step that was taken.
    pub fn last(&self) -> Option<&StepReport> {
        self.last.as_ref()
    }
    /// Pose at which a body should be displayed, interpolated between one step ago and now (linear position, shorter
    /// rotation). A body that did not exist a step ago has its current pose.
    pub fn pose(&self, world: &World, body: BodyHandle) -> Result<DPose3, WorldError> {
        let now = world.body(body)?.pose();
        let Some((_, before)) = self.before.iter().find(|(handle, _)| *handle == body) else { return Ok(now) };
        Ok(between(before, &now, self.alpha()))
    }
    /// Poses at which all bodies should be displayed, in the order of their ids.
    pub fn poses<'a>(&'a self, world: &'a World) -> impl Iterator<Item = (BodyHandle, DPose3)> + 'a {
        let mut known = self.before.iter().peekable();
        world.bodies().map(move |(handle, body)| {
            // Both are in the order of ids; those in between were removed.
            let mut ahead = known.clone();
            match ahead.find(|(other, _)| *other == handle) {
                Some((_, before)) => {
                    known = ahead;
                    (handle, between(before, &body.pose(), self.alpha()))
                }
                None => (handle, body.pose()),
            }
        })
    }
}

fn between(before: &DPose3, now: &DPose3, share: f64) -> DPose3 {
    let turn: DQuat = before.rotation.slerp(now.rotation, share);
    DPose3::from_parts(before.translation.lerp(now.translation, share), turn)
}

impl World {
    /// Takes as many steps as fit into the `elapsed` time \[s\] plus left-over time, and returns their number. A
    /// refused step ends the call; the time of the remaining steps is kept.
    pub fn step_fixed(&mut self, clock: &mut FixedStep, elapsed: f64) -> Result<usize, StepError> {
        let dt = clock.dt;
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::TimeStep { value: dt, limit: crate::MAX_TIME_STEP });
        }
        if !(elapsed.is_finite() && elapsed >= 0.0) {
            return Err(StepError::TimeStep { value: elapsed, limit: f64::MAX });
        }
        clock.accumulated += elapsed;
        let mut taken = 0;
        // Allow for round-off in the sum of frame times.
        while clock.accumulated >= dt * (1.0 - 1e-9) && taken < clock.max_steps {
            clock.before.clear();
            clock.before.extend(self.bodies().map(|(handle, body)| (handle, body.pose())));
            clock.last = Some(self.step(dt)?);
            clock.accumulated = (clock.accumulated - dt).max(0.0);
            taken += 1;
        }
        if taken == clock.max_steps {
            clock.accumulated = clock.accumulated.min(dt);
        }
        Ok(taken)
    }
}

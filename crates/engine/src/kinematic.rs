//! Moving kinematic bodies to given poses.

use crate::body::{self, Kind};
use crate::step::MAX_TIME_STEP;
use crate::{BodyHandle, World, WorldError};
use glamx::{DPose3, DQuat, DVec3};
use signorini_problem::math;

impl World {
    /// Sets the velocities of a kinematic body so that a step of `dt` \[s\] takes it to `pose` (orientation by the
    /// shortest rotation). Contacts and joints see these velocities. The body keeps them: call this again before the
    /// next step, with the same pose to stand still.
    ///
    /// ```
    /// use signorini::{Body, Settings, Shape, World};
    /// use glamx::{DPose3, DVec3};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::new(Settings::default())?;
    /// let plate = world.add(Body::kinematic(Shape::cuboid(DVec3::new(1.0, 1.0, 0.1))?))?;
    /// world.move_to(plate, DPose3::from_translation(DVec3::new(0.0, 0.0, 0.002)), 0.01)?;
    /// world.step(0.01)?;
    /// assert!((world.body(plate)?.position().z - 0.002).abs() < 1e-15);
    /// # Ok(())
    /// # }
    /// ```
    pub fn move_to(&mut self, body: BodyHandle, pose: DPose3, dt: f64) -> Result<(), WorldError> {
        let record = self.record_mut(body)?;
        if record.kind != Kind::Kinematic {
            let (body, kind) = (record.id.clone(), record.kind.name());
            return Err(WorldError::Kind { body, operation: "name a pose for", kind });
        }
        body::check_vector(&record.id, &body::POSITION, pose.translation)?;
        let orientation = body::checked_orientation(&record.id, pose.rotation)?;
        if !(dt > 0.0 && dt <= MAX_TIME_STEP) {
            let (body, range) = (record.id.clone(), "(0, 100] s");
            return Err(WorldError::BodyValue { body, field: "time of the move", value: dt, range });
        }
        let velocity = (pose.translation - record.origin()) / dt;
        let angular_velocity = turn(orientation * record.state.orientation.inverse()) / dt;
        body::check_vector(&record.id, &body::VELOCITY, velocity)?;
        body::check_vector(&record.id, &body::ANGULAR_VELOCITY, angular_velocity)?;
        record.state.velocity = velocity;
        record.state.angular_velocity = angular_velocity;
        record.quarantined = false;
        self.disturb(body.0.slot);
        Ok(())
    }
}

/// Axis times angle of the shorter turn that a unit quaternion stands for, to the last digits of small angles [rad].
fn turn(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let sine = q.xyz().length();
    // 2 atan2(s, w)/s → 2 as s → 0.
    let factor = if sine > f64::MIN_POSITIVE { 2.0 * math::atan2(sine, q.w) / sine } else { 2.0 };
    factor * q.xyz()
}

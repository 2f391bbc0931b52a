//! Sensors of a robot: the readings of torque cells, force plates and inertial units. They do not influence the
//! simulation.

use super::handle::Robot;
use crate::{BodyHandle, CoordinateForces, World, WorldError};
use glamx::{DPose3, DQuat, DVec3};

impl Robot {
    /// Forces along hinges [N·m] and slides \[N\] in the last step by what they come from, one entry per rate; balls and free
    /// links have none.
    pub fn joint_forces(&self, world: &World) -> Result<Vec<CoordinateForces>, WorldError> {
        let mut all = vec![CoordinateForces::default(); self.model().freedoms()];
        for (at, joint) in self.model().joints.iter().enumerate() {
            let Some((handle, place)) = self.place_of(at) else { continue };
            let found = world.joint_forces(handle)?.coordinates.get(place.coordinate).copied().unwrap_or_default();
            all[joint.v] = CoordinateForces {
                limit: place.sign * found.limit,
                motor: place.sign * found.motor,
                friction: place.sign * found.friction,
                spring: place.sign * found.spring,
                armature: place.sign * found.armature,
                given: place.sign * found.given,
                gear: place.sign * found.gear,
            };
        }
        Ok(all)
    }

    /// Sum of the contact forces on every link in the last step, world axes \[N\]: impulses over the time step.
    pub fn contact_forces(&self, world: &World) -> Result<Vec<DVec3>, WorldError> {
        let mut links = Vec::with_capacity(self.bodies().len());
        for (link, body) in self.bodies().iter().enumerate() {
            world.body(*body)?;
            links.push((*body, link));
        }
        links.sort_unstable();
        let link = |body: BodyHandle| links.binary_search_by_key(&body, |entry| entry.0).ok().map(|at| links[at].1);
        let mut impulses = vec![DVec3::ZERO; links.len()];
        for contact in world.contacts() {
            for (body, impulse) in [(contact.a, -contact.impulse), (contact.b, contact.impulse)] {
                if let Some(link) = link(body) {
                    impulses[link] += impulse;
                }
            }
        }
        let dt = world.cache.time_step();
        if dt > 0.0 {
            impulses.iter_mut().for_each(|impulse| *impulse /= dt);
        }
        Ok(impulses)
    }

    /// An inertial unit at a point of a named frame, given in that frame \[m\]; none if there is no such frame.
    pub fn imu(&self, world: &World, frame: &str, point: DVec3) -> Result<Option<Imu>, WorldError> {
        let Some(found) = self.model().frames.get(frame) else { return Ok(None) };
        let mount = found.pose * DPose3::from_translation(point);
        let mut imu = match found.link {
            Some(link) => Imu { body: Some(self.bodies()[link]), mount, last: None, reading: ImuReading::default() },
            None => Imu { body: None, mount: self.base() * mount, last: None, reading: ImuReading::default() },
        };
        imu.read(world)?;
        Ok(Some(imu))
    }
}

/// What an inertial unit reads, in its own axes.
///
/// ```
/// use signorini::robot::ImuReading;
/// // What a unit in free fall reads.
/// assert_eq!(ImuReading::default().acceleration.length(), 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImuReading {
    /// Specific force [m/s²]: acceleration less that of free fall. At rest it points up with 9.81 m/s², in free fall it is
    /// zero.
    pub acceleration: DVec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: DVec3,
}

/// An accelerometer and a gyroscope on a link. As in a real unit the acceleration is the mean since the last reading: the
/// change of the velocity of its point over the time that passed, in the axes halfway, which is exact to second order in
/// the time between readings. [`Robot::imu`] makes one.
#[derive(Clone, Debug)]
pub struct Imu {
    /// Its body; `None` on a fixed part.
    body: Option<BodyHandle>,
    /// Pose of the unit in the frame of its body, or of the world.
    mount: DPose3,
    last: Option<Sample>,
    reading: ImuReading,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    time: f64,
    velocity: DVec3,
    orientation: DQuat,
}

impl Imu {
    /// Takes a reading. It does not change while no time passes. The first one, and one of a world that went back in
    /// time, is that of a unit at constant velocity.
    pub fn read(&mut self, world: &World) -> Result<ImuReading, WorldError> {
        let (velocity, angular_velocity, orientation) = match self.body {
            None => (DVec3::ZERO, DVec3::ZERO, self.mount.rotation),
            Some(body) => {
                let body = world.body(body)?;
                let point = body.pose().transform_point(self.mount.translation);
                let velocity = body.velocity() + body.angular_velocity().cross(point - body.centre_of_mass());
                (velocity, body.angular_velocity(), body.orientation() * self.mount.rotation)
            }
        };
        let now = Sample { time: world.time(), velocity, orientation };
        let gravity = world.settings().gravity;
        let acceleration = match self.last {
            Some(last) if last.time < now.time => {
                let mean = (now.velocity - last.velocity) / (now.time - last.time);
                // Quaternions of opposite sign are the same turn.
                let same = if last.orientation.dot(orientation) < 0.0 { -last.orientation } else { last.orientation };
                (same + orientation).normalize().inverse() * (mean - gravity)
            }
            Some(last) if last.time == now.time => self.reading.acceleration,
            _ => orientation.inverse() * -gravity,
        };
        self.last = Some(now);
        self.reading = ImuReading { acceleration, angular_velocity: orientation.inverse() * angular_velocity };
        Ok(self.reading)
    }
}

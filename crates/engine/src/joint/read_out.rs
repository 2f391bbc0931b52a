//! Positions, velocities and forces of joints, as a user reads them.

use crate::joint::geometry::{End, JointGeometry, Placed, Pose};
use crate::joint::rows::{Measure, Purpose, RowLaw, RowSpec};
use crate::joint::{Anchor, Frame, JointRecord};
use crate::step::Twist;
use crate::{JointHandle, World, WorldError};
use glamx::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Forces along one coordinate of a joint by cause, as means over the last step [N, N·m]. Each acts on the body, and
/// its opposite on the other end.
///
/// ```
/// use signorini::{Body, Frame, Joint, Motor, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() })?;
/// let wheel = world.add(Body::dynamic(Shape::sphere(0.5)?))?;
/// let axle = Frame::along(DVec3::ZERO, DVec3::Y);
/// let hinge = world.add_joint(Joint::revolute(wheel, axle, axle).motor(Motor::velocity(100.0, 5.0)))?;
/// world.step(0.01)?;
/// // The motor pulls with all it has.
/// assert!((world.joint_forces(hinge)?.coordinates[0].motor - 5.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoordinateForces {
    /// Of the limits: positive at the lower one, negative at the upper one.
    pub limit: f64,
    /// Of the motor or servo.
    pub motor: f64,
    /// Of dry friction.
    pub friction: f64,
    /// Of the spring and of dampers.
    pub spring: f64,
    /// Of the rotor.
    pub armature: f64,
    /// The given force.
    pub given: f64,
    /// Of the gears that the coordinate is in.
    #[serde(default)]
    pub gear: f64,
}

/// Forces of a joint on its body in the last step; the other end got the opposite.
///
/// ```
/// use signorini::{Body, Joint, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let lamp = world.add(Body::dynamic(Shape::sphere(0.1)?).mass(1.0).position(DVec3::NEG_Z))?;
/// let hook = world.add_joint(Joint::ball(lamp, DVec3::Z, DVec3::ZERO))?;
/// world.step(0.01)?;
/// assert!((world.joint_forces(hook)?.force.z - 9.81).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointForces {
    /// Of the locked coordinates, world axes \[N\].
    pub force: DVec3,
    /// Torque of the locked coordinates about the body's anchor, world axes [N·m].
    pub torque: DVec3,
    /// Along the free coordinates, in their order.
    pub coordinates: Vec<CoordinateForces>,
}

/// An event of a joint in a step. `joint` is an index into [`World::joints`].
///
/// ```
/// use signorini::{Body, Joint, JointEvent, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let lamp = world.add(Body::dynamic(Shape::sphere(0.1)?).mass(1.0).position(DVec3::NEG_Z))?;
/// world.add_joint(Joint::ball(lamp, DVec3::Z, DVec3::ZERO).break_force(5.0))?;
/// // The lamp weighs 9.81 N, more than its hook holds.
/// let report = world.step(0.01)?;
/// assert!(matches!(report.joint_events[..], [JointEvent::Broken { joint: 0, .. }]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum JointEvent {
    /// A limit carries an impulse that carried none in the previous step.
    LimitHit {
        /// Which joint.
        joint: u32,
        /// Which of its free coordinates.
        coordinate: u32,
        /// Whether it is the upper one.
        upper: bool,
        /// Impulse of the stop [N·s, N·m·s].
        impulse: f64,
    },
    /// The joint broke, and is without effect from the next step on.
    Broken {
        /// Which joint.
        joint: u32,
        /// Of the locked coordinates \[N\].
        force: f64,
        /// Of the locked coordinates [N·m].
        torque: f64,
    },
}

impl JointEvent {
    /// Which joint.
    pub fn joint(&self) -> u32 {
        match self {
            JointEvent::LimitHit { joint, .. } | JointEvent::Broken { joint, .. } => *joint,
        }
    }
}

impl World {
    /// A joint where its bodies are now.
    pub(crate) fn placed<'a>(&self, record: &'a JointRecord) -> (JointGeometry<'a>, Placed) {
        let geometry = JointGeometry::new(record, |anchor| match anchor {
            Anchor::World(frame) => End::World(frame),
            Anchor::Body(body, frame) => {
                let centre = self.bodies.at(body.0.slot).map_or(DVec3::ZERO, |record| record.mass.centre);
                End::Given(body.0.slot, Frame { point: frame.point - centre, ..frame })
            }
        });
        let pose = |end: End| -> Pose {
            let body = if let End::Given(slot, _) = end { self.bodies.at(slot) } else { None };
            body.map_or((DVec3::ZERO, DQuat::IDENTITY), |body| (body.state.position, body.state.orientation))
        };
        let placed = geometry.place(pose);
        (geometry, placed)
    }

    /// What the free coordinates of a joint measure.
    pub(crate) fn measures(record: &JointRecord) -> impl Iterator<Item = Measure> + use<> {
        let length = record.joint.kind.length().is_some();
        record.joint.free_axes().map(move |axis| match axis {
            _ if length => Measure::Length,
            0..3 => Measure::Along(axis),
            _ => Measure::Angle(axis - 3),
        })
    }

    /// The free coordinates of a joint, in their order [m, rad]: angles are counted over whole turns.
    pub fn joint_position(&self, joint: JointHandle) -> Result<Vec<f64>, WorldError> {
        let record = self.joint_record(joint)?;
        let (geometry, placed) = self.placed(record);
        Ok(World::measures(record).map(|measure| geometry.value(measure, &placed)).collect())
    }

    /// Rates of the free coordinates of a joint [m/s, rad/s].
    pub fn joint_velocity(&self, joint: JointHandle) -> Result<Vec<f64>, WorldError> {
        let record = self.joint_record(joint)?;
        Ok(self.rates(record).collect())
    }

    pub(crate) fn rates<'a>(&'a self, record: &'a JointRecord) -> impl Iterator<Item = f64> + 'a {
        let (geometry, placed) = self.placed(record);
        World::measures(record).map(move |measure| {
            let law = RowLaw::Hold { at: 0.0 };
            let spec = RowSpec { measure, law, purpose: Purpose::Constraint, axis: 0, block: 1 };
            let row = geometry.jacobian(&spec, &placed, &placed);
            let body = |end: End| if let End::Given(slot, _) = end { self.bodies.at(slot) } else { None };
            let twist =
                |end: End| body(end).map(|b| Twist { linear: b.state.velocity, angular: b.state.angular_velocity });
            crate::step::row_velocity(&row, twist(geometry.a).as_ref(), twist(geometry.b).as_ref())
        })
    }

    /// Forces of a joint in the last step, by cause.
    pub fn joint_forces(&self, joint: JointHandle) -> Result<JointForces, WorldError> {
        let record = self.joint_record(joint)?;
        let free: Vec<usize> = record.joint.free_axes().collect();
        let mut forces =
            JointForces { coordinates: vec![CoordinateForces::default(); free.len()], ..Default::default() };
        if record.step == 0.0 || !record.enabled {
            return Ok(forces);
        }
        let mut locked = vec![0.0; record.rows.len()];
        let rows = record.rows.iter().zip(&record.impulse).enumerate();
        for (row, (spec, impulse)) in rows.filter(|(_, (spec, _))| !spec.is_given()) {
            let force = impulse / record.step;
            let place = free.iter().position(|axis| *axis == spec.axis);
            let Some(along) = place.filter(|_| !spec.is_locked()).map(|place| &mut forces.coordinates[place]) else {
                locked[row] = force;
                continue;
            };
            *match spec.purpose {
                Purpose::Constraint | Purpose::Limit => &mut along.limit,
                Purpose::Motor => &mut along.motor,
                Purpose::Friction => &mut along.friction,
                Purpose::Spring => &mut along.spring,
                Purpose::Armature => &mut along.armature,
                Purpose::Gear => &mut along.gear,
            } += spec.sign() * force;
        }
        for (along, axis) in forces.coordinates.iter_mut().zip(&free) {
            along.given = record.joint.coordinates[*axis].force;
        }
        let (geometry, placed) = self.placed(record);
        let pull = geometry.pull(&placed, &placed, &locked);
        (forces.force, forces.torque) = (pull.at_anchors + pull.at_b, pull.torque);
        Ok(forces)
    }

    /// Counts the whole turns of all joints after a step of `dt` \[s\]: an angle is next to where its rate took it.
    pub(crate) fn count_turns(&mut self, dt: f64) {
        for index in 0..self.joint_order.len() {
            let slot = self.joint_order[index];
            let Some(record) = self.joints.at(slot).filter(|r| r.joint.free_axes().any(|axis| axis >= 3)) else {
                continue;
            };
            let mut near = record.angles;
            for (axis, rate) in record.joint.free_axes().zip(self.rates(record)).filter(|(axis, _)| *axis >= 3) {
                near[axis - 3] += dt * rate;
            }
            let (geometry, placed) = self.placed(record);
            let angles = geometry.near(near).angles(&placed);
            if let Some(record) = self.joints.at_mut(slot) {
                record.angles = angles;
            }
        }
    }

    /// Largest error of a joint's locked coordinates where its bodies are now [m, rad].
    pub fn joint_error(&self, joint: JointHandle) -> Result<f64, WorldError> {
        let (geometry, placed) = self.placed(self.joint_record(joint)?);
        Ok(geometry.locked_error(&placed))
    }
}

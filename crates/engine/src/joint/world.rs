//! Joints of a world: adding, changing, removing.

use crate::body::Kind;
use crate::joint::{Anchor, Coordinate, JointRecord, MISFIT, Misfit, Motor};
use crate::world::unreachable;
use crate::{BodyHandle, BodyId, Joint, JointHandle, World, WorldError};

impl World {
    /// Adds a joint. One that does not fit its bodies is refused unless it says otherwise: see [`Misfit`].
    pub fn add_joint(&mut self, joint: Joint) -> Result<JointHandle, WorldError> {
        joint.check()?;
        let a = self.bodies.get(joint.a.0.0).map_err(|why| unreachable(why, joint.a.0.0))?;
        let (dynamic, relative) = match joint.b {
            Anchor::World(_) => (a.kind == Kind::Dynamic, a.state.orientation.inverse()),
            Anchor::Body(handle, _) => {
                if handle == joint.a.0 {
                    return Err(WorldError::Joint { why: "both ends are on the same body" });
                }
                let b = self.bodies.get(handle.0).map_err(|why| unreachable(why, handle.0))?;
                let relative = a.state.orientation.inverse() * b.state.orientation;
                (a.kind == Kind::Dynamic || b.kind == Kind::Dynamic, relative)
            }
        };
        if !dynamic {
            return Err(WorldError::Joint { why: "neither end is on a dynamic body" });
        }
        let mut record = JointRecord::new(joint, relative);
        let (geometry, placed) = self.placed(&record);
        let (gap, turn) = geometry.misfit(&placed);
        if joint.misfit == Misfit::Refused && (gap > MISFIT || turn > MISFIT) {
            return Err(WorldError::Misfit { kind: joint.kind.name(), gap, turn, limit: MISFIT });
        }
        record.angles = geometry.angles(&placed);
        let key = self.joints.insert(record);
        let rank = self.joint_rank(&joint);
        let at = self
            .joint_order
            .partition_point(|slot| self.joints.at(*slot).is_some_and(|other| self.joint_rank(&other.joint) <= rank));
        self.joint_order.insert(at, key.slot);
        self.disturb_ends(&joint);
        Ok(JointHandle(key))
    }

    pub(super) fn disturb_ends(&mut self, joint: &Joint) {
        self.disturb(joint.a.0.0.slot);
        if let Anchor::Body(b, _) = joint.b {
            self.disturb(b.0.slot);
        }
    }

    fn joint_rank(&self, joint: &Joint) -> [Option<&BodyId>; 2] {
        let id = |handle: BodyHandle| self.bodies.get(handle.0).ok().map(|b| &b.id);
        match joint.b {
            Anchor::World(_) => [id(joint.a.0), None],
            Anchor::Body(b, _) => [id(joint.a.0), id(b)],
        }
    }

    /// Whether every joint is listed once, and in its place.
    pub(crate) fn joints_in_order(&self) -> bool {
        let mut listed = self.joint_order.clone();
        listed.sort_unstable();
        let full = self.joints.parts().enumerate().filter(|(_, (_, joint))| joint.is_some());
        let rank = |slot: u32| self.joints.at(slot).map(|record| self.joint_rank(&record.joint));
        full.map(|(slot, _)| slot as u32).eq(listed)
            && self.joint_order.windows(2).all(|pair| rank(pair[0]) <= rank(pair[1]))
    }

    /// Removes a joint, and the gears that it is part of.
    pub fn remove_joint(&mut self, joint: JointHandle) -> Result<(), WorldError> {
        let ends = self.joint(joint)?;
        self.remove_gears_of(joint.0.slot)?;
        self.disturb_ends(&ends);
        self.joints.remove(joint.0).map_err(|why| unreachable(why, joint.0))?;
        self.joint_order.retain(|slot| *slot != joint.0.slot);
        Ok(())
    }

    /// A joint as it was added, with what has been set since.
    pub fn joint(&self, joint: JointHandle) -> Result<Joint, WorldError> {
        Ok(self.joint_record(joint)?.joint)
    }

    pub(super) fn joint_record(&self, joint: JointHandle) -> Result<&JointRecord, WorldError> {
        self.joints.get(joint.0).map_err(|why| unreachable(why, joint.0))
    }

    /// Whether a joint ties its bodies: it has been neither disabled nor broken.
    pub fn is_joint_enabled(&self, joint: JointHandle) -> Result<bool, WorldError> {
        Ok(self.joint_record(joint)?.enabled)
    }

    /// Whether a joint broke: see [`Joint::break_force`].
    pub fn is_joint_broken(&self, joint: JointHandle) -> Result<bool, WorldError> {
        Ok(self.joint_record(joint)?.broken)
    }

    /// Lets a joint tie its bodies, or not; enabling mends what broke. The bodies of a disabled joint touch each other or not
    /// as before. A joint that no longer fits is refused or corrected as when it was added.
    pub fn enable_joint(&mut self, joint: JointHandle, enabled: bool) -> Result<(), WorldError> {
        let record = self.joint_record(joint)?;
        let ends = record.joint;
        if enabled && !record.enabled && ends.misfit == Misfit::Refused {
            let (geometry, placed) = self.placed(record);
            let (gap, turn) = geometry.misfit(&placed);
            if gap > MISFIT || turn > MISFIT {
                return Err(WorldError::Misfit { kind: ends.kind.name(), gap, turn, limit: MISFIT });
            }
        }
        self.change_joint(joint, |record| {
            record.enabled = enabled;
            record.broken &= !enabled;
            record.impulse.fill(0.0);
        })
    }

    fn change_joint(&mut self, joint: JointHandle, change: impl FnOnce(&mut JointRecord)) -> Result<(), WorldError> {
        let record = self.joints.get_mut(joint.0).map_err(|why| unreachable(why, joint.0))?;
        change(record);
        let ends = record.joint;
        self.disturb_ends(&ends);
        Ok(())
    }

    /// What acts along a free coordinate of a joint, counted among the free ones.
    pub fn joint_coordinate(&self, joint: JointHandle, coordinate: usize) -> Result<Coordinate, WorldError> {
        let record = self.joint_record(joint)?;
        record.joint.free_coordinates().nth(coordinate).ok_or(NO_COORDINATE)
    }

    /// Sets all that acts along a free coordinate of a joint: limits, friction, motor, spring, rotor, force.
    pub fn set_joint_coordinate(
        &mut self,
        joint: JointHandle,
        coordinate: usize,
        value: Coordinate,
    ) -> Result<(), WorldError> {
        let record = self.joint_record(joint)?;
        let axis = record.joint.free_axes().nth(coordinate).ok_or(NO_COORDINATE)?;
        let mut changed = record.joint;
        changed.coordinates[axis] = value;
        changed.check()?;
        if value.locked {
            return Err(WorldError::Joint { why: "which coordinates are locked is said when a joint is added" });
        }
        self.change_joint(joint, |record| record.set_coordinate(axis, value))
    }

    /// Sets the velocity of a motor, or the place of a servo, whose target then stands still [m/s, m, rad/s, rad].
    pub fn set_motor_target(&mut self, joint: JointHandle, coordinate: usize, target: f64) -> Result<(), WorldError> {
        let mut value = self.joint_coordinate(joint, coordinate)?;
        value.motor = Some(match value.motor {
            None => return Err(WorldError::Joint { why: "this coordinate has no motor" }),
            Some(Motor::Velocity { max_force, .. }) => Motor::Velocity { target, max_force },
            Some(Motor::Servo { stiffness, damping, max_force, .. }) => {
                Motor::Servo { stiffness, damping, target, velocity: 0.0, max_force }
            }
        });
        self.set_joint_coordinate(joint, coordinate, value)
    }

    /// Sets the place [m, rad] of a servo and how fast it moves [m/s, rad/s].
    pub fn set_servo_target(
        &mut self,
        joint: JointHandle,
        coordinate: usize,
        target: f64,
        velocity: f64,
    ) -> Result<(), WorldError> {
        let mut value = self.joint_coordinate(joint, coordinate)?;
        value.motor = match value.motor {
            Some(Motor::Servo { stiffness, damping, max_force, .. }) => {
                Some(Motor::Servo { stiffness, damping, target, velocity, max_force })
            }
            _ => return Err(WorldError::Joint { why: "this coordinate has no servo" }),
        };
        self.set_joint_coordinate(joint, coordinate, value)
    }

    /// Says to which of the turns an angle belongs: it is counted from the one next to `angle` \[rad\].
    #[cfg(feature = "scene")]
    pub(crate) fn set_joint_turns(
        &mut self,
        joint: JointHandle,
        coordinate: usize,
        angle: f64,
    ) -> Result<(), WorldError> {
        let record = self.joint_record(joint)?;
        let axis = record.joint.free_axes().nth(coordinate).ok_or(NO_COORDINATE)?;
        self.change_joint(joint, |record| {
            if let Some(known) = axis.checked_sub(3).and_then(|k| record.angles.get_mut(k)) {
                *known = angle;
            }
        })
    }

    /// Sets a given force along a coordinate, on the body and against the other end [N, N·m]. It acts in every step until it is set again.
    pub fn set_joint_force(&mut self, joint: JointHandle, coordinate: usize, force: f64) -> Result<(), WorldError> {
        let value = self.joint_coordinate(joint, coordinate)?;
        self.set_joint_coordinate(joint, coordinate, Coordinate { force, ..value })
    }
}

const NO_COORDINATE: WorldError = WorldError::Joint { why: "there is no such coordinate" };

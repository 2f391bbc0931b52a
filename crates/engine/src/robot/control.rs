//! Actuators of a robot. Where possible they become motors of joints, which the engine treats implicitly.
//!
//! An actuator exerts `f = g u + b₀ + b₁ l + b₂ l̇` with `l = c q`, so the joint receives `c f`. If b₁ ≤ 0 and b₂ ≤ 0,
//! not both zero, this is a servo of stiffness `k = −c²b₁` and damping `d = −c²b₂` with the target position
//! `c(g u + b₀)/k`; if k is zero, it has the target speed `c(g u + b₀)/d`. The engine evaluates servos at the end of
//! the step, so no gain is too large. Any other actuator is a given force, computed when its control is set.

use super::handle::Robot;
use super::model::RobotModel;
use crate::{Motor, World, WorldError};

/// How an actuator acts.
#[derive(Clone, Debug)]
pub(super) enum Drive {
    /// As the motor of a joint.
    Servo { joint: usize, factor: f64, stiffness: f64, damping: f64 },
    /// By forces in joints, each with its factor.
    Force { joints: Vec<(usize, f64)> },
}

impl Drive {
    pub fn of(model: &RobotModel) -> Vec<Drive> {
        let mut driven = vec![false; model.joints.len()];
        let find = |name: &str| model.joints.iter().position(|joint| joint.joint.name == name);
        let mut drives = Vec::new();
        for actuator in &model.actuators {
            let joints = actuator.joints.iter().filter_map(|(name, factor)| Some((find(name)?, *factor)));
            let joints: Vec<(usize, f64)> = joints.collect();
            let [_, length, rate] = actuator.bias;
            drives.push(match joints[..] {
                // A joint has one motor.
                [(joint, factor)] if length <= 0.0 && rate <= 0.0 && length + rate < 0.0 && !driven[joint] => {
                    driven[joint] = true;
                    let square = factor * factor;
                    Drive::Servo { joint, factor, stiffness: -square * length, damping: -square * rate }
                }
                _ => Drive::Force { joints },
            });
        }
        drives
    }
}

impl Robot {
    /// Sets the controls of the actuators, one number each, held within their ranges.
    pub fn set_control(&self, world: &mut World, control: &[f64]) -> Result<(), WorldError> {
        let model = self.model();
        if control.len() != model.actuators.len() {
            let (found, wanted) = (control.len(), model.actuators.len());
            return Err(WorldError::Length { what: "controls", found, wanted });
        }
        if let Some(index) = control.iter().position(|u| !u.is_finite()) {
            return Err(WorldError::Entry { what: "controls", index, value: control[index] });
        }
        let (q, qd) = (self.q(world)?, self.qd(world)?);
        let mut forces = vec![0.0; model.freedoms()];
        let mut acted = vec![false; model.joints.len()];
        for ((actuator, drive), u) in model.actuators.iter().zip(&self.drives).zip(control) {
            let u = actuator.control_range.map_or(*u, |[low, high]| u.max(low).min(high));
            let [constant, length, rate] = actuator.bias;
            let given = actuator.gain * u + constant;
            let within = |f: f64| actuator.force_range.map_or(f, |[low, high]| f.max(low).min(high));
            match drive {
                Drive::Servo { joint, factor, stiffness, damping } => {
                    let Some((handle, place)) = self.place_of(*joint) else { continue };
                    let pull = factor * given;
                    let (target, velocity) =
                        if *stiffness > 0.0 { (pull / stiffness, 0.0) } else { (0.0, pull / damping) };
                    let most = actuator.force_range.map_or(f64::INFINITY, |[low, high]| factor.abs() * high.max(-low));
                    let most = model.joints[*joint].joint.max_force.map_or(most, |limit| most.min(limit));
                    let mut coordinate = world.joint_coordinate(handle, place.coordinate)?;
                    coordinate.motor = Some(Motor::Servo {
                        stiffness: *stiffness,
                        damping: *damping,
                        target: place.to_engine(target),
                        velocity: place.sign * velocity,
                        max_force: most,
                    });
                    world.set_joint_coordinate(handle, place.coordinate, coordinate)?;
                }
                Drive::Force { joints } => {
                    let at = |list: &[f64], v: fn(&super::model::ModelJoint) -> usize| -> f64 {
                        joints.iter().map(|(joint, factor)| factor * list[v(&model.joints[*joint])]).sum()
                    };
                    let f = within(given + length * at(&q, |joint| joint.q) + rate * at(&qd, |joint| joint.v));
                    for (joint, factor) in joints {
                        forces[model.joints[*joint].v] += factor * f;
                        acted[*joint] = true;
                    }
                }
            }
        }
        for (at, joint) in model.joints.iter().enumerate().filter(|(at, _)| acted[*at]) {
            let limit = joint.joint.max_force.unwrap_or(f64::INFINITY);
            let force = forces[joint.v].max(-limit).min(limit);
            if let Some((handle, place)) = self.place_of(at) {
                world.set_joint_force(handle, place.coordinate, place.sign * force)?;
            }
        }
        Ok(())
    }
}

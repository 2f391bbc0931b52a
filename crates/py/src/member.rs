//! One member of an ensemble: a world with its own initial state, surfaces and forces.

use crate::state::Quantity;
use signorini::glamx::{DQuat, DVec3};
use signorini::{BodyHandle, BodyId, PartName, StepStatus, World, WorldError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What may differ from member to member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Position,
    Orientation,
    Velocity,
    AngularVelocity,
    Friction,
    Restitution,
    Gravity,
    Force,
    Torque,
    /// Of robots.
    Q,
    Qd,
    Control,
    Tau,
}

impl Field {
    pub fn parse(name: &str) -> Option<Field> {
        Some(match name {
            "position" => Field::Position,
            "orientation" => Field::Orientation,
            "velocity" => Field::Velocity,
            "angular_velocity" => Field::AngularVelocity,
            "friction" => Field::Friction,
            "restitution" => Field::Restitution,
            "gravity" => Field::Gravity,
            "force" => Field::Force,
            "torque" => Field::Torque,
            "q" => Field::Q,
            "qd" => Field::Qd,
            "control" => Field::Control,
            "tau" => Field::Tau,
            _ => return None,
        })
    }

    /// Numbers per member (and, for what acts, per step); none if the target has no such field.
    pub fn width(self, target: &Target) -> Option<usize> {
        Some(match (self, target) {
            (Field::Gravity, Target::World) => 3,
            (Field::Q, Target::Robot(robot)) => robot.model().coordinates(),
            (Field::Qd | Field::Tau, Target::Robot(robot)) => robot.model().freedoms(),
            (Field::Control, Target::Robot(robot)) => robot.model().actuators.len(),
            (Field::Friction | Field::Restitution, Target::Body(_)) => 1,
            (Field::Orientation, Target::Body(_)) => 4,
            (
                Field::Position | Field::Velocity | Field::AngularVelocity | Field::Force | Field::Torque,
                Target::Body(_),
            ) => 3,
            _ => return None,
        })
    }

    /// Set before every step, and may differ from step to step.
    pub fn acts_every_step(self) -> bool {
        matches!(self, Field::Force | Field::Torque | Field::Control | Field::Tau)
    }
}

/// Whose field it is.
#[derive(Clone, Debug)]
pub enum Target {
    World,
    Body(BodyId),
    /// Of the world that the members are copies of.
    Robot(Arc<signorini::Robot>),
}

/// The same in one member.
#[derive(Clone, Copy)]
enum Found<'a> {
    World,
    Body(BodyHandle),
    Robot(&'a signorini::Robot),
}

/// Values of one field for all members.
#[derive(Clone, Debug)]
pub struct Input {
    pub target: Target,
    pub field: Field,
    /// Numbers per member and step.
    pub width: usize,
    /// Member after member, step after step.
    pub values: Vec<f64>,
    /// Steps for which there are values: one means the same in all.
    pub steps: usize,
}

impl Input {
    fn at(&self, member: usize, step: usize) -> &[f64] {
        let width = self.width;
        let step = if self.steps == 1 { 0 } else { step };
        &self.values[(member * self.steps + step) * width..][..width]
    }
}

/// What all members share.
pub struct Plan {
    pub inputs: Vec<Input>,
    pub steps: usize,
    pub dt: f64,
    /// States kept at every `every` steps.
    pub record: Vec<Quantity>,
    pub every: usize,
}

/// What became of a member.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Final positions, orientations, velocities and spins.
    pub states: [Vec<f64>; 4],
    /// Recorded states; NaN from where the member failed.
    pub recorded: Vec<Vec<f64>>,
    pub hash: u64,
    pub steps: usize,
    pub degraded: usize,
    /// Steps in which each part of the certificate missed its bound, in the order of [`PartName::ALL`].
    pub missed: [usize; PartName::ALL.len()],
    pub residual: f64,
    pub penetration: f64,
    pub energy: f64,
    pub contacts: usize,
    /// Why it stopped early.
    pub error: Option<String>,
    /// Whether that was a panic.
    pub panicked: bool,
}

/// The quantities of [`Outcome::states`].
pub const FINAL: [Quantity; 4] =
    [Quantity::Positions, Quantity::Orientations, Quantity::Velocities, Quantity::AngularVelocities];

/// Sets the member up and steps it; stops between steps when cancelled. A step that is refused ends this member only.
pub fn run(world: &mut World, member: usize, plan: &Plan, cancelled: &AtomicBool) -> Outcome {
    let mut outcome = Outcome { recorded: vec![Vec::new(); plan.record.len()], ..Outcome::default() };
    if let Err(error) = advance(world, member, plan, cancelled, &mut outcome) {
        outcome.error = Some(error);
    }
    for (quantity, out) in FINAL.into_iter().zip(&mut outcome.states) {
        quantity.append(world, out);
    }
    let kept = plan.steps / plan.every;
    let bodies = world.bodies().count();
    for (quantity, out) in plan.record.iter().zip(&mut outcome.recorded) {
        out.resize(kept * bodies * quantity.columns(), f64::NAN);
    }
    outcome.hash = world.state_hash();
    outcome.energy = world.energy().total();
    outcome
}

fn advance(
    world: &mut World,
    member: usize,
    plan: &Plan,
    cancelled: &AtomicBool,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let mut forces = Vec::new();
    for input in &plan.inputs {
        let found = match &input.target {
            Target::World => Found::World,
            Target::Body(id) => Found::Body(world.find(id.clone()).ok_or_else(|| format!("there is no {id}"))?),
            Target::Robot(robot) => Found::Robot(robot),
        };
        if input.field.acts_every_step() {
            forces.push((input, found));
        } else {
            set(world, input, found, member, 0).map_err(|error| error.to_string())?;
        }
    }
    for step in 0..plan.steps {
        if cancelled.load(Ordering::Relaxed) {
            return Err("cancelled".to_owned());
        }
        for (input, found) in &forces {
            set(world, input, *found, member, step).map_err(|error| error.to_string())?;
        }
        let report = world.step(plan.dt).map_err(|error| format!("step {}: {error}", step + 1))?;
        outcome.steps += 1;
        outcome.degraded += usize::from(report.status == StepStatus::Degraded);
        for (count, name) in outcome.missed.iter_mut().zip(PartName::ALL) {
            *count += usize::from(!report.certificate.part(name).is_met());
        }
        outcome.residual = outcome.residual.max(report.velocity.map_or(0.0, |c| c.natural));
        outcome.penetration = outcome.penetration.max(report.penetration);
        outcome.contacts = report.counts.contacts;
        if (step + 1).is_multiple_of(plan.every) {
            for (quantity, out) in plan.record.iter().zip(&mut outcome.recorded) {
                quantity.append(world, out);
            }
        }
    }
    Ok(())
}

fn set(world: &mut World, input: &Input, found: Found<'_>, member: usize, step: usize) -> Result<(), WorldError> {
    let values = input.at(member, step);
    let body = match found {
        Found::Body(body) => body,
        Found::World => {
            let settings = signorini::Settings { gravity: DVec3::from_slice(values), ..*world.settings() };
            return world.set_settings(settings);
        }
        Found::Robot(robot) => return set_robot(world, robot, input.field, values),
    };
    let vector = || DVec3::from_slice(values);
    match input.field {
        Field::Position => world.set_position(body, vector()),
        Field::Orientation => world.set_orientation(body, DQuat::from_xyzw(values[1], values[2], values[3], values[0])),
        Field::Velocity => world.set_velocity(body, vector()),
        Field::AngularVelocity => world.set_angular_velocity(body, vector()),
        Field::Friction => {
            let material = signorini::Material { friction: values[0], ..world.body(body)?.material() };
            world.set_material(body, material)
        }
        Field::Restitution => {
            let material = signorini::Material { restitution: values[0], ..world.body(body)?.material() };
            world.set_material(body, material)
        }
        Field::Force => world.add_force(body, vector()),
        Field::Torque => world.add_torque(body, vector()),
        // Widths are only given to fields of bodies.
        Field::Gravity | Field::Q | Field::Qd | Field::Control | Field::Tau => Ok(()),
    }
}

fn set_robot(world: &mut World, robot: &signorini::Robot, field: Field, values: &[f64]) -> Result<(), WorldError> {
    match field {
        Field::Q => {
            let qd = robot.qd(world)?;
            robot.set_state(world, values, &qd)
        }
        Field::Qd => {
            let q = robot.q(world)?;
            robot.set_state(world, &q, values)
        }
        Field::Control => robot.set_control(world, values),
        _ => robot.set_forces(world, values),
    }
}

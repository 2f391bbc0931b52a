//! One member of an ensemble: a world with its own initial state, surfaces and forces.

use crate::state::Quantity;
use signorini::glamx::{DQuat, DVec3};
use signorini::{BodyHandle, BodyId, StepStatus, World, WorldError};
use std::sync::atomic::{AtomicBool, Ordering};

/// What may differ from member to member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Position,
    Orientation,
    Velocity,
    Spin,
    Friction,
    Restitution,
    Gravity,
    Force,
    Torque,
}

impl Field {
    pub fn parse(name: &str) -> Option<Field> {
        Some(match name {
            "position" => Field::Position,
            "orientation" => Field::Orientation,
            "velocity" => Field::Velocity,
            "spin" => Field::Spin,
            "friction" => Field::Friction,
            "restitution" => Field::Restitution,
            "gravity" => Field::Gravity,
            "force" => Field::Force,
            "torque" => Field::Torque,
            _ => return None,
        })
    }

    /// Numbers per member (and, for forces, per step).
    pub fn width(self) -> usize {
        match self {
            Field::Friction | Field::Restitution => 1,
            Field::Orientation => 4,
            _ => 3,
        }
    }

    fn acts_every_step(self) -> bool {
        matches!(self, Field::Force | Field::Torque)
    }
}

/// Values of one field of one body for all members.
#[derive(Clone, Debug)]
pub struct Input {
    /// None for what holds for a whole world.
    pub body: Option<BodyId>,
    pub field: Field,
    /// Member after member, step after step.
    pub values: Vec<f64>,
    /// Steps for which there are values: one means the same in all.
    pub steps: usize,
}

impl Input {
    fn at(&self, member: usize, step: usize) -> &[f64] {
        let width = self.field.width();
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
pub const FINAL: [Quantity; 4] = [Quantity::Positions, Quantity::Orientations, Quantity::Velocities, Quantity::Spins];

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
        let body = match &input.body {
            None => None,
            Some(id) => Some(world.find(id.clone()).ok_or_else(|| format!("there is no {id}"))?),
        };
        if input.field.acts_every_step() {
            forces.push((input, body));
        } else {
            set(world, input, body, member, 0).map_err(|error| error.to_string())?;
        }
    }
    for step in 0..plan.steps {
        if cancelled.load(Ordering::Relaxed) {
            return Err("cancelled".to_owned());
        }
        for (input, body) in &forces {
            set(world, input, *body, member, step).map_err(|error| error.to_string())?;
        }
        let report = world.step(plan.dt).map_err(|error| format!("step {}: {error}", step + 1))?;
        outcome.steps += 1;
        outcome.degraded += usize::from(report.status == StepStatus::Degraded);
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

fn set(
    world: &mut World,
    input: &Input,
    body: Option<BodyHandle>,
    member: usize,
    step: usize,
) -> Result<(), WorldError> {
    let values = input.at(member, step);
    let vector = || DVec3::new(values[0], values[1], values[2]);
    let Some(body) = body else {
        let settings = signorini::Settings { gravity: vector(), ..*world.settings() };
        return world.set_settings(settings);
    };
    match input.field {
        Field::Position => world.set_position(body, vector()),
        Field::Orientation => world.set_orientation(body, DQuat::from_xyzw(values[1], values[2], values[3], values[0])),
        Field::Velocity => world.set_velocity(body, vector()),
        Field::Spin => world.set_spin(body, vector()),
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
        Field::Gravity => Ok(()),
    }
}

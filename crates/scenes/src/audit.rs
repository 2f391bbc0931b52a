//! Grades a step of any engine from its bodies and contacts.
//!
//! The contact problem of the step is assembled from masses, velocities before the step, contacts and impulses (`q =
//! J(v⁻ + h g) + max(gap, 0)/h + e u_N⁻`), and [`certify`] grades the impulses. The difference between the velocities
//! after the step and those that the impulses give is reported separately; it shows engines that change velocities by
//! other means (bias, softness, damping).

use crate::vector::{Vec3, add, cross, dot, scale, sub};
use crate::{Assembly, Axes, Body, SceneError, contact};
use serde::{Deserialize, Serialize};
use signorini_problem::math;
use signorini_problem::{Certificate, Tolerance, certify};
use thiserror::Error;

/// A body in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditedBody {
    /// Mass \[kg\].
    pub mass: f64,
    /// Principal moments [kg·m²].
    pub inertia: Vec3,
    /// Orientation of the principal axes (w, x, y, z).
    pub orientation: [f64; 4],
    /// Centre of mass at the start of the step \[m\].
    pub position: Vec3,
    /// Velocity and angular velocity before the step, world axes [m/s, rad/s].
    pub before: [f64; 6],
    /// The same after the step.
    pub after: [f64; 6],
}

/// A contact in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditedContact {
    /// Index of the first body; none is the fixed world.
    pub a: Option<usize>,
    /// Index of the second body; none is the fixed world.
    pub b: Option<usize>,
    /// Where \[m\].
    pub point: Vec3,
    /// Unit normal from A to B.
    pub normal: Vec3,
    /// Distance of the surfaces at the start of the step \[m\]; overlap counts as zero.
    #[serde(default)]
    pub gap: f64,
    /// Friction coefficient.
    pub friction: f64,
    /// Restitution.
    #[serde(default)]
    pub restitution: f64,
    /// Impulse on B over the whole step, world axes \[N·s\].
    pub impulse: Vec3,
}

/// A step as an engine took it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditedStep {
    /// Which engine.
    #[serde(default)]
    pub engine: String,
    /// Time step \[s\].
    pub dt: f64,
    /// Gravity [m/s²].
    pub gravity: Vec3,
    /// Bodies that can move.
    pub bodies: Vec<AuditedBody>,
    /// Contacts.
    pub contacts: Vec<AuditedContact>,
}

/// The verdict on a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// The judge's word on the impulses.
    pub certificate: Certificate,
    /// Largest |v⁺ − (v⁻ + h g + M⁻¹Jᵀr)|, linear [m/s]: change of velocity that the impulses do not explain.
    pub unexplained_velocity: f64,
    /// The same of angular velocity [rad/s].
    pub unexplained_angular_velocity: f64,
    /// Largest approach speed at a contact after the step as the engine left it, beyond what its gap allows [m/s].
    pub approach_after: f64,
    /// Kinetic energy after less before, less the work of gravity over the mean velocity \[J\].
    pub energy_change: f64,
    /// Whether the certificate meets the tolerance asked.
    pub certified: bool,
}

/// Why a step cannot be graded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AuditError {
    /// A number is not finite or not in its range.
    #[error("{place}: {value} is not {wanted}")]
    Value {
        /// Where.
        place: String,
        /// What it is.
        value: f64,
        /// What it should be.
        wanted: &'static str,
    },
    /// A contact names a body that is not there, or none at all.
    #[error("contacts[{contact}]: {why}")]
    Bodies {
        /// Which contact.
        contact: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// The problem is not one.
    #[error(transparent)]
    Problem(#[from] SceneError),
}

/// Grades a step. Certified means `natural ≤ tolerance·max(1, |q|∞)` m/s.
pub fn audit(step: &AuditedStep, tolerance: f64) -> Result<Audit, AuditError> {
    check(step)?;
    let mut assembly = Assembly::default();
    (assembly.gravity, assembly.step) = (step.gravity, step.dt);
    for body in &step.bodies {
        assembly.body(Body {
            mass: body.mass,
            inertia: body.inertia,
            axes: axes(body.orientation),
            position: body.position,
            velocity: body.before,
        });
    }
    let mut impulses = Vec::with_capacity(3 * step.contacts.len());
    let mut approach_after = 0.0;
    for contact in &step.contacts {
        let frame =
            assembly.contact([contact.a, contact.b], contact.normal, contact.point, contact.gap, contact.friction);
        let normal_speed = |when: fn(&AuditedBody) -> [f64; 6]| {
            let at =
                |index: Option<usize>| index.map_or([0.0; 3], |i| point_velocity(&step.bodies[i], when, contact.point));
            dot(contact.normal, sub(at(contact.b), at(contact.a)))
        };
        assembly.raise(contact.restitution * normal_speed(|body| body.before).min(0.0));
        approach_after = f64::max(approach_after, -normal_speed(|body| body.after) - contact.gap.max(0.0) / step.dt);
        impulses.extend(contact::in_frame(&frame, contact.impulse));
    }
    let explained = explained_velocities(step);
    let problem = assembly.problem()?;
    let certificate = certify(&problem, &impulses).map_err(SceneError::from)?;
    let (mut velocity, mut angular_velocity, mut energy) = (0.0, 0.0, 0.0);
    for (body, explained) in step.bodies.iter().zip(&explained) {
        let off = |range: std::ops::Range<usize>| {
            range.map(|i| math::powi(body.after[i] - explained[i], 2)).sum::<f64>().sqrt()
        };
        velocity = f64::max(velocity, off(0..3));
        angular_velocity = f64::max(angular_velocity, off(3..6));
        energy += kinetic(body, body.after) - kinetic(body, body.before);
        let mean = scale(0.5, add(linear(body.before), linear(body.after)));
        energy -= body.mass * step.dt * dot(step.gravity, mean);
    }
    Ok(Audit {
        certified: certificate.meets(&Tolerance::velocity(tolerance)),
        certificate,
        unexplained_velocity: velocity,
        unexplained_angular_velocity: angular_velocity,
        approach_after,
        energy_change: energy,
    })
}

/// `v⁻ + h g + M⁻¹Jᵀr` per body, with impulses summed as forces and torques in world axes.
fn explained_velocities(step: &AuditedStep) -> Vec<[f64; 6]> {
    let mut out: Vec<[f64; 6]> = Vec::with_capacity(step.bodies.len());
    for (index, body) in step.bodies.iter().enumerate() {
        let (mut push, mut turn) = ([0.0; 3], [0.0; 3]);
        for contact in &step.contacts {
            for (end, sign) in [(contact.a, -1.0), (contact.b, 1.0)] {
                if end == Some(index) {
                    let impulse = scale(sign, contact.impulse);
                    push = add(push, impulse);
                    turn = add(turn, cross(sub(contact.point, body.position), impulse));
                }
            }
        }
        let linear = add(linear(body.before), add(scale(step.dt, step.gravity), scale(1.0 / body.mass, push)));
        let mut angular = angular(body.before);
        for (axis, moment) in axes(body.orientation).iter().zip(body.inertia) {
            angular = add(angular, scale(dot(*axis, turn) / moment, *axis));
        }
        out.push([linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]]);
    }
    out
}

fn check(step: &AuditedStep) -> Result<(), AuditError> {
    let refuse = |place: String, value: f64, wanted| Err(AuditError::Value { place, value, wanted });
    if !(step.dt.is_finite() && step.dt > 0.0) {
        return refuse("dt".to_owned(), step.dt, "a time above zero");
    }
    let finite = |place: &str, values: &[f64]| match values.iter().find(|x| !x.is_finite()) {
        Some(value) => Err(AuditError::Value { place: place.to_owned(), value: *value, wanted: "a finite number" }),
        None => Ok(()),
    };
    finite("gravity", &step.gravity)?;
    for (index, body) in step.bodies.iter().enumerate() {
        for value in [body.mass].iter().chain(&body.inertia) {
            if !(value.is_finite() && *value > 0.0) {
                return refuse(format!("bodies[{index}]: mass or inertia"), *value, "finite and above zero");
            }
        }
        let length = body.orientation.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(1.0 - UNIT..=1.0 + UNIT).contains(&length) {
            return refuse(format!("bodies[{index}].orientation: length"), length, "1 to within 1e-4");
        }
        finite(&format!("bodies[{index}].position"), &body.position)?;
        finite(&format!("bodies[{index}].before"), &body.before)?;
        finite(&format!("bodies[{index}].after"), &body.after)?;
    }
    for (index, contact) in step.contacts.iter().enumerate() {
        if contact.a.is_none() && contact.b.is_none() || contact.a == contact.b {
            return Err(AuditError::Bodies { contact: index, why: "a contact needs two different bodies" });
        }
        if [contact.a, contact.b].into_iter().flatten().any(|body| body >= step.bodies.len()) {
            return Err(AuditError::Bodies { contact: index, why: "there is no body of that index" });
        }
        let length = dot(contact.normal, contact.normal).sqrt();
        if !(1.0 - UNIT..=1.0 + UNIT).contains(&length) {
            return refuse(format!("contacts[{index}].normal: length"), length, "1 to within 1e-4");
        }
        if !(contact.friction.is_finite() && contact.friction >= 0.0) {
            return refuse(format!("contacts[{index}].friction"), contact.friction, "finite and not negative");
        }
        finite(&format!("contacts[{index}]"), &[contact.gap, contact.restitution])?;
        finite(&format!("contacts[{index}].point"), &contact.point)?;
        finite(&format!("contacts[{index}].impulse"), &contact.impulse)?;
    }
    Ok(())
}

/// How far from one the length of a unit vector may be: engines in single precision have 1e-7 and drift.
const UNIT: f64 = 1e-4;

/// The axes of a body, one per row, from (w, x, y, z).
fn axes([w, x, y, z]: [f64; 4]) -> Axes {
    let s = 2.0 / (w * w + x * x + y * y + z * z);
    [
        [1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)],
        [s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)],
        [s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)],
    ]
}

fn linear(v: [f64; 6]) -> Vec3 {
    [v[0], v[1], v[2]]
}

fn angular(v: [f64; 6]) -> Vec3 {
    [v[3], v[4], v[5]]
}

fn kinetic(body: &AuditedBody, v: [f64; 6]) -> f64 {
    let turning =
        axes(body.orientation).into_iter().zip(body.inertia).map(|(a, i)| i * math::powi(dot(a, angular(v)), 2));
    0.5 * (body.mass * dot(linear(v), linear(v)) + turning.sum::<f64>())
}

fn point_velocity(body: &AuditedBody, when: fn(&AuditedBody) -> [f64; 6], point: Vec3) -> Vec3 {
    let v = when(body);
    add(linear(v), cross(angular(v), sub(point, body.position)))
}

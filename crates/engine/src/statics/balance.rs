//! Static stability: whether bodies can rest. It computes the least total wrench that would have to be added to hold
//! them.
//!
//! ```text
//! min Σ_k ‖e_k‖    Gᵀf + Jᵀg + e = −w,  f, g admissible
//! ```
//!
//! The program always has a solution. So has its dual: among the virtual motions v that contacts and joints allow, with
//! `‖v_k‖ ≤ 1`, the one along which the loads do most work. If the optimum is zero the bodies can rest; otherwise v is
//! the motion with which they begin to fall.

use super::model::{Model, StaticContact};
use super::program::Posed;
use super::{Proof, StaticsError, StaticsOptions};
use crate::{BodyHandle, World};
use glamx::DVec3;
use signorini_solvers::cone_program::{Cone, Ending};

/// A contact force between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// The body that the normal points out of.
    pub a: BodyHandle,
    /// The other body.
    pub b: BodyHandle,
    /// Where \[m\].
    pub point: DVec3,
    /// Unit normal from A to B.
    pub normal: DVec3,
    /// On B \[N\]; the opposite acts on A.
    pub force: DVec3,
}

/// A virtual motion of a body: only its direction means anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMotion {
    /// The body.
    pub body: BodyHandle,
    /// Of its centre of mass.
    pub velocity: DVec3,
    /// About its centre of mass, per metre.
    pub angular_velocity: DVec3,
}

/// Whether bodies can rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// Whether there are admissible forces.
    pub stable: bool,
    /// Least total wrench that would have to be added \[N\], torques divided by [`Stability::length`]: zero, to the tolerance, if stable.
    pub missing: f64,
    /// Lower bound on it, proved by the dual solution \[N\].
    pub missing_at_least: f64,
    /// Length by which torques are divided \[m\]: the largest distance of a contact from the centre of mass of its
    /// body.
    pub length: f64,
    /// A set of forces that attains the optimum; admissible equilibrium forces if stable. For redundant contacts it is
    /// one of many: see [`super::force_bounds`].
    pub forces: Vec<ContactForce>,
    /// How the bodies begin to fall if they are not stable; else empty.
    pub motion: Vec<BodyMotion>,
    /// The check of the answer.
    pub proof: Proof,
}

/// Whether the contacts and joints can carry the loads.
///
/// A block on a slope rests if the slope is less than the friction, `tan α ≤ μ`:
///
/// ```
/// use signorini::glamx::{DQuat, DVec3};
/// use signorini::{Body, Material, Settings, Shape, World, statics};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// for (slope, rests) in [(0.49_f64, true), (0.51, false)] {
///     let turn = DQuat::from_rotation_y(slope.atan());
///     let rough = Material::new(0.5, 0.0);
///     let mut world = World::new(Settings::default())?;
///     world.add(Body::fixed(Shape::half_space(turn * DVec3::Z)?).material(rough))?;
///     let block = Body::dynamic(Shape::cuboid(DVec3::splat(0.1))?).material(rough);
///     world.add(block.position(turn * DVec3::new(0.0, 0.0, 0.1)).orientation(turn))?;
///     assert_eq!(statics::is_stable(&world, &statics::StaticsOptions::default())?.stable, rests);
/// }
/// # Ok(())
/// # }
/// ```
pub fn is_stable(world: &World, options: &StaticsOptions) -> Result<Stability, StaticsError> {
    let model = Model::new(world, options)?;
    balance(&model, Posed::new(&model, 1.0), options.tolerance)
}

/// Whether a program of forces, posed already, has an answer.
pub(super) fn balance(model: &Model, mut posed: Posed, tolerance: f64) -> Result<Stability, StaticsError> {
    let question = "whether the bodies can rest";
    let first = posed.columns;
    for place in 0..model.bodies.len() {
        let error = posed.add(Cone::SecondOrder(7));
        posed.entries.extend((0..6).map(|i| (6 * place + i, error + 1 + i, 1.0)));
    }
    let mut cost = vec![0.0; posed.columns];
    (0..model.bodies.len()).for_each(|place| cost[first + 7 * place] = 1.0);
    if model.bodies.is_empty() {
        return Ok(Stability {
            stable: true,
            missing: 0.0,
            missing_at_least: 0.0,
            length: model.length,
            forces: Vec::new(),
            motion: Vec::new(),
            proof: Proof::default(),
        });
    }
    let answer = posed.program().map(|mut program| program.minimise(&cost));
    let answer = answer.filter(|answer| answer.ending == Ending::Answered);
    let answer = answer.ok_or(StaticsError::unanswered(question, tolerance))?;
    let proof = Proof::of(&posed, &cost, &answer.x, &answer.y).within(tolerance, question)?;
    let missing = super::proof::dot(&cost, &answer.x).max(0.0) * model.force;
    let stable = missing <= tolerance * model.force;
    let motion = |(place, body): (usize, &BodyHandle)| {
        // The multipliers of the balance have the opposite sign of the motion.
        let v = &answer.y[6 * place..6 * place + 6];
        BodyMotion {
            body: *body,
            velocity: -DVec3::from_slice(v),
            angular_velocity: -DVec3::from_slice(&v[3..]) / model.length,
        }
    };
    Ok(Stability {
        stable,
        missing,
        missing_at_least: super::proof::dot(&posed.b, &answer.y).max(0.0) * model.force,
        length: model.length,
        forces: forces(model, &posed, &answer.x),
        motion: if stable { Vec::new() } else { model.bodies.iter().enumerate().map(motion).collect() },
        proof,
    })
}

/// The contact forces in a list of variables.
fn forces(model: &Model, posed: &Posed, x: &[f64]) -> Vec<ContactForce> {
    let force = |(index, touch): (usize, &StaticContact)| {
        let parts = posed.parts(index).zip(touch.frame).map(|((column, factor), axis)| factor * x[column] * axis);
        let force = model.force * parts.sum::<DVec3>();
        ContactForce { a: touch.a, b: touch.b, point: touch.point, normal: touch.frame[0], force }
    };
    model.touches.iter().enumerate().map(force).collect()
}

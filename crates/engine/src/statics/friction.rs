//! The safety factor on friction: by how much all coefficients may be divided before the bodies fall.
//!
//! It is the reduction of strength of soil mechanics (Zienkiewicz, Humpheson and Lewis 1975). The cones shrink with the divisor, so bodies
//! that fall with one fall with every larger one, and halving an interval finds the limit. Each end of the interval is an
//! answered and checked question of its own.

use super::balance::balance;
use super::model::Model;
use super::program::Posed;
use super::{Proof, StaticsError, StaticsOptions};
use crate::World;

/// Width at which halving ends, as a fraction of the coefficient.
const FINE: f64 = 1e-9;
/// Most halvings, and most doublings beyond the friction that there is.
const MAX_HALVINGS: usize = 60;
const MAX_DOUBLINGS: usize = 20;

/// By how much friction may be divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SafetyFactor {
    /// The largest divisor of all friction coefficients for which the bodies are proved to rest. Infinite if they rest
    /// without friction; below 1 if they fall now but more friction would hold them.
    pub factor: f64,
    /// The least divisor for which they are proved to fall; infinite if there is none.
    pub falls_from: f64,
    /// The check of the worst of all answers.
    pub proof: Proof,
}

/// The safety factor on friction. [`StaticsError::Falls`] if a million times the friction does not hold the bodies either.
///
/// A block on a slope rests while `μ/F ≥ tan α`:
///
/// ```
/// use signorini::glamx::{DQuat, DVec3};
/// use signorini::{Body, Material, Settings, Shape, World, statics};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let turn = DQuat::from_rotation_y(0.25_f64.atan());
/// let rough = Material::new(0.5, 0.0);
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(turn * DVec3::Z)?).material(rough))?;
/// let block = Body::dynamic(Shape::cuboid(DVec3::splat(0.1))?).material(rough);
/// world.add(block.position(turn * DVec3::new(0.0, 0.0, 0.1)).orientation(turn))?;
/// let safety = statics::safety_factor(&world, &statics::StaticsOptions::default())?;
/// assert!((safety.factor - 2.0).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
pub fn safety_factor(world: &World, options: &StaticsOptions) -> Result<SafetyFactor, StaticsError> {
    let model = Model::new(world, options)?;
    let mut proof = Proof::default();
    let mut missing = 0.0;
    // Friction is multiplied by `share`, the inverse of the factor.
    let mut rests = |share: f64| -> Result<bool, StaticsError> {
        let answer = balance(&model, Posed::new(&model, share), options.tolerance)?;
        proof = proof.worst(answer.proof);
        missing = answer.missing;
        Ok(answer.stable)
    };
    let (mut falls, mut holds) = (0.0, 1.0);
    if rests(0.0)? {
        return Ok(SafetyFactor { factor: f64::INFINITY, falls_from: f64::INFINITY, proof });
    }
    let mut doublings = 0;
    while !rests(holds)? {
        if doublings == MAX_DOUBLINGS {
            return Err(StaticsError::Falls { missing });
        }
        falls = holds;
        holds *= 2.0;
        doublings += 1;
    }
    for _ in 0..MAX_HALVINGS {
        if holds - falls <= FINE * holds {
            break;
        }
        let middle = 0.5 * (falls + holds);
        if rests(middle)? {
            holds = middle;
        } else {
            falls = middle;
        }
    }
    Ok(SafetyFactor { factor: 1.0 / holds, falls_from: 1.0 / falls, proof })
}

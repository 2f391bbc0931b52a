//! How much of a pattern of loads can be carried: `min, max λ` over `Gᵀf + Jᵀg + w + λ p = 0`, f and g admissible.

use super::balance::balance;
use super::model::{Model, Wrench, wrench};
use super::program::Posed;
use super::{Proof, StaticsError, StaticsOptions};
use crate::{BodyHandle, Kind, World};
use glamx::DVec3;
use signorini_solvers::cone_program::Ending;

/// A load on one body, part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The body.
    pub body: BodyHandle,
    /// Force \[N\], world axes.
    pub force: DVec3,
    /// Torque [N·m], world axes.
    pub torque: DVec3,
    /// Where the force acts, in the world \[m\]; the centre of mass if not given.
    pub point: Option<DVec3>,
}

impl Load {
    /// A force at the centre of mass.
    pub fn force(body: BodyHandle, force: DVec3) -> Load {
        Load { body, force, torque: DVec3::ZERO, point: None }
    }
    /// A force at a point of the world.
    pub fn force_at(body: BodyHandle, force: DVec3, point: DVec3) -> Load {
        Load { point: Some(point), ..Load::force(body, force) }
    }
    /// A torque.
    pub fn torque(body: BodyHandle, torque: DVec3) -> Load {
        Load { torque, ..Load::force(body, DVec3::ZERO) }
    }
    /// What an acceleration of the ground by `-acceleration` does to every dynamic body: mass times acceleration. With 1 g along
    /// a horizontal direction, the limit is the fraction of its weight that pushes a structure over, and its arc tangent
    /// the angle by which the ground may be tilted.
    pub fn acceleration(world: &World, acceleration: DVec3) -> Vec<Load> {
        let dynamic = world.bodies().filter(|(_, body)| body.kind() == Kind::Dynamic);
        dynamic.map(|(body, view)| Load::force(body, view.mass() * acceleration)).collect()
    }
}

/// The factors of a pattern of loads that can be carried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadLimit {
    /// Least factor; negative if the pattern can be carried the other way round too, −∞ without end.
    pub least: f64,
    /// Greatest factor: the load limit. Infinite without end.
    pub greatest: f64,
    /// The check of both.
    pub proof: Proof,
}

/// The interval of factors λ for which the loads of the world and λ times the pattern can be carried together.
///
/// A block of weight W on a floor of friction μ is pushed along until it slides, at `μW` either way:
///
/// ```
/// use signorini::glamx::DVec3;
/// use signorini::{Body, Material, Settings, Shape, World, statics};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let rough = Material::new(0.4, 0.0);
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?).material(rough))?;
/// let block = Body::dynamic(Shape::cuboid(DVec3::splat(0.1))?).mass(2.0).position(DVec3::new(0.0, 0.0, 0.1));
/// let block = world.add(block.material(rough))?;
/// let push = [statics::Load::force(block, DVec3::X)];
/// let limit = statics::load_limit(&world, &push, &statics::StaticsOptions::default())?;
/// assert!((limit.greatest - 0.4 * 2.0 * 9.81).abs() < 1e-5 && (limit.least + limit.greatest).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
pub fn load_limit(world: &World, pattern: &[Load], options: &StaticsOptions) -> Result<LoadLimit, StaticsError> {
    let mut model = Model::new(world, options)?;
    let wrenches = wrenches(world, &model, pattern)?;
    let largest = wrenches.iter().map(|load| model.size(load)).fold(0.0, f64::max);
    if largest == 0.0 {
        let (field, range) = ("size of the pattern", "(0, ∞) N");
        return Err(StaticsError::Value { field, index: 0, value: 0.0, range });
    }
    // A world without loads has no unit of its own.
    if model.loads.iter().all(|load| model.size(load) == 0.0) {
        model.force = largest;
    }
    // λ in units in which the pattern is as large as the loads.
    let unit = model.force / largest;
    let scaled: Vec<Wrench> = wrenches.iter().map(|load| load.map(|x| x * unit)).collect();
    let mut posed = Posed::new(&model, 1.0);
    let column = posed.add_pattern(&model, &scaled);
    let possible = balance(&model, posed.clone(), options.tolerance)?;
    if !possible.stable {
        return Err(StaticsError::Falls { missing: possible.missing });
    }
    let (least, one) = extreme(&posed, column, 1.0, options.tolerance)?;
    let (greatest, other) = extreme(&posed, column, -1.0, options.tolerance)?;
    Ok(LoadLimit { least: unit * least, greatest: unit * greatest, proof: one.worst(other) })
}

/// Least value of a variable (sign 1) or greatest (sign −1).
fn extreme(posed: &Posed, column: usize, sign: f64, tolerance: f64) -> Result<(f64, Proof), StaticsError> {
    let question = "the limit of the loads";
    let mut cost = vec![0.0; posed.columns];
    cost[column] = sign;
    let answer = posed.program().map(|mut program| program.minimise(&cost));
    let answer = answer.ok_or(StaticsError::unanswered(question, tolerance))?;
    match answer.ending {
        Ending::Answered => {
            let proof = Proof::of(posed, &cost, &answer.x, &answer.y).within(tolerance, question)?;
            Ok((answer.x[column], proof))
        }
        Ending::Unbounded => {
            let proof = Proof::of_unbounded(posed, &cost, &answer.x).within(tolerance, question)?;
            Ok((-sign * f64::INFINITY, proof))
        }
        Ending::Infeasible | Ending::Lost => Err(StaticsError::unanswered(question, tolerance)),
    }
}

/// The pattern by body in balance.
fn wrenches(world: &World, model: &Model, pattern: &[Load]) -> Result<Vec<Wrench>, StaticsError> {
    let mut out = vec![[0.0; 6]; model.bodies.len()];
    for (index, load) in pattern.iter().enumerate() {
        let view = world.body(load.body)?;
        let Some(place) = model.bodies.iter().position(|body| *body == load.body) else {
            return Err(StaticsError::NotDynamic { body: view.id().clone(), operation: "loaded" });
        };
        let point = load.point.unwrap_or(model.centres[place]);
        for (field, vector) in
            [("force of load", load.force), ("torque of load", load.torque), ("point of load", point)]
        {
            if let Some(value) = vector.to_array().into_iter().find(|x| x.is_nan() || x.abs() > 1e100) {
                return Err(StaticsError::Value { field, index, value, range: "[-1e100, 1e100]" });
            }
        }
        let added = wrench(load.force, load.torque + (point - model.centres[place]).cross(load.force));
        out[place].iter_mut().zip(added).for_each(|(sum, x)| *sum += x);
    }
    Ok(out)
}

//! Statics: numbers and arrays; what they are called is written in Python (`signorini/statics.py`).

use crate::argument::{vector, wrong_type};
use crate::body::Body;
use crate::raise;
use crate::world::World;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use signorini::BodyHandle;
use signorini::glamx::DVec3;
use signorini::statics::{
    Load, Per, Proof, StaticsError, StaticsOptions, force_bounds, is_stable, load_limit, safety_factor,
};

type Rows<'py> = Bound<'py, PyArray2<f64>>;
/// Rows of the bodies of a contact in the arrays of the world.
type Pairs<'py> = Bound<'py, PyArray2<i64>>;
type Numbers = (f64, f64, f64);

fn numbers(proof: &Proof) -> Numbers {
    (proof.primal, proof.dual, proof.gap)
}

fn table<const N: usize>(py: Python<'_>, rows: Vec<[f64; N]>) -> PyResult<Rows<'_>> {
    let count = rows.len();
    let array = Array2::from_shape_vec((count, N), rows.into_flattened());
    Ok(array.map_err(|error| PyValueError::new_err(error.to_string()))?.into_pyarray(py))
}

fn pairs<'py>(
    py: Python<'py>,
    world: &signorini::World,
    pairs: impl Iterator<Item = [BodyHandle; 2]>,
) -> PyResult<Pairs<'py>> {
    let mut ranks: Vec<(BodyHandle, i64)> = (0..).zip(world.bodies()).map(|(rank, (body, _))| (body, rank)).collect();
    ranks.sort_unstable();
    let rank = |body: BodyHandle| ranks.binary_search_by_key(&body, |(handle, _)| *handle).map_or(-1, |at| ranks[at].1);
    let flat: Vec<i64> = pairs.flatten().map(rank).collect();
    let array = Array2::from_shape_vec((flat.len() / 2, 2), flat);
    Ok(array.map_err(|error| PyValueError::new_err(error.to_string()))?.into_pyarray(py))
}

fn handle(world: &Bound<'_, World>, value: &Bound<'_, PyAny>, name: &str) -> PyResult<BodyHandle> {
    let body = value.cast::<Body>().map_err(|_| wrong_type(name, "a Body", value))?.get();
    if !body.world.bind(value.py()).is(world) {
        return Err(PyValueError::new_err(format!("{name}: the body belongs to another world")));
    }
    Ok(body.handle)
}

fn options(
    world: &Bound<'_, World>,
    touching: f64,
    tolerance: f64,
    bodies: Option<Vec<Bound<'_, PyAny>>>,
) -> PyResult<StaticsOptions> {
    let bodies = match bodies {
        Some(list) => Some(list.iter().map(|body| handle(world, body, "bodies")).collect::<PyResult<_>>()?),
        None => None,
    };
    Ok(StaticsOptions { touching, tolerance, bodies })
}

fn raised(error: StaticsError) -> PyErr {
    match error {
        StaticsError::World(error) => raise::world(error),
        error => raise::statics(error),
    }
}

/// (stable, missing, missing at least, length), bodies, (point, normal, force), motion, proof.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a tuple that Python gives names to")]
pub fn _is_stable<'py>(
    py: Python<'py>,
    world: &Bound<'py, World>,
    touching: f64,
    tolerance: f64,
    bodies: Option<Vec<Bound<'py, PyAny>>>,
) -> PyResult<((bool, f64, f64, f64), Pairs<'py>, Rows<'py>, Rows<'py>, Numbers)> {
    let options = options(world, touching, tolerance, bodies)?;
    let guarded = &world.get().guarded;
    let found = guarded.detached(py, |world| is_stable(world, &options))?.map_err(raised)?;
    let force = |f: &signorini::statics::ContactForce| nine(f.point, f.normal, f.force);
    let forces = table(py, found.forces.iter().map(force).collect())?;
    let motion = found.motion.iter().map(|m| six(m.velocity, m.angular_velocity)).collect();
    let ranks = guarded.with(|world| pairs(py, world, found.forces.iter().map(|f| [f.a, f.b])))?;
    let head = (found.stable, found.missing, found.missing_at_least, found.length);
    Ok((head, ranks, forces, table(py, motion)?, numbers(&found.proof)))
}

fn nine(a: DVec3, b: DVec3, c: DVec3) -> [f64; 9] {
    [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]
}

fn six(a: DVec3, b: DVec3) -> [f64; 6] {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

/// Factor, falls from, proof.
#[pyfunction]
pub fn _safety_factor<'py>(
    py: Python<'py>,
    world: &Bound<'py, World>,
    touching: f64,
    tolerance: f64,
    bodies: Option<Vec<Bound<'py, PyAny>>>,
) -> PyResult<(f64, f64, Numbers)> {
    let options = options(world, touching, tolerance, bodies)?;
    let found = world.get().guarded.detached(py, |world| safety_factor(world, &options))?.map_err(raised)?;
    Ok((found.factor, found.falls_from, numbers(&found.proof)))
}

/// Least, greatest, proof. Loads are tuples (body, force, torque, point or None).
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a tuple that Python makes")]
pub fn _load_limit<'py>(
    py: Python<'py>,
    world: &Bound<'py, World>,
    loads: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>)>,
    touching: f64,
    tolerance: f64,
    bodies: Option<Vec<Bound<'py, PyAny>>>,
) -> PyResult<(f64, f64, Numbers)> {
    let options = options(world, touching, tolerance, bodies)?;
    let mut pattern = Vec::with_capacity(loads.len());
    for (body, force, torque, point) in &loads {
        pattern.push(Load {
            body: handle(world, body, "body of a load")?,
            force: vector("force of a load", force)?,
            torque: vector("torque of a load", torque)?,
            point: point.as_ref().map(|point| vector("point of a load", point)).transpose()?,
        });
    }
    let guarded = &world.get().guarded;
    let found = guarded.detached(py, |world| load_limit(world, &pattern, &options))?.map_err(raised)?;
    Ok((found.least, found.greatest, numbers(&found.proof)))
}

/// Bodies; rows of point, normal, normal force from and to, tangential force from and to and at most; points; programs; proof.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a tuple that Python gives names to")]
pub fn _force_bounds<'py>(
    py: Python<'py>,
    world: &Bound<'py, World>,
    per: &str,
    touching: f64,
    tolerance: f64,
    bodies: Option<Vec<Bound<'py, PyAny>>>,
) -> PyResult<(Pairs<'py>, Rows<'py>, Bound<'py, PyArray1<i64>>, usize, Numbers)> {
    let per = match per {
        "patch" => Per::Patch,
        "point" => Per::Point,
        other => return Err(PyValueError::new_err(format!("per: '{other}' is none of patch, point"))),
    };
    let options = options(world, touching, tolerance, bodies)?;
    let guarded = &world.get().guarded;
    let found = guarded.detached(py, |world| force_bounds(world, per, &options))?.map_err(raised)?;
    let row = |c: &signorini::statics::Bounded| {
        let (n, t) = (c.normal_force, c.tangential_force);
        let [x, y, z, i, j, k] = six(c.point, c.normal);
        [x, y, z, i, j, k, n.least, n.greatest, t.least, t.greatest, c.tangential_at_most]
    };
    let rows = table(py, found.contacts.iter().map(row).collect())?;
    let counts: Vec<i64> = found.contacts.iter().map(|c| c.points as i64).collect();
    let ranks = guarded.with(|world| pairs(py, world, found.contacts.iter().map(|c| [c.a, c.b])))?;
    Ok((ranks, rows, counts.into_pyarray(py), found.programs, numbers(&found.proof)))
}

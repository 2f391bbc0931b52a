//! Questions to a world, many at once.

use crate::argument::{rows, wrong_shape};
use crate::events::Rows;
use crate::world::World;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use signorini::glamx::DVec3;
use signorini::{Filter, QueryFilter, Ray};

/// Rows of the bodies that were hit (−1: none), distances [m] (infinite: none) and normals.
pub type Hits<'py> = (Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

/// Which bodies a question is about.
pub fn filter(
    world: &Bound<'_, World>,
    exclude: Option<&Bound<'_, PyAny>>,
    layers: u32,
    mask: u32,
    sensors: bool,
) -> PyResult<QueryFilter> {
    let exclude = match exclude {
        Some(body) => vec![World::handle(world, "exclude", body)?],
        None => Vec::new(),
    };
    Ok(QueryFilter { filter: Filter::new(layers, mask), exclude, kind: None, sensors })
}

/// The first body on every ray.
pub fn cast_rays<'py>(
    slf: &Bound<'py, World>,
    origins: &Bound<'py, PyAny>,
    directions: &Bound<'py, PyAny>,
    distance: f64,
    filter: &QueryFilter,
) -> PyResult<Hits<'py>> {
    let (origins, directions) = (rows::<3>("origins", origins)?, rows::<3>("directions", directions)?);
    if origins.len() != directions.len() {
        return Err(wrong_shape("directions", &format!("[{}, 3]", origins.len()), &[directions.len(), 3]));
    }
    let vector = DVec3::from_array;
    let ray = |(origin, direction): (&[f64; 3], &[f64; 3])| Ray {
        origin: vector(*origin),
        direction: vector(*direction),
        max: distance,
    };
    let rays: Vec<Ray> = origins.iter().zip(&directions).map(ray).collect();
    let py = slf.py();
    let (found, table) = slf
        .get()
        .guarded
        .detached(py, |world| crate::threads::engine(|| (world.cast_rays(&rays, filter), Rows::of(world))))??;
    let (mut bodies, mut distances, mut normals) = (Vec::new(), Vec::new(), Vec::new());
    for hit in found {
        bodies.push(hit.map_or(-1, |(body, _)| table.row(body)));
        distances.push(hit.map_or(f64::INFINITY, |(_, hit)| hit.distance));
        normals.extend(hit.map_or([0.0; 3], |(_, hit)| hit.normal.to_array()));
    }
    let normals = normals.into_pyarray(py).reshape([rays.len(), 3])?;
    Ok((bodies.into_pyarray(py), distances.into_pyarray(py), normals))
}

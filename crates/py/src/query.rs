//! Queries of a world from Python, many at once and with filters.

use crate::argument::{quaternion, rows, vector, wrong_shape, wrong_type};
use crate::body::{Body, id_of};
use crate::events::Rows;
use crate::raise;
use crate::shape::Shape;
use crate::world::World;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use signorini::glamx::{DPose3, DQuat, DVec3};
use signorini::{Filter, QueryFilter, Ray};

/// Rows of the bodies that were hit (−1: none), distances [m] (infinite: none) and normals.
type Hits<'py> = (Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

/// Queries; they do not change the world. `exclude` is a body that is not found; `layers` and `mask` are the collision
/// filter of the query; with `sensors` bodies that are sensors are found too.
#[pyclass(module = "signorini", frozen)]
pub struct Queries {
    pub world: Py<World>,
}

impl Queries {
    fn filter(
        &self,
        py: Python<'_>,
        exclude: Option<&Bound<'_, PyAny>>,
        (layers, mask): (u32, u32),
        sensors: bool,
    ) -> PyResult<QueryFilter> {
        let exclude = match exclude {
            Some(body) => vec![World::handle(self.world.bind(py), "exclude", body)?],
            None => Vec::new(),
        };
        Ok(QueryFilter { filter: Filter::new(layers, mask), exclude, kind: None, sensors })
    }

    fn body(&self, py: Python<'_>, handle: signorini::BodyHandle) -> Body {
        Body { world: self.world.clone_ref(py), handle }
    }
}

#[pymethods]
impl Queries {
    fn __repr__(&self) -> &'static str {
        "<Queries of a world: rays, closest points, overlaps, sweeps>"
    }

    /// The first body on every ray: rows of the bodies (−1 for none), distances [m] (infinite for none) and normals.
    /// `origins` and `directions` have the shape (n, 3).
    ///
    /// >>> from signorini import Shape, World
    /// >>> world = World()
    /// >>> ball = world.add(Shape.sphere(0.5), position=(5, 0, 0), name="ball")
    /// >>> bodies, distances, normals = world.queries.cast_rays([(0, 0, 0), (0, 9, 0)], [(1, 0, 0), (1, 0, 0)], 100)
    /// >>> bodies.tolist(), distances.tolist()
    /// ([0, -1], [4.5, inf])
    #[pyo3(signature = (
        origins, directions, distance, *, exclude=None, layers=u32::MAX, mask=u32::MAX, sensors=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn cast_rays<'py>(
        &self,
        py: Python<'py>,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        distance: f64,
        exclude: Option<&Bound<'py, PyAny>>,
        layers: u32,
        mask: u32,
        sensors: bool,
    ) -> PyResult<Hits<'py>> {
        let filter = self.filter(py, exclude, (layers, mask), sensors)?;
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
        let guarded = &self.world.bind(py).get().guarded;
        let (asked, wanted) = (&rays, &filter);
        // The world goes along: what is only looked at may not be shared with another thread.
        let (found, table) = guarded.detached(py, |world| {
            crate::threads::engine(move || (world.cast_rays(asked, wanted), Rows::of(world)))
        })??;
        let (mut bodies, mut distances, mut normals) = (Vec::new(), Vec::new(), Vec::new());
        for hit in found {
            bodies.push(hit.map_or(-1, |(body, _)| table.row(body)));
            distances.push(hit.map_or(f64::INFINITY, |(_, hit)| hit.distance));
            normals.extend(hit.map_or([0.0; 3], |(_, hit)| hit.normal.to_array()));
        }
        let normals = normals.into_pyarray(py).reshape([rays.len(), 3])?;
        Ok((bodies.into_pyarray(py), distances.into_pyarray(py), normals))
    }

    /// Every body on a ray, the nearest first: bodies and distances [m].
    #[pyo3(signature = (origin, direction, distance, *, exclude=None, layers=u32::MAX, mask=u32::MAX, sensors=false))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn cast_ray_all(
        &self,
        py: Python<'_>,
        origin: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
        distance: f64,
        exclude: Option<&Bound<'_, PyAny>>,
        layers: u32,
        mask: u32,
        sensors: bool,
    ) -> PyResult<Vec<(Body, f64)>> {
        let filter = self.filter(py, exclude, (layers, mask), sensors)?;
        let ray = Ray { origin: vector("origin", origin)?, direction: vector("direction", direction)?, max: distance };
        let found = self.world.bind(py).get().guarded.with(|world| Ok(world.cast_ray_all(&ray, &filter)))?;
        Ok(found.into_iter().map(|(handle, hit)| (self.body(py, handle), hit.distance)).collect())
    }

    /// The body nearest to a point [m] within `distance` [m]: the body, its distance (below zero inside) and the point on
    /// it; None if there is none.
    #[pyo3(signature = (point, distance, *, exclude=None, layers=u32::MAX, mask=u32::MAX, sensors=false))]
    #[expect(clippy::type_complexity, clippy::too_many_arguments, reason = "a tuple and keyword arguments of Python")]
    fn closest_point<'py>(
        &self,
        py: Python<'py>,
        point: &Bound<'py, PyAny>,
        distance: f64,
        exclude: Option<&Bound<'py, PyAny>>,
        layers: u32,
        mask: u32,
        sensors: bool,
    ) -> PyResult<Option<(Body, f64, Bound<'py, PyArray1<f64>>)>> {
        let (point, filter) = (vector("point", point)?, self.filter(py, exclude, (layers, mask), sensors)?);
        let guarded = &self.world.bind(py).get().guarded;
        let found = guarded.with(|world| Ok(world.closest_point(point, distance, &filter)))?;
        Ok(found
            .map(|(handle, closest)| (self.body(py, handle), closest.distance, closest.on_b.to_array().to_pyarray(py))))
    }

    /// Distance of two bodies [m], below zero by the depth where they overlap; None beyond `within` [m].
    #[pyo3(signature = (a, b, within=1e3))]
    fn distance(
        &self,
        py: Python<'_>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        within: f64,
    ) -> PyResult<Option<f64>> {
        let world = self.world.bind(py);
        let (a, b) = (World::handle(world, "a", a)?, World::handle(world, "b", b)?);
        let found = world.get().guarded.with(|world| world.distance(a, b, within).map_err(raise::world))?;
        Ok(found.map(|closest| closest.distance))
    }

    /// The bodies that a shape at `position` [m] and `orientation` (w, x, y, z) overlaps, in the order of their ids.
    #[pyo3(signature = (
        shape, position, orientation=None, *, exclude=None, layers=u32::MAX, mask=u32::MAX, sensors=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn overlaps(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, Shape>,
        position: &Bound<'_, PyAny>,
        orientation: Option<&Bound<'_, PyAny>>,
        exclude: Option<&Bound<'_, PyAny>>,
        layers: u32,
        mask: u32,
        sensors: bool,
    ) -> PyResult<Vec<Body>> {
        let turn = orientation.map_or(Ok(DQuat::IDENTITY), |value| quaternion("orientation", value))?;
        let pose = DPose3::from_parts(vector("position", position)?, turn);
        let filter = self.filter(py, exclude, (layers, mask), sensors)?;
        let guarded = &self.world.bind(py).get().guarded;
        let found = guarded.with(|world| Ok(world.overlaps_where(&shape.get().0, &pose, &filter)))?;
        Ok(found.into_iter().map(|handle| self.body(py, handle)).collect())
    }
}

impl World {
    /// The handle of a body given as itself, by name or by number.
    pub fn handle(slf: &Bound<'_, Self>, argument: &str, name: &Bound<'_, PyAny>) -> PyResult<signorini::BodyHandle> {
        if let Ok(body) = name.cast::<Body>() {
            return Ok(body.get().handle);
        }
        let id = id_of(name).map_err(|_| wrong_type(argument, "a body, a name or a number", name))?;
        let found = slf.get().guarded.with(|world| Ok(world.find(id.clone())))?;
        found.ok_or_else(|| PyKeyError::new_err(format!("{argument}: there is no {id}")))
    }
}

//! Sensors of a robot.

use crate::raise;
use crate::world::World;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::CoordinateForces;
use signorini::glamx::DVec3;
use std::sync::{Mutex, PoisonError};

/// An accelerometer and a gyroscope on a link; `Robot.imu` makes it. The acceleration is the mean since the last reading, as in
/// a real unit.
#[pyclass(module = "signorini", frozen)]
pub struct Imu {
    world: Py<World>,
    frame: String,
    imu: Mutex<signorini::robot::Imu>,
}

impl Imu {
    pub fn new(world: Py<World>, frame: &str, imu: signorini::robot::Imu) -> Self {
        Imu { world, frame: frame.to_owned(), imu: Mutex::new(imu) }
    }
}

/// An array of one axis.
pub type Vector<'py> = Bound<'py, PyArray1<f64>>;

#[pymethods]
impl Imu {
    /// Specific force [m/s²] (acceleration less that of free fall: 9.81 upwards at rest, zero in free fall) and angular
    /// velocity [rad/s], both in the axes of the link. While no time passes the reading stays as it is; the first one is
    /// that of a unit at constant velocity.
    fn read<'py>(&self, py: Python<'py>) -> PyResult<(Vector<'py>, Vector<'py>)> {
        let reading = self.world.bind(py).get().guarded.with(|world| {
            let mut imu = self.imu.lock().unwrap_or_else(PoisonError::into_inner);
            imu.read(world).map_err(raise::world)
        })?;
        let vector = |v: DVec3| v.to_array().to_pyarray(py);
        Ok((vector(reading.acceleration), vector(reading.angular_velocity)))
    }
    fn __repr__(&self) -> String {
        format!("<Imu on '{}'>", self.frame)
    }
}

/// Forces by what they come from, one array each.
pub fn by_purpose<'py>(py: Python<'py>, forces: &[CoordinateForces]) -> PyResult<Bound<'py, PyDict>> {
    type Part = (&'static str, fn(&CoordinateForces) -> f64);
    const PARTS: [Part; 7] = [
        ("motor", |f| f.motor),
        ("given", |f| f.given),
        ("limit", |f| f.limit),
        ("friction", |f| f.friction),
        ("spring", |f| f.spring),
        ("armature", |f| f.armature),
        ("gear", |f| f.gear),
    ];
    let all = PyDict::new(py);
    for (name, part) in PARTS {
        all.set_item(name, forces.iter().map(part).collect::<Vec<f64>>().into_pyarray(py))?;
    }
    Ok(all)
}

/// Rows of three.
pub fn vectors<'py>(py: Python<'py>, list: &[DVec3]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let flat: Vec<f64> = list.iter().flat_map(|v| v.to_array()).collect();
    flat.into_pyarray(py).reshape([list.len(), 3])
}

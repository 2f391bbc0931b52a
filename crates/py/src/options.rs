//! Options of a body, by name.

use crate::argument::vector;
use crate::raise;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::glamx::DVec3;
use signorini::{BodyHandle, Filter, SurfaceMotion, World};

/// All of it as a dictionary.
pub fn read<'py>(py: Python<'py>, world: &World, body: BodyHandle) -> PyResult<Bound<'py, PyDict>> {
    let body = world.body(body).map_err(raise::world)?;
    let table = PyDict::new(py);
    let (linear, angular) = body.damping();
    let (force, torque) = body.constant_force();
    let surface = body.surface_motion();
    table.set_item("layers", body.filter().layers)?;
    table.set_item("mask", body.filter().mask)?;
    table.set_item("sensor", body.is_sensor())?;
    table.set_item("enabled", body.is_enabled())?;
    table.set_item("gravity_scale", body.gravity_scale())?;
    table.set_item("linear_damping", linear)?;
    table.set_item("angular_damping", angular)?;
    table.set_item("user_data", body.user_data())?;
    table.set_item("one_way", body.one_way().map(|axis| axis.to_array()))?;
    let vectors = [
        ("force", force),
        ("torque", torque),
        ("surface_velocity", surface.velocity),
        ("surface_angular_velocity", surface.angular_velocity),
    ];
    vectors.into_iter().try_for_each(|(name, value)| table.set_item(name, value.to_array()))?;
    Ok(table)
}

/// Changes those that are named; the first that is refused ends it.
pub fn write(world: &mut World, body: BodyHandle, options: &Bound<'_, PyDict>) -> PyResult<()> {
    for (name, value) in options {
        let name: String = name.extract()?;
        let view = world.body(body).map_err(raise::world)?;
        let (filter, damping, surface) = (view.filter(), view.damping(), view.surface_motion());
        let (force, torque) = view.constant_force();
        let told = |value: &Bound<'_, PyAny>| -> PyResult<DVec3> { vector(&name, value) };
        let done = match name.as_str() {
            "layers" => world.set_body_filter(body, Filter { layers: value.extract()?, ..filter }),
            "mask" => world.set_body_filter(body, Filter { mask: value.extract()?, ..filter }),
            "sensor" => world.set_sensor(body, value.extract()?),
            "enabled" => world.set_enabled(body, value.extract()?),
            "gravity_scale" => world.set_gravity_scale(body, value.extract()?),
            "linear_damping" => world.set_damping(body, value.extract()?, damping.1),
            "angular_damping" => world.set_damping(body, damping.0, value.extract()?),
            "user_data" => world.set_user_data(body, value.extract()?),
            "one_way" if value.is_none() => world.set_one_way(body, None),
            "one_way" => world.set_one_way(body, Some(told(&value)?)),
            "force" => world.set_constant_force(body, told(&value)?, torque),
            "torque" => world.set_constant_force(body, force, told(&value)?),
            "surface_velocity" => world.set_surface_motion(body, SurfaceMotion { velocity: told(&value)?, ..surface }),
            "surface_angular_velocity" => {
                world.set_surface_motion(body, SurfaceMotion { angular_velocity: told(&value)?, ..surface })
            }
            other => {
                return Err(PyTypeError::new_err(format!("configure() got an unexpected keyword argument '{other}'")));
            }
        };
        done.map_err(raise::world)?;
    }
    Ok(())
}

//! State of all bodies at once, in the order of their ids: arrays out, arrays in.

use crate::argument::{rows, wxyz};
use crate::raise;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use signorini::glamx::{DQuat, DVec3};
use signorini::{
    BodyHandle, BodyView, Kind, MAX_ANGULAR_VELOCITY, MAX_POSITION, MAX_SPEED, QUATERNION_TOLERANCE, World, WorldError,
};

/// A quantity of every body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Origin of the body's frame.
    Positions,
    /// Unit quaternion (w, x, y, z).
    Orientations,
    /// Of the centre of mass.
    Velocities,
    /// Angular velocity, world axes.
    AngularVelocities,
    /// Centre of mass.
    Centres,
}

impl Quantity {
    pub const ALL: [Quantity; 5] = [
        Quantity::Positions,
        Quantity::Orientations,
        Quantity::Velocities,
        Quantity::AngularVelocities,
        Quantity::Centres,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Quantity::Positions => "positions",
            Quantity::Orientations => "orientations",
            Quantity::Velocities => "velocities",
            Quantity::AngularVelocities => "angular_velocities",
            Quantity::Centres => "centres",
        }
    }

    pub fn parse(argument: &str, name: &str) -> PyResult<Quantity> {
        Quantity::ALL.into_iter().find(|quantity| quantity.name() == name).ok_or_else(|| {
            let known = Quantity::ALL.map(Quantity::name).join(", ");
            PyValueError::new_err(format!("{argument}: '{name}' is none of {known}"))
        })
    }

    pub fn columns(self) -> usize {
        if self == Quantity::Orientations { 4 } else { 3 }
    }

    /// Appends the values of all bodies.
    pub fn append(self, world: &World, out: &mut Vec<f64>) {
        for (_, body) in world.bodies() {
            match self {
                Quantity::Positions => out.extend(body.position().to_array()),
                Quantity::Orientations => out.extend(wxyz(body.orientation())),
                Quantity::Velocities => out.extend(body.velocity().to_array()),
                Quantity::AngularVelocities => out.extend(body.angular_velocity().to_array()),
                Quantity::Centres => out.extend(body.centre_of_mass().to_array()),
            }
        }
    }
}

/// The values of all bodies, one row each: a copy.
pub fn read<'py>(py: Python<'py>, world: &World, quantity: Quantity) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let mut values = Vec::new();
    quantity.append(world, &mut values);
    let columns = quantity.columns();
    let rows = values.len() / columns;
    values.into_pyarray(py).reshape([rows, columns])
}

/// Everything is checked before anything is set. Rows that equal the present value are left alone, bit for bit.
pub fn write(world: &mut World, quantity: Quantity, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match quantity {
        Quantity::Positions => {
            let set = |world: &mut World, body, row| world.set_position(body, DVec3::from_array(row));
            assign(world, quantity, value, MAX_POSITION, |body| body.position().to_array(), set)
        }
        Quantity::Orientations => {
            let set = |world: &mut World, body, [w, x, y, z]: [f64; 4]| {
                world.set_orientation(body, DQuat::from_xyzw(x, y, z, w))
            };
            assign(world, quantity, value, 1.0 + QUATERNION_TOLERANCE, |body| wxyz(body.orientation()), set)
        }
        Quantity::Velocities => {
            let set = |world: &mut World, body, row| world.set_velocity(body, DVec3::from_array(row));
            assign(world, quantity, value, MAX_SPEED, |body| body.velocity().to_array(), set)
        }
        Quantity::AngularVelocities => {
            let set = |world: &mut World, body, row| world.set_angular_velocity(body, DVec3::from_array(row));
            assign(world, quantity, value, MAX_ANGULAR_VELOCITY, |body| body.angular_velocity().to_array(), set)
        }
        Quantity::Centres => Err(PyValueError::new_err("centres: set positions instead")),
    }
}

fn assign<const N: usize>(
    world: &mut World,
    quantity: Quantity,
    value: &Bound<'_, PyAny>,
    limit: f64,
    present: impl Fn(&BodyView<'_>) -> [f64; N],
    set: impl Fn(&mut World, BodyHandle, [f64; N]) -> Result<(), WorldError>,
) -> PyResult<()> {
    let name = quantity.name();
    let given = rows::<N>(name, value)?;
    let count = world.bodies().count();
    if given.len() != count {
        return Err(crate::argument::wrong_shape(name, &format!("[{count}, {N}]"), &[given.len(), N]));
    }
    let mut changes = Vec::new();
    for (rank, ((handle, body), row)) in world.bodies().zip(given).enumerate() {
        if row == present(&body) {
            continue;
        }
        let refuse = |why: String| PyValueError::new_err(format!("{name}[{rank}] ({}): {why}", body.id()));
        if let Some(value) = row.into_iter().find(|value| !(-limit..=limit).contains(value)) {
            return Err(refuse(format!("{value} is not in ±{limit:e}")));
        }
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if quantity == Quantity::Orientations && (length - 1.0).abs() > QUATERNION_TOLERANCE {
            return Err(refuse(format!("a quaternion of length {length} is not a rotation")));
        }
        let moves = matches!(quantity, Quantity::Velocities | Quantity::AngularVelocities);
        if moves && body.kind() == Kind::Fixed {
            return Err(refuse("a fixed body cannot be set in motion".to_owned()));
        }
        changes.push((handle, row));
    }
    for (handle, row) in changes {
        set(world, handle, row).map_err(raise::world)?;
    }
    Ok(())
}

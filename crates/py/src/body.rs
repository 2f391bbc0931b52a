//! A body of a world, reached from Python.

use crate::argument::{quaternion, vector, wxyz};
use crate::options;
use crate::raise;
use crate::shape::{Material, Shape};
use crate::world::World;
use numpy::{PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use signorini::glamx::{DPose3, DVec3};
use signorini::{AxisLocks, BodyHandle, BodyId, BodyView, Kind};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A body of a world. It stays valid as long as the body is part of the world; after that every use is a `HandleError`.
///
/// >>> from signorini import Shape, World
/// >>> world = World()
/// >>> ball = world.add(Shape.sphere(0.5), mass=2, position=(0, 0, 3), name="ball")
/// >>> ball.velocity = (1, 0, 0)
/// >>> ball.momentum
/// array([2., 0., 0.])
/// >>> ball.remove()
/// >>> ball.position
/// Traceback (most recent call last):
///     ...
/// signorini.HandleError: stale handle: slot 0, generation 0 was removed
#[pyclass(module = "signorini", frozen)]
pub struct Body {
    pub world: Py<World>,
    pub handle: BodyHandle,
}

/// Names, numbers or None of bodies.
pub fn names<'a, 'py>(py: Python<'py>, ids: impl Iterator<Item = &'a BodyId>) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, ids.map(|id| id_to_python(py, id)).collect::<PyResult<Vec<_>>>()?)
}

/// A kind by its name.
pub fn body_kind(kind: &str) -> PyResult<Kind> {
    match kind {
        "dynamic" => Ok(Kind::Dynamic),
        "kinematic" => Ok(Kind::Kinematic),
        "fixed" => Ok(Kind::Fixed),
        other => Err(PyValueError::new_err(format!("kind: '{other}' is none of dynamic, kinematic, fixed"))),
    }
}

/// Whatever names a body: itself, its name or its number.
pub fn id_of(value: &Bound<'_, PyAny>) -> PyResult<BodyId> {
    if let Ok(name) = value.extract::<&str>() {
        return Ok(BodyId::from(name));
    }
    match value.extract::<u64>() {
        Ok(number) => Ok(BodyId::from(number)),
        Err(_) => Err(PyTypeError::new_err("a body is named by text or by a whole number from 0 to 2⁶⁴ − 1")),
    }
}

/// Axes by their letters.
fn axes(argument: &str, letters: &str) -> PyResult<[bool; 3]> {
    let mut chosen = [false; 3];
    for letter in letters.chars() {
        match "xyz".find(letter) {
            Some(axis) => chosen[axis] = true,
            None => return Err(PyValueError::new_err(format!("{argument}: '{letter}' is none of x, y, z"))),
        }
    }
    Ok(chosen)
}

/// The name, the number, or None.
pub fn id_to_python<'py>(py: Python<'py>, id: &BodyId) -> PyResult<Bound<'py, PyAny>> {
    Ok(match id {
        BodyId::Number(number) => number.into_pyobject(py)?.into_any(),
        BodyId::Name(name) => (&**name).into_pyobject(py)?.into_any(),
        BodyId::Automatic(_) => py.None().into_bound(py),
    })
}

impl Body {
    fn look<T>(&self, py: Python<'_>, look: impl FnOnce(BodyView<'_>) -> T) -> PyResult<T> {
        let guarded = &self.world.bind(py).get().guarded;
        guarded.with(|world| world.body(self.handle).map(look).map_err(raise::world))
    }

    fn change(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut signorini::World, BodyHandle) -> Result<(), signorini::WorldError>,
    ) -> PyResult<()> {
        self.world.bind(py).get().guarded.with(|world| change(world, self.handle).map_err(raise::world))
    }

    fn vector<'py>(
        &self,
        py: Python<'py>,
        look: impl FnOnce(BodyView<'_>) -> DVec3,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.look(py, look)?.to_array().to_pyarray(py))
    }
}

#[pymethods]
impl Body {
    /// The name or number it was given; None if neither.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let id = self.look(py, |body| body.id().clone())?;
        id_to_python(py, &id)
    }
    /// "dynamic", "kinematic" or "fixed".
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.look(py, |body| match body.kind() {
            Kind::Dynamic => "dynamic",
            Kind::Kinematic => "kinematic",
            Kind::Fixed => "fixed",
        })
    }
    /// Whether it is still part of its world.
    #[getter]
    fn alive(&self, py: Python<'_>) -> PyResult<bool> {
        self.world.bind(py).get().guarded.with(|world| Ok(world.body(self.handle).is_ok()))
    }
    /// The world it belongs to.
    #[getter]
    fn world(&self, py: Python<'_>) -> Py<World> {
        self.world.clone_ref(py)
    }
    /// Its shape.
    #[getter]
    fn shape(&self, py: Python<'_>) -> PyResult<Shape> {
        self.look(py, |body| Shape(body.shape().clone()))
    }
    /// Mass [kg]; infinite unless dynamic.
    #[getter]
    fn mass(&self, py: Python<'_>) -> PyResult<f64> {
        self.look(py, |body| body.mass())
    }
    /// Inertia about the centre of mass, world axes [kg·m²], shape (3, 3); zero unless dynamic.
    #[getter]
    fn inertia<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        // Symmetric: columns are rows.
        self.look(py, |body| body.inertia().to_cols_array())?.to_pyarray(py).reshape([3, 3])
    }
    /// Its material.
    #[getter]
    fn material(&self, py: Python<'_>) -> PyResult<Material> {
        self.look(py, |body| Material(body.material()))
    }
    #[setter]
    fn set_material(&self, py: Python<'_>, material: Material) -> PyResult<()> {
        self.change(py, |world, body| world.set_material(body, material.0))
    }
    /// Whether continuous collision detection is on, so that it never tunnels through others.
    #[getter]
    fn fast(&self, py: Python<'_>) -> PyResult<bool> {
        self.look(py, |body| body.is_fast())
    }
    #[setter]
    fn set_fast(&self, py: Python<'_>, fast: bool) -> PyResult<()> {
        self.change(py, |world, body| world.set_fast(body, fast))
    }
    /// Whether it sleeps.
    #[getter]
    fn sleeping(&self, py: Python<'_>) -> PyResult<bool> {
        self.look(py, |body| body.is_sleeping())
    }
    /// Whether it is quarantined: stopped because it would have left the range of numbers.
    #[getter]
    fn quarantined(&self, py: Python<'_>) -> PyResult<bool> {
        self.look(py, |body| body.is_quarantined())
    }
    /// Wakes it, and what it touches.
    fn wake(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |world, body| world.wake(body))
    }
    /// Position of the origin of its frame [m].
    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.vector(py, |body| body.position())
    }
    #[setter]
    fn set_position(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let position = vector("position", value)?;
        self.change(value.py(), |world, body| world.set_position(body, position))
    }
    /// Orientation, a unit quaternion (w, x, y, z).
    #[getter]
    fn orientation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.look(py, |body| wxyz(body.orientation()))?.to_pyarray(py))
    }
    #[setter]
    fn set_orientation(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let orientation = quaternion("orientation", value)?;
        self.change(value.py(), |world, body| world.set_orientation(body, orientation))
    }
    /// Velocity of the centre of mass [m/s].
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.vector(py, |body| body.velocity())
    }
    #[setter]
    fn set_velocity(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let velocity = vector("velocity", value)?;
        self.change(value.py(), |world, body| world.set_velocity(body, velocity))
    }
    /// Angular velocity, world axes [rad/s].
    #[getter]
    fn angular_velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.vector(py, |body| body.angular_velocity())
    }
    #[setter]
    fn set_angular_velocity(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let angular_velocity = vector("angular_velocity", value)?;
        self.change(value.py(), |world, body| world.set_angular_velocity(body, angular_velocity))
    }
    /// Sets the velocities of a kinematic body so that a step of `dt` [s] takes it to a position [m] and an orientation
    /// (w, x, y, z; unchanged if left out). It keeps these velocities until they are changed.
    #[pyo3(signature = (position, orientation=None, *, dt))]
    fn move_to(&self, position: &Bound<'_, PyAny>, orientation: Option<&Bound<'_, PyAny>>, dt: f64) -> PyResult<()> {
        let py = position.py();
        let origin = vector("position", position)?;
        let turned = match orientation {
            Some(value) => quaternion("orientation", value)?,
            None => self.look(py, |body| body.orientation())?,
        };
        self.change(py, |world, body| world.move_to(body, DPose3::from_parts(origin, turned), dt))
    }
    /// Position of the centre of mass [m].
    #[getter]
    fn centre_of_mass<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.vector(py, |body| body.centre_of_mass())
    }
    /// Momentum [kg·m/s]; zero unless dynamic.
    #[getter]
    fn momentum<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.vector(py, |body| body.momentum())
    }
    /// Angular momentum about the origin of the world [kg·m²/s]; zero unless dynamic.
    #[getter]
    fn angular_momentum<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.vector(py, |body| body.angular_momentum())
    }
    /// Force that contacts and joints exerted in the last step [N].
    #[getter]
    fn constraint_force<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.vector(py, |body| body.constraint_forces().force)
    }
    /// Torque of the same about the centre of mass [N·m].
    #[getter]
    fn constraint_torque<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.vector(py, |body| body.constraint_forces().torque)
    }

    /// Adds a force [N] for the next step, at the centre of mass or at a point of the world `at` [m].
    #[pyo3(signature = (force, *, at=None))]
    fn add_force(&self, force: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let py = force.py();
        let force = vector("force", force)?;
        match at {
            None => self.change(py, |world, body| world.add_force(body, force)),
            Some(point) => {
                let point = vector("at", point)?;
                self.change(py, |world, body| world.add_force_at(body, force, point))
            }
        }
    }

    /// Its options as a dictionary: see `configure`.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.world.bind(py).get().guarded.with(|world| options::read(py, world, self.handle))
    }
    /// Changes its options: `layers` and `mask` (bits), `sensor`, `enabled`, `gravity_scale`, `linear_damping` and
    /// `angular_damping` [1/s], `force` [N] and `torque` [N·m] in every step, `user_data` (a whole number),
    /// `surface_velocity` [m/s] and `surface_angular_velocity` [rad/s] in its own frame (a belt, a turntable), `one_way` (a
    /// direction in its own frame, or None). What is not named stays.
    ///
    /// >>> from signorini import Shape, World
    /// >>> world = World()
    /// >>> ball = world.add(Shape.sphere(0.5))
    /// >>> ball.configure(gravity_scale=0.0, linear_damping=0.5)
    /// >>> ball.options["linear_damping"]
    /// 0.5
    #[pyo3(signature = (**options))]
    fn configure(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let Some(told) = options else { return Ok(()) };
        self.world.bind(py).get().guarded.with(|world| options::write(world, self.handle, told))
    }
    /// Changes its velocities at once by an impulse [N·s], at the centre of mass or at a point of the world `at` [m].
    #[pyo3(signature = (impulse, *, at=None))]
    fn add_impulse(&self, impulse: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let py = impulse.py();
        let impulse = vector("impulse", impulse)?;
        match at {
            None => self.change(py, |world, body| world.add_impulse(body, impulse)),
            Some(point) => {
                let point = vector("at", point)?;
                self.change(py, |world, body| world.add_impulse_at(body, impulse, point))
            }
        }
    }
    /// Changes how it moves: "dynamic", "kinematic" or "fixed".
    fn set_kind(&self, py: Python<'_>, kind: &str) -> PyResult<()> {
        let kind = body_kind(kind)?;
        self.change(py, |world, body| world.set_kind(body, kind))
    }
    /// Changes its shape; a dynamic body keeps its mass.
    fn set_shape(&self, py: Python<'_>, shape: &Bound<'_, Shape>) -> PyResult<()> {
        let shape = shape.get().0.clone();
        self.change(py, |world, body| world.set_shape(body, shape))
    }
    /// Changes its mass [kg], and its inertia in proportion.
    fn set_mass(&self, py: Python<'_>, mass: f64) -> PyResult<()> {
        self.change(py, |world, body| world.set_mass(body, mass))
    }
    /// Locks it along world axes, and its rotation about world axes, named by letters: `translation="y"`,
    /// `rotation="xz"`. Returns a joint; removing it unlocks the body.
    #[pyo3(signature = (translation="", rotation=""))]
    fn lock_axes(&self, py: Python<'_>, translation: &str, rotation: &str) -> PyResult<Joint> {
        let locks = AxisLocks { translation: axes("translation", translation)?, rotation: axes("rotation", rotation)? };
        let guarded = &self.world.bind(py).get().guarded;
        let handle = guarded.with(|world| world.lock_axes(self.handle, locks).map_err(raise::world))?;
        Ok(Joint { world: self.world.clone_ref(py), handle })
    }

    /// Adds a torque [N·m] for the next step, world axes.
    fn add_torque(&self, torque: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = torque.py();
        let torque = vector("torque", torque)?;
        self.change(py, |world, body| world.add_torque(body, torque))
    }

    /// Takes it out of its world, with every joint that holds it.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |world, body| world.remove(body))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Body>().is_ok_and(|other| other.get().handle == self.handle)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.handle.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let describe = |body: BodyView<'_>| {
            let DVec3 { x, y, z } = body.position();
            format!("<{} at ({x:.4}, {y:.4}, {z:.4}) m>", body.id())
        };
        self.world
            .bind(py)
            .get()
            .guarded
            .with(|world| Ok(world.body(self.handle).map_or_else(|_| "<removed body>".to_owned(), describe)))
    }
}

/// A joint of a world.
#[pyclass(module = "signorini", frozen)]
pub struct Joint {
    pub world: Py<World>,
    pub handle: signorini::JointHandle,
}

#[pymethods]
impl Joint {
    /// Such as "revolute" or "ball".
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        let joint = self.world.bind(py).get().guarded.with(|w| w.joint(self.handle).map_err(raise::world))?;
        Ok(joint.kind.name())
    }
    /// Whether it is still part of its world.
    #[getter]
    fn alive(&self, py: Python<'_>) -> PyResult<bool> {
        self.world.bind(py).get().guarded.with(|world| Ok(world.joint(self.handle).is_ok()))
    }
    /// Takes it out of its world.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        self.world.bind(py).get().guarded.with(|world| world.remove_joint(self.handle).map_err(raise::world))
    }
    /// Whether it is enabled; setting it to true repairs a broken joint.
    #[getter]
    fn enabled(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |world| world.is_joint_enabled(self.handle))
    }
    #[setter]
    fn set_enabled(&self, py: Python<'_>, enabled: bool) -> PyResult<()> {
        self.with(py, |world| world.enable_joint(self.handle, enabled))
    }
    /// Whether it broke.
    #[getter]
    fn broken(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |world| world.is_joint_broken(self.handle))
    }
    /// The free coordinates [m, rad]; angles are counted over whole turns.
    #[getter]
    fn position(&self, py: Python<'_>) -> PyResult<Vec<f64>> {
        self.with(py, |world| world.joint_position(self.handle))
    }
    /// Their rates [m/s, rad/s].
    #[getter]
    fn velocity(&self, py: Python<'_>) -> PyResult<Vec<f64>> {
        self.with(py, |world| world.joint_velocity(self.handle))
    }
    /// Largest error of the locked coordinates [m, rad].
    #[getter]
    fn error(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |world| world.joint_error(self.handle))
    }
    /// Force and torque of the locked coordinates on the body in the last step, world axes [N, N·m].
    #[getter]
    fn constraint_forces(&self, py: Python<'_>) -> PyResult<([f64; 3], [f64; 3])> {
        let forces = self.with(py, |world| world.joint_forces(self.handle))?;
        Ok((forces.force.to_array(), forces.torque.to_array()))
    }
    /// Forces along the free coordinates in the last step by cause [N, N·m]: one dictionary per coordinate.
    #[getter]
    fn forces(&self, py: Python<'_>) -> PyResult<Vec<std::collections::BTreeMap<&'static str, f64>>> {
        let forces = self.with(py, |world| world.joint_forces(self.handle))?;
        let table = |c: &signorini::CoordinateForces| {
            let parts = [c.limit, c.motor, c.friction, c.spring, c.armature, c.given, c.gear];
            ["limit", "motor", "friction", "spring", "armature", "given", "gear"].into_iter().zip(parts).collect()
        };
        Ok(forces.coordinates.iter().map(table).collect())
    }
    /// Sets the velocity of a motor, or the place of a servo [m/s, m, rad/s, rad].
    #[pyo3(signature = (target, coordinate=0))]
    fn set_target(&self, py: Python<'_>, target: f64, coordinate: usize) -> PyResult<()> {
        self.with(py, |world| world.set_motor_target(self.handle, coordinate, target))
    }
    /// Sets a given force along a coordinate [N, N·m]; it acts until it is changed.
    #[pyo3(signature = (force, coordinate=0))]
    fn set_force(&self, py: Python<'_>, force: f64, coordinate: usize) -> PyResult<()> {
        self.with(py, |world| world.set_joint_force(self.handle, coordinate, force))
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let joint = self.world.bind(py).get().guarded.with(|world| Ok(world.joint(self.handle)))?;
        Ok(joint.map_or_else(|_| "<removed joint>".to_owned(), |joint| format!("<{} joint>", joint.kind.name())))
    }
}

impl Joint {
    fn with<T>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&mut signorini::World) -> Result<T, signorini::WorldError>,
    ) -> PyResult<T> {
        self.world.bind(py).get().guarded.with(|world| ask(world).map_err(raise::world))
    }
}

/// The kind of joint with this name.
pub fn joint_kind(name: &str, length: Option<f64>) -> PyResult<signorini::JointKind> {
    let Some(kind) =
        signorini::JointKind::named(name, length.unwrap_or(0.0)).filter(|kind| *kind != signorini::JointKind::Generic)
    else {
        return Err(PyValueError::new_err(format!("kind: there are no joints of the kind '{name}' here")));
    };
    match (kind.length(), length) {
        (Some(_), None) => Err(PyValueError::new_err(format!("length: a {name} joint needs it"))),
        (None, Some(_)) => Err(PyValueError::new_err(format!("length: a {name} joint has none"))),
        _ => Ok(kind),
    }
}

//! A robot of a world, reached from Python: its state as vectors.

use crate::argument::{list, quaternion, vector, vector_or, wxyz};
use crate::body::Body;
use crate::raise;
use crate::sensors::{Imu, Vector, by_purpose, vectors};
use crate::world::World;
use numpy::{PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use signorini::glamx::{DPose3, DQuat, DVec3};
use signorini::robot::{RobotModel, SelfCollision};
use signorini::scene::{Base, RobotOptions};
use signorini::{RobotPlacement, WorldError};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A robot of a world: links and joints from a URDF or MJCF file. `World.add_robot` makes it.
///
/// Coordinates `q` and rates `qd` are in the order of `joints`, links depth first, with MuJoCo's conventions: hinges [rad]
/// and slides [m] have one of each, balls a quaternion (w, x, y, z) and an angular velocity in the turned axes, free links
/// position and quaternion, and velocity with angular velocity in their own axes.
#[pyclass(module = "signorini", frozen)]
pub struct Robot {
    world: Py<World>,
    pub robot: Arc<signorini::Robot>,
    /// Controls as they were last set here.
    control: Mutex<Vec<f64>>,
}

/// A matrix of rows.
fn matrix<'py>(py: Python<'py>, rows: &[Vec<f64>], columns: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows.concat().to_pyarray(py).reshape([rows.len(), columns])
}

impl Robot {
    pub fn add(
        world: &Bound<'_, World>,
        path: PathBuf,
        options: &RobotOptions,
        placement: &RobotPlacement,
    ) -> PyResult<Robot> {
        let model = RobotModel::load(path, options).map_err(raise::scene)?;
        let add = |world: &mut signorini::World| signorini::Robot::add(world, &model, placement).map_err(raise::scene);
        let robot = Arc::new(world.get().guarded.with(add)?);
        let control = Mutex::new(model.home_control);
        Ok(Robot { robot, world: world.clone().unbind(), control })
    }

    /// The controls that were set last, with those of named actuators changed.
    fn named_control(&self, named: &Bound<'_, PyMapping>) -> PyResult<Vec<f64>> {
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for item in named.items()?.iter() {
            let (name, value): (String, Bound<'_, PyAny>) = item.extract()?;
            let at = self.model().actuators.iter().position(|actuator| actuator.name == name);
            let at = at.ok_or_else(|| PyKeyError::new_err(format!("control: no actuator is called '{name}'")))?;
            let refuse = |_| PyTypeError::new_err(format!("control['{name}']: expected a number"));
            control[at] = value.extract().map_err(refuse)?;
        }
        Ok(control)
    }

    fn ask<T>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&mut signorini::World, &signorini::Robot) -> Result<T, WorldError>,
    ) -> PyResult<T> {
        self.world.bind(py).get().guarded.with(|world| ask(world, &self.robot).map_err(raise::world))
    }

    fn model(&self) -> &RobotModel {
        self.robot.model()
    }

    /// One number per coordinate of a hinge or slide; balls and free links have `otherwise`.
    fn per_freedom(&self, otherwise: f64, value: impl Fn([f64; 2]) -> f64) -> Vec<f64> {
        let mut all = vec![otherwise; self.model().freedoms()];
        for joint in &self.model().joints {
            if let (1, Some(range)) = (joint.joint.motion.freedoms(), joint.joint.range) {
                all[joint.v] = value(range);
            }
        }
        all
    }
}

/// How a robot is read and where it is put, from keywords.
pub fn asked(
    position: Option<&Bound<'_, PyAny>>,
    orientation: Option<&Bound<'_, PyAny>>,
    prefix: &str,
    q: Option<&Bound<'_, PyAny>>,
    base: &str,
    self_collision: bool,
    roots: Vec<PathBuf>,
) -> PyResult<(RobotOptions, RobotPlacement)> {
    let base = match base {
        "file" => Base::AsInFile,
        "fixed" => Base::Fixed,
        "free" => Base::Free,
        other => return Err(PyValueError::new_err(format!("base: '{other}' is none of file, fixed, free"))),
    };
    let self_collision = if self_collision { SelfCollision::NotAdjacent } else { SelfCollision::Off };
    let place = vector_or("position", position, DVec3::ZERO)?;
    let turn = orientation.map_or(Ok(DQuat::IDENTITY), |value| quaternion("orientation", value))?;
    if !(0.5..2.0).contains(&turn.length()) {
        return Err(PyValueError::new_err("orientation: a quaternion of unit length is needed"));
    }
    let placement = RobotPlacement {
        base: DPose3::from_parts(place, turn.normalize()),
        prefix: prefix.to_owned(),
        q: q.map(|value| list("q", value)).transpose()?,
    };
    Ok((RobotOptions { roots, base, self_collision }, placement))
}

#[pymethods]
impl Robot {
    /// What its file calls it.
    #[getter]
    fn name(&self) -> &str {
        &self.model().name
    }
    /// The world it belongs to.
    #[getter]
    fn world(&self, py: Python<'_>) -> Py<World> {
        self.world.clone_ref(py)
    }
    /// Names of the links that move, in their order; links fixed to each other are one, named after the topmost.
    #[getter]
    fn links(&self) -> Vec<&str> {
        self.model().links.iter().map(|link| link.name.as_str()).collect()
    }
    /// Names of all frames: links, also those that are part of others or stand still.
    #[getter]
    fn frames(&self) -> Vec<&str> {
        self.model().frames.keys().map(String::as_str).collect()
    }
    /// Names of the joints, in the order of their coordinates.
    #[getter]
    fn joints(&self) -> Vec<&str> {
        self.model().joints.iter().map(|joint| joint.joint.name.as_str()).collect()
    }
    /// Names of the actuators, in the order of their controls.
    #[getter]
    fn actuators(&self) -> Vec<&str> {
        self.model().actuators.iter().map(|actuator| actuator.name.as_str()).collect()
    }
    /// What was in the file and has no effect here, each once and with its place.
    #[getter]
    fn ignored(&self) -> Vec<String> {
        self.model().ignored.iter().map(ToString::to_string).collect()
    }
    /// Time step that the file asks for [s], or None.
    #[getter]
    fn timestep(&self) -> Option<f64> {
        self.model().step
    }
    /// Acceleration of free fall that the file asks for [m/s²], or None; the world has its own.
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.model().gravity.map(|gravity| gravity.to_array().to_pyarray(py))
    }
    /// Number of coordinates.
    #[getter]
    fn nq(&self) -> usize {
        self.model().coordinates()
    }
    /// Number of rates, and of forces.
    #[getter]
    fn nv(&self) -> usize {
        self.model().freedoms()
    }
    /// Number of controls.
    #[getter]
    fn nu(&self) -> usize {
        self.model().actuators.len()
    }
    /// First coordinate of each joint by name.
    fn q_index(&self, joint: &str) -> PyResult<usize> {
        self.model().joint(joint).map(|joint| joint.q).ok_or_else(|| PyKeyError::new_err(joint.to_owned()))
    }
    /// First rate of each joint by name.
    fn v_index(&self, joint: &str) -> PyResult<usize> {
        self.model().joint(joint).map(|joint| joint.v).ok_or_else(|| PyKeyError::new_err(joint.to_owned()))
    }
    /// Least values of the coordinates, one number per rate; −∞ where there is no limit.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.per_freedom(f64::NEG_INFINITY, |[low, _]| low).to_pyarray(py)
    }
    /// Greatest values of the coordinates, one number per rate; ∞ where there is no limit.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.per_freedom(f64::INFINITY, |[_, high]| high).to_pyarray(py)
    }
    /// Coordinates of the home pose.
    #[getter]
    fn home<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.model().home.to_pyarray(py)
    }
    /// Named states of the file: coordinates of each.
    #[getter]
    fn keyframes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let frames = PyDict::new(py);
        for (name, [q, _, _]) in &self.model().keyframes {
            frames.set_item(name, q.to_pyarray(py))?;
        }
        Ok(frames)
    }

    /// Coordinates. Setting them places every link and keeps the rates.
    #[getter]
    fn get_q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.ask(py, |world, robot| robot.q(world))?.to_pyarray(py))
    }
    #[setter]
    fn set_q(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let q = list("q", value)?;
        self.ask(py, |world, robot| {
            let qd = robot.qd(world)?;
            robot.set_state(world, &q, &qd)
        })
    }
    /// Rates. Setting them keeps the coordinates.
    #[getter]
    fn get_qd<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.ask(py, |world, robot| robot.qd(world))?.to_pyarray(py))
    }
    #[setter]
    fn set_qd(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let qd = list("qd", value)?;
        self.ask(py, |world, robot| {
            let q = robot.q(world)?;
            robot.set_state(world, &q, &qd)
        })
    }
    /// Given forces along hinges [N·m] and slides [N], one number per rate. They act in every step until set again.
    #[getter]
    fn get_tau<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.ask(py, |world, robot| robot.forces(world))?.to_pyarray(py))
    }
    #[setter]
    fn set_tau(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let tau = list("tau", value)?;
        self.ask(py, |world, robot| robot.set_forces(world, &tau))
    }
    /// Controls of the actuators as they were last set through this object, in the order of `actuators`: at first those of
    /// the home pose.
    #[getter]
    fn control<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner).to_pyarray(py)
    }
    /// Least and greatest controls, shape (nu, 2); infinite where there is no range.
    #[getter]
    fn control_ranges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let unlimited = [f64::NEG_INFINITY, f64::INFINITY];
        let ranges = self.model().actuators.iter().map(|actuator| actuator.control_range.unwrap_or(unlimited).to_vec());
        matrix(py, &ranges.collect::<Vec<_>>(), 2)
    }
    /// Sets the controls of the actuators, held within their ranges: one number each, or a mapping from names of actuators to
    /// numbers, which leaves the others as they were last set. Position and velocity actuators go on by themselves; forces of
    /// others are those of now until controls are set again.
    fn set_control(&self, py: Python<'_>, control: &Bound<'_, PyAny>) -> PyResult<()> {
        let control = match control.cast::<PyMapping>() {
            Ok(named) => self.named_control(named)?,
            Err(_) => list("control", control)?,
        };
        self.ask(py, |world, robot| robot.set_control(world, &control))?;
        *self.control.lock().unwrap_or_else(PoisonError::into_inner) = control;
        Ok(())
    }

    /// Forces along hinges [N·m] and slides [N] in the last step by what they come from: arrays of one number per rate called
    /// "motor" (actuators that are servos), "given" (`tau` and other actuators), "limit", "friction", "spring" (and damping),
    /// "armature" and "gear".
    #[getter]
    fn joint_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_purpose(py, &self.ask(py, |world, robot| robot.joint_forces(world))?)
    }
    /// What actuators and `tau` exerted along hinges [N·m] and slides [N] in the last step, one number per rate.
    #[getter]
    fn actuator_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let forces = self.ask(py, |world, robot| robot.joint_forces(world))?;
        Ok(forces.iter().map(|force| force.motor + force.given).collect::<Vec<f64>>().to_pyarray(py))
    }
    /// Sum of the contact forces on every link in the last step, shape (links, 3), in the order of `links`, world axes [N].
    #[getter]
    fn contact_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        vectors(py, &self.ask(py, |world, robot| robot.contact_forces(world))?)
    }
    /// An inertial unit at a point of a link, given in the link's frame [m].
    #[pyo3(signature = (link, point=None))]
    fn imu(&self, py: Python<'_>, link: &str, point: Option<&Bound<'_, PyAny>>) -> PyResult<Imu> {
        let point = vector_or("point", point, DVec3::ZERO)?;
        let imu = self.ask(py, |world, robot| robot.imu(world, link, point))?;
        let imu = imu.ok_or_else(|| PyKeyError::new_err(link.to_owned()))?;
        Ok(Imu::new(self.world.clone_ref(py), link, imu))
    }
    /// The same robot in a copy of its world (`fork`), at the controls of this one; a `HandleError` if the other world is no
    /// copy.
    fn within(&self, world: &Bound<'_, World>) -> PyResult<Robot> {
        world.get().guarded.with(|world| self.robot.q(world).map_err(raise::world))?;
        let control = self.control.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Robot { world: world.clone().unbind(), robot: self.robot.clone(), control: Mutex::new(control) })
    }

    /// The body of a named link.
    fn body(&self, py: Python<'_>, link: &str) -> PyResult<Body> {
        let (handle, _) = self.robot.link(link).ok_or_else(|| PyKeyError::new_err(link.to_owned()))?;
        Ok(Body { world: self.world.clone_ref(py), handle })
    }
    /// Position [m] and quaternion (w, x, y, z) of a named link in the world.
    fn pose<'py>(&self, py: Python<'py>, link: &str) -> PyResult<(Vector<'py>, Vector<'py>)> {
        let posture = self.ask(py, |world, robot| robot.posture(world))?;
        let pose = self.model().frame(&posture, link).ok_or_else(|| PyKeyError::new_err(link.to_owned()))?;
        Ok((pose.translation.to_array().to_pyarray(py), wxyz(pose.rotation).to_pyarray(py)))
    }
    /// Jacobian (6, nv) of a point of a link, given in the link's frame [m]: three rows for its velocity, three for the
    /// angular velocity of the link, world axes.
    #[pyo3(signature = (link, point=None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        link: &str,
        point: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let point = point.map_or(Ok(DVec3::ZERO), |point| vector("point", point))?;
        let posture = self.ask(py, |world, robot| robot.posture(world))?;
        let missing = || PyKeyError::new_err(link.to_owned());
        let pose = self.model().frame(&posture, link).ok_or_else(missing)?;
        let columns = self.model().freedoms();
        let rows = match self.model().frames.get(link).and_then(|frame| frame.link) {
            Some(body) => self.model().jacobian(&posture, body, pose.transform_point(point)).to_vec(),
            None => vec![vec![0.0; columns]; 6],
        };
        matrix(py, &rows, columns)
    }
    /// Mass matrix (nv, nv): kinetic energy is half of qd·M·qd. Armatures are on its diagonal.
    fn mass_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let posture = self.ask(py, |world, robot| robot.posture(world))?;
        matrix(py, &self.model().mass_matrix(&posture), self.model().freedoms())
    }
    /// Forces that hold the robot at rest against gravity, one number per rate.
    fn gravity_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (posture, gravity) = self.ask(py, |world, robot| Ok((robot.posture(world)?, world.settings().gravity)))?;
        Ok(self.model().gravity_forces(&posture, gravity).to_pyarray(py))
    }
    /// Forces that these accelerations take at the rates of now, against gravity. Springs, damping and friction of the
    /// joints are not in it.
    fn inverse_dynamics<'py>(&self, py: Python<'py>, qdd: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let qdd = list("qdd", qdd)?;
        Ok(self.ask(py, |world, robot| robot.inverse_dynamics(world, &qdd))?.to_pyarray(py))
    }

    fn __repr__(&self) -> String {
        let model = self.model();
        format!("<Robot '{}' of {} links, {} coordinates>", model.name, model.links.len(), model.coordinates())
    }
}

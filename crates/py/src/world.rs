//! The Python class of a world. Every method has exclusive access to the world while it runs, and raises an exception
//! if that is not available.

use crate::add::{BodyArguments, JointArguments};
use crate::argument::vector;
use crate::body::{Body, Joint, id_of, names};
use crate::contacts;
use crate::events::Events;
use crate::gear::{self, Gear};
use crate::guard::Guarded;
use crate::log::{Recording, recording_of};
use crate::problem::Problem;
use crate::query::Queries;
use crate::raise;
use crate::report::{Energy, StepReport};
use crate::robot::{Robot, asked};
use crate::run;
use crate::scene::Scene;
use crate::settings::{Settings, settings_of};
use crate::shape::Material;
use crate::state::{self, Quantity};
use crate::threads;
use numpy::{IntoPyArray, PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use signorini::Snapshot;
use std::path::PathBuf;

/// Bodies and joints that move together. Takes the keywords of `Settings`, or settings and keywords that override them.
///
/// >>> from signorini import Shape, World
/// >>> world = World(gravity=(0, 0, -9.81))
/// >>> floor = world.add(Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
/// >>> ball = world.add(Shape.sphere(0.5), mass=1.0, position=(0, 0, 0.5), name="ball")
/// >>> report = world.step(1 / 60)
/// >>> report.status
/// 'certified'
/// >>> world.names
/// ['ball', 'floor']
/// >>> world.positions.round(6)
/// array([[0. , 0. , 0.5],
///        [0. , 0. , 0. ]])
///
/// A world may be used from one thread at a time: a second one gets a `BusyError` (a `RuntimeError`) at once.
#[pyclass(module = "signorini", frozen)]
pub struct World {
    pub guarded: Guarded,
}

impl World {
    pub fn of(world: signorini::World) -> Self {
        World { guarded: Guarded::new(world) }
    }

    fn read<'py>(&self, py: Python<'py>, quantity: Quantity) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.guarded.with(|world| state::read(py, world, quantity))
    }

    fn write(&self, quantity: Quantity, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.guarded.with(|world| state::write(world, quantity, value))
    }
}

#[pymethods]
impl World {
    #[new]
    #[pyo3(signature = (settings=None, **overrides))]
    fn new(settings: Option<&Bound<'_, Settings>>, overrides: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let settings = settings_of(settings, overrides)?;
        signorini::World::new(settings).map(World::of).map_err(raise::world)
    }

    /// The world of a scene: a `Scene`, the name of a built-in one, or the path of a file.
    #[staticmethod]
    fn from_scene(scene: &Bound<'_, PyAny>) -> PyResult<World> {
        Scene::of(scene)?.build_world().map(World::of)
    }

    /// Adds a robot from a URDF or MJCF file and returns it.
    ///
    /// `position` [m] and `orientation` (w, x, y, z) place its base; `prefix` goes before the names of its bodies. `q` are
    /// its coordinates, the home pose if not given. `base` is "file" (what the file says), "fixed" or "free". Its links
    /// touch each other unless they are neighbours or overlap in the home pose, or not at all with `self_collision=False`.
    /// `roots` are folders in which meshes and packages are looked for, besides that of the file.
    #[pyo3(signature = (
        path, *, position=None, orientation=None, prefix="", q=None, base="file", self_collision=true, roots=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn add_robot(
        slf: &Bound<'_, Self>,
        path: PathBuf,
        position: Option<&Bound<'_, PyAny>>,
        orientation: Option<&Bound<'_, PyAny>>,
        prefix: &str,
        q: Option<&Bound<'_, PyAny>>,
        base: &str,
        self_collision: bool,
        roots: Option<Vec<PathBuf>>,
    ) -> PyResult<Robot> {
        let roots = roots.unwrap_or_default();
        let (options, placement) = asked(position, orientation, prefix, q, base, self_collision, roots)?;
        Robot::add(slf, path, &options, &placement)
    }

    /// Adds a body and returns it.
    ///
    /// `kind` is "dynamic", "kinematic" (moves as told) or "fixed". `name` is text or a whole number; results do not
    /// depend on the order in which named bodies are added. Give `mass` [kg] or `density` [kg/m³]; neither means water.
    /// `mass` with `inertia` (3, 3) [kg·m²] about `centre` [m] overrides what follows from the shape. `position` [m] is
    /// that of the shape's frame, `orientation` a unit quaternion (w, x, y, z), `velocity` [m/s] that of the centre of
    /// mass, `angular_velocity` [rad/s] in world axes. A `fast` body goes through nothing, however fast it is.
    #[pyo3(signature = (
        shape, *, kind="dynamic", name=None, mass=None, density=None, inertia=None, centre=None, position=None,
        orientation=None, velocity=None, angular_velocity=None, material=None, friction=None, restitution=None, fast=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn add(
        slf: &Bound<'_, Self>,
        shape: &Bound<'_, PyAny>,
        kind: &str,
        name: Option<&Bound<'_, PyAny>>,
        mass: Option<f64>,
        density: Option<f64>,
        inertia: Option<&Bound<'_, PyAny>>,
        centre: Option<&Bound<'_, PyAny>>,
        position: Option<&Bound<'_, PyAny>>,
        orientation: Option<&Bound<'_, PyAny>>,
        velocity: Option<&Bound<'_, PyAny>>,
        angular_velocity: Option<&Bound<'_, PyAny>>,
        material: Option<Material>,
        friction: Option<f64>,
        restitution: Option<f64>,
        fast: bool,
    ) -> PyResult<Body> {
        let given = BodyArguments {
            shape,
            kind,
            name,
            mass,
            density,
            inertia,
            centre,
            position,
            orientation,
            velocity,
            angular_velocity,
            material,
            friction,
            restitution,
            fast,
        };
        let body = given.body()?;
        let handle = slf.get().guarded.with(|world| world.add(body).map_err(raise::world))?;
        Ok(Body { world: slf.clone().unbind(), handle })
    }

    /// Ties body `a` to body `b`, or to the world if `b` is None.
    ///
    /// `kind` is "fixed", "revolute", "prismatic", "cylindrical", "ball", "swing_twist" (a ball with limits), "universal", "planar",
    /// "distance" (keeps the anchors `length` [m] apart) or "rope" (at most). `anchor_a` is in the frame of `a` [m], `anchor_b` in that of `b`, or
    /// of the world [m]; `axis_a` and `axis_b` are the z axes of the joint there: hinges turn about them, sliders slide along
    /// them. Coordinates say where `a` is against `b`. The rest acts along the one coordinate of a hinge or slider: `limits`
    /// (least and greatest), `restitution` (the share of the speed that a limit gives back), `friction`, `motor` (velocity,
    /// greatest force), `servo` (stiffness, damping, target, greatest force), `spring` (stiffness, damping, rest), `damping`,
    /// `armature`; `swing` and `turn` (greatest) and `twist` (least and greatest) are the limits of a swing-twist joint [rad]. `break_force` and `break_torque` are of the locked ones. A joint that does not fit its bodies is a ValueError unless `corrected` is true.
    #[pyo3(signature = (
        kind, a, b=None, *, anchor_a=None, anchor_b=None, axis_a=None, axis_b=None, length=None, bodies_touch=false,
        limits=None, swing=None, turn=None, twist=None, restitution=None, friction=None, motor=None, servo=None,
        spring=None, damping=None, armature=None, break_force=None, break_torque=None, corrected=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn add_joint(
        slf: &Bound<'_, Self>,
        kind: &str,
        a: &Bound<'_, PyAny>,
        b: Option<&Bound<'_, PyAny>>,
        anchor_a: Option<&Bound<'_, PyAny>>,
        anchor_b: Option<&Bound<'_, PyAny>>,
        axis_a: Option<&Bound<'_, PyAny>>,
        axis_b: Option<&Bound<'_, PyAny>>,
        length: Option<f64>,
        bodies_touch: bool,
        limits: Option<(f64, f64)>,
        swing: Option<f64>,
        turn: Option<f64>,
        twist: Option<(f64, f64)>,
        restitution: Option<f64>,
        friction: Option<f64>,
        motor: Option<(f64, f64)>,
        servo: Option<(f64, f64, f64, f64)>,
        spring: Option<(f64, f64, f64)>,
        damping: Option<f64>,
        armature: Option<f64>,
        break_force: Option<f64>,
        break_torque: Option<f64>,
        corrected: bool,
    ) -> PyResult<Joint> {
        let first = World::handle(slf, "a", a)?;
        let other = b.map(|b| World::handle(slf, "b", b)).transpose()?;
        let given = JointArguments {
            kind,
            anchors: [anchor_a, anchor_b],
            axes: [axis_a, axis_b],
            length,
            bodies_touch,
            limits,
            swing,
            turn,
            twist,
            restitution,
            friction,
            motor,
            servo,
            spring,
            damping,
            armature,
            break_force,
            break_torque,
            corrected,
        };
        let joint = given.joint(first, other)?;
        let handle = slf.get().guarded.with(|world| world.add_joint(joint).map_err(raise::world))?;
        Ok(Joint { world: slf.clone().unbind(), handle })
    }

    /// Gears two joints: the coordinate of the first is `ratio` times that of the second, plus `offset` [m, rad].
    ///
    /// `coordinates` says which of their free coordinates. Wheels that mesh turn against each other: their ratio is negative.
    /// One that the joints do not fit is a ValueError unless `corrected` is true. A gear goes with the first of its joints that
    /// is removed.
    #[pyo3(signature = (first, second, ratio, *, offset=0.0, coordinates=(0, 0), corrected=false))]
    fn add_gear(
        slf: &Bound<'_, Self>,
        first: Bound<'_, Joint>,
        second: Bound<'_, Joint>,
        ratio: f64,
        offset: f64,
        coordinates: (usize, usize),
        corrected: bool,
    ) -> PyResult<Gear> {
        gear::add(slf, vec![(first, coordinates.0, 1.0), (second, coordinates.1, -ratio)], offset, corrected)
    }

    /// Ties coordinates of several joints, such as those of a differential: their sum, each times its factor, is `offset`
    /// [m, rad].
    ///
    /// `terms` are `(joint, factor)` or `(joint, coordinate, factor)`, at most eight.
    #[pyo3(signature = (terms, *, offset=0.0, corrected=false))]
    fn add_coupling(slf: &Bound<'_, Self>, terms: &Bound<'_, PyAny>, offset: f64, corrected: bool) -> PyResult<Gear> {
        gear::add_terms(slf, terms, offset, corrected)
    }

    /// All gears, in the order of their joints.
    #[getter]
    fn gears(slf: &Bound<'_, Self>) -> PyResult<Vec<Gear>> {
        let handles: Vec<_> = slf.get().guarded.with(|world| Ok(world.gears().map(|(handle, _)| handle).collect()))?;
        Ok(handles.into_iter().map(|handle| Gear { world: slf.clone().unbind(), handle }).collect())
    }

    /// Moves bodies until all joints fit; returns the largest error that is left [m, rad].
    fn assemble(&self) -> PyResult<f64> {
        self.guarded.with(|world| world.assemble().map_err(raise::world))
    }

    /// The body with this name or number; a `KeyError` if there is none.
    fn __getitem__(slf: &Bound<'_, Self>, name: &Bound<'_, PyAny>) -> PyResult<Body> {
        let handle = World::handle(slf, "name", name)?;
        Ok(Body { world: slf.clone().unbind(), handle })
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(body) = name.cast::<Body>() {
            return self.guarded.with(|world| Ok(world.body(body.get().handle).is_ok()));
        }
        let id = id_of(name)?;
        self.guarded.with(|world| Ok(world.find(id).is_some()))
    }

    /// Number of bodies.
    fn __len__(&self) -> PyResult<usize> {
        self.guarded.with(|world| Ok(world.bodies().count()))
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Ok(World::bodies(slf)?.try_iter()?.into_any())
    }

    /// All bodies in the order of their ids.
    #[getter]
    fn bodies<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let handles: Vec<_> = slf.get().guarded.with(|world| Ok(world.bodies().map(|(handle, _)| handle).collect()))?;
        let list = PyList::empty(slf.py());
        for handle in handles {
            list.append(Bound::new(slf.py(), Body { world: slf.clone().unbind(), handle })?)?;
        }
        Ok(list)
    }

    /// Names (or numbers, or None) of all bodies in the order of their ids: what the rows of the arrays stand for.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.guarded.with(|world| names(py, world.bodies().map(|(_, body)| body.id())))
    }

    /// Where the frames of all bodies are [m], shape (n, 3), in the order of `names`. A copy; assign to change.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.read(py, Quantity::Positions)
    }
    #[setter]
    fn set_positions(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(Quantity::Positions, value)
    }
    /// Unit quaternions (w, x, y, z) of all bodies, shape (n, 4). A copy; assign to change.
    #[getter]
    fn orientations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.read(py, Quantity::Orientations)
    }
    #[setter]
    fn set_orientations(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(Quantity::Orientations, value)
    }
    /// Velocities of the centres of mass [m/s], shape (n, 3). A copy; assign to change.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.read(py, Quantity::Velocities)
    }
    #[setter]
    fn set_velocities(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(Quantity::Velocities, value)
    }
    /// Angular velocities in world axes [rad/s], shape (n, 3). A copy; assign to change.
    #[getter]
    fn angular_velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.read(py, Quantity::AngularVelocities)
    }
    #[setter]
    fn set_angular_velocities(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(Quantity::AngularVelocities, value)
    }
    /// Centres of mass [m], shape (n, 3). A copy.
    #[getter]
    fn centres<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.read(py, Quantity::Centres)
    }
    /// Masses [kg], shape (n,); infinite unless dynamic.
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let masses: Vec<f64> = self.guarded.with(|world| Ok(world.bodies().map(|(_, body)| body.mass()).collect()))?;
        Ok(masses.into_pyarray(py))
    }

    /// Contacts of the last step as a structured array with the fields `a`, `b` (rows of the bodies), `point` [m],
    /// `normal` (from a to b), `gap` [m] (negative when they overlap), `impulse` [N·s] on b and `velocity` [m/s] of the
    /// surface of b against that of a, all in world axes; `part_a`, `part_b` (parts of their shapes) and `approach` [m/s],
    /// how fast they came together.
    ///
    /// >>> from signorini import Shape, World
    /// >>> world = World()
    /// >>> floor = world.add(Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    /// >>> box = world.add(Shape.cuboid((0.5, 0.5, 0.5)), mass=4.0, position=(0, 0, 0.5), name="box")
    /// >>> report = world.step(0.01)
    /// >>> contacts = world.contacts
    /// >>> weight = abs(contacts["impulse"].sum(axis=0)[2]) / 0.01
    /// >>> round(weight, 6)  # N: four kilograms
    /// 39.24
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.guarded.with(|world| contacts::read(py, world))
    }

    /// What happened in the last step.
    #[getter]
    fn events(slf: &Bound<'_, Self>) -> Events {
        Events { world: slf.clone().unbind() }
    }
    /// Questions that change nothing, many at once and with filters.
    #[getter]
    fn queries(slf: &Bound<'_, Self>) -> Queries {
        Queries { world: slf.clone().unbind() }
    }
    /// Energy of all bodies.
    #[getter]
    fn energy(&self) -> PyResult<Energy> {
        self.guarded.with(|world| Ok(Energy(world.energy())))
    }
    /// Fingerprint of the state, bit by bit: equal states have equal fingerprints.
    #[getter]
    fn state_hash(&self) -> PyResult<u64> {
        self.guarded.with(|world| Ok(world.state_hash()))
    }
    /// Time since the beginning [s].
    #[getter]
    fn time(&self) -> PyResult<f64> {
        self.guarded.with(|world| Ok(world.time()))
    }
    /// Steps taken.
    #[getter]
    fn steps(&self) -> PyResult<u64> {
        self.guarded.with(|world| Ok(world.steps()))
    }
    /// The settings; assign to change them from the next step on.
    #[getter]
    fn settings(&self) -> PyResult<Settings> {
        self.guarded.with(|world| Ok(Settings(*world.settings())))
    }
    #[setter]
    fn set_settings(&self, settings: &Bound<'_, Settings>) -> PyResult<()> {
        self.guarded.with(|world| world.set_settings(settings.get().0).map_err(raise::world))
    }

    /// The first body on the ray from `origin` [m] along `direction`, within `distance` [m]: the body, how far it is
    /// [m] and the outward normal there; None if there is none.
    ///
    /// >>> from signorini import Shape, World
    /// >>> world = World()
    /// >>> ball = world.add(Shape.sphere(0.5), position=(5, 0, 0), name="ball")
    /// >>> body, distance, normal = world.cast_ray((0, 0, 0), (1, 0, 0), 100)
    /// >>> body.name, distance, normal.tolist()
    /// ('ball', 4.5, [-1.0, 0.0, 0.0])
    #[expect(clippy::type_complexity, reason = "a tuple of Python")]
    fn cast_ray<'py>(
        slf: &Bound<'py, Self>,
        origin: &Bound<'py, PyAny>,
        direction: &Bound<'py, PyAny>,
        distance: f64,
    ) -> PyResult<Option<(Body, f64, Bound<'py, PyArray1<f64>>)>> {
        let (origin, direction) = (vector("origin", origin)?, vector("direction", direction)?);
        let hit = slf.get().guarded.with(|world| Ok(world.cast_ray(origin, direction, distance)))?;
        Ok(hit.map(|(handle, hit)| {
            let normal = hit.normal.to_array().to_pyarray(slf.py());
            (Body { world: slf.clone().unbind(), handle }, hit.distance, normal)
        }))
    }

    /// Takes back every force and torque added since the last step.
    fn clear_forces(&self) -> PyResult<()> {
        self.guarded.with(|world| {
            world.clear_forces();
            Ok(())
        })
    }

    /// Advances by `dt` [s] and reports, or raises `StepError` and leaves everything as it was, bit for bit.
    fn step(&self, py: Python<'_>, dt: f64) -> PyResult<StepReport> {
        self.guarded.check_not_running()?;
        let outcome = self
            .guarded
            .detached(py, |world| threads::engine(|| world.step(dt).map(|report| StepReport::of(world, report))))??;
        outcome.map_err(raise::step)
    }

    /// Takes `steps` steps of `dt` [s] without the interpreter's lock and returns a `Run`: a table with one row per
    /// step.
    ///
    /// `record` names states to keep at every `every` steps ("positions", "orientations", "velocities", "angular_velocities",
    /// "centres"), `hashes` keeps the fingerprint of every row. `stride` keeps a row for every so many steps, and `keep` only
    /// the last so many rows and states: 0 keeps none. Of more than a million steps every 2nd, 3rd … is kept, so that there
    /// are at most a million rows, unless `stride` or `keep` says otherwise; what the run says of all steps (`steps`,
    /// `certified`, `worst_residual`) counts all of them. `callback(world, report)` is called after every step
    /// and may change the world; if it returns False the run ends. `file` writes a recording (.mcap) that the viewer
    /// and `Recording` open. Ctrl-C ends the run between two steps. If a step is refused the `StepError` has the run so
    /// far as `completed`.
    ///
    /// >>> from signorini import Shape, World
    /// >>> world = World()
    /// >>> ball = world.add(Shape.sphere(0.5), position=(0, 0, 100))
    /// >>> run = world.run(100, dt=0.01, record=["positions"], every=50)
    /// >>> run["time"][-1].round(9), run.states["positions"].shape
    /// (np.float64(1.0), (2, 1, 3))
    #[pyo3(signature = (
        steps, dt=1.0/60.0, *, record=None, every=1, hashes=false, stride=None, keep=None, callback=None, file=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn run<'py>(
        slf: &Bound<'py, Self>,
        steps: usize,
        dt: f64,
        record: Option<Vec<String>>,
        every: usize,
        hashes: bool,
        stride: Option<usize>,
        keep: Option<usize>,
        callback: Option<&Bound<'py, PyAny>>,
        file: Option<PathBuf>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let stride = stride.unwrap_or_else(|| Recording::usual_stride(steps, keep));
        if stride == 0 {
            return Err(PyValueError::new_err("stride: at least 1"));
        }
        let recording = Recording { hashes, stride, keep, ..recording_of(record, every)? };
        run::run(slf, steps, dt, recording, callback, file.as_deref())
    }

    /// Seconds that `steps` steps of `dt` [s] take without anything else: what the overhead of Python is measured
    /// against.
    fn _bare_steps(&self, py: Python<'_>, steps: usize, dt: f64) -> PyResult<f64> {
        let outcome = self.guarded.detached(py, |world| {
            threads::engine(|| {
                let started = std::time::Instant::now();
                for _ in 0..steps {
                    std::hint::black_box(world.step(dt)?);
                }
                Ok(started.elapsed().as_secs_f64())
            })
        })??;
        outcome.map_err(raise::step)
    }

    /// Panics while it holds the world: a test that such a world refuses further use.
    fn _provoke_panic(&self, py: Python<'_>) -> PyResult<()> {
        self.guarded.detached(py, |_| std::panic::resume_unwind(Box::new("provoked")))
    }

    /// The contact problems that a step of `dt` [s] would solve, island by island, without taking it.
    fn problems(&self, py: Python<'_>, dt: f64) -> PyResult<Vec<Problem>> {
        let problems = self.guarded.detached(py, |world| threads::engine(move || world.problems(dt)))??;
        Ok(problems.map_err(raise::step)?.into_iter().map(Problem::of).collect())
    }

    /// The world as it is now, written down as a scene with time step `step` [s].
    #[pyo3(signature = (step=1.0/60.0))]
    fn describe(&self, step: f64) -> PyResult<Scene> {
        self.guarded.with(|world| Ok(Scene(signorini::Scene::describe(world, step))))
    }

    /// Everything that can influence a bit of the future, as bytes.
    ///
    /// >>> from signorini import Shape, World
    /// >>> world = World()
    /// >>> ball = world.add(Shape.sphere(0.5), name="ball")
    /// >>> before = world.snapshot()
    /// >>> _ = world.step(0.1)
    /// >>> world.restore(before)
    /// >>> world.time
    /// 0.0
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.guarded.detached(py, |world| world.snapshot().to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Goes back (or on) to a snapshot. Bytes that are not one are refused, and the world is as before.
    fn restore(&self, snapshot: &[u8]) -> PyResult<()> {
        self.guarded.check_not_running()?;
        let snapshot = Snapshot::from_bytes(snapshot).map_err(raise::snapshot)?;
        self.guarded.with(|world| world.restore(&snapshot).map_err(raise::snapshot))
    }

    /// A new world from the bytes of a snapshot.
    #[staticmethod]
    fn from_snapshot(snapshot: &[u8]) -> PyResult<World> {
        let snapshot = Snapshot::from_bytes(snapshot).map_err(raise::snapshot)?;
        Ok(World::of(signorini::World::from_snapshot(&snapshot)))
    }

    /// A world of its own with the same future.
    fn fork(&self) -> PyResult<World> {
        self.guarded.with(|world| Ok(World::of(world.fork())))
    }

    fn __copy__(&self) -> PyResult<World> {
        self.fork()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyResult<World> {
        self.fork()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let arguments = PyTuple::new(py, [self.snapshot(py)?])?;
        Ok((py.get_type::<World>().getattr("from_snapshot")?, arguments))
    }

    fn __repr__(&self) -> PyResult<String> {
        self.guarded.with(|world| {
            let (bodies, joints) = (world.bodies().count(), world.joints().count());
            let joints = match joints {
                0 => String::new(),
                1 => ", 1 joint".to_owned(),
                many => format!(", {many} joints"),
            };
            Ok(format!("<World of {bodies} bodies{joints} at {:.6} s, {} steps>", world.time(), world.steps()))
        })
    }

    /// A table of the bodies, for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("signorini._html")?.call_method1("world", (slf,))
    }
}

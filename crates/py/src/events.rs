//! Events of the last step as structured arrays of numpy.

use crate::world;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyList};
use signorini::{BodyHandle, World};

/// `numpy.dtype` of a contact event, packed: five i4 and eight f8.
static CONTACT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
/// Of a sensor event: four i4 and two f8.
static SENSOR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
/// Of a body that fell asleep or woke: two i4.
static SLEEP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Rows of bodies in the arrays of the world; −1 for one that is gone.
pub struct Rows(Vec<(BodyHandle, i32)>);

impl Rows {
    pub fn of(world: &World) -> Rows {
        let mut rows: Vec<(BodyHandle, i32)> = (0..).zip(world.bodies()).map(|(row, (body, _))| (body, row)).collect();
        rows.sort_unstable();
        Rows(rows)
    }
    pub fn row(&self, body: BodyHandle) -> i32 {
        self.0.binary_search_by_key(&body, |(handle, _)| *handle).map_or(-1, |at| self.0[at].1)
    }
}

fn table<'py>(
    py: Python<'py>,
    dtype: &PyOnceLock<Py<PyAny>>,
    integers: &[&str],
    vectors: &[&str],
    numbers: &[&str],
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    let dtype = dtype.get_or_try_init(py, || {
        let fields = PyList::empty(py);
        integers.iter().try_for_each(|name| fields.append((*name, "<i4")))?;
        vectors.iter().try_for_each(|name| fields.append((*name, "<f8", (3,))))?;
        numbers.iter().try_for_each(|name| fields.append((*name, "<f8")))?;
        PyResult::Ok(py.import("numpy")?.call_method1("dtype", (fields,))?.unbind())
    })?;
    // A byte array is memory of its own that numpy may write to.
    py.import("numpy")?.call_method1("frombuffer", (PyByteArray::new(py, bytes), dtype))
}

/// Who touches whom: phase 0 begins, 1 persists, 2 has ended.
fn contacts<'py>(py: Python<'py>, world: &World) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::of(world);
    let mut bytes = Vec::with_capacity(world.contact_events().len() * 84);
    for event in world.contact_events() {
        let integers =
            [event.phase as i32, rows.row(event.a), rows.row(event.b), event.part_a as i32, event.part_b as i32];
        integers.into_iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        let vectors = [event.point, event.normal].into_iter().flat_map(|v| v.to_array());
        vectors.chain([event.impulse, event.speed]).for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    let integers = ["phase", "a", "b", "part_a", "part_b"];
    table(py, &CONTACT, &integers, &["point", "normal"], &["impulse", "speed"], &bytes)
}

/// Who is in which sensor, since when and for how long.
fn sensors<'py>(py: Python<'py>, world: &World) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::of(world);
    let mut bytes = Vec::with_capacity(world.sensor_events().len() * 32);
    for event in world.sensor_events() {
        let integers = [event.phase as i32, rows.row(event.sensor), event.part as i32, rows.row(event.other)];
        integers.into_iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        [event.since, world.time() - event.since].into_iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    table(py, &SENSOR, &["phase", "sensor", "part", "other"], &[], &["since", "inside"], &bytes)
}

/// Who fell asleep (1) or woke (0).
fn sleep<'py>(py: Python<'py>, world: &World) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::of(world);
    let events = world.sleep_events().iter();
    let pairs = events.flat_map(|event| [rows.row(event.body), i32::from(event.asleep)]);
    let bytes: Vec<u8> = pairs.flat_map(i32::to_le_bytes).collect();
    table(py, &SLEEP, &["body", "asleep"], &[], &[], &bytes)
}

/// Events of the last step of a world, as structured arrays. Bodies are rows of the arrays of the world, −1 for a
/// removed one. `phase` is 0 for what begins, 1 for what persists, 2 for what has ended.
#[pyclass(module = "signorini", frozen)]
pub struct Events {
    pub world: Py<world::World>,
}

impl Events {
    fn read<'py>(
        &self,
        py: Python<'py>,
        read: impl FnOnce(Python<'py>, &World) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.world.bind(py).get().guarded.with(|world| read(py, world))
    }
}

#[pymethods]
impl Events {
    fn __repr__(&self) -> &'static str {
        "<Events of the last step: contacts, joints, sensors, sleep>"
    }

    /// Who touches whom: `phase`, `a`, `b`, `part_a`, `part_b`, `point` [m], `normal`, `impulse` [N·s] and `speed`
    /// [m/s] of approach. Impacts are the rows with a speed above a threshold of your choice.
    ///
    /// >>> from signorini import Shape, World
    /// >>> world = World()
    /// >>> floor = world.add(Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    /// >>> ball = world.add(Shape.sphere(0.5), mass=1.0, position=(0, 0, 0.5), name="ball")
    /// >>> reports = [world.step(0.01) for _ in range(2)]
    /// >>> contacts = world.events.contacts
    /// >>> contacts["phase"].tolist(), round(contacts["impulse"][0] / 0.01, 6)
    /// ([1], 9.81)
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, contacts)
    }
    /// Who is in which sensor: `phase`, `sensor`, `part`, `other`, `since` [s] and `inside` [s], how long.
    #[getter]
    fn sensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, sensors)
    }
    /// Who fell asleep or woke: `body` and `asleep` (0 or 1).
    #[getter]
    fn sleep<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, sleep)
    }
}

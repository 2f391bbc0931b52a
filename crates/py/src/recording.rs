//! Recordings: files that hold a simulation step by step.

use crate::contacts;
use crate::raise;
use crate::scene::Scene;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use signorini_record::{ContactRecording, Header, Options, Reader, Writer};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Begins a recording of a world run in steps of `dt` \[s\], contacts included.
pub fn begin(path: &Path, world: &signorini::World, dt: f64) -> PyResult<Writer> {
    let options = Options { contacts: ContactRecording::On, ..Options::default() };
    Writer::create(path, &Header::of_world(world, dt), world, &options).map_err(raise::recording)
}

/// A recording (.mcap), written by `World.run(..., file=path)` or by the command. Reads files that are still being
/// written, were never finished, or are damaged in the middle.
#[pyclass(module = "signorini", frozen)]
pub struct Recording {
    reader: Mutex<Reader>,
    path: PathBuf,
}

impl Recording {
    fn with<T>(&self, work: impl FnOnce(&mut Reader) -> PyResult<T>) -> PyResult<T> {
        match self.reader.try_lock() {
            Ok(mut reader) => work(&mut reader),
            Err(_) => Err(raise::busy("the recording is in use by another thread")),
        }
    }
}

#[pymethods]
impl Recording {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let reader = Reader::open(&path).map_err(raise::recording)?;
        Ok(Recording { reader: Mutex::new(reader), path })
    }

    /// Names of the bodies, in the order of the states' second axis.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.with(|reader| PyList::new(py, &reader.header().bodies))
    }
    /// The scene it began with.
    #[getter]
    fn scene(&self) -> PyResult<Scene> {
        self.with(|reader| Ok(Scene(reader.header().scene.clone())))
    }
    /// Method that solved contact.
    #[getter]
    fn method(&self) -> PyResult<String> {
        self.with(|reader| Ok(reader.header().method.clone()))
    }
    /// What counted as solved [m/s].
    #[getter]
    fn tolerance(&self) -> PyResult<f64> {
        self.with(|reader| Ok(reader.header().tolerance))
    }
    /// Whether the writer came to its end; if not, it is still writing or was interrupted.
    #[getter]
    fn finished(&self) -> PyResult<bool> {
        self.with(|reader| Ok(reader.is_finished()))
    }
    /// Parts that cannot be used: offset in the file [bytes] and what is wrong.
    #[getter]
    fn damage(&self) -> PyResult<Vec<(u64, String)>> {
        self.with(|reader| Ok(reader.damage().iter().map(|damage| (damage.offset, damage.what.to_string())).collect()))
    }
    /// Looks for what was written since the file was opened; whether there is more.
    fn refresh(&self) -> PyResult<bool> {
        self.with(|reader| reader.refresh().map_err(raise::recording))
    }
    /// Number of states; the first is the one before the first step.
    fn __len__(&self) -> PyResult<usize> {
        self.with(|reader| Ok(reader.frames()))
    }

    /// States as arrays: `time` [s] and `hash`, shape (k,), `positions` [m], `velocities` [m/s] and `angular_velocities` [rad/s],
    /// shape (k, bodies, 3), `orientations` (k, bodies, 4), and, from format 2 on, `sleeping` and `quarantined`
    /// (k, bodies); every `every`-th one.
    #[pyo3(signature = (*, every=1))]
    fn states<'py>(&self, py: Python<'py>, every: usize) -> PyResult<Bound<'py, PyDict>> {
        if every == 0 {
            return Err(PyValueError::new_err("every: at least 1"));
        }
        let (mut times, mut hashes) = (Vec::new(), Vec::new());
        let mut arrays = [const { Vec::new() }; 4];
        let (mut sleeping, mut quarantined) = (Vec::new(), Vec::new());
        let bodies = self.with(|reader| {
            for index in (0..reader.frames()).step_by(every) {
                py.check_signals()?;
                let frame = reader.frame(index).map_err(raise::recording)?;
                times.push(frame.time);
                hashes.push(frame.hash);
                for (pose, velocity) in frame.poses.iter().zip(&frame.velocities) {
                    arrays[0].extend_from_slice(&pose[..3]);
                    arrays[1].extend_from_slice(&pose[3..]);
                    arrays[2].extend_from_slice(&velocity[..3]);
                    arrays[3].extend_from_slice(&velocity[3..]);
                }
                sleeping.extend(frame.flags.iter().map(|flags| flags.asleep));
                quarantined.extend(frame.flags.iter().map(|flags| flags.quarantined));
            }
            Ok(reader.header().bodies.len())
        })?;
        let kept = times.len();
        let result = PyDict::new(py);
        result.set_item("time", times.into_pyarray(py))?;
        result.set_item("hash", hashes.into_pyarray(py))?;
        let named = [("positions", 3), ("orientations", 4), ("velocities", 3), ("angular_velocities", 3)];
        for ((name, columns), values) in named.into_iter().zip(arrays) {
            result.set_item(name, values.into_pyarray(py).reshape([kept, bodies, columns])?)?;
        }
        for (name, values) in [("sleeping", sleeping), ("quarantined", quarantined)] {
            if values.len() == kept * bodies {
                result.set_item(name, values.into_pyarray(py).reshape([kept, bodies])?)?;
            }
        }
        Ok(result)
    }

    /// What step number `index` (from 0) said about itself, as a dictionary.
    fn report<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let value = self.with(|reader| {
            if index >= reader.steps() {
                return Err(PyIndexError::new_err(format!("index: {index} of {} steps", reader.steps())));
            }
            reader.step(index).map_err(raise::recording)
        })?;
        py.import("json")?.call_method1("loads", (value.to_string(),))
    }

    /// Contacts of step number `index` (from 0) as a structured array with the fields of `World.contacts`; `a` and `b` count in
    /// the order of `names`. An error if they were not recorded.
    fn contacts<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let found = self.with(|reader| {
            let count = reader.contact_steps();
            if count == 0 && reader.steps() > 0 {
                return Err(raise::recording_text("contacts were not recorded in this file"));
            }
            if index >= count {
                return Err(PyIndexError::new_err(format!("index: {index} of {count} steps")));
            }
            reader.contacts(index).map_err(raise::recording)
        })?;
        let rank = |body: u32| i32::try_from(body).unwrap_or(-1);
        let rows = (0..found.bodies.len()).map(|at| contacts::Row {
            bodies: found.bodies[at].map(rank),
            point: found.points[at],
            normal: found.normals[at],
            gap: found.gaps[at],
            impulse: found.impulses[at],
            velocity: found.velocities[at],
        });
        contacts::array(py, rows)
    }

    /// A recording is where its file is.
    fn __getnewargs__(&self) -> (PathBuf,) {
        (self.path.clone(),)
    }

    fn __repr__(&self) -> PyResult<String> {
        self.with(|reader| Ok(format!("<Recording '{}' of {} steps>", self.path.display(), reader.steps())))
    }
}

//! What a run keeps of every step: a table with one row per step, and states at every so many steps.
//!
//! Where steps are short the table is what Python costs, so rows are written one after another, as the processor likes
//! it, and columns are made of them when somebody looks.

use crate::state::Quantity;
use crate::world::names;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};
use signorini::{BodyId, StepReport, StepStatus, World};
use std::mem::take;
use std::sync::{Mutex, PoisonError};

/// Names of columns, and a function that gives one row of them: written together, so that they cannot come apart.
macro_rules! columns {
    ($names:ident, $row:ident, $number:ty, $report:ident, $world:ident, $($name:literal => $value:expr,)*) => {
        const $names: &[&str] = &[$($name),*];
        fn $row($report: &StepReport, $world: &World) -> [$number; [$($name),*].len()] {
            [$($value),*]
        }
    };
}

// Numbers with a unit, SI.
columns! { FLOATS, floats, f64, report, world,
    "time" => world.time(),
    "residual" => report.certificate.map_or(0.0, |c| c.natural),
    "floor" => report.certificate.map_or(0.0, |c| c.floor),
    "speed" => report.certificate.map_or(0.0, |c| c.speed),
    "penetration" => report.penetration,
    "kinetic" => report.energy.after.kinetic(),
    "potential" => report.energy.after.potential,
    "energy" => report.energy.after.total(),
    "external_work" => report.energy.external,
    "normal_work" => report.energy.normal,
    "friction_work" => report.energy.friction,
    "joint_work" => report.energy.joints,
    "driven_work" => report.energy.driven,
    "integration" => report.energy.integration,
    "stabilisation" => report.energy.stabilisation,
    "stopped" => report.energy.stopped,
    "closure" => report.energy.closure(),
    "restitution_scale" => report.restitution_scale,
    "seconds" => seconds(report),
}

// Numbers that count.
columns! { COUNTS, counts, i64, report, _world,
    "contacts" => report.counts.contacts as i64,
    "impacts" => report.counts.impacts as i64,
    "islands" => report.counts.islands as i64,
    "pairs" => report.counts.pairs as i64,
    "open" => report.counts.states.open as i64,
    "slip" => report.counts.states.slip as i64,
    "stick" => report.counts.states.stick as i64,
    "sleeping" => report.counts.sleeping as i64,
    "quarantined" => report.counts.quarantined as i64,
    "corrected" => report.counts.corrected as i64,
    "iterations" => report.effort.iterations as i64,
    "factorizations" => report.effort.factorizations as i64,
    "indeterminacy" => report.effort.indeterminacy as i64,
}

fn seconds(report: &StepReport) -> f64 {
    let t = &report.times;
    t.free_motion + t.broad_phase + t.manifold + t.contact + t.island + t.solve + t.position + t.integrate
}

/// What to keep.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// States kept at every `every` steps.
    pub quantities: Vec<Quantity>,
    /// At least one.
    pub every: usize,
    /// Whether to keep the fingerprint of every step.
    pub hashes: bool,
}

/// A step.
#[derive(Clone, Copy)]
struct Row {
    floats: [f64; FLOATS.len()],
    counts: [i64; COUNTS.len()],
    certified: bool,
}

/// What was kept so far.
pub struct Log {
    recording: Recording,
    rows: Vec<Row>,
    hashes: Vec<u64>,
    states: Vec<Vec<f64>>,
    /// Bodies of the kept states: the same number in all.
    bodies: usize,
    kept_times: Vec<f64>,
}

/// Rows that are turned into columns together: they stay in the nearest cache while every column takes its part.
const ROWS_AT_A_TIME: usize = 64;
/// Most rows for which memory is taken ahead.
const RESERVED_ROWS: usize = 100_000;

impl Log {
    pub fn new(recording: Recording, steps: usize) -> Self {
        let rows = steps.min(RESERVED_ROWS);
        Log {
            states: vec![Vec::new(); recording.quantities.len()],
            hashes: Vec::with_capacity(if recording.hashes { rows } else { 0 }),
            recording,
            rows: Vec::with_capacity(rows),
            bodies: 0,
            kept_times: Vec::new(),
        }
    }

    /// Whether states are kept, for which the number of bodies has to stay the same.
    pub fn keeps_states(&self) -> bool {
        !self.states.is_empty()
    }

    /// One more row.
    pub fn push(&mut self, report: &StepReport, world: &World) {
        let certified = report.status == StepStatus::Certified;
        self.rows.push(Row { floats: floats(report, world), counts: counts(report, world), certified });
        if self.recording.hashes {
            self.hashes.push(world.state_hash());
        }
        if self.keeps_states() && self.rows.len().is_multiple_of(self.recording.every) {
            for (quantity, out) in self.recording.quantities.iter().zip(&mut self.states) {
                quantity.append(world, out);
            }
            self.bodies = report.counts.bodies;
            self.kept_times.push(world.time());
        }
    }

    /// The table of a run that took steps of `dt` \[s\].
    pub fn into_table(self, world: &World, dt: f64) -> RunTable {
        RunTable {
            dt,
            tolerance: world.settings().stop.tolerance.value,
            bodies: world.bodies().map(|(_, body)| body.id().clone()).collect(),
            kept: Mutex::new(Some(self)),
            made: PyOnceLock::new(),
        }
    }

    /// States by name, shape (kept, bodies, 3 or 4), with their times.
    fn states<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let states = PyDict::new(py);
        let kept = self.kept_times.len();
        for (quantity, values) in self.recording.quantities.iter().zip(&mut self.states) {
            let array = take(values).into_pyarray(py).reshape([kept, self.bodies, quantity.columns()])?;
            states.set_item(quantity.name(), array)?;
        }
        if !self.recording.quantities.is_empty() {
            states.set_item("time", take(&mut self.kept_times).into_pyarray(py))?;
        }
        Ok(states)
    }

    /// Columns by name.
    fn columns<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = take(&mut self.rows);
        let mut floats: [Vec<f64>; FLOATS.len()] = std::array::from_fn(|_| Vec::with_capacity(rows.len()));
        let mut counts: [Vec<i64>; COUNTS.len()] = std::array::from_fn(|_| Vec::with_capacity(rows.len()));
        for some in rows.chunks(ROWS_AT_A_TIME) {
            for (index, column) in floats.iter_mut().enumerate() {
                column.extend(some.iter().map(|row| row.floats[index]));
            }
            for (index, column) in counts.iter_mut().enumerate() {
                column.extend(some.iter().map(|row| row.counts[index]));
            }
        }
        let certified: Vec<bool> = rows.iter().map(|row| row.certified).collect();
        let columns = PyDict::new(py);
        columns.set_item("certified", certified.into_pyarray(py))?;
        for (name, values) in FLOATS.iter().zip(floats) {
            columns.set_item(name, values.into_pyarray(py))?;
        }
        for (name, values) in COUNTS.iter().zip(counts) {
            columns.set_item(name, values.into_pyarray(py))?;
        }
        if self.recording.hashes {
            columns.set_item("hash", take(&mut self.hashes).into_pyarray(py))?;
        }
        Ok(columns)
    }
}

/// What a run kept. Python sees nothing of it before somebody looks: between two runs of a small world even a few objects
/// cost as much as many steps, because the interpreter's code and data are no longer in the caches.
#[pyclass(module = "signorini._core", frozen)]
pub struct RunTable {
    dt: f64,
    tolerance: f64,
    bodies: Vec<BodyId>,
    /// None once there are arrays.
    kept: Mutex<Option<Log>>,
    /// Columns and states.
    made: PyOnceLock<(Py<PyDict>, Py<PyDict>)>,
}

impl RunTable {
    fn made(&self, py: Python<'_>) -> PyResult<&(Py<PyDict>, Py<PyDict>)> {
        self.made.get_or_try_init(py, || {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
            let mut log = kept.unwrap_or_else(|| Log::new(Recording::default(), 0));
            Ok((log.columns(py)?.unbind(), log.states(py)?.unbind()))
        })
    }
}

#[pymethods]
impl RunTable {
    /// Columns by name: the same arrays every time.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        Ok(self.made(py)?.0.bind(py).clone())
    }
    /// States by name: the same arrays every time.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        Ok(self.made(py)?.1.bind(py).clone())
    }
    /// Names, numbers or None of the bodies.
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        names(py, self.bodies.iter())
    }
    /// Time step [s].
    #[getter]
    fn dt(&self) -> f64 {
        self.dt
    }
    /// What the residual is held against [m/s].
    #[getter]
    fn tolerance(&self) -> f64 {
        self.tolerance
    }
}

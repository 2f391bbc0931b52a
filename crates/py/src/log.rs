//! The log of a run: a table with one row per step (or every n-th, or the last n), states every n steps, and totals
//! over all steps.
//!
//! For short steps the table is the main cost of Python. So rows are stored one after another, and columns are made
//! when the table is read.

use crate::body::names;
use crate::state::Quantity;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};
use signorini::{BodyId, StepReport, StepStatus, World};
use std::mem::take;
use std::sync::{Mutex, PoisonError};

/// Names of columns, and a function that fills one row of them: written together, so that they cannot come apart.
macro_rules! columns {
    ($names:ident, $row:ident, $number:ty, $report:ident, $world:ident, $($name:literal => $value:expr,)*) => {
        const $names: &[&str] = &[$($name),*];
        // Not inlined: only then is it known that the row is not part of the report, and every number goes from one to
        // the other at once. Put together elsewhere and moved, a row takes three times as long.
        #[inline(never)]
        fn $row(row: &mut [$number; [$($name),*].len()], $report: &StepReport, $world: &World) {
            *row = [$($value),*];
        }
    };
}

// Numbers with a unit, SI.
columns! { FLOATS, floats, f64, report, world,
    "time" => world.time(),
    "residual" => report.velocity.map_or(0.0, |c| c.scaled),
    "floor" => report.velocity.map_or(0.0, |c| c.floor),
    "speed" => report.velocity.map_or(0.0, |c| c.speed),
    "penetration" => report.penetration,
    "overlap" => report.certificate.overlap.value,
    "joint_gap" => report.certificate.joint_gap.value,
    "energy_rise" => report.certificate.energy_rise.value,
    "momentum_defect" => report.certificate.momentum.value,
    "kinetic" => report.energy.after.kinetic(),
    "potential" => report.energy.after.potential,
    "energy" => report.energy.after.total(),
    "external_work" => report.energy.external,
    "normal_work" => report.energy.normal,
    "friction_work" => report.energy.friction,
    "joint_work" => report.energy.joints,
    "motor_work" => report.energy.motor,
    "spring_work" => report.energy.spring,
    "driven_work" => report.energy.driven,
    "integration" => report.energy.integration,
    "stabilisation" => report.energy.stabilisation,
    "stopped" => report.energy.stopped,
    "closure" => report.energy.closure(),
    "restitution_scale" => report.restitution_scale,
    "seconds" => seconds(report),
}

// Numbers that count.
columns! { COUNTS, counts, u32, report, _world,
    "contacts" => short(report.counts.contacts),
    "impacts" => short(report.counts.impacts),
    "islands" => short(report.counts.islands),
    "pairs" => short(report.counts.pairs),
    "open" => short(report.counts.states.open),
    "slip" => short(report.counts.states.slip),
    "stick" => short(report.counts.states.stick),
    "sleeping" => short(report.counts.sleeping),
    "quarantined" => short(report.counts.quarantined),
    "corrected" => short(report.counts.corrected),
    "iterations" => short(report.effort.iterations),
    "factorizations" => short(report.effort.factorizations),
    "indeterminacy" => short(report.effort.indeterminacy),
}

/// In half the memory: where steps are short, rows are what the caches have too little room for.
fn short(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn seconds(report: &StepReport) -> f64 {
    let t = &report.times;
    t.free_motion + t.broad_phase + t.manifold + t.contact + t.island + t.solve + t.position + t.integrate + t.judge
}

/// What to keep.
#[derive(Clone, Debug)]
pub struct Recording {
    /// States kept at every `every` steps.
    pub quantities: Vec<Quantity>,
    /// At least one.
    pub every: usize,
    /// Whether to keep the fingerprint of every step that has a row.
    pub hashes: bool,
    /// A row for every so many steps, at least one.
    pub stride: usize,
    /// Most rows and most states, the last ones; none means all.
    pub keep: Option<usize>,
}

/// Rows of a run of which nobody said how many to keep: some 300 MB.
const MOST_ROWS: usize = 1_000_000;

impl Recording {
    /// The stride of a run of so many steps, unless one was asked for: the least with which there are at most a million rows.
    pub fn usual_stride(steps: usize, keep: Option<usize>) -> usize {
        if keep.is_some() { 1 } else { steps.div_ceil(MOST_ROWS).max(1) }
    }
}

/// Sums over all steps of a run.
#[derive(Clone, Copy, Default)]
struct Totals {
    steps: usize,
    certified: usize,
    residual: f64,
}

/// A step.
#[derive(Clone, Copy)]
struct Row {
    floats: [f64; FLOATS.len()],
    counts: [u32; COUNTS.len()],
    certified: bool,
}

impl Row {
    const EMPTY: Row = Row { floats: [0.0; FLOATS.len()], counts: [0; COUNTS.len()], certified: false };
}

/// What was kept so far.
pub struct Log {
    recording: Recording,
    totals: Totals,
    /// Steps until the next row, and until the next states.
    until_row: usize,
    until_states: usize,
    /// Those used, and some empty ones.
    rows: Vec<Row>,
    used: usize,
    hashes: Vec<u64>,
    states: Vec<Vec<f64>>,
    /// Bodies of the kept states: the same number in all.
    bodies: usize,
    kept_times: Vec<f64>,
}

/// Rows that are made empty together, and turned into columns together: they stay in the nearest cache meanwhile.
const ROWS_AT_A_TIME: usize = 64;
/// Most rows for which memory is taken ahead.
const RESERVED_ROWS: usize = 100_000;

impl Log {
    pub fn new(recording: Recording, steps: usize) -> Self {
        let wanted = steps / recording.stride;
        let rows = recording.keep.map_or(wanted, |keep| wanted.min(keep.saturating_mul(2))).min(RESERVED_ROWS);
        Log {
            states: vec![Vec::new(); recording.quantities.len()],
            hashes: Vec::with_capacity(if recording.hashes { rows } else { 0 }),
            totals: Totals::default(),
            until_row: recording.stride,
            until_states: recording.every,
            recording,
            rows: Vec::with_capacity(rows.next_multiple_of(ROWS_AT_A_TIME)),
            used: 0,
            bodies: 0,
            kept_times: Vec::new(),
        }
    }

    /// Whether states are kept, for which the number of bodies has to stay the same.
    pub fn keeps_states(&self) -> bool {
        !self.states.is_empty()
    }

    /// One more step.
    pub fn push(&mut self, report: &StepReport, world: &World) {
        self.totals.steps += 1;
        self.totals.certified += usize::from(report.status == StepStatus::Certified);
        self.totals.residual = self.totals.residual.max(report.velocity.map_or(0.0, |c| c.scaled));
        if self.recording.keep == Some(0) {
            return;
        }
        self.until_row -= 1;
        if self.until_row == 0 {
            self.until_row = self.recording.stride;
            self.push_row(report, world);
        }
        self.until_states -= 1;
        if self.until_states == 0 {
            self.until_states = self.recording.every;
            self.push_states(report, world);
        }
    }

    fn push_row(&mut self, report: &StepReport, world: &World) {
        if self.used == self.rows.len() {
            self.rows.resize(self.used + ROWS_AT_A_TIME, Row::EMPTY);
        }
        let row = &mut self.rows[self.used];
        floats(&mut row.floats, report, world);
        counts(&mut row.counts, report, world);
        row.certified = report.status == StepStatus::Certified;
        self.used += 1;
        if self.recording.hashes {
            self.hashes.push(world.state_hash());
        }
        if let Some(keep) = self.recording.keep.filter(|keep| self.used >= 2 * keep) {
            self.keep_rows(keep);
        }
    }

    fn push_states(&mut self, report: &StepReport, world: &World) {
        if !self.keeps_states() {
            return;
        }
        for (quantity, out) in self.recording.quantities.iter().zip(&mut self.states) {
            quantity.append(world, out);
        }
        self.bodies = report.counts.bodies;
        self.kept_times.push(world.time());
        if let Some(keep) = self.recording.keep.filter(|keep| self.kept_times.len() >= 2 * keep) {
            self.keep_states(keep);
        }
    }

    /// Drops all rows but the last `keep`. Done when there are twice as many, it costs each row one move.
    fn keep_rows(&mut self, keep: usize) {
        let first = self.used.saturating_sub(keep);
        self.rows.copy_within(first..self.used, 0);
        self.used -= first;
        self.hashes.drain(..first.min(self.hashes.len()));
    }

    fn keep_states(&mut self, keep: usize) {
        let first = self.kept_times.len().saturating_sub(keep);
        self.kept_times.drain(..first);
        for (quantity, values) in self.recording.quantities.iter().zip(&mut self.states) {
            values.drain(..first * self.bodies * quantity.columns());
        }
    }

    /// The table of a run that took steps of `dt` \[s\].
    pub fn into_table(mut self, world: &World, dt: f64) -> RunTable {
        if let Some(keep) = self.recording.keep {
            self.keep_rows(keep);
            self.keep_states(keep);
        }
        RunTable {
            dt,
            totals: self.totals,
            stride: self.recording.stride,
            tolerance: world.settings().accepted().value,
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
        let mut rows = take(&mut self.rows);
        rows.truncate(self.used);
        let mut floats: [Vec<f64>; FLOATS.len()] = std::array::from_fn(|_| Vec::with_capacity(rows.len()));
        let mut counts: [Vec<i64>; COUNTS.len()] = std::array::from_fn(|_| Vec::with_capacity(rows.len()));
        for some in rows.chunks(ROWS_AT_A_TIME) {
            for (index, column) in floats.iter_mut().enumerate() {
                column.extend(some.iter().map(|row| row.floats[index]));
            }
            for (index, column) in counts.iter_mut().enumerate() {
                column.extend(some.iter().map(|row| i64::from(row.counts[index])));
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
    totals: Totals,
    stride: usize,
    bodies: Vec<BodyId>,
    /// None once there are arrays.
    kept: Mutex<Option<Log>>,
    /// Columns and states.
    made: PyOnceLock<(Py<PyDict>, Py<PyDict>)>,
}

impl RunTable {
    /// Made once, by whoever looks first; others wait for it without the interpreter's lock.
    fn made(&self, py: Python<'_>) -> PyResult<&(Py<PyDict>, Py<PyDict>)> {
        loop {
            if let Some(made) = self.made.get(py) {
                return Ok(made);
            }
            let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let log = kept().take();
            let Some(mut log) = log else {
                py.detach(std::thread::yield_now);
                continue;
            };
            let arrays = |log: &mut Log| Ok((log.columns(py)?.unbind(), log.states(py)?.unbind()));
            match arrays(&mut log) {
                // Nobody else can have: what it is made of was here.
                Ok(made) => drop(self.made.set(py, made)),
                Err(error) => {
                    *kept() = Some(log);
                    return Err(error);
                }
            }
        }
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
    /// Steps taken, whatever was kept of them.
    #[getter]
    fn steps(&self) -> usize {
        self.totals.steps
    }
    /// Steps that are certified.
    #[getter]
    fn certified_steps(&self) -> usize {
        self.totals.certified
    }
    /// Largest residual of any step [m/s].
    #[getter]
    fn worst_residual(&self) -> f64 {
        self.totals.residual
    }
    /// Steps from one row to the next.
    #[getter]
    fn stride(&self) -> usize {
        self.stride
    }
}

/// Checks what states a run is to keep.
pub fn recording_of(record: Option<Vec<String>>, every: usize) -> PyResult<Recording> {
    if every == 0 {
        return Err(PyValueError::new_err("every: at least 1"));
    }
    let quantities = record.unwrap_or_default();
    let quantities = quantities.iter().map(|name| Quantity::parse("record", name)).collect::<PyResult<_>>()?;
    Ok(Recording { quantities, every, hashes: false, stride: 1, keep: None })
}

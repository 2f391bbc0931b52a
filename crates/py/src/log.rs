//! What a run keeps of every step: a table with one row per step, and states at every so many steps.

use crate::state::Quantity;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::{StepReport, StepStatus, World};

type Float = (&'static str, fn(&StepReport, &World) -> f64);
type Count = (&'static str, fn(&StepReport) -> usize);

/// Columns of numbers with a unit, SI.
const FLOATS: [Float; 18] = [
    ("time", |_, world| world.time()),
    ("residual", |report, _| report.certificate.map_or(0.0, |c| c.natural)),
    ("floor", |report, _| report.certificate.map_or(0.0, |c| c.floor)),
    ("speed", |report, _| report.certificate.map_or(0.0, |c| c.speed)),
    ("penetration", |report, _| report.penetration),
    ("kinetic", |report, _| report.energy.after.kinetic()),
    ("potential", |report, _| report.energy.after.potential),
    ("energy", |report, _| report.energy.after.total()),
    ("external_work", |report, _| report.energy.external),
    ("normal_work", |report, _| report.energy.normal),
    ("friction_work", |report, _| report.energy.friction),
    ("joint_work", |report, _| report.energy.joints),
    ("driven_work", |report, _| report.energy.driven),
    ("integration", |report, _| report.energy.integration),
    ("stabilisation", |report, _| report.energy.stabilisation),
    ("closure", |report, _| report.energy.closure()),
    ("restitution_scale", |report, _| report.restitution_scale),
    ("seconds", |report, _| seconds(report)),
];

/// Columns that count.
const COUNTS: [Count; 11] = [
    ("contacts", |report| report.counts.contacts),
    ("impacts", |report| report.counts.impacts),
    ("islands", |report| report.counts.islands),
    ("pairs", |report| report.counts.pairs),
    ("open", |report| report.counts.states.open),
    ("slip", |report| report.counts.states.slip),
    ("stick", |report| report.counts.states.stick),
    ("corrected", |report| report.counts.corrected),
    ("iterations", |report| report.effort.iterations),
    ("factorizations", |report| report.effort.factorizations),
    ("indeterminacy", |report| report.effort.indeterminacy),
];

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

/// The table so far, row after row.
pub struct Log {
    recording: Recording,
    floats: Vec<f64>,
    counts: Vec<i64>,
    certified: Vec<bool>,
    hashes: Vec<u64>,
    states: Vec<Vec<f64>>,
    /// Bodies of the kept states: the same number in all.
    bodies: usize,
    kept_times: Vec<f64>,
}

/// Most rows for which memory is taken ahead.
const RESERVED_ROWS: usize = 100_000;

impl Log {
    pub fn new(recording: Recording, steps: usize) -> Self {
        let rows = steps.min(RESERVED_ROWS);
        Log {
            states: vec![Vec::new(); recording.quantities.len()],
            hashes: Vec::with_capacity(if recording.hashes { rows } else { 0 }),
            recording,
            floats: Vec::with_capacity(rows * FLOATS.len()),
            counts: Vec::with_capacity(rows * COUNTS.len()),
            certified: Vec::with_capacity(rows),
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
        self.floats.extend(FLOATS.iter().map(|(_, value)| value(report, world)));
        self.counts.extend(COUNTS.iter().map(|(_, count)| count(report) as i64));
        self.certified.push(report.status == StepStatus::Certified);
        if self.recording.hashes {
            self.hashes.push(world.state_hash());
        }
        if self.keeps_states() && self.certified.len().is_multiple_of(self.recording.every) {
            for (quantity, out) in self.recording.quantities.iter().zip(&mut self.states) {
                quantity.append(world, out);
            }
            self.bodies = report.counts.bodies;
            self.kept_times.push(world.time());
        }
    }

    /// Columns by name; then states by name, shape (kept, bodies, 3 or 4), with their times.
    pub fn into_python<'py>(self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let columns = PyDict::new(py);
        let column = |index: usize, of: usize, from: &[f64]| -> Vec<f64> {
            from.iter().skip(index).step_by(of).copied().collect()
        };
        columns.set_item("certified", self.certified.into_pyarray(py))?;
        for (index, (name, _)) in FLOATS.iter().enumerate() {
            columns.set_item(name, column(index, FLOATS.len(), &self.floats).into_pyarray(py))?;
        }
        for (index, (name, _)) in COUNTS.iter().enumerate() {
            let values: Vec<i64> = self.counts.iter().skip(index).step_by(COUNTS.len()).copied().collect();
            columns.set_item(name, values.into_pyarray(py))?;
        }
        if self.recording.hashes {
            columns.set_item("hash", self.hashes.into_pyarray(py))?;
        }
        let states = PyDict::new(py);
        let kept = self.kept_times.len();
        let bodies = self.bodies;
        for (quantity, values) in self.recording.quantities.iter().zip(self.states) {
            let array = values.into_pyarray(py).reshape([kept, bodies, quantity.columns()])?;
            states.set_item(quantity.name(), array)?;
        }
        if !self.recording.quantities.is_empty() {
            states.set_item("time", self.kept_times.into_pyarray(py))?;
        }
        Ok((columns, states))
    }
}

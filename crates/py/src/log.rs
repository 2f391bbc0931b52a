//! What a run keeps of every step: a table with one row per step, and states at every so many steps.

use crate::state::Quantity;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::{StepReport, StepStatus, World};

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

/// The table so far, column by column, as numpy will have it.
pub struct Log {
    recording: Recording,
    floats: [Vec<f64>; FLOATS.len()],
    counts: [Vec<i64>; COUNTS.len()],
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
            floats: std::array::from_fn(|_| Vec::with_capacity(rows)),
            counts: std::array::from_fn(|_| Vec::with_capacity(rows)),
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
        for (column, value) in self.floats.iter_mut().zip(floats(report, world)) {
            column.push(value);
        }
        for (column, value) in self.counts.iter_mut().zip(counts(report, world)) {
            column.push(value);
        }
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
        columns.set_item("certified", self.certified.into_pyarray(py))?;
        for (name, values) in FLOATS.iter().zip(self.floats) {
            columns.set_item(name, values.into_pyarray(py))?;
        }
        for (name, values) in COUNTS.iter().zip(self.counts) {
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

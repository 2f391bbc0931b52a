//! Many steps in one call.
//!
//! Without a callback the steps run without the interpreter's lock; every 50 ms signals are looked at, so that Ctrl-C
//! stops between two steps. With a callback the world is free between steps: the callback may look and change.

use crate::log::{Log, Recording};
use crate::raise;
use crate::recording;
use crate::report::StepReport;
use crate::threads;
use crate::world::World;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use signorini::StepError;
use signorini_record::{RecordError, Writer};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long to go without looking at signals.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// Steps the world and returns a `signorini.Run`. If a step is refused, the exception carries the run so far as
/// `completed`, and the world is as it was before that step.
pub fn run<'py>(
    world: &Bound<'py, World>,
    steps: usize,
    dt: f64,
    recording: Recording,
    callback: Option<&Bound<'py, PyAny>>,
    file: Option<&Path>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = world.py();
    if let Some(callback) = callback
        && !callback.is_callable()
    {
        return Err(PyTypeError::new_err("callback: expected something that can be called"));
    }
    let claim = world.get().guarded.claim()?;
    let writer = match file {
        None => None,
        Some(path) => Some(world.get().guarded.with(|engine| recording::begin(path, engine, dt))?),
    };
    let mut log = Log::new(recording, steps);
    let mut recorder = RunRecorder { log: &mut log, writer };
    let outcome = match callback {
        None => uninterrupted(world, steps, dt, &mut recorder)?,
        Some(callback) => with_callback(world, steps, dt, &mut recorder, callback)?,
    };
    if let Some(writer) = recorder.writer {
        py.detach(|| writer.finish()).map_err(raise::recording)?;
    }
    drop(claim);
    let finished = finish(py, world, log, dt);
    match outcome {
        Ok(()) => finished,
        Err(Stop::Record(error)) => Err(raise::recording(error)),
        Err(Stop::Step(error)) => {
            let exception = raise::step(error);
            exception.value(py).setattr("completed", finished?)?;
            Err(exception)
        }
    }
}

/// The class of runs.
static RUN: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn finish<'py>(py: Python<'py>, world: &Bound<'py, World>, log: Log, dt: f64) -> PyResult<Bound<'py, PyAny>> {
    let table = world.get().guarded.with(|world| Ok(log.into_table(world, dt)))?;
    RUN.import(py, "signorini._run", "Run")?.call1((Bound::new(py, table)?,))
}

/// Why a run ended early.
enum Stop {
    Step(StepError),
    Record(RecordError),
}

impl From<StepError> for Stop {
    fn from(error: StepError) -> Self {
        Stop::Step(error)
    }
}

impl From<RecordError> for Stop {
    fn from(error: RecordError) -> Self {
        Stop::Record(error)
    }
}

/// Where the steps are kept: in the table, and in a file if one was asked for.
struct RunRecorder<'a> {
    log: &'a mut Log,
    writer: Option<Writer>,
}

impl RunRecorder<'_> {
    fn keep(&mut self, report: &signorini::StepReport, world: &signorini::World) -> Result<(), RecordError> {
        self.log.push(report, world);
        self.writer.as_mut().map_or(Ok(()), |writer| writer.step(world, report))
    }
}

fn uninterrupted(
    world: &Bound<'_, World>,
    steps: usize,
    dt: f64,
    recorder: &mut RunRecorder<'_>,
) -> PyResult<Result<(), Stop>> {
    let py = world.py();
    world.get().guarded.with(|engine| {
        let mut done = 0;
        while done < steps {
            let batch = || -> Result<(), Stop> {
                let started = Instant::now();
                // Where steps are short the clock is read seldom: it costs as much as keeping a row.
                let (mut looked, mut until_look, mut between_looks) = (started, 1_u32, 1_u32);
                while done < steps {
                    until_look -= 1;
                    if until_look == 0 {
                        let now = Instant::now();
                        if now - started >= PATIENCE {
                            break;
                        }
                        let short = now - looked < PATIENCE / 100;
                        between_looks = if short { (2 * between_looks).min(16) } else { 1 };
                        (looked, until_look) = (now, between_looks);
                    }
                    match engine.step(dt) {
                        // Where it is: moving a report costs as much as keeping its row.
                        Ok(ref report) => recorder.keep(report, engine)?,
                        Err(error) => return Err(error.into()),
                    }
                    done += 1;
                }
                Ok(())
            };
            if let Err(error) = py.detach(|| threads::engine(batch))? {
                return Ok(Err(error));
            }
            py.check_signals()?;
        }
        Ok(Ok(()))
    })
}

fn with_callback(
    world: &Bound<'_, World>,
    steps: usize,
    dt: f64,
    recorder: &mut RunRecorder<'_>,
    callback: &Bound<'_, PyAny>,
) -> PyResult<Result<(), Stop>> {
    let py = world.py();
    let guarded = &world.get().guarded;
    let mut expected = None;
    for _ in 0..steps {
        let stepped = guarded.detached(py, |engine| {
            threads::engine(|| -> Result<_, Stop> {
                let report = engine.step(dt)?;
                let bodies = *expected.get_or_insert(report.counts.bodies);
                let fits = bodies == report.counts.bodies || !recorder.log.keeps_states();
                if fits {
                    recorder.keep(&report, engine)?;
                }
                Ok((report, fits))
            })
        })??;
        let (report, fits) = match stepped {
            Ok(stepped) => stepped,
            Err(error) => return Ok(Err(error)),
        };
        if !fits {
            return Err(PyValueError::new_err("record: the number of bodies may not change while states are kept"));
        }
        let report = guarded.with(|engine| Ok(StepReport::of(engine, report)))?;
        let report = Bound::new(py, report)?;
        let answer = callback.call1((world, report))?;
        py.check_signals()?;
        if answer.is_instance_of::<pyo3::types::PyBool>() && !answer.is_truthy()? {
            break;
        }
    }
    Ok(Ok(()))
}

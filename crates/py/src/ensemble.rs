//! Many independent worlds over all processors.
//!
//! Every worker has a pool of one thread of its own: the islands of a member are solved by the worker that has the
//! member, one after the other. (In one shared pool a worker that waits for an island would begin another member on top
//! of its stack.) Members do not know of each other, so results do not depend on the number of workers.

use crate::argument::numbers;
use crate::body::id_of;
use crate::member::{FINAL, Field, Input, Outcome, Plan, Target};
use crate::robot::Robot;
use crate::run::PATIENCE;
use crate::world::{World, recording_of};
use crate::{member, raise, threads};
use numpy::{IntoPyArray, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use signorini::PartName;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Runs `members` copies of `start`, each with its own inputs. `inputs` are tuples (body, robot or None, field, array), arrays
/// of shape (members, width) or (members, steps, width).
#[pyfunction]
#[pyo3(signature = (start, members, steps, dt, inputs, threads, record, every, progress))]
#[expect(clippy::too_many_arguments, reason = "called by signorini.rollout only, which has the keywords")]
pub fn _rollout<'py>(
    start: &Bound<'py, World>,
    members: usize,
    steps: usize,
    dt: f64,
    inputs: &Bound<'py, PyList>,
    threads: Option<usize>,
    record: Vec<String>,
    every: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = start.py();
    let plan = plan(inputs, members, steps, dt, record, every)?;
    let origin = start.get().guarded.with(|world| {
        check_bodies(&plan, world)?;
        Ok(Mutex::new(world.fork()))
    })?;
    let job = |index: usize, cancelled: &AtomicBool| {
        let mut world = origin.lock().unwrap_or_else(PoisonError::into_inner).fork();
        member::run(&mut world, index, &plan, cancelled)
    };
    let outcomes = drive(py, members, threads, progress, job)?;
    collect(py, &plan, outcomes)
}

/// Advances worlds in place, each with its own inputs.
#[pyfunction]
#[pyo3(signature = (worlds, steps, dt, inputs, threads, record, every, progress))]
#[expect(clippy::too_many_arguments, reason = "called by signorini.advance only, which has the keywords")]
pub fn _advance<'py>(
    py: Python<'py>,
    worlds: Vec<Bound<'py, World>>,
    steps: usize,
    dt: f64,
    inputs: &Bound<'py, PyList>,
    threads: Option<usize>,
    record: Vec<String>,
    every: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let plan = plan(inputs, worlds.len(), steps, dt, record, every)?;
    let guarded: Vec<_> = worlds.iter().map(|world| &world.get().guarded).collect();
    let mut held = Vec::with_capacity(guarded.len());
    for world in &guarded {
        world.check_not_running()?;
        held.push(world.hold()?);
    }
    let bodies = held.first().map_or(0, |world| world.bodies().count());
    for (index, world) in held.iter().enumerate() {
        check_bodies(&plan, world)?;
        let found = world.bodies().count();
        if found != bodies {
            return Err(PyValueError::new_err(format!("worlds[{index}]: {found} bodies, worlds[0] has {bodies}")));
        }
    }
    let slots: Vec<_> = held.iter_mut().map(|world| Mutex::new(&mut **world)).collect();
    let job = |index: usize, cancelled: &AtomicBool| {
        let mut world = slots[index].lock().unwrap_or_else(PoisonError::into_inner);
        member::run(&mut world, index, &plan, cancelled)
    };
    let outcomes = drive(py, worlds.len(), threads, progress, job)?;
    for (world, outcome) in guarded.iter().zip(&outcomes) {
        if outcome.panicked {
            world.close();
        }
    }
    collect(py, &plan, outcomes)
}

fn plan(
    inputs: &Bound<'_, PyList>,
    members: usize,
    steps: usize,
    dt: f64,
    record: Vec<String>,
    every: usize,
) -> PyResult<Plan> {
    let recording = recording_of(Some(record), every)?;
    let mut list = Vec::new();
    for item in inputs {
        let (body, field, array): (Bound<'_, PyAny>, String, Bound<'_, PyAny>) = item.extract()?;
        let (target, name) = if body.is_none() {
            (Target::World, field.clone())
        } else if let Ok(robot) = body.cast::<Robot>() {
            let robot = robot.get().robot.clone();
            let name = format!("{field} of robot '{}'", robot.model().name);
            (Target::Robot(robot), name)
        } else {
            let id = id_of(&body)?;
            let name = format!("{field} of {id}");
            (Target::Body(id), name)
        };
        let kind = Field::parse(&field).and_then(|kind| Some((kind, kind.width(&target)?)));
        let (field, expected) =
            kind.ok_or_else(|| PyValueError::new_err(format!("params: there is no '{field}' to set")))?;
        let array = numbers(&name, &array)?;
        let per_member = match *array.shape() {
            [count, width] if count == members && width == expected => 1,
            [count, times, width] if count == members && times == steps && width == expected => times,
            ref found => {
                let expected = format!("[{members}, {expected}] or [{members}, {steps}, {expected}]");
                return Err(crate::argument::wrong_shape(&name, &expected, found));
            }
        };
        if per_member != 1 && !field.acts_every_step() {
            let why = format!("{name}: only forces, torques and controls may differ from step to step");
            return Err(PyValueError::new_err(why));
        }
        let values = array.as_array().iter().copied().collect();
        list.push(Input { target, field, width: expected, values, steps: per_member });
    }
    Ok(Plan { inputs: list, steps, dt, record: recording.quantities, every: recording.every })
}

fn check_bodies(plan: &Plan, world: &signorini::World) -> PyResult<()> {
    for input in &plan.inputs {
        match &input.target {
            Target::World => {}
            Target::Body(id) if world.find(id.clone()).is_none() => {
                return Err(PyKeyError::new_err(format!("params: there is no {id}")));
            }
            Target::Body(_) => {}
            // Its bodies are found by handles, which only copies of its world share.
            Target::Robot(robot) => drop(robot.q(world).map_err(raise::world)?),
        }
    }
    Ok(())
}

/// Hands members to workers one by one, looks at signals and reports progress meanwhile. A member that panics is a
/// failed member.
fn drive(
    py: Python<'_>,
    members: usize,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    job: impl Fn(usize, &AtomicBool) -> Outcome + Sync,
) -> PyResult<Vec<Outcome>> {
    if threads == Some(0) {
        return Err(PyValueError::new_err("threads: at least 1"));
    }
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = threads.unwrap_or(available).min(members);
    let pools = (0..workers).map(|_| threads::pool(Some(1))).collect::<PyResult<Vec<_>>>()?;
    let cancelled = AtomicBool::new(false);
    let next = AtomicUsize::new(0);
    let mut outcomes = vec![Outcome::default(); members];
    let guarded = |index: usize| {
        catch_unwind(AssertUnwindSafe(|| job(index, &cancelled))).unwrap_or_else(|panic| Outcome {
            error: Some(raise::panic_text(&*panic)),
            panicked: true,
            ..Outcome::default()
        })
    };
    let interrupted = py.detach(|| {
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            for pool in &pools {
                let sender = sender.clone();
                let (next, cancelled, guarded) = (&next, &cancelled, &guarded);
                let work = move || {
                    while !cancelled.load(Ordering::Relaxed) {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= members || sender.send((index, guarded(index))).is_err() {
                            return;
                        }
                    }
                };
                scope.spawn(move || pool.install(work));
            }
            drop(sender);
            let mut done = 0;
            let mut looked = Instant::now();
            loop {
                match receiver.recv_timeout(PATIENCE) {
                    Ok((index, outcome)) => {
                        outcomes[index] = outcome;
                        done += 1;
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return report(done, progress.as_ref()).err(),
                }
                if looked.elapsed() >= PATIENCE {
                    looked = Instant::now();
                    if let Err(error) = report(done, progress.as_ref()) {
                        cancelled.store(true, Ordering::Relaxed);
                        return Some(error);
                    }
                }
            }
        })
    });
    interrupted.map_or(Ok(outcomes), Err)
}

fn report(done: usize, progress: Option<&Py<PyAny>>) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        if let Some(progress) = progress {
            progress.call1(py, (done,))?;
        }
        Ok(())
    })
}

/// Arrays over members.
fn collect<'py>(py: Python<'py>, plan: &Plan, outcomes: Vec<Outcome>) -> PyResult<Bound<'py, PyDict>> {
    let members = outcomes.len();
    let bodies = outcomes.iter().map(|outcome| outcome.states[0].len() / 3).max().unwrap_or(0);
    let result = PyDict::new(py);
    for (index, quantity) in FINAL.into_iter().enumerate() {
        let width = bodies * quantity.columns();
        let mut stacked = Vec::with_capacity(members * width);
        for outcome in &outcomes {
            // A member that panicked has no state.
            let end = stacked.len() + width;
            stacked.extend_from_slice(&outcome.states[index]);
            stacked.resize(end, f64::NAN);
        }
        let array = stacked.into_pyarray(py).reshape([members, bodies, quantity.columns()])?;
        result.set_item(quantity.name(), array)?;
    }
    let recorded = PyDict::new(py);
    let kept = plan.steps / plan.every;
    for (index, quantity) in plan.record.iter().enumerate() {
        let width = kept * bodies * quantity.columns();
        let mut stacked = Vec::with_capacity(members * width);
        for outcome in &outcomes {
            match outcome.recorded.get(index) {
                Some(values) => stacked.extend_from_slice(values),
                None => stacked.resize(stacked.len() + width, f64::NAN),
            }
        }
        let array = stacked.into_pyarray(py).reshape([members, kept, bodies, quantity.columns()])?;
        recorded.set_item(quantity.name(), array)?;
    }
    result.set_item("recorded", recorded)?;
    let floats = |of: fn(&Outcome) -> f64| outcomes.iter().map(of).collect::<Vec<f64>>().into_pyarray(py);
    let counts = |of: fn(&Outcome) -> usize| {
        outcomes.iter().map(|outcome| of(outcome) as i64).collect::<Vec<i64>>().into_pyarray(py)
    };
    result.set_item("residual", floats(|outcome| outcome.residual))?;
    result.set_item("penetration", floats(|outcome| outcome.penetration))?;
    result.set_item("energy", floats(|outcome| outcome.energy))?;
    result.set_item("steps", counts(|outcome| outcome.steps))?;
    result.set_item("degraded", counts(|outcome| outcome.degraded))?;
    result.set_item("contacts", counts(|outcome| outcome.contacts))?;
    result.set_item("hashes", outcomes.iter().map(|outcome| outcome.hash).collect::<Vec<u64>>().into_pyarray(py))?;
    let missed = PyDict::new(py);
    for (part, name) in PartName::ALL.into_iter().enumerate() {
        let counts: Vec<i64> = outcomes.iter().map(|outcome| outcome.missed[part] as i64).collect();
        missed.set_item(name.key(), counts.into_pyarray(py))?;
    }
    result.set_item("missed", missed)?;
    let errors = PyDict::new(py);
    for (index, outcome) in outcomes.iter().enumerate() {
        if let Some(error) = &outcome.error {
            errors.set_item(index, error)?;
        }
    }
    result.set_item("errors", errors)?;
    Ok(result)
}

//! Errors of the engine as exceptions of the package. The classes are written in Python (`signorini/_errors.py`), since
//! most have two bases.

use pyo3::PyErr;
use signorini::{ShapeError, SnapshotError, StepError, WorldError};
use signorini_problem::ProblemError;
use signorini_record::RecordError;
use signorini_solvers::SolveError;
use std::any::Any;

mod class {
    pyo3::import_exception!(signorini._errors, BusyError);
    pyo3::import_exception!(signorini._errors, HandleError);
    pyo3::import_exception!(signorini._errors, InternalError);
    pyo3::import_exception!(signorini._errors, ProblemError);
    pyo3::import_exception!(signorini._errors, RecordingError);
    pyo3::import_exception!(signorini._errors, SceneError);
    pyo3::import_exception!(signorini._errors, ShapeError);
    pyo3::import_exception!(signorini._errors, SnapshotError);
    pyo3::import_exception!(signorini._errors, SolveError);
    pyo3::import_exception!(signorini._errors, StaticsError);
    pyo3::import_exception!(signorini._errors, StepError);
    pyo3::import_exception!(signorini._errors, WorldError);
}

pub fn world(error: WorldError) -> PyErr {
    match error {
        WorldError::StaleHandle { .. } | WorldError::ForeignHandle => class::HandleError::new_err(error.to_string()),
        _ => class::WorldError::new_err(error.to_string()),
    }
}

pub fn step(error: StepError) -> PyErr {
    class::StepError::new_err(error.to_string())
}

pub fn statics(error: signorini::statics::StaticsError) -> PyErr {
    class::StaticsError::new_err(error.to_string())
}

pub fn shape(error: ShapeError) -> PyErr {
    class::ShapeError::new_err(error.to_string())
}

pub fn scene(error: impl ToString) -> PyErr {
    class::SceneError::new_err(error.to_string())
}

pub fn recording(error: RecordError) -> PyErr {
    class::RecordingError::new_err(error.to_string())
}

pub fn recording_text(error: impl ToString) -> PyErr {
    class::RecordingError::new_err(error.to_string())
}

pub fn snapshot(error: SnapshotError) -> PyErr {
    class::SnapshotError::new_err(error.to_string())
}

pub fn problem(error: ProblemError) -> PyErr {
    class::ProblemError::new_err(error.to_string())
}

pub fn problem_text(error: impl ToString) -> PyErr {
    class::ProblemError::new_err(error.to_string())
}

pub fn solve(error: SolveError) -> PyErr {
    class::SolveError::new_err(error.to_string())
}

pub fn busy(why: &'static str) -> PyErr {
    class::BusyError::new_err(why)
}

/// A panic: a bug of the engine, with what it said.
pub fn internal(panic: &(dyn Any + Send)) -> PyErr {
    class::InternalError::new_err(panic_text(panic))
}

/// What a panic said.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let said = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text.as_str(),
        (None, None) => "no message",
    };
    format!("bug in the engine: {said}")
}

pub fn closed() -> PyErr {
    class::InternalError::new_err("an earlier call ended in a bug of the engine: the world refuses further use")
}

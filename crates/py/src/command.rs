//! The command `signorini`, which comes with the package.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command with these arguments, the first of which is its name, and returns its exit code.
#[pyfunction]
pub fn _command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| signorini_cli::command(arguments))
}

//! Values as bytes, for pickling and copying: CBOR, which keeps every bit of a number, infinities included.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use pyo3::{PyClass, PyTypeInfo};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What `__reduce__` returns: the static method `_from_bytes` of the class, and its argument.
pub type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

/// Reduces a value of class `T` to bytes.
pub fn reduce<'py, T: PyClass + PyTypeInfo>(py: Python<'py>, value: &impl Serialize) -> PyResult<Reduced<'py>> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).map_err(|error| PyValueError::new_err(error.to_string()))?;
    rebuild::<T>(py, &bytes)
}

/// As [`reduce`], of bytes that are there already.
pub fn rebuild<'py, T: PyClass + PyTypeInfo>(py: Python<'py>, bytes: &[u8]) -> PyResult<Reduced<'py>> {
    Ok((py.get_type::<T>().getattr("_from_bytes")?, PyTuple::new(py, [PyBytes::new(py, bytes)])?))
}

/// The value of bytes that [`reduce`] made.
pub fn restore<T: DeserializeOwned>(bytes: &[u8]) -> PyResult<T> {
    let refuse = |error: ciborium::de::Error<std::io::Error>| PyValueError::new_err(format!("not a pickle: {error}"));
    ciborium::from_reader(bytes).map_err(refuse)
}

//! Conversion of arguments: anything like numbers becomes numbers; everything else raises an exception that names the
//! argument.

use numpy::ndarray::ArrayViewD;
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use signorini::glamx::{DQuat, DVec3};

fn type_of(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}

pub fn wrong_type(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{name}: expected {expected}, not {}", type_of(value)))
}

pub fn wrong_shape(name: &str, expected: &str, found: &[usize]) -> PyErr {
    PyValueError::new_err(format!("{name}: expected shape {expected}, found {found:?}"))
}

/// An array of real numbers of any shape and any strides.
pub fn numbers<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    if let Ok(array) = value.cast::<PyArrayDyn<f64>>()
        && value.getattr("flags")?.getattr("aligned")?.is_truthy()?
    {
        return borrowed(name, array);
    }
    if value.is_none() {
        return Err(wrong_type(name, "an array of numbers", value));
    }
    let numpy = value.py().import("numpy")?;
    let refuse = |error: PyErr| {
        PyValueError::new_err(format!("{name}: cannot be made an array of numbers: {}", error.value(value.py())))
    };
    let array = numpy.call_method1("asarray", (value,)).map_err(refuse)?;
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "f" | "i" | "u") {
        return Err(PyTypeError::new_err(format!("{name}: expected real numbers, found dtype {dtype}")));
    }
    let options = PyDict::new(value.py());
    options.set_item("dtype", "float64")?;
    options.set_item("order", "C")?;
    options.set_item("copy", true)?;
    let array = numpy.call_method("array", (array,), Some(&options))?;
    borrowed(name, array.cast::<PyArrayDyn<f64>>()?)
}

fn borrowed<'py>(name: &str, array: &Bound<'py, PyArrayDyn<f64>>) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    array.try_readonly().map_err(|error| PyValueError::new_err(format!("{name}: {error}")))
}

/// Non-negative integers of any shape, row by row.
pub fn indices(name: &str, value: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, Vec<u32>)> {
    if value.is_none() {
        return Err(wrong_type(name, "an array of integers", value));
    }
    let numpy = value.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (value,))?;
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "i" | "u") {
        return Err(PyTypeError::new_err(format!("{name}: expected integers, found dtype {dtype}")));
    }
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let out_of_range = |_| PyValueError::new_err(format!("{name}: an index is negative or beyond 2³² − 1"));
    let flat: Vec<i64> = array.call_method0("ravel")?.call_method0("tolist")?.extract().map_err(out_of_range)?;
    let narrow = |index: i64| u32::try_from(index).ok();
    let indices = flat.into_iter().map(narrow).collect::<Option<Vec<u32>>>();
    let indices =
        indices.ok_or_else(|| PyValueError::new_err(format!("{name}: an index is negative or beyond 2³² − 1")))?;
    Ok((shape, indices))
}

/// `N` numbers: a tuple, a list or an array.
pub fn several<const N: usize>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<[f64; N]> {
    if let Ok(tuple) = value.cast::<PyTuple>()
        && let Ok(numbers) = tuple.extract::<[f64; N]>()
    {
        return Ok(numbers);
    }
    if value.is_none() {
        return Err(wrong_type(name, &format!("{N} numbers"), value));
    }
    let array = numbers(name, value)?;
    if array.shape() != [N] {
        return Err(wrong_shape(name, &format!("[{N}]"), array.shape()));
    }
    let mut out = [0.0; N];
    for (out, value) in out.iter_mut().zip(array.as_array()) {
        *out = *value;
    }
    Ok(out)
}

/// A vector of the world.
pub fn vector(name: &str, value: &Bound<'_, PyAny>) -> PyResult<DVec3> {
    several::<3>(name, value).map(DVec3::from_array)
}

/// As [`vector`], with a default.
pub fn vector_or(name: &str, value: Option<&Bound<'_, PyAny>>, default: DVec3) -> PyResult<DVec3> {
    value.map_or(Ok(default), |value| vector(name, value))
}

/// (w, x, y, z).
pub fn quaternion(name: &str, value: &Bound<'_, PyAny>) -> PyResult<DQuat> {
    several::<4>(name, value).map(|[w, x, y, z]| DQuat::from_xyzw(x, y, z, w))
}

/// (w, x, y, z) of a quaternion.
pub fn wxyz(q: DQuat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

/// Rows of `N` numbers.
pub fn rows<const N: usize>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<[f64; N]>> {
    let array = numbers(name, value)?;
    match array.shape() {
        [_, columns] if *columns == N => Ok(in_rows(&array.as_array())),
        found => Err(wrong_shape(name, &format!("[any, {N}]"), found)),
    }
}

fn in_rows<const N: usize>(array: &ArrayViewD<'_, f64>) -> Vec<[f64; N]> {
    let mut rows = vec![[0.0; N]; array.len() / N];
    for (out, value) in rows.as_flattened_mut().iter_mut().zip(array) {
        *out = *value;
    }
    rows
}

/// One number per entry.
pub fn list(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array = numbers(name, value)?;
    match array.shape() {
        [_] => Ok(array.as_array().iter().copied().collect()),
        found => Err(wrong_shape(name, "[any]", found)),
    }
}

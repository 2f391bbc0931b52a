//! Contacts as one structured array of numpy.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyList};
use signorini::{BodyHandle, World};

/// `numpy.dtype` of a contact, packed: two i4 and fourteen f8.
static DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

fn dtype(py: Python<'_>) -> PyResult<&Py<PyAny>> {
    DTYPE.get_or_try_init(py, || {
        let fields = PyList::empty(py);
        fields.append(("a", "<i4"))?;
        fields.append(("b", "<i4"))?;
        fields.append(("point", "<f8", (3,)))?;
        fields.append(("normal", "<f8", (3,)))?;
        fields.append(("gap", "<f8"))?;
        fields.append(("impulse", "<f8", (3,)))?;
        fields.append(("velocity", "<f8", (3,)))?;
        Ok(py.import("numpy")?.call_method1("dtype", (fields,))?.unbind())
    })
}

/// One contact: rows of its bodies, and the numbers in the order of the dtype.
pub struct Row {
    pub bodies: [i32; 2],
    pub point: [f64; 3],
    pub normal: [f64; 3],
    pub gap: f64,
    pub impulse: [f64; 3],
    pub velocity: [f64; 3],
}

/// The structured array.
pub fn array<'py>(py: Python<'py>, rows: impl Iterator<Item = Row>) -> PyResult<Bound<'py, PyAny>> {
    let mut bytes = Vec::with_capacity(rows.size_hint().0 * 112);
    for row in rows {
        row.bodies.iter().for_each(|body| bytes.extend(body.to_le_bytes()));
        let numbers = row.point.into_iter().chain(row.normal).chain([row.gap]).chain(row.impulse).chain(row.velocity);
        numbers.for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    // A byte array is memory of its own that numpy may write to.
    py.import("numpy")?.call_method1("frombuffer", (PyByteArray::new(py, &bytes), dtype(py)?))
}

/// The contacts of a world, with the rows of their bodies in its arrays.
pub fn read<'py>(py: Python<'py>, world: &World) -> PyResult<Bound<'py, PyAny>> {
    let mut ranks: Vec<(BodyHandle, i32)> = (0..).zip(world.bodies()).map(|(rank, (body, _))| (body, rank)).collect();
    ranks.sort_unstable();
    let rank = |body: BodyHandle| match ranks.binary_search_by_key(&body, |(handle, _)| *handle) {
        Ok(at) => ranks[at].1,
        Err(_) => -1,
    };
    let row = |contact: &signorini::ContactPoint| Row {
        bodies: [rank(contact.a), rank(contact.b)],
        point: contact.point.to_array(),
        normal: contact.normal.to_array(),
        gap: contact.gap,
        impulse: contact.impulse.to_array(),
        velocity: contact.velocity.to_array(),
    };
    array(py, world.contacts().iter().map(row))
}

//! Contacts of the last step as one structured array of numpy.

use crate::events::Rows;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyList};
use signorini::World;

/// `numpy.dtype` of a contact, packed: four i4 and fourteen f8.
static DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

fn dtype(py: Python<'_>) -> PyResult<&Py<PyAny>> {
    DTYPE.get_or_try_init(py, || {
        let fields = PyList::empty(py);
        fields.append(("a", "<i4"))?;
        fields.append(("b", "<i4"))?;
        fields.append(("part_a", "<i4"))?;
        fields.append(("part_b", "<i4"))?;
        fields.append(("point", "<f8", (3,)))?;
        fields.append(("normal", "<f8", (3,)))?;
        fields.append(("gap", "<f8"))?;
        fields.append(("impulse", "<f8", (3,)))?;
        fields.append(("velocity", "<f8", (3,)))?;
        fields.append(("approach", "<f8"))?;
        Ok(py.import("numpy")?.call_method1("dtype", (fields,))?.unbind())
    })
}

/// The contacts, with the rows of their bodies in the arrays of the world.
pub fn read<'py>(py: Python<'py>, world: &World) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::of(world);
    let mut bytes = Vec::with_capacity(world.contacts().len() * 128);
    for contact in world.contacts() {
        for body in [contact.a, contact.b] {
            bytes.extend(rows.row(body).to_le_bytes());
        }
        [contact.part_a, contact.part_b].into_iter().for_each(|part| bytes.extend(part.to_le_bytes()));
        let vectors = [contact.point, contact.normal].into_iter().flat_map(|v| v.to_array());
        let rest = [contact.impulse, contact.velocity].into_iter().flat_map(|v| v.to_array());
        for value in vectors.chain([contact.gap]).chain(rest).chain([contact.approach]) {
            bytes.extend(value.to_le_bytes());
        }
    }
    // A byte array is memory of its own that numpy may write to.
    py.import("numpy")?.call_method1("frombuffer", (PyByteArray::new(py, &bytes), dtype(py)?))
}

//! Contacts of the last step as one structured array of numpy.

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

/// The contacts, with the rows of their bodies in the arrays of the world.
pub fn read<'py>(py: Python<'py>, world: &World) -> PyResult<Bound<'py, PyAny>> {
    let mut ranks: Vec<(BodyHandle, i32)> = (0..).zip(world.bodies()).map(|(rank, (body, _))| (body, rank)).collect();
    ranks.sort_unstable();
    let rank = |body: BodyHandle| match ranks.binary_search_by_key(&body, |(handle, _)| *handle) {
        Ok(at) => ranks[at].1,
        Err(_) => -1,
    };
    let mut bytes = Vec::with_capacity(world.contacts().len() * 112);
    for contact in world.contacts() {
        for body in [contact.a, contact.b] {
            bytes.extend(rank(body).to_le_bytes());
        }
        let vectors = [contact.point, contact.normal].into_iter().flat_map(|v| v.to_array());
        let rest = [contact.impulse, contact.velocity].into_iter().flat_map(|v| v.to_array());
        for value in vectors.chain([contact.gap]).chain(rest) {
            bytes.extend(value.to_le_bytes());
        }
    }
    // A byte array is memory of its own that numpy may write to.
    py.import("numpy")?.call_method1("frombuffer", (PyByteArray::new(py, &bytes), dtype(py)?))
}

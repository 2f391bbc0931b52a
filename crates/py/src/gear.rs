//! Gears: one equation between coordinates of joints.

use crate::body::Joint;
use crate::raise;
use crate::world::World;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use signorini::{GearHandle, JointHandle, Misfit, WorldError};

/// A coordinate of a joint and its factor: `(joint, factor)` or `(joint, coordinate, factor)`.
#[derive(FromPyObject)]
pub enum Term<'py> {
    /// With the coordinate.
    Full((Bound<'py, Joint>, usize, f64)),
    /// Of the first coordinate.
    Short((Bound<'py, Joint>, f64)),
}

/// Makes a gear and adds it to a world.
pub fn add(
    world: &Bound<'_, World>,
    terms: Vec<(Bound<'_, Joint>, usize, f64)>,
    offset: f64,
    corrected: bool,
) -> PyResult<Gear> {
    let handle = |(joint, coordinate, factor): (Bound<'_, Joint>, usize, f64)| (joint.get().handle, coordinate, factor);
    let misfit = if corrected { Misfit::Corrected } else { Misfit::Refused };
    let gear = signorini::Gear::sum(terms.into_iter().map(handle)).offset(offset).misfit(misfit);
    let handle = world.get().guarded.with(|world| world.add_gear(gear).map_err(raise::world))?;
    Ok(Gear { world: world.clone().unbind(), handle })
}

/// The same of terms as Python gives them.
pub fn add_terms(world: &Bound<'_, World>, terms: &Bound<'_, PyAny>, offset: f64, corrected: bool) -> PyResult<Gear> {
    let mut all = Vec::new();
    for (index, term) in terms.try_iter()?.enumerate() {
        let wrong = |_| {
            let what = format!("terms[{index}]: expected (joint, factor) or (joint, coordinate, factor)");
            PyTypeError::new_err(what)
        };
        all.push(match term?.extract::<Term<'_>>().map_err(wrong)? {
            Term::Full(term) => term,
            Term::Short((joint, factor)) => (joint, 0, factor),
        });
    }
    add(world, all, offset, corrected)
}

/// A gear of a world: the sum of its coordinates, each times its factor, is the offset.
#[pyclass(module = "signorini", frozen)]
pub struct Gear {
    pub world: Py<World>,
    pub handle: GearHandle,
}

#[pymethods]
impl Gear {
    /// Whether it is still part of its world: it is removed with the first of its joints that is removed.
    #[getter]
    fn alive(&self, py: Python<'_>) -> PyResult<bool> {
        self.world.bind(py).get().guarded.with(|world| Ok(world.gear(self.handle).is_ok()))
    }
    /// Its coordinates: joint, which of its free coordinates, factor.
    #[getter]
    fn terms(&self, py: Python<'_>) -> PyResult<Vec<(Joint, usize, f64)>> {
        let joint = |handle: JointHandle| Joint { world: self.world.clone_ref(py), handle };
        let gear = self.with(py, |world| world.gear(self.handle))?;
        Ok(gear.terms.iter().map(|term| (joint(term.joint), term.coordinate, term.factor)).collect())
    }
    /// Prescribed sum [m, rad].
    #[getter]
    fn offset(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.with(py, |world| world.gear(self.handle))?.offset)
    }
    /// Current error of the coordinate with the largest factor [m, rad].
    #[getter]
    fn error(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |world| world.gear_error(self.handle))
    }
    /// Takes it out of its world; the joints stay.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |world| world.remove_gear(self.handle))
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let gear = self.world.bind(py).get().guarded.with(|world| Ok(world.gear(self.handle)))?;
        Ok(gear
            .map_or_else(|_| "<removed gear>".to_owned(), |gear| format!("<gear of {} coordinates>", gear.terms.len())))
    }
}

impl Gear {
    fn with<T>(&self, py: Python<'_>, ask: impl FnOnce(&mut signorini::World) -> Result<T, WorldError>) -> PyResult<T> {
        self.world.bind(py).get().guarded.with(|world| ask(world).map_err(raise::world))
    }
}

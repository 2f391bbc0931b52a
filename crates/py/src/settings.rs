//! Settings of a world.

use crate::argument::{several, vector, wrong_type};
use crate::raise;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyTuple};
use signorini::glamx::DVec3;
use signorini::scene::BudgetDescription;
use signorini::{ImpactLaw, Sleeping};

/// How overlap is taken out. Made by the static methods.
///
/// >>> from signorini import Stabilisation
/// >>> Stabilisation.split_impulse(fraction=0.1)
/// Stabilisation.split_impulse(fraction=0.1, slop=0.0001, cap=0.05)
#[pyclass(module = "signorini", frozen, eq, from_py_object)]
#[derive(Clone, Copy, PartialEq)]
pub struct Stabilisation(pub signorini::Stabilisation);

#[pymethods]
impl Stabilisation {
    /// Not at all.
    #[staticmethod]
    fn none() -> Self {
        Stabilisation(signorini::Stabilisation::None)
    }

    /// Poses are moved by `fraction` of the overlap beyond `slop` [m] per step, at most `cap` [m]; velocities stay bit
    /// for bit as they are.
    #[staticmethod]
    #[pyo3(signature = (fraction=0.2, slop=1e-4, cap=0.05))]
    fn split_impulse(fraction: f64, slop: f64, cap: f64) -> Self {
        Stabilisation(signorini::Stabilisation::SplitImpulse { fraction, slop, cap })
    }

    /// `fraction` of the overlap per step is added to the separating velocity: the classical way, which puts in energy.
    #[staticmethod]
    #[pyo3(signature = (fraction=0.2))]
    fn velocity_bias(fraction: f64) -> Self {
        Stabilisation(signorini::Stabilisation::VelocityBias { fraction })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class = py.get_type::<Stabilisation>();
        Ok(match self.0 {
            signorini::Stabilisation::SplitImpulse { fraction, slop, cap } => {
                (class.getattr("split_impulse")?, PyTuple::new(py, [fraction, slop, cap])?)
            }
            signorini::Stabilisation::VelocityBias { fraction } => {
                (class.getattr("velocity_bias")?, PyTuple::new(py, [fraction])?)
            }
            _ => (class.getattr("none")?, PyTuple::empty(py)),
        })
    }

    fn __repr__(&self) -> String {
        match self.0 {
            signorini::Stabilisation::None => "Stabilisation.none()".to_owned(),
            signorini::Stabilisation::SplitImpulse { fraction, slop, cap } => {
                format!("Stabilisation.split_impulse(fraction={fraction}, slop={slop}, cap={cap})")
            }
            signorini::Stabilisation::VelocityBias { fraction } => {
                format!("Stabilisation.velocity_bias(fraction={fraction})")
            }
            _ => "Stabilisation".to_owned(),
        }
    }
}

/// False, True for usual values, or (speed, angular speed, time).
fn sleeping_of(value: &Bound<'_, PyAny>) -> PyResult<Sleeping> {
    if let Ok(on) = value.cast::<PyBool>() {
        return Ok(if on.is_true() { Sleeping::islands() } else { Sleeping::Off });
    }
    let [speed, angular_speed, time] = several::<3>("sleeping", value)?;
    Ok(Sleeping::Islands { speed, angular_speed, time })
}

/// A number of factorizations, or a name.
fn budget_of(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if let Ok(count) = value.extract::<usize>() {
        return Ok(Some(count));
    }
    let text: String = value
        .extract()
        .map_err(|_| PyValueError::new_err("budget: a number of factorizations, or a name such as 'balanced'"))?;
    let budget: BudgetDescription =
        text.parse().map_err(|error: String| PyValueError::new_err(format!("budget: {error}")))?;
    Ok(budget.factorizations())
}

/// What holds for a whole world. `budget` is a number of factorizations per island and step, or `"real-time"`,
/// `"balanced"`, `"thorough"`, `"unlimited"`. `sleeping` is False, True for usual values, or (speed [m/s], angular speed [rad/s], time [s]).
///
/// >>> from signorini import Settings
/// >>> moon = Settings(gravity=(0, 0, -1.62))
/// >>> moon.replace(method="nsgs").method
/// 'nsgs'
#[pyclass(module = "signorini", frozen, eq)]
#[derive(Clone, Copy, PartialEq)]
pub struct Settings(pub signorini::Settings);

#[pymethods]
impl Settings {
    #[new]
    #[pyo3(signature = (**settings), text_signature = "(*, gravity=None, method=None, tolerance=None, accept=None, \
        budget=None, max_iterations=None, rest_speed=None, stabilisation=None, joint_correction=None, margin=None, \
        max_contacts=None, sleeping=None, impact=None)")]
    fn new(settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        changed(signorini::Settings::default(), "Settings", settings).map(Settings)
    }

    /// The same settings with some changed; takes the keywords of the constructor.
    #[pyo3(signature = (**settings), text_signature = "($self, *, gravity=None, method=None, tolerance=None, accept=None, \
        budget=None, max_iterations=None, rest_speed=None, stabilisation=None, joint_correction=None, margin=None, \
        max_contacts=None, sleeping=None, impact=None)")]
    fn replace(&self, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        changed(self.0, "replace", settings).map(Settings)
    }

    /// Acceleration of free fall [m/s²].
    #[getter]
    fn gravity(&self) -> [f64; 3] {
        self.0.gravity.to_array()
    }
    /// Name of the method that solves contact; see `signorini.methods()`.
    #[getter]
    fn method(&self) -> &'static str {
        self.0.method.name()
    }
    /// Largest error of a certified step [m/s], relative to the speed of approach where that is above 1 m/s.
    #[getter]
    fn accept(&self) -> f64 {
        self.0.accept
    }
    /// Most work per island and step in factorizations; None is without limit.
    #[getter]
    fn budget(&self) -> Option<usize> {
        self.0.budget
    }
    /// Error that is aimed at while that is cheap [m/s], relative to the speed of approach where that is above 1 m/s.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.0.stop.tolerance.value
    }
    /// Most iterations of the method, in its own unit; None is the method's default.
    #[getter]
    fn max_iterations(&self) -> Option<usize> {
        self.0.stop.max_iterations
    }
    /// Approach speed below which nothing bounces [m/s].
    #[getter]
    fn rest_speed(&self) -> f64 {
        self.0.rest_speed
    }
    /// How overlap is taken out.
    #[getter]
    fn stabilisation(&self) -> Stabilisation {
        Stabilisation(self.0.stabilisation)
    }
    /// Fraction of a joint's position error taken out per step.
    #[getter]
    fn joint_correction(&self) -> f64 {
        self.0.joint_correction
    }
    /// Distance within which slow shapes are already looked at [m].
    #[getter]
    fn margin(&self) -> f64 {
        self.0.margin
    }
    /// Most contact points; more are an error, none is dropped.
    #[getter]
    fn max_contacts(&self) -> usize {
        self.0.max_contacts
    }

    /// None if bodies at rest never sleep; else the speed [m/s], the angular speed [rad/s] and the time [s] below and after which
    /// islands do.
    #[getter]
    fn sleeping(&self) -> Option<(f64, f64, f64)> {
        match self.0.sleeping {
            Sleeping::Islands { speed, angular_speed, time } => Some((speed, angular_speed, time)),
            _ => None,
        }
    }
    /// What happens when several contacts bounce at once: "newton" (all at once) or "sequential" (passed on, as in
    /// Newton's cradle).
    #[getter]
    fn impact(&self) -> &'static str {
        match self.0.impact {
            ImpactLaw::Sequential { .. } => "sequential",
            _ => "newton",
        }
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((), Bound<'py, PyDict>)> {
        let all = PyDict::new(py);
        all.set_item("gravity", self.gravity())?;
        all.set_item("method", self.method())?;
        all.set_item("tolerance", self.tolerance())?;
        all.set_item("accept", self.accept())?;
        match self.budget() {
            Some(count) => all.set_item("budget", count)?,
            None => all.set_item("budget", "unlimited")?,
        }
        all.set_item("max_iterations", self.max_iterations())?;
        all.set_item("rest_speed", self.rest_speed())?;
        all.set_item("stabilisation", self.stabilisation())?;
        all.set_item("joint_correction", self.joint_correction())?;
        all.set_item("margin", self.margin())?;
        all.set_item("max_contacts", self.max_contacts())?;
        match self.sleeping() {
            Some(limits) => all.set_item("sleeping", limits)?,
            None => all.set_item("sleeping", false)?,
        }
        all.set_item("impact", self.impact())?;
        Ok(((), all))
    }

    fn __repr__(&self) -> String {
        let DVec3 { x, y, z } = self.0.gravity;
        let (method, tolerance) = (self.method(), self.tolerance());
        format!("Settings(gravity=({x}, {y}, {z}), method='{method}', tolerance={tolerance:e})")
    }
}

/// The settings of a world: those given, changed by keywords.
pub fn settings_of(
    settings: Option<&Bound<'_, Settings>>,
    overrides: Option<&Bound<'_, PyDict>>,
) -> PyResult<signorini::Settings> {
    changed(settings.map_or_else(signorini::Settings::default, |settings| settings.get().0), "World", overrides)
}

/// Settings changed by keywords; None changes nothing. `caller` is named if a keyword is unknown.
fn changed(
    mut settings: signorini::Settings,
    caller: &str,
    changes: Option<&Bound<'_, PyDict>>,
) -> PyResult<signorini::Settings> {
    for (name, value) in changes.into_iter().flatten() {
        let name: String = name.extract()?;
        if value.is_none() && KEYWORDS.contains(&name.as_str()) {
            continue;
        }
        let wrong = |expected: &str| wrong_type(&name, expected, &value);
        let number = || value.extract::<f64>().map_err(|_| wrong("a number"));
        let count = || value.extract::<usize>().map_err(|_| wrong("a whole number, zero or more"));
        let text = || value.extract::<String>().map_err(|_| wrong("a text"));
        match name.as_str() {
            "gravity" => settings.gravity = vector(&name, &value)?,
            "method" => {
                let method = text()?.parse();
                settings.method = method.map_err(|error| PyValueError::new_err(format!("method: {error}")))?;
            }
            "tolerance" => settings.stop.tolerance = signorini::Tolerance::velocity(number()?),
            "accept" => settings.accept = number()?,
            "budget" => settings.budget = budget_of(&value)?,
            "max_iterations" => settings.stop.max_iterations = Some(count()?),
            "rest_speed" => settings.rest_speed = number()?,
            "stabilisation" => {
                let chosen = value.extract::<Stabilisation>();
                settings.stabilisation = chosen.map_err(|_| wrong("a Stabilisation"))?.0;
            }
            "joint_correction" => settings.joint_correction = number()?,
            "margin" => settings.margin = number()?,
            "max_contacts" => settings.max_contacts = count()?,
            "sleeping" => settings.sleeping = sleeping_of(&value)?,
            "impact" => {
                settings.impact = match text()?.as_str() {
                    "newton" => ImpactLaw::Newton,
                    "sequential" => ImpactLaw::sequential(),
                    other => {
                        return Err(PyValueError::new_err(format!("impact: '{other}' is none of newton, sequential")));
                    }
                }
            }
            _ => {
                let hint = match name.as_str() {
                    "timestep" | "time_step" | "dt" | "step" => "; time steps are given to step(dt) and run(steps, dt)",
                    _ => "",
                };
                let known = KEYWORDS.join(", ");
                let why =
                    format!("{caller}() got an unexpected keyword argument '{name}'{hint}; it takes settings, {known}");
                return Err(PyTypeError::new_err(why));
            }
        }
    }
    // The world knows what is allowed; an empty one costs nothing.
    signorini::World::new(settings).map_err(raise::world)?;
    Ok(settings)
}

/// The keywords of [`Settings`]; a test compares them with its signature.
const KEYWORDS: [&str; 13] = [
    "gravity",
    "method",
    "tolerance",
    "accept",
    "budget",
    "max_iterations",
    "rest_speed",
    "stabilisation",
    "joint_correction",
    "margin",
    "max_contacts",
    "sleeping",
    "impact",
];

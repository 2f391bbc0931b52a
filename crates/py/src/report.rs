//! The report of a step.

use crate::certificate::{CertificatePart, PlaceNames, StepCertificate, place_names};
use crate::pickled::{self, Reduced};
use pyo3::prelude::*;
use serde::Serialize;
use signorini_problem::Tolerance;

/// A serialisable value as a dictionary of Python.
pub(crate) fn dictionary<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).map_err(crate::raise::scene)?;
    py.import("json")?.call_method1("loads", (text,))
}

/// How far impulses are from solving a contact problem, computed from the problem and the impulses alone. All residuals
/// are zero for an exact solution; `natural` is the main one.
#[pyclass(module = "signorini", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct Certificate(pub signorini_problem::Certificate);

#[pymethods]
impl Certificate {
    /// Largest natural map of any block [m/s]: the error that decides.
    #[getter]
    fn natural(&self) -> f64 {
        self.0.natural
    }
    /// The block that has it.
    #[getter]
    fn worst_block(&self) -> Option<usize> {
        self.0.worst_block
    }
    /// Largest natural map of a block over 1 m/s, or over the largest abs(q) of its own rows [m/s over m/s].
    #[getter]
    fn scaled(&self) -> f64 {
        self.0.scaled
    }
    /// 2-norm of the natural map over that of q.
    #[getter]
    fn natural_rel(&self) -> f64 {
        self.0.natural_rel
    }
    /// Largest violation of Signorini's condition by itself, |min(w r_N, u_N)| [m/s].
    #[getter]
    fn normal(&self) -> f64 {
        self.0.normal
    }
    /// The error of FCLIB and Siconos, for comparison; mixes units.
    #[getter]
    fn fclib_error(&self) -> f64 {
        self.0.fclib_error
    }
    /// Largest approach speed left [m/s].
    #[getter]
    fn penetration_rate(&self) -> f64 {
        self.0.penetration_rate
    }
    /// Largest speed of a joint row [m/s].
    #[getter]
    fn joint_rate(&self) -> f64 {
        self.0.joint_rate
    }
    /// Largest adhesive impulse [N·s].
    #[getter]
    fn pull(&self) -> f64 {
        self.0.pull
    }
    /// Largest distance outside a cone or interval [N·s].
    #[getter]
    fn outside_cone(&self) -> f64 {
        self.0.outside_cone
    }
    /// Largest |r_N u_N| [J].
    #[getter]
    fn signorini(&self) -> f64 {
        self.0.signorini
    }
    /// Largest |μ r_N |u_T| + r_T·u_T| [J]: zero iff friction dissipates as much as it may.
    #[getter]
    fn dissipation_defect(&self) -> f64 {
        self.0.dissipation_defect
    }
    /// Slip speed of contacts strictly inside their cone [m/s].
    #[getter]
    fn creep(&self) -> f64 {
        self.0.creep
    }
    /// Round-off of one evaluation of u [m/s]: nothing smaller can be seen.
    #[getter]
    fn floor(&self) -> f64 {
        self.0.floor
    }
    /// Largest |q| [m/s]: the scale of the problem.
    #[getter]
    fn speed(&self) -> f64 {
        self.0.speed
    }
    /// Blocks by state: open, slip, stick, joint, free, bound.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.0.counts)
    }

    /// Whether this proves the answer to a tolerance: `natural ≤ tolerance·max(1 m/s, speed)`, or with
    /// `relative=True` the dimensionless errors against it.
    #[pyo3(signature = (tolerance=1e-9, *, relative=false))]
    fn meets(&self, tolerance: f64, relative: bool) -> bool {
        self.0.meets(&if relative { Tolerance::relative(tolerance) } else { Tolerance::velocity(tolerance) })
    }

    /// All fields.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.0)
    }

    #[staticmethod]
    fn _from_bytes(data: &[u8]) -> PyResult<Self> {
        pickled::restore(data).map(Certificate)
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::reduce::<Self>(py, &self.0)
    }
    /// A table, for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("signorini._html")?.call_method1("certificate", (slf,))
    }
    fn __repr__(&self) -> String {
        let counts = self.0.counts;
        format!(
            "Certificate(natural={:.3e} m/s, normal={:.3e} m/s, open={}, slip={}, stick={})",
            self.0.natural, self.0.normal, counts.open, counts.slip, counts.stick
        )
    }
}

/// Four digits of a number, without an exponent where it would only be in the way.
pub fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if (1e-3..1e6).contains(&size) => format!("{value:.4}"),
        _ => format!("{value:.3e}"),
    }
}

/// Energy of a world [J].
#[pyclass(module = "signorini", frozen, eq)]
#[derive(Clone, Copy, PartialEq)]
pub struct Energy(pub signorini::Energy);

#[pymethods]
impl Energy {
    /// ½ m|v|² [J].
    #[getter]
    fn linear(&self) -> f64 {
        self.0.linear
    }
    /// ½ ω·Iω [J].
    #[getter]
    fn rotational(&self) -> f64 {
        self.0.rotational
    }
    /// −m g·x [J], zero at the origin.
    #[getter]
    fn potential(&self) -> f64 {
        self.0.potential
    }
    /// Linear and rotational together [J].
    #[getter]
    fn kinetic(&self) -> f64 {
        self.0.kinetic()
    }
    /// All together [J].
    #[getter]
    fn total(&self) -> f64 {
        self.0.total()
    }
    #[staticmethod]
    fn _from_bytes(data: &[u8]) -> PyResult<Self> {
        pickled::restore(data).map(Energy)
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::reduce::<Self>(py, &self.0)
    }
    fn __repr__(&self) -> String {
        format!("Energy(kinetic={:.6} J, potential={:.6} J)", self.0.kinetic(), self.0.potential)
    }
}

/// Where the energy of a step went. Every entry has its own formula; `closure` is the difference between their sum and
/// the change of energy.
#[pyclass(module = "signorini", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct EnergyLedger(pub signorini::EnergyLedger);

#[pymethods]
impl EnergyLedger {
    /// Before the step.
    #[getter]
    fn before(&self) -> Energy {
        Energy(self.0.before)
    }
    /// After the step.
    #[getter]
    fn after(&self) -> Energy {
        Energy(self.0.after)
    }
    /// Work of applied forces and torques [J].
    #[getter]
    fn external(&self) -> f64 {
        self.0.external
    }
    /// Work of normal impulses [J].
    #[getter]
    fn normal(&self) -> f64 {
        self.0.normal
    }
    /// Work of friction [J].
    #[getter]
    fn friction(&self) -> f64 {
        self.0.friction
    }
    /// Work of locked coordinates and limits of joints [J].
    #[getter]
    fn joints(&self) -> f64 {
        self.0.joints
    }
    /// Work of motors, servos and given forces of joints [J].
    #[getter]
    fn motor(&self) -> f64 {
        self.0.motor
    }
    /// Work of springs, dampers and rotors of joints [J].
    #[getter]
    fn spring(&self) -> f64 {
        self.0.spring
    }
    /// Work that kinematic bodies did on the others [J].
    #[getter]
    fn driven(&self) -> f64 {
        self.0.driven
    }
    /// Energy error of the first-order integrator of bodies in contact [J].
    #[getter]
    fn integration(&self) -> f64 {
        self.0.integration
    }
    /// Energy that contacts take from the motion by forces alone [J]; not part of the sum.
    #[getter]
    fn against_free_motion(&self) -> f64 {
        self.0.against_free_motion
    }
    /// Energy added by the correction of overlap and drift [J].
    #[getter]
    fn stabilisation(&self) -> f64 {
        self.0.stabilisation
    }
    /// Minus the kinetic energy of bodies when they came to rest, fell asleep or were quarantined [J].
    #[getter]
    fn stopped(&self) -> f64 {
        self.0.stopped
    }
    /// Change of energy that no entry explains [J]: round-off, or a bug.
    #[getter]
    fn closure(&self) -> f64 {
        self.0.closure()
    }
    /// Largest energy or work in the ledger [J].
    #[getter]
    fn scale(&self) -> f64 {
        self.0.scale()
    }
    /// All entries.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.0)
    }
    #[staticmethod]
    fn _from_bytes(data: &[u8]) -> PyResult<Self> {
        pickled::restore(data).map(EnergyLedger)
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::reduce::<Self>(py, &self.0)
    }
    fn __repr__(&self) -> String {
        let change = self.0.after.total() - self.0.before.total();
        format!("EnergyLedger(change={} J, closure={:.1e} J)", short(change), self.0.closure())
    }
}

/// Report of a step.
#[pyclass(module = "signorini", frozen)]
pub struct StepReport {
    pub report: signorini::StepReport,
    pub tolerance: f64,
    pub names: PlaceNames,
}

impl StepReport {
    /// Of the step that the world has just taken.
    pub fn of(world: &signorini::World, report: signorini::StepReport) -> Self {
        let names = place_names(world, &report.certificate);
        StepReport { report, tolerance: world.settings().accepted().value, names }
    }
}

#[pymethods]
impl StepReport {
    /// "certified" if every part of the certificate meets its bound, else "degraded".
    #[getter]
    fn status(&self) -> &'static str {
        if self.certified() { "certified" } else { "degraded" }
    }
    /// Whether every part of the certificate meets its bound.
    #[getter]
    fn certified(&self) -> bool {
        self.report.status == signorini::StepStatus::Certified
    }
    /// The certificate of the whole step, part by part.
    #[getter]
    fn certificate(&self) -> StepCertificate {
        StepCertificate { certificate: self.report.certificate, names: self.names.clone() }
    }
    /// The parts of the certificate that miss their bounds.
    #[getter]
    fn misses(&self) -> Vec<CertificatePart> {
        self.certificate().misses()
    }
    /// Certificate of the contact problem with the largest error; None if nothing touched.
    #[getter]
    fn velocity(&self) -> Option<Certificate> {
        self.report.velocity.map(Certificate)
    }
    /// Largest error at any contact [m/s]; 0 if nothing touched.
    #[getter]
    fn residual(&self) -> f64 {
        self.report.velocity.map_or(0.0, |certificate| certificate.natural)
    }
    /// Tolerance that was asked for [m/s].
    #[getter]
    fn tolerance(&self) -> f64 {
        self.tolerance
    }
    /// Deepest overlap at the start of the step [m].
    #[getter]
    fn penetration(&self) -> f64 {
        self.report.penetration
    }
    /// Least factor by which restitution was scaled down to keep contact from making energy; 1 if none.
    #[getter]
    fn restitution_scale(&self) -> f64 {
        self.report.restitution_scale
    }
    /// Contact points.
    #[getter]
    fn contacts(&self) -> usize {
        self.report.counts.contacts
    }
    /// Bodies, pairs, contacts, impacts, joints, islands, quarantined, curtailed, sleeping, corrected, unproved, solves,
    /// pieces, divided, missed, and contacts by state.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.report.counts)
    }
    /// Work of the solvers: iterations, factorizations, set changes, active blocks, indeterminacy.
    #[getter]
    fn effort<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.report.effort)
    }
    /// The energy ledger.
    #[getter]
    fn energy(&self) -> EnergyLedger {
        EnergyLedger(self.report.energy)
    }
    /// Wall time of the stages [s].
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.report.times)
    }
    /// Everything.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.report)
    }
    /// Draws every part over its bound, the errors of the contact problem and the energy ledger; needs matplotlib. Returns the figure.
    #[pyo3(signature = (*, show=false))]
    fn plot<'py>(slf: &Bound<'py, Self>, show: bool) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("signorini._plot")?.call_method1("plot_report", (slf, show))
    }
    #[staticmethod]
    fn _from_bytes(data: &[u8]) -> PyResult<Self> {
        let (report, tolerance, names) = pickled::restore(data)?;
        Ok(StepReport { report, tolerance, names })
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::reduce::<Self>(py, &(&self.report, self.tolerance, &self.names))
    }
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<StepReport>().is_ok_and(|other| {
            let other = other.get();
            (&self.report, self.tolerance, &self.names) == (&other.report, other.tolerance, &other.names)
        })
    }
    /// The certificate and the energy ledger as tables, for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("signorini._html")?.call_method1("report", (slf,))
    }
    fn __repr__(&self) -> String {
        let contacts = self.report.counts.contacts;
        format!("StepReport({}, residual={:.1e} m/s, contacts={contacts})", self.status(), self.residual())
    }
}

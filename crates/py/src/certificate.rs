//! The certificate of a whole step, part by part.

use crate::pickled::{self, Reduced};
use crate::report::{dictionary, short};
use pyo3::prelude::*;
use signorini::{Part, PartName, World};

/// Labels of the bodies at the worst places, in the order of [`PartName::ALL`].
pub type PlaceNames = Vec<Vec<String>>;

/// Looks up the bodies of a certificate in the world that has just made the step.
pub fn place_names(world: &World, certificate: &signorini::StepCertificate) -> PlaceNames {
    PartName::ALL.into_iter().map(|name| world.names_at(&certificate.part(name).place)).collect()
}

/// One part of a step's certificate: the measured value, its bound, and where it is worst.
#[pyclass(module = "signorini", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct CertificatePart {
    name: PartName,
    part: Part,
    bodies: Vec<String>,
}

#[pymethods]
impl CertificatePart {
    /// Which part: "velocity", "overlap", "joint_gap", "joint_turn", "closure", "energy_rise", "momentum", "stages".
    #[getter]
    fn name(&self) -> &'static str {
        self.name.key()
    }
    /// The measured value, in `unit`.
    #[getter]
    fn value(&self) -> f64 {
        self.part.value
    }
    /// The bound.
    #[getter]
    fn bound(&self) -> f64 {
        self.part.bound
    }
    /// Unit of value and bound; empty for shares and counts.
    #[getter]
    fn unit(&self) -> &'static str {
        self.name.unit()
    }
    /// Whether the bound holds.
    #[getter]
    fn met(&self) -> bool {
        self.part.is_met()
    }
    /// Labels of the bodies where it is worst; the second end of a joint may be "the world".
    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.bodies.clone()
    }
    /// The joint where it is worst, counted in the order of bodies; None if it is none.
    #[getter]
    fn joint(&self) -> Option<u32> {
        self.part.place.joint
    }
    #[staticmethod]
    fn _from_bytes(data: &[u8]) -> PyResult<Self> {
        let (name, part, bodies) = pickled::restore(data)?;
        Ok(CertificatePart { name, part, bodies })
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::reduce::<Self>(py, &(self.name, self.part, &self.bodies))
    }
    fn __repr__(&self) -> String {
        let (name, unit) = (self.name.key(), self.name.unit());
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let verdict = if self.met() { "met" } else { "missed" };
        let bodies = if self.bodies.is_empty() { String::new() } else { format!(", {}", self.bodies.join(" and ")) };
        let (value, bound) = (short(self.value()), short(self.bound()));
        format!("CertificatePart({name} {value}{unit} of {bound}{unit}, {verdict}{bodies})")
    }
}

/// The certificate of a step: velocities, end poses, joints, energy, momentum and stages that were cut short. Each part
/// is computed from the states before and after the step by code that the step does not use.
#[pyclass(module = "signorini", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct StepCertificate {
    pub certificate: signorini::StepCertificate,
    pub names: PlaceNames,
}

impl StepCertificate {
    fn part(&self, name: PartName) -> CertificatePart {
        let bodies = PartName::ALL.iter().zip(&self.names).find(|(other, _)| **other == name);
        let bodies = bodies.map_or_else(Vec::new, |(_, bodies)| bodies.clone());
        CertificatePart { name, part: *self.certificate.part(name), bodies }
    }
}

#[pymethods]
impl StepCertificate {
    /// Residual of the contact problems over their scale [m/s].
    #[getter]
    fn velocity(&self) -> CertificatePart {
        self.part(PartName::Velocity)
    }
    /// Deepest overlap at the end poses that did not exist before the step [m].
    #[getter]
    fn overlap(&self) -> CertificatePart {
        self.part(PartName::Overlap)
    }
    /// Largest position error of a joint at the end poses [m].
    #[getter]
    fn joint_gap(&self) -> CertificatePart {
        self.part(PartName::JointGap)
    }
    /// Largest rotation error of a joint at the end poses [rad].
    #[getter]
    fn joint_turn(&self) -> CertificatePart {
        self.part(PartName::JointTurn)
    }
    /// Defect of the energy ledger over the energy exchanged.
    #[getter]
    fn closure(&self) -> CertificatePart {
        self.part(PartName::Closure)
    }
    /// Rise of the energy that neither external nor driven work explains, over the energy exchanged.
    #[getter]
    fn energy_rise(&self) -> CertificatePart {
        self.part(PartName::EnergyRise)
    }
    /// Defect of momentum of a body over the impulses on it.
    #[getter]
    fn momentum(&self) -> CertificatePart {
        self.part(PartName::Momentum)
    }
    /// Bodies and pieces of motion that were cut short.
    #[getter]
    fn stages(&self) -> CertificatePart {
        self.part(PartName::Stages)
    }
    /// Whether every part meets its bound.
    #[getter]
    fn met(&self) -> bool {
        self.certificate.is_met()
    }
    /// All parts.
    #[getter]
    fn parts(&self) -> Vec<CertificatePart> {
        PartName::ALL.into_iter().map(|name| self.part(name)).collect()
    }
    /// The parts that miss their bounds.
    #[getter]
    pub fn misses(&self) -> Vec<CertificatePart> {
        self.certificate.misses().map(|(name, _)| self.part(name)).collect()
    }
    /// All fields.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.certificate)
    }
    #[staticmethod]
    fn _from_bytes(data: &[u8]) -> PyResult<Self> {
        let (certificate, names) = pickled::restore(data)?;
        Ok(StepCertificate { certificate, names })
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::reduce::<Self>(py, &(self.certificate, &self.names))
    }
    /// A table of the parts, for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("signorini._html")?.call_method1("step_certificate", (slf,))
    }
    fn __repr__(&self) -> String {
        let missed: Vec<&str> = self.certificate.misses().map(|(name, _)| name.key()).collect();
        let verdict = if missed.is_empty() { "met".to_owned() } else { format!("missed: {}", missed.join(", ")) };
        format!("StepCertificate({verdict})")
    }
}

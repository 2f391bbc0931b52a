//! The certificate of a step as a message contains it: with names of bodies, and infinite numbers as null.

use crate::Push;
use serde::Serialize;
use serde_json::{Map, Value};
use signorini::{Part, PartName, Place, StepCertificate, StepReport};

/// Names of the bodies at the worst places, part by part.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Names {
    #[serde(flatten)]
    lists: std::collections::BTreeMap<&'static str, Vec<String>>,
}

impl Names {
    /// Of the places of a certificate; parts without a place are left out.
    pub fn of(certificate: &StepCertificate, bodies: &[String]) -> Self {
        let name = |rank: u32| bodies.get(rank as usize).cloned();
        let named = PartName::ALL.into_iter().map(|part| (part.key(), certificate.part(part).place.names(name)));
        Names { lists: named.filter(|(_, names)| !names.is_empty()).collect() }
    }
}

/// A part of a step's certificate, as a recording tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPart {
    /// Which.
    pub name: PartName,
    /// Value, bound and place.
    pub part: Part,
    /// Names of the bodies at the place.
    pub names: Vec<String>,
}

/// The report of a step, read back.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedStep {
    /// Steps taken.
    pub step: u64,
    /// \[s\].
    pub time: f64,
    /// Whether the step was certified when it was taken.
    pub certified: bool,
    /// The parts of its certificate; none in recordings before format 3, which do not tell.
    pub parts: Option<Vec<RecordedPart>>,
    /// Forces from outside in this step.
    pub pushes: Vec<Push>,
    /// The report, its certificate included if [`RecordedStep::parts`] is known; none if it cannot be read.
    pub report: Option<StepReport>,
}

impl RecordedStep {
    /// Reads what [`crate::Reader::step`] gave; none if not even step and time are there.
    pub fn read(message: &Value) -> Option<RecordedStep> {
        let (step, time) = (message["step"].as_u64()?, message["time"].as_f64()?);
        let parts = parts(message);
        Some(RecordedStep {
            step,
            time,
            certified: message["status"] == "certified",
            pushes: Push::of(message),
            report: report(message, parts.as_deref()),
            parts,
        })
    }
}

fn parts(message: &Value) -> Option<Vec<RecordedPart>> {
    let told = message["certificate"].as_object()?;
    let read = |name: PartName| {
        let part: &Value = told.get(name.key())?;
        // Infinite numbers have no JSON.
        let number = |field: &str| part[field].as_f64().unwrap_or(f64::INFINITY);
        let place: Place = serde_json::from_value(part["place"].clone()).ok()?;
        let names = message["names"][name.key()].as_array().into_iter().flatten();
        let names = names.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        Some(RecordedPart { name, part: Part { value: number("value"), bound: number("bound"), place }, names })
    };
    PartName::ALL.into_iter().map(read).collect()
}

/// What later formats added is filled in where it is missing; only [`RecordedStep::parts`] says whether it was told.
fn report(message: &Value, parts: Option<&[RecordedPart]>) -> Option<StepReport> {
    let mut message = message.clone();
    let fields = message.as_object_mut()?;
    fields.insert("certificate".to_owned(), serde_json::to_value(StepCertificate::default()).ok()?);
    let mut add = |table: &str, names: &[&str]| {
        if let Some(Value::Object(entries)) = fields.get_mut(table) {
            names.iter().for_each(|name| fill(entries, name));
        }
    };
    add("counts", &["unproved", "solves", "pieces", "missed", "sleeping", "quarantined", "curtailed"]);
    add("times", &["judge"]);
    add("energy", &["driven", "stopped"]);
    if serde_json::from_value::<Option<signorini::Certificate>>(message["velocity"].clone()).is_err() {
        message["velocity"] = Value::Null;
    }
    let mut report: StepReport = serde_json::from_value(message).ok()?;
    for told in parts.into_iter().flatten() {
        let certificate = &mut report.certificate;
        let part = match told.name {
            PartName::Velocity => &mut certificate.velocity,
            PartName::Overlap => &mut certificate.overlap,
            PartName::JointGap => &mut certificate.joint_gap,
            PartName::JointTurn => &mut certificate.joint_turn,
            PartName::Closure => &mut certificate.closure,
            PartName::EnergyRise => &mut certificate.energy_rise,
            PartName::Momentum => &mut certificate.momentum,
            PartName::Stages => &mut certificate.stages,
            _ => continue,
        };
        *part = told.part;
    }
    Some(report)
}

fn fill(entries: &mut Map<String, Value>, name: &str) {
    if !entries.contains_key(name) {
        entries.insert(name.to_owned(), Value::from(0));
    }
}

/// A message as format 3 has it. Before, `certificate` was that of the contact problem, and nothing was told of the rest.
pub(crate) fn upgrade(message: &mut Value, format: u32) {
    let Value::Object(fields) = message else { return };
    if format < 3 {
        let velocity = fields.insert("certificate".to_owned(), Value::Null).unwrap_or(Value::Null);
        fields.insert("velocity".to_owned(), velocity);
    }
}

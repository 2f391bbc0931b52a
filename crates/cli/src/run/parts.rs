//! Summary of the certificates of a run: the worst value of each part, and how often it missed its bound.

use super::tally::Worst;
use serde::Serialize;
use signorini::{Part, PartName};

/// One part of all certificates of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartTally {
    /// Name of the part.
    pub part: PartName,
    /// Its unit; empty for shares and counts.
    pub unit: &'static str,
    /// The worst value relative to its bound; none before the first value.
    #[serde(flatten)]
    pub worst: Option<Worst>,
    /// Bound of the worst value.
    pub bound: Option<f64>,
    /// Steps that missed the bound.
    pub missed: u64,
    /// Steps without a value: older formats of recordings lack some parts.
    pub unknown: u64,
}

/// All parts, before the first step.
pub fn none() -> Vec<PartTally> {
    let part = |part: PartName| PartTally { part, unit: part.unit(), worst: None, bound: None, missed: 0, unknown: 0 };
    PartName::ALL.into_iter().map(part).collect()
}

impl PartTally {
    /// Adds a step; `names` is called for new worst values only, of which there are few.
    pub fn push(&mut self, step: u64, time: f64, told: &Part, names: impl FnOnce() -> Vec<String>) {
        self.missed += u64::from(!told.is_met());
        let before = self.worst.as_ref().zip(self.bound);
        let before = before.map(|(worst, bound)| Part { value: worst.value, bound, ..Part::default() }.excess());
        if before.is_none_or(|before| told.excess() > before || told.excess().is_nan()) {
            let kind = told.place.joint.map(|_| "joint");
            self.worst = Some(Worst { value: told.value, step, time, kind, bodies: names(), ..Worst::default() });
            self.bound = Some(told.bound);
        }
    }
}

//! Summary of the certificates of a run: the worst value of each part, and how often it missed its bound.

use super::tally::Worst;
use serde::Serialize;
use signorini::{Part, PartName};

/// One part of all certificates of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartTally {
    /// Which.
    pub part: PartName,
    /// Its unit; empty for shares and counts.
    pub unit: &'static str,
    /// The worst value against its bound; none while no step told.
    #[serde(flatten)]
    pub worst: Option<Worst>,
    /// What it might be there.
    pub bound: Option<f64>,
    /// Steps that missed the bound.
    pub missed: u64,
    /// Steps of which it is not known: recordings of older formats do not tell.
    pub unknown: u64,
}

/// All parts.
pub fn none() -> Vec<PartTally> {
    let part = |part: PartName| PartTally { part, unit: part.unit(), worst: None, bound: None, missed: 0, unknown: 0 };
    PartName::ALL.into_iter().map(part).collect()
}

impl PartTally {
    /// One more step; `names` are looked up for records only, of which there are few.
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

//! What is kept of a scene: one line of a table, written and read as CSV.

use super::run::Costs;
use super::watch::{Facts, Watch, Worst};
use crate::BenchError;
use std::collections::BTreeMap;
use std::path::Path;

/// The columns, in order; units in the names.
pub const COLUMNS: &[&str] = &[
    "scene",
    "steps",
    "planned",
    "ended",
    "bodies",
    "contacts_most",
    "overlap_m",
    "overlap_at_start_m",
    "overlap_where",
    "joint_gap_m",
    "joint_gap_where",
    "joint_angle_rad",
    "energy_start_J",
    "energy_rise_J",
    "energy_rise_step",
    "energy_change_J",
    "kinetic_most_J",
    "driven",
    "degraded",
    "first_degraded",
    "missed",
    "residual_m_per_s",
    "ms_p50",
    "ms_p99",
    "ms_max",
    "replayed_steps",
    "factorizations_p50",
    "factorizations_p99",
    "factorizations_max",
    "judge_share_moving",
    "judge_share_settled",
    "moving_steps",
    "ratio",
    "ratio_moving",
    "ratio_settled",
    "rapier_overlap_m",
    "rapier_joint_gap_m",
    "rapier_energy_rise_J",
    "rapier_energy_change_J",
    "rapier_kinetic_most_J",
];

/// One scene.
#[derive(Clone, Default)]
pub struct Row(BTreeMap<String, String>);

impl Row {
    /// A scene that could not be run at all.
    pub fn refused(name: &str, what: &str) -> Self {
        let mut row = Row::default();
        row.set("scene", name);
        row.set("ended", what);
        row.set("steps", 0);
        row
    }

    /// A scene that was run.
    pub fn of(
        name: &str,
        planned: usize,
        ended: &str,
        facts: &Facts,
        ours: &Watch,
        rapier: Option<&Watch>,
        costs: &Costs,
    ) -> Self {
        let mut row = Row::refused(name, ended);
        if let Some(step) = ours.broken {
            row.set("ended", format!("not a number at step {step}"));
        }
        row.set("steps", costs.seconds.len());
        row.set("planned", planned);
        row.set("bodies", facts.bodies.len());
        row.set("contacts_most", costs.contacts);
        row.number("overlap_m", ours.overlap.value);
        row.number("overlap_at_start_m", ours.overlap.at_start);
        row.set("overlap_where", place(&ours.overlap));
        if !facts.links.is_empty() {
            row.number("joint_gap_m", ours.gap.value);
            row.set("joint_gap_where", place(&ours.gap));
            row.number("joint_angle_rad", ours.angle);
        }
        row.number("energy_start_J", ours.start_energy);
        row.number("energy_rise_J", ours.rise.value);
        row.set("energy_rise_step", ours.rise.step);
        row.number("energy_change_J", ours.change);
        row.number("kinetic_most_J", ours.largest_kinetic);
        row.set("driven", if facts.driven { "yes" } else { "" });
        row.set("degraded", costs.degraded);
        row.set("first_degraded", costs.first_degraded.map_or(String::new(), |step| step.to_string()));
        let missed: Vec<String> = costs.missed.iter().map(|(part, steps)| format!("{part} {steps}")).collect();
        row.set("missed", missed.join(", "));
        row.number("residual_m_per_s", costs.residual);
        row.set("replayed_steps", costs.replayed.iter().filter(|replayed| **replayed).count());
        // Steps that are taken again as a whole say nothing about the cost of one.
        let computed = |values: &[f64]| -> Vec<f64> {
            values.iter().zip(&costs.replayed).filter(|(_, replayed)| !**replayed).map(|(value, _)| *value).collect()
        };
        for (names, values, scale) in [
            (["ms_p50", "ms_p99", "ms_max"], computed(&costs.seconds), 1e3),
            (["factorizations_p50", "factorizations_p99", "factorizations_max"], computed(&costs.factorizations), 1.0),
        ] {
            for (name, share) in names.into_iter().zip([0.5, 0.99, 1.0]) {
                row.number(name, scale * quantile(&values, share));
            }
        }
        for (name, wanted) in [("judge_share_moving", true), ("judge_share_settled", false)] {
            let steps = costs.judge_shares.iter().zip(&costs.replayed).zip(&costs.moving);
            let of = steps.filter(|((_, replayed), moving)| !**replayed && **moving == wanted);
            let shares: Vec<f64> = of.map(|((share, _), _)| *share).collect();
            row.number(name, quantile(&shares, 0.5));
        }
        row.set("moving_steps", costs.moving.iter().filter(|moving| **moving).count());
        if let Some(rapier) = rapier {
            row.compare(rapier, costs, !facts.links.is_empty());
        }
        row
    }

    fn compare(&mut self, rapier: &Watch, costs: &Costs, jointed: bool) {
        let ratio = |wanted: &dyn Fn(bool) -> bool| {
            let steps = costs.seconds.iter().zip(&costs.rapier_seconds).zip(&costs.moving);
            let sums =
                steps.filter(|(_, moving)| wanted(**moving)).fold((0.0, 0.0), |s, ((a, b), _)| (s.0 + a, s.1 + b));
            sums.0 / sums.1
        };
        self.number("ratio", ratio(&|_| true));
        self.number("ratio_moving", ratio(&|moving| moving));
        self.number("ratio_settled", ratio(&|moving| !moving));
        self.number("rapier_overlap_m", rapier.overlap.value);
        if jointed {
            self.number("rapier_joint_gap_m", rapier.gap.value);
        }
        self.number("rapier_energy_rise_J", rapier.rise.value);
        self.number("rapier_energy_change_J", rapier.change);
        self.number("rapier_kinetic_most_J", rapier.largest_kinetic);
    }

    fn set(&mut self, column: &str, value: impl ToString) {
        self.0.insert(column.to_owned(), value.to_string());
    }

    fn number(&mut self, column: &str, value: f64) {
        self.set(column, if value.is_finite() { format!("{value:.4e}") } else { String::new() });
    }

    /// A cell as it stands.
    pub fn text(&self, column: &str) -> &str {
        self.0.get(column).map_or("", String::as_str)
    }

    /// A cell as a number, if it is one.
    pub fn value(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok()
    }

    /// A line of CSV.
    pub fn csv(&self) -> String {
        let quote = |text: &str| {
            if text.contains([',', '"', '\n']) {
                format!("\"{}\"", text.replace('"', "\"\"").replace('\n', " "))
            } else {
                text.to_owned()
            }
        };
        COLUMNS.iter().map(|column| quote(self.text(column))).collect::<Vec<_>>().join(",")
    }
}

fn place(worst: &Worst) -> String {
    if worst.place.is_empty() { String::new() } else { format!("{} at step {}", worst.place, worst.step) }
}

/// The value below which `share` of the values are; NaN of nothing.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or(f64::NAN)
}

/// The rows of a file, and what its first lines say.
pub fn read(path: &Path) -> Result<(String, Vec<Row>), BenchError> {
    let fail = |what: String| BenchError::Input { path: path.to_owned(), what };
    let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    let (notes, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let mut lines = lines.into_iter().map(cells);
    let header = lines.next().ok_or_else(|| fail("an empty table".to_owned()))?;
    let rows = lines.map(|cells| Row(header.iter().cloned().zip(cells).collect())).collect();
    Ok((notes.iter().map(|note| note.trim_start_matches(['#', ' '])).collect::<Vec<_>>().join(" "), rows))
}

/// The cells of a line; a quote inside a quoted cell is doubled.
fn cells(line: &str) -> Vec<String> {
    let (mut out, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => out.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    out.push(cell);
    out
}

//! Pages from the lines. Every number in them is read from the files, none is written by hand.

mod beaten;
mod cost;
mod side_by_side;
mod which;

use crate::BenchError;
use crate::record::Machine;
use signorini_scenes::lines::Line;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Engine and settings.
pub type Row = (String, String);

/// What the lines say, by row, scene and metric.
#[derive(Default)]
pub struct Figures {
    /// Where they were taken.
    pub machine: Option<Machine>,
    /// In the order of the lines.
    pub rows: Vec<Row>,
    /// In the order of the lines.
    pub scenes: Vec<String>,
    lines: Vec<Line>,
    values: BTreeMap<(Row, String, String), Option<f64>>,
    cut: BTreeMap<(Row, String), String>,
}

impl Figures {
    fn read(files: &[PathBuf]) -> Result<Self, BenchError> {
        let mut figures = Figures::default();
        for path in files {
            let bad = |what: String| BenchError::Input { path: path.clone(), what };
            let text = fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
            for (number, line) in text.lines().enumerate() {
                if let Ok(found) = serde_json::from_str::<Machine>(line) {
                    figures.machine.get_or_insert(found);
                    continue;
                }
                let parsed =
                    serde_json::from_str(line).map_err(|error| bad(format!("line {}: {error}", number + 1)))?;
                figures.add(parsed);
            }
        }
        Ok(figures)
    }

    fn add(&mut self, line: Line) {
        let row = (line.engine.clone(), line.settings.clone());
        if !self.rows.contains(&row) {
            self.rows.push(row.clone());
        }
        if !self.scenes.contains(&line.scene) {
            self.scenes.push(line.scene.clone());
        }
        if let Some(error) = &line.error {
            self.cut.insert((row.clone(), line.scene.clone()), error.clone());
        }
        // Stages are several lines of one name.
        if line.metric != "stage_ms_per_step" {
            self.values.insert((row, line.scene.clone(), line.metric.clone()), line.value);
        }
        self.lines.push(line);
    }

    /// A number; none inside if it was not finite, none outside if it was not measured.
    pub fn found(&self, row: &Row, scene: &str, metric: &str) -> Option<Option<f64>> {
        self.values.get(&(row.clone(), scene.to_owned(), metric.to_owned())).copied()
    }

    /// A finite number.
    pub fn value(&self, row: &Row, scene: &str, metric: &str) -> Option<f64> {
        self.found(row, scene, metric).flatten()
    }

    /// Why a run ended early.
    pub fn cut(&self, row: &Row, scene: &str) -> Option<&str> {
        self.cut.get(&(row.clone(), scene.to_owned())).map(String::as_str)
    }

    /// All runs that ended early.
    pub fn cuts(&self) -> impl Iterator<Item = (&Row, &str, &str)> {
        self.cut.iter().map(|((row, scene), error)| (row, scene.as_str(), error.as_str()))
    }

    /// Where our time goes on a scene: stages with their share of the sum, the largest first.
    pub fn profile(&self, row: &Row, scene: &str) -> Vec<(&str, f64)> {
        let stages = self.lines.iter().filter(|line| {
            line.metric == "stage_ms_per_step"
                && line.scene == scene
                && (&line.engine, &line.settings) == (&row.0, &row.1)
        });
        let mut stages: Vec<(&str, f64)> = stages.filter_map(|line| Some((line.of.as_deref()?, line.value?))).collect();
        let sum: f64 = stages.iter().map(|(_, ms)| ms).sum();
        stages.iter_mut().for_each(|(_, ms)| *ms /= sum.max(f64::MIN_POSITIVE));
        stages.sort_by(|a, b| b.1.total_cmp(&a.1));
        stages
    }

    /// What the departure from paper of a scene is of.
    pub fn departure_of(&self, scene: &str) -> &str {
        let line = self.lines.iter().find(|line| line.scene == scene && line.metric == "closed_form_error");
        line.and_then(|line| line.of.as_deref()).unwrap_or("")
    }

    /// A sentence on the machine and on what a time is.
    fn circumstances(&self) -> String {
        let Some(Machine { processor, cores, load, commit, rounds }) = &self.machine else { return String::new() };
        let load = load.map_or_else(|| "unknown".to_owned(), |l| format!("{l:.1}"));
        format!(
            "\n{processor}, {cores} cores, load {load} at the start, commit {commit}. Times are CPU time of the one thread \
             that steps, wall time in rows marked ×2; medians over the steps after the first fifth and over {rounds} \
             interleaved rounds (runs that are long enough to be stable by themselves are taken once).\n"
        )
    }
}

/// Our row that everything is compared with.
pub fn ours() -> Row {
    ("signorini".to_owned(), "exact".to_owned())
}

/// Writes all pages and `side_by_side.csv`.
pub fn write(files: &[PathBuf], methods: &Path, folder: &Path) -> Result<(), BenchError> {
    let figures = Figures::read(files)?;
    let fail = |path: &Path| {
        let path = path.to_owned();
        move |error: std::io::Error| BenchError::Input { path, what: error.to_string() }
    };
    fs::create_dir_all(folder).map_err(fail(folder))?;
    let measured = fs::read_to_string(methods).map_err(fail(methods))?;
    let pages = [
        ("side_by_side.md", side_by_side::page(&figures)),
        ("cost_of_exactness.md", cost::page(&figures)),
        ("which_method_when.md", which::page(&figures, &which::read(&measured, methods)?)),
        ("side_by_side.csv", csv(&figures)),
    ];
    for (name, text) in pages {
        let path = folder.join(name);
        fs::write(&path, text).map_err(fail(&path))?;
    }
    Ok(())
}

/// The first lines of every page.
fn begin(title: &str) -> String {
    format!(
        "<!-- Generated by scripts/bench (signorini-bench report). Change the program, not the page. -->\n# {title}\n"
    )
}

/// A table in Markdown: the first `names` columns to the left, numbers to the right.
fn table(out: &mut String, headings: &[&str], names: usize, rows: impl IntoIterator<Item = Vec<String>>) {
    let _ = writeln!(out, "\n| {} |", headings.join(" | "));
    let _ = writeln!(out, "|{}{}", "---|".repeat(names), "---:|".repeat(headings.len() - names));
    for row in rows {
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
}

/// Three significant digits; small whole numbers as they are.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == value.trunc() && size < 1e5 {
        format!("{value}")
    } else if (1e-2..1e4).contains(&size) {
        let digits = (2 - size.log10().floor() as i32).max(0) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.2e}")
    }
}

/// The same of what may not be there.
fn or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), number)
}

fn csv(figures: &Figures) -> String {
    let mut out = String::from("engine,version,settings,scene,metric,of,value\n");
    for line in &figures.lines {
        let value = line.value.map_or_else(String::new, |v| format!("{v:.6e}"));
        let of = line.of.as_deref().unwrap_or("").replace(',', ";");
        let Line { engine, version, settings, scene, metric, .. } = line;
        let _ = writeln!(out, "{engine},{version},{settings},{scene},{metric},{of},{value}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_three_digits() {
        for (value, text) in
            [(0.0, "0"), (2.0, "2"), (0.123456, "0.123"), (12.3456, "12.3"), (1234.5, "1234"), (1.5e-7, "1.50e-7")]
        {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn the_profile_is_shares_of_the_whole_and_values_keep_what_is_not_finite() {
        let line = |metric: &str, of: Option<&str>, value: Option<f64>| Line {
            engine: "signorini".to_owned(),
            version: "0".to_owned(),
            settings: "exact".to_owned(),
            scene: "S1".to_owned(),
            metric: metric.to_owned(),
            value,
            of: of.map(str::to_owned),
            error: None,
        };
        let mut figures = Figures::default();
        figures.add(line("stage_ms_per_step", Some("solve"), Some(1.0)));
        figures.add(line("stage_ms_per_step", Some("manifolds"), Some(3.0)));
        figures.add(line("drift", None, None));
        assert_eq!(figures.profile(&ours(), "S1"), [("manifolds", 0.75), ("solve", 0.25)]);
        assert_eq!(figures.found(&ours(), "S1", "drift"), Some(None));
        assert_eq!(figures.found(&ours(), "S1", "creep"), None);
    }
}

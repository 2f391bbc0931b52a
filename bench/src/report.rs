//! Tables from the lines: one row per engine and settings, one table per family of scenes.

use crate::BenchError;
use crate::record::{Line, Machine};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A table: its title, what the answer from paper is, and its columns as (heading, scene, metric).
struct Table {
    title: &'static str,
    answer: &'static str,
    columns: &'static [(&'static str, &'static str, &'static str)],
}

const TABLES: &[Table] = &[
    Table {
        title: "A stack of ten cubes, 1000 steps",
        answer: "Nothing moves: drift, overlap and kinetic energy are zero.",
        columns: &[
            ("ms/step", "S1_stack10", "ms_per_step"),
            ("sideways m", "S1_stack10", "drift_xy_m"),
            ("down m", "S1_stack10", "drift_z_m"),
            ("overlap m", "S1_stack10", "overlap_end_m"),
            ("kinetic J", "S1_stack10", "kinetic_end_J"),
            ("worst residual m/s", "S1_stack10", "worst_residual_m_per_s"),
        ],
    },
    Table {
        title: "A heavy cube on a light one: overlap at the end",
        answer: "Zero, whatever the ratio. A cube that moved more than half a metre has fallen.",
        columns: &[
            ("10 : 1, m", "S2_ratio1e1", "overlap_end_m"),
            ("100 : 1, m", "S2_ratio1e2", "overlap_end_m"),
            ("1e3 : 1, m", "S2_ratio1e3", "overlap_end_m"),
            ("1e4 : 1, m", "S2_ratio1e4", "overlap_end_m"),
            ("1e6 : 1, m", "S2_ratio1e6", "overlap_end_m"),
            ("fell at 1e3", "S2_ratio1e3", "fell"),
            ("fell at 1e6", "S2_ratio1e6", "fell"),
        ],
    },
    Table {
        title: "A plate on an incline",
        answer: "tan θ = 0.4 < μ: no creep in ten seconds. tan θ = 0.6 > μ: speed g(sin θ − μ cos θ)t. Semi-implicit \
                 Euler alone gives a distance 1/60 too long.",
        columns: &[
            ("creep m", "S3_stick", "creep_m"),
            ("creep, last 5 s, m", "S3_stick", "creep_second_half_m"),
            ("speed, relative error", "S3_slide", "speed_error"),
            ("distance, relative error", "S3_slide", "distance_error"),
        ],
    },
    Table {
        title: "A ball dropped from one metre",
        answer: "The first apex is e² of the drop; energy never rises.",
        columns: &[
            ("e = 0: apex m", "S4_e0", "apex_m"),
            ("e = 0.5: error", "S4_e0.5", "apex_error"),
            ("e = 0.8: error", "S4_e0.8", "apex_error"),
            ("e = 1: error", "S4_e1", "apex_error"),
            ("e = 1: energy gain", "S4_e1", "energy_gain"),
            ("e = 1: apex after 5 s, m", "S4_e1", "apex_second_half_m"),
        ],
    },
    Table {
        title: "Elastic balls",
        answer: "One hits one: the speed moves over. One hits three in a row: the cradle, (0, 0, 0, v).",
        columns: &[
            ("two: velocity error", "S5_two", "velocity_error"),
            ("two: energy error", "S5_two", "energy_error"),
            ("three: velocity error", "S5_cradle", "velocity_error"),
            ("three: energy error", "S5_cradle", "energy_error"),
            ("three: momentum error", "S5_cradle", "momentum_error"),
        ],
    },
    Table {
        title: "A pyramid of 210 cubes, 300 steps",
        answer: "Nothing moves.",
        columns: &[
            ("ms/step", "S6_pyramid20", "ms_per_step"),
            ("sideways m", "S6_pyramid20", "drift_xy_m"),
            ("down m", "S6_pyramid20", "drift_z_m"),
            ("overlap m", "S6_pyramid20", "overlap_end_m"),
            ("contacts", "S6_pyramid20", "contacts"),
            ("degraded steps", "S6_pyramid20", "degraded_steps"),
        ],
    },
    Table {
        title: "A wall of a hundred bricks, 300 steps",
        answer: "Nothing moves.",
        columns: &[
            ("ms/step", "S7_wall", "ms_per_step"),
            ("sideways m", "S7_wall", "drift_xy_m"),
            ("down m", "S7_wall", "drift_z_m"),
            ("overlap m", "S7_wall", "overlap_end_m"),
            ("contacts", "S7_wall", "contacts"),
            ("degraded steps", "S7_wall", "degraded_steps"),
        ],
    },
    Table {
        title: "Five hundred boxes dropped into a bin, 600 steps",
        answer: "They come to rest without overlap.",
        columns: &[
            ("ms falling", "S7_pile500", "ms_falling"),
            ("ms settled", "S7_pile500", "ms_settled"),
            ("ms worst", "S7_pile500", "ms_worst"),
            ("overlap m", "S7_pile500", "overlap_end_m"),
            ("worst overlap m", "S7_pile500", "worst_overlap_m"),
            ("kinetic J", "S7_pile500", "kinetic_end_J"),
            ("contacts", "S7_pile500", "contacts"),
            ("degraded steps", "S7_pile500", "degraded_steps"),
            ("steps", "S7_pile500", "steps_done"),
        ],
    },
    Table {
        title: "A sliding cube, μ = 0.3, at 45°, 0° and 22.5° to its edges",
        answer: "Stops after v/μg on a straight line, without rising or turning.",
        columns: &[
            ("45°: time", "S8_oblique", "stop_time_error"),
            ("45°: rises m/s", "S8_oblique", "vertical_speed_m_per_s"),
            ("0°: time", "S8b_axis", "stop_time_error"),
            ("22.5°: time", "S8c_22deg", "stop_time_error"),
            ("22.5°: off course °", "S8c_22deg", "direction_error_degrees"),
            ("22.5°: turns °", "S8c_22deg", "yaw_degrees"),
        ],
    },
    Table {
        title: "A free box turning about its middle axis, 10 s",
        answer: "Energy and angular momentum stay; the orientation is that of Euler's equations.",
        columns: &[
            ("energy", "S9_top", "energy_drift"),
            ("momentum", "S9_top", "momentum_drift"),
            ("orientation after 1 s, °", "S9_top", "orientation_error_1s_degrees"),
            ("after 10 s, °", "S9_top", "orientation_error_10s_degrees"),
        ],
    },
    Table {
        title: "A fast ball against a plate of two centimetres, flagged as fast",
        answer: "0: it does not pass. (1: it passes.)",
        columns: &[
            ("20 m/s, static", "S10_v20_static_ccd", "passed_through"),
            ("100, static", "S10_v100_static_ccd", "passed_through"),
            ("300, static", "S10_v300_static_ccd", "passed_through"),
            ("20, 10 kg", "S10_v20_dyn_ccd", "passed_through"),
            ("100, 10 kg", "S10_v100_dyn_ccd", "passed_through"),
            ("300, 10 kg", "S10_v300_dyn_ccd", "passed_through"),
            ("300, static, no flag", "S10_v300_static_noccd", "passed_through"),
            ("300, 10 kg, no flag", "S10_v300_dyn_noccd", "passed_through"),
        ],
    },
];

type Row = (String, String);

/// Writes `side_by_side.md` and `side_by_side.csv`.
pub fn write(files: &[PathBuf], folder: &Path) -> Result<(), BenchError> {
    let mut machine = None;
    let mut lines: Vec<Line> = Vec::new();
    for path in files {
        let bad = |what: String| BenchError::Input { path: path.clone(), what };
        let text = fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
        for (number, line) in text.lines().enumerate() {
            if let Ok(found) = serde_json::from_str::<Machine>(line) {
                machine.get_or_insert(found);
                continue;
            }
            let parsed = serde_json::from_str(line).map_err(|error| bad(format!("line {}: {error}", number + 1)))?;
            lines.push(parsed);
        }
    }
    let fail = |path: &Path| {
        let path = path.to_owned();
        move |error: std::io::Error| BenchError::Input { path, what: error.to_string() }
    };
    fs::create_dir_all(folder).map_err(fail(folder))?;
    let page = folder.join("side_by_side.md");
    fs::write(&page, markdown(machine.as_ref(), &lines)).map_err(fail(&page))?;
    let table = folder.join("side_by_side.csv");
    fs::write(&table, csv(&lines)).map_err(fail(&table))
}

fn markdown(machine: Option<&Machine>, lines: &[Line]) -> String {
    let mut rows: Vec<Row> = Vec::new();
    let mut values: BTreeMap<(Row, &str, &str), Option<f64>> = BTreeMap::new();
    let mut cut: BTreeMap<(Row, &str), &str> = BTreeMap::new();
    for line in lines {
        let row = (line.engine.clone(), line.settings.clone());
        if !rows.contains(&row) {
            rows.push(row.clone());
        }
        if let Some(error) = &line.error {
            cut.insert((row.clone(), &line.scene), error);
        }
        values.insert((row, &line.scene, &line.metric), line.value);
    }
    let mut out = String::from(
        "# Side by side\n\nThe same scenes in several engines, measured from poses, velocities and CPU times alone. \
         Generated; the command is in [README.md](README.md), the numbers are in [side_by_side.csv](side_by_side.csv).\n",
    );
    if let Some(Machine { processor, cores, load, commit }) = machine {
        let load = load.map_or_else(|| "unknown".to_owned(), |l| format!("{l:.1}"));
        let _ = write!(out, "\n{processor}, {cores} cores, load {load} at the start, commit {commit}. ");
        out.push_str("Times: CPU time of one thread, median over steps after the first fifth, best of the rounds.\n");
    }
    for table in TABLES {
        let _ = write!(out, "\n## {}\n\n{}\n\n| engine | settings |", table.title, table.answer);
        for (heading, ..) in table.columns {
            let _ = write!(out, " {heading} |");
        }
        out.push_str("\n|---|---|");
        out.push_str(&"---:|".repeat(table.columns.len()));
        out.push('\n');
        for row in &rows {
            let found = |(_, scene, metric): &(&str, &'static str, &'static str)| {
                values.get(&(row.clone(), *scene, *metric)).copied()
            };
            if table.columns.iter().all(|column| found(column).is_none()) {
                continue;
            }
            let early = table.columns.iter().any(|(_, scene, _)| cut.contains_key(&(row.clone(), *scene)));
            let _ = write!(out, "| {} | {}{} |", row.0, row.1, if early { " †" } else { "" });
            for column in table.columns {
                let text = match found(column) {
                    Some(Some(value)) => number(value),
                    Some(None) => "not finite".to_owned(),
                    None => "–".to_owned(),
                };
                let _ = write!(out, " {text} |");
            }
            out.push('\n');
        }
    }
    if !cut.is_empty() {
        out.push_str("\n† ended early:\n\n");
        for ((row, scene), error) in &cut {
            let _ = writeln!(out, "- {} {}, {scene}: {error}", row.0, row.1);
        }
    }
    out
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

fn csv(lines: &[Line]) -> String {
    let mut out = String::from("engine,version,settings,scene,metric,value\n");
    for line in lines {
        let value = line.value.map_or_else(String::new, |v| format!("{v:e}"));
        let _ =
            writeln!(out, "{},{},{},{},{},{value}", line.engine, line.version, line.settings, line.scene, line.metric);
    }
    out
}

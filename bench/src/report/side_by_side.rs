//! One row per engine and settings, one table per family of scenes; then what the judge says, and where we are beaten.

use super::{Figures, Row, beaten, begin, number, table};
use std::fmt::Write as _;

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
        ],
    },
    Table {
        title: "A heavy cube on a light one: overlap at the end",
        answer: "Zero, whatever the ratio. A cube that moved more than half a metre has fallen; in brackets the deepest \
                 overlap on the way.",
        columns: &[
            ("10 : 1, m", "S2_ratio1e1", "overlap_end_m"),
            ("100 : 1, m", "S2_ratio1e2", "overlap_end_m"),
            ("1e3 : 1, m", "S2_ratio1e3", "overlap_end_m"),
            ("1e4 : 1, m", "S2_ratio1e4", "overlap_end_m"),
            ("1e6 : 1, m", "S2_ratio1e6", "overlap_end_m"),
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
    Table {
        title: "A thousand spheres thrown, which never meet, 120 steps",
        answer: "Parabolas. What an engine costs without contacts.",
        columns: &[
            ("ms/step", "S11_thrown1000", "ms_per_step"),
            ("from the parabola m", "S11_thrown1000", "off_parabola_m"),
        ],
    },
    Table {
        title: "Before our judge: residual of the median step [m/s]",
        answer: "Zero. The step's contacts and impulses, as the engine tells them, against Signorini's and Coulomb's laws \
                 ([certificate.md](../certificate.md)). Rigid contact is asked of all; engines with soft contact answer \
                 another question, and this is the distance between the two. `unexplained`: change of velocity that the \
                 impulses told do not give.",
        columns: &[
            ("stack", "S1_stack10", "residual_median_m_per_s"),
            ("1e3 : 1", "S2_ratio1e3", "residual_median_m_per_s"),
            ("sticks", "S3_stick", "residual_median_m_per_s"),
            ("slides", "S3_slide", "residual_median_m_per_s"),
            ("pyramid", "S6_pyramid20", "residual_median_m_per_s"),
            ("wall", "S7_wall", "residual_median_m_per_s"),
            ("pile", "S7_pile500", "residual_median_m_per_s"),
            ("cube, 22.5°", "S8c_22deg", "residual_median_m_per_s"),
            ("unexplained, stack", "S1_stack10", "unexplained_median_m_per_s"),
            ("unexplained, cube", "S8c_22deg", "unexplained_median_m_per_s"),
        ],
    },
    Table {
        title: "Before our judge: residual of the worst step [m/s]",
        answer: "The same of the worst step, beginnings and impacts included.",
        columns: &[
            ("stack", "S1_stack10", "residual_worst_m_per_s"),
            ("1e3 : 1", "S2_ratio1e3", "residual_worst_m_per_s"),
            ("sticks", "S3_stick", "residual_worst_m_per_s"),
            ("slides", "S3_slide", "residual_worst_m_per_s"),
            ("pyramid", "S6_pyramid20", "residual_worst_m_per_s"),
            ("wall", "S7_wall", "residual_worst_m_per_s"),
            ("pile", "S7_pile500", "residual_worst_m_per_s"),
            ("cube, 22.5°", "S8c_22deg", "residual_worst_m_per_s"),
        ],
    },
    Table {
        title: "Two threads, milliseconds per step",
        answer: "Wall time against the CPU time of one thread. Rapier is compared with one thread only: its parallel \
                 pipeline is a choice at build time for all of its rows. MuJoCo, PyBullet and Drake step one scene with \
                 one thread.",
        columns: &[
            ("stack", "S1_stack10", "ms_per_step"),
            ("pyramid", "S6_pyramid20", "ms_per_step"),
            ("wall", "S7_wall", "ms_per_step"),
            ("pile, settled", "S7_pile500", "ms_settled"),
        ],
    },
];

/// The table that has two rows per engine only: one thread and two.
const THREADS: &str = "Two threads, milliseconds per step";

pub fn page(figures: &Figures) -> String {
    let mut out = begin("Side by side");
    out.push_str(
        "\nThe same scenes in several engines, measured from poses, velocities and times alone. The command is in \
         [README.md](README.md), all numbers are in [side_by_side.csv](side_by_side.csv), time against precision is drawn \
         in [work_precision/](work_precision/README.md).\n\
         \nSleeping and damping are off everywhere. `default` is what a user of the engine gets; `stiff`, `coulomb`, \
         `elliptic`, `it200` and `sub8` are its strongest reasonable settings (`bench/src/engines`, \
         `bench/python/engines.py`). MuJoCo and Drake have no coefficient of restitution: their rows with e > 0 are expected \
         to miss, except MuJoCo's `stiff`, which gives contacts a spring that bounces. Boxes in Drake stand on small balls \
         near their corners, because its point contact has one point per pair of boxes.\n",
    );
    out.push_str(&figures.circumstances());
    for part in TABLES {
        let _ = write!(out, "\n## {}\n\n{}\n", part.title, part.answer);
        let headings: Vec<&str> =
            ["engine", "settings"].into_iter().chain(part.columns.iter().map(|(heading, ..)| *heading)).collect();
        let rows = figures.rows.iter().filter(|row| belongs(figures, part, row));
        table(&mut out, &headings, 2, rows.map(|row| cells(figures, part, row)));
    }
    beaten::section(&mut out, figures);
    early(&mut out, figures);
    out
}

/// Whether a row has anything in a table.
fn belongs(figures: &Figures, part: &Table, row: &Row) -> bool {
    let threaded = |engine: &str| figures.rows.iter().any(|row| row.0 == engine && row.1.contains('×'));
    let wanted = part.title != THREADS || threaded(&row.0) && (row.1.contains('×') || row.1 == base(&row.0));
    let shown = part.title == THREADS || !row.1.contains('×');
    wanted && shown && part.columns.iter().any(|(_, scene, metric)| figures.found(row, scene, metric).is_some())
}

/// The single-threaded row that a threaded one belongs to.
fn base(engine: &str) -> &'static str {
    if engine == "signorini" { "exact" } else { "default" }
}

fn cells(figures: &Figures, part: &Table, row: &Row) -> Vec<String> {
    let early = part.columns.iter().any(|(_, scene, _)| figures.cut(row, scene).is_some());
    let mut cells = vec![row.0.clone(), format!("{}{}", row.1, if early { " †" } else { "" })];
    let fell = |scene: &str, metric: &str| {
        metric == "overlap_end_m" && figures.value(row, scene, "fell") == Some(1.0) && scene.starts_with("S2")
    };
    cells.extend(part.columns.iter().map(|(_, scene, metric)| match figures.found(row, scene, metric) {
        Some(_) if fell(scene, metric) => {
            format!("fell ({})", super::or_dash(figures.value(row, scene, "worst_overlap_m")))
        }
        Some(Some(value)) => number(value),
        Some(None) => "not finite".to_owned(),
        None => "–".to_owned(),
    }));
    cells
}

fn early(out: &mut String, figures: &Figures) {
    let mut cut = figures.cuts().peekable();
    if cut.peek().is_none() {
        return;
    }
    out.push_str("\n† ended early:\n\n");
    for (row, scene, error) in cut {
        let _ = writeln!(out, "- {} {}, {scene}: {error}", row.0, row.1);
    }
}

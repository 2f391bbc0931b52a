//! What exactness costs: time against residual and departure from paper, scene by scene.

use super::{Figures, Row, begin, number, or_dash, ours, table};
use std::fmt::Write as _;

/// Scenes with contacts that are held for many steps.
const SCENES: &[(&str, &str)] = &[
    ("S1_stack10", "ten cubes in a stack"),
    ("S2_ratio1e3", "a tonne on a kilogram"),
    ("S3_stick", "a plate that sticks on an incline"),
    ("S6_pyramid20", "a pyramid of 210 cubes"),
    ("S7_wall", "a wall of a hundred bricks"),
    ("S7_pile500", "five hundred boxes dropped into a bin"),
    ("S8c_22deg", "a sliding cube"),
];

/// Rows whose price is put into a sentence.
const COMPARED: &[(&str, &str)] = &[
    ("signorini", "pgs-10"),
    ("signorini", "pgs-50"),
    ("signorini", "nsgs"),
    ("rapier-f64", "default"),
    ("rapier-f64", "stiff"),
    ("rapier-f32", "default"),
    ("box3d", "default"),
    ("mujoco", "default"),
    ("mujoco", "elliptic"),
    ("pybullet", "default"),
    ("drake", "default"),
];

pub fn page(figures: &Figures) -> String {
    let mut out = begin("What exactness costs");
    out.push_str(
        "\nTime per step against how far the step is from Signorini's and Coulomb's laws. Residuals are the judge's \
         ([certificate.md](../certificate.md)): of every step for our methods, of every recorded step for engines that \
         tell what their contacts did; Box3D does not, nor PyBullet with substeps. The judge takes their contact points \
         as they are and asks for rigid, exact contact, which soft engines do not claim to solve: their residual is the \
         distance between the two models, not a defect of their solvers.\n",
    );
    out.push_str(&figures.circumstances());
    summary(&mut out, figures);
    for (scene, title) in SCENES {
        section(&mut out, figures, scene, title);
    }
    out.push_str("\nDrawn: [work_precision/](work_precision/README.md).\n");
    out
}

/// Geometric mean over the scenes of the time of `exact` over that of another row, of the same rounds.
fn price(figures: &Figures, row: &Row) -> Option<(f64, f64, f64, usize)> {
    let ratio = |scene: &str| figures.value(row, scene, "time_ratio_to_exact").map(|ratio| 1.0 / ratio);
    let prices: Vec<f64> = SCENES.iter().filter_map(|(scene, _)| ratio(scene)).filter(|x| *x > 0.0).collect();
    if prices.is_empty() {
        return None;
    }
    let mean = (prices.iter().map(|x| x.ln()).sum::<f64>() / prices.len() as f64).exp();
    let least = prices.iter().copied().fold(f64::INFINITY, f64::min);
    Some((mean, least, prices.iter().copied().fold(0.0, f64::max), prices.len()))
}

fn summary(out: &mut String, figures: &Figures) {
    out.push_str(
        "\n## In short\n\nTime of `exact` divided by the time of the row, of the same rounds and steps, over the scenes below \
         (geometric mean, least, largest): above one, the row is faster. Beside it, the worst residual of the row over those \
         scenes, and of `exact`.\n",
    );
    let worst = |row: &Row| {
        let values = SCENES.iter().filter_map(|(scene, _)| figures.value(row, scene, "residual_worst_m_per_s"));
        values.reduce(f64::max)
    };
    let mine = worst(&ours());
    let rows = COMPARED.iter().filter_map(|(engine, settings)| {
        let row = ((*engine).to_owned(), (*settings).to_owned());
        let (mean, least, most, count) = price(figures, &row)?;
        let cells = [number(mean), number(least), number(most), count.to_string(), or_dash(worst(&row)), or_dash(mine)];
        Some([(*engine).to_owned(), (*settings).to_owned()].into_iter().chain(cells).collect())
    });
    let headings = ["engine", "settings", "exact takes ×", "least", "largest", "scenes", "its worst m/s", "exact m/s"];
    table(out, &headings, 2, rows);
}

fn section(out: &mut String, figures: &Figures, scene: &str, title: &str) {
    let mut rows: Vec<(&Row, f64)> = figures
        .rows
        .iter()
        .filter(|row| row.1 != "sequential")
        .filter_map(|row| Some((row, figures.value(row, scene, "ms_per_step")?)))
        .collect();
    if rows.is_empty() {
        return;
    }
    rows.sort_by(|a, b| a.1.total_cmp(&b.1));
    let _ = write!(out, "\n## {}{} (`{scene}`)\n", title[..1].to_uppercase(), &title[1..]);
    let profile = figures.profile(&ours(), scene);
    if let Some(((first, share), rest)) = profile.split_first() {
        let _ = write!(out, "\nOf a step of `exact`, {:.0} % is {first}", 100.0 * share);
        for (stage, share) in rest.iter().take(2) {
            let _ = write!(out, ", {:.0} % {stage}", 100.0 * share);
        }
        out.push_str(".\n");
    }
    let what = figures.departure_of(scene);
    let headings = [
        "engine",
        "settings",
        "ms/step",
        "time, exact = 1",
        "residual, median m/s",
        "worst m/s",
        &format!("departure: {what}"),
    ];
    let lines = rows.into_iter().map(|(row, ms)| {
        let get = |metric| or_dash(figures.value(row, scene, metric));
        let mark = if figures.cut(row, scene).is_some() { " †" } else { "" };
        let fell = figures.value(row, scene, "fell") == Some(1.0);
        let departure = if fell { format!("{}, fell", get("closed_form_error")) } else { get("closed_form_error") };
        vec![
            row.0.clone(),
            format!("{}{mark}", row.1),
            number(ms),
            get("time_ratio_to_exact"),
            get("residual_median_m_per_s"),
            get("residual_worst_m_per_s"),
            departure,
        ]
    });
    table(out, &headings, 2, lines);
}

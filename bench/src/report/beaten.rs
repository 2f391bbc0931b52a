//! Where others are faster or closer to the answer on paper, found in the numbers and said.

use super::{Figures, Row, number, ours, table};

/// Departures below this are round-off of one engine or another: who has the smaller one says nothing.
const ROUND_OFF: f64 = 1e-9;

fn is_ours(row: &Row) -> bool {
    row.0 == "signorini"
}

fn name(row: &Row) -> String {
    format!("{} {}", row.0, row.1)
}

/// The other engine with the least of a metric on a scene, among those that `counts`.
fn least<'a>(figures: &'a Figures, scene: &str, metric: &str, counts: impl Fn(&Row) -> bool) -> Option<(&'a Row, f64)> {
    let others = figures.rows.iter().filter(|row| !is_ours(row) && counts(row));
    let measured = others.filter_map(|row| Some((row, figures.value(row, scene, metric)?)));
    measured.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Appends the section.
pub fn section(out: &mut String, figures: &Figures) {
    out.push_str(
        "\n## Where others are faster\n\nThe fastest other engine on each scene, whatever its answer, and where the time \
         of `exact` goes. The factor is over the steps that both took, where one was cut off. Scenes where we are the fastest are left out.\n",
    );
    let mut faster = Vec::new();
    let mut fastest = Vec::new();
    let mut largest = (1.0, String::new());
    for scene in &figures.scenes {
        let Some(mine) = figures.value(&ours(), scene, "ms_per_step") else { continue };
        // Over the steps that both took: a run that was cut off ended before the scene came to rest.
        let Some((row, ratio)) = least(figures, scene, "time_ratio_to_exact", |row| !row.1.contains('×')) else {
            continue;
        };
        let theirs = figures.value(row, scene, "ms_per_step").unwrap_or(f64::NAN);
        if ratio >= 1.0 {
            fastest.push(format!("`{scene}`"));
            continue;
        }
        let profile = figures.profile(&ours(), scene);
        let shares: Vec<String> =
            profile.iter().take(3).map(|(stage, share)| format!("{stage} {:.0} %", 100.0 * share)).collect();
        if 1.0 / ratio > largest.0 {
            let mostly = profile.first().map_or(String::new(), |(stage, share)| {
                format!(": {:.0} % of our time there is {stage}", 100.0 * share)
            });
            let factor = number(1.0 / ratio);
            largest = (
                1.0 / ratio,
                format!("\nAt most, another engine is {factor} times as fast ({}, `{scene}`){mostly}.\n", name(row)),
            );
        }
        faster.push(vec![
            format!("`{scene}`"),
            name(row),
            shares.join(", "),
            number(mine),
            number(theirs),
            number(1.0 / ratio),
        ]);
    }
    out.push_str(&largest.1);
    table(out, &["scene", "fastest other", "our time", "our ms/step", "its ms/step", "factor"], 3, faster);
    if !fastest.is_empty() {
        out.push_str(&format!("\nWe are the fastest on {}.\n", fastest.join(", ")));
    }

    out.push_str(&format!(
        "\n## Where others are closer to paper\n\nScenes on which another engine that ran to the end departs less than \
         `exact` does, departures below {ROUND_OFF:e} counting as none.\n"
    ));
    let mut closer = Vec::new();
    for scene in &figures.scenes {
        let Some(mine) = figures.value(&ours(), scene, "closed_form_error") else { continue };
        let whole = |row: &Row| figures.cut(row, scene).is_none() && figures.value(row, scene, "fell") != Some(1.0);
        let Some((row, theirs)) = least(figures, scene, "closed_form_error", whole) else { continue };
        if theirs.max(ROUND_OFF) >= mine {
            continue;
        }
        let why = WHY.iter().find(|(start, _)| scene.starts_with(start)).map_or("", |(_, why)| why);
        closer.push(vec![
            format!("`{scene}`"),
            figures.departure_of(scene).to_owned(),
            name(row),
            why.to_owned(),
            number(mine),
            number(theirs),
        ]);
    }
    if closer.is_empty() {
        out.push_str("\nThere are none in this run.\n");
    } else {
        table(out, &["scene", "departure", "closest other", "why", "ours", "its"], 4, closer);
    }
}

/// What is known about why another engine may be closer, by scene. Said only where it is.
const WHY: &[(&str, &str)] = &[
    ("S4", "the frames are a step apart and the apex lies between two of them: substeps see it closer"),
    (
        "S5_cradle",
        "three balls that touch have no one answer: Newton's law for all at once gives (−v/2, v/2, v/2, v/2); passed on \
         from ball to ball (`sequential`) it is the cradle",
    ),
    (
        "S7_pile",
        "a soft contact gives way until nothing overlaps much; ours takes back a part of the overlap each step",
    ),
    ("S9", "a higher order in time"),
];

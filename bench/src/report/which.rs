//! Which method when: on scenes from the lines, on single contact problems from the solvers' own table.

use super::{Figures, Row, begin, number, table};
use crate::BenchError;
use std::collections::BTreeMap;
use std::path::Path;

/// A solve of one problem by one method.
pub struct Solve {
    family: String,
    problem: String,
    method: String,
    solved: bool,
    seconds: f64,
}

/// Reads `methods.csv`; columns are found by their names.
pub fn read(text: &str, path: &Path) -> Result<Vec<Solve>, BenchError> {
    let bad = |what: String| BenchError::Input { path: path.to_owned(), what };
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| {
        header.iter().position(|found| *found == name).ok_or_else(|| bad(format!("there is no column '{name}'")))
    };
    let places = [column("family")?, column("problem")?, column("method")?, column("status")?, column("seconds")?];
    let mut solves = Vec::new();
    for (number, line) in lines.enumerate() {
        // The machine comes first and may hold commas: columns count from the end.
        let cells: Vec<&str> = line.rsplit(',').collect();
        let cell = |place: usize| cells.get(header.len() - 1 - place).copied().unwrap_or_default();
        let [family, problem, method, status, seconds] = places.map(cell);
        if method.is_empty() {
            return Err(bad(format!("line {}: too few columns", number + 2)));
        }
        solves.push(Solve {
            family: family.to_owned(),
            problem: problem.to_owned(),
            method: method.to_owned(),
            solved: status == "solved",
            seconds: seconds.parse().unwrap_or(f64::NAN),
        });
    }
    Ok(solves)
}

pub fn page(figures: &Figures, solves: &[Solve]) -> String {
    let mut out = begin("Which method when");
    out.push_str(
        "\n`exact` is the default because it ends with a certificate where the others end with a number of iterations. The \
         tables say what that costs, and where another method is the better choice: an approximate one where a residual \
         of the size given is good enough, a pivoting one where there is no friction.\n\
         \nWhat each method does is in [solvers/](../solvers/README.md), all residuals and times on single problems are in \
         [solvers/table.md](../solvers/table.md). `signorini bench` measures scenes of your own, `signorini solve` \
         problems.\n",
    );
    scenes(&mut out, figures);
    families(&mut out, solves);
    out
}

/// Per scene, the fastest of ours that certified every step, and the fastest at all.
fn scenes(out: &mut String, figures: &Figures) {
    out.push_str(
        "\n## Whole scenes\n\nOur methods on the scenes of [side_by_side.md](side_by_side.md) at the default tolerance. \
         `certified` is the fastest with a certificate for every step, `fastest` the fastest whatever it left.\n",
    );
    out.push_str(&figures.circumstances());
    // A single impact says nothing about methods.
    let many = figures.scenes.iter().filter(|scene| !scene.starts_with("S10"));
    let rows = many.filter_map(|scene| {
        let mine: Vec<(&Row, f64)> = figures
            .rows
            .iter()
            .filter(|row| row.0 == "signorini" && !row.1.contains('×') && row.1 != "sequential")
            .filter(|row| figures.cut(row, scene).is_none())
            .filter_map(|row| Some((row, figures.value(row, scene, "ms_per_step")?)))
            .collect();
        let quickest = |rows: &mut dyn Iterator<Item = &(&Row, f64)>| {
            rows.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, ms)| ((*row).clone(), *ms))
        };
        let whole = |row: &Row| figures.value(row, scene, "degraded_steps") == Some(0.0);
        let certified = quickest(&mut mine.iter().filter(|(row, _)| whole(row)));
        let (fastest, least) = quickest(&mut mine.iter())?;
        let residual = figures.value(&fastest, scene, "residual_worst_m_per_s");
        let (name, time) = certified.map_or(("none".to_owned(), None), |(row, ms)| (format!("`{}`", row.1), Some(ms)));
        Some(vec![
            format!("`{scene}`"),
            name,
            format!("`{}`", fastest.1),
            super::or_dash(time),
            number(least),
            super::or_dash(residual),
        ])
    });
    let headings =
        ["scene", "certified", "fastest", "certified, ms/step", "fastest, ms/step", "its worst residual m/s"];
    table(out, &headings, 3, rows);
}

/// Per family of problems, the methods that solved all of them, and the share of the fastest.
fn families(out: &mut String, solves: &[Solve]) {
    out.push_str(
        "\n## Single problems\n\nPer family of generated contact problems ([solvers/table.md](../solvers/table.md), cold \
         starts, tolerance 1e-9 m/s): which methods solved every problem of it, the fastest of them by the geometric mean \
         of their times, and that mean relative to `exact`.\n",
    );
    let mut order: Vec<&str> = Vec::new();
    let mut times: BTreeMap<(&str, &str), Vec<Option<f64>>> = BTreeMap::new();
    let mut problems: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for solve in solves {
        if !order.contains(&solve.family.as_str()) {
            order.push(&solve.family);
        }
        let known = problems.entry(&solve.family).or_default();
        if !known.contains(&solve.problem.as_str()) {
            known.push(&solve.problem);
        }
        times.entry((&solve.family, &solve.method)).or_default().push(solve.solved.then_some(solve.seconds));
    }
    let rows = order.iter().map(|family| {
        let count = problems.get(family).map_or(0, Vec::len);
        let mut whole: Vec<(&str, f64)> = Vec::new();
        for ((_, method), seconds) in times.iter().filter(|((name, _), _)| name == family) {
            let logs: Option<Vec<f64>> = seconds.iter().map(|s| s.map(f64::ln)).collect();
            if let Some(logs) = logs.filter(|logs| logs.len() == count) {
                whole.push((method, (logs.iter().sum::<f64>() / count as f64).exp()));
            }
        }
        whole.sort_by(|a, b| a.1.total_cmp(&b.1));
        let exact = whole.iter().find(|(method, _)| *method == "exact").map(|(_, seconds)| *seconds);
        let ratio = whole.first().zip(exact).map(|((_, best), exact)| best / exact);
        let names: Vec<String> = whole.iter().map(|(method, _)| format!("`{method}`")).collect();
        let fastest = names.first().cloned().unwrap_or_else(|| "none".to_owned());
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        vec![(*family).to_owned(), fastest, names, count.to_string(), super::or_dash(ratio)]
    });
    let headings = ["family", "fastest", "solved every problem, fastest first", "problems", "time, exact = 1"];
    table(out, &headings, 3, rows);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn columns_are_found_by_name_and_the_machine_may_hold_commas() {
        let text = "machine,commit,family,problem,method,status,residual_m_s,seconds,iterations,factorizations\n\
                    CPU, fast,abc,stack,stack1,exact,solved,1e-11,2e-6,10,0\n\
                    CPU, fast,abc,stack,stack1,pgs,unsolved,1e-2,1e-6,10,0\n";
        let solves = read(text, Path::new("methods.csv")).unwrap();
        assert_eq!((solves[0].family.as_str(), solves[0].seconds, solves[0].solved), ("stack", 2e-6, true));
        assert!(!solves[1].solved && solves[1].method == "pgs");
        let mut page = String::new();
        families(&mut page, &solves);
        assert!(page.contains("| stack | `exact` | `exact` | 1 | 1 |"), "{page}");
        assert!(read("a,b\n", Path::new("x")).is_err());
    }
}

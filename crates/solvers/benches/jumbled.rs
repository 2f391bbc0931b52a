//! Islands of jumbled piles with the guess of the last step: factorizations, time, and how many are left unsolved.
//!
//! `cargo bench -p signorini-solvers --bench jumbled [-- FOLDER] [--each]`. With `--each` every island has a line. The folder has `index.txt`, whose lines begin with
//! scene, number and kind (`u`: sampled uniformly, `h`: hard), and per island `SCENE/NUMBER.fcp`, the problem, and
//! `SCENE/NUMBER.sol`, raw little-endian doubles whose first `rows` are the guess. It is not part of the project:
//! without it the bench says so and ends.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)]

use signorini_problem::ContactProblem;
use signorini_problem::io::ProblemFile;
use signorini_solvers::{Exact, ExactOptions, History, SolverSession, StoppingRule};
use std::path::{Path, PathBuf};
use std::time::Instant;

struct Island {
    name: String,
    hard: bool,
    problem: ContactProblem,
    guess: Vec<f64>,
}

fn read(folder: &Path) -> Vec<Island> {
    let Ok(index) = std::fs::read_to_string(folder.join("index.txt")) else { return Vec::new() };
    let islands = index.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = format!("{}/{}", words[0], words[1]);
        let problem = ProblemFile::read(&folder.join(format!("{name}.fcp"))).unwrap().to_problem().unwrap();
        let bytes = std::fs::read(folder.join(format!("{name}.sol"))).unwrap();
        let (numbers, _) = bytes.as_chunks::<8>();
        let guess = numbers.iter().take(problem.rows()).map(|b| f64::from_le_bytes(*b)).collect();
        Island { name, hard: words[2] == "h", problem, guess }
    });
    islands.collect()
}

/// Value at this share of the sorted list.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = (share * sorted.len() as f64).ceil() as usize;
    sorted[place.clamp(1, sorted.len()) - 1]
}

struct Row {
    factorizations: f64,
    milliseconds: f64,
    residual: f64,
}

fn report(label: &str, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let column = |value: fn(&Row) -> f64| {
        let mut sorted: Vec<f64> = rows.iter().map(value).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    };
    let (f, ms) = (column(|row| row.factorizations), column(|row| row.milliseconds));
    let above = |bound: f64| rows.iter().filter(|row| row.residual > bound).count();
    let list = |sorted: &[f64], digits: usize| {
        [0.5, 0.9, 0.99, 1.0].map(|share| format!("{:.digits$}", percentile(sorted, share))).join(" / ")
    };
    println!(
        "{label:24} n={:<4} F {:22} ms {:30} unsolved at 1e-6: {:3}  1e-9: {:3}  mean F {:.1} ms {:.2}",
        rows.len(),
        list(&f, 0),
        list(&ms, 2),
        above(1e-6),
        above(1e-9),
        f.iter().sum::<f64>() / f.len() as f64,
        ms.iter().sum::<f64>() / ms.len() as f64,
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let each = std::env::args().any(|argument| argument == "--each");
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problems/jumbled");
    let folder = arguments.first().map_or(default, PathBuf::from);
    let islands = read(&folder);
    if islands.is_empty() {
        println!("no islands in {}: nothing to measure", folder.display());
        return;
    }
    for tolerance in [1e-9, 1e-6] {
        let stop = StoppingRule::velocity(tolerance);
        let mut solver = Exact::with_options(ExactOptions::stepping());
        let mut session = SolverSession::default();
        let mut rows = [Vec::new(), Vec::new()];
        for island in &islands {
            let begin = Instant::now();
            let history = &mut History::off();
            let solution = session.solve(&island.problem, &mut solver, Some(&island.guess), &stop, history).unwrap();
            let certificate = &solution.certificate;
            // What round-off of one evaluation excuses is solved.
            let residual =
                if certificate.meets(&stop.tolerance) { 0.0 } else { certificate.measured(stop.tolerance.measure) };
            if each {
                let (name, effort) = (&island.name, &solution.effort);
                let (f, by) = (effort.factorizations, effort.answered_by);
                println!("{name:32} {:5} blocks {f:5} F {residual:8.1e} {by:?}", island.problem.blocks().len());
            }
            rows[usize::from(island.hard)].push(Row {
                factorizations: solution.effort.factorizations as f64,
                milliseconds: 1e3 * begin.elapsed().as_secs_f64(),
                residual,
            });
        }
        let [uniform, hard] = rows;
        report(&format!("uniform, to {tolerance:e} m/s"), &uniform);
        report(&format!("hard, to {tolerance:e} m/s"), &hard);
    }
}

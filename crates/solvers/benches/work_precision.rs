//! Every method on every family of generated problems: `cargo bench --bench work_precision`.
//!
//! Writes `bench/results/methods.csv`, one row per method and problem, and `docs/solvers/table.md`, the summary. A name
//! after `--` restricts the run to the methods that contain it and writes nothing.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

mod report;

use report::{commit, least, machine, median, readable, write};
use signorini_scenes::problems::{Entry, Size, entries};
use signorini_solvers::{History, Method, SolverSession, Status, StoppingRule};
use std::fmt::Write as _;

/// One method on one problem.
struct Trial {
    method: Method,
    family: &'static str,
    problem: &'static str,
    outcome: Outcome,
}

enum Outcome {
    Refused,
    Graded { solved: bool, residual: f64, seconds: f64, iterations: usize, factorizations: usize },
}

impl Trial {
    fn status(&self) -> &'static str {
        match self.outcome {
            Outcome::Refused => "refused",
            Outcome::Graded { solved: true, .. } => "solved",
            Outcome::Graded { .. } => "unsolved",
        }
    }
}

/// Largest problem, in blocks, that a method is given here: dense methods with outer loops take minutes beyond.
fn most_blocks(method: Method) -> usize {
    match method.name() {
        "box-lcp" | "socp" | "de-saxce" | "fischer-burmeister" => 150,
        name if name.starts_with("polyhedral") => 40,
        _ => usize::MAX,
    }
}

/// Sweeps end after 2000 on medium problems, so that the whole table takes minutes.
fn cap(method: Method, size: Size) -> Option<usize> {
    let sweeps = matches!(method.name(), "pgs" | "nsgs" | "accelerated-nsgs" | "block-pgs");
    (sweeps && size == Size::Medium).then_some(2000)
}

fn trial(entry: &Entry, method: Method) -> Option<Trial> {
    let generated = entry.generate().unwrap();
    if generated.blocks() > most_blocks(method) {
        return None;
    }
    let stop = StoppingRule { max_iterations: cap(method, entry.size), ..StoppingRule::default() };
    let (mut solver, mut session) = (method.solver(), SolverSession::default());
    let mut run = || session.solve(&generated.problem, &mut *solver, None, &stop, &mut History::off()).cloned();
    let first = run();
    let outcome = match first {
        Err(_) => Outcome::Refused,
        Ok(solution) => Outcome::Graded {
            solved: solution.status == Status::Solved,
            residual: solution.certificate.natural,
            seconds: least(9, 0.05, || {
                run().unwrap();
            }),
            iterations: solution.effort.iterations,
            factorizations: solution.effort.factorizations,
        },
    };
    Some(Trial { method, family: entry.family.name(), problem: entry.name, outcome })
}

fn csv(trials: &[Trial]) -> String {
    let (machine, commit) = (machine(), commit());
    let mut text =
        "machine,commit,family,problem,method,status,residual_m_s,seconds,iterations,factorizations\n".to_owned();
    for trial in trials {
        let Trial { method, family, problem, outcome } = trial;
        let _ = write!(text, "{machine},{commit},{family},{problem},{method},{},", trial.status());
        let _ = match outcome {
            Outcome::Refused => writeln!(text, ",,,"),
            Outcome::Graded { residual, seconds, iterations, factorizations, .. } => {
                writeln!(text, "{residual:.3e},{seconds:.3e},{iterations},{factorizations}")
            }
        };
    }
    text
}

/// Solved and tried, median residual and median time of a group of trials; refusals do not count as tried.
fn summary<'a>(trials: impl Iterator<Item = &'a Trial>) -> Option<(usize, usize, f64, f64)> {
    let (mut solved_count, mut residuals, mut times) = (0, Vec::new(), Vec::new());
    for trial in trials {
        if let Outcome::Graded { solved, residual, seconds, .. } = trial.outcome {
            solved_count += usize::from(solved);
            residuals.push(residual);
            times.push(seconds);
        }
    }
    (!times.is_empty()).then(|| (solved_count, times.len(), median(&residuals), median(&times)))
}

fn table(trials: &[Trial]) -> String {
    let mut families: Vec<&str> = Vec::new();
    for trial in trials {
        if !families.contains(&trial.family) {
            families.push(trial.family);
        }
    }
    let methods: Vec<Method> = Method::ALL.iter().copied().filter(|m| trials.iter().any(|t| t.method == *m)).collect();
    let mut text = format!(
        "# Every method on every family\n\n\
         Written by `cargo bench --bench work_precision`; the rows behind it are in\n\
         [methods.csv](../../bench/results/methods.csv). Cold starts, tolerance 1e-9 m/s, one thread.\n\n\
         Machine: {}. Commit: `{}`. Times are the least of several runs.\n\n\
         Solved means by the [certificate](../certificate.md), on Coulomb's law, also for methods that solve another. Small and\n\
         medium problems of the catalogue; sweeps stop after 2000 on medium ones; `polyhedral` up to 40 blocks, `box-lcp`,\n\
         `socp`, `de-saxce` and `fischer-burmeister` up to 150. A dash: refused, or not tried.\n\n\
         ## All families\n\n| method | solved | median residual | median time |\n|---|---|---|---|\n",
        machine(),
        commit()
    );
    let row = |text: &mut String, method: Method, group: Option<(usize, usize, f64, f64)>| {
        let _ = match group {
            Some((solved, tried, residual, seconds)) => {
                writeln!(text, "| `{method}` | {solved}/{tried} | {residual:.0e} m/s | {} |", readable(seconds))
            }
            None => writeln!(text, "| `{method}` | – | – | – |"),
        };
    };
    for method in &methods {
        row(&mut text, *method, summary(trials.iter().filter(|t| t.method == *method)));
    }
    for family in families {
        let _ =
            write!(text, "\n## {family}\n\n| method | solved | median residual | median time |\n|---|---|---|---|\n");
        for method in &methods {
            let group = summary(trials.iter().filter(|t| t.method == *method && t.family == family));
            if group.is_some() {
                row(&mut text, *method, group);
            }
        }
    }
    text
}

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let mut trials = Vec::new();
    for method in Method::ALL.iter().filter(|m| wanted.as_ref().is_none_or(|w| m.name().contains(w.as_str()))) {
        for entry in entries().iter().filter(|entry| entry.size != Size::Large) {
            trials.extend(trial(entry, *method));
        }
        if let Some((solved, tried, residual, seconds)) = summary(trials.iter().filter(|t| t.method == *method)) {
            let name = method.name();
            println!("{name:20} {solved:3} of {tried:3} solved, median {residual:.1e} m/s, {}", readable(seconds));
        }
    }
    if wanted.is_none() {
        write("bench/results/methods.csv", &csv(&trials));
        write("docs/solvers/table.md", &table(&trials));
    }
}

//! What exactness costs, in the currency of engines: `cargo bench --bench friction`.
//!
//! One wall of 1408 contacts: ten sweeps of projected Gauss–Seidel in velocity form (what an engine spends per step)
//! against the certificate of a resting step, an exact warm step and an exact cold one. Ratios within one run, so that
//! they mean the same on every machine. Then `exact` on the published problems, where they are next to the workspace,
//! against the fastest of the solvers they were published with. Writes `bench/results/friction.csv` and, with published
//! problems, `bench/results/published.csv`.
//!
//! Words after `--` choose: `wall`, `published`, or parts of names of published problems. Chosen problems are only printed.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/conformance_support/published.rs"]
mod published;
mod report;

use report::{commit, least, machine, median, readable, write};
use signorini_problem::{Certifier, Tolerance};
use signorini_scenes::problems::{Perturbation, find, perturbed};
use signorini_solvers::sweep::{Direction, RowStep, Sweeper};
use signorini_solvers::{Effort, Exact, History, SolverSession, Status, StoppingRule, solve};
use std::fmt::Write as _;
use std::hint::black_box;

/// Unsolved by every published solver.
const LEFT_OUT: &[&str] = &["g_fcc_12", "g_fcc_6_mass1e6"];

fn wall() {
    let base = find("wall10x20").unwrap().generate().unwrap();
    let next = perturbed(&base, Perturbation::Velocity { speed: 1e-3 }, 1).unwrap();
    let (problem, stop) = (&base.problem, StoppingRule::default());
    let (mut exact, mut session) = (Exact::default(), SolverSession::default());
    let rest = solve(problem, &mut exact, None, &stop).unwrap();
    assert_eq!(rest.status, Status::Solved);

    let mut sweeper = Sweeper::<RowStep>::default();
    let mut r = vec![0.0; problem.rows()];
    let prepare = least(200, 0.5, || sweeper.prepare(problem));
    let sweeps = least(200, 2.0, || {
        r.fill(0.0);
        sweeper.begin(problem, &r);
        for _ in 0..10 {
            sweeper.sweep(problem, &mut r, Direction::Forward);
        }
    });
    let mut certifier = Certifier::default();
    let certificate = least(200, 0.5, || {
        black_box(certifier.certify(problem, &rest.impulses).unwrap());
    });
    let mut timed = |problem, guess: Option<&[f64]>| {
        let mut factorizations = 0;
        let seconds = least(30, 3.0, || {
            let solution = session.solve(problem, &mut exact, guess, &stop, &mut History::off()).unwrap();
            assert_eq!(solution.status, Status::Solved);
            factorizations = solution.effort.factorizations;
        });
        (seconds, factorizations)
    };
    let resting = timed(problem, Some(&rest.impulses));
    let warm = timed(&next.problem, Some(&rest.impulses));
    let cold = timed(&next.problem, None);

    let (machine, commit) = (machine(), commit());
    let mut csv = "machine,commit,problem,contacts,what,seconds,ratio_to_ten_sweeps,factorizations\n".to_owned();
    println!("wall10x20, {} contacts", problem.blocks().len());
    for (what, (seconds, factorizations)) in [
        ("pgs, preparing", (prepare, 0)),
        ("pgs, ten sweeps", (sweeps, 0)),
        ("certificate of a resting step", (certificate, 0)),
        ("exact, resting step", resting),
        ("exact, warm after a change of 1 mm/s", warm),
        ("exact, cold", cold),
    ] {
        let ratio = seconds / sweeps;
        println!("{what:38} {:>10} {ratio:7.2} × ten sweeps, {factorizations} factorizations", readable(seconds));
        let what = what.replace(',', ":");
        let contacts = problem.blocks().len();
        let _ =
            writeln!(csv, "{machine},{commit},wall10x20,{contacts},{what},{seconds:.3e},{ratio:.3},{factorizations}");
    }
    write("bench/results/friction.csv", &csv);
}

fn published_problems(chosen: impl Fn(&str) -> bool, keep: Keep) {
    let problems = published::published(usize::MAX);
    if problems.is_empty() {
        return;
    }
    let reference = published::reference("fastest_time_s");
    let stop = StoppingRule { tolerance: Tolerance::relative(1e-8), max_iterations: None };
    let (machine, commit) = (machine(), commit());
    let mut csv = "machine,commit,problem,blocks,status,seconds,ratio_to_fastest_published,iterations,factorizations\n"
        .to_owned();
    let (mut solved, mut ratios) = (0, Vec::new());
    let considered: Vec<_> =
        problems.iter().filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()) && chosen(name)).collect();
    for (name, problem) in &considered {
        let mut session = SolverSession::default();
        let (mut status, mut effort) = (Status::Unsolved, Effort::default());
        // A new solver each time, as cold as the runs the reference times are of.
        let seconds = least(2000, 0.3, || {
            let run = session.solve(problem, &mut Exact::default(), None, &stop, &mut History::off());
            (status, effort) = run.map_or((Status::Unsolved, effort), |solution| (solution.status, solution.effort));
        });
        let fastest = reference.iter().find(|(known, _)| known == name).and_then(|(_, seconds)| *seconds);
        let ratio = fastest.filter(|_| status == Status::Solved).map(|fastest| seconds / fastest);
        solved += usize::from(status == Status::Solved);
        ratios.extend(ratio);
        let shown = ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.3}"));
        let Effort { iterations, factorizations, .. } = effort;
        println!(
            "{name:50} {:6} {status:?} {:>10} {shown:>7}, {iterations} iterations, {factorizations} factorizations",
            problem.blocks().len(),
            readable(seconds)
        );
        let word = if status == Status::Solved { "solved" } else { "unsolved" };
        let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.3}"));
        let blocks = problem.blocks().len();
        let _ = writeln!(
            csv,
            "{machine},{commit},{name},{blocks},{word},{seconds:.3e},{ratio},{iterations},{factorizations}"
        );
    }
    let faster = ratios.iter().filter(|ratio| **ratio < 1.0).count();
    println!(
        "{solved} of {} solved; faster than the fastest published solver on {faster} of {}, median ratio {:.3}",
        considered.len(),
        ratios.len(),
        median(&ratios)
    );
    if keep == Keep::InFiles {
        write("bench/results/published.csv", &csv);
    }
}

/// What becomes of the numbers.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    InFiles,
    OnScreen,
}

fn main() {
    // Cargo passes `--bench` to every bench.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let asked = |word: &str| words.is_empty() || words.iter().any(|w| w == word);
    if asked("wall") {
        wall();
    }
    let names: Vec<&String> = words.iter().filter(|w| *w != "wall" && *w != "published").collect();
    if asked("published") || !names.is_empty() {
        let keep = if names.is_empty() { Keep::InFiles } else { Keep::OnScreen };
        published_problems(|name| names.is_empty() || names.iter().any(|part| name.contains(part.as_str())), keep);
    }
}

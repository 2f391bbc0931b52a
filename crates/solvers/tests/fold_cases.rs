//! Steps of collapsing columns where the central path of Coulomb's law turns back, and one of a pile whose contacts
//! contradict each other (`data/folds`).
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use signorini_problem::io::ProblemFile;
use signorini_solvers::{Exact, ExactOptions, Folds, Status, StoppingRule, solve};
use std::path::{Path, PathBuf};

fn fold_files() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/folds");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn solved(file: &Path, options: ExactOptions) -> bool {
    let problem = ProblemFile::read(file).unwrap().to_problem().unwrap();
    let solution = solve(&problem, &mut Exact::with_options(options), None, &StoppingRule::velocity(1e-9)).unwrap();
    println!("{}: {:?} {:.1e} m/s", file.display(), solution.status, solution.certificate.natural);
    // A step that resists is still a step: small residual, honestly reported.
    assert!(solution.certificate.natural < 1e-4, "{}", file.display());
    solution.status == Status::Solved
}

/// At least six of the eight, all of which the portfolio without last resorts left unsolved when they were saved. (All of
/// them at the time of writing; which of the hard ones arrive may change with a bit.)
#[test]
fn steps_at_folds_are_certified() {
    let files = fold_files();
    assert_eq!(files.len(), 8);
    assert!(files.iter().filter(|file| solved(file, ExactOptions::default())).count() >= 6);
}

/// Two that no other method certifies: each has contacts that carry and open by turns, whichever way the iterate goes.
#[test]
fn contacts_that_contradict_each_other_are_released() {
    for name in ["pile500_step44.fcp", "collapse100_mass1_mu0.4_seed1_step159.fcp"] {
        let files = fold_files();
        assert!(solved(files.iter().find(|file| file.ends_with(name)).unwrap(), ExactOptions::default()), "{name}");
    }
}

/// One of them only the way around the fold reaches.
#[test]
fn walking_around_a_fold_arrives_where_nothing_else_does() {
    let files = fold_files();
    let file = files.iter().find(|file| file.ends_with("collapse60_mass1000_mu0.4_seed1_step125.fcp")).unwrap();
    assert!(!solved(file, ExactOptions { folds: Folds::Leave, ..ExactOptions::default() }));
    assert!(solved(file, ExactOptions::default()));
}

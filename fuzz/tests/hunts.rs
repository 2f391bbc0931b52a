//! A short hunt through every door with a fixed seed, in every run of the tests; a long one on request: see `fuzz/README.md`.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use signorini_fuzz::{Limit, Report, TARGETS, Target, hunt};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name)
}

/// The inputs of a target, in order of name.
fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder(target.name))
        .map_or_else(|_| Vec::new(), |list| list.map(|e| e.unwrap().path()).collect());
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Says what was found, and keeps the inputs that broke something.
fn tell(target: &Target, report: &Report) {
    let Report { inputs, kept, outcomes, found, slowest } = report;
    let (name, kept, outcomes, broken) = (target.name, kept.len(), outcomes.len(), found.len());
    println!(
        "{name}: {inputs} inputs, {outcomes} outcomes, {kept} kept, {broken} broke something; slowest {:?}",
        slowest.0
    );
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("found").join(name);
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join("slowest"), &slowest.1).unwrap();
    for (index, found) in found.iter().enumerate() {
        let file = place.join(format!("{index}"));
        std::fs::write(&file, &found.input).unwrap();
        println!("  {}: {}", file.display(), found.what);
    }
}

fn short(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let report = hunt(target, &corpus(target), 1, Limit::Inputs(target.short));
    tell(target, &report);
    assert!(report.found.is_empty(), "{} of {} inputs broke something", report.found.len(), report.inputs);
    // A hunt that sees one outcome only has not come through the door.
    assert!(report.outcomes.len() > 3, "{:?}", report.outcomes);
}

macro_rules! short_hunts {
    ($($name:ident),*) => {
        $(#[test] fn $name() { short(stringify!($name)); })*
        #[test]
        fn every_target_is_hunted() {
            assert_eq!([$(stringify!($name)),*].as_slice(), TARGETS.map(|target| target.name).as_slice());
        }
    };
}

short_hunts!(calls, scene_toml, scene_json, urdf, mjcf, mesh, problem, snapshot, recording, view);

/// What once broke something stays mended.
#[test]
fn every_input_of_the_corpus_is_taken() {
    for target in &TARGETS {
        for input in corpus(target) {
            (target.run)(&input);
        }
    }
}

#[test]
#[ignore = "as long as one likes: see fuzz/README.md"]
fn long() {
    let variable = |name: &str| std::env::var(name).ok();
    let seconds: u64 = variable("fuzz_seconds").and_then(|text| text.parse().ok()).unwrap_or(60);
    let seed: u64 = variable("fuzz_seed").and_then(|text| text.parse().ok()).unwrap_or(2);
    let wanted = variable("fuzz_target");
    let mut broken = 0;
    for target in TARGETS.iter().filter(|target| wanted.as_deref().is_none_or(|name| name == target.name)) {
        let report = hunt(target, &corpus(target), seed, Limit::Time(Duration::from_secs(seconds)));
        tell(target, &report);
        broken += report.found.len();
        if variable("fuzz_keep").is_some() {
            std::fs::create_dir_all(folder(target.name)).unwrap();
            for (index, input) in report.kept.iter().enumerate() {
                std::fs::write(folder(target.name).join(format!("seed{seed}-{index:04}")), input).unwrap();
            }
        }
    }
    assert_eq!(broken, 0);
}

//! The tables of `docs/validation` against the sources: every test they name exists, every case has a row, and every test
//! of a fault or criterion is in a table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join("docs/validation").join(name)).unwrap()
}

/// Rust files below a folder.
fn rust_files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// Tests of every file, by the name of the file.
fn tests() -> BTreeMap<String, BTreeSet<String>> {
    let mut files = Vec::new();
    for name in ["problem", "solvers", "engine", "scenes", "record", "cli"] {
        rust_files(&root().join("crates").join(name).join("src"), &mut files);
        rust_files(&root().join("crates").join(name).join("tests"), &mut files);
    }
    let mut tests: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let stem = file.file_stem().unwrap().to_str().unwrap().to_string();
        let mut marked = false;
        for line in text.lines().map(str::trim) {
            if let Some(rest) = line.strip_prefix("fn ")
                && marked
            {
                let name = rest.split(['(', '<']).next().unwrap().to_string();
                tests.entry(stem.clone()).or_default().insert(name);
            }
            marked = line == "#[test]" || (marked && (line.starts_with("#[") || line.starts_with("//")));
        }
    }
    // Those of Python are named with the ending of their file.
    for entry in std::fs::read_dir(root().join("crates/py/tests")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "py") {
            let text = std::fs::read_to_string(&path).unwrap();
            let functions = text.lines().filter_map(|line| line.strip_prefix("def ")?.split('(').next());
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            tests.entry(name).or_default().extend(functions.map(str::to_string));
        }
    }
    tests
}

/// What a page names as `file::test`.
fn named(page: &str) -> BTreeSet<(String, String)> {
    let quoted = page.split('`').skip(1).step_by(2);
    let pair = |text: &str| text.split_once("::").map(|(file, test)| (file.to_string(), test.to_string()));
    quoted.filter_map(pair).collect()
}

#[test]
fn every_test_named_in_the_tables_exists() {
    let tests = tests();
    let mut missing = Vec::new();
    for name in ["trace.md", "criteria.md", "faults.md", "mutants.md"] {
        let found = named(&page(name));
        assert!(found.len() > 10, "{name} names {} tests", found.len());
        for (file, test) in found {
            if !tests.get(&file).is_some_and(|known| known.contains(&test)) {
                missing.push(format!("{name}: {file}::{test}"));
            }
        }
    }
    assert!(missing.is_empty(), "not in the sources:\n{}", missing.join("\n"));
}

#[test]
fn every_fault_has_a_row_and_every_test_of_a_fault_is_in_the_table() {
    let page = page("faults.md");
    let groups = [("A", 12), ("B", 9), ("C", 17), ("D", 8), ("E", 10), ("F", 15), ("G", 9), ("H", 9)];
    for (group, count) in groups.into_iter().chain([("I", 14), ("J", 19), ("K", 9), ("L", 13)]) {
        for case in 1..=count {
            let begin = format!("| {group}{case} ");
            let row = page.lines().find(|line| line.starts_with(&begin));
            // The case, what is asked, the tests, the result.
            let tests = row.and_then(|row| row.split(" | ").nth(2)).unwrap_or_else(|| panic!("no row {begin}"));
            assert!(tests.starts_with("[`") && tests.contains("::"), "{begin} links no test: {tests}");
        }
    }
    let (named, tests) = (named(&page), tests());
    for file in ["faults_bodies", "faults_shapes", "faults_solver", "faults_churn", "determinism", "api_sequences"] {
        for test in &tests[file] {
            assert!(named.contains(&(file.to_string(), test.clone())), "{file}::{test} is in no row");
        }
    }
    // Tests that carry the number of a case, as in i9 or l13.
    for file in [
        "faults_snapshot",
        "scene_files",
        "scene_urdf",
        "scene_memory",
        "recording",
        "recording_faults",
        "view_security",
    ] {
        let case =
            |test: &str| test.starts_with(['i', 'j', 'l']) && test[1..].starts_with(|c: char| c.is_ascii_digit());
        for test in tests[file].iter().filter(|test| case(test)) {
            assert!(named.contains(&(file.to_string(), test.clone())), "{file}::{test} is in no row");
        }
    }
}

#[test]
fn every_criterion_of_the_engine_has_a_test() {
    let (named, tests) = (named(&page("criteria.md")), tests());
    for criterion in 8..=19 {
        let prefix = format!("criterion_{criterion:02}_");
        assert!(named.iter().any(|(_, test)| test.starts_with(&prefix)), "no test of criterion {criterion}");
    }
    for file in ["acceptance_physics", "acceptance_contact", "long_run"] {
        for test in &tests[file] {
            assert!(named.contains(&(file.to_string(), test.clone())), "{file}::{test} is in no row");
        }
    }
}

#[test]
fn no_row_of_the_trace_is_without_a_test_or_a_reason() {
    for line in page("trace.md").lines().filter(|line| line.starts_with("| ") && !line.starts_with("| test |")) {
        if line.starts_with("| named test") {
            continue;
        }
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 5, "{line}");
        let reason = cells[2].contains("::") || ["by type", "the benches"].contains(&cells[2]);
        assert!(reason && !cells[3].is_empty(), "{line}");
    }
}

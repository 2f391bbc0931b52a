//! `docs/features.md` is made of `data/features.csv`, and every test that it names exists.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const COLUMNS: usize = 8;

const HEAD: &str = "# Features

What people expect of a world, and the test that holds it here. ● yes, ◐ in part or by another way, ○ no, – not checked. Rapier 0.36,
MuJoCo 4, Drake 1.56, Jolt 5.5, Box3D 0.1. Of the others this is what their documentation or source says, not a measurement: a
dash says nothing about the engine. By another way means that the user writes part of it.

Made by `scripts/feature-page` of `data/features.csv`; every test named here exists (`crates/engine/tests/spec/feature_page.rs`).

";

const SOURCES: &str = "
## Where this is from

* **Rapier**: source of the crate `rapier3d-f64` 0.36. Groups are per collider; hooks filter pairs and modify contacts (one-way
  platforms, tangent velocity, coefficients); events are of collisions that start and stop and of contact forces; damping is
  v/(1 + c h); friction is one number.
* **MuJoCo**: XML reference, <https://mujoco.readthedocs.io/en/stable/XMLreference.html>. `contype` and `conaffinity` are per geom;
  `contact/pair` has five friction coefficients of its own; `condim` 4 and 6 add torsional and rolling friction to one elliptic
  cone; `gravcomp` scales gravity.
* **Drake**: documentation of `MultibodyPlant` and `SceneGraph`. Contact is compliant; torsion comes from hydroelastic patches.
* **Jolt**: <https://jrouwe.github.io/JoltPhysics/>, classes `ContactListener`, `ContactSettings` (surface velocities, coefficients of
  a pair), `BodyActivationListener`, `BodyCreationSettings` (`mAllowedDOFs`, `mGravityFactor`, `mIsSensor`).
* **Box3D**: <https://box2d.org/documentation3d/> and the source of the crate `boxddd` 0.4. Filters, sensors and surfaces are per shape;
  surfaces have `rollingResistance` (shapes with a radius) and `tangentVelocity`; events are begin, end and hit, and bodies that fell
  asleep.
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Rows of the table; the first is its head.
fn rows() -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(root().join("data/features.csv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let rows: Vec<Vec<String>> = lines.map(|line| line.split(';').map(str::to_owned).collect()).collect();
    for row in &rows {
        assert_eq!(row.len(), COLUMNS, "{row:?}");
    }
    rows
}

fn page() -> String {
    let mut text = HEAD.to_owned();
    for (place, row) in rows().iter().enumerate() {
        let cells = row.iter().enumerate().map(|(column, cell)| match (place, column) {
            (0, 7) => "held by".to_owned(),
            (0, _) | (_, 0) => cell.clone(),
            (_, 7) => cell.split(", ").map(|test| format!("`{test}`")).collect::<Vec<_>>().join(", "),
            _ => match cell.as_str() {
                "yes" => "●".to_owned(),
                "part" => "◐".to_owned(),
                "no" => "○".to_owned(),
                "?" => "–".to_owned(),
                other => panic!("'{other}' is none of yes, part, no, ?: {row:?}"),
            },
        });
        writeln!(text, "| {} |", cells.collect::<Vec<_>>().join(" | ")).unwrap();
        if place == 0 {
            writeln!(text, "|{}", "---|".repeat(COLUMNS)).unwrap();
        }
    }
    text + SOURCES
}

/// Tests of a file of this crate, by name.
fn tests_of(file: &str) -> BTreeSet<String> {
    let folders =
        ["spec", "physics", "faults", "properties", "."].map(|name| root().join("crates/engine/tests").join(name));
    let path = folders.iter().map(|folder| folder.join(format!("{file}.rs"))).find(|path| path.exists());
    let text = std::fs::read_to_string(path.unwrap_or_else(|| panic!("no test file {file}.rs"))).unwrap();
    let mut names = BTreeSet::new();
    let mut marked = false;
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("fn ").filter(|_| marked) {
            names.insert(rest.split('(').next().unwrap().to_owned());
        }
        marked = line == "#[test]" || (marked && line.starts_with("#["));
    }
    names
}

#[test]
fn every_feature_is_held_by_tests_that_exist() {
    let rows = rows();
    assert!(rows.len() > 20);
    for row in &rows[1..] {
        for test in row[7].split(", ") {
            let (file, name) = test.split_once("::").unwrap_or_else(|| panic!("{test} is no test: {row:?}"));
            assert!(tests_of(file).contains(name), "there is no test {test}");
        }
        assert_eq!(row[1], "yes", "a feature that is not here needs no row: {row:?}");
    }
}

#[test]
fn the_feature_page_is_the_one_of_its_table() {
    let found = std::fs::read_to_string(root().join("docs/features.md")).unwrap();
    assert_eq!(found, page(), "run scripts/feature-page");
}

/// Not a check: what `scripts/feature-page` runs.
#[test]
#[ignore = "writes docs/features.md"]
fn write_feature_page() {
    std::fs::write(root().join("docs/features.md"), page()).unwrap();
}

//! Every built-in scene comes to the committed fingerprint of its state, on every processor and system.
//!
//! `data/golden_states.txt` holds a line `scene steps fingerprint` for each. This program is also run under an emulated
//! processor without fused multiply-add and wide registers (`scripts/test-emulated`), and the WebAssembly package is held
//! to the same file. After a change that is meant to move bodies otherwise: `scripts/golden-states` writes the file anew.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use signorini_scenes::worlds::{self, NamedScene};
use std::fmt::Write as _;

const GOLDEN: &str = include_str!("../../../data/golden_states.txt");
/// Steps that each scene is run for, or to its end: enough for impacts, sliding and rest.
const STEPS: u64 = 60;
/// Scenes of a run under an emulator: free rotation, joints, slopes, rolling, bounces, vaults.
const FEW: [&str; 8] =
    ["torque_free_top", "incline_slip", "rolling_onset", "billiard", "bounce_lively", "hanging_chain", "arch", "demo"];

fn line(scene: &NamedScene) -> String {
    let description = scene.scene();
    let mut world = description.build().expect(scene.name);
    let steps = description.steps().min(STEPS);
    for _ in 0..steps {
        world.step(description.step).expect(scene.name);
    }
    format!("{} {steps} {:016x}", scene.name, world.state_hash())
}

fn compare<'a>(scenes: impl Iterator<Item = &'a NamedScene>) {
    let mut differences = String::new();
    for scene in scenes {
        let found = line(scene);
        let golden = GOLDEN.lines().find(|line| line.split(' ').next() == Some(scene.name));
        if golden != Some(found.as_str()) {
            writeln!(differences, "found {found}, golden {}", golden.unwrap_or("none")).unwrap();
        }
    }
    assert!(differences.is_empty(), "{differences}if bodies are meant to move otherwise: scripts/golden-states");
}

#[test]
fn a_few_scenes_come_to_their_golden_states() {
    compare(FEW.iter().map(|name| worlds::find(name).expect(name)));
}

#[test]
fn all_scenes_come_to_their_golden_states() {
    compare(worlds::all().iter());
}

#[test]
#[ignore = "writes the file; scripts/golden-states"]
fn write_golden_states() {
    let lines: String = worlds::all().iter().map(|scene| line(scene) + "\n").collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/golden_states.txt");
    std::fs::write(path, lines).unwrap();
}

#[test]
fn every_scene_has_a_golden_state() {
    let named: Vec<&str> = GOLDEN.lines().filter_map(|line| line.split(' ').next()).collect();
    let scenes: Vec<&str> = worlds::all().iter().map(|scene| scene.name).collect();
    assert_eq!(named, scenes, "run scripts/golden-states");
}

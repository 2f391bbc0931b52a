//! Worlds that have come to rest stay as they are, to the last bit.
//!
//! All scenes that come to rest, a million steps each, in optimised code:
//! `cargo test --release --test worlds_rest -- --ignored --nocapture`.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use signorini::World;
use signorini_scenes::worlds;

/// Most steps that are waited for rest.
const PATIENCE: u64 = 900;

/// Runs a scene until a step changes nothing; none if it never comes to rest, or only in part.
fn rest(named: &worlds::NamedScene) -> Option<(World, f64)> {
    let scene = named.scene();
    let mut world = scene.build().unwrap();
    for _ in 0..PATIENCE {
        let before = world.state_hash();
        let report = world.step(scene.step).unwrap();
        let replayed = report.counts.replayed == report.counts.islands && report.counts.islands > 0;
        if replayed && world.state_hash() == before {
            return Some((world, scene.step));
        }
    }
    None
}

/// Steps each scene that is `wanted` and comes to rest; returns their names.
fn hold(steps: u64, wanted: impl Fn(&worlds::NamedScene) -> bool) -> Vec<&'static str> {
    let mut held = Vec::new();
    for named in worlds::all().iter().filter(|named| wanted(named)) {
        let Some((mut world, dt)) = rest(named) else {
            println!("{}: does not come to rest within {PATIENCE} steps", named.name);
            continue;
        };
        let (hash, since) = (world.state_hash(), world.steps());
        for _ in 0..steps {
            world.step(dt).unwrap();
        }
        assert_eq!(world.state_hash(), hash, "{}: something moved after step {since}", named.name);
        println!("{}: at rest from step {since}, {steps} steps bit-equal", named.name);
        held.push(named.name);
    }
    held
}

#[test]
fn a_small_stack_stands_to_the_last_bit() {
    assert_eq!(hold(100_000, |named| named.name == "stack"), ["stack"]);
}

#[test]
#[ignore = "minutes: see the head of the file"]
fn every_scene_that_rests_stands_for_a_million_steps_to_the_last_bit() {
    assert!(hold(1_000_000, |_| true).len() > 5);
}

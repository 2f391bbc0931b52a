//! Worlds that have come to rest stay as they are, to the last bit.
//!
//! Every built-in scene is tried. A step that changes nothing is taken again without being computed, so that a million of them
//! take a tenth of a second.

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

/// Steps each scene that comes to rest; returns their names.
fn hold(steps: u64) -> Vec<&'static str> {
    let mut held = Vec::new();
    for named in worlds::all() {
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
fn every_scene_that_rests_stands_for_a_million_steps_to_the_last_bit() {
    let held = hold(1_000_000);
    assert!(held.len() > 20, "only {held:?}");
}

//! What recording costs: 500 bodies, 600 steps, writing against simulating.
//!
//! `cargo bench --bench recording`
//!
//! The time of writing is taken around each call within a run, because the simulation by itself differs by more from run
//! to run than writing costs. It is the time for which the simulation has to wait; most of the work is done by another
//! thread, whose processor time is `other_s` where the system tells. `sum_percent` compares all steps, being interrupted by
//! other programs included; `median_percent` a usual step with a usual write, which a busy machine disturbs less.
//! `finish_s` is what comes after the last step: what still waits is written and forced to the disk.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use signorini::Scene;
use signorini::scene::{BodyDescription, Grid, ShapeDescription};
use signorini_record::{ContactRecording, Header, Options, Reader, Writer};
use std::path::Path;
use std::time::Instant;

/// A grid of 500 cubes, `height` on each other.
fn scene(height: u32) -> Scene {
    let cube = ShapeDescription::Cuboid { half_extents: [0.25; 3] };
    Scene {
        bodies: vec![
            BodyDescription::fixed("floor", ShapeDescription::HalfSpace { normal: [0.0, 0.0, 1.0] }),
            BodyDescription {
                position: [0.0, 0.0, 0.25],
                grid: Some(Grid { count: [25, 20 / height, height], spacing: [1.0, 1.0, 0.5] }),
                ..BodyDescription::new("cube", cube)
            },
        ],
        duration: 10.0,
        ..Scene::default()
    }
}

/// The same cubes where nothing pulls and nothing touches: steps cost next to nothing.
fn adrift() -> Scene {
    let mut scene = scene(1);
    scene.gravity = [0.0; 3];
    scene.bodies[1].position[2] = 2.0;
    scene.bodies[1].angular_velocity = [0.1, 0.2, 0.3];
    scene
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Processor time of the threads that record, so far \[s\].
fn other_seconds() -> f64 {
    let spent = |thread: std::fs::DirEntry| {
        let thread = thread.path();
        let records = std::fs::read_to_string(thread.join("comm")).ok()?.starts_with("record\n");
        let spent = std::fs::read_to_string(thread.join("schedstat")).ok()?;
        records.then_some(spent.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
    };
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads.filter_map(spent).fold(f64::NAN, f64::max)
}

fn measure(name: &str, scene: &Scene, contacts: ContactRecording, path: &Path) {
    let mut world = scene.build().unwrap();
    let options = Options { contacts, existing: signorini_record::Existing::Replace, ..Options::default() };
    let (mut simulating, mut writing) = (Vec::new(), Vec::new());
    let mut writer = Writer::create(path, &Header::of_scene(scene, &world), &world, &options).unwrap();
    for _ in 0..scene.steps() {
        let start = Instant::now();
        let report = world.step(scene.step).unwrap();
        simulating.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        writer.step(&world, &report).unwrap();
        writing.push(start.elapsed().as_secs_f64());
    }
    let other = other_seconds();
    let start = Instant::now();
    writer.finish().unwrap();
    let finishing = start.elapsed().as_secs_f64();
    let start = Instant::now();
    assert_eq!(Reader::open(path).unwrap().frames() as u64, scene.steps() + 1);
    let opening = start.elapsed().as_secs_f64();
    let sums = [simulating.iter().sum::<f64>(), writing.iter().sum::<f64>()];
    let medians = [median(simulating), median(writing)];
    println!(
        "{name},{contacts:?},{:.1},{:.3},{:.3},{:.1},{:.3},{:.3},{:.1},{other:.3},{finishing:.3},{opening:.3}",
        path.metadata().unwrap().len() as f64 * 1e-6,
        sums[0],
        sums[1],
        100.0 * sums[1] / sums[0],
        1e3 * medians[0],
        1e3 * medians[1],
        100.0 * medians[1] / medians[0],
    );
}

fn main() {
    let path = std::env::temp_dir().join(format!("signorini-recording-{}.mcap", std::process::id()));
    println!(
        "scene,contacts,megabytes,simulate_s,write_s,sum_percent,simulate_ms,write_ms,median_percent,other_s,\
         finish_s,open_s"
    );
    for (name, scene) in [("500 cubes alone", scene(1)), ("100 stacks of five", scene(5)), ("500 adrift", adrift())] {
        for contacts in [ContactRecording::Off, ContactRecording::On] {
            measure(name, &scene, contacts, &path);
        }
    }
    std::fs::remove_file(path).unwrap();
}

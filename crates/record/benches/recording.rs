//! What recording costs: 500 bodies, 600 steps, writing against simulating, on the wall and of the processor.
//!
//! `cargo bench --bench recording`
//!
//! The time of writing is taken around each call within a run, because the simulation by itself differs by more from run
//! to run than writing costs. Rounds of all scenes take turns, so that what else the machine does hits all; medians.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use signorini::Scene;
use signorini::scene::{BodyDescription, Grid, ShapeDescription};
use signorini_record::{ContactRecording, Header, Options, Reader, Writer};
use std::path::Path;
use std::time::Instant;

const ROUNDS: usize = 1;

/// A grid of 500 cubes, `height` on each other, `gap` above the floor.
fn scene(height: u32, gap: f64) -> Scene {
    let cube = ShapeDescription::Cuboid { half_extents: [0.25; 3] };
    Scene {
        bodies: vec![
            BodyDescription::fixed("floor", ShapeDescription::HalfSpace { normal: [0.0, 0.0, 1.0] }),
            BodyDescription {
                position: [0.0, 0.0, 0.25 + gap],
                grid: Some(Grid { count: [25, 20 / height, height], spacing: [1.0, 1.0, 0.5] }),
                ..BodyDescription::new("cube", cube)
            },
        ],
        duration: 10.0,
        ..Scene::default()
    }
}

/// Processor time of a thread \[s\]; zero where the system does not tell.
fn spent(thread: &Path) -> f64 {
    let text = std::fs::read_to_string(thread.join("schedstat")).unwrap_or_default();
    text.split_whitespace().next().map_or(0.0, |nanoseconds| 1e-9 * nanoseconds.parse::<f64>().unwrap())
}

fn of_this_thread() -> f64 {
    spent(Path::new("/proc/thread-self"))
}

fn of_all_threads() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    threads.map(|thread| spent(&thread.unwrap().path())).sum()
}

/// Wall and processor time of simulating and of writing \[s\], of opening, and the size of the file.
#[derive(Clone, Copy, Default)]
struct Cost {
    simulating: [f64; 2],
    writing: [f64; 2],
    opening: f64,
    bytes: u64,
}

fn run(scene: &Scene, contacts: ContactRecording, path: &Path) -> Cost {
    let mut world = scene.build().unwrap();
    let options = Options { contacts, ..Options::default() };
    let (mut cost, before) = (Cost::default(), of_all_threads());
    let mut writer = Writer::create(path, &Header::of_scene(scene, &world), &world, &options).unwrap();
    for _ in 0..scene.steps() {
        let start = Instant::now();
        let report = world.step(scene.step).unwrap();
        cost.simulating[0] += start.elapsed().as_secs_f64();
        let (start, processor) = (Instant::now(), of_this_thread());
        writer.step(&world, &report).unwrap();
        cost.writing[0] += start.elapsed().as_secs_f64();
        cost.writing[1] += of_this_thread() - processor;
    }
    let (start, processor) = (Instant::now(), of_this_thread());
    writer.finish().unwrap();
    cost.writing[0] += start.elapsed().as_secs_f64();
    cost.writing[1] += of_this_thread() - processor;
    cost.simulating[1] = of_all_threads() - before - cost.writing[1];
    cost.bytes = path.metadata().unwrap().len();
    let start = Instant::now();
    assert_eq!(Reader::open(path).unwrap().frames() as u64, scene.steps() + 1);
    cost.opening = start.elapsed().as_secs_f64();
    cost
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let path = std::env::temp_dir().join(format!("signorini-recording-{}.mcap", std::process::id()));
    let scenes =
        [("500 cubes alone", scene(1, 0.0)), ("100 stacks of five", scene(5, 0.0)), ("500 in flight", scene(1, 1e4))];
    let kinds = [ContactRecording::Off, ContactRecording::On];
    let cases: Vec<_> = scenes.iter().flat_map(|scene| kinds.map(|kind| (scene, kind))).collect();
    let mut costs = vec![Vec::new(); cases.len()];
    for _ in 0..ROUNDS {
        for (((_, scene), contacts), costs) in cases.iter().zip(&mut costs) {
            costs.push(run(scene, *contacts, &path));
        }
    }
    println!(
        "scene,contacts,megabytes,simulate_wall_s,write_wall_s,wall_percent,simulate_cpu_s,write_cpu_s,cpu_percent,open_s"
    );
    for (((name, _), contacts), costs) in cases.iter().zip(&costs) {
        let of = |value: fn(&Cost) -> f64| median(costs.iter().map(value).collect());
        println!(
            "{name},{contacts:?},{:.1},{:.3},{:.3},{:.1},{:.3},{:.3},{:.1},{:.3}",
            of(|c| c.bytes as f64 * 1e-6),
            of(|c| c.simulating[0]),
            of(|c| c.writing[0]),
            of(|c| 100.0 * c.writing[0] / c.simulating[0]),
            of(|c| c.simulating[1]),
            of(|c| c.writing[1]),
            of(|c| 100.0 * c.writing[1] / c.simulating[1]),
            of(|c| c.opening),
        );
    }
    std::fs::remove_file(path).unwrap();
}

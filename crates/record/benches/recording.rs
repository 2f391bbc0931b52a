//! What recording costs: 500 bodies, 600 steps, writing against simulating.
//!
//! `cargo bench --bench recording`

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use signorini::Scene;
use signorini::scene::{BodyDescription, Grid, ShapeDescription};
use signorini_record::{ContactRecording, Header, Options, Reader, Writer};
use std::time::Instant;

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

fn main() {
    let path = std::env::temp_dir().join(format!("signorini-recording-{}.mcap", std::process::id()));
    println!("scene,contacts,steps,bytes,simulate_s,write_s,percent,open_s");
    for (name, height) in [("500 cubes alone", 1), ("100 stacks of five", 5)] {
        for contacts in [ContactRecording::Off, ContactRecording::On] {
            let scene = scene(height);
            let mut world = scene.build().unwrap();
            let options = Options { contacts, ..Options::default() };
            let (mut simulating, mut writing) = (0.0, 0.0);
            let start = Instant::now();
            let mut writer = Writer::create(&path, &Header::of_scene(&scene, &world), &world, &options).unwrap();
            writing += start.elapsed().as_secs_f64();
            for _ in 0..scene.steps() {
                let start = Instant::now();
                let report = world.step(scene.step).unwrap();
                let middle = Instant::now();
                writer.step(&world, &report).unwrap();
                simulating += (middle - start).as_secs_f64();
                writing += middle.elapsed().as_secs_f64();
            }
            let start = Instant::now();
            writer.finish().unwrap();
            writing += start.elapsed().as_secs_f64();
            let bytes = path.metadata().unwrap().len();
            let start = Instant::now();
            let frames = Reader::open(&path).unwrap().frames();
            let opening = start.elapsed().as_secs_f64();
            assert_eq!(frames as u64, scene.steps() + 1);
            println!(
                "{name},{contacts:?},{},{bytes},{simulating:.3},{writing:.3},{:.2},{opening:.3}",
                scene.steps(),
                100.0 * writing / simulating
            );
        }
    }
    std::fs::remove_file(path).unwrap();
}

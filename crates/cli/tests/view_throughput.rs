//! What watching costs: 500 bodies with 2000 contacts, stepped as fast as they can be, with and without a page.
//!
//! Takes a quiet machine and some time, so it is run by hand:
//! `cargo test --release --test view_throughput -- --ignored --nocapture`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]

mod visitor;

use std::time::{Duration, Instant};
use visitor::{Message, Server, directory, scene_file};

/// A hundred stacks of five boxes.
const STACKS: &str = r#"
name = "stacks"
step = 0.01
duration = 10000.0
[[bodies]]
name = "floor"
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1] } }
[[bodies]]
name = "box"
shape = { cuboid = { half_extents = [0.5, 0.5, 0.5] } }
position = [0, 0, 0.5]
grid = { count = [10, 10, 5], spacing = [2, 2, 1] }
"#;

const WINDOW: Duration = Duration::from_secs(4);

/// Number of the newest frame.
fn newest(server: &Server) -> u32 {
    let (mut socket, _) = server.enter();
    Message::Binary(socket.frame()).index().unwrap()
}

#[test]
#[ignore = "a measurement for a quiet machine"]
fn five_hundred_bodies_are_watched_at_thirty_frames_a_second_for_less_than_a_twentieth() {
    let directory = directory("view_throughput");
    let server = Server::start(&[&scene_file(&directory, "stacks", STACKS), "--speed", "0"]);
    let mut ratios = Vec::new();
    for round in 0..5 {
        // Alone: two short looks at the number of the newest frame, and nobody in between.
        let (start, first) = (Instant::now(), newest(&server));
        std::thread::sleep(WINDOW);
        let alone = f64::from(newest(&server) - first) / start.elapsed().as_secs_f64();
        // Watched: everything is read.
        let (mut socket, _) = server.enter();
        let (start, first) = (Instant::now(), Message::Binary(socket.frame()).index().unwrap());
        let seen = socket.frames_within(WINDOW);
        let seconds = start.elapsed().as_secs_f64();
        let watched = f64::from(seen.last().unwrap() - first) / seconds;
        let frames = seen.len() as f64 / seconds;
        eprintln!("round {round}: {alone:.1} steps/s alone, {watched:.1} watched, {frames:.1} frames/s received");
        assert!(frames >= 30.0_f64.min(0.9 * watched), "{frames} frames/s");
        ratios.push(watched / alone);
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    eprintln!("watched over alone: {median:.3}");
    assert!(median > 0.95, "watching costs {:.1} %", 100.0 * (1.0 - median));
}

//! What watching costs: 500 bodies with 2000 contacts, stepped as fast as they can be, with and without a page.
//!
//! Takes some time, so it is run by hand:
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

const WINDOW: Duration = Duration::from_secs(3);
const ROUNDS: usize = 5;

/// Number of the newest frame.
fn newest(server: &Server) -> u32 {
    let (mut socket, _) = server.enter();
    Message::Binary(socket.frame()).index().unwrap()
}

/// Processor time of all threads that simulate \[s\]: of all but those that serve. Unlike the clock on the wall, it does
/// not mind what else the machine does.
fn simulation_seconds(server: &Server) -> Option<f64> {
    let mut nanoseconds = 0;
    for thread in std::fs::read_dir(format!("/proc/{}/task", server.id())).ok()? {
        let thread = thread.ok()?.path();
        if !std::fs::read_to_string(thread.join("comm")).ok()?.starts_with("server") {
            let spent = std::fs::read_to_string(thread.join("schedstat")).ok()?;
            nanoseconds += spent.split_whitespace().next()?.parse::<u64>().ok()?;
        }
    }
    Some(nanoseconds as f64 * 1e-9)
}

#[test]
#[ignore = "a measurement"]
fn five_hundred_bodies_are_watched_at_thirty_frames_a_second_for_less_than_a_twentieth() {
    let directory = directory("view_throughput");
    let server = Server::start(&[&scene_file(&directory, "stacks", STACKS), "--speed", "0"]);
    let mut ratios = Vec::new();
    newest(&server);
    for round in 0..ROUNDS {
        let Some(before) = simulation_seconds(&server) else {
            eprintln!("this system does not tell the processor time of threads: nothing is measured");
            return;
        };
        // Alone: two short looks at the number of the newest frame, and nobody in between.
        let (start, first) = (Instant::now(), newest(&server));
        std::thread::sleep(WINDOW);
        let steps = f64::from(newest(&server) - first);
        let (alone_rate, between) = (steps / start.elapsed().as_secs_f64(), simulation_seconds(&server).unwrap());
        let alone = (between - before) / steps;
        // Watched: everything is read.
        let (mut socket, _) = server.enter();
        let (start, first) = (Instant::now(), Message::Binary(socket.frame()).index().unwrap());
        let between = simulation_seconds(&server).unwrap();
        let seen = socket.frames_within(WINDOW);
        let steps = f64::from(seen.last().unwrap() - first);
        let watched = (simulation_seconds(&server).unwrap() - between) / steps;
        let (rate, frames) = (steps / start.elapsed().as_secs_f64(), seen.len() as f64 / start.elapsed().as_secs_f64());
        eprintln!(
            "round {round}: alone {:.3} ms of processor a step at {alone_rate:.0} steps/s; watched {:.3} ms at {rate:.0} \
             steps/s, {frames:.0} frames/s received",
            1e3 * alone,
            1e3 * watched
        );
        assert!(frames >= 30.0, "{frames} frames/s");
        ratios.push(watched / alone);
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ROUNDS / 2];
    eprintln!("watched over alone: {median:.3}");
    assert!(median < 1.05, "watching costs {:.1} %", 100.0 * (median - 1.0));
}

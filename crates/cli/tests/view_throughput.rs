//! What watching costs: 500 bodies with 2000 contacts, stepped as fast as they can be, watched by a page against stepped by
//! a plain program while the server is held. Short turns, so that what else the machine does hits both; the
//! median of their ratios, in processor time of the threads that simulate.
//!
//! Takes some time, so it is run by hand:
//! `cargo test --release --test view_throughput -- --ignored --nocapture`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]

mod visitor;

use signorini::Scene;
use std::time::{Duration, Instant};
use visitor::{Message, Server, Socket, directory, scene_file};

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

const WINDOW: Duration = Duration::from_millis(300);
const ROUNDS: usize = 51;

/// Processor time of the threads of a process \[s\]: of those that simulate, and of those that serve, which keep frames
/// and send them. Unlike the clock on the wall, it does not mind what else the machine does.
fn seconds(process: u32) -> Option<[f64; 2]> {
    let mut spent = [0.0; 2];
    for thread in std::fs::read_dir(format!("/proc/{process}/task")).ok()? {
        let thread = thread.ok()?.path();
        let serves = std::fs::read_to_string(thread.join("comm")).ok()?.starts_with("server");
        let schedule = std::fs::read_to_string(thread.join("schedstat")).ok()?;
        spent[usize::from(serves)] += 1e-9 * schedule.split_whitespace().next()?.parse::<f64>().ok()?;
    }
    Some(spent)
}

fn order(socket: &mut Socket, command: &str, phase: &str) {
    socket.say(&format!(r#"{{"type":"{command}"}}"#));
    while socket.wait_for("state")["phase"] != phase {}
}

#[test]
#[ignore = "a measurement"]
fn five_hundred_bodies_are_watched_at_thirty_frames_a_second_for_less_than_a_twentieth() {
    let directory = directory("view_throughput");
    let server = Server::start(&[&scene_file(&directory, "stacks", STACKS), "--speed", "0", "--control"]);
    let (mut socket, _) = server.enter();
    let scene = Scene::from_toml(STACKS).unwrap();
    let mut world = scene.build().unwrap();
    let (mut ratios, mut rates, mut served) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        order(&mut socket, "pause", "paused");
        let Some([before, _]) = seconds(std::process::id()) else {
            eprintln!("this system does not tell the processor time of threads: nothing is measured");
            return;
        };
        let (start, mut steps) = (Instant::now(), 0.0);
        while start.elapsed() < WINDOW {
            world.step(scene.step).unwrap();
            steps += 1.0;
        }
        let plain_rate = steps / start.elapsed().as_secs_f64();
        let plain = (seconds(std::process::id()).unwrap()[0] - before) / steps;
        order(&mut socket, "resume", "running");
        // Watched: everything is read.
        let (start, first) = (Instant::now(), Message::Binary(socket.frame()).index().unwrap());
        let before = seconds(server.id()).unwrap();
        let seen = socket.frames_within(WINDOW);
        let steps = f64::from(seen.last().unwrap() - first);
        let after = seconds(server.id()).unwrap();
        let [watched, serving] = [0, 1].map(|kind| (after[kind] - before[kind]) / steps);
        let (rate, frames) = (steps / start.elapsed().as_secs_f64(), seen.len() as f64 / start.elapsed().as_secs_f64());
        eprintln!(
            "round {round}: plain {:.3} ms of processor a step at {plain_rate:.0} steps/s; watched {:.3} ms at {rate:.0} \
             steps/s, {frames:.0} frames/s received, {:.3} ms to serve a step",
            1e3 * plain,
            1e3 * watched,
            1e3 * serving
        );
        ratios.push(watched / plain);
        rates.push(frames);
        served.push(serving);
    }
    for list in [&mut ratios, &mut rates, &mut served] {
        list.sort_by(f64::total_cmp);
    }
    let (ratio, rate) = (ratios[ROUNDS / 2], rates[ROUNDS / 2]);
    eprintln!("watched over plain: {ratio:.3} at {rate:.0} frames/s");
    eprintln!("other threads serve a step for {:.3} ms", 1e3 * served[ROUNDS / 2]);
    assert!(rate >= 30.0, "{rate} frames/s");
    assert!(ratio < 1.05, "watching costs {:.1} %", 100.0 * (ratio - 1.0));
}

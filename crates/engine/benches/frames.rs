//! The scene table of the specification (§6): the first twenty frames of clusters, stacks and grids of cubes.
//!
//! `cargo bench --bench frames`: a table on stderr, CSV on stdout; the least of many runs, one thread, every step certified.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/fixture/mod.rs"]
mod fixture;

use fixture::frames::{FRAMES, TABLE};
use fixture::{H, StepStatus};
use std::time::Instant;

/// Runs of each scene.
const RUNS: usize = 60;

fn main() {
    println!("scene,cubes,contacts,ms_of_twenty_frames,ms_of_the_table,degraded");
    for (family, cubes, table) in TABLE {
        let (mut least, mut contacts, mut degraded) = (f64::INFINITY, 0, 0);
        for _ in 0..RUNS {
            let mut world = family.world(*cubes);
            let begin = Instant::now();
            for _ in 0..FRAMES {
                let report = world.step(H).unwrap();
                contacts = contacts.max(report.counts.contacts);
                degraded += usize::from(report.status == StepStatus::Degraded);
            }
            least = least.min(1e3 * begin.elapsed().as_secs_f64());
        }
        println!("{family:?},{cubes},{contacts},{least:.4},{table},{degraded}");
        eprintln!(
            "{:16}{cubes:3} cubes{contacts:4} contacts{least:9.3} ms, table {table:7.3} ms",
            format!("{family:?}")
        );
    }
}

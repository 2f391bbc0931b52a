//! Fault list, G8: memory does not grow under a million creations and destructions. Alone in its process, so that the
//! memory of the process is its own.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod fixture;
use fixture::*;

/// Resident memory \[KiB\], where the system tells.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn g08_a_million_bodies_come_and_go_in_the_same_memory() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let template = ball("guest", v(0.0, 0.0, 3.0));
    let mut settled = None;
    for k in 0..1_000_000u64 {
        let b = w.add(template.clone()).unwrap();
        let joint = w.add_joint(Joint::ball(b, DVec3::ZERO, v(0.0, 0.0, 3.0))).unwrap();
        if k % 1000 == 0 {
            w.step(H).unwrap();
        }
        if k % 2 == 0 {
            w.remove_joint(joint).unwrap();
        }
        w.remove(b).unwrap();
        if k == 300_000 {
            settled = resident();
        }
    }
    assert_eq!(w.bodies().count(), 1);
    let (Some(settled), Some(end)) = (settled, resident()) else {
        println!("skipped: this system does not tell the memory of a process");
        return;
    };
    println!("{settled} KiB after 300 000, {end} KiB after 1 000 000");
    // One per cent, and what the allocator takes at a time.
    assert!(end <= 1.01 * settled + 128.0, "{settled} KiB → {end} KiB");
}

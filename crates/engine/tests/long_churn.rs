//! Bodies come, fall, are tied, and go, for as long as one likes: memory stays where it is. Alone in its process, so that the
//! memory of the process is its own.
//!
//! An hour of simulated time: `churn_seconds=3600 cargo test --release --test long_churn -- --nocapture`.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod fixture;
use fixture::*;
use std::collections::VecDeque;

/// Resident memory \[KiB\], where the system tells.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn memory_is_flat_while_bodies_come_and_go() {
    let seconds: f64 = std::env::var("churn_seconds").ok().and_then(|n| n.parse().ok()).unwrap_or(60.0);
    let steps = (60.0 * seconds) as u64;
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let mut random = Random::new(21);
    let mut guests: VecDeque<BodyHandle> = VecDeque::new();
    let mut settled = None;
    for k in 0..steps {
        if k % 10 == 0 {
            if guests.len() == 8 {
                w.remove(guests.pop_front().unwrap()).unwrap();
            }
            let place = v(2.0 * random.unit(), 2.0 * random.unit(), 1.5);
            let guest = match random.below(3) {
                0 => ball("", place),
                1 => cube("", place),
                _ => Body::dynamic(Shape::capsule(0.3, 0.2).unwrap()).position(place),
            };
            let b = w.add(guest.numbered(k)).unwrap();
            if random.below(4) == 0 {
                w.add_joint(Joint::ball(b, DVec3::ZERO, place)).unwrap();
            }
            guests.push_back(b);
        }
        w.step(1.0 / 60.0).unwrap();
        if k == steps / 3 {
            settled = resident();
        }
    }
    all_finite(&w);
    assert_eq!(w.bodies().count(), 1 + guests.len());
    let (Some(settled), Some(end)) = (settled, resident()) else {
        println!("skipped: this system does not tell the memory of a process");
        return;
    };
    println!("{settled} KiB after {} steps, {end} KiB after {steps}", steps / 3);
    // Two per cent, and what the allocator takes at a time: a leak of ten bytes a step would be 0.7 % in a minute and 43 % in
    // an hour.
    assert!(end <= 1.02 * settled + 512.0, "{settled} KiB → {end} KiB");
}

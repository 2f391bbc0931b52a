//! Bodies come, fall, are tied, and go, for as long as one likes: memory stays where it is.
//!
//! An hour of simulated time, in optimised code: `churn_rounds=360 cargo test --release --test long_churn -- --nocapture`.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "../../solvers/tests/counting_allocator/mod.rs"]
mod counting_allocator;
mod fixture;
use fixture::*;
use std::collections::VecDeque;

/// Steps of a round: ten seconds.
const STEPS: u64 = 625;
/// Rounds after which nothing is new. An island takes its vectors from a shelf, and in every round another of them grows to the size of
/// the largest that is asked for: measured 264 bytes a round up to the ninth, none after it.
const SETTLED: usize = 10;

/// Sixty-three guests, of which eight stay at a time; at the end all have gone.
fn round(w: &mut World) {
    let mut random = Random::new(21);
    let mut guests: VecDeque<BodyHandle> = VecDeque::new();
    for k in 0..STEPS {
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
        w.step(H).unwrap();
    }
    for guest in guests {
        w.remove(guest).unwrap();
    }
    w.step(H).unwrap();
}

/// What a world keeps for its islands grows with the hardest it has met, so that random rounds would take more now and then for
/// hours. The same round again meets nothing new: it leaves as many bytes as the one before, to the byte.
#[test]
fn memory_is_flat_while_bodies_come_and_go() {
    let rounds = std::env::var("churn_rounds").ok().and_then(|n| n.parse().ok()).unwrap_or(SETTLED + 2);
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    // Its memory is taken here, before anything is counted.
    let mut held = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        round(&mut w);
        held.push(counting_allocator::live_bytes());
    }
    all_finite(&w);
    assert_eq!(w.bodies().count(), 1);
    let (early, late) = held.split_at(SETTLED);
    println!("{rounds} rounds: {} bytes after {SETTLED}, {:?} at the end", early[SETTLED - 1], late.last());
    assert!(late.iter().all(|bytes| *bytes == early[SETTLED - 1]), "{held:?}");
}

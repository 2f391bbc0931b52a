//! Thousands of steps of worlds that nobody would build on purpose. Whatever happens: no panic, every step is taken, nothing
//! that is not finite, books that add up to a number, no more work than is allowed, and the same bits twice.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;
#[path = "soak/scenario.rs"]
mod scenario;

use fixture::*;
use scenario::Scenario;

const SCENARIOS: u64 = 12;
const STEPS: usize = 12;
/// Iterations of one island in a step, far above what is spent: nobody counts in millions.
const MOST_ITERATIONS: usize = 20_000;

/// Runs a scenario and gives back where it ends.
fn run(seed: u64, steps: usize) -> u64 {
    let mut scenario = Scenario::new(seed);
    for step in 0..steps {
        scenario.disturb();
        let report = match scenario.world.step(scenario.dt) {
            Ok(report) => report,
            Err(error) => panic!("seed {seed}, step {step}: {error}"),
        };
        all_finite(&scenario.world);
        let (books, label) = (&report.energy, format!("seed {seed}, step {step}"));
        assert!(books.closure().is_finite(), "{label}: {books:?}");
        let spent = report.effort.iterations;
        assert!(spent <= MOST_ITERATIONS * report.counts.islands.max(1), "{label}: {spent} iterations");
        if report.status == StepStatus::Certified {
            // A certificate is not given for energy out of nothing: what corrections of poses put in is in the ledger.
            let paid = books.external + books.driven + books.stabilisation.max(0.0);
            let rise = books.after.total() - books.before.total() - paid;
            // What velocities within the residual that is accepted amount to is not seen.
            let accept = scenario.world.settings().accepted().value;
            let masses = scenario.world.bodies().map(|(_, body)| body.mass());
            let unseen = accept * accept * masses.sum::<f64>();
            assert!(rise <= 0.02 * books.scale() + unseen, "{label}: {rise:e} J, {books:?}");
        }
    }
    scenario.world.state_hash()
}

#[test]
fn any_world_can_be_stepped() {
    for seed in 0..SCENARIOS {
        run(seed, STEPS);
    }
}

#[test]
fn any_world_ends_in_the_same_bits_twice() {
    for seed in 1000..1004 {
        assert_eq!(run(seed, 10), run(seed, 10), "seed {seed}");
    }
}

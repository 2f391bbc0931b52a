//! A steady step touches the heap not once: counted by a global allocator.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

#[path = "../../solvers/tests/counting_allocator/mod.rs"]
mod counting_allocator;
mod fixture;
mod robots_at_rest;
use fixture::*;

/// Allocations of each of 60 steps after 120 others: by then every tier of the solver that a scene needs now and then has
/// its memory.
fn allocations(world: &mut World, counter: fn() -> usize) -> Vec<usize> {
    for _ in 0..120 {
        world.step(H).unwrap();
    }
    let mut counts = Vec::with_capacity(60);
    for _ in 0..60 {
        let before = counter();
        world.step(H).unwrap();
        counts.push(counter() - before);
    }
    counts
}

fn stack() -> World {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    for i in 0..10 {
        w.add(cube(&format!("{i}"), v(0.0, 0.0, 0.5 + f64::from(i)))).unwrap();
    }
    w
}

fn wall() -> World {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    for row in 0..5 {
        for i in 0..5 {
            let x = 1.02 * f64::from(i) + 0.25 * f64::from(row % 2);
            w.add(cube(&format!("{row}{i}"), v(x, 0.0, 0.5 + f64::from(row)))).unwrap();
        }
    }
    w
}

/// Slides for longer than the test takes.
fn sliding() -> World {
    let mut w = world();
    add_floor(&mut w, 0.1, 0.0);
    w.add(cube("box", v(0.0, 0.0, 0.5)).velocity(v(20.0, 3.0, 0.0))).unwrap();
    w
}

/// A hundred balls that never meet anything.
fn flying() -> World {
    let mut w = weightless();
    for i in 0..100 {
        w.add(ball(&format!("{i}"), v(2.0 * f64::from(i), 0.0, 0.0)).angular_velocity(v(1.0, 2.0, 3.0))).unwrap();
    }
    w
}

/// Many small islands, so that there is something to share between threads.
fn islands() -> World {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    for i in 0..40 {
        w.add(cube(&format!("{i} lower"), v(3.0 * f64::from(i), 0.0, 0.5))).unwrap();
        w.add(cube(&format!("{i} upper"), v(3.0 * f64::from(i), 0.0, 1.5))).unwrap();
    }
    w
}

fn with_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// What is run, and its name.
type Scene = (&'static str, fn() -> World);

/// One test, because the last part counts all threads of the process.
#[test]
fn a_steady_step_allocates_nothing() {
    let scenes: [Scene; 5] =
        [("stack", stack), ("wall", wall), ("sliding", sliding), ("flying", flying), ("islands", islands)];
    for (name, build) in scenes {
        let counts = with_threads(1, || allocations(&mut build(), counting_allocator::of_this_thread));
        assert_eq!(counts, vec![0; 60], "{name}, one thread");
    }
    for (name, build) in robots_at_rest::SCENES {
        let counts = with_threads(1, || allocations(&mut build(), counting_allocator::of_this_thread));
        assert_eq!(counts, vec![0; 60], "{name}");
    }
    // Work handed to other threads goes through queues that grow now and then.
    let counts = with_threads(4, || allocations(&mut islands(), counting_allocator::of_all_threads));
    println!("40 islands, four threads: {} allocations in 60 steps", counts.iter().sum::<usize>());
    assert!(counts.iter().sum::<usize>() <= 60, "four threads: {counts:?}");
}

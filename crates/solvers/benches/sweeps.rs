//! Cost of one contact and of one sweep: `cargo bench --bench sweeps`.
//!
//! Prints the least of many short batches, which a busy machine disturbs less than a mean.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "../tests/sweeps_fixtures/mod.rs"]
mod sweeps_fixtures;

use signorini_problem::ContactProblem;
use signorini_solvers::one_contact::OneContact;
use signorini_solvers::sweep::{ContactStep, Direction, RowStep, Sweeper};
use signorini_solvers::{History, Method, SolverSession, Status, StoppingRule};
use std::hint::black_box;
use std::time::Instant;
use sweeps_fixtures::{Body, Scene, cube_stack, sphere_heap};

/// Least seconds per call over 300 batches of `calls`.
fn least(calls: usize, mut call: impl FnMut()) -> f64 {
    (0..300)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..calls {
                call();
            }
            start.elapsed().as_secs_f64() / calls as f64
        })
        .fold(f64::INFINITY, f64::min)
}

/// 4 cubes high, 64 columns: 1024 contacts; the lower cubes slide, so stick, slip and open all occur.
fn columns() -> Scene {
    let mut scene = Scene { gravity_step: 0.0981, ..Scene::default() };
    for column in 0..64 {
        for level in 0..4 {
            let b = scene.bodies.len();
            let v = [if level == 0 { 1.0 } else { 0.0 }, 0.02 * column as f64, 0.0];
            scene.bodies.push(Body::cube(1.0, 1.0, [2.0 * column as f64, 0.0, 0.5 + level as f64]).moving(v));
            if level == 0 {
                scene.four_corners(b, 1.0, 0.4, 0.0);
            } else {
                scene.stacked(b - 1, b, 1.0, 0.4);
            }
        }
    }
    scene
}

fn one_contact() {
    let k = [[4.0, 1.5, 1.5], [1.5, 3.0, -0.5], [1.5, -0.5, 5.0]];
    let contact = OneContact::new(&k);
    for (name, mu, q) in [
        ("open", 0.5, [1.0, 3.0, 2.0]),
        ("stick", 0.5, [-1.0, -0.3, -0.3]),
        ("slip", 0.5, [-1.0, 3.0, 2.0]),
        ("slip, grazing", 0.3, [-0.001, 10.0, 4.0]),
    ] {
        let seconds = least(1000, || {
            black_box(contact.solve(black_box(mu), black_box(&q)));
        });
        println!("one contact, {name:16} {:7.1} ns", 1e9 * seconds);
    }
    let seconds = least(1000, || {
        black_box(OneContact::new(black_box(&k)));
    });
    println!("one contact, {:16} {:7.1} ns", "prepare", 1e9 * seconds);
}

fn sweeps<S: ContactStep>(name: &str, scene: &str, problem: &ContactProblem) {
    let mut sweeper = Sweeper::<S>::default();
    let contacts = problem.blocks().len() as f64;
    let per_thousand = |seconds: f64| 1e6 * seconds * 1000.0 / contacts;
    let prepare = least(2, || sweeper.prepare(problem));
    let mut r = vec![0.0; problem.rows()];
    sweeper.begin(problem, &r);
    for _ in 0..3 {
        sweeper.sweep(problem, &mut r, Direction::Forward);
    }
    let start = r.clone();
    let sweep = least(1, || {
        r.copy_from_slice(&start);
        sweeper.begin(problem, &r);
        for _ in 0..10 {
            sweeper.sweep(problem, &mut r, Direction::Forward);
        }
    }) / 10.0;
    let residual = least(2, || {
        black_box(sweeper.residual(problem, &r));
    });
    println!(
        "{name:5} {scene:22} prepare {:6.1}, sweep {:6.1}, residual {:6.1} µs per 1000 contacts",
        per_thousand(prepare),
        per_thousand(sweep),
        per_thousand(residual)
    );
}

/// A stack of 14 cubes, 168 rows, with the impulses of a step before: of the same gravity, and of 1 mm/s less. Sweeps to
/// 1e-5 m/s, and `exact` to 1e-9 m/s.
fn warm() {
    let stack = |gravity_step: f64| cube_stack(&[1.0; 14], gravity_step).problem();
    let hundred = StoppingRule { max_iterations: Some(100), ..StoppingRule::velocity(1e-5) };
    let certain = StoppingRule::velocity(1e-9);
    for (method, rule) in [(Method::AcceleratedNsgs, hundred), (Method::Exact, certain)] {
        let (mut solver, mut session) = (method.solver(), SolverSession::default());
        let off = &mut History::off();
        let rest = session.solve(&stack(0.0981), &mut *solver, None, &rule, off).unwrap().impulses.clone();
        for (name, gravity_step) in [("unchanged", 0.0981), ("1 mm/s more", 0.0991)] {
            let problem = stack(gravity_step);
            let (mut effort, mut status) = (0, Status::Unsolved);
            let seconds = least(10, || {
                let solution = session.solve(&problem, &mut *solver, Some(&rest), &rule, off).unwrap();
                (effort, status) = (solution.effort.iterations, solution.status);
            });
            println!("{method:16} 168 rows, warm, {name:12} {:7.1} µs, {effort} iterations, {status:?}", 1e6 * seconds);
        }
    }
}

fn main() {
    one_contact();
    warm();
    for (scene, problem) in [
        ("columns, 1024 contacts", columns().problem()),
        ("spheres, 1009 contacts", sphere_heap(15, 0.3).problem()),
        ("spheres, 19405 contacts", sphere_heap(63, 0.3).problem()),
    ] {
        sweeps::<OneContact>("nsgs", scene, &problem);
        sweeps::<RowStep>("pgs", scene, &problem);
    }
}

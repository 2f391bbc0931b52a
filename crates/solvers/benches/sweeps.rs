//! Cost of one contact and of one sweep. `cargo bench --workspace --bench sweeps`
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../tests/sweeps_fixtures/mod.rs"]
mod sweeps_fixtures;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use signorini_problem::ContactProblem;
use signorini_solvers::one_contact::OneContact;
use signorini_solvers::sweep::{ContactStep, Direction, RowStep, Sweeper};
use std::hint::black_box;
use sweeps_fixtures::{Body, Scene, sphere_heap};

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

fn one_contact(criterion: &mut Criterion) {
    let k = [[4.0, 1.5, 1.5], [1.5, 3.0, -0.5], [1.5, -0.5, 5.0]];
    let contact = OneContact::new(&k);
    let mut group = criterion.benchmark_group("one_contact");
    for (name, mu, q) in [
        ("open", 0.5, [1.0, 3.0, 2.0]),
        ("stick", 0.5, [-1.0, -0.3, -0.3]),
        ("slip", 0.5, [-1.0, 3.0, 2.0]),
        ("slip_grazing", 0.3, [-0.001, 10.0, 4.0]),
    ] {
        group.bench_function(name, |b| b.iter(|| contact.solve(black_box(mu), black_box(&q))));
    }
    group.bench_function("prepare", |b| b.iter(|| OneContact::new(black_box(&k))));
    group.finish();
}

fn sweeps_of<S: ContactStep>(criterion: &mut Criterion, name: &str, scene: &str, problem: &ContactProblem) {
    let mut sweeper = Sweeper::<S>::default();
    sweeper.prepare(problem);
    let mut start = vec![0.0; problem.rows()];
    sweeper.begin(problem, &start);
    for _ in 0..5 {
        sweeper.sweep(problem, &mut start, Direction::Forward);
    }
    let mut group = criterion.benchmark_group(format!("{name}/{scene}"));
    group.throughput(Throughput::Elements(problem.blocks().len() as u64));
    group.bench_function("prepare", |b| b.iter(|| sweeper.prepare(problem)));
    group.bench_function("ten_sweeps", |b| {
        b.iter_batched_ref(
            || start.clone(),
            |r| {
                sweeper.begin(problem, r);
                for _ in 0..10 {
                    sweeper.sweep(problem, r, Direction::Forward);
                }
            },
            BatchSize::SmallInput,
        )
    });
    group.bench_function("residual", |b| b.iter(|| sweeper.residual(problem, &start)));
    group.finish();
}

fn sweeps(criterion: &mut Criterion) {
    for (scene, problem) in [("columns_1024", columns().problem()), ("spheres_1009", sphere_heap(15, 0.3).problem())] {
        sweeps_of::<OneContact>(criterion, "nsgs", scene, &problem);
        sweeps_of::<RowStep>(criterion, "pgs", scene, &problem);
    }
}

criterion_group!(benches, one_contact, sweeps);
criterion_main!(benches);

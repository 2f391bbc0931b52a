//! Ten thousand random problems of all laws together: no panic, no NaN, no impulse outside its cone, no false status.
//!
//! Bodies of masses over six decades in random poses; frictional contacts in space and in the plane, frictionless ones,
//! joints, limits and motors; contacts repeated bit for bit. Every problem has a solution: all offsets are such that
//! bodies at rest break no law (v = 0 is admissible, which suffices: Cadoux 2009).

use crate::conformance_support::*;
use signorini_problem::{Block, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, JacobianRow, Symmetry};
use signorini_scenes::contact::frame;
use signorini_scenes::inverse_mass;
use signorini_scenes::random::SplitMix64;
use signorini_scenes::vector::{Vec3, cross, unit};
use signorini_solvers::{Exact, History, Method, SolverSession, Status, StoppingRule};

fn below(random: &mut SplitMix64, n: usize) -> usize {
    (random.unit() * n as f64) as usize
}

fn direction(random: &mut SplitMix64) -> Vec3 {
    unit(std::array::from_fn(|_| random.normal()))
}

/// Velocity of B relative to A along `d`, at arms from either centre of mass.
fn row(d: Vec3, arm_a: Vec3, arm_b: Vec3) -> JacobianRow {
    let (a, b) = (cross(arm_a, d), cross(arm_b, d));
    [-d[0], -d[1], -d[2], -a[0], -a[1], -a[2], d[0], d[1], d[2], b[0], b[1], b[2]]
}

/// Problem number `seed`: up to 30 blocks on up to eight bodies.
fn random_problem(seed: u64) -> ContactProblem {
    let random = &mut SplitMix64::new(seed);
    let bodies = 1 + below(random, 8);
    let ratio = [1.0, 1e2, 1e4, 1e6][below(random, 4)];
    let inverse: Vec<_> = (0..bodies)
        .map(|_| {
            let mass = random.log_uniform(ratio);
            let axes = frame(direction(random));
            // Radii of gyration of 0.2 to 0.6 m for arms up to about 1 m.
            let inertia = std::array::from_fn(|_| mass * random.uniform(0.04, 0.36));
            inverse_mass(mass, inertia, &axes)
        })
        .collect();
    let velocity: Vec<[f64; 6]> = {
        let speed = [0.1, 1.0, 10.0][below(random, 3)];
        (0..bodies).map(|_| std::array::from_fn(|_| speed * random.normal())).collect()
    };
    let (mut blocks, mut pairs, mut rows, mut offsets) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for c in 0..1 + below(random, 30) {
        let b = below(random, bodies) as u32;
        let a = (bodies > 1 && random.unit() < 0.6).then(|| (b + 1 + below(random, bodies - 1) as u32) % bodies as u32);
        // Once in eight a contact comes twice, bit for bit.
        if c > 0 && random.unit() < 0.125 {
            let (block, pair): (Block, [Option<u32>; 2]) = (blocks[c - 1], pairs[c - 1]);
            rows.extend_from_within(rows.len() - block.rows..);
            offsets.extend_from_within(offsets.len() - block.rows..);
            blocks.push(block);
            pairs.push(pair);
            continue;
        }
        let arms: [Vec3; 2] = std::array::from_fn(|_| std::array::from_fn(|_| 0.5 * random.normal()));
        let axes = frame(direction(random));
        let mu = if random.unit() < 0.1 { 0.0 } else { random.uniform(0.0, 2.0) };
        let gap = if random.unit() < 0.2 { random.uniform(0.0, 2.0) } else { 0.0 };
        let kind = random.unit();
        let (block, offset) = if kind < 0.6 {
            (Block::contact(mu), vec![gap, 0.0, 0.0])
        } else if kind < 0.7 {
            (Block::planar_contact(mu), vec![gap, 0.0])
        } else if kind < 0.8 {
            (Block::normal(), vec![gap])
        } else if kind < 0.9 {
            let n = 1 + below(random, 3);
            (Block::joint(n), vec![0.0; n])
        } else {
            let strength = random.log_uniform(1e4);
            match below(random, 3) {
                0 => (Block::interval(-strength, strength), vec![random.normal()]),
                1 => (Block::interval(0.0, f64::INFINITY), vec![gap]),
                _ => (Block::interval(-0.5 * strength, 0.0), vec![random.normal()]),
            }
        };
        rows.extend(axes.iter().take(block.rows).map(|d| row(*d, arms[0], arms[1])));
        offsets.extend(offset);
        blocks.push(block);
        pairs.push([a, Some(b)]);
    }
    let mut q = offsets;
    let mut index = 0;
    for (block, pair) in blocks.iter().zip(&pairs) {
        for _ in 0..block.rows {
            for (side, body) in pair.iter().enumerate() {
                let Some(body) = body else { continue };
                q[index] += (0..6).map(|k| rows[index][6 * side + k] * velocity[*body as usize][k]).sum::<f64>();
            }
            index += 1;
        }
    }
    let factored = Delassus::Factored(FactoredDelassus::new(inverse, pairs, rows));
    let problem = ContactProblem::new(blocks, factored, q, Symmetry::Exact).unwrap();
    // Once in four W is given instead of bodies; its transpose is then its own only up to rounding.
    if random.unit() >= 0.25 {
        return problem;
    }
    let w = DenseDelassus::new(problem.rows(), problem.delassus().to_dense(problem.offsets()));
    let (blocks, q) = (problem.blocks().to_vec(), problem.q().to_vec());
    ContactProblem::new(blocks, Delassus::Dense(w), q, Symmetry::UpTo(1e-12)).unwrap()
}

/// Runs `method` over the seeds; returns those it leaves unsolved with their residual [m/s].
fn run(method: Method, seeds: std::ops::Range<u64>, cap: Option<usize>) -> Vec<(u64, f64)> {
    let stop = StoppingRule { max_iterations: cap, ..StoppingRule::default() };
    let (mut solver, mut session) = (method.solver(), SolverSession::default());
    let mut unsolved = Vec::new();
    for seed in seeds {
        let problem = random_problem(seed);
        let label = format!("{method}, seed {seed}");
        // One solver for all of them: what a problem leaves behind must not reach the next.
        let solution = session.solve(&problem, &mut *solver, None, &stop, &mut History::off()).unwrap();
        assert_feasible(&label, &problem, &solution.impulses);
        assert_honest(&label, &problem, solution, &stop);
        if solution.status == Status::Unsolved {
            unsolved.push((seed, solution.certificate.natural));
        }
    }
    unsolved
}

const PROBLEMS: u64 = 10_000;

fn exact_part(part: u64) {
    let seeds = part * PROBLEMS / 4..(part + 1) * PROBLEMS / 4;
    let unsolved = run(Method::Exact, seeds.clone(), None);
    println!("exact, seeds {seeds:?}: {} unsolved: {unsolved:?}", unsolved.len());
    // Measured: none of 10 000, nor of the next 20 000. Which of the hard ones arrive may change with a bit.
    assert!(unsolved.len() <= 1, "{unsolved:?}");
}

#[test]
fn exact_on_random_problems_first_quarter() {
    exact_part(0);
}

#[test]
fn exact_on_random_problems_second_quarter() {
    exact_part(1);
}

#[test]
fn exact_on_random_problems_third_quarter() {
    exact_part(2);
}

#[test]
fn exact_on_random_problems_fourth_quarter() {
    exact_part(3);
}

#[test]
fn every_other_method_is_honest_on_random_problems() {
    for method in Method::ALL {
        if matches!(method.name(), "exact" | "active-set" | "block-pivoting" | "lemke") {
            continue; // Above; refuse friction.
        }
        let sweeps = matches!(method.name(), "pgs" | "nsgs" | "accelerated-nsgs" | "block-pgs");
        let seeds = 0..match method.name() {
            name if name.starts_with("polyhedral") => 15,
            _ if sweeps => 200,
            _ => 40,
        };
        let unsolved = run(*method, seeds.clone(), sweeps.then_some(300));
        println!("{:20} {} of {} unsolved", method.name(), unsolved.len(), seeds.end);
    }
}

/// Those of 30 000 problems that no other tier certifies: their central paths fold and fold. Pyramids that gain corners, on
/// Lemke's path, lead to all of them; one may be lost to a bit.
#[test]
fn problems_whose_paths_fold_are_solved_by_pyramids() {
    let seeds = [
        3034, 11153, 12064, 12333, 12693, 14831, 16598, 18578, 18864, 19796, 20101, 20263, 23552, 25635, 26706, 27126,
        28669,
    ];
    let unsolved: Vec<_> = seeds.into_iter().flat_map(|seed| run(Method::Exact, seed..seed + 1, None)).collect();
    assert!(unsolved.len() <= 1, "{unsolved:?}");
}

/// A solver keeps buffers, never answers: a problem's answer does not depend on what was solved before.
#[test]
fn a_used_solver_answers_as_a_fresh_one() {
    let stop = StoppingRule::default();
    let mut used = Exact::default();
    let mut session = SolverSession::default();
    for seed in 0..200 {
        let problem = random_problem(seed);
        let after = session.solve(&problem, &mut used, None, &stop, &mut History::off()).unwrap().impulses.clone();
        let fresh = signorini_solvers::solve(&problem, &mut Exact::default(), None, &stop).unwrap().impulses;
        assert!(after == fresh, "seed {seed}");
    }
}

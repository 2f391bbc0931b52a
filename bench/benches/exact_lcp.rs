//! Time to a certificate of 1e-10 for exact frictionless contact, beside ten sweeps of projected Gauss–Seidel (assembly not counted).
//!
//! `cargo bench -p signorini-bench --no-default-features --features faer --bench exact_lcp > bench/results/exact_lcp.csv`
//! prints a table as CSV. Times are medians over repeated solves, assembly and certificate included. `factor_us` is one Cholesky factorization and solve of the closed contacts by faer.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

#[path = "../../crates/solvers/benches/report/mod.rs"]
mod report;

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use signorini_problem::{
    Block, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, InverseMass, Symmetry, certify,
};
use signorini_solvers::{History, Method, SolverSession, Status, StoppingRule};
use std::time::Instant;

const SIZES: [usize; 7] = [1, 5, 10, 20, 50, 200, 1000];
/// Speed that gravity adds in a step of 16 ms [m/s].
const FALL: f64 = 9.81 * 0.016;

fn main() {
    println!(
        "machine,commit,family,contacts,method,start,median_us,natural,solved,iterations,factorizations,active,indeterminacy,factor_us,pgs10_us,pgs10_natural"
    );
    let (machine, commit) = (report::machine(), report::commit());
    let only: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    for (family, build) in families::ALL {
        if !only.is_empty() && !only.iter().any(|name| name == family) {
            continue;
        }
        for contacts in SIZES {
            let problem = build(contacts);
            let w = problem.delassus().to_dense(problem.offsets());
            let (pgs_us, pgs_natural) = gauss_seidel(&problem, &w);
            for method in [Method::ActiveSet, Method::BlockPivoting] {
                let mut solver = method.solver();
                let mut session = SolverSession::default();
                let stop = StoppingRule::velocity(1e-10);
                let cold = session.solve(&problem, &mut *solver, None, &stop, &mut History::off()).unwrap().clone();
                let factor_us = factor_and_solve(&w, problem.q(), &cold.impulses);
                for (start, guess) in [("cold", None), ("warm", Some(&cold.impulses[..]))] {
                    let mut last = None;
                    let us = median_us(|| {
                        let s = session.solve(&problem, &mut *solver, guess, &stop, &mut History::off()).unwrap();
                        last = Some((s.status, s.certificate.natural, s.effort));
                    });
                    let (status, natural, effort) = last.unwrap();
                    println!(
                        "{machine},{commit},{family},{contacts},{method},{start},{us:.3},{natural:.1e},{},{},{},{},{},{factor_us:.3},{pgs_us:.3},{pgs_natural:.1e}",
                        status == Status::Solved,
                        effort.iterations,
                        effort.factorizations,
                        effort.active,
                        effort.indeterminacy
                    );
                }
            }
        }
    }
}

/// Median of enough runs to fill a fifth of a second, at least three.
fn median_us(mut run: impl FnMut()) -> f64 {
    run();
    let mut times = Vec::new();
    let begin = Instant::now();
    while times.len() < 3 || (begin.elapsed().as_secs_f64() < 0.2 && times.len() < 100_000) {
        // Several runs between two readings of the clock, where one is shorter than its resolution.
        let batch = if times.first().is_some_and(|t| *t > 20.0) { 1 } else { 16 };
        let start = Instant::now();
        for _ in 0..batch {
            run();
        }
        times.push(start.elapsed().as_secs_f64() * 1e6 / batch as f64);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Ten plain sweeps from zero over the nonzeros of the assembled W: median time and the residual they leave.
fn gauss_seidel(problem: &ContactProblem, w: &[f64]) -> (f64, f64) {
    let n = problem.rows();
    let rows: Vec<Vec<(usize, f64)>> = w
        .chunks_exact(n)
        .map(|row| row.iter().copied().enumerate().filter(|(_, value)| *value != 0.0).collect())
        .collect();
    let mut r = vec![0.0; n];
    let us = median_us(|| {
        r.fill(0.0);
        for _ in 0..10 {
            for (i, row) in rows.iter().enumerate() {
                let u: f64 = problem.q()[i] + row.iter().map(|(j, value)| value * r[*j]).sum::<f64>();
                r[i] = f64::max(0.0, r[i] - u / w[i * n + i]);
            }
        }
    });
    (us, certify(problem, &r).unwrap().natural)
}

/// One factorization and solve for the contacts that carry load; zero where W is singular there.
fn factor_and_solve(w: &[f64], q: &[f64], impulses: &[f64]) -> f64 {
    let n = q.len();
    let closed: Vec<usize> = (0..n).filter(|i| impulses[*i] > 0.0).collect();
    let matrix = Mat::from_fn(closed.len(), closed.len(), |i, j| w[closed[i] * n + closed[j]]);
    let right = Mat::from_fn(closed.len(), 1, |i, _| -q[closed[i]]);
    if closed.is_empty() || matrix.llt(Side::Lower).is_err() {
        return 0.0;
    }
    median_us(|| {
        let x = matrix.llt(Side::Lower).unwrap().solve(&right);
        std::hint::black_box(x);
    })
}

mod families {
    use super::*;

    type Build = fn(usize) -> ContactProblem;
    pub const ALL: [(&str, Build); 4] = [("stack", stack), ("wall", wall), ("random", random), ("plate", plate)];

    fn inverse_mass(mass: f64) -> InverseMass {
        let mut m = [[0.0; 6]; 6];
        for i in 0..3 {
            m[i][i] = 1.0 / mass;
            m[i + 3][i + 3] = 6.0 / mass;
        }
        m
    }

    /// Row of a contact with normal +z, with horizontal lever arms on both sides.
    fn row(a: [f64; 2], b: [f64; 2]) -> [f64; 12] {
        [0.0, 0.0, -1.0, -a[1], a[0], 0.0, 0.0, 0.0, 1.0, b[1], -b[0], 0.0]
    }

    fn falling(masses: usize, contacts: Vec<([Option<u32>; 2], [f64; 12])>) -> ContactProblem {
        // Everything falls alike: only contacts with the floor approach.
        let q = contacts.iter().map(|c| if c.0[0].is_none() { -FALL } else { 0.0 }).collect();
        let bodies = contacts.iter().map(|c| c.0).collect();
        let jacobian = contacts.iter().map(|c| c.1).collect();
        let delassus = FactoredDelassus::new(vec![inverse_mass(1.0); masses], bodies, jacobian);
        let blocks = vec![Block::normal(); contacts.len()];
        ContactProblem::new(blocks, Delassus::Factored(delassus), q, Symmetry::Exact).unwrap()
    }

    /// A column of bodies, one contact each: W is regular and its condition number grows with the square of the height.
    fn stack(contacts: usize) -> ContactProblem {
        let below = |i: usize| if i == 0 { None } else { Some(i as u32 - 1) };
        falling(contacts, (0..contacts).map(|i| ([below(i), Some(i as u32)], row([0.0; 2], [0.0; 2]))).collect())
    }

    /// Bricks in running bond, eight wide: each rests on two below, two points on each; one in four is redundant.
    fn wall(contacts: usize) -> ContactProblem {
        let bricks = contacts.div_ceil(4);
        let mut all = Vec::new();
        for brick in 0..bricks {
            let (level, column) = (brick / 8, brick % 8);
            for (x, y) in [(-0.25, -0.25), (-0.25, 0.25), (0.25, -0.25), (0.25, 0.25)] {
                let shift = if level % 2 == 1 { 0.5 } else { 0.0 };
                // Bricks are one wide; the point lies at column + shift + x of the level below, which is shifted back.
                let (below, lever) = if level == 0 {
                    (None, [0.0, 0.0])
                } else {
                    let previous = if level % 2 == 1 { 0.0 } else { 0.5 };
                    let place = column as f64 + shift + x - previous;
                    let support = place.round().clamp(0.0, 7.0);
                    (Some((8 * (level - 1) + support as usize) as u32), [place - support, y])
                };
                all.push(([below, Some(brick as u32)], row(lever, [x, y])));
            }
        }
        all.truncate(contacts);
        falling(bricks, all)
    }

    /// W = B Bᵀ with three more columns than rows, q = B v: about half of the contacts close.
    fn random(contacts: usize) -> ContactProblem {
        let (n, columns) = (contacts, contacts + 3);
        let mut state = 0x2545_F491_4F6C_DD1Du64;
        let mut symmetric = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let b: Vec<f64> = (0..n * columns).map(|_| symmetric()).collect();
        let v: Vec<f64> = (0..columns).map(|_| symmetric()).collect();
        let product = |i: usize, x: &[f64]| b[i * columns..(i + 1) * columns].iter().zip(x).map(|(b, x)| b * x).sum();
        let mut w = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                w[i * n + j] = product(i, &b[j * columns..(j + 1) * columns]);
                w[j * n + i] = w[i * n + j];
            }
        }
        let q: Vec<f64> = (0..n).map(|i| product(i, &v)).collect();
        let delassus = Delassus::Dense(DenseDelassus::new(n, w));
        ContactProblem::new(vec![Block::normal(); n], delassus, q, Symmetry::Exact).unwrap()
    }

    /// One body on n coplanar contacts, loaded off its centre: W has rank three.
    fn plate(contacts: usize) -> ContactProblem {
        let side = (contacts as f64).sqrt().ceil() as usize;
        let at = |i: usize| if side > 1 { i as f64 / (side - 1) as f64 - 0.5 } else { 0.0 };
        let points = (0..contacts).map(|c| [at(c % side) - 0.1, at(c / side) - 0.05]);
        falling(1, points.map(|p| ([None, Some(0)], row([0.0; 2], p))).collect())
    }
}

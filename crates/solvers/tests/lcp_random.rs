//! A hundred thousand random problems, regular and singular, against references that share no code with the solvers.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

mod lcp_fixtures;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use lcp_fixtures::*;
use signorini_problem::{ContactProblem, Delassus};
use signorini_solvers::{
    ActiveSet, ActiveSetOptions, BlockPivoting, ContactSolver, History, Lemke, SolverSession, Status, StoppingRule,
    solve,
};

/// Solves the k×k system by elimination with complete pivoting; `None` if a pivot is below 1e-10 of the first.
fn eliminate(mut a: Vec<f64>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let k = b.len();
    let mut columns: Vec<usize> = (0..k).collect();
    let mut first = 0.0;
    for p in 0..k {
        let mut best = (0.0, p, p);
        for i in p..k {
            for j in p..k {
                if a[i * k + j].abs() > best.0 {
                    best = (a[i * k + j].abs(), i, j);
                }
            }
        }
        first = f64::max(first, best.0);
        if best.0 <= 1e-10 * first {
            return None;
        }
        for j in 0..k {
            a.swap(p * k + j, best.1 * k + j);
        }
        b.swap(p, best.1);
        for i in 0..k {
            a.swap(i * k + p, i * k + best.2);
        }
        columns.swap(p, best.2);
        for i in p + 1..k {
            let factor = a[i * k + p] / a[p * k + p];
            for j in p..k {
                a[i * k + j] -= factor * a[p * k + j];
            }
            b[i] -= factor * b[p];
        }
    }
    let mut x = vec![0.0; k];
    for p in (0..k).rev() {
        let sum: f64 = (p + 1..k).map(|j| a[p * k + j] * x[j]).sum();
        x[p] = (b[p] - sum) / a[p * k + p];
    }
    let mut ordered = vec![0.0; k];
    for (p, column) in columns.iter().enumerate() {
        ordered[*column] = x[p];
    }
    Some(ordered)
}

/// Tries every set of closed contacts; the one that violates the law least, and by how much [m/s].
fn enumerate(w: &[f64], q: &[f64]) -> (Vec<f64>, f64) {
    let n = q.len();
    let mut best = (vec![0.0; n], f64::INFINITY);
    for set in 0..1usize << n {
        let closed: Vec<usize> = (0..n).filter(|i| set >> i & 1 == 1).collect();
        // Scaled to unit diagonal, so that the test for singular sets means the same for every contact.
        let d: Vec<f64> = closed.iter().map(|i| w[i * n + i].sqrt()).collect();
        let mut a = Vec::new();
        for (x, i) in closed.iter().enumerate() {
            a.extend(closed.iter().enumerate().map(|(y, j)| w[i * n + j] / (d[x] * d[y])));
        }
        let b = closed.iter().zip(&d).map(|(i, d)| -q[*i] / d).collect();
        let Some(x) = eliminate(a, b) else { continue };
        let mut r = vec![0.0; n];
        for ((i, x), d) in closed.iter().zip(&x).zip(&d) {
            r[*i] = x / d;
        }
        let violation = (0..n).fold(0.0, |worst: f64, i| {
            let u: f64 = q[i] + (0..n).map(|j| w[i * n + j] * r[j]).sum::<f64>();
            worst.max(f64::min(w[i * n + i] * r[i], u).abs())
        });
        if violation < best.1 {
            best = (r, violation);
        }
    }
    best
}

struct Tally {
    session: SolverSession,
    solvers: Vec<Box<dyn ContactSolver>>,
    stop: StoppingRule,
    worst_natural: f64,
    worst_velocity: f64,
}

impl Tally {
    fn new() -> Self {
        Tally {
            session: SolverSession::default(),
            solvers: vec![
                Box::new(ActiveSet::default()),
                Box::new(BlockPivoting::default()),
                Box::new(ActiveSet::new(ActiveSetOptions { block_rounds: 0, ..ActiveSetOptions::default() })),
                Box::new(Lemke::default()),
            ],
            stop: StoppingRule::velocity(1e-10),
            worst_natural: 0.0,
            worst_velocity: 0.0,
        }
    }

    /// Solves by the first `methods` solvers; compares the velocity, which is unique, with the reference.
    fn grade(&mut self, label: &str, problem: &ContactProblem, methods: usize, reference: Option<&[f64]>) {
        let expected = reference.map(|r| problem.velocity(r));
        let speed = problem.speed().max(1.0);
        for solver in &mut self.solvers[..methods] {
            let solution = self.session.solve(problem, &mut **solver, None, &self.stop, &mut History::off()).unwrap();
            let natural = solution.certificate.natural;
            assert!(solution.impulses.iter().all(|r| *r >= 0.0), "{label}, {}", solver.name());
            assert_eq!(solution.status, Status::Solved, "{label}, {}: natural {natural:e}", solver.name());
            assert!(natural <= 1e-10 * speed, "{label}, {}: natural {natural:e}", solver.name());
            self.worst_natural = self.worst_natural.max(natural / speed);
            if let Some(expected) = &expected {
                for (u, e) in problem.velocity(&solution.impulses).iter().zip(expected) {
                    let error = (u - e).abs() / speed;
                    assert!(error <= 1e-8, "{label}, {}: velocity differs by {error:e}", solver.name());
                    self.worst_velocity = self.worst_velocity.max(error);
                }
            }
        }
    }
}

/// W and q of a random problem: `columns < contacts` makes it singular; every fifth has some q exactly zero.
fn draw(random: &mut Random, contacts: usize) -> ContactProblem {
    let columns = if random.below(2) == 0 { contacts + random.below(3) } else { 1 + random.below(contacts) };
    random_problem(random, contacts, columns, 3.0)
}

fn entries(problem: &ContactProblem) -> &[f64] {
    match problem.delassus() {
        Delassus::Dense(w) => w.values(),
        _ => panic!("dense problems only"),
    }
}

#[test]
fn sixty_thousand_small_problems_agree_with_enumeration() {
    let mut random = Random(2024);
    let mut tally = Tally::new();
    for case in 0..60_000 {
        let contacts = if case % 50 == 0 { 6 + random.below(3) } else { 1 + random.below(5) };
        let problem = draw(&mut random, contacts);
        let (reference, violation) = enumerate(entries(&problem), problem.q());
        let trusted = violation <= 1e-11 * problem.speed().max(1.0);
        tally.grade(&format!("case {case}"), &problem, 4, trusted.then_some(&reference[..]));
    }
    println!("worst natural {:e}, worst velocity {:e}", tally.worst_natural, tally.worst_velocity);
}

#[test]
fn forty_thousand_problems_up_to_twenty_contacts_are_certified() {
    let mut random = Random(4048);
    let mut tally = Tally::new();
    for case in 0..40_000 {
        let contacts = 6 + random.below(15);
        let problem = draw(&mut random, contacts);
        tally.grade(&format!("case {case}"), &problem, 3, None);
    }
    println!("worst natural {:e}", tally.worst_natural);
}

/// min ½rᵀWr + qᵀr, r ≥ 0, by an interior-point method of another author; its own tolerance bounds the agreement.
fn clarabel_reference(problem: &ContactProblem) -> Option<Vec<f64>> {
    let (n, w) = (problem.rows(), entries(problem));
    let upper: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| if j >= i { w[i * n + j] } else { 0.0 }).collect()).collect();
    let p = CscMatrix::from(&upper);
    let a = CscMatrix::from(
        &(0..n).map(|i| (0..n).map(|j| if i == j { -1.0 } else { 0.0 }).collect()).collect::<Vec<Vec<f64>>>(),
    );
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-12)
        .tol_gap_rel(1e-12)
        .tol_feas(1e-12)
        .build()
        .unwrap();
    let mut solver = DefaultSolver::new(&p, problem.q(), &a, &vec![0.0; n], &[NonnegativeConeT(n)], settings).unwrap();
    solver.solve();
    (solver.solution.status == SolverStatus::Solved).then(|| solver.solution.x.clone())
}

#[test]
fn larger_problems_agree_with_an_interior_point_method() {
    let mut random = Random(99);
    let mut compared = 0;
    for case in 0..200 {
        let contacts = 9 + random.below(12);
        let problem = draw(&mut random, contacts);
        let Some(reference) = clarabel_reference(&problem) else { continue };
        let expected = problem.velocity(&reference);
        let solution = solve(&problem, &mut ActiveSet::default(), None, &StoppingRule::velocity(1e-10)).unwrap();
        for (u, e) in problem.velocity(&solution.impulses).iter().zip(&expected) {
            // The gap of 1e-12 J of the reference leaves the square root of that in velocities.
            assert!((u - e).abs() <= 1e-5 * problem.speed().max(1.0), "case {case}: {u} against {e}");
        }
        let energy = |r: &[f64]| -> f64 {
            let u = problem.velocity(r);
            0.5 * r.iter().zip(u.iter().zip(problem.q())).map(|(r, (u, q))| r * (u + q)).sum::<f64>()
        };
        let (ours, theirs) = (energy(&solution.impulses), energy(&reference));
        assert!(ours <= theirs + 1e-9 * theirs.abs().max(1e-3), "case {case}: energy {ours} above {theirs}");
        compared += 1;
    }
    println!("{compared} of 200 compared");
    assert!(compared >= 150);
}

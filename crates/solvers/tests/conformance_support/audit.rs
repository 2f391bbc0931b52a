//! A second opinion on an answer: velocities summed from the parts of W, laws written down again, no code of the judge.

use signorini_problem::{ContactProblem, Delassus, Law};
use signorini_solvers::{Solution, Status, StoppingRule};

/// How wrong an answer is.
#[derive(Clone, Debug)]
pub struct Audit {
    /// `u = W r + q` [m/s].
    pub u: Vec<f64>,
    /// Largest natural map [m/s].
    pub natural: f64,
    /// Largest |min(w r_N, u_N)| [m/s].
    pub normal: f64,
    /// Round-off of one evaluation of u [m/s].
    pub floor: f64,
}

/// `W r + q`, or `|W||r| + |q|` with every factor made positive.
fn evaluate(problem: &ContactProblem, r: &[f64], part: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut u: Vec<f64> = problem.q().iter().map(|x| part(*x)).collect();
    match problem.delassus() {
        Delassus::Dense(w) => {
            for (i, u) in u.iter_mut().enumerate() {
                *u += w.row(i).iter().zip(r).rev().map(|(w, r)| part(*w) * part(*r)).sum::<f64>();
            }
        }
        Delassus::BlockSparse(w) => {
            for c in 0..problem.blocks().len() {
                for (k, block) in w.row(c) {
                    let columns = problem.range(k);
                    for (row, entries) in problem.range(c).zip(block.chunks_exact(columns.len())) {
                        for (entry, j) in entries.iter().zip(columns.clone()) {
                            u[row] += part(*entry) * part(r[j]);
                        }
                    }
                }
            }
        }
        Delassus::Factored(w) => {
            let mut momentum = vec![[0.0; 6]; w.inverse_mass().len()];
            let sides =
                |c: usize| w.bodies()[c].into_iter().enumerate().filter_map(|(s, b)| Some((6 * s, b? as usize)));
            for c in (0..problem.blocks().len()).rev() {
                for (first, body) in sides(c) {
                    for row in problem.range(c) {
                        for k in 0..6 {
                            momentum[body][k] += part(w.jacobian()[row][first + k]) * part(r[row]);
                        }
                    }
                }
            }
            let velocity: Vec<[f64; 6]> = momentum
                .iter()
                .zip(w.inverse_mass())
                .map(|(p, m)| std::array::from_fn(|i| (0..6).map(|j| part(m[i][j]) * p[j]).sum()))
                .collect();
            for c in 0..problem.blocks().len() {
                for (first, body) in sides(c) {
                    for row in problem.range(c) {
                        u[row] += (0..6).map(|k| part(w.jacobian()[row][first + k]) * velocity[body][k]).sum::<f64>();
                    }
                }
            }
        }
    }
    u
}

/// The point of {x_N ≥ 0, ‖x_T‖ ≤ μ x_N} nearest to z: z itself, or the best multiple of the generator that faces z,
/// which is the apex if the best is negative.
fn nearest_in_cone(mu: f64, z: [f64; 3]) -> [f64; 3] {
    let t = z[1].hypot(z[2]);
    if z[0] >= 0.0 && t <= mu * z[0] {
        return z;
    }
    let facing = if t > 0.0 { [z[1] / t, z[2] / t] } else { [1.0, 0.0] };
    let generator = [1.0, mu * facing[0], mu * facing[1]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let multiple = f64::max(dot(z, generator) / dot(generator, generator), 0.0);
    generator.map(|x| multiple * x)
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1]).hypot(a[2] - b[2])
}

fn triple(x: &[f64]) -> [f64; 3] {
    [x[0], x[1], x.get(2).copied().unwrap_or(0.0)]
}

/// Grades an answer.
pub fn audit(problem: &ContactProblem, r: &[f64]) -> Audit {
    let u = evaluate(problem, r, |x| x);
    let floor = f64::EPSILON / 2.0 * evaluate(problem, r, f64::abs).into_iter().fold(0.0, f64::max);
    let (mut natural, mut normal) = (0.0, 0.0);
    for (c, block) in problem.blocks().iter().enumerate() {
        let (r, u, w) = (&r[problem.range(c)], &u[problem.range(c)], problem.scales()[c]);
        let (map, own) = match block.law {
            Law::Equality => (u.iter().fold(0.0, |m: f64, x| m.hypot(*x)), 0.0),
            Law::NonNegative => (f64::min(w * r[0], u[0]).abs(), f64::min(w * r[0], u[0]).abs()),
            Law::Interval { lo, hi } => {
                // The velocity counts where the impulse could still give way to it.
                let room = if u[0] > 0.0 { r[0] - lo } else { hi - r[0] };
                (f64::min(u[0].abs(), w * room), 0.0)
            }
            Law::Rolling { .. } => panic!("block {c}: moments are not generated"),
            Law::Coulomb { mu } => {
                let (r, u) = (triple(r), triple(u));
                let shifted = [u[0] + mu * u[1].hypot(u[2]), u[1], u[2]];
                let scaled = r.map(|x| w * x);
                let z = std::array::from_fn(|i| scaled[i] - shifted[i]);
                (distance(scaled, nearest_in_cone(mu, z)), f64::min(scaled[0], u[0]).abs())
            }
        };
        assert!(map.is_finite() && own.is_finite(), "block {c}: residual {map}, {own}");
        natural = f64::max(natural, map);
        normal = f64::max(normal, own);
    }
    Audit { u, natural, normal, floor }
}

/// Every impulse finite, inside its cone or interval: what a solver owes on every exit.
pub fn assert_feasible(label: &str, problem: &ContactProblem, r: &[f64]) {
    assert_eq!(r.len(), problem.rows(), "{label}");
    for (c, block) in problem.blocks().iter().enumerate() {
        let r = &r[problem.range(c)];
        assert!(r.iter().all(|x| x.is_finite()), "{label}, block {c}: {r:?}");
        match block.law {
            Law::Equality => {}
            Law::NonNegative => assert!(r[0] >= 0.0, "{label}, block {c}: {r:?}"),
            Law::Interval { lo, hi } => {
                assert!(lo <= r[0] && r[0] <= hi, "{label}, block {c}: {r:?} not in [{lo}, {hi}]")
            }
            Law::Rolling { .. } => panic!("{label}, block {c}: moments are not generated"),
            Law::Coulomb { mu } => {
                let [n, t1, t2] = triple(r);
                assert!(n >= 0.0, "{label}, block {c}: pulls with {n:e}");
                // Two roundings of this test itself.
                let excess = t1.hypot(t2) - mu * n;
                assert!(excess <= 4.0 * f64::EPSILON * mu * n, "{label}, block {c}: outside by {excess:e} of {n:e}");
            }
        }
    }
}

/// The status says what the audit finds, either way; a velocity tolerance.
pub fn assert_honest(label: &str, problem: &ContactProblem, solution: &Solution, stop: &StoppingRule) {
    let audit = audit(problem, &solution.impulses);
    let speed = problem.speed().max(1.0);
    let measured = f64::max(audit.natural, audit.normal / 2.0) / speed;
    let excused = f64::min(3.0 * audit.floor / speed, 1e-8);
    let bound = f64::max(stop.tolerance.value, excused);
    // Two orders of summation disagree by a few round-offs.
    let doubt = 4.0 * audit.floor / speed + 1e-3 * bound;
    match solution.status {
        Status::Solved => assert!(measured <= bound + doubt, "{label}: solved, but {measured:e} exceeds {bound:e}"),
        Status::Unsolved => assert!(measured >= bound - doubt, "{label}: unsolved, but {measured:e} meets {bound:e}"),
    }
}

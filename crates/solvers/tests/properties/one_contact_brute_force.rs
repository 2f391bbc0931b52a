//! One contact against the certificate and against a scan of all slip directions.

use crate::sweeps_fixtures::{Random, single};
use signorini_problem::certify;
use signorini_solvers::cone::{Mat3, Vec3};
use signorini_solvers::one_contact::{LocalOutcome, OneContact, solve_problem};

/// `B Bᵀ` with columns over `spread` decades: condition number up to its square.
fn random_block(random: &mut Random, spread: f64) -> Mat3 {
    let columns = [random.decades(-spread, 0.0), random.decades(-spread, 0.0), 1.0];
    let b: Mat3 = std::array::from_fn(|_| {
        let v = random.vector();
        std::array::from_fn(|j| v[j] * columns[j])
    });
    let mut k = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..=i {
            k[i][j] = (0..3).map(|l| b[i][l] * b[j][l]).sum();
            k[j][i] = k[i][j];
        }
    }
    k
}

#[test]
fn hundred_thousand_random_blocks_are_certified() {
    let mut random = Random::new(5);
    let mut counts = [0usize; 4];
    let mut worst: f64 = 0.0;
    for trial in 0..100_000 {
        let k = random_block(&mut random, [0.0, 1.0, 3.0, 6.0][trial % 4]);
        let size = random.decades(-12.0, 12.0);
        let mass = random.decades(-6.0, 6.0);
        let k = k.map(|row| row.map(|x| x / mass));
        let mut q = random.vector().map(|x| x * size);
        if trial % 3 > 0 {
            q[0] = -q[0].abs() * if trial % 3 == 2 { random.decades(-6.0, 0.0) } else { 1.0 };
        }
        let mu = [0.0, 1e-6, 0.1, 0.5, 1.0, 5.0, 1e6][trial % 7];
        let problem = single(&k, q, mu);
        let mut r = [0.0; 3];
        let outcome = solve_problem(&problem, &mut r).unwrap();
        signorini_solvers::warm_start::make_feasible(&problem, &mut r);
        let certificate = certify(&problem, &r).unwrap();
        counts[outcome as usize] += 1;
        if outcome == LocalOutcome::Jammed {
            assert_eq!(trial % 4, 3, "only blocks singular to working precision can jam: {k:?}");
            continue;
        }
        assert_eq!(certificate.outside_cone, 0.0);
        // Relative to the largest term that the natural map sums: those of u (an ill-conditioned block carries impulses
        // that cancel), times μ in the shift of de Saxcé, and w r.
        let terms = certificate.floor / (0.5 * f64::EPSILON);
        let pushed = problem.scales()[0] * r.iter().map(|x| x * x).sum::<f64>().sqrt();
        let relative = certificate.natural / f64::max((1.0 + mu) * terms, pushed);
        worst = worst.max(relative);
        assert!(relative < 2e-14, "trial {trial}, {outcome:?}: {relative:e}\nK {k:?}\nq {q:?}\nmu {mu}\nr {r:?}");
    }
    println!("open, stick, slip, jammed: {counts:?}; worst natural map relative to the terms of u: {worst:e}");
    assert!(counts[..3].iter().all(|n| *n > 10_000), "{counts:?}");
    assert!(counts[3] < 100, "{counts:?}");
}

/// Kinetic energy change ½ r·K r + q·r.
fn energy(k: &Mat3, q: &Vec3, r: &Vec3) -> f64 {
    (0..3).map(|i| r[i] * (q[i] + 0.5 * (0..3).map(|j| k[i][j] * r[j]).sum::<f64>())).sum()
}

/// All slip solutions, by scanning directions and bisecting: angle of r_T, impulse.
fn slip_solutions(k: &Mat3, q: &Vec3, mu: f64) -> Vec<Vec3> {
    let at = |angle: f64| {
        let (s, c) = angle.sin_cos();
        let along = k[0][0] + mu * (k[0][1] * c + k[0][2] * s);
        let n = -q[0] / along;
        let r = [n, mu * n * c, mu * n * s];
        let u: Vec3 = std::array::from_fn(|i| q[i] + (0..3).map(|j| k[i][j] * r[j]).sum::<f64>());
        // Multiplied by `along`, the cross product has no pole.
        (along, r, (u[1] * s - u[2] * c) * along, u[1] * c + u[2] * s)
    };
    let steps = 3_000;
    let mut found = Vec::new();
    for i in 0..steps {
        let (mut lo, mut hi) =
            (std::f64::consts::TAU * i as f64 / steps as f64, std::f64::consts::TAU * (i + 1) as f64 / steps as f64);
        let f_lo = at(lo).2;
        if f_lo * at(hi).2 > 0.0 {
            continue;
        }
        for _ in 0..60 {
            let mid = 0.5 * (lo + hi);
            if at(mid).2 * f_lo > 0.0 {
                lo = mid;
            } else {
                hi = mid;
            }
        }
        let (along, r, _, dissipation) = at(lo);
        if along > 0.0 && dissipation <= 0.0 {
            found.push(r);
        }
    }
    found
}

#[test]
fn slip_is_the_most_dissipative_solution_of_the_scan() {
    let mut random = Random::new(6);
    let (mut compared, mut several) = (0, 0);
    for trial in 0..12_000 {
        let mut k = random_block(&mut random, [0.0, 1.0, 2.0][trial % 3]);
        // Strong coupling of normal and tangent, where several solutions exist.
        let shrink = if trial % 2 == 0 { 0.3 } else { 1.0 };
        for i in 0..3 {
            k[0][i] *= shrink;
            k[i][0] *= shrink;
        }
        let mut q = random.vector();
        q[0] = -0.3 * q[0].abs();
        let mu = [0.3, 0.8, 1.5, 2.5][trial % 4];
        let (r, outcome) = OneContact::new(&k).solve(mu, &q);
        if outcome != LocalOutcome::Slip {
            continue;
        }
        let solutions = slip_solutions(&k, &q, mu);
        if solutions.is_empty() {
            continue;
        }
        compared += 1;
        several += usize::from(solutions.len() > 1);
        let best = solutions.iter().map(|s| energy(&k, &q, s)).fold(f64::INFINITY, f64::min);
        let ours = energy(&k, &q, &r);
        assert!(
            (ours - best).abs() <= 1e-8 * best.abs(),
            "trial {trial}: {ours} against {best} of {solutions:?}, {r:?}"
        );
    }
    println!("{compared} compared, {several} with several solutions");
    assert!(compared > 500 && several > 0, "{compared} compared, {several} with several");
}

//! The dense box program under the friction models: optimality on thousands of random programs, and against Clarabel.

use crate::family_support::Random;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::NonnegativeConeT;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver};
use signorini_solvers::baselines::box_qp::{BoxQp, BoxQpExit};

/// A program `min ½ xᵀA x + bᵀx` in a box, `A = S H Hᵀ S` with H of random rank and S of scales 1e±3.
struct Program {
    n: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    lo: Vec<f64>,
    hi: Vec<f64>,
}

fn program(random: &mut Random) -> Program {
    let n = 1 + random.below(20);
    let columns = 1 + random.below(n + 3);
    let h: Vec<f64> = (0..n * columns).map(|_| random.signed()).collect();
    let scale: Vec<f64> = (0..n).map(|_| 10f64.powf(1.5 * random.signed())).collect();
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let x: f64 = (0..columns).map(|k| h[i * columns + k] * h[j * columns + k]).sum();
            (a[i * n + j], a[j * n + i]) = (scale[i] * scale[j] * x, scale[i] * scale[j] * x);
        }
    }
    // b in the range of A (a motion exists), so that unbounded variables cannot run away.
    let v: Vec<f64> = (0..columns).map(|_| random.signed()).collect();
    let b = (0..n).map(|i| scale[i] * (0..columns).map(|k| h[i * columns + k] * v[k]).sum::<f64>()).collect();
    let (mut lo, mut hi) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
    for i in 0..n {
        match random.below(4) {
            0 | 1 => lo[i] = 0.0,
            2 => (lo[i], hi[i]) = (-random.signed().abs() / scale[i], random.signed().abs() / scale[i]),
            _ => {}
        }
    }
    Program { n, a, b, lo, hi }
}

impl Program {
    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        (0..self.n).map(|i| (0..self.n).map(|j| self.a[i * self.n + j] * x[j]).sum::<f64>() + self.b[i]).collect()
    }

    /// Largest violation of: g = 0 inside, g ≥ 0 at lo, g ≤ 0 at hi, relative to the terms of g.
    fn violation(&self, x: &[f64]) -> f64 {
        let g = self.gradient(x);
        let mut worst: f64 = 0.0;
        for i in 0..self.n {
            assert!(self.lo[i] <= x[i] && x[i] <= self.hi[i]);
            let size = self.b[i].abs() + (0..self.n).map(|j| (self.a[i * self.n + j] * x[j]).abs()).sum::<f64>();
            let d = self.a[i * self.n + i];
            if d > 0.0 {
                let moved = (x[i] - g[i] / d).max(self.lo[i]).min(self.hi[i]);
                worst = worst.max(d * (x[i] - moved).abs() / size.max(f64::MIN_POSITIVE));
            }
        }
        worst
    }

    fn objective(&self, x: &[f64]) -> f64 {
        let g = self.gradient(x);
        (0..self.n).map(|i| 0.5 * (g[i] + self.b[i]) * x[i]).sum()
    }
}

#[test]
fn random_programs_of_any_rank_are_optimal() {
    let mut random = Random::new(101);
    let mut solver = BoxQp::default();
    let mut factorizations = 0;
    for k in 0..5000 {
        let program = program(&mut random);
        let mut x = vec![0.0; program.n];
        let report = solver.solve(&program.a, &program.b, (&program.lo, &program.hi), &mut x, 1e-12, 500);
        assert_ne!(report.exit, BoxQpExit::NotConvex, "program {k}");
        assert!(program.violation(&x) < 1e-10, "program {k}: {:e} {report:?}", program.violation(&x));
        factorizations += report.factorizations;
    }
    // 4.6 on average; the worst of them takes 180.
    assert!(factorizations <= 5 * 5000, "{factorizations} factorizations");
}

#[test]
fn a_warm_start_from_the_answer_factors_at_most_once() {
    let mut random = Random::new(103);
    let mut solver = BoxQp::default();
    for _ in 0..300 {
        let program = program(&mut random);
        let mut x = vec![0.0; program.n];
        let bounds = (&program.lo[..], &program.hi[..]);
        solver.solve(&program.a, &program.b, bounds, &mut x, 1e-10, 500);
        let before = x.clone();
        let again = solver.solve(&program.a, &program.b, bounds, &mut x, 1e-10, 500);
        assert!(again.factorizations <= 1, "{again:?}");
        assert_eq!(before, x);
    }
}

#[test]
fn the_objective_is_clarabels() {
    let mut random = Random::new(107);
    for k in 0..200 {
        let program = program(&mut random);
        let n = program.n;
        let mut x = vec![0.0; n];
        BoxQp::default().solve(&program.a, &program.b, (&program.lo, &program.hi), &mut x, 1e-12, 500);
        let (mut i, mut j, mut v) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..n {
            for column in row..n {
                i.push(row);
                j.push(column);
                v.push(program.a[row * n + column]);
            }
        }
        let p = CscMatrix::new_from_triplets(n, n, i, j, v);
        let (mut i, mut j, mut v, mut rhs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (sign, bounds) in [(-1.0, &program.lo), (1.0, &program.hi)] {
            for (variable, bound) in bounds.iter().enumerate().filter(|(_, b)| b.is_finite()) {
                i.push(rhs.len());
                j.push(variable);
                v.push(sign);
                rhs.push(sign * bound);
            }
        }
        let a = CscMatrix::new_from_triplets(rhs.len(), n, i, j, v);
        let settings = DefaultSettings { verbose: false, tol_gap_abs: 1e-10, tol_gap_rel: 1e-10, ..Default::default() };
        let cones = [NonnegativeConeT(rhs.len())];
        let mut reference = DefaultSolver::new(&p, &program.b, &a, &rhs, &cones, settings).unwrap();
        reference.solve();
        let (own, theirs) = (program.objective(&x), reference.solution.obj_val);
        assert!((own - theirs).abs() <= 1e-7 * theirs.abs().max(1.0), "program {k}: {own} {theirs}");
    }
}

//! Problems shared by the tests of the friction-model family: one contact on paper, cubes on a floor, random mixtures.
#![allow(dead_code)]

use signorini_problem::{
    Block, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, InverseMass, JacobianRow, Law, Symmetry, certify,
};
use signorini_solvers::{ContactSolver, Solution, StoppingRule, solve};

pub const GRAVITY: f64 = 9.81;
pub const STEP: f64 = 0.016;

/// `u = A λ − b` with `A = 2 I`: the example of the cone-solver set.
pub fn diagonal(mu: f64, b: [f64; 3]) -> ContactProblem {
    let w = vec![2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
    dense(vec![Block::contact(mu)], w, b.iter().map(|b| -b).collect())
}

pub fn dense(blocks: Vec<Block>, w: Vec<f64>, q: Vec<f64>) -> ContactProblem {
    ContactProblem::new(blocks, Delassus::Dense(DenseDelassus::new(q.len(), w)), q, Symmetry::Exact).unwrap()
}

/// The same problem with W formed.
pub fn densified(problem: &ContactProblem) -> ContactProblem {
    let w = problem.delassus().to_dense(problem.offsets());
    dense(problem.blocks().to_vec(), w, problem.q().to_vec())
}

/// Solves from zero, checks that the answer is feasible, and returns it.
pub fn run(problem: &ContactProblem, solver: &mut dyn ContactSolver, tolerance: f64) -> Solution {
    let solution = solve(problem, solver, None, &StoppingRule::velocity(tolerance)).unwrap();
    assert_feasible(problem, &solution.impulses);
    solution
}

pub fn assert_feasible(problem: &ContactProblem, r: &[f64]) {
    assert!(r.iter().all(|x| x.is_finite()));
    let certificate = certify(problem, r).unwrap();
    assert!(certificate.pull == 0.0, "{certificate:?}");
    assert!(certificate.outside_cone <= 1e-15 * r.iter().fold(0.0, |m: f64, x| m.max(x.abs())), "{certificate:?}");
}

pub fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "entry {i}: {a} is not {b} (all: {found:?})");
    }
}

/// Numbers from a seed (Knuth's 64-bit linear congruence, high bits).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }
    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub fn below(&mut self, n: usize) -> usize {
        (((self.signed() + 1.0) / 2.0) * n as f64) as usize
    }
}

/// Unit cubes, one mass each, in a column on a fixed floor: four corner contacts per interface, normal up.
pub struct Column {
    pub masses: Vec<f64>,
    /// Linear and angular velocity before gravity.
    pub velocities: Vec<[f64; 6]>,
    pub mu: f64,
    /// Angle of the first tangent from the x axis \[rad\].
    pub tangent_angle: f64,
}

impl Column {
    pub fn at_rest(masses: &[f64], mu: f64) -> Self {
        Column { masses: masses.to_vec(), velocities: vec![[0.0; 6]; masses.len()], mu, tangent_angle: 0.0 }
    }

    pub fn build(&self) -> ContactProblem {
        self.build_with(Vec::new())
    }

    /// With extra one-body blocks: (body, law, row on that body).
    pub fn build_with(&self, extra: Vec<(u32, Law, [f64; 6])>) -> ContactProblem {
        let mut inverse_mass = Vec::new();
        for m in &self.masses {
            let mut w: InverseMass = [[0.0; 6]; 6];
            for i in 0..3 {
                w[i][i] = 1.0 / m;
                w[i + 3][i + 3] = 6.0 / m;
            }
            inverse_mass.push(w);
        }
        let (mut blocks, mut bodies, mut rows) = (Vec::new(), Vec::new(), Vec::<JacobianRow>::new());
        let (s, c) = self.tangent_angle.sin_cos();
        let directions = [[0.0, 0.0, 1.0], [c, s, 0.0], [-s, c, 0.0]];
        for above in 0..self.masses.len() {
            for corner in [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]] {
                blocks.push(Block::contact(self.mu));
                bodies.push([above.checked_sub(1).map(|b| b as u32), Some(above as u32)]);
                for d in directions {
                    let mut row = [0.0; 12];
                    for (side, z, sign) in [(0, 0.5, -1.0), (6, -0.5, 1.0)] {
                        let arm = cross([corner[0], corner[1], z], d);
                        for k in 0..3 {
                            row[side + k] = sign * d[k];
                            row[side + 3 + k] = sign * arm[k];
                        }
                    }
                    rows.push(row);
                }
            }
        }
        for (body, law, row) in extra {
            blocks.push(Block { law, rows: 1 });
            bodies.push([None, Some(body)]);
            let mut full = [0.0; 12];
            full[6..].copy_from_slice(&row);
            rows.push(full);
        }
        let mut free = Vec::new();
        for v in &self.velocities {
            let mut v = *v;
            v[2] -= GRAVITY * STEP;
            free.push(v);
        }
        let mut q = Vec::new();
        let mut row = 0;
        for (block, pair) in blocks.iter().zip(&bodies) {
            for _ in 0..block.rows {
                let mut u = 0.0;
                for (side, body) in pair.iter().enumerate() {
                    if let Some(body) = body {
                        u += (0..6).map(|k| rows[row][6 * side + k] * free[*body as usize][k]).sum::<f64>();
                    }
                }
                q.push(u);
                row += 1;
            }
        }
        let w = Delassus::Factored(FactoredDelassus::new(inverse_mass, bodies, rows));
        ContactProblem::new(blocks, w, q, Symmetry::Exact).unwrap()
    }
}

/// `Δv` of every body [m/s, rad/s].
pub fn body_velocity(problem: &ContactProblem, r: &[f64]) -> Vec<f64> {
    let Delassus::Factored(w) = problem.delassus() else { panic!("not factored") };
    let mut v = vec![0.0; 6 * w.inverse_mass().len()];
    w.body_velocity(problem.offsets(), r, &mut v);
    v
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A random problem with every law, `W = H Hᵀ` of random rank (often singular), and μ up to `max_mu`.
pub fn mixture(random: &mut Random, max_mu: f64) -> ContactProblem {
    let mut blocks = Vec::new();
    for _ in 0..1 + random.below(6) {
        blocks.push(match random.below(8) {
            0 => Block::joint(1 + random.below(3)),
            1 => Block::normal(),
            2 => {
                let (a, b) = (random.signed(), random.signed());
                Block::interval(a.min(b), a.max(b))
            }
            3 => Block::interval(f64::NEG_INFINITY, random.signed()),
            4 => Block::planar_contact(max_mu * random.signed().abs()),
            5 => Block::contact(0.0),
            _ => Block::contact(max_mu * random.signed().abs()),
        });
    }
    let rows: usize = blocks.iter().map(|b| b.rows).sum();
    // More columns than joint rows, so that joints do not contradict one another.
    let columns = rows.div_ceil(2) + 2 + random.below(rows);
    let h: Vec<f64> = (0..rows * columns).map(|_| random.signed()).collect();
    let mut w = vec![0.0; rows * rows];
    for i in 0..rows {
        for j in 0..=i {
            let x: f64 = (0..columns).map(|k| h[i * columns + k] * h[j * columns + k]).sum();
            (w[i * rows + j], w[j * rows + i]) = (x, x);
        }
    }
    // q in the range of H keeps singular problems consistent: some motion satisfies every joint.
    let v: Vec<f64> = (0..columns).map(|_| random.signed()).collect();
    let q = (0..rows).map(|i| (0..columns).map(|k| h[i * columns + k] * v[k]).sum()).collect();
    dense(blocks, w, q)
}

//! Frictionless contact problems with answers from paper, for the tests of the pivoting methods.
#![allow(dead_code)] // Every test binary uses its own part.

use signorini_problem::random::SplitMix64;
use signorini_problem::{Block, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, InverseMass, Symmetry};
use signorini_solvers::{ContactSolver, Method, Solution, StoppingRule, solve};

/// Time step of the scenes \[s\], and gravity [m/s²].
pub const H: f64 = 0.016;
pub const G: f64 = 9.81;

/// Numbers from a seed.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(SplitMix64::new(seed))
    }
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }
    /// Uniform in [−1, 1).
    pub fn symmetric(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    /// 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }
    pub fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

/// Inverse mass of a body: scalar mass, inverse inertia times the identity.
pub fn inverse_mass(mass: f64, inverse_inertia: f64) -> InverseMass {
    let mut m = [[0.0; 6]; 6];
    for i in 0..3 {
        m[i][i] = 1.0 / mass;
        m[i + 3][i + 3] = inverse_inertia;
    }
    m
}

/// Normal row of a contact: lever arms from the centres of mass, normal from A to B.
pub fn normal_row(arm_a: [f64; 3], arm_b: [f64; 3], n: [f64; 3]) -> [f64; 12] {
    let (a, b) = (cross(arm_a, n), cross(arm_b, n));
    [-n[0], -n[1], -n[2], -a[0], -a[1], -a[2], n[0], n[1], n[2], b[0], b[1], b[2]]
}

pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A scene of bodies and frictionless contacts, assembled the way a step would.
#[derive(Clone)]
pub struct Scene {
    pub inverse_mass: Vec<InverseMass>,
    /// Velocity before any impulse: six numbers per body.
    pub velocity: Vec<[f64; 6]>,
    pub contacts: Vec<([Option<u32>; 2], [f64; 12])>,
    pub restitution: f64,
    /// Approach speed below which nothing bounces [m/s].
    pub rest_speed: f64,
}

impl Scene {
    pub fn normal_speed(&self, c: usize) -> f64 {
        let (bodies, row) = &self.contacts[c];
        let mut u = 0.0;
        for (side, body) in bodies.iter().enumerate() {
            if let Some(body) = body {
                for j in 0..6 {
                    u += row[6 * side + j] * self.velocity[*body as usize][j];
                }
            }
        }
        u
    }

    /// `q = u + e·min(0, u)` above the rest speed.
    pub fn q(&self) -> Vec<f64> {
        (0..self.contacts.len())
            .map(|c| {
                let u = self.normal_speed(c);
                let e = if -u >= self.rest_speed { self.restitution } else { 0.0 };
                u + e * u.min(0.0)
            })
            .collect()
    }

    pub fn problem(&self) -> ContactProblem {
        self.problem_with(self.q())
    }

    pub fn problem_with(&self, q: Vec<f64>) -> ContactProblem {
        let bodies = self.contacts.iter().map(|c| c.0).collect();
        let jacobian = self.contacts.iter().map(|c| c.1).collect();
        let delassus = Delassus::Factored(FactoredDelassus::new(self.inverse_mass.clone(), bodies, jacobian));
        ContactProblem::new(vec![Block::normal(); self.contacts.len()], delassus, q, Symmetry::Exact).unwrap()
    }

    /// Velocity of every body after the impulses.
    pub fn after(&self, r: &[f64]) -> Vec<[f64; 6]> {
        let mut v = self.velocity.clone();
        for ((bodies, row), r) in self.contacts.iter().zip(r) {
            for (side, body) in bodies.iter().enumerate() {
                let Some(body) = body else { continue };
                let m = &self.inverse_mass[*body as usize];
                for i in 0..6 {
                    for j in 0..6 {
                        v[*body as usize][i] += m[i][j] * row[6 * side + j] * r;
                    }
                }
            }
        }
        v
    }

    pub fn permuted(&self, order: &[usize]) -> Scene {
        Scene { contacts: order.iter().map(|c| self.contacts[*c]).collect(), ..self.clone() }
    }
}

/// The standing fixture: two bodies of 10 kg and unit inverse inertia, A below moving up at `speed_a`, B above at
/// `speed_b`, contacts with normal +z at the given (x, y).
pub fn two_bodies(points: &[[f64; 2]], speed_a: f64, speed_b: f64, restitution: f64) -> Scene {
    two_masses([10.0, 10.0], points, speed_a, speed_b, restitution)
}

pub fn two_masses(mass: [f64; 2], points: &[[f64; 2]], speed_a: f64, speed_b: f64, restitution: f64) -> Scene {
    let contacts = points
        .iter()
        .map(|[x, y]| ([Some(0), Some(1)], normal_row([*x, *y, 0.5], [*x, *y, -0.5], [0.0, 0.0, 1.0])))
        .collect();
    Scene {
        inverse_mass: vec![inverse_mass(mass[0], 1.0), inverse_mass(mass[1], 1.0)],
        velocity: vec![[0.0, 0.0, speed_a, 0.0, 0.0, 0.0], [0.0, 0.0, speed_b, 0.0, 0.0, 0.0]],
        contacts,
        restitution,
        rest_speed: 0.5,
    }
}

/// A tower of unit cubes under gravity for one step: `masses` from the floor up, each resting on contacts at `points`.
pub fn tower(masses: &[f64], points: &[[f64; 2]]) -> Scene {
    let mut contacts = Vec::new();
    for i in 0..masses.len() {
        let below = if i == 0 { None } else { Some(i as u32 - 1) };
        for [x, y] in points {
            contacts.push(([below, Some(i as u32)], normal_row([*x, *y, 0.5], [*x, *y, -0.5], [0.0, 0.0, 1.0])));
        }
    }
    Scene {
        inverse_mass: masses.iter().map(|m| inverse_mass(*m, 6.0 / m)).collect(),
        velocity: vec![[0.0, 0.0, -G * H, 0.0, 0.0, 0.0]; masses.len()],
        contacts,
        restitution: 0.0,
        rest_speed: 0.5,
    }
}

/// One plate of 1 kg on a floor, falling at one step of gravity, on contacts at `points`; its centre of mass at `load`.
pub fn plate(points: &[[f64; 2]], load: [f64; 2]) -> Scene {
    let points: Vec<[f64; 2]> = points.iter().map(|p| [p[0] - load[0], p[1] - load[1]]).collect();
    tower(&[1.0], &points)
}

pub const CORNERS: [[f64; 2]; 4] = [[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];

/// A problem from a dense matrix, all blocks non-negative.
pub fn dense(w: &[f64], q: &[f64], symmetry: Symmetry) -> ContactProblem {
    let n = q.len();
    let delassus = Delassus::Dense(DenseDelassus::new(n, w.to_vec()));
    ContactProblem::new(vec![Block::normal(); n], delassus, q.to_vec(), symmetry).unwrap()
}

/// W of a problem made by [`dense`], row by row.
pub fn entries(problem: &ContactProblem) -> &[f64] {
    match problem.delassus() {
        Delassus::Dense(w) => w.values(),
        _ => panic!("dense problems only"),
    }
}

/// The strictly convex 3×3 on which dropping the most negative and adding the most violated cycles for ever.
pub fn cycling_problem() -> ContactProblem {
    let w = [283.6, 57.19, -24.36, 57.19, 11.93, -4.407, -24.36, -4.407, 2.741];
    dense(&w, &[2.212, 0.163, -0.4903], Symmetry::Exact)
}

/// Solves the k×k system by elimination with complete pivoting, and tells its rank: where no pivot is above 1e-10 of the
/// first, what is left depends on what was eliminated and is zero.
fn eliminate(mut a: Vec<f64>, mut b: Vec<f64>) -> (Vec<f64>, usize) {
    let k = b.len();
    let mut columns: Vec<usize> = (0..k).collect();
    let (mut first, mut rank) = (0.0, k);
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
            rank = p;
            break;
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
    for p in (0..rank).rev() {
        let sum: f64 = (p + 1..rank).map(|j| a[p * k + j] * x[j]).sum();
        x[p] = (b[p] - sum) / a[p * k + p];
    }
    let mut ordered = vec![0.0; k];
    for (p, column) in columns.iter().enumerate() {
        ordered[*column] = x[p];
    }
    (ordered, rank)
}

/// Impulses of whatever sign that leave the closed contacts without velocity, and the rank of W among them. No code of the
/// solvers is in it.
pub fn hold_closed(w: &[f64], q: &[f64], closed: &[usize]) -> (Vec<f64>, usize) {
    let n = q.len();
    // Scaled to unit diagonal, so that the test for singular sets means the same for every contact.
    let d: Vec<f64> = closed.iter().map(|i| w[i * n + i].sqrt()).collect();
    let mut a = Vec::new();
    for (x, i) in closed.iter().enumerate() {
        a.extend(closed.iter().enumerate().map(|(y, j)| w[i * n + j] / (d[x] * d[y])));
    }
    let b = closed.iter().zip(&d).map(|(i, d)| -q[*i] / d).collect();
    let (x, rank) = eliminate(a, b);
    let mut r = vec![0.0; n];
    for ((i, x), d) in closed.iter().zip(&x).zip(&d) {
        r[*i] = x / d;
    }
    (r, rank)
}

/// The exact methods for positive semidefinite W.
pub const EXACT: [Method; 2] = [Method::ActiveSet, Method::BlockPivoting];
/// Every method of this family.
pub const ALL: [Method; 3] = [Method::ActiveSet, Method::BlockPivoting, Method::Lemke];

pub fn run(method: Method, problem: &ContactProblem) -> Solution {
    run_with(&mut *method.solver(), problem, &StoppingRule::velocity(1e-10))
}

pub fn run_with(solver: &mut dyn ContactSolver, problem: &ContactProblem, stop: &StoppingRule) -> Solution {
    let solution = solve(problem, solver, None, stop).unwrap();
    assert!(solution.impulses.iter().all(|r| *r >= 0.0), "{}: adhesive impulse", solver.name());
    solution
}

/// `A = B Bᵀ` scaled by D on both sides with D_i = 10^±`decades`/2, and `q = D B v`: a contact problem with a solution.
pub fn random_problem(random: &mut Random, contacts: usize, columns: usize, decades: f64) -> ContactProblem {
    let (w, q) = random_matrix(random, contacts, columns, decades);
    dense(&w, &q, Symmetry::Exact)
}

pub fn random_matrix(random: &mut Random, contacts: usize, columns: usize, decades: f64) -> (Vec<f64>, Vec<f64>) {
    let n = contacts;
    let mut b = vec![0.0; n * columns];
    for i in 0..n {
        let scale = 10f64.powf(0.5 * decades * random.symmetric());
        // Some contacts repeat an earlier one: the commonest way for W to be singular.
        let copied = i > 0 && columns < n && random.below(4) == 0;
        let source = if copied { Some(random.below(i)) } else { None };
        for j in 0..columns {
            b[i * columns + j] = match source {
                Some(other) => b[other * columns + j],
                None => scale * random.symmetric(),
            };
        }
    }
    let v: Vec<f64> = (0..columns).map(|_| random.symmetric()).collect();
    let mut w = vec![0.0; n * n];
    let mut q = vec![0.0; n];
    for i in 0..n {
        for j in 0..=i {
            let value: f64 = (0..columns).map(|k| b[i * columns + k] * b[j * columns + k]).sum();
            w[i * n + j] = value;
            w[j * n + i] = value;
        }
        q[i] = (0..columns).map(|k| b[i * columns + k] * v[k]).sum();
    }
    (w, q)
}

/// A complementarity problem of `<workspace>/../shared/problems/dev`, or nothing when they are not there.
pub fn published_problems() -> Vec<(String, ContactProblem)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/problems/dev");
    let Ok(entries) = std::fs::read_dir(folder) else {
        println!("skipped: no published problems beside the workspace");
        return Vec::new();
    };
    let mut found: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    found.sort();
    let mut problems = Vec::new();
    for path in found {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("lcp_") || path.extension().is_none_or(|e| e != "fcp") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let header = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
        let text = std::str::from_utf8(&bytes[12..12 + header]).unwrap();
        let n: usize = text.split("\"n\": ").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
        let data = &bytes[12 + header..];
        let number = |i: usize| f64::from_le_bytes(data[8 * i..8 * i + 8].try_into().unwrap());
        let w: Vec<f64> = (0..n * n).map(number).collect();
        let q: Vec<f64> = (n * n..n * n + n).map(number).collect();
        problems.push((name, dense(&w, &q, Symmetry::General)));
    }
    problems
}

//! Bodies and contacts for the tests of the sweeping methods, and a seeded generator.
#![allow(dead_code)]

use signorini_problem::random::SplitMix64;
use signorini_problem::{Block, ContactProblem, Delassus, FactoredDelassus, InverseMass, JacobianRow, Symmetry};

pub type Vector = [f64; 3];

pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
pub fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
pub fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}
pub fn scaled(a: Vector, s: f64) -> Vector {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// Numbers from a seed.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(SplitMix64::new(seed))
    }
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }
    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }
    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        self.0.uniform(lo, hi)
    }
    pub fn vector(&mut self) -> Vector {
        std::array::from_fn(|_| self.range(-1.0, 1.0))
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }
    /// Log-uniform in [10^lo, 10^hi].
    pub fn decades(&mut self, lo: f64, hi: f64) -> f64 {
        10f64.powf(self.range(lo, hi))
    }
}

/// A body with a diagonal inertia in world axes.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub mass: f64,
    pub inertia: Vector,
    pub position: Vector,
    /// Velocity before forces [m/s], angular [rad/s].
    pub velocity: [f64; 6],
}

impl Body {
    pub fn cube(mass: f64, side: f64, position: Vector) -> Self {
        Body { mass, inertia: [mass * side * side / 6.0; 3], position, velocity: [0.0; 6] }
    }
    pub fn sphere(mass: f64, radius: f64, position: Vector) -> Self {
        Body { mass, inertia: [0.4 * mass * radius * radius; 3], position, velocity: [0.0; 6] }
    }
    pub fn moving(mut self, v: Vector) -> Self {
        self.velocity[..3].copy_from_slice(&v);
        self
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Contact {
    pub a: Option<usize>,
    pub b: Option<usize>,
    pub point: Vector,
    /// From A to B.
    pub normal: Vector,
    pub mu: f64,
    pub restitution: f64,
}

/// A step of a scene: bodies, contacts and the velocity that gravity adds [m/s].
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub bodies: Vec<Body>,
    pub contacts: Vec<Contact>,
    pub gravity_step: f64,
}

impl Scene {
    /// A contact of body `b` with the floor below it.
    pub fn floor(&mut self, b: usize, point: Vector, mu: f64, restitution: f64) {
        self.contacts.push(Contact { a: None, b: Some(b), point, normal: [0.0, 0.0, 1.0], mu, restitution });
    }
    /// The four bottom corners of a cube on the floor.
    pub fn four_corners(&mut self, b: usize, side: f64, mu: f64, restitution: f64) {
        let [x, y, z] = self.bodies[b].position;
        let h = 0.5 * side;
        for (sx, sy) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            self.floor(b, [x + sx * h, y + sy * h, z - h], mu, restitution);
        }
    }
    /// Four corner contacts between cube `a` below and cube `b` on top of it.
    pub fn stacked(&mut self, a: usize, b: usize, side: f64, mu: f64) {
        let [x, y, z] = self.bodies[b].position;
        let h = 0.5 * side;
        for (sx, sy) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            self.contacts.push(Contact {
                a: Some(a),
                b: Some(b),
                point: [x + sx * h, y + sy * h, z - h],
                normal: [0.0, 0.0, 1.0],
                mu,
                restitution: 0.0,
            });
        }
    }
    pub fn free_velocity(&self, b: usize) -> [f64; 6] {
        let mut v = self.bodies[b].velocity;
        v[2] -= self.gravity_step;
        v
    }
    pub fn frame(normal: Vector) -> [Vector; 3] {
        let smallest = (0..3).min_by(|i, j| normal[*i].abs().partial_cmp(&normal[*j].abs()).unwrap()).unwrap();
        let mut axis = [0.0; 3];
        axis[smallest] = 1.0;
        let t1 = cross(axis, normal);
        let t1 = scaled(t1, 1.0 / length(t1));
        [normal, t1, cross(normal, t1)]
    }
    pub fn inverse_mass(&self) -> Vec<InverseMass> {
        let of = |b: &Body| {
            let mut m = [[0.0; 6]; 6];
            for i in 0..3 {
                m[i][i] = 1.0 / b.mass;
                m[3 + i][3 + i] = 1.0 / b.inertia[i];
            }
            m
        };
        self.bodies.iter().map(of).collect()
    }
    fn rows(&self, contact: &Contact) -> [JacobianRow; 3] {
        Scene::frame(contact.normal).map(|d| {
            let mut row = [0.0; 12];
            for (side, (body, sign)) in [(contact.a, -1.0), (contact.b, 1.0)].into_iter().enumerate() {
                let Some(body) = body else { continue };
                let arm = cross(sub(contact.point, self.bodies[body].position), d);
                for i in 0..3 {
                    row[6 * side + i] = sign * d[i];
                    row[6 * side + 3 + i] = sign * arm[i];
                }
            }
            row
        })
    }
    /// The contact problem of the step, factored over bodies.
    pub fn problem(&self) -> ContactProblem {
        let mut jacobian = Vec::new();
        let mut q = Vec::new();
        for contact in &self.contacts {
            for (i, row) in self.rows(contact).into_iter().enumerate() {
                let speed = |v: &dyn Fn(usize) -> [f64; 6]| {
                    let mut u = 0.0;
                    for (side, body) in [contact.a, contact.b].into_iter().enumerate() {
                        let Some(body) = body else { continue };
                        u += (0..6).map(|j| row[6 * side + j] * v(body)[j]).sum::<f64>();
                    }
                    u
                };
                let free = speed(&|b| self.free_velocity(b));
                let before = speed(&|b| self.bodies[b].velocity);
                q.push(if i == 0 { free + contact.restitution * before.min(0.0) } else { free });
                jacobian.push(row);
            }
        }
        let bodies = self.contacts.iter().map(|c| [c.a.map(|b| b as u32), c.b.map(|b| b as u32)]).collect();
        let blocks = self.contacts.iter().map(|c| Block::contact(c.mu)).collect();
        let w = FactoredDelassus::new(self.inverse_mass(), bodies, jacobian);
        ContactProblem::new(blocks, Delassus::Factored(w), q, Symmetry::Exact).unwrap()
    }
    /// Velocity of body `b` after the impulses.
    pub fn velocity_after(&self, problem: &ContactProblem, r: &[f64], b: usize) -> [f64; 6] {
        let Delassus::Factored(w) = problem.delassus() else { panic!("not factored") };
        let mut change = vec![0.0; 6 * self.bodies.len()];
        w.body_velocity(problem.offsets(), r, &mut change);
        let free = self.free_velocity(b);
        std::array::from_fn(|i| free[i] + change[6 * b + i])
    }
}

/// The same problem with W written out.
pub fn dense(problem: &ContactProblem) -> ContactProblem {
    let rows = problem.rows();
    let values = problem.delassus().to_dense(problem.offsets());
    let w = Delassus::Dense(signorini_problem::DenseDelassus::new(rows, values));
    ContactProblem::new(problem.blocks().to_vec(), w, problem.q().to_vec(), Symmetry::Exact).unwrap()
}

/// The same problem with the nonzero blocks of W.
pub fn block_sparse(problem: &ContactProblem) -> ContactProblem {
    let offsets = problem.offsets();
    let blocks = problem.blocks().len();
    let (mut row_ptr, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for c in 0..blocks {
        for k in 0..blocks {
            let size = problem.blocks()[c].rows * problem.blocks()[k].rows;
            let mut block = vec![0.0; size];
            // The lower triangle decides both, so that the result is symmetric to the bit.
            problem.delassus().block(offsets, c.max(k), c.min(k), &mut block);
            if block.iter().any(|x| *x != 0.0) {
                if k > c {
                    let (n, m) = (problem.blocks()[c].rows, problem.blocks()[k].rows);
                    block = (0..n * m).map(|e| block[(e % m) * n + e / m]).collect();
                }
                columns.push(k);
                values.extend(block);
            }
        }
        row_ptr.push(columns.len());
    }
    let w = signorini_problem::BlockSparseDelassus::new(offsets, row_ptr, columns, values).unwrap();
    let q = problem.q().to_vec();
    ContactProblem::new(problem.blocks().to_vec(), Delassus::BlockSparse(w), q, Symmetry::Exact).unwrap()
}

/// One contact with the given block of W.
pub fn single(k: &[[f64; 3]; 3], q: [f64; 3], mu: f64) -> ContactProblem {
    let w = Delassus::Dense(signorini_problem::DenseDelassus::new(3, k.as_flattened().to_vec()));
    ContactProblem::new(vec![Block::contact(mu)], w, q.to_vec(), Symmetry::Exact).unwrap()
}

/// Cubes of 1 m and these masses on one another, four contacts of μ = 0.5 each, falling by `gravity_step` [m/s].
pub fn cube_stack(masses: &[f64], gravity_step: f64) -> Scene {
    let mut scene = Scene { gravity_step, ..Scene::default() };
    for (level, mass) in masses.iter().enumerate() {
        scene.bodies.push(Body::cube(*mass, 1.0, [0.0, 0.0, 0.5 + level as f64]));
        match level {
            0 => scene.four_corners(0, 1.0, 0.5, 0.0),
            _ => scene.stacked(level - 1, level, 1.0, 0.5),
        }
    }
    scene
}

/// A pyramid of spheres in a box-less heap: `n` × `n` spheres on the floor and a layer of (n−1)² resting on them.
pub fn sphere_heap(n: usize, mu: f64) -> Scene {
    let radius: f64 = 0.5;
    let mut scene = Scene { gravity_step: 0.0981, ..Scene::default() };
    for i in 0..n {
        for j in 0..n {
            scene.bodies.push(Body::sphere(1.0, radius, [i as f64, j as f64, radius]));
        }
    }
    for b in 0..n * n {
        let [x, y, _] = scene.bodies[b].position;
        scene.floor(b, [x, y, 0.0], mu, 0.0);
    }
    let height = radius + (0.5f64).sqrt();
    for i in 0..n - 1 {
        for j in 0..n - 1 {
            let top = scene.bodies.len();
            scene.bodies.push(Body::sphere(1.0, radius, [i as f64 + 0.5, j as f64 + 0.5, height]));
            for (di, dj) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let below = (i + di) * n + j + dj;
                let arm = sub(scene.bodies[top].position, scene.bodies[below].position);
                let normal = scaled(arm, 1.0 / length(arm));
                let point: Vector = std::array::from_fn(|k| scene.bodies[below].position[k] + radius * normal[k]);
                scene.contacts.push(Contact { a: Some(below), b: Some(top), point, normal, mu, restitution: 0.0 });
            }
        }
    }
    scene
}

//! The same physics in other coordinates: contacts in another order, tangents turned, other units.

use signorini_problem::{Block, ContactProblem, Delassus, FactoredDelassus, Law, Symmetry};
use signorini_scenes::random::SplitMix64;

/// 0..n in a random order.
pub fn shuffled(random: &mut SplitMix64, n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, (random.bits() % (i as u64 + 1)) as usize);
    }
    order
}

pub fn factored(problem: &ContactProblem) -> &FactoredDelassus {
    match problem.delassus() {
        Delassus::Factored(w) => w,
        _ => panic!("no bodies"),
    }
}

/// `M⁻¹Jᵀr`, six numbers per body [m/s, rad/s].
pub fn body_velocity(problem: &ContactProblem, r: &[f64]) -> Vec<f64> {
    let w = factored(problem);
    let mut velocity = vec![0.0; 6 * w.inverse_mass().len()];
    w.body_velocity(problem.offsets(), r, &mut velocity);
    velocity
}

/// Block `i` of the result is block `order[i]` of the problem.
pub fn reordered(problem: &ContactProblem, order: &[usize]) -> ContactProblem {
    let w = factored(problem);
    let rows = || order.iter().flat_map(|c| problem.range(*c));
    ContactProblem::new(
        order.iter().map(|c| problem.blocks()[*c]).collect(),
        Delassus::Factored(FactoredDelassus::new(
            w.inverse_mass().to_vec(),
            order.iter().map(|c| w.bodies()[*c]).collect(),
            rows().map(|row| w.jacobian()[row]).collect(),
        )),
        rows().map(|row| problem.q()[row]).collect(),
        Symmetry::Exact,
    )
    .unwrap()
}

/// Tangents of every contact in space turned by an angle of its own.
pub fn turned(problem: &ContactProblem, random: &mut SplitMix64) -> ContactProblem {
    let w = factored(problem);
    let (mut jacobian, mut q) = (w.jacobian().to_vec(), problem.q().to_vec());
    for (c, block) in problem.blocks().iter().enumerate() {
        if block.rows != 3 || !matches!(block.law, Law::Coulomb { .. }) {
            continue;
        }
        let (sin, cos) = random.uniform(0.0, std::f64::consts::TAU).sin_cos();
        let [_, a, b] = [0, 1, 2].map(|k| problem.range(c).start + k);
        let (ja, jb, qa, qb) = (jacobian[a], jacobian[b], q[a], q[b]);
        for k in 0..12 {
            jacobian[a][k] = cos * ja[k] + sin * jb[k];
            jacobian[b][k] = cos * jb[k] - sin * ja[k];
        }
        (q[a], q[b]) = (cos * qa + sin * qb, cos * qb - sin * qa);
    }
    ContactProblem::new(
        problem.blocks().to_vec(),
        Delassus::Factored(FactoredDelassus::new(w.inverse_mass().to_vec(), w.bodies().to_vec(), jacobian)),
        q,
        Symmetry::Exact,
    )
    .unwrap()
}

/// How many new units one old unit is.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    pub mass: f64,
    pub length: f64,
    pub time: f64,
}

impl Units {
    pub fn velocity(&self) -> f64 {
        self.length / self.time
    }
    pub fn impulse(&self) -> f64 {
        self.mass * self.velocity()
    }
}

/// The problem in other units; rows must measure velocities [m/s], not angular ones.
pub fn in_units(problem: &ContactProblem, units: &Units) -> ContactProblem {
    let w = factored(problem);
    let blocks = problem
        .blocks()
        .iter()
        .map(|block| match block.law {
            Law::Interval { lo, hi } => Block::interval(lo * units.impulse(), hi * units.impulse()),
            _ => *block,
        })
        .collect();
    let inverse_mass = w
        .inverse_mass()
        .iter()
        .map(|m| {
            let arm = |i: usize| if i < 3 { 1.0 } else { units.length };
            std::array::from_fn(|i| std::array::from_fn(|j| m[i][j] / (units.mass * arm(i) * arm(j))))
        })
        .collect();
    let arm = |k: usize| if k % 6 < 3 { 1.0 } else { units.length };
    let jacobian = w.jacobian().iter().map(|row| std::array::from_fn(|k| row[k] * arm(k))).collect();
    ContactProblem::new(
        blocks,
        Delassus::Factored(FactoredDelassus::new(inverse_mass, w.bodies().to_vec(), jacobian)),
        problem.q().iter().map(|x| x * units.velocity()).collect(),
        Symmetry::Exact,
    )
    .unwrap()
}

pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, x| f64::max(m, x.abs()))
}

pub fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()))
}

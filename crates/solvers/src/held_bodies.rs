//! Eliminates held rows (joints and springs of robots) from a problem over bodies: solves `(I + K W) x = g` with a
//! diagonal K ≥ 0 over the held rows, and computes the W that the other rows see while these are held.
//!
//! With `W = J̃ J̃ᵀ + C`, `J̃ = J S`, `S Sᵀ = M⁻¹`, and row by row `k' = k/(1 + kc)`, `g' = g/(1 + kc)`,
//!
//! ```text
//! A = I + J̃ᵀK'J̃,   x = g' − K'J̃ A⁻¹J̃ᵀg'
//! ```
//!
//! as in `newton_system.rs`, where K is general. Here A is symmetric and is factored by Cholesky over the bodies that
//! held rows tie, which form a tree for most robots, whatever they touch. `S = C + (L⁻¹J̃ᵀ)ᵀ(L⁻¹J̃ᵀ)` is the W that
//! remains for rows with k = 0. Cost for ten bodies: a few microseconds per factorization, some tenths of a
//! microsecond per row of S. Allocates nothing while the held rows tie the same bodies.

use crate::linalg::block_cholesky::{BlockCholesky, Six, Square, dot};
use crate::linalg::block_graph::BlockGraph;
use crate::linalg::kernels::widest;
use crate::newton_system::root_of_inverse_mass;
use signorini_problem::{ContactProblem, Delassus, FactoredDelassus, InverseMass};

/// The bodies of a problem, and the rows that are held.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldBodies {
    factor: BlockCholesky,
    /// S of every body.
    roots: Vec<InverseMass>,
    /// Row by row where its parts begin, which bodies they are of, and J̃ there.
    starts: Vec<usize>,
    bodies: Vec<u32>,
    columns: Vec<Six>,
    /// c of every row; empty if none gives way.
    compliance: Vec<f64>,
    /// k of every row.
    resistance: Vec<f64>,
    /// Bodies of the rows that are held, a list for each with its length before it: what the plan is made of.
    tied: Vec<u32>,
    next_tied: Vec<u32>,
    /// Blocks of the matrix for every pair of parts of every held row, and whether the first of the two is eliminated later.
    places: Vec<(u32, bool)>,
    nodes: Vec<Six>,
    scratch: Vec<Six>,
    /// L⁻¹J̃ᵀ of the rows that are left, and which bodies it reaches.
    halves: Vec<Six>,
    reached: Vec<bool>,
}

impl HeldBodies {
    /// Reads a problem over bodies, holds rows by their k and factors; false if that cannot be done.
    pub fn hold(&mut self, problem: &ContactProblem, resistance: impl Fn(usize) -> f64) -> bool {
        let Delassus::Factored(w) = problem.delassus() else { return false };
        self.read(problem.offsets(), w);
        self.resistance.clear();
        for c in 0..problem.blocks().len() {
            let k = resistance(c);
            self.resistance.extend(problem.range(c).map(|_| k));
        }
        self.plan(w.inverse_mass().len());
        widest(
            #[inline(always)]
            || self.assemble(),
        );
        self.factor.factor().is_ok()
    }

    fn read(&mut self, offsets: &[usize], w: &FactoredDelassus) {
        self.roots.clear();
        self.roots.extend(w.inverse_mass().iter().map(root_of_inverse_mass));
        self.compliance.clear();
        self.compliance.extend_from_slice(w.compliance());
        let (starts, bodies, columns) = (&mut self.starts, &mut self.bodies, &mut self.columns);
        starts.clear();
        starts.push(0);
        bodies.clear();
        columns.clear();
        let roots = &self.roots;
        let mut add = |first: usize, body: u32, j: &[f64]| {
            let root = &roots[body as usize];
            let part: Six = std::array::from_fn(|b| (b..6).map(|a| j[a] * root[a][b]).sum());
            // A row may name a body twice.
            match bodies[first..].iter().position(|other| *other == body) {
                Some(at) => columns[first + at].iter_mut().zip(part).for_each(|(sum, part)| *sum += part),
                None => {
                    bodies.push(body);
                    columns.push(part);
                }
            }
            bodies.len()
        };
        let further = !w.further_of(0..offsets[offsets.len() - 1]).is_empty();
        for (c, pair) in w.bodies().iter().enumerate() {
            for row in offsets[c]..offsets[c + 1] {
                let first = starts[starts.len() - 1];
                let mut end = first;
                for (side, body) in pair.iter().enumerate() {
                    let Some(body) = *body else { continue };
                    end = add(first, body, &w.jacobian()[row][6 * side..6 * side + 6]);
                }
                for beyond in if further { w.further_of(row..row + 1) } else { &[] } {
                    end = add(first, beyond.body, &beyond.columns);
                }
                starts.push(end);
            }
        }
    }

    /// Parts of a row.
    #[inline(always)]
    fn parts(&self, row: usize) -> (&[u32], &[Six]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.bodies[range.clone()], &self.columns[range])
    }

    /// Plans the factorization, unless held rows tie the bodies that they tied.
    fn plan(&mut self, bodies: usize) {
        let mut tied = std::mem::take(&mut self.next_tied);
        tied.clear();
        for row in 0..self.resistance.len() {
            if self.resistance[row] != 0.0 {
                let (bodies, _) = self.parts(row);
                tied.push(bodies.len() as u32);
                tied.extend_from_slice(bodies);
            }
        }
        let same = tied == self.tied && self.factor.nodes() == bodies;
        self.next_tied = std::mem::replace(&mut self.tied, tied);
        if same {
            return;
        }
        let mut neighbours = vec![Vec::new(); bodies];
        for list in lists(&self.tied) {
            for body in list {
                neighbours[*body as usize].extend(list.iter().map(|other| *other as usize));
            }
        }
        self.factor = BlockCholesky::new(&BlockGraph::new(vec![6; bodies], &mut neighbours));
        self.places.clear();
        for list in lists(&self.tied) {
            for (at, a) in list.iter().enumerate() {
                let later = |b: &u32| self.factor.position(*a) > self.factor.position(*b);
                self.places.extend(list[at..].iter().map(|b| (self.factor.place(*a, *b), later(b))));
            }
        }
    }

    #[inline(always)]
    fn assemble(&mut self) {
        let HeldBodies { factor, starts, columns, compliance, resistance, places, .. } = self;
        factor.begin();
        let mut places = places.iter();
        for (row, k) in resistance.iter_mut().enumerate().filter(|(_, k)| **k != 0.0) {
            *k /= 1.0 + *k * compliance.get(row).copied().unwrap_or(0.0);
            let parts = &columns[starts[row]..starts[row + 1]];
            for (at, part) in parts.iter().enumerate() {
                for other in &parts[at..] {
                    let Some((place, later)) = places.next() else { return };
                    let (late, early) = if *later { (part, other) } else { (other, part) };
                    add_outer(factor.block_mut(*place), *k, late, early);
                }
            }
        }
    }

    /// `out = W r`.
    pub fn apply_w(&mut self, r: &[f64], out: &mut [f64]) {
        self.nodes.clear();
        self.nodes.resize(self.roots.len(), [0.0; 6]);
        self.scatter(|row| r[row]);
        self.gather(out);
        self.yield_to(r, out);
    }

    /// `out += C r`.
    fn yield_to(&self, r: &[f64], out: &mut [f64]) {
        for ((out, c), r) in out.iter_mut().zip(&self.compliance).zip(r) {
            *out += c * r;
        }
    }

    /// `x` with `(I + K W) x = g`, and `w_x = W x`.
    pub fn solve(&mut self, g: &[f64], x: &mut [f64], w_x: &mut [f64]) {
        for row in 0..g.len() {
            // k' = k/(1 + kc): 1/(1 + kc) = 1 − k'c.
            let yields = self.resistance[row] * self.compliance.get(row).copied().unwrap_or(0.0);
            x[row] = g[row] * (1.0 - yields);
        }
        self.nodes.clear();
        self.nodes.resize(self.roots.len(), [0.0; 6]);
        self.scatter(|row| x[row]);
        let (factor, nodes, scratch) = (&self.factor, &mut self.nodes, &mut self.scratch);
        widest(
            #[inline(always)]
            || factor.solve(nodes, scratch),
        );
        // J̃ dv + C x is W x: no further product is needed.
        self.gather(w_x);
        for ((x, w_x), k) in x.iter_mut().zip(&*w_x).zip(&self.resistance) {
            *x -= k * w_x;
        }
        self.yield_to(x, w_x);
    }

    /// What held rows leave of W at rows that are not held, row-major.
    pub fn left_of_w(&mut self, rows: impl Iterator<Item = usize> + Clone, out: &mut Vec<f64>) {
        let (m, n) = (rows.clone().count(), self.roots.len());
        self.halves.clear();
        self.halves.resize(m * n, [0.0; 6]);
        self.reached.clear();
        self.reached.resize(m * n, false);
        let HeldBodies { factor, starts, bodies, columns, halves, reached, compliance, .. } = self;
        out.clear();
        out.resize(m * m, 0.0);
        widest(
            #[inline(always)]
            || {
                for (i, row) in rows.enumerate() {
                    let (own, own_reached) = (&mut halves[i * n..(i + 1) * n], &mut reached[i * n..(i + 1) * n]);
                    for at in starts[row]..starts[row + 1] {
                        let p = factor.position(bodies[at]) as usize;
                        (own[p], own_reached[p]) = (columns[at], true);
                    }
                    factor.half_solve(own, own_reached);
                    for j in 0..=i {
                        let mut sum = 0.0;
                        for p in 0..n {
                            if reached[i * n + p] && reached[j * n + p] {
                                sum += dot(&halves[i * n + p], &halves[j * n + p]);
                            }
                        }
                        // The same bits on both sides.
                        (out[i * m + j], out[j * m + i]) = (sum, sum);
                    }
                    out[i * m + i] += compliance.get(row).copied().unwrap_or(0.0);
                }
            },
        );
    }

    /// `nodes += J̃ᵀ r`.
    fn scatter(&mut self, r: impl Fn(usize) -> f64) {
        let HeldBodies { starts, bodies, columns, nodes, .. } = self;
        for row in 0..starts.len() - 1 {
            let size = r(row);
            for at in starts[row]..starts[row + 1] {
                let node = &mut nodes[bodies[at] as usize];
                for i in 0..6 {
                    node[i] += columns[at][i] * size;
                }
            }
        }
    }

    /// One row of `J̃ nodes`.
    #[inline(always)]
    fn product(&self, row: usize) -> f64 {
        (self.starts[row]..self.starts[row + 1])
            .map(|at| dot(&self.columns[at], &self.nodes[self.bodies[at] as usize]))
            .sum()
    }

    /// `u = J̃ nodes`.
    fn gather(&self, u: &mut [f64]) {
        for (row, u) in u.iter_mut().enumerate() {
            *u = self.product(row);
        }
    }
}

/// `block += k late earlyᵀ`.
#[inline(always)]
fn add_outer(block: &mut Square, k: f64, late: &Six, early: &Six) {
    for j in 0..6 {
        let factor = k * early[j];
        for i in 0..6 {
            block[j][i] += factor * late[i];
        }
    }
}

/// The lists that were laid down one after another, each after its length.
fn lists(mut all: &[u32]) -> impl Iterator<Item = &[u32]> {
    std::iter::from_fn(move || {
        let (length, rest) = all.split_first()?;
        let (list, rest) = rest.split_at_checked(*length as usize)?;
        all = rest;
        Some(list)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use signorini_problem::random::SplitMix64;
    use signorini_problem::{Block, FurtherColumns, Symmetry};

    fn number(seed: &mut SplitMix64) -> f64 {
        seed.uniform(-1.0, 1.0)
    }

    /// Nine bodies in a tree and in two loops, a gear over three of them, rows that give way, and
    /// contacts that are not held: what is held, and how hard, at random.
    fn problem(seed: &mut SplitMix64) -> ContactProblem {
        let mass: InverseMass = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.5 } else { 0.1 }));
        let mut bodies: Vec<_> = (1..9).map(|b: u32| [Some((b - 1) / 2), Some(b)]).collect();
        bodies.extend([[Some(8), Some(3)], [Some(5), None], [None, Some(7)], [Some(2), Some(4)], [Some(1), Some(6)]]);
        let blocks: Vec<_> =
            (0..13).map(|c| if c < 10 { Block::joint(1 + c % 5) } else { Block::contact(0.5) }).collect();
        let rows = blocks.iter().map(|block| block.rows).sum();
        let jacobian = (0..rows).map(|_| std::array::from_fn(|_| number(seed))).collect();
        let compliance = (0..rows).map(|row| if row % 4 == 0 { 1.0 + number(seed) } else { 0.0 }).collect();
        let further = vec![FurtherColumns { row: 0, body: 7, columns: std::array::from_fn(|_| number(seed)) }];
        let w =
            FactoredDelassus::new(vec![mass; 9], bodies, jacobian).with_compliance(compliance).with_further(further);
        ContactProblem::new(blocks, Delassus::Factored(w), vec![0.0; rows], Symmetry::Exact).unwrap()
    }

    /// `(I + K W) x = g` and `w_x = W x` by a stored W; and S by its definition: what an impulse at a row that is not held does there.
    #[test]
    fn held_rows_leave_what_a_stored_operator_says() {
        let (mut seed, mut held) = (SplitMix64::new(1), HeldBodies::default());
        for round in 0..40 {
            let problem = problem(&mut seed);
            let (n, w) = (problem.rows(), problem.delassus().to_dense(problem.offsets()));
            let hardness = [1.0, 1e3][round % 2];
            let k: Vec<f64> = (0..13).map(|c| if (c + round / 8) % 3 > 0 { hardness } else { 0.0 }).collect();
            assert!(held.hold(&problem, |c| k[c]));
            let g: Vec<f64> = (0..n).map(|_| number(&mut seed)).collect();
            let (mut x, mut w_x) = (vec![0.0; n], vec![0.0; n]);
            held.solve(&g, &mut x, &mut w_x);
            let k_of: Vec<f64> = (0..13).flat_map(|c| problem.range(c).map(move |_| c)).map(|c| k[c]).collect();
            let product = |x: &[f64], row: usize| (0..n).map(|j| w[row * n + j] * x[j]).sum::<f64>();
            for row in 0..n {
                let wanted = product(&x, row);
                assert!((w_x[row] - wanted).abs() < 1e-9, "{} is not {wanted}", w_x[row]);
                assert!((x[row] + k_of[row] * wanted - g[row]).abs() < 1e-7, "row {row}");
            }
            let free: Vec<usize> = (0..n).filter(|row| k_of[*row] == 0.0).collect();
            let mut left = Vec::new();
            held.left_of_w(free.iter().copied(), &mut left);
            for (i, row) in free.iter().enumerate() {
                let unit: Vec<f64> = (0..n).map(|j| f64::from(u8::from(j == *row))).collect();
                held.solve(&unit, &mut x, &mut w_x);
                for (j, other) in free.iter().enumerate() {
                    assert!((left[i * free.len() + j] - w_x[*other]).abs() < 1e-9);
                    assert_eq!(left[i * free.len() + j].to_bits(), left[j * free.len() + i].to_bits());
                }
            }
            held.apply_w(&g, &mut w_x);
            assert!((0..n).all(|row| (w_x[row] - product(&g, row)).abs() < 1e-12));
        }
    }

    /// A stored W has no bodies to hold.
    #[test]
    fn a_stored_operator_is_refused() {
        let w = Delassus::Dense(signorini_problem::DenseDelassus::new(1, vec![1.0]));
        let problem = ContactProblem::new(vec![Block::joint(1)], w, vec![1.0], Symmetry::Exact).unwrap();
        assert!(!HeldBodies::default().hold(&problem, |_| 1.0));
    }
}

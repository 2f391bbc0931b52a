//! The velocity form of the Newton system: W over bodies, in coordinates in which every body has unit mass: `J̃ = J S`
//! with `S Sᵀ = M⁻¹`, and `A = I + J̃ᵀ K J̃`.

use super::clique::Clique;
use super::compliance::LocalCompliance;
use super::pair_sum::{PairSum, Twelve, add_scaled, twelve};
use crate::linalg::block_graph::BlockGraph;
use signorini_problem::{FactoredDelassus, InverseMass};

/// What the form keeps of a problem.
#[derive(Clone, Debug, Default)]
pub(super) struct VelocityForm {
    /// Bodies of every block.
    pub(super) bodies: Vec<[Option<u32>; 2]>,
    /// Pairs of bodies that share a block, the first below the second, ascending: the edges of the graph.
    ties: Vec<(u32, u32)>,
    /// Those of the next problem.
    next_ties: Vec<(u32, u32)>,
    /// Bodies that something fixed touches, ascending.
    held: Vec<u32>,
    /// Rows of J̃, side A and side B.
    pub(super) rows: Vec<[[f64; 6]; 2]>,
    /// Where the blocks (A,A), (A,B), (B,A), (B,B) of a contact start in the values; unused ones are `usize::MAX`, and all of
    /// those that are in a clique.
    pub(super) slots: Vec<[usize; 4]>,
    pub(super) diagonal: Vec<usize>,
    /// Blocks over more than two bodies, ascending; nearly always none.
    pub(super) cliques: Vec<Clique>,
    /// Blocks and bodies of the further columns, as they come.
    pub(super) further: Vec<(usize, u32)>,
    /// Pairs of bodies that touch, and bodies that touch something fixed.
    pub(super) pairs: usize,
    /// S of every body.
    pub(super) roots: Vec<InverseMass>,
    /// Compliance of the rows.
    pub(super) compliance: LocalCompliance,
}

impl VelocityForm {
    /// Reads which bodies share a block. Returns whether the graph has changed.
    pub(super) fn tie(&mut self, bodies: &[[Option<u32>; 2]]) -> bool {
        let both = |pair: &[Option<u32>; 2]| {
            let (a, b) = pair[0].zip(pair[1])?;
            (a != b).then_some((a.min(b), a.max(b)))
        };
        self.next_ties.clear();
        self.next_ties.extend(bodies.iter().filter_map(both));
        self.next_ties.sort_unstable();
        self.next_ties.dedup();
        std::mem::swap(&mut self.ties, &mut self.next_ties);
        self.ties != self.next_ties
    }

    /// Neighbours of every body.
    pub(super) fn neighbours(&self, bodies: usize) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); bodies];
        for (a, b) in &self.ties {
            neighbours[*a as usize].push(*b as usize);
            neighbours[*b as usize].push(*a as usize);
        }
        neighbours
    }

    /// Where the blocks of a problem with these bodies are in the values of the graph.
    pub(super) fn find_slots(&mut self, bodies: &[[Option<u32>; 2]], graph: &BlockGraph) {
        let start = |i: Option<u32>, j: Option<u32>| match (i, j) {
            (Some(i), Some(j)) => graph.find(i as usize, j as usize).map_or(usize::MAX, |e| graph.starts[e]),
            _ => usize::MAX,
        };
        self.bodies.clear();
        self.bodies.extend_from_slice(bodies);
        self.slots.clear();
        self.slots.extend(bodies.iter().map(|&[a, b]| [start(a, a), start(a, b), start(b, a), start(b, b)]));
        for clique in &self.cliques {
            self.slots[clique.block] = [usize::MAX; 4];
        }
        self.diagonal.clear();
        self.diagonal.extend((0..graph.nodes() as u32).map(|i| start(Some(i), Some(i))));
        self.held.clear();
        let alone = |pair: &[Option<u32>; 2]| pair[0].xor(pair[1]);
        self.held.extend(bodies.iter().filter_map(alone));
        self.held.sort_unstable();
        self.held.dedup();
        self.pairs = self.ties.len() + self.held.len();
    }

    /// Reads J̃ and C.
    pub(super) fn read(&mut self, offsets: &[usize], w: &FactoredDelassus) {
        self.compliance.read(w.compliance());
        self.roots.clear();
        self.roots.extend(w.inverse_mass().iter().map(root_of_inverse_mass));
        self.rows.clear();
        self.rows.resize(w.jacobian().len(), [[0.0; 6]; 2]);
        for (c, pair) in w.bodies().iter().enumerate() {
            for (side, body) in pair.iter().enumerate() {
                let Some(body) = body else { continue };
                let root = &self.roots[*body as usize];
                for row in offsets[c]..offsets[c + 1] {
                    let j = &w.jacobian()[row][6 * side..6 * side + 6];
                    for b in 0..6 {
                        self.rows[row][side][b] = (b..6).map(|a| j[a] * root[a][b]).sum();
                    }
                }
            }
        }
        for clique in &mut self.cliques {
            clique.read(offsets, w, &self.rows, &self.roots);
        }
    }

    /// Whether a problem has its bodies where this one had them.
    pub(super) fn is_of(&self, offsets: &[usize], w: &FactoredDelassus) -> bool {
        self.bodies == w.bodies() && Clique::places(offsets, w).eq(self.further.iter().copied())
    }

    /// `nodes = J̃ᵀ r`.
    #[inline(always)]
    pub(super) fn scatter(&self, offsets: &[usize], r: &[f64], nodes: &mut [f64]) {
        nodes.fill(0.0);
        let (nodes, _) = nodes.as_chunks_mut::<6>();
        for (c, pair) in self.bodies.iter().enumerate() {
            let rows = &self.rows[offsets[c]..offsets[c + 1]];
            let mut sums = [[0.0; 4]; 3];
            for (row, r) in rows.iter().zip(&r[offsets[c]..offsets[c + 1]]) {
                add_scaled(&mut sums, *r, &twelve(row));
            }
            let sums = sums.as_flattened();
            for (side, body) in pair.iter().enumerate() {
                let Some(body) = body else { continue };
                let node = &mut nodes[*body as usize];
                for i in 0..6 {
                    node[i] += sums[6 * side + i];
                }
            }
        }
        for clique in &self.cliques {
            clique.scatter(&r[offsets[clique.block]..offsets[clique.block + 1]], nodes);
        }
    }

    /// `u = J̃ nodes`.
    #[inline(always)]
    pub(super) fn gather(&self, offsets: &[usize], nodes: &[f64], u: &mut [f64]) {
        let (nodes, _) = nodes.as_chunks::<6>();
        // Four sums of products per row, first all of a block and then added up, or the compiler shuffles.
        let mut products = [[0.0; 4]; 6];
        for (c, pair) in self.bodies.iter().enumerate() {
            let mut both: Twelve = [[0.0; 4]; 3];
            for (side, body) in pair.iter().enumerate() {
                let Some(body) = body else { continue };
                both.as_flattened_mut()[6 * side..6 * side + 6].copy_from_slice(&nodes[*body as usize]);
            }
            for (row, products) in self.rows[offsets[c]..offsets[c + 1]].iter().zip(&mut products) {
                let row = twelve(row);
                for i in 0..4 {
                    products[i] = row[0][i] * both[0][i] + row[1][i] * both[1][i] + row[2][i] * both[2][i];
                }
            }
            for (u, products) in u[offsets[c]..offsets[c + 1]].iter_mut().zip(&products) {
                *u = (products[0] + products[2]) + (products[1] + products[3]);
            }
        }
        for clique in &self.cliques {
            clique.gather(nodes, &mut u[offsets[clique.block]..offsets[clique.block + 1]]);
        }
    }
}

/// Lower-triangular S with `S Sᵀ = M⁻¹`; a direction without inverse mass gets a zero column.
pub(crate) fn root_of_inverse_mass(m: &InverseMass) -> InverseMass {
    let mut s = [[0.0; 6]; 6];
    for j in 0..6 {
        let pivot = m[j][j] - (0..j).map(|k| s[j][k] * s[j][k]).sum::<f64>();
        // Below the round-off of the sum above the direction is locked.
        if pivot <= 1e-14 * m[j][j] {
            continue;
        }
        s[j][j] = pivot.sqrt();
        for i in j + 1..6 {
            s[i][j] = (m[i][j] - (0..j).map(|k| s[i][k] * s[j][k]).sum::<f64>()) / s[j][j];
        }
    }
    s
}

/// `A = I + Σ J̃ᵀ K J̃`, block by block.
#[inline(always)]
pub(super) fn assemble_velocity(
    form: &VelocityForm,
    offsets: &[usize],
    k: &[f64],
    k_starts: &[usize],
    values: &mut [f64],
) {
    values.fill(0.0);
    for start in &form.diagonal {
        for i in 0..6 {
            values[start + 7 * i] = 1.0;
        }
    }
    // Contacts of one pair follow each other: their sum is made where it stays near, and added once.
    let mut sum = PairSum::default();
    for (c, slots) in form.slots.iter().enumerate() {
        let k = &k[k_starts[c]..k_starts[c + 1]];
        if k.iter().all(|x| *x == 0.0) {
            continue;
        }
        if sum.slots != *slots {
            sum.add_to(values);
            sum.slots = *slots;
        }
        sum.add(&form.rows[offsets[c]..offsets[c + 1]], k);
    }
    sum.add_to(values);
    for clique in &form.cliques {
        clique.add_to(&k[k_starts[clique.block]..k_starts[clique.block + 1]], values);
    }
}

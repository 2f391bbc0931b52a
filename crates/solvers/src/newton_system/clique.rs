//! Blocks that act on more than two bodies, such as gears: their part of `A = I + J̃ᵀ K J̃` couples all of their bodies
//! with each other.

use crate::linalg::block_graph::BlockGraph;
use signorini_problem::{FactoredDelassus, InverseMass};

/// A block with columns beyond those of its pair.
#[derive(Clone, Debug, Default)]
pub(super) struct Clique {
    /// Which block.
    pub(super) block: usize,
    /// Its bodies: those of its pair, then the others.
    bodies: Vec<u32>,
    /// How many of them are of the pair.
    of_pair: usize,
    /// Where the block of every pair of its bodies starts in the values, row-major.
    starts: Vec<usize>,
    /// J̃, row by row and body by body.
    columns: Vec<[f64; 6]>,
}

impl Clique {
    /// Block and body of all further columns of a problem, as they come.
    pub(super) fn places<'a>(offsets: &'a [usize], w: &'a FactoredDelassus) -> impl Iterator<Item = (usize, u32)> + 'a {
        let block = |row: u32| offsets.partition_point(|offset| *offset <= row as usize) - 1;
        w.further().iter().map(move |further| (block(further.row), further.body))
    }

    /// The cliques of a problem, and whom their bodies touch.
    pub(super) fn find(offsets: &[usize], w: &FactoredDelassus, neighbours: &mut [Vec<usize>]) -> Vec<Clique> {
        let mut cliques: Vec<Clique> = Vec::new();
        for (block, body) in Clique::places(offsets, w) {
            if cliques.last().is_none_or(|last| last.block != block) {
                let bodies: Vec<u32> = w.bodies()[block].into_iter().flatten().collect();
                cliques.push(Clique { block, of_pair: bodies.len(), bodies, ..Clique::default() });
            }
            if let Some(clique) = cliques.last_mut()
                && !clique.bodies[clique.of_pair..].contains(&body)
            {
                clique.bodies.push(body);
            }
        }
        for clique in &cliques {
            for body in &clique.bodies {
                neighbours[*body as usize].extend(clique.bodies.iter().map(|other| *other as usize));
            }
        }
        cliques
    }

    /// Takes its places in the matrix.
    pub(super) fn settle(&mut self, graph: &BlockGraph) {
        let start = |i: u32, j: u32| graph.find(i as usize, j as usize).map_or(0, |entry| graph.starts[entry]);
        let pairs = self.bodies.iter().flat_map(|i| self.bodies.iter().map(|j| start(*i, *j)));
        self.starts = pairs.collect();
    }

    /// Reads J̃, whose columns of pairs are known.
    pub(super) fn read(
        &mut self,
        offsets: &[usize],
        w: &FactoredDelassus,
        of_pairs: &[[[f64; 6]; 2]],
        roots: &[InverseMass],
    ) {
        let (rows, n) = (offsets[self.block]..offsets[self.block + 1], self.bodies.len());
        self.columns.clear();
        self.columns.resize(rows.len() * n, [0.0; 6]);
        for (row, columns) in rows.clone().zip(self.columns.chunks_exact_mut(n)) {
            let sides = (0..2).filter(|side| w.bodies()[self.block][*side].is_some());
            for (columns, side) in columns.iter_mut().zip(sides) {
                *columns = of_pairs[row][side];
            }
        }
        for further in w.further_of(rows.clone()) {
            let Some(at) = self.bodies.iter().position(|body| *body == further.body) else { continue };
            let root = &roots[further.body as usize];
            self.columns[(further.row as usize - rows.start) * n + at] =
                std::array::from_fn(|b| (b..6).map(|a| further.columns[a] * root[a][b]).sum());
        }
    }

    /// Bodies beyond the pair, and the columns that a row of the block has there.
    pub(super) fn beyond(&self, row: usize) -> impl Iterator<Item = (u32, &[f64; 6])> {
        let n = self.bodies.len();
        let columns = &self.columns[row * n..(row + 1) * n];
        self.bodies.iter().copied().zip(columns).skip(self.of_pair)
    }

    /// `nodes += J̃ᵀ r` beyond the pair.
    pub(super) fn scatter(&self, r: &[f64], nodes: &mut [[f64; 6]]) {
        for (row, r) in r.iter().enumerate() {
            for (body, columns) in self.beyond(row) {
                for (node, j) in nodes[body as usize].iter_mut().zip(columns) {
                    *node += j * r;
                }
            }
        }
    }

    /// `u += J̃ nodes` beyond the pair.
    pub(super) fn gather(&self, nodes: &[[f64; 6]], u: &mut [f64]) {
        for (row, u) in u.iter_mut().enumerate() {
            for (body, columns) in self.beyond(row) {
                *u += nodes[body as usize].iter().zip(columns).map(|(v, j)| v * j).sum::<f64>();
            }
        }
    }

    /// Adds `J̃ᵀ K J̃` to the matrix.
    pub(super) fn add_to(&self, k: &[f64], values: &mut [f64]) {
        let (n, rows) = (self.bodies.len(), self.columns.len() / self.bodies.len().max(1));
        if k.iter().all(|x| *x == 0.0) {
            return;
        }
        for (at, start) in self.starts.iter().enumerate() {
            let (i, j) = (at / n, at % n);
            for a in 0..rows {
                let mut kj = [0.0; 6];
                for b in 0..rows {
                    let k = k[a * rows + b];
                    kj.iter_mut().zip(&self.columns[b * n + j]).for_each(|(kj, x)| *kj += k * x);
                }
                for (column, kj) in kj.iter().enumerate() {
                    for (row, x) in self.columns[a * n + i].iter().enumerate() {
                        values[start + 6 * column + row] += x * kj;
                    }
                }
            }
        }
    }
}

//! Elimination order by minimum fill: the next node is the one whose elimination adds the fewest edges.
//!
//! Tinney and Walker 1967, scheme 3. The fill of every node is kept exact while edges come and go, with one bit per pair of
//! nodes: an edge costs a few operations on rows of bits. Memory n²/8 bytes, so for graphs of up to a thousand nodes or so.

use super::block_graph::BlockGraph;

/// The remaining graph.
struct Remainder {
    /// Words of 64 nodes per row.
    words: usize,
    /// Neighbours of every node, the node itself not among them.
    rows: Vec<u64>,
    /// Pairs of neighbours of every node that are not neighbours: edges that its elimination adds.
    fill: Vec<usize>,
}

/// `order[p]` is eliminated p-th; of equals the first of the graph.
pub fn minimum_fill(graph: &BlockGraph) -> Vec<usize> {
    let mut remainder = Remainder::new(graph);
    let mut left: Vec<usize> = (0..graph.nodes()).collect();
    let mut order = Vec::with_capacity(left.len());
    let mut neighbours = Vec::new();
    while let Some((at, node)) = left.iter().copied().enumerate().min_by_key(|(_, node)| remainder.fill[*node]) {
        neighbours.clear();
        neighbours.extend(remainder.neighbours(node));
        if remainder.fill[node] == 0 && neighbours.len() + 1 == left.len() {
            // The rest is a clique: any order will do.
            break;
        }
        left.remove(at);
        order.push(node);
        remainder.eliminate(node, &neighbours);
    }
    order.append(&mut left);
    order
}

impl Remainder {
    fn new(graph: &BlockGraph) -> Self {
        let n = graph.nodes();
        let words = n.div_ceil(64);
        let mut remainder = Remainder { words, rows: vec![0; n * words], fill: vec![0; n] };
        for i in 0..n {
            for j in &graph.columns[graph.row_ptr[i]..graph.row_ptr[i + 1]] {
                if i != *j {
                    remainder.rows[i * words + j / 64] |= 1 << (j % 64);
                }
            }
        }
        for i in 0..n {
            // Every pair is counted from both sides; a node is not its own neighbour.
            let missing: usize = remainder.neighbours(i).map(|j| remainder.only_of(i, j) - 1).sum();
            remainder.fill[i] = missing / 2;
        }
        remainder
    }

    fn row(&self, i: usize) -> &[u64] {
        &self.rows[i * self.words..(i + 1) * self.words]
    }

    fn neighbours(&self, i: usize) -> impl Iterator<Item = usize> {
        self.row(i).iter().enumerate().flat_map(|(word, bits)| ones(64 * word, *bits))
    }

    fn are_neighbours(&self, i: usize, j: usize) -> bool {
        self.rows[i * self.words + j / 64] >> (j % 64) & 1 == 1
    }

    fn flip(&mut self, i: usize, j: usize) {
        self.rows[i * self.words + j / 64] ^= 1 << (j % 64);
    }

    /// Neighbours of `i` that are not neighbours of `j`.
    fn only_of(&self, i: usize, j: usize) -> usize {
        self.row(i).iter().zip(self.row(j)).map(|(i, j)| (i & !j).count_ones() as usize).sum()
    }

    /// Removes the node and connects its neighbours.
    fn eliminate(&mut self, node: usize, neighbours: &[usize]) {
        for a in neighbours {
            self.flip(*a, node);
            self.fill[*a] -= self.only_of(*a, node);
        }
        for (i, a) in neighbours.iter().enumerate() {
            for b in &neighbours[i + 1..] {
                if !self.are_neighbours(*a, *b) {
                    self.join(*a, *b);
                }
            }
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        for word in 0..self.words {
            let both = self.rows[a * self.words + word] & self.rows[b * self.words + word];
            for common in ones(64 * word, both) {
                self.fill[common] -= 1;
            }
        }
        self.fill[a] += self.only_of(a, b);
        self.fill[b] += self.only_of(b, a);
        self.flip(a, b);
        self.flip(b, a);
    }
}

/// Places of the ones of a word, counted from `first`.
fn ones(first: usize, mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| first + bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        place
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joins nodes of a list of edges.
    fn graph(nodes: usize, edges: &[(usize, usize)]) -> BlockGraph {
        let mut neighbours = vec![Vec::new(); nodes];
        for (a, b) in edges {
            neighbours[*a].push(*b);
            neighbours[*b].push(*a);
        }
        BlockGraph::new(vec![1; nodes], &mut neighbours)
    }

    #[test]
    fn trees_and_chordal_graphs_fill_nothing() {
        // A caterpillar, and a strip of triangles.
        let caterpillar: Vec<_> = (0..9).map(|i| (i, i + 1)).chain((0..10).map(|i| (i, i + 10))).collect();
        let strip: Vec<_> = (0..19).map(|i| (i, i + 1)).chain((0..18).map(|i| (i, i + 2))).collect();
        for edges in [caterpillar, strip] {
            let graph = graph(20, &edges);
            let mut remainder = Remainder::new(&graph);
            for node in minimum_fill(&graph) {
                let neighbours: Vec<usize> = remainder.neighbours(node).collect();
                assert_eq!(remainder.fill[node], 0, "node {node}");
                remainder.eliminate(node, &neighbours);
            }
        }
    }

    #[test]
    fn counts_stay_those_of_the_graph_that_is_left() {
        // A lattice of more nodes than a word has bits.
        let (width, height) = (9, 11);
        let mut edges = Vec::new();
        for i in 0..width * height {
            if i % width + 1 < width {
                edges.push((i, i + 1));
            }
            if i + width < width * height {
                edges.push((i, i + width));
            }
        }
        let graph = graph(width * height, &edges);
        let order = minimum_fill(&graph);
        let mut seen = order.clone();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..width * height), "not every node once");
        let mut remainder = Remainder::new(&graph);
        for (p, node) in order.iter().enumerate() {
            let neighbours: Vec<usize> = remainder.neighbours(*node).collect();
            remainder.eliminate(*node, &neighbours);
            for i in &order[p + 1..] {
                let around: Vec<usize> = remainder.neighbours(*i).collect();
                let pairs = around.iter().flat_map(|a| around.iter().map(move |b| (*a, *b)));
                let missing = pairs.filter(|(a, b)| a < b && !remainder.are_neighbours(*a, *b)).count();
                assert_eq!(remainder.fill[*i], missing, "node {i} after {node}");
            }
        }
    }
}

//! A square matrix of small dense blocks with a symmetric pattern: which blocks there are and where their values lie.
//!
//! Nodes are bodies (six rows each) in the velocity form of the Newton systems, contacts in the impulse form.

/// Pattern of a block matrix. Every node has its diagonal block; `(i, j)` is present iff `(j, i)` is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockGraph {
    /// Rows of each node.
    pub sizes: Vec<usize>,
    /// Blocks of node `i`: `row_ptr[i]..row_ptr[i + 1]`, columns ascending, the diagonal included.
    pub row_ptr: Vec<usize>,
    /// Column of each block.
    pub columns: Vec<usize>,
    /// Start of each block in the values, and their number at the end. Blocks are column-major.
    pub starts: Vec<usize>,
}

impl BlockGraph {
    /// From the neighbours of every node (in any order, duplicates allowed, the node itself may be left out).
    /// The lists are left sorted.
    pub fn new(sizes: Vec<usize>, neighbours: &mut [Vec<usize>]) -> Self {
        let mut graph = BlockGraph { sizes, row_ptr: vec![0], columns: Vec::new(), starts: vec![0] };
        let mut start = 0;
        for (i, list) in neighbours.iter_mut().enumerate() {
            list.push(i);
            list.sort_unstable();
            list.dedup();
            for j in list.iter() {
                graph.columns.push(*j);
                start += graph.sizes[i] * graph.sizes[*j];
                graph.starts.push(start);
            }
            graph.row_ptr.push(graph.columns.len());
        }
        graph
    }

    /// Every node beside every other, in the memory of the graph before.
    pub fn fill(&mut self, sizes: impl Iterator<Item = usize>) {
        for list in [&mut self.sizes, &mut self.row_ptr, &mut self.columns, &mut self.starts] {
            list.clear();
        }
        self.sizes.extend(sizes);
        let n = self.sizes.len();
        self.row_ptr.extend((0..=n).map(|i| i * n));
        self.starts.push(0);
        let mut start = 0;
        for i in 0..n {
            for j in 0..n {
                self.columns.push(j);
                start += self.sizes[i] * self.sizes[j];
                self.starts.push(start);
            }
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.sizes.len()
    }

    /// Number of stored values.
    pub fn stored(&self) -> usize {
        self.starts[self.columns.len()]
    }

    /// Number of scalar rows.
    pub fn rows(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// Index of block `(i, j)`, if it is in the pattern.
    pub fn find(&self, i: usize, j: usize) -> Option<usize> {
        self.columns[self.row_ptr[i]..self.row_ptr[i + 1]].binary_search(&j).ok().map(|e| e + self.row_ptr[i])
    }
}

//! Symbolic work, done once per graph: ordering, elimination tree, supernodes, and the shape of every front.
//!
//! Minimum fill on the graph of nodes, or where they are very many approximate minimum degree (Amestoy, Davis, Duff 1996;
//! the crate `amd`, their code in Rust); then the columns of the factor are grouped into supernodes whose fronts are dense. Small
//! neighbours are merged although that stores a few explicit zeros: one larger dense front is faster than two tiny ones.

use super::block_graph::BlockGraph;
use super::minimum_fill::minimum_fill;

/// A front may be merged with its parent while the explicit zeros stay below this share of the merged panel.
const MERGE_ZERO_SHARE: f64 = 0.15;
/// Fronts with at most this many pivot rows are merged more freely: their overhead outweighs the zeros.
const MERGE_SMALL_PIVOTS: usize = 12;
/// The share of zeros allowed for those.
const MERGE_SMALL_ZERO_SHARE: f64 = 0.4;

/// Most nodes that are ordered by minimum fill: its cost grows faster than that of minimum degree.
const MOST_BY_FILL: usize = 1024;

/// One dense front: `pivots` rows are eliminated, the rest is passed to the parent.
#[derive(Clone, Debug, Default)]
pub struct Front {
    /// First scalar row of the pivots, in elimination order.
    pub first: usize,
    /// Scalar pivot rows.
    pub pivots: usize,
    /// Scalar rows of the whole front.
    pub size: usize,
    /// Scalar elimination index of every update row (`size − pivots` of them).
    pub update: Vec<u32>,
    /// Where the update rows go in the parent's front, in order: first those that become pivot rows there.
    pub into_parent: Vec<Run>,
    /// How many of these become pivot rows.
    pub runs_into_pivots: usize,
    /// The rows of those.
    pub rows_into_pivots: usize,
    /// Pivot rows of the parent.
    pub parent_pivots: usize,
    /// Children, ascending.
    pub children: Vec<usize>,
    /// Blocks of the matrix assembled here.
    pub blocks: Vec<BlockPlace>,
    /// Whether these are all of its part of the factor, so that none of it has to be cleared before.
    pub covered: bool,
    /// Start of this front's part of the factor.
    pub factor_start: usize,
    /// Whether its depth in the tree is odd: its Schur complement then waits on the other stack than its parent's.
    pub odd: bool,
    /// Start of its Schur complement on that stack.
    pub stack_start: usize,
}

/// Consecutive update rows that stay consecutive in the parent's front, all pivot rows there or all update rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First row among the parent's pivot rows, or among its update rows.
    pub parent: u32,
    /// How many.
    pub rows: u32,
}

/// Where a block of the matrix goes in its front.
#[derive(Clone, Debug)]
pub struct BlockPlace {
    /// Its values, column-major.
    pub values: std::ops::Range<usize>,
    /// Its rows.
    pub rows: u32,
    /// Whether its columns are pivot columns; else only its rows are pivot rows.
    pub in_panel: bool,
    /// Its first entry in the panel, or in the pivot rows of the other columns.
    pub target: u32,
    /// From a column to the next there.
    pub stride: u32,
}

/// The plan of a factorization.
#[derive(Clone, Debug, Default)]
pub struct Elimination {
    /// Fronts, children before parents.
    pub fronts: Vec<Front>,
    /// Scalar elimination index of every scalar row of the graph.
    pub scalar_position: Vec<u32>,
    /// Numbers in the factor.
    pub factor_size: usize,
    /// Rows of the largest front.
    pub largest_front: usize,
    /// Most numbers that wait for their parents at one time, of fronts at even and at odd depth.
    pub stack_sizes: [usize; 2],
    /// Multiplications of one numeric factorization.
    pub flops: f64,
}

impl Elimination {
    /// Plans the factorization of a matrix with this pattern.
    pub fn new(graph: &BlockGraph) -> Self {
        let Columns { order, position, structure } = Columns::new(graph);
        let supernodes = supernodes(graph, &order, &structure);
        plan(graph, &order, &position, &structure, &supernodes)
    }
}

impl Elimination {
    /// The plan of [`Elimination::new`] for a graph in which every node is beside every other, in the memory of the plan before: one
    /// front.
    pub fn fill(&mut self, graph: &BlockGraph) {
        let rows = graph.rows();
        let mut front = self.fronts.pop().unwrap_or_default();
        self.fronts.clear();
        front.blocks.clear();
        let mut first_row = 0;
        for node in 0..graph.nodes() {
            let mut first_column = 0;
            for e in graph.row_ptr[node]..graph.row_ptr[node + 1] {
                front.blocks.push(BlockPlace {
                    values: graph.starts[e]..graph.starts[e + 1],
                    rows: graph.sizes[node] as u32,
                    in_panel: true,
                    target: (first_column * rows + first_row) as u32,
                    stride: rows as u32,
                });
                first_column += graph.sizes[graph.columns[e]];
            }
            first_row += graph.sizes[node];
        }
        self.fronts.push(Front { pivots: rows, size: rows, covered: true, blocks: front.blocks, ..Front::default() });
        self.scalar_position.clear();
        self.scalar_position.extend(0..rows as u32);
        (self.factor_size, self.largest_front, self.stack_sizes) = (rows * rows, rows, [0, 0]);
        self.flops = (rows * rows * rows) as f64 / 3.0;
    }
}

/// The columns of the factor, node by node.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// `order[p]` is eliminated p-th.
    pub order: Vec<usize>,
    /// When every node is eliminated.
    pub position: Vec<usize>,
    /// For every position the later ones that its column reaches, ascending.
    pub structure: Vec<Vec<usize>>,
}

impl Columns {
    /// Orders the nodes so that little fills in.
    pub fn new(graph: &BlockGraph) -> Self {
        let by_fill = graph.nodes() <= MOST_BY_FILL;
        let order = postorder(graph, &if by_fill { minimum_fill(graph) } else { minimum_degree(graph) });
        let mut position = vec![0; order.len()];
        for (p, node) in order.iter().enumerate() {
            position[*node] = p;
        }
        let structure = column_structures(graph, &order, &position);
        Columns { order, position, structure }
    }
}

/// Fill-reducing order of the nodes: `order[p]` is eliminated p-th.
fn minimum_degree(graph: &BlockGraph) -> Vec<usize> {
    let n = graph.nodes();
    match amd::order(n, &graph.row_ptr, &graph.columns, &amd::Control::default()) {
        Ok((order, _, _)) => order,
        // Only a malformed pattern can fail here; any order is correct, this one is merely slower.
        Err(_) => (0..n).collect(),
    }
}

/// Parent of every position in the elimination tree of the given order (Liu 1986, path compression).
fn elimination_tree(graph: &BlockGraph, order: &[usize], position: &[usize]) -> Vec<usize> {
    let n = order.len();
    let (mut parent, mut ancestor) = (vec![usize::MAX; n], vec![usize::MAX; n]);
    for p in 0..n {
        let node = order[p];
        for j in &graph.columns[graph.row_ptr[node]..graph.row_ptr[node + 1]] {
            let mut k = position[*j];
            while k < p {
                let next = ancestor[k];
                ancestor[k] = p;
                if next == usize::MAX {
                    parent[k] = p;
                    break;
                }
                k = next;
            }
        }
    }
    parent
}

/// The same elimination, renumbered so that every subtree is contiguous.
fn postorder(graph: &BlockGraph, order: &[usize]) -> Vec<usize> {
    let n = order.len();
    let mut position = vec![0; n];
    for (p, node) in order.iter().enumerate() {
        position[*node] = p;
    }
    let parent = elimination_tree(graph, order, &position);
    let mut children = vec![Vec::new(); n];
    let mut roots = Vec::new();
    for p in 0..n {
        if parent[p] == usize::MAX { roots.push(p) } else { children[parent[p]].push(p) }
    }
    let mut result = Vec::with_capacity(n);
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in roots {
        stack.push((root, 0));
        while let Some((p, next)) = stack.pop() {
            if next < children[p].len() {
                stack.push((p, next + 1));
                stack.push((children[p][next], 0));
            } else {
                result.push(order[p]);
            }
        }
    }
    result
}

/// For every position the later positions its column of the factor reaches, ascending.
fn column_structures(graph: &BlockGraph, order: &[usize], position: &[usize]) -> Vec<Vec<usize>> {
    let n = order.len();
    let mut structure: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut mark = vec![usize::MAX; n];
    for p in 0..n {
        let mut column = Vec::new();
        mark[p] = p;
        let node = order[p];
        let own = graph.columns[graph.row_ptr[node]..graph.row_ptr[node + 1]].iter().map(|j| position[*j]);
        let inherited = children[p].iter().flat_map(|c| structure[*c].iter().copied());
        for k in own.chain(inherited) {
            if k > p && mark[k] != p {
                mark[k] = p;
                column.push(k);
            }
        }
        column.sort_unstable();
        if let Some(parent) = column.first() {
            children[*parent].push(p);
        }
        structure[p] = column;
    }
    structure
}

/// Groups of consecutive positions, each eliminated as one dense front.
fn supernodes(graph: &BlockGraph, order: &[usize], structure: &[Vec<usize>]) -> Vec<std::ops::Range<usize>> {
    let size = |p: usize| graph.sizes[order[p]];
    let rows = |list: &[usize]| list.iter().map(|p| size(*p)).sum::<usize>();
    /// Consecutive positions, their pivot rows, and the entries of their columns that are not forced zeros.
    struct Group {
        positions: std::ops::Range<usize>,
        pivots: usize,
        entries: usize,
    }
    let mut groups: Vec<Group> = Vec::new();
    for p in 0..order.len() {
        let below = rows(&structure[p]);
        let mut group = Group { positions: p..p + 1, pivots: size(p), entries: size(p) * (size(p) + below) };
        // Merge the group before, if it is the last child and little is lost; repeat, since merging changes the group.
        while let Some(child) = groups.last() {
            if structure[child.positions.end - 1].first() != Some(&group.positions.start) {
                break;
            }
            let pivots = child.pivots + group.pivots;
            let entries = child.entries + group.entries;
            // Entries of the merged panel, its upper triangle counted as stored.
            let panel = pivots * (pivots + below) - pivots * pivots / 2 + group.pivots * group.pivots / 2;
            let zero_share = 1.0 - (entries as f64 / panel as f64).min(1.0);
            let allowed = if pivots <= MERGE_SMALL_PIVOTS { MERGE_SMALL_ZERO_SHARE } else { MERGE_ZERO_SHARE };
            if zero_share > allowed {
                break;
            }
            group = Group { positions: child.positions.start..group.positions.end, pivots, entries };
            groups.pop();
        }
        groups.push(group);
    }
    groups.into_iter().map(|g| g.positions).collect()
}

fn plan(
    graph: &BlockGraph,
    order: &[usize],
    position: &[usize],
    structure: &[Vec<usize>],
    groups: &[std::ops::Range<usize>],
) -> Elimination {
    let n = order.len();
    // Scalar elimination index of the first row of every position.
    let mut scalar = vec![0usize; n + 1];
    for p in 0..n {
        scalar[p + 1] = scalar[p] + graph.sizes[order[p]];
    }
    let mut group_of = vec![0; n];
    for (s, group) in groups.iter().enumerate() {
        group_of[group.clone()].fill(s);
    }
    let mut result = Elimination {
        fronts: Vec::with_capacity(groups.len()),
        scalar_position: Vec::with_capacity(scalar[n]),
        ..Elimination::default()
    };
    let mut node_scalar = Vec::with_capacity(n);
    for node in 0..n {
        node_scalar.push(scalar[position[node]]);
        let first = scalar[position[node]];
        result.scalar_position.extend((0..graph.sizes[node]).map(|i| (first + i) as u32));
    }
    for group in groups {
        let update: Vec<u32> =
            structure[group.end - 1].iter().flat_map(|p| (scalar[*p]..scalar[p + 1]).map(|i| i as u32)).collect();
        let first = scalar[group.start];
        let pivots = scalar[group.end] - first;
        let size = pivots + update.len();
        result.largest_front = result.largest_front.max(size);
        let (np, nu) = (pivots as f64, update.len() as f64);
        result.flops += np * np * np / 3.0 + np * np * nu + np * nu * nu;
        result.fronts.push(Front {
            first,
            pivots,
            size,
            update,
            into_parent: Vec::new(),
            runs_into_pivots: 0,
            rows_into_pivots: 0,
            parent_pivots: 0,
            covered: false,
            children: Vec::new(),
            blocks: Vec::new(),
            factor_start: result.factor_size,
            odd: false,
            stack_start: 0,
        });
        result.factor_size += pivots * size + pivots * (size - pivots);
    }
    for (s, group) in groups.iter().enumerate() {
        let Some(parent_position) = structure[group.end - 1].first() else { continue };
        let parent = group_of[*parent_position];
        let pivots = result.fronts[parent].pivots as u32;
        let rows = result.fronts[s].update.iter().map(|i| local_row(&result.fronts[parent], *i));
        let (above, below): (Vec<u32>, Vec<u32>) = rows.partition(|row| *row < pivots);
        let above_rows = above.len();
        let mut into_parent = runs(above.into_iter());
        result.fronts[s].runs_into_pivots = into_parent.len();
        result.fronts[s].rows_into_pivots = above_rows;
        result.fronts[s].parent_pivots = pivots as usize;
        into_parent.extend(runs(below.into_iter().map(|row| row - pivots)));
        result.fronts[s].into_parent = into_parent;
        result.fronts[parent].children.push(s);
    }
    for node in 0..n {
        for e in graph.row_ptr[node]..graph.row_ptr[node + 1] {
            let other = graph.columns[e];
            let front = group_of[position[node].min(position[other])];
            let row = local_row(&result.fronts[front], node_scalar[node] as u32);
            let column = local_row(&result.fronts[front], node_scalar[other] as u32);
            let (size, pivots) = (result.fronts[front].size as u32, result.fronts[front].pivots as u32);
            let in_panel = column < pivots;
            let (column, stride) = if in_panel { (column, size) } else { (column - pivots, pivots) };
            result.fronts[front].blocks.push(BlockPlace {
                values: graph.starts[e]..graph.starts[e + 1],
                rows: graph.sizes[node] as u32,
                in_panel,
                target: column * stride + row,
                stride,
            });
        }
    }
    for front in &mut result.fronts {
        let placed: usize = front.blocks.iter().map(|block| block.values.len()).sum();
        front.covered = placed == front.pivots * (2 * front.size - front.pivots);
    }
    result.stack_sizes = place_on_stacks(&mut result.fronts);
    result
}

/// Row of a front that holds a scalar elimination index.
fn local_row(front: &Front, index: u32) -> u32 {
    let index = index as usize;
    if index < front.first + front.pivots {
        (index - front.first) as u32
    } else {
        // Present by construction of the structures; a position past the end would be caught by the front's bounds.
        let below = front.update.partition_point(|i| (*i as usize) < index);
        (front.pivots + below) as u32
    }
}

/// Rows gathered into runs of consecutive ones.
fn runs(rows: impl Iterator<Item = u32>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for row in rows {
        match runs.last_mut() {
            Some(run) if run.parent + run.rows == row => run.rows += 1,
            _ => runs.push(Run { parent: row, rows: 1 }),
        }
    }
    runs
}

/// Gives every Schur complement its place, and returns the numbers that each stack must hold. Fronts come in postorder, so
/// that those that wait lie on a stack; on two stacks, by depth, a front is made while its children are still there.
fn place_on_stacks(fronts: &mut [Front]) -> [usize; 2] {
    for f in (0..fronts.len()).rev() {
        let odd = !fronts[f].odd;
        for child in fronts[f].children.clone() {
            fronts[child].odd = odd;
        }
    }
    let (mut now, mut most) = ([0usize; 2], [0usize; 2]);
    for f in 0..fronts.len() {
        let (own, other) = (usize::from(fronts[f].odd), usize::from(!fronts[f].odd));
        fronts[f].stack_start = now[own];
        now[own] += (fronts[f].size - fronts[f].pivots).pow(2);
        most[own] = most[own].max(now[own]);
        if let Some(first) = fronts[f].children.first() {
            now[other] = fronts[*first].stack_start;
        }
    }
    most
}

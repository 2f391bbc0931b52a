//! Multifrontal LU with a symmetric pattern: dense fronts, pivoting inside the pivot rows of a front only.
//!
//! Duff and Reid 1983. The matrices here are `I + Σ J̃ᵀ K J̃` or `I + K W` with K nearly monotone, for which
//! elimination along the diagonal is stable; one step of iterative refinement by the caller recovers lost digits. Cost:
//! the flops of [`Elimination::flops`] times two; no allocation after the first factorization of a pattern. The loops
//! are those of `kernels.rs`: the same bits on every machine.

use super::block_graph::BlockGraph;
use super::elimination::{BlockPlace, Elimination, Front, Run};
use super::kernels::{add, subtract_columns, subtract_product, widest};
use super::panel_lu::{eliminate, solve_pivots_lower, solve_pivots_upper};

pub use super::panel_lu::SingularPivot;

/// The factor and its plan.
#[derive(Clone, Debug, Default)]
pub struct FrontalLu {
    plan: Elimination,
    /// Per front: the panel (`size × pivots`, L below U on the pivot rows), then U of the update columns
    /// (`pivots × (size − pivots)`); both column-major.
    factor: Vec<f64>,
    /// Row exchanged with each pivot row, inside its front.
    exchanges: Vec<u32>,
    /// Schur complements that wait for their parents: of fronts at even and at odd depth, so that a front adds up its
    /// children where they lie into its own.
    waiting: [Vec<f64>; 2],
    permuted: Vec<f64>,
    /// Right-hand sides of one front's update rows.
    updates: Vec<f64>,
}

impl FrontalLu {
    /// Plans for a pattern; the numeric part comes with [`FrontalLu::factor`].
    pub fn new(graph: &BlockGraph) -> Self {
        let plan = Elimination::new(graph);
        FrontalLu {
            factor: vec![0.0; plan.factor_size],
            exchanges: vec![0; plan.scalar_position.len()],
            waiting: plan.stack_sizes.map(|size| vec![0.0; size]),
            permuted: vec![0.0; plan.scalar_position.len()],
            updates: vec![0.0; plan.largest_front],
            plan,
        }
    }

    /// Plans for a graph in which every node is beside every other, in the memory of the plan before.
    pub fn fill(&mut self, graph: &BlockGraph) {
        let FrontalLu { plan, factor, exchanges, permuted, updates, .. } = self;
        plan.fill(graph);
        for (numbers, size) in
            [(factor, plan.factor_size), (permuted, plan.scalar_position.len()), (updates, plan.largest_front)]
        {
            numbers.clear();
            numbers.resize(size, 0.0);
        }
        exchanges.clear();
        exchanges.resize(plan.scalar_position.len(), 0);
    }

    /// Multiplications of one factorization.
    pub fn flops(&self) -> f64 {
        self.plan.flops
    }

    /// Factors the matrix with these block values (column-major, placed as the graph says).
    ///
    /// Every stage of a front runs with the widest registers by itself. Of all stages in one piece of code the compiler keeps
    /// so many addresses up to date, in memory, that piles of fifty bodies took 53 µs instead of 46.
    pub fn factor(&mut self, values: &[f64]) -> Result<(), SingularPivot> {
        let [even, odd] = &mut self.waiting;
        for front in &self.plan.fronts {
            let (n, np, nu) = (front.size, front.pivots, front.size - front.pivots);
            let (own, children) = if front.odd { (&mut *odd, &*even) } else { (&mut *even, &*odd) };
            let schur = &mut own[front.stack_start..][..nu * nu];
            let (panel, upper) = self.factor[front.factor_start..][..np * (n + nu)].split_at_mut(np * n);
            widest(
                #[inline(always)]
                || assemble(front, values, &self.plan.fronts, children, panel, upper, schur),
            );
            eliminate(panel, upper, n, &mut self.exchanges[front.first..front.first + np])?;
            let fresh = front.children.is_empty();
            widest(
                #[inline(always)]
                || match fresh {
                    true => subtract_product::<true>(&panel[np..], n, nu, np, upper, np, schur, nu),
                    false => subtract_product::<false>(&panel[np..], n, nu, np, upper, np, schur, nu),
                },
            );
        }
        Ok(())
    }

    /// Whether the determinant of the matrix factored last is positive.
    pub fn determinant_is_positive(&self) -> bool {
        let mut positive = true;
        for front in &self.plan.fronts {
            for k in 0..front.pivots {
                let pivot = self.factor[front.factor_start + k * front.size + k];
                positive ^= (pivot < 0.0) ^ (self.exchanges[front.first + k] as usize != k);
            }
        }
        positive
    }

    /// Solves in place; `x` is ordered as the rows of the graph.
    pub fn solve(&mut self, x: &mut [f64]) {
        widest(
            #[inline(always)]
            || self.solve_here(x),
        );
    }

    #[inline(always)]
    fn solve_here(&mut self, x: &mut [f64]) {
        for (x, p) in x.iter().zip(&self.plan.scalar_position) {
            self.permuted[*p as usize] = *x;
        }
        let y = &mut self.permuted;
        for front in &self.plan.fronts {
            let (np, n) = (front.pivots, front.size);
            let panel = &self.factor[front.factor_start..][..n * np];
            for k in 0..np {
                let other = self.exchanges[front.first + k] as usize;
                y.swap(front.first + k, front.first + other);
            }
            let pivots = &mut y[front.first..front.first + np];
            solve_pivots_lower(panel, n, pivots);
            let updates = &mut self.updates[..n - np];
            subtract_columns::<true>(&panel[np..], n, pivots, updates);
            for (update, row) in updates.iter().zip(&front.update) {
                y[*row as usize] += update;
            }
        }
        for front in self.plan.fronts.iter().rev() {
            let (np, n) = (front.pivots, front.size);
            let (panel, upper) = self.factor[front.factor_start..].split_at(n * np);
            let updates = &mut self.updates[..n - np];
            for (update, row) in updates.iter_mut().zip(&front.update) {
                *update = y[*row as usize];
            }
            let pivots = &mut y[front.first..front.first + np];
            subtract_columns::<false>(upper, np, updates, pivots);
            solve_pivots_upper(panel, n, pivots);
        }
        for (x, p) in x.iter_mut().zip(&self.plan.scalar_position) {
            *x = self.permuted[*p as usize];
        }
    }
}

/// A front before its elimination: blocks of the matrix and Schur complements of its children. That of a front without
/// children is left as it was.
#[inline(always)]
fn assemble(
    front: &Front,
    values: &[f64],
    fronts: &[Front],
    waiting: &[f64],
    panel: &mut [f64],
    upper: &mut [f64],
    schur: &mut [f64],
) {
    if !front.covered {
        panel.fill(0.0);
        upper.fill(0.0);
    }
    for block in &front.blocks {
        let target = if block.in_panel { &mut *panel } else { &mut *upper };
        place(block, &values[block.values.clone()], &mut target[block.target as usize..]);
    }
    if !front.children.is_empty() {
        schur.fill(0.0);
    }
    for child in &front.children {
        let child = &fronts[*child];
        let m = child.size - child.pivots;
        extend_add(child, &waiting[child.stack_start..][..m * m], panel, upper, schur, front.size);
    }
}

/// Puts a block of the matrix where its front has it.
#[inline(always)]
fn place(block: &BlockPlace, values: &[f64], target: &mut [f64]) {
    let (rows, stride) = (block.rows as usize, block.stride as usize);
    if rows == 6 {
        // Bodies: copies of known length.
        let (sources, _) = values.as_chunks::<6>();
        for (j, source) in sources.iter().enumerate() {
            if let Some(target) = target[j * stride..].first_chunk_mut::<6>() {
                *target = *source;
            }
        }
        return;
    }
    for (j, source) in values.chunks_exact(rows).enumerate() {
        target[j * stride..j * stride + rows].copy_from_slice(source);
    }
}

/// Adds the Schur complement of a child to the front of its parent: `n` rows, in three parts.
#[inline(always)]
fn extend_add(child: &Front, matrix: &[f64], panel: &mut [f64], upper: &mut [f64], schur: &mut [f64], n: usize) {
    let (pivot_runs, update_runs) = child.into_parent.split_at(child.runs_into_pivots);
    let (in_pivots, m) = (child.rows_into_pivots, child.size - child.pivots);
    let np = child.parent_pivots;
    let nu = n - np;
    let mut from = 0;
    for run in pivot_runs {
        for j in run.parent as usize..(run.parent + run.rows) as usize {
            let (above, below) = matrix[from..from + m].split_at(in_pivots);
            let (top, bottom) = panel[j * n..(j + 1) * n].split_at_mut(np);
            add_runs(above, pivot_runs, top);
            add_runs(below, update_runs, bottom);
            from += m;
        }
    }
    for run in update_runs {
        for j in run.parent as usize..(run.parent + run.rows) as usize {
            let (above, below) = matrix[from..from + m].split_at(in_pivots);
            add_runs(above, pivot_runs, &mut upper[j * np..(j + 1) * np]);
            add_runs(below, update_runs, &mut schur[j * nu..(j + 1) * nu]);
            from += m;
        }
    }
}

/// Adds consecutive numbers to the runs of a column.
#[inline(always)]
fn add_runs(column: &[f64], runs: &[Run], target: &mut [f64]) {
    let mut from = 0;
    for run in runs {
        let (to, rows) = (run.parent as usize, run.rows as usize);
        add(&mut target[to..to + rows], &column[from..from + rows]);
        from += rows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_problem::random::SplitMix64;

    /// The plan of one front, made in the memory of others, is the one that is made anew.
    #[test]
    fn a_full_graph_is_planned_the_same_in_old_memory() {
        let mut kept = (BlockGraph::default(), FrontalLu::default());
        for sizes in [vec![3, 1, 2], vec![3; 9], vec![1], vec![1, 3, 3, 1, 6]] {
            let n = sizes.len();
            let graph = BlockGraph::new(sizes.clone(), &mut vec![(0..n).collect(); n]);
            kept.0.fill(sizes.into_iter());
            kept.1.fill(&kept.0);
            assert_eq!(kept.0, graph);
            let mut new = FrontalLu::new(&graph);
            assert_eq!(kept.1.flops(), new.flops());
            let mut values: Vec<f64> = (0..graph.stored()).map(|i| 0.1 + ((7 * i + 3) % 11) as f64).collect();
            for i in 0..n {
                let start = graph.find(i, i).map_or(0, |e| graph.starts[e]);
                for k in 0..graph.sizes[i] {
                    values[start + k * (graph.sizes[i] + 1)] += 100.0;
                }
            }
            assert_eq!(kept.1.factor(&values), new.factor(&values));
            assert_eq!(kept.1.factor, new.factor);
            let mut x = [vec![1.0; graph.rows()], vec![1.0; graph.rows()]];
            kept.1.solve(&mut x[0]);
            new.solve(&mut x[1]);
            assert_eq!(x[0], x[1]);
        }
    }

    /// A determinant by elimination with partial pivoting, row-major.
    fn determinant(mut a: Vec<Vec<f64>>) -> f64 {
        let n = a.len();
        let mut determinant = 1.0;
        for k in 0..n {
            let best = (k..n).fold(k, |best, i| if a[i][k].abs() > a[best][k].abs() { i } else { best });
            if best != k {
                a.swap(k, best);
                determinant = -determinant;
            }
            determinant *= a[k][k];
            let pivot = a[k].clone();
            for row in &mut a[k + 1..] {
                let factor = row[k] / pivot[k];
                for j in k..n {
                    row[j] -= factor * pivot[j];
                }
            }
        }
        determinant
    }

    #[test]
    fn the_sign_of_the_determinant_is_that_of_dense_elimination() {
        // Blocks of a chain with a loop, of different sizes; entries that make half of the determinants negative.
        let sizes = vec![3, 1, 2, 3, 2];
        let mut neighbours = vec![vec![1], vec![0, 2], vec![1, 3], vec![2, 4, 0], vec![3]];
        neighbours[0].push(3);
        let graph = BlockGraph::new(sizes.clone(), &mut neighbours);
        let mut state = SplitMix64::new(1);
        let mut random = || state.uniform(-1.0, 1.0);
        let first: Vec<usize> = (0..=5).map(|i| sizes[..i].iter().sum()).collect();
        let mut lu = FrontalLu::new(&graph);
        let mut negative = 0;
        for _ in 0..200 {
            let values: Vec<f64> = (0..graph.stored()).map(|_| random()).collect();
            let mut dense = vec![vec![0.0; first[5]]; first[5]];
            for i in 0..5 {
                for e in graph.row_ptr[i]..graph.row_ptr[i + 1] {
                    let j = graph.columns[e];
                    for (k, value) in values[graph.starts[e]..graph.starts[e + 1]].iter().enumerate() {
                        dense[first[i] + k % sizes[i]][first[j] + k / sizes[i]] = *value;
                    }
                }
            }
            let expected = determinant(dense) > 0.0;
            assert_eq!(lu.factor(&values), Ok(()));
            assert_eq!(lu.determinant_is_positive(), expected);
            negative += usize::from(!expected);
        }
        assert!((50..150).contains(&negative), "{negative} of 200 are negative");
    }

    /// `A x` of a block matrix.
    fn product(graph: &BlockGraph, values: &[f64], x: &[f64]) -> Vec<f64> {
        let first: Vec<usize> = (0..graph.nodes()).map(|i| graph.sizes[..i].iter().sum()).collect();
        let mut result = vec![0.0; x.len()];
        for i in 0..graph.nodes() {
            for e in graph.row_ptr[i]..graph.row_ptr[i + 1] {
                for (k, value) in values[graph.starts[e]..graph.starts[e + 1]].iter().enumerate() {
                    let (row, column) = (k % graph.sizes[i], k / graph.sizes[i]);
                    result[first[i] + row] += value * x[first[graph.columns[e]] + column];
                }
            }
        }
        result
    }

    #[test]
    fn fronts_of_all_sizes_solve_and_forget_the_matrix_before() {
        let mut state = SplitMix64::new(7);
        let mut random = || state.uniform(-1.0, 1.0);
        // One front of up to 60 pivot rows, which exchanges rows; a lattice, whose fronts have children; both of bodies, and
        // of nodes of every size.
        let together = |nodes: usize| vec![(0..nodes).collect::<Vec<_>>(); nodes];
        let lattice = |width: usize| {
            let joined = |i: usize, j: usize| i.abs_diff(j) == width || (i.abs_diff(j) == 1 && i / width == j / width);
            let nodes = width * width;
            (0..nodes).map(|i| (0..nodes).filter(|j| joined(i, *j)).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        for (mut neighbours, dominant) in
            [(together(1), 0.0), (together(3), 0.0), (together(10), 0.0), (lattice(3), 3.0), (lattice(9), 3.0)]
        {
            for bodies in [true, false] {
                let sizes = (0..neighbours.len()).map(|i| if bodies { 6 } else { 1 + i * 5 % 7 }).collect();
                let graph = BlockGraph::new(sizes, &mut neighbours);
                let mut kept = FrontalLu::new(&graph);
                for _ in 0..3 {
                    let mut values: Vec<f64> = (0..graph.stored()).map(|_| random()).collect();
                    for i in 0..graph.nodes() {
                        let start = graph.find(i, i).map_or(0, |e| graph.starts[e]);
                        for k in 0..graph.sizes[i] {
                            values[start + k * (graph.sizes[i] + 1)] += dominant;
                        }
                    }
                    let expected: Vec<f64> = (0..graph.rows()).map(|_| random()).collect();
                    let right = product(&graph, &values, &expected);
                    let mut new = FrontalLu::new(&graph);
                    assert_eq!((kept.factor(&values), new.factor(&values)), (Ok(()), Ok(())));
                    let (mut x, mut x_new) = (right.clone(), right);
                    kept.solve(&mut x);
                    new.solve(&mut x_new);
                    assert_eq!(x, x_new);
                    let error = x.iter().zip(&expected).fold(0.0, |e, (x, y)| f64::max(e, (x - y).abs()));
                    assert!(error < 1e-9, "{} nodes: error {error:e}", graph.nodes());
                }
            }
        }
    }
}

//! Multifrontal LU with a symmetric pattern: dense fronts, pivoting inside the pivot rows of a front only.
//!
//! Duff and Reid 1983. The matrices here are `I + Σ J̃ᵀ K J̃` or `I + K W` with K nearly monotone, for which elimination
//! along the diagonal is stable; what it loses, one step of iterative refinement by the caller recovers. Cost: the flops
//! of [`Elimination::flops`] times two; no allocation after the first factorization of a pattern. The loops are those of
//! `kernels.rs`: the same bits on every machine.

use super::block_graph::BlockGraph;
use super::elimination::{Elimination, Front, Run};
use super::kernels::{add, subtract_columns, subtract_product, subtract_scaled, widest};

/// Columns of a panel that are eliminated one by one before the rest of the panel hears of them: those of a body.
const PANEL: usize = 6;

/// A pivot vanished: the matrix is singular along its diagonal blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingularPivot;

/// The factor and its plan.
#[derive(Clone, Debug, Default)]
pub struct FrontalLu {
    plan: Elimination,
    /// Per front: the panel (`size × pivots`, L below U on the pivot rows), then U of the update columns
    /// (`pivots × (size − pivots)`); both column-major.
    factor: Vec<f64>,
    /// Row exchanged with each pivot row, inside its front.
    exchanges: Vec<u32>,
    front: Vec<f64>,
    stack: Vec<f64>,
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
            front: vec![0.0; plan.largest_front * plan.largest_front],
            stack: Vec::with_capacity(plan.stack_size),
            permuted: vec![0.0; plan.scalar_position.len()],
            updates: vec![0.0; plan.largest_front],
            plan,
        }
    }

    /// Multiplications of one factorization.
    pub fn flops(&self) -> f64 {
        self.plan.flops
    }

    /// Factors the matrix with these block values (column-major, placed as the graph says).
    pub fn factor(&mut self, values: &[f64]) -> Result<(), SingularPivot> {
        widest(
            #[inline(always)]
            || self.factor_here(values),
        )
    }

    #[inline(always)]
    fn factor_here(&mut self, values: &[f64]) -> Result<(), SingularPivot> {
        self.stack.clear();
        for front in &self.plan.fronts {
            let n = front.size;
            let dense = &mut self.front[..n * n];
            dense.fill(0.0);
            for block in &front.blocks {
                let rows = block.rows as usize;
                if rows == 6 {
                    // Bodies: copies of known length.
                    let (columns, _) = values[block.values.clone()].as_chunks::<6>();
                    for (j, source) in columns.iter().enumerate() {
                        let at = (block.column as usize + j) * n + block.row as usize;
                        if let Some(target) = dense[at..].first_chunk_mut::<6>() {
                            *target = *source;
                        }
                    }
                    continue;
                }
                for (j, source) in values[block.values.clone()].chunks_exact(rows).enumerate() {
                    let at = (block.column as usize + j) * n + block.row as usize;
                    dense[at..at + rows].copy_from_slice(source);
                }
            }
            // Children were pushed in ascending order; the last one is on top.
            for child in front.children.iter().rev() {
                let child = &self.plan.fronts[*child];
                let m = child.size - child.pivots;
                let base = self.stack.len() - m * m;
                let mut columns = self.stack[base..].chunks_exact(m.max(1));
                for run in &child.into_parent {
                    for j in 0..run.rows as usize {
                        let Some(column) = columns.next() else { break };
                        add_runs(column, &child.into_parent, &mut dense[(run.parent as usize + j) * n..][..n]);
                    }
                }
                self.stack.truncate(base);
            }
            let exchanges = &mut self.exchanges[front.first..front.first + front.pivots];
            eliminate(dense, n, front.pivots, exchanges)?;
            store(front, dense, &mut self.factor[front.factor_start..], &mut self.stack);
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
            for k in 0..np {
                let (done, rest) = pivots.split_at_mut(k + 1);
                subtract_scaled(rest, done[k], &panel[k * n + k + 1..k * n + np]);
            }
            if n > np {
                let updates = &mut self.updates[..n - np];
                updates.fill(0.0);
                subtract_columns(updates, &panel[np..], n, pivots);
                for (update, row) in updates.iter().zip(&front.update) {
                    y[*row as usize] += update;
                }
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
            subtract_columns(pivots, upper, np, updates);
            for k in (0..np).rev() {
                let column = &panel[k * n..(k + 1) * n];
                let (above, rest) = pivots.split_at_mut(k);
                rest[0] /= column[k];
                subtract_scaled(above, rest[0], &column[..k]);
            }
        }
        for (x, p) in x.iter_mut().zip(&self.plan.scalar_position) {
            *x = self.permuted[*p as usize];
        }
    }
}

/// Adds a column of an update matrix to a column of the parent's front.
#[inline(always)]
fn add_runs(column: &[f64], runs: &[Run], target: &mut [f64]) {
    let mut from = 0;
    for run in runs {
        let (to, rows) = (run.parent as usize, run.rows as usize);
        add(&mut target[to..to + rows], &column[from..from + rows]);
        from += rows;
    }
}

/// LU of the first `np` columns of a column-major `n × n` front, then the Schur complement of the rest, in place.
#[inline(always)]
fn eliminate(a: &mut [f64], n: usize, np: usize, exchanges: &mut [u32]) -> Result<(), SingularPivot> {
    for first in (0..np).step_by(PANEL) {
        let last = (first + PANEL).min(np);
        for k in first..last {
            exchanges[k] = pivot_row(&a[k * n..k * n + np], k)? as u32;
            let other = exchanges[k] as usize;
            if other != k {
                for j in 0..n {
                    a.swap(j * n + k, j * n + other);
                }
            }
            let (done, rest) = a.split_at_mut((k + 1) * n);
            let column = &mut done[k * n..];
            let inverse = 1.0 / column[k];
            for l in &mut column[k + 1..] {
                *l *= inverse;
            }
            for next in rest.chunks_exact_mut(n).take(last - k - 1) {
                let factor = next[k];
                subtract_scaled(&mut next[k + 1..], factor, &column[k + 1..]);
            }
        }
        // The columns just eliminated, on the rest of the panel.
        let (done, rest) = a.split_at_mut(last * n);
        let rest = &mut rest[..(np - last) * n];
        solve_lower(&done[first * n + first..], n, last - first, rest, n, first);
        subtract_product(&done[first * n + last..], n, n - last, last - first, rest, n, first, last);
    }
    let (panel, rest) = a.split_at_mut(np * n);
    for first in (0..np).step_by(PANEL) {
        let last = (first + PANEL).min(np);
        solve_lower(&panel[first * n + first..], n, last - first, rest, n, first);
        subtract_product(&panel[first * n + last..], n, np - last, last - first, rest, n, first, last);
    }
    subtract_product(&panel[np..], n, n - np, np, rest, n, 0, np);
    Ok(())
}

/// The row to exchange with row `k` of a column: itself unless another pivot row is much larger, which keeps nearly
/// symmetric fronts in their order.
#[inline(always)]
fn pivot_row(column: &[f64], k: usize) -> Result<usize, SingularPivot> {
    let (own, below) = (column[k].abs(), &column[k + 1..]);
    let mut size = own;
    let mut best = k;
    // Mostly none is, which four at a time tell sooner.
    if largest(below) > 4.0 * own {
        for (i, x) in below.iter().enumerate() {
            if x.abs() > 4.0 * size {
                (best, size) = (k + 1 + i, x.abs());
            }
        }
    }
    if size == 0.0 || !size.is_finite() { Err(SingularPivot) } else { Ok(best) }
}

/// Largest magnitude; what is not a number counts for nothing.
#[inline(always)]
fn largest(values: &[f64]) -> f64 {
    let (whole, rest) = values.as_chunks::<4>();
    let mut most = [0.0; 4];
    for x in whole {
        for i in 0..4 {
            most[i] = if x[i].abs() > most[i] { x[i].abs() } else { most[i] };
        }
    }
    rest.iter().chain(&most).fold(0.0, |m, x| f64::max(m, x.abs()))
}

/// `B ← L⁻¹ B` for a unit lower triangle of `size` ≤ [`PANEL`] rows; B in rows `b..b + size` of every column.
#[inline(always)]
fn solve_lower(lower: &[f64], ld: usize, size: usize, right: &mut [f64], ld_right: usize, b: usize) {
    if right.is_empty() {
        return;
    }
    // Loops of known length stay in registers. Bodies have six rows, so that these are the lengths there are.
    match size {
        0 | 1 => {}
        2 => solve_lower_of::<2>(lower, ld, right, ld_right, b),
        3 => solve_lower_of::<3>(lower, ld, right, ld_right, b),
        4 => solve_lower_of::<4>(lower, ld, right, ld_right, b),
        5 => solve_lower_of::<5>(lower, ld, right, ld_right, b),
        _ => solve_lower_of::<PANEL>(lower, ld, right, ld_right, b),
    }
}

#[inline(always)]
fn solve_lower_of<const SIZE: usize>(lower: &[f64], ld: usize, right: &mut [f64], ld_right: usize, b: usize) {
    // Columns of L below the diagonal, zeros elsewhere.
    let mut columns = [[0.0; SIZE]; SIZE];
    for (k, column) in columns.iter_mut().enumerate() {
        column[k + 1..].copy_from_slice(&lower[k * ld + k + 1..k * ld + SIZE]);
    }
    for right in right.chunks_exact_mut(ld_right) {
        let Some(right) = right[b..].first_chunk_mut::<SIZE>() else { return };
        let mut x = *right;
        for (k, column) in columns.iter().enumerate() {
            let factor = x[k];
            for (x, l) in x.iter_mut().zip(column) {
                *x -= factor * l;
            }
        }
        *right = x;
    }
}

/// Copies the finished columns to the factor and the Schur complement to the stack.
#[inline(always)]
fn store(front: &Front, dense: &[f64], factor: &mut [f64], stack: &mut Vec<f64>) {
    let (np, n) = (front.pivots, front.size);
    let (panel, upper) = factor.split_at_mut(np * n);
    panel.copy_from_slice(&dense[..np * n]);
    for (column, target) in dense[np * n..n * n].chunks_exact(n).zip(upper.chunks_exact_mut(np)) {
        target.copy_from_slice(&column[..np]);
        stack.extend_from_slice(&column[np..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
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
}

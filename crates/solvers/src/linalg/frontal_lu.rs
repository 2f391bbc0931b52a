//! Multifrontal LU with a symmetric pattern: dense fronts, pivoting inside the pivot rows of a front only.
//!
//! Duff and Reid 1983. The matrices here are `I + Σ J̃ᵀ K J̃` or `I + K W` with K nearly monotone, for which elimination
//! along the diagonal is stable; what it loses, one step of iterative refinement by the caller recovers. Cost: the flops
//! of [`Elimination::flops`] times two; no allocation after the first factorization of a pattern.

use super::block_graph::BlockGraph;
use super::elimination::{Elimination, Front};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Update products with at least this many multiplications go to faer's blocked kernel.
const LARGE_PRODUCT: usize = 24 * 24 * 24;

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
            plan,
        }
    }

    /// Multiplications of one factorization.
    pub fn flops(&self) -> f64 {
        self.plan.flops
    }

    /// Factors the matrix with these block values (column-major, placed as the graph says).
    pub fn factor(&mut self, values: &[f64]) -> Result<(), SingularPivot> {
        self.stack.clear();
        for front in &self.plan.fronts {
            let n = front.size;
            let dense = &mut self.front[..n * n];
            dense.fill(0.0);
            for block in &front.blocks {
                let rows = block.rows as usize;
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
                for (j, column) in self.stack[base..].chunks_exact(m.max(1)).enumerate() {
                    let target = &mut dense[child.into_parent[j] as usize * n..][..n];
                    for (value, row) in column.iter().zip(&child.into_parent) {
                        target[*row as usize] += value;
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

    /// Solves in place; `x` is ordered as the rows of the graph.
    pub fn solve(&mut self, x: &mut [f64]) {
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
            for k in 0..np {
                let column = &panel[k * n..(k + 1) * n];
                let value = y[front.first + k];
                if value != 0.0 {
                    for i in k + 1..np {
                        y[front.first + i] -= column[i] * value;
                    }
                    for (l, row) in column[np..].iter().zip(&front.update) {
                        y[*row as usize] -= l * value;
                    }
                }
            }
        }
        for front in self.plan.fronts.iter().rev() {
            let (np, n) = (front.pivots, front.size);
            let (panel, upper) = self.factor[front.factor_start..].split_at(n * np);
            for (column, row) in upper.chunks_exact(np).zip(&front.update) {
                let value = y[*row as usize];
                for (i, u) in column.iter().enumerate() {
                    y[front.first + i] -= u * value;
                }
            }
            for k in (0..np).rev() {
                let column = &panel[k * n..(k + 1) * n];
                let value = y[front.first + k] / column[k];
                y[front.first + k] = value;
                for i in 0..k {
                    y[front.first + i] -= column[i] * value;
                }
            }
        }
        for (x, p) in x.iter_mut().zip(&self.plan.scalar_position) {
            *x = self.permuted[*p as usize];
        }
    }
}

/// LU of the first `np` columns of a column-major `n × n` front, then the Schur complement of the rest, in place.
fn eliminate(a: &mut [f64], n: usize, np: usize, exchanges: &mut [u32]) -> Result<(), SingularPivot> {
    for k in 0..np {
        let (mut best, mut size) = (k, a[k * n + k].abs());
        for i in k + 1..np {
            // Prefer the diagonal unless another row is much larger: keeps nearly symmetric fronts in their order.
            if a[k * n + i].abs() > 4.0 * size {
                (best, size) = (i, a[k * n + i].abs());
            }
        }
        if size == 0.0 || !size.is_finite() {
            return Err(SingularPivot);
        }
        exchanges[k] = best as u32;
        if best != k {
            for j in 0..n {
                a.swap(j * n + k, j * n + best);
            }
        }
        let (done, rest) = a.split_at_mut((k + 1) * n);
        let column = &mut done[k * n..];
        let inverse = 1.0 / column[k];
        for l in &mut column[k + 1..] {
            *l *= inverse;
        }
        for next in rest.chunks_exact_mut(n).take(np - k - 1) {
            let factor = next[k];
            if factor != 0.0 {
                for (x, l) in next[k + 1..].iter_mut().zip(&column[k + 1..]) {
                    *x -= l * factor;
                }
            }
        }
    }
    let (panel, rest) = a.split_at_mut(np * n);
    for column in rest.chunks_exact_mut(n) {
        for k in 0..np {
            let factor = column[k];
            if factor != 0.0 {
                let l = &panel[k * n + k + 1..k * n + np];
                for (x, l) in column[k + 1..np].iter_mut().zip(l) {
                    *x -= l * factor;
                }
            }
        }
    }
    subtract_product(panel, rest, n, np);
    Ok(())
}

/// `A22 −= L21 U12` on the trailing columns.
fn subtract_product(panel: &[f64], rest: &mut [f64], n: usize, np: usize) {
    let nu = n - np;
    if nu == 0 {
        return;
    }
    if nu * nu * np >= LARGE_PRODUCT {
        let (_, lower) = MatRef::from_column_major_slice(panel, n, np).split_at_row(np);
        let (upper, schur) = MatMut::from_column_major_slice_mut(rest, n, nu).split_at_row_mut(np);
        matmul(schur, Accum::Add, lower, upper.as_ref(), -1.0, Par::Seq);
        return;
    }
    for column in rest.chunks_exact_mut(n) {
        let (upper, schur) = column.split_at_mut(np);
        let mut k = 0;
        while k + 4 <= np {
            let (u0, u1, u2, u3) = (upper[k], upper[k + 1], upper[k + 2], upper[k + 3]);
            let l0 = &panel[k * n + np..(k + 1) * n];
            let l1 = &panel[(k + 1) * n + np..(k + 2) * n];
            let l2 = &panel[(k + 2) * n + np..(k + 3) * n];
            let l3 = &panel[(k + 3) * n + np..(k + 4) * n];
            for ((((x, a), b), c), d) in schur.iter_mut().zip(l0).zip(l1).zip(l2).zip(l3) {
                *x -= a * u0 + b * u1 + c * u2 + d * u3;
            }
            k += 4;
        }
        for k in k..np {
            let u = upper[k];
            for (x, l) in schur.iter_mut().zip(&panel[k * n + np..(k + 1) * n]) {
                *x -= l * u;
            }
        }
    }
}

/// Copies the finished columns to the factor and the Schur complement to the stack.
fn store(front: &Front, dense: &[f64], factor: &mut [f64], stack: &mut Vec<f64>) {
    let (np, n) = (front.pivots, front.size);
    let (panel, upper) = factor.split_at_mut(np * n);
    panel.copy_from_slice(&dense[..np * n]);
    for (column, target) in dense[np * n..n * n].chunks_exact(n).zip(upper.chunks_exact_mut(np)) {
        target.copy_from_slice(&column[..np]);
        stack.extend_from_slice(&column[np..]);
    }
}

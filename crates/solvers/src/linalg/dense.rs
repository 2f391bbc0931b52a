//! Dot products and sums of scaled vectors in a fixed order of summation, so that every machine computes the same bits; and
//! a dense, row-major copy of W.

use signorini_problem::{ContactProblem, Delassus};

/// Partial sums kept apart so that the compiler may use vector registers; their number fixes the order of summation.
const LANES: usize = 8;

/// `xᵀy`, summed in eight interleaved partial sums: the same bits on every machine.
#[inline]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len().min(y.len());
    let whole = n - n % LANES;
    let mut lanes = [0.0; LANES];
    for (x, y) in x[..whole].chunks_exact(LANES).zip(y[..whole].chunks_exact(LANES)) {
        for k in 0..LANES {
            lanes[k] += x[k] * y[k];
        }
    }
    let tail: f64 = x[whole..n].iter().zip(&y[whole..n]).map(|(x, y)| x * y).sum();
    let pairs = [lanes[0] + lanes[4], lanes[1] + lanes[5], lanes[2] + lanes[6], lanes[3] + lanes[7]];
    ((pairs[0] + pairs[2]) + (pairs[1] + pairs[3])) + tail
}

/// `y += a x`.
#[inline(always)]
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// Copies all of W [1/kg] into `out`, row-major; `out` grows once.
pub fn copy_delassus(problem: &ContactProblem, out: &mut Vec<f64>) {
    let (n, offsets) = (problem.rows(), problem.offsets());
    out.resize(n * n, 0.0);
    match problem.delassus() {
        Delassus::Dense(w) => out.copy_from_slice(w.values()),
        Delassus::BlockSparse(w) => {
            out.fill(0.0);
            for c in 0..problem.blocks().len() {
                for (k, block) in w.row(c) {
                    let columns = offsets[k + 1] - offsets[k];
                    for (a, row) in block.chunks_exact(columns).enumerate() {
                        let start = (offsets[c] + a) * n + offsets[k];
                        out[start..start + columns].copy_from_slice(row);
                    }
                }
            }
        }
        Delassus::Factored(_) => {
            let mut block = [0.0; 36];
            for c in 0..problem.blocks().len() {
                for k in 0..=c {
                    problem.delassus().block(offsets, c, k, &mut block);
                    let columns = offsets[k + 1] - offsets[k];
                    for (a, i) in (offsets[c]..offsets[c + 1]).enumerate() {
                        for (b, j) in (offsets[k]..offsets[k + 1]).enumerate() {
                            out[i * n + j] = block[a * columns + b];
                            out[j * n + i] = block[a * columns + b];
                        }
                    }
                }
            }
        }
    }
}

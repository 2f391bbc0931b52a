//! Torsional and rolling friction in Newton's method: each moment is linearised after the friction of its contact.
//!
//! With `z = m − ω/w`, ρ = μ r_N and P the nearest point of the disc of radius ρ, `F = m − P(z)`. Where z lies outside, with
//! e = z/‖z‖, `P = ρ e`, `∂P/∂z = (ρ/‖z‖)(I − e eᵀ) = D` and `∂P/∂ρ = e`:
//!
//! ```text
//! dF = (I − D) dm + w⁻¹ D dω − μ e dr_N
//! ```
//!
//! so that with C = (I − D + εI)⁻¹ the rows of the system are those of friction, and the normal row of the contact's own K and
//! g enters by `C μ e`.

use std::ops::Range;

/// F of a moment and its derivatives.
#[derive(Clone, Debug)]
pub(super) struct LinearMoment {
    /// First row of the block, and the moment's rows within it.
    first: usize,
    rows: Range<usize>,
    /// I − D.
    keep: [[f64; 2]; 2],
    /// w⁻¹ D \[kg\].
    dg: [[f64; 2]; 2],
    /// C.
    c: [[f64; 2]; 2],
    /// μ e where the moment is at its bound, else zero.
    push: [f64; 2],
    /// P(z) [N·m·s].
    nearest: [f64; 2],
}

impl LinearMoment {
    /// At the impulse `r` of the whole block and the angular velocity `omega` of the moment's rows.
    pub(super) fn new(
        (first, rows): (usize, Range<usize>),
        w: f64,
        mu: f64,
        r: &[f64],
        omega: &[f64],
        proximal: f64,
    ) -> Self {
        let mut z = [0.0; 2];
        for ((z, m), omega) in z.iter_mut().zip(&r[rows.clone()]).zip(omega) {
            *z = m - omega / w;
        }
        let (size, most) = ((z[0] * z[0] + z[1] * z[1]).sqrt(), mu * r[0].max(0.0));
        let held = size <= most;
        let (keep, dg, c) = ([[0.0; 2]; 2], [[0.0; 2]; 2], [[0.0; 2]; 2]);
        let mut moment = LinearMoment { first, rows, keep, dg, c, push: [0.0; 2], nearest: z };
        let e = if held { [0.0; 2] } else { [z[0] / size, z[1] / size] };
        let turn = if held { 1.0 } else { most / size };
        for i in 0..2 {
            for j in 0..2 {
                let unit = if i == j { 1.0 } else { 0.0 };
                let d = turn * (unit - e[i] * e[j]);
                moment.keep[i][j] = unit - d;
                moment.dg[i][j] = d / w;
                // I − D has the eigenvalues 1 along e and 1 − turn across it.
                let across = 1.0 / (1.0 - turn + proximal);
                moment.c[i][j] = across * (unit - e[i] * e[j]) + e[i] * e[j] / (1.0 + proximal);
            }
            moment.push[i] = mu * e[i];
            if !held {
                moment.nearest[i] = most * e[i];
            }
        }
        moment
    }

    /// Its rows of K, after those of the contact, and of F.
    pub(super) fn write(&self, k: &mut [f64], n: usize, f: &mut [f64], r: &[f64]) {
        let normal = [k[0], k[1], k[2]];
        for (i, row) in self.rows.clone().enumerate() {
            let pushed: f64 = (0..2).map(|j| self.c[i][j] * self.push[j]).sum();
            for (k, normal) in k[row * n..row * n + 3].iter_mut().zip(normal) {
                *k = pushed * normal;
            }
            for j in 0..self.rows.len() {
                k[row * n + self.rows.start + j] = (0..2).map(|l| self.c[i][l] * self.dg[l][j]).sum();
            }
            f[self.first + row] = r[row] - self.nearest[i];
        }
    }

    /// Its rows of g, after those of the contact: `C (−F − (I − D) dm − w⁻¹ D W dr + μ e (dr_N + g_N))`.
    pub(super) fn right_hand_side(&self, f: &[f64], reached: Option<(&[f64], &[f64])>, g: &mut [f64]) {
        let at = |i: usize| self.first + self.rows.start + i;
        let mut defect = [0.0; 2];
        for i in 0..self.rows.len() {
            defect[i] = self.push[i] * g[self.first] - f[at(i)];
            if let Some((dr, w_dr)) = reached {
                defect[i] += self.push[i] * dr[self.first];
                for j in 0..self.rows.len() {
                    defect[i] -= self.keep[i][j] * dr[at(j)] + self.dg[i][j] * w_dr[at(j)];
                }
            }
        }
        for i in 0..self.rows.len() {
            g[at(i)] = (0..2).map(|j| self.c[i][j] * defect[j]).sum();
        }
    }
}

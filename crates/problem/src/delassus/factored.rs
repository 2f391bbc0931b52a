//! `W = J M⁻¹ Jᵀ + C` over rigid bodies: rows with 12 columns, a 6×6 inverse mass per body, and a compliance per row if
//! any row is compliant, `C = diag(c)`. W itself is never formed. Rows may have columns of more than two bodies
//! (`further`).

mod further;

use super::{AsymmetryScan, check_finite};
use crate::{Limits, ProblemError, Symmetry};
pub use further::FurtherColumns;

/// Inverse mass matrix of a body, `diag(m⁻¹ I, R I_b⁻¹ Rᵀ)`: linear, then angular, world axes [1/kg, 1/(kg·m²)].
pub type InverseMass = [[f64; 6]; 6];

/// One row of J: six columns of side A, then six of side B. Columns of a fixed side are not read.
pub type JacobianRow = [f64; 12];

/// The factored operator.
#[derive(Clone, Debug)]
pub struct FactoredDelassus {
    pub(crate) inverse_mass: Vec<InverseMass>,
    /// Which of them couple nothing but rotations; the zeros of those are left out of products.
    pub(crate) couplings: Vec<Coupling>,
    pub(crate) bodies: Vec<[Option<u32>; 2]>,
    pub(crate) jacobian: Vec<JacobianRow>,
    /// c of every row [1/kg]; empty if no row is compliant.
    pub(crate) compliance: Vec<f64>,
    /// Ascending by row, then by body; nearly always empty.
    pub(crate) further: Vec<FurtherColumns>,
}

/// Which entries of an inverse mass are not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coupling {
    /// `diag(m⁻¹, m⁻¹, m⁻¹)` and three by three, as of every rigid body about its centre of mass.
    Rigid,
    /// Any.
    Full,
}

impl Coupling {
    fn of(m: &InverseMass) -> Coupling {
        let zero = |i: usize, j: usize| m[i][j] == 0.0;
        let linear = (0..3).all(|i| (0..6).all(|j| i == j || zero(i, j) && zero(j, i)));
        if linear { Coupling::Rigid } else { Coupling::Full }
    }
}

/// Six columns of one side.
#[inline(always)]
fn half(row: &JacobianRow, side: usize) -> &[f64; 6] {
    let (halves, _) = row.as_chunks::<6>();
    &halves[side]
}

/// Products of twelve numbers, added up to four.
#[inline(always)]
fn products_of(a: &[[f64; 4]; 3], b: &[[f64; 4]; 3]) -> [f64; 4] {
    let mut sums = [0.0; 4];
    for i in 0..4 {
        sums[i] = a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i];
    }
    sums
}

#[inline(always)]
fn sum_of(x: &[f64; 4]) -> f64 {
    (x[0] + x[2]) + (x[1] + x[3])
}

impl FactoredDelassus {
    /// `inverse_mass` per body, `bodies` (A, B) per block with `None` for a fixed side, `jacobian` per row.
    /// Sizes and indices are checked when the problem is built.
    pub fn new(inverse_mass: Vec<InverseMass>, bodies: Vec<[Option<u32>; 2]>, jacobian: Vec<JacobianRow>) -> Self {
        FactoredDelassus::with_memory(inverse_mass, bodies, jacobian, Vec::new())
    }
    /// The same with memory of an earlier one.
    pub(crate) fn with_memory(
        inverse_mass: Vec<InverseMass>,
        bodies: Vec<[Option<u32>; 2]>,
        jacobian: Vec<JacobianRow>,
        mut couplings: Vec<Coupling>,
    ) -> Self {
        couplings.clear();
        couplings.extend(inverse_mass.iter().map(Coupling::of));
        FactoredDelassus { inverse_mass, couplings, bodies, jacobian, compliance: Vec::new(), further: Vec::new() }
    }
    /// The same with the compliance of every row [1/kg], or of none if empty.
    pub fn with_compliance(self, compliance: Vec<f64>) -> Self {
        FactoredDelassus { compliance, ..self }
    }
    /// Inverse mass of every body.
    pub fn inverse_mass(&self) -> &[InverseMass] {
        &self.inverse_mass
    }
    /// Bodies (A, B) of every block.
    pub fn bodies(&self) -> &[[Option<u32>; 2]] {
        &self.bodies
    }
    /// Every row of J.
    pub fn jacobian(&self) -> &[JacobianRow] {
        &self.jacobian
    }
    /// Compliance of every row [1/kg]. In a [`crate::ContactProblem`] it is empty if no row is compliant.
    pub fn compliance(&self) -> &[f64] {
        &self.compliance
    }

    /// Zeros are no compliance: without any, nothing is added anywhere, and every bit stays what it is.
    pub(super) fn forget_zero_compliance(&mut self) {
        if self.compliance.iter().all(|c| *c == 0.0) {
            self.compliance.clear();
        }
    }

    /// `J_row M⁻¹ J_rowᵀ + c_row` of every row of block `c`.
    pub(super) fn diagonal(&self, offsets: &[usize], c: usize, out: &mut [f64]) {
        self.rigid_diagonal(offsets, c, out);
        self.add_further_diagonal(offsets[c]..offsets[c + 1], out);
        if !self.compliance.is_empty() {
            out.iter_mut().zip(&self.compliance[offsets[c]..offsets[c + 1]]).for_each(|(entry, c)| *entry += c);
        }
    }

    fn rigid_diagonal(&self, offsets: &[usize], c: usize, out: &mut [f64]) {
        out.fill(0.0);
        for (side, body) in self.bodies[c].iter().enumerate() {
            let Some(body) = body else { continue };
            let m = &self.inverse_mass[*body as usize];
            let rows = &self.jacobian[offsets[c]..offsets[c + 1]];
            if self.couplings[*body as usize] == Coupling::Rigid {
                for (entry, row) in out.iter_mut().zip(rows) {
                    let j = half(row, side);
                    for a in 0..3 {
                        *entry += j[a] * (m[a][a] * j[a]);
                    }
                    for a in 3..6 {
                        *entry += j[a] * (m[a][3] * j[3] + m[a][4] * j[4] + m[a][5] * j[5]);
                    }
                }
                continue;
            }
            for (entry, row) in out.iter_mut().zip(rows) {
                let j = half(row, side);
                for a in 0..6 {
                    let mut velocity = 0.0;
                    for b in 0..6 {
                        velocity += m[a][b] * j[b];
                    }
                    *entry += j[a] * velocity;
                }
            }
        }
    }

    /// `Δv = M⁻¹ Jᵀ r`, six numbers per body, into `velocity`.
    pub fn body_velocity(&self, offsets: &[usize], r: &[f64], velocity: &mut [f64]) {
        velocity.fill(0.0);
        let (sums, _) = velocity.as_chunks_mut::<6>();
        for (c, bodies) in self.bodies.iter().enumerate() {
            let (rows, r) = (&self.jacobian[offsets[c]..offsets[c + 1]], &r[offsets[c]..offsets[c + 1]]);
            for (side, body) in bodies.iter().enumerate() {
                let Some(body) = body else { continue };
                let mut sum = sums[*body as usize];
                for (row, r) in rows.iter().zip(r) {
                    let j = half(row, side);
                    for i in 0..6 {
                        sum[i] += j[i] * r;
                    }
                }
                sums[*body as usize] = sum;
            }
        }
        for further in &self.further {
            let (sum, r) = (&mut sums[further.body as usize], r[further.row as usize]);
            for (sum, j) in sum.iter_mut().zip(&further.columns) {
                *sum += j * r;
            }
        }
        for (v, m) in velocity.chunks_exact_mut(6).zip(&self.inverse_mass) {
            let p = [v[0], v[1], v[2], v[3], v[4], v[5]];
            for i in 0..6 {
                let mut sum = 0.0;
                for j in 0..6 {
                    sum += m[i][j] * p[j];
                }
                v[i] = sum;
            }
        }
    }

    fn gather(&self, offsets: &[usize], velocity: &[f64], out: &mut [f64], term: impl Fn(f64, f64) -> f64) {
        for (c, bodies) in self.bodies.iter().enumerate() {
            for row in offsets[c]..offsets[c + 1] {
                let mut u = 0.0;
                for (side, body) in bodies.iter().enumerate() {
                    let Some(body) = body else { continue };
                    let v = &velocity[6 * *body as usize..6 * *body as usize + 6];
                    for j in 0..6 {
                        u += term(self.jacobian[row][6 * side + j], v[j]);
                    }
                }
                out[row] = u;
            }
        }
        for further in &self.further {
            let v = &velocity[6 * further.body as usize..6 * further.body as usize + 6];
            for (j, v) in further.columns.iter().zip(v) {
                out[further.row as usize] += term(*j, *v);
            }
        }
    }

    pub(super) fn apply(&self, offsets: &[usize], r: &[f64], out: &mut [f64], scratch: &mut Vec<f64>) {
        scratch.resize(6 * self.inverse_mass.len(), 0.0);
        self.body_velocity(offsets, r, scratch);
        self.gather(offsets, scratch, out, |j, v| j * v);
        for ((out, c), r) in out.iter_mut().zip(&self.compliance).zip(r) {
            *out += c * r;
        }
    }

    /// `out = W r` and `magnitude = (|J||M⁻¹||Jᵀ| + C)|r|` in one pass over J: reading J is most of the cost. Both sides of
    /// a row are taken together, twelve numbers that registers of any width divide.
    #[inline(always)]
    pub(super) fn apply_with_magnitude(
        &self,
        offsets: &[usize],
        r: &[f64],
        out: &mut [f64],
        magnitude: &mut [f64],
        scratch: &mut Vec<f64>,
    ) {
        scratch.clear();
        scratch.resize(12 * self.inverse_mass.len(), 0.0);
        // Per body: momentum, then the sum of its terms' magnitudes.
        let (sums, _) = scratch.as_chunks_mut::<12>();
        for (c, bodies) in self.bodies.iter().enumerate() {
            let (rows, r) = (&self.jacobian[offsets[c]..offsets[c + 1]], &r[offsets[c]..offsets[c + 1]]);
            let (mut momentum, mut bound) = ([[0.0; 4]; 3], [[0.0; 4]; 3]);
            for (row, r) in rows.iter().zip(r) {
                for (part, row) in row.as_chunks::<4>().0.iter().enumerate() {
                    let terms = row.map(|j| j * r);
                    for i in 0..4 {
                        momentum[part][i] += terms[i];
                        bound[part][i] += terms[i].abs();
                    }
                }
            }
            let (momentum, bound) = (momentum.as_flattened(), bound.as_flattened());
            for (side, body) in bodies.iter().enumerate() {
                let Some(body) = body else { continue };
                let sum = &mut sums[*body as usize];
                for i in 0..6 {
                    sum[i] += momentum[6 * side + i];
                    sum[6 + i] += bound[6 * side + i];
                }
            }
        }
        for further in &self.further {
            let (sum, r) = (&mut sums[further.body as usize], r[further.row as usize]);
            for (i, j) in further.columns.iter().enumerate() {
                sum[i] += j * r;
                sum[6 + i] += (j * r).abs();
            }
        }
        for (sum, m) in sums.iter_mut().zip(&self.inverse_mass) {
            let p = *sum;
            for i in 0..6 {
                let (mut velocity, mut bound) = (0.0, 0.0);
                for j in 0..6 {
                    velocity += m[i][j] * p[j];
                    bound += m[i][j].abs() * p[6 + j];
                }
                (sum[i], sum[6 + i]) = (velocity, bound);
            }
        }
        // Per row: four sums of products each, first all of a block and then added up, or the compiler shuffles.
        let mut products = [[[0.0; 4]; 2]; 6];
        for (c, bodies) in self.bodies.iter().enumerate() {
            let range = offsets[c]..offsets[c + 1];
            // Velocities of both bodies, none where there is no body; then their magnitudes.
            let (mut velocity, mut bound) = ([[0.0; 4]; 3], [[0.0; 4]; 3]);
            for (side, body) in bodies.iter().enumerate() {
                let Some(body) = body else { continue };
                let sum = &sums[*body as usize];
                velocity.as_flattened_mut()[6 * side..6 * side + 6].copy_from_slice(&sum[..6]);
                bound.as_flattened_mut()[6 * side..6 * side + 6].copy_from_slice(&sum[6..]);
            }
            for (row, products) in self.jacobian[range.clone()].iter().zip(&mut products) {
                let (row, _) = row.as_chunks::<4>();
                let row = [row[0], row[1], row[2]];
                products[0] = products_of(&row, &velocity);
                products[1] = products_of(&row.map(|part| part.map(f64::abs)), &bound);
            }
            let targets = out[range.clone()].iter_mut().zip(&mut magnitude[range]);
            for ((out, magnitude), products) in targets.zip(&products) {
                (*out, *magnitude) = (sum_of(&products[0]), sum_of(&products[1]));
            }
        }
        for further in &self.further {
            let (sum, row) = (&sums[further.body as usize], further.row as usize);
            for (i, j) in further.columns.iter().enumerate() {
                out[row] += j * sum[i];
                magnitude[row] += j.abs() * sum[6 + i];
            }
        }
        for (((out, magnitude), c), r) in out.iter_mut().zip(magnitude).zip(&self.compliance).zip(r) {
            *out += c * r;
            *magnitude += c * r.abs();
        }
    }

    /// `J_row M⁻¹` restricted to one body.
    fn times_inverse_mass(&self, j: &[f64], body: u32) -> [f64; 6] {
        let m = &self.inverse_mass[body as usize];
        std::array::from_fn(|b| (0..6).map(|a| j[a] * m[a][b]).sum())
    }

    pub(super) fn block(&self, offsets: &[usize], c: usize, k: usize, out: &mut [f64]) {
        self.rigid_block(offsets, c, k, out);
        if c == k && !self.compliance.is_empty() {
            let rows = offsets[c + 1] - offsets[c];
            for (i, c) in self.compliance[offsets[c]..offsets[c + 1]].iter().enumerate() {
                out[i * rows + i] += c;
            }
        }
    }

    /// Block `(c, k)` of `J M⁻¹ Jᵀ`.
    fn rigid_block(&self, offsets: &[usize], c: usize, k: usize, out: &mut [f64]) {
        let (rows, columns) = (offsets[c + 1] - offsets[c], offsets[k + 1] - offsets[k]);
        out[..rows * columns].fill(0.0);
        for (side_c, body) in self.bodies[c].iter().enumerate() {
            let Some(body) = *body else { continue };
            for (side_k, other) in self.bodies[k].iter().enumerate() {
                if *other != Some(body) {
                    continue;
                }
                for a in 0..rows {
                    let row = &self.jacobian[offsets[c] + a];
                    let jm = self.times_inverse_mass(&row[6 * side_c..6 * side_c + 6], body);
                    for b in 0..columns {
                        let j = &self.jacobian[offsets[k] + b][6 * side_k..6 * side_k + 6];
                        out[a * columns + b] += jm.iter().zip(j).map(|(x, y)| x * y).sum::<f64>();
                    }
                }
            }
        }
        self.add_further_block(offsets, c, k, out);
        if c == k {
            // Round-off may split (i, j) from (j, i); the diagonal block is symmetric by construction.
            for a in 0..rows {
                for b in 0..a {
                    out[b * rows + a] = out[a * rows + b];
                }
            }
        }
    }

    pub(super) fn to_dense(&self, offsets: &[usize]) -> Vec<f64> {
        let n = offsets[offsets.len() - 1];
        let mut of_body = vec![Vec::new(); self.inverse_mass.len()];
        for (c, body) in self.bodies_of_blocks(offsets) {
            of_body[body as usize].push(c);
        }
        let mut dense = vec![0.0; n * n];
        let mut block = [0.0; 36];
        for (c, body) in self.bodies_of_blocks(offsets) {
            for k in &of_body[body as usize] {
                if *k > c {
                    continue;
                }
                self.rigid_block(offsets, c, *k, &mut block);
                let columns = offsets[k + 1] - offsets[*k];
                for (a, i) in (offsets[c]..offsets[c + 1]).enumerate() {
                    for (b, j) in (offsets[*k]..offsets[k + 1]).enumerate() {
                        dense[i * n + j] = block[a * columns + b];
                        dense[j * n + i] = block[a * columns + b];
                    }
                }
            }
        }
        // Also of rows between fixed sides, which no body leads to.
        for (i, c) in self.compliance.iter().enumerate() {
            dense[i * n + i] += c;
        }
        dense
    }

    pub(super) fn validate(&self, offsets: &[usize], symmetry: Symmetry, limits: &Limits) -> Result<f64, ProblemError> {
        let (blocks, rows) = (offsets.len() - 1, offsets[offsets.len() - 1]);
        let bodies = self.inverse_mass.len();
        if bodies > limits.bodies {
            return Err(ProblemError::Limit { what: "bodies", found: bodies, limit: limits.bodies });
        }
        if self.bodies.len() != blocks {
            return Err(ProblemError::Size { what: "body pairs", found: self.bodies.len(), expected: blocks });
        }
        if self.jacobian.len() != rows {
            return Err(ProblemError::Size { what: "rows of J", found: self.jacobian.len(), expected: rows });
        }
        for (c, pair) in self.bodies.iter().enumerate() {
            for body in pair.iter().flatten() {
                if *body as usize >= bodies {
                    return Err(ProblemError::UnknownBody { block: c, body: *body as usize, bodies });
                }
            }
            if let [Some(a), Some(b)] = pair
                && a == b
            {
                return Err(ProblemError::SameBody { block: c, body: *a as usize });
            }
        }
        self.validate_further(offsets)?;
        check_finite("J", self.jacobian.as_flattened())?;
        check_finite("inverse mass", self.inverse_mass.as_flattened().as_flattened())?;
        if !self.compliance.is_empty() && self.compliance.len() != rows {
            return Err(ProblemError::Size { what: "compliance", found: self.compliance.len(), expected: rows });
        }
        check_finite("compliance", &self.compliance)?;
        if let Some(row) = self.compliance.iter().position(|c| *c < 0.0) {
            return Err(ProblemError::NegativeCompliance { row, value: self.compliance[row] });
        }
        let mut worst: f64 = 0.0;
        for m in &self.inverse_mass {
            let mut scan = AsymmetryScan::new();
            for i in 0..6 {
                for j in 0..=i {
                    scan.pair(i, j, m[i][j], m[j][i]);
                }
            }
            worst = worst.max(scan.finish("inverse mass", symmetry)?);
        }
        Ok(worst)
    }
}

#[cfg(test)]
mod tests;

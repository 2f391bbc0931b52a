//! Compliant rows: eliminated block by block before the bodies.
//!
//! With `W = J̃ J̃ᵀ + C`, `C = diag(c)`, and `B = I + K C`, which couples no two blocks,
//!
//! ```text
//! (I + K W) dr = g    ⇔   B dr + K J̃ dv = g,               dv = J̃ᵀ dr
//!                     ⇔   (I + J̃ᵀ K' J̃) dv = J̃ᵀ g',        dr = g' − K' J̃ dv,      K' = B⁻¹K,   g' = B⁻¹g
//! W dr = J̃ dv + C dr,     det(I + K W) = det B · det(I + J̃ᵀ K' J̃)
//! ```
//!
//! K' and g' replace K and g; nothing else changes for the bodies. K' is never stiffer than 1/c. If K is symmetric and
//! K ≥ 0, B is regular; otherwise a singular B is reported as a singular system.

use crate::linalg::dense_lu::{self, stride_of};
use crate::linalg::frontal_lu::SingularPivot;

/// C, and what is left of K when it is eliminated.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalCompliance {
    /// c of every row [1/kg]; empty if no row is compliant.
    rows: Vec<f64>,
    /// K' of every block, as K.
    reduced: Vec<f64>,
    /// B⁻¹ of every block, as K.
    inverse: Vec<f64>,
    /// Whether det B is negative.
    negative: bool,
}

impl LocalCompliance {
    pub(super) fn read(&mut self, rows: &[f64]) {
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        self.negative = false;
    }

    /// K' and B⁻¹ of every block.
    pub(super) fn eliminate(&mut self, offsets: &[usize], k: &[f64], starts: &[usize]) -> Result<(), SingularPivot> {
        self.negative = false;
        if self.rows.is_empty() {
            return Ok(());
        }
        self.reduced.clear();
        self.reduced.extend_from_slice(k);
        self.inverse.clear();
        self.inverse.resize(k.len(), 0.0);
        for (block, entries) in starts.windows(2).enumerate() {
            let c = &self.rows[offsets[block]..offsets[block + 1]];
            let entries = entries[0]..entries[1];
            let (reduced, inverse) = (&mut self.reduced[entries.clone()], &mut self.inverse[entries]);
            self.negative ^= eliminate_block(c, reduced, inverse)?;
        }
        Ok(())
    }

    /// K', or K itself if no row is compliant.
    pub(super) fn reduced_or<'a>(&'a self, k: &'a [f64]) -> &'a [f64] {
        if self.rows.is_empty() { k } else { &self.reduced }
    }

    pub(super) fn determinant_is_positive(&self) -> bool {
        !self.negative
    }

    /// `g ← B⁻¹g`.
    pub(super) fn reduce(&self, offsets: &[usize], starts: &[usize], g: &mut [f64]) {
        if self.rows.is_empty() {
            return;
        }
        for (block, entries) in starts.windows(2).enumerate() {
            let g = &mut g[offsets[block]..offsets[block + 1]];
            let (n, mut before) = (g.len(), [0.0; 6]);
            before[..n].copy_from_slice(g);
            for (g, row) in g.iter_mut().zip(self.inverse[entries[0]..entries[1]].chunks_exact(n)) {
                *g = row.iter().zip(&before).map(|(b, g)| b * g).sum();
            }
        }
    }

    /// `out += C r`.
    pub(super) fn add_product(&self, r: &[f64], out: &mut [f64]) {
        for ((out, c), r) in out.iter_mut().zip(&self.rows).zip(r) {
            *out += c * r;
        }
    }
}

/// `k ← B⁻¹k` and `inverse = B⁻¹` with `B = I + k diag(c)`, row-major; whether det B is negative.
fn eliminate_block(c: &[f64], k: &mut [f64], inverse: &mut [f64]) -> Result<bool, SingularPivot> {
    let n = c.len();
    for i in 0..n {
        inverse[i * n + i] = 1.0;
    }
    if c.iter().all(|c| *c == 0.0) {
        return Ok(false);
    }
    let stride = stride_of(n);
    let (mut b, mut pivots) = ([0.0; 6 * 8], [0; 6]);
    let b = &mut b[..n * stride];
    for i in 0..n {
        for j in 0..n {
            b[j * stride + i] = inverse[i * n + j] + k[i * n + j] * c[j];
        }
    }
    if !dense_lu::factor(b, n, &mut pivots[..n]) {
        return Err(SingularPivot);
    }
    for target in [k, inverse] {
        for j in 0..n {
            let mut column = [0.0; 8];
            (0..n).for_each(|i| column[i] = target[i * n + j]);
            dense_lu::solve(b, n, &pivots[..n], &mut column[..stride]);
            (0..n).for_each(|i| target[i * n + j] = column[i]);
        }
    }
    let flips = (0..n).filter(|i| (b[i * stride + i] < 0.0) != (pivots[*i] != *i)).count();
    Ok(flips % 2 == 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{NewtonSystem, Refinement};
    use signorini_problem::random::SplitMix64;
    use signorini_problem::{
        Block, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, FurtherColumns, InverseMass, JacobianRow,
        Symmetry,
    };

    fn number(seed: &mut SplitMix64) -> f64 {
        seed.uniform(-1.0, 1.0)
    }

    /// Three bodies and five blocks, two of which give way in some of their rows and one in all, and some rows of which have columns
    /// of all bodies if asked for; and the same with W stored.
    fn problems(seed: &mut SplitMix64, beyond: bool) -> [ContactProblem; 2] {
        let mass: InverseMass = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.5 } else { 0.0 }));
        let blocks = vec![Block::contact(0.5), Block::joint(4), Block::normal(), Block::joint(6), Block::contact(0.3)];
        let bodies = vec![[None, Some(0)], [Some(0), Some(1)], [Some(1), None], [Some(1), Some(0)], [None, None]];
        let rows: Vec<JacobianRow> = (0..17).map(|_| std::array::from_fn(|_| number(seed))).collect();
        let soft = |i: usize| matches!(i, 0 | 4 | 6 | 14..);
        let c: Vec<f64> = (0..17).map(|i| if soft(i) { 1.0 + number(seed) } else { 0.0 }).collect();
        let pairs: [&[u32]; 5] = [&[0], &[0, 1], &[1], &[0, 1], &[]];
        let blocks_of_rows = [0, 0, 0, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4];
        let mut further = Vec::new();
        for (row, c) in blocks_of_rows.into_iter().enumerate().filter(|(row, c)| beyond && row % 3 != 1 && *c < 4) {
            for body in (0..3).filter(|body| !pairs[c].contains(body)) {
                further.push(FurtherColumns { row: row as u32, body, columns: std::array::from_fn(|_| number(seed)) });
            }
        }
        let w = FactoredDelassus::new(vec![mass; 3], bodies, rows).with_compliance(c).with_further(further);
        let posed = |w| ContactProblem::new(blocks.clone(), w, vec![0.0; 17], Symmetry::Exact).unwrap();
        let over_bodies = posed(Delassus::Factored(w));
        let stored = over_bodies.delassus().to_dense(over_bodies.offsets());
        [over_bodies, posed(Delassus::Dense(DenseDelassus::new(17, stored)))]
    }

    /// Any K, also those that turn the determinant: the same solution, product and sign as over the blocks, also for the
    /// second K and without refinement.
    #[test]
    fn both_forms_solve_the_same_system() {
        let (mut seed, mut negative) = (SplitMix64::new(1), 0);
        let mut systems = [NewtonSystem::default(), NewtonSystem::default()];
        for round in 0..50 {
            let [over_bodies, stored] = problems(&mut seed, round % 3 > 0);
            systems[0].prepare(&over_bodies);
            systems[1].prepare(&stored);
            for stiffness in [1.0, 30.0] {
                for c in 0..5 {
                    let k: Vec<f64> = systems[0].k_mut(c).iter().map(|_| stiffness * number(&mut seed)).collect();
                    systems.iter_mut().for_each(|system| system.k_mut(c).copy_from_slice(&k));
                }
                let g: Vec<f64> = (0..17).map(|_| number(&mut seed)).collect();
                let answers = [&over_bodies, &stored].into_iter().zip(&mut systems).map(|(problem, system)| {
                    system.factor(problem).unwrap();
                    let (mut dr, mut w_dr, mut applied) = (vec![0.0; 17], vec![0.0; 17], vec![0.0; 17]);
                    system.solve(problem, &g, &mut dr, &mut w_dr, Refinement::NONE);
                    system.apply_w(problem, &dr, &mut applied);
                    (system.determinant_is_positive(), [dr, w_dr, applied].concat())
                });
                let [(sign, found), (expected_sign, expected)] =
                    <[_; 2]>::try_from(answers.collect::<Vec<_>>()).unwrap();
                assert_eq!(sign, expected_sign);
                negative += usize::from(!sign);
                let size = expected.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
                for (found, expected) in found.iter().zip(&expected) {
                    assert!((found - expected).abs() <= 1e-9 * size, "{found} is not {expected}");
                }
            }
        }
        assert!((20..80).contains(&negative), "{negative} of 100 determinants are negative");
    }

    /// For a large K the stiffness of a compliant row is 1/c.
    #[test]
    fn stiffness_is_bounded_by_compliance() {
        let mut k = [1e300, 0.0, 0.0, 2.0];
        let mut inverse = [0.0; 4];
        assert!(!super::eliminate_block(&[0.25, 0.0], &mut k, &mut inverse).unwrap());
        assert!((k[0] - 4.0).abs() < 1e-15);
        assert_eq!((k[1], k[2], k[3], inverse[3]), (0.0, 0.0, 2.0, 1.0));
        assert!(super::eliminate_block(&[1.0], &mut [-1.0], &mut [0.0]).is_err());
    }
}

//! Linear complementarity problems with a random matrix and a known answer.

use crate::random::SplitMix64;
use crate::{Family, GeneratedProblem, Known, SceneError};
use signorini_problem::{Block, ContactProblem, Delassus, DenseDelassus, Symmetry};

/// `0 ≤ r ⊥ W r + q ≥ 0` with `W = B Bᵀ/n + shift·I` positive definite, B n×n uniform in [−1, 1]. The answer was chosen
/// first (about half the contacts closed, both sides up to 1) and q follows from it; it is unique.
pub fn random_spd(n: usize, shift: f64, seed: u64) -> Result<GeneratedProblem, SceneError> {
    SceneError::positive("shift", shift)?;
    random_lcp(format!("spd{n}_{shift:e}_seed{seed}"), n, n, shift, seed)
}

/// The same with `W = B Bᵀ/n` of `rank` less than n. r is not unique; u is.
pub fn random_psd(n: usize, rank: usize, seed: u64) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("rank", rank, 1, "at least one")?;
    random_lcp(format!("psd{n}_rank{rank}_seed{seed}"), n, rank, 0.0, seed)
}

fn random_lcp(name: String, n: usize, rank: usize, shift: f64, seed: u64) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("rows", n, 1, "at least one")?;
    let mut random = SplitMix64::new(seed);
    let factor: Vec<f64> = (0..n * rank).map(|_| random.uniform(-1.0, 1.0)).collect();
    let mut values = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let (a, b) = (&factor[i * rank..(i + 1) * rank], &factor[j * rank..(j + 1) * rank]);
            let mut w = a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / n as f64;
            if i == j {
                w += shift;
            }
            (values[i * n + j], values[j * n + i]) = (w, w);
        }
    }
    let (mut r, mut q) = (vec![0.0; n], vec![0.0; n]);
    for (r, q) in r.iter_mut().zip(&mut q) {
        // Either the impulse or the speed, never both.
        *(if random.unit() < 0.5 { r } else { q }) = random.unit();
    }
    for i in 0..n {
        q[i] -= values[i * n..(i + 1) * n].iter().zip(&r).map(|(w, r)| w * r).sum::<f64>();
    }
    let delassus = Delassus::Dense(DenseDelassus::new(n, values));
    let problem = ContactProblem::new(vec![Block::normal(); n], delassus, q.clone(), Symmetry::Exact)?;
    let known = Known { impulse: Some(r), ..Known::default() };
    Ok(GeneratedProblem { name, family: Family::RandomLcp, problem, free_velocity: Vec::new(), offset: q, known })
}

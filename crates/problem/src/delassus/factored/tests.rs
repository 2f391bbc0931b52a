#![allow(clippy::unwrap_used)]
use super::*;
use crate::random::SplitMix64;
use crate::{Block, Certifier, ContactProblem, Delassus};

/// Numbers without pattern.
fn number(seed: &mut SplitMix64) -> f64 {
    seed.uniform(-1.0, 1.0)
}

/// A rigid body's inverse mass, and the same with every pair coupled.
fn inverse_mass(coupling: Coupling, seed: &mut SplitMix64) -> InverseMass {
    let mut m = [[0.0; 6]; 6];
    for i in 0..6 {
        for j in 0..=i {
            let couples = coupling == Coupling::Full || j >= 3;
            m[i][j] = if i == j {
                3.0
            } else if couples {
                0.3 * number(seed)
            } else {
                0.0
            };
            m[j][i] = m[i][j];
        }
    }
    m
}

fn problem(coupling: Coupling) -> ContactProblem {
    let mut seed = SplitMix64::new(7);
    let masses = (0..3).map(|_| inverse_mass(coupling, &mut seed)).collect();
    let bodies = vec![[Some(0), None], [Some(0), Some(1)], [None, Some(2)], [Some(2), Some(1)]];
    let jacobian = (0..12).map(|_| std::array::from_fn(|_| number(&mut seed))).collect();
    let q = (0..12).map(|_| number(&mut seed)).collect();
    let w = FactoredDelassus::new(masses, bodies, jacobian);
    assert!(w.couplings.iter().all(|c| *c == coupling));
    ContactProblem::new(vec![Block::contact(0.5); 4], Delassus::Factored(w), q, Symmetry::Exact).unwrap()
}

#[test]
fn scales_are_traces_of_the_dense_matrix_whatever_couples() {
    for coupling in [Coupling::Rigid, Coupling::Full] {
        let problem = problem(coupling);
        let dense = problem.delassus().to_dense(problem.offsets());
        for c in 0..4 {
            let trace: f64 = problem.range(c).map(|i| dense[12 * i + i]).sum();
            assert!((problem.scales()[c] - trace / 3.0).abs() <= 1e-14 * trace, "{coupling:?}, block {c}");
        }
    }
}

#[test]
fn the_judge_tells_what_impulses_do_to_bodies() {
    for coupling in [Coupling::Rigid, Coupling::Full] {
        let problem = problem(coupling);
        let r: Vec<f64> = (0..12).map(|i| f64::from(i) - 3.5).collect();
        let mut certifier = Certifier::default();
        certifier.certify(&problem, &r).unwrap();
        let Delassus::Factored(w) = problem.delassus() else { unreachable!() };
        let mut expected = [0.0; 18];
        w.body_velocity(problem.offsets(), &r, &mut expected);
        let found: Vec<f64> = certifier.body_velocities().flatten().copied().collect();
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-14, "{found} instead of {expected}");
        }
        assert_eq!(found.len(), expected.len());
    }
}

//! Rows over more than two bodies: `W = J M⁻¹ Jᵀ` with all columns of J, in everything that a problem is asked.

use crate::generated::{Numbers, Parts};
use signorini_problem::io::ProblemFile;
use signorini_problem::*;

/// A problem some of whose rows have columns of all bodies, and W from its definition.
fn posed(seed: u64) -> (ContactProblem, Vec<f64>, Parts) {
    let parts = Parts::random(seed);
    let n = &mut Numbers::new(seed ^ 0xbeef);
    let bodies = parts.inverse_mass.len();
    let mut further = Vec::new();
    let mut row = 0;
    for (c, block) in parts.blocks.iter().enumerate() {
        for _ in 0..block.rows {
            for body in (0..bodies as u32).filter(|body| !parts.bodies[c].contains(&Some(*body))) {
                if n.below(2) == 0 {
                    further.push(FurtherColumns { row, body, columns: std::array::from_fn(|_| n.within(-1.0, 1.0)) });
                }
            }
            row += 1;
        }
    }
    let offsets = parts.offsets();
    let mut j = vec![vec![0.0; 6 * bodies]; parts.q.len()];
    for (c, pair) in parts.bodies.iter().enumerate() {
        for row in offsets[c]..offsets[c + 1] {
            for (side, body) in pair.iter().enumerate() {
                let Some(body) = body else { continue };
                j[row][6 * *body as usize..][..6].copy_from_slice(&parts.jacobian[row][6 * side..6 * side + 6]);
            }
        }
    }
    for FurtherColumns { row, body, columns } in &further {
        j[*row as usize][6 * *body as usize..][..6].copy_from_slice(columns);
    }
    let moved = |row: &[f64]| -> Vec<f64> {
        let entry = |i: usize| (0..6).map(|k| parts.inverse_mass[i / 6][i % 6][k] * row[6 * (i / 6) + k]).sum();
        (0..row.len()).map(entry).collect()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let w = j.iter().flat_map(|a| j.iter().map(|b| dot(a, &moved(b))).collect::<Vec<_>>()).collect();
    let mut factored = parts.problem().into_parts();
    factored.further = further;
    (ContactProblem::from_parts(factored).unwrap(), w, parts)
}

fn close(found: &[f64], expected: &[f64], size: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-13 * size, "{found} instead of {expected}");
    }
}

#[test]
fn all_that_a_problem_is_asked_is_of_all_columns() {
    let mut beyond = 0;
    for seed in 0..200 {
        let (problem, w, parts) = posed(seed);
        let (n, size) = (problem.rows(), w.iter().fold(1.0, |most: f64, x| most.max(x.abs())));
        let dense = Delassus::Dense(DenseDelassus::new(n, w.clone()));
        let stored = ContactProblem::new(parts.blocks.clone(), dense, parts.q.clone(), Symmetry::UpTo(1e-12)).unwrap();
        close(&problem.delassus().to_dense(problem.offsets()), &w, size);
        close(problem.scales(), stored.scales(), size);
        close(&problem.velocity(&parts.r), &stored.velocity(&parts.r), 20.0 * size);
        let (mut block, mut expected) = ([0.0; 36], [0.0; 36]);
        for c in 0..parts.blocks.len() {
            for k in 0..parts.blocks.len() {
                problem.delassus().block(problem.offsets(), c, k, &mut block);
                stored.delassus().block(problem.offsets(), c, k, &mut expected);
                close(&block, &expected, size);
            }
        }
        let [found, expected] = [&problem, &stored].map(|problem| certify(problem, &parts.r).unwrap());
        assert!((found.natural - expected.natural).abs() <= 1e-11 * size.max(1.0));
        let Delassus::Factored(w) = problem.delassus() else { panic!() };
        beyond += w.further().len();
    }
    assert!(beyond > 500, "{beyond}");
}

/// Terms of a row beyond its pair that cancel in u do not cancel in the bound on its round-off.
#[test]
fn the_bound_on_round_off_counts_terms_beyond_the_pair() {
    let mass: InverseMass = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    let along = |at: usize, size: f64| -> JacobianRow { std::array::from_fn(|i| if i == at { size } else { 0.0 }) };
    let rows = vec![along(0, 1.0), along(0, 1.0), along(0, 1.0)];
    let bodies = vec![[Some(0), None], [Some(1), None], [Some(0), None]];
    let further = vec![FurtherColumns { row: 2, body: 1, columns: [1e6, 0.0, 0.0, 0.0, 0.0, 0.0] }];
    let w = FactoredDelassus::new(vec![mass; 2], bodies, rows).with_further(further);
    let problem =
        ContactProblem::new(vec![Block::joint(1); 3], Delassus::Factored(w), vec![0.0; 3], Symmetry::Exact).unwrap();
    let r = [-1e6, 1.0, 0.0];
    let (mut u, mut magnitude) = (vec![0.0; 3], vec![0.0; 3]);
    problem.delassus().apply_with_magnitude(problem.offsets(), &r, &mut u, &mut magnitude, &mut Vec::new());
    assert_eq!((u[2], magnitude[2]), (0.0, 2e6));
}

#[test]
fn a_part_keeps_the_columns_of_its_rows() {
    for seed in 0..100 {
        let (problem, w, parts) = posed(seed);
        let n = problem.rows();
        let taken: Vec<usize> = (0..parts.blocks.len()).rev().step_by(2).collect();
        let part = problem.part(&taken).unwrap();
        let rows: Vec<usize> = taken.iter().flat_map(|c| problem.range(*c)).collect();
        let expected: Vec<f64> =
            rows.iter().flat_map(|i| rows.iter().map(|j| w[*i * n + j]).collect::<Vec<_>>()).collect();
        let size = w.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        close(&part.delassus().to_dense(part.offsets()), &expected, size);
    }
}

#[test]
fn files_carry_further_columns_as_version_four_and_keep_every_bit() {
    for seed in 0..50 {
        let (problem, ..) = posed(seed);
        let Delassus::Factored(w) = problem.delassus() else { panic!() };
        let bytes = ProblemFile::from_problem(&problem, "geared").to_bytes();
        let four = String::from_utf8_lossy(&bytes[12..]).contains("\"version\": 4");
        assert_eq!(four, !w.further().is_empty());
        let read = ProblemFile::parse(&bytes, &Limits::default()).unwrap();
        assert!(read.to_bytes() == bytes);
        let again = read.to_problem().unwrap().into_parts();
        assert_eq!(again.further, w.further());
    }
}

#[test]
fn what_is_no_further_column_is_refused_with_its_place() {
    let unit: InverseMass = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    let refusal = |further: Vec<(u32, u32, f64)>| {
        let columns = |(row, body, value)| FurtherColumns { row, body, columns: [value; 6] };
        let w = FactoredDelassus::new(vec![unit; 4], vec![[Some(0), None], [Some(1), Some(2)]], vec![[1.0; 12]; 3])
            .with_further(further.into_iter().map(columns).collect());
        let blocks = vec![Block::joint(1), Block::joint(2)];
        ContactProblem::new(blocks, Delassus::Factored(w), vec![0.0; 3], Symmetry::Exact).unwrap_err()
    };
    assert_eq!(refusal(vec![(3, 0, 1.0)]), ProblemError::UnknownRow { index: 0, row: 3, rows: 3 });
    assert_eq!(refusal(vec![(1, 4, 1.0)]), ProblemError::UnknownBody { block: 1, body: 4, bodies: 4 });
    assert_eq!(refusal(vec![(2, 2, 1.0)]), ProblemError::SameBody { block: 1, body: 2 });
    assert_eq!(refusal(vec![(2, 3, 1.0), (2, 3, 1.0)]), ProblemError::SameBody { block: 1, body: 3 });
    assert_eq!(refusal(vec![(2, 3, 1.0), (2, 0, 1.0)]), ProblemError::FurtherOrder { index: 1 });
    assert_eq!(refusal(vec![(2, 3, 1.0), (0, 3, 1.0)]), ProblemError::FurtherOrder { index: 1 });
    let infinite = ProblemError::NotFinite { what: "further J", index: 6, value: f64::INFINITY };
    assert_eq!(refusal(vec![(0, 1, 1.0), (1, 3, f64::INFINITY)]), infinite);
}

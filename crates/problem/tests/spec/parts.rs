//! Parts of problems, and problems posed anew.

use crate::generated::*;
use signorini_problem::*;

/// The same problem with W written out.
fn dense(problem: &ContactProblem) -> ContactProblem {
    let w = DenseDelassus::new(problem.rows(), problem.delassus().to_dense(problem.offsets()));
    ContactProblem::new(problem.blocks().to_vec(), Delassus::Dense(w), problem.q().to_vec(), Symmetry::General).unwrap()
}

/// The same with every block of W stored.
fn block_sparse(problem: &ContactProblem) -> ContactProblem {
    let count = problem.blocks().len();
    let mut values = Vec::new();
    for c in 0..count {
        for k in 0..count {
            let mut block = [0.0; 36];
            problem.delassus().block(problem.offsets(), c, k, &mut block);
            values.extend_from_slice(&block[..problem.blocks()[c].rows * problem.blocks()[k].rows]);
        }
    }
    let row_ptr = (0..=count).map(|c| c * count).collect();
    let columns = (0..count).flat_map(|_| 0..count).collect();
    let w = BlockSparseDelassus::new(problem.offsets(), row_ptr, columns, values).unwrap();
    let (blocks, q) = (problem.blocks().to_vec(), problem.q().to_vec());
    ContactProblem::new(blocks, Delassus::BlockSparse(w), q, Symmetry::General).unwrap()
}

/// Impulses in the part alone cause the part's velocities, in every form of W and in any order of blocks; and a part posed by
/// what the others do, `q_g = u_g − W_gg r_g`, has the velocities of the whole.
#[test]
fn a_part_moves_as_in_the_whole() {
    let mut proper = 0;
    for seed in 0..300 {
        let whole = Parts::random(seed);
        let n = &mut Numbers::new(seed ^ 0x5eed);
        let mut chosen: Vec<usize> = (0..whole.blocks.len()).filter(|_| n.below(2) == 0).collect();
        if n.below(2) == 0 {
            chosen.reverse();
        }
        proper += usize::from(!chosen.is_empty() && chosen.len() < whole.blocks.len());
        let factored = whole.problem();
        for problem in [dense(&factored), block_sparse(&factored), factored] {
            let mut part = problem.part(&chosen).unwrap();
            let rows: Vec<usize> = chosen.iter().flat_map(|c| problem.range(*c)).collect();
            let own: Vec<f64> = rows.iter().map(|i| whole.r[*i]).collect();
            let mut alone = vec![0.0; problem.rows()];
            rows.iter().for_each(|i| alone[*i] = whole.r[*i]);
            let close = |found: &[f64], expected: &[f64]| {
                for (found, i) in found.iter().zip(&rows) {
                    assert!((found - expected[*i]).abs() < 1e-10, "{found} {}", expected[*i]);
                }
            };
            close(&part.velocity(&own), &problem.velocity(&alone));
            assert!(part.blocks().iter().zip(&chosen).all(|(block, c)| *block == problem.blocks()[*c]));
            let all = problem.velocity(&whole.r);
            let without: Vec<f64> = part.velocity(&own).iter().zip(part.q()).map(|(u, q)| u - q).collect();
            let posed: Vec<f64> = rows.iter().zip(without).map(|(i, w_r)| all[*i] - w_r).collect();
            part.set_q(&posed).unwrap();
            close(&part.velocity(&own), &all);
            assert_eq!(part.speed(), posed.iter().fold(0.0, |m: f64, q| m.max(q.abs())));
        }
    }
    assert!(proper > 150, "{proper}");
}

/// Bodies that nothing of the part touches are left out, the others keep their order.
#[test]
fn bodies_of_a_part_are_those_it_touches() {
    let mass: Vec<InverseMass> = (0..4)
        .map(|k| std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 + k as f64 } else { 0.0 })))
        .collect();
    let bodies = vec![[Some(3), Some(1)], [Some(0), None], [Some(1), Some(2)]];
    let w = FactoredDelassus::new(mass, bodies, vec![[1.0; 12]; 3]);
    let problem = ContactProblem::new(vec![Block::normal(); 3], Delassus::Factored(w), vec![0.0; 3], Symmetry::Exact);
    let part = problem.unwrap().part(&[0]).unwrap();
    let Delassus::Factored(w) = part.delassus() else { panic!() };
    assert_eq!(w.bodies(), [[Some(1), Some(0)]]);
    assert_eq!(w.inverse_mass().iter().map(|m| m[0][0]).collect::<Vec<_>>(), [2.0, 4.0]);
}

#[test]
fn blocks_that_do_not_exist_or_come_twice_are_refused_by_number() {
    let problem = Parts::random(1).problem();
    let count = problem.blocks().len();
    let error = problem.part(&[0, count]).unwrap_err();
    assert_eq!(error, ProblemError::Structure { block: count, what: "the block does not exist" });
    let error = problem.part(&[0, 0]).unwrap_err();
    assert_eq!(error, ProblemError::Structure { block: 0, what: "the block is named twice" });
}

#[test]
fn velocities_that_are_refused_change_nothing() {
    let mut problem = Parts::random(2).problem();
    let (before, speed) = (problem.q().to_vec(), problem.speed());
    let mut q = before.clone();
    q[0] = f64::NAN;
    assert!(matches!(problem.set_q(&q), Err(ProblemError::NotFinite { what: "q", index: 0, .. })));
    let short = &before[1..];
    assert!(matches!(problem.set_q(short), Err(ProblemError::Size { what: "q", .. })));
    assert_eq!((problem.q(), problem.speed()), (&before[..], speed));
}

//! Rows over more than two bodies: every method answers as it does of the same W stored.

use crate::sweeps_fixtures::Random;
use signorini_problem::{
    Block, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, FurtherColumns, InverseMass, Symmetry, certify,
};
use signorini_solvers::{Exact, Method, Status, StoppingRule, solve};

/// Bodies in a row, contacts of each with the ground and joints between neighbours, and gears over four bodies and three.
fn problem(random: &mut Random, bodies: usize) -> [ContactProblem; 2] {
    let inverse_mass: Vec<InverseMass> = (0..bodies)
        .map(|_| {
            let mass = random.decades(-0.5, 0.5);
            std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 / mass } else { 0.0 }))
        })
        .collect();
    let (mut blocks, mut pairs, mut jacobian) = (Vec::new(), Vec::new(), Vec::new());
    let mut further = Vec::new();
    let six = |random: &mut Random| -> [f64; 6] { std::array::from_fn(|_| random.range(-1.0, 1.0)) };
    let last = bodies as u32 - 1;
    for body in 0..=last {
        let block = match body % 3 {
            0 => Block::contact(0.4),
            1 => Block::joint(1),
            _ => Block::normal(),
        };
        let neighbour = (body + 1) % (last + 1);
        pairs.push([if block == Block::joint(1) { Some(neighbour) } else { None }, Some(body)]);
        for _ in 0..block.rows {
            jacobian.push([six(random), six(random)].concat().try_into().unwrap());
        }
        blocks.push(block);
        if body % 4 == 3 {
            let row = jacobian.len() as u32;
            let beyond = if body % 8 == 3 { vec![body - 1, body] } else { vec![body] };
            pairs.push([Some(body - 3), Some(body - 2)]);
            jacobian.push([six(random), six(random)].concat().try_into().unwrap());
            let columns = |body| FurtherColumns { row, body, columns: six(random) };
            further.extend(beyond.into_iter().map(columns));
            blocks.push(Block::joint(1));
        }
    }
    let q: Vec<f64> = (0..jacobian.len()).map(|_| random.range(-1.0, 1.0)).collect();
    let w = FactoredDelassus::new(inverse_mass, pairs, jacobian).with_further(further);
    let over_bodies = ContactProblem::new(blocks.clone(), Delassus::Factored(w), q.clone(), Symmetry::Exact).unwrap();
    let stored = over_bodies.delassus().to_dense(over_bodies.offsets());
    let stored = Delassus::Dense(DenseDelassus::new(q.len(), stored));
    [over_bodies, ContactProblem::new(blocks, stored, q, Symmetry::UpTo(1e-12)).unwrap()]
}

#[test]
fn every_method_answers_as_it_does_of_the_same_w_stored() {
    let mut random = Random::new(5);
    let mut solved = 0;
    // Few rows, of which sweeps keep W, and many.
    for bodies in [4, 8, 40] {
        for _ in 0..3 {
            let [over_bodies, stored] = problem(&mut random, bodies);
            let stop = StoppingRule::velocity(1e-8);
            for method in Method::ALL {
                let of_bodies = solve(&over_bodies, &mut *method.solver(), None, &stop);
                let of_stored = solve(&stored, &mut *method.solver(), None, &stop);
                let (Ok(of_bodies), Ok(of_stored)) = (of_bodies, of_stored) else { continue };
                let judged = certify(&stored, &of_bodies.impulses).unwrap();
                assert!((judged.natural - of_bodies.certificate.natural).abs() < 1e-10, "{}", method.name());
                if of_stored.status == Status::Solved {
                    assert_eq!(of_bodies.status, Status::Solved, "{} of {bodies} bodies", method.name());
                    solved += 1;
                }
            }
            let exact = solve(&over_bodies, &mut Exact::default(), None, &StoppingRule::velocity(1e-11)).unwrap();
            assert_eq!(exact.status, Status::Solved);
        }
    }
    assert!(solved > 60, "{solved}");
}

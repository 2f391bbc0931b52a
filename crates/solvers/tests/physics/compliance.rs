//! Rows that give way, in every method: answers from paper, and W over bodies against W stored.

use crate::family_support::{Random, assert_close, densified};
use signorini_problem::{
    Block, ContactProblem, Delassus, FactoredDelassus, InverseMass, JacobianRow, Symmetry, certify,
};
use signorini_solvers::{EqualityRows, LeastStress, Method, SolveError, Status, StoppingRule, Support, solve};

/// A body of mass m that moves along x alone, and rows of factors `rows` on that motion.
fn slider(m: f64, rows: &[(Block, f64, f64)]) -> ContactProblem {
    let mut mass: InverseMass = [[0.0; 6]; 6];
    mass[0][0] = 1.0 / m;
    let mut row: JacobianRow = [0.0; 12];
    row[6] = 1.0;
    let compliance = rows.iter().map(|(_, c, _)| *c).collect();
    let w = FactoredDelassus::new(vec![mass], vec![[None, Some(0)]; rows.len()], vec![row; rows.len()]);
    let blocks = rows.iter().map(|(block, ..)| *block).collect();
    let q = rows.iter().map(|(_, _, q)| *q).collect();
    let w = Delassus::Factored(w.with_compliance(compliance));
    ContactProblem::new(blocks, w, q, Symmetry::Exact).unwrap()
}

/// The answers of all methods that take the laws, which the judge takes as well.
fn answers(problem: &ContactProblem, tolerance: f64) -> Vec<(Method, Vec<f64>)> {
    let stop = StoppingRule { max_iterations: Some(100_000), ..StoppingRule::velocity(tolerance) };
    let mut answers = Vec::new();
    for method in Method::ALL {
        match solve(problem, &mut *method.solver(), None, &stop) {
            Ok(solution) => {
                assert_eq!(solution.status, Status::Solved, "{method}: {:?}", solution.certificate);
                answers.push((*method, solution.impulses));
            }
            Err(SolveError::UnsupportedLaw { .. }) => {}
            Err(e) => panic!("{method}: {e}"),
        }
    }
    answers
}

/// m ẍ = −k x − d ẋ in backward Euler, `v⁺ = (m v − h k x)/(m + h d + h² k)`, for a hundred steps.
#[test]
fn a_spring_alone_is_backward_euler() {
    let (m, k, d, h) = (2.0, 500.0, 3.0, 0.01);
    for method in [Method::Exact, Method::InteriorPoint, Method::Newton, Method::Nsgs, Method::FischerBurmeister] {
        let (mut x, mut v, mut exact) = (0.1, 0.0, (0.1, 0.0));
        for _ in 0..100 {
            let problem = slider(m, &[(Block::joint(1), 1.0 / (h * h * k + h * d), v + k * x / (h * k + d))]);
            let stop = StoppingRule::velocity(1e-13);
            let r = solve(&problem, &mut *method.solver(), None, &stop).unwrap().impulses[0];
            v += r / m;
            x += h * v;
            exact.1 = (m * exact.1 - h * k * exact.0) / (m + h * d + h * h * k);
            exact.0 += h * exact.1;
            assert!((x - exact.0).abs() + (v - exact.1).abs() <= 1e-11, "{method}: {x} is not {}", exact.0);
        }
    }
}

/// The least squares of joints: 1 + c in place of 1, and rows that contradict each other are no longer in the dark.
#[test]
fn equalities_alone_are_solved_with_their_compliance() {
    let (c, q) = ([0.5, 2.0, 0.0], [-1.0, -3.0, 0.5]);
    let rows: Vec<_> = c.iter().zip(q).map(|(c, q)| (Block::joint(1), *c, q)).collect();
    // u₃ = 0 gives Δv = −q₃; c_i r_i = q₃ − q_i, and r₃ is the rest of m Δv.
    let r = [(0.5 + 1.0) / 0.5, (0.5 + 3.0) / 2.0];
    let expected = [r[0], r[1], -0.5 * 4.0 - r[0] - r[1]];
    let problem = slider(4.0, &rows);
    let mut found = Vec::new();
    assert!(EqualityRows::default().solve(&problem, &mut found));
    assert_close(&found, &expected, 1e-7);
    for (method, r) in answers(&problem, 1e-10) {
        println!("{method}: {r:?}");
        assert_close(&r, &expected, 1e-8);
    }
}

/// A servo holds what it can: inside of its bounds it is the spring, beyond it gives its largest force.
#[test]
fn a_servo_saturates_at_its_bound() {
    let (m, k, d, h, force) = (1.5, 2000.0, 20.0, 0.005, 30.0);
    let (c, bound) = (1.0 / (h * h * k + h * d), h * force);
    for (x, v) in [(0.01, 0.0), (0.01, -0.3), (0.1, 0.0), (-0.1, 0.2)] {
        let problem = slider(m, &[(Block::interval(-bound, bound), c, v + k * x / (h * k + d))]);
        let spring = -h * (k * (x + h * v) + d * v) / (1.0 + (h * d + h * h * k) / m);
        let expected = spring.clamp(-bound, bound);
        assert_eq!(spring.abs() > bound, f64::abs(x) > 0.05, "both are looked at");
        for (method, r) in answers(&problem, 1e-11) {
            assert!((r[0] - expected).abs() <= 1e-10, "{method}: {} is not {expected}", r[0]);
        }
    }
}

/// A load on two supports that give way by c₁ and c₂: `r₁ c₁ = r₂ c₂`, where rigid ones would share it in any way.
#[test]
fn supports_share_a_load_by_their_stiffness() {
    for (c1, c2) in [(0.1, 0.1), (0.1, 0.4), (1e-3, 3e-3)] {
        let (m, q) = (2.0, -1.0);
        let problem = slider(m, &[(Block::normal(), c1, q), (Block::normal(), c2, q)]);
        // m Δv = r₁ + r₂ and Δv + q + c₁ r₁ = 0.
        let r1 = -q / ((1.0 + c1 / c2) / m + c1);
        for (method, r) in answers(&problem, 1e-13) {
            let near = (r[0] - r1).abs() + (r[1] - r1 * c1 / c2).abs();
            assert!(near <= 1e-8 * r1, "{method}: {r:?} in place of {r1}, c {c1} and {c2}");
        }
    }
}

/// `r(c) = −q/(w + c)`: the rigid answer is approached linearly, from below.
#[test]
fn compliance_that_vanishes_leaves_the_rigid_answer() {
    for block in [Block::normal(), Block::joint(1), Block::interval(-3.0, 3.0)] {
        for c in [1e-2, 1e-4, 1e-8, 1e-12] {
            let problem = slider(0.5, &[(block, c, -1.0)]);
            for (method, r) in answers(&problem, 1e-13) {
                assert!((r[0] - 1.0 / (2.0 + c)).abs() <= 1e-12, "{method}, c = {c}: {}", r[0]);
            }
        }
    }
}

/// Coulomb's law with a soft normal: friction is that of the softer normal impulse. And with soft tangents: sticking gives
/// way by c r_T.
#[test]
fn contacts_give_way_along_any_of_their_rows() {
    let mass: InverseMass = std::array::from_fn(|i| std::array::from_fn(|j| if i == j && i < 3 { 1.0 } else { 0.0 }));
    let rows: Vec<JacobianRow> = (0..3).map(|i| std::array::from_fn(|j| if j == 6 + i { 1.0 } else { 0.0 })).collect();
    let contact = |c: [f64; 3], q: [f64; 3]| {
        let w = FactoredDelassus::new(vec![mass], vec![[None, Some(0)]], rows.clone()).with_compliance(c.to_vec());
        ContactProblem::new(vec![Block::contact(0.5)], Delassus::Factored(w), q.to_vec(), Symmetry::Exact).unwrap()
    };
    // r_N = 1/(1 + 1); slips with 0.5 · 0.5 against (3, 4)/5.
    let slips = (contact([1.0, 0.0, 0.0], [-1.0, 3.0, 4.0]), [0.5, -0.15, -0.2]);
    // r_T = 0.2/(1 + 3), less than 0.5 · 1.
    let sticks = (contact([0.0, 3.0, 3.0], [-1.0, 0.2, 0.0]), [1.0, -0.05, 0.0]);
    for (problem, expected) in [slips, sticks] {
        for method in exact_with_friction() {
            let solution = solve(&problem, &mut *method.solver(), None, &StoppingRule::velocity(1e-11)).unwrap();
            assert_eq!(solution.status, Status::Solved, "{method}");
            assert_close(&solution.impulses, &expected, 1e-9);
        }
    }
}

fn exact_with_friction() -> impl Iterator<Item = Method> {
    let exact = [
        Method::Exact,
        Method::InteriorPoint,
        Method::Newton,
        Method::Pgs,
        Method::Nsgs,
        Method::AcceleratedNsgs,
        Method::DeSaxce,
        Method::FischerBurmeister,
    ];
    exact.into_iter()
}

/// Bodies joined by random rows of the laws that `block` gives, half of which give way.
fn random_problem(random: &mut Random, blocks: usize, block: impl Fn(usize) -> Block) -> ContactProblem {
    let bodies = blocks;
    let mut inverse_mass = Vec::new();
    for _ in 0..bodies {
        let mut m: InverseMass = [[0.0; 6]; 6];
        let mass = 1.0 + 0.5 * random.signed();
        let b: [[f64; 3]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| random.signed()));
        for i in 0..3 {
            m[i][i] = 1.0 / mass;
            for j in 0..=i {
                let x = (0..3).map(|k| b[i][k] * b[j][k]).sum::<f64>() + if i == j { 1.0 } else { 0.0 };
                (m[3 + i][3 + j], m[3 + j][3 + i]) = (x / mass, x / mass);
            }
        }
        inverse_mass.push(m);
    }
    let (mut list, mut pairs, mut jacobian) = (Vec::new(), Vec::new(), Vec::<JacobianRow>::new());
    for c in 0..blocks {
        let (a, block) = (random.below(bodies), block(c));
        let b = (a + 1 + random.below((bodies - 1).max(1))) % bodies;
        let fixed = random.below(3) == 0 || a == b;
        pairs.push([if fixed { None } else { Some(a as u32) }, Some(b as u32)]);
        jacobian.extend((0..block.rows).map(|_| std::array::from_fn::<f64, 12, _>(|_| random.signed())));
        list.push(block);
    }
    let rows = jacobian.len();
    let c = (0..rows).map(|_| if random.below(2) == 0 { 0.0 } else { 10f64.powf(2.0 * random.signed()) }).collect();
    let q = (0..rows).map(|_| random.signed()).collect();
    let w = FactoredDelassus::new(inverse_mass, pairs, jacobian).with_compliance(c);
    ContactProblem::new(list, Delassus::Factored(w), q, Symmetry::Exact).unwrap()
}

fn without_compliance(problem: &ContactProblem) -> ContactProblem {
    let mut parts = problem.clone().into_parts();
    parts.compliance.clear();
    ContactProblem::from_parts(parts).unwrap()
}

/// One answer, since W is regular and no row has friction: over bodies as stored, and not that of the rigid rows.
#[test]
fn without_friction_every_method_finds_the_answer_of_the_stored_w() {
    let mut random = Random::new(5);
    for blocks in [2, 5, 20, 60] {
        for round in 0..4 {
            let law = |c: usize| match (c + round) % 4 {
                0 | 1 => Block::normal(),
                2 => Block::interval(-0.2, 0.1),
                _ => Block::joint(1),
            };
            let lcp = round == 3;
            let soft = random_problem(&mut random, blocks, |c| if lcp { Block::normal() } else { law(c) });
            let (stored, rigid) = (densified(&soft), without_compliance(&soft));
            let expected = solve(&stored, &mut *Method::Exact.solver(), None, &StoppingRule::velocity(1e-12)).unwrap();
            assert_eq!(expected.status, Status::Solved);
            let found = answers(&soft, 1e-11);
            assert!(!lcp || found.iter().any(|(method, _)| *method == Method::Lemke));
            for (method, r) in found {
                assert!(certify(&stored, &r).unwrap().natural <= 2e-11, "{method}, {blocks} blocks");
                // Where there are few rows none of the soft ones may carry anything.
                assert!(blocks < 20 || certify(&rigid, &r).unwrap().natural > 1e-3, "{method}");
                assert_close(&r, &expected.impulses, 1e-7);
            }
        }
    }
}

/// With friction answers may be many: each has to be one of the stored W.
#[test]
fn with_friction_answers_over_bodies_are_answers_of_the_stored_w() {
    let mut random = Random::new(8);
    let stop = StoppingRule { max_iterations: Some(100_000), ..StoppingRule::velocity(1e-9) };
    let (mut solved, mut asked) = (0, 0);
    for blocks in [1, 3, 8, 25] {
        for _ in 0..4 {
            let soft = random_problem(&mut random, blocks, |c| match c % 5 {
                0 | 1 => Block::contact(0.3),
                2 => Block::planar_contact(0.2),
                3 => Block::interval(-0.2, 0.1),
                _ => Block::joint(2),
            });
            let stored = densified(&soft);
            for method in exact_with_friction() {
                let solution = solve(&soft, &mut *method.solver(), None, &stop).unwrap();
                let other = solve(&stored, &mut *method.solver(), None, &stop).unwrap();
                asked += usize::from(other.status == Status::Solved);
                solved += usize::from(solution.status == Status::Solved);
                let grade = certify(&stored, &solution.impulses).unwrap().natural;
                assert!((grade - solution.certificate.natural).abs() <= 1e-12 * (1.0 + grade), "{method}");
                assert!(method != Method::Exact || solution.status == Status::Solved);
            }
        }
    }
    println!("{solved} solved over bodies, {asked} with W stored");
    assert!(solved >= asked && solved >= 124, "{solved} solved over bodies, {asked} with W stored");
}

/// Methods of another friction law have one answer here, whichever way W comes.
#[test]
fn approximate_methods_give_what_they_give_for_the_stored_w() {
    let mut random = Random::new(3);
    let stop = StoppingRule { max_iterations: Some(20_000), ..StoppingRule::velocity(1e-11) };
    for _ in 0..6 {
        let soft = random_problem(&mut random, 5, |_| Block::contact(0.3));
        let stored = densified(&soft);
        let exact: Vec<Method> = exact_with_friction().collect();
        for method in Method::ALL.iter().filter(|method| !exact.contains(method)) {
            let Ok(over_bodies) = solve(&soft, &mut *method.solver(), None, &stop) else { continue };
            let other = solve(&stored, &mut *method.solver(), None, &stop).unwrap();
            println!("{method}");
            assert_close(&over_bodies.impulses, &other.impulses, 1e-6);
        }
    }
}

#[test]
fn zeros_are_no_compliance_to_the_bit_in_every_method() {
    let mut random = Random::new(13);
    let bits = |r: &[f64]| r.iter().map(|r| r.to_bits()).collect::<Vec<_>>();
    for blocks in [3, 24] {
        let soft = random_problem(&mut random, blocks, |c| match c % 3 {
            0 => Block::joint(2),
            _ => Block::contact(0.4),
        });
        let rigid = without_compliance(&soft);
        let mut parts = rigid.clone().into_parts();
        parts.compliance.resize(rigid.rows(), 0.0);
        let zeros = ContactProblem::from_parts(parts).unwrap();
        let stop = StoppingRule { max_iterations: Some(500), ..StoppingRule::velocity(1e-9) };
        for method in Method::ALL {
            let answer = |problem| solve(problem, &mut *method.solver(), None, &stop).map(|s| bits(&s.impulses));
            match (answer(&rigid), answer(&zeros)) {
                (Ok(a), Ok(b)) => assert_eq!(a, b, "{method}"),
                (a, b) => assert!(a.is_err() && b.is_err(), "{method}"),
            }
        }
    }
}

/// A box's weight on four soft points is theirs, whatever shares with less stress: `c r` is part of the velocity.
#[test]
fn the_least_stress_keeps_what_soft_rows_carry() {
    let soft = [0.3, 0.1, 0.0, 0.0];
    let rows: Vec<_> = soft.iter().map(|c| (Block::normal(), *c, -1.0)).collect();
    let problem = slider(2.0, &rows);
    let mut r = [0.5, 1.5, 0.1, 0.9];
    assert!(LeastStress::default().relax(&problem, &[Support::Cone; 4], &mut r));
    assert_close(&r, &[0.5, 1.5, 0.5, 0.5], 1e-9);
}

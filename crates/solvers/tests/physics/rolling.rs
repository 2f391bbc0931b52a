//! Contacts that resist spinning and rolling: answers from paper, random piles, and who refuses them.

use crate::family_support::Random;
use signorini_problem::*;
use signorini_solvers::{Exact, ExactOptions, Method, Selection, SolveError, Status, StoppingRule, solve};

type V = [f64; 3];

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Balls with contacts, made row by row.
#[derive(Default)]
struct Balls {
    parts: FactoredParts,
    velocity: Vec<[f64; 6]>,
}

impl Balls {
    fn ball(&mut self, mass: f64, radius: f64, velocity: [f64; 6]) -> u32 {
        let inertia = 0.4 * mass * radius * radius;
        let mut inverse = [[0.0; 6]; 6];
        (0..6).for_each(|i| inverse[i][i] = 1.0 / if i < 3 { mass } else { inertia });
        self.parts.inverse_mass.push(inverse);
        self.velocity.push(velocity);
        self.velocity.len() as u32 - 1
    }

    /// A contact with normal `n` from A to B, with arms from the centres. The rows of the moments are in units of `lever`.
    fn touch(&mut self, bodies: [Option<u32>; 2], n: V, arms: [V; 2], mu: f64, (spin, roll): (f64, f64), lever: f64) {
        let least = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let t1 = cross(least, n);
        let t1 = t1.map(|x| x / dot(t1, t1).sqrt());
        let frame = [n, t1, cross(n, t1)];
        self.parts.blocks.push(Block::rolling_contact(mu, spin / lever, roll / lever));
        self.parts.bodies.push(bodies);
        for (i, d) in frame.iter().chain(&frame).enumerate() {
            let mut row = [0.0; 12];
            for side in 0..2 {
                let sign = if side == 0 { -1.0 } else { 1.0 };
                let (linear, angular) =
                    if i < 3 { (*d, cross(arms[side], *d)) } else { ([0.0; 3], d.map(|x| lever * x)) };
                for k in 0..3 {
                    row[6 * side + k] = sign * linear[k];
                    row[6 * side + 3 + k] = sign * angular[k];
                }
            }
            let of = |side: usize| match bodies[side] {
                Some(body) => (0..6).map(|k| row[6 * side + k] * self.velocity[body as usize][k]).sum(),
                None => 0.0,
            };
            let q: f64 = of(0) + of(1);
            self.parts.q.push(q);
            self.parts.jacobian.push(row);
        }
    }

    fn problem(self) -> ContactProblem {
        ContactProblem::from_parts(self.parts).unwrap()
    }
}

const STEP: f64 = 0.01;
const G: f64 = 9.81;

/// A ball of 2 kg and 0.1 m on the ground, with velocity v along x and spin ω, after gravity. The lever is any length.
fn on_the_ground(v: f64, spin: V, rolling: (f64, f64), lever: f64) -> ContactProblem {
    let mut balls = Balls::default();
    let ball = balls.ball(2.0, 0.1, [v, 0.0, -G * STEP, spin[0], spin[1], spin[2]]);
    balls.touch([None, Some(ball)], [0.0, 0.0, 1.0], [[0.0; 3], [0.0, 0.0, -0.1]], 0.5, rolling, lever);
    balls.problem()
}

fn exact(problem: &ContactProblem) -> Vec<f64> {
    let solution = solve(problem, &mut Exact::default(), None, &StoppingRule::velocity(1e-11)).unwrap();
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.certificate);
    solution.impulses
}

/// Rolling without slip, ω = v/r, under a moment μ_r m g: m a = −F, I α = −M + F r with a = α r, so that a = −(5/7) μ_r g/r.
#[test]
fn a_ball_that_rolls_is_slowed_by_five_sevenths_of_its_rolling_friction() {
    let (roll, v) = (2e-3, 1.0);
    let problem = on_the_ground(v, [0.0, v / 0.1, 0.0], (0.0, roll), 0.07);
    let r = exact(&problem);
    let velocity_change = {
        let Delassus::Factored(w) = problem.delassus() else { panic!() };
        let mut change = [0.0; 6];
        w.body_velocity(problem.offsets(), &r, &mut change);
        change
    };
    let expected = -5.0 / 7.0 * roll * G / 0.1 * STEP;
    assert!((velocity_change[0] - expected).abs() < 1e-12, "{} instead of {expected}", velocity_change[0]);
    assert!((velocity_change[4] - expected / 0.1).abs() < 1e-10);
}

/// I ω/(μ_s m g) is how long a spin about the normal lasts; in one step it falls by μ_s m g h/I, or ends.
#[test]
fn torsional_friction_ends_a_spin() {
    let inertia = 0.4 * 2.0 * 0.01;
    for (spin, torsional) in [(3.0, 1e-3), (0.1, 5e-3)] {
        let problem = on_the_ground(0.0, [0.0, 0.0, spin], (torsional, 0.0), 0.05);
        let r = exact(&problem);
        let left = problem.velocity(&r)[3] / 0.05;
        let expected = f64::max(0.0, spin - torsional * 2.0 * G * STEP / inertia);
        assert!((left - expected).abs() < 1e-9, "{left} rad/s instead of {expected}");
    }
}

/// On a slope the moment about the contact is m g r sin θ, and what holds it m g μ_r cos θ.
#[test]
fn a_ball_starts_to_roll_where_the_slope_is_rolling_friction_over_radius() {
    let roll: f64 = 5e-3;
    for (slope, rolls) in [(0.99 * roll / 0.1, false), (1.01 * roll / 0.1, true)] {
        let (n, along) = ((1.0 + slope * slope).sqrt(), slope);
        let mut balls = Balls::default();
        let ball = balls.ball(2.0, 0.1, [G * STEP * along / n, 0.0, -G * STEP / n, 0.0, 0.0, 0.0]);
        balls.touch([None, Some(ball)], [0.0, 0.0, 1.0], [[0.0; 3], [0.0, 0.0, -0.1]], 0.5, (0.0, roll), 0.1);
        let problem = balls.problem();
        let u = problem.velocity(&exact(&problem));
        let turning = u[4].abs().max(u[5].abs());
        assert!((turning > 1e-6) == rolls, "slope {slope}: {turning} m/s");
    }
}

/// The law does not know the unit of its rows.
#[test]
fn another_lever_is_the_same_motion() {
    let spins = [3.0, -8.0, 5.0];
    let normal_and_moment = |lever: f64| {
        let problem = on_the_ground(0.7, spins, (1e-3, 2e-3), lever);
        let r = exact(&problem);
        [r[0], r[1], r[2], lever * r[3], lever * r[4], lever * r[5]]
    };
    let (one, other) = (normal_and_moment(0.1), normal_and_moment(0.03));
    for (one, other) in one.iter().zip(other) {
        assert!((one - other).abs() < 1e-10, "{one} {other}");
    }
}

/// Balls at random around each other, some on the ground, every second one spinning fast.
fn pile(seed: u64, count: usize) -> ContactProblem {
    let mut numbers = Random::new(seed);
    let mut balls = Balls::default();
    let mut ids = Vec::new();
    for k in 0..count {
        let fast = if k % 2 == 0 { 1.0 } else { 10.0 };
        let velocity = std::array::from_fn(|i| numbers.signed() * if i < 3 { 1.0 } else { fast });
        ids.push(balls.ball(1.0 + numbers.signed().abs(), 0.1, velocity));
    }
    let unit = |numbers: &mut Random, up: bool| {
        let mut n: V = std::array::from_fn(|_| numbers.signed());
        if up {
            n[2] = n[2].abs() + 1.0;
        }
        let size = dot(n, n).sqrt();
        n.map(|x| x / size)
    };
    for k in 0..count {
        let rolling = (2e-3 * numbers.signed().abs(), 5e-3 * numbers.signed().abs());
        let n = unit(&mut numbers, true);
        let below = if k < 3 { None } else { Some(ids[(k * 7 + 3) % k]) };
        balls.touch([below, Some(ids[k])], n, [n.map(|x| 0.1 * x), n.map(|x| -0.1 * x)], 0.4, rolling, 0.08);
        if k >= 4 {
            let n = unit(&mut numbers, false);
            let rolling = if k % 3 == 0 { (0.0, 1e-3) } else { (1e-3, 0.0) };
            let beside = Some(ids[k - 2]);
            balls.touch([beside, Some(ids[k])], n, [n.map(|x| 0.1 * x), n.map(|x| -0.1 * x)], 0.4, rolling, 0.08);
        }
    }
    balls.problem()
}

#[test]
fn random_piles_are_solved_and_dissipate() {
    for seed in 0..40 {
        let problem = pile(seed, 3 + 2 * (seed as usize % 20));
        for selection in [Selection::Any, Selection::Canonical] {
            let mut solver = Exact::with_options(ExactOptions { selection, ..ExactOptions::default() });
            let solution = solve(&problem, &mut solver, None, &StoppingRule::velocity(1e-9)).unwrap();
            assert_eq!(solution.status, Status::Solved, "seed {seed} {selection:?}: {:?}", solution.certificate);
            // The work of the impulses on the mean velocity: ½ r·(q + u) ≤ 0.
            let u = problem.velocity(&solution.impulses);
            let work: f64 = (0..u.len()).map(|i| 0.5 * solution.impulses[i] * (u[i] + problem.q()[i])).sum();
            assert!(work <= 1e-9, "seed {seed}: {work} J");
        }
    }
}

/// From a guess that is nearly right, as a simulation has it.
#[test]
fn a_guess_is_refined() {
    let problem = pile(7, 15);
    let answer = exact(&problem);
    let guess: Vec<f64> = answer.iter().map(|r| r * (1.0 + 1e-7)).collect();
    let solution = solve(&problem, &mut Exact::default(), Some(&guess), &StoppingRule::velocity(1e-10)).unwrap();
    assert_eq!(solution.status, Status::Solved);
    assert!(solution.effort.factorizations <= 4, "{:?}", solution.effort);
}

/// Without moments the rows are there and do nothing: the same answer as Coulomb's law.
#[test]
fn no_coefficient_is_no_moment() {
    let problem = on_the_ground(0.7, [1.0, 2.0, 3.0], (0.0, 0.0), 0.1);
    let r = exact(&problem);
    assert_eq!(r[3..], [0.0; 3]);
    let mut coulomb = problem.into_parts();
    coulomb.blocks[0] = Block::contact(0.5);
    coulomb.jacobian.truncate(3);
    coulomb.q.truncate(3);
    let expected = exact(&ContactProblem::from_parts(coulomb).unwrap());
    for (r, expected) in r.iter().zip(&expected) {
        assert!((r - expected).abs() < 1e-10, "{r} {expected}");
    }
}

/// The judge: a moment that is too large, too small while it turns, or askew is no answer.
#[test]
fn wrong_moments_are_refused() {
    let problem = on_the_ground(0.0, [4.0, 3.0, 5.0], (1e-3, 2e-3), 0.1);
    let r = exact(&problem);
    let tolerance = Tolerance::velocity(1e-9);
    assert!(certify(&problem, &r).unwrap().meets(&tolerance));
    let off = |change: &dyn Fn(&mut Vec<f64>)| {
        let mut wrong = r.clone();
        change(&mut wrong);
        certify(&problem, &wrong).unwrap()
    };
    let large = off(&|r| r[3] *= 1.001);
    assert!(!large.meets(&tolerance) && large.outside_cone > 0.0, "{large:?}");
    let small = off(&|r| r[3] *= 0.999);
    assert!(!small.meets(&tolerance) && small.dissipation_defect > 0.0, "{small:?}");
    let askew = off(&|r| (r[4], r[5]) = (r[4] * 0.8 - r[5] * 0.6, r[5] * 0.8 + r[4] * 0.6));
    assert!(!askew.meets(&tolerance), "{askew:?}");
    let none = off(&|r| r[3..].fill(0.0));
    assert!(!none.meets(&tolerance) && none.creep > 0.0, "{none:?}");
}

/// Methods that do not know the law say so; those that do solve it.
#[test]
fn methods_solve_it_or_refuse_it() {
    let problem = on_the_ground(1.0, [0.0, 10.0, 1.0], (1e-3, 2e-3), 0.1);
    let mut solved = Vec::new();
    for method in Method::ALL {
        match solve(&problem, method.solver().as_mut(), None, &StoppingRule::velocity(1e-8)) {
            Ok(solution) => {
                assert_eq!(solution.status, Status::Solved, "{method}: {:?}", solution.certificate);
                solved.push(method.to_string());
            }
            Err(SolveError::UnsupportedLaw { law, block: 0, .. }) => assert_eq!(law, "rolling"),
            Err(other) => panic!("{method}: {other}"),
        }
    }
    assert_eq!(solved, ["exact", "interior-point", "newton"]);
}

/// Bit for bit through a file of version 3.
#[test]
fn a_problem_file_keeps_it() {
    let problem = pile(3, 6);
    let bytes = io::ProblemFile::from_problem(&problem, "pile").to_bytes();
    let file = io::ProblemFile::parse(&bytes, &Limits::default()).unwrap();
    let read = file.to_problem().unwrap();
    assert_eq!(read.blocks(), problem.blocks());
    assert_eq!(read.q(), problem.q());
}

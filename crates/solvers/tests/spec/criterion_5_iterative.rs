//! Acceptance criterion 5 for methods of sweeps: 1e-5 m/s within a hundred of them, on the generated problems.
//!
//! They do not meet it everywhere, and the table of what falls short is part of the test: each of those ends unsolved and says
//! so, and none may leave the list unnoticed either.

use crate::conformance_support::{assert_feasible, assert_honest, audit, reordered, shuffled};
use signorini_problem::{ContactProblem, Law};
use signorini_scenes::GeneratedProblem;
use signorini_scenes::problems::{Size, catalogue, find};
use signorini_scenes::random::SplitMix64;
use signorini_solvers::{
    AcceleratedNsgs, AcceleratedNsgsOptions, ColdStart, ContactSolver, Exact, History, Method, Nsgs, Solution,
    SolverSession, Status, StoppingRule, solve,
};

const SWEEPS: usize = 100;
const TOLERANCE: f64 = 1e-5;

/// Problems that outlast a hundred sweeps, and why.
#[rustfmt::skip]
const FALL_SHORT: &[(&str, &[&str])] = &[
    ("tall or long: the news travels one body per sweep", &[
        "stack40", "stack100", "chain200", "hanging200", "arch51",
    ]),
    ("masses from 1 : 10⁴ apart", &[
        "stack10_heavy1e6", "stack20_alt1e4", "stack10_geo1e6", "stack30_geo1e6", "pyr2d12_mass1e6", "sph5x5x4_mass1e6",
        "fcc6_mass1e6", "arch15_mass1e4", "row20_mass1e6", "planar_stack10_heavy1e6",
    ]),
    ("impacts and slides that keep changing which contacts are open, stick or slip", &[
        "wall8x8_sides_hit", "wall8x8_mu0.6_sides_shake", "wall10x8_sides_ball", "pyr3d6_shake", "fcc3", "arch21_load", "planar_discs20",
    ]),
];

fn falls_short(name: &str) -> bool {
    FALL_SHORT.iter().any(|(_, names)| names.contains(&name))
}

fn rule(tolerance: f64) -> StoppingRule {
    StoppingRule { max_iterations: Some(SWEEPS), ..StoppingRule::velocity(tolerance) }
}

fn problems() -> Vec<GeneratedProblem> {
    let mut all = catalogue(Size::Small).unwrap();
    all.extend(catalogue(Size::Medium).unwrap());
    all
}

/// Largest `‖r_T‖ − μ r_N` of any contact, as a share of r_N.
fn worst_cone_violation(problem: &ContactProblem, r: &[f64]) -> f64 {
    contacts(problem)
        .map(|(c, mu)| {
            let r = &r[problem.range(c)];
            let excess = r[1..].iter().fold(0.0, |m: f64, x| m.hypot(*x)) - mu * r[0];
            if excess > 0.0 { excess / r[0] } else { 0.0 }
        })
        .fold(0.0, f64::max)
}

fn contacts(problem: &ContactProblem) -> impl Iterator<Item = (usize, f64)> {
    problem.blocks().iter().enumerate().filter_map(|(c, block)| match block.law {
        Law::Coulomb { mu } if mu > 0.0 => Some((c, mu)),
        _ => None,
    })
}

/// Largest angle between friction and the direction against which it should point [rad], of contacts that slide at no
/// less than 1 cm/s, and how many those are.
fn worst_slip_angle(problem: &ContactProblem, r: &[f64]) -> (f64, usize) {
    let u = audit(problem, r).u;
    let (mut worst, mut count) = (0.0, 0);
    for (c, _) in contacts(problem) {
        let (r, u) = (&r[problem.range(c)], &u[problem.range(c)]);
        let second = |x: &[f64]| x.get(2).copied().unwrap_or(0.0);
        let (r_t, u_t) = ([r[1], second(r)], [u[1], second(u)]);
        // An open contact has no friction; below 1e-9 of the speed an impulse has too few digits for a direction.
        if u_t[0].hypot(u_t[1]) < 1e-2 || problem.scales()[c] * r[0] < 1e-9 * problem.speed() {
            continue;
        }
        let (cross, along) = (r_t[0] * u_t[1] - r_t[1] * u_t[0], -(r_t[0] * u_t[0] + r_t[1] * u_t[1]));
        worst = f64::max(worst, cross.abs().atan2(along));
        count += 1;
    }
    (worst, count)
}

fn accelerated(problem: &ContactProblem, tolerance: f64) -> Solution {
    solve(problem, &mut AcceleratedNsgs::default(), None, &rule(tolerance)).unwrap()
}

#[test]
fn criterion_5_iterative_in_100_sweeps() {
    let (mut met, mut sliding, mut wrong) = (0, 0, Vec::new());
    for GeneratedProblem { name, problem, .. } in problems() {
        let solution = accelerated(&problem, TOLERANCE);
        let natural = solution.certificate.natural;
        assert!(solution.effort.iterations <= SWEEPS, "{name}");
        assert!(worst_cone_violation(&problem, &solution.impulses) <= 1e-12, "{name}");
        assert_feasible(&name, &problem, &solution.impulses);
        assert_honest(&name, &problem, &solution, &rule(TOLERANCE));
        println!("{name:32} {natural:8.1e} m/s after {:3} sweeps", solution.effort.iterations);
        if falls_short(&name) {
            if solution.status != Status::Unsolved {
                wrong.push(format!("{name} is met and has to leave the list"));
            }
            continue;
        }
        met += 1;
        let bound = TOLERANCE * problem.speed().max(1.0);
        if solution.status != Status::Solved || natural > bound {
            wrong.push(format!("{name}: {natural:.1e} m/s"));
        }
        // Friction points against the slip: to what the sweeps reach when nothing stops them earlier.
        let all = accelerated(&problem, 1e-12);
        let (angle, count) = worst_slip_angle(&problem, &all.impulses);
        sliding += count;
        if angle > 1e-6 && !SLOW_TO_TURN.contains(&name.as_str()) {
            wrong.push(format!("{name}: friction {angle:.1e} rad off"));
        }
    }
    println!("{met} problems met, {sliding} contacts slide");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(met >= 60 && sliding >= 400, "{met} met, {sliding} slide");
}

/// The same budget for `exact`, whose iterations are sweeps, Newton steps and steps of a path alike.
#[test]
fn a_hundred_iterations_of_exact_reach_what_sweeps_do_not() {
    let mut short = Vec::new();
    for GeneratedProblem { name, problem, .. } in problems() {
        let solution = solve(&problem, &mut Exact::default(), None, &rule(TOLERANCE)).unwrap();
        println!("{name:32} {:8.1e} m/s, {:3}", solution.certificate.natural, solution.effort.iterations);
        assert_honest(&name, &problem, &solution, &rule(TOLERANCE));
        if solution.status != Status::Solved || solution.effort.iterations > SWEEPS {
            short.push(name);
        }
    }
    // A regular packing whose paths fold, and a frictionless problem that takes 194 pivots.
    assert_eq!(short, ["fcc6_mass1e6", "psd400_rank100_seed5"]);
}

/// Meets 1e-5 m/s within the hundred sweeps, but no more than that: the slip still turns.
const SLOW_TO_TURN: &[&str] = &["train40_mu0.4_strength1.5"];

/// The same sweeps without what is new meet half of the table.
#[test]
fn plain_sweeps_do_not_meet_the_table() {
    let reaches = |problem: &ContactProblem, solver: &mut dyn ContactSolver| {
        solve(problem, solver, None, &rule(TOLERANCE)).unwrap().status == Status::Solved
    };
    let owed: Vec<GeneratedProblem> = problems().into_iter().filter(|p| !falls_short(&p.name)).collect();
    let missed = owed.iter().filter(|p| !reaches(&p.problem, &mut Nsgs::default())).count();
    assert!(missed >= 25, "nsgs misses only {missed} of {}", owed.len());
    // No window, and no frictionless start: each by itself is not enough.
    let without_window = AcceleratedNsgsOptions { depth: 0, ..AcceleratedNsgsOptions::default() };
    let from_zero = AcceleratedNsgsOptions { cold_start: ColdStart::Zero, ..AcceleratedNsgsOptions::default() };
    for (options, name) in
        [(without_window, "stack10"), (without_window, "arch7"), (from_zero, "wall6x6"), (from_zero, "pyr2d12")]
    {
        let problem = find(name).unwrap().generate().unwrap().problem;
        assert!(!reaches(&problem, &mut AcceleratedNsgs::new(options)), "{name}, {options:?}");
        assert!(reaches(&problem, &mut AcceleratedNsgs::default()), "{name}");
    }
}

/// Where the shortest step lies at the border of a partition without a solution, extrapolations return to it for ever;
/// plain stretches walk on. Given time, the method solves what plain sweeps solve.
#[test]
fn a_window_without_progress_hands_over_to_plain_sweeps() {
    for name in ["fcc3", "incline5_slope0.29_mu0.3", "incline5_slope0.4_mu0.3"] {
        let problem = find(name).unwrap().generate().unwrap().problem;
        let stop = StoppingRule { max_iterations: Some(2000), ..StoppingRule::default() };
        let solution = solve(&problem, &mut AcceleratedNsgs::default(), None, &stop).unwrap();
        assert_eq!(solution.status, Status::Solved, "{name}: {:?}", solution.certificate);
    }
}

/// A solver keeps buffers, never answers; and a budget that ends anywhere leaves a feasible, honestly graded impulse.
#[test]
fn every_budget_ends_feasible_and_a_used_solver_answers_as_a_fresh_one() {
    let method = Method::AcceleratedNsgs;
    let (mut used, mut session) = (method.solver(), SolverSession::default());
    for name in [
        "stack8_shake",
        "train6_mu0.4_strength1.5",
        "elevator3_target1_strength0.5",
        "planar_discs6",
        "chain10",
        "arch21_load",
    ] {
        let problem = find(name).unwrap().generate().unwrap().problem;
        for budget in [0, 1, 2, 8, 9, 10, 21, 22, 23, 24, 40, 63, 100] {
            let stop = StoppingRule { max_iterations: Some(budget), ..StoppingRule::default() };
            let after = session.solve(&problem, &mut *used, None, &stop, &mut History::off()).unwrap();
            let label = format!("{method}, {name}, {budget} sweeps");
            assert_feasible(&label, &problem, &after.impulses);
            assert_honest(&label, &problem, after, &stop);
            assert!(after.effort.iterations <= budget.max(1), "{label}: {}", after.effort.iterations);
            let fresh = solve(&problem, &mut *method.solver(), None, &stop).unwrap();
            assert_eq!(*after, fresh, "{label}");
        }
    }
}

/// The history has a point per sweep, looks of the frictionless start included, and does not change the answer.
#[test]
fn the_history_has_every_sweep() {
    for name in ["stack10", "table8x8_slide"] {
        let problem = find(name).unwrap().generate().unwrap().problem;
        let mut session = SolverSession::default();
        let mut history = History::on();
        let solution =
            session.solve(&problem, &mut *Method::AcceleratedNsgs.solver(), None, &rule(1e-9), &mut history).unwrap();
        let points = history.points();
        assert_eq!(points.len(), solution.effort.iterations, "{name}");
        assert!(points.windows(2).all(|p| p[1].iteration == p[0].iteration + 1), "{name}");
        assert!(points.last().unwrap().residual <= 1e-9, "{name}");
    }
}

/// Contacts of a simulation come in any order: shuffled ones meet the criterion as well. Not always so what needs most of
/// the hundred sweeps as it comes, such as the inclines of five boxes.
#[test]
fn contacts_in_any_order_meet_the_criterion() {
    let mut random = SplitMix64::new(5);
    let names = [
        "stack10",
        "wall6x6",
        "pyr2d5",
        "pyr2d12",
        "arch7",
        "sph5x5x4",
        "stack8_shake",
        "row4_mass1e2",
        "table8x8_slide_spin",
        "planar_discs6",
    ];
    for name in names {
        let problem = find(name).unwrap().generate().unwrap().problem;
        for _ in 0..5 {
            let order = shuffled(&mut random, problem.blocks().len());
            let solution = accelerated(&reordered(&problem, &order), TOLERANCE);
            let natural = solution.certificate.natural;
            assert_eq!(solution.status, Status::Solved, "{name}: {natural:.1e} m/s");
        }
    }
}

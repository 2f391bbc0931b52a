//! What must not change the answer of a sweep: units, a repeated solve, what was solved before; and when it may stop.

use crate::sweeps_fixtures::{Body, Contact, Scene, cube_stack, sphere_heap};
use signorini_problem::{ContactProblem, Delassus, FactoredDelassus, Symmetry, Tolerance, certify};
use signorini_scenes::problems::find;
use signorini_solvers::one_contact::OneContact;
use signorini_solvers::sweep::{ContactStep, Direction, RowStep, Sweeper};
use signorini_solvers::{AcceleratedNsgs, ContactSolver, History, Method, Nsgs, Pgs, Status, StoppingRule, solve};

/// The same scene in other units: every mass times `mass`, every length times `length`, every speed times `speed`.
fn rescaled(scene: &Scene, mass: f64, length: f64, speed: f64) -> ContactProblem {
    let problem = scene.problem();
    let Delassus::Factored(w) = problem.delassus() else { panic!() };
    let mut masses = w.inverse_mass().to_vec();
    for m in &mut masses {
        for i in 0..3 {
            m[i][i] /= mass;
            m[3 + i][3 + i] /= mass * length * length;
        }
    }
    let mut rows = w.jacobian().to_vec();
    for row in &mut rows {
        for i in 0..3 {
            row[3 + i] *= length;
            row[9 + i] *= length;
        }
    }
    let w = FactoredDelassus::new(masses, w.bodies().to_vec(), rows);
    let q = problem.q().iter().map(|x| x * speed).collect();
    ContactProblem::new(problem.blocks().to_vec(), Delassus::Factored(w), q, Symmetry::Exact).unwrap()
}

fn after_sweeps<S: ContactStep>(problem: &ContactProblem, sweeps: usize) -> Vec<f64> {
    let mut sweeper = Sweeper::<S>::default();
    let mut r = vec![0.0; problem.rows()];
    sweeper.prepare(problem);
    sweeper.begin(problem, &r);
    for _ in 0..sweeps {
        sweeper.sweep(problem, &mut r, Direction::Forward);
    }
    r
}

/// Powers of two as units change no bit; other units change round-off only.
#[test]
fn sweeps_do_not_depend_on_units() {
    let scene = sphere_heap(4, 0.4);
    fn check<S: ContactStep>(scene: &Scene) {
        let reference = after_sweeps::<S>(&scene.problem(), 20);
        for (mass, length, speed) in [(1e6, 1.0, 1.0), (1.0, 1e-3, 1e3), (1e-9, 1e4, 1e-6), (1024.0, 0.25, 64.0)] {
            let r = after_sweeps::<S>(&rescaled(scene, mass, length, speed), 20);
            let largest = reference.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            for (x, y) in r.iter().zip(&reference) {
                let x = x / (mass * speed);
                assert!((x - y).abs() <= 1e-12 * largest, "{mass:e} kg, {length:e} m, {speed:e} m/s: {x} against {y}");
            }
        }
        let exact = after_sweeps::<S>(&rescaled(scene, 1024.0, 1.0, 64.0), 20);
        assert!(exact.iter().zip(&reference).all(|(x, y)| x / 65536.0 == *y), "powers of four are exact");
    }
    check::<OneContact>(&scene);
    check::<RowStep>(&scene);
}

/// Same input, same bits, whatever the solver did before.
#[test]
fn repeated_solves_are_bit_identical() {
    let (heap, other) = (sphere_heap(4, 0.4).problem(), sphere_heap(3, 0.1).problem());
    let methods = [
        Method::Pgs,
        Method::Nsgs,
        Method::AcceleratedNsgs,
        Method::BlockPgs,
        Method::Exact,
        Method::InteriorPoint,
        Method::Newton,
    ];
    for method in methods {
        let mut solver = method.solver();
        let first = solve(&heap, solver.as_mut(), None, &StoppingRule::default()).unwrap();
        solve(&other, solver.as_mut(), None, &StoppingRule::default()).unwrap();
        let second = solve(&heap, solver.as_mut(), None, &StoppingRule::default()).unwrap();
        assert_eq!(first, second, "{method}");
    }
}

#[test]
fn warm_start_takes_at_most_one_sweep_and_a_bad_guess_is_dropped() {
    let problem = sphere_heap(5, 0.3).problem();
    for method in [Method::Pgs, Method::Nsgs, Method::AcceleratedNsgs, Method::BlockPgs] {
        let mut solver = method.solver();
        let cold = solve(&problem, solver.as_mut(), None, &StoppingRule::default()).unwrap();
        // The solver itself: a session would see that the guess is certified and not call it.
        let mut warm = cold.impulses.clone();
        let effort = solver.iterate(&problem, &mut warm, &StoppingRule::default(), &mut History::off()).unwrap();
        assert!(effort.iterations <= 1, "{method}: {} sweeps", effort.iterations);
        assert!(certify(&problem, &warm).unwrap().meets(&StoppingRule::default().tolerance), "{method}");
        let silly = vec![1e9; problem.rows()];
        let from_silly = solve(&problem, solver.as_mut(), Some(&silly), &StoppingRule::default()).unwrap();
        assert_eq!(from_silly.status, Status::Solved, "{method}");
        assert!(from_silly.effort.iterations <= cold.effort.iterations + 1, "{method}");
    }
}

/// A tall stack moves by little in each sweep long before it is solved; stopping on that would be wrong.
#[test]
fn slow_iterations_do_not_stop_early() {
    let problem = cube_stack(&[1.0; 8], 0.157).problem();
    for value in [1e-3, 1e-5, 1e-7, 1e-9] {
        // The error of eight cubes falls by one part in 2200 a sweep: 1e-9 takes about 27 000.
        let stop = StoppingRule { max_iterations: Some(40_000), ..StoppingRule::velocity(value) };
        let (mut pgs, mut nsgs, mut accelerated) = (Pgs::default(), Nsgs::default(), AcceleratedNsgs::default());
        for solver in [&mut pgs as &mut dyn ContactSolver, &mut nsgs, &mut accelerated] {
            let solution = solve(&problem, solver, None, &stop).unwrap();
            assert_eq!(solution.status, Status::Solved, "{} at {value}: {:?}", solver.name(), solution.certificate);
            let floor: f64 = solution.impulses[..12].iter().step_by(3).sum();
            // Each of the 32 contacts may miss by the tolerance.
            assert!((floor - 8.0 * 0.157).abs() < 32.0 * 8.0 * value, "floor carries {floor}");
        }
    }
}

/// Two bodies on one another, one contact under the centre of each: Gauss–Seidel on `[1/m₁, −1/m₁; −1/m₁, 1/m₁ + 1/m₂]`
/// leaves `W₁₂²/(W₁₁W₂₂) = m₂/(m₁ + m₂)` of the error in every sweep, no more and no less.
#[test]
fn a_sweep_leaves_the_share_of_the_error_known_from_paper() {
    for (light, heavy) in [(1.0, 1.0), (1.0, 3.0), (1.0, 99.0), (5.0, 2.0)] {
        let mut scene = Scene { gravity_step: 0.157, ..Scene::default() };
        scene.bodies.push(Body::cube(light, 1.0, [0.0, 0.0, 0.5]));
        scene.bodies.push(Body::cube(heavy, 1.0, [0.0, 0.0, 1.5]));
        scene.floor(0, [0.0; 3], 0.5, 0.0);
        let (point, normal) = ([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]);
        scene.contacts.push(Contact { a: Some(0), b: Some(1), point, normal, mu: 0.5, restitution: 0.0 });
        let problem = scene.problem();
        let share = heavy / (light + heavy);
        for errors in
            [normal_errors::<OneContact>(&problem, light + heavy), normal_errors::<RowStep>(&problem, light + heavy)]
        {
            for pair in errors.windows(2) {
                assert!(
                    (pair[1] / pair[0] - share).abs() < 1e-9,
                    "{light} under {heavy}: {} of the error",
                    pair[1] / pair[0]
                );
            }
        }
    }
}

/// How much of the weight the first contact still lacks, after each of twelve sweeps but the first.
fn normal_errors<S: ContactStep>(problem: &ContactProblem, mass: f64) -> Vec<f64> {
    (2..12).map(|sweeps| after_sweeps::<S>(problem, sweeps)[0] / (mass * 0.157) - 1.0).collect()
}

/// Without friction a sweep minimises ½ rᵀWr + qᵀr over one contact after another, so no visit can raise it. The
/// residual, a largest of many, may rise meanwhile.
#[test]
fn sweeps_without_friction_never_raise_the_energy() {
    let problem = sphere_heap(6, 0.0).problem();
    let mut last: f64 = 0.0;
    for sweeps in 1..60 {
        let r = after_sweeps::<OneContact>(&problem, sweeps);
        let u = problem.velocity(&r);
        let energy: f64 = r.iter().zip(u.iter().zip(problem.q())).map(|(r, (u, q))| 0.5 * r * (u + q)).sum();
        assert!(energy <= last + 1e-15 * last.abs(), "{energy} J after {last} J");
        last = energy;
    }
}

/// Where the last sweep changed no velocity by more than the tolerance, the residual is still up to 1.6 times that on
/// this wall: stopping on the change alone would end unsolved at some of these tolerances.
#[test]
fn a_small_change_of_velocity_is_no_small_residual() {
    let wall = find("wall3x3").unwrap().generate().unwrap().problem;
    for step in 0..40 {
        let tolerance = 1e-3 * 0.95f64.powi(step);
        for method in [Method::Pgs, Method::Nsgs] {
            let solution = solve(&wall, &mut *method.solver(), None, &StoppingRule::velocity(tolerance)).unwrap();
            assert_eq!(solution.status, Status::Solved, "{method} at {tolerance}: {:?}", solution.certificate);
        }
    }
}

/// The relative measure weighs sums over all blocks and mixed units: the solver has to satisfy that one too.
#[test]
fn relative_tolerance_is_met() {
    let problem = sphere_heap(8, 0.3).problem();
    let stop = StoppingRule { tolerance: Tolerance::relative(1e-10), max_iterations: None };
    for method in [Method::Pgs, Method::Nsgs, Method::AcceleratedNsgs, Method::BlockPgs] {
        let solution = solve(&problem, method.solver().as_mut(), None, &stop).unwrap();
        assert_eq!(solution.status, Status::Solved, "{method}: {:?}", solution.certificate);
    }
}

/// Asking for more than round-off allows ends at round-off, not at the limit of sweeps.
#[test]
fn tolerance_below_round_off_ends_at_round_off() {
    let problem = sphere_heap(4, 0.3).problem();
    for method in [Method::Pgs, Method::Nsgs, Method::AcceleratedNsgs, Method::BlockPgs] {
        let stop = StoppingRule::velocity(1e-18);
        let solution = solve(&problem, method.solver().as_mut(), None, &stop).unwrap();
        assert!(solution.certificate.natural < 2e-15, "{method}: {:?}", solution.certificate);
        assert!(solution.effort.iterations < 5_000, "{method}: {} sweeps", solution.effort.iterations);
    }
}

#[test]
fn history_records_every_sweep() {
    let problem = sphere_heap(4, 0.3).problem();
    let mut r = vec![0.0; problem.rows()];
    let mut history = History::on();
    let effort = Nsgs::default().iterate(&problem, &mut r, &StoppingRule::default(), &mut history).unwrap();
    assert_eq!(history.points().len(), effort.iterations);
    assert!(history.points().last().unwrap().residual < 1e-9);
}

/// A million kilograms on one: each sweep adds a millionth of the impulse that is missing. Measured as a velocity that is
/// no small change; a rule on the relative change of impulses would stop at once.
#[test]
fn creeping_impulses_use_the_whole_budget() {
    let problem = cube_stack(&[1.0, 1e6], 0.157).problem();
    let stop = StoppingRule { max_iterations: Some(300), ..StoppingRule::velocity(1e-4) };
    for method in [Method::Pgs, Method::Nsgs, Method::AcceleratedNsgs] {
        let solution = solve(&problem, method.solver().as_mut(), None, &stop).unwrap();
        assert!(
            solution.status == Status::Solved || solution.effort.iterations == 300,
            "{method} gave up after {} sweeps at {} m/s",
            solution.effort.iterations,
            solution.certificate.natural
        );
    }
}

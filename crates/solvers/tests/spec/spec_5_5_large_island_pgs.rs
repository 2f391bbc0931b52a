//! Spec §5.5, large-island PGS: the velocity-residual form.

use crate::sweeps_fixtures::{Body, Scene, dense, length};
use signorini_problem::{ContactProblem, Delassus, FactoredDelassus, Symmetry, certify};
use signorini_solvers::sweep::{Direction, RowStep, Sweeper};
use signorini_solvers::{
    AcceleratedNsgs, ContactSolver, History, Method, Nsgs, Pgs, Solution, SolveError, Status, StoppingRule, solve,
};

const GH: f64 = 9.81 * 0.016;

fn solved(problem: &ContactProblem, guess: Option<&[f64]>) -> Solution {
    let solution = solve(problem, &mut Pgs::default(), guess, &StoppingRule::velocity(1e-12)).unwrap();
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.certificate);
    solution
}

/// 10 kg touching the floor under its centre.
fn puck(v: [f64; 3], mu: f64) -> Scene {
    let mut scene = Scene::default();
    let body = Body { mass: 10.0, inertia: [1e12; 3], position: [0.0; 3], velocity: [0.0; 6] };
    scene.bodies.push(body.moving(v));
    scene.floor(0, [0.0; 3], mu, 0.0);
    scene
}

#[test]
fn one_contact_frictionless_and_sliding() {
    let r = solved(&puck([0.0, 0.0, -2.0], 0.0).problem(), None).impulses;
    assert!((r[0] - 20.0).abs() < 1e-9 && r[1..] == [0.0, 0.0], "{r:?}");
    let r = solved(&puck([3.0, 0.0, -0.5], 0.5).problem(), None).impulses;
    assert!((r[0] - 5.0).abs() < 1e-9 && (r[1].hypot(r[2]) - 2.5).abs() < 1e-9, "{r:?}");
}

fn sliding_cube(v: [f64; 3], mu: f64) -> Scene {
    let mut scene = Scene { gravity_step: GH, ..Scene::default() };
    scene.bodies.push(Body::cube(1.0, 1.0, [0.0, 0.0, 0.5]).moving(v));
    scene.four_corners(0, 1.0, mu, 0.0);
    scene
}

/// Keeping only the part of a tangential update that the projection removed makes this diverge beyond 1e30.
#[test]
fn four_corner_sliding_cube_equals_exact() {
    for v in [[2.0, 0.0, 0.0], [2.1, 2.1, 0.0], [0.3, -4.0, 0.0]] {
        let scene = sliding_cube(v, 0.5);
        let problem = scene.problem();
        let solution = solved(&problem, None);
        let after = scene.velocity_after(&problem, &solution.impulses, 0);
        let speed = v[0].hypot(v[1]);
        let left = 1.0 - 0.5 * GH / speed;
        assert!((after[0] - v[0] * left).abs() < 1e-9 && (after[1] - v[1] * left).abs() < 1e-9, "{after:?}");
        assert!(after[2].abs() < 1e-9 && length([after[3], after[4], after[5]]) < 1e-9, "{after:?}");
        let exact = solve(&problem, &mut Nsgs::default(), None, &StoppingRule::velocity(1e-12)).unwrap();
        let exact = scene.velocity_after(&problem, &exact.impulses, 0);
        for i in 0..6 {
            assert!((after[i] - exact[i]).abs() < 1e-6);
        }
    }
}

/// Tips over its front edge: μ = 1.5 exceeds half width over height of the centre.
#[test]
fn cube_tips_when_friction_exceeds_one() {
    let scene = sliding_cube([2.0, 0.0, 0.0], 1.5);
    let problem = scene.problem();
    let after = scene.velocity_after(&problem, &solved(&problem, None).impulses, 0);
    assert!((after[0] - 1.058).abs() < 1e-3 && (after[2] - 0.471).abs() < 1e-3, "{after:?}");
    assert!((after[4] - 0.942).abs() < 1e-3, "{after:?}");
    let scene = sliding_cube([2.0, 0.0, 0.0], 0.9);
    let problem = scene.problem();
    let after = scene.velocity_after(&problem, &solved(&problem, None).impulses, 0);
    assert!(after[2].abs() < 1e-9 && length([after[3], after[4], after[5]]) < 1e-9, "flat: {after:?}");
}

/// The solver itself: a session would see that the guess is certified and not call it.
#[test]
fn warm_start_is_one_sweep() {
    let problem = sliding_cube([2.0, 1.0, 0.0], 0.5).problem();
    let stop = StoppingRule::velocity(1e-12);
    let cold = solved(&problem, None);
    assert!(cold.effort.iterations > 1);
    let mut impulses = cold.impulses.clone();
    let effort = Pgs::default().iterate(&problem, &mut impulses, &stop, &mut History::off()).unwrap();
    assert!(effort.iterations <= 1, "{} sweeps", effort.iterations);
    assert!(certify(&problem, &impulses).unwrap().meets(&stop.tolerance));
    // And a sweep from the answer leaves it the answer.
    let mut sweeper = Sweeper::<RowStep>::default();
    sweeper.prepare(&problem);
    sweeper.begin(&problem, &impulses);
    sweeper.sweep(&problem, &mut impulses, Direction::Forward);
    assert!(certify(&problem, &impulses).unwrap().meets(&stop.tolerance));
}

/// What a guess is worth: from an answer to 1e-6 m/s it takes the sweeps that are left to 1e-12, no more.
#[test]
fn a_warm_start_saves_the_sweeps_that_its_guess_took() {
    let problem = sliding_cube([2.0, 1.0, 0.0], 0.5).problem();
    let sweeps = |tolerance, guess: &[f64]| {
        let mut impulses = guess.to_vec();
        let stop = StoppingRule::velocity(tolerance);
        let effort = Pgs::default().iterate(&problem, &mut impulses, &stop, &mut History::off()).unwrap();
        assert!(certify(&problem, &impulses).unwrap().meets(&stop.tolerance));
        (effort.iterations, impulses)
    };
    let nothing = vec![0.0; problem.rows()];
    let ((coarse, guess), (fine, _)) = (sweeps(1e-6, &nothing), sweeps(1e-12, &nothing));
    let (warm, _) = sweeps(1e-12, &guess);
    assert!(coarse > 2 && warm >= 1 && coarse + warm <= fine + 1, "{coarse} and {warm} against {fine}");
}

/// Two stacked cubes: 24 rows. A loose tolerance stops early, and is met all the same.
#[test]
fn tolerance_of_ten_to_minus_four_stops_early() {
    let mut scene = sliding_cube([0.0; 3], 0.5);
    scene.bodies.push(Body::cube(1.0, 1.0, [0.0, 0.0, 1.5]));
    scene.stacked(0, 1, 1.0, 0.5);
    let problem = scene.problem();
    let rule = |value| StoppingRule { max_iterations: Some(1000), ..StoppingRule::velocity(value) };
    let loose = solve(&problem, &mut Pgs::default(), None, &rule(1e-4)).unwrap();
    let tight = solve(&problem, &mut Pgs::default(), None, &rule(1e-9)).unwrap();
    assert_eq!((loose.status, tight.status), (Status::Solved, Status::Solved));
    assert!(loose.effort.iterations < tight.effort.iterations && tight.effort.iterations < 1000);
    assert!(loose.certificate.natural <= 1e-4);
}

#[test]
fn contact_between_fixed_bodies_carries_nothing() {
    let scene = puck([0.0, 0.0, -1.0], 0.5);
    let Delassus::Factored(w) = scene.problem().delassus().clone() else { panic!() };
    let fixed = FactoredDelassus::new(Vec::new(), vec![[None, None]], w.jacobian().to_vec());
    let blocks = scene.problem().blocks().to_vec();
    let problem =
        ContactProblem::new(blocks, Delassus::Factored(fixed), vec![-1.0, 0.5, 0.0], Symmetry::Exact).unwrap();
    for method in signorini_solvers::Method::ALL {
        match solve(&problem, method.solver().as_mut(), None, &StoppingRule::default()) {
            Ok(solution) => assert_eq!(solution.impulses, [0.0; 3], "{method}"),
            Err(SolveError::UnsupportedLaw { .. }) => {}
            Err(error) => panic!("{method}: {error}"),
        }
    }
}

/// Seven contacts (21 rows) or six and two rows more: nothing happens at a threshold, because there is none. The form
/// of W does not change the answer either.
#[test]
fn no_discontinuity_at_twenty_rows() {
    for contacts in 4..=8 {
        let mut scene = sliding_cube([1.0, 0.4, 0.0], 0.4);
        for i in 4..contacts {
            let x = -0.4 + 0.2 * (i - 4) as f64;
            scene.floor(0, [x, 0.1, 0.0], 0.4, 0.0);
        }
        let problem = scene.problem();
        let bodies = solved(&problem, None).impulses;
        let matrix = solved(&dense(&problem), None).impulses;
        let (a, b) = (scene.velocity_after(&problem, &bodies, 0), scene.velocity_after(&problem, &matrix, 0));
        let left = 1.0 - 0.4 * GH / 1f64.hypot(0.4);
        assert!((a[0] - left).abs() < 1e-9 && a[2].abs() < 1e-9, "{contacts} contacts: {a:?}");
        for i in 0..6 {
            assert!((a[i] - b[i]).abs() < 1e-9, "{contacts} contacts: {a:?} {b:?}");
        }
    }
}

/// Criterion 6: every path to the answer gives the same motion, on either side of every size at which one takes over from
/// another (16 blocks, 48 rows, and what counts as redundant).
#[test]
fn all_paths_agree_on_either_side_of_every_threshold() {
    let left = 1.0 - 0.4 * GH / 1f64.hypot(0.4);
    for contacts in 4..=40 {
        let mut scene = sliding_cube([1.0, 0.4, 0.0], 0.4);
        for i in 4..contacts {
            scene.floor(0, [-0.45 + 0.1 * (i % 10) as f64, -0.3 + 0.15 * (i / 10) as f64, 0.0], 0.4, 0.0);
        }
        let problem = scene.problem();
        for method in ["exact", "interior-point", "pgs", "nsgs", "accelerated-nsgs", "block-pgs"]
            .map(|name| name.parse::<Method>().unwrap())
        {
            let solution = solve(&problem, &mut *method.solver(), None, &StoppingRule::default()).unwrap();
            assert_eq!(solution.status, Status::Solved, "{method}, {contacts} contacts");
            let v = scene.velocity_after(&problem, &solution.impulses, 0);
            let expected = [left, 0.4 * left, 0.0, 0.0, 0.0, 0.0];
            for i in 0..6 {
                assert!((v[i] - expected[i]).abs() < 1e-8, "{method}, {contacts} contacts: {v:?}");
            }
        }
    }
}

/// Criterion 5 on the problems of this page and larger ones of their kind, by the accelerated sweeps: 1e-5 m/s within a hundred.
#[test]
fn a_hundred_accelerated_sweeps_reach_ten_to_minus_five() {
    let mut problems = vec![
        ("puck", puck([3.0, 0.0, -0.5], 0.5).problem()),
        ("slides", sliding_cube([1.0, 0.4, 0.0], 0.4).problem()),
        ("tips", sliding_cube([2.0, 0.0, 0.0], 1.5).problem()),
        ("heap of 50 spheres", crate::sweeps_fixtures::sphere_heap(5, 0.3).problem()),
        ("heap of 145 spheres", crate::sweeps_fixtures::sphere_heap(9, 0.3).problem()),
    ];
    for (name, height) in [("two cubes", 2), ("three cubes", 3), ("ten cubes", 10), ("fourteen cubes, 168 rows", 14)] {
        problems.push((name, crate::sweeps_fixtures::cube_stack(&vec![1.0; height], GH).problem()));
    }
    for (name, problem) in problems {
        let stop = StoppingRule { max_iterations: Some(100), ..StoppingRule::velocity(1e-5) };
        let solution = solve(&problem, &mut AcceleratedNsgs::default(), None, &stop).unwrap();
        assert_eq!(solution.status, Status::Solved, "{name}: {} m/s", solution.certificate.natural);
    }
}

/// Criterion 7 from outside: after every sweep the kept body velocities are M⁻¹Jᵀr.
#[test]
fn body_velocities_belong_to_the_impulses_after_every_sweep() {
    let scene = crate::sweeps_fixtures::sphere_heap(4, 0.4);
    let problem = scene.problem();
    let Delassus::Factored(w) = problem.delassus() else { panic!() };
    let mut sweeper = Sweeper::<RowStep>::default();
    sweeper.prepare(&problem);
    let mut r = vec![0.0; problem.rows()];
    sweeper.begin(&problem, &r);
    let (mut kept, mut fresh) = (Vec::new(), vec![0.0; 6 * scene.bodies.len()]);
    for sweep in 0..200 {
        let direction = if sweep % 2 == 0 { Direction::Forward } else { Direction::Backward };
        sweeper.sweep(&problem, &mut r, direction);
        sweeper.body_velocities(&mut kept);
        w.body_velocity(problem.offsets(), &r, &mut fresh);
        let largest = fresh.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (kept, fresh) in kept.iter().zip(&fresh) {
            assert!((kept - fresh).abs() <= 1e-12 * largest, "sweep {sweep}: {kept} against {fresh}");
        }
    }
}

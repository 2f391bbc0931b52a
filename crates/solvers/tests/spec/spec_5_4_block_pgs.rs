//! Spec §5.4, block PGS.

use crate::sweeps_fixtures::{Body, Contact, Scene, length, single};
use signorini_problem::{Block, ContactProblem, certify};
use signorini_solvers::{
    BlockPgs, BlockPgsOptions, BlockStep, ContactSolver, History, Solution, Status, StoppingRule, solve,
};

const GH: f64 = 9.81 * 0.016;

fn steps() -> [BlockPgs; 2] {
    [BlockStep::Exact, BlockStep::Rows]
        .map(|step| BlockPgs::new(BlockPgsOptions { step, ..BlockPgsOptions::default() }))
}

fn solved(problem: &ContactProblem, solver: &mut BlockPgs) -> Solution {
    let solution = solve(problem, solver, None, &StoppingRule::velocity(1e-12)).unwrap();
    assert_eq!(solution.status, Status::Solved, "{:?}: {:?}", solver.options.step, solution.certificate);
    solution
}

fn phase_a(problem: &ContactProblem) -> Vec<f64> {
    let mut r = vec![0.0; problem.rows()];
    BlockPgs::default().phase_a(problem, &mut r, &StoppingRule::velocity(1e-13), &mut History::off());
    r
}

/// A cube of 1 kg and 1 m on its four corners, at `v`, under one step of gravity.
fn cube(v: [f64; 3], mu: f64, restitution: f64, gravity_step: f64) -> Scene {
    let mut scene = Scene { gravity_step, ..Scene::default() };
    scene.bodies.push(Body::cube(1.0, 1.0, [0.0, 0.0, 0.5]).moving(v));
    scene.four_corners(0, 1.0, mu, restitution);
    scene
}

fn normal_sum(r: &[f64]) -> f64 {
    r.iter().step_by(3).sum()
}

/// A body of 10 kg that touches the floor under its centre of mass and cannot turn.
fn central(v: [f64; 3], mu: f64, restitution: f64) -> ContactProblem {
    let q = [v[2] + restitution * v[2].min(0.0), v[0], v[1]];
    single(&[[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]], q, mu)
}

#[test]
fn phase_a_perfectly_elastic() {
    for (e, v) in [(1.0, 2.0), (0.0, 2.0), (1.0, 0.3)] {
        // Corner contact: K_nn = 1 + 6/4 + 6/4 = 4.
        let mut scene = Scene::default();
        scene.bodies.push(Body::cube(1.0, 1.0, [0.0, 0.0, 0.5]).moving([0.0, 0.0, -v]));
        scene.floor(0, [0.5, 0.5, 0.0], 0.5, e);
        let r = phase_a(&scene.problem());
        assert!((r[0] - (1.0 + e) * v / 4.0).abs() < 1e-12 && r[1] == 0.0 && r[2] == 0.0, "{r:?}");
    }
}

#[test]
fn phase_a_inelastic() {
    let r = phase_a(&central([1.0, 0.0, -2.0], 0.5, 0.5));
    assert!((r[0] - 1.5 * 10.0 * 2.0).abs() < 1e-12 && r[1..] == [0.0, 0.0], "{r:?}");
}

#[test]
fn phase_b_axis_aligned_no_z() {
    for mut solver in steps() {
        let scene = cube([2.0, 0.0, 0.0], 0.5, 0.0, GH);
        let problem = scene.problem();
        let r = solved(&problem, &mut solver).impulses;
        let v = scene.velocity_after(&problem, &r, 0);
        assert!(v[2].abs() < 1e-9 && length([v[3], v[4], v[5]]) < 1e-9, "{v:?}");
        assert!((normal_sum(&r) - GH).abs() < 1e-9, "{}", normal_sum(&r));
    }
}

#[test]
fn phase_b_oblique_no_cross_term() {
    for mut solver in steps() {
        for degrees in [15.0, 45.0, 80.0f64] {
            for speed in [0.85, 3.0, 6.0] {
                let (s, c) = degrees.to_radians().sin_cos();
                let scene = cube([speed * c, speed * s, 0.0], 0.5, 0.0, GH);
                let problem = scene.problem();
                let r = solved(&problem, &mut solver).impulses;
                let v = scene.velocity_after(&problem, &r, 0);
                let left = speed - 0.5 * GH;
                assert!((v[0] - left * c).abs() < 1e-9 && (v[1] - left * s).abs() < 1e-9, "{v:?}");
                assert!(v[2].abs() < 1e-9 && length([v[3], v[4], v[5]]) < 1e-9, "{v:?}");
                assert!((normal_sum(&r) - GH).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn friction_cone() {
    for mut solver in steps() {
        let problem = cube([3.0, 1.0, -0.5], 0.3, 0.0, GH).problem();
        let r = solved(&problem, &mut solver).impulses;
        let u = problem.velocity(&r);
        for c in 0..4 {
            let (r, u) = (&r[3 * c..3 * c + 3], &u[3 * c..3 * c + 3]);
            let (friction, slip) = (r[1].hypot(r[2]), u[1].hypot(u[2]));
            assert!(friction <= 0.3 * r[0] * (1.0 + 1e-9));
            assert!(slip > 1.0 && (r[1] * u[1] + r[2] * u[2] + friction * slip).abs() < 1e-9);
        }
    }
}

/// The bounce of phase A survives phase B, and friction acts on the whole impulse of the bounce.
#[test]
fn bounce_then_slide_velocity_transition() {
    for mut solver in steps() {
        let (mu, e) = (0.1, 0.5);
        let scene = cube([1.5, 0.0, -4.858], mu, e, 0.0);
        let problem = scene.problem();
        let r = solved(&problem, &mut solver).impulses;
        let v = scene.velocity_after(&problem, &r, 0);
        assert!((v[2] - e * 4.858).abs() < 1e-9, "bounce {v:?}");
        assert!((v[0] - (1.5 - mu * (1.0 + e) * 4.858)).abs() < 1e-9, "slide {v:?}");
        // With friction enough to stop it, it stops.
        let scene = cube([1.5, 0.0, -4.858], 0.5, e, 0.0);
        let problem = scene.problem();
        let r = solved(&problem, &mut solver).impulses;
        let v = scene.velocity_after(&problem, &r, 0);
        assert!(v[0].abs() < 1e-9 && (v[2] - 2.429).abs() < 1e-9 && length([v[3], v[4], v[5]]) < 1e-9, "{v:?}");
    }
}

#[test]
fn p2_vertical_bounce_first_sweep_has_no_friction() {
    let problem = cube([0.0, 0.0, -2.0], 0.5, 0.5, 0.0).problem();
    let mut solver = BlockPgs::default();
    let mut r = phase_a(&problem);
    let once = StoppingRule { max_iterations: Some(1), ..StoppingRule::default() };
    solver.phase_b(&problem, &mut r, &once, &mut History::off());
    for c in 0..4 {
        assert!(r[3 * c] > 0.0);
        assert!(r[3 * c + 1].abs() < 1e-12 && r[3 * c + 2].abs() < 1e-12, "{r:?}");
    }
}

/// Phase A is a guess: starting phase B from it or from nothing gives the same motion.
#[test]
fn phases_count_nothing_twice() {
    for v in [[2.0, 0.0, -1.0], [0.0, 0.0, -2.0], [0.5, 0.3, -3.0]] {
        let scene = cube(v, 0.4, 0.7, GH);
        let problem = scene.problem();
        let stop = StoppingRule::velocity(1e-13);
        let mut solver = BlockPgs::default();
        let mut with_a = phase_a(&problem);
        solver.phase_b(&problem, &mut with_a, &stop, &mut History::off());
        let mut without = vec![0.0; problem.rows()];
        solver.phase_b(&problem, &mut without, &stop, &mut History::off());
        let (a, b) = (scene.velocity_after(&problem, &with_a, 0), scene.velocity_after(&problem, &without, 0));
        for i in 0..6 {
            assert!((a[i] - b[i]).abs() < 1e-10, "{a:?} {b:?}");
        }
        assert!((a[2] - 0.7 * -v[2]).abs() < 1e-9, "{a:?}");
    }
}

/// A guess with an impulse in it takes the place of phase A.
#[test]
fn guess_replaces_phase_a_and_warm_start_needs_at_most_three_sweeps() {
    let problem = cube([2.0, 0.5, 0.0], 0.5, 0.0, GH).problem();
    let mut solver = BlockPgs::default();
    let cold = solve(&problem, &mut solver, None, &StoppingRule::default()).unwrap();
    // The solver itself: a session would see that the guess is certified and not call it.
    let (mut warm, stop) = (cold.impulses.clone(), StoppingRule::default());
    let effort = solver.iterate(&problem, &mut warm, &stop, &mut History::off()).unwrap();
    assert!(effort.iterations <= 3, "{} sweeps", effort.iterations);
    assert!(certify(&problem, &warm).unwrap().meets(&stop.tolerance));
}

#[test]
fn contact_at_centre_of_mass() {
    for mut solver in steps() {
        let r = solved(&central([0.0, 0.0, -1.0], 0.5, 0.0), &mut solver).impulses;
        assert!((r[0] - 10.0).abs() < 1e-8 && r[1].abs() < 1e-8 && r[2].abs() < 1e-8, "{r:?}");
        let r = solved(&central([0.0, 0.0, 1.0], 0.5, 0.0), &mut solver).impulses;
        assert_eq!(r, [0.0; 3], "separating");
    }
}

#[test]
fn sliding_impacts_of_ten_kilograms() {
    for mut solver in steps() {
        for (v, normal, friction) in
            [([3.0, 0.0, -1.0], 10.0, 5.0), ([10.0, 0.0, -2.0], 20.0, 10.0), ([5.0, 0.0, -2.0], 20.0, 10.0)]
        {
            let r = solved(&central(v, 0.5, 0.0), &mut solver).impulses;
            assert!((r[0] - normal).abs() < 1e-8 && (r[1].hypot(r[2]) - friction).abs() < 1e-8, "{r:?}");
        }
    }
}

#[test]
fn restitution_tiny_speed_and_tiny_friction() {
    for mut solver in steps() {
        assert!((solved(&central([0.0, 0.0, -2.0], 0.5, 0.8), &mut solver).impulses[0] - 36.0).abs() < 1e-8);
        assert!(solved(&central([0.0, 0.0, -1e-3], 0.5, 0.8), &mut solver).impulses[0] < 0.1);
        let r = solved(&central([3.0, 0.0, -1.0], 1e-9, 0.0), &mut solver).impulses;
        assert!((r[0] - 10.0).abs() < 1e-8 && r[1].hypot(r[2]) <= 1e-8 * (1.0 + 1e-9), "{r:?}");
        // At rest, 10 kg for 16 ms.
        let r = solved(&central([0.0, 0.0, -GH], 0.5, 0.0), &mut solver).impulses;
        assert!((r[0] - 1.5696).abs() < 1e-12);
    }
}

#[test]
fn two_contacts_mass_ratio_and_no_contact() {
    for mut solver in steps() {
        let mut scene = Scene::default();
        scene.bodies.push(Body::cube(1.0, 1.0, [0.0, 0.0, 0.5]).moving([0.0, 0.0, -1.0]));
        for x in [-0.5, 0.5] {
            scene.floor(0, [x, 0.0, 0.0], 0.5, 0.0);
        }
        let r = solved(&scene.problem(), &mut solver).impulses;
        assert!((r[0] - 0.5).abs() < 1e-9 && (r[3] - 0.5).abs() < 1e-9, "{r:?}");

        // Three bodies on the floor, two contacts each with the next, ratio 1000: finite and feasible.
        let mut scene = Scene { gravity_step: GH, ..Scene::default() };
        for (i, mass) in [1.0, 1000.0].into_iter().enumerate() {
            scene.bodies.push(Body::cube(mass, 1.0, [0.0, 0.0, 0.5 + i as f64]));
        }
        scene.four_corners(0, 1.0, 0.5, 0.0);
        scene.stacked(0, 1, 1.0, 0.5);
        let solution = solve(&scene.problem(), &mut solver, None, &StoppingRule::default()).unwrap();
        assert!(solution.impulses.iter().all(|x| x.is_finite()) && solution.certificate.outside_cone == 0.0);

        let empty = Scene::default().problem();
        assert_eq!(solve(&empty, &mut solver, None, &StoppingRule::default()).unwrap().impulses, Vec::<f64>::new());
    }
}

/// Three bodies in a row, frictionless pairs: two contacts of three rows, six impulses.
#[test]
fn three_bodies_have_six_impulses() {
    let mut scene = Scene { gravity_step: 0.0, ..Scene::default() };
    for i in 0..3 {
        scene.bodies.push(Body::sphere(1.0, 0.5, [i as f64, 0.0, 0.0]).moving([1.0 - i as f64, 0.0, 0.0]));
    }
    for i in 0..2 {
        let point = [i as f64 + 0.5, 0.0, 0.0];
        let (a, b) = (Some(i), Some(i + 1));
        scene.contacts.push(Contact { a, b, point, normal: [1.0, 0.0, 0.0], mu: 0.0, restitution: 0.0 });
    }
    let problem = scene.problem();
    for mut solver in steps() {
        let r = solved(&problem, &mut solver).impulses;
        assert_eq!(r.len(), 6);
        // All three end at the mean velocity, 0.
        assert!((r[0] - 1.0).abs() < 1e-9 && (r[3] - 1.0).abs() < 1e-9, "{r:?}");
    }
}

#[test]
fn drop_0087_impulse_by_restitution() {
    for mut solver in steps() {
        for (e, expected) in [(0.0, 2.0), (0.7, 3.4), (1.0, 4.0)] {
            let r = solved(&cube([0.0, 0.0, -2.0], 0.0, e, 0.0).problem(), &mut solver).impulses;
            assert!((normal_sum(&r) - expected).abs() < 1e-9, "e {e}: {}", normal_sum(&r));
        }
        // Face to face, mass ratio 1 and 5, e = 1: λ = 2v·m1 m2/(m1 + m2).
        for (mass, v, expected) in [(1.0, 2.0, 2.0), (5.0, 1.0, 5.0 / 3.0)] {
            let mut scene = Scene::default();
            scene.bodies.push(Body::cube(mass, 1.0, [0.0, 0.0, 0.5]).moving([0.0, 0.0, v]));
            scene.bodies.push(Body::cube(1.0, 1.0, [0.0, 0.0, 1.5]));
            scene.stacked(0, 1, 1.0, 0.0);
            for contact in &mut scene.contacts {
                contact.restitution = 1.0;
            }
            let r = solved(&scene.problem(), &mut solver).impulses;
            assert!((normal_sum(&r) - expected).abs() < 1e-9, "ratio {mass}: {}", normal_sum(&r));
        }
    }
}

/// A block Jacobi step inside the block would diverge here: K is nearly of rank one, λ_max(D⁻¹K) ≈ 3.
#[test]
fn slender_body_converges() {
    let k = [[1.01, 1.0, 1.0], [1.0, 1.01, 1.0], [1.0, 1.0, 1.01]];
    for mut solver in steps() {
        let problem = single(&k, [-1.0, -0.9, -1.05], 0.8);
        let mut r = vec![0.0; 3];
        solver.iterate(&problem, &mut r, &StoppingRule::velocity(1e-10), &mut History::off()).unwrap();
        assert!(certify(&problem, &r).unwrap().natural < 1e-9);
    }
}

#[test]
fn normal_blocks_are_solved_by_phase_a_alone() {
    let w = signorini_problem::Delassus::Dense(signorini_problem::DenseDelassus::new(2, vec![2.0, 1.0, 1.0, 2.0]));
    let blocks = vec![Block::normal(), Block::normal()];
    let problem = ContactProblem::new(blocks, w, vec![-1.0, -1.0], signorini_problem::Symmetry::Exact).unwrap();
    let r = phase_a(&problem);
    assert!(certify(&problem, &r).unwrap().natural < 1e-12);
}

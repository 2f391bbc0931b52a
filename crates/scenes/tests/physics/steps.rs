//! Perturbed problems and the collapsing column: what changes from step to step.

use signorini_problem::{ContactProblem, Law, certify};
use signorini_scenes::problems::{Perturbation, PileOptions, perturbed, stack, train};
use signorini_scenes::{Collapse, GRAVITY, GeneratedProblem, STEP};

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()))
}

#[test]
fn velocity_noise_and_kick_change_q_only() {
    let base = stack(5, &PileOptions::default()).unwrap();
    let noisy = perturbed(&base, Perturbation::Velocity { speed: 1e-3 }, 1).unwrap();
    let kicked = perturbed(&base, Perturbation::Kick { speed: 0.05 }, 1).unwrap();
    for problem in [&noisy, &kicked] {
        assert_eq!(problem.problem.blocks(), base.problem.blocks());
        let (w, v) = (problem.factored().unwrap(), base.factored().unwrap());
        assert_eq!(w.jacobian(), v.jacobian());
        assert_eq!(w.inverse_mass(), v.inverse_mass());
    }
    let change = largest_difference(noisy.problem.q(), base.problem.q());
    assert!(change > 1e-4 && change < 3e-2, "{change}");
    assert!((kicked.free_velocity[12] - base.free_velocity[12] - 0.05).abs() < 1e-15);
    // Only contacts of the kicked cube feel it: interfaces 2 and 3.
    for (row, (a, b)) in kicked.problem.q().iter().zip(base.problem.q()).enumerate() {
        assert!(a == b || (24..48).contains(&row), "row {row}");
    }
}

#[test]
fn geometry_noise_moves_contact_points_and_keeps_rigid_kinematics() {
    let base = stack(5, &PileOptions::default()).unwrap();
    let problem = perturbed(&base, Perturbation::Geometry { relative: 1e-3 }, 2).unwrap();
    let (j, k) = (problem.factored().unwrap().jacobian(), base.factored().unwrap().jacobian());
    let change = largest_difference(j.as_flattened(), k.as_flattened());
    assert!(change > 1e-4 && change < 1e-2, "{change}");
    for rows in j.chunks_exact(3) {
        for side in [0, 6] {
            for (a, b) in [(0, 1), (0, 2), (1, 2), (0, 0), (1, 1), (2, 2)] {
                // Angular columns are r×d for one arm r: (r×d_a)·d_b + (r×d_b)·d_a = 0.
                let dot =
                    |a: usize, b: usize| -> f64 { (0..3).map(|i| rows[a][side + 3 + i] * rows[b][side + i]).sum() };
                assert!((dot(a, b) + dot(b, a)).abs() < 1e-15);
            }
        }
    }
    // A warm start: the known impulse is nearly an answer, not one.
    let natural = certify(&problem.problem, base.known.impulse.as_ref().unwrap()).unwrap().natural;
    assert!(natural > 1e-6 && natural < 1e-2, "{natural}");
}

#[test]
fn perturbation_keeps_offsets_and_laws() {
    let base = train(3, 0.4, 0.8).unwrap();
    let problem = perturbed(&base, Perturbation::Velocity { speed: 0.0 }, 1).unwrap();
    assert_eq!(problem.problem.q(), base.problem.q());
    assert!(problem.problem.blocks().iter().any(|block| matches!(block.law, Law::Interval { .. })));
}

/// Block Gauss–Seidel by projected steps on (n, t1, t2): good enough for spheres of like mass.
fn gauss_seidel(problem: &ContactProblem, sweeps: usize) -> Vec<f64> {
    let signorini_problem::Delassus::Factored(w) = problem.delassus() else { panic!("factored problems only") };
    let (m, j) = (w.inverse_mass(), w.jacobian());
    let mut r = vec![0.0; problem.rows()];
    let mut v = vec![0.0; 6 * m.len()];
    for _ in 0..sweeps {
        for (c, block) in problem.blocks().iter().enumerate() {
            let Law::Coulomb { mu } = block.law else { panic!("contacts only") };
            let mut u = [0.0; 3];
            for (a, row) in problem.range(c).enumerate() {
                u[a] = problem.q()[row];
                for (side, body) in w.bodies()[c].iter().enumerate() {
                    let Some(body) = body else { continue };
                    u[a] += (0..6).map(|i| j[row][6 * side + i] * v[6 * *body as usize + i]).sum::<f64>();
                }
            }
            let old: [f64; 3] = std::array::from_fn(|a| r[problem.range(c).start + a]);
            // A sphere's contact: normal and tangential rows are decoupled, 1/m and 3.5/m.
            let mut diagonal = [0.0; 9];
            problem.diagonal_block(c, &mut diagonal);
            let normal = (old[0] - u[0] / diagonal[0]).max(0.0);
            let mut tangent = [old[1] - u[1] / diagonal[4], old[2] - u[2] / diagonal[8]];
            let size = f64::hypot(tangent[0], tangent[1]);
            if size > mu * normal {
                tangent = tangent.map(|t| t * mu * normal / size);
            }
            let new = [normal, tangent[0], tangent[1]];
            for (a, row) in problem.range(c).enumerate() {
                r[row] = new[a];
                for (side, body) in w.bodies()[c].iter().enumerate() {
                    let Some(body) = body else { continue };
                    let body = *body as usize;
                    for i in 0..6 {
                        let dv: f64 = (0..6).map(|k| m[body][i][k] * j[row][6 * side + k]).sum();
                        v[6 * body + i] += dv * (new[a] - old[a]);
                    }
                }
            }
        }
    }
    r
}

fn energy(collapse: &Collapse) -> f64 {
    let mut energy = 0.0;
    for body in collapse.bodies() {
        let [x, y, z, a, b, c] = body.velocity.map(|v| v * v);
        energy += 0.5 * body.mass * (x + y + z) + 0.5 * body.inertia[0] * (a + b + c);
        energy += body.mass * GRAVITY * body.position[2];
    }
    energy
}

fn collapse(steps: usize) -> (Collapse, Vec<GeneratedProblem>) {
    let mut collapse = Collapse::new(20, 1.0, 0.4, 1).unwrap();
    let mut problems = Vec::new();
    for _ in 0..steps {
        match collapse.next_problem().unwrap() {
            Some(problem) => {
                let r = gauss_seidel(&problem.problem, 300);
                problems.push(problem);
                collapse.advance(&r).unwrap();
            }
            None => collapse.advance(&[]).unwrap(),
        }
    }
    (collapse, problems)
}

#[test]
fn falling_spheres_touch_nothing_and_fall_freely() {
    let mut collapse = Collapse::new(8, 1.0, 0.4, 1).unwrap();
    let start: Vec<f64> = collapse.bodies().iter().map(|body| body.position[2]).collect();
    let mut free = 0;
    while collapse.next_problem().unwrap().is_none() {
        collapse.advance(&[]).unwrap();
        free += 1;
    }
    assert!(free >= 5, "{free}");
    // Semi-implicit Euler: z falls by g h² n(n+1)/2.
    let fallen = GRAVITY * STEP * STEP * (free * (free + 1) / 2) as f64;
    for (body, z) in collapse.bodies().iter().zip(start) {
        assert!((z - body.position[2] - fallen).abs() < 1e-13);
    }
}

#[test]
fn collapsing_column_stays_in_its_box_and_loses_energy() {
    let start = Collapse::new(20, 1.0, 0.4, 1).unwrap();
    let (end, problems) = collapse(150);
    assert_eq!(end.step(), 150);
    assert!(problems.len() > 80, "{} steps with contact", problems.len());
    assert!(problems.iter().any(|problem| problem.blocks() > 30));
    assert!(energy(&end) < 0.9 * energy(&start));
    let width = 3.0 * 1.1;
    for (body, radius) in end.bodies().iter().zip(end.radii()) {
        // Overlap comes from speculative contacts at the end of a step only, and from what Gauss–Seidel leaves over.
        assert!(body.position[2] > radius - 0.02, "{:?}", body.position);
        for k in 0..2 {
            assert!(
                body.position[k] > radius - 0.02 && body.position[k] < width - radius + 0.02,
                "{:?}",
                body.position
            );
        }
    }
}

#[test]
fn warm_start_carries_world_impulses_into_the_next_step() {
    let (mut collapse, _) = collapse(140);
    let problem = collapse.next_problem().unwrap().unwrap();
    let r = gauss_seidel(&problem.problem, 2000);
    // In the same frames the memory is exact, up to the round trip through world axes.
    collapse.advance(&r).unwrap();
    let again = collapse.warm_start(&problem).unwrap();
    let size = r.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert!(largest_difference(&r, &again) < 1e-14 * size);
    // At the next step, contacts that were not there start at zero and the rest help.
    let next = collapse.next_problem().unwrap().unwrap();
    let guess = collapse.warm_start(&next).unwrap();
    let residual = |r: &[f64]| certify(&next.problem, r).unwrap().natural_rel;
    assert!(residual(&guess) < 0.5 * residual(&vec![0.0; guess.len()]), "{}", residual(&guess));
}

#[test]
fn collapse_repeats_bit_for_bit() {
    let ((a, p), (b, q)) = (collapse(60), collapse(60));
    assert_eq!(a.bodies(), b.bodies());
    assert_eq!(p.len(), q.len());
    assert!(p.iter().zip(&q).all(|(p, q)| p.problem.q() == q.problem.q() && p.name == q.name));
}

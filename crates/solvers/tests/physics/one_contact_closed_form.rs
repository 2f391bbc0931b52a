//! One contact, answers from paper.

use crate::sweeps_fixtures::{length, single, sub};
use signorini_problem::{Block, ContactProblem, Delassus, DenseDelassus, Symmetry, certify};
use signorini_solvers::one_contact::{LocalOutcome, OneContact, solve_problem};

const ISOTROPIC: [[f64; 3]; 3] = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];

fn close(found: [f64; 3], expected: [f64; 3]) {
    assert!(length(sub(found, expected)) <= 1e-14 * length(expected), "{found:?}, expected {expected:?}");
}

#[test]
fn separating_contact_opens() {
    let (r, outcome) = OneContact::new(&ISOTROPIC).solve(0.5, &[1.0, -7.0, 3.0]);
    assert_eq!((r, outcome), ([0.0; 3], LocalOutcome::Open));
    let (r, outcome) = OneContact::new(&ISOTROPIC).solve(0.5, &[0.0, -7.0, 3.0]);
    assert_eq!((r, outcome), ([0.0; 3], LocalOutcome::Open));
}

#[test]
fn anisotropic_slip_opposes_the_slip_velocity() {
    // K_TT = diag(1, 4), no coupling: r_N = 1, and u_T = q_T + K_TT r_T must oppose r_T. Choose r_T = −μ(0.6, 0.8)
    // and u_T = 2(0.6, 0.8): q_T = u_T − K_TT r_T.
    let mu = 0.5;
    let k = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 4.0]];
    let q = [-1.0, 1.2 + mu * 0.6, 1.6 + 4.0 * mu * 0.8];
    let (r, outcome) = OneContact::new(&k).solve(mu, &q);
    assert_eq!(outcome, LocalOutcome::Slip);
    close(r, [1.0, -0.3, -0.4]);
    // The direction of K_TT⁻¹u_T is a different one: the wrong method would be told apart by this test.
    let wrong: [f64; 2] = [1.2, 1.6 / 4.0];
    assert!((wrong[0] * 0.8 - wrong[1] * 0.6).abs() > 0.5);
}

#[test]
fn normal_is_solved_again_when_stick_leaves_the_cone() {
    // Corner of a unit cube of 1 kg: diagonal 4, off-diagonals 1.5. Sliding at 3 m/s under one step of gravity.
    let k = [[4.0, 1.5, 1.5], [1.5, 4.0, -1.5], [1.5, -1.5, 4.0]];
    let (mu, q) = (0.5, [-0.157, 3.0, 0.0]);
    let problem = single(&k, q, mu);
    let mut r = [0.0; 3];
    assert_eq!(solve_problem(&problem, &mut r), Some(LocalOutcome::Slip));
    let certificate = certify(&problem, &r).unwrap();
    assert!(certificate.natural < 1e-15, "{}", certificate.natural);
    // The stick solution needs a far greater normal impulse, which would throw the corner up.
    let stick = (OneContact::new(&k).solve(1e9, &q).0)[0];
    assert!(stick > 2.0 * r[0], "stick {stick}, slip {}", r[0]);
}

#[test]
fn frictionless_and_unbounded_friction() {
    let k = [[4.0, 1.5, 1.5], [1.5, 4.0, -1.5], [1.5, -1.5, 4.0]];
    let q = [-1.0, 2.0, -3.0];
    let (r, outcome) = OneContact::new(&k).solve(0.0, &q);
    assert_eq!(outcome, LocalOutcome::Slip);
    close(r, [0.25, 0.0, 0.0]);
    // K⁻¹ by hand: K = 5.5·1 − 1.5·w wᵀ with w = (1, −1, −1), K⁻¹ = 1/5.5 (1 + 1.5 w wᵀ).
    let w = [1.0, -1.0, -1.0];
    let wq = w[0] * q[0] + w[1] * q[1] + w[2] * q[2];
    let stick: [f64; 3] = std::array::from_fn(|i| -(q[i] + 1.5 * w[i] * wq) / 5.5);
    if stick[0] > 0.0 {
        let (r, outcome) = OneContact::new(&k).solve(1e6, &q);
        assert_eq!(outcome, LocalOutcome::Stick);
        assert!(length(sub(r, stick)) < 1e-13 * length(stick));
    }
}

#[test]
fn singular_block_that_can_stick() {
    // A point that can only move along n and t1.
    let k = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]];
    let (r, outcome) = OneContact::new(&k).solve(0.5, &[-1.0, 0.25, 0.0]);
    assert_eq!(outcome, LocalOutcome::Stick);
    close(r, [1.0, -0.25, 0.0]);
    let (r, outcome) = OneContact::new(&k).solve(0.5, &[-1.0, 3.0, 0.0]);
    assert_eq!(outcome, LocalOutcome::Slip);
    close(r, [1.0, -0.5, 0.0]);
    // Driven along the immobile t2: slips there at full friction whatever happens.
    let (r, outcome) = OneContact::new(&k).solve(0.5, &[-1.0, 0.0, 2.0]);
    assert_eq!(outcome, LocalOutcome::Slip);
    close(r, [1.0, 0.0, -0.5]);
}

#[test]
fn painleve_jam_is_reported() {
    // K = w wᵀ, w = (1, β, 0): the point moves along w only and q leaves a tangential speed that nothing can change.
    // With μβ > 1 and slip along +t1, friction pushes the point into the surface as hard as the surface pushes back.
    let beta = 3.0;
    let k = [[1.0, beta, 0.0], [beta, beta * beta, 0.0], [0.0, 0.0, 0.0]];
    let (mu, q) = (0.5, [-1.0, 1.0, 0.0]);
    let (r, outcome) = OneContact::new(&k).solve(mu, &q);
    assert_eq!(outcome, LocalOutcome::Jammed);
    // The stick limit: the approach is stopped without friction, inside the cone.
    close(r, [1.0, 0.0, 0.0]);
    // Less friction, or slip the other way, and the same contact slips.
    for (mu, q) in [(0.3, q), (mu, [-1.0, -10.0, 0.0])] {
        let problem = single(&k, q, mu);
        let mut r = [0.0; 3];
        assert_eq!(solve_problem(&problem, &mut r), Some(LocalOutcome::Slip));
        assert!(certify(&problem, &r).unwrap().natural < 1e-13);
    }
}

#[test]
fn contact_without_inertia_carries_nothing() {
    let k = [[0.0; 3]; 3];
    assert_eq!(OneContact::new(&k).solve(0.5, &[-1.0, 1.0, 0.0]), ([0.0; 3], LocalOutcome::Jammed));
    assert_eq!(OneContact::new(&k).solve(0.5, &[1.0, 1.0, 0.0]), ([0.0; 3], LocalOutcome::Open));
}

#[test]
fn planar_contact_equals_its_spatial_twin() {
    let k2 = [[2.0, 0.7], [0.7, 1.5]];
    let k3 = [[2.0, 0.7, 0.0], [0.7, 1.5, 0.0], [0.0, 0.0, 3.0]];
    for (mu, q) in [(0.5, [-1.0, 0.2]), (0.5, [-1.0, 5.0]), (0.5, [-1.0, -5.0]), (0.0, [-1.0, 1.0]), (0.3, [1.0, 2.0])]
    {
        let w = Delassus::Dense(DenseDelassus::new(2, k2.as_flattened().to_vec()));
        let problem = ContactProblem::new(vec![Block::planar_contact(mu)], w, q.to_vec(), Symmetry::Exact).unwrap();
        let mut r = [0.0; 2];
        let outcome = solve_problem(&problem, &mut r).unwrap();
        assert!(certify(&problem, &r).unwrap().natural < 1e-15);
        let (twin, spatial) = OneContact::new(&k3).solve(mu, &[q[0], q[1], 0.0]);
        assert_eq!(outcome, spatial);
        assert!(length(sub([r[0], r[1], 0.0], twin)) < 1e-15);
    }
}

#[test]
fn exactly_on_the_cone_either_answer_is_the_same() {
    // A = 2·1, stick (15, 4.5, 0) lies on the cone of μ = 0.3.
    let (r, _) = OneContact::new(&ISOTROPIC).solve(0.3, &[-30.0, -9.0, 0.0]);
    close(r, [15.0, 4.5, 0.0]);
}

#[test]
fn units_do_not_matter() {
    let k = [[4.0, 1.5, 1.5], [1.5, 3.0, -0.5], [1.5, -0.5, 5.0]];
    for q in [[-1.0, 3.0, 2.0], [-1.0, 0.2, -0.1], [-0.001, 10.0, 4.0]] {
        let (reference, outcome) = OneContact::new(&k).solve(0.4, &q);
        for mass in [1e-12, 1.0, 1e12] {
            for speed in [1e-12, 1.0, 1e12] {
                let scaled = k.map(|row| row.map(|x| x / mass));
                let (r, same) = OneContact::new(&scaled).solve(0.4, &q.map(|x| x * speed));
                assert_eq!(outcome, same);
                assert!(length(sub(r.map(|x| x / (mass * speed)), reference)) < 1e-14 * length(reference));
            }
        }
    }
}

#[test]
fn asymmetric_block_is_solved_as_given() {
    let k = vec![4.0, 1.5, 1.5, 1.51, 3.0, -0.5, 1.5, -0.49, 5.0];
    let w = Delassus::Dense(DenseDelassus::new(3, k));
    let q = vec![-1.0, 3.0, 2.0];
    let problem = ContactProblem::new(vec![Block::contact(0.4)], w, q, Symmetry::IMPORTED).unwrap();
    let mut r = [0.0; 3];
    assert_eq!(solve_problem(&problem, &mut r), Some(LocalOutcome::Slip));
    assert!(certify(&problem, &r).unwrap().natural < 1e-14);
}

//! Properties of the projection onto the friction cone: spec §5.3, cone primitives.

use crate::sweeps_fixtures::{Random, dot, length, sub};
use signorini_solvers::cone::{self, ConeState, Vec3, project, project_dual, project_jacobian};

const FRICTION: [f64; 6] = [0.0, 1e-6, 0.3, 1.0, 4.0, 1e6];

fn samples(seed: u64) -> impl Iterator<Item = (f64, Vec3, Vec3)> {
    let mut random = Random::new(seed);
    (0..20_000).map(move |i| {
        let size = random.decades(-3.0, 3.0);
        (FRICTION[i % FRICTION.len()], random.vector().map(|x| x * size), random.vector())
    })
}

#[test]
fn interior_polar_and_surface() {
    assert_eq!(project(0.5, &[2.0, 0.5, 0.5]), ([2.0, 0.5, 0.5], ConeState::Stick));
    assert_eq!(project(0.5, &[-2.0, 1.0, 1.0]), ([0.0; 3], ConeState::Open));
    // z = (0, 1, 0), μ = 1: the foot on the generator (1, 1, 0)/√2.
    let (p, state) = project(1.0, &[0.0, 1.0, 0.0]);
    assert_eq!(state, ConeState::Slip);
    assert!(length(sub(p, [0.5, 0.5, 0.0])) < 1e-16);
}

#[test]
fn without_friction_the_cone_is_a_half_line() {
    assert_eq!(project(0.0, &[2.0, 0.0, 0.0]).0, [2.0, 0.0, 0.0]);
    assert_eq!(project(0.0, &[-2.0, 0.0, 0.0]).0, [0.0; 3]);
    assert_eq!(project(0.0, &[2.0, 3.0, -1.0]).0, [2.0, 0.0, 0.0]);
    assert_eq!(project(0.0, &[-2.0, 3.0, -1.0]).0, [0.0; 3]);
    assert_eq!(project_dual(0.0, &[-2.0, 3.0, -1.0]), [0.0, 3.0, -1.0]);
}

#[test]
fn idempotent() {
    for (mu, z, _) in samples(1) {
        let (p, _) = project(mu, &z);
        let (again, _) = project(mu, &p);
        assert!(length(sub(p, again)) <= 1e-12 * length(p), "mu {mu}, {z:?}");
    }
}

#[test]
fn moreau_decomposition() {
    for (mu, z, _) in samples(2) {
        let (p, _) = project(mu, &z);
        // z = P_K(z) − P_K*(−z), the two parts orthogonal.
        let dual = project_dual(mu, &z.map(|x| -x));
        assert!(length(sub(sub(p, dual), z)) <= 1e-14 * length(z));
        assert!(dot(p, dual).abs() <= 1e-14 * dot(z, z), "mu {mu}, {z:?}: {}", dot(p, dual));
        // The second part really is in the dual cone.
        assert!(dual[0] - mu * cone::tangential_norm(&dual) >= -1e-14 * (1.0 + mu) * length(z));
    }
}

#[test]
fn non_expansive() {
    for (mu, z, step) in samples(3) {
        let y: Vec3 = std::array::from_fn(|i| z[i] + step[i]);
        let moved = length(sub(project(mu, &z).0, project(mu, &y).0));
        assert!(moved <= length(step) * (1.0 + 1e-12) + 1e-13 * length(z), "mu {mu}");
    }
}

#[test]
fn jacobian_is_the_derivative_away_from_kinks() {
    let h = 1e-6;
    let mut checked = 0;
    for (mu, z, _) in samples(4) {
        let size = length(z);
        let d = project_jacobian(mu, &z);
        for j in 0..3 {
            let (mut plus, mut minus) = (z, z);
            plus[j] += h * size;
            minus[j] -= h * size;
            let ((p, s1), (m, s2)) = (project(mu, &plus), project(mu, &minus));
            if s1 != s2 || cone::tangential_norm(&z) < 1e-2 * size {
                continue;
            }
            checked += 1;
            for i in 0..3 {
                let slope = (p[i] - m[i]) / (2.0 * h * size);
                assert!((slope - d[i][j]).abs() < 1e-4, "mu {mu}, z {z:?}, entry {i},{j}: {slope} against {}", d[i][j]);
            }
        }
    }
    assert!(checked > 40_000, "only {checked} derivatives compared");
}

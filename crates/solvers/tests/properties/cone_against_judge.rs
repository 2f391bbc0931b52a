//! The cone of the solvers against the cone of the judge, which was written separately.

use crate::sweeps_fixtures::{Random, single};
use signorini_problem::certify;
use signorini_solvers::cone;

const FRICTION: [f64; 7] = [0.0, 1e-9, 0.1, 0.5, 1.0, 3.0, 1e6];

/// With W = w·1 the certificate's natural map is `w r − P(w r − û)` of its own projection.
#[test]
fn natural_maps_agree() {
    let mut random = Random::new(1);
    for trial in 0..20_000 {
        let mu = FRICTION[trial % FRICTION.len()];
        let w = random.decades(-6.0, 6.0);
        let r = random.vector().map(|x| x / w);
        let q = random.vector();
        let problem = single(&[[w, 0.0, 0.0], [0.0, w, 0.0], [0.0, 0.0, w]], q, mu);
        let u = problem.velocity(&r);
        let (map, _) = cone::natural_map(w, mu, &r, &[u[0], u[1], u[2]]);
        let ours = (map[0] * map[0] + map[1] * map[1] + map[2] * map[2]).sqrt();
        let judge = certify(&problem, &r).unwrap().natural;
        assert!((ours - judge).abs() <= 1e-14 * (1.0 + mu), "mu {mu}: {ours} against {judge}");
    }
}

/// r = 0 and u = −z: the certificate's natural map is the length of the judge's projection of z with the shift undone.
#[test]
fn projections_agree() {
    let mut random = Random::new(2);
    for trial in 0..20_000 {
        let mu = FRICTION[trial % FRICTION.len()];
        let z = random.vector();
        // û = −z has u_N = −z_N − μ‖z_T‖.
        let q = [-z[0] - mu * (z[1] * z[1] + z[2] * z[2]).sqrt(), -z[1], -z[2]];
        let problem = single(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], q, mu);
        let (p, _) = cone::project(mu, &z);
        let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
        let judge = certify(&problem, &[0.0; 3]).unwrap().natural;
        assert!((length - judge).abs() <= 1e-14 * (1.0 + mu), "mu {mu}, z {z:?}: {length} against {judge}");
    }
}

/// Made feasible means: the judge finds nothing outside, not even a rounding.
#[test]
fn feasible_is_feasible_to_the_judge() {
    let mut random = Random::new(3);
    for trial in 0..50_000 {
        let mu = FRICTION[trial % FRICTION.len()];
        let size = random.decades(-12.0, 12.0);
        let r = cone::make_feasible(mu, &random.vector().map(|x| x * size));
        let problem = single(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0; 3], mu);
        let certificate = certify(&problem, &r).unwrap();
        assert_eq!((certificate.outside_cone, certificate.pull), (0.0, 0.0), "mu {mu}: {r:?}");
        assert_eq!(cone::make_feasible(mu, &r), r, "a feasible impulse is kept");
    }
}

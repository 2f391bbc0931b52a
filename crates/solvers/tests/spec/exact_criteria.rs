//! The acceptance criteria of friction, measured on the answers themselves: residual, cone, direction of friction.

use crate::conformance_support::*;
use signorini_problem::{ContactProblem, Law};
use signorini_scenes::problems::{Size, catalogue};
use signorini_solvers::{Exact, StoppingRule, solve};

/// Largest cone violation over the normal impulse, and largest angle of a slipping contact's friction to −u_T \[rad\].
struct Friction {
    violation: f64,
    angle: f64,
    slipping: usize,
}

/// `noise` [m/s]: slip speeds below say nothing about a direction.
fn friction(problem: &ContactProblem, r: &[f64], u: &[f64], noise: f64) -> Friction {
    let mut found = Friction { violation: 0.0, angle: 0.0, slipping: 0 };
    for (c, block) in problem.blocks().iter().enumerate() {
        let Law::Coulomb { mu } = block.law else { continue };
        let (r, u, w) = (&r[problem.range(c)], &u[problem.range(c)], problem.scales()[c]);
        let [rt, ut] = [r, u].map(|x| [x[1], x.get(2).copied().unwrap_or(0.0)]);
        let (friction, slip) = (rt[0].hypot(rt[1]), ut[0].hypot(ut[1]));
        if r[0] > 0.0 {
            found.violation = found.violation.max((friction - mu * r[0]) / r[0]);
        }
        // A direction is known to residual over size, of the slip and of the friction that opposes it.
        if slip > noise && w * mu * r[0] > noise {
            let (cross, dot) = (rt[0] * ut[1] - rt[1] * ut[0], -(rt[0] * ut[0] + rt[1] * ut[1]));
            found.angle = found.angle.max(cross.abs().atan2(dot));
            found.slipping += 1;
        }
    }
    found
}

#[test]
fn criterion_5_residual_cone_and_direction_of_friction() {
    let stop = StoppingRule::velocity(1e-10);
    let mut slipping = 0;
    for generated in [Size::Small, Size::Medium].into_iter().flat_map(|size| catalogue(size).unwrap()) {
        let problem = &generated.problem;
        let solution = solve(problem, &mut Exact::default(), None, &stop).unwrap();
        assert_feasible(&generated.name, problem, &solution.impulses);
        let audit = audit(problem, &solution.impulses);
        let speed = problem.speed().max(1.0);
        assert!(audit.natural <= 1e-8 * speed, "{}: {:e} m/s", generated.name, audit.natural);
        // Angles to 1e-6 rad are asked where the residual resolves them, of both directions together.
        let noise = 4e6 * f64::max(audit.natural, 3.0 * audit.floor);
        let found = friction(problem, &solution.impulses, &audit.u, noise);
        println!(
            "{:30} {:.1e} m/s, outside {:.1e}, angle {:.1e} rad of {} slipping",
            generated.name, audit.natural, found.violation, found.angle, found.slipping
        );
        assert!(found.violation <= 1e-12, "{}: outside by {:e}", generated.name, found.violation);
        assert!(found.angle <= 1e-6, "{}: {:e} rad", generated.name, found.angle);
        slipping += found.slipping;
    }
    assert!(slipping > 100, "only {slipping} contacts slip: the criterion was not exercised");
}

/// What `--max-iterations` promises: no more than so many, whatever the tier, and an honest status. A step of the dense
/// method for a few blocks, or of the walk around a fold, may end a few later.
#[test]
fn exact_spends_no_more_iterations_than_it_may() {
    for generated in catalogue(Size::Small).unwrap() {
        let free = solve(&generated.problem, &mut Exact::default(), None, &StoppingRule::velocity(1e-10)).unwrap();
        for most in [0, 1, 5, 30] {
            let stop = StoppingRule { max_iterations: Some(most), ..StoppingRule::velocity(1e-10) };
            let solution = solve(&generated.problem, &mut Exact::default(), None, &stop).unwrap();
            let spent = solution.effort.iterations;
            assert!(spent <= most + 12, "{}: {spent} of {most}", generated.name);
            assert_feasible(&generated.name, &generated.problem, &solution.impulses);
            if free.effort.iterations <= most {
                assert_eq!(solution.status, free.status, "{}: {most} iterations suffice", generated.name);
            }
        }
    }
}

//! Cold interior-point paths against the counts of the prototypes: at most a fifth more factorizations.

use crate::conformance_support::*;
use signorini_scenes::problems::find;
use signorini_solvers::interior_point::Start;
use signorini_solvers::{History, InteriorPoint, Method, Status, StoppingRule, solve};

/// Problem, and the factorizations of the prototype to 1e-10 m/s from [`Start::Scaled`] and [`Start::Uniform`]; `None`
/// where it did not arrive within 35.
#[rustfmt::skip]
const PROTOTYPE: &[(&str, Option<usize>, Option<usize>)] = &[
    ("stack10",                  Some(8),  Some(8)),
    ("stack40",                  Some(12), Some(9)),
    ("stack10_heavy1e6",         None,     Some(22)),
    ("stack20_alt1e4",           None,     Some(8)),
    ("stack10_geo1e6",           Some(12), Some(7)),
    ("wall6x6",                  Some(7),  Some(9)),
    ("wall10x20",                Some(9),  Some(9)),
    ("pyr2d12",                  Some(8),  Some(9)),
    ("pyr3d5",                   Some(7),  Some(9)),
    ("table8x8",                 Some(7),  Some(8)),
    ("table8x8_slide",           Some(11), Some(11)),
    ("incline5_slope0.4_mu0.3",  Some(8),  Some(10)),
    ("incline5_slope0.29_mu0.3", Some(9),  Some(10)),
    ("sph5x5x4",                 Some(16), Some(26)),
    ("sph5x5x4_mu0.8",           Some(19), None),
    ("stack8_shake",             Some(11), Some(14)),
    ("wall8x8_sides_hit",        Some(17), None),
];

/// A fifth more, and never less than one more: the scenes are of the same kind, not the same numbers.
fn allowed(prototype: usize) -> usize {
    prototype + usize::max(1, prototype.div_ceil(5))
}

#[test]
fn cold_paths_need_no_more_factorizations_than_the_prototypes() {
    // A path stops at half the tolerance: at 1e-10 m/s, as the prototypes did.
    let stop = StoppingRule::velocity(2e-10);
    let mut worse = Vec::new();
    for (name, scaled, uniform) in PROTOTYPE {
        let problem = find(name).unwrap().generate().unwrap().problem;
        let mut interior = InteriorPoint::default();
        interior.options.max_turns = 0;
        for (start, prototype) in [(Start::Scaled, scaled), (Start::Uniform, uniform)] {
            let mut r = vec![0.0; problem.rows()];
            interior.prepare(&problem);
            let end = interior.follow(&problem, &mut r, start, &stop, &mut History::off());
            let label = format!("{name}, {start:?}");
            assert_feasible(&label, &problem, &r);
            let (count, natural) = (end.iterations, end.merit.natural);
            println!("{label:40} {count:3} factorizations, {natural:.1e} m/s; prototype {prototype:?}");
            if let Some(prototype) = prototype
                && !(end.suffices && count <= allowed(*prototype))
            {
                worse.push(format!("{label}: {count} to {natural:.1e} m/s, allowed {}", allowed(*prototype)));
            }
        }
    }
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}

/// The effort that a solution reports is that of its paths: a start that arrives ends the search.
#[test]
fn reported_factorizations_are_those_of_the_path() {
    let problem = find("stack10").unwrap().generate().unwrap().problem;
    let solution = solve(&problem, &mut *Method::InteriorPoint.solver(), None, &StoppingRule::default()).unwrap();
    assert_eq!(solution.status, Status::Solved);
    // One more than iterations: the all-sticking solve of the uniform start.
    let extra = solution.effort.factorizations - solution.effort.iterations;
    assert!(extra <= 1, "{:?}", solution.effort);
}

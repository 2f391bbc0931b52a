//! What must not matter: the order of contacts and bodies, the choice of tangents, the units.

use crate::conformance_support::*;
use signorini_problem::{ContactProblem, Delassus, Symmetry};
use signorini_scenes::problems::{Perturbation, Size, entries, find, perturbed};
use signorini_scenes::random::SplitMix64;
use signorini_solvers::{
    ContactSolver, Exact, InteriorPoint, Method, Selection, Solution, Status, StoppingRule, solve,
};

fn canonical() -> Exact {
    let mut exact = Exact::default();
    exact.options.selection = Selection::Canonical;
    exact
}

fn generated(name: &str) -> ContactProblem {
    find(name).unwrap().generate().unwrap().problem
}

fn solved(label: &str, problem: &ContactProblem, solver: &mut dyn ContactSolver, stop: &StoppingRule) -> Solution {
    let solution = solve(problem, solver, None, stop).unwrap();
    assert_feasible(label, problem, &solution.impulses);
    assert_eq!(solution.status, Status::Solved, "{label}: {:?}", solution.certificate);
    solution
}

/// Redundant contacts: impulses are not unique, and where they slide the velocities need not be either.
const REDUNDANT: &[&str] = &[
    "table8x8",
    "table8x8_slide",
    "table8x8_spin",
    "stack10",
    "wall3x3_sides",
    "incline3_slope0.4_mu0.3",
    "incline5_slope0.4_mu0.3",
    "pyr3d2",
    "wedge_slope0.5_mu0.2_copies16",
    "train3_mu0.4_strength0.8",
];

/// Redundant contacts that slide in different directions: exact motions are many.
const SLIDING_APART: &[&str] = &["table8x8_slide_spin", "drop_slide_mu0.3", "stack8_shake", "wall4x4_sides_hit"];

/// The same with some hundred contacts, shaken or hit.
const VIOLENT: &[&str] = &["wall8x8_sides_hit", "wall8x8_mu0.6_sides_shake", "pyr3d6_shake", "planar_discs20"];

/// Orders and tangents that a motion is looked at in.
const VARIANTS: u64 = 20;

/// Largest change of a body's velocity [m/s, rad/s] over variants of a problem, in the unit of the tolerance: 1 m/s, or the
/// speed of the problem if that is larger.
fn change(name: &str, variants: u64, variant: impl Fn(&ContactProblem, &mut SplitMix64) -> ContactProblem) -> f64 {
    let stop = StoppingRule::velocity(1e-10);
    let problem = generated(name);
    let first = solved(name, &problem, &mut canonical(), &stop);
    let motion = body_velocity(&problem, &first.impulses);
    let mut worst: f64 = 0.0;
    for seed in 0..variants {
        let other = variant(&problem, &mut SplitMix64::new(seed));
        let solution = solved(&format!("{name}, variant {seed}"), &other, &mut canonical(), &stop);
        worst = worst.max(largest_difference(&motion, &body_velocity(&other, &solution.impulses)));
    }
    worst /= problem.speed().max(1.0);
    println!("{name:30} {worst:.1e}, {} factorizations", first.effort.factorizations);
    worst
}

/// The blocks in a random order, tangents turned.
fn reordered_and_turned(problem: &ContactProblem, random: &mut SplitMix64) -> ContactProblem {
    turned(&reordered(problem, &shuffled(random, problem.blocks().len())), random)
}

/// About half the entries of q larger by their last bit.
fn last_bits_of_q(problem: &ContactProblem, random: &mut SplitMix64) -> ContactProblem {
    let q = problem.q().iter().map(|q| f64::from_bits(q.to_bits() + random.bits() % 2)).collect();
    let w = Delassus::Factored(factored(problem).clone());
    ContactProblem::new(problem.blocks().to_vec(), w, q, Symmetry::Exact).unwrap()
}

fn assert_no_change(names: &[&str], variant: impl Fn(&ContactProblem, &mut SplitMix64) -> ContactProblem) {
    let changed: Vec<String> = names
        .iter()
        .map(|name| (name, change(name, VARIANTS, &variant)))
        .filter(|(_, change)| *change > 1e-9)
        .map(|(name, change)| format!("{name}: {change:e}"))
        .collect();
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

#[test]
fn order_and_tangents_do_not_change_the_motion() {
    assert_no_change(REDUNDANT, reordered_and_turned);
}

#[test]
fn order_and_tangents_do_not_change_which_of_many_exact_motions_it_is() {
    assert_no_change(SLIDING_APART, reordered_and_turned);
}

/// Which of the exact motions it is depends on q too, the more the smaller the t from which the path leads to it alone. No
/// order of the sums can do better than that; where it is worse than 1e-9 m/s is held here.
#[test]
fn order_and_tangents_change_violent_motions_no_more_than_the_last_bit_of_the_velocities_does() {
    for name in VIOLENT {
        let (order, last_bit) = (change(name, 4, reordered_and_turned), change(name, 4, last_bits_of_q));
        assert!(order <= 10.0 * last_bit && order <= 1e-7, "{name}: {order:e}, by the last bit {last_bit:e}");
    }
}

/// Scenes to be shaken, all bodies by random velocities.
const TO_BE_SHAKEN: &[&str] = &[
    "stack10",
    "stack8_shake",
    "wall3x3_sides",
    "wall4x4_sides_hit",
    "wall6x6",
    "table8x8",
    "table8x8_slide",
    "table8x8_slide_spin",
    "arch21_load",
    "pyr2d5",
    "pyr3d2",
    "incline5_slope0.4_mu0.3",
    "planar_discs6",
    "row4_mass1e2",
];

/// Where a path folds, or its limit is seen from far down only, orders may end further apart: how often is counted here.
#[test]
fn order_and_tangents_change_few_of_many_shaken_motions() {
    let stop = StoppingRule::velocity(1e-10);
    let (mut changes, mut factorizations) = (Vec::new(), 0);
    for name in TO_BE_SHAKEN {
        let scene = find(name).unwrap().generate().unwrap();
        for (speed, seed) in [0.05, 1.0].into_iter().flat_map(|speed| (0..10).map(move |seed| (speed, seed))) {
            let problem = perturbed(&scene, Perturbation::Velocity { speed }, seed).unwrap().problem;
            let label = format!("{name} shaken by {speed} m/s, seed {seed}");
            let first = solved(&label, &problem, &mut canonical(), &stop);
            factorizations += first.effort.factorizations;
            let motion = body_velocity(&problem, &first.impulses);
            let mut worst: f64 = 0.0;
            for order in 0..3 {
                let other = reordered_and_turned(&problem, &mut SplitMix64::new(order));
                let solution = solved(&label, &other, &mut canonical(), &stop);
                worst = worst.max(largest_difference(&motion, &body_velocity(&other, &solution.impulses)));
            }
            worst /= problem.speed().max(1.0);
            if worst > 1e-9 {
                println!("{label}: {worst:.1e}");
            }
            changes.push(worst);
        }
    }
    changes.sort_unstable_by(f64::total_cmp);
    let (count, apart) = (changes.len(), changes.iter().filter(|change| **change > 1e-9).count());
    let [median, largest] = [changes[count / 2], changes[count - 1]];
    let mean = factorizations as f64 / count as f64;
    println!(
        "{apart} of {count} by more than 1e-9; median {median:.1e}, largest {largest:.1e}; {mean:.1} factorizations"
    );
    assert!(20 * apart <= count && largest <= 1e-5, "{apart} of {count}, {largest:e}");
}

/// The one answer is found where any is: also where round-off ends the limit above the tolerance, as masses 1e6 apart make it.
#[test]
fn the_one_answer_is_found_to_every_small_problem() {
    let stop = StoppingRule::velocity(1e-10);
    let small = entries().iter().filter(|entry| entry.size == Size::Small).chain(find("sph5x5x4_mass1e6"));
    for entry in small {
        solved(entry.name, &entry.generate().unwrap().problem, &mut canonical(), &stop);
    }
}

/// A guess that is no answer does not decide which answer it is.
#[test]
fn a_guess_does_not_change_the_motion() {
    let stop = StoppingRule::velocity(1e-10);
    for name in SLIDING_APART {
        let problem = generated(name);
        let cold = solved(name, &problem, &mut canonical(), &stop).impulses;
        let any = solved(name, &problem, &mut Exact::default(), &stop).impulses;
        for share in [0.5, 0.999] {
            let guess: Vec<f64> = any.iter().map(|r| share * r).collect();
            let warm = solve(&problem, &mut canonical(), Some(&guess), &stop).unwrap();
            assert_eq!(warm.status, Status::Solved);
            let apart = largest_difference(&body_velocity(&problem, &cold), &body_velocity(&problem, &warm.impulses));
            assert!(apart <= 1e-9, "{name}, guess of {share}: {apart:e} m/s");
        }
    }
}

/// Units in which no operation of a solver rounds differently.
const POWERS_OF_TWO: &[Units] = &[
    Units { mass: 1048576.0, length: 1024.0, time: 1.0 / 32.0 },
    Units { mass: 1.0 / 1048576.0, length: 2.0, time: 1.0 },
    Units { mass: 4.0, length: 1.0 / 16.0, time: 1.0 / 256.0 },
];

/// Grams, millimetres and milliseconds; grams and centimetres; tonnes and half seconds.
const DECIMAL: &[Units] = &[
    Units { mass: 1e3, length: 1e3, time: 1e3 },
    Units { mass: 1e3, length: 1e2, time: 1.0 },
    Units { mass: 1e-3, length: 1.0, time: 2.0 },
];

/// The answer in other units over the answer in these, less one; velocities over the speed, impulses over the largest.
fn change_in_units(label: &str, problem: &ContactProblem, method: Method, units: &Units) -> Option<[f64; 2]> {
    // Faster than 1 m/s in both, so that the tolerance is relative in both.
    let stop = StoppingRule { max_iterations: None, ..StoppingRule::velocity(1e-10) };
    let other = in_units(problem, units);
    assert!(problem.speed() >= 1.0 && other.speed() >= 1.0, "{label}: too slow for a relative tolerance");
    let [a, b] = [problem, &other].map(|p| {
        let solution = solve(p, &mut *method.solver(), None, &stop).unwrap();
        assert_feasible(label, p, &solution.impulses);
        solution
    });
    assert_eq!(a.status, b.status, "{label}: {:?} {:?}", a.certificate, b.certificate);
    if a.status == Status::Unsolved {
        return None;
    }
    let back = |x: &[f64], unit: f64| x.iter().map(|x| x / unit).collect::<Vec<_>>();
    let velocity =
        largest_difference(&audit(problem, &a.impulses).u, &back(&audit(&other, &b.impulses).u, units.velocity()))
            / problem.speed();
    let impulse =
        largest_difference(&a.impulses, &back(&b.impulses, units.impulse())) / largest(&a.impulses).max(1e-300);
    Some([velocity, impulse])
}

const IN_OTHER_UNITS: &[(Method, &[&str])] = &[
    (Method::Exact, &["stack10", "stack8_shake", "table8x8_slide_spin", "wall3x3_sides", "sph3x3x2", "hanging10"]),
    (Method::InteriorPoint, &["stack10", "stack8_shake", "table8x8_slide_spin", "wall3x3_sides", "hanging10"]),
    (Method::Newton, &["sph3x3x2", "stack1", "hanging10", "drop_slide_mu0.3"]),
    (Method::Nsgs, &["sph3x3x2", "stack1", "stack3", "table8x8_slide_spin", "drop_slide_mu0.3"]),
];

/// Problems of [`IN_OTHER_UNITS`], fast enough that their speed exceeds 1 in every unit used.
fn fast(name: &str) -> ContactProblem {
    in_units(&generated(name), &Units { mass: 1.0, length: 1.0, time: 1.0 / 4096.0 })
}

/// No solver holds a number with a unit: in units that are powers of two of ours, every bit of the answer is the same.
#[test]
fn units_that_are_powers_of_two_change_no_bit() {
    for (method, names) in IN_OTHER_UNITS {
        for name in *names {
            for units in POWERS_OF_TWO {
                let label = format!("{method}, {name}, {units:?}");
                let change = change_in_units(&label, &fast(name), *method, units);
                assert_eq!(change, Some([0.0, 0.0]), "{label}");
            }
        }
    }
}

#[test]
fn units_do_not_change_the_motion() {
    for (method, names) in IN_OTHER_UNITS {
        // These end on the first answer they find; which of many that is in stack8_shake, round-off decides.
        for name in names.iter().filter(|name| **name != "stack8_shake") {
            for units in DECIMAL {
                let label = format!("{method}, {name}, {units:?}");
                let [velocity, impulse] = change_in_units(&label, &fast(name), *method, units).unwrap();
                println!("{label}: {velocity:.1e} {impulse:.1e}");
                assert!(velocity <= 1e-9, "{label}: {velocity:e}");
            }
        }
    }
}

/// The centre that the interior point returns is that of the problem, also seen from a permuted, perturbed one.
#[test]
fn the_interior_point_is_blind_to_order() {
    let stop = StoppingRule::velocity(1e-10);
    let base = find("wall3x3_sides").unwrap().generate().unwrap();
    let shaken = perturbed(&base, Perturbation::Velocity { speed: 0.05 }, 9).unwrap().problem;
    let first = solved("shaken", &shaken, &mut InteriorPoint::default(), &stop);
    for seed in 0..4 {
        let order = shuffled(&mut SplitMix64::new(seed), shaken.blocks().len());
        let other = reordered(&shaken, &order);
        let second = solved("shaken, reordered", &other, &mut InteriorPoint::default(), &stop);
        let apart =
            largest_difference(&body_velocity(&shaken, &first.impulses), &body_velocity(&other, &second.impulses));
        assert!(apart <= 1e-9, "order {seed}: {apart:e} m/s");
    }
}

//! Sizes, closed forms, positive semidefiniteness and determinism of every family.

use signorini_problem::{Law, Tolerance, certify};
use signorini_scenes::problems::*;
use signorini_scenes::random::SplitMix64;
use signorini_scenes::{Assembly, Body, Family, GRAVITY, GeneratedProblem, Known, STEP, SceneError};

const PLAIN: PileOptions = PileOptions { mu: 0.5, masses: Masses::Equal, motion: Motion::Rest, sides: Sides::Ignored };
const SIDES: PileOptions = PileOptions { sides: Sides::Included, ..PLAIN };

fn size(problem: Result<GeneratedProblem, SceneError>) -> (usize, usize) {
    let problem = problem.unwrap();
    (problem.bodies(), problem.blocks())
}

#[test]
fn sizes_of_box_piles() {
    assert_eq!(size(stack(10, &PLAIN)), (10, 40));
    assert_eq!(size(stack(40, &PLAIN)), (40, 160));
    assert_eq!(size(wall(6, 6, &PLAIN)), (33, 224));
    assert_eq!(size(wall(10, 20, &PLAIN)), (190, 1408));
    assert_eq!(size(wall(8, 8, &SIDES)), (60, 632));
    assert_eq!(size(wall(10, 8, &SIDES)), (76, 816));
    assert_eq!(size(wall_and_ball(10, 8, 50.0, 15.0, &PLAIN)), (77, 817));
    assert_eq!(size(wall(30, 30, &PLAIN)), (885, 6848));
    assert_eq!(size(pyramid2d(12, &PLAIN)), (78, 576));
    assert_eq!(size(pyramid3d(5, &PLAIN)), (55, 580));
    assert_eq!(size(pyramid3d(9, &PLAIN)), (285, 3588));
    assert_eq!(size(row(20, 1e6, 0.4, 1)), (20, 156));
}

#[test]
fn sizes_of_spheres_and_arches() {
    assert_eq!(size(spheres(5, 5, 4, &SpheresOptions::default())), (100, 468));
    assert_eq!(size(spheres(8, 8, 8, &SpheresOptions::default())), (512, 2663));
    assert_eq!(size(packing(6, 0.5, Masses::Equal, Motion::Rest)), (91, 396));
    assert_eq!(size(packing(10, 0.5, Masses::Equal, Motion::Rest)), (385, 1900));
    assert_eq!(size(packing(12, 0.5, Masses::Equal, Motion::Rest)), (650, 3312));
    assert_eq!(size(arch(15, 0.7, ArchLoad::Weight)), (15, 64));
    assert_eq!(size(arch(51, 0.7, ArchLoad::Weight)), (51, 208));
    assert_eq!(size(planar_discs(6, 0.3, 0.3, 1)), (21, 6 + 15 + 30));
}

#[test]
fn sizes_follow_their_formulas() {
    for (w, c) in [(2, 1), (3, 4), (5, 3), (7, 8)] {
        assert_eq!(size(wall(w, c, &PLAIN)), (c * w - c / 2, 4 * w + 8 * (w - 1) * (c - 1)));
    }
    for (nx, ny, nz) in [(1, 1, 1), (2, 3, 4), (4, 2, 3)] {
        let contacts =
            nz * (nx * (ny - 1) + ny * (nx - 1)) + (nz - 1) * (2 * nx - 1) * (2 * ny - 1) + nx * ny + nz * (nx + ny);
        for seed in 0..20 {
            let options = SpheresOptions { seed, ..SpheresOptions::default() };
            assert_eq!(size(spheres(nx, ny, nz, &options)), (nx * ny * nz, contacts));
        }
    }
    for b in 1..7 {
        let above: usize = (1..b).map(|k| k * k).sum();
        assert_eq!(size(pyramid2d(b, &PLAIN)), (b * (b + 1) / 2, 4 * b + 4 * b * (b - 1)));
        assert_eq!(size(pyramid3d(b, &PLAIN)), (b * (b + 1) * (2 * b + 1) / 6, 4 * b * b + 16 * above));
        let within: usize = (1..=b).map(|k| 2 * k * (k - 1)).sum();
        assert_eq!(size(packing(b, 0.5, Masses::Equal, Motion::Rest)).1, b * b + within + 4 * above);
    }
    for n in 1..5 {
        assert_eq!(size(elevator(n, 1.0, 1.0)), (n + 1, 3 + 4 * n));
        assert_eq!(size(train(n, 0.4, 0.5)), (n, 6 * n + (n - 1) + 1));
    }
}

#[test]
fn every_known_impulse_is_certified() {
    let mut certified = Vec::new();
    for entry in entries() {
        let problem = entry.generate().unwrap();
        let Some(impulse) = &problem.known.impulse else { continue };
        let certificate = certify(&problem.problem, impulse).unwrap();
        // Closed forms hold to round-off: 1e-12 m/s, or that of one evaluation of u where masses differ by decades.
        assert!(certificate.meets(&Tolerance::velocity(1e-12)), "{}: {certificate:?}", problem.name);
        let departure = problem.known.body_velocity.is_some().then(|| problem.departure(impulse).unwrap());
        if let Some(departure) = departure {
            let allowed = f64::max(1e-12, 10.0 * certificate.floor);
            assert!(departure.velocity <= allowed, "{}: {departure:?}", problem.name);
            // Both totals are sums of one term per body or row: relative round-off ε/2 per addition.
            let additions = (problem.bodies() + problem.problem.rows()) as f64;
            assert!(departure.world_impulse <= 0.5 * f64::EPSILON * additions, "{}: {departure:?}", problem.name);
        }
        certified.push(problem.family);
    }
    for family in [
        Family::Stack,
        Family::Wall,
        Family::Pyramid,
        Family::Table,
        Family::Incline,
        Family::Arch,
        Family::Wedge,
        Family::Box,
        Family::Chain,
        Family::RandomLcp,
        Family::Redundant,
        Family::HangingChain,
        Family::Motor,
        Family::Planar,
        Family::Mixed,
    ] {
        assert!(certified.contains(&family), "{family:?} has no closed form in the catalogue");
    }
}

#[test]
fn stack_interface_carries_the_weight_above() {
    let problem = stack(10, &PLAIN).unwrap();
    let impulse = problem.known.impulse.as_ref().unwrap();
    for interface in 0..10 {
        let carried: f64 = (0..4).map(|corner| impulse[3 * (4 * interface + corner)]).sum();
        let weight = 1000.0 * (10 - interface) as f64 * GRAVITY * STEP;
        assert!((carried - weight).abs() < 1e-12 * weight);
    }
    let certificate = certify(&problem.problem, impulse).unwrap();
    assert!(certificate.natural <= 1e-12 && certificate.counts.stick == 40, "{certificate:?}");
}

#[test]
fn resting_walls_and_pyramids_have_a_frictionless_equilibrium() {
    let scattered = PileOptions { masses: Masses::LogUniform { ratio: 1e6, seed: 3 }, ..PLAIN };
    for options in [PLAIN, SIDES, scattered] {
        for problem in [wall(5, 6, &options), wall(4, 5, &options), pyramid2d(6, &options), pyramid3d(4, &options)] {
            let problem = problem.unwrap();
            let r = problem.known.impulse.as_ref().unwrap();
            assert!(r.chunks_exact(3).all(|r| r[0] >= 0.0 && r[1] == 0.0 && r[2] == 0.0), "{}", problem.name);
            let certificate = certify(&problem.problem, r).unwrap();
            assert!(certificate.meets(&Tolerance::velocity(1e-12)), "{}: {certificate:?}", problem.name);
        }
    }
}

#[test]
fn incline_sticks_below_the_friction_angle_and_slides_above() {
    let stick = incline(3, 0.25, 0.3).unwrap();
    let certificate = certify(&stick.problem, stick.known.impulse.as_ref().unwrap()).unwrap();
    assert!(certificate.natural <= 1e-12 && certificate.counts.stick == 12, "{certificate:?}");
    let slide = incline(3, 0.4, 0.3).unwrap();
    let r = slide.known.impulse.as_ref().unwrap();
    assert_eq!(certify(&slide.problem, r).unwrap().counts.slip, 12);
    let (sin, cos) = f64::atan(0.4).sin_cos();
    let speed = GRAVITY * STEP * (sin - 0.3 * cos);
    for v in slide.body_velocity(r).unwrap().chunks_exact(6) {
        assert!((v[0] - speed).abs() < 1e-14 && v[1..].iter().all(|v| v.abs() < 1e-14), "{v:?}");
    }
    // Taller stacks topple: no closed form is claimed.
    assert!(incline(5, 0.29, 0.3).unwrap().known.impulse.is_none());
}

#[test]
fn sliding_and_spinning_plates_slow_down_as_on_paper() {
    let slide = table(8, 0.5, TableMotion::Sliding).unwrap();
    let v = slide.body_velocity(slide.known.impulse.as_ref().unwrap()).unwrap();
    assert!((v[0] - (1.0 - 0.5 * GRAVITY * STEP)).abs() < 1e-14 && v[1..].iter().all(|v| v.abs() < 1e-14), "{v:?}");
    let spin = table(8, 0.5, TableMotion::Spinning).unwrap();
    let v = spin.body_velocity(spin.known.impulse.as_ref().unwrap()).unwrap();
    let mut mean_radius = 0.0;
    for i in 0..8 {
        for j in 0..8 {
            mean_radius += f64::hypot(2.0 * i as f64 / 7.0 - 1.0, j as f64 / 7.0 - 0.5) / 64.0;
        }
    }
    let slower = 0.5 * 10.0 * GRAVITY * STEP * mean_radius / (10.0 / 12.0 * 5.0);
    assert!((v[5] - (2.0 - slower)).abs() < 1e-13 && v[..5].iter().all(|v| v.abs() < 1e-14), "{v:?}");
}

#[test]
fn weak_elevator_sinks_and_strong_one_reaches_its_speed() {
    let speed = |target, strength| elevator(3, target, strength).unwrap().known.body_velocity.unwrap()[2];
    assert!((speed(0.0, 2.0) - 0.0).abs() < 1e-15);
    assert!((speed(1.0, 1.5) - 0.5 * GRAVITY * STEP).abs() < 1e-15);
    assert!((speed(1.0, 0.5) + 0.5 * GRAVITY * STEP).abs() < 1e-15);
    assert!((speed(0.01, 2.0) - 0.01).abs() < 1e-15);
}

#[test]
fn train_uses_all_four_laws() {
    let problem = train(6, 0.4, 1.5).unwrap();
    let has = |wanted: fn(&Law) -> bool| problem.problem.blocks().iter().any(|block| wanted(&block.law));
    assert!(has(|law| matches!(law, Law::Coulomb { .. })) && has(|law| matches!(law, Law::Interval { .. })));
    assert!(has(|law| matches!(law, Law::NonNegative)) && has(|law| matches!(law, Law::Equality)));
    let v = problem.body_velocity(problem.known.impulse.as_ref().unwrap()).unwrap();
    let speed = 0.5 * 0.4 * GRAVITY * STEP / f64::hypot(0.1, 1.0);
    for v in v.chunks_exact(6) {
        assert!((v[0] - speed).abs() < 1e-14, "{v:?}");
    }
}

#[test]
fn duplicates_keep_the_motion() {
    let base = stack(3, &PLAIN).unwrap();
    for copies in [2, 8, 64] {
        let problem = duplicated(&base, copies).unwrap();
        assert_eq!(problem.blocks(), 12 * copies);
        let r = problem.known.impulse.as_ref().unwrap();
        assert!(certify(&problem.problem, r).unwrap().natural <= 1e-12);
        assert!(problem.departure(r).unwrap().velocity <= 1e-12);
        // All the load on the first copy is an answer, too.
        let mut first = base.known.impulse.clone().unwrap();
        first.resize(problem.problem.rows(), 0.0);
        assert!(certify(&problem.problem, &first).unwrap().natural <= 1e-12);
    }
}

#[test]
fn departure_sees_a_wrong_answer() {
    let problem = stack(4, &PLAIN).unwrap();
    let mut r = problem.known.impulse.clone().unwrap();
    r[0] *= 1.5;
    let departure = problem.departure(&r).unwrap();
    assert!(departure.velocity > 1e-3 && departure.world_impulse > 1e-3, "{departure:?}");
    let zero = problem.departure(&vec![0.0; r.len()]).unwrap();
    assert!((zero.velocity - GRAVITY * STEP).abs() < 1e-15 && zero.world_impulse == 1.0);
    assert!(matches!(problem.departure(&[0.0]), Err(SceneError::Size { .. })));
}

/// Cholesky of `A + shift·I`, in place; false if a pivot is not positive.
fn is_positive_definite(mut a: Vec<f64>, n: usize, shift: f64) -> bool {
    for i in 0..n {
        a[i * n + i] += shift;
    }
    for i in 0..n {
        for j in 0..=i {
            let mut s = a[i * n + j];
            for k in 0..j {
                s -= a[i * n + k] * a[j * n + k];
            }
            if i == j {
                if s <= 0.0 {
                    return false;
                }
                a[i * n + i] = s.sqrt();
            } else {
                a[i * n + j] = s / a[j * n + j];
            }
        }
    }
    true
}

#[test]
fn small_operators_are_symmetric_and_positive_semidefinite() {
    for problem in catalogue(Size::Small).unwrap() {
        let (w, n) = (problem.problem.delassus().to_dense(problem.problem.offsets()), problem.problem.rows());
        if n > 450 {
            continue;
        }
        let largest = w.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for i in 0..n {
            for j in 0..i {
                assert_eq!(w[i * n + j], w[j * n + i], "{}", problem.name);
            }
        }
        // Semidefinite up to the round-off of n sums.
        assert!(is_positive_definite(w, n, 1e-14 * n as f64 * largest), "{}", problem.name);
    }
}

#[test]
fn catalogue_names_are_unique_and_true() {
    let mut names: Vec<_> = entries().iter().map(|entry| entry.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), entries().len());
    for entry in entries() {
        let problem = entry.generate().unwrap();
        assert_eq!(problem.name, entry.name);
        assert_eq!(problem.family, entry.family);
        let blocks = problem.blocks();
        let range = match entry.size {
            Size::Small => 1..=150,
            Size::Medium => 120..=1500,
            Size::Large => 1000..=7000,
        };
        assert!(range.contains(&blocks), "{}: {blocks} blocks", entry.name);
        assert!(find(entry.name).is_some());
    }
    assert!(find("no such problem").is_none());
}

fn bits(problem: &GeneratedProblem) -> Vec<u64> {
    let mut values = problem.problem.q().to_vec();
    if let Ok(w) = problem.factored() {
        values.extend(w.jacobian().as_flattened());
        values.extend(w.inverse_mass().as_flattened().as_flattened());
    } else {
        values.extend(problem.problem.delassus().to_dense(problem.problem.offsets()));
    }
    values.extend(&problem.free_velocity);
    values.extend(problem.known.impulse.iter().flatten());
    values.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn same_call_same_bits() {
    for entry in entries().iter().filter(|entry| entry.size != Size::Large) {
        assert_eq!(bits(&entry.generate().unwrap()), bits(&entry.generate().unwrap()), "{}", entry.name);
    }
    let seeded = |seed| spheres(3, 3, 3, &SpheresOptions { seed, ..SpheresOptions::default() }).unwrap();
    assert_ne!(bits(&seeded(1)), bits(&seeded(2)));
}

#[test]
fn refused_arguments_name_themselves() {
    assert!(matches!(stack(0, &PLAIN), Err(SceneError::Parameter { name: "cubes", .. })));
    assert!(matches!(wall(1, 3, &PLAIN), Err(SceneError::Parameter { .. })));
    assert!(matches!(stack(3, &PileOptions { mu: f64::NAN, ..PLAIN }), Err(SceneError::Problem(_))));
    assert!(matches!(chain(3, Masses::HeavyLast { ratio: -1.0 }), Err(SceneError::Parameter { .. })));
    assert!(matches!(plank(2.0, 0.5, 0.5), Err(SceneError::Parameter { .. })));
    let lcp = random_spd(5, 0.1, 1).unwrap();
    assert!(matches!(perturbed(&lcp, Perturbation::Kick { speed: 1.0 }, 1), Err(SceneError::NoBodies { .. })));
}

#[test]
fn unknown_bodies_are_refused() {
    let mut assembly = Assembly::default();
    let ball = assembly.body(Body::sphere(1.0, 0.5, [0.0, 0.0, 0.5]));
    assembly.contact([Some(ball), Some(7)], [0.0, 0.0, 1.0], [0.0; 3], 0.0, 0.5);
    let refused = assembly.build("unknown".to_owned(), Family::Box, Known::default());
    assert!(matches!(refused, Err(SceneError::Problem(_))), "{refused:?}");
}

#[test]
fn every_impulse_conserves_momentum_but_for_the_world() {
    let mut random = SplitMix64::new(9);
    for entry in entries().iter().filter(|entry| entry.size == Size::Small) {
        let problem = entry.generate().unwrap();
        let Ok(w) = problem.factored() else { continue };
        let r: Vec<f64> = (0..problem.problem.rows()).map(|_| random.normal()).collect();
        let after = problem.body_velocity(&r).unwrap();
        let mut gained = [0.0; 3];
        for (body, m) in w.inverse_mass().iter().enumerate() {
            for (k, gained) in gained.iter_mut().enumerate() {
                *gained += (after[6 * body + k] - problem.free_velocity[6 * body + k]) / m[0][0];
            }
        }
        // v has the round-off of v*, 1e-16 of a few m/s, times the heaviest mass.
        let heaviest = w.inverse_mass().iter().map(|m| 1.0 / m[0][0]).fold(1.0, f64::max);
        let world = problem.world_impulse(&r).unwrap();
        for k in 0..3 {
            assert!((gained[k] - world[k]).abs() < 1e-14 * heaviest * problem.bodies() as f64, "{}", problem.name);
        }
    }
}

#[test]
fn open_contacts_close_no_faster_than_their_gap() {
    let ball_above = |gap: f64| {
        let mut assembly = Assembly::default();
        let ball = assembly.body(Body::sphere(2.0, 0.5, [0.0, 0.0, 0.5 + gap]));
        assembly.contact([None, Some(ball)], [0.0, 0.0, 1.0], [0.0; 3], gap, 0.5);
        assembly.build("ball".to_owned(), Family::Box, Known::default()).unwrap()
    };
    // Free fall in one step covers g h² = 0.981 mm: a gap of 1 mm stays open.
    let open = ball_above(1e-3);
    assert!((open.problem.q()[0] - (0.1 - GRAVITY * STEP)).abs() < 1e-15);
    assert_eq!(certify(&open.problem, &[0.0; 3]).unwrap().natural, 0.0);
    // One of 0.5 mm is used up exactly: the ball arrives at 0.05 m/s.
    let closing = ball_above(5e-4);
    let r = [2.0 * (GRAVITY * STEP - 0.05), 0.0, 0.0];
    assert!(certify(&closing.problem, &r).unwrap().natural < 1e-16);
    assert!((closing.body_velocity(&r).unwrap()[2] + 0.05).abs() < 1e-16);
    // Overlap is not pushed out.
    assert_eq!(ball_above(-1e-3).problem.q()[0], -GRAVITY * STEP);
}

//! The broad phase finds what comparing all pairs finds, in the same order, without allocating anew.

use crate::geometry_fixtures::Rng;
use glamx::DVec3;
use signorini::shape::Aabb;
use signorini::step::broad_phase::BroadPhase;

fn all_pairs(boxes: &[Aabb]) -> Vec<(u32, u32)> {
    let mut out = vec![];
    for i in 0..boxes.len() {
        for j in i + 1..boxes.len() {
            if boxes[i].overlaps(&boxes[j]) {
                out.push((i as u32, j as u32));
            }
        }
    }
    out
}

fn random_boxes(rng: &mut Rng, count: usize, spread: f64) -> Vec<Aabb> {
    (0..count)
        .map(|_| {
            let centre = rng.in_cube() * spread;
            let half = DVec3::new(rng.unit(), rng.unit(), rng.unit());
            Aabb { min: centre - half, max: centre + half }
        })
        .collect()
}

#[test]
fn pairs_are_those_of_brute_force_sorted() {
    let mut rng = Rng::new(1);
    let mut broad = BroadPhase::default();
    let mut out = vec![];
    for case in 0..200 {
        let mut boxes = random_boxes(&mut rng, case * 2, 4.0);
        if case % 3 == 0 && !boxes.is_empty() {
            boxes[case] = Aabb::UNBOUNDED;
            boxes[0] = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::new(f64::INFINITY, f64::INFINITY, 0.0) };
        }
        broad.pairs(&boxes, &mut out);
        assert_eq!(out, all_pairs(&boxes));
    }
}

#[test]
fn identical_and_touching_boxes_pair_and_nan_does_not() {
    let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    let beside = Aabb { min: DVec3::X, max: DVec3::new(2.0, 1.0, 1.0) };
    let broken = Aabb { min: DVec3::splat(f64::NAN), max: DVec3::splat(f64::NAN) };
    let mut boxes = vec![unit; 30];
    boxes.push(beside);
    boxes.push(broken);
    let mut out = vec![];
    BroadPhase::default().pairs(&boxes, &mut out);
    assert_eq!(out.len(), 31 * 30 / 2);
    assert!(out.windows(2).all(|w| w[0] < w[1]));
}

/// Sequences of steps: whatever is remembered from earlier ones must not show.
#[test]
fn pairs_are_those_of_brute_force_however_the_boxes_moved_before() {
    let mut rng = Rng::new(7);
    let mut broad = BroadPhase::default();
    let mut out = vec![];
    // Share of boxes that move, and how far in a step: nothing, crawling, one wanderer, a few, all of them.
    for (case, (share, pace)) in
        [(0.0, 0.0), (1.0, 1e-4), (0.005, 0.3), (0.05, 0.3), (0.5, 0.3), (1.0, 0.3)].into_iter().enumerate()
    {
        let mut boxes = random_boxes(&mut rng, 200, 4.0);
        boxes[17] = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::new(f64::INFINITY, f64::INFINITY, 0.0) };
        for step in 0..60 {
            for bounds in &mut boxes {
                if rng.unit() < share && bounds.is_bounded() {
                    let by = rng.in_cube() * pace;
                    *bounds = Aabb { min: bounds.min + by, max: bounds.max + by };
                }
            }
            match step {
                // Thrown far, grown, broken, mended, gone and come.
                10 => boxes[40] = Aabb { min: DVec3::splat(90.0), max: DVec3::splat(91.0) },
                15 => boxes[41] = boxes[41].inflated(5.0),
                20 => boxes[42].max.y = f64::NAN,
                25 => boxes[42] = boxes[43],
                30 => boxes[44] = Aabb::UNBOUNDED,
                35 => boxes[44] = boxes[45],
                40 => boxes.truncate(180),
                45 => boxes.extend(random_boxes(&mut rng, 20, 4.0)),
                _ => {}
            }
            broad.pairs(&boxes, &mut out);
            assert_eq!(out, all_pairs(&boxes), "case {case}, step {step}");
        }
    }
}

//! The broad phase finds what comparing all pairs finds, in the same order, without allocating anew.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod geometry_fixtures;

use geometry_fixtures::Rng;
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
    let mut rng = Rng(1);
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

#[test]
fn the_filter_is_asked_for_overlapping_pairs_only() {
    let mut rng = Rng(6);
    let boxes = random_boxes(&mut rng, 300, 3.0);
    let expected: Vec<_> = all_pairs(&boxes).into_iter().filter(|(i, j)| (i + j) % 3 == 0).collect();
    let mut out = vec![];
    BroadPhase::default().pairs_filtered(
        &boxes,
        |i, j| {
            assert!(i < j && boxes[i as usize].overlaps(&boxes[j as usize]));
            (i + j) % 3 == 0
        },
        &mut out,
    );
    assert_eq!(out, expected);
}

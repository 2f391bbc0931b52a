//! Tests of matching and ageing of remembered contact impulses.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::ids::Key;
use crate::step::contact::{Feature, PatchState, contact_frame};

fn handle(slot: u32) -> BodyHandle {
    BodyHandle(Key { world: 0, slot, generation: 0, branch: 0 })
}

fn contact(a: u32, b: u32, point: DVec3, normal: DVec3, feature: Feature) -> Contact {
    Contact {
        a,
        b,
        feature,
        point,
        frame: contact_frame(normal),
        arm_a: DVec3::ZERO,
        arm_b: DVec3::ZERO,
        gap: 0.0,
        patch: PatchState::Shut,
        friction: 0.5,
        restitution: 0.0,
        running: DVec3::ZERO,
        grain: None,
        soft: None,
        rolling: None,
        impact: None,
        guess: Push::NONE,
    }
}

fn feature(number: u32) -> Feature {
    Feature { sub_a: number, ..Feature::default() }
}

fn stored(points: &[(DVec3, DVec3)]) -> ContactCache {
    let mut cache = ContactCache::default();
    store(&mut cache, points);
    cache
}

fn store(cache: &mut ContactCache, points: &[(DVec3, DVec3)]) {
    let entries = points.iter().enumerate().map(|(i, (point, impulse))| {
        let push = Push { impulse: *impulse, moment: DVec3::ZERO };
        let point = CachedPoint { feature: feature(i as u32), point: *point, normal: DVec3::Z, push };
        (handle(5), handle(3), point)
    });
    cache.store(0.016, entries, |_| false, |_| ());
}

/// Guess for one contact whose feature is not remembered.
fn guess_at(cache: &ContactCache, point: DVec3, normal: DVec3) -> DVec3 {
    let mut contacts = [contact(3, 5, point, normal, feature(99))];
    cache.guess(0.016, handle, &mut contacts, &mut Matching::default());
    contacts[0].guess.impulse
}

#[test]
fn store_retrieve_whichever_body_comes_first() {
    let cache = stored(&[(DVec3::X, 2.0 * DVec3::Z)]);
    assert_eq!(guess_at(&cache, DVec3::X, DVec3::Z), 2.0 * DVec3::Z);
}

#[test]
fn normal_turned_by_20_degrees_rejects_by_10_keeps() {
    let cache = stored(&[(DVec3::X, 2.0 * DVec3::Z)]);
    let turned = |degrees: f64| DVec3::new(degrees.to_radians().sin(), 0.0, degrees.to_radians().cos());
    assert_eq!(guess_at(&cache, DVec3::X, turned(20.0)), DVec3::ZERO);
    assert_eq!(guess_at(&cache, DVec3::X, turned(10.0)), 2.0 * DVec3::Z);
}

#[test]
fn shuffled_points_within_7_mm_find_their_own_and_one_metre_away_finds_none() {
    let corners = [DVec3::new(0.5, 0.5, 0.0), DVec3::new(-0.5, 0.5, 0.0), DVec3::new(-0.5, -0.5, 0.0)];
    let points: Vec<_> = corners.iter().enumerate().map(|(i, p)| (*p, (i + 1) as f64 * DVec3::Z)).collect();
    let cache = stored(&points);
    let near = |i: usize| corners[i] + DVec3::new(0.004, -0.004, 0.004);
    let mut contacts: Vec<_> = [2, 0, 1].map(|i| contact(3, 5, near(i), DVec3::Z, feature(90 + i as u32))).into();
    contacts.push(contact(3, 5, DVec3::new(1.5, 0.5, 0.0), DVec3::Z, feature(95)));
    cache.guess(0.016, handle, &mut contacts, &mut Matching::default());
    let guesses: Vec<f64> = contacts.iter().map(|c| c.guess.impulse.z).collect();
    assert_eq!(guesses, [3.0, 1.0, 2.0, 0.0]);
}

#[test]
fn a_point_that_moved_by_less_than_two_centimetres_is_found_and_one_that_moved_farther_is_not() {
    let cache = stored(&[(DVec3::X, 2.0 * DVec3::Z)]);
    for (moved, found) in [(0.0199, 2.0), (0.0201, 0.0), (0.05, 0.0), (0.0999, 0.0)] {
        for direction in [DVec3::X, -DVec3::Y, DVec3::new(0.0, 0.6, 0.8)] {
            assert_eq!(guess_at(&cache, DVec3::X + moved * direction, DVec3::Z), found * DVec3::Z, "{moved} m");
        }
    }
}

#[test]
fn the_same_feature_wins_over_a_nearer_point() {
    let cache = stored(&[(DVec3::X, DVec3::Z), (DVec3::Y, 2.0 * DVec3::Z)]);
    let mut contacts = [contact(3, 5, DVec3::X, DVec3::Z, feature(1))];
    cache.guess(0.016, handle, &mut contacts, &mut Matching::default());
    assert_eq!(contacts[0].guess.impulse, 2.0 * DVec3::Z);
}

#[test]
fn two_points_never_take_the_same_impulse() {
    let cache = stored(&[(DVec3::X, DVec3::Z)]);
    let mut contacts = [
        contact(3, 5, DVec3::X, DVec3::Z, feature(7)),
        contact(3, 5, DVec3::X + 0.001 * DVec3::Y, DVec3::Z, feature(8)),
    ];
    cache.guess(0.016, handle, &mut contacts, &mut Matching::default());
    assert_eq!(contacts[0].guess.impulse.z + contacts[1].guess.impulse.z, 1.0);
}

#[test]
fn expires_after_eleven_idle_steps_and_refresh_starts_anew() {
    let mut cache = stored(&[(DVec3::X, DVec3::Z)]);
    for _ in 0..10 {
        cache.store(0.016, std::iter::empty(), |_| false, |_| ());
    }
    assert_eq!(guess_at(&cache, DVec3::X, DVec3::Z), DVec3::Z);
    store(&mut cache, &[(DVec3::X, DVec3::Z)]);
    for _ in 0..10 {
        cache.store(0.016, std::iter::empty(), |_| false, |_| ());
    }
    assert_eq!(guess_at(&cache, DVec3::X, DVec3::Z), DVec3::Z);
    cache.store(0.016, std::iter::empty(), |_| false, |_| ());
    assert_eq!(guess_at(&cache, DVec3::X, DVec3::Z), DVec3::ZERO);
}

#[test]
fn impulses_scale_with_the_time_step() {
    let cache = stored(&[(DVec3::X, DVec3::Z)]);
    let mut contacts = [contact(3, 5, DVec3::X, DVec3::Z, feature(0))];
    cache.guess(0.008, handle, &mut contacts, &mut Matching::default());
    assert_eq!(contacts[0].guess.impulse, 0.5 * DVec3::Z);
}

#[test]
fn a_removed_body_is_forgotten() {
    let mut cache = stored(&[(DVec3::X, DVec3::Z)]);
    cache.forget(handle(5));
    assert_eq!(guess_at(&cache, DVec3::X, DVec3::Z), DVec3::ZERO);
}

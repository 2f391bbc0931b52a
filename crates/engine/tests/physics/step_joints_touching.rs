//! Joints and contacts in one island: impacts happen at once, forces and what carries against them act along the way.

use crate::fixture::*;

/// Twenty links of 0.1 m carry a thousand times their weight, and a cube stands on the load. With forces as kicks at the start
/// of a step, tension is explicit, and stable only below hω = 2; here h√(T/ml) = 17.
#[test]
fn a_loaded_chain_with_a_passenger_swings_and_stays_whole() {
    const STEP: f64 = 1.0 / 60.0;
    let mut w = world();
    let angle: f64 = 0.3;
    let down = v(angle.sin(), 0.0, -angle.cos());
    let links: Vec<_> = (0..20)
        .map(|i| {
            let body = Body::dynamic(Shape::sphere(0.02).unwrap()).mass(1.0).named(&format!("link {i}"));
            w.add(body.position((0.1 * f64::from(i) + 0.05) * down)).unwrap()
        })
        .collect();
    let half = 0.05 * down;
    w.add_joint(Joint::ball(links[0], -half, DVec3::ZERO)).unwrap();
    for pair in links.windows(2) {
        w.add_joint(Joint::ball(pair[1], -half, (pair[0], half))).unwrap();
    }
    let plate = Body::dynamic(Shape::cuboid(v(0.5, 0.5, 0.1)).unwrap()).mass(1000.0).material(surface(0.8, 0.0));
    let plate = w.add(plate.named("load").position(2.0 * down - v(0.0, 0.0, 0.1))).unwrap();
    w.add_joint(Joint::ball(plate, v(0.0, 0.0, 0.1), (links[19], half))).unwrap();
    let cube = Body::dynamic(Shape::cuboid(v(0.1, 0.1, 0.1)).unwrap()).mass(1.0).material(surface(0.8, 0.0));
    let cube = w.add(cube.named("passenger").position(2.0 * down + v(0.3, 0.0, 0.1))).unwrap();
    let mut carried = 0;
    let mut lowest = f64::INFINITY;
    for _ in 0..120 {
        let report = step_certified(&mut w, STEP);
        carried += usize::from(report.counts.contacts > 0);
        lowest = lowest.min(w.body(plate).unwrap().position().z);
    }
    assert!(carried > 100, "the passenger must ride along: {carried}");
    assert!(lowest < -2.0, "it must swing: {lowest}");
    assert!((w.body(cube).unwrap().position() - w.body(plate).unwrap().position()).length() < 0.6);
}

/// A bob on a rod hits a wall at the lowest point and leaves with e times its speed: an impact and a joint in one island.
#[test]
fn a_pendulum_bounces_off_a_wall_by_the_coefficient_of_its_material() {
    for e in [0.0, 0.5, 1.0] {
        let mut w = world();
        let bob = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).material(surface(0.0, e));
        let bob = w.add(bob.named("bob").position(v(-1.0, 0.0, 0.0))).unwrap();
        let wall = Body::fixed(Shape::cuboid(v(0.5, 1.0, 1.0)).unwrap()).material(surface(0.0, e));
        w.add(wall.named("wall").position(v(0.6, 0.0, -1.0))).unwrap();
        w.add_joint(Joint::distance(bob, DVec3::ZERO, DVec3::ZERO, 1.0)).unwrap();
        let (mut before, mut after) = (0.0f64, None);
        for _ in 0..150 {
            step_certified(&mut w, 0.005);
            let speed = w.body(bob).unwrap().velocity().x;
            if after.is_none() {
                if speed < 0.5 * before {
                    after = Some(speed);
                } else {
                    before = speed;
                }
            }
        }
        // √(2 g l) at the lowest point, less at the step before: the bob is met within a step of it.
        close(before, (2.0f64 * 9.81).sqrt(), 0.02);
        close(after.unwrap(), -e * before, 0.02);
    }
}

/// Ten planks of 1 kg on an arc, each hinged by two balls to the next, and a box of twenty times their mass that falls on the
/// middle. The tension that the blow makes pulls the planks up into the box within the step: a contact that is not in the rounds
/// that fit the joints is overrun by centimetres, and no correction of poses brings both back.
#[test]
fn a_slack_bridge_comes_taut_under_a_falling_box_and_stays_whole() {
    const STEP: f64 = 1.0 / 60.0;
    let (count, length, width, bend) = (10, 0.3, 0.4, 0.06);
    let mut w = world();
    let (mut at, mut before): (DVec3, Option<BodyHandle>) = (v(0.0, 0.0, 3.0), None);
    let mut middle = at;
    for i in 0..count {
        let angle: f64 = bend * (0.5 * f64::from(count - 1) - f64::from(i));
        let along = v(angle.cos(), 0.0, -angle.sin());
        let plank = Body::dynamic(Shape::cuboid(v(0.45 * length, width, 0.03)).unwrap()).mass(1.0);
        let plank = plank.named(&format!("plank {i}")).material(surface(0.5, 0.0));
        let plank = plank.position(at + 0.5 * length * along).orientation(DQuat::from_rotation_y(angle));
        let plank = w.add(plank).unwrap();
        for side in [-width, width] {
            let near = v(-0.5 * length, side, 0.0);
            let joint = match before {
                Some(before) => Joint::ball(plank, near, (before, v(0.5 * length, side, 0.0))),
                None => Joint::ball(plank, near, at + v(0.0, side, 0.0)),
            };
            w.add_joint(joint).unwrap();
        }
        if i == count / 2 {
            middle = at + 0.5 * length * along;
        }
        at += length * along;
        before = Some(plank);
    }
    for side in [-width, width] {
        w.add_joint(Joint::ball(before.unwrap(), v(0.5 * length, side, 0.0), at + v(0.0, side, 0.0))).unwrap();
    }
    let load = Body::dynamic(Shape::cuboid(DVec3::splat(0.15)).unwrap()).mass(20.0).material(surface(0.5, 0.0));
    let load = w.add(load.named("load").position(middle + v(-0.1, 0.0, 0.5))).unwrap();
    let mut lowest = f64::INFINITY;
    for _ in 0..60 {
        step_certified(&mut w, STEP);
        lowest = lowest.min(w.body(load).unwrap().position().z);
    }
    // Taut, the bridge is a triangle over the span of its ends: the box is not lower than that, and lower than when it landed.
    let span = at.x;
    let sag = ((0.5 * f64::from(count) * length).powi(2) - (0.5 * span).powi(2)).sqrt();
    assert!(lowest < middle.z + 0.18 && lowest > 3.0 - sag, "{lowest}");
}

//! Tests that the memory of pairs does not influence results.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::{Body, Settings, Shape, World};
use glamx::{DPose3, DQuat, DVec3};

const H: f64 = 1.0 / 60.0;

fn boxes(tilt: f64) -> World {
    let mut world = World::new(Settings::default()).unwrap();
    world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).named("floor")).unwrap();
    for i in 0..6 {
        let cube = Body::dynamic(Shape::cuboid(DVec3::splat(0.5)).unwrap()).orientation(DQuat::from_rotation_x(tilt));
        let at = DVec3::new(0.1 * f64::from(i % 2), 0.0, 0.5 + f64::from(i) * (1.0 + 0.1 * tilt));
        world.add(cube.position(at).named(&format!("{i}"))).unwrap();
    }
    world
}

/// Compared with a world that forgets all it may forget before every step.
#[test]
fn resting_and_falling_worlds_are_the_same_bits_with_and_without_memory() {
    for tilt in [0.0, 0.05] {
        let (mut remembering, mut forgetful) = (boxes(tilt), boxes(tilt));
        for step in 0..100 {
            if let Some(workspace) = &mut forgetful.workspace {
                workspace.collision.detector = Default::default();
            }
            remembering.step(H).unwrap();
            forgetful.step(H).unwrap();
            let touches = |world: &World| {
                world
                    .workspace
                    .as_ref()
                    .unwrap()
                    .collision
                    .plan
                    .touches
                    .iter()
                    .map(|t| t.manifold.clone())
                    .collect::<Vec<_>>()
            };
            assert_eq!(touches(&remembering), touches(&forgetful), "step {step}, tilt {tilt}");
            assert_eq!(remembering.state_hash(), forgetful.state_hash(), "step {step}, tilt {tilt}");
        }
    }
}

/// A workspace is only memory: a new one in every step gives the same bits.
#[test]
fn a_new_workspace_in_every_step_does_not_change_a_bit() {
    let (mut kept, mut renewed) = (boxes(0.05), boxes(0.05));
    for _ in 0..60 {
        renewed.workspace = None;
        kept.step(H).unwrap();
        renewed.step(H).unwrap();
        assert_eq!(kept.state_hash(), renewed.state_hash());
    }
}

#[test]
fn pairs_are_found_again_and_forgotten_with_their_bodies() {
    let handle = |slot| BodyHandle(crate::ids::Key { world: 0, slot, generation: 0, branch: 0 });
    let (mut narrow, mut memory) = (NarrowPhase::default(), PairMemory::default());
    let (ball, pose) = (Shape::sphere(0.5).unwrap(), DPose3::from_parts(DVec3::X, DQuat::IDENTITY));
    let mut ask = |memory: &mut PairMemory, bodies: &[u32], pair: (u32, u32)| {
        memory.begin(bodies.iter().map(|slot| handle(*slot)), &mut narrow);
        let cache = memory.pair(pair, &mut narrow);
        let known = cache.knows();
        narrow.collide_cached(cache, &ball, &DPose3::IDENTITY, &ball, &pose, 0.01, &mut Vec::new());
        known
    };
    assert!(!ask(&mut memory, &[0, 1, 2], (0, 1)));
    assert!(ask(&mut memory, &[0, 1, 2], (0, 1)));
    assert!(!ask(&mut memory, &[0, 1, 2], (1, 2)), "another pair");
    assert!(!ask(&mut memory, &[0, 1, 2], (0, 1)), "was not near for a step");
    assert!(!ask(&mut memory, &[0, 1, 3], (0, 1)), "ranks stand for other bodies");
}

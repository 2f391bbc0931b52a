//! Wheels roll: a cylinder on its side touches along its lowest line, and its roundness does not brake it.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use signorini::glamx::{DQuat, DVec3};
use signorini::{Body, BodyHandle, Material, Settings, Shape, StepStatus, World};

const RADIUS: f64 = 0.3;
const STEP: f64 = 1.0 / 60.0;

/// A wheel with its axle along y, touching the ground at the origin.
fn wheel_on(ground: Shape, depth: f64, normal: DVec3) -> (World, BodyHandle) {
    let rubber = Material::new(0.9, 0.0);
    let mut world = World::new(Settings::default()).unwrap();
    world.add(Body::fixed(ground).material(rubber).position(-normal * depth).named("ground")).unwrap();
    let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let wheel = Body::dynamic(Shape::cylinder(0.1, RADIUS).unwrap()).mass(10.0).material(rubber);
    let wheel = world.add(wheel.orientation(upright).position(normal * RADIUS).named("wheel")).unwrap();
    (world, wheel)
}

#[test]
fn a_wheel_is_not_braked_by_its_own_roundness() {
    // Rolling without slip on a level floor, v = ω r, nothing does work: the velocity stays. h ω is up to 1.7 rad.
    let floors =
        [(Shape::half_space(DVec3::Z).unwrap(), 0.0), (Shape::cuboid(DVec3::new(100.0, 2.0, 0.5)).unwrap(), 0.5)];
    for (floor, depth) in floors {
        for speed in [0.5, 3.0, 10.0, 30.0] {
            let (mut world, wheel) = wheel_on(floor.clone(), depth, DVec3::Z);
            world.set_velocity(wheel, DVec3::X * speed).unwrap();
            world.set_spin(wheel, DVec3::Y * (speed / RADIUS)).unwrap();
            for step in 0..120 {
                assert_eq!(world.step(STEP).unwrap().status, StepStatus::Certified, "{speed} m/s, step {step}");
            }
            let body = world.body(wheel).unwrap();
            let off = (body.velocity() - DVec3::X * speed).length();
            assert!(off < 1e-8 * speed, "{speed} m/s: off by {off:e} m/s");
            assert!((body.position().z - RADIUS).abs() < 1e-8, "{speed} m/s: z = {}", body.position().z);
            assert!((body.position().x - 120.0 * STEP * speed).abs() < 1e-7 * speed);
        }
    }
}

#[test]
fn a_cylinder_rolls_down_a_slope_with_two_thirds_of_g_sin() {
    // I = m r²/2, so a = g sin θ / (1 + I/(m r²)) = (2/3) g sin θ; friction needed tan θ / 3 = 0.25 < 0.9.
    let normal = DVec3::new(0.6, 0.0, 0.8);
    let (mut world, wheel) = wheel_on(Shape::half_space(normal).unwrap(), 0.0, normal);
    for _ in 0..60 {
        assert_eq!(world.step(STEP).unwrap().status, StepStatus::Certified);
    }
    let speed = world.body(wheel).unwrap().velocity().length();
    assert!((speed - 9.81 * 0.6 * 2.0 / 3.0).abs() < 1e-7, "{speed}");
}

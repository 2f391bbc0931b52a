//! A bin of 200 mixed objects on a slope, the lower wall of which tilts away: what is inside slides out.
//!
//! Spheres, boxes, capsules and tetrahedra are put into an open box on a slope of 20°, steeper than their friction holds.
//! Nothing leaves it, and nothing overlaps by more than a tenth of a millimetre. The lower wall turns about its lower edge until
//! it lies flat, and what is nearest to it slides out over it.
#![allow(clippy::print_stdout)]

use signorini::glamx::{DQuat, DVec3};
use signorini::{Body, BodyHandle, Material, Settings, Shape, StepStatus, World};
use std::f64::consts::FRAC_PI_2;

const COUNT: usize = 200;
const STEP: f64 = 1.0 / 60.0;
/// Half of the inner width of the bin, and its height \[m\].
const HALF: f64 = 0.8;
const HEIGHT: f64 = 0.3;
const WALL: f64 = 0.05;
/// Steps in which things settle, the wall turns, and things pour; the slope \[rad\].
const SETTLE: usize = 10;
const TILT: usize = 20;
const POUR: usize = 30;
const SLOPE: f64 = 0.349;

/// One of four shapes, about 6 cm across.
fn thing(index: usize) -> Result<Shape, Box<dyn std::error::Error>> {
    let size = 0.03 + 0.002 * (index % 5) as f64;
    Ok(match index % 8 {
        0..4 => Shape::sphere(size)?,
        4 => Shape::cuboid(DVec3::new(size, 0.8 * size, 0.6 * size))?,
        5 | 6 => Shape::capsule(0.6 * size, 0.5 * size)?,
        _ => {
            let s = 0.8 * size;
            let corners = [[s, s, s], [s, -s, -s], [-s, s, -s], [-s, -s, s]].map(DVec3::from_array);
            Shape::convex_hull(&corners)?
        }
    })
}

/// Where the wall is when it has turned by an angle about its lower inner edge, outwards.
fn centre_of_wall(angle: f64) -> DVec3 {
    DVec3::new(HALF, 0.0, 0.0) + DQuat::from_rotation_y(angle) * DVec3::new(WALL, 0.0, 0.5 * HEIGHT)
}

struct Bin {
    world: World,
    wall: BodyHandle,
    things: Vec<BodyHandle>,
}

fn bin() -> Result<Bin, Box<dyn std::error::Error>> {
    // The bin is level in its own frame: gravity is what slopes.
    let gravity = 9.81 * DVec3::new(SLOPE.sin(), 0.0, -SLOPE.cos());
    let mut world = World::new(Settings { gravity, ..Settings::default() })?;
    let wood = Material::new(0.2, 0.0);
    world.add(Body::fixed(Shape::half_space(DVec3::Z)?).material(wood).named("floor"))?;
    let (across, thick) = (HALF + 2.0 * WALL, WALL);
    let sides = [
        ("back", DVec3::new(-HALF - WALL, 0.0, 0.5 * HEIGHT), DVec3::new(thick, across, 0.5 * HEIGHT)),
        ("left", DVec3::new(0.0, HALF + WALL, 0.5 * HEIGHT), DVec3::new(HALF, thick, 0.5 * HEIGHT)),
        ("right", DVec3::new(0.0, -HALF - WALL, 0.5 * HEIGHT), DVec3::new(HALF, thick, 0.5 * HEIGHT)),
    ];
    for (name, place, half) in sides {
        world.add(Body::fixed(Shape::cuboid(half)?).position(place).material(wood).named(name))?;
    }
    let shape = Shape::cuboid(DVec3::new(thick, across, 0.5 * HEIGHT))?;
    let wall = world.add(Body::kinematic(shape).position(centre_of_wall(0.0)).material(wood).named("wall"))?;
    let mut things = Vec::new();
    for k in 0..COUNT {
        let (x, y) = (k / 15, k % 15);
        let turn = DQuat::from_axis_angle(DVec3::new(1.0, 0.3, 0.2).normalize(), 0.7 * k as f64);
        let place = DVec3::new(0.1 * x as f64 - 0.6, 0.1 * y as f64 - 0.7, 0.05);
        let body = Body::dynamic(thing(k)?).density(500.0).position(place).orientation(turn);
        things.push(world.add(body.material(wood).named(&format!("thing {k}")))?);
    }
    Ok(Bin { world, wall, things })
}

/// Takes steps; how many were certified, and the deepest overlap that they left \[m\].
fn run(world: &mut World, steps: usize) -> Result<(usize, f64), Box<dyn std::error::Error>> {
    let (mut certified, mut deepest) = (0, 0.0);
    for _ in 0..steps {
        let report = world.step(STEP)?;
        certified += usize::from(report.status == StepStatus::Certified);
        deepest = f64::max(deepest, report.certificate.overlap.value);
    }
    Ok((certified, deepest))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Bin { mut world, wall, things } = bin()?;
    let outside = |world: &World| -> Result<usize, Box<dyn std::error::Error>> {
        let mut count = 0;
        for body in &things {
            let place = world.body(*body)?.position();
            count += usize::from(place.x.abs() > HALF || place.y.abs() > HALF || place.z < 0.0);
        }
        Ok(count)
    };
    let (settled, first) = run(&mut world, SETTLE)?;
    assert_eq!(outside(&world)?, 0, "something left the bin");
    // A quarter turn about +y, step by step along the arc of its centre.
    let turn = FRAC_PI_2 / TILT as f64;
    world.set_angular_velocity(wall, DVec3::new(0.0, turn / STEP, 0.0))?;
    let (mut tilting, mut second) = (0, 0.0);
    for step in 0..TILT {
        let way = centre_of_wall((step + 1) as f64 * turn) - world.body(wall)?.position();
        world.set_velocity(wall, way / STEP)?;
        let (certified, deepest) = run(&mut world, 1)?;
        tilting += certified;
        second = f64::max(second, deepest);
    }
    world.set_velocity(wall, DVec3::ZERO)?;
    world.set_angular_velocity(wall, DVec3::ZERO)?;
    let (pouring, third) = run(&mut world, POUR)?;
    let out = outside(&world)?;
    let (certified, deepest) = (settled + tilting + pouring, first.max(second).max(third));
    println!("{out} of {COUNT} things slid out; {certified} of {} steps certified", SETTLE + TILT + POUR);
    println!("no two bodies overlap by more than {:.4} mm", 1e3 * deepest);
    assert!(out >= COUNT / 10, "the things stay in the open bin");
    assert!(deepest <= 1e-4, "{deepest} m");
    // Heaps that move miss the residual of 1e-6 m/s in a step now and then.
    assert!(certified * 10 >= (SETTLE + TILT + POUR) * 9);
    Ok(())
}

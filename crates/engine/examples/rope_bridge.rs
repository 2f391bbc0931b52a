//! A rope with a weight, and a bridge of planks with a ball on it: joints stay closed, and the ends carry what hangs between them.
#![allow(clippy::print_stdout)]

use signorini::glamx::{DQuat, DVec3};
use signorini::{Anchor, Body, Frame, Joint, JointHandle, Settings, Shape, World};
use std::f64::consts::FRAC_PI_2;

const STEP: f64 = 1.0 / 120.0;
const GRAVITY: f64 = 9.81;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    rope()?;
    bridge()
}

/// Twenty links of 0.1 kg and a weight of 50 kg below. At rest the uppermost joint carries all of it.
fn rope() -> Result<(), Box<dyn std::error::Error>> {
    let (links, half) = (20_u32, 0.05);
    let mut world = World::new(Settings::default())?;
    let mut above = Anchor::World(Frame::from(DVec3::ZERO));
    let mut top = None;
    for k in 0..links {
        let at = DVec3::new(0.0, 0.0, -half * f64::from(2 * k + 1));
        let link = Body::dynamic(Shape::capsule(half * 0.8, 0.01)?).mass(0.1).position(at).numbered(u64::from(k));
        let link = world.add(link)?;
        let joint = world.add_joint(Joint::ball(link, DVec3::new(0.0, 0.0, half), above))?;
        top.get_or_insert(joint);
        above = Anchor::Body(link, Frame::from(DVec3::new(0.0, 0.0, -half)));
    }
    let at = DVec3::new(0.0, 0.0, -2.0 * half * f64::from(links) - 0.15);
    let weight = world.add(Body::dynamic(Shape::sphere(0.15)?).mass(50.0).position(at).named("weight"))?;
    world.add_joint(Joint::ball(weight, DVec3::new(0.0, 0.0, 0.15), above))?;
    for _ in 0..240 {
        world.step(STEP)?;
    }
    let top = top.ok_or("a rope has links")?;
    let pull = pulled(&world, top)?.z;
    println!("rope: its end carries {pull:.3} N of {:.3} N", 52.0 * GRAVITY);
    assert!((pull.abs() - 52.0 * GRAVITY).abs() < 1e-3);
    Ok(())
}

/// Twelve planks between two piers, hinged with a little friction, sag and carry a ball. The piers carry everything.
fn bridge() -> Result<(), Box<dyn std::error::Error>> {
    let (planks, half) = (12_u32, 0.2);
    let mut world = World::new(Settings::default())?;
    // Hinges turn about y: the z axis of a frame is the axis of a hinge.
    let turn = DQuat::from_rotation_x(-FRAC_PI_2);
    let frame = |x: f64| Frame { point: DVec3::new(x, 0.0, 0.0), axes: turn };
    // A shallow arc of slack: the planks are laid along a circle, end to end.
    let step = 0.06;
    let mut at = DVec3::ZERO;
    let mut before = Anchor::World(frame(0.0));
    let mut first = None;
    let mut last = None;
    for k in 0..planks {
        let angle = step * (f64::from(k) - 0.5 * f64::from(planks - 1));
        // Sloping down first: a rotation about y by −angle lowers the far end.
        let slope = DQuat::from_rotation_y(-angle);
        let along = slope * DVec3::new(half, 0.0, 0.0);
        let plank = Body::dynamic(Shape::cuboid(DVec3::new(0.9 * half, 0.3, 0.02))?).mass(4.0);
        let plank = world.add(plank.position(at + along).orientation(slope).named(&format!("plank {k:02}")))?;
        let hinge = Joint::revolute(plank, frame(-half), before).friction(0.5).damping(2.0);
        first.get_or_insert(world.add_joint(hinge)?);
        before = Anchor::Body(plank, frame(half));
        at += 2.0 * along;
        last = Some(plank);
    }
    let last = last.ok_or("a bridge has planks")?;
    let end = world.add_joint(Joint::revolute(last, frame(half), Anchor::World(Frame { point: at, axes: turn })))?;
    let middle = DVec3::new(0.5 * at.x, 0.0, 0.6);
    world.add(Body::dynamic(Shape::sphere(0.1)?).mass(10.0).position(middle).named("ball"))?;
    let mut widest: f64 = 0.0;
    for _ in 0..600 {
        widest = widest.max(world.step(STEP)?.certificate.joint_gap.value);
    }
    let first = first.ok_or("a bridge has hinges")?;
    let carried = pulled(&world, first)?.z.abs() + pulled(&world, end)?.z.abs();
    let weight = (4.0 * f64::from(planks) + 10.0) * GRAVITY;
    println!("bridge: its ends carry {carried:.2} N of {weight:.2} N; widest gap of a joint {widest:.1e} m");
    assert!((carried / weight - 1.0).abs() < 0.02, "the ends carry the bridge and the ball");
    assert!(widest < 1e-6);
    Ok(())
}

/// The force that a joint exerts \[N\].
fn pulled(world: &World, joint: JointHandle) -> Result<DVec3, Box<dyn std::error::Error>> {
    Ok(world.joint_forces(joint)?.force)
}

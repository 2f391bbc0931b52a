//! A bridge of planks hangs between two points and carries a crate. Its ends carry half the weight each, and pull along it with
//! what the slope of the first plank says.
//!
//! `cargo run --example bridge -- --scene > bridge.json` writes it down; `signorini view bridge.json` shows it.
#![allow(clippy::print_stdout)]

use signorini::glamx::{DQuat, DVec3};
use signorini::{Body, Frame, Joint, JointHandle, Scene, Settings, Shape, StepStatus, World};

const G: f64 = 9.81;
const DT: f64 = 1.0 / 240.0;
const PLANKS: usize = 11;
const LENGTH: f64 = 0.5;
/// Of a plank, and of the crate \[kg\].
const PLANK: f64 = 10.0;
const CRATE: f64 = 60.0;

fn bridge() -> Result<(World, JointHandle, JointHandle), Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    let frame = |x: f64| Frame::along(DVec3::new(x, 0.0, 0.0), DVec3::Y);
    let (mut end, mut before, mut first) = (DVec3::new(0.0, 0.0, 3.0), None, None);
    for index in 0..PLANKS {
        // At first an arc: slopes from −0.4 to 0.4 rad, downwards to begin with.
        let turn = DQuat::from_rotation_y(0.4 * (1.0 - 2.0 * index as f64 / (PLANKS - 1) as f64));
        let half = turn * DVec3::new(0.5 * LENGTH, 0.0, 0.0);
        let plank = Body::dynamic(Shape::cuboid(DVec3::new(0.48 * LENGTH, 0.5, 0.02))?).mass(PLANK);
        let plank = plank.position(end + half).orientation(turn).numbered(index as u64);
        let plank = world.add(plank)?;
        let hinge = match before {
            None => Joint::revolute(plank, frame(-0.5 * LENGTH), Frame::along(end, DVec3::Y)),
            Some(before) => Joint::revolute(plank, frame(-0.5 * LENGTH), (before, frame(0.5 * LENGTH))),
        };
        let hinge = world.add_joint(hinge.damping(20.0))?;
        first = first.or(Some(hinge));
        before = Some(plank);
        end += 2.0 * half;
    }
    let last = before.ok_or("no planks")?;
    let last =
        world.add_joint(Joint::revolute(last, frame(0.5 * LENGTH), Frame::along(end, DVec3::Y)).damping(20.0))?;
    let middle = world.find(PLANKS as u64 / 2).ok_or("no middle")?;
    let above = world.body(middle)?.position() + DVec3::new(0.0, 0.0, 0.02 + 0.15);
    world.add(Body::dynamic(Shape::cuboid(DVec3::splat(0.15))?).mass(CRATE).position(above).named("crate"))?;
    Ok((world, first.ok_or("no planks")?, last))
}

/// Takes steps, and says how many are certified.
fn run(world: &mut World, steps: usize) -> Result<(), Box<dyn std::error::Error>> {
    let mut certified = 0;
    for _ in 0..steps {
        certified += usize::from(world.step(DT)?.status == StepStatus::Certified);
    }
    println!("{certified} of {steps} steps certified");
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut world, first, last) = bridge()?;
    if std::env::args().any(|argument| argument == "--scene") {
        println!("{}", Scene::describe(&world, DT).to_json());
        return Ok(());
    }
    run(&mut world, 1200)?;
    let weight = PLANKS as f64 * PLANK * G + CRATE * G;
    let (left, right) = (world.joint_forces(first)?.force, world.joint_forces(last)?.force);
    // About the middle of the first plank: 2 H sin θ = (2 V − w) cos θ with V upwards at its end and H along.
    let plank = world.body(world.find(0_u64).ok_or("no plank")?)?;
    let along = plank.orientation() * DVec3::X;
    let pull = (0.5 * weight - 0.5 * PLANK * G) / (-along.z / along.x);
    println!(
        "the ends carry {:.3} N and {:.3} N of {weight:.3} N, and pull with {:.3} N: {pull:.3} N by hand",
        left.z, right.z, -left.x
    );
    assert!((left.z + right.z - weight).abs() < 1e-3 * weight);
    assert!((left.x + right.x).abs() < 1e-3 * weight);
    assert!((-left.x - pull).abs() < 1e-3 * pull);
    Ok(())
}

//! Two jaws press on a box with F and lift it by friction. A box that needs less than 2μF moves with the hand; a heavier one slides
//! down between the jaws with g − 2μF/m.
//!
//! `cargo run --example gripper -- --scene > gripper.json` writes the light one down; `signorini view gripper.json` shows it.
#![allow(clippy::print_stdout)]

use signorini::glamx::DVec3;
use signorini::{Body, BodyHandle, Frame, Joint, Motor, Scene, Settings, Shape, StepStatus, World};

const G: f64 = 9.81;
const DT: f64 = 1.0 / 240.0;
/// Of the jaws on the box \[N\].
const GRIP: f64 = 20.0;
const FRICTION: f64 = 0.5;
/// Of the palm and of each jaw \[kg\].
const PALM: f64 = 2.0;
const JAW: f64 = 0.5;

struct Gripper {
    world: World,
    palm: BodyHandle,
    load: BodyHandle,
}

/// A hand that holds a box of some mass \[kg\] and is lifted at 0.2 m/s by a motor of some force \[N\].
fn gripper(mass: f64, lift: f64) -> Result<Gripper, Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    let surface = signorini::Material::new(FRICTION, 0.0);
    let palm = Body::dynamic(Shape::cuboid(DVec3::new(0.05, 0.3, 0.02))?).mass(PALM);
    let palm = world.add(palm.position(DVec3::new(0.0, 0.0, 1.0)).named("palm"))?;
    let rail = Frame::along(DVec3::new(0.0, 0.0, 1.0), DVec3::Z);
    let up = Joint::prismatic(palm, Frame::along(DVec3::ZERO, DVec3::Z), rail);
    world.add_joint(up.motor(Motor::velocity(0.2, lift)))?;
    let load = Body::dynamic(Shape::cuboid(DVec3::splat(0.1))?).mass(mass).material(surface);
    let load = world.add(load.position(DVec3::new(0.0, 0.0, 0.8)).named("box"))?;
    for (name, side) in [("left jaw", 1.0), ("right jaw", -1.0)] {
        let jaw = Body::dynamic(Shape::cuboid(DVec3::new(0.08, 0.01, 0.15))?).mass(JAW).material(surface);
        let jaw = world.add(jaw.position(DVec3::new(0.0, 0.11 * side, 0.83)).named(name))?;
        // Along the inward normal; blocked by the box, the motor gives all it has.
        let inward = DVec3::new(0.0, -side, 0.0);
        let on_palm = Frame::along(DVec3::new(0.0, 0.11 * side, -0.17), inward);
        let slide = Joint::prismatic(jaw, Frame::along(DVec3::ZERO, inward), (palm, on_palm));
        world.add_joint(slide.motor(Motor::velocity(0.1, GRIP)))?;
    }
    Ok(Gripper { world, palm, load })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hand = PALM + 2.0 * JAW;
    // Lifted with 1 m/s² a box of 1.8 kg needs 1.8 · 10.81 = 19.5 N of the 2 · 0.5 · 20 = 20 N.
    let mass = 1.8;
    let mut light = gripper(mass, (hand + mass) * (G + 1.0))?;
    if std::env::args().any(|argument| argument == "--scene") {
        println!("{}", Scene::describe(&light.world, DT).to_json());
        return Ok(());
    }
    for step in 1..=120 {
        assert_eq!(light.world.step(DT)?.status, StepStatus::Certified);
        let speed = (step as f64 * DT).min(0.2);
        let (palm, load) = (light.world.body(light.palm)?, light.world.body(light.load)?);
        assert!((palm.velocity().z - speed).abs() < 1e-6, "{} {speed}", palm.velocity().z);
        assert!((load.velocity() - palm.velocity()).length() < 1e-6, "the box moves with the hand");
    }
    // 2.2 kg need 21.6 N to be held at all: they go down with g − 2μF/m, while the hand goes up.
    let mass = 2.2;
    let mut heavy = gripper(mass, 1e4)?;
    let start = heavy.world.body(heavy.load)?.position().z;
    for _ in 0..60 {
        assert_eq!(heavy.world.step(DT)?.status, StepStatus::Certified);
    }
    let fallen = start - heavy.world.body(heavy.load)?.position().z;
    let (acceleration, time) = (G - 2.0 * FRICTION * GRIP / mass, 60.0 * DT);
    let paper = 0.5 * acceleration * time * time;
    println!("1.8 kg rise with the hand; 2.2 kg slip down by {fallen:.6} m in {time} s, {paper:.6} m by hand");
    assert!((fallen - paper).abs() < 0.01 * paper);
    Ok(())
}

//! A vehicle on four springs and four driven wheels. At rest its springs give way by mg/(4k); under way the wheels roll at the
//! speed of their motors, and before that their torque pushes all of it along.
//!
//! `cargo run --example vehicle -- --scene > vehicle.json` writes it down; `signorini view vehicle.json` shows it.
#![allow(clippy::print_stdout)]

use signorini::glamx::DVec3;
use signorini::{
    Body, BodyHandle, Frame, Joint, JointHandle, Material, Motor, Scene, Settings, Shape, StepStatus, World,
};

const G: f64 = 9.81;
const DT: f64 = 1.0 / 240.0;
/// \[kg\].
const CHASSIS: f64 = 400.0;
const HUB: f64 = 5.0;
const WHEEL: f64 = 10.0;
/// \[m\].
const RADIUS: f64 = 0.3;
/// Of each spring [N/m], [N·s/m].
const STIFFNESS: f64 = 20_000.0;
const DAMPING: f64 = 3000.0;
/// Of each motor [N·m].
const TORQUE: f64 = 60.0;

struct Vehicle {
    world: World,
    chassis: BodyHandle,
    springs: Vec<JointHandle>,
    motors: Vec<JointHandle>,
}

fn vehicle() -> Result<Vehicle, Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    let rubber = Material::new(0.9, 0.0);
    world.add(Body::fixed(Shape::half_space(DVec3::Z)?).material(rubber).named("road"))?;
    let chassis = Body::dynamic(Shape::cuboid(DVec3::new(1.2, 0.35, 0.15))?).mass(CHASSIS);
    let chassis = world.add(chassis.position(DVec3::new(0.0, 0.0, 0.5)).named("chassis"))?;
    let (mut springs, mut motors) = (Vec::new(), Vec::new());
    for (name, x, y) in [("fl", 1.0, 0.7), ("fr", 1.0, -0.7), ("bl", -1.0, 0.7), ("br", -1.0, -0.7)] {
        let place = DVec3::new(x, y, RADIUS);
        let hub = Body::dynamic(Shape::sphere(0.08)?).mass(HUB).position(place);
        let hub = world.add(hub.named(&format!("hub {name}")))?;
        let on_chassis = Frame::along(place - DVec3::new(0.0, 0.0, 0.5), DVec3::Z);
        let spring = Joint::prismatic(hub, Frame::along(DVec3::ZERO, DVec3::Z), (chassis, on_chassis));
        springs.push(world.add_joint(spring.spring(STIFFNESS, DAMPING, 0.0))?);
        let wheel = Body::dynamic(Shape::sphere(RADIUS)?).mass(WHEEL).material(rubber).position(place);
        let wheel = world.add(wheel.named(&format!("wheel {name}")))?;
        let along = Frame::along(DVec3::ZERO, DVec3::Y);
        let axle = Joint::revolute(wheel, along, (hub, along));
        motors.push(world.add_joint(axle.motor(Motor::velocity(0.0, TORQUE)))?);
    }
    Ok(Vehicle { world, chassis, springs, motors })
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
    let Vehicle { mut world, chassis, springs, motors } = vehicle()?;
    run(&mut world, 1200)?;
    let sag = CHASSIS * G / (4.0 * STIFFNESS);
    for spring in springs {
        let found = world.joint_position(spring)?[0];
        assert!((found - sag).abs() < 1e-6, "{found} {sag}");
    }
    // Forward is rolling about +y.
    let speed = 3.0;
    for motor in motors {
        world.set_motor_target(motor, 0, speed / RADIUS)?;
    }
    if std::env::args().any(|argument| argument == "--scene") {
        println!("{}", Scene::describe(&world, DT).to_json());
        return Ok(());
    }
    run(&mut world, 240)?;
    // Four wheels push with 4 T/r; they have to be turned as well, which takes as much as 2/5 of their mass.
    let all = CHASSIS + 4.0 * (HUB + 1.4 * WHEEL);
    let (found, paper) = (world.body(chassis)?.velocity().x, 4.0 * TORQUE / RADIUS / all);
    println!("springs give way by {:.1} mm; after 1 s it goes {found:.4} m/s, {paper:.4} by hand", 1e3 * sag);
    assert!((found / paper - 1.0).abs() < 0.02, "{found} {paper}");
    run(&mut world, 720)?;
    let found = world.body(chassis)?.velocity().x;
    println!("and then {found:.6} m/s: wheels of {RADIUS} m that turn at {} rad/s", speed / RADIUS);
    assert!((found - speed).abs() < 1e-3);
    Ok(())
}

//! An arm of three links is held by servos. What each exerts is the moment of everything beyond it.
//!
//! `cargo run --example arm -- --scene > arm.json` writes it down; `signorini view arm.json` shows it.
#![allow(clippy::print_stdout)]

use signorini::glamx::DVec3;
use signorini::{Body, Frame, Joint, Scene, Settings, Shape, StepStatus, World};

const G: f64 = 9.81;
const DT: f64 = 1.0 / 240.0;
const LENGTH: f64 = 0.5;

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
    let mut world = World::new(Settings::default())?;
    let (mut links, mut hinges) = (Vec::new(), Vec::new());
    for (index, mass) in [2.0, 1.5, 1.0].into_iter().enumerate() {
        let centre = DVec3::new((index as f64 + 0.5) * LENGTH, 0.0, 1.0);
        let link = Body::dynamic(Shape::cuboid(DVec3::new(0.5 * LENGTH, 0.03, 0.03))?).mass(mass).position(centre);
        let link = world.add(link.named(&format!("link {index}")))?;
        let near = Frame::along(DVec3::new(-0.5 * LENGTH, 0.0, 0.0), DVec3::Y);
        let hinge = match links.last() {
            None => Joint::revolute(link, near, Frame::along(DVec3::Z, DVec3::Y)),
            Some((before, _)) => {
                let far = Frame::along(DVec3::new(0.5 * LENGTH, 0.0, 0.0), DVec3::Y);
                Joint::revolute(link, near, (*before, far))
            }
        };
        // Turning about y by a negative angle lifts. Stiff and well damped.
        hinges.push(world.add_joint(hinge.servo(5000.0, 500.0, -0.3, 100.0))?);
        links.push((link, mass));
    }
    if std::env::args().any(|argument| argument == "--scene") {
        println!("{}", Scene::describe(&world, DT).to_json());
        return Ok(());
    }
    run(&mut world, 400)?;
    for (index, hinge) in hinges.iter().enumerate() {
        // Where the hinge is: at the near end of its link.
        let body = world.body(links[index].0)?;
        let at = body.pose().transform_point(DVec3::new(-0.5 * LENGTH, 0.0, 0.0));
        let mut moment = 0.0;
        for (link, mass) in &links[index..] {
            moment += mass * G * (world.body(*link)?.position().x - at.x);
        }
        let torque = world.joint_forces(*hinge)?.coordinates[0].motor;
        println!("hinge {index}: the servo holds {:.6} N·m, the weight turns with {moment:.6} N·m", -torque);
        assert!((torque + moment).abs() < 1e-6 * moment, "{torque} {moment}");
    }
    Ok(())
}

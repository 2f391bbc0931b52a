//! A box slides to a stop: the distance is v²/2μg, and what friction took is the kinetic energy it had.
#![allow(clippy::print_stdout)]

use signorini::glamx::DVec3;
use signorini::{Body, Material, Settings, Shape, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (friction, speed, dt) = (0.5, 10.0, 0.001);
    let mut world = World::new(Settings::default())?;
    let surface = Material::new(friction, 0.0);
    world.add(Body::fixed(Shape::half_space(DVec3::Z)?).material(surface).named("floor"))?;
    let crate_ = Body::dynamic(Shape::cuboid(DVec3::splat(0.5))?).mass(5.0).position(DVec3::new(0.0, 0.0, 0.5));
    let crate_ = world.add(crate_.velocity(DVec3::new(speed, 0.0, 0.0)).material(surface).named("crate"))?;

    let mut friction_work = 0.0;
    while world.body(crate_)?.velocity().length() > 1e-6 {
        friction_work += world.step(dt)?.energy.friction;
    }
    let (distance, time) = (world.body(crate_)?.position().x, world.time());
    println!("stopped after {distance:.3} m and {time:.3} s; friction took {:.3} J", -friction_work);
    assert!((distance - speed * speed / (2.0 * friction * 9.81)).abs() < 0.01);
    assert!((time - speed / (friction * 9.81)).abs() < 2.0 * dt);
    assert!((friction_work + 0.5 * 5.0 * speed * speed).abs() < 1e-6);
    Ok(())
}

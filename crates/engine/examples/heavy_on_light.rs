//! A thousand tonnes on one kilogram: the floor carries both, to a ten-millionth, and nothing sinks.
#![allow(clippy::print_stdout)]

use signorini::glamx::DVec3;
use signorini::{Body, Settings, Shape, StepStatus, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    let floor = world.add(Body::fixed(Shape::half_space(DVec3::Z)?).named("floor"))?;
    let cube = |z: f64, mass: f64| -> Result<Body, signorini::ShapeError> {
        Ok(Body::dynamic(Shape::cuboid(DVec3::splat(0.5))?).mass(mass).position(DVec3::new(0.0, 0.0, z)))
    };
    world.add(cube(0.5, 1.0)?.named("light"))?;
    let heavy = world.add(cube(1.5, 1e6)?.named("heavy"))?;
    for _ in 0..300 {
        assert_eq!(world.step(1.0 / 60.0)?.status, StepStatus::Certified);
    }
    let load = -world.body(floor)?.constraint_forces().force.z;
    let sunk = 1.5 - world.body(heavy)?.position().z;
    println!("the floor carries {load:.1} N; the heavy cube sank by {sunk:.1e} m");
    assert!((load / (1_000_001.0 * 9.81) - 1.0).abs() < 1e-7);
    assert!(sunk.abs() < 1e-7);
    Ok(())
}

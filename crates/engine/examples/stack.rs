//! Ten boxes on each other stand still, and the floor carries their weight.
#![allow(clippy::print_stdout)]

use signorini::glamx::DVec3;
use signorini::{Body, Settings, Shape, StepStatus, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    let floor = world.add(Body::fixed(Shape::half_space(DVec3::Z)?).named("floor"))?;
    for level in 0..10 {
        let place = DVec3::new(0.0, 0.0, 0.5 + level as f64);
        world.add(Body::dynamic(Shape::cuboid(DVec3::splat(0.5))?).mass(1.0).position(place).numbered(level))?;
    }
    let mut worst: f64 = 0.0;
    for _ in 0..500 {
        let report = world.step(1.0 / 60.0)?;
        assert_eq!(report.status, StepStatus::Certified);
        worst = worst.max(report.velocity.map_or(0.0, |c| c.natural));
    }
    let load = -world.body(floor)?.constraint_forces().force.z;
    println!("the floor carries {load:.6} N; worst residual in 500 steps {worst:.1e} m/s");
    assert!((load - 10.0 * 9.81).abs() < 1e-5);
    for (_, body) in world.bodies().filter(|(_, b)| b.mass().is_finite()) {
        assert!(body.velocity().length() < 1e-8);
    }
    Ok(())
}

//! A ball falls, bounces and comes to rest; every step is certified.
#![allow(clippy::print_stdout)]

use signorini::glamx::DVec3;
use signorini::{Body, Material, Settings, Shape, StepStatus, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    let rubber = Material::new(0.5, 0.8);
    world.add(Body::fixed(Shape::half_space(DVec3::Z)?).material(rubber).named("floor"))?;
    let ball = Body::dynamic(Shape::sphere(0.5)?).mass(1.0).position(DVec3::new(0.0, 0.0, 2.5)).material(rubber);
    let ball = world.add(ball.named("ball"))?;

    let mut bounces = 0;
    let mut rising = false;
    for _ in 0..600 {
        let report = world.step(1.0 / 60.0)?;
        assert_eq!(report.status, StepStatus::Certified);
        let up = world.body(ball)?.velocity().z > 1e-6;
        if up && !rising {
            bounces += 1;
            let body = world.body(ball)?;
            let top = body.position().z + body.velocity().z.powi(2) / (2.0 * 9.81);
            // The n-th bounce reaches e²ⁿ of the height it fell from.
            assert!((top - 0.5 - 2.0 * 0.64f64.powi(bounces)).abs() < 1e-6);
            println!("bounce {bounces} at {:.2} s rises to {top:.4} m", world.time());
        }
        rising = up;
    }
    let body = world.body(ball)?;
    println!("at rest at z = {:.6} m, speed {:.1e} m/s", body.position().z, body.velocity().length());
    assert!((body.position().z - 0.5).abs() < 1e-4 && body.velocity().length() < 1e-6);
    Ok(())
}

//! A ball thrown without spin slides at first and then rolls, with 5/7 of its speed whatever the friction.
#![allow(clippy::print_stdout)]

use signorini::glamx::DVec3;
use signorini::{Body, Material, Settings, Shape, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for friction in [0.1, 0.3, 0.9] {
        let surface = Material::new(friction, 0.0);
        let mut world = World::new(Settings::default())?;
        world.add(Body::fixed(Shape::half_space(DVec3::Z)?).material(surface).named("floor"))?;
        let ball = Body::dynamic(Shape::sphere(0.5)?).mass(2.0).position(DVec3::new(0.0, 0.0, 0.5)).material(surface);
        let ball = world.add(ball.velocity(DVec3::new(3.0, 0.0, 0.0)).named("ball"))?;

        let mut rolls_at = None;
        while world.time() < 2.0 {
            world.step(1.0 / 240.0)?;
            let body = world.body(ball)?;
            let slip = body.velocity().x - 0.5 * body.angular_velocity().y;
            if slip < 1e-6 && rolls_at.is_none() {
                rolls_at = Some(world.time());
            }
        }
        let (speed, rolls_at) = (world.body(ball)?.velocity().x, rolls_at.ok_or("it must roll")?);
        println!("friction {friction}: rolls after {rolls_at:.3} s with {speed:.6} m/s");
        assert!((speed - 15.0 / 7.0).abs() < 1e-6);
        // Slip is gone when 7/2 μ g t = v.
        assert!((rolls_at - 2.0 * 3.0 / (7.0 * friction * 9.81)).abs() < 2.0 / 240.0);
    }
    Ok(())
}

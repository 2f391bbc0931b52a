//! Holding another engine to the same answers: here a loop that integrates `sliding_straight` by hand.
#![allow(clippy::print_stdout)]

use signorini::glamx::DVec3;
use signorini_scenes::worlds::{self, Observed, Sample};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let named = worlds::find("sliding_straight").ok_or("no such scene")?;
    let scene = named.scene();
    let mut seen = Observed::of_scene(&scene)?;
    let start: Vec<Sample> = seen
        .bodies
        .iter()
        .filter_map(|body| scene.bodies.iter().find(|described| described.name == body.name))
        .map(|body| Sample {
            position: DVec3::from_array(body.position),
            orientation: signorini::glamx::DQuat::IDENTITY,
            velocity: DVec3::from_array(body.velocity),
            angular_velocity: DVec3::ZERO,
            force: DVec3::NAN,
        })
        .collect();
    let mut now = start.clone();
    seen.push(start);
    for _ in 0..scene.steps() {
        // Coulomb's law for a point: μ g against the motion, and no further than to rest.
        for body in &mut now {
            let (before, speed) = (body.velocity, body.velocity.length());
            body.velocity *= if speed > 0.0 { (1.0 - 0.4 * 9.81 * scene.step / speed).max(0.0) } else { 0.0 };
            body.position += 0.5 * scene.step * (before + body.velocity);
        }
        seen.push(now.iter().copied());
    }
    for finding in named.check(&seen) {
        println!("{}: off by {:.1e} {}", finding.expectation.what, finding.error(), finding.expectation.unit);
        assert!(finding.holds());
    }
    Ok(())
}

//! The demonstration scene: an arch, a house of cards, ten tonnes on a plank, bouncing balls; every step certified.
#![allow(clippy::print_stdout)]

use signorini_scenes::worlds;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = worlds::find("demo").ok_or("no such scene")?;
    let start = Instant::now();
    let seen = demo.run()?;
    let audit = seen.audit.ok_or("our own run has an audit")?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} bodies, up to {} contacts, {} steps in {seconds:.2} s",
        seen.bodies.len(),
        audit.contacts,
        audit.steps
    );
    println!("worst residual {:.1e} m/s, {} steps not certified", audit.residual, audit.degraded);
    assert_eq!(audit.degraded, 0);
    for finding in demo.check(&seen) {
        println!("{}: {:.6} {}", finding.expectation.what, finding.measured, finding.expectation.unit);
        assert!(finding.holds());
    }
    Ok(())
}

//! Runs built-in scenes and prints what came out beside what paper says.
#![allow(clippy::print_stdout)]

use signorini_scenes::worlds;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for name in ["sliding_oblique", "wedge", "bounce_lively", "catenary", "painleve_rod"] {
        let scene = worlds::find(name).ok_or("no such scene")?;
        println!("{name}: {}", scene.about);
        let seen = scene.run()?;
        for finding in scene.check(&seen) {
            let expectation = &finding.expectation;
            println!(
                "  {}: {:.6} {}, {} = {:.6}",
                expectation.what, finding.measured, expectation.unit, expectation.formula, expectation.expected
            );
            assert!(finding.holds());
        }
    }
    Ok(())
}

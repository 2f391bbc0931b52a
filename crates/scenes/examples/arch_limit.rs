//! The least thickness of a dry stone arch: the number from paper, and arches on both sides of it.
#![allow(clippy::print_stdout)]

use signorini_scenes::worlds::{self, least_arch_thickness};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "least thickness over radius: {:.4} for 15 stones, {:.4} for 400",
        least_arch_thickness(15),
        least_arch_thickness(400)
    );
    for (name, stands) in [("arch", true), ("arch_falls", false)] {
        let scene = worlds::find(name).ok_or("no such scene")?;
        let seen = scene.run()?;
        let key = "stone 07";
        let (before, after) = (seen.first(key).position.z, seen.last(key).position.z);
        println!("{name}: the keystone was at {before:.3} m and is at {after:.3} m");
        assert_eq!((after - before).abs() < 1e-6, stands);
    }
    Ok(())
}

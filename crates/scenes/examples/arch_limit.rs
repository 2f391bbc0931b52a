//! The least thickness of a dry stone arch: the number from paper, and arches on both sides of it. Then the load that an arch carries on
//! one stone by statics, and what a simulation says of a little less and a little more.
#![allow(clippy::print_stdout)]

use signorini::World;
use signorini::glamx::DVec3;
use signorini::statics::{Load, StaticsOptions, load_limit};
use signorini_scenes::worlds::{self, least_arch_thickness, masonry_arch};

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
    limit_load()
}

/// A load on a stone a third of the way up an arch of 1.4 times the least thickness.
fn limit_load() -> Result<(), Box<dyn std::error::Error>> {
    let scene = masonry_arch(9, 1.4 * least_arch_thickness(9));
    let world = scene.build()?;
    let loaded = world.find("stone 02").ok_or("no such stone")?;
    let limit = load_limit(&world, &[Load::force(loaded, -DVec3::Z)], &StaticsOptions::default())?.greatest;
    println!("a stone a third of the way up carries {limit:.0} N");
    for (factor, stands) in [(0.98, true), (1.05, false)] {
        let mut world: World = scene.build()?;
        let stone = world.find("stone 02").ok_or("no such stone")?;
        let before = world.body(stone)?.position();
        for _ in 0..120 {
            world.add_force(stone, -DVec3::Z * (factor * limit))?;
            world.step(1.0 / 120.0)?;
        }
        let moved = (world.body(stone)?.position() - before).length();
        println!("with {factor} of that it moves by {moved:.1e} m in a second");
        assert_eq!(moved < 1e-5, stands);
    }
    Ok(())
}

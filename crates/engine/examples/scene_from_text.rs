//! A scene written as TOML: a weight on a rod and a crate on a slope, built, run and judged.
#![allow(clippy::print_stdout)]

use signorini::{Scene, StepStatus};

const SCENE: &str = r#"
name = "weight and crate"
step = 0.01
duration = 1.0

[materials.wood]
friction = 0.5

[[bodies]]
name = "slope"
kind = "fixed"
shape = { half_space = { normal = [0.6, 0, 0.8] } }
material = "wood"

[[bodies]]
name = "crate"
shape = { cuboid = { half_extents = [0.5, 0.5, 0.25] } }
mass = 10.0
position = [0.15, 0, 0.2]
rotation = { axis = [0, 1, 0], degrees = 36.86989764584402 }
material = "wood"

[[bodies]]
name = "weight"
shape = { sphere = { radius = 0.1 } }
position = [-3, 0, 4]

[[joints]]
kind = { distance = { length = 2.0 } }
a = { body = "weight" }
b = { point = [-3, 0, 6] }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene: Scene = toml::from_str(SCENE)?;
    let mut world = scene.build()?;
    for _ in 0..scene.steps() {
        assert_eq!(world.step(scene.step)?.status, StepStatus::Certified);
    }
    let crate_ = world.body(world.find("crate").ok_or("no crate")?)?;
    let weight = world.body(world.find("weight").ok_or("no weight")?)?;
    // tan θ = 0.75 is more than μ = 0.5: it slides with g (sin θ − μ cos θ) = 0.2 g.
    println!(
        "the crate slides at {:.6} m/s, the weight hangs at z = {:.6} m",
        crate_.velocity().length(),
        weight.position().z
    );
    assert!((crate_.velocity().length() - 0.2 * 9.81).abs() < 1e-6);
    assert!((weight.position().z - 4.0).abs() < 1e-9);
    Ok(())
}

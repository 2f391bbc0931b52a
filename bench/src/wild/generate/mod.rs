//! Fresh scenes of the families that users bring, from a seed: figures on seeds that nobody tuned on.
//!
//! | file | families |
//! |---|---|
//! | `heaps.rs` | bodies of one shape or many, poured into a bin |
//! | `jointed.rs` | chains, bridges |
//! | `struck.rs` | bowling, a wrecking ball |
//! | `standing.rs` | dominoes, log cabins, piles of logs, towers of unlike masses |
//! | `driven.rs` | a drum, a bulldozer |

mod driven;
mod heaps;
mod jointed;
mod standing;
mod struck;

use crate::BenchError;
use crate::random::Random;
use signorini::Material;
use signorini::scene::{BodyDescription, Scene, ShapeDescription};
use std::path::PathBuf;

/// Arguments of `wild-generate`. What is not given is drawn from the seed, scene by scene.
#[derive(clap::Args)]
pub struct GenerateArguments {
    /// Where to.
    folder: PathBuf,
    /// The same seed gives the same files.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Scenes of each family.
    #[arg(long, default_value_t = 1)]
    each: usize,
    /// Only families whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Moving bodies of a heap.
    #[arg(long)]
    bodies: Option<usize>,
    /// Greatest radius of a body in a heap \[m\].
    #[arg(long)]
    size: Option<f64>,
    /// Friction coefficient of everything.
    #[arg(long)]
    friction: Option<f64>,
    /// Restitution of everything.
    #[arg(long)]
    restitution: Option<f64>,
}

/// A scene of so many moving bodies from a seed.
type Growing = fn(usize, u64) -> Scene;

/// Scenes of any number of bodies.
pub const GROWING: &[(&str, Growing)] = &[
    ("boxes falling", |bodies, seed| poured(&[heaps::Grain::Box], bodies, seed)),
    ("boxes settled", |bodies, _| settled(bodies, heaps::columns)),
    ("spheres falling", |bodies, seed| poured(&[heaps::Grain::Sphere], bodies, seed)),
    ("spheres settled", |bodies, _| settled(bodies, heaps::pyramids)),
];

fn poured(grains: &[heaps::Grain], bodies: usize, seed: u64) -> Scene {
    let arguments = GenerateArguments {
        folder: PathBuf::new(),
        seed,
        each: 1,
        only: None,
        bodies: Some(bodies),
        size: Some(0.1),
        friction: Some(0.5),
        restitution: Some(0.0),
    };
    let mut scene = with_surface(0.5);
    heaps::pour(&mut Draw { random: Random::new(seed), arguments: &arguments }, &mut scene, grains);
    surfaced(scene)
}

fn settled(bodies: usize, make: fn(usize, &mut Scene)) -> Scene {
    let mut scene = with_surface(0.9);
    scene.bodies.push(floor());
    make(bodies, &mut scene);
    scene.bodies.push(BodyDescription {
        position: [-2.0, -2.0, 0.1],
        velocity: [-0.5, 0.0, 0.0],
        angular_velocity: [0.0, -5.0, 0.0],
        ..BodyDescription::new("roller".to_owned(), ShapeDescription::Sphere { radius: 0.1 })
    });
    surfaced(scene)
}

/// Gives every body the surface of the scene.
fn surfaced(mut scene: Scene) -> Scene {
    for body in &mut scene.bodies {
        body.material = Some("surface".to_owned());
    }
    scene
}

/// An empty scene in which everything has this friction and no restitution.
fn with_surface(friction: f64) -> Scene {
    let surface = Material::new(friction, 0.0);
    Scene { materials: [("surface".to_owned(), surface)].into(), ..Scene::default() }
}

/// What a family draws from.
pub struct Draw<'a> {
    /// Its numbers.
    pub random: Random,
    /// What was asked for.
    pub arguments: &'a GenerateArguments,
}

/// Puts bodies and joints into an empty scene.
type Family = fn(&mut Draw, &mut Scene);

const FAMILIES: &[(&str, Family)] = &[
    ("heap_boxes", |draw, scene| heaps::pour(draw, scene, &[heaps::Grain::Box])),
    ("heap_spheres", |draw, scene| heaps::pour(draw, scene, &[heaps::Grain::Sphere])),
    ("heap_capsules", |draw, scene| heaps::pour(draw, scene, &[heaps::Grain::Capsule])),
    ("heap_rocks", |draw, scene| heaps::pour(draw, scene, &[heaps::Grain::Rock])),
    ("heap_mixed", |draw, scene| heaps::pour(draw, scene, &heaps::Grain::ALL)),
    ("chain_light", |draw, scene| jointed::chain(draw, scene, 1.0)),
    ("chain_loaded", |draw, scene| jointed::chain(draw, scene, 1000.0)),
    ("bridge_taut", |draw, scene| jointed::bridge(draw, scene, 0.0)),
    ("bridge_slack", |draw, scene| jointed::bridge(draw, scene, 1.0)),
    ("bowling", struck::bowling),
    ("wrecking", struck::wrecking),
    ("dominoes", standing::dominoes),
    ("cabin", standing::cabin),
    ("tower", standing::tower),
    ("heap_odd", |draw, scene| heaps::pour(draw, scene, &heaps::Grain::ODD)),
    ("logs", standing::logs),
    ("drum", driven::drum),
    ("bulldozer", driven::bulldozer),
];

/// Writes the scenes.
pub fn write(arguments: &GenerateArguments) -> Result<(), BenchError> {
    let folder = &arguments.folder;
    let fail = |what: String| BenchError::Input { path: folder.clone(), what };
    std::fs::create_dir_all(folder).map_err(|error| fail(error.to_string()))?;
    for (index, (family, make)) in FAMILIES.iter().enumerate() {
        if arguments.only.as_ref().is_some_and(|part| !family.contains(part.as_str())) {
            continue;
        }
        for number in 0..arguments.each {
            let scene = make_scene(arguments, index, family, *make, number);
            scene.build().map_err(|error| fail(format!("{}: {error}", scene.name)))?;
            let path = folder.join(format!("{}.toml", scene.name));
            std::fs::write(&path, scene.to_toml()).map_err(|error| fail(error.to_string()))?;
        }
    }
    Ok(())
}

fn make_scene(arguments: &GenerateArguments, index: usize, family: &str, make: Family, number: usize) -> Scene {
    // A sequence for every scene by itself: leaving one out does not change another.
    let mut random = Random::new(arguments.seed);
    random = Random::new(random.bits() ^ ((index as u64) << 32 | number as u64));
    let mut draw = Draw { random, arguments };
    let friction = arguments.friction.unwrap_or_else(|| draw.random.between(0.1, 0.9));
    let restitution = arguments.restitution.unwrap_or_else(|| draw.random.one(&[0.0, 0.0, 0.0, 0.3, 0.7]));
    let surface = Material::new(friction, restitution);
    let mut scene = Scene {
        name: format!("{family}_{}_{number}", arguments.seed),
        duration: 6.0,
        materials: [("surface".to_owned(), surface)].into(),
        ..Scene::default()
    };
    make(&mut draw, &mut scene);
    surfaced(scene)
}

fn cuboid(half_extents: [f64; 3]) -> ShapeDescription {
    ShapeDescription::Cuboid { half_extents }
}

/// A slab whose upper side is z = 0.
fn floor() -> BodyDescription {
    BodyDescription { position: [0.0, 0.0, -1.0], ..BodyDescription::fixed("floor", cuboid([100.0, 100.0, 1.0])) }
}

/// A turn about the y axis as a quaternion.
fn about_y(angle: f64) -> Option<[f64; 4]> {
    Some([(0.5 * angle).cos(), 0.0, (0.5 * angle).sin(), 0.0])
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;
    use crate::wild::watch::{Facts, Watch};

    fn arguments(seed: u64) -> GenerateArguments {
        let (only, size, friction, restitution) = (None, None, None, None);
        GenerateArguments { folder: PathBuf::new(), seed, each: 1, only, bodies: Some(20), size, friction, restitution }
    }

    #[test]
    fn a_seed_gives_the_same_scenes_and_another_gives_others() {
        for (index, (family, make)) in FAMILIES.iter().enumerate() {
            let text = |seed| make_scene(&arguments(seed), index, family, *make, 0).to_toml();
            assert_eq!(text(1), text(1), "{family}");
            assert_ne!(text(1), text(2), "{family}");
        }
    }

    #[test]
    fn nothing_overlaps_and_no_joint_is_open_at_the_start() {
        for (index, (family, make)) in FAMILIES.iter().enumerate() {
            for seed in 0..5 {
                let scene = make_scene(&arguments(seed), index, family, *make, 0);
                let world = scene.build().expect("a scene");
                let facts = Facts::of(&scene, &world).expect("shapes");
                let mut watch = Watch::default();
                let start = facts.observe(&world).expect("poses");
                let deepest = facts.overlaps(&start).into_iter().fold(0.0, |most: f64, (_, depth)| most.max(depth));
                watch.look(&facts, &start, 0);
                assert!(deepest < 1e-12 && watch.gap.value < 1e-12, "{family} {seed}: {deepest} {}", watch.gap.value);
            }
        }
    }
}

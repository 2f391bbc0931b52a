//! What a world costs that is asked or left alone: rays among ten thousand bodies, beside rapier in the same run, and steps of
//! a pile that rests or sleeps.
//!
//! Rays are cast on one thread in both engines, each asked for the first body and the normal there, in interleaved rounds; CPU
//! time, the median of the rounds. Making the tree of boxes is counted apart: our first question after a change does it,
//! rapier's step.

use crate::BenchError;
use crate::random::Random;
use crate::record::Machine;
use crate::wild::GROWING;
use cpu_time::ThreadTime;
use rapier3d_f64::prelude as rapier;
use signorini::glamx::{DQuat, DVec3};
use signorini::{Body, BodyHandle, Kind, QueryFilter, Ray, Settings, Shape, Sleeping, World};
use std::path::PathBuf;

/// Distance of neighbouring bodies \[m\]; each is at most 0.9 m across.
const SPACING: f64 = 1.5;
/// Longest way of a ray \[m\].
const REACH: f64 = 100.0;
/// Piles, by their places among the growing scenes.
const COLUMNS: (&str, usize) = ("columns", 1);
const POURED: (&str, usize) = ("poured", 0);
/// Steps in which a pile may come to rest.
const SETTLING: usize = 1500;
/// Steps that are measured then, and in how many groups.
const RESTING: (usize, usize) = (2000, 20);
const DT: f64 = 1.0 / 60.0;

/// Arguments of `world`.
#[derive(clap::Args)]
pub struct WorldArguments {
    /// Bodies among which rays are cast.
    #[arg(long, default_value_t = 10_000)]
    bodies: usize,
    /// Rays.
    #[arg(long, default_value_t = 100_000)]
    rays: usize,
    /// Bodies of the piles at rest.
    #[arg(long, default_value_t = 300)]
    pile: usize,
    /// Interleaved rounds of all rays.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// The page goes here.
    #[arg(long, default_value = "docs/validation/world.md")]
    page: PathBuf,
}

/// Measures, and writes the page.
pub fn run(arguments: &WorldArguments) -> Result<(), BenchError> {
    let machine = Machine::look(arguments.rounds);
    let rays = Rays::measure(arguments)?;
    let cases = [(COLUMNS, Sleeping::Off), (COLUMNS, Sleeping::islands()), (POURED, Sleeping::islands())];
    let piles = cases.map(|(case, sleeping)| pile(case, arguments.pile, sleeping));
    let mut page = String::from("# A world that is asked, or left alone\n\n");
    let WorldArguments { bodies, rays: count, pile, rounds, .. } = arguments;
    let mut line = |text: &str| page.push_str(&(text.to_owned() + "\n"));
    line(
        "`target/release/signorini-bench world`, built by `cargo build --release --locked -p signorini-bench --no-default-features`.",
    );
    line(&format!(
        "{}, commit {}, CPU time of one thread, median of {rounds} rounds.",
        machine.processor, machine.commit
    ));
    line("\n## Rays\n");
    line(&format!(
        "{count} rays among {bodies} bodies (spheres, boxes, capsules), of which {} hit. Both engines name the same body for all but {} of them.",
        rays.hits, rays.differ
    ));
    line("\n| engine | rays per second | tree made in |\n|---|---|---|");
    line(&format!("| signorini | {:.3e} | {:.1} ms |", rays.ours, 1e3 * rays.our_tree));
    line(&format!("| rapier-f64 | {:.3e} | {:.1} ms (a whole step) |", rays.theirs, 1e3 * rays.their_tree));
    line(&format!("\nThe ratio of the rates is {:.2}; at least 0.5 is asked.", rays.ours / rays.theirs));
    line("\n## A pile at rest\n");
    line(&format!(
        "{pile} boxes, in columns of ten or poured into a bin. At most 5 µs a step are asked of what rests or sleeps."
    ));
    line("\n| pile | sleeping | rests after | cost of a step |\n|---|---|---|---|");
    for pile in piles {
        let Pile { what, sleeping, settled, seconds } = pile?;
        line(&format!("| {what} | {sleeping} | {settled} steps | {:.2} µs |", 1e6 * seconds));
    }
    print!("{page}");
    std::fs::write(&arguments.page, page)
        .map_err(|error| BenchError::Input { path: arguments.page.clone(), what: error.to_string() })
}

/// Measured rates.
struct Rays {
    /// Rays per second.
    ours: f64,
    theirs: f64,
    /// Seconds.
    our_tree: f64,
    their_tree: f64,
    hits: usize,
    /// Rays whose first body is not the same.
    differ: usize,
}

/// One of the bodies: what both engines are told.
struct Thing {
    place: DVec3,
    turn: DQuat,
    kind: usize,
    size: DVec3,
}

impl Rays {
    fn measure(arguments: &WorldArguments) -> Result<Self, BenchError> {
        let mut random = Random::new(20_261);
        let side = (arguments.bodies as f64).cbrt().ceil() as usize;
        let things: Vec<Thing> = (0..arguments.bodies).map(|i| thing(&mut random, i, side)).collect();
        let (mut world, mut peer) =
            (World::new(Settings::default()).map_err(BenchError::engine)?, rapier::PhysicsWorld::new());
        peer.gravity = DVec3::ZERO;
        let mut same: Vec<(BodyHandle, rapier::ColliderHandle)> = Vec::new();
        for Thing { place, turn, kind, size } in &things {
            let (shape, collider) = match kind {
                0 => (Shape::sphere(size.x), rapier::ColliderBuilder::ball(size.x)),
                1 => (Shape::cuboid(*size), rapier::ColliderBuilder::cuboid(size.x, size.y, size.z)),
                _ => (Shape::capsule(size.x, size.y), rapier::ColliderBuilder::capsule_z(size.x, size.y)),
            };
            let body = Body::dynamic(shape.map_err(BenchError::engine)?).mass(1.0).position(*place).orientation(*turn);
            let handle = world.add(body).map_err(BenchError::engine)?;
            let pose = rapier::Pose::from_parts(*place, *turn);
            let rigid = peer.insert_body(rapier::RigidBodyBuilder::dynamic().pose(pose).can_sleep(false));
            same.push((handle, peer.insert_collider(collider, Some(rigid))));
        }
        let extent = side as f64 * SPACING;
        let rays: Vec<Ray> = (0..arguments.rays).map(|_| ray(&mut random, extent)).collect();
        let clock = ThreadTime::now();
        peer.step();
        let their_tree = clock.elapsed().as_secs_f64();
        let clock = ThreadTime::now();
        world.cast_ray(DVec3::ZERO, DVec3::Z, REACH);
        let our_tree = clock.elapsed().as_secs_f64();
        let filter = QueryFilter::default();
        let questions = peer.query_pipeline();
        let (mut ours, mut theirs, mut found, mut others) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..arguments.rounds.max(1) {
            found.clear();
            others.clear();
            let clock = ThreadTime::now();
            found.extend(rays.iter().map(|ray| world.cast_ray_where(ray, &filter).map(|(body, _)| body)));
            ours.push(rays.len() as f64 / clock.elapsed().as_secs_f64());
            let clock = ThreadTime::now();
            others.extend(rays.iter().map(|ray| {
                let cast = rapier::Ray::new(ray.origin, ray.direction);
                questions.cast_ray_and_get_normal(&cast, ray.max, true).map(|(collider, _)| collider)
            }));
            theirs.push(rays.len() as f64 / clock.elapsed().as_secs_f64());
        }
        same.sort_unstable_by_key(|(body, _)| *body);
        let collider_of = |body: BodyHandle| {
            let place = same.binary_search_by_key(&body, |(body, _)| *body).ok()?;
            Some(same[place].1)
        };
        let differ = found.iter().zip(&others).filter(|(mine, other)| mine.and_then(collider_of) != **other).count();
        let hits = found.iter().flatten().count();
        Ok(Rays { ours: median(ours), theirs: median(theirs), our_tree, their_tree, hits, differ })
    }
}

/// Middle of a list that is not empty.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A body near its place in a cubic lattice, turned at random.
fn thing(random: &mut Random, index: usize, side: usize) -> Thing {
    let cell = DVec3::new((index % side) as f64, (index / side % side) as f64, (index / side / side) as f64);
    let jitter = DVec3::from_array([0; 3].map(|_| random.between(-0.25, 0.25)));
    let axis = DVec3::from_array([0; 3].map(|_| random.between(-1.0, 1.0))).normalize_or(DVec3::Z);
    Thing {
        place: SPACING * cell + jitter,
        turn: DQuat::from_axis_angle(axis, random.between(0.0, 3.0)),
        kind: index % 3,
        size: DVec3::from_array([0; 3].map(|_| random.between(0.1, 0.25))),
    }
}

/// From anywhere, in any direction.
fn ray(random: &mut Random, extent: f64) -> Ray {
    let mut point = |least: f64, most: f64| DVec3::from_array([0; 3].map(|_| random.between(least, most)));
    let (origin, direction) = (point(0.0, extent), point(-1.0, 1.0).normalize_or(DVec3::X));
    Ray { origin, direction, max: REACH }
}

/// A pile that has come to rest.
struct Pile {
    what: &'static str,
    sleeping: &'static str,
    /// Steps until every step left it where it was.
    settled: usize,
    /// Seconds of a step, the median of groups.
    seconds: f64,
}

fn pile((what, place): (&'static str, usize), bodies: usize, sleeping: Sleeping) -> Result<Pile, BenchError> {
    let (_, make) = GROWING[place];
    let mut scene = make(bodies, 1);
    // Without the ball that rolls beside columns.
    scene.bodies.retain(|body| body.name != "roller");
    let mut world = scene.build().map_err(BenchError::engine)?;
    let settings = Settings { sleeping, ..*world.settings() };
    world.set_settings(settings).map_err(BenchError::engine)?;
    let settled = (0..SETTLING)
        .find_map(|step| match world.step(DT) {
            Err(error) => Some(Err(BenchError::engine(error))),
            Ok(_) if is_at_rest(&world, sleeping) => Some(Ok(step + 1)),
            Ok(_) => None,
        })
        .unwrap_or_else(|| Err(BenchError::engine(format!("the pile does not rest within {SETTLING} steps"))))?;
    let (steps, groups) = RESTING;
    let mut seconds = Vec::new();
    for _ in 0..groups {
        let clock = ThreadTime::now();
        for _ in 0..steps / groups {
            world.step(DT).map_err(BenchError::engine)?;
        }
        seconds.push(clock.elapsed().as_secs_f64() / (steps / groups) as f64);
    }
    let name = if sleeping == Sleeping::Off { "off" } else { "islands" };
    Ok(Pile { what, sleeping: name, settled, seconds: median(seconds) })
}

/// Whether nothing moves, or everything sleeps where bodies may.
fn is_at_rest(world: &World, sleeping: Sleeping) -> bool {
    world.bodies().all(|(_, body)| match sleeping {
        Sleeping::Off => body.velocity() == DVec3::ZERO && body.angular_velocity() == DVec3::ZERO,
        _ => body.is_sleeping() || body.kind() == Kind::Fixed,
    })
}

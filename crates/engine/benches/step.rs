//! Cost of a step, stage by stage: `cargo bench --bench step`, or `cargo bench --bench step -- wall bin` for some scenes.
//!
//! A table on stderr, CSV on stdout; times are milliseconds, stages are medians over the steps of the phase. One thread
//! unless `THREADS` says otherwise. A phase that takes too long is cut short; its row says after how many steps. Where the
//! system tells (Linux), `cpu_mean` is processor time over steps: what a busy machine leaves to compare, with one thread.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

use signorini::glamx::{DQuat, DVec3};
use signorini::{Body, Material, Settings, Shape, StepReport, StepStatus, World};
use std::time::Instant;

const H: f64 = 1.0 / 60.0;
/// Longest a phase may take \[s\].
const PATIENCE: f64 = 20.0;

/// Steps that belong together.
struct Phase {
    name: &'static str,
    steps: usize,
    /// Whether it is reported, or just gets the scene to where the next one starts.
    measured: bool,
    /// What happens to the world before.
    start: fn(&mut World),
}

struct Scene {
    name: &'static str,
    build: fn() -> World,
    phases: &'static [Phase],
}

fn nothing(_: &mut World) {}

const SCENES: &[Scene] = &[
    Scene {
        name: "stack10",
        build: stack,
        phases: &[
            Phase { name: "settling", steps: 30, measured: false, start: nothing },
            Phase { name: "settled", steps: 300, measured: true, start: nothing },
            Phase { name: "collapsing", steps: 100, measured: true, start: |world| shoot(world, 4.5) },
        ],
    },
    Scene {
        name: "pyramid20",
        build: pyramid,
        phases: &[
            Phase { name: "settling", steps: 10, measured: false, start: nothing },
            Phase { name: "settled", steps: 150, measured: true, start: nothing },
            Phase { name: "collapsing", steps: 100, measured: true, start: |world| shoot(world, 4.5) },
        ],
    },
    Scene {
        name: "wall10x10",
        build: wall,
        phases: &[
            Phase { name: "settling", steps: 10, measured: false, start: nothing },
            Phase { name: "settled", steps: 200, measured: true, start: nothing },
            Phase { name: "collapsing", steps: 100, measured: true, start: |world| shoot(world, 1.1) },
        ],
    },
    Scene {
        name: "bin27",
        build: || bin(27, 3, 1.1),
        phases: &[
            Phase { name: "falling", steps: 100, measured: true, start: nothing },
            Phase { name: "settling", steps: 100, measured: true, start: nothing },
            Phase { name: "settled", steps: 200, measured: true, start: nothing },
        ],
    },
    Scene {
        name: "bin500",
        build: || bin(500, 7, 2.5),
        phases: &[
            Phase { name: "falling", steps: 120, measured: true, start: nothing },
            Phase { name: "settling", steps: 120, measured: true, start: nothing },
            Phase { name: "settled", steps: 120, measured: true, start: nothing },
        ],
    },
    Scene {
        name: "bin1000",
        build: || bin(1000, 9, 3.2),
        phases: &[
            Phase { name: "falling", steps: 120, measured: true, start: nothing },
            Phase { name: "settling", steps: 120, measured: true, start: nothing },
            Phase { name: "settled", steps: 120, measured: true, start: nothing },
        ],
    },
    Scene {
        name: "islands200",
        build: islands,
        phases: &[
            Phase { name: "falling", steps: 60, measured: true, start: nothing },
            Phase { name: "settled", steps: 200, measured: true, start: nothing },
        ],
    },
    Scene {
        name: "spheres1000",
        build: spheres,
        phases: &[
            Phase { name: "free", steps: 40, measured: true, start: nothing },
            Phase { name: "landing", steps: 60, measured: true, start: nothing },
            Phase { name: "rolling", steps: 60, measured: true, start: nothing },
        ],
    },
];

fn material() -> Material {
    Material::new(0.5, 0.0)
}

fn world_with_floor() -> World {
    let mut world = World::new(Settings::default()).unwrap();
    let slab = Shape::cuboid(DVec3::new(50.0, 50.0, 1.0)).unwrap();
    let floor = Body::fixed(slab).position(DVec3::new(0.0, 0.0, -1.0)).material(material());
    world.add(floor.named("floor")).unwrap();
    world
}

fn block(half: DVec3, x: f64, y: f64, z: f64) -> Body {
    Body::dynamic(Shape::cuboid(half).unwrap()).density(1.0).position(DVec3::new(x, y, z)).material(material())
}

/// A heavy fast ball from the side, a little out of the middle.
fn shoot(world: &mut World, height: f64) {
    let top = world.bodies().map(|(_, b)| b.mass()).filter(|m| m.is_finite()).fold(0.0, f64::max);
    let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).mass(10.0 * top).material(material());
    world.add(ball.position(DVec3::new(0.2, -3.0, height)).velocity(DVec3::new(0.0, 15.0, 0.0)).named("ball")).unwrap();
}

fn stack() -> World {
    let mut world = world_with_floor();
    for i in 0..10 {
        world.add(block(DVec3::splat(0.5), 0.0, 0.0, 0.5 + i as f64).numbered(i)).unwrap();
    }
    world
}

/// 210 unit cubes, each on two of the layer below.
fn pyramid() -> World {
    let mut world = world_with_floor();
    for layer in 0..20 {
        for i in 0..20 - layer {
            let x = 1.1 * (i as f64 - 0.5 * (19 - layer) as f64);
            world.add(block(DVec3::splat(0.5), x, 0.0, 0.5 + layer as f64).numbered(20 * layer + i)).unwrap();
        }
    }
    world
}

/// Bricks in quarter bond, 1 cm apart.
fn wall() -> World {
    let mut world = world_with_floor();
    for row in 0..10 {
        let shift = if row % 2 == 0 { -0.06375 } else { 0.06375 };
        for i in 0..10 {
            let x = 0.51 * (i as f64 - 4.5) + shift;
            let brick = block(DVec3::new(0.25, 0.125, 0.125), x, 0.0, 0.125 + 0.25 * row as f64);
            world.add(brick.numbered(10 * row + i)).unwrap();
        }
    }
    world
}

/// A small generator with a seed: uniform in [−1, 1).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// Cubes of half a metre, nearly on a grid, dropped into a bin whose walls are `half` from its middle.
fn bin(count: u64, side: u64, half: f64) -> World {
    let mut world = world_with_floor();
    for (i, direction) in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y].into_iter().enumerate() {
        let size = DVec3::splat(half + 1.5) + direction.abs() * (0.5 - half - 1.5) + DVec3::Z * 4.5;
        let at = direction * (half + 0.5) + DVec3::Z * 6.0;
        let side = Body::fixed(Shape::cuboid(size).unwrap()).position(at).material(material());
        world.add(side.named(&format!("side {i}"))).unwrap();
    }
    let mut rng = Rng(5);
    for i in 0..count {
        let (x, y, layer) = (i % side, i / side % side, i / (side * side));
        let grid = |k: u64| 0.7 * (k as f64 - 0.5 * (side - 1) as f64);
        let position = DVec3::new(grid(x), grid(y), 0.4 + 0.75 * layer as f64) + 0.02 * rng.vector();
        let turn = DQuat::from_scaled_axis(0.05 * rng.vector());
        let cube = block(DVec3::splat(0.25), position.x, position.y, position.z).orientation(turn);
        world.add(cube.numbered(i)).unwrap();
    }
    world
}

/// 200 groups of one to four cubes, dropped a little: what many small islands cost.
fn islands() -> World {
    let mut world = world_with_floor();
    for i in 0..200 {
        for k in 0..1 + i % 4 {
            let (x, y) = (2.0 * (i % 20) as f64 - 20.0, 2.0 * (i / 20) as f64 - 10.0);
            let offset = 0.1 * (k % 2) as f64;
            world.add(block(DVec3::splat(0.5), x + offset, y, 0.55 + 1.05 * k as f64).numbered(4 * i + k)).unwrap();
        }
    }
    world
}

/// Balls that fall 40 steps long before the first meets the floor.
fn spheres() -> World {
    let mut world = world_with_floor();
    let mut rng = Rng(7);
    for i in 0..1000 {
        let (x, y, z) = (i % 32, i / 32, i % 3);
        let position = DVec3::new(x as f64 - 16.0, y as f64 - 16.0, 3.0 + 0.5 * z as f64) + 0.05 * rng.vector();
        let ball = Body::dynamic(Shape::sphere(0.4).unwrap()).density(1.0).position(position).material(material());
        world.add(ball.velocity(0.2 * rng.vector()).angular_velocity(rng.vector()).numbered(i)).unwrap();
    }
    world
}

fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get((part * values.len() as f64) as usize).copied().unwrap_or(f64::NAN)
}

/// Time that this thread has been on a processor \[ms\], in steps of some ms.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).map_or(f64::NAN, |ns| 1e-6 * ns)
}

fn report(scene: &str, phase: &Phase, bodies: usize, taken: &[(f64, StepReport)], cpu: f64) {
    let stages: [fn(&StepReport) -> f64; 8] = [
        |r| r.times.free_motion,
        |r| r.times.broad_phase,
        |r| r.times.manifold,
        |r| r.times.contact,
        |r| r.times.island,
        |r| r.times.solve,
        |r| r.times.position,
        |r| r.times.integrate,
    ];
    let of = |value: &dyn Fn(&(f64, StepReport)) -> f64, part: f64| {
        quantile(&mut taken.iter().map(value).collect::<Vec<_>>(), part)
    };
    let contacts = of(&|(_, r)| r.counts.contacts as f64, 0.5);
    let (median, p95, most) = (of(&|(t, _)| *t, 0.5), of(&|(t, _)| *t, 0.95), of(&|(t, _)| *t, 1.0 - 1e-9));
    let worst = taken.iter().filter_map(|(_, r)| r.velocity).fold(0.0, |m, c| f64::max(m, c.natural));
    let degraded = taken.iter().filter(|(_, r)| r.status == StepStatus::Degraded).count();
    let stages = stages.map(|stage| 1e3 * of(&|(_, r)| stage(r), 0.5));
    let listed = stages.map(|x| format!("{x:.4}")).join(",");
    println!(
        "{scene},{bodies},{contacts},{},{median:.4},{p95:.4},{worst:.1e},{degraded},{listed},{most:.4},{},{cpu:.4}",
        phase.name,
        taken.len()
    );
    let listed = stages.map(|x| format!("{x:8.3}")).join("");
    eprintln!(
        "{scene:12}{:11}{bodies:5}{contacts:7}{median:9.3}{p95:9.3}{most:9.2} {worst:8.1e}{degraded:5} |{listed} | {:4} {cpu:9.3}",
        phase.name,
        taken.len()
    );
}

fn run(scene: &Scene) {
    let mut world = (scene.build)();
    for phase in scene.phases {
        (phase.start)(&mut world);
        let mut taken = Vec::with_capacity(phase.steps);
        let (begin, processor) = (Instant::now(), processor_time());
        for _ in 0..phase.steps {
            let start = Instant::now();
            let step = world.step(H).unwrap();
            taken.push((1e3 * start.elapsed().as_secs_f64(), step));
            if begin.elapsed().as_secs_f64() > PATIENCE {
                break;
            }
        }
        if phase.measured {
            let cpu = (processor_time() - processor) / taken.len() as f64;
            report(scene.name, phase, world.bodies().count(), &taken, cpu);
        }
    }
}

fn main() {
    println!(
        "scene,bodies,contacts,phase,ms_per_step_median,ms_p95,worst_natural,degraded_steps,\
         free,broad,manifold,contact,island,solve,position,integrate,ms_max,steps,cpu_mean"
    );
    eprintln!(
        "scene       phase     bodies contacts median      p95     most  natural  deg |    free   broad manifold \
         contact island  solve position integrate | steps cpu mean"
    );
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let threads = std::env::var("THREADS").ok().and_then(|t| t.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let chosen = |s: &&Scene| wanted.is_empty() || wanted.iter().any(|w| s.name.contains(w.as_str()));
        SCENES.iter().filter(chosen).for_each(run);
    });
}

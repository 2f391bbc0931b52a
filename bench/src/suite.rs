//! The scenes that are compared, built here so that a clone needs no other files.
//!
//! | name | what | answer from paper |
//! |---|---|---|
//! | S1 | ten unit cubes in a stack | nothing moves |
//! | S2 | a cube of mass R on one of 1 kg | nothing moves |
//! | S3 | plate on an incline, tan θ = 0.4 or 0.6, μ = 0.5 | sticks; or slides with g(sin θ − μ cos θ) |
//! | S4 | ball dropped from one metre, e = 0, 0.5, 0.8, 1 | apex e², energy never rises |
//! | S5 | elastic balls: one hits one; one hits three in a row | velocities move to the last ball |
//! | S6 | pyramid, twenty cubes at the base | nothing moves |
//! | S7 | wall of ten rows; five hundred boxes dropped into a bin | nothing moves; comes to rest |
//! | S8 | cube sliding at 3√2 m/s, μ = 0.3, in three directions | stops after v/μg, straight |
//! | S9 | free box turning about its middle axis | energy and momentum stay |
//! | S10 | fast ball against a thin plate | does not pass |
//! | S11 | a thousand spheres thrown, which never meet | parabolas |

use crate::random::Random;
use crate::scene::{Body, Scene};

const GRAVITY: [f64; 3] = [0.0, 0.0, -9.81];
const STEP: f64 = 1.0 / 60.0;

fn scene(name: impl Into<String>, steps: usize, bodies: Vec<Body>) -> Scene {
    Scene { name: name.into(), dt: STEP, steps, gravity: GRAVITY, rec: 1, bodies }
}

fn floor() -> Body {
    Body::cuboid([50.0, 50.0, 1.0], [0.0, 0.0, -1.0]).fixed()
}

/// All scenes.
pub fn all() -> Vec<Scene> {
    let mut scenes = vec![stack(10)];
    scenes.extend([("1e1", 1e1), ("1e2", 1e2), ("1e3", 1e3), ("1e4", 1e4), ("1e6", 1e6)].map(heavy_on_light));
    scenes.extend([incline("S3_stick", 0.4, 600), incline("S3_slide", 0.6, 60)]);
    scenes.extend([0.0, 0.5, 0.8, 1.0].map(bounce));
    scenes.extend([row("S5_two", 2), row("S5_cradle", 4)]);
    scenes.extend([pyramid(20), wall(10, 10), pile(500)]);
    scenes.extend([slide("S8_oblique", 45.0), slide("S8b_axis", 0.0), slide("S8c_22deg", 22.5), top()]);
    for speed in [20.0, 100.0, 300.0] {
        for fixed in [true, false] {
            scenes.extend([false, true].map(|ccd| bullet(speed, fixed, ccd)));
        }
    }
    scenes.push(thrown(1000));
    scenes
}

/// The scenes that fit into two minutes.
pub fn quick() -> Vec<Scene> {
    let small = ["S1_stack10", "S2_ratio1e3", "S3_slide", "S4_e0.5", "S5_two", "S7_wall", "S8c_22deg", "S9_top"];
    all().into_iter().filter(|s| small.contains(&s.name.as_str())).collect()
}

fn stack(height: usize) -> Scene {
    let mut bodies = vec![floor()];
    bodies.extend((0..height).map(|k| Body::cuboid([0.5; 3], [0.0, 0.0, 0.5 + k as f64])));
    scene(format!("S1_stack{height}"), 1000, bodies)
}

fn heavy_on_light((name, ratio): (&str, f64)) -> Scene {
    let light = Body::cuboid([0.5; 3], [0.0, 0.0, 0.5]);
    let heavy = Body { mass: ratio, ..Body::cuboid([0.5; 3], [0.0, 0.0, 1.5]) };
    scene(format!("S2_ratio{name}"), 600, vec![floor(), light, heavy])
}

/// A turn about the y axis.
fn about_y(angle: f64) -> [f64; 4] {
    [(0.5 * angle).cos(), 0.0, (0.5 * angle).sin(), 0.0]
}

fn incline(name: &str, slope: f64, steps: usize) -> Scene {
    let angle = slope.atan();
    let normal = [angle.sin(), 0.0, angle.cos()];
    let plane = Body { quat: about_y(angle), ..Body::cuboid([50.0, 50.0, 1.0], normal.map(|x| -x)).fixed() };
    let plate = Body { quat: about_y(angle), ..Body::cuboid([0.5, 0.5, 0.1], normal.map(|x| 0.1 * x)) };
    scene(name, steps, vec![plane, plate])
}

fn bounce(e: f64) -> Scene {
    let surface = |body: Body| Body { e, ..body };
    scene(format!("S4_e{e}"), 600, vec![surface(floor()), surface(Body::sphere(0.5, [0.0, 0.0, 1.5]))])
}

fn row(name: &str, count: usize) -> Scene {
    // All but the first touch; the first comes with 2 m/s from half a metre away.
    let ball = |x: f64, speed: f64| Body { e: 1.0, v: [speed, 0.0, 0.0], ..Body::sphere(0.5, [x, 0.0, 0.0]) };
    let mut bodies = vec![ball(-1.5, 2.0)];
    bodies.extend((0..count - 1).map(|i| ball(i as f64, 0.0)));
    Scene { gravity: [0.0; 3], ..scene(name, 120, bodies) }
}

fn pyramid(base: usize) -> Scene {
    let mut bodies = vec![floor()];
    for level in 0..base {
        let count = base - level;
        let left = -0.55 * (count - 1) as f64;
        bodies.extend((0..count).map(|i| Body::cuboid([0.5; 3], [left + 1.1 * i as f64, 0.0, 0.5 + level as f64])));
    }
    Scene { rec: 10, ..scene(format!("S6_pyramid{base}"), 300, bodies) }
}

fn wall(rows: usize, columns: usize) -> Scene {
    // Bricks of 50 × 25 × 25 cm, a centimetre apart, in a quarter bond: every centre of mass is supported, also at the
    // ends.
    let mut bodies = vec![floor()];
    let pitch = 0.51;
    for level in 0..rows {
        let shift = if level % 2 == 0 { -0.125 } else { 0.125 } * pitch;
        let place = |i: usize| pitch * (i as f64 - 0.5 * (columns - 1) as f64) + shift;
        let height = 0.125 + 0.25 * level as f64;
        bodies.extend((0..columns).map(|i| Body::cuboid([0.25, 0.125, 0.125], [place(i), 0.0, height])));
    }
    Scene { rec: 10, ..scene("S7_wall", 300, bodies) }
}

fn pile(count: usize) -> Scene {
    // Cubes of 50 cm in layers of seven by seven, a little displaced and turned, above a bin of 5 × 5 m.
    let side = |half, pos| Body::cuboid(half, pos).fixed();
    let mut bodies = vec![
        floor(),
        side([0.5, 4.0, 6.0], [-3.0, 0.0, 6.0]),
        side([4.0, 0.5, 6.0], [0.0, -3.0, 6.0]),
        side([0.5, 4.0, 6.0], [3.0, 0.0, 6.0]),
        side([4.0, 0.5, 6.0], [0.0, 3.0, 6.0]),
    ];
    let mut random = Random::new(0x5EED);
    for index in 0..count {
        let (i, j, k) = (index / 7 % 7, index % 7, index / 49);
        let jitter = [0; 2].map(|_| 0.04 * (random.next() - 0.5));
        let pos = [0.7 * i as f64 - 2.1 + jitter[0], 0.7 * j as f64 - 2.1 + jitter[1], 0.4 + 0.75 * k as f64];
        bodies.push(Body { quat: random.tilt(0.05), ..Body::cuboid([0.25; 3], pos) });
    }
    Scene { rec: 10, ..scene(format!("S7_pile{count}"), 600, bodies) }
}

fn slide(name: &str, degrees: f64) -> Scene {
    let angle = degrees.to_radians();
    let speed = 3.0 * std::f64::consts::SQRT_2;
    let smooth = |body: Body| Body { mu: 0.3, ..body };
    let cube = Body { v: [speed * angle.cos(), speed * angle.sin(), 0.0], ..Body::cuboid([0.5; 3], [0.0, 0.0, 0.5]) };
    scene(name, 180, vec![smooth(floor()), smooth(cube)])
}

fn top() -> Scene {
    let body = Body { w: [0.01, 10.0, 0.01], ..Body::cuboid([0.5, 0.3, 0.1], [0.0; 3]) };
    Scene { gravity: [0.0; 3], dt: 1.0 / 240.0, ..scene("S9_top", 2400, vec![body]) }
}

fn bullet(speed: f64, fixed: bool, ccd: bool) -> Scene {
    let plate = Body { mass: 10.0, ..Body::cuboid([0.01, 1.0, 1.0], [0.0; 3]) };
    let plate = if fixed { plate.fixed() } else { plate };
    let ball = Body { mass: 0.5, v: [speed, 0.0, 0.0], ccd, ..Body::sphere(0.05, [-2.013, 0.0, 0.0]) };
    let kind = if fixed { "static" } else { "dyn" };
    let flag = if ccd { "ccd" } else { "noccd" };
    Scene { gravity: [0.0; 3], ..scene(format!("S10_v{speed}_{kind}_{flag}"), 60, vec![plate, ball]) }
}

/// Spheres in a lattice, all thrown alike but for a spin: what an engine costs without contacts.
fn thrown(count: usize) -> Scene {
    let side = (count as f64).cbrt().ceil() as usize;
    let ball = |k: usize| {
        let place = [k % side, k / side % side, k / (side * side)].map(|i| 2.0 * i as f64);
        Body { v: [1.0, 0.5, 5.0], w: [0.0, 0.0, k as f64 / count as f64], ..Body::sphere(0.5, place) }
    };
    scene(format!("S11_thrown{count}"), 120, (0..count).map(ball).collect())
}

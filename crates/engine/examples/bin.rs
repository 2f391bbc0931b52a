//! Two hundred objects of eight kinds fall into a bin; then one of its walls tips over and lets some of them out.
#![allow(clippy::print_stdout)]

use signorini::glamx::{DPose3, DQuat, DVec3};
use signorini::shape::Decomposition;
use signorini::{Body, BodyHandle, Kind, Settings, Shape, World};

const STEP: f64 = 1.0 / 100.0;
/// Half of the inner width of the bin, and half of the height of its walls \[m\].
const INNER: f64 = 0.5;
const WALL: f64 = 0.4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    let door = bin(&mut world)?;
    let kinds = objects()?;
    for k in 0..200_u32 {
        let (i, j, level) = (k % 5, k / 5 % 5, k / 25);
        let at = DVec3::new(0.18 * (f64::from(i) - 2.0), 0.18 * (f64::from(j) - 2.0), 0.12 + 0.17 * f64::from(level));
        let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, f64::from(k % 7)).normalize(), f64::from(k));
        let shape = kinds[k as usize % kinds.len()].clone();
        world
            .add(Body::dynamic(shape).density(700.0).position(at).orientation(turn).named(&format!("object {k:03}")))?;
    }
    let mut degraded = 0;
    for _ in 0..60 {
        degraded += u32::from(!world.step(STEP)?.certificate.is_met());
    }
    let inside = |world: &World| {
        let held = |p: DVec3| p.x.abs() < INNER + 0.1 && p.y.abs() < INNER + 0.1 && p.z > -0.01;
        world.bodies().filter(|(_, body)| body.kind() == Kind::Dynamic && held(body.position())).count()
    };
    assert_eq!(inside(&world), 200, "the bin holds them all");
    // The wall turns about its lower edge by 60° in 0.4 s.
    for step in 1..=40 {
        let angle = (f64::from(step) / 40.0) * std::f64::consts::FRAC_PI_3;
        world.move_to(door, door_at(angle), STEP)?;
        degraded += u32::from(!world.step(STEP)?.certificate.is_met());
    }
    world.set_spin(door, DVec3::ZERO)?;
    world.set_velocity(door, DVec3::ZERO)?;
    for _ in 0..60 {
        degraded += u32::from(!world.step(STEP)?.certificate.is_met());
    }
    let left = inside(&world);
    println!("{} of 200 objects left the bin; {degraded} of 160 steps were not certified", 200 - left);
    assert!(left < 200, "some fall out");
    let lowest = world.bodies().filter(|(_, b)| b.kind() == Kind::Dynamic).map(|(_, b)| b.position().z);
    assert!(lowest.fold(f64::INFINITY, f64::min) > 0.0, "nothing goes through the floor");
    Ok(())
}

/// The door: hinged at x = INNER on the floor, leaning out by an angle.
fn door_at(angle: f64) -> DPose3 {
    let turn = DQuat::from_rotation_y(angle);
    DPose3::from_parts(DVec3::new(INNER + 0.05, 0.0, 0.0) + turn * DVec3::new(0.0, 0.0, WALL), turn)
}

/// A floor, three fixed walls, and one that is moved.
fn bin(world: &mut World) -> Result<BodyHandle, Box<dyn std::error::Error>> {
    world.add(Body::fixed(Shape::half_space(DVec3::Z)?).named("floor"))?;
    let thick = DVec3::new(0.05, INNER + 0.1, WALL);
    let side = Shape::cuboid(thick)?;
    let across = Shape::cuboid(DVec3::new(thick.y, thick.x, WALL))?;
    world.add(Body::fixed(side.clone()).position(DVec3::new(-INNER - 0.05, 0.0, WALL)).named("wall back"))?;
    for (name, y) in [("wall left", -INNER - 0.05), ("wall right", INNER + 0.05)] {
        world.add(Body::fixed(across.clone()).position(DVec3::new(0.0, y, WALL)).named(name))?;
    }
    let door = Body::kinematic(side).position(door_at(0.0).translation).named("wall door");
    Ok(world.add(door)?)
}

/// One of each kind, none wider than 0.16 m.
fn objects() -> Result<Vec<Shape>, Box<dyn std::error::Error>> {
    let pebble = [[0.06, 0.0, 0.0], [-0.05, 0.03, 0.0], [-0.04, -0.04, 0.01], [0.0, 0.01, 0.05], [0.01, 0.02, -0.04]];
    let pebble: Vec<DVec3> = pebble.iter().map(|p| DVec3::from_array(*p)).collect();
    Ok(vec![
        Shape::sphere(0.05)?,
        Shape::cuboid(DVec3::new(0.05, 0.04, 0.03))?,
        Shape::rounded_cuboid(DVec3::new(0.04, 0.03, 0.02), 0.015)?,
        Shape::capsule(0.04, 0.03)?,
        Shape::cylinder(0.04, 0.04)?,
        Shape::convex_hull(&pebble)?,
        Shape::rounded_hull(&pebble, 0.01)?,
        angle_iron()?,
    ])
}

/// An L with arms of 0.1 m, from a closed mesh.
fn angle_iron() -> Result<Shape, signorini::ShapeError> {
    let outline = [[-0.03, -0.03], [0.07, -0.03], [0.07, 0.0], [0.0, 0.0], [0.0, 0.07], [-0.03, 0.07]];
    let (n, half) = (6_u32, 0.03);
    let mut vertices: Vec<DVec3> = outline.iter().map(|[x, y]| DVec3::new(*x, *y, -half)).collect();
    vertices.extend(outline.iter().map(|[x, y]| DVec3::new(*x, *y, half)));
    let caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let mut triangles: Vec<[u32; 3]> = caps.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    triangles.extend(caps.iter().map(|cap| cap.map(|v| v + n)));
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, j + n], [i, j + n, i + n]]);
    }
    Shape::solid_mesh(
        &vertices,
        &triangles,
        &Decomposition { resolution: 32, max_parts: 4, ..Decomposition::default() },
    )
}

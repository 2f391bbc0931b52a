//! Triangulated floors are floors: what slides or rolls over them feels no seam.

use signorini::glamx::{DQuat, DVec3};
use signorini::{Body, BodyHandle, Material, Settings, Shape, World};

/// Departure from the flat floor that is allowed \[m, m/s, rad/s\].
const SEAMLESS: f64 = 1e-9;
const STEP: f64 = 1.0 / 240.0;

/// A flat surface of triangles of all sizes and directions: a grid whose inner vertices are shaken, cut along either diagonal.
fn jumbled_floor() -> Shape {
    let (count, spacing) = (24_u32, 0.17);
    let mut state = 7_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let mut vertices = Vec::new();
    for j in 0..count {
        for i in 0..count {
            let (x, y) = (f64::from(i) - 4.0 + 0.6 * random(), f64::from(j) - 12.0 + 0.6 * random());
            vertices.push(DVec3::new(spacing * x, spacing * y, 0.0));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..count - 1 {
        for i in 0..count - 1 {
            let a = j * count + i;
            let [b, c, d] = [a + 1, a + count + 1, a + count];
            if random() > 0.0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    Shape::triangle_mesh(vertices, triangles).unwrap()
}

fn grid_floor() -> Shape {
    Shape::height_field(60, 40, [0.11, 0.13], &[0.0; 2400]).unwrap()
}

fn launch(floor: Shape, body: Body) -> (World, BodyHandle) {
    let mut world = World::new(Settings::default()).unwrap();
    let rough = Material::new(0.3, 0.0);
    world.add(Body::fixed(floor).material(rough).named("floor")).unwrap();
    let body = world.add(body.material(rough).named("slider")).unwrap();
    (world, body)
}

/// The largest departure of a run over the triangles from the same run over a half-space.
fn departure(floor: Shape, body: &Body, steps: usize) -> f64 {
    let (mut flat, slider) = launch(Shape::half_space(DVec3::Z).unwrap(), body.clone());
    let (mut seamed, other) = launch(floor, body.clone());
    let mut worst: f64 = 0.0;
    for _ in 0..steps {
        flat.step(STEP).unwrap();
        seamed.step(STEP).unwrap();
        let (p, q) = (flat.body(slider).unwrap().state(), seamed.body(other).unwrap().state());
        let turned = (p.orientation.inverse() * q.orientation).xyz().length();
        for size in [
            (p.position - q.position).length(),
            (p.velocity - q.velocity).length(),
            (p.angular_velocity - q.angular_velocity).length(),
            turned,
        ] {
            worst = worst.max(size);
        }
    }
    worst
}

/// A ball thrown flat slides, begins to roll, and rolls on over dozens of edges and vertices.
#[test]
fn a_ball_rolls_over_seams_as_over_a_plane() {
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).position(DVec3::new(-0.3, 0.01, 0.1));
    let ball = ball.velocity(DVec3::new(2.0, 0.4, 0.0));
    for floor in [jumbled_floor(), grid_floor()] {
        let found = departure(floor, &ball, 240);
        assert!(found <= SEAMLESS, "departs by {found:e}");
    }
}

/// A box that slides without turning loses μg whatever the triangles under it: all its points slide one way.
#[test]
fn a_box_slides_over_seams_as_over_a_plane() {
    for turn in [0.0, 0.4] {
        let slider = Body::dynamic(Shape::cuboid(DVec3::new(0.15, 0.1, 0.05)).unwrap()).mass(2.0);
        let slider = slider.position(DVec3::new(-0.3, 0.01, 0.05)).orientation(DQuat::from_rotation_z(turn));
        let slider = slider.velocity(DVec3::new(1.8, 0.3, 0.0));
        for floor in [jumbled_floor(), grid_floor()] {
            let found = departure(floor, &slider, 200);
            assert!(found <= SEAMLESS, "turned by {turn}, departs by {found:e}");
        }
    }
}

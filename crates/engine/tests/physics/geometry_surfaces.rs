//! Meshes and height fields: flat ground is flat, inner edges do not catch, twins are dropped.

use crate::geometry_fixtures::*;
use glamx::{DPose3, DQuat, DVec3};
use signorini::shape::Shape;

const MARGIN: f64 = 0.01;

fn flat(cells: usize, spacing: f64) -> Shape {
    Shape::height_field(cells + 1, cells + 1, [spacing, spacing], &vec![0.0; (cells + 1) * (cells + 1)]).unwrap()
}

#[test]
fn shapes_on_a_flat_mesh_feel_flat_ground() {
    let mut rng = Rng::new(8);
    let shapes = [
        cube(1.0),
        Shape::convex_hull(&box_points(DVec3::splat(0.5))).unwrap(),
        Shape::sphere(0.5).unwrap(),
        Shape::cylinder(0.5, 0.4).unwrap(),
        Shape::convex_hull(&prism_points(8, 0.5, 0.5)).unwrap(),
    ];
    for spacing in [10.0, 0.7, 0.3] {
        let ground = flat(20, spacing);
        for (index, shape) in shapes.iter().enumerate() {
            for _ in 0..100 {
                let place = DVec3::new(rng.between(-1.0, 1.0), rng.between(-1.0, 1.0), 0.499);
                let pose = DPose3::from_parts(place, DQuat::from_rotation_z(rng.between(0.0, 6.0)));
                let all = collide(&ground, &DPose3::IDENTITY, shape, &pose, MARGIN);
                assert!(!all.is_empty());
                let mut points: Vec<DVec3> = vec![];
                for manifold in &all {
                    check(manifold, MARGIN);
                    near3(manifold.normal, DVec3::Z, 1e-9);
                    for p in &manifold.points {
                        near(p.gap, -0.001, 1e-9);
                        assert!(points.iter().all(|q| (*q - p.on_b).length() > 1e-7), "{} twice", p.on_b);
                        points.push(p.on_b);
                    }
                }
                // The hull of the points is the footprint: they reach as far as the shape's own box, to the polygon.
                if shape.is_convex() && points.len() > 3 {
                    let bounds = shape.aabb(&pose);
                    let reach = points.iter().map(|p| p.x).fold(f64::MIN, f64::max);
                    near(reach, bounds.max.x, 0.01);
                }
                let flipped = collide(shape, &pose, &ground, &DPose3::IDENTITY, MARGIN);
                for p in flipped.iter().flat_map(|m| &m.points) {
                    near(p.gap, -0.001, 1e-9);
                    // Slivers between the cap's polygon and its rim are answered by closest points, which may differ.
                    let twin = points.iter().any(|q| (*q - p.on_a).length() < 2e-6);
                    assert!(twin || index == 3, "{} only when flipped", p.on_a);
                }
                flipped.iter().for_each(|m| near3(m.normal, -DVec3::Z, 1e-9));
            }
        }
    }
}

#[test]
fn a_ball_rolling_over_inner_edges_sees_no_bump() {
    let ground = flat(10, 0.5);
    let ball = Shape::sphere(0.2).unwrap();
    for k in 0..2000 {
        let pose = at(-2.0 + 0.002 * f64::from(k), -1.7 + 0.0017 * f64::from(k), 0.1999);
        let all = collide(&ground, &DPose3::IDENTITY, &ball, &pose, 1e-3);
        assert_eq!(all.len(), 1, "step {k}");
        near3(all[0].normal, DVec3::Z, 1e-12);
        near(all[0].least_gap(), -1e-4, 1e-12);
    }
}

#[test]
fn a_roof_edge_is_felt_and_a_valley_has_two_sides() {
    // Ridge along y: z = −|x|.
    let ridge = Shape::height_field(3, 2, [1.0, 4.0], &[-1.0, 0.0, -1.0, -1.0, 0.0, -1.0]).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let all = collide(&ridge, &DPose3::IDENTITY, &ball, &at(0.0, 0.3, 0.49), MARGIN);
    assert!(all.iter().any(|m| (m.normal - DVec3::Z).length() < 1e-9 && (m.least_gap() + 0.01).abs() < 1e-9));
    // Valley z = |x|: a ball that touches both sides has two manifolds at 45°.
    let valley = Shape::height_field(3, 2, [1.0, 4.0], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]).unwrap();
    let height = 0.5 * 2f64.sqrt() - 0.001;
    let all = collide(&valley, &DPose3::IDENTITY, &ball, &at(0.0, 0.3, height), MARGIN);
    assert_eq!(all.len(), 2);
    for manifold in &all {
        near(manifold.normal.x.abs(), 0.5f64.sqrt(), 1e-9);
        near(manifold.least_gap(), -0.001 * 0.5f64.sqrt(), 1e-9);
    }
}

#[test]
fn e8_ground_pushes_a_sunken_body_up_however_deep() {
    let ground = flat(4, 2.0);
    for depth in [0.1, 0.5, 0.9] {
        let all = collide(&ground, &DPose3::IDENTITY, &cube(1.0), &at(0.3, 0.4, 0.5 - depth), MARGIN);
        assert!(!all.is_empty());
        for manifold in &all {
            near3(manifold.normal, DVec3::Z, 1e-9);
            near(manifold.least_gap(), -depth, 1e-9);
        }
    }
}

#[test]
fn c13_needle_triangles_give_points_inside_both_boxes() {
    let vertices = vec![DVec3::new(-5e3, 0.0, 0.0), DVec3::new(5e3, 0.0, 0.0), DVec3::new(5e3, 1e-4, 0.0)];
    let needle = Shape::triangle_mesh(vertices, vec![[0, 1, 2]]).unwrap();
    for x in [-4000.0, 0.0, 123.0, 4000.0] {
        for shape in [cube(1.0), Shape::sphere(0.5).unwrap(), Shape::convex_hull(&dodecahedron_points()).unwrap()] {
            let low = -shape.aabb(&DPose3::IDENTITY).min.z;
            let pose = at(x, 0.0, low - 0.001);
            let bounds = shape.aabb(&pose).inflated(1e-6);
            for manifold in collide(&needle, &DPose3::IDENTITY, &shape, &pose, MARGIN) {
                check(&manifold, MARGIN);
                for p in &manifold.points {
                    assert!(p.on_b.cmpge(bounds.min).all() && p.on_b.cmple(bounds.max).all());
                    assert!(p.on_a.y >= -1e-6 && p.on_a.y <= 1e-4 + 1e-6);
                }
            }
        }
    }
}

/// Distance of a point to a triangle, by its projection and by the nearest points of its edges.
fn distance_to_triangle(corners: [DVec3; 3], p: DVec3) -> f64 {
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a);
    let inside = corners.iter().zip([b, c, a]).all(|(from, to)| normal.cross(to - *from).dot(p - *from) >= 0.0);
    if inside {
        return (p - a).dot(normal.normalize()).abs();
    }
    let to_edge = |(from, to): (&DVec3, DVec3)| {
        let share = ((p - *from).dot(to - *from) / (to - *from).length_squared()).clamp(0.0, 1.0);
        (*from + share * (to - *from) - p).length()
    };
    corners.iter().zip([b, c, a]).map(to_edge).fold(f64::MAX, f64::min)
}

/// Random ground, from gentle to steep, with obtuse triangles: a ball that comes down on it touches where the ground is
/// nearest, on faces, ridges, peaks and on the rim. One that rolled over the rim once fell through it.
#[test]
fn a_ball_touches_ground_where_it_is_nearest() {
    let mut rng = Rng::new(11);
    let (count, spacing, radius) = (6, 0.5, 0.22);
    for field in 0..40 {
        let steep = 0.1 + 0.02 * f64::from(field);
        let heights: Vec<f64> = (0..count * count).map(|_| rng.between(0.0, steep)).collect();
        let ground = Shape::height_field(count, count, [spacing, spacing], &heights).unwrap();
        let half = 0.5 * spacing * (count - 1) as f64;
        let corner = |i: usize, j: usize| {
            DVec3::new(i as f64 * spacing - half, j as f64 * spacing - half, heights[j * count + i])
        };
        let mut triangles = vec![];
        for (i, j) in (0..count - 1).flat_map(|j| (0..count - 1).map(move |i| (i, j))) {
            let (a, b, c, d) = (corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1));
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        let distance = |p: DVec3| triangles.iter().map(|t| distance_to_triangle(*t, p)).fold(f64::MAX, f64::min);
        for _ in 0..200 {
            let (x, y) = (rng.between(-half, half), rng.between(-half, half));
            // The ball comes down until it overlaps by a tenth of a millimetre.
            let (mut z, depth) = (steep + 2.0 * radius, 1e-4);
            for _ in 0..10_000 {
                let open = distance(DVec3::new(x, y, z)) - (radius - depth);
                if open < 1e-12 {
                    break;
                }
                z -= open;
            }
            let all = collide(&ground, &DPose3::IDENTITY, &Shape::sphere(radius).unwrap(), &at(x, y, z), MARGIN);
            let least = all.iter().map(|manifold| manifold.least_gap()).fold(f64::MAX, f64::min);
            assert!((least + depth).abs() <= 1e-9, "field {field} at {x} {y} {z}: {least:e}");
        }
    }
}

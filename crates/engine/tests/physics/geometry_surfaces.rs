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

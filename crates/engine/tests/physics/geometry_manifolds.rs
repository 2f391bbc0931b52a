//! Contact points of known pairs: how many, where, how deep.

use crate::geometry_fixtures::*;
use glamx::{DPose3, DQuat, DVec3};
use signorini::shape::Shape;
use signorini::step::manifold::{Manifold, ManifoldPoint, NarrowPhase, PairCache, reduce_to_four};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

const MARGIN: f64 = 0.01;

fn centroid(manifold: &Manifold) -> DVec3 {
    manifold.points.iter().map(|p| p.on_b).sum::<DVec3>() / manifold.points.len() as f64
}

fn hull_of(half: DVec3) -> Shape {
    Shape::convex_hull(&box_points(half)).unwrap()
}

/// Cubes as boxes, as hulls, and mixed: the answers must be the same.
fn cube_kinds(size_a: f64, size_b: f64) -> [(Shape, Shape); 4] {
    let (a, b) = (DVec3::splat(0.5 * size_a), DVec3::splat(0.5 * size_b));
    [(cube(size_a), cube(size_b)), (hull_of(a), hull_of(b)), (cube(size_a), hull_of(b)), (hull_of(a), cube(size_b))]
}

#[test]
fn cubes_offset_along_an_axis_overlap_by_what_is_left() {
    for (size_b, offset, depth, normal) in [
        (1.0, DVec3::new(0.8, 0.0, 0.0), 0.2, DVec3::X),
        (1.0, DVec3::new(0.0, -0.7, 0.0), 0.3, -DVec3::Y),
        (1.0, DVec3::new(0.0, 0.0, 0.6), 0.4, DVec3::Z),
        (1.0, DVec3::new(0.99, 0.0, 0.0), 0.01, DVec3::X),
        (2.0, DVec3::new(1.2, 0.0, 0.0), 0.3, DVec3::X),
    ] {
        for (a, b) in cube_kinds(1.0, size_b) {
            let manifold = touch(&a, &DPose3::IDENTITY, &b, &DPose3::from_translation(offset), MARGIN);
            near3(manifold.normal, normal, 1e-6);
            assert_eq!(manifold.points.len(), 4);
            for point in &manifold.points {
                near(point.gap, -depth, 1e-9);
            }
        }
    }
}

#[test]
fn cube_on_floor_has_four_points_at_its_depth() {
    let floor = Shape::half_space(DVec3::Z).unwrap();
    let slab = Shape::cuboid(DVec3::new(5.0, 5.0, 0.5)).unwrap();
    for z in [0.45, 0.4, 0.49, 0.499, 0.5, 0.505] {
        for body in [cube(1.0), hull_of(DVec3::splat(0.5))] {
            for (ground, below) in [(&floor, 0.0), (&slab, -0.5)] {
                let manifold = touch(ground, &at(0.0, 0.0, below), &body, &at(0.0, 0.0, z), MARGIN);
                assert_eq!(manifold.points.len(), 4);
                near3(manifold.normal, DVec3::Z, 1e-12);
                manifold.points.iter().for_each(|p| near(p.gap, z - 0.5, 1e-12));
                // Σ r×n = 0: the four points balance about the centre.
                let moment = manifold.points.iter().map(|p| p.on_b.cross(manifold.normal)).sum::<DVec3>();
                near3(moment, DVec3::ZERO, 1e-12);
                // Seen from the other side.
                let flipped = touch(&body, &at(0.0, 0.0, z), ground, &at(0.0, 0.0, below), MARGIN);
                near3(flipped.normal, -DVec3::Z, 1e-12);
                assert_eq!(flipped.points.len(), 4);
                near(flipped.least_gap(), z - 0.5, 1e-12);
            }
        }
    }
}

#[test]
fn cube_standing_on_an_edge_has_two_points_at_the_ends_of_it() {
    let slab = Shape::cuboid(DVec3::new(5.0, 5.0, 0.5)).unwrap();
    let floor = Shape::half_space(DVec3::Z).unwrap();
    for depth in [0.01, 0.001] {
        let pose =
            DPose3::from_parts(DVec3::new(0.0, 0.0, 0.5 * 2f64.sqrt() - depth), DQuat::from_rotation_y(FRAC_PI_4));
        for body in [cube(1.0), hull_of(DVec3::splat(0.5))] {
            for (ground, below) in [(&slab, -0.5), (&floor, 0.0)] {
                let manifold = touch(ground, &at(0.0, 0.0, below), &body, &pose, 0.0);
                assert!(manifold.points.len() >= 2);
                let apart = (manifold.points[0].on_b - manifold.points[1].on_b).length();
                near(apart, 1.0, 1e-9);
                near(manifold.least_gap(), -depth, 1e-12);
                near3(manifold.normal, DVec3::Z, 1e-12);
            }
        }
    }
}

#[test]
fn tilted_cube_has_unequal_depths_and_none_above_the_true_one() {
    let slab = Shape::cuboid(DVec3::new(5.0, 5.0, 0.5)).unwrap();
    for angle in [1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.5] {
        // Lowest edge 1 mm deep.
        let z = 0.5 * (f64::cos(angle) + f64::sin(angle)) - 0.001;
        let pose = DPose3::from_parts(DVec3::new(0.1, 0.2, z), DQuat::from_rotation_x(angle));
        for body in [cube(1.0), hull_of(DVec3::splat(0.5))] {
            let manifold = touch(&slab, &at(0.0, 0.0, -0.5), &body, &pose, 10.0);
            near(manifold.least_gap(), -0.001, 1e-9);
            let highest = manifold.points.iter().map(|p| p.gap).fold(f64::MIN, f64::max);
            near(highest, -0.001 + f64::sin(angle), 1e-6);
        }
    }
}

#[test]
fn zero_depth_does_not_pick_a_wrong_face() {
    for offset in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z] {
        for slide in [0.0, 0.3, 0.9] {
            let shift = offset + slide * DVec3::new(offset.y, offset.z, offset.x);
            for (a, b) in cube_kinds(1.0, 1.0) {
                let manifold = touch(&a, &DPose3::IDENTITY, &b, &DPose3::from_translation(shift), MARGIN);
                near3(manifold.normal, offset, 1e-9);
                assert_eq!(manifold.points.len(), 4, "offset {shift}");
                manifold.points.iter().for_each(|p| near(p.gap, 0.0, 1e-12));
            }
        }
    }
}

#[test]
fn e9_cube_orientations_at_touch_show_no_depth_above_the_true_one() {
    let quarter = |axis: DVec3, k: i32| DQuat::from_axis_angle(axis, FRAC_PI_2 * f64::from(k));
    let mut orientations = Vec::new();
    for up in 0..6 {
        let tip = if up < 4 { quarter(DVec3::X, up) } else { quarter(DVec3::Y, 2 * up - 9) };
        for turn in 0..4 {
            orientations.push(quarter(DVec3::Z, turn) * tip);
        }
    }
    let mut rng = Rng::new(9);
    for base in orientations {
        for tilt in [0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3] {
            let rotation = DQuat::from_axis_angle(rng.direction(), tilt) * base;
            // Lowest corner exactly on the top of A.
            let lowest = box_points(DVec3::splat(0.5)).iter().map(|p| (rotation * *p).z).fold(f64::MAX, f64::min);
            for (size, (a, b)) in
                cube_kinds(3.0, 1.0).map(|k| (3.0, k)).into_iter().chain(cube_kinds(1.0, 1.0).map(|k| (1.0, k)))
            {
                let pose = DPose3::from_parts(DVec3::new(0.0, 0.0, 0.5 * size - lowest), rotation);
                let manifold = touch(&a, &DPose3::IDENTITY, &b, &pose, MARGIN);
                assert!(manifold.least_gap() > -1e-12, "tilt {tilt}: depth {}", -manifold.least_gap());
                // On the wide cube the lowest corner is over the face; on the equal one it may stick out beside it by
                // tilt/2, where the face is lower by tilt².
                near(manifold.least_gap(), 0.0, if size > 1.0 { 1e-9 } else { 1e-9 + tilt * tilt });
                assert!(manifold.normal.z > 1.0 - 1e-5, "tilt {tilt}: normal {}", manifold.normal);
                let enough = if tilt < 1e-4 { 4 } else { 1 };
                assert!(manifold.points.len() >= enough, "tilt {tilt}: {} points", manifold.points.len());
            }
        }
    }
}

#[test]
fn e4_e5_e7_coincident_shapes_have_fixed_normals() {
    let ball = Shape::sphere(0.5).unwrap();
    let pose = at(1.0, 2.0, 3.0);
    let manifold = touch(&ball, &pose, &ball, &pose, 0.0);
    assert_eq!(manifold.normal, DVec3::Z);
    near(manifold.least_gap(), -1.0, 1e-15);

    let manifold = touch(&cube(1.0), &pose, &cube(1.0), &pose, 0.0);
    assert_eq!(manifold.normal, DVec3::X);
    near(manifold.least_gap(), -1.0, 1e-15);
    let plank = Shape::cuboid(DVec3::new(2.0, 0.25, 0.25)).unwrap();
    let turned = DPose3::from_parts(DVec3::ONE, Rng::new(4).rotation());
    let manifold = touch(&plank, &turned, &plank, &turned, 0.0);
    near3(manifold.normal, turned.rotation * DVec3::Y, 1e-12);
    near(manifold.least_gap(), -0.5, 1e-12);

    let manifold = touch(&cube(4.0), &DPose3::IDENTITY, &cube(1.0), &at(0.5, 1.0, -0.2), 0.0);
    near3(manifold.normal, DVec3::Y, 1e-12);
    near(manifold.least_gap(), -1.5, 1e-12);
    assert_eq!(manifold.points.len(), 4);

    // Other shapes at one point: finite, unit, no panic.
    let shapes = [
        ball,
        cube(1.0),
        hull_of(DVec3::splat(0.5)),
        Shape::capsule(0.5, 0.2).unwrap(),
        Shape::cylinder(0.5, 0.2).unwrap(),
        Shape::cone(0.5, 0.2).unwrap(),
        Shape::convex_hull(&dodecahedron_points()).unwrap(),
    ];
    for a in &shapes {
        for b in &shapes {
            let manifold = touch(a, &pose, b, &pose, 0.0);
            assert!(manifold.least_gap() < 0.0);
        }
    }
}

#[test]
fn spheres_and_capsules_are_exact() {
    let ball = Shape::sphere(0.5).unwrap();
    let small = Shape::sphere(0.25).unwrap();
    let (p, q) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.3, 2.4, 3.0));
    let manifold = touch(&ball, &DPose3::from_translation(p), &small, &DPose3::from_translation(q), MARGIN);
    near3(manifold.normal, DVec3::new(0.6, 0.8, 0.0), 1e-15);
    near(manifold.least_gap(), 0.5 - 0.75, 1e-15);
    near3(manifold.points[0].on_a, p + DVec3::new(0.3, 0.4, 0.0), 1e-15);
    assert!(collide(&ball, &at(0.0, 0.0, 0.0), &small, &at(0.761, 0.0, 0.0), MARGIN).is_empty());

    let floor = Shape::half_space(DVec3::new(0.0, 0.0, 2.0)).unwrap();
    let manifold = touch(&floor, &at(0.0, 0.0, 1.0), &ball, &at(3.0, 4.0, 1.4), MARGIN);
    near(manifold.least_gap(), -0.1, 1e-15);
    near3(manifold.points[0].on_a, DVec3::new(3.0, 4.0, 1.0), 1e-15);

    // Sphere and box: face, edge, corner, inside.
    let block = cube(2.0);
    for (centre, normal, gap) in [
        (DVec3::new(0.2, 0.1, 1.4), DVec3::Z, -0.1),
        (DVec3::new(1.3, 0.0, 1.4), DVec3::new(0.6, 0.0, 0.8), 0.0),
        (DVec3::new(1.2, 1.2, 1.1), DVec3::new(2.0, 2.0, 1.0) / 3.0, -0.2),
        (DVec3::new(0.9, 0.0, 0.0), DVec3::X, -0.6),
    ] {
        let manifold = touch(&block, &DPose3::IDENTITY, &ball, &DPose3::from_translation(centre), MARGIN);
        near3(manifold.normal, normal, 1e-12);
        near(manifold.least_gap(), gap, 1e-12);
        let flipped = touch(&ball, &DPose3::from_translation(centre), &block, &DPose3::IDENTITY, MARGIN);
        near3(flipped.normal, -normal, 1e-12);
    }

    let rod = Shape::capsule(1.0, 0.25).unwrap();
    let manifold = touch(&rod, &DPose3::IDENTITY, &ball, &at(0.7, 0.0, 0.4), MARGIN);
    near3(manifold.normal, DVec3::X, 1e-15);
    near(manifold.least_gap(), -0.05, 1e-15);
    let manifold = touch(&ball, &at(0.0, 0.7, 1.0), &rod, &DPose3::IDENTITY, MARGIN);
    near3(manifold.normal, -DVec3::Y, 1e-15);

    // Parallel rods: the ends of the stretch they share. Crossed: one point.
    let manifold = touch(&rod, &DPose3::IDENTITY, &rod, &at(0.4, 0.0, 0.5), MARGIN);
    assert_eq!(manifold.points.len(), 2);
    manifold.points.iter().for_each(|p| near(p.gap, -0.1, 1e-12));
    near((manifold.points[0].on_a.z - manifold.points[1].on_a.z).abs(), 1.5, 1e-12);
    let across = DPose3::from_parts(DVec3::new(0.4, 0.0, 0.5), DQuat::from_rotation_x(1.0));
    let manifold = touch(&rod, &DPose3::IDENTITY, &rod, &across, MARGIN);
    assert_eq!(manifold.points.len(), 1);
    near3(manifold.normal, DVec3::X, 1e-12);
    near(manifold.least_gap(), -0.1, 1e-12);

    // Lying rods: two points on floor and box.
    let lying = DPose3::from_parts(DVec3::new(0.0, 0.0, 0.24), DQuat::from_rotation_y(FRAC_PI_2));
    let slab = Shape::cuboid(DVec3::new(5.0, 5.0, 0.5)).unwrap();
    for (ground, below) in [(&Shape::half_space(DVec3::Z).unwrap(), 0.0), (&slab, -0.5)] {
        let manifold = touch(ground, &at(0.0, 0.0, below), &rod, &lying, MARGIN);
        assert_eq!(manifold.points.len(), 2);
        manifold.points.iter().for_each(|p| near(p.gap, -0.01, 1e-12));
    }
}

/// Two rods of half length 1 m beside each other, the second tilted by 0.01 rad towards the first, or turned by as much
/// across: besides the point that is nearest, both ends of the stretch that they share are contacts. Their gaps are those
/// of the ends of the second axis to the first.
#[test]
fn rods_that_are_nearly_parallel_touch_at_both_ends() {
    let radius = 0.25;
    let rods = [Shape::capsule(1.0, radius).unwrap(), Shape::cylinder(1.0, radius).unwrap()];
    for (rod, turn) in rods.iter().flat_map(|rod| [DVec3::X, DVec3::Y].map(|axis| (rod, axis))) {
        let rotation = DQuat::from_axis_angle(turn, 0.01);
        let centre = DVec3::new(0.0, 2.0 * radius + 0.009, 0.0);
        let all = collide(rod, &DPose3::IDENTITY, rod, &DPose3::from_parts(centre, rotation), 0.03);
        let gaps = |z: f64| {
            let at = |p: &ManifoldPoint| (p.on_a.z - z).abs() < 0.02;
            all.iter().flat_map(|m| &m.points).filter(|p| at(p)).map(|p| p.gap).collect::<Vec<_>>()
        };
        for end in [-1.0, 1.0] {
            let p = centre + rotation * DVec3::new(0.0, 0.0, end);
            let expected = p.truncate().length() - 2.0 * radius;
            let found = gaps(end);
            assert_eq!(found.len(), 1, "{found:?}");
            // The ends of the cylinder's waist are inset by 2.5 mm, over which a tilt of 0.01 changes the gap by 25 um.
            near(found[0], expected, 3e-5);
        }
        all.iter().for_each(|manifold| check(manifold, 0.03));
    }
}

#[test]
fn prisms_standing_on_a_box_keep_every_corner() {
    let slab = Shape::cuboid(DVec3::new(5.0, 5.0, 0.5)).unwrap();
    let floor = Shape::half_space(DVec3::Z).unwrap();
    for sides in [5, 6, 8, 16, 32] {
        let prism = Shape::convex_hull(&prism_points(sides, 0.5, 1.0)).unwrap();
        let pose = DPose3::from_parts(DVec3::new(0.2, -0.3, 0.999), DQuat::from_rotation_z(0.123));
        for (ground, below) in [(&slab, -0.5), (&floor, 0.0)] {
            let manifold = touch(ground, &at(0.0, 0.0, below), &prism, &pose, MARGIN);
            assert_eq!(manifold.points.len(), sides);
            near3(centroid(&manifold), DVec3::new(0.2, -0.3, -0.001), 1e-9);
            manifold.points.iter().for_each(|p| near(p.gap, -0.001, 1e-9));
            let reversed = touch(&prism, &pose, ground, &at(0.0, 0.0, below), MARGIN);
            assert_eq!(reversed.points.len(), sides);
        }
    }
}

#[test]
fn pentagons_turned_half_way_overlap_in_a_decagon() {
    let hull = Shape::convex_hull(&dodecahedron_points()).unwrap();
    // Face normals of this dodecahedron are (0, φ, 1) and its like; stand one on z.
    let phi = (1.0 + 5f64.sqrt()) / 2.0;
    let stand = DQuat::from_rotation_arc(DVec3::new(0.0, phi, 1.0).normalize(), DVec3::Z);
    let top = dodecahedron_points().iter().map(|p| (stand * *p).z).fold(f64::MIN, f64::max);
    for twist in [TAU / 10.0, 0.0, 0.05] {
        // The face opposite to the top one is turned by a tenth of a turn.
        let lower = DPose3::from_parts(DVec3::ZERO, stand);
        let upper = DPose3::from_parts(DVec3::new(0.0, 0.0, 2.0 * top - 0.001), DQuat::from_rotation_z(twist) * stand);
        let manifold = touch(&hull, &lower, &hull, &upper, MARGIN);
        near3(manifold.normal, DVec3::Z, 1e-9);
        let expected = if twist == TAU / 10.0 { 5 } else { 10 };
        assert_eq!(manifold.points.len(), expected, "twist {twist}");
        manifold.points.iter().for_each(|p| near(p.gap, -0.001, 1e-9));
        near3(centroid(&manifold).with_z(0.0), DVec3::ZERO, if twist == 0.05 { 0.1 } else { 1e-9 });
    }
}

#[test]
fn boxes_turned_half_way_overlap_in_an_octagon() {
    let pose = DPose3::from_parts(DVec3::new(0.0, 0.0, 0.999), DQuat::from_rotation_z(FRAC_PI_4));
    for (a, b) in cube_kinds(1.0, 1.0) {
        let manifold = touch(&a, &DPose3::IDENTITY, &b, &pose, MARGIN);
        assert_eq!(manifold.points.len(), 8);
        // All corners of the regular octagon lie 0.5/cos(π/8) from the axis.
        for p in &manifold.points {
            near(p.on_a.truncate().length(), 0.5 / (TAU / 16.0).cos(), 1e-12);
        }
    }
}

#[test]
fn crossed_edges_meet_in_one_point() {
    // A's upper edge lies along y, B's lower edge along x; B is 2 mm deep at their crossing.
    let a = DPose3::from_parts(DVec3::ZERO, DQuat::from_rotation_y(FRAC_PI_4));
    let diagonal = 2f64.sqrt();
    let b = DPose3::from_parts(DVec3::new(0.1, 0.2, diagonal - 0.002), DQuat::from_rotation_x(FRAC_PI_4));
    for (one, two) in cube_kinds(1.0, 1.0) {
        let manifold = touch(&one, &a, &two, &b, MARGIN);
        near3(manifold.normal, DVec3::Z, 1e-9);
        near(manifold.least_gap(), -0.002, 1e-9);
        let deepest = manifold.points.iter().min_by(|p, q| p.gap.total_cmp(&q.gap)).unwrap();
        near3(deepest.on_a, DVec3::new(0.0, 0.2, 0.5 * diagonal), 1e-9);
    }
    // Apart at an edge and a corner of boxes: the true distance and direction.
    let gap = DVec3::new(0.003, 0.0, 0.004);
    for (one, two) in cube_kinds(1.0, 1.0) {
        let manifold =
            touch(&one, &DPose3::IDENTITY, &two, &DPose3::from_translation(DVec3::new(1.0, 0.2, 1.0) + gap), MARGIN);
        near3(manifold.normal, gap / 0.005, 1e-6);
        near(manifold.least_gap(), 0.005, 1e-9);
        let corner = DPose3::from_translation(DVec3::ONE + DVec3::splat(0.004));
        let manifold = touch(&one, &DPose3::IDENTITY, &two, &corner, MARGIN);
        near3(manifold.normal, DVec3::splat(1.0 / 3f64.sqrt()), 1e-6);
        near(manifold.least_gap(), 0.004 * 3f64.sqrt(), 1e-9);
    }
}

#[test]
fn cylinders_and_cones_stand_lie_and_tilt() {
    let slab = Shape::cuboid(DVec3::new(5.0, 5.0, 0.5)).unwrap();
    let floor = Shape::half_space(DVec3::Z).unwrap();
    let drum = Shape::cylinder(1.0, 0.5).unwrap();
    let cone = Shape::cone(1.0, 0.5).unwrap();
    for (ground, below) in [(&slab, -0.5), (&floor, 0.0)] {
        let ground_pose = at(0.0, 0.0, below);
        for body in [&drum, &cone] {
            let pose = DPose3::from_parts(DVec3::new(0.1, 0.2, 0.998), DQuat::from_rotation_z(0.3));
            let manifold = touch(ground, &ground_pose, body, &pose, MARGIN);
            assert_eq!(manifold.points.len(), 16);
            near3(centroid(&manifold), DVec3::new(0.1, 0.2, -0.002), 1e-9);
            manifold.points.iter().for_each(|p| near(p.gap, -0.002, 1e-9));
        }
        // Lying drum: two points 2 m apart below the axis.
        let lying = DPose3::from_parts(DVec3::new(0.0, 0.0, 0.499), DQuat::from_rotation_y(FRAC_PI_2));
        let manifold = touch(ground, &ground_pose, &drum, &lying, 1e-4);
        assert_eq!(manifold.points.len(), 2);
        near(manifold.least_gap(), -0.001, 1e-9);
        near((manifold.points[0].on_b - manifold.points[1].on_b).length(), 2.0, 1e-9);
        // Tilted about a direction that is not a corner of the inscribed polygon: the depth is that of the true rim.
        for angle in [1e-4, 0.01, 0.3, 0.7] {
            let lowest = f64::cos(angle) + 0.5 * f64::sin(angle);
            let pose = DPose3::from_parts(
                DVec3::new(0.0, 0.0, lowest - 0.001),
                DQuat::from_axis_angle(DVec3::new(0.3f64.cos(), 0.3f64.sin(), 0.0), angle),
            );
            let manifold = touch(ground, &ground_pose, &drum, &pose, MARGIN);
            near(manifold.least_gap(), -0.001, 1e-9);
        }
        // Cone on its side: tip and rim touch, the side is a line of length √(r² + 4h²).
        let slope = 0.5f64.atan2(2.0);
        let height = (DQuat::from_rotation_y(FRAC_PI_2 + slope) * DVec3::new(0.0, 0.0, 1.0)).z;
        let pose = DPose3::from_parts(DVec3::new(0.0, 0.0, -height - 0.001), DQuat::from_rotation_y(FRAC_PI_2 + slope));
        let manifold = touch(ground, &ground_pose, &cone, &pose, 1e-4);
        assert_eq!(manifold.points.len(), 2);
        manifold.points.iter().for_each(|p| near(p.gap, -0.001, 1e-9));
    }
}

#[test]
fn compounds_name_the_parts_that_touch() {
    let table = Shape::compound(
        [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)]
            .map(|(x, y)| (at(x, y, 0.0), Shape::cuboid(DVec3::new(0.1, 0.1, 0.5)).unwrap()))
            .to_vec(),
    )
    .unwrap();
    let slab = Shape::cuboid(DVec3::new(5.0, 5.0, 0.5)).unwrap();
    let all = collide(&slab, &at(0.0, 0.0, -0.5), &table, &at(0.0, 0.0, 0.499), MARGIN);
    assert_eq!(all.iter().map(|m| (m.sub_a, m.sub_b)).collect::<Vec<_>>(), [(0, 0), (0, 1), (0, 2), (0, 3)]);
    for manifold in &all {
        check(manifold, MARGIN);
        assert_eq!(manifold.points.len(), 4);
        near(manifold.least_gap(), -0.001, 1e-12);
    }
    let all = collide(&table, &at(0.0, 0.0, 0.499), &slab, &at(0.0, 0.0, -0.5), MARGIN);
    assert_eq!(all.iter().map(|m| (m.sub_a, m.sub_b)).collect::<Vec<_>>(), [(0, 0), (1, 0), (2, 0), (3, 0)]);
}

#[test]
fn a_resting_pair_gets_its_manifold_back_bit_for_bit() {
    let mut narrow = NarrowPhase::default();
    let mut rng = Rng::new(23);
    let hull = Shape::convex_hull(&prism_points(12, 0.5, 0.5)).unwrap();
    for (a, b) in [(cube(1.0), cube(1.0)), (cube(1.0), hull.clone()), (hull.clone(), hull)] {
        let mut cache = PairCache::default();
        for _ in 0..50 {
            let pose_a = DPose3::from_parts(rng.in_cube() * 10.0, rng.rotation());
            let pose_b = pose_a * DPose3::from_parts(DVec3::new(0.1, 0.2, 0.98), DQuat::from_rotation_z(rng.unit()));
            let (mut plain, mut first, mut second) = (vec![], vec![], vec![]);
            narrow.collide(&a, &pose_a, &b, &pose_b, MARGIN, &mut plain);
            narrow.collide_cached(&mut cache, &a, &pose_a, &b, &pose_b, MARGIN, &mut first);
            narrow.collide_cached(&mut cache, &a, &pose_a, &b, &pose_b, MARGIN, &mut second);
            assert!(!plain.is_empty());
            assert_eq!(plain, first);
            assert_eq!(first, second);
            narrow.recycle(&mut second);
            // Keys survive a small motion.
            let moved = DPose3::from_parts(pose_b.translation + DVec3::splat(1e-7), pose_b.rotation);
            narrow.collide_cached(&mut cache, &a, &pose_a, &b, &moved, MARGIN, &mut second);
            let keys = |m: &[Manifold]| m[0].points.iter().map(|p| p.key).collect::<Vec<_>>();
            assert_eq!(keys(&first), keys(&second));
        }
    }
}

#[test]
fn four_points_of_a_reduced_manifold_hold_the_centre_and_the_depth() {
    let slab = Shape::cuboid(DVec3::new(5.0, 5.0, 0.5)).unwrap();
    for sides in [5, 6, 8, 16, 32] {
        let prism = Shape::convex_hull(&prism_points(sides, 0.5, 1.0)).unwrap();
        for tilt in [0.0, 1e-4, 1e-3] {
            let pose = DPose3::from_parts(DVec3::new(0.0, 0.0, 0.999), DQuat::from_rotation_x(tilt));
            let mut manifold = touch(&slab, &at(0.0, 0.0, -0.5), &prism, &pose, MARGIN);
            let (deepest, before) = (manifold.least_gap(), manifold.points.len());
            assert_eq!(before, sides);
            reduce_to_four(&mut manifold);
            assert_eq!(manifold.points.len(), 4);
            assert_eq!(manifold.least_gap(), deepest);
            let corners: Vec<DVec3> = manifold.points.iter().map(|p| p.on_b.with_z(0.0)).collect();
            // The centre of mass stays over the support polygon: points surround the origin.
            let mut angles: Vec<f64> = corners.iter().map(|p| p.y.atan2(p.x)).collect();
            angles.sort_by(f64::total_cmp);
            let widest = (0..4).map(|i| (angles[(i + 1) % 4] - angles[i]).rem_euclid(TAU)).fold(0.0, f64::max);
            assert!(widest < TAU / 2.0, "{sides} sides: the corners leave {widest} rad open");
        }
    }
}

#[test]
fn far_from_the_origin_nothing_changes_but_the_last_digits() {
    let offset = DVec3::new(1e7, -1e7, 1e7);
    let pose = DPose3::from_parts(DVec3::new(0.25, 0.125, 0.9375), DQuat::from_rotation_z(0.5));
    for (a, b) in cube_kinds(1.0, 1.0) {
        let near_by = touch(&a, &DPose3::IDENTITY, &b, &pose, MARGIN);
        let far = collide(
            &a,
            &DPose3::from_translation(offset),
            &b,
            &DPose3::from_parts(pose.translation + offset, pose.rotation),
            MARGIN,
        );
        assert_eq!(near_by.points.len(), far[0].points.len());
        for (p, q) in near_by.points.iter().zip(&far[0].points) {
            assert_eq!(p.key, q.key);
            near(p.gap, q.gap, 1e-8);
        }
    }
}

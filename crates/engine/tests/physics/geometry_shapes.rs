//! Shapes: what is refused and why, mass and inertia from paper, boxes, rays and casts.

use crate::geometry_fixtures::*;
use glamx::{DMat3, DPose3, DQuat, DVec3};
use signorini::error::ShapeError;
use signorini::shape::{MAX_HULL_POINTS, MAX_NESTING, Shape, cast_shape};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const NAN: f64 = f64::NAN;

#[test]
fn c1_c2_lengths_that_are_not_positive_are_refused_by_name() {
    for bad in [0.0, -1.0, NAN, f64::INFINITY, 1e-300, 1e300] {
        for (field, result) in [
            ("radius", Shape::sphere(bad)),
            ("half height", Shape::capsule(bad, 1.0)),
            ("radius", Shape::capsule(1.0, bad)),
            ("half height", Shape::cylinder(bad, 1.0)),
            ("radius", Shape::cylinder(1.0, bad)),
            ("half height", Shape::cone(bad, 1.0)),
            ("radius", Shape::cone(1.0, bad)),
            ("half extent x", Shape::cuboid(DVec3::new(bad, 1.0, 1.0))),
            ("half extent y", Shape::cuboid(DVec3::new(1.0, bad, 1.0))),
            ("half extent z", Shape::cuboid(DVec3::new(1.0, 1.0, bad))),
        ] {
            match result.unwrap_err() {
                ShapeError::NotPositive { field: named, value } => {
                    assert_eq!(named, field);
                    assert!(value == bad || (value.is_nan() && bad.is_nan()));
                }
                other => panic!("{other}"),
            }
        }
    }
}

#[test]
fn c3_c4_c5_c6_hulls_without_volume_are_refused() {
    let mut rng = Rng::new(5);
    for count in 0..4 {
        let points = random_points(&mut rng, count);
        assert_eq!(
            Shape::convex_hull(&points).unwrap_err(),
            ShapeError::TooFew { field: "hull points", found: count, needed: 4 }
        );
    }
    for _ in 0..200 {
        let (turn, shift) = (rng.rotation(), rng.in_cube() * 10.0);
        let line: Vec<_> = (0..10).map(|_| turn * DVec3::new(rng.unit(), 0.0, 0.0) + shift).collect();
        let plane: Vec<_> = (0..10).map(|_| turn * DVec3::new(rng.unit(), rng.unit(), 0.0) + shift).collect();
        let point = vec![shift; 10];
        for points in [line, plane, point] {
            let error = Shape::convex_hull(&points).unwrap_err();
            assert!(matches!(error, ShapeError::NoVolume { points: 10, .. }), "{error}");
        }
    }
    let mut points = dodecahedron_points();
    points[7].y = NAN;
    assert!(matches!(
        Shape::convex_hull(&points).unwrap_err(),
        ShapeError::NotFinite { field: "hull point", index: 7, .. }
    ));
}

#[test]
fn c7_points_of_no_size_are_refused() {
    let mut rng = Rng::new(49);
    for size in [1e-10, 1e-23, 1e-160, 1e-310] {
        let points: Vec<_> = (0..4).map(|_| rng.in_cube() * size).collect();
        let error = Shape::convex_hull(&points).unwrap_err();
        assert!(matches!(error, ShapeError::NoVolume { .. }), "{error}");
    }
}

#[test]
fn c8_sums_of_tessellated_solids_with_large_coplanar_clusters_close() {
    // Every corner of a prism plus every corner of a tessellated ball: caps and sides are exactly coplanar clusters.
    // The hull is their Minkowski sum: inside the smooth sum of cylinder and ball, whose volume is that of the cylinder
    // grown sideways, two disks of height r, and two half rings and caps around their rims.
    let (radius, half, ball) = (3.5, 5.0, 2.0);
    for segments in [6, 12, 24] {
        let mut points = vec![];
        for corner in prism_points(segments, radius, half) {
            for ring in 0..=segments / 2 {
                let latitude = PI * (ring as f64 / (segments / 2) as f64 - 0.5);
                for k in 0..segments {
                    let longitude = 2.0 * PI * k as f64 / segments as f64;
                    let (c, s) = (latitude.cos(), latitude.sin());
                    points.push(corner + ball * DVec3::new(c * longitude.cos(), c * longitude.sin(), s));
                }
            }
        }
        let hull = Shape::convex_hull(&points).unwrap();
        let m = hull.mass_properties(1.0).unwrap();
        near3(m.centre, DVec3::ZERO, 1e-9);
        let side = radius + ball;
        let smooth = PI * side * side * 2.0 * half
            + 2.0
                * (PI * radius * radius * ball + PI * PI * radius * ball * ball / 2.0 + 2.0 / 3.0 * PI * ball.powi(3));
        assert!(m.mass < smooth && m.mass > 0.7 * smooth, "{} of {smooth}", m.mass);
    }
}

#[test]
fn c9_more_points_than_the_limit_are_refused() {
    let points = vec![DVec3::ZERO; MAX_HULL_POINTS + 1];
    assert!(matches!(Shape::convex_hull(&points).unwrap_err(), ShapeError::Limit { limit: MAX_HULL_POINTS, .. }));
}

#[test]
fn duplicated_and_inner_points_do_not_change_a_hull() {
    let mut points = dodecahedron_points();
    let alone = Shape::convex_hull(&points).unwrap().mass_properties(1.0).unwrap();
    let copies = points.clone();
    points.extend(copies);
    points.extend([DVec3::ZERO, DVec3::splat(0.3)]);
    let crowded = Shape::convex_hull(&points).unwrap().mass_properties(1.0).unwrap();
    near(crowded.mass, alone.mass, 1e-12);
    near3(crowded.centre, DVec3::ZERO, 1e-12);
}

#[test]
fn random_hulls_are_closed_or_refused_with_a_reason() {
    let mut rng = Rng::new(11);
    let mut refused = 0;
    for case in 0..10_000 {
        // Rounded coordinates make coplanar and duplicate points likely.
        let count = 4 + (rng.bits() % 40) as usize;
        let grid = [1e9, 8.0, 3.0][case % 3];
        let stretch = DVec3::new(1.0, 10f64.powf(rng.between(-3.0, 0.0)), 10f64.powf(rng.between(-3.0, 0.0)));
        let points: Vec<_> = (0..count).map(|_| (rng.in_cube() * grid).round() / grid * stretch).collect();
        match Shape::convex_hull(&points) {
            Ok(shape) => assert!(shape.volume().unwrap() > 0.0),
            Err(error) => {
                assert!(matches!(error, ShapeError::NoVolume { .. }), "{error}");
                refused += 1;
            }
        }
    }
    println!("refused {refused} of 10000");
    assert!(refused < 60, "{refused} of 10000 refused");
}

#[test]
fn c10_c11_c12_meshes_are_checked() {
    let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(2.0, 0.0, 0.0)];
    assert!(matches!(
        Shape::triangle_mesh(vertices.clone(), vec![]).unwrap_err(),
        ShapeError::TooFew { field: "mesh triangles", found: 0, .. }
    ));
    assert_eq!(
        Shape::triangle_mesh(vertices.clone(), vec![[0, 1, 2], [0, 1, 4]]).unwrap_err(),
        ShapeError::IndexOutOfRange { triangle: 1, index: 4, vertices: 4 }
    );
    let mesh = Shape::triangle_mesh(vertices.clone(), vec![[0, 1, 2], [0, 1, 3], [1, 1, 2]]).unwrap();
    assert_eq!(mesh.dropped_triangles(), 2);
    assert_eq!(
        Shape::triangle_mesh(vertices.clone(), vec![[0, 1, 3]]).unwrap_err(),
        ShapeError::OnlyDegenerateTriangles { found: 1 }
    );
    let mut broken = vertices;
    broken[2].x = NAN;
    assert!(matches!(
        Shape::triangle_mesh(broken, vec![[0, 1, 2]]).unwrap_err(),
        ShapeError::NotFinite { field: "mesh vertex", index: 2, .. }
    ));
    assert!(matches!(
        Shape::height_field(3, 3, [1.0, 1.0], &[0.0; 8]).unwrap_err(),
        ShapeError::Size { field: "heights", found: 8, expected: 9 }
    ));
    assert!(matches!(Shape::height_field(1, 3, [1.0, 1.0], &[0.0; 3]).unwrap_err(), ShapeError::TooFew { .. }));
    assert!(matches!(Shape::height_field(2, 2, [0.0, 1.0], &[0.0; 4]).unwrap_err(), ShapeError::NotPositive { .. }));
}

#[test]
fn c17_nesting_is_limited_and_compounds_are_checked() {
    let mut shape = cube(1.0);
    for _ in 0..MAX_NESTING {
        shape = Shape::compound(vec![(DPose3::IDENTITY, shape)]).unwrap();
    }
    let error = Shape::compound(vec![(DPose3::IDENTITY, shape)]).unwrap_err();
    assert!(matches!(error, ShapeError::Limit { field: "nesting of compounds", .. }), "{error}");
    assert!(matches!(Shape::compound(vec![]).unwrap_err(), ShapeError::TooFew { .. }));
    let zero = DPose3::from_parts(DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    assert!(matches!(cube(1.0).at(zero).unwrap_err(), ShapeError::NotARotation { .. }));
    assert!(matches!(cube(1.0).at(at(0.0, NAN, 0.0)).unwrap_err(), ShapeError::NotFinite { .. }));
}

#[test]
fn surfaces_have_no_mass_and_say_so() {
    let plane = Shape::half_space(DVec3::Z).unwrap();
    assert_eq!(plane.mass_properties(1.0).unwrap_err(), ShapeError::NoMass { shape: "half-space" });
    assert!(!plane.is_bounded() && !plane.is_solid() && plane.is_convex());
    let ground = Shape::height_field(2, 2, [1.0, 1.0], &[0.0; 4]).unwrap();
    assert!(ground.volume().is_err() && ground.is_bounded() && !ground.is_convex());
    assert!(matches!(Shape::half_space(DVec3::ZERO).unwrap_err(), ShapeError::NoDirection { .. }));
    for density in [0.0, -1.0, NAN, f64::INFINITY, 1e308] {
        assert!(matches!(cube(1e3).mass_properties(density).unwrap_err(), ShapeError::Mass { .. }), "{density}");
    }
}

fn near_matrix(found: DMat3, expected: DMat3, tolerance: f64) {
    for i in 0..3 {
        near3(found.col(i), expected.col(i), tolerance);
    }
}

fn diagonal(x: f64, y: f64, z: f64) -> DMat3 {
    DMat3::from_diagonal(DVec3::new(x, y, z))
}

#[test]
fn inertia_of_primitives_in_closed_form() {
    // Cube: m s²/6.
    let m = cube(2.0).mass_properties(3.0).unwrap();
    near(m.mass, 24.0, 1e-12);
    near_matrix(m.inertia, diagonal(16.0, 16.0, 16.0), 1e-12);
    // Box a×b×c: m(b²+c²)/12.
    let m = Shape::cuboid(DVec3::new(0.5, 1.0, 1.5)).unwrap().mass_properties(1.0).unwrap();
    near(m.mass, 6.0, 1e-12);
    near_matrix(m.inertia, diagonal(6.5, 5.0, 2.5), 1e-12);
    // Ball: 2/5 m r².
    let m = Shape::sphere(0.5).unwrap().mass_properties(1.0).unwrap();
    near(m.mass, PI / 6.0, 1e-15);
    near_matrix(m.inertia, diagonal(0.1, 0.1, 0.1) * m.mass, 1e-15);
    // Cylinder: axis z.
    let m = Shape::cylinder(1.0, 0.5).unwrap().mass_properties(1.0).unwrap();
    near(m.mass, PI * 0.5, 1e-14);
    near_matrix(m.inertia, diagonal(1.0 / 16.0 + 1.0 / 3.0, 1.0 / 16.0 + 1.0 / 3.0, 0.125) * m.mass, 1e-14);
    // Cone of height 2: centre a quarter up from the base.
    let m = Shape::cone(1.0, 0.5).unwrap().mass_properties(1.0).unwrap();
    near(m.mass, PI * 0.25 * 2.0 / 3.0, 1e-14);
    near3(m.centre, DVec3::new(0.0, 0.0, -0.5), 1e-15);
    let t = 3.0 / 80.0 * (4.0 * 0.25 + 4.0);
    near_matrix(m.inertia, diagonal(t, t, 0.3 * 0.25) * m.mass, 1e-14);
    // Capsule: by numerical integration over slices of radius ρ(z), I_z = ∫ π ρ⁴/2, I_x = ∫ π ρ⁴/4 + π ρ² z².
    let (h, r) = (0.7, 0.4);
    let m = Shape::capsule(h, r).unwrap().mass_properties(1.0).unwrap();
    let (mut mass, mut ix, mut iz) = (0.0, 0.0, 0.0);
    let n = 200_000;
    for k in 0..n {
        let z = (h + r) * (2.0 * (k as f64 + 0.5) / n as f64 - 1.0);
        let rho2 = r * r - (z.abs() - h).max(0.0).powi(2);
        let dz = 2.0 * (h + r) / n as f64;
        mass += PI * rho2 * dz;
        iz += PI * rho2 * rho2 / 2.0 * dz;
        ix += (PI * rho2 * rho2 / 4.0 + PI * rho2 * z * z) * dz;
    }
    near(m.mass, mass, 1e-9);
    near_matrix(m.inertia, diagonal(ix, ix, iz), 1e-9);
}

#[test]
fn inertia_of_hulls_is_that_of_the_solid_they_bound() {
    // Corner tetrahedron (0, x, y, z): V = 1/6, centre 1/4, about the origin ∫x² = 1/60, ∫xy = 1/120.
    let m = Shape::convex_hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap().mass_properties(6.0).unwrap();
    near(m.mass, 1.0, 1e-14);
    near3(m.centre, DVec3::splat(0.25), 1e-14);
    // About the centre, unit mass: ∫x² = 1/10 − 1/16 = 3/80, ∫xy = 1/20 − 1/16 = −1/80.
    let (d, o) = (6.0 / 80.0, 1.0 / 80.0);
    near_matrix(m.inertia, DMat3::from_cols(DVec3::new(d, o, o), DVec3::new(o, d, o), DVec3::new(o, o, d)), 1e-14);
    // A box as a hull far from the origin and turned: same principal moments, to 1e-8 as the reference asks.
    let half = DVec3::new(0.5, 1.0, 1.5);
    let solid = Shape::cuboid(half).unwrap().mass_properties(1.0).unwrap();
    let pose = DPose3::from_parts(DVec3::new(100.0, -50.0, 30.0), Rng::new(3).rotation());
    let points: Vec<_> = box_points(half).into_iter().map(|p| pose.transform_point(p)).collect();
    let m = Shape::convex_hull(&points).unwrap().mass_properties(1.0).unwrap();
    near(m.mass, solid.mass, 1e-9);
    near3(m.centre, pose.translation, 1e-9);
    let turn = DMat3::from_quat(pose.rotation);
    near_matrix(turn.transpose() * m.inertia * turn, solid.inertia, 1e-8);
    // The same by `at` and as a compound of two halves.
    let placed = Shape::cuboid(half).unwrap().at(pose).unwrap().mass_properties(1.0).unwrap();
    near3(placed.centre, pose.translation, 1e-12);
    near_matrix(turn.transpose() * placed.inertia * turn, solid.inertia, 1e-12);
    let part = Shape::cuboid(DVec3::new(0.25, 1.0, 1.5)).unwrap();
    let both = Shape::compound(vec![(at(-0.25, 0.0, 0.0), part.clone()), (at(0.25, 0.0, 0.0), part)]).unwrap();
    near_matrix(both.mass_properties(1.0).unwrap().inertia, solid.inertia, 1e-12);
    // Aspect 1000: inertia to 1e-9 of itself.
    // Thinner slabs, on which parry alone collapses, too.
    for thickness in [1e-3, 1e-5, 1e-7] {
        let thin = DVec3::new(1.0, 1.0, thickness);
        let m = Shape::convex_hull(&box_points(thin)).unwrap().mass_properties(1.0).unwrap();
        let exact = Shape::cuboid(thin).unwrap().mass_properties(1.0).unwrap();
        near_matrix(m.inertia, exact.inertia, 1e-9 * exact.mass);
    }
}

#[test]
fn boxes_around_turned_shapes_are_exact() {
    let turned = DPose3::from_parts(DVec3::new(1.0, 2.0, 3.0), DQuat::from_rotation_x(FRAC_PI_2));
    let bounds = Shape::cylinder(2.0, 0.5).unwrap().aabb(&turned);
    near3(bounds.min, DVec3::new(0.5, 0.0, 2.5), 1e-12);
    near3(bounds.max, DVec3::new(1.5, 4.0, 3.5), 1e-12);
    let bounds = cube(2.0).aabb(&DPose3::from_parts(DVec3::ZERO, DQuat::from_rotation_z(FRAC_PI_4)));
    near3(bounds.max, DVec3::new(2f64.sqrt(), 2f64.sqrt(), 1.0), 1e-12);
    // Every shape: the box touches the shape on all six sides, that is, equals the box of many of its points.
    let mut rng = Rng::new(2);
    let cone = Shape::cone(0.8, 0.4).unwrap();
    for _ in 0..50 {
        let pose = DPose3::from_parts(rng.in_cube(), rng.rotation());
        let bounds = cone.aabb(&pose);
        let mut points = vec![pose.transform_point(DVec3::new(0.0, 0.0, 0.8))];
        for k in 0..20_000 {
            let a = PI * k as f64 / 10_000.0;
            points.push(pose.transform_point(DVec3::new(0.4 * a.cos(), 0.4 * a.sin(), -0.8)));
        }
        let min = points.iter().fold(DVec3::INFINITY, |m, p| m.min(*p));
        let max = points.iter().fold(DVec3::NEG_INFINITY, |m, p| m.max(*p));
        near3(bounds.min, min, 1e-7);
        near3(bounds.max, max, 1e-7);
    }
    assert!(!Shape::half_space(DVec3::Z).unwrap().aabb(&DPose3::IDENTITY).is_bounded());
}

#[test]
fn rays_hit_where_paper_says() {
    let down = DVec3::new(0.0, 0.0, -3.0);
    let ground = Shape::height_field(2, 2, [4.0, 4.0], &[0.0; 4]).unwrap();
    for (shape, distance) in [
        (Shape::sphere(0.5).unwrap(), 4.5),
        (cube(1.0), 4.5),
        (Shape::capsule(1.0, 0.5).unwrap(), 3.5),
        (Shape::cylinder(1.0, 0.5).unwrap(), 4.0),
        (Shape::cone(1.0, 0.5).unwrap(), 4.0),
        (Shape::convex_hull(&box_points(DVec3::splat(0.5))).unwrap(), 4.5),
        (Shape::half_space(DVec3::Z).unwrap(), 5.0),
        (ground, 5.0),
        (cube(1.0).at(at(0.0, 0.0, 1.0)).unwrap(), 3.5),
    ] {
        let origin = DVec3::new(0.0, 0.0, 5.0);
        let hit = shape.cast_ray(&DPose3::IDENTITY, origin, down, 100.0).unwrap();
        near(hit.distance, distance, 1e-7);
        assert!(shape.cast_ray(&DPose3::IDENTITY, origin, down, 0.99 * distance).is_none());
        assert!(shape.cast_ray(&DPose3::IDENTITY, origin, -down, 100.0).is_none());
        // The same seen from other axes.
        let pose = DPose3::from_parts(DVec3::new(3.0, -2.0, 1.0), DQuat::from_rotation_y(0.7));
        let hit = shape.cast_ray(&pose, pose.transform_point(origin), pose.rotation * down, 100.0).unwrap();
        near(hit.distance, distance, 1e-7);
    }
    let hit = cube(1.0).cast_ray(&DPose3::IDENTITY, DVec3::ZERO, DVec3::X, 1.0).unwrap();
    assert_eq!((hit.distance, hit.normal), (0.0, -DVec3::X));
    let hit = cube(1.0).cast_ray(&DPose3::IDENTITY, DVec3::new(-2.0, 0.1, 0.2), DVec3::X, 9.0).unwrap();
    near3(hit.normal, -DVec3::X, 1e-12);
    assert!(cube(1.0).cast_ray(&DPose3::IDENTITY, DVec3::ZERO, DVec3::ZERO, 1.0).is_none());
}

#[test]
fn casts_stop_at_contact_and_never_pass_it() {
    let still = DVec3::ZERO;
    // A fast ball and a thin wall: 4.5 − 0.005 − 0.5 m at 10⁴ m/s.
    let wall = Shape::cuboid(DVec3::new(0.005, 5.0, 5.0)).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let time = cast_shape(&ball, &at(-4.5, 0.1, 0.2), DVec3::new(1e4, 0.0, 0.0), &wall, &DPose3::IDENTITY, still, 1.0);
    near(time.unwrap(), (4.5 - 0.505) / 1e4, 1e-13);
    let ground = Shape::half_space(DVec3::Z).unwrap();
    let sheet = Shape::height_field(3, 3, [5.0, 5.0], &[0.0; 9]).unwrap();
    for floor in [&ground, &sheet] {
        let time = cast_shape(
            floor,
            &DPose3::IDENTITY,
            still,
            &cube(1.0),
            &at(0.3, 0.2, 2.5),
            DVec3::new(1.0, 0.0, -4.0),
            9.0,
        );
        near(time.unwrap(), 0.5, 1e-9);
        let away =
            cast_shape(floor, &DPose3::IDENTITY, still, &cube(1.0), &at(0.3, 0.2, 2.5), DVec3::new(1.0, 0.0, 4.0), 9.0);
        assert!(away.is_none());
    }
    assert_eq!(
        cast_shape(&cube(1.0), &at(0.0, 0.0, 0.0), still, &cube(1.0), &at(0.5, 0.0, 0.0), DVec3::X, 1.0),
        Some(0.0)
    );
    // Random hulls shot at one another's centres: they touch, to 1e-9 m, at the time given.
    let mut rng = Rng::new(17);
    for _ in 0..300 {
        let shapes = [0, 1].map(|_| Shape::convex_hull(&random_points(&mut rng, 12)).unwrap());
        let poses = [
            DPose3::from_parts(DVec3::ZERO, rng.rotation()),
            DPose3::from_parts(rng.direction() * 5.0, rng.rotation()),
        ];
        let velocity = -poses[1].translation;
        let time = cast_shape(&shapes[0], &poses[0], still, &shapes[1], &poses[1], velocity, 1.0).unwrap();
        let then = DPose3::from_parts(poses[1].translation + velocity * time, poses[1].rotation);
        let manifold = touch(&shapes[0], &poses[0], &shapes[1], &then, 1e-3);
        near(manifold.least_gap(), 0.0, 1e-9);
    }
}

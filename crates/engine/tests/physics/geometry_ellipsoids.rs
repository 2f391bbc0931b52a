//! Ellipsoids: mass, rays, rolling and meeting, against paper and against balls.

use crate::geometry_fixtures::*;
use signorini::glamx::{DPose3, DQuat, DVec3};
use signorini::{Body, BodyState, Material, Settings, Shape, World};

const G: f64 = 9.81;

/// 4/3 π abc, and m/5 (b² + c²) about x.
#[test]
fn mass_is_that_of_an_ellipsoid() {
    let found = Shape::ellipsoid(DVec3::new(0.3, 0.2, 0.1)).unwrap().mass_properties(10.0).unwrap();
    let mass = 10.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.006;
    assert!((found.mass - mass).abs() < 1e-14);
    assert!((found.inertia.x_axis.x - mass / 5.0 * 0.05).abs() < 1e-14);
    assert!((found.inertia.z_axis.z - mass / 5.0 * 0.13).abs() < 1e-14);
}

/// On the ray (x, 0.1, 0): 1 = x²/0.09 + 0.01/0.04, so x = 0.3 √0.75; the normal is along (x/0.09, 0.1/0.04, 0).
#[test]
fn rays_meet_it_where_its_equation_says() {
    let mut world = World::new(Settings::default()).unwrap();
    world.add(Body::fixed(Shape::ellipsoid(DVec3::new(0.3, 0.2, 0.1)).unwrap())).unwrap();
    let (_, hit) = world.cast_ray(DVec3::new(2.0, 0.1, 0.0), -DVec3::X, 10.0).unwrap();
    let x = 0.3 * 0.75_f64.sqrt();
    assert!((hit.distance - (2.0 - x)).abs() < 1e-12);
    assert!((hit.normal - DVec3::new(x / 0.09, 0.1 / 0.04, 0.0).normalize()).length() < 1e-12);
    assert!(world.cast_ray(DVec3::new(2.0, 0.21, 0.0), -DVec3::X, 10.0).is_none());
    assert_eq!(world.cast_ray(DVec3::ZERO, DVec3::X, 10.0).unwrap().1.distance, 0.0);
}

/// An ellipsoid (a, b, c) that lies flat and is tilted a little about y rocks without slipping about its contact: the radius of curvature
/// there is R = a²/c, so ω² = g (R − c)/(I/m + c²), I/m = (a² + c²)/5.
#[test]
fn it_rocks_with_the_period_on_paper() {
    let (a, c, tilt, step) = (0.3_f64, 0.1_f64, 0.02_f64, 1e-3);
    let mut world = World::new(Settings::default()).unwrap();
    let rough = Material::new(2.0, 0.0);
    world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(rough)).unwrap();
    let height = (a * tilt.sin()).hypot(c * tilt.cos());
    let stone = Body::dynamic(Shape::ellipsoid(DVec3::new(a, 0.2, c)).unwrap()).mass(1.0).material(rough);
    let stone = stone.position(DVec3::new(0.0, 0.0, height)).orientation(DQuat::from_rotation_y(tilt));
    let stone = world.add(stone).unwrap();
    let lean = |world: &World| 2.0 * world.body(stone).unwrap().orientation().y;
    let mut crossings = Vec::new();
    let mut before = lean(&world);
    for k in 0..700 {
        world.step(step).unwrap();
        let after = lean(&world);
        if before.signum() != after.signum() {
            crossings.push(step * (f64::from(k) + before / (before - after)));
        }
        before = after;
    }
    let omega = (G * (a * a / c - c) / ((a * a + c * c) / 5.0 + c * c)).sqrt();
    let half_period = (crossings[2] - crossings[0]) / 2.0;
    let paper = std::f64::consts::PI / omega;
    assert!((half_period / paper - 1.0).abs() < 0.01, "{half_period} and {paper}");
}

/// With three equal axes it is a ball, and falls off another one as a ball does, step by step.
#[test]
fn one_with_equal_axes_is_a_ball() {
    let run = |shapes: [Shape; 2]| {
        let mut world = World::new(Settings::default()).unwrap();
        let [below, above] = shapes;
        world.add(Body::fixed(below).named("below")).unwrap();
        let above = Body::dynamic(above).mass(1.0).position(DVec3::new(0.03, 0.02, 0.32)).named("above");
        let above = world.add(above).unwrap();
        let mut states: Vec<BodyState> = Vec::new();
        for _ in 0..60 {
            world.step(1.0 / 240.0).unwrap();
            states.push(world.body(above).unwrap().state());
        }
        states
    };
    let round = |radius: f64| Shape::ellipsoid(DVec3::splat(radius)).unwrap();
    let ball = |radius: f64| Shape::sphere(radius).unwrap();
    let reference = run([ball(0.2), ball(0.1)]);
    for shapes in [[round(0.2), round(0.1)], [ball(0.2), round(0.1)], [round(0.2), ball(0.1)]] {
        for (p, q) in reference.iter().zip(run(shapes)) {
            let off = (p.position - q.position).length() + (p.velocity - q.velocity).length();
            assert!(off < 1e-8, "off by {off:e}");
        }
    }
}

/// Near a wall whose faces are much larger than it, it touches where it is farthest towards the wall: at `H²n/‖H n‖` in its own
/// axes. The corners of the wall have nothing to do with it.
#[test]
fn it_touches_a_wall_where_it_is_farthest_towards_it() {
    let mut rng = Rng::new(5);
    let wall = Shape::cuboid(DVec3::new(0.05, 0.4, 0.5)).unwrap();
    for _ in 0..500 {
        let half = DVec3::new(rng.between(0.08, 0.2), rng.between(0.08, 0.2), rng.between(0.08, 0.2));
        let turn = rng.rotation();
        let normal = turn.inverse() * DVec3::X;
        let farthest = turn * (half * half * normal / (half * normal).length());
        let gap = rng.between(-1e-3, 1e-3);
        let place = DVec3::new(-0.05 - gap - farthest.x, rng.between(-0.1, 0.1), rng.between(-0.1, 0.1));
        let pose = DPose3::from_parts(place, turn);
        let stone = Shape::ellipsoid(half).unwrap();
        for (all, sign) in [
            (collide(&stone, &pose, &wall, &DPose3::IDENTITY, 0.01), 1.0),
            (collide(&wall, &DPose3::IDENTITY, &stone, &pose, 0.01), -1.0),
        ] {
            assert_eq!(all.iter().map(|m| m.points.len()).sum::<usize>(), 1);
            near3(all[0].normal, DVec3::X * sign, 1e-7);
            let point = &all[0].points[0];
            near(point.gap, gap, 1e-9);
            near3(point.middle(), place + farthest + 0.5 * gap * DVec3::X, 1e-6);
        }
    }
}

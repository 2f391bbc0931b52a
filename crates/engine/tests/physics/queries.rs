//! Rays, moving shapes and overlaps asked of a world, and how surfaces combine.

use crate::fixture::*;
use signorini::glamx::DPose3;
use signorini::{Combine, MAX_FRICTION};

/// Shapes of every kind at seeded places.
fn clutter(random: &mut Random) -> Vec<Body> {
    let mut bodies = Vec::new();
    for i in 0..40 {
        let shape = match i % 5 {
            0 => Shape::sphere(0.2 + random.unit()),
            1 => Shape::cuboid(v(0.1 + random.unit(), 0.1 + random.unit(), 0.1 + random.unit())),
            2 => Shape::capsule(0.2 + random.unit(), 0.1 + 0.4 * random.unit()),
            3 => Shape::cylinder(0.2 + random.unit(), 0.2 + random.unit()),
            _ => Shape::convex_hull(&std::array::from_fn::<_, 12, _>(|_| random.vector(1.0))),
        };
        let turn = DQuat::from_scaled_axis(random.vector(3.0));
        bodies.push(Body::fixed(shape.unwrap()).position(random.vector(8.0)).orientation(turn).numbered(i));
    }
    bodies
}

fn filled(bodies: &[Body], order: impl Iterator<Item = usize>) -> World {
    let mut w = weightless();
    for i in order {
        w.add(bodies[i].clone()).unwrap();
    }
    w
}

#[test]
fn rays_find_the_nearest_body_whatever_the_order_of_adding() {
    let mut random = Random::new(1);
    let bodies = clutter(&mut random);
    let (forward, backward) = (filled(&bodies, 0..bodies.len()), filled(&bodies, (0..bodies.len()).rev()));
    let mut hits = 0;
    for _ in 0..2000 {
        // From anywhere towards the middle, more or less.
        let origin = random.vector(10.0);
        let direction = random.vector(4.0) - origin;
        // Brute force: every shape by itself, the first of the nearest.
        let mut expected = None;
        for (_, body) in forward.bodies() {
            let hit = body.shape().cast_ray(&body.pose(), origin, direction, 30.0);
            if let Some(hit) = hit
                && expected.as_ref().is_none_or(|(_, best): &(_, signorini::RayHit)| hit.distance < best.distance)
            {
                expected = Some((body.id().clone(), hit));
            }
        }
        for w in [&forward, &backward] {
            let found = w.cast_ray(origin, direction, 30.0).map(|(b, hit)| (w.body(b).unwrap().id().clone(), hit));
            assert_eq!(found.as_ref().map(|f| &f.0), expected.as_ref().map(|e| &e.0));
            assert_eq!(found.map(|f| f.1.distance), expected.as_ref().map(|e| e.1.distance));
        }
        hits += usize::from(expected.is_some());
    }
    assert!(hits > 500, "{hits}");
}

#[test]
fn ties_go_to_the_least_id_and_removed_bodies_are_not_hit() {
    for names in [["a", "b"], ["b", "a"]] {
        let mut w = weightless();
        for name in names {
            w.add(ball(name, v(3.0, 0.0, 0.0))).unwrap();
        }
        let (a, b) = (w.find("a").unwrap(), w.find("b").unwrap());
        let hit = |w: &World| w.cast_ray(DVec3::ZERO, DVec3::X, 10.0).map(|(body, hit)| (body, hit.distance));
        assert_eq!(hit(&w), Some((a, 2.5)));
        let shot = Shape::sphere(0.25).unwrap();
        assert_eq!(w.cast_shape(&shot, &DPose3::IDENTITY, DVec3::X, 10.0).unwrap().0, a);
        assert_eq!(w.overlaps(&shot, &DPose3::from_translation(v(3.0, 0.0, 0.0))), [a, b]);
        w.remove(a).unwrap();
        assert_eq!(hit(&w), Some((b, 2.5)));
        w.remove(b).unwrap();
        assert_eq!(hit(&w), None);
    }
}

#[test]
fn a_cast_ball_stops_where_paper_says_and_tells_where_it_touches() {
    let mut w = weightless();
    let floor = add_floor(&mut w, 0.5, 0.0);
    let wall = w.add(Body::fixed(Shape::cuboid(v(0.5, 5.0, 5.0)).unwrap()).position(v(8.0, 0.0, 0.0))).unwrap();
    let shot = Shape::sphere(0.25).unwrap();
    let from = DPose3::from_translation(v(0.0, 0.0, 2.0));
    let (body, hit) = w.cast_shape(&shot, &from, v(2.0, 0.0, -0.1), 10.0).unwrap();
    assert_eq!(body, wall);
    close(hit.time, (7.5 - 0.25) / 2.0, 1e-9);
    close_vector(hit.normal, -DVec3::X, 1e-12);
    close_vector(hit.point, v(7.5, 0.0, 2.0 - 0.1 * hit.time), 1e-9);
    let (body, hit) = w.cast_shape(&shot, &from, v(0.0, 0.0, -3.0), 10.0).unwrap();
    assert_eq!(body, floor);
    close(hit.time, 1.75 / 3.0, 1e-9);
    close_vector(hit.normal, DVec3::Z, 1e-12);
    assert_eq!(w.cast_shape(&shot, &from, v(0.0, 0.0, 3.0), 10.0), None);
    let (_, hit) = w.cast_shape(&shot, &DPose3::from_translation(v(0.0, 0.0, 0.1)), DVec3::X, 10.0).unwrap();
    assert_eq!(hit.time, 0.0);
}

#[test]
fn cast_shapes_stop_before_they_overlap_and_where_they_would() {
    let mut random = Random::new(2);
    let bodies = clutter(&mut random);
    let w = filled(&bodies, 0..bodies.len());
    let probe = Shape::cuboid(v(0.3, 0.2, 0.1)).unwrap();
    let mut hits = 0;
    for _ in 0..1000 {
        let pose = DPose3::from_parts(random.vector(10.0), DQuat::from_scaled_axis(random.vector(3.0)));
        let velocity = random.vector(3.0);
        let at = |time: f64| DPose3::from_parts(pose.translation + velocity * time, pose.rotation);
        match w.cast_shape(&probe, &pose, velocity, 5.0) {
            Some((body, hit)) if hit.time > 0.0 => {
                hits += 1;
                assert!(w.overlaps(&probe, &at(hit.time - 1e-7)).is_empty());
                // Grazing a round body the overlap may be shallower than any margin: ask a millimetre on.
                let later = w.overlaps(&probe, &at(hit.time + 1e-3 / velocity.length()));
                assert!(later.contains(&body) || hit.normal.dot(velocity).abs() < 0.05 * velocity.length());
            }
            Some((body, _)) => assert!(w.overlaps(&probe, &pose).contains(&body)),
            None => (0..50).for_each(|k| assert!(w.overlaps(&probe, &at(0.1 * f64::from(k))).is_empty())),
        }
    }
    assert!(hits > 100, "{hits}");
}

#[test]
fn rays_meet_cylinders_and_cones_on_their_surface() {
    let mut random = Random::new(4);
    for shape in [Shape::cylinder(0.7, 0.4).unwrap(), Shape::cone(0.7, 0.4).unwrap()] {
        let round = matches!(shape.volume(), Ok(volume) if volume > 0.6);
        let radius = |z: f64| if round { 0.4 } else { 0.4 * (0.7 - z) / 1.4 };
        let inside = |p: DVec3| p.z.abs() <= 0.7 && p.truncate().length() <= radius(p.z);
        let mut hits = 0;
        for k in 0..4000 {
            // Some rays along the axis, some across it, some from far away.
            let mut direction = random.vector(1.0);
            match k % 4 {
                0 => direction = v(0.0, 0.0, direction.z),
                1 => direction.z = 0.0,
                _ => {}
            }
            let direction = direction.normalize();
            let back = if k % 3 == 0 { 1e3 } else { 3.0 };
            let origin = random.vector(0.6) - back * direction;
            let expected =
                (0..6000).map(|i| back - 1.5 + 5e-4 * f64::from(i)).find(|t| inside(origin + *t * direction));
            let found = shape.cast_ray(&DPose3::IDENTITY, origin, direction, f64::INFINITY);
            match (found, expected) {
                (Some(hit), Some(t)) => {
                    hits += 1;
                    assert!(hit.distance <= t + 1e-9 && hit.distance >= t - 0.03, "{} vs {t}", hit.distance);
                    let p = origin + hit.distance * direction;
                    let off = (p.z.abs() - 0.7).abs().min((p.truncate().length() - radius(p.z)).abs());
                    assert!(off < 1e-12 * back && inside(p - 1e-9 * hit.normal), "{p} is off by {off:e}");
                    assert!(hit.normal.dot(direction) <= 1e-12 && (hit.normal.length() - 1.0).abs() < 1e-12);
                }
                // A ray that grazes an edge may slip between the samples.
                (None, Some(t)) => panic!("missed at {t}"),
                _ => {}
            }
        }
        assert!(hits > 500, "{hits}");
        assert_eq!(shape.cast_ray(&DPose3::IDENTITY, v(0.1, 0.0, 0.0), DVec3::X, 9.0).unwrap().distance, 0.0);
    }
}

#[test]
fn overlaps_of_balls_are_those_of_their_distances() {
    let mut random = Random::new(3);
    let mut w = weightless();
    for i in 0..60 {
        w.add(Body::dynamic(Shape::sphere(0.5).unwrap()).position(random.vector(4.0)).numbered(i)).unwrap();
    }
    let probe = Shape::sphere(1.0).unwrap();
    for _ in 0..200 {
        let centre = random.vector(4.0);
        let expected: Vec<_> =
            w.bodies().filter(|(_, b)| b.position().distance(centre) <= 1.5).map(|(handle, _)| handle).collect();
        assert_eq!(w.overlaps(&probe, &DPose3::from_translation(centre)), expected);
    }
}

#[test]
fn questions_with_numbers_that_are_not_finite_have_no_answer() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    w.add(cube("cube", v(0.0, 0.0, 0.5))).unwrap();
    let hash = w.state_hash();
    let shape = Shape::sphere(0.5).unwrap();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(w.cast_ray(v(bad, 0.0, 0.0), DVec3::X, 1.0).is_none());
        assert!(w.cast_ray(DVec3::ZERO, v(bad, 0.0, 0.0), 1.0).is_none());
        let pose = DPose3::from_translation(v(0.0, bad, 0.0));
        assert!(w.overlaps(&shape, &pose).is_empty());
        assert!(w.cast_shape(&shape, &pose, DVec3::X, 1.0).is_none());
        assert!(w.cast_shape(&shape, &DPose3::IDENTITY, v(bad, 0.0, 0.0), 1.0).is_none());
    }
    assert!(w.cast_ray(v(0.0, 0.0, 3.0), -DVec3::Z, f64::NAN).is_none());
    assert!(w.cast_ray(DVec3::ZERO, DVec3::ZERO, 1.0).is_none());
    assert!(w.cast_shape(&shape, &DPose3::IDENTITY, DVec3::X, f64::NAN).is_none());
    assert!(w.cast_shape(&shape, &DPose3::IDENTITY, DVec3::X, -1.0).is_none());
    assert_eq!(w.cast_ray(v(9.0, 9.0, 3.0), -DVec3::Z, f64::INFINITY).map(|(_, hit)| hit.distance), Some(3.0));
    assert_eq!(w.state_hash(), hash);
}

const RULES: [Combine; 5] =
    [Combine::GeometricMean, Combine::Average, Combine::Minimum, Combine::Maximum, Combine::Multiply];

#[test]
fn rules_of_two_surfaces_combine_by_precedence_and_symmetrically() {
    let expected = |rule: Combine, x: f64, y: f64| match rule {
        Combine::GeometricMean => (x * y).sqrt(),
        Combine::Average => (x + y) / 2.0,
        Combine::Minimum => x.min(y),
        Combine::Maximum => x.max(y),
        _ => x * y,
    };
    for (i, one) in RULES.into_iter().enumerate() {
        for (j, two) in RULES.into_iter().enumerate() {
            let a = Material::new(0.8, 0.9).friction_rule(one).restitution_rule(two);
            let b = Material::new(0.2, 0.4).friction_rule(two).restitution_rule(one);
            let winner = RULES[i.max(j)];
            let pair = a.combine(b);
            assert_eq!(pair, b.combine(a));
            assert_eq!(pair.friction, expected(winner, 0.8, 0.2));
            assert_eq!(pair.restitution, expected(winner, 0.9, 0.4));
            assert!((0.0..=1.0).contains(&pair.restitution));
        }
    }
    // The largest coefficients allowed stay finite under every rule.
    for rule in RULES {
        let steep = Material::new(MAX_FRICTION, 1.0).friction_rule(rule);
        assert!(steep.combine(steep).friction.is_finite());
    }
}

#[test]
fn the_rule_decides_how_a_cube_slides() {
    // μ 0.9 on 0.1: 0.3, 0.5, 0.1, 0.9 or 0.09, and a = μ g.
    for (rule, friction) in RULES.into_iter().zip([0.3, 0.5, 0.1, 0.9, 0.09]) {
        let mut w = world();
        add_floor(&mut w, 0.1, 0.0);
        let body = cube("cube", v(0.0, 0.0, 0.5)).velocity(v(5.0, 0.0, 0.0));
        let b = w.add(body.material(Material::new(0.9, 0.0).friction_rule(rule))).unwrap();
        run(&mut w, 10);
        close(w.body(b).unwrap().velocity().x, 5.0 - friction * G * 10.0 * H, 1e-7);
    }
}

/// Zero times infinity: a cast without an end whose velocity has no part along an axis found nothing, or everything.
#[test]
fn a_cast_without_an_end_finds_what_lies_on_its_way() {
    let mut w = weightless();
    let on_the_way = w.add(ball("far", v(50.0, 0.0, 0.0))).unwrap();
    w.add(ball("aside", v(10.0, 5.0, 0.0))).unwrap();
    let shape = Shape::sphere(0.5).unwrap();
    let pose = DPose3::from_translation(DVec3::ZERO);
    let (body, hit) = w.cast_shape(&shape, &pose, v(2.0, 0.0, 0.0), f64::INFINITY).unwrap();
    assert_eq!(body, on_the_way);
    assert!((hit.time - 24.5).abs() < 1e-6, "{}", hit.time);
    assert!(w.cast_shape(&shape, &pose, v(0.0, 0.0, 1.0), f64::INFINITY).is_none());
    assert!(w.cast_shape(&shape, &pose, DVec3::ZERO, f64::INFINITY).is_none());
}

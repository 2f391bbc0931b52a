//! Questions through the tree of boxes: the same answers as asking every body, with filters.

use crate::fixture::*;
use signorini::glamx::DPose3;
use signorini::{Filter, Kind, QueryFilter, Ray};

fn scattered(count: u64) -> World {
    let mut random = Random::new(7);
    let mut w = weightless();
    w.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).position(v(0.0, 0.0, -9.0)).named("floor")).unwrap();
    for i in 0..count {
        let shape = match i % 3 {
            0 => Shape::sphere(0.1 + 0.3 * random.unit()),
            1 => Shape::cuboid(v(0.1 + random.unit(), 0.2, 0.3)),
            _ => Shape::capsule(0.3, 0.1),
        };
        let turn = DQuat::from_scaled_axis(random.vector(3.0));
        let body = if i % 2 == 0 { Body::dynamic(shape.unwrap()) } else { Body::fixed(shape.unwrap()) };
        let layers = if i % 5 == 0 { 2 } else { 1 };
        let body = body.filter(Filter::new(layers, u32::MAX)).orientation(turn);
        w.add(body.position(random.vector(8.0)).numbered(i)).unwrap();
    }
    w
}

/// The first body on a ray by asking every body, the plain way.
fn every_body(w: &World, ray: &Ray, wanted: impl Fn(BodyHandle) -> bool) -> Vec<(BodyHandle, f64)> {
    let mut found: Vec<(BodyHandle, f64)> = w
        .bodies()
        .filter(|(handle, _)| wanted(*handle))
        .filter_map(|(handle, body)| {
            let hit = body.shape().cast_ray(&body.pose(), ray.origin, ray.direction, ray.max)?;
            Some((handle, hit.distance))
        })
        .collect();
    // Stable: of equals the first in the order of ids stays first.
    found.sort_by(|x, y| x.1.total_cmp(&y.1));
    found
}

#[test]
fn rays_through_the_tree_find_what_asking_every_body_finds() {
    let w = scattered(300);
    let mut random = Random::new(3);
    let rays: Vec<Ray> = (0..600)
        .map(|i| {
            // A third along an axis, in the plane of sides and of none.
            let direction = if i % 3 == 0 { [DVec3::X, DVec3::Y, -DVec3::Z][i / 3 % 3] } else { random.vector(1.0) };
            Ray { origin: random.vector(10.0), direction, max: 25.0 }
        })
        .collect();
    let all = QueryFilter::default();
    let layered = QueryFilter { filter: Filter::new(u32::MAX, 1), kind: Some(Kind::Dynamic), ..Default::default() };
    let many = w.cast_rays(&rays, &all);
    let mut hits = 0;
    for (ray, one) in rays.iter().zip(many) {
        let plain = every_body(&w, ray, |_| true);
        assert_eq!(one.map(|(handle, hit)| (handle, hit.distance)), plain.first().copied());
        let listed: Vec<_> =
            w.cast_ray_all(ray, &all).into_iter().map(|(handle, hit)| (handle, hit.distance)).collect();
        assert_eq!(listed, plain);
        let wanted = |handle: BodyHandle| {
            let body = w.body(handle).unwrap();
            body.kind() == Kind::Dynamic && body.filter().layers == 1
        };
        let found = w.cast_ray_where(ray, &layered).map(|(handle, hit)| (handle, hit.distance));
        assert_eq!(found, every_body(&w, ray, wanted).first().copied());
        if let Some((first, _)) = one {
            hits += 1;
            let other = w.cast_ray_where(ray, &QueryFilter::excluding(first)).map(|(handle, _)| handle);
            assert_eq!(other, plain.get(1).map(|(handle, _)| *handle));
        }
    }
    assert!(hits > 100, "{hits}");
}

#[test]
fn an_answer_is_of_now_after_a_body_was_moved_added_or_removed() {
    let mut w = weightless();
    let body = w.add(ball("ball", v(5.0, 0.0, 0.0))).unwrap();
    let look = |w: &World| w.cast_ray(DVec3::ZERO, DVec3::X, 100.0).map(|(body, hit)| (body, hit.distance));
    assert_eq!(look(&w), Some((body, 4.5)));
    w.set_position(body, v(7.0, 0.0, 0.0)).unwrap();
    assert_eq!(look(&w), Some((body, 6.5)));
    let nearer = w.add(ball("other", v(3.0, 0.0, 0.0)).velocity(v(1.0, 0.0, 0.0))).unwrap();
    assert_eq!(look(&w), Some((nearer, 2.5)));
    w.step(0.5).unwrap();
    assert_eq!(look(&w), Some((nearer, 3.0)));
    w.remove(nearer).unwrap();
    assert_eq!(look(&w), Some((body, 6.5)));
    assert_eq!(w.fork().cast_ray(DVec3::ZERO, DVec3::X, 6.0), None);
}

/// From (3, 4, 0) a ball of 0.5 m about the origin is 4.5 m away; from its middle to its surface it is −0.5 m.
#[test]
fn the_closest_point_is_on_the_nearest_body() {
    let mut w = scattered(200);
    let body = w.add(ball("ball", v(50.0, 0.0, 0.0))).unwrap();
    let all = QueryFilter::default();
    let (found, closest) = w.closest_point(v(53.0, 4.0, 0.0), 20.0, &all).unwrap();
    assert_eq!(found, body);
    assert!((closest.distance - 4.5).abs() < 1e-8);
    assert!((closest.on_b - v(50.3, 0.4, 0.0)).length() < 1e-7, "{}", closest.on_b);
    let (found, closest) = w.closest_point(v(50.0, 0.0, 0.2), 20.0, &all).unwrap();
    assert_eq!(found, body);
    assert!((closest.distance + 0.3).abs() < 1e-8, "{}", closest.distance);
    assert!(w.closest_point(v(53.0, 4.0, 0.0), 4.0, &QueryFilter::excluding(body)).is_none());
    assert!(w.closest_point(v(f64::NAN, 0.0, 0.0), 4.0, &all).is_none());
    // Of many, the nearest is the one that each by itself says.
    let mut random = Random::new(5);
    for _ in 0..5 {
        let point = random.vector(9.0);
        let least = w.closest_point(point, 30.0, &all).unwrap();
        for (handle, _) in w.bodies() {
            let others: Vec<BodyHandle> = w.bodies().map(|(other, _)| other).filter(|other| *other != handle).collect();
            let only = QueryFilter { exclude: others, ..Default::default() };
            if let Some((_, alone)) = w.closest_point(point, 30.0, &only) {
                assert!(alone.distance >= least.1.distance - 1e-12);
            }
        }
    }
}

#[test]
fn distances_of_bodies_are_those_of_paper() {
    let mut w = weightless();
    let one = w.add(cube("one", DVec3::ZERO)).unwrap();
    let two = w.add(cube("two", v(3.0, 0.0, 0.0))).unwrap();
    let three = w.add(ball("three", v(0.0, 3.0, 0.0))).unwrap();
    let between = |a, b| w.distance(a, b, 10.0).unwrap().unwrap().distance;
    assert!((between(one, two) - 2.0).abs() < 1e-9);
    assert!((between(one, three) - 2.0).abs() < 1e-9);
    // Corner to ball: from (3 − ½, ½) to (0, 3), less the radius.
    assert!((between(two, three) - (2.5_f64.hypot(2.5) - 0.5)).abs() < 1e-8);
    assert_eq!(w.distance(one, two, 1.0).unwrap(), None);
}

/// A dumbbell that moves down at 2 m/s: its right ball meets the post of height 1 after (3 − 0.25 − 1)/2 s.
#[test]
fn a_compound_is_swept_with_all_its_parts() {
    let mut w = weightless();
    let post = Body::fixed(Shape::cuboid(v(0.1, 0.1, 0.5)).unwrap()).position(v(1.0, 0.0, 0.5));
    let post = w.add(post.named("post")).unwrap();
    let at = |x: f64| DPose3::from_translation(v(x, 0.0, 0.0));
    let ball = Shape::sphere(0.25).unwrap();
    let dumbbell = Shape::compound(vec![(at(-1.0), ball.clone()), (at(1.0), ball)]).unwrap();
    let start = DPose3::from_translation(v(0.0, 0.0, 3.0));
    let (body, hit) = w.cast_shape(&dumbbell, &start, v(0.0, 0.0, -2.0), 5.0).unwrap();
    assert_eq!(body, post);
    assert!((hit.time - 0.875).abs() < 1e-8, "{}", hit.time);
    assert!((hit.normal - DVec3::Z).length() < 1e-6);
    let none = QueryFilter::excluding(post);
    assert!(w.cast_shape_where(&dumbbell, &start, v(0.0, 0.0, -2.0), 5.0, &none).is_none());
    let down = DPose3::from_translation(v(0.0, 0.0, 1.1));
    assert_eq!(w.overlaps_where(&dumbbell, &down, &QueryFilter::default()), [post]);
    assert!(w.overlaps_where(&dumbbell, &down, &none).is_empty());
}

//! Fast bodies go through nothing, and bounce as Newton's law says at the place where they hit.

use crate::fixture::*;
use signorini::glamx::DPose3;
use signorini::step::manifold::NarrowPhase;
use signorini_problem::random::SplitMix64;

fn bullet(radius: f64, position: DVec3, speed: f64) -> Body {
    let body = Body::dynamic(Shape::sphere(radius).unwrap()).mass(1.0).position(position);
    body.velocity(v(speed, 0.0, 0.0)).named("bullet").fast()
}

/// A plate of 4 m × 4 m in the plane x = 0.
fn plate(thickness: f64) -> Shape {
    Shape::cuboid(v(0.5 * thickness, 2.0, 2.0)).unwrap()
}

#[test]
fn d8_s10_static_plate_returns_e_times_the_speed() {
    for (radius, thickness) in [(0.05, 0.02), (0.01, 0.01)] {
        for speed in [20.0, 100.0, 300.0, 1000.0] {
            for e in [0.0, 0.3, 1.0] {
                for start in [-0.5, -3.3, -7.77] {
                    let mut w = weightless();
                    w.add(Body::fixed(plate(thickness)).material(surface(0.0, e)).named("plate")).unwrap();
                    let b = bullet(radius, v(start, 0.1, -0.2), speed).material(surface(0.0, e));
                    let b = w.add(b).unwrap();
                    for _ in 0..60 {
                        step_certified(&mut w, H);
                        let x = w.body(b).unwrap().position().x;
                        assert!(x <= -radius - 0.5 * thickness + 1e-9, "v {speed}, e {e}: at {x}");
                    }
                    let back = w.body(b).unwrap().velocity();
                    close_vector(back, v(-e * speed, 0.0, 0.0), 1e-9 * speed);
                    // It turned around where the plate is: time to the hit, and the rest at e v.
                    let way = -start - radius - 0.5 * thickness;
                    let rest = 60.0 * H - way / speed;
                    let x = -radius - 0.5 * thickness - e * speed * rest;
                    close(w.body(b).unwrap().position().x, x, 1e-8 * speed);
                }
            }
        }
    }
}

#[test]
fn s10_dynamic_plate_of_10_kg_takes_its_share() {
    for speed in [20.0, 100.0, 300.0, 1000.0] {
        for e in [0.0, 0.5, 1.0] {
            let mut w = weightless();
            let p = Body::dynamic(plate(0.02)).mass(10.0).material(surface(0.0, e)).named("plate");
            let p = w.add(p).unwrap();
            let b = w.add(bullet(0.05, v(-2.5, 0.0, 0.0), speed).material(surface(0.0, e))).unwrap();
            for _ in 0..20 {
                step_certified(&mut w, H);
                let (x, y) = (w.body(b).unwrap().position().x, w.body(p).unwrap().position().x);
                assert!(x <= y - 0.06 + 1e-8, "v {speed}, e {e}: {x} against {y}");
            }
            // m = 1 against M = 10: the common speed is v/11, the relative one −e v.
            close_vector(w.body(b).unwrap().velocity(), v(speed * (1.0 - 10.0 * e) / 11.0, 0.0, 0.0), 1e-9 * speed);
            close_vector(w.body(p).unwrap().velocity(), v(speed * (1.0 + e) / 11.0, 0.0, 0.0), 1e-9 * speed);
        }
    }
}

#[test]
fn what_it_misses_does_not_touch_it() {
    // Past the edge of the plate with a millimetre to spare, at many angles: not a bit of the velocity changes.
    for i in 0..20 {
        let angle = 0.07 * f64::from(i);
        let direction = v(angle.cos(), angle.sin(), 0.0);
        // The line that passes the edge (−0.01, 2) at a distance of radius + 1 mm on the outside.
        let outside = v(-angle.sin(), angle.cos(), 0.0);
        let pass = v(-0.01, 2.0, 0.0) + 0.051 * outside;
        let mut w = weightless();
        w.add(Body::fixed(plate(0.02)).named("plate")).unwrap();
        let start = pass - 3.0 * direction;
        let b = w.add(bullet(0.05, start, 0.0).velocity(300.0 * direction)).unwrap();
        for _ in 0..3 {
            step_certified(&mut w, H);
        }
        assert_eq!(w.body(b).unwrap().velocity(), 300.0 * direction, "angle {angle}");
    }
}

#[test]
fn oblique_hits_far_from_where_the_step_started() {
    // Starts beside the plate and hits its middle: the closest point at the start is an edge.
    for e in [0.0, 1.0] {
        for angle in [0.2f64, 0.6, 1.0, 1.3] {
            let direction = v(angle.cos(), angle.sin(), 0.0);
            let mut w = weightless();
            w.add(Body::fixed(plate(0.01)).material(surface(0.0, e)).named("plate")).unwrap();
            let start = v(-0.015, 0.0, 0.0) - 4.0 * direction;
            let b = bullet(0.01, start, 0.0).velocity(1000.0 * direction).material(surface(0.0, e));
            let b = w.add(b).unwrap();
            run(&mut w, 2);
            let expected = 1000.0 * v(-e * direction.x, direction.y, 0.0);
            close_vector(w.body(b).unwrap().velocity(), expected, 1e-6);
            assert!(w.body(b).unwrap().position().x <= -0.015 + 1e-9);
        }
    }
}

#[test]
fn bounce_heights_of_fast_bodies_are_e_squared() {
    for e in [0.3, 0.71, 1.0] {
        for drop in [1.0, 1.234, 4.321] {
            let mut w = world();
            add_floor(&mut w, 0.5, e);
            let b = w.add(ball("ball", v(0.0, 0.0, 0.5 + drop)).material(surface(0.5, e)).fast()).unwrap();
            let mut top = 0.0;
            for _ in 0..200 {
                step_certified(&mut w, H);
                let body = w.body(b).unwrap();
                if body.velocity().z > 0.0 {
                    top = body.position().z + body.velocity().z.powi(2) / (2.0 * G);
                    break;
                }
            }
            close(top, 0.5 + e * e * drop, 1e-8);
        }
    }
}

#[test]
fn a_fast_body_that_arrives_slower_than_the_rest_speed_stops() {
    // 3 mm away, so that the touch is inside the step and not at its beginning. The rest speed is 0.5 m/s.
    let e = 0.8;
    for (speed, back) in [(0.45, 0.0), (0.55, e * 0.55)] {
        let mut w = weightless();
        w.add(Body::fixed(plate(0.02)).material(surface(0.0, e)).named("plate")).unwrap();
        let body = bullet(0.05, v(-0.063, 0.0, 0.0), speed).material(surface(0.0, e));
        let b = w.add(body).unwrap();
        run(&mut w, 1);
        close_vector(w.body(b).unwrap().velocity(), v(-back, 0.0, 0.0), 1e-9);
        close(w.body(b).unwrap().position().x, -0.06 - back * (H - 0.003 / speed), 1e-9);
    }
}

#[test]
fn a_resting_fast_body_is_like_any_other() {
    let settle = |fast: bool| {
        let mut w = world();
        add_floor(&mut w, 0.5, 0.0);
        let mut tower: Vec<Body> = (0..3).map(|i| cube(&format!("c{i}"), v(0.0, 0.0, 0.5 + f64::from(i)))).collect();
        if fast {
            tower = tower.into_iter().map(Body::fast).collect();
        }
        tower.into_iter().for_each(|body| _ = w.add(body).unwrap());
        run(&mut w, 60);
        w.bodies().map(|(_, b)| b.position()).collect::<Vec<_>>()
    };
    for (fast, usual) in settle(true).into_iter().zip(settle(false)) {
        close_vector(fast, usual, 1e-9);
    }
}

#[test]
fn between_two_plates_for_ever() {
    // 1000 m/s and e = 1 between thin plates half a metre apart: 32 crossings in the time of one step.
    let mut w = weightless();
    for (name, x) in [("left", -0.25), ("right", 0.25)] {
        w.add(Body::fixed(plate(0.01)).position(v(x, 0.0, 0.0)).material(surface(0.0, 1.0)).named(name)).unwrap();
    }
    let b = w.add(bullet(0.01, DVec3::ZERO, 1000.0).material(surface(0.0, 1.0))).unwrap();
    let mut curtailed = 0;
    for _ in 0..100 {
        let report = step_certified(&mut w, H);
        curtailed += report.counts.curtailed;
        let body = w.body(b).unwrap();
        assert!(body.position().x.abs() <= 0.235 + 1e-8, "at {}", body.position());
        close(body.velocity().x.abs(), 1000.0, 1e-6);
    }
    assert!(curtailed > 50, "the report must say that time was lost");
}

#[test]
fn nothing_leaves_a_closed_box_of_thin_plates() {
    let mut random = SplitMix64::new(11);
    let mut next = || random.unit();
    let shapes = [
        Shape::sphere(0.02).unwrap(),
        Shape::cuboid(v(0.1, 0.01, 0.01)).unwrap(),
        Shape::capsule(0.1, 0.01).unwrap(),
        Shape::cuboid(v(0.02, 0.03, 0.04)).unwrap(),
    ];
    for trial in 0..24 {
        let e = [0.0, 0.5, 1.0][trial % 3];
        let mut w = world();
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let (mut half, mut centre) = (DVec3::splat(1.0), DVec3::ZERO);
                half[axis] = 0.005;
                centre[axis] = 0.5 * side;
                let wall = Body::fixed(Shape::cuboid(half).unwrap()).position(centre);
                w.add(wall.material(surface(0.3, e)).named(&format!("wall {axis} {side}"))).unwrap();
            }
        }
        let direction = v(next() - 0.5, next() - 0.5, next() - 0.5).normalize();
        let angular_velocity = 600.0 * v(next() - 0.5, next() - 0.5, next() - 0.5);
        let body = Body::dynamic(shapes[trial % 4].clone()).mass(1.0).velocity((50.0 + 950.0 * next()) * direction);
        let b =
            w.add(body.angular_velocity(angular_velocity).material(surface(0.3, e)).fast().named("bullet")).unwrap();
        for step in 0..25 {
            // A rod that strikes two plates in one step may dip into the second, or gain energy: the certificate says so.
            let before = w.energy().total();
            let report = w.step(H).unwrap();
            let rose = w.energy().total() > before + 0.05 * before.abs();
            assert!(!(rose && report.status == StepStatus::Certified), "trial {trial}: {:?}", report.certificate);
            let position = w.body(b).unwrap().centre_of_mass();
            assert!(position.abs().max_element() < 0.5, "trial {trial}, step {step}: out at {position}");
        }
    }
}

#[test]
fn a_spinning_rod_is_caught_by_a_thin_pole() {
    // 200 rad/s: 3.2 rad per step. The pole stands 0.4 m from the middle of a rod 1 m long; the rod cannot turn past it.
    // Impulse J at the distance d: J (1/m + d²/I) = (1 + e) ω d, I = m(L² + t²)/12.
    for e in [0.0, 0.5, 1.0] {
        for angle in [0.5, 1.2, 2.5] {
            let mut w = weightless();
            let pole = Body::fixed(Shape::cylinder(0.5, 0.005).unwrap()).position(v(0.0, 0.4, 0.0));
            w.add(pole.material(surface(0.0, e)).named("pole")).unwrap();
            let rod = Body::dynamic(Shape::cuboid(v(0.5, 0.005, 0.005)).unwrap())
                .mass(1.0)
                .angular_velocity(v(0.0, 0.0, 200.0));
            let rod = rod.orientation(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2 - angle));
            let b = w.add(rod.material(surface(0.0, e)).fast().named("rod")).unwrap();
            step_certified(&mut w, H);
            let (d, inertia) = (0.4f64, (1.0 + 1e-4) / 12.0);
            let impulse = (1.0 + e) * 200.0 * d / (1.0 + d * d / inertia);
            let body = w.body(b).unwrap();
            // The contact is on the flank of the rod: the distance is 0.4 m to a few parts in 10⁴.
            close(body.angular_velocity().z, 200.0 - impulse * d / inertia, 0.2);
            close(body.velocity().length(), impulse, 0.2);
            // It does not end inside the pole, deeper than what is left to rest on anyway.
            let (mut narrow, mut found) = (NarrowPhase::default(), Vec::new());
            let pole = w.body(w.find("pole").unwrap()).unwrap();
            narrow.collide(body.shape(), &body.pose(), pole.shape(), &pole.pose(), 0.0, &mut found);
            assert!(found.iter().all(|m| m.least_gap() > -2e-4), "{:?}", found.first());
        }
    }
}

#[test]
fn two_fast_bodies_meet_halfway() {
    let mut w = weightless();
    let ball =
        |name: &str, x: f64, speed: f64| bullet(0.02, v(x, 0.0, 0.0), speed).material(surface(0.0, 0.8)).named(name);
    let a = w.add(ball("a", -5.0, 900.0)).unwrap();
    let b = w.add(ball("b", 3.0, -700.0)).unwrap();
    let momentum = total_momentum(&w);
    run(&mut w, 3);
    close_vector(total_momentum(&w), momentum, 1e-9);
    // Centre at 100 m/s, ±800 before, ∓640 after.
    close_vector(w.body(a).unwrap().velocity(), v(-540.0, 0.0, 0.0), 1e-6);
    close_vector(w.body(b).unwrap().velocity(), v(740.0, 0.0, 0.0), 1e-6);
}

#[test]
fn a_mesh_and_a_compound_stop_it_too() {
    let corners = vec![v(0.0, -2.0, -2.0), v(0.0, 2.0, -2.0), v(0.0, 2.0, 2.0), v(0.0, -2.0, 2.0)];
    let sheet = Shape::triangle_mesh(corners, vec![[0, 2, 1], [0, 3, 2]]).unwrap();
    let bars: Vec<(DPose3, Shape)> = (-3..=3)
        .map(|i| {
            (DPose3::from_translation(v(0.0, 0.02 * f64::from(i), 0.0)), Shape::cuboid(v(0.005, 0.008, 1.0)).unwrap())
        })
        .collect();
    for wall in [sheet, Shape::compound(bars).unwrap()] {
        let mut w = weightless();
        w.add(Body::fixed(wall).material(surface(0.0, 1.0)).named("wall")).unwrap();
        let b = w.add(bullet(0.01, v(-6.0, 0.003, 0.0), 1000.0).material(surface(0.0, 1.0))).unwrap();
        run(&mut w, 3);
        assert!(w.body(b).unwrap().velocity().x < 0.0 && w.body(b).unwrap().position().x < 0.0);
    }
}

//! Kinematic bodies that squeeze a dynamic one.
//!
//! Within the overlap b that the certificate allows, a plate presses with N = 1000 m/s² · m · δ/b at overlap δ, whatever the
//! step; not harder beyond.

use crate::fixture::*;
use signorini::PRESSURE;

/// Overlap that the certificate allows of the unit cube: 1e-4 of half its diagonal \[m\].
fn bound() -> f64 {
    1e-4 * 0.75_f64.sqrt()
}

/// A cube between two plates that touch it, all of one surface, and a floor below.
fn clamp(friction: f64, restitution: f64) -> (World, BodyHandle, [BodyHandle; 2]) {
    let mut world = world();
    add_floor(&mut world, friction, restitution);
    let material = surface(friction, restitution);
    let cube = world.add(cube("cube", v(0.0, 0.0, 0.5)).material(material)).unwrap();
    let plates = [("left", -0.6), ("right", 0.6)].map(|(name, x)| {
        let plate = Body::kinematic(Shape::cuboid(v(0.1, 1.0, 1.0)).unwrap()).position(v(x, 0.0, 1.2));
        world.add(plate.material(material).named(name)).unwrap()
    });
    (world, cube, plates)
}

/// Both plates towards each other, and up [m/s].
fn drive(world: &mut World, plates: [BodyHandle; 2], inwards: f64, up: f64) {
    world.set_velocity(plates[0], v(inwards, 0.0, up)).unwrap();
    world.set_velocity(plates[1], v(-inwards, 0.0, up)).unwrap();
}

/// Normal force of a plate \[N\].
fn normal_force(world: &World, plate: BodyHandle, dt: f64) -> f64 {
    let of_plate = world.contacts().iter().filter(|c| c.a == plate || c.b == plate);
    of_plate.map(|c| c.impulse.dot(c.normal) / dt).sum()
}

#[test]
fn a_squeeze_presses_by_its_overlap_and_friction_lifts_the_box() {
    for dt in [1.0 / 60.0, 1.0 / 240.0, 1.0 / 1000.0] {
        let (mut world, cube, plates) = clamp(0.5, 0.0);
        let overlap = 0.6 * bound();
        let steps = 10;
        drive(&mut world, plates, overlap / (steps as f64 * dt), 0.0);
        let mut last = 0.0;
        for step in 1..=steps {
            let report = step_certified(&mut world, dt);
            let force = normal_force(&world, plates[0], dt);
            // The force is that of the overlap at the end of the step.
            let expected = PRESSURE * overlap / bound() * step as f64 / steps as f64;
            assert!((force - expected).abs() < 1e-6 * expected, "{dt} {step}: {force} {expected}");
            assert!(force > last);
            last = force;
            assert!(report.effort.factorizations < 100, "{:?}", report.effort);
        }
        // It stays when the plates stand, and while they lift the box: 2 μ N = 600 N against 9.8.
        drive(&mut world, plates, 0.0, 0.0);
        for _ in 0..10 {
            step_certified(&mut world, dt);
        }
        assert!((normal_force(&world, plates[1], dt) - PRESSURE * 0.6).abs() < 1e-6 * PRESSURE);
        drive(&mut world, plates, 0.0, 0.25);
        let height = |world: &World, body| world.body(body).unwrap().position().z;
        let below = height(&world, plates[0]) - height(&world, cube);
        for _ in 0..100 {
            step_certified(&mut world, dt);
            let slipped = height(&world, plates[0]) - height(&world, cube) - below;
            assert!(slipped.abs() < 1e-9, "{dt}: slipped by {slipped:e}");
        }
        assert!((height(&world, cube) - 0.5 - 25.0 * dt).abs() < 1e-9);
        let body = world.body(cube).unwrap();
        assert!(body.position().x.abs() < 1e-9 && body.angular_velocity().length() < 1e-9);
        // The contacts carry the weight.
        let lift: f64 = world.contacts().iter().map(|c| c.impulse.z * if c.b == cube { 1.0 } else { -1.0 }).sum();
        assert!((lift / dt - G).abs() < 1e-6, "{lift}");
    }
}

#[test]
fn a_box_slips_through_plates_that_press_too_little() {
    let friction = 0.005;
    let (mut world, cube, plates) = clamp(friction, 0.0);
    let (dt, overlap) = (0.01, 0.5 * bound());
    drive(&mut world, plates, overlap / dt, 0.0);
    step_certified(&mut world, dt);
    let floor = world.find("floor").unwrap();
    world.remove(floor).unwrap();
    drive(&mut world, plates, 0.0, 0.0);
    for _ in 0..20 {
        step_certified(&mut world, dt);
    }
    // a = g − 2 μ N/m with N = 500 N.
    let expected = -20.0 * dt * (G - 2.0 * friction * 500.0);
    let speed = world.body(cube).unwrap().velocity().z;
    assert!((speed - expected).abs() < 1e-6, "{speed} {expected}");
}

#[test]
fn an_impossible_squeeze_is_degraded_bounded_and_let_go() {
    for restitution in [0.0, 0.8] {
        let (mut world, cube, plates) = clamp(0.5, restitution);
        drive(&mut world, plates, 0.7, 0.0);
        let mut degraded = 0;
        for _ in 0..20 {
            let report = world.step(H).unwrap();
            if report.status == StepStatus::Degraded {
                degraded += 1;
                assert!(report.certificate.misses().all(|(name, _)| name == PartName::Overlap), "{report:?}");
            }
            for plate in plates {
                let force = normal_force(&world, plate, H);
                assert!(force < 1.1 * PRESSURE, "{force}");
            }
            assert!(report.energy.driven.abs() < 2.0 * 0.7 * H * 1.1 * PRESSURE, "{:?}", report.energy);
            assert!(report.effort.factorizations < 100, "{:?}", report.effort);
            assert!(world.body(cube).unwrap().velocity().length() < 0.1);
        }
        assert!(degraded >= 19, "{degraded}");
        drive(&mut world, plates, -0.7, 0.0);
        for _ in 0..60 {
            let report = world.step(H).unwrap();
            assert!(report.effort.factorizations < 200, "{:?}", report.effort);
            let speed = world.body(cube).unwrap().velocity().length();
            assert!(speed < 0.2, "{speed}");
        }
        step_certified(&mut world, H);
        let end = world.body(cube).unwrap();
        assert!(end.velocity().length() < 1e-6 && (end.position() - v(0.0, 0.0, 0.5)).length() < 1e-3, "{end:?}");
    }
}

/// A ball hangs from the box on a ball joint: the island moves by its own scheme, and the pads with it.
#[test]
fn a_jointed_box_is_squeezed_and_lifted() {
    let (mut world, cube, plates) = clamp(0.5, 0.0);
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(0.5).position(v(0.0, 1.5, 0.5)).named("ball");
    let ball = world.add(ball).unwrap();
    world.add_joint(Joint::ball(cube, v(0.0, 0.8, 0.0), (ball, v(0.0, -0.7, 0.0)))).unwrap();
    drive(&mut world, plates, 0.05 * bound() / 0.01, 0.0);
    for _ in 0..10 {
        let report = world.step(0.01).unwrap();
        assert_eq!(report.status, StepStatus::Certified, "{:?}", report.certificate);
    }
    let force = normal_force(&world, plates[0], 0.01);
    assert!((force - 0.5 * PRESSURE).abs() < 0.01 * PRESSURE, "{force}");
    drive(&mut world, plates, 0.0, 0.1);
    for _ in 0..100 {
        let report = world.step(0.01).unwrap();
        assert_eq!(report.status, StepStatus::Certified, "{:?}", report.certificate);
    }
    let height = world.body(cube).unwrap().position().z;
    assert!((height - 0.6).abs() < 1e-3, "{height}");
    // And squeezed beyond what is possible: bounded.
    drive(&mut world, plates, 0.5, 0.0);
    for _ in 0..10 {
        let report = world.step(0.01).unwrap();
        let force = normal_force(&world, plates[0], 0.01);
        assert!(force < 1.2 * PRESSURE, "{force} {report:?}");
        assert!(world.body(cube).unwrap().velocity().length() < 1.0, "{report:?}");
    }
}

/// Plates that go on closing while they lift: the pads' friction carries the weight in every step, although the plates come nearer in it.
/// (A pad was taken for an impact there, which used up its force before gravity acted: the box slipped by g h a step.)
#[test]
fn plates_that_close_go_on_holding_a_jointed_box() {
    let (mut world, cube, plates) = clamp(0.5, 0.0);
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(0.5).position(v(0.0, 1.5, 0.5)).named("ball");
    let ball = world.add(ball).unwrap();
    world.add_joint(Joint::ball(cube, v(0.0, 0.8, 0.0), (ball, v(0.0, -0.7, 0.0)))).unwrap();
    drive(&mut world, plates, 0.03 * bound() / 0.01, 0.0);
    for _ in 0..10 {
        step_certified(&mut world, 0.01);
    }
    // 0.3 b so far, and 0.2 b more on the way up.
    drive(&mut world, plates, 0.002 * bound() / 0.01, 0.1);
    for _ in 0..100 {
        step_certified(&mut world, 0.01);
    }
    let force = normal_force(&world, plates[0], 0.01);
    assert!((force - 0.5 * PRESSURE).abs() < 0.01 * PRESSURE, "{force}");
    let height = world.body(cube).unwrap().position().z;
    assert!((height - 0.6).abs() < 1e-3, "{height}");
}

/// A press at 1 m/s crushes four boxes of 1 kg against a wall.
#[test]
fn a_press_does_no_more_work_than_its_force_allows() {
    let mut world = world();
    add_floor(&mut world, 0.5, 0.0);
    let wall = || Shape::cuboid(v(0.2, 50.0, 5.0)).unwrap();
    world.add(Body::fixed(wall()).position(v(0.7, 0.0, 0.0)).named("wall")).unwrap();
    let press = Body::kinematic(wall()).position(v(-0.75, 0.0, 0.0)).velocity(v(1.0, 0.0, 0.0));
    let press = world.add(press.named("press")).unwrap();
    for i in 0..4 {
        world.add(cube(&format!("c{i}"), v(0.0, 1.001 * f64::from(i), 0.5))).unwrap();
    }
    let (mut degraded, mut driven) = (0, 0.0);
    for _ in 0..12 {
        let report = world.step(1.0 / 60.0).unwrap();
        driven += report.energy.driven;
        let named = report.certificate.misses().any(|(name, _)| name == PartName::Overlap);
        degraded += usize::from(report.status == StepStatus::Degraded && named);
        assert!(normal_force(&world, press, 1.0 / 60.0) < 4.0 * 1.1 * PRESSURE);
        assert!(report.effort.factorizations < 400, "{:?}", report.effort);
    }
    assert!(degraded > 5, "{degraded}");
    // Four boxes, 1100 N each, 0.2 m.
    assert!(driven < 4.0 * 1.1 * PRESSURE * 0.2, "{driven}");
}

#[test]
fn a_pusher_and_a_lift_stay_rigid() {
    let mut world = world();
    add_floor(&mut world, 0.5, 0.0);
    let cube = world.add(cube("cube", v(0.0, 0.0, 0.5))).unwrap();
    let pusher = Body::kinematic(Shape::cuboid(v(0.1, 1.0, 0.3)).unwrap()).position(v(-0.6, 0.0, 0.5));
    let pusher = world.add(pusher.velocity(v(0.3, 0.0, 0.0)).named("pusher")).unwrap();
    for _ in 0..100 {
        step_certified(&mut world, H);
    }
    // The box keeps its distance to the last digits: no pad is between.
    let apart = world.body(cube).unwrap().position().x - world.body(pusher).unwrap().position().x;
    assert!((apart - 0.6).abs() < 1e-11, "{apart}");
    // Friction of the floor, and of the face.
    let force = normal_force(&world, pusher, H);
    assert!((force - 0.5 * G).abs() < 0.5 * 0.5 * G, "{force}");
}

/// Plates that close at 0.4 mm/s press by their overlap, also where a certified step may leave 10 mm/s.
#[test]
fn a_slow_squeeze_is_one_whatever_is_accepted() {
    let (mut world, _, plates) = clamp(0.5, 0.0);
    let settings = Settings { accept: 1e-2, ..*world.settings() };
    world.set_settings(settings).unwrap();
    drive(&mut world, plates, 0.05 * bound() / 0.01, 0.0);
    for _ in 0..10 {
        step_certified(&mut world, 0.01);
    }
    let force = normal_force(&world, plates[0], 0.01);
    assert!((force - 0.5 * PRESSURE).abs() < 0.01 * PRESSURE, "{force}");
}

/// Two layers of things slide down a slope of 20° against a kinematic wall that stands still. What round-off leaves of the rows of a heap that
/// jams was taken for a squeeze, and things sank into the wall by a millimetre.
#[test]
fn a_pile_that_leans_on_a_standing_wall_is_not_squeezed() {
    let slope = 0.349_f64;
    let gravity = 9.81 * v(slope.sin(), 0.0, -slope.cos());
    let mut world = World::new(Settings { gravity, ..Settings::default() }).unwrap();
    let (material, half) = (surface(0.2, 0.0), 0.55);
    world.add(Body::fixed(Shape::half_space(v(0.0, 0.0, 1.0)).unwrap()).material(material).named("floor")).unwrap();
    let slab = |x: f64, y: f64| Shape::cuboid(v(x, y, 0.15)).unwrap();
    for (name, shape, place) in [
        ("back", slab(0.05, 0.65), v(-half - 0.05, 0.0, 0.15)),
        ("left", slab(half, 0.05), v(0.0, half + 0.05, 0.15)),
        ("right", slab(half, 0.05), v(0.0, -half - 0.05, 0.15)),
    ] {
        world.add(Body::fixed(shape).position(place).material(material).named(name)).unwrap();
    }
    let wall = Body::kinematic(slab(0.05, 0.65)).position(v(half + 0.05, 0.0, 0.15));
    world.add(wall.material(material).named("wall")).unwrap();
    for k in 0..200 {
        let size = 0.03 + 0.002 * f64::from(k % 5);
        let shape = match k % 8 {
            0..4 => Shape::sphere(size),
            4 | 7 => Shape::cuboid(v(size, 0.8 * size, 0.6 * size)),
            _ => Shape::capsule(0.6 * size, 0.5 * size),
        };
        let place =
            v(0.1 * f64::from(k % 100 / 10) - 0.45, 0.1 * f64::from(k % 10) - 0.45, 0.05 + 0.1 * f64::from(k / 100));
        let turn = DQuat::from_axis_angle(v(1.0, 0.3, 0.2).normalize(), 0.7 * f64::from(k));
        let body = Body::dynamic(shape.unwrap()).density(500.0).position(place).orientation(turn);
        world.add(body.material(material).named(&format!("thing {k}"))).unwrap();
    }
    for step in 0..30 {
        let overlap = world.step(1.0 / 60.0).unwrap().certificate.overlap;
        assert!(overlap.value <= 2e-5, "step {step}: {overlap:?}");
    }
}

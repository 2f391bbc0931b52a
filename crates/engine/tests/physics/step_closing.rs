//! Which pairs are contacts of a step: those that may close in it, and no others; and what closes all the same is recalled.

use signorini::glamx::{DQuat, DVec3};
use signorini::{Body, Material, Settings, Shape, StepReport, StepStatus, World};

const STEP: f64 = 1.0 / 60.0;

fn world() -> World {
    let mut world = World::new(Settings::default()).unwrap();
    world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).named("floor")).unwrap();
    world
}

/// Balls of 0.1 m in a square of n by n, 0.3 m apart, falling at `speed` from a height of about `height`.
fn shower(n: i32, height: f64, speed: f64, restitution: f64) -> World {
    let mut world = world();
    let shape = Shape::sphere(0.1).unwrap();
    for i in 0..n {
        for j in 0..n {
            let place =
                DVec3::new(0.3 * f64::from(i), 0.3 * f64::from(j), height + 0.05 * f64::from((i * 7 + j * 3) % 5));
            let ball = Body::dynamic(shape.clone()).mass(1.0).material(Material::new(0.5, restitution));
            world.add(ball.position(place).velocity(-DVec3::Z * speed)).unwrap();
        }
    }
    world
}

/// A bug once: the reach of a pair was the way of the faster body, so 4000 balls that fall side by side at 100 m/s were one
/// island of 45 000 contacts, and seconds a step.
#[test]
fn a_shower_of_balls_side_by_side_is_no_island() {
    for (speed, restitution) in [(10.0, 0.0), (100.0, 0.0), (100.0, 0.5), (1000.0, 0.0)] {
        let mut world = shower(20, 2.5 * speed * STEP + 0.2, speed, restitution);
        let mut landed = 0;
        for step in 0..5 {
            let report = world.step(STEP).unwrap();
            assert_eq!(report.status, StepStatus::Certified, "{speed} m/s, step {step}: {report:?}");
            // One contact with the floor at most, and an island of its own.
            assert!(report.counts.contacts <= 400, "{speed} m/s, e {restitution}, step {step}: {:?}", report.counts);
            assert_eq!(report.counts.islands, report.counts.contacts, "{speed} m/s, step {step}");
            landed = landed.max(report.counts.contacts);
        }
        assert_eq!(landed, 400, "{speed} m/s");
    }
}

/// The lower ball of a column stops on the floor in a step in which the upper ones have 1.7 m to go: they are stopped by it,
/// though none of them comes nearer to another in flight. Whatever the order of their names.
#[test]
fn a_column_that_lands_at_100_m_per_s_stops_in_one_step() {
    for upwards in [true, false] {
        let mut world = world();
        let handles: Vec<_> = (0..6)
            .map(|k| {
                let at = f64::from(if upwards { k } else { 5 - k });
                let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).material(Material::new(0.5, 0.0));
                let place = DVec3::Z * (0.15 + 0.22 * at);
                world.add(ball.position(place).velocity(DVec3::Z * -100.0).named(&format!("ball {k}"))).unwrap()
            })
            .collect();
        let report = world.step(STEP).unwrap();
        assert_eq!(report.status, StepStatus::Certified, "{report:?}");
        assert_eq!(report.counts.islands, 1);
        let mut heights: Vec<f64> = handles.iter().map(|h| world.body(*h).unwrap().position().z).collect();
        heights.sort_by(f64::total_cmp);
        for (k, height) in heights.iter().enumerate() {
            assert!((height - 0.1 - 0.2 * k as f64).abs() < 1e-6, "ball {k} of the column at {height} m");
        }
    }
}

/// A ball hits a wedge and is sent sideways into one that falls beside it, which nobody expects of either: the pair is recalled,
/// and both impacts are solved together.
#[test]
fn a_ball_sent_sideways_meets_its_neighbour_in_the_same_step() {
    let mut world = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).unwrap();
    let slope = DVec3::new(1.0, 0.0, 1.0).normalize();
    world.add(Body::fixed(Shape::half_space(slope).unwrap()).material(Material::new(0.0, 0.0)).named("slope")).unwrap();
    let ball = |place: DVec3, name: &str| {
        let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).material(Material::new(0.0, 0.0));
        ball.position(place).velocity(DVec3::Z * -60.0).named(name)
    };
    // In a step of 1/60 s the first comes down by 0.05 m, then slides along the slope towards +x and −z.
    let first = world.add(ball(slope * 0.1 + DVec3::Z * 0.05, "a first")).unwrap();
    let second = world.add(ball(slope * 0.1 + DVec3::new(0.32, 0.0, 0.5), "b second")).unwrap();
    let report: StepReport = world.step(STEP).unwrap();
    assert_eq!(report.status, StepStatus::Certified, "{report:?}");
    // Not taken out of the poses: the balls have pushed each other.
    assert_eq!((report.counts.corrected, report.counts.contacts), (0, 3), "{:?}", report.counts);
    let [a, b] = [first, second].map(|handle| world.body(handle).unwrap().position());
    assert!((a - b).length() > 0.2 - 1e-5, "{} m apart", (a - b).length());
    assert!(a.dot(slope) > 0.1 - 1e-5 && b.dot(slope) > 0.1 - 1e-5);
}

/// A ball is sent sideways by a slope, faster in a step than a thin wall beside it is thick: no overlap at the end would tell.
#[test]
fn a_ball_sent_sideways_does_not_pass_a_thin_wall_in_the_same_step() {
    for speed in [60.0, 300.0, 1000.0] {
        let mut world = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).unwrap();
        let slope = DVec3::new(1.0, 0.0, 1.0).normalize();
        let smooth = Material::new(0.0, 0.0);
        world.add(Body::fixed(Shape::half_space(slope).unwrap()).material(smooth).named("slope")).unwrap();
        let wall = Shape::cuboid(DVec3::new(0.005, 1.0, 40.0)).unwrap();
        world.add(Body::fixed(wall).material(smooth).position(DVec3::X * 0.4).named("wall")).unwrap();
        let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).material(smooth);
        let ball = ball.position(slope * 0.1 + DVec3::Z * 0.05).velocity(DVec3::Z * -speed).named("ball");
        let ball = world.add(ball).unwrap();
        for step in 0..3 {
            let report = world.step(STEP).unwrap();
            let x = world.body(ball).unwrap().position().x;
            assert!(x < 0.4 - 0.105 + 1e-4, "{speed} m/s, step {step}: x = {x}, {:?}", report.counts);
        }
    }
}

/// Boxes poured at 30 m/s, turning: pairs that are held back do not let overlap through.
#[test]
fn boxes_poured_fast_end_no_step_inside_each_other() {
    let mut world = world();
    for k in 0..24 {
        let at = f64::from(k);
        let place = DVec3::new(0.35 * (at % 3.0), 0.35 * ((at / 3.0).floor() % 2.0), 0.6 + 0.4 * (at / 6.0).floor());
        let turn = DQuat::from_scaled_axis(DVec3::new(0.3 * at, 0.2 * at, 0.5 * at));
        let crate_ = Body::dynamic(Shape::cuboid(DVec3::new(0.1, 0.12, 0.15)).unwrap()).mass(1.0);
        let angular_velocity = DVec3::new(at % 5.0 - 2.0, at % 3.0 - 1.0, at % 7.0 - 3.0) * 2.0;
        world
            .add(crate_.position(place).orientation(turn).velocity(DVec3::Z * -30.0).angular_velocity(angular_velocity))
            .unwrap();
    }
    for step in 0..40 {
        let report = world.step(STEP).unwrap();
        assert!(report.certificate.overlap.is_met(), "step {step}: {:?}", report.certificate.overlap);
    }
}

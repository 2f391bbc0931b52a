//! Islands at rest sleep, cost nothing, keep every bit, and wake when something happens to them.

use crate::fixture::*;
use signorini::{BodyState, PairContact, Sleeping, Snapshot};

fn sleepy() -> World {
    World::new(Settings { sleeping: Sleeping::islands(), ..Settings::default() }).unwrap()
}

/// Two towers of three cubes on a floor, 10 m apart, run until they sleep.
fn towers() -> (World, Vec<BodyHandle>, Vec<BodyHandle>) {
    let mut w = sleepy();
    add_floor(&mut w, 0.5, 0.0);
    let mut tower = |x: f64, name: &str| -> Vec<BodyHandle> {
        (0..3).map(|i| w.add(cube(&format!("{name} {i}"), v(x, 0.0, 0.5 + f64::from(i)))).unwrap()).collect()
    };
    let (near, far) = (tower(0.0, "near"), tower(10.0, "far"));
    run(&mut w, 60);
    assert!(w.bodies().filter(|(_, b)| b.id() != &"floor".into()).all(|(_, b)| b.is_sleeping()), "all must sleep");
    (w, near, far)
}

fn asleep(w: &World, bodies: &[BodyHandle]) -> bool {
    let sleeping: Vec<bool> = bodies.iter().map(|b| w.body(*b).unwrap().is_sleeping()).collect();
    assert!(sleeping.iter().all(|s| *s == sleeping[0]), "an island sleeps as a whole: {sleeping:?}");
    sleeping[0]
}

fn states(w: &World, bodies: &[BodyHandle]) -> Vec<BodyState> {
    bodies.iter().map(|b| w.body(*b).unwrap().state()).collect()
}

#[test]
fn off_by_default() {
    assert_eq!(Settings::default().sleeping, Sleeping::Off);
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.5))).unwrap();
    run(&mut w, 100);
    assert!(!w.body(b).unwrap().is_sleeping());
}

#[test]
fn a_sleeping_island_takes_no_part_and_keeps_every_bit_and_its_impulses() {
    let (mut w, near, _) = towers();
    let (before, contacts) = (states(&w, &near), w.contacts().to_vec());
    assert_eq!(contacts.len(), 24);
    // Three cubes of 1 kg press on the floor: 3 g h over the four corners.
    let floor: f64 = contacts.iter().filter(|c| c.point.x < 5.0 && c.point.z < 0.1).map(|c| c.impulse.z.abs()).sum();
    // Certified to 1e-9 m/s at each corner: of 3 kg, and four corners, 12e-9 N·s.
    close(floor, 3.0 * G * H, 12e-9);
    let held = w.body(near[2]).unwrap().constraint_forces().force;
    // The same for 1 kg between eight corners, over the time step.
    close_vector(held, v(0.0, 0.0, G), 8e-9 / H);
    for _ in 0..40 {
        let report = step_certified(&mut w, H);
        assert_eq!((report.counts.sleeping, report.counts.contacts, report.counts.islands), (6, 0, 0));
        assert_eq!(report.counts.pairs, 0, "no narrow phase");
    }
    assert_eq!(states(&w, &near), before);
    assert!(before.iter().all(|s| s.velocity == DVec3::ZERO && s.angular_velocity == DVec3::ZERO));
    assert_eq!(w.contacts(), contacts);
    assert_eq!(w.body(near[2]).unwrap().constraint_forces().force, held);
}

#[test]
fn a_falling_ball_wakes_the_tower_it_hits_in_the_step_of_the_hit_and_no_other() {
    let (mut w, near, far) = towers();
    let (still, other) = (states(&w, &far), states(&w, &near));
    let b = w.add(ball("z ball", v(0.0, 0.0, 4.5)).material(surface(0.5, 0.0))).unwrap();
    let mut woke = None;
    for step in 0..60 {
        step_certified(&mut w, H);
        if woke.is_none() && !asleep(&w, &near) {
            woke = Some(step);
        }
        assert!(asleep(&w, &far));
        // The ball never sinks into a sleeping cube.
        assert!(w.body(b).unwrap().position().z > 3.5 - 1e-3, "step {step}");
    }
    // One metre to fall: 0.45 s, 28 steps.
    let woke = woke.unwrap();
    assert!((25..30).contains(&woke), "woke in step {woke}");
    assert_eq!(states(&w, &far), still);
    assert_ne!(states(&w, &near), other);
    // And all of it falls asleep again, the ball with it.
    run(&mut w, 120);
    assert!(asleep(&w, &near) && w.body(b).unwrap().is_sleeping());
}

#[test]
fn it_ends_where_it_would_have_without_sleep() {
    let settle = |sleeping| {
        let mut w = World::new(Settings { sleeping, ..Settings::default() }).unwrap();
        add_floor(&mut w, 0.5, 0.2);
        for i in 0..4 {
            let t = f64::from(i);
            let turned = DQuat::from_rotation_z(0.3 * t);
            w.add(cube(&format!("c{i}"), v(0.1 * t, 0.0, 0.7 + 1.2 * t)).orientation(turned)).unwrap();
        }
        run(&mut w, 250);
        w.bodies().map(|(_, b)| b.position()).collect::<Vec<_>>()
    };
    for (found, expected) in settle(Sleeping::islands()).iter().zip(settle(Sleeping::Off)) {
        close_vector(*found, expected, 2e-3);
    }
}

/// What is done to the world, and whether the near tower, and the far one, must wake by it.
type Edit = (&'static str, fn(&mut World, &[BodyHandle], &[BodyHandle]), bool, bool);

const EDITS: &[Edit] = &[
    ("nothing", |_, _, _| {}, false, false),
    ("force", |w, near, _| w.add_force(near[1], v(0.0, 0.0, 0.1)).unwrap(), true, false),
    ("no force", |w, near, _| w.add_force(near[1], DVec3::ZERO).unwrap(), false, false),
    ("torque", |w, near, _| w.add_torque(near[2], v(0.0, 0.1, 0.0)).unwrap(), true, false),
    ("velocity", |w, _, far| w.set_velocity(far[2], v(0.1, 0.0, 0.0)).unwrap(), false, true),
    ("spin", |w, _, far| w.set_angular_velocity(far[0], v(0.0, 0.0, 0.1)).unwrap(), false, true),
    ("position", |w, near, _| w.set_position(near[2], v(0.01, 0.0, 2.5)).unwrap(), true, false),
    ("orientation", |w, near, _| w.set_orientation(near[2], DQuat::from_rotation_z(0.1)).unwrap(), true, false),
    ("material", |w, near, _| w.set_material(near[0], surface(0.9, 0.0)).unwrap(), true, false),
    (
        "material of the floor",
        |w, _, _| {
            let floor = w.find("floor").unwrap();
            w.set_material(floor, surface(0.0, 0.0)).unwrap();
        },
        true,
        true,
    ),
    ("removal of a neighbour", |w, near, _| w.remove(near[0]).unwrap(), true, false),
    ("removal of the floor", |w, _, _| w.remove(w.find("floor").unwrap()).unwrap(), true, true),
    (
        "a joint",
        |w, near, far| {
            w.add_joint(Joint::distance(near[2], DVec3::ZERO, (far[2], DVec3::ZERO), 10.0)).unwrap();
        },
        true,
        true,
    ),
    (
        "a joint to the world",
        |w, near, _| {
            w.add_joint(Joint::ball(near[2], DVec3::ZERO, v(0.0, 0.0, 2.5))).unwrap();
        },
        true,
        false,
    ),
    (
        "gravity",
        |w, _, _| {
            let settings = Settings { gravity: v(0.0, 0.1, -9.81), ..*w.settings() };
            w.set_settings(settings).unwrap();
        },
        true,
        true,
    ),
    ("the same settings", |w, _, _| w.set_settings(*w.settings()).unwrap(), false, false),
    (
        "a fixed body put into it",
        |w, near, _| {
            let block = Body::fixed(Shape::cuboid(DVec3::splat(0.2)).unwrap()).position(v(0.0, 0.0, 3.1));
            w.add(block.named("block")).unwrap();
            assert_eq!(near.len(), 3);
        },
        true,
        false,
    ),
    (
        "a fixed body far away",
        |w, _, _| {
            let block = Body::fixed(Shape::cuboid(DVec3::splat(0.2)).unwrap()).position(v(5.0, 0.0, 3.1));
            w.add(block.named("block")).unwrap();
        },
        false,
        false,
    ),
    ("a call", |w, near, _| w.wake(near[1]).unwrap(), true, false),
];

#[test]
fn edits_wake_what_they_touch_and_nothing_else() {
    for (name, edit, near_wakes, far_wakes) in EDITS {
        let (mut w, near, far) = towers();
        edit(&mut w, &near, &far);
        w.step(H).unwrap();
        let near: Vec<BodyHandle> = near.into_iter().filter(|b| w.body(*b).is_ok()).collect();
        assert_eq!(!asleep(&w, &near), *near_wakes, "{name}: near tower");
        assert_eq!(!asleep(&w, &far), *far_wakes, "{name}: far tower");
    }
}

#[test]
fn removing_the_floor_lets_everything_fall() {
    let (mut w, near, _) = towers();
    w.remove(w.find("floor").unwrap()).unwrap();
    run(&mut w, 10);
    close(w.body(near[0]).unwrap().velocity().z, -G * 10.0 * H, 1e-9);
}

#[test]
fn a_moving_platform_wakes_what_it_reaches_and_carries_it_awake() {
    let (mut w, near, far) = towers();
    let paddle = Body::kinematic(Shape::cuboid(DVec3::splat(0.2)).unwrap()).position(v(-1.5, 0.0, 0.5));
    let paddle = w.add(paddle.named("paddle")).unwrap();
    run(&mut w, 5);
    assert!(asleep(&w, &near), "a platform at rest is like the floor");
    w.set_velocity(paddle, v(1.0, 0.0, 0.0)).unwrap();
    run(&mut w, 30);
    assert!(asleep(&w, &near), "it is still 0.3 m away");
    run(&mut w, 60);
    assert!(!asleep(&w, &near) && asleep(&w, &far));
    assert!(w.body(near[0]).unwrap().position().x > 0.2);
}

#[test]
fn jointed_bodies_sleep_and_wake_together() {
    let mut w = sleepy();
    add_floor(&mut w, 0.8, 0.0);
    let a = w.add(cube("a", v(0.0, 0.0, 0.5))).unwrap();
    let b = w.add(cube("b", v(2.0, 0.0, 0.5))).unwrap();
    let joint = Joint::distance(a, DVec3::ZERO, (b, DVec3::ZERO), 2.0).contact(PairContact::Kept);
    let joint = w.add_joint(joint).unwrap();
    run(&mut w, 60);
    assert!(asleep(&w, &[a, b]));
    w.add_force(a, v(-1.0, 0.0, 0.0)).unwrap();
    w.step(H).unwrap();
    assert!(!asleep(&w, &[a, b]));
    run(&mut w, 60);
    assert!(asleep(&w, &[a, b]));
    w.remove_joint(joint).unwrap();
    assert!(!w.body(a).unwrap().is_sleeping() && !w.body(b).unwrap().is_sleeping());
}

#[test]
fn sleep_is_part_of_the_snapshot() {
    let (mut w, near, _) = towers();
    let bytes = w.snapshot().to_bytes();
    let mut other = World::from_snapshot(&Snapshot::from_bytes(&bytes).unwrap());
    assert!(other.bodies().filter(|(_, b)| b.is_sleeping()).count() == 6);
    for world in [&mut w, &mut other] {
        world.add(ball("z ball", v(0.3, 0.1, 4.0)).angular_velocity(v(1.0, 2.0, 3.0))).unwrap();
    }
    for _ in 0..80 {
        w.step(H).unwrap();
        other.step(H).unwrap();
        assert_eq!(w.state_hash(), other.state_hash());
    }
    assert!(!asleep(&w, &near) || w.steps() > 100);
    assert_eq!(w.snapshot().to_bytes(), other.snapshot().to_bytes());
}

#[test]
fn sleep_does_not_depend_on_the_order_of_adding_or_on_threads() {
    let scene = |order: &[usize], threads: usize| {
        let mut bodies = vec![Body::fixed(Shape::half_space(DVec3::Z).unwrap()).named("floor")];
        for i in 0..6 {
            bodies.push(cube(&format!("tower {i}"), v(3.0 * f64::from(i / 2), 0.0, 0.5 + f64::from(i % 2))));
        }
        bodies.push(ball("ball", v(0.1, 0.0, 12.0)));
        bodies.push(ball("roller", v(-4.0, 0.2, 0.5)).velocity(v(2.0, 0.0, 0.0)));
        let mut w = sleepy();
        order.iter().for_each(|i| _ = w.add(bodies[*i].clone()).unwrap());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut trail = Vec::new();
            for _ in 0..160 {
                let counts = w.step(H).unwrap().counts;
                let sleeping: Vec<bool> = w.bodies().map(|(_, b)| b.is_sleeping()).collect();
                trail.push((w.state_hash(), counts.sleeping, sleeping));
            }
            trail
        })
    };
    let reference = scene(&[0, 1, 2, 3, 4, 5, 6, 7, 8], 1);
    assert!(reference.iter().any(|(_, sleeping, _)| *sleeping >= 4));
    assert!(reference.windows(2).any(|w| w[1].1 < w[0].1), "something must wake");
    assert_eq!(scene(&[8, 3, 5, 0, 7, 1, 6, 2, 4], 1), reference);
    assert_eq!(scene(&[0, 1, 2, 3, 4, 5, 6, 7, 8], 4), reference);
}

#[test]
fn an_island_that_is_not_solved_does_not_sleep_however_still_it_is() {
    // Two sweeps a step over a column of four balls, one contact under the centre of each. A step adds g h = 0.157 m/s and two
    // sweeps leave cos⁴(π/9) = 0.78 of the error: from the 5 mm/s of sleep down to the tolerance of 1e-9 m/s takes more than
    // fifty steps, and half a second is 32.
    let stop = StoppingRule { max_iterations: Some(2), ..StoppingRule::velocity(1e-9) };
    let mut w = World::new(Settings { method: Method::Pgs, stop, ..*sleepy().settings() }).unwrap();
    add_floor(&mut w, 0.0, 0.0);
    let column: Vec<_> =
        (0..4).map(|i| w.add(ball(&format!("z {i}"), v(0.0, 0.0, 0.5 + f64::from(i)))).unwrap()).collect();
    let (mut slow, mut slow_and_unsolved) = (0, 0);
    for _ in 0..300 {
        let report = w.step(H).unwrap();
        let fastest = states(&w, &column).iter().map(|s| s.velocity.length()).fold(0.0, f64::max);
        slow = if fastest < 5e-3 { slow + 1 } else { 0 };
        if report.status == StepStatus::Degraded {
            slow_and_unsolved = slow_and_unsolved.max(slow);
            assert_eq!(report.counts.sleeping, 0, "step {}: {:?}", w.steps(), report.certificate);
        }
    }
    assert!(slow_and_unsolved > 40, "slow for {slow_and_unsolved} steps while unsolved: too few to fall asleep in");
    assert!(asleep(&w, &column), "solved at last, it sleeps");
}

#[test]
fn what_a_slow_platform_carries_does_not_sleep() {
    // 3 mm/s is slower than what counts as moving, and yet it goes somewhere: after 200 steps, 9.6 mm. One load stands on
    // the platform, another hangs from it.
    let speed = v(3e-3, 0.0, 0.0);
    let mut w = sleepy();
    let platform = Body::kinematic(Shape::cuboid(v(5.0, 5.0, 0.5)).unwrap()).position(v(0.0, 0.0, -0.5));
    let platform = w.add(platform.velocity(speed).material(surface(0.5, 0.0)).named("platform")).unwrap();
    let standing = w.add(cube("standing", v(0.0, 0.0, 0.5)).velocity(speed).material(surface(0.5, 0.0))).unwrap();
    let hanging = w.add(ball("hanging", v(0.0, 0.0, -2.0)).velocity(speed)).unwrap();
    w.add_joint(Joint::ball(hanging, v(0.0, 0.0, 1.0), (platform, v(0.0, 0.0, -0.5)))).unwrap();
    for _ in 0..200 {
        let report = step_certified(&mut w, H);
        assert_eq!((report.counts.islands, report.counts.sleeping), (2, 0), "step {}", w.steps());
    }
    for load in [standing, hanging] {
        close(w.body(load).unwrap().position().x, 200.0 * H * speed.x, 1e-6);
    }
    // The platform stops, and both fall asleep where they are.
    w.set_velocity(platform, DVec3::ZERO).unwrap();
    run(&mut w, 200);
    assert!(asleep(&w, &[standing, hanging]));
}

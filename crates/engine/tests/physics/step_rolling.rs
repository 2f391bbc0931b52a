//! Wheels roll: a cylinder on its side touches along its lowest line, and its roundness does not brake it.

use signorini::glamx::{DQuat, DVec3};
use signorini::{Body, BodyHandle, Material, Settings, Shape, StepStatus, World};

const RADIUS: f64 = 0.3;
const STEP: f64 = 1.0 / 60.0;

/// A wheel with its axle along y, touching the ground at the origin.
fn wheel_on(ground: Shape, depth: f64, normal: DVec3) -> (World, BodyHandle) {
    let rubber = Material::new(0.9, 0.0);
    let mut world = World::new(Settings::default()).unwrap();
    world.add(Body::fixed(ground).material(rubber).position(-normal * depth).named("ground")).unwrap();
    let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let wheel = Body::dynamic(Shape::cylinder(0.1, RADIUS).unwrap()).mass(10.0).material(rubber);
    let wheel = world.add(wheel.orientation(upright).position(normal * RADIUS).named("wheel")).unwrap();
    (world, wheel)
}

#[test]
fn a_wheel_is_not_braked_by_its_own_roundness() {
    // Rolling without slip on a level floor, v = ω r, nothing does work: the velocity stays. h ω is up to 1.7 rad.
    let floors =
        [(Shape::half_space(DVec3::Z).unwrap(), 0.0), (Shape::cuboid(DVec3::new(100.0, 2.0, 0.5)).unwrap(), 0.5)];
    for (floor, depth) in floors {
        for speed in [0.5, 3.0, 10.0, 30.0] {
            let (mut world, wheel) = wheel_on(floor.clone(), depth, DVec3::Z);
            world.set_velocity(wheel, DVec3::X * speed).unwrap();
            world.set_angular_velocity(wheel, DVec3::Y * (speed / RADIUS)).unwrap();
            for step in 0..120 {
                assert_eq!(world.step(STEP).unwrap().status, StepStatus::Certified, "{speed} m/s, step {step}");
            }
            let body = world.body(wheel).unwrap();
            let off = (body.velocity() - DVec3::X * speed).length();
            assert!(off < 1e-8 * speed, "{speed} m/s: off by {off:e} m/s");
            assert!((body.position().z - RADIUS).abs() < 1e-8, "{speed} m/s: z = {}", body.position().z);
            assert!((body.position().x - 120.0 * STEP * speed).abs() < 1e-7 * speed);
        }
    }
}

#[test]
fn a_cylinder_rolls_down_a_slope_with_two_thirds_of_g_sin() {
    // I = m r²/2, so a = g sin θ / (1 + I/(m r²)) = (2/3) g sin θ; friction needed tan θ / 3 = 0.25 < 0.9.
    let normal = DVec3::new(0.6, 0.0, 0.8);
    let (mut world, wheel) = wheel_on(Shape::half_space(normal).unwrap(), 0.0, normal);
    for _ in 0..60 {
        assert_eq!(world.step(STEP).unwrap().status, StepStatus::Certified);
    }
    let speed = world.body(wheel).unwrap().velocity().length();
    assert!((speed - 9.81 * 0.6 * 2.0 / 3.0).abs() < 1e-7, "{speed}");
}

/// A coin of 0.1 m that rolls in a circle without changing its tilt: `alpha` between its plane and the floor, precession
/// `precession` about the vertical [rad/s]. Its angular velocity is Ω z + s a with a its axis, its centre moves by −ω × l with l
/// from there to its lowest point, which does not slip; s follows from dL/dt = Ω z × L = l × m(g z + Ω z × v), found by
/// bisection. No force does work: energy and tilt stay.
fn steady_coin((floor, depth): (Shape, f64), alpha: f64, precession: f64) -> (World, BodyHandle) {
    let (radius, half, mass) = (0.1, 0.002, 1.0);
    let turn = DQuat::from_rotation_y(alpha);
    let (axis, lowest) = (turn * DVec3::Z, turn * DVec3::new(radius, 0.0, -half));
    let across = mass * (3.0 * radius * radius + 4.0 * half * half) / 12.0;
    let along = 0.5 * mass * radius * radius;
    let motion = |s: f64| {
        let angular_velocity = DVec3::Z * precession + axis * s;
        (angular_velocity, -angular_velocity.cross(lowest))
    };
    let defect = |s: f64| {
        let (angular_velocity, velocity) = motion(s);
        let momentum = angular_velocity * across + axis * ((along - across) * angular_velocity.dot(axis));
        let force = mass * (DVec3::Z * 9.81 + precession * DVec3::Z.cross(velocity));
        (precession * DVec3::Z.cross(momentum) - lowest.cross(force)).y
    };
    let (mut low, mut high) = (-400.0, 400.0);
    assert!(defect(low) * defect(high) < 0.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if defect(low) * defect(middle) <= 0.0 { high = middle } else { low = middle }
    }
    let (angular_velocity, velocity) = motion(low);
    let mut world = World::new(Settings::default()).unwrap();
    let rough = Material::new(3.0, 0.0);
    world.add(Body::fixed(floor).material(rough).position(-depth * DVec3::Z).named("floor")).unwrap();
    let coin = Body::dynamic(Shape::cylinder(half, radius).unwrap()).mass(mass).material(rough).orientation(turn);
    let coin = coin.position(DVec3::Z * -lowest.z).velocity(velocity).angular_velocity(angular_velocity).named("coin");
    let coin = world.add(coin).unwrap();
    (world, coin)
}

/// A bug once: a coin tilted by less than 45° had all corners of its rim as contacts. Those ahead of the lowest point stopped it:
/// all of its energy was gone within a second, every step certified. On boxes they did so until later.
#[test]
fn a_tilted_coin_is_not_braked_by_the_corners_of_its_rim() {
    // On both sides of 45°. What is lost does not vanish with the step; its cause is not known (decision 14).
    for (degrees, precession, keeps) in
        [(50.0_f64, 5.0, 0.99), (46.0, 5.0, 0.98), (44.0, 5.0, 0.98), (30.0, 10.0, 0.93)]
    {
        let floors =
            [(Shape::half_space(DVec3::Z).unwrap(), 0.0), (Shape::cuboid(DVec3::new(9.0, 8.0, 0.5)).unwrap(), 0.5)];
        for floor in floors {
            let (mut world, coin) = steady_coin(floor, degrees.to_radians(), precession);
            let start = world.energy().total();
            for step in 0..240 {
                assert_eq!(world.step(1.0 / 240.0).unwrap().status, StepStatus::Certified, "{degrees}°, step {step}");
            }
            let share = world.energy().total() / start;
            assert!((keeps..1.002).contains(&share), "{degrees}°: keeps {share}");
            let tilt = (world.body(coin).unwrap().orientation() * DVec3::Z).z.acos().to_degrees();
            assert!((tilt - degrees).abs() < 2.0, "{degrees}°: now {tilt}°");
        }
    }
}

/// What a certified step may gain while a coin rolls: the work of its contacts over the allowed overlap, of either body, and over
/// the arc that the lowest point leaves, ½(hω)²ρ. In a second it is a few percent, and goes with the step.
#[test]
fn a_rolling_coin_gains_no_more_than_its_certificate_says() {
    for (rate, gains) in [(60.0, 0.03), (240.0, 0.006), (960.0, 0.0005)] {
        for (degrees, precession) in [(60.0_f64, 5.0), (70.0, 5.0), (70.0, 3.0), (80.0, 5.0)] {
            let floor = (Shape::half_space(DVec3::Z).unwrap(), 0.0);
            let (mut world, coin) = steady_coin(floor, degrees.to_radians(), precession);
            let (h, arm) = (1.0 / rate, 0.1_f64.hypot(0.002));
            let start = world.energy().total();
            for step in 0..rate as usize {
                let before = world.body(coin).unwrap().angular_velocity();
                let report = world.step(h).unwrap();
                assert_eq!(report.status, StepStatus::Certified, "{degrees}°, step {step}");
                let spin = before.length().max(world.body(coin).unwrap().angular_velocity().length());
                let pushes: f64 = world.contacts().iter().map(|contact| contact.impulse.length()).sum();
                let over = 2e-4 + 0.5 * (h * spin).powi(2).min(0.01) * arm;
                let books = &report.energy;
                let rise = books.after.total() - books.before.total();
                assert!(rise <= pushes * over / h + 1e-9 * books.scale(), "{degrees}°, step {step}: {rise:e} J");
            }
            let gained = world.energy().total() / start - 1.0;
            assert!(gained <= gains, "{degrees}° at {rate} Hz: gains {gained}");
        }
    }
}

/// A coin at rest, or nearly flat, stands on all of its rim.
#[test]
fn a_coin_laid_down_stands_on_its_whole_rim() {
    for tilt in [0.0, 1e-6, 1e-3, 0.2] {
        let mut world = World::new(Settings::default()).unwrap();
        world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).named("floor")).unwrap();
        let coin = Body::dynamic(Shape::cylinder(0.01, 0.1).unwrap()).mass(1.0);
        let coin = coin.orientation(DQuat::from_rotation_y(tilt)).position(DVec3::Z * (0.01 + 0.1 * tilt));
        let coin = world.add(coin.named("coin")).unwrap();
        for step in 0..120 {
            assert_eq!(world.step(STEP).unwrap().status, StepStatus::Certified, "tilt {tilt}, step {step}");
        }
        let body = world.body(coin).unwrap();
        assert!(1.0 - (body.orientation() * DVec3::Z).z < 1e-9 && body.velocity().length() < 1e-6, "tilt {tilt}");
        assert!(world.step(STEP).unwrap().counts.contacts >= 16, "tilt {tilt}");
    }
}

/// A pile of fifteen logs of several lengths that rolls apart against a stop. No log sinks into another: none of the steps
/// misses its bound of overlap. With the nearest points of two logs as their only contacts, one end came down in one step and
/// the other in the next, and logs sank by a tenth of their radius.
#[test]
fn a_pile_of_logs_that_rolls_apart_does_not_sink() {
    let (radius, wood) = (0.15, Material::new(0.6, 0.0));
    let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let mut random = signorini_problem::random::SplitMix64::new(4);
    let mut world = World::new(Settings::default()).unwrap();
    let floor = Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(wood).named("floor");
    let stop = Body::fixed(Shape::cuboid(DVec3::new(0.05, 1.0, 0.3)).unwrap()).material(wood);
    world.add(floor).unwrap();
    world.add(stop.position(DVec3::new(-0.85, 0.0, 0.3)).named("stop")).unwrap();
    for (row, column) in (0..5).flat_map(|row| (0..5 - row).map(move |column| (row, column))) {
        let shape = Shape::cylinder(random.uniform(0.6, 0.9), radius).unwrap();
        let x = -0.65 + radius * f64::from(row) + (2.0 * radius + 1e-3) * f64::from(column);
        let z = radius + f64::from(row) * (radius * 3f64.sqrt() + 1e-3);
        let log = Body::dynamic(shape).mass(random.uniform(10.0, 30.0)).material(wood).orientation(lying);
        world.add(log.position(DVec3::new(x, 0.0, z)).named(&format!("log {row} {column}"))).unwrap();
    }
    for step in 0..180 {
        let report = world.step(STEP).unwrap();
        let overlap = &report.certificate.overlap;
        assert!(overlap.value <= overlap.bound, "step {step}: {overlap:?}");
    }
}

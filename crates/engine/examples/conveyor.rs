//! Parcels on a belt: they gain its speed after v/(μ g), pass a light barrier, and are counted by it. A divert arm of one-way
//! layers lets small parcels through. A ball that rolls on a belt is carried along by rolling friction.
//!
//! On paper: friction accelerates a parcel by μ g until it rides, which takes v/(μ g) and leaves it v²/(2 μ g) behind the belt.
//! A ball that rolls on the belt is pulled along by its rolling friction μ_r alone: about its contact, which the belt carries,
//! 7/5 m r² ω̇ = −μ_r m g for the ω = (V − v)/r at which it rolls back, so that v̇ = 5/7 μ_r g/r until it rides.
#![allow(clippy::print_stdout)]

use signorini::glamx::DVec3;
use signorini::{Body, Filter, Material, Phase, Settings, Shape, StepStatus, SurfaceMotion, World, WorldError};

const SPEED: f64 = 1.2;
const FRICTION: f64 = 0.4;
const STEP: f64 = 1.0 / 120.0;
/// Rolling friction and radius of the ball \[m\].
const ROLLING: f64 = 0.01;
const RADIUS: f64 = 0.1;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    let rubber = Material::new(FRICTION, 0.0);
    let belt = Body::fixed(Shape::cuboid(DVec3::new(6.0, 0.5, 0.1))?).position(DVec3::new(5.0, 0.0, -0.1));
    let motion = SurfaceMotion { velocity: DVec3::new(SPEED, 0.0, 0.0), angular_velocity: DVec3::ZERO };
    let belt = world.add(belt.surface_motion(motion).material(rubber).named("belt"))?;
    let barrier = Body::fixed(Shape::cuboid(DVec3::new(0.01, 0.5, 0.5))?).position(DVec3::new(4.0, 0.0, 0.5));
    let barrier = world.add(barrier.sensor().named("barrier"))?;
    // Layer 2 are the small parcels: the arm meets all but them.
    let arm = Body::fixed(Shape::cuboid(DVec3::new(0.05, 0.5, 0.2))?).position(DVec3::new(5.0, 0.0, 0.2));
    world.add(arm.filter(Filter::new(1, !2)).material(Material::new(0.0, 0.0)).named("arm"))?;

    let parcel = |world: &mut World, name: &str, (x, y): (f64, f64), half: f64, layers: u32| -> Result<_, WorldError> {
        let shape =
            Shape::cuboid(DVec3::splat(half)).map_err(|source| WorldError::Shape { body: name.into(), source })?;
        let body = Body::dynamic(shape).mass(2.0).position(DVec3::new(x, y, half));
        world.add(body.material(rubber).filter(Filter::new(layers, u32::MAX)).named(name))
    };
    // Side by side: parcels meet each other, and the small one would stop behind the large one.
    let large = parcel(&mut world, "large", (1.5, -0.25), 0.15, 1)?;
    let small = parcel(&mut world, "small", (0.0, 0.25), 0.1, 2)?;

    // On a belt of its own.
    let soft = rubber.rolling(0.0, ROLLING);
    let track = Body::fixed(Shape::cuboid(DVec3::new(6.0, 0.5, 0.1))?).position(DVec3::new(5.0, 3.0, -0.1));
    world.add(track.surface_motion(motion).material(soft).named("track"))?;
    let ball = Body::dynamic(Shape::sphere(RADIUS)?).mass(2.0).position(DVec3::new(0.0, 3.0, RADIUS));
    // At rest and rolling: its lowest point has the speed of the belt.
    let ball =
        world.add(ball.angular_velocity(DVec3::new(0.0, -SPEED / RADIUS, 0.0)).material(rubber).named("ball"))?;

    let (mut counted, mut paid) = (0, 0.0);
    for step in 1..=900 {
        let report = world.step(STEP)?;
        assert_eq!(report.status, StepStatus::Certified);
        counted += world.sensor_events().iter().filter(|event| event.phase == Phase::Begin).count();
        paid += report.energy.driven;
        if step == 60 {
            let speed = world.body(small)?.velocity().x;
            let expected = f64::min(SPEED, FRICTION * 9.81 * 60.0 * STEP);
            assert!((speed - expected).abs() < 1e-6, "{speed} instead of {expected}");
        }
        if step <= 240 {
            let speed = world.body(ball)?.velocity().x;
            let expected = f64::min(SPEED, 5.0 / 7.0 * ROLLING * 9.81 / RADIUS * f64::from(step) * STEP);
            assert!((speed - expected).abs() < 1e-6, "{speed} instead of {expected}");
        }
    }
    // Both broke the light; the large one stands before the arm with its face at x = 4.95, the small one went on.
    assert_eq!(counted, 2);
    assert!((world.body(large)?.position().x - 4.8).abs() < 1e-3, "{}", world.body(large)?.position().x);
    assert!(world.body(small)?.position().x > 6.0);
    // The belt rubs on the large one with μ m g, and pays for it.
    let pull = -world.body(belt)?.constraint_forces().force.x;
    println!("{counted} parcels counted; the belt pulls with {pull:.3} N and has paid {paid:.1} J");
    assert!((pull - FRICTION * 2.0 * 9.81).abs() < 1e-4);
    let _ = barrier;
    Ok(())
}

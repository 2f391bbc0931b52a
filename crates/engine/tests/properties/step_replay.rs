//! Islands at rest are replayed while others move; whatever changes one of them, or comes near, is seen.

use crate::fixture::*;
use signorini::{Filter, ImpactLaw, Kind, PairCoefficients, Sleeping, SurfaceMotion};

struct Yard {
    world: World,
    floor: BodyHandle,
    /// On top of the first column.
    cube: BodyHandle,
    ball: BodyHandle,
}

/// Two columns of three cubes and a ball that rolls between them, towards the second.
fn yard() -> Yard {
    let mut world = world();
    let floor = add_floor(&mut world, 0.5, 0.0);
    let mut column =
        |x: f64| [0.5, 1.5, 2.5].map(|z| world.add(cube(&format!("cube {x} {z}"), v(x, 0.0, z))).unwrap())[2];
    let cube = column(-3.0);
    column(3.0);
    let ball = world
        .add(ball("ball", v(-1.0, 0.0, 0.5)).velocity(v(1.0, 0.0, 0.0)).angular_velocity(v(0.0, 2.0, 0.0)))
        .unwrap();
    let mut yard = Yard { world, floor, cube, ball };
    let replayed = |yard: &mut Yard| yard.world.step(H).unwrap().counts.replayed;
    assert!((0..30).any(|_| replayed(&mut yard) == 2), "columns are not replayed while the ball rolls");
    yard
}

/// A step of the world, and of a copy that remembers nothing but the state; how many islands were replayed.
fn step_both(world: &mut World, label: &str) -> usize {
    let mut other = World::from_snapshot(&world.snapshot());
    let (mut replayed, mut computed) = (world.step(H).unwrap(), other.step(H).unwrap());
    let count = replayed.counts.replayed;
    assert_eq!(computed.counts.replayed, 0, "{label}");
    assert_eq!(world.snapshot().to_bytes(), other.snapshot().to_bytes(), "{label}");
    assert_eq!(world.contacts(), other.contacts(), "{label}");
    // Islands that are replayed are told after the others, and sums are made in that order.
    let close = |x: f64, y: f64| (x - y).abs() <= 1e-12 * x.abs().max(y.abs());
    assert!(close(replayed.energy.against_free_motion, computed.energy.against_free_motion), "{label}");
    let owner = |w: &World, r: &StepReport| w.block_owner(r.worst_island?, r.velocity?.worst_block?);
    if replayed.worst_island.is_some() && replayed.velocity == computed.velocity {
        assert_eq!(owner(world, &replayed).is_some(), owner(&other, &computed).is_some(), "{label}");
    }
    for report in [&mut replayed, &mut computed] {
        (report.times, report.counts.replayed, report.worst_island) = (Default::default(), 0, None);
        report.energy.against_free_motion = 0.0;
        // What the judge excuses depends on the impulses of the step that moved something.
        report.certificate.energy_rise = Default::default();
        report.certificate.closure = Default::default();
    }
    assert_eq!(replayed, computed, "{label}");
    count
}

#[test]
fn what_is_replayed_is_what_would_be_computed_until_the_ball_arrives_and_after() {
    let mut yard = yard();
    let mut fewest = usize::MAX;
    for step in 0..200 {
        fewest = fewest.min(step_both(&mut yard.world, &format!("step {step}")));
    }
    assert!(fewest <= 1, "the ball never came to the second column");
    let ball = yard.world.body(yard.ball).unwrap().position();
    assert!(ball.x < 2.01, "the ball has passed into the column: {ball}");
}

/// Every way to change the first column or what it stands on, by as little as there is: it is not replayed.
#[test]
fn whatever_is_changed_is_seen() {
    type Change = (&'static str, usize, fn(&mut Yard));
    fn settings(yard: &mut Yard, change: impl Fn(&mut Settings)) {
        let mut settings = *yard.world.settings();
        change(&mut settings);
        yard.world.set_settings(settings).unwrap();
    }
    // The second number is how many islands may still be replayed.
    let changes: &[Change] = &[
        ("nothing", 2, |_| {}),
        ("position", 1, |y| {
            let x = y.world.body(y.cube).unwrap().position();
            y.world.set_position(y.cube, v(x.x, x.y, x.z.next_up())).unwrap();
        }),
        ("orientation", 1, |y| y.world.set_orientation(y.cube, DQuat::from_rotation_z(1e-12)).unwrap()),
        ("velocity", 1, |y| y.world.set_velocity(y.cube, v(5e-324, 0.0, 0.0)).unwrap()),
        ("spin", 1, |y| y.world.set_angular_velocity(y.cube, v(0.0, 1e-9, 0.0)).unwrap()),
        ("force", 1, |y| y.world.add_force(y.cube, v(1e-9, 0.0, 0.0)).unwrap()),
        ("torque", 1, |y| y.world.add_torque(y.cube, v(0.0, 0.0, 1e-9)).unwrap()),
        ("restitution", 1, |y| y.world.set_material(y.cube, surface(0.5, 0.1)).unwrap()),
        ("fast", 1, |y| y.world.set_fast(y.cube, true).unwrap()),
        ("wake", 1, |y| y.world.wake(y.cube).unwrap()),
        ("friction of the floor", 0, |y| y.world.set_material(y.floor, surface(0.499, 0.0)).unwrap()),
        ("floor lowered", 0, |y| y.world.set_position(y.floor, v(0.0, 0.0, -5e-324)).unwrap()),
        ("floor removed", 0, |y| y.world.remove(y.floor).unwrap()),
        ("body added on top", 1, |y| {
            y.world.add(cube("new", v(-3.0, 0.0, 3.5))).unwrap();
        }),
        ("body added elsewhere", 2, |y| {
            y.world.add(cube("new", v(-3.0, 9.0, 3.5))).unwrap();
        }),
        ("body removed", 1, |y| y.world.remove(y.cube).unwrap()),
        ("joint to the world", 1, |y| {
            y.world.add_joint(Joint::ball(y.cube, DVec3::ZERO, v(-3.0, 0.0, 2.5))).unwrap();
        }),
        ("joint to the ball", 0, |y| {
            let to = y.world.body(y.ball).unwrap().position() - v(-3.0, 0.0, 2.5);
            y.world.add_joint(Joint::distance(y.cube, DVec3::ZERO, (y.ball, DVec3::ZERO), to.length())).unwrap();
        }),
        ("pair apart", 0, |y| y.world.set_pair_contact(y.cube, y.ball, signorini::PairContact::Ignored).unwrap()),
        ("gravity scale", 1, |y| y.world.set_gravity_scale(y.cube, 1f64.next_up()).unwrap()),
        ("damping", 1, |y| y.world.set_damping(y.cube, 1e-9, 0.0).unwrap()),
        ("constant force", 1, |y| y.world.set_constant_force(y.cube, v(1e-9, 0.0, 0.0), DVec3::ZERO).unwrap()),
        ("mass", 1, |y| y.world.set_mass(y.cube, 1.0001).unwrap()),
        ("kind", 1, |y| y.world.set_kind(y.cube, Kind::Fixed).unwrap()),
        ("shape", 0, |y| y.world.set_shape(y.cube, Shape::sphere(0.5).unwrap()).unwrap()),
        ("disabled", 1, |y| y.world.set_enabled(y.cube, false).unwrap()),
        ("sensor", 1, |y| y.world.set_sensor(y.cube, true).unwrap()),
        ("layers", 1, |y| y.world.set_body_filter(y.cube, Filter { layers: 1, mask: 0 }).unwrap()),
        ("floor runs", 0, |y| {
            let motion = SurfaceMotion { velocity: v(1e-3, 0.0, 0.0), angular_velocity: DVec3::ZERO };
            y.world.set_surface_motion(y.floor, motion).unwrap();
        }),
        ("floor gives way", 0, |y| y.world.set_material(y.floor, surface(0.5, 0.0).soft(1e5, 1e3)).unwrap()),
        ("filter", 0, |y| y.world.set_filter(|_, _| false)),
        ("pair of materials", 0, |y| {
            let given = PairCoefficients { friction: Some(0.1), restitution: None };
            y.world.set_material_pair([1, 2], Some(given)).unwrap();
        }),
        ("gravity", 0, |y| settings(y, |s| s.gravity.z = s.gravity.z.next_up())),
        ("method", 0, |y| settings(y, |s| s.method = Method::Nsgs)),
        ("tolerance", 0, |y| settings(y, |s| s.stop = StoppingRule::velocity(1e-12))),
        ("accept", 0, |y| settings(y, |s| s.accept = 1e-7)),
        ("budget", 0, |y| settings(y, |s| s.budget = Some(5))),
        ("rest speed", 0, |y| settings(y, |s| s.rest_speed = 0.4)),
        ("stabilisation", 0, |y| settings(y, |s| s.stabilisation = Stabilisation::None)),
        ("margin", 0, |y| settings(y, |s| s.margin = 0.02)),
        ("contacts", 0, |y| settings(y, |s| s.max_contacts = 1000)),
        ("sleeping", 0, |y| settings(y, |s| s.sleeping = Sleeping::islands())),
        ("impact law", 0, |y| settings(y, |s| s.impact = ImpactLaw::sequential())),
    ];
    for (name, most, change) in changes {
        let mut yard = yard();
        change(&mut yard);
        for step in 0..3 {
            let replayed = step_both(&mut yard.world, &format!("{name}, step {step}"));
            assert!(step > 0 || replayed <= *most, "{name} is not seen: {replayed} islands are replayed");
            assert!(*name != "nothing" || replayed == 2, "columns are not replayed");
        }
    }
    let mut yard = yard();
    assert_eq!(yard.world.step(H.next_up()).unwrap().counts.replayed, 0, "the time step is not seen");
}

/// More contacts than are allowed are counted with those that are replayed.
#[test]
fn contacts_of_replayed_islands_count_towards_the_limit() {
    let mut yard = yard();
    let contacts = yard.world.contacts().len();
    let settings = Settings { max_contacts: contacts, ..*yard.world.settings() };
    yard.world.set_settings(settings).unwrap();
    yard.world.step(H).unwrap();
    assert!(yard.world.step(H).unwrap().counts.replayed == 2);
    yard.world.add(ball("one too many", v(0.0, 9.0, 0.5))).unwrap();
    assert!(matches!(yard.world.step(H), Err(signorini::StepError::TooManyContacts { .. })));
}

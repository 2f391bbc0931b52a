//! Recorded steps before the judge again: what happened holds up, and every kind of tampering is found.

use glamx::{DQuat, DVec3};
use signorini::glamx;
use signorini::{
    Body, Check, EnergyLedger, Finding, Joint, Material, Recertifier, ReplayBody, ReplayContact, ReplayStep, Settings,
    Shape, StepStatus, World,
};

const H: f64 = 0.01;

/// A step as a recording would hold it.
#[derive(Clone)]
struct Recorded {
    before: Vec<ReplayBody>,
    after: Vec<ReplayBody>,
    contacts: Option<Vec<ReplayContact>>,
    ledger: Option<EnergyLedger>,
    complete: bool,
    divided: bool,
}

fn states(world: &World) -> Vec<ReplayBody> {
    let state = |(_, body): (_, signorini::BodyView<'_>)| ReplayBody {
        position: body.position(),
        orientation: body.orientation(),
        velocity: body.velocity(),
        angular_velocity: body.angular_velocity(),
        asleep: body.is_sleeping(),
        quarantined: body.is_quarantined(),
    };
    world.bodies().map(state).collect()
}

fn record(world: &mut World) -> (Recorded, StepStatus) {
    let before = states(world);
    let report = world.step(H).unwrap();
    let handles: Vec<_> = world.bodies().map(|(handle, _)| handle).collect();
    let rank = |handle| handles.iter().position(|other| *other == handle).unwrap() as u32;
    let contact = |c: &signorini::ContactPoint| ReplayContact {
        bodies: [rank(c.a), rank(c.b)],
        point: c.point,
        normal: c.normal,
        gap: c.gap,
        impulse: c.impulse,
        velocity: c.velocity,
    };
    let contacts = Some(world.contacts().iter().map(contact).collect());
    let recorded = Recorded {
        before,
        after: states(world),
        contacts,
        ledger: Some(report.energy),
        complete: true,
        divided: false,
    };
    (recorded, report.status)
}

/// A step that has to be certified.
fn take(world: &mut World) -> Recorded {
    let (recorded, status) = record(world);
    assert_eq!(status, StepStatus::Certified);
    recorded
}

fn judge(judge: &mut Recertifier, step: &Recorded) -> Vec<(Check, Finding)> {
    let step = ReplayStep {
        dt: H,
        before: &step.before,
        after: &step.after,
        contacts: step.contacts.as_deref(),
        ledger: step.ledger.as_ref(),
        complete: step.complete,
        divided: step.divided,
    };
    judge.judge(&step).unwrap()
}

fn misses(found: &[(Check, Finding)]) -> Vec<Check> {
    let missed = |(_, finding): &&(Check, Finding)| finding.part().is_some_and(|part| !part.is_met());
    found.iter().filter(missed).map(|(check, _)| *check).collect()
}

fn found(list: &[(Check, Finding)], check: Check) -> Finding {
    list.iter().find(|(other, _)| *other == check).unwrap().1
}

/// A block that slides on a floor.
fn sliding() -> World {
    let mut world = World::new(Settings::default()).unwrap();
    let wood = Material::new(0.4, 0.0);
    world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(wood).named("floor")).unwrap();
    let block = Body::dynamic(Shape::cuboid(DVec3::new(0.3, 0.2, 0.1)).unwrap()).mass(2.0).material(wood);
    world.add(block.position(DVec3::Z * 0.1).velocity(DVec3::new(2.0, 0.5, 0.0)).named("block")).unwrap();
    world
}

const BLOCK: usize = 0;

#[test]
fn what_happened_holds_up() {
    let mut world = sliding();
    let mut recertifier = Recertifier::new(sliding());
    for _ in 0..30 {
        let step = take(&mut world);
        let list = judge(&mut recertifier, &step);
        assert_eq!(misses(&list), [], "step {}: {list:?}", world.steps());
        assert_eq!(list.iter().map(|(check, _)| *check).collect::<Vec<_>>(), Check::ALL);
        assert!(list.iter().all(|(_, finding)| finding.lacks().is_none()), "{list:?}");
    }
}

/// A block between two kinematic plates that close on it by 20 µm a step.
fn squeezed() -> World {
    let mut world = sliding();
    // A thousandth of the force is less than what is accepted by default.
    world.set_settings(Settings { accept: 1e-9, ..*world.settings() }).unwrap();
    let block = world.find("block").unwrap();
    world.set_velocity(block, DVec3::ZERO).unwrap();
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let plate = Body::kinematic(Shape::cuboid(DVec3::splat(0.5)).unwrap()).position(DVec3::X * (0.8 * side));
        world.add(plate.velocity(DVec3::X * (-2e-4 * side)).named(name)).unwrap();
    }
    world
}

#[test]
fn a_squeeze_holds_up_and_is_not_told_otherwise() {
    let mut world = squeezed();
    let mut recertifier = Recertifier::new(squeezed());
    for _ in 0..10 {
        let step = take(&mut world);
        let list = judge(&mut recertifier, &step);
        assert_eq!(misses(&list), [], "step {}: {list:?}", world.steps());
        // A plate that presses by a thousandth more than its overlap says does not.
        let mut tampered = step.clone();
        let contacts = tampered.contacts.iter_mut().flatten();
        for contact in contacts.filter(|contact| contact.normal.x.abs() > 0.5) {
            contact.impulse *= 1.001;
        }
        assert!(misses(&judge(&mut recertifier, &tampered)).contains(&Check::Signorini));
    }
}

#[test]
fn tumbling_and_bouncing_hold_up() {
    let build = || {
        let mut world = World::new(Settings::default()).unwrap();
        world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).named("floor")).unwrap();
        for (i, bounce) in [0.0, 0.3, 0.8].into_iter().enumerate() {
            let place = DVec3::new(0.1 * i as f64, 0.0, 0.5 + 0.5 * i as f64);
            let body = Body::dynamic(Shape::cuboid(DVec3::new(0.3, 0.2, 0.1)).unwrap()).position(place);
            let body = body.material(Material::new(0.5, bounce)).angular_velocity(DVec3::new(3.0, -2.0, 1.0));
            world.add(body.orientation(DQuat::from_rotation_x(0.7)).named(&format!("box {i}"))).unwrap();
        }
        world
    };
    let (mut world, mut recertifier) = (build(), Recertifier::new(build()));
    for _ in 0..150 {
        let (step, status) = record(&mut world);
        if status != StepStatus::Certified {
            continue;
        }
        let list = judge(&mut recertifier, &step);
        assert_eq!(misses(&list), [], "step {}: {list:?}", world.steps());
    }
}

#[test]
fn every_kind_of_tampering_is_found() {
    let mut world = sliding();
    let mut recertifier = Recertifier::new(sliding());
    let step = (0..5).map(|_| take(&mut world)).last().unwrap();
    assert_eq!(step.contacts.as_ref().unwrap().len(), 4);
    let mut check = |expected: Check, tamper: &dyn Fn(&mut Recorded)| {
        let mut changed = step.clone();
        tamper(&mut changed);
        let missed = misses(&judge(&mut recertifier, &changed));
        assert!(missed.contains(&expected), "{expected:?} is not among {missed:?}");
    };
    fn contact(step: &mut Recorded) -> &mut ReplayContact {
        &mut step.contacts.as_mut().unwrap()[0]
    }
    check(Check::Overlap, &|s| s.after[BLOCK].position.z -= 1e-4);
    check(Check::Momentum, &|s| s.after[BLOCK].velocity.y += 1e-6);
    check(Check::Momentum, &|s| s.after[BLOCK].angular_velocity.z += 1e-6);
    check(Check::Momentum, &|s| s.before[BLOCK].velocity.x -= 1e-6);
    check(Check::Momentum, &|s| contact(s).impulse.z *= 1.000_001);
    check(Check::Momentum, &|s| contact(s).point.x += 1e-4);
    check(Check::Momentum, &|s| s.contacts.as_mut().unwrap().truncate(3));
    check(Check::EnergyRise, &|s| s.after[BLOCK].velocity.x += 0.1);
    check(Check::Closure, &|s| s.ledger.as_mut().unwrap().friction *= 1.001);
    check(Check::Push, &|s| contact(s).impulse.z *= -1.0);
    check(Check::Cone, &|s| contact(s).impulse.x *= 1.001);
    check(Check::Coulomb, &|s| {
        let c = contact(s);
        (c.impulse.x, c.impulse.y) = (-c.impulse.x, -c.impulse.y);
    });
    check(Check::Coulomb, &|s| (contact(s).impulse.x, contact(s).impulse.y) = (0.0, 0.0));
    check(Check::Signorini, &|s| contact(s).velocity.z += 0.01);
    check(Check::Signorini, &|s| contact(s).velocity.z -= 0.01);
    check(Check::ContactVelocity, &|s| contact(s).velocity.x += 1e-6);
    check(Check::Overlap, &|s| s.after[BLOCK].position.x = f64::NAN);
    check(Check::Momentum, &|s| s.before[BLOCK].angular_velocity.x = f64::INFINITY);
}

#[test]
fn a_joint_that_opens_is_found_and_its_bodies_are_named() {
    let build = || {
        let mut world = World::new(Settings::default()).unwrap();
        let ball = || Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0);
        let upper = world.add(ball().position(DVec3::X).named("upper")).unwrap();
        let lower = world.add(ball().position(DVec3::new(2.0, 0.0, 0.0)).named("lower")).unwrap();
        world.add_joint(Joint::ball(upper, -DVec3::X, DVec3::ZERO)).unwrap();
        world.add_joint(Joint::fixed(lower, -DVec3::X, (upper, DVec3::ZERO))).unwrap();
        world
    };
    let (mut world, mut recertifier) = (build(), Recertifier::new(build()));
    let step = (0..3).map(|_| take(&mut world)).last().unwrap();
    let list = judge(&mut recertifier, &step);
    assert_eq!(misses(&list), [], "{list:?}");
    // Impulses of joints are not recorded.
    assert!(found(&list, Check::Momentum).lacks().is_some());
    let lower = world.bodies().position(|(_, body)| body.id().label() == "lower").unwrap();
    let mut torn = step.clone();
    torn.after[lower].position += DVec3::new(0.0, 1e-6, 0.0);
    let list = judge(&mut recertifier, &torn);
    assert!(misses(&list).contains(&Check::JointGap), "{list:?}");
    let place = found(&list, Check::JointGap).part().unwrap().place;
    assert_eq!(recertifier.world().names_at(&place), ["lower", "upper"]);
    let mut turned = step;
    turned.after[lower].orientation = (turned.after[lower].orientation * DQuat::from_rotation_y(1e-5)).normalize();
    let list = judge(&mut recertifier, &turned);
    assert!(misses(&list).contains(&Check::JointTurn), "{list:?}");
}

#[test]
fn what_is_not_recorded_is_said_not_passed() {
    let mut world = sliding();
    let mut recertifier = Recertifier::new(sliding());
    let step = take(&mut world);
    let laws = [Check::Push, Check::Cone, Check::Signorini, Check::Coulomb, Check::ContactVelocity, Check::Momentum];
    let list = judge(&mut recertifier, &Recorded { contacts: None, ..step.clone() });
    for check in laws {
        assert_eq!(found(&list, check), Finding::Missing("contacts"), "{check:?}");
    }
    let list = judge(&mut recertifier, &Recorded { ledger: None, ..step.clone() });
    assert_eq!(found(&list, Check::EnergyRise), Finding::Missing("energy account"));
    let list = judge(&mut recertifier, &Recorded { complete: false, ..step.clone() });
    for check in [Check::Momentum, Check::EnergyRise, Check::Closure, Check::ContactVelocity] {
        assert!(matches!(found(&list, check), Finding::Missing(_)), "{check:?}");
    }
    // What contacts did in each piece of the step.
    let list = judge(&mut recertifier, &Recorded { divided: true, ..step.clone() });
    for check in [Check::Momentum, Check::Signorini, Check::Coulomb] {
        assert_eq!(found(&list, check), Finding::Missing("impulses of the pieces of a step"), "{check:?}");
    }
    // The states of other bodies.
    let short = ReplayStep {
        dt: H,
        before: &step.before[1..],
        after: &step.after[1..],
        contacts: None,
        ledger: None,
        complete: true,
        divided: false,
    };
    assert_eq!(recertifier.judge(&short), None);
}

//! A step that changes nothing is taken again without being computed; whatever is changed is seen.

use crate::fixture::*;
use signorini::{ImpactLaw, JointHandle, Sleeping};

struct Yard {
    world: World,
    floor: BodyHandle,
    cube: BodyHandle,
    joint: JointHandle,
}

/// A column of three cubes, and two that a joint holds together, all at rest and taken again since the last step.
fn yard() -> Yard {
    let mut world = world();
    let floor = add_floor(&mut world, 0.5, 0.0);
    let cube = [0.5, 1.5, 2.5].map(|z| world.add(cube(&format!("cube {z}"), v(0.0, 0.0, z))).unwrap())[2];
    let pair = [0.5, 1.5].map(|z| world.add(crate::fixture::cube(&format!("pair {z}"), v(3.0, 0.1, z))).unwrap());
    let joint = world.add_joint(Joint::fixed(pair[0], v(0.0, 0.0, 0.5), (pair[1], v(0.0, 0.0, -0.5)))).unwrap();
    let mut yard = Yard { world, floor, cube, joint };
    let replayed = |yard: &mut Yard| yard.world.step(H).unwrap().counts.replayed > 0;
    assert!((0..50).any(|_| replayed(&mut yard)), "nothing is taken again");
    yard
}

#[test]
fn what_is_taken_again_is_what_would_be_computed() {
    let mut yard = yard();
    for _ in 0..3 {
        // A copy through a snapshot knows nothing of the last step but its state.
        let mut other = World::from_snapshot(&yard.world.snapshot());
        let (mut again, computed) = (yard.world.step(H).unwrap(), other.step(H).unwrap());
        assert_eq!((again.counts.replayed, computed.counts.replayed), (2, 0));
        (again.counts.replayed, again.times) = (0, computed.times);
        assert_eq!(again, computed);
        assert_eq!(yard.world.state_hash(), other.state_hash());
        assert_eq!(yard.world.snapshot().to_bytes(), other.snapshot().to_bytes());
        assert_eq!((yard.world.time(), yard.world.steps()), (other.time(), other.steps()));
    }
}

/// Every way to change a world, by as little as there is.
#[test]
fn whatever_is_changed_is_seen() {
    type Change = (&'static str, fn(&mut Yard));
    fn settings(yard: &mut Yard, change: impl Fn(&mut Settings)) {
        let mut settings = *yard.world.settings();
        change(&mut settings);
        yard.world.set_settings(settings).unwrap();
    }
    fn state(yard: &Yard) -> BodyState {
        yard.world.body(yard.cube).unwrap().state()
    }
    let changes: &[Change] = &[
        ("position", |y| {
            let x = state(y).position;
            y.world.set_position(y.cube, v(x.x, x.y, x.z.next_up())).unwrap();
        }),
        ("orientation", |y| y.world.set_orientation(y.cube, DQuat::from_rotation_z(1e-12)).unwrap()),
        ("velocity", |y| y.world.set_velocity(y.cube, v(5e-324, 0.0, 0.0)).unwrap()),
        ("spin", |y| y.world.set_angular_velocity(y.cube, v(0.0, 1e-9, 0.0)).unwrap()),
        ("force", |y| y.world.add_force(y.cube, v(1e-9, 0.0, 0.0)).unwrap()),
        ("torque", |y| y.world.add_torque(y.cube, v(0.0, 0.0, 1e-9)).unwrap()),
        ("friction of the floor", |y| y.world.set_material(y.floor, surface(0.499, 0.0)).unwrap()),
        ("restitution", |y| y.world.set_material(y.cube, surface(0.5, 0.1)).unwrap()),
        ("fast", |y| y.world.set_fast(y.cube, true).unwrap()),
        ("body added", |y| {
            y.world.add(cube("new", v(0.0, 0.0, 3.5))).unwrap();
        }),
        ("body removed", |y| y.world.remove(y.cube).unwrap()),
        ("joint added", |y| {
            y.world.add_joint(Joint::ball(y.cube, DVec3::ZERO, v(0.0, 0.0, 2.5))).unwrap();
        }),
        ("joint removed", |y| y.world.remove_joint(y.joint).unwrap()),
        ("wake", |y| y.world.wake(y.cube).unwrap()),
        ("gravity", |y| settings(y, |s| s.gravity.z = s.gravity.z.next_up())),
        ("method", |y| settings(y, |s| s.method = Method::Nsgs)),
        ("tolerance", |y| settings(y, |s| s.stop = StoppingRule::velocity(1e-12))),
        ("accept", |y| settings(y, |s| s.accept = 1e-7)),
        ("budget", |y| settings(y, |s| s.budget = Some(5))),
        ("rest speed", |y| settings(y, |s| s.rest_speed = 0.4)),
        ("stabilisation", |y| settings(y, |s| s.stabilisation = Stabilisation::None)),
        ("joint correction", |y| settings(y, |s| s.joint_correction = 0.4)),
        ("margin", |y| settings(y, |s| s.margin = 0.02)),
        ("contacts", |y| settings(y, |s| s.max_contacts = 1000)),
        ("sleeping", |y| settings(y, |s| s.sleeping = Sleeping::islands())),
        ("impact law", |y| settings(y, |s| s.impact = ImpactLaw::sequential())),
    ];
    for (name, change) in changes {
        let mut yard = yard();
        change(&mut yard);
        let mut other = World::from_snapshot(&yard.world.snapshot());
        let (report, computed) = (yard.world.step(H).unwrap(), other.step(H).unwrap());
        assert_eq!(report.counts.replayed, 0, "{name} is not seen");
        assert_eq!((yard.world.state_hash(), report.status), (other.state_hash(), computed.status), "{name}");
    }
    let mut yard = yard();
    assert_eq!(yard.world.step(H.next_up()).unwrap().counts.replayed, 0, "the time step is not seen");
}

#[test]
fn looking_changes_nothing() {
    let mut yard = yard();
    let hash = yard.world.state_hash();
    assert_eq!(yard.world.problems(H).unwrap().len(), 2);
    let mut fork = yard.world.fork();
    assert!(yard.world.step(H).unwrap().counts.replayed > 0);
    fork.step(H).unwrap();
    assert_eq!((yard.world.state_hash(), fork.state_hash()), (hash, hash));
}

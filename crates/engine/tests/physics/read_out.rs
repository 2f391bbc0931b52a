//! Forces of what is at rest, as they are shown: the least friction, then the most even normal forces.

use crate::fixture::*;
use signorini::{ContactPoint, ContactState};

const DT: f64 = 0.01;

/// Normal and tangential force \[N\].
fn forces(contact: &ContactPoint) -> (f64, DVec3) {
    let force = contact.impulse / DT;
    let normal = force.dot(contact.normal);
    (normal, force - normal * contact.normal)
}

fn settle(world: &mut World, steps: usize) {
    for _ in 0..steps {
        step_certified(world, DT);
    }
}

/// Impulse on a body, and its moment about the origin.
fn wrench(world: &World, body: BodyHandle) -> (DVec3, DVec3) {
    let on = |c: &ContactPoint| if c.b == body { c.impulse } else { -c.impulse };
    let of_body = || world.contacts().iter().filter(|c| c.a == body || c.b == body);
    (of_body().map(on).sum(), of_body().map(|c| c.point.cross(on(c))).sum())
}

/// Every shown force obeys the laws, and holds every body as the solved ones do.
fn assert_lawful(world: &World, friction: f64) {
    for contact in world.contacts() {
        let (normal, tangential) = forces(contact);
        assert!(normal >= 0.0 && tangential.length() <= friction * normal * (1.0 + 1e-12), "{contact:?}");
    }
    for (handle, body) in world.bodies().filter(|(_, body)| body.mass().is_finite()) {
        let (linear, _) = wrench(world, handle);
        let off = (linear / DT - body.constraint_forces().force).length();
        assert!(off <= 1e-9 * (1.0 + body.mass() * G), "{}: {off:e}", body.id());
    }
}

#[test]
fn a_box_on_a_floor_shows_four_equal_vertical_forces() {
    let mut world = world();
    add_floor(&mut world, 0.5, 0.0);
    world.add(cube("cube", v(0.3, -0.2, 0.5)).mass(3.0)).unwrap();
    settle(&mut world, 20);
    assert_eq!(world.contacts().len(), 4);
    for contact in world.contacts() {
        let (normal, tangential) = forces(contact);
        assert!((normal - 3.0 * G / 4.0).abs() < 1e-9 * G, "{normal}");
        assert!(tangential.length() < 1e-9 * G, "{tangential}");
        assert_eq!(contact.state(), ContactState::Stick);
    }
    assert_lawful(&world, 0.5);
}

/// On a slope of angle α the weight acts at half the height: each point carries m g sin α/4 along the slope, the normal forces of
/// the lower and upper points are m g (cos α ± sin α)/4.
#[test]
fn a_box_on_a_slope_is_held_along_the_slope() {
    let angle = 0.3_f64;
    let mut world = world();
    let normal = v(angle.sin(), 0.0, angle.cos());
    let slope = Body::fixed(Shape::half_space(normal).unwrap()).material(surface(0.6, 0.0));
    world.add(slope.named("slope")).unwrap();
    let turn = DQuat::from_rotation_arc(DVec3::Z, normal);
    let body = cube("cube", 0.5 * normal).orientation(turn).material(surface(0.6, 0.0));
    world.add(body).unwrap();
    settle(&mut world, 20);
    assert_eq!(world.contacts().len(), 4);
    let uphill = v(-angle.cos(), 0.0, angle.sin());
    for contact in world.contacts() {
        let side = if contact.normal.dot(normal) > 0.0 { 1.0 } else { -1.0 };
        let (pressed, held) = forces(contact);
        let lower = if contact.point.dot(uphill) < 0.0 { 1.0 } else { -1.0 };
        let expected = 0.25 * G * (angle.cos() + lower * angle.sin());
        assert!((pressed - expected).abs() < 1e-8, "{pressed} {expected}");
        assert!((side * held - 0.25 * G * angle.sin() * uphill).length() < 1e-8, "{held}");
        assert_eq!(contact.state(), ContactState::Stick);
    }
    assert_lawful(&world, 0.6);
}

#[test]
fn a_stack_shows_no_lateral_forces() {
    for order in [[0, 1, 2, 3, 4], [3, 0, 4, 2, 1]] {
        let mut world = world();
        add_floor(&mut world, 0.5, 0.0);
        for i in order {
            world.add(cube(&format!("c{i}"), v(0.0, 0.0, 0.5 + f64::from(i)))).unwrap();
        }
        settle(&mut world, 30);
        assert_eq!(world.contacts().len(), 20);
        for contact in world.contacts() {
            let (normal, tangential) = forces(contact);
            // What is above the point: a fifth of the height below is one box less.
            let above = 5.0 - contact.point.z.round();
            assert!((normal - above * G / 4.0).abs() < 1e-8, "{normal} {above}");
            assert!(tangential.length() < 1e-8, "{tangential}");
        }
        assert_lawful(&world, 0.5);
    }
}

/// A board on two trestles with a load of 2 kg above the left one, which carries it and about half of the board.
#[test]
fn a_shared_load_does_not_depend_on_the_order_of_adding() {
    let shown = |order: [usize; 4]| {
        let mut world = world();
        let bodies = [
            Body::fixed(Shape::cuboid(v(0.1, 0.5, 0.5)).unwrap()).position(v(-1.0, 0.0, 0.5)).named("left"),
            Body::fixed(Shape::cuboid(v(0.1, 0.5, 0.5)).unwrap()).position(v(1.0, 0.0, 0.5)).named("right"),
            Body::dynamic(Shape::cuboid(v(1.5, 0.3, 0.05)).unwrap())
                .mass(4.0)
                .position(v(0.0, 0.0, 1.05))
                .named("board"),
            Body::dynamic(Shape::cuboid(v(0.1, 0.1, 0.1)).unwrap()).mass(2.0).position(v(-1.0, 0.0, 1.2)).named("load"),
        ];
        for i in order {
            world.add(bodies[i].clone()).unwrap();
        }
        settle(&mut world, 30);
        assert_lawful(&world, 0.5);
        let left = world.find("left").unwrap();
        let carried: f64 = world.contacts().iter().filter(|c| c.a == left || c.b == left).map(|c| forces(c).0).sum();
        // Where on the trestle is not determined: by a twentieth of the distance of the trestles, times the weight.
        assert!((carried - 4.0 * G).abs() < 0.05 * 6.0 * G, "{carried}");
        world.contacts().iter().map(|c| (c.point, forces(c))).collect::<Vec<_>>()
    };
    let (one, other) = (shown([0, 1, 2, 3]), shown([3, 2, 1, 0]));
    assert_eq!(one.len(), other.len());
    for ((p, (n, t)), (q, (m, s))) in one.iter().zip(&other) {
        assert!((*p - *q).length() < 1e-9 && (n - m).abs() < 1e-7 && (*t - *s).length() < 1e-7, "{n} {m} {t} {s}");
        assert!(t.length() < 1e-8, "{t}");
    }
}

/// A board on three trestles with a load on its left end, 0.2 m beyond the first: it would pull at the third if it could. The third
/// carries nothing then, and the shares of the others are determined: with the weights 4 kg at 0 and 8 kg at −1.45 m and points at
/// −1.25 ± 0.05, 0 ± 0.05 m, forces F of the first and S of the second obey F + S = 12 g.
#[test]
fn what_cannot_pull_carries_nothing() {
    let mut world = world();
    for (name, x) in [("first", -1.25), ("second", 0.0), ("third", 1.25)] {
        let trestle = Body::fixed(Shape::cuboid(v(0.05, 0.5, 0.5)).unwrap()).position(v(x, 0.0, 0.5));
        world.add(trestle.named(name)).unwrap();
    }
    let board = Body::dynamic(Shape::cuboid(v(1.5, 0.3, 0.05)).unwrap()).mass(4.0).position(v(0.0, 0.0, 1.05));
    world.add(board.named("board")).unwrap();
    let load = Body::dynamic(Shape::cuboid(v(0.05, 0.1, 0.1)).unwrap()).mass(8.0).position(v(-1.45, 0.0, 1.2));
    world.add(load.named("load")).unwrap();
    settle(&mut world, 30);
    assert_lawful(&world, 0.5);
    let carried = |name: &str| {
        let trestle = world.find(name).unwrap();
        world.contacts().iter().filter(|c| c.a == trestle || c.b == trestle).map(|c| forces(c).0).sum::<f64>()
    };
    assert!(carried("third").abs() < 1e-6, "{}", carried("third"));
    assert!((carried("first") + carried("second") - 12.0 * G).abs() < 1e-6);
    for contact in world.contacts() {
        assert!(forces(contact).1.length() < 1e-6, "{:?}", forces(contact));
    }
}

/// A prism in a groove of 90°: without friction each side carries m g/√2, and with friction still.
#[test]
fn a_groove_needs_no_friction() {
    let mut world = world();
    for (name, x) in [("left", 1.0), ("right", -1.0)] {
        let side = Shape::half_space(v(x, 0.0, 1.0).normalize()).unwrap();
        world.add(Body::fixed(side).material(surface(0.8, 0.0)).named(name)).unwrap();
    }
    let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
    let body = cube("cube", v(0.0, 0.0, 0.5_f64.sqrt())).orientation(turn).material(surface(0.8, 0.0));
    world.add(body).unwrap();
    settle(&mut world, 30);
    let total: f64 = world.contacts().iter().map(|c| forces(c).0).sum();
    assert!((total - 2.0 * G / 2.0_f64.sqrt()).abs() < 1e-2 * G, "{total}");
    for contact in world.contacts() {
        assert!(forces(contact).1.length() < 1e-2 * G, "{:?}", forces(contact));
    }
    assert_lawful(&world, 0.8);
}

#[test]
fn a_squeeze_keeps_its_force() {
    let mut world = world();
    let plate = || Shape::cuboid(v(0.1, 1.0, 1.0)).unwrap();
    let overlap = 0.5e-4 * 0.75_f64.sqrt();
    for (name, x) in [("left", -0.6 + overlap), ("right", 0.6 - overlap)] {
        world.add(Body::kinematic(plate()).position(v(x, 0.0, 0.0)).named(name)).unwrap();
    }
    world.add(cube("cube", DVec3::ZERO)).unwrap();
    settle(&mut world, 10);
    let left = world.find("left").unwrap();
    let pressed: f64 = world.contacts().iter().filter(|c| c.a == left || c.b == left).map(|c| forces(c).0).sum();
    assert!((pressed - 500.0).abs() < 1e-3, "{pressed}");
    // Eight points share the weight evenly.
    for contact in world.contacts() {
        assert!((forces(contact).1.length() - G / 8.0).abs() < 1e-6, "{:?}", forces(contact));
    }
    assert_lawful(&world, 0.5);
}

/// What slides keeps what was solved, and is told by its motion.
#[test]
fn a_sliding_box_slips() {
    let mut world = world();
    add_floor(&mut world, 0.5, 0.0);
    world.add(cube("cube", v(0.0, 0.0, 0.5)).velocity(v(2.0, 0.0, 0.0))).unwrap();
    settle(&mut world, 5);
    let carrying = || world.contacts().iter().filter(|c| c.state() != ContactState::Open);
    assert!(carrying().count() > 0 && carrying().all(|c| c.state() == ContactState::Slip));
    let held: f64 = world.contacts().iter().map(|c| forces(c).1.length()).sum();
    assert!((held - 0.5 * G).abs() < 1e-6, "{held}");
}

#[test]
fn looking_changes_nothing() {
    let build = || {
        let mut world = world();
        add_floor(&mut world, 0.5, 0.0);
        for i in 0..4 {
            world.add(cube(&format!("c{i}"), v(0.1 * f64::from(i % 2), 0.0, 0.5 + 1.01 * f64::from(i)))).unwrap();
        }
        world
    };
    let (mut seen, mut unseen) = (build(), build());
    for _ in 0..60 {
        let (a, b) = (seen.step(DT).unwrap(), unseen.step(DT).unwrap());
        assert_eq!((a.certificate, a.velocity), (b.certificate, b.velocity));
        assert_eq!(seen.contacts(), seen.contacts());
        assert_eq!(seen.state_hash(), unseen.state_hash());
    }
    let impulses = |world: &World| world.contacts().iter().map(|c| c.impulse).collect::<Vec<_>>();
    assert_eq!(impulses(&seen), impulses(&unseen));
    // Each box stands a tenth to the side of the one below, and nothing asks for friction.
    for contact in seen.contacts() {
        assert!(forces(contact).1.length() < 1e-8, "{:?}", forces(contact));
    }
}

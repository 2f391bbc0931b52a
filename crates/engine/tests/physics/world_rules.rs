//! Who touches whom, what is told of it, and what sensors find.

use crate::fixture::*;
use signorini::glamx::DPose3;
use signorini::{BodyContact, Filter, Kind, PairCoefficients, Phase, Sleeping, Snapshot};

fn run(w: &mut World, steps: usize) {
    for _ in 0..steps {
        assert_eq!(w.step(H).unwrap().status, StepStatus::Certified);
    }
}

fn height(w: &World, body: BodyHandle) -> f64 {
    w.body(body).unwrap().position().z
}

#[test]
fn layers_meet_if_each_is_in_the_mask_of_the_other() {
    let (players, walls, ghosts) = (Filter::new(1, 0b011), Filter::new(2, 0b111), Filter::new(4, 0b010));
    assert!(players.meets(walls) && walls.meets(players) && ghosts.meets(walls));
    assert!(!players.meets(ghosts) && !ghosts.meets(players));
    // One-sided masks do not meet.
    assert!(!Filter::new(1, 2).meets(Filter::new(2, 0)));
}

/// In free fall for t = 30 h a body moves ½ g t² less than it fell without a floor: it goes through what it does not meet.
#[test]
fn a_body_falls_through_what_its_mask_leaves_out() {
    let mut w = world();
    let floor = Body::fixed(Shape::half_space(DVec3::Z).unwrap()).filter(Filter::new(1, u32::MAX)).named("floor");
    w.add(floor).unwrap();
    let stays = w.add(cube("stays", v(0.0, 0.0, 0.5))).unwrap();
    let falls = w.add(cube("falls", v(5.0, 0.0, 0.5)).filter(Filter::new(u32::MAX, !1))).unwrap();
    run(&mut w, 30);
    assert!((height(&w, stays) - 0.5).abs() < 1e-9);
    let t = 30.0 * H;
    assert!((height(&w, falls) - (0.5 - 0.5 * G * t * t)).abs() < 1e-9);
    // It comes back into the world of the others where it is.
    w.set_body_filter(falls, Filter::ALL).unwrap();
    w.set_position(falls, v(5.0, 0.0, 0.5)).unwrap();
    w.set_velocity(falls, DVec3::ZERO).unwrap();
    run(&mut w, 5);
    assert!((height(&w, falls) - 0.5).abs() < 1e-9);
}

/// A dumbbell of two balls whose left ball does not meet the floor: it turns about the right one. With both it would stand.
#[test]
fn a_part_that_does_not_meet_the_floor_sinks_into_it() {
    let at = |x: f64| DPose3::from_translation(v(x, 0.0, 0.0));
    let dumbbell = |filter: Filter| {
        let ball = Shape::sphere(0.25).unwrap();
        let shape = Shape::compound(vec![(at(-1.0), ball.filtered(filter)), (at(1.0), ball)]).unwrap();
        Body::dynamic(shape).mass(2.0)
    };
    for (filter, stands) in [(Filter::ALL, true), (Filter::new(u32::MAX, 0), false)] {
        let mut w = world();
        add_floor(&mut w, 0.5, 0.0);
        let body = w.add(dumbbell(filter).position(v(0.0, 0.0, 0.25)).named("dumbbell")).unwrap();
        run(&mut w, 20);
        let left = w.body(body).unwrap().pose().transform_point(v(-1.0, 0.0, 0.0)).z;
        assert_eq!((left - 0.25).abs() < 1e-9, stands, "left ball at {left}");
        // All contacts are on the second part.
        let parts: Vec<u32> = w.contacts().iter().map(|contact| contact.part_a).collect();
        assert!(stands || parts.iter().all(|part| *part == 1), "{parts:?}");
    }
}

#[test]
fn a_filter_of_the_users_decides_by_identities_in_any_order_of_adding() {
    let build = |names: [&str; 3]| {
        let mut w = world();
        add_floor(&mut w, 0.5, 0.0);
        for name in names {
            w.add(cube(name, v(if name == "solid" { 3.0 } else { 0.0 }, 0.0, 0.5))).unwrap();
        }
        let ghost = |id: &BodyId| matches!(id, BodyId::Name(name) if name.starts_with("ghost"));
        w.set_filter(move |a, b| !(ghost(a) && ghost(b)));
        w
    };
    // Two ghosts in the same place do not push each other, and both stand on the floor.
    let (mut one, mut two) = (build(["ghost a", "ghost b", "solid"]), build(["solid", "ghost b", "ghost a"]));
    run(&mut one, 20);
    run(&mut two, 20);
    assert_eq!(one.state_hash(), two.state_hash());
    assert!(one.bodies().filter(|(_, b)| b.kind() == Kind::Dynamic).all(|(_, b)| (b.position().z - 0.5).abs() < 1e-9));
    one.clear_filter();
    // Now they overlap, and say so.
    assert!(one.step(H).unwrap().penetration > 0.9);
}

/// A block pushed at v slides v²/(2 μ g); of the rule √(μ_A μ_B) = 0.5 nothing is left once the pair has 0.1.
#[test]
fn coefficients_of_a_pair_of_materials_override_their_rules() {
    let mut w = world();
    let (ice, rubber) = (surface(0.5, 0.0).tagged(1), surface(0.5, 0.0).tagged(7));
    w.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(ice).named("floor")).unwrap();
    let block = w.add(cube("block", v(0.0, 0.0, 0.5)).material(rubber).velocity(DVec3::X)).unwrap();
    let given = PairCoefficients { friction: Some(0.1), restitution: None };
    assert!(w.set_material_pair([0, 1], Some(given)).is_err());
    assert!(w.set_material_pair([1, 7], Some(PairCoefficients { friction: Some(-1.0), restitution: None })).is_err());
    w.set_material_pair([7, 1], Some(given)).unwrap();
    let before = w.body(block).unwrap().velocity().x;
    run(&mut w, 10);
    let slowed = before - w.body(block).unwrap().velocity().x;
    assert!((slowed - 0.1 * G * 10.0 * H).abs() < 1e-7, "{slowed}");
    w.set_material_pair([1, 7], None).unwrap();
    let before = w.body(block).unwrap().velocity().x;
    run(&mut w, 5);
    let slowed = before - w.body(block).unwrap().velocity().x;
    assert!((slowed - 0.5 * G * 5.0 * H).abs() < 1e-7, "{slowed}");
}

/// Thrown up through the platform it slows by gravity alone, comes back after 2v/g and lands on top.
#[test]
fn a_one_way_platform_lets_through_from_below_and_holds_from_above() {
    let mut w = world();
    let slab = Body::fixed(Shape::cuboid(v(2.0, 2.0, 0.05)).unwrap()).position(v(0.0, 0.0, 2.0));
    w.add(slab.one_way(DVec3::Z).named("platform")).unwrap();
    let ball = w.add(ball("ball", v(0.0, 0.0, 0.5)).velocity(v(0.0, 0.0, 8.0))).unwrap();
    let mut t = 0.0;
    for _ in 0..40 {
        run(&mut w, 1);
        t += H;
        let free = 0.5 + 8.0 * t - 0.5 * G * t * t;
        assert!((height(&w, ball) - free).abs() < 1e-9, "at {t}: {} instead of {free}", height(&w, ball));
    }
    run(&mut w, 120);
    // On top: 2 + 0.05 + 0.5.
    assert!((height(&w, ball) - 2.55).abs() < 1e-6, "{}", height(&w, ball));
}

/// Dropped from z = 1 the ball meets the floor at √(2 g 0.5); its events are one begin, then persist, then one end.
#[test]
fn contacts_begin_persist_and_end_with_impulse_and_speed() {
    let mut w = world();
    let floor = add_floor(&mut w, 0.5, 0.0);
    let ball = w.add(ball("ball", v(0.0, 0.0, 1.0))).unwrap();
    let mut phases = Vec::new();
    let (mut landing, mut impulses) = (None, Vec::new());
    for step in 0..60 {
        if step == 50 {
            w.set_velocity(ball, v(0.0, 0.0, 5.0)).unwrap();
        }
        run(&mut w, 1);
        for event in w.contact_events() {
            assert_eq!((event.a, event.b, event.part_a, event.part_b), (ball, floor, 0, 0));
            phases.push(event.phase);
            if event.phase == Phase::Begin {
                landing = Some(*event);
                assert_eq!(w.impacts(2.9).count(), 1);
                assert_eq!(w.impacts(3.2).count(), 0);
            }
            impulses.push(event.impulse);
        }
    }
    let landing = landing.unwrap();
    let speed = (2.0 * G * 0.5_f64).sqrt();
    // The speed when the step began, at most g h short of the speed of the impact.
    assert!(landing.speed <= speed + 1e-9 && landing.speed >= speed - G * H - 1e-9, "{}", landing.speed);
    // Down to the floor in one step, where it stops in the next: in both, what it had and two weights; then the weight.
    assert!((impulses[0] + impulses[1] - (landing.speed + 2.0 * G * H)).abs() < 1e-6, "{impulses:?}");
    assert!(impulses[2..20].iter().all(|impulse| (impulse - G * H).abs() < 1e-8), "{impulses:?}");
    assert_eq!(phases.first(), Some(&Phase::Begin));
    assert_eq!(phases.last(), Some(&Phase::End));
    assert_eq!(phases.iter().filter(|phase| **phase == Phase::Begin).count(), 1);
    assert_eq!(phases.iter().filter(|phase| **phase == Phase::End).count(), 1);
    assert!(w.contact_events().is_empty());
}

/// A heap at rest is not computed again; its contacts persist all the same.
#[test]
fn contacts_of_a_heap_that_is_not_computed_again_persist() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    for i in 0..3 {
        w.add(cube(&format!("box {i}"), v(0.0, 0.0, 0.5 + f64::from(i)))).unwrap();
    }
    run(&mut w, 1);
    assert!(w.contact_events().iter().all(|event| event.phase == Phase::Begin));
    for _ in 0..30 {
        run(&mut w, 1);
        assert_eq!(w.contact_events().len(), 3);
        assert!(w.contact_events().iter().all(|event| event.phase == Phase::Persist));
        // Three, two and one weights.
        let mut loads: Vec<f64> = w.contact_events().iter().map(|event| event.impulse / (G * H)).collect();
        loads.sort_by(f64::total_cmp);
        loads.iter().zip([1.0, 2.0, 3.0]).for_each(|(load, want)| assert!((load - want).abs() < 1e-6));
    }
    assert!(w.step(H).unwrap().counts.replayed > 0);
}

/// A ball that crosses a sensor 1 m wide at 2 m/s is inside while its surface is: from x = −1 to x = 1, for one second.
#[test]
fn a_sensor_detects_without_pushing_and_knows_for_how_long() {
    let mut w = weightless();
    let gate = Body::fixed(Shape::cuboid(v(0.5, 2.0, 2.0)).unwrap()).sensor().named("gate");
    let gate = w.add(gate).unwrap();
    let ball = w.add(ball("ball", v(-3.0, 0.0, 0.0)).velocity(v(2.0, 0.0, 0.0))).unwrap();
    let (mut inside, mut longest, mut begins, mut ends) = (0, 0.0_f64, 0, 0);
    for _ in 0..250 {
        run(&mut w, 1);
        let before = w.snapshot().to_bytes();
        for event in w.sensor_events() {
            assert_eq!((event.sensor, event.other), (gate, ball));
            match event.phase {
                Phase::Begin => begins += 1,
                Phase::Persist => {}
                Phase::End => ends += 1,
            }
        }
        for (other, time) in w.sensed(gate) {
            assert_eq!(other, ball);
            inside += 1;
            longest = longest.max(time);
        }
        // Bytes carry who is inside and since when.
        let copy = World::from_snapshot(&Snapshot::from_bytes(&before).unwrap());
        assert_eq!(copy.sensed(copy.find("gate").unwrap()).count(), w.sensed(gate).count());
        assert!(w.contacts().is_empty());
    }
    assert_eq!((begins, ends), (1, 1));
    assert!((f64::from(inside) * H - 1.0).abs() <= H, "{inside} steps");
    assert!((longest - 1.0).abs() <= 2.0 * H, "{longest} s");
    assert!((w.body(ball).unwrap().velocity().x - 2.0).abs() < 1e-15);
    // A ray does not see it unless it is asked to.
    let ray = signorini::Ray { origin: v(0.0, 0.0, 9.0), direction: -DVec3::Z, max: 99.0 };
    assert!(w.cast_ray_where(&ray, &signorini::QueryFilter::default()).is_none());
    let all = signorini::QueryFilter { sensors: true, ..Default::default() };
    assert_eq!(w.cast_ray_where(&ray, &all).unwrap().0, gate);
}

/// A box with a sensor below it: the box stands on its own part, and the sensor finds the floor.
#[test]
fn a_part_that_is_a_sensor_finds_the_floor_under_its_body() {
    let mut w = world();
    let floor = add_floor(&mut w, 0.5, 0.0);
    let at = |z: f64| DPose3::from_translation(v(0.0, 0.0, z));
    let parts =
        vec![(at(0.0), Shape::cuboid(DVec3::splat(0.5)).unwrap()), (at(-0.5), Shape::sphere(0.2).unwrap().sensing())];
    let walker = Body::dynamic(Shape::compound(parts).unwrap()).mass(1.0).position(v(0.0, 0.0, 0.5));
    let walker = w.add(walker.named("walker")).unwrap();
    run(&mut w, 20);
    assert!((height(&w, walker) - 0.5).abs() < 1e-6);
    let event = w.sensor_events()[0];
    assert_eq!((event.sensor, event.part, event.other, event.phase), (walker, 1, floor, Phase::Persist));
}

#[test]
fn bodies_that_fall_asleep_and_wake_are_told_once() {
    let settings = Settings { sleeping: Sleeping::islands(), ..Settings::default() };
    let mut w = World::new(settings).unwrap();
    add_floor(&mut w, 0.5, 0.0);
    let body = w.add(cube("box", v(0.0, 0.0, 0.5))).unwrap();
    let mut told = Vec::new();
    for step in 0..80 {
        if step == 70 {
            w.add_impulse(body, DVec3::X).unwrap();
        }
        run(&mut w, 1);
        told.extend(w.sleep_events().iter().map(|event| (step, event.body, event.asleep)));
    }
    let (first, woke) = (told[0], told[1]);
    assert_eq!(told.len(), 2);
    assert!(first.2 && (30..34).contains(&first.0), "{told:?}"); // Half a second.
    assert_eq!(woke, (70, body, false));
}

#[test]
fn contacts_and_joints_of_a_body_and_islands_are_found() {
    let mut w = world();
    let floor = add_floor(&mut w, 0.5, 0.0);
    let lower = w.add(cube("box 2", v(0.0, 0.0, 0.5))).unwrap();
    let upper = w.add(cube("box 10", v(0.0, 0.0, 1.5))).unwrap();
    let alone = w.add(cube("far", v(9.0, 0.0, 9.0))).unwrap();
    run(&mut w, 3);
    let contacts: Vec<BodyContact> = w.contacts_of(lower).unwrap().collect();
    let from = |other: BodyHandle| -> f64 {
        contacts.iter().filter(|c| c.other == other).map(|c| c.impulse.z / (G * H)).sum()
    };
    // The floor carries two weights, the upper box presses with one.
    assert!((from(floor) - 2.0).abs() < 1e-7 && (from(upper) + 1.0).abs() < 1e-7);
    let mut group = w.islands();
    assert_eq!(group.len(), 1);
    group[0].sort_unstable();
    let mut both = vec![lower, upper];
    both.sort_unstable();
    assert_eq!(group[0], both);
    let names: Vec<String> = w.bodies_by_name().iter().map(|(_, body)| body.id().label()).collect();
    assert_eq!(names, ["box 2", "box 10", "far", "floor"]);
    let joint = w.lock_axes(alone, signorini::AxisLocks { translation: [true; 3], rotation: [false; 3] }).unwrap();
    assert_eq!(w.joints_of(alone).unwrap().map(|(handle, _)| handle).collect::<Vec<_>>(), [joint]);
    assert_eq!(w.joints_of(lower).unwrap().count(), 0);
}

//! Fault list, group H: the same bits for any order of adding, any number of threads, any process. One test per case by
//! its code.

use crate::fixture::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use signorini::StoppingRule;
use std::process::Command;

/// Bodies of a scene and joints between them by name.
struct Scene {
    bodies: Vec<Body>,
    joints: Vec<(&'static str, &'static str, f64)>,
}

fn floor(friction: f64, restitution: f64) -> Body {
    Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(surface(friction, restitution)).named("floor")
}

/// Six small scenes, each of several islands.
fn scenes() -> Vec<Scene> {
    // Of these there are enough that other threads are asked to help.
    let stacks = (0..18).map(|i| {
        let (stack, layer) = (f64::from(i / 3), f64::from(i % 3));
        cube(&format!("s{i:02}"), v(3.0 * stack, 0.02 * layer * stack, 0.5 + layer))
    });
    let sliders = (0..3).map(|i| {
        let speed = v(3.0, f64::from(i), 0.0);
        cube(&format!("c{i}"), v(0.0, 4.0 * f64::from(i), 0.5)).velocity(speed).material(surface(0.3, 0.0))
    });
    let bouncers = (0..4).map(|i| {
        let place = v(0.9 * f64::from(i % 2), 3.0 * f64::from(i / 2), 1.0 + f64::from(i));
        ball(&format!("b{i}"), place).material(surface(0.4, 0.8)).angular_velocity(v(0.0, f64::from(i), 1.0))
    });
    let links = (0..4).map(|i| {
        let place = v(0.9 * f64::from(i), 4.0 * f64::from(i / 2), 4.0);
        Body::dynamic(Shape::sphere(0.2).unwrap()).mass(1.0).position(place).named(["l0", "l1", "l2", "l3"][i as usize])
    });
    let tumblers = (0..3).map(|i| {
        let half = v(0.5, 0.2, 0.1 + 0.1 * f64::from(i));
        let turn = DQuat::from_scaled_axis(v(0.3, 0.2 * f64::from(i), 0.5));
        let body =
            Body::dynamic(Shape::cuboid(half).unwrap()).mass(1.0).orientation(turn).angular_velocity(v(3.0, 1.0, 2.0));
        body.position(v(3.0 * f64::from(i % 2), 0.1, 1.0 + f64::from(i))).named(&format!("t{i}"))
    });
    let heap = (0..5).map(|i| {
        let angle = f64::from(i) * std::f64::consts::TAU / 3.0;
        let place =
            if i < 3 { v(0.57 * angle.cos(), 0.57 * angle.sin(), 0.5) } else { v(6.0 * f64::from(i - 3), 0.02, 1.4) };
        ball(&format!("h{i}"), place).material(surface(0.2, 0.0))
    });
    let scene = |floor: Body, bodies: Vec<Body>| Scene {
        bodies: std::iter::once(floor).chain(bodies).collect(),
        joints: Vec::new(),
    };
    let mut all = vec![
        scene(floor(0.5, 0.0), stacks.collect()),
        scene(floor(0.3, 0.0), sliders.collect()),
        scene(floor(0.4, 0.8), bouncers.collect()),
        scene(floor(0.5, 0.2), links.collect()),
        scene(floor(0.6, 0.4), tumblers.collect()),
        scene(floor(0.2, 0.0), heap.collect()),
    ];
    all[3].joints = vec![("l0", "l1", 0.9), ("l2", "l3", 0.9)];
    all
}

fn built(scene: &Scene, order: &[usize]) -> World {
    let mut w = world();
    order.iter().for_each(|i| assert!(w.add(scene.bodies[*i].clone()).is_ok()));
    for (a, b, length) in &scene.joints {
        let (a, b) = (w.find(*a).unwrap(), w.find(*b).unwrap());
        w.add_joint(Joint::distance(a, DVec3::ZERO, (b, DVec3::ZERO), *length)).unwrap();
    }
    w
}

/// One number for the states of all steps, and for the contacts in the order in which they are told.
fn history(w: &mut World, steps: usize) -> u64 {
    let mut hash = 0u64;
    let mut mix = |value: u64| hash = (hash ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    for _ in 0..steps {
        w.step(H).unwrap();
        mix(w.state_hash());
        for c in w.contacts() {
            for id in [w.body(c.a).unwrap().id(), w.body(c.b).unwrap().id()] {
                format!("{id}").bytes().for_each(|byte| mix(u64::from(byte)));
            }
            c.impulse.to_array().into_iter().for_each(|x| mix((x + 0.0).to_bits()));
        }
    }
    hash
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// The order in which the scene is written down.
fn in_order(scene: &Scene) -> Vec<usize> {
    (0..scene.bodies.len()).collect()
}

const CHILD: &str = "SIGNORINI_DETERMINISM_CHILD";

#[test]
fn h01_twenty_processes_agree() {
    let short = || scenes().iter().map(|s| history(&mut built(s, &in_order(s)), 60)).fold(0, |a, b| a ^ b);
    if std::env::var(CHILD).is_ok() {
        println!("history {:016x}", short());
        return;
    }
    let expected = format!("history {:016x}", short());
    let program = std::env::current_exe().unwrap();
    for _ in 0..20 {
        let mut child = Command::new(&program);
        let child = child.args(["--exact", "determinism::h01_twenty_processes_agree", "--nocapture"]).env(CHILD, "1");
        let said = String::from_utf8(child.output().unwrap().stdout).unwrap();
        assert!(said.contains(&expected), "expected '{expected}' in '{said}'");
    }
}

/// A scene too small to be shared says nothing about threads.
#[test]
fn the_stacks_are_shared_among_threads() {
    let scene = &scenes()[0];
    let mut world = built(scene, &in_order(scene));
    let counts = world.step(H).unwrap().counts;
    assert!(counts.contacts >= 64 && counts.islands >= 6, "{counts:?}");
}

#[test]
fn h02_threads_do_not_change_a_bit() {
    for (index, scene) in scenes().iter().enumerate() {
        let reference = pool(1).install(|| history(&mut built(scene, &in_order(scene)), 200));
        for threads in [2, 3, 4, 8, 16] {
            let found = pool(threads).install(|| history(&mut built(scene, &in_order(scene)), 200));
            assert_eq!(found, reference, "scene {index}, {threads} threads");
        }
    }
}

/// A hundred orders of adding, spread over the numbers of threads, a thousand steps each.
fn hundred_orders(index: usize) {
    let scene = &scenes()[index];
    let pools = [1, 2, 3, 8].map(pool);
    let reference = history(&mut built(scene, &in_order(scene)), 1000);
    let mut random = Random::new(300 + index as u64);
    for k in 0..100 {
        let order = random.order(scene.bodies.len());
        let found = pools[k % 4].install(|| history(&mut built(scene, &order), 1000));
        assert_eq!(found, reference, "scene {index}, order {order:?}");
    }
}

#[test]
fn h03_hundred_orders_of_adding_stacks() {
    hundred_orders(0);
}

#[test]
fn h03_hundred_orders_of_adding_sliders() {
    hundred_orders(1);
}

#[test]
fn h03_hundred_orders_of_adding_bouncers() {
    hundred_orders(2);
}

#[test]
fn h03_hundred_orders_of_adding_links() {
    hundred_orders(3);
}

#[test]
fn h03_hundred_orders_of_adding_tumblers() {
    hundred_orders(4);
}

#[test]
fn h03_hundred_orders_of_adding_a_heap() {
    hundred_orders(5);
}

#[test]
fn h05_a_far_body_changes_nothing() {
    for (index, scene) in scenes().iter().enumerate() {
        let run = |with: bool| {
            let mut w = built(scene, &in_order(scene));
            if with {
                // Sorts before all others and is an island of its own: everything moves up by one.
                w.add(ball("a stranger", v(-500.0, 0.0, 0.5))).unwrap();
            }
            advance(&mut w, 200, H);
            let stranger = |id: &BodyId| *id == "a stranger".into();
            w.bodies().filter(|(_, b)| !stranger(b.id())).map(|(_, b)| b.state()).collect::<Vec<_>>()
        };
        assert_eq!(run(false), run(true), "scene {index}");
    }
}

#[test]
fn h06_removing_and_adding_the_same_id_is_like_never_having_done_it() {
    for (index, scene) in scenes().iter().enumerate().filter(|(_, scene)| scene.joints.is_empty()) {
        let run = |churn: bool| {
            let mut w = built(scene, &in_order(scene));
            if churn {
                for i in [1, 2, 1] {
                    let named = built(scene, &[i]);
                    let (_, body) = named.bodies().next().unwrap();
                    let old = w.find(body.id().clone()).unwrap();
                    w.remove(old).unwrap();
                    w.add(scene.bodies[i].clone()).unwrap();
                }
            }
            history(&mut w, 200)
        };
        assert_eq!(run(false), run(true), "scene {index}");
    }
}

#[test]
fn h07_contacts_are_told_in_the_order_of_ids() {
    // Their order is part of the history that all tests here compare; here it is also that of the ids.
    for scene in &scenes() {
        let mut w = built(scene, &in_order(scene));
        for _ in 0..100 {
            w.step(H).unwrap();
            let ids: Vec<_> =
                w.contacts().iter().map(|c| [c.a, c.b].map(|b| w.body(b).unwrap().id().clone())).collect();
            assert!(ids.iter().all(|[a, b]| a < b), "{ids:?}");
        }
    }
}

#[test]
fn h08_other_names_change_the_motion_by_no_more_than_the_tolerance() {
    // Ids decide the order of contacts in the solver and which body comes first in a pair. Balls, so that the velocity is
    // unique; few steps, since what differs by the tolerance then moves apart by itself.
    let run = |names: [&str; 5]| {
        let settings = Settings { stop: StoppingRule::velocity(1e-12), ..Settings::default() };
        let mut w = World::new(settings).unwrap();
        w.add(floor(0.4, 0.0)).unwrap();
        for (i, name) in names.into_iter().enumerate() {
            let angle = i as f64 * std::f64::consts::TAU / 3.0;
            let place =
                if i < 3 { v(0.577 * angle.cos(), 0.577 * angle.sin(), 0.5) } else { v(0.01, 0.02, i as f64 - 1.69) };
            w.add(ball(name, place).velocity(v(-1.0, 0.2 * i as f64, 0.0)).material(surface(0.4, 0.0))).unwrap();
        }
        advance(&mut w, 10, H);
        names.map(|name| w.body(w.find(name).unwrap()).unwrap().state())
    };
    let reference = run(["a", "b", "c", "d", "e"]);
    for names in [["e", "d", "c", "b", "a"], ["c", "z", "a", "y", "b"], ["x", "g", "h", "a", "i"]] {
        for (found, expected) in run(names).iter().zip(&reference) {
            close_vector(found.velocity, expected.velocity, 1e-9);
            close_vector(found.angular_velocity, expected.angular_velocity, 1e-9);
        }
    }
}

#[test]
fn h09_mirror_symmetric_scenes_stay_so() {
    // Left and right halves are islands of their own; the arch of three is one island with its mirror plane inside.
    let settings = Settings { stop: StoppingRule::velocity(1e-14), ..Settings::default() };
    let mut w = World::new(settings).unwrap();
    w.add(floor(0.5, 0.5)).unwrap();
    for (side, name) in [(-1.0, "left"), (1.0, "right")] {
        let turn = DQuat::from_rotation_y(0.3 * side);
        let body =
            cube(&format!("{name} cube"), v(4.0 * side, 0.0, 1.2)).orientation(turn).velocity(v(-side, 0.0, 0.0));
        w.add(body.material(surface(0.5, 0.5))).unwrap();
        w.add(ball(&format!("{name} ball"), v(8.0 * side, 0.0, 2.0)).velocity(v(side, 0.0, 0.0))).unwrap();
        w.add(cube(&format!("{name} pillar"), v(0.9 * side, 20.0, 0.5))).unwrap();
    }
    let lintel = Body::dynamic(Shape::cuboid(v(1.4, 0.5, 0.25)).unwrap()).mass(2.0).position(v(0.0, 20.0, 1.25));
    w.add(lintel.named("lintel")).unwrap();
    let mut worst = 0.0f64;
    for _ in 0..300 {
        w.step(H).unwrap();
        for kind in ["cube", "ball", "pillar"] {
            let state = |side: &str| w.body(w.find(format!("{side} {kind}").as_str()).unwrap()).unwrap().state();
            let (left, right) = (state("left"), state("right"));
            let mirrored = v(-left.position.x, left.position.y, left.position.z);
            worst = worst.max((mirrored - right.position).length());
        }
        let lintel = w.body(w.find("lintel").unwrap()).unwrap().position();
        worst = worst.max(lintel.x.abs());
    }
    println!("worst asymmetry {worst:e} m");
    assert!(worst <= 1e-12, "{worst:e}");
}

//! The same bits for any order of adding and any number of threads.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;
use fixture::*;

/// A busy scene: boxes and balls that fall on each other, in several islands, and a hanging pair.
fn descriptions() -> Vec<Body> {
    let mut bodies = vec![Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(surface(0.6, 0.3)).named("floor")];
    for i in 0..12 {
        let (x, y, z) = (f64::from(i % 4) * 0.7, f64::from(i % 3) * 0.45, 0.6 + f64::from(i) * 0.4);
        let name = format!("body {i:02}");
        let body = if i % 2 == 0 { cube(&name, v(x, y, z)) } else { ball(&name, v(x, y, z)) };
        let spin = v(0.1 * f64::from(i), -0.2, 0.3);
        bodies.push(body.spin(spin).material(surface(0.4, 0.5)));
    }
    for i in 0..4 {
        let far = v(20.0 + 3.0 * f64::from(i), 0.0, 0.8);
        bodies.push(cube(&format!("far {i}"), far).orientation(DQuat::from_rotation_x(0.3)));
    }
    bodies
}

fn hashes(order: &[usize], steps: usize) -> Vec<u64> {
    let bodies = descriptions();
    let mut w = world();
    for i in order {
        w.add(bodies[*i].clone()).unwrap();
    }
    let (a, b) = (w.find("far 0").unwrap(), w.find("far 1").unwrap());
    w.add_joint(Joint::distance(a, DVec3::ZERO, (b, DVec3::ZERO), 3.0)).unwrap();
    (0..steps)
        .map(|_| {
            w.step(H).unwrap();
            w.state_hash()
        })
        .collect()
}

#[test]
fn insertion_orders_do_not_change_a_bit() {
    let count = descriptions().len();
    let reference = hashes(&(0..count).collect::<Vec<_>>(), 80);
    let mut state = 42u64;
    for _ in 0..6 {
        let mut order: Vec<usize> = (0..count).collect();
        for i in (1..count).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            order.swap(i, (state >> 33) as usize % (i + 1));
        }
        assert_eq!(hashes(&order, 80), reference);
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let count = descriptions().len();
    let order: Vec<usize> = (0..count).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| hashes(&order, 80))
    };
    let reference = run(1);
    for threads in [2, 3, 4, 8] {
        assert_eq!(run(threads), reference, "{threads} threads");
    }
}

#[test]
fn a_far_body_does_not_change_a_bit_of_the_others() {
    let run = |with: bool| {
        let mut w = world();
        for body in descriptions() {
            w.add(body).unwrap();
        }
        if with {
            // Sorts before all others and is an island of its own: everything moves up by one.
            w.add(ball("a stranger", v(-50.0, 0.0, 0.5))).unwrap();
        }
        for _ in 0..60 {
            w.step(H).unwrap();
        }
        w.bodies().filter(|(_, b)| *b.id() != "a stranger".into()).map(|(_, b)| b.state()).collect::<Vec<_>>()
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn removing_and_adding_the_same_id_again_is_like_never_having_done_it() {
    let run = |churn: bool| {
        let mut w = world();
        for body in descriptions() {
            w.add(body).unwrap();
        }
        if churn {
            let ball = w.find("body 03").unwrap();
            w.remove(ball).unwrap();
            w.add(descriptions()[4].clone()).unwrap();
        }
        for _ in 0..60 {
            w.step(H).unwrap();
        }
        w.state_hash()
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn minus_zero_is_zero() {
    let run = |zero: f64| {
        let mut w = world();
        add_floor(&mut w, 0.5, 0.5);
        w.add(cube("cube", v(zero, zero, 1.0)).velocity(v(zero, 1.0, zero))).unwrap();
        for _ in 0..60 {
            w.step(H).unwrap();
        }
        w.state_hash()
    };
    assert_eq!(run(0.0), run(-0.0));
}

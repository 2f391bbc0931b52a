//! Joints hold: where bodies end in a step, for as long as they are watched, and at no cost when nothing moves.

use crate::fixture::*;

/// How far a fixed joint may let the orientation of two tumbling bodies be off, at end poses [rad].
const FIXED_ANGLE: f64 = 1e-8;

/// How far a distance joint may let a swinging bob be off, at end poses \[m\].
const DISTANCE: f64 = 1e-8;

#[test]
fn a_swinging_bob_keeps_its_distance_for_ten_thousand_steps() {
    // A rod of 2 m let go from the horizontal: up to √(2g·2 m) = 6.3 m/s, in one plane.
    let mut w = world();
    let b = w.add(ball("bob", v(2.0, 0.0, 0.0))).unwrap();
    w.add_joint(Joint::distance(b, DVec3::ZERO, DVec3::ZERO, 2.0)).unwrap();
    let (mut worst, mut fastest) = (0.0f64, 0.0f64);
    for _ in 0..10_000 {
        step_certified(&mut w, H);
        let body = w.body(b).unwrap();
        worst = worst.max((body.position().length() - 2.0).abs());
        fastest = fastest.max(body.velocity().length());
        assert!(body.position().y.abs() < 1e-9);
    }
    assert!(fastest > 6.0, "it must swing");
    assert!(worst <= DISTANCE, "off by {worst:e} m");
}

#[test]
fn a_fixed_joint_turns_back_what_was_turned_and_keeps_it_while_both_tumble() {
    // Two long boxes joined at right angles, spinning about an axis that is none of their inertia's: the pair tumbles, and
    // the joint carries a torque that changes all the time. One of them is put 0.1 rad off: half of what is left is taken
    // out in a step, so that after a second, 62 steps, nothing of it is.
    let mut w = weightless();
    let (angular_velocity, turn) = (v(1.0, 3.0, 2.0), DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
    let mut add = |name: &str, position: DVec3, orientation: DQuat| {
        let body = Body::dynamic(Shape::cuboid(v(0.5, 0.1, 0.2)).unwrap()).mass(1.0).named(name);
        let velocity = angular_velocity.cross(position - v(0.25, 0.25, 0.0));
        w.add(body.position(position).orientation(orientation).velocity(velocity).angular_velocity(angular_velocity))
            .unwrap()
    };
    let (a, b) = (add("a", DVec3::ZERO, DQuat::IDENTITY), add("b", v(0.5, 0.5, 0.0), turn));
    w.add_joint(Joint::fixed(a, v(0.5, 0.0, 0.0), (b, v(-0.5, 0.0, 0.0)))).unwrap();
    let off = |w: &World| {
        let [qa, qb] = [a, b].map(|body| w.body(body).unwrap().orientation());
        // Twice the sine of half the angle: for small ones the angle itself, to the last digit.
        2.0 * (qb * (qa * turn).inverse()).xyz().length()
    };
    w.set_orientation(b, DQuat::from_scaled_axis(0.1 * v(0.6, 0.0, 0.8)) * turn).unwrap();
    close(off(&w), 0.1, 1e-4);
    let (mut turned_over, mut worst) = (false, 0.0f64);
    for step in 0..2000 {
        // What was turned by hand is told by the certificate until it is turned back.
        if step < 62 {
            w.step(H).unwrap();
        } else {
            step_certified(&mut w, H);
            worst = worst.max(off(&w));
        }
        turned_over |= (w.body(a).unwrap().orientation() * DVec3::Z).z < -0.9;
    }
    assert!(turned_over, "they must tumble");
    assert!(worst <= FIXED_ANGLE, "off by {worst:e} rad");
}

#[test]
fn a_jointed_structure_at_rest_is_not_solved_again() {
    // A chain that hangs by all three kinds of joints, and two jointed cubes that stand on the floor.
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let links: Vec<_> =
        (0..3).map(|i| w.add(cube(&format!("link {i}"), v(0.0, 0.0, 9.0 - 2.0 * f64::from(i)))).unwrap()).collect();
    w.add_joint(Joint::ball(links[0], v(0.0, 0.0, 1.0), v(0.0, 0.0, 10.0))).unwrap();
    w.add_joint(Joint::fixed(links[1], v(0.0, 0.0, 1.0), (links[0], v(0.0, 0.0, -1.0)))).unwrap();
    w.add_joint(Joint::distance(links[2], DVec3::ZERO, (links[1], DVec3::ZERO), 2.0)).unwrap();
    let [left, right] = [("left", 5.0), ("right", 7.0)].map(|(name, x)| w.add(cube(name, v(x, 0.0, 0.5))).unwrap());
    w.add_joint(Joint::fixed(left, v(1.0, 0.0, 0.0), (right, v(-1.0, 0.0, 0.0)))).unwrap();
    run(&mut w, 20);
    for _ in 0..100 {
        let report = step_certified(&mut w, H);
        assert_eq!((report.counts.islands, report.counts.joints), (2, 4));
        let effort = report.effort;
        assert_eq!((effort.iterations, effort.factorizations), (0, 0), "step {}", w.steps());
    }
    // What is taken again is the answer: what a link hangs by, less what hangs from it, is its own weight. Certified to
    // 1e-9 m/s, that is 6e-8 N for 1 kg in a step.
    for link in links {
        close_vector(w.body(link).unwrap().constraint_forces().force, v(0.0, 0.0, G), 1e-7);
    }
}

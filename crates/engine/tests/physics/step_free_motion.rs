//! Bodies that touch nothing, against closed forms.

use crate::fixture::*;

#[test]
fn f1_free_fall_is_the_parabola_and_conserves_energy() {
    let mut w = world();
    let b = w.add(ball("ball", v(0.0, 0.0, 10.0)).velocity(v(1.0, 0.0, 3.0))).unwrap();
    let energy = w.energy().total();
    run(&mut w, 100);
    let t = 100.0 * H;
    close_vector(w.body(b).unwrap().position(), v(t, 0.0, 10.0 + 3.0 * t - 0.5 * G * t * t), 1e-11);
    close(w.energy().total(), energy, 1e-11);
}

#[test]
fn torque_free_asymmetric_top_keeps_momentum_and_energy_for_ten_seconds() {
    let mut w = weightless();
    let shape = Shape::cuboid(v(0.5, 0.3, 0.1)).unwrap();
    // About the middle axis, slightly off: it tumbles.
    let b = w.add(Body::dynamic(shape).mass(2.0).angular_velocity(v(0.01, 8.0, 0.02))).unwrap();
    let (momentum, energy) = (w.body(b).unwrap().angular_momentum(), w.energy().total());
    let mut turned_over = false;
    for _ in 0..625 {
        step_certified(&mut w, H);
        let body = w.body(b).unwrap();
        turned_over |= (body.orientation() * DVec3::Y).y < -0.9;
        assert!((body.angular_momentum() - momentum).length() <= 1e-12 * momentum.length());
        assert!((w.energy().total() - energy).abs() <= 1e-12 * energy);
        close(body.orientation().length(), 1.0, 1e-15);
    }
    assert!(turned_over, "the middle axis is unstable: the body must flip");
}

#[test]
fn free_rotation_is_exact_whatever_the_step() {
    // Orientation after one second against a run with 256 times shorter steps: 1e-10 rad, what a second's round-off leaves.
    let after = |steps: usize| {
        let mut w = weightless();
        let shape = Shape::cuboid(v(0.5, 0.3, 0.1)).unwrap();
        let b = w.add(Body::dynamic(shape).angular_velocity(v(1.0, 3.0, 2.0))).unwrap();
        for _ in 0..steps {
            w.step(1.0 / steps as f64).unwrap();
        }
        w.body(b).unwrap().orientation()
    };
    let truth = after(16384);
    for steps in [10, 60, 64, 128] {
        let error = 2.0 * (after(steps).inverse() * truth).xyz().length();
        assert!(error <= 1e-10, "{steps} steps: {error:e} rad");
    }
}

#[test]
fn world_spin_axis_of_a_turned_body() {
    // D8: spin about world z of a body turned by 90° about x.
    let mut w = weightless();
    let turn = DQuat::from_axis_angle(DVec3::X, std::f64::consts::FRAC_PI_2);
    let b = w.add(cube("cube", DVec3::ZERO).orientation(turn).angular_velocity(DVec3::Z)).unwrap();
    for _ in 0..100 {
        step_certified(&mut w, 0.01);
    }
    let body = w.body(b).unwrap();
    assert_eq!(body.angular_velocity(), DVec3::Z);
    let expected = DQuat::from_axis_angle(DVec3::Z, 1.0) * turn;
    assert!((body.orientation().dot(expected).abs() - 1.0).abs() < 1e-12);
}

#[test]
fn spin_of_ten_stays_ten_and_the_quaternion_stays_unit() {
    let mut w = weightless();
    let b = w.add(ball("ball", DVec3::ZERO).angular_velocity(v(0.0, 0.0, 10.0))).unwrap();
    for _ in 0..10_000 {
        w.step(H).unwrap();
    }
    let body = w.body(b).unwrap();
    assert_eq!(body.angular_velocity(), v(0.0, 0.0, 10.0));
    assert!((body.orientation().length() - 1.0).abs() < 1e-15);
}

#[test]
fn extreme_spin_of_a_long_box_keeps_energy_and_momentum() {
    let mut w = weightless();
    let shape = Shape::cuboid(v(0.5, 0.1, 0.1)).unwrap();
    let b = w.add(Body::dynamic(shape).mass(1.0).angular_velocity(v(2e3, 1e3, 5e2))).unwrap();
    let (momentum, energy) = (w.body(b).unwrap().angular_momentum(), w.energy().total());
    for _ in 0..20 {
        step_certified(&mut w, H);
    }
    let body = w.body(b).unwrap();
    assert!((body.angular_momentum() - momentum).length() <= 1e-10 * momentum.length());
    assert!((w.energy().total() - energy).abs() <= 1e-10 * energy);
    close(body.orientation().length(), 1.0, 1e-12);
}

#[test]
fn constant_force_and_torque_and_their_work() {
    let mut w = weightless();
    let b = w.add(cube("cube", DVec3::ZERO)).unwrap();
    let mut work = 0.0;
    for _ in 0..50 {
        w.add_force(b, v(3.0, 0.0, 0.0)).unwrap();
        w.add_torque(b, v(0.0, 0.0, 0.5)).unwrap();
        work += step_certified(&mut w, H).energy.external;
    }
    let (t, body) = (50.0 * H, w.body(b).unwrap());
    close(body.velocity().x, 3.0 * t, 1e-12);
    close(body.position().x, 1.5 * t * t, 1e-12);
    // I = m s²/6.
    close(body.angular_velocity().z, 3.0 * t, 1e-12);
    close((body.orientation().to_scaled_axis()).z, 1.5 * t * t, 1e-12);
    close(w.energy().total(), work, 1e-12);
    // Forces last one step.
    let speed = body.velocity();
    w.step(H).unwrap();
    assert_eq!(w.body(b).unwrap().velocity(), speed);
}

#[test]
fn force_off_centre_turns() {
    let mut w = weightless();
    let b = w.add(cube("cube", v(1.0, 2.0, 3.0))).unwrap();
    w.add_force_at(b, v(0.0, 6.0, 0.0), v(1.5, 2.0, 3.0)).unwrap();
    w.step(H).unwrap();
    close_vector(w.body(b).unwrap().velocity(), v(0.0, 6.0 * H, 0.0), 1e-15);
    close_vector(w.body(b).unwrap().angular_velocity(), v(0.0, 0.0, 18.0 * H), 1e-14);
}

#[test]
fn kinematic_bodies_move_as_told_and_fixed_ones_not_at_all() {
    let mut w = world();
    let k = w
        .add(Body::kinematic(Shape::sphere(1.0).unwrap()).velocity(v(1.0, 0.0, 0.5)).angular_velocity(v(0.0, 0.0, 2.0)))
        .unwrap();
    let f = w.add(Body::fixed(Shape::sphere(1.0).unwrap()).position(v(9.0, 9.0, 9.0))).unwrap();
    let before = w.body(f).unwrap().state();
    run(&mut w, 50);
    let t = 50.0 * H;
    close_vector(w.body(k).unwrap().position(), v(t, 0.0, 0.5 * t), 1e-12);
    close(w.body(k).unwrap().orientation().to_scaled_axis().z, 2.0 * t, 1e-12);
    assert_eq!(w.body(f).unwrap().state(), before);
}

#[test]
fn energy_of_known_motions() {
    let kinetic = |body: Body| {
        let mut w = weightless();
        w.add(body).unwrap();
        w.energy().total()
    };
    close(kinetic(ball("a", DVec3::ZERO).mass(2.0).velocity(v(3.0, 0.0, 0.0))), 9.0, 1e-14);
    close(kinetic(ball("a", DVec3::ZERO).velocity(v(1.0, 2.0, 3.0))), 7.0, 1e-14);
    close(kinetic(cube("a", DVec3::ZERO).angular_velocity(v(0.0, 0.0, 2.0))), 1.0 / 3.0, 1e-14);
    let mut w = world();
    w.add(ball("a", v(0.0, 0.0, 10.0)).mass(5.0)).unwrap();
    close(w.energy().potential, 490.5, 1e-12);
}

#[test]
fn slender_bodies_keep_energy_and_momentum_at_any_spin() {
    // Moments of inertia in the ratio 1 : 5000; the spin has parts along and across.
    for speed in [1.0, 20.0, 200.0, 3000.0] {
        for tilt in [0.0, 1e-3, 0.1, 0.7, 1.5] {
            let mut w = weightless();
            let rod = Body::dynamic(Shape::cuboid(v(0.5, 0.005, 0.005)).unwrap()).mass(1.0);
            let b = w.add(rod.angular_velocity(speed * v(f64::sin(tilt), 0.0, f64::cos(tilt)))).unwrap();
            let (momentum, energy) = (w.body(b).unwrap().angular_momentum(), w.energy().total());
            for _ in 0..20 {
                step_certified(&mut w, H);
            }
            let after = w.body(b).unwrap().angular_momentum();
            assert!((after - momentum).length() <= 1e-11 * momentum.length(), "{speed} rad/s, tilt {tilt}: {after}");
            close(w.energy().total(), energy, 1e-9 * energy);
        }
    }
}

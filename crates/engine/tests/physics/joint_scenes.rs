//! Machines of joints against paper: a cart with a pole, a vehicle on springs, a gripper, a motor on its torque-speed line.

use crate::fixture::*;
use signorini::{Frame, Motor};

/// Rates of (x, θ, ẋ, θ̇) of a pole of mass m, centre at l and inertia I about it, on a cart of mass M, θ from upright:
/// `(M + m)ẍ + m l(θ̈ cos θ − θ̇² sin θ) = 0` and `(I + m l²)θ̈ + m l ẍ cos θ = m g l sin θ`.
fn cart_pole_rates(s: [f64; 4], cart: f64, (m, l, inertia): (f64, f64, f64)) -> [f64; 4] {
    let (sine, cosine) = s[1].sin_cos();
    let (a, b, c) = (cart + m, m * l * cosine, inertia + m * l * l);
    let (p, q) = (m * l * s[3] * s[3] * sine, m * G * l * sine);
    let determinant = a * c - b * b;
    [s[2], s[3], (c * p - b * q) / determinant, (a * q - b * p) / determinant]
}

/// The step is of second order, so halving it must take the error to the solution of the equations, found by Runge and Kutta's
/// method in steps of 1e-4 s, down to a quarter.
#[test]
fn a_cart_with_a_pole_moves_by_its_equations_at_second_order() {
    let (cart, m, l, half) = (2.0, 0.5, 0.4, v(0.01, 0.01, 0.4));
    let inertia = m * (half.x * half.x + half.z * half.z) / 3.0;
    let start: f64 = 0.3;
    let mut s = [0.0, start, 0.0, 0.0];
    let dt = 1e-4;
    for _ in 0..10_000 {
        let rates = |s: [f64; 4]| cart_pole_rates(s, cart, (m, l, inertia));
        let along = |k: [f64; 4], by: f64| std::array::from_fn(|i| s[i] + by * k[i]);
        let k1 = rates(s);
        let k2 = rates(along(k1, 0.5 * dt));
        let k3 = rates(along(k2, 0.5 * dt));
        let k4 = rates(along(k3, dt));
        s = std::array::from_fn(|i| s[i] + dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    let error = |steps: usize| {
        let mut w = world();
        let body = Body::dynamic(Shape::cuboid(DVec3::splat(0.05)).unwrap()).mass(cart).named("cart");
        let body = w.add(body).unwrap();
        let rail = Frame::along(DVec3::ZERO, DVec3::X);
        let slide = w.add_joint(Joint::prismatic(body, rail, rail)).unwrap();
        // Turning about y takes z to x.
        let turn = DQuat::from_rotation_y(start);
        let pole = Body::dynamic(Shape::cuboid(half).unwrap()).mass(m).named("pole");
        let pole = w.add(pole.position(turn * v(0.0, 0.0, l)).orientation(turn)).unwrap();
        let axes = DQuat::from_rotation_arc(DVec3::Z, DVec3::Y);
        let on_pole = Frame { point: v(0.0, 0.0, -l), axes };
        let hinge = w.add_joint(Joint::revolute(pole, on_pole, (body, Frame { point: DVec3::ZERO, axes }))).unwrap();
        for _ in 0..steps {
            step_certified(&mut w, 1.0 / steps as f64);
        }
        let (x, angle) = (w.joint_position(slide).unwrap()[0], w.joint_position(hinge).unwrap()[0]);
        (x - s[0]).abs().max((angle - s[1]).abs())
    };
    let (coarse, fine) = (error(240), error(480));
    assert!(fine < 1e-3, "{fine}");
    assert!((3.0..5.0).contains(&(coarse / fine)), "{coarse} {fine}");
}

/// A body on four upright springs over wheels that stand: each is pressed by m g/4k, whatever the wheels weigh.
#[test]
fn a_vehicle_sags_by_its_weight_over_its_springs() {
    let (mass, k, d, radius) = (80.0, 4000.0, 600.0, 0.2);
    let mut w = world();
    add_floor(&mut w, 0.8, 0.0);
    let body = Body::dynamic(Shape::cuboid(v(0.6, 0.3, 0.1)).unwrap()).mass(mass).named("body");
    let body = w.add(body.position(v(0.0, 0.0, 0.5))).unwrap();
    let mut springs = Vec::new();
    for (name, x, y) in [("fl", 0.5, 0.4), ("fr", 0.5, -0.4), ("bl", -0.5, 0.4), ("br", -0.5, -0.4)] {
        let wheel = Body::dynamic(Shape::sphere(radius).unwrap()).mass(5.0).material(surface(0.8, 0.0));
        let wheel = w.add(wheel.named(name).position(v(x, y, radius))).unwrap();
        let seat = v(x, y, radius - 0.5);
        springs.push(w.add_joint(Joint::prismatic(wheel, DVec3::ZERO, (body, seat)).spring(k, d, 0.0)).unwrap());
    }
    for _ in 0..300 {
        step_certified(&mut w, H);
    }
    for spring in springs {
        close(w.joint_position(spring).unwrap()[0], mass * G / (4.0 * k), 1e-6);
        close(w.joint_forces(spring).unwrap().coordinates[0].spring, -mass * G / 4.0, 1e-3);
    }
}

/// Two fingers press a box with F each. Friction carries up to 2μF: below that it hangs, above it falls with g − 2μF/m, and as
/// constant forces make exact parabolas, the fall is v = (g − 2μF/m)t up to the 1e-6 m/s that each certified step may leave.
#[test]
fn a_gripper_lets_slip_above_twice_its_friction() {
    let (friction, force) = (0.5, 20.0);
    for share in [0.98, 1.02] {
        let mass = share * 2.0 * friction * force / G;
        let mut w = world();
        let held = Body::dynamic(Shape::cuboid(DVec3::splat(0.05)).unwrap()).mass(mass).named("box");
        let held = w.add(held.material(surface(friction, 0.0))).unwrap();
        for (name, side) in [("left", -1.0), ("right", 1.0)] {
            let finger = Body::dynamic(Shape::cuboid(v(0.01, 0.04, 0.2)).unwrap()).mass(0.3).named(name);
            let place = v(0.06 * side, 0.0, 0.0);
            let finger = w.add(finger.material(surface(friction, 0.0)).position(place)).unwrap();
            let inwards = v(-side, 0.0, 0.0);
            let slide = Joint::prismatic(finger, Frame::along(DVec3::ZERO, inwards), Frame::along(place, inwards));
            w.add_joint(slide.motor(Motor::velocity(0.1, force))).unwrap();
        }
        for step in 1..=15 {
            step_certified(&mut w, H);
            let falls = (G - 2.0 * friction * force / mass).max(0.0) * f64::from(step) * H;
            close(w.body(held).unwrap().velocity().z, -falls, 1e-6 * f64::from(step));
        }
    }
}

/// A motor whose torque falls with its speed, τ = d(ω₀ − ω), against a load T: backward Euler of Iω̇ = d(ω₀ − ω) − T, in closed
/// form `ω_n = ω∞(1 − (1 + hd/I)⁻ⁿ)` with ω∞ = ω₀ − T/d. A load of dω₀ stalls it.
#[test]
fn a_motor_runs_up_its_torque_speed_line() {
    let (inertia, d, no_load) = (0.4, 0.5, 30.0);
    for load in [0.0, 5.0, d * no_load] {
        let mut w = weightless();
        let wheel = Body::dynamic(Shape::sphere(1.0).unwrap()).mass(1.0).named("wheel");
        let wheel = w.add(wheel).unwrap();
        let motor =
            Motor::Servo { stiffness: 0.0, damping: d, target: 0.0, velocity: no_load, max_force: f64::INFINITY };
        let shaft = w.add_joint(Joint::revolute(wheel, DVec3::ZERO, DVec3::ZERO).motor(motor)).unwrap();
        w.set_joint_force(shaft, 0, -load).unwrap();
        for step in 1..=100 {
            step_certified(&mut w, H);
            let paper = (no_load - load / d) * (1.0 - (1.0 + H * d / inertia).powi(-step));
            close(w.joint_velocity(shaft).unwrap()[0], paper, 1e-8);
        }
    }
}

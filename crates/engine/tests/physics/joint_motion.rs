//! Motion on hinges against closed forms: periods, orders of convergence, energies, loops, gyroscopes.

use crate::fixture::*;
use signorini::{Frame, JointHandle};

/// Frame at a point whose z axis is the y axis.
fn about_y(point: DVec3) -> Frame {
    Frame { point, axes: DQuat::from_rotation_arc(DVec3::Z, DVec3::Y) }
}

/// A rod of 1 kg, `length` long, from `top`, hanging at `angle` about y; and its inertia about its end.
fn rod(name: &str, top: DVec3, length: f64, angle: f64) -> (Body, f64) {
    let half = v(0.01, 0.01, 0.5 * length);
    let turn = DQuat::from_rotation_y(angle);
    let body = Body::dynamic(Shape::cuboid(half).unwrap()).mass(1.0).named(name);
    let about_end = (half.z.powi(2) + half.x.powi(2)) / 3.0 + half.z.powi(2);
    (body.position(top + turn * v(0.0, 0.0, -half.z)).orientation(turn), about_end)
}

fn pendulum(angle: f64) -> (World, JointHandle, f64) {
    let mut w = world();
    let (body, inertia) = rod("rod", DVec3::ZERO, 1.0, angle);
    let body = w.add(body).unwrap();
    let joint = Joint::revolute(body, about_y(v(0.0, 0.0, 0.5)), about_y(DVec3::ZERO));
    let joint = w.add_joint(joint).unwrap();
    (w, joint, inertia)
}

/// Period of a pendulum with amplitude θ: 2π/(ω AGM(1, cos θ/2)), Gauss's arithmetic-geometric mean of the elliptic integral.
fn period(omega: f64, amplitude: f64) -> f64 {
    let (mut a, mut g) = (1.0, (0.5 * amplitude).cos());
    while a - g > 1e-15 {
        (a, g) = (0.5 * (a + g), f64::sqrt(a * g));
    }
    std::f64::consts::TAU / (omega * a)
}

/// Time of the second passage of zero in the same sense, by the cubic through the ends of a step.
fn measured_period(amplitude: f64, h: f64) -> f64 {
    let (mut w, joint, _) = pendulum(amplitude);
    let read = |w: &World| (w.joint_position(joint).unwrap()[0], w.joint_velocity(joint).unwrap()[0]);
    let mut passages = Vec::new();
    let mut last = read(&w);
    while passages.len() < 2 {
        step_certified(&mut w, h);
        let next = read(&w);
        if last.0 > 0.0 && next.0 <= 0.0 {
            // Hermite's cubic on the step, its root by bisection.
            let at = |s: f64| {
                let (a, b) = (1.0 - s, s);
                last.0 * (1.0 + 2.0 * s) * a * a
                    + h * last.1 * s * a * a
                    + next.0 * b * b * (3.0 - 2.0 * s)
                    + h * next.1 * b * b * (s - 1.0)
            };
            let (mut lo, mut hi) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = 0.5 * (lo + hi);
                if at(middle) > 0.0 { lo = middle } else { hi = middle }
            }
            passages.push(w.time() - h + h * lo);
        }
        last = next;
    }
    passages[1] - passages[0]
}

#[test]
fn a_hinged_rod_swings_with_the_period_of_the_elliptic_integral_at_second_order() {
    let (_, _, inertia) = pendulum(0.0);
    let exact = period((G * 0.5 / inertia).sqrt(), 2.0);
    let errors = [1.0 / 240.0, 1.0 / 480.0, 1.0 / 960.0].map(|h| measured_period(2.0, h) / exact - 1.0);
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() < 0.2, "order {order}, errors {errors:?}");
    }
    assert!(errors[2].abs() < 2e-6, "{errors:?}");
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    let mut w = world();
    let (upper, _) = rod("upper", DVec3::ZERO, 1.0, 1.8);
    let upper = w.add(upper).unwrap();
    let elbow = DQuat::from_rotation_y(1.8) * v(0.0, 0.0, -1.0);
    let (lower, _) = rod("lower", elbow, 0.7, 2.4);
    let lower = w.add(lower).unwrap();
    w.add_joint(Joint::revolute(upper, about_y(v(0.0, 0.0, 0.5)), about_y(DVec3::ZERO))).unwrap();
    let joint = Joint::revolute(lower, about_y(v(0.0, 0.0, 0.35)), (upper, about_y(v(0.0, 0.0, -0.5))));
    let joint = w.add_joint(joint).unwrap();
    let start = w.energy().total();
    // Between the highest and the lowest that there is: 1 kg·g·1 m + 1 kg·g·2.35 m.
    let (mut most, mut least, mut gap) = (0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..2400 {
        step_certified(&mut w, 1.0 / 240.0);
        let change = (w.energy().total() - start) / (G * 3.35);
        (most, least) = (most.max(change), least.min(change));
        gap = gap.max(w.joint_error(joint).unwrap());
    }
    assert!(least > -5e-3 && most < 1e-6, "{least:e} .. {most:e}");
    assert!(gap <= 1e-8, "{gap:e}");
}

#[test]
fn a_four_bar_linkage_goes_around() {
    // Crank 0.3, coupler 1, rocker 0.8, base 1 m: Grashof's 0.3 + 1 ≤ 1 + 0.8, so the crank turns all the way.
    let mut w = weightless();
    let (crank, coupler, rocker, base) = (0.3f64, 1.0f64, 0.8f64, 1.0f64);
    // Crank upright from the origin; the pin of coupler and rocker from two circles.
    let pin_a = v(0.0, 0.0, crank);
    let apart = v(base, 0.0, 0.0) - pin_a;
    let along = (coupler * coupler - rocker * rocker + apart.length_squared()) / (2.0 * apart.length());
    let up = DVec3::Y.cross(apart.normalize()) * -1.0;
    let pin_b = pin_a + apart.normalize() * along + up * (coupler * coupler - along * along).sqrt();
    let bar = |w: &mut World, name: &str, from: DVec3, to: DVec3| {
        let half = v(0.5 * (to - from).length(), 0.02, 0.02);
        // A turn about y, so that the hinges are about y of every bar.
        let turn = DQuat::from_rotation_y((-(to - from).z).atan2((to - from).x));
        let body = Body::dynamic(Shape::cuboid(half).unwrap()).mass(1.0).named(name);
        w.add(body.position(0.5 * (from + to)).orientation(turn)).unwrap()
    };
    let a = bar(&mut w, "crank", DVec3::ZERO, pin_a);
    let b = bar(&mut w, "coupler", pin_a, pin_b);
    let c = bar(&mut w, "rocker", v(base, 0.0, 0.0), pin_b);
    let end = |length: f64, sign: f64| about_y(v(0.5 * sign * length, 0.0, 0.0));
    let drive = Joint::revolute(a, end(crank, -1.0), about_y(DVec3::ZERO)).motor(signorini::Motor::velocity(3.0, 50.0));
    // The angle of the crank is counted from where it lies along x.
    let drive = w.add_joint(drive).unwrap();
    let pins = [
        w.add_joint(Joint::revolute(b, end(coupler, -1.0), (a, end(crank, 1.0)))).unwrap(),
        w.add_joint(Joint::revolute(c, end(rocker, 1.0), (b, end(coupler, 1.0)))).unwrap(),
        w.add_joint(Joint::revolute(c, end(rocker, -1.0), about_y(v(base, 0.0, 0.0)))).unwrap(),
    ];
    let start = w.joint_position(drive).unwrap()[0];
    let mut gap = 0.0_f64;
    for _ in 0..600 {
        step_certified(&mut w, 1.0 / 120.0);
        gap = pins.iter().fold(gap, |gap, pin| gap.max(w.joint_error(*pin).unwrap()));
    }
    let turned = w.joint_position(drive).unwrap()[0] - start;
    assert!((turned - 15.0).abs() < 0.1, "turned by {turned}");
    assert!(gap <= 1e-8, "{gap:e}");
}

#[test]
fn a_gyroscope_precesses_as_it_should() {
    // A disc on a weightless arm, held at its other end by a ball: Ω = m g l/(I ω) for a fast top. A step turns it by 0.8 rad.
    let h = 0.01;
    let (radius, thick, arm, angular_velocity) = (0.5, 0.02, 0.2, 80.0);
    let mut w = world();
    let disc = Body::dynamic(Shape::cylinder(0.5 * thick, radius).unwrap()).mass(1.0).named("disc");
    let axle = DQuat::from_rotation_arc(DVec3::Z, DVec3::X);
    let axial = 0.5 * radius * radius;
    // Steady precession with a level axle: I_a ω Ω = m g l exactly, since the axle's own turning has no moment.
    let rate = G * arm / (axial * angular_velocity);
    let body = w
        .add(
            disc.position(v(arm, 0.0, 0.0))
                .orientation(axle)
                .angular_velocity(v(angular_velocity, 0.0, rate))
                .velocity(v(0.0, rate * arm, 0.0)),
        )
        .unwrap();
    w.add_joint(Joint::ball(body, axle.inverse() * v(-arm, 0.0, 0.0), DVec3::ZERO)).unwrap();
    let (mut turned, mut last) = (0.0, 0.0_f64);
    for _ in 0..2000 {
        step_certified(&mut w, h);
        let x = w.body(body).unwrap().centre_of_mass();
        let angle = x.y.atan2(x.x);
        turned += (angle - last).sin().asin();
        last = angle;
    }
    let error = turned / (2000.0 * h * rate) - 1.0;
    assert!(error.abs() < 1e-3, "precession off by {error:e}");
}

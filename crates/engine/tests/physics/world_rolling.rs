//! Contacts that resist spinning and rolling, against paper.

use crate::fixture::*;
use signorini::{Frame, Joint, Scene, Snapshot, SurfaceMotion};

const RADIUS: f64 = 0.1;
const MASS: f64 = 2.0;

/// A step that is certified, whose ledger closes, and in which friction gives nothing.
fn certified(w: &mut World, dt: f64) -> StepReport {
    let report = w.step(dt).unwrap();
    let misses: Vec<_> = report.certificate.misses().collect();
    assert_eq!(report.status, StepStatus::Certified, "{misses:?}");
    assert!(report.energy.closure().abs() <= 1e-9 * report.energy.scale().max(1.0), "{:?}", report.energy);
    assert!(report.energy.friction <= 1e-10, "{:?}", report.energy);
    report
}

fn floor(torsional: f64, rolling: f64) -> Body {
    let material = surface(0.5, 0.0).rolling(torsional, rolling);
    Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(material).named("floor")
}

fn ball(name: &str, position: DVec3) -> Body {
    let body = Body::dynamic(Shape::sphere(RADIUS).unwrap()).mass(MASS).position(position);
    body.material(surface(0.5, 0.0)).named(name)
}

fn total(w: &World) -> f64 {
    w.energy().total()
}

/// m a = −F and (2/5) m r² a/r = F r − μ_r m g: a = −(5/7) μ_r g/r while it rolls, and then it stands for good.
#[test]
fn a_rolling_ball_is_slowed_by_five_sevenths_of_mu_r_g_over_r() {
    let (speed, rolling) = (0.5, 3e-3);
    let mut w = world();
    w.add(floor(0.0, rolling)).unwrap();
    let start =
        ball("ball", v(0.0, 0.0, RADIUS)).velocity(v(speed, 0.0, 0.0)).angular_velocity(v(0.0, speed / RADIUS, 0.0));
    let body = w.add(start).unwrap();
    let a = 5.0 / 7.0 * rolling * G / RADIUS;
    let (mut t, mut energy) = (0.0, total(&w));
    while t < speed / a + 0.2 {
        certified(&mut w, H);
        t += H;
        let expected = f64::max(0.0, speed - a * t);
        let found = w.body(body).unwrap();
        assert!((found.velocity().x - expected).abs() < 1e-8, "at {t}: {} not {expected}", found.velocity().x);
        assert!((found.angular_velocity().y * RADIUS - expected).abs() < 1e-8, "it slips");
        assert!(total(&w) <= energy + 1e-10);
        energy = total(&w);
    }
    // v²/(2a), to the last step in which it stops somewhere.
    let way = w.body(body).unwrap().position().x;
    assert!((way - speed * speed / (2.0 * a)).abs() < 1e-4, "{way}");
    assert_eq!(w.body(body).unwrap().velocity(), DVec3::ZERO);
}

/// About the contact the weight turns it by m g r sin θ, and μ_r m g cos θ holds it. Above, a = (5/7) g (sin θ − μ_r/r cos θ).
#[test]
fn a_ball_starts_to_roll_where_the_slope_is_mu_r_over_r() {
    let rolling = 5e-3;
    for (slope, starts) in [(0.98 * rolling / RADIUS, false), (1.02 * rolling / RADIUS, true)] {
        let angle = slope.atan();
        let mut w = world();
        let settings = Settings { gravity: G * v(angle.sin(), 0.0, -angle.cos()), ..*w.settings() };
        w.set_settings(settings).unwrap();
        w.add(floor(0.0, rolling)).unwrap();
        let body = w.add(ball("ball", v(0.0, 0.0, RADIUS))).unwrap();
        for _ in 0..60 {
            certified(&mut w, H);
        }
        let found = w.body(body).unwrap().velocity().x;
        let expected = 5.0 / 7.0 * G * (angle.sin() - rolling / RADIUS * angle.cos()) * 60.0 * H;
        let expected = if starts { expected } else { 0.0 };
        assert!((found - expected).abs() < 1e-7, "slope {slope}: {found} instead of {expected}");
    }
}

/// I ω̇ = −μ_s m g: a spin about the normal ends after I ω/(μ_s m g).
#[test]
fn a_spinning_ball_stops_after_omega_inertia_over_mu_s_m_g() {
    let (angular_velocity, torsional) = (4.0, 1e-3);
    let mut w = world();
    w.add(floor(torsional, 0.0)).unwrap();
    let body = w.add(ball("ball", v(0.0, 0.0, RADIUS)).angular_velocity(v(0.0, 0.0, angular_velocity))).unwrap();
    let slowing = torsional * MASS * G / (0.4 * MASS * RADIUS * RADIUS);
    for step in 1..=110 {
        certified(&mut w, H);
        let expected = f64::max(0.0, angular_velocity - slowing * H * f64::from(step));
        let found = w.body(body).unwrap().angular_velocity();
        assert!((found.z - expected).abs() < 1e-7, "{step}: {found} instead of {expected}");
        assert!(w.body(body).unwrap().velocity().length() < 1e-9);
    }
    assert_eq!(w.body(body).unwrap().angular_velocity(), DVec3::ZERO);
}

/// A moment of the turntable spins it up until it turns along; the drive pays.
#[test]
fn a_turntable_spins_up_what_stands_on_its_axis() {
    let (angular_velocity, torsional) = (2.0, 2e-3);
    let mut w = world();
    let table = floor(torsional, 0.0)
        .surface_motion(SurfaceMotion { velocity: DVec3::ZERO, angular_velocity: v(0.0, 0.0, angular_velocity) });
    w.add(table).unwrap();
    let body = w.add(ball("ball", v(0.0, 0.0, RADIUS))).unwrap();
    let gain = torsional * MASS * G / (0.4 * MASS * RADIUS * RADIUS);
    let mut paid = 0.0;
    for step in 1..=30 {
        paid += certified(&mut w, H).energy.driven;
        let expected = f64::min(angular_velocity, gain * H * f64::from(step));
        let found = w.body(body).unwrap().angular_velocity().z;
        assert!((found - expected).abs() < 1e-7, "{step}: {found} instead of {expected}");
    }
    assert!(paid > 0.5 * 0.4 * MASS * RADIUS * RADIUS * angular_velocity * angular_velocity);
}

/// A cart on four balls that turn on axles, in an island with joints: M v v̇ + 4 I ω ω̇ = −μ_r M g ω with ω = v/r, so that
/// v̇ = −μ_r g M/(r (M + 4 I/r²)).
#[test]
fn a_cart_on_four_wheels_coasts_to_a_stop() {
    let (speed, rolling, chassis) = (0.4, 4e-3, 10.0);
    let mut w = world();
    w.add(floor(0.0, rolling)).unwrap();
    let along = v(speed, 0.0, 0.0);
    let body = Body::dynamic(Shape::cuboid(v(0.5, 0.1, 0.05)).unwrap()).mass(chassis).velocity(along);
    let body = w.add(body.position(v(0.0, 0.0, 0.3)).named("chassis")).unwrap();
    for (name, x, y) in [("a", 0.4, 0.3), ("b", 0.4, -0.3), ("c", -0.4, 0.3), ("d", -0.4, -0.3)] {
        let wheel = ball(name, v(x, y, RADIUS)).velocity(along).angular_velocity(v(0.0, speed / RADIUS, 0.0));
        let wheel = w.add(wheel).unwrap();
        let axle = Frame::along(DVec3::ZERO, DVec3::Y);
        let on_chassis = Frame::along(v(x, y, RADIUS - 0.3), DVec3::Y);
        w.add_joint(Joint::revolute(wheel, axle, (body, on_chassis))).unwrap();
    }
    let all = chassis + 4.0 * MASS;
    let a = rolling * G * all / (RADIUS * (all + 4.0 * 0.4 * MASS));
    for step in 1..=60 {
        let report = w.step(H).unwrap();
        assert_eq!(report.status, StepStatus::Certified, "{:?}", report.certificate.misses().collect::<Vec<_>>());
        let expected = f64::max(0.0, speed - a * H * f64::from(step));
        let found = w.body(body).unwrap().velocity().x;
        assert!((found - expected).abs() < 1e-5, "{step}: {found} instead of {expected}");
    }
}

/// Balls poured on a floor roll for ever without it. With it the heap comes to rest, every step certified.
#[test]
fn a_heap_of_balls_comes_to_rest() {
    let mut w = world();
    w.add(floor(1e-3, 1e-2)).unwrap();
    for k in 0..20_u32 {
        let (x, y, z) = (f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9));
        let place = v(0.205 * x + 0.03 * z, 0.205 * y - 0.02 * z, RADIUS + 0.001 + 0.21 * z);
        w.add(ball(&format!("ball {k}"), place).material(surface(0.5, 0.0).rolling(1e-3, 1e-2))).unwrap();
    }
    let mut energy = total(&w);
    for _ in 0..240 {
        let report = w.step(H).unwrap();
        assert_eq!(report.status, StepStatus::Certified, "{:?}", report.certificate.misses().collect::<Vec<_>>());
        assert!(total(&w) <= energy + 1e-9 * energy.abs().max(1.0));
        energy = total(&w);
    }
    assert!(w.energy().kinetic() < 1e-9, "{:?}", w.energy());
}

/// Faces on faces, whose moments are redundant: a box with rolling friction stands, and slides as without.
#[test]
fn a_box_slides_as_it_does_without() {
    let mut w = world();
    w.add(floor(1e-3, 1e-3)).unwrap();
    let body = w.add(cube("box", v(0.0, 0.0, 0.5)).velocity(v(1.0, 0.0, 0.0)).material(surface(0.5, 0.0))).unwrap();
    for step in 1..=20 {
        certified(&mut w, H);
        let expected = f64::max(0.0, 1.0 - 0.5 * G * H * f64::from(step));
        let found = w.body(body).unwrap().velocity().x;
        assert!((found - expected).abs() < 1e-7, "{step}: {found} instead of {expected}");
    }
}

/// Bytes and scene files carry it: the same steps, bit for bit.
#[test]
fn rolling_survives_bytes_and_scenes() {
    let mut w = world();
    w.add(floor(1e-3, 2e-3)).unwrap();
    let start = ball("ball", v(0.0, 0.0, RADIUS)).velocity(v(0.3, 0.1, 0.0)).angular_velocity(v(1.0, 3.0, 5.0));
    w.add(start).unwrap();
    for _ in 0..10 {
        certified(&mut w, H);
    }
    let text = Scene::describe(&w, H).to_toml();
    assert!(text.contains("rolling_friction = 0.002") && text.contains("torsional_friction = 0.001"), "{text}");
    let mut read = Scene::from_toml(&text).unwrap().build().unwrap();
    let mut bytes = World::from_snapshot(&Snapshot::from_bytes(&w.snapshot().to_bytes()).unwrap());
    for _ in 0..20 {
        certified(&mut w, H);
        bytes.step(H).unwrap();
        read.step(H).unwrap();
    }
    assert_eq!(bytes.snapshot().to_bytes(), w.snapshot().to_bytes());
    let velocity = |w: &World| w.bodies().last().unwrap().1.velocity();
    assert!((velocity(&read) - velocity(&w)).length() < 1e-9);
}

/// What it carries is told: the moment of the contact, and the torque on the floor.
#[test]
fn the_moment_of_a_contact_is_told() {
    let rolling = 3e-3;
    let mut w = world();
    let floor = w.add(floor(0.0, rolling)).unwrap();
    let start = ball("ball", v(0.0, 0.0, RADIUS)).velocity(v(1.0, 0.0, 0.0)).angular_velocity(v(0.0, 10.0, 0.0));
    let ball = w.add(start).unwrap();
    certified(&mut w, H);
    let contact = w.contacts()[0];
    let on_ball = if contact.a == floor { contact.moment } else { -contact.moment };
    assert!((on_ball - v(0.0, -rolling * MASS * G * H, 0.0)).length() < 1e-10, "{on_ball}");
    // Friction pushes it forward by as much as it turns it back: I α = −M + F r and m a = −F, so that F = 5/7 M/r.
    let spun = w.body(ball).unwrap().constraint_forces().torque;
    let expected = -rolling * MASS * G * (1.0 - 5.0 / 7.0);
    assert!((spun - v(0.0, expected, 0.0)).length() < 1e-8, "{spun} instead of {expected}");
}

#[test]
fn bad_rolling_friction_is_refused() {
    let mut w = world();
    for bad in [-1e-3, f64::NAN, f64::INFINITY, 1e10] {
        let body = ball("ball", v(0.0, 0.0, 1.0));
        let error = w.add(body.clone().material(surface(0.5, 0.0).rolling(0.0, bad))).unwrap_err();
        assert!(error.to_string().contains("rolling friction"), "{error}");
        let error = w.add(body.material(surface(0.5, 0.0).rolling(bad, 0.0))).unwrap_err();
        assert!(error.to_string().contains("torsional friction"), "{error}");
    }
    assert_eq!(w.bodies().count(), 0);
}

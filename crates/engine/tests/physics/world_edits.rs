//! What a body is told besides, and what may change in mid-run.

use crate::fixture::*;
use signorini::{AxisLocks, FixedStep, Kind, Scene, Snapshot};

fn certified(w: &mut World) {
    let report = w.step(H).unwrap();
    assert_eq!(report.status, StepStatus::Certified, "{:?}", report.certificate.misses().collect::<Vec<_>>());
}

/// Free fall with half of gravity, and none at all, are parabolas with g/2 and 0.
#[test]
fn gravity_scales_body_by_body() {
    let mut w = world();
    let bodies = [0.0, 0.5, -1.0].map(|scale| {
        let body = ball(&format!("ball {scale}"), v(4.0 * scale, 0.0, 0.0)).gravity_scale(scale);
        (scale, w.add(body).unwrap())
    });
    for _ in 0..50 {
        certified(&mut w);
    }
    let t = 50.0 * H;
    for (scale, body) in bodies {
        let z = w.body(body).unwrap().position().z;
        assert!((z + 0.5 * scale * G * t * t).abs() < 1e-12, "{scale}: {z}");
    }
}

/// v = v₀ e^(−c t) and ω = ω₀ e^(−d t), exactly at the ends of steps of any length.
#[test]
fn damping_is_exponential_decay() {
    let mut w = weightless();
    let body =
        ball("ball", DVec3::ZERO).velocity(v(3.0, -1.0, 0.0)).angular_velocity(v(0.0, 0.0, 5.0)).damping(0.7, 1.9);
    let body = w.add(body).unwrap();
    let mut t = 0.0;
    for dt in [H; 40].into_iter().chain([0.1; 10]) {
        assert_eq!(w.step(dt).unwrap().status, StepStatus::Certified);
        t += dt;
        let view = w.body(body).unwrap();
        assert!((view.velocity() - v(3.0, -1.0, 0.0) * f64::exp(-0.7 * t)).length() < 1e-12);
        assert!((view.angular_velocity().z - 5.0 * f64::exp(-1.9 * t)).abs() < 1e-12);
    }
}

/// A constant force is there in every step: x = F t²/(2 m). Forces of one step come on top and go.
#[test]
fn a_constant_force_acts_until_it_is_set_again() {
    let mut w = weightless();
    let body = w.add(ball("ball", DVec3::ZERO).constant_force(v(2.0, 0.0, 0.0), DVec3::ZERO)).unwrap();
    w.add_force(body, v(0.0, 1.0, 0.0)).unwrap();
    for _ in 0..50 {
        certified(&mut w);
    }
    let t = 50.0 * H;
    assert!((w.body(body).unwrap().position().x - t * t).abs() < 1e-12);
    assert!((w.body(body).unwrap().velocity().y - H).abs() < 1e-15);
    w.clear_forces();
    certified(&mut w);
    assert!((w.body(body).unwrap().velocity().x - 2.0 * (t + H)).abs() < 1e-12);
    w.set_constant_force(body, DVec3::ZERO, DVec3::ZERO).unwrap();
    certified(&mut w);
    assert!((w.body(body).unwrap().velocity().x - 2.0 * (t + H)).abs() < 1e-12);
}

/// P at r from the centre: Δv = P/m, Δω = I⁻¹ (r × P), with I = ⅖ m r² of a ball.
#[test]
fn an_impulse_at_a_point_changes_both_velocities_at_once() {
    let mut w = weightless();
    let body = w.add(ball("ball", v(1.0, 0.0, 0.0))).unwrap();
    w.add_impulse_at(body, v(0.0, 3.0, 0.0), v(1.5, 0.0, 0.0)).unwrap();
    let view = w.body(body).unwrap();
    assert!((view.velocity() - v(0.0, 3.0, 0.0)).length() < 1e-15);
    let inertia = 0.4 * 0.25;
    assert!(
        (view.angular_velocity() - v(0.0, 0.0, 0.5 * 3.0 / inertia)).length() < 1e-12,
        "{}",
        view.angular_velocity()
    );
    w.add_angular_impulse(body, v(0.0, 0.0, -0.5 * 3.0)).unwrap();
    assert!(w.body(body).unwrap().angular_velocity().length() < 1e-12);
    let fixed = w.add(Body::fixed(Shape::sphere(1.0).unwrap())).unwrap();
    assert!(w.add_impulse(fixed, DVec3::X).is_err());
}

/// Locked in y and about x and y, a ball thrown anyhow moves in the plane y = 0 and spins about z alone.
#[test]
fn locked_axes_are_rows_of_the_problem() {
    let mut w = world();
    let thrown = ball("ball", v(0.0, 0.0, 2.0)).velocity(v(1.0, 0.0, 0.0)).angular_velocity(v(0.0, 0.0, 3.0));
    let body = w.add(thrown).unwrap();
    let locks = AxisLocks { translation: [false, true, false], rotation: [true, true, false] };
    let joint = w.lock_axes(body, locks).unwrap();
    for _ in 0..30 {
        w.add_force(body, v(0.0, 5.0, 0.0)).unwrap();
        w.add_torque(body, v(1.0, 1.0, 0.0)).unwrap();
        certified(&mut w);
        let view = w.body(body).unwrap();
        assert!(view.position().y.abs() < 1e-9 && view.velocity().y.abs() < 1e-8, "{:?}", view.state());
        assert!(view.angular_velocity().x.abs() < 1e-8 && view.angular_velocity().y.abs() < 1e-8, "{:?}", view.state());
    }
    let (t, view) = (30.0 * H, w.body(body).unwrap());
    assert!((view.position().x - t).abs() < 1e-9);
    assert!((view.position().z - (2.0 - 0.5 * G * t * t)).abs() < 1e-6, "{}", view.position().z);
    w.remove_joint(joint).unwrap();
    w.add_force(body, v(0.0, 5.0, 0.0)).unwrap();
    certified(&mut w);
    assert!((w.body(body).unwrap().velocity().y - 5.0 * H).abs() < 1e-9);
}

/// Of two balls that meet, one grows ten times as heavy in mid-flight: the velocities after a dead impact are those of the
/// momentum, (m₁ v₁ + m₂ v₂)/(m₁ + m₂).
#[test]
fn mass_changes_in_mid_run() {
    let mut w = weightless();
    let heavy = w.add(ball("a", v(-1.0, 0.0, 0.0)).velocity(DVec3::X)).unwrap();
    let light = w.add(ball("b", v(1.0, 0.0, 0.0)).velocity(-DVec3::X)).unwrap();
    certified(&mut w);
    w.set_mass(heavy, 10.0).unwrap();
    for _ in 0..60 {
        certified(&mut w);
    }
    for body in [heavy, light] {
        assert!((w.body(body).unwrap().velocity().x - 9.0 / 11.0).abs() < 1e-7);
    }
    assert!(w.set_mass(heavy, -1.0).is_err());
    assert_eq!(w.body(heavy).unwrap().mass(), 10.0);
    // A heavier ball of the same size has its inertia in proportion.
    assert!((w.body(heavy).unwrap().inertia().x_axis.x - 0.4 * 10.0 * 0.25).abs() < 1e-12);
}

#[test]
fn a_body_changes_its_shape_and_stands_on_the_new_one() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let body = w.add(cube("box", v(0.0, 0.0, 0.5))).unwrap();
    for _ in 0..5 {
        certified(&mut w);
    }
    w.set_shape(body, Shape::cuboid(v(0.5, 0.5, 0.25)).unwrap()).unwrap();
    for _ in 0..120 {
        certified(&mut w);
    }
    assert!((w.body(body).unwrap().position().z - 0.25).abs() < 1e-6);
    assert_eq!(w.body(body).unwrap().mass(), 1.0);
    assert!(w.set_shape(body, Shape::half_space(DVec3::Z).unwrap()).is_err());
}

/// A fixed box that becomes dynamic falls; one that becomes fixed again stays where it is.
#[test]
fn a_body_changes_its_kind_and_back() {
    let mut w = world();
    let body = w.add(cube("box", v(0.0, 0.0, 5.0)).mass(3.0)).unwrap();
    w.set_kind(body, Kind::Fixed).unwrap();
    for _ in 0..10 {
        certified(&mut w);
    }
    assert_eq!(w.body(body).unwrap().position(), v(0.0, 0.0, 5.0));
    w.set_kind(body, Kind::Dynamic).unwrap();
    assert_eq!(w.body(body).unwrap().mass(), 3.0);
    for _ in 0..10 {
        certified(&mut w);
    }
    let t = 10.0 * H;
    assert!((w.body(body).unwrap().position().z - (5.0 - 0.5 * G * t * t)).abs() < 1e-12);
    w.set_kind(body, Kind::Kinematic).unwrap();
    let speed = w.body(body).unwrap().velocity().z;
    certified(&mut w);
    // What it is told from now on is what it did.
    assert_eq!(w.body(body).unwrap().velocity().z, speed);
    let ground = w.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap())).unwrap();
    assert!(w.set_kind(ground, Kind::Dynamic).is_err());
    assert_eq!(w.body(ground).unwrap().kind(), Kind::Fixed);
}

#[test]
fn a_disabled_body_is_not_there() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let shelf = w.add(cube("a shelf", v(0.0, 0.0, 0.5))).unwrap();
    let body = w.add(cube("box", v(0.0, 0.0, 1.5))).unwrap();
    for _ in 0..5 {
        certified(&mut w);
    }
    w.set_enabled(shelf, false).unwrap();
    let left = w.body(shelf).unwrap().position();
    for _ in 0..60 {
        certified(&mut w);
    }
    // It fell through the shelf onto the floor, and a ray does not meet the shelf.
    assert!((w.body(body).unwrap().position().z - 0.5).abs() < 1e-6);
    assert_eq!(w.body(shelf).unwrap().position(), left);
    assert_eq!(
        w.overlaps(&Shape::sphere(0.1).unwrap(), &signorini::glamx::DPose3::from_translation(v(0.0, 0.0, 0.5))),
        [body]
    );
    w.set_position(body, v(5.0, 0.0, 0.5)).unwrap();
    w.set_enabled(shelf, true).unwrap();
    certified(&mut w);
    assert!(w.body(shelf).unwrap().is_enabled());
}

#[test]
fn numbers_out_of_range_are_refused_by_name_and_leave_the_world_alone() {
    let mut w = world();
    let body = w.add(ball("ball", DVec3::ZERO)).unwrap();
    let before = w.snapshot().to_bytes();
    let refused = |result: Result<(), WorldError>, field: &str| {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(field), "{text}");
    };
    refused(w.set_gravity_scale(body, f64::NAN), "gravity scale");
    refused(w.set_damping(body, -1.0, 0.0), "linear damping");
    refused(w.set_damping(body, 0.0, f64::INFINITY), "angular damping");
    refused(w.set_constant_force(body, v(0.0, f64::NAN, 0.0), DVec3::ZERO), "force y");
    refused(w.set_one_way(body, Some(DVec3::ZERO)), "one-way");
    refused(w.set_material(body, Material::default().soft(-1.0, 0.0)), "stiffness");
    refused(w.set_material(body, Material::default().grain([0.0; 3], 1.0)), "grain");
    refused(w.add_impulse(body, v(1e300, 0.0, 0.0)), "velocity x");
    assert_eq!(w.snapshot().to_bytes(), before);
    assert!(w.add(ball("other", DVec3::ZERO).gravity_scale(1e9)).is_err());
}

/// All of it goes through bytes and through a scene, and the future is the same to the last bit.
#[test]
fn options_survive_bytes_and_scenes() {
    let build = || {
        let mut w = world();
        let floor = Body::fixed(Shape::half_space(DVec3::Z).unwrap())
            .material(surface(0.4, 0.0).tagged(3).grain([1.0, 0.0, 0.0], 0.7))
            .surface_motion(signorini::SurfaceMotion { velocity: v(0.5, 0.0, 0.0), angular_velocity: DVec3::ZERO });
        w.add(floor.named("floor")).unwrap();
        let ball_shape = Shape::sphere(0.5).unwrap().filtered(signorini::Filter::new(5, 7));
        let soft = surface(0.6, 0.2).tagged(4).soft(5e4, 50.0);
        let body = Body::dynamic(ball_shape).mass(1.0).position(v(0.0, 0.0, 0.6)).material(soft);
        let body = body.damping(0.1, 0.2).gravity_scale(0.9).constant_force(DVec3::X, DVec3::ZERO).user_data(42);
        w.add(body.filter(signorini::Filter::new(1, 3)).named("ball")).unwrap();
        let pad = Body::fixed(Shape::cuboid(DVec3::ONE).unwrap()).sensor().position(v(1.0, 0.0, 0.0));
        w.add(pad.named("pad")).unwrap();
        let ledge = Body::fixed(Shape::cuboid(DVec3::splat(0.2)).unwrap()).position(v(3.0, 0.0, 0.0));
        w.add(ledge.one_way(DVec3::Z).named("ledge")).unwrap();
        w.add(cube("off", v(9.0, 0.0, 0.5)).disabled()).unwrap();
        let given = signorini::PairCoefficients { friction: Some(0.3), restitution: None };
        w.set_material_pair([3, 4], Some(given)).unwrap();
        w
    };
    let mut w = build();
    for _ in 0..10 {
        w.step(H).unwrap();
    }
    let mut bytes = World::from_snapshot(&Snapshot::from_bytes(&w.snapshot().to_bytes()).unwrap());
    let text = Scene::describe(&build(), H).to_toml();
    let mut scene = Scene::from_toml(&text).unwrap().build().unwrap();
    assert_eq!(scene.body(scene.find("ball").unwrap()).unwrap().user_data(), 42);
    for _ in 0..10 {
        scene.step(H).unwrap();
    }
    assert_eq!(scene.state_hash(), w.state_hash(), "{text}");
    for _ in 0..40 {
        w.step(H).unwrap();
        bytes.step(H).unwrap();
        scene.step(H).unwrap();
    }
    assert_eq!(bytes.state_hash(), w.state_hash());
    assert_eq!(scene.state_hash(), w.state_hash());
    assert_eq!(bytes.snapshot().to_bytes(), w.snapshot().to_bytes());
    assert_eq!(w.sensor_events().len(), bytes.sensor_events().len());
}

/// Frames of 1/60 s over steps of 1/240 s: after n frames the picture is that of n/60 s less the last step, to round-off.
#[test]
fn frames_of_any_length_show_the_same_motion() {
    let mut w = weightless();
    let body = w.add(ball("ball", DVec3::ZERO).velocity(DVec3::X).angular_velocity(DVec3::Z)).unwrap();
    let mut clock = FixedStep::new(1.0 / 240.0);
    let mut elapsed = 0.0;
    for frame in 0..100 {
        let length = if frame % 3 == 0 { 1.0 / 60.0 } else { 1.0 / 97.0 };
        w.step_fixed(&mut clock, length).unwrap();
        elapsed += length;
        let pose = clock.pose(&w, body).unwrap();
        let shown = elapsed - 1.0 / 240.0;
        assert!((pose.translation.x - shown).abs() < 1e-9, "{} instead of {shown}", pose.translation.x);
        assert!((pose.rotation * DVec3::X - DQuat::from_rotation_z(shown) * DVec3::X).length() < 1e-9);
        assert_eq!(clock.poses(&w).next().unwrap().1, pose);
    }
    // A frame that takes a second is not made up for.
    assert_eq!(w.step_fixed(&mut clock, 1.0).unwrap(), 8);
    assert!(clock.alpha() <= 1.0);
    assert!(w.step_fixed(&mut clock, f64::NAN).is_err());
}

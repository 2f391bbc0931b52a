//! Acceptance criteria on rest, stacks, friction, rotation, robustness and the position pass: one test per criterion of
//! the design document, by its number.

use crate::fixture::*;

const SLOP: f64 = 1e-4;

#[test]
fn criterion_12_rest_for_thousands_of_real_steps_at_three_step_sizes() {
    for (dt, steps) in [(0.008, 1000), (0.032, 1000), (0.016, 10_000)] {
        let mut w = world();
        add_floor(&mut w, 0.5, 0.5);
        let b = w.add(cube("cube", v(0.0, 0.0, 0.5)).material(surface(0.5, 0.5))).unwrap();
        let (start, energy) = (w.body(b).unwrap().position(), w.energy().total());
        for _ in 0..steps {
            step_certified(&mut w, dt);
            let body = w.body(b).unwrap();
            assert!(body.velocity().length() <= 1e-6 && body.angular_velocity().length() <= 1e-6);
            // The solver's tolerance of 1e-9 m/s lets the cube float by 1e-11 m a step.
            assert!(w.energy().total() <= energy * (1.0 + 1e-9));
        }
        let drift = w.body(b).unwrap().position().distance(start);
        println!("{steps} steps of {dt} s: drift {drift:e} m");
        assert!(drift <= SLOP + 1e-4);
    }
}

#[test]
fn criterion_13_stacks_stand_upright_and_carry_their_weight() {
    for count in [2usize, 3, 10] {
        let mut w = world();
        let floor = add_floor(&mut w, 0.5, 0.0);
        let stack: Vec<_> =
            (0..count).map(|i| w.add(cube(&format!("cube {i:02}"), v(0.0, 0.0, 0.5 + i as f64))).unwrap()).collect();
        for _ in 0..500 {
            let report = step_certified(&mut w, H);
            assert!(report.penetration <= SLOP + 1e-3);
        }
        for (i, b) in stack.iter().enumerate() {
            let body = w.body(*b).unwrap();
            assert!((body.orientation() * DVec3::Z).z > 0.1f64.to_radians().cos());
            close(body.position().z, 0.5 + i as f64, 1e-5);
        }
        let mut force = 0.0;
        for c in w.contacts().iter().filter(|c| c.a == floor || c.b == floor) {
            force += c.impulse.dot(c.normal) / H;
        }
        close(force, count as f64 * G, 1e-6 * count as f64 * G);
    }
}

fn slider(velocity: DVec3, friction: f64) -> (World, BodyHandle) {
    let mut w = world();
    add_floor(&mut w, friction, 0.0);
    let body = cube("cube", v(0.0, 0.0, 0.5)).velocity(velocity).material(surface(friction, 0.0));
    let b = w.add(body).unwrap();
    (w, b)
}

#[test]
fn criterion_14_sliding_cube_decelerates_straight_in_every_direction_and_tips_iff_friction_exceeds_one() {
    for friction in [0.2, 0.5, 0.9] {
        for degrees in (0..=90).step_by(5) {
            let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
            let (mut w, b) = slider(v(2.0 * cos, 2.0 * sin, 0.0), friction);
            for k in 1..=10 {
                step_certified(&mut w, H);
                let body = w.body(b).unwrap();
                let (u, p) = (body.velocity(), body.position());
                let expected = 2.0 - friction * G * H * f64::from(k);
                assert!((u.x * cos + u.y * sin - expected).abs() <= 1e-6, "{degrees}°, μ {friction}: {u}");
                assert!((p.y * cos - p.x * sin).abs() < 1e-6 && body.angular_velocity().length() < 1e-6);
            }
        }
    }
    for (friction, tips) in [(0.5, false), (0.99, false), (0.999, false), (1.001, true), (1.5, true)] {
        let (mut w, b) = slider(v(2.0, 0.0, 0.0), friction);
        step_certified(&mut w, H);
        assert_eq!(w.body(b).unwrap().angular_velocity().y > 1e-6, tips, "μ = {friction}");
    }
}

/// Distance gone in a second on an incline, with μ = 0.5 \[m\].
fn slides(degrees: f64) -> f64 {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let mut w = World::new(Settings { gravity: G * v(sin, 0.0, -cos), ..Settings::default() }).unwrap();
    add_floor(&mut w, 0.5, 0.0);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.5)).mass(10.0).material(surface(0.5, 0.0))).unwrap();
    run(&mut w, 63);
    w.body(b).unwrap().position().x
}

#[test]
fn criterion_15_incline_sticks_iff_its_tangent_is_at_most_the_friction() {
    let (mut sticks, mut slips) = (10.0, 45.0);
    while slips - sticks > 1e-3 {
        let middle = 0.5 * (sticks + slips);
        if slides(middle) > 1e-7 { slips = middle } else { sticks = middle }
    }
    let critical = 0.5f64.atan().to_degrees();
    assert!(sticks <= critical + 1e-3 && slips >= critical - 1e-3, "{sticks}° to {slips}°, expected {critical}°");
    for degrees in [28.0f64, 35.0, 40.0] {
        // x = a t²/2 under a constant force, friction included.
        let acceleration = G * (degrees.to_radians().sin() - 0.5 * degrees.to_radians().cos());
        close(slides(degrees) / (0.5 * H * H * 63.0 * 63.0), acceleration, 1e-6 * G);
    }
}

#[test]
fn criterion_16_sphere_that_begins_sliding_ends_rolling_at_five_sevenths() {
    for friction in [0.05, 0.3, 1.0] {
        let mut w = world();
        add_floor(&mut w, friction, 0.0);
        let body = ball("ball", v(0.0, 0.0, 0.5)).velocity(v(3.0, 1.0, 0.0)).material(surface(friction, 0.0));
        let b = w.add(body).unwrap();
        run(&mut w, 200);
        close_vector(w.body(b).unwrap().velocity(), v(3.0, 1.0, 0.0) * (5.0 / 7.0), 1e-6);
    }
}

#[test]
fn criterion_17_torque_free_asymmetric_body_for_ten_seconds_and_the_axis_of_world_spin() {
    let mut w = weightless();
    let shape = Shape::cuboid(v(0.5, 0.3, 0.1)).unwrap();
    let b = w.add(Body::dynamic(shape).mass(2.0).angular_velocity(v(0.01, 8.0, 0.02))).unwrap();
    let (momentum, energy) = (w.body(b).unwrap().angular_momentum(), w.energy().total());
    for _ in 0..625 {
        step_certified(&mut w, H);
        assert!((w.body(b).unwrap().angular_momentum() - momentum).length() <= 1e-6 * momentum.length());
        assert!((w.energy().total() - energy).abs() <= 1e-3 * energy);
    }
    let mut w = weightless();
    let turn = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let b = w.add(cube("cube", DVec3::ZERO).orientation(turn).angular_velocity(DVec3::Z)).unwrap();
    for _ in 0..100 {
        step_certified(&mut w, 0.01);
    }
    let body = w.body(b).unwrap();
    close_vector(body.angular_velocity(), DVec3::Z, 1e-6);
    let expected = DQuat::from_rotation_z(1.0) * turn;
    close_vector(body.orientation() * DVec3::X, expected * DVec3::X, 1e-6);
    close_vector(body.orientation() * DVec3::Y, expected * DVec3::Y, 1e-6);
}

/// A few bodies of random kind, place, mass and surface, some of them inside each other.
fn fuzzed(seed: u64) -> World {
    let mut random = Random::new(seed);
    let mut w = world();
    add_floor(&mut w, random.unit(), random.unit());
    for i in 0..1 + random.below(3) as u64 {
        let size = 10f64.powf(2.0 * random.unit() - 1.5);
        let shape = match random.below(5) {
            0 => Shape::sphere(size),
            1 => Shape::cuboid(size * v(0.2 + random.unit(), 0.2 + random.unit(), 0.2 + random.unit())),
            2 => Shape::capsule(size, 0.5 * size),
            3 => Shape::cylinder(size, size * (0.1 + random.unit())),
            _ => Shape::cone(size, size * (0.1 + random.unit())),
        };
        let body = Body::dynamic(shape.unwrap()).mass(10f64.powf(6.0 * random.unit() - 3.0)).numbered(i);
        let body = body.position(random.vector(1.0)).orientation(DQuat::from_scaled_axis(random.vector(3.0)));
        let speed = 10f64.powf(3.0 * random.unit() - 1.0);
        let body = body.velocity(random.vector(speed)).angular_velocity(random.vector(speed));
        w.add(body.material(surface(2.0 * random.unit(), random.unit()))).unwrap();
    }
    w
}

#[test]
fn criterion_18_fuzzed_scenes_stay_finite_fixed_bodies_bit_identical_and_runs_repeat() {
    // A slice of 1000 scenes of three steps here; `fuzz_scenes=100000` in the environment runs as many as asked.
    let scenes: u64 = std::env::var("fuzz_scenes").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let (mut degraded, mut refused) = (0u64, 0u64);
    for seed in 0..scenes {
        let mut w = fuzzed(seed);
        let floor = w.find("floor").unwrap();
        let before = w.body(floor).unwrap().state();
        for _ in 0..3 {
            let hash = w.state_hash();
            match w.step(H) {
                // Bodies begin inside each other here, and lifting them out raises the energy, which the certificate says.
                Ok(report) => degraded += u64::from(!report.certificate.velocity.is_met()),
                Err(error) => {
                    assert_eq!(w.state_hash(), hash, "seed {seed}: {error}");
                    refused += 1;
                }
            }
        }
        for (_, body) in w.bodies() {
            let state = body.state();
            let finite = state.position.is_finite() && state.velocity.is_finite() && state.angular_velocity.is_finite();
            assert!(finite && state.orientation.is_finite(), "seed {seed}: {state:?}");
        }
        assert_eq!(w.body(floor).unwrap().state(), before, "seed {seed}");
        if seed % 50 == 0 {
            let mut again = fuzzed(seed);
            for _ in 0..3 {
                // A refusal is the same in both runs.
                let _ = again.step(H);
            }
            assert_eq!(again.state_hash(), w.state_hash(), "seed {seed}");
        }
    }
    println!("{scenes} scenes: {degraded} degraded steps, {refused} refused");
    assert_eq!(refused, 0);
    // Measured: 12 of 300 000 steps.
    assert!(2000 * degraded <= 3 * scenes, "{degraded} degraded steps");
}

#[test]
fn criterion_19_position_pass_moves_by_the_fraction_and_leaves_velocities_bit_equal() {
    let mut random = Random::new(19);
    for _ in 0..50 {
        let (fraction, slop, depth) = (random.unit(), 5e-3 * random.unit(), 1e-2 * random.unit());
        let stabilisation = Stabilisation::SplitImpulse { fraction, slop, cap: 0.05 };
        let settings = Settings { gravity: DVec3::ZERO, stabilisation, ..Settings::default() };
        let mut w = World::new(settings).unwrap();
        add_floor(&mut w, 0.0, 0.0);
        let start = v(0.0, 0.0, 0.5 - depth);
        let velocity = v(random.unit(), random.unit(), 0.0);
        let b = w.add(cube("cube", start).velocity(velocity).material(surface(0.0, 0.0))).unwrap();
        let dt = 0.001 + 0.05 * random.unit();
        step_certified(&mut w, dt);
        let body = w.body(b).unwrap();
        assert_eq!((body.velocity(), body.angular_velocity()), (velocity, DVec3::ZERO));
        close_vector(body.position() - start - dt * velocity, v(0.0, 0.0, fraction * (depth - slop).max(0.0)), 1e-9);
    }
}

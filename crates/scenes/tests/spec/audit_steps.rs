//! Steps of engines before the judge: what is right passes, what is not is named.

use signorini::glamx::DVec3;
use signorini::{Body, Method, Settings, Shape, World};
use signorini_scenes::audit::{AuditError, AuditedBody, AuditedContact, AuditedStep, audit};

const FRICTION: f64 = 0.5;

/// A block of 2 kg that meets the floor at 0.1 m/s while sliding at 0.2 m/s: r_N = 0.2 N·s, friction at its limit.
fn sliding_block() -> AuditedStep {
    AuditedStep {
        engine: "paper".to_owned(),
        dt: 0.01,
        gravity: [0.0; 3],
        bodies: vec![AuditedBody {
            mass: 2.0,
            inertia: [1.0; 3],
            orientation: [1.0, 0.0, 0.0, 0.0],
            position: [0.0; 3],
            before: [0.2, 0.0, -0.1, 0.0, 0.0, 0.0],
            after: [0.15, 0.0, 0.0, 0.0, 0.0, 0.0],
        }],
        contacts: vec![AuditedContact {
            a: None,
            b: Some(0),
            // At the centre of mass: no turning.
            point: [0.0; 3],
            normal: [0.0, 0.0, 1.0],
            gap: 0.0,
            friction: FRICTION,
            restitution: 0.0,
            impulse: [-0.1, 0.0, 0.2],
        }],
    }
}

#[test]
fn a_step_from_paper_is_certified() {
    let graded = audit(&sliding_block(), 1e-12).unwrap();
    assert!(graded.certified && graded.certificate.natural < 1e-15, "{graded:?}");
    assert!(graded.unexplained_velocity < 1e-15 && graded.approach_after < 1e-15);
    // ½·2·(0.15² − 0.2² − 0.1²).
    assert!((graded.energy_change + 0.0275).abs() < 1e-15, "{}", graded.energy_change);
}

#[test]
fn a_bounce_needs_its_restitution() {
    let mut step = sliding_block();
    step.contacts[0].friction = 0.0;
    step.contacts[0].impulse = [0.0, 0.0, 0.3];
    step.bodies[0].after = [0.2, 0.0, 0.05, 0.0, 0.0, 0.0];
    assert!(!audit(&step, 1e-6).unwrap().certified);
    step.contacts[0].restitution = 0.5;
    assert!(audit(&step, 1e-12).unwrap().certified);
}

#[test]
fn too_much_friction_and_velocities_from_nowhere_are_named() {
    let mut step = sliding_block();
    step.contacts[0].impulse[0] = -0.2;
    let graded = audit(&step, 1e-6).unwrap();
    // 0.2 − 0.5·0.2 outside the cone, seen at right angles to its surface.
    assert!(!graded.certified && graded.certificate.outside_cone > 0.05, "{graded:?}");
    let mut step = sliding_block();
    step.bodies[0].after[2] = -0.03;
    let graded = audit(&step, 1e-6).unwrap();
    assert!(graded.certified);
    assert!((graded.unexplained_velocity - 0.03).abs() < 1e-15 && (graded.approach_after - 0.03).abs() < 1e-15);
}

/// The last step of a stack of three cubes, as our engine took it.
fn stack(method: Method, iterations: Option<usize>) -> AuditedStep {
    let mut settings = Settings { method, ..Settings::default() };
    settings.stop.max_iterations = iterations;
    let mut world = World::new(settings).unwrap();
    world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).named("floor")).unwrap();
    let mut cubes = Vec::new();
    for k in 0..3 {
        let cube = Body::dynamic(Shape::cuboid(DVec3::splat(0.5)).unwrap()).mass(1.0).numbered(k);
        cubes.push(world.add(cube.position(DVec3::new(0.0, 0.0, 0.5 + k as f64))).unwrap());
    }
    let look = |world: &World| -> Vec<(DVec3, [f64; 6])> {
        cubes
            .iter()
            .map(|cube| {
                let body = world.body(*cube).unwrap();
                let (v, w) = (body.velocity(), body.angular_velocity());
                (body.centre_of_mass(), [v.x, v.y, v.z, w.x, w.y, w.z])
            })
            .collect()
    };
    let before = look(&world);
    world.step(0.01).unwrap();
    let after = look(&world);
    let index = |handle| cubes.iter().position(|cube| *cube == handle);
    let contact = |c: &signorini::ContactPoint| AuditedContact {
        a: index(c.a),
        b: index(c.b),
        point: c.point.to_array(),
        normal: c.normal.to_array(),
        gap: c.gap,
        friction: FRICTION,
        restitution: 0.0,
        impulse: c.impulse.to_array(),
    };
    AuditedStep {
        engine: "signorini".to_owned(),
        dt: 0.01,
        gravity: [0.0, 0.0, -9.81],
        bodies: before
            .iter()
            .zip(&after)
            .map(|((position, before), (_, after))| AuditedBody {
                mass: 1.0,
                inertia: [1.0 / 6.0; 3],
                orientation: [1.0, 0.0, 0.0, 0.0],
                position: position.to_array(),
                before: *before,
                after: *after,
            })
            .collect(),
        contacts: world.contacts().iter().map(contact).collect(),
    }
}

#[test]
fn our_exact_step_passes_and_two_sweeps_do_not() {
    let graded = audit(&stack(Method::Exact, None), 1e-9).unwrap();
    assert!(graded.certified, "{graded:?}");
    assert!(graded.unexplained_velocity < 1e-12 && graded.unexplained_angular_velocity < 1e-12, "{graded:?}");
    let graded = audit(&stack(Method::Pgs, Some(2)), 1e-9).unwrap();
    assert!(!graded.certified && graded.certificate.natural > 1e-4, "{graded:?}");
    // The velocities are those of the impulses all the same: they are wrong, not invented.
    assert!(graded.unexplained_velocity < 1e-12, "{graded:?}");
}

#[test]
fn bad_steps_are_refused_with_their_place() {
    let refuse = |change: fn(&mut AuditedStep)| {
        let mut step = sliding_block();
        change(&mut step);
        audit(&step, 1e-9).unwrap_err()
    };
    let contact = refuse(|s| s.contacts[0].b = Some(7));
    assert!(matches!(contact, AuditError::Bodies { contact: 0, .. }));
    for (change, place) in [
        ((|s| s.bodies[0].mass = -1.0) as fn(&mut AuditedStep), "bodies[0]: mass or inertia"),
        (|s| s.bodies[0].before[4] = f64::NAN, "bodies[0].before"),
        (|s| s.contacts[0].normal = [0.0; 3], "contacts[0].normal: length"),
        (|s| s.contacts[0].friction = f64::INFINITY, "contacts[0].friction"),
        (|s| s.dt = 0.0, "dt"),
    ] {
        let message = refuse(change).to_string();
        assert!(message.starts_with(place), "'{message}' should begin with '{place}'");
    }
}

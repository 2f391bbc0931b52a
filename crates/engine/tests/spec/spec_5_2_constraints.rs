//! Contacts and static bodies through the world: spec §5.2 with corrected truths.

use crate::fixture::*;

#[test]
fn static_body_has_no_inverse_mass_and_does_not_move() {
    let mut w = world();
    let f = add_floor(&mut w, 0.5, 0.5);
    let body = w.body(f).unwrap();
    assert_eq!(body.inverse_mass(), 0.0);
    assert_eq!(body.inertia(), DMat3::ZERO);
    assert_eq!(body.velocity(), DVec3::ZERO);
    assert_eq!(body.material().restitution, 0.5);
}

#[test]
fn combined_coefficients_are_geometric_means() {
    let pair = surface(0.8, 0.8).combine(surface(0.2, 0.5));
    close(pair.friction, 0.4, 1e-15);
    close(pair.restitution, (0.8f64 * 0.5).sqrt(), 1e-15);
    assert_eq!(surface(0.8, 0.8).combine(surface(0.0, 0.0)), surface(0.0, 0.0));
}

#[test]
fn ac4_swap_of_cubes_overlapping_by_a_tenth() {
    let mut w = weightless();
    let a = w.add(cube("a", v(0.0, 0.0, 5.0)).velocity(v(2.0, 0.0, 0.0)).material(surface(0.5, 1.0))).unwrap();
    let b = w.add(cube("b", v(0.9, 0.0, 5.0)).velocity(v(-2.0, 0.0, 0.0)).material(surface(0.5, 1.0))).unwrap();
    step_certified(&mut w, H);
    close_vector(w.body(a).unwrap().velocity(), v(-2.0, 0.0, 0.0), 1e-9);
    close_vector(w.body(b).unwrap().velocity(), v(2.0, 0.0, 0.0), 1e-9);
    assert!(w.body(a).unwrap().angular_velocity().length() < 1e-9);
}

#[test]
fn ac5_momentum_of_a_partly_elastic_hit() {
    let mut w = world();
    w.add(cube("a", v(0.0, 0.0, 5.0)).velocity(v(3.0, 0.0, 0.0)).material(surface(0.5, 0.8))).unwrap();
    w.add(cube("b", v(1.1, 0.0, 5.0)).velocity(v(-1.0, 0.0, 0.0)).material(surface(0.5, 0.8))).unwrap();
    run(&mut w, 10);
    let p = total_momentum(&w);
    close(p.x, 2.0, 1e-12);
    close(p.y, 0.0, 1e-12);
    // Relative speed 4 m/s comes back as 3.2.
    let speeds: Vec<f64> = w.bodies().map(|(_, b)| b.velocity().x).collect();
    close(speeds[1] - speeds[0], 3.2, 1e-9);
}

#[test]
fn ac6_rest_1000_real_steps_on_a_box_floor() {
    let mut w = world();
    let slab = Shape::cuboid(v(50.0, 50.0, 50.0)).unwrap();
    w.add(Body::fixed(slab).position(v(0.0, 0.0, -50.0)).material(surface(0.5, 0.5)).named("floor")).unwrap();
    let b = w.add(cube("cube", v(0.0, 0.0, 0.5)).material(surface(0.5, 0.5))).unwrap();
    run(&mut w, 1000);
    let body = w.body(b).unwrap();
    close_vector(body.position(), v(0.0, 0.0, 0.5), 1e-5);
    assert!(body.velocity().length() <= 1e-6 && body.angular_velocity().length() <= 1e-6);
}

#[test]
fn ac7_glancing_hit_turns_both() {
    let mut w = weightless();
    let a = w.add(cube("a", v(0.0, 0.0, 0.0)).velocity(v(5.0, 0.0, 0.0)).material(surface(0.5, 0.5))).unwrap();
    let b = w.add(cube("b", v(1.05, 0.2, 0.0)).material(surface(0.5, 0.5))).unwrap();
    let (momentum, angular) = (total_momentum(&w), total_angular_momentum(&w));
    run(&mut w, 5);
    assert!(w.body(a).unwrap().angular_velocity().z.abs() > 0.1 && w.body(b).unwrap().angular_velocity().z.abs() > 0.1);
    close_vector(total_momentum(&w), momentum, 1e-12);
    close_vector(total_angular_momentum(&w), angular, 1e-12);
}

#[test]
fn corner_of_floor_and_wall_is_not_penetrated() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let wall = Body::fixed(Shape::half_space(DVec3::X).unwrap()).material(surface(0.5, 0.0)).named("wall");
    w.add(wall).unwrap();
    let b = w.add(cube("cube", v(0.52, 0.0, 0.52)).velocity(v(-1.0, 0.0, -1.0)).material(surface(0.5, 0.0))).unwrap();
    for _ in 0..50 {
        step_certified(&mut w, H);
        let p = w.body(b).unwrap().position();
        assert!(p.x >= 0.5 - 1e-9 && p.z >= 0.5 - 1e-9, "{p}");
    }
    assert!(w.body(b).unwrap().velocity().length() < 1e-8);
}

#[test]
fn touching_cubes_stay_still() {
    let mut w = weightless();
    let a = w.add(cube("a", DVec3::ZERO)).unwrap();
    let b = w.add(cube("b", v(1.0, 0.0, 0.0))).unwrap();
    run(&mut w, 10);
    assert!(w.body(a).unwrap().velocity().x.abs() < 1e-9 && w.body(b).unwrap().velocity().x.abs() < 1e-9);
}

#[test]
fn worked_c_five_kilograms_at_rest() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.5)).mass(5.0)).unwrap();
    step_certified(&mut w, H);
    close(w.body(b).unwrap().constraint_forces().force.z, 49.05, 1e-8);
    let total: f64 = w.contacts().iter().map(|c| c.impulse.dot(c.normal)).sum();
    close(total, 0.7848, 1e-9);
}

#[test]
fn position_pass_moves_separation_by_the_fraction_and_leaves_velocities() {
    // Depth, slop and fraction → separation gained, in millimetres: spec §5.5.
    for (depth, slop, fraction, gained) in [
        (10.0, 5.0, 0.2, 1.0),
        (3.0, 5.0, 0.2, 0.0),
        (25.0, 5.0, 0.2, 4.0),
        (10.0, 5.0, 0.0, 0.0),
        (1.0, 0.0, 0.2, 0.2),
    ] {
        let stabilisation = Stabilisation::SplitImpulse { fraction, slop: slop * 1e-3, cap: 0.05 };
        let settings = Settings { gravity: DVec3::ZERO, stabilisation, ..Settings::default() };
        let mut w = World::new(settings).unwrap();
        let f = add_floor(&mut w, 0.5, 0.0);
        let b = w.add(cube("cube", v(0.0, 0.0, 0.5 - depth * 1e-3)).velocity(v(1e-3, 0.0, 0.0))).unwrap();
        w.set_material(b, surface(0.0, 0.0)).unwrap();
        let (before, floor) = (w.body(b).unwrap().state(), w.body(f).unwrap().state());
        w.step(H).unwrap();
        let after = w.body(b).unwrap().state();
        close(after.position.z - before.position.z, gained * 1e-3, 1e-9);
        assert_eq!((after.velocity, after.angular_velocity), (before.velocity, before.angular_velocity));
        assert_eq!(w.body(f).unwrap().state(), floor);
    }
}

#[test]
fn position_pass_turns_a_body_hit_off_centre() {
    let mut w = weightless();
    add_floor(&mut w, 0.5, 0.0);
    let turn = DQuat::from_axis_angle(DVec3::Y, 0.1);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.5)).orientation(turn)).unwrap();
    w.step(H).unwrap();
    let body = w.body(b).unwrap();
    assert!(body.position().z > 0.5 && body.orientation() != turn);
    assert_eq!((body.velocity(), body.angular_velocity()), (DVec3::ZERO, DVec3::ZERO));
}

#[test]
fn velocity_bias_pushes_apart_at_the_stated_speed() {
    let stabilisation = Stabilisation::VelocityBias { fraction: 0.2 };
    let settings = Settings { gravity: DVec3::ZERO, stabilisation, ..Settings::default() };
    let mut w = World::new(settings).unwrap();
    add_floor(&mut w, 0.0, 0.0);
    let b = w.add(cube("cube", v(0.0, 0.0, 0.49))).unwrap();
    w.step(H).unwrap();
    close(w.body(b).unwrap().velocity().z, 0.2 * 0.01 / H, 1e-9);
}

#[test]
fn islands_two_bodies_on_one_floor_are_two() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    w.add(cube("a", v(0.0, 0.0, 0.5))).unwrap();
    w.add(cube("b", v(5.0, 0.0, 0.5))).unwrap();
    assert_eq!(w.step(H).unwrap().counts.islands, 2);
    w.add(cube("c", v(0.0, 0.0, 1.5))).unwrap();
    let report = w.step(H).unwrap();
    assert_eq!((report.counts.islands, report.counts.contacts), (2, 12));
    w.add(cube("d", v(9.0, 0.0, 7.0))).unwrap();
    assert_eq!(w.step(H).unwrap().counts.islands, 2, "a flying body is in no island");
}

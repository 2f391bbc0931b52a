//! Swing, turn and twist of balls: cones and stops, with the answers of rigid bodies about a point.

use crate::fixture::*;
use signorini::robot::RobotModel;
use signorini::scene::RobotOptions;
use signorini::{Coordinate, Frame, JointEvent, JointHandle, Motor, Robot, RobotPlacement, Scene, Snapshot};

const STEP: f64 = 1.0 / 240.0;
const SPEED: f64 = 2.02;

/// A rod of 1 m and 2 kg, thickness 0.1 m, from the origin along `axis`, on a joint whose z axis is `axis` where it is zero.
fn rod(w: &mut World, turn: DQuat, spin: DVec3, limits: impl Fn(Joint) -> Joint) -> (BodyHandle, JointHandle) {
    let body = Body::dynamic(Shape::cuboid(v(0.05, 0.05, 0.5)).unwrap()).mass(2.0).named("rod");
    let centre = turn * v(0.0, 0.0, 0.5);
    let body =
        w.add(body.position(centre).orientation(turn).angular_velocity(spin).velocity(spin.cross(centre))).unwrap();
    let joint = w.add_joint(limits(Joint::swing_twist(body, v(0.0, 0.0, -0.5), DVec3::ZERO))).unwrap();
    (body, joint)
}

/// Inertia of the rod across itself about its end [kg·m²].
const ACROSS: f64 = 2.0 * ((0.01 + 1.0) / 12.0 + 0.25);

fn hits(report: &StepReport) -> Vec<(u32, bool, f64)> {
    let hit = |event: &JointEvent| match *event {
        JointEvent::LimitHit { coordinate, upper, impulse, .. } => Some((coordinate, upper, impulse)),
        _ => None,
    };
    report.joint_events.iter().filter_map(hit).collect()
}

/// A rod that swings at 2.02 rad/s reaches a cone of 0.5 rad after 0.2475 s, whichever way it swings. The stop takes its angular momentum, Iω,
/// or gives it back.
#[test]
fn a_rod_meets_its_cone_where_and_when_it_should() {
    for share in [0.0, 1.0] {
        for azimuth in [0.0, 0.7, 2.5, 4.4] {
            let mut w = weightless();
            let axis = v(f64::cos(azimuth), f64::sin(azimuth), 0.0);
            let (body, joint) = rod(&mut w, DQuat::IDENTITY, SPEED * axis, |joint| {
                let mut joint = joint.swing(0.5).turn(2.0);
                joint.coordinates[3] = joint.coordinates[3].restitution(share);
                joint
            });
            let mut met = Vec::new();
            for step in 1..=72 {
                let report = step_certified(&mut w, STEP);
                met.extend(hits(&report).into_iter().map(|hit| (step, hit)));
                assert!(w.joint_position(joint).unwrap()[0] <= 0.5 + 1e-8);
                assert!(w.joint_error(joint).unwrap() <= 1e-8);
            }
            let [(step, (0, true, impulse))] = met[..] else { panic!("{met:?}") };
            assert_eq!(step, 60);
            close(impulse, (1.0 + share) * SPEED * ACROSS, 1e-6);
            close_vector(w.body(body).unwrap().angular_velocity(), -share * SPEED * axis, 1e-6);
        }
    }
}

/// A rod that falls over leans on its cone: the stop carries the moment of its weight, m g l sin 0.5.
#[test]
fn a_rod_leans_on_its_cone() {
    let mut w = world();
    let start = DQuat::from_scaled_axis(v(0.03, -0.02, 0.0));
    let (_, joint) = rod(&mut w, start, DVec3::ZERO, |joint| joint.swing(0.5));
    for _ in 0..600 {
        step_certified(&mut w, STEP);
    }
    let angles = w.joint_position(joint).unwrap();
    close(angles[0], 0.5, 1e-8);
    let limit = w.joint_forces(joint).unwrap().coordinates[0].limit;
    close(limit, -2.0 * G * 0.5 * f64::sin(0.5), 1e-6);
}

/// A hanging rod that goes round at Ω presses outwards: its cone holds it at s with the moment I Ω² sin s cos s − m g l sin s. Nothing
/// brakes it.
#[test]
fn a_rod_goes_round_within_its_cone() {
    const SWING: f64 = 0.6;
    const ROUND: f64 = 6.0;
    let (sine, cosine) = (SWING.sin(), SWING.cos());
    let mut w = world();
    let spin = ROUND * sine * v(cosine, 0.0, sine);
    let centre = 0.5 * v(sine, 0.0, -cosine);
    let down = DQuat::from_rotation_x(std::f64::consts::PI);
    let body = Body::dynamic(Shape::cuboid(v(0.05, 0.05, 0.5)).unwrap()).mass(2.0).named("rod");
    let orientation = DQuat::from_rotation_y(-SWING) * down;
    let body = w
        .add(body.position(centre).orientation(orientation).angular_velocity(spin).velocity(spin.cross(centre)))
        .unwrap();
    let joint = Joint::swing_twist(body, v(0.0, 0.0, -0.5), Frame { point: DVec3::ZERO, axes: down }).swing(SWING);
    let joint = w.add_joint(joint).unwrap();
    let expected = -(ACROSS * ROUND * ROUND * sine * cosine - 2.0 * G * 0.5 * sine);
    let start = w.energy().total();
    for step in 1..=480 {
        step_certified(&mut w, STEP);
        close(w.joint_position(joint).unwrap()[0], SWING, 1e-8);
        if step % 20 == 0 {
            let limit = w.joint_forces(joint).unwrap().coordinates[0].limit;
            close(limit / expected, 1.0, 2e-3);
        }
    }
    let at = w.body(body).unwrap().position();
    let angle = ROUND * 2.0;
    close_vector(at, 0.5 * v(sine * angle.cos(), sine * angle.sin(), -cosine), 2e-3);
    close(w.energy().total() / start, 1.0, 1e-3);
}

/// A ball leans by σ and spins about its own axis b at w. Its twist grows by w and stops at 0.3: the stop is along a + b, and takes all of the
/// spin along it, r = I w (1 + cos σ)/2, which leaves w (b − a)/2.
#[test]
fn twist_stops_whatever_the_swing() {
    for swing in [0.0, 0.4, 1.3] {
        let mut w = weightless();
        let turn = DQuat::from_rotation_x(swing);
        let (a, b) = (DVec3::Z, turn * DVec3::Z);
        let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).mass(1.0).named("ball");
        let ball = w.add(ball.orientation(turn).angular_velocity(2.0 * b)).unwrap();
        let joint = Joint::swing_twist(ball, DVec3::ZERO, DVec3::ZERO).twist(-0.2, 0.3);
        let joint = w.add_joint(joint).unwrap();
        for step in 1..=36 {
            let report = step_certified(&mut w, STEP);
            close(w.joint_position(joint).unwrap()[2], f64::min(2.0 * STEP * f64::from(step), 0.3), 1e-8);
            if step == 36 {
                let [(2, true, impulse)] = hits(&report)[..] else { panic!("{:?}", report.joint_events) };
                close(impulse, 0.1 * 2.0 * 0.5 * (1.0 + swing.cos()), 1e-9);
                close_vector(w.body(ball).unwrap().angular_velocity(), b - a, 1e-9);
            }
        }
    }
}

/// A ball that turns about any axis stops where its whole turn is 0.5 rad.
#[test]
fn a_turn_stops_about_any_axis() {
    for axis in [v(0.6, 0.0, 0.8), v(-0.48, 0.64, 0.6), v(0.0, 0.0, -1.0)] {
        let mut w = weightless();
        let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).mass(1.0).named("ball");
        let ball = w.add(ball.angular_velocity(2.0 * axis)).unwrap();
        let joint = w.add_joint(Joint::swing_twist(ball, DVec3::ZERO, DVec3::ZERO).turn(0.5)).unwrap();
        for step in 1..=72 {
            step_certified(&mut w, STEP);
            close(w.joint_position(joint).unwrap()[1], f64::min(2.0 * STEP * f64::from(step), 0.5), 1e-8);
        }
        close_vector(w.body(ball).unwrap().angular_velocity(), DVec3::ZERO, 1e-9);
    }
}

/// A motor along the twist turns a leaning rod about itself, as a hinge would.
#[test]
fn a_motor_drives_the_twist() {
    let mut w = weightless();
    let (_, joint) = rod(&mut w, DQuat::from_rotation_x(0.5), DVec3::ZERO, |joint| {
        joint.with(2, Coordinate::free().motor(Motor::velocity(1.5, 10.0)))
    });
    for _ in 0..10 {
        step_certified(&mut w, STEP);
        close(w.joint_velocity(joint).unwrap()[2], 1.5, 1e-9);
    }
}

/// What leans on a cone goes on to the same bits from the bytes of a snapshot.
#[test]
fn a_snapshot_keeps_cones() {
    let mut w = world();
    let start = DQuat::from_scaled_axis(v(0.2, -0.1, 0.3));
    rod(&mut w, start, v(0.0, 0.0, 1.0), |joint| joint.swing(0.4).twist(-0.5, 0.5));
    for _ in 0..100 {
        step_certified(&mut w, STEP);
    }
    let mut copy = World::from_snapshot(&Snapshot::from_bytes(&w.snapshot().to_bytes()).unwrap());
    for _ in 0..100 {
        step_certified(&mut w, STEP);
        step_certified(&mut copy, STEP);
    }
    assert_eq!(w.state_hash(), copy.state_hash());
}

/// Swing and turn are never negative and have no direction at zero: they have limits above zero and nothing else, and only where there are
/// such coordinates.
#[test]
fn what_cannot_be_asked_of_a_swing_is_refused() {
    let mut w = weightless();
    let body = w.add(cube("body", DVec3::ZERO)).unwrap();
    let joint = || Joint::swing_twist(body, DVec3::ZERO, DVec3::ZERO);
    for refused in [
        joint().swing(0.0),
        joint().swing(-0.1),
        joint().with(0, Coordinate::free().limits(0.1, 0.2)),
        joint().with(1, Coordinate::free().friction(1.0)),
        Joint::ball(body, DVec3::ZERO, DVec3::ZERO).swing(0.5),
    ] {
        assert!(matches!(w.add_joint(refused), Err(WorldError::Joint { .. } | WorldError::JointValue { .. })));
    }
    let joint = w.add_joint(joint().swing(0.5)).unwrap();
    assert!(w.set_joint_force(joint, 0, 1.0).is_err());
    assert!(w.set_joint_force(joint, 2, 1.0).is_ok());
}

/// A ball of MJCF with a range of 40° turns by that about any axis.
#[test]
fn the_range_of_a_ball_in_a_file_is_its_whole_turn() {
    const FILE: &str = r#"<mujoco><option gravity="0 0 0"/><worldbody><body name="bob">
        <joint name="ball" type="ball" limited="true" range="0 40"/><geom type="sphere" size="0.1" mass="1"/>
    </body></worldbody></mujoco>"#;
    let model = RobotModel::from_text(FILE, &RobotOptions::default()).unwrap();
    assert!(model.ignored.is_empty(), "{:?}", model.ignored);
    let mut w = weightless();
    let robot = Robot::add(&mut w, &model, &RobotPlacement::default()).unwrap();
    w.set_angular_velocity(robot.bodies()[0], 3.0 * v(0.6, -0.48, 0.64)).unwrap();
    for _ in 0..120 {
        step_certified(&mut w, STEP);
    }
    let turn = 2.0 * robot.q(&w).unwrap()[0].abs().acos();
    close(turn, f64::to_radians(40.0), 1e-7);
}

/// The same joint from a scene file, there and back.
#[test]
fn scene_files_have_cones() {
    const FILE: &str = r#"
        [[bodies]]
        name = "arm"
        shape = { cuboid = { half_extents = [0.05, 0.05, 0.5] } }
        position = [0, 0, 0.5]
        angular_velocity = [0.3, 0, 0]
        velocity = [0, -0.15, 0]

        [[joints]]
        kind = "swing_twist"
        a = { body = "arm", point = [0, 0, -0.5] }
        b = { point = [0, 0, 0] }
        coordinates = [{ limits = [0, 0.5] }, {}, { limits = [-0.3, 0.3] }]
    "#;
    let scene = Scene::from_toml(FILE).unwrap();
    assert_eq!(Scene::from_toml(&scene.to_toml()).unwrap(), scene);
    let mut w = scene.build().unwrap();
    let (joint, _) = w.joints().next().unwrap();
    for _ in 0..600 {
        step_certified(&mut w, STEP);
    }
    close(w.joint_position(joint).unwrap()[0], 0.5, 1e-8);
}
